"""Programs that misbehave, as implementations, and what is asked of them."""

import os
import sys
import time
from pathlib import Path

from tploracle.conformance.implementation import ProcessImplementation
from tploracle.wire.protocol import Declaration

PROGRAM = Path(__file__).with_name("misbehaving.py")
FAKE = Declaration("fake", "1", ("loss", "conjure"), ("float64",))
PATIENT, IMPATIENT = 30.0, 0.6
BIG = {"matrix": [["0x0p+0"] * 200] * 200}
"""An input that is longer than what a pipe holds."""


def misbehaving(mode, *more, timeout=PATIENT, **options):
    return ProcessImplementation([sys.executable, "-I", "-S", str(PROGRAM), mode, *map(str, more)], timeout, **options)


def ask(asked, seq, op="loss", given=None):
    return asked.ask({"seq": seq, "op": op, "input": given or {}})


def is_fine(reply, seq):
    return reply.fault is None and reply.answer["seq"] == seq and reply.answer["value"].startswith("fine ")


def has_ended(pid):
    """Whether the process ends, soon; a zombie that nobody has reaped yet has."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False
