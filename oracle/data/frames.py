"""Matrices out of what other libraries hold: data frames, arrays and sparse matrices, in memory or in their files.

Every entry has its exact value: that of a double is the binary one, so 0.1 in a frame of doubles is not 1/10. Frames
are read through narwhals, Parquet by pyarrow, each imported only for what needs it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any

from ..contract.limits import LONGEST_FILE, MOST_STATES, check_count, too_large
from ..reference import InvalidNumber, InvalidRequest, TransitionCounts, TransitionMatrix
from ..reference.correlations import DOUBLE_ROUNDING
from ..reference.numbers import exact
from ..wire.strict_json import shown
from .archives import ENCRYPTED_START, NUMPY_START, PARQUET_START, ZIP_START
from .doubt import NOT_A_SEQUENCE, REFUSE, Readings, check_flags, doubt, order_of
from .matrices import (
    AS_COUNTS,
    ENTRIES,
    PROBABILITIES,
    Options,
    Printed,
    Row,
    counted,
    matrix_of,
)
from .tables import Table, names_of

HALF_ROUNDING, SINGLE_ROUNDING = Fraction(1, 2**10), Fraction(1, 2**23)
"""`DOUBLE_ROUNDING` of shorter floats."""

_OPTIONS = Options(in_python=True)


def transition_matrix(
    table: object,
    *,
    normalise: bool = False,
    force_normalise: bool = False,
    float64: bool = False,
    entries: str = PROBABILITIES,
    totals: str = REFUSE,
    missing: str = REFUSE,
) -> TransitionMatrix:
    """Make a transition matrix of a pandas, Polars or Arrow table, a numpy or sparse array, or rows of numbers.

    Entries are taken at their exact values: doubles at their binary ones; texts are read in the contract's notation.
    Args: table, n × n; the names of a frame's rows and columns, where it has both, are the same; the rows are put in
    the order of the columns. normalise: divide each row by its sum, where the rounding of its entries explains that
    this is not 1; force_normalise: whatever the sum is; float64: where that of doubles does; entries: "probabilities",
    "percentages", or "counts", of transitions from the state of the row to that of the column, for the forward matrix;
    totals, what a row or column of totals is: "refuse", "drop" or "state"; missing, likewise of a state that is named
    as what is missing: "refuse", "break" or "break:NAMES", which drop it, or "state".
    Returns: the matrix, exact. Raises: NotStochastic for a row that does not sum to exactly 1, as rows of doubles often
    do not, without normalise=True; and as `TransitionMatrix`, each with the row and the column.

    >>> transition_matrix([["1/2", "1/2"], ["1", "0"]]).rows
    ((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 1), Fraction(0, 1)))
    """
    if entries not in ENTRIES:
        raise InvalidRequest(f"entries is one of {', '.join(ENTRIES)}, not {entries!r}")
    check_flags(normalise=normalise, force_normalise=force_normalise, float64=float64)
    if isinstance(table, TransitionMatrix):
        return table
    if isinstance(table, TransitionCounts):
        return table.forward()
    found, rows = _exact_rows(table)
    how = Readings(totals, missing)
    if entries == AS_COUNTS:
        return counted(rows, found.names, how).forward()
    printed = Printed.of(found.cells(), found.rounding)
    dividing = {"force": force_normalise, "normalise": normalise, "float64": float64}
    return matrix_of(rows, found.names, printed, how, entries, **dividing, options=_OPTIONS)[0]


def transition_counts(table: object, *, totals: str = REFUSE, missing: str = REFUSE) -> TransitionCounts:
    """Make transition counts of a table of them: row by row, how often each state followed. Args: as above.

    >>> import pandas
    >>> transition_counts(pandas.DataFrame([[7, 2], [3, 6]], ["x", "y"], ["x", "y"])).transitions
    ((7, 2), (3, 6))
    """
    if isinstance(table, TransitionCounts):
        return table
    found, rows = _exact_rows(table)
    return counted(rows, found.names, Readings(totals, missing))


def _exact_rows(table: object) -> tuple[Table, tuple[Row, ...]]:
    found = frame_of(table)
    rows = (tuple(_exact(entry, found.place(i, j)) for j, entry in enumerate(row)) for i, row in enumerate(found.rows))
    return found, tuple(rows)


def _exact(entry: object, place: str) -> Fraction:
    try:
        return exact(entry, floats=True)
    except InvalidNumber as error:
        raise InvalidNumber(f"{place}: {error}") from None


def is_frame(table: object) -> bool:
    """Whether it is a data frame, lazy ones included: its type is asked, as asking a lazy one would set it to work."""
    return hasattr(type(table), "columns") or hasattr(type(table), "column_names")


def frame_of(table: object) -> Table:
    """Return the rows and names of a table in memory. Raises: InvalidRequest for what is none, or is too large."""
    if is_frame(table):
        return _of_frame(table)
    if hasattr(table, "ndim") or (hasattr(table, "toarray") and hasattr(table, "nnz")):
        return _of_array(table)
    if hasattr(table, "tolist"):  # a matrix of sympy
        table = table.tolist()
    if isinstance(table, Sequence) and not isinstance(table, str | bytes):
        check_count(len(table), MOST_STATES, "rows")
        return Table([_row(row, number) for number, row in enumerate(table, 1)])
    raise doubt(
        NOT_A_SEQUENCE, f"{type(table).__name__} is not a table: give a data frame, an array, or rows of numbers"
    )


def _row(row: object, number: int) -> list[object]:
    if hasattr(row, "tolist"):
        row = row.tolist()
    if not isinstance(row, Sequence) or isinstance(row, str | bytes):
        raise InvalidRequest(f"row {number} is {row!r}, not a row of numbers")
    check_count(len(row), MOST_STATES, "columns")
    return list(row)


def _of_array(array: Any) -> Table:
    if getattr(array, "ndim", 0) != 2:
        raise InvalidRequest(f"the array has {getattr(array, 'ndim', 0)} dimensions, a matrix has two")
    check_count(max(array.shape), MOST_STATES, "rows or columns")
    dense = array.toarray() if hasattr(array, "toarray") else array
    return Table([list(row) for row in dense.tolist()], rounding=_rounding(dense.dtype))


def _rounding(*types: object) -> Fraction:
    """Return how far a row misses 1, per entry, by the rounding of entries of these types: of the coarsest of them."""
    told = " ".join(map(str, types)).lower()
    if "float16" in told or "halffloat" in told:
        return HALF_ROUNDING
    return SINGLE_ROUNDING if re.search(r"float32|\bfloat\b", told) else DOUBLE_ROUNDING


def _narwhal(table: object) -> Any:
    narwhals = needed("narwhals", "a data frame")
    try:
        frame = narwhals.from_native(table, eager_only=True, pass_through=True)
    except narwhals.exceptions.DuplicateError as error:
        raise InvalidRequest(f"two columns have the same name: {' '.join(str(error).split())}") from None
    if not isinstance(frame, narwhals.DataFrame):
        raise InvalidRequest(f"{type(table).__name__} is not an in-memory data frame of pandas, Polars or Arrow")
    return frame


def columns_of(table: object, names: Sequence[str]) -> Iterable[tuple[object, ...]]:
    """Return the rows of some columns of a data frame. Raises: InvalidRequest for a column that is not there."""
    frame = _narwhal(table)
    check_columns(names, frame.columns)
    rows: Iterable[tuple[object, ...]] = frame.select(*names).iter_rows()
    return rows


def check_columns(names: Sequence[str], columns: Sequence[str], where: str = "the header") -> None:
    """Raise InvalidRequest unless each of these names is that of exactly one column. Args: where they are told."""
    for name in names:
        if columns.count(name) != 1:
            how = "twice" if name in columns else "not"
            raise InvalidRequest(
                f"the column {shown(name)} is {how} in {where}, which has {', '.join(map(shown, columns[:20]))}"
            )


def _of_frame(table: object) -> Table:
    frame = _narwhal(table)
    check_count(max(frame.shape), MOST_STATES + 1, "rows or columns")
    index = needed("narwhals", "a data frame").maybe_get_index(frame)
    columns = [str(name) for name in frame.columns]
    rounding = _rounding(*frame.schema.values())
    rows = [list(row) for row in frame.iter_rows()] or [[] for _ in range(frame.shape[0])]  # without a column
    if index is None or (list(index) == list(range(len(rows))) and len(columns) != len(rows)):
        return named_frame(columns, rows, rounding)
    indexed = [[str(name), *row] for name, row in zip(index, rows, strict=True)]
    return named_frame(["", *columns], indexed, rounding, has_index=True)


def named_frame(
    columns: Sequence[str], rows: list[list[object]], rounding: Fraction = DOUBLE_ROUNDING, has_index: bool = False
) -> Table:
    """Return a table under these columns; with one column more than rows, the first is an index.

    Args: has_index, whether it is one that libraries number where it has no names. Raises: InvalidRequest for a header
    and an index of different names.
    """
    if not has_index and len(columns) != len(rows) + 1:
        return Table(rows, names=names_of(columns, "header"), rounding=rounding)
    header, index = names_of(columns[1:], "header"), names_of((row[0] for row in rows), "index")
    inner = [row[1:] for row in rows]
    numbered = tuple(str(number) for number in range(len(rows)))
    if has_index and numbered in (header, index):
        names = index if header == numbered else header
        if header == index:
            return Table(inner, rounding=rounding)
        if sorted(header) != sorted(index):
            return Table(inner, names=names, rounding=rounding)
    ordered = [inner[at] for at in order_of(header, index, lambda row: f"row {row + 1}")]
    return Table(ordered, names=header, rounding=rounding)


def needed(module: str, what: str, extra: str = "data") -> Any:
    """Import an optional module. Raises: InvalidRequest with the extra that brings it."""
    try:
        return import_module(module)
    except ImportError:
        raise InvalidRequest(f"{what} needs {module.partition('.')[0]}: pip install 'tploracle[{extra}]'") from None


# Files


def binary_frame(content: bytes) -> Table | None:
    """Read a matrix out of Parquet, .npy, or a sparse .npz; None where the content is none of these.

    Raises: InvalidRequest for what is damaged or too large, or where a library is not there.
    """
    if content.startswith(PARQUET_START):
        return _of_parquet(content)
    if content.startswith(ENCRYPTED_START):
        raise InvalidRequest("is encrypted Parquet, which is not read: write it without encryption")
    if not content.startswith((NUMPY_START, ZIP_START)):
        return None
    from .arrays import read_array, read_sparse  # brings numpy, which other files do not need

    try:
        if content.startswith(ZIP_START):
            return _of_array(read_sparse(io.BytesIO(content), LONGEST_FILE, MOST_STATES).dense())
        return _of_array(read_array(io.BytesIO(content).read, LONGEST_FILE))
    except InvalidRequest as error:
        raise InvalidRequest(f"the arrays cannot be read: {error}") from None


def _of_parquet(content: bytes) -> Table:
    from .parquet import opened_parquet  # brings a process of its own, which other files do not need

    needed("pyarrow.parquet", "Parquet")
    with opened_parquet(content) as file:
        check_count(max(file.rows, len(file.schema.names)), MOST_STATES + 1, "rows or columns")
        if file.size > LONGEST_FILE:
            raise too_large(f"the table takes {file.size} bytes, at most {LONGEST_FILE} are admitted")
        _check_flat(file.schema, file.schema.names)
        index = _index_column(file.schema)
        names = [*([index] if index else []), *(name for name in file.schema.names if name != index)]
        check_columns(names, file.schema.names)
        table = file.table(names)
        rows = [list(row) for row in zip(*(_values(table.column(name)) for name in names), strict=True)]
    return named_frame(names, rows, _rounding(*file.schema.types), has_index=index is not None)


def _index_column(schema: Any) -> str | None:
    """Return the column that pandas wrote its index to."""
    columns = (schema.pandas_metadata or {}).get("index_columns", [])
    return columns[0] if len(columns) == 1 and isinstance(columns[0], str) else None


def parquet_rows(path: str, columns: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """Yield the values of these columns of a Parquet file, row by row. Raises: as `binary_frame`."""
    from .parquet import opened_parquet

    needed("pyarrow.parquet", "Parquet")
    with opened_parquet(path) as file:
        check_columns(columns, file.schema.names)
        _check_flat(file.schema, columns)
        for batch in file.batches(columns):
            yield from zip(*(_values(batch.column(name)) for name in columns), strict=True)


def _check_flat(schema: Any, names: Sequence[str]) -> None:
    """Raise InvalidRequest where a column has lists or tables in it: how large they are nobody has counted."""
    for column in schema:
        if column.name in names and import_module("pyarrow").types.is_nested(column.type):
            raise InvalidRequest(f"the column {shown(column.name)} has values of the type {column.type}")


def _values(column: Any) -> list[object]:
    """Return the values of a column, those that are repeated once."""
    arrow = import_module("pyarrow")
    found: list[object] = []
    for chunk in getattr(column, "chunks", [column]):
        if arrow.types.is_timestamp(chunk.type) and chunk.type.unit == "ns":
            try:
                found += chunk.cast(arrow.timestamp("us", chunk.type.tz)).to_pylist()
            except arrow.ArrowInvalid:
                raise InvalidRequest("a time has nanoseconds: times are read to microseconds, round them") from None
        elif arrow.types.is_dictionary(chunk.type):
            values = [*chunk.dictionary.to_pylist(), None]
            found += [values[-1 if index is None else index] for index in chunk.indices.to_pylist()]
        else:
            found += chunk.to_pylist()
    return found
