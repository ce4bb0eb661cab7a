"""A run as one self-contained page: the headline, tables, pictures, and each failing case to be opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from ...output import html_pages
from ...output.sheets import Sheet, clean, counted
from ..explain.features import KINDS_OF_INPUT, features_of
from ..explain.groups import flag_notes
from ..model import Result, Run, Verdict
from .pictures import COLOURS, error_pictures, verdict_picture
from .summary import CONFORMS, Summary, summary_of
from .terminal import (
    closing_line,
    group_notes,
    group_sheet,
    listed_sheets,
    searched_line,
    unsafe_sheet,
    verdict_sheet,
    who_sheet,
    worst_sheet,
)
from .texts import deviation, facts, request_text, shown_line_for

MOST_ON_PAGE = 2_000
"""Rows of a table, and cases to be opened, that the page holds; the report as JSON has them all."""

_LONGEST_CELL = 120
_LONGEST_TEXT = 2_000
_LONGEST_REQUEST = 6_000


def run_page(run: Run, summary: Summary | None = None) -> str:
    """Return a run as a page of HTML with nothing to fetch.

    Whatever came from outside is escaped and shortened. Needs matplotlib, as its pictures do.
    Args: summary, of the run, where it is at hand.
    """
    summary = summary or summary_of(run)
    name = clean(run.declaration.name, 60) if run.declaration else "an implementation that did not start"
    return html_pages.page(f"Conformance of {name}", *_blocks(run, summary))


def _blocks(run: Run, summary: Summary) -> Iterator[str]:
    yield html_pages.paragraph(summary.headline, "verdict-good" if summary.status == CONFORMS else "verdict-bad")
    yield _table(who_sheet(run, summary))
    yield html_pages.paragraph(closing_line(run))
    if summary.tallies:
        yield from _section(verdict_sheet(summary))
        if (figure := verdict_picture(summary)) is not None:
            yield html_pages.picture(figure, "Share of each verdict; one that occurs is drawn wide enough to be seen.")
    if summary.unsafe:
        yield from _section(unsafe_sheet(summary, _LONGEST_CELL), "bad")
    if summary.groups:
        kinds = ["bad" if group.verdict is Verdict.UNSAFE else "" for group in summary.groups]
        sheet = group_sheet(summary.groups, _LONGEST_CELL)
        yield html_pages.heading(sheet.title)
        yield _table(sheet, kinds)
        yield from map(html_pages.paragraph, group_notes(summary.groups))
    yield from _findings(run, summary)
    for listed in listed_sheets(summary, _LONGEST_CELL):
        yield from _section(listed)
    yield from _pictures(run)
    if summary.worst:
        yield from _section(worst_sheet(summary, _LONGEST_CELL))
    if run.notes:
        yield html_pages.heading("Notes")
        yield from (html_pages.paragraph(clean(note, _LONGEST_TEXT)) for note in run.notes[:MOST_ON_PAGE])
    if summary.failing:
        yield html_pages.heading("Every case that fails")
        yield from _bounded_note(len(summary.failing))
        yield from (_details(run, result) for result in summary.failing[:MOST_ON_PAGE])


def _section(sheet: Sheet, kind: str = "") -> Iterator[str]:
    yield html_pages.heading(sheet.title)
    yield from _bounded_note(len(sheet.rows))
    yield _table(sheet, [kind] * len(sheet.rows))


def _bounded_note(number: int) -> Iterator[str]:
    if number > MOST_ON_PAGE:
        yield html_pages.paragraph(f"The first {MOST_ON_PAGE:,} of {number:,}; all are in the report as JSON.")


def _table(sheet: Sheet, kinds: Sequence[str] = ()) -> str:
    return html_pages.table(sheet.headings, sheet.rows[:MOST_ON_PAGE], kinds[:MOST_ON_PAGE])


def _findings(run: Run, summary: Summary) -> Iterator[str]:
    if said := searched_line(run, summary):
        yield html_pages.heading("What the search found")
        yield html_pages.paragraph(said)
        yield from _bounded_note(len(summary.findings))
        for finding in summary.findings[:MOST_ON_PAGE]:
            yield _details(run, finding.result, f"met {counted(finding.met, 'time')}, this is the smallest input")


def _pictures(run: Run) -> Iterator[str]:
    if drawn := list(error_pictures(run)):
        yield html_pages.heading("Where the errors lie")
        for op, figure, caption in drawn:
            yield html_pages.heading(clean(op, _LONGEST_CELL), 3)
            yield html_pages.picture(figure, caption)


def _details(run: Run, result: Result, note: str = "") -> str:
    """Return everything about one failing case, closed until it is opened."""
    case, judgement = result.case, result.judgement
    said = " · ".join(text for text in (clean(case.op, _LONGEST_CELL), deviation(judgement), note) if text)
    head = f"{_badge(judgement.verdict)} <code>{escape(clean(case.id, _LONGEST_CELL))}</code> {escape(said)}"
    features = features_of(case)
    rows = [
        [name, clean(text, _LONGEST_TEXT)]
        for name, text in (
            ("case", case.title),
            ("paper", ", ".join(case.cites)),
            ("errata", ", ".join(case.errata)),
            ("kind of input", "; ".join(f"{kind} ({KINDS_OF_INPUT[kind]})" for kind in features.kinds)),
            *facts(result),
        )
        if text
    ]
    notes = flag_notes()
    for flag in case.flags:
        meaning = f": {notes[flag].bug} Effect: {notes[flag].effect}" if flag in notes else ""
        rows.append(["flag", clean(f"{flag}{meaning}", _LONGEST_TEXT)])
    body = (
        html_pages.table((), rows),
        html_pages.code(clean(request_text(case), _LONGEST_REQUEST)),
        html_pages.code(shown_line_for(run, case, _LONGEST_REQUEST)),
    )
    return f"<details><summary>{head}</summary>{''.join(body)}</details>"


def _badge(verdict: Verdict) -> str:
    style = f"border-left:.7rem solid {COLOURS[verdict]};padding-left:.4rem;font-weight:600"
    return f'<span style="{style}">{escape(verdict.value)}</span>'
