"""The chain that correlations belong to: whether both are one's at all times, and the other one where one is given."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar, cast

from ..contract.errors import placed
from ..contract.limits import check_reversal
from ..reference import (
    Adversary,
    InvalidRequest,
    NotUnique,
    TransitionMatrix,
    UnreachableState,
    reverse,
    stationary,
)
from ..reference.paper.leakage import correlation_of
from ..reference.stepwise import KnownCorrelation, Stepwise, periodic_reversal

NOT_ASKED = "not asked"

Own = TypeVar("Own", bound=KnownCorrelation)

KnownPair = tuple[KnownCorrelation | None, KnownCorrelation | None]
"""A backward and a forward correlation, None where not known; each may have a matrix for each step."""

ROLES = ("backward", "forward")

OF_ONE_CHAIN = "both describe one stationary chain"

OF_ONE_CYCLE = "both describe one chain whose distribution repeats with each period"

NOT_OF_ONE_CYCLE = "not of one chain whose distribution repeats with each period"

STEPS_NOT_COMPARED = "not compared: each step has its own matrix"

NO_CORRELATION = "no correlation is given: name one, or say with --independent that the data have none"

MOST_REVERSED_STATES = 40
"""With more states than this the reversal, whose entries have many digits, is computed on request only."""

MOST_COMPARED = 20
"""Pairs of matrices that are compared."""


@dataclass(frozen=True, slots=True)
class OneChain:
    """Whether P^B is the reversal of P^F, so that both describe one stationary chain at all times.

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
            return f"whether both describe one chain cannot be decided: {self.refusal}"
        if self.fits:
            return OF_ONE_CHAIN
        return f"not of one stationary chain: off by {float(self.difference):.3g}"


def one_chain(backward: TransitionMatrix, forward: TransitionMatrix) -> OneChain:
    """Compare P^B with the reversal of P^F. Exact."""
    try:
        reversal = stationary_reversal(forward)
    except InvalidRequest as error:
        return OneChain(None, None, refusal=str(error))
    places = [(row, column) for row in range(forward.n) for column in range(forward.n)]
    differences = {(i, j): abs(backward.rows[i][j] - reversal.rows[i][j]) for i, j in places}
    place = max(places, key=lambda at: differences[at])
    return OneChain(reversal, differences[place], place)


def stationary_reversal(matrix: TransitionMatrix) -> TransitionMatrix:
    """Return P^B of the stationary chain with this P^F, or P^F of the one with this P^B. Exact.

    Raises: InvalidRequest where there is no such chain, or more than one; and where the reversal is too large.
    """
    try:
        initial = stationary(matrix)
        check_reversal(matrix, initial)
        return reverse(matrix, initial)
    except NotUnique as error:
        raise InvalidRequest(str(error)) from None
    except UnreachableState:
        raise InvalidRequest(
            "some states are transient: no stationary chain visits them, and where a state is never left no constant "
            "budget lasts for ever (estimate --steps T writes both correlations of a cohort over T releases)"
        ) from None


def other_one(correlation: KnownCorrelation, role: str) -> KnownCorrelation:
    """Return the other correlation of the chain whose distribution is the same at all times, or after each period.

    Args: role, of the one that is given. Exact. Raises: InvalidRequest where it does not follow.
    """
    if isinstance(correlation, TransitionMatrix):
        return stationary_reversal(correlation)
    if not correlation.repeats:
        raise InvalidRequest("the distribution at the first time is not known")
    try:
        return periodic_reversal(correlation, is_forward=role == "forward")
    except NotUnique as error:
        raise InvalidRequest(f"over a period {error}") from None
    except UnreachableState:
        raise InvalidRequest("some values do not occur at all times") from None


def completed(
    matrices: Mapping[str, Mapping[str, Own]], one_sided: bool, independent: bool
) -> tuple[dict[str, dict[str, Own]], dict[str, str]]:
    """Give to each adversary who knows one correlation the other one too: who knows a chain knows both of them.

    The other one is the reversal under the chain's stationary distribution, so that both are one chain's at all times.

    Args: matrices, what each knows by role, by name; one_sided, leave one correlation alone; independent, admit who
    knows none. Returns: what each knows, and by name the role of the correlation that was made. Exact.
    Raises: InvalidRequest where somebody knows none, and where no reversal follows; each says who, and what to give.
    """
    found: dict[str, dict[str, Own]] = {}
    made: dict[str, str] = {}
    reversals: dict[tuple[str, Own], Own] = {}
    for name, known in matrices.items():
        found[name] = dict(known)
        with placed(name):
            if not known and not independent:
                raise InvalidRequest(NO_CORRELATION)
            if len(known) != 1 or one_sided:
                continue
            ((role, matrix),) = known.items()
            made[name] = ROLES[1 - ROLES.index(role)]
            if (role, matrix) not in reversals:
                try:
                    reversals[role, matrix] = cast("Own", other_one(matrix, role))
                except InvalidRequest as error:
                    raise InvalidRequest(
                        f"the {made[name]} correlation does not follow from the {role} one: {error}; give it as well, "
                        "or say with --one-sided that the adversary does not know it"
                    ) from None
            found[name][made[name]] = reversals[role, matrix]
    return found, made


def correlations_of(adversary: Adversary) -> KnownPair:
    """Return the correlations that an adversary knows."""
    backward, forward = map(correlation_of, adversary.losses)
    return backward, forward


def chain_of(known: Iterable[KnownPair]) -> str:
    """Say of each pair of matrices that is known together whether it is one chain's; of several the worst."""
    found = {(backward, forward) for backward, forward in known if backward is not None and forward is not None}
    pairs = {
        (backward, forward)
        for backward, forward in found
        if isinstance(backward, TransitionMatrix) and isinstance(forward, TransitionMatrix)
    }
    if not found:
        return NOT_ASKED
    if len(pairs) < len(found):
        return _cycles(found)
    if len(pairs) > MOST_COMPARED or any(forward.n > MOST_REVERSED_STATES for _, forward in pairs):
        return f"not compared: more than {MOST_COMPARED} pairs of matrices, or more than {MOST_REVERSED_STATES} states"
    return worst_chain(one_chain(*pair) for pair in pairs)


def _cycles(found: Collection[tuple[KnownCorrelation, KnownCorrelation]]) -> str:
    """Say whether correlations with a matrix for each step are one chain's."""
    for backward, forward in found:
        if not isinstance(forward, Stepwise) or not forward.repeats or forward.each[0].n > MOST_REVERSED_STATES:
            return STEPS_NOT_COMPARED
        try:
            if other_one(forward, "forward") != backward:
                return NOT_OF_ONE_CYCLE
        except InvalidRequest as error:
            return f"whether both describe one chain cannot be decided: {error}"
    return OF_ONE_CYCLE


def worst_chain(found: Iterable[OneChain]) -> str:
    """Say of several comparisons what the worst of them says."""
    return max(found, key=lambda each: (each.difference is None, each.difference or 0)).text()
