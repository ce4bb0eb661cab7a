"""A run on its way: what is chosen to be asked, what is known to fail, and each answer asked for, judged and kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import count

from ...contract.allocation import ALLOCATION_METHODS
from ...contract.operations import OPERATIONS
from ...data.files import named, read_text
from ...data.plain_text import check_plain
from ...reference import InvalidRequest
from ...wire.strict_json import Object, shown
from ..extents import extent_of
from ..judge.judge import Judge
from ..model import HAD_BY_ID, TIERS, Case, Judgement, Reply, Result, Run, Verdict
from .budget import EACH
from .implementation import Implementation
from .surface import surface_of


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
            f"the known failure {pattern!r} matches no case that was asked"
            for pattern in self.reasons
            if pattern not in self.met
        ]


def is_pattern(known: str) -> bool:
    """Whether a text stands for more than itself."""
    return any(char in known for char in "*?[")


def read_xfails(path: str) -> Xfails:
    """Read a file of known failures: `PATTERN REASON` on a line; blank lines and lines that begin with # are left out.

    Raises: InvalidRequest, with the line, for a pattern without a reason or one that is there twice; for no such file.
    """
    with named(path):
        text = read_text(path)
        check_plain(text)
    reasons: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
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

    tier: one of TIERS; seed: of the seeded cases and of the search; chosen: texts or patterns; if there are any,
    a case must match one; stop: whether the first failure ends the run; search: whether the implementation is
    searched for counterexamples after the cases; lenient: whether only valid input is asked; questions: how many of
    each operation, seeded and across sizes, instead of the tier's number.
    """

    tier: str = "standard"
    seed: int = 0
    chosen: tuple[str, ...] = ()
    stop: bool = False
    search: bool = True
    xfails: Xfails = field(default_factory=Xfails)
    lenient: bool = False
    questions: int | None = None

    def among(self, cases: Iterable[Case]) -> Iterable[Case]:
        """Return the cases that are chosen, by their ids, operations or flags; what is the id of a case means that.

        Where nothing is chosen they are not even gone through.
        """
        if not self.chosen:
            return cases
        cases = list(cases)
        ids = {case.id for case in cases}.intersection(self.chosen)
        rest = replace(self, chosen=tuple(text for text in self.chosen if text not in ids)) if ids else self
        if ids and not rest.chosen:
            return [case for case in cases if case.id in ids]
        return [case for case in cases if case.id in ids or rest.admits_names((case.id, case.op, *case.flags))]

    def may_ask(self, op: str, case_id: str) -> bool:
        """Whether a case of an operation and an id may be among those that are chosen."""
        return self.admits_names((op, case_id))

    @property
    def searches(self) -> bool:
        """Whether there is a search of anything: in every tier but the quickest."""
        return self.search and self.tier != TIERS[0] and bool(self.searched(OPERATIONS))

    def searched(self, operations: Collection[str]) -> list[str]:
        """Return those of the operations that a search is about."""
        return [op for op in OPERATIONS if op in operations and self.admits_names((op, f"{op}-search"))]

    def admits_names(self, names: Iterable[str]) -> bool:
        """Whether one of the names is chosen."""
        return not self.chosen or any(_matches(name, text) for name in names for text in self.chosen)


def _matches(name: str, text: str) -> bool:
    return fnmatchcase(name, text) if is_pattern(text) else text in name


MOST_TIMEOUTS, MOST_TIMEOUTS_IN_ALL = 5, 25
"""Requests that may time out: of one kind, or of an operation that has not answered any in time; of an operation."""

SAMPLES = {"smoke": 5, "standard": 60, "full": 120}
"""Questions of each operation that are kept in each tier, to be asked three more times each."""

MOST_ENTRIES_KEPT = 2_500
"""Entries of the largest matrix of a question that is kept."""

_SIZES = (8, 64, 512)
_LEVELS = (1, 36, 709)


class Timeouts:
    """Which requests have timed out, so that what does not answer in time again and again is left alone.

    They count by operation, allocate's by method, and by kind: about how many states, releases and nats they have.
    """

    def __init__(self) -> None:
        self._number: Counter[str] = Counter()
        self._answering: set[str] = set()
        self._left_out: Counter[str] = Counter()

    def note(self, case: Case, reply: Reply) -> None:
        """Note what became of a request."""
        if reply.fault is Verdict.TIMED_OUT:
            self._number.update({_part(case), _kind(case)})
        elif reply.answer is not None:
            self._answering.add(_part(case))

    def enough(self, case: Case) -> str:
        """Return why a request is not put any more, "" where it is, and count it."""
        part = _part(case)
        if not self._number[part]:
            return ""
        in_all = MOST_TIMEOUTS_IN_ALL if part in self._answering else MOST_TIMEOUTS
        for label, most in ((part, in_all), (_kind(case), MOST_TIMEOUTS)):
            if self._number[label] >= most:
                self._left_out[label] += 1
                return f"{self._number[label]} requests of {label} had timed out"
        return ""

    def notes(self) -> list[str]:
        """Return what was not asked, and why: a sentence for each kind."""
        return [
            f"{label}: {self._number[label]} requests timed out"
            + (" and none was answered in time" if label == label.partition(" (")[0] not in self._answering else "")
            + f", {number:,} more were not asked"
            for label, number in self._left_out.items()
        ]


def _part(case: Case) -> str:
    """Return an operation, and its method where it has some."""
    method = case.input.get("method")
    return f"{case.op} by {method}" if method in ALLOCATION_METHODS else case.op


def _kind(case: Case) -> str:
    """Return the words for requests that are about as large as this one."""
    extent = extent_of([case])
    parts = [
        *([_about(extent.states, _SIZES, "states")] if extent.states else ()),
        *([_about(extent.releases, _SIZES, "releases")] if extent.releases else ()),
        *([_about(extent.level, _LEVELS, "nats")] if extent.level is not None else ()),
    ]
    return f"{_part(case)} ({', '.join(parts)})" if parts else _part(case)


def _about(number: float, ends: tuple[int, ...], unit: str) -> str:
    end = next((end for end in ends if number <= end), None)
    return f"above {ends[-1]} {unit}" if end is None else f"up to {end} {unit}"


@dataclass(slots=True)
class Kept:
    """Questions with their first answers, to be asked again: one in `stride` of each operation, SAMPLES at most."""

    tier: str
    stride: int
    questions: list[tuple[Case, Object]] = field(default_factory=list)
    _met: Counter[str] = field(default_factory=Counter)

    def note(self, case: Case, reply: Reply) -> None:
        """Keep a question with its answer, if its turn has come and it is not too large."""
        if case.source not in HAD_BY_ID or case.op not in OPERATIONS or reply.answer is None:
            return
        self._met[case.op] += 1
        number, rest = divmod(self._met[case.op], self.stride)
        is_small = all(
            not isinstance(value, list) or len(value) ** 2 <= MOST_ENTRIES_KEPT for value in case.input.values()
        )
        if rest == 0 and number <= SAMPLES[self.tier] and is_small:
            self.questions.append((case, reply.answer))


class Stopped(Exception):
    """The first failure of a run that ends with it."""


class Runner:
    """A run on its way: asks, judges and keeps the results. `run` is what there is so far, at any time."""

    def __init__(self, implementation: Implementation, plan: Plan, run: Run, judge: Judge) -> None:
        self.implementation, self.plan, self.run, self.judge = implementation, plan, run, judge
        self._seq = count(1)
        self.timeouts = Timeouts()
        each = 1 if plan.chosen else plan.questions or EACH[plan.tier]
        self.kept = Kept(plan.tier, max(each // SAMPLES[plan.tier], 1))

    def put(self, case: Case) -> Result:
        """Put one case to the implementation and judge its answer; nothing is kept."""
        if enough := self.timeouts.enough(case):
            return Result(case, Judgement(Verdict.SKIPPED, detail=f"not asked: {enough}"))
        reply = self._ask(case)
        self.kept.note(case, reply)
        return self.result_of(case, reply)

    def result_of(self, case: Case, reply: Reply) -> Result:
        """Judge what came for a case."""
        judgement = self.judge.judge(case, reply)
        known = self.plan.xfails.reason(case.id, judgement.verdict.fails)
        return Result(case, judgement, reply.seconds, known)

    def ask(self, case: Case) -> Reply | None:
        """Put one case to the implementation; None where such requests are not put any more."""
        return None if self.timeouts.enough(case) else self._ask(case)

    def _ask(self, case: Case) -> Reply:
        self.run.written.update(surface_of(case, self.plan.lenient))
        reply = self.implementation.ask(case.request(next(self._seq)))
        self.timeouts.note(case, reply)
        return reply

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
