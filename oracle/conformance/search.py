"""The search: Hypothesis drives the implementation for counterexamples, and shrinks each kind of failure it meets.

A failure's class is its verdict, and for errors the two names. A first pass over each operation meets the classes;
then, for each, the same examples are drawn again from the same seed and the first of the class is shrunk. Answers are
remembered, so that nothing is asked twice and an implementation that answers differently every time does no harm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

from ..contract.operations import OPERATIONS
from ..wire.protocol import DOUBLES, RATIONAL, Declaration, Domain
from ..wire.strict_json import Object, encode
from .extents import is_outside
from .model import Case, Finding, Result, Verdict
from .runner import Runner, Stopped

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

EXAMPLES = {"standard": 60, "full": 600}
"""Inputs drawn for each operation and way of writing numbers; a quarter as many invalid ones on top."""

MOST_SHRINKS = 400
"""Questions asked to make one counterexample smaller."""

Class = tuple[str, ...]


def search(
    runner: Runner,
    declaration: Declaration,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    examples: int | None = None,
) -> None:
    """Search every operation that is declared and chosen; the findings go into the run.

    Args: examples, instead of those of the plan's tier. Raises: Stopped as `Runner.keep`.
    """
    from ..strategies import invalid_requests, requests

    examples = EXAMPLES[runner.plan.tier] if examples is None else examples
    tasks = [
        (op, numbers, _within(strategy(op, numbers), op, numbers, declaration.domain), number)
        for op in OPERATIONS
        if op in declaration.operations and runner.plan.admits_names((op, f"{op}-search"))
        for numbers in (*DOUBLES, RATIONAL)
        if numbers in declaration.numbers
        for strategy, number in ((requests, examples), (invalid_requests, examples // 4))
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


class _Hunt:
    """The search of one operation with one kind of input."""

    def __init__(self, runner: Runner, op: str, numbers: str) -> None:
        self.runner, self.op, self.numbers = runner, op, numbers
        self.known: dict[str, Result] = {}
        self.met: Counter[Class] = Counter()
        self.smallest: dict[Class, Result] = {}

    def meet(self, strategy: SearchStrategy[Object], examples: int) -> None:
        """Draw examples and note the classes of failures among them."""

        def note(given: Object) -> bool:
            self._ask(given)
            return False

        self._find(strategy, examples, note)
        self.met.update(_class_of(result) for result in self.known.values() if _counts(result))

    def findings(self, strategy: SearchStrategy[Object], examples: int) -> list[Finding]:
        """Return, for each class met, its smallest case."""
        found = []
        for wanted, number in self.met.items():
            if wanted[0] != Verdict.TIMED_OUT.value:
                self._shrink(strategy, examples, wanted)
            found.append(Finding(self.smallest[wanted], number))
        return found

    def _shrink(self, strategy: SearchStrategy[Object], examples: int, wanted: Class) -> None:
        left = MOST_SHRINKS + len(self.known)

        def is_wanted(given: Object) -> bool:
            nonlocal left
            left -= 1
            if left < 0 and encode(given) not in self.known:
                return False
            result = self._ask(given)
            return _counts(result) and _class_of(result) == wanted

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
            phases=(Phase.generate, Phase.shrink),
        )
        try:
            return find(strategy, condition, settings=chosen, random=Random(self.runner.plan.seed))
        except NoSuchExample:
            return None

    def _ask(self, given: Object) -> Result:
        key = encode(given)
        if key not in self.known:
            case = Case(f"{self.op}-search", self.op, self.numbers, given, source="search", title="Found by search.")
            result = self.runner.put(case)
            self.known[key] = result
            if _counts(result):
                wanted = _class_of(result)
                named = _renamed(result, wanted, self.runner)
                smallest = self.smallest.get(wanted)
                if smallest is None or _size(case) < _size(smallest.case):
                    self.smallest[wanted] = named
        return self.known[key]


def _counts(result: Result) -> bool:
    """Whether a result is worth a finding: a failure, or a question that the oracle itself could not decide."""
    return result.judgement.verdict.fails or result.judgement.verdict is Verdict.UNDECIDED


def _class_of(result: Result) -> Class:
    judgement = result.judgement
    if judgement.verdict is Verdict.ERROR_MISMATCH:
        return (judgement.verdict.value, _word(judgement.truth), _word(judgement.given))
    return (judgement.verdict.value,)


def _word(text: str) -> str:
    """Return the error's name that a text begins with, or "value" for a text that is none."""
    word = text.split(":", maxsplit=1)[0].strip()
    return word if word.isalpha() else "value"


def _renamed(result: Result, wanted: Class, runner: Runner) -> Result:
    """Return a result under the id of its class, which stays the same from run to run."""
    slug = "-".join(wanted).lower().replace(" ", "-")
    case = Case(
        f"{result.case.op}-search-{slug}",
        result.case.op,
        result.case.numbers,
        result.case.input,
        source="search",
        title=result.case.title,
    )
    return Result(
        case, result.judgement, result.seconds, runner.plan.xfails.reason(case.id, result.judgement.verdict.fails)
    )


def _size(case: Case) -> tuple[int, str]:
    text = encode(case.input)
    return len(text), text
