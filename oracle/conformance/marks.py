"""What is said of one number of an answer, and which of several numbers an answer is as bad as."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from .model import Judgement, Verdict

_BADNESS = {verdict: place for place, verdict in enumerate(Verdict)}


@dataclass(frozen=True, slots=True)
class Mark:
    """The verdict on one number; fields as in `Judgement`, but truth and given are written out only when needed."""

    verdict: Verdict
    ulps: int | None = None
    place: str = ""
    truth: object = ""
    given: object = ""
    detail: str = ""

    def judgement(self) -> Judgement:
        """Return the mark as the judgement on the whole answer."""
        return Judgement(self.verdict, self.ulps, self.place, str(self.truth), str(self.given), self.detail)


def worst(marks: Iterable[Mark]) -> Mark:
    """Return the mark of the worst verdict, the farthest off of several, the first of those. Of at least one mark."""
    return min(marks, key=lambda mark: (_BADNESS[mark.verdict], -inf if mark.ulps is None else -abs(mark.ulps)))


def fault_of(error: BaseException) -> str:
    """Return what to say of the oracle's own failure."""
    return f"the oracle: {type(error).__name__}: {error}"
