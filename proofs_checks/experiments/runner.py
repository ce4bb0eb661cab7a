"""Runs the experiments, and judges the paper's sentences by their tables.

An experiment leaves its tables NAME.csv (or NAME_PART.csv) and its picture NAME.png in build/paper, each moved into its
place whole. claims.json has the verdicts on the paper's sentences.
"""

import json
import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tploracle.output.progress import patience
from tploracle.output.writing import write_bytes

from . import leakage, runtime
from .figures import Panel, drawn, png, small_png
from .sentences import JUDGES, judged
from .tables import from_csv, to_csv

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Experiment:
    """A figure or check of the paper.

    measure: from a function that takes the steps done and in all, and parameters, to tables by part ("" for the only
    one).
    """

    title: str
    measure: Callable
    panels: list[Panel]


EXPERIMENTS = {
    "fig_tpl": Experiment("BPL, FPL and TPL over time", leakage.measure_tpl, leakage.TPL_PANELS),
    "fig_example_L_func": Experiment("L and its pieces", leakage.measure_pieces, leakage.PIECES_PANELS),
    "fig_example_sup": Experiment("BPL and its supremum", leakage.measure_sup, leakage.SUP_PANELS),
    "fig_ex_tpl": Experiment("degrees of correlation", leakage.measure_degrees, leakage.DEGREES_PANELS),
    "fig_ex_budgets": Experiment("budgets for 1-DP_T", leakage.measure_budgets, leakage.BUDGETS_PANELS),
    "fig_ex_utility": Experiment("noise of 2-DP_T mechanisms", leakage.measure_utility, leakage.UTILITY_PANELS),
    "fig_ex_runtime_d": Experiment("runtime against α", runtime.measure_level, runtime.LEVEL_PANELS),
    "fig_ex_runtime_a": Experiment("runtime against n", runtime.measure_n, runtime.N_PANELS),
    "fig_ex_runtime_b": Experiment(
        "runtime of the precomputations", runtime.measure_precomputation, runtime.PRECOMPUTATION_PANELS
    ),
    "fig_ex_runtime_c": Experiment("runtime against T", runtime.measure_time, runtime.TIME_PANELS),
    "check_30": Experiment("random matrices against CBC", runtime.measure_check, runtime.CHECK_PANELS),
}


def tables_of(name, folder):
    """Read the tables of an experiment, by part ("" for the only one); none where it has not been run."""
    paths = [folder / f"{name}.csv", *sorted(folder.glob(f"{name}_*.csv"))]
    return {path.stem[len(name) + 1 :]: from_csv(path.read_bytes()) for path in paths if path.exists()}


def run(name, folder, figures=None, **parameters):
    """Run an experiment. Returns: the seconds it took. Args: figures, the folder of small pictures."""
    experiment, start = EXPERIMENTS[name], runtime.spent()
    with patience(experiment.title) as advance:
        found = experiment.measure(advance=advance, **parameters)
    contents = {part: to_csv(table) for part, table in found.items()}
    figure = drawn(experiment.panels, {part: from_csv(content) for part, content in contents.items()})
    for part, content in contents.items():
        write_bytes(str(folder / f"{name}{'_' if part else ''}{part}.csv"), content, "file")
    write_bytes(str(folder / f"{name}.png"), png(figure), "file")
    if figures:
        write_bytes(str(figures / f"{name}.png"), small_png(figure), "file")
    return runtime.spent() - start


_ROW = re.compile(r"^\| (\w+-\d+) \| (.+?) \| “(.+)” \| \*\*(.+)\*\* \| (.+) \|$", re.MULTILINE)


def sentences_of(page):
    """Return the paper's sentences on the page by id: section, words, verdict, and why."""
    return {name: cells for name, *cells in _ROW.findall(page.read_text(encoding="utf-8"))}


def flat(numbers):
    """Yield the numbers in nested lists."""
    for number in numbers:
        yield from flat(number) if isinstance(number, list | tuple) else [number]


def report(folder, page):
    """Write claims.json. Returns: how it differs from the page, a line for each difference."""
    written, claims, differences = sentences_of(page), [], []
    for name, (experiment, *_) in JUDGES.items():
        section, quote, expected, because = written[name]
        verdict, numbers = judged(name, tables_of(experiment, folder))
        numbers = list(flat(numbers))
        claims.append(
            {"id": name, "section": section, "quote": quote, "experiments": [experiment], "verdict": verdict}
            | {"because": because, "numbers": [None if math.isnan(number or 0) else number for number in numbers]}
        )
        if verdict != expected:
            differences.append(f"{name}: {verdict}, on the page: {expected}")
        if not experiment.startswith("fig_ex_runtime"):
            differences += [f"{name}: {text} on the page was not found" for text in unfound(because, numbers)]
    write_bytes(str(folder / "claims.json"), json.dumps(claims, indent=1, ensure_ascii=False).encode(), "file")
    return differences


def unfound(text, numbers):
    """Return the decimals of four digits and more in a text that none of the numbers rounds to."""
    decimals = re.findall(r"(?<!s = )(?<![\d./])\d+\.\d{3,}(?![\d/])", text)
    shown = [number for number in numbers if number is not None]
    return [own for own in decimals if not any(f"{x:.{len(own.partition('.')[2])}f}" == own for x in shown)]


def main(asked):
    """Run experiments; if all have been run, judge the sentences and report what differs from the page. Returns: 0."""
    folder, page = ROOT / "build/paper", ROOT / "docs/experiments.md"
    for name in asked:
        print(f"{name}: {run(name, folder, ROOT / 'docs/figures'):.1f} s", file=sys.stderr, flush=True)
    if missing := [name for name in EXPERIMENTS if not tables_of(name, folder)]:
        print(f"no verdicts yet, not run: {', '.join(missing)}", file=sys.stderr)
        return 0
    print(*report(folder, page), sep="\n", file=sys.stderr)
    return 0
