"""What certificates are made of: bounds of levels and their texts, witnesses, and digits enough for every claim.

Bounds are exact where they are rational levels or logarithms of short rational ratios; elsewhere they are the
logarithms of decimals, rounded outward with `GUARD` digits beyond those asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ..reference.decimals import decimal_exponent, fraction_to_text, int_to_text
from ..reference.errors import InvalidRequest, Undecided
from ..reference.levels import Level
from ..reference.paper.lfp import Subset
from ..reference.stepwise import KnownCorrelation, Stepwise
from ..reference.surds import bits

Document = dict[str, object]
"""A certificate, ready for `json.dumps`."""

CERTIFICATE_VERSION = 1

MOST_CERTIFIED_DIGITS = 1_000
"""The most significant digits that a certificate's levels can be asked to have."""

GUARD = 16
"""Digits that intermediate bounds have beyond those asked for."""

SHORT, LONG = 512, 50_000
"""Bits up to which a rational ratio stays exact in a chain of steps, and where it is the answer itself."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A level that bounds another: rational, the logarithm of a rational ratio, or infinite; and its text."""

    level: Level
    text: str


@dataclass(frozen=True, slots=True)
class Bounds:
    """Two levels that enclose another."""

    lower: Bound
    upper: Bound

    def texts(self) -> Document:
        """Return the two texts."""
        return {"lower": self.lower.text, "upper": self.upper.text}


class Unproved(Exception):
    """The bounds do not prove what is claimed of them: they need more digits."""


def with_enough_digits(
    kind: str, make: Callable[[int], Document], digits: int, most: int = MOST_CERTIFIED_DIGITS
) -> Document:
    """Return the certificate made with the fewest working digits, doubled from `digits`, whose bounds prove its claims.

    Args: make, which makes what follows its kind, the version and the digits; most, the most digits that are tried.
    """
    working = min(digits, most)
    while True:
        try:
            return {"certificate": kind, "version": CERTIFICATE_VERSION, "digits": working, **make(working)}
        except Unproved:
            if working == most:
                raise Undecided(f"a level cannot be distinguished from its bound in {working} digits") from None
            working = min(2 * working, most)


def checked_bits(digits: int) -> int:
    """Return k such that the checker encloses every ratio to 2^−k of its excess in a document of `digits` digits."""
    return 128 + 4 * digits


def ratio_of(level: Level, digits: int) -> tuple[Fraction, Fraction]:
    """Return rationals around the ratio of a finite level, closer than the digits and the guard need."""
    ratio = level.ratio
    if isinstance(ratio, Fraction):
        return ratio, ratio
    lower, upper = level.excess_bounds(checked_bits(digits))
    return 1 + lower, 1 + upper


def between(lower: Fraction, upper: Fraction, digits: int, longest: int) -> Bounds:
    """Return bounds for a text: two equal and short ratios as they are, others rounded outward."""
    if lower == upper and bits(lower) <= longest:
        return exactly(Level.of_ratio(lower))
    return Bounds(rounded(lower, digits, up=False), rounded(upper, digits, up=True))


def rounded(ratio: Fraction, digits: int, up: bool) -> Bound:
    """Round a ratio above 1 outward on the grid that gives its excess the digits and the guard, and one unit more.

    The unit covers what the checker's own enclosures of transcendental ratios are wider than those used here.
    """
    exponent = decimal_exponent(ratio - 1) - digits - GUARD + 1
    grid = Fraction(10) ** exponent
    units = ratio // grid + (2 if up else -1)
    text = int_to_text(units)
    text = f"{text}e{exponent}" if exponent >= 0 else f"{text[:exponent]}.{text[exponent:]}"
    return Bound(Level.of_ratio(units * grid), f"log({text})")


def exactly(level: Level) -> Bounds:
    """Return the level itself as both bounds."""
    bound = Bound(level, level.full_text())
    return Bounds(bound, bound)


def correlation_texts(correlation: KnownCorrelation | None) -> object:
    """Return a correlation as certificates have it: a matrix, null, or the matrices of the steps by their kind."""
    if isinstance(correlation, Stepwise):
        return {"cycle" if correlation.repeats else "steps": [matrix.texts() for matrix in correlation.each]}
    return None if correlation is None else correlation.texts()


def is_plain(level: Level) -> bool:
    """Whether the level is a rational number or infinite: then it is carried as it is, for no ratio could say it."""
    return level.is_infinite or level.rational is not None


def witness_fields(chosen: Subset | None) -> Document:
    """Return the rows and columns of a set, counted from 1."""
    if chosen is None:
        return {"rows": None, "subset": []}
    return {"rows": [chosen.row_q + 1, chosen.row_d + 1], "subset": column_numbers(chosen)}


def column_numbers(chosen: Subset) -> list[int]:
    """Return the columns of a set, counted from 1."""
    return [index + 1 for index in chosen.indices]


def claim(level: Level, lower: Level, upper: Level, digits: int) -> Document:
    """Return the decimals that enclose a level. Raises: Unproved where the two bounds do not prove them."""
    enclosure = level.enclosure(digits)
    if enclosure.lower.is_infinite():
        return {"lower": "inf", "upper": "inf"}
    ends = (Level.of(Fraction(end)) for end in (enclosure.lower, enclosure.upper))
    if lower < next(ends) or upper > next(ends):
        raise Unproved
    return {"lower": str(enclosure.lower), "upper": str(enclosure.upper)}


def number_text(value: Fraction) -> str:
    """Write a number that is not negative: in decimal where that is about as short as numerator and denominator."""
    text = fraction_to_text(value)
    _, bar, below = text.partition("/")
    if not bar or 10 ** len(below) % value.denominator:
        return text
    units = int_to_text(value.numerator * (10 ** len(below) // value.denominator)).zfill(len(below) + 1)
    return f"{units[: -len(below)]}.{units[-len(below) :].rstrip('0')}"


def check_digits(digits: int) -> None:
    """Raise InvalidRequest unless a certificate can have this number of digits."""
    if not 1 <= digits <= MOST_CERTIFIED_DIGITS:
        raise InvalidRequest(f"a certificate has 1 to {MOST_CERTIFIED_DIGITS} digits, not {digits}")
