"""`make faults` and `make mutants EVIDENCE=yes`: the truths of the questions, and what counts as below them."""

import importlib
from fractions import Fraction
from math import inf

import pytest

from ..profiles import some
from . import asking, evidence, faults, questions
from .judging import KILLED, SURVIVED, TIMED_OUT, Records
from .operators import modules
from .test_mutants import SAMPLE

SLOWEST = ["six values", "twelve values", "supremum, six values", "profile of the last of 205 releases", "ledger"]
NAMES = [name for name in questions.QUESTIONS if name not in SLOWEST]


def test_there_are_forty_questions():
    assert len(questions.QUESTIONS) == 40
    assert set(questions.read_truths()) == set(questions.QUESTIONS)


@pytest.mark.parametrize("name", [*some(NAMES, 6), *(pytest.param(name, marks=pytest.mark.slow) for name in SLOWEST)])
def test_a_truth_is_that_of_the_reference_and_the_answer_is_right(name):
    truth = questions.read_truths()[name]
    stored = questions.computed(name)["numbers"]
    assert [(questions.end(low), questions.end(high)) for low, high in stored] == truth
    assert faults.answered(questions.QUESTIONS[name], truth) == faults.RIGHT


@pytest.mark.parametrize(
    ("answer", "of_leakage", "of_budget"),
    [
        (("0.999", "1"), faults.RIGHT, faults.LOOSE),
        (("1", "1.001"), faults.LOOSE, faults.RIGHT),
        (("0.9999999", "0.9999999"), f"{faults.BELOW}: below by 1e-07", faults.RIGHT),
        (("1.5", "2"), faults.LOOSE, f"{faults.BELOW}: above by 0.5"),
        (("1", "inf"), faults.LOOSE, faults.RIGHT),
    ],
)
def test_a_number_on_the_unsafe_side_is_below_the_truth(answer, of_leakage, of_budget):
    low, high = map(questions.end, answer)
    for is_budget, outcome in ((False, of_leakage), (True, of_budget)):
        asked = questions.Question(lambda: [(low, high)], "", list, is_budget)
        assert faults.answered(asked, [(Fraction(1), Fraction(1))]) == outcome


def test_what_is_no_number_is_named():
    def refuse(error):
        raise error

    truth = [(inf, inf)]
    for error, outcome in (
        (questions.Refused("Refuted"), faults.REFUTED),
        (questions.reference.Undecided("so"), f"{faults.REFUSED}: Undecided"),
        (ZeroDivisionError(), f"{faults.CRASHED}: ZeroDivisionError"),
    ):
        assert faults.answered(questions.Question(lambda error=error: refuse(error), "", list), truth) == outcome
    assert faults.answered(questions.Question(list, "", list), truth) == f"{faults.CRASHED}: 0 numbers"
    assert faults.worst(["right", "crash: 0 numbers", "timed out"]) == faults.CRASHED


def test_of_a_mutant_what_calls_it_is_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(asking, "LEAST_LIMIT", 0.2)
    (tmp_path / "sample_of_faults.py").write_text(SAMPLE)
    monkeypatch.syspath_prepend(tmp_path)

    def begin():
        sample = importlib.import_module("sample_of_faults")
        return {"clamp": lambda: str(sample.clamp(5)), "count": lambda: str(sample.count_down(3))}

    (module,) = modules(tmp_path)
    panel = asking.Panel(begin, {module.name: module}, Records(tmp_path / "build", "panel"), 2)
    found = panel.examine([mutant for mutant in module.mutants if mutant.function is not None])
    assert {name: one["outcome"] for name, one in panel.known.items()} == {"clamp": "3", "count": "0"}
    of = {mutant.partition(":")[2]: outcomes for mutant, outcomes in found.items()}
    assert of["clamp: if x > LIMIT -> if False"] == {"clamp": "5"}
    assert of["clamp: return x -> return None"] == {"clamp": "3"}
    assert of["count_down: n -= 1 -> pass"] == {"count": TIMED_OUT}
    assert of["refuse: raise ValueError -> pass"] == {}
    kept = {path: path.read_text() for path in (tmp_path / "build").iterdir()}
    assert panel.examine(module.mutants[2:]) == found
    assert {path: path.read_text() for path in (tmp_path / "build").iterdir()} == kept, "asked twice"


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
