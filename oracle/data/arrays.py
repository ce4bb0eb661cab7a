"""Arrays out of .npy and .npz files, read here: each number is looked at before any library works with it.

A header says the type, the shape and the order of an array, and so how many bytes follow. Only numbers and texts are
read, nothing is unpickled, and of a sparse matrix every index is compared with its shape.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, BinaryIO
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from ..contract.limits import check_count, too_large
from ..reference import InvalidRequest
from .archives import NUMPY_START, opened_archive

Array = NDArray[Any]

LONGEST_ARRAY_HEADER = 10_000
"""Bytes of the header of an array, as numpy itself has it."""

_TYPE = re.compile(r"[<>|=]?([iu][1248]|f[248]|[US][0-9]{1,9}|b1)")
_FIELD = re.compile(
    r"""\s*(['"])(descr|fortran_order|shape)\1\s*:\s*"""
    r"""('[^'\\]*'|"[^"\\]*"|True|False|\((?:\s*[0-9]{1,18}\s*,)*(?:\s*[0-9]{1,18})?\s*\))\s*(?:,|(?=\}))""",
    re.ASCII,
)
_NUMBERS, _INTEGERS = "iuf", "iu"

_KEYS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "dia": ("data", "offsets"),
    "coo": ("data", "row", "col"),
}
"""The arrays of each format of `scipy.sparse.save_npz`, its format and shape aside."""

_NO_SPARSE_MATRIX = "the archive has no sparse matrix in the format of scipy.sparse.save_npz"

ReadBytes = Callable[[int], bytes]
"""Reads a given number of bytes, fewer at the end."""


@dataclass(frozen=True, slots=True)
class SparseEntries:
    """A sparse matrix by its entries, in the order of rows and then of columns, none twice; rows, columns from 0."""

    shape: tuple[int, int]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Array

    def transposed(self) -> SparseEntries:
        """Return the matrix of the columns."""
        return _in_order((self.shape[1], self.shape[0]), self.columns, self.rows, self.values)

    def dense(self) -> Array:
        """Return the whole matrix."""
        found = np.zeros(self.shape, dtype=self.values.dtype)
        found[self.rows, self.columns] = self.values
        return found


def read_array(read: ReadBytes, most: int) -> Array:
    """Read an array of numbers or texts as `numpy.save` writes it.

    Args: read, whose bytes it is; most, the bytes that it may take.
    Returns: the array. Raises: InvalidRequest for a header or a type that is none of these, and for bytes that lack or
    follow.
    """
    kind, is_fortran, shape = _header(read)
    size = kind.itemsize * prod(shape)
    if max(size, *shape, 0) > most:
        raise too_large(f"an array takes {size} bytes, at most {most} are admitted")
    content = read(size + 1)
    if len(content) != size:
        less = "less" if len(content) < size else "more"
        raise InvalidRequest(f"the array has {less} than the {size} bytes that its header says")
    array = np.frombuffer(content, kind)
    if kind.kind == "U":
        _check_characters(array)
    return array.reshape(shape, order="F" if is_fortran else "C")


def _header(read: ReadBytes) -> tuple[np.dtype[Any], bool, tuple[int, ...]]:
    start = read(len(NUMPY_START) + 2)
    version = tuple(start[len(NUMPY_START) :])
    if not start.startswith(NUMPY_START) or version not in ((1, 0), (2, 0), (3, 0)):
        raise InvalidRequest("the array does not begin like a numpy array of format version 1 to 3")
    length = int.from_bytes(read(2 if version == (1, 0) else 4), "little")
    if length > LONGEST_ARRAY_HEADER:
        raise too_large(f"the header of the array has {length} bytes")
    text = read(length).decode("latin-1")
    if len(text) < length or not text.isascii():
        raise InvalidRequest(
            "the header of the array is invalid: it ends too early, or has characters other than ASCII"
        )
    fields: dict[str, str] = {}
    end = 1
    while text.startswith("{") and (found := _FIELD.match(text, end)) and found[2] not in fields:
        fields[found[2]], end = found[3], found.end()
    if len(fields) < 3 or text[end:].strip(" \n") != "}":
        raise InvalidRequest("the header of the array is invalid: it needs descr, fortran_order and shape")
    name = fields["descr"][1:-1]
    if fields["descr"][0] not in "'\"" or not _TYPE.fullmatch(name):
        raise InvalidRequest(
            f"the array has entries of the type {fields['descr'][:50]}: only whole numbers, doubles and texts are read"
        )
    if fields["fortran_order"] not in ("True", "False") or not fields["shape"].startswith("("):
        raise InvalidRequest("the header of the array is invalid: fortran_order or shape has another type")
    kind = np.dtype(name)
    if kind.kind in "US" and kind.itemsize == 0:
        raise InvalidRequest("the array has entries without a character")
    shape = tuple(map(int, re.findall("[0-9]+", fields["shape"])))
    if len(shape) == 1 and "," not in fields["shape"]:
        raise InvalidRequest("the header of the array is invalid: its shape is a number")
    if len(shape) > 3:
        raise InvalidRequest(f"the array has {len(shape)} dimensions, a matrix has two")
    return kind, fields["fortran_order"] == "True", shape


def _check_characters(array: Array) -> None:
    """Reject invalid code points, which numpy would accept unchecked. Raises: InvalidRequest."""
    if array.size and (array.view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder)) > 0x10FFFF).any():
        raise InvalidRequest("the array has texts that are not Unicode")


def read_sparse(stream: BinaryIO, most: int, most_states: int) -> SparseEntries:
    """Read a sparse matrix as `scipy.sparse.save_npz` writes it.

    Args: most, the bytes that all of its arrays may take; most_states, its rows and columns.
    Returns: its entries. Raises: InvalidRequest for an archive that is damaged, holds anything else or takes more
    bytes, and for indices that do not fit the shape or that occur twice.
    """
    with opened_archive(stream) as archive:
        arrays = _arrays(archive, most)
    told, shape = arrays.pop("format", None), arrays.pop("shape", None)
    arrays.pop("_is_array", None)
    name = _text(told) if told is not None else ""
    if name == "coo" and set(arrays) == {"data", "coords"}:
        coords = _integers(arrays, "coords")
        if coords.ndim != 2 or len(coords) != 2:
            raise InvalidRequest(f"coords has the shape {coords.shape}, of a matrix there are two rows of it")
        arrays = {"data": arrays["data"], "row": coords[0], "col": coords[1]}
    if shape is None or set(arrays) != set(_KEYS.get(name, ())):
        raise InvalidRequest(_NO_SPARSE_MATRIX)
    size = _integers({"shape": shape}, "shape").tolist()
    if len(size) != 2 or min(size) < 0:
        raise InvalidRequest(f"the matrix has the shape {' × '.join(map(str, size))}")
    check_count(max(size), most_states, "rows or columns")
    if arrays["data"].dtype.kind not in _NUMBERS:
        raise InvalidRequest(f"data is of the type {arrays['data'].dtype}, not of numbers")
    return _in_order((size[0], size[1]), *_PLACED[name](arrays, size[0], size[1]))


def _text(array: Array) -> str:
    """Return the one text that an array holds, "" where it holds anything else."""
    value = array.item() if array.shape == () else None
    return value.decode("ascii", "replace") if isinstance(value, bytes) else value if isinstance(value, str) else ""


def _arrays(archive: ZipFile, most: int) -> dict[str, Array]:
    """Read the arrays of an archive, by name, each once and no others than a sparse matrix has."""
    known = {f"{key}.npy": key for keys in _KEYS.values() for key in (*keys, "coords", "format", "shape", "_is_array")}
    names = archive.namelist()
    if len(set(names)) < len(names) or not {*names} <= {*known}:
        raise InvalidRequest(_NO_SPARSE_MATRIX)
    if sum(member.file_size for member in archive.infolist()) > most:
        raise too_large(f"the archive holds more than {most} bytes")
    arrays: dict[str, Array] = {}
    for name in names:
        with archive.open(name) as member:
            arrays[known[name]] = read_array(member.read, most - sum(own.nbytes for own in arrays.values()))
    return arrays


Placed = tuple[Array, Array, Array]
"""Rows, columns and values."""


def _integers(arrays: dict[str, Array], name: str) -> Array:
    array = arrays[name]
    if array.dtype.kind not in _INTEGERS or array.ndim != (2 if name == "coords" else 1):
        raise InvalidRequest(f"{name} is an array of {array.ndim} dimensions of the type {array.dtype}, not of indices")
    if array.dtype.itemsize == 8 and array.size and array.max() > np.iinfo(np.int64).max:
        raise InvalidRequest(f"{name} holds {array.max()}, which is not an index")
    return array.astype(np.int64)


def _within(indices: Array, name: str, most: int) -> Array:
    """Return indices that are from 0 and below most. Raises: InvalidRequest with the first that is not."""
    wrong = (indices < 0) | (indices >= most)
    if wrong.any():
        place = int(wrong.argmax())
        raise InvalidRequest(f"{name}: entry {place + 1} is {indices[place]}, an index is at least 0 and below {most}")
    return indices


def _dimensions(data: Array, count: int) -> None:
    if data.ndim != count:
        raise InvalidRequest(f"data has {data.ndim} dimensions, not {count}")


def _compressed(arrays: dict[str, Array], most: int, others: int, what: str) -> tuple[Array, Array]:
    """Return the index of the row and of the column of each entry, where rows are what is compressed."""
    starts, own = _integers(arrays, "indptr"), _integers(arrays, "indices")
    if len(starts) != most + 1 or starts[0] != 0:
        raise InvalidRequest(f"indptr has {len(starts)} entries, {most + 1} from 0 on are expected of {most} {what}")
    falls = starts[1:] < starts[:-1]
    if falls.any():
        place = int(falls.argmax())
        raise InvalidRequest(f"indptr: entry {place + 2} is {starts[place + 1]}, below the one before it")
    if starts[-1] != len(own) or len(own) != len(arrays["data"]):
        raise InvalidRequest(
            f"indptr ends with {starts[-1]}, for {len(own)} indices and {len(arrays['data'])} entries of data"
        )
    return np.repeat(np.arange(most), np.diff(starts)), _within(own, "indices", others)


def _of_csr(arrays: dict[str, Array], height: int, width: int) -> Placed:
    _dimensions(arrays["data"], 1)
    return (*_compressed(arrays, height, width, "rows"), arrays["data"])


def _of_csc(arrays: dict[str, Array], height: int, width: int) -> Placed:
    _dimensions(arrays["data"], 1)
    columns, rows = _compressed(arrays, width, height, "columns")
    return rows, columns, arrays["data"]


def _of_bsr(arrays: dict[str, Array], height: int, width: int) -> Placed:
    data = arrays["data"]
    _dimensions(data, 3)
    _, high, wide = data.shape
    if not high or not wide or height % high or width % wide:
        raise InvalidRequest(f"blocks of {high} × {wide} do not fill a matrix of {height} × {width}")
    rows, columns = _compressed(arrays, height // high, width // wide, "rows of blocks")
    every_row = rows[:, None, None] * high + np.arange(high)[None, :, None]
    every_column = columns[:, None, None] * wide + np.arange(wide)[None, None, :]
    rows, columns = np.broadcast_to(every_row, data.shape), np.broadcast_to(every_column, data.shape)
    return rows.ravel(), columns.ravel(), data.ravel()


def _of_coo(arrays: dict[str, Array], height: int, width: int) -> Placed:
    data = arrays["data"]
    _dimensions(data, 1)
    rows, columns = _integers(arrays, "row"), _integers(arrays, "col")
    if not len(rows) == len(columns) == len(data):
        raise InvalidRequest(f"there are {len(rows)} rows, {len(columns)} columns and {len(data)} entries of data")
    return _within(rows, "row", height), _within(columns, "col", width), data


def _of_dia(arrays: dict[str, Array], height: int, width: int) -> Placed:
    data, offsets = arrays["data"], _integers(arrays, "offsets")
    _dimensions(data, 2)
    if len(offsets) != len(data):
        raise InvalidRequest(f"there are {len(offsets)} offsets and {len(data)} diagonals")
    _within(np.abs(offsets), "offsets, without their signs,", height + width + 1)
    columns = np.broadcast_to(np.arange(data.shape[1])[None, :], data.shape)
    rows = columns - offsets[:, None]
    inside = (rows >= 0) & (rows < height) & (columns < width)
    return rows[inside], columns[inside], data[inside]


_PLACED = {"csr": _of_csr, "csc": _of_csc, "bsr": _of_bsr, "coo": _of_coo, "dia": _of_dia}


def _in_order(shape: tuple[int, int], rows: Array, columns: Array, values: Array) -> SparseEntries:
    """Return the entries that are not 0 in order. Raises: InvalidRequest for a place that occurs twice."""
    keys = rows * shape[1] + columns
    if (keys[1:] <= keys[:-1]).any():
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], values[order]
        twice = keys[1:] == keys[:-1]
        if twice.any():
            row, column = divmod(int(keys[int(twice.argmax())]), shape[1])
            raise InvalidRequest(
                f"row {row + 1}, column {column + 1} has two entries: it is unclear which is meant; "
                "matrix.sum_duplicates() adds them up before it is saved"
            )
    there = values != 0
    keys, values = keys[there], values[there]
    rows, columns = np.divmod(keys, max(shape[1], 1))
    return SparseEntries(shape, rows, columns, values)
