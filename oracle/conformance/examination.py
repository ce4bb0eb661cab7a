"""One examination: what is chosen to be asked, and each answer asked for, judged and kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import count

from .judge import Judge
from .model import Case, Judgement, Result, Run, Verdict
from .subject import Subject
from .xfails import Xfails, is_pattern

MOST_TIMEOUTS = 5
"""Requests of one operation that may time out before the rest of it is not asked any more."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked.

    tier: one of TIERS; seed: of the seeded cases and of the search; chosen: texts or patterns of which a case must
    match one, if any are given; stop: whether the first failure ends the run; search: whether the implementation is
    searched for counterexamples after the cases.
    """

    tier: str = "standard"
    seed: int = 0
    chosen: tuple[str, ...] = ()
    stop: bool = False
    search: bool = True
    xfails: Xfails = field(default_factory=Xfails)

    def admits(self, case: Case) -> bool:
        """Whether the case is among those chosen, by its id, its operation or one of its flags."""
        return self.admits_names((case.id, case.op, *case.flags))

    def admits_names(self, names: Iterable[str]) -> bool:
        """Whether one of the names is chosen."""
        return not self.chosen or any(_matches(name, text) for name in names for text in self.chosen)


def _matches(name: str, text: str) -> bool:
    return fnmatchcase(name, text) if is_pattern(text) else text in name


class Stopped(Exception):
    """The first failure of a run that ends with it."""


class Examination:
    """A run on its way: asks, judges and keeps the results. `run` is what there is so far, at any time."""

    def __init__(self, subject: Subject, plan: Plan, run: Run, judge: Judge) -> None:
        self.subject, self.plan, self.run, self.judge = subject, plan, run, judge
        self._seq = count(1)
        self._timeouts: Counter[str] = Counter()
        self.not_asked: Counter[str] = Counter()

    def put(self, case: Case) -> Result:
        """Put one case to the implementation and judge its answer; nothing is kept."""
        if self._timeouts[case.op] >= MOST_TIMEOUTS:
            self.not_asked[case.op] += 1
            detail = f"not asked: {MOST_TIMEOUTS} requests of {case.op} had timed out"
            return Result(case, Judgement(Verdict.SKIPPED, detail=detail))
        reply = self.subject.ask(case.request(next(self._seq)))
        self._timeouts[case.op] += reply.fault is Verdict.TIMED_OUT
        judgement = self.judge.judge(case, reply)
        known = self.plan.xfails.reason(case.id, judgement.verdict.fails)
        return Result(case, judgement, reply.seconds, known)

    def recall(self) -> None:
        """Mark the results that a pattern of known failures covers in vain: none of its cases has failed."""
        for index, result in enumerate(self.run.results):
            if (
                result.is_judged
                and result.expected_failure is None
                and (why := self.plan.xfails.broken(result.case.id))
            ):
                self.run.results[index] = replace(result, expected_failure=why)

    def keep(self, result: Result) -> None:
        """Keep a result. Raises: Stopped where it fails and the run ends with the first failure."""
        self.run.results.append(result)
        if self.plan.stop and result.fails:
            raise Stopped
