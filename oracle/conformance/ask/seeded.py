"""Seeded questions: few states and releases, levels of every size, both notations, and every family of matrices.

Four in a row are about the same matrices; some are made for an edge (`edges`), some have one fault. A question depends
on its id and the notations alone. The oracle computes the expected answer when it judges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from random import Random

from ...contract.operations import OPERATIONS, may_differ
from ...wire.protocol import DOUBLES, FLOAT64
from ...wire.stepwise import CYCLE, STEPS
from ...wire.strict_json import Object
from ..model import Case
from .chains import BY_STRUCTURE, WantedChain, drawn_in_turn, needs_mixtures, structures_in_turn
from .covering import FEW, DoublingGrid, strata_of
from .draws import INVALID, POSITIVE_FAMILIES, Draw, asked_of, related
from .enlarged import SMALL_TOTAL, TOTAL
from .families import FAMILIES, FINE, FINE_FAMILIES, VAST_TOTAL, Weights
from .notation import NOTATIONS, Notation

SEEDED = "seeded"
"""The source of these cases."""

Wanted = Callable[[str, str], bool]
"""Whether a case of an operation and an id is wanted; one that is not is not drawn."""

ALIKE = 4
"""Seeded questions in a row about the same matrices, whose loss functions the oracle then remembers."""

EDGE_IN, FAULT_IN, STEPS_IN = 4, 24, 3
"""One seeded question in EDGE_IN is made for an edge, one in FAULT_IN has a fault; STEPS_IN bring one with steps."""

FEW_RELEASES, LONGEST_CYCLE = 6, 4
_STEPWISE_STATES = (2, 6), (4, 16), (16, 66)
_FEW_STATES = 6

_COARSEST = 100
_FAMILIES = (*FAMILIES, *POSITIVE_FAMILIES, "varied", "varied", "coarse")
_MIXING_FAMILIES = ("varied", "coarse", "banded")
_BOTH = ("backward", "forward")


def chosen_numbers(numbers: Sequence[str]) -> list[str]:
    """Return the notations in which questions are drawn for these ways of writing numbers."""
    drawn = {FLOAT64 if name in DOUBLES else name for name in numbers}
    return [name for name in NOTATIONS if name in drawn]


def seeded_cases(seed: int, number: int, numbers: Sequence[str]) -> Iterator[Case]:
    """Yield `number` seeded cases over all operations in turn, none without a notation that the contract has.

    Doubles are drawn in hexadecimal, and rewritten when they are asked.
    """
    every = seeded_of_each(seed, dict.fromkeys(OPERATIONS, number), numbers)
    return islice(every, number)


def seeded_of_each(
    seed: int, quotas: Mapping[str, int], numbers: Sequence[str], wanted: Wanted = lambda *_: True
) -> Iterator[Case]:
    """Yield the first seeded cases of each operation, as many as its quota. Args: numbers, as of `seeded_cases`."""
    chosen = chosen_numbers(numbers)
    for k in range(max(quotas.values(), default=0) if chosen else 0):
        for op, quota in quotas.items():
            if k < quota and wanted(op, case_id := f"{op}-{SEEDED}-{seed}-{k + 1}"):
                turn, place = divmod(k, len(chosen))
                yield _seeded(case_id, _draw_of(op, f"tploracle {seed} {chosen[place]}", turn, chosen[place]))


def stepwise_cases(
    seed: int, quotas: Mapping[str, int], numbers: Sequence[str], wanted: Wanted = lambda *_: True
) -> Iterator[Case]:
    """Yield seeded cases with a matrix for each step, for STEPS_IN seeded ones each. Args: as of `seeded_of_each`."""
    chosen = chosen_numbers(numbers)
    for op, quota in quotas.items():
        for k in range(-(-quota // STEPS_IN) if chosen and may_differ(op) else 0):
            if wanted(op, case_id := f"{op}-steps-{SEEDED}-{seed}-{k + 1}"):
                turn, place = divmod(k, len(chosen))
                yield _of_steps(case_id, _draw_of(op, f"tploracle steps {seed} {chosen[place]}", turn, chosen[place]))


def _draw_of(op: str, root: str, k: int, numbers: str) -> Draw:
    random, asked = Random(f"{root} {op} {k}"), asked_of(op)
    draw = Draw(op, asked, k, root, numbers, random, random, k, DoublingGrid(FEW))
    draw.n = strata_of(root).count("states", k // ALIKE, 1, asked.few)
    is_quick = numbers == FLOAT64 and asked.together == 1
    draw.steps = draw.strata.count("releases", k, 1, FEW if is_quick else FEW_RELEASES)
    return draw


def _seeded(case_id: str, draw: Draw) -> Case:
    op, numbers, k = draw.op, draw.numbers, draw.k
    if draw.asked.edge and k % EDGE_IN == EDGE_IN - 1:
        given = draw.asked.edge(draw.random, draw.notation)
        return Case(case_id, op, numbers, given, source=SEEDED, title="Seeded, made for an edge.")
    rest = draw.asked.rest(draw)
    is_mixing = draw.asked.few < FEW and not {"horizon", "epsilons"} & rest.keys()
    number, is_fine = k // ALIKE, draw.asked.together == 1
    families, matrices = _few(draw.root, draw.notation, number, draw.n, is_mixing=is_mixing, is_fine=is_fine)
    given = {**_known(draw, matrices, rest), **rest}
    title, family = ", ".join(families), families[0]
    if k % FAULT_IN == FAULT_IN // 2 and op in INVALID:
        title, spoil = draw.random.choice(INVALID[op])
        given, family = spoil(given, draw.notation), ""
    found = Case(case_id, op, numbers, given, source=SEEDED, title=f"Seeded, n = {draw.n}: {title}.")
    is_known = family == "many pieces" and given.get("matrix") is matrices[0] and OPERATIONS[op].side is not None
    return replace(found, family=family, schedule=draw.schedule, pieces=draw.n - 1 or None if is_known else None)


def _known(draw: Draw, matrices: Sequence[object], rest: Object) -> Object:
    """Return the matrices under their keys: one of the two, or what an adversary knows, at times one or none."""
    operation = OPERATIONS[draw.op]
    if operation.knows_correlations:
        unknown = draw.random.choice((_BOTH, _BOTH[:1], _BOTH[1:], *[()] * 6))
        return {role: own for role, own in zip(_BOTH, matrices, strict=True) if role not in unknown}
    roles = [key.name for key in operation.matrices if not rest.keys() & set(operation.one_of)]
    return {role: draw.random.choice(matrices) for role in roles}


@lru_cache(maxsize=64)
def _few(
    root: str, notation: Notation, number: int, n: int, *, is_mixing: bool, is_fine: bool
) -> tuple[tuple[str, ...], tuple[list[list[str]], ...]]:
    """Return two matrices of few states, related or not, and the names of their families, or of one structure.

    Args: is_mixing, whether any two rows, also of powers, are to be far from disjoint: what an infinite horizon needs;
    is_fine, as of `WantedChain`.
    """
    random, strata = Random(f"{root} matrices {number} {n}"), strata_of(root)
    if number % 4 and not is_mixing:
        wanted = WantedChain(f"{root} {number}", n, n, len(_BOTH), n, True, is_fine)
        larges, _ = drawn_in_turn(random, structures_in_turn(root, None, min(n, 4)), number - number // 4, wanted)
        return (BY_STRUCTURE,), tuple(_written(rows, notation) for rows in larges)
    families = _MIXING_FAMILIES if is_mixing else _FAMILIES
    names = tuple(
        strata.one_of(which, number if is_mixing else number // 4, families) for which in ("family", "second family")
    )
    totals = [total for total in notation.totals if not is_mixing or total <= _COARSEST]
    drawn = [_weights(random, name, n, totals) for name in names]
    if is_mixing and names[0] == "varied" and n > 2 and number % 2:
        drawn[0] = _never_staying(drawn[0][0]), drawn[0][1]
    second = related(random, names[0], *(rows for rows, _ in drawn)) if drawn[0][1] == drawn[1][1] else drawn[1][0]
    drawn[1] = second, drawn[1][1]
    return names, tuple([[notation.entry(part, total) for part in row] for row in rows] for rows, total in drawn)


def _never_staying(rows: list[Weights]) -> list[Weights]:
    """Move what is on the diagonal to the next column, so that no state is followed by itself."""
    n = len(rows)
    return [
        [0 if k == j else weight + (row[j] if k == (j + 1) % n else 0) for k, weight in enumerate(row)]
        for j, row in enumerate(rows)
    ]


def _weights(random: Random, family: str, n: int, totals: Sequence[int]) -> tuple[list[Weights], int]:
    total = random.choice([total for total in totals if total >= FINE] if family in FINE_FAMILIES else totals)
    total = VAST_TOTAL if family == "tiny entries" else total
    return FAMILIES[family](random, n, total), total


def _written(rows: list[Weights], notation: Notation, total: int = TOTAL) -> list[list[str]]:
    return [[notation.entry(part, total) for part in row] for row in rows]


def _of_steps(case_id: str, draw: Draw) -> Case:
    """Draw a case whose roles have one matrix, one for each step, or some that repeat; not all of them one alone.

    The matrices are of one structure, of few states or many by turns.
    """
    random, k = draw.random, draw.k
    most = random.randrange(*_STEPWISE_STATES[k % len(_STEPWISE_STATES)])
    draw.steps = 2 + k % FEW_RELEASES
    turns = structures_in_turn(f"{draw.root} {draw.op}")
    is_alone = draw.asked.one_pair and needs_mixtures(turns[k % len(turns)])
    roles = random.choice((_BOTH[:1], _BOTH[1:]) if is_alone else (_BOTH[:1], _BOTH[1:], _BOTH, _BOTH))
    own = random.choice(roles)
    kinds = [random.choice((STEPS, CYCLE)) if role == own or random.randrange(3) else "" for role in roles]
    cycle = random.randrange(1, LONGEST_CYCLE + 1)
    numbers = [{STEPS: draw.steps - 1, CYCLE: cycle}.get(kind, 1) for kind in kinds]
    mixes = len(roles) == 1 or not draw.asked.one_pair
    wanted = WantedChain(case_id, 1 << most.bit_length() - 1, most, sum(numbers), _FEW_STATES, mixes)
    larges, smalls = drawn_in_turn(random, turns, k, wanted)
    draw.n, has_small = len(larges[0]), bool(smalls)
    rest, told = (
        draw.asked.rest(draw),
        ", ".join(f"{role} {kind or 'one matrix'}" for role, kind in zip(roles, kinds, strict=True)),
    )
    given, equivalent = dict(rest), dict(rest)
    for role, kind, number in zip(roles, kinds, numbers, strict=True):
        for written, matrices, total in ((given, larges, TOTAL), (equivalent, smalls, SMALL_TOTAL)):
            each = [_written(rows, draw.notation, total) for rows in matrices[:number]]
            written[role] = {kind: each} if kind else each[0] if each else None
        larges, smalls = larges[number:], smalls[number:]
    title = f"Seeded: n = {draw.n}, {draw.steps} releases, {told}."
    found = Case(case_id, draw.op, draw.numbers, given, source=SEEDED, title=title)
    return replace(found, equivalent=equivalent if has_small else None)
