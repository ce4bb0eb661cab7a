"""The strategies of the package under the names that the tests use, and the few that only tests need."""

from fractions import Fraction

from hypothesis import strategies as st

from tploracle.reference import Level, TransitionMatrix, parse_level
from tploracle.strategies.level_kinds import excesses, levels, rational_alphas, surd_ratios  # noqa: F401 - for tests
from tploracle.strategies.matrix_kinds import distributions, matrices  # noqa: F401
from tploracle.strategies.row_kinds import normalised  # noqa: F401


def of_one_size(*known):
    """The same correlations in as many states as the largest has: the last state of a smaller one in equal parts.

    Splitting a state changes no loss function. None stays None.
    """
    n = max((matrix.n for matrix in known if matrix is not None), default=1)
    return tuple(None if matrix is None else _in_states(n, matrix) for matrix in known)


def _in_states(n, matrix):
    parts = n - matrix.n + 1
    rows = [(*row[:-1], *[row[-1] / parts] * parts) for row in matrix.rows]
    return TransitionMatrix((*rows[:-1], *[rows[-1]] * parts))


def log(ratio):
    """The level log(ratio)."""
    return Level.of_ratio(Fraction(ratio))


def rows(n):
    """Distributions over n states."""
    return distributions(n, n)


def probabilities():
    """Rational numbers in [0, 1], small and huge denominators, both ends included."""
    return st.one_of(
        st.fractions(0, 1, max_denominator=8),
        st.fractions(0, 1, max_denominator=10**30),
        st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 2), 1 - Fraction(1, 10**40), Fraction(1, 10**40)]),
    )


def ratio_levels():
    """Positive finite levels with a rational ratio."""
    return levels(kinds=["ratio"])


def rational_levels():
    """Positive finite rational levels: their ratios are transcendental."""
    return levels(kinds=["rational"])


def surd_levels():
    """Levels whose ratio is a quadratic surd."""
    return levels(kinds=["surd"])


def finite_levels():
    """Levels of all kinds but ∞."""
    return levels(kinds=["zero", "ratio", "rational", "surd"])


def exact_levels():
    """Levels that enumeration can take: a rational ratio, 0 or ∞."""
    return levels(kinds=["ratio", "zero", "infinite"])


def everyday_levels():
    """Levels of all kinds, those of the range that users have above all, none that takes long."""
    named = ["0", "inf", "1e-12", "40", "710", "1/10", "log(1.1)", "log((7+sqrt(33))/8)"]
    return st.one_of(
        st.sampled_from(named).map(parse_level),
        ratio_levels(),
        rational_alphas().filter(lambda alpha: alpha < 1000).map(Level.of),
        surd_levels(),
    )
