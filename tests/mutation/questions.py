"""The questions that `make faults` asks of each faulty solver: vectors, and what no vector asks.

The truths of the others are computed by the literal `tploracle.reference` on unchanged code, and kept in
`truths.json`: `python -m tests.mutation.questions` writes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import permutations
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner
from scipy.sparse import csr_matrix, save_npz

import tploracle
from tploracle import reference
from tploracle.cli.main import main
from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Case, Reply, Verdict
from tploracle.population import workers
from tploracle.reference import ApproximateBudget, Level, TransitionMatrix, parse_level
from tploracle.wire.requests import Session

from ..matrices import DIVERGES, PAPER_L, SKEWED, THREE_VALUES, texts_of
from .faults import BELOW, LOOSE, RIGHT, TRUTHS, VECTORS

EVERY = 4
"""One of this many vectors is asked."""

DIGITS = 40
"""Significant digits of a stored truth."""

KINDS = ("bpl", "fpl", "tpl")

Ends = tuple[Fraction | float, Fraction | float]
"""A lower and an upper bound."""

Number = Level | reference.WorstAlpha


class Refused(Exception):
    """A command ended with an error; the message is the contract's name of it."""


# Vectors


def of_vectors() -> dict[str, Callable[[], str]]:
    """Return questions whose answers the judge of conform compares with a vector."""
    cases = [case for case in load_vectors() if case.expected and "value" in case.expected]
    return {case.id: partial(judged, case) for case in cases[::EVERY]}


def judged(case: Case) -> str:
    """Answer a vector, and judge the answer. Raises: what the answer raises."""
    value = Session().answer(case.op, case.input, numbers=case.numbers)
    verdict = Judge().judge(case, Reply({"seq": 1, "value": value})).verdict
    return BELOW if verdict is Verdict.UNSAFE else LOOSE if verdict.fails else RIGHT


# What no vector asks


@dataclass(frozen=True)
class Question:
    """A question: `ask` puts it to the public front, `truth` to the literal reference.

    is_budget: whether a number is safe at or below the truth; near: the relative distance from the truth on the safe
    side up to which a number is right.
    """

    ask: Callable[[], list[Ends]]
    truth: Callable[[], list[Number]]
    is_budget: bool = False
    near: Fraction = Fraction(1, 10**6)


def compared(asked: Question, truth: list[Ends]) -> str:
    """Ask a question, and compare each number with the truth; return the worst outcome."""
    found = asked.ask()
    if len(found) != len(truth):
        raise ValueError(f"{len(found)} numbers")
    outcome = RIGHT
    for (low, high), (least, most) in zip(found, truth, strict=True):
        if low > most if asked.is_budget else high < least:
            return BELOW
        apart = asked.near
        near = low >= least * (1 - apart) if asked.is_budget else high <= most * (1 + apart) + apart
        outcome = outcome if near else LOOSE
    return outcome


def matrix(text: str) -> TransitionMatrix:
    """Return the matrix with these rows of whole numbers, each divided by its sum."""
    rows = [[Fraction(part) for part in row.split()] for row in text.split("/")]
    return TransitionMatrix.of([[part / sum(row) for part in row] for row in rows])


BLIND = matrix("90 5 5 / 20 50 30 / 20 40 40")
"""The pair that attains the leakage has value 1 in it."""
MIXED = matrix("6 3 1 / 2 5 3 / 1 1 8")
WALK = matrix("7 3 0 0 0 / 2 6 2 0 0 / 0 1 7 2 0 / 0 0 3 5 2 / 0 0 0 4 6")
RING = matrix("8 1 0 1 / 1 8 1 0 / 0 1 8 1 / 1 0 1 8")
SIX = matrix("9 4 3 2 1 1 / 2 8 5 1 3 1 / 1 1 7 6 2 3 / 5 2 1 9 1 2 / 3 3 3 1 8 2 / 1 6 2 4 2 5")
WIDE, WIDER = (
    matrix("/".join(" ".join(str((7 * i + 11 * j * j + 3 * i * j) % 61 + 1) for j in range(n)) for i in range(n)))
    for n in (12, 30)
)
VARIED = "0.3 0.05 0 0.2 1/7 0.4 0.01 0.2"
RATIOS = [Fraction(*ratio) for ratio in ((101, 100), (5, 4), (2, 1), (13, 4), (10, 1), (100, 1), (10**6, 1))]
"""e^α at which loss functions are compared."""
SPARSE = matrix("2 1 1 0 / 1 2 1 0 / 0 1 2 1 / 0 0 1 3")
COUNTS = {"ann": [8, 2, 1, 9], "bob": [5, 5, 2, 8], "cleo": [90, 10, 40, 60], "dan": [30, 1, 2, 17]}


def end(number: object) -> Fraction | float:
    return inf if str(number) in ("inf", "Infinity") else Fraction(number if isinstance(number, float) else str(number))


def printed(value: object) -> Iterator[Ends]:
    """Yield the enclosures in a JSON value, in order."""
    if isinstance(value, Mapping) and "lower" in value and "upper" in value:
        yield end(value["lower"]), end(value["upper"])
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from printed(part)


def shown(found: Iterable[Number], digits: int = 17) -> list[Ends]:
    """Return the ends of numbers as the Python API prints them."""
    return [(end(one.lower), end(one.upper)) for one in (number.enclosure(digits) for number in found)]


def wire(op: str, **given: object) -> list[Ends]:
    """Ask the handler of the wire."""
    known = {key: texts_of(own) if isinstance(own, TransitionMatrix) else own for key, own in given.items()}
    return list(printed(Session().answer(op, known)))


def run(commands: str, folder: str) -> str:
    """Run commands, separated by `;`, and return what the last one prints; `@` is the folder. Raises: Refused."""
    for line in commands.split(";"):
        result = CliRunner().invoke(main, line.replace("@", f"{folder}/").split(), prog_name="tploracle")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code:
            raise Refused(result.stderr.partition(":")[0])
    return result.stdout


def command(commands: str, key: Callable[[Any], object], own: TransitionMatrix) -> list[Ends]:
    """Run commands about the matrix `@1.csv`, or `@1.npz`, and pick numbers from what the last prints as JSON."""
    with TemporaryDirectory() as folder:
        rows = "".join(",".join(row) + "\n" for row in texts_of(own))
        Path(folder, "1.csv").write_text(rows, encoding="utf-8")
        save_npz(f"{folder}/1.npz", csr_matrix(np.array(own.rows, dtype=float)))
        return list(printed(key(json.loads(run(f"{commands} --json", folder)))))


def population(columns: list[str], compiled: bool) -> list[Ends]:
    """Ask for numbers of a few users, computed by one of the two kernels."""
    workers.LEAST_FOR_COMPILED = 0 if compiled else 10**9
    with TemporaryDirectory() as folder:
        pq.write_table(pa.table({"user": list(COUNTS), "counts": list(COUNTS.values())}), f"{folder}/users.parquet")
        line = "population @users.parquet -o @out --epsilon 0.1 --steps 6 --alpha 1 --workers 1"
        run(line + " --model both" * ("worst_case_tpl" in columns), folder)
        rows = pq.read_table(f"{folder}/out/part-00000.parquet").to_pylist()
    for row in rows:
        if row["error"]:
            raise Refused(row["error"].partition(":")[0])
    return [(end(row[f"{name}_lower"]), end(row[f"{name}_upper"])) for row in rows for name in columns]


# What the reference answers


def levels(line: str) -> list[Level]:
    """Return levels from a line, where `0.1*3` is three times 0.1."""
    parts = (part.partition("*") for part in line.split())
    return [parse_level(level) for level, _, times in parts for _ in range(int(times or 1))]


def reversal(own: TransitionMatrix) -> TransitionMatrix:
    return reference.reverse(own, reference.stationary(own))


def both_models(line: str, own: TransitionMatrix) -> tuple[reference.Leakage, reference.Leakage]:
    """Return the exact worst case and the paper's bound of a chain that is known both ways."""
    known = reversal(own), own
    adversary = reference.Adversary(*map(reference.loss_function, known))
    return reference.worst_case_leakage(levels(line), *known), reference.leakage(levels(line), adversary)


def of_users(columns: list[str]) -> list[Number]:
    found: list[Number] = []
    for a, b, c, d in COUNTS.values():
        forward, backward = matrix(f"{a} {b} / {c} {d}"), matrix(f"{a} {c} / {b} {d}")
        adversary = reference.Adversary(*map(reference.loss_function, (backward, forward)))
        stream, budgets = reference.leakage(levels("0.1*6"), adversary), reference.budgets(parse_level("1"), adversary)
        numbers = {f"paper_bound_{kind}": max(getattr(stream, kind)) for kind in KINDS}
        for side, function in (("bpl", adversary.backward), ("fpl", adversary.forward)):
            numbers[f"paper_bound_{side}_supremum"] = reference.supremum(function, parse_level("0.1")).level
        numbers["paper_bound_budget"] = budgets.middle
        numbers["paper_bound_budget_first"], numbers["paper_bound_budget_last"] = budgets.first, budgets.last
        if "worst_case_tpl" in columns:
            numbers["worst_case_tpl"] = max(reference.worst_case_leakage(levels("0.1*6"), backward, forward).tpl)
        found += [numbers[name] for name in columns]
    return found


PAPER_COLUMNS = [f"paper_bound_{kind}" for kind in (*KINDS, "bpl_supremum", "fpl_supremum")]
BUDGET_COLUMNS = [f"paper_bound_budget{place}" for place in ("", "_first", "_last")]


def stream(line: str, backward: TransitionMatrix, forward: TransitionMatrix) -> Question:
    """Ask the wire for the exact worst case over time."""
    epsilons = [level.exact_text for level in levels(line)]

    def truth() -> list[Number]:
        found = reference.worst_case_leakage(levels(line), backward, forward)
        return [level for kind in KINDS for level in getattr(found, kind)]

    return Question(partial(wire, "worst_case_leakage", epsilons=epsilons, backward=backward, forward=forward), truth)


def losses(own: TransitionMatrix) -> Question:
    """Ask in Python for the loss at `RATIOS`."""
    at = [Level.of_ratio(ratio) for ratio in RATIOS]
    return Question(
        lambda: shown(tploracle.loss(own, alpha) for alpha in at),
        lambda: [reference.loss_function(own)(alpha) for alpha in at],
    )


def last_profile(line: str, own: TransitionMatrix) -> Question:
    """Ask in Python for the α of the last of several releases at two δ."""
    deltas, budgets = (Fraction(1, 100), Fraction(1, 1000)), levels(line)

    def truth() -> list[Number]:
        pairs, spent = list(permutations(range(own.n), 2)), [ApproximateBudget(level, Fraction(0)) for level in budgets]
        profile = reference.WorstProfile(spent, [own.rows] * (len(spent) - 1), pairs)
        return [profile.alpha(delta) for delta in deltas]

    return Question(lambda: shown(tploracle.profile(budgets, backward=own).alpha(delta) for delta in deltas), truth)


def kept_by_least_noise() -> list[Ends]:
    """Ask for the schedules with the least noise, and return the leakage that they have by the reference."""
    line = "allocate --alpha 1 --one-sided --forward @1.csv --steps 5 --method least-noise"
    found = command(line, lambda value: [value[one]["epsilons"] for one in ("worst_case", "paper_bound")], MIXED)
    epsilons = [Level.of(low) for low, _ in found]
    assert len(epsilons) == 10, "both models have a schedule"
    adversary = reference.Adversary(None, reference.loss_function(MIXED))
    both = reference.worst_case_leakage(epsilons[:5], None, MIXED), reference.leakage(epsilons[5:], adversary)
    return shown(max(one.tpl) for one in both)


def windows(line: str, own: TransitionMatrix, *asked: tuple[int, int]) -> Question:
    """Ask for the leakage of windows in the exact worst case."""
    options = " ".join(f"--window {start}:{length}" for start, length in asked)
    epsilons = ",".join(level.exact_text for level in levels(line))

    def numbers(found: Any) -> list[object]:
        shown = found["worst_case"]["windows"]
        return [one for place in asked for one in shown
                if (one["start"], one["length"], one["level"]) == (*place, "window")]  # fmt: skip

    def truth() -> list[Number]:
        known = reversal(own), own
        return [reference.worst_case_composition(levels(line), *place, *known) for place in asked]

    return Question(
        partial(command, f"composition --forward @1.csv --epsilons {epsilons} {options}", numbers, own), truth
    )


RELEASES = "--epsilon 0.1 " * 120
LEDGER = f"spend @ledger --init --forward @1.csv --cap 5; spend @ledger {RELEASES}; spend @ledger --epsilon 0.3"


def both_sides(line: str, delta: str, own: TransitionMatrix) -> Question:
    """Ask for the level at a δ of the value at each time, by the releases on both of its sides."""
    epsilons = ",".join(level.exact_text for level in levels(line))
    asked = f"leakage --forward @1.csv --epsilons {epsilons} --delta {delta} --digits 9"

    def truth() -> list[Number]:
        backward, pairs = reversal(own), list(permutations(range(own.n), 2))
        spent = [ApproximateBudget(level, Fraction(0)) for level in levels(line)]
        last = len(spent) - 1
        return [
            reference.TwoSidedProfile(
                spent[time],
                (spent[:time][::-1], spent[time + 1 :]),
                ([backward.rows] * time, [own.rows] * (last - time)),
                pairs,
            ).alpha(Fraction(delta))
            for time in range(1, last)
        ]

    return Question(
        partial(command, asked, lambda found: found["worst_case"]["tpl"][1:-1], own), truth, near=Fraction(1, 100)
    )


def for_ever(delta: str, own: TransitionMatrix) -> Question:
    """Ask for the level at a δ over an infinite horizon, which is at least that of the last of many releases."""
    asked = f"supremum @1.csv --role backward --one-sided --epsilon 0.1 --delta {delta} --digits 9"

    def truth() -> list[Number]:
        pairs, spent = list(permutations(range(own.n), 2)), [ApproximateBudget(parse_level("0.1"), Fraction(0))] * 30
        return [reference.WorstProfile(spent, [own.rows] * 29, pairs).alpha(Fraction(delta))]

    return Question(partial(command, asked, lambda found: found["worst_case"], own), truth, near=Fraction(1, 1000))


OTHERS = {
    "levels at a delta, both sides": both_sides("0.2*4", "1/1000", MIXED),
    "supremum at a delta": for_ever("1/1000", MIXED),
    "zeros": stream("log(3/2)*10", DIVERGES, MIXED),
    "three values, a pair with value 1": stream("0.1*24", reversal(BLIND), BLIND),
    "three values, budgets that differ": stream(VARIED, MIXED, PAPER_L),
    "three values, an infinite budget": stream("0.1*3 inf 0.1*3", MIXED, THREE_VALUES),
    "ring of four": stream("0.2*8", RING, RING),
    "walk on five": stream("0.3*9", WALK, reversal(WALK)),
    "six values": stream("0.1*40", SIX, SIX),
    "twelve values": stream("0.2*12", WIDE, WIDE),
    "supremum, six values": Question(
        partial(wire, "worst_case_supremum", epsilon="0.1", backward=SIX, forward=SIX),
        lambda: [reference.worst_case_supremum(parse_level("0.1"), SIX, SIX)],
    ),
    "loss at levels, twelve values": losses(WIDE),
    "loss at levels, thirty values": losses(WIDER),
    "profile of the last of six releases": last_profile("0.2*6", MIXED),
    "profile of the last of 205 releases": last_profile("log(21/20)*205", SKEWED),
    "budgets of the least noise": Question(
        kept_by_least_noise, lambda: levels("1 1"), is_budget=True, near=Fraction(1, 100)
    ),
    "windows": windows("0.1*6", MIXED, (1, 3), (3, 2), (2, 5)),
    "windows with zeros": windows("0.1*4 0.3*2", WALK, (2, 3), (1, 5)),
    "population, by arrays": Question(
        partial(population, [*PAPER_COLUMNS, "worst_case_tpl"], compiled=False),
        partial(of_users, [*PAPER_COLUMNS, "worst_case_tpl"]),
    ),
    "population's budgets, by arrays": Question(
        partial(population, BUDGET_COLUMNS, compiled=False), partial(of_users, BUDGET_COLUMNS), is_budget=True
    ),
    "population, compiled": Question(
        partial(population, PAPER_COLUMNS, compiled=True), partial(of_users, PAPER_COLUMNS)
    ),
    "ledger": Question(
        partial(command, LEDGER, lambda found: [found[one]["worst"] for one in ("worst_case", "paper_bound")], MIXED),
        lambda: [max(model.tpl) for model in both_models("0.1*120 0.3", MIXED)],
    ),
    "sparse": Question(
        partial(command, "sparse @1.npz --epsilon 0.1 --steps 6", lambda found: found["paper_bound"], SPARSE),
        lambda: list(
            reference.leakage(levels("0.1*6"), reference.Adversary(reference.loss_function(SPARSE), None)).bpl
        ),
    ),
}


def read_truths() -> dict[str, list[Ends]]:
    """Return the stored truths by question."""
    stored = json.loads(TRUTHS.read_text(encoding="utf-8"))
    return {name: [(end(low), end(high)) for low, high in numbers] for name, numbers in stored.items()}


def computed(name: str) -> list[list[str]]:
    """Return the truth of a question as it is stored."""
    return [[str(low), str(high)] for low, high in shown(OTHERS[name].truth(), DIGITS)]


def asked_of(groups: Sequence[str]) -> dict[str, Callable[[], str]]:
    """Return the questions of some groups by name."""
    truths = read_truths()
    found = of_vectors() if VECTORS in groups else {}
    return found | {name: partial(compared, OTHERS[name], truths[name]) for name in groups if name in OTHERS}


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(computed(name))}" for name in OTHERS]
    TRUTHS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
