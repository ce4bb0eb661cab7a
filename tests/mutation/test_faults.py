"""`make faults` and `make mutants EVIDENCE=yes`: the truths of the questions, and what counts as below them."""

from fractions import Fraction

import pytest

from ..profiles import some
from . import evidence, faults, questions
from .__main__ import KILLED, SURVIVED
from .asking import TIMED_OUT

SLOWEST = {
    *("six values", "twelve values", "supremum, six values", "profile of the last of 205 releases", "ledger"),
    *("levels at a delta, both sides", "supremum at a delta"),
}
QUICK = some([name for name in questions.OTHERS if name not in SLOWEST], 4)


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in sorted(SLOWEST))]
)
def test_a_truth_is_that_of_the_reference_and_the_answer_is_right(name):
    truth = questions.read_truths()[name]
    assert [(questions.end(low), questions.end(high)) for low, high in questions.computed(name)] == truth
    assert questions.compared(questions.OTHERS[name], truth) == faults.RIGHT


def test_answers_to_vectors_are_right():
    asked = questions.asked_of([faults.VECTORS])
    assert len(asked) > 200
    assert {ask() for ask in list(asked.values())[::10]} == {faults.RIGHT}


@pytest.mark.parametrize(
    ("answer", "of_leakage", "of_budget"),
    [
        (("0.999", "1"), faults.RIGHT, faults.LOOSE),
        (("1", "1.001"), faults.LOOSE, faults.RIGHT),
        (("0.9999999", "0.9999999"), faults.BELOW, faults.RIGHT),
        (("1.5", "2"), faults.LOOSE, faults.BELOW),
        (("1", "inf"), faults.LOOSE, faults.RIGHT),
    ],
)
def test_a_number_on_the_unsafe_side_is_below_the_truth(answer, of_leakage, of_budget):
    low, high = map(questions.end, answer)
    for is_budget, outcome in ((False, of_leakage), (True, of_budget)):
        asked = questions.Question(lambda: [(low, high)], list, is_budget)
        assert questions.compared(asked, [(Fraction(1), Fraction(1))]) == outcome


def test_what_is_no_number_is_named():
    def ask(error):
        raise error

    for error, outcome in (
        (questions.Refused("Refuted"), faults.REFUTED),
        (questions.reference.Undecided("so"), f"{faults.REFUSED}: Undecided"),
        (ZeroDivisionError(), f"{faults.CRASHED}: ZeroDivisionError"),
    ):
        assert faults.answered(lambda error=error: ask(error)) == outcome
    assert faults.worst(["right", "crash: ValueError", "timed out"]) == faults.CRASHED


def test_evidence_that_notices_a_mutant():
    sound = {"one": {"outcome": '[true, [["C", "HOLDS"]], "found", "of 3"]'}}
    for outcome, kind in (
        ('[true, [["C", "HOLDS"]], "found", "of 3"]', SURVIVED),
        ('[true, [["C", "HOLDS"]], "found", "of 4"]', evidence.REPORTED),
        ('[true, [["C", "FALSE"]], "found", "of 3"]', KILLED),
        ('[false, [], null, ""]', KILLED),
        ("crash: KeyError", KILLED),
        (TIMED_OUT, TIMED_OUT),
    ):
        assert evidence.verdict({"one": outcome}, sound) == kind
    assert evidence.verdict({}, sound) == evidence.NOT_COVERED
