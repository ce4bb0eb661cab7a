"""The independent recomputation: the leakage in correctly rounded decimals, from the points of all subsets of columns.

Nothing of the oracle's own arithmetic is used: no balls, no surds, no levels, and none of the paper's algorithms. A
level stands by its excess E = e^α − 1, a `Decimal` of `WORKING_DIGITS` digits (more where it is tiny), for which
Python's decimal module rounds exp and ln correctly. Numbers are read by `float.fromhex` and `Fraction`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import permutations

WORKING_DIGITS = 160
EXTRA = 400
"""Digits beyond those in which levels are read and steps near a supremum made: a step may rise by very little."""

AGREEING = Decimal("1e-60")
"""How far, relatively, it may differ from the oracle: far below the fortieth digit, far above what it loses."""

MOST_ENUMERATED = 6
"""Up to this many states all subsets of columns are tried."""

HALVINGS = 320
INFINITY, NO_LEAKAGE = Decimal("Infinity"), Decimal(0)

Points = tuple[tuple[Fraction, Fraction], ...]
"""Sums (q, d) over sets of columns, q > d, none with less q and more d than another."""

Rows = tuple[tuple[Fraction, ...], ...]

_SURD = re.compile(r"(\()?(?:(-?[0-9]+)([+-]))?sqrt\(([0-9]+)\)(?(1)\)/([0-9]+)|(?:/([0-9]+))?)")


@contextmanager
def arithmetic(extra: int = 0) -> Iterator[Context]:
    """Work in decimals of `WORKING_DIGITS` digits and some more."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = WORKING_DIGITS + extra, MAX_EMAX, MIN_EMIN
        yield context


def decimal(value: Fraction) -> Decimal:
    """Return a rational number, rounded to the working precision."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def read_number(text: str | int, numbers: str) -> Fraction:
    """Read a number of the notation that a case has."""
    if numbers == "float64":
        return Fraction(float.fromhex(str(text)))
    return Fraction(text)


def read_rows(rows: object, numbers: str) -> Rows:
    """Read a matrix."""
    if not isinstance(rows, list):
        raise TypeError("a matrix is an array of arrays")
    return tuple(tuple(read_number(entry, numbers) for entry in row) for row in rows)


@cache
def read_level(text: str | int, numbers: str) -> Decimal:
    """Read a level. Returns: its excess."""
    if text == "inf":
        return INFINITY
    if isinstance(text, str) and text.startswith("log("):
        inner = text[4:-1].replace(" ", "")
        with arithmetic(EXTRA):
            return _surd(inner) - 1 if "sqrt" in inner else decimal(Fraction(inner) - 1)
    return expm1(read_number(text, numbers))


def _surd(text: str) -> Decimal:
    match = _SURD.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is not of the form (p+sqrt(n))/c")
    root = Decimal(match[4]).sqrt()
    below = Decimal(match[5] or match[6] or 1)
    return (Decimal(match[2] or 0) + (-root if match[3] == "-" else root)) / below


def expm1(alpha: Fraction) -> Decimal:
    """Return e^α − 1 for a rational α ≥ 0."""
    if not alpha:
        return NO_LEAKAGE
    tiny = max(0, alpha.denominator.bit_length() - alpha.numerator.bit_length()) // 3
    with arithmetic(EXTRA + tiny):
        return decimal(alpha).exp() - 1


def log1p(excess: Decimal) -> Decimal:
    """Return the level of an excess, in nats."""
    if excess.is_infinite() or not excess:
        return excess
    with arithmetic(max(0, -excess.adjusted())):
        return (1 + excess).ln()


def plus(first: Decimal, second: Decimal) -> Decimal:
    """Return the excess of a sum of levels."""
    return INFINITY if INFINITY in (first, second) else first + second + first * second


def minus(first: Decimal, second: Decimal) -> Decimal:
    """Return the excess of a difference of levels, the second one finite."""
    return first if first.is_infinite() else (first - second) / (1 + second)


def front(found: set[tuple[Fraction, Fraction]]) -> Points:
    """Return the points with q > d, without those that another one exceeds in q and not in d."""
    kept: list[tuple[Fraction, Fraction]] = []
    for q, d in sorted(found, key=lambda point: (point[1], -point[0])):
        if q > d and (not kept or q > kept[-1][0]):
            kept.append((q, d))
    return tuple(kept)


@cache
def subset_points(rows: Rows) -> Points:
    """Return the points of all subsets of columns of all ordered pairs of rows."""
    found = set[tuple[Fraction, Fraction]]()
    for q, d in permutations(dict.fromkeys(rows), 2):
        sums = [(Fraction(0), Fraction(0))]
        for q_j, d_j in zip(q, d, strict=True):
            sums += [(q_sum + q_j, d_sum + d_j) for q_sum, d_sum in sums]
        found.update(sums)
    return front(found)


def loss(points: Points, excess: Decimal) -> Decimal:
    """Return the excess of L at an excess: the greatest (q − d)E/(dE + 1)."""
    if not points or not excess:
        return NO_LEAKAGE
    if excess.is_infinite():
        return max(INFINITY if d == 0 else decimal((q - d) / d) for q, d in points)
    return max(decimal(q - d) * excess / (decimal(d) * excess + 1) for q, d in points)


def stream(steps: Sequence[Points], budgets: Sequence[Decimal]) -> list[Decimal]:
    """Return the excess of BPL_t = L(BPL_{t−1}) + ε_t at each time; steps, the points of each step between them."""
    found = list(budgets[:1])
    for points, budget in zip(steps, budgets[1:], strict=True):
        found.append(plus(loss(points, found[-1]), budget))
    return found


def temporal(backward: Sequence[Points], forward: Sequence[Points], budgets: Sequence[Decimal]) -> list[list[Decimal]]:
    """Return the excesses of BPL, FPL and TPL at each time; TPL_t is BPL_t and L(FPL_{t+1}). Args: as `stream`."""
    bpl, fpl = stream(backward, budgets), stream(forward[::-1], budgets[::-1])[::-1]
    after = [loss(points, later) for points, later in zip(forward, fpl[1:], strict=True)]
    return [bpl, fpl, [plus(b, f) for b, f in zip(bpl, [*after, NO_LEAKAGE], strict=True)]]


def rises(points: Points, budget: Decimal, excess: Decimal) -> bool:
    """Whether a step of the recursion from this leakage rises."""
    return plus(loss(points, excess), budget) > excess


def first_budget(backward: Points | None, forward: Points | None, alpha: Decimal) -> Decimal:
    """Return the excess of the x with x + L^F(α − L^B(x)) = α, α finite, by halving: the left side rises with x.

    The power of ten is halved first, so that the digits are those of x itself, however small beside α.
    """

    def falls_short(middle: Decimal) -> bool:
        last = minus(alpha, loss(backward or (), middle))
        return plus(middle, loss(forward or (), last)) < alpha

    span = 1
    while not falls_short(alpha.scaleb(-span)) and span < 4 * (WORKING_DIGITS + abs(alpha.adjusted())):
        span *= 2
    low = alpha.scaleb(-span)
    while span > 1:
        span //= 2
        middle = low.scaleb(span)
        low = middle if falls_short(middle) else low
    high = 10 * low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if falls_short(middle) else (low, middle)
    return high


def exact_loss(points: Points, excess: Fraction) -> Fraction:
    """Return the excess of L at a rational excess, exactly."""
    return max(((q - d) * excess / (d * excess + 1) for q, d in points), default=Fraction(0))


def envelope(points: Points) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return (q, d, start) of each piece of L, found by going from E = 0 to where the next function overtakes.

    At a crossing the function with the least d is the greatest beyond it.
    """
    if not points:
        return [(Fraction(0), Fraction(0), Fraction(0))]
    q, d = max(points, key=lambda point: (point[0] - point[1], -point[1]))
    pieces, start = [(q, d, Fraction(0))], Fraction(0)
    while True:
        crossings = [
            ((q + e - p - d) / (p * d - q * e), e, p)
            for p, e in points
            if p * d > q * e and (q + e - p - d) / (p * d - q * e) >= start and (p, e) != (q, d)
        ]
        if not crossings:
            return pieces
        start, d, q = min(crossings)
        pieces.append((q, d, start))
