"""Flags for `smooth`, `reverse` and `estimate`: matrices made of other matrices and of data."""

from __future__ import annotations

from itertools import pairwise

from .asked import Asked
from .flag import Fact, Flag
from .flags_of_rows import of_matrix


def _sequences(asked: Asked) -> list[list[str]]:
    found = asked.input.get("sequences")
    if not isinstance(found, list):
        return []
    return [[str(name) for name in sequence] for sequence in found if isinstance(sequence, list)]


def _dead_end(asked: Asked) -> bool:
    sequences = _sequences(asked)
    seen = {name for sequence in sequences for name in sequence}
    steps = [step for sequence in sequences for step in pairwise(sequence)]
    return bool(seen) and (seen != {step[0] for step in steps} or seen != {step[1] for step in steps})


def _unreachable(asked: Asked) -> bool:
    if asked.op == "estimate":
        return _dead_end(asked)
    columns = zip(*asked.matrix.rows, strict=True)
    return any(not sum(p * x for p, x in zip(asked.distribution, column, strict=True)) for column in columns)


def _joined_wrongly(asked: Asked) -> bool:
    """Whether the last name of a sequence and the first of the next make a step that no sequence has."""
    sequences = [sequence for sequence in _sequences(asked) if sequence]
    steps = {step for sequence in sequences for step in pairwise(sequence)}
    return any((a[-1], b[0]) not in steps for a, b in pairwise(sequences))


def _numbered_states(asked: Asked) -> bool:
    seen = sorted({name for sequence in _sequences(asked) for name in sequence})
    return all(name.isdigit() for name in seen) and seen != sorted(seen, key=int)


def _first_seen_late(asked: Asked) -> bool:
    seen = list(dict.fromkeys(name for sequence in _sequences(asked) for name in sequence))
    return seen != sorted(seen) and not any(name.isdigit() for name in seen)


def _initial(fact: Fact) -> Fact:
    return lambda asked: asked.op == "reverse" and fact(asked)


def _not_stationary(asked: Asked) -> bool:
    p, rows = asked.distribution, asked.matrix.rows
    after = [sum(x * row[k] for x, row in zip(p, rows, strict=True)) for k in range(len(p))]
    return list(p) != after and len(set(p)) > 1


FLAGS = (
    Flag(
        "ZeroSmoothing",
        "s = 0 changes nothing, and the rows are divided by a rounded sum all the same.",
        "A matrix that was to stay as it is is another one afterwards.",
        lambda asked: asked.op == "smooth" and asked.number("s") == 0,
    ),
    Flag(
        "SmoothsZeros",
        "s > 0 makes every entry positive and divides each row by 1 + n·s: zeros stay, or the division is left out.",
        "Rows that do not sum to 1, or a supremum that is infinite where smoothing was to make it finite.",
        lambda asked: (
            asked.op == "smooth"
            and asked.number("s") > 0
            and (
                asked.integer("n") > 1 or of_matrix(lambda m: any(entry == 0 for row in m.rows for entry in row))(asked)
            )
        ),
    ),
    Flag(
        "SmoothsPositive",
        "The matrix has no zeros and is mixed with the uniform one all the same: s is added to zeros alone.",
        "A matrix that is as strong as before is taken for a smoothed one.",
        lambda asked: (
            asked.op == "smooth" and of_matrix(lambda m: all(entry > 0 for row in m.rows for entry in row))(asked)
        ),
    ),
    Flag(
        "NotStationary",
        "The initial distribution is neither uniform nor stationary: the transposed matrix, its rows divided "
        "by their sums, is answered.",
        "The backward correlation is that of another chain.",
        _initial(_not_stationary),
    ),
    Flag(
        "ImpossibleStart",
        "A state has initial probability 0 though every state can be reached: it is divided by.",
        "NaN in the backward correlation, or a refusal of a valid one.",
        _initial(lambda asked: 0 in asked.distribution),
    ),
    Flag(
        "Unreachable",
        "A conditional distribution is asked for on a state that cannot occur, or was never left or entered: "
        "a row is made up.",
        "The row that nobody knows decides the leakage.",
        _unreachable,
    ),
    Flag(
        "SequencesApart",
        "A sequence ends where the next one does not begin: they are joined.",
        "Steps are counted that nobody made.",
        lambda asked: asked.op == "estimate" and _joined_wrongly(asked),
    ),
    Flag(
        "StatesByNumber",
        "States named by numbers are ordered by value, 2 before 10: they are sorted as texts.",
        "Rows and columns stand for other states than the reader thinks.",
        lambda asked: asked.op == "estimate" and _numbered_states(asked),
    ),
    Flag(
        "StatesByName",
        "States are ordered by name: they come in the order in which they are first seen.",
        "Rows and columns stand for other states than the reader thinks.",
        lambda asked: asked.op == "estimate" and _first_seen_late(asked),
    ),
)
