"""Sequence files: names, the MSNBC format, zip, JSON, and errors with the line."""

import io
import json
import zipfile

import pytest

from tploracle.contract import limits
from tploracle.data import sequences
from tploracle.data.files import Files
from tploracle.data.sequences import count_file
from tploracle.reference import InvalidRequest

NAME = "s.txt"
MSNBC = (
    b"% Different categories found in input file:\r\n\r\nfront news\r\nmsn-news travel\r\n\r\n% Sequences:\r\n\r\n"
    b"1 1 \r\n2 \r\n4 2 2 \r\n% a remark\r\n1 2 4 \r\n"
)
# front→front, travel→news, news→news, front→news, news→travel; firsts: front, news, travel, front.
EXPECTED = ((1, 1, 0, 0), (0, 1, 0, 1), (0, 0, 0, 0), (0, 1, 0, 0))


def archive(*members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members:
            made.writestr(name, content)
    return stream.getvalue()


def check_msnbc(counts):
    assert counts.states == ("front", "news", "msn-news", "travel")
    assert counts.transitions == EXPECTED
    assert counts.first == (2, 1, 0, 1)


def test_the_msnbc_format(write):
    check_msnbc(count_file(write(MSNBC)))


def test_a_zip_of_it(write):
    made = archive(("clicks.seq", MSNBC), ("__MACOSX/", b""), ("__MACOSX/._clicks.seq", b"\x00junk"))
    check_msnbc(count_file(write(made, "clicks.zip")))


def test_names_on_lines(write):
    counts = count_file(write(b"% remark\nb a b\n\n% more\na\n"))
    assert (counts.states, counts.transitions, counts.first) == (("a", "b"), ((0, 1), (1, 0)), (1, 1))


def test_more_names_on_lines_than_a_header_has(write, monkeypatch):
    monkeypatch.setattr(sequences, "LONGEST_HEADER", 3)
    counts = count_file(write(b"a b\n" * 10))
    assert (counts.transitions, counts.first) == (((0, 10), (0, 0)), (10, 0))
    with pytest.raises(InvalidRequest, match="line 5"):
        count_file(write(b"a b\n" * 4 + b"% Sequences:\n1\n"))


def test_json(write):
    counts = count_file(write(json.dumps([["b", "a", "b"], [], ["a"]]).encode(), "s.json"))
    assert (counts.states, counts.transitions, counts.first) == (("a", "b"), ((0, 1), (1, 0)), (1, 1))


@pytest.mark.parametrize("content", [b"b a b\na\n", b'[["b", "a", "b"], ["a"]]'])
def test_standard_input(stdin, content):
    stdin(content)
    assert count_file("-").transitions == ((0, 1), (1, 0))


def test_counts_go_through_a_matrix_file(write):
    from tploracle.wire.values import counts_value

    counts = count_file(write(b"1 2 2 1\n2 1\n"))
    path = write(json.dumps(counts_value(counts, "made up")).encode(), "counts.json")
    for role in ("backward", "forward"):
        assert Files().matrix(path, role) == getattr(counts, role)()


@pytest.mark.parametrize(
    ("content", "name", "where"),
    [
        (MSNBC + b"1 5 \r\n", "s.txt", "line 13: '5' is not the number of one of the 4 states"),
        (MSNBC + b"0\r\n", "s.txt", "line 13: '0'"),
        (MSNBC + b"news\r\n", "s.txt", "line 13: 'news'"),
        (b"% Sequences:\n1\n", "s.txt", "no state is named"),
        (b"a a\n% Sequences:\n1\n", "s.txt", "named twice"),
        (b"a b\n\xff\n", "s.txt", "line 2 is not UTF-8: byte 1 is 0xff"),
        (b"", "s.txt", "no sequence"),
        (b"% only remarks\n", "s.txt", "no sequence"),
        (b"not a zip", "s.zip", "archive cannot be read"),
        (archive(), "s.zip", "holds 0 files"),
        (archive(("a", b"a"), ("b", b"b")), "s.zip", "holds 2 files"),
        (archive(("a", b"a b\n" * 1000))[:-200] + b"\0" * 178 + archive(("a", b""))[-22:], "s.zip", "archive"),
        (b'{"a": 1}', "s.json", "not an array"),
        (b"[[[1]]]", "s.json", "sequence 1"),
        (b"[[{}]]", "s.json", "sequence 1"),
    ],
)
def test_sequences_that_are_none(write, content, name, where):
    with pytest.raises(InvalidRequest) as caught:
        count_file(write(content, name))
    assert where in str(caught.value)
    assert name in str(caught.value)


def test_a_damaged_member_is_an_error(write):
    made = bytearray(archive(("a", b"".join(b"%d %d\n" % (i, i * i) for i in range(500)))))
    made[200:260] = bytes(60)
    with pytest.raises(InvalidRequest, match="archive cannot be read"):
        count_file(write(bytes(made), "s.zip"))


def test_too_many_states_and_too_long_lines(write, monkeypatch):
    with pytest.raises(InvalidRequest, match="too large"):
        count_file(write(" ".join(str(i) for i in range(limits.MOST_STATES + 1)).encode()))
    monkeypatch.setattr(sequences, "LONGEST_INPUT", 100)
    with pytest.raises(InvalidRequest, match="line 2 has more than 100 bytes"):
        count_file(write(b"a b\n" + b"a " * 51 + b"\n"))


def test_progress_counts_bytes(write, monkeypatch):
    monkeypatch.setattr(sequences, "_LINES_PER_REPORT", 2)
    seen = []
    count_file(write(b"a b\n" * 5), lambda done, total: seen.append((done, total)))
    assert seen == [(8, 20), (16, 20)]


@pytest.mark.parametrize(
    "line", ["home,news,home", "home;news", "home|news", "home -> news", "a b\tc d", "x → y", "b a, c"]
)
def test_what_may_be_another_separator_is_asked_for(write, line):
    with pytest.raises(InvalidRequest, match=r"s\.txt: line 2, column \d+: .* --separator: blank, tab"):
        count_file(write(f"a b\n{line}\n".encode()))
    with pytest.raises(InvalidRequest, match="column 5: ',' may separate names"):
        count_file(write(b"home,news,home\n" * 3))


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("home,news,home\nnews\n", "comma"),
        ("home, news ,home,,\r\nnews,\r\n", ","),
        ('home,"news",home\n\n"news"\n', "comma"),
        ("home;news;home\nnews\n", "semicolon"),
        ("home\tnews\thome\nnews\n", "tab"),
        ("home\tnews  home\nnews\n", "blank"),
        ("\ufeffhome|news|home\nnews\n", "bar"),
        ("home -> news->home\nnews\n", "->"),
    ],
)
def test_separators(write, text, separator):
    counts = count_file(write(text.encode()), separator=separator)
    assert (counts.states, counts.transitions, counts.first) == (("home", "news"), ((0, 1), (1, 0)), (1, 1))


def test_names_may_have_blanks_and_marks_where_that_is_said(write):
    assert count_file(write(b"the news,home\n"), separator="comma").states == ("home", "the news")
    assert count_file(write(b"a,b c\n"), separator="blank").states == ("a,b", "c")
    assert count_file(write(b'"a,b",c\n'), separator="comma").states == ("a,b", "c")


def test_the_msnbc_format_with_commas(write):
    counts = count_file(write(b"front,news\n% Sequences:\n1,2,2\n"), separator="comma")
    assert (counts.states, counts.transitions) == (("front", "news"), ((0, 1), (0, 1)))


@pytest.mark.parametrize(
    ("content", "separator", "where"),
    [
        (b"a,b\na,,b\n", "comma", "line 2, name 2 is empty: '' says that the value is missing"),
        (b"a,b\n,b\n", "comma", "line 2, name 1 is empty"),
        (b'a,b\na,"b\n', "comma", "line 2 is not CSV"),
        (b"a b\n", "", "--separator: '' cannot"),
        (b"a b\n", " ", "--separator: ' ' cannot"),
        (b"a b\n", '"', "cannot separate names"),
    ],
)
def test_separator_errors(write, content, separator, where):
    with pytest.raises(InvalidRequest) as caught:
        count_file(write(content), separator=separator)
    assert where in str(caught.value)


def test_json_has_no_separator(write):
    with pytest.raises(InvalidRequest, match=r"s\.json: --separator is for text"):
        count_file(write(b"[]", "s.json"), separator="comma")


def test_json_on_standard_input_is_bounded(stdin, monkeypatch):
    stdin(b'["a",\n' * 30)
    monkeypatch.setattr(sequences, "LONGEST_INPUT", 100)
    with pytest.raises(InvalidRequest, match="more than 100 characters of JSON"):
        count_file("-")
