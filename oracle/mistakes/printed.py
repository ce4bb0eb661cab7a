"""Mistakes of those who follow the paper to the letter, where it has an erratum: worked out from what is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf, log, log1p, sqrt
from operator import truediv

from ..proofs_checks import transcriptions as printed
from ..proofs_checks.in_doubles import Endless
from ..proofs_checks.transcriptions import Arrays, Watch
from ..reference import ZERO, Adversary, Level, Supremum, TransitionMatrix, budgets, supremum
from ..reference.correlations import Row
from ..reference.paper.lfp import candidates
from ..solvers.loss.bisection import bisected_algorithm_8
from .mistake import Mistake, WrongNumbers
from .question import Question, as_float, loss_of

ONE = Fraction(1)
MET_WITHIN = Fraction(1, 2**60)
"""A bisection that has not met the solution at this part of α is taken to go on forever."""

RATIO_BITS = 200
"""Bits of e^α where it is irrational."""


def ratio_of(level: Level) -> Fraction:
    """Return e^α, or a rational just below it."""
    return level.ratio if isinstance(level.ratio, Fraction) else 1 + level.excess_bounds(RATIO_BITS)[0]


def _log(ratio: Fraction) -> float:
    return log1p(ratio - 1) if ratio < 2**1000 else log(ratio.numerator) - log(ratio.denominator)


def _matrix(question: Question) -> TransitionMatrix:
    return next(iter(question.read.matrices.values()))


def _loss(run: Callable[[TransitionMatrix, Fraction], Fraction]) -> WrongNumbers:
    """Return what e^L is at e^α, for `loss` at a finite level."""

    def gives(question: Question) -> Iterator[float]:
        if question.op == "loss" and not question.exact_levels[0].is_infinite:
            yield _log(run(_matrix(question), ratio_of(question.exact_levels[0])))

    return gives


def _mended(matrix: TransitionMatrix) -> list[Arrays]:
    """Return the arrays of Algorithm 2 with its line 11 mended."""
    return printed.algorithm_2(matrix, Watch(), mended={11})


def _ends(matrix: TransitionMatrix) -> tuple[Fraction, Fraction]:
    """Return ratios before the first breakpoint of L and after the last."""
    stops = [piece.stop for piece in loss_of(matrix).pieces if piece.stop is not None]
    return (1 + min(stops) / 2, 2 + 2 * max(stops)) if stops else (Fraction(2), Fraction(3))


def _right(matrix: TransitionMatrix, ratio: Fraction) -> Fraction:
    return max(printed.piece(piece.q, piece.d, ratio) for piece in loss_of(matrix).pieces)


def _searched(matrix: TransitionMatrix, ratio: Fraction) -> Fraction:
    """Return e^L by Algorithm 5, which looks for a place in falling ends among rising ones."""
    start, end = _ends(matrix)
    function = printed.algorithm_4(matrix, start, end, _mended(matrix), Watch(), mended={2})
    inside = start <= ratio <= end and len(function) > 1
    return printed.algorithm_5(ratio, function, ONE, Watch()) if inside else _right(matrix, ratio)


def _pieces(begin: Fraction | None, divide: printed.Divide, mended: set[int]) -> WrongNumbers:
    """Return the number of pieces that Algorithm 4 finds from `begin`, or from before the first breakpoint of L."""

    def gives(question: Question) -> Iterator[float]:
        if question.op == "loss_function":
            matrix = _matrix(question)
            start, end = _ends(matrix)
            function = printed.algorithm_4(
                matrix, begin or start, end, _mended(matrix), Watch(), divide=divide, mended=mended
            )
            if function and question.place == "pieces":
                yield float(len(function))

    return gives


def _kept_of_ties(q_row: Row, d_row: Row) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the prefixes of the columns by falling q_j/d_j, the first of each tie alone."""
    kept: dict[Fraction | None, int] = {}
    for j in candidates(q_row, d_row):
        kept.setdefault(q_row[j] / d_row[j] if d_row[j] else None, j)
    q, d = Fraction(0), Fraction(0)
    for j in sorted(kept.values(), key=lambda j: d_row[j] / q_row[j]):
        q, d = q + q_row[j], d + d_row[j]
        yield q, d


def _without_ties(question: Question) -> Iterator[float]:
    if question.op == "loss":
        rows, alpha = _matrix(question).rows, question.exact_levels[0]
        points = [point for q in rows for d in rows for point in _kept_of_ties(q, d)]
        yield as_float(max((alpha.linear_fractional(*point) for point in points), default=ZERO))


def _supremum(question: Question) -> tuple[Supremum, Level]:
    (epsilon,) = question.exact_levels
    return supremum(loss_of(_matrix(question)), epsilon), epsilon


def _second_case(question: Question) -> Iterator[float]:
    found, epsilon = _supremum(question)
    if found.d == 0 < found.q < 1 and isinstance(epsilon.ratio, Fraction):
        value = printed.theorem_11(found.q, found.d, epsilon.ratio, divide=truediv)
        yield inf if value == inf else _log(Fraction(value))  # type: ignore[arg-type]


def _other_sign(question: Question) -> Iterator[float]:
    """Yield the root of Eq. (39) with the sign of its linear term as it is printed."""
    found, epsilon = _supremum(question)
    q, d = found.q, found.d
    if not found.level.is_infinite and 0 < d < q and not epsilon.is_zero:
        a = ratio_of(epsilon)
        middle = q * a + d - 1
        yield log((sqrt(middle**2 + 4 * d * (1 - q) * a) - float(middle)) / (2 * float(d)))


def _reciprocal_of_zero(question: Question) -> Iterator[float]:
    loss = loss_of(_matrix(question))
    if loss.is_zero and loss.matrix.n > 1:
        yield log(ONE / loss.pieces[0].q)


def _adversary(question: Question) -> Adversary:
    known = {role: loss_of(matrix) for role, matrix in question.read.matrices.items()}
    return Adversary(known.get("backward"), known.get("forward"))


def _schedule(question: Question) -> tuple[int, int] | None:
    """Return the time that is asked about, from 0, and the horizon, of a schedule by Algorithm 8."""
    if question.input.get("method") != "quantified" or not question.place or question.exact_levels[0].is_infinite:
        return None
    return question.time, question.releases


def _first_for_the_whole(question: Question) -> Iterator[float]:
    if _schedule(question) == (0, 1):
        yield as_float(budgets(question.exact_levels[0], _adversary(question)).first)


def _middle_at_the_end(question: Question) -> Iterator[float]:
    time, horizon = _schedule(question) or (0, 0)
    if horizon > 2 and time == horizon - 1:
        yield as_float(budgets(question.exact_levels[0], _adversary(question)).middle)


def never_met(question: Question) -> Iterator[float]:
    """Raise Endless where Algorithm 8's bisection has not met the solution after sixty halvings."""
    alpha, known = question.exact_levels[0], question.read.matrices
    adversary = _adversary(question)
    if not alpha.is_infinite and not any(own and own.is_identity for own in (adversary.backward, adversary.forward)):
        found = bisected_algorithm_8(alpha, known.get("backward"), known.get("forward"), MET_WITHIN)
        if found.first.lower < found.first.upper:
            raise Endless("the solution is not met")
    yield from ()


def _budget_all_the_same(question: Question) -> Iterator[float]:
    """Yield some budget where L is the identity and no column has a 1 against a 0."""
    for matrix in question.read.matrices.values():
        lone = any(q[j] == 1 and d[j] == 0 for q in matrix.rows for d in matrix.rows for j in range(matrix.n))
        if loss_of(matrix).is_identity and not lone:
            yield MET_WITHIN.numerator / MET_WITHIN.denominator


PRINTED_MISTAKES = (
    Mistake(
        "divides-by-zero",
        gives=_loss(
            lambda matrix, ratio: printed.algorithm_1(matrix, ratio, ONE, Watch(), divide=truediv, mended={3, 6})
        ),
        flags=("DividesByZero",),
        errata="E2",
    ),
    Mistake(
        "no-last-zero",
        gives=_loss(lambda matrix, ratio: printed.algorithm_3(ratio, _mended(matrix), ONE, Watch(), mended={5})),
        flags=("NoIndexFound",),
        errata="E5",
    ),
    Mistake(
        "divides-by-itself",
        gives=_loss(lambda matrix, ratio: printed.algorithm_3(ratio, _mended(matrix), ONE, Watch(), mended={4})),
        flags=("DividesByItself",),
        errata="E6",
    ),
    Mistake(
        "calls-the-precomputation",
        gives=_pieces(None, printed.divided, set()),
        errata="E7",
    ),
    Mistake(
        "crossing-zero-over-zero",
        gives=_pieces(None, truediv, {2}),
        flags=("CrossingZeroOverZero",),
        errata="E7",
    ),
    Mistake(
        "domain-from-zero",
        gives=_pieces(ONE, printed.divided, {2}),
        flags=("DomainFromZero",),
        errata="E7",
    ),
    Mistake(
        "searches-falling-ends",
        gives=_loss(_searched),
        flags=("NoPieceFound",),
        errata="E34",
    ),
    Mistake(
        "one-of-a-tie",
        gives=_without_ties,
        errata="E14",
    ),
    Mistake(
        "second-case-at-its-end",
        gives=_second_case,
        ops=("supremum",),
        flags=("CaseTwoDividesByZero",),
        errata="E8",
    ),
    Mistake(
        "printed-sign",
        gives=_other_sign,
        ops=("supremum",),
        flags=("PrintedSign",),
        errata="E9",
    ),
    Mistake(
        "log-of-one-over-zero",
        gives=_reciprocal_of_zero,
        ops=("supremum",),
        flags=("LogOfOneOverZero",),
        errata="E12",
    ),
    Mistake(
        "first-budget-for-one-release",
        gives=_first_for_the_whole,
        ops=("allocate",),
        errata="E29",
    ),
    Mistake(
        "middle-at-the-end",
        gives=_middle_at_the_end,
        ops=("allocate",),
        flags=("MiddleAtTheEnd",),
        errata="E30",
    ),
    Mistake(
        "one-against-zero",
        gives=_budget_all_the_same,
        ops=("allocate",),
        errata="E37",
    ),
)
"""Their words are those of their flags and errata; conform names other causes for what they show."""
