"""Commands of `spend` recorded, and what is wrong with their ledger after a loss of power at some moment."""

import json
import sqlite3
from itertools import chain
from pathlib import Path

from tploracle.data.ledger import opened_ledger
from tploracle.data.ledger_chain import RecordedAccount
from tploracle.reference import InvalidRequest

from . import Disk, recorded

SPENDER = """
import json, sqlite3, sys
from functools import partial
from tploracle.cli.main import main

class Set(sqlite3.Connection):
    def execute(self, statement, *values):
        return super().execute(statement.replace("EXTRA", sys.argv[2]), *values)

sqlite3.connect = partial(sqlite3.connect, factory=Set)
for arguments in json.loads(sys.argv[1]):
    if main(["spend", *arguments, "--json"], standalone_mode=False):
        sys.exit(1)
"""
"""Spends as `tploracle spend` does. Arguments: those of each command as JSON, and what "synchronous" is set to."""

ACCOUNT = RecordedAccount({"m": {"backward": [["4/5", "1/5"], ["0", "1"]]}})


def spends(folder, budgets, synchronous="EXTRA"):
    """Record commands on one ledger in a new folder; the first command begins the account.

    Args: budgets, those of each command. Returns: the folder's disk at first, and the steps.
    """
    folder.mkdir()
    ledger, matrix = folder / "ledger.db", folder.with_name("m.csv")
    matrix.write_text("0.8,0.2\n0,1\n")
    commands = [[str(ledger), *(word for budget in each for word in ("--epsilon", budget))] for each in budgets]
    commands[0] += ["--init", "--backward", str(matrix), "--one-sided"]
    return Disk(folder), recorded(SPENDER, folder, json.dumps(commands), synchronous)


def lost(disk, steps, budgets, *, scratch, random, tries):
    """Lose power after each step, `tries` times. Returns: what is wrong, "" for nothing."""
    for number, step in enumerate(steps):
        disk.do(*step)
        for attempt in range(tries):
            found = scratch / f"{number}-{attempt}"
            found.mkdir(parents=True)
            disk.lose_power(random, found)
            if wrong := _wrong(found / "ledger.db", disk.shown.count(b"\n"), budgets):
                return f"after step {number}, {' '.join(step[:2])}: {wrong}"
    return ""


def _wrong(path, reported, budgets):
    """Return what is wrong with a ledger after `reported` commands have reported."""
    expected = [[*chain(*budgets[:count])] for count in (reported, reported + 1)]
    is_new = not reported
    try:
        with opened_ledger(path, create=is_new) as ledger:
            if is_new and not ledger.accounts():
                ledger.open_account("main", ACCOUNT, "me")
                return ""
            found = ledger.account("main").epsilons
    except (InvalidRequest, sqlite3.Error) as error:
        return str(error)
    return "" if found in expected else f"{found} is recorded, where {reported} commands have reported"


FILLED = """
import ctypes, json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.fuzz import forged
from tests.fuzz.surroundings import spent_on_a_full_disk

def told(room, once):
    path = Path(sys.argv[1], f"{room}-{once}.db")
    path.write_bytes(forged.honest()[0])

    def fill():
        for name, value in {"room": room, "once": once}.items():
            ctypes.c_int.in_dll(ctypes.CDLL(None), name).value = value

    return room, once, *spent_on_a_full_disk(path, fill)

tries = []
while not tries or not all(is_spent for *_, is_spent, _ in tries[-2:]):
    tries += [told(len(tries) // 2, once) for once in (0, 1)]
Path(sys.argv[3]).write_text(json.dumps(tries))
"""
"""Spends on a disk that is full. Arguments: a folder for the ledgers, that of the tests, a file for what is told."""


def filled(folder):
    """Spend on a disk that is full from a step on, or (once) at it alone, for each step.

    Returns: the step, once, whether the spend was reported, and what is wrong, of each.
    """
    folder.mkdir()
    told = folder.with_name("told.json")
    recorded(FILLED, folder, folder, Path(__file__).parents[2], told)
    return json.loads(told.read_text())
