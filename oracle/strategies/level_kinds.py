"""Strategies of privacy levels and of budgets over time: everyday ones first, then awkward ones of every size."""

from collections.abc import Collection
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ..reference import INFINITE, ZERO, Level
from ..reference.surds import Exact, surd
from .matrix_kinds import check_kinds, check_range

MOST_RELEASES_DRAWN = 1_000

AWKWARD_DOUBLES = (
    *(2.0**-53, 2.0**-52, 1e-12, 2.0**-1074, 2.0**-1022, 36.7, 40.0),
    *(709.0, float.fromhex("0x1.62e42fefa39efp+9"), 710.0, 745.2, 1e6, 1e9),
)
"""Where e^α − 1 loses its digits, where e^α is no double, and the ends of what a level may be."""


def excesses() -> SearchStrategy[Fraction]:
    """Rational excesses E = e^α − 1 > 0, from 1e-300 to 1e300."""
    return st.one_of(
        st.fractions(Fraction(1, 10), 10, max_denominator=10),
        st.fractions(Fraction(1, 10**20), 1, max_denominator=10**20).filter(lambda e: e > 0),
        st.sampled_from([Fraction(1, 10**300), Fraction(1, 10), Fraction(1), Fraction(10**6), Fraction(10**300)]),
    )


def rational_alphas() -> SearchStrategy[Fraction]:
    """Positive rational numbers to be levels, from 1e-300 to 1e6."""
    return st.one_of(
        st.fractions(Fraction(1, 100), 5, max_denominator=100).filter(lambda a: a > 0),
        st.fractions(Fraction(1, 10**15), 40, max_denominator=10**15).filter(lambda a: a > 0),
        st.sampled_from([Fraction(1, 10), Fraction(1), Fraction(1, 10**300), Fraction(10**6), Fraction(10**6) / 7]),
    )


@st.composite
def surd_ratios(draw: DrawFn) -> Exact:
    """Irrational ratios a + b√D above 1."""
    a = 1 + draw(st.fractions(0, 50, max_denominator=20))
    b = draw(st.fractions(Fraction(1, 10**6), 10, max_denominator=10**6).filter(lambda b: b > 0))
    return surd(a, b, draw(st.sampled_from([2, 3, 5, 6, 8, 33, 10**20 + 39])))


def positive_doubles(awkward: bool = True) -> SearchStrategy[float]:
    """Positive doubles that may be levels: everyday ones, and where `awkward` those of AWKWARD_DOUBLES and any size."""
    everyday = st.one_of(
        st.sampled_from([1.0, 0.5, 2.0, 0.25, 4.0, 0.125, 8.0]),
        st.integers(1, 64).map(lambda sixteenths: sixteenths / 16),
        st.floats(2.0**-20, 8.0),
    )
    if not awkward:
        return everyday
    return st.one_of(everyday, st.floats(2.0**-1074, 1e9), st.sampled_from(AWKWARD_DOUBLES))


def double_level(value: float) -> Level:
    """Return the level that a double is, exactly."""
    return Level.of(Fraction(value))


def _level_kinds(doubles: bool) -> dict[str, SearchStrategy[Level]]:
    if doubles:
        return {"rational": positive_doubles().map(double_level), "zero": st.just(ZERO), "infinite": st.just(INFINITE)}
    return {
        "ratio": excesses().map(lambda excess: Level.of_ratio(1 + excess)),
        "rational": rational_alphas().map(Level.of),
        "surd": surd_ratios().map(Level.of_ratio),
        "zero": st.just(ZERO),
        "infinite": st.just(INFINITE),
    }


LEVEL_KINDS = tuple(_level_kinds(doubles=False))
"""Kinds of levels: those with a rational ratio, rational ones, those whose ratio is a quadratic surd, 0 and ∞."""


def levels(*, doubles: bool = False, kinds: Collection[str] | None = None) -> SearchStrategy[Level]:
    """Return a strategy of privacy levels from 1e-300 to 1e6 nats (e^α from 1 + 1e-300 to 1e300, if by its ratio).

    Args: doubles, whether each is a double (or ∞), then from 5e-324 to 1e9; kinds, of LEVEL_KINDS: "ratio" (log of a
    rational), "rational", "surd" (log of a quadratic surd), "zero", "infinite"; without it all, with doubles those that
    doubles can be: "rational", "zero" and "infinite". Returns: `Level`s. Raises: InvalidArgument.

    >>> from hypothesis import find
    >>> find(levels(kinds=["infinite"]), lambda level: True)
    <Level inf>
    """
    strategies = _level_kinds(doubles)
    chosen = check_kinds(tuple(strategies) if kinds is None else kinds, tuple(strategies))
    return st.one_of(*(strategies[kind] for kind in chosen))


def budgets(*, doubles: bool = False, zero: bool = False) -> SearchStrategy[Level]:
    """Return a strategy of finite budgets of the size that is spent, now and then a very small or a very large one.

    Args: doubles, whether each is a double; zero, whether 0 is among them. Returns: `Level`s: log(k) and rational, none
    with a surd, so that a schedule of them has a short exact leakage where there can be one.

    >>> from hypothesis import find
    >>> find(budgets(), lambda budget: budget > Level.of(500))
    <Level 710>
    """
    kinds = [
        st.fractions(Fraction(1, 20), 19, max_denominator=20).map(lambda excess: Level.of_ratio(1 + excess)),
        st.fractions(Fraction(1, 100), 5, max_denominator=100).map(Level.of),
        st.sampled_from([Fraction(1, 10**12), Fraction(40), Fraction(710)]).map(Level.of),
    ]
    if doubles:
        awkward = st.sampled_from([1e-12, 2.0**-53, 40.0, 710.0]).map(double_level)
        kinds = [positive_doubles(awkward=False).map(double_level), awkward]
    return st.one_of(*kinds, *[st.just(ZERO)] * zero)


def schedules(
    min_size: int = 1, max_size: int = 6, *, doubles: bool = False, zero: bool = True
) -> SearchStrategy[list[Level]]:
    """Return a strategy of budgets over time: all equal, two that take turns, or one of its own at each time.

    Args: min_size and max_size, the fewest and the most releases, 0 to 1,000; doubles and zero, as of `budgets`.
    Returns: lists of `Level`s. Raises: InvalidArgument.

    >>> from hypothesis import find
    >>> len(find(schedules(3, 3), lambda budgets: budgets[0] < budgets[1]))
    3
    """
    check_range("size", min_size, max_size, 0, MOST_RELEASES_DRAWN)
    one = budgets(doubles=doubles, zero=zero)
    size = st.integers(min_size, max_size)
    return st.one_of(
        st.lists(one, min_size=min_size, max_size=max_size),
        st.builds(lambda budget, times: [budget] * times, one, size),
        st.builds(lambda pair, times: [pair[time % 2] for time in range(times)], st.tuples(one, one), size),
    )
