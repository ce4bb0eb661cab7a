"""The tables of a run, as the terminal and the page show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ..output.rendering import Cell, Sheet
from .groups import Group
from .model import Result, Run, Verdict
from .summary import Summary, in_order
from .texts import clean, counted, deviation

_ALWAYS = (Verdict.UNSAFE, Verdict.WRONG, Verdict.WITHIN, Verdict.EXACT)
_LONGEST_NAME = 100


def who_sheet(run: Run) -> Sheet:
    """Return who was asked, and how."""
    declared = run.declaration
    name = f"{declared.name} {declared.version}" if declared else "did not start"
    rows: list[list[Cell]] = []
    if declared is not None:
        rows += [
            ["operations", clean(", ".join(declared.operations), 2 * _LONGEST_NAME)],
            ["numbers", clean(", ".join(declared.numbers), _LONGEST_NAME)],
        ]
    rows += [
        ["command", clean(run.command, 3 * _LONGEST_NAME)],
        ["asked", f"tier {run.tier}, seed {run.seed}, at most {counted(run.ulps, 'ulp')} on the safe side"],
    ]
    return Sheet("Conformance run", ("implementation", clean(name, _LONGEST_NAME)), rows)


def verdict_sheet(summary: Summary) -> Sheet:
    """Return how many cases of each operation came to each verdict, `unsafe` first; columns of zeros are left out."""
    totals = Counter[Verdict]()
    for tally in summary.tallies:
        totals.update(tally.verdicts)
    shown = [verdict for verdict in Verdict if totals[verdict] or verdict in _ALWAYS]
    expected = sum(tally.expected for tally in summary.tallies)
    columns = ["operation", *(verdict.value for verdict in shown), *(["expected failures"] if expected else [])]
    rows: list[list[Cell]] = []
    for tally in summary.tallies:
        counts: list[Cell] = [tally.verdicts[verdict] for verdict in shown]
        rows.append([tally.op, *counts, *([tally.expected] if expected else [])])
    if len(rows) > 1:
        rows.append(["all", *(totals[verdict] for verdict in shown), *([expected] if expected else [])])
    return Sheet("Verdicts", tuple(columns), rows)


def unsafe_sheet(summary: Summary, longest: int) -> Sheet:
    """Return the unsafe answers. Args: longest, how much of a number is shown."""
    rows: list[list[Cell]] = [
        [
            result.case.part,
            _name(result.case.id),
            clean(result.judgement.place, _LONGEST_NAME),
            deviation(result.judgement),
            clean(result.judgement.truth, longest),
            clean(result.judgement.given, longest),
        ]
        for result in summary.unsafe
    ]
    title = f"Unsafe: {counted(len(rows), 'answer breaks', 'answers break')} the promise"
    return Sheet(title, ("operation", "case", "where", "off by", "truth", "given"), rows)


def group_sheet(groups: Sequence[Group]) -> Sheet:
    """Return the failures by operation, verdict and kind of input."""
    rows: list[list[Cell]] = [
        [
            group.op,
            group.verdict.value,
            _name(group.kind),
            f"{len(group.members):,} of {group.asked:,}",
            deviation(group.worst.judgement),
            group.since,
            group.smallest_n if group.smallest_n is not None else "",
            _name(group.example.case.id),
        ]
        for group in groups
    ]
    columns = ("operation", "verdict", "kind of input", "fail", "worst", "when", "n from", "example")
    return Sheet("What fails", columns, rows)


def group_notes(groups: Sequence[Group]) -> Iterator[str]:
    """Yield what each kind of input in these groups means, once."""
    for kind in dict.fromkeys(group.kind for group in groups):
        group = next(group for group in groups if group.kind == kind)
        if group.meaning:
            effect = f" Effect: {group.effect}" if group.effect else ""
            yield clean(f"{kind}: {group.meaning}{effect}", 4 * _LONGEST_NAME)


def worst_sheet(summary: Summary, longest: int) -> Sheet:
    """Return, for each operation, the answer within the limit that is farthest from the truth."""
    rows: list[list[Cell]] = [
        [
            op,
            deviation(result.judgement),
            _name(result.case.id),
            clean(result.judgement.place, _LONGEST_NAME),
            clean(result.judgement.truth, longest),
            clean(result.judgement.given, longest),
        ]
        for op, result in summary.worst.items()
    ]
    columns = ("operation", "off by", "case", "where", "truth", "given")
    return Sheet("Farthest off among what conforms", columns, rows)


def listed(title: str, results: Sequence[Result], longest: int) -> Sheet:
    """Return results with their verdicts and why: undecided ones, and expected failures."""
    rows: list[list[Cell]] = [
        [
            result.case.part,
            _name(result.case.id),
            str(result.judgement),
            clean(result.expected_failure or result.judgement.detail, longest),
        ]
        for result in results
    ]
    return Sheet(title, ("operation", "case", "verdict", "why"), rows)


def searched_line(run: Run, summary: Summary) -> str:
    """Return how much was searched and what came of it, "" where there was no search."""
    if not run.searched and not run.findings:
        return ""
    asked = ", ".join(f"{clean(op, _LONGEST_NAME)} {run.searched[op]:,}" for op in in_order(run.searched))
    found = counted(len(summary.findings), "kind of failure", "kinds of failure")
    return f"Search: {counted(sum(run.searched.values()), 'input')} ({asked}), {found}."


def closing_line(run: Run) -> str:
    """Return how long the run took and how often the implementation was started again."""
    return f"{run.seconds:.1f} s, {counted(run.restarts, 'restart')}."


def _name(text: str) -> str:
    return clean(text, _LONGEST_NAME) or "(none)"
