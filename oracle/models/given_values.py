"""The exact worst case for an adversary who knows some of this person's values: the chain given them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..checked import fast_worst_case_leakage
from ..contract.limits import check_count, too_large
from ..reference import (
    INFINITE,
    Adversary,
    InvalidRequest,
    Level,
    PopulationLeakage,
    TransitionMatrix,
    Undecided,
    stationary,
)
from ..reference.decimals import decimal_exponent
from ..reference.paper.leakage import matrices_of
from ..reference.worst_case.conditioned import conditioned
from ..solvers.false_position import Between
from .basis import Basis
from .chain import one_chain
from .model import Adversaries, Model, NoSuchMethod
from .schedules import CONSTANT, check_horizon
from .worst_case import WorstCase, greatest_of

MOST_KNOWING_WORK = 30_000_000
"""Releases squared times states to the fourth: more would take many minutes."""

LATEST = 1_000
"""The latest time at which a value may be known."""


@dataclass(frozen=True, slots=True)
class Knowing:
    """The values that are known of one person, from 0, by time from 1, and how they are told."""

    values: Mapping[int, int]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, given: Iterable[tuple[int, str]], names: Sequence[str]) -> Knowing:
        """Return what is known by times from 1 and names of states. Raises: InvalidRequest."""
        found: dict[int, int] = {}
        for time, name in given:
            if time < 1:
                raise InvalidRequest(f"--knowing: times are from 1, not {time}")
            check_count(time, LATEST, "times up to the last known value")
            if name not in names:
                raise InvalidRequest(f"--knowing: there is no value {name!r}; there are {', '.join(names[:20])}")
            if found.get(time, names.index(name)) != names.index(name):
                raise InvalidRequest(f"--knowing: two values at time {time}")
            found[time] = names.index(name)
        return cls(found, tuple(f"{names[value]} at time {time}" for time, value in sorted(found.items())))

    def model(self, model: Model) -> Model:
        """Return the exact worst case given these values. Raises: NoSuchMethod of the paper's bound."""
        if not isinstance(model, WorstCase):
            raise NoSuchMethod(f"the {model.title} is for one matrix at all times; known values make one for each step")
        return GivenValues(self.values)

    def basis(self, basis: Basis) -> Basis:
        """Return what an answer rests on, with what is known."""
        return replace(basis, values="; ".join(self.texts))


class GivenValues(WorstCase):
    """The exact worst case where some values are known: the chain given them has matrices of its own for each step.

    values: what is known, from 0, by time from 1.
    """

    def __init__(self, values: Mapping[int, int]) -> None:
        super().__init__()
        self.values = values

    def leakage(self, epsilons: Sequence[Level], adversaries: Adversaries) -> PopulationLeakage[str]:
        """Return the greatest leakage over all mechanisms given the values. Raises: InvalidRequest for no one chain."""
        each = {}
        for name, adversary in adversaries.items():
            forward = _chain(name, adversary)
            if len(epsilons) ** 2 * forward.n**4 > MOST_KNOWING_WORK:
                raise too_large(f"known values with {forward.n} states and {len(epsilons)} releases")
            chain = conditioned(forward, stationary(forward), self.values, len(epsilons))
            each[name] = fast_worst_case_leakage(epsilons, chain.backward, chain.forward, chain.possible)
        return greatest_of(each)

    def schedule(
        self, alpha: Level, adversaries: Adversaries, method: str, horizon: int | None, digits: int
    ) -> tuple[Level, ...]:
        """Return the greatest constant budget for T releases: a verified *lower* bound to `digits` digits.

        It keeps alpha to who knows the values, and to who does not, who may learn more: of the known values themselves.
        """
        if method != CONSTANT:
            raise NoSuchMethod(f"known values make one matrix for each step: there is the method {CONSTANT} alone")
        releases = check_horizon(method, horizon)
        given = self._constant(alpha, adversaries, releases, digits)
        return (min(given, WorstCase().schedule(alpha, adversaries, method, horizon, digits)[0]).to_spend(),) * releases

    def _constant(self, alpha: Level, adversaries: Adversaries, releases: int, digits: int) -> Level:
        if alpha.is_infinite or alpha.is_zero:
            return alpha.to_spend()
        ends = alpha.enclosure(digits + 3)
        least = Fraction(ends.lower) / releases  # budgets add up to alpha: kept whatever is correlated

        def over(budget: Fraction) -> Fraction:
            """Return about by how much the worst TPL exceeds alpha: above 0 unless it is seen to be within it."""
            levels = [own.level for own in self.leakage([Level.of(budget)] * releases, adversaries).tpl]
            about = Fraction(max(map(float, levels)))
            if all(_is_within(level, alpha) for level in levels):
                return min(about - Fraction(ends.upper), Fraction(0))
            return max(about - Fraction(ends.lower), Fraction(1, 10**30))

        if over(Fraction(ends.lower)) <= 0:  # no time has two possible values, or each release tells of itself alone
            known = all(own.level.is_zero for own in self.leakage([alpha] * releases, adversaries).tpl)
            return (INFINITE if known else Level.of(Fraction(ends.lower))).to_spend()
        found = Between(least, Fraction(ends.lower), over(least), over(Fraction(ends.lower)))
        unit = Fraction(10) ** (decimal_exponent(least) + 1 - digits)
        while found.high - found.low > unit:
            tried = found.line() or (found.low + found.high) / 2
            margin = max((found.high - found.low) / 1000, unit)
            tried = min(
                max(tried // unit * unit, found.low + margin // unit * unit), found.high - margin // unit * unit
            )
            if not found.low < tried < found.high:
                tried = (found.low + found.high) / 2
            exceeds = over(tried)
            found.take(tried, exceeds, is_above=exceeds > 0)
        return Level.of(found.low // unit * unit).to_spend()

    def kept(
        self,
        schedule: Sequence[Level],
        adversaries: Adversaries,
        alpha: Level,
        attained: bool = False,  # noqa: ARG002 - as of the worst case
    ) -> list[tuple[Level, ...]]:
        """Return the worst TPL over time to who knows the values, and to who does not."""
        found = [tuple(own.tpl) for own in self.leakage(schedule, adversaries).each.values()]
        if not all(_is_within(level, alpha) for own in found for level in own):
            raise ArithmeticError("the exact worst case of the schedule is above the level")
        return [*found, *WorstCase().kept(schedule, adversaries, alpha)]


def _is_within(level: Level, alpha: Level) -> bool:
    try:
        return level <= alpha
    except Undecided:
        return False


def _chain(name: str, adversary: Adversary) -> TransitionMatrix:
    """Return P^F of the one stationary chain that an adversary knows. Raises: InvalidRequest where it is none."""
    backward, forward = matrices_of(adversary)
    if backward is None or forward is None or not one_chain(backward, forward).fits:
        raise InvalidRequest(f"{name}: --knowing is about one stationary chain: give one matrix, without --one-sided")
    return forward
