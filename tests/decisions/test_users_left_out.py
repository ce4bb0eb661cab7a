"""A schedule "for all" of a population is for those on whom it was verified, and says who the others are."""

import json
import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tploracle.population import visit_logs

from ..commands import run
from .enumerated import worst_by_recursion

PLACES = "home", "work", "gym"
COLUMNS = ("--user", "who", "--time", "when", "--state", "where", "--workers", 1)


def walk(seed, stay, places, length=80):
    """Return the places of a user who stays with this probability, and who has been everywhere and back at the end."""
    drawn, at = random.Random(seed), places[0]
    visits = [*places, *places[:1]]
    for _ in range(length):
        at = at if drawn.random() < stay else drawn.choice(places)
        visits.append(at)
    return [*visits, *places[:1]]


def matrices(visits):
    """Return P^B and P^F as doubles, over the places that are visited, by counting."""
    names = sorted({*visits})
    counts = np.zeros((len(names), len(names)))
    for before, after in pairwise(visits):
        counts[names.index(before), names.index(after)] += 1
    return (counts / counts.sum(0)).T, counts / counts.sum(1, keepdims=True)


def worst_tpl(visits, epsilons):
    """Return the greatest TPL over time, by the paper's recursions."""
    return worst_by_recursion(*matrices(visits), epsilons)


@pytest.fixture
def log(empty_folder):
    users = {f"mild {number}": walk(number, 0.3, PLACES) for number in range(8)}
    users["never at the gym"] = walk(99, 0.97, PLACES[:2])
    lines = [f"{who},{time},{where}\n" for who, own in users.items() for time, where in enumerate(own)]
    Path("log.csv").write_text("who,when,where\n" + "".join(lines))
    return users


def fitted(*options, status=0):
    """Return what is printed, the schedule as it is written, and its budgets."""
    folder = Path("-".join(("out", *options)))
    asked = ("--epsilon", "0.1", "--alpha", 1, "--steps", 20, "--method", "constant", *options)
    shown = run("population", "log.csv", "--out", folder, *COLUMNS, *asked, status=status).stdout
    value = json.loads((folder / "schedule.json").read_text())["paper_bound"]
    return shown, value, [float(Fraction(text)) for text in value["epsilons"]]


def test_who_misses_a_place_is_counted_on_the_places_that_they_visit(log):
    shown, value, epsilons = fitted()
    assert (value["users"], value["verified_users"], value["left_out"]) == (9, 9, [])
    assert "verified on all 9 users" in shown
    worst = {who: worst_tpl(own, epsilons) for who, own in log.items()}
    assert max(worst.values()) == pytest.approx(1, abs=1e-9)
    assert max(worst, key=worst.get) == value["worst_user"] == "never at the gym"
    rows = {row["user"]: row for row in pq.read_table("out/part-00000.parquet").to_pylist()}
    assert all(rows[who]["error"] is None for who in log)


@pytest.mark.parametrize("twin", ["Never at the gym", "never_at the gym", "mild 01", "mild 1.0", "mild  2"])
def test_two_users_whose_names_look_like_one_are_noted(log, twin):
    """Also where users are shared out into several files: such two are in one of them."""
    with Path("log.csv").open("a") as file:
        file.writelines(f"{twin},{time},{where}\n" for time, where in enumerate(["home", "work", "gym", "home"]))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(visit_logs, "_share_count", lambda _: 5)
        told = run("population", "log.csv", "--out", "out", *COLUMNS, "--epsilon", "0.1", "--steps", 2).stderr
    assert told.count("two users whose names look like one") == 1
    assert f"'{twin}'" in told


def test_who_cannot_be_estimated_is_named_and_ends_in_a_status_of_its_own(log):
    with Path("log.csv").open("a") as file:
        file.write("ends elsewhere,1,home\nends elsewhere,2,home\nends elsewhere,3,gym\n")
    shown, value, _ = fitted(status=6)
    assert "verified on 9 of 10 users" in shown
    assert shown.index("nothing of 1 whose correlation is not known: ends elsewhere") < shown.index("\n")
    assert (value["verified_users"], value["left_out"]) == (9, ["ends elsewhere"])
    assert fitted("--unestimated", "leave-out")[1]["left_out"] == ["ends elsewhere"]
    shown, value, epsilons = fitted("--unestimated", "count-worst")
    assert (value["verified_users"], value["left_out"], value["by_sum_of_budgets"]) == (10, [], ["ends elsewhere"])
    assert sum(epsilons) == pytest.approx(1, abs=1e-9)
    assert sum(epsilons) <= 1
    assert "ends elsewhere) by the sum of the budgets" in shown
