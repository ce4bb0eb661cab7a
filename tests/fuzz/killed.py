"""A population killed at random moments, and then left alone: its folder is that of one that was not disturbed."""

import itertools
import os
import signal
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from random import Random

import pyarrow.csv  # noqa: F401 - imported before the forks, which then are quick

from tploracle.cli import population_command
from tploracle.cli.main import main
from tploracle.data.parquet import opened_parquet  # noqa: F401
from tploracle.solvers.batch.enclosures import prepare_compiled

from .finding import require

KILLS = 5
"""Of one run: every other one while a file is written, which takes too little of the time to be met by chance."""

CHUNK = 2
"""Users of a chunk: of forty users there are twenty parts, and as many of each round of the common schedule."""


def attack(random):
    """Kill a run at random moments, and let it finish. Raises: Finding."""
    prepare_compiled()
    with tempfile.TemporaryDirectory() as name:
        log, out = Path(name, "log.csv"), Path(name, "out")
        log.write_text(_log(), encoding="utf-8")
        expected, seconds = _undisturbed()
        for kill in range(KILLS):
            moment = {"write": random.randrange(len(expected))} if kill % 2 else {"seconds": random.random() * seconds}
            status, _ = _ended(log, out, **moment)
            ended = (0, -signal.SIGPROF, -signal.SIGKILL)
            require(status in ended, f"a run that is gone on with ends with status {status}")
        require(_ended(log, out)[0] == 0, "the run that is left alone fails")
        found = _bytes(out)
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
    """Return the files of a run that is not disturbed, and the seconds of processor time that it takes."""
    with tempfile.TemporaryDirectory() as name:
        log, out = Path(name, "log.csv"), Path(name, "out")
        log.write_text(_log(), encoding="utf-8")
        status, seconds = _ended(log, out)
        require(status == 0, "an undisturbed run fails")
        return _bytes(out), seconds


def _bytes(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _ended(log, out, seconds=None, write=None):
    """Run the command in a process of its own, which is forked: it need not import anything.

    Args: seconds, of processor time, after which it is ended at once, whatever it is at: so how busy the machine is
    makes no difference; write, which of the files it is ended at, half written. Returns: its status, minus the signal
    where one ended it, and the seconds that it took.
    """
    process = os.fork()
    if process:
        _, status, used = os.wait4(process, 0)
        return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
    status = 70
    try:
        if seconds is not None:
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, 0.001 + seconds)
        if write is not None:
            written = itertools.count()
            os.fsync = lambda _: next(written) == write and os.kill(os.getpid(), signal.SIGKILL)
        population_command.CHUNK_USERS = CHUNK
        columns = ["--user", "user", "--time", "time", "--state", "state"]
        asked = ["--epsilon", "0.1", "--steps", "5", "--alpha", "1", "--smoothing", "1/10", "--method", "constant"]
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            words = ["population", str(log), *columns, "--out", str(out), *asked, "--exact", "1", "--workers", "1"]
            status = main.main(words, standalone_mode=False)
    finally:
        os._exit(status)
