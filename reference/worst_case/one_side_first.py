"""TPL by one side after the other: what the past and the release tell together is one φ for the future, theorem (ψ).

Let ψ(u) be the greatest probability under j of a test of the past and of the release of the time that has probability u
under k. Given the values of the future a test of all has such probabilities v and at most ψ(v); v, a mean of tests, is
φ_s-private in each value of the future, for φ_s is concave. So theorem (profile) of the future with ψ for φ_t bounds
δ(α) of TPL from above; likewise with past and future exchanged. ψ itself is the least of the lines δ(λ) + λ·u, δ(λ)
that of theorem (profile) for the past, and any of these lines are a bound of it. Proof: docs/profile.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush

from .profile import PairBound, ProfileSide, pair_bound
from .sweep import ValuePair
from .trade_off import ONE, ZERO_CHANCE, TradeOff

MOST_TANGENTS = 64
"""Lines that ψ is bounded by at most; fewer where they are all there are."""


@dataclass(frozen=True, slots=True)
class FirstBound:
    """A bound of δ of TPL for a pair, the side with ψ that it is of, and the slope of ψ where it is used."""

    bound: PairBound
    side: ProfileSide
    slope: Fraction


def told_together(
    side: ProfileSide, pair: ValuePair, bits: int | None = None, most_lines: int = MOST_TANGENTS
) -> TradeOff:
    """Return a function that is nowhere below ψ of a side for a pair of values.

    Args:
        side: the releases of the time and of one side.
        pair: the values j and k, from 0.
        bits: as for `pair_bound`.
        most_lines: the most lines that bound ψ.

    Returns: ψ itself where the φ commute, bits is None and `most_lines` lines suffice.
    """
    lines: dict[Fraction, Fraction] = {}
    gaps = [(Fraction(-1), (ZERO_CHANCE, ZERO_CHANCE), (ONE, ONE))]
    while gaps and len(lines) < most_lines:
        _, (u, y), (v, z) = heappop(gaps)
        if u >= v or y >= z:
            continue
        slope = (z - y) / (v - u)
        if slope in lines:
            continue
        if bits is not None:
            slope = Fraction((slope.numerator << bits) // slope.denominator + 1, 1 << bits)
        found = pair_bound(side, slope, pair, bits)
        lines[slope] = found.delta
        p, q = found.test.chances(side, bits)
        gap = found.delta - (y - slope * u)
        if p and gap > (Fraction(1, 1 << bits // 2) if bits else 0):
            heappush(gaps, (-gap / p, (u, y), (q, p)))  # of small chances small differences count
            heappush(gaps, (-gap / z, (q, p), (v, z)))
    return TradeOff.least(list(lines.items()))


def one_side_first(
    told: TradeOff, then: ProfileSide, *, odds: Fraction, pair: ValuePair, bits: int | None = None
) -> FirstBound:
    """Return an *upper* bound of δ of TPL at e^α = odds for a pair of values, by theorem (ψ).

    Args: told, of one side, as `told_together` has it; then, the other one; the others as for `pair_bound`.
    """
    side = ProfileSide((told, *then.trade_offs[1:]), then.steps)
    bound = pair_bound(side, odds, pair, bits)
    _, q = bound.test.chances(side, bits)
    place = max(place for place, u in enumerate(told.kinks[:-1]) if u <= q)
    (u, y), (v, z) = told.points[place : place + 2]
    return FirstBound(bound, side, (z - y) / (v - u))
