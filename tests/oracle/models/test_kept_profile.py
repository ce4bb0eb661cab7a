"""The bisection of a budget at a δ: ends that were looked at, at every time, between which no decimal lies."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.models.kept_profile import FINEST, kept_parameter
from tploracle.reference import InfeasibleBudget, WorstDelta

from ...profiles import examples

F = Fraction
LIMITS = st.fractions(F(1, 1000), 50, max_denominator=10_000)


@given(st.lists(st.tuples(LIMITS, st.sampled_from([F(0), F(1, 1000), F(1, 3)])), min_size=1, max_size=4), st.booleans())
@examples(60)
def test_the_ends_are_next_to_where_it_turns(limits, is_noise):
    """δ at a time is within 1/10 up to a limit, for noise from one on, and certainly above behind a gap."""
    asked = set()

    def told_at(parameter, times):
        asked.update((parameter, time) for time in times)
        found = []
        for limit, gap in (limits[time - 1] for time in times):
            told, turns = (1 / parameter, 1 / limit) if is_noise else (parameter, limit)
            found.append(WorstDelta(F(int(told > turns * (1 + gap))), F(1, 10) if told <= turns else F(1)))
        return found

    times = list(range(1, len(limits) + 1))
    found = kept_parameter(told_at, times, most=F(1, 10), safest=None if is_noise else F(0), begin=F(1), digits=5)
    assert all((found.kept, time) in asked for time in times)
    binding = max(limit for limit, _ in limits) if is_noise else min(limit for limit, _ in limits)
    unit = F(1, 10_000) * binding
    if is_noise:
        assert binding <= found.kept <= binding + unit
        assert found.exceeds < found.kept
    else:
        assert binding - unit <= found.kept <= binding
        assert found.exceeds > found.kept
    assert any(own.lower > F(1, 10) for own in told_at(found.exceeds, times))
    gaps = [gap for limit, gap in limits if limit == binding]
    if not any(gaps) and all(not gap for _, gap in limits):
        assert abs(found.exceeds - found.kept) <= 10 * unit


def test_of_times_that_were_looked_at_by_themselves_nothing_else_counts():
    """What is found of a time beside others may be more: it is the last one if each comes to bind by itself."""
    asked = []

    def told_at(parameter, times):
        asked.append(times)
        return [WorstDelta(F(0), F(int(parameter > (1 if len(times) == 1 else F(9, 10))))) for _ in times]

    found = kept_parameter(told_at, [2, 1, 3], most=F(1, 10), safest=F(0), begin=F(1), digits=5)
    assert F(999, 1000) < found.kept <= 1
    assert asked.count((1, 2, 3)) < 6


def test_where_nothing_or_all_is_kept():
    def never(_parameter, times):
        return [WorstDelta(F(1, 2), F(1, 2)) for _ in times]

    def nothing_else(parameter, times):
        return [WorstDelta(F(0), F(int(parameter > 0))) for _ in times]

    with pytest.raises(InfeasibleBudget, match="greater δ"):
        kept_parameter(never, [1], most=F(1, 3), safest=F(0), begin=F(1), digits=6)
    with pytest.raises(InfeasibleBudget):
        kept_parameter(never, [1], most=F(1, 3), safest=None, begin=F(1), digits=6)
    found = kept_parameter(nothing_else, [1], most=F(1, 3), safest=F(0), begin=F(1), digits=6)
    assert (found.kept, found.exceeds) == (0, None)
    every = kept_parameter(never, [1, 2], most=F(1), safest=F(0), begin=F(1), digits=6)
    assert every.kept > 1 / FINEST / 10**4
    assert every.exceeds is None
