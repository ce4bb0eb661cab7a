"""The judge of loss functions: the greatest of the pieces must be nowhere below the truth, then each piece is judged.

A piece is log((q·E + 1)/(d·E + 1)), E = e^α − 1. One with a greater q and a smaller d lies above it everywhere, so that
an answer with as many pieces, each perturbed so, is below the truth nowhere. The end of a piece is where two functions
meet, and where they all but touch that is no number of a double's precision: an end further off than the limit is
admitted where the two pieces meet, their coefficients moved by as much as theirs may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from ...output.sheets import clean, counted
from ...reference import Level, parse_level, parse_number
from ...wire.strict_json import Object
from ..model import ROUNDING_ULPS, Failure, Judgement, Verdict, worst
from .answers import AnsweredLevel, AnsweredPiece, Given, Malformed, as_value, read_pieces
from .truths import Number, Truth, text_of, ulp

MOST_PIECES = 1_000
"""Surplus pieces up to which an answer is searched for values below the truth."""

MOST_PIECES_READ = 10_000
"""Surplus pieces up to which an answer is read at all."""

LARGEST_END = 10_000
"""An end of a piece above this level is judged by its ulps alone: its excess is too long to compare with."""

_LONGEST_PLACE = 60
_SAFE = {"q": 1, "d": -1}


def _ratio(piece: AnsweredPiece | TruePiece, excess: Fraction) -> Fraction:
    return (piece.q * excess + 1) / (piece.d * excess + 1)


def judge_function(value: object, expected: Object, limit: int) -> Judgement:
    """Judge the answer to `loss_function`. Args: expected, the true value; limit, in ulps. Returns: the worst."""
    true = true_pieces(expected)
    try:
        answered = read_pieces(as_value(value), len(true) + MOST_PIECES_READ)
    except Malformed as error:
        return Judgement(Verdict.WRONG, truth=counted(len(true), "piece"), detail=str(error), failure=error.failure)
    if len(answered) == len(true):
        part = worst(_piece_parts(answered, true, written_pieces(as_value(value)), limit))
        if not part.verdict.fails:
            return part
    else:
        there, expected_there = (counted(len(pieces), "piece") for pieces in (answered, true))
        detail, failure = f"{there} where {expected_there} are expected", Failure.OTHER_PIECES
        if repeated := _repeated(answered, limit):
            detail, failure = f"{detail}: piece {repeated + 1} repeats piece {repeated}", Failure.REPEATED_PIECES
        part = Judgement(Verdict.WRONG, None, "pieces", expected_there, there, detail, failure)
    if len(answered) > len(true) + MOST_PIECES or not answered:
        return part
    return worst([part, *_below(answered, true)])


def _repeated(answered: Sequence[AnsweredPiece], limit: int) -> int:
    """Return the number of the first piece that the next one repeats within `limit` ulps; 0 where none does."""
    for number, (first, second) in enumerate(pairwise(answered), 1):
        ends = ((first.q, second.q), (first.d, second.d))
        if all(one == other or abs(one - other) <= limit * ulp(max(one, other)) for one, other in ends):
            return number
    return 0


def _below(answered: Sequence[AnsweredPiece], true: Sequence[TruePiece]) -> Iterator[Judgement]:
    """Yield a verdict for each sample at which the greatest answered piece is below the truth. Exact.

    The samples: the limits at 0 and ∞, and each true piece's ends and a point inside it.
    """
    yield from _below_at_zero(answered, true[0])
    for piece in true:
        inner = 2 * piece.start + 1 if piece.stop is None else (piece.start + piece.stop) / 2
        for excess in (piece.start, inner, piece.stop):
            if excess:
                yield from _below_at(answered, piece, excess)
    yield from _below_at_infinity(answered, true[-1])


def _below_at(answered: Sequence[AnsweredPiece], piece: TruePiece, excess: Fraction) -> Iterator[Judgement]:
    best, true = max(_ratio(own, excess) for own in answered), _ratio(piece, excess)
    if best < true:
        place = f"at {clean(text_of(Level.of_ratio(1 + excess)), _LONGEST_PLACE)}"
        yield _below_truth(place, Truth.of(Level.of_ratio(true)), Level.of_ratio(best))


def _below_at_zero(answered: Sequence[AnsweredPiece], first: TruePiece) -> Iterator[Judgement]:
    """Compare the slopes at 0, which the function is proportional to there."""
    best, true = max(own.q - own.d for own in answered), first.q - first.d
    if best < true:
        yield _below_truth("slope at 0", Truth.of(true), best)


def _below_at_infinity(answered: Sequence[AnsweredPiece], last: TruePiece) -> Iterator[Judgement]:
    """Compare the limits log(q/d), and where both are infinite the coefficients q of e^α."""
    unbounded = [own.q for own in answered if own.q > own.d == 0]
    if last.q == last.d or (unbounded and last.d):
        return
    if last.d:
        best, true = max(own.q / own.d if own.d else Fraction(1) for own in answered), last.q / last.d
        if best < true:
            yield _below_truth("limit at ∞", Truth.of(Level.of_ratio(true)), Level.of_ratio(best))
    elif not unbounded:
        best = max(own.q / own.d if own.d else Fraction(1) for own in answered)
        yield _below_truth("limit at ∞", Truth("inf"), Level.of_ratio(best))
    elif (largest := max(unbounded)) < last.q:
        yield _below_truth("coefficient of e^α at ∞", Truth.of(last.q), largest)


def _below_truth(place: str, truth: Truth, best: Fraction | Level) -> Judgement:
    number = Fraction(0) if isinstance(best, Level) and best.is_zero else best
    detail = "the greatest of the answered pieces is below the loss function"
    ulps = truth.ulps(number)
    failure = Failure.ZERO if number == 0 and ulps is not None and abs(ulps) > ROUNDING_ULPS else None
    said = str(Truth.of(number)), detail, failure
    return Judgement(Verdict.UNSAFE, ulps, place, truth, *said, numbers=truth.in_doubles(number))


def _piece_parts(
    answered: Sequence[AnsweredPiece], true: Sequence[TruePiece], written: Sequence[Object], limit: int
) -> Iterator[Judgement]:
    """Yield what is said of all four numbers of as many pieces as there are true ones."""
    neighbours = [None, *true, None]
    for index, (own, piece, texts) in enumerate(zip(answered, true, written, strict=True)):
        for key, number in (("q", own.q), ("d", own.d)):
            yield _coefficient(number, _unjudged(piece, texts, index, key), key, limit)
        yield _end(own.start, _unjudged(piece, texts, index, "from"), (neighbours[index], piece), limit)
        yield _end(own.stop, _unjudged(piece, texts, index, "to"), (piece, neighbours[index + 2]), limit)


def _unjudged(piece: TruePiece, texts: Object, index: int, key: str) -> Judgement:
    return Judgement(Verdict.EXACT, 0, f"pieces {index + 1}, {key}", Truth(str(piece.texts[key])), Given(texts[key]))


def _coefficient(number: Fraction, part: Judgement, key: str, limit: int) -> Judgement:
    """Judge a coefficient: q may be above the truth and d below it, which both raise the piece."""
    assert isinstance(part.truth, Truth)
    ulps = part.truth.ulps(number)
    if ulps == 0:
        return part
    if ulps is not None and ulps * _SAFE[key] < 0:
        detail = f"a piece with such a {key} is below the true one"
        failure = Failure.ROUNDING if abs(ulps) <= ROUNDING_ULPS else Failure.OFF
        numbers = part.truth.in_doubles(number)
        return replace(part, verdict=Verdict.WRONG, ulps=ulps, detail=detail, failure=failure, numbers=numbers)
    return _near(replace(part, ulps=ulps), number, limit)


def _end(
    answered: AnsweredLevel, part: Judgement, meeting: tuple[TruePiece | None, TruePiece | None], limit: int
) -> Judgement:
    """Judge an end of a piece, at which two true ones meet; at 0 and at ∞ there is one alone."""
    truth = part.truth
    assert isinstance(truth, Truth)
    if answered.exact is not None and truth.order(answered.exact):
        detail = "the exact text is not the truth"
        return replace(
            part, verdict=Verdict.WRONG, ulps=truth.ulps(answered.exact), detail=detail, failure=Failure.UNTRUE
        )
    ends = (answered.lower, answered.upper) if answered.exact is None else (answered.exact,)
    counts = [truth.ulps(end) for end in ends]
    ulps = None if None in counts else max((count for count in counts if count is not None), key=abs)
    if ulps == 0:
        return part
    judged = _near(replace(part, ulps=ulps), answered.upper, limit)
    first, second = meeting
    if not judged.verdict.fails or first is None or second is None:
        return judged
    if all(may_meet(first, second, end, limit) for end in ends):
        detail = f"two pieces whose coefficients are within {limit:,} ulps of the true ones meet there"
        return replace(judged, verdict=Verdict.WITHIN, detail=detail)
    return judged


def _near(part: Judgement, number: Number, limit: int) -> Judgement:
    if part.ulps is not None and abs(part.ulps) <= limit:
        return replace(part, verdict=Verdict.WITHIN)
    assert isinstance(part.truth, Truth)
    detail, numbers = f"further from the truth than {limit:,} ulps", part.truth.in_doubles(number)
    return replace(part, verdict=Verdict.WRONG, detail=detail, failure=Failure.OFF, numbers=numbers)


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


def may_meet(first: TruePiece, second: TruePiece, end: Number, limit: int) -> bool:
    """Whether two pieces may be equal at a level if each coefficient is perturbed by at most `limit` ulps. Exact."""
    level = Level.of(end) if isinstance(end, Fraction) and end <= LARGEST_END else end
    if isinstance(level, Fraction) or level.is_infinite:
        return False
    excess = level.excess_bounds()[0]
    (low, high), (other_low, other_high) = (_slopes(piece, excess, limit) for piece in (first, second))
    return excess > 0 and low <= other_high and other_low <= high


def _slopes(piece: TruePiece, excess: Fraction, limit: int) -> tuple[Fraction, Fraction]:
    """Return the least and the greatest slope of the chord from 0 to an excess, ((q·E + 1)/(d·E + 1) − 1)/E.

    Two pieces are equal at E > 0 where these are. Each coefficient is perturbed by at most `limit` ulps.
    """
    q_off, d_off = (limit * ulp(value) if value else Fraction(0) for value in (piece.q, piece.d))
    low_q, high_q = piece.q - q_off, piece.q + q_off
    low_d, high_d = max(piece.d - d_off, Fraction(0)), piece.d + d_off
    return (low_q - high_d) / (high_d * excess + 1), (high_q - low_d) / (low_d * excess + 1)
