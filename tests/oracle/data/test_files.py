"""Matrix files: exact entries, and errors that say which file, line and column."""

import io
import json
import sys
from fractions import Fraction

import pytest

from tploracle.contract.limits import LONGEST_INPUT
from tploracle.data.files import Files
from tploracle.reference import InvalidNumber, InvalidRequest, NegativeProbability, NotSquare, NotStochastic

HALF, ZERO, ONE = Fraction(1, 2), Fraction(0), Fraction(1)
COUNTS = {"states": ["a", "b"], "counts": [[1, 3], [2, 0]], "first": [1, 4]}


@pytest.fixture
def write(tmp_path):
    def write(content, name="m.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.mark.parametrize(
    "content",
    [
        "0.5,1/2\n0,1\n",
        "5e-1 , 0.50\r\n0,1.0",
        "\ufeff0.5,0.5\n\n0,1\n",
        '"1/2",0.5\n0,1\n',
        '[["1/2", "0.5"], [0, 1]]',
        ' {"matrix": [["1/2", "0.5"], ["0", "1"]]}',
        '{"backward": [["1/2", "0.5"], ["0", "1"]]}',
        '{"states": ["a", "b"], "source": "here", "forward": [["1/2", "0.5"], ["0", "1"]]}',
    ],
)
def test_exact_matrices(write, content):
    assert Files().matrix(write(content)).rows == ((HALF, HALF), (ZERO, ONE))


def test_decimals_are_not_doubles(write):
    assert Files().matrix(write("0.1,0.9\n0,1")).rows[0] == (Fraction(1, 10), Fraction(9, 10))


def test_float64_takes_doubles_and_says_what_it_divided(write):
    files = Files(float64=True)
    path = write("0.1,0x1.ccccccccccccdp-1\n0.5,0.5")
    total = Fraction(0.1) + Fraction(0.9)
    assert files.matrix(path).rows == ((Fraction(0.1) / total, Fraction(0.9) / total), (HALF, HALF))
    assert files.normalised == {path: [1]}


def test_roles(write):
    both = write('{"backward": [["1/2", "1/2"], [0, 1]], "forward": [[1, 0], [0, 1]]}')
    assert Files().matrix(both, "backward").rows[0] == (HALF, HALF)
    assert Files().matrix(both, "forward").rows[0] == (ONE, ZERO)
    with pytest.raises(InvalidRequest, match="--role"):
        Files().matrix(both)
    with pytest.raises(InvalidRequest, match="no forward matrix"):
        Files().matrix(write('{"backward": [["1"]]}'), "forward")


def test_counts(write):
    path = write(json.dumps(COUNTS))
    assert Files().matrix(path, "forward").rows == ((Fraction(1, 4), Fraction(3, 4)), (ONE, ZERO))
    assert Files().matrix(path, "backward").rows == ((Fraction(1, 3), Fraction(2, 3)), (ONE, ZERO))
    assert Files().distribution(path) == (Fraction(1, 5), Fraction(4, 5))
    with pytest.raises(InvalidRequest, match="--role"):
        Files().matrix(path)


@pytest.mark.parametrize("content", ["1/4,0.75", '["1/4", "0.75"]', '{"initial": ["1/4", "3/4"]}'])
def test_distributions(write, content):
    assert Files().distribution(write(content)) == (Fraction(1, 4), Fraction(3, 4))


def test_standard_input_is_read_once(monkeypatch):
    class Stdin:
        buffer = io.BytesIO(b"0.5,0.5\n0,1\n")

    monkeypatch.setattr(sys, "stdin", Stdin)
    files = Files()
    assert files.matrix("-") == files.matrix("-")


@pytest.mark.parametrize(
    ("content", "error", "where"),
    [
        ("0.5,x\n0,1", InvalidNumber, "m.csv: line 1, column 2: 'x'"),
        ("0.5,0.5\n\n0,nan", InvalidNumber, "line 3, column 2"),
        ("0.5,0.5\n0,", InvalidNumber, "line 2, column 2"),
        ("0.5,0.5", NotSquare, "row 1"),
        ("1,0\n1", NotSquare, "row 2"),
        ("", NotSquare, "m.csv"),
        ("0.5,0.4\n0,1", NotStochastic, "row 1 sums to 9/10"),
        ("1,0\n2,-1", NegativeProbability, "row 2, column 2"),
        ('"0.5,0.5', InvalidRequest, "not CSV"),
        (b"\xff\xfe", InvalidRequest, "not UTF-8: byte 1 is 0xff"),
        ("[[0.5, 0.5], [0, 1]]", InvalidNumber, "row 1, column 1: 0.5"),
        ("[[NaN, 1], [0, 1]]", InvalidNumber, "row 1, column 1: NaN"),
        ("[[Infinity]]", InvalidNumber, "row 1, column 1: Infinity"),
        ("[[true]]", InvalidRequest, "matrix, row 1"),
        ("[1, 0]", InvalidRequest, "matrix, row 1"),
        ("[" * 100_000, InvalidRequest, "nested too deeply"),
        ("[[1]", InvalidRequest, "not JSON"),
        ('{"matrix": [[1]], "matrix": [[1]]}', InvalidRequest, "'matrix' occurs twice"),
        ("{}", InvalidRequest, "no matrix"),
        ('{"rows": [[1]]}', InvalidRequest, "unknown key 'rows'"),
        ('{"counts": [[1]]}', InvalidRequest, "lacks the key 'states'"),
        ('{"states": ["a"], "counts": [[1.0]], "first": [1]}', InvalidNumber, "counts, row 1, entry 1: 1.0"),
        ('{"states": ["a"], "counts": [[true]], "first": [1]}', InvalidRequest, "counts, row 1"),
        ('{"states": ["a"], "counts": [[-1]], "first": [1]}', InvalidRequest, "negative"),
        ('{"states": ["a", "a"], "counts": [[1, 1], [1, 1]], "first": [1, 1]}', InvalidRequest, "named twice"),
        ('{"states": [], "counts": [], "first": []}', InvalidRequest, "no state"),
        ('{"states": ["a"], "counts": [[1, 1]], "first": [1]}', InvalidRequest, "1 × 1"),
    ],
)
def test_errors(write, content, error, where):
    with pytest.raises(error) as caught:
        Files().matrix(write(content), "backward")
    assert where in str(caught.value)
    assert "m.csv" in str(caught.value)


def test_unreadable_files(tmp_path):
    with pytest.raises(InvalidRequest, match="No such file"):
        Files().matrix(str(tmp_path / "none.csv"))
    with pytest.raises(InvalidRequest, match="cannot be read"):
        Files().matrix(str(tmp_path))
    with pytest.raises(InvalidRequest, match="cannot be read"):
        Files().matrix("a\0b")


def test_too_large_a_file(write):
    with pytest.raises(InvalidRequest, match="too large"):
        Files().matrix(write(b"0" * (LONGEST_INPUT + 1)))


def test_budgets(write):
    for source in ("0.1,log(2)", write("0.1\nlog(2)\n"), write('["0.1", "log(2)"]', "b.json")):
        assert [level.exact_text for level in Files().levels(source)] == ["1/10", "log(2)"]
    with pytest.raises(InvalidNumber, match="epsilons 2"):
        Files().levels("0.1,nofile")


def test_users(write):
    write("0.5,0.5\n0,1")
    path = write('{"alice": {"backward": "m.csv"}, "bob": {"forward": [[1, 0], [0, 1]]}, "eve": {}}', "users.json")
    users = Files().users(path)
    assert list(users) == ["alice", "bob", "eve"]
    assert users["alice"]["backward"].rows[0] == (HALF, HALF)
    assert users["bob"]["forward"].rows[0] == (ONE, ZERO)
    assert users["eve"] == {}
    for bad in (
        '{"x": {"sideways": [[1]]}}',
        '{"x": [[1]]}',
        '{"x": {"backward": 5}}',
        '{"x": {"backward": "no.csv"}}',
    ):
        with pytest.raises(InvalidRequest, match="user 'x'"):
            Files().users(write(bad, "users.json"))


def test_rows_and_columns_are_counted_before_their_numbers_are_read(write, monkeypatch):
    monkeypatch.setattr("tploracle.wire.numerals.exact_row", None)
    with pytest.raises(InvalidRequest, match="too large: 2000000 columns, at most 1000 are admitted"):
        Files().matrix(write(",".join(["0"] * 2_000_000)))
