"""Faults of the code that `verify` must notice: each is put in place, and a piece of evidence must find otherwise.

Beyond those that `make mutants` makes one by one of small parts, these are faults as people make them, one of each kind
in every definition, recursion and algorithm of the paper.
"""

import inspect
import textwrap

import pytest

from tploracle.proofs_checks import register, trial
from tploracle.proofs_checks.register import look

from .faults import FAULTS

PIECES = {piece.name: piece for piece in trial.all_evidence()}

QUICK = 12
"""Of so many faults one is tried in the quick suite."""


def parted(function, part):
    """Return the head of a function and its body, which has the part that is to be exchanged."""
    source = textwrap.dedent(inspect.getsource(function))
    while source.startswith("@"):
        source = source.partition("\n")[2]
    head, _, body = source.partition(":\n")
    assert part in body, f"{function.__qualname__} has no {part}"
    return head, body


def test_each_fault_has_its_place():
    for function, part, _, _ in FAULTS:
        parted(function, part)


def put_in_place(monkeypatch, function, part, instead):
    """Exchange the code of a function, wherever it has been imported to."""
    head, body = parted(function, part)
    space = dict(vars(inspect.getmodule(function)))
    exec(head + ":\n" + body.replace(part, instead), space)
    monkeypatch.setattr(function, "__code__", space[function.__name__].__code__)


@pytest.mark.parametrize(
    ("function", "part", "instead", "name"),
    [
        pytest.param(*fault, marks=() if number % QUICK == 0 else pytest.mark.slow)
        for number, fault in enumerate(FAULTS)
    ],
)
def test_a_fault_is_noticed(monkeypatch, function, part, instead, name):
    monkeypatch.setattr(register, "PATIENCE", 5.0)
    sound = look(PIECES[name])
    assert sound.held
    put_in_place(monkeypatch, function, part, instead)
    outcome = look(PIECES[name])
    assert not outcome.held or outcome.bearings != sound.bearings
