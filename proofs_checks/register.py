"""The register's data model: a claim of the paper, the verdict on it as printed, and the evidence for the verdict.

A verdict is on the words of the paper, and it follows from the evidence: each piece declares what it shows of which
claims as printed, and `verdict_of` says what that comes to. Of any other claim a piece shows nothing. Evidence is a
function that looks again each time: it returns what it found, or raises `EvidenceFailed`. What its loops went
through is noted as they do (`coverage`) and told beside its written scope, which has no numbers of its own: "proved"
for a decision over the reals, "for all n" for a theorem of Rocq, "general" where no size is fixed. What closes it in
general is a theorem of Rocq by name, `closed_by`, or else a sentence that a human must add, `human_step`.
"""

from __future__ import annotations

import inspect
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from types import FrameType

from ..reference.errors import InvalidRequest
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


class Bearing(StrEnum):
    """What a piece of evidence, where it holds, shows of a claim as it is printed."""

    SUPPORTS = "supports it as printed"
    REFUTES = "refutes it as printed"
    CORRECTS = "supports it as corrected, or a sharper form"
    BOUNDS = "supports it as an upper bound only"
    PARTLY = "supports what of it can be reproduced"
    ILLUSTRATES = "shows what it prints, or it at work"


def verdict_of(bearings: Iterable[Bearing]) -> ClaimVerdict | None:
    """Return the verdict on a claim as printed that follows from what its evidence shows; None from no evidence.

    A claim that is refuted holds corrected only where some evidence supports the correction; what bounds from above, or
    reaches a part only, is not made up for by what supports.
    """
    shown = set(bearings)
    if Bearing.REFUTES in shown:
        return ClaimVerdict.CORRECTED if Bearing.CORRECTS in shown else ClaimVerdict.FALSE
    return next((verdict for bearing, verdict in _UNREFUTED.items() if bearing in shown), None)


_UNREFUTED = {
    Bearing.BOUNDS: ClaimVerdict.UPPER_BOUND,
    Bearing.PARTLY: ClaimVerdict.NOT_REPRODUCIBLE,
    Bearing.SUPPORTS: ClaimVerdict.HOLDS,
    Bearing.ILLUSTRATES: ClaimVerdict.DEFINITION,
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
    the theorem of Rocq that does; bears: what it
    shows of which claims, by id; errata: the ids of the errata that it shows.
    """

    name: str
    kind: EvidenceKind
    shows: str
    scope: str
    human_step: str | None
    closed_by: str | None
    bears: tuple[tuple[str, Bearing], ...]
    errata: tuple[str, ...]
    look: Callable[[], str] = field(compare=False)

    def __call__(self) -> str:
        """Look again. Returns: what was found, in a sentence. Raises: EvidenceFailed; MissingProver."""
        return self.look()


Ids = str | tuple[str, ...]
"""One id, or several."""


def declared_bearings(name: str, declared: dict[str, Ids]) -> tuple[tuple[tuple[str, Bearing], ...], tuple[str, ...]]:
    """Return the bearings of a piece of evidence and its errata.

    Args: declared, ids of claims by the name of a `Bearing` in small letters, and ids of errata by the word errata.
    Raises: ValueError where it is declared to show two things of one claim; KeyError for another word.
    """
    ids = {word: (names,) if isinstance(names, str) else names for word, names in declared.items()}
    errata = ids.pop("errata", ())
    bears = tuple((claim, Bearing[word.upper()]) for word, claims in ids.items() for claim in claims)
    if len(dict(bears)) < len(bears):
        raise ValueError(f"{name} is declared to show two things of one claim")
    return bears, errata


def evidence(
    kind: EvidenceKind, scope: str, human_step: str | None = None, closed_by: str | None = None, **declared: Ids
) -> Callable[[Callable[[], str]], Evidence]:
    """Make a function into evidence; its docstring is the sentence that says what it shows.

    Args: as `Evidence`; declared, as `declared_bearings`: supports="thm:lfp", refutes=("remark", "eq:1"), errata="E1".
    """

    def made(look: Callable[[], str]) -> Evidence:
        shows = " ".join((inspect.getdoc(look) or "").split())
        chapter, _, _ = look.__module__.rpartition(".")[2].partition("_")
        name = f"{chapter}.{look.__name__}"
        return Evidence(name, kind, shows, scope, human_step, closed_by, *declared_bearings(name, declared), look)

    return made


@dataclass(frozen=True)
class PaperClaim:
    """One item of the paper.

    id: its label, or its number where it has none; labels: all the labels that it answers for, itself included;
    number: as the reader finds it; statement: what it says, in our words; verdict: as the author of the entry has it,
    which must be what the evidence comes to; corrected: what is true instead, or a sharper form; witness: the smallest
    case that shows a fault; by_hand: how to check that with pencil and paper; errata: ids; evidence: the pieces that
    bear on it, put in by `trial.all_claims`.
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
    evidence: tuple[Evidence, ...] = ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """All the numbers of the paper that this claim answers for: an item's, and those of its equations."""
        return (self.number, *self.number.split(", "))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the paper that this claim answers for."""
        return (self.id, *self.also)

    def shown_by(self, pieces: Iterable[Evidence]) -> ClaimVerdict | None:
        """Return the verdict on this claim that follows from pieces of evidence; those of other claims do not count."""
        return verdict_of(bearing for piece in pieces for claim, bearing in piece.bears if claim == self.id)

    @property
    def kinds(self) -> tuple[EvidenceKind, ...]:
        """The kinds of its evidence, each once."""
        return tuple(dict.fromkeys(one.kind for one in self.evidence))


@dataclass(frozen=True)
class Erratum:
    """A fault of the printed paper.

    id: E1, E2, …; place: where; printed: what it says; corrected: what it should say; witness: the smallest case;
    listed: its item in docs/mathematics.md, "Where the printed paper is wrong or silent", None where that has none;
    evidence: that the printed version fails on the witness and the corrected one does not, put in by
    `trial.all_errata`.
    """

    id: str
    place: str
    printed: str
    corrected: str
    witness: str
    listed: int | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class TrialOutcome:
    """What came of looking once. error is None where the evidence held; seconds: how long it took.

    covered: what its loops went through.
    """

    name: str
    found: str | None
    error: str | None
    seconds: float
    covered: str = ""

    @property
    def held(self) -> bool:
        """Whether the evidence held."""
        return self.error is None


PATIENCE = 120.0
"""Seconds of processor time that a piece of evidence may take; the longest takes about five."""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise EvidenceFailed in the body after so much processor time, on a main thread of POSIX."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ended(_number: int, _frame: FrameType | None) -> None:
        raise EvidenceFailed(f"no end within {seconds:g} seconds of processor time")

    former = signal.signal(signal.SIGVTALRM, ended)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
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
        with noting() as coverage, _limited(PATIENCE):
            found = piece()
    except MissingProver:
        raise
    except EvidenceFailed as failure:
        error = str(failure)
    except Exception as failure:  # noqa: BLE001 - however it broke, the evidence did not hold
        error = f"{type(failure).__name__}: {failure}"
    return TrialOutcome(piece.name, found, error, time.perf_counter() - start, coverage.text)


def require(holds: bool, otherwise: str) -> None:
    """Raise EvidenceFailed with what was found, unless it holds."""
    if not holds:
        raise EvidenceFailed(otherwise)


def exhausted(tried: int, members: int) -> None:
    """Raise EvidenceFailed unless as many cases were tried as the family has, so that no filter empties it."""
    require(tried == members, f"{tried} cases were tried, not {members}")
