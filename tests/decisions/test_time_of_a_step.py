"""A chain is about steps of some length: the spacing is told, and a release every m steps takes the m-th power."""

import json
from collections import Counter
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.data.logs import LogColumns
from tploracle.data.steps import BREAK, ERROR, HOLD, Duration, Spacings, Steps, transitions_of
from tploracle.data.visit_counts import count_log_file
from tploracle.population.rejects import rejects
from tploracle.population.visit_logs import VisitLog
from tploracle.reference import InvalidRequest

from ..commands import refused, run, value
from ..profiles import some
from .enumerated import worst_by_recursion

COLUMNS = ("--user", "who", "--time", "when", "--state", "where")
FIRST = datetime(2024, 1, 1)


def written(visits, path="log.csv"):
    """Write visits, users with hours and places, as a log."""
    lines = [f"{who},{(FIRST + timedelta(hours=hours)).isoformat()},{where}\n" for who, hours, where in visits]
    Path(path).write_text("who,when,where\n" + "".join(lines))
    return path


def estimated(*options, status=0):
    return run("estimate", "log.csv", *COLUMNS, "--counts", *options, status=status)


def four_hourly(count=60):
    return [("u", 4 * step, "abcba"[step * step % 5]) for step in range(count)]


def test_a_step_that_is_always_as_long_is_stored_and_carried(empty_folder):
    written(four_hourly())
    found = estimated()
    assert "visits are all 4h apart, which is taken as the step" in found.stderr
    Path("counts.json").write_text(found.stdout)
    counts = json.loads(found.stdout)
    assert counts["step"] == "4h"
    forward = np.array(counts["counts"]) / np.sum(counts["counts"], axis=1, keepdims=True)
    np.savetxt("power.csv", np.linalg.matrix_power(forward, 6), "%.17g", ",")
    stream = ("--epsilon", "0.1", "--steps", 10, "--model", "paper-bound")
    daily = value("leakage", "--forward", "counts.json", "--every", "1d", *stream)
    by_hand = value("leakage", "--forward", "power.csv", "--normalise", *stream)
    for exact, double in zip(daily["paper_bound"]["fpl"], by_hand["paper_bound"]["fpl"], strict=True):
        assert float(exact["lower"]) == pytest.approx(float(double["lower"]), abs=1e-12)
    assert daily["basis"]["step"] == "of 4h, as the counts say; a release every 1d"
    assert value("leakage", "--forward", "counts.json", "--every", 6, *stream)["paper_bound"] == daily["paper_bound"]
    each = value("leakage", "--forward", "counts.json", *stream)
    assert float(each["paper_bound"]["fpl"][0]["lower"]) > float(daily["paper_bound"]["fpl"][0]["upper"])


@pytest.mark.parametrize(
    ("every", "why"), [("1h", "0.25 steps of 4h"), ("6h", "1.5 steps"), ("3", None), ("x", "is no")]
)
def test_parts_of_a_step_are_refused(empty_folder, every, why):
    Path("counts.json").write_text((written(four_hourly()), estimated().stdout)[1])
    line = ("supremum", "counts.json", "--one-sided", "--role", "forward", "--epsilon", 1, "--every", every)
    if why is None:
        run(*line)
    else:
        assert why in refused(*line)


BOTH = "--backward counts.json --forward counts.json"
ANSWERS = [
    f"leakage {BOTH} --epsilon 1 --steps 2",
    f"allocate {BOTH} --alpha 1 --method upper-bound",
    f"composition {BOTH} --epsilon 1 --steps 2 --w 1",
    f"utility {BOTH} --alpha 1 --steps 2",
    f"attack {BOTH} --epsilon 1 --steps 2",
    f"spend ledger.db --init {BOTH} --epsilon 1",
    f"audit {BOTH}",
    "audit counts.json",
    "supremum counts.json --epsilon 1",
    "supremum counts.json --cap 1",
    "supremum counts.json --role forward --one-sided --epsilon 1",
    "control counts.json --role backward --previous 1 --cap 2",
]


@pytest.mark.parametrize("line", some(ANSWERS, 4))
def test_every_answer_names_the_step_and_the_estimate(empty_folder, line):
    Path("counts.json").write_text((written(four_hourly()), estimated().stdout)[1])
    basis = value(*line.split(), "--every", "8h")["basis"]
    assert basis["step"] == "of 4h, as the counts say; a release every 8h"
    assert basis["estimate"].endswith("59 transitions, its uncertainty not included")


def test_matrices_of_different_steps_and_of_unknown_ones(empty_folder):
    Path("four.json").write_text((written(four_hourly()), estimated().stdout)[1])
    written([(who, hours / 4, where) for who, hours, where in four_hourly()])
    Path("one.json").write_text(estimated().stdout)
    both = ("leakage", "--backward", "four.json", "--forward", "one.json", "--epsilon", 1, "--steps", 2)
    assert "steps of different lengths: 1h and 4h" in refused(*both)
    Path("m.csv").write_text("1/2,1/2\n1/3,2/3\n")
    assert "does not say how long a step is" in refused("loss", "m.csv", "--alpha", 1, "--every", "1d")


def test_spacing_is_told_and_gaps_are_not_guessed(empty_folder):
    visits = four_hourly()
    written([*visits[:20], *visits[23:]])
    found = estimated()
    assert "4h apart in the median (99th percentile 16h, maximum 16h)" in found.stderr
    assert "step" not in json.loads(found.stdout)
    assert "line 22: with steps of 4h" in estimated("--step", "4h", status=2).stderr
    states = [where for _, _, where in visits]
    for gaps, sequences in (
        ("break", [states[:20], states[23:]]),
        ("hold", [[*states[:20], *[states[19]] * 3, *states[23:]]]),
    ):
        wanted = Counter(pair for own in sequences for pair in pairwise(own))
        found = estimated("--step", "4h", "--gaps", gaps)
        assert f"gaps: {gaps} at 1 of 56 spacings" in found.stderr
        counts = json.loads(found.stdout)
        names = counts["states"]
        assert {
            (names[j], names[k]): count
            for j, row in enumerate(counts["counts"])
            for k, count in enumerate(row)
            if count
        } == wanted
        assert counts["step"] == "4h"
    for wrong, why in (
        (("--step", "4"), "a step has a unit"),
        (("--gaps", "hold"), "needs --step"),
        (("--step", "9h"), "in the same step"),
        (("--step", "0h"), "above 0"),
        (("--step", "1h", "--gaps", "break"), "no visit is one step after another: visits are 4h apart in the median"),
        (("--step", "4 parsecs"), "not a length of time"),
    ):
        assert why in estimated(*wrong, status=2).stderr


def sampled(times, states, step, gaps):
    """Return the sequences on the grid, slot by slot, or None where the log is refused."""
    if gaps == HOLD:
        first, last = times[0], times[-1]
        grid = []
        time = first
        while time < last + step:
            grid.append([state for at, state in zip(times, states, strict=True) if at <= time][-1])
            time += step
        return [grid]
    slots = {}
    for at, state in zip(times, states, strict=True):
        nearest = (at - times[0] + step / 2) // step
        if nearest in slots:
            return None
        slots[nearest] = state
    sequences, before = [], None
    for slot, state in slots.items():
        if before is not None and slot != before + 1:
            if gaps == ERROR:
                return None
            sequences.append([])
        if before is None:
            sequences.append([])
        sequences[-1].append(state)
        before = slot
    return sequences


@given(
    st.lists(st.integers(1, 40), max_size=12), st.integers(1, 30), st.sampled_from([BREAK, ERROR, HOLD]), st.randoms()
)
def test_steps_are_those_of_a_grid(spacings, step, gaps, random):
    times = [0]
    for spacing in spacings:
        times.append(times[-1] + spacing)
    states = [random.choice("abc") for _ in times]
    wanted = sampled([Fraction(time) for time in times], states, Fraction(step), gaps)
    steps = Steps(Duration(Fraction(step), False), gaps)

    class Refused(Exception):
        pass

    try:
        slots = steps.slots([Fraction(time) for time in times], lambda *_: Refused())
    except Refused:
        assert wanted is None
        return
    counts, first = transitions_of(slots, states, gaps)
    assert counts == Counter(pair for own in wanted for pair in pairwise(own))
    assert first == [own[0] for own in wanted]


@pytest.mark.filterwarnings("ignore:.*each visit counts as one step")
@pytest.mark.parametrize("gaps", [ERROR, BREAK, HOLD])
def test_a_population_counts_as_one_log_of_each_user_does(tmp_path, gaps):
    random = np.random.default_rng(5)
    lines = []
    for user in range(12):
        hours = 0.0
        for _ in range(25):
            lines.append(f"u{user},{(FIRST + timedelta(hours=hours)).isoformat()},{random.choice([*'abc'])}\n")
            hours += float(random.choice([1, 1, 1, 1.25] if gaps == ERROR else [0.75, 1, 1, 2, 3.5]))
    columns, steps = LogColumns("who", "when", "where"), Steps(Duration(Fraction(3600), True), gaps)
    whole, single = tmp_path / "log.csv", tmp_path / "one.csv"
    whole.write_text("who,when,where\n" + "".join(lines))
    log = VisitLog([str(whole)], columns, None, tmp_path / "visits", steps)
    with rejects(str(whole), str(tmp_path / "rejects.csv")) as broken:
        log.share_out(broken.reading)
        found = {
            user: own for chunk in log.chunks(5, broken) for user, own in zip(chunk.users, chunk.counts, strict=True)
        }
        refusals = broken.noted
    assert len(found) == 12
    for user, counts in found.items():
        single.write_text("who,when,where\n" + "".join(line for line in lines if line.startswith(f"{user},")))
        try:
            alone = count_log_file(str(single), columns, steps=steps)
        except InvalidRequest:
            assert refusals
            continue
        assert [list(row) for row in alone.counts.transitions] == counts.tolist()
    if gaps == HOLD:
        moments = {user: [line.split(",")[1] for line in lines if line.startswith(f"{user},")] for user in found}
        slots = [
            [-((FIRST - datetime.fromisoformat(told)) // timedelta(hours=1)) for told in own]
            for own in moments.values()
        ]
        filled = sum(after > before + 1 for own in slots for before, after in pairwise(own))
        assert log.spacings.gaps == count_log_file(str(whole), columns, steps=steps).spacings.gaps == filled > 0
    assert log.spacings.text(True) == count_log_file(str(whole), columns).spacings.text(True)


def test_a_population_that_publishes_every_so_many_steps(empty_folder):
    """Each user's matrices are powers then, both ways; what is counted both ways is one chain's where visits return."""
    random = np.random.default_rng(7)
    places = {user: ["a", *random.choice([*"ab"], 40, p=[0.8, 0.2]), "b"] for user in ("u", "v")}
    places["u"].append("a")
    written([(user, hours, where) for user, own in places.items() for hours, where in enumerate(own)])
    many = ("population", "log.csv", *COLUMNS, "--step", "1h", "--epsilon", "0.2", "--steps", 4, "--workers", 1)
    for every, steps in (("3", 3), ("3h", 3), (None, 1)):
        folder = f"out-{every}"
        told = value(*many, "--out", folder, *(() if every is None else ("--every", every)))
        rows = {row["user"]: row for row in pq.read_table(f"{folder}/part-00000.parquet").to_pylist()}
        for user, own in places.items():
            counts = np.zeros((2, 2))
            for before, after in pairwise(own):
                counts["ab".index(before), "ab".index(after)] += 1
            known = (counts / counts.sum(0)).T, counts / counts.sum(1, keepdims=True)
            worst = worst_by_recursion(*(np.linalg.matrix_power(own, steps) for own in known), [0.2] * 4)
            assert rows[user]["paper_bound_tpl_upper"] == pytest.approx(worst, rel=1e-9)
        assert told["basis"]["chain"] == "not of one stationary chain for 1 of 2 users: counted both ways"
        assert told["basis"]["step"].endswith(
            "; a release every 3 steps" if every == "3" else "3h" if every else "error"
        )
    assert "is 1.5 steps of 1h" in refused(*many, "--out", "no", "--every", "90min")
    assert "does not say how long a step is" in refused(*many[:8], *many[10:], "--out", "no", "--every", "3h")


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(8 * 3600, "8h"), (17_500, "4.86h"), (118_000, "1.37d"), (76 * 60, "76min"), (0.25, "0.25s"), (12.5, "12.5s")],
)
def test_spacings_are_told_in_units_that_one_reads(seconds, told):
    spacings = Spacings()
    spacings.add({Fraction(seconds): 2, Fraction(10**7): 1}, Fraction(seconds), True)
    assert spacings.text(True).startswith(f"visits are {told} apart in the median")


@pytest.mark.parametrize(
    ("time", "what_to_do"),
    [
        ("31.05.2024 08:00", "write a number, or ISO 8601 as in 2024-05-31T08:00:00"),
        ("05/31/2024", "ISO 8601"),
        ("31-05-2024", "ISO 8601"),
        ("8,5", "ISO 8601"),
        ("20240531", "write 2024-05-31 for the date, or 20240531.0"),
        ("202405310830", "write 2024-05-31T08:30:00"),
        ("20240531083015", "write 2024-05-31T08:30:15"),
    ],
)
def test_local_dates_decimal_commas_and_dates_that_look_like_numbers(empty_folder, time, what_to_do):
    """Days that are numbers are 70 apart at the end of a month: nothing is guessed."""
    Path("log.csv").write_text(f"who;when;where\nu;{time};a\nu;2024-06-01;b\n")
    assert what_to_do in estimated("--separator", "semicolon", status=2).stderr
    many = ("population", "log.csv", *COLUMNS, "--separator", "semicolon", "--out", "out", "--epsilon", 1, "--steps", 2)
    assert what_to_do in run(*many, "--workers", 1, status=2).stderr


def test_numbers_that_are_no_dates(empty_folder):
    for times in (("20240531.0", "20240532.0"), ("20241331", "20241332"), ("99990101", "99990102"), ("1", "2")):
        Path("log.csv").write_text("who,when,where\n" + "".join(f"u,{time},a\n" for time in times))
        assert "visits are all 1 apart" in estimated().stderr
