"""Many users at once in pairs of doubles: every enclosure holds the exact value, and is narrow."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from flint import arb, ctx

from tploracle.reference import (
    INFINITE,
    Adversary,
    Budgets,
    InfeasibleBudget,
    Level,
    TransitionMatrix,
    budgets,
    leakage,
    loss_function,
    parse_level,
    supremum,
)
from tploracle.reference.paper.leakage import apply
from tploracle.solvers.batch.double_doubles import (
    EXP_ERROR,
    MOST_LEVEL,
    ROUNDING,
    add,
    divide,
    expm1,
    level_bounds,
    multiply,
    negative,
    pair,
)
from tploracle.solvers.batch.leakages import KnownLevel, ManyReleases, Users, many_budgets, many_leakages, many_suprema
from tploracle.solvers.batch.losses import MOST_VERTICES, POINT_ERROR, _envelope, many_losses

from ...profiles import some

ULPS = 1
"""No enclosure of a decided user is wider."""


@pytest.fixture
def precise():
    """Balls of 400 bits."""
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


def number(x, index):
    """Return one number of a pair of arrays as a rational."""
    return Fraction(float(x[0][index])) + Fraction(float(x[1][index]))


def drawn_pairs(random, count):
    """Return positive pairs of doubles of all sizes, the low part anything up to half an ulp."""
    high = np.array([random.random() * 10.0 ** random.randint(-80, 80) for _ in range(count)])
    return high, np.spacing(high) * np.array([random.uniform(-0.5, 0.5) for _ in range(count)])


@pytest.mark.parametrize(
    ("operation", "exactly"),
    [
        (add, lambda a, b: a + b),
        (lambda x, y: add(x, negative(y)), lambda a, b: a - b),
        (multiply, lambda a, b: a * b),
        (divide, lambda a, b: a / b),
    ],
    ids=["add", "subtract", "multiply", "divide"],
)
def test_operations_against_rationals(operation, exactly):
    random = Random(1)
    x, y = drawn_pairs(random, 300), drawn_pairs(random, 300)
    near = x[0] * (1 + 2.0**-40), x[1]  # almost all of it cancels
    for other in (y, near):
        found = operation(x, other)
        for index in range(300):
            truth = exactly(number(x, index), number(other, index))
            assert abs(number(found, index) - truth) <= abs(truth) * Fraction(ROUNDING)


def test_an_envelope_is_what_its_points_attain_at_each_vertex():
    """Also at those that only repeat the last one: of matrices with one point beside others with many."""
    random = np.random.default_rng(5)
    gap, d = random.random((200, 6)), random.random((200, 6)) ** 4
    gap[::2, 0], d[::2, 0] = 1, 0
    envelope, ended = _envelope(gap, d)
    assert ended.all()
    assert 2 < envelope.s.shape[1] < MOST_VERTICES
    for s, value in zip(envelope.s.T, envelope.value.T, strict=True):
        assert value == pytest.approx((gap / (d + s[:, None])).max(axis=1), rel=1e-12)


def test_exponentials_and_logarithms_against_balls(precise):
    random = Random(2)
    levels = [random.random() * 10.0 ** random.randint(-15, 2) for _ in range(200)]
    levels += [0.34657359, 0.35, 1.04, MOST_LEVEL - 1]
    excess = expm1(np.array(levels))
    moved = multiply(excess, (1 + np.array([random.uniform(-1e-10, 1e-10) for _ in levels]), np.zeros(len(levels))))
    lower, upper = level_bounds(moved, 2.0**-90)
    for index, level in enumerate(levels):
        truth = arb(level).expm1()
        found = arb(float(excess[0][index])) + arb(float(excess[1][index]))
        assert abs(found - truth) <= truth * arb(EXP_ERROR)
        own = (arb(float(moved[0][index])) + arb(float(moved[1][index]))).log1p()
        assert arb(float(lower[index])) <= own <= arb(float(upper[index]))
        assert upper[index] <= np.nextafter(np.nextafter(lower[index], np.inf), np.inf)
    assert list(level_bounds(pair(np.array([0.0, 1e-300, 1e300])), 0.0)[0][:1]) == [0.0]
    assert np.isnan(level_bounds(pair(np.array([1e-300, 1e300])), 0.0)).all()


def weights_of(kind, random, count, n):
    """Return matrices as weights."""

    def row():
        if kind == "sparse":
            return [random.choice((0, 0, 0, 1, 2)) for _ in range(n)]
        if kind == "counts":
            return [random.randint(0, 30) for _ in range(n)]
        if kind == "large counts":
            return [random.randint(0, 300_000) for _ in range(n)]
        if kind == "doubles":
            return [random.random() for _ in range(n)]
        return [np.exp(4 * random.gauss(0, 1)) for _ in range(n)]

    def matrix():
        rows = [row() for _ in range(n)]
        if kind == "meeting":  # all rows meet in the first column, which keeps L below the identity
            rows = [[1 + random.randint(0, 3), *(random.choice((0, 0, 1, 4)) for _ in range(n - 1))] for _ in range(n)]
        if kind == "equal":
            rows = [rows[0]] * n
        return [own if any(own) else [1, *own[1:]] for own in rows]

    return np.array([matrix() for _ in range(count)], dtype=np.float64)


def exact_matrix(weights):
    """Return the matrix that weights stand for."""
    rows = [[Fraction(weight) for weight in row] for row in weights.tolist()]
    return TransitionMatrix(tuple(tuple(weight / sum(row) for weight in row) for row in rows))


KINDS = ("sparse", "counts", "large counts", "doubles", "skew", "meeting", "equal")


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize("kind", KINDS)
def test_loss_functions_against_the_exact_ones(kind, n):
    weights = weights_of(kind, Random(f"{kind} {n}"), 6, n)
    found = many_losses(weights)
    assert found.sure.all()
    for excess in (1e-9, 0.05, 1.0, 30.0, 1e7):
        values, decided = found.value(pair(np.full(6, excess)))
        assert decided.all()
        for index in range(6):
            loss = loss_function(exact_matrix(weights[index]))
            truth = loss(Level.of_ratio(1 + Fraction(excess))).ratio - 1
            assert abs(number(values, index) - truth) <= truth * Fraction(4 * POINT_ERROR)


def all_but_equal(kind, random):
    """Return a matrix with pairs of rows whose points doubles hardly tell apart, or not."""
    n = random.choice((3, 5, 9, 12))

    def moved(row, part):
        return [own * (1 + random.uniform(-part, part)) for own in row]

    if kind.startswith("twins"):  # two rows are the same but for rounding
        rows = [[random.random() for _ in range(n)] for _ in range(n - 1)]
        return [*rows, moved(rows[0], 3e-15 if kind == "twins" else 1e-13)]
    if kind == "turned counts":
        base = [random.randint(1, 10**5) for _ in range(n)]
        return [[max(1, own + random.randint(-3, 3)) for own in base[k:] + base[:k]] for k in range(n)]
    base = [random.random() for _ in range(n)]
    part = 10.0 ** -random.uniform(5, 16)
    if kind == "nearly uniform":
        flat = 10.0 ** -random.uniform(0, 6)
        base = [1 + flat * (own - 0.5) for own in base]
    return [moved(base[k:] + base[:k], part) for k in range(n)]


@pytest.mark.parametrize(
    ("kind", "seeds"),
    [
        ("twins", [3293, 7379, *range(40)]),
        ("twins apart", range(40)),
        pytest.param("turned counts", range(40), marks=pytest.mark.slow),
        pytest.param("turned", range(80), marks=pytest.mark.slow),
        pytest.param("nearly uniform", range(150), marks=pytest.mark.slow),
    ],
)
def test_points_that_doubles_hardly_tell_apart(kind, seeds):
    """The one that rules is never taken for excluded; where doubles leave that in doubt, the matrix is not sure."""
    known = 0
    for seed in seeds:
        weights = np.array([all_but_equal(kind, Random(seed))], dtype=np.float64)
        found = many_losses(weights)
        if not found.sure[0]:
            continue
        known += 1
        loss = loss_function(exact_matrix(weights[0]))
        for excess in (1e-9, 0.05, 1.0, 30.0, 1e7):
            value, decided = found.value(pair(np.full(1, excess)))
            truth = loss(Level.of_ratio(1 + Fraction(excess))).ratio - 1
            assert not decided[0] or abs(number(value, 0) - truth) <= truth * Fraction(4 * POINT_ERROR)
    assert known > len(seeds) // 3


def holds(bounds, index, level):
    """Assert that an enclosure holds a level, and is narrow."""
    lower, upper = float(bounds.lower[index]), float(bounds.upper[index])
    if level.is_infinite:
        assert lower == upper == np.inf
        return
    own = level.enclosure(40)
    assert Fraction(lower) <= Fraction(own.upper)
    assert Fraction(own.lower) <= Fraction(upper)
    assert upper - lower <= ULPS * np.spacing(lower)


@pytest.mark.parametrize("kind", KINDS)
def test_leakage_suprema_and_budgets_against_the_exact_ones(kind):
    random, count, n = Random(kind), 5, 3
    backward, forward = weights_of(kind, random, count, n), weights_of(kind, random, count, n)
    epsilons = [parse_level(text) for text in ("0.1", "1/3", "log(3)", "0", "2", "1e-9", "0.5") * 2]
    epsilon, alpha = parse_level("0.1"), parse_level("1")
    users = Users(many_losses(backward), many_losses(forward), count)
    worst = many_leakages(ManyReleases.of(epsilons), users)
    limits, kept = many_suprema(KnownLevel.of(epsilon), users), many_budgets(KnownLevel.of(alpha), users)
    for index in range(count):
        adversary = Adversary(*(loss_function(exact_matrix(side[index])) for side in (backward, forward)))
        exact = leakage(epsilons, adversary)
        for found, levels in zip(worst, (exact.bpl, exact.fpl, exact.tpl), strict=True):
            greatest = max(levels)
            holds(found.level, index, greatest)
            assert levels[found.time[index] - 1].enclosure(20) == greatest.enclosure(20)
        bpl, fpl = supremum(adversary.backward, epsilon).level, supremum(adversary.forward, epsilon).level
        tpl = INFINITE if bpl.is_infinite or fpl.is_infinite else bpl + apply(adversary.forward, fpl)
        for bounds, level in zip(limits, (bpl, fpl, tpl), strict=True):
            holds(bounds, index, level)
        try:
            own = budgets(alpha, adversary)
        except InfeasibleBudget:
            own = Budgets(alpha, *[parse_level("0")] * 3)
        for bounds, level in zip((kept.first, kept.middle, kept.last), (own.first, own.middle, own.last), strict=True):
            holds(bounds, index, level)


def test_what_is_not_decided_is_not_sure():
    """Two ratios that differ by less than doubles tell, weights beyond the range, too many states."""
    close = np.array([[[3.0, 3.0, 1.0], [1.0, 1.0 + 2.0**-52, 0.5], [0.25, 0.3, 0.7]]]) * 1.1
    assert not many_losses(close).sure[0]
    assert not many_losses(np.array([[[1e-70, 1.0], [1.0, 1.0]]])).sure[0]
    assert not many_losses(np.ones((1, 129, 129))).sure[0]


def undecided(losses):
    """Return the same loss functions as if doubles had left them in doubt."""
    return replace(losses, sure=np.zeros_like(losses.sure))


@pytest.mark.parametrize("side", ["backward", "forward"])
def test_a_side_that_is_not_decided_leaves_the_other_no_say(side):
    """What is undecided counts for nothing known, never for nothing leaked."""
    losses = many_losses(weights_of("meeting", Random(8), 4, 3))
    sides = {"backward": losses, "forward": losses}
    sides[side] = undecided(losses)
    users = Users(**sides, count=4)
    bpl, fpl, tpl = many_suprema(KnownLevel.of(parse_level("0.01")), users)
    assert np.isfinite((fpl if side == "backward" else bpl).upper).all()
    kept = many_budgets(KnownLevel.of(parse_level("1")), users)
    for bounds in (
        tpl,
        *(kept.first, kept.middle, kept.last),
        many_leakages(ManyReleases.of([parse_level("0.1")] * 3), users)[2].level,
    ):
        assert np.isnan(bounds.lower).all()
        assert np.isnan(bounds.upper).all()


@pytest.mark.parametrize("epsilon", ["log(2)", "log(2-1e-30)", "log(2+1e-30)"])
def test_at_the_critical_budget_doubles_do_not_decide(epsilon):
    """q = 1/2 and d = 0: unbounded from e^ε = 2 on, and pairs of doubles do not tell this side from that."""
    users = Users(many_losses(np.array([[[1.0, 1.0], [0.0, 1.0]]])), None, 1)
    assert np.isnan(many_suprema(KnownLevel.of(parse_level(epsilon)), users)[0].upper[0])
    assert many_suprema(KnownLevel.of(parse_level("log(2.001)")), users)[0].lower[0] == np.inf
    assert many_suprema(KnownLevel.of(parse_level("log(1.999)")), users)[0].upper[0] < np.inf


def test_levels_beyond_the_range_are_not_decided():
    """Also where only a later time is beyond it: what was reached before is not the worst then."""
    users = Users(*[many_losses(np.array([[[1.0, 0.0], [0.0, 1.0]]]))] * 2, 1)
    for epsilons in (("600", "600"), ("300", "300", "300"), ("500", "1e-3", "500"), ("0.1", "800", "0.1")):
        for worst in many_leakages(ManyReleases.of([parse_level(text) for text in epsilons]), users):
            assert np.isnan(worst.level.lower).all()
            assert np.isnan(worst.level.upper).all()


@pytest.mark.parametrize("level", some(["700", "400", "600", "2000"], 4))
def test_what_is_beyond_the_range_is_no_trouble(level):
    users = Users(*[many_losses(weights_of("counts", Random(9), 3, 3))] * 2, 3)
    own = KnownLevel.of(parse_level(level))
    kept = many_budgets(own, users)
    for bounds in (*many_suprema(own, users), kept.first, kept.middle, kept.last):
        assert (np.isnan(bounds.lower) | (bounds.lower <= bounds.upper)).all()


def test_almost_disjoint_rows_are_not_the_identity():
    """A common column of so little weight that q is 1 in pairs of doubles: a budget can be kept all the same."""
    rows = [[1.0, 2.0**-60, 1e-50], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    users = Users(many_losses(np.array([rows])), None, 1)
    kept = many_budgets(KnownLevel.of(parse_level("1")), users)
    assert kept.middle.upper[0] != 0
    assert not np.isinf(many_suprema(KnownLevel.of(parse_level("1e-60")), users)[0].lower[0])
