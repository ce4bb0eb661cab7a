"""Causes of failures: the mistakes that are made with this paper, each with the answer that it gives.

A cause is a record in CAUSES, those of the exact worst case in `worst_case_causes`. It is asked of one failure whether
the answer *is* what the mistake gives, worked out anew: what Theorem 11 gives for the pair of the first step, what the
matrix gives without its tiny entries, a double whose logarithm was taken near 1. Only a limit (`beyond`) is read off
many answers: all below it right, those from it on wrong. What is named in a run, `groups` decides.

To add one, append a record; tests/oracle/conformance/test_causes.py wants an input on which no other cause gives its
answer, and mistakes.py an implementation that makes the mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import exp, expm1, fmod, inf, isfinite, log, log1p, ulp

import numpy as np
from numpy.typing import NDArray

from ...proofs_checks.in_doubles import (
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
from ...reference.paper.supremum import candidate
from ...solvers.loss.shapes import recursions
from ...wire.numerals import Reader
from ..ask.cases import INPUT_ERRORS
from ..model import FAR_ULPS, ROUNDING_ULPS, Failure
from .clues import (
    ABSORBED,
    ANY_NUMBER,
    BUDGET_FAILURES,
    LEVEL_ABOVE,
    LEVEL_BELOW,
    OVERFLOW,
    Cause,
    Clues,
    MatrixClues,
    Point,
    as_double,
    excess_of,
    loss_at,
    ruling_piece,
    supremum_of,
)
from .features import loss_of
from .step_causes import STEP_CAUSES
from .worst_case_causes import TIGHT_CAUSES

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


def _with_excess_of_exp(side: MatrixClues, alpha: float) -> float:
    """L(α) with exp(α) − 1 in the place of e^α − 1."""
    return side.loss(log1p(exp(alpha) - 1) if alpha < OVERFLOW else alpha)


def _without_tiny(least: float, side: MatrixClues, alpha: float) -> float:
    return careful_loss(algorithm_2(pairs_of(np.where(side.rows < least, 0.0, side.rows))), alpha)


def _with_tolerance(tolerance: float, side: MatrixClues, alpha: float) -> float:
    """L(α) over the pairs of rows that differ by more than a tolerance."""
    return _over(side.pairs, np.abs(side.pairs.q - side.pairs.d).max(axis=1, initial=0.0) > tolerance, alpha)


def _in_one_order(is_later: bool, side: MatrixClues, alpha: float) -> float:
    """L(α) over each two rows in one order alone: q is the later of them, or the earlier."""
    q, d = side.pairs.rows.T
    return _over(side.pairs, (q > d) == is_later, alpha)


def _over(pairs: Pairs, chosen: NDArray[np.bool_], alpha: float) -> float:
    return careful_loss(algorithm_2(Pairs(pairs.q[chosen], pairs.d[chosen], pairs.rows[chosen])), alpha)


def _by_single_columns(side: MatrixClues, alpha: float) -> float:
    return max(
        loss_at(Point(q, d, q - d), alpha)
        for rows in zip(side.pairs.q.tolist(), side.pairs.d.tolist(), strict=True)
        for q, d in zip(*rows, strict=True)
    )


def _up_to(maximum: float, side: MatrixClues, alpha: float) -> float:
    return side.loss(min(alpha, maximum))


def _without_plus_one(side: MatrixClues, alpha: float) -> float:
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


def _all_columns_leave(side: MatrixClues, alpha: float) -> float:
    """L(α) by Algorithm 1 in doubles: a column whose ratio ties with the quotient, rounded, leaves."""
    with np.errstate(all="ignore"):
        return algorithm_1(side.pairs, alpha) if ABSORBED <= alpha < OVERFLOW else side.loss(alpha)


def _nothing_is_left(side: MatrixClues, alpha: float) -> float:
    return 0.0 if ABSORBED <= alpha < OVERFLOW else side.loss(alpha)


def _nothing_past_exp(side: MatrixClues, alpha: float) -> float:
    return 0.0 if OVERFLOW < alpha < inf else side.loss(alpha)


def _nothing_at_infinity(side: MatrixClues, alpha: float) -> float:
    return 0.0 if alpha == inf else side.loss(alpha)


def _as_printed(side: MatrixClues, alpha: float) -> float:
    """L(α) by Algorithm 1 with its flag as it is printed. Raises: Endless."""
    return algorithm_1(side.pairs, alpha, as_printed=True)


def _any_of(make: Callable[..., float], values: tuple[float | bool, ...], clues: Clues) -> bool:
    return any(clues.is_worked_out(partial(make, value)) for value in values)


def _uncorrelated(clues: Clues) -> float | None:
    """Return the answer where the values of a person at different times are independent."""
    epsilons = clues.by_key.get("epsilons", [])
    if clues.op in ("leakage", "tight_leakage"):
        return epsilons[int(clues.place.partition(" ")[2]) - 1]
    if clues.op == "composition":
        start, length = (int(str(clues.case.input[key])) for key in ("start", "length"))
        return sum(epsilons[start - 1 : start - 1 + length])
    return {"loss": 0.0, "control": clues.by_key.get("cap", [0.0])[0]}.get(clues.op, clues.levels[0])


def _composed(clues: Clues) -> float | None:
    """Return the answer of sequential composition, which adds up all budgets."""
    epsilons = clues.by_key.get("epsilons", [])
    kind, _, time = clues.place.partition(" ")
    if clues.op in ("leakage", "tight_leakage"):
        at = int(time)
        return sum({"bpl": epsilons[:at], "fpl": epsilons[at - 1 :], "tpl": epsilons}[kind])
    return clues.levels[0] if clues.op == "loss" else None


# What answers show.


def _rounds_at_each_step(clues: Clues) -> bool:
    steps = (clues.features.n or 1) + (clues.features.releases or 1)
    return clues.ulps is not None and abs(clues.ulps) <= min(ROUNDING_ULPS * steps, FAR_ULPS)


def _is_log_near_one(clues: Clues) -> bool:
    """Whether the answer is the logarithm of a double near 1, of which there are few, and the truth is beside it."""
    given, truth = clues.given, clues.truth
    if given is None or truth is None or not ROUNDING_ULPS * ulp(truth) < abs(given - truth) <= _NEAR_ONE:
        return False
    loss = clues.by_key["cap"][0] - given if clues.op == "control" else given
    return 0 <= loss < _LATTICE and abs(log(1 + expm1(loss)) - loss) <= 4 * ulp(loss)


def _is_exp_minus_one(clues: Clues) -> bool:
    return any(0 < level < 1 for level in clues.levels) and clues.is_worked_out(_with_excess_of_exp)


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


def _other_piece(clues: Clues, of: Callable[[int, int, int], bool]) -> bool:
    """Whether the answer is what a piece gives that does not rule, of(that which rules, this one, the last)."""
    level = clues.level
    for side in clues.sides.values() if level is not None else []:
        right = ruling_piece(side.points, excess_of(level or 0.0))
        for k, point in enumerate(side.points):
            if of(right, k, len(side.points) - 1) and clues.is_answer(loss_at(point, level or 0.0)):
                return True
    return False


def _misses_first_pieces(clues: Clues) -> bool:
    points = [point for side in clues.sides.values() for point in side.points[1:]]
    if clues.op == "loss_function" and clues.place == "slope at 0":
        return any(clues.is_answer(point.gap) for point in points)
    return _other_piece(clues, lambda right, k, _last: right == 0 < k)


def _misses_last_pieces(clues: Clues) -> bool:
    return _other_piece(clues, lambda right, k, last: k < right == last)


def _is_almost_tangent(clues: Clues) -> bool:
    """Whether two neighbouring pieces cross where doubles hardly tell, E = (q + d' - q' - d)/(q'd - qd')."""
    if (clues.features.n or 0) > _FEW or (clues.features.releases or 0) > _FEW:
        return False
    for side in clues.sides.values():
        for one, other in pairwise(side.points):
            above, below = one.q + other.d - other.q - one.d, one.q * other.d - other.q * one.d
            if one.stop == inf or abs(above) <= _DEGENERATE or abs(below) <= _DEGENERATE * other.q * one.d:
                return True
    return "recursion" in clues.said.lower()


def _is_first_steps(clues: Clues) -> bool:
    """Whether the answer is what Theorem 11 gives, exactly, for the piece that rules at ε: else it is the truth."""
    side, (budget,) = clues.sides["matrix"], clues.exact_levels
    first = ruling_piece(side.points, excess_of(clues.levels[0]))
    piece = loss_of(side.matrix).pieces[first]
    level = candidate(piece.q, piece.d, budget)
    return clues.is_answer(inf if level.is_infinite else as_double(Fraction(level.enclosure(20).upper)))


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


def _is_absorbed(clues: Clues) -> bool:
    """Whether all columns leave for rounding: the loss is 0, or Theorem 11 is asked about q = d = 0."""
    if clues.op != "supremum":
        return clues.is_worked_out(_all_columns_leave) or clues.is_worked_out(_nothing_is_left)
    side, (budget,) = clues.sides["matrix"], clues.levels
    with np.errstate(all="ignore"):
        q, _ = first_step_pair(side.pairs, budget)
    return ABSORBED <= budget < OVERFLOW and q == 0 < side.points[0].gap


def _never_ends_as_printed(clues: Clues) -> bool:
    """Whether Algorithm 1 as printed, whose flag is not set back, has no end on this question."""
    try:
        with np.errstate(all="ignore"):
            clues.worked_out(_as_printed)
    except Endless:
        return True
    return False


def _counts_twice(clues: Clues) -> bool:
    """Whether a window of one release is answered as BPL + FPL, which has its budget twice."""
    if clues.case.input["length"] != 1:
        return False
    at = int(str(clues.case.input["start"])) - 1
    right = clues.worked_out(MatrixClues.loss)
    return right is not None and clues.is_answer(right + clues.by_key["epsilons"][at])


def _runs_from_the_first(clues: Clues) -> bool:
    """Whether FPL, or the FPL in TPL, starts from the first budget; its values in the order of time or the reverse."""
    kind, _, time = clues.place.partition(" ")
    if kind == "bpl" or clues.worked_out(MatrixClues.loss) is None:
        return False
    at, epsilons = int(time) - 1, clues.by_key["epsilons"]
    back, on = (side.loss if (side := clues.sides.get(key)) else _nothing for key in ("backward", "forward"))
    wrong = recursions(epsilons, (on, _nothing))["bpl"]
    rest = recursions(epsilons, (back, _nothing))["bpl"][at] - epsilons[at] if kind == "tpl" else 0.0
    return clues.is_answer(rest + wrong[at]) or clues.is_answer(rest + wrong[-1 - at])


def _nothing(_alpha: float) -> float:
    return 0.0


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


def _loses_tiny_entries(clues: Clues) -> bool:
    """Whether the answer is that to the matrix without its tiny entries."""
    if clues.op != "supremum":
        return _any_of(_without_tiny, _TINY, clues)
    rows, (budget,) = clues.sides["matrix"].rows, clues.levels
    for least in _TINY:
        table = algorithm_2(pairs_of(np.where(rows < least, 0.0, rows)))
        prefixes = zip(table.q.flat, table.d.flat, table.gains.flat, strict=True)
        if clues.is_answer(max((supremum_of(Point(*map(float, one)), budget) for one in prefixes), default=budget)):
            return True
    return False


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
    s = float(Reader(clues.case.numbers).number(clues.case.input.get("s"), "s"))
    n, smoothed = clues.features.n, clues.truth
    return n is not None and smoothed is not None and clues.is_answer((smoothed + s) / (1 + n * s))


def _is_negative(clues: Clues) -> bool:
    return clues.failure is Failure.NEGATIVE or "[-" in clues.said or " -" in clues.said


def _goes_on_for_ever(clues: Clues) -> bool:
    return max(clues.features.n or 0, clues.features.releases or 0) <= _FEW


CAUSES = (
    Cause(
        "signature",
        "A method does not take the keys of its operation as arguments.",
        "Name the parameters after the keys (docs/wire.md), and give those that may be absent a default: "
        "def leakage(self, epsilons, backward=None, forward=None).",
        (Failure.ERROR_FOR_VALUE, Failure.OTHER_ERROR),
        lambda clues: bool(_SIGNATURE.search(clues.said)),
    ),
    Cause(
        "correlation-ignored",
        "The correlation is ignored (L = 0): leakage is taken to be ε, and the budget α, as for values that are "
        "independent over time.",
        "Add what other releases reveal: BPL_t = ε_t + L(BPL_(t-1)), and FPL likewise; a constant budget is smaller "
        "than α.",
        ANY_NUMBER,
        lambda clues: clues.is_answer(_uncorrelated(clues)),
        is_general=True,
    ),
    Cause(
        "budgets-added",
        "All budgets are added up (sequential composition), as if a person's value never changed.",
        "Let the correlation decide what carries over: BPL_t = ε_t + L(BPL_(t-1)), where L(α) is at most α.",
        LEVEL_ABOVE,
        lambda clues: clues.is_answer(_composed(clues)),
        is_general=True,
    ),
    Cause(
        "rounding",
        "Answers are rounded to nearest, so that about half of them are on the unsafe side.",
        "Round outward after every step: up to the next double (math.nextafter(x, math.inf), np.nextafter(x, "
        "np.inf)), for a budget down; or multiply a level by 1 + k·2^-52, where k is the number of roundings.",
        (Failure.ROUNDING,),
    ),
    Cause(
        "rounding-at-each-step",
        "Each step rounds to nearest, and the errors of many steps add up.",
        "Round outward after every step.",
        (Failure.BELOW, Failure.BUDGET_ABOVE, Failure.OTHER_SCHEDULE),
        _rounds_at_each_step,
    ),
    Cause(
        "first-step-pair",
        "The supremum is computed from the q and d that attain L at the first step.",
        "Use the q and d that attain L at the supremum itself: take the greatest root over all pieces (Theorem 11 "
        "corrected).",
        LEVEL_BELOW,
        _is_first_steps,
        ("supremum",),
    ),
    Cause(
        "cancelling-root",
        "The root of Theorem 11 is computed as printed: where q·e^ε + d < 1, it is the difference of two nearly equal "
        "numbers, divided by a small d.",
        "Where d + q·e^ε < 1, use the other form of the root, 2·e^ε·(1 - q)/(s - (d + q·e^ε - 1)), where s is the "
        "square root of the discriminant.",
        (*ANY_NUMBER, Failure.NAN, Failure.ERROR_FOR_VALUE),
        partial(_is_printed_root, False),
        ("supremum",),
    ),
    Cause(
        "complex-root",
        "Where e^ε is near 1/q, rounding makes the discriminant of Theorem 11 negative: the root is complex or NaN.",
        "Clamp the discriminant at 0, or compute it as a sum of nonnegative terms: (d + q·e^ε - 1)² + 4·d·e^ε·(1 - q).",
        (Failure.NAN, Failure.MALFORMED, Failure.ERROR_FOR_VALUE, Failure.OTHER_ERROR),
        _has_complex_root,
        ("supremum", "allocate"),
    ),
    Cause(
        "critical-denominator",
        "Near ε = log(1/q), the denominator 1 - q·e^ε of the second case of Theorem 11 has no correct digits, or is 0.",
        "Compare e^ε with 1/q exactly, or with every rounding against you; where this does not decide, ∞ is safe.",
        (*ANY_NUMBER, Failure.NAN, Failure.ERROR_FOR_VALUE),
        partial(_is_printed_root, True),
        ("supremum",),
    ),
    Cause(
        "d-taken-for-0",
        "The answer is ∞ although the supremum is finite: the test q·e^ε ≥ 1 is applied although d > 0, or a small d "
        "is treated as 0.",
        "The supremum is infinite only where d is exactly 0 and q·e^ε ≥ 1.",
        (Failure.INFINITE,),
        _takes_d_for_0,
        ("supremum",),
    ),
    Cause(
        "first-breakpoint",
        "Below the first breakpoint a later piece is used, or the first piece is missing.",
        "Start at α = 0: the first piece is the one with the greatest q - d, the greatest total variation distance "
        "between two rows.",
        (*LEVEL_BELOW, *_PIECES),
        _misses_first_pieces,
        ("loss", "loss_function"),
    ),
    Cause(
        "far-breakpoint",
        "Breakpoints at large levels are lost, so that the last pieces are missing.",
        "Continue to ∞: the last piece is the one with the greatest q/d; no a_m is large enough.",
        (*LEVEL_BELOW, *_PIECES),
        _misses_last_pieces,
        ("loss", "loss_function"),
    ),
    Cause(
        "single-columns",
        "For each pair of rows only single columns are tried, which is right for two states only.",
        "Use all ordered pairs of rows and, for each, all prefixes of the columns in the order of q_j/d_j.",
        LEVEL_BELOW,
        lambda clues: clues.is_worked_out(_by_single_columns),
    ),
    Cause(
        "rows-in-one-order",
        "Each two rows are taken in one order only: as q and d, but not as d and q.",
        "Use all ordered pairs of rows: which of two rows is q matters.",
        LEVEL_BELOW,
        partial(_any_of, _in_one_order, (True, False)),
    ),
    Cause(
        "own-maximum",
        "Levels above a maximum of the implementation's own are treated as that maximum.",
        "Continue to ∞: the last piece holds from its start onward and tends to log(q/d) or, where d = 0, to α + log "
        "q.",
        LEVEL_BELOW,
        partial(_any_of, _up_to, _MAXIMA),
    ),
    Cause(
        "other-piece",
        "The wrong piece is used: transition points are computed as log k (Algorithm 2, line 11, as printed).",
        "A transition point is log(1 + k) (Theorem 9).",
        LEVEL_BELOW,
        lambda clues: clues.is_worked_out(_without_plus_one),
    ),
    Cause(
        "repeated-pieces",
        "Pieces are repeated: sets of columns whose ratios tie, or functions that differ only by rounding, are listed "
        "separately.",
        "List each (q, d) once; columns with the same ratio q_j/d_j leave together.",
        (Failure.REPEATED_PIECES,),
    ),
    Cause(
        "flag-not-set-back",
        "The flag `update` of Algorithm 1 is not reset (as printed): once a column has left, the loop does not end.",
        "Set `update` to false at the beginning of each iteration.",
        (Failure.TIMED_OUT,),
        _never_ends_as_printed,
        ("loss", "leakage", "composition"),
    ),
    Cause(
        "fpl-from-the-first",
        "FPL is computed from the first budget on, in the order of time, which is right for equal budgets only.",
        "FPL starts at the last release: FPL_T = ε_T, and FPL_t = ε_t + L(FPL_(t+1)).",
        ANY_NUMBER,
        _runs_from_the_first,
        ("leakage",),
    ),
    Cause(
        "window-of-one",
        "For a window of one release the answer is BPL + FPL, which counts its budget twice.",
        "For one release Theorem 3 has a case of its own: TPL, which is BPL_t + FPL_t - ε_t.",
        LEVEL_ABOVE,
        _counts_twice,
        ("composition",),
    ),
    Cause(
        "horizon-of-one",
        "A schedule for a single release has both a first and a last budget.",
        "For one release return α; for two, a first and a last budget and none in between.",
        (Failure.MALFORMED,),
        lambda clues: clues.case.input.get("horizon") == 1,
        ("allocate",),
    ),
    Cause(
        "made-up-row",
        "A state that is never reached, or that nothing follows, gets a row all the same: 0/0, or an invented one.",
        "Answer UnreachableState: probabilities conditional on an impossible event are undefined.",
        (Failure.VALUE_FOR_ERROR,),
        lambda clues: clues.which[0] == "UnreachableState",
        ("reverse", "estimate"),
    ),
    Cause(
        "endless-recursion",
        "Halving does not end where two pieces are almost tangent: their values never become equal in doubles.",
        "Compare coefficients, which are finitely many, instead of values; or walk the upper hull of the points (d, "
        "q).",
        (Failure.TIMED_OUT, Failure.CRASHED, Failure.ERROR_FOR_VALUE),
        _is_almost_tangent,
        ("loss_function", "loss", "leakage", "composition", "supremum"),
    ),
    Cause(
        "bisection-leaves-its-range",
        "The bisection leaves its range and returns a negative budget.",
        "Bisect between 0 and α without leaving this interval; if no budget is left, answer InfeasibleBudget.",
        (Failure.NEGATIVE, Failure.VALUE_FOR_ERROR),
        _is_negative,
        ("allocate",),
    ),
    Cause(
        "bisection-without-end",
        "The bisection stops only when two doubles are equal, which may never happen.",
        "Halve a fixed number of times, or solve the quadratic equation; then verify the budget, rounded down.",
        (Failure.TIMED_OUT,),
        _goes_on_for_ever,
        ("allocate",),
    ),
    Cause(
        "no-budget",
        "A budget is returned although there is none: if two rows have disjoint supports, the paper's bound allows no "
        "constant budget over an infinite horizon.",
        "Test for disjoint supports first: answer InfeasibleBudget or, over a finite horizon, α/T at every time.",
        (Failure.VALUE_FOR_ERROR,),
        lambda clues: "InfeasibleBudget" in clues.which and not (clues.op == "allocate" and _is_negative(clues)),
        ("allocate", "control"),
    ),
    Cause(
        "difference-cancels",
        "A budget is computed as α - L(α) where L(α) is nearly α, because two rows are disjoint except for tiny "
        "entries: the difference has no correct digits in doubles.",
        "Compute log((d·E + 1)·(1 + E)/(q·E + 1)), with E = e^α - 1, by log1p of a rearranged form, or in integers; "
        "round down.",
        (*BUDGET_FAILURES, Failure.TOO_FAR, Failure.NEGATIVE),
        _is_lost_difference,
        ("allocate", "control"),
    ),
    Cause(
        "smoothed-twice",
        "Smoothing is applied twice.",
        "Apply it once: (p + s)/(1 + n·s).",
        (Failure.OFF,),
        _is_smoothed_twice,
        ("smooth",),
    ),
    *STEP_CAUSES,
    *TIGHT_CAUSES,
    Cause(
        "unchecked-input",
        "Input is not checked: something that is not a valid matrix or level gets a value.",
        "Before anything else, check levels, row sums, shape and signs, in this order.",
        (Failure.VALUE_FOR_ERROR,),
        lambda clues: clues.which[0] in INPUT_ERRORS,
    ),
    Cause(
        "error-code",
        "A negative number such as -1 stands for an error, or for nothing found.",
        "Answer with an error by name, or with the value that the contract defines: a search over no pair of rows "
        "gives 0.",
        (Failure.NEGATIVE, Failure.VALUE_FOR_ERROR),
        lambda clues: bool(_NEGATIVE_INTEGER.search(clues.said)),
    ),
    Cause(
        "finite-infinity",
        "A finite number stands for ∞: a largest level such as 710 or 1000, or the largest double.",
        "Return inf for an unbounded supremum, for the end of the last piece, and for the loss at ∞ of rows with "
        "disjoint supports.",
        (Failure.FINITE_FOR_INFINITE, Failure.OFF),
        _stands_for_infinity,
    ),
    Cause(
        "overflow",
        "In doubles e^α is ∞ from α = 709.79 on, and ∞/∞ is NaN.",
        "Divide by e^α: (q + (1 - q)·e^-α)/(d + (1 - d)·e^-α); compute a level as α plus a logarithm, without e^α.",
        _ANY,
        _overflows,
    ),
    Cause(
        "absorption",
        "From α = 34 to 37 on, e^α + 1 equals e^α in doubles, and the columns that tie with the rounded quotient all "
        "leave.",
        "Keep 1/e^α as a separate term, and compare q_j with λ·d_j instead of quotients that round to the same double.",
        (*LEVEL_BELOW, Failure.NAN, Failure.ERROR_FOR_VALUE),
        _is_absorbed,
    ),
    Cause(
        "infinite-level",
        "A formula for finite levels is evaluated at ∞: ∞/∞ and ∞ - ∞ are NaN.",
        "Treat ∞ separately: L(∞) = log max q_j/d_j, and BPL + FPL - ε is BPL + L(FPL of the next time).",
        (*_FORMLESS, *LEVEL_BELOW),
        _is_of_infinite_levels,
    ),
    Cause(
        "exp-minus-one",
        "e^α - 1 is computed as exp(α) - 1, which has lost most of its digits where α is tiny.",
        "Use expm1(α), and log1p(x) for log(1 + x).",
        ANY_NUMBER,
        _is_exp_minus_one,
    ),
    Cause(
        "log-near-one",
        "The level is tiny, or rows are nearly equal: the quotient is near 1, and its logarithm has lost digits.",
        "Use log1p((q - d)·E/(d·E + 1)), with E = e^α - 1, and compute q - d as the sum of the differences q_j - d_j.",
        ANY_NUMBER,
        _is_log_near_one,
    ),
    Cause(
        "tolerance",
        "A tolerance treats nearly equal rows or entries as equal.",
        "Compare exactly: even a small difference between rows leaks.",
        (*LEVEL_BELOW, *BUDGET_FAILURES),
        partial(_any_of, _with_tolerance, _TOLERANCES),
    ),
    Cause(
        "tiny-entries",
        "Entries below about 1e-15 are treated as 0, or are lost when they are added to larger ones.",
        "Use no threshold: a positive entry bounds q/d and a 0 does not; add up small entries first.",
        ANY_NUMBER,
        _loses_tiny_entries,
    ),
    Cause(
        "equal-rows",
        "Rows that are all equal, or a single state, are not treated separately: the result is 0/0, or the maximum of "
        "nothing.",
        "In these cases L is 0, the supremum is ε, and the budget is α.",
        (Failure.ZERO, Failure.INFINITE, *_FORMLESS, Failure.OTHER_PIECES),
        _has_no_rows_apart,
    ),
    Cause(
        "more-than-two-states",
        "Answers are right for two states only.",
        "Use all ordered pairs of rows and, for each, all prefixes of the columns in the order of q_j/d_j.",
        (*_ANY, *_PIECES),
        beyond=lambda features: features.n,
        least=3,
        most=3,
    ),
    Cause(
        "beyond-states",
        "Answers are right up to some number of states, and wrong beyond it: a limit, a table of fixed size, another "
        "branch.",
        "Treat every size alike; if there is a limit, declare it as the domain.",
        (*_ANY, *_PIECES),
        beyond=lambda features: features.n,
        least=4,
    ),
    Cause(
        "beyond-releases",
        "Answers are right up to some number of releases, and wrong beyond it: a window, a table of fixed size, a "
        "recursion limit.",
        "Treat every length alike; if there is a limit, declare it as the domain.",
        _ANY,
        beyond=lambda features: features.releases,
        least=7,
    ),
    Cause(
        "beyond-level",
        "Answers are right up to some level, and wrong beyond it: the implementation has a maximum of its own.",
        "Continue to ∞, or declare this level as the domain.",
        ANY_NUMBER,
        beyond=lambda features: features.largest_level,
        least=2.0,
    ),
)
"""The mistakes. Of two that explain as much the first is named."""
