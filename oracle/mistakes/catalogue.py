"""The catalogue of mistakes. A new one is an entry in `MISTAKES`: words, the wrong answer as a function, flag, erratum.

A run names a mistake as a cause where answers *are* what the mistake gives, worked out anew: what Theorem 11 gives for
the pair of the first step, what the matrix gives without its tiny entries, a double whose logarithm was taken near 1.
What shows in no number but 0, ∞, NaN, an error or no answer is no cause here: the report describes its inputs. What is
named in a run, `conformance.explain.causes` decides. A flag of the vectors is shown by a case on which its mistake
gives another number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import exp, expm1, fmod, inf, log, log1p, ulp

import numpy as np
from numpy.typing import NDArray

from ..proofs_checks.in_doubles import (
    Pairs,
    algorithm_1,
    algorithm_2,
    attempt,
    careful_loss,
    pairs_of,
    theorem_11,
)
from ..reference.paper.supremum import candidate
from ..solvers.loss.shapes import recursions
from ..wire.numerals import Reader
from .failures import FAR_ULPS, INPUT_ERRORS, ROUNDING_ULPS, Failure
from .mistake import ANY_NUMBER, BUDGET_FAILURES, LEVEL_ABOVE, LEVEL_BELOW, Clues, Mistake, by_loss, where
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

_TINY = (1e-9, 1e-12, 1e-14, 1e-15, 1e-16)
_MAXIMA = (*map(float, range(1, 101)), *map(float, range(110, 1001, 10)), 709.0, 745.0)
_NUMBERS = tuple(kind for kind in ANY_NUMBER if kind not in (Failure.ZERO, Failure.INFINITE))
_PIECES = (Failure.REPEATED_PIECES, Failure.OTHER_PIECES, Failure.OFF)
_NEAR_ONE, _LATTICE = 2.0**-48, 2.0**-18
_SIGNATURE = re.compile(r"TypeError: .*(required .*argument|unexpected keyword argument|positional arguments? but)")
_LONG = re.compile(r"\[?[0-9]*\.[0-9]{18,}")


# What L is by each mistake.


def _with_excess_of_exp(question: Question) -> Iterator[float | None]:
    """Yield what follows from exp(α) − 1 in the place of e^α − 1."""

    def loss(side: MatrixInDoubles, alpha: float) -> float:
        return side.loss(log1p(exp(alpha) - 1) if alpha < OVERFLOW else alpha)

    if any(0 < level < 1 for level in question.levels):
        yield question.worked_out(loss)


def _without_tiny(least: float, side: MatrixInDoubles, alpha: float) -> float:
    return careful_loss(algorithm_2(pairs_of(np.where(side.rows < least, 0.0, side.rows))), alpha)


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


def _is_long(clues: Clues) -> bool:
    """Whether the answer is a decimal of more digits than a double has."""
    return bool(_LONG.match(clues.said))


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
    if clues.given is None or clues.highest == 0 or not 0 < clues.given < 2.0**-20 * clues.highest:
        return False
    return fmod(clues.given, ulp(clues.highest) / 2) == 0


def _zero_for_equal_rows(question: Question) -> Iterator[float]:
    """Yield the supremum over no pair of rows, as Algorithm 6 starts from it."""
    if question.op == "supremum":
        yield from (0.0 for side in question.sides.values() if loss_of(side.matrix).is_zero)


def _without_piece(place: int, question: Question) -> Iterator[float]:
    """Yield what the other pieces give where the first or the last one rules. Args: place, 0 or −1."""
    for side in question.sides.values():
        others = side.points[1:] if place == 0 else side.points[:-1]
        if others and place == 0 and question.place == "slope at 0":
            yield max(point.gap for point in others)
        elif others and question.level is not None:
            excess = excess_of(question.level)
            if ruling_piece(side.points, excess) == place % len(side.points):
                yield max(loss_at(point, question.level) for point in others)


def _by_first_step(question: Question) -> Iterator[float]:
    """Yield what Theorem 11 gives, exactly, for the piece that rules at ε."""
    (budget,) = question.exact_levels
    for side in question.sides.values():
        piece = loss_of(side.matrix).pieces[ruling_piece(side.points, excess_of(question.levels[0]))]
        level = candidate(piece.q, piece.d, budget)
        yield inf if level.is_infinite else as_double(Fraction(level.enclosure(20).upper))


def _printed_root(is_with_zeros: bool, question: Question) -> Iterator[float | None]:
    """Yield what Theorem 11 as printed gives in doubles for the piece that rules at the supremum, and for all pieces.

    Args: is_with_zeros, whether that piece has d = 0, which is another formula.
    """
    if question.op != "supremum" or not question.sides:
        return
    points, budget = question.sides["matrix"].points, question.levels[0]
    rules = ruling_piece(points, excess_of(max(supremum_of(point, budget) for point in points)))
    if (points[rules].d == 0) == is_with_zeros and points[rules].gap:
        found = [attempt(partial(theorem_11, point.q, point.d, budget)).value for point in points]
        yield found[rules]
        yield max((value for value in found if value is not None), default=None)


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


def _is_complex(clues: Clues) -> bool:
    said = clues.said.lower()
    return "complex" in said or (clues.failure is Failure.MALFORMED and "j" in said.split("number")[0])


def _without_tiny_entries(question: Question) -> Iterator[float | None]:
    """Yield the answer to the matrix without its tiny entries."""
    if question.op != "supremum":
        yield from by_loss(*(partial(_without_tiny, least) for least in _TINY))(question)
        return
    (budget,) = question.levels
    for side, least in product(question.sides.values(), _TINY):
        rows = side.rows
        if not ((rows > 0) & (rows < least)).any():
            yield None
            continue
        table = algorithm_2(pairs_of(np.where(rows < least, 0.0, rows)))
        prefixes = zip(table.q.flat, table.d.flat, table.gains.flat, strict=True)
        yield max((supremum_of(Point(*map(float, one)), budget) for one in prefixes), default=budget)


def _is_smoothed_twice(clues: Clues) -> bool:
    """Whether the entry of the matrix is (p' + s)/(1 + n·s) for the smoothed p' in the place of p."""
    s = float(Reader(clues.numbers).number(clues.input.get("s"), "s"))
    return clues.truth is not None and clues.is_answer((clues.truth + s) / (1 + clues.states * s))


MISTAKES = (
    Mistake(
        "signature",
        "A method does not take the keys of its operation as arguments.",
        "Name the parameters after the keys (docs/wire.md), and give those that may be absent a default: "
        "def leakage(self, epsilons, backward=None, forward=None).",
        (Failure.ERROR_FOR_VALUE, Failure.OTHER_ERROR),
        tells=where(lambda clues: bool(_SIGNATURE.search(clues.said))),
        proofs=1,
        is_plain=True,
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
        tells=where(lambda clues: not _is_long(clues)),
        proofs=1,
        is_plain=True,
    ),
    Mistake(
        "rounding-of-decimals",
        "Decimals are rounded to nearest in their last digit, so that about half of them are on the unsafe side.",
        "Round the last digit up (decimal.ROUND_CEILING), for a budget down (decimal.ROUND_FLOOR).",
        (Failure.ROUNDING,),
        tells=where(_is_long),
        proofs=1,
        is_plain=True,
    ),
    Mistake(
        "rounding-at-each-step",
        "Each step rounds to nearest, and the errors of many steps add up.",
        "Round outward after every step.",
        (Failure.BELOW, Failure.BUDGET_ABOVE, Failure.OTHER_SCHEDULE),
        tells=where(_rounds_at_each_step),
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
        ANY_NUMBER,
        partial(_printed_root, False),
        ("supremum",),
    ),
    Mistake(
        "complex-root",
        "A root is complex: where e^ε is near 1/q, rounding makes the discriminant of Theorem 11 negative.",
        "Clamp the discriminant at 0, or compute it as a sum of nonnegative terms: (d + q·e^ε - 1)² + 4·d·e^ε·(1 - q).",
        (Failure.MALFORMED, Failure.ERROR_FOR_VALUE, Failure.OTHER_ERROR),
        ops=("supremum", "allocate"),
        tells=where(_is_complex),
        is_plain=True,
    ),
    Mistake(
        "critical-denominator",
        "Near ε = log(1/q), the denominator 1 - q·e^ε of the second case of Theorem 11 has no correct digits, or is 0.",
        "Compare e^ε with 1/q exactly, or with every rounding against you; where this does not decide, ∞ is safe.",
        ANY_NUMBER,
        partial(_printed_root, True),
        ("supremum",),
    ),
    Mistake(
        "first-breakpoint",
        "Below the first breakpoint a later piece is used, or the first piece is missing.",
        "Start at α = 0: the first piece is the one with the greatest q - d, the greatest total variation distance "
        "between two rows.",
        (*LEVEL_BELOW, *_PIECES),
        partial(_without_piece, 0),
        ("loss", "loss_function"),
    ),
    Mistake(
        "far-breakpoint",
        "Breakpoints at large levels are lost, so that the last pieces are missing.",
        "Continue to ∞: the last piece is the one with the greatest q/d; no a_m is large enough.",
        (*LEVEL_BELOW, *_PIECES),
        partial(_without_piece, -1),
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
        tells=where(lambda _clues: True),
        proofs=1,
        is_plain=True,
    ),
    Mistake(
        "flag-not-set-back",
        gives=by_loss(_as_printed),
        ops=("loss", "leakage", "composition"),
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
        tells=where(lambda clues: clues.input.get("horizon") == 1 and "epsilons: 2 numbers" in clues.said),
        is_plain=True,
    ),
    Mistake(
        "made-up-row",
        "A state that is never reached, or that nothing follows, gets a row all the same: 0/0, or an invented one.",
        "Answer UnreachableState: probabilities conditional on an impossible event are undefined.",
        (Failure.VALUE_FOR_ERROR,),
        ops=("reverse", "estimate"),
        tells=where(lambda clues: clues.which[0] == "UnreachableState"),
        is_plain=True,
    ),
    Mistake(
        "bisection-without-end",
        gives=never_met,
        ops=("allocate",),
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
        tells=where(lambda clues: "InfeasibleBudget" in clues.which),
        is_plain=True,
    ),
    Mistake(
        "difference-cancels",
        "A budget is computed as α - L(α) where L(α) is nearly α, because two rows are disjoint except for tiny "
        "entries: the difference has no correct digits in doubles.",
        "Compute log((d·E + 1)·(1 + E)/(q·E + 1)), with E = e^α - 1, by log1p of a rearranged form, or in integers; "
        "round down.",
        (*BUDGET_FAILURES, Failure.TOO_FAR),
        ops=("allocate", "control"),
        tells=where(_is_lost_difference),
    ),
    Mistake(
        "smoothed-twice",
        "Smoothing is applied twice.",
        "Apply it once: (p + s)/(1 + n·s).",
        (Failure.OFF,),
        ops=("smooth",),
        tells=where(_is_smoothed_twice),
    ),
    *STEP_MISTAKES,
    *WORST_CASE_MISTAKES,
    Mistake(
        "unchecked-input",
        "Input is not checked: something that is not a valid matrix or level gets a value.",
        "Before anything else, check levels, row sums, shape and signs, in this order.",
        (Failure.VALUE_FOR_ERROR,),
        tells=where(lambda clues: clues.which[0] in INPUT_ERRORS),
        is_plain=True,
    ),
    Mistake(
        "absorption",
        "From α = 34 to 37 on, e^α + 1 equals e^α in doubles, and the columns that tie with the rounded quotient all "
        "leave.",
        "Keep 1/e^α as a separate term, and compare q_j with λ·d_j instead of quotients that round to the same double.",
        LEVEL_BELOW,
        by_loss(_all_columns_leave),
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
        tells=where(_is_log_near_one),
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
        gives=_zero_for_equal_rows,
        flags=("StartsFromZero",),
        errata="E12",
    ),
    Mistake(
        "more-than-two-states",
        "Answers are right for two states only.",
        "Use all ordered pairs of rows and, for each, all prefixes of the columns in the order of q_j/d_j.",
        (*_NUMBERS, *_PIECES),
        beyond="n",
        least=3,
        most=3,
    ),
    Mistake(
        "beyond-states",
        "Answers are right up to some number of states, and wrong beyond it: a limit, a table of fixed size, another "
        "branch.",
        "Treat every size alike; if there is a limit, declare it as the domain.",
        (*_NUMBERS, *_PIECES),
        beyond="n",
        least=4,
    ),
    Mistake(
        "beyond-releases",
        "Answers are right up to some number of releases, and wrong beyond it: a window, a table of fixed size, a "
        "recursion limit.",
        "Treat every length alike; if there is a limit, declare it as the domain.",
        _NUMBERS,
        beyond="releases",
        least=7,
    ),
    Mistake(
        "beyond-level",
        "Answers are right up to some level, and wrong beyond it: the implementation has a maximum of its own.",
        "Continue to ∞, or declare this level as the domain.",
        _NUMBERS,
        beyond="largest_level",
        least=2.0,
    ),
    *PRINTED_MISTAKES,
    *PROFILE_MISTAKES,
)
"""The mistakes. Of two causes that explain as much the first is named."""

CAUSES = tuple(mistake for mistake in MISTAKES if mistake.failures)
"""Those that a run names."""
