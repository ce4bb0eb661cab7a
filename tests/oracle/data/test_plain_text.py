"""Text: lines end in LF or CR LF, blanks are spaces and tabs; all other white space is an error with its place."""

from random import Random

import pytest

from tploracle.conformance.ask.runner import read_xfails
from tploracle.data.files import Files
from tploracle.data.logs import LogColumns
from tploracle.data.plain_text import check_plain
from tploracle.data.sequences import count_file
from tploracle.data.visit_counts import count_log_file
from tploracle.reference import InvalidRequest

from ...fuzz import separators

COLUMNS = LogColumns("user", "time", "state")

READERS = {
    "sequences": ("a b\nb {} a\n", count_file),
    "sequences with commas": ("a,b\nb,{}a\n", lambda path: count_file(path, separator="comma")),
    "comments": ("% of a {}\na b\n", count_file),
    "numbered": ("a b\n% Sequences:\n1 {} 2\n", count_file),
    "log": ("user,time,state\nann,1,a\nann,2,b{}c\n", lambda path: count_log_file(path, COLUMNS)),
    "header": ("user,time,state,x{}y\nann,1,a,0\n", lambda path: count_log_file(path, COLUMNS)),
    "matrix": ("0.5,0.5\n0.5{},0.5\n", lambda path: Files().matrix(path)),
    "matrix with blanks": ("0.5 0.5\n0.5 {} 0.5\n", lambda path: Files().matrix(path)),
    "names": ("a{}b,c\n0.5,0.5\n0.5,0.5\n", lambda path: Files().matrix(path)),
    "distribution": ("0.5,0.5{}\n", lambda path: Files().distribution(path)),
    "budgets": ("0.1\n0.2{}\n", lambda path: Files().levels(path)),
    "known failures": ("loss-1 because {} of rounding\n", read_xfails),
}


def read(folder, name, inserted):
    text, reader = READERS[name]
    path = folder / "t.txt"
    path.write_bytes(text.replace("{}", inserted).encode())
    return reader(str(path))


@pytest.mark.parametrize("name", READERS)
def test_each_reader_refuses_all_that_is_no_blank_with_its_line(tmp_path, name):
    read(tmp_path, name, "")
    line = READERS[name][0].partition("{}")[0].count("\n") + 1
    for char in separators.STRANGE:
        if char == "\r" and "{}\n" in READERS[name][0]:
            continue  # the end of a line
        with pytest.raises(InvalidRequest, match=rf"line {line}, column [0-9]+: U\+{ord(char):04X}"):
            read(tmp_path, name, char)


def test_texts_mean_what_they_show_or_are_refused():
    for number in range(300):
        separators.attack(Random(number))


def test_a_separator_that_is_asked_for_may_be_any_character(tmp_path):
    for mark in ("\x1f", "\x01", "\u00a0", "\u2028"):
        (tmp_path / "s.txt").write_text(f"a{mark}b{mark}a\n", encoding="utf-8")
        assert count_file(str(tmp_path / "s.txt"), separator=mark).transitions == ((0, 1), (1, 0))
        log = mark.join(("user", "time", "state")) + "".join(f"\nann{mark}{time}{mark}a" for time in (1, 2))
        (tmp_path / "l.csv").write_text(log, encoding="utf-8")
        assert count_log_file(str(tmp_path / "l.csv"), COLUMNS, separator=mark).counts.transitions == ((1,),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"a\nb",c\n0.5,0.5\n0.5,0.5\n', """line 1: '"a' has a quotation mark"""),
        ('c,"a\nb"\n0.5,0.5\n0.5,0.5\n', "line 1 is not CSV: unexpected end of data; a quoted cell ends with its line"),
        ('"New York" b\n0.5 0.5\n0.5 0.5\n', """line 1: '"New' has a quotation mark"""),
    ],
)
def test_a_quoted_cell_ends_with_its_line(tmp_path, text, message):
    (tmp_path / "m.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidRequest, match=message):
        Files().matrix(str(tmp_path / "m.csv"))


def test_letters_marks_and_joiners_are_plain():
    check_plain("a\tb c\r\né日本 \u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f52c\n")
