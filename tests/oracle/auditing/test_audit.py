"""`tploracle audit`: its numbers are those of the other commands, its page stands alone, each ending is right."""

import json
import re
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import log, tanh
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.auditing import audit as module
from tploracle.auditing import audit_html, audit_terminal, worst_case
from tploracle.auditing.audit import TABLE_LEVELS, audit, worst_of
from tploracle.auditing.audit_json import audit_value
from tploracle.auditing.audit_text import names_text, number_text, times_text
from tploracle.cli import audit_command
from tploracle.output.sheets import Sheet
from tploracle.reference import (
    INFINITE,
    Adversary,
    Level,
    TransitionMatrix,
    Undecided,
    greatest_tight_budget,
    leakage,
    loss_function,
    parse_level,
    supremum,
    tight_leakage,
    tight_supremum,
)

from ...commands import answer as wire_answer
from ...commands import csv_rows
from ...commands import run as run_command
from ...commands import value as command_value
from ...matrices import DIVERGES, MODERATE, PAPER_L, SKEWED, STRONGEST, UNCORRELATED, texts_of
from ...pages import Page
from ...profiles import examples
from ...strategies import everyday_levels, matrices

BACKWARD, FORWARD, EXAMPLE = texts_of(MODERATE), texts_of(SKEWED), texts_of(PAPER_L)
SPLIT = [["0.8", "0.1", "0.1"], ["0", "0.5", "0.5"], ["0", "0.5", "0.5"]]  # MODERATE, its second state in two halves
TIES = TransitionMatrix.of([["1/2", "1/4", "1/4"], ["0", "1/2", "1/2"], ["1/3", "1/3", "1/3"]])
COUNTS = {"states": ["home", "shop"], "counts": [[3, 1], [2, 4]], "first": [1, 0]}
COUNTS_BACKWARD = [["3/5", "2/5"], ["1/5", "4/5"]]
COUNTS_FORWARD = [["3/4", "1/4"], ["1/3", "2/3"]]

run = partial(run_command, "audit")
value = partial(command_value, "audit")
answer = partial(wire_answer, digits=8)


@pytest.fixture
def folder(folder):
    (folder / "halves.csv").write_text("1/2,1/2\n1/4,3/4\n")
    (folder / "one.csv").write_text("1\n")
    users = {"alice": {"backward": "m.csv", "forward": "f.csv"}, "bob": {"backward": "l.csv"}, "eve": {}}
    for name, document in {
        "counts.json": COUNTS,
        "two.json": {"backward": BACKWARD, "forward": FORWARD},
        "late.json": {"forward": FORWARD, "states": ["x", "y"]},
        "u.json": users,
    }.items():
        write(folder / name, document)
    return folder


def write(path, document):
    path.write_text(json.dumps(document))


@pytest.fixture
def without_pictures(monkeypatch):
    monkeypatch.setattr(audit_html.html_pages, "picture", lambda figure, caption: "")


def test_the_exact_worst_case_beside_the_bounds(folder, without_pictures):
    given = ("d.csv", "--epsilon", "log(3/2)", "--steps", 4, "--alpha", "1/2")
    found = value(*given, "--tight")
    (user,) = found["users"]
    budgets, matrix = [parse_level("log(3/2)")] * 4, DIVERGES
    exact = tight_leakage(budgets, matrix).tpl[3].enclosure(8)
    assert user["exact"]["tpl"] == {
        "exact": user["exact"]["tpl"]["exact"],
        "lower": str(exact.lower),
        "upper": str(exact.upper),
        "times": [4],
    }
    assert float(user["worst"]["tpl"]["lower"]) > float(exact.upper)
    assert user["for_ever"]["tpl"]["exact"] == "inf"
    assert user["exact"]["for_ever"]["lower"] == "0.83538695"
    greatest = greatest_tight_budget(parse_level("1/2"), matrix, digits=8)
    assert abs(Fraction(user["exact"]["budget_for_ever"]["exact"]) - greatest.rational) <= Fraction(1, 10**8)
    assert Fraction(user["budget_for_ever"]["upper"]) < greatest.rational
    assert user["one_chain"] is None
    (told,) = (text for text in found["findings"] if text.startswith("Exact worst case"))
    for number in ("0.821614", "0.835386", "at time 4", "exceeded by none"):
        assert number in told
    screen = run(*given, "--tight").stdout
    assert "The paper's bounds and the exact worst case" in screen
    assert told in screen
    run(*given, "--tight", "--html", "x.html")
    assert "The paper&#x27;s bounds and the exact worst case" in (folder / "x.html").read_text(encoding="utf-8")
    without = value(*given)
    assert without["users"][0]["exact"] is None
    assert not any("Exact worst case" in text for text in without["findings"])


def test_the_exact_worst_case_of_several_people(folder):
    found = value("--users", "u.json", "--epsilon", "log(11/10)", "--steps", 3, "--tight")
    own = {user["name"]: user["exact"] for user in found["users"]}
    assert own["eve"]["tpl"]["exact"] == own["eve"]["for_ever"]["exact"] == "log(11/10)"
    assert own["eve"]["budget_for_ever"]["exact"] == "1"
    tpl = tight_leakage([parse_level("log(11/10)")] * 3, MODERATE, SKEWED).tpl
    assert own["alice"]["tpl"]["exact"] == max(tpl).exact_text
    sentence = next(text for text in found["findings"] if text.startswith("Exact worst case"))
    assert "(alice)" in sentence
    strong = value("strong.csv", "--role", "both", "--tight", "--steps", 2)
    assert strong["users"][0]["exact"]["budget_for_ever"] is None
    assert strong["users"][0]["exact"]["for_ever"]["exact"] == "inf"
    assert "no constant budget" in next(text for text in strong["findings"] if text.startswith("Exact worst case"))


def test_whether_both_matrices_are_one_chains(folder):
    """Of the chain FORWARD the stationary distribution is 1/3, 2/3, so that its reversal is itself: two values are."""
    write(folder / "fit.json", {"backward": FORWARD, "forward": FORWARD})
    found = value("fit.json")
    assert found["users"][0]["one_chain"] == {
        "is_reversal": True,
        "difference": "0",
        "place": [1, 1],
        "refusal": None,
        "with_reversal": {"bound": None, "exact": None},
    }
    assert "P^B is the reversal of P^F: both are one stationary chain's at all times." in found["findings"]
    apart = value("two.json", "--tight", "--epsilon", "0.1")["users"][0]["one_chain"]
    # BACKWARD has 0.2 and 0 off the diagonal, the reversal 0.2 and 0.1: row 2, where 0 and 1 stand for 0.1 and 0.9.
    assert (apart["is_reversal"], apart["difference"], apart["place"]) == (False, "1/10", [2, 1])
    level, chain = parse_level("0.1"), SKEWED
    exact = tight_supremum(level, chain, chain).enclosure(8)
    assert apart["with_reversal"]["exact"]["lower"] == str(exact.lower)
    recursion = supremum(loss_function(chain), level).level
    bound = recursion + loss_function(chain)(recursion)
    assert apart["with_reversal"]["bound"]["upper"] == str(bound.enclosure(8).upper)
    told = next(text for text in value("two.json", "--tight")["findings"] if "not the reversal" in text)
    assert "entries differ by up to 1/10 (row 2, column 1)" in told
    assert "an adversary who believes both, not about one chain" in told
    assert "reverse --stationary" in told
    untold = next(text for text in value("two.json")["findings"] if "not the reversal" in text)
    assert "makes the reversal." in untold


@pytest.mark.parametrize(
    ("forward", "why"), [([["1", "0"], ["0", "1"]], "2 closed classes"), ([["0.5", "0.5"], ["0", "1"]], "transient")]
)
def test_a_chain_without_a_reversal(folder, forward, why):
    write(folder / "none.json", {"backward": BACKWARD, "forward": forward})
    found = value("none.json")
    chain = found["users"][0]["one_chain"]
    assert (chain["is_reversal"], chain["difference"], chain["place"]) == (False, None, None)
    assert why in chain["refusal"]
    assert any(text.startswith("P^F has no reversal") for text in found["findings"])


def test_chains_of_several_people(folder):
    users = {"ann": {"backward": BACKWARD, "forward": FORWARD}, "bob": {"backward": FORWARD, "forward": FORWARD}}
    write(folder / "v.json", users)
    told = [text for text in value("--users", "v.json")["findings"] if "reversal" in text]
    assert len(told) == 1
    assert told[0].startswith("P^B is not the reversal of P^F: ann. ")


def test_what_is_too_large_to_compare_is_left_out(folder, monkeypatch):
    monkeypatch.setattr(worst_case, "MOST_REVERSED_STATES", 1)
    assert any("what the reversal" in text for text in value("two.json", "--tight")["left_out"])
    monkeypatch.setattr(worst_case, "MOST_STATIONARY_STATES", 1)
    assert any("whether P^B is the reversal" in text for text in value("two.json")["left_out"])


# The numbers


@pytest.mark.parametrize(
    ("args", "known"),
    [
        (("l.csv",), {"backward": EXAMPLE}),
        (("m.csv", "--role", "forward"), {"forward": BACKWARD}),
        (("two.json",), {"backward": BACKWARD, "forward": FORWARD}),
        (
            ("counts.json", "--epsilon", "log(2)", "--steps", 4),
            {"backward": COUNTS_BACKWARD, "forward": COUNTS_FORWARD},
        ),
        (
            ("l.csv", "--role", "both", "--epsilon", "1/3", "--alpha", "log(9)"),
            {"backward": EXAMPLE, "forward": EXAMPLE},
        ),
        (("--backward", "m.csv", "--forward", "f.csv"), {"backward": BACKWARD, "forward": FORWARD}),
    ],
)
def test_numbers_of_one_user_are_those_of_the_operations(folder, args, known):
    options = dict(pairwise(args))
    epsilon, alpha = options.get("--epsilon", "0.1"), options.get("--alpha", "1")
    epsilons = [epsilon] * options.get("--steps", 10)
    found = value(*args)
    (user,) = found["users"]
    assert user["roles"] == list(known)
    leakage = answer("leakage", **known, epsilons=epsilons)
    assert user["leakage"] == leakage
    for kind in ("bpl", "fpl", "tpl"):
        worst = user["worst"][kind]
        assert float(worst["upper"]) == max(float(level["upper"]) for level in leakage[kind])
        assert all(leakage[kind][time - 1]["upper"] == worst["upper"] for time in worst["times"])
        assert worst == {key: item for key, item in found["worst"][kind].items() if key != "attained_by"}
    suprema = {role: answer("supremum", matrix=rows, epsilon=epsilon) for role, rows in known.items()}
    for role, kind in (("backward", "bpl"), ("forward", "fpl")):
        if role in known:
            level = {key: suprema[role][key] for key in ("exact", "lower", "upper")}
            assert user["for_ever"][kind] == level
            assert user["ruling"][role] == {key: suprema[role][key] for key in ("q", "d", "rows", "subset")}
        else:
            assert user["for_ever"][kind]["exact"] == str(Fraction(epsilon))
    constant = answer("allocate", **known, alpha=alpha, method="upper-bound")["epsilons"][0]
    assert user["budget_for_ever"] == constant
    fitted = answer("allocate", **known, alpha=alpha, method="quantified", horizon=3)["epsilons"]
    assert [user["schedule"][place] for place in ("first", "middle", "last")] == fitted


def test_tpl_for_ever_is_where_a_long_stream_ends(folder):
    found = value("two.json", "--epsilon", "0.05", "--digits", 12)["users"][0]["for_ever"]
    long = answer("leakage", digits=12, backward=BACKWARD, forward=FORWARD, epsilons=["0.05"] * 601)
    assert long["tpl"][300]["upper"] == found["tpl"]["upper"]
    assert long["bpl"][-1]["upper"] == found["bpl"]["upper"]


@pytest.mark.parametrize("args", [("l.csv",), ("counts.json",)])
def test_the_loss_function_and_its_values(folder, args):
    for matrix in value(*args)["matrices"]:
        role = matrix["used_as"][0]["role"]
        rows = {"l.csv": EXAMPLE, "counts.json": COUNTS_BACKWARD if role == "backward" else COUNTS_FORWARD}[args[0]]
        function = matrix["loss_function"]
        assert function["pieces"] == answer("loss_function", matrix=rows)["pieces"]
        for asked, found in zip(TABLE_LEVELS, function["values"], strict=True):
            expected = answer("loss", matrix=rows, alpha=asked)
            assert found == {"alpha": asked, **{key: expected[key] for key in ("exact", "lower", "upper")}}
        limit = answer("loss", matrix=rows, alpha="inf")
        assert function["at_infinity"] == {key: limit[key] for key in ("exact", "lower", "upper")}
        distances = [
            sum(abs(Fraction(a) - Fraction(b)) for a, b in zip(p, q, strict=True)) / 2 for p in rows for q in rows
        ]
        assert Fraction(function["slope_at_zero"]) == max(distances)


def test_where_leakage_grows_without_bound(folder):
    # Rows (4/5, 1/5) and (0, 1): q = 4/5 in the column that the other row lacks.
    (user,) = value("m.csv", "--epsilon", "log(6/5)")["users"]
    assert user["without_bound_from"]["exact"] == "log(5/4)"
    assert user["for_ever"]["tpl"]["exact"] == "log(6)"
    loss = loss_function(MODERATE)
    for ratio, is_infinite in ((Fraction(5, 4), True), (Fraction(5, 4) - Fraction(1, 10**30), False)):
        assert supremum(loss, Level.of_ratio(ratio)).level.is_infinite == is_infinite
    at = value("m.csv", "--epsilon", "log(5/4)")
    assert at["users"][0]["for_ever"]["tpl"]["exact"] == "inf"
    assert "without bound from ε = 0.2231435[5,6] = log(5/4) on." in at["findings"][2]
    below = value("m.csv", "--epsilon", "log(6/5)")["findings"][2]
    assert "stays within 1.791759[4,5] = log(6)" in below
    assert below.endswith("on, 0.040[8,9] = log(25/24) more.")
    assert value("l.csv")["users"][0]["without_bound_from"] is None
    assert value("strong.csv")["users"][0]["without_bound_from"]["exact"] == "0"


def test_no_budget_and_one_release(folder):
    found = value("strong.csv")
    assert found["users"][0]["budget_for_ever"] is None
    assert "two rows with disjoint supports" in found["users"][0]["refusal"]
    assert "no constant budget: the backward correlation has two rows" in found["findings"][3]
    alone = value("strong.csv", "--steps", 1)["users"][0]["schedule"]
    assert {place: level["exact"] for place, level in alone.items()} == {"first": "1"}
    assert list(value("l.csv", "--steps", 2)["users"][0]["schedule"]) == ["first", "last"]
    assert value("l.csv", "--alpha", 0)["users"][0]["refusal"] == "a level of 0 leaves no budget at all"


def test_infinite_and_zero_budgets(folder):
    infinite = value("l.csv", "--epsilon", "inf", "--alpha", "inf")
    assert infinite["users"][0]["for_ever"]["tpl"]["exact"] == "inf"
    assert infinite["findings"][2].endswith("TPL grows without bound; it is bounded for every finite budget.")
    nothing = value("l.csv", "--epsilon", "0")
    assert nothing["worst"]["tpl"]["exact"] == nothing["users"][0]["for_ever"]["tpl"]["exact"] == "0"


def test_the_structure_counts_from_one(folder):
    found = value("l.csv")["matrices"][0]["structure"]
    assert found["classes"] == [{"states": [1, 2, 3], "closed": True, "period": 1}]
    assert found["nearest_rows"] == {"rows": [2, 3], "value": "1/5", "exact": True}
    assert found["contrast"]["rows"] == [1, 3]
    # (0.5·0.7)/(0.1·0.2) = 35/2, and tanh of a quarter of its logarithm.
    assert found["contrast"]["value"] == "35/2"
    assert float(found["birkhoff"]["upper"]) == pytest.approx(tanh(log(35 / 2) / 4), abs=1e-7)
    assert found["as_doubles"]["rows_that_miss_1"] == [1]
    identity = value("strong.csv")["matrices"][0]["structure"]
    assert (identity["first_without_common_column"], identity["identity"]) == ([1, 2], True)


# Several users


def test_the_worst_user_of_each_quantity(folder):
    found = value("--users", "u.json", "--epsilons", "0.1,0.2,0.05")
    users = {user["name"]: user for user in found["users"]}
    assert list(users) == ["alice", "bob", "eve"]
    assert users["eve"]["roles"] == []
    everyone = answer("leakage", backward=BACKWARD, forward=FORWARD, epsilons=["0.1", "0.2", "0.05"])
    assert users["alice"]["leakage"] == everyone
    for kind in ("bpl", "fpl", "tpl"):
        highest = max(float(user["worst"][kind]["upper"]) for user in users.values())
        names = [name for name, user in users.items() if float(user["worst"][kind]["upper"]) == highest]
        assert (float(found["worst"][kind]["upper"]), found["worst"][kind]["attained_by"]) == (highest, names)
    # For ever means the greatest budget of the schedule.
    assert users["eve"]["for_ever"]["tpl"]["exact"] == "1/5"
    assert found["worst"]["for_ever"]["tpl"]["attained_by"] == ["alice"]
    assert found["worst"]["without_bound_from"]["attained_by"] == ["alice"]
    constants = {name: float(user["budget_for_ever"]["upper"]) for name, user in users.items()}
    assert found["worst"]["budget_for_ever"]["attained_by"] == [min(constants, key=constants.get)]
    for place in ("first", "middle", "last"):
        own = [float(user["schedule"][place]["upper"]) for user in users.values()]
        assert float(found["worst"]["schedule"][place]["upper"]) == min(own)


def test_equal_users_are_audited_once_and_both_named(folder):
    found = value("l.csv", "l.csv", "none.csv")
    assert [user["name"] for user in found["users"]] == ["l.csv (1)", "l.csv (2)", "none.csv"]
    assert found["matrices"][0]["used_as"] == [
        {"user": "l.csv (1)", "role": "backward"},
        {"user": "l.csv (2)", "role": "backward"},
    ]
    assert len(found["matrices"]) == 2
    assert found["worst"]["tpl"]["attained_by"] == ["l.csv (1)", "l.csv (2)"]
    assert "(l.csv (1), l.csv (2))" in found["findings"][0]
    (folder / "deeper").mkdir()
    (folder / "deeper" / "l.csv").write_text("1,0\n0,1\n")
    assert [user["name"] for user in value("l.csv", "deeper/l.csv")["users"]] == ["l.csv", "deeper/l.csv"]


def test_users_who_share_a_matrix_are_told_apart(folder):
    rows = [["2/5", "3/10", "3/10"], ["4/5", "1/5", "0"], ["3/10", "3/10", "2/5"]]
    users = {
        "a": {"backward": SPLIT, "forward": rows},
        "b": {"backward": SPLIT, "forward": [["1/3"] * 3] * 3},
        "c": {"backward": EXAMPLE, "forward": rows},
    }
    write(folder / "w.json", users)
    found = value("--users", "w.json")["users"]
    for user in found:
        own = answer("allocate", **users[user["name"]], alpha="1", method="upper-bound")["epsilons"][0]
        assert user["budget_for_ever"] == own
    # The lesser boundary of the two matrices counts: log(5/4) of one, log(5/2) of the other.
    assert [user["without_bound_from"]["exact"] for user in found] == ["log(5/4)", "log(5/4)", "log(5/2)"]


def test_equal_suprema_by_different_formulas(folder):
    # What the past adds for one the future adds for the other; no precision tells the two formulas apart.
    write(folder / "w.json", {"x": {"backward": "m.csv"}, "y": {"forward": "m.csv"}})
    found = value("--users", "w.json")
    assert found["worst"]["for_ever"]["tpl"]["attained_by"] == ["x", "y"]
    assert found["worst"]["budget_for_ever"]["attained_by"] == ["x", "y"]


def test_one_without_a_budget_leaves_none_for_all(folder):
    found = value("l.csv", "strong.csv")
    assert found["worst"]["budget_for_ever"] is None
    assert found["worst"]["schedule"] == {}
    assert "no constant budget of strong.csv" in found["findings"][3]
    text = run("l.csv", "strong.csv").stdout
    assert "all of them" not in text
    assert "all of them" in run("l.csv", "none.csv").stdout


def test_the_worst_of_levels_that_no_short_form_tells_apart():
    levels = {
        "a": parse_level("log(2)"),
        "b": parse_level("1/2"),
        "c": Level.of_ratio(Fraction(2)),
        "d": parse_level("0"),
    }
    assert worst_of(levels).names == ("a", "c")
    assert worst_of(levels, least=True).names == ("d",)
    assert worst_of({**levels, "e": INFINITE}).names == ("e",)
    near = {"a": Level.of_ratio(2 + Fraction(1, 10**60)), "b": Level.of_ratio(2)}
    assert worst_of(near).names == ("a",)
    third = parse_level("1/3")
    same = {"a": third + Level.of_ratio(2), "b": Level.of_ratio(2) + third}
    assert worst_of(same).names == ("a", "b")


# Files and roles


def test_which_matrices_a_file_has(folder):
    def known(*args):
        return [(user["name"], user["roles"]) for user in value(*args)["users"]]

    both = ["backward", "forward"]
    assert known("l.csv", "counts.json", "two.json", "late.json") == [
        ("l.csv", ["backward"]),
        ("counts.json", both),
        ("two.json", both),
        ("late.json", ["forward"]),
    ]
    assert known("counts.json", "--role", "forward") == [("counts.json", ["forward"])]
    assert known("l.csv", "--role", "both") == [("l.csv", both)]
    run("late.json", "--role", "both", status=2)
    assert known("--backward", "m.csv", "--backward", "l.csv") == [("m.csv", ["backward"]), ("l.csv", ["backward"])]
    found = value("-", stdin="1/2,1/2\n0,1\n")
    assert found["users"][0]["name"] == "standard input"
    write(folder / "more.json", {"matrix": BACKWARD, "forward": FORWARD})
    assert known("more.json") == [("more.json", ["backward"])]
    assert value("-", stdin='{"matrix": [["1"]]}')["matrices"][0]["structure"]["n"] == 1


def test_states_by_name(folder):
    found = value("counts.json")
    assert [matrix["states"] for matrix in found["matrices"]] == [["home", "shop"]] * 2
    assert "1 (home) and 2 (shop): total variation" in run("counts.json").stdout
    assert value("l.csv")["matrices"][0]["states"] is None
    write(folder / "odd.json", {"matrix": BACKWARD, "states": ["x"]})
    assert value("odd.json")["matrices"][0]["states"] is None


def test_float64_names_the_rows_that_were_divided(folder, without_pictures):
    (folder / "t.csv").write_text("0.1,0.2,0.7\n0.3,0.3,0.4\n0.5,0.25,0.25\n")
    assert value("t.csv", "--float64")["normalised_rows"] == {"t.csv": [1]}
    both = {"backward": [["0.1", "0.2", "0.7"]] * 3, "forward": [["0.5", "0.25", "0.25"]] * 3}
    write(folder / "both.json", both)
    found = run("both.json", "t.csv", "--float64", "--html", "a.html")
    assert found.stderr == (
        "note: both.json, backward: rows divided by their exact sums: 1, 2, 3\n"
        "note: t.csv: rows divided by their exact sums: 1\n"
    )
    assert "t.csv: rows divided by their exact sums: 1" in (folder / "a.html").read_text(encoding="utf-8")
    users = {"x": {"backward": [["0.1", "0.2", "0.7"]] * 3}}
    write(folder / "v.json", users)
    assert value("--users", "v.json", "--float64")["normalised_rows"] == {"x.backward": [1, 2, 3]}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "InvalidRequest: give one of MATRIX…, --backward with --forward, and --users"),
        (("l.csv", "--backward", "m.csv"), "InvalidRequest: give one of"),
        (("--users", "u.json", "--forward", "m.csv"), "InvalidRequest: give one of"),
        (("--users", "u.json", "--role", "forward"), "InvalidRequest: --role belongs to MATRIX…"),
        (("missing.csv",), "InvalidRequest: missing.csv: cannot be read"),
        (("l.csv", "--epsilons", "1,2", "--epsilon", "1"), "InvalidRequest: give either"),
        (("l.csv", "--steps", 0), "InvalidRequest: --steps is at least 1"),
        (("l.csv", "--alpha", "-1"), "InvalidLevel: --alpha"),
        (("l.csv", "--digits", 0), "InvalidRequest: digits is at least 1"),
        (("l.csv", "--json", "--csv"), "InvalidRequest: --json and --csv exclude each other"),
        (("l.csv", "--html", "l.csv/x.html"), "InvalidRequest: l.csv/x.html: the page cannot be written"),
        (("l.csv", "--steps", 100_000), "InvalidRequest: too large"),
        (("l.csv", "--steps", 10_000, "--epsilon", "log(1e300)"), "InvalidRequest: too large: the exact ratios"),
    ],
)
def test_errors(folder, args, message):
    found = run(*args, status=2)
    assert found.stderr.startswith(message)
    assert found.stdout == ""


def test_how_it_ends(folder, monkeypatch):
    def undecided(*_, **__):
        raise Undecided("not told apart")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(audit_command, "audit", undecided)
    assert run("l.csv", status=3).stderr == "Undecided: not told apart\n"
    monkeypatch.setattr(audit_command, "audit", interrupted)
    assert run("l.csv", status=130).stderr == "Interrupted\n"


# What is printed


def test_the_report_on_the_screen(folder):
    text = run("l.csv").stdout
    assert text.startswith("10 releases of 0.1: TPL is at most 0.2013110[7,8], at time 10.\n")
    for title in ("Leakage over time", "For ever", "Budgets that keep", "Matrix: l.csv, backward", "Values of L"):
        assert title in text
    assert "Users:" not in text
    dyadic = run("halves.csv").stdout
    assert "last-column-leaves, UNSAFE: columns that belong in x⁺" in dyadic
    assert "- α = 100: Algorithm 1 gives" in dyadic
    assert "α = 710: Algorithm 1: nan\n" in dyadic
    several = run("l.csv", "m.csv").stdout
    for title in ("Users:", "Worst users", "Matrices"):
        assert title in several
    assert "none shows in what was tried" in run("one.csv").stdout
    assert "Doubles: no hazard shows in what was tried.\n" in run("one.csv").stdout


def test_the_example_in_the_docs():
    root = Path(__file__).parents[3]
    text = run(root / "examples" / "paper" / "moderate.csv").stdout
    printed = {line.rstrip() for line in text.splitlines()}
    blocks = re.findall(r"```text\n(.*?)```", (root / "docs" / "audit.md").read_text(encoding="utf-8"), re.DOTALL)
    # The numbers of the blocks after the second are in the last places of the machine's exp and log.
    lines = [line for block in blocks[:2] for line in block.splitlines() if not line.startswith("Doubles")]
    assert len(lines) > 20
    assert [line for line in lines if line not in printed] == []


def test_csv_has_a_line_for_each_user(folder):
    found = csv_rows("audit", "--users", "u.json")
    assert [row["user"] for row in found] == ["alice", "bob", "eve"]
    users = value("--users", "u.json")["users"]
    for row, user in zip(found, users, strict=True):
        assert row["worst_tpl_enclosure"] == "[{lower}, {upper}]".format_map(user["worst"]["tpl"])
        assert Decimal(row["worst_tpl_upper"]) >= Decimal(user["worst"]["tpl"]["upper"])
        assert row["times"] == " ".join(map(str, user["worst"]["tpl"]["times"]))
        assert Decimal(row["tpl_for_ever_lower"]) <= Decimal(user["for_ever"]["tpl"]["lower"])
        critical = user["without_bound_from"]
        assert row["without_bound_from_exact"] == (critical["exact"] if critical else "")
        assert row["budget_for_ever_enclosure"] == "[{lower}, {upper}]".format_map(user["budget_for_ever"])


def test_long_tables_are_cut_and_say_so(folder, monkeypatch):
    monkeypatch.setattr(audit_terminal, "MOST_TOLD_PIECES", 1)
    monkeypatch.setattr(audit_terminal, "MOST_DETAILED", 1)
    text = run("l.csv", "m.csv", "--steps", 200).stdout
    assert "1 more: --json or --html" in text
    table = text.split("Leakage over time")[1].split("\n\n")[0].splitlines()
    rows = [line.split() for line in table if line.split()[1:2] == ["0.1"]]
    assert 20 <= len(rows) <= audit_terminal.MOST_TIMES
    assert (rows[0][0], rows[-1][0]) == ("1", "200")
    assert f"{200 - len(rows)} times are left out" in text
    assert "Matrix: m.csv" not in text
    uneven = run("l.csv", "--epsilons", ",".join(["0.1"] * 46 + ["5"] + ["0.1"] * 13)).stdout
    assert [line for line in uneven.splitlines() if line.split()[:2] == ["47", "5"]]
    assert "the details of 1 matrices on the screen" in text


def test_of_many_users_the_worst_are_told(folder, monkeypatch, without_pictures):
    monkeypatch.setattr(audit_terminal, "MOST_USERS", 3)
    monkeypatch.setattr(audit_html, "MOST_TOLD", 1)
    files = ("none.csv", "one.csv", "halves.csv", "f.csv", "l.csv", "m.csv")
    text = run(*files, "--html", "a.html").stdout
    table = text.split("Users:")[1].split("\n\n")[0].splitlines()
    # In order; m.csv is the worst, none.csv the first of those who have the greatest FPL, one.csv fills up.
    assert [line.split()[0] for line in table[3:6]] == ["none.csv", "one.csv", "m.csv"]
    assert "3 more users: --csv, --json or --html" in text
    assert "halves.csv" not in text.split("Budgets that keep")[1].split("\n\n")[0]
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert "3 more users" not in page
    assert "the details of 5 matrices on this page: --json has them" in page


def test_what_is_not_tried_is_said(folder, monkeypatch):
    monkeypatch.setattr(module, "MOST_MEASURED", 1)
    found = value("l.csv", "m.csv")
    assert found["left_out"] == ["doubles are tried on the first 1 matrices and users only"]
    assert [matrix["doubles"] is None for matrix in found["matrices"]] == [False, True]
    assert found["users"][1]["doubles"] == []
    assert "Left out\n  - doubles are tried on the first 1" in run("l.csv", "m.csv").stdout


def test_texts():
    assert times_text([3]) == "time 3"
    assert times_text([5, 6]) == "times 5, 6"
    assert times_text(range(1, 11)) == "times 1 to 10"
    assert times_text([1, 3, 5, 7, 9, 11, 13, 15, 17]) == "times 1, 3, 5, 7, 9, 11, 13, 15 …"
    assert names_text(["a", "b"], 2) == "all 2"
    assert names_text(["a", "b", "c", "d"], 9) == "a, b, c … (4)"
    assert names_text(["a"], 1) == "a"
    assert number_text(Fraction(1, 3), 5) == "1/3"


# The page


def parsed(path):
    page = Page(path.read_text(encoding="utf-8"))
    page.assert_stands_alone()
    return page


def test_the_page_stands_alone_and_is_the_same_each_time(folder):
    files = ("counts.json", "halves.csv")
    run(*files, "--html", "deep/a.html")
    run(*files, "--html", "b.html")
    first, second = folder / "deep" / "a.html", folder / "b.html"
    assert first.read_bytes() == second.read_bytes()
    page = parsed(first)
    # Leakage over time; of each of three matrices itself, L and the error.
    assert page.tags.count("svg") == page.tags.count("figure") == 1 + 3 * 3
    text = " ".join(text for _, text in page.texts)
    for part in ("Audit of counts.json, halves.csv", "Users:", "Worst users", "last-column-leaves", "home"):
        assert part in text
    assert '<tr class="bad"><td>700</td>' in first.read_text(encoding="utf-8")
    assert [sentence for sentence in value(*files)["findings"] if sentence not in text] == []


def test_the_page_has_no_picture_of_many_states(folder, monkeypatch):
    monkeypatch.setattr(audit_html, "MOST_MAPPED_STATES", 2)
    run("l.csv", "--html", "a.html")
    assert parsed(folder / "a.html").tags.count("svg") == 3
    monkeypatch.setattr(audit_html, "MOST_PICTURED", 0)
    run("l.csv", "--html", "b.html")
    assert parsed(folder / "b.html").tags.count("svg") == 1


def test_names_cannot_break_the_page(folder, without_pictures):
    users = {"<script>alert(1)</script>": {"backward": "m.csv"}, "\x1b[31m": {"forward": "f.csv"}}
    write(folder / "odd.json", users)
    found = run("--users", "odd.json", "--html", "a.html")
    assert "\x1b" not in found.stdout
    assert "<script>alert(1)</script>" in str(parsed(folder / "a.html").texts)


def test_every_matrix_of_the_paper_and_no_correlation(folder):
    for args in (("none.csv", "--epsilon", "0.3"), ("one.csv",), ("strong.csv", "--epsilons", "0.1,log(2),1e-3")):
        run(*args, "--html", "a.html")
        parsed(folder / "a.html")
        assert '<tr class="warn"><td>710</td>' in (folder / "a.html").read_text(encoding="utf-8") or args == (
            "one.csv",
        )
    (folder / "eve.json").write_text('{"eve": {}}')
    found = value("--users", "eve.json")
    assert found["matrices"] == []
    assert found["users"][0]["for_ever"]["tpl"]["exact"] == "1/10"
    assert "TPL stays within 0.1" in run("--users", "eve.json").stdout


def assert_audited(backward, forward, epsilon, alpha):
    users = {"both": {"backward": backward, "forward": forward}, "past": {"backward": backward}, "none": {}}
    found = audit(users, [epsilon, epsilon], alpha)
    assert list(audit_terminal.blocks(found, 5))
    assert json.loads(json.dumps(audit_value(found, 5), allow_nan=False))
    for user in found.users:
        for kind, worst in user.worst.items():
            assert worst.level.is_zero or user.suprema[kind] >= worst.level
        if not user.suprema["tpl"].is_infinite:
            assert epsilon.is_zero or user.critical is None or epsilon < user.critical
        if user.constant is not None and not alpha.is_infinite:
            known = [loss_function(matrix) for matrix in users[user.name].values()]
            adversary = Adversary(*known, *[None] * (2 - len(known)))
            assert leakage([user.constant] * 3, adversary).tpl[1] <= alpha


@pytest.mark.parametrize("known", [(MODERATE, SKEWED), (UNCORRELATED, STRONGEST), (PAPER_L, DIVERGES), (PAPER_L, TIES)])
@pytest.mark.parametrize("levels", [("0.1", "1"), ("log(3/2)", "1/2"), ("0", "inf"), ("inf", "0")])
def test_what_an_audit_says_agrees_with_itself(known, levels):
    assert_audited(*known, *map(parse_level, levels))


@pytest.mark.slow
@examples(20)
@given(
    st.integers(1, 3).flatmap(lambda n: st.tuples(matrices(n, n), matrices(n, n))), everyday_levels(), everyday_levels()
)
def test_anything_can_be_audited(known, epsilon, alpha):
    assert_audited(*known, epsilon, alpha)


def test_audit_as_a_function():
    matrix = PAPER_L
    found = audit(
        {"u": {"forward": matrix}}, [parse_level("0.1")] * 3, parse_level("1"), states={matrix: ("a", "b", "c")}
    )
    assert found.matrices[0].name == "u, forward"
    assert found.matrices[0].measurements.curve == ()
    assert isinstance(next(audit_terminal.blocks(found, 8)), Sheet)
    drawn = audit({"u": {"forward": matrix}}, [parse_level("0.1")], parse_level("1"), curves=True)
    assert len(drawn.matrices[0].measurements.curve) == len(module.CURVE_LEVELS)
