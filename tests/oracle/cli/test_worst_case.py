"""`--tight`: the exact worst case over all mechanisms beside the paper's bounds, against the literal reference."""

import json
from fractions import Fraction

import pytest

from tploracle.cli import composition_command, utility_command
from tploracle.output import plots
from tploracle.reference import (
    Adversary,
    Level,
    TransitionMatrix,
    greatest_tight_budget,
    leakage,
    parse_level,
    tight_composition,
    tight_leakage,
)

from ...commands import refused, run, value
from ...matrices import DIVERGES, MODERATE, SKEWED, SYMMETRIC, csv_text

BOTH = ("--backward", "b.csv", "--forward", "f.csv")
STEP = ("--backward", "d.csv", "--epsilon", "log(3/2)", "--steps", 4)
FORWARD = TransitionMatrix.of([["1/2", "1/4", "1/4"], ["1/5", "3/5", "1/5"], ["0", "1/2", "1/2"]])
ONE = parse_level("1")


@pytest.fixture(autouse=True)
def _files(folder):
    (folder / "g.csv").write_text(csv_text(FORWARD))
    users = {"alice": {"backward": "b.csv", "forward": "f.csv"}, "bob": {"backward": "m.csv"}, "eve": {}}
    (folder / "u.json").write_text(json.dumps(users))


def exact(levels):
    return [level["exact"] for level in levels]


def lower(levels, digits=17):
    """Return lower ends: of printed levels as they are, of others to so many digits."""
    return [each["lower"] if isinstance(each, dict) else str(each.enclosure(digits).lower) for each in levels]


def drawn(monkeypatch, *question):
    panels = {}
    monkeypatch.setattr(plots, "leakage_picture", lambda path, found, **_: panels.update(found))
    run(*question, "--plot", "x.png")
    return list(*panels.values())


def test_leakage(monkeypatch):
    found = value("leakage", *STEP, "--tight", "--at", "2,4")
    assert found["bpl"][1]["lower"].startswith("0.821614075461553")
    assert found["bounds"] == value("leakage", *STEP, "--at", "2,4")
    assert "exceeded by none" in run("leakage", *STEP, "--tight").stdout
    curves = ["BPL", "FPL", "TPL", "BPL, exact", "FPL, exact", "TPL, exact"]
    assert drawn(monkeypatch, "leakage", *STEP, "--tight") == curves


def test_leakage_of_several():
    given = ("leakage", "--backward", "b.csv", "--backward", "m.csv", "--epsilon", "log(5/4)", "--steps", 4, "--tight")
    own = {
        name: tight_leakage([parse_level("log(5/4)")] * 4, matrix).bpl
        for name, matrix in (("b.csv", SYMMETRIC), ("m.csv", MODERATE))
    }
    found = value(*given)
    for time in range(4):
        best = max(levels[time] for levels in own.values())
        assert found["bpl"][time]["exact"] == best.exact_text
        assert found["bpl"][time]["attained_by"] == [name for name in own if own[name][time] == best]
    assert found["bounds"]["bpl"][3]["attained_by"] == ["m.csv"]
    assert "TPL, paper's bound" in run(*given).stdout


def test_leakage_after_so_many_releases():
    given = ("leakage", "--backward", "m.csv", "--forward", "f.csv", "--epsilon", "0.2", "--after", "1,3")
    after = value(*given, "--tight")["after"]
    tpl = tight_leakage([parse_level("0.2")] * 3, MODERATE, SKEWED).tpl
    worst = max(range(3), key=lambda time: tpl[time].enclosure(20).upper)
    assert after[1]["exact"]["tpl"]["lower"] == str(tpl[worst].enclosure(17).lower)
    assert after[1]["exact"]["tpl"]["times"] == [worst + 1]
    assert [{key: row[key] for key in row if key != "exact"} for row in after] == value(*given)["after"]
    several = ("leakage", "--backward", "b.csv", "--backward", "m.csv", "--epsilon", "1", "--after", "2", "--tight")
    assert value(*several)["after"][0]["exact"]["bpl"]["attained_by"] == ["m.csv"]
    assert "worst TPL, exact" in run(*several).stdout
    both = ("--backward", "b.csv", "--forward", "b.csv", "--epsilon", "0.3", "--after", "3", "--tight")
    assert value("leakage", *both)["after"][0]["exact"]["bpl"]["times"] == [3]


@pytest.mark.parametrize(("files", "known"), [(STEP[:2], (DIVERGES,)), (BOTH, (SYMMETRIC, SKEWED))])
def test_windows(files, known):
    """Where every step is possible and where not, against the programme over pairs."""
    budgets = [parse_level("log(3/2)")] * 4
    found = value("composition", *files, *STEP[2:], "--w", 2, "--window", "2:3", "--tight")
    event, two, user = (each["exact"] for each in found["guarantees"])
    assert event["exact"] == max(tight_leakage(budgets, *known).tpl).exact_text
    windows = [tight_composition(budgets, start, 2, *known) for start in (1, 2, 3)]
    assert two["exact"] == max(windows).exact_text
    assert windows[two["start"] - 1] == max(windows)
    assert user["exact"] == "log(81/16)"
    (window,) = found["windows"]
    assert window["exact"]["exact"] == tight_composition(budgets, 2, 3, *known).exact_text
    assert window["exact"]["start"] == 2


def test_verdicts_and_whose_windows(monkeypatch):
    given = ("composition", *STEP, "--alpha", "0.8217", "--alpha", "0.8", "--alpha", "1.7", "--tight")
    verdicts = value(*given)["satisfies"]
    assert [each["satisfied"] for each in verdicts] == [False, False, True]
    assert [each["exact"]["first_failure"] for each in verdicts] == [None, 4, None]
    assert "by the exact worst case" in run(*given).stdout
    several = value("composition", "--users", "u.json", "--epsilon", "0.1", "--steps", 3, "--tight")
    assert several["guarantees"][0]["exact"]["attained_by"]
    monkeypatch.setattr(composition_command, "MOST_PROGRAMMES", 2)
    many = ("composition", "--backward", "strong.csv", "--epsilon", "0.1", "--steps", 5, "--w", 2, "--tight")
    assert "4 windows with impossible steps" in refused(*many)


def test_the_supremum_and_its_largest_budget():
    assert value("supremum", "strong.csv", "--epsilon", "1", "--tight")["tight"]["exact"] == "inf"
    assert "exact worst case" in run("supremum", "d.csv", "--epsilon", "log(3/2)", "--tight").stdout
    given = ("supremum", "d.csv", "--cap", "1/2", "--digits", 5)
    largest = value(*given, "--tight")
    by_bisection = greatest_tight_budget(parse_level("1/2"), DIVERGES, digits=5).rational
    assert Fraction(largest["lower"]) - Fraction(1, 10**5) <= by_bisection <= Fraction(largest["upper"])
    assert largest["bound"] == value(*given)
    assert Fraction(largest["bound"]["upper"]) < Fraction(largest["lower"])
    assert "by the paper's bound" in run(*given, "--tight").stdout


def test_the_budget_now():
    """Spent, it makes the BPL of the worst mechanisms equal to the cap; by the recursion less is left, or nothing."""
    spent, cap = "log(3/2),log(5/4),log(3/2)", ("control", "d.csv", "--cap", "log(23/10)")
    found = value(*cap, "--spent", spent, "--tight")
    budgets = [parse_level(text) for text in [*spent.split(","), found["exact"]]]
    assert tight_leakage(budgets, DIVERGES).bpl[3] == parse_level("log(23/10)")
    previous = leakage(budgets[:3], Adversary.knowing(DIVERGES)).bpl[2].exact_text
    assert found["bound"] == value(*cap, "--previous", previous) == value(*cap, "--spent", spent)
    assert parse_level(found["bound"]["exact"]) < parse_level(found["exact"])
    assert value(*cap, "--spent", spent, "--tight", "--reference") == found
    assert "by the exact worst case" in run(*cap, "--spent", spent, "--tight").stdout
    many = ("control", "d.csv", "--cap", "0.84", "--spent", ",".join(["log(3/2)"] * 9))
    assert value(*many, "--tight")["bound"]["exact"] == "0"
    assert "nothing is left" in refused(*many)
    assert value("control", "d.csv", "--cap", "inf", "--spent", "1", "--tight")["exact"] == "inf"


WIDE = ("allocate", "--alpha", "1", "--backward", "d.csv", "--forward", "g.csv", "--digits", 6)


def test_the_greatest_constant_budget(monkeypatch):
    """Against bisection by the reference; the paper's stands beside it, and is smaller."""
    given = (*WIDE, "--method", "constant", "--horizon", 4)
    found = value(*given, "--tight")
    greatest = greatest_tight_budget(ONE, DIVERGES, FORWARD, 4, digits=6).rational
    (budget,) = set(exact(found["epsilons"]))
    assert 0 <= greatest - Fraction(budget) <= Fraction(2, 10**6)
    tpl = tight_leakage([parse_level(budget)] * 4, DIVERGES, FORWARD).tpl
    assert max(tpl) <= ONE
    assert lower(found["tpl"]) == lower(tpl, 6)
    bound = leakage([parse_level(budget)] * 4, Adversary.knowing(DIVERGES, FORWARD)).tpl
    assert lower(found["bounds"]["tpl"]) == lower(bound, 6)
    by_paper = value(*given)["epsilons"][0]
    assert found["bounds"]["epsilon"] == by_paper
    assert Fraction(by_paper["upper"]) < Fraction(budget)
    noise = {row["schedule"]: Fraction(row["noise"]["upper"]) for row in found["comparison"]}
    assert noise["constant, exact"] < noise["constant"]
    utility = value("utility", "--alpha", "1", "--horizon", 4, *WIDE[3:7], "--tight", "--digits", 6)
    assert abs(Fraction(utility["constant, exact"][0]["upper"]) - 2 / greatest) < Fraction(1, 10**4)
    curves = ["budget", "TPL, exact worst case", "TPL, paper's bound"]
    assert drawn(monkeypatch, *WIDE, "--tight", "--method", "constant", "--horizon", 3) == curves


def test_the_greatest_budget_for_ever():
    given = (*WIDE, "--method", "upper-bound")
    found = value(*given, "--tight")
    greatest = greatest_tight_budget(ONE, DIVERGES, FORWARD, digits=4).rational
    assert abs(greatest - Fraction(found["epsilons"][0]["exact"])) <= Fraction(2, 10**4)
    assert found["bounds"]["epsilon"] == value(*given)["epsilons"][0]
    assert 0.9999 < float(found["suprema"]["tpl"]["lower"]) <= float(found["suprema"]["tpl"]["upper"]) <= 1
    assert float(found["bounds"]["suprema"]["tpl"]["lower"]) > 1
    assert value(*given, "--tight", "--horizon", 3)["epsilons"] == found["epsilons"] * 3


def test_the_greatest_budget_of_several_is_the_least_of_each_ones_own():
    found = value("allocate", "--alpha", "1", "--users", "u.json", "--method", "constant", "--horizon", 3, "--tight")
    own = {name: Fraction(each["all"]["exact"]) for name, each in found["personalised"].items()}
    assert own["eve"] == 1
    assert Fraction(found["epsilons"][0]["exact"]) == min(own.values()) == own["bob"]


def test_a_budget_for_ever_where_the_paper_has_none(folder):
    (folder / "d.csv").write_text("1/2,1/2,0\n0,0,1\n1/3,1/3,1/3\n")
    given = ("allocate", "--alpha", "1", "--backward", "d.csv", "--method", "upper-bound")
    assert "none can be kept for ever" in refused(*given)
    found = value(*given, "--tight")
    assert found["bounds"]["epsilon"]["exact"] == "0"
    assert found["bounds"]["suprema"]["bpl"]["exact"] == "inf"
    assert 0.2 < float(found["epsilons"][0]["lower"]) < 1
    assert "exact worst case" in run(*given, "--tight").stdout
    doubles = value(*given, "--tight", "--float")["epsilons"][0]
    assert Fraction(float.fromhex(doubles["hex"])) <= Fraction(found["epsilons"][0]["lower"])


def test_the_least_noise():
    """Kept by the literal leakage, no noisier than any other schedule."""
    given = ("allocate", "--alpha", "1", *BOTH, "--method", "least-noise", "--digits", 9)
    found = value(*given, "--horizon", 5, "--tight")
    budgets = [parse_level(text) for text in exact(found["epsilons"])]
    tpl = tight_leakage(budgets, SYMMETRIC, SKEWED).tpl
    assert parse_level("0.9999999") < max(tpl) <= ONE
    assert lower(found["tpl"]) == lower(tpl, 9)
    assert exact(found["bounds"]["epsilons"]) == exact(value(*given, "--horizon", 5)["epsilons"])
    bound = leakage(budgets, Adversary.knowing(SYMMETRIC, SKEWED)).tpl
    assert lower(found["bounds"]["tpl"]) == lower(bound, 9)
    noise = {row["schedule"]: Fraction(row["noise"]["upper"]) for row in found["comparison"]}
    least = noise["least-noise, exact"]
    assert least == min(noise.values())
    assert least < noise["constant, exact"] <= noise["constant"]
    assert float(least) == pytest.approx(2 * sum(1 / float(each.rational) for each in budgets) / 5, rel=1e-5)
    assert {row["schedule"]: row["best_for"] for row in found["comparison"] if row["best_for"]} == {
        "α/T": ["any correlation"],
        "upper-bound": ["more releases than planned"],
        "quantified": ["TPL of α at every time"],
        "constant, exact": ["equal budgets"],
        "least-noise, exact": ["the least noise"],
    }
    utility = value("utility", "--alpha", "1", "--horizon", "1,5", *BOTH, "--tight", "--digits", 6)
    assert utility["least-noise, exact"][0]["exact"] == "2"
    assert float(utility["least-noise, exact"][1]["upper"]) == pytest.approx(float(least), rel=1e-5)


def test_the_least_noise_of_several_and_as_doubles(monkeypatch):
    given = ("allocate", "--alpha", "1", "--method", "least-noise", "--tight", "--horizon", 3)
    hers = value(*given, "--users", "u.json")["personalised"]["eve"]
    assert {place: each["exact"] for place, each in hers.items()} == dict.fromkeys(("first", "middle", "last"), "1")
    rounded = value(*given, *BOTH, "--digits", 9, "--float")
    doubles = [Level.of(Fraction(float.fromhex(each["hex"]))) for each in rounded["epsilons"]]
    assert max(tight_leakage(doubles, SYMMETRIC, SKEWED).tpl) <= ONE
    # Of more releases than are fitted the least noise is left out.
    monkeypatch.setattr(utility_command, "MOST_FITTED_EXACTLY", 2)
    assert "least-noise, exact" not in value("utility", "--alpha", "1", "--horizon", "2,3", *BOTH, "--tight")
