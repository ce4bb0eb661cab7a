"""The register's data model: a claim of the paper, the verdict on it as printed, and the evidence for the verdict.

A verdict is on the words of the paper. Evidence is a function that looks again each time: it returns what it found, or
raises `EvidenceFailed`. Its scope says what was covered: "checked on …" for an exhausted finite family, "proved for
n = …" for a decision over the reals, "for all n" for a theorem of Rocq, "general" where no size is fixed; what a
human must add is in `human_step`.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from ..reference.errors import InvalidRequest


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

    name: chapter (what its module's name begins with) and function; shows: one sentence; scope: which n, which
    family, which reduction; human_step: what closes it in general, None where nothing is left open.
    """

    name: str
    kind: EvidenceKind
    shows: str
    scope: str
    human_step: str | None
    look: Callable[[], str] = field(compare=False)

    def __call__(self) -> str:
        """Look again. Returns: what was found, in a sentence. Raises: EvidenceFailed; MissingProver."""
        return self.look()


def evidence(kind: EvidenceKind, scope: str, human_step: str | None = None) -> Callable[[Callable[[], str]], Evidence]:
    """Make a function into evidence; its docstring is the sentence that says what it shows."""

    def made(look: Callable[[], str]) -> Evidence:
        shows = " ".join((inspect.getdoc(look) or "").split())
        chapter, _, _ = look.__module__.rpartition(".")[2].partition("_")
        return Evidence(f"{chapter}.{look.__name__}", kind, shows, scope, human_step, look)

    return made


@dataclass(frozen=True)
class PaperClaim:
    """One item of the paper.

    id: its label, or its number where it has none; labels: all the labels that it answers for, itself included;
    number: as the reader finds it; statement: what it says, in our words; corrected: what is true instead, or a sharper
    form; witness: the smallest case that shows a fault; by_hand: how to check that with pencil and paper; errata: ids.
    """

    id: str
    item: Item
    number: str
    title: str
    statement: str
    verdict: ClaimVerdict
    evidence: tuple[Evidence, ...] = ()
    corrected: str | None = None
    witness: str | None = None
    by_hand: str | None = None
    errata: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the paper that this claim answers for."""
        return (self.id, *self.also)

    @property
    def kinds(self) -> tuple[EvidenceKind, ...]:
        """The kinds of its evidence, each once."""
        return tuple(dict.fromkeys(one.kind for one in self.evidence))


@dataclass(frozen=True)
class Erratum:
    """A fault of the printed paper.

    id: E1, E2, …; place: where; printed: what it says; corrected: what it should say; witness: the smallest case;
    evidence: that the printed version fails on the witness and the corrected one does not; listed: the item of
    MATH.md, section 7, that has it, None for one found since.
    """

    id: str
    place: str
    printed: str
    corrected: str
    witness: str
    evidence: tuple[Evidence, ...]
    listed: int | None = None


@dataclass(frozen=True)
class TrialOutcome:
    """What came of looking once. error is None where the evidence held; seconds: how long it took."""

    name: str
    found: str | None
    error: str | None
    seconds: float

    @property
    def held(self) -> bool:
        """Whether the evidence held."""
        return self.error is None


def look(piece: Evidence) -> TrialOutcome:
    """Run one piece of evidence. Returns: its outcome, a failure of any kind included. Raises: MissingProver."""
    start = time.perf_counter()
    found: str | None = None
    error: str | None = None
    try:
        found = piece()
    except MissingProver:
        raise
    except EvidenceFailed as failure:
        error = str(failure)
    except Exception as failure:  # noqa: BLE001 - however it broke, the evidence did not hold
        error = f"{type(failure).__name__}: {failure}"
    return TrialOutcome(piece.name, found, error, time.perf_counter() - start)


def require(holds: bool, otherwise: str) -> None:
    """Raise EvidenceFailed with what was found, unless it holds."""
    if not holds:
        raise EvidenceFailed(otherwise)


def exhausted(tried: int, members: int) -> None:
    """Raise EvidenceFailed unless as many cases were tried as the family has, so that no filter empties it."""
    require(tried == members, f"{tried} cases were tried, not {members}")
