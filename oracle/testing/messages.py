"""What a failing test of a conformance suite says: the verdict first, then all that is needed to act on it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..conformance.explain.groups import flag_notes
from ..conformance.model import FAILURES, Result, Run
from ..conformance.report.texts import deviation, line_for, request_text
from ..output.sheets import clean, counted

_LONGEST = 500
_LONGEST_REQUEST = 4_000
_MOST_LISTED = 10


def message(result: Result, run: Run) -> str:
    """Return what is to be said of an answer that fails.

    Args: run, whose command is "" for an object of the test's, which no line asks again.
    Returns: lines: the verdict and how far off; the case; the request, as it went out but for its "seq"; the truth;
    the answer; why; each flag with the bug it is there to catch and the bug's effect; how to ask again.
    """
    case, judgement = result.case, result.judgement
    off, place = deviation(judgement), clean(judgement.place, _LONGEST)
    lines = [
        judgement.verdict.value + (f", {off}" if off else "") + (f" ({place})" if place else ""),
        *_part("case", f"{case.id}: {case.title}" if case.title else case.id),
        f"  request: {_shortened(request_text(case))}",
        *_part("truth", str(judgement.truth)),
        *_part("answer", str(judgement.given)),
        *_part("why", judgement.detail),
    ]
    notes = flag_notes()
    lines += [f"  {flag}: {notes[flag].bug} {notes[flag].effect}" for flag in case.flags if flag in notes]
    if run.command:
        lines.append(f"  again: {_shortened(line_for(run, case))}")
    return "\n".join(lines)


def _part(name: str, text: str) -> list[str]:
    return [f"  {name}: {clean(text, _LONGEST)}"] if text else []


def _shortened(text: str) -> str:
    return clean(text, _LONGEST_REQUEST)


def every_message(results: Iterable[Result], run: Run) -> str:
    """Return what is to be said of several answers that fail, each in full, the worst first."""
    return "\n".join(message(result, run) for result in sorted(results, key=_rank))


def worst_message(failing: Collection[Result], asked: int, run: Run) -> str:
    """Return what is to be said of the worst of many answers that fail; then how many fail, and the others' ids."""
    worst, *others = sorted(failing, key=_rank)
    text = f"{message(worst, run)}\n  {len(failing):,} of {counted(asked, 'answer')} fail"
    if not others:
        return text
    listed = ", ".join(f"{clean(one.case.id, _LONGEST)} ({one.judgement})" for one in others[:_MOST_LISTED])
    more = f" and {len(others) - _MOST_LISTED:,} more" if len(others) > _MOST_LISTED else ""
    return f"{text}; besides the above: {listed}{more}"


def _rank(result: Result) -> tuple[object, ...]:
    """Return a key by which the worst verdict comes first, and then what is asked in the fewest words."""
    return FAILURES.index(result.judgement.verdict), len(request_text(result.case)), result.case.id
