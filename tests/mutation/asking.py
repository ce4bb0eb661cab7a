"""What is asked of the package with each mutant: each in a forked child that imports the package with it.

What is asked has a name, and belongs to a group that is asked in one process. Without a mutant it is found out which
functions each name calls, and only the names that call the changed function are asked again. Where the first other
outcome decides, a child that has imported the package as it is puts the changed code into its functions first, which
takes no time; only a mutant that survives this, or that importing the package runs, is imported.
"""

from __future__ import annotations

import gc
import json
import marshal
import os
import runpy
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType, FunctionType
from typing import Any

from ..children import Report, forked, together
from .operators import Module, Mutant

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build" / "mutation"

SITE = Path(__file__).parent / "site"
"""The folder of the module that Python imports first in the programs that a child starts."""

Asked = Mapping[str, Callable[[], str]]
"""What is asked, by name: each returns an outcome as a text."""

Begin = Callable[[Sequence[str], Callable[[Asked], None]], object]
"""Imports the package in a child, and hands over what some groups ask."""

PATIENCE, LEAST_LIMIT = 5, 2.0
"""A name may take PATIENCE times its processor time without a mutant, and LEAST_LIMIT seconds."""

START = 20.0
"""Seconds of processor time for what a child does before the first answer."""

CRASHED, TIMED_OUT, SLOW = "crash", "timed out", " (slow)"
"""Two outcomes, and the end of a name that has seconds of its own."""


class OutOfTime(BaseException):
    """The processor time is used up."""


def _out_of_time(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTime


def digest(*texts: str) -> str:
    """Return a short digest of texts."""
    return sha256("\0".join(texts).encode()).hexdigest()[:16]


def digest_of(*places: Path) -> str:
    """Return a short digest of some sources: files, or all in a folder."""
    paths = (path for place in places for path in ([place] if place.is_file() else sorted(place.rglob("*.py"))))
    return digest(*(path.read_text("utf-8") for path in paths))


class Panel:
    """What is asked of the package with each of some mutants, and the answers, which are kept under a key.

    enough: seconds of the quickest names that a mutant is tried with; first: whether the first other outcome decides.
    """

    def __init__(
        self,
        begin: Begin,
        groups: Sequence[str],
        modules: Sequence[Module],
        kept: Path,
        jobs: int,
        *,
        enough: float = 40.0,
        first: bool = False,
    ) -> None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        self._begin, self._groups, self._kept, self._jobs = begin, groups, kept, jobs
        self._enough, self._first, self._screen = enough, first, os.dup(1)
        self._modules = {module.name: module for module in modules}
        self._files = {str(module.path): name for name, module in self._modules.items()}
        self.known: dict[str, dict[str, Any]] = {}
        """For each name its outcome without a mutant, its seconds, and the functions that it calls."""

    def examine(self, mutants: Sequence[Mutant]) -> dict[str, dict[str, str]]:
        """Return the outcomes of each mutant by name."""
        together(self._jobs, self._ask_without)
        self.known = {one["name"]: one for record in self._read("group") for one in record["names"]}
        with TemporaryDirectory() as scratch:
            for ask in [self._ask_all_at_once] * self._first + [self._ask_each]:
                done = {record["mutant"] for record in self._read("mutant")}
                left = [mutant for mutant in mutants if mutant.id not in done]
                together(self._jobs, partial(ask, left, Path(scratch)))
        outcomes = {record["mutant"]: record["outcomes"] for record in self._read("mutant")}
        return {mutant.id: outcomes[mutant.id] for mutant in mutants}

    def _ask_each(self, left: Sequence[Mutant], scratch: Path, worker: int) -> None:
        """Ask with each mutant in a child that imports the package with it."""
        for place, mutant in enumerate(left[worker :: self._jobs], 1):
            names = self._reaching(mutant)
            found = self._ask(mutant, names, scratch) if names else {}
            self._note(worker, f"{place * self._jobs}/{len(left)}", mutant, found)

    def _ask_all_at_once(self, left: Sequence[Mutant], scratch: Path, worker: int) -> None:
        """Ask with each mutant in a copy of one child, by the changed code alone; note those with another outcome."""

        def use(asked: Asked) -> None:
            functions: dict[tuple[str, str, int], list[FunctionType]] = {}
            for one in gc.get_objects():
                if isinstance(one, FunctionType) and (code := one.__code__).co_filename in self._files:
                    key = self._files[code.co_filename], code.co_qualname, code.co_firstlineno
                    functions.setdefault(key, []).append(one)
            for place, mutant in enumerate(left[worker :: self._jobs], 1):
                codes = {(mutant.module, code.co_qualname, code.co_firstlineno): code
                         for code in _within_code(self._compiled(mutant, scratch))
                         if code.co_qualname == mutant.function}  # fmt: skip
                changed = [(one, code) for key, code in codes.items() for one in functions.get(key, ())]
                names = self._reaching(mutant)
                if not changed or not names:
                    continue

                def work(report: Report, names: list[str] = names, changed: Any = changed) -> None:
                    for one, code in changed:
                        one.__code__ = code
                    self._ask_in_turn(asked, names, report)

                found = self._outcomes(work, names)
                if self.unlike(found):
                    self._note(worker, f"{place * self._jobs}/{len(left)}", mutant, found)

        forked(lambda _: self._child(self._groups, use))

    def _note(self, worker: int, place: str, mutant: Mutant, found: Mapping[str, str]) -> None:
        self._write(worker, {"mutant": mutant.id, "outcomes": found})
        os.write(self._screen, "\n  ".join([f"{place} {mutant.id}", *self.unlike(found)]).encode() + b"\n")

    def unlike(self, found: Mapping[str, str]) -> dict[str, str]:
        """Return the outcomes that differ from those without a mutant."""
        return {name: outcome for name, outcome in found.items() if outcome != self.known[name]["outcome"]}

    def _read(self, kind: str) -> Iterator[dict[str, Any]]:
        """Yield what all workers have written, but for a line that an interruption cut short."""
        for path in sorted(self._kept.parent.glob(f"{self._kept.name}-*.jsonl")):
            records = (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.endswith("}"))
            yield from (record for record in records if kind in record)

    def _write(self, worker: int, record: Mapping[str, object]) -> None:
        with self._kept.with_name(f"{self._kept.name}-{worker}.jsonl").open("a", encoding="utf-8") as file:
            file.write("\n" * bool(file.tell()) + json.dumps(record))

    def _reaching(self, mutant: Mutant) -> list[str]:
        """Return the quickest names that call the changed function, or one of its module where importing runs it."""
        called = f"{mutant.module}:{mutant.function or ''}"
        names = [
            name
            for name, one in self.known.items()
            if called in one["called"] or (called.endswith(":") and any(c.startswith(called) for c in one["called"]))
        ]
        chosen: list[str] = []
        for slow in (False, True):
            own = [name for name in names if name.endswith(SLOW) == slow]
            own.sort(key=lambda name: self.known[name]["seconds"])
            times = Counter[str]()
            turn = {name: times.update([name.partition("[")[0]]) or times[name.partition("[")[0]] for name in own}
            own.sort(key=lambda name: turn[name])
            spent = list(accumulate(self.known[name]["seconds"] for name in own))
            chosen += [name for place, name in enumerate(own) if not place or spent[place] <= self._enough]
        return chosen

    def _child(self, groups: Sequence[str], use: Callable[[Asked], None]) -> None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the whole process
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        signal.signal(signal.SIGVTALRM, _out_of_time)
        self._begin(groups, use)

    def _ask_without(self, worker: int) -> None:
        """Ask without a mutant what has not been asked yet."""
        asked = {record["group"] for record in self._read("group")}
        for group in [group for group in self._groups if group not in asked][worker :: self._jobs]:

            def work(report: Report, group: str = group) -> None:
                self._child([group], lambda asked: report([self._noted(name, ask) for name, ask in asked.items()]))

            said, _ = forked(work)
            if not said:
                raise SystemExit(f"{group}: no answer without a mutant")
            self._write(worker, {"group": group, "names": said[0]})
            print(group, flush=True)

    def _noted(self, name: str, ask: Callable[[], str]) -> dict[str, object]:
        """Ask, and note what is called."""
        called = set[str]()

        def entered(frame: FrameType, event: str, _argument: object) -> None:
            if event == "call" and (module := self._files.get(frame.f_code.co_filename)) is not None:
                called.add(f"{module}:{frame.f_code.co_qualname.partition('.<locals>')[0]}")

        threading.setprofile(entered)
        sys.setprofile(entered)
        start = time.process_time()
        outcome = ask()
        seconds = time.process_time() - start
        sys.setprofile(None)
        return {"name": name, "outcome": outcome, "seconds": seconds, "called": sorted(called)}

    def _ask(self, mutant: Mutant, names: Sequence[str], scratch: Path) -> dict[str, str]:
        groups = [record["group"] for record in self._read("group")
                  if {one["name"] for one in record["names"]} & set(names)]  # fmt: skip

        def work(report: Report) -> None:
            self._compiled(mutant, scratch)
            runpy.run_path(str(SITE / "sitecustomize.py"))
            self._child(groups, lambda asked: self._ask_in_turn(asked, names, report))

        return self._outcomes(work, names)

    def _compiled(self, mutant: Mutant, scratch: Path) -> CodeType:
        """Return the code of a mutant's module, which programs that are started from now on import as well."""
        module, kept = self._modules[mutant.module], scratch / str(os.getpid())
        compiled = module.compiled(mutant)
        kept.write_bytes(marshal.dumps({str(module.path): compiled}))
        paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != str(SITE)]
        os.environ |= {"TPLORACLE_CHANGED": str(kept), "PYTHONPATH": os.pathsep.join([str(SITE), *paths])}
        return compiled

    def _ask_in_turn(self, asked: Asked, names: Sequence[str], report: Report) -> None:
        """Report the outcome of each name, until one decides where the first does."""
        for name in names:
            outcome = self._within(asked[name], LEAST_LIMIT + PATIENCE * self.known[name]["seconds"])
            report({name: outcome})
            if self._first and outcome != self.known[name]["outcome"]:
                return

    def _outcomes(self, work: Callable[[Report], None], names: Sequence[str]) -> dict[str, str]:
        """Return what a child says of each name; the first that it says nothing of has timed out, or crashed."""
        said, out_of_time = forked(work, START + 2 * sum(self.known[name]["seconds"] for name in names))
        found: dict[str, str] = {}
        for each in said:
            found |= each  # type: ignore[operator]
        decided = self._first and self.unlike(found)
        missing = () if decided else [name for name in names if name not in found][: 1 if self._first else None]
        return found | dict.fromkeys(missing, TIMED_OUT if out_of_time else f"{CRASHED}: process")

    @staticmethod
    def _within(ask: Callable[[], str], limit: float) -> str:
        signal.setitimer(signal.ITIMER_VIRTUAL, limit)
        try:
            return ask()
        except OutOfTime:
            return TIMED_OUT
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _within_code(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of all functions and classes of a module."""
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from _within_code(part)


# Reports


def table(title: str, counts: Mapping[str, Counter[str]], columns: Sequence[str]) -> list[str]:
    """Return the lines of a table of counts by name, with their sum."""
    rows = {**counts, "all": sum(counts.values(), Counter[str]())}
    return [
        f"| {title} | number | {' | '.join(columns)} |",
        "|---|" + "---:|" * (len(columns) + 1),
        *(f"| {name} | {row.total()} | {' | '.join(str(row[c]) for c in columns)} |" for name, row in rows.items()),
    ]


def publish(page: Path, lines: Sequence[str], name: str) -> None:
    """Put lines between the two marks of a name on a page."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name}: begin -->")
    end = f"<!-- {name}: end -->"
    page.write_text("\n".join([before + begin, "", *lines, "", end + rest.partition(end)[2]]), encoding="utf-8")
