"""Build what a release publishes; install it for every Python that is here; run README's commands and all quick tests.

Into build/release go the archive of the source, the wheel that is built from it, and a recipe for conda-forge, whose
requirements are those of pyproject.toml. PYTHONS in the environment names other interpreters than those that are found,
OPTIONS what pytest gets, such as a part of the tests.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from release_check import git

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
  license_file: [LICENSE, NOTICE]
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


def build(root: Path, out: Path) -> list[Path]:
    """Build both archives of a folder, and return them. Raises: SystemExit where the build fails or warns."""
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, root],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    )
    warned = [line for line in done.stdout.splitlines() if re.search(r"warning|deprecat", line, re.IGNORECASE)]
    if done.returncode or warned:
        sys.exit("\n".join(warned) or done.stdout)
    return sorted(out.iterdir())


def unpacked(archive: Path, folder: Path) -> Path:
    """Unpack the archive of the source and return its folder."""
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def pythons() -> dict[str, str | None]:
    """Return the interpreters here by version, of those that the package names and the next, None if missing."""
    minors = [int(minor) for minor in re.findall(r":: 3\.(\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))]
    found: dict[str, str | None] = {f"3.{minor}": None for minor in (*minors, max(minors) + 1)}
    for version in found:
        for program in os.environ.get("PYTHONS", f"python{version}").split():
            ask = [program, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
            done = subprocess.run(ask, check=False, capture_output=True, text=True) if shutil.which(program) else None
            if done is not None and done.stdout.strip() == version:
                found[version] = program
    return found


def faults_in(python: str, version: str, folder: Path) -> list[str]:
    """Install the version from build/release for an interpreter; run README's commands and the tests of the archive.

    Args: folder, an empty one. The commands run in an empty folder below it, the tests in the unpacked archive.
    """
    subprocess.run([python, "-m", "venv", folder / "bare"], check=True)
    programs = folder / "bare" / "bin"
    versions = folder / "versions.txt"  # without the hashes, which a wheel just built has not
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    versions.write_text(re.sub(r" \\$|^[ #].*$", "", lock, flags=re.MULTILINE), encoding="utf-8")
    install = [programs / "python", "-m", "pip", "-qq", "--disable-pip-version-check", "install"]
    work = folder / "work"
    work.mkdir()
    wanted = ["--find-links", OUT, f"tploracle=={version}"]
    subprocess.run([*install, "--constraint", versions, *wanted], check=True, cwd=work)
    found = differing((ROOT / "README.md").read_text(encoding="utf-8"), work, str(programs))
    (archive,) = OUT.glob("*.tar.gz")
    source = unpacked(archive, folder)
    tests = ["make", "test", f"PYTHON={python}", f"OPTIONS={os.environ.get('OPTIONS', '')}"]
    if subprocess.run(tests, check=False, cwd=source).returncode:
        found.append("the tests of the archive fail")
    return [f"{python}: {fault}" for fault in found]


def main() -> int:
    """Build, install and run; print what differs, and return the exit status."""
    shutil.rmtree(OUT, ignore_errors=True)
    os.environ.setdefault("SOURCE_DATE_EPOCH", git("log", "-1", "--format=%ct").strip())
    archives = build(ROOT, OUT)
    (archive,) = OUT.glob("*.tar.gz")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    text = recipe(settings["project"], settings["build-system"]["requires"], archive.name, digest)
    (OUT / "recipe.yaml").write_text(text, encoding="utf-8")
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        source = unpacked(archive, Path(scratch))
        absent = [name for name in git("ls-files", "-z").split("\0") if not (source / name).exists()]
        if absent != [".gitignore"]:
            found.append(f"{archive.name} does not have what the repository has: {', '.join(absent)}")
        again = build(source, Path(scratch) / "again")
        if [path.read_bytes() for path in archives] != [path.read_bytes() for path in again]:
            found.append(f"what the unpacked archive builds differs from {', '.join(path.name for path in archives)}")
        for version, python in pythons().items():
            print(f"Python {version} {'...' if python else 'is not here, and is not tried'}", flush=True)
            if python is None:
                continue
            folder = Path(scratch) / version
            folder.mkdir()
            found += faults_in(python, settings["project"]["version"], folder)
    print("\n".join(found) or f"built and run: {', '.join(path.name for path in sorted(OUT.iterdir()))}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
