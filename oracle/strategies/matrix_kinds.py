"""Strategies of transition matrices, of pairs of their rows, and of distributions."""

from collections.abc import Collection

from hypothesis.errors import InvalidArgument
from hypothesis.strategies import SearchStrategy

from ..reference import TransitionMatrix
from .row_kinds import ROWS_BY_KIND, Row, rows_of

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

    >>> from hypothesis import find
    >>> find(matrices(2, kinds=["permutation"]), lambda matrix: matrix.rows[0][0] == 0)
    TransitionMatrix(rows=((Fraction(0, 1), Fraction(1, 1)), (Fraction(1, 1), Fraction(0, 1))))
    """
    check_range("n", min_n, max_n, 1, MOST_STATES_DRAWN)
    return rows_of(check_kinds(kinds, MATRIX_KINDS), min_n, max_n, dyadic=dyadic).map(TransitionMatrix)


def row_pairs(
    min_n: int = 1, max_n: int = 6, *, dyadic: bool = False, kinds: Collection[str] = MATRIX_KINDS
) -> SearchStrategy[tuple[Row, Row]]:
    """Return a strategy of two distributions over the same states, as two rows of a matrix of `matrices` are.

    Args and errors as of `matrices`. Returns: pairs of tuples of Fractions.

    >>> from hypothesis import find
    >>> first, second = find(row_pairs(2), lambda rows: rows[0] == rows[1])
    >>> sum(first), sum(second)
    (Fraction(1, 1), Fraction(1, 1))
    """
    check_range("n", min_n, max_n, 1, MOST_STATES_DRAWN)
    drawn = rows_of(check_kinds(kinds, MATRIX_KINDS), min_n, max_n, dyadic=dyadic, height=2)
    return drawn.map(lambda rows: (rows[0], rows[1]))


def distributions(min_n: int = 1, max_n: int = 6, *, dyadic: bool = False) -> SearchStrategy[Row]:
    """Return a strategy of distributions: zeros, ties, tiny and varied probabilities.

    Args and errors as of `matrices`. Returns: tuples of Fractions that sum to exactly 1.

    >>> from hypothesis import find
    >>> sum(find(distributions(3), lambda row: 0 not in row))
    Fraction(1, 1)
    """
    check_range("n", min_n, max_n, 1, MOST_STATES_DRAWN)
    return rows_of(DISTRIBUTION_KINDS, min_n, max_n, dyadic=dyadic, height=1).map(lambda rows: rows[0])


def check_range(name: str, fewest: object, greatest: object, least: int, most: int) -> None:
    """Raise InvalidArgument unless min_NAME and max_NAME are integers between two, the first not above the second."""
    for end, value in ((f"min_{name}", fewest), (f"max_{name}", greatest)):
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise InvalidArgument(f"{end} is an integer from {least} to {most}, not {value!r}")
    if fewest > greatest:  # type: ignore[operator]  # both are integers
        raise InvalidArgument(f"min_{name} is {fewest} and max_{name} only {greatest}")


def check_kinds(kinds: Collection[str], admitted: Collection[str]) -> tuple[str, ...]:
    """Return the kinds in the order of those admitted. Raises: InvalidArgument for others, a text, or none."""
    if isinstance(kinds, str) or not kinds:
        raise InvalidArgument(f"kinds are one or more of {', '.join(admitted)}; not {kinds!r}")
    for kind in kinds:
        if kind not in admitted:
            raise InvalidArgument(f"{kind!r} is not one of the kinds {', '.join(admitted)}")
    return tuple(kind for kind in admitted if kind in kinds)
