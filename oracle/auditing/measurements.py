"""Measurements of the formulas in doubles, on one matrix or one user, against the exact values.

Every level asked about is a double, taken at its exact value, so that the arithmetic and the rounding of the matrix's
entries are measured, not the rounding of the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf, isnan, nextafter

from ..checked_loss import quick_loss_function
from ..proofs_checks.in_doubles import (
    AnswerKind,
    DoubleAnswer,
    DoubleLoss,
    Pairs,
    Transitions,
    algorithm_1,
    algorithm_2,
    algorithm_3,
    careful_loss,
    entries_of,
    middle_budget,
    pairs_of,
    recursion,
    supremum_by_iteration,
    supremum_from_first_step,
    theorem_11,
)
from ..reference import (
    ZERO,
    Adversary,
    Budget,
    InfeasibleBudget,
    Level,
    LossFunction,
    backward_leakage,
    budgets,
    divided_by_row_sums,
    supremum,
)
from .comparison import Comparison, Measurement, compare, measure, nearest

ALGORITHM_1, ALGORITHM_3, CAREFUL = "Algorithm 1", "Algorithms 2, 3", "careful formula"
PRINTED_LOOP = "Algorithm 1 as printed"
FIRST_STEP_PAIR, RIGHT_PAIR, ITERATION = "Theorem 11, first step's pair", "Theorem 11, right pair", "iteration"
BISECTION, RECURSION, ROUNDED_MATRIX = "bisection", "recursion", "matrix of doubles"

TINY_LEVELS, EVERYDAY_LEVELS = (1e-12,), (0.1, 1.0)
LARGE_LEVELS, OVERFLOWING_LEVELS = (40.0, 100.0, 700.0), (710.0, 1e6)
"""The levels tried on every matrix, besides 0 and its breakpoints."""

ASKED = "the budget asked about"
"""The note of the measurement at that budget."""

PARTS = 1e-12
"""Relative distance from a boundary of the budgets tried near it."""

MOST_PAIRS, MOST_CURVE_PAIRS = 10_000, 1_000
"""Above this many ordered pairs of rows only those that rule a piece of L are tried; the same for the curve."""

MOST_BREAKPOINTS = 8
"""Greatest number of breakpoints of L around which doubles are tried: the first, the last and some between."""

MOST_ROUNDED_STATES = 100
"""Above this many states the loss function of the rounded matrix is not built."""

MOST_RECURSION = 1_000
"""Greatest number of releases on which the recursion is tried."""

Methods = dict[str, Callable[[], object]]


@dataclass(frozen=True, slots=True)
class MatrixMeasurements:
    """All measurements of one matrix. rounded: L of the matrix of doubles, exact; None if it was left out.

    disorder: the number of entries of Algorithm 2's aArr that are nan or rise, and the place of the first, from 0: the
    pair of rows, and the index in the order of falling q_j/d_j. curve: Algorithm 1 and the careful formula at many
    levels.
    """

    losses: tuple[Measurement, ...]
    suprema: tuple[Measurement, ...]
    rounded: tuple[Measurement, ...] | None
    disorder: tuple[int, tuple[int, int, int] | None]
    curve: tuple[Measurement, ...]
    left_out: tuple[str, ...]

    def comparisons(self) -> Iterable[tuple[Measurement, str, Comparison]]:
        """Yield every comparison except those of the curve, with its measurement and the name of its method."""
        for measurement in (*self.losses, *self.suprema, *(self.rounded or ())):
            for method, comparison in measurement.comparisons.items():
                yield measurement, method, comparison


def hazardous_alphas(loss: LossFunction) -> dict[float, str]:
    """Return the levels to try, in order, each with the breakpoint next to it, if any."""
    found = dict.fromkeys((0.0, *TINY_LEVELS, *EVERYDAY_LEVELS, *LARGE_LEVELS, *OVERFLOWING_LEVELS), "")
    starts = [piece.domain[0] for piece in loss.pieces[1:]]
    spread = {round(step * (len(starts) - 1) / (MOST_BREAKPOINTS - 1)) for step in range(MOST_BREAKPOINTS)}
    for number in sorted(spread) if len(starts) > MOST_BREAKPOINTS else range(len(starts)):
        below = starts[number].double_below()
        found |= {below: f"below breakpoint {number + 1}", nextafter(below, inf): f"above breakpoint {number + 1}"}
    return dict(sorted(found.items()))


def critical_budget(loss: LossFunction) -> Budget | None:
    """Return the least constant budget under which the paper's bound is infinite: log(1/q) where d = 0. Exact.

    Returns: 0 if the bound is infinite under every positive budget; None if under none.
    """
    last = loss.pieces[-1]
    return Level.of_ratio(1 / last.q).to_spend() if last.d == 0 < last.q else None


def boundary_budgets(critical: Level | None) -> dict[float, str]:
    """Return the budgets to try near the one from which the paper's bound is infinite; none near 0."""
    if critical is None or critical.is_zero:
        return {}
    below = critical.double_below()
    return {
        below * (1 - PARTS): "1e-12 of it below the boundary",
        below: "last double below the boundary",
        nextafter(below, inf): "first double above the boundary",
        below * (1 + PARTS): "1e-12 of it above the boundary",
    }


def ruling_pairs(loss: LossFunction) -> Pairs:
    """Return the pairs of rows that attain a piece of L, as doubles."""
    witnesses = [piece.witness for piece in loss.pieces if piece.witness is not None]
    return pairs_of(entries_of(loss.matrix), sorted({(each.row_q, each.row_d) for each in witnesses}))


def measure_matrix(loss: LossFunction, epsilon: Level, curve: Iterable[float] = ()) -> MatrixMeasurements:
    """Measure doubles on the matrix of a loss function.

    Args: epsilon, the budget that the user asks about; curve, further levels for a picture. Raises: Undecided.
    """
    matrix, ruling, left_out = loss.matrix, ruling_pairs(loss), []
    pairs, count = ruling, matrix.n * (matrix.n - 1)
    if count <= MOST_PAIRS:
        pairs = pairs_of(entries_of(matrix))
    else:
        left_out.append(
            f"doubles are tried on {len(ruling.rows)} of {count} pairs of rows, those that rule a piece of L"
        )
    transitions = algorithm_2(pairs)
    drawn = pairs if count <= MOST_CURVE_PAIRS else ruling
    drawn_transitions = algorithm_2(drawn)
    if len(loss.pieces) - 1 > MOST_BREAKPOINTS:
        left_out.append(f"doubles are tried about {MOST_BREAKPOINTS} of {len(loss.pieces) - 1} breakpoints")
    if matrix.n > MOST_ROUNDED_STATES:
        left_out.append(f"what rounding the entries does to L, for more than {MOST_ROUNDED_STATES} states")
    no_formula = matrix.n == 1 or epsilon.is_infinite or epsilon.is_zero
    asked = {} if no_formula else {nearest(epsilon): ASKED}
    tried_budgets = dict(sorted((boundary_budgets(critical_budget(loss)) | asked).items()))
    return MatrixMeasurements(
        losses=tuple(_at_level(loss, pairs, transitions, *each) for each in hazardous_alphas(loss).items()),
        suprema=tuple(_at_budget(loss, pairs, ruling, *each) for each in tried_budgets.items()),
        rounded=_rounded(loss) if matrix.n <= MOST_ROUNDED_STATES else None,
        disorder=_disorder(transitions),
        curve=tuple(_at_level(loss, drawn, drawn_transitions, alpha) for alpha in curve),
        left_out=tuple(left_out),
    )


def _at_level(
    loss: LossFunction, pairs: Pairs, transitions: Transitions, alpha: float, note: str | None = None
) -> Measurement:
    """Measure L at one level. Args: note, None for the curve, which has fewer methods."""
    methods: Methods = {
        ALGORITHM_1: partial(algorithm_1, pairs, alpha),
        CAREFUL: partial(careful_loss, transitions, alpha),
    }
    if note is not None:
        methods[ALGORITHM_3] = partial(algorithm_3, transitions, alpha)
        methods[PRINTED_LOOP] = partial(algorithm_1, pairs, alpha, as_printed=True)
    return measure("α", alpha, loss(Level.of(Fraction(alpha))), methods, note or "")


def _at_budget(loss: LossFunction, pairs: Pairs, ruling: Pairs, epsilon: float, note: str) -> Measurement:
    found = supremum(loss, Level.of(Fraction(epsilon)))
    methods: Methods = {
        FIRST_STEP_PAIR: partial(supremum_from_first_step, pairs, epsilon),
        RIGHT_PAIR: partial(theorem_11, float(found.q), float(found.d), epsilon),
        ITERATION: partial(supremum_by_iteration, partial(algorithm_1, ruling), epsilon),
    }
    return measure("ε", epsilon, found.level, methods, note)


def _rounded(loss: LossFunction) -> tuple[Measurement, ...]:
    """Compare L of the matrix of doubles, its rows divided by their sums, with L of the matrix. Exact."""
    rows = tuple(tuple(Fraction(float(entry)) for entry in row) for row in loss.matrix.rows)
    other = quick_loss_function(divided_by_row_sums(rows)[0])
    found = []
    for alpha in (*EVERYDAY_LEVELS, OVERFLOWING_LEVELS[-1]):
        level = Level.of(Fraction(alpha))
        truth = loss(level)
        comparison = compare(DoubleAnswer(AnswerKind.NUMBER, nearest(other(level))), truth)
        found.append(Measurement("α", alpha, truth, {ROUNDED_MATRIX: comparison}))
    return tuple(found)


def _disorder(transitions: Transitions) -> tuple[int, tuple[int, int, int] | None]:
    count, first = 0, None
    for pair, size in enumerate(transitions.sizes.tolist()):
        levels = transitions.levels[pair, :size].tolist()
        for place in range(size):
            if isnan(levels[place]) or (place and levels[place] > levels[place - 1] * (1 + PARTS)):
                count += 1
                first = first or (*transitions.pairs.rows[pair].tolist(), place)
    return count, first


def measure_user(adversary: Adversary, epsilons: Sequence[Level], alpha: Level) -> tuple[Measurement, ...]:
    """Measure the recursion over a schedule and the bisection for a budget, for the matrices of one adversary.

    BPL at the last of at most `MOST_RECURSION` releases and FPL at the first are compared with the exact ones, the
    middle budget of Algorithm 8 with the exact one, or with 0 if no positive one is safe. Raises: Undecided.
    """
    losses = {"BPL": adversary.backward, "FPL": adversary.forward}
    known = {kind: loss for kind, loss in losses.items() if loss is not None}
    quick: dict[str, DoubleLoss] = {kind: partial(algorithm_1, ruling_pairs(loss)) for kind, loss in known.items()}
    found = []
    if not any(level.is_infinite for level in epsilons):
        given = [nearest(level) for level in epsilons[:MOST_RECURSION]]
        for kind, loss in known.items():
            ordered = given if kind == "BPL" else given[::-1]
            truth = backward_leakage([Level.of(Fraction(value)) for value in ordered], loss)[-1]
            methods: Methods = {RECURSION: partial(_last, quick[kind], ordered)}
            place = "last" if kind == "BPL" else "first"
            found.append(measure("T", len(given), truth, methods, f"{kind} at the {place} of {len(given)} releases"))
    if known and not alpha.is_infinite and not alpha.is_zero:
        asked = nearest(alpha)
        bisect: Methods = {
            BISECTION: partial(middle_budget, quick.get("BPL", _nothing), quick.get("FPL", _nothing), asked)
        }
        truth = _middle(Level.of(Fraction(asked)), adversary)
        found.append(measure("α", asked, truth, bisect, "the constant budget", budget=True))
    return tuple(found)


def _last(loss: DoubleLoss, epsilons: Sequence[float]) -> float:
    return recursion(loss, epsilons)[-1]


def _middle(alpha: Level, adversary: Adversary) -> Level:
    try:
        return budgets(alpha, adversary).middle
    except InfeasibleBudget:
        return ZERO


def _nothing(_alpha: float) -> float:
    return 0.0
