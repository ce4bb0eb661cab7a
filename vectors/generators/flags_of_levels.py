"""Flags for levels and for how they are written."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tploracle.reference import Level

from .asked import Asked
from .flag import Fact, Flag
from .row_facts import LEAST_NORMAL

LARGE, OVERFLOWING = Level.of(40), Level.of(710)
TINY = Level.of(Fraction(11, 10**13))
"""A level is tiny up to here: 10^−12, and the double next to it."""


def some_level(fact: Callable[[Level], bool]) -> Fact:
    """Make a fact about a level one about a question: some level of its input shows it."""
    return lambda asked: any(fact(level) for level in asked.levels)


def _no_double(asked: Asked) -> bool:
    if asked.numbers == "float64":
        return False
    decimals = [text for text in asked.texts if "." in text and "log" not in text]
    return any(Fraction(text) != Fraction(float(Fraction(text))) for text in decimals)


FLAGS = (
    Flag(
        "ZeroLevel",
        "A level is 0, so E = 0 and all functions are equal: quotients of differences are 0/0.",
        "NaN for a release that was never made, or a leakage where nothing was released.",
        some_level(lambda level: level.is_zero),
    ),
    Flag(
        "TinyLevel",
        "A level is 10^−12 or less: exp(α) − 1, where expm1 is needed, keeps four digits of sixteen, or none.",
        "Each of a million small releases is accounted for with the wrong size, too small half of the time.",
        some_level(lambda level: not level.is_zero and not level.is_infinite and level <= TINY),
    ),
    Flag(
        "SubnormalLevel",
        "A level is below the least normal double and is flushed to 0.",
        "What it leaks is not counted at all.",
        some_level(lambda level: not level.is_zero and not level.is_infinite and level < Level.of(LEAST_NORMAL)),
    ),
    Flag(
        "LargeLevel",
        "A level is 40 or more: beside e^40 the 1 of qE + 1 is lost in a double, and differences of levels cancel.",
        "The limit q/d is answered for L, or a budget without one right digit.",
        some_level(lambda level: LARGE <= level < OVERFLOWING),
    ),
    Flag(
        "OverflowingLevel",
        "A level is 710 or more: e^α exceeds every double, and ∞/∞ follows.",
        "NaN, or an error, after a long stream under a strong correlation: when the accountant matters most.",
        some_level(lambda level: not level.is_infinite and level >= OVERFLOWING),
    ),
    Flag(
        "InfiniteLevel",
        "A level is ∞ and L takes its limit, the log of the greatest q/d: ∞/∞ is computed instead.",
        "One unprotected release in the past makes all later leakage NaN where it is finite and small.",
        some_level(lambda level: level.is_infinite),
    ),
    Flag(
        "ExactDecimal",
        "A decimal such as 0.1 means exactly 1/10 and is read as the nearest double.",
        "Rows that sum to 1 as written are refused, and answers are off by an ulp, below the truth half of the time.",
        _no_double,
    ),
    Flag(
        "LogLevel",
        "A level is given by its ratio, as in log(11/10): the logarithm is rounded first and its exponential "
        "taken afterwards.",
        "The exactness that the notation is there for is lost; comparisons at a boundary go either way.",
        lambda asked: any(text.startswith("log(") for text in asked.texts),
    ),
    Flag(
        "SurdLevel",
        "A level is the logarithm of a number with a square root, and such a text is refused.",
        "A budget that was answered cannot be handed back in the next question.",
        lambda asked: any("sqrt" in text for text in asked.texts),
    ),
)
