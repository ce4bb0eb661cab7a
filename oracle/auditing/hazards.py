"""The numerical hazards that a matrix holds for doubles: each by name, only where it shows, with what was measured."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ..proofs_checks.in_doubles import AnswerKind, attempt
from ..reference import Level, LossFunction, TransitionMatrix, supremum
from ..reference.decimals import outward
from .comparison import (
    ORDINARY,
    Measurement,
    Reading,
    beyond_rounding,
    double_text,
    nearest,
    readings_of,
    worst,
)
from .measurements import (
    ALGORITHM_1,
    ALGORITHM_3,
    ASKED,
    BISECTION,
    CAREFUL,
    EVERYDAY_LEVELS,
    FIRST_STEP_PAIR,
    ITERATION,
    LARGE_LEVELS,
    OVERFLOWING_LEVELS,
    PRINTED_LOOP,
    RECURSION,
    RIGHT_PAIR,
    ROUNDED_MATRIX,
    TINY_LEVELS,
    MatrixMeasurements,
    critical_budget,
)
from .structure import Structure

_NEAR_BOUNDARY = Fraction(1, 10**9)
"""A budget so near the boundary, relatively, is named with it."""


@dataclass(frozen=True, slots=True)
class Hazard:
    """A hazard that shows. why: how it comes about; instead: what avoids it; facts: where it lies.

    measured: the readings that show it; repaired: those of the careful formula at the same places.
    """

    name: str
    title: str
    why: str
    instead: str
    facts: tuple[str, ...] = ()
    measured: tuple[Reading, ...] = ()
    repaired: tuple[Reading, ...] = ()

    @property
    def unsafe(self) -> bool:
        """Whether a measured answer promises more privacy than there is."""
        return any(each.comparison.unsafe for each in self.measured)


@dataclass(frozen=True, slots=True)
class KnownMatrix:
    """One matrix with all that is known of it. epsilon: the budget that is asked about."""

    structure: Structure
    loss: LossFunction
    measurements: MatrixMeasurements
    epsilon: Level


_TEXTS = tomllib.loads(Path(__file__).with_name("hazards.toml").read_text(encoding="utf-8"))
"""The title of each hazard by name, why it comes about, and what avoids it."""


def _told(
    name: str, measured: Iterable[Reading] = (), facts: Iterable[str] = (), repaired: Iterable[Reading] = (), **own: str
) -> Hazard | None:
    """Return a hazard with its texts, None where no reading and no fact shows it. Args: own, texts of this matrix."""
    shown = Hazard(
        name, **{**_TEXTS[name], **own}, facts=tuple(facts), measured=tuple(measured), repaired=tuple(repaired)
    )
    return shown if shown.measured or shown.facts else None


def _careful(shown: Sequence[Reading]) -> list[Reading]:
    """Return what the careful formula makes of the first question, if it is no further off than rounding explains."""
    careful = [Reading(each.measurement, CAREFUL) for each in shown[:1]]
    return [each for each in careful if not each.comparison.exceeds(ORDINARY)]


def _beyond_careful(known: KnownMatrix, levels: Iterable[float]) -> list[Reading]:
    """Return where Algorithm 1 is further off than rounding explains, and the careful formula is not."""
    found = beyond_rounding(readings_of(known.measurements.losses, ALGORITHM_1, levels))
    return [each for each in found if _careful([each])]


def small_levels(known: KnownMatrix) -> Hazard | None:
    """At α = 1e-12 Algorithm 1 is further off than rounding explains, and the careful formula is not."""
    shown = _beyond_careful(known, TINY_LEVELS)
    return _told("small-levels", shown, repaired=_careful(shown))


def near_equal_rows(known: KnownMatrix) -> Hazard | None:
    """At α = 1 Algorithm 1 is further off than rounding explains."""
    shown = beyond_rounding(readings_of(known.measurements.losses, ALGORITHM_1, EVERYDAY_LEVELS[-1:]))
    pair = known.loss.pieces[0].witness
    if not shown or pair is None:
        return None
    distance = _rounded_text(known.loss.slope_at_zero)
    fact = f"no two rows are further apart than {pair.row_q + 1} and {pair.row_d + 1}: total variation {distance}"
    return _told("near-equal-rows", shown, [fact], _careful(shown))


def last_column_leaves(known: KnownMatrix) -> Hazard | None:
    """Between 40 and 700 Algorithm 1 is further off than rounding explains, and the careful formula is not."""
    shown = _beyond_careful(known, LARGE_LEVELS)
    return _told("last-column-leaves", worst(shown), repaired=_careful(shown))


def overflow(known: KnownMatrix) -> Hazard | None:
    """At α = 710 and beyond Algorithm 1 gives no number."""
    losses = known.measurements.losses
    shown = [each for each in readings_of(losses, ALGORITHM_1, OVERFLOWING_LEVELS) if not each.comparison.is_number]
    limits = [f"L(∞) is {nearest(known.loss.at_infinity):.6g}"] if shown else []
    return _told("overflow", shown, limits, _careful(shown))


def division_by_zero(known: KnownMatrix) -> Hazard | None:
    """Some row has mass in a column where another has none."""
    place = _lone_mass(known.loss.matrix)
    if place is None:
        return None
    row_q, row_d, column = place
    q, d = (float(known.loss.matrix.rows[row][column]) for row in (row_q, row_d))
    kind = attempt(lambda: q / d).kind
    where = f"rows {row_q + 1}/{row_d + 1}, column {column + 1}: {q!r}/{d!r} is {kind.value} in Python"
    return _told("division-by-zero", facts=[f"{where}, inf with a warning in numpy"])


def _lone_mass(matrix: TransitionMatrix) -> tuple[int, int, int] | None:
    for column in range(matrix.n):
        massive = [bool(row[column]) for row in matrix.rows]
        if any(massive) and not all(massive):
            return massive.index(True), massive.index(False), column
    return None


def endless_algorithm_1(known: KnownMatrix) -> Hazard | None:
    """As printed Algorithm 1 does not end at some level."""
    found = readings_of(known.measurements.losses, PRINTED_LOOP)
    shown = [each for each in found if each.comparison.answer.kind is AnswerKind.ENDLESS]
    places = [f"{double_text(each.measurement.given)}, {each.comparison.answer.detail}" for each in shown[:1]]
    facts = [f"at {len(shown)} of {len(found)} levels tried; first at α = {place}" for place in places]
    return _told("endless-algorithm-1", facts=facts)


def transition_points(known: KnownMatrix) -> Hazard | None:
    """Algorithms 2 and 3 are off where Algorithm 1 is not, or aArr is out of order."""
    shown = [
        Reading(measurement, ALGORITHM_3)
        for measurement in known.measurements.losses
        if measurement.comparisons[ALGORITHM_3].exceeds(ORDINARY)
        and not measurement.comparisons[ALGORITHM_1].exceeds(ORDINARY)
    ]
    count, first = known.measurements.disorder
    facts = []
    if first is not None:
        row_q, row_d, place = first
        tie = _tie(known.loss.matrix, row_q, row_d)
        why = f"; columns {tie[0] + 1} and {tie[1] + 1} have the same q_j/d_j" if tie else ""
        where = f"first of rows {row_q + 1}/{row_d + 1} at place {place + 1}"
        facts.append(f"entries of aArr that are nan or rise: {count}, {where}{why}")
    return _told("transition-points", worst(shown), facts)


def _tie(matrix: TransitionMatrix, row_q: int, row_d: int) -> tuple[int, int] | None:
    """Return two columns with the same finite q_j/d_j above 1. Exact."""
    seen: dict[Fraction, int] = {}
    for column, (q, d) in enumerate(zip(matrix.rows[row_q], matrix.rows[row_d], strict=True)):
        if q > d > 0:
            if q / d in seen:
                return seen[q / d], column
            seen[q / d] = column
    return None


def entries_rounded(known: KnownMatrix) -> Hazard | None:
    """Rows of doubles do not sum to 1, or L of the matrix of doubles is further off than rounding explains."""
    doubles, n = known.structure.as_doubles, known.structure.n
    shown = [each for each in readings_of(known.measurements.rounded or (), ROUNDED_MATRIX) if each.comparison.order]
    if not doubles.spoilt and not beyond_rounding(shown):
        return None
    facts = [f"{doubles.inexact} of {n * n} entries are not doubles"]
    if doubles.spoilt:
        miss = _rounded_text(abs(doubles.greatest_miss))
        facts.append(f"{len(doubles.spoilt)} of {n} rows of doubles do not sum to 1, by up to {miss}")
    return _told("entries-rounded", worst(shown), facts)


def underflow(known: KnownMatrix) -> Hazard | None:
    """Positive entries become 0 or lose bits as doubles."""
    doubles = known.structure.as_doubles
    if not doubles.vanished and not doubles.subnormal:
        return None
    shown = readings_of(known.measurements.rounded or (), ROUNDED_MATRIX, OVERFLOWING_LEVELS)
    return _told("underflow", shown, [f"{doubles.vanished} positive entries become 0, {doubles.subnormal} subnormal"])


def first_step_pair(known: KnownMatrix) -> Hazard | None:
    """Theorem 11 with the first step's pair is below the truth where it is right with the right pair."""
    shown = [
        reading
        for reading in beyond_rounding(readings_of(known.measurements.suprema, FIRST_STEP_PAIR))
        if reading.comparison.is_number
        and reading.comparison.unsafe
        and not reading.measurement.comparisons[RIGHT_PAIR].exceeds(ORDINARY)
    ]
    right = readings_of(known.measurements.suprema, RIGHT_PAIR, [each.measurement.given for each in shown[:1]])
    return _told("first-step-pair", worst(shown), repaired=right)


def closed_form(known: KnownMatrix) -> Hazard | None:
    """At the budget asked about Theorem 11 is off with the right pair, or has no answer."""
    asked = [measurement for measurement in known.measurements.suprema if measurement.note == ASKED]
    none = [each for each in readings_of(asked, FIRST_STEP_PAIR) if not each.comparison.is_number]
    shown = beyond_rounding(readings_of(asked, RIGHT_PAIR)) + none
    return _told("closed-form", worst(shown), why=_failure(known)) if shown else None


def _failure(known: KnownMatrix) -> str:
    ruling = supremum(known.loss, known.epsilon)
    if ruling.q == ruling.d:
        return "with q = d = 0, where all rows are equal, it divides by 0"
    if ruling.d == 0:
        return "with d = 0 it divides by 1 − q·e^ε, which cancels near the boundary"
    return "it subtracts 1 − d − q·e^ε from a root of almost the same size, and divides by a small 2d"


def divergence(known: KnownMatrix) -> Hazard | None:
    """About the budget from which on leakage diverges Theorem 11 is off with the right pair."""
    critical = critical_budget(known.loss)
    around = [measurement for measurement in known.measurements.suprema if measurement.note != ASKED]
    shown = beyond_rounding(readings_of(around, RIGHT_PAIR))
    if critical is None or not shown:
        return None
    facts = [f"the boundary is ε = {critical.full_text()}"]
    distance = _relative_distance(known.epsilon, critical)
    if distance is not None and distance < _NEAR_BOUNDARY:
        facts.append(f"the requested budget is within a relative distance of {_rounded_text(distance)} of it")
    return _told("divergence", worst(shown), facts)


def _relative_distance(epsilon: Level, critical: Level) -> Fraction | None:
    if epsilon.is_infinite or critical.is_zero:
        return None
    one, other = (Fraction(level.enclosure(40).upper) for level in (epsilon, critical))
    return abs(one - other) / other


def iteration(known: KnownMatrix) -> Hazard | None:
    """The fixed point by iteration does not end, or is off by more than rounding explains."""
    return _told("iteration", worst(beyond_rounding(readings_of(known.measurements.suprema, ITERATION))))


def rounding(known: KnownMatrix) -> Hazard | None:
    """Some answer that is off by no more than rounding is below the truth."""
    near = [
        Reading(measurement, method)
        for measurement, method, comparison in known.measurements.comparisons()
        if method in (ALGORITHM_1, ALGORITHM_3, CAREFUL, RIGHT_PAIR) and not comparison.exceeds(ORDINARY)
    ]
    below = [each for each in near if each.comparison.unsafe]
    if not below:
        return None
    usual, careful = (worst((m for m in below if (m.method == CAREFUL) == side), most=1) for side in (False, True))
    fact = f"{len(below)} of {len(near)} answers within {ORDINARY} ulps of the truth are below it"
    return _told("rounding", [*usual, *careful], [fact])


def recursion(measurements: Sequence[Measurement]) -> Hazard | None:
    """The last level of the recursion over the schedule is further off than rounding explains."""
    return _told("recursion", worst(beyond_rounding(readings_of(measurements, RECURSION))))


def bisection(measurements: Sequence[Measurement]) -> Hazard | None:
    """The bisection for a budget does not end, or ends above the exact budget."""
    found = [(each, each.comparison) for each in readings_of(measurements, BISECTION)]
    return _told("bisection", worst(each for each, own in found if own.unsafe or own.exceeds(ORDINARY)))


def _rounded_text(value: Fraction) -> str:
    """Write a rational ≥ 0 in a few digits, rounded up."""
    return str(outward(value, value, 3).upper)


MATRIX_CHECKS: tuple[Callable[[KnownMatrix], Hazard | None], ...] = (
    small_levels,
    near_equal_rows,
    last_column_leaves,
    overflow,
    division_by_zero,
    endless_algorithm_1,
    transition_points,
    entries_rounded,
    underflow,
    first_step_pair,
    closed_form,
    divergence,
    iteration,
    rounding,
)
"""Every check of a matrix, in the order in which its hazards are told."""


def hazards(known: KnownMatrix) -> tuple[Hazard, ...]:
    """Return the hazards of one matrix. Empty where none shows. Raises: Undecided."""
    return tuple(found for look in MATRIX_CHECKS if (found := look(known)) is not None)


def user_hazards(measurements: Iterable[Measurement]) -> tuple[Hazard, ...]:
    """Return the hazards of one user's schedule and budget, from what `measure_user` measured."""
    found = tuple(measurements)
    return tuple(hazard for look in (recursion, bisection) if (hazard := look(found)) is not None)
