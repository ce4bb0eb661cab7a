"""`fit` on what changes with the clock, on durations and on kinds of persons, against computations of this file."""

import json
from collections import Counter
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest

from tploracle.data import alternatives, fit
from tploracle.data.alternatives import two_kinds
from tploracle.data.fit import Observations
from tploracle.data.steps import BREAK, ERROR, HOLD, Clock, Duration, runs_of, transitions_of
from tploracle.models.basis import Basis
from tploracle.output import plots
from tploracle.reference import TransitionMatrix
from tploracle.reference.stepwise import Stepwise

from ..commands import refused, run, value
from .enumerated import reversal, worst_tpl

CALM = np.array([[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.3, 0.3, 0.4]])
BUSY = np.array([[0.2, 0.4, 0.4], [0.6, 0.2, 0.2], [0.1, 0.3, 0.6]])
FIRST = datetime(2026, 3, 2)  # a Monday
STAYS = TransitionMatrix.of([["4/5", "1/5"], ["1/5", "4/5"]])


def drawn(rng, length, rows_at):
    states = [int(rng.integers(3))]
    while len(states) < length:
        states.append(int(rng.choice(3, p=rows_at(len(states) - 1)[states[-1]])))
    return states


def written(step, rows_at, users=40, length=120, seed=0):
    """Write a log of visits a step apart, whose transitions have the rows of their time."""
    rng = np.random.default_rng(seed)
    lines = ["who,when,where"]
    for user in range(users):
        states = drawn(rng, length, lambda number: rows_at(FIRST + number * step))
        lines += [f"{user},{(FIRST + number * step).isoformat()},{'abc'[at]}" for number, at in enumerate(states)]
    Path("log.csv").write_text("\n".join(lines) + "\n")
    return ("log.csv", "--user", "who", "--time", "when", "--state", "where")


def by_day(moment):
    return BUSY if 9 <= moment.hour < 17 else CALM


def at_weekends(moment):
    return BUSY if moment.weekday() > 4 else CALM


@pytest.mark.parametrize(
    ("rows_at", "step", "test"),
    [
        (by_day, timedelta(hours=1), "hour"),
        (by_day, timedelta(hours=4), "hour"),
        (at_weekends, timedelta(days=1), "weekday"),
        (at_weekends, timedelta(hours=6), "weekday"),
    ],
)
def test_what_changes_with_the_clock_is_found_and_said_first(empty_folder, rows_at, step, test):
    found = run("fit", *written(step, rows_at), "--steps", 2)
    assert f"estimate --per {test}" in found.stdout.splitlines()[0]
    assert f"{test} p =" in found.stdout.splitlines()[-1]


def test_what_does_not_is_seldom_rejected():
    rejected = 0
    for seed in range(60):
        rng, seen = np.random.default_rng(seed), Observations()
        for _ in range(30):
            clock = Clock.of([FIRST + timedelta(hours=int(rng.integers(200)))], Duration.of("1h", "step"))
            seen.add([[(str(state), 1) for state in drawn(rng, int(rng.integers(2, 60)), lambda _: CALM)]], [clock])
        fit = seen.fit()
        assert {"order", "time", "hour", "weekday", "duration", "persons"} == {*fit.tests}
        rejected += bool(fit.rejected)
    assert rejected <= 3


@pytest.mark.parametrize("longest", [3, 4])
def test_states_that_end_after_a_time_are_found_by_their_durations(longest):
    rng, seen = np.random.default_rng(longest), Observations()
    for _ in range(60):
        states = [0]
        while len(states) < 60:
            ends = states[-longest:] == [states[-1]] * longest
            states.append((states[-1] + int(rng.integers(1, 3))) % 3 if ends or rng.random() < 0.4 else states[-1])
        seen.add([[(str(state), 1) for state in states]])
    assert "duration" in seen.fit().rejected


@pytest.mark.parametrize("seed", range(8))
def test_hours_are_those_of_each_step_by_the_calendar(seed):
    rng = np.random.default_rng(seed)
    step = int(rng.choice([7, 60, 900, 3600, 5000, 14_400, 86_400]))
    begin = FIRST + timedelta(seconds=int(rng.integers(10**6)))
    start, first, count = (int(each) for each in rng.integers((0, 0, 1), (9, 9, 40_000)))
    clock = Clock.of([begin], Duration(Fraction(step), in_seconds=True))
    moved = Clock(clock.times, clock.step, start)
    found, wanted = Counter(), Counter()
    for hour, steps in moved.hours(first, count):
        found[hour % 168] += steps
    for number in range(start + first, start + first + count):
        at = begin + timedelta(seconds=step * number)
        wanted[at.weekday() * 24 + at.hour] += 1
    assert found == wanted


@pytest.mark.parametrize("gaps", [ERROR, BREAK, HOLD])
@pytest.mark.parametrize("seed", range(20))
def test_sequences_have_the_transitions_that_are_counted(gaps, seed):
    rng = np.random.default_rng(seed)
    slots = [*range(12)] if gaps == ERROR else sorted(int(slot) for slot in rng.integers(0, 20, 12))
    slots = slots if gaps == HOLD else sorted({*slots})
    states = [str(rng.choice(["a", "b", ""])) for _ in slots]
    found = Counter()
    for _, runs in runs_of(slots, states, gaps):
        steps = [state for state, length in runs for _ in range(length)]
        found.update(pairwise(steps))
    # a value that is held and then missing is held up to there
    counted = transitions_of(slots, states, gaps)[0]
    assert all(found[pair] == count for pair, count in counted.items() if pair[0] != pair[1])
    if gaps != HOLD:
        assert found == counted


# What they do to the leakage


@pytest.mark.parametrize("seed", range(2))
def test_the_leakage_by_hour_is_the_worst_of_all_beginnings(empty_folder, seed):
    log = written(timedelta(hours=6), lambda moment: by_day(moment + timedelta(hours=6 * seed)), users=60, seed=seed)
    found = value("fit", *log, "--epsilon", "0.4", "--steps", 3)
    counts = np.zeros((4, 3, 3))
    visits = [line.split(",") for line in Path("log.csv").read_text().splitlines()[1:]]
    for one, two in pairwise(visits):
        if one[0] == two[0]:
            counts[datetime.fromisoformat(one[1]).hour // 6, "abc".index(one[2]), "abc".index(two[2])] += 1
    forward = counts / counts.sum(2, keepdims=True)
    values, vectors = np.linalg.eig((forward[0] @ forward[1] @ forward[2] @ forward[3]).T)
    now = np.real(vectors[:, np.argmin(abs(values - 1))])
    now, backward = now / now.sum(), []
    for matrix in forward:
        joint = now[:, None] * matrix
        now = joint.sum(0)
        backward.append((joint / now).T)
    worst = max(
        worst_tpl([backward[(first + s) % 4] for s in (0, 1)], [forward[(first + s) % 4] for s in (0, 1)], [0.4] * 3, t)
        for first in range(4)
        for t in (1, 2, 3)
    )
    assert float(found["leakage"]["hour"]["upper"]) == pytest.approx(worst, abs=2e-6)
    cycle = json.loads(run("estimate", *log, "--per", "hour").stdout)
    for role, matrices in (("forward", forward), ("backward", backward)):
        entries = [[[float(Fraction(x)) for x in row] for row in matrix] for matrix in cycle[role]["cycle"]]
        np.testing.assert_allclose(entries, matrices, atol=1e-12)


@pytest.mark.parametrize(
    ("by", "rows_at", "step", "wrong"),
    [
        ("hour", by_day, timedelta(hours=4), None),
        ("weekday", at_weekends, timedelta(hours=12), None),
        ("hour", lambda moment: by_day(moment) if moment.weekday() < 5 else BUSY, timedelta(hours=4), "weekday"),
        ("weekday", lambda moment: by_day(moment) if moment.weekday() < 5 else CALM, timedelta(hours=4), None),
        ("hour", lambda moment: CALM if moment < FIRST + timedelta(days=20) else BUSY, timedelta(hours=4), "time"),
    ],
)
def test_a_cycle_has_the_verdict_on_a_matrix_for_each_of_its_steps(empty_folder, by, rows_at, step, wrong):
    log = written(step, rows_at, users=60, length=240)
    Path("cycle.json").write_text(run("estimate", *log, "--per", by).stdout)
    both = ("--backward", "cycle.json", "--forward", "cycle.json", "--epsilon", "0.1", "--steps", 2)
    shown = run("leakage", *both).stdout
    assert "first order, in a cycle of matrices, for everybody: " in shown
    if wrong is None:
        assert "tested, not rejected (" in shown
        assert not shown.startswith("The chain does not fit")
    else:
        assert shown.startswith("The chain does not fit")
        assert f"{wrong} p =" in shown


def test_a_cycle_of_kinds_of_persons_is_rejected_and_one_that_was_not_tested_says_so(empty_folder, monkeypatch):
    both = ("--backward", "cycle.json", "--forward", "cycle.json", "--epsilon", "0.1", "--steps", 2)
    rng, lines = np.random.default_rng(3), ["who,when,where"]
    for user in range(60):
        states = drawn(rng, 120, lambda _, user=user: BUSY if user % 2 else CALM)
        lines += [f"{user},{(FIRST + timedelta(hours=4 * t)).isoformat()},{'abc'[at]}" for t, at in enumerate(states)]
    Path("log.csv").write_text("\n".join(lines) + "\n")
    asked = ("estimate", "log.csv", "--user", "who", "--time", "when", "--state", "where", "--per", "hour")
    Path("cycle.json").write_text(run(*asked).stdout)
    assert "persons p =" in run("leakage", *both).stdout
    monkeypatch.setattr(fit, "MOST_STEPS_OF_CYCLES", 100)
    Path("cycle.json").write_text(run(*asked).stdout)
    assert "in a cycle of matrices, for everybody: not tested." in run("leakage", *both).stdout


def test_no_cycle_where_the_clock_or_the_data_do_not_give_one(empty_folder):
    log = written(timedelta(hours=5), by_day, users=3)
    asked = ("--step", "5h", "--per", "hour")
    assert "do not divide a day" in run("estimate", *log, *asked, status=2).stderr
    log = written(timedelta(hours=1), by_day, users=1, length=30)
    assert "no transition out of" in run("estimate", *log, "--per", "hour", status=2).stderr
    Path("text.txt").write_text("a b a b a\n")
    assert "times are dates" in refused("estimate", "text.txt", "--per", "hour")


@pytest.mark.parametrize("seed", range(4))
def test_two_kinds_are_at_least_as_likely_as_those_that_were_drawn(seed):
    rng = np.random.default_rng(seed)
    seen, pairs = Observations(), []
    for person in range(80):
        states = drawn(rng, 30, lambda _, person=person: BUSY if person % 4 else CALM)
        seen.add([[(str(state), 1) for state in states]])
        own = Counter(pairwise(states))
        pairs.append(np.array([[own[a, b] for b in range(3)] for a in range(3)]))
    kinds = two_kinds(seen, ["0", "1", "2"])
    assert (kinds.chance, kinds.draws) == (1 / 200, 199)
    pooled = sum(pairs) / sum(pairs).sum(1, keepdims=True)

    def likelihood(chains, shares):
        return sum(
            np.log(
                sum(w * np.exp((own * (np.log(p) - np.log(pooled))).sum()) for p, w in zip(chains, shares, strict=True))
            )
            for own in pairs
        )

    found = [np.array(each.rows, dtype=float) for each in kinds.forward]
    reached = likelihood(found, [float(share) for share in kinds.shares])
    assert kinds.gain == pytest.approx(2 * reached, rel=1e-4)
    assert reached >= likelihood([CALM, BUSY], [0.25, 0.75]) - 1e-6
    assert kinds.parameters == 7
    nearest = min(found, key=lambda own: abs(own - CALM).max())
    assert abs(nearest - CALM).max() < 0.15


def test_the_chance_of_a_gain_is_uniform_where_there_is_one_kind(monkeypatch):
    chances = []
    for seed in range(25):
        rng, seen = np.random.default_rng(seed), Observations()
        for _ in range(40):
            lengths = rng.integers(2, 20, 2)
            seen.add([[(str(at), 1) for at in drawn(rng, length, lambda _: CALM)] for length in lengths])
        chances.append(two_kinds(seen, ["0", "1", "2"]).chance)
    assert kstest(chances, "uniform").pvalue > 0.01
    monkeypatch.setattr(alternatives, "MOST_REDRAWN", 40 * 9 * 18)
    assert two_kinds(seen, ["0", "1", "2"]).chance is None


def test_fit_shows_two_kinds_and_draws_each_test(empty_folder, monkeypatch):
    rng = np.random.default_rng(5)
    lines = [
        " ".join("abc"[at] for at in drawn(rng, 25, lambda _, user=user: BUSY if user % 2 else CALM))
        for user in range(80)
    ]
    Path("log.txt").write_text("\n".join(lines) + "\n")
    figures = []
    monkeypatch.setattr(plots, "_write", lambda figure, path: figures.append((path, figure)))
    found = value("fit", "log.txt", "--epsilon", "0.4", "--steps", 3, "--plot", "t.png")["leakage"]
    assert 0.4 < float(found["two_kinds"]["lower"]) <= float(found["two_kinds"]["upper"]) < 1.2
    assert float(found["each_kind"]["gain"]) > 100
    assert float(found["each_kind"]["p"]) == 1 / 200
    worst = max(worst_tpl(reversal(kind), kind, [0.4] * 3, time) for kind in (CALM, BUSY) for time in (1, 2, 3))
    assert float(found["each_kind"]["upper"]) == pytest.approx(worst, abs=0.1)
    assert "unknown" in value("fit", "log.txt", "--epsilon", "0.4", "--steps", 9)["leakage"]["two_kinds"]
    ((path, figure),) = figures
    assert path == "t.png"
    titles = {axes.get_title().partition(":")[0]: axes for axes in figure.axes}
    assert {*titles} == {"order", "time", "duration", "persons"}
    triples = [(x, y, z) for line in lines for x, y, z in zip(line[::2], line[2::2], line[4::2], strict=False)]
    kept = [z == "a" for x, y, z in triples if (x, y) == ("b", "a")]
    (drawn_a, *_) = titles["order"].get_lines()
    assert drawn_a.get_ydata()[1] == pytest.approx(np.mean(kept))
    assert sum(bar.get_height() for bar in titles["persons"].patches) == 80


def test_what_cannot_be_dropped_is_not_said_to_be(empty_folder):
    Path("log.csv").write_text("who,when,where\nu,1,a\nu,1,b\nu,2,a\n")
    told = refused("estimate", "log.csv", "--user", "who", "--time", "when", "--state", "where")
    assert "no repetition that --duplicates drop" in told


@pytest.mark.parametrize(
    ("backward", "law"),
    [
        (STAYS, "first order, the same at all times, for everybody"),
        (Stepwise((STAYS, STAYS), repeats=True), "first order, in a cycle of matrices, for everybody"),
        (Stepwise((STAYS, STAYS)), "first order, a matrix for each step, for everybody"),
    ],
)
def test_the_basis_says_whether_it_is_one_matrix_at_all_times(backward, law):
    assert Basis.of([(backward, None)], "", "", estimate="4 transitions").lines()[-1].startswith(f"Chain: {law}: ")
