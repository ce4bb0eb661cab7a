"""Questions across sizes: large ones that meet every pair of doublings, with truths that are cheap.

States, releases, horizons, starts and lengths of windows, and levels follow the rows of a covering array (`covering`),
up to the tier's limits; one count in three is at or beside a power of two or a round number, and the first questions
are as large as can be. A large matrix has the loss function of a small one (`enlarged`), which the judge puts to the
oracle in its place; others, of up to some dozens of states, are as they were drawn. A question depends on its id and
the declared domain alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isqrt
from random import Random

from ...contract.entry import InputKind
from ...contract.operations import OPERATIONS
from ...wire.protocol import FLOAT64, Domain
from ...wire.strict_json import Object
from ..model import TIERS, Case
from .chains import BY_STRUCTURE, NEVER_CHANGING, WantedChain, drawn_in_turn, needs_mixtures, structures_in_turn
from .covering import FEW, MOST_PRODUCT, DoublingGrid, covering_rows
from .draws import Draw, asked_of, related
from .enlarged import SMALL_TOTAL, TOTAL, enlarged, has_disjoint_rows, split
from .families import DISJOINT_FAMILIES, FAMILIES, Weights
from .notation import NOTATIONS
from .seeded import FEW_RELEASES, Wanted

SIZES = "sizes"
"""The source of these cases."""

STATES = {"smoke": 60, "standard": 300, "full": 1_000}
RELEASES = {"smoke": 130, "standard": 1_001, "full": 10_000}
"""The most that each tier asks of any operation."""

FIRST_NUMBERS = {"smoke": 0, "standard": 1_000, "full": 100_000}
"""The number of each tier's first case of an operation."""

MOST_DENSE = 700
"""States of the largest matrix without zeros: a larger one, written out, is no line of the wire."""

MOST_PAIRED = 129
"""States of the largest two matrices that are asked about together."""

FAMILY_IN = 8
"""One large matrix in FAMILY_IN is of a family; the others are drawn by their structure."""

AT_LIMITS = 2
"""The first questions, which are as large as can be: in their states, and in their releases."""

_SMALL_STATES, _MOST_PIECES, _MANY = 6, 48, FEW.bit_length()
_MOST_SLOW, _FEW_SLOW = 3, 12
_GENUINE = 64
_TOGETHER = 4
_ROUND = (50, 51, 100, 101, 200, 201, 300, 500, 1_000, 1_001, 2_000, 5_000, 10_000)
_COARSE_TOTAL, _PROBABILITIES_TOTAL = 2**10, 2**40


@dataclass(frozen=True, slots=True)
class Name:
    """What a case is drawn from: the k-th of an operation in a tier."""

    seed: int
    op: str
    tier: str
    k: int

    def __str__(self) -> str:
        return f"{self.op}-{SIZES}-{self.seed}-{FIRST_NUMBERS[self.tier] + self.k}"


def sizes_cases(
    seed: int, counts: Mapping[str, Mapping[str, int]], domain: Domain | None = None, wanted: Wanted = lambda *_: True
) -> Iterator[Case]:
    """Yield cases of several tiers across sizes, within the domain of the implementation; the same for the same seed.

    Args: counts, by tier and operation (`budget_of`).
    """
    for tier, numbers in counts.items():
        orders = {op: _order(number, asked_of(op).together) for op, number in numbers.items()}
        for place in range(max(map(len, orders.values()), default=0)):
            names = [Name(seed, op, tier, order[place]) for op, order in orders.items() if place < len(order)]
            yield from (_sized_case(name, domain or Domain()) for name in names if wanted(name.op, str(name)))


def _order(number: int, together: int) -> list[int]:
    """Return the order of the questions, in which those that share a truth are far apart."""
    return sorted(range(number), key=lambda k: (k % together, k))


def grid_of(op: str, tier: str, domain: Domain) -> DoublingGrid:
    """Return the doublings, of each dimension and of each pair, that a tier promises of an operation in a domain."""
    asked, is_full = asked_of(op), tier == TIERS[-1]
    keys = {key.name: key.kind for key in OPERATIONS[op].keys}
    return DoublingGrid(
        states=min(asked.states[is_full], STATES[tier], domain.states or STATES[tier]),
        releases=min(asked.releases[is_full], RELEASES[tier], domain.releases or RELEASES[tier]),
        has_window="start" in keys,
        levels=asked.levels if OPERATIONS[op].levels else None,
        is_spent=InputKind.LEVELS in keys.values(),
        highest=inf if domain.level is None else max(domain.level.double_below(), 0.0),
    )


def _sized_case(name: Name, domain: Domain) -> Case:
    op, asked, grid = name.op, asked_of(name.op), grid_of(name.op, name.tier, domain)
    root, together = f"tploracle sizes {name.seed} {name.tier}", asked.together
    is_own = together > 1 and name.k % asked.own_in == 1 and bool(OPERATIONS[op].matrices)
    number, turn = (name.k, name.k // asked.own_in) if is_own else (name.k // together,) * 2
    rows = covering_rows(grid, f"{root} {op}")
    row = rows[(turn - AT_LIMITS) % len(rows)] if turn >= AT_LIMITS else {}
    shared = f"{root} {op} {'own' if is_own else 'shared'} {number}"
    random, common = Random(f"{root} {op} {name.k}"), Random(shared)
    leaves_out = turn >= AT_LIMITS + (0 if together > 1 and not is_own else len(rows))
    draw = Draw(op, asked, name.k, root, FLOAT64, random, common, number, grid, row, leaves_out)
    _draw_sizes(draw, is_own)
    family, large, small = _matrices(draw, turn, is_own)
    rest = asked.rest(draw)
    equivalent = {**small, **rest} if small else {**large, **rest} if together > 1 and not is_own else None
    if not OPERATIONS[op].one_of or not rest.keys() & set(OPERATIONS[op].one_of):
        rest = {**large, **rest}
    sizes = [f"n = {draw.n}", *([f"T = {draw.steps}"] if grid.releases else [])]
    title = f"{', '.join(sizes)}; {', '.join(name for name in (family, draw.schedule) if name) or 'walks'}."
    found = Case(str(name), op, FLOAT64, rest, tier=name.tier, source=SIZES, title=title)
    matrix, has_many = (small or large).get("matrix"), family == "many pieces" and OPERATIONS[op].side is not None
    pieces = len(matrix) - 1 or None if has_many and isinstance(matrix, list) else None
    return replace(found, equivalent=equivalent, family=family, schedule=draw.schedule, pieces=pieces)


def _draw_sizes(draw: Draw, is_own: bool) -> None:
    """Draw the number of releases, if there are any, and of states: the first as many as can be, then the second."""
    grid, row, number = draw.grid, draw.row or {}, draw.number
    shared, doublings = draw.asked.together > 1 and not is_own, grid.dimensions["states"]
    if grid.releases:
        if number == 1:
            draw.steps = grid.releases
        elif "releases" in row:
            draw.steps = _count(draw.common, *grid.span(row))
        else:
            draw.steps = draw.strata.count("releases", number, 1, min(FEW_RELEASES if shared else FEW, grid.releases))
    most = min(grid.states, isqrt(MOST_PRODUCT // draw.steps))
    place = draw.k % draw.asked.together // 2
    states = doublings[(place + number) % len(doublings)] if shared else row.get("states")
    if draw.leaves_out and not shared:
        larger = [
            one
            for one in doublings
            if one >= (_MANY if draw.asked.together == 1 else 2) and grid.fits({**row, "states": one})
        ]
        states = draw.random.choice(larger) if larger else states
    if states is None or (number < AT_LIMITS and states == doublings[-1]):
        draw.n = most
    else:
        draw.n = _count(draw.random, 1 << states, min(most, (2 << states) - 1))


def _count(random: Random, least: int, most: int) -> int:
    """Return a number of least … most, one in three an end or a round number."""
    least = min(least, most)
    special = [place for place in (least, least + 1, most, *_ROUND) if least <= place <= most]
    return random.choice(special) if random.randrange(3) == 0 else random.randrange(least, most + 1)


def _matrices(draw: Draw, turn: int, is_own: bool) -> tuple[str, Object, Object]:
    """Return the family, the matrices by their roles, and smaller ones of the same truth, if there are any.

    One in FAMILY_IN is of a family; the others are drawn by their structure, and may have fewer states than was drawn.
    """
    asked, operation = draw.asked, OPERATIONS[draw.op]
    if not operation.matrices:
        return "", {}, {}
    if is_own or (turn >= AT_LIMITS and turn % FAMILY_IN):
        return BY_STRUCTURE, *_by_structure(draw, turn, is_own)
    over_time, number = asked.together > 1, draw.k // max(asked.together, _TOGETHER)
    family = draw.strata.one_of("family", number, asked.families)
    shared = Random(f"{draw.root} {draw.op} matrices {number}")
    own = shared if over_time else draw.random
    roles = tuple(key.name for key in operation.matrices)
    if len(roles) > 1 and (draw.n > MOST_PAIRED or own.randrange(4) == 0):
        roles = (own.choice(roles),)

    def written(matrices: Sequence[list[Weights]], total: int) -> Object:
        return {role: _written(rows, total) for role, rows in zip(roles, matrices, strict=False)}

    if operation.side is None:
        return family, written([FAMILIES[family](draw.random, draw.n, _PROBABILITIES_TOTAL)], _PROBABILITIES_TOTAL), {}
    size = _small_size(draw, family, shared)
    as_it_is = not over_time and draw.n <= _GENUINE and draw.random.randrange(2 if draw.n <= FEW else 8) == 0
    if draw.n <= size or as_it_is:
        return family, written(_pair(own, family, draw.n, over_time), SMALL_TOTAL), {}
    if family in DISJOINT_FAMILIES and not over_time:
        larges = _pair(own, family, draw.n, over_time)[: len(roles)]
        if all(map(has_disjoint_rows, larges)):
            return family, written(larges, SMALL_TOTAL), written([NEVER_CHANGING] * len(roles), SMALL_TOTAL)
    smalls = _pair(shared, family, size, over_time)[: len(roles)]
    is_dense = draw.n <= MOST_DENSE and draw.random.randrange(4) > 0
    if over_time:
        larges = split(draw.random, smalls, draw.n, is_dense)
    else:
        larges = [enlarged(draw.random, rows, draw.n, is_dense) for rows in smalls]
    return family, written(larges, TOTAL), written(smalls, SMALL_TOTAL)


def _by_structure(draw: Draw, turn: int, is_own: bool) -> tuple[Object, Object]:
    """Return matrices of the structure whose turn it is, by their roles, and smaller ones of the same truth."""
    asked, operation = draw.asked, OPERATIONS[draw.op]
    is_shared = asked.together > 1 and not is_own
    if is_shared and draw.n > asked.core and draw.random.randrange(2) == 0:
        draw.n = draw.random.randrange(2, asked.core + 1)
    is_apart = None if asked.together == 1 else is_own
    turns = structures_in_turn(f"{draw.root} {draw.op}", is_apart, min(draw.n, 4), asked.core)
    roles = tuple(key.name for key in operation.matrices)
    is_alone = draw.n > MOST_PAIRED or (asked.one_pair and bool(turns) and needs_mixtures(turns[turn % len(turns)]))
    choices = [roles] if len(roles) == 1 or not is_alone else []
    choices += [(role,) for role in roles if len(roles) > 1]
    roles = (draw.common if is_shared else draw.random).choice(choices)
    seed = f"{draw.root} {draw.op} cores {draw.number if is_shared else draw.k}"
    mixes = len(roles) == 1 or not asked.one_pair
    least = 1 << draw.n.bit_length() - 1
    wanted = WantedChain(seed, least, draw.n, len(roles), asked.core, mixes, True, has_ends=asked.together == 1)
    larges, smalls = drawn_in_turn(draw.random, turns, turn, wanted)
    draw.n = len(larges[0])

    def written(matrices: list[list[Weights]], total: int) -> Object:
        return {role: _written(rows, total) for role, rows in zip(roles, matrices, strict=False)}

    return written(larges, TOTAL), written(smalls if operation.side else [], SMALL_TOTAL)


def _small_size(draw: Draw, family: str, random: Random) -> int:
    """Return the number of states of a matrix that is made large: few where the truth is dear."""
    if draw.asked.together > 1:
        return 2 if draw.steps > _FEW_SLOW else random.randrange(2, _MOST_SLOW + 1)
    return _MOST_PIECES if family == "many pieces" else random.randrange(2, _SMALL_STATES + 1)


def _pair(random: Random, family: str, n: int, is_coarse: bool) -> list[list[Weights]]:
    """Return two matrices of a family in multiples of 1/SMALL_TOTAL, related or not."""
    total = _COARSE_TOTAL if is_coarse else SMALL_TOTAL
    first, other = (
        [[part * (SMALL_TOTAL // total) for part in row] for row in FAMILIES[family](random, n, total)]
        for _ in range(2)
    )
    return [first, related(random, family, first, other)]


def _written(rows: list[Weights], total: int) -> list[list[str]]:
    """Write a matrix; rows that are one list are written as one, and equal entries as one text."""
    texts = {part: NOTATIONS[FLOAT64].entry(part, total) for part in set[int]().union(*rows)}
    written = {id(row): [*map(texts.__getitem__, row)] for row in {id(row): row for row in rows}.values()}
    return [written[id(row)] for row in rows]
