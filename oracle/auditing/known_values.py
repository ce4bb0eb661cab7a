"""Which single value of a person, if an adversary knew it, would reveal most about the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..models.chain import matrices_of
from ..models.given_values import GivenValues
from ..reference import Adversary, Level, stationary
from ..solvers.worst_case.telling import most_telling


@dataclass(frozen=True, slots=True)
class Telling:
    """The value, from 0, at a time, from 1, that raises the greatest TPL most, and to what: exact. name: whose it is.

    plain: the greatest TPL to one who knows no value, which may be more: of a known value nothing is left to learn.
    """

    time: int
    value: int
    level: Level
    plain: Level
    name: str = ""

    @property
    def raises(self) -> bool:
        """Whether an adversary who knows it learns more at some time than one who knows nothing does at any."""
        return self.level.double_below() > self.plain.double_above()


def telling(epsilons: Sequence[Level], adversary: Adversary, plain: Level) -> Telling | None:
    """Return the most telling value at the times of the releases, by doubles, and its TPL, exactly.

    Args: adversary, who knows one stationary chain; plain, their greatest TPL. Returns: None where there is no such
    value, or it is too much work. Raises: Undecided.
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
    return Telling(found.time, found.value, model.greatest(levels).level, plain)


def worst_telling(each: Mapping[str, Telling | None]) -> Telling | None:
    """Return the one of the user who may learn most by it."""
    known = [replace(own, name=name) for name, own in each.items() if own is not None]
    return max(known, key=lambda own: own.level.double_above()) if known else None
