"""Mutants that are asked rather than tested: each in a forked child that imports the package with it.

What is asked has a name. Without a mutant it is found out which functions each name calls, and only those names that
call the changed function are asked again.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from ..children import Report, forked, together
from .judging import TIMED_OUT, Records, change
from .operators import Module, Mutant

Asked = Mapping[str, Callable[[], str]]
"""What is asked, by name: each returns an outcome as a text."""

LIMIT = 40
"""Seconds of processor time for a mutant."""

PATIENCE, LEAST_LIMIT = 10, 2.0
"""What is asked may take PATIENCE times its processor time without a mutant, and at least LEAST_LIMIT seconds."""

CRASHED = "crash"


class OutOfTime(BaseException):
    """The processor time is used up."""


def _out_of_time(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTime


class Panel:
    """What is asked of the package with each of some mutants, and the answers, which are kept.

    begin: imports the package and returns what is asked, in a child; files: the module of each source file.
    """

    def __init__(self, begin: Callable[[], Asked], every: Mapping[str, Module], records: Records, jobs: int) -> None:
        self._begin, self._every, self._records, self._jobs = begin, every, records, jobs
        self._files = {str(module.path): name for name, module in every.items()}
        self.known: dict[str, dict[str, Any]] = {}
        """For each name its outcome without a mutant, its seconds, and the functions that it calls."""

    def examine(self, mutants: Sequence[Mutant], enough: float = LIMIT) -> dict[str, dict[str, str]]:
        """Return the outcomes of each mutant by name, of the quickest names that take `enough` seconds together."""
        with TemporaryDirectory() as scratch:
            together(self._jobs, self._ask_without)
            self.known = {record["name"]: record for record in self._read("name")}
            done = {record["mutant"] for record in self._read("mutant")}
            left = [mutant for mutant in mutants if mutant.id not in done]

            def part(number: int) -> None:
                for place, mutant in enumerate(left[number :: self._jobs], 1):
                    names = self._reaching(mutant, enough)
                    found = self._ask(mutant, names, Path(scratch)) if names else {}
                    self._records.write(number, {"mutant": mutant.id, "outcomes": found})
                    unlike = {outcome for name, outcome in found.items() if outcome != self.known[name]["outcome"]}
                    print(f"{place * self._jobs}/{len(left)} {mutant.id}", *sorted(unlike), sep="\n  ", flush=True)

            together(self._jobs, part)
        outcomes = {record["mutant"]: record["outcomes"] for record in self._read("mutant")}
        return {mutant.id: outcomes[mutant.id] for mutant in mutants}

    def _read(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self._records.read() if kind in record]

    def _reaching(self, mutant: Mutant, enough: float) -> list[str]:
        function = f"{mutant.module}:{mutant.function}"
        names = [name for name, one in self.known.items() if mutant.function is None or function in one["called"]]
        names.sort(key=lambda name: self.known[name]["seconds"])
        spent = accumulate(self.known[name]["seconds"] for name in names)
        return [
            name for number, (name, all_) in enumerate(zip(names, spent, strict=True)) if not number or all_ < enough
        ]

    def _ask_without(self, worker: int) -> None:
        """Ask without a mutant what has not been asked yet, each in a child of its own, as values may be cached."""
        asked = {record["name"] for record in self._read("name")}
        every, _ = forked(lambda report: report(list(self._quietly())))
        for name in sorted({*every[0]} - asked)[worker :: self._jobs]:  # type: ignore[misc]

            def work(report: Report, name: str = name) -> None:
                ask, called = self._quietly()[name], set[str]()

                def entered(frame: FrameType, event: str, _argument: object) -> None:
                    if event == "call" and (module := self._files.get(frame.f_code.co_filename)) is not None:
                        called.add(f"{module}:{frame.f_code.co_qualname.partition('.<locals>')[0]}")

                threading.setprofile(entered)
                sys.setprofile(entered)
                start = time.process_time()
                outcome = ask()
                seconds = time.process_time() - start
                sys.setprofile(None)
                report({"name": name, "seconds": seconds, "outcome": outcome, "called": sorted(called)})

            said, _ = forked(work)
            if not said:
                raise SystemExit(f"{name}: no answer without a mutant")
            self._records.write(worker, said[0])  # type: ignore[arg-type]

    def _quietly(self) -> Asked:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the whole process
        signal.signal(signal.SIGVTALRM, _out_of_time)
        return self._begin()

    def _ask(self, mutant: Mutant, names: Sequence[str], scratch: Path) -> dict[str, str]:
        module = self._every[mutant.module]

        def work(report: Report) -> None:
            change({module.path: module.compiled(mutant)}, scratch / str(os.getpid()))
            try:
                asked = self._quietly()
            except Exception as error:  # noqa: BLE001 - a mutant may raise anything
                report({name: f"{CRASHED}: {type(error).__name__}" for name in names})
                return
            for name in names:
                signal.setitimer(signal.ITIMER_VIRTUAL, max(LEAST_LIMIT, PATIENCE * self.known[name]["seconds"]))
                try:
                    outcome = asked[name]()
                except OutOfTime:
                    outcome = TIMED_OUT
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                report({name: outcome})

        said, out_of_time = forked(work, LIMIT)
        found = dict.fromkeys(names, TIMED_OUT if out_of_time else f"{CRASHED}: process")
        for each in said:
            found |= each  # type: ignore[operator]
        return found
