"""The exact worst case over all mechanisms, against the literal reference and beside the paper's bound."""

from fractions import Fraction

import pytest

from tploracle.cli import composition_command
from tploracle.output import plots
from tploracle.reference import (
    Adversary,
    TransitionMatrix,
    greatest_worst_case_budget,
    leakage,
    parse_level,
    worst_case_composition,
    worst_case_leakage,
)

from ...commands import exact, line, refused, run, value
from ...matrices import DIVERGES, SKEWED, SYMMETRIC, csv_text

BOTH = ("--backward", "b.csv", "--forward", "f.csv")
STEP = ("--backward", "d.csv", "--one-sided", "--epsilon", "log(3/2)", "--steps", 4)
FORWARD = TransitionMatrix.of([["1/2", "1/4", "1/4"], ["1/5", "3/5", "1/5"], ["0", "1/2", "1/2"]])
ONE = parse_level("1")


@pytest.fixture(autouse=True)
def _files(folder):
    (folder / "g.csv").write_text(csv_text(FORWARD))


def lower(levels, digits=17):
    """Return lower ends: of printed levels as they are, of others to `digits` digits."""
    return [each["lower"] if isinstance(each, dict) else str(each.enclosure(digits).lower) for each in levels]


def drawn(monkeypatch, *question):
    panels = {}
    monkeypatch.setattr(plots, "leakage_picture", lambda path, found, **_: panels.update(found))
    run(*question, "--plot", "x.png")
    return [[*curves] for curves in panels.values()]


def test_the_picture_of_both(monkeypatch):
    curves = [f"{kind}, {model}" for model in ("exact worst case", "paper's bound") for kind in ("BPL", "FPL", "TPL")]
    for when in (["--at", "2"], ["--after", "2,3"]):
        assert drawn(monkeypatch, "leakage", *STEP, *when) == [curves]


@pytest.mark.parametrize(("files", "known"), [(STEP[:2], (DIVERGES,)), (BOTH, (SYMMETRIC, SKEWED))])
def test_windows(files, known):
    """Where every step is possible and where not, against the programme over pairs."""
    budgets = [parse_level("log(3/2)")] * 4
    found = value("composition", *files, *STEP[2:], "--w", 2, "--window", "2:3")["worst_case"]["windows"]
    event, two, user, window = found
    assert event["exact"] == max(worst_case_leakage(budgets, *known).tpl).exact_text
    windows = [worst_case_composition(budgets, start, 2, *known) for start in (1, 2, 3)]
    assert two["exact"] == max(windows).exact_text
    assert windows[two["start"] - 1] == max(windows)
    assert user["exact"] == "log(81/16)"
    assert (window["exact"], window["start"]) == (worst_case_composition(budgets, 2, 3, *known).exact_text, 2)


def test_verdicts_and_whose_windows(monkeypatch):
    given = ("composition", *STEP, "--alpha", "0.8217", "--alpha", "0.8", "--alpha", "1.7")
    found = value(*given)
    assert [each["satisfied"] for each in found["paper_bound"]["satisfies"]] == [False, False, True]
    assert [each["first_failure"] for each in found["worst_case"]["satisfies"]] == [None, 4, None]
    several = value(
        "composition", "--users", "u.json", "--one-sided", "--independent", "--epsilon", "0.1", "--steps", 3
    )
    assert several["worst_case"]["windows"][0]["attained_by"]
    monkeypatch.setattr(composition_command, "MOST_PROGRAMMES", 2)
    many = ("composition", "--backward", "strong.csv", "--one-sided", "--epsilon", "0.1", "--steps", 5, "--w", 2)
    assert "4 windows with impossible steps" in refused(*many)


def test_the_supremum_and_its_largest_budget():
    assert value("supremum", "strong.csv", "--one-sided", "--epsilon", "1")["worst_case"]["exact"] == "inf"
    largest = value("supremum", "d.csv", "--one-sided", "--cap", "1/2", "--digits", 5)
    budget = Fraction(largest["worst_case"]["lower"])
    by_bisection = greatest_worst_case_budget(parse_level("1/2"), DIVERGES, digits=5).rational
    assert budget - Fraction(1, 10**5) <= by_bisection <= budget + Fraction(1, 10**5)
    assert Fraction(largest["paper_bound"]["upper"]) < budget


def test_the_budget_now():
    """Spent, it makes the BPL of the worst mechanisms equal to the cap; by the paper's bound less is left."""
    spent, cap = "log(3/2),log(5/4),log(3/2)", ("control", "d.csv", "--cap", "log(23/10)")
    found = value(*cap, "--spent", spent)
    budgets = [parse_level(text) for text in [*spent.split(","), found["worst_case"]["exact"]]]
    assert worst_case_leakage(budgets, DIVERGES).bpl[3] == parse_level("log(23/10)")
    previous = leakage(budgets[:3], Adversary.knowing(DIVERGES)).bpl[2].exact_text
    assert found["paper_bound"] == value(*cap, "--previous", previous)["paper_bound"]
    assert parse_level(found["paper_bound"]["exact"]) < parse_level(found["worst_case"]["exact"])
    assert value(*cap, "--spent", spent, "--reference") == found
    many = value("control", "d.csv", "--cap", "0.84", "--spent", ",".join(["log(3/2)"] * 9))
    assert "nothing is left" in many["basis"]["absent"]["paper_bound"]
    assert float(many["worst_case"]["upper"]) > 0
    assert value("control", "d.csv", "--cap", "inf", "--spent", "1")["worst_case"]["exact"] == "inf"


WIDE = ("allocate", "--alpha", "1", "--backward", "d.csv", "--forward", "g.csv", "--digits", 6)


def test_the_greatest_constant_budget(monkeypatch):
    """Against bisection by the reference; the paper's stands beside it, and is smaller."""
    found = value(*WIDE, "--method", "constant", "--steps", 4)
    worst = found["worst_case"]
    greatest = greatest_worst_case_budget(ONE, DIVERGES, FORWARD, 4, digits=6).rational
    (budget,) = set(exact(worst["epsilons"]))
    assert 0 <= greatest - Fraction(budget) <= Fraction(2, 10**6)
    tpl = worst_case_leakage([parse_level(budget)] * 4, DIVERGES, FORWARD).tpl
    assert max(tpl) <= ONE
    assert lower(worst["tpl"]) == lower(tpl, 6)
    assert Fraction(found["paper_bound"]["epsilons"][0]["upper"]) < Fraction(budget)
    noise = {(row["schedule"], row["model"]): Fraction(row["noise"]["upper"]) for row in found["comparison"]}
    assert noise["constant", "worst_case"] < noise["constant", "paper_bound"]
    utility = value("utility", "--alpha", "1", "--steps", 4, *WIDE[3:7], "--digits", 6, "--model", "worst-case")
    assert abs(Fraction(utility["worst_case"]["constant"][0]["upper"]) - 2 / greatest) < Fraction(1, 10**4)
    assert drawn(monkeypatch, *WIDE, "--method", "constant", "--steps", 3) == [["budget", "TPL"]] * 2


def test_the_greatest_budget_of_several_is_the_least_of_each_ones_own():
    given = line("allocate --alpha 1 --users u.json --one-sided --independent --method constant --steps 3")
    found = value(*given)["worst_case"]
    own = {name: Fraction(each["all"]["exact"]) for name, each in found["personalised"].items()}
    assert own["eve"] == 1
    assert Fraction(found["epsilons"][0]["exact"]) == min(own.values()) == own["bob"]


def test_the_least_noise():
    """Kept by the literal leakage, no noisier than any other schedule."""
    given = ("allocate", "--alpha", "1", *BOTH, "--method", "least-noise", "--digits", 9, "--steps", 5)
    found = value(*given)
    worst = found["worst_case"]
    budgets = [parse_level(text) for text in exact(worst["epsilons"])]
    tpl = worst_case_leakage(budgets, SYMMETRIC, SKEWED).tpl
    assert parse_level("0.9999999") < max(tpl) <= ONE
    assert lower(worst["tpl"]) == lower(tpl, 9)
    noise = {(row["schedule"], row["model"]): Fraction(row["noise"]["upper"]) for row in found["comparison"]}
    least = noise["least-noise", "worst_case"]
    assert least == min(noise.values())
    assert least < noise["constant", "worst_case"] <= noise["constant", "paper_bound"]
    assert float(least) == pytest.approx(2 * sum(1 / float(each.rational) for each in budgets) / 5, rel=1e-5)
    best = {purpose: (row["schedule"], row["model"]) for row in found["comparison"] for purpose in row["best_for"]}
    assert best["equal budgets"] == ("constant", "worst_case")
    assert best["the least noise"] == ("least-noise", "worst_case")
    asked = ("utility", "--alpha", "1", "--steps", "1,5", *BOTH, "--digits", 6)
    assert float(value(*asked)["worst_case"]["least-noise"][1]["upper"]) == pytest.approx(float(least), rel=1e-5)
