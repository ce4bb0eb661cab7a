"""The rows of a table of users, checked: counts or matrices, and which rows are wrong, with the first wrong entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.files import ROLES
from ..data.frames import needed
from ..reference import (
    InvalidNumber,
    InvalidRequest,
    NegativeProbability,
    NotStochastic,
    OracleError,
    divided_by_row_sums,
)
from ..reference.correlations import DOUBLE_ROUNDING

COUNTS_COLUMN = "counts"

MOST_WHOLE = 2**53
"""Counts are below this, so that they are doubles."""

EMPTY = -(2**63)
"""Stands for a missing entry, in counts and matrices alike, until the row is rejected."""

Numbers = NDArray[Any]  # doubles or whole numbers, as the file has them


def checked_rows(batch: Any, names: Sequence[str], n: int, faults: dict[int, OracleError]) -> dict[str, Numbers]:
    """Return the counts or the matrices of a batch by name, shape (users, n, n), and note what is wrong by row.

    Args: batch, of Arrow; names, its columns: lists, or one for each entry. A row that is wrong has any entries.
    Raises: InvalidRequest for a column without numbers.
    """
    if needed("pyarrow", "a population").types.is_nested(batch.schema.field(names[0]).type):
        read = {name: _listed(batch.column(name), n, name, faults) for name in names}
    else:
        read = {COUNTS_COLUMN: np.stack([_numbers(batch.column(name), name) for name in names], 1)}
    return {
        name: (_matrices(values, name, n, faults) if name in ROLES else _counts(values, name, faults)).reshape(-1, n, n)
        for name, values in read.items()
    }


def _numbers(column: Any, name: str) -> Numbers:
    """Return the numbers of a column, `EMPTY` for none. Raises: InvalidRequest for anything else."""
    types = needed("pyarrow", "a population").types
    if not (types.is_integer(column.type) or types.is_floating(column.type)):
        raise InvalidRequest(f"the column {name!r} has values of the type {column.type}, not numbers")
    is_whole = types.is_integer(column.type) and not types.is_uint64(column.type)
    if column.null_count:
        column = column.cast("int64" if is_whole else "float64").fill_null(EMPTY)
    values: Numbers = column.to_numpy(zero_copy_only=False)
    return values.astype(np.int64 if is_whole else np.float64, copy=False)


def _listed(column: Any, n: int, name: str, faults: dict[int, OracleError]) -> Numbers:
    """Return the entries of a column of lists of n², shape (users, n²); rows of another length are at fault."""
    arrow = needed("pyarrow", "a population")
    lengths = needed("pyarrow.compute", "a population").list_value_length(column).fill_null(0).to_numpy()
    right = lengths == n * n
    for row in np.flatnonzero(~right).tolist():
        faults.setdefault(row, InvalidRequest(f"{name} has {lengths[row]} entries, not the {n * n} of {n} states"))
    whole = column if right.all() else column.filter(arrow.array(right))
    flat = _numbers(whole.flatten(), name)
    if right.all():
        return flat.reshape(-1, n * n)
    values = np.zeros((len(right), n * n), dtype=flat.dtype)
    values[right] = flat.reshape(-1, n * n)
    return values


def _counts(values: Numbers, name: str, faults: dict[int, OracleError]) -> Numbers:
    """Return entries as counts."""
    if values.dtype == np.int64 and values.min(initial=0) >= 0 and values.max(initial=0) < MOST_WHOLE:
        return values  # without a mask of each, as nearly always
    whole = (values >= 0) & (values < MOST_WHOLE) & (values == np.rint(values))
    _note(~whole, values, name, faults, lambda _: (InvalidNumber, "is not a count"))
    return np.where(whole, values, 0).astype(np.int64)


def _matrices(values: Numbers, name: str, n: int, faults: dict[int, OracleError]) -> Numbers:
    """Return entries of matrices, whose rows sum to 1 but for rounding, exactly as they were read."""
    entries: Numbers = values.astype(np.float64)

    def why(value: float) -> tuple[type[OracleError], str]:
        return (NegativeProbability, "is negative") if value < 0 else (InvalidNumber, "is no number")

    _note(~(np.isfinite(entries) & (entries >= 0)), entries, name, faults, why)
    doubtful = np.abs(entries.reshape(-1, n, n).sum(axis=2) - 1) > n * float(DOUBLE_ROUNDING) / 2
    for row in np.flatnonzero(doubtful.any(axis=1)).tolist():
        if row not in faults:
            try:
                divided_by_row_sums([tuple(map(Fraction, own)) for own in entries[row].reshape(n, n).tolist()])
            except NotStochastic as error:
                faults[row] = NotStochastic(f"{name}, {error}")
    return entries


def _note(
    wrong: NDArray[np.bool_],
    values: Numbers,
    name: str,
    faults: dict[int, OracleError],
    why: Callable[[float], tuple[type[OracleError], str]],
) -> None:
    """Put rows at fault that have a wrong entry, with the first of them. Args: why, of an entry that is there."""
    n = isqrt(values.shape[1])
    for row in np.flatnonzero(wrong.any(axis=1)).tolist():
        entry = int(wrong[row].argmax())
        value = values[row, entry]
        error, what = (InvalidRequest, "is empty") if value == EMPTY else why(value)
        shown = "" if value == EMPTY else f"{value} "
        place = f"{name}, entry {entry + 1} (row {entry // n + 1}, column {entry % n + 1})"
        faults.setdefault(row, error(f"{place}: {shown}{what}"))
