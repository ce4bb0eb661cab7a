"""Faults of `solvers/`, and whether a number below the truth comes out: `make faults`.

A fault is a mutant of a solver. Each is asked, through the public front, the questions that reach the changed function.
No answer may be on the unsafe side of the truth: a leakage below it, a budget above it.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from .__main__ import arguments, chosen, draw, sources
from .asking import CRASHED, ROOT, TIMED_OUT, Asked, Panel, digest_of, publish, table

SOLVERS = [ROOT / "solvers" / name for name in ("worst_case", "loss", "batch")]

IMPORTED = ("click.testing", "flint", "jinja2", "numba", "numpy", "pyarrow.parquet", "rich.table", "scipy.sparse")
"""Imported once, before the children are forked; nothing of the package is."""

BELOW, REFUTED, REFUSED, _, _, LOOSE, RIGHT = OUTCOMES = (
    "below the truth",
    "`Refuted`",
    "another error of the contract",
    CRASHED,
    TIMED_OUT,
    "safe, but not exact",
    "right",
)
"""What an answer can be; a fault counts under the first that one of its answers is."""

NOT_REACHED = "not reached"

VECTORS = "vectors"
"""The group of all vectors; each command is a group of its own."""

TRUTHS = Path(__file__).with_name("truths.json")


def answered(ask: Callable[[], str]) -> str:
    """Ask a question and return the outcome; whatever a fault raises is one."""
    from tploracle.reference import OracleError

    from .questions import Refused

    try:
        return ask()
    except (OracleError, Refused) as error:
        name = error.name if isinstance(error, OracleError) else str(error)
        return REFUTED if name == "Refuted" else f"{REFUSED}: {name}"
    except Exception as error:  # noqa: BLE001 - a fault may raise anything
        return f"{CRASHED}: {type(error).__name__}"


def fused(a: float, b: float, c: float) -> float:
    """Return a·b + c, rounded once, where numba compiles nothing."""
    try:
        return float(Fraction(a) * Fraction(b) + Fraction(c))
    except (ValueError, OverflowError):
        return a * b + c


def begin(groups: Sequence[str], use: Callable[[Asked], None]) -> None:
    """Import the package, and hand over the questions by name; in a child, which may be faulty by then."""
    compiling: Any = importlib.import_module("tploracle.solvers.batch.compiled.compiling")
    compiling.fma = fused
    questions = importlib.import_module("tests.mutation.questions")
    use({name: partial(answered, ask) for name, ask in questions.asked_of(groups).items()})


def worst(outcomes: Iterable[str]) -> str:
    """Return the kind of the worst outcome."""
    kinds = {outcome.partition(":")[0] for outcome in outcomes}
    return next((kind for kind in OUTCOMES if kind in kinds), NOT_REACHED)


def main() -> int:
    """Try the faults that have no outcome yet, and report; 1 if one gives a number below the truth."""
    parser = arguments("mutation.faults")
    parser.add_argument("--seed", type=int, default=0, help="which faults are drawn")
    asked = parser.parse_args()
    every = sources(asked, SOLVERS)
    mutants = draw(chosen(asked, every), asked.sample, asked.seed)
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # so that a fault in what is compiled takes part at once
    for name in IMPORTED:
        importlib.import_module(name)
    folders = (
        *(ROOT / folder for folder in ("reference", "solvers", "certificates", "oracle")),
        Path(__file__).parent,
        TRUTHS,
    )
    groups = [VECTORS, *json.loads(TRUTHS.read_text("utf-8"))]
    panel = Panel(begin, groups, every, asked.build / f"faults-{digest_of(*folders, TRUTHS)}", asked.jobs)
    found = panel.examine(mutants)
    if wrong := [name for name, one in panel.known.items() if one["outcome"] != RIGHT]:
        raise SystemExit(f"not right without a fault: {', '.join(wrong)}")
    counts = {f"`{path.name}`": Counter[str]() for path in SOLVERS}
    answers = Counter[str]()
    below = []
    for mutant in mutants:
        outcomes = found[mutant.id]
        counts[f"`{mutant.module.partition('/')[0]}`"][worst(outcomes.values())] += 1
        answers.update(outcome.partition(":")[0] for outcome in outcomes.values())
        below += [f"{BELOW}: {mutant.id} [{name}]" for name, outcome in outcomes.items() if outcome == BELOW]
    columns = (*OUTCOMES, NOT_REACHED)
    lines = table("", counts, columns) + table("", {"answers": answers}, columns)[2:3]
    print(*below, "", *lines, sep="\n")
    if asked.publish is not None:
        publish(asked.publish, lines, "faults")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
