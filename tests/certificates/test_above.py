"""The check from above against the literal reference: it accepts what is right, and refutes what is too small."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from fractions import Fraction
from itertools import combinations, permutations, product, repeat
from math import ceil, inf, nextafter
from operator import mul
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from tploracle.certificates import above, above_for_ever, above_guess, above_lines
from tploracle.certificates.above import check_leakage
from tploracle.certificates.above_doubles import FLOOR, CheckedSide, above_it, below_it, between, raised
from tploracle.certificates.above_for_ever import check_supremum
from tploracle.certificates.above_guess import guessed
from tploracle.certificates.above_lines import SPARE_BITS, Lines, alike, proved_depths
from tploracle.reference import (
    INFINITE,
    ZERO,
    Leakage,
    Level,
    TransitionMatrix,
    loss_function,
    worst_case_leakage,
    worst_case_supremum,
)
from tploracle.reference.errors import Refuted, Unchecked
from tploracle.reference.stepwise import Stepwise
from tploracle.reference.worst_case.periods import periodic_worst_case_supremum
from tploracle.reference.worst_case.sweep import OneSide, sweep, worst
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage

from ..profiles import examples

LITTLE = Fraction(1, 10**30)


def drawn_matrix(random: Random, n: int, kind: str) -> TransitionMatrix:
    """Return a matrix: full, sparse, sticky, cyclic or with rows that are nearly equal."""
    rows = []
    for j in range(n):
        weights = [random.randint(0 if kind == "sparse" else 1, 9) for _ in range(n)]
        if kind == "sticky":
            weights[j] += 40
        if kind == "cyclic":
            weights = [int(k == (j + 1) % n) * 9 + int(k == j) for k in range(n)]
        if not any(weights):
            weights[random.randrange(n)] = 1
        rows.append(weights)
    if kind == "near":
        rows = [[10**25 + (j == k) for k in range(n)] for j in range(n)]
    return TransitionMatrix(tuple(tuple(Fraction(w, sum(row)) for w in row) for row in rows))


KINDS = ("full", "sparse", "sticky", "cyclic", "near")


def budgets_of(random: Random, releases: int, kind: str) -> list[Level]:
    if kind == "one":
        return [Level.of(Fraction(1, 10))] * releases
    if kind == "ratio":
        return [Level.of_ratio(Fraction(11, 10))] * releases
    return [
        random.choice([Level.of(Fraction(random.randint(0, 9), 10)), Level.of_ratio(Fraction(3, 2))])
        for _ in range(releases)
    ]


def lowered(level: Level, part: Fraction, bits: int = 200) -> Level:
    """Return a level whose excess is less by a part, or more."""
    lower, _ = level.excess_bounds(bits)
    return Level.of_ratio(1 + lower * (1 - part))


CASES = [
    (number, kind, budget, n, releases)
    for number, (kind, budget) in enumerate((k, b) for k in KINDS for b in ("one", "ratio", "differing"))
    for n, releases in ((2, 4), (3, 6), (4, 3))
]


def stream(number: int, kind: str, budget: str, n: int, releases: int) -> tuple[list[Level], object, object]:
    random = Random(100 * number + 10 * n + releases)
    backward, forward = drawn_matrix(random, n, kind), drawn_matrix(random, n, kind)
    each: list[object] = [backward, forward]
    shape = number % 4
    if shape == 1:
        each[1] = None
    elif shape == 2:
        each = [Stepwise(tuple(drawn_matrix(random, n, kind) for _ in range(releases - 1))), forward]
    elif shape == 3:
        each = [backward, Stepwise((forward, drawn_matrix(random, n, kind)), repeats=True)]
    return budgets_of(random, releases, budget), *each


@pytest.mark.parametrize(("number", "kind", "budget", "n", "releases"), CASES)
def test_what_is_right_is_proved_and_what_is_a_little_less_refuted(
    number: int, kind: str, budget: str, n: int, releases: int
) -> None:
    epsilons, backward, forward = stream(number, kind, budget, n, releases)
    truth = worst_case_leakage(epsilons, backward, forward)
    check_leakage(epsilons, backward, forward, truth)
    random = Random(number)
    for name in ("bpl", "fpl", "tpl"):
        levels = list(getattr(truth, name))
        time = random.randrange(releases)
        if levels[time].is_infinite or levels[time].is_zero:
            continue
        for part in (LITTLE, Fraction(1, 10**12), Fraction(1, 100)):
            changed = {other: getattr(truth, other) for other in ("bpl", "fpl", "tpl")}
            changed[name] = tuple(lowered(level, part) if at == time else level for at, level in enumerate(levels))
            with pytest.raises(Refuted):
                check_leakage(epsilons, backward, forward, Leakage(**changed))
        changed[name] = tuple(lowered(level, -LITTLE) if at == time else level for at, level in enumerate(levels))
        check_leakage(epsilons, backward, forward, Leakage(**changed))


@pytest.mark.parametrize(("number", "kind", "budget", "n", "releases"), CASES[::4])
def test_every_pair_is_looked_at(number: int, kind: str, budget: str, n: int, releases: int) -> None:
    """Renaming the values so that the worst pair comes last, or first, changes nothing."""
    epsilons, _, forward = stream(4 * number, kind, budget, n, releases)
    assert isinstance(forward, TransitionMatrix)
    truth = worst_case_leakage(epsilons, forward=forward)
    if max(truth.fpl) <= max(epsilons):
        return
    for names in permutations(range(n)):
        renamed = TransitionMatrix(tuple(tuple(forward.rows[a][b] for b in names) for a in names))
        check_leakage(epsilons, None, renamed, truth)
        less = tuple(lowered(level, Fraction(1, 10**9)) for level in truth.fpl)
        with pytest.raises(Refuted):
            check_leakage(epsilons, None, renamed, Leakage(truth.bpl, less, truth.tpl))


@pytest.mark.parametrize("budget", ["one", "ratio", "differing"])
def test_the_sum_of_all_budgets_is_proved_at_once_and_less_is_refuted(budget: str) -> None:
    """Where two values never meet nothing less holds, at any time and of any kind."""
    chain = TransitionMatrix.of([[0, 1, 0], [1, 0, 0], ["1/2", "1/2", 0]])
    epsilons = budgets_of(Random(7), 5, budget)
    sums = tuple(sum(epsilons[: t + 1], ZERO) for t in range(5)), tuple(sum(epsilons[t:], ZERO) for t in range(5))
    claimed = Leakage(*sums, (sums[0][-1],) * 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CheckedSide, "proved", None)
        check_leakage(epsilons, chain, chain, claimed)
    for name, levels in vars_of(claimed).items():
        for time in (1, 2, 3):
            less = tuple(lowered(level, LITTLE) if at == time else level for at, level in enumerate(levels))
            with pytest.raises(Refuted, match=f"{name.upper()} at time {time + 1}"):
                check_leakage(epsilons, chain, chain, Leakage(**{**vars_of(claimed), name: less}))


def test_values_with_the_same_rows_are_proved_once_but_for_those_that_another_matrix_distinguishes() -> None:
    one, other = ["1/2", "1/4", "1/4"], ["1/8", "5/8", "1/4"]
    same, epsilons = TransitionMatrix.of([one, one, other]), budgets_of(Random(3), 4, "one")
    for forward in (same, TransitionMatrix.of([one, other, other]), TransitionMatrix.of([other, one, one])):
        truth = worst_case_leakage(epsilons, same, forward)
        check_leakage(epsilons, same, forward, truth)
        for name, levels in vars_of(truth).items():
            less = (*levels[:1], lowered(levels[1], LITTLE), *levels[2:])
            with pytest.raises(Refuted, match=name.upper()):
                check_leakage(epsilons, same, forward, Leakage(**{**vars_of(truth), name: less}))
    alone = TransitionMatrix.of([one] * 3)
    check_leakage(epsilons, alone, alone, worst_case_leakage(epsilons, alone, alone))
    with pytest.raises(Refuted):
        check_leakage(epsilons, alone, alone, Leakage(*[tuple(lowered(own, LITTLE) for own in epsilons)] * 3))


def test_what_is_allowed_is_rounded_so_that_less_may_remain() -> None:
    levels = [Level.of(1), Level.of_ratio(Fraction(7, 3)), Level.of(Fraction(1, 10**40)), Level.of(300)]
    for level, budget in product(levels, levels):
        (low, high), own, most = level.excess_bounds(1000), budget.excess_bounds(1000)[1], above.most_of(level)
        assert most is not None
        assert high * (1 + Fraction(3, 2**106)) <= most <= high * (1 + Fraction(1, 2**104)) * (1 + Fraction(1, 2**110))
        rest, whole = above.allowance(level, budget), (1 + high) * (1 + own) - 1
        assert rest is not None
        assert most - (most + own) / 2**200 <= (1 + rest) * (1 + own) - 1 <= most
        both, sums = above.joined(high, own), above.most_of_all([level, budget, budget], 4)
        assert both is not None
        assert whole <= both <= whole * (1 + Fraction(1, 2**200))
        assert sums[:2] == [0, above.joined(level.excess_bounds(2 * above.BITS)[1], Fraction(0))]
        assert sums[2] is not None
        assert sums[3] is not None
        assert (1 + low) * (1 + own) - 1 <= sums[2] < sums[3]
        assert [len(above.most_of_all([level, budget], times)) for times in (2, 5)] == [2, 5]
    assert above.most_of(INFINITE) is above.allowance(INFINITE, levels[0]) is above.joined(None, high) is None
    assert above.allowance(levels[0], INFINITE) == -1
    assert above.most_of_all([INFINITE, *levels], 3) == [0, None, None]
    assert above.joined(Fraction(above.MOST_ODDS), Fraction(1)) is None
    for ratio, own in product((10**9_990, 10**10_001, 10**20_000), (1, 10**9_999, 10**15_000)):
        level = Level.of_ratio(Fraction(ratio))
        most, rest = above.most_of(level), above.allowance(level, Level.of_ratio(Fraction(own)))
        assert most is not None
        assert rest is not None
        assert rest == (exact := (most + 1) / own - 1) or above.MOST_ODDS < rest < exact
    for limit, coarse, fine, is_exceeded in (
        (Fraction(0), Fraction(1), Fraction(1, 2), True),
        (Fraction(1), Fraction(2), Fraction(2), True),
        (Fraction(1), Fraction(20), Fraction(18), False),
        (Fraction(1), Fraction(18), Fraction(17), False),
        (Fraction(1), Fraction(16), Fraction(17), False),
        (Fraction(1), np.inf, Fraction(10) ** 400, False),
        (Fraction(1), Fraction(19), Fraction(18), True),
        (Fraction(1), Fraction(1), Fraction(1), False),
        (Fraction(1), np.inf, np.inf, True),
    ):
        assert above.is_exceeded(limit, coarse, fine) == is_exceeded


@pytest.mark.parametrize("power", [1, 130, 1000])
def test_integers_have_all_digits_of_the_smallest_limit_or_entry(power: int) -> None:
    least, enough = Fraction(1, 2**power), above.BITS + 96
    side = CheckedSide([((1 - least, least), (0 * least, 1 + 0 * least))], [ZERO] * 2)
    limits = [None, Fraction(0), Fraction(4)]
    assert above.precision([*limits, least], [None]) == above.precision(limits, [None, side]) == enough + power
    assert above.precision(limits, [None]) == enough


def test_budgets_that_are_infinite_or_zero() -> None:
    matrix = TransitionMatrix.of([["1/2", "1/2"], ["1/4", "3/4"]])
    epsilons = [INFINITE, Level.of(Fraction(1, 2)), Level.of(Fraction(0)), Level.of_ratio(Fraction(2))]
    truth = worst_case_leakage(epsilons, matrix, matrix)
    check_leakage(epsilons, matrix, matrix, truth)
    less = (*truth.tpl[:-1], lowered(truth.tpl[-1], Fraction(1, 1000)))
    with pytest.raises(Refuted):
        check_leakage(epsilons, matrix, matrix, Leakage(truth.bpl, truth.fpl, less))
    with pytest.raises(Refuted):
        check_leakage(epsilons, matrix, matrix, Leakage(truth.bpl, truth.fpl, (Level.of(Fraction(1)), *truth.tpl[1:])))


@pytest.mark.parametrize("releases", [2, 3, 5])
@pytest.mark.parametrize("kind", KINDS[:3])
def test_releases_that_reveal_the_value_before_one_that_does_not(kind: str, releases: int) -> None:
    """Of these only the nearest counts: BPL at the last time is its own budget and the loss of the matrix."""
    matrix, own = drawn_matrix(Random(releases), 3, kind), Level.of(Fraction(1, 2))
    epsilons = [INFINITE] * (releases - 1) + [own]
    claimed = own + loss_function(matrix)(INFINITE)
    for order in (1, -1):
        for level in [claimed] if claimed.is_infinite else [claimed, lowered(claimed, LITTLE)]:
            levels = ((INFINITE,) * (releases - 1) + (level,))[::order]
            each = [levels, (INFINITE,) * releases][::order]
            with nullcontext() if level is claimed else pytest.raises(Refuted):
                check_leakage(epsilons[::order], *[matrix, None][::order], Leakage(*each, levels))


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_releases_one_tells_the_loss_of_its_budget_about_the_other(kind: str) -> None:
    matrix, epsilon = drawn_matrix(Random(1), 3, kind), Level.of(Fraction(3, 10))
    claimed = epsilon + loss_function(matrix)(epsilon)
    for order in (1, -1):
        for level in (claimed, lowered(claimed, LITTLE)):
            levels = (epsilon, level)[::order]
            each = [levels, (epsilon,) * 2][::order]
            with nullcontext() if level is claimed else pytest.raises(Refuted):
                check_leakage([epsilon] * 2, *[matrix, None][::order], Leakage(*each, levels))


LEVELS = st.one_of(
    st.sampled_from([ZERO, INFINITE]),
    st.integers(22_990, 23_060).map(Level.of),  # e^23,026 is the most that is checked
    st.builds(lambda power, digits: Level.of(digits * Fraction(10) ** power), st.integers(-5, 4), st.integers(1, 100)),
    st.builds(lambda power: Level.of_ratio(1 + Fraction(2) ** power), st.integers(-1074, 30_000)),
)
CHAINS = st.sampled_from(
    [
        TransitionMatrix.of([[1, 0], [0, 1]]),
        TransitionMatrix.of([[1, 0], ["1/2", "1/2"]]),
        TransitionMatrix.of([[0, 1, 0], ["1/2", 0, "1/2"], [1, 0, 0]]),
        TransitionMatrix.of([["2/3", "1/3"], ["1/7", "6/7"]]),
    ]
)


@examples(40)
@given(
    st.one_of(
        st.lists(LEVELS, min_size=1, max_size=5), st.builds(mul, LEVELS.map(lambda one: [one]), st.integers(1, 24))
    ),
    CHAINS,
    st.sampled_from([(1, 1), (1, 0), (0, 1)]),
    st.randoms(use_true_random=False),
    LEVELS,
)
def test_no_level_below_the_truth_is_proved_however_great_odds_are(
    epsilons: list[Level], chain: TransitionMatrix, sides: tuple[int, int], random: Random, finite: Level
) -> None:
    """Nor is one refused that is right: odds beyond 10^10000 that doubles do not prove are not checked."""
    known = [chain if is_known else None for is_known in sides]
    truth = vars_of(worst_case_leakage(epsilons, *known))
    is_checked = all(level.is_infinite or level < Level.of(23_000) for each in truth.values() for level in each)
    with nullcontext() if is_checked else suppress(Unchecked):
        check_leakage(epsilons, *known, Leakage(**truth))
    for name, levels in truth.items():
        time = random.randrange(len(epsilons))
        if not levels[time].is_zero and not (levels[time].is_infinite and finite.is_infinite):
            less = finite if levels[time].is_infinite else lowered(levels[time], LITTLE)
            claimed = (*levels[:time], less, *levels[time + 1 :])
            others = truth if random.random() < 0.5 else dict.fromkeys(truth, (INFINITE,) * len(epsilons))
            with pytest.raises(Refuted if is_checked and less < Level.of(23_000) else (Refuted, Unchecked)):
                check_leakage(epsilons, *known, Leakage(**{**others, name: claimed}))


def test_what_too_few_bits_do_not_decide_is_tried_with_twice_as_many_and_then_not_decided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A level is proved to 104 bits: 100 of them are too few for it, and for a claim that is lower by as little."""
    monkeypatch.setattr(above, "precision", lambda *_: 100)
    matrix, epsilons = TransitionMatrix.of([["2/3", "1/3"], ["1/7", "6/7"]]), [Level.of(Fraction(1, 2))] * 4
    truth = worst_case_leakage(epsilons, matrix)
    check_leakage(epsilons, matrix, None, truth)
    ratios = [1 + epsilons[0].excess_bounds()[0]] * 3
    found = {pair: worst(OneSide((matrix.rows,) * 3), ratios, pair) for pair in ((0, 1), (1, 0))}
    j, k = max(found, key=lambda pair: found[pair].ratio)  # type: ignore[union-attr]
    for power, error in ((100, Unchecked), (60, Refuted)):
        bpl = (*truth.bpl[:3], lowered(truth.bpl[3], Fraction(1, 2**power)))
        with pytest.raises(error, match=rf"BPL at time 4: .*values {j + 1} and {k + 1}\b"):
            check_leakage(epsilons, matrix, None, Leakage(bpl, truth.fpl, truth.tpl))


def drawn_sides(count: int, kinds: Sequence[str]) -> Iterator[tuple[TransitionMatrix, Fraction, int, list[int]]]:
    """Yield matrices of these kinds with e^ε, a number of releases and two values."""
    random = Random(7)
    for number in range(count):
        n, depth = random.randint(2, 5), random.randint(1, 8)
        matrix = drawn_matrix(random, n, kinds[number % len(kinds)])
        yield matrix, Fraction(random.randint(11, 30), 10), depth, random.sample(range(n), 2)


@pytest.mark.parametrize(
    "epsilon", [*(Fraction(1, 2**power) for power in (1074, 300, 60, 40, 20)), Fraction(1), Fraction(50), Fraction(800)]
)
def test_budgets_of_any_size(epsilon: Fraction) -> None:
    """Levels without an exact form, below all doubles and beyond: claimed alone or with others, proved or refuted."""
    backward = TransitionMatrix.of([["3/4", "1/4"], ["1/4", "3/4"]])
    forward = TransitionMatrix.of([["3/4", "1/4"], ["0", "1"]])
    epsilons, anything = [Level.of(epsilon) for _ in range(4)], (INFINITE,) * 4
    truth = worst_case_leakage(epsilons, backward, forward)
    check_leakage(epsilons, backward, forward, truth)
    for name, time in (("bpl", 3), ("fpl", 0), ("tpl", 1)):
        level = getattr(truth, name)[time]
        for part, is_refuted in ((LITTLE, True), (-LITTLE, False)):
            own = tuple(lowered(level, part) if at == time else INFINITE for at in range(4))
            claimed = Leakage(**{**dict.fromkeys(("bpl", "fpl", "tpl"), anything), name: own})
            with pytest.raises(Refuted) if is_refuted else nullcontext():
                check_leakage(epsilons, backward, forward, claimed)


@pytest.mark.parametrize("number", range(24))
def test_what_nothing_is_told_of_leaks_exactly_nothing(number: int) -> None:
    """Budgets of 0, and rows that become equal, leave a limit of 0: it is proved exactly, and no more than that."""
    random = Random(number)
    budgets = [Level.of(Fraction(0))] * 3 + [INFINITE, Level.of(Fraction(1, 10**20)), Level.of_ratio(Fraction(3, 2))]
    epsilons = [random.choice(budgets) for _ in range(5)]
    kinds = random.choice([("full", "sparse"), ("cyclic", "full")])
    backward, forward = (drawn_matrix(random, 3, kind) for kind in kinds)
    if number % 3 == 0:  # two steps away from a value nothing is left of it
        half = [["1/2", "1/2", "0"], ["1/2", "0", "1/2"], ["0", "1/2", "1/2"]]
        equal = [["1/6", "1/3", "1/2"]] * 3
        backward = Stepwise(tuple(TransitionMatrix.of(rows) for rows in (equal, half, equal, half)))  # type: ignore[assignment]
    truth = worst_case_leakage(epsilons, backward, forward)
    check_leakage(epsilons, backward, forward, truth)
    for time, budget in enumerate(epsilons):
        for name in ("bpl", "fpl", "tpl"):
            if getattr(truth, name)[time] > budget:
                levels = tuple(budget if at == time else own for at, own in enumerate(getattr(truth, name)))
                with pytest.raises(Refuted):
                    check_leakage(epsilons, backward, forward, Leakage(**{**vars_of(truth), name: levels}))


def test_a_supremum_beyond_doubles_is_refuted_by_name() -> None:
    matrix = TransitionMatrix.of([["1", "0"], ["1/2", "1/2"]])
    epsilon = Level.of(Fraction(800))
    with pytest.raises(Refuted):
        check_supremum(epsilon, matrix, None, Level.of(Fraction(801)))


def test_doubles_and_integers_bound_what_the_exact_sweep_comes_to() -> None:
    """What doubles prove holds of the exact sweep, and a little above the zero of W they prove it; integers find it.

    Releases differ, and the sweep ends in what is claimed of the last one and all beyond it.
    """
    random = Random(4)
    for number in range(60):
        n, depth = random.randint(2, 5), random.randint(1, 8)
        drawn = [drawn_matrix(random, n, KINDS[:4][number % 4]).rows for _ in range(1 + number % 3)]
        steps, pair = random.choices(drawn, k=depth), random.sample(range(n), 2)
        ratios = [Fraction(random.randint(10, 99), 10) for _ in range(depth + 1)]
        outward = np.array([random.randint(1, 9) / 4 for _ in ratios])
        side = CheckedSide(steps, [Level.of_ratio(ratio) for ratio in ratios], outward)
        time = random.randint(1, depth)
        end = random.randrange(time)
        one_side, told = OneSide(tuple(steps[end:time])), ratios[end:time]
        if end:
            told[0] = 1 + Fraction(outward[end])
        own = np.array([time]), np.array([end]), np.array([pair])
        found = worst(one_side, told, tuple(pair))
        assert found is not None
        zero = found.ratio - 1
        for part in (-0.5, -1e-3, -1e-9, -1e-13, -(2.0**-53), 2.0**-53, 1e-13, 1e-9, 1e-3):
            x = max(float(zero) * (1 + part), 0) + (2.0**-46 if part > 1e-12 else 0)
            exact = sweep(one_side, told, tuple(pair), 1 + Fraction(x))[1]
            is_proved = side.proved(*own, np.array([x]))[0]
            assert exact <= 0 if is_proved else part < 1e-12
        assert abs(guessed(side, *own, np.zeros(1), margin=above.MARGIN)[0] - zero) <= zero * above.MARGIN
        for bits in (100, 224):
            bound = side.lines(time, pair, bits, end, told[0] - 1 if end else None).bound(time - end)
            assert bound is not None
            assert zero <= bound <= zero + (1 + zero) * Fraction(64, 1 << bits - SPARE_BITS)


def test_the_ends_of_doubles_are_on_the_safe_side() -> None:
    for value in (Fraction(1, 3), Fraction(5000), Fraction(10**299)):
        assert below_it(value) < value < above_it(value)
        assert Fraction(above_it(value)) - Fraction(below_it(value)) <= value / 2**51
    for value in (Fraction(10**310), Fraction(10**400)):
        assert (below_it(value), above_it(value)) == (1e300, np.inf)
    c, tiny = np.array([[1e-200, -1e-200, 0, 1, -1]]), Fraction(1, 10**200)
    side = CheckedSide([drawn_matrix(Random(1), 5, "full").rows], [Level.of(1)] * 2)
    assert side.excesses[0] > Level.of(1).excess_bounds(1000)[0]
    for own in (raised(c, c), side.after(c, np.zeros(1))[0]):
        assert own.tolist() == [[FLOOR, 0, 0, 1, -1]]
    lost = np.array([[2.0**60, 1, 1, 0, -(2.0**60)]])  # both units, in doubles
    assert side.after(lost, np.zeros(1))[2][0] >= 2
    side = CheckedSide([((1 - tiny, tiny), (tiny, 1 - tiny))], [ZERO] * 2)
    with np.errstate(invalid="ignore"):
        assert not side.proved(np.array([1]), np.array([0]), np.array([[0, 1]]), np.array([1e9]))[0]


def test_the_start_in_doubles_is_above_entries_that_are_one_double() -> None:
    """P_j − P_k is nearly a unit in the last place, and nothing of it is left: 2u·P_k alone is less by 4u²."""
    half, unit, tiny = Fraction(1, 2) + Fraction(1, 2**53), Fraction(1, 2**54), Fraction(1, 2**130)
    j, k = half + unit - tiny, half - unit + tiny
    side = CheckedSide([((j, 1 - j), (k, 1 - k))], [ZERO] * 2)
    (c,) = side.first(np.array([0]), np.array([[0, 1]]), np.zeros(1)).tolist()
    assert Fraction(c[0]) >= j - k


def test_releases_are_silent_of_a_pair_where_the_exact_ratio_is_one() -> None:
    halves = TransitionMatrix.of([["1/2", "1/2", "0"], ["1/2", "0", "1/2"], ["0", "1/2", "1/2"]])
    equal, turned = (
        TransitionMatrix.of(rows) for rows in ([["1/6", "1/3", "1/2"]] * 3, [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    )
    for number in range(40):
        random = Random(number)
        steps = [random.choice((halves, halves, equal, turned)).rows for _ in range(4)]
        ratios = random.choices([Fraction(1), Fraction(3, 2), Fraction(2)], (4, 1, 1), k=5)
        side = CheckedSide(steps, [Level.of_ratio(ratio) for ratio in ratios])
        for time, depth, pair in product(range(1, 5), range(1, 5), permutations(range(3), 2)):
            if depth <= time:
                found = worst(OneSide(tuple(steps[time - depth : time])), ratios[time - depth : time], pair)
                assert side.is_silent(time, depth, pair) == (found is not None and found.ratio == 1)


@pytest.mark.parametrize("number", range(40))
def test_each_step_in_doubles_is_above_the_exact_one_by_little(number: int) -> None:
    random = Random(number)
    n, ratio = random.randint(2, 6), Fraction(random.randint(8, 80), 7)
    matrix, pair = drawn_matrix(random, n, "full"), random.sample(range(n), 2)
    side, x = CheckedSide([matrix.rows], [Level.of_ratio(ratio)] * 2), 10 ** random.uniform(-3, 6)
    first = [p - q - Fraction(x) * q for p, q in zip(*(matrix.rows[value] for value in pair), strict=True)]
    (c,) = side.first(np.array([0]), np.array([pair]), np.array([x])).tolist()
    weighted = [Fraction(own) * ratio if own > 0 else Fraction(own) for own in c]
    f, size, w = side.after(np.array([c]), side.growth[:1])
    (onward,) = side.onward(f, size, np.array([0])).tolist()
    found = [
        sum((v * p for v, p in zip(weighted, own, strict=True)), Fraction(0)) for own in zip(*matrix.rows, strict=True)
    ]
    for upper, exact in zip([*c, w[0], *onward], [*first, sum(weighted), *found], strict=True):
        assert exact <= Fraction(upper) <= exact + (1 + Fraction(x)) * ratio / 2**46


def test_rows_of_doubles_keep_what_is_above_zero_when_they_are_scaled() -> None:
    """A value of chance 10^−149, told by the farthest releases: B is about e^1380 · 10^−149, and not below 10^300."""
    rare, depth = Fraction(1, 10**149), 70
    stays = TransitionMatrix.of([[1, 0], [0, 1]]).rows
    steps = [stays] * (depth - 1) + [TransitionMatrix.of([[1 - rare, rare], [1, 0]]).rows]
    for own, is_true in ((ZERO, True), (Level.of(690), False)):
        side = CheckedSide(steps, [own] * 2 + [ZERO] * (depth - 1))
        proved = side.proved(np.array([depth]), np.array([0]), np.array([[0, 1]]), np.array([1e300]))
        assert proved[0] == is_true


def test_integers_come_to_the_exact_bound_at_each_depth_in_any_order() -> None:
    unreached = TransitionMatrix.of([["1/2", "1/2", 0], ["1/4", "3/4", 0], ["1/3", "1/3", "1/3"]])
    drawn = *zip(drawn_sides(25, KINDS), repeat(False)), *zip(drawn_sides(20, ("sparse",)), repeat(True))
    told = [((unreached, Fraction(2), 1, pair), True) for pair in ([0, 1], [2, 0])]
    for (matrix, ratio, depth, pair), reveals in (*drawn, *told):
        budgets = [Level.of_ratio(ratio)] * (depth + 1)
        side = CheckedSide([matrix.rows] * depth, [INFINITE, *budgets[1:]] if reveals else budgets)
        lines = side.lines(depth, pair, 224)
        for over in Random(depth).sample(range(1, depth + 1), depth):
            found = worst(OneSide((matrix.rows,) * over, reveals and over == depth), [ratio] * over, tuple(pair))
            bound = lines.bound(over)
            if found is None:
                assert bound is None or bound > 10**20
            else:
                assert bound is not None
                assert found.ratio - 1 <= bound <= (found.ratio - 1) * (1 + LITTLE) + LITTLE


def test_lines_are_above_the_exact_sweep_between_their_ends() -> None:
    """In so few bits that each rounding to the wrong side shows: 7/16 less a little loses nearly a unit."""
    tiny, never = Fraction(1, 10**9), TransitionMatrix.of([[1, 0], [0, 1]])
    rounded = TransitionMatrix.of([[Fraction(7, 16) - tiny, Fraction(9, 16) + tiny], [0, 1]])
    rare = TransitionMatrix.of([["1/48", "47/48"], [0, 1]])
    sides = *drawn_sides(30, KINDS[:4]), *((matrix, Fraction(1), 2, [0, 1]) for matrix in (never, rounded, rare))
    for (matrix, ratio, depth, pair), bits in product(sides, (4, 8, 16)):
        for own, start in product((ratio, Fraction(1)), (0, 1 << bits - 2, 1 << bits + 1)):
            side = CheckedSide([matrix.rows] * depth, [Level.of_ratio(own)] * (depth + 1))
            lines = side.lines(depth, pair, bits)
            line = lines._line(depth, start)
            assert line is not None
            u, v, low, high = line
            assert low <= start <= (start if high is None else high)
            for x in (int(low), start, start if high is None else int(high)):
                c = [p - q - Fraction(x, 1 << bits) * q for p, q in zip(*(matrix.rows[k] for k in pair), strict=True)]
                for each in zip(lines._u, lines._v, strict=True):
                    upper = [int(p) - Fraction(x * int(q), 1 << bits) for p, q in zip(*each, strict=True)]
                    assert all(exact * 2**bits <= most for exact, most in zip(c, upper, strict=True))
                    after = [value * own if value > 0 else value for value in c]
                    c = [sum(map(mul, after, column), Fraction(0)) for column in zip(*matrix.rows, strict=True)]
                assert sum(after) * 2**bits <= int(u) - Fraction(x * int(v), 1 << bits)


def test_integers_prove_what_is_at_least_the_exact_bound_and_nothing_less() -> None:
    for matrix, ratio, depth, pair in drawn_sides(60, KINDS[:4]):
        side = CheckedSide([matrix.rows] * depth, [Level.of_ratio(ratio)] * (depth + 1))
        (own, *_), (growth, *_) = side.releases(depth, 224)
        found = [worst(OneSide((matrix.rows,) * over), [ratio] * over, tuple(pair)) for over in range(1, depth + 1)]
        exact = {over: one.ratio - 1 for over, one in enumerate(found, 1) if one and one.ratio > 1 and over % 3 != 1}
        if growth is not None and exact:
            for part in (LITTLE, -LITTLE):
                tried = {over: int(x * (1 + part) * 2**224) for over, x in exact.items()}
                assert proved_depths(own, growth, pair, tried, 224) == (set(exact) if part > 0 else set())
            for bits in (8, 12, 16, 24):  # one unit below: nothing is rounded so that it passes
                (own, *_), (growth, *_) = side.releases(depth, bits)
                tried = {over: ceil(x * 2**bits) - 1 for over, x in exact.items()}
                assert growth is not None
                assert not proved_depths(own, growth, pair, tried, bits)


def test_sweeps_in_integers_go_on_with_other_releases_as_if_they_were_new() -> None:
    random = Random(3)
    for _ in range(30):
        steps = [drawn_matrix(random, 3, random.choice(KINDS)).rows for _ in range(2)]
        budgets = [Level.of_ratio(Fraction(random.choice((1, 2, 3)))) for _ in range(2)]
        side = CheckedSide([random.choice(steps[:1] * 4 + steps) for _ in range(9)], random.choices(budgets, k=10))
        lines: dict[int, Lines] = {}
        for time in random.sample(range(1, 10), 6):
            fresh, nearest = side.lines(time, (0, 1), 224), int(side.which[time - 1])
            if nearest in lines:
                lines[nearest].follow(*side.releases(time, 224))
            bound, new = lines.setdefault(nearest, fresh).bound(time), side.lines(time, (0, 1), 224).bound(time)
            assert bound == new or (bound and new and abs(bound - new) <= LITTLE * new)


def test_pairs_that_are_alike_have_equal_ratios_and_symmetric_chains_have_few_kinds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where few cells are followed, or with two matrices, no others are alike."""
    random = Random(5)
    fifth = [[Fraction(int(j == k) * 4 + 1, 9) for k in range(5)] for j in range(5)]
    ring = [[Fraction((2, 1, 0, 0, 0, 1)[(k - j) % 6], 4) for k in range(6)] for j in range(6)]
    blocks = [[Fraction((3, 1)[j // 2 != k // 2], 8) for k in range(4)] for j in range(4)]
    moved = [[Fraction(int(k == (j + 1) % 6) * 9 + 1, 15) for k in range(6)] for j in range(6)]  # so are the cells
    drawn = [[list(row) for row in drawn_matrix(random, 4, kind).rows] for kind in KINDS for _ in range(3)]
    chosen = [[random.sample(range(5), 2) for _ in range(5)] for _ in range(30)]  # alike at a glance
    drawn += [[[Fraction(int(k in own), 2) for k in range(5)] for own in rows] for rows in chosen]
    coarse = [
        [random.choice([[1, 1, 2], [2, 1, 1], [4, 0, 0], [1, 2, 1], [0, 4, 0]]) for _ in range(3)] for _ in range(40)
    ]
    drawn += [[[Fraction(weight, 4) for weight in row] for row in rows] for rows in coarse]
    differing = [Fraction(3, 2), Fraction(5), Fraction(9, 8)]
    for rows, kinds in [(fifth, 1), (ring, 3), (blocks, 2), (moved, 1), *((rows, 20) for rows in drawn)]:
        frozen = tuple(map(tuple, rows))
        pairs = list(permutations(range(len(rows)), 2))
        keys = alike([frozen], np.array(pairs))
        assert len(set(keys)) <= kinds
        assert len(set(alike([frozen, frozen], np.array(pairs)))) == len(pairs)
        for followed in (1, 3):
            with monkeypatch.context() as patch:
                patch.setattr(above_lines, "EACH_SORTED", above_lines.MOST_SORTED // followed)
                finer = alike([frozen], np.array(pairs))
            assert len(set(zip(finer, keys, strict=True))) == len(set(finer))
        ratios: dict[int, set[object]] = {}
        for pair, key in zip(pairs, keys, strict=True):
            found = [worst(OneSide((frozen,) * 3), growths, pair) for growths in ([Fraction(3, 2)] * 3, differing)]
            ratios.setdefault(key, set()).add(tuple(one and one.ratio for one in found))
        assert all(len(own) == 1 for own in ratios.values())


def test_pairs_are_not_alike_if_two_of_many_entries_change_places() -> None:
    """Two blocks differ in one row alone, by two entries side by side: of thousands of cells and entries few differ."""
    random, n, growths = Random(0), 16, [Fraction(3, 2)] * 3
    weights = [[random.randrange(1, 10**4) for _ in range(n)] for _ in range(n)]
    block = [[Fraction(weight, sum(row)) for weight in row] for row in weights]
    nothing = (Fraction(0),) * n
    for at in range(n - 1):
        *above_last, last = map(tuple, block)
        other = (*above_last, (*last[:at], last[at + 1], last[at], *last[at + 2 :]))
        blocks = tuple(map(tuple, block)), other
        whole = tuple((*row, *nothing) for row in blocks[0]) + tuple((*nothing, *row) for row in other)
        ratios = [found and found.ratio for found in (worst(OneSide((own,) * 3), growths, (0, 1)) for own in blocks)]
        assert ratios[0] != ratios[1]
        assert len(set(alike([whole], np.array([(0, 1), (n, n + 1)])))) == 2


def test_pairs_whose_rows_have_other_entries_than_all_others_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of five rows two have the same entries: pairs with one of these are followed."""
    weights = [[5, 1, 1, 0], [2, 3, 1, 1], [1, 4, 0, 2], [1, 2, 3, 4], [4, 3, 2, 1]]
    matrix = tuple(tuple(Fraction(weight, sum(row)) for weight in (*row, 0)) for row in weights)
    pairs, followed, follow = list(permutations(range(5), 2)), list[object](), above_lines._followed
    monkeypatch.setattr(above_lines, "_followed", lambda *own: (followed.extend(own[2].tolist()), follow(*own))[1])
    assert len(set(alike([matrix], np.array(pairs)))) == len(pairs)
    assert followed == [[j, k] for j, k in pairs if j > 2 or k > 2]
    followed.clear()
    assert len(set(alike([matrix], np.array(pairs[:2])))) == 2
    assert not followed
    turned = tuple(tuple(Fraction(weight, 6) for weight in row) for row in ([1, 2, 3], [2, 1, 3], [3, 1, 2]))
    assert len(set(alike([turned], np.array(told := [(0, 1), (0, 2)])))) == 2
    assert followed == [list(pair) for pair in told]  # and each differs from the other at its first release


@pytest.mark.parametrize("sides", [(True, False), (False, True), (True, True)])
def test_a_claim_that_falls_back_to_that_of_fewer_releases_is_refuted(sides: tuple[bool, bool]) -> None:
    """What is proved over few releases proves nothing of more, though the same is claimed of both."""
    matrix = drawn_matrix(Random(4), 3, "sticky")
    epsilons = [Level.of(Fraction(1, 5))] * 6
    backward, forward = (matrix if known else None for known in sides)
    truth = fast_worst_case_leakage(epsilons, backward, forward)
    check_leakage(epsilons, backward, forward, truth)
    for name, order in (("bpl", range(6)), ("fpl", range(5, -1, -1))):
        levels = vars_of(truth)[name]
        for less, more in combinations(order, 2):
            if levels[less] < levels[more]:
                own = tuple(levels[less] if at == more else level for at, level in enumerate(levels))
                with pytest.raises(Refuted):
                    check_leakage(epsilons, backward, forward, Leakage(**{**vars_of(truth), name: own}))


@pytest.mark.parametrize("sides", [(0,), (0, 1)])
def test_one_pair_stands_for_those_that_are_alike(sides: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a cycle with noise all pairs are alike, though their values move; a second side tells distances apart."""
    rows = [
        [[Fraction(9 * (k == (j + 1) % 7) + 1 + side * (k == j), 16 + side) for k in range(7)] for j in range(7)]
        for side in sides
    ]
    both = [*(TransitionMatrix(tuple(map(tuple, own))) for own in rows), None][:2]
    epsilons, tried, by_doubles = [Level.of(Fraction(1, 2))] * 5, list[int](), above._left_by_doubles
    monkeypatch.setattr(above, "_left_by_doubles", lambda *own: (tried.append(len(own[1])), by_doubles(*own))[1])
    truth = fast_worst_case_leakage(epsilons, *both)
    check_leakage(epsilons, *both, truth)
    assert tried == [1 if len(sides) == 1 else 6]
    with pytest.raises(Refuted):
        check_leakage(epsilons, *both, Leakage(truth.bpl, truth.fpl, tuple(lowered(own, LITTLE) for own in truth.tpl)))


@pytest.mark.parametrize("kinds", [("full", "sticky"), ("sticky", None), (None, "sticky")])
def test_a_window_may_end_in_what_is_claimed_of_earlier_times(kinds: tuple[str | None, str | None]) -> None:
    """Streams longer than a window, with budgets that differ: the right answer is proved, a little less is refuted.

    The matrices of one side alone are other ones at each step, and remember what is beyond the window.
    """
    random = Random(2)
    epsilons = [Level.of(Fraction(random.randint(1, 9), 20)) for _ in range(2 * above.WINDOW + 6)]
    sides = [kind and drawn_matrix(random, 3, kind) for kind in kinds]
    if None in kinds:
        kept = [Fraction(random.randint(970, 999), 1000) for _ in epsilons[1:]]
        steps = Stepwise(tuple(TransitionMatrix(((p, 1 - p), (1 - p * p, p * p))) for p in kept))
        sides = [kind and steps for kind in kinds]
    truth = fast_worst_case_leakage(epsilons, *sides)
    check_leakage(epsilons, *sides, truth)
    for time in (0, above.WINDOW, len(epsilons) - 1):
        for name, levels in vars_of(truth).items():
            if levels[time] > epsilons[time]:
                own = tuple(lowered(level, LITTLE) if at == time else level for at, level in enumerate(levels))
                with pytest.raises(Refuted):
                    check_leakage(epsilons, *sides, Leakage(**{**vars_of(truth), name: own}))


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("releases", [3, above.WINDOW + 3])
@pytest.mark.parametrize("number", range(3))
def test_only_values_that_are_possible_count(number: int, releases: int, side: int) -> None:
    """The first two have the same rows, and are never possible at once; a little less than what is right is refuted."""
    random = Random(number)
    a, b = Fraction(random.randint(1, 9), 1000), Fraction(random.randint(1, 9), 1000)
    half = (1 - a) / 2
    matrix = TransitionMatrix(
        ((half, half, a, a - a), (half, half, a, a - a), (b, b - b, 1 - 2 * b, b), (b, b, b, 1 - 3 * b))
    )
    epsilons = [Level.of(Fraction(random.randint(1, 9), 20)) for _ in range(releases)]
    possible = [(random.randrange(2), 2, 3)[: random.randint(1, 3)] for _ in epsilons]
    sides = [matrix, None][:: 1 - 2 * side]
    truth = (worst_case_leakage if releases == 3 else fast_worst_case_leakage)(epsilons, *sides, possible)
    check_leakage(epsilons, *sides, truth, possible)
    for name, levels in vars_of(truth).items():
        for time, level in enumerate(levels):
            own = (*levels[:time], lowered(level, LITTLE), *levels[time + 1 :])
            with nullcontext() if level.is_zero else pytest.raises(Refuted):
                check_leakage(epsilons, *sides, Leakage(**{**vars_of(truth), name: own}), possible)


@pytest.mark.parametrize("side", [0, 1])
def test_what_is_claimed_of_a_single_possible_value_bounds_no_other(side: int) -> None:
    """The odds of two values depend on releases beyond a window, farther than which one value alone is possible."""
    order, releases = 1 - 2 * side, above.WINDOW + 4
    matrix = TransitionMatrix.of([["99/100", "1/100"], ["1/50", "49/50"]])
    epsilons = [Level.of(Fraction(1, 2 + time)) for time in range(releases)]
    possible = ([(0,)] * (releases - 2) + [(0, 1)] * 2)[::order]
    sides = [matrix, None][::order]
    truth = fast_worst_case_leakage(epsilons, *sides, possible)
    check_leakage(epsilons, *sides, truth, possible)
    for name, levels in vars_of(truth).items():
        for time in range(releases):
            if levels[time] > epsilons[time]:
                less = (*levels[:time], lowered(levels[time], LITTLE), *levels[time + 1 :])
                with pytest.raises(Refuted):
                    check_leakage(epsilons, *sides, Leakage(**{**vars_of(truth), name: less}), possible)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("releases", [1, 2])
def test_no_leakage_is_below_its_budget_where_there_are_two_values(n: int, releases: int) -> None:
    """Nothing is known of the values (n = 0), or there are n of them, of which one alone has nothing to leak."""
    matrix = TransitionMatrix(((Fraction(1, n),) * n,) * n) if n else None
    epsilons = [Level.of(Fraction(1, 3)), Level.of(Fraction(1, 2))][:releases]
    right = {name: tuple(epsilons) for name in ("bpl", "fpl", "tpl")}
    check_leakage(epsilons, matrix, None, Leakage(**right))
    for name in right:
        for time in range(releases):
            less = tuple(lowered(level, LITTLE) if at == time else level for at, level in enumerate(epsilons))
            with pytest.raises(Refuted) if n != 1 else nullcontext():
                check_leakage(epsilons, matrix, None, Leakage(**{**right, name: less}))


EXCESSES = st.just(0.0) | st.floats(2.0**-60, 1e9)
"""Those of pairs: doubles prove none that is smaller."""


@given(EXCESSES, EXCESSES)
def test_an_excess_in_doubles_is_rounded_to_the_safe_side_and_by_little(before: float, after: float) -> None:
    exact = Fraction(before) + Fraction(after) + Fraction(before) * Fraction(after)

    def exceeds(limit: float) -> list[bool]:
        one, other, most = (np.array(own)[..., None] for own in ([before], [after], [[before], [after], [limit]]))
        found: list[bool] = above._exceeding(one, other, most).ravel().tolist()
        return found

    for limit in (nextafter(float(exact), -inf), float(exact), nextafter(float(exact), inf)):
        *alone, both = exceeds(limit)
        assert alone == [False, False]
        assert both or exact <= Fraction(limit)
    assert not exceeds(float(exact) * (1 + 2.0**-49))[2]
    assert before * after > 0 or not exceeds(before + after)[2]


@pytest.mark.parametrize("pair", [(0.0, inf), (inf, 0.0), (inf, inf)])
def test_what_is_not_proved_exceeds_each_limit_but_none(pair: tuple[float, float]) -> None:
    before, after = (np.array([[own]]) for own in pair)
    with np.errstate(invalid="ignore"):
        found = [above._exceeding(before, after, np.full((3, 1, 1), most)).ravel().tolist() for most in (inf, 9.0)]
    assert found == [[False] * 3, [*np.isinf(pair).tolist(), True]]


def vars_of(leakage: Leakage) -> dict[str, tuple[Level, ...]]:
    return {name: getattr(leakage, name) for name in ("bpl", "fpl", "tpl")}


@pytest.mark.parametrize("number", range(16))
def test_suprema(number: int) -> None:
    random = Random(number)
    n = random.randint(2, 4)
    backward, forward = (drawn_matrix(random, n, KINDS[(number + own) % 3]) for own in range(2))
    known = [(backward, None), (None, forward), (backward, forward)][number % 3]
    epsilon = Level.of(Fraction(random.randint(1, 6), 10))
    truth = worst_case_supremum(epsilon, *known)
    check_supremum(epsilon, *known, truth)
    if not truth.is_infinite:
        with pytest.raises(Refuted):
            check_supremum(epsilon, *known, lowered(truth, Fraction(1, 1000), 44))


@pytest.mark.parametrize(("back", "onward", "n"), [(3, 0, 3), (0, 3, 3), (1, 2, 3), (2, 2, 2), (3, 3, 2), (2, 3, 2)])
def test_suprema_of_matrices_that_repeat(back: int, onward: int, n: int) -> None:
    """Which step comes first counts, and at which time of a period the matrices of both sides meet."""
    random = Random(back + onward)
    drawn = ([drawn_matrix(random, n, "full") for _ in range(own)] for own in (back, onward))
    known = [Stepwise(tuple(own), repeats=True) if own else None for own in drawn]
    epsilon = Level.of(Fraction(random.randint(2, 6), 10))
    truth = periodic_worst_case_supremum(epsilon, *known)
    check_supremum(epsilon, *known, truth)
    with pytest.raises(Refuted):
        check_supremum(epsilon, *known, lowered(truth, Fraction(1, 1 << 30), 44))


@pytest.mark.parametrize("lengths", [(1, 3), (3, 1), (3, 3), (2, 0), (0, 4)])
def test_suprema_of_which_few_releases_are_read(lengths: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is far above is proved, and nothing below; what lies between may be left open."""
    monkeypatch.setattr(above_for_ever, "DEPTHS", (1, 2, 3))
    random = Random(sum(lengths))
    drawn = ([drawn_matrix(random, 2, "full") for _ in range(own)] for own in lengths)
    known = [Stepwise(tuple(own), repeats=True) if own else None for own in drawn]
    epsilon = Level.of(Fraction(1, 10))
    truth = periodic_worst_case_supremum(epsilon, *known)
    check_supremum(epsilon, *known, lowered(truth, Fraction(-1, 2), 44))
    for part in (1 << 30, 100, 4):
        with pytest.raises((Refuted, Unchecked)):
            check_supremum(epsilon, *known, lowered(truth, Fraction(1, part), 44))


@pytest.mark.parametrize("sides", [(0,), (1,), (0, 1)])
def test_a_supremum_is_proved_or_refuted_to_ten_digits(sides: tuple[int, ...]) -> None:
    """What the other releases may add is claimed: a little more than it is, or less by more or less than 2^−36."""
    matrix, growth = TransitionMatrix.of([["2/3", "1/3"], ["1/7", "6/7"]]), Fraction(3, 2)
    known = [matrix if side in sides else None for side in range(2)]
    rest = (1 + worst_case_supremum(Level.of_ratio(growth), *known).excess_bounds(200)[0]) / growth - 1
    found = {pair: worst(OneSide((matrix.rows,) * 9), [growth] * 9, pair) for pair in ((0, 1), (1, 0))}
    j, k = max(found, key=lambda pair: found[pair].ratio)  # type: ignore[union-attr]
    for off, error in ((Fraction(1, 2**52), None), (-Fraction(1, 2**37), Unchecked), (-Fraction(3, 2**36), Refuted)):
        most = (1 + rest * (1 + off)) * growth - 1
        claimed = Level.of_ratio(1 + most / (1 + Fraction(1, 2 ** (above_for_ever.EVER_BITS - 8))))
        with nullcontext() if error is None else pytest.raises(error, match=rf"values {j + 1} and {k + 1}\b"):
            check_supremum(Level.of_ratio(growth), *known, claimed)


@pytest.mark.parametrize("count", [1, 2])
def test_what_doubles_are_asked_to_prove_for_ever_is_within_the_limit(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If they proved all of it no pair were left but those for which both sides together exceed the limit."""
    tried: list[list[float]] = []
    monkeypatch.setattr(above_for_ever, "DEPTHS", (2,))
    monkeypatch.setattr(CheckedSide, "proved", lambda *own: (tried.append(own[-1].tolist()), own[-1] >= 0)[1])
    budgets, pairs, found = [Level.of(1)] * 6, list(permutations(range(3), 2)), set[bool]()
    sides = [CheckedSide([drawn_matrix(Random(own), 3, "sticky").rows] * 5, budgets) for own in range(count)]
    for limit in (1e-3, 0.1, 0.5, 1.0, 2.0, 5.0, 1e3):
        tried.clear()
        left = above_for_ever._left_by_doubles(sides, [5] * count, np.array(pairs), limit).tolist()
        for place, each in enumerate(zip(*tried, strict=True)):
            both = Fraction(1)
            for x in each:
                both *= 1 + Fraction(x)
            found.add(both - 1 > limit)
            assert (place in left) == (both - 1 > limit)
    assert not left
    assert (True in found) == (count > 1)


@pytest.mark.parametrize("limit", [0.7, 9.0])
def test_both_sides_for_ever_are_within_the_limit_to_the_last_digit(
    limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One side alone is guessed to exceed the limit by so much that next to nothing is asked of the other."""
    tried: list[list[float]] = []
    own = np.array([limit * Random(number).uniform(1, 9) for number in range(2000)])
    other = np.maximum((1 + own) / (1 + limit) * (1 - np.arange(2000) % 100 * 2.0**-53) - 1, 0)
    guesses = iter((own, other))
    monkeypatch.setattr(above_for_ever, "DEPTHS", (2,))
    monkeypatch.setattr(above_for_ever, "guessed", lambda *_, **__: next(guesses))
    monkeypatch.setattr(CheckedSide, "proved", lambda *own: (tried.append(own[-1].tolist()), own[-1] >= 0)[1])
    side = CheckedSide([drawn_matrix(Random(1), 2, "full").rows] * 5, [Level.of(1)] * 6)
    left = set(
        above_for_ever._left_by_doubles([side] * 2, [5] * 2, np.zeros((2000, 2), dtype=np.int64), limit).tolist()
    )
    exceeding = {place for place, (x, y) in enumerate(zip(*tried, strict=True))
                 if (1 + Fraction(x)) * (1 + Fraction(y)) - 1 > Fraction(limit)}  # fmt: skip
    assert exceeding <= left < set(range(2000))


@pytest.mark.parametrize("noise", [[[1, 3], [2, 1]], [[1, 3], [1, 2]], [[3, 1], [2, 1]], [[2] * 3, [3] * 3]])
def test_a_supremum_of_chains_that_mix_slowly_is_proved_in_doubles_and_no_less(
    noise: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two values that seldom change, and of a cycle that is seldom left; either pair of two may be the worse."""
    n = len(noise[0])
    weights = [[[own[j] + 100 * (k == (j + n // 3) % n) for k in range(n)] for j in range(n)] for own in noise]
    backward, forward = (TransitionMatrix.of([[Fraction(w, sum(r)) for w in r] for r in own]) for own in weights)
    epsilon, left = Level.of(Fraction(1, 100)), list[object]()
    truth = worst_case_supremum(epsilon, backward, forward)
    monkeypatch.setattr(above_for_ever, "_left_by_doubles", lambda *own: (left.append(own), range(len(own[2])))[1])
    monkeypatch.setattr(above_for_ever, "_check_by_integers", lambda *_: left.append("integers"))
    check_supremum(epsilon, backward, forward, truth)
    assert len(left) == 1
    check_supremum(epsilon, backward, forward, lowered(truth, Fraction(1, 1 << 30), 80))
    assert "integers" in left


@pytest.mark.parametrize("number", range(4))
def test_what_a_side_is_claimed_to_do_is_what_is_tried_of_each_pair_with_a_release(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In fractions, and both sides together stay within the limit: whatever is guessed."""
    random, tried = Random(number), list[tuple[Any, Any]]()
    pairs = np.array(list(permutations(range(3), 2)))
    budgets = [Level.of(Fraction(1, 3))] * 6
    sides = [CheckedSide([drawn_matrix(random, 3, "sticky").rows] * 5, budgets) for _ in range(2)]
    growth, places = budgets[0].excess_bounds(200)[1], np.zeros((3, 3), dtype=np.int64)
    places[tuple(pairs.T)] = range(6)
    monkeypatch.setattr(above_for_ever, "DEPTHS", (2, 3, 5))
    monkeypatch.setattr(above_for_ever, "guessed_together", lambda *_, **__: np.array([random.random() for _ in pairs]))
    monkeypatch.setattr(CheckedSide, "proved", lambda _, *own: (tried.append(own[3:]), own[3] >= 0)[1])
    found = set[bool]()
    for limit in (0.1, 0.5, 1.0, 2.0, 5.0, 1e3) * 5:
        tried.clear()
        found.add(is_proved := above_for_ever._all_by_doubles(sides, [5, 5], pairs, places, limit))
        if is_proved:
            both = [[1 + Fraction(x) for x in own] for own, _ in tried[-2:]]
            assert all(x * y - 1 <= limit for x, y in zip(*both, strict=True))
            for own, (_, claims) in zip(both, tried[-2:], strict=True):
                assert all(x * (1 + growth) - 1 <= claims[j, k] for x, (j, k) in zip(own, pairs, strict=True))
    assert found == {True, False}


@pytest.mark.parametrize("number", range(12))
def test_claims_of_pairs_bound_what_all_likelihoods_within_them_come_to(number: int) -> None:
    """By a linear program: the greatest Σ c f over f whose odds are within the claims is no greater than by W, and the
    same where there is one value on either side."""
    random, n = Random(number), 4
    c = np.array([[random.choice((-1, 1)) * random.randint(1, 9) for _ in range(n)]], dtype=float)
    c[0, :2] = 5, -random.randint(1, 9)
    if number % 3 == 0:
        c[0, 2:] = 0
    claims = np.array([[random.uniform(0, 3) * (a != b) for b in range(n)] for a in range(n)])
    growth = between(c, claims)
    w = float((c + growth * np.maximum(c, 0)).sum())
    rows = [(a, b) for a in range(n) for b in range(n) if a != b]
    within = np.zeros((len(rows), n))
    for row, (a, b) in enumerate(rows):
        within[row, a], within[row, b] = 1, -(1 + claims[a, b])
    greatest = -inf
    for b in np.flatnonzero(c[0] < 0):  # the least of these is 1
        least_is_one = [(1, 1) if a == b else (1, None) if c[0, a] < 0 else (0, None) for a in range(n)]
        found = linprog(-c[0], A_ub=within, b_ub=np.zeros(len(rows)), bounds=least_is_one)
        greatest = max(greatest, -found.fun) if found.status == 0 else greatest
    assert greatest <= w + 1e-9
    if number % 3 == 0:
        assert greatest >= w - 1e-9


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_no_supremum_is_below_the_budget_where_there_are_two_values(n: int) -> None:
    """Nothing is known of the values (n = 0), or there are n of them, of which one alone has nothing to leak."""
    matrix = TransitionMatrix(((Fraction(1, n),) * n,) * n) if n else None
    for epsilon in (ZERO, Level.of(Fraction(1, 3)), INFINITE):
        check_supremum(epsilon, matrix, None, epsilon)
        check_supremum(epsilon, None, matrix, INFINITE)
        if not epsilon.is_zero:
            with pytest.raises(Refuted, match="below the budget") if n != 1 else nullcontext():
                check_supremum(epsilon, matrix, None, lowered(Level.of(Fraction(1, 3)), Fraction(1, 1 << 30)))


def test_a_supremum_with_transient_values() -> None:
    matrix = TransitionMatrix.of([["3/5", "2/5", "0"], ["0", "4/5", "1/5"], ["0", "0", "1"]])
    epsilon = Level.of_ratio(Fraction(6, 5))
    truth = worst_case_supremum(epsilon, matrix)
    check_supremum(epsilon, matrix, None, truth)
    with pytest.raises((Refuted, Unchecked)):
        check_supremum(epsilon, matrix, None, lowered(truth, Fraction(1, 100), 44))


@pytest.mark.parametrize("budget", ["1e-5", "1e-7", "1e-12", "1e-30"])
@pytest.mark.parametrize("number", range(2))
def test_the_search_for_a_guess_ends_where_doubles_have_no_digit_of_it(
    budget: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random, turns = Random(number), Counter[int]()
    both = drawn_matrix(random, 3, "full"), drawn_matrix(random, 3, "full")
    epsilon, rise = Level.of(Fraction(budget)), above_guess._rise
    truth = worst_case_supremum(epsilon, *both)
    monkeypatch.setattr(above_guess, "_rise", lambda *a, **k: (turns.update([int((a[1] - a[2])[0])]), rise(*a, **k))[1])
    check_supremum(epsilon, *both, truth)
    assert turns
    assert max(turns.values()) <= 2 * 20  # of each side at each depth, first and with claims of pairs
    with pytest.raises(Refuted):
        check_supremum(epsilon, *both, lowered(truth, Fraction(1, 1000), 44))


@pytest.mark.parametrize("number", range(4))
def test_where_leakage_grows_with_each_release_few_pairs_are_left_to_integers(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value that is never left again is nearly told from another by each release: odds grow like e^(ε t)."""
    random, left, by_doubles = Random(number), set[int](), above._left_by_doubles
    rows = [[Fraction(random.randint(1, 9)) for _ in range(12)] for _ in range(11)] + [
        [Fraction(0)] * 11 + [Fraction(1)]
    ]
    matrix = TransitionMatrix(tuple(tuple(p / sum(row) for p in row) for row in rows))
    epsilons = [Level.of(Fraction(1))] * 40

    def recorded(*given: Any) -> Any:
        found = by_doubles(*given)
        left.update(place for _, _, place in found[0])
        return found

    monkeypatch.setattr(above, "_left_by_doubles", recorded)
    check_leakage(epsilons, matrix, None, fast_worst_case_leakage(epsilons, matrix))
    assert 1 <= len(left) <= 3  # those that attain it at some time


def test_bounds_by_integers_begin_at_those_of_fewer_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without claims by pairs doubles do not suffice: the odds of a transient value hardly lessen over a thousand."""
    backward, forward = (TransitionMatrix.of([["4/5", "1/5"], row]) for row in (["0", "1"], ["1/10", "9/10"]))
    epsilon, turns, line = Level.of(Fraction(1, 5)), Counter[int](), Lines._line
    truth = worst_case_supremum(epsilon, backward, forward)
    monkeypatch.setattr(Lines, "_line", lambda own, depth, x: (turns.update([depth]), line(own, depth, x))[1])
    monkeypatch.setattr(above_for_ever, "_all_by_doubles", lambda *_given: False)
    check_supremum(epsilon, backward, forward, truth)
    assert max(turns) > 1000
    assert turns[max(turns)] <= 3 * 2 * 5  # bounds, sides, and Newton's steps to each


def test_numbers_beyond_doubles_are_left_to_integers() -> None:
    tiny = Fraction(1, 10**200)
    matrix = TransitionMatrix(((1 - tiny, tiny), (tiny, 1 - tiny)))
    epsilons = [Level.of(Fraction(1))] * 4
    truth = worst_case_leakage(epsilons, matrix, matrix)
    check_leakage(epsilons, matrix, matrix, truth)
    with pytest.raises(Refuted):
        check_leakage(
            epsilons, matrix, matrix, Leakage(truth.bpl, truth.fpl, tuple(lowered(own, LITTLE) for own in truth.tpl))
        )


def test_what_would_take_too_long_is_not_checked_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = drawn_matrix(Random(1), 3, "full")
    epsilons = [Level.of(Fraction(1, 10))] * 5
    truth = worst_case_leakage(epsilons, matrix)
    monkeypatch.setattr(above, "MOST_EFFORT", 3**4 * 5)
    check_leakage(epsilons, matrix, None, truth)
    monkeypatch.setattr(above, "MOST_EFFORT", 3**4 * 5 - 1)
    with pytest.raises(Unchecked, match="5 releases with 3 states"):
        check_leakage(epsilons, matrix, None, truth)
    monkeypatch.setattr(above_lines, "LINE_TURNS", 0)
    with pytest.raises(Unchecked, match="integers of 224 bits come to no bound over 1 releases"):
        CheckedSide([matrix.rows], epsilons[:2]).lines(1, (0, 1), 224).bound(1)
