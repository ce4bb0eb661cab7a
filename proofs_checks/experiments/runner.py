"""Runs the experiments, one after the other: what is there already and was made by the same code is skipped.

An experiment leaves its tables NAME.csv (or NAME_PART.csv) and its picture NAME.png in build/paper, and last of all
NAME.json with a digest of its parameters and code and of every file it wrote. Each file is moved into its place whole.
"""

import ast
import hashlib
import inspect
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tploracle.output.progress import patience
from tploracle.output.writing import write_bytes

from . import clock, doubles, drawing, matrices, tables
from .clock import spent

ROOT = Path(__file__).resolve().parents[2]
SHARED = tuple(Path(module.__file__) for module in (clock, doubles, drawing, matrices, tables))
ENGINE = ("reference", "solvers")


@dataclass(frozen=True)
class Experiment:
    """One figure or check of the paper.

    measure: from the parameters and a function that is told the steps done and in all, to tables by part ("" for the
    only one); draw: from the tables as they are in the files, to a figure. small: parameters for seconds, for tests.
    """

    name: str
    label: str
    title: str
    measure: Callable
    draw: Callable
    parameters: dict
    small: dict

    def digest(self, parameters):
        """Return a digest of the parameters and of all the code that the experiment runs, comments left out."""
        own = Path(inspect.getsourcefile(self.measure))
        code = [meaning(path) for path in (own, *SHARED)] + [meaning(path) for path in engine(own)]
        return hashlib.sha256(json.dumps([parameters, code], sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Place:
    """Where results go: the folder of data and full pictures, and one for small pictures or None."""

    results: Path
    figures: Path | None = None

    def tables(self, experiment):
        """Read an experiment's tables by part, None where it has not been run to its end."""
        stamp = self.stamp(experiment)
        if stamp is None:
            return None
        return {part: tables.from_csv((self.results / name).read_bytes()) for part, name in stamp["tables"].items()}

    def stamp(self, experiment):
        """Return what the last whole run has left, None where a file of it is missing or is not what was written."""
        try:
            stamp = json.loads((self.results / f"{experiment.name}.json").read_text(encoding="utf-8"))
            for name, expected in stamp["files"].items():
                if digest_of((self.results / name).read_bytes()) != expected:
                    return None
        except (OSError, ValueError, KeyError):
            return None
        return stamp


def digest_of(content):
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


@cache
def meaning(path):
    """Return a digest of a Python file's syntax tree without docstrings: comments and layout do not change it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [line for line in node.body if not is_text(line)]
    return digest_of(ast.dump(tree).encode())


def is_text(line):
    """Whether a statement is a text alone, as a docstring is."""
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)


def engine(own):
    """Return the files of `reference` and `solvers` that a module and the shared ones import, and what those import."""
    reached, waiting = set(), [own, *SHARED]
    while waiting:
        for path in imported(waiting.pop()) - reached:
            reached.add(path)
            waiting.append(path)
    return sorted(reached)


@cache
def imported(path):
    """Return the files of `reference` and `solvers` that a file imports itself."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        module = (node.module or "").split(".")
        if node.level:
            folder = path.parents[node.level - 1]
        elif module[0] == "tploracle":
            folder, module = ROOT, module[1:]
        else:
            continue
        for parts in (module, *([*module, alias.name] for alias in node.names)):
            target = folder.joinpath(*filter(None, parts))
            for candidate in (target.with_suffix(".py"), target / "__init__.py"):
                if candidate.is_file() and candidate.relative_to(ROOT).parts[0] in ENGINE:
                    found.add(candidate)
    return frozenset(found)


def write(path, content):
    """Write a file whole or not at all."""
    write_bytes(str(path), content, "file")


def run(experiment, place, small=False, again=False, advance=lambda _done, _total: None):
    """Run an experiment unless its results are there. Returns: the seconds it took, None where it was skipped."""
    parameters = experiment.small if small else experiment.parameters
    key = experiment.digest(parameters)
    stamp = place.stamp(experiment)
    copy = place.figures / f"{experiment.name}.png" if place.figures else None
    if not again and stamp is not None and stamp["key"] == key:
        if copy is not None and not copy.exists():
            write(copy, drawing.small_png(experiment.draw(place.tables(experiment))))
        return None
    start = spent()
    files, names = {}, {}
    for part, table in experiment.measure(advance=advance, **parameters).items():
        names[part] = f"{experiment.name}{'_' if part else ''}{part}.csv"
        files[names[part]] = tables.to_csv(table)
    figure = experiment.draw({part: tables.from_csv(files[name]) for part, name in names.items()})
    files[f"{experiment.name}.png"] = drawing.png(figure, drawing.DPI)
    for name, content in files.items():
        write(place.results / name, content)
    if copy is not None:
        write(copy, drawing.small_png(figure))
    seconds = spent() - start
    stamp = {
        "key": key,
        "label": experiment.label,
        "parameters": parameters,
        "seconds": round(seconds, 1),
        "tables": names,
        "files": {name: digest_of(content) for name, content in files.items()},
    }
    write(place.results / f"{experiment.name}.json", (json.dumps(stamp, indent=1) + "\n").encode())
    return seconds


def run_all(experiments, place, small=False, again=False):
    """Run experiments in order, telling of each on standard error. Returns: how many were run."""
    done = 0
    for experiment in experiments:
        experiment.digest({})  # reads the code now: what is edited from here on is not what runs
    for number, experiment in enumerate(experiments, 1):
        head = f"[{number}/{len(experiments)}] {experiment.title} [{experiment.label}]"
        with patience(head) as advance:
            seconds = run(experiment, place, small, again, advance)
        done += seconds is not None
        print(f"{head}: {'there already' if seconds is None else f'{seconds:.1f} s'}", file=sys.stderr, flush=True)
    return done
