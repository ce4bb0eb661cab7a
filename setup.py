"""What pyproject.toml cannot say: README as an index shows it, example data, and an archive that is the same each time.

The time in all files of an archive and a wheel is SOURCE_DATE_EPOCH, where that is set.
"""

import gzip
import os
import re
import tarfile
import time
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^()\s]+)\)\n?")

_PASSING = re.compile(r"__pycache__|\.(vok?|vos|glob|aux)$|\.cache$|SOURCES\.txt$")
"""What programs leave in the folders of an archive."""


def index_page(text: str, address: str | None) -> str:
    """Return README with absolute links below the address of the repository's files, which {view} is a part of.

    Without an address links into the repository become their texts, and pictures are left out.
    """

    def absolute(match: re.Match[str]) -> str:
        end = "\n" if match[0].endswith("\n") else ""
        if ":" in match["target"] or match["target"].startswith("#"):
            return match[0]
        if address is None:
            return "" if match["picture"] else match["text"] + end
        below = address.format(view="raw" if match["picture"] else "blob")
        return f"{match['picture']}[{match['text']}]({below}/{match['target']}){end}"

    return _LINK.sub(absolute, text)


def long_description() -> str:
    """Return README for an index: links lead to the files of this version, once pyproject.toml has `Repository`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    repository = project["urls"].get("Repository")
    address = repository and f"{repository.rstrip('/')}/{{view}}/v{project['version']}"
    return index_page((ROOT / "README.md").read_text(encoding="utf-8"), address)


class BuildPy(build_py):  # type: ignore[misc]
    """Leaves out the programs beside the example data, which need a checkout."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """Return the modules of a package that are installed."""
        found: list[tuple[str, str, str]] = super().find_package_modules(package, package_dir)
        return [one for one in found if package != "tploracle.examples" or one[1] == "__init__"]


class Sdist(sdist):  # type: ignore[misc]
    """Writes an archive that depends on the names and bytes of its files alone."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Lay out the files of the archive; SOURCES.txt names what happened to be in the folders."""
        super().make_release_tree(base_dir, [path for path in files if not _PASSING.search(path)])

    def make_archive(self, base_name: str, *_format: object, base_dir: str, **_rest: object) -> str:
        """Write the archive of a folder and return its name."""
        name, moment = f"{base_name}.tar.gz", int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
        with (
            Path(name).open("wb") as out,
            gzip.GzipFile("", "wb", fileobj=out, mtime=moment) as zipped,
            tarfile.open(fileobj=zipped, mode="w") as archive,
        ):
            for path in sorted(path for path in Path(base_dir).rglob("*") if path.is_file()):
                member = tarfile.TarInfo(path.as_posix())
                member.size, member.mtime = path.stat().st_size, moment
                member.mode = 0o755 if os.access(path, os.X_OK) else 0o644
                with path.open("rb") as file:
                    archive.addfile(member, file)
        return name


if __name__ == "__main__":
    os.umask(0o022)  # modes are in a wheel as well
    setup(
        cmdclass={"build_py": BuildPy, "sdist": Sdist},
        long_description=long_description(),
        long_description_content_type="text/markdown",
    )
