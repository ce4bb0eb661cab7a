"""How much of what all tests kill the quick ones kill: `make mutants ACROSS=yes SAMPLE=300`.

Each mutant of a sample is tried first alone, with seconds of those quick tests that reach it and would tell soonest.
Then every quick test and after them every slow one is run with all mutants at once that it reaches and that survive;
only where it fails they are tried in halves. What the import of its module runs is tried alone, with seconds of tests.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from . import session
from .judging import RECENT, ROOT, Run, Test, Traces, tried, tried_anew, whole
from .operators import Mutant
from .records import digest, source_digest
from .session import SURVIVED, Outcome, Plugin, together

PLACES = tuple(
    ROOT / place for place in ("reference", "solvers", "oracle/contract", "oracle/wire", "oracle/conformance")
)

SHARE = 0.97
"""What the quick tests have to kill of the mutants that any test kills."""

ALONE = 8.0
"""The seconds of tests, quick or slow, that a mutant is tried with alone."""

TOGETHER = 5.0
"""About the seconds of tests that are run in one child with many mutants."""

SAME = 5
"""How many tests of one function are tried with a mutant before others have had their turn."""

QUICK, SLOW = "quick", "slow"


def _noticed(tests: Sequence[Test], outcome: Outcome) -> Test | None:
    """Return the test that ended what was tried with tests: the first where not even that was begun."""
    if outcome.verdict == SURVIVED:
        return None
    return next((test for test in tests if test.id == outcome.test), tests[0])


class Results:
    """What killed each mutant, and the tests that all survivors were tried with; written as soon as it is known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.killed: dict[str, tuple[str, str]] = {}
        self.tried: set[str] = set()
        self.swept: set[str] = set()
        self.read()

    def read(self) -> None:
        """Read what all processes have written."""
        for line in self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else ():
            kind, name, *rest = json.loads(line)
            if kind == "killed":
                self.killed.setdefault(name, (rest[0], rest[1]))
            else:
                {"tried": self.tried, "swept": self.swept}[kind].add(name)

    def write(self, kind: str, name: str, *rest: str) -> None:
        """Add a line."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([kind, name, *rest]) + "\n")


class Judge:
    """Tries mutants with tests in forked children of a process that has collected all tests."""

    def __init__(self, across: Across, items: list[pytest.Item], plugin: Plugin) -> None:
        self.across, self.plugin = across, plugin
        self.items = {item.nodeid: item for item in items}
        self.alive = session.functions(list(across.run.files))
        self._holds: dict[Test, bool] = {}
        gc.collect()
        gc.freeze()

    def failing(self, tests: Sequence[Test], mutants: Sequence[Mutant]) -> Test | None:
        """Return the first test that fails with the mutants in place."""
        put = self.across.placed(mutants, self.alive)
        return _noticed(tests, tried(tests, put, self.items, self.plugin))

    def holds(self, test: Test) -> bool:
        """Whether a test that has noticed a mutant passes without one, here and now."""
        if test not in self._holds:
            self._holds[test] = self.failing([test], []) is None
        return self._holds[test]

    def exchanges(self, mutant: Mutant) -> bool:
        """Whether the code of a mutant's function can be exchanged."""
        try:
            self.across.placed([mutant], self.alive)
        except LookupError:
            return False
        return True

    def alone(self, mutant: Mutant, tests: Sequence[Test]) -> Test | None:
        """Return the test that kills a mutant."""
        while tests:
            test = self.failing(tests, [mutant])
            if test is None or self.holds(test):
                return test
            tests = [one for one in tests if self._holds.get(one, True)]
        return None

    def swept(self, tests: Sequence[Test], mutants: Sequence[Mutant], number: int) -> None:
        """Run tests with all mutants at once that they reach, no two in one function; note which they kill."""
        results, living = self.across.results, {mutant: self.across.traces.needed(mutant) for mutant in mutants}
        for _, same in groupby(zip(tests, accumulate(test.seconds for test in tests), strict=True),
                               key=lambda pair: pair[1] // TOGETHER):  # fmt: skip
            chunk = [test for test, _ in same]
            while chunk:
                reached = [mutant for mutant, marks in living.items() if any(marks & test.marks for test in chunk)]
                failed = self.failing(chunk, reached) if reached else None
                done = chunk[: chunk.index(failed) + 1] if failed else chunk
                if failed and self.holds(failed):
                    for mutant in self._guilty(failed, [one for one in reached if living[one] & failed.marks]):
                        self.across.tell(mutant, failed)
                        del living[mutant]
                for test in done:
                    results.write("swept", f"{number} {test.id}")
                chunk = chunk[len(done) :]

    def _guilty(self, test: Test, mutants: Sequence[Mutant]) -> Iterator[Mutant]:
        if not mutants or self.failing([test], mutants) is None:
            return
        if len(mutants) == 1:
            yield mutants[0]
            return
        for half in (mutants[::2], mutants[1::2]):
            yield from self._guilty(test, half)


class Across:
    """The measurement: a sample of mutants over several folders, and all tests."""

    def __init__(self, run: Run, scratch: Path) -> None:
        self.run, self._scratch = run, scratch
        self.traces = Traces(run, scratch)
        key = digest(
            source_digest(map(Path, run.files)),
            *run.suite.files.values(),
            run.suite.helpers,
            *(mutant.id for mutant in run.mutants),
        )
        self.results = Results(run.build / f"across-{key}.jsonl")

    def placed(self, mutants: Sequence[Mutant], alive: session.Alive | None) -> Callable[[], None]:
        """Return what puts mutants in place: in functions that are alive, and in modules yet to be imported.

        Raises: LookupError where no code can be exchanged.
        """
        codes, puts = {}, []
        for module in self.run.every.values():
            if own := [mutant for mutant in mutants if mutant.module == module.name]:
                codes[module.path] = code = module.compiled(*own)
                puts += [session.exchange(module, mutant, code, alive) for mutant in own if alive is not None]

        kept = self._scratch / f"changed-{os.getpid()}"  # one after another, the children of a process share it

        def put() -> None:
            session.change(codes, kept)
            for one in puts:
                one()

        return put

    def judge(self, jobs: int) -> None:
        """Try all mutants."""
        self.traces.take(jobs)

        def work(report: Callable[[object], None]) -> None:
            def use(items: list[pytest.Item], plugin: Plugin) -> None:
                self._in_functions(Judge(self, items, plugin), jobs)
                report(None)

            self.run.collected(use)

        whole(session.forked(work, None)[0])
        self.results.read()
        together(jobs, lambda number: self._in_imports(number, jobs))
        self.results.read()

    @property
    def _living(self) -> list[Mutant]:
        return [mutant for mutant in self.run.mutants if mutant.id not in self.results.killed]

    def _in_functions(self, judge: Judge, jobs: int) -> None:
        """Try the mutants that need no import: alone, then with all quick tests, then with all slow ones."""
        mutants = [mutant for mutant in self._living if (mutant.module, mutant.function) not in self.traces.in_imports]
        mutants = [mutant for mutant in mutants if mutant.function is not None and judge.exchanges(mutant)]

        def alone(number: int) -> None:
            recent: list[Test] = []
            for mutant in mutants[number::jobs]:
                if mutant.id not in self.results.tried:
                    killer = judge.alone(mutant, self._soonest(mutant, QUICK, recent))
                    self.tell(mutant, killer)
                    recent = ([killer] if killer else []) + recent[:RECENT]

        together(jobs, alone)
        self.results.read()
        for slow in (QUICK, SLOW):
            living = [mutant for mutant in mutants if mutant.id not in self.results.killed]
            places = [(mutant.module, mutant.function) for mutant in living]
            rounds = defaultdict(list)
            for number, mutant in enumerate(living):  # no two in one function
                rounds[places[:number].count(places[number])].append(mutant)
            tests = sorted(self._of(slow), key=lambda test: test.seconds)
            for number, some in rounds.items():
                needed = 0
                for mutant in some:
                    needed |= self.traces.needed(mutant)
                left = [
                    test for test in tests if test.marks & needed and f"{number} {test.id}" not in self.results.swept
                ]
                seconds = sum(test.seconds for test in left)
                print(
                    f"{len(some)} survivors, {len(left)} {slow} tests of {seconds:.0f} s",
                    flush=True,
                    file=sys.__stdout__,
                )
                together(jobs, lambda job, left=left, some=some, name=number: judge.swept(left[job::jobs], some, name))
            self.results.read()

    def _in_imports(self, number: int, jobs: int) -> None:
        """Try the mutants that an import may run: each alone, in a process that collects its tests for itself."""
        rest = [mutant for mutant in self._living if mutant.id not in self.results.tried]
        holds: dict[Test, bool] = {}
        for mutant in rest[number::jobs]:
            tests = [test for slow in (QUICK, SLOW) for test in self._soonest(mutant, slow, [])]
            while tests and (killer := self._imported([mutant], tests)):
                if killer not in holds:
                    holds[killer] = self._imported([], [killer]) is None
                if holds[killer]:
                    break
                tests = [test for test in tests if holds.get(test, True)]
            self.tell(mutant, killer if tests else None)

    def _imported(self, mutants: Sequence[Mutant], tests: Sequence[Test]) -> Test | None:
        return _noticed(tests, tried_anew(tests, self.placed(mutants, None), self.run))

    def tell(self, mutant: Mutant, killer: Test | None) -> None:
        """Note what killed a mutant."""
        if killer is None:
            self.results.write("tried", mutant.id)
        else:
            self.results.write("killed", mutant.id, SLOW if killer.id in self.traces.slow else QUICK, killer.id)

    def _of(self, slow: str) -> list[Test]:
        return [test for test in self.traces.tests if (test.id in self.traces.slow) == (slow == SLOW)]

    def _soonest(self, mutant: Mutant, slow: str, recent: Sequence[Test]) -> list[Test]:
        """Return seconds of tests that reach a mutant: those of its own file, and the quickest, first."""
        needed, naming = self.traces.needed(mutant), set[str]()
        if (mutant.module, mutant.function) in self.traces.in_imports or mutant.function is None:
            # Tests may see what the import has made of it, and run nothing of the module themselves.
            naming = self.run.suite.naming(mutant.constant or Path(mutant.module).name)
        tests = [test for test in self._of(slow) if test.marks & needed or test.file in naming]
        own, turn = f"test_{Path(mutant.module).name}", Counter[str]()

        def rank(test: Test) -> float:
            return 0.0 if test in recent else test.seconds * (1 if Path(test.file).stem.startswith(own) else 3)

        ranked = []
        for test in sorted(tests, key=rank):
            ranked.append((turn[test.function] // SAME, len(ranked), test))
            turn[test.function] += 1
        tests = [test for *_, test in sorted(ranked, key=lambda one: one[:2])]
        spent = accumulate(test.seconds for test in tests)
        return [
            test for number, (test, all_) in enumerate(zip(tests, spent, strict=True)) if not number or all_ <= ALONE
        ]

    def reported(self) -> int:
        """Print the figures, and what slow tests alone kill; return whether the quick ones kill enough."""
        counts: dict[str, Counter[str]] = {
            str(source.relative_to(self.run.base)): Counter() for source in self.run.sources
        }
        for mutant in self.run.mutants:
            by, test = self.results.killed.get(mutant.id, ("survived", ""))
            place = next(place for place in counts if mutant.module.startswith(f"{place}/"))
            counts[place][by] += 1
            if by != QUICK:
                print(f"{by}: {mutant.id}" + (f" [{test}]" if test else ""))
        total = sum(counts.values(), Counter())
        print("\n| | mutants | killed by quick tests | by slow ones alone | survived |\n|---|---:|---:|---:|---:|")
        for place, count in [*counts.items(), ("all", total)]:
            figures = [count.total(), count[QUICK], count[SLOW], count["survived"]]
            print(f"| {place} | " + " | ".join(map(str, figures)) + " |")
        share = total[QUICK] / max(1, total[QUICK] + total[SLOW])
        print(f"\nThe quick tests kill {share:.1%} of what any test kills.")
        if self.traces.failing:
            print("Left out, as they fail in a child without a mutant:", *sorted(self.traces.failing), sep="\n  ")
        return 0 if share >= SHARE else 1


def across(run: Run, jobs: int) -> int:
    """Measure and report; return the exit status."""
    with TemporaryDirectory() as scratch:
        one = Across(run, Path(scratch))
        one.judge(jobs)
    return one.reported()
