"""The one sentence that says what a run comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .model import FAILURES, Result, Verdict
from .texts import clean, counted, magnitude

_MOST_NAMED = 5
_WORDS = {
    Verdict.UNSAFE: ("", "unsafe", "unsafe"),
    Verdict.WRONG: ("", "wrong", "wrong"),
    Verdict.ERROR_MISMATCH: ("an ", "error mismatch", "error mismatches"),
    Verdict.CRASHED: ("a ", "crash", "crashes"),
    Verdict.TIMED_OUT: ("a ", "timeout", "timeouts"),
}


def failure(judged: int, failing: Sequence[Result], findings: Sequence[Result], unexpected: Sequence[Result]) -> str:
    """Return the sentence for a run with failures: of the cases, of the search, and expected ones that passed."""
    clauses = []
    if counts := _counts(failing):
        (worst, number), *others = counts.items()
        verb = f"is {_WORDS[worst][0]}" if number == 1 else "are "
        opening = f"{number:,} of {counted(judged, 'answer')} {verb}{_word(worst, number)}"
        clauses.append(", ".join([opening, *(f"{many:,} {_word(verdict, many)}" for verdict, many in others)]))
    if findings:
        kinds = counted(len(findings), "kind of failure", "kinds of failure")
        clauses.append(f"the search found {kinds}{_of_them_unsafe(findings)}")
    if unexpected:
        names = ", ".join(clean(result.case.id, 80) for result in unexpected[:_MOST_NAMED])
        more = f" and {len(unexpected) - _MOST_NAMED:,} more" if len(unexpected) > _MOST_NAMED else ""
        clauses.append(f"{counted(len(unexpected), 'expected failure')} passed: {names}{more}")
    return f"Does not conform: {'; '.join(clauses)}."


def nothing_judged(started: bool, skipped: int) -> str:
    """Return the sentence for a run in which no answer was judged."""
    if skipped:
        return f"Nothing was judged: {counted(skipped, 'case was', 'cases were')} skipped."
    return f"Nothing was judged: {'no case was asked' if started else 'the implementation did not start'}."


def undecided_run(judged: int, undecided: int, complete: bool) -> str:
    """Return the sentence for a run without a failure that does not show conformance either."""
    clauses = [f"the oracle could not decide {counted(undecided, 'answer')}"] if undecided else []
    clauses += [] if complete else ["the run did not come to its end"]
    return f"Undecided: of {counted(judged, 'judged answer')} none fails, but {' and '.join(clauses)}."


def conformance(
    judged: int, passing: Sequence[Result], expected: Sequence[Result], *, skipped: int, searched: int, limit: int
) -> str:
    """Return the sentence for a run in which everything conforms, expected failures aside. Args: limit, in ulps."""
    within = [r.judgement.ulps for r in passing if r.judgement.verdict is Verdict.WITHIN]
    near = [abs(ulps) for ulps in within if ulps is not None and abs(ulps) <= limit]
    moved, farthest = len(within) - len(near), max(near, default=0)
    exact = len(passing) - len(within)
    parts = [f"{counted(judged, 'answer')} judged", "all exact" if exact == judged > 0 else f"{exact:,} exact"]
    parts += [f"{len(near):,} within {magnitude(farthest)} {'ulp' if farthest == 1 else 'ulps'}"] if near else []
    parts += [f"{moved:,} right for levels within {counted(limit, 'ulp')} of those asked"] if moved else []
    parts += [f"{searched:,} more in the search"] if searched else []
    parts += [f"{skipped:,} skipped"] if skipped else []
    aside = f" but for {counted(len(expected), 'expected failure')}{_of_them_unsafe(expected)}" if expected else ""
    return f"Conforms{aside}: {', '.join(parts)}."


def _counts(results: Sequence[Result]) -> dict[Verdict, int]:
    counts = Counter(result.judgement.verdict for result in results)
    return {verdict: counts[verdict] for verdict in FAILURES if counts[verdict]}


def _word(verdict: Verdict, number: int) -> str:
    _, one, many = _WORDS[verdict]
    return one if number == 1 else many


def _of_them_unsafe(results: Sequence[Result]) -> str:
    unsafe = _counts(results).get(Verdict.UNSAFE, 0)
    if not unsafe:
        return ""
    return ", which is unsafe" if len(results) == 1 else f", {unsafe:,} of them unsafe"
