"""What `leakage`, `supremum` and `composition` say beyond the wire: chosen times, steps, verdicts, whose."""

import json
from fractions import Fraction

import mpmath
import pytest

from ...commands import csv_rows, run, value, values

TENTH = ("--epsilon", "log(11/10)")
USERS = {"alice": {"backward": "b.csv", "forward": "f.csv"}, "bob": {"backward": "m.csv"}, "eve": {}}


@pytest.fixture(autouse=True)
def _files(folder):
    (folder / "u.json").write_text(json.dumps(USERS))


def test_the_papers_figure():
    lines = run("leakage", "--backward", "m.csv", "--epsilon", "0.1", "--steps", 10).stdout.splitlines()
    times = {line.split()[0]: line.split()[1] for line in lines if line.split() and line.split()[0].isdigit()}
    assert times["1"] == "0.1"
    assert times["2"].startswith("0.18078403")
    assert times["3"].startswith("0.24714774")
    # The strongest correlation: all budgets add up, forward and backward alike.
    strong = value("leakage", "--backward", "strong.csv", "--forward", "strong.csv", "--epsilon", "0.1", "--steps", 10)
    assert [level["lower"] for level in strong["bpl"]] == [*(f"0.{t}" for t in range(1, 10)), "1"]
    assert [level["upper"] for level in strong["fpl"]] == [level["upper"] for level in strong["bpl"]][::-1]
    assert {level["exact"] for level in strong["tpl"]} == {"1"}


def test_at():
    chosen = value("leakage", "--backward", "m.csv", "--epsilon", "0.1", "--steps", 3, "--at", "3,1")
    assert chosen["times"] == [3, 1]
    assert chosen["bpl"][0]["lower"].startswith("0.24714774")
    assert chosen["bpl"][1]["exact"] == "1/10"


def test_after():
    given = ("leakage", "--backward", "m.csv", "--forward", "m.csv", *TENTH, "--after", "1,2")
    after = value(*given)["after"]
    # By hand: BPL_2 = log(11/10·27/25) = log(297/250) = FPL_1; TPL is that at both times.
    for row, releases, level in zip(after, (1, 2), ("log(11/10)", "log(297/250)"), strict=True):
        assert row["releases"] == releases
        assert [row[kind]["exact"] for kind in ("bpl", "fpl", "tpl")] == [level] * 3
    assert [after[1][kind]["times"] for kind in ("bpl", "fpl", "tpl")] == [[2], [1], [1, 2]]
    assert "worst TPL" in run(*given).stdout
    differ = value("leakage", "--epsilons", "log(2),log(3)", "--after", "1,2")["after"]
    assert [(row["tpl"]["exact"], row["tpl"]["times"]) for row in differ] == [("log(2)", [1]), ("log(3)", [2])]


def attained(levels):
    return [(level["exact"], level["attained_by"]) for level in levels]


def test_candidates():
    given = ("leakage", "--backward", "m.csv", "--backward", "none.csv")
    found = value(*given, *TENTH, "--steps", 2)
    assert attained(found["bpl"]) == [("log(11/10)", ["m.csv", "none.csv"]), ("log(297/250)", ["m.csv"])]
    one = ("--epsilon", "1", "--steps", 1)
    paired = value(*given, "--forward", "none.csv", "--forward", "strong.csv", *one)["tpl"]
    assert paired[0]["attained_by"] == ["m.csv + none.csv", "none.csv + strong.csv"]
    combined = value(*given, "--forward", "strong.csv", *one)["tpl"]
    assert combined[0]["attained_by"] == ["m.csv + strong.csv", "none.csv + strong.csv"]


def test_users(folder):
    (folder / "v.json").write_text('{"alice": {"backward": "m.csv"}, "bob": {"forward": [[1, 0], [0, 1]]}}')
    given = ("leakage", "--users", "v.json", *TENTH, "--steps", 2)
    found = value(*given)
    assert attained(found["bpl"]) == [("log(11/10)", ["alice", "bob"]), ("log(297/250)", ["alice"])]
    assert attained(found["fpl"])[0] == ("log(121/100)", ["bob"])
    assert attained(found["tpl"])[1] == ("log(297/250)", ["alice"])
    assert "alice" in run(*given).stdout


def test_supremum_and_steps():
    given = ("supremum", "m.csv", "--epsilon", "log(6/5)", "--epsilon", "0.23", "--within", "log(2)")
    finite, infinite = values(*given, "--steps", 3)
    # e^BPL = 6. The excess is E' = 1.2·(0.8·E + 1) − 1: 1/5, 0.392, 0.57632, …; E ≥ 2 asked for.
    excess, time = Fraction(1, 5), 1
    while excess < 2:
        excess, time = Fraction(6, 5) * (Fraction(4, 5) * excess + 1) - 1, time + 1
    assert (finite["exact"], finite["within"]) == ("log(6)", [time])
    assert (finite["after"]["exact"], finite["after"]["steps"]) == (f"log({1 + Fraction(57632, 100000)})", 3)
    assert (infinite["exact"], infinite["within"]) == ("inf", [None])
    table = run(*given).stdout
    assert "never" in table
    assert "ε = 0.23: without bound: row 1 gives the columns 1 probability q = 4/5, row 2 none; q·e^ε ≥ 1" in table
    assert "all equal" in run("supremum", "none.csv", "--epsilon", "1").stdout
    assert value("supremum", "m.csv", "--epsilon", "0", "--steps", 10**6)["after"]["exact"] == "0"
    far = value("supremum", "m.csv", "--epsilon", "1", "--steps", 10**12)["after"]
    assert float(far["lower"]) == pytest.approx(10**12 * (1 + float(mpmath.log("0.8"))), rel=1e-9)


@pytest.mark.parametrize(
    ("file", "epsilon", "case"),
    [
        ("m.csv", "log(6/5)", "d = 0, ε < log(1/q)"),
        ("m.csv", "0.23", "d = 0, ε ≥ log(1/q)"),
        ("f.csv", "1", "d > 0"),
        ("f.csv", "0", "ε is 0"),
        ("f.csv", "inf", "ε is infinite"),
        ("none.csv", "1", "q = d"),
    ],
)
def test_the_case_of_theorem_11(file, epsilon, case):
    assert csv_rows("supremum", file, "--epsilon", epsilon)[0]["case"] == case


def test_largest_budget():
    assert value("supremum", "m.csv", "--cap", "log(6)")["exact"] == "log(6/5)"
    assert "log(6/5)" in run("supremum", "m.csv", "--cap", "log(6)").stdout


def test_composition():
    given = ("composition", "--backward", "m.csv", *TENTH, "--steps", 3)
    found = value(*given, "--w", 2, "--w", 3)["guarantees"]
    # BPL_3: 11/10·(0.8·47/250 + 1).
    assert [(each["level"], each["length"]) for each in found] == [
        ("event", 1),
        ("2-event", 2),
        ("3-event", 3),
        ("user", 3),
    ]
    assert [(each["correlated"]["exact"], each["correlated"]["start"]) for each in found] == [
        ("log(7909/6250)", 3),
        ("log(3267/2500)", 2),
        ("log(1331/1000)", 1),
        ("log(1331/1000)", 1),
    ]
    assert [each["independent"]["exact"] for each in found[:2]] == ["log(11/10)", "log(121/100)"]
    assert [row["correlated_at"] for row in csv_rows(*given, "--w", 2, "--window", "1:2")] == [
        "3",
        "2 to 3",
        "1 to 3",
        "1 to 2",
    ]


def test_is_it_alpha_dp():
    given = ("composition", "--backward", "m.csv", *TENTH, "--steps", 3)
    alphas = {"log(297/250)": 3, "log(7909/6250)": None, "0": 1}
    asked = [part for alpha in alphas for part in ("--alpha", alpha)]
    assert value(*given, *asked)["satisfies"] == [
        {"alpha": alpha, "satisfied": failure is None, "first_failure": failure} for alpha, failure in alphas.items()
    ]
    table = run(*given, *asked).stdout
    assert "failing" not in table
    assert "no, first at time 3" in table
    assert "yes" in table


def test_composition_of_several():
    given = ("composition", "--users", "u.json", *TENTH, "--steps", 2)
    found = value(*given, "--alpha", "log(11/10)")
    event, user = (each["correlated"] for each in found["guarantees"])
    # Bob's BPL_2 is 11/10·1.08, Alice's 11/10·1.08/1.02 and her FPL_1 11/10·1.08/1.01.
    assert (event["exact"], event["attained_by"], event["start"]) == ("log(297/250)", ["bob"], 2)
    assert user["attained_by"] == ["alice", "bob", "eve"]
    verdict = {"alpha": "log(11/10)", "satisfied": False, "first_failure": 1, "failing": ["alice"]}
    assert found["satisfies"] == [verdict]
    assert [row["attained_by"] for row in csv_rows(*given)] == ["bob", "alice, bob, eve"]
    table = run(*given, "--alpha", 1).stdout
    assert "failing" in table
    assert "alice" in table
