"""Doubles compared with the exact values: each distance again in mpmath; each hazard where it shows, and where not."""

import re
from fractions import Fraction
from functools import partial
from math import inf, log, nextafter, ulp
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.auditing import measurements
from tploracle.auditing.comparison import (
    ORDINARY,
    Comparison,
    Measurement,
    Reading,
    compare,
    double_text,
    ulps_between,
    worst,
)
from tploracle.auditing.hazards import Hazard, KnownMatrix, hazards, user_hazards
from tploracle.auditing.measurements import (
    ALGORITHM_1,
    ASKED,
    BISECTION,
    CAREFUL,
    FIRST_STEP_PAIR,
    ITERATION,
    PRINTED_LOOP,
    RECURSION,
    RIGHT_PAIR,
    ROUNDED_MATRIX,
    boundary_budgets,
    critical_budget,
    hazardous_alphas,
    measure_user,
)
from tploracle.auditing.structure import structure
from tploracle.proofs_checks.in_doubles import AnswerKind, DoubleAnswer, algorithm_1, attempt, entries_of, pairs_of
from tploracle.reference import (
    ZERO,
    Adversary,
    Level,
    TransitionMatrix,
    loss_function,
    parse_level,
    strongest,
)

from ... import recursions
from ...in_mpmath import loss as exact_loss
from ...matrices import MODERATE, ONE_STATE, PAPER_L, TWO_PIECES, UNCORRELATED
from ...strategies import of_one_size

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
TIES = TransitionMatrix.of([["3/10", "3/10", "3/10", "1/10"], ["1/10", "1/10", "1/10", "7/10"], *[["1/4"] * 4] * 2])
DYADIC = TransitionMatrix.of([["1/2", "1/2"], ["1/4", "3/4"]])
NEAR = TransitionMatrix.of([[HALF + Fraction(1, 2**40), HALF - Fraction(1, 2**40)], [HALF, HALF]])
TOO_NEAR = TransitionMatrix.of([[THIRD + Fraction(1, 10**20), 2 * THIRD - Fraction(1, 10**20)], [THIRD, 2 * THIRD]])
TINY = TransitionMatrix.of([["1e-320", f"{1 - Fraction(1, 10**320)}"], ["1/2", "1/2"]])
VANISHING = TransitionMatrix.of([["1e-400", f"{1 - Fraction(1, 10**400)}"], ["1/2", "1/2"]])
IDENTITY = strongest(3)

TENTH = parse_level("0.1")
DIGITS = 120


def measured_in(matrix, epsilon="0.1", curve=()):
    return measurements.measure_matrix(loss_function(matrix), parse_level(epsilon), curve)


def found_in(matrix, epsilon="0.1"):
    level = parse_level(epsilon)
    known = KnownMatrix(structure(matrix), loss_function(matrix), measured_in(matrix, epsilon), level)
    return {hazard.name: hazard for hazard in hazards(known)}


def of_user(backward, forward=None, epsilon="0.1", steps=10, alpha="1"):
    known = [None if matrix is None else loss_function(matrix) for matrix in (backward, forward)]
    found = measure_user(Adversary(*known), [parse_level(epsilon)] * steps, parse_level(alpha))
    return found, {hazard.name: hazard for hazard in user_hazards(found)}


def assert_compares(comparison, truth, budget=False):
    """Assert that the comparison says of its value what mpmath says. Args: truth, an mpf; None for infinity."""
    value = comparison.answer.value
    if value is None:
        assert (comparison.order, comparison.ulps, comparison.unsafe) == (None, None, False)
        return
    if truth is None:
        assert comparison.order == (0 if value == inf else -1)
        assert comparison.unsafe == (value != inf)
        return
    difference = mp.mpf(value) - truth
    if abs(difference) < mp.mpf(10) ** (10 - DIGITS) * abs(truth):
        difference = mp.mpf(0)
    assert comparison.order == mp.sign(difference)
    assert comparison.unsafe == (difference > 0 if budget else difference < 0)
    if difference and truth and value != inf:
        expected = mp.ceil(abs(difference) / mp.mpf(ulp(float(truth)))) * mp.sign(difference)
        assert comparison.ulps == expected


@pytest.mark.parametrize(
    "matrix", [PAPER_L, MODERATE, TWO_PIECES, TIES, UNCORRELATED, NEAR, TOO_NEAR, VANISHING, IDENTITY]
)
def test_distances_of_losses_again(matrix):
    found = measured_in(matrix, curve=[1e-15, 0.3, 1000.0])
    with mp.workdps(DIGITS):
        for measurement in (*found.losses, *found.rounded, *found.curve):
            truth = exact_loss(matrix, mp.mpf(measurement.given))
            assert measurement.name == "α"
            for comparison in measurement.comparisons.values():
                assert_compares(comparison, truth)


@pytest.mark.parametrize(
    ("matrix", "epsilon"),
    [(PAPER_L, "0.1"), (MODERATE, "0.1"), (MODERATE, "1"), (TWO_PIECES, "log(2)"), (TOO_NEAR, "1"), (IDENTITY, "0.1")],
)
def test_distances_of_suprema_again(matrix, epsilon):
    found = measured_in(matrix, epsilon)
    assert ASKED in {measurement.note for measurement in found.suprema}
    with mp.workdps(DIGITS):
        points = recursions.rounded(recursions.points(matrix))
        for measurement in found.suprema:
            excess = recursions.fixed_point(points, mp.expm1(mp.mpf(measurement.given)))
            truth = None if excess is None else mp.log1p(excess)
            for comparison in measurement.comparisons.values():
                assert_compares(comparison, truth)


@pytest.mark.parametrize(("backward", "forward"), [(PAPER_L, None), (None, MODERATE), (TWO_PIECES, TIES), (NEAR, NEAR)])
def test_distances_of_schedules_and_budgets_again(backward, forward):
    given = [0.1, 0.4, 0.2, 0.05]
    backward, forward = of_one_size(backward, forward)
    losses = [None if matrix is None else loss_function(matrix) for matrix in (backward, forward)]
    found = measure_user(Adversary(*losses), [Level.of(Fraction(epsilon)) for epsilon in given], parse_level("1"))
    matrices = {"BPL": backward, "FPL": forward}
    with mp.workdps(DIGITS):
        known = {kind: recursions.rounded(recursions.points(m)) for kind, m in matrices.items() if m is not None}
        for measurement in found[:-1]:
            ordered = given if measurement.note == "BPL at the last of 4 releases" else given[::-1]
            *_, excess = recursions.leakages(
                known[measurement.note[:3]], [mp.expm1(mp.mpf(epsilon)) for epsilon in ordered]
            )
            assert_compares(measurement.comparisons[RECURSION], mp.log1p(excess))

        points_b, points_f = (known.get(kind, []) for kind in ("BPL", "FPL"))
        first, _ = recursions.first_and_last(points_b, points_f, mp.expm1(1))
        middle = recursions.minus(first, recursions.loss(points_b, first))
        assert_compares(found[-1].comparisons[BISECTION], mp.log1p(middle), budget=True)
    assert [measurement.name for measurement in found] == ["T"] * len(known) + ["α"]


# One comparison

number, endless = partial(DoubleAnswer, AnswerKind.NUMBER), partial(DoubleAnswer, AnswerKind.ENDLESS)


@given(st.floats(1e-300, 1e8), st.integers(-5, 5))
@example(1.0, 0)
@example(2.0**-40, -1)
def test_units_in_the_last_place_of_a_double(value, steps):
    moved = value
    for _ in range(abs(steps)):
        moved = nextafter(moved, inf if steps > 0 else 0.0)
    comparison = compare(number(moved), Level.of(Fraction(value)))
    assert comparison.order == (steps > 0) - (steps < 0)
    assert comparison.unsafe == (steps < 0)
    # Below a power of two the doubles are twice as dense.
    assert comparison.ulps in ({steps} if steps >= 0 else {steps, -((1 - steps) // 2)})


def test_a_distance_next_to_a_whole_number_is_told():
    # log(2) to 60 digits and one double less of it: the distance is 1 ulp and a bit beyond the 40th digit, or not.
    level = parse_level("log(2)")
    below = Fraction(level.enclosure(60).lower) - Fraction(ulp(0.69))
    assert ulps_between(below, level) == 2
    assert ulps_between(below + Fraction(1, 10**59), level) == 1


@pytest.mark.parametrize(
    ("answer", "truth", "budget", "text", "short"),
    [
        (number(1.0), "1", False, "exact", "exact"),
        (number(1 + 2**-52), "1", False, "1 ulp above", "+1"),
        (number(1 + 2**-52), "1", True, "1 ulp above, UNSAFE", "+1 UNSAFE"),
        (number(1 - 2**-51), "1", False, "2 ulps below, UNSAFE", "−2 UNSAFE"),
        (number(1 - 2**-51), "1", True, "2 ulps below", "−2"),
        (number(1.5), "1", False, "2.3e15 ulps above", "+2.3e15"),
        (number(0.0), "0", False, "exact", "exact"),
        (number(1e-17), "0", False, "above 0, the truth", "above 0"),
        (number(-1e-17), "0", True, "below 0, the truth", "below 0"),
        (number(inf), "1", False, "infinite where the truth is finite", "infinite"),
        (number(7.0), "inf", False, "finite where the truth is infinite, UNSAFE", "finite UNSAFE"),
        (number(inf), "inf", False, "exact", "exact"),
        (DoubleAnswer(AnswerKind.NAN), "1", False, "nan", "nan"),
        (endless(1 - 2**-51), "1", False, "no end (cut off: 2 ulps below, UNSAFE)", "no end (−2 UNSAFE)"),
        (DoubleAnswer(AnswerKind.ENDLESS), "1", False, "no end", "no end"),
    ],
)
def test_words_for_an_outcome(answer, truth, budget, text, short):
    comparison = compare(answer, parse_level(truth), budget)
    assert (str(comparison), comparison.short) == (text, short)


def test_what_exceeds_rounding():
    def comparison(kind, order, ulps):
        return Comparison(DoubleAnswer(kind, None), order, ulps, unsafe=False)

    outcomes = [(0, 0), (-1, -64), (-1, -65), (1, None)]
    assert [comparison(AnswerKind.NUMBER, *one).exceeds(64) for one in outcomes] == [False, False, True, True]
    assert comparison(AnswerKind.ENDLESS, 0, 0).exceeds(64)
    assert comparison(AnswerKind.NAN, None, None).exceeds(64)


def test_doubles_in_few_digits():
    doubles = {0.0: "0", 1e6: "1e+06", 710.0: "710", 0.1: "0.1", 1e-12: "1e-12", log(13 / 3): repr(log(13 / 3))}
    assert {x: double_text(x) for x in doubles} == doubles


def test_the_worst_come_first():
    def measured(kind, ulps, unsafe):
        comparison = Comparison(DoubleAnswer(kind, 1.0), None if ulps is None else 1, ulps, unsafe)
        return Reading(Measurement("α", 1.0, ZERO, {"method": comparison}), "method")

    each = [
        measured(AnswerKind.NUMBER, 5, False),
        measured(AnswerKind.NUMBER, -3, True),
        measured(AnswerKind.NAN, None, False),
        measured(AnswerKind.NUMBER, -30, True),
    ]
    assert worst(each, most=4) == (each[3], each[1], each[2], each[0])
    assert worst(each) == (each[3], each[1], each[2])


# What is tried


def test_levels_and_budgets_that_are_tried():
    loss = loss_function(PAPER_L)
    alphas = hazardous_alphas(loss)
    assert list(alphas) == sorted(alphas)
    assert {0.0, 1e-12, 40.0, 710.0, 1e6} <= set(alphas)
    below, above = (alpha for alpha, note in alphas.items() if "breakpoint 1" in note)
    ratio = Level.of_ratio(Fraction(13, 3))
    assert Level.of(Fraction(below)) < ratio < Level.of(Fraction(above))
    assert above == nextafter(below, inf)
    assert boundary_budgets(None) == boundary_budgets(ZERO) == {}
    budgets = list(boundary_budgets(Level.of_ratio(Fraction(5, 4))))
    assert budgets == sorted(budgets)
    assert [Level.of(Fraction(b)) < Level.of_ratio(Fraction(5, 4)) for b in budgets] == [True, True, False, False]
    assert budgets[0] / log(5 / 4) == pytest.approx(1 - 1e-12, abs=1e-15)


@pytest.mark.parametrize(
    ("matrix", "critical"),
    [(MODERATE, "log(5/4)"), (TWO_PIECES, "log(5/2)"), (IDENTITY, "0"), (PAPER_L, None), (UNCORRELATED, None)],
)
def test_the_critical_budget(matrix, critical):
    found = critical_budget(loss_function(matrix))
    assert found == (None if critical is None else parse_level(critical))
    # The greatest mass of a row in the columns that another row lacks, by hand over all pairs.
    lone = max(
        sum((q for q, d in zip(one, other, strict=True) if d == 0), Fraction(0))
        for one in matrix.rows
        for other in matrix.rows
    )
    assert (found is None) == (lone == 0)
    assert found is None or found.ratio == 1 / lone


def test_what_is_left_out(monkeypatch):
    assert measured_in(PAPER_L).left_out == ()
    monkeypatch.setattr(measurements, "MOST_PAIRS", 5)
    monkeypatch.setattr(measurements, "MOST_ROUNDED_STATES", 2)
    monkeypatch.setattr(measurements, "MOST_BREAKPOINTS", 0)
    found = measured_in(PAPER_L)
    assert found.rounded is None
    assert len(found.left_out) == 3
    assert "2 of 6 pairs" in found.left_out[0]
    assert not any("breakpoint" in measurement.note for measurement in found.losses)


def test_the_curve_of_many_pairs_is_of_those_that_rule(monkeypatch):
    loss = loss_function(TIES)
    every = pairs_of(entries_of(TIES))
    answers = [attempt(partial(algorithm_1, pairs, 100.0)) for pairs in (every, measurements.ruling_pairs(loss))]
    assert answers[0] != answers[1]
    assert measured_in(TIES, curve=[100.0]).curve[0].comparisons[ALGORITHM_1].answer == answers[0]
    monkeypatch.setattr(measurements, "MOST_CURVE_PAIRS", 11)
    assert measured_in(TIES, curve=[100.0]).curve[0].comparisons[ALGORITHM_1].answer == answers[1]


def test_no_supremum_is_tried_where_there_is_no_formula():
    assert (
        measured_in(ONE_STATE).suprema == measured_in(PAPER_L, "0").suprema == measured_in(PAPER_L, "inf").suprema == ()
    )
    assert of_user(PAPER_L, epsilon="inf", alpha="0")[0] == ()


# Hazards


def assert_measured(hazard: Hazard):
    assert hazard.facts or hazard.measured
    assert hazard.unsafe == any(each.comparison.unsafe for each in hazard.measured)


SHOWN = {
    "small-levels": (MODERATE, UNCORRELATED),
    "near-equal-rows": (NEAR, MODERATE),
    "last-column-leaves": (DYADIC, IDENTITY),
    "overflow": (MODERATE, ONE_STATE),
    "division-by-zero": (MODERATE, PAPER_L),
    "endless-algorithm-1": (PAPER_L, IDENTITY),
    "transition-points": (TIES, MODERATE),
    "entries-rounded": (PAPER_L, DYADIC),
    "underflow": (TINY, PAPER_L),
    "closed-form": (UNCORRELATED, PAPER_L),
    "divergence": (MODERATE, PAPER_L),
    "iteration": (IDENTITY, ONE_STATE),
    "rounding": (PAPER_L, UNCORRELATED),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_hazard_shows_on_one_matrix_and_not_on_another(name):
    shown, not_shown = SHOWN[name]
    assert_measured(found_in(shown)[name])
    assert name not in found_in(not_shown)


def test_every_hazard_is_in_the_docs():
    page = (Path(__file__).parents[3] / "docs" / "audit.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([a-z][a-z0-9-]+)` \|", page, re.MULTILINE))
    assert named == {*SHOWN, "first-step-pair", "recursion", "bisection"}


def test_first_step_pair():
    found = found_in(TWO_PIECES, "log(2)")["first-step-pair"]
    (measured,) = found.measured
    assert "gives" not in str(found.repaired[0])
    # The first step's pair gives 1.3327, the supremum is log 6.
    assert measured.comparison.answer.value == pytest.approx(1.3327, abs=1e-4)
    assert float(measured.measurement.truth.enclosure(9).upper) == pytest.approx(log(6), abs=1e-7)
    assert found.unsafe
    assert [each.method for each in found.repaired] == [RIGHT_PAIR]
    assert "first-step-pair" not in found_in(TWO_PIECES, "0.1")
    assert "gives 1.33271 for 1.79176" in str(measured)


def test_no_hazard_at_all():
    assert found_in(ONE_STATE) == {}
    assert of_user(ONE_STATE)[1] == {}
    assert set(found_in(UNCORRELATED)) == {"overflow", "closed-form"}


def test_the_cause_is_told_apart():
    # Where the entries themselves are lost no formula helps, and nothing else is blamed for it.
    found = found_in(TOO_NEAR)
    assert {"near-equal-rows", "entries-rounded"} <= set(found)
    assert not {"small-levels", "last-column-leaves"} & set(found)
    assert found["near-equal-rows"].repaired == ()
    (repaired,) = found_in(NEAR)["near-equal-rows"].repaired
    assert repaired.method == CAREFUL
    assert not repaired.comparison.exceeds(64)


def test_what_is_only_nearly_the_matter():
    # The rows are near enough for Algorithm 1 to lose digits at α = 0.1, which is the level's fault, but not at α = 1.
    alike = TransitionMatrix.of([["1/2", "1/2"], ["19/40", "21/40"]])
    assert "near-equal-rows" not in found_in(alike)
    # A column without any mass is nobody's division by zero.
    assert "division-by-zero" not in found_in(TransitionMatrix.of([["1", "0"], ["1", "0"]]))
    # Doubles that sum to 1 and have lost what tells the rows apart.
    merged = TransitionMatrix(
        ((Fraction(1, 2) + Fraction(1, 10**20), Fraction(1, 2) - Fraction(1, 10**20)), (Fraction(1, 2), Fraction(1, 2)))
    )
    hazard = found_in(merged)["entries-rounded"]
    assert hazard.facts == ("2 of 4 entries are not doubles",)
    assert hazard.unsafe
    # The first step's pair is (0, 0) there: it has no answer, which is not too small a one.
    found = found_in(TOO_NEAR)
    assert "first-step-pair" not in found
    assert [each.method for each in found["closed-form"].measured] == [FIRST_STEP_PAIR]


def test_ties_beside_a_column_without_mass():
    little = Fraction(1, 10**18)
    tied, rest = [Fraction(3, 10)] * 3, [Fraction(1, 10)] * 3
    rows = [
        (little, *tied, Fraction(1, 10) - little),
        (Fraction(0), *rest, Fraction(7, 10)),
        *[(Fraction(1, 5),) * 5] * 3,
    ]
    (fact,) = found_in(TransitionMatrix(tuple(rows)))["transition-points"].facts
    assert "first of rows 1/2 at place" in fact
    assert fact.endswith("columns 2 and 3 have the same q_j/d_j")


def test_facts_name_the_place():
    assert found_in(MODERATE)["division-by-zero"].facts == (
        "rows 1/2, column 1: 0.8/0.0 is division by zero in Python, inf with a warning in numpy",
    )
    assert "columns 1 and 2 have the same q_j/d_j" in found_in(TIES)["transition-points"].facts[0]
    assert found_in(MODERATE)["divergence"].facts == ("the boundary is ε = log(5/4)",)
    measured = found_in(MODERATE, "0.22314355131")["divergence"].measured
    assert [each for each in measured if "boundary" not in each.measurement.note] == []
    near = found_in(MODERATE, "0.22314355131")["divergence"].facts[1]
    assert near == "the requested budget is within a relative distance of 1.89E-11 of it"
    assert found_in(NEAR)["near-equal-rows"].facts[0].startswith("no two rows are further apart than 2 and 1")
    assert found_in(TINY)["underflow"].facts == ("0 positive entries become 0, 1 subnormal",)
    assert found_in(VANISHING)["underflow"].facts == ("1 positive entries become 0, 0 subnormal",)
    (measured,) = [each for each in found_in(VANISHING)["underflow"].measured if each.measurement.given == 1e6]
    assert measured.method == ROUNDED_MATRIX
    assert measured.comparison.ulps > 10**15
    first = found_in(PAPER_L)["endless-algorithm-1"].facts[0]
    assert "first at α = 1, rows 3/1: column 2 leaves" in first


def test_why_the_closed_form_fails():
    assert "q = d = 0" in found_in(UNCORRELATED)["closed-form"].why
    assert "small 2d" in found_in(TINY, "0.4")["closed-form"].why
    assert "1 − q·e^ε" in found_in(MODERATE, "0.22314355131420971")["closed-form"].why


def test_rounding_counts_what_is_below():
    found = measured_in(DYADIC)
    near = [
        comparison
        for measurement, method, comparison in found.comparisons()
        if method not in (PRINTED_LOOP, FIRST_STEP_PAIR, ITERATION, ROUNDED_MATRIX) and not comparison.exceeds(64)
    ]
    below = sum(comparison.unsafe for comparison in near)
    assert found_in(DYADIC)["rounding"].facts == (
        f"{below} of {len(near)} answers within 64 ulps of the truth are below it",
    )
    assert ORDINARY == 64


def test_hazards_of_a_user():
    found = of_user(IDENTITY, epsilon="1", steps=720)[1]
    (measured,) = found["recursion"].measured
    assert measured.comparison.answer.kind is AnswerKind.NAN
    assert measured.measurement.given == 720
    assert "T = 720 (BPL at the last of 720 releases)" in str(measured)
    for value, shows in ((0.5, False), (nextafter(0.5, 1), True), (nextafter(0.5, 0), False), (0.25, True)):
        comparison = compare(number(value), parse_level("1/2"), budget=True)
        hazard = user_hazards([Measurement("α", 1.0, parse_level("1/2"), {BISECTION: comparison})])
        assert bool(hazard) == shows
        assert not shows or hazard[0].unsafe == (value > 0.5)
    # No budget is safe: 0 is the truth, and what the bisection ends with is not above it.
    found, shown = of_user(IDENTITY)
    assert found[-1].truth == ZERO
    assert ("bisection" in shown) == (found[-1].comparisons[BISECTION].order != 0)
