"""Likely causes: each usual mistake is found in an implementation that makes it, and is named; nothing else is."""

import json
import sys
from collections import Counter
from importlib.resources import files
from math import expm1, inf, log1p, nan
from pathlib import Path

import pytest

from tploracle.conformance.ask import run as conducted
from tploracle.conformance.ask.budget import QuestionBudget
from tploracle.conformance.ask.implementation import ObjectImplementation
from tploracle.conformance.ask.runner import Plan
from tploracle.conformance.explain.causes import CAUSES
from tploracle.conformance.explain.groups import groups_of
from tploracle.conformance.model import Failure, Judgement, Reply, Result, Run, Verdict
from tploracle.conformance.report.summary import summary_of

from .made_runs import case, exact, result, unsafe

sys.path.append(str(Path(__file__).parents[3] / "examples" / "implementations"))

from .mistakes import MISTAKES, Hangs, Mistaken, TightlyMistaken

IDS = [cause.id for cause in CAUSES]
UNSHOWN = {
    "rounding-at-each-step",
    "other-piece",
    "no-budget",
    "unchecked-input",
    "infinite-level",
    "more-than-two-states",
    "beyond-level",
}
"""Causes that are tried below with failures made by hand."""


class Interruptible(ObjectImplementation):
    """An object that is interrupted where it would go on for ever."""

    def ask(self, request):
        reply = super().ask(request)
        if Hangs.__name__ in str(reply.answer.get("error")):
            return Reply(None, Verdict.TIMED_OUT, "no answer")
        return reply


def conducted_run(implementation, monkeypatch):
    """Return what a run comes to without its search, with as many seeded cases and sizes as the mistake needs."""

    def budget_of(_tier, operations, _questions):
        seeded, sizes = (dict.fromkeys(operations, number) for number in (implementation.seeded, implementation.sizes))
        return QuestionBudget(seeded, {"standard": sizes})

    monkeypatch.setattr(conducted, "budget_of", budget_of)
    run = Run("x", "standard", 0, 4096)
    conducted.run_cases(Interruptible(implementation), Plan(search=False), run)
    return summary_of(run)


@pytest.mark.parametrize("mistaken", MISTAKES, ids=lambda mistaken: mistaken.__name__)
def test_every_usual_mistake_is_found_and_named(mistaken, monkeypatch):
    summary = conducted_run(mistaken(), monkeypatch)
    named = Counter()
    for group in summary.groups:
        named[group.cause.id if group.cause else None] += len(group.members)
    assert named[mistaken.cause] > 0, named
    assert named.most_common(1)[0][0] == mistaken.cause, named
    if mistaken.sizes:  # nothing smaller is blamed, and what the sizes ask is
        assert all(one.case.source == "sizes" or "BeyondFiftyStates" in one.case.flags for one in summary.failing)
        assert any(one.case.source == "sizes" for one in summary.unsafe)


def test_every_cause_is_tried():
    assert {mistaken.cause for mistaken in MISTAKES} | UNSHOWN == set(IDS)
    assert len(IDS) == len(set(IDS))


class Right(Mistaken):
    operations = ("loss", "control")


@pytest.mark.parametrize("right", [Right, TightlyMistaken], ids=lambda right: right.__name__)
def test_what_conforms_has_no_cause(right, monkeypatch):
    """The halving in doubles that the mistaken ones spoil is no mistake by itself."""
    assert conducted_run(right(), monkeypatch).groups == ()


def below(name, truth, given, **more):
    """Return a failure far below the truth."""
    more = {"verdict": Verdict.UNSAFE, "ulps": -(10**15), **more}
    asked = {key: more.pop(key) for key in ("op", "given_input", "matrix", "alpha") if key in more}
    if "given_input" in asked:
        asked["given"] = asked.pop("given_input")
    verdict, ulps = more.pop("verdict"), more.pop("ulps")
    return result(case(name, **asked), verdict, ulps, numbers=(truth, given), **more)


def causes_of(failing, passing=()):
    return [group.cause and group.cause.id for group in groups_of(failing, passing)]


def test_a_neighbouring_piece_is_told_from_one_that_is_not_found():
    # Pieces 3/4, 1/4 up to log 7/3, then 3/8, 0: in the paper's example with a third row that never rules.
    matrix = [["1/2", "1/4", "1/4"], ["1/8", "7/8", "0"], ["3/8", "1/8", "1/2"]]
    first, last = (log1p((q - d) * expm1(1) / (d * expm1(1) + 1)) for q, d in ((7 / 8, 1 / 8), (1 / 2, 0)))
    assert causes_of([below("a", first, last, matrix=matrix)]) == ["first-breakpoint"]
    assert causes_of([below("a", first, first / 2, matrix=matrix)]) == [None]


def test_rounding_at_each_step_is_a_matter_of_how_many_steps_there_are():
    steps = {"op": "leakage", "given_input": {"epsilons": ["0.1"] * 50}}
    assert causes_of([below("a", 1.0, 1.0, ulps=-700, **steps)]) == ["rounding-at-each-step"]
    assert causes_of([below("a", 1.0, 1.0, ulps=-1700, **steps)]) == [None]
    assert causes_of([below("a", 1.0, 1.0, ulps=-700)]) == [None]


@pytest.mark.parametrize(("due", "cause"), [("InfeasibleBudget", "no-budget"), ("InvalidRequest", None)])
def test_a_budget_where_there_is_none(due, cause):
    given = {"alpha": "1", "method": "upper-bound"}
    mismatch = Judgement(Verdict.ERROR_MISMATCH, failure=Failure.VALUE_FOR_ERROR, which=(due, "value"), given="1e-9")
    assert causes_of([Result(case("a", "allocate", given=given), mismatch)]) == [cause]


def test_inputs_that_are_not_checked():
    mismatch = Judgement(Verdict.ERROR_MISMATCH, failure=Failure.VALUE_FOR_ERROR, which=("NotStochastic", "value"))
    failing = [Result(case(f"f{n}", matrix=[["1/2", "1/4"], ["0", "1"]]), mismatch) for n in range(3)]
    assert causes_of(failing, [exact(f"p{n}") for n in range(9)]) == ["unchecked-input"]


def test_infinite_levels():
    failing = [
        below(f"f{n}", inf, nan, alpha="inf", verdict=Verdict.WRONG, ulps=None, failure=Failure.NAN) for n in range(3)
    ]
    assert causes_of(failing, [exact(f"p{n}") for n in range(9)]) == ["infinite-level"]
    assert causes_of(failing, []) == ["infinite-level"]


@pytest.mark.parametrize(
    ("failing", "expected"), [(range(5, 9), "beyond-level"), (range(6, 8), None), (range(9), None)]
)
def test_a_level_beyond_which_all_is_wrong(failing, expected):
    asked = [case(f"c{n}", alpha=str(1 + n)) for n in range(9)]
    fails = [Result(asked[n], Judgement(Verdict.UNSAFE, -(10**15), numbers=(2.0, 1.0))) for n in failing]
    passes = [Result(asked[n], Judgement(Verdict.EXACT)) for n in range(9) if n not in failing]
    assert causes_of(fails, passes) == [expected]


def test_more_than_two_states():
    three = [["1/2", "1/2", "0"], ["1/4", "3/4", "0"], ["1", "0", "0"]]
    failing = [below(f"f{n}", 2.0, 1.0, op="supremum", given_input={"matrix": three, "epsilon": "1"}) for n in range(4)]
    passing = [exact(f"p{n}", op="supremum", given={"matrix": three[:2], "epsilon": "1"}) for n in range(6)]
    assert causes_of(failing, passing) == ["more-than-two-states"]


def test_an_implementation_that_is_wrong_everywhere_has_no_cause_on_its_large_levels():
    failing = [below(f"f{n}", float(n), 0.5, alpha=str(n), failure=Failure.FAR_BELOW) for n in range(2, 80, 3)]
    assert causes_of(failing, [exact("p", alpha="0")]) == [None]


def test_groups_are_ranked_by_harm_over_all_operations():
    failing = [
        *(unsafe(f"r{n}", -1, op=op) for n, op in enumerate(("loss", "supremum", "loss"))),
        result(case("slow"), Verdict.TIMED_OUT),
        result(case("far"), Verdict.WRONG, 10**9),
        unsafe("small", -100),
        result(case("nan"), Verdict.WRONG, failure=Failure.NAN),
        unsafe("zero", -(2**53), failure=Failure.ZERO),
        unsafe("endless", None, op="smooth"),
    ]
    groups = groups_of(failing, [])
    assert [(group.op, str(group.failure_class), len(group.members)) for group in groups] == [
        ("smooth", "finite where the truth is ∞", 1),
        ("loss", "0 where the truth is above", 1),
        ("loss", "below the truth", 1),
        ("loss", "NaN", 1),
        ("loss", "timed out", 1),
        ("loss", "too far on the safe side", 1),
        ("all", "rounds to nearest", 3),
    ]
    assert groups[-1].cause is not None
    assert "nextafter" in groups[-1].cause.instead


def test_the_page_has_the_tables_of_the_code():
    page = (Path(__file__).parents[3] / "docs" / "conformance.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `") and line.count("|") == 4]
    causes = [row for row in rows if row.split("`")[1] in IDS]
    assert causes == [f"| `{cause.id}` | {cause.wrong} | {cause.instead} |" for cause in CAUSES]
    for number, failure in enumerate(Failure, 1):
        assert f"\n{number}. {failure.value}\n" in page
    assert f"\n{len(Failure) + 1}. " not in page


def test_the_schema_of_the_report_has_the_kinds_of_failures():
    schema = json.loads(files("tploracle.conformance").joinpath("report.schema.json").read_text())
    assert schema["$defs"]["failure"]["enum"] == [failure.value for failure in Failure]
