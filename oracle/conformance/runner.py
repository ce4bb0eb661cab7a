"""A run on its way: what is chosen to be asked, what is known to fail, and each answer asked for, judged and kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import count
from pathlib import Path

from ..reference import InvalidRequest
from ..wire.strict_json import shown
from .implementation import Implementation
from .judge import Judge
from .model import TIERS, Case, Judgement, Result, Run, Verdict

MOST_TIMEOUTS = 5
"""Requests of one operation that may time out before the rest of it is not asked any more."""


@dataclass(slots=True)
class Xfails:
    """Ids of cases, or patterns of them (with *, ? and [), each with its reason; which have met a case, or a failure.

    A case that is named is expected to fail; of those that a pattern covers, at least one.
    """

    reasons: dict[str, str] = field(default_factory=dict)
    met: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)

    def reason(self, case_id: str, fails: bool) -> str | None:
        """Return why the case is expected to fail, None where it is not; a pattern expects only the failures."""
        found = self._of(case_id)
        if found is None:
            return None
        self.met.add(found)
        if fails:
            self.failed.add(found)
        return self.reasons[found] if fails or not is_pattern(found) else None

    def broken(self, case_id: str) -> str | None:
        """Return the reason of the pattern that covers the case, if none of the cases that it covers has failed."""
        found = self._of(case_id)
        return self.reasons[found] if found is not None and found not in self.failed else None

    def _of(self, case_id: str) -> str | None:
        return next((known for known in self.reasons if known == case_id or fnmatchcase(case_id, known)), None)

    def notes(self) -> list[str]:
        """Return a note for each pattern that no case met."""
        return [
            f"the xfail {pattern!r} met no case that was asked" for pattern in self.reasons if pattern not in self.met
        ]


def is_pattern(known: str) -> bool:
    """Whether a text stands for more than itself."""
    return any(char in known for char in "*?[")


def read_xfails(path: str) -> Xfails:
    """Read a file of known failures: `PATTERN REASON` on a line; blank lines and lines that begin with # are left out.

    Raises: InvalidRequest, with the line, for a pattern without a reason or one that is there twice; for no such file.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InvalidRequest(f"{path}: cannot be read: {error}") from None
    reasons: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        pattern, _, reason = text.partition(" ")
        if not reason.strip():
            raise InvalidRequest(f"{path}, line {number}: {shown(pattern)} has no reason; write PATTERN REASON")
        if pattern in reasons:
            raise InvalidRequest(f"{path}, line {number}: {shown(pattern)} is there twice")
        reasons[pattern] = reason.strip()
    return Xfails(reasons)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked.

    tier: one of TIERS; seed: of the seeded cases and of the search; chosen: texts or patterns of which a case must
    match one, if any are given; stop: whether the first failure ends the run; search: whether the implementation is
    searched for counterexamples after the cases; lenient: whether only valid input is asked.
    """

    tier: str = "standard"
    seed: int = 0
    chosen: tuple[str, ...] = ()
    stop: bool = False
    search: bool = True
    xfails: Xfails = field(default_factory=Xfails)
    lenient: bool = False

    @property
    def searches(self) -> bool:
        """Whether there is a search: in every tier but the quickest."""
        return self.search and self.tier != TIERS[0]

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


class Runner:
    """A run on its way: asks, judges and keeps the results. `run` is what there is so far, at any time."""

    def __init__(self, implementation: Implementation, plan: Plan, run: Run, judge: Judge) -> None:
        self.implementation, self.plan, self.run, self.judge = implementation, plan, run, judge
        self._seq = count(1)
        self._timeouts: Counter[str] = Counter()
        self.not_asked: Counter[str] = Counter()

    def put(self, case: Case) -> Result:
        """Put one case to the implementation and judge its answer; nothing is kept."""
        if self._timeouts[case.op] >= MOST_TIMEOUTS:
            self.not_asked[case.op] += 1
            detail = f"not asked: {MOST_TIMEOUTS} requests of {case.op} had timed out"
            return Result(case, Judgement(Verdict.SKIPPED, detail=detail))
        reply = self.implementation.ask(case.request(next(self._seq)))
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
