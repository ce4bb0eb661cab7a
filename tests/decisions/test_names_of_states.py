"""What is a name and what is not: blanks around it are none of it, headers and identifiers are no states.

Two names that look like one are noted, of states and of users, by every way that reads them.
"""

import unicodedata
from fractions import Fraction
from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tploracle

from ..commands import answer, refused, value
from ..profiles import examples
from .tables import agreed, every_way_of_a_log, every_way_of_a_table, every_way_of_sequences

NUMBERS = st.integers(1, 8).map(str)
WORDS = st.text("abcdxyzABCéüñжあ019 _'.", max_size=6).map(lambda rest: f"K{rest}k")
OTHER = "m"
"""A name that looks like no other."""

TWINS = {
    "case": str.swapcase,
    "Unicode form": lambda name: unicodedata.normalize("NFD", name),
    "blanks": lambda name: f"{name[:1]} {name[1:]}",
    "underlines": lambda name: name.replace(" ", "_"),
    "hyphens": lambda name: name.replace("_", "-"),
    "zeros": lambda name: f"00{name}" if name.isdigit() else name,
    "decimals": lambda name: f"{name}.0" if name.isdigit() else name,
}
"""What makes of a name another that looks like it."""


@st.composite
def twins(draw):
    name = draw(WORDS | NUMBERS)
    twin = TWINS[draw(st.sampled_from([*TWINS]))](name)
    assume(twin not in (name, f"{name} "))
    return name, twin


@examples(12)
@given(
    twins(),
    st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=5), min_size=1, max_size=4),
    st.lists(st.sampled_from(["", " ", "\t", "  "]), min_size=40, max_size=40),
)
def test_blanks_around_a_name_are_none_of_it_and_names_that_look_like_one_are_noted(pair, drawn, blanks):
    names, other = [*pair, OTHER], iter(blanks)
    drawn = [[0, 1, 2, 1, 0], *drawn, [2, 1, 0, 2]]
    plain = [[names[at] for at in line] for line in drawn]
    padded = [[f"{next(other, '')}{name}{next(other, '')}" for name in line] for line in plain]
    states, transitions, notes = agreed(every_way_of_sequences(padded))
    assert {*states} == {*names}
    for before in names:
        for after in names:
            seen = sum(one == before and two == after for own in plain for one, two in pairwise(own))
            assert transitions[states.index(before)][states.index(after)] == seen
    assert all(len(each) == 1 and "two states" in each[0] for each in notes), notes
    sent = answer("estimate", sequences=plain, smoothing="1")
    assert sent["states"] == states
    assert sent["forward"] == [[str(Fraction(1 + own, 3 + sum(row))) for own in row] for row in transitions]
    visits = [(f"u{who}", time, name) for who, line in enumerate(padded) for time, name in enumerate(line)]
    assert agreed(every_way_of_a_log(visits))[:2] == (states, transitions)
    again = every_way_of_a_table([f" {name}" for name in states], transitions, [f"{name}  " for name in states])
    assert agreed(again)[:2] == (states, transitions)
    assert all(len(each) == 1 for each in agreed(again)[2])


@examples(12)
@given(twins(), st.sampled_from(["", " ", "  "]), st.booleans())
def test_two_users_whose_names_look_like_one_are_noted(pair, blank, is_twin):
    """A blank more makes no user; users who are alike but for what `TWINS` does are two, and that is noted."""
    one, two = pair if is_twin else (pair[0], OTHER)
    visits = [(one, 1, "x"), (f"{one}{blank}", 2, "y"), (two, 1, "x"), (two, 2, "x"), (one, 3, "x")]
    states, transitions, notes = agreed(every_way_of_a_log(visits))
    assert (states, transitions) == (["x", "y"], [[1, 1], [1, 0]])
    assert all(len(each) == is_twin and all("two users" in told for told in each) for each in notes)
    chain = {"forward": [["1/2", "1/2"], ["1/3", "2/3"]]}
    if is_twin:
        with pytest.warns(UserWarning, match="two users"):
            tploracle.Stream(users={one: chain, two: chain})


def test_no_name_stands_twice_for_what_blanks_tell_apart():
    table = [["1/2", "1/2"], ["1/3", "2/3"]]
    for own in ({"forward": table}, {"counts": [[1, 2], [3, 4]], "first": [1, 0]}, {"cycle": [table]}):
        with pytest.raises(tploracle.InvalidRequest, match="the name 'a' twice"):
            tploracle.Stream(own | {"states": ["a", "a "]})


def test_no_user_takes_the_place_of_another():
    chain = {"forward": [["1/2", "1/2"], ["1/3", "2/3"]]}
    with pytest.raises(tploracle.InvalidRequest, match="two have the name '1'"):
        tploracle.Stream(users={1: chain, "1": chain})


@examples(8)
@given(WORDS)
def test_what_is_not_seen_is_noted_in_frames_and_refused_in_texts(name):
    pair = (name, f"{name[:1]}\u200b{name[1:]}")
    with pytest.warns(UserWarning, match=r"U\+200B"):
        tploracle.transition_counts(pd.DataFrame([[3, 1], [2, 5]], index=pair, columns=pair))
    assert "U+200B" in refused("estimate", "-", "--separator", "comma", stdin=f"{','.join(pair)}\n")


@examples(10)
@given(st.permutations(["a", "b", "c"]), st.integers(3, 5), st.sampled_from(["drop", "state"]))
def test_headers_and_identifiers_are_no_states(names, lines, reading):
    body = [names * 2] * lines
    header = [[f"t{time}" for time in range(6)], *body]
    ids = [[f"u{number}", *line] for number, line in enumerate(body)]
    for table, what in ((header, "header"), (ids, "ids")):
        assert {*map(str, every_way_of_sequences(table).values())} == {"InvalidRequest"}
        states, transitions, _ = agreed(every_way_of_sequences(table, **{what: reading}))
        kept = [body, table][reading == "state"]
        assert {*states} == {name for line in kept for name in line}
        assert sum(map(sum, transitions)) == sum(len(line) - 1 for line in kept)
    command = ("estimate", "-", "--separator", "comma", "--counts", "--ids", "drop")
    text = "\n".join(",".join(line) for line in ids)
    assert value(*command, stdin=text)["states"] == sorted(names)
