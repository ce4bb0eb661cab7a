"""Logs of visits: sorted by time for each user, and errors with the line and column."""

import io
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.contract import limits
from tploracle.data import visit_counts
from tploracle.data.logs import LogColumns
from tploracle.data.visit_counts import count_log_file, count_visits
from tploracle.reference import InvalidRequest, count_transitions

pytestmark = pytest.mark.filterwarnings("ignore:.*each visit counts as one step")

NAME = "log.csv"
COLUMNS = LogColumns("user", "time", "page")
# u1 home, news, home; u2 news, news
LOG = "user,time,page\nu1,3,home\nu2,1,news\nu1,1,home\nu1,2,news\nu2,10,news\n"
DATES = """n,page,time,user
1,home,2024-05-31T08:00,u1
2,news,2024-05-31 08:00:01,u1
3,home,2024-06-01,u1
4,news,2024-06-01,u2
5,news,2025-01-01,u2
"""
OFFSETS = """user,time,page
u1,2024-05-31T10:00+02:00,home
u1,2024-05-31T08:30Z,news
u1,2024-05-31T12:00+02:00,home
u2,2024-05-31T10:00Z,news
u2,2024-05-31T12:00Z,news
"""
EXPECTED = count_transitions([["home", "news", "home"], ["news", "news"]])


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        (LOG, None),
        ("\ufeff" + LOG.replace("\n", "\r\n\r\n"), None),
        (LOG.replace(",", " , "), "comma"),
        (LOG.replace(",", ";"), ";"),
        (LOG.replace(",", "\t"), "tab"),
        (LOG.replace(",1,", ",1/2,").replace(",10,", ",1e1,"), None),
        (DATES, None),
        (OFFSETS, None),
        ('user,time,page\n"u1",1,"home"\nu1,2,news\nu1,3,home\n"u2",1,news\nu2,2,news\n', None),
    ],
)
def test_logs(write, text, separator):
    assert count_log_file(write(text), COLUMNS, separator=separator).counts == EXPECTED


def test_a_zip_of_a_log(write):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        made.writestr("log.csv", LOG)
    assert count_log_file(write(stream.getvalue(), "log.zip"), COLUMNS).counts == EXPECTED


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "no sequence"),
        ("user,time,page\n", "no sequence"),
        ("user,time\nu1,1\n", "line 1: the column 'page' is not in the header, which has 'user', 'time'"),
        ("user,time,page,page\n", "line 1: the column 'page' is twice"),
        ("user;time;page\n", "need --separator, as in --separator semicolon"),
        ("u1,1,home\nu1,2,news\n", "line 1: the column 'user' is not in the header"),
        ("user,time,page\nu1,1\n", "line 2 has 2 columns, the header has 3"),
        ("user,time,page\nu1,1,home,\n", "line 2 has 4 columns"),
        ("user,time,page\nu1,,home\n", "line 2, column 2: 'time' is empty"),
        ("user,time,page\n ,1,home\n", "line 2, column 1: 'user' is empty"),
        ("user,time,page\nu1,1,\n", "line 2, column 3: 'page' is empty"),
        ("user,time,page\nu1,31/05/2024,home\n", "line 2, column 2: '31/05/2024' is not a time"),
        ("user,time,page\nu1,nan,home\n", "line 2, column 2: 'nan' says that it is missing"),
        ("user,time,page\nu1,soon,home\n", "ISO 8601"),
        ("user,time,page\nu1,1,a\nu2,2024-05-31,a\n", "line 3: 2024-05-31 is a time without an offset"),
        ("user,time,page\nu1,2024-05-31T08:00Z,a\nu2,2024-05-31,a\n", "but each time before it is a time with an"),
        ("user,time,page\nu1,1,a\nu2,1,b\nu1,1.0,b\n", "line 4: user 'u1' has a visit at 1 already (line 2)"),
        ("user,time,page\nu1,2024-05-31T10:00+02:00,a\nu1,2024-05-31T08:00Z,a\n", "line 3: user 'u1' has a visit"),
        ('user,time,page\nu1,1,"a\n', "line 2 is not CSV"),
        (b"user,time,page\nu1,1,\xff\n", "line 2 is not UTF-8"),
    ],
)
def test_errors(write, text, where):
    with pytest.raises(InvalidRequest) as caught:
        count_log_file(write(text), COLUMNS)
    assert where in str(caught.value)
    assert "log.csv: " in str(caught.value)


def test_columns_are_three():
    with pytest.raises(InvalidRequest, match="three different columns"):
        LogColumns("user", "user", "page")


def test_a_log_is_not_apart_by_blanks(write):
    with pytest.raises(InvalidRequest, match="not by blanks"):
        count_log_file(write(LOG), COLUMNS, separator="blank")


def test_too_many_visits(write, monkeypatch):
    monkeypatch.setattr(visit_counts, "MOST_VISITS", 4)
    with pytest.raises(InvalidRequest, match="too large: more than 4 visits"):
        count_log_file(write(LOG), COLUMNS)
    assert limits.MOST_VISITS > 1_000_000


@pytest.mark.parametrize(
    "times",
    [
        (1, 2, 3),
        (0.5, 0.75, 1.0),
        (Fraction(1, 3), 1, Decimal("1.5")),
        ("1", 2, "5/2"),
        (date(2024, 5, 31), datetime(2024, 5, 31, 1), datetime(2024, 6, 1)),
        tuple(datetime(2024, 5, day, tzinfo=UTC) for day in (1, 2, 3)),
    ],
)
def test_rows_in_memory(times):
    rows = [("u", times[2], "b"), ("u", times[0], "a"), (7, times[0], "b"), ("u", times[1], "a")]
    assert count_visits(rows, COLUMNS) == count_transitions([["a", "a", "b"], ["b"]])


@pytest.mark.parametrize(
    ("row", "where"),
    [
        ((None, 1, "a"), "row 1: 'user' is empty"),
        (("u", None, "a"), "row 1: 'time' is empty"),
        (("u", float("nan"), "a"), "row 1: 'time' is empty"),
        (("u", 1, float("nan")), "row 1: 'page' is empty"),
        (("u", float("inf"), "a"), "row 1: inf is not a time"),
        (("u", True, "a"), "row 1: True is not a time"),
    ],
)
def test_rows_in_memory_that_are_wrong(row, where):
    with pytest.raises(InvalidRequest, match=where):
        count_visits([row], COLUMNS)


@given(st.lists(st.tuples(st.sampled_from("uvw"), st.integers(-50, 50), st.sampled_from("abc")), min_size=1))
def test_the_order_of_lines_does_not_matter(rows):
    seen = {(user, time) for user, time, _ in rows}
    if len(seen) < len(rows):
        with pytest.raises(InvalidRequest, match="already"):
            count_visits(rows, COLUMNS)
        return
    sequences = [[s for _, s in sorted((t, s) for u, t, s in rows if u == user)] for user in "uvw"]
    assert count_visits(rows, COLUMNS) == count_transitions(sequences)
