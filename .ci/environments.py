"""Run `make test` in environments that differ, one after the other, and say where tests or their outcomes do.

    python3 .ci/environments.py [--user-python PYTHON] [--only NAME] [PYTHON ...]

Args: other interpreters to try as well. Each environment has its own clone of what is committed. The exit status is 1
where a test fails in one of them or is not among those of the first.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
NOBODY = 65534
BUSY = 8
REPORT = "build/tests.xml"


@dataclass(frozen=True)
class Environment:
    """What differs: the name of the folder, the interpreter, variables, busy processes beside it, whose it is."""

    name: str
    folder: str = "plain"
    python: str = sys.executable
    variables: dict[str, str] = field(default_factory=dict)
    busy: int = 0
    user: int | None = None


def environments(scratch: Path, pythons: list[str], python_of_user: str) -> list[Environment]:
    """Return the environments that this machine can have, the plain one first."""
    own = scratch / "ä b" / "tmp ö"
    own.mkdir(parents=True)
    found = [
        Environment("plain"),
        Environment("busy", busy=BUSY),
        Environment("a path with blanks and ä", "ä b/a clone", variables={"TMPDIR": str(own)}),
        Environment("LC_ALL=C", variables={"LC_ALL": "C"}),
        Environment(
            "Nepal, another hash seed, unbuffered",
            variables={"TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "4", "PYTHONUNBUFFERED": "1"},
        ),
        *(Environment(name, name, python) for python in pythons for name in [_version(python)]),
    ]
    turkish = {"LC_ALL": "tr_TR.UTF-8", "LOCPATH": str(scratch / "locales")}
    (scratch / "locales").mkdir()
    made = shutil.which("localedef") and subprocess.run(
        ["localedef", "-i", "tr_TR", "-f", "UTF-8", scratch / "locales" / "tr_TR.UTF-8"],
        capture_output=True,
        check=False,
    )
    if made and not made.returncode:
        found.append(Environment("tr_TR.UTF-8", variables=turkish))
    if os.geteuid() == 0:
        found.append(Environment("not root, .git read-only", "user", python_of_user, user=NOBODY))
    return found


def _version(python: str) -> str:
    return subprocess.run([python, "--version"], capture_output=True, encoding="utf-8", check=True).stdout.strip()


def outcomes(place: Environment, scratch: Path) -> dict[str, str]:
    """Run the tests in an environment. Returns: the outcome of each test."""
    clone = scratch / place.folder
    if not clone.exists():
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        subprocess.run(["make", "--silent", "setup", f"PYTHON={place.python}"], cwd=clone, check=True)
    (clone / REPORT).unlink(missing_ok=True)
    owner: dict[str, object] = {}
    if place.user is not None:
        subprocess.run(["chown", "-R", str(place.user), clone], check=True)
        subprocess.run(["chmod", "-R", "a-w", clone / ".git"], check=True)
        owner = {"user": place.user, "group": place.user, "extra_groups": []}
    variables = {**os.environ, "HOME": str(clone), **place.variables}
    spin = [sys.executable, "-c", "while True: pass"]
    beside = [subprocess.Popen(spin) for _ in range(place.busy)]
    try:
        with (scratch / f"{place.name}.log").open("wb") as log:
            command = ["make", "test", f"OPTIONS=--junitxml={REPORT}"]
            subprocess.run(command, cwd=clone, env=variables, stdout=log, stderr=log, check=False, **owner)  # type: ignore[call-overload]
    finally:
        for process in beside:
            process.kill()
            process.wait()
    if not (clone / REPORT).exists():
        return {}
    cases = ElementTree.parse(clone / REPORT).iter("testcase")
    return {f"{case.get('classname')}::{case.get('name')}": _outcome(case) for case in cases}


def _outcome(case: ElementTree.Element) -> str:
    return next((kind for kind in ("failure", "error", "skipped") if case.find(kind) is not None), "passed")


def main() -> int:
    """Run the tests everywhere and print what differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pythons", nargs="*", metavar="PYTHON", help="other interpreters to try as well")
    parser.add_argument("--user-python", default=sys.executable, help="one that every user can read")
    parser.add_argument("--only", action="append", default=[], help="besides the plain environment only this one")
    given = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="environments"))
    scratch.chmod(0o755)  # another user reads it as well
    plain, wrong = dict[str, str](), False
    for place in environments(scratch, given.pythons, given.user_python):
        if given.only and place.name not in ("plain", *given.only):
            continue
        found = outcomes(place, scratch)
        plain = plain or found
        told = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(found.values()).items()))
        print(f"{place.name}: {told or 'nothing was run'}", flush=True)
        for test in sorted(plain.keys() | found.keys()):
            before, after = plain.get(test, "not there"), found.get(test, "not there")
            fails = after in ("failure", "error", "not there") or before == "not there"
            wrong |= fails
            if fails or before != after:
                print(f"  {test}: {after}, in the first environment {before}")
    print(f"what make said: {scratch}")
    return 1 if wrong or not plain else 0


if __name__ == "__main__":
    sys.exit(main())
