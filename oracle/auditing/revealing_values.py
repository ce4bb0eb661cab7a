"""Which single value of a person, if an adversary knew it, would reveal most about the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..models.given_values import GivenValues
from ..reference import Adversary, Level, stationary
from ..reference.paper.leakage import matrices_of
from ..solvers.worst_case.telling import most_telling


@dataclass(frozen=True, slots=True)
class RevealingValue:
    """The value, from 0, and the time, from 1, that raise the greatest TPL most if an adversary knows the value then.

    level: the greatest TPL then, exact. plain: the greatest TPL to an adversary who knows no value, which may be more:
    there is nothing left to learn of a known value. name: of the user, among several.
    """

    time: int
    value: int
    level: Level
    plain: Level
    name: str = ""

    @property
    def raises(self) -> bool:
        """Whether an adversary who knows the value can learn more than one who knows none."""
        return self.level.double_below() > self.plain.double_above()


def revealing_value(epsilons: Sequence[Level], adversary: Adversary, plain: Level) -> RevealingValue | None:
    """Return the value that reveals most at the times of the releases: found in doubles, its TPL computed exactly.

    Args: adversary, who knows one stationary chain; plain, their greatest TPL. Returns: None if there is no such value,
    or finding it would take too long. Raises: Undecided.
    """
    _, forward = matrices_of(adversary)
    assert forward is not None, "both matrices are known"
    if any(epsilon.is_infinite for epsilon in epsilons):
        return None
    found = most_telling(epsilons, forward, stationary(forward))
    if found is None:
        return None
    model = GivenValues({found.time: found.value})
    levels = {time: own.level for time, own in enumerate(model.leakage(epsilons, {"": adversary}).tpl, 1)}
    return RevealingValue(found.time, found.value, model.greatest(levels).level, plain)


def worst_revealing_value(each: Mapping[str, RevealingValue | None]) -> RevealingValue | None:
    """Return the value that reveals most, over all users."""
    known = [replace(own, name=name) for name, own in each.items() if own is not None]
    return max(known, key=lambda own: own.level.double_above()) if known else None
