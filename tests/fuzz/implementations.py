"""Hostile programs and Python objects as implementations: each question gets a reply, and nothing is left behind."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from tploracle.conformance.ask.implementation import NotAnImplementation, ObjectImplementation, ProcessImplementation
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Verdict
from tploracle.contract.operations import OPERATIONS

from ..processes import has_ended
from .answers import cases
from .finding import require
from .mutations import NUMBERS, mutated

PROGRAM = Path(__file__).with_name("program.py")
DEEDS = ("answer", "answer", "answer", "say", "say seq", "complain", "flood", "sleep", "exit", "die", "close", "child")
SAID = (
    "", "\n", "\0", "{", "}", "[]\n", "null\n", "1\n", '"x"\n', "\ud800\n", "x" * 70_000, '{"seq": 1}\n{"seq": 2}\n',
    '{"seq": SEQ}', "[" * 5_000,
    '{"seq": SEQ, "value": 1e400}', '{"seq": SEQ, "value": "NaN"}', '{"seq": SEQ, "value": "1", "value": "2"}',
    '{"seq": SEQ, "error": {}}', '{"seq": SEQ, "error": {"name": "\\u001b[2J"}}', '{"seq": SEQ, "skipped": null}',
)  # fmt: skip
SECONDS = 0.3
"""How long an answer may take: most of these never come."""


class Strange:
    """A value whose every use goes wrong in its own way."""

    def __init__(self, error):
        self.error = error

    def _raise(self, *_):
        raise self.error("strange")

    __str__ = __repr__ = __eq__ = __hash__ = __len__ = __iter__ = __float__ = __int__ = __getitem__ = __bool__ = _raise


ERRORS = (ValueError, RecursionError, MemoryError, StopIteration, KeyError, AssertionError, UnicodeError, OSError)
VALUES = (float("nan"), float("inf"), -0.0, 10**5_000, b"1", object(), {1: 2}, {"lower": Strange(ValueError)})


def attack(random):
    """Ask one implementation a few things. Raises: Finding."""
    if random.randrange(4):
        _ask(random, ObjectImplementation(_object(random)))
        return
    deeds = [("answer", "1")] if random.randrange(8) else []
    deeds += [(random.choice(DEEDS), random.choice(SAID)) for _ in range(random.randrange(1, 5))]
    command = [sys.executable, "-I", "-S", str(PROGRAM), json.dumps(deeds)]
    mark = f"TPLORACLE_FUZZ={os.getpid()}-{random.getrandbits(64):x}"
    os.environ.update([mark.split("=")])
    with ProcessImplementation(command, SECONDS, 10 * SECONDS) as implementation:
        _ask(random, implementation)
    for process in _marked(mark.encode()):
        require(has_ended(process, 60), f"leaves a process behind: {deeds}")


def _marked(mark):
    """Return the processes, this one aside, that have the mark in their environment."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal() and int(process.name) != os.getpid():
            with suppress(OSError):
                if mark in (process / "environ").read_bytes().split(b"\0"):
                    found.append(int(process.name))
    return found


def _ask(random, implementation):
    judge = Judge()
    with suppress(NotAnImplementation):
        implementation.start()
    for seq in range(1, random.randrange(2, 4)):
        case = random.choice(cases())
        try:
            reply = implementation.ask(case.request(seq))
        except NotAnImplementation:
            return
        require((reply.answer is None) == (reply.fault is not None), f"the reply {reply}")
        verdict = judge.judge(case, reply).verdict
        require(verdict is not Verdict.UNDECIDED, f"{case.id}: the judge fails at {str(reply.answer)[:400]}")


def _object(random):
    """Return an object with methods of the operations' names, each of which goes wrong."""

    def method(*_args, **_options):
        match random.randrange(6):
            case 0:
                raise random.choice((*ERRORS, SystemExit, GeneratorExit))("x" * random.choice((0, 10, 10_000)))
            case 1:
                return Strange(random.choice(ERRORS))
            case 2:
                return random.choice(VALUES)
            case 3:
                return random.choice(NUMBERS)
            case 4:
                endless = []
                endless.append(endless)
                return endless
        return mutated(random, random.choice(cases()).expected["value"])

    return type("Hostile", (), {"name": "hostile", "version": "1", **dict.fromkeys(OPERATIONS, method)})()
