"""An ε for adding or removing a record is no ε for replacing one: it is doubled coming in, and halved going out."""

import json
from fractions import Fraction
from itertools import product
from math import exp, log
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click import Context

from tploracle.cli.main import main
from tploracle.models.neighbours import Neighbours
from tploracle.reference import ApproximateBudget, ConcentratedBudget, GaussianBudget, parse_level

from ..commands import line, refused, run, value
from .enumerated import reversal, worst_tpl

CHAIN = [[0.8, 0.2], [0.3, 0.7]]
ADD_REMOVE = ("--neighbours", "add-remove")


@pytest.fixture
def folder(folder):
    (folder / "c.csv").write_text("0.8,0.2\n0.3,0.7\n")
    return folder


def test_a_histogram_is_twice_as_telling_under_replacement():
    """Two-sided geometric noise on two counts: one record more moves one of them, one replaced moves both."""
    epsilon, reach = 0.1, range(-3, 4)

    def likelihood(counts, seen):
        return exp(-epsilon * sum(abs(count - own) for count, own in zip(counts, seen, strict=True)))

    def worst(first, second):
        return max(log(likelihood(first, seen) / likelihood(second, seen)) for seen in product(reach, repeat=2))

    assert worst((1, 0), (0, 0)) == pytest.approx(epsilon)
    assert worst((1, 0), (0, 1)) == pytest.approx(2 * epsilon)


@pytest.mark.parametrize("epsilon", ["0.1", "log(5/4)", "1/3"])
def test_budgets_that_are_read_are_doubled(folder, epsilon):
    nats = {"0.1": 0.1, "log(5/4)": log(5 / 4), "1/3": 1 / 3}[epsilon]
    known = reversal(CHAIN), CHAIN
    stream = ("--forward", "c.csv", "--epsilon", epsilon, "--steps", 4)
    found = value("leakage", *stream, *ADD_REMOVE)
    for time, level in enumerate(found["worst_case"]["tpl"], 1):
        assert float(level["upper"]) == pytest.approx(worst_tpl(*known, [2 * nats] * 4, time), rel=1e-9)
    assert found["basis"]["neighbours"] == "one record added or removed, ε doubled"
    window = value("composition", *stream, *ADD_REMOVE)["worst_case"]["windows"][0]
    attack = value("attack", *stream, *ADD_REMOVE)["worst_case"]["tpl"]
    most = max(worst_tpl(*known, [2 * nats] * 4, time) for time in range(1, 5))
    assert float(window["upper"]) == pytest.approx(most, rel=1e-9) == pytest.approx(float(attack["upper"]), rel=1e-9)
    assert "Neighbours: one record added or removed, ε doubled." in run("leakage", *stream, *ADD_REMOVE).stdout


@pytest.mark.parametrize("method", ["upper-bound", "quantified", "constant"])
@pytest.mark.parametrize("doubles", [(), ("--float",)])
def test_budgets_that_are_printed_are_halved(folder, method, doubles):
    horizon = () if method == "upper-bound" else ("--steps", 4)
    asked = [*line(f"allocate --forward c.csv --alpha 1 --method {method} --model paper-bound"), *horizon, *doubles]
    alone, halved = (value(*asked, *more)["paper_bound"]["epsilons"] for more in ((), ADD_REMOVE))
    for one, two in zip(alone, halved, strict=True):
        assert float(two["upper"]) == pytest.approx(float(one["lower"]) / 2, rel=1e-12)
        assert 2 * Fraction(two["exact"]) <= Fraction(one["upper"])
    spent = [2 * float(each["lower"]) for each in halved] * (1 if horizon else 5)
    assert max(worst_tpl(reversal(CHAIN), CHAIN, spent, time) for time in (2, 3)) <= 1 + 1e-12
    cap = value("supremum", "c.csv", "--cap", "1", *ADD_REMOVE)["worst_case"]
    again = value("supremum", "c.csv", "--epsilon", cap["exact"], *ADD_REMOVE)["worst_case"]
    assert 1 - 1e-9 < float(again["upper"]) <= 1


GIVEN = {
    "leakage": "--forward c.csv --steps 3 --epsilon {}",
    "composition": "--forward c.csv --steps 3 --w 2 --epsilon {}",
    "profile": "--forward c.csv --steps 3 --alpha 1/10 --delta 1/100 --epsilon {}",
    "attack": "--forward c.csv --steps 3 --at 2 --epsilon {}",
    "audit": "c.csv --steps 2 --model paper-bound --epsilon {}",
    "supremum": "c.csv --epsilon {}",
    "control": "c.csv --spent {} --cap 2",
    "uncertainty": "counts.csv --count-table --draws 2 --steps 3 --epsilon {}",
    "fit": "log.txt --steps 3 --epsilon {}",
    "spend": "ledger-{}.db --init --forward c.csv --cap 2 --epsilon {}",
    "population": "users.parquet --out out-{} --workers 1 --steps 3 --epsilon {} --alpha 2",
    "sparse": "",
    "certify": "worst-case-forever --forward c.csv --epsilon {}",
    "allocate": "--forward c.csv --alpha {} --method upper-bound",
    "utility": "--forward c.csv --alpha {} --steps 2",
}
"""A question for every command that has --neighbours; allocate and utility are given no budget."""


def test_every_command_that_takes_or_prints_a_budget_converts_it():
    commands = {name: main.get_command(Context(main), name) for name in main.list_commands(Context(main))}
    names = {name: {option for param in own.params for option in param.opts} for name, own in commands.items()}
    having = {name for name, own in names.items() if "--neighbours" in own}
    assert having == {*GIVEN}
    assert {name for name, own in names.items() if {"--epsilon", "--epsilons", "--cap"} & own} <= having


def levels(value, path=()):
    """Yield the levels of an answer and where they are, the conclusion's words left out."""
    if isinstance(value, dict) and {"lower", "upper"} <= {*value}:
        yield path, float(value["lower"]), float(value["upper"])
    elif isinstance(value, dict | list):
        for key, own in value.items() if isinstance(value, dict) else enumerate(value):
            yield from levels(own, (*path, key))


def is_budget(command, path):
    return bool({"epsilons", "left", "constant_budget", "schedule", "without_bound_from"} & {*path}) or (
        command == "control" or (command == "audit" and "epsilons" in path)
    )


@pytest.mark.parametrize("command", [name for name in GIVEN if name not in ("utility", "population", "sparse")])
def test_of_a_record_added_or_removed_a_budget_is_half_as_much(folder, command):
    """The same question asked for both: what is read is doubled, what is printed halved, and levels are the same."""
    (folder / "counts.csv").write_text("8,2\n3,7\n")
    (folder / "log.txt").write_text("a b a a b b a b a\nb b a b a a a b b\n")
    given = "1" if command == "allocate" else "0.2"
    half = given if command == "allocate" else "0.1"
    replaced = value(command, *GIVEN[command].replace("{}", given).split())
    removed = value(command, *GIVEN[command].replace("{}", half).split(), *ADD_REMOVE)
    if command != "fit":  # which is about the data, and concludes nothing from ε
        assert removed["basis"]["neighbours"] == "one record added or removed, ε doubled"
        assert replaced["basis"]["neighbours"] == "replacement of the value at one time"
    if command == "certify":
        assert removed["certificate"] == replaced["certificate"]
        assert replaced["certificate"]["epsilon"] == "1/5"
    measured = {"users", "matrices"}  # of audit: answers in doubles are about the budget itself
    found, wanted = (
        {path: ends for path, *ends in levels(own) if not measured & {*path}} for own in (removed, replaced)
    )
    assert found.keys() == wanted.keys()
    for path, ends in found.items():
        part = 2 if is_budget(command, path) else 1
        assert ends == pytest.approx([end / part for end in wanted[path]], rel=1e-7), path


@pytest.mark.parametrize(("epsilon", "delta"), [("log(3/2)", "1/100"), ("1/10", "1e-6"), ("2", "1/40"), ("0", "1/3")])
def test_beyond_pure_epsilon_a_replacement_is_a_removal_and_an_addition(epsilon, delta):
    """A test goes from u to φ(u) where a record comes or goes, so to φ(φ(u)) at most where one is replaced."""
    promised = ApproximateBudget(parse_level(epsilon), Fraction(delta))
    found = Neighbours(ADD_REMOVE[1]).replaced(promised)

    def phi(budget, u):
        e = exp(float(budget.epsilon))
        return min(1.0, e * u + float(budget.delta), 1 - (1 - float(budget.delta) - u) / e)

    for u in (part / 50 for part in range(51)):
        assert phi(promised, phi(promised, u)) <= phi(found, u) + 1e-12
    assert float(found.delta) == pytest.approx(min(1, phi(promised, phi(promised, 0))), rel=1e-12)
    assert found.delta >= Fraction(delta) * 2
    noise = GaussianBudget(Fraction(3), Fraction(1))
    assert Neighbours(ADD_REMOVE[1]).replaced(noise) == GaussianBudget(Fraction(3), Fraction(2))
    assert Neighbours().replaced(promised) == promised


def test_a_replacement_has_four_times_the_rho():
    """Rényi divergences of Gaussian noise are a·Δ²/2σ²: it is ρ-zCDP and 4ρ-zCDP with twice the Δ."""
    convert = Neighbours(ADD_REMOVE[1]).replaced
    noise = GaussianBudget(Fraction(3), Fraction(2))
    moved = convert(noise)
    assert convert(ConcentratedBudget(noise.mu**2 / 2)) == ConcentratedBudget(moved.mu**2 / 2)


def test_the_noise_is_that_of_the_same_mechanism(folder):
    """A count that one record moves by 1 has the noise 1/ε, which is 2/(2ε)."""
    asked = ("utility", *GIVEN["utility"].replace("{}", "1").split())
    one, two = value(*asked), value(*asked, *ADD_REMOVE)
    assert {key: own for key, own in one.items() if key != "basis"} == {
        key: own for key, own in two.items() if key != "basis"
    }
    wide = value(*asked, *ADD_REMOVE, "--sensitivity", "3")["worst_case"]["constant"][0]
    assert float(wide["upper"]) == pytest.approx(3 * float(one["worst_case"]["constant"][0]["upper"]), rel=1e-12)


def test_an_account_keeps_whose_budgets_it_is_given(folder):
    """What was forgotten once would be charged half from then on: it is settled when the account is begun."""
    run("spend", "a.db", "--init", "--forward", "c.csv", "--cap", "1", *ADD_REMOVE)
    found = [value("spend", "a.db", "--epsilon", "0.1") for _ in range(3)][-1]
    known = reversal(CHAIN), CHAIN
    most = max(worst_tpl(*known, [0.2] * 3, time) for time in (1, 2, 3))
    assert float(found["worst_case"]["worst"]["upper"]) == pytest.approx(most, rel=1e-9)
    left = float(found["worst_case"]["left"]["lower"])
    assert max(worst_tpl(*known, [0.2] * 3 + [2 * left], time) for time in (1, 2, 3, 4)) == pytest.approx(1, abs=1e-6)
    for kind in ("replace", "add-remove"):
        assert "belong to --init" in refused("spend", "a.db", "--epsilon", "0.1", "--neighbours", kind)
    assert "twice that of a record" in run("spend", "a.db", "--history").stdout
    run("spend", "b.db", "--init", "--forward", "c.csv", "--cap", "1", "--model", "paper-bound", *ADD_REMOVE)
    assert value("spend", "b.db", "--epsilon", "0.1")["basis"]["neighbours"].startswith("one record added")


def test_a_population_converts_what_it_reads_and_what_it_writes(folder):
    counts = np.array([[8, 2], [3, 7]])
    pq.write_table(pa.table({"user": ["ann"], "counts": [counts.ravel().tolist()]}), "users.parquet")
    asked = line("population users.parquet --workers 1 --steps 3 --alpha 2 --method constant --exact 1")
    for name, more in {"replace": ("--epsilon", "0.2"), "removed": ("--epsilon", "0.1", *ADD_REMOVE)}.items():
        run(*asked, "--out", name, *more)
    one, two = (pq.read_table(f"{name}/part-00000.parquet").to_pylist()[0] for name in ("replace", "removed"))
    for column, found in two.items():
        half = isinstance(found, float) and "budget" in column
        assert found == (one[column] / 2 if half else one[column]), column
    one, two = (json.loads(Path(name, "schedule.json").read_text()) for name in ("replace", "removed"))
    (budget,) = {Fraction(text) for text in two["paper_bound"]["epsilons"]}
    assert {2 * budget} == {Fraction(text) for text in one["paper_bound"]["epsilons"]}
    assert two["basis"]["neighbours"] == "one record added or removed, ε doubled"
    one, two = (
        json.loads(Path(name, "worst_users.json").read_text())["paper_bound"] for name in ("replace", "removed")
    )
    assert float(two["budget"]["upper"]) == pytest.approx(float(one["budget"]["upper"]) / 2, rel=1e-12)
    assert two["tpl"] == one["tpl"]
