"""Say which names mean two things: public classes, modules and constants of the package that share one.

    python .ci/one_name.py

A constant that is written the same in both places means the same. Exit status 1 if there is a name beyond `KNOWN`.
"""

import ast
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

FOLDERS = ("reference", "solvers", "proofs_checks", "oracle")

ALONE = ("proofs_checks/checker.py",)
"""Files that stand by themselves: the certificate checker shares nothing with the rest, not even names."""

KNOWN = {
    # In every file of claims: its own.
    "CLAIMS",
    # The public names of the adapter, and the package behind them; the contract's errors, and the reference's.
    "adapter", "errors",
    # To be told apart.
    "BOUNDARIES", "Bounds", "Doubles", "Entry", "FAILED", "FILES", "Given", "Instance", "Item", "KINDS", "METHODS",
    "MOST_RELEASES", "MOST_STATES", "Number", "ONE", "PIECE", "Progress", "Reading", "Row",
}  # fmt: skip
"""Names that mean two things all the same."""


def places(root: Path) -> dict[str, dict[str, set[str]]]:
    """Return, for each public name, its meanings, and the files of each."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.py")):
        file = path.relative_to(root).as_posix()
        if file in ALONE:
            continue
        if path.stem not in ("__init__", "__main__"):
            found[path.stem][file].add(file)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name][f"{file}:{node.lineno}"].add(file)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        found[target.id][ast.unparse(node.value)].add(file)
    return found


def shared(root: Path) -> dict[str, list[str]]:
    """Return the public names with more than one meaning, and the files that give them one."""
    return {
        name: sorted(set().union(*meanings.values()))
        for name, meanings in sorted(places(root).items())
        if len(meanings) > 1 and not name.startswith("_")
    }


def main() -> None:
    """Print the names that mean two things, and those of `KNOWN` that no longer do."""
    found = shared(ROOT)
    for name in sorted(KNOWN - {*found}):
        print(f"{name}: one thing by now, take it off KNOWN")
    new = {name: files for name, files in found.items() if name not in KNOWN}
    for name, files in new.items():
        print(f"{name}: {', '.join(files)}")
    sys.exit(1 if new else 0)


if __name__ == "__main__":
    main()
