"""The loss function of a matrix of doubles: L, its limit and its suprema, never below the truth.

With E = e^α − 1, the loss L(α) = log(1 + μ), where μ is the greatest, over ordered pairs of rows q, d and sets S of
columns, of (q_S − d_S)/(d_S + 1/E). Equivalently μ is the least number with

    E · Σ_j (q_j − d_j − μ d_j)^+ ≤ μ     for every pair of rows.                                      (1)

The search for μ may round as it likes: it goes from set to set, as Newton's method does. Then (1) is checked, with
every rounding on the left upwards: a μ that passes is not below the truth. One that fails is raised and checked again.
The same with the supremum under a budget ε, e = e^ε − 1: E is not below the fixed point of α = ε + L(α) if

    Σ_j min(q_j, (1 + E) d_j − e q_j) ≥ e/E     for every pair of rows.                                 (2)

This is (1) without its cancellation: e stands by itself, so that an error in the sum is no worse than the same relative
error of ε, however close to the boundary beyond which the leakage has no bound.

q_j − d_j of two doubles loses u of itself and nothing more; a sum of n terms ≥ 0, in any order, is within a factor
1 ± (n − 1)u. Entries are multiplied by 2^512, which is exact, so that no product that counts underflows, and what
overflows is a term that does not count.
"""

from fractions import Fraction
from functools import cached_property
from math import frexp, hypot, inf, ldexp, log, sqrt

import numpy as np

from directed_numbers import (
    LARGE,
    LEAST,
    TINY,
    NegativeProbability,
    NotSquare,
    U,
    down,
    excess,
    level,
    missing,
    next_to,
    product,
    quotient,
    sum_up,
    up,
)

SCALE = 2.0**512
VAST = 1490.0
"""A level α: e^α exceeds 2^1074 times any quotient of two doubles."""

OPEN = 2.0**-40
"""What is added to a difference may be this part of it."""

MOST_STEPS = 500
KEPT = 1 << 21
"""How many differences of entries are kept from step to step; those of larger matrices are formed anew."""


class Matrix:
    """A transition matrix of doubles: L, its limit and its suprema, all rounded up.

    A row whose sum misses 1 by rounding is divided by it. Raises: NotStochastic, NotSquare, NegativeProbability.
    """

    def __init__(self, rows, what="the matrix"):
        rows = [np.asarray(row, dtype=float).reshape(-1) for row in rows]
        misses = [missing(row, f"{what}, row {number}") for number, row in enumerate(rows, 1)]
        n = len(rows)
        if n == 0 or any(row.size != n for row in rows):
            raise NotSquare(f"{what} has {n} rows, of {sorted({row.size for row in rows})} entries")
        self.n, self.given, self.misses = n, np.array(rows), np.array(misses)
        if (self.given < 0).any():
            raise NegativeProbability(f"{what} has the entry {self.given.min()}")
        self.exact = not self.misses.any()
        self.entries = self.given / (1 + self.misses)[:, None]  # within 3u; exact where the row sums to 1
        self.scaled = self.entries * SCALE
        self._guess = self._kept = None
        self._known = {}

    def _differences(self, rows_d):
        """Return upper bounds of 2^512·(q_j − d_j)^+, by row d, row q and column.

        Of rows that sum to 1 the difference is rounded once. Of others, with sums 1 + ρ, it is
        (q_j − d_j + q_j ρ_d − d_j ρ_q)/((1 + ρ_q)(1 + ρ_d)): the first difference is split into a double and its error
        (Knuth), which leaves the roundings of the products, below 8u(q_j|ρ_d| + d_j|ρ_q|), to be added. Where that is
        not small beside the difference, as for rows that are all but proportional, integers decide.
        """
        q, d = self.given[None, :, :], self.given[rows_d, None, :]
        gap = q - d
        if not self.exact:
            back = gap - q
            error = (q - (gap - back)) - (d + back)
            of_q, of_d = self.misses[None, :, None], self.misses[rows_d, None, None]
            slack = 8 * U * (q * np.abs(of_d) + d * np.abs(of_q)) + 4 * LEAST
            gap = (gap + (error + (q * of_d - d * of_q) + slack)) / ((1 + of_q) * (1 + of_d))
            gap[np.broadcast_to((q == d).all(axis=2, keepdims=True) | (q == 0), gap.shape)] = 0
            for place in zip(*np.nonzero((gap > 0) & (gap * OPEN < slack)), strict=True):
                gap[place] = max(0.0, self._exact_difference(rows_d.start + place[0], *place[1:]))
        return np.maximum(gap, 0) * SCALE * (1 + (4 if self.exact else 16) * U)

    def _exact_difference(self, d, q, j):
        (of_q, sum_q), (of_d, sum_d) = ((Fraction(float(self.given[row, j])), self._sums[row]) for row in (q, d))
        return next_to(of_q / sum_q - of_d / sum_d, 1)

    @cached_property
    def _sums(self):
        return [sum(map(Fraction, row.tolist())) for row in self.given]

    def _blocks(self):
        """Yield the differences in blocks of rows d: the slice of rows and the array."""
        step = max(1, KEPT // self.n**2)
        if self._kept is None and step >= self.n:
            self._kept = self._differences(slice(0, self.n))
        for first in range(0, self.n, step):
            rows_d = slice(first, min(first + step, self.n))
            yield rows_d, self._differences(rows_d) if self._kept is None else self._kept

    @cached_property
    def variation(self):
        """The greatest total variation distance of two rows, rounded up: the slope of L at 0; 0 iff all are equal."""
        return min(1.0, up(max(float(gaps.sum(axis=2).max()) for _, gaps in self._blocks()) / SCALE, self.n))

    @cached_property
    def certain(self):
        """The greatest mass that a row has on columns where another has none, rounded up."""
        nothing = (self.entries == 0).astype(float)
        return min(1.0, up(float((nothing @ self.entries.T).max()), self.n + 8))

    @cached_property
    def at_infinity(self):
        """L(∞) = log(1 + max (q_j − d_j)/d_j), rounded up; ∞ where a row has mass and another none."""
        if self.certain > 0:
            return inf
        if self.variation == 0:
            return 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            greatest = max(
                float(np.nanmax(gaps * 2.0**-80 / self.scaled[rows_d, None, :])) for rows_d, gaps in self._blocks()
            )
        return level(up(greatest, 8), 80, 1)

    def loss(self, alpha):
        """Return L(α) rounded up, at most α and at most L(∞)."""
        if alpha not in self._known:
            self._known[alpha] = min(alpha, self.at_infinity, self._loss(alpha))
        return self._known[alpha]

    def _loss(self, alpha):
        if alpha == 0 or self.variation == 0:
            return 0.0
        if alpha <= TINY:  # L(α) ≤ TV·E
            return max(up(self.variation * alpha, 4), LEAST)
        if alpha > VAST:  # with mass q where another row has none, e^L = q·E + 1, and no other set comes near
            return alpha if self.certain == 0 else sum_up(alpha, -down(-log(self.certain), 8))
        grown, shift = excess(alpha, 1)
        pad, found = (self.n + 40) * U, self._guess
        m, k = _value(found, grown, shift, pad) if found else (0.0, 0)
        for _ in range(MOST_STEPS):
            height, better = self._steepest(m, k)
            room = ldexp(m, 512 + k - shift) if 512 + k - shift > -1000 else 0.0
            if up(height * grown, 2) <= room:
                return level(m, k, 1)
            pad = min(2 * pad, 2.0**60) if better == found else pad
            self._guess = found = better
            m, k = _value(found, grown, shift, pad)
        return alpha

    def _steepest(self, m, k):
        """Return 2^512 times the greatest sum in (1) for μ = m·2^k, rounded up, and (q_S − d_S, d_S) of its set.

        Each difference is within [1 + 2u, 1 + 6u] of q_j − d_j (three times that for rows that are divided by their
        sums); the product with μ(1 − 12u) is below μ d_j; one more rounding for the term, n − 1 for the sum.
        A product that underflows is nothing beside a difference, which is at least 2^−562 where it is not 0.
        """
        with np.errstate(over="ignore", under="ignore"):
            charged = np.ldexp(self.scaled, k) * (m * (1 - 12 * U))
        greatest, found = 0.0, (0.0, 0.0)
        for rows_d, gaps in self._blocks():
            terms = gaps - charged[rows_d, None, :]
            np.maximum(terms, 0, out=terms)
            sums = terms.sum(axis=2)
            d, q = np.unravel_index(int(sums.argmax()), sums.shape)
            if sums[d, q] > greatest:
                greatest, chosen = float(sums[d, q]), terms[d, q] > 0
                found = float(gaps[d, q][chosen].sum()), float(self.scaled[rows_d][d][chosen].sum())
        return up(greatest, self.n + 4), found

    def supremum(self, epsilon):
        """Return what BPL or FPL rises to with the budget ε at every time, rounded up.

        With N = max(1, e), everything in (2) is divided by N; z = E/N. The search goes up from E = e: the pair and the
        set that violate (2) the most give a quadratic for the next E, at a budget that is raised by the padding.
        """
        if epsilon == 0:
            return 0.0
        ceiling = sum_up(epsilon, self.at_infinity)
        if epsilon > LARGE + 100 or self.variation == 0:  # ε is then beyond log(1/q), whatever double q is
            return ceiling
        m, k = excess(epsilon, 1)
        budget = _by_size(m, k)
        pad, z = (self.n + 64) * U, frexp(budget[0])
        for _ in range(MOST_STEPS):
            holds, sums = self._tightest(z, *budget)
            if holds:
                return min(ceiling, level(*(product(z, (m, k)) if k > 0 else z), 1))
            root = _root(sums, budget, pad)
            while root and (root[1], root[0]) <= (z[1], z[0]):
                pad *= 2
                root = _root(sums, budget, pad) if pad < 2.0**-10 else None
            if root is None:
                return ceiling
            z = root
        return ceiling

    def _tightest(self, z, e, whole, share):
        """Return whether (2) holds, and (Σ q off S, d_S, q_S) of the pair of rows where its left side is the least.

        Args: z = E/N as (m, k), e/N, 1/N and 2^512/N. The left side, times 2^512/N, is rounded down: the terms that are
        subtracted are summed apart, so that the error is relative to each of the two sums.
        """
        m, k = frexp(ldexp(*z) + whole) if z[1] < 500 else z
        with np.errstate(over="ignore", under="ignore"):
            later = np.ldexp(self.scaled, k) * (m * (1 - 12 * U))
            now = self.scaled * (e * (1 + 12 * U))
            stay = self.entries * (share * (1 - 12 * U))
        least, found = inf, None
        for rows_d, gaps in self._blocks():
            moved = later[rows_d, None, :] - now[None, :, :]
            terms = np.minimum(moved, stay[None, :, :])
            lost = -np.minimum(terms, 0).sum(axis=2)
            kept = np.maximum(terms, 0, out=terms).sum(axis=2)
            margins = kept * (1 - (self.n + 6) * U) - lost * (1 + (self.n + 6) * U) - 4 * self.n * LEAST
            margins[~gaps.any(axis=2)] = inf  # rows that are equal hold for any E ≥ e
            d, q = np.unravel_index(int(margins.argmin()), margins.shape)
            if margins[d, q] < least:
                least, chosen = float(margins[d, q]), moved[d, q] < stay[q]
                found = (
                    float(self.entries[q][~chosen].sum()),
                    float(self.scaled[rows_d][d][chosen].sum()),
                    float(self.scaled[q][chosen].sum()),
                )
        return least >= up(max(ldexp(e * share / z[0], -z[1]), LEAST), 4), found


def _value(found, grown, shift, pad):
    """Return (q_S − d_S)/(d_S + 1/E)·(1 + pad) as (m, k), from sums that are multiplied by 2^512."""
    gap, d = found
    if d == 0:
        m, k = frexp(gap * grown)
        k += shift - 512
    else:
        m, k = quotient(gap, d + ldexp(1 / grown, 512 - shift))
    m *= 1 + pad
    return (m, k) if k > 500 else (max(ldexp(m, k), LEAST), 0)


def _by_size(m, k):
    """Return e/N, 1/N and 2^512/N for e = m·2^k and N = max(1, e); N is e itself where k > 0.

    Where e is rounded to a subnormal double it is ε; that e^ε − 1 is more by ε²/2 is far less than one rounding.
    """
    if k < 1:
        return ldexp(m, k), 1.0, SCALE
    return 1.0, ldexp(1 / m, -k) if k < 1000 else 0.0, ldexp(1 / m, 512 - k)


def _root(sums, budget, pad):
    """Return the root z of d z² + b z − e/N = 0, b = (rest + d)/N − q e, as (m, k); None where there is none.

    All times 2^512, share being 2^512/N. The padding raises e and lowers the sums, which raises the root.
    """
    (rest, d, q), (e, _, share) = sums, budget
    b = (rest + d / SCALE) * share * (1 - pad) - q * e * (1 + pad)
    c = e * share * (1 + pad)
    both = hypot(b, 2 * sqrt(d * (1 - pad)) * sqrt(c))
    if b > 0:
        return quotient(2 * c, b + both)
    return quotient((both - b) / 2, d * (1 - pad)) if d > 0 else None
