"""Judging mutants: which tests each is tried with, in which order, and in how many processes."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, groupby
from pathlib import Path

import pytest

from . import session
from .marks import Mark, Ran, instrumented
from .operators import Module, Mutant, modules
from .records import Explanation, Suite, Verdicts, digest, read_explanations, source_digest
from .session import KILLED, SURVIVED, Outcome, Plugin, together

ROOT = Path(__file__).resolve().parent.parent.parent

SOON = 4.0
"""A mutant that is explained is tried with the tests that would tell soonest, this many seconds of them."""

RECENT = 6
"""How many of the tests that killed the mutants just before are tried first."""

LONG = 900.0
"""Seconds of processor time for the tests of one function without a mutant."""


def base(sources: Sequence[Path]) -> Path:
    """Return the folder from which on modules are named by their paths."""
    return sources[0] if len(sources) == 1 else Path(os.path.commonpath(sources))


def read(sources: Sequence[Path]) -> dict[str, Module]:
    """Return the modules of some folders by name."""
    return {module.name: module for source in sources for module in modules(source, base(sources))}


@dataclass(frozen=True)
class Run:
    """Where everything is, which modules there are, and which mutants are asked for."""

    sources: tuple[Path, ...]
    tests: Path
    build: Path
    survivors: Path
    every: Mapping[str, Module]
    mutants: tuple[Mutant, ...] = ()
    whole: bool = False
    quick: bool = False

    @property
    def base(self) -> Path:
        """Where the names of modules begin."""
        return base(self.sources)

    @cached_property
    def explanations(self) -> dict[str, Explanation]:
        """The explained survivors."""
        return read_explanations(self.survivors)

    @cached_property
    def suite(self) -> Suite:
        """The tests as they are at the start."""
        return Suite(self.tests)

    def verdicts(self, worker: int = 0) -> Verdicts:
        """Return the verdicts so far."""
        return Verdicts(self.build, source_digest(map(Path, self.files)), self.suite, worker)

    def partly(self, mutant: Mutant) -> bool:
        """Whether a mutant is tried only with the tests that would tell soonest: it is explained, or all are."""
        return self.quick or mutant.id in self.explanations

    @property
    def files(self) -> dict[str, str]:
        """The module of each source file."""
        paths = [path for source in self.sources for path in sorted(source.rglob("*.py"))]
        return {str(path): path.relative_to(self.base).with_suffix("").as_posix() for path in paths}

    def collected(self, use: Callable[[list[pytest.Item], Plugin], None], paths: Sequence[str] = ()) -> int:
        """Collect the tests, or those of some files, and hand them over."""
        return session.collected(ROOT, paths or [str(self.tests)], use)


def drawn(sources: Sequence[Path], mutants: Sequence[Mutant], size: int) -> tuple[Mutant, ...]:
    """Draw so many mutants, always the same ones, and of each source as large a share."""
    chosen: set[str] = set()
    for source in sources:
        names = {module.name for module in modules(source, base(sources))}
        own = sorted((mutant.id for mutant in mutants if mutant.module in names), key=digest)
        chosen.update(own[: -(-len(own) * size // len(mutants))])
    return tuple(mutant for mutant in mutants if mutant.id in chosen)


@dataclass(frozen=True)
class Test:
    """A test as it was traced: its seconds of processor time, and the marks that it runs as bits."""

    id: str
    file: str
    seconds: float
    marks: int

    @property
    def function(self) -> str:
        """The test without its parameters."""
        return self.id.partition("[")[0]


def whole(said: list[object]) -> list[object]:
    """Return what a child said that came to its end, which it says by None. Raises: SystemExit."""
    if said[-1:] != [None]:
        raise SystemExit("the tests cannot be collected, or a process that runs them has failed")
    return said


class Traces:
    """The marks that each test runs, kept by test file while its text is the same, and what else is given.

    failing: the tests that fail without a mutant; slow: those with this mark.
    """

    def __init__(self, run: Run, scratch: Path, *others: str) -> None:
        self._run, self.scratch = run, scratch
        self.marks: list[Mark] = []
        self._codes = {}
        for module in run.every.values():
            own, self._codes[module.path] = instrumented(module, len(self.marks))
            self.marks += own
        names = {path: os.path.relpath(path, run.base) for path in run.suite.files}
        self._kept = {path: run.build / "traces" / f"{digest(name, run.suite.files[path], *others)}.json"
                      for path, name in names.items()}  # fmt: skip
        self.in_imports: set[tuple[str, str]] = set()
        self.tests: list[Test] = []
        self.failing: set[str] = set()
        self.slow: set[str] = set()

    def take(self, jobs: int) -> None:
        """Run the tests of new and changed files without a mutant, in as many processes, and read all traces."""

        def work(report: Callable[[object], None]) -> None:
            ran = Ran(self.scratch / "ran", len(self.marks))
            session.change(self._codes, self.scratch / "changed", self.scratch / "ran")

            def use(items: list[pytest.Item], plugin: Plugin) -> None:
                slow = [item.nodeid for item in items if item.get_closest_marker("slow")]
                report([ran.taken(), [item.nodeid for item in items], slow])
                gc.freeze()

                def part(number: int) -> None:
                    own = self.scratch / f"ran-{number}"
                    mine = Ran(own, len(self.marks))
                    session.change(self._codes, self.scratch / f"changed-{number}", own)
                    for path in sorted(self._kept)[number::jobs]:
                        self._add(path, [item for item in items if str(item.path.resolve()) == path], plugin, mine)

                together(jobs, part)
                report(None)

            self._run.collected(use)

        found, tests, slow = whole(session.forked(work, None)[0])[0]
        self.in_imports = {(self.marks[n].module, self.marks[n].function) for n in found}
        self._read(set(tests))
        self.failing, self.slow = set(tests) - {test.id for test in self.tests}, set(slow)

    def _add(self, path: str, items: list[pytest.Item], plugin: Plugin, ran: Ran) -> None:
        file = self._kept[path]
        kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"marks": [], "tests": {}}
        numbers = {name: number for number, name in enumerate(kept["marks"])}
        missing = [item for item in items if item.nodeid not in kept["tests"]]
        for _, grouped in groupby(missing, key=lambda item: item.nodeid.partition("[")[0]):
            same = list(grouped)

            def work(report: Callable[[object], None], same: Sequence[pytest.Item] = same) -> None:
                session.silence(plugin)
                for item in same:
                    ran.taken()
                    plugin.failed = False
                    before = sum(os.times()[:4])
                    session.run(item)
                    if not plugin.failed:
                        report([item.nodeid, sum(os.times()[:4]) - before, ran.taken()])

            for test, seconds, found in session.forked(work, LONG)[0]:
                marks = [numbers.setdefault(self.marks[number].name, len(numbers)) for number in found]
                kept["tests"][test] = [seconds, marks]
        if missing:
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part")
            part.write_text(json.dumps({"marks": list(numbers), "tests": kept["tests"]}), encoding="utf-8")
            part.replace(file)
            seconds = sum(seconds for seconds, _ in kept["tests"].values())
            print(f"{Path(path).name}: {seconds:.0f} s", flush=True, file=sys.__stdout__)

    def _read(self, tests: set[str]) -> None:
        numbers = {mark.name: 1 << number for number, mark in enumerate(self.marks)}
        functions: dict[tuple[str, str], int] = defaultdict(int)
        for mark in self.marks:
            functions[mark.module, mark.function] |= numbers[mark.name]
        for path, file in self._kept.items():
            if not file.exists():  # it has no tests
                continue
            kept = json.loads(file.read_text(encoding="utf-8"))
            # Of a function that has changed since, all may be run.
            bits = [numbers.get(name) or functions[tuple(name.split(":")[:2])] for name in kept["marks"]]
            for test, (seconds, found) in kept["tests"].items():
                marks = 0
                for number in found:
                    marks |= bits[number]
                if test in tests:
                    self.tests.append(Test(test, path, seconds, marks))

    def needed(self, mutant: Mutant) -> int:
        """Return the marks of which a test that can notice a mutant runs one."""
        bits = 0
        for name, lines in places(mutant, self._run.every):
            own = [(number, mark) for number, mark in enumerate(self.marks) if mark.module == name]
            within = [(number, mark) for number, mark in own if mutant.function in (None, mark.function)]
            for line in lines:
                before = [(mark.line, number) for number, mark in within if mark.line <= line]
                bits |= 1 << max(before)[1] if before else 0
        return bits


def places(mutant: Mutant, every: Mapping[str, Module]) -> list[tuple[str, set[int]]]:
    """Return the lines, by module, of which a test that can notice the mutant runs one."""
    if mutant.function is not None:
        return [(mutant.module, set(mutant.lines))]
    found = [(name, module.uses(mutant.constant)) for name, module in every.items() if mutant.constant]
    if not any(lines for _, lines in found) or any(None in lines for _, lines in found):  # imports use it
        return [(mutant.module, set(range(1, every[mutant.module].length + 1)))]
    return [(name, {line for line in lines if line is not None}) for name, lines in found]


def tried(tests: Sequence[Test], put: Callable[[], None], items: Mapping[str, pytest.Item], plugin: Plugin) -> Outcome:
    """Run tests that are collected in a child, with what is put in place."""

    def work(report: Callable[[object], None]) -> None:
        put()
        _judge(tests, [items[test.id] for test in tests], plugin, report)

    return _outcome(work, tests)


def tried_anew(tests: Sequence[Test], put: Callable[[], None], run: Run) -> Outcome:
    """Run tests in a child that collects them for itself, so that imports find what is put in place."""

    def work(report: Callable[[object], None]) -> None:
        def use(items: list[pytest.Item], plugin: Plugin) -> None:
            # Of a file that is collected alone, outside the root, pytest shortens the path in the id.
            named = {(str(item.path.resolve()), item.nodeid.partition("::")[2]): item for item in items}
            _judge(tests, [named[test.file, test.id.partition("::")[2]] for test in tests], plugin, report)

        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        put()
        run.collected(use, sorted({test.file for test in tests}))

    return _outcome(work, tests)


def _judge(
    tests: Sequence[Test], items: Sequence[pytest.Item], plugin: Plugin, report: Callable[[object], None]
) -> None:
    session.judge(items, [session.SECONDS + session.PATIENCE * test.seconds for test in tests], plugin, report)


def _outcome(work: Callable[[Callable[[object], None]], None], tests: Sequence[Test]) -> Outcome:
    limit = session.START + session.PATIENCE_IN_ALL * sum(test.seconds for test in tests)
    return session.outcome(work, [test.id for test in tests], limit)


class Worker:
    """Judges some of the mutants: either those in functions, from one collection of the tests, or all others."""

    def __init__(self, run: Run, traces: Traces, in_functions: bool, number: int, of: int) -> None:
        self.run, self.traces, self.in_functions = run, traces, in_functions
        self.verdicts = run.verdicts(number)
        self.waiting = [
            mutant
            for mutant in run.mutants[number::of]
            if (mutant.function is not None) == in_functions and self.verdicts.of(mutant.id, run.partly(mutant)) is None
        ]
        self.recent: list[str] = []
        self.done = 0

    def work(self) -> None:
        """Judge all that wait."""
        if self.in_functions and self.waiting:
            self.run.collected(self._exchange)
        for mutant in [] if self.in_functions else self.waiting:
            module = self.run.every[mutant.module]
            codes, kept = {module.path: module.compiled(mutant)}, self.traces.scratch / f"changed-{os.getpid()}"
            put = partial(session.change, codes, kept)
            self._judge(mutant, lambda tests, put=put: tried_anew(tests, put, self.run))

    def _exchange(self, items: list[pytest.Item], plugin: Plugin) -> None:
        by_id, alive = {item.nodeid: item for item in items}, session.functions(list(self.run.files))
        for mutant in self.waiting:
            put = session.exchanged(self.run.every[mutant.module], mutant, alive)
            self._judge(mutant, lambda tests, put=put: tried(tests, put, by_id, plugin))

    def _judge(self, mutant: Mutant, judged: Callable[[Sequence[Test]], Outcome]) -> None:
        tests = self._chosen(mutant)
        outcome = judged(tests) if tests else Outcome(SURVIVED)
        file = next((test.file for test in tests if test.id == outcome.test), None)
        self.verdicts.write(mutant.id, outcome, file, self.run.partly(mutant))
        if outcome.test is not None:
            self.recent = [outcome.test, *(test for test in self.recent if test != outcome.test)][:RECENT]
        self.done += 1
        note = f"{outcome.verdict}: {mutant.id}" if outcome.verdict != KILLED else ""
        if note or self.done % 50 == 0:
            print(f"{self.done}/{len(self.waiting)} {note}", flush=True, file=sys.__stdout__)

    def _chosen(self, mutant: Mutant) -> list[Test]:
        """Return the tests that reach the mutant, those first that will tell soonest."""
        unseen = self.verdicts.unseen(mutant.id, self.run.partly(mutant))
        needed, naming = self.traces.needed(mutant), self.run.suite.naming(mutant.constant)
        tests = [
            test for test in self.traces.tests if test.file in unseen and (test.marks & needed or test.file in naming)
        ]
        first = [self.verdicts.last_killer(mutant.id), *self.recent]

        def rank(test: Test) -> tuple[int, float]:
            own = Path(test.file).stem.startswith(f"test_{Path(mutant.module).name}")
            return first.index(test.id) if test.id in first else len(first), test.seconds * (1 if own else 3)

        tests.sort(key=rank)
        if self.run.partly(mutant):
            spent = accumulate(test.seconds for test in tests)
            tests = [test for test, seconds in zip(tests, spent, strict=True) if seconds <= SOON]
        return tests


def worked(run: Run, jobs: int, scratch: Path) -> None:
    """Judge the mutants in so many processes. Raises: SystemExit where a test fails without a mutant."""
    print("running the tests that are new or changed without a mutant ...", flush=True)
    traces = Traces(run, scratch, source_digest(map(Path, run.files)), run.suite.helpers)
    traces.take(jobs)
    if traces.failing:
        print(f"{min(traces.failing)} fails without a mutant", file=sys.stderr)
        sys.exit(2)
    for in_functions in (True, False):
        together(jobs, lambda number, inside=in_functions: Worker(run, traces, inside, number, jobs).work())
