"""Judging mutants: which tests each is tried with, in which order, and in how many processes."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from . import session
from .operators import Module, Mutant, modules
from .records import Explanation, Suite, Traces, Verdicts, digest, read_explanations, source_digest
from .session import KILLED, SURVIVED, Outcome, Plugin

ROOT = Path(__file__).resolve().parent.parent.parent

SOON = 4.0
"""A mutant that is explained is tried with the tests that would tell soonest, this many seconds of them (traced)."""

RECENT = 6
"""How many of the tests that killed the mutants just before are tried first."""


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

    @cached_property
    def traces(self) -> Traces:
        """What the tests run."""
        return Traces(self.build, map(Path, self.files), self.suite)

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


class Worker:
    """Judges some of the mutants: either those in functions, from one collection of the tests, or all others."""

    def __init__(self, run: Run, in_functions: bool, number: int, of: int) -> None:
        self.run = run
        self.verdicts = run.verdicts(number)
        self.traces = run.traces.all()
        self.in_functions = in_functions
        self.waiting = [
            mutant
            for mutant in run.mutants[number::of]
            if (mutant.function is not None) == in_functions and self.verdicts.of(mutant.id, run.partly(mutant)) is None
        ]
        self.recent: list[str] = []
        self.done = 0

    def work(self) -> None:
        """Judge all that wait."""
        if not self.in_functions:
            for mutant in self.waiting:
                self._judge(mutant, lambda tests, mutant=mutant: self._imported(mutant, tests))
        elif self.waiting:
            self.run.collected(lambda items, plugin: self._exchange(self.waiting, items, plugin))

    def _exchange(self, mutants: Sequence[Mutant], items: list[pytest.Item], plugin: Plugin) -> None:
        by_id = {item.nodeid: item for item in items}
        alive = session.functions(list(self.run.files))

        def exchanged(mutant: Mutant, tests: Sequence[str]) -> Outcome:
            put = session.exchanged(self.run.every[mutant.module], mutant, alive)

            def work(report: Callable[[object], None]) -> None:
                put()
                session.judge([by_id[test] for test in tests], self._limits(tests), plugin, report)

            return session.outcome(work, tests, self._limit(tests))

        for mutant in mutants:
            self._judge(mutant, lambda tests, mutant=mutant: exchanged(mutant, tests))

    def _imported(self, mutant: Mutant, tests: Sequence[str]) -> Outcome:
        def work(report: Callable[[object], None]) -> None:
            def use(items: list[pytest.Item], plugin: Plugin) -> None:
                by_id = {item.nodeid: item for item in items}
                session.judge([by_id[test] for test in tests], self._limits(tests), plugin, report)

            devnull = os.open(os.devnull, os.O_WRONLY)
            os.dup2(devnull, 1)
            module = self.run.every[mutant.module]
            with TemporaryDirectory() as scratch:
                session.change({module.path: module.compiled(mutant)}, Path(scratch) / "changed")
                self.run.collected(use)

        return session.outcome(work, tests, self._limit(tests))

    def _limits(self, tests: Sequence[str]) -> list[float]:
        return [session.SECONDS + session.PATIENCE * self.traces[test].seconds for test in tests]

    def _limit(self, tests: Sequence[str]) -> float:
        return session.START + session.PATIENCE_IN_ALL * sum(self.traces[test].seconds for test in tests)

    def _judge(self, mutant: Mutant, judged: Callable[[Sequence[str]], Outcome]) -> None:
        tests = self._chosen(mutant)
        outcome = judged(tests) if tests else Outcome(SURVIVED)
        file = None if outcome.test is None else self.traces[outcome.test].file
        self.verdicts.write(mutant.id, outcome, file, self.run.partly(mutant))
        if outcome.test is not None:
            self.recent = [outcome.test, *(test for test in self.recent if test != outcome.test)][:RECENT]
        self.done += 1
        note = f"{outcome.verdict}: {mutant.id}" if outcome.verdict != KILLED else ""
        if note or self.done % 50 == 0:
            print(f"{self.done}/{len(self.waiting)} {note}", flush=True, file=sys.__stdout__)

    def _chosen(self, mutant: Mutant) -> list[str]:
        """Return the tests that reach the mutant, those first that will tell soonest."""
        unseen = self.verdicts.unseen(mutant.id, self.run.partly(mutant))
        where = places(mutant, self.run.every)
        naming = self.run.suite.naming(mutant.constant)
        tests = [
            test
            for test, traced in self.traces.items()
            if traced.file in unseen
            and (traced.file in naming or any(lines & traced.lines.get(name, set()) for name, lines in where))
        ]
        first = [self.verdicts.last_killer(mutant.id), *self.recent]

        def rank(test: str) -> tuple[int, float]:
            own = Path(self.traces[test].file).stem.startswith(f"test_{Path(mutant.module).name}")
            return first.index(test) if test in first else len(first), self.traces[test].seconds * (1 if own else 3)

        tests.sort(key=rank)
        if self.run.partly(mutant):
            spent = accumulate(self.traces[test].seconds for test in tests)
            tests = [test for test, seconds in zip(tests, spent, strict=True) if seconds <= SOON]
        return tests


def places(mutant: Mutant, every: Mapping[str, Module]) -> list[tuple[str, set[int]]]:
    """Return the lines, by module, of which a test that can notice the mutant runs one."""
    if mutant.function is not None:
        return [(mutant.module, set(mutant.lines))]
    found = [(name, module.uses(mutant.constant)) for name, module in every.items() if mutant.constant]
    if not any(lines for _, lines in found) or any(None in lines for _, lines in found):  # imports use it
        return [(mutant.module, set(range(1, every[mutant.module].length + 1)))]
    return [(name, {line for line in lines if line is not None}) for name, lines in found]


def traced(run: Run) -> None:
    """Trace the tests that are new or changed, in a child. Raises: SystemExit where one fails without a mutant."""
    traces = run.traces
    if not traces.missing:
        return
    print("running the tests without a mutant ...", flush=True)

    def work(report: Callable[[object], None]) -> None:
        def use(items: list[pytest.Item], plugin: Plugin) -> None:
            try:
                for path in sorted(traces.missing):
                    chosen = [item for item in items if str(item.path.resolve()) == path]
                    traces.add(path, session.trace(chosen, plugin, run.files))
                report("traced")
            except RuntimeError as error:
                report(str(error))

        run.collected(use)

    said, _ = session.forked(work, None)
    if said != ["traced"]:
        print(*said, file=sys.stderr)
        sys.exit(2)
    traces.read()


def worked(run: Run, jobs: int) -> None:
    """Judge the mutants in so many processes."""
    for in_functions in (True, False):
        together(jobs, lambda number, inside=in_functions: Worker(run, inside, number, jobs).work())


def together(jobs: int, part: Callable[[int], None]) -> None:
    """Do the parts of some work in processes. Raises: SystemExit where one fails."""
    children = []
    for number in range(jobs):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                part(number)
                status = 0
            except BaseException:
                traceback.print_exc()
                raise
            finally:
                sys.stdout.flush()
                os._exit(status)
        children.append(child)
    ended = [os.waitpid(child, 0)[1] for child in children]
    if any(ended):
        sys.exit(2)
