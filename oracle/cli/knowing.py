"""An adversary who knows some of this person's values, at named times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import click

from ..contract.limits import check_count, too_large
from ..data.adversaries import state_names
from ..data.files import Files
from ..models.basis import Basis
from ..models.chain import matrices_of, one_chain
from ..models.model import Model, NoSuchMethod
from ..models.worst_case import WorstCase, greatest_of
from ..reference import Adversary, InvalidRequest, Level, PopulationLeakage, TransitionMatrix, stationary
from ..reference.worst_case.conditioned import conditioned
from ..solvers.worst_case.pairs import fast_tight_leakage

LATEST = 1_000
"""The latest time at which a value may be known."""

MOST_KNOWING_WORK = 30_000_000
"""Releases squared times states to the fourth: more would take many minutes."""

knowing_option = click.option(
    "--knowing",
    metavar="TIME=VALUE",
    multiple=True,
    help="A value of this person that the adversary knows, as 5=home, or by its number; repeatable.",
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

    def leakage(
        self, model: Model, epsilons: Sequence[Level], adversaries: Mapping[str, Adversary]
    ) -> PopulationLeakage[str]:
        """Return the exact worst case for the chain given these values. Raises: NoSuchMethod by the paper's bound."""
        if not isinstance(model, WorstCase):
            raise NoSuchMethod(f"the {model.title} is for one matrix at all times; known values make one for each step")
        each = {}
        for name, adversary in adversaries.items():
            forward = _chain(name, adversary)
            if len(epsilons) ** 2 * forward.n**4 > MOST_KNOWING_WORK:
                raise too_large(f"known values with {forward.n} states and {len(epsilons)} releases")
            chain = conditioned(forward, stationary(forward), self.values, len(epsilons))
            each[name] = fast_tight_leakage(epsilons, chain.backward, chain.forward, chain.possible)
        return greatest_of(each)

    def basis(self, basis: Basis) -> Basis:
        """Return what an answer rests on, with what is known."""
        return replace(basis, values="; ".join(self.texts))


def _chain(name: str, adversary: Adversary) -> TransitionMatrix:
    """Return P^F of the one stationary chain that an adversary knows. Raises: InvalidRequest where it is none."""
    backward, forward = matrices_of(adversary)
    if backward is None or forward is None or not one_chain(backward, forward).fits:
        raise InvalidRequest(f"{name}: --knowing is about one stationary chain: give one matrix, without --one-sided")
    return forward
