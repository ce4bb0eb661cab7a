"""Programs that misbehave, as implementations, and what is asked of them."""

import sys
from pathlib import Path

from tploracle.conformance.ask.implementation import ProcessImplementation
from tploracle.wire.protocol import Declaration

from ...processes import PATIENT

PROGRAM = Path(__file__).with_name("misbehaving.py")
FAKE = Declaration("fake", "1", ("loss", "conjure"), ("float64",))
BIG = {"matrix": [["0x0p+0"] * 200] * 200}
"""An input that is longer than what a pipe holds."""


def patient(command, start_timeout=PATIENT, **options):
    """A program that has all the time it needs."""
    return ProcessImplementation(command, PATIENT, start_timeout, **options)


def misbehaving(mode, *more, **options):
    return patient([sys.executable, "-I", "-S", str(PROGRAM), mode, *map(str, more)], **options)


def ask(asked, seq, op="loss", given=None):
    return asked.ask({"seq": seq, "op": op, "input": given or {}})


def is_fine(reply, seq):
    return reply.fault is None and reply.answer["seq"] == seq and reply.answer["value"].startswith("fine ")
