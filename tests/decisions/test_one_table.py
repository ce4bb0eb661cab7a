"""One table is never a weak adversary unless that is asked for: who knows a chain forwards knows it backwards too."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tploracle

from ..commands import refused, run, value
from ..profiles import examples
from .enumerated import reversal, worst_tpl
from .tables import count_tables

EPSILON = 0.3
ASKED = {
    "leakage": ("--epsilon", EPSILON, "--steps", 3),
    "allocate": ("--alpha", "1", "--method", "upper-bound"),
    "composition": ("--epsilon", EPSILON, "--steps", 3, "--w", 2),
    "utility": ("--alpha", "1", "--steps", "3"),
    "attack": ("--epsilon", EPSILON, "--steps", 3),
    "spend": ("a.db", "--init", "--cap", "1"),
}
"""The commands whose answers are about an adversary."""


@st.composite
def tables(draw):
    """Draw a matrix of two or three values, all of which can follow all, in hundredths."""
    n = draw(st.integers(2, 3))
    weights = draw(st.lists(st.lists(st.integers(1, 50), min_size=n, max_size=n), min_size=n, max_size=n))
    return [[weight / 100 for weight in row[:-1]] + [(100 - sum(row[:-1])) / 100] for row in weights]


def written(table):
    return "\n".join(",".join(f"{entry:.2f}" for entry in row) for row in table)


@examples(3)
@given(tables(), st.sampled_from(["backward", "forward"]))
def test_the_leakage_of_one_table_is_that_of_both_directions(table, role):
    other = reversal(table)
    known = (table, other) if role == "backward" else (other, table)
    found = value("leakage", f"--{role}", "-", "--epsilon", EPSILON, "--steps", 3, stdin=written(table))
    for time, level in enumerate(found["worst_case"]["tpl"], 1):
        assert float(level["upper"]) == pytest.approx(worst_tpl(*known, [EPSILON] * 3, time), rel=1e-9)
    assert found["basis"]["adversary"].endswith("by its reversal")
    assert found["basis"]["chain"] == "both describe one stationary chain"


@pytest.mark.parametrize("command", ASKED)
def test_no_table_is_an_error(folder, command):
    assert refused(command, *ASKED[command]).startswith("InvalidRequest: no correlation is given")
    assert not (folder / "a.db").exists()


def test_independence_is_said(folder):
    assert value("allocate", *ASKED["allocate"], "--independent")["worst_case"]["epsilons"][0]["exact"] == "1"
    message = refused("allocate", *ASKED["allocate"], "--independent", "--backward", "l.csv")
    assert message.startswith("InvalidRequest: --independent excludes")
    (folder / "u.json").write_text('{"ann": {"forward": "l.csv"}, "eve": {}}')
    assert refused("leakage", "--users", "u.json", "--epsilon", "1", "--steps", 2).startswith(
        "InvalidRequest: eve: no c"
    )
    two = value("leakage", "--users", "u.json", "--epsilon", "1", "--steps", 2, "--independent")
    assert two["basis"]["adversary"] == "knows no correlation or knows P^F, and P^B by its reversal"


@pytest.mark.parametrize(
    ("table", "reason"),
    [("1,0\n0,1\n", "2 closed classes"), ("0.5,0.5\n0,1\n", "transient"), ("1,0,0\n0,1,0\n0.5,0,0.5\n", "2 closed")],
)
@pytest.mark.parametrize("command", ["allocate", "audit", "supremum"])
def test_where_no_reversal_follows_the_other_table_is_asked_for(folder, table, reason, command):
    (folder / "t.csv").write_text(table)
    asked = {"allocate": ("--forward", "t.csv", *ASKED["allocate"]), "audit": ("t.csv",)}
    message = refused(command, *asked.get(command, ("t.csv", "--cap", "1")))
    assert reason in message
    assert "give it as well" in message
    assert "--one-sided" in message


def test_one_side_alone_is_weaker_and_is_named(folder):
    """Of the example that misled: for ever 0.08 was said where who knows both admits half of it."""
    (folder / "ok.csv").write_text("0.97,0.03\n0.02,0.98\n")
    both, alone = (value("supremum", "ok.csv", "--cap", "1", *more) for more in ((), ("--one-sided",)))
    found = [float(each["worst_case"]["lower"]) for each in (both, alone)]
    assert found[1] > 1.5 * found[0]
    assert alone["basis"]["adversary"] == "knows P^B (ok.csv) alone"
    chain = [[0.97, 0.03], [0.02, 0.98]]
    assert worst_tpl(reversal(chain), chain, [found[0]] * 7, 4) <= 1


def test_a_reversal_keeps_the_names_of_states(folder):
    (folder / "n.csv").write_text(",home,work\nhome,0.9,0.1\nwork,0.2,0.8\n")
    assert value("reverse", "n.csv", "--stationary")["states"] == ["home", "work"]
    again = run("reverse", "n.csv", "--stationary", "--csv").stdout
    (folder / "back.csv").write_text(again)
    assert again.splitlines()[0].split(",") == ["", "home", "work"]
    assert value("reverse", "back.csv", "--stationary")["backward"] == [["9/10", "1/10"], ["1/5", "4/5"]]
    assert refused("leakage", "--forward", "n.csv", "--backward", "l.csv", "--epsilon", "1", "--steps", 2)


@pytest.mark.parametrize(
    "names", [("home", "work"), ("1", "2"), ("0.5", "0.25"), ("=sum", "-x"), ("a,b", 'say "x"'), ("Home", "At  Work")]
)
def test_a_matrix_that_is_written_keeps_the_names_of_states(folder, names):
    """Also those that a spreadsheet would take for formulas, which have an apostrophe in the file."""
    sequences = [[names[0], names[1], names[0], names[0]], [names[1], names[1], names[0]]]
    (folder / "s.json").write_text(json.dumps(sequences))
    (folder / "m.csv").write_text(run("estimate", "s.json", "--csv").stdout)
    (folder / "again.csv").write_text(run("smooth", "m.csv", "--s", "0", "--csv").stdout)
    kept = value("reverse", "again.csv", "--stationary")["states"]
    assert [name.removeprefix("'") for name in kept] == sorted(names)
    assert value("smooth", "again.csv", "--s", "1")["states"] == kept
    known = value("leakage", "--forward", "again.csv", "--epsilon", "1", "--steps", 2, "--knowing", f"2={kept[1]}")
    assert known["basis"]["values"] == f"{kept[1]} at time 2"


def test_smoothing_is_not_dropped(folder):
    (folder / "s.txt").write_text("a b a\n")
    assert "excludes --smoothing" in refused("estimate", "s.txt", "--counts", "--smoothing", "1")


@pytest.mark.parametrize(
    ("role", "is_forward"),
    [((), True), pytest.param(("--role", "forward"), True, marks=pytest.mark.slow), (("--role", "backward"), False)],
)
def test_counts_alone_are_of_one_chain(folder, role, is_forward):
    """Both ways they give two matrices that are no chain's: for ever one of them and its reversal."""
    counts = np.array([[30, 20, 9], [25, 20, 9], [4, 9, 20]])
    (folder / "counts.json").write_text(
        json.dumps({"states": list("abc"), "counts": counts.tolist(), "first": [2, 0, 0]})
    )
    known = counts / counts.sum(axis=1, keepdims=True) if is_forward else counts.T / counts.sum(axis=0)[:, None]
    chain = (reversal(known), known) if is_forward else (known, reversal(known))
    found = value("supremum", "counts.json", *role, "--cap", "1")
    assert found["basis"]["chain"] == "both describe one stationary chain"
    budget = float(found["worst_case"]["lower"])
    assert 0.7 < worst_tpl(*chain, [budget] * 5, 3) <= 1
    more = value("supremum", "counts.json", *role, "--epsilon", "0.5")["worst_case"]
    assert worst_tpl(*chain, [0.5] * 5, 3) <= float(more["upper"]) <= 1.2 * worst_tpl(*chain, [0.5] * 5, 3)


@examples(8)
@given(count_tables(), st.sampled_from(["backward", "forward"]))
def test_one_matrix_means_both_directions(table, role):
    _, rows = table
    matrix = tploracle.transition_counts(rows[:3] if len(rows) == 3 else [row[:3] for row in rows[:3]]).forward()
    text = "\n".join(",".join(row) for row in matrix.texts())
    found = value("leakage", f"--{role}", "-", "--epsilon", "0.1", "--steps", 3, stdin=text)["worst_case"]["tpl"]
    own = tploracle.worst_case_leakage(["0.1"] * 3, **{role: matrix}).tpl
    assert [level["upper"] for level in found] == [str(level.enclosure().upper) for level in own]
    alone = tploracle.worst_case_leakage(["0.1"] * 3, **{role: matrix}, one_sided=True).tpl
    assert all(float(one) <= float(both) for one, both in zip(alone, own, strict=True))
