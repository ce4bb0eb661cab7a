"""Strategies of transition matrices, of pairs of their rows, and of distributions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from hypothesis.errors import InvalidArgument

from ..reference import TransitionMatrix
from .row_kinds import ROWS_BY_KIND, rows_of

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Row = tuple[Fraction, ...]

MATRIX_KINDS = tuple(ROWS_BY_KIND)
"""Kinds of matrices, the simplest first: "varied", "ties", "few rows", "nearly equal", and so on."""

DISTRIBUTION_KINDS = ("varied", "ties", "sparse", "smoothed", "tiny")

MOST_STATES_DRAWN = 64
"""A larger matrix is more than Hypothesis draws at once."""


def matrices(
    min_n: int = 1, max_n: int = 6, *, dyadic: bool = False, kinds: Collection[str] = MATRIX_KINDS
) -> SearchStrategy[TransitionMatrix]:
    """Return a strategy of transition matrices.

    Args: min_n and max_n, the fewest and the most states, 1 to 64; dyadic, whether every entry is a double; kinds, of
    MATRIX_KINDS: "varied" (any denominators, small or huge, and zeros), "ties" (equal entries and zeros), "few rows"
    (at most two distinct ones), "nearly equal" (rows that differ by little or nothing), "sparse" (at most two entries a
    row), "banded", "disjoint supports" (of two rows, where there are two states), "permutation", "smoothed" (no zeros),
    "tiny" (entries down to 1e-300). Returns: `TransitionMatrix`es; they shrink to few states, to "varied", to halves
    and quarters. Raises: InvalidArgument.
    """
    _check_states(min_n, max_n)
    return rows_of(check_kinds(kinds, MATRIX_KINDS), min_n, max_n, dyadic=dyadic).map(TransitionMatrix)


def row_pairs(
    min_n: int = 1, max_n: int = 6, *, dyadic: bool = False, kinds: Collection[str] = MATRIX_KINDS
) -> SearchStrategy[tuple[Row, Row]]:
    """Return a strategy of two distributions over the same states, as two rows of a matrix of `matrices` are.

    Args and errors as of `matrices`. Returns: pairs of tuples of Fractions.
    """
    _check_states(min_n, max_n)
    return rows_of(check_kinds(kinds, MATRIX_KINDS), min_n, max_n, dyadic=dyadic, height=2).map(_pair)


def distributions(min_n: int = 1, max_n: int = 6, *, dyadic: bool = False) -> SearchStrategy[Row]:
    """Return a strategy of distributions: zeros, ties, tiny and varied probabilities.

    Args and errors as of `matrices`. Returns: tuples of Fractions that sum to exactly 1.
    """
    _check_states(min_n, max_n)
    return rows_of(DISTRIBUTION_KINDS, min_n, max_n, dyadic=dyadic, height=1).map(lambda rows: rows[0])


def _pair(rows: Sequence[Row]) -> tuple[Row, Row]:
    first, second = rows
    return first, second


def _check_states(min_n: int, max_n: int) -> None:
    for name, value in (("min_n", min_n), ("max_n", max_n)):
        check_integer(name, value, 1, MOST_STATES_DRAWN)
    if min_n > max_n:
        raise InvalidArgument(f"min_n is {min_n} and max_n only {max_n}")


def check_integer(name: str, value: object, least: int, most: int) -> None:
    """Raise InvalidArgument unless the value is an integer of the range."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidArgument(f"{name} is an integer from {least} to {most}, not {value!r}")


def check_kinds(kinds: Collection[str], admitted: Collection[str]) -> tuple[str, ...]:
    """Return the kinds in the order of those admitted. Raises: InvalidArgument for others, a text, or none."""
    if isinstance(kinds, str) or not kinds:
        raise InvalidArgument(f"kinds are one or more of {', '.join(admitted)}; not {kinds!r}")
    for kind in kinds:
        if kind not in admitted:
            raise InvalidArgument(f"{kind!r} is not one of the kinds {', '.join(admitted)}")
    return tuple(kind for kind in admitted if kind in kinds)
