"""A matrix for each step: against the definitions over all paths, and what repeats over an infinite horizon."""

from fractions import Fraction
from itertools import pairwise, permutations, product
from math import exp, prod

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import (
    INFINITE,
    ZERO,
    InvalidRequest,
    Level,
    NotUnique,
    TransitionMatrix,
    UnreachableState,
    algorithm_1,
    leakage,
    loss_function,
    parse_level,
    population_leakage,
    stationary,
    supremum,
    worst_case_composition,
    worst_case_leakage,
    worst_case_supremum,
)
from tploracle.reference.paper.own_steps import StepwiseAdversary, periodic_suprema, periodic_suprema_of
from tploracle.reference.stepwise import Stepwise, over_a_period, periodic_reversal
from tploracle.reference.worst_case.periods import periodic_boundedness, periodic_worst_case_supremum
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage, fast_worst_case_supremum

from ..matrices import CYCLE, DIVERGES, HALF, MODERATE, SKEWED, SLOW, STRONGEST, SWAP, SYMMETRIC, UNCORRELATED
from ..strategies import matrices

MIXING = TransitionMatrix.of([["1/2", "1/4", "1/4"], ["1/3", "1/3", "1/3"], ["1/10", "1/10", "4/5"]])


def adversary(backward, forward=None):
    def losses(known):
        if isinstance(known, TransitionMatrix):
            return loss_function(known)
        return known and Stepwise(tuple(map(loss_function, known.each)), known.repeats)

    return StepwiseAdversary(losses(backward), losses(forward))


# Against the definitions


def greatest_by_paths(chain, ratios, time, *, before, after):
    """The greatest ratio of likelihoods given two values at a time, over all sets asked about, by summing over paths.

    Nothing here knows of backward matrices: the joint distribution of the values is multiplied out.
    """
    initial, steps = chain
    n, releases = len(initial), len(ratios)
    probability = {}
    for path in product(range(n), repeat=releases):
        p = initial[path[0]]
        for matrix, (a, b) in zip(steps, pairwise(path), strict=True):
            p *= matrix.rows[a][b]
        probability[path] = p
    sets = [frozenset(a for a in range(n) if bits >> a & 1) for bits in range(2**n)]
    asked_times = [*range(time if before else 0), *range(time + 1 if after else releases, releases), time]
    best = Fraction(1)
    for chosen in product(sets, repeat=len(asked_times)):
        told = [Fraction(0)] * n
        for path, p in probability.items():
            yes = prod(ratios[s] for s, asked in zip(asked_times, chosen, strict=True) if path[s] in asked)
            told[path[time]] += p * yes
        at = [sum(p for path, p in probability.items() if path[time] == a) for a in range(n)]
        for j, k in permutations(range(n), 2):
            best = max(best, told[j] / at[j] / (told[k] / at[k]))
    return best


def by_bayes(initial, steps):
    """The backward matrices of a chain: from the joint distribution of two times after each other."""
    now, found = list(initial), []
    for matrix in steps:
        after = [sum(p * row[b] for p, row in zip(now, matrix.rows, strict=True)) for b in range(len(now))]
        found.append([[now[a] * matrix.rows[a][b] / after[b] for a in range(len(now))] for b in range(len(now))])
        now = after
    return Stepwise(tuple(map(TransitionMatrix.of, found)))


positive = st.integers(1, 9)


@st.composite
def chains(draw, n=2, steps=2):
    weights = [draw(st.lists(positive, min_size=n, max_size=n)) for _ in range(1 + n * steps)]
    rows = [[Fraction(w, sum(own)) for w in own] for own in weights]
    return rows[0], [TransitionMatrix.of(rows[1 + n * s : 1 + n * (s + 1)]) for s in range(steps)]


@given(chains(), st.lists(st.fractions(1, 4, max_denominator=6), min_size=3, max_size=3))
def test_it_is_the_definitions_over_all_paths(chain, ratios):
    initial, steps = chain
    backward, forward = by_bayes(initial, steps), Stepwise(tuple(steps))
    found = worst_case_leakage([Level.of_ratio(r) for r in ratios], backward, forward)
    time = 1
    for kind, before, after in (("bpl", True, False), ("fpl", False, True), ("tpl", True, True)):
        level = getattr(found, kind)[time]
        assert level.ratio == greatest_by_paths(chain, ratios, time, before=before, after=after)


@given(st.lists(matrices(min_n=3, max_n=3), min_size=3, max_size=3), st.lists(positive, min_size=4, max_size=4))
def test_each_step_is_one_of_algorithm_1(own, budgets):
    epsilons = [Level.of(Fraction(budget, 7)) for budget in budgets]
    found = leakage(epsilons, adversary(Stepwise(tuple(own)), Stepwise(tuple(own))))
    bpl, fpl = [epsilons[0]], [epsilons[-1]]
    for matrix, epsilon in zip(own, epsilons[1:], strict=True):
        bpl.append(epsilon + algorithm_1(matrix, bpl[-1], ZERO))
    for matrix, epsilon in zip(own[::-1], epsilons[-2::-1], strict=True):
        fpl.append(epsilon + algorithm_1(matrix, fpl[-1], ZERO))
    assert list(found.bpl) == bpl
    assert list(found.fpl) == fpl[::-1]
    later = [algorithm_1(matrix, level, ZERO) for matrix, level in zip(own, found.fpl[1:], strict=True)]
    assert list(found.tpl) == [b + f for b, f in zip(bpl, [*later, ZERO], strict=True)]


# One matrix, some that repeat, as many as there are steps


@given(st.lists(matrices(min_n=2, max_n=2), min_size=1, max_size=3), st.integers(1, 5), st.booleans())
def test_what_repeats_is_what_it_is_written_out(own, releases, is_quick):
    cycle = Stepwise(tuple(own), repeats=True)
    steps = Stepwise(cycle.over(releases - 1, ""))
    epsilons = [parse_level("log(3/2)"), *[parse_level("log(2)")] * (releases - 1)]
    leakage_of = fast_worst_case_leakage if is_quick else worst_case_leakage
    assert leakage_of(epsilons, cycle, cycle) == leakage_of(epsilons, steps, [*steps.each])
    assert leakage(epsilons, adversary(cycle, cycle)) == leakage(epsilons, adversary(steps, steps))
    if len(set(own)) == 1:
        assert leakage_of(epsilons, cycle, cycle) == leakage_of(epsilons, own[0], own[0])
        assert leakage(epsilons, adversary(cycle, cycle)) == leakage(epsilons, adversary(own[0], own[0]))


def test_windows_take_the_steps_within_them():
    epsilons = [parse_level("log(2)")] * 4
    turns = Stepwise((SWAP, UNCORRELATED, SWAP))
    assert worst_case_composition(epsilons, 2, 2, turns, turns) == parse_level(
        "log(16)"
    )  # the first and the last are told
    assert worst_case_composition(epsilons, 1, 2, turns, turns) == parse_level("log(4)")


@pytest.mark.parametrize("own", [(SKEWED,), (SKEWED,) * 3])
def test_as_many_matrices_as_steps(own):
    epsilons = [parse_level("1")] * 3
    for ask in (
        lambda: leakage(epsilons, adversary(Stepwise(own))),
        lambda: worst_case_leakage(epsilons, None, Stepwise(own)),
    ):
        with pytest.raises(InvalidRequest, match=rf"{len(own)} matrices for 2 steps"):
            ask()


def test_what_has_no_one_matrix_is_refused_by_name():
    known = adversary(Stepwise((SKEWED,), repeats=True))
    for role in ("backward", "forward"):
        with pytest.raises(InvalidRequest, match="a matrix for each step"):
            getattr(known, role)
    assert known == adversary(Stepwise((SKEWED,), repeats=True)) != adversary(Stepwise((SKEWED,)))
    found = population_leakage([parse_level("1")] * 2, {"a": known, "b": adversary(Stepwise((SKEWED,)))})
    assert found.each["a"] == found.each["b"]
    with pytest.raises(InvalidRequest, match="differ in size"):
        adversary(Stepwise((SKEWED, DIVERGES)))
    with pytest.raises(InvalidRequest, match="2 states, the forward ones 3"):
        adversary(Stepwise((SKEWED,)), Stepwise((DIVERGES,)))
    with pytest.raises(InvalidRequest, match="no matrix to repeat"):
        Stepwise((), repeats=True)


# The chain that repeats


@given(st.lists(matrices(min_n=2, max_n=3), min_size=1, max_size=3).filter(lambda own: len({m.n for m in own}) == 1))
def test_the_reversal_of_a_cycle_is_by_bayes(own):
    cycle = Stepwise(tuple(own), repeats=True)
    try:
        back = periodic_reversal(cycle, is_forward=True)
    except (NotUnique, UnreachableState):
        return
    now, columns = stationary(period := over_a_period(cycle, is_forward=True)), zip(*period.rows, strict=True)
    assert tuple(sum(p * q for p, q in zip(now, column, strict=True)) for column in columns) == now
    assert back.each == by_bayes(now, own).each
    assert periodic_reversal(back, is_forward=False) == cycle


TURNS = [
    (SKEWED, SYMMETRIC),
    (SKEWED, SYMMETRIC, HALF),
    (DIVERGES, MIXING),
    (SWAP, SKEWED),
    (UNCORRELATED, STRONGEST),
]


@pytest.mark.parametrize("own", TURNS)
@pytest.mark.parametrize("text", ["log(9/8)", "1/10"])
@pytest.mark.parametrize("is_forward", [False, True])
def test_a_period_changes_the_paper_s_supremum_no_more(own, text, is_forward):
    epsilon, cycle = parse_level(text), Stepwise(tuple(map(loss_function, own)), repeats=True)
    found = periodic_suprema(cycle, epsilon, is_forward)
    count = 30 * len(own) + 1
    known = StepwiseAdversary(None, cycle) if is_forward else StepwiseAdversary(cycle)
    near = leakage([epsilon] * count, known)
    for time, level in enumerate(found):
        before = found[(time + (1 if is_forward else -1)) % len(own)]
        loss = cycle.each[time if is_forward else time - 1]
        assert abs(float(epsilon + loss(before)) - float(level)) < 1e-12
        at = near.fpl[time] if is_forward else near.bpl[count - 1 - len(own) + time]
        assert float(at) <= float(level) * (1 + 1e-12)
        assert float(at) > float(level) * 0.99


def test_the_supremum_of_a_cycle_of_one_is_the_supremum():
    for matrix in (SKEWED, DIVERGES, SLOW):
        for text in ("log(9/8)", "1/10"):
            epsilon = parse_level(text)
            (own,) = periodic_suprema(Stepwise((loss_function(matrix),), repeats=True), epsilon)
            assert own.enclosure(30) == supremum(loss_function(matrix), epsilon).level.enclosure(30)


def test_where_a_cycle_has_no_supremum():
    """Of the pairs of HALF and MODERATE d is 0, and q is 1/2 and 4/5: without bound from e^(2ε) = 5/2 on."""
    cycle = Stepwise((loss_function(HALF), loss_function(MODERATE)), repeats=True)
    critical = Fraction(5, 2)
    assert periodic_suprema(cycle, Level.of_ratio(Fraction(159, 100))) == (INFINITE, INFINITE)
    below = Fraction(158, 100)
    assert below**2 < critical
    assert not any(level.is_infinite for level in periodic_suprema(cycle, Level.of_ratio(below)))
    held = Stepwise((loss_function(HALF), loss_function(UNCORRELATED)), repeats=True)
    assert not any(level.is_infinite for level in periodic_suprema(held, parse_level("5")))
    assert periodic_suprema(cycle, ZERO) == (ZERO, ZERO)
    with pytest.raises(InvalidRequest, match="steps that repeat"):
        periodic_suprema(Stepwise(cycle.each), ZERO)


def test_tpl_stays_below_what_is_said_of_it():
    back, on = Stepwise((SKEWED, HALF), repeats=True), Stepwise((SYMMETRIC, SKEWED, HALF), repeats=True)
    epsilon, known = parse_level("log(6/5)"), adversary(back, on)
    bpl, fpl, tpl = map(float, periodic_suprema_of(known, epsilon))
    found = leakage([epsilon] * 121, known)
    for most, levels in ((bpl, found.bpl), (fpl, found.fpl), (tpl, found.tpl)):
        assert most * 0.9999 < max(map(float, levels)) <= most * (1 + 1e-12)


COINS = [TransitionMatrix.of([[p, 1 - p], [1 - p, p]]) for p in (Fraction(k, 10) for k in (0, 3, 5, 8, 10))]
"""A step each way with one probability: a chain of them is the same turned around, so that times are alike."""


@given(
    st.lists(st.sampled_from([*COINS, SKEWED]), min_size=1, max_size=4),
    st.integers(1, 2),
    st.sampled_from(["log(3/2)", "1/2"]),
    st.sampled_from([(True, True), (True, False), (False, True)]),
)
@example([SYMMETRIC, COINS[1]], 1, "1/2", (True, True))  # the two times mirror one another
@example([SKEWED, SYMMETRIC, COINS[-1]], 1, "log(3/2)", (True, True))  # nobody moves in the third step
@example([SKEWED, SYMMETRIC], 2, "1/2", (True, True))  # the times come twice
@example([SKEWED, COINS[2], SYMMETRIC, COINS[2]], 1, "1/2", (True, False))  # and where all is forgotten
def test_times_with_the_same_tpl_need_not_be_told_apart(own, repeated, text, known):
    """Equal levels of different times are often different formulas, which no precision tells apart."""
    cycle, epsilon = Stepwise(tuple(map(loss_function, own * repeated)), repeats=True), parse_level(text)
    sides = [cycle if one else None for one in known]
    found = list(map(float, periodic_suprema_of(StepwiseAdversary(*sides), epsilon)))
    bpl, fpl = (
        list(map(float, periodic_suprema(side, epsilon, is_forward))) if side else [float(epsilon)] * len(cycle.each)
        for side, is_forward in zip(sides, (False, True), strict=True)
    )
    tpl = [b + f - float(epsilon) for b, f in zip(bpl, fpl, strict=True)]
    assert found == pytest.approx([max(bpl), max(fpl), max(tpl)], rel=1e-12)


# The exact worst case of what repeats


def swept(steps, ratio, pair, lam, releases):
    """Return Σ Φ(c) after `releases` releases of one budget, in doubles; steps, the matrices before them, in turn."""
    first = steps[0]
    c = [float(p - lam * q) for p, q in zip(first[pair[0]], first[pair[1]], strict=True)]
    for release in range(releases):
        c = [ratio * x if x > 0 else x for x in c]
        if release + 1 < releases:
            matrix = steps[(release + 1) % len(steps)]
            c = [sum(float(matrix[a][b]) * c[a] for a in range(len(c))) for b in range(len(c))]
            size = max(map(abs, c)) or 1.0
            c = [x / size for x in c]
    return sum(c)


@pytest.mark.parametrize("own", TURNS[:4])
def test_the_exact_worst_case_of_a_cycle_is_where_sweeps_change_their_sign(own):
    epsilon, m = parse_level("log(6/5)"), len(own)
    cycle = Stepwise(own, repeats=True)
    found = float(periodic_worst_case_supremum(epsilon, cycle)) - float(epsilon)
    n = own[0].n

    def signs(lam):
        rows = [[own[(phase - 1 - s) % m].rows for s in range(m)] for phase in range(m)]
        return [swept(steps, 1.2, pair, lam, 600) for steps in rows for pair in permutations(range(n), 2)]

    ratio = Fraction(1) if found == 0 else Fraction(exp(found))
    assert all(value <= 0 for value in signs(1 + (ratio - 1) * Fraction(1001, 1000)))
    assert any(value > 0 for value in signs(1 + (ratio - 1) * Fraction(999, 1000)))
    assert float(fast_worst_case_supremum(epsilon, None, periodic_forward(own))) == pytest.approx(
        found + float(epsilon)
    )


def periodic_forward(own):
    """Forward matrices with which FPL is the BPL of these backward ones: the future is the past turned around."""
    return Stepwise(own[::-1], repeats=True)


@pytest.mark.parametrize("matrix", [SKEWED, DIVERGES, SLOW])
def test_a_matrix_that_repeats_is_itself(matrix):
    epsilon = parse_level("log(6/5)")
    once = worst_case_supremum(epsilon, matrix, matrix).enclosure(12)
    assert periodic_worst_case_supremum(epsilon, Stepwise((matrix,) * 2, repeats=True), matrix).enclosure(12) == once


@pytest.mark.parametrize(
    ("own", "bounded"),
    [
        ((SWAP, SKEWED), True),  # one of them alone turns for ever
        ((SWAP, SWAP), False),
        ((STRONGEST, UNCORRELATED), True),
        ((CYCLE, CYCLE), False),
        ((TransitionMatrix.of([["0", "1"], ["1/2", "1/2"]]),) * 2, True),
        # each of them mixes, and after both the values 1 and 2 are told from 3 and 4 for ever
        (
            (
                TransitionMatrix.of([["1/2", "0", "1/2", "0"], ["1/2", "0", "1/2", "0"]] * 2),
                TransitionMatrix.of([["1", "0", "0", "0"], ["0", "1", "0", "0"]] * 2),
            ),
            True,
        ),
    ],
)
def test_the_criterion_is_that_of_the_whole_period(own, bounded):
    epsilon, cycle = parse_level("log(6/5)"), Stepwise(own, repeats=True)
    assert periodic_boundedness(cycle, epsilon).is_bounded is bounded
    found = periodic_worst_case_supremum(epsilon, cycle)
    assert found.is_infinite is not bounded
    grown = [float(fast_worst_case_leakage([epsilon] * count, cycle).bpl[-1]) for count in (25, 41)]
    assert (grown[1] > grown[0] + 1) is not bounded


def test_what_a_transient_value_keeps_over_a_period():
    """HALF keeps 1/2 and MODERATE 4/5: over both 2/5, so that e^(2ε) = 5/2 is the boundary, as of the recursion."""
    cycle = Stepwise((HALF, MODERATE), repeats=True)
    assert periodic_worst_case_supremum(Level.of_ratio(Fraction(159, 100)), cycle).is_infinite
    below = periodic_worst_case_supremum(Level.of_ratio(Fraction(3, 2)), cycle)
    assert not below.is_infinite
    losses = Stepwise(tuple(map(loss_function, cycle.each)), repeats=True)
    found = periodic_suprema(losses, Level.of_ratio(Fraction(3, 2)))
    assert below.enclosure(15) == max(found).enclosure(15)  # of two values whose order stays they are one


def test_what_cannot_be_asked_over_an_infinite_horizon():
    one = parse_level("1")
    with pytest.raises(InvalidRequest, match="matrices that repeat"):
        periodic_worst_case_supremum(one, Stepwise((SKEWED,)))
    with pytest.raises(InvalidRequest, match="2 and 3 states"):
        periodic_worst_case_supremum(one, Stepwise((SKEWED,), repeats=True), Stepwise((DIVERGES,), repeats=True))
    with pytest.raises(InvalidRequest, match="no period"):
        over_a_period(Stepwise((SKEWED,)), is_forward=True)
    alone = Stepwise((TransitionMatrix.of([["1"]]),), repeats=True)
    assert periodic_worst_case_supremum(one, alone) == ZERO
    assert periodic_worst_case_supremum(ZERO, Stepwise((SKEWED,), repeats=True)) == ZERO
