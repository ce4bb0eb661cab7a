"""The structure of a transition matrix: its chain, its rows, and its entries as doubles.

Doubles select the pairs of rows that can be extreme; exact arithmetic decides among these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isqrt, lcm
from sys import float_info

import numpy as np
from numpy.typing import NDArray

from ..reference import Enclosure, TransitionMatrix, stationary
from ..reference.correlations import Row, exact_sum
from ..reference.decimals import decimal_exponent, outward
from ..reference.paper.loss import Progress
from ..reference.worst_case.classes import classes_of, cyclic_parts
from ..solvers.floats import UNIT_ROUNDOFF, Doubles, FloatView

MOST_STATIONARY_STATES = 100
"""Above this many states no stationary distribution is computed: its entries have tens of bits per state."""

MOST_EXACT_WORK = 4_000_000
"""Greatest number of entries compared exactly to find the extreme pairs of rows."""

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class StateClass:
    """A communicating class. closed: it is never left. period: 0 if no state recurs."""

    states: tuple[int, ...]
    closed: bool
    period: int


@dataclass(frozen=True, slots=True)
class RowPair:
    """Two rows and their extreme value: a total variation distance, or e^Δ. exact: proven to be extreme."""

    rows: tuple[int, int]
    value: Fraction
    exact: bool = True


@dataclass(frozen=True, slots=True)
class AsDoubles:
    """The entries rounded to the nearest doubles.

    inexact: the number of entries that are not doubles. spoilt: rows whose doubles do not sum to exactly 1.
    greatest_miss: of these sums. vanished, subnormal: numbers of positive entries that become 0, or subnormal.
    """

    inexact: int
    spoilt: tuple[int, ...]
    greatest_miss: Fraction
    vanished: int
    subnormal: int


@dataclass(frozen=True, slots=True)
class Structure:
    """The facts about a matrix. States and rows count from 0.

    entry_bits, row_bits: length of the longest denominator of an entry, and of a row. equal_rows: groups of two or
    more. disjoint_pairs: the number of pairs of rows without a common column; disjoint: the first. nearest: the two
    different rows with the least total variation distance; None if all are equal. contrast: e^Δ of Birkhoff's bound;
    None if Δ is infinite, or `contrast_known` is False. stationary: None if it is not unique or was not computed.
    """

    n: int
    zeros: int
    entry_bits: int
    row_bits: int
    classes: tuple[StateClass, ...]
    equal_rows: tuple[tuple[int, ...], ...]
    disjoint_pairs: int
    disjoint: tuple[int, int] | None
    nearest: RowPair | None
    contrast: RowPair | None
    contrast_known: bool
    is_identity: bool
    is_permutation: bool
    is_doubly_stochastic: bool
    stationary: Row | None
    as_doubles: AsDoubles

    @property
    def is_irreducible(self) -> bool:
        """Whether there is a single class."""
        return len(self.classes) == 1

    @property
    def closed_classes(self) -> tuple[StateClass, ...]:
        """The classes that are never left."""
        return tuple(each for each in self.classes if each.closed)

    @property
    def all_rows_equal(self) -> bool:
        """Whether all rows are equal."""
        return self.nearest is None


def structure(matrix: TransitionMatrix, progress: Progress | None = None) -> Structure:
    """Find the facts about a matrix. Exact, unless `RowPair.exact` or `contrast_known` is False.

    Args: progress, called with rows done and rows in all.
    """
    n = matrix.n
    support = np.array([[entry != 0 for entry in row] for row in matrix.rows])
    found = _classes(matrix)
    unique = sum(each.closed for each in found) == 1
    shared = support.astype(np.float32) @ support.T.astype(np.float32)
    apart = np.argwhere(np.triu(shared == 0, 1))
    nearest, contrast, known = _extreme_pairs(matrix, support, progress)
    groups = _equal_rows(matrix)
    flat = [entry for row in matrix.rows for entry in row]
    is_permutation = all(entry in (0, 1) for entry in flat) and bool(support.any(axis=0).all())
    return Structure(
        n=n,
        zeros=n * n - int(support.sum()),
        entry_bits=max(entry.denominator.bit_length() for entry in flat),
        row_bits=max(lcm(*(entry.denominator for entry in row)).bit_length() for row in matrix.rows),
        classes=found,
        equal_rows=tuple(group for group in groups if len(group) > 1),
        disjoint_pairs=len(apart),
        disjoint=(int(apart[0][0]), int(apart[0][1])) if len(apart) else None,
        nearest=nearest,
        contrast=contrast,
        contrast_known=known,
        is_identity=all(matrix.rows[j][j] == 1 for j in range(n)),
        is_permutation=is_permutation,
        is_doubly_stochastic=all(exact_sum(column) == 1 for column in zip(*matrix.rows, strict=True)),
        stationary=stationary(matrix) if unique and n <= MOST_STATIONARY_STATES else None,
        as_doubles=as_doubles(matrix),
    )


def _classes(matrix: TransitionMatrix) -> tuple[StateClass, ...]:
    """Return the communicating classes, in the order of their first states."""
    rows, found = matrix.rows, classes_of(matrix.rows)
    return tuple(
        StateClass(
            own, own in found.closed, len(cyclic_parts(rows, own)) if any(rows[a][b] for a in own for b in own) else 0
        )
        for own in sorted((*found.closed, *found.open))
    )


def _equal_rows(matrix: TransitionMatrix) -> list[tuple[int, ...]]:
    groups: dict[Row, list[int]] = {}
    for index, row in enumerate(matrix.rows):
        groups.setdefault(row, []).append(index)
    return [tuple(group) for group in groups.values()]


def as_doubles(matrix: TransitionMatrix) -> AsDoubles:
    """Return the facts about the entries as doubles. Exact."""
    inexact = vanished = subnormal = 0
    spoilt: list[int] = []
    greatest = Fraction(0)
    for index, row in enumerate(matrix.rows):
        doubles = [float(entry) for entry in row]
        exact = [Fraction(double) for double in doubles]
        inexact += sum(one != other for one, other in zip(exact, row, strict=True))
        vanished += sum(double == 0 != entry for double, entry in zip(doubles, row, strict=True))
        subnormal += sum(0 < double < float_info.min for double in doubles)
        miss = exact_sum(exact) - 1
        if miss:
            spoilt.append(index)
            greatest = max(greatest, miss, key=abs)
    return AsDoubles(inexact, tuple(spoilt), greatest, vanished, subnormal)


def _extreme_pairs(
    matrix: TransitionMatrix, support: Booleans, progress: Progress | None
) -> tuple[RowPair | None, RowPair | None, bool]:
    """Return the nearest pair of different rows, the pair with the greatest e^Δ, and whether that one is known."""
    view = FloatView.of(matrix)
    entries = view.entries
    representative = np.array([group[0] for group in _equal_rows(matrix)])
    if len(representative) == 1:
        return None, RowPair((0, 0), Fraction(1)), True
    bounded = bool((support == support[0]).all())
    columns = np.flatnonzero(support[0])
    rows = entries[representative]
    near: list[Doubles] = []
    far: list[Doubles] = []
    for place in range(len(rows) - 1):
        near.append(np.abs(rows[place + 1 :] - rows[place]).sum(axis=1) / 2)
        if bounded:
            far.append(_contrasts(rows[place + 1 :, columns], rows[place, columns]))
        if progress:
            progress(place + 1, len(rows) - 1)
    pairs = representative[np.column_stack(np.triu_indices(len(rows), 1))]
    distances = np.concatenate(near)
    slack = 4 * (matrix.n + 4) * UNIT_ROUNDOFF
    nearest = _best(matrix, pairs[distances <= distances.min() + slack], distance_of, min)
    if not bounded:
        return nearest, None, True
    contrasts = np.concatenate(far)
    top = contrasts.max()
    candidates = pairs[~(contrasts < top * (1 - 64 * UNIT_ROUNDOFF))] if view.usable and top < inf else pairs
    found = _best(matrix, view.distinct(candidates), contrast_of, max)
    return (nearest, found, True) if found.exact else (nearest, None, False)


def _contrasts(rows: Doubles, row: Doubles) -> Doubles:
    with np.errstate(all="ignore"):
        ratios = rows / row
        result: Doubles = ratios.max(axis=1) / ratios.min(axis=1)
    return result


def _best(
    matrix: TransitionMatrix,
    pairs: NDArray[np.int64],
    value: Callable[[Row, Row], Fraction],
    better: Callable[..., RowPair],
) -> RowPair:
    most = max(1, MOST_EXACT_WORK // matrix.n)
    looked_at: Iterable[list[int]] = pairs[:most].tolist()
    found = (RowPair((j, k), value(matrix.rows[j], matrix.rows[k]), len(pairs) <= most) for j, k in looked_at)
    return better(found, key=lambda pair: pair.value)


def distance_of(first: Row, second: Row) -> Fraction:
    """Return the total variation distance of two rows. Exact."""
    return exact_sum([abs(one - other) for one, other in zip(first, second, strict=True)]) / 2


def contrast_of(first: Row, second: Row) -> Fraction:
    """Return the greatest (p_k·q_l)/(q_k·p_l), e^Δ of two rows with the same support. Exact."""
    ratios = [one / other for one, other in zip(first, second, strict=True) if other]
    return max(ratios) / min(ratios)


def birkhoff(contrast: Fraction, digits: int) -> Enclosure:
    """Enclose tanh(Δ/4) = (√e^Δ − 1)/(√e^Δ + 1), which times α bounds L(α). Args: contrast, e^Δ ≥ 1."""
    if contrast == 1:
        return outward(Fraction(0), Fraction(0), digits)
    places = 10 ** (digits + 5 + max(0, -decimal_exponent(contrast - 1)))
    floor = isqrt(contrast.numerator * places**2 // contrast.denominator)
    lower, upper = ((Fraction(root, places) - 1) / (Fraction(root, places) + 1) for root in (floor, floor + 1))
    return outward(max(lower, Fraction(0)), upper, digits)
