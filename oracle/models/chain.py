"""Whether a backward and a forward correlation are those of one stationary chain, at all times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..reference import Adversary, NotUnique, TransitionMatrix, UnreachableState, reverse, stationary

NOT_ASKED = "not asked"

Matrices = tuple[TransitionMatrix | None, TransitionMatrix | None]
"""A backward and a forward correlation, None where not known."""

MOST_REVERSED_STATES = 40
"""For more states the reversal, whose entries have many digits, is not worked out unless it is asked for."""

MOST_COMPARED = 20
"""Pairs of matrices that are compared."""


@dataclass(frozen=True, slots=True)
class OneChain:
    """Whether P^B is the reversal of P^F, so that both are one stationary chain's at all times.

    reversal: that of P^F under its stationary distribution; difference: the greatest one between entries of P^B and of
    the reversal, at this row and column, from 0; both None where there is no reversal, and refusal says why.
    """

    reversal: TransitionMatrix | None
    difference: Fraction | None
    place: tuple[int, int] = (0, 0)
    refusal: str = ""

    @property
    def fits(self) -> bool:
        """Whether P^B is the reversal."""
        return self.difference == 0

    def text(self) -> str:
        """Return it in words."""
        if self.difference is None:
            return f"whether they are one chain's cannot be told: {self.refusal}"
        if self.fits:
            return "they are one stationary chain's"
        return f"not one stationary chain's: off by {float(self.difference):.3g}"


def one_chain(backward: TransitionMatrix, forward: TransitionMatrix) -> OneChain:
    """Compare P^B with the reversal of P^F. Exact."""
    try:
        reversal = reverse(forward, stationary(forward))
    except NotUnique as error:
        return OneChain(None, None, refusal=str(error))
    except UnreachableState:
        return OneChain(None, None, refusal="some states are transient: no stationary chain visits them")
    places = [(row, column) for row in range(forward.n) for column in range(forward.n)]
    differences = {(i, j): abs(backward.rows[i][j] - reversal.rows[i][j]) for i, j in places}
    place = max(places, key=lambda at: differences[at])
    return OneChain(reversal, differences[place], place)


def matrices_of(adversary: Adversary) -> Matrices:
    """Return the matrices that an adversary knows."""
    backward, forward = (None if loss is None else loss.matrix for loss in (adversary.backward, adversary.forward))
    return backward, forward


def chain_of(known: Iterable[Matrices]) -> str:
    """Say of each pair of matrices that is known together whether it is one chain's; of several the worst."""
    pairs = {(backward, forward) for backward, forward in known if backward is not None and forward is not None}
    if not pairs:
        return NOT_ASKED
    if len(pairs) > MOST_COMPARED or any(forward.n > MOST_REVERSED_STATES for _, forward in pairs):
        return f"not compared: more than {MOST_COMPARED} pairs of matrices, or more than {MOST_REVERSED_STATES} states"
    return worst_chain(one_chain(*pair) for pair in pairs)


def worst_chain(found: Iterable[OneChain]) -> str:
    """Say of several comparisons what the worst of them says."""
    return max(found, key=lambda each: (each.difference is None, each.difference or 0)).text()
