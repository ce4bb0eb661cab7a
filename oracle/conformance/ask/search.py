"""The search: Hypothesis drives the implementation for counterexamples, and shrinks each class of failure it meets.

A first pass over each operation meets the classes; then, for each, the same examples are drawn again from the same seed
and the first of the class is shrunk, to one of the same class. Answers rounded to nearest are no finding where the run
has one already. Answers are remembered, so that nothing is asked twice and an implementation that answers differently
every time does no harm. Where there are many examples, Hypothesis aims with half of them: at the boundary that matters,
where another piece of the loss function begins to rule or the supremum becomes infinite, and at the largest error that
is still admitted.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import log2
from random import Random
from typing import TYPE_CHECKING

from ...wire.protocol import DOUBLES, RATIONAL, Declaration, Domain
from ...wire.strict_json import Object, encode
from ..explain.features import boundary_distance
from ..extents import is_outside
from ..model import Case, Failure, FailureClass, Finding, Result, Verdict
from .runner import Runner, Stopped

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

EXAMPLES = {"standard": 60, "full": 600}
"""Inputs drawn for each operation and way of writing numbers; a quarter as many invalid ones on top."""

MOST_SHRINKS = 400
"""Questions asked to make one counterexample smaller."""

LEAST_AIMED = 200
"""Examples from which on the search aims: of fewer too many would be one input over again."""

_NEAREST = 2.0**-80


@contextmanager
def nothing_kept() -> Iterator[None]:
    """Have Hypothesis neither read nor write `.hypothesis` in the current folder in the body: it may be anyone's."""
    from hypothesis import configuration

    before = getattr(configuration, "__hypothesis_home_directory", None)
    configuration.set_hypothesis_home_dir(os.devnull)
    try:
        yield
    finally:
        configuration.set_hypothesis_home_dir(before)


def search(
    runner: Runner,
    declaration: Declaration,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    examples: int | None = None,
) -> None:
    """Search every operation that is declared and chosen; the findings go into the run.

    Args: examples, instead of those of the plan's tier. Raises: Stopped as `Runner.keep`.
    """
    from ...strategies import invalid_requests, requests

    examples = EXAMPLES[runner.plan.tier] if examples is None else examples
    tasks = [
        (op, numbers, _within(drawn, op, numbers, declaration.domain), number)
        for op in runner.plan.searched(declaration.operations)
        for numbers in (*DOUBLES, RATIONAL)
        if numbers in declaration.numbers
        for drawn, number in (
            (requests(op, numbers, declaration.stepwise), examples),
            (invalid_requests(op, numbers), 0 if runner.plan.lenient else examples // 4),
        )
        if number
    ]
    for done, (op, numbers, strategy, number) in enumerate(tasks):
        progress(done, len(tasks))
        hunt = _Hunt(runner, op, numbers)
        hunt.meet(strategy, number)
        runner.run.searched[op] = runner.run.searched.get(op, 0) + len(hunt.known)
        for finding in hunt.findings(strategy, number):
            _keep(runner, finding)


def _within(strategy: SearchStrategy[Object], op: str, numbers: str, domain: Domain) -> SearchStrategy[Object]:
    """Return the strategy kept within the domain that is declared."""
    if domain == Domain():
        return strategy
    return strategy.filter(lambda given: not is_outside(Case("", op, numbers, given), domain))


def _keep(runner: Runner, finding: Finding) -> None:
    """Keep a finding unless the same class was found before with an input no larger, and its result."""
    case_id = finding.result.case.id
    for index, other in enumerate(runner.run.findings):
        if other.result.case.id == case_id:
            smaller = min(other, finding, key=lambda one: _size(one.result.case))
            runner.run.findings[index] = Finding(smaller.result, other.met + finding.met)
            return
    runner.run.findings.append(finding)
    if runner.plan.stop and finding.result.fails:
        raise Stopped


def _rounds(runner: Runner) -> bool:
    """Whether the run has an answer rounded to nearest among its failures."""
    results = [*runner.run.results, *(finding.result for finding in runner.run.findings)]
    return any(result.judgement.failure is Failure.ROUNDING and result.fails for result in results)


class _Hunt:
    """The search of one operation with one kind of input."""

    def __init__(self, runner: Runner, op: str, numbers: str) -> None:
        self.runner, self.op, self.numbers = runner, op, numbers
        self.known: dict[str, Result] = {}
        self.met: Counter[FailureClass | None] = Counter()
        self.rounds = _rounds(runner)
        self.smallest: dict[FailureClass | None, Result] = {}

    def meet(self, strategy: SearchStrategy[Object], examples: int) -> None:
        """Draw examples and note the classes of failures among them."""

        def note(given: Object) -> bool:
            _aim(self._ask(given))
            return False

        self._find(strategy, examples, note)
        self.met.update(result.failure_class for result in self.known.values() if self._counts(result))

    def findings(self, strategy: SearchStrategy[Object], examples: int) -> list[Finding]:
        """Return, for each class met, its smallest case."""
        found = []
        for wanted, number in self.met.items():
            if wanted is None or wanted.failure is not Failure.TIMED_OUT:
                self._shrink(strategy, examples, wanted)
            found.append(Finding(self.smallest[wanted], number))
        return found

    def _shrink(self, strategy: SearchStrategy[Object], examples: int, wanted: FailureClass | None) -> None:
        left = MOST_SHRINKS + len(self.known)

        def is_wanted(given: Object) -> bool:
            nonlocal left
            left -= 1
            if left < 0 and encode(given) not in self.known:
                return False
            result = self._ask(given)
            _aim(result)
            return self._counts(result) and result.failure_class == wanted

        self._find(strategy, examples, is_wanted)

    def _find(
        self, strategy: SearchStrategy[Object], examples: int, condition: Callable[[Object], bool]
    ) -> Object | None:
        from hypothesis import HealthCheck, Phase, find, settings
        from hypothesis.errors import NoSuchExample

        chosen = settings(
            max_examples=examples,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, *((Phase.target,) if examples >= LEAST_AIMED else ()), Phase.shrink),
        )
        try:
            with nothing_kept():
                return find(strategy, condition, settings=chosen, random=Random(self.runner.plan.seed))
        except NoSuchExample:
            return None

    def _ask(self, given: Object) -> Result:
        key = encode(given)
        if key not in self.known:
            case = Case(f"{self.op}-search", self.op, self.numbers, given, source="search", title="Found by search.")
            result = self.runner.put(case)
            self.known[key] = result
            if self._counts(result):
                wanted = result.failure_class
                named = _renamed(result, wanted, self.runner)
                smallest = self.smallest.get(wanted)
                if smallest is None or _size(case) < _size(smallest.case):
                    self.smallest[wanted] = named
        return self.known[key]

    def _counts(self, result: Result) -> bool:
        """Whether a result is worth a finding: a failure, or a question that the oracle itself could not decide."""
        if result.judgement.failure is Failure.ROUNDING and self.rounds:
            return False
        return result.judgement.verdict.fails or result.judgement.verdict is Verdict.UNDECIDED


def _aim(result: Result) -> None:
    """Tell Hypothesis how near an input is to a boundary, and how large the error of its answer, if it is admitted."""
    from hypothesis import target

    distance, ulps = boundary_distance(result.case), result.judgement.ulps
    if distance is not None:
        target(-log2(max(distance, _NEAREST)), label="nearness to a boundary")
    if ulps is not None and result.judgement.verdict is Verdict.WITHIN:
        target(log2(1 + abs(ulps)), label="error")


def _renamed(result: Result, wanted: FailureClass | None, runner: Runner) -> Result:
    """Return a result under the id of its class, which stays the same from run to run."""
    slug = Verdict.UNDECIDED.value if wanted is None else wanted.slug
    case = replace(result.case, id=f"{result.case.op}-search-{slug}")
    known = runner.plan.xfails.reason(case.id, result.judgement.verdict.fails)
    return replace(result, case=case, expected_failure=known)


def _size(case: Case) -> tuple[int, str]:
    text = encode(case.input)
    return len(text), text
