"""`tploracle audit`: its numbers are those of the other commands, its page stands alone, each ending is right."""

import json
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import log, tanh
from pathlib import Path

import pytest

from tploracle.auditing import audit as module
from tploracle.auditing import report
from tploracle.auditing.audit import TABLE_LEVELS, audit, worst_of
from tploracle.auditing.audit_json import audit_value
from tploracle.auditing.audit_text import names_text, number_text, times_text
from tploracle.cli import audit_command
from tploracle.models import models
from tploracle.models.basis import Basis
from tploracle.models.worst_case import WorstCase
from tploracle.output import html_pages
from tploracle.output.sheets import Output
from tploracle.reference import (
    INFINITE,
    Adversary,
    Level,
    TransitionMatrix,
    Undecided,
    greatest_worst_case_budget,
    leakage,
    loss_function,
    parse_level,
    supremum,
    worst_case_leakage,
    worst_case_supremum,
)

from ...commands import answer as wire_answer
from ...commands import csv_rows
from ...commands import run as run_command
from ...commands import value as command_value
from ...matrices import DIVERGES, MODERATE, PAPER_L, SKEWED, STRONGEST, UNCORRELATED, texts_of
from ...pages import Page

BACKWARD, FORWARD, EXAMPLE = texts_of(MODERATE), texts_of(SKEWED), texts_of(PAPER_L)
TIES = TransitionMatrix.of([["1/2", "1/4", "1/4"], ["0", "1/2", "1/2"], ["1/3", "1/3", "1/3"]])
COUNTS = {"states": ["home", "shop"], "counts": [[3, 1], [2, 4]], "first": [1, 0]}
COUNTS_BACKWARD = [["3/5", "2/5"], ["1/5", "4/5"]]
COUNTS_FORWARD = [["3/4", "1/4"], ["1/3", "2/3"]]

PAPER = ("--model", "paper-bound")

run = partial(run_command, "audit", "--one-sided")  # the matrices as given
value = partial(command_value, "audit", "--one-sided")
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


def assert_contains(text, *parts):
    assert [part for part in parts if part not in text] == []


@pytest.fixture
def without_pictures(monkeypatch):
    monkeypatch.setattr(html_pages, "picture", lambda figure, caption: "")


# Both models


def test_the_exact_worst_case_and_the_papers_bound(folder):
    given = ("d.csv", "--epsilon", "log(3/2)", "--steps", 4, "--alpha", "1/2")
    found = value(*given)
    worst_case, paper_bound = (found["users"][0][key] for key in ("worst_case", "paper_bound"))
    exact = worst_case_leakage([parse_level("log(3/2)")] * 4, DIVERGES).tpl[3].enclosure(8)
    level = worst_case["worst"]["tpl"]
    assert (level["lower"], level["upper"], level["times"]) == (str(exact.lower), str(exact.upper), [4])
    assert float(paper_bound["worst"]["tpl"]["lower"]) > float(exact.upper)
    assert paper_bound["suprema"]["tpl"]["exact"] == "inf"
    assert worst_case["suprema"]["tpl"]["lower"] == "0.83538695"
    greatest = greatest_worst_case_budget(parse_level("1/2"), DIVERGES, digits=8).rational
    assert abs(Fraction(worst_case["constant_budget"]["exact"]) - greatest) <= Fraction(1, 10**8)
    assert Fraction(paper_bound["constant_budget"]["upper"]) < greatest
    # Four releases may spend more than any number of them.
    within = worst_case_leakage([parse_level(worst_case["schedule"]["last"]["exact"])] * 4, DIVERGES).tpl
    assert max(within) <= parse_level("1/2")
    assert Fraction(worst_case["schedule"]["last"]["exact"]) > greatest
    assert found["findings"][0].startswith("4 releases of 0.405466: TPL is at most 0.82161")
    assert found["findings"][2].startswith(
        "0.405466 at every release over an infinite horizon: TPL stays within 0.835387 by"
    )
    assert "grows without bound by the paper's bound. The paper's bound is infinite from ε = " in found["findings"][2]
    assert found["basis"]["adversary"] == "knows P^B alone"
    screen = run(*given).stdout
    assert_contains(screen, *found["findings"], "Adversary: knows P^B alone.")
    rows = [line for line in screen.splitlines() if line.startswith(("d.csv   exact", "d.csv   paper"))]
    assert len(rows) == 4  # of each model what leaks, and what may be spent


@pytest.mark.parametrize(
    ("name", "key"), [("worst-case", "worst_case"), pytest.param("paper-bound", "paper_bound", marks=pytest.mark.slow)]
)
def test_one_model_says_what_it_says_beside_the_other(folder, name, key):
    both, alone = value("two.json"), value("two.json", "--model", name)
    other = ({"worst_case", "paper_bound"} - {key}).pop()
    assert alone == {
        **{text: item for text, item in both.items() if text != other},
        "findings": alone["findings"],
        "users": [{text: item for text, item in user.items() if text != other} for user in both["users"]],
    }
    assert ("paper's bound" in " ".join(alone["findings"])) == (key == "paper_bound")


@pytest.mark.parametrize(("end", "status"), [(Undecided("too near"), 3), (KeyboardInterrupt(), 130)])
def test_without_the_exact_worst_case_the_papers_bound_stands_alone(folder, monkeypatch, without_pictures, end, status):
    def ends(*_, **__):
        raise end

    bound = value("l.csv", *PAPER)
    monkeypatch.setattr(WorstCase, "suprema", ends)
    found = json.loads(run("l.csv", "--json", status=status).stdout)
    (reason,) = found["basis"].pop("absent").values()
    assert reason.startswith("the exact worst case was not worked out")
    assert bound["basis"].pop("absent") == {}
    assert found == bound
    screen = run("l.csv", "--html", "x.html", status=status).stdout
    assert f"Left out: {reason}." in screen
    assert reason in (folder / "x.html").read_text(encoding="utf-8")


def test_the_exact_worst_case_has_its_time(folder, monkeypatch):
    def endless(*_, **__):
        while True:
            pass

    monkeypatch.setattr(WorstCase, "suprema", endless)
    found = run_command("--time-limit", "0.2", "audit", "l.csv", "--json", status=3)
    assert "within 0.2 s" in json.loads(found.stdout)["basis"]["absent"]["worst_case"]


def test_whether_both_matrices_are_one_chains(folder):
    """Of the chain FORWARD the stationary distribution is 1/3, 2/3, so that its reversal is itself: two values are."""
    write(folder / "fit.json", {"backward": FORWARD, "forward": FORWARD})
    found = value("fit.json")
    (user,) = found["users"]
    assert user["one_chain"] == {"is_reversal": True, "difference": "0", "place": [1, 1], "refusal": None}
    assert user["worst_case"]["with_reversal"] is None
    assert "P^B is the reversal of P^F: both describe one stationary chain at all times." in found["findings"]
    assert found["basis"]["chain"] == "both describe one stationary chain"
    apart = value("two.json", "--epsilon", "0.1")
    (user,) = apart["users"]
    # BACKWARD has 0.2 and 0 off the diagonal, the reversal 0.2 and 0.1: row 2, where 0 and 1 stand for 0.1 and 0.9.
    assert user["one_chain"] == {"is_reversal": False, "difference": "1/10", "place": [2, 1], "refusal": None}
    assert apart["basis"]["chain"] == "not of one stationary chain: off by 0.1"
    level = parse_level("0.1")
    exact = worst_case_supremum(level, SKEWED, SKEWED).enclosure(8)
    assert user["worst_case"]["with_reversal"]["lower"] == str(exact.lower)
    recursion = supremum(loss_function(SKEWED), level).level
    bound = recursion + loss_function(SKEWED)(recursion)
    assert user["paper_bound"]["with_reversal"]["upper"] == str(bound.enclosure(8).upper)
    told = next(text for text in apart["findings"] if "not the reversal" in text)
    assert "entries differ by up to 1/10 (row 2, column 1)" in told
    assert "an adversary who believes both matrices, not one chain" in told
    assert "`tploracle reverse --stationary` makes the reversal; with it TPL stays within" in told


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


def test_what_is_too_large_to_compare_is_left_out(folder, monkeypatch):
    monkeypatch.setattr(module, "MOST_REVERSED_STATES", 1)
    found = value("two.json")
    assert any("what the reversal" in text for text in found["left_out"])
    assert "makes the reversal." in next(text for text in found["findings"] if "not the reversal" in text)
    monkeypatch.setattr(module, "MOST_STATIONARY_STATES", 1)
    found = value("two.json")
    assert any("whether P^B is the reversal" in text for text in found["left_out"])
    assert found["basis"]["chain"] == "not compared, for more than 1 states"


# The numbers


@pytest.mark.parametrize(
    ("args", "known"),
    [
        (("l.csv",), {"backward": EXAMPLE}),
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
    for model, op in (("worst_case", "worst_case_leakage"), ("paper_bound", "leakage")):
        leakage = answer(op, **known, epsilons=epsilons)
        assert user[model]["leakage"] == leakage
        for kind in ("bpl", "fpl", "tpl"):
            worst = user[model]["worst"][kind]
            assert float(worst["upper"]) == max(float(level["upper"]) for level in leakage[kind])
            assert all(leakage[kind][time - 1]["upper"] == worst["upper"] for time in worst["times"])
            assert found[model]["worst"][kind] == {**worst, "attained_by": [user["name"]]}
    paper_bound = user["paper_bound"]
    suprema = {role: answer("supremum", matrix=rows, epsilon=epsilon) for role, rows in known.items()}
    for role, kind in (("backward", "bpl"), ("forward", "fpl")):
        if role in known:
            level = {key: suprema[role][key] for key in ("exact", "lower", "upper")}
            assert paper_bound["suprema"][kind] == level
            assert paper_bound["ruling"][role] == {key: suprema[role][key] for key in ("q", "d", "rows", "subset")}
        else:
            assert paper_bound["suprema"][kind]["exact"] == str(Fraction(epsilon))
    constant = answer("allocate", **known, alpha=alpha, method="upper-bound")["epsilons"][0]
    assert paper_bound["constant_budget"] == constant
    fitted = answer("allocate", **known, alpha=alpha, method="quantified", horizon=3)["epsilons"]
    assert [paper_bound["schedule"][place] for place in ("first", "middle", "last")] == fitted


@pytest.mark.parametrize("args", [("l.csv",), ("counts.json",)])
def test_the_loss_function_and_its_values(folder, args):
    for matrix in value(*args, *PAPER)["matrices"]:
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
    own = value("m.csv", "--epsilon", "log(6/5)")["users"][0]["paper_bound"]
    assert own["without_bound_from"]["exact"] == "log(5/4)"
    assert own["suprema"]["tpl"]["exact"] == "log(6)"
    loss = loss_function(MODERATE)
    for ratio, is_infinite in ((Fraction(5, 4), True), (Fraction(5, 4) - Fraction(1, 10**30), False)):
        assert supremum(loss, Level.of_ratio(ratio)).level.is_infinite == is_infinite
    at = value("m.csv", "--epsilon", "log(5/4)", "--digits", 8)
    assert at["users"][0]["paper_bound"]["suprema"]["tpl"]["exact"] == "inf"
    assert at["findings"][2].endswith("The paper's bound is infinite from ε = 0.2231435[5,6] = log(5/4) on.")
    below = value("m.csv", "--epsilon", "log(6/5)")["findings"][2]
    assert "TPL stays within 1.79176 by both models" in below
    # log(5/4) − log(6/5) = log(25/24) = 0.04082199, and a budget is rounded down.
    assert below.endswith("is infinite from ε = log(5/4) (0.223143) on, which is 0.0408219 more.")
    assert value("l.csv")["users"][0]["paper_bound"]["without_bound_from"] is None
    assert value("strong.csv")["users"][0]["paper_bound"]["without_bound_from"]["exact"] == "0"


def test_no_budget_and_one_release(folder):
    found = value("strong.csv")
    own = found["users"][0]["paper_bound"]
    assert own["constant_budget"] is None
    assert "two rows with disjoint supports" in own["refusal"]
    told = found["findings"][3]
    assert "no constant budget by both models: the backward correlation has 2 closed classes" in told
    assert "; the backward correlation has two rows with disjoint supports" in told
    alone = value("strong.csv", "--steps", 1)["users"][0]
    for model in ("worst_case", "paper_bound"):
        assert {place: level["exact"] for place, level in alone[model]["schedule"].items()} == {"first": "1"}
    assert list(value("l.csv", "--steps", 2)["users"][0]["paper_bound"]["schedule"]) == ["first", "last"]
    nothing = value("l.csv", "--alpha", 0)["users"][0]
    assert nothing["paper_bound"]["refusal"] == "a level of 0 leaves no budget at all"


def test_the_structure_counts_from_one(folder):
    found = value("l.csv", *PAPER)["matrices"][0]["structure"]
    assert found["classes"] == [{"states": [1, 2, 3], "closed": True, "period": 1}]
    assert found["nearest_rows"] == {"rows": [2, 3], "value": "1/5", "exact": True}
    assert found["contrast"]["rows"] == [1, 3]
    # (0.5·0.7)/(0.1·0.2) = 35/2, and tanh of a quarter of its logarithm.
    assert found["contrast"]["value"] == "35/2"
    assert float(found["birkhoff"]["upper"]) == pytest.approx(tanh(log(35 / 2) / 4), abs=1e-7)
    assert found["as_doubles"]["rows_that_miss_1"] == [1]
    identity = value("strong.csv", *PAPER)["matrices"][0]["structure"]
    assert (identity["first_without_common_column"], identity["identity"]) == ([1, 2], True)


# Several users


def test_the_worst_user_of_each_quantity(folder):
    found = value("--users", "u.json", "--independent", "--epsilons", "0.1,0.2,0.05")
    users = {user["name"]: user for user in found["users"]}
    assert list(users) == ["alice", "bob", "eve"]
    assert users["eve"]["roles"] == []
    everyone = answer("leakage", backward=BACKWARD, forward=FORWARD, epsilons=["0.1", "0.2", "0.05"])
    assert users["alice"]["paper_bound"]["leakage"] == everyone
    for model in ("worst_case", "paper_bound"):
        own, worst = {name: user[model] for name, user in users.items()}, found[model]
        for kind in ("bpl", "fpl", "tpl"):
            highest = max(float(each["worst"][kind]["upper"]) for each in own.values())
            names = [name for name, each in own.items() if float(each["worst"][kind]["upper"]) == highest]
            assert (float(worst["worst"][kind]["upper"]), worst["worst"][kind]["attained_by"]) == (highest, names)
        # The suprema are under the greatest budget of the schedule.
        assert own["eve"]["suprema"]["tpl"]["exact"] == "1/5"
        assert worst["suprema"]["tpl"]["attained_by"] == ["alice"]
        constants = {name: float(each["constant_budget"]["upper"]) for name, each in own.items()}
        assert worst["constant_budget"]["attained_by"] == [min(constants, key=constants.get)]
        for place in ("first", "middle", "last"):
            least = min(float(each["schedule"][place]["upper"]) for each in own.values())
            assert float(worst["schedule"][place]["upper"]) == least
    assert found["paper_bound"]["without_bound_from"]["attained_by"] == ["alice"]


def test_equal_users_are_audited_once_and_both_named(folder):
    found = value("l.csv", "l.csv", "none.csv")
    assert [user["name"] for user in found["users"]] == ["l.csv (1)", "l.csv (2)", "none.csv"]
    assert found["matrices"][0]["used_as"] == [
        {"user": "l.csv (1)", "role": "backward"},
        {"user": "l.csv (2)", "role": "backward"},
    ]
    assert len(found["matrices"]) == 2
    for model in ("worst_case", "paper_bound"):
        assert found[model]["worst"]["tpl"]["attained_by"] == ["l.csv (1)", "l.csv (2)"]
    assert "(l.csv (1), l.csv (2))" in found["findings"][0]
    (folder / "deeper").mkdir()
    (folder / "deeper" / "l.csv").write_text("1,0\n0,1\n")
    assert [user["name"] for user in value("l.csv", "deeper/l.csv", *PAPER)["users"]] == ["l.csv", "deeper/l.csv"]


def test_one_without_a_budget_leaves_none_for_all(folder):
    found = value("l.csv", "strong.csv")
    assert (found["paper_bound"]["constant_budget"], found["paper_bound"]["schedule"]) == (None, {})
    assert found["worst_case"]["constant_budget"] is None
    assert found["paper_bound"]["refusal"].startswith("strong.csv: ")
    assert "no constant budget by both models: strong.csv: " in found["findings"][3]
    text = run("l.csv", "strong.csv", *PAPER).stdout
    assert "all of them" not in text
    assert "all of them" in run("l.csv", "none.csv", *PAPER).stdout


def test_the_worst_of_levels_that_no_short_form_tells_apart():
    levels = {name: parse_level(text) for name, text in {"a": "log(2)", "b": "1/2", "d": "0"}.items()}
    levels["c"] = Level.of_ratio(Fraction(2))
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
        return [(user["name"], user["roles"]) for user in value(*args, *PAPER)["users"]]

    both = ["backward", "forward"]
    write(folder / "more.json", {"matrix": BACKWARD, "forward": FORWARD})
    files = {"l.csv": ["backward"], "counts.json": both, "two.json": both, "late.json": ["forward"]}
    assert dict(known(*files, "more.json")) == {**files, "more.json": ["backward"]}
    assert known("counts.json", "--role", "forward") == [("counts.json", ["forward"])]
    assert known("l.csv", "--role", "both") == [("l.csv", both)]
    run("late.json", "--role", "both", status=2)
    assert known("--backward", "m.csv", "--backward", "l.csv") == [("m.csv", ["backward"]), ("l.csv", ["backward"])]
    assert value("-", stdin="1/2,1/2\n0,1\n")["users"][0]["name"] == "standard input"


def test_states_by_name(folder):
    found = value("counts.json", *PAPER)
    assert [matrix["states"] for matrix in found["matrices"]] == [["home", "shop"]] * 2
    assert "1 (home) and 2 (shop): total variation" in run("counts.json", *PAPER).stdout
    assert value("l.csv", *PAPER)["matrices"][0]["states"] is None
    write(folder / "odd.json", {"matrix": BACKWARD, "states": ["x"]})
    assert "1 names, but the matrix has 2 rows" in run("odd.json", *PAPER, status=2).stderr


def test_float64_names_the_rows_that_were_divided(folder, without_pictures):
    (folder / "t.csv").write_text("0.1,0.2,0.7\n0.3,0.3,0.4\n0.5,0.25,0.25\n")
    assert value("t.csv", "--float64", *PAPER)["normalised_rows"] == {"t.csv": [1]}
    both = {"backward": [["0.1", "0.2", "0.7"]] * 3, "forward": [["0.5", "0.25", "0.25"]] * 3}
    write(folder / "both.json", both)
    found = run("both.json", "t.csv", "--float64", "--html", "a.html", *PAPER)
    assert found.stderr == (
        "note: both.json, backward: rows divided by their exact sums: 1, 2, 3\n"
        "note: t.csv: rows divided by their exact sums: 1\n"
    )
    assert "t.csv: rows divided by their exact sums: 1" in (folder / "a.html").read_text(encoding="utf-8")
    users = {"x": {"backward": [["0.1", "0.2", "0.7"]] * 3}}
    write(folder / "v.json", users)
    assert value("--users", "v.json", "--independent", "--float64", *PAPER)["normalised_rows"] == {
        "x.backward": [1, 2, 3]
    }


# What is printed


def test_the_report_on_the_screen(folder):
    text = run("l.csv").stdout
    first, second = text.splitlines()[:2]
    assert first.startswith(
        "10 releases of 0.1: TPL is at most 0.189356 at time 10 by the exact worst case, 0.201312 at"
    )
    assert second.startswith("A TPL of 0.1894 nats: ")
    assert_contains(text, "TPL of 10 releases", "Leakage over time", "Budgets that keep", "Values of L")
    assert_contains(text, "Matrix: l.csv, backward")
    assert "Worst users" not in text
    dyadic = run("halves.csv", *PAPER).stdout
    assert_contains(dyadic, "last-column-leaves, UNSAFE: columns that belong in x⁺", "- α = 100: Algorithm 1 gives")
    assert_contains(dyadic, "α = 710: Algorithm 1: nan\n")
    assert_contains(run("l.csv", "m.csv", *PAPER).stdout, "Worst users", "Matrices", "all of them")
    none = "was found at the levels and budgets tried.\n"
    assert_contains(run("one.csv").stdout, f", backward: none {none}", f"Doubles: no hazard {none}")


def test_the_tables_about_users_fit_a_terminal(folder):
    text = run("l.csv", "--role", "both").stdout.split("Matrix:")[0].split("TPL of 10 releases")[1]
    assert max(map(len, text.splitlines())) <= 80


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
    found = csv_rows("audit", "--one-sided", "--users", "u.json", "--independent")
    assert [row["user"] for row in found] == ["alice", "bob", "eve"]
    users = value("--users", "u.json", "--independent")["users"]
    for row, user in zip(found, users, strict=True):
        for model in ("worst_case", "paper_bound"):
            own = user[model]
            assert row[f"{model}_worst_tpl_enclosure"] == "[{lower}, {upper}]".format_map(own["worst"]["tpl"])
            assert Decimal(row[f"{model}_worst_tpl_upper"]) >= Decimal(own["worst"]["tpl"]["upper"])
            assert row[f"{model}_times"] == " ".join(map(str, own["worst"]["tpl"]["times"]))
            assert Decimal(row[f"{model}_tpl_supremum_lower"]) <= Decimal(own["suprema"]["tpl"]["lower"])
            budget = "[{lower}, {upper}]".format_map(own["constant_budget"])
            assert row[f"{model}_constant_budget_enclosure"] == budget
        critical = user["paper_bound"]["without_bound_from"]
        assert row["paper_bound_without_bound_from_exact"] == (critical["exact"] if critical else "")


def test_long_tables_are_cut_and_say_so(folder, monkeypatch):
    monkeypatch.setattr(audit_command, "SCREEN", replace(report.SCREEN, pieces=1, matrices=1))
    text = run("l.csv", "m.csv", "--steps", 200, *PAPER).stdout
    assert "1 more: --json or --html" in text
    table = text.split("Leakage over time")[1].split("\n\n")[0].splitlines()
    rows = [line.split() for line in table if line.split()[1:2] == ["0.1"]]
    assert 18 <= len(rows) <= report.MOST_TIMES
    assert (rows[0][0], rows[-1][0]) == ("1", "200")
    assert f"{200 - len(rows)} times are left out" in text
    assert "Matrix: m.csv" not in text
    uneven = run("l.csv", "--epsilons", ",".join(["0.1"] * 46 + ["5"] + ["0.1"] * 13), *PAPER).stdout
    assert [line for line in uneven.splitlines() if line.split()[:2] == ["47", "5"]]
    assert "the details of 1 matrices on the screen" in text


def test_of_many_users_the_worst_are_told(folder, monkeypatch, without_pictures):
    monkeypatch.setattr(audit_command, "SCREEN", replace(report.SCREEN, users=3))
    monkeypatch.setattr(audit_command, "ON_PAGE", replace(report.ON_PAGE, matrices=1))
    files = ("none.csv", "one.csv", "halves.csv", "f.csv", "l.csv", "m.csv")
    text = run(*files, "--html", "a.html", *PAPER).stdout
    table = text.split("TPL of 10 releases")[1].split("\n\n")[0].splitlines()
    # In order; m.csv is the worst, none.csv the first of those who have the greatest FPL, one.csv fills up.
    assert [line.split()[0] for line in table[4:7]] == ["none.csv", "one.csv", "m.csv"]
    assert "3 more users: --csv, --json or --html" in text
    assert "halves.csv" not in text.split("Budgets that keep")[1].split("\n\n")[0]
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert "3 more users" not in page
    assert "the details of 5 matrices on this page: --json has them" in page


def test_what_is_not_tried_is_said(folder, monkeypatch):
    monkeypatch.setattr(module, "MOST_MEASURED", 1)
    found = value("l.csv", "m.csv", *PAPER)
    assert found["left_out"] == ["doubles are tried on the first 1 matrices and users only"]
    assert [matrix["doubles"] is None for matrix in found["matrices"]] == [False, True]
    assert found["users"][1]["doubles"] == []
    assert "Left out\n  - doubles are tried on the first 1" in run("l.csv", "m.csv", *PAPER).stdout


def test_texts():
    assert times_text([3]) == "time 3"
    assert times_text([5, 6]) == "times 5, 6"
    assert times_text(range(1, 11)) == "times 1 to 10"
    assert times_text([1, 3, 5, 7, 9, 11, 13, 15, 17]) == "times 1, 3, 5, 7, 9, 11, 13, 15 …"
    assert names_text(["a", "b"], 2) == "all 2"
    assert names_text(["a", "b", "c", "d"], 9) == "a, b, c … (4)"
    assert names_text(["a"], 1) == "a"
    for brief, text in ((True, "0.333334"), (False, "0.3333[3,4]")):
        assert number_text(Fraction(10**6, 3 * 10**6 + 1), Output(5, in_brief=brief)) == text


# The page


def parsed(path):
    page = Page(path.read_text(encoding="utf-8"))
    page.assert_stands_alone()
    return page


@pytest.mark.slow
def test_the_page_stands_alone_and_is_the_same_each_time(folder):
    files = ("counts.json", "halves.csv", *PAPER)
    run(*files, "--html", "deep/a.html")
    run(*files, "--html", "b.html")
    first, second = folder / "deep" / "a.html", folder / "b.html"
    assert first.read_bytes() == second.read_bytes()
    page = parsed(first)
    # Leakage over time; of each of three matrices itself, L and the error.
    assert page.tags.count("svg") == page.tags.count("figure") == 1 + 3 * 3
    text = " ".join(text for _, text in page.texts)
    assert_contains(text, "Audit of counts.json, halves.csv", "TPL of 10 releases", "Worst users", "Adversary: knows")
    assert_contains(text, "last-column-leaves", "home", *value(*files)["findings"])
    assert '<tr class="bad"><td>700</td>' in first.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_has_no_picture_of_many_states(folder, monkeypatch):
    monkeypatch.setattr(report, "MOST_MAPPED_STATES", 2)
    run("l.csv", "--html", "a.html", *PAPER)
    assert parsed(folder / "a.html").tags.count("svg") == 3
    monkeypatch.setattr(audit_command, "ON_PAGE", replace(report.ON_PAGE, pictured=1))
    run("l.csv", "none.csv", "--html", "b.html", *PAPER)
    page = parsed(folder / "b.html")
    assert page.tags.count("svg") == 3
    assert "pictures of all but the first 1 matrices" in str(page.texts)


def test_names_cannot_break_the_page(folder, without_pictures):
    users = {"<script>alert(1)</script>": {"backward": "m.csv"}, "\x1b[31m": {"forward": "f.csv"}}
    write(folder / "odd.json", users)
    found = run("--users", "odd.json", "--independent", "--html", "a.html")
    assert "\x1b" not in found.stdout
    assert "<script>alert(1)</script>" in str(parsed(folder / "a.html").texts)


BASIS = Basis("knows what it knows")


def assert_audited(backward, forward, epsilon, alpha):
    users = {"both": {"backward": backward, "forward": forward}, "past": {"backward": backward}, "none": {}}
    found = audit(users, [epsilon, epsilon], alpha, models())
    assert report.document_of(found, BASIS, Output(5), report.SCREEN).blocks
    assert json.loads(json.dumps(audit_value(found, "", 5), allow_nan=False))
    for user in found.users:
        worst_case, paper_bound = user.models["worst_case"], user.models["paper_bound"]
        for own in (worst_case, paper_bound):
            for kind, worst in own.worst.items():
                assert worst.level.is_zero or own.suprema[kind].level >= worst.level
        for kind, worst in worst_case.worst.items():
            assert worst.level.enclosure(9).lower <= paper_bound.worst[kind].level.enclosure(9).upper
        if not paper_bound.suprema["tpl"].level.is_infinite:
            assert epsilon.is_zero or user.critical is None or epsilon < user.critical
        known = [users[user.name].get(role) for role in ("backward", "forward")]
        adversary = Adversary(*(None if matrix is None else loss_function(matrix) for matrix in known))
        if paper_bound.constant is not None and not alpha.is_infinite:
            assert leakage([paper_bound.constant.level] * 3, adversary).tpl[1] <= alpha
            assert max(worst_case_leakage([worst_case.constant.level] * 3, *known).tpl) <= alpha


@pytest.mark.parametrize(
    ("known", "levels"),
    [
        ((MODERATE, SKEWED), ("0.1", "1")),
        ((UNCORRELATED, STRONGEST), ("log(3/2)", "1/2")),
        ((PAPER_L, TIES), ("0.1", "1")),
    ],
)
def test_what_an_audit_says_agrees_with_itself(known, levels):
    assert_audited(*known, *map(parse_level, levels))
