"""Faults of `solvers/`, and whether a number below the truth comes out: `make faults`.

A fault is a mutant of a solver. Each has a forked child that imports the package with it and asks, through the public
front, the questions that reach the changed function. No answer may be on the unsafe side of the truth: a leakage below
it, a budget above it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from .children import Report, change, forked, together
from .operators import Module, Mutant, modules
from .records import digest

ROOT = Path(__file__).resolve().parent.parent.parent

SOLVERS = ROOT / "solvers"

IMPORTED = ("click.testing", "flint", "jinja2", "numba", "numpy", "pyarrow.parquet", "rich.table", "scipy.sparse")
"""Imported once, before the children are forked; nothing of the package is."""

LIMIT = 40
"""Seconds of processor time for a fault."""

PATIENCE = 10
LEAST_LIMIT = 2.0
"""A question may take PATIENCE times the processor time that it takes without a fault, and at least LEAST_LIMIT seconds."""

CLOSE = Fraction(1, 10**6)
"""Relative distance from the truth on the safe side within which an answer counts as right."""

BELOW, REFUTED, REFUSED, CRASHED, TIMED_OUT, LOOSE, RIGHT = OUTCOMES = (
    "below the truth",
    "`Refuted`",
    "another error of the contract",
    "crash",
    "timed out",
    "safe, but not exact",
    "right",
)
"""What an answer can be; a fault counts under the first that one of its answers is."""

NOT_REACHED = "not reached"


class OutOfTime(BaseException):
    """The processor time of a question is used up."""


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
        near = low >= least * (1 - CLOSE) if asked.is_budget else high <= most * (1 + CLOSE) + CLOSE
        outcome = outcome if near else LOOSE
    return outcome


def answered(asked: Any, truth: Sequence[Any], limit: float) -> str:
    """Ask a question within a limit of processor time; return the outcome."""
    from tploracle.reference import OracleError

    from .questions import Refused

    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        return safe_side(asked, truth)
    except OutOfTime:
        return TIMED_OUT
    except (OracleError, Refused) as error:
        name = error.name if isinstance(error, OracleError) else str(error)
        return REFUTED if name == "Refuted" else f"{REFUSED}: {name}"
    except Exception as error:  # noqa: BLE001 - a fault may raise anything
        return f"{CRASHED}: {type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _out_of_time(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTime


def _fused(a: float, b: float, c: float) -> float:
    """Return a·b + c, rounded once, where numba compiles nothing."""
    try:
        return float(Fraction(a) * Fraction(b) + Fraction(c))
    except (ValueError, OverflowError):
        return a * b + c


def _begin(mutant: Mutant | None, module: Module | None, scratch: Path) -> Any:
    """Import the package, with a fault in it, and return the module of the questions; in a child."""
    if mutant is not None and module is not None:
        change({module.path: module.compiled(mutant)}, scratch / str(os.getpid()))
    sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the whole process
    signal.signal(signal.SIGVTALRM, _out_of_time)
    with_fma: Any = importlib.import_module("tploracle.solvers.batch.compiled.compiling")
    with_fma.fma = _fused
    return importlib.import_module("tests.mutation.questions")


def reached(name: str, scratch: Path) -> dict[str, object]:
    """Ask a question without a fault; return its processor time, its outcome, and the functions that it calls."""

    def work(report: Report) -> None:
        questions = _begin(None, None, scratch)
        called: set[str] = set()

        def entered(frame: FrameType, event: str, _argument: object) -> None:
            if event == "call" and frame.f_code.co_filename.startswith(str(SOLVERS)):
                path = Path(frame.f_code.co_filename).relative_to(SOLVERS).with_suffix("")
                called.add(f"{path.as_posix()}:{frame.f_code.co_qualname.partition('.<locals>')[0]}")

        threading.setprofile(entered)
        sys.setprofile(entered)
        start = time.process_time()
        outcome = answered(questions.QUESTIONS[name], questions.read_truths()[name], LIMIT)
        seconds = time.process_time() - start
        sys.setprofile(None)
        report({"question": name, "seconds": seconds, "outcome": outcome, "called": sorted(called)})

    said, _ = forked(work, LIMIT)
    if not said or said[0]["outcome"] != RIGHT:  # type: ignore[index]
        raise SystemExit(f"without a fault: {name}: {said}")
    return said[0]  # type: ignore[return-value]


def tried(mutant: Mutant, module: Module, asked: Sequence[dict[str, Any]], scratch: Path) -> dict[str, str]:
    """Ask questions of the package with a fault; return the outcomes by question."""

    def work(report: Report) -> None:
        try:
            questions = _begin(mutant, module, scratch)
        except Exception as error:  # noqa: BLE001 - a fault may raise anything
            for one in asked:
                report([one["question"], f"{CRASHED}: {type(error).__name__}"])
            return
        truths = questions.read_truths()
        for one in asked:
            name, limit = one["question"], max(LEAST_LIMIT, PATIENCE * one["seconds"])
            report([name, answered(questions.QUESTIONS[name], truths[name], limit)])

    said, out_of_time = forked(work, LIMIT)
    unanswered = TIMED_OUT if out_of_time else f"{CRASHED}: process"
    return {one["question"]: unanswered for one in asked} | dict(said)  # type: ignore[call-overload, no-any-return]


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


class Records:
    """Lines of JSON in files, one file a worker, so that an interrupted run continues."""

    def __init__(self, folder: Path, key: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._key = folder, key

    def read(self) -> list[dict[str, Any]]:
        """Return what all workers have written."""
        files = sorted(self._folder.glob(f"{self._key}-*.jsonl"))
        return [json.loads(line) for path in files for line in path.read_text("utf-8").splitlines() if line[-1:] == "}"]

    def write(self, worker: int, record: dict[str, Any]) -> None:
        """Add a line."""
        with (self._folder / f"{self._key}-{worker}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


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
    mutants = sorted(mutants, key=lambda mutant: digest(str(asked.seed), mutant.id))[: asked.sample]
    paths = [path for folder in ("reference", "solvers", "certificates", "oracle") for path in (ROOT / folder).rglob("*.py")]
    paths += [Path(__file__), *Path(__file__).parent.glob("*t*s.*")]
    records = Records(ROOT / "build" / "mutation", "faults-" + digest(*(path.read_text("utf-8") for path in sorted(paths))))
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # a fault of what is compiled takes part at once
    for name in IMPORTED:
        importlib.import_module(name)
    with TemporaryDirectory() as scratch:
        known = {record["question"]: record for record in records.read() if "question" in record}

        def asked_first(number: int) -> None:
            names: list[object] = []
            for name in _names(Path(scratch))[number :: asked.jobs]:
                if name not in known:
                    records.write(number, reached(name, Path(scratch)))

        together(asked.jobs, asked_first)
        known = {record["question"]: record for record in records.read() if "question" in record}
        done = {record["fault"] for record in records.read() if "fault" in record}
        left = [mutant for mutant in mutants if mutant.id not in done]

        def part(number: int) -> None:
            for place, mutant in enumerate(left[number :: asked.jobs], 1):
                function = f"{mutant.module}:{mutant.function}"
                reaching = [one for one in known.values() if mutant.function is None or function in one["called"]]
                found = tried(mutant, every[mutant.module], reaching, Path(scratch)) if reaching else {}
                records.write(number, {"fault": mutant.id, "outcomes": found})
                kind = worst(found.values())
                print(f"{place * asked.jobs}/{len(left)} {kind}: {mutant.id}", flush=True)

        together(asked.jobs, part)
    found = {record["fault"]: record["outcomes"] for record in records.read() if "fault" in record}
    return reported({mutant.id: found[mutant.id] for mutant in mutants}, asked.publish)


def _names(scratch: Path) -> list[str]:
    return [str(name) for name in forked(lambda report: [report(n) for n in _begin(None, None, scratch).QUESTIONS])[0]]


def reported(found: dict[str, dict[str, str]], page: Path | None) -> int:
    """Print what is below the truth and the table; return the exit status."""
    lines = [
        f"{outcome}: {mutant} [{question}]"
        for mutant, outcomes in found.items()
        for question, outcome in outcomes.items()
        if outcome.startswith(BELOW)
    ]
    print(*lines, "", *table(found), sep="\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
