"""What a ρ-zCDP release may tell, as a trade-off function: from below, and from above.

Rényi divergences of all orders a > 1 are at most ρa, both ways (Bun, Steinke, arXiv:1605.02065). Two coins with the
probabilities u and y are such a release where g(a) = ρ(a² − a) − Λ(a) ≥ 0 for all a > 1, Λ(a) = log(y^a u^(1−a) +
(1−y)^a (1−u)^(1−a)), and likewise with u and y exchanged; φ(u) is the greatest such y (docs/profile.md).

Λ is a line and log(1 + e^(aD + logit u)), D = logit y − logit u > 0. So Λ'' = D²π(1 − π), where π rises with a: g is
convex, then concave, then convex, and nowhere negative if g'(1) = ρ − KL ≥ 0 and g ≥ 0 at the least of the last part:
that shows that two coins are private (`_is_private`). And y^a u^(1−a) being convex in both, each order and each point
give a line that φ is not above (`_cut`). Where to look doubles say; what is found is shown in balls.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, exp, expm1, log, log1p, sqrt
from statistics import NormalDist

from flint import arb, ctx

from ..formulas import ball_of, dyadic
from .trade_off import IGNORED, ONE, ChancePoint, Line, TradeOff, through

LEAST_RHO = Fraction(1, 20_000)
"""A lesser ρ is enclosed between φ(u) = u and this one: of its own it would have too many points."""

GREATEST_RHO = 8
"""A greater ρ is enclosed between this one and φ(u) = 1: φ(1/2) is above 1 − 2^−19."""

LEAST_CHANCE = 2.0**-50
"""Nearer to 0 there is no point."""

COARSEST_SPACING = 1 / 32
"""As far apart at most as those of Gaussian noise points are, as Φ^−1 of them, where μ = √(2ρ)."""

CUTS = 4
"""Lines that touch φ, for each of its points."""

BITS = 192
"""Of balls, and of such lines."""

RHO_MARGIN = 2.0**-30
"""Relative reduction of ρ where points must lie below φ: greater than the error of doubles."""

MOST_APPROACHES, NEAR_ENOUGH = 60, 1e-13


@lru_cache(maxsize=64)
def concentrated(rho: Fraction) -> tuple[TradeOff, TradeOff]:
    """Return φ of ρ-zCDP from below and from above, each on points that it maps to each other.

    Args:
        rho: ρ, above 0.

    Returns: the function through points of φ of a slightly smaller ρ, and that of a slightly greater one, which is
    nowhere below lines that touch φ.
    """
    if rho < LEAST_RHO:
        return IGNORED, concentrated(LEAST_RHO)[1]
    if rho > GREATEST_RHO:
        return concentrated(Fraction(GREATEST_RHO))[0], TradeOff.approximate(ONE, ONE)
    apart = 2 * ceil(sqrt(2 * rho) / COARSEST_SPACING / 2)
    below = _Chain.of(float(rho) * (1 - RHO_MARGIN), apart)
    known = zip(below.graph, reversed(below.points), strict=False)
    if not all(_is_private(at, point.b, rho) for at, point in known):
        raise AssertionError("a point is not below φ")
    touching = TradeOff.least([*_lines(below, rho)])
    slack = rho / (3 * apart * apart) + Fraction(RHO_MARGIN)  # somewhat more than a chord is below φ, as a part of μ
    while True:
        above = through(_Chain.of(float(rho * (1 + slack) ** 2), apart).graph, drawn_out=True)
        if touching.at_most(above):
            return through(below.graph), above
        slack *= Fraction(9, 8)


# In doubles: where to look


@dataclass(frozen=True, slots=True)
class _Order:
    """The order a of which D_a/(ρa) is the greatest, and that, of one direction; `b` is a − 1."""

    ratio: float
    b: float

    @classmethod
    def of(cls, heads: float, tails: float, odds: float, rho: float) -> _Order:
        """Take a direction: 1, or where g is least in its last convex part.

        Args: heads, the probability of the first coin where it is the greater; tails, log of the ratio of those of
        tails; odds, D; rho.
        """
        best = cls((tails + odds * heads) / rho, 0.0)
        b = ((tails + odds) / rho - 1) / 2  # from there on g rises; Newton's method from there falls toward its least
        for _ in range(MOST_APPROACHES):
            tilted = heads / (heads + (1 - heads) * exp(-b * odds))
            bend = 2 * rho - odds * odds * tilted * (1 - tilted)
            step = (rho * (2 * b + 1) - tails - odds * tilted) / bend if bend > 0 else 0.0
            if b <= step:
                return best
            b -= step
            if step <= NEAR_ENOUGH * b:
                break
        mean = log1p(heads * expm1(b * odds)) if b * odds < 1 else b * odds + log(heads + (1 - heads) * exp(-b * odds))
        return max(best, cls((b * tails + mean) / (rho * b * (b + 1)), b), key=_ratio)


def _ratio(order: _Order) -> float:
    return order.ratio


@dataclass(frozen=True, slots=True)
class _Point:
    """φ(u) = y where u + y ≤ 1, and the order, less 1, that is the worst; it is so of y against u."""

    u: float
    y: float
    b: float

    @property
    def odds(self) -> float:
        """D."""
        return log(self.y / self.u) + log1p(-self.u) - log1p(-self.y)


def _point(y: float, rho: float, odds: float) -> _Point:
    """Return the least u with φ(u) ≥ y. Args: y, rho; odds, about what D is."""
    head, tail = log(y), log1p(-y)

    def at(odds: float) -> tuple[float, _Point]:
        """Return the square root of the greatest D_a/(ρa), less 1: it rises with D."""
        low, high = -log1p(exp(odds - head + tail)), -log1p(exp(head - tail - odds))  # log u, log(1 − u)
        worst = _Order.of(y, tail - high, odds, rho)
        return sqrt(worst.ratio) - 1, _Point(exp(low), y, worst.b)

    before, (excess, found) = odds, at(odds)
    here, last = odds / (1 + excess), excess
    for _ in range(MOST_APPROACHES):
        excess, found = at(here)
        if abs(excess) < NEAR_ENOUGH or excess == last:
            break
        before, here, last = here, here - excess * (here - before) / (excess - last), excess
    return found


@dataclass(frozen=True, slots=True)
class _Chain:
    """Probabilities from near 0 to near 1, symmetric about 1/2, of which φ takes each to the one `apart` places on.

    points: φ where u + φ(u) ≤ 1, from the middle to near 0; the others are their mirrors.
    """

    points: tuple[_Point, ...]
    graph: tuple[tuple[Fraction, Fraction], ...]

    @classmethod
    def of(cls, rho: float, apart: int) -> _Chain:
        """Return what 1/2 leads to, and other probabilities between. Args: apart, an even number."""
        found = [_middle(rho)]
        spacing = 2 * NormalDist().inv_cdf(found[0].y) / apart
        small = [*(NormalDist().cdf(-i * spacing) for i in range(apart // 2)), found[0].u]
        for w in small[-2::-1]:
            found.append(_point(1 - w, rho, found[-1].odds))
        small += [point.u for point in found[1:]]
        while small[-1] > LEAST_CHANCE:
            found.append(_point(small[len(small) - apart], rho, found[-1].odds))
            small.append(found[-1].u)
        low = [Fraction(w) for w in reversed(small)]
        grid = [*low[:-1], *(1 - w for w in reversed(low))]
        return cls(tuple(found), tuple(zip(grid, grid[apart:], strict=False)))


def _middle(rho: float) -> _Point:
    """Return the point with φ(u) = 1 − u, nearly; φ has a kink there."""
    low, high, odds = 0.5, 1.0, 2 * sqrt(2 * rho)
    for _ in range(MOST_APPROACHES):
        middle = (low + high) / 2
        found = _point(middle, rho, odds)
        low, high, odds = (middle, high, found.odds) if found.u + middle < 1 else (low, middle, found.odds)
    return found


def _lines(chain: _Chain, rho: Fraction) -> Iterator[Line]:
    """Yield lines that φ is nowhere above, and their mirrors: between any two points some that nearly touch it."""
    for far, near in pairwise(chain.points):
        for part in range(CUTS):
            y = far.y * (near.y / far.y) ** (part / CUTS)
            slope, start = _cut(_point(y, float(rho), far.odds), rho)
            yield slope, start
            yield 1 / slope, 1 - (1 - start) / slope


# In balls: what is found


def _cut(point: _Point, rho: Fraction) -> Line:
    """Return a line that φ is nowhere above, whatever the point; it nearly touches φ where that is on φ.

    One order bounds y^a u^(1−a) + …, or the divergence itself where it is 1: convex, so nowhere below its tangent.
    """
    with ctx.workprec(BITS):
        u, y, b = (ball_of(Fraction(number)) for number in (point.u, point.y, point.b))
        heads, tails, room = y / u, (1 - y) / (1 - u), ball_of(rho) * (b + 1)
        if point.b:
            along_u = b * (tails ** (b + 1) - heads ** (b + 1))
            heads, tails, room = heads**b, tails**b, (room * b).exp()
            along_y = (b + 1) * (heads - tails)
        else:
            along_u = tails - heads
            heads, tails = heads.log(), tails.log()
            along_y = heads - tails
        value = y * heads + (1 - y) * tails - room
        if not along_y > 0:
            raise AssertionError("a divergence rises with y")
        ends = [y - (value + along_u * (at - u)) / along_y for at in (0, 1)]
        slope = Fraction(_up(-along_u / along_y), 1 << BITS)
        return slope, Fraction(max(_up(ends[0]), _up(ends[1] - ball_of(slope))), 1 << BITS)


def _up(ball: arb) -> int:
    """Return a whole multiple of 2^−`BITS` that no number of a ball exceeds."""
    return ceil(dyadic((ball * arb(2) ** BITS).upper()))


def _is_private(at: ChancePoint, b: float, rho: Fraction) -> bool:
    """Whether two coins have divergences of all orders of at most ρa, both ways; never wrongly so.

    Args: at, their probabilities, the smaller one first; b, about the worst order, less 1, of the second against the
    first, 0 where that is 1; rho.
    """
    with ctx.workprec(BITS):
        u, y = map(ball_of, at)
        odds = (y / u).log() + ((1 - u) / (1 - y)).log()
        ways = ((y, ((1 - y) / (1 - u)).log(), b), (1 - u, (u / y).log(), 0.0))
        return all(_stays_above(heads, tails, odds, ball_of(rho), b) for heads, tails, b in ways)


def _stays_above(heads: arb, tails: arb, odds: arb, rho: arb, b: float) -> bool:
    """Whether g(a) ≥ 0 for all a > 1 in one direction. Args: b, about where it is least, less 1; or 0."""

    def tilted(b: arb) -> arb:
        return heads / (heads + (1 - heads) * (-b * odds).exp())

    def rise(b: arb) -> arb:
        return rho * (2 * b + 1) - tails - odds * tilted(b)

    if not rise(arb(0)) >= 0:
        return False
    room = 2 * rho / (odds * odds)  # g is convex where π(1 − π) is at most that
    if room >= 0.25:
        return True
    last = (1 + (1 - 4 * room).sqrt()) / 2
    turn = ((last / heads).log() - ((1 - last) / (1 - heads)).log()) / odds  # from there on it is
    if turn <= 0 or rise(turn) >= 0:
        return True
    far = arb(b * (1 + RHO_MARGIN))
    if not far >= turn:
        far = (tails + odds) / rho  # beyond the least
    for _ in range(MOST_APPROACHES):
        slope = rise(far)
        if not slope * far >= rho / (1 << 60):
            break
        heads_there = tilted(far)
        far = (far - slope / (2 * rho - odds * odds * heads_there * (1 - heads_there))).mid()
    least = rho * far * (far + 1) - far * tails - (1 + heads * (far * odds).expm1()).log()
    return bool(far >= turn and slope >= 0 and least - slope * (far - turn) >= 0)
