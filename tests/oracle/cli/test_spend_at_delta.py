"""`tploracle spend` for an account at a δ: releases of every kind, kept within the limit, recorded as any other."""

from fractions import Fraction
from functools import partial
from itertools import permutations

from tploracle.reference import ApproximateBudget, Level
from tploracle.reference.worst_case.worst_profile import WorstProfile

from ... import commands
from ...commands import csv_rows, refused, run
from ...matrices import MODERATE

value = partial(commands.value, "spend")

BEGIN = ("a", "--init", "--backward", "m.csv", "--one-sided", "--cap", "log(3/2)", "--delta", "0.01")


def history():
    return [row["epsilon"] for row in commands.values("spend", "a", "--history")]


def test_releases_of_every_kind_are_recorded_and_bounded(folder):
    """What is shown bounds the exact δ; what would exceed the limit is refused and leaves the file as it was."""
    assert value(*BEGIN)["worst_case"] == {}
    kinds = [("--epsilon", "log(6/5)"), ("--epsilon", "log(11/10)", "--delta-per-release", "1e-4"), ("--sigma", "10")]
    for number, kind in enumerate(kinds, 1):
        found = value("a", *kind)
        assert (found["releases"], found["delta"], found["cap"]["exact"]) == (number, "1/100", "log(3/2)")
        assert found["worst_case"]["worst"]["time"] == number
    assert history() == ["log(6/5)", "(log(11/10), 1/10000)", "gaussian(sigma=10, sensitivity=1)"]
    before = (folder / "a").read_bytes()
    message = refused("spend", "a", "--epsilon", "0.1", "--delta-per-release", "0.02")
    assert message.startswith("InfeasibleBudget: δ at time 4 would be at least 0.0")
    assert (folder / "a").read_bytes() == before
    assert [row["time"] for row in csv_rows("spend", "a", "--show")] == ["1", "2", "3"]
    told = run("spend", "a").stdout
    assert told.startswith("3 releases: TPL stays within (log(3/2), 1/100) at every time (exact worst case).\n")
    assert f"plus {found['worst_case']['worst']['delta_at_most']}." in told


def test_what_is_shown_is_the_profile(folder):
    run("spend", *BEGIN)
    found = value("a", "--epsilon", "log(6/5)", "--epsilon", "log(6/5)", "--delta-per-release", "1/500", "--show")
    budgets = [ApproximateBudget(Level.of_ratio(Fraction(6, 5)), Fraction(1, 500))] * 2
    exact = WorstProfile(budgets, [MODERATE.rows], list(permutations(range(MODERATE.n), 2)))
    delta, shown = exact.delta(Level.of_ratio(Fraction(3, 2))).upper, Fraction(found["worst_case"]["delta_at_most"][1])
    assert delta <= shown < delta * Fraction(1001, 1000)
    assert csv_rows("spend", "a")[0]["delta_at_most"] == found["worst_case"]["worst"]["delta_at_most"]


def test_a_request_is_charged_once_and_neighbours_are_those_of_the_account(folder):
    begun = value(*BEGIN, "--neighbours", "add-remove", "--sigma", "40", "--id", "one")
    assert value(*BEGIN, "--neighbours", "add-remove", "--sigma", "40", "--id", "one") == begun
    again = value("a", "--sigma", "40", "--id", "one")
    assert {key: own for key, own in again.items() if own != begun[key]}.keys() <= {"basis"}
    value("a", "--rho", "1/9999", "--id", "two")
    assert history() == ["gaussian(sigma=40, sensitivity=2)", "zcdp(rho=4/9999)"]
    assert "another spend" in refused("spend", "a", "--rho", "1/9998", "--id", "two")
    assert "another spend" in refused("spend", *BEGIN[:-1], "0.02", "--sigma", "40", "--id", "one")
    assert "twice that" in run("spend", "a", "--history").stdout


def test_an_account_of_pure_budgets_beside_one_at_a_delta(folder):
    head = value("a", "--init", "--backward", "m.csv", "--one-sided", "--cap", "1", "--epsilon", "0.1")["head"]
    value("a", "--account", "b", *BEGIN[1:])
    assert value("a")["head"] == head
    assert "an account of pure ε has no" in refused("spend", "a", "--sigma", "10")
