"""The verdict on the pieces of a loss function one by one, against the true ones in order.

The end of a piece is where two functions meet, and where they all but touch that is no number of a double's precision:
an end further off than the limit is admitted where the two pieces, their coefficients moved by as much as theirs may
be, meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..reference import Level, parse_level, parse_number
from ..wire.strict_json import Object
from .answers import AnsweredPiece, Claim, Given
from .marks import Mark
from .model import Verdict
from .truths import Number, Truth, ulp

LARGEST_END = 10_000
"""An end of a piece above this level is judged by its ulps alone: its excess is too long to compare with."""

_SAFE = {"q": 1, "d": -1}


@dataclass(frozen=True, slots=True)
class TruePiece:
    """A piece of the true function, and the excesses between which it rules; stop is None for ∞. texts, as written."""

    q: Fraction
    d: Fraction
    start: Fraction
    stop: Fraction | None
    texts: Object


def true_pieces(expected: Object) -> list[TruePiece]:
    """Return the pieces of the oracle's own value."""
    return [_true_piece(piece) for piece in written_pieces(expected)]


def written_pieces(value: Object) -> list[Object]:
    """Return the pieces of a value as they were written; of one that has been read."""
    pieces = value["pieces"]
    assert isinstance(pieces, list)
    return pieces


def _true_piece(piece: Object) -> TruePiece:
    q, d = parse_number(str(piece["q"])), parse_number(str(piece["d"]))
    start, stop = (_excess(parse_level(str(piece[end]))) for end in ("from", "to"))
    assert start is not None, "no piece starts at ∞"
    return TruePiece(q, d, start, stop, piece)


def _excess(level: Level) -> Fraction | None:
    if level.is_infinite:
        return None
    assert isinstance(level.ratio, Fraction), "the ends of a true piece have rational ratios"
    return level.ratio - 1


def piece_marks(
    answered: Sequence[AnsweredPiece], true: Sequence[TruePiece], written: Sequence[Object], limit: int
) -> Iterator[Mark]:
    """Yield the marks of all four numbers of as many pieces as there are true ones."""
    neighbours = [None, *true, None]
    for index, (own, piece, texts) in enumerate(zip(answered, true, written, strict=True)):
        for key, number in (("q", own.q), ("d", own.d)):
            yield _coefficient(number, _unmarked(piece, texts, index, key), key, limit)
        yield _end(own.start, _unmarked(piece, texts, index, "from"), (neighbours[index], piece), limit)
        yield _end(own.stop, _unmarked(piece, texts, index, "to"), (piece, neighbours[index + 2]), limit)


def _unmarked(piece: TruePiece, texts: Object, index: int, key: str) -> Mark:
    return Mark(Verdict.EXACT, 0, f"pieces {index + 1}, {key}", Truth(str(piece.texts[key])), Given(texts[key]))


def _coefficient(number: Fraction, mark: Mark, key: str, limit: int) -> Mark:
    """Mark a coefficient: q may be above the truth and d below it, which both raise the piece."""
    assert isinstance(mark.truth, Truth)
    ulps = mark.truth.ulps(number)
    if ulps == 0:
        return mark
    if ulps is not None and ulps * _SAFE[key] < 0:
        detail = f"a piece with such a {key} is below the true one"
        return replace(mark, verdict=Verdict.WRONG, ulps=ulps, detail=detail)
    return _near(replace(mark, ulps=ulps), limit)


def _end(claim: Claim, mark: Mark, meeting: tuple[TruePiece | None, TruePiece | None], limit: int) -> Mark:
    """Mark an end of a piece, at which two true ones meet; at 0 and at ∞ there is one alone."""
    truth = mark.truth
    assert isinstance(truth, Truth)
    if claim.exact is not None and truth.order(claim.exact):
        detail = "the exact text is not the truth"
        return replace(mark, verdict=Verdict.WRONG, ulps=truth.ulps(claim.exact), detail=detail)
    ends = (claim.lower, claim.upper) if claim.exact is None else (claim.exact,)
    counts = [truth.ulps(end) for end in ends]
    ulps = None if None in counts else max((count for count in counts if count is not None), key=abs)
    if ulps == 0:
        return mark
    marked = _near(replace(mark, ulps=ulps), limit)
    first, second = meeting
    if not marked.verdict.fails or first is None or second is None:
        return marked
    if all(_may_meet(first, second, end, limit) for end in ends):
        detail = f"two pieces whose coefficients are within {limit:,} ulps of the true ones meet there"
        return replace(marked, verdict=Verdict.WITHIN, detail=detail)
    return marked


def _near(mark: Mark, limit: int) -> Mark:
    if mark.ulps is not None and abs(mark.ulps) <= limit:
        return replace(mark, verdict=Verdict.WITHIN)
    return replace(mark, verdict=Verdict.WRONG, detail=f"further from the truth than {limit:,} ulps")


def _may_meet(first: TruePiece, second: TruePiece, end: Number, limit: int) -> bool:
    """Whether two pieces may be equal at a level, each coefficient being moved by at most so many ulps. Exact."""
    level = Level.of(end) if isinstance(end, Fraction) and end <= LARGEST_END else end
    if isinstance(level, Fraction) or level.is_infinite:
        return False
    excess = level.excess_bounds()[0]
    (low, high), (other_low, other_high) = (_range(piece, excess, limit) for piece in (first, second))
    return excess > 0 and low <= other_high and other_low <= high


def _range(piece: TruePiece, excess: Fraction, limit: int) -> tuple[Fraction, Fraction]:
    """Return the least and the greatest slope of the chord from 0 to an excess, ((q·E + 1)/(d·E + 1) − 1)/E.

    Two pieces are equal at E > 0 where these are. Each coefficient is moved by at most so many ulps.
    """
    q_off, d_off = (limit * ulp(value) if value else Fraction(0) for value in (piece.q, piece.d))
    low_q, high_q = piece.q - q_off, piece.q + q_off
    low_d, high_d = max(piece.d - d_off, Fraction(0)), piece.d + d_off
    return (low_q - high_d) / (high_d * excess + 1), (high_q - low_d) / (low_d * excess + 1)
