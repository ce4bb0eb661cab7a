"""Large sparse matrices out of .npz files, by their entries above 0 alone."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import BinaryIO

import numpy as np

from ..contract.limits import check_count, too_large
from ..reference import InvalidNumber, InvalidRequest, NegativeProbability, NotSquare, NotStochastic, UnreachableState
from ..reference.correlations import DOUBLE_ROUNDING, exact_sum
from ..solvers.floats import Doubles
from ..solvers.loss.sparse import SparseRows
from .archives import ZIP_START
from .arrays import SparseEntries, read_sparse
from .files import opened
from .matrices import AS_COUNTS

MOST_SPARSE_STATES = 100_000
"""States of a sparse matrix."""

MOST_WHOLE = 2**53
"""Whole numbers below this are doubles."""

MOST_SPARSE_BYTES = 1 << 28
"""Bytes of a file, and of what is in it."""

MOST_SPARSE_ENTRIES = 10_000_000
"""Limit of entries above 0: computing with this many stays below 2 GiB."""


def sparse_rows(path: str, entries: str, role: str) -> SparseRows:
    """Read a sparse matrix as `scipy.sparse.save_npz` writes it; rows of doubles that miss 1 by rounding are divided.

    Args: entries, counts, of transitions from the state of the row to that of the column, or else probabilities; role,
    the correlation that counts are to give. Returns: the rows, exact. Raises: the contract's errors with the row.
    """
    with opened(path) as stream:
        found = read_sparse(_seekable(stream), MOST_SPARSE_BYTES, MOST_SPARSE_STATES)
    if found.shape[0] != found.shape[1] or not found.shape[0]:
        raise NotSquare(f"the matrix has the shape {' × '.join(map(str, found.shape))}")
    check_count(len(found.values), MOST_SPARSE_ENTRIES, "entries")
    if entries == AS_COUNTS and role == "backward":
        found = found.transposed()
    weights = found.values.astype(np.float64)
    starts = np.searchsorted(found.rows, np.arange(found.shape[0] + 1))
    _check_whole(found, weights)
    rows = SparseRows(starts, found.columns, weights)
    _check(rows, entries)
    return rows


def _seekable(stream: BinaryIO) -> BinaryIO:
    """Return a file in which one may go back and forth: of a pipe what it gives. Raises: InvalidRequest for no archive.

    Nothing that does not begin as an archive is read any further: it may have no end.
    """
    if not stream.seekable():
        content = stream.read(len(ZIP_START))
        content += stream.read(MOST_SPARSE_BYTES + 1) if content == ZIP_START else b""
        stream = io.BytesIO(content)
    if stream.read(len(ZIP_START)) != ZIP_START:
        raise InvalidRequest("it is not a sparse matrix of scipy: it does not begin like an .npz archive")
    if stream.seek(0, io.SEEK_END) > MOST_SPARSE_BYTES:
        raise too_large(f"the file is longer than {MOST_SPARSE_BYTES} bytes")
    return stream


def _check_whole(found: SparseEntries, weights: Doubles) -> None:
    """Raise InvalidNumber for a whole number that may be no double."""
    beyond = np.abs(weights) >= MOST_WHOLE
    if found.values.dtype.kind in "iu" and beyond.any():
        place = int(beyond.argmax())
        raise InvalidNumber(f"row {found.rows[place] + 1}: {found.values[place]} is not below 2^53")


def _check(rows: SparseRows, entries: str) -> None:
    """Raise what is wrong with entries, with the first row that has it."""
    starts, data = rows.starts, rows.weights
    row_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    for wrong, error, what in (
        (~np.isfinite(data), InvalidNumber, "is no number"),
        (data < 0, NegativeProbability, "is negative"),
        ((data != np.rint(data)) & (entries == AS_COUNTS), InvalidNumber, "is not a count"),
    ):
        if wrong.any():
            place = int(wrong.argmax())
            raise error(f"row {row_of[place] + 1}: {data[place]} {what}")
    if (np.diff(starts) == 0).any():
        raise UnreachableState(
            f"state {int((np.diff(starts) == 0).argmax()) + 1} has no entry, so its transitions are unknown"
        )
    if entries != AS_COUNTS:
        sums = np.add.reduceat(data, starts[:-1])
        for row in np.flatnonzero(np.abs(sums - 1) > len(starts) * 2.0**-53).tolist():
            own = data[starts[row] : starts[row + 1]].tolist()
            total = exact_sum([Fraction(entry) for entry in own])
            if abs(total - 1) > len(own) * DOUBLE_ROUNDING:
                raise NotStochastic(
                    f"row {row + 1} sums to {float(total)!r}; --entries counts divides rows by their sums"
                )
