"""What evidence compares, typed: what a piece shows of a claim is not declared but follows from its facts.

A fact sets what the paper prints, or what stands in its place, beside what is right, computed another way. Of a
leakage what lies above is safe, and what lies below refutes; elsewhere every difference refutes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .coverage import within


class Bearing(StrEnum):
    """What a piece of evidence shows of a claim as it is printed."""

    SUPPORTS = "supports it as printed"
    REFUTES = "refutes it as printed"
    CORRECTS = "supports it as corrected"
    BOUNDS = "supports it as an upper bound only"
    PARTLY = "the paper prints nothing to compare it with"


Ids = str | tuple[str, ...]
"""One id, or several."""


@dataclass
class Compared:
    """All comparisons of one claim, or erratum, in one role by a piece of evidence: how many fell out how."""

    role: str
    equal: int = 0
    above: int = 0
    below: int = 0
    other: int = 0
    at_most: bool = False
    first: str = ""

    @property
    def cases(self) -> int:
        """How many comparisons there were."""
        return self.equal + self.above + self.below + self.other

    @property
    def bearing(self) -> Bearing | None:
        """What follows; None where what stands in place of the printed is wrong as well."""
        wrong = self.below + self.other
        if self.role not in (_PRINTED, _MENDED, _ABSENT):
            return None
        if self.role == _ABSENT:
            return Bearing.PARTLY if wrong else None
        if self.role == _MENDED:
            return None if wrong + self.above else Bearing.CORRECTS
        if wrong:
            return Bearing.REFUTES
        return Bearing.BOUNDS if self.above or self.at_most else Bearing.SUPPORTS


_PRINTED, _MENDED, _ABSENT = "printed", "corrected", "given"

_NOTED: ContextVar[dict[str, Compared] | None] = ContextVar("_NOTED", default=None)
_TOLD: ContextVar[set[tuple[str, str]] | None] = ContextVar("_TOLD", default=None)


def telling() -> AbstractContextManager[set[tuple[str, str]]]:
    """Collect the formulas of errata and claims that the body computes, each with whose it is."""
    return within(_TOLD, set())


def tell(name: str, formula: str) -> None:
    """Note that a formula of an erratum or a claim has been computed."""
    if (told := _TOLD.get()) is not None:
        told.add((name, formula))


def collecting() -> AbstractContextManager[dict[str, Compared]]:
    """Collect the facts that the body finds, by claim or erratum."""
    return within(_NOTED, {})


def compared(ids: Ids, printed: Any, right: Any, *, leakage: bool = False) -> None:
    """Note what the paper prints beside what is right; leakage: above is safe, below is not.

    Raises: TypeError where the two are not of one kind.
    """
    noted(ids, _PRINTED, printed, right, leakage=leakage)


def mended(ids: Ids, corrected: Any, right: Any) -> None:
    """Note the value of what stands corrected beside what is right. Raises: TypeError."""
    noted(ids, _MENDED, corrected, right)


def given(ids: Ids, printed: int, needed: int) -> None:
    """Note how many of the inputs that a claim needs the paper prints."""
    noted(ids, _ABSENT, printed, needed)


def at_most(ids: Ids, printed: str, proved: str) -> None:
    """Note the relation that is printed, = or ≤, beside the one that is proved: ≤ for = is an upper bound only."""
    for fact in _facts(ids, _PRINTED):
        fact.equal += 1
        if printed != proved:
            if (printed, proved) == ("=", "≤"):
                fact.at_most = True
            else:
                fact.equal, fact.other = fact.equal - 1, fact.other + 1
                fact.first = fact.first or f"printed {printed}, proved {proved}"


def noted(ids: Ids, role: str, said: Any, right: Any, *, leakage: bool = False) -> None:
    """Note what is said beside what is right, in a role. Raises: TypeError where the two are not of one kind."""
    numbers = isinstance(said, bool) is isinstance(right, bool)
    if not numbers or isinstance(said, str) is not isinstance(right, str):
        raise TypeError(f"{said!r} and {right!r} are not of one kind")
    for fact in _facts(ids, role):
        if said == right:
            fact.equal += 1
            continue
        if not leakage:
            fact.other += 1
        elif said > right:
            fact.above += 1
        else:
            fact.below += 1
        fact.first = fact.first or f"{role} {_shown(said)}, right {_shown(right)}"


def _facts(ids: Ids, role: str) -> Iterator[Compared]:
    if (facts := _NOTED.get()) is None:
        return
    for name in (ids,) if isinstance(ids, str) else ids:
        fact = facts.setdefault(name, Compared(role))
        if fact.role != role:
            raise TypeError(f"{name} is compared both as {fact.role} and as {role} by one piece")
        yield fact


def _shown(value: Any) -> str:
    return str(getattr(value, "exact_text", None) or value)


def bearings(facts: Mapping[str, Compared]) -> dict[str, Bearing]:
    """Return what facts show, by claim."""
    return {name: bearing for name, fact in facts.items() if (bearing := fact.bearing) is not None}
