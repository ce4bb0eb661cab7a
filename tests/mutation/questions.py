"""The questions that `make faults` asks of each faulty solver through the public front, with their true answers.

The truths are computed by the literal `tploracle.reference` on unchanged code, and kept in `truths.json` with the
functions they are from: `python -m tests.mutation.questions` writes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from tploracle.population import workers
from tploracle.reference import ApproximateBudget, Level, LossFunction, TransitionMatrix, parse_level
from tploracle.reference.paper.own_steps import StepwiseAdversary
from tploracle.reference.stepwise import KnownCorrelation, Stepwise, matrices_over
from tploracle.wire.requests import Session

from ..matrices import DIVERGES, MODERATE, PAPER_L, SKEWED, SYMMETRIC, THREE_PIECES, THREE_VALUES, texts_of

TRUTHS = Path(__file__).parent / "truths.json"

DIGITS = 40
"""Significant digits of a stored truth."""

KINDS = ("bpl", "fpl", "tpl")

Ends = tuple[Fraction | float, Fraction | float]
"""A lower and an upper bound, in nats or of a δ."""

Number = Level | reference.WorstAlpha | reference.WorstDelta


class Refused(Exception):
    """A command ended with an error; the message is the contract's name of it."""


@dataclass(frozen=True)
class Question:
    """A question: `ask` puts it to the public front, `truth` to the literal reference, by the functions named in `by`.

    is_budget: whether a number is safe at or below the truth; the others are safe at or above it. close: relative
    distance from the truth on the safe side up to which a number is right.
    """

    ask: Callable[[], Iterable[Ends]]
    by: str
    truth: Callable[[], Iterable[Number]]
    is_budget: bool = False
    close: Fraction = Fraction(1, 10**6)


def matrix(text: str) -> TransitionMatrix:
    """Return the matrix with these rows of whole numbers, each divided by its sum."""
    rows = [[Fraction(part) for part in row.split()] for row in text.split("/")]
    return TransitionMatrix.of([[part / sum(row) for part in row] for row in rows])


def texts(line: str) -> list[str]:
    """Return levels from a line, where `0.1*3` is three times 0.1."""
    parts = (part.partition("*") for part in line.split())
    return [level for level, _, times in parts for _ in range(int(times or 1))]


def levels(line: str) -> list[Level]:
    return [parse_level(text) for text in texts(line)]


BLIND = matrix("90 5 5 / 20 50 30 / 20 40 40")
"""The pair that attains the leakage has value 1 in it."""
MIXED = matrix("6 3 1 / 2 5 3 / 1 1 8")
SIX = matrix("9 4 3 2 1 1 / 2 8 5 1 3 1 / 1 1 7 6 2 3 / 5 2 1 9 1 2 / 3 3 3 1 8 2 / 1 6 2 4 2 5")
STICKY = matrix("16 1 1 1 1 / 1 16 1 1 1 / 1 1 16 1 1 / 1 1 1 16 1 / 1 1 1 1 16")
RING = matrix("8 1 0 1 / 1 8 1 0 / 0 1 8 1 / 1 0 1 8")
WALK = matrix("7 3 0 0 0 / 2 6 2 0 0 / 0 1 7 2 0 / 0 0 3 5 2 / 0 0 0 4 6")
WIDE, WIDER = (
    matrix("/".join(" ".join(str((7 * i + 11 * j * j + 3 * i * j) % 61 + 1) for j in range(n)) for i in range(n)))
    for n in (12, 30)
)
OWN_STEPS = Stepwise((MIXED, PAPER_L, THREE_VALUES, BLIND, MIXED))
WEEK = Stepwise((THREE_VALUES, MIXED), repeats=True)
SPARSE = np.array([[2, 1, 1, 0], [1, 2, 1, 0], [0, 1, 2, 1], [0, 0, 1, 3]]) / 4
COUNTS = {"ann": [8, 2, 1, 9], "bob": [5, 5, 2, 8], "cleo": [90, 10, 40, 60], "dan": [30, 1, 2, 17]}
VARIED = "0.3 0.05 0 0.2 1/7 0.4 0.01 0.2"
RATIOS = [Fraction(*ratio) for ratio in ((101, 100), (5, 4), (2, 1), (13, 4), (10, 1), (100, 1), (10**6, 1))]
"""e^α at which loss functions are compared."""


# What the front answers


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


def wire(op: str, **given: object) -> Callable[[], list[Ends]]:
    """Ask the handler of the wire."""

    def written(value: object) -> object:
        if isinstance(value, Stepwise):
            return {"cycle" if value.repeats else "steps": [texts_of(one) for one in value.each]}
        return texts_of(value) if isinstance(value, TransitionMatrix) else value

    return lambda: list(printed(Session().answer(op, {key: written(value) for key, value in given.items()})))


def run(commands: str, folder: str) -> str:
    """Run commands, separated by `;`, and return what the last one prints; `@` is the folder. Raises: Refused."""
    for line in commands.split(";"):
        result = CliRunner().invoke(main, line.replace("@", f"{folder}/").split(), prog_name="tploracle")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code:
            raise Refused(result.stderr.partition(":")[0])
    return result.stdout


def command(
    commands: str, key: Callable[[Any], object], one: TransitionMatrix, other: TransitionMatrix | None = None
) -> Callable[[], list[Ends]]:
    """Ask commands about the matrices `@1.csv` and `@2.csv`, and pick numbers from what the last prints as JSON."""

    def ask() -> list[Ends]:
        with TemporaryDirectory() as folder:
            for name, own in (("1", one), ("2", other or one)):
                rows = "".join(",".join(row) + "\n" for row in texts_of(own))
                Path(folder, f"{name}.csv").write_text(rows, encoding="utf-8")
            return list(printed(key(json.loads(run(commands, folder)))))

    return ask


def sparse() -> list[Ends]:
    with TemporaryDirectory() as folder:
        save_npz(f"{folder}/m.npz", csr_matrix(SPARSE))
        return list(printed(json.loads(run("sparse @m.npz --epsilon 0.1 --steps 6 --json", folder))["paper_bound"]))


def population(columns: list[str], compiled: bool) -> Callable[[], list[Ends]]:
    """Ask for numbers of a few users, computed by one of the two kernels."""

    def ask() -> list[Ends]:
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

    return ask


def loss_function_at(own: TransitionMatrix) -> Iterator[Ends]:
    """Ask for a whole loss function, and evaluate its pieces at `RATIOS`."""
    pieces = Session().answer("loss_function", {"matrix": texts_of(own)})
    for ratio in RATIOS:
        alpha = Level.of_ratio(ratio)
        for piece in pieces["pieces"]:
            if parse_level(piece["from"]) <= alpha <= parse_level(piece["to"]):
                yield shown([alpha.linear_fractional(Fraction(piece["q"]), Fraction(piece["d"]))])[0]
                break


# What the reference answers


Known = KnownCorrelation | None


def of_stream(found: reference.Leakage, kinds: Iterable[str] = KINDS) -> list[Level]:
    return [level for kind in kinds for level in getattr(found, kind)]


def loss_of(own: TransitionMatrix | None) -> LossFunction | None:
    return None if own is None else reference.loss_function(own)


def paper(line: str, backward: Known = None, forward: Known = None) -> reference.Leakage:
    """Return the paper's bound."""
    known = [
        Stepwise(tuple(map(reference.loss_function, own.each)), own.repeats)
        if isinstance(own, Stepwise)
        else loss_of(own)
        for own in (backward, forward)
    ]
    return reference.leakage(levels(line), StepwiseAdversary(*known))


def worst(line: str, backward: Known = None, forward: Known = None) -> reference.Leakage:
    """Return the exact worst case."""
    return reference.worst_case_leakage(levels(line), backward, forward)


def profile(line: str, side: KnownCorrelation) -> reference.WorstProfile:
    """Return the profile of the last of several releases, of which the earlier ones tell by P^B."""
    n = matrices_over(side, 1, "")[0].n
    budgets = [ApproximateBudget(level, Fraction(0)) for level in levels(line)]
    steps = [own.rows for own in matrices_over(side, len(budgets) - 1, "")]
    return reference.WorstProfile(budgets, steps, list(permutations(range(n), 2)))


def both_ways(own: TransitionMatrix) -> TransitionMatrix:
    """Return the reversal of a chain in its stationary distribution."""
    return reference.reverse(own, reference.stationary(own))


def of_users(columns: list[str]) -> Iterator[Level]:
    for a, b, c, d in COUNTS.values():
        forward, backward = matrix(f"{a} {b} / {c} {d}"), matrix(f"{a} {c} / {b} {d}")
        stream, epsilon = paper("0.1*6", backward, forward), parse_level("0.1")
        budgets = reference.budgets(parse_level("1"), reference.Adversary(loss_of(backward), loss_of(forward)))
        numbers = {f"paper_bound_{kind}": max(getattr(stream, kind)) for kind in KINDS}
        numbers["paper_bound_bpl_supremum"] = reference.supremum(reference.loss_function(backward), epsilon).level
        numbers["paper_bound_fpl_supremum"] = reference.supremum(reference.loss_function(forward), epsilon).level
        numbers["paper_bound_budget"] = budgets.middle
        numbers["paper_bound_budget_first"], numbers["paper_bound_budget_last"] = budgets.first, budgets.last
        numbers["worst_case_tpl"] = max(worst("0.1*6", backward, forward).tpl)
        yield from (numbers[name] for name in columns)


PAPER_COLUMNS = [f"paper_bound_{kind}" for kind in (*KINDS, "bpl_supremum", "fpl_supremum")]
BUDGET_COLUMNS = [f"paper_bound_budget{place}" for place in ("", "_first", "_last")]


# The questions


def stream(line: str, backward: Known = None, forward: Known = None, by: str = "worst_case_leakage") -> Question:
    """Ask the wire for a leakage over time."""
    known = {name: own for name, own in (("backward", backward), ("forward", forward)) if own is not None}
    truth = partial(worst if by == "worst_case_leakage" else paper, line, backward, forward)
    return Question(wire(by, epsilons=texts(line), **known), by, lambda: of_stream(truth()))


def supremum(epsilon: str, by: str, **known: TransitionMatrix) -> Question:
    """Ask the wire for a supremum."""

    def truth() -> list[Level]:
        if by == "worst_case_supremum":
            return [reference.worst_case_supremum(parse_level(epsilon), **known)]
        return [reference.supremum(reference.loss_function(known["matrix"]), parse_level(epsilon)).level]

    return Question(wire(by, epsilon=epsilon, **known), by, truth)


def budget(alpha: str, horizon: int | None = None, **known: TransitionMatrix) -> Question:
    """Ask the wire for the greatest constant budget in the exact worst case."""
    given: dict[str, object] = {"alpha": alpha, **known} | ({} if horizon is None else {"horizon": horizon})

    def truth() -> list[Level]:
        found = reference.greatest_worst_case_budget(parse_level(alpha), **known, horizon=horizon, digits=20)
        return [found] * (horizon or 1)

    return Question(wire("worst_case_allocate", **given), "greatest_worst_case_budget", truth, is_budget=True)


def windows(line: str, own: TransitionMatrix, *asked: tuple[int, int]) -> Question:
    """Ask a command for the leakage of windows, by both models."""
    options = " ".join(f"--window {start}:{length}" for start, length in asked)
    epsilons = ",".join(texts(line))
    line_ = f"composition --backward @2.csv --forward @1.csv --epsilons {epsilons} {options} --json"

    def numbers(found: Any) -> list[object]:
        kept = [
            {(one["start"], one["length"]): one for one in found[model]["windows"] if one["level"] == "window"}
            for model in ("worst_case", "paper_bound")
        ]
        return [model[place] for model in kept for place in asked]

    def truth() -> Iterator[Level]:
        for start, length in asked:
            yield reference.worst_case_composition(levels(line), start, length, both_ways(own), own)
        for start, length in asked:
            yield reference.composition(paper(line, both_ways(own), own), levels(line), start, length)

    return Question(command(line_, numbers, own, both_ways(own)), "worst_case_composition, composition", truth)


def both_models(own: TransitionMatrix, releases: int) -> Question:
    """Ask `leakage` for both models, with one matrix and its reversal."""
    line, steps = f"leakage --forward @1.csv --epsilon 0.1 --steps {releases} --json", f"0.1*{releases}"

    def truth() -> list[Level]:
        known = both_ways(own), own
        return [*of_stream(worst(steps, *known)), *of_stream(paper(steps, *known))]

    picked = command(line, lambda found: [found["worst_case"], found["paper_bound"]], own)
    return Question(picked, "worst_case_leakage, leakage", truth)


def last_profile(line: str, own: TransitionMatrix) -> Question:
    """Ask in Python for the α of the last release at two δ."""
    deltas = Fraction(1, 100), Fraction(1, 1000)
    return Question(
        lambda: shown(tploracle.profile(texts(line), own).alpha(delta) for delta in deltas),
        "WorstProfile",
        lambda: [profile(line, own).alpha(delta) for delta in deltas],
    )


def kept_by_least_noise() -> list[Ends]:
    """Ask for the schedule with the least noise, and return the leakage that it has by the reference."""
    line = "allocate --alpha 1 --one-sided --forward @1.csv --steps 5 --method least-noise --json"
    schedules = command(
        line, lambda found: [found[model]["epsilons"] for model in ("worst_case", "paper_bound")], MIXED
    )()
    epsilons = [Level.of(low) for low, _ in schedules]
    assert len(epsilons) == 10, "both models have a schedule"
    found = (
        reference.worst_case_leakage(epsilons[:5], None, MIXED),
        reference.leakage(epsilons[5:], adversary(None, MIXED)),
    )
    return shown(max(one.tpl) for one in found)


def adversary(backward: TransitionMatrix | None, forward: TransitionMatrix | None) -> reference.Adversary:
    return reference.Adversary(loss_of(backward), loss_of(forward))


def api_stream() -> Iterator[Ends]:
    found = tploracle.paper_bound_leakage(texts("0.2*12"), tploracle.adversary(SIX, both_ways(SIX)))
    return iter(shown(of_stream(found)))


def ledger_truth() -> list[Level]:
    known = both_ways(MIXED), MIXED
    return [max(found("0.1*120 0.3", *known).tpl) for found in (worst, paper)]


LEDGER = (
    f"spend @ledger --init --forward @1.csv --cap 5 --json; spend @ledger {'--epsilon 0.1 ' * 120} --json; "
    "spend @ledger --epsilon 0.3 --json"
)

QUESTIONS = {
    "two values, 40 releases": stream("0.1*40", SYMMETRIC, SKEWED),
    "three values, levels with rational ratios": stream("log(11/10)*6", MIXED, both_ways(MIXED)),
    "three values, a pair with value 1": both_models(BLIND, 24),
    "three values, budgets that differ": stream(VARIED, MIXED, PAPER_L),
    "three values, an infinite budget": stream("0.1*3 inf 0.1*3", MIXED, THREE_VALUES),
    "zeros": stream("log(3/2)*10", DIVERGES),
    "ring of four": stream("0.2*8", RING, RING),
    "sticky chain of five": stream("0.2*12", STICKY, STICKY),
    "walk on five": stream("0.3*9", WALK, both_ways(WALK)),
    "six values": stream("0.1*40", SIX, both_ways(SIX)),
    "twelve values": stream("0.2*12", WIDE, both_ways(WIDE)),
    "a matrix for each step": stream("0.2*6", OWN_STEPS, OWN_STEPS),
    "matrices that repeat": stream("0.1*9", WEEK, WEEK),
    "the paper's bound, one piece after another": stream("0.5*12", THREE_PIECES, by="leakage"),
    "the paper's bound, matrices that repeat": stream(VARIED, WEEK, MIXED, by="leakage"),
    "the paper's bound, in Python": Question(
        api_stream, "leakage", lambda: of_stream(paper("0.2*12", SIX, both_ways(SIX)))
    ),
    "supremum of the paper's bound": supremum("log(3)", "supremum", matrix=THREE_PIECES),
    "supremum, two values": supremum("0.1", "worst_case_supremum", backward=SYMMETRIC, forward=SKEWED),
    "supremum, six values": supremum("0.1", "worst_case_supremum", backward=SIX, forward=both_ways(SIX)),
    "supremum, zeros": supremum("log(3/2)", "worst_case_supremum", backward=DIVERGES),
    "supremum, infinite": supremum("log(5/4)", "worst_case_supremum", forward=MODERATE),
    "supremum, both models": Question(
        command(
            "supremum @1.csv --role forward --one-sided --epsilon 0.2 --json",
            lambda found: [found["worst_case"], found["paper_bound"]],
            MIXED,
        ),
        "worst_case_supremum, supremum",
        lambda: [
            reference.worst_case_supremum(parse_level("0.2"), forward=MIXED),
            reference.supremum(reference.loss_function(MIXED), parse_level("0.2")).level,
        ],
    ),
    "budget, two values, for ever": budget("1", backward=SKEWED, forward=SYMMETRIC),
    "budget, three values, for ever": budget("1/2", backward=MIXED),
    "budget, three values, six releases": budget("1", 6, backward=PAPER_L, forward=MIXED),
    "budgets by Algorithm 8": Question(
        wire("allocate", alpha="1", method="quantified", horizon=4, backward=PAPER_L, forward=MIXED),
        "algorithm_8",
        lambda: reference.algorithm_8(parse_level("1"), adversary(PAPER_L, MIXED), 4),
        is_budget=True,
    ),
    "budget for the next release": Question(
        wire("control", matrix=SIX, previous="0.4", cap="0.6"),
        "control",
        lambda: [reference.control(loss_of(SIX), *levels("0.4 0.6"))],
        is_budget=True,
    ),
    "budgets of the least noise": Question(
        kept_by_least_noise,
        "worst_case_leakage, leakage",
        lambda: levels("1 1"),
        is_budget=True,
        close=Fraction(1, 100),
    ),
    "loss at levels": Question(
        lambda: shown(tploracle.loss(WIDE, Level.of_ratio(ratio)) for ratio in RATIOS),
        "loss_function",
        lambda: [reference.loss_function(WIDE)(Level.of_ratio(ratio)) for ratio in RATIOS],
    ),
    "whole loss function": Question(
        lambda: [*loss_function_at(WIDER), *loss_function_at(THREE_PIECES)],
        "loss_function",
        lambda: [
            reference.loss_function(own)(Level.of_ratio(ratio)) for own in (WIDER, THREE_PIECES) for ratio in RATIOS
        ],
    ),
    "profile of the last of six releases": last_profile("0.2*6", MIXED),
    "profile of the last of 205 releases": last_profile("log(21/20)*205", SKEWED),
    "profile at all times": Question(
        wire("leakage_profile", backward=THREE_VALUES, epsilon="0.2", horizon=5, delta="1/50"),
        "WorstProfile",
        lambda: [
            *(profile(f"0.2*{t}", THREE_VALUES).alpha(Fraction(1, 50)) for t in range(1, 6)),
            *[profile("0.2*1", THREE_VALUES).alpha(Fraction(1, 50))] * 5,
        ],
    ),
    "windows": windows("0.1*6", MIXED, (1, 3), (3, 2), (2, 5)),
    "windows with zeros": windows("0.1*4 0.3*2", WALK, (2, 3), (1, 5)),
    "population, by arrays": Question(
        population([*PAPER_COLUMNS, "worst_case_tpl"], compiled=False),
        "leakage, supremum, worst_case_leakage",
        lambda: of_users([*PAPER_COLUMNS, "worst_case_tpl"]),
    ),
    "population's budgets, by arrays": Question(
        population(BUDGET_COLUMNS, compiled=False), "budgets", lambda: of_users(BUDGET_COLUMNS), is_budget=True
    ),
    "population, compiled": Question(
        population(PAPER_COLUMNS, compiled=True), "leakage, supremum", lambda: of_users(PAPER_COLUMNS)
    ),
    "ledger": Question(
        command(LEDGER, lambda found: [found["worst_case"]["worst"], found["paper_bound"]["worst"]], MIXED),
        "worst_case_leakage, leakage",
        ledger_truth,
    ),
    "sparse": Question(
        sparse,
        "leakage",
        lambda: of_stream(paper("0.1*6", matrix("2 1 1 0 / 1 2 1 0 / 0 1 2 1 / 0 0 1 3")), ["bpl"]),
    ),
}


def read_truths() -> dict[str, list[Ends]]:
    """Return the stored truths by question."""
    stored = json.loads(TRUTHS.read_text(encoding="utf-8"))
    return {name: [(end(low), end(high)) for low, high in one["numbers"]] for name, one in stored.items()}


def computed(name: str) -> dict[str, object]:
    """Return the truth of a question as it is stored."""
    numbers = [[str(low), str(high)] for low, high in shown(QUESTIONS[name].truth(), DIGITS)]
    return {"by": f"tploracle.reference: {QUESTIONS[name].by}", "numbers": numbers}


def write() -> None:
    """Write the truths, a line each."""
    lines = [f"{json.dumps(name)}: {json.dumps(computed(name))}" for name in QUESTIONS]
    TRUTHS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
