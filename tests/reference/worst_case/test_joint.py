"""Joint mechanisms by their definition: every path of values, every output; and what the sweep says of them."""

from fractions import Fraction
from itertools import permutations, product
from math import prod

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import (
    InvalidRequest,
    NotStochastic,
    TransitionMatrix,
    reverse,
    stationary,
    worst_case_leakage,
)
from tploracle.reference.definitions import leakage_by_definition
from tploracle.reference.worst_case.joint import JointMechanism, adaptive, tree_counter
from tploracle.reference.worst_case.mechanisms import randomized_response, response_about

from ...matrices import SKEWED, STRONGEST, SYMMETRIC
from ...profiles import examples
from ...strategies import matrices

HALF = Fraction(1, 2)
TURNING = TransitionMatrix.of([["41/50", "9/50"], ["9/50", "41/50"]])


def told(channel, value):
    """Return an answer as `adaptive` takes it, of a mechanism that looks at nothing else."""
    return dict(enumerate(channel.channel[value]))


def greatest(mechanism, time, first, last, matrix_pair):
    """Return e^leakage from the definition, by all paths of values: independent of how the reference goes about it."""
    backward, forward = matrix_pair
    given_value = [{} for _ in range(mechanism.n)]
    for path, outputs in mechanism.channel.items():
        weight = prod(backward.rows[path[s + 1]][path[s]] for s in range(time - 1))
        weight *= prod(forward.rows[path[s]][path[s + 1]] for s in range(time - 1, len(path) - 1))
        own = given_value[path[time - 1]]
        for output, chance in outputs.items():
            seen = output[first - 1 : last]
            own[seen] = own.get(seen, 0) + weight * chance
    best = Fraction(1)
    for one, other in permutations(given_value, 2):
        for seen, chance in one.items():
            if chance and not other.get(seen):
                return None
            best = max(best, chance / other[seen]) if chance else best
    return best


@st.composite
def streams(draw):
    """Three answers, each of the value and of what was answered before, from tables of whole numbers, 0 among them."""
    weights = st.lists(st.integers(0, 3), min_size=2, max_size=2).filter(any)
    tables = [
        {(value, earlier): draw(weights) for value in range(2) for earlier in product(range(2), repeat=t)}
        for t in range(3)
    ]

    def answer(t):
        return lambda value, earlier: {
            own: Fraction(weight, sum(tables[t][value, earlier]))
            for own, weight in enumerate(tables[t][value, earlier])
        }

    return adaptive(2, [answer(t) for t in range(3)])


@given(streams(), matrices(2, 2, kinds=["ties", "varied"]), matrices(2, 2, kinds=["ties", "varied"]))
@example(tree_counter(3, Fraction(2)), SKEWED, SYMMETRIC)
@examples(12)
def test_by_all_paths_and_never_above_the_sweep(mechanism, backward, forward):
    """Adaptive streams: BPL, FPL, TPL as defined; TPL and BPL within the sweep at their own budgets, FPL within TPL."""
    budgets = [mechanism.budget(time) for time in (1, 2, 3)]
    swept = worst_case_leakage(budgets, backward, forward)
    for time in (1, 2, 3):
        bounds = {(1, time): swept.bpl, (time, 3): swept.tpl, (1, 3): swept.tpl}
        for window, bound in bounds.items():
            found = mechanism.leakage(time, backward, forward, window=window)
            expected = greatest(mechanism, time, *window, (backward, forward))
            assert found.is_infinite == (expected is None)
            assert found.is_infinite or (found.ratio or 1) == expected
            assert found <= bound[time - 1]


def test_local_mechanisms_are_joint_ones():
    own = [
        randomized_response(2, Fraction(2)),
        response_about(2, {0}, Fraction(3)),
        randomized_response(2, Fraction(5)),
    ]
    mechanism = adaptive(2, [lambda value, _earlier, one=one: told(one, value) for one in own])
    for time in (1, 2, 3):
        assert mechanism.budget(time) == own[time - 1].privacy_leakage()
        assert mechanism.leakage(time, SKEWED, SYMMETRIC) == leakage_by_definition(own, time, SKEWED, SYMMETRIC)


def test_a_release_that_repeats_the_past():
    """FPL of an adaptive mechanism may be TPL: 16562/3481 in the odds, where without looking back it is 182/59.

    Rows (0.82, 0.18), (0.18, 0.82), e^ε = 2, three releases, the second time. Given the past it is 182/59 again.
    """
    response = response_about(2, {0}, Fraction(2))

    def repeats(value, earlier):
        return {(earlier, own): chance for own, chance in told(response, value).items()}

    plain = [lambda value, _earlier: told(response, value)] * 3
    looks_back = adaptive(2, [plain[0], repeats, plain[2]])
    assert [looks_back.budget(time).ratio for time in (1, 2, 3)] == [2, 2, 2]
    swept = worst_case_leakage([looks_back.budget(1)] * 3, TURNING, TURNING)
    assert swept.fpl[1].ratio == Fraction(182, 59)
    assert swept.tpl[1].ratio == Fraction(16562, 3481)
    assert adaptive(2, plain).leakage(2, TURNING, TURNING, window=(2, 3)).ratio == Fraction(182, 59)
    assert looks_back.leakage(2, TURNING, TURNING, window=(2, 3)).ratio == Fraction(16562, 3481)
    for first in range(2):  # Pr(r^2, r^3 | l^2, r^1): what the first release says is known
        given_past = [{}, {}]
        for (before, value, after), outputs in looks_back.channel.items():
            weight = TURNING.rows[value][before] * TURNING.rows[value][after]
            for (said, *later), chance in outputs.items():
                if said == first:
                    key = tuple(later)
                    given_past[value][key] = given_past[value].get(key, 0) + weight * chance
        one, other = ({key: p / sum(own.values()) for key, p in own.items()} for own in given_past)
        ratios = [one[key] / other[key] for key in one]
        assert max(*ratios, 1 / min(ratios)) == Fraction(182, 59)


def test_releases_that_are_private_one_by_one_alone():
    """r^1 = l ⊕ c, r^2 = c: each release alone tells nothing, both together all. Its own budget at time 1 is ∞."""
    masked = JointMechanism(2, {
        (value, other): {(value ^ coin, coin): HALF for coin in range(2)} for value in range(2) for other in range(2)
    })  # fmt: skip
    for window in ((1, 1), (2, 2)):
        assert masked.leakage(1, STRONGEST, STRONGEST, window=window).is_zero
    assert masked.leakage(1, STRONGEST, STRONGEST).is_infinite
    assert masked.budget(1).is_infinite
    assert masked.budget(2).is_zero


def test_values_that_cannot_be_count_for_a_budget():
    """The identity chain has no possible neighbours: of those alone, telling all would be private."""
    tells = JointMechanism(2, {(a, b): {(a, b): Fraction(1)} for a in range(2) for b in range(2)})
    assert tells.budget(1).is_infinite
    assert tells.leakage(1, STRONGEST, STRONGEST).is_infinite
    assert tells.leakage(1, STRONGEST, STRONGEST, possible=[1]).is_zero


@pytest.mark.parametrize(("releases", "ratio"), [(1, "2"), (2, "121/100"), (3, "2"), (4, "3")])
def test_the_tree_counter_is_private_at_event_level(releases, ratio):
    """Every time has budget ε where the tree is whole; one that is not gives later times fewer nodes."""
    counter = tree_counter(releases, Fraction(ratio))
    budgets = [counter.budget(time) for time in range(1, releases + 1)]
    assert max(budgets).ratio == Fraction(ratio)
    assert [own.ratio == Fraction(ratio) for own in budgets] == [releases != 3 or time < 3 for time in (1, 2, 3, 4)][
        :releases
    ]
    if releases == 4:
        swept = worst_case_leakage(budgets, SKEWED, SKEWED)
        assert [counter.leakage(time, SKEWED, SKEWED) for time in (1, 4)] == [swept.tpl[0], swept.tpl[3]]


def test_noise_at_the_nodes_by_hand():
    """Two times, e^ε = 4: leaves tell the truth with 2/3, the root's count has noise of ratio 2, from 0 to 2."""
    counter = tree_counter(2, Fraction(4)).channel
    # both values 1; the leaves say 1 and 1; the root says 2 with probability 2/3, 1 with 1/6, 0 with 1/6.
    assert counter[1, 1][(1,), (1, 2)] == Fraction(2, 3) ** 3
    assert counter[1, 1][(1,), (1, 1)] == Fraction(2, 3) ** 2 / 6
    assert counter[0, 1][(0,), (1, 1)] == Fraction(2, 3) ** 2 / 3


def test_what_a_mechanism_sees_of_a_value():
    """A counter of two of three values is what it would be about a chain on the three, asked about that set."""
    rows = TransitionMatrix.of([["1/2", "1/4", "1/4"], ["1/5", "3/5", "1/5"], ["0", "1/3", "2/3"]])
    back = reverse(rows, stationary(rows))
    counter = tree_counter(2, Fraction(4))
    seen = [1, 0, 1]
    whole = JointMechanism(3, {
        path: counter.channel[tuple(seen[value] for value in path)] for path in product(range(3), repeat=2)
    })  # fmt: skip
    for time in (1, 2):
        assert counter.leakage(time, back, rows, seen=seen) == whole.leakage(time, back, rows)


def test_what_is_no_joint_mechanism():
    sure = {(0,): Fraction(1)}
    for channel, error, words in (
        ({(0,): sure}, InvalidRequest, "every sequence"),
        ({(0,): sure, (1,): {(0, 0): Fraction(1)}}, InvalidRequest, "all releases"),
        ({(0,): sure, (1,): {(0,): HALF}}, NotStochastic, "sum"),
    ):
        with pytest.raises(error, match=words):
            JointMechanism(2, channel)
    with pytest.raises(InvalidRequest, match="2 values"):
        tree_counter(2, Fraction(2)).leakage(1, TransitionMatrix.of([[1]]), SKEWED)
    with pytest.raises(InvalidRequest, match="at least 1 release"):
        tree_counter(0, Fraction(2))
