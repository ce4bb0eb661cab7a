"""One question across the sizes on its way: how its operation is asked, its states, releases, level and budgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import frexp, inf, isqrt, ldexp
from random import Random

from ...wire.numerals import hex_text
from ...wire.strict_json import Object
from .covering import FEW, MOST_PRODUCT, MOST_SPENT, DoublingGrid, Doublings
from .families import FAMILIES
from .schedules import FINITE_SCHEDULES, SCHEDULES
from .strata import Strata

PLAIN_FAMILIES = tuple(name for name in FAMILIES if name not in ("tiny entries", "almost tangent pieces"))
"""Families whose entries are multiples of one small power of two."""

_PERIODS = {"smoke": 12, "standard": 12, "full": 20}
_LARGE = 3
"""Of so many questions this many go through the rows of the covering array."""

_SHARED_PERIOD, _SHARED_LARGE, _SHARED_STEPS = 8, 5, 6
"""The same of truths that several questions share; the others are of so few releases."""

_AT_LIMITS = 2
_ROUND = (50, 51, 100, 101, 200, 201, 300, 500, 1_000, 1_001, 2_000, 5_000, 10_000)
_LEVELS = (-10, 6)
_WIDE, _SHARED_WIDE, _WIDEST = (-64, 10), (-42, 10), (-1074, 30)
_KINDS, _SHARED_KINDS = (*["moderate"] * 5, *["wide"] * 4, "any"), (*["wide"] * 5, "any")
"""What levels are drawn in turn, outside the covering array."""

_SPECIAL_LEVELS = (1e6, inf, 710.0, 1e-12, 36.7, None, None, None)
_LEAST_NORMAL = 2.0**-1022


@dataclass(frozen=True, slots=True)
class Asked:
    """How an operation is asked.

    roles: of its matrices. rest: what the input has besides. states and releases: the most of them in the standard tier
    and in full. levels: the doublings that are promised of its level, or of its greatest budget, None where it has no
    level. families: of its matrices. probabilities: whether its value is of the size of the matrix, so that no small
    one has the same. over_time: whether its value is of the chain, not of its loss function alone. together: how many
    questions share one truth, of one level and number of releases, in different numbers of states.
    """

    roles: tuple[str, ...]
    rest: Callable[[SizedDraw], Object]
    states: tuple[int, int] = (300, 1_000)
    releases: tuple[int, int] = (0, 0)
    levels: tuple[int, int] | None = _LEVELS
    families: tuple[str, ...] = PLAIN_FAMILIES
    probabilities: bool = False
    over_time: bool = False
    together: int = 1


@dataclass(frozen=True, slots=True)
class Lane:
    """A question's number among its like.

    large: among those that go through the covering array, None where it does not. small: among the others.
    """

    large: int | None
    small: int


def lane_of(asked: Asked, tier: str, k: int) -> Lane:
    """Return the lane of the k-th question of an operation in a tier."""
    large, period = (_SHARED_LARGE, _SHARED_PERIOD) if asked.together > 1 else (_LARGE, _PERIODS[tier])
    turn, place = divmod(k // asked.together, period)
    return Lane(turn * large + place if place < large else None, turn * (period - large) + max(place - large, 0))


@dataclass(slots=True)
class SizedDraw:
    """One question on its way.

    k: which of its operation's in its tier, and its lane. random, its own, and common, of all that share a truth. grid:
    what is promised of its operation in its tier, and the rows of the covering array. highest: level. n and steps: its
    states and releases. family and schedule: as drawn.
    """

    asked: Asked
    k: int
    lane: Lane
    strata: Strata
    random: Random
    common: Random
    grid: DoublingGrid
    rows: tuple[Doublings, ...]
    highest: float
    n: int = 1
    steps: int = 1
    family: str = ""
    schedule: str = ""

    @property
    def shared(self) -> int:
        """The number by which what is shared with other questions is drawn."""
        return self.k // self.asked.together

    @property
    def row(self) -> Doublings | None:
        """The row of the covering array that it is in, None where it is in none."""
        large = self.lane.large
        return None if large is None or self.at_limits else self.rows[(large - _AT_LIMITS) % len(self.rows)]

    def draw_sizes(self) -> None:
        """Draw the number of releases, if there are any, and of states."""
        is_shared, row = self.asked.together > 1, self.row or {}
        few_steps, doublings = (_SHARED_STEPS if is_shared else FEW), self.grid.dimensions["states"]
        if self.grid.releases:
            if self.lane.large == (0 if is_shared else 1):
                self.steps = self.grid.releases
            elif "releases" in row:
                self.steps = self._count(self.common, *self.grid.span(row))
            else:
                self.steps = self.strata.count("releases", self.shared, 1, min(few_steps, self.grid.releases))
        most = min(self.grid.states, isqrt(MOST_PRODUCT // self.steps))
        if is_shared:
            row = {"states": doublings[(self.k % self.asked.together + self.shared) % len(doublings)]}
        if self.at_limits and (not is_shared or row["states"] == doublings[-1]):
            self.n = most
        elif "states" in row:
            self.n = self._count(self.random, 1 << row["states"], min(most, (2 << row["states"]) - 1))
        else:
            self.n = self.strata.count("states", self.k, 1, min(FEW, most))

    def _count(self, random: Random, least: int, most: int) -> int:
        """Return a count of least … most, one in three an end or a round number."""
        least = min(least, most)
        special = [place for place in (least, least + 1, most, *_ROUND) if least <= place <= most]
        return random.choice(special) if random.randrange(3) == 0 else random.randrange(least, most + 1)

    def level(self, highest: float = inf) -> float:
        """Return a level above 0: as its row has it, else moderate, tiny to large, or of any size, ∞ among them."""
        highest = min(highest, self.highest)
        if self.row is not None and "level" in self.row:
            found = ldexp((1 << 52) + self.common.getrandbits(52), self.row["level"] - 52)
            return min(found, highest)
        kinds, wide = (_SHARED_KINDS, _SHARED_WIDE) if self.asked.together > 1 else (_KINDS, _WIDE)
        turn, place = divmod(self.lane.small, len(kinds))
        kind = kinds[place]
        number = turn * kinds.count(kind) + kinds[:place].count(kind)
        top = frexp(highest)[1] if highest < inf else _WIDEST[1]
        special = self.strata.one_of("special level", number, _SPECIAL_LEVELS) if kind == "any" else None
        if kind == "moderate":
            found = self.strata.double("level", number, *_LEVELS)
        elif kind == "wide":
            found = self.strata.double_in_turn("wide level", number, wide[0], max(min(wide[1], top), wide[0] + 1))
        else:
            found = self.strata.double("any level", number, _WIDEST[0], top) if special is None else special
        return found if found <= highest else highest * self.common.randrange(1, 1025) / 1024

    def budgets(self) -> list[str]:
        """Return a schedule of its releases. The greatest is its level; many add up to MOST_SPENT at most."""
        is_free = self.highest == inf and self.steps <= FEW
        greatest = self.level(inf if self.steps <= FEW else MOST_SPENT / self.steps)
        greatest = 1.0 if greatest == inf else greatest
        random = self.common
        self.schedule = self.strata.one_of("schedule", self.shared, tuple(SCHEDULES) if is_free else FINITE_SCHEDULES)
        parts = SCHEDULES[self.schedule](random, self.steps, lambda: random.randrange(256, 1025) / 1024)
        most = max((part for part in parts if part < inf), default=0.0)
        if most == 0 and (self.row is not None or self.asked.together > 1):
            parts[random.randrange(self.steps)] = most = 1.0
        return [quick_hex_text(part if part in (0, inf) else part / most * greatest) for part in parts]

    @property
    def at_limits(self) -> bool:
        """Whether it is one of the first, which are as large as can be."""
        return self.lane.large is not None and self.lane.large < _AT_LIMITS


def quick_hex_text(value: float) -> str:
    """Write a double as `hex_text` does, quickly where it is normal, for there are many; or ∞."""
    if value == 0:
        return "0x0p+0"
    if value == inf:
        return "inf"
    if value < _LEAST_NORMAL:
        return hex_text(value)
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}"
