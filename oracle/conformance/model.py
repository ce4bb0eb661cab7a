"""What a conformance run is made of: cases, replies, judgements, findings, and the run itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from math import inf

from ..contract.operations import OPERATIONS
from ..wire.protocol import RATIONAL, Declaration
from ..wire.strict_json import Object

WIRE = "wire"
"""The part of the contract that is no operation's: the start, and requests for operations that there are not."""

DEFAULT_ULPS = 4096
"""How far from the truth, on the safe side, an answer may be."""

TIERS = ("smoke", "standard", "full")
"""How much is asked, each tier with all of the one before it."""


HAD_BY_ID = ("vector", "seeded", "sizes")
"""The sources of cases that a run asks again by their ids."""


class Verdict(Enum):
    """What is said of one answer, the worst first."""

    UNSAFE = "unsafe"
    WRONG = "wrong"
    ERROR_MISMATCH = "error mismatch"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    UNDECIDED = "undecided"
    SKIPPED = "skipped"
    WITHIN = "within"
    EXACT = "exact"

    @property
    def fails(self) -> bool:
        """Whether an answer of this verdict does not conform."""
        return self in FAILURES


_BADNESS = {verdict: place for place, verdict in enumerate(Verdict)}

FAILURES = (Verdict.UNSAFE, Verdict.WRONG, Verdict.ERROR_MISMATCH, Verdict.CRASHED, Verdict.TIMED_OUT)


@dataclass(frozen=True, slots=True)
class Case:
    """One query, and what is known of its answer.

    numbers: how the input is written, one of NUMBERS. digits: what is asked for. expected: {"value": …} with enclosures
    and exact texts, or {"error": name}; None where the oracle works it out when it judges. tier: the first tier that
    asks it. source: "vector", "seeded", "sizes" or "search". equivalent: a smaller input of the same value, in the same
    numbers, from which the oracle works the answer out; None where there is none.
    """

    id: str
    op: str
    numbers: str
    input: Object
    expected: Object | None = None
    digits: int = 17
    tier: str = "standard"
    source: str = "vector"
    title: str = ""
    cites: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    equivalent: Object | None = None

    @property
    def part(self) -> str:
        """What part of the contract the case is about: its operation, or WIRE where the contract has no such one."""
        return self.op if self.op in OPERATIONS else WIRE

    def request(self, seq: int) -> Object:
        """Return the case as a request on the wire, without what is expected of it."""
        request: Object = {"seq": seq, "op": self.op, "input": self.input, "want": {"digits": self.digits}}
        return {**request, "numbers": self.numbers} if self.numbers != RATIONAL else request


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one request.

    answer: the decoded object of the wire with its "value", "error" or "skipped"; None where there was none, and then
    fault is Verdict.CRASHED (it died, or what it printed is no answer), Verdict.TIMED_OUT, or Verdict.WRONG (what it
    printed is too long to be read). message: what happened.
    """

    answer: Object | None
    fault: Verdict | None = None
    message: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is said of one answer, and why.

    ulps: how far the worst number of the answer is from the truth, in units in the last place of a double: positive
    above, negative below; None where that has no meaning (errors, crashes, an infinite distance). place: where in the
    value that is, as in "tpl 3"; "" for a value that is one level. truth and given: that number as the oracle and as
    the implementation wrote it.
    """

    verdict: Verdict
    ulps: int | None = None
    place: str = ""
    truth: str = ""
    given: str = ""
    detail: str = ""

    def __str__(self) -> str:
        if self.verdict is Verdict.WITHIN and self.ulps is not None:
            side = "above" if self.ulps > 0 else "below"
            return f"within {abs(self.ulps)} ulps {side}"
        return self.verdict.value


@dataclass(frozen=True, slots=True)
class PartialVerdict:
    """The verdict on one number; fields as in `Judgement`, but truth and given are written out only when needed."""

    verdict: Verdict
    ulps: int | None = None
    place: str = ""
    truth: object = ""
    given: object = ""
    detail: str = ""

    def judgement(self) -> Judgement:
        """Return this as the judgement on the whole answer."""
        return Judgement(self.verdict, self.ulps, self.place, str(self.truth), str(self.given), self.detail)


def worst(parts: Iterable[PartialVerdict]) -> PartialVerdict:
    """Return the worst of at least one, the farthest off of several, the first of those."""
    return min(parts, key=lambda part: (_BADNESS[part.verdict], -inf if part.ulps is None else -abs(part.ulps)))


def fault_of(error: BaseException) -> str:
    """Return what to say of the oracle's own failure."""
    return f"the oracle: {type(error).__name__}: {error}"


@dataclass(frozen=True, slots=True)
class Result:
    """One case with its judgement. expected_failure: the note of the xfail that covers it, None where there is none."""

    case: Case
    judgement: Judgement
    seconds: float = 0.0
    expected_failure: str | None = None

    @property
    def fails(self) -> bool:
        """Whether this makes the run fail: a failure that is not expected, or an expected one that did not happen."""
        return self.judgement.verdict.fails != (self.expected_failure is not None) and self.is_judged

    @property
    def is_judged(self) -> bool:
        """Whether there was an answer to judge and the oracle could."""
        return self.judgement.verdict not in (Verdict.SKIPPED, Verdict.UNDECIDED)


@dataclass(frozen=True, slots=True)
class Finding:
    """A failure class that the search met: the smallest case it came down to, and how many cases showed it."""

    result: Result
    met: int


@dataclass(slots=True)
class Run:
    """A conformance run: what was asked of whom, and what became of it.

    outside: how many cases were left out because they are outside the implementation's declared domain.
    """

    command: str
    tier: str
    seed: int
    ulps: int
    declaration: Declaration | None = None
    results: list[Result] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    searched: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    outside: int = 0
    restarts: int = 0
    seconds: float = 0.0
    complete: bool = True
