"""`tploracle spend` for an account at a δ: releases of every kind, kept within the limit, recorded as any other."""

from fractions import Fraction
from functools import partial
from itertools import permutations
from pathlib import Path
from random import Random

import pytest

from tploracle.reference import ApproximateBudget, Level
from tploracle.reference.worst_case.worst_profile import WorstProfile

from ... import commands
from ...commands import csv_rows, refused, run
from ...matrices import MODERATE

F = Fraction
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


@pytest.mark.parametrize("known", [("--backward",), ("--forward",), ("--both",)])
@pytest.mark.parametrize("seed", range(2))
def test_releases_of_one_time_are_one_budget_and_times_without_one_are_budgets_of_0(folder, known, seed):
    draw = Random(seed)
    slots = [0, *(draw.randrange(4) for _ in range(3))]
    tenths = [draw.randrange(1, 9) for _ in slots]
    sigmas = [draw.choice((15, 20, 36)) for _ in slots]
    sides = ("--backward", "m.csv", "--forward", "m.csv") if known == ("--both",) else (*known, "m.csv", "--one-sided")
    begin = ("--init", *sides, "--cap", 1, "--delta", "0.2")
    is_pure = seed % 2
    for time, tenth, sigma in zip(slots, tenths, sigmas, strict=True):
        kind = ("--epsilon", f"0.0{tenth}", "--delta-per-release", "1/500") if is_pure else ("--sigma", sigma)
        first = begin if not Path("timed").exists() else ()
        found = value("timed", *first, *kind, "--at", time, "--show")
    value("plain", *begin)
    for slot in range(max(slots) + 1):
        here = [place for place, own in enumerate(slots) if own == slot]
        epsilon, kept = F(sum(tenths[place] for place in here), 100), F(499, 500) ** len(here)
        mu = sum((F(1, sigmas[place] ** 2) for place in here), F(0)) ** F(1, 2)
        if is_pure or not here:
            again = value("plain", "--epsilon", epsilon, "--delta-per-release", 1 - kept, "--show")
        else:
            again = value("plain", "--sigma", F(1 / mu), "--show")
    for one, other in zip(*(each["worst_case"]["delta_at_most"] for each in (found, again)), strict=True):
        assert float(one) == pytest.approx(float(other), rel=1e-5, abs=1e-12)
    assert (found["releases"], found["times"]) == (len(slots), max(slots) + 1)
    told = [float(each) for each in found["worst_case"]["delta_at_most"]]
    since = 0 if known != ("--backward",) else slots[-1]
    worst = found["worst_case"]["worst"]
    assert told[worst["time"] - 1] == float(worst["delta_at_most"]) == max(told[since:])


def test_two_tables_of_one_hour_do_not_pass_a_limit_that_each_keeps(folder):
    begin = ("a", "--init", "--backward", "m.csv", "--one-sided", "--cap", "0.5", "--delta", "0.01", "--step", "1h")
    noise = ("--sigma", "4")
    value(*begin, *noise, "--at", "2026-01-01T08:00")
    value("a", "--sigma", "60", "--at", "2026-01-01T12:00")
    before = (folder / "a").read_bytes()
    assert "InfeasibleBudget" in refused("spend", "a", *noise, "--at", "2026-01-01T08:00")
    assert "whole steps" in refused("spend", "a", *noise, "--at", "2026-01-01T08:30")
    assert "others have none" in refused("spend", "a", *noise)
    assert "does not add up" in refused(
        "spend", "a", "--epsilon", "0.1", "--delta-per-release", "0.001", "--at", "2026-01-01T08:00"
    )
    assert (folder / "a").read_bytes() == before
    assert "2 releases at 5 times: TPL stays within" in run("spend", "a").stdout
    assert "those of one time added up" in value("a")["basis"]["step"]
