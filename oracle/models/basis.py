"""What a conclusion rests on: no number about leakage or budgets is shown without it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..reference.stepwise import Stepwise
from ..unchecked import FROM_ABOVE
from .chain import NOT_ASKED, KnownPair

NEIGHBOURS = "replacement of the value at one time"

ANY_MECHANISM = (
    "any stream in which changing the value at time s alone changes likelihoods by a factor of at most e^ε_s; "
    "FPL of mechanisms that read earlier outputs is TPL"
)

ONE_USER = "one"

NO_VALUE = "none"
"""Which of this person's values the adversary knows, unless it is said."""

NOT_ESTIMATED = "none, the matrices are taken as true"

_KNOWN = {
    (False, False): "knows P^B and P^F, each as given",
    (False, True): "knows P^B alone",
    (True, False): "knows P^F alone",
    (True, True): "knows no correlation",
}

_MADE = {
    "backward": "knows P^F, and P^B by its reversal",
    "forward": "knows P^B, and P^F by its reversal",
}

TIME_HOMOGENEOUS = "first order, the same at all times, for everybody"

IN_A_CYCLE, EACH_STEP = (
    "first order, in a cycle of matrices, for everybody",
    "first order, a matrix for each step, for everybody",
)

INDEPENDENT = "values at different times are independent"

NOT_TESTED = "not tested"

_USUAL = (NOT_ASKED, ONE_USER)


def law_of(known: Collection[KnownPair]) -> str:
    """Return which chain matrices are of: none, one at all times, a cycle, or one for each step."""
    if all(pair == (None, None) for pair in known):
        return INDEPENDENT
    own = [matrix for pair in known for matrix in pair if isinstance(matrix, Stepwise)]
    return TIME_HOMOGENEOUS if not own else IN_A_CYCLE if all(matrix.repeats for matrix in own) else EACH_STEP


class FitVerdict(Protocol):
    """Whether a chain fits the data, as `data.fit` tells."""

    def text(self) -> str:
        """Return it in words."""

    def warning(self) -> str:
        """Return what a conclusion begins with, if anything."""


@dataclass(frozen=True, slots=True)
class Basis:
    """What an answer rests on, each a phrase.

    adversary: which correlations they know, given, reversed or absent; values: which of this person's values; chain:
    whether these are one chain's at all times, and by how much not; neighbours: what ε is about; mechanisms: over which
    streams the worst is taken; step: the length of time of a step, where the data told it; users: how many the answer
    is about, of how many, and why not the others; estimate: from how many transitions the matrices are, and whether
    their uncertainty is included; fit: whether the chain fits the data; law: which chain that is; absent: why there is
    no answer by a model, by its key.
    """

    adversary: str
    chain: str = NOT_ASKED
    values: str = NO_VALUE
    neighbours: str = NEIGHBOURS
    mechanisms: str = ANY_MECHANISM
    step: str = NOT_ASKED
    users: str = ONE_USER
    estimate: str = NOT_ESTIMATED
    fit: FitVerdict | None = None
    law: str = TIME_HOMOGENEOUS
    absent: Mapping[str, str] = field(default_factory=dict)
    unchecked: tuple[str, ...] = ()
    """Why the check from above has not proved an answer; nothing where it has."""

    @property
    def checked(self) -> str | None:
        """How the answer was checked: "from above", or None where it was not, or not in all parts."""
        return None if self.unchecked else FROM_ABOVE

    @classmethod
    def of(cls, known: Collection[KnownPair], chain: str, whose: str, made: Collection[str] = (), **more: Any) -> Basis:
        """Return what an answer about adversaries with these matrices rests on.

        Args: known, what each knows; whose, who they are where there are several; made, the role of the correlation
        that was made by reversal, for each of those who were given the other one alone.
        """
        found = {(backward is None, forward is None) for backward, forward in known}
        if sum(backward is not None and forward is not None for backward, forward in known) == len(made):
            found.discard((False, False))
        told = [words for absent, words in _KNOWN.items() if absent in found]
        told += [words for role, words in _MADE.items() if role in made]
        more.setdefault("law", law_of(known))
        return cls(" or ".join(told), chain=chain, users=ONE_USER if len(known) == 1 else whose, **more)

    def value(self) -> dict[str, object]:
        """Return it for JSON: a text for each key, and under "absent" a text for each model without an answer."""
        texts = ("adversary", "values", "chain", "neighbours", "mechanisms", "step", "users", "estimate")
        fitted = {"fit": f"{self.law}: {self._verdict()}"}
        told = {"checked": f"not checked from above: {'; '.join(self.unchecked)}"} if self.unchecked else {}
        return {**{name: getattr(self, name) for name in texts}, "absent": dict(self.absent), **fitted, **told}

    def lines(self) -> tuple[str, ...]:
        """Return it in a few short lines for a reader; what is not asked is left out there."""
        chain = "" if self.chain == NOT_ASKED else f"; {self.chain}"
        of_whom = [
            f"{name}: {text}." for name, text in (("Step", self.step), ("Users", self.users)) if text not in _USUAL
        ]
        told = "one value replaced" if self.neighbours == NEIGHBOURS else self.neighbours
        return (
            f"Adversary: {self.adversary}{chain}.",
            *self._streams(),
            " ".join(
                [
                    *of_whom,
                    f"Neighbours: {told}.",
                    f"Known values: {self.values}.",
                    f"Estimate: {self.estimate}.",
                ]
            ),
            f"Chain: {self.law}: {self._verdict()}.",
        )

    def _verdict(self) -> str:
        return NOT_TESTED if self.fit is None else self.fit.text()

    def warning(self) -> str:
        """Return what a conclusion begins with: what to do where the chain does not fit, or the sample is small."""
        return "" if self.fit is None else self.fit.warning()

    def _streams(self) -> tuple[str, ...]:
        """Return which streams the worst is taken over, in a line or more."""
        if self.mechanisms != ANY_MECHANISM:
            return tuple(f"{line}." for line in f"Mechanisms: {self.mechanisms}".split("; "))
        return (
            "Mechanisms: changing one value at time s changes likelihoods by a factor of at most e^ε_s.",
            "FPL: for mechanisms that do not read earlier outputs; for others it equals TPL.",
        )
