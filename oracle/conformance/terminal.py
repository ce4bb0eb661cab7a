"""A run on the screen: tables that fit it, and the sentence that it comes to."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import click

from ..output.rendering import Sheet, print_table
from .model import Finding, Run
from .reproduce import request_text, shown_line_for
from .summary import CONFORMS, Summary, summary_of
from .tables import (
    closing_line,
    group_notes,
    group_sheet,
    listed,
    searched_line,
    unsafe_sheet,
    verdict_sheet,
    who_sheet,
    worst_sheet,
)
from .texts import clean, counted, deviation

Item = TypeVar("Item")

MOST_ROWS = 12
"""Rows of a table that are shown; the report as JSON has them all."""

_LONGEST_NUMBER = 80
_LONGEST_TEXT = 160
_LONGEST_COMMAND = 4_000


def print_run(run: Run) -> None:
    """Print a run on standard output: who, verdicts, what is unsafe, what fails, what the search found, the headline.

    Without folding or colours where standard output is no terminal. Whatever the implementation wrote is shortened and
    has its control characters escaped.
    """
    summary = summary_of(run)
    print_table(who_sheet(run))
    if summary.tallies:
        print_table(verdict_sheet(summary))
    if summary.unsafe:
        print_table(_bounded(unsafe_sheet(summary, _LONGEST_NUMBER)))
    if summary.groups:
        shown = spread(summary.groups, [group.op for group in summary.groups])
        print_table(_bounded(group_sheet(summary.groups), group_notes(shown)))
    _print_findings(run, summary)
    for title, results in (
        ("Expected failures that passed", summary.unexpected),
        ("Expected failures", summary.expected),
        ("The oracle is undecided", summary.undecided),
    ):
        if results:
            print_table(_bounded(listed(title, results, _LONGEST_TEXT)))
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


def spread(items: Sequence[Item], names: Sequence[str]) -> list[Item]:
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
    yield (
        f"  {clean(case.op, _LONGEST_NUMBER)}: {judgement.verdict.value}{f', {off}' if off else ''} "
        f"(met {counted(finding.met, 'time')})"
    )
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
