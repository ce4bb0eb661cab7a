"""Certificates: JSON documents from which anyone can check an exact answer without repeating how it was found.

Made of what the reference found, and untrusted: `checker` shares no code with this module and decides.
What a document claims are the bounds in it. All levels are in the contract's notation; rows, columns and times count
from 1. Those of the supremum are in `supremum`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..reference.correlations import TransitionMatrix
from ..reference.decimals import fraction_to_text
from ..reference.levels import ZERO, Level
from ..reference.paper.algorithm_1 import optimum
from ..reference.paper.leakage import Adversary, apply, correlation_of, leakage, losses_over
from ..reference.paper.lfp import Subset
from ..reference.paper.loss import LossFunction
from ..reference.stepwise import Stepwise
from .parts import (
    CERTIFICATE_VERSION,
    LONG,
    SHORT,
    Bound,
    Bounds,
    Document,
    between,
    check_digits,
    claim,
    column_numbers,
    correlation_texts,
    exactly,
    is_plain,
    ratio_of,
    with_enough_digits,
    witness_fields,
)


def lfp_optimum_certificate(
    matrix: TransitionMatrix, row_q: int, row_d: int, alpha: Level, digits: int = 17
) -> Document:
    """Certify the optimum of the program of two rows, Eq. [eq:lfp], with the LP of Charnes and Cooper and its dual.

    Args: matrix and the rows' indices from 0; alpha of any kind; digits of the value where it is not rational.
    Returns: a `lfp-optimum` certificate; primal and dual are null where the ratio of alpha is not rational.
    Raises: InvalidRequest, Undecided.
    """
    check_digits(digits)
    chosen = optimum(matrix, row_q, row_d, alpha)
    q, d = matrix.rows[row_q], matrix.rows[row_d]
    ratio = alpha.ratio
    exact = ratio if isinstance(ratio, Fraction) else None
    return {
        "certificate": "lfp-optimum",
        "version": CERTIFICATE_VERSION,
        "digits": digits,
        "q": [fraction_to_text(entry) for entry in q],
        "d": [fraction_to_text(entry) for entry in d],
        "alpha": alpha.full_text(),
        "subset": column_numbers(chosen),
        "value": _loss_at(chosen, alpha, digits).texts(),
        "primal": None if exact is None else _primal(d, chosen, exact),
        "dual": None if exact is None else _dual(q, d, chosen, exact),
    }


def _primal(d: Sequence[Fraction], chosen: Subset, ratio: Fraction) -> Document:
    x = [ratio if j in chosen.indices else Fraction(1) for j in range(len(d))]
    t = 1 / sum((d_j * x_j for d_j, x_j in zip(d, x, strict=True)), Fraction(0))
    return {"t": fraction_to_text(t), "y": [fraction_to_text(t * x_j) for x_j in x]}


def _dual(q: Sequence[Fraction], d: Sequence[Fraction], chosen: Subset, ratio: Fraction) -> Document:
    value = (chosen.q * (ratio - 1) + 1) / (chosen.d * (ratio - 1) + 1)
    reduced = [q_j - value * d_j for q_j, d_j in zip(q, d, strict=True)]
    return {
        "lambda": fraction_to_text(value),
        "u": [fraction_to_text(max(-c, Fraction(0))) for c in reduced],
        "w": [fraction_to_text(max(c, Fraction(0))) for c in reduced],
    }


def loss_certificate(
    matrix: TransitionMatrix, alpha: Level, witness: Subset | None, level: Level, digits: int = 17
) -> Document:
    """Certify one value of the loss function.

    Args: alpha of any kind; witness, rows and columns that are optimal at alpha, None for no loss; level, L(alpha) as
    whoever found the witness has it. Returns: a `loss` certificate of the decimals that enclose that level.
    Raises: InvalidRequest, Undecided.
    """
    check_digits(digits)

    def make(working: int) -> Document:
        bounds = _loss_at(witness, alpha, working)
        return {
            "matrix": matrix.texts(),
            "alpha": alpha.full_text(),
            **witness_fields(witness),
            "loss": bounds.texts(),
            "level": claim(level, bounds.lower.level, bounds.upper.level, digits),
        }

    return with_enough_digits("loss", make, digits)


def loss_function_certificate(loss: LossFunction) -> Document:
    """Certify a whole loss function. Returns: a `loss-function` certificate, its pieces as the contract has them."""
    pieces = []
    for piece in loss.pieces:
        start, stop = piece.domain
        pieces.append(
            {
                "q": fraction_to_text(piece.q),
                "d": fraction_to_text(piece.d),
                "from": start.full_text(),
                "to": stop.full_text(),
                **witness_fields(piece.witness),
            }
        )
    matrix = loss.matrix.texts()
    return {"certificate": "loss-function", "version": CERTIFICATE_VERSION, "matrix": matrix, "pieces": pieces}


def leakage_certificate(epsilons: Sequence[Level], adversary: Adversary, digits: int = 17) -> Document:
    """Certify BPL, FPL and TPL at all times, as the recursions give them.

    Args: epsilons, PL_0(M^t) for t = 1..T; the adversary's loss functions, with their matrices.
    Returns: a `leakage` certificate of the decimals that enclose every level. Raises: InvalidRequest, Undecided.
    """
    check_digits(digits)
    levels = leakage(epsilons, adversary)
    between = len(epsilons) - 1
    past, future = (
        [None if isinstance(own, Stepwise) else own, *losses_over(own, between, role)[::order]]
        for own, role, order in zip(adversary.losses, ("backward", "forward"), (1, -1), strict=True)
    )
    rising = list(zip(past, epsilons, levels.bpl, strict=True))
    falling = list(zip(future, epsilons[::-1], levels.fpl[::-1], strict=True))
    backward, forward = map(correlation_of, adversary.losses)

    def make(working: int) -> Document:
        bpl = _steps(rising, digits, working)
        fpl = _steps(falling, digits, working)[::-1]
        return {
            "backward": correlation_texts(backward),
            "forward": correlation_texts(forward),
            "epsilons": [epsilon.full_text() for epsilon in epsilons],
            "bpl": [step.document for step in bpl],
            "fpl": [step.document for step in fpl],
            "tpl": [
                claim(level, b.at.lower.level + f.loss.lower.level, b.at.upper.level + f.loss.upper.level, digits)
                for level, b, f in zip(levels.tpl, bpl, fpl, strict=True)
            ],
        }

    return with_enough_digits("leakage", make, digits + len(str(len(epsilons))))


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of a recursion: its part of the certificate, and the bounds of its loss and of its leakage."""

    document: Document
    loss: Bounds
    at: Bounds


def _steps(steps: Sequence[tuple[LossFunction | None, Level, Level]], digits: int, working: int) -> list[_Step]:
    """Return the steps of one recursion, from where it starts: each of its loss, its budget and its leakage."""
    found = []
    before, at = ZERO, exactly(ZERO)
    for loss, epsilon, level in steps:
        lost = apply(loss, before)
        below = None if loss is None else loss.piece_at(at.lower.level).witness
        above = None if loss is None else loss.piece_at(at.upper.level).witness
        bounds = exactly(lost) if is_plain(lost) else _loss_between(below, at.lower, above, at.upper, working)
        at = exactly(level) if is_plain(level) else _sum_between(epsilon, bounds, working)
        enclosure = claim(level, at.lower.level, at.upper.level, digits)
        document = {**witness_fields(below), "loss": bounds.texts(), "bounds": at.texts(), "level": enclosure}
        found.append(_Step(document, bounds, at))
        before = level
    return found


def _loss_between(below: Subset | None, lower: Bound, above: Subset | None, upper: Bound, digits: int) -> Bounds:
    """Return bounds of the loss between two levels, from the sets that are optimal there."""
    assert below is not None
    assert above is not None
    least, _ = _ratio(below.value(lower.level), below, lower.level, digits)
    _, most = _ratio(above.value(upper.level), above, upper.level, digits)
    return between(least, most, digits, SHORT)


def _sum_between(epsilon: Level, bounds: Bounds, digits: int) -> Bounds:
    (least, most), (lower, _), (_, upper) = (
        ratio_of(level, digits) for level in (epsilon, bounds.lower.level, bounds.upper.level)
    )
    return between(least * lower, most * upper, digits, SHORT)


def _loss_at(witness: Subset | None, alpha: Level, digits: int) -> Bounds:
    """Return bounds of log g_S at alpha: exact if it is rational or has a rational ratio."""
    value = ZERO if witness is None else witness.value(alpha)
    if witness is None or is_plain(value):
        return exactly(value)
    return between(*_ratio(value, witness, alpha, digits), digits, LONG)


def _ratio(value: Level, chosen: Subset, alpha: Level, digits: int) -> tuple[Fraction, Fraction]:
    """Return rationals around g_S at alpha; value is its logarithm."""
    if isinstance(value.ratio, Fraction):
        return value.ratio, value.ratio
    lower, upper = ((chosen.q * (a - 1) + 1) / (chosen.d * (a - 1) + 1) for a in ratio_of(alpha, digits))
    return lower, upper
