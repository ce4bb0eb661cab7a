"""The register's data model: a claim of the paper, the verdict on it as printed, and the evidence for the verdict.

A verdict is on the words of the paper, and it follows from the evidence: a piece compares what is printed with what is
right (`compared`), and what it shows of a claim is derived from that; `verdict_of` says what the two pieces that a
verdict rests on come to (`grounds`). The others are further checks, all of which must hold. Evidence is a function
that looks again each time: it returns what it found, or raises `EvidenceFailed`. What its loops went through is noted
as they do (`coverage`) and told beside its written scope, which has no numbers of its own: "proved" for a decision
over the reals, "for all n" for a theorem of Rocq, "general" where no size is fixed. What closes it in general is a
theorem of Rocq by name, `closed_by`, or else a sentence that a human must add, `human_step`.
"""

from __future__ import annotations

import inspect
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from types import FrameType
from typing import Self

from ..reference.errors import InvalidRequest
from .compared import Bearing, Compared, Ids, bearings, collecting, telling
from .coverage import noting


class EvidenceFailed(Exception):
    """What a piece of evidence looked for is not so; the message says what was found instead."""


class MissingProver(InvalidRequest):
    """A package that the evidence needs is not installed; on the command line and the wire an `InvalidRequest`."""

    @property
    def name(self) -> str:
        """The contract's name of the error."""
        return InvalidRequest.__name__


class EvidenceKind(StrEnum):
    """How a piece of evidence works. Two pieces of different kinds are independent."""

    ENUMERATION = "exact enumeration"
    IDENTITY = "symbolic identity"
    DECISION = "decision procedure"
    CERTIFICATE = "certificate"
    BRUTE_FORCE = "brute force"
    TRANSCRIPTION = "transcription"
    THEOREM = "theorem"


class ClaimVerdict(StrEnum):
    """What became of a claim as it is printed."""

    HOLDS = "holds"
    CORRECTED = "holds corrected"
    UPPER_BOUND = "upper bound only"
    FALSE = "false"
    NOT_REPRODUCIBLE = "not reproducible"
    DEFINITION = "definition"


Ground = tuple[EvidenceKind, Bearing]
"""What a verdict rests on: how a piece of evidence works, and what follows from its facts."""


def verdict_of(grounds: Iterable[Ground]) -> ClaimVerdict | None:
    """Return the verdict on a claim as printed that follows from two grounds of different kinds; None from fewer.

    Nothing follows from one ground alone, so that a verdict fails without either of its two.
    """
    kinds, bearings = zip(*found, strict=True) if (found := tuple(grounds)) else ((), ())
    if len(kinds) != 2 or kinds[0] is kinds[1]:
        return None
    return _VERDICTS.get(frozenset(bearings))


_VERDICTS = {
    frozenset({Bearing.SUPPORTS}): ClaimVerdict.HOLDS,
    frozenset({Bearing.REFUTES, Bearing.CORRECTS}): ClaimVerdict.CORRECTED,
    frozenset({Bearing.BOUNDS}): ClaimVerdict.UPPER_BOUND,
    frozenset({Bearing.REFUTES}): ClaimVerdict.FALSE,
    frozenset({Bearing.PARTLY, Bearing.SUPPORTS}): ClaimVerdict.NOT_REPRODUCIBLE,
}


class Item(StrEnum):
    """What kind of item of the paper a claim is."""

    DEFINITION = "definition"
    THEOREM = "theorem"
    COROLLARY = "corollary"
    LEMMA = "lemma"
    REMARK = "remark"
    ALGORITHM = "algorithm"
    EQUATION = "equation"
    EXAMPLE = "example"
    TABLE = "table"
    FIGURE = "figure"
    TEXT = "text"


@dataclass(frozen=True)
class Evidence:
    """One way to see that a verdict is right.

    name: chapter (what its module's name begins with) and function; shows: one sentence; scope: which family, which
    reduction, numbers apart, which the run tells; human_step: what a human must add to close it in general; closed_by:
    the theorem of Rocq that does; errata: the ids of the errata that it shows; about: the ids of the claims that it is
    about (what it shows of them follows from its facts), put in by `trial.all_evidence` from those that name it.
    """

    name: str
    kind: EvidenceKind
    shows: str
    scope: str
    human_step: str | None
    closed_by: str | None
    about: tuple[str, ...]
    errata: tuple[str, ...]
    look: Callable[[], str] = field(compare=False)

    def __call__(self) -> str:
        """Look again. Returns: what was found, in a sentence. Raises: EvidenceFailed; MissingProver."""
        return self.look()


def as_ids(ids: Ids) -> tuple[str, ...]:
    """Return one id, or several, as several."""
    return (ids,) if isinstance(ids, str) else ids


def evidence(
    kind: EvidenceKind, scope: str, human_step: str | None = None, closed_by: str | None = None, *, errata: Ids = ()
) -> Callable[[Callable[[], str]], Evidence]:
    """Make a function into evidence; its docstring is the sentence that says what it shows. Args: as `Evidence`."""

    def made(look: Callable[[], str]) -> Evidence:
        shows = " ".join((inspect.getdoc(look) or "").split())
        chapter, _, _ = look.__module__.rpartition(".")[2].partition("_")
        name = f"{chapter}.{look.__name__}"
        return Evidence(name, kind, shows, scope, human_step, closed_by, (), as_ids(errata), look)

    return made


@dataclass(frozen=True)
class PaperClaim:
    """One item of the paper.

    id: its label, or its number where it has none; labels: all the labels that it answers for, itself included;
    number: as the reader finds it; statement: what it says, in our words; verdict: as the author of the entry has it,
    which must be what the evidence comes to; corrected: what is true instead, or a sharper form; witness: the smallest
    case that shows a fault; by_hand: how to check that with pencil and paper; errata: ids; grounds: by name the two
    pieces of evidence, of different kinds, that carry the verdict (of a claim that holds both support it; of one that
    is false both refute it; of an upper bound both bound it; of one that holds corrected the first refutes what is
    printed and the second supports the correction; where the paper does not print what it would take, the first finds
    that and the second supports what is said; definitions claim nothing); checks: further ones; evidence: all that are
    about it; formulas: what by_hand computes. These three, by_hand among them, are put in by `trial.all_claims`.
    """

    id: str
    item: Item
    number: str
    title: str
    statement: str
    verdict: ClaimVerdict
    corrected: str | None = None
    witness: str | None = None
    by_hand: str | None = None
    errata: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    grounds: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    formulas: frozenset[str] = frozenset()

    @property
    def numbers(self) -> tuple[str, ...]:
        """All the numbers of the paper that this claim answers for: an item's, and those of its equations."""
        return (self.number, *self.number.split(", "))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the paper that this claim answers for."""
        return (self.id, *self.also)

    @property
    def kinds(self) -> tuple[EvidenceKind, ...]:
        """The kinds of its evidence, each once."""
        return tuple(dict.fromkeys(one.kind for one in self.evidence))


class _Meant(StrEnum):
    """A word with what it means."""

    meaning: str

    def __new__(cls, word: str, meaning: str = "") -> Self:
        found = str.__new__(cls, word)
        vars(found).update(_value_=word, meaning=meaning)
        return found


class Nature(_Meant):
    """What kind of fault an erratum is, the gravest first; `TrialReport.nature` derives it from the evidence."""

    STATEMENT = "wrong statement", "what is said is not so, read as the paper itself explains it"
    GAP = "gap in a proof", "a step of a proof does not follow; what is proved may be true"
    SLIP = "slip", "other lines of the paper say what is meant"
    REMARK = "remark", "nothing false is said; a condition to add, or a sharper form"


class Consequence(_Meant):
    """What becomes of those who follow the printed words, the worst first; it follows from the numbers compared."""

    UNSAFE = "unsafe", "a leakage comes out below the truth"
    SAFE = "wrong, but safe", "a leakage comes out above the truth, and never below"
    NONE = "none", "no leakage comes out otherwise"


@dataclass(frozen=True)
class Erratum:
    """A fault of the printed paper.

    id: E1, E2, …; nature; consequence; quotes: what is printed, verbatim, with the lines of the LaTeX source;
    defence: the best that can be said for it; remains: what is wrong all the same; corrected: what it should say;
    witness: the smallest case, checked by hand; implementers: for them, where no test vector shows it; listed: its item
    in docs/mathematics.md, "Where the printed paper is wrong or silent", None where that has none; evidence: that the
    printed version fails on the witness and the corrected one does not; place: the items that cite it; formulas: what
    the texts compute (`prose`). The last three are put in by `trial.all_errata`.
    """

    id: str
    nature: Nature
    consequence: Consequence
    quotes: tuple[tuple[int, str], ...]
    defence: str
    remains: str
    corrected: str
    witness: str
    implementers: str | None = None
    listed: int | None = None
    evidence: tuple[Evidence, ...] = ()
    place: str = ""
    formulas: frozenset[str] = frozenset()

    @property
    def grade(self) -> str:
        """Its nature and its consequence."""
        return (
            f"{self.nature.value}, {self.consequence.value}" if self.consequence.value != "none" else self.nature.value
        )

    @property
    def printed(self) -> str:
        """What is printed, as LaTeX, with its lines."""
        return " … ".join(f"{text} (line {number})" for number, text in self.quotes)


@dataclass(frozen=True)
class TrialOutcome:
    """What came of looking once. error is None where the evidence held; seconds: how long it took.

    covered: what its loops went through; facts: what it compared, by claim and erratum; told: the formulas of errata
    and claims that it computed.
    """

    name: str
    found: str | None
    error: str | None
    seconds: float
    covered: str = ""
    facts: Mapping[str, Compared] = field(default_factory=dict)
    told: frozenset[tuple[str, str]] = frozenset()

    @property
    def bearings(self) -> dict[str, Bearing]:
        """What it shows of which claims; nothing where it did not hold."""
        return bearings(self.facts) if self.held else {}

    @property
    def held(self) -> bool:
        """Whether the evidence held."""
        return self.error is None


PATIENCE = 120.0
"""Seconds of processor time that a piece of evidence may take; the longest takes about five."""

ENDED_AGAIN_AFTER = 1.0
"""Seconds after which the end of a piece of evidence is raised again: Python ignores what is raised in a finalizer."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise EvidenceFailed in the body after this processor time, on a main thread of POSIX; again where ignored."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ended(_number: int, _frame: FrameType | None) -> None:
        raise EvidenceFailed(f"no end within {seconds:g} seconds of processor time")

    former = signal.signal(signal.SIGVTALRM, ended)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, ENDED_AGAIN_AFTER)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)


def look(piece: Evidence) -> TrialOutcome:
    """Run one piece of evidence, which may take `PATIENCE`.

    Returns: its outcome, a failure of any kind included. Raises: MissingProver.
    """
    start = time.perf_counter()
    found: str | None = None
    error: str | None = None
    try:
        with noting() as coverage, collecting() as facts, telling() as told, _limited(PATIENCE):
            found = piece()
    except MissingProver:
        raise
    except EvidenceFailed as failure:
        error = str(failure)
    except Exception as failure:  # noqa: BLE001 - however it broke, the evidence did not hold
        error = f"{type(failure).__name__}: {failure}"
    return TrialOutcome(piece.name, found, error, time.perf_counter() - start, coverage.text, facts, frozenset(told))


def require(holds: bool, otherwise: str) -> None:
    """Raise EvidenceFailed with what was found, unless it holds."""
    if not holds:
        raise EvidenceFailed(otherwise)


@contextmanager
def raising(error: type[Exception], otherwise: str) -> Iterator[None]:
    """Raise EvidenceFailed unless the body raises this error."""
    try:
        yield
    except error:
        return
    raise EvidenceFailed(otherwise)


def exhausted(tried: int, members: int) -> None:
    """Raise EvidenceFailed unless as many cases were tried as the family has, so that no filter empties it."""
    require(tried == members, f"{tried} cases were tried, not {members}")
