"""Build what a release publishes, install it in a bare environment, and run README's commands there.

Into build/release go the archive of the source, the wheel that is built from it, and a recipe for conda-forge, whose
requirements are those of pyproject.toml.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "release"

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROGRESS = re.compile(r"[\w ]+: .*\d+ s so far")  # what a command that takes long says on the way

RECIPE = """\
schema_version: 1

package:
  name: {name}
  version: "{version}"

source:
  url: https://pypi.org/packages/source/{name[0]}/{name}/{archive}
  sha256: {digest}

build:
  noarch: python
  script: python -m pip install . --no-deps --no-build-isolation -vv
  python:
    entry_points:
{entry_points}

requirements:
  host:
    - python >=3.11
    - pip
{host}
  run:
    - python >=3.11
{run}

tests:
  - python:
      imports: [tploracle]
      pip_check: true
  - script:
      - tploracle --version

about:
  summary: "{summary}"
  license: {license}
  license_file: LICENSE
"""


def recipe(project: dict[str, object], build: list[str], archive: str, digest: str) -> str:
    """Return the recipe of a version whose archive has this name and SHA-256; build: what a build requires."""

    def listed(entries: list[str], indent: int = 4) -> str:
        return "\n".join(f"{' ' * indent}- {re.sub(r'(?=[<>=])', ' ', entry, count=1)}" for entry in entries)

    scripts = [f"{name} = {place}" for name, place in project["scripts"].items()]  # type: ignore[attr-defined]
    return RECIPE.format(
        name=project["name"],
        version=project["version"],
        archive=archive,
        digest=digest,
        entry_points="\n".join(f"      - {script}" for script in scripts),
        host=listed(build),
        run=listed(project["dependencies"]),  # type: ignore[arg-type]
        summary=project["description"],
        license=project["license"],
    )


def differing(page: str, folder: Path, path: str) -> list[str]:
    """Run the commands of a page in a folder; return those that print something else than it shows: … is any lines."""
    found = []
    environment = os.environ | {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    for block in _BLOCK.findall(page):
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            done = subprocess.run(
                ["sh", "-c", command], check=False, cwd=folder, env=environment, capture_output=True, text=True
            )
            lines = (done.stdout + done.stderr).rstrip().splitlines()
            printed = "".join(f"{line.rstrip()}\n" for line in lines if not _PROGRESS.fullmatch(line))
            parts = re.split(r"^…\n", shown, flags=re.MULTILINE)
            if not re.fullmatch("(?s:.*)".join(map(re.escape, parts)), printed):
                found.append(f"$ {command}\nREADME.md shows:\n{shown}but it prints:\n{printed}")
    return found


def main() -> int:
    """Build, install and run; print what differs, and return the exit status."""
    shutil.rmtree(OUT, ignore_errors=True)
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", OUT, ROOT], check=True, stdout=subprocess.DEVNULL
    )
    (archive,) = OUT.glob("*.tar.gz")
    (wheel,) = OUT.glob("*.whl")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    text = recipe(settings["project"], settings["build-system"]["requires"], archive.name, digest)
    (OUT / "recipe.yaml").write_text(text, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder) / "bare", with_pip=True)
        programs = Path(folder) / "bare" / "bin"
        install = [programs / "python", "-m", "pip", "-qq", "--disable-pip-version-check", "install"]
        versions = Path(folder) / "versions.txt"  # without the hashes, which a wheel just built has not
        lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
        versions.write_text(re.sub(r" \\$|^[ #].*$", "", lock, flags=re.MULTILINE), encoding="utf-8")
        subprocess.run([*install, "--constraint", versions, wheel], check=True)
        work = Path(folder) / "work"
        shutil.copytree(ROOT / "examples", work / "examples")
        found = differing((ROOT / "README.md").read_text(encoding="utf-8"), work, str(programs))
    print("\n".join(found) or f"built and run: {', '.join(path.name for path in sorted(OUT.iterdir()))}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
