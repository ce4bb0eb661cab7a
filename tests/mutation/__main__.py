"""Mutation testing: `make mutants`, or `python -m tests.mutation`.

Made for this package because the kept libraries cannot do it in bearable time: mutmut names the functions of a folder
by its path and so never meets `tploracle.reference` in `reference/`, cosmic-ray starts an interpreter per mutant.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from pathlib import Path

import pytest
import pytest.__main__
from hypothesis import Phase, settings

from .asking import BUILD, ROOT, SLOW, TIMED_OUT, Asked, OutOfTime, Panel, digest, digest_of, publish, table
from .operators import Module, Mutant, modules

PLACES = [ROOT / place for place in ("reference", "solvers", "oracle/contract", "oracle/wire", "oracle/conformance")]
"""The folders of `make mutants ACROSS=yes`."""

SHARE = 0.97
"""Least share of the mutants killed by any test that the quick tests must kill."""

ENOUGH, ENOUGH_ACROSS = 120.0, 30.0
"""Seconds of quick tests, and of slow ones, that a mutant is tried with: one of a folder, one of all."""

KINDS = ("equivalent", "performance", "precaution")
"""Why a survivor may stay, as docs/mutation.md defines it."""

KILLED, SURVIVED, PASSED, FAILED = "killed", "survived", "passed", "failed"
QUICKLY, SLOWLY = "killed by quick tests", "by slow ones alone"
EXPLAINED, OPEN = "explained", "not explained"


def read_explanations(path: Path, names: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return which mutants of these names may survive, and what else is explained; `BEFORE -> *` is all of a place.

    Raises: ValueError for a file whose tables are not of `KINDS`, each a list of mutants under the reason.
    """
    document = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if wrong := [why for kind in document for why in document[kind] if kind not in KINDS or not why.strip()]:
        raise ValueError(f"{path}: not a reason under {', '.join(KINDS)}: {wrong[0]!r}")
    listed = Counter(mutant for reasons in document.values() for mutants in reasons.values() for mutant in mutants)
    found = {name: [own for own in (name, f"{name.partition(' -> ')[0]} -> *") if own in listed] for name in names}
    stale = {*listed}.difference(*found.values())
    if twice := [name for name in listed if listed[name] > 1] + [name for name in found if len(found[name]) > 1]:
        raise ValueError(f"{path}: explained twice: {twice[0]}")
    return {name for name, own in found.items() if own}, stale


@dataclass(eq=False)  # pytest keeps it in sets
class Plugin:
    """Hands the collected tests to a function instead of running them, and notes failures."""

    use: Callable[[Asked], None]
    quick: bool = False
    each: int | None = None
    outcome: str = PASSED

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        """Load a profile that does not shrink what fails, once the tests' own conftest has loaded its."""
        settings.register_profile("mutation", settings(), phases=(Phase.explicit, Phase.generate))
        settings.load_profile("mutation")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Use the tests."""
        if session.testsfailed:
            raise SystemExit("the tests cannot be collected")
        session.config.pluginmanager.unregister(name="terminalreporter")
        slow = {
            item: SLOW if {"slow", "exhaustive"} & {own.name for own in item.iter_markers()} else ""
            for item in session.items
        }
        if self.each is not None:
            by_test = groupby(session.items, key=lambda item: item.nodeid.partition("[")[0])
            session.items = [item for _, cases in by_test for item in islice(cases, self.each)]
        self.use({f"{item.path.name}::{item.nodeid.partition('::')[2]}{slow[item]}": partial(self.run, item)
                  for item in session.items if not (self.quick and slow[item])})  # fmt: skip
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        """Note a failure before it is described, which may take long."""
        expected = item.get_closest_marker("xfail") is not None
        if call.excinfo is not None and not expected and not call.excinfo.errisinstance(pytest.skip.Exception):
            self.outcome = TIMED_OUT if call.excinfo.errisinstance(OutOfTime) else FAILED
        report = yield
        if report.failed and self.outcome == PASSED:
            self.outcome = FAILED
        return report

    def run(self, item: pytest.Item) -> str:
        """Run a test with its fixtures; return the outcome."""
        self.outcome = PASSED
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return self.outcome


def collect(files: Sequence[str], use: Callable[[Asked], None], quick: bool = False, each: int | None = None) -> None:
    """Collect the tests of files, all or the quick ones, perhaps only the first cases of each, and hand them over."""
    sys.modules["__main__"] = pytest.__main__  # what spawned processes import first, as under `python -m pytest`
    options = ["-p", "no:cacheprovider", "-p", "no:xdist", "-o", "timeout=0", "-o", "addopts=", "--capture=sys"]
    options += ["-qq", "--no-header", "--no-summary", "--tb=short", "--assert=plain", "--import-mode=importlib"]
    options += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT)]
    pytest.main([*options, *files], [Plugin(use, quick, each)])


def changed(path: Path, since: str) -> set[int]:
    """Return the lines of a file that differ from those of a commit; none where git does not know it."""
    command = ["git", "diff", "--unified=0", since, "--", str(path)]
    found = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False).stdout
    places = re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", found, re.MULTILINE)
    return {line for start, count in places for line in range(int(start), int(start) + int(count or 1))}


def draw(mutants: Sequence[Mutant], number: int | None, seed: int = 0) -> list[Mutant]:
    """Draw mutants, always the same ones of a seed; all of them, in their order, for None."""
    drawn = {mutant.id for mutant in sorted(mutants, key=lambda one: digest(str(seed), one.id))[:number]}
    return [mutant for mutant in mutants if mutant.id in drawn]


def arguments(program: str) -> argparse.ArgumentParser:
    """Return the options that all three commands have."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.{program}")
    parser.add_argument("modules", nargs="*", help="only the mutants of these modules")
    parser.add_argument("--source", type=Path, action="append", help="a module, or a folder of modules (reference)")
    parser.add_argument("--sample", type=int, help="number of mutants to draw")
    parser.add_argument("--only", default="", help="only mutants whose identity contains this text")
    parser.add_argument("--jobs", type=int, default=1, help="processes that try mutants")
    parser.add_argument("--publish", type=Path, help="put the figures into this page")
    parser.add_argument("--build", type=Path, default=BUILD, help="where outcomes are kept")
    parser.add_argument("--survivors", type=Path, default=Path(__file__).with_name("survivors.toml"))
    return parser


def sources(asked: argparse.Namespace, default: Sequence[Path]) -> list[Module]:
    """Return the modules, named from the folder that holds them all. Raises: SystemExit for one that is not there."""
    paths = [path.resolve() for path in asked.source or default]
    base = Path(os.path.commonpath(paths))
    base = base.parent if base.is_file() else base
    every = [module for path in paths for module in modules(path, base)]
    if unknown := set(asked.modules) - {module.name for module in every}:
        raise SystemExit(f"no such module: {', '.join(sorted(unknown))}")
    return every


def chosen(asked: argparse.Namespace, every: Sequence[Module]) -> list[Mutant]:
    """Return the mutants of the modules that are asked for."""
    parts = [module for module in every if module.name in asked.modules or not asked.modules]
    return [mutant for module in parts for mutant in module.mutants if asked.only in mutant.id]


def judged(found: Mapping[str, str], panel: Panel) -> str:
    """Return what became of a mutant: the first other outcome decides."""
    return next((TIMED_OUT if said == TIMED_OUT else KILLED for said in panel.unlike(found).values()), SURVIVED)


def main() -> int:
    """Try the mutants that have no outcome yet, and report; 0 if none is open and no explanation is stale."""
    parser = arguments("mutation")
    parser.add_argument("--show", action="store_true", help="print the mutants as differences and stop")
    parser.add_argument("--across", action="store_true", help="measure which share of the killed the quick tests kill")
    parser.add_argument("--tests", type=Path, action="append", help="a file or a folder of tests")
    parser.add_argument("--enough", type=float, help="seconds of quick tests, and of slow ones, for a mutant")
    parser.add_argument("--quick", action="store_true", help="leave the slow tests out")
    parser.add_argument("--each", type=int, help="only the first EACH cases of every test")
    parser.add_argument("--since", help="only mutants of lines that differ from those of this commit")
    asked = parser.parse_args()
    every = sources(asked, PLACES if asked.across else PLACES[:1])
    mutants = chosen(asked, every)
    if asked.since:
        lines_of = {module.name: changed(module.path, asked.since) for module in every}
        mutants = [mutant for mutant in mutants if mutant.line in lines_of[mutant.module]]
        if not mutants:
            print(f"Since {asked.since} no line that can be broken has changed, or git does not know.")
            return 0
    mutants = draw(mutants, asked.sample)
    if asked.show:
        for mutant in mutants:
            whole = next(module for module in every if module.name == mutant.module).texts(mutant)
            lines = difflib.unified_diff(*(text.splitlines() for text in whole), lineterm="", n=2)
            print(f"\n{mutant.id}  (line {mutant.line})", *list(lines)[2:], sep="\n")
        return 0
    tests = [path.resolve() for path in asked.tests or [ROOT / "tests" / ("" if asked.across else "reference")]]
    files = [str(path) for own in tests for path in ([own] if own.is_file() else sorted(own.rglob("test_*.py")))]
    folders = {own.parent if own.is_file() else own for own in tests}
    of_sources = digest_of(*sorted(folders), *(module.path for module in every))
    kept = digest(of_sources, *files, str(asked.quick), str(asked.each))
    begin = partial(collect, quick=asked.quick, each=asked.each)
    enough = asked.enough or (ENOUGH_ACROSS if asked.across else ENOUGH)
    panel = Panel(begin, files, every, asked.build / f"tests-{kept}", asked.jobs, enough=enough, first=True)
    found = panel.examine(mutants)
    failing = [f"fails without a mutant: {name}" for name, one in panel.known.items() if one["outcome"] != PASSED]
    if asked.across:
        print(*failing, sep="\n")
        return across(mutants, found, panel)
    names = {mutant.id for module in every for mutant in module.mutants}
    explained, stale = read_explanations(asked.survivors, names)
    counts = {module: Counter[str]() for module in sorted({mutant.module for mutant in mutants})}
    for mutant in mutants:
        kind = judged(found[mutant.id], panel)
        counts[mutant.module][{SURVIVED: EXPLAINED if mutant.id in explained else OPEN}.get(kind, kind)] += 1
        if kind == SURVIVED and mutant.id not in explained:
            failing.append(f"{OPEN}: line {mutant.line}: {mutant.id}")
        if kind == KILLED and mutant.id in explained:
            failing.append(f"explained, but killed: {mutant.id}")
    failing += [f"explained, but no such mutant: {name}" for name in sorted(stale) if name.partition(":")[0] in counts]
    lines = table("module", counts, (KILLED, TIMED_OUT, EXPLAINED, OPEN))
    print(*failing, "", *lines, sep="\n")
    if asked.publish is not None and not (asked.modules or asked.only or asked.sample or asked.source):
        publish(asked.publish, lines, "figures")
    return 1 if failing else 0


def across(mutants: Sequence[Mutant], found: Mapping[str, Mapping[str, str]], panel: Panel) -> int:
    """Print what slow tests alone kill and the share of the quick ones; return the exit status."""
    counts = {mutant.module.partition("/")[0]: Counter[str]() for mutant in mutants}
    for mutant in mutants:
        killer = next(iter(panel.unlike(found[mutant.id])), None)
        kind = SURVIVED if killer is None else SLOWLY if killer.endswith(SLOW) else QUICKLY
        counts[mutant.module.partition("/")[0]][kind] += 1
        if kind != QUICKLY:
            print(f"{kind}: {mutant.id}" + f" [{killer}]" * (killer is not None))
    total = sum(counts.values(), Counter[str]())
    share = total[QUICKLY] / max(1, total[QUICKLY] + total[SLOWLY])
    print("", *table("", counts, (QUICKLY, SLOWLY, SURVIVED)), "", sep="\n")
    print(f"The quick tests kill {share:.1%} of what any test kills.")
    return 0 if share >= SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
