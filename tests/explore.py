"""`make explore`: the tests that draw examples, on others and more of them in each round, until the time is up."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import SystemRandom
from xml.etree import ElementTree

from . import profiles

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 600
"""Seconds for a test that draws once its examples."""

LEAVING = 60
"""Seconds for a round that is out of time to say what it found."""


def explored(seed: int, asked: argparse.Namespace, until: float) -> tuple[list[str], bool]:
    """Run one round; return the tests that failed in it and whether it came to its end."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder, "found.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-n", str(asked.workers), "-m", "hypothesis", *asked.tests]
        command += [f"--hypothesis-seed={seed}", f"--junitxml={found}", "-o", f"timeout={PATIENCE * asked.factor}"]
        environment = {**os.environ, profiles.EXPLORE: str(asked.factor)}
        with subprocess.Popen(command, cwd=ROOT, env=environment) as running:
            try:
                running.wait(max(0, until - time.monotonic()) if until else None)
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGINT)
                try:
                    running.wait(LEAVING)
                except subprocess.TimeoutExpired:
                    running.kill()
        ended = running.returncode in (0, 1)
        if not found.exists():
            return [f"pytest ended with status {running.returncode} and says nothing of its tests"], ended
        cases = ElementTree.parse(found).iter("testcase")
        wrong = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
        return [f"{case.get('classname')}::{case.get('name')}" for case in wrong], ended


def main() -> int:
    """Explore; 1 where a test failed, which a later round does not take back."""
    parser = argparse.ArgumentParser(prog="python -m tests.explore", description=__doc__)
    parser.add_argument("tests", nargs="*", help="only these tests")
    parser.add_argument("--seed", type=int, help="that of the first round; without it, and later, a new one")
    parser.add_argument("--factor", type=int, default=4, help="how many times its examples a test draws")
    parser.add_argument("--minutes", type=float, help="go on with new rounds so long; without it one round")
    parser.add_argument("--workers", type=int, default=1, help="processes that run tests")
    asked = parser.parse_args()
    # What a shell has put into its background ignores interrupts, and so would pytest, which is ended by one.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    until = time.monotonic() + 60 * asked.minutes if asked.minutes else 0.0
    seed, rounds, failures = asked.seed, 0, list[str]()
    while True:
        seed = SystemRandom().getrandbits(32) if seed is None else seed
        rounds += 1
        print(f"\nround {rounds}: seed {seed}, {asked.factor} times the examples", flush=True)
        wrong, ended = explored(seed, asked, until)
        failures += [f"seed {seed}: {test}" for test in wrong]
        if not ended or time.monotonic() >= until:
            break
        seed = None
    print(f"\nrounds: {rounds}, failures: {len(failures)}", *failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
