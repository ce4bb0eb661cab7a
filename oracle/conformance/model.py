"""The data of a conformance run: cases, replies, judgements, findings, and the run itself."""

from __future__ import annotations

from collections import Counter
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
"""The part of the contract that belongs to no operation: the start, and requests for unknown operations."""

DEFAULT_ULPS = 4096
"""Greatest distance of a conforming answer from the truth, on the safe side, in ulps of a double."""

DEFAULT_TIMEOUT = 10.0
"""Limit of one answer, in seconds of processor time or of sleep."""

LEAST_START_TIMEOUT = 5.0
"""Least limit for the start of a program, in seconds."""

TIERS = ("smoke", "standard", "full")
"""The sets of questions; each tier includes the one before it."""

HAD_BY_ID = ("vector", "seeded", "sizes")
"""The sources of cases that can be asked again by id."""

AGAIN = "again"
"""The source of repeated questions; -k with the id of the first repeats them as often."""


class Verdict(Enum):
    """The verdict on one answer, the worst first."""

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
    """Return the kind of failure implied by a verdict and a distance; None for a verdict that is no failure."""
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
    """The key by which failures are grouped.

    which: the expected and the received error, "value" for a value; for a timeout, the method asked for, if any.
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
    """One question, and what is known of its answer.

    numbers: the notation of the input, one of NUMBERS. digits: of the answer. expected: {"value": …} with enclosures
    and exact texts, or {"error": name}; None if the oracle computes it when it judges. tier: the first tier that asks
    it. source: "vector", "seeded", "sizes" or "search". equivalent: a smaller input with the same answer, from which
    the oracle computes it. family, schedule: the structures from which matrices and budgets were drawn, if they were.
    pieces: of the loss function, if known. arrays: how a Python object is given its arrays, of `LAYOUTS`, "" as ever.
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
    arrays: str = ""

    @property
    def part(self) -> str:
        """The part of the contract that the case tests: its operation, or WIRE if that is unknown."""
        return self.op if self.op in OPERATIONS else WIRE

    def request(self, seq: int) -> Object:
        """Return the case as a request on the wire, without the expected answer."""
        request: Object = {"seq": seq, "op": self.op, "input": self.input, "want": {"digits": self.digits}}
        request |= {"numbers": self.numbers} if self.numbers != RATIONAL else {}
        return request | ({"arrays": self.arrays} if self.arrays else {})


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to one request.

    answer: the decoded object with its "value", "error" or "skipped"; None if there was none, and then fault is
    Verdict.CRASHED (the program died, or printed no answer), Verdict.TIMED_OUT, or Verdict.WRONG (the answer is too
    long to be read). message: what happened. seconds: elapsed time from question to answer.
    """

    answer: Object | None
    fault: Verdict | None = None
    message: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one answer, or of one number of it, and the reason.

    ulps: the distance of the worst number of the answer from the truth, in ulps of a double, positive above, negative
    below; None where it has no meaning (errors, crashes, an infinite distance). place: of that number in the value, as
    in "tpl 3". truth, given: that number as the oracle and as the implementation wrote it; texts once the whole answer
    is judged. failure: its kind, None for an answer that conforms; by default implied by verdict and ulps. which: as in
    `FailureClass`. numbers: truth and given in doubles, of a failure. apart: the distance, if far below an ulp.
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
    apart: str = ""

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
    """Return the worst of one or more judgements: the most harmful, the farthest from the truth, the first."""
    return min(parts, key=_badness)


def _badness(part: Judgement) -> tuple[int, int, float]:
    rank = part.failure.rank if part.failure is not None else 0
    return _BADNESS[part.verdict], rank, -inf if part.ulps is None else -abs(part.ulps)


def fault_of(error: BaseException) -> str:
    """Return the message about a failure of the oracle itself."""
    return f"the oracle: {type(error).__name__}: {error}"


@dataclass(frozen=True, slots=True)
class Result:
    """One case with its judgement. expected_failure: the note of the xfail that covers it, if there is one."""

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
        """The key by which the failure is grouped; None if it is no failure."""
        failure, method = self.judgement.failure, self.case.input.get("method")
        if failure is None:
            return None
        timed_out = failure is Failure.TIMED_OUT and method in ALLOCATION_METHODS
        which = (str(method),) if timed_out else self.judgement.which
        return FailureClass(self.judgement.verdict, failure, which)

    @property
    def is_judged(self) -> bool:
        """Whether there was an answer that the oracle could judge."""
        return self.judgement.verdict not in (Verdict.SKIPPED, Verdict.UNDECIDED)


@dataclass(frozen=True, slots=True)
class Finding:
    """A failure class found by the search: its smallest case, and the number of cases that showed it."""

    result: Result
    met: int


@dataclass(frozen=True, slots=True)
class ProcessorUse:
    """Seconds of processor time of a run, and the share of all processors that other programs used meanwhile.

    implementation: None if it ran in the oracle's process.
    """

    implementation: float | None
    oracle: float
    others: float


@dataclass(slots=True)
class Run:
    """A conformance run: who was asked what, and the results.

    timeout: seconds of processor time for an answer. outside: the number of cases outside the declared domain, which
    were left out. compared: the number of answers compared with others, without the truth. written: how many requests
    were written in each way of `surface.SURFACES`. invalid: the number of cases
    about invalid input that a lenient run left out, None if it is not lenient. seconds: elapsed time. whole: whether
    everything declared was to be asked. questions: of each operation, None for the tier's number.
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
    written: Counter[str] = field(default_factory=Counter)
    invalid: int | None = None
    timeout: float = DEFAULT_TIMEOUT
    restarts: int = 0
    seconds: float = 0.0
    processor: ProcessorUse | None = None
    complete: bool = True
    whole: bool = False
    questions: int | None = None

    @property
    def everything(self) -> list[Result]:
        """All results, those of the search last."""
        return [*self.results, *(finding.result for finding in self.findings)]
