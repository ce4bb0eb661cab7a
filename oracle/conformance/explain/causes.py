"""Likely causes of failures: the mistakes that are made with this paper, each with the evidence that speaks for it.

A cause is a record in CAUSES, those of the exact worst case in `tight_causes`. Its evidence is a predicate on one
failure, asked of the answer itself wherever the mistake can be worked out: what Theorem 11 gives for the pair of the
first step, what a neighbouring piece gives. Where the input alone points to it (a level past exp), the answers that
pass must speak for it as well: those on such inputs fail, and others do not. Where no record fits, nothing is said.

To add one, append a record; tests/oracle/conformance/test_causes.py wants an implementation that makes the mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations
from math import exp, inf, isfinite

from ...reference import OracleError
from ...wire.numerals import Reader
from ..model import FAR_ULPS, ROUNDING_ULPS, Failure
from .clues import (
    ABSORBED,
    BUDGET_FAILURES,
    LEVEL_ABOVE,
    LEVEL_BELOW,
    NEAR_ONE,
    OVERFLOW,
    Cause,
    Clues,
    excess_of,
    is_same,
    loss_at,
    ruling_piece,
    supremum_of,
)
from .features import INVALID_INPUT
from .worst_case_causes import TIGHT_CAUSES

_DEGENERATE = 2.0**-36
_THRESHOLDS = (1e-9, 1e-12, 1e-14, 1e-15, 1e-16)
_FORMLESS = (Failure.NAN, Failure.MALFORMED, Failure.NEGATIVE, Failure.ERROR_FOR_VALUE, Failure.CRASHED)
_NUMBERS = (*LEVEL_BELOW, *BUDGET_FAILURES, *LEVEL_ABOVE)
_ANY = (*_NUMBERS, *_FORMLESS, Failure.TIMED_OUT)
_PIECES = (Failure.REPEATED_PIECES, Failure.OTHER_PIECES, Failure.OFF)


# What answers show.


def _overflows(clues: Clues) -> bool:
    return clues.highest > OVERFLOW


def _absorbs(clues: Clues) -> bool:
    return ABSORBED <= clues.highest <= OVERFLOW


def _cancels_in_exp(clues: Clues) -> bool:
    return clues.is_close and any(0 < level <= 0.01 for level in clues.levels)


def _is_lost(clues: Clues) -> bool:
    """Whether more is lost than rounding near 1 can explain."""
    return clues.truth is not None and clues.given is not None and not clues.is_close


def _piece_answered(clues: Clues) -> Iterator[tuple[int, int, int]]:
    """Yield the place of the piece that rules, of another one that gives the answer, and how many pieces there are."""
    for pieces in clues.losses if clues.level is not None else []:
        alpha = clues.level or 0.0
        for k, (q, d, _, _) in enumerate(pieces):
            if clues.is_answer(loss_at(q, d, alpha)):
                yield ruling_piece(pieces, excess_of(alpha)), k, len(pieces)


def _loss_of_rows(rows: Sequence[Sequence[float]], alpha: float) -> float:
    """Return the loss in doubles, over all pairs of rows and prefixes of their columns."""
    greatest = 0.0
    for one, other in permutations(rows, 2):
        q = d = 0.0
        columns = [(q_j, d_j) for q_j, d_j in zip(one, other, strict=True) if q_j > d_j]
        for q_j, d_j in sorted(columns, key=lambda column: column[1] / column[0]):
            q, d = q + q_j, d + d_j
            greatest = max(greatest, loss_at(q, d, alpha))
    return greatest


def _drops_tiny_entries(clues: Clues) -> bool:
    """Whether the answer is that to the matrix without its tiny entries; elsewhere, whether digits are lost."""
    if clues.op != "loss":
        return _is_lost(clues)
    alpha = clues.level or 0.0
    return any(
        clues.is_answer(_loss_of_rows([[entry * (entry >= least) for entry in row] for row in rows], alpha))
        for rows in clues.matrices
        for least in _THRESHOLDS
    )


def _is_of_single_columns(clues: Clues) -> bool:
    alpha = clues.level or 0.0
    return any(
        clues.is_answer(
            max(loss_at(q, d, alpha) for one in rows for other in rows for q, d in zip(one, other, strict=True))
        )
        for rows in clues.matrices
        if len(rows) > 2
    )


def _misses_first_pieces(clues: Clues) -> bool:
    if clues.op == "loss_function":
        slopes = [q - d for pieces in clues.losses for q, d, _, _ in pieces[1:]]
        if clues.place == "slope at 0" and any(is_same(clues.given, slope) for slope in slopes):
            return True
    return any(right == 0 < other for right, other, _ in _piece_answered(clues))


def _misses_last_pieces(clues: Clues) -> bool:
    if clues.op == "loss_function":
        limits = [loss_at(q, d, inf) for pieces in clues.losses for q, d, _, _ in pieces[:-1]]
        if clues.place == "limit at ∞" and any(is_same(clues.given, limit) for limit in limits):
            return True
    return any(other < right == most - 1 for right, other, most in _piece_answered(clues))


def _takes_other_piece(clues: Clues) -> bool:
    return any(True for _ in _piece_answered(clues))


def _is_almost_tangent(clues: Clues) -> bool:
    """Whether two neighbouring pieces cross where doubles hardly tell, E = (q + d' - q' - d)/(q'd - qd')."""
    for pieces in clues.losses:
        for (q, d, _, stop), (other_q, other_d, _, _) in pairwise(pieces):
            above, below = q + other_d - other_q - d, q * other_d - other_q * d
            if stop == inf or abs(above) <= _DEGENERATE or abs(below) <= _DEGENERATE * other_q * d:
                return True
    return "recursion" in clues.said.lower()


def _is_first_steps(clues: Clues) -> bool:
    for pieces in clues.losses if clues.levels else []:
        budget = clues.levels[0]
        q, d, _, _ = pieces[ruling_piece(pieces, excess_of(budget))]
        if clues.is_answer(supremum_of(q, d, budget)):
            return True
    return False


def _is_critical(clues: Clues) -> bool:
    """Whether q·e^ε is nearly 1 for a piece with d (nearly) 0: there the discriminant is what rounding leaves of it."""
    budgets = [level for level in clues.levels if level < ABSORBED]
    return any(
        d < 1e-6 and abs(q * exp(budget) - 1) < 1e-6
        for budget in budgets
        for pieces in clues.losses
        for q, d, _, _ in pieces
    )


def _is_not_real(clues: Clues) -> bool:
    """Whether the answer is complex, or the root or logarithm of a negative number."""
    said = clues.said.lower()
    complex_number = clues.failure is Failure.MALFORMED and ("j" in said.split("number")[0] or "complex" in said)
    return complex_number or "domain" in said or "complex" in said or clues.failure is Failure.NAN


def _has_complex_root(clues: Clues) -> bool:
    return _is_not_real(clues) and (_is_critical(clues) or "complex" in clues.said or "j)" in clues.said)


def _treats_d_as_0(clues: Clues) -> bool:
    return any(
        d > 0 and q * exp(level) >= 1
        for level in clues.levels
        if level < OVERFLOW
        for pieces in clues.losses
        for q, d, _, _ in pieces
    )


def _is_own_maximum(clues: Clues) -> bool:
    """Whether the answer is that to a round level below the one asked."""
    if clues.op != "loss" or not clues.levels:
        return False
    alpha = clues.levels[0]
    rounds = [*(float(level) for level in range(1, 101)), *(float(level) for level in range(110, 1001, 10)), 709.0]
    return any(
        clues.is_answer(max(loss_at(q, d, level) for q, d, _, _ in pieces))
        for level in rounds
        if level < alpha
        for pieces in clues.losses
    )


def _is_lost_difference(clues: Clues) -> bool:
    """Whether a budget is off by what doubles near the level are, however small the budget."""
    if clues.truth is None or clues.given is None or not isfinite(clues.given) or clues.highest == 0:
        return False
    return abs(clues.given - clues.truth) <= NEAR_ONE * clues.highest and clues.truth < 2.0**-20 * clues.highest


def _is_smoothed_twice(clues: Clues) -> bool:
    """Whether the entry of the matrix is (p' + s)/(1 + n·s) for the smoothed p' in the place of p."""
    try:
        s = float(Reader(clues.case.numbers).number(clues.case.input.get("s"), "s"))
    except OracleError:
        return False
    n, smoothed = clues.features.n, clues.truth
    return n is not None and smoothed is not None and clues.is_answer((smoothed + s) / (1 + n * s))


def _is_rounded_at_each_step(clues: Clues) -> bool:
    steps = (clues.features.n or 1) + (clues.features.releases or 1)
    return clues.ulps is not None and abs(clues.ulps) <= min(ROUNDING_ULPS * steps, FAR_ULPS)


def _refuses_no_input(clues: Clues) -> bool:
    return clues.which[0] not in ("InfeasibleBudget", "UnreachableState")


def _has_negative_budget(clues: Clues) -> bool:
    return clues.failure is Failure.NEGATIVE or "[-" in clues.said or " -" in clues.said


def _is_bisected_to_nothing(clues: Clues) -> bool:
    return "InfeasibleBudget" in clues.which


CAUSES = (
    Cause(
        "rounding",
        "The answer is rounded to nearest, so that about half of all answers are on the unsafe side.",
        "Round outward: the next double up (math.nextafter(x, math.inf), np.nextafter(x, np.inf)), for a budget the "
        "next one down, or multiply by 1 + k·2^-52, k the number of roundings; after every step.",
        (Failure.ROUNDING,),
    ),
    Cause(
        "rounding-at-each-step",
        "Each step rounds to nearest, and the errors of many add up.",
        "Round outward after every step, as for a single one.",
        (Failure.BELOW, Failure.BUDGET_ABOVE, Failure.OTHER_SCHEDULE),
        _is_rounded_at_each_step,
    ),
    Cause(
        "first-step-pair",
        "The supremum takes the q and d that rule at the first step.",
        "Take those that rule at the supremum itself: the greatest root over all pieces (Theorem 11 corrected).",
        LEVEL_BELOW,
        _is_first_steps,
        ("supremum",),
    ),
    Cause(
        "complex-root",
        "The quadratic of Theorem 11 gets a negative discriminant where e^ε is near 1/q: its root is complex or NaN.",
        "Clamp the discriminant at 0, or add up terms of one sign: (d + q·e^ε - 1)² + 4·d·e^ε·(1 - q).",
        (Failure.NAN, Failure.MALFORMED, Failure.ERROR_FOR_VALUE),
        _has_complex_root,
        ("supremum", "allocate"),
    ),
    Cause(
        "d-taken-for-0",
        "A finite supremum is answered by ∞: q·e^ε ≥ 1 is tested although d is above 0, or a small d counts as 0.",
        "It is infinite only where d is exactly 0 and q·e^ε ≥ 1.",
        (Failure.INFINITE,),
        _treats_d_as_0,
        ("supremum",),
    ),
    Cause(
        "first-breakpoint",
        "Levels below the first breakpoint are answered by a later piece, or the first piece is not found.",
        "Begin at 0: the first piece is that of the greatest q - d, the greatest total variation distance of two rows.",
        (*LEVEL_BELOW, *_PIECES),
        _misses_first_pieces,
        ("loss", "loss_function"),
    ),
    Cause(
        "far-breakpoint",
        "Breakpoints far out are lost: the last pieces are not found.",
        "End at ∞: the last piece is that of the greatest q/d; no a_m is far enough.",
        (*LEVEL_BELOW, *_PIECES),
        _misses_last_pieces,
        ("loss", "loss_function"),
    ),
    Cause(
        "single-columns",
        "Of each pair of rows one column alone is taken, which is right for two states only.",
        "All ordered pairs of rows, and all prefixes of the columns by q_j/d_j.",
        LEVEL_BELOW,
        _is_of_single_columns,
        ("loss",),
    ),
    Cause(
        "own-maximum",
        "Levels above a maximum of the implementation's own are answered as that maximum.",
        "Go on to ∞: the last piece rules from its start on, and log(q/d), or α + log q where d = 0, is its limit.",
        LEVEL_BELOW,
        _is_own_maximum,
        ("loss",),
    ),
    Cause(
        "other-piece",
        "The answer is that of another piece than the one that rules at this level.",
        "A breakpoint is log(1 + k): Algorithm 2, line 11, lacks the 1 (Theorem 9).",
        LEVEL_BELOW,
        _takes_other_piece,
        ("loss",),
    ),
    Cause(
        "repeated-pieces",
        "Pieces are repeated: sets of columns that tie, or functions that are equal but for rounding, are kept apart.",
        "Keep one of each (q, d); columns of one ratio q_j/d_j leave together.",
        (Failure.REPEATED_PIECES,),
    ),
    Cause(
        "endless-recursion",
        "Halving goes on for ever where two pieces are almost tangent: their values never become equal in doubles.",
        "Compare coefficients, which are finitely many, not values; or walk the upper hull of the points (d, q).",
        (Failure.TIMED_OUT, Failure.CRASHED, Failure.ERROR_FOR_VALUE),
        _is_almost_tangent,
        ("loss_function", "loss", "leakage", "composition", "supremum"),
    ),
    Cause(
        "bisection-leaves-its-range",
        "The bisection leaves its range: a budget is negative.",
        "Bisect between 0 and α and keep both ends; where no budget is left it is InfeasibleBudget.",
        (Failure.NEGATIVE, Failure.VALUE_FOR_ERROR),
        _has_negative_budget,
        ("allocate",),
    ),
    Cause(
        "bisection-without-end",
        "The bisection waits for two doubles to be equal, which need not happen.",
        "Halve a fixed number of times, or solve the quadratic; then check the budget, rounded down.",
        (Failure.TIMED_OUT,),
        ops=("allocate",),
    ),
    Cause(
        "no-budget",
        "Where two rows have disjoint supports the paper's bound lets no budget be kept for ever; the search ends "
        "somewhere.",
        "Test for disjoint supports first: InfeasibleBudget, or over a finite horizon α/T at every time.",
        (Failure.VALUE_FOR_ERROR,),
        _is_bisected_to_nothing,
        ("allocate", "control"),
    ),
    Cause(
        "difference-cancels",
        "A budget is what is left of the level, α - L(α), and L is nearly α: rows disjoint but for tiny entries. "
        "What is left has no digits in doubles.",
        "log((d·E + 1)·(1 + E)/(q·E + 1)) by log1p of a form of its own, or in integers; round down.",
        (*BUDGET_FAILURES, Failure.TOO_FAR, Failure.NEGATIVE),
        _is_lost_difference,
        ("allocate", "control"),
    ),
    Cause(
        "smoothed-twice",
        "Smoothing is applied twice.",
        "Once: (p + s)/(1 + n·s).",
        (Failure.OFF,),
        _is_smoothed_twice,
        ("smooth",),
    ),
    *TIGHT_CAUSES,
    Cause(
        "unchecked-input",
        "Inputs are not checked: what is no matrix or no level gets a number.",
        "Check levels, sums of rows, the shape and signs, in this order, before anything else.",
        (Failure.VALUE_FOR_ERROR,),
        _refuses_no_input,
        where=(INVALID_INPUT,),
    ),
    Cause(
        "overflow",
        "e^α is ∞ in doubles from α = 709.79 on, and ∞/∞ is NaN.",
        "Divide by e^α: (q + (1 - q)·e^-α)/(d + (1 - d)·e^-α); the level beside it is α + log, never e^α.",
        _ANY,
        _overflows,
        where=("level past exp",),
    ),
    Cause(
        "absorption",
        "From α = 34 to 37 on e^α + 1 is e^α in doubles: what stands beside q·e^α is absorbed.",
        "Keep 1/e^α by itself, and compare q_j with λ·d_j rather than quotients that round to the same double.",
        _ANY,
        _absorbs,
        where=("large level",),
    ),
    Cause(
        "infinite-level",
        "∞ is put into a formula for finite levels: ∞/∞ and ∞ - ∞ are NaN.",
        "A case of its own: L(∞) = log max q_j/d_j; BPL + FPL - ε as BPL + L(FPL of the next time).",
        _ANY,
        lambda clues: inf in clues.levels,
        where=("infinite level",),
    ),
    Cause(
        "exp-minus-one",
        "e^α - 1 is worked out as exp(α) - 1, which has lost most of its digits where α is tiny.",
        "expm1(α), and log1p of what is added to 1.",
        _NUMBERS,
        _cancels_in_exp,
        where=("tiny level", "small level"),
        part=1 / 16,
    ),
    Cause(
        "log-near-one",
        "Rows are nearly equal, and the logarithm of a quotient near 1 has lost what they differ by.",
        "log1p((q - d)·E/(d·E + 1)), q - d as the sum of the differences q_j - d_j.",
        _NUMBERS,
        lambda clues: clues.is_close,
        where=("near-equal rows",),
        part=1 / 16,
    ),
    Cause(
        "tolerance",
        "Nearly equal rows or entries are taken for equal: there is a tolerance.",
        "None: compare exactly; how much rows differ is what leaks.",
        (*LEVEL_BELOW, *BUDGET_FAILURES, Failure.OTHER_PIECES),
        lambda clues: clues.given == 0 or _is_lost(clues),
        where=("near-equal rows",),
    ),
    Cause(
        "tiny-entries",
        "Entries below about 1e-15 are taken for 0, or are lost beside ordinary ones.",
        "No threshold: an entry above 0 bounds q/d and a 0 does not; add up small entries first.",
        _ANY,
        _drops_tiny_entries,
        where=("tiny entries",),
        part=1 / 16,
    ),
    Cause(
        "equal-rows",
        "Rows that are all equal, or a single state, are no case of its own: 0/0, or the greatest of nothing.",
        "L is 0, the supremum ε, the budget α.",
        (*_ANY, Failure.OTHER_PIECES),
        where=("all rows equal", "1 × 1"),
    ),
    Cause(
        "more-than-two-states",
        "It is right for two states only.",
        "All ordered pairs of rows, and all prefixes of the columns by q_j/d_j.",
        (*_ANY, *_PIECES),
        lambda clues: clues.features.n is not None and clues.features.n >= 3,
        beyond=lambda features: 3.0 if (features.n or 0) >= 3 else 0.0,
        least=3,
    ),
    Cause(
        "beyond-states",
        "Right up to a number of states, and wrong beyond it: a limit, a table of fixed size, another branch.",
        "The same at every size; where there is a limit, declare it as the domain.",
        (*_ANY, *_PIECES),
        beyond=lambda features: features.n,
        least=4,
    ),
    Cause(
        "beyond-releases",
        "Right up to a number of releases, and wrong beyond it: a window, a table of fixed size, a limit of recursion.",
        "The same at every length; where there is a limit, declare it as the domain.",
        _ANY,
        beyond=lambda features: features.releases,
        least=7,
    ),
    Cause(
        "beyond-level",
        "Right up to a level, and wrong beyond it: the implementation has a maximum of its own.",
        "Go on to ∞, or declare the level as the domain.",
        (*_ANY, *_PIECES),
        beyond=lambda features: features.largest_level,
        least=2.0,
    ),
)
"""The mistakes. Of two that explain as much the first is named."""
