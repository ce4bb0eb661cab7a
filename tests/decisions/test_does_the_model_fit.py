"""Whether the chain fits is said first, ends that are never left are kept, and times of releases are counted."""

import json
from collections import Counter
from datetime import UTC, datetime
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, gamma, norm, random_table

import tploracle
from tploracle import reference
from tploracle.data import fit
from tploracle.data.fit import Fit, Observations
from tploracle.reference import Level, TransitionMatrix
from tploracle.reference.stepwise import cohort_reversal

from ..commands import refused, run, value
from ..profiles import examples
from .enumerated import worst_tpl

CHAIN = ((0.7, 0.2, 0.1), (0.2, 0.6, 0.2), (0.3, 0.3, 0.4))
OTHER = ((0.2, 0.4, 0.4), (0.6, 0.2, 0.2), (0.1, 0.1, 0.8))


def walk(rng, length, matrix_at):
    """Draw a sequence. Args: matrix_at, the rows for the next value given those so far."""
    states = [int(rng.integers(3))]
    while len(states) < length:
        states.append(int(rng.choice(3, p=matrix_at(states)[states[-1]])))
    return [str(state) for state in states]


def kinds(rng, users, draw):
    for user in range(users):
        yield draw(rng, user)


def of_chain(rng, _):
    return walk(rng, int(rng.integers(2, 14)), lambda _: CHAIN)


def of_order_2(rng, _):
    return walk(rng, 12, lambda states: CHAIN if len(states) < 2 or states[-2] else OTHER)


def changing(rng, _):
    return walk(rng, 16, lambda states: CHAIN if len(states) < 8 else OTHER)


def mixed(rng, user):
    return walk(rng, 12, lambda _: OTHER if user % 3 else CHAIN)


def ending(rng, _):
    found = walk(rng, 14, lambda _: CHAIN)
    return found[: found.index("2") + 1] if "2" in found else found


def verdict(draw, seed, users=200):
    seen = Observations()
    for _ in seen.watch(kinds(np.random.default_rng(seed), users, draw)):
        pass
    return seen.fit()


@pytest.mark.parametrize("draw", [of_chain, ending])
def test_what_is_of_the_chain_is_seldom_rejected(draw):
    assert sum(bool(verdict(draw, seed).rejected) for seed in range(40)) <= 2


@pytest.mark.parametrize(("draw", "test"), [(of_order_2, "order"), (changing, "time"), (mixed, "persons")])
def test_what_is_not_is_found(draw, test):
    assert sum(test in verdict(draw, seed).rejected for seed in range(10)) >= 9


def tables_with(rows, columns):
    """Yield all tables with these sums of rows and of columns."""
    if not rows:
        yield []
        return
    for first in product(*(range(min(rows[0], most) + 1) for most in columns)):
        if sum(first) == rows[0]:
            left = [most - own for most, own in zip(columns, first, strict=True)]
            yield from ([first, *others] for others in tables_with(rows[1:], left))


@examples(12)
@given(st.lists(st.tuples(*map(st.sampled_from, ("abc", "st", "xyz"))), min_size=4, max_size=14))
def test_a_test_is_that_of_scipy_by_its_moments_over_all_tables_with_its_margins(triples):
    """X², and the gamma distribution with the mean and variance of X² over these tables, as probable as they are."""
    seen, moments = Observations(), []
    seen.add([[(name, 1) for name in triple] for triple in triples])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(fit, "_holm", dict)
        found = seen.fit().tests.get("order")
    for state in "st":
        counted = Counter((first, then) for first, here, then in triples if here == state)
        names = [sorted({pair[side] for pair in counted}) for side in (0, 1)]
        table = np.array([[counted[one, two] for two in names[1]] for one in names[0]])
        if min(*map(len, names)) < 2 or table.sum() < 4:
            continue
        margins = table.sum(1), table.sum(0)
        each = np.array([*tables_with(*(own.tolist() for own in margins))])
        weights = np.array([random_table(*margins).pmf(own) for own in each])
        squares = np.array([chi2_contingency(own, correction=False).statistic for own in each])
        variance = weights @ (squares - weights @ squares) ** 2
        if variance > 1e-8:
            moments.append((chi2_contingency(table, correction=False).statistic, weights @ squares, variance))
    if not moments:
        assert found is None
        return
    statistic, mean, variance = np.sum(moments, axis=0)
    p = gamma.sf(found.statistic, mean**2 / variance, scale=variance / mean)
    assert (found.statistic, found.mean, found.p) == pytest.approx((statistic, mean, p))


@pytest.mark.parametrize("draw", [of_chain, of_order_2])
def test_p_values_are_of_the_normal_distribution_between_persons_and_corrected_by_holm(draw, monkeypatch):
    corrected = verdict(draw, 7, 60).tests
    monkeypatch.setattr(fit, "_holm", dict)
    found = verdict(draw, 7, 60).tests
    assert found["persons"].p == pytest.approx(norm.sf(found["persons"].statistic))
    ranked = sorted((test.p, name) for name, test in found.items())
    each = [min(1, p * (len(ranked) - rank)) for rank, (p, _) in enumerate(ranked)]
    assert [corrected[name].p for _, name in ranked] == [max(each[: rank + 1]) for rank in range(len(each))]


def test_the_verdict_goes_with_the_counts_to_the_first_line(empty_folder):
    lines = [" ".join(line) for line in kinds(np.random.default_rng(1), 200, mixed)]
    Path("log.txt").write_text("\n".join(lines) + "\n")
    Path("counts.json").write_text(run("estimate", "log.txt", "--counts").stdout)
    tested = value("fit", "log.txt")
    del tested["leakage"]
    assert Fit.of(json.loads(Path("counts.json").read_text())["fit"]) == Fit.of(tested)
    asked = ("--forward", "counts.json")
    for command in (
        ("allocate", *asked, "--alpha", 1, "--steps", 3),
        ("leakage", *asked, "--epsilon", 1, "--steps", 2),
        ("spend", "l.db", "--init", *asked),
        ("spend", "l.db", "--epsilon", "0.1"),
        ("spend", "l.db"),
        ("uncertainty", "counts.json", "--epsilon", "0.1", "--steps", 2, "--draws", 2),
    ):
        shown = run(*command).stdout
        assert shown.startswith("The chain does not fit the data")
        assert "--prior" in shown.splitlines()[0]
        assert "first order, the same at all times, for everybody: rejected (" in shown
    typed = value("leakage", "--forward", "counts.json", "--epsilon", 1, "--steps", 2)
    assert "rejected" in typed["basis"]["fit"]


def test_small_samples_are_said_first(empty_folder):
    Path("log.txt").write_text("a b a b b a a a\n" + "a\n" * 1000)
    Path("counts.json").write_text(run("estimate", "log.txt", "--counts").stdout)
    shown = run("allocate", "--forward", "counts.json", "--alpha", 1).stdout
    assert "Small sample: 1,001 users, 1,000 without a transition, one has 100.0% of all." in shown.splitlines()[0]


# Ends that are never left


def cohort(seed):
    """Return P^F with an end, an initial distribution without it, and P^B of each step by Bayes, in floats."""
    rng = np.random.default_rng(seed)
    parts = rng.integers(1, 9, (2, 3))
    forward = [[Fraction(int(each), int(sum(row))) for each in row] for row in parts] + [
        [Fraction(0)] * 2 + [Fraction(1)]
    ]
    initial = (Fraction(2, 3), Fraction(1, 3), Fraction(0))
    return TransitionMatrix(tuple(map(tuple, forward))), initial


@pytest.mark.parametrize("seed", range(6))
def test_backward_matrices_of_a_cohort_are_those_of_all_its_paths(seed):
    forward, initial = cohort(seed)
    rows = np.array(forward.rows, dtype=float)
    now = np.array(initial, dtype=float)
    for matrix in cohort_reversal(forward, initial, 5).each:
        joint = now[:, None] * rows
        now = joint.sum(0)
        np.testing.assert_allclose(np.array(matrix.rows, dtype=float), (joint / now).T, atol=1e-12)


def written_cohort():
    rng = np.random.default_rng(5)
    lines = []
    for _ in range(60):
        states = ["well"]
        while states[-1] != "dead" and len(states) < 9:
            states.append(str(rng.choice(["well", "ill", "dead"], p=[0.5, 0.3, 0.2])))
        lines.append(" ".join(states))
    Path("log.txt").write_text("\n".join(lines) + "\n")


def test_an_end_is_named_and_never_smoothed_away(empty_folder):
    written_cohort()
    for command in (("estimate",), ("uncertainty", "--epsilon", "0.1", "--steps", 2)):
        told = refused(command[0], "log.txt", *command[1:])
        assert "'dead' is never followed by another" in told
        assert "--absorbing" in told
        assert "smoothing" not in told
    for own in ((), ("--order", 2)):
        noted = run("estimate", "log.txt", "--smoothing", "1/2", *own).stderr
        assert "note: state 'dead' is never followed by another in the sequences: smoothing lets it return" in noted
    with pytest.warns(UserWarning, match="smoothing lets it return"):
        tploracle.Stream.of_sequences(
            [line.split() for line in Path("log.txt").read_text().splitlines()], smoothing="1/2"
        )
    assert "is left" in refused("estimate", "log.txt", "--absorbing", "well", "--counts")
    Path("counts.json").write_text(run("estimate", "log.txt", "--absorbing", "dead", "--counts").stdout)
    for asked in (("--alpha", 1), ("--alpha", 1, "--steps", 3)):
        assert "no constant budget lasts for ever" in refused("allocate", "--forward", "counts.json", *asked)
    assert "never left" in refused("loss", "counts.json", "--role", "backward", "--alpha", 1)


@pytest.mark.parametrize("last", [1, 3])
def test_smoothing_that_lets_an_end_return_is_noted_by_every_way(empty_folder, last):
    """Also where the end is written again at each later time, and the counts have only it after it."""
    written_cohort()
    lines = [line.replace("dead", " ".join(["dead"] * last)) for line in Path("log.txt").read_text().splitlines()]
    Path("log.txt").write_text("\n".join(lines) + "\n")
    visits = [f"{who},{time},{name}" for who, line in enumerate(lines) for time, name in enumerate(line.split())]
    Path("log.csv").write_text("\n".join(["who,when,where", *visits]) + "\n")
    log = ("log.csv", "--user", "who", "--time", "when", "--state", "where")
    asked = ("--epsilon", "0.1", "--steps", 2, "--smoothing", "1/2")
    noted = [run("estimate", "log.txt", "--smoothing", "1/2"), run("population", *log, "--out", "out", *asked)]
    noted += [run("uncertainty", "log.txt", *asked, "--draws", 2)] if last > 1 else []
    for each in noted:
        assert each.stderr.count("note: state 'dead' is never followed by another") == 1
        assert "smoothing lets it return" in each.stderr
    assert "lets it return" not in run("population", *log, "--out", "bare", *asked[:-2]).stderr


def test_budgets_of_a_cohort_keep_the_worst_of_all_streams_within_alpha(empty_folder):
    written_cohort()
    found = value("estimate", "log.txt", "--absorbing", "dead", "--steps", 3)
    Path("cohort.json").write_text(json.dumps(found))
    both = ("--backward", "cohort.json", "--forward", "cohort.json")
    leaked = value("leakage", *both, "--epsilon", "0.3", "--steps", 3)
    forward = np.array([[float(Fraction(x)) for x in row] for row in found["forward"]])
    backward = [
        np.array([[float(Fraction(x)) for x in row] for row in matrix]) for matrix in found["backward"]["steps"]
    ]
    for time in (1, 2, 3):
        worst = worst_tpl(backward, forward, [0.3] * 3, time)
        assert float(leaked["worst_case"]["tpl"][time - 1]["upper"]) == pytest.approx(worst, abs=1e-9)
    assert "transitions, its uncertainty not included" in leaked["basis"]["estimate"]
    assert "no constant budget lasts for ever" in refused("allocate", *both, "--alpha", 1)


def test_draws_of_a_cohort_keep_its_end_and_its_beginning(empty_folder):
    written_cohort()
    asked = ("uncertainty", "log.txt", "--absorbing", "dead", "--epsilon", "0.3", "--steps", 3, "--draws", 4)
    found = value(*asked, "--out", "draws.json")
    worst = []
    for known in json.loads(Path("draws.json").read_text()).values():
        forward = np.array([[float(Fraction(x)) for x in row] for row in known["forward"]])
        assert forward[0].tolist() == [1, 0, 0]  # dead, ill, well
        now, backward = np.array([0.0, 0, 1]), []
        for matrix in known["backward"]["steps"]:
            joint = now[:, None] * forward
            now = joint.sum(0)
            backward.append(np.array([[float(Fraction(x)) for x in row] for row in matrix]))
            np.testing.assert_allclose(backward[-1], (joint / now).T, atol=1e-12)
        worst.append(max(worst_tpl(backward, forward, [0.3] * 3, time) for time in (1, 2, 3)))
    assert float(found["quantiles"]["1"]["tpl"]["upper"]) == pytest.approx(max(worst), abs=1e-5)
    assert "Bayes for each step" in found["basis"]["adversary"]


# The clock of an account


@pytest.mark.parametrize(
    ("times", "slots"), [("0 0", [0, 0]), ("0 2", [0, 2]), ("1 1 4 2", [0, 0, 3, 1]), ("0 1 1 1", [0, 1, 1, 1])]
)
def test_releases_of_one_time_add_up_and_times_without_one_are_budgets_of_0(empty_folder, times, slots):
    Path("m.csv").write_text("4/5,1/5\n1/10,9/10\n")
    account = ("spend", "l.db")
    run(*account, "--init", "--forward", "m.csv")
    for time in times.split():
        found = value(*account, "--epsilon", "1/10", "--at", time, "--show")
    sums = [str(Fraction(slots.count(slot), 10)) for slot in range(max(slots) + 1)]
    by_hand = value("leakage", "--forward", "m.csv", "--epsilons", ",".join(sums))
    assert found["worst_case"]["tpl"] == [each | {"attained_by": ["m.csv"]} for each in by_hand["worst_case"]["tpl"]]
    assert (found["releases"], found["times"]) == (len(slots), len(sums))


def test_two_tables_of_one_hour_do_not_pass_a_cap_of_less(empty_folder):
    Path("m.csv").write_text("4/5,1/5\n1/10,9/10\n")
    hour = ("--at", "2026-01-01T08:00")
    run("spend", "l.db", "--init", "--forward", "m.csv", "--cap", 1, "--step", "1h", "--epsilon", "0.6", *hour)
    assert "would exceed the cap" in refused("spend", "l.db", "--epsilon", "0.6", *hour)
    assert "whole steps" in refused("spend", "l.db", "--epsilon", "0.1", "--at", "2026-01-01T08:30")
    assert "a number, but" in refused("spend", "l.db", "--epsilon", "0.1", "--at", "9")
    assert "is not a time" in refused("spend", "l.db", "--epsilon", "0.1", "--at", "noon")
    assert "others have none" in refused("spend", "l.db", "--epsilon", "0.1")
    once = ("spend", "l.db", "--epsilon", "0.1", *hour, "--id", "x")
    assert run(*once).stdout == run(*once).stdout
    assert value("spend", "l.db")["releases"] == 2
    assert "another spend" in refused(*once[:3], "0.1", "--at", "2026-01-01T09:00", "--id", "x")


def test_the_step_of_the_account_is_that_of_its_chain(empty_folder):
    lines = [f"u,{hour},{'ab'[hour * hour % 3 % 2]}" for hour in range(0, 80, 2)]
    Path("log.csv").write_text("who,when,where\n" + "\n".join(lines) + "\n")
    columns = ("--user", "who", "--time", "when", "--state", "where")
    Path("c.json").write_text(run("estimate", "log.csv", *columns, "--counts").stdout)
    init = ("spend", "l.db", "--init", "--forward", "c.json")
    assert "2 apart" in refused(*init, "--step", "1")
    run(*init, "--epsilon", "0.1", "--at", "0")
    assert value("spend", "l.db", "--epsilon", "0.1", "--at", "6")["times"] == 4
    assert value("spend", "l.db")["basis"]["estimate"].startswith("from 39 transitions")


MATRIX = (("4/5", "1/5"), ("1/10", "9/10"))


@pytest.mark.parametrize("seed", range(6))
def test_the_account_in_python_and_control_have_the_same_clock(empty_folder, seed):
    rng = np.random.default_rng(seed)
    Path("m.csv").write_text("4/5,1/5\n1/10,9/10\n")
    slots = [0, *(int(slot) for slot in rng.integers(0, 4, 4))]
    tenths = [int(each) for each in rng.integers(1, 5, 5)]
    sums = [Fraction(sum(t for t, slot in zip(tenths, slots, strict=True) if slot == at), 10) for at in range(4)]
    account = tploracle.Accountant({"who": tploracle.adversary(backward=MATRIX)})
    days = tploracle.Accountant({"who": tploracle.adversary(backward=MATRIX)}, step="1d")
    for tenth, slot in zip(tenths, slots, strict=True):
        account.spend(Fraction(tenth, 10), at=slot)
        days.spend(Fraction(tenth, 10), at=datetime(2026, 1, 1 + slot, tzinfo=UTC))
    last = max(slots)
    by_hand = reference.leakage([Level.of(each) for each in sums[: last + 1]], tploracle.adversary(backward=MATRIX))
    assert account.epsilons == days.epsilons == tuple(Level.of(each) for each in sums[: last + 1])
    assert [account.tpl(time).level.enclosure(20) for time in range(1, last + 2)] == [
        level.enclosure(20) for level in by_hand.tpl
    ]
    assert "those of one time added up" in days.basis.step
    spent = ",".join(f"{tenth}/10" for tenth in tenths)
    asked = ("control", "m.csv", "--cap", 9, "--spent", spent, "--spent-at", ",".join(map(str, slots)), "--at", last)
    left = value(*asked)["worst_case"]
    before = value("control", "m.csv", "--cap", 9, "--spent", ",".join(map(str, sums[:last])))["worst_case"]
    assert float(left["lower"]) == pytest.approx(float(before["lower"]) - float(sums[last]), abs=1e-12)
    later = value(*asked[:-1], last + 1)["worst_case"]
    summed = value("control", "m.csv", "--cap", 9, "--spent", ",".join(map(str, sums[: last + 1])))["worst_case"]
    assert later == summed
    if last:
        assert "before the last" in refused(*asked[:-1], last - 1)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_the_account_of_a_stream_has_the_clock_of_its_data(neighbours):
    rows = [("u", datetime(2026, 1, 1, hour), "ab"[hour * hour % 3 % 2]) for hour in range(24)]
    stream = tploracle.Stream.of_log(rows, "who", "when", "where", step="1h", neighbours=neighbours)
    account = stream.account(4)
    account.spend("0.1", "0.2", at=datetime(2026, 5, 1, 8))
    account.spend("0.1", at=datetime(2026, 5, 1, 11)).spend("0.3", at=datetime(2026, 5, 1, 9))
    plain = stream.account(4).spend("0.3", "0.3", "0", "0.1")
    assert account.epsilons == plain.epsilons
    assert account.remaining() == plain.remaining()
    assert "those of one time added up" in account.basis.step
    assert "one step after the one before" in plain.basis.step
    assert account.told().startswith("4 releases")
    for wrong in ({"at": datetime(2026, 5, 1, 9, 30)}, {"at": 9}, {}):
        with pytest.raises(tploracle.InvalidRequest):
            account.spend("0.1", **wrong)
    with pytest.raises(tploracle.InfeasibleBudget):
        account.spend("3.9", at=datetime(2026, 5, 1, 8))
    assert account.epsilons == plain.epsilons


def test_a_release_that_breaks_the_cap_of_its_time_leaves_the_account_as_it_was():
    account = tploracle.Accountant({"who": tploracle.adversary(backward=MATRIX)}, cap=1)
    account.spend("0.6", at=0)
    with pytest.raises(tploracle.InfeasibleBudget):
        account.spend("0.6", at=0)
    with pytest.raises(tploracle.InvalidRequest, match="others have none"):
        account.spend("0.1")
    with pytest.raises(tploracle.InvalidRequest, match="whole steps"):
        account.spend("0.1", at="1/2")
    assert account.epsilons == (Level.of(Fraction(3, 5)),)
    without = tploracle.Accountant({"who": tploracle.adversary(backward=MATRIX)}, spent=["0.1", "0.1"])
    assert "one step after the one before" in without.basis.step
    with pytest.raises(tploracle.InvalidRequest, match="others have none"):
        without.spend("0.1", at=5)


def test_times_of_control_belong_to_budgets(empty_folder):
    Path("m.csv").write_text("4/5,1/5\n1/10,9/10\n")
    asked = ("control", "m.csv", "--cap", 1)
    assert "2 times of 1 budgets" in refused(*asked, "--spent", "0.1", "--spent-at", "0,1", "--at", 2)
    assert "belong together" in refused(*asked, "--spent", "0.1", "--spent-at", "0")
    assert "--spent" in refused(*asked, "--previous", "0.1", "--spent-at", "0", "--at", "1")
    now = "2026-01-01T08:00"
    assert "give --step" in refused(*asked, "--spent", "0.1", "--spent-at", now, "--at", now)
    assert "nothing is left" in refused(*asked, "--spent", "1", "--spent-at", 0, "--at", 0)
    assert "one step after the one before" in value(*asked, "--spent", "0.1")["basis"]["step"]
