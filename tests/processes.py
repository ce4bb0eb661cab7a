"""Other processes as tests meet them: how long they may take, and whether they have ended."""

import os
import time
from itertools import count
from pathlib import Path
from subprocess import PIPE

PATIENT = 500.0
"""Seconds for what comes sooner or later however slow the machine: less than pytest gives the whole test."""

IMPATIENT = 0.6
"""Seconds for what never comes."""

PIPES = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE}


def has_ended(pid, patience=PATIENT):
    """Whether the process ends; a zombie that nobody has reaped yet has."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{pid}/stat")
        try:
            if state.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            pass
        time.sleep(0.02)
    return False


def clock_that_waits(condition):
    """Return a clock that stands still until the condition holds and then goes on by an hour at each look."""
    hours = count(1)
    return lambda: 3600.0 * next(hours) if condition() else 0.0


def hang_for_ever(*_):
    """Leave this process's id in the file "pids" of the folder that TPLORACLE_PIDS names, and come to no end."""
    with Path(os.environ["TPLORACLE_PIDS"], "pids").open("a") as pids:
        pids.write(f"{os.getpid()}\n")
    while True:
        time.sleep(1000)
