"""A population killed at random moments, and then left alone: its folder is that of one that was not disturbed."""

import os
import signal
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from random import Random

import pyarrow.csv  # noqa: F401 - imported before the forks, which then are quick

from tploracle.cli import population_command
from tploracle.cli.main import main
from tploracle.data.parquet import opened_parquet  # noqa: F401

from .finding import require

KILLS = 5
"""Of one run."""

MOST_DELAY = 1.2
"""Seconds until a run is killed, which take it to its end where nothing else is going on."""

CHUNK = 2
"""Users of a chunk: of forty users there are twenty parts, and as many of each round of the common schedule."""


def attack(random):
    """Kill a run at random moments, and let it finish. Raises: Finding."""
    with tempfile.TemporaryDirectory() as name:
        log, out = Path(name, "log.csv"), Path(name, "out")
        log.write_text(_log(), encoding="utf-8")
        for _ in range(KILLS):
            process = _begun(log, out)
            time.sleep(random.random() * MOST_DELAY)
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            require(status in (0, -signal.SIGKILL), f"a run that is gone on with ends with status {status}")
        require(_finished(log, out) == 0, "the run that is left alone fails")
        found, expected = _bytes(out), _undisturbed()
        require(found.keys() == expected.keys(), f"the files are {sorted(found)}, not {sorted(expected)}")
        changed = sorted(file for file, content in found.items() if content != expected[file])
        require(not changed, f"other bytes are in {changed}")


def _log():
    random = Random("visits")
    rows = [f"u{user},{time},{random.choice('abc')}" for user in range(40) for time in range(12)]
    random.shuffle(rows)
    return "\n".join(["user,time,state", *rows]) + "\n"


@cache
def _undisturbed():
    with tempfile.TemporaryDirectory() as name:
        log, out = Path(name, "log.csv"), Path(name, "out")
        log.write_text(_log(), encoding="utf-8")
        require(_finished(log, out) == 0, "an undisturbed run fails")
        return _bytes(out)


def _bytes(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _finished(log, out):
    return os.waitstatus_to_exitcode(os.waitpid(_begun(log, out), 0)[1])


def _begun(log, out):
    """Begin the command in a process of its own, which is forked: it need not import anything."""
    process = os.fork()
    if process:
        return process
    status = 70
    try:
        population_command.CHUNK_USERS = CHUNK
        columns = ["--user", "user", "--time", "time", "--state", "state"]
        asked = ["--epsilon", "0.1", "--steps", "5", "--alpha", "1", "--smoothing", "1/10", "--horizon", "4"]
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            words = ["population", str(log), *columns, "--out", str(out), *asked, "--exact", "1", "--workers", "1"]
            status = main.main(words, standalone_mode=False)
    finally:
        os._exit(status)
