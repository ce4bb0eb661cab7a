"""Likely causes of failures: the mistakes that are made with this paper, each with the clues that speaks for it.

A cause is a record in CAUSES. Its clues is a predicate on one failure, asked of the answer itself wherever the
mistake can be worked out: what Theorem 11 gives for the pair of the first step, what a neighbouring piece gives. Where
the input alone points to it (a level past exp), the answers that pass must speak for it as well: those on such inputs
fail, and others do not. Where no record fits, nothing is said.

To add one, append a record; tests/oracle/conformance/test_causes.py wants an implementation that makes the mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import exp, expm1, inf, isfinite, isnan, log, log1p, sqrt

from ..contract.entry import InputKind
from ..contract.operations import keys_of, matrix_keys
from ..reference import OracleError
from ..wire.numerals import Reader
from ..wire.protocol import FLOAT64
from .features import INVALID_INPUT, MOST_COMPARED_STATES, Features, as_float, features_of, loss_of
from .model import FAR_ULPS, ROUNDING_ULPS, Failure, Result

Point = tuple[float, float, float, float]
"""A piece in doubles: q, d, and the excesses e^α − 1 from which and to which it rules."""

_OVERFLOW, _ABSORBED, _CLOSE = 709.78, 34.0, 2.0**-48
_BELOW = (Failure.FINITE_FOR_INFINITE, Failure.ZERO, Failure.FAR_BELOW, Failure.BELOW)
_BUDGETS = (Failure.BUDGET_FAR_ABOVE, Failure.BUDGET_ABOVE, Failure.OTHER_SCHEDULE)
_FORMLESS = (Failure.NAN, Failure.MALFORMED, Failure.NEGATIVE, Failure.ERROR_FOR_VALUE, Failure.CRASHED)
_ABOVE = (Failure.INFINITE, Failure.TOO_FAR)
_NUMBERS = (*_BELOW, *_BUDGETS, *_ABOVE)
_ANY = (*_NUMBERS, *_FORMLESS, Failure.TIMED_OUT)
_PIECES = (Failure.REPEATED_PIECES, Failure.OTHER_PIECES, Failure.OFF)


class Clues:
    """What one failure says of its cause: the answer, the truth, and what can be worked out from the input."""

    def __init__(self, result: Result) -> None:
        self.case, self.op, judgement = result.case, result.case.op, result.judgement
        self.failure, self.ulps, self.place = judgement.failure, judgement.ulps, judgement.place
        self.truth, self.given = judgement.numbers or (None, None)
        self.said = f"{judgement.given} {judgement.detail}"
        self.which = judgement.which

    @cached_property
    def features(self) -> Features:
        """What kind of input it is."""
        return features_of(self.case)

    @cached_property
    def levels(self) -> list[float]:
        """The levels of the input."""
        reader, given, found = Reader(self.case.numbers == FLOAT64), self.case.input, []
        try:
            for key in keys_of(InputKind.LEVEL):
                found += [reader.level(given[key], key)] if key in given else []
            for key in keys_of(InputKind.LEVELS):
                found += reader.levels(given[key], key) if key in given else []
            return [as_float(level) for level in found]
        except OracleError:
            return []

    @cached_property
    def highest(self) -> float:
        """The greatest finite level of the input and of the truth; 0 where there is none."""
        return max((level for level in (*self.levels, self.truth or 0.0) if isfinite(level)), default=0.0)

    @cached_property
    def losses(self) -> list[list[Point]]:
        """The pieces of the loss function of each matrix; none of large ones, and where a matrix cannot be read."""
        given = self.case.input if self.case.equivalent is None else self.case.equivalent
        reader, found = Reader(self.case.numbers == FLOAT64), []
        try:
            for key in matrix_keys():
                if key in given and len(given[key]) <= MOST_COMPARED_STATES:  # type: ignore[arg-type]  # it is a list
                    pieces = loss_of(reader.matrix(given[key], key)).pieces
                    found.append([(float(p.q), float(p.d), _double(p.start), _double(p.stop)) for p in pieces])
        except (OracleError, MemoryError, RecursionError, TypeError):
            return []
        return found

    @property
    def is_close(self) -> bool:
        """Whether the answer is off by what doubles near 1 are, however small the truth."""
        return self.truth is not None and self.given is not None and abs(self.given - self.truth) <= _CLOSE

    def is_answer(self, value: float) -> bool:
        """Whether the answer is this value, and the truth is not."""
        return _same(self.given, value) and not _same(self.truth, value)


def _double(value: Fraction | None) -> float:
    try:
        return inf if value is None else float(value)
    except OverflowError:
        return inf


def _same(first: float | None, second: float) -> bool:
    if first is None or isnan(first) or isnan(second):
        return False
    return first == second or abs(first - second) <= 1e-9 * max(abs(first), abs(second))


def _at(q: float, d: float, excess: float) -> float:
    """Return log((q·E + 1)/(d·E + 1)) in doubles, at E = ∞ too."""
    if excess == inf:
        return (log(q / d) if d else inf) if q else 0.0
    return log1p((q - d) * excess / (d * excess + 1))


def _excess(alpha: float) -> float:
    return expm1(alpha) if alpha < _OVERFLOW else inf


def _ruling(pieces: Sequence[Point], excess: float) -> int:
    return next((k for k, (_, _, _, stop) in enumerate(pieces) if excess <= stop), len(pieces) - 1)


@dataclass(frozen=True, slots=True)
class Cause:
    """A mistake, and how it is recognised.

    wrong: what is done wrong; instead: what to do. failures: the kinds it shows in; ops: the operations, all where none
    is named. shows: whether a failure is one of this mistake. where: the kinds of input that it shows on, for a mistake
    that the answer alone does not prove: answers to such inputs must fail more often than others. beyond: a size of the
    input from which on it shows, all below being right; least: the least such size.
    """

    id: str
    wrong: str
    instead: str
    failures: tuple[Failure, ...]
    shows: Callable[[Clues], bool] = lambda _evidence: True
    ops: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    beyond: Callable[[Features], float | None] | None = None
    least: float = 0.0

    def is_shown_by(self, clues: Clues) -> bool:
        """Whether a failure may be one of this mistake."""
        return (
            clues.failure in self.failures
            and (not self.ops or clues.op in self.ops)
            and (not self.where or not set(self.where).isdisjoint(clues.features.kinds) or self.beyond is not None)
            and self.shows(clues)
        )


# What answers show.


def _overflows(clues: Clues) -> bool:
    return clues.highest > _OVERFLOW


def _absorbs(clues: Clues) -> bool:
    return _ABSORBED <= clues.highest <= _OVERFLOW


def _cancels_in_exp(clues: Clues) -> bool:
    return clues.is_close and any(0 < level < 2.0**-6 for level in clues.levels)


def _is_lost(clues: Clues) -> bool:
    """Whether more is lost than rounding near 1 can explain."""
    return clues.truth is not None and clues.given is not None and not clues.is_close


def _piece_answered(clues: Clues) -> Iterator[tuple[int, int, int]]:
    """Yield the place of the piece that rules, of another one that gives the answer, and how many pieces there are."""
    for pieces in clues.losses if clues.op == "loss" and clues.levels else []:
        excess = _excess(clues.levels[0])
        for k, (q, d, _, _) in enumerate(pieces):
            if clues.is_answer(_at(q, d, excess)):
                yield _ruling(pieces, excess), k, len(pieces)


def _misses_first_pieces(clues: Clues) -> bool:
    if clues.op == "loss_function":
        slopes = [q - d for pieces in clues.losses for q, d, _, _ in pieces[1:]]
        return clues.place == "slope at 0" and any(_same(clues.given, slope) for slope in slopes)
    return any(right == 0 < other for right, other, _ in _piece_answered(clues))


def _misses_last_pieces(clues: Clues) -> bool:
    if clues.op == "loss_function":
        limits = [_at(q, d, inf) for pieces in clues.losses for q, d, _, _ in pieces[:-1]]
        return clues.place == "limit at ∞" and any(_same(clues.given, limit) for limit in limits)
    return any(other < right == most - 1 for right, other, most in _piece_answered(clues))


def _takes_other_piece(clues: Clues) -> bool:
    return any(True for _ in _piece_answered(clues))


def _is_almost_tangent(clues: Clues) -> bool:
    """Whether two neighbouring pieces cross at an angle that doubles hardly see."""
    for pieces in clues.losses:
        for (q, d, _, stop), (other_q, other_d, _, _) in pairwise(pieces):
            slopes = [(b - c) / ((b * stop + 1) * (c * stop + 1)) * stop for b, c in ((q, d), (other_q, other_d))]
            if stop == inf or abs(slopes[0] - slopes[1]) <= 2.0**-20 * max(slopes[0], 2.0**-30):
                return True
    return "recursion" in clues.said.lower()


def _supremum_of(q: float, d: float, budget: float) -> float:
    """Return the supremum of Theorem 11 in doubles, by a form that loses little."""
    if q == d:
        return budget
    if budget > _ABSORBED:
        return inf
    a = exp(budget)
    if d == 0:
        return log((1 - q) * a / (1 - q * a)) if q * a < 1 and q < 1 else inf
    middle = q * a + d - 1
    root = sqrt(middle * middle + 4 * d * a * (1 - q))
    return log((root + middle) / (2 * d) if middle > 0 else 2 * a * (1 - q) / (root - middle))


def _is_first_steps(clues: Clues) -> bool:
    for pieces in clues.losses if clues.levels else []:
        budget = clues.levels[0]
        q, d, _, _ = pieces[_ruling(pieces, _excess(budget))]
        try:
            if clues.is_answer(_supremum_of(q, d, budget)):
                return True
        except (ValueError, ZeroDivisionError):
            continue
    return False


def _is_critical(clues: Clues) -> bool:
    """Whether q·e^ε is nearly 1 for a piece with d (nearly) 0: there the discriminant is what rounding leaves of it."""
    budgets = [level for level in clues.levels if level < _ABSORBED]
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
        if level < _OVERFLOW
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
        clues.is_answer(max(_at(q, d, _excess(level)) for q, d, _, _ in pieces))
        for level in rounds
        if level < alpha
        for pieces in clues.losses
    )


def _is_smoothed_twice(clues: Clues) -> bool:
    """Whether the entry of the matrix is (p' + s)/(1 + n·s) for the smoothed p' in the place of p."""
    try:
        s = float(Reader(clues.case.numbers == FLOAT64).number(clues.case.input.get("s"), "s"))
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
        (*_BELOW, *_ABOVE),
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
        "own-maximum",
        "Levels above a maximum of the implementation's own are answered as that maximum.",
        "Go on to ∞: the last piece rules from its start on, and log(q/d), or α + log q where d = 0, is its limit.",
        _BELOW,
        _is_own_maximum,
        ("loss",),
    ),
    Cause(
        "first-breakpoint",
        "Levels below the first breakpoint are answered by a later piece, or the first piece is not found.",
        "Begin at 0: the first piece is that of the greatest q - d, the greatest total variation distance of two rows.",
        (*_BELOW, *_PIECES),
        _misses_first_pieces,
        ("loss", "loss_function"),
    ),
    Cause(
        "far-breakpoint",
        "Breakpoints far out are lost: the last pieces are not found.",
        "End at ∞: the last piece is that of the greatest q/d; no a_m is far enough.",
        (*_BELOW, *_PIECES),
        _misses_last_pieces,
        ("loss", "loss_function"),
    ),
    Cause(
        "other-piece",
        "The answer is that of another piece than the one that rules at this level.",
        "A breakpoint is log(1 + k): Algorithm 2, line 11, lacks the 1 (Theorem 9).",
        _BELOW,
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
        "Where two rows have disjoint supports no budget can be kept for ever; the search for one ends somewhere.",
        "Test for disjoint supports first: InfeasibleBudget, or over a finite horizon α/T at every time.",
        (Failure.VALUE_FOR_ERROR,),
        _is_bisected_to_nothing,
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
        where=("tiny level",),
    ),
    Cause(
        "log-near-one",
        "Rows are nearly equal, and the logarithm of a quotient near 1 has lost what they differ by.",
        "log1p((q - d)·E/(d·E + 1)), q - d as the sum of the differences q_j - d_j.",
        _NUMBERS,
        lambda clues: clues.is_close,
        where=("near-equal rows",),
    ),
    Cause(
        "tolerance",
        "Nearly equal rows or entries are taken for equal: there is a tolerance.",
        "None: compare exactly; how much rows differ is what leaks.",
        (*_BELOW, *_BUDGETS, Failure.OTHER_PIECES),
        _is_lost,
        where=("near-equal rows",),
    ),
    Cause(
        "tiny-entries",
        "Entries below about 1e-15 are taken for 0, or are lost beside ordinary ones.",
        "No threshold: an entry above 0 bounds q/d and a 0 does not; add up small entries first.",
        _ANY,
        _is_lost,
        where=("tiny entries",),
    ),
    Cause(
        "equal-rows",
        "Rows that are all equal, or a single state, are no case of its own: 0/0, or the greatest of nothing.",
        "L is 0, the supremum ε, the budget α.",
        (*_ANY, Failure.OTHER_PIECES),
        where=("all rows equal", "1 × 1"),
    ),
    Cause(
        "two-states",
        "It is right for two states only: with two a single column leaves, with more any set of columns may.",
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
"""The mistakes; what proves more stands before what proves less."""
