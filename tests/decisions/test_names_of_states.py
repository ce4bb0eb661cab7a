"""Headers and identifiers are no states, and names that look like one are noted."""

import pandas as pd
import pytest

import tploracle

from ..commands import refused, run, value


def test_headers_and_identifiers_are_no_states():
    header, ids = "t1,t2,t3\na,b,a\nb,a,b\na,b,b\n", "u1,a,b,a\nu2,b,a\nu3,a,b\n"
    command = ("estimate", "-", "--separator", "comma", "--counts")
    assert "--header drop" in refused(*command, stdin=header)
    assert "--ids drop" in refused(*command, stdin=ids)
    assert value(*command, "--header", "drop", stdin=header)["counts"] == [[0, 3], [2, 1]]
    assert value(*command, "--ids", "drop", stdin=ids)["counts"] == [[0, 2], [2, 0]]
    assert "u1" in value(*command, "--ids", "state", stdin=ids)["states"]


@pytest.mark.parametrize(
    "names",
    [("Home", "HOME"), ("Zu\u0308rich", "Z\u00fcrich"), ("1", "01"), ("At work", "Atwork"), ("At  work", "At work")],
)
def test_names_that_look_like_one_are_noted(names):
    one, two = names
    text = f"{one},{two},{one},{one}\n{two},{two}\n"
    assert "two states whose names look like one" in run("estimate", "-", "--separator", "comma", stdin=text).stderr
    for pair in (names, (one, f"{one[:1]}\u200b{one[1:]}")):  # the second in frames alone: texts refuse invisible marks
        table = pd.DataFrame([[3, 1], [2, 5]], index=pair, columns=pair)
        with pytest.warns(UserWarning, match="look like one"):
            tploracle.transition_counts(table)
