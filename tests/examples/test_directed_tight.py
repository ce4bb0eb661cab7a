"""`examples/implementations/directed_tight.py` is right within its domain, and its shortcuts would be noticed."""

import pytest

import directed_tight
from directed_tight import DirectedTight
from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.extents import is_outside
from tploracle.conformance.model import Verdict
from tploracle.reference import parse_level
from tploracle.wire.protocol import Domain

from .questions import GOOD, judged

DOMAIN = Domain(DirectedTight.domain["states"], DirectedTight.domain["releases"], parse_level("40"))
CASES = [
    case
    for case in load_vectors("full")
    if case.op.startswith("tight_") and case.numbers == "float64" and not is_outside(case, DOMAIN)
]


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])
@pytest.mark.parametrize("op", ["tight_leakage", "tight_supremum", "tight_allocate"])
def test_it_is_right_but_for_one_question_that_it_leaves_out(op, step):
    found = {case.id: judged(DirectedTight(), case) for case in [case for case in CASES if case.op == op][::step]}
    assert len(found) > 16 // step
    left_out = (Verdict.SKIPPED, Verdict.UNANSWERED)
    answered = {name: judgement for name, judgement in found.items() if judgement.verdict not in left_out}
    assert len(answered) >= len(found) - 1
    assert {name: judgement for name, judgement in answered.items() if judgement.verdict not in GOOD} == {}


def leakages():
    return [judged(DirectedTight(), case).verdict for case in CASES if case.op == "tight_leakage"]


@pytest.mark.parametrize(
    ("part", "mistake"),
    [
        ("_together", lambda before, after: max(before) * max(after) >> directed_tight.BITS),
        ("_back", lambda rows, c: [directed_tight._dot(row, c) for row in rows]),
        ("_level", lambda epsilon, _ratio: epsilon),
    ],
)
def test_a_mistake_is_found(monkeypatch, part, mistake):
    monkeypatch.setattr(directed_tight, part, mistake)
    assert not {*leakages()} <= {*GOOD}
