"""Chains of each structure, small and large, whose truth is cheap: laid out by classes, drawn, and made large.

A structure is a value of each dimension of `CHAIN`; `structures_in_turn` goes through those that can be so that pairs
of values come equally often. Where there are two closed classes, or two cyclic parts of one, two values are never
mistaken for each other, so that the truth is that of two values which never change, whatever the rest of the chain is
(docs/worst-case.md). Elsewhere a core of few values is made large by three things that leave the truth as it is: a
value is split, its copies in one proportion; a value that is never reached is a copy of another; or, where one
correlation is known, it mixes two others, which makes no quotient greater. All in integers over a power of two, so that
every entry is a double and every row sums to exactly 1. Rows that are equal are one list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise, product
from random import Random

from ..structures import CHAIN, ChainStructure, can_be_of, structure_of, support_structure
from .enlarged import MIXED_BITS, SMALL_TOTAL, SPLIT_BITS, TOTAL, farthest
from .families import Weights, row_of

NEVER_CHANGING: list[Weights] = [[SMALL_TOTAL, 0], [0, SMALL_TOTAL]]
"""Two values that never change."""

BY_STRUCTURE = "by structure"
"""What stands in a case for the family of its matrices."""

_TRIES, _DRAWN, _MANY = 300, 8, 4
_SEQUENCE = 240
_FINE, _TINY, _TINY_IN = 12, 5, 3
_FEW_MIXTURES = 48
_TYPICAL = (5, 6, 8, 11, 15, 21)
_FEW_STATES = 6

Made = tuple[list[list[Weights]], list[list[Weights]]]
"""Matrices, and small ones of the same truth."""

Support = list[list[int]]
"""The states that can follow each state, in order."""


@lru_cache(maxsize=64)
def _structures_drawn(n: int, core: int) -> tuple[ChainStructure, ...]:
    """Return the structures of which a chain can be drawn. Args: n and core, as of `structures_in_turn`."""
    sizes = (n,) if n < _MANY else _TYPICAL
    several = [WantedChain("", 1 << size.bit_length() - 1, size, 1, core, True) for size in sizes]
    every = (dict(zip(CHAIN, values, strict=True)) for values in product(*CHAIN.values()))
    return tuple(
        one for one in every if can_be_of(one) and any(made(Random(0), one, wanted) is not None for wanted in several)
    )


@lru_cache(maxsize=256)
def structures_in_turn(
    seed: str, is_apart: bool | None = None, n: int = _MANY, core: int = _FEW_STATES
) -> tuple[ChainStructure, ...]:
    """Return structures in an order in which each value, and each pair, comes about as often as the others can.

    Chosen next is what brings most of the pairs that are still seldom; those of few states are chosen after those of
    more, for what these lack.

    Args: is_apart, whether two values of the chain are never mistaken for each other; None for by turns. n, the
    number of states where it is below _MANY. core, as of `WantedChain`.
    """
    if is_apart is None:
        mistaken, apart = (structures_in_turn(seed, kind, n, core) for kind in (False, True))
        apart = apart or mistaken
        return tuple((apart if place % 2 else mistaken)[place // 2] for place in range(_SEQUENCE))
    random, met, found = Random(f"{seed} structures {is_apart}"), Counter[object](), list[ChainStructure]()
    for size in range(_MANY, n - 1, -1):
        every = [one for one in _structures_drawn(size, core) if never_meet(one) == is_apart]
        pairs = {id(one): [*one.items(), *combinations(one.items(), 2)] for one in every}
        found = []
        for _ in range(_SEQUENCE if every else 0):
            several = random.sample(every, min(len(every), 40))
            chosen = max(several, key=lambda one: sum((1 + met[value]) ** -3 for value in pairs[id(one)]))
            met.update(pairs[id(chosen)])
            found.append(chosen)
    return tuple(found)


def never_meet(structure: ChainStructure) -> bool:
    """Whether two values of a chain of this structure are never mistaken for each other."""
    return structure["closed classes"] != "1" or structure["period"] != "1"


def needs_mixtures(structure: ChainStructure) -> bool:
    """Whether a core is made a large chain of this structure by values that mix two others, if by any."""
    return _has_transient(structure) and structure["likeness"] != "repeated rows" and not never_meet(structure)


@dataclass(frozen=True, slots=True)
class WantedChain:
    """What chains are drawn.

    seed: of cores, which all questions with the same truth share. least, most: states. roles: the number of matrices
    of one chain. core: the most states of a matrix whose truth is not cheap. mixes: whether a value that is never
    reached may mix two others, else it is a copy of one. is_fine: whether a core may have a tiny entry, and, if it is
    doubly stochastic, is more than a circulant: what the other questions have from `FAMILIES`. has_ends: whether in
    three large matrices of four the two rows farthest apart are at the ends, and nowhere else if they can.
    """

    seed: str
    least: int
    most: int
    roles: int
    core: int
    mixes: bool
    is_fine: bool = False
    has_ends: bool = False


def made(random: Random, structure: ChainStructure, wanted: WantedChain) -> Made | None:
    """Return matrices of a structure, and small ones of the same truth; None where none were drawn.

    Returns: rows that sum to TOTAL, and rows that sum to SMALL_TOTAL, none where the matrices are as small as these.
    """
    for found in _drawn(random, structure, wanted):
        if found is not None and all(structure_of(rows, TOTAL) == structure for rows in found[0]):
            return found
    return None


def _drawn(random: Random, structure: ChainStructure, wanted: WantedChain) -> Iterator[Made | None]:
    """Yield matrices of about a structure, None for those of no such size. As `made`."""
    if never_meet(structure):
        for _ in range(_DRAWN):
            larges = _of_classes(random, structure, wanted.most, wanted.roles)
            is_fit = wanted.least <= len(larges[0]) <= wanted.most
            yield (larges, [NEVER_CHANGING] * wanted.roles) if is_fit else None
        return
    sizes = list(range(1, max(wanted.core, 2) + 1))
    Random(f"{wanted.seed} sizes").shuffle(sizes)
    for size in sizes:
        if size <= wanted.most and (wanted.most <= _FEW_MIXTURES or size > 2):
            yield _of_a_core(random, structure, wanted, size)


def drawn_in_turn(random: Random, turns: Sequence[ChainStructure], turn: int, wanted: WantedChain) -> Made:
    """Return matrices of the structure whose turn it is, or of the next that so many states can have. As `made`."""
    for place in range(len(turns) if wanted.most > 1 else 0):
        found = made(random, turns[(turn + place) % len(turns)], wanted)
        if found is not None:
            return found
    return [[[TOTAL]]] * wanted.roles, []


def _is_balanced(structure: ChainStructure) -> bool:
    return structure["likeness"] in ("symmetric", "doubly stochastic")


# CyclicParts and cyclic parts that never meet

CyclicParts = list[list[list[int]]]
"""The states of the cyclic parts of each closed class."""


def _of_classes(random: Random, structure: ChainStructure, most: int, roles: int) -> list[list[Weights]]:
    closed, transient = _laid_out(random, structure, most)
    n = sum(len(part) for parts in closed for part in parts) + len(transient)
    if _is_balanced(structure):
        matrices = [_balanced(random, structure, closed, n) for _ in range(roles)]
    else:
        support = _support(random, structure["diagonal"] == "zero", closed, transient)
        matrices = [_weighted(random, structure["likeness"], support, TOTAL) for _ in range(roles)]
    return _shuffled(random, matrices)


def _laid_out(random: Random, structure: ChainStructure, most: int) -> tuple[CyclicParts, list[int]]:
    """Return the states of closed classes and the transient ones, as many in all as fit in `most` if any do."""
    never_stays, balanced = structure["diagonal"] == "zero", _is_balanced(structure)
    period = _number(random, structure["period"], 5)
    widest = 3 if never_stays or structure["likeness"] == "doubly stochastic" else 1  # fewer would be symmetric
    number = _number(random, structure["closed classes"], min(6, most // max(period, widest) + 1))
    periods = [period, *(random.choice((1, period)) if most > number * period else 1 for _ in range(number - 1))]
    sizes = [3 if never_stays and one == 1 else one for one in periods]
    transient, left = 0, most - sum(sizes)
    if _has_transient(structure):
        transient = 1 + (random.randrange(left) if left > 1 and random.randrange(2) else 0)
        left -= transient
    for place in random.sample(range(number), number) if left > 0 else ():
        more = left if place == number - 1 else random.randrange(left + 1)
        sizes[place] += more - more % (periods[place] if balanced else 1)
        left -= more - more % (periods[place] if balanced else 1)
    if left > 0 and not balanced:
        sizes[0] += left
    closed, first = list[list[list[int]]](), 0
    for size, own in zip(sizes, periods, strict=True):
        cuts = [first + size * part // own for part in range(own + 1)]
        closed.append([list(range(*ends)) for ends in pairwise(cuts)])
        first += size
    return closed, list(range(first, first + transient))


def _number(random: Random, text: str, below: int) -> int:
    return int(text) if text.isdigit() else random.randrange(3, max(below, 4))


def _support(random: Random, never_stays: bool, closed: CyclicParts, transient: list[int]) -> Support:
    """Return what follows each state: of a class the next part, thinned at times; of a transient state what it may."""
    support: dict[int, set[int]] = {}
    is_thin = random.randrange(2)
    for parts in closed:
        whole = 3 if len(parts) == 1 and never_stays else 1
        for part, after in zip(parts, [*parts[1:], parts[0]], strict=True):
            for place, state in enumerate(part):
                support[state] = {*after} if place < whole or not is_thin else {after[0], *_some(random, after)}
    inside = [*support]
    for state in transient:
        support[state] = {random.choice(inside), *_some(random, inside)}
        support[state].update(_some(random, transient) if random.randrange(2) else ())
    return [sorted(support[state] - {state} if never_stays else support[state]) for state in range(len(support))]


def _some(random: Random, states: Sequence[int]) -> list[int]:
    chosen = random.getrandbits(len(states)) if states else 0
    return [state for place, state in enumerate(states) if chosen >> place & 1]


def _balanced(random: Random, structure: ChainStructure, closed: CyclicParts, n: int) -> list[Weights]:
    """Return rows of classes that are circulants from part to part, symmetric or not: columns sum to the total too."""
    rows = [[0] * n for _ in range(n)]
    is_symmetric, never_stays = structure["likeness"] == "symmetric", structure["diagonal"] == "zero"
    for parts in closed:
        size, is_alone = len(parts[0]), len(parts) == 1
        shifts = {*range(size)}
        if size > 4 and random.randrange(2):
            shifts = {0, 1, 2, size - 1, size - 2} if is_symmetric else {0, 1, 2}
        shifts -= {0} if is_alone and never_stays else set()
        weights = _circulant(random, size, sorted(shifts), is_symmetric and is_alone, TOTAL)
        for number, (part, after) in enumerate(zip(parts, [*parts[1:], parts[0]], strict=True)):
            if number and is_symmetric:
                weights = [weights[-shift] for shift in range(size)]
            elif number:
                weights = _circulant(random, size, sorted(shifts), False, TOTAL)
            for place, state in enumerate(part):
                for shift, weight in enumerate(weights):
                    rows[state][after[(place + shift) % size]] = weight
    return rows


def _circulant(random: Random, size: int, shifts: Sequence[int], is_symmetric: bool, total: int) -> Weights:
    """Return the weights of the shifts of a circulant, which sum to a total, an even number."""
    drawn = [(1 + random.getrandbits(_FINE)) * (shift in shifts) for shift in range(size)]
    if is_symmetric:
        drawn = [weight + drawn[-shift] for shift, weight in enumerate(drawn)]
    weights = [2 * (weight * total // (2 * sum(drawn))) for weight in drawn]
    rest, shift = total - sum(weights), random.choice(shifts)
    for place in (shift, -shift) if is_symmetric else (shift, shift):
        weights[place] += rest // 2
    return weights


def _weighted(random: Random, likeness: str, support: Support, total: int, is_fine: bool = False) -> list[Weights]:
    """Return rows that are positive on a support: with ties, some repeated, or of weights without a pattern."""
    rows = list[Weights]()
    for places in support:
        row = [0] * len(support)
        weights = [1 + random.getrandbits(_FINE) for _ in places]
        for place, weight in zip(places, row_of(weights, total), strict=True):
            row[place] = weight
        rows.append(row)
    if is_fine and random.randrange(_TINY_IN) == 0:
        _make_tiny(random, rows, support)
    if likeness == "ties":
        _tie(random, rows)
    if likeness == "repeated rows":
        first: dict[tuple[int, ...], Weights] = {}
        for state, places in enumerate(support):
            row = first.setdefault(tuple(places), rows[state])
            rows[state] = row if random.randrange(4) else rows[state]
    return rows


def _make_tiny(random: Random, rows: list[Weights], support: Support) -> None:
    """Make one entry tiny in a row that has more in common with each other row, so that two stay as far apart."""
    places = [
        (state, place)
        for state, own in enumerate(support)
        for place in own
        if all(any(one in other and one != place for one in own) for other in support)
    ]
    if places:
        state, place = random.choice(places)
        row = rows[state]
        moved = row[place] - 1 - random.getrandbits(_TINY)
        row[place] -= moved
        row[max((one for one in support[state] if one != place), key=row.__getitem__)] += moved


def _tie(random: Random, rows: list[Weights]) -> None:
    """Make two entries of a column equal, in rows that have others to give or to take the difference."""
    for column in random.sample(range(len(rows)), len(rows)):
        holders = [row for row in rows if 0 < row[column] < sum(row)]
        for one, other in combinations(random.sample(holders, len(holders)), 2):
            moved = one[column] - other[column]
            giver = max((place for place in range(len(rows)) if place != column), key=other.__getitem__)
            if other[giver] > moved:
                other[column] += moved
                other[giver] -= moved
                return


# One aperiodic class


def _of_a_core(random: Random, structure: ChainStructure, wanted: WantedChain, size: int) -> Made | None:
    """Return a chain of one aperiodic class as it is drawn, or a core of so many states made large."""
    n, is_balanced = wanted.most, _is_balanced(structure)
    if is_balanced:
        n = size << (n // size).bit_length() - 1
    is_large = n > size
    is_reached = structure["likeness"] == "repeated rows" or is_balanced
    if n < wanted.least or (is_large and not is_reached and not (wanted.mixes and _has_transient(structure))):
        return None
    cores = _cores(Random(f"{wanted.seed} {size} {is_large}"), structure, size, wanted, is_large)
    if cores is None or (is_large and size == 1):
        return None
    if not is_large:
        return _shuffled(random, [_times(rows, TOTAL // SMALL_TOTAL) for rows in cores]), []
    sources = n - size if _has_transient(structure) else 0
    if sources > 1 and is_reached and random.randrange(4):
        sources = random.randrange(1, sources)
    apart = farthest(cores[0]) if wanted.has_ends and not is_balanced and random.randrange(4) else ()
    larges = _enlarged(random, cores, n, sources, apart, mixes=not is_reached, is_even=is_balanced)
    return _shuffled(random, larges, apart), cores


def _has_transient(structure: ChainStructure) -> bool:
    return structure["transient values"] == "some"


def _cores(
    random: Random, structure: ChainStructure, size: int, wanted: WantedChain, is_large: bool
) -> list[list[Weights]] | None:
    """Return small matrices of a structure, for roles; of a large one without what its values never reached bring."""
    never_stays, likeness = structure["diagonal"] == "zero", structure["likeness"]
    had = {name: structure[name] for name in ("closed classes", "period", "diagonal", "zeros")}
    if not (is_large and _has_transient(structure)):
        had["transient values"] = structure["transient values"]
    if is_large and had["zeros"] == "whole columns":
        had["zeros"] = "none"
    for _ in range(_TRIES):
        first = {place for place in range(size) if random.randrange(3)}
        supports = [first] * size
        if had["zeros"] == "none":
            supports = [{*range(size)}] * size
        elif had["zeros"] != "whole columns":
            supports = [{*_some(random, range(size))} for _ in range(size)]
        if _is_balanced(structure):
            shifts = supports[0] | ({-shift % size for shift in supports[0]} if likeness == "symmetric" else set())
            order = random.sample(range(size), size) if likeness != "symmetric" and random.randrange(2) else range(size)
            shifts -= {0} if never_stays and order == range(size) else set()
            supports = [{(place + shift) % size for shift in shifts} for place in order]
        elif never_stays:
            supports = [own - {place} for place, own in enumerate(supports)]
        masks = [sum(1 << place for place in own) for own in supports]
        if not all(masks) or had.items() - support_structure(masks).items():
            continue
        if not _is_balanced(structure):
            support = [sorted(own) for own in supports]
            kind = "none" if is_large and likeness == "repeated rows" else likeness
            return [_weighted(random, kind, support, SMALL_TOTAL, wanted.is_fine) for _ in range(wanted.roles)]
        found = []
        for _role in range(wanted.roles):
            weights = _circulant(random, size, sorted(shifts), likeness == "symmetric", SMALL_TOTAL)
            found.append([[weights[(other - place) % size] for other in range(size)] for place in order])
            if wanted.is_fine and likeness == "doubly stochastic" and size > 2:
                _stir(random, found[-1])
        return found
    return None


def _stir(random: Random, rows: list[Weights]) -> None:
    """Move weight between two rows in two columns, several times, so that no sum changes and no entry becomes 0."""
    for _ in range(2 * len(rows)):
        (one, other), (here, there) = (random.sample(range(len(rows)), 2) for _ in range(2))
        if rows[one][here] and rows[other][there] and rows[one][there] and rows[other][here]:
            moved = random.randrange(min(rows[one][there], rows[other][here]))
            for row, sign in ((rows[one], 1), (rows[other], -1)):
                row[here] += sign * moved
                row[there] -= sign * moved


def _enlarged(
    random: Random,
    cores: list[list[Weights]],
    n: int,
    sources: int,
    apart: tuple[int, ...],
    *,
    mixes: bool,
    is_even: bool,
) -> list[list[Weights]]:
    """Return small matrices of one chain made ones of n states, the last ones of which are never reached.

    Args: apart, states that are not split and not repeated where there are others; mixes, whether the last ones mix two
    rows of the core, else each repeats one; is_even, whether each state is split into as many copies, in equal parts.
    """
    size = len(cores[0])
    repeated = [place for place in range(size) if place not in apart] or [*range(size)]
    reached = [place % size for place in range(n - sources)]
    if not is_even:
        reached[size:] = [random.choice(repeated) for _ in reached[size:]]
    several = [(*pair, part) for pair in combinations(range(size), 2) for part in range(1, 2**MIXED_BITS)]
    if not mixes:
        several = [(place, place, 1) for place in repeated]
    drawn = random.sample(several, min(sources, len(several)))
    drawn += [random.choice(several) for _ in range(sources - len(drawn))]
    found = []
    for core in cores:
        shares = [0] * len(reached)
        for state in range(size):
            copies = [place for place, other in enumerate(reached) if other == state]
            weights = [1 if is_even else random.randrange(1, 100) for _ in copies]
            for place, share in zip(copies, row_of(weights, 2**SPLIT_BITS), strict=True):
                shares[place] = share
        made_rows: dict[tuple[int, int, int], Weights] = {}
        for one, other, part in [*((state, state, 1) for state in reached), *drawn]:
            if (one, other, part) not in made_rows:
                rest = 2**MIXED_BITS - part
                mixed = [part * own + rest * another for own, another in zip(core[one], core[other], strict=True)]
                row = [mixed[state] * share for state, share in zip(reached, shares, strict=True)]
                made_rows[one, other, part] = row + [0] * sources
        found.append([made_rows[(state, state, 1)] for state in reached] + [made_rows[own] for own in drawn])
    return found


def _shuffled(random: Random, matrices: list[list[Weights]], ends: tuple[int, ...] = ()) -> list[list[Weights]]:
    """Put the states in another order, the same in all matrices, with two of them at the ends if these are given.

    Rows that are one list stay one.
    """
    order = [place for place in range(len(matrices[0])) if place not in ends]
    random.shuffle(order)
    order = [*ends[:1], *order, *ends[1:]]
    found = []
    for rows in matrices:
        again = {id(row): [row[place] for place in order] for row in rows}
        found.append([again[id(rows[place])] for place in order])
    return found


def _times(rows: list[Weights], factor: int) -> list[Weights]:
    again = {id(row): [factor * weight for weight in row] for row in rows}
    return [again[id(row)] for row in rows]
