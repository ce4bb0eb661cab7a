"""Seeded cases: random requests to all operations, the same for the same seed, several about each matrix.

What is expected of them the oracle works out when it judges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from random import Random
from typing import cast

from ...contract.entry import InputKey, InputKind
from ...contract.operations import OPERATIONS
from ...wire.protocol import DOUBLES, FLOAT64, RATIONAL
from ...wire.strict_json import Object
from ..model import Case
from .edges import draw_breakpoint, draw_chosen_supremum, draw_critical, draw_nothing_left, draw_tangent
from .families import FAMILIES, FINE, FINE_FAMILIES, VAST_TOTAL
from .notation import DoubleNotation, Notation, RationalNotation
from .schedules import name_of

NOTATIONS: dict[str, Notation] = {FLOAT64: DoubleNotation(), RATIONAL: RationalNotation()}

FEW_STATES, MOST_SEEDED_STATES = 8, 20
"""Sizes of most matrices, and of all."""

FEW_RELEASES, LONG_STREAM = 6, 20

FEW_MIXING = 4
"""States of the largest matrix that is asked about over an infinite horizon, over all mechanisms."""

COARSEST = 100
MIXING_FAMILIES = ("varied", "coarse", "banded")

FREQUENCIES = {
    "varied": 6,
    "coarse": 5,
    "sparse": 3,
    "banded": 3,
    "nearly equal rows": 3,
    "permutation": 1,
    "disjoint rows": 1,
}
"""How often a family of matrices is drawn; one that is not here, twice."""


def seeded_cases(seed: int, count: int, numbers: Sequence[str]) -> Iterator[Case]:
    """Yield `count` cases over all operations, in the ways of writing numbers that are given.

    The first cases are the same for any count. Doubles are drawn in hexadecimal, and rewritten when they are asked.
    There are none without a way of writing numbers that the contract has.
    """
    if chosen := chosen_numbers(numbers):
        yield from islice(_cases(seed, chosen), count)


def seeded_of_each(seed: int, quotas: Mapping[str, int], numbers: Sequence[str]) -> Iterator[Case]:
    """Yield the first of the seeded cases of each operation, as many as its quota. Args besides: as `seeded_cases`."""
    left = {op: quota for op, quota in quotas.items() if quota > 0}
    cases = _cases(seed, chosen_numbers(numbers)) if chosen_numbers(numbers) else iter(())
    while left and (case := next(cases, None)):
        if case.op in left:
            yield case
            left[case.op] -= 1
            if not left[case.op]:
                del left[case.op]


def chosen_numbers(numbers: Sequence[str]) -> list[str]:
    """Return the ways of writing numbers in which cases are drawn for these."""
    drawn = {FLOAT64 if name in DOUBLES else name for name in numbers}
    return [name for name in NOTATIONS if name in drawn]


def _cases(seed: int, chosen: Sequence[str]) -> Iterator[Case]:
    number = 0
    random = Random(f"tploracle {seed}")
    while True:
        for name in chosen:
            for op, given, title, family in _group(random, NOTATIONS[name]):
                number += op not in UNNUMBERED
                case_id = f"{op}-seeded-{seed}-{number}"
                schedule = name_of(cast("list[str]", given.get("epsilons", [])))
                yield Case(case_id, op, name, given, source="seeded", title=title, family=family, schedule=schedule)


def draw_matrix(random: Random, notation: Notation, n: int) -> tuple[str, list[list[str]], Fraction]:
    """Return a matrix: the name of its family, its entries as written, and its largest entry."""
    (family,) = random.choices(tuple(FAMILIES), [FREQUENCIES.get(name, 2) for name in FAMILIES])
    totals = notation.totals
    total = random.choice([total for total in totals if total >= FINE] if family in FINE_FAMILIES else totals)
    if family == "tiny entries":
        total = VAST_TOTAL
    rows = FAMILIES[family](random, n, total)
    largest = max(map(max, rows))
    return family, [[notation.entry(part, total) for part in row] for row in rows], Fraction(largest, total)


def draw_mixing(random: Random, notation: Notation, n: int) -> list[list[str]]:
    """Return a matrix of no tiny entries: any two rows of it, or of a power of it, are well apart from disjoint."""
    total = random.choice([total for total in notation.totals if total <= COARSEST])
    rows = FAMILIES[random.choice(MIXING_FAMILIES)](random, n, total)
    return [[notation.entry(part, total) for part in row] for row in rows]


def draw_budgets(random: Random, notation: Notation, count: int, most: int = 0) -> list[str]:
    """Return a schedule of budgets: all equal, moderate ones, levels of any size, or with zeros among them.

    Args: most, how many there may be where zeros are put among them; without it as many as count.
    """
    kind = random.randrange(6)
    if kind < 2:
        return [notation.moderate(random)] * count
    if kind == 5:
        zeros = [notation.entry(0, 1)] * random.randrange(1, 4)
        place = random.randrange(count)
        budgets = [notation.moderate(random) for _ in range(count)]
        return [*budgets[:place], *zeros, *budgets[place + len(zeros) :]][: most or count]
    draw = notation.level if kind == 2 else notation.moderate
    return [draw(random) for _ in range(count)]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two matrices of one size to ask about, as written, and the largest entry of the first."""

    random: Random
    notation: Notation
    n: int
    backward: list[list[str]]
    forward: list[list[str]]
    largest: Fraction

    def matrix(self) -> list[list[str]]:
        """Return one of the two."""
        return self.random.choice((self.backward, self.backward, self.forward))

    def known(self) -> Object:
        """Return what an adversary knows: both correlations as a rule, one of them, or none."""
        kind = self.random.randrange(9)
        known: Object = {}
        if kind not in (0, 1):
            known["backward"] = self.backward
        if kind not in (0, 2):
            known["forward"] = self.forward
        return known

    def epsilons(self, most: int) -> list[str]:
        """Return a schedule of at most so many budgets."""
        return draw_budgets(self.random, self.notation, self.random.randrange(1, most + 1), most)


def _group(random: Random, notation: Notation) -> Iterator[tuple[str, Object, str, str]]:
    """Yield questions about one pair of matrices: operation, input, title and the family of its first matrix."""
    n = (
        random.randrange(1, FEW_STATES + 1)
        if random.randrange(12)
        else random.randrange(FEW_STATES, MOST_SEEDED_STATES + 1)
    )
    family, backward, largest = draw_matrix(random, notation, n)
    other, forward, _ = draw_matrix(random, notation, n)
    pair = _Pair(random, notation, n, backward, forward, largest)
    menu = [op for op, (times, _) in DRAWS.items() for _ in range(times)]
    random.shuffle(menu)
    for op in (*menu, *(op for op in OPERATIONS if op not in DRAWS)):
        yield op, draw_input(op, pair), f"Seeded, n = {n}: {family}, {other}.", family
    if random.randrange(3) == 0:
        name, op, given = random.choice(INVALID)
        yield op, given(pair), f"Seeded, n = {n}: {name}.", ""


def _loss(pair: _Pair) -> Object:
    if pair.random.randrange(8) == 0:
        matrix, alpha = draw_breakpoint(pair.random, pair.notation)
        return {"matrix": matrix, "alpha": alpha}
    return {"matrix": pair.matrix(), "alpha": pair.notation.level(pair.random)}


def _loss_function(pair: _Pair) -> Object:
    return {"matrix": draw_tangent(pair.random, pair.notation) if pair.random.randrange(4) == 0 else pair.backward}


def _leakage(pair: _Pair) -> Object:
    most = FEW_RELEASES if pair.random.randrange(8) else LONG_STREAM
    return {**pair.known(), "epsilons": pair.epsilons(most)}


def _supremum(pair: _Pair) -> Object:
    random, notation = pair.random, pair.notation
    kind = random.randrange(8)
    if kind > 4:
        matrix, epsilon = (draw_chosen_supremum if kind == 7 else draw_critical)(random, notation)
        return {"matrix": matrix, "epsilon": epsilon}
    if kind == 0 and pair.largest < 1:
        return {"matrix": pair.backward, "epsilon": notation.near_log(random, 1 / pair.largest)}
    return {"matrix": pair.matrix(), "epsilon": notation.level(random) if kind == 1 else notation.moderate(random)}


def _composition(pair: _Pair) -> Object:
    epsilons = pair.epsilons(FEW_RELEASES)
    start = pair.random.randrange(1, len(epsilons) + 1)
    length = pair.random.randrange(1, len(epsilons) - start + 2)
    return {**pair.known(), "epsilons": epsilons, "start": start, "length": length}


def _allocate(pair: _Pair) -> Object:
    random, notation = pair.random, pair.notation
    alpha = notation.moderate(random) if random.randrange(3) else notation.level(random)
    given: Object = {**pair.known(), "alpha": alpha}
    if random.randrange(3):
        return {**given, "method": "quantified", "horizon": random.randrange(1, FEW_RELEASES + 1)}
    given["method"] = "upper-bound"
    return {**given, "horizon": random.randrange(1, FEW_RELEASES + 1)} if random.randrange(2) else given


def _control(pair: _Pair) -> Object:
    random, notation = pair.random, pair.notation
    if random.randrange(8) == 0:
        matrix, previous, cap = draw_nothing_left(random, notation)
        return {"matrix": matrix, "previous": previous, "cap": cap}
    previous = notation.level(random)
    cap = notation.doubled(previous) if random.randrange(3) else notation.level(random)
    return {"matrix": pair.matrix(), "previous": previous, "cap": cap}


def _smooth(pair: _Pair) -> Object:
    random, notation = pair.random, pair.notation
    total = random.choice(notation.totals)
    s = notation.entry(random.randrange(total), total)
    if random.randrange(4) == 0 or pair.n > FEW_STATES:
        return {"n": random.randrange(1, FEW_STATES + 1), "s": s}
    return {"matrix": pair.backward, "s": s}


def _reverse(pair: _Pair) -> Object:
    random, notation = pair.random, pair.notation
    forward = pair.forward
    if pair.n > FEW_STATES:
        _, forward, _ = draw_matrix(random, notation, random.randrange(1, FEW_STATES + 1))
    return {"forward": forward, "initial": random.choice((*forward, _flat(notation, len(forward))))}


def _flat(notation: Notation, n: int) -> list[str]:
    """Return a distribution with mass on every state: as even as halves make it."""
    total = 2 ** (n - 1)
    parts = [total >> place for place in range(1, n)]
    return [notation.entry(part, total) for part in (*parts, total - sum(parts))]


def _estimate(pair: _Pair) -> Object:
    random = pair.random
    names = [f"s{number}" for number in range(1, random.randrange(2, 6))]
    sequences = []
    for _ in range(random.randrange(1, 4)):
        walk = [random.choice(names) for _ in range(random.randrange(2, 15))]
        returns = random.randrange(8) != 0
        sequences.append([*walk, walk[0]] if returns else walk)
    return {"sequences": sequences}


DRAWS: dict[str, tuple[int, Callable[[_Pair], Object]]] = {
    "loss": (2, _loss),
    "loss_function": (1, _loss_function),
    "leakage": (2, _leakage),
    "supremum": (2, _supremum),
    "composition": (2, _composition),
    "allocate": (2, _allocate),
    "control": (1, _control),
    "smooth": (1, _smooth),
    "reverse": (1, _reverse),
    "estimate": (1, _estimate),
}
"""How often an operation is asked about each pair of matrices, and what draws its input.

One in three pairs is asked an invalid one too. An operation that is not here is asked once, after these, so that their
cases stay the same for the same seed.
"""


def _tight_supremum(pair: _Pair) -> Object:
    return {**_mixing(pair).known(), "epsilon": pair.notation.moderate(pair.random)}


def _tight_allocate(pair: _Pair) -> Object:
    random, moderate = pair.random, pair.notation.moderate(pair.random)
    if random.randrange(12):
        return {**pair.known(), "alpha": moderate, "horizon": random.randrange(1, FEW_RELEASES + 1)}
    return {**_mixing(pair).known(), "alpha": moderate}


def _leakage_profile(pair: _Pair) -> Object:
    """Draw from the matrices alone, so that what is drawn after it stays the same; others where they are large."""
    random, notation = Random(f"{pair.backward} profile"), pair.notation
    if pair.n > FEW_MIXING:
        n = random.randrange(2, FEW_MIXING + 1)
        backward, forward = (draw_matrix(random, notation, n)[1] for _ in range(2))
        pair = replace(pair, n=n, backward=backward, forward=forward)
    drawn = [(random.choice((0, 1, 1, 3)), 1 << random.randrange(3, 20)) for _ in range(2)]
    drawn.sort(key=lambda chance: chance[0] / chance[1], reverse=random.randrange(8) > 0)  # else the answer may be ∞
    chances = [notation.entry(*chance) for chance in drawn]
    given: Object = {
        **replace(pair, random=random).known(),
        "epsilon": notation.moderate(random),
        "horizon": random.randrange(1, FEW_RELEASES + 1),
        "delta": chances[0],
    }
    return given if random.randrange(2) else {**given, "delta_per_release": chances[1]}


def _mixing(pair: _Pair) -> _Pair:
    """Return two matrices of few values, which forget the past within some steps."""
    random, notation = pair.random, pair.notation
    n = random.randrange(2, FEW_MIXING + 1)
    backward, forward = (draw_mixing(random, notation, n) for _ in range(2))
    return replace(pair, n=n, backward=backward, forward=forward)


LATER_DRAWS: dict[str, Callable[[_Pair], Object]] = {
    "tight_supremum": _tight_supremum,
    "tight_allocate": _tight_allocate,
    "leakage_profile": _leakage_profile,
}
"""What draws an input of an operation that is asked after the others; one that is not here is drawn by its kinds.

Over an infinite horizon the oracle takes long where a chain all but never forgets: what is drawn does.
"""


UNNUMBERED = ("leakage_profile",)
"""Operations added later have the number of the case before, so that the cases of the others keep theirs."""


def draw_input(op: str, pair: _Pair) -> Object:
    """Return an input of an operation: by its own draw, or by the kinds of its keys."""
    if op in DRAWS:
        return DRAWS[op][1](pair)
    if op in LATER_DRAWS:
        return LATER_DRAWS[op](pair)
    operation, random = OPERATIONS[op], pair.random
    only = random.choice(operation.one_of) if operation.one_of else ""
    chosen = [
        key
        for key in operation.keys
        if key.required or key.name == only or (key.name not in operation.one_of and random.randrange(3))
    ]
    return {key.name: _value(key, pair) for key in chosen}


def _value(key: InputKey, pair: _Pair) -> object:
    random, notation = pair.random, pair.notation
    match key.kind:
        case InputKind.MATRIX | InputKind.LOSS:
            return {"backward": pair.backward, "forward": pair.forward}.get(key.name) or pair.matrix()
        case InputKind.LEVEL:
            return notation.moderate(random) if random.randrange(3) else notation.level(random)
        case InputKind.LEVELS:
            return pair.epsilons(FEW_RELEASES)
        case InputKind.NUMBER:
            return notation.entry(1, random.choice(notation.totals))
        case InputKind.COUNT:
            return random.randrange(1, FEW_RELEASES + 1)
        case InputKind.TEXT:
            return random.choice(key.choices)
        case InputKind.DISTRIBUTION:
            return random.choice(pair.forward)
    return _estimate(pair)["sequences"]


def _not_stochastic(pair: _Pair) -> Object:
    notation = pair.notation
    row = [notation.entry(1, 2), *[notation.entry(0, 1)] * (pair.n - 1)]
    return {"matrix": [row, *pair.backward[1:]], "alpha": notation.moderate(pair.random)}


def _negative_probability(pair: _Pair) -> Object:
    """Return a question about a row that sums to 1, so that the sign is its one fault."""
    notation = pair.notation
    zero, one = notation.entry(0, 1), notation.entry(1, 1)
    row = [notation.entry(-1, 4), notation.entry(5, 4), *[zero] * (pair.n - 2)]
    others = pair.backward[1:] if pair.n > 1 else [[zero, one]]
    return {"matrix": [row, *others], "alpha": notation.moderate(pair.random)}


def _not_square(pair: _Pair) -> Object:
    return {"matrix": pair.backward[:-1], "alpha": pair.notation.moderate(pair.random)}


def _negative_level(pair: _Pair) -> Object:
    return {"matrix": pair.backward, "alpha": f"-{pair.notation.entry(1, 4)}"}


INVALID: tuple[tuple[str, str, Callable[[_Pair], Object]], ...] = (
    ("NotStochastic", "loss", _not_stochastic),
    ("NegativeProbability", "loss", _negative_probability),
    ("NotSquare", "loss", _not_square),
    ("InvalidLevel", "loss", _negative_level),
    ("InvalidNumber", "supremum", lambda pair: {"matrix": pair.backward, "epsilon": "nan"}),
    ("InvalidRequest", "loss", lambda pair: {"matrix": pair.backward}),
    ("InvalidRequest", "leakage", lambda pair: {**pair.known(), "epsilons": []}),
    ("InvalidRequest", "composition", lambda pair: {**_composition(pair), "length": FEW_RELEASES + 1}),
    ("InvalidRequest", "allocate", lambda pair: {**_allocate(pair), "horizon": 0}),
    ("InfeasibleBudget", "control", lambda pair: {**_control(pair), "cap": pair.notation.entry(0, 1)}),
    ("UnreachableState", "estimate", lambda _pair: {"sequences": [["a", "b"]]}),
)
"""Inputs that are errors, by the names: each with one fault."""
