"""Archives of arrays made wrong: a sparse matrix is what its arrays say, entry by entry, or an error by name.

What the arrays say is worked out here by plain loops, whose every index is looked at.
"""

import io
import json
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from tploracle.data.arrays import read_array, read_sparse
from tploracle.data.sparse_files import sparse_rows
from tploracle.reference import OracleError

from .finding import require
from .mutations import damaged

MOST_STATES = 12
INDICES = (-1, -2, 1, 2, 7, 12, 13, 2**31 - 1, 2**31, 2**32, 10**9, 2**62, -(2**63), 2**63 - 1)
TYPES = ("i4", "i8", "u8", "f8", "f4", "b1", "c16", "g", "S3", "U2", "O", "M8[s]", ">i4", "u1")
DAMAGED = (b"<f8", b"(2,", b"'descr'", b"False", b"\x93NUMPY\x01", b"|O", b"shape")
MOST = 1 << 16


def attack(random):
    """Read one archive, or one array. Raises: Finding."""
    arrays = honest(random)
    for _ in range(random.choice((0, 1, 1, 2))):
        wrong(random, arrays)
    if not random.randrange(6):
        _array(random, arrays["data"])
        return
    stream = io.BytesIO()
    save = np.savez if random.randrange(3) else np.savez_compressed
    save(stream, **arrays)
    content, expected = stream.getvalue(), meant(arrays)
    is_damaged = not random.randrange(3)
    if is_damaged:
        content = _headers_changed(random, content) if random.randrange(2) else damaged(random, content)
    try:
        found = read_sparse(io.BytesIO(content), MOST, MOST_STATES)
    except OracleError as error:
        require(is_damaged or expected is None, f"{told(arrays)} is refused: {error}")
        return
    entries = dict(
        zip(zip(found.rows.tolist(), found.columns.tolist(), strict=True), found.values.tolist(), strict=True)
    )
    if not is_damaged or expected is not None:
        require(is_damaged or (found.shape, entries) == expected, f"{told(arrays)} is read as {entries}")
        require(all(0 <= i < found.shape[0] and 0 <= j < found.shape[1] for i, j in entries), f"indices {entries}")
    if not random.randrange(8):
        _command(content)


def _command(content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "m.npz")
        path.write_bytes(content)
        try:
            rows = sparse_rows(str(path), "probabilities", "forward")
        except OracleError:
            return
        require(rows.columns.min() >= 0 and rows.columns.max() < rows.n, "a column that is none")


def honest(random):
    """Return the arrays of a sparse matrix, by name."""
    height = random.randrange(1, 7)
    width = height if random.randrange(4) else random.randrange(1, 7)
    places = [(i, j) for i in range(height) for j in range(width) if random.random() < 0.5]
    kind = random.choice(("csr", "csc", "coo", "dia", "bsr", "coords"))
    index = random.choice((np.int32, np.int64))
    if kind == "csc":
        places.sort(key=lambda place: place[::-1])
    if kind in ("coo", "coords"):
        random.shuffle(places)
    values = np.array([random.choice((0.25, 0.5, 1.0, 0.0, -1.0, 3.0)) for _ in places])
    arrays = {"format": np.array("coo" if kind == "coords" else kind, dtype="S3"), "data": values}
    rows, columns = (np.array([place[axis] for place in places], dtype=index) for axis in (0, 1))
    match kind:
        case "csr" | "csc":
            outer, inner, size = (rows, columns, height) if kind == "csr" else (columns, rows, width)
            arrays["indices"] = inner
            arrays["indptr"] = np.searchsorted(outer, np.arange(size + 1)).astype(index)
        case "coo":
            arrays |= {"row": rows, "col": columns}
        case "coords":
            arrays["coords"] = np.stack([rows, columns])
        case "dia":
            offsets = random.sample(range(-height, width + 1), random.randrange(1, 4))
            arrays["offsets"] = np.array(offsets, dtype=index)
            arrays["data"] = np.array([[random.choice((0.5, 0.25, 0.0)) for _ in range(width)] for _ in offsets])
        case "bsr":
            height, width = 2 * height, 2 * width
            arrays["indices"] = columns
            arrays["indptr"] = np.searchsorted(rows, np.arange(height // 2 + 1)).astype(index)
            arrays["data"] = np.array([[[random.choice((0.5, 0.0, 1.0)) for _ in "ab"] for _ in "ab"] for _ in places])
            arrays["data"] = arrays["data"].reshape(len(places), 2, 2)
    arrays["shape"] = np.array([height, width])
    if random.randrange(2):
        arrays["_is_array"] = np.array(True)
    return arrays


def wrong(random, arrays):
    """Make one of the arrays wrong, or perhaps only otherwise."""
    name = random.choice([*arrays])
    array = arrays[name]
    match random.randrange(9):
        case 0:
            del arrays[name]
            arrays.setdefault("data", np.array([1.0]))
        case 1 if array.ndim and name != "shape":
            arrays[name] = array[: random.randrange(len(array) + 1)]
        case 2 if array.ndim:
            arrays[name] = np.concatenate([array, array[:1]])
        case 3:
            kind = np.dtype(random.choice(TYPES))
            try:
                arrays[name] = array.astype(kind)
            except (TypeError, ValueError, OverflowError, RuntimeError):  # numpy's own, of texts as dates
                arrays[name] = np.array([1, 2]).astype(kind)
        case 4:
            arrays[name] = array.reshape((*array.shape, 1))
        case 5:
            arrays["indices"] = np.array([0, 10**9])
        case _ if array.size and array.dtype.kind in "iu":
            other = array.astype(np.int64).copy()
            other.flat[random.randrange(array.size)] = random.choice(INDICES)
            arrays[name] = other


def meant(arrays):
    """Return the shape and the entries above or below 0 by place, as plain numbers; None for what means nothing."""
    try:
        return _meant(arrays)
    except (KeyError, IndexError, TypeError, ValueError, AssertionError):
        return None


KEYS = {
    "csr": {"data", "indices", "indptr"},
    "csc": {"data", "indices", "indptr"},
    "bsr": {"data", "indices", "indptr"},
    "dia": {"data", "offsets"},
    "coo": {"data", "row", "col"},
}


def _meant(arrays):
    arrays = dict(arrays)
    name, shape = arrays.pop("format"), arrays.pop("shape")
    assert name.shape == ()
    kind = name.item().decode() if name.dtype.kind == "S" else str(name.item())
    is_array = arrays.pop("_is_array", name)
    assert all(array.dtype.str.lstrip("<>|=")[0] in "iufbSU" for array in (*arrays.values(), name, shape, is_array))
    assert all(array.dtype.itemsize <= 8 for array in (*arrays.values(), is_array) if array.dtype.kind == "f")
    if kind == "coo" and "coords" in arrays:
        assert set(arrays) == {"data", "coords"}
        assert arrays["coords"].ndim == 2
        assert len(arrays["coords"]) == 2
        arrays["row"], arrays["col"] = arrays.pop("coords")
    assert set(arrays) == KEYS[kind]
    assert all(array.dtype.kind in "iu" and array.ndim == 1 for key, array in arrays.items() if key != "data")
    assert arrays["data"].dtype.kind in "iuf"
    assert shape.dtype.kind in "iu"
    assert shape.ndim == 1
    height, width = map(int, shape)
    assert 0 <= height <= MOST_STATES
    assert 0 <= width <= MOST_STATES
    data = arrays["data"]
    told = {key: array.tolist() for key, array in arrays.items()}
    entries = {}

    def put(i, j, value):
        assert 0 <= i < height
        assert 0 <= j < width
        assert (i, j) not in entries
        entries[i, j] = value

    match kind:
        case "coo":
            assert data.ndim == 1
            for i, j, value in zip(told["row"], told["col"], told["data"], strict=True):
                put(i, j, value)
        case "dia":
            assert data.ndim == 2
            assert all(abs(offset) <= height + width for offset in told["offsets"])
            for offset, values in zip(told["offsets"], told["data"], strict=True):
                for j, value in enumerate(values):
                    if 0 <= j - offset < height and j < width:
                        put(j - offset, j, value)
        case _:
            high, wide = data.shape[1:] if kind == "bsr" else (1, 1)
            assert data.ndim == (3 if kind == "bsr" else 1)
            assert height % high == width % wide == 0
            outer, inner = (width, height) if kind == "csc" else (height // high, width // wide)
            starts = told["indptr"]
            assert len(starts) == outer + 1
            assert starts[0] == 0
            assert starts[-1] == len(told["indices"]) == len(data)
            assert starts == sorted(starts)
            assert all(0 <= own < inner for own in told["indices"])
            for index in range(outer):
                for at in range(starts[index], starts[index + 1]):
                    own, value = told["indices"][at], told["data"][at]
                    if kind == "bsr":
                        for i in range(high):
                            for j in range(wide):
                                put(index * high + i, own * wide + j, value[i][j])
                    else:
                        put(*((own, index) if kind == "csc" else (index, own)), value)
    return (height, width), {place: value for place, value in entries.items() if value != 0}


def _headers_changed(random, content):
    """Return the archive with bytes of its members changed, and their sums made right again."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        for member in old.namelist():
            data = old.read(member)
            if not random.randrange(3):
                data = data.replace(random.choice(DAMAGED), random.choice(DAMAGED))
                data = damaged(random, data)
            new.writestr(member if random.randrange(20) else f"../{member}", data)
    return stream.getvalue()


def _array(random, array):
    """Read one array: as numpy does, or not at all."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    content = damaged(random, stream.getvalue()) if random.randrange(2) else stream.getvalue()
    try:
        found = read_array(io.BytesIO(content).read, MOST)
    except OracleError:
        plain = array.dtype.kind in "iufbUS" and array.dtype.itemsize <= 8 and array.ndim <= 3
        require(content != stream.getvalue() or not plain, f"{array!r} is refused")
        return
    same = np.load(io.BytesIO(content), allow_pickle=False)
    require(found.shape == same.shape and found.dtype == same.dtype and found.tobytes() == same.tobytes(), "differs")


def told(arrays):
    """Return the arrays as one line."""
    return json.dumps({name: f"{array.dtype} {array.tolist()}" for name, array in arrays.items()})
