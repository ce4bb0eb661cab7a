"""`examples/implementations/directed_worst_case.py` is right within its domain, and its shortcuts would be noticed."""

import pytest

import directed_worst_case
from directed_worst_case import DirectedWorstCase
from tploracle.conformance.ask.cases import is_stepwise, load_vectors
from tploracle.conformance.extents import is_outside
from tploracle.reference import parse_level
from tploracle.wire.protocol import Domain

from .questions import GOOD, judged

DOMAIN = Domain(DirectedWorstCase.domain["states"], DirectedWorstCase.domain["releases"], parse_level("40"))
CASES = [
    case
    for case in load_vectors("full")
    if case.op.startswith("worst_case_") and case.numbers == "float64" and not is_outside(case, DOMAIN)
    if not is_stepwise(case.input)  # which it does not declare
]


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.exhaustive)], ids=["some", "all"])
@pytest.mark.parametrize("op", ["worst_case_leakage", "worst_case_supremum", "worst_case_allocate"])
def test_it_is_right_and_leaves_nothing_out(op, step):
    found = {case.id: judged(DirectedWorstCase(), case) for case in [case for case in CASES if case.op == op][::step]}
    assert len(found) > 16 // step
    assert {name: judgement for name, judgement in found.items() if judgement.verdict not in GOOD} == {}


@pytest.mark.slow  # eight levels, each of a second
def test_the_budget_of_both_sides_at_all_times_is_close_and_safe():
    (case,) = [case for case in CASES if case.id == "worst-case-allocate-both-for-ever"]
    assert judged(DirectedWorstCase(), case).verdict in GOOD


@pytest.mark.parametrize("slope", [1.0, 3.0, 500.0])
@pytest.mark.parametrize("bend", [0.0, 0.11, 0.9])
def test_what_is_close_is_close_for_levels_with_a_bend(slope, bend):
    """Of a level that rises as its budget up to a bend, and then steeper, the greatest budget is known."""

    def level(epsilon):
        return epsilon + (slope - 1) * max(epsilon - bend, 0)

    found, greatest = directed_worst_case._closest(level, 1.0), bend + (1 - bend) / slope
    assert level(found) <= 1.0
    assert greatest * (1 - 2**-40) <= found <= greatest * (1 + 2**-50)


def leakages():
    return [judged(DirectedWorstCase(), case).verdict for case in CASES if case.op == "worst_case_leakage"]


@pytest.mark.parametrize(
    ("part", "mistake"),
    [
        ("_together", lambda before, after: max(before) * max(after) >> directed_worst_case.BITS),
        pytest.param(
            "_back",
            lambda rows, c, *bits: [directed_worst_case._dot(row, c, *bits) for row in rows],
            marks=pytest.mark.slow,
        ),
        pytest.param("_level", lambda epsilon, _ratio: epsilon, marks=pytest.mark.slow),
    ],
)
def test_a_mistake_is_found(monkeypatch, part, mistake):
    monkeypatch.setattr(directed_worst_case, part, mistake)
    assert not {*leakages()} <= {*GOOD}
