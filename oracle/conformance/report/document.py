"""A run as a document: the first screen, of 40 lines, with the failures by cause; and the whole, with pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING

from ...output import html_pages
from ...output.documents import (
    Block,
    Code,
    Folded,
    Listing,
    ListItem,
    Marked,
    Picture,
    Section,
    Sentence,
    print_blocks,
)
from ...output.sheets import Cell, Output, Sheet, clean, counted
from ..explain.features import KINDS_OF_INPUT, Features, features_of
from ..explain.groups import Explained, Group, flag_notes
from ..model import HAD_BY_ID, Finding, Result, Run, Verdict
from .pictures import COLOURS, error_pictures, verdict_picture
from .summary import CONFORMS, Summary, Tally, in_order, left_out, resting, summary_of
from .texts import deviation, facts, failure_words, request_text, shown_line_for

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCREEN_LINES = 40
"""Lines of the first screen, before a terminal folds long ones."""

MOST_ON_PAGE = 2_000
"""Greatest number of rows of a table, and of folded cases, on a page; the report as JSON has all."""

_MOST_LISTED = 3
_ALWAYS_SHOWN = (Verdict.UNSAFE, Verdict.WRONG, Verdict.WITHIN, Verdict.EXACT)
_LONGEST_NAME, _LONGEST_CELL, _LONGEST_INPUT, _LONGEST_LINE = 100, 120, 160, 200
_LONGEST_TEXT, _LONGEST_REQUEST = 2_000, 6_000


def print_run(run: Run, summary: Summary | None = None) -> None:
    """Print the first screen: who was asked, the failures by cause or else the evidence, and the headline.

    Texts of the implementation are shortened, their control characters escaped. Args: summary, of the run, if known.
    """
    print_blocks(_screen(run, summary or summary_of(run)), Output())


def run_page(run: Run, summary: Summary | None = None) -> str:
    """Return a run as a self-contained page of HTML. Texts from outside are escaped and shortened.

    Needs matplotlib. Args: summary, of the run, if known.
    """
    name = clean(run.declaration.name, 60) if run.declaration else "an implementation that did not start"
    blocks = _whole(run, summary or summary_of(run))
    return html_pages.page(f"Conformance of {name}", *html_pages.written(blocks, Output()))


def closing_line(run: Run) -> str:
    """Return the elapsed time of the run, its restarts, and its processor time."""
    said = f"{run.seconds:.1f} s, {counted(run.restarts, 'restart')}."
    if (use := run.processor) is None:
        return said
    implementation = "" if use.implementation is None else f"{use.implementation:.1f} s of the implementation, "
    return (
        f"{said} Processor time: {implementation}{use.oracle:.1f} s of the oracle; "
        f"other programs used {100 * use.others:.0f} % of the machine."
    )


def who(run: Run) -> str:
    """Return who was asked what, in a line."""
    declared = run.declaration
    name = f"{declared.name} {declared.version}" if declared else "An implementation that did not start"
    parts = [clean(f"{name} ({run.command})", 2 * _LONGEST_LINE)]
    if declared is not None:
        parts.append(clean(f"{', '.join(declared.operations)} in {', '.join(declared.numbers)}", 2 * _LONGEST_LINE))
    parts += [f"{name}: {text}" for name, text in left_out(run)]
    parts.append(f"tier {run.tier}, seed {run.seed}, at most {counted(run.ulps, 'ulp')} on the safe side")
    return "; ".join(parts)


# The first screen.


def _screen(run: Run, summary: Summary) -> Iterator[Block]:
    besides = [*_besides(run, summary)]
    yield Sentence(who(run))
    room = SCREEN_LINES - 12 - (len(besides) + 2 if besides else 0)
    if summary.entries:
        yield from _entries(summary.entries, room)
    elif lines := [*resting(summary)]:
        yield Listing("What this rests on", tuple(ListItem(line) for line in lines))
    if besides:
        yield Listing("Besides", tuple(ListItem(clean(line, _LONGEST_LINE)) for line in besides))
    lines = [closing_line(run)]
    if summary.entries:
        lines.insert(0, f"The first of these again: {shown_line_for(run, summary.entries[0].example.case, 4_000)}")
    yield Listing(summary.headline, tuple(map(ListItem, lines)))


def _entries(entries: Sequence[Explained], room: int) -> Iterator[Block]:
    """Yield the entries in at most `room` lines, each in fewer lines where need be; the remaining ones are counted."""
    items = [_item(entry) for entry in entries]
    if sum(1 + len(item.items) for item in items) > room:
        items = [ListItem(" ".join(one.text for one in (item, *item.items[1:])), item.items[:1]) for item in items]
    most = len(items) if sum(1 + len(item.items) for item in items) <= room else room // 2
    yield Listing("What is wrong", tuple(items[:most]), numbered=True)
    if rest := entries[most:]:
        named = ", ".join(f"{_title(entry)} {len(entry.members):,}" for entry in rest)
        yield Sentence(clean(f"{counted(len(rest), 'more entry', 'more entries')} in --json: {named}.", _LONGEST_TEXT))


def _item(entry: Explained) -> ListItem:
    case, off = entry.example.case, deviation(entry.worst.judgement)
    number = f"{counted(len(entry.members), 'answer')} to {', '.join(entry.ops)}{f', the worst {off}' if off else ''}"
    named = f" {clean(case.id, _LONGEST_NAME)}" if case.source in HAD_BY_ID else ""
    request = request_text(case)
    shown = request if len(request) <= _LONGEST_INPUT else _sizes(features_of(case))
    least = clean(f"smallest input{named}: {shown}", 2 * _LONGEST_INPUT)
    place = clean(entry.example.judgement.place, _LONGEST_NAME)
    answer = f"{place}: {_answer(entry.example)}" if place else _answer(entry.example)
    first = ListItem(f"{number}; {least}; {answer}")
    if entry.cause is None:
        shared = clean(f": {entry.shared}", _LONGEST_LINE) if entry.shared else ""
        return ListItem(f"{_title(entry)}{shared}", (first,))
    return ListItem(f"{entry.cause.id}: {entry.cause.wrong}", (first, ListItem(f"Instead: {entry.cause.instead}")))


def _sizes(features: Features) -> str:
    if features.n is not None:
        return f"n = {features.n}"
    return "too long to show" if features.releases is None else f"releases = {features.releases}"


def _title(entry: Explained) -> str:
    return entry.cause.id if entry.cause else clean(f"{entry.ops[0]}: {failure_words(entry.worst)}", _LONGEST_LINE)


def _answer(result: Result) -> str:
    """Return the answer given, and the truth."""
    judgement = result.judgement
    given, truth = str(judgement.given) or judgement.detail or judgement.verdict.value, str(judgement.truth)
    return f"{clean(given, _LONGEST_CELL)}{f' for {clean(truth, _LONGEST_CELL)}' if truth else ''}"


def _besides(run: Run, summary: Summary) -> Iterator[str]:
    """Yield the size of the search, and a few of what neither fails nor passes and of the notes."""
    if said := _search(run, summary):
        yield said
    lists = {
        title: [f"{r.case.id}: {r.judgement}{f', {why}' if (why := _why(r)) else ''}" for r in results]
        for title, results in _listed(summary).items()
    }
    for title, lines in {**lists, "note": run.notes}.items():
        yield from (f"{title}: {line}" for line in lines[:_MOST_LISTED])
        if len(lines) > _MOST_LISTED:
            yield f"{title}: {len(lines) - _MOST_LISTED:,} more in --json"


def _why(result: Result) -> str:
    return result.expected_failure or result.judgement.detail


def _listed(summary: Summary) -> dict[str, tuple[Result, ...]]:
    return {
        "Expected failure that passed": summary.unexpected,
        "Expected failure": summary.expected,
        "The oracle is undecided": summary.undecided,
    }


def _search(run: Run, summary: Summary) -> str:
    """Return how many inputs the search asked about and what it found, "" where there was no search."""
    if not run.searched and not run.findings:
        return ""
    asked = ", ".join(f"{clean(op, _LONGEST_NAME)} {run.searched[op]:,}" for op in in_order(run.searched))
    found = counted(len(summary.findings), "kind of failure", "kinds of failure")
    return f"Search: {counted(sum(run.searched.values()), 'input')} ({asked}), {found}."


# The page.


def _whole(run: Run, summary: Summary) -> Iterator[Block]:
    yield Sentence(summary.headline, "verdict-good" if summary.status == CONFORMS else "verdict-bad")
    yield Sentence(who(run))
    yield Sentence(closing_line(run))
    if summary.entries:
        yield from _entries(summary.entries, 3 * len(summary.entries))
    if lines := [*resting(summary)]:
        yield Listing("What this rests on", tuple(ListItem(line) for line in lines))
    if summary.tallies:
        yield _verdict_sheet(summary)
        if (figure := verdict_picture(summary)) is not None:
            yield _picture(figure, "Share of each verdict; one that occurs is drawn wide enough to be seen.")
    if summary.unsafe:
        title = f"Unsafe: {counted(len(summary.unsafe), 'answer breaks', 'answers break')} the guarantee"
        yield from _bounded(Sheet.of(title, summary.unsafe, _NUMBER_COLUMNS), ["bad"] * len(summary.unsafe))
    if summary.groups:
        kinds = ["bad" * (group.verdict is Verdict.UNSAFE) for group in summary.groups]
        title = "Failures by kind of input, the most harmful first"
        yield from _bounded(Sheet.of(title, summary.groups, _GROUP_COLUMNS), kinds)
        yield Listing("What the kinds of input mean", tuple(map(ListItem, _group_notes(summary.groups))))
    if said := _search(run, summary):
        yield Section("What the search found", (Sentence(said), *_found(run, summary.findings)))
    for title, results in _listed(summary).items():
        if results:
            yield from _bounded(Sheet.of(title, results, _LISTED_COLUMNS))
    if drawn := [*error_pictures(run)]:
        panels = (Section(clean(op, _LONGEST_CELL), (_picture(figure, caption),)) for op, figure, caption in drawn)
        yield Section("Where the errors lie", tuple(panels))
    if summary.worst:
        title = "Largest deviations among conforming answers"
        yield from _bounded(Sheet.of(title, summary.worst.values(), _NUMBER_COLUMNS))
    if run.notes:
        yield Listing("Notes", tuple(ListItem(clean(note, _LONGEST_TEXT)) for note in run.notes[:MOST_ON_PAGE]))
    if summary.failing:
        yield Section("Every case that fails", tuple(_opened(run, summary.failing)))


def _picture(figure: Figure, caption: str) -> Picture:
    return Picture(caption, lambda: figure)


def _bounded(sheet: Sheet, kinds: Sequence[str] = ()) -> Iterator[Block]:
    """Yield a table, as much of it as a page holds."""
    rows, number = sheet.rows[:MOST_ON_PAGE], len(sheet.rows)
    notes = (f"The first {MOST_ON_PAGE:,} of {number:,}; all are in the report as JSON.",) * (number > MOST_ON_PAGE)
    yield Marked(Sheet(sheet.title, sheet.columns, rows, notes), tuple(kinds[:MOST_ON_PAGE]))


def _verdict_sheet(summary: Summary) -> Sheet:
    """Return how many cases of each operation have each verdict, `unsafe` first; columns of zeros are left out."""
    tallies = summary.tallies
    columns: dict[str, Callable[[Tally], int]] = {
        verdict.value: partial(_number_of, verdict)
        for verdict in Verdict
        if verdict in _ALWAYS_SHOWN or any(tally.verdicts[verdict] for tally in tallies)
    }
    if any(tally.expected for tally in tallies):
        columns["expected failures"] = lambda tally: tally.expected
    sheet = Sheet.of("Verdicts", tallies, {"operation": lambda tally: tally.op, **columns})
    if len(tallies) > 1:
        sheet.rows.append(["all", *(sum(map(number, tallies)) for number in columns.values())])
    return sheet


def _number_of(verdict: Verdict, tally: Tally) -> int:
    return tally.verdicts[verdict]


def _name(text: str) -> str:
    return clean(text, _LONGEST_NAME) or "(none)"


_CASE_COLUMNS: dict[str, Callable[[Result], Cell]] = {
    "operation": lambda result: result.case.part,
    "case": lambda result: _name(result.case.id),
}
_NUMBER_COLUMNS: dict[str, Callable[[Result], Cell]] = {
    **_CASE_COLUMNS,
    "where": lambda result: clean(result.judgement.place, _LONGEST_NAME),
    "off by": lambda result: deviation(result.judgement),
    "truth": lambda result: clean(str(result.judgement.truth), _LONGEST_CELL),
    "given": lambda result: clean(str(result.judgement.given), _LONGEST_CELL),
}
_LISTED_COLUMNS: dict[str, Callable[[Result], Cell]] = {
    **_CASE_COLUMNS,
    "verdict": lambda result: str(result.judgement),
    "why": lambda result: clean(_why(result), _LONGEST_CELL),
}
_GROUP_COLUMNS: dict[str, Callable[[Group], Cell]] = {
    "operation": lambda group: group.op,
    "failure (kind of input)": lambda group: _name(f"{group.failure_class} ({group.kind})"),
    "fail": lambda group: f"{len(group.members):,} of {group.asked:,}",
    "worst, when": lambda group: ", ".join(filter(None, (deviation(group.worst.judgement), group.since, _from(group)))),
    "cause": lambda group: group.cause.id if group.cause else "",
    "smallest input": lambda group: _name(
        f"{group.example.case.id} {clean(group.example.judgement.place, _LONGEST_NAME)}"
    ),
    "answer": lambda group: _answer(group.example),
}


def _from(group: Group) -> str:
    return f"n from {group.smallest_n}" if group.smallest_n else ""


def _group_notes(groups: Sequence[Group]) -> Iterator[str]:
    """Yield what each kind of input in these groups means, once."""
    for kind, group in {group.kind: group for group in groups}.items():
        effect = f" Effect: {group.effect}" if group.effect else ""
        yield clean(f"{kind}: {group.meaning or 'whatever the input is'}{effect}", 4 * _LONGEST_NAME)


def _found(run: Run, findings: Sequence[Finding]) -> Iterator[Block]:
    notes = [f"found {counted(finding.met, 'time')}; this is the smallest input" for finding in findings]
    return _opened(run, [finding.result for finding in findings], notes)


def _opened(run: Run, results: Sequence[Result], notes: Iterable[str] = repeat("")) -> Iterator[Block]:
    """Yield everything about each of these failing cases, folded, at most `MOST_ON_PAGE` of them."""
    if len(results) > MOST_ON_PAGE:
        yield Sentence(f"The first {MOST_ON_PAGE:,} of {len(results):,}; all are in the report as JSON.")
    for result, note in zip(results[:MOST_ON_PAGE], notes, strict=False):
        case, verdict = result.case, result.judgement.verdict
        text = " · ".join(filter(None, (clean(case.op, _LONGEST_CELL), deviation(result.judgement), note)))
        rows: list[list[Cell]] = [[name, clean(fact, _LONGEST_TEXT)] for name, fact in _known(result) if fact]
        within = (
            Sheet("", ("", ""), rows),
            Code(clean(request_text(case), _LONGEST_REQUEST)),
            Code(shown_line_for(run, case, _LONGEST_REQUEST)),
        )
        yield Folded(verdict.value, COLOURS[verdict], clean(case.id, _LONGEST_CELL), text, within)


def _known(result: Result) -> Iterator[tuple[str, str]]:
    case, notes = result.case, flag_notes()
    yield "case", case.title
    yield "paper", ", ".join(case.cites)
    yield "errata", ", ".join(case.errata)
    yield "kind of input", "; ".join(f"{kind} ({KINDS_OF_INPUT[kind]})" for kind in features_of(case).kinds)
    yield from facts(result)
    for flag in case.flags:
        yield "flag", f"{flag}: {notes[flag].bug} Effect: {notes[flag].effect}" if flag in notes else flag
