"""Check that a release can be made from here: one version everywhere, its changes told, nothing uncommitted."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PLACES = {
    "oracle/__init__.py": r'^__version__ = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
}
"""Where the version of pyproject.toml stands as well."""


def faults(root: Path) -> Iterator[str]:
    """Yield what is in the way of a release."""
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    for place, pattern in PLACES.items():
        found = re.findall(pattern, (root / place).read_text(encoding="utf-8"), re.MULTILINE)
        if found != [version]:
            yield f"{place}: the version is {' and '.join(found) or 'missing'}, in pyproject.toml {version}"
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(r"^## \[Unreleased\]\s+^## ", changes, re.MULTILINE):
        yield f"CHANGELOG.md: [Unreleased] is not empty: what it says is in {version} or in another version"
    dated = re.search(rf"^## \[{re.escape(version)}\] - (\d{{4}}-\d\d-\d\d)$", changes, re.MULTILINE)
    if not dated:
        yield f"CHANGELOG.md: there is no dated [{version}]"
    elif f"\ndate-released: {dated[1]}\n" not in (root / "CITATION.cff").read_text(encoding="utf-8"):
        yield f"CITATION.cff: date-released is not {dated[1]}"


def git(*arguments: str) -> str:
    """Return what a command of git prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def main() -> int:
    """Check, print what is in the way, and return the exit status."""
    found = list(faults(ROOT))
    if git("status", "--porcelain"):
        found.append("there are uncommitted changes")
    print("\n".join(found) or "ready")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
