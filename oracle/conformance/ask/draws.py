"""How each operation is asked (`HOW_ASKED`), and one question on its way, whose keys are drawn by their kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import frexp, inf, ldexp
from random import Random
from typing import cast

from ...contract.allocation import ALLOCATION_METHODS, UPPER_BOUND
from ...contract.entry import InputKey, InputKind
from ...contract.operations import OPERATIONS
from ...wire.strict_json import Object
from .covering import FEW, MOST_SPENT, DoublingGrid, Doublings, Strata, strata_of
from .edges import draw_breakpoint, draw_nothing_left, draw_supremum, draw_tangent
from .families import FAMILIES, FINITE_SCHEDULES, SCHEDULES, Weights, row_of
from .names import COUNTED_IN, NAMED_IN, draw_counted, draw_names
from .notation import NOTATIONS, Notation

_LEVELS, _DEAR_LEVELS = (-10, 6), (-5, 2)
_WIDE, _WIDE_OVER_TIME, _WIDEST = (-64, 10), (-42, 10), (-1074, 30)
_KINDS = (*["moderate"] * 5, *["wide"] * 4, "any")
"""What levels are drawn in turn, outside the covering array."""

_SPECIAL_LEVELS = (0.0, 1e6, inf, 710.0, 1e-12, 36.7, None, None, None)
_PROBABILITIES_TOTAL = 2**16

INFINITE_IN = 5
"""One question across sizes in INFINITE_IN has an infinite level, or budget, after those that meet every pair."""

_INFINITE_OF, _INFINITE_SEEDED = ("loss", "allocate", "control"), 17
"""Operations whose answers to finite levels are finite: one seeded question in _INFINITE_SEEDED has an infinite one."""

_TRANSPOSABLE = ("doubly stochastic", "permutation")

PLAIN_FAMILIES = tuple(name for name in FAMILIES if name not in ("tiny entries", "almost tangent pieces"))
"""Families whose entries are multiples of one small power of two."""

POSITIVE_FAMILIES = ("varied", "doubly stochastic", "two extreme rows", "many pieces", "nearly equal rows")


@dataclass(slots=True)
class Draw:
    """One question on its way.

    k: its number in its sequence, whose seed is root. numbers: how its input is written. random: its own random
    numbers; common and number: those that all questions with the same truth share. row: the row of the covering array
    that a question across sizes follows, empty for one at the limits; None for a seeded one, of few states. leaves_out:
    whether optional keys may be left out. n and steps: its states and releases. schedule: the family of its budgets.
    """

    op: str
    asked: Asked
    k: int
    root: str
    numbers: str
    random: Random
    common: Random
    number: int
    grid: DoublingGrid
    row: Doublings | None = None
    leaves_out: bool = True
    n: int = 1
    steps: int = 1
    schedule: str = ""
    _texts: dict[float, str] = field(default_factory=dict)

    @property
    def notation(self) -> Notation:
        """How it writes numbers."""
        return NOTATIONS[self.numbers]

    @property
    def strata(self) -> Strata:
        """The numbers that are spread evenly over the questions about its operation."""
        return strata_of(f"{self.root} {self.op}")

    @property
    def is_infinite(self) -> bool:
        """Whether its level is infinite, or one of its budgets."""
        if self.row is None:
            return self.op in _INFINITE_OF and self.k % _INFINITE_SEEDED == 1
        return self.leaves_out and self.number % INFINITE_IN == 3 and self.grid.highest == inf

    def text(self, value: float) -> str:
        """Write a level, the same one always alike."""
        if value not in self._texts:
            self._texts[value] = self.notation.level(self.common, value)
        return self._texts[value]

    def level(self, most: float = inf) -> float:
        """Return a level: as its row has it, else moderate, tiny to large, or of any size, 0 and ∞ among them."""
        asked, strata, k = self.asked, self.strata, self.number
        if self.is_infinite and most == inf:
            return inf
        most = min(most, self.grid.highest, asked.most)
        if self.row and "level" in self.row:
            return min(ldexp((1 << 52) + self.common.getrandbits(52), self.row["level"] - 52), most)
        if self.row is None and asked.most < inf:
            return strata.double("level", k, *_DEAR_LEVELS)
        kind = _KINDS[k % len(_KINDS)]
        top = frexp(most)[1] if most < inf else _WIDEST[1]
        if kind == "moderate":
            found = strata.double("level", k, *_LEVELS)
        elif kind == "wide":
            low, high = _WIDE if asked.together == 1 else _WIDE_OVER_TIME
            found = strata.double("wide level", k, low, max(min(high, top), low + 1))
        else:
            special = strata.one_of("special level", k, _SPECIAL_LEVELS)
            found = strata.double("any level", k, _WIDEST[0], top) if special is None else special
        return found if found <= most else most * self.common.randrange(1, 1025) / 1024

    def budgets(self) -> list[str]:
        """Return a schedule of its releases. The greatest is its level; many add up to MOST_SPENT at most."""
        is_free = self.grid.highest == inf and self.steps <= FEW
        greatest = self.level(inf if self.steps <= FEW else MOST_SPENT / self.steps)
        random = self.common
        families = tuple(SCHEDULES) if is_free else FINITE_SCHEDULES
        self.schedule = self.strata.one_of("schedule", self.number, families)
        if self.is_infinite:
            self.schedule = "infinite inside"
        if greatest == inf:
            return [self.text(random.choice((1.0, inf))) for _ in range(self.steps)]
        parts = SCHEDULES[self.schedule](random, self.steps, lambda: random.randrange(256, 1025) / 1024)
        most = max((part for part in parts if part < inf), default=0.0)
        if most == 0 and self.row is not None:
            parts[random.randrange(self.steps)] = most = 1.0
        return [self.text(part if part in (0, inf) else part / most * greatest) for part in parts]

    def value(self, key: InputKey) -> object:
        """Return what stands under a key that is no matrix, by its kind."""
        random = self.random
        match key.kind:
            case InputKind.LEVEL:
                return self.text(self.level())
            case InputKind.LEVELS:
                return self.budgets()
            case InputKind.COUNT:
                return self.steps
            case InputKind.TEXT:
                return random.choice(key.choices)
            case InputKind.NUMBER:
                return self.notation.entry(1, random.choice(self.notation.totals))
            case InputKind.DISTRIBUTION:
                row = row_of([random.randrange(1, 100) for _ in range(self.n)], _PROBABILITIES_TOTAL)
                return [self.notation.entry(part, _PROBABILITIES_TOTAL) for part in row]
        return self._walks()

    def _walks(self) -> list[list[str]]:
        """Return walks over its states in which every state is followed by another; a seeded question may lack that."""
        random, names = self.random, [f"s{number}" for number in range(1, self.n + 1)]
        if self.k % NAMED_IN == 1:
            self.schedule, names = draw_names(random, self.n)
        random.shuffle(names)
        walk = [*names, *(random.choice(names) for _ in range(random.randrange(1, 4 * self.n + 2)))]
        if self.row is not None or random.randrange(8):
            walk.append(names[0])
        cut = random.randrange(1, len(walk))
        counted = draw_counted(random, names) if self.k % COUNTED_IN == 2 else []
        return [walk, *counted] if random.randrange(2) else [walk[: cut + 1], walk[cut:], *counted]


def by_kinds(draw: Draw) -> Object:
    """Return the keys besides the matrices, each by its kind; optional ones are left out now and then."""
    operation, random, one_in = OPERATIONS[draw.op], draw.common, 8 if draw.row is None else 3
    return {
        key.name: draw.value(key)
        for key in operation.keys
        if not key.kind.is_matrix
        and not key.addition
        and (
            key.required
            or (key.name not in operation.one_of and not (draw.leaves_out and random.randrange(one_in) == 0))
        )
    }


@dataclass(frozen=True, slots=True)
class Asked:
    """How an operation is asked.

    rest: what the input has besides matrices. edge: an input made for an edge. states and releases: the most of them in
    the standard tier and in full. levels: the doublings that are promised of its level, or of its greatest budget.
    families: of large matrices. together: the number of questions that share one truth, of one level and number of
    releases, in different numbers of states; 1 where the truth of a large matrix is that of its loss function, else its
    value is of the chain. few: the most states of a matrix in full. core: those of the small matrix that a large one is
    made of. one_pair: whether
    the truth is about one pair of values in both correlations.
    """

    rest: Callable[[Draw], Object] = by_kinds
    edge: Callable[[Random, Notation], Object] | None = None
    states: tuple[int, int] = (300, 1_000)
    releases: tuple[int, int] = (0, 0)
    levels: tuple[int, int] = _LEVELS
    families: tuple[str, ...] = PLAIN_FAMILIES
    together: int = 1
    few: int = FEW
    core: int = 8
    one_pair: bool = False
    own_in: int = 2

    @property
    def most(self) -> float:
        """The greatest level that is asked about: lower than elsewhere where the truth is dear."""
        return inf if self.levels[1] == _LEVELS[1] else 2.0 ** self.levels[1]


def related(random: Random, family: str, first: list[Weights], other: list[Weights]) -> list[Weights]:
    """Return a second matrix: the first, it but for a row, its transpose, or another."""
    kind = random.randrange(6)
    if kind == 0:
        return first
    if kind == 1:
        return [*first[:-1], other[-1]]
    if kind == 2 and family in _TRANSPOSABLE:
        return [list(column) for column in zip(*first, strict=True)]
    return other


def _window(draw: Draw) -> Object:
    epsilons = draw.budgets()
    if draw.row and "start" in draw.row:
        least, shortest = 1 << draw.row["start"], 1 << draw.row["length"]
        length = draw.random.randrange(shortest, min(2 * shortest, draw.steps - least + 2))
        start = draw.random.randrange(least, min(2 * least, draw.steps - length + 2))
    else:
        length = draw.strata.count("length", draw.k, 1, draw.steps)
        start = draw.strata.count("start", draw.k, 1, draw.steps - length + 1)
    if draw.is_infinite:
        epsilons[start - 1 + draw.random.randrange(length)] = draw.text(inf)
    return {"epsilons": epsilons, "start": start, "length": length}


def _schedule(draw: Draw) -> Object:
    method = draw.random.choice(ALLOCATION_METHODS)
    given: Object = {"alpha": draw.text(draw.level()), "method": method}
    is_endless = draw.leaves_out and method == UPPER_BOUND and draw.random.randrange(2)
    return given if is_endless else {**given, "horizon": draw.steps}


def _control(draw: Draw) -> Object:
    cap = draw.level()
    most = cap if cap < inf else draw.strata.double("level", draw.k, *_WIDE_OVER_TIME)
    previous = most * draw.random.choice((1.0, 0.75, 0.5, 0.5, 0.0625))
    return {"previous": draw.text(previous), "cap": draw.text(cap)}


def _smoothing(draw: Draw) -> Object:
    is_whole = draw.leaves_out and draw.random.randrange(4) == 0
    s = Fraction(draw.level(2.0**30))
    given: Object = {"s": draw.notation.entry(s.numerator, s.denominator)}
    return {"n": draw.n, **given} if is_whole else given


def _profile(draw: Draw) -> Object:
    """Draw a δ that one release of its ε may exceed, and a part of it for each release; of few states also others."""
    random, epsilon = draw.common, draw.level()
    delta = Fraction(min(epsilon, 1.0)) / 2 ** random.randrange(2, 12)
    each, none = delta / 2 ** random.randrange(2, 20), Fraction(0)
    chances = [delta, each]
    if draw.row is None:
        chances = random.choice(([delta, each], [delta], [delta, none], [each, delta], [none], [none, none]))
    elif draw.leaves_out and random.randrange(2):
        chances = [delta]
    written = [draw.notation.entry(chance.numerator, chance.denominator) for chance in chances]
    return {
        "epsilon": draw.text(epsilon),
        "horizon": draw.steps,
        **dict(zip(("delta", "delta_per_release"), written, strict=False)),
    }


HOW_ASKED: dict[str, Asked] = {
    "loss": Asked(edge=draw_breakpoint),
    "loss_function": Asked(edge=draw_tangent, states=(129, 300)),
    "leakage": Asked(releases=(1_001, 10_000)),
    "supremum": Asked(edge=draw_supremum),
    "composition": Asked(_window, releases=(1_001, 10_000)),
    "allocate": Asked(_schedule, None, (129, 300), (1_001, 10_000), families=POSITIVE_FAMILIES),
    "control": Asked(_control, draw_nothing_left),
    "smooth": Asked(_smoothing, states=(101, 300)),
    "reverse": Asked(states=(65, 129), families=POSITIVE_FAMILIES),
    "estimate": Asked(states=(65, 129)),
    "worst_case_leakage": Asked(states=(129, 300), releases=(101, 101), together=10, few=8, one_pair=True),
    "worst_case_supremum": Asked(
        states=(65, 129),
        levels=(-10, 2),
        families=POSITIVE_FAMILIES,
        together=12,
        few=4,
        core=4,
        one_pair=True,
        own_in=4,
    ),
    "worst_case_allocate": Asked(
        by_kinds, None, (65, 129), (16, 16), (-10, 4), POSITIVE_FAMILIES, 32, few=4, core=3, one_pair=True
    ),
    "leakage_profile": Asked(
        _profile, None, (16, 24), (8, 12), (-10, 4), POSITIVE_FAMILIES, together=16, few=4, core=4
    ),
}
"""How the operations are asked; one that is not here by the kinds of its keys."""


def asked_of(op: str) -> Asked:
    """Return how an operation is asked."""
    return HOW_ASKED.get(op, Asked())


def _loss_with_row(*fourths: int) -> Callable[[Object, Notation], Object]:
    """Put fourths in the first row of a matrix of two states."""
    return lambda given, notation: {
        **given,
        "matrix": [[notation.entry(part, 4) for part in fourths], [notation.entry(part, 1) for part in (0, 1)]],
    }


def _with(**values: object) -> Callable[[Object, Notation], Object]:
    """Give keys these values, and leave out those of None."""
    return lambda given, _: {key: value for key, value in {**given, **values}.items() if value is not None}


def _null(key: str) -> Callable[[Object, Notation], Object]:
    """Put null under a key that may be absent, which is not the same."""
    return lambda given, _: {**given, key: None}


INVALID: dict[str, tuple[tuple[str, Callable[[Object, Notation], Object]], ...]] = {
    "loss": (
        ("NotStochastic", _loss_with_row(2, 0)),
        ("NegativeProbability", _loss_with_row(-1, 5)),
        ("NotSquare", lambda given, _: {**given, "matrix": cast("list[object]", given["matrix"])[:-1]}),
        ("InvalidLevel", lambda given, notation: {**given, "alpha": f"-{notation.entry(1, 4)}"}),
        ("InvalidRequest", _with(alpha=None)),
    ),
    "leakage": (("InvalidRequest", _with(epsilons=[])), ("InvalidRequest", _null("backward"))),
    "supremum": (("InvalidNumber", _with(epsilon="nan")),),
    "composition": (("InvalidRequest", _with(length=2 * FEW)), ("InvalidRequest", _null("forward"))),
    "allocate": (("InvalidRequest", _with(horizon=0)), ("InvalidRequest", _null("horizon"))),
    "control": (("InfeasibleBudget", lambda given, notation: {**given, "cap": notation.entry(0, 1)}),),
    "estimate": (("UnreachableState", _with(sequences=[["a", "b"]])),),
}
"""How a valid input is spoilt, by operation and the name of the error: with one fault each."""
