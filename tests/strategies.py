"""Hypothesis strategies for the exact core: matrices and levels, the awkward ones above all."""

from fractions import Fraction

from hypothesis import strategies as st

from tploracle.reference import INFINITE, ZERO, Level, TransitionMatrix, parse_level
from tploracle.reference.surds import surd

HUGE = 10**40


def normalised(weights):
    """Make a distribution of non-negative integer weights; all zero stands for certainty of the first state."""
    total = sum(weights)
    if total == 0:
        return tuple(Fraction(int(j == 0)) for j in range(len(weights)))
    return tuple(Fraction(weight, total) for weight in weights)


def rows(n):
    """Distributions over n states: small weights make zeros and ties, large ones varied and huge denominators."""
    weights = st.one_of(
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.sampled_from([0, 1]), min_size=n, max_size=n),
        st.lists(st.integers(0, 1000), min_size=n, max_size=n),
        st.lists(st.one_of(st.just(0), st.integers(1, HUGE)), min_size=n, max_size=n),
    )
    return weights.map(normalised)


@st.composite
def _independent(draw, n):
    return tuple(draw(rows(n)) for _ in range(n))


@st.composite
def _few_distinct(draw, n):
    pool = draw(st.lists(rows(n), min_size=1, max_size=2))
    return tuple(draw(st.sampled_from(pool)) for _ in range(n))


@st.composite
def _nearly_equal(draw, n):
    base = draw(rows(n))
    result = []
    for _ in range(n):
        row = list(base)
        giver = draw(st.sampled_from([j for j in range(n) if row[j]]))
        taker = draw(st.integers(0, n - 1))
        moved = row[giver] / draw(st.sampled_from([1, 2, 10**6, 10**30]))
        row[giver] -= moved
        row[taker] += moved
        result.append(tuple(row))
    return tuple(result)


@st.composite
def _disjoint_supports(draw, n):
    result = list(draw(_independent(n)))
    if n > 1:
        cut = draw(st.integers(1, n - 1))
        first, second = draw(st.permutations(range(n)))[:2]
        result[first] = (*draw(rows(cut)), *([Fraction(0)] * (n - cut)))
        result[second] = (*([Fraction(0)] * cut), *draw(rows(n - cut)))
    return tuple(result)


@st.composite
def _permutation(draw, n):
    order = draw(st.permutations(range(n)))
    return tuple(tuple(Fraction(int(order[j] == k)) for k in range(n)) for j in range(n))


def matrices(min_n=1, max_n=6):
    """Transition matrices: zeros, ties, equal rows, nearly equal rows, disjoint supports, permutations."""

    def of_size(n):
        kinds = [_independent, _independent, _few_distinct, _nearly_equal, _disjoint_supports, _permutation]
        return st.one_of(*(kind(n) for kind in kinds)).map(TransitionMatrix)

    return st.integers(min_n, max_n).flatmap(of_size)


def probabilities():
    """Rational numbers in [0, 1], small and huge denominators, both ends included."""
    return st.one_of(
        st.fractions(0, 1, max_denominator=8),
        st.fractions(0, 1, max_denominator=10**30),
        st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 2), 1 - Fraction(1, 10**40), Fraction(1, 10**40)]),
    )


def excesses():
    """Rational excesses E = e^α − 1 > 0, from tiny to huge."""
    return st.one_of(
        st.fractions(Fraction(1, 10), 10, max_denominator=10),
        st.fractions(Fraction(1, 10**20), 1, max_denominator=10**20).filter(lambda e: e > 0),
        st.sampled_from([Fraction(1, 10**300), Fraction(1, 10), Fraction(1), Fraction(10**6), Fraction(10**300)]),
    )


def ratio_levels():
    """Positive finite levels with a rational ratio."""
    return excesses().map(lambda excess: Level.of_ratio(1 + excess))


def rational_alphas():
    """Positive rational numbers to be levels, from 1e-300 to 1e6."""
    return st.one_of(
        st.fractions(Fraction(1, 100), 5, max_denominator=100).filter(lambda a: a > 0),
        st.fractions(Fraction(1, 10**15), 40, max_denominator=10**15).filter(lambda a: a > 0),
        st.sampled_from([Fraction(1, 10), Fraction(1), Fraction(1, 10**300), Fraction(10**6), Fraction(10**6) / 7]),
    )


def rational_levels():
    """Positive finite rational levels: their ratios are transcendental."""
    return rational_alphas().map(Level.of)


@st.composite
def surd_ratios(draw):
    """Irrational ratios a + b√D above 1."""
    a = 1 + draw(st.fractions(0, 50, max_denominator=20))
    b = draw(st.fractions(Fraction(1, 10**6), 10, max_denominator=10**6).filter(lambda b: b > 0))
    return surd(a, b, draw(st.sampled_from([2, 3, 5, 6, 8, 33, 10**20 + 39])))


def surd_levels():
    """Levels whose ratio is a quadratic surd."""
    return surd_ratios().map(Level.of_ratio)


def finite_levels():
    """Levels of all kinds but ∞."""
    return st.one_of(st.just(ZERO), ratio_levels(), rational_levels(), surd_levels())


def levels():
    """Levels of all kinds."""
    return st.one_of(finite_levels(), st.just(INFINITE))


def exact_levels():
    """Levels that enumeration can take: a rational ratio, 0 or ∞."""
    return st.one_of(ratio_levels(), ratio_levels(), st.just(ZERO), st.just(INFINITE))


def everyday_levels():
    """Levels of all kinds, those of the range that users have above all, none that takes long."""
    named = ["0", "inf", "1e-12", "40", "710", "1/10", "log(1.1)", "log((7+sqrt(33))/8)"]
    return st.one_of(
        st.sampled_from(named).map(parse_level),
        ratio_levels(),
        rational_alphas().filter(lambda alpha: alpha < 1000).map(Level.of),
        surd_levels(),
    )
