"""Suprema for ever with transient values, by hand; barriers against their inequality in fractions."""

from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import pytest
from flint import arb, ctx
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tploracle.reference import Level, TransitionMatrix, Undecided, parse_level
from tploracle.reference.formulas import ball_of, dyadic
from tploracle.reference.worst_case.barriers import Barrier, Course, SteadyReleases
from tploracle.reference.worst_case.boundedness import boundedness
from tploracle.reference.worst_case.classes import classes_of
from tploracle.reference.worst_case.for_ever import WANTED, EndlessBalls
from tploracle.reference.worst_case.leakage import NO_SIDE, added
from tploracle.reference.worst_case.sweep import OneSide
from tploracle.reference.worst_case.two_values import approached

from ...profiles import examples
from ...strategies import matrices

KEPT = TransitionMatrix.of([["3/5", 0, "2/5"], [0, "4/5", "1/5"], [0, 0, 1]])
"""Two transient values that are kept for different times, and one that is kept for ever."""

LEFT_IN_TURN = TransitionMatrix.of(
    [
        ["1/36", "7/12", "1/36", 0, "13/36"],
        [0, "1/4", "3/8", "1/4", "1/8"],
        [0, 0, 0, 0, 1],
        [0, "1/17", "14/17", "1/17", "1/17"],
        [0, 0, "1/31", "29/31", "1/31"],
    ]
)
"""One transient value, and a closed class that mixes while turning."""


def supremum_of(pair, matrix, epsilon):
    """Return the supremum of log B for a pair."""
    return added((OneSide((matrix.rows,), for_ever=True), (epsilon,)), NO_SIDE, [pair])


def by_hand(x):
    """Return the suprema of the ratios of `KEPT`, x = e^ε.

    A value that is kept with probability p, and alone asked about: P_a·f tends to r = p·x·r + 1 − p, the others' is 1.
    Where all but it are asked about, P_a·f over the others' tends to r = p·r/x + 1 − p.
    """
    p = {0: Fraction(3, 5), 1: Fraction(4, 5)}
    asked, left = ({a: (1 - q) / (1 - q * x) for a, q in p.items()}, {a: (1 - q) * x / (x - q) for a, q in p.items()})
    return {(0, 2): asked[0], (1, 2): asked[1], (2, 0): 1 / left[0], (2, 1): 1 / left[1]} | {
        (a, b): max(asked[a], 1 / left[b]) for a, b in ((0, 1), (1, 0))
    }


@pytest.mark.parametrize("pair", list(permutations(range(3), 2)))
def test_two_transient_values_by_hand(pair):
    """25, 55/31, 25/16 and 40/31; at e^ε = 5/4 the first of them is infinite."""
    ratio = by_hand(Fraction(31, 25))[pair]
    assert ratio in {Fraction(25), Fraction(55, 31), Fraction(25, 16), Fraction(40, 31)}
    found = supremum_of(pair, KEPT, parse_level("log(31/25)"))
    assert found.enclosure(25) == Level.of_ratio(ratio).enclosure(25)


@pytest.mark.parametrize("pair", [(1, 0), (0, 1)])
@pytest.mark.parametrize("digits", [3, 9, 40])
def test_budgets_close_to_the_critical_one(pair, digits):
    """e^ε a little below 5/4: the ratio of value 2 to value 1 tends to 2·10^(digits − 1)."""
    x = Fraction(5, 4) * (1 - Fraction(1, 10**digits))
    ratio = by_hand(x)[pair]
    assert (ratio == 2 * 10 ** (digits - 1)) == (pair == (1, 0))
    assert supremum_of(pair, KEPT, Level.of_ratio(x)).enclosure(20) == Level.of_ratio(ratio).enclosure(20)


def test_a_closed_class_that_turns_beside_a_value_that_is_all_but_kept():
    """Value 1 asked about alone, as in `KEPT`; no other sets do better as far as sweeps over 12 releases tell."""
    x = 36 * (1 - Fraction(1, 10**6))
    epsilon, pair = Level.of_ratio(x), (0, 3)
    found = supremum_of(pair, LEFT_IN_TURN, epsilon).enclosure(20)
    assert found == Level.of_ratio((1 - Fraction(1, 36)) / (1 - x / 36)).enclosure(20)


def barriers_of(matrix, ratio):
    """Yield the barriers that are found for a chain, and whether each is of the transient values."""
    with ctx.workprec(128):
        balls = EndlessBalls(OneSide((matrix.rows,), for_ever=True), [ball_of(ratio - 1)])
        yield Barrier.of_transient(balls.releases), True
        for pair in permutations(range(matrix.n), 2):
            for found in balls.limits(pair):
                yield Barrier.in_direction(balls.releases, found.course, 64), False


def stepped(h, matrix, ratio):
    """Return P^T Φ(h), in fractions."""
    weighted = [ratio * value if value > 0 else value for value in h]
    return [sum(row[b] * value for row, value in zip(matrix.rows, weighted, strict=True)) for b in range(matrix.n)]


def is_lowered(h, after):
    """Whether after ≤ θ·h for a θ < 1, in fractions."""
    theta = max((y / x for x, y in zip(h, after, strict=True) if x > 0), default=Fraction(0))
    return theta < 1 and all(y <= theta * x for x, y in zip(h, after, strict=True))


@given(matrices(2, 4), st.sampled_from(["31/25", "11/10", "3/2", "101/100"]).map(Fraction))
@example(KEPT, Fraction(31, 25))
@example(KEPT, Fraction(12499, 10000))
@example(TransitionMatrix.of([["1/10", "9/10"], ["7/10", "3/10"]]), Fraction(3, 2))
@examples(8)
def test_barriers_are_lowered_by_a_step_or_two(matrix, ratio):
    assume(boundedness(matrix, Level.of_ratio(ratio)).is_bounded)
    transient = classes_of(matrix.rows).transient
    for barrier, keeps in barriers_of(matrix, ratio):
        assert (barrier is not None) or not (keeps and transient)
        if barrier is None:
            continue
        h = [dyadic(value) for value in barrier.h]
        once = stepped(h, matrix, ratio)
        assert is_lowered(h, once) or is_lowered(h, stepped(once, matrix, ratio))
        assert sum(h) < 0
        assert not keeps or all((h[a] > 0) == (a in transient) for a in range(matrix.n))


def test_sets_that_come_again_after_hundreds_of_releases(monkeypatch):
    """The sets of a lazy ring move on once in a hundred releases. Beside the supremum stand 1,500 releases."""
    rows = tuple(tuple(Fraction(99 * (k == j) + (k == (j + 1) % 4), 100) for k in range(4)) for j in range(4))
    epsilon, courses, looks, steps = Level.of(Fraction(1, 100)), [], [], []
    run, look, step = Course.__init__, Course._is_full, SteadyReleases.advanced
    monkeypatch.setattr(Course, "__init__", lambda own, *given: (run(own, *given), courses.append(own))[0])
    monkeypatch.setattr(Course, "_is_full", lambda own: (looks.append(own), look(own))[1])
    monkeypatch.setattr(SteadyReleases, "advanced", lambda *given: (steps.append(given), step(*given))[1])
    found = supremum_of((0, 2), TransitionMatrix(rows), epsilon).enclosure(20)
    assert 2 <= len(courses) <= 10
    assert max(len(course.sets) for course in courses) > 3000
    assert len(looks) < len(steps) / 8
    finite = added((OneSide((rows,) * 1500), (epsilon,) * 1500), NO_SIDE, [(0, 2)]).enclosure(20)
    assert finite.upper < found.lower < finite.upper * (1 + Decimal("0.00001"))


def test_a_course_mends_its_ratio_on_its_way(monkeypatch):
    """Sets at 750 releases are known where the ratio is known to as many digits: no sweep begins anew for each."""
    rows = TransitionMatrix.of(
        [
            ["209/224", "1/112", "9/224", "1/56"],
            ["7/227", "206/227", "9/227", "5/227"],
            ["3/215", "1/43", "202/215", "1/43"],
            ["7/220", "3/110", "1/44", "101/110"],
        ]
    ).rows
    epsilon, steps, courses = Level.of(Fraction(182, 10_000)), [], []
    step, run = SteadyReleases.advanced, Course.__init__
    monkeypatch.setattr(SteadyReleases, "advanced", lambda *given: (steps.append(given), step(*given))[1])
    monkeypatch.setattr(Course, "__init__", lambda own, *given: (run(own, *given), courses.append(own))[0])
    found = supremum_of((2, 3), TransitionMatrix(rows), epsilon).enclosure(17)
    assert len(courses) <= 4
    assert len(steps) < 3 * sum(len(course.sets) for course in courses)
    finite = added((OneSide((rows,) * 1000), (epsilon,) * 1000), NO_SIDE, [(2, 3)]).enclosure(17)
    assert finite.lower <= found.upper
    assert found.lower <= finite.upper


def test_a_cycle_that_hardly_mixes_comes_again_after_a_turn():
    """Its cyclic parts are one, for it is aperiodic, yet sets and entries come again after as many as its values."""
    rows = tuple(tuple(Fraction(1000 * (k == (j + 1) % 3) + 1, 1003) for k in range(3)) for j in range(3))
    with ctx.workprec(96):
        side = EndlessBalls(OneSide((rows,), for_ever=True), [arb(1) / 37])
        *_, found = side.limits((0, 1))
        course = side.course((0, 1), found.attained.mid() * arb("1.001"), WANTED)
    assert (course.period, side.releases.periods) == (3, [1, 2])
    assert course.sets[-3:] == course.sets[-6:-3]
    assert len(set(map(tuple, course.sets[-3:]))) == 3


def test_blocks_that_hardly_mix_are_told_apart_in_few_releases(monkeypatch):
    """A block of two values and one of one, left once in 10^9 releases: which block it is tells all but a few ε."""
    rare, steps = Fraction(1, 10**9), []
    rest, epsilon = 1 - rare, Level.of(rare)
    matrix = TransitionMatrix(
        ((rest * 4 / 5, rest / 5, rare), (rest / 2, rest / 2, rare), (rare / 3, rare * 2 / 3, rest))
    )
    above = SteadyReleases.above
    monkeypatch.setattr(SteadyReleases, "above", lambda *given: (steps.append(given), above(*given))[1])
    found = (epsilon + supremum_of((0, 2), matrix, epsilon)).enclosure(20)
    blocks = approached(TransitionMatrix(((rest, rare), (rare, rest))), (0, 1), epsilon).enclosure(20)
    assert blocks.lower <= found.lower <= found.upper <= blocks.upper + Decimal("1e-8")
    assert len(steps) < 10_000


def test_what_a_barrier_stops():
    barrier = Barrier([arb(2), arb(0), arb(-3)])
    for c in ([2, 0, -3], [1, -1, -2], [-1, 0, 0], [0, 0, 0], [4, 0, -6]):
        assert barrier.stops(list(map(arb, c)))
    for c in ([2, 1, -3], [2, 0, -2], [0, 0, 1], [3, -9, -4]):
        assert not barrier.stops(list(map(arb, c)))
    assert not Barrier([arb(-1), arb(0)]).stops([arb(1), arb(0)])


def test_a_barrier_is_never_too_generous_by_rounding():
    """γ = 1/3, and γ times a bound, have more bits than there are: what is above them by less is not stopped."""
    with ctx.workprec(64):
        third, long = (arb(1) / 3).lower(), 1 + arb(2) ** -60
        assert not Barrier([arb(3), arb(-1)]).stops([arb(1), -third])
        assert Barrier([arb(3), arb(-1)]).stops([arb(1), -third - arb(2) ** -60])
    with ctx.workprec(200):
        below, above = (-(long * long) + sign * arb(2) ** -130 for sign in (-1, 1))
    with ctx.workprec(64):
        assert not Barrier([arb(1), -long]).stops([long, above])
        assert Barrier([arb(1), -long]).stops([long, below - arb(2) ** -60])


@pytest.mark.parametrize("shortened", ["LONGEST_SWEEP", "LONGEST_COARSE_SWEEP"])
def test_where_sweeps_are_cut_short(shortened, monkeypatch):
    """The sweep that looks for sets may be: others follow. One that is to end may not."""
    monkeypatch.setattr(f"tploracle.reference.worst_case.for_ever.{shortened}", 3)
    found, epsilon = supremum_of((1, 0), KEPT, parse_level("log(31/25)")), parse_level("log(25)")
    if shortened == "LONGEST_COARSE_SWEEP":
        assert found.enclosure(20) == epsilon.enclosure(20)
    else:
        with pytest.raises(Undecided, match=r"not approached within 3 releases: .* by a factor of \d+\.\d{3} or more"):
            found.enclosure(5)
