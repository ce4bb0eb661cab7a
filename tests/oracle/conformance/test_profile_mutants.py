"""Implementations of `leakage_profile` with a mistake each are caught, by vectors and by seeded cases alike."""

from functools import cache

import pytest

from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.ask.seeded import seeded_of_each
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Verdict
from tploracle.wire.protocol import FLOAT64

from .mistakes import BY_ID, Making, Mistaken

OP = "leakage_profile"
VECTORS = [case for case in load_vectors() if case.op == OP and case.numbers == FLOAT64]
MISTAKES = {
    "mirror-forgotten": Verdict.WRONG,
    "clamp-from-above": Verdict.WRONG,
    "kink-lost": Verdict.UNSAFE,
    "delta-once": Verdict.UNSAFE,
}


@cache
def seeded():
    """Return questions of every kind that are small."""
    asked = seeded_of_each(5, {OP: 300}, (FLOAT64,))
    small = [
        case for case in asked if 2 <= len(case.input.get("backward", ())) <= 4 and 2 <= case.input["horizon"] <= 4
    ]
    return small[:100]


def verdicts(implementation, cases):
    judge = Judge()
    return (judge.judge(case, implementation.ask(case.request(1))).verdict for case in cases)


def test_what_is_right_conforms():
    assert not any(verdict.fails for verdict in verdicts(Mistaken("", OP), [*VECTORS, *seeded()[:3]]))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_caught_by_the_vectors_with_its_flag(mistake):
    flagged = [case for case in VECTORS if {*BY_ID[mistake].flags} & {*case.flags}]
    assert MISTAKES[mistake] in verdicts(Making(mistake, OP), flagged)


@pytest.mark.exhaustive
@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_caught_by_seeded_cases(mistake):
    assert MISTAKES[mistake] in verdicts(Making(mistake, OP), seeded())
