"""The summary of a run: its exit status, its headline, and the failures in order and in groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...contract.errors import UNDECIDED
from ...contract.operations import OPERATIONS
from ...output.sheets import clean, counted
from ...wire.protocol import Domain
from ..explain.groups import Explained, Explanation, Group, harm
from ..model import FAILURES, Finding, Result, Run, Verdict
from .density import Density, densities
from .texts import magnitude

CONFORMS, FAILS, NOTHING_JUDGED = range(3)
"""Exit statuses of a run; the remaining one is UNDECIDED."""

_MOST_NAMED = 5
_WORDS = {
    Verdict.UNSAFE: ("", "unsafe", "unsafe"),
    Verdict.WRONG: ("", "wrong", "wrong"),
    Verdict.ERROR_MISMATCH: ("an ", "error mismatch", "error mismatches"),
    Verdict.CRASHED: ("a ", "crash", "crashes"),
    Verdict.TIMED_OUT: ("a ", "timeout", "timeouts"),
    Verdict.UNANSWERED: ("", "unanswered", "unanswered"),
}


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of the cases of one operation by verdict. expected: expected failures, which have no verdict here."""

    op: str
    verdicts: Mapping[Verdict, int]
    expected: int


@dataclass(frozen=True)
class Summary:
    """The summary of a run. Failures are in order, the most harmful first.

    densities, tallies: by operation. silent: declared operations without a judged answer, and why. judged: the number
    of judged answers, without those of the search. unsafe: answers below the truth (budgets: above), including those of
    the search. entries: all failures by their causes; groups: by kinds of input; each failure is in one of each.
    failing: the cases that fail. findings: those of the search that fail. passing: without expected failures.
    expected: failures that were expected; unexpected: expected failures that passed. worst: for each operation the
    conforming answer farthest from the truth.
    """

    run: Run
    densities: tuple[Density, ...]
    silent: tuple[str, ...]
    judged: int
    tallies: tuple[Tally, ...]
    unsafe: tuple[Result, ...]
    entries: tuple[Explained, ...]
    groups: tuple[Group, ...]
    failing: tuple[Result, ...]
    passing: tuple[Result, ...]
    findings: tuple[Finding, ...]
    expected: tuple[Result, ...]
    unexpected: tuple[Result, ...]
    undecided: tuple[Result, ...]
    skipped: tuple[Result, ...]
    worst: Mapping[str, Result]

    @property
    def status(self) -> int:
        """CONFORMS, FAILS, NOTHING_JUDGED or UNDECIDED."""
        if self.failing or self.unexpected or self.findings or (self.silent and self.judged):
            return FAILS
        if not self.judged and not self.run.findings and not any(self.run.searched.values()):
            return UNDECIDED if self.undecided else NOTHING_JUDGED
        return UNDECIDED if self.undecided or not self.run.complete else CONFORMS

    @property
    def headline(self) -> str:
        """The conclusion in one sentence."""
        said = {FAILS: _failure, NOTHING_JUDGED: _nothing_judged, UNDECIDED: _undecided, CONFORMS: _conformance}
        return said[self.status](self)


def summary_of(run: Run) -> Summary:
    """Return the summary of a run.

    An expected failure that happens is no failure; one that passes makes the run fail, and so does a declared operation
    without a judged answer. Undecided answers and skipped errors are no failures. A run that did not finish and has no
    failure is undecided.
    """
    plain = [result for result in run.results if result.expected_failure is None]
    noted = [result for result in run.results if result.expected_failure is not None]
    findings = [finding for finding in run.findings if finding.result.fails]
    failing = [*(result for result in plain if result.fails), *(finding.result for finding in findings)]
    passing = [result for result in plain if result.is_judged and not result.fails]
    explanation = Explanation(failing, passing)
    by_operation = {
        op: [result for result in run.results if result.case.part == op]
        for op in in_order({result.case.part for result in run.results})
    }
    return Summary(
        run,
        densities=densities(run.results, run.declaration.domain if run.declaration else Domain(), run.tier),
        silent=tuple(_silent(run)),
        judged=sum(result.is_judged for result in run.results),
        tallies=tuple(_tally(op, results) for op, results in by_operation.items()),
        unsafe=tuple(sorted((r for r in failing if r.judgement.verdict is Verdict.UNSAFE), key=_rank)),
        entries=tuple(explanation.entries()),
        groups=tuple(explanation.groups()),
        failing=tuple(sorted((result for result in plain if result.fails), key=_rank)),
        passing=tuple(passing),
        findings=tuple(sorted(findings, key=lambda finding: _rank(finding.result))),
        expected=tuple(result for result in noted if result.judgement.verdict.fails),
        unexpected=tuple(result for result in noted if result.fails),
        undecided=tuple(result for result in run.everything if result.judgement.verdict is Verdict.UNDECIDED),
        skipped=tuple(result for result in run.results if result.judgement.verdict is Verdict.SKIPPED),
        worst={op: worst for op, results in by_operation.items() if (worst := _farthest_within(results)) is not None},
    )


def resting(summary: Summary) -> Iterator[str]:
    """Yield the evidence of a run: a line for each operation, and the share of wrong answers that may pass unseen."""
    yield from map(str, summary.densities)
    pairs = {density.op: density.pairs for density in summary.densities if density.pairs[1]}
    if pairs and all(met == possible for met, possible in pairs.values()):
        yield "Every pair of doublings of two dimensions that the tier asks about has an answer."
    elif pairs:
        said = ", ".join(f"{op} {met:,} of {possible:,}" for op, (met, possible) in pairs.items())
        yield f"Pairs of doublings of two dimensions that have an answer: {said}."
    if written := summary.run.written:
        said = ", ".join(f"{number:,} {name}" for name, number in sorted(written.items()))
        yield f"Requests in other ways, each of the same meaning: {said}."
    if shares := [f"{density.op} {100 * density.share:.2g} %" for density in summary.densities]:
        said = "An implementation that is wrong on this share of such truths passes with probability 1 %: "
        yield f"{said}{', '.join(shares)}."


def left_out(run: Run) -> Iterator[tuple[str, str]]:
    """Yield what was left out by design: cases outside the declared domain; invalid input in a lenient run."""
    declared = run.declaration
    if declared is not None and str(declared.domain):
        yield "declared domain", f"{declared.domain}; {counted(run.outside, 'case')} outside it not asked"
    if run.invalid is not None:
        verb = "was" if run.invalid == 1 else "were"
        yield "lenient", f"{counted(run.invalid, 'case')} about invalid input {verb} not asked"


def in_order(ops: Iterable[str]) -> list[str]:
    """Return operations in the contract's order, others by name behind them."""
    return sorted(ops, key=_place)


def _place(op: str) -> tuple[int, str]:
    known = list(OPERATIONS)
    return known.index(op) if op in known else len(known), op


def _rank(result: Result) -> tuple[object, ...]:
    kind, distance = harm(result)
    return kind, *_place(result.case.part), distance, result.case.id


def _silent(run: Run) -> Iterator[str]:
    """Yield the operations without a judged answer: of those asked, and in a whole run of all declared ones."""
    of = {op: [r.judgement.verdict for r in run.results if r.case.op == op] for op in OPERATIONS}
    for op, verdicts in of.items():
        is_due = bool(verdicts) or (run.whole and run.complete and run.declaration and op in run.declaration.operations)
        if is_due and all(verdict in (Verdict.SKIPPED, Verdict.UNANSWERED) for verdict in verdicts):
            yield f"{op} ({counted(len(verdicts), 'question')} skipped)" if verdicts else f"{op} (nothing was asked)"


def _tally(op: str, results: Sequence[Result]) -> Tally:
    expected = [r for r in results if r.expected_failure is not None and r.judgement.verdict.fails]
    counts = Counter(r.judgement.verdict for r in results)
    counts.subtract(r.judgement.verdict for r in expected)
    return Tally(op, {verdict: counts[verdict] for verdict in Verdict}, len(expected))


def _farthest_within(results: Sequence[Result]) -> Result | None:
    within = [r for r in results if r.judgement.verdict is Verdict.WITHIN and r.judgement.ulps is not None]
    return min(within, key=harm, default=None)


def _failure(found: Summary) -> str:
    clauses = []
    if counts := _counts(found.failing):
        (worst, number), *others = counts.items()
        verb = f"is {_WORDS[worst][0]}" if number == 1 else "are "
        opening = f"{number:,} of {counted(found.judged, 'answer')} {verb}{_word(worst, number)}"
        clauses.append(", ".join([opening, *(f"{many:,} {_word(verdict, many)}" for verdict, many in others)]))
    if found.findings:
        kinds = counted(len(found.findings), "kind of failure", "kinds of failure")
        clauses.append(f"the search found {kinds}{_of_them_unsafe([finding.result for finding in found.findings])}")
    if found.silent:
        clauses.append(f"no answer was judged of {', '.join(found.silent)}")
    if unexpected := found.unexpected:
        names = ", ".join(clean(result.case.id, 80) for result in unexpected[:_MOST_NAMED])
        more = f" and {len(unexpected) - _MOST_NAMED:,} more" if len(unexpected) > _MOST_NAMED else ""
        clauses.append(f"{counted(len(unexpected), 'expected failure')} passed: {names}{more}")
    return f"Does not conform: {'; '.join(clauses)}."


def _nothing_judged(found: Summary) -> str:
    if found.skipped:
        return f"Nothing was judged: {counted(len(found.skipped), 'case was', 'cases were')} skipped."
    started = found.run.declaration is not None
    return f"Nothing was judged: {'no case was asked' if started else 'the implementation did not start'}."


def _undecided(found: Summary) -> str:
    clauses = [f"the oracle could not decide {counted(len(found.undecided), 'answer')}"] if found.undecided else []
    clauses += [] if found.run.complete else ["the run did not finish"]
    return f"Undecided: of {counted(found.judged, 'judged answer')} none fails, but {' and '.join(clauses)}."


def _conformance(found: Summary) -> str:
    run = found.run
    within = [r.judgement.ulps for r in found.passing if r.judgement.verdict is Verdict.WITHIN]
    near = [abs(ulps) for ulps in within if ulps is not None and abs(ulps) <= run.ulps]
    perturbed, farthest = len(within) - len(near), max(near, default=0)
    exact, searched = len(found.passing) - len(within), sum(run.searched.values())
    parts = [f"{counted(found.judged, 'answer')} judged"]
    parts += ["all exact" if exact == found.judged > 0 else f"{exact:,} exact"]
    parts += [f"{len(near):,} within {magnitude(farthest)} {'ulp' if farthest == 1 else 'ulps'}"] if near else []
    parts += [f"{perturbed:,} right for levels within {counted(run.ulps, 'ulp')} of those asked"] if perturbed else []
    parts += [f"{searched:,} more in the search"] if searched else []
    parts += [f"{len(found.skipped):,} skipped"] if found.skipped else []
    parts += [f"{run.outside:,} outside the declared domain"] if run.outside else []
    expected = found.expected
    aside = f" but for {counted(len(expected), 'expected failure')}{_of_them_unsafe(expected)}" if expected else ""
    leniently = " (lenient)" if run.invalid is not None else ""
    return f"Conforms{leniently}{aside}: {', '.join(parts)}."


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
