"""The catalogue of mistakes. A new one is an entry in `MISTAKES`: words, the wrong answer as a function, flag, erratum.

A run names a mistake as a cause where an answer *is* what the mistake gives, worked out anew: what Theorem 11 gives for
the pair of the first step, what the matrix gives without its tiny entries, a double whose logarithm was taken near 1.
Only a limit (`beyond`) is read off many answers: all below it right, those from it on wrong. What is named in a run,
`conformance.explain.groups` decides. A flag of the vectors is shown by a case on which its mistake gives another
number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from math import exp, expm1, fmod, inf, isfinite, log, log1p, ulp

import numpy as np
from numpy.typing import NDArray

from ..proofs_checks.in_doubles import (
    AnswerKind,
    Endless,
    Pairs,
    algorithm_1,
    algorithm_2,
    attempt,
    careful_loss,
    first_step_pair,
    pairs_of,
    theorem_11,
)
from ..reference.paper.supremum import candidate
from ..solvers.loss.shapes import recursions
from ..wire.numerals import Reader
from .failures import FAR_ULPS, INPUT_ERRORS, ROUNDING_ULPS, Failure
from .mistake import ANY_NUMBER, BUDGET_FAILURES, LEVEL_ABOVE, LEVEL_BELOW, Clues, Mistake, by_loss
from .printed import PRINTED_MISTAKES, never_met
from .profile import PROFILE_MISTAKES
from .question import (
    ABSORBED,
    OVERFLOW,
    MatrixInDoubles,
    Point,
    Question,
    as_double,
    excess_of,
    loss_at,
    loss_of,
    ruling_piece,
    supremum_of,
)
from .steps import STEP_MISTAKES
from .worst_case import WORST_CASE_MISTAKES

_DEGENERATE = 2.0**-36
_TINY, _TOLERANCES = (1e-9, 1e-12, 1e-14, 1e-15, 1e-16), (1e-6, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14, 2.0**-52)
_MAXIMA = (*map(float, range(1, 101)), *map(float, range(110, 1001, 10)), 709.0, 745.0)
_FORMLESS = (Failure.NAN, Failure.MALFORMED, Failure.NEGATIVE, Failure.ERROR_FOR_VALUE, Failure.CRASHED)
_ANY = (*ANY_NUMBER, *_FORMLESS, Failure.TIMED_OUT)
_PIECES = (Failure.REPEATED_PIECES, Failure.OTHER_PIECES, Failure.OFF)
_NEAR_ONE, _LATTICE = 2.0**-48, 2.0**-6
_FEW = 20
"""States and releases of an input on which a loop that ends has ended long ago."""

_SIGNATURE = re.compile(r"TypeError: .*(required .*argument|unexpected keyword argument|positional arguments? but)")
_NEGATIVE_INTEGER = re.compile(r"(?<![\w.)])-[1-9][0-9]*(?:\.0+)?(?![\w.])")


# What L is by each mistake.


def _with_excess_of_exp(question: Question) -> Iterator[float | None]:
    """Yield what follows from exp(α) − 1 in the place of e^α − 1."""

    def loss(side: MatrixInDoubles, alpha: float) -> float:
        return side.loss(log1p(exp(alpha) - 1) if alpha < OVERFLOW else alpha)

    if any(0 < level < 1 for level in question.levels):
        yield question.worked_out(loss)


def _without_tiny(least: float, side: MatrixInDoubles, alpha: float) -> float:
    return careful_loss(algorithm_2(pairs_of(np.where(side.rows < least, 0.0, side.rows))), alpha)


def _with_tolerance(tolerance: float, side: MatrixInDoubles, alpha: float) -> float:
    """L(α) over the pairs of rows that differ by more than a tolerance."""
    return _over(side.pairs, np.abs(side.pairs.q - side.pairs.d).max(axis=1, initial=0.0) > tolerance, alpha)


def _in_one_order(is_later: bool, side: MatrixInDoubles, alpha: float) -> float:
    """L(α) over each two rows in one order alone: q is the later of them, or the earlier."""
    q, d = side.pairs.rows.T
    return _over(side.pairs, (q > d) == is_later, alpha)


def _over(pairs: Pairs, chosen: NDArray[np.bool_], alpha: float) -> float:
    return careful_loss(algorithm_2(Pairs(pairs.q[chosen], pairs.d[chosen], pairs.rows[chosen])), alpha)


def _by_single_columns(side: MatrixInDoubles, alpha: float) -> float:
    return max(
        loss_at(Point(q, d, q - d), alpha)
        for rows in zip(side.pairs.q.tolist(), side.pairs.d.tolist(), strict=True)
        for q, d in zip(*rows, strict=True)
    )


def _up_to(maximum: float, side: MatrixInDoubles, alpha: float) -> float:
    return side.loss(min(alpha, maximum))


def _without_plus_one(side: MatrixInDoubles, alpha: float) -> float:
    """L(α) by Algorithms 2 and 3 with transition points log k for log(1 + k)."""
    found, table = 0.0, side.transitions
    with np.errstate(all="ignore"):
        levels = np.log(np.expm1(table.levels))
    for pair, size in enumerate(table.sizes.tolist()):
        if size:
            k = max(1, int(np.count_nonzero(levels[pair, :size] > alpha))) - 1
            point = Point(float(table.q[pair, k]), float(table.d[pair, k]), float(table.gains[pair, k]))
            found = max(found, loss_at(point, alpha))
    return found


def _all_columns_leave(side: MatrixInDoubles, alpha: float) -> float:
    """L(α) by Algorithm 1 in doubles: a column whose ratio ties with the quotient, rounded, leaves."""
    with np.errstate(all="ignore"):
        return algorithm_1(side.pairs, alpha) if ABSORBED <= alpha < OVERFLOW else side.loss(alpha)


def _nothing_is_left(side: MatrixInDoubles, alpha: float) -> float:
    return 0.0 if ABSORBED <= alpha < OVERFLOW else side.loss(alpha)


def _nothing_past_exp(side: MatrixInDoubles, alpha: float) -> float:
    return 0.0 if OVERFLOW < alpha < inf else side.loss(alpha)


def _nothing_at_infinity(side: MatrixInDoubles, alpha: float) -> float:
    return 0.0 if alpha == inf else side.loss(alpha)


@np.errstate(all="ignore")
def _as_printed(side: MatrixInDoubles, alpha: float) -> float:
    """L(α) by Algorithm 1 with its flag as it is printed. Raises: Endless."""
    return algorithm_1(side.pairs, alpha, as_printed=True)


def _uncorrelated(question: Question) -> Iterator[float]:
    """Yield the answer where the values of a person at different times are independent."""
    epsilons = question.by_key.get("epsilons", [])
    if question.op in ("leakage", "worst_case_leakage"):
        yield epsilons[question.time]
    elif question.op == "composition":
        first, length = question.window
        yield sum(epsilons[first : first + length])
    else:
        yield {"loss": 0.0, "control": question.by_key.get("cap", [0.0])[0]}.get(question.op, question.levels[0])


def _composed(question: Question) -> Iterator[float]:
    """Yield the answer of sequential composition, which adds up all budgets."""
    if question.op in ("leakage", "worst_case_leakage"):
        epsilons, at = question.by_key["epsilons"], question.time
        yield sum({"bpl": epsilons[: at + 1], "fpl": epsilons[at:], "tpl": epsilons}[question.kind])
    elif question.op == "loss":
        yield question.levels[0]


# What answers show.


def _rounds_at_each_step(clues: Clues) -> bool:
    steps = (clues.states or 1) + (clues.releases or 1)
    return clues.ulps is not None and abs(clues.ulps) <= min(ROUNDING_ULPS * steps, FAR_ULPS)


def _is_log_near_one(clues: Clues) -> bool:
    """Whether the answer is the logarithm of a double near 1, and the truth lies between two such logarithms."""
    given, truth = clues.given, clues.truth
    if given is None or truth is None or not ROUNDING_ULPS * ulp(truth) < abs(given - truth) <= _NEAR_ONE:
        return False
    loss = clues.by_key["cap"][0] - given if clues.op == "control" else given
    return 0 <= loss < _LATTICE and abs(log(1 + expm1(loss)) - loss) <= 4 * ulp(loss)


def _is_lost_difference(clues: Clues) -> bool:
    """Whether a budget far below the level is a multiple of the level's unit: the difference of two such doubles."""
    if clues.failure is Failure.NEGATIVE:
        return clues.op == "control"
    if clues.given is None or clues.highest == 0 or not 0 <= clues.given < 2.0**-20 * clues.highest:
        return False
    return fmod(clues.given, ulp(clues.highest) / 2) == 0


def _overflows(clues: Clues) -> bool:
    said = clues.said.lower()
    tells = clues.failure in (Failure.NAN, Failure.INFINITE) or "overflow" in said or "range error" in said
    return clues.highest > OVERFLOW and (tells or clues.is_worked_out(_nothing_past_exp))


def _is_of_infinite_levels(clues: Clues) -> bool:
    tells = clues.failure is Failure.NAN or "nan" in clues.said.lower()
    return inf in clues.levels and (tells or clues.is_worked_out(_nothing_at_infinity))


def _zero_for_equal_rows(question: Question) -> Iterator[float]:
    """Yield the supremum over no pair of rows, as Algorithm 6 starts from it."""
    if question.op == "supremum":
        yield from (0.0 for side in question.sides.values() if loss_of(side.matrix).is_zero)


def _has_no_rows_apart(clues: Clues) -> bool:
    if "lacks the key" in clues.said:
        return False
    return bool(clues.sides) and all(len(side.points) == 1 and side.points[0].gap == 0 for side in clues.sides.values())


def _stands_for_infinity(clues: Clues) -> bool:
    """Whether a round number, the last level whose exponential is a double, or the last double stands for ∞."""
    given = clues.given
    if clues.truth != inf or given is None or not isfinite(given):
        return False
    is_round = given >= 10 and given == float(f"{given:.1e}")
    return is_round or 709 <= given <= 711 or given > 1e300


def _first_missing(question: Question) -> Iterator[float]:
    """Yield what the later pieces give where the first one rules."""
    for side in question.sides.values():
        if question.place == "slope at 0":
            yield from (point.gap for point in side.points[1:])
        elif question.level is not None and ruling_piece(side.points, excess_of(question.level)) == 0:
            yield from (loss_at(point, question.level) for point in side.points[1:])


def _last_missing(question: Question) -> Iterator[float]:
    """Yield what the earlier pieces give where the last one rules."""
    for side in question.sides.values():
        last = len(side.points) - 1
        if question.level is not None and ruling_piece(side.points, excess_of(question.level)) == last:
            yield from (loss_at(point, question.level) for point in side.points[:-1])


def _is_almost_tangent(clues: Clues) -> bool:
    """Whether two neighbouring pieces cross where doubles hardly tell, E = (q + d' - q' - d)/(q'd - qd')."""
    if clues.states > _FEW or clues.releases > _FEW:
        return False
    for side in clues.sides.values():
        for one, other in pairwise(side.points):
            above, below = one.q + other.d - other.q - one.d, one.q * other.d - other.q * one.d
            if one.stop == inf or abs(above) <= _DEGENERATE or abs(below) <= _DEGENERATE * other.q * one.d:
                return True
    return "recursion" in clues.said.lower()


def _by_first_step(question: Question) -> Iterator[float]:
    """Yield what Theorem 11 gives, exactly, for the piece that rules at ε."""
    (budget,) = question.exact_levels
    for side in question.sides.values():
        piece = loss_of(side.matrix).pieces[ruling_piece(side.points, excess_of(question.levels[0]))]
        level = candidate(piece.q, piece.d, budget)
        yield inf if level.is_infinite else as_double(Fraction(level.enclosure(20).upper))


def _is_printed_root(is_with_zeros: bool, clues: Clues) -> bool:
    """Whether the answer is what Theorem 11 as printed gives in doubles for the piece that rules at the supremum.

    Args: is_with_zeros, whether that piece has d = 0, which is another formula. Or the greatest over all pieces.
    """
    points, budget = clues.sides["matrix"].points, clues.levels[0]
    rules = ruling_piece(points, excess_of(inf if clues.truth is None else clues.truth))
    ruling, found = points[rules], [attempt(partial(theorem_11, point.q, point.d, budget)) for point in points]
    if (ruling.d == 0) != is_with_zeros or ruling.gap == 0:
        return False
    if clues.failure in (Failure.NAN, Failure.ERROR_FOR_VALUE):
        return any(each.kind in (AnswerKind.DIVISION, AnswerKind.DOMAIN) for each in found)
    values = [each.value for each in found if each.value is not None]
    return clues.is_answer(found[rules].value) or clues.is_answer(max(values, default=None))


def _leaves_no_column(clues: Clues) -> bool:
    """Whether Theorem 11 is asked about q = d = 0, since all columns leave for rounding."""
    if clues.op != "supremum":
        return False
    side, (budget,) = clues.sides["matrix"], clues.levels
    with np.errstate(all="ignore"):
        q, _ = first_step_pair(side.pairs, budget)
    return ABSORBED <= budget < OVERFLOW and q == 0 < side.points[0].gap


def _never_ends_as_printed(clues: Clues) -> bool:
    """Whether Algorithm 1 as printed, whose flag is not set back, has no end on this question."""
    try:
        clues.worked_out(_as_printed)
    except Endless:
        return True
    return False


def _counts_twice(question: Question) -> Iterator[float]:
    """Yield BPL + FPL of a window of one release, which has its budget twice."""
    first, length = question.window
    right = question.worked_out(MatrixInDoubles.loss)
    if length == 1 and right is not None:
        yield right + question.by_key["epsilons"][first]


def _runs_from_the_first(question: Question) -> Iterator[float]:
    """Yield FPL, or TPL, with an FPL from the first budget on; its values in the order of time or the reverse."""
    if question.kind == "bpl" or question.worked_out(MatrixInDoubles.loss) is None:
        return
    at, epsilons, (back, on) = question.time, question.by_key["epsilons"], question.losses(MatrixInDoubles.loss)
    wrong = recursions(epsilons, (on, on))["bpl"]
    rest = recursions(epsilons, (back, on))["bpl"][at] - epsilons[at] if question.kind == "tpl" else 0.0
    yield from (rest + wrong[at], rest + wrong[-1 - at])


def _has_complex_root(clues: Clues) -> bool:
    """Whether a complex number is answered; or NaN, where trace² − 4·det of the step, in doubles, is below 0."""
    said = clues.said.lower()
    if "complex" in said or (clues.failure is Failure.MALFORMED and "j" in said.split("number")[0]):
        return True
    return (clues.failure is Failure.NAN or "domain" in said) and any(
        (point.q * exp(level) + 1 - point.d) ** 2 - 4 * exp(level) * point.gap < 0
        for level in clues.levels
        if level < ABSORBED
        for side in clues.sides.values()
        for point in side.points
    )


def _without_tiny_entries(question: Question) -> Iterator[float | None]:
    """Yield the answer to the matrix without its tiny entries."""
    if question.op != "supremum":
        yield from by_loss(*(partial(_without_tiny, least) for least in _TINY))(question)
        return
    (budget,) = question.levels
    for side, least in product(question.sides.values(), _TINY):
        rows = side.rows
        table = algorithm_2(pairs_of(np.where(rows < least, 0.0, rows)))
        prefixes = zip(table.q.flat, table.d.flat, table.gains.flat, strict=True)
        yield max((supremum_of(Point(*map(float, one)), budget) for one in prefixes), default=budget)


def _takes_d_for_0(clues: Clues) -> bool:
    return any(
        point.d > 0 and point.q * exp(level) >= 1
        for level in clues.levels
        if level < OVERFLOW
        for side in clues.sides.values()
        for point in side.points
    )


def _is_smoothed_twice(clues: Clues) -> bool:
    """Whether the entry of the matrix is (p' + s)/(1 + n·s) for the smoothed p' in the place of p."""
    s = float(Reader(clues.numbers).number(clues.input.get("s"), "s"))
    return clues.truth is not None and clues.is_answer((clues.truth + s) / (1 + clues.states * s))


def _is_negative(clues: Clues) -> bool:
    return clues.failure is Failure.NEGATIVE or "[-" in clues.said or " -" in clues.said


def _goes_on_for_ever(clues: Clues) -> bool:
    return max(clues.states, clues.releases) <= _FEW


MISTAKES = (
    Mistake(
        "signature",
        "A method does not take the keys of its operation as arguments.",
        "Name the parameters after the keys (docs/wire.md), and give those that may be absent a default: "
        "def leakage(self, epsilons, backward=None, forward=None).",
        (Failure.ERROR_FOR_VALUE, Failure.OTHER_ERROR),
        tells=lambda clues: bool(_SIGNATURE.search(clues.said)),
    ),
    Mistake(
        "correlation-ignored",
        "The correlation is ignored (L = 0): leakage is taken to be ε, and the budget α, as for values that are "
        "independent over time.",
        "Add what other releases reveal: BPL_t = ε_t + L(BPL_(t-1)), and FPL likewise; a constant budget is smaller "
        "than α.",
        ANY_NUMBER,
        _uncorrelated,
        is_general=True,
    ),
    Mistake(
        "budgets-added",
        "All budgets are added up (sequential composition), as if a person's value never changed.",
        "Let the correlation decide what carries over: BPL_t = ε_t + L(BPL_(t-1)), where L(α) is at most α.",
        LEVEL_ABOVE,
        _composed,
        is_general=True,
    ),
    Mistake(
        "rounding",
        "Answers are rounded to nearest, so that about half of them are on the unsafe side.",
        "Round outward after every step: up to the next double (math.nextafter(x, math.inf), np.nextafter(x, "
        "np.inf)), for a budget down; or multiply a level by 1 + k·2^-52, where k is the number of roundings.",
        (Failure.ROUNDING,),
        tells=lambda _clues: True,
    ),
    Mistake(
        "rounding-at-each-step",
        "Each step rounds to nearest, and the errors of many steps add up.",
        "Round outward after every step.",
        (Failure.BELOW, Failure.BUDGET_ABOVE, Failure.OTHER_SCHEDULE),
        tells=_rounds_at_each_step,
    ),
    Mistake(
        "first-step-pair",
        "The supremum is computed from the q and d that attain L at the first step.",
        "Use the q and d that attain L at the supremum itself: take the greatest root over all pieces (Theorem 11 "
        "corrected).",
        LEVEL_BELOW,
        _by_first_step,
        ("supremum",),
        flags=("FirstStepPair",),
        errata="E10",
    ),
    Mistake(
        "cancelling-root",
        "The root of Theorem 11 is computed as printed: where q·e^ε + d < 1, it is the difference of two nearly equal "
        "numbers, divided by a small d.",
        "Where d + q·e^ε < 1, use the other form of the root, 2·e^ε·(1 - q)/(s - (d + q·e^ε - 1)), where s is the "
        "square root of the discriminant.",
        (*ANY_NUMBER, Failure.NAN, Failure.ERROR_FOR_VALUE),
        ops=("supremum",),
        tells=partial(_is_printed_root, False),
    ),
    Mistake(
        "complex-root",
        "Where e^ε is near 1/q, rounding makes the discriminant of Theorem 11 negative: the root is complex or NaN.",
        "Clamp the discriminant at 0, or compute it as a sum of nonnegative terms: (d + q·e^ε - 1)² + 4·d·e^ε·(1 - q).",
        (Failure.NAN, Failure.MALFORMED, Failure.ERROR_FOR_VALUE, Failure.OTHER_ERROR),
        ops=("supremum", "allocate"),
        tells=_has_complex_root,
    ),
    Mistake(
        "critical-denominator",
        "Near ε = log(1/q), the denominator 1 - q·e^ε of the second case of Theorem 11 has no correct digits, or is 0.",
        "Compare e^ε with 1/q exactly, or with every rounding against you; where this does not decide, ∞ is safe.",
        (*ANY_NUMBER, Failure.NAN, Failure.ERROR_FOR_VALUE),
        ops=("supremum",),
        tells=partial(_is_printed_root, True),
    ),
    Mistake(
        "d-taken-for-0",
        "The answer is ∞ although the supremum is finite: the test q·e^ε ≥ 1 is applied although d > 0, or a small d "
        "is treated as 0.",
        "The supremum is infinite only where d is exactly 0 and q·e^ε ≥ 1.",
        (Failure.INFINITE,),
        ops=("supremum",),
        tells=_takes_d_for_0,
    ),
    Mistake(
        "first-breakpoint",
        "Below the first breakpoint a later piece is used, or the first piece is missing.",
        "Start at α = 0: the first piece is the one with the greatest q - d, the greatest total variation distance "
        "between two rows.",
        (*LEVEL_BELOW, *_PIECES),
        _first_missing,
        ("loss", "loss_function"),
    ),
    Mistake(
        "far-breakpoint",
        "Breakpoints at large levels are lost, so that the last pieces are missing.",
        "Continue to ∞: the last piece is the one with the greatest q/d; no a_m is large enough.",
        (*LEVEL_BELOW, *_PIECES),
        _last_missing,
        ("loss", "loss_function"),
    ),
    Mistake(
        "single-columns",
        "For each pair of rows only single columns are tried, which is right for two states only.",
        "Use all ordered pairs of rows and, for each, all prefixes of the columns in the order of q_j/d_j.",
        LEVEL_BELOW,
        by_loss(_by_single_columns),
    ),
    Mistake(
        "rows-in-one-order",
        "Each two rows are taken in one order only: as q and d, but not as d and q.",
        "Use all ordered pairs of rows: which of two rows is q matters.",
        LEVEL_BELOW,
        by_loss(*(partial(_in_one_order, is_later) for is_later in (False, True))),
    ),
    Mistake(
        "own-maximum",
        "Levels above a maximum of the implementation's own are treated as that maximum.",
        "Continue to ∞: the last piece holds from its start onward and tends to log(q/d) or, where d = 0, to α + log "
        "q.",
        LEVEL_BELOW,
        by_loss(*(partial(_up_to, maximum) for maximum in _MAXIMA)),
    ),
    Mistake(
        "other-piece",
        "The wrong piece is used: transition points are computed as log k (Algorithm 2, line 11, as printed).",
        "A transition point is log(1 + k) (Theorem 9).",
        LEVEL_BELOW,
        by_loss(_without_plus_one),
        flags=("PlusOneMissing",),
        errata="E4",
    ),
    Mistake(
        "repeated-pieces",
        "Pieces are repeated: sets of columns whose ratios tie, or functions that differ only by rounding, are listed "
        "separately.",
        "List each (q, d) once; columns with the same ratio q_j/d_j leave together.",
        (Failure.REPEATED_PIECES,),
        tells=lambda _clues: True,
    ),
    Mistake(
        "flag-not-set-back",
        "The flag `update` of Algorithm 1 is not reset (as printed): once a column has left, the loop does not end.",
        "Set `update` to false at the beginning of each iteration.",
        (Failure.TIMED_OUT,),
        by_loss(_as_printed),
        ("loss", "leakage", "composition"),
        _never_ends_as_printed,
        flags=("EndlessLoop",),
        errata="E2",
    ),
    Mistake(
        "fpl-from-the-first",
        "FPL is computed from the first budget on, in the order of time, which is right for equal budgets only.",
        "FPL starts at the last release: FPL_T = ε_T, and FPL_t = ε_t + L(FPL_(t+1)).",
        ANY_NUMBER,
        _runs_from_the_first,
        ("leakage",),
    ),
    Mistake(
        "window-of-one",
        "For a window of one release the answer is BPL + FPL, which counts its budget twice.",
        "For one release Theorem 3 has a case of its own: TPL, which is BPL_t + FPL_t - ε_t.",
        LEVEL_ABOVE,
        _counts_twice,
        ("composition",),
    ),
    Mistake(
        "horizon-of-one",
        "A schedule for a single release has both a first and a last budget.",
        "For one release return α; for two, a first and a last budget and none in between.",
        (Failure.MALFORMED,),
        ops=("allocate",),
        tells=lambda clues: clues.input.get("horizon") == 1,
    ),
    Mistake(
        "made-up-row",
        "A state that is never reached, or that nothing follows, gets a row all the same: 0/0, or an invented one.",
        "Answer UnreachableState: probabilities conditional on an impossible event are undefined.",
        (Failure.VALUE_FOR_ERROR,),
        ops=("reverse", "estimate"),
        tells=lambda clues: clues.which[0] == "UnreachableState",
    ),
    Mistake(
        "endless-recursion",
        "Halving does not end where two pieces are almost tangent: their values never become equal in doubles.",
        "Compare coefficients, which are finitely many, instead of values; or walk the upper hull of the points (d, "
        "q).",
        (Failure.TIMED_OUT, Failure.CRASHED, Failure.ERROR_FOR_VALUE),
        ops=("loss_function", "loss", "leakage", "composition", "supremum"),
        tells=_is_almost_tangent,
    ),
    Mistake(
        "bisection-leaves-its-range",
        "The bisection leaves its range and returns a negative budget.",
        "Bisect between 0 and α without leaving this interval; if no budget is left, answer InfeasibleBudget.",
        (Failure.NEGATIVE, Failure.VALUE_FOR_ERROR),
        ops=("allocate",),
        tells=_is_negative,
    ),
    Mistake(
        "bisection-without-end",
        "The bisection stops only when two doubles are equal, which may never happen.",
        "Halve a fixed number of times, or solve the quadratic equation; then verify the budget, rounded down.",
        (Failure.TIMED_OUT,),
        never_met,
        ("allocate",),
        _goes_on_for_ever,
        flags=("BisectionWithoutEnd",),
        errata="E27",
    ),
    Mistake(
        "no-budget",
        "A budget is returned although there is none: if two rows have disjoint supports, the paper's bound allows no "
        "constant budget over an infinite horizon.",
        "Test for disjoint supports first: answer InfeasibleBudget or, over a finite horizon, α/T at every time.",
        (Failure.VALUE_FOR_ERROR,),
        ops=("allocate", "control"),
        tells=lambda clues: "InfeasibleBudget" in clues.which and not (clues.op == "allocate" and _is_negative(clues)),
    ),
    Mistake(
        "difference-cancels",
        "A budget is computed as α - L(α) where L(α) is nearly α, because two rows are disjoint except for tiny "
        "entries: the difference has no correct digits in doubles.",
        "Compute log((d·E + 1)·(1 + E)/(q·E + 1)), with E = e^α - 1, by log1p of a rearranged form, or in integers; "
        "round down.",
        (*BUDGET_FAILURES, Failure.TOO_FAR, Failure.NEGATIVE),
        ops=("allocate", "control"),
        tells=_is_lost_difference,
    ),
    Mistake(
        "smoothed-twice",
        "Smoothing is applied twice.",
        "Apply it once: (p + s)/(1 + n·s).",
        (Failure.OFF,),
        ops=("smooth",),
        tells=_is_smoothed_twice,
    ),
    *STEP_MISTAKES,
    *WORST_CASE_MISTAKES,
    Mistake(
        "unchecked-input",
        "Input is not checked: something that is not a valid matrix or level gets a value.",
        "Before anything else, check levels, row sums, shape and signs, in this order.",
        (Failure.VALUE_FOR_ERROR,),
        tells=lambda clues: clues.which[0] in INPUT_ERRORS,
    ),
    Mistake(
        "error-code",
        "A negative number such as -1 stands for an error, or for nothing found.",
        "Answer with an error by name, or with the value that the contract defines: a search over no pair of rows "
        "gives 0.",
        (Failure.NEGATIVE, Failure.VALUE_FOR_ERROR),
        tells=lambda clues: bool(_NEGATIVE_INTEGER.search(clues.said)),
    ),
    Mistake(
        "finite-infinity",
        "A finite number stands for ∞: a largest level such as 710 or 1000, or the largest double.",
        "Return inf for an unbounded supremum, for the end of the last piece, and for the loss at ∞ of rows with "
        "disjoint supports.",
        (Failure.FINITE_FOR_INFINITE, Failure.OFF),
        tells=_stands_for_infinity,
    ),
    Mistake(
        "overflow",
        "In doubles e^α is ∞ from α = 709.79 on, and ∞/∞ is NaN.",
        "Divide by e^α: (q + (1 - q)·e^-α)/(d + (1 - d)·e^-α); compute a level as α plus a logarithm, without e^α.",
        _ANY,
        tells=_overflows,
    ),
    Mistake(
        "absorption",
        "From α = 34 to 37 on, e^α + 1 equals e^α in doubles, and the columns that tie with the rounded quotient all "
        "leave.",
        "Keep 1/e^α as a separate term, and compare q_j with λ·d_j instead of quotients that round to the same double.",
        (*LEVEL_BELOW, Failure.NAN, Failure.ERROR_FOR_VALUE),
        by_loss(_nothing_is_left, _all_columns_leave),
        tells=_leaves_no_column,
    ),
    Mistake(
        "infinite-level",
        "A formula for finite levels is evaluated at ∞: ∞/∞ and ∞ - ∞ are NaN.",
        "Treat ∞ separately: L(∞) = log max q_j/d_j, and BPL + FPL - ε is BPL + L(FPL of the next time).",
        (*_FORMLESS, *LEVEL_BELOW),
        tells=_is_of_infinite_levels,
    ),
    Mistake(
        "exp-minus-one",
        "e^α - 1 is computed as exp(α) - 1, which has lost most of its digits where α is tiny.",
        "Use expm1(α), and log1p(x) for log(1 + x).",
        ANY_NUMBER,
        _with_excess_of_exp,
    ),
    Mistake(
        "log-near-one",
        "The level is tiny, or rows are nearly equal: the quotient is near 1, and its logarithm has lost digits.",
        "Use log1p((q - d)·E/(d·E + 1)), with E = e^α - 1, and compute q - d as the sum of the differences q_j - d_j.",
        ANY_NUMBER,
        tells=_is_log_near_one,
    ),
    Mistake(
        "tolerance",
        "A tolerance treats nearly equal rows or entries as equal.",
        "Compare exactly: even a small difference between rows leaks.",
        (*LEVEL_BELOW, *BUDGET_FAILURES),
        by_loss(*(partial(_with_tolerance, tolerance) for tolerance in _TOLERANCES)),
    ),
    Mistake(
        "tiny-entries",
        "Entries below about 1e-15 are treated as 0, or are lost when they are added to larger ones.",
        "Use no threshold: a positive entry bounds q/d and a 0 does not; add up small entries first.",
        ANY_NUMBER,
        _without_tiny_entries,
    ),
    Mistake(
        "equal-rows",
        "Rows that are all equal, or a single state, are not treated separately: the result is 0/0, or the maximum of "
        "nothing.",
        "In these cases L is 0, the supremum is ε, and the budget is α.",
        (Failure.ZERO, Failure.INFINITE, *_FORMLESS, Failure.OTHER_PIECES),
        _zero_for_equal_rows,
        tells=_has_no_rows_apart,
        flags=("StartsFromZero",),
        errata="E12",
    ),
    Mistake(
        "more-than-two-states",
        "Answers are right for two states only.",
        "Use all ordered pairs of rows and, for each, all prefixes of the columns in the order of q_j/d_j.",
        (*_ANY, *_PIECES),
        beyond="n",
        least=3,
        most=3,
    ),
    Mistake(
        "beyond-states",
        "Answers are right up to some number of states, and wrong beyond it: a limit, a table of fixed size, another "
        "branch.",
        "Treat every size alike; if there is a limit, declare it as the domain.",
        (*_ANY, *_PIECES),
        beyond="n",
        least=4,
    ),
    Mistake(
        "beyond-releases",
        "Answers are right up to some number of releases, and wrong beyond it: a window, a table of fixed size, a "
        "recursion limit.",
        "Treat every length alike; if there is a limit, declare it as the domain.",
        _ANY,
        beyond="releases",
        least=7,
    ),
    Mistake(
        "beyond-level",
        "Answers are right up to some level, and wrong beyond it: the implementation has a maximum of its own.",
        "Continue to ∞, or declare this level as the domain.",
        ANY_NUMBER,
        beyond="largest_level",
        least=2.0,
    ),
    *PRINTED_MISTAKES,
    *PROFILE_MISTAKES,
)
"""The mistakes. Of two causes that explain as much the first is named."""

CAUSES = tuple(mistake for mistake in MISTAKES if mistake.failures)
"""Those that a run names."""
