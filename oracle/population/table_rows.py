"""The rows of a table of users, checked: counts or matrices, and which rows are wrong, with the first wrong entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
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
from ..solvers.floats import Doubles
from .question import MOST_WHOLE

COUNTS_COLUMN = "counts"

Numbers = NDArray[Any]  # doubles or whole numbers, as the file has them
Mask = NDArray[np.bool_]


def checked_rows(batch: Any, names: Sequence[str], n: int, faults: dict[int, OracleError]) -> dict[str, Numbers]:
    """Return the counts or the matrices of a batch by name, shape (users, n, n), and note what is wrong by row.

    Args: batch, of Arrow; names, its columns: lists, or one for each entry. A row that is wrong has any entries.
    Raises: InvalidRequest for a column without numbers.
    """
    if needed("pyarrow", "a population").types.is_nested(batch.schema.field(names[0]).type):
        read = [_listed(batch.column(name), n, name, faults) for name in names]
    else:
        columns = [_plain(batch.column(name), name) for name in names]
        values = np.stack([own for own, _ in columns], 1)
        none = np.zeros(len(values), dtype=bool)
        missing = [none if own is None else own for _, own in columns]
        read = [_Entries(COUNTS_COLUMN, n, values, np.stack(missing, 1), faults)]
    checked: dict[str, Numbers] = {own.name: own.matrices() if own.name in ROLES else own.counts() for own in read}
    return {name: values.reshape(-1, n, n) for name, values in checked.items()}


def _plain(column: Any, name: str) -> tuple[Numbers, Mask | None]:
    """Return the numbers of a column, 0 for what is missing, and what is, None for nothing.

    Raises: InvalidRequest for no numbers.
    """
    types = needed("pyarrow", "a population").types
    if not (types.is_integer(column.type) or types.is_floating(column.type)):
        raise InvalidRequest(f"the column {name!r} has values of the type {column.type}, not numbers")
    kind = np.int64 if types.is_integer(column.type) and not types.is_uint64(column.type) else np.float64
    missing = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
    return _filled(column).to_numpy(zero_copy_only=False).astype(kind, copy=False), missing


def _filled(column: Any) -> Any:
    """Return a column with 0 for what is missing, the column itself where nothing is: to fill it copies it."""
    return column.fill_null(0) if column.null_count else column


def _listed(column: Any, n: int, name: str, faults: dict[int, OracleError]) -> _Entries:
    """Return the entries of a column of lists of n²; rows of another length are at fault."""
    lengths = _filled(needed("pyarrow.compute", "a population").list_value_length(column)).to_numpy()
    right = lengths == n * n
    if right.all():
        flat, missing = _plain(column.flatten(), name)
        missing = None if missing is None else missing.reshape(-1, n * n)
        return _Entries(name, n, flat.reshape(-1, n * n), missing, faults)
    for row in np.flatnonzero(~right).tolist():
        faults.setdefault(row, InvalidRequest(f"{name} has {lengths[row]} entries, not the {n * n} of {n} states"))
    flat, missing = _plain(column.filter(needed("pyarrow", "a population").array(right)).flatten(), name)
    values, absent = np.zeros((len(right), n * n), dtype=flat.dtype), np.zeros((len(right), n * n), dtype=bool)
    values[right] = flat.reshape(-1, n * n)
    if missing is not None:
        absent[right] = missing.reshape(-1, n * n)
    return _Entries(name, n, values, absent, faults)


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entries of a batch in one column: shape (users, n²), which are missing, if any, and by row what is wrong."""

    name: str
    n: int
    values: Numbers
    missing: Mask | None
    faults: dict[int, OracleError]

    def note(self, wrong: Mask, what: str, error: type[OracleError]) -> None:
        """Put rows at fault that have a wrong entry, with the first of them."""
        for row in np.flatnonzero(wrong.any(axis=1)).tolist():
            entry = int(wrong[row].argmax())
            place = f"entry {entry + 1} (row {entry // self.n + 1}, column {entry % self.n + 1})"
            value = "" if wrong is self.missing else f"{self.values[row, entry]} "
            self.faults.setdefault(row, error(f"{self.name}, {place}: {value}{what}"))

    def counts(self) -> NDArray[np.int64]:
        """Return them as counts."""
        if self.missing is not None:
            self.note(self.missing, "is empty", InvalidRequest)
        in_range = self.values.min(initial=0) >= 0 and self.values.max(initial=0) < MOST_WHOLE
        if in_range and self.values.dtype == np.int64:
            return self.values  # without a mask of each, as nearly always
        whole = (self.values >= 0) & (self.values < MOST_WHOLE)
        if self.values.dtype != np.int64:
            whole &= self.values == np.rint(self.values)
        self.note(~whole, "is not a count", InvalidNumber)
        return np.where(whole, self.values, 0).astype(np.int64)

    def matrices(self) -> Doubles:
        """Return them as entries of matrices, whose rows sum to 1 but for rounding: exactly what was read."""
        if self.missing is not None:
            self.note(self.missing, "is empty", InvalidRequest)
        self.note(~np.isfinite(self.values), "is no number", InvalidNumber)
        self.note(self.values < 0, "is negative", NegativeProbability)
        entries = self.values.astype(np.float64)
        doubtful = np.abs(entries.reshape(-1, self.n, self.n).sum(axis=2) - 1) > self.n * float(DOUBLE_ROUNDING) / 2
        for row in np.flatnonzero(doubtful.any(axis=1)).tolist():
            if row not in self.faults:
                try:
                    rows = entries[row].reshape(self.n, self.n).tolist()
                    divided_by_row_sums([tuple(map(Fraction, own)) for own in rows])
                except NotStochastic as error:
                    self.faults[row] = NotStochastic(f"{self.name}, {error}")
        return entries
