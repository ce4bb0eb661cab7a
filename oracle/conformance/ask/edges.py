"""Inputs at edges, constructed from their answers: the answer is chosen, and a level computed for it."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from random import Random

from ...contract.losses import loss_function_of
from ...reference import Level, LossFunction, TransitionMatrix
from ...wire.strict_json import Object
from .families import VAST_TOTAL, WITH_TINY_ENTRIES, coarse, two_extremes, varied
from .notation import Notation

_FEW = 4
_CHOSEN_EXCESSES = (Fraction(2**52), Fraction(2**53), Fraction(1, 2**30), Fraction(10), Fraction(10**100))
"""e^α - 1 of answers that are asked for: about 36 nats, where doubles begin to absorb 1, small, moderate, large."""


def _small_loss(random: Random, notation: Notation) -> tuple[list[list[str]], LossFunction]:
    """Return a matrix of few states as it is written, and its loss function."""
    n, total = random.randrange(2, _FEW + 1), random.choice([total for total in notation.totals if total >= _FEW])
    rows = random.choice((varied, coarse, two_extremes))(random, n, total)
    matrix = TransitionMatrix(tuple(tuple(Fraction(part, total) for part in row) for row in rows))
    return [[notation.entry(part, total) for part in row] for row in rows], loss_function_of(matrix)


def draw_breakpoint(random: Random, notation: Notation) -> Object:
    """Return a matrix, and a level within an ulp or two of where one piece of its loss function gives way to the next.

    Where it has one piece, the level is that of an answer that is chosen.
    """
    matrix, loss = _small_loss(random, notation)
    ends = [piece.stop for piece in loss.pieces if piece.stop is not None]
    excess = random.choice(ends or _CHOSEN_EXCESSES)
    return {"matrix": matrix, "alpha": notation.near_log(random, 1 + excess)}


def draw_supremum(random: Random, notation: Notation) -> Object:
    """Return a matrix, and a budget whose supremum is chosen, or about to be infinite."""
    return random.choice((_chosen_supremum, _critical, _critical))(random, notation)


def _chosen_supremum(random: Random, notation: Notation) -> Object:
    """Return a matrix, and a budget whose supremum is a chosen answer, or within an ulp or two of it.

    The answer is where one piece gives way to the next, or an excess E of those above: ε = A - L(A).
    """
    matrix, loss = _small_loss(random, notation)
    ends = [piece.stop for piece in loss.pieces if piece.stop is not None]
    excess = random.choice((*ends, random.choice(_CHOSEN_EXCESSES)))
    rules = loss.piece_at(Level.of_ratio(1 + excess))
    ratio = (1 + excess) * (rules.d * excess + 1) / (rules.q * excess + 1)
    return {"matrix": matrix, "epsilon": notation.near_log(random, ratio)}


def draw_nothing_left(random: Random, notation: Notation) -> Object:
    """Return a matrix, a level before, and a cap that leaves a budget of an ulp or two, or none."""
    matrix, loss = _small_loss(random, notation)
    ratio = 1 + random.choice(_CHOSEN_EXCESSES)
    previous = notation.near_log(random, ratio)
    lost = loss(Level.of_ratio(ratio))
    assert isinstance(lost.ratio, Fraction), "the loss of a level with a rational ratio has one"
    return {"matrix": matrix, "previous": previous, "cap": notation.near_log(random, lost.ratio)}


def draw_tangent(random: Random, notation: Notation) -> Object:
    """Return a matrix with a column, u against u - u² for u = 2^-53, that rules only for levels of about u."""
    unit, scale = isqrt(VAST_TOTAL), VAST_TOTAL // WITH_TINY_ENTRIES
    rows = []
    for tail in ([unit, 0], [unit - 1, 1], [unit, 0], [unit - 1, 1]):
        row = [part * scale for part in varied(random, 2, WITH_TINY_ENTRIES)[0]]
        row[row.index(max(row))] -= unit
        rows.append(row + tail)
    return {"matrix": [[notation.entry(part, VAST_TOTAL) for part in row] for row in rows]}


def _critical(random: Random, notation: Notation) -> Object:
    """Return a matrix with q against a d that all but vanishes, or is 0, and a budget at log(1/q) or a little off.

    q is a multiple of 2^-4, 2^-10 or 2^-20; log(1/q) is no double, and the budget one of the three nearest as a rule.

    With d = 0 the supremum is infinite from there on; with a tiny d the discriminant of Theorem 11 is nearly 0.
    """
    parts = random.choice((16, 2**10, 2**20))
    part, kind = random.randrange(1, parts), random.randrange(3)
    unit = isqrt(VAST_TOTAL)
    if kind == 0:
        power = random.randrange(48, 53)
        rows, total = [[part * (2**power // parts), (parts - part) * (2**power // parts)], [1, 2**power - 1]], 2**power
    elif kind == 1:
        rows, total = [[part, parts - part], [0, parts]], parts
    else:
        total = VAST_TOTAL
        rows = [[part * (total // parts), 0, (parts - part) * (total // parts)], [1, unit - 1, total - unit]]
        rows.append(rows[random.randrange(2)])
    off = random.choice((-1, 0, 0, 0, 1)) * Fraction(1, 2 ** random.randrange(26, 34))
    epsilon = notation.near_log(random, Fraction(parts, part) * (1 + off))
    return {"matrix": [[notation.entry(entry, total) for entry in row] for row in rows], "epsilon": epsilon}
