"""Cases across every dimension that the contract admits, spread evenly from the seed, with truths that are cheap.

States, releases, horizons, starts and lengths of windows, and levels each come in every doubling, with every structure
of matrix and of schedule (`families`, `schedules`), all independent of one another, so that pairs of them meet as well.
Of twelve questions one is large in states, one in time and one in both, n²·T ≤ MOST_PRODUCT: up to the tier's limits,
one in three at or beside a power of two or a round number, the first of each at the limit itself. A large matrix has
the loss function of a small one (`enlarged`), which the judge puts to the oracle in its place; others, of up to some
dozens of states, are as they were drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf, isqrt
from random import Random

from ...contract.allocation import ALLOCATION_METHODS
from ...wire.numerals import hex_text
from ...wire.protocol import FLOAT64, Domain
from ...wire.strict_json import Object
from ..model import TIERS, Case
from .enlarged import SMALL_TOTAL, TOTAL, enlarged, has_disjoint_rows, split
from .families import DISJOINT_FAMILIES, FAMILIES, Weights, row_of
from .schedules import FINITE_SCHEDULES, SCHEDULES
from .strata import Strata

SIZES = "sizes"
"""The source of these cases."""

Wanted = Callable[[str, str], bool]
"""Whether a case of an operation and an id is wanted; one that is not is not drawn."""

STATES = {"smoke": 60, "standard": 300, "full": 1_000}
RELEASES = {"smoke": 130, "standard": 1_001, "full": 10_000}
"""The most that each tier asks of any operation."""

FIRST_NUMBERS = {"smoke": 0, "standard": 1_000, "full": 100_000}
"""The number of each tier's first case of an operation."""

MOST_PRODUCT = 2**20
MOST_DENSE = 700
"""States of the largest matrix without zeros: a larger one, written out, is no line of the wire."""

MOST_PAIRED = 129
"""States of the largest two matrices that are asked about together."""

_SMALL_STATES, _MOST_PIECES = 6, 48
_MOST_SLOW, _FEW_SLOW = 3, 12
_FEW = 24
_PERIODS = {"smoke": 12, "standard": 12, "full": 96}
_LANES = {"states": (0, 2), "releases": (1, 2)}
_GENUINE = 64
_TOGETHER = 4
_HIGHEST = 700.0
_PROBABILITIES_TOTAL, _COARSE_TOTAL = 2**16, 2**10
_ROUND = (50, 51, 100, 101, 200, 201, 300, 500, 1_000, 1_001, 2_000, 5_000, 10_000)
_POSITIVE_FAMILIES = ("varied", "doubly stochastic", "two extreme rows", "many pieces", "nearly equal rows")
_FAMILIES = tuple(name for name in FAMILIES if name not in ("tiny entries", "almost tangent pieces"))
_TRANSPOSABLE = ("doubly stochastic", "permutation")
_DISJOINT = [[SMALL_TOTAL, 0], [0, SMALL_TOTAL]]
_LEAST_NORMAL = 2.0**-1022


@dataclass(frozen=True, slots=True)
class _Asked:
    """How an operation is asked.

    roles: of its matrices. states and releases: the most of them in the standard tier and in full. rest: what the input
    has besides. families: of its matrices. probabilities: whether its value is of the size of the matrix, so that no
    small one has the same. over_time: whether its value is of the chain, not of its loss function alone. together: how
    many questions share one truth but for what is large about them.
    """

    roles: tuple[str, ...]
    rest: Callable[[_Draw], Object]
    states: tuple[int, int] = (300, 1_000)
    releases: tuple[int, int] = (0, 0)
    families: tuple[str, ...] = _FAMILIES
    probabilities: bool = False
    over_time: bool = False
    together: int = 1


@dataclass(slots=True)
class _Draw:
    """One question on its way.

    k: which of its operation's in its tier; period: of so many questions one is in each lane of large ones. random,
    its own, and common, of all that share a truth. most: the most states and releases; highest: level. n and steps: its
    states and releases. family and schedule: as drawn.
    """

    asked: _Asked
    k: int
    period: int
    strata: Strata
    random: Random
    common: Random
    most: tuple[int, int]
    highest: float
    n: int = 1
    steps: int = 1
    family: str = ""
    schedule: str = ""

    @property
    def shared(self) -> int:
        """The number by which what is shared with other questions is drawn."""
        return self.k // self.asked.together

    def count(self, name: str, number: int, most: int) -> int:
        """Return a count from 1: a few, or in the questions of its lanes anything up to the most.

        So it is in all questions where what is counted is shared by several of them.
        """
        lanes, random = _LANES[name], self.common if name == "releases" else self.random
        if number in lanes:
            return most
        if number % self.period not in lanes and (name == "states" or self.asked.together == 1):
            return self.strata.count(name, number, 1, min(_FEW, most))
        count = self.strata.count(f"large {name}", number, 1, most)
        if random.randrange(3):
            return count
        power = 1 << (count.bit_length() - 1)
        beside = (power - 1, power, power + 1, *(place for place in _ROUND if power <= place < 2 * power))
        return random.choice([place for place in beside if 1 <= place <= most])

    def level(self, highest: float = inf) -> float:
        """Return a level above 0: seven in ten moderate, two tiny to large, one of any size at all, or ∞."""
        highest = min(highest, self.highest)
        number, kind = divmod(self.shared, 10)
        if kind < 7:
            found = self.strata.double("level", number * 7 + kind, -10, 6)
        elif kind < 9:
            found = self.strata.double("wide level", number * 2 + kind - 7, -64, 10)
        else:
            special = self.strata.one_of("special level", number, (1e6, inf, 710.0, 1e-12, 36.7, None, None, None))
            found = self.strata.double("any level", number, -1074, 30) if special is None else special
        return found if found <= highest else highest * self.common.randrange(1, 1025) / 1024

    def budgets(self) -> list[str]:
        """Return a schedule of its releases: budgets about as large as its level, with a sum where e^α is a double."""
        is_free = self.highest == inf and self.steps <= _FEW
        highest = inf if is_free else min(self.highest, _HIGHEST) / self.steps
        about = self.level(highest)
        about = 1.0 if about == inf else about
        random = self.common
        self.schedule = self.strata.one_of("schedule", self.shared, tuple(SCHEDULES) if is_free else FINITE_SCHEDULES)

        def budget() -> float:
            return min(about * random.randrange(512, 2049) / 1024, highest)

        return [_hex_text(value) for value in SCHEDULES[self.schedule](random, self.steps, budget)]


def _stream(draw: _Draw) -> Object:
    return {"epsilons": draw.budgets()}


def _window(draw: _Draw) -> Object:
    length = draw.strata.count("length", draw.k, 1, draw.steps)
    start = draw.strata.count("start", draw.k, 1, draw.steps - length + 1)
    return {**_stream(draw), "start": start, "length": length}


def _schedule(draw: _Draw) -> Object:
    method = ALLOCATION_METHODS[draw.k // draw.period % len(ALLOCATION_METHODS)]
    return {"alpha": _hex_text(draw.level()), "method": method, "horizon": draw.steps}


def _control(draw: _Draw) -> Object:
    previous = draw.level()
    cap = min(previous * draw.random.choice((1.0, 1.25, 2.0, 2.0, 16.0)), draw.highest)
    return {"previous": _hex_text(previous), "cap": _hex_text(cap)}


def _uneven(draw: _Draw) -> Object:
    row = row_of([draw.random.randrange(1, 100) for _ in range(draw.n)], _PROBABILITIES_TOTAL)
    return {"initial": [_hex_text(part / _PROBABILITIES_TOTAL) for part in row]}


def _walks(draw: _Draw) -> Object:
    """Return walks over its states, each of which is followed by another."""
    random, names = draw.random, [f"s{number}" for number in range(1, draw.n + 1)]
    random.shuffle(names)
    walk = [*names, *(random.choice(names) for _ in range(random.randrange(1, 4 * draw.n + 2))), names[0]]
    cut = random.randrange(1, len(walk))
    return {"sequences": [walk] if random.randrange(2) else [walk[: cut + 1], walk[cut:]]}


_BOTH = ("backward", "forward")

SIZED: dict[str, _Asked] = {
    "loss": _Asked(("matrix",), lambda draw: {"alpha": _hex_text(draw.level())}),
    "loss_function": _Asked(("matrix",), lambda _draw: {}, (129, 300)),
    "leakage": _Asked(_BOTH, _stream, releases=(1_001, 10_000)),
    "supremum": _Asked(("matrix",), lambda draw: {"epsilon": _hex_text(draw.level())}),
    "composition": _Asked(_BOTH, _window, releases=(1_001, 10_000)),
    "allocate": _Asked(_BOTH, _schedule, (129, 300), (1_001, 10_000), _POSITIVE_FAMILIES),
    "control": _Asked(("matrix",), _control),
    "smooth": _Asked(("matrix",), lambda draw: {"s": _hex_text(draw.level(2.0**30))}, (101, 300), probabilities=True),
    "reverse": _Asked(("forward",), _uneven, (65, 129), families=_POSITIVE_FAMILIES, probabilities=True),
    "estimate": _Asked((), _walks, (65, 129)),
    "tight_leakage": _Asked(_BOTH, _stream, (129, 300), (101, 101), over_time=True, together=16),
    "tight_supremum": _Asked(
        ("backward",),
        lambda draw: {"epsilon": _hex_text(draw.level(4.0))},
        (65, 129),
        families=_POSITIVE_FAMILIES,
        over_time=True,
        together=8,
    ),
    "tight_allocate": _Asked(
        _BOTH,
        lambda draw: {"alpha": _hex_text(draw.level(16.0)), "horizon": draw.steps},
        (65, 129),
        (16, 16),
        families=_POSITIVE_FAMILIES,
        over_time=True,
        together=16,
    ),
}
"""The operations that are asked, and how."""

SIZED_OPERATIONS = tuple(SIZED)
"""The operations that any of these cases are about."""


def sizes_cases(
    seed: int, counts: Mapping[str, Mapping[str, int]], domain: Domain | None = None, wanted: Wanted = lambda *_: True
) -> Iterator[Case]:
    """Yield cases of several tiers, those that are large last; the same for the same seed.

    Args: counts, by tier and operation (`budget`); domain, of the implementation, which they are kept within.
    """
    for is_large in (False, True):
        for tier, number in counts.items():
            orders = {op: _order(number.get(op, 0), asked.together) for op, asked in SIZED.items()}
            for place in range(max(map(len, orders.values()))):
                for op, order in orders.items():
                    if place < len(order) and _is_large(order[place] // SIZED[op].together, tier) == is_large:
                        name = Name(seed, op, tier, order[place])
                        if wanted(op, str(name)):
                            yield sized_case(name, domain or Domain())


def _order(number: int, together: int) -> list[int]:
    """Return the order of so many questions, in which those that share a truth are far apart."""
    return sorted(range(number), key=lambda k: (k % together, k))


def _is_large(k: int, tier: str) -> bool:
    return any(k % _PERIODS[tier] in lanes for lanes in _LANES.values())


@dataclass(frozen=True, slots=True)
class Name:
    """What a case is drawn from: the k-th of an operation in a tier."""

    seed: int
    op: str
    tier: str
    k: int

    def __str__(self) -> str:
        return f"{self.op}-{SIZES}-{self.seed}-{FIRST_NUMBERS[self.tier] + self.k}"


def sized_case(name: Name, domain: Domain) -> Case:
    """Return the case of a name, within a domain."""
    op, tier, k = name.op, name.tier, name.k
    asked, root = SIZED[op], f"tploracle sizes {name.seed} {op} {tier}"
    is_full = tier == TIERS[-1]
    most = (
        min(asked.states[is_full], STATES[tier], domain.states or STATES[tier]),
        min(asked.releases[is_full], RELEASES[tier], domain.releases or RELEASES[tier]),
    )
    highest = inf if domain.level is None else max(domain.level.double_below(), 0.0)
    common = Random(f"{root} shared {k // asked.together}")
    draw = _Draw(asked, k, _PERIODS[tier], Strata(root), Random(f"{root} {k}"), common, most, highest)
    if most[1]:
        draw.steps = draw.count("releases", draw.shared, most[1])
    draw.n = draw.count("states", k, min(most[0], isqrt(MOST_PRODUCT // draw.steps)))
    rest = asked.rest(draw)
    given, equivalent = _inputs(_matrices(draw), rest) if asked.roles else (rest, None)
    sizes = [f"n = {draw.n}", *([f"T = {draw.steps}"] if most[1] else [])]
    title = f"{', '.join(sizes)}; {', '.join(name for name in (draw.family, draw.schedule) if name) or 'walks'}."
    if asked.over_time and equivalent is None:
        equivalent = given
    found = Case(str(name), op, FLOAT64, given, tier=tier, source=SIZES, title=title, equivalent=equivalent)
    return replace(found, family=draw.family, schedule=draw.schedule)


@dataclass(frozen=True, slots=True)
class _Made:
    """A matrix as it is asked, what its entries are multiples of, and a smaller one of the same truth, if any."""

    large: list[Weights]
    total: int
    small: list[Weights] | None


def _matrices(draw: _Draw) -> dict[str, _Made]:
    """Return the matrices of a question by their roles, of one structure: as they are, or made of small ones."""
    asked, random = draw.asked, draw.random
    together = max(asked.together, _TOGETHER)
    draw.family = draw.strata.one_of("family", draw.k // together, asked.families)
    shared = Random(f"{draw.strata.seed} matrices {draw.k // together}")
    roles = _roles(draw, shared if asked.over_time else random)
    size = _small_size(draw, shared)
    if asked.probabilities:
        return {role: _Made(FAMILIES[draw.family](random, draw.n, 2**40), 2**40, None) for role in roles}
    if draw.n <= size or _is_as_it_is(draw):
        drawn = _related(draw, shared if asked.over_time else random, draw.n, roles)
        return {role: _Made(rows, SMALL_TOTAL, None) for role, rows in drawn.items()}
    if draw.family in DISJOINT_FAMILIES and not asked.over_time:
        large = _related(draw, random, draw.n, roles)
        if all(map(has_disjoint_rows, large.values())):
            return {role: _Made(rows, SMALL_TOTAL, _DISJOINT) for role, rows in large.items()}
    small = _related(draw, shared, size, roles)
    is_dense = draw.n <= MOST_DENSE and random.randrange(4) > 0
    if asked.over_time:
        made = split(random, list(small.values()), draw.n, is_dense)
    else:
        made = [enlarged(random, rows, draw.n, is_dense) for rows in small.values()]
    return {role: _Made(one.large, TOTAL, one.small) for role, one in zip(small, made, strict=True)}


def _small_size(draw: _Draw, random: Random) -> int:
    """Return of how many states a matrix is that is made large: few where the truth is dear."""
    if draw.asked.over_time:
        return 2 if draw.steps > _FEW_SLOW else random.randrange(2, _MOST_SLOW + 1)
    return _MOST_PIECES if draw.family == "many pieces" else random.randrange(2, _SMALL_STATES + 1)


def _is_as_it_is(draw: _Draw) -> bool:
    """Whether a matrix of some states is asked as it is drawn, so that the oracle works on all of it."""
    if draw.asked.over_time or draw.n > _GENUINE:
        return False
    return draw.random.randrange(2 if draw.n <= _FEW else 8) == 0


def _roles(draw: _Draw, random: Random) -> tuple[str, ...]:
    """Return what the adversary knows: both correlations as a rule, one where two were too many."""
    roles = draw.asked.roles
    if len(roles) < 2 or (draw.n <= MOST_PAIRED and random.randrange(4)):
        return roles
    return (random.choice(roles),)


def _related(draw: _Draw, random: Random, n: int, roles: tuple[str, ...]) -> dict[str, list[Weights]]:
    """Return a matrix for each role: of two, the second is the first, it but for a row, its transpose, or another."""
    total = _COARSE_TOTAL if draw.asked.over_time else SMALL_TOTAL
    first, second = (
        [[part * (SMALL_TOTAL // total) for part in row] for row in FAMILIES[draw.family](random, n, total)]
        for _ in range(2)
    )
    kind = random.randrange(6)
    if kind == 0:
        second = first
    elif kind == 1:
        second = [*first[:-1], second[-1]]
    elif kind == 2 and draw.family in _TRANSPOSABLE:
        second = [list(column) for column in zip(*first, strict=True)]
    return dict(zip(roles, (first, second), strict=False))


def _inputs(made: dict[str, _Made], rest: Object) -> tuple[Object, Object | None]:
    """Return an input, and the smaller one of the same value."""
    large: Object = {role: _written(one.large, one.total) for role, one in made.items()}
    small: Object = {role: _written(one.small, SMALL_TOTAL) for role, one in made.items() if one.small is not None}
    return {**large, **rest}, {**small, **rest} if small else None


def _written(rows: list[Weights], total: int) -> list[list[str]]:
    """Write a matrix; rows that are one list are written as one, and equal entries as one text."""
    texts: dict[int, str] = {}
    written: dict[int, list[str]] = {}
    for row in rows:
        if id(row) not in written:
            for part in row:
                if part not in texts:
                    texts[part] = _hex_text(part / total)
            written[id(row)] = [texts[part] for part in row]
    return [written[id(row)] for row in rows]


def _hex_text(value: float) -> str:
    """Write a double as `hex_text` does, quickly where it is normal, for there are many; or ∞."""
    if value == 0:
        return "0x0p+0"
    if value == inf:
        return "inf"
    if value < _LEAST_NORMAL:
        return hex_text(value)
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}"
