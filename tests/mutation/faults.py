"""Faults of `solvers/`, and whether a number below the truth comes out: `make faults`.

A fault is a mutant of a solver. Each is asked, through the public front, the questions that reach the changed function.
No answer may be on the unsafe side of the truth: a leakage below it, a budget above it.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from .__main__ import published
from .asking import CRASHED, Asked, Panel
from .judging import ROOT, TIMED_OUT, Records, digest
from .operators import modules

SOLVERS = ROOT / "solvers"

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

BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"


def safe_side(asked: Any, truth: Sequence[Any]) -> str:
    """Ask a question, and compare each number with the truth; return the worst outcome."""
    found = list(asked.ask())
    if len(found) != len(truth):
        return f"{CRASHED}: {len(found)} numbers"
    outcome = RIGHT
    for (low, high), (least, most) in zip(found, truth, strict=True):
        if (low > most) if asked.is_budget else (high < least):
            off = abs(float(low - most if asked.is_budget else high - least))
            return f"{BELOW}: {'above' if asked.is_budget else 'below'} by {off:.2g}"
        near = low >= least * (1 - asked.close) if asked.is_budget else high <= most * (1 + asked.close) + asked.close
        outcome = outcome if near else LOOSE
    return outcome


def answered(asked: Any, truth: Sequence[Any]) -> str:
    """Ask a question and return the outcome; whatever a fault raises is one."""
    from tploracle.reference import OracleError

    from .questions import Refused

    try:
        return safe_side(asked, truth)
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


def begin() -> Asked:
    """Import the package, and return the questions by name; in a child."""
    compiling: Any = importlib.import_module("tploracle.solvers.batch.compiled.compiling")
    compiling.fma = fused
    questions = importlib.import_module("tests.mutation.questions")
    truths = questions.read_truths()
    return {name: partial(answered, asked, truths[name]) for name, asked in questions.QUESTIONS.items()}


def worst(outcomes: Iterable[str]) -> str:
    """Return the kind of the worst outcome."""
    kinds = {outcome.partition(":")[0] for outcome in outcomes}
    return next((kind for kind in OUTCOMES if kind in kinds), NOT_REACHED)


def table(found: dict[str, dict[str, str]]) -> list[str]:
    """Return the lines of a table: faults by package, and all answers."""
    columns = (*OUTCOMES, NOT_REACHED)
    packages = {"worst_case": "`worst_case`", "loss": "`loss`", "batch": "`batch`"}
    faults: dict[str, Counter[str]] = {name: Counter() for name in (*packages.values(), "what joins them")}
    answers = Counter[str]()
    for mutant, outcomes in found.items():
        faults[packages.get(mutant.partition("/")[0], "what joins them")][worst(outcomes.values())] += 1
        answers.update(outcome.partition(":")[0] for outcome in outcomes.values())
    rows = {**faults, "all faults": sum(faults.values(), Counter[str]()), "all answers": answers}
    return [
        f"| | number | {' | '.join(columns)} |",
        "|---|" + "---:|" * (len(columns) + 1),
        *(f"| {name} | {row.total()} | {' | '.join(str(row[c]) for c in columns)} |" for name, row in rows.items()),
    ]


def main() -> int:
    """Try the faults that have no outcome yet, and report; 1 if one gives a number below the truth."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.faults", description=__doc__)
    parser.add_argument("--sample", type=int, default=300, help="number of faults")
    parser.add_argument("--seed", type=int, default=0, help="which faults are drawn")
    parser.add_argument("--jobs", type=int, default=2, help="processes that try faults")
    parser.add_argument("--only", default="", help="only faults whose identity contains this text")
    parser.add_argument("--publish", type=Path, help="put the table into this page")
    asked = parser.parse_args()
    every = {module.name: module for module in modules(SOLVERS) if not module.name.startswith("linear_programs")}
    mutants = [mutant for module in every.values() for mutant in module.mutants if asked.only in mutant.id]
    mutants.sort(key=lambda mutant: digest(str(asked.seed), mutant.id))
    folders = [ROOT / folder for folder in ("reference", "solvers", "certificates", "oracle")]
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    own = [Path(__file__).with_name(name) for name in ("faults.py", "questions.py", "truths.json")]
    key = digest(*(path.read_text("utf-8") for path in sorted([*paths, *own])))
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # so that a fault in what is compiled takes part at once
    for name in IMPORTED:
        importlib.import_module(name)
    panel = Panel(begin, every, Records(ROOT / "build" / "mutation", f"faults-{key}"), asked.jobs)
    found = panel.examine(mutants[: asked.sample])
    if wrong := [name for name, record in panel.known.items() if record["outcome"] != RIGHT]:
        raise SystemExit(f"not right without a fault: {', '.join(wrong)}")
    below = [
        f"{outcome}: {mutant} [{name}]"
        for mutant, outcomes in found.items()
        for name, outcome in outcomes.items()
        if outcome.startswith(BELOW)
    ]
    rows = table(found)
    print(*below, "", *rows, sep="\n")
    if asked.publish is not None:
        published(asked.publish, rows, BEGIN, END)
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
