"""The hazards of the loss function L in doubles, and of reading the matrix as doubles."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..reference import TransitionMatrix
from .hazard import ORDINARY, Hazard, Measured, Subject, beyond_rounding, of_method, rounded_text, worst
from .held import double_text, nearest
from .naive import Kind, attempt
from .trials import (
    ALGORITHM_1,
    ALGORITHM_3,
    CAREFUL,
    EVERYDAY,
    LARGE,
    PRINTED_LOOP,
    RIGHT_PAIR,
    ROUNDED_MATRIX,
    TINY,
    TOO_LARGE,
)


def repaired(measured: Measured) -> tuple[Measured, ...]:
    """Return what the careful formula makes of the same question, if it is no further off than rounding explains."""
    return tuple(each for each in (Measured(measured.trial, CAREFUL),) if not each.outcome.exceeds(ORDINARY))


def small_levels(subject: Subject) -> Hazard | None:
    """At α = 1e-12 Algorithm 1 is further off than rounding explains, and the careful formula is not."""
    losses = subject.trials.losses
    shown = [each for each in beyond_rounding(of_method(losses, ALGORITHM_1, TINY)) if repaired(each)]
    if not shown:
        return None
    return Hazard(
        "small-levels",
        "e^α − 1 and the logarithm lose the digits of a small level",
        "exp(α) − 1 is right to 2^−53, not to 2^−53 of itself, and so is the logarithm of a number next to 1",
        "expm1(α), and log1p((q − d)E/(dE + 1))",
        measured=tuple(shown),
        repaired=repaired(shown[0]),
    )


def near_equal_rows(subject: Subject) -> Hazard | None:
    """At α = 1 Algorithm 1 is further off than rounding explains."""
    losses, usual = subject.trials.losses, EVERYDAY[-1:]
    shown = beyond_rounding(of_method(losses, ALGORITHM_1, usual))
    pair = subject.loss.pieces[0].witness
    if not shown or pair is None:
        return None
    distance = rounded_text(subject.loss.slope_at_zero)
    return Hazard(
        "near-equal-rows",
        "q − d cancels: the rows are nearly equal",
        "(qE + 1)/(dE + 1) is next to 1, and what it has beyond 1 is rounded as if it were 1",
        "log1p of the sum of q_j − d_j, not of a difference of sums; entries that are doubles to begin with",
        (f"no two rows are further apart than {pair.row_q + 1} and {pair.row_d + 1}: total variation {distance}",),
        tuple(shown),
        repaired(shown[0]),
    )


def last_column_leaves(subject: Subject) -> Hazard | None:
    """Between 40 and 700 Algorithm 1 is further off than rounding explains, and the careful formula is not."""
    losses = subject.trials.losses
    shown = [each for each in beyond_rounding(of_method(losses, ALGORITHM_1, LARGE)) if repaired(each)]
    if not shown:
        return None
    return Hazard(
        "last-column-leaves",
        "columns that belong in x⁺ are taken out at a large level",
        "where qE + 1 rounds to qE, q_j/d_j of the last columns and (qE + 1)/(dE + 1) are one double, and Algorithm 1 "
        "takes the columns out",
        "the greatest value over all prefixes of the columns by falling q_j/d_j: nothing is taken out",
        measured=worst(shown),
        repaired=repaired(shown[0]),
    )


def overflow(subject: Subject) -> Hazard | None:
    """At α = 710 and beyond Algorithm 1 gives no number."""
    losses = subject.trials.losses
    shown = [each for each in of_method(losses, ALGORITHM_1, TOO_LARGE) if not each.outcome.is_number]
    if not shown:
        return None
    limit = nearest(subject.loss.at_infinity)
    return Hazard(
        "overflow",
        "e^α overflows above 709.78",
        "then (qE + 1)/(dE + 1) is inf/inf or 0·inf",
        "(q + 1/E)/(d + 1/E), and α + log(q + (1 − q)e^−α) where d = 0",
        (f"L(∞) is {limit:.6g}",),
        tuple(shown),
        repaired(shown[0]),
    )


def division_by_zero(subject: Subject) -> Hazard | None:
    """Some row has mass in a column where another has none."""
    place = _lone_mass(subject.loss.matrix)
    if place is None:
        return None
    row_q, row_d, column = place
    q, d = (float(subject.loss.matrix.rows[row][column]) for row in (row_q, row_d))
    kind = attempt(lambda: q / d).kind
    where = f"rows {row_q + 1}/{row_d + 1}, column {column + 1}: {q!r}/{d!r} is {kind.value} in Python"
    return Hazard(
        "division-by-zero",
        "q_j/d_j with d_j = 0",
        "a column has mass in one row and none in another; the quotient must read +∞",
        "the test multiplied out: q_j(dE + 1) > d_j(qE + 1)",
        (f"{where}, inf with a warning in numpy",),
    )


def _lone_mass(matrix: TransitionMatrix) -> tuple[int, int, int] | None:
    for column in range(matrix.n):
        massive = [bool(row[column]) for row in matrix.rows]
        if any(massive) and not all(massive):
            return massive.index(True), massive.index(False), column
    return None


def endless_algorithm_1(subject: Subject) -> Hazard | None:
    """As printed Algorithm 1 does not end at some level."""
    found = of_method(subject.trials.losses, PRINTED_LOOP)
    shown = [each for each in found if each.outcome.answer.kind is Kind.ENDLESS]
    if not shown:
        return None
    first = shown[0]
    where = f"first at α = {double_text(first.trial.given)}, {first.outcome.answer.detail}"
    return Hazard(
        "endless-algorithm-1",
        "Algorithm 1 as printed never ends",
        "its flag `update` is not set back within the loop: one column taken out, and the loop repeats for ever",
        "the flag set back at each turn",
        (f"at {len(shown)} of {len(found)} levels tried; {where}",),
    )


def transition_points(subject: Subject) -> Hazard | None:
    """Algorithms 2 and 3 are off where Algorithm 1 is not, or aArr is out of order."""
    shown = [
        Measured(trial, ALGORITHM_3)
        for trial in subject.trials.losses
        if trial.outcomes[ALGORITHM_3].exceeds(ORDINARY) and not trial.outcomes[ALGORITHM_1].exceeds(ORDINARY)
    ]
    count, first = subject.trials.disorder
    if not shown and first is None:
        return None
    facts = []
    if first is not None:
        row_q, row_d, place = first
        tie = _tie(subject.loss.matrix, row_q, row_d)
        why = f"; columns {tie[0] + 1} and {tie[1] + 1} have the same q_j/d_j" if tie else ""
        where = f"first of rows {row_q + 1}/{row_d + 1} at place {place + 1}"
        facts.append(f"entries of aArr that are nan or rise: {count}, {where}{why}")
    return Hazard(
        "transition-points",
        "q·d_j − d·q_j cancels in Algorithm 2",
        "where columns have the same q_j/d_j, or nearly, the difference is rounding alone: its sign, and with it the "
        "transition point, is chance",
        "the greatest value over all prefixes, without transition points",
        tuple(facts),
        worst(shown),
    )


def _tie(matrix: TransitionMatrix, row_q: int, row_d: int) -> tuple[int, int] | None:
    """Return two columns with the same finite q_j/d_j above 1. Exact."""
    seen: dict[Fraction, int] = {}
    for column, (q, d) in enumerate(zip(matrix.rows[row_q], matrix.rows[row_d], strict=True)):
        if q > d > 0:
            if q / d in seen:
                return seen[q / d], column
            seen[q / d] = column
    return None


def entries_rounded(subject: Subject) -> Hazard | None:
    """Rows of doubles do not sum to 1, or L of the matrix of doubles is further off than rounding explains."""
    doubles, n = subject.structure.as_doubles, subject.structure.n
    shown = [each for each in of_method(subject.trials.rounded or (), ROUNDED_MATRIX) if each.outcome.order]
    if not doubles.spoilt and not beyond_rounding(shown):
        return None
    facts = [f"{doubles.moved} of {n * n} entries are no doubles"]
    if doubles.spoilt:
        miss = rounded_text(abs(doubles.greatest_miss))
        facts.append(f"{len(doubles.spoilt)} of {n} rows of doubles do not sum to 1, by up to {miss}")
    return Hazard(
        "entries-rounded",
        "the entries are no doubles",
        "read as doubles they are another matrix, whose rows need not sum to 1",
        "counts or rationals for as long as possible; rows divided by their exact sums (--float64)",
        tuple(facts),
        worst(shown),
    )


def underflow(subject: Subject) -> Hazard | None:
    """Positive entries become 0 or lose bits as doubles."""
    doubles = subject.structure.as_doubles
    if not doubles.vanished and not doubles.subnormal:
        return None
    return Hazard(
        "underflow",
        "entries too small for a double",
        "a positive entry that is read as 0 makes L(∞) infinite; a subnormal one has fewer than 53 bits",
        "a matrix of rationals, or of logarithms",
        (f"{doubles.vanished} positive entries become 0, {doubles.subnormal} subnormal",),
        tuple(of_method(subject.trials.rounded or (), ROUNDED_MATRIX, TOO_LARGE)),
    )


def rounding(subject: Subject) -> Hazard | None:
    """Some answer that is off by no more than rounding is below the truth."""
    near = [
        Measured(trial, method)
        for trial, method, outcome in subject.trials.outcomes()
        if method in (ALGORITHM_1, ALGORITHM_3, CAREFUL, RIGHT_PAIR) and not outcome.exceeds(ORDINARY)
    ]
    below = [each for each in near if each.outcome.unsafe]
    if not below:
        return None
    usual, careful = (worst((m for m in below if (m.method == CAREFUL) == side), most=1) for side in (False, True))
    return Hazard(
        "rounding",
        "rounding to nearest falls below the truth",
        "sums, quotients and logarithms rounded to nearest are below the truth as often as above it",
        "the last operations rounded upwards, or a few units in the last place added",
        (f"{len(below)} of {len(near)} answers within {ORDINARY} ulps of the truth are below it",),
        (*usual, *careful),
    )


LOSSES: tuple[Callable[[Subject], Hazard | None], ...] = (
    small_levels,
    near_equal_rows,
    last_column_leaves,
    overflow,
    division_by_zero,
    endless_algorithm_1,
    transition_points,
    entries_rounded,
    underflow,
)
"""The checks of this module that are told first, in this order; `rounding` comes last of all."""
