"""`tploracle sparse`: rows without a common column, and what is wrong with a file."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from tploracle.data import sparse_files

from ...commands import refused, run

pytestmark = pytest.mark.usefixtures("empty_folder")


def save(entries, name="m.npz"):
    sparse.save_npz(name, sparse.csr_matrix(entries))


def test_disjoint_rows_are_named():
    save(np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1.0]]))
    told = run("sparse", "m.npz", "--epsilon", "0.1", "--steps", "3").stdout
    assert "Rows 1 and 3 share no column: L is the identity, and by the paper's bound budgets add up." in told


@pytest.mark.parametrize(
    ("entries", "args", "where"),
    [
        (np.ones((2, 3)), [], "NotSquare: m.npz: the matrix has the shape 2 × 3"),
        ([[0.5, 0.5], [0.5, 0.4]], [], "NotStochastic: m.npz: row 2 sums to 0.9; --entries counts"),
        ([[1.0, 0.0], [1.5, -0.5]], [], "NegativeProbability: m.npz: row 2: -0.5 is negative"),
        ([[1.0, 0.0], [np.inf, 0]], [], "InvalidNumber: m.npz: row 2: inf is no number"),
        ([[1.0, 0.0], [0, 0.5]], ["--entries", "counts"], "InvalidNumber: m.npz: row 2: 0.5 is not a count"),
        ([[1.0, 0.0], [0, 0]], [], "UnreachableState: m.npz: state 2 has no entry"),
        ([[1.0, 0.0], [0, 1]], ["--epsilon", "0"], "--epsilon is above 0"),
    ],
)
def test_what_is_wrong(entries, args, where):
    save(np.array(entries))
    assert where in refused("sparse", "m.npz", "--epsilon", "0.1", "--steps", "2", *args)


def test_what_is_no_sparse_matrix():
    Path("m.npz").write_bytes(b"PK")
    assert "it is not a sparse matrix of scipy" in refused("sparse", "m.npz", "--epsilon", "1", "--steps", "2")


@pytest.mark.parametrize("most", [200, 2000])
def test_a_file_that_is_too_long(monkeypatch, most):
    """Of 2,000 bytes, the archive is not: what is in it is."""
    monkeypatch.setattr(sparse_files, "MOST_SPARSE_BYTES", most)
    save(np.ones((60, 60)))
    assert 200 < Path("m.npz").stat().st_size < 2000
    what = "the file is longer" if most == 200 else "the archive holds more"
    assert f"too large: {what} than {most} bytes" in refused("sparse", "m.npz", "--epsilon", "1", "--steps", "2")
