"""An adversary who knows some of this person's values, at named times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..contract.limits import check_count
from ..data.adversaries import state_names
from ..data.files import Files
from ..models.basis import Basis
from ..models.chain import matrices_of
from ..models.given_values import GivenValues
from ..models.model import Model, NoSuchMethod
from ..models.worst_case import WorstCase
from ..reference import Adversary, InvalidRequest
from .declared import option
from .options import Correlations

LATEST = 1_000
"""The latest time at which a value may be known."""

knowing_option: Any = option(
    metavar="TIME=VALUE",
    help="Assume that the adversary knows this value, named or numbered, as in 5=home; repeatable.",
)


@dataclass(frozen=True, slots=True)
class Knowing:
    """The values that are known of one person, from 0, by time from 1, and how they were written."""

    values: Mapping[int, int]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, texts: Sequence[str], files: Files, paths: Sequence[str], n: int) -> Knowing:
        """Read times and values, which have their names where a file has them. Raises: InvalidRequest."""
        names = state_names(files, paths, n)
        found: dict[int, int] = {}
        for text in texts:
            time, mark, name = (part.strip() for part in text.partition("="))
            if not mark or not (time.isascii() and time.isdigit() and len(time) < 10 and int(time) > 0):
                raise InvalidRequest(f"--knowing: {text!r} is not TIME=VALUE with a time from 1, as in 5=home")
            check_count(int(time), LATEST, "times up to the last known value")
            if name not in names:
                known = ", ".join(names[:20])
                raise InvalidRequest(f"--knowing: there is no value {name!r}; there are {known}")
            if found.get(int(time), names.index(name)) != names.index(name):
                raise InvalidRequest(f"--knowing: two values at time {int(time)}")
            found[int(time)] = names.index(name)
        return cls(found, tuple(f"{names[value]} at time {time}" for time, value in sorted(found.items())))

    def model(self, model: Model) -> Model:
        """Return the exact worst case given these values. Raises: NoSuchMethod of the paper's bound."""
        if not isinstance(model, WorstCase):
            raise NoSuchMethod(f"the {model.title} is for one matrix at all times; known values make one for each step")
        return GivenValues(self.values)

    def basis(self, basis: Basis) -> Basis:
        """Return what an answer rests on, with what is known."""
        return replace(basis, values="; ".join(self.texts))


def knowing_of(
    texts: Sequence[str], adversaries: Mapping[str, Adversary], correlations: Correlations, files: Files
) -> Knowing | None:
    """Return what is known of this person, None for nothing. Raises: InvalidRequest."""
    if not texts:
        return None
    sizes = {matrix.n for adversary in adversaries.values() for matrix in matrices_of(adversary) if matrix is not None}
    if len(sizes) != 1:
        raise InvalidRequest("--knowing needs a chain: give matrices of one size")
    return Knowing.of(texts, files, [*correlations.backward, *correlations.forward], *sizes)
