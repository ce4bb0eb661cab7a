"""Spenders on one ledger, some killed at any moment, some sent again: what was reported is recorded, and once."""

import fcntl
import json
import os
import signal
import sqlite3
import tempfile
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import partial
from itertools import count
from pathlib import Path

from tploracle.api import adversary  # noqa: F401 - imported before the forks, which then are quick
from tploracle.cli import spend_command  # noqa: F401
from tploracle.cli.main import main
from tploracle.solvers.worst_case import pairs as worst_case_pairs  # noqa: F401

from .finding import SEEN, require

MATRIX = "0.8,0.2\n0,1\n"
BUDGETS = ("1/100", "log(101/100)", "0.003")
RECORDED = (0, 4)
"""The statuses by which a command says that its budgets are recorded."""

FULL = "/dev/full"

CHANGES = ("INSERT", "UPDATE", "COMMIT")
MOST_CHANGES = 6
"""What changes a ledger, and at most how many times a spend does."""

RESERVED = 0x40000001
"""The byte of a ledger that SQLite locks for its one writer."""


def attack(random):
    """Spend on one ledger from several processes, some of which are killed, and read it. Raises: Finding."""
    with tempfile.TemporaryDirectory() as folder:
        matrix, ledger = Path(folder, "m.csv"), Path(folder, "ledger.db")
        matrix.write_text(MATRIX)
        bound = ["--model", "paper-bound"] if random.randrange(2) else []
        begin = ["spend", ledger, "--init", "--backward", matrix, "--one-sided", "--cap", "20", *bound]
        require(_ended(_begun(begin, folder)) == 0, "no account is opened")
        sent, reported = [], Counter()
        for _ in range(random.randrange(1, 4)):
            running = {}
            for _ in range(random.randrange(1, 5)):
                again = sent and not random.randrange(3)
                name, budgets = (
                    random.choice(sent)
                    if again
                    else (f"r{len(sent)}", random.choices(BUDGETS, k=random.randrange(1, 4)))
                )
                sent += [] if again else [(name, budgets)]
                spends = [word for budget in budgets for word in ("--epsilon", budget)]
                shown = FULL if not random.randrange(6) else None
                deadly = random.randrange(MOST_CHANGES) if random.randrange(3) else None
                words = ["spend", ledger, *spends, "--id", name, "--wait", "60"]
                running[_begun(words, folder, shown, deadly)] = name
            for process, name in running.items():
                if not random.randrange(3):
                    if random.randrange(2):
                        _wait_for_journal(ledger, process)
                    time.sleep(random.random() ** 3 * 0.03)
                    with suppress(ProcessLookupError):
                        os.kill(process, random.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
                status = _ended(process)
                if status < 0:
                    SEEN["kills"] += 1
                    left = Path(folder, f"left-{process}").exists() or _has_left_journal(ledger)
                    SEEN["kills that left a journal"] += left
                require(
                    status in (*RECORDED, -signal.SIGKILL, -signal.SIGTERM, 143), f"spend ends with status {status}"
                )
                reported[name] += status in RECORDED
        _examine(folder, ledger, dict(sent), reported)


def _wait_for_journal(ledger, process):
    """Return once a ledger has a journal, or a process has ended."""
    while not _journal(ledger).exists() and not os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        pass


def _has_left_journal(ledger):
    """Whether a ledger has a journal that nobody is at work on: no writer begins while its lock is held here."""
    with ledger.open("rb") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, RESERVED)
        except BlockingIOError:
            return False
        return _journal(ledger).exists()


def _journal(ledger):
    return Path(f"{ledger}-journal")


def _examine(folder, ledger, sent, reported):
    history = Path(folder, "history")
    require(_ended(_begun(["spend", ledger, "--history", "--json"], folder, history)) == 0, "there is no history")
    releases = [json.loads(line) for line in history.read_text().splitlines()]
    require([release["time"] for release in releases] == list(range(1, len(releases) + 1)), "times are missing")
    recorded = {}
    for release in releases:
        recorded.setdefault(release["id"], []).append(release["epsilon"])
    for name, times in reported.items():
        require(not times or name in recorded, f"{name} was reported as recorded, and is not")
    for name, budgets in recorded.items():
        require(budgets == [_plain(budget) for budget in sent[name]], f"{name}: {sent[name]} is recorded as {budgets}")
    require(_ended(_begun(["spend", ledger, "--show"], folder)) == 0, "the account cannot be read")


def _plain(budget):
    """Return a budget as the ledger writes it."""
    return {"0.003": "3/1000"}.get(budget, budget)


def _begun(arguments, folder, output=None, deadly=None):
    """Begin a command in a process of its own, which is forked: it need not import anything.

    Args: deadly, the number of the change of a ledger before which it is killed, with what was changed before already
    written to the file: only its journal still has the pages as they were.
    """
    process = os.fork()
    if process:
        return process
    status = 70
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        own, number = os.getpid(), count()

        class Killed(sqlite3.Connection):
            def execute(self, *statement):
                if os.getpid() == own and statement[0].startswith(CHANGES) and next(number) == deadly:
                    super().execute("PRAGMA cache_size = 1")
                    super().execute("SELECT count(*) FROM account, release, head").fetchone()
                    if _journal(arguments[1]).exists():
                        Path(folder, f"left-{own}").touch()
                    os.kill(own, signal.SIGKILL)
                return super().execute(*statement)

        sqlite3.connect = partial(sqlite3.connect, factory=Killed)
        with (
            Path(os.devnull if output is None else output).open("w") as out,
            Path(folder, f"errors-{os.getpid()}").open("w") as errors,
            redirect_stdout(out),
            redirect_stderr(errors),
        ):
            status = main.main([str(word) for word in arguments], standalone_mode=False)
    finally:
        os._exit(status)


def _ended(process):
    """Return the status of a process, once it has ended; minus the signal where one ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
