"""Mutation testing of reference/: `make mutants`, or `python -m tests.mutation`.

Made for this package because the kept libraries cannot do it in bearable time: mutmut names the functions of a folder
by its path and so never meets `tploracle.reference` in `reference/`, cosmic-ray starts an interpreter per mutant; here
the tests are collected once, and a forked child runs those that reach the mutant.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from .across import PLACES, across
from .judging import ROOT, Run, drawn, read, worked
from .session import KILLED, SURVIVED, TIMED_OUT

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


def reported(run: Run, page: Path | None) -> int:
    """Print the figures and what is open; return the exit status."""
    verdicts = run.verdicts()
    explanations = run.explanations
    outcomes = {mutant.id: verdicts.of(mutant.id, run.partly(mutant)) for mutant in run.mutants}
    counts = {name: Counter[str]() for name in sorted({mutant.module for mutant in run.mutants})}
    open_ = []
    for mutant in run.mutants:
        outcome = outcomes[mutant.id]
        verdict = "not run" if outcome is None else outcome.verdict
        if verdict == SURVIVED:
            verdict = "explained" if mutant.id in explanations else "not explained"
        counts[mutant.module][verdict] += 1
        if verdict in ("not explained", "not run"):
            open_.append(f"{verdict}: {run.base.name}/{mutant.module}.py:{mutant.lines.start}: {mutant.id}")
    known = {mutant.id for name in counts for mutant in run.every[name].mutants}
    stale = [
        f"explained, but {'killed' if mutant in known else 'no such mutant'}: {mutant}"
        for mutant in explanations
        if (mutant not in known and (run.whole or mutant.partition(":")[0] in counts))
        or ((outcome := outcomes.get(mutant)) is not None and outcome.verdict == KILLED)
    ]
    table = _table(counts)
    print("\n".join([*open_, *stale, "", *table]))
    if page is not None and run.whole:
        published(page, table)
    return 1 if open_ or stale else 0


def against_evidence(run: Run) -> int:
    """Judge mutants by the evidence of `verify` and print the figures; return the exit status."""
    from .evidence import NOT_COVERED, TOLD, tried  # needs the provers

    counts, survivors = tried(run)
    print("\n".join(["", *_table(counts, (KILLED, TIMED_OUT, TOLD, "explained", SURVIVED, NOT_COVERED))]))
    return 1 if survivors else 0


def _table(
    counts: dict[str, Counter[str]],
    columns: Sequence[str] = (KILLED, TIMED_OUT, "explained", "not explained", "not run"),
) -> list[str]:
    rows = [[name, sum(count.values()), *(count[column] for column in columns)] for name, count in counts.items()]
    rows.append(["all", *(sum(int(row[number]) for row in rows) for number in range(1, len(columns) + 2))])
    return [
        "| module | mutants | " + " | ".join(columns) + " |",
        "|---|" + "---:|" * (len(columns) + 1),
        *("| " + " | ".join(map(str, row)) + " |" for row in rows),
    ]


def published(page: Path, table: Sequence[str]) -> None:
    """Put the table between the two marks of a page."""
    before, mark, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if mark and end:
        page.write_text("\n".join([before + BEGIN, "", *table, "", END + after]), encoding="utf-8")


def shown(run: Run) -> None:
    """Print the mutants asked for as differences."""
    for mutant in run.mutants:
        texts = [run.every[mutant.module].text(which).splitlines() for which in (None, mutant)]
        print(f"\n{mutant.id}  (line {mutant.lines.start})")
        print("\n".join(list(difflib.unified_diff(*texts, lineterm="", n=2))[2:]))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description="Mutation testing of reference/.")
    parser.add_argument("modules", nargs="*", help="only the mutants of these modules")
    parser.add_argument("--sample", type=int, help="only so many mutants, always the same ones")
    parser.add_argument("--only", default="", help="only mutants whose identity contains this text")
    parser.add_argument("--jobs", type=int, default=1, help="processes that judge mutants")
    parser.add_argument("--quick", action="store_true", help="try all mutants only as those that are explained")
    parser.add_argument("--list", action="store_true", help="print the identities and stop")
    parser.add_argument("--show", action="store_true", help="print the mutants as differences and stop")
    parser.add_argument(
        "--evidence", action="store_true", help="try them with the evidence of `verify`, not with tests"
    )
    parser.add_argument("--report", action="store_true", help="judge nothing more, report what is known")
    parser.add_argument("--publish", type=Path, help="after a whole run, put the figures into this page")
    parser.add_argument(
        "--across",
        action="store_true",
        help="measure what quick tests kill of what any test kills, over several sources",
    )
    parser.add_argument("--source", type=Path, action="append", help="a folder of modules (reference)")
    parser.add_argument("--tests", type=Path, help="the folder of the tests (tests/reference, or all)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "mutation", help="where verdicts are kept")
    parser.add_argument(
        "--survivors", type=Path, default=Path(__file__).parent / "survivors.toml", help="the explained survivors"
    )
    return parser.parse_args()


def main() -> int:
    """Judge the mutants that are asked for and have no verdict yet; 0 if none is left open and no explanation is stale.

    Whatever is interrupted goes on where it stopped.
    """
    asked = arguments()
    sources = tuple(source.resolve() for source in asked.source or (PLACES if asked.across else [ROOT / "reference"]))
    every = read(sources)
    if unknown := set(asked.modules) - set(every):
        print(f"no such module: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    chosen = [module for name, module in every.items() if name in asked.modules or not asked.modules]
    mutants = tuple(mutant for module in chosen for mutant in module.mutants if asked.only in mutant.id)
    if asked.sample is not None:
        mutants = drawn(sources, mutants, asked.sample)
    run = Run(
        sources,
        (asked.tests or ROOT / "tests" / ("" if asked.across else "reference")).resolve(),
        asked.build.resolve(),
        asked.survivors,
        every,
        mutants,
        whole=not (asked.modules or asked.only or asked.quick or asked.sample is not None),
        quick=asked.quick,
    )
    if asked.list:
        print("\n".join(mutant.id for mutant in mutants))
        return 0
    if asked.show:
        shown(run)
        return 0
    if asked.across:
        return across(run, asked.jobs)
    if asked.evidence:
        return against_evidence(run)
    if not asked.report:
        with TemporaryDirectory() as scratch:
            worked(run, asked.jobs, Path(scratch))
    return reported(run, asked.publish)


if __name__ == "__main__":
    sys.exit(main())
