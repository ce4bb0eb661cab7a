"""The worst TPL over all times, against TPL at all of them: the literal one, exactly, and the fast one."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import (
    INFINITE,
    ZERO,
    InvalidLevel,
    InvalidRequest,
    TransitionMatrix,
    Undecided,
    parse_level,
    worst_case_leakage,
)
from tploracle.solvers.worst_case import worst as worst_case_worst
from tploracle.solvers.worst_case.best_sets import BallReleases
from tploracle.solvers.worst_case.courses import RatioCourse
from tploracle.solvers.worst_case.pairs import WorstCaseStream, fast_worst_case_leakage
from tploracle.solvers.worst_case.worst import greatest_worst_case_tpl

from ...profiles import examples, some
from ...strategies import matrices

HALF_MORE = parse_level("log(3/2)")

IDENTITY = TransitionMatrix.of([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
CYCLE = TransitionMatrix.of([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
EQUAL_ROWS = TransitionMatrix.of([["1/2", "1/3", "1/6"]] * 3)
TWO_CLASSES = TransitionMatrix.of([["1/2", "1/2", 0], ["1/4", "3/4", 0], [0, 0, 1]])
ONE_WAY = TransitionMatrix.of([["0.6", "0.4", 0], [0, "0.8", "0.2"], [0, 0, 1]])
STICKY = TransitionMatrix.of([["9/10", "1/20", "1/20"], ["1/10", "4/5", "1/10"], ["1/5", "1/5", "3/5"]])
TURNS = TransitionMatrix.of([["1/10", "9/10", 0], [0, "1/10", "9/10"], ["9/10", 0, "1/10"]])
DIVERGES = TransitionMatrix.of([["7/11", "2/11", "2/11"], [0, 0, 1], ["3/7", "2/7", "2/7"]])
MIXES = TransitionMatrix.of([["5/12", "4/12", "3/12"], ["4/12", "3/12", "5/12"], ["3/12", "5/12", "4/12"]])
"""Circulant, so that the pairs of values tie; and soon so well mixed that many times differ by less than a double."""

CHAINS = {name.lower(): chain for name, chain in tuple(globals().items()) if isinstance(chain, TransitionMatrix)}

FOUR = TransitionMatrix.of(
    [[Fraction(own, 20) for own in row] for row in ((9, 4, 3, 4), (1, 9, 6, 4), (4, 5, 9, 2), (7, 2, 3, 8))]
)


def assert_worst_of(levels, found):
    """Assert that the worst of some exact levels, and the first time of it, are what was found."""
    ratios = [level.ratio for level in levels]
    assert all(isinstance(ratio, Fraction) for ratio in ratios)
    worst = max(ratios)
    lower, upper = found.attained.ratio, found.bound.ratio
    assert lower <= worst <= upper
    assert upper - lower <= (lower - 1) / 2**94
    assert found.time == 1 + ratios.index(worst)


@pytest.mark.parametrize("backward", CHAINS)
@pytest.mark.parametrize("forward", some(["mixes", "identity", "one_way"], 3))
def test_it_is_the_greatest_of_the_literal_ones(backward, forward):
    """Ratios are fractions here: ties between times and between pairs are ties, not near misses."""
    epsilons = [HALF_MORE] * 6
    own = CHAINS[backward], CHAINS[forward]
    assert_worst_of(worst_case_leakage(epsilons, *own).tpl, greatest_worst_case_tpl(epsilons, *own))


@given(matrices(2, 4), matrices(2, 4), st.sampled_from(["log(3/2)", "log(11/10)", "log(20)"]), st.integers(1, 8))
@example(STICKY, STICKY, "log(3/2)", 8)
@examples(6)
def test_any_chains(backward, forward, text, times):
    forward = backward if forward.n != backward.n else forward
    epsilons = [parse_level(text)] * times
    for own in ((backward, forward), (backward, None), (None, forward)):
        assert_worst_of(worst_case_leakage(epsilons, *own).tpl, greatest_worst_case_tpl(epsilons, *own))


@given(
    matrices(2, 3),
    st.lists(st.sampled_from([ZERO, *map(parse_level, ("log(3/2)", "log(11/10)", "log(4)"))]), min_size=1, max_size=6),
)
@example(STICKY, [parse_level("log(4)"), *[HALF_MORE] * 4])
@examples(15)
def test_budgets_of_each_time(matrix, epsilons):
    assert_worst_of(worst_case_leakage(epsilons, matrix, matrix).tpl, greatest_worst_case_tpl(epsilons, matrix, matrix))


def test_matrices_of_each_time():
    """More releases may tell less then: what lies behind rows that are equal counts no more."""
    epsilons, steps = [HALF_MORE] * 5, [IDENTITY, IDENTITY, EQUAL_ROWS, EQUAL_ROWS]
    for own in ((steps, None), (None, steps[::-1]), (steps, steps[::-1])):
        found = greatest_worst_case_tpl(epsilons, *own)
        assert_worst_of(worst_case_leakage(epsilons, *own).tpl, found)
        assert found.time == 3


@pytest.mark.parametrize("text", some(["1/10", "2"], 2))
@pytest.mark.parametrize("chain", ["sticky", "turns", "one_way", "two_classes", "diverges", "mixes"])
def test_many_releases(chain, text):
    """Whichever times are looked at, and although they are not asked for in order."""
    epsilons, own = [parse_level(text)] * 40, (CHAINS[chain], STICKY)
    found, levels = greatest_worst_case_tpl(epsilons, *own), fast_worst_case_leakage(epsilons, *own).tpl
    known = [level.enclosure(40) for level in levels]
    most = max(ends.lower for ends in known)
    assert found.attained.enclosure(25).lower <= most <= found.bound.enclosure(25).upper
    assert found.bound.enclosure(25).upper - found.attained.enclosure(25).lower <= most * Decimal("3e-24")
    assert found.time == next(t for t, ends in enumerate(known, 1) if ends.upper >= most)


def test_past_and_future_alike():
    """The two times in the middle tie, and no digits tell: the first of them may be it."""
    found = greatest_worst_case_tpl([parse_level("1/10")] * 10, STICKY, STICKY)
    assert found.time == 5
    assert found.attained.double_below() <= found.bound.double_above()


def test_few_of_many_times_are_looked_at(monkeypatch):
    """Also where many times in the middle are equal to more digits than are worked out."""
    asked = counted(monkeypatch, WorstCaseStream, "tpl")
    worst = greatest_worst_case_tpl([parse_level("1/10")] * 200, MIXES, MIXES)
    assert len(asked) <= 30
    assert 1 < worst.time < 100
    assert worst.bound.double_above() - worst.attained.double_below() < 1e-15


@pytest.mark.parametrize("releases", [45, 49, 90])
@pytest.mark.parametrize("own", [(STICKY, None), (None, ONE_WAY), (TURNS, DIVERGES), (FOUR, FOUR), (MIXES, MIXES)])
def test_of_budgets_that_recur_few_times_are_looked_at(monkeypatch, releases, own):
    """By phases, each of which has its own greatest TPL; its time is the first of those that no digits tell apart."""
    epsilons = [parse_level(f"1/{10 + 7 * (time * time % 4 + time % 3)}") for time in range(12)] * 8
    asked = counted(monkeypatch, WorstCaseStream, "tpl")
    worst = greatest_worst_case_tpl(epsilons[:releases], *own)
    assert len(asked) <= 80
    tpl = [level.enclosure(26).upper for level in fast_worst_case_leakage(epsilons[:releases], *own).tpl]
    assert worst.attained.enclosure(26).upper == worst.bound.enclosure(26).upper == max(tpl)
    assert tpl[worst.time - 1] == max(tpl)


def test_few_releases_are_swept(monkeypatch):
    """What is found of the deepest sides, a few releases more at a time, serves all others."""
    swept = counted(monkeypatch, BallReleases, "stepped")
    assert greatest_worst_case_tpl([parse_level("1/10")] * 100, FOUR, FOUR).time == 50
    assert len(swept) <= 250


def test_budgets_that_recur_are_parts_of_as_many_sequences(monkeypatch):
    made = counted(monkeypatch, RatioCourse, "__init__")
    epsilons = ([parse_level("log(3/2)"), parse_level("log(5/4)"), parse_level("log(9/8)")] * 10)[:-1]
    found = fast_worst_case_leakage(epsilons, FOUR, FOUR)
    assert len(made) == 6
    worst = greatest_worst_case_tpl(epsilons, FOUR, FOUR)
    assert len(made) == 12
    assert found.tpl[worst.time - 1] == worst.attained == max(found.tpl)


KINDS = ["log(11/10)", "log(21/20)", "log(9/8)", "log(31/30)"]


@pytest.mark.parametrize("own", [(STICKY, None), (None, ONE_WAY), (TURNS, DIVERGES), (EQUAL_ROWS, IDENTITY)])
def test_of_budgets_that_differ_few_times_are_looked_at(monkeypatch, own):
    """By bounds of all times at once, none of which is below the literal TPL."""
    draw = Random(str(own)).choice
    epsilons = [parse_level(draw(KINDS)) for _ in range(9)]
    levels = worst_case_leakage(epsilons, *own).tpl
    for level, bound in zip(levels, worst_case_worst._Bounds(epsilons, *own).above(np.arange(9)), strict=True):
        assert level.ratio <= Fraction(bound) <= level.ratio * (1 + Fraction(1, 10**6))
    looked, of = [], worst_case_worst._Times.of
    monkeypatch.setattr(worst_case_worst._Times, "of", lambda *times: looked.append(times) or of(*times))
    assert_worst_of(levels, greatest_worst_case_tpl(epsilons, *own))
    assert len(looked) <= 4


def test_many_times_that_bounds_do_not_tell_apart(monkeypatch):
    """Few of them are looked at, the others bounded; of too many with too many values nothing is said."""
    epsilons, above = [parse_level(KINDS[time * time % 7 % 4]) for time in range(30)], [2.0] * 30
    epsilons = [*epsilons[:5], *epsilons]
    truth = greatest_worst_case_tpl(epsilons, STICKY, STICKY)
    above = [float(truth.bound.ratio) * 1.1] * len(epsilons)
    assert greatest_worst_case_tpl(epsilons, STICKY, STICKY, above=above) == truth
    monkeypatch.setattr(worst_case_worst, "MOST_WORKED_OUT", 1)
    found = greatest_worst_case_tpl(epsilons, STICKY, STICKY, above=above)
    assert found.attained.ratio <= truth.attained.ratio <= found.bound.ratio
    assert found.bound.ratio - 1 <= (truth.bound.ratio - 1) * (1 + Fraction(1, 10**9))
    assert found.time <= truth.time
    monkeypatch.setattr(worst_case_worst, "TIMES_AT_ONCE", 2)
    for misleading in (above, [bound * (2 - time / 40) for time, bound in enumerate(above)], above[:1] * 3 + above[3:]):
        found = greatest_worst_case_tpl(epsilons, STICKY, STICKY, above=misleading)
        assert truth.bound.ratio - 1 <= (found.bound.ratio - 1) <= (found.attained.ratio - 1) * (1 + Fraction(1, 10**8))
    monkeypatch.setattr(worst_case_worst, "MOST_EFFORT", 1)
    with pytest.raises(Undecided, match="may be at 35 of the times"):
        greatest_worst_case_tpl(epsilons, STICKY, STICKY, above=above)


def counted(monkeypatch, kind, name):
    calls, found = [], getattr(kind, name)
    monkeypatch.setattr(kind, name, lambda self, *args, **own: calls.append(args) or found(self, *args, **own))
    return calls


@pytest.mark.parametrize("chain", ["sticky", "turns", "one_way", "diverges", "mixes"])
def test_enclosures_that_tell_little(monkeypatch, chain):
    """Times that they do not tell apart are all reckoned with."""

    def widened(stream, first, last, apart=1):
        own = found_of(stream, first, last, apart)
        return replace(own, lower=own.lower * Fraction(63, 64), upper=own.upper * Fraction(65, 64))

    epsilons, own = [HALF_MORE] * 9, (CHAINS[chain], STICKY)
    ratios = [level.ratio for level in fast_worst_case_leakage(epsilons, *own).tpl]
    found_of = worst_case_worst._Times.of
    monkeypatch.setattr("tploracle.solvers.worst_case.worst._Times.of", widened)
    found = greatest_worst_case_tpl(epsilons, *own)
    assert found.attained.ratio <= max(ratios) <= found.bound.ratio
    assert found.bound.ratio - 1 <= (found.attained.ratio - 1) * (1 + Fraction(1, 10))
    assert found.time == next(t for t, own in enumerate(ratios, 1) if (own - 1) * 65 >= (found.attained.ratio - 1) * 63)


def test_no_times_no_values_no_bound():
    tenth = parse_level("1/10")
    assert greatest_worst_case_tpl([tenth] * 3) == worst_case_worst.WorstTpl(tenth, tenth, 1)
    assert greatest_worst_case_tpl([tenth] * 3, TransitionMatrix.of([[1]])).bound.is_zero
    assert greatest_worst_case_tpl([ZERO] * 3, STICKY).bound.is_zero
    with pytest.raises(InvalidRequest, match="no release"):
        greatest_worst_case_tpl([], STICKY)
    with pytest.raises(InvalidLevel):
        greatest_worst_case_tpl([tenth, INFINITE], STICKY)
