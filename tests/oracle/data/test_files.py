"""Matrix files: exact entries, and errors that say which file, line and column."""

import json
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from tploracle.contract.limits import LONGEST_FILE
from tploracle.data.files import Files
from tploracle.reference import (
    InvalidLevel,
    InvalidNumber,
    InvalidRequest,
    NegativeProbability,
    NotSquare,
    NotStochastic,
)

NAME = "m.csv"
HALF, ZERO, ONE = Fraction(1, 2), Fraction(0), Fraction(1)
COUNTS = {"states": ["a", "b"], "counts": [[1, 3], [2, 0]], "first": [1, 4]}


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


def test_standard_input_is_read_once(stdin):
    stdin(b"0.5,0.5\n0,1\n")
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
        ("1,0\n2,-1", NegativeProbability, "row 2, column 2"),
        ('"0.5,0.5', InvalidRequest, "not CSV"),
        (b"\xff\xfe1", InvalidRequest, "not UTF-8: byte 1 is 0xff"),
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
        ('{"states": ["a", "a"], "counts": [[1, 1], [1, 1]], "first": [1, 1]}', InvalidRequest, "the name 'a' twice"),
        ('{"states": [], "counts": [], "first": []}', InvalidRequest, "no state"),
        ('{"states": ["a"], "counts": [[1, 1]], "first": [1]}', InvalidRequest, "1 × 1"),
        ("a,b\n0,5;0,5\n0;1\n", NotSquare, "line 2: row 1 has 3 entries"),
        ("0,5;0,5\n0;1\n", InvalidNumber, "line 1, column 1: '0,5' is not a number"),
        ("0;0\n0,5;0\n", InvalidNumber, "; decimals have a point, as in 0.5, and thousands no mark"),
        ("80%,20%\n0%,100%\n", InvalidNumber, "line 1, column 1: '80%' is not a number"),
        ("0.8,20%\n0,100%\n", InvalidNumber, "--entries percentages"),
        ('"1,000",2\n3,4\n', InvalidNumber, "line 1, column 1: '1,000' is not a number"),
        ("nan,nan\nnan,nan\n", InvalidNumber, "line 1, column 1: 'nan'"),
        ("0.5,0.5\ninf,0\n", InvalidNumber, "line 2, column 1: 'inf'"),
        ("a,b\n", NotSquare, "there is a header and no row below it"),
        ("a\n", NotSquare, "there is a header and no row below it"),
        ("a,b\nc,0.5\n", InvalidRequest, "header and index have the same names"),
        ("a,b\nc,d\n", InvalidNumber, "line 2, column 2: 'd' is not a number"),
        (",a,b\na,1,0\nc,0,1\n", InvalidRequest, "column 2 is 'b' and line 3 is 'c': header and index"),
        (",1,2\n1,1,0\n3,0,1\n", InvalidRequest, "column 2 is '2' and line 3 is '3': header and index"),
        ("a,a\n1,0\n0,1\n", InvalidRequest, "the header has the name 'a' twice"),
        (",a,a\na,1,0\na,0,1\n", InvalidRequest, "the header has the name 'a' twice"),
        ("a,\n1,0\n0,1\n", InvalidRequest, "the header: name 2 is empty"),
        ("a,0.8,0.2\na,0,1\n", InvalidRequest, "the index has the name 'a' twice"),
        ("1,2\n1,0\n0,1\n", NotSquare, "line 1: row 1 has 2 entries, the matrix has 3 rows; an index is recognised"),
        ("0,0.8,0.2\n1,0,1\n", NotSquare, "line 1: row 1 has 3 entries, the matrix has 2 rows; an index is recognised"),
        ("1,0\n\n0,1,0\n", NotSquare, "line 3: row 2 has 3 entries"),
        ("user,t,state\na,1,home\na,2,work\nb,1,work\nb,2,work\n", NotSquare, "not a table of numbers: from a log"),
        ("home work\nwork home home\nhome\n", NotSquare, "not a table of numbers: from a log or from sequences"),
        ("a,b\n1,0\n0\n", NotSquare, "line 3: row 2 has 1 entries"),
        ("x,0.5\n0.5,0.5\n", InvalidNumber, "line 1, column 1: 'x'"),
        ("x,1\n1,1\n", InvalidNumber, "line 1, column 1: 'x'"),
        ("0.5,0.4\n0,1\n", NotStochastic, "row 1 sums to 9/10, not to 1; --normalise divides each row by its sum"),
        (
            "50,50\n0,100\n",
            NotStochastic,
            "row 1 sums to 100, not to 1; --entries percentages reads percentages; --norm",
        ),
        ("33,33,33\n50,25,25\n0,0,100\n", NotStochastic, "row 1 sums to 99, not to 1; --entries percentages reads"),
        ("33.5,33,32\n50,25,25\n0,0,100\n", NotStochastic, "row 1 sums to 197/2, not to 1; --normalise"),
        ("5,5\n0,9\n", NotStochastic, "row 1 sums to 10, not to 1; --entries counts reads counts; --normalise"),
        ("[[0.5, 0.5], [0, 1]]", InvalidNumber, "0.5 is not an exact number"),
        ("[[0.5, 0.5], [0, 1]]", InvalidNumber, "--float64 reads such numbers"),
    ],
)
def test_what_is_no_matrix_is_an_error_with_its_place(write, content, error, where):
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
        Files().matrix(write(b"0" * (LONGEST_FILE + 1)))


A3 = "0.8,0.2,0\n0.1,0.8,0.1\n0,1/2,0.5\n"
NAMED = ["x,0.8,0.2,0", "y,0.1,0.8,0.1", "z,0,1/2,0.5"]
NUMBERED = "0,0.8,0.2,0\n1,0.1,0.8,0.1\n2,0,1/2,0.5"


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (",x,y,z\n" + "\n".join(NAMED), ("x", "y", "z")),
        ("\ufeffstate, x , y,z\r\n" + "\r\n".join(NAMED), ("x", "y", "z")),
        (",0,1,2\n" + NUMBERED, ("0", "1", "2")),
        ("from/to;0;1;2\n" + NUMBERED.replace(",", ";"), ("0", "1", "2")),
        ("x,y,z\n" + A3, ("x", "y", "z")),
        ("\n".join(NAMED), ("x", "y", "z")),
        ('"x, 1",y,z\n' + A3, ("x, 1", "y", "z")),
        (A3.replace(",", ";"), ()),
        (A3.replace(",", "\t"), ()),
        (A3.replace(",", " ; "), ()),
        (A3.replace(",", "  "), ()),
        (" " + A3.replace(",", " ").replace("\n", "\n "), ()),
        ("x y z\n" + A3.replace(",", " "), ("x", "y", "z")),
    ],
)
def test_headers_indices_and_separators(write, content, names):
    files = Files()
    path = write(content)
    assert files.matrix(path) == Files().matrix(write(A3, "plain.csv"))
    assert files.states == ({path: names} if names else {})


def test_normalise_divides_by_row_sums_and_says_by_how_much_they_missed(write):
    files = Files(normalise=True)
    with pytest.raises(NotSquare):
        files.matrix(write("0.333,0.666\n0.5,0.5\n1,0.002", "ragged.csv"))
    path = write("0.333,0.666,0\n0.5,0.5,0\n1,0.001,0")
    assert Files(normalise=True).matrix(path).rows[0] == (Fraction(1, 3), Fraction(2, 3), ZERO)
    files.matrix(path)
    assert files.normalised == {path: [1, 3]}
    assert files.deviations == {path: "the largest deviation is that of row 1: 0.001 below 1"}
    for content, error, where in (
        ("1,0\n0,0", NotStochastic, "row 2 sums to 0"),
        ("1,0\n2,-1", NegativeProbability, "row 2, column 2: -1 is negative"),
    ):
        with pytest.raises(error, match=where):
            Files(normalise=True).matrix(write(content))
    exact = Files(normalise=True)
    assert exact.matrix(write("1,0\n0,1")).rows == ((ONE, ZERO), (ZERO, ONE))
    assert exact.normalised == exact.deviations == {}


def test_percentages(write):
    assert Files(entries="percentages").matrix(write("80,20\n12.5,87.5")).rows[1] == (Fraction(1, 8), Fraction(7, 8))
    with pytest.raises(NotStochastic, match="row 1 sums to 99/100"):
        Files(entries="percentages").matrix(write("80,19\n0,100"))
    files = Files(entries="percentages", normalise=True)
    assert files.matrix(write("33,33,33\n0,100,0\n0,0,100")).rows[0] == (Fraction(1, 3),) * 3
    assert list(files.deviations.values()) == ["the largest deviation is that of row 1: 0.01 below 1"]


def test_counts_as_a_table(write):
    path = write(",a,b\na,1,3\nb,2,0\n")
    files = Files(entries="counts")
    assert files.matrix(path, "forward").rows == ((Fraction(1, 4), Fraction(3, 4)), (ONE, ZERO))
    assert files.matrix(path, "backward").rows == ((Fraction(1, 3), Fraction(2, 3)), (ONE, ZERO))
    with pytest.raises(InvalidRequest, match="--role"):
        files.matrix(path)
    with pytest.raises(InvalidNumber, match="row 1, column 2: 1/2 is not a count"):
        files.matrix(write("1,0.5\n1,1", "half.csv"), "forward")
    with pytest.raises(InvalidNumber, match="row 2, column 1: -1 is not a count"):
        files.matrix(write("[[1, 0], [-1, 1]]", "negative.json"), "forward")
    with pytest.raises(InvalidRequest, match="exclude each other"):
        Files(entries="counts", normalise=True)


@pytest.mark.parametrize("content", ["[[0.1, 0.9], [0.5, 0.5]]", "[[1e-1, 0.9], [5E-1, 0.5]]"])
def test_doubles_in_json_are_read_as_in_csv(write, content):
    from_csv = Files(float64=True).matrix(write("0.1,0.9\n0.5,0.5"))
    assert Files(float64=True).matrix(write(content, "m.json")) == from_csv
    for wrong in ("[[NaN, 1], [0, 1]]", "[[1e999, 1], [0, 1]]", "[[Infinity]]", "[[-Infinity]]"):
        with pytest.raises(InvalidNumber, match=r"row 1, column 1: .*(NaN|1e999|Infinity)"):
            Files(float64=True).matrix(write(wrong, "m.json"))


def test_doubles_that_miss_by_more_than_rounding_need_normalise(write):
    with pytest.raises(NotStochastic, match="further from 1 than rounding explains; --normalise divides"):
        Files(float64=True).matrix(write("0.333,0.666\n0,1"))
    files = Files(float64=True, normalise=True)
    rows = files.matrix(write("0.333,0.333,0.333\n0,1,0\n0,0,1")).rows
    assert rows[0][0] == Fraction(1, 3)
    assert list(files.deviations.values()) == ["the largest deviation is that of row 1: 0.001 below 1"]


@pytest.mark.parametrize(
    "content",
    ["0.1\nlog(2)\n\n", "\ufeff0.1\r\nlog(2)\r\n", "0.1, log(2)", "0.1 log(2)\n", "epsilon\n0.1\nlog(2)",
     "b\n0.1\nlog(2)", ",epsilon\n0,0.1\n1,log(2)\n",
     "step;epsilon\n1;0.1\n2;log(2)\n", '"epsilon",n\n"0.1",1\nlog(2),2\n'],
)  # fmt: skip
def test_budgets_in_a_line_a_column_or_under_a_header(write, content):
    assert [level.exact_text for level in Files().levels(write(content))] == ["1/10", "log(2)"]


@pytest.mark.parametrize(
    ("content", "error", "where"),
    [
        ("0,0.1\n1,0.2\n2,0.3\n", InvalidRequest, "line 1 has 2 columns: budgets are one line, one column, or under a"),
        ("0 0.1\n1 0.2\n", InvalidRequest, "line 1 has 2 columns"),
        ("0.1\n0.2,0.3\n", InvalidNumber, "line 2, column 1: '0.2,0.3'"),
        ("0.1,\n0.2,0.3\n", InvalidRequest, "line 1 has 2 columns"),
        ("0.1,0.2\n0.3\n", InvalidRequest, "line 1 has 2 columns"),
        ("0,1\n0,2\n", InvalidRequest, "line 1 has 2 columns"),
        (",budget\n0,0.1\n", InvalidRequest, "line 1: the header has '', 'budget': of several columns"),
        ("epsilon,epsilon\n1,2\n", InvalidRequest, "of several columns the one of budgets is called epsilon"),
        ("epsilon,n\n0.1\n", InvalidRequest, "line 2 has 1 column: "),
        ("0.1 0,2", InvalidNumber, "line 1, column 1: '0.1 0'"),
        ("0,1;0,2", InvalidNumber, "line 1, column 1: '0,1'"),
        ("0.1,0.2,\n", InvalidNumber, "line 1, column 3: ''"),
        ("0.1\nnan\n", InvalidNumber, "line 2, column 1: 'nan'"),
        ("-0.1\n0.1\n", InvalidLevel, "line 1, column 1"),
        ("epsilon\n0.1\n-1\n", InvalidLevel, "line 3, column 1"),
        ("10%\n20%\n", InvalidNumber, "line 2, column 1: '20%'"),
        ("epsilon\n", InvalidNumber, "line 1, column 1: 'epsilon'"),
        ("[0.1]", InvalidNumber, "epsilons 1: 0.1"),
    ],
)
def test_files_that_are_no_budgets(write, content, error, where):
    with pytest.raises(error) as caught:
        Files().levels(write(content))
    assert where in str(caught.value)
    assert "m.csv: " in str(caught.value)


def test_a_file_of_budgets_that_is_not_there():
    with pytest.raises(InvalidNumber, match=r"'budgets\.csv' .*; there is no file of this name either"):
        Files().levels("budgets.csv")


def test_more_budgets_than_are_admitted(write):
    for content in ("0.1\n" * 10_001, "0.1," * 10_000 + "0.1"):
        with pytest.raises(InvalidRequest, match="10001"):
            Files().levels(write(content))
    assert len(Files().levels(write("epsilon\n" + "0.1\n" * 10_000))) == 10_000


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
    for bad in ('{"sideways": [[1]]}', "[[1]]", '{"backward": 5}', '{"backward": "no.csv"}'):
        with pytest.raises(InvalidRequest, match="user 'x'"):
            Files().users(write(f'{{"x": {bad}}}', "users.json"))


def test_rows_and_columns_are_counted_before_their_numbers_are_read(write, monkeypatch):
    monkeypatch.setattr("tploracle.wire.numerals.exact_row", None)
    with pytest.raises(InvalidRequest, match="too large: 2000000 columns, at most 1000 are admitted"):
        Files().matrix(write(",".join(["0"] * 2_000_000)))
    with pytest.raises(InvalidRequest, match=r"1002 rows of 3 entries \(from a log or .*, tploracle estimate makes"):
        Files().matrix(write("ann,1,home\n" * 1500))


TIMES = (["8", "9", "10"], ["2024-05-01", "2024-05-02", "2024-05-03"], ["08:00", "09:00", "10:00"], ["1/5/2024"] * 3)


@pytest.mark.parametrize("header", ["user,time,state\n", "visitor,when,page\n", ""])
@pytest.mark.parametrize("users", ["aab", "112"])
@pytest.mark.parametrize("times", TIMES, ids=lambda times: times[0])
def test_a_square_log_is_called_one(header, users, times, write):
    """With its header it has as many lines as columns, or one more."""
    pages = ["home", "b4", "home"] if times[0] == "8" else ["1", "2", "1"]
    lines = [f"{user},{time},{page}\n" for user, time, page in zip(users, times, pages, strict=True)]
    for rows in (3, 2) if header else (3,):
        with pytest.raises(InvalidNumber, match="this is not a table of numbers: from a log or from sequences"):
            Files().matrix(write(header + "".join(lines[:rows])))
    with pytest.raises(InvalidNumber, match="this is not a table of numbers"):
        Files().matrix(write("home work home\nwork work home\nhome home work\n"))


@pytest.mark.parametrize("wrong", ["O.5", "x", "", "n/a", "2024-05-01", "50%"])
@pytest.mark.parametrize("top", ["", "home,work,shop\n", "user,time,state\n", "-,home,work,shop\n"])
def test_a_matrix_with_a_mistake_is_not_called_a_log(wrong, top, write):
    index = ["home,", "work,", "shop,"] if top.startswith("-") else [""] * 3
    for row, column in product(range(3), repeat=2):
        rows = [["0.5", "0.25", "1/4"] for _ in range(3)]
        rows[row][column] = wrong
        with pytest.raises((InvalidNumber, InvalidRequest)) as told:
            Files().matrix(write(top + "\n".join(name + ",".join(own) for name, own in zip(index, rows, strict=True))))
        assert "a log" not in str(told.value)
    with pytest.raises(InvalidRequest, match="header and index have the same names"):
        Files().matrix(write("state,home,work\nHome,0.5,0.5\nWork,0.5,0.5\n"))


@pytest.mark.parametrize("separator", ["\t", ","])
def test_rows_of_any_lengths_end_in_an_error_by_name(separator, write):
    """With names, words, dates and numbers at the top and at the left, or none."""
    draw = Random(separator)
    refused = 0
    for _ in range(400):
        kinds = [["", "home", "work"], ["2024-05-01", "x"], ["0.5", "1", "3"], ["", "home", "1"]]
        rows = [[draw.choice(draw.choice(kinds)) for _ in range(draw.randint(1, 4))] for _ in range(draw.randint(1, 4))]
        try:
            Files().matrix(write("\n".join(map(separator.join, rows))))
        except (InvalidRequest, InvalidNumber, NotSquare, NotStochastic):
            refused += 1
    assert refused > 350


def test_states_of_one_user_are_named_alike(write):
    files = Files()
    backward, forward = write(",a,b\na,1,0\nb,0,1", "b.csv"), write(",b,a\nb,1,0\na,0,1", "f.csv")
    plain = write("1,0\n0,1", "p.csv")
    counted = write(json.dumps(COUNTS), "counts.json")
    for path in (backward, forward, plain):
        files.matrix(path)
    files.matrix(counted, "forward")
    files.check_states(backward, plain, counted)
    files.check_states(forward, plain)
    files.check_states(plain)
    with pytest.raises(InvalidRequest, match=r"b\.csv and .*f\.csv name their states differently: state 1 is 'a'"):
        files.check_states(backward, forward)
    users = write('{"x": {"backward": "b.csv", "forward": "f.csv"}}', "users.json")
    with pytest.raises(InvalidRequest, match=r"user 'x': .* name their states differently"):
        Files().users(users)
    inline = {"states": ["b", "a"], "matrix": [[1, 0], [0, 1]]}
    users = write(json.dumps({"x": {"backward": "b.csv", "forward": inline}}), "inline.json")
    with pytest.raises(InvalidRequest, match=r"user 'x': .* and x\.forward name their states differently"):
        Files().users(users)


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_name_that_no_file_has_is_an_error_by_name(name):
    with pytest.raises(InvalidRequest, match="there is no such file"):
        Files().matrix(name)
