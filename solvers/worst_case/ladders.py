"""The points on which the functions of theorem (profile) live for one φ, and what a release does to them, in doubles.

φ^−1 maps the points to each other, the orbits of the kinks of φ: on them functions stay linear between points. They are
rounded to dyadic numbers, no nearer to 0 than `least`. From above φ is raised to what leads from point to point, and
what is left out between 0 and the last point is paid for at 0. From below functions are concave, so that chords between
any points are a bound, and windows end a little early.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import inf, nextafter

import numpy as np

from ...reference.errors import InvalidRequest
from ...reference.worst_case.profile_grids import window_of
from ...reference.worst_case.trade_off import TradeOff
from .profile_bounds import Doubles, WindowsInDoubles

LEAST = Fraction(1, 1 << 60)
"""No nearer to 0 than this is a point for a δ that is not far smaller."""

BITS_OF_LEAST = 132
"""Bits of the point nearest to 0."""

MOST_KINKS = 4_000
"""Points of one φ, at most."""


class Ladder:
    """The points and windows of one φ for any number of releases: from above, or from below.

    amplification: by how many roundings more 0 moves with each release.
    """

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, phi: TradeOff, releases: int, up: bool, least: Fraction) -> Ladder:
        """Return it, the same for the same ones."""
        return cls(phi, releases, up=up, least=least)

    def __init__(self, phi: TradeOff, releases: int, *, up: bool, least: Fraction = LEAST) -> None:
        """Take φ, concave and at least u. Raises: InvalidRequest beyond `MOST_KINKS` points."""
        bits = BITS_OF_LEAST + least.denominator.bit_length()
        image: dict[Fraction, Fraction] = {u: _rounded(y, bits, up) for u, y in phi.points}
        dropped: dict[Fraction, Fraction] = {}
        for kink in phi.kinks:
            at = kink
            for _ in range(releases):
                found = phi.reached_at(at)
                if found is None or found == at:
                    break
                back = _rounded(found, bits, False)
                if back in image:
                    break
                if back < least:
                    dropped[back] = at
                    break
                image[back] = at if up else _rounded(phi(back), bits, False)
                at = back
            if len(image) > MOST_KINKS:
                raise InvalidRequest(f"too large: the profile has more than {MOST_KINKS} kinks")
        points = sorted(image)
        self.points = np.array([float(u) for u in points])
        windows = [window_of(points, u, max(u, image[u])) for u in points]
        self._windows = WindowsInDoubles(windows)
        self.end = np.array([window.end[0] + bool(window.end[1]) for window in windows])
        left_out = sorted(dropped.items()) if up else []
        if left_out:
            self.end[0] = max(self.end[0], self.end[1])
        self._left_out = WindowsInDoubles([window_of(points, u, y) for u, y in left_out]) if left_out else None
        self._shares = np.array([nextafter(float(points[1] / (points[1] - u)), inf) for u, _ in left_out])
        self.amplification = 4 * float(self._shares.max()) if left_out else 0.0

    def told(self, found: Doubles) -> Doubles:
        """Return max over [u, φ(u)] of functions at all points, what was left out near 0 included."""
        kept = self._windows.greatest(found)
        if self._left_out is not None:
            left_out, last = self._left_out.greatest(found), kept[:, :, 1:2]
            raised = np.where(left_out > last, last + (left_out - last) * self._shares, left_out)
            kept[:, :, 0] = np.maximum(kept[:, :, 0], raised.max(axis=2))
        return kept


def _rounded(number: Fraction, bits: int, up: bool) -> Fraction:
    """Return a number next to one, above or below, with `bits` bits after the point."""
    whole = number.numerator << bits
    return Fraction(-(-whole // number.denominator) if up else whole // number.denominator, 1 << bits)
