"""Arrays in files: a sparse matrix is what its arrays say, or an error by name, and bombs are refused unopened."""

import io
import os
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from tploracle.data import archives, arrays
from tploracle.data.arrays import read_array, read_sparse
from tploracle.data.files import Files
from tploracle.data.sequences import count_file
from tploracle.reference import InvalidNumber, InvalidRequest

from ...commands import refused

MOST = 1 << 20


def archive(**members):
    stream = io.BytesIO()
    np.savez(stream, **members)
    return stream.getvalue()


CSR = {"format": b"csr", "shape": [2, 2], "data": [1.0, 1.0], "indices": [0, 1], "indptr": [0, 1, 2]}


def read(content):
    return read_sparse(io.BytesIO(content), MOST, 1000)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "dia", "bsr"])
@pytest.mark.parametrize("container", ["matrix", "array"])
@pytest.mark.parametrize("shape", [(6, 6), (4, 6), (6, 2)])
def test_what_scipy_writes_is_what_scipy_holds(kind, container, shape):
    dense = np.random.default_rng(len(kind)).integers(0, 3, shape).astype(float)
    matrix = getattr(sp, f"{kind}_{container}")(dense)
    stream = io.BytesIO()
    sp.save_npz(stream, matrix)
    assert (read(stream.getvalue()).dense() == dense).all()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"indices": [0, 10**9]}, r"indices: entry 2 is 1000000000, an index is at least 0 and below 2"),
        ({"indices": [-1, 1]}, r"indices: entry 1 is -1"),
        ({"indptr": [0, 10**9, 2]}, r"indptr: entry 3 is 2, below the one before it"),
        ({"indptr": [0, 1, 3]}, r"indptr ends with 3, for 2 indices and 2 entries of data"),
        ({"indptr": [0, 2]}, r"indptr has 2 entries, 3 from 0 on are expected of 2 rows"),
        ({"indptr": [0, 2, 2], "indices": [1, 1]}, r"row 1, column 2 has two entries.*sum_duplicates"),
        ({"data": [1j, 1]}, "type '<c16'"),
        ({"data": np.array([1, 1], dtype=np.longdouble)}, "type '<f16'"),
        ({"data": np.array([1, None])}, "type '\\|O'"),
        ({"data": [True, True]}, "data is of the type bool, not of numbers"),
        ({"indices": [0.0, 1.0]}, "indices is an array of 1 dimensions of the type float64"),
        ({"indices": np.array([0, 2**64 - 1], dtype=np.uint64)}, "holds 18446744073709551615"),
        ({"shape": [2, 2, 2]}, "shape 2 × 2 × 2"),
        ({"shape": [-1, 2]}, "shape -1 × 2"),
        ({"shape": [10**6, 2]}, "too large: 1000000 rows or columns"),
        ({"format": b"lil"}, "no sparse matrix in the format of scipy"),
        ({"more": [1]}, "no sparse matrix in the format of scipy"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, changed, message):
    content = archive(**{**CSR, **changed})
    with pytest.raises(InvalidRequest, match=message):
        read(content)
    (tmp_path / "m.npz").write_bytes(content)
    with pytest.raises(InvalidRequest, match=rf"m\.npz: the arrays cannot be read: .*{message}"):
        Files(float64=True).matrix(str(tmp_path / "m.npz"))
    assert str(tmp_path) in refused("sparse", str(tmp_path / "m.npz"), "--epsilon", "1", "--steps", "2")


@pytest.mark.parametrize("name", ["m.npy", "m.npz"])
def test_nothing_in_an_array_is_executed(tmp_path, name):
    """A pickle that makes a folder: numpy would, where it is told to, and here nobody can tell it to."""
    array = np.array([[os.mkdir, 1]], dtype=object)
    array[0, 0] = _Making(str(tmp_path / "made"))
    (np.save if name == "m.npy" else np.savez)(tmp_path / name, array)
    with pytest.raises(InvalidRequest, match=r"type '\|O'|no sparse matrix"):
        Files(float64=True).matrix(str(tmp_path / name))
    assert not (tmp_path / "made").exists()
    np.load(tmp_path / name, allow_pickle=True)[() if name == "m.npy" else "arr_0"]
    assert (tmp_path / "made").exists()
    own = "".join(path.read_text() for path in Path(arrays.__file__).parent.glob("*.py"))
    assert not re.findall(
        r"\bpickle\.|load_npz|np\.(?:load|fromfile|genfromtxt|loadtxt|memmap)\b|\beval\(|\bexec\(", own
    )


class _Making:
    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


def header(text, version=(1, 0)):
    return b"\x93NUMPY" + bytes(version) + len(text).to_bytes(2 if version == (1, 0) else 4, "little") + text.encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000000000), }"), "too large"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 99999999999999999), }"), "too large"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }"), "less than the 32 bytes"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (), }") + b"0" * 9, "more than the 8 bytes"),
        (header("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }") + b"\xff" * 4, "not Unicode"),
        (header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (), }"), "header"),
        (header("{'descr': __import__('os'), 'fortran_order': False, 'shape': (), }"), "header"),
        (header("{'descr': '<f8', 'descr': '<f8', 'shape': (), }"), "header"),
        (header("{'descr': 'True', 'fortran_order': '<f8', 'shape': (), }"), "of the type 'True'"),
        (header("{'descr': '<f8', 'fortran_order': (), 'shape': True, }"), "header"),
        (header("(" * 9_000), "header"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (1), }") + bytes(8), "its shape is a number"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (,), }") + bytes(8), "header|less|more"),
        (header(" " * 70_000, (2, 0)), "too large: the header"),
        (header("", (4, 0)), "version 1 to 3"),
        (b"\x93NUMPY\x01\x00\xff\xff{", "too large|header"),
    ],
)
def test_headers_that_are_none(content, message):
    with pytest.raises(InvalidRequest, match=message):
        read_array(io.BytesIO(content).read, MOST)


@pytest.mark.parametrize("kind", ["<f8", ">f8", "<f4", "<f2", "<i1", ">i8", "<u8", "|b1", "<U3", ">U3"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_those_that_numpy_reads(kind, order):
    array = np.array([[1, 0, 1], [0, 1, 1]]).astype(kind, order=order)
    for save in (np.save, lambda stream, array: np.lib.format.write_array(stream, array, (2, 0))):
        stream = io.BytesIO()
        save(stream, array)
        found = read_array(io.BytesIO(stream.getvalue()).read, MOST)
        assert found.dtype == array.dtype
        assert (found == array).all()


def test_bombs_are_refused_before_they_are_unpacked(tmp_path, monkeypatch):
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("data.npy", bytes(MOST + 1))
    with pytest.raises(InvalidRequest, match="too large: the archive holds more"):
        read(bomb.getvalue())
    lzma = io.BytesIO()
    with zipfile.ZipFile(lzma, "w", zipfile.ZIP_LZMA) as made:
        made.writestr("log.txt", "a b\n")
    (tmp_path / "lzma.zip").write_bytes(lzma.getvalue())
    with pytest.raises(InvalidRequest, match="another method than deflate"):
        count_file(str(tmp_path / "lzma.zip"))
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as made:
        for number in range(100):
            made.writestr(f"{number}.txt", "")
    monkeypatch.setattr(archives, "MOST_DIRECTORY", 1_000)
    (tmp_path / "many.zip").write_bytes(many.getvalue())
    with pytest.raises(InvalidRequest, match="too large: the list of the archive's members"):
        count_file(str(tmp_path / "many.zip"))


def test_long_headers_are_not_read(monkeypatch):
    content = archive(**CSR)
    assert read(content).values.tolist() == [1.0, 1.0]
    monkeypatch.setattr(arrays, "LONGEST_ARRAY_HEADER", 10)
    with pytest.raises(InvalidRequest, match="too large: the header"):
        read(content)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero")
def test_what_has_no_end_is_refused_at_its_beginning():
    assert "does not begin like an .npz archive" in refused("sparse", "/dev/zero", "--epsilon", "1", "--steps", "2")


def test_whole_numbers_that_are_no_doubles_are_refused(tmp_path):
    content = archive(**{**CSR, "data": np.array([2**53 + 1, 1])})
    (tmp_path / "m.npz").write_bytes(content)
    arguments = ("--epsilon", "1", "--steps", "2", "--entries", "counts")
    assert "row 1: 9007199254740993 is not below 2^53" in refused("sparse", str(tmp_path / "m.npz"), *arguments)
    assert Files(entries="counts").counts(str(tmp_path / "m.npz")).transitions[0][0] == 2**53 + 1
    with pytest.raises(InvalidNumber):
        Files(entries="counts").counts(_saved(tmp_path, archive(**{**CSR, "data": [0.5, 1]})))


def _saved(folder, content):
    (folder / "other.npz").write_bytes(content)
    return str(folder / "other.npz")
