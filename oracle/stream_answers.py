"""What `Stream` answers: both models beside each other, shown as text, table, data frame or picture, with its basis."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING

from .api import LevelLike, level, probability
from .models.attacks import Attack
from .models.basis import Basis
from .models.stream_profile import ProvedProfile, greatest_alpha, greatest_delta
from .output import plots
from .output.sheets import DIGITS_IN_BRIEF, counted_releases
from .reference import Budget, Leakage, Level, WorstAlpha, WorstDelta
from .reference.worst_case.mixtures import MixtureLeakage
from .tabular import KINDS, Column, Tabular, need_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN_DELTAS = (Fraction(1, 10**3), Fraction(1, 10**6), Fraction(1, 10**9))
"""The δ for which a profile is shown as a table."""


class StreamAnswer(Tabular):
    """An answer about a stream: shown with what it rests on."""

    basis: Basis

    @abstractmethod
    def told(self) -> str:
        """Return the answer in a sentence."""

    def conclusion(self) -> str:
        """Return the answer, after what to do where the chain does not fit the data, or the sample is small."""
        return " ".join(filter(None, [self.basis.warning(), self.told()]))

    def __repr__(self) -> str:
        return "\n".join([self.conclusion(), *self.basis.lines()])

    def _repr_html_(self) -> str:
        from .output.html_pages import paragraph

        lines = [self.conclusion(), *self.basis.lines()]
        return "".join([str(paragraph(lines[0])), super()._repr_html_(), *(str(paragraph(line)) for line in lines[1:])])


@dataclass(frozen=True, slots=True)
class WorstOfStream:
    """The greatest leakage: its value and time, the pair of states whose odds move by it; of several users whose."""

    value: Level
    time: int
    pair: tuple[str, str] | None
    user: str | None = field(default=None, repr=False)


@dataclass(frozen=True, repr=False)
class LeakageOfStream(StreamAnswer):
    """BPL, FPL and TPL at each time, by both models; the paper's bound is None where values are known.

    epsilons: as they were given; mixture: bounds of TPL to an adversary with a prior, of whom the others say nothing.
    """

    worst_case: Leakage
    paper_bound: Leakage | None
    epsilons: tuple[Level, ...]
    basis: Basis
    worst_of: Callable[[], WorstOfStream]
    mixture: MixtureLeakage | None = None

    @property
    def worst(self) -> WorstOfStream:
        """The greatest TPL by the exact worst case. Raises: Undecided."""
        return self.worst_of()

    def told(self) -> str:
        """Return the greatest TPL by each model."""
        most = {
            name: str(max(own.tpl, key=Level.double_above).enclosure(DIGITS_IN_BRIEF).upper)
            for name, own in self._models().items()
        }
        bound = f" The paper's bound is {most['paper_bound']}." if "paper_bound" in most else ""
        told = (
            f"{counted_releases(len(self.epsilons), 'leak')} at most {most['worst_case']} nats about the value at any "
            f"one time (exact worst case).{bound}"
        )
        if self.mixture is None:
            return told
        mixed = max(self.mixture.upper).enclosure(DIGITS_IN_BRIEF).upper
        return f"To an adversary with this prior TPL is at most {mixed}. To one who is certain of a user: {told}"

    def _models(self) -> dict[str, Leakage]:
        both = {"worst_case": self.worst_case, "paper_bound": self.paper_bound}
        return {name: own for name, own in both.items() if own is not None}

    def table(self) -> dict[str, Column]:
        """Return a row for each time."""
        columns = {f"{name}_{kind}": getattr(own, kind) for name, own in self._models().items() for kind in KINDS}
        times: dict[str, Column] = {"time": range(1, len(self.epsilons) + 1)}
        mixed = {} if self.mixture is None else {"attained": self.mixture.lower, "at_most": self.mixture.upper}
        return {**times, "epsilon": [own.to_spend() for own in self.epsilons], **columns, **mixed}

    def plot(self) -> Figure:
        """Draw TPL over time by both models. Needs the extra `plot`. Raises: InvalidRequest without it."""
        need_matplotlib()
        titles = {"worst_case": "TPL, exact worst case", "paper_bound": f"TPL, {plots.PAPER_BOUND}"}
        curves = {titles[name]: own.tpl for name, own in self._models().items()}
        return plots.leakage_figure({counted_releases(len(self.epsilons)): curves})


@dataclass(frozen=True, repr=False)
class LeakageOnLaw(StreamAnswer):
    """TPL at each time on a law beyond first order: some stream attains `attained`, and none exceeds `at_most`."""

    attained: tuple[Level, ...]
    at_most: tuple[Level, ...]
    epsilons: tuple[Level, ...]
    basis: Basis
    whose: str

    @property
    def worst(self) -> WorstOfStream:
        """The greatest bound of TPL, and its time."""
        time = max(range(len(self.at_most)), key=lambda at: self.at_most[at].double_above())
        return WorstOfStream(self.at_most[time], time + 1, None)

    def told(self) -> str:
        """Return both ends of the greatest TPL."""
        least = max(self.attained, key=Level.double_below).enclosure(DIGITS_IN_BRIEF).lower
        return (
            f"{counted_releases(len(self.epsilons), 'leak')} at most "
            f"{self.worst.value.enclosure(DIGITS_IN_BRIEF).upper} nats about the value at any one time ({self.whose}), "
            f"and some stream tells {least} or more."
        )

    def table(self) -> dict[str, Column]:
        """Return a row for each time."""
        times: dict[str, Column] = {"time": range(1, len(self.epsilons) + 1)}
        budgets = [own.to_spend() for own in self.epsilons]
        return {**times, "epsilon": budgets, "attained": self.attained, "at_most": self.at_most}

    def plot(self) -> Figure:
        """Draw both ends over time. Needs the extra `plot`. Raises: InvalidRequest without it."""
        need_matplotlib()
        return plots.leakage_figure({self.whose: {"TPL attained": self.attained, "TPL bound": self.at_most}})


@dataclass(frozen=True, repr=False)
class BudgetOnLaw(StreamAnswer):
    """The greatest constant budget of which it is proved that it keeps alpha on a law."""

    alpha: Level
    steps: int
    epsilon: Budget
    basis: Basis

    def told(self) -> str:
        """Return the budget in a sentence."""
        alpha, own = self.alpha.enclosure(DIGITS_IN_BRIEF).lower, self.epsilon.enclosure(DIGITS_IN_BRIEF).lower
        return f"TPL stays within {alpha} if every release, of {self.steps}, spends at most {own}."

    def table(self) -> dict[str, Column]:
        """Return one row."""
        return {"alpha": [self.alpha], "epsilon": [self.epsilon]}


@dataclass(frozen=True, repr=False)
class BudgetOfStream(StreamAnswer):
    """The greatest constant budget that keeps TPL within alpha, by both models, None where there is none.

    steps: the number of releases, None for however many.
    """

    alpha: Level
    steps: int | None
    worst_case: Budget | None
    paper_bound: Budget | None
    basis: Basis

    def told(self) -> str:
        """Return the budgets in a sentence."""
        how_many = "however many" if self.steps is None else f"of {self.steps}"
        found = (
            "none" if own is None else str(own.enclosure(DIGITS_IN_BRIEF).lower)
            for own in (self.worst_case, self.paper_bound)
        )
        told = "TPL stays within {} if every release, {}, spends at most {} by the exact worst case; {} by the {}."
        return told.format(self.alpha.enclosure(DIGITS_IN_BRIEF).lower, how_many, *found, plots.PAPER_BOUND)

    def table(self) -> dict[str, Column]:
        """Return one row."""
        found = {"worst_case": self.worst_case, "paper_bound": self.paper_bound}
        budgets: dict[str, Column] = {name: [own] for name, own in found.items() if own is not None}
        return {"alpha": [self.alpha], **budgets}


@dataclass(frozen=True, repr=False)
class AttackOnStream(StreamAnswer):
    """The worst mechanism for the value at one time: a question at each time, each answered “yes”.

    level: what it attains, no more than any mechanism.
    """

    attack: Attack
    names: tuple[str, ...]
    basis: Basis

    @property
    def worst(self) -> WorstOfStream:
        """The leakage of the attack, the time, and the pair of states."""
        more, less = (self.names[state] for state in self.attack.pair)
        return WorstOfStream(self.attack.level, self.attack.time, (more, less))

    def told(self) -> str:
        """Return what the answers reveal."""
        value, time, pair = self.worst.value, self.worst.time, self.worst.pair
        assert pair is not None, "an attack is on a pair"
        nats = value.enclosure(DIGITS_IN_BRIEF).upper
        return f"If every answer is “yes”, the odds of {pair[0]} against {pair[1]} at time {time} move by {nats} nats."

    def table(self) -> dict[str, Column]:
        """Return the question of each time."""
        asked = [", ".join(self.names[state] for state in sorted(own)) for own in self.attack.sets]
        times = range(1, len(asked) + 1)
        return {"time": times, "epsilon": [own.to_spend() for own in self.attack.epsilons], "is the value in": asked}


@dataclass(frozen=True, repr=False)
class ProfileOfStream(StreamAnswer):
    """With which (α, δ) the value at a time is protected, by the exact worst case."""

    worst: tuple[ProvedProfile, ...]
    time: int
    releases: int
    known: Basis

    @property
    def basis(self) -> Basis:  # type: ignore[override]
        """What the answers so far rest on."""
        reasons = chain.from_iterable((self.known.unchecked, *(own.reasons for own in self.worst)))
        return replace(self.known, unchecked=tuple(dict.fromkeys(reasons)))

    def delta(self, alpha: LevelLike) -> WorstDelta:
        """Return the greatest δ at a level. Args: alpha, finite, in nats. Returns: δ, exact or enclosed."""
        return greatest_delta(self.worst, level(alpha))

    def alpha(self, delta: LevelLike) -> WorstAlpha:
        """Return the least α at a δ. Args: delta, a probability. Returns: the level, exact or enclosed."""
        return greatest_alpha(self.worst, probability(delta))

    def told(self) -> str:
        """Return α at the first δ of the table."""
        found = self.alpha(SHOWN_DELTAS[0]).upper
        nats = "∞" if found.is_infinite else found.enclosure(DIGITS_IN_BRIEF).upper
        return f"{counted_releases(self.releases, 'protect')} the value at time {self.time} ({nats}, 0.001) at least."

    def table(self) -> dict[str, Column]:
        """Return the least α, from below and from above, at three δ."""
        found = [self.alpha(delta) for delta in SHOWN_DELTAS]
        return {
            "delta": ["1e-3", "1e-6", "1e-9"],
            "alpha_at_least": [own.lower for own in found],
            "alpha_at_most": [own.upper for own in found],
        }
