"""Causes: each usual mistake is found in an implementation that makes it, and is named; nothing else is."""

import json
import re
from collections import Counter
from decimal import Decimal
from importlib.resources import files
from math import exp, expm1, inf, isfinite, log, log1p, nan, sqrt
from pathlib import Path

import numpy as np
import pytest

from tploracle.conformance.ask import run as conducted
from tploracle.conformance.ask.budget import QuestionBudget
from tploracle.conformance.ask.runner import Plan
from tploracle.conformance.ask.sizes import sizes_cases as sizes
from tploracle.conformance.explain import causes
from tploracle.conformance.explain.causes import clues_of
from tploracle.conformance.explain.groups import Explanation
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Failure, Judgement, Reply, Result, Run, Verdict
from tploracle.conformance.report.summary import summary_of
from tploracle.conformance.report.texts import deviation
from tploracle.mistakes.catalogue import CAUSES
from tploracle.mistakes.mistake import LEVEL_BELOW, Mistake, by_loss
from tploracle.mistakes.question import Point, supremum_of
from tploracle.output.formulas import in_dollars
from tploracle.wire.protocol import FLOAT64
from tploracle.wire.requests import Session
from tploracle.wire.strict_json import mapped
from usual_mistakes import UsualMistakes

from .made_runs import case, exact, result, unsafe
from .mistakes import BY_ID, MISTAKES, Making, Mistaken

IDS = [cause.id for cause in CAUSES]
LIMITS = {cause.id for cause in CAUSES if cause.beyond}
"""Causes that are read off many answers."""
GENERAL = {cause.id for cause in CAUSES if cause.is_general}
"""Causes that show on most inputs, and are read off all answers to an operation."""


def conducted_run(implementation, monkeypatch):
    """Return what a run comes to that asks each question once, as many seeded ones and sizes as the mistake needs."""

    def budget_of(_tier, operations, _questions):
        seeded, sizes = (dict.fromkeys(operations, number) for number in (implementation.seeded, implementation.sizes))
        return QuestionBudget(seeded, {"standard": sizes})

    def sizes_cases(*arguments):
        for one in sizes(*arguments):
            implementation.small[str(one.input)] = one.equivalent or one.input
            yield one

    monkeypatch.setattr(conducted, "budget_of", budget_of)
    monkeypatch.setattr(conducted, "sizes_cases", sizes_cases)
    for more in ("ask_related", "ask_again"):
        monkeypatch.setattr(conducted, more, lambda *_: None)
    run = Run("x", "standard", 0, 4096)
    conducted.run_cases(implementation, Plan(search=False), run)
    return summary_of(run)


def proven_by(failure):
    """Return the causes that give the answer of a failure."""
    clues = clues_of(failure)
    return [cause.id for cause in CAUSES if not cause.beyond and cause.parameters(clues)]


QUICK, SLOW = 18, 6
"""Every 18th mistake is found in the quick suite too, where each cause has its witness; some before a release alone."""


def marks_of(number, mistaken):
    """Return the marks of a mistake's test."""
    if not (mistaken.sizes or number % QUICK):
        return ()
    return pytest.mark.exhaustive if number % SLOW else pytest.mark.slow


@pytest.mark.parametrize(
    "mistaken",
    [pytest.param(one, marks=marks_of(number, one), id=str(one)) for number, one in enumerate(MISTAKES)],
)
def test_every_usual_mistake_is_found_and_named(mistaken, monkeypatch):
    summary = conducted_run(mistaken, monkeypatch)
    named = Counter({entry.cause.id if entry.cause else None: len(entry.members) for entry in summary.entries})
    assert named[mistaken.cause] > 0, named
    assert named.most_common(1)[0][0] == mistaken.cause, named
    if mistaken.cause not in LIMITS | GENERAL:  # there is an input on which no other cause gives that answer
        assert [mistaken.cause] in [proven_by(failure) for failure in summary.failing]
    if mistaken.sizes:  # nothing smaller is blamed, and what the sizes ask is
        assert all(one.case.source == "sizes" or "BeyondFiftyStates" in one.case.flags for one in summary.failing)
        assert any(one.case.source == "sizes" for one in summary.unsafe)


def test_a_mistake_is_one_entry(monkeypatch):
    """The recipe of CONTRIBUTING.md: it is named, and an implementation made of it is found."""
    half = Mistake(
        "half-the-level",
        "The loss at half the level is answered.",
        "Answer that at the level.",
        LEVEL_BELOW,
        by_loss(lambda side, alpha: side.loss(alpha / 2)),
        ("loss",),
    )
    monkeypatch.setattr(causes, "CAUSES", (*CAUSES, half))
    monkeypatch.setitem(BY_ID, half.id, half)
    named = [entry.cause.id for entry in conducted_run(Making(half.id, "loss"), monkeypatch).entries if entry.cause]
    assert named[0] == half.id


def asked(op, answer, **given):
    """Return what the judge says of an answer to a question in doubles: a number, an error's name, or none in time."""
    written = {key: _hex(value) for key, value in given.items()}
    question = case(f"{op}-it", op, given=written, numbers=FLOAT64)
    if answer is None:
        return Result(question, Judgement(Verdict.TIMED_OUT))
    error = {"error": {"name": answer, "message": ""}}
    reply = Reply({"seq": 1, **(error if isinstance(answer, str) and answer.isalpha() else {"value": _hex(answer)})})
    return Result(question, Judge().judge(question, reply))


def _hex(value):
    def of(part):
        return part if not isinstance(part, float) else part.hex() if isfinite(part) else str(part)

    return mapped(value, of)


HALF = [[0.5, 0.5], [0.25, 0.75]]
IDENTITY = [[1.0, 0.0], [0.0, 1.0]]
APART = [[0.5, 0.5], [0.0, 1.0]]
CHANGES = [[0.125, 0.28125, 0.5, 0.09375], [0.5, 0.125, 0.25, 0.125]] * 2
NEARLY_APART = [[0.5, 0.5], [2.0**-30, 1 - 2.0**-30]]
TIED = (
    [],
    [[9 / 16, 0.25, 3 / 16], [0.625, 0.25, 0.125], [0.625, 0.125, 0.25]],
    [[0.375, 0.125, 0.5], [9 / 16, 0.375, 1 / 16], [0.375, 5 / 16, 5 / 16]],
)
"""At e^45 the quotients of some pairs of rows are their greatest ratios, rounded."""
NEARLY_EQUAL = [[0.5, 0.5], [0.5 - 2.0**-40, 0.5 + 2.0**-40]]
CRITICAL = (0.0, log(2) - 1.1 * 2.0**-23, log(2) - 1.1 * 2.0**-24)
OVERTAKEN = [[0.375, 0.3125, 0.3125], [0.8125, 0.1875, 0.0], [0.3125, 0.3125, 0.375]]


def cancelled(q, d, epsilon):
    """Theorem 11 as printed, in doubles."""
    a = exp(epsilon)
    return log((sqrt(4 * d * a * (1 - q) + (d + q * a - 1) ** 2) + d + q * a - 1) / (2 * d))


@np.errstate(all="ignore")
def without_plus_one(k):
    """Return two releases under CHANGES by Algorithm 2 as printed."""
    return UsualMistakes().leakage([0.25 + 2.0**-9 * k, 0.25], np.array(CHANGES))


def critical(epsilon):
    """The second case of Theorem 11 as printed for q = 1/2, in doubles."""
    return log(exp(epsilon) / 2 / (1 - exp(epsilon) / 2))


def near_one(alpha):
    """e^L of NEARLY_EQUAL, in doubles."""
    return (0.5 * expm1(alpha) + 1) / ((0.5 - 2.0**-40) * expm1(alpha) + 1)


def after(releases, epsilon):
    """The last BPL of some releases under HALF, in the exact worst case."""
    given = {"backward": _hex(HALF), "epsilons": [epsilon.hex()] * releases}
    value = Session().answer("worst_case_leakage", given, 17, FLOAT64)
    return float(value["bpl"][-1]["upper"])


def smoothed_twice(s):
    """HALF, made more uniform twice."""
    less = 0.25 / (1 + 2 * s) ** 2
    return {"matrix": [[0.5, 0.5], [0.5 - less, 0.5 + less]]}


WITNESSES = {
    "rounding-at-each-step": lambda k: below(
        f"{k}", 1.0, 1.0 - k * 2.0**-43, ulps=-700 - 9 * k, op="leakage", given={"epsilons": ["1"] * (50 + k)}
    ),
    "rounding-of-decimals": lambda k: asked("loss", f"0.26274048744948890{k}234", matrix=HALF, alpha=1.0),
    "cancelling-root": lambda k: asked(
        "supremum", cancelled(0.5, 2.0**-30, 0.5 / k), matrix=NEARLY_APART, epsilon=0.5 / k
    ),
    "critical-denominator": lambda k: asked("supremum", critical(CRITICAL[k]), matrix=APART, epsilon=CRITICAL[k]),
    "absorption": lambda k: asked("loss", UsualMistakes().loss(np.array(TIED[k]), 45.0), matrix=TIED[k], alpha=45.0),
    "tiny-entries": lambda k: asked(
        "loss", log((expm1(35.0 + 5 * k) + 2) / 2), matrix=[[0.5, 0.5], [2.0**-40, 1 - 2.0**-40]], alpha=35.0 + 5 * k
    ),
    "log-near-one": lambda k: asked("loss", log(near_one(k)), matrix=NEARLY_EQUAL, alpha=float(k)),
    "ends-early": lambda k: asked("worst_case_supremum", after(2, k / 4), backward=HALF, epsilon=k / 4),
    "smoothed-twice": lambda k: asked(
        "smooth",
        smoothed_twice(1 / k),
        matrix=HALF,
        s=1 / k,
    ),
    "other-piece": lambda k: asked(
        "leakage", without_plus_one(k), backward=CHANGES, epsilons=[0.25 + 2.0**-9 * k, 0.25]
    ),
    "window-of-one": lambda k: asked(
        "composition", 0.1974498536053252 + k, backward=HALF, epsilons=[0.75, 0.5 * k], start=2, length=1
    ),
    "horizon-of-one": lambda k: asked(
        "allocate", {"epsilons": [0.5 * k, 0.5]}, alpha=1.0 * k, method="quantified", horizon=1
    ),
    "made-up-row": lambda k: asked(
        "reverse",
        {"backward": [IDENTITY[0], [1 / k, 1 - 1 / k]]},
        forward=[[1.0, 0.0]] * 2,
        initial=[0.5 / k, 1 - 0.5 / k],
    ),
    "no-budget": lambda k: asked("control", 0.25 * k, matrix=IDENTITY, previous=1.0 * k, cap=1.0 * k),
    "unchecked-input": lambda k: asked("loss", 0.5 * k, matrix=[[0.5, 0.25], [0.0, 1.0]], alpha=1.0 * k),
}
"""For each cause that no implementation of mistakes.py has, failures that it alone gives: one for each number."""


@pytest.mark.parametrize("cause", WITNESSES)
def test_each_other_cause_has_answers_that_it_alone_gives(cause):
    failures = [WITNESSES[cause](k) for k in (1, 2)]
    for failure in failures:
        assert failure.judgement.verdict.fails, failure.judgement
        assert proven_by(failure) == [cause], failure.judgement
    assert {*causes_of(failures)} == {cause}
    assert {*causes_of(failures[:1])} == {*causes_of(failures[:1] * 3)} == {cause if BY_ID[cause].proofs == 1 else None}


def test_every_cause_is_tried():
    assert {mistaken.cause for mistaken in MISTAKES} | {*WITNESSES} | LIMITS == {*IDS}
    assert len(IDS) == len(set(IDS))


def test_a_cause_is_not_named_where_another_gives_all_its_answers():
    both = asked("loss", 0.0, matrix=[[0.5, 0.5], [0.5 - 2.0**-52, 0.5 + 2.0**-52]], alpha=2.0**-60)
    assert len(proven_by(both)) > 1
    assert causes_of([both]) == [None]
    alone = []
    for factor in (1.1, 1.2):
        alpha = factor * 2.0**-40
        excess = exp(alpha) - 1
        alone.append(asked("loss", log1p(0.25 * excess / (0.25 * excess + 1)), matrix=HALF, alpha=alpha))
        assert proven_by(alone[-1]) == ["exp-minus-one"]
    assert {*causes_of([both, *alone])} == {"exp-minus-one"}
    assert {*causes_of([both, alone[0]])} == {None}


MATRICES = (HALF, APART, IDENTITY, [[0.75, 0.25], [0.5, 0.5]])
UNPROVEN = {
    "a factor": (lambda _alpha, right: 0.9 * right, "each answer is 0.9 of the truth"),
    "a shift": (lambda _alpha, right: right + 0.25, "each answer is the truth + 0.25"),
    "a square": (lambda _alpha, right: right * right, ""),
    "zero": (lambda _alpha, _right: 0.0, "each answer is 0"),
    "infinity": (lambda _alpha, _right: inf, "each answer is ∞"),
    "the input": (lambda alpha, _right: alpha, "each answer is a level of the input"),
    "a constant": (lambda _alpha, _right: 7.25, "each answer is 7.25"),
    "an error": (lambda _alpha, _right: "InternalError", ""),
    "NaN above 100": (lambda alpha, right: nan if alpha > 100 else right, ""),
    "an error for tiny levels": (lambda alpha, right: "InvalidLevel" if alpha < 1e-6 else right, ""),
}


@pytest.mark.parametrize("name", UNPROVEN)
def test_what_no_mistake_alone_gives_is_described_and_not_named(name):
    """By levels at which causes have their say: own maxima, tiny and large levels, ∞, and equal rows."""
    answers, shared = UNPROVEN[name]
    failing = []
    for matrix in MATRICES:
        for alpha in (2.0**-60, 2.0**-40, 0.5, 1.0, 10.0, 20.0, 40.0, 300.0, 710.0, 900.0):
            right = asked("loss", 0.0, matrix=matrix, alpha=alpha).judgement.numbers
            one = asked("loss", answers(alpha, right[0] if right else 0.0), matrix=matrix, alpha=alpha)
            failing += [one] if one.judgement.verdict.fails and one.judgement.failure is not Failure.ROUNDING else []
    assert len(failing) >= 8
    explanation = Explanation(failing, [])
    assert {*explanation.causes} == {None}
    assert all(shared in entry.shared for entry in explanation.entries())


def test_a_maximum_is_fixed_by_half_of_the_answers_and_confirmed_by_the_others():
    def capped(*maxima):
        for k, maximum in enumerate(maxima):
            d, growth = 2.0**-30 * (4 + k), expm1(maximum)
            matrix = [[0.25 + d, 0.75 - d], [d, 1 - d]]
            yield asked("loss", log1p(0.25 * growth / (d * growth + 1)), matrix=matrix, alpha=50.0 + 10 * k)

    assert {*causes_of(capped(9, 9, 9, 9))} == {"own-maximum"}
    assert {*causes_of(capped(9, 8, 7, 6))} == {None}


def test_unnamed_failures_stand_by_their_weight():
    named = [WITNESSES["cancelling-root"](k) for k in (1, 2)]
    worse = [below(f"a{n}", 2.0, 1.5 + n / 100, op="leakage", failure=named[0].judgement.failure) for n in range(5)]
    entries = Explanation([*named, *worse], []).entries()
    assert [entry.cause and entry.cause.id for entry in entries] == [None, "cancelling-root"]


def test_the_pair_of_the_first_step_is_blamed_only_where_another_rules_at_the_supremum():
    q, d, epsilon = 0.75, 0.25, 0.5
    matrix = [[q, 1 - q], [d, 1 - d]]
    right = cancelled(q, d, epsilon)
    assert "first-step-pair" not in proven_by(asked("supremum", right * (1 - 1e-6), matrix=matrix, epsilon=epsilon))
    assert "first-step-pair" not in proven_by(asked("supremum", right * (1 - 1e-13), matrix=matrix, epsilon=epsilon))


@pytest.mark.parametrize(("q", "d"), [(0.8, 0.1), (0.5, 0.25), (1.0, 0.5), (0.6, 0.0)])
@pytest.mark.parametrize("budget", [0.01, 0.3, 2.0])
def test_the_supremum_in_doubles_is_where_one_more_step_changes_nothing(q, d, budget):
    found = supremum_of(Point(q, d, q - d), budget)
    if q * exp(budget) >= 1 and d == 0:
        assert found == inf
    else:
        assert found == pytest.approx(log1p((q - d) * expm1(found) / (1 + d * expm1(found))) + budget, rel=1e-12)


def test_what_is_nearly_right_is_no_mistaken_answer():
    """An answer some units below the truth is as near to what a mistake gives that gives the truth here."""
    right = log1p(0.25 * expm1(1) / (0.25 * expm1(1) + 1))
    answer = below("a", right, right * (1 - 2.0**-46), alpha="1", matrix=[["1/2", "1/2"], ["1/4", "3/4"]])
    assert proven_by(answer) == []


def test_causes_do_not_depend_on_what_else_is_asked():
    failures, given = (
        [WITNESSES["cancelling-root"](k) for k in (1, 2)],
        {"matrix": [["1/2", "1/2"], ["1/4", "3/4"]], "epsilon": "1/2"},
    )
    passing = [exact(f"p{n}", op="supremum", given=given) for n in range(50)]
    assert {*causes_of(failures)} == {*causes_of(failures, passing)} == {"cancelling-root"}


@pytest.mark.parametrize("op", ["loss", "control", "worst_case_leakage"])
def test_what_conforms_has_no_cause(op, monkeypatch):
    summary = conducted_run(Mistaken("", op), monkeypatch)
    assert (summary.groups, summary.entries) == ((), ())


def below(name, truth, answered, ulps=-(10**15), failure=None, **asked):
    """Return a failure far below the truth."""
    return result(case(name, **asked), Verdict.UNSAFE, ulps, numbers=(truth, answered), failure=failure)


def causes_of(failing, passing=()):
    return [group.cause and group.cause.id for group in Explanation(failing, passing).groups()]


def test_a_neighbouring_piece_is_told_from_one_that_is_not_found():
    # Pieces 3/4, 1/4 up to log 7/3, then 3/8, 0: in the paper's example with a third row that never rules.
    matrix = [["1/2", "1/4", "1/4"], ["1/8", "7/8", "0"], ["3/8", "1/8", "1/2"]]

    def wrong(part):
        for alpha in (0.25, 0.5):
            growth = expm1(alpha)
            first, last = (log1p((q - d) * growth / (d * growth + 1)) for q, d in ((7 / 8, 1 / 8), (1 / 2, 0)))
            yield below(f"a{alpha}", first, part * last, matrix=matrix, alpha=str(alpha))

    assert {*causes_of(wrong(1))} == {"first-breakpoint"}
    assert {*causes_of(wrong(0.75))} == {None}


def test_rounding_at_each_step_is_a_matter_of_how_many_steps_there_are():
    def steps(ulps, number=50):
        return [
            below(f"a{k}", 1.0, 1.0 - k / 2**40, ulps=ulps - k, op="leakage", given={"epsilons": ["0.1"] * number})
            for k in (1, 2)
        ]

    assert {*causes_of(steps(-700))} == {"rounding-at-each-step"}
    assert {*causes_of(steps(-1700))} == {*causes_of(steps(-700, 1))} == {None}


@pytest.mark.parametrize(
    ("failing", "expected"), [(range(5, 9), "beyond-level"), (range(6, 8), None), (range(9), None)]
)
def test_a_level_beyond_which_all_is_wrong(failing, expected):
    asked = [case(f"c{n}", alpha=str(1 + n)) for n in range(9)]
    fails = [Result(asked[n], Judgement(Verdict.UNSAFE, -(10**15), numbers=(2.0, 1.0))) for n in failing]
    passes = [Result(asked[n], Judgement(Verdict.EXACT)) for n in range(9) if n not in failing]
    assert causes_of(fails, passes) == [expected]


def large(number, op="leakage", states=2, releases=2):
    """Return a question with these numbers of states and releases."""
    given = {"backward": [[f"1/{states}"] * states] * states, "epsilons": ["1"] * releases}
    return case(f"{op}-{states}-{releases}-{number}", op, given=given)


@pytest.mark.parametrize(
    ("sizes", "cause"),
    [
        ([(n, 2) for n in range(2, 30)], "beyond-states"),
        ([(2, releases) for releases in range(2, 30)], "beyond-releases"),
        ([(n, n) for n in range(2, 30)], None),
        ([(n, 2) for n in range(2, 12)], None),
    ],
)
def test_a_limit_is_named_where_one_sort_of_size_alone_tells_what_fails(sizes, cause):
    """From the eleventh on all fail: of both sizes at once, or of one or two failures only, nothing is proven."""
    asked_up = [large(k, states=n, releases=releases) for k, (n, releases) in enumerate(sizes)]
    fails = [Result(one, Judgement(Verdict.UNSAFE, -(10**15), numbers=(2.0, 1.9))) for one in asked_up[8:]]
    passes = [Result(one, Judgement(Verdict.EXACT)) for one in asked_up[:8]]
    assert {*causes_of(fails, passes)} == {cause}


def test_more_than_two_states():
    three = [["1/2", "1/4", "1/4"], ["1/8", "3/8", "1/2"], ["1/5", "1/5", "3/5"]]
    failing = [below(f"f{n}", 2.0, 1.0, op="supremum", given={"matrix": three, "epsilon": "1"}) for n in range(4)]
    two = [["1/2", "1/2"], ["1/4", "3/4"]]
    passing = [exact(f"p{n}", op="supremum", given={"matrix": two, "epsilon": "1"}) for n in range(6)]
    assert causes_of(failing, passing) == ["more-than-two-states"]


def test_an_implementation_that_is_wrong_everywhere_has_no_cause_on_its_large_levels():
    failing = [below(f"f{n}", float(n), 0.5, alpha=str(n), failure=Failure.FAR_BELOW) for n in range(2, 80, 3)]
    assert causes_of(failing, [exact("p", alpha="0")]) == [None]


@pytest.mark.parametrize(
    ("cause", "op", "given"),
    [
        ("correlation-ignored", "composition", lambda first, second: first + second),
        ("budgets-added", "leakage", lambda first, second: {"bpl": [first, first + second]}),
    ],
)
def test_what_is_wrong_on_nearly_every_input_is_named_and_not_otherwise(cause, op, given):
    failing = []
    for k, rows in enumerate((HALF, CHANGES, OVERTAKEN, [[0.75, 0.25], [0.5, 0.5]], [[0.5, 0.5], [0.125, 0.875]])):
        epsilons, answer = [0.5, 0.25 + k / 16, 0.125], given(0.5, 0.25 + k / 16)
        if op == "leakage":
            whole = sum(epsilons)
            answer = {"bpl": [*answer["bpl"], whole], "fpl": [whole, whole - 0.5, 0.125], "tpl": [whole] * 3}
        window = {"start": 1, "length": 2} if op == "composition" else {}
        failing.append(asked(op, answer, forward=rows, epsilons=epsilons, **window))
    assert all(one.judgement.verdict.fails for one in failing)
    assert {*causes_of(failing)} == {cause}
    assert cause not in causes_of(failing[1:])


@pytest.mark.parametrize("digits", [30, 40, 100])
def test_decimals_rounded_to_nearest_are_told_from_the_truth_that_is_printed(digits):
    given = {"matrix": [["1/2", "1/2"], ["1/4", "3/4"]], "alpha": "1"}
    answer = Session().answer("loss", given, digits)["lower"]
    failure = asked("loss", answer, matrix=HALF, alpha=1.0)
    lower, upper = re.fullmatch(r"(.*)\[(.*),(.*)\]", failure.judgement.truth).expand(r"\1\2 \1\3").split()
    assert Decimal(answer) < Decimal(lower) < Decimal(upper)
    assert re.fullmatch(rf"[0-9.]+e-0*({digits}|{digits + 1}) below, less than an ulp", deviation(failure.judgement))
    (entry,) = Explanation([failure], []).entries()
    assert entry.cause.id == "rounding-of-decimals"
    assert "nextafter" not in entry.cause.instead


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
    groups = Explanation(failing, []).groups()
    assert [(group.op, str(group.failure_class), len(group.members)) for group in groups] == [
        ("smooth", "finite where the truth is ∞", 1),
        ("loss", "0 where the truth is positive", 1),
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
    assert causes == [f"| `{cause.id}` | {in_dollars(cause.wrong)} | {in_dollars(cause.instead)} |" for cause in CAUSES]
    for number, failure in enumerate(Failure, 1):
        assert f"\n{number}. {failure.value}\n" in page
    assert f"\n{len(Failure) + 1}. " not in page


def test_the_schema_of_the_report_has_the_kinds_of_failures():
    schema = json.loads(files("tploracle.conformance").joinpath("report.schema.json").read_text())
    assert schema["$defs"]["failure"]["enum"] == [failure.value for failure in Failure]
