"""The structure of a question, measured from its own matrices: classes, periods, zeros and likenesses of a chain.

A chain is a matrix with a set of values for each of the `CHAIN` dimensions. What a question has besides (which
correlations are known, which optional keys are given, steps of their own) are dimensions of the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import fsum, gcd
from typing import cast

from ..contract.operations import OPERATIONS, matrix_keys, may_differ
from ..wire.stepwise import kind_of_steps, written_matrices
from ..wire.strict_json import Object

_FEW = ("1", "2", "3 or more")

CHAIN: Mapping[str, tuple[str, ...]] = {
    "closed classes": _FEW,
    "period": _FEW,
    "transient values": ("none", "some"),
    "zeros": ("none", "whole columns", "by row", "disjoint rows"),
    "diagonal": ("not zero", "zero"),
    "likeness": ("symmetric", "doubly stochastic", "repeated rows", "ties", "none"),
}
"""The dimensions of a chain and their values.

period: the greatest of a closed class. zeros: the first that holds of: none; whole columns alone; two rows with no
column in common; others. likeness: the first that holds; ties are equal positive entries of different rows in a column.
"""

KNOWN, STEPS = "correlations", "steps"
"""Dimensions of a question besides its optional keys."""

ChainStructure = Mapping[str, str]
"""A value of each dimension that a chain, or a question about it, has."""

_Entry = float | Fraction
"""An entry of a matrix: an integer, a double or a rational."""

StructurePair = tuple[tuple[str, str], tuple[str, str]]
"""Two values of different dimensions, in the order of the dimensions."""

_DIGITS = b"01" + bytes(254)
"""What bytes 0 and 1 are written as."""

_SEVERAL = (
    *(("closed classes", "2"), ("closed classes", "3 or more")),
    *(("period", "2"), ("period", "3 or more")),
)
_BALANCED = ("likeness", "symmetric"), ("likeness", "doubly stochastic")

IMPOSSIBLE: Mapping[tuple[str, str], tuple[tuple[tuple[str, str], ...], str]] = {
    ("zeros", "none"): (
        (*_SEVERAL, ("transient values", "some"), ("diagonal", "zero")),
        "every state is followed by every other, so the chain is one aperiodic class",
    ),
    ("zeros", "whole columns"): (
        (*_SEVERAL, ("transient values", "none"), ("diagonal", "zero"), *_BALANCED),
        "every row is positive on the other columns: these are the one closed class, which is aperiodic",
    ),
    ("zeros", "by row"): (
        _SEVERAL,
        "any two states can meet at once, so there is one closed class, which is aperiodic",
    ),
    ("transient values", "some"): (
        _BALANCED,
        "columns that sum to 1 keep the uniform distribution, under which every state is visited for ever",
    ),
    ("period", "3 or more"): ((("likeness", "symmetric"),), "a symmetric chain returns in two steps"),
}
"""The pairs of values that no chain has, and why."""


def is_impossible(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether no chain has two values."""
    return any(two in IMPOSSIBLE.get(first, ((), ""))[0] for first, two in ((one, other), (other, one)))


def can_be_of(structure: ChainStructure) -> bool:
    """Whether no two values of a structure exclude each other."""
    return not any(is_impossible(*pair) for pair in combinations(structure.items(), 2))


def dimensions_of(op: str) -> Mapping[str, tuple[str, ...]]:
    """Return the dimensions of questions of an operation about a chain, and their values; none where it takes none."""
    operation = OPERATIONS[op]
    if not operation.matrices:
        return {}
    own = dict.fromkeys(_optional_keys(op), ("given", "absent"))
    known = {KNOWN: ("both", "backward", "forward")} if operation.knows_correlations else {}
    return {**CHAIN, **own, **known, **({STEPS: ("one matrix", "each its own")} if may_differ(op) else {})}


def possible_pairs(op: str) -> set[StructurePair]:
    """Return the pairs of values that a question of an operation can have."""
    values = [[(name, value) for value in values] for name, values in dimensions_of(op).items()]
    pairs = (pair for some in combinations(values, 2) for pair in product(*some))
    return {pair for pair in pairs if not is_impossible(*pair)}


def _optional_keys(op: str) -> list[str]:
    operation = OPERATIONS[op]
    return [
        key.name
        for key in operation.keys
        if not (key.required or key.addition or key.kind.is_matrix or key.name in operation.one_of)
    ]


def structures_of(op: str, given: Object) -> Iterator[ChainStructure]:
    """Yield the structure of each matrix of a question, together with the question's own dimensions."""
    own = {name: "given" if name in given else "absent" for name in _optional_keys(op)}
    if OPERATIONS[op].knows_correlations:
        known = [role for role in ("backward", "forward") if role in given]
        own[KNOWN] = "both" if len(known) == 2 else "".join(known)
    for key in matrix_keys():
        for matrix in written_matrices(given[key]) if key in given else ():
            steps = {STEPS: "each its own" if kind_of_steps(given[key]) else "one matrix"} if may_differ(op) else {}
            if (found := _readable_structure(matrix)) is not None:
                yield {**found, **own, **steps}


def _readable_structure(matrix: object) -> dict[str, str] | None:
    """Return the structure of a matrix, None for what is none."""
    is_square = isinstance(matrix, list) and all(isinstance(row, list) and len(row) == len(matrix) for row in matrix)
    try:
        return chain_structure(cast(list[list[str]], matrix)) if is_square and matrix else None
    except (AttributeError, TypeError, ValueError, ZeroDivisionError):
        return None


def pairs_of(structures: Iterable[ChainStructure]) -> set[StructurePair]:
    """Return the pairs of values that meet in one of the structures."""
    return {pair for structure in structures for pair in combinations(structure.items(), 2)}


def chain_structure(rows: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return the value of each dimension of `CHAIN` that a matrix has, as it is written. Exact.

    >>> chain_structure([["0", "1"], ["1/2", "1/2"]])["zeros"]
    'by row'
    """
    texts = set[str]().union(*rows)
    values = {text: float.fromhex(text) if "x" in text.lower() else Fraction(text) for text in texts}
    several = {id(row): [values[text] for text in row] for row in rows}
    return structure_of([several[id(row)] for row in rows], 1)


def structure_of(rows: Sequence[Sequence[_Entry]], total: int) -> dict[str, str]:
    """Return the same of rows that sum to a total, a power of two where there are doubles. Exact."""
    entries, masks = {}, {}
    for row in rows:
        if id(row) not in entries:
            entries[id(row)] = tuple(row)
            masks[id(row)] = int(bytes(map(bool, reversed(row))).translate(_DIGITS), 2)
    if not all(masks.values()):
        raise ValueError("a row of zeros")
    likeness = _likeness([entries[id(row)] for row in rows], total)
    return {**support_structure([masks[id(row)] for row in rows]), "likeness": likeness}


def support_structure(masks: Sequence[int]) -> dict[str, str]:
    """Return what of a structure is a matter of zeros alone. Args: masks, the states that can follow each, in bits."""
    everything = (1 << len(masks)) - 1
    classes = list(closed_classes(masks))
    return {
        "closed classes": _few(len(classes)),
        "period": _few(max(period_of(masks, states) for states in classes)),
        "transient values": "none" if sum(classes) == everything else "some",
        "zeros": _zeros(set(masks), everything),
        "diagonal": "not zero" if any(mask >> place & 1 for place, mask in enumerate(masks)) else "zero",
    }


def _few(number: int) -> str:
    return _FEW[min(number, 3) - 1]


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _reach(masks: Sequence[int], start: int) -> int:
    """Return the states that can be reached from some, these included; all as sets of bits."""
    found, fresh = start, start
    while fresh:
        after = 0
        for state in _bits(fresh):
            after |= masks[state]
        fresh = after & ~found
        found |= after
    return found


def closed_classes(masks: Sequence[int]) -> Iterator[int]:
    """Yield the closed classes of a chain, as sets of bits. Args: masks, the states that can follow each."""
    columns = zip(*(f"{mask:0{len(masks)}b}" for mask in reversed(masks)), strict=True)
    before = [int("".join(column), 2) for column in columns][::-1]
    left = (1 << len(masks)) - 1
    while left:
        start = left & -left
        while True:
            reached = _reach(masks, start)
            outside = reached & ~_reach(before, start)
            if not outside:
                break
            start = outside & -outside
        yield reached
        left &= ~_reach(before, reached)


def period_of(masks: Sequence[int], states: int) -> int:
    """Return the period of a closed class."""
    levels, reached, found = [states & -states], states & -states, 0
    while levels[-1]:
        after = 0
        for state in _bits(levels[-1]):
            after |= masks[state]
            for depth, own in enumerate(levels):
                if masks[state] & own:
                    found = gcd(found, len(levels) - depth)
        levels.append(after & ~reached)
        reached |= after
    return found


def _zeros(supports: set[int], everything: int) -> str:
    if supports == {everything}:
        return "none"
    if len(supports) == 1:
        return "whole columns"
    return "disjoint rows" if any(not one & two for one, two in combinations(supports, 2)) else "by row"


def _sums_to(column: Sequence[_Entry], total: int) -> bool:
    is_of_doubles = any(isinstance(entry, float) for entry in column)
    return fsum((*column, -total)) == 0 if is_of_doubles else sum(column) == total


def _likeness(rows: Sequence[tuple[_Entry, ...]], total: int) -> str:
    if all(row[k] == rows[k][j] for j, row in enumerate(rows) for k in range(j)):
        return "symmetric"
    if all(_sums_to(column, total) for column in zip(*rows, strict=True)):
        return "doubly stochastic"
    distinct = set(rows)
    if len(distinct) < len(rows):
        return "repeated rows"
    for column in zip(*distinct, strict=True):
        positive = [entry for entry in column if entry]
        if len(set(positive)) < len(positive):
            return "ties"
    return "none"
