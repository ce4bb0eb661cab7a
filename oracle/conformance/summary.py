"""A run in short: what fails, on which kind of input, how far off, in which direction and since when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..wire.requests import OPERATIONS
from .groups import Group, badness, groups_of
from .headlines import conformance, failure, nothing_judged, undecided_run
from .model import FAILURES, Finding, Result, Run, Verdict

CONFORMS, FAILS, NOTHING_JUDGED, UNDECIDED = range(4)
"""How a run ends: the exit status."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the cases of one operation. expected: failures that were expected, in no verdict's count."""

    op: str
    verdicts: Mapping[Verdict, int]
    expected: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run comes to.

    status: CONFORMS, FAILS, NOTHING_JUDGED or UNDECIDED. headline: one sentence. judged: answers that were judged, the
    search aside. tallies: for each operation. unsafe: answers below the truth (budgets: above), of the search too.
    groups: the failures, each in one group. failing: all of them, the worst verdicts first. findings: those that fail.
    expected: failures that were expected; unexpected: expected failures that passed. worst: for each operation the
    answer farthest off that is within the limit.
    """

    status: int
    headline: str
    judged: int
    tallies: tuple[Tally, ...]
    unsafe: tuple[Result, ...]
    groups: tuple[Group, ...]
    failing: tuple[Result, ...]
    findings: tuple[Finding, ...]
    expected: tuple[Result, ...]
    unexpected: tuple[Result, ...]
    undecided: tuple[Result, ...]
    skipped: tuple[Result, ...]
    worst: Mapping[str, Result]


def summary_of(run: Run) -> Summary:
    """Return what a run comes to. An expected failure that happens is no failure; one that passes makes the run fail.

    The oracle's undecided answers are no failures either; neither is what was skipped. A run that did not come to its
    end does not show that everything conforms: without a failure it is undecided.
    """
    ops = in_order({result.case.part for result in run.results})
    plain = [result for result in run.results if result.expected_failure is None]
    failing = [result for result in plain if result.fails]
    expected = [r for r in run.results if r.expected_failure is not None and r.judgement.verdict.fails]
    unexpected = [r for r in run.results if r.expected_failure is not None and r.fails]
    findings = [finding for finding in run.findings if finding.result.fails]
    searched_in_vain = [finding.result for finding in run.findings if not finding.result.is_judged]
    undecided = [result for result in run.results if result.judgement.verdict is Verdict.UNDECIDED]
    undecided += [result for result in searched_in_vain if result.judgement.verdict is Verdict.UNDECIDED]
    skipped = [result for result in run.results if result.judgement.verdict is Verdict.SKIPPED]
    passing = [result for result in plain if result.is_judged and not result.fails]
    judged = sum(result.is_judged for result in run.results)
    by_badness = sorted(failing, key=lambda result: (FAILURES.index(result.judgement.verdict), _rank(result)))
    all_failing = [*failing, *(finding.result for finding in findings)]

    if failing or unexpected or findings:
        status = FAILS
    elif not judged and not run.findings and not any(run.searched.values()):
        status = NOTHING_JUDGED if not undecided else UNDECIDED
    else:
        status = UNDECIDED if undecided or not run.complete else CONFORMS

    if status == FAILS:
        headline = failure(judged, failing, [finding.result for finding in findings], unexpected)
    elif status == NOTHING_JUDGED:
        headline = nothing_judged(run.declaration is not None, len(skipped))
    elif status == UNDECIDED:
        headline = undecided_run(judged, len(undecided), run.complete)
    else:
        headline = conformance(
            judged,
            passing,
            expected,
            skipped=len(skipped),
            searched=sum(run.searched.values()),
            limit=run.ulps,
        )
    return Summary(
        status=status,
        headline=headline,
        judged=judged,
        tallies=tuple(_tally(op, [result for result in run.results if result.case.part == op]) for op in ops),
        unsafe=tuple(sorted((r for r in all_failing if r.judgement.verdict is Verdict.UNSAFE), key=_rank)),
        groups=tuple(
            group
            for op in ops
            for group in groups_of(op, *([r for r in kind if r.case.part == op] for kind in (failing, passing)))
        ),
        failing=tuple(by_badness),
        findings=tuple(sorted(findings, key=lambda finding: FAILURES.index(_verdict_of(finding)))),
        expected=tuple(expected),
        unexpected=tuple(unexpected),
        undecided=tuple(undecided),
        skipped=tuple(skipped),
        worst=_worst_within(ops, run.results),
    )


def in_order(ops: Iterable[str]) -> list[str]:
    """Return operations in the contract's order, others by name behind them."""
    known = list(OPERATIONS)
    return sorted(ops, key=lambda op: (known.index(op) if op in known else len(known), op))


def _rank(result: Result) -> tuple[object, ...]:
    infinite, ulps = badness(result)
    op = result.case.part
    return list(OPERATIONS).index(op) if op in OPERATIONS else len(OPERATIONS), op, not infinite, -ulps, result.case.id


def _verdict_of(finding: Finding) -> Verdict:
    return finding.result.judgement.verdict


def _tally(op: str, results: Sequence[Result]) -> Tally:
    expected = [r for r in results if r.expected_failure is not None and r.judgement.verdict.fails]
    counts = Counter(r.judgement.verdict for r in results)
    counts.subtract(r.judgement.verdict for r in expected)
    return Tally(op, {verdict: counts[verdict] for verdict in Verdict}, len(expected))


def _worst_within(ops: Sequence[str], results: Sequence[Result]) -> dict[str, Result]:
    worst: dict[str, Result] = {}
    for result in results:
        if result.judgement.verdict is Verdict.WITHIN and result.judgement.ulps is not None:
            worst[result.case.part] = max(worst.get(result.case.part, result), result, key=badness)
    return {op: worst[op] for op in ops if op in worst}
