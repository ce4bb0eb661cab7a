"""Temporal correlations, Definition 3 [def:temporal_corr]: exactly rational matrices, and what follows from them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import chain
from math import lcm
from operator import attrgetter, mul
from typing import Any

from flint import fmpq, fmpq_mat

from .decimals import fraction_to_text, outward
from .errors import (
    InvalidNumber,
    InvalidRequest,
    NegativeProbability,
    NotSquare,
    NotStochastic,
    NotUnique,
    UnreachableState,
    check_is,
)
from .numbers import exact, whole

Entry = Fraction | int | str
Row = tuple[Fraction, ...]

DOUBLE_ROUNDING = Fraction(1, 2**52)
"""How far from one a row of n doubles may sum, per entry, and still be a distribution spoilt by rounding."""


MOST_STRONGEST = 10_000
"""The most states of a matrix that is made here from their number alone: a hundred million entries."""

MOST_EXACT = 2**53
"""Whole numbers below this are doubles, and the quotient of two of them is rounded once."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class TransitionMatrix:
    """A row-stochastic matrix, Definition 3 [def:temporal_corr].

    Row j holds the distribution of the other time's value given that this time's value is state j:
    Pr(l^{t−1} | l^t = j) in a backward matrix P^B, Pr(l^{t+1} | l^t = j) in a forward matrix P^F.

    Args: rows, n tuples of n `Fraction`s. Raises: InvalidRequest and InvalidNumber for others; NotSquare,
    NegativeProbability, NotStochastic; each says which row and column, counted from 1.

    >>> TransitionMatrix.of([["1/2", "1/2"], ["1", "0"]]).rows
    ((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 1), Fraction(0, 1)))
    """

    rows: tuple[Row, ...]
    _doubles: Any = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_is(tuple, self.rows, "rows (`TransitionMatrix.of` reads lists)")
        for row in self.rows:
            check_is(tuple, row, "a row (`TransitionMatrix.of` reads lists)")
        n = len(self.rows)
        if n == 0:
            raise NotSquare("the matrix is empty")
        for number, row in enumerate(self.rows, 1):
            if len(row) != n:
                raise NotSquare(f"row {number} has {len(row)} entries, the matrix has {n} rows")
        doubles = array("d")
        for number, row in enumerate(self.rows, 1):
            _check_exact(row, f"row {number}, column")
            parts, common = check_distribution(row, f"row {number}", "column")
            doubles.extend([part / common for part in parts])  # each rounded once
        object.__setattr__(self, "_doubles", doubles)

    @classmethod
    def of(cls, rows: Sequence[Sequence[Entry]]) -> TransitionMatrix:
        """Build a matrix from exact entries: texts in the contract's notation, integers or `Fraction`s.

        Args:
            rows: n rows of n entries: texts in the contract's notation, integers or `Fraction`s.

        Raises: InvalidNumber for any other entry, a float above all; and as the class does.

        >>> TransitionMatrix.of([["0.8", "0.2"], [0, 1]]).rows[0]
        (Fraction(4, 5), Fraction(1, 5))
        """
        return cls(exact_rows(rows))

    @property
    def n(self) -> int:
        """The number of states."""
        return len(self.rows)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return the entries as numpy's doubles, each the nearest one: rows may miss 1 by rounding. Needs numpy."""
        if copy is False:
            raise ValueError("exact entries become doubles in a copy alone")
        return self.doubles.astype(dtype or float)

    @property
    def doubles(self) -> Any:
        """The entries as numpy's doubles, each the nearest one: read-only. Needs numpy."""
        if isinstance(self._doubles, array):
            import numpy as np

            doubles = np.frombuffer(self._doubles).reshape(self.n, self.n)
            doubles.setflags(write=False)
            object.__setattr__(self, "_doubles", doubles)
        return self._doubles

    def _repr_html_(self) -> str:
        """Return a table of the exact entries for a notebook."""
        rows = ["".join(f"<td>{text}</td>" for text in row) for row in self.texts()]
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    def texts(self) -> list[list[str]]:
        """Return the entries in the contract's notation. Exact."""
        return [[fraction_to_text(entry) for entry in row] for row in self.rows]


def nearest_doubles(rows: Sequence[Sequence[Fraction]]) -> Any:
    """Return exact entries as numpy's doubles, each the nearest one. Needs numpy."""
    import numpy as np

    entries = list(chain.from_iterable(rows))
    try:
        above, below = (
            np.fromiter(map(attrgetter(part), entries), float, len(entries)) for part in ("numerator", "denominator")
        )
    except OverflowError:
        above = below = np.array([np.inf])
    if max(np.abs(above).max(), below.max()) < MOST_EXACT:
        doubles = above / below  # rounded once
    else:
        doubles = np.array([float(entry) for entry in entries])
    return doubles.reshape(len(rows), -1)


def steps_in_doubles(steps: Sequence[Sequence[Row]]) -> list[Any]:
    """Return matrices as `nearest_doubles`: one array for what is one object."""
    made = {key: nearest_doubles(step) for key, step in {id(step): step for step in steps}.items()}
    return [made[id(step)] for step in steps]


def exact_rows(rows: Sequence[Sequence[Entry]]) -> tuple[Row, ...]:
    """Read the entries of a matrix exactly.

    Args:
        rows: the entries of a matrix: texts, integers or `Fraction`s.

    Raises: InvalidNumber with the row and column, counted from 1; InvalidRequest for a table that has no rows in order,
    such as a data frame, which `tploracle.transition_matrix` reads.
    """
    return tuple(exact_row(row, f"row {number}, column") for number, row in enumerate(_in_order(rows, "the matrix"), 1))


def exact_row(entries: Sequence[Entry], place: str) -> Row:
    """Read a row of entries exactly.

    Args:
        entries: texts, integers or `Fraction`s.
        place: where the row stands, for the message.

    Raises: InvalidNumber with the place and the number, counted from 1; InvalidRequest for a text, a set or a mapping.
    """
    listed = _in_order(entries, place.removesuffix(", column"))
    return tuple(exact_number(entry, f"{place} {number}") for number, entry in enumerate(listed, 1))


def _in_order(values: Any, place: str) -> Iterable[Any]:
    listed = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(listed, str | bytes) or not isinstance(listed, Sequence | Iterator):
        raise InvalidRequest(f"{place} is a {type(values).__name__}, not a list")
    return listed


def _check_exact(entries: Sequence[object], place: str) -> None:
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, Fraction):
            raise InvalidNumber(
                f"{place} {number}: {entry!r} is not a Fraction; `TransitionMatrix.of` reads other kinds"
            )


def exact_number(entry: object, place: str) -> Fraction:
    """Read one entry exactly, as `exact` does. Raises: InvalidNumber with the place."""
    try:
        return exact(entry)
    except InvalidNumber as error:
        raise InvalidNumber(f"{place}: {error}") from None


def check_distribution(probabilities: Sequence[Fraction], what: str, place: str = "entry") -> tuple[list[int], int]:
    """Raise NegativeProbability or NotStochastic unless these are probabilities that sum to exactly one.

    Returns: them as `over_one_denominator`.
    """
    parts, common = over_one_denominator(probabilities)
    for number, part in enumerate(parts, 1):
        if part < 0:
            text = fraction_to_text(probabilities[number - 1])
            raise NegativeProbability(f"{what}, {place} {number}: {text} is negative")
    if sum(parts) != common:
        raise NotStochastic(f"{what} sums to {_shown(Fraction(sum(parts), common))}, not to 1")
    return parts, common


def exact_sum(values: Sequence[Fraction]) -> Fraction:
    """Return the sum: exact, and linear in the number of values."""
    parts, common = over_one_denominator(values)
    return Fraction(sum(parts), common)


def over_one_denominator(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """Return the numerators of values over their least common denominator, and that. Exact."""
    pairs = [value.as_integer_ratio() for value in values]
    common = lcm(*{own for _, own in pairs})
    return [part * (common // own) for part, own in pairs], common


def _shown(total: Fraction) -> str:
    text = fraction_to_text(total)
    if len(text) <= 40:
        return text
    miss = abs(total - 1)
    return f"1 {'+' if total > 1 else '-'} {outward(miss, miss, 3).upper}"


def divided_by_row_sums(
    rows: Sequence[Row], rounding: Fraction = DOUBLE_ROUNDING
) -> tuple[TransitionMatrix, tuple[int, ...]]:
    """Make a matrix of doubles from the wild stochastic: each row is divided by its exact sum.

    Args:
        rows: n rows of n numbers, the exact values of doubles.
        rounding: how far a row may sum from 1, per entry.

    Returns: the matrix, and the indices of the rows that were changed.
    Raises: NotStochastic where a row misses one by more than n roundings, and as `TransitionMatrix` does.
    """
    changed = []
    divided = []
    for index, row in enumerate(rows):
        total = exact_sum(row)
        if abs(total - 1) > len(row) * rounding:
            raise NotStochastic(f"row {index + 1} sums to {_shown(total)}: further from 1 than rounding explains")
        if total != 1:
            changed.append(index)
        divided.append(row if total == 1 else tuple(entry / total for entry in row))
    return TransitionMatrix(tuple(divided)), tuple(changed)


def reverse(forward: TransitionMatrix, initial: Row) -> TransitionMatrix:
    """Derive the backward correlation from the forward one by Bayes' rule, Section 3.1 [subsec:adv].

    Args:
        forward: Pr(l^t = k | l^{t−1} = j) in row j, n × n.
        initial: the distribution of l^{t−1}, n probabilities.

    Returns: Pr(l^{t−1} = j | l^t = k) in row k, exact.
    Raises: UnreachableState naming a state that l^t cannot take; InvalidRequest, NegativeProbability, NotStochastic for
    an initial distribution that is none.
    """
    check_initial(initial, forward.n)
    states = range(forward.n)
    joint = [[initial[j] * forward.rows[j][k] for j in states] for k in states]
    for k in states:
        if not any(joint[k]):
            raise UnreachableState(f"state {k + 1} cannot be reached in one step from the initial distribution")
    totals = [sum(row, Fraction(0)) for row in joint]
    return TransitionMatrix(tuple(tuple(p / total for p in row) for row, total in zip(joint, totals, strict=True)))


def check_initial(initial: Sequence[Fraction], n: int) -> None:
    """Raise InvalidRequest, NegativeProbability or NotStochastic unless this is a distribution over n states.

    Args:
        initial: the probabilities, of sum 1.
        n: the number of states.
    """
    if len(initial) != n:
        raise InvalidRequest(f"the initial distribution has {len(initial)} entries, the matrix {n} states")
    check_distribution(initial, "the initial distribution")


def stationary(matrix: TransitionMatrix) -> Row:
    """Return the distribution π with π P = π.

    Args:
        matrix: P, n × n.

    Returns: π, exact. Raises: NotUnique where the chain has several closed classes of states.
    """
    n = matrix.n
    equations = fmpq_mat(n, n, [_fmpq(matrix.rows[j][k]) - int(j == k) for k in range(n) for j in range(n)])
    reduced, rank = equations.rref()
    if rank < n - 1:
        raise NotUnique(f"the chain has {n - rank} closed classes of states, each with its own stationary distribution")
    pivots = [next(k for k in range(n) if reduced[row, k] != 0) for row in range(rank)]
    free = next(k for k in range(n) if k not in pivots)
    solution = [Fraction(0)] * n
    solution[free] = Fraction(1)
    for row, pivot in enumerate(pivots):
        entry = reduced[row, free]
        solution[pivot] = -Fraction(int(entry.p), int(entry.q))
    total = sum(solution, Fraction(0))
    return tuple(value / total for value in solution)


def power(matrix: TransitionMatrix, steps: int) -> TransitionMatrix:
    """Return the correlation over several steps of a chain.

    Args:
        matrix: P^B or P^F, n × n.
        steps: how many steps, at least 1.

    Returns: the matrix product, exact.
    """
    return _matrix_of(_fmpq_mat(matrix) ** whole(steps, "steps"))


def product(matrices: Sequence[TransitionMatrix]) -> TransitionMatrix:
    """Return the correlation over some steps, one after the other, each with a matrix of its own.

    Args:
        matrices: P_1, …, P_m, n × n each, at least one.

    Returns: P_1·…·P_m, exact.
    """
    return _matrix_of(reduce(mul, map(_fmpq_mat, matrices)))


def _fmpq_mat(matrix: TransitionMatrix) -> fmpq_mat:
    return fmpq_mat([[_fmpq(entry) for entry in row] for row in matrix.rows])


def _matrix_of(found: fmpq_mat) -> TransitionMatrix:
    return TransitionMatrix(tuple(tuple(Fraction(int(p.p), int(p.q)) for p in row) for row in found.table()))


def _fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def smooth(matrix: TransitionMatrix, s: Fraction) -> TransitionMatrix:
    """Make a correlation more uniform, Eq. [eq:laplace_smoothing]: p̂_jk = (p_jk + s) / Σ_u (p_ju + s).

    Args:
        matrix: P^B or P^F, n × n.
        s: what is added to each entry, s ≥ 0 (the paper has s > 0; s = 0 changes nothing).

    Returns: the matrix, exact. Raises: InvalidRequest for a negative s.
    """
    if s < 0:
        raise InvalidRequest(f"the smoothing parameter is at least 0, not {fraction_to_text(s)}")
    whole = 1 + matrix.n * s
    return TransitionMatrix(tuple(tuple((p + s) / whole for p in row) for row in matrix.rows))


def strongest(n: int) -> TransitionMatrix:
    """Return the identity of n states: the correlation that Section 6.2 [subsec:ex_impact] starts from.

    Args:
        n: the number of states, from 1.

    Returns: the matrix, exact. Raises: InvalidRequest for what is no number of states.

    >>> strongest(2).rows
    ((Fraction(1, 1), Fraction(0, 1)), (Fraction(0, 1), Fraction(1, 1)))
    """
    states = range(whole(n, "n", most=MOST_STRONGEST))
    return TransitionMatrix(tuple(tuple(Fraction(int(j == k)) for k in states) for j in states))
