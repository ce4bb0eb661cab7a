"""α at a δ over an infinite horizon, against exact finite horizons: enough of them where a release has a δ."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import cycle, islice, permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tploracle import checked
from tploracle.checked import profile_delta_for_ever, profile_supremum
from tploracle.models.stream_profile import leakage_at_delta
from tploracle.reference import (
    INFINITE,
    ZERO,
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    Level,
    TransitionMatrix,
    WorstProfile,
    parse_level,
    worst_case_supremum,
)
from tploracle.reference.correlations import steps_in_doubles
from tploracle.reference.errors import InvalidRequest, Refuted
from tploracle.reference.stepwise import Stepwise, steps_outward
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.solvers.linear_programs.profiles import profile_by_program
from tploracle.solvers.worst_case import profile_for_ever, profile_passes
from tploracle.solvers.worst_case.profile_passes import sides_of

from ...profiles import examples
from ...strategies import matrices
from .test_pairs import click_stream

HALF = Level.of_ratio(F(3, 2))
LARGE = ApproximateBudget(HALF, F(1, 50))
HOURS = TransitionMatrix.of([["4/5", "1/5"], ["1/10", "9/10"]])
NOISE = GaussianBudget(F(5))


def enough(budget):
    """Return after how many releases φ leads 0 to 1, in rational numbers: then m = M, of any chain."""
    phi, at = budget.enclosed(64)[0], F(0)
    for count in range(1, 100):
        at = phi(at)
        if at == 1:
            return count
    raise AssertionError("φ does not lead 0 to 1 so soon")


def exactly(budget, own, delta, releases):
    """Return α of a last release and those before it, for all pairs of values, by the exact recursion."""
    steps = [matrix.rows for matrix in islice(cycle(own), releases - 1)]
    return WorstProfile([budget] * releases, steps, [*permutations(range(own[0].n), 2)]).alpha(delta).upper


def width(found):
    return float(F(found.upper.enclosure(20).upper) - F(found.lower.enclosure(20).lower))


@given(
    st.integers(2, 3).flatmap(lambda n: st.lists(matrices(n, n, kinds=["ties", "sparse"]), min_size=2, max_size=2)),
    st.booleans(),
    st.sampled_from([F(1, 20), F(1, 4), F(1, 49)]),
    st.booleans(),
)
@examples(8)
def test_finitely_many_releases_are_enough_where_a_release_has_a_delta(own, repeats, delta, is_forward):
    """The exact recursion of so many releases is α for ever; of fewer it is at most that, and of more the same."""
    own = own if repeats else own[:1]
    known = Stepwise(tuple(own), repeats=True) if repeats else own[0]
    found = profile_supremum(LARGE, *((None, known) if is_forward else (known, None)), delta)
    outward = own if is_forward else own[::-1]
    starts = [[*outward[at:], *outward[:at]] for at in range(len(outward))]
    exact = max(exactly(LARGE, start, delta, enough(LARGE) + 1) for start in starts)
    assert found.lower <= exact <= found.upper
    if found.upper.is_infinite:  # so it is, or of any lesser δ, which doubles cannot tell from this one
        assert max(exactly(LARGE, start, delta * (1 - F(1, 10**9)), enough(LARGE) + 1) for start in starts).is_infinite
    else:
        assert width(found) < 2e-8
    assert max(exactly(LARGE, start, delta, 4) for start in starts) <= exact
    assert max(exactly(LARGE, start, delta, enough(LARGE) + 3) for start in starts) == exact


@given(matrices(2, 2, kinds=["ties", "smoothed"]), st.sampled_from([F(1, 30), F(1, 4)]))
@examples(4)
def test_no_test_of_a_finite_stream_tells_more(matrix, delta):
    """By linear programs over all tests of three releases of pure ε."""
    found = profile_supremum(ApproximateBudget(HALF), matrix, None, delta)
    assume(not found.upper.is_infinite)
    odds = 1 + found.upper.excess_bounds(60)[1]
    phi, steps = TradeOff.approximate(F(3, 2)), [matrix.rows] * 2
    for pair in permutations(range(matrix.n), 2):
        assert profile_by_program([phi] * 3, odds, pair, steps, ()) <= delta


@pytest.mark.parametrize(
    ("budget", "delta", "most"),
    [
        (ApproximateBudget(parse_level("0.1")), F(1, 1000), 1e-8),
        (ApproximateBudget(parse_level("0.1")), F(1, 10**30), 1e-8),
        (ApproximateBudget(parse_level("0.1"), F(1, 10**12)), F(1, 10**9), 1e-8),
        (NOISE, F(1, 10**5), 5e-4),
        (ConcentratedBudget(F(1, 200)), F(1, 10**5), 5e-4),
    ],
    ids=str,
)
def test_long_streams_come_to_it(budget, delta, most):
    """Of each horizon α is at most that for ever, and of a long one nearly that."""
    found = profile_supremum(budget, HOURS, None, delta)
    assert width(found) < most
    times = [2, 10, 40, 120]
    finite = profile_passes.alphas_of_side(budget, [HOURS.rows] * (times[-1] - 1), delta, times)
    assert all(own.lower <= found.upper for own in finite)
    lower = [float(own.lower.enclosure(15).lower) for own in finite]
    assert lower == sorted(lower)
    assert float(found.upper.enclosure(15).upper) - lower[-1] < most + 1e-8


@pytest.mark.parametrize("delta", [F(1, 1000), F(1, 10**5)])
def test_what_is_told_without_a_pass_is_so_at_the_delta_of_a_release_alone(monkeypatch, delta):
    """Two releases tell less than endlessly many: at another δ than a release's own their level is no answer."""
    budget = ApproximateBudget(HALF, F(1, 1000))
    two = exactly(budget, [HOURS], budget.delta * 2, 2)
    monkeypatch.setattr(checked, "known_for_ever", lambda *_: profile_for_ever.AlphaForEver(two, two, 1))
    if delta == budget.delta:
        assert profile_supremum(budget, HOURS, None, delta).upper == two
        return
    with pytest.raises(Refuted, match="without a pass"):
        profile_supremum(budget, HOURS, None, delta)
    with pytest.raises(Refuted, match="without a pass"):
        profile_delta_for_ever(budget, HOURS, None, HALF, delta)


def test_pure_releases_have_their_supremum():
    """At δ = 0 it is the exact one; at nearly none it is near, and it bounds every δ, however small."""
    budget = ApproximateBudget(parse_level("0.1"))
    supremum = worst_case_supremum(budget.epsilon, HOURS)
    assert profile_supremum(budget, HOURS, None, F(0)).upper.enclosure(12) == supremum.enclosure(12)
    for delta in (F(1, 10**100), F(1, 10**290), F(1, 10**400)):
        found = profile_supremum(budget, None, HOURS, delta)
        ends = [float(end.enclosure(15).upper) for end in (found.lower, found.upper)]
        assert ends == pytest.approx([float(supremum.enclosure(15).upper)] * 2, abs=4e-9)


def test_a_transient_class_that_grows_has_an_end_at_a_delta():
    """Its pure supremum is ∞, but the chance of staying there falls; exact recursions of long streams agree."""
    stays = TransitionMatrix.of([["9/10", "1/10"], ["0", "1"]])
    budget = ApproximateBudget(Level.of_ratio(F(5, 4)))
    assert worst_case_supremum(budget.epsilon, stays).is_infinite
    found = profile_supremum(budget, stays, None, F(1, 50))
    assert not found.upper.is_infinite
    exact = [exactly(budget, [stays], F(1, 50), releases) for releases in (5, 20)]
    (long,) = profile_passes.alphas_of_side(budget, [stays.rows] * 149, F(1, 50), [150])
    assert exact[0] <= exact[1] <= long.upper
    assert long.lower <= found.upper
    assert F(found.upper.enclosure(15).upper) - F(long.lower.enclosure(15).lower) < F(1, 10**6)


@pytest.mark.parametrize("budget", [LARGE, ApproximateBudget(HALF), NOISE, ConcentratedBudget(F(1, 9))], ids=str)
@pytest.mark.parametrize(
    "rows",
    [
        [[1, 0], [0, 1]],
        [[0, 1], [1, 0]],
        [["1/2", "1/2", 0], ["1/3", "2/3", 0], [0, 0, 1]],
        [[0, 0, "1/2", "1/2"], [0, 0, "1/3", "2/3"], ["1/4", "3/4", 0, 0], ["1/5", "4/5", 0, 0]],
    ],
)
def test_values_that_are_told_apart_for_ever_have_no_level(budget, rows):
    found = profile_supremum(budget, TransitionMatrix.of(rows), None, F(1, 2))
    assert found.lower.is_infinite
    assert "told apart" in found.reason


def test_a_level_that_several_releases_take_away():
    """Two releases on values that lead to no common one add up to more than δ: exact recursions say so as well."""
    apart = TransitionMatrix.of([[1, 0, 0], [0, "1/2", "1/2"], ["1/2", "1/4", "1/4"]])
    found = profile_supremum(LARGE, apart, None, F(1, 49))
    assert found.lower.is_infinite
    assert exactly(LARGE, [apart], F(1, 49), 5).is_infinite
    assert "at every α" in found.reason


@pytest.mark.parametrize(
    ("budget", "delta", "level"),
    [
        (NOISE, F(1), ZERO),
        (NOISE, F(0), INFINITE),
        (ConcentratedBudget(F(0)), F(0), ZERO),
        (ApproximateBudget(ZERO), F(1, 9), ZERO),
        (ApproximateBudget(INFINITE), F(1, 2), INFINITE),
        (LARGE, F(1, 60), INFINITE),
    ],
)
def test_levels_that_need_no_pass(budget, delta, level):
    found = profile_supremum(budget, HOURS, None, delta)
    assert (found.lower, found.upper) == (level, level)


def test_the_delta_of_a_release_itself():
    """Outputs of chance 0 decide: the next release counts, those beyond it do not."""
    found = profile_supremum(LARGE, HOURS, None, F(1, 50))
    assert found.lower == found.upper == exactly(LARGE, [HOURS], F(1, 50), 2) == exactly(LARGE, [HOURS], F(1, 50), 9)


@pytest.mark.parametrize("budget", [LARGE, ApproximateBudget(HALF), NOISE], ids=str)
@pytest.mark.parametrize("delta", [F(1, 4), F(2, 5)], ids=str)
def test_both_sides_are_enclosed(budget, delta):
    """The middle of a stream has at most the upper end; the upper one is at most that of pure ε at δ = 0."""
    found = profile_supremum(budget, HOURS, HOURS, delta)
    assert not found.upper.is_infinite
    middle = leakage_at_delta([budget] * 13, [(HOURS, HOURS)], delta, [7], kinds=["tpl"])["tpl"][0]
    assert middle.lower <= found.upper
    assert found.lower <= found.upper
    assert profile_supremum(budget, HOURS, None, delta).lower <= found.lower
    if budget == ApproximateBudget(HALF):
        assert found.upper <= worst_case_supremum(HALF, HOURS, HOURS)


def test_no_test_of_both_sides_tells_more():
    """By linear programs over all tests of the value in the middle of three releases."""
    matrix, budget = TransitionMatrix.of([["2/3", "1/3"], ["1/4", "3/4"]]), ApproximateBudget(HALF, F(1, 50))
    found = profile_supremum(budget, matrix, matrix, F(1, 10))
    odds, phi = 1 + found.upper.excess_bounds(60)[1], TradeOff.approximate(F(3, 2), F(1, 50))
    for pair in permutations(range(2), 2):
        assert profile_by_program([phi] * 3, odds, pair, [matrix.rows], [matrix.rows]) <= F(1, 10)


def test_shares_of_both_sides_are_looked_at(monkeypatch):
    """Where the solver's α is a tenth too small, or δ of the past is, nothing is proved, and no upper end leaves."""
    whole = profile_for_ever.both_for_ever

    def wrong(change):
        monkeypatch.setattr(checked, "both_for_ever", lambda *asked: change(whole(*asked)))
        return profile_supremum(LARGE, HOURS, HOURS, F(1, 4))

    def shares(part):
        return lambda own: replace(own, shares=[(odds, part * delta) for odds, delta in own.shares])

    assert not wrong(lambda own: own).upper.is_infinite
    for change in (
        lambda own: replace(own, alpha=Level.of(F(own.alpha.enclosure(9).lower) * F(9, 10))),
        shares(0.9),
        shares(1.1),
    ):
        found = wrong(change)
        assert found.upper.is_infinite
        assert "both sides" in found.reason


def test_both_sides_that_have_no_answer():
    apart = TransitionMatrix.of([[1, 0], [0, 1]])
    assert profile_supremum(LARGE, apart, apart, F(1, 4)).lower.is_infinite
    known = Stepwise((HOURS,), repeats=True)
    pure = profile_supremum(ApproximateBudget(HALF), known, HOURS, F(1, 4))
    assert pure.upper.enclosure(12) == worst_case_supremum(HALF, HOURS, HOURS).enclosure(12)
    assert "at δ = 0" in pure.reason
    found = profile_supremum(LARGE, known, HOURS, F(1, 4))
    assert found.upper.is_infinite
    assert found.lower == profile_supremum(LARGE, HOURS, None, F(1, 4)).lower


def test_a_release_alone_and_what_has_no_answer():
    alone = profile_supremum(LARGE, None, None, F(1, 20))
    assert alone.upper == WorstProfile([LARGE], [], [(0, 1)]).alpha(F(1, 20)).upper
    with pytest.raises(InvalidRequest, match="both sides"):
        profile_delta_for_ever(LARGE, HOURS, HOURS, HALF, F(1, 20))
    with pytest.raises(InvalidRequest, match="do not repeat"):
        profile_supremum(LARGE, Stepwise((HOURS,)), None, F(1, 20))
    assert profile_supremum(LARGE, TransitionMatrix.of([[1]]), None, F(1, 20)).upper.is_zero


def test_passes_that_do_not_meet_say_so(monkeypatch):
    monkeypatch.setattr(profile_for_ever, "DEPTHS_COMPARED", (2, 4))
    stays = TransitionMatrix.of([["9/10", "1/10"], ["0", "1"]])
    found = profile_supremum(NOISE, stays, None, F(1, 10**4))
    assert found.upper.is_infinite
    assert not found.lower.is_infinite
    assert "4 releases leave open" in found.reason
    monkeypatch.setattr(profile_for_ever, "MOST_VALUES", 1)
    assert "take long" in profile_supremum(LARGE, HOURS, None, F(1, 20)).reason


def test_the_click_stream():
    """Seventeen releases of (0.1, 1e-6) leave α between 5.1037 and 5.1041, by passes of another program."""
    budget = ApproximateBudget(parse_level("0.1"), F(1, 10**6))
    found = profile_supremum(budget, click_stream("counts")[0], None, F(1, 10**5))
    assert 5.1037 < float(found.lower.enclosure(9).lower) < float(found.upper.enclosure(9).upper) < 5.1041
    assert width(found) < 1e-6


@pytest.mark.parametrize("budget", [LARGE, NOISE], ids=str)
def test_delta_at_a_level_for_ever(budget):
    """It tells on which side of α a level lies, and does not claim more than it proves."""
    found = profile_supremum(budget, HOURS, None, F(1, 30))
    low, high = (float(end.enclosure(15).upper) for end in (found.lower, found.upper))
    kept = profile_delta_for_ever(budget, HOURS, None, Level.of(F(high) * F(1001, 1000)), F(1, 30))
    beyond = profile_delta_for_ever(budget, HOURS, None, Level.of(F(low) * F(999, 1000)), F(1, 30))
    assert kept.upper <= F(1, 30) < beyond.lower
    if budget is LARGE:
        own = WorstProfile([budget] * (enough(budget) + 1), [HOURS.rows] * enough(budget), [(0, 1), (1, 0)])
        exact = own.delta(Level.of(F(low) * F(999, 1000)))
        assert beyond.lower <= exact.upper <= beyond.upper * (1 + F(1, 10**9))


def too_low(monkeypatch):
    whole = profile_passes.Outward.at

    def bounds(self, *asked, **more):
        return whole(self, *asked, **more) * (0.98 if self.up else 1)

    monkeypatch.setattr(profile_passes.Outward, "at", bounds)


def as_if_finite(monkeypatch):
    """Take what two releases tell for a bound for ever."""
    monkeypatch.setattr(profile_for_ever, "DEPTHS_COMPARED", (2,))
    monkeypatch.setattr(profile_for_ever, "_sides", lambda *asked: sides_of(asked[0], steps(asked), asked[2]))


def steps(asked):
    return steps_in_doubles(steps_outward(asked[1], asked[3]))


@pytest.mark.parametrize("budget", [LARGE, ApproximateBudget(HALF), NOISE], ids=str)
def test_no_fault_of_the_passes_gets_out(budget, monkeypatch):
    """A bound that is too small is refuted; that of few releases is not proved for ever, and does not leave."""
    asked = budget, HOURS, None, F(1, 30)
    assert not profile_supremum(*asked).upper.is_infinite
    with monkeypatch.context() as own:
        too_low(own)
        with pytest.raises(Refuted, match="tell more than δ"):
            profile_supremum(*asked)
    as_if_finite(monkeypatch)
    found = profile_supremum(*asked)
    if found.upper.is_infinite:
        assert "leave open whether all farther ones" in found.reason
    else:  # pure ε has its supremum
        assert found.upper == worst_case_supremum(HALF, HOURS)


def test_an_answer_without_a_pass_is_no_less_than_a_release_alone(monkeypatch):
    assert not profile_supremum(NOISE, HOURS, None, F(1, 1000)).lower.is_zero
    monkeypatch.setattr(checked, "known_for_ever", lambda *_: profile_for_ever.AlphaForEver(ZERO, ZERO))
    with pytest.raises(Refuted):
        profile_supremum(NOISE, HOURS, None, F(1, 1000))
    alone = TransitionMatrix(((F(1),),))
    assert profile_supremum(NOISE, alone, None, F(1, 1000)).upper.is_zero
