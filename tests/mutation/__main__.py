"""Mutation testing: `make mutants`, or `python -m tests.mutation`.

Made for this package because the kept libraries cannot do it in bearable time: mutmut names the functions of a folder
by its path and so never meets `tploracle.reference` in `reference/`, cosmic-ray starts an interpreter per mutant; here
the tests are collected once, and a forked child runs those that reach the mutant.
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ..children import together
from .judging import (
    KILLED,
    RECENT,
    ROOT,
    SOON,
    SURVIVED,
    TIMED_OUT,
    Judge,
    Plugin,
    Records,
    Suite,
    Test,
    code_of,
    collected,
    digest,
    within,
)  # fmt: skip
from .operators import Module, Mutant, modules

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"

PLACES = [ROOT / place for place in ("reference", "solvers", "oracle/contract", "oracle/wire", "oracle/conformance")]
"""The folders of `make mutants ACROSS=yes`."""

SHARE = 0.97
"""Least share of the mutants killed by any test that the quick tests must kill."""

ALONE = 30.0
"""Seconds of quick tests, and of slow ones, that a mutant is tried with across the folders."""

KINDS = {
    "equivalent": "no input distinguishes it from the original",
    "performance": "only time or memory differ",
    "precaution": "a limit that is a choice, or a check before another check",
}
"""Why a survivor may stay."""

QUICK, SLOW = "killed by quick tests", "by slow ones alone"


def read_explanations(path: Path) -> dict[str, str]:
    """Read why survivors may stay, by mutant. Raises: ValueError for a file that is not such a list."""
    document = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if set(document) - {"explained"}:
        raise ValueError(f"{path}: only [[explained]] tables")
    result: dict[str, str] = {}
    for number, table in enumerate(document.get("explained", []), 1):
        if set(table) != {"kind", "why", "mutants"} or table["kind"] not in KINDS or not table["why"].strip():
            raise ValueError(f"{path}: explanation {number} needs a kind ({', '.join(KINDS)}), a why and mutants")
        if twice := [mutant for mutant, times in Counter([*result, *table["mutants"]]).items() if times > 1]:
            raise ValueError(f"{path}: explained twice: {twice[0]}")
        result |= dict.fromkeys(table["mutants"], table["why"])
    return result


class Run:
    """The mutants that are asked for, and what becomes of them."""

    def __init__(self, asked: argparse.Namespace) -> None:
        """Read the sources and draw the mutants. Raises: SystemExit for a module that is not there."""
        self.asked = asked
        self.sources = [source.resolve() for source in asked.source or (PLACES if asked.across else [PLACES[0]])]
        self.base = Path(os.path.commonpath(self.sources))
        self.base = self.base.parent if self.base.is_file() else self.base
        self.every = {module.name: module for source in self.sources for module in modules(source, self.base)}
        if unknown := set(asked.modules) - set(self.every):
            raise SystemExit(f"no such module: {', '.join(sorted(unknown))}")
        chosen = [module for name, module in self.every.items() if name in asked.modules or not asked.modules]
        self.mutants = [mutant for module in chosen for mutant in module.mutants if asked.only in mutant.id]
        self.whole = not asked.modules and not asked.only and asked.sample is None
        if asked.sample is not None:  # of each source as large a share
            drawn: set[str] = set()
            for source in self.sources:
                own = [mutant.id for mutant in self.mutants if self.every[mutant.module].path.is_relative_to(source)]
                drawn |= set(sorted(own, key=digest)[: -(-len(own) * asked.sample // len(self.mutants))])
            self.mutants = [mutant for mutant in self.mutants if mutant.id in drawn]
        self.explanations = read_explanations(asked.survivors)
        self.found: dict[str, str] = {}
        self.killers: dict[str, str] = {}

    def judge(self) -> None:
        """Try the mutants that have no verdict yet. Raises: SystemExit where a test fails without a mutant."""
        tests = (self.asked.tests or ROOT / "tests" / ("" if self.asked.across else "reference")).resolve()
        build = self.asked.build.resolve()
        with TemporaryDirectory() as scratch:
            print("running the tests that are new or changed without a mutant ...", flush=True)
            suite = Suite(self.every, tests, build, Path(scratch), self.asked.jobs)
            for failing in suite.failing:
                print(f"left out, as it fails without a mutant: {failing}")
            if suite.failing and not self.asked.across:
                raise SystemExit(2)
            records = Records(build, "verdicts")
            codes = {name: code_of(module.path) for name, module in self.every.items()}
            everything = digest(suite.code, suite.helpers, *suite.files.values(), str(self.asked.across))

            def key(mutant: Mutant, file: object) -> str:
                """Return what a verdict rests on: of a kill the module and the test, of a survival everything."""
                if file is not None:
                    return digest(codes[mutant.module], suite.files.get(str(file), ""), str(self.asked.across))
                return digest(everything, str(mutant.id in self.explanations))

            by_id = {mutant.id: mutant for mutant in self.mutants}

            def read() -> None:
                for record in records.read():
                    mutant = by_id.get(str(record["mutant"]))
                    if mutant is not None and record["key"] == key(mutant, record["file"]):
                        self.found[mutant.id] = str(record["kind"])
                        self.killers[mutant.id] = str(record["test"])

            def part(number: int, judge: Judge) -> None:
                recent: list[Test] = []
                waiting = [mutant for mutant in self.mutants if mutant.id not in self.found][number :: self.asked.jobs]
                for place, mutant in enumerate(waiting, 1):
                    verdict = judge.verdict(mutant, self._chosen(mutant, suite, recent))
                    if verdict is None:
                        continue
                    kind, test = verdict.kind, verdict.test
                    if test is not None:
                        recent = [test, *(one for one in recent if one != test)][:RECENT]
                        kind = kind if not self.asked.across else SLOW if test.slow else QUICK
                    file, name = (None, None) if test is None else (test.file, str(test))
                    records.write(number, {"mutant": mutant.id, "kind": kind, "test": name, "file": file,
                                           "key": key(mutant, file)})  # fmt: skip
                    print(f"{place}/{len(waiting)} {kind}: {mutant.id}", flush=True, file=sys.__stdout__)

            def use(items: list[pytest.Item], plugin: Plugin) -> None:
                judge = Judge(suite, items, plugin)
                together(self.asked.jobs, lambda number: part(number, judge))

            read()
            if len(self.found) < len(self.mutants):
                together(1, lambda _: collected([str(tests)], use))
                read()
                judge = Judge(suite)  # of what is left a child imports the changed module
                together(self.asked.jobs, lambda number: part(number, judge))
                read()

    def _chosen(self, mutant: Mutant, suite: Suite, recent: Sequence[Test]) -> list[Test]:
        """Return the tests that a mutant is tried with, in order."""
        tests = suite.reaching(mutant)
        tests = [*(test for test in recent if test in tests), *(test for test in tests if test not in recent)]
        if self.asked.across:
            return [
                test for slow in (False, True) for test in within(ALONE, [one for one in tests if one.slow == slow])
            ]
        return within(SOON, tests) if mutant.id in self.explanations else tests

    def report(self) -> int:
        """Print the figures and what is open; return the exit status."""
        counts = {name: Counter[str]() for name in sorted({mutant.module for mutant in self.mutants})}
        open_ = []
        for mutant in self.mutants:
            kind = self.found[mutant.id]
            if kind == SURVIVED:
                kind = "explained" if mutant.id in self.explanations else "not explained"
            counts[mutant.module][kind] += 1
            if kind == "not explained":
                path = self.every[mutant.module].path
                open_.append(f"{kind}: {path.relative_to(self.base.parent)}:{mutant.lines.start}: {mutant.id}")
        known = {mutant.id for name in counts for mutant in self.every[name].mutants}
        for mutant, why in self.explanations.items():
            if why and self.found.get(mutant) == KILLED:
                open_.append(f"explained, but killed: {mutant}")
            elif mutant not in known and (mutant.partition(":")[0] in counts or (self.whole and not self.asked.source)):
                open_.append(f"explained, but no such mutant: {mutant}")
        lines = table("module", counts, (KILLED, TIMED_OUT, "explained", "not explained"))
        print(*open_, "", *lines, sep="\n")
        if self.asked.publish is not None and self.whole:
            published(self.asked.publish, lines)
        return 1 if open_ else 0

    def report_across(self) -> int:
        """Print what slow tests alone kill and the share of the quick ones; return the exit status."""
        counts = {str(source.relative_to(self.base)): Counter[str]() for source in self.sources}
        for mutant in self.mutants:
            kind = self.found[mutant.id]
            counts[next(place for place in counts if mutant.module.startswith(f"{place}/"))][kind] += 1
            if kind != QUICK:
                print(f"{kind}: {mutant.id}" + f" [{self.killers[mutant.id]}]" * (kind == SLOW))
        total = sum(counts.values(), Counter[str]())
        share = total[QUICK] / max(1, total[QUICK] + total[SLOW])
        print("", *table("", counts, (QUICK, SLOW, SURVIVED)), "", sep="\n")
        print(f"The quick tests kill {share:.1%} of what any test kills.")
        return 0 if share >= SHARE else 1


def table(title: str, counts: dict[str, Counter[str]], columns: Sequence[str]) -> list[str]:
    """Return the lines of a table of counts by name, with their sum."""
    rows = {**counts, "all": sum(counts.values(), Counter[str]())}
    return [
        f"| {title} | mutants | {' | '.join(columns)} |",
        "|---|" + "---:|" * (len(columns) + 1),
        *(f"| {name} | {row.total()} | {' | '.join(str(row[c]) for c in columns)} |" for name, row in rows.items()),
    ]


def published(page: Path, lines: Sequence[str], begin: str = BEGIN, end: str = END) -> None:
    """Put lines between two marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    page.write_text("\n".join([before + begin, "", *lines, "", end + after]), encoding="utf-8")


def shown(module: Module, mutant: Mutant) -> str:
    """Return a mutant as a difference."""
    texts = [module.text(which).splitlines() for which in (None, mutant)]
    lines = list(difflib.unified_diff(*texts, lineterm="", n=2))[2:]
    return "\n".join([f"\n{mutant.id}  (line {mutant.lines.start})", *lines])


def main() -> int:
    """Judge the mutants that have no verdict yet, and report; 0 if none is open and no explanation is stale."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description="Mutation testing.")
    parser.add_argument("modules", nargs="*", help="only the mutants of these modules")
    parser.add_argument("--sample", type=int, help="number of mutants to draw, always the same ones")
    parser.add_argument("--only", default="", help="only mutants whose identity contains this text")
    parser.add_argument("--jobs", type=int, default=1, help="processes that judge mutants")
    parser.add_argument("--list", action="store_true", help="print the identities and stop")
    parser.add_argument("--show", action="store_true", help="print the mutants as differences and stop")
    parser.add_argument("--publish", type=Path, help="after a whole run, put the figures into this page")
    parser.add_argument("--across", action="store_true", help="measure which share of the killed the quick tests kill")
    parser.add_argument("--source", type=Path, action="append", help="a module, or a folder of modules (reference)")
    parser.add_argument("--tests", type=Path, help="a file or the folder of the tests (tests/reference, or all)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "mutation", help="where verdicts are kept")
    parser.add_argument("--survivors", type=Path, default=Path(__file__).parent / "survivors.toml",
                        help="the explained survivors")  # fmt: skip
    run = Run(parser.parse_args())
    if run.asked.list:
        print("\n".join(mutant.id for mutant in run.mutants))
        return 0
    if run.asked.show:
        print("\n".join(shown(run.every[mutant.module], mutant) for mutant in run.mutants))
        return 0
    run.judge()
    return run.report_across() if run.asked.across else run.report()


if __name__ == "__main__":
    sys.exit(main())
