"""Large sparse matrices out of .npz files, by their entries above 0 alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..contract.limits import too_large
from ..reference import (
    InvalidNumber,
    InvalidRequest,
    NegativeProbability,
    NotSquare,
    NotStochastic,
    OracleError,
    UnreachableState,
)
from ..reference.correlations import DOUBLE_ROUNDING, exact_sum
from ..solvers.loss.sparse import SparseRows
from .files import opened
from .frames import sparse_matrix
from .matrices import AS_COUNTS

MOST_SPARSE_STATES = 100_000
"""States of a sparse matrix."""

MOST_SPARSE_BYTES = 1 << 31
"""Bytes of a file, and of what is in it: 10^8 entries and more."""


def sparse_rows(path: str, entries: str, role: str) -> SparseRows:
    """Read a sparse matrix as `scipy.sparse.save_npz` writes it; rows of doubles that miss 1 by rounding are divided.

    Args: entries, counts, of transitions from the state of the row to that of the column, or else probabilities; role,
    the correlation that counts are to give. Returns: the rows, exact. Raises: the contract's errors with the row.
    """
    with opened(path) as stream:
        content = stream.read(MOST_SPARSE_BYTES + 1)
    if len(content) > MOST_SPARSE_BYTES:
        raise too_large(f"the file is longer than {MOST_SPARSE_BYTES} bytes")
    try:
        matrix = sparse_matrix(content, MOST_SPARSE_BYTES)
    except OracleError:
        raise
    except Exception as error:  # noqa: BLE001 - of a file that is damaged scipy raises whatever went wrong
        raise InvalidRequest(f"it is no sparse matrix of scipy: {error}") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.shape[0]:
        raise NotSquare(f"the matrix has the shape {' × '.join(map(str, matrix.shape))}")
    if matrix.shape[0] > MOST_SPARSE_STATES:
        raise too_large(f"{matrix.shape[0]} states, at most {MOST_SPARSE_STATES} are admitted")
    rows = (matrix.T if entries == AS_COUNTS and role == "backward" else matrix).tocsr().astype(np.float64)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    _check(rows, entries)
    return SparseRows(rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data)


def _check(rows: object, entries: str) -> None:
    """Raise what is wrong with entries, with the first row that has it."""
    starts, data = rows.indptr, rows.data  # type: ignore[attr-defined]
    row_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    for wrong, error, what in (
        (~np.isfinite(data), InvalidNumber, "is no number"),
        (data < 0, NegativeProbability, "is negative"),
        ((data != np.rint(data)) & (entries == AS_COUNTS), InvalidNumber, "is no count"),
    ):
        if wrong.any():
            place = int(wrong.argmax())
            raise error(f"row {row_of[place] + 1}: {data[place]} {what}")
    if (np.diff(starts) == 0).any():
        raise UnreachableState(f"state {int((np.diff(starts) == 0).argmax()) + 1} has no entry: nothing is known of it")
    if entries != AS_COUNTS:
        sums = np.add.reduceat(data, starts[:-1])
        for row in np.flatnonzero(np.abs(sums - 1) > len(starts) * 2.0**-53).tolist():
            own = data[starts[row] : starts[row + 1]].tolist()
            total = exact_sum([Fraction(entry) for entry in own])
            if abs(total - 1) > len(own) * DOUBLE_ROUNDING:
                raise NotStochastic(
                    f"row {row + 1} sums to {float(total)!r}; --entries counts divides rows by their sums"
                )
