"""Certificates that the worst-case leakage has no bound: sets never confused, or one that keeps too much.

Made of what `reference.boundedness` found, and untrusted, as all certificates are until they are checked. A transient
class C grows if e^ε·ρ(P_CC) ≥ 1; its left Perron vector shows it. Where e^ε is rational and that is an equation the
vector is rational; otherwise any numbers near it do.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from ..reference.correlations import TransitionMatrix
from ..reference.errors import InvalidRequest
from ..reference.formulas import ball_of, dyadic
from ..reference.levels import Level
from ..reference.worst_case.boundedness import boundedness
from .for_ever import check_budget
from .parts import (
    Document,
    Unproved,
    check_digits,
    checked_bits,
    number_text,
    with_enough_digits,
)
from .worst_case import ALL_OCCUR, EVERY_STEP

SQUARINGS_OF_BLOCK = 64
"""A power so high leaves of a block only its Perron vectors, unless another eigenvalue is as great within 2^−50."""


def worst_case_divergent_certificate(matrix: TransitionMatrix, epsilon: Level, digits: int = 17) -> Document:
    """Certify that BPL (or FPL) of the worst mechanisms with budget epsilon at every time has no bound.

    Args: matrix, P^B or P^F; epsilon, finite and above 0; digits, those that the checker begins with where e^ε is not
    rational. Returns: a `worst-case-divergent` certificate. Raises: InvalidRequest, also where there is a bound;
    Undecided.
    """
    check_digits(digits)
    check_budget(epsilon)
    found = boundedness(matrix, epsilon)
    if found.is_bounded:
        raise InvalidRequest(
            "the supremum is finite: there is a bound, certified by worst-case-forever, and no divergence"
        )

    def make(working: int) -> Document:
        sets, onward, weights = found.closed, [*range(1, len(found.closed) + 1)], None
        if len(sets) == 1 and len(found.parts) > 1:
            sets, onward = found.parts, [*range(2, len(found.parts) + 1), 1]
        elif len(sets) == 1:
            assert found.growing is not None, "something diverges"
            weights = _weights(matrix, epsilon, found.growing, checked_bits(working))
            sets = (found.growing, found.closed[0])
        return {
            "assumed": [EVERY_STEP, ALL_OCCUR],
            "matrix": matrix.texts(),
            "epsilon": epsilon.full_text(),
            "sets": [[value + 1 for value in own] for own in sets],
            "next": onward if weights is None else None,
            "weights": None if weights is None else [number_text(weight) for weight in weights],
        }

    return with_enough_digits("worst-case-divergent", make, digits)


def _weights(matrix: TransitionMatrix, epsilon: Level, own: Sequence[int], bits: int) -> list[Fraction]:
    """Return w ≥ 0 with e^ε·w P_CC ≥ w, C given by its values. Raises: Unproved."""
    block = [[matrix.rows[a][b] for b in own] for a in own]
    lower, upper = epsilon.excess_bounds(bits)
    # A little less than what the checker takes for e^ε.
    ratio = 1 + lower if lower == upper else 1 + lower * (1 - Fraction(1, 1 << bits - 1))
    for weights in (_fixed(block, ratio) if lower == upper else None, _near_perron(block, bits)):
        if weights is not None and all(
            ratio * sum((w * p for w, p in zip(weights, column, strict=True)), Fraction(0)) >= weight
            for column, weight in zip(zip(*block, strict=True), weights, strict=True)
        ):
            return weights
    raise Unproved


def _fixed(block: Sequence[Sequence[Fraction]], ratio: Fraction) -> list[Fraction] | None:
    """Return w with e^ε·w P_CC = w, w > 0; None where there is none such."""
    n = len(block)
    kept = fmpq_mat(n, n, [_fmpq(ratio * block[b][a] - int(a == b)) for a in range(n) for b in range(n)])
    reduced, rank = kept.rref()
    if rank != n - 1:
        return None
    pivots = [next(k for k in range(n) if reduced[row, k] != 0) for row in range(rank)]
    free = next(k for k in range(n) if k not in pivots)
    weights = [Fraction(1)] * n
    for row, pivot in enumerate(pivots):
        entry = reduced[row, free]
        weights[pivot] = -Fraction(int(entry.p), int(entry.q))
    return weights if min(weights) > 0 else None


def _near_perron(block: Sequence[Sequence[Fraction]], bits: int) -> list[Fraction]:
    """Return about the left Perron vector: the sums of the columns of a high power of I + P."""
    n = len(block)
    with ctx.workprec(2 * bits):
        power = arb_mat([[ball_of(p + int(a == b)) for b, p in enumerate(row)] for a, row in enumerate(block)])
        for _ in range(SQUARINGS_OF_BLOCK):
            power = arb_mat([[entry.mid() for entry in row] for row in (power * power).table()])
            power = power * (1 / sum(power.entries(), arb(0)).mid())
        sums = [dyadic(sum((power[a, b] for a in range(n)), arb(0)).mid()) for b in range(n)]
    most = max(sums)
    return [Fraction(round(value / most * (1 << bits)), 1 << bits) for value in sums]


def _fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)
