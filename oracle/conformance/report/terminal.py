"""A run on the screen: its tables, which the page has as well, shortened to fit, and the sentence that it comes to."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import click

from ...output.sheets import Cell, Sheet, clean, counted, print_table
from ..explain.groups import Group
from ..model import Finding, Result, Run, Verdict
from .summary import CONFORMS, Summary, extent_words, in_order, left_out, summary_of
from .texts import deviation, failure_words, request_text, shown_line_for

Element = TypeVar("Element")

MOST_ROWS = 12
"""Rows of a table that are shown; the report as JSON has them all."""

_ALWAYS_SHOWN = (Verdict.UNSAFE, Verdict.WRONG, Verdict.WITHIN, Verdict.EXACT)
_LONGEST_NAME = 100
_LONGEST_NUMBER = 80
_LONGEST_TEXT = 160
_LONGEST_COMMAND = 4_000


def print_run(run: Run, summary: Summary | None = None) -> None:
    """Print a run on standard output: who, verdicts, what is unsafe, what fails, what the search found, the headline.

    Without folding or colours where standard output is no terminal. Whatever the implementation wrote is shortened and
    has its control characters escaped. Args: summary, of the run, where it is at hand.
    """
    summary = summary or summary_of(run)
    print_table(who_sheet(run, summary))
    if summary.tallies:
        print_table(verdict_sheet(summary))
    if summary.unsafe:
        print_table(_bounded(unsafe_sheet(summary, _LONGEST_NUMBER)))
    if summary.groups:
        shown = spread(summary.groups, [group.op for group in summary.groups])
        print_table(_bounded(group_sheet(summary.groups, _LONGEST_NUMBER), group_notes(shown)))
    _print_findings(run, summary)
    for sheet in listed_sheets(summary, _LONGEST_TEXT):
        print_table(_bounded(sheet))
    if summary.worst:
        print_table(worst_sheet(summary, _LONGEST_NUMBER))
    for note in run.notes[:MOST_ROWS]:
        click.echo(f"note: {clean(note, _LONGEST_TEXT)}")
    if more := _more(len(run.notes)):
        click.echo(more)
    colour = "green" if summary.status == CONFORMS else "red"
    click.secho(summary.headline, bold=True, fg=colour if sys.stdout.isatty() else None)
    click.echo(closing_line(run))


def _more(number: int) -> str:
    return f"and {number - MOST_ROWS:,} more (all in --json)" if number > MOST_ROWS else ""


def _bounded(sheet: Sheet, notes: Iterable[str] = ()) -> Sheet:
    """Return the sheet with the first rows of each operation, and how many more there are."""
    more = [text] if (text := _more(len(sheet.rows))) else []
    return replace(sheet, rows=spread(sheet.rows, [str(row[0]) for row in sheet.rows]), notes=(*more, *notes))


def spread(items: Sequence[Element], names: Sequence[str]) -> list[Element]:
    """Return `MOST_ROWS` of the items in their order: of each name the first, then of each the second, and so on."""
    rank = Counter[str]()
    turns = []
    for index, name in enumerate(names):
        turns.append((rank[name], index))
        rank[name] += 1
    return [items[index] for index in sorted(index for _, index in sorted(turns)[:MOST_ROWS])]


def _print_findings(run: Run, summary: Summary) -> None:
    if said := searched_line(run, summary):
        click.echo(said)
    for finding in summary.findings[:MOST_ROWS]:
        for text in _finding_lines(run, finding):
            click.echo(text)
    if more := _more(len(summary.findings)):
        click.echo(more)
    if said:
        click.echo()


def _finding_lines(run: Run, finding: Finding) -> Iterator[str]:
    result = finding.result
    case, judgement = result.case, result.judgement
    off = deviation(judgement)
    said = ", ".join(part for part in (failure_words(result), off) if part)
    yield f"  {clean(case.op, _LONGEST_NUMBER)}: {said} (met {counted(finding.met, 'time')})"
    place = f" of {clean(judgement.place, _LONGEST_NUMBER)}" if judgement.place else ""
    for name, text in (
        ("smallest input", clean(request_text(case), 4 * _LONGEST_TEXT)),
        (f"right value{place}", clean(judgement.truth, _LONGEST_TEXT)),
        ("came back", clean(judgement.given, _LONGEST_TEXT)),
        ("why", clean(judgement.detail, _LONGEST_TEXT)),
        ("again", shown_line_for(run, case, _LONGEST_COMMAND)),
    ):
        if text:
            yield f"    {name}: {text}"


def who_sheet(run: Run, summary: Summary) -> Sheet:
    """Return who was asked, how far, and how."""
    declared = run.declaration
    name = f"{declared.name} {declared.version}" if declared else "did not start"
    rows: list[list[Cell]] = [
        [key, clean(text, 2 * _LONGEST_NAME)]
        for key, text in ((extent_words(summary), str(summary.extent)), *left_out(run))
        if text
    ]
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
    shown = [verdict for verdict in Verdict if totals[verdict] or verdict in _ALWAYS_SHOWN]
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
    title = f"Unsafe: {counted(len(summary.unsafe), 'answer breaks', 'answers break')} the promise"
    return _results_sheet(title, summary.unsafe, longest)


def _results_sheet(title: str, results: Iterable[Result], longest: int) -> Sheet:
    rows: list[list[Cell]] = [
        [
            result.case.part,
            _name(result.case.id),
            clean(result.judgement.place, _LONGEST_NAME),
            deviation(result.judgement),
            clean(result.judgement.truth, longest),
            clean(result.judgement.given, longest),
        ]
        for result in results
    ]
    return Sheet(title, ("operation", "case", "where", "off by", "truth", "given"), rows)


def group_sheet(groups: Sequence[Group], longest: int) -> Sheet:
    """Return the failures by operation, class and kind of input. Args: longest, how much of a number is shown."""
    rows: list[list[Cell]] = [
        [
            group.op,
            _name(str(group.failure_class)),
            _name(group.kind),
            f"{len(group.members):,} of {group.asked:,}",
            deviation(group.worst.judgement),
            group.cause.id if group.cause else "",
            group.since,
            group.smallest_n if group.smallest_n is not None else "",
            _name(group.example.case.id),
            clean(group.example.judgement.place, _LONGEST_NAME),
            clean(group.example.judgement.truth, longest),
            clean(group.example.judgement.given or group.example.judgement.detail, longest),
        ]
        for group in groups
    ]
    columns = (
        *("operation", "failure", "kind of input", "fail", "worst", "likely cause", "when", "n from"),
        *("example", "where", "truth", "given"),
    )
    return Sheet("What fails, the most harmful first", columns, rows)


def group_notes(groups: Sequence[Group]) -> Iterator[str]:
    """Yield what each cause and each kind of input in these groups means, once."""
    for cause in dict.fromkeys(group.cause for group in groups if group.cause):
        yield f"{cause.id}: {cause.wrong} Instead: {cause.instead}"
    for kind in dict.fromkeys(group.kind for group in groups):
        group = next(group for group in groups if group.kind == kind)
        if group.meaning:
            effect = f" Effect: {group.effect}" if group.effect else ""
            yield clean(f"{kind}: {group.meaning}{effect}", 4 * _LONGEST_NAME)


def worst_sheet(summary: Summary, longest: int) -> Sheet:
    """Return, for each operation, the answer within the limit that is farthest from the truth."""
    return _results_sheet("Farthest off among what conforms", summary.worst.values(), longest)


def listed_sheets(summary: Summary, longest: int) -> Iterator[Sheet]:
    """Yield what is neither a failure nor passes, each case with its verdict and why; nothing for an empty list."""
    for title, results in (
        ("Expected failures that passed", summary.unexpected),
        ("Expected failures", summary.expected),
        ("The oracle is undecided", summary.undecided),
    ):
        rows: list[list[Cell]] = [
            [
                result.case.part,
                _name(result.case.id),
                str(result.judgement),
                clean(result.expected_failure or result.judgement.detail, longest),
            ]
            for result in results
        ]
        if rows:
            yield Sheet(title, ("operation", "case", "verdict", "why"), rows)


def searched_line(run: Run, summary: Summary) -> str:
    """Return how much was searched and what came of it, "" where there was no search."""
    if not run.searched and not run.findings:
        return ""
    asked = ", ".join(f"{clean(op, _LONGEST_NAME)} {run.searched[op]:,}" for op in in_order(run.searched))
    found = counted(len(summary.findings), "kind of failure", "kinds of failure")
    return f"Search: {counted(sum(run.searched.values()), 'input')} ({asked}), {found}."


def closing_line(run: Run) -> str:
    """Return how long the run took, the processor time in it, and how often the implementation was started again."""
    said = f"{run.seconds:.1f} s, {counted(run.restarts, 'restart')}."
    if (use := run.processor) is None:
        return said
    implementation = "" if use.implementation is None else f"{use.implementation:.1f} s of the implementation, "
    return (
        f"{said} Processor time: {implementation}{use.oracle:.1f} s of the oracle; "
        f"other programs used {100 * use.others:.0f} % of the machine."
    )


def _name(text: str) -> str:
    return clean(text, _LONGEST_NAME) or "(none)"
