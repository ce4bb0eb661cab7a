"""The verdict on a whole loss function: the greatest of the answered pieces nowhere below the truth, then each piece.

A piece is log((q·E + 1)/(d·E + 1)), E = e^α − 1. One with a greater q and a smaller d lies above it everywhere, so that
an answer with as many pieces, each moved so, is below the truth nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ..reference import Level
from ..wire.strict_json import Object
from .answers import AnsweredPiece, Malformed, as_value, read_pieces
from .marks import Mark, worst
from .model import Verdict
from .pieces import TruePiece, piece_marks, true_pieces, written_pieces
from .texts import clean, counted
from .truths import Truth, text_of

MOST_PIECES = 1_000
"""So many pieces more than the truth has are not looked through for values below it."""

_LONGEST_PLACE = 60


def judge_function(value: object, expected: Object, limit: int) -> Mark:
    """Judge the answer to `loss_function`. Args: expected, the true value; limit, in ulps. Returns: the worst mark."""
    true = true_pieces(expected)
    try:
        answered = read_pieces(as_value(value))
    except Malformed as error:
        return Mark(Verdict.WRONG, truth=counted(len(true), "piece"), detail=str(error))
    if len(answered) == len(true):
        mark = worst(piece_marks(answered, true, written_pieces(as_value(value)), limit))
        if not mark.verdict.fails:
            return mark
    else:
        there, expected_there = (counted(len(pieces), "piece") for pieces in (answered, true))
        mark = Mark(
            Verdict.WRONG, None, "pieces", expected_there, there, f"{there} where {expected_there} are expected"
        )
    if len(answered) > len(true) + MOST_PIECES or not answered:
        return mark
    return worst([mark, *_below(answered, true)])


def _below(answered: Sequence[AnsweredPiece], true: Sequence[TruePiece]) -> Iterator[Mark]:
    """Yield a mark for each sample at which the greatest answered piece is below the truth. Exact.

    The samples: the limits at 0 and ∞, and each true piece's ends and a point inside it.
    """
    yield from _below_at_zero(answered, true[0])
    for piece in true:
        inner = 2 * piece.start + 1 if piece.stop is None else (piece.start + piece.stop) / 2
        for excess in (piece.start, inner, piece.stop):
            if excess:
                yield from _below_at(answered, piece, excess)
    yield from _below_at_infinity(answered, true[-1])


def _below_at(answered: Sequence[AnsweredPiece], piece: TruePiece, excess: Fraction) -> Iterator[Mark]:
    best, true = max(_ratio(own, excess) for own in answered), _ratio(piece, excess)
    if best < true:
        place = f"at {clean(text_of(Level.of_ratio(1 + excess)), _LONGEST_PLACE)}"
        yield _unsafe(place, Truth.of(Level.of_ratio(true)), Level.of_ratio(best))


def _ratio(piece: AnsweredPiece | TruePiece, excess: Fraction) -> Fraction:
    return (piece.q * excess + 1) / (piece.d * excess + 1)


def _below_at_zero(answered: Sequence[AnsweredPiece], first: TruePiece) -> Iterator[Mark]:
    """Compare the slopes at 0, which the function is proportional to there."""
    best, true = max(own.q - own.d for own in answered), first.q - first.d
    if best < true:
        yield _unsafe("slope at 0", Truth.of(true), best)


def _below_at_infinity(answered: Sequence[AnsweredPiece], last: TruePiece) -> Iterator[Mark]:
    """Compare the limits log(q/d), and where both are infinite the coefficients q of e^α."""
    unbounded = [own.q for own in answered if own.q > own.d == 0]
    if last.q == last.d or (unbounded and last.d):
        return
    if last.d:
        best, true = max(own.q / own.d if own.d else Fraction(1) for own in answered), last.q / last.d
        if best < true:
            yield _unsafe("limit at ∞", Truth.of(Level.of_ratio(true)), Level.of_ratio(best))
    elif not unbounded:
        best = max(own.q / own.d if own.d else Fraction(1) for own in answered)
        yield _unsafe("limit at ∞", Truth("inf"), Level.of_ratio(best))
    elif (largest := max(unbounded)) < last.q:
        yield _unsafe("coefficient of e^α at ∞", Truth.of(last.q), largest)


def _unsafe(place: str, truth: Truth, best: Fraction | Level) -> Mark:
    number = Fraction(0) if isinstance(best, Level) and best.is_zero else best
    detail = "the greatest of the answered pieces is below the loss function"
    return Mark(Verdict.UNSAFE, truth.ulps(number), place, truth, str(Truth.of(number)), detail)
