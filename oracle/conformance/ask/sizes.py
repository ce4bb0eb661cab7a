"""Cases across every dimension that the contract admits, spread evenly from the seed, with truths that are cheap.

States, releases, horizons, starts and lengths of windows, and levels each come in every doubling, with every structure
of matrix and of schedule (`families`, `schedules`), independent of one another. One question in four goes through the
rows of a covering array (`covering`), by which every pair of doublings is met: up to the tier's limits, one in three at
or beside a power of two or a round number, the first at the limits themselves. The others are of few states and
releases, and of levels of any size. A large matrix has the loss function of a small one (`enlarged`), which the judge
puts to the oracle in its place; others, of up to some dozens of states, are as they were drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from random import Random

from ...contract.allocation import ALLOCATION_METHODS
from ...wire.protocol import FLOAT64, Domain
from ...wire.strict_json import Object
from ..model import TIERS, Case
from .covering import FEW, DoublingGrid, covering_rows
from .draws import Asked, SizedDraw, lane_of, quick_hex_text
from .enlarged import SMALL_TOTAL, TOTAL, enlarged, has_disjoint_rows, split
from .families import DISJOINT_FAMILIES, FAMILIES, Weights, row_of
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

MOST_DENSE = 700
"""States of the largest matrix without zeros: a larger one, written out, is no line of the wire."""

MOST_PAIRED = 129
"""States of the largest two matrices that are asked about together."""

_SMALL_STATES, _MOST_PIECES = 6, 48
_MOST_SLOW, _FEW_SLOW = 3, 12
_GENUINE = 64
_TOGETHER = 4
_PROBABILITIES_TOTAL, _COARSE_TOTAL = 2**16, 2**10
_POSITIVE_FAMILIES = ("varied", "doubly stochastic", "two extreme rows", "many pieces", "nearly equal rows")
_TRANSPOSABLE = ("doubly stochastic", "permutation")
_DISJOINT = [[SMALL_TOTAL, 0], [0, SMALL_TOTAL]]


def _stream(draw: SizedDraw) -> Object:
    return {"epsilons": draw.budgets()}


def _window(draw: SizedDraw) -> Object:
    if draw.row is not None and "start" in draw.row:
        least, shortest = 1 << draw.row["start"], 1 << draw.row["length"]
        length = draw.random.randrange(shortest, min(2 * shortest, draw.steps - least + 2))
        start = draw.random.randrange(least, min(2 * least, draw.steps - length + 2))
    else:
        length = draw.strata.count("length", draw.k, 1, draw.steps)
        start = draw.strata.count("start", draw.k, 1, draw.steps - length + 1)
    return {**_stream(draw), "start": start, "length": length}


def _schedule(draw: SizedDraw) -> Object:
    method = draw.random.choice(ALLOCATION_METHODS)
    return {"alpha": quick_hex_text(draw.level()), "method": method, "horizon": draw.steps}


def _control(draw: SizedDraw) -> Object:
    cap = draw.level()
    previous = cap * draw.random.choice((1.0, 0.75, 0.5, 0.5, 0.0625))
    return {"previous": quick_hex_text(previous), "cap": quick_hex_text(cap)}


def _smoothing(draw: SizedDraw) -> Object:
    return {"s": quick_hex_text(draw.level(2.0**30))}


def _uneven(draw: SizedDraw) -> Object:
    row = row_of([draw.random.randrange(1, 100) for _ in range(draw.n)], _PROBABILITIES_TOTAL)
    return {"initial": [quick_hex_text(part / _PROBABILITIES_TOTAL) for part in row]}


def _walks(draw: SizedDraw) -> Object:
    """Return walks over its states, each of which is followed by another."""
    random, names = draw.random, [f"s{number}" for number in range(1, draw.n + 1)]
    random.shuffle(names)
    walk = [*names, *(random.choice(names) for _ in range(random.randrange(1, 4 * draw.n + 2))), names[0]]
    cut = random.randrange(1, len(walk))
    return {"sequences": [walk] if random.randrange(2) else [walk[: cut + 1], walk[cut:]]}


def _profile(draw: SizedDraw) -> Object:
    """Draw a δ that one release of its ε may exceed, and a part of it for each release."""
    epsilon = draw.level(16.0)
    delta = min(epsilon, 1.0) * 2.0 ** -draw.common.randrange(2, 12)
    chances = {"delta": delta, "delta_per_release": delta * 2.0 ** -draw.common.randrange(2, 20)}
    return {
        "epsilon": quick_hex_text(epsilon),
        "horizon": draw.steps,
        **{name: quick_hex_text(chance) for name, chance in chances.items()},
    }


_BOTH = ("backward", "forward")

SIZED: dict[str, Asked] = {
    "loss": Asked(("matrix",), lambda draw: {"alpha": quick_hex_text(draw.level())}),
    "loss_function": Asked(("matrix",), lambda _draw: {}, (129, 300), levels=None),
    "leakage": Asked(_BOTH, _stream, releases=(1_001, 10_000)),
    "supremum": Asked(("matrix",), lambda draw: {"epsilon": quick_hex_text(draw.level())}),
    "composition": Asked(_BOTH, _window, releases=(1_001, 10_000)),
    "allocate": Asked(_BOTH, _schedule, (129, 300), (1_001, 10_000), families=_POSITIVE_FAMILIES),
    "control": Asked(("matrix",), _control),
    "smooth": Asked(("matrix",), _smoothing, (101, 300), levels=None, probabilities=True),
    "reverse": Asked(("forward",), _uneven, (65, 129), levels=None, families=_POSITIVE_FAMILIES, probabilities=True),
    "estimate": Asked((), _walks, (65, 129), levels=None),
    "tight_leakage": Asked(_BOTH, _stream, (129, 300), (101, 101), over_time=True, together=10),
    "tight_supremum": Asked(
        ("backward",),
        lambda draw: {"epsilon": quick_hex_text(draw.level(4.0))},
        (65, 129),
        levels=(-10, 2),
        families=_POSITIVE_FAMILIES,
        over_time=True,
        together=12,
    ),
    "tight_allocate": Asked(
        _BOTH,
        lambda draw: {"alpha": quick_hex_text(draw.level(16.0)), "horizon": draw.steps},
        (65, 129),
        (16, 16),
        levels=(-10, 4),
        families=_POSITIVE_FAMILIES,
        over_time=True,
        together=16,
    ),
    "leakage_profile": Asked(
        _BOTH,
        _profile,
        (16, 24),
        (8, 12),
        levels=(-10, 4),
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
                    if place < len(order) and (lane_of(SIZED[op], tier, order[place]).large is not None) == is_large:
                        name = Name(seed, op, tier, order[place])
                        if wanted(op, str(name)):
                            yield sized_case(name, domain or Domain())


def _order(number: int, together: int) -> list[int]:
    """Return the order of so many questions, in which those that share a truth are far apart."""
    return sorted(range(number), key=lambda k: (k % together, k))


def grid_of(op: str, tier: str, domain: Domain) -> DoublingGrid:
    """Return the doublings, of each dimension and of each pair, that a tier promises of an operation in a domain."""
    asked, is_full = SIZED[op], tier == TIERS[-1]
    return DoublingGrid(
        states=min(asked.states[is_full], STATES[tier], domain.states or STATES[tier]),
        releases=min(asked.releases[is_full], RELEASES[tier], domain.releases or RELEASES[tier]),
        has_window=asked.rest is _window,
        levels=asked.levels,
        is_spent=asked.rest in (_stream, _window),
        highest=inf if domain.level is None else max(domain.level.double_below(), 0.0),
    )


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
    grid, rows = grid_of(op, tier, domain), covering_rows(grid_of(op, tier, domain), root)
    common = Random(f"{root} shared {k // asked.together}")
    lane = lane_of(asked, tier, k)
    draw = SizedDraw(asked, k, lane, Strata(root), Random(f"{root} {k}"), common, grid, rows, grid.highest)
    draw.draw_sizes()
    rest = asked.rest(draw)
    given, equivalent = _inputs(_matrices(draw), rest) if asked.roles else (rest, None)
    sizes = [f"n = {draw.n}", *([f"T = {draw.steps}"] if grid.releases else [])]
    title = f"{', '.join(sizes)}; {', '.join(name for name in (draw.family, draw.schedule) if name) or 'walks'}."
    if asked.over_time and equivalent is None:
        equivalent = given
    found = Case(str(name), op, FLOAT64, given, tier=tier, source=SIZES, title=title, equivalent=equivalent)
    return replace(found, family=draw.family, schedule=draw.schedule, pieces=_pieces(draw, equivalent or given))


def _pieces(draw: SizedDraw, small: Object) -> int | None:
    """Return how many pieces the loss function has, where that is known by the family of the matrix."""
    rows = small.get("matrix")
    is_known = (
        draw.family == "many pieces" and not draw.asked.probabilities and isinstance(rows, list) and len(rows) > 1
    )
    return len(rows) - 1 if is_known and isinstance(rows, list) else None


@dataclass(frozen=True, slots=True)
class _Made:
    """A matrix as it is asked, what its entries are multiples of, and a smaller one of the same truth, if any."""

    large: list[Weights]
    total: int
    small: list[Weights] | None


def _matrices(draw: SizedDraw) -> dict[str, _Made]:
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


def _small_size(draw: SizedDraw, random: Random) -> int:
    """Return of how many states a matrix is that is made large: few where the truth is dear."""
    if draw.asked.over_time:
        return 2 if draw.steps > _FEW_SLOW else random.randrange(2, _MOST_SLOW + 1)
    return _MOST_PIECES if draw.family == "many pieces" else random.randrange(2, _SMALL_STATES + 1)


def _is_as_it_is(draw: SizedDraw) -> bool:
    """Whether a matrix of some states is asked as it is drawn, so that the oracle works on all of it."""
    if draw.asked.over_time or draw.n > _GENUINE:
        return False
    return draw.random.randrange(2 if draw.n <= FEW else 8) == 0


def _roles(draw: SizedDraw, random: Random) -> tuple[str, ...]:
    """Return what the adversary knows: both correlations as a rule, one where two were too many."""
    roles = draw.asked.roles
    if len(roles) < 2 or (draw.n <= MOST_PAIRED and random.randrange(4)):
        return roles
    return (random.choice(roles),)


def _related(draw: SizedDraw, random: Random, n: int, roles: tuple[str, ...]) -> dict[str, list[Weights]]:
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
                    texts[part] = quick_hex_text(part / total)
            written[id(row)] = [texts[part] for part in row]
    return [written[id(row)] for row in rows]
