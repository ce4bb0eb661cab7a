"""The questions that `make faults` asks of each faulty solver: vectors, and commands of which there are none.

The truths of the commands are computed by the literal `tploracle.reference` on unchanged code, and kept in
`truths.json`: `python -m tests.mutation.questions` writes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner
from scipy.sparse import csr_matrix, save_npz

from tploracle import reference
from tploracle.cli.main import main
from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Case, Reply, Verdict
from tploracle.population import workers
from tploracle.reference import Level, TransitionMatrix, parse_level
from tploracle.wire.requests import Session

from ..matrices import texts_of
from .faults import BELOW, LOOSE, RIGHT, TRUTHS, VECTORS

EVERY = 4
"""One of this many vectors is asked."""

DIGITS = 40
"""Significant digits of a stored truth."""

NEAR = Fraction(1, 10**6)
"""Relative distance from the truth on the safe side up to which a number is right."""

KINDS = ("bpl", "fpl", "tpl")

Ends = tuple[Fraction | float, Fraction | float]
"""A lower and an upper bound."""


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


# Commands


@dataclass(frozen=True)
class Question:
    """A question: `ask` puts it to a command, `truth` to the literal reference; a budget is safe below the truth."""

    ask: Callable[[], list[Ends]]
    truth: Callable[[], list[Level]]
    is_budget: bool = False


def compared(asked: Question, truth: list[Ends]) -> str:
    """Ask a question, and compare each number with the truth; return the worst outcome."""
    found = asked.ask()
    if len(found) != len(truth):
        raise ValueError(f"{len(found)} numbers")
    outcome = RIGHT
    for (low, high), (least, most) in zip(found, truth, strict=True):
        if low > most if asked.is_budget else high < least:
            return BELOW
        near = low >= least * (1 - NEAR) if asked.is_budget else high <= most * (1 + NEAR) + NEAR
        outcome = outcome if near else LOOSE
    return outcome


def matrix(text: str) -> TransitionMatrix:
    """Return the matrix with these rows of whole numbers, each divided by its sum."""
    rows = [[Fraction(part) for part in row.split()] for row in text.split("/")]
    return TransitionMatrix.of([[part / sum(row) for part in row] for row in rows])


MIXED = matrix("6 3 1 / 2 5 3 / 1 1 8")
WALK = matrix("7 3 0 0 0 / 2 6 2 0 0 / 0 1 7 2 0 / 0 0 3 5 2 / 0 0 0 4 6")
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


def of_users(columns: list[str]) -> list[Level]:
    found = []
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


def windows(line: str, own: TransitionMatrix, *asked: tuple[int, int]) -> Question:
    """Ask for the leakage of windows in the exact worst case."""
    options = " ".join(f"--window {start}:{length}" for start, length in asked)
    epsilons = ",".join(level.exact_text for level in levels(line))

    def numbers(found: Any) -> list[object]:
        shown = found["worst_case"]["windows"]
        return [one for place in asked for one in shown
                if (one["start"], one["length"], one["level"]) == (*place, "window")]  # fmt: skip

    def truth() -> list[Level]:
        known = reversal(own), own
        return [reference.worst_case_composition(levels(line), *place, *known) for place in asked]

    return Question(
        partial(command, f"composition --forward @1.csv --epsilons {epsilons} {options}", numbers, own), truth
    )


RELEASES = "--epsilon 0.1 " * 120
LEDGER = f"spend @ledger --init --forward @1.csv --cap 5; spend @ledger {RELEASES}; spend @ledger --epsilon 0.3"

COMMANDS = {
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
    enclosures = [level.enclosure(DIGITS) for level in COMMANDS[name].truth()]
    return [[str(end(one.lower)), str(end(one.upper))] for one in enclosures]


def asked_of(groups: Sequence[str]) -> dict[str, Callable[[], str]]:
    """Return the questions of some groups by name."""
    truths = read_truths()
    found = of_vectors() if VECTORS in groups else {}
    return found | {name: partial(compared, COMMANDS[name], truths[name]) for name in groups if name in COMMANDS}


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(computed(name))}" for name in COMMANDS]
    TRUTHS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
