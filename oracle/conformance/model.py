"""What a conformance run is made of: cases, replies, judgements, findings, and the run itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from math import inf

from ..contract.allocation import ALLOCATION_METHODS
from ..contract.operations import OPERATIONS
from ..mistakes.failures import FAR_ULPS
from ..mistakes.failures import ROUNDING_ULPS as ROUNDING_ULPS  # noqa: PLC0414 - exported
from ..mistakes.failures import Failure as Failure  # noqa: PLC0414 - exported
from ..wire.protocol import RATIONAL, Declaration
from ..wire.strict_json import Object

WIRE = "wire"
"""The part of the contract that is no operation's: the start, and requests for operations that there are not."""

DEFAULT_ULPS = 4096
"""How far from the truth, on the safe side, an answer may be."""

DEFAULT_TIMEOUT = 10.0
"""Seconds of processor time that one answer may take, or asleep."""

LEAST_START_TIMEOUT = 5.0
"""Those that a program may take to start even where an answer may take less."""

TIERS = ("smoke", "standard", "full")
"""How much is asked, each tier with all of the one before it."""


HAD_BY_ID = ("vector", "seeded", "sizes")
"""The sources of cases that a run asks again by their ids."""

AGAIN = "again"
"""The source of cases that were asked before, which -k with the id of the first asks again as often."""


class Verdict(Enum):
    """What is said of one answer, the worst first."""

    UNSAFE = "unsafe"
    WRONG = "wrong"
    ERROR_MISMATCH = "error mismatch"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    UNANSWERED = "unanswered"
    UNDECIDED = "undecided"
    SKIPPED = "skipped"
    WITHIN = "within"
    EXACT = "exact"

    @property
    def fails(self) -> bool:
        """Whether an answer of this verdict does not conform."""
        return self in FAILURES


_BADNESS = {verdict: place for place, verdict in enumerate(Verdict)}

FAILURES = (
    *(Verdict.UNSAFE, Verdict.WRONG, Verdict.ERROR_MISMATCH),
    *(Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.UNANSWERED),
)


def failure_of(verdict: Verdict, ulps: int | None) -> Failure | None:
    """Return the kind of failure that a verdict and a distance alone come to; None for a verdict that is no failure."""
    if verdict is Verdict.UNSAFE:
        if ulps is None:
            return Failure.FINITE_FOR_INFINITE
        if abs(ulps) <= ROUNDING_ULPS:
            return Failure.ROUNDING
        if abs(ulps) < FAR_ULPS:
            return Failure.BELOW if ulps < 0 else Failure.BUDGET_ABOVE
        return Failure.FAR_BELOW if ulps < 0 else Failure.BUDGET_FAR_ABOVE
    if verdict is Verdict.WRONG:
        return Failure.MALFORMED if ulps is None else Failure.TOO_FAR
    return _OF_VERDICT.get(verdict)


_OF_VERDICT = {
    Verdict.ERROR_MISMATCH: Failure.OTHER_ERROR,
    Verdict.CRASHED: Failure.CRASHED,
    Verdict.TIMED_OUT: Failure.TIMED_OUT,
    Verdict.UNANSWERED: Failure.UNANSWERED,
}


@dataclass(frozen=True, slots=True)
class FailureClass:
    """What failures are told apart by.

    which: where an error is involved, the name that was due and the one that came, "value" for a value; of a timeout,
    the method asked for, if any.
    """

    verdict: Verdict
    failure: Failure
    which: tuple[str, ...] = ()

    def __str__(self) -> str:
        match self.failure, self.which:
            case Failure.VALUE_FOR_ERROR, (due, _):
                return f"a value where {due} is expected"
            case Failure.ERROR_FOR_VALUE, (_, came):
                return f"{came} where a value is expected"
            case Failure.OTHER_ERROR, (due, came):
                return f"{came} where {due} is expected"
        return ", ".join([self.failure.value, *self.which])

    @property
    def slug(self) -> str:
        """The class as a part of an id."""
        kind = () if self.which or self.failure.value == self.verdict.value else (self.failure.name,)
        return "-".join((self.verdict.value, *kind, *self.which)).lower().replace(" ", "-").replace("_", "-")


@dataclass(frozen=True, slots=True)
class Case:
    """One query, and what is known of its answer.

    numbers: how the input is written, one of NUMBERS. digits: what is asked for. expected: {"value": …} with enclosures
    and exact texts, or {"error": name}; None where the oracle works it out when it judges. tier: the first tier that
    asks it. source: "vector", "seeded", "sizes" or "search". equivalent: a smaller input of the same value, in the same
    numbers, from which the oracle works the answer out; None where there is none. family: of its matrices, and
    schedule: of its budgets, the names of the structures that they were drawn from; "" where they were not. pieces: of
    the loss function, None where that is not known.
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
    family: str = ""
    schedule: str = ""
    pieces: int | None = None

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
    printed is too long to be read). message: what happened. seconds: by the clock, from question to answer.
    """

    answer: Object | None
    fault: Verdict | None = None
    message: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is said of one answer, or of one number of it, and why.

    ulps: how far the worst number of the answer is from the truth, in units in the last place of a double: positive
    above, negative below; None where that has no meaning (errors, crashes, an infinite distance). place: where in the
    value that is, as in "tpl 3"; "" for a value that is one level. truth and given: that number as the oracle and as
    the implementation wrote it; texts once the whole answer is judged. failure: its kind, None for an answer that does
    not fail; without it, what verdict and ulps come to. which: as in `FailureClass`, of errors. numbers: truth and
    given in doubles, of a failure.
    """

    verdict: Verdict
    ulps: int | None = None
    place: str = ""
    truth: object = ""
    given: object = ""
    detail: str = ""
    failure: Failure | None = None
    which: tuple[str, ...] = ()
    numbers: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        kind = (self.failure or failure_of(self.verdict, self.ulps)) if self.verdict.fails else None
        object.__setattr__(self, "failure", kind)

    def written(self) -> Judgement:
        """Return the judgement with its numbers as texts."""
        return replace(self, truth=str(self.truth), given=str(self.given))

    def __str__(self) -> str:
        if self.verdict is Verdict.WITHIN and self.ulps is not None:
            side = "above" if self.ulps > 0 else "below"
            return f"within {abs(self.ulps)} ulps {side}"
        return self.verdict.value


def worst(parts: Iterable[Judgement]) -> Judgement:
    """Return the worst of at least one, of several the most harmful, the farthest off, the first."""
    return min(parts, key=_badness)


def _badness(part: Judgement) -> tuple[int, int, float]:
    rank = part.failure.rank if part.failure is not None else 0
    return _BADNESS[part.verdict], rank, -inf if part.ulps is None else -abs(part.ulps)


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
    def failure_class(self) -> FailureClass | None:
        """What the failure is told from others by; None where it does not fail."""
        failure, method = self.judgement.failure, self.case.input.get("method")
        if failure is None:
            return None
        timed_out = failure is Failure.TIMED_OUT and method in ALLOCATION_METHODS
        which = (str(method),) if timed_out else self.judgement.which
        return FailureClass(self.judgement.verdict, failure, which)

    @property
    def is_judged(self) -> bool:
        """Whether there was an answer to judge and the oracle could."""
        return self.judgement.verdict not in (Verdict.SKIPPED, Verdict.UNDECIDED)


@dataclass(frozen=True, slots=True)
class Finding:
    """A failure class that the search met: the smallest case it came down to, and how many cases showed it."""

    result: Result
    met: int


@dataclass(frozen=True, slots=True)
class ProcessorUse:
    """Seconds of processor time of a run, and the share of all processors that others used meanwhile.

    implementation: None where it worked in the oracle's process.
    """

    implementation: float | None
    oracle: float
    others: float


@dataclass(slots=True)
class Run:
    """A conformance run: what was asked of whom, and what became of it.

    timeout: seconds of processor time for an answer. outside: how many cases were left out because they are outside the
    implementation's declared domain. compared: how many answers were held against others, of the same question or of
    related ones, without the truth. invalid: how many cases about invalid input a lenient run left out, None where it
    is not lenient. seconds: what it took by the clock. whole: whether all that is declared was to be asked. questions:
    of each operation, None where they are as many as the tier has.
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
    compared: int = 0
    invalid: int | None = None
    timeout: float = DEFAULT_TIMEOUT
    restarts: int = 0
    seconds: float = 0.0
    processor: ProcessorUse | None = None
    complete: bool = True
    whole: bool = False
    questions: int | None = None
