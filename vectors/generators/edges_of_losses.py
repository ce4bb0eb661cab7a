"""What the cases of `loss` and `loss_function` are there for beyond their flags, as in `edges`."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import nextafter

from tploracle.reference import Level, TransitionMatrix
from tploracle.reference.correlations import Row

from .facts import (
    LEAST_NORMAL,
    all_transitions,
    disjoint,
    has_tie,
    is_beside,
    left_to_right,
    log_of,
    one_against_zero,
    pairs,
    removals,
    ties_matter,
    transitions,
)
from .input_parts import NAMED, matrix
from .read_query import Edge, ReadQuery, loss_of

GREATEST_DOUBLE = Fraction(2) ** 1024 - Fraction(2) ** 970
HARDLY_ANY = Level.of(Fraction(1, 2**16))


def _rows(query: ReadQuery) -> tuple[Row, Row]:
    return query.matrix.rows[0], query.matrix.rows[1]


def _alpha(query: ReadQuery) -> Level:
    return query.level("alpha")


def _at_alpha(query: ReadQuery) -> Level:
    return query.loss(_alpha(query))


def _is_inside(_name: str, query: ReadQuery) -> bool:
    unbounded = _alpha(query).is_infinite and query.loss.pieces[-1].d == 0
    return not _at_alpha(query).is_zero and (_at_alpha(query) < _alpha(query) or unbounded)


def _has_no_half(_name: str, query: ReadQuery) -> bool:
    value = float.fromhex(str(query.input["alpha"]))
    return Fraction(value) / 2 != Fraction(value / 2)


def _cancels(_name: str, query: ReadQuery) -> bool:
    low, high = _alpha(query).excess_bounds()
    return abs(Fraction(float(1 + low)) - 1 - low) > high / 10**5 and float(1 + low) == float(1 + high)


def _absorbs(_name: str, query: ReadQuery) -> bool:
    low, _ = _alpha(query).excess_bounds()
    return float(low / 4 + 1) == float(low / 4)


def _is_reordered(_name: str, query: ReadQuery) -> bool:
    base = matrix(NAMED["IN_ORDER"]).rows
    orders = permutations(range(query.matrix.n))
    return query.matrix.rows != base and any(
        sorted(tuple(row[k] for k in order) for row in query.matrix.rows) == sorted(base) for order in orders
    )


def _has_the_same_loss(_name: str, query: ReadQuery) -> bool:
    base = matrix(NAMED["IN_ORDER" if query.op == "loss" else "DENSE"])
    return query.matrix.rows != base.rows and query.loss.coefficients == loss_of(base).coefficients


def _removing(expected: list[int]) -> Edge:
    return lambda _, query: removals(*_rows(query), _alpha(query)) == expected


def _four_leave(_name: str, query: ReadQuery) -> bool:
    q, d = _rows(query)
    return sum(a > b for a, b in zip(q, d, strict=True)) == 4 and len(transitions(q, d)) >= 3


def _is_the_piece_named(name: str, query: ReadQuery) -> bool:
    return query.loss.piece_at(_alpha(query)) == query.loss.pieces[int(name.split("-")[1]) - 1]


def _pieces_meet(_name: str, query: ReadQuery) -> bool:
    pieces = query.loss.pieces
    stops = [piece.stop for piece in pieces if piece.stop is not None]
    place = next(number for number, stop in enumerate(stops) if log_of(stop) == _alpha(query))
    (before, after), stop = pieces[place : place + 2], stops[place]
    return (before.q * stop + 1) * (after.d * stop + 1) == (after.q * stop + 1) * (before.d * stop + 1)


def _is_on_the_side_named(name: str, query: ReadQuery) -> bool:
    points = [log_of(excess) for excess in all_transitions(query.matrix)]
    below = name.endswith("below")
    return any(is_beside(_alpha(query), point) and (_alpha(query) < point) == below for point in points)


def _ties_matter(_name: str, query: ReadQuery) -> bool:
    return ties_matter(query.matrix, _alpha(query))


def _only_the_last_two_are_disjoint(_name: str, query: ReadQuery) -> bool:
    (*first, third, fourth) = query.matrix.rows
    return disjoint(third, fourth) and not any(
        disjoint(q, d) for q, d in pairs(query.matrix) if q in first or d in first
    )


def _having(*counts: int) -> Edge:
    return lambda _, query: len(query.loss.pieces) in counts


def _differing_by(power: int) -> Edge:
    tiny = Fraction(1, 2**power)
    return lambda _, query: (
        (
            query.loss.pieces[0].q - query.loss.pieces[-1].q,
            query.loss.pieces[0].d - query.loss.pieces[-1].d,
        )
        == (tiny, tiny / 2)
    )


def _greatest_ratio_below(q: Row, d: Row) -> Fraction:
    return max(a / b for a, b in zip(q, d, strict=True) if b)


def _none(fact: str) -> Edge:
    found = {"disjoint": disjoint, "one against zero": one_against_zero}[fact]
    return lambda _, query: not any(found(q, d) for q, d in pairs(query.matrix))


def _sums_to_one(own: TransitionMatrix) -> bool:
    return all(sum(row) == 1 for row in own.rows)


EDGES_OF_LOSSES: dict[str, Edge] = {
    # levels
    "no two rows differ, so L is 0": lambda _, query: _at_alpha(query).is_zero,
    "the rows have disjoint supports, so L(α) = α": lambda _, query: _at_alpha(query) == _alpha(query),
    "L(α) = α": lambda _, query: _at_alpha(query) == _alpha(query),
    "L(1) < 1": lambda _, query: _at_alpha(query) < _alpha(query) == Level.of(1),
    "0 < L(α) < α, but for α = ∞ and an impossible transition": _is_inside,
    "half of the level is no double any more": _has_no_half,
    "e^α, rounded to a double, less 1 is off by more than one part in 10^5": _cancels,
    "beside e^α/4 a 1 makes no difference to a double": _absorbs,
    "e^α is above the greatest double": lambda _, query: _alpha(query) > Level.of_ratio(GREATEST_DOUBLE),
    # rows
    "rows 1 and 2 have disjoint supports": lambda _, query: disjoint(*_rows(query)),
    "rows 3 and 4 alone have disjoint supports": _only_the_last_two_are_disjoint,
    "no two rows have disjoint supports": _none("disjoint"),
    "no column has a 1 against a 0": _none("one against zero"),
    "the printed condition is not met": _none("one against zero"),
    "no two rows are equal": lambda _, query: len(set(query.matrix.rows)) == query.matrix.n,
    "1 + L is 1, or next to it, in doubles": lambda _, query: (
        not _at_alpha(query).is_zero and _at_alpha(query) < HARDLY_ANY
    ),
    "the rows sum to exactly 1": lambda _, query: _sums_to_one(query.matrix),
    "the row sums to exactly 1": lambda _, query: _sums_to_one(query.matrix),
    "another column of the row is 0, so that L has no bound, or there are two states": lambda _, query: (
        query.loss.pieces[-1].d == 0 or query.matrix.n == 2
    ),
    "the entry is below the least normal double": lambda _, query: 0 < query.matrix.rows[1][0] < LEAST_NORMAL,
    "1 − 2^−53 is the greatest double below 1": lambda _, query: (
        query.matrix.rows[0][1] == Fraction(nextafter(1, 0)) == 1 - Fraction(1, 2**53)
    ),
    "from left to right the sum is 1 − 2^−52": lambda _, query: (
        Fraction(left_to_right(query.matrix.rows[0])) == 1 - Fraction(1, 2**52)
    ),
    "the other way round it is 1": lambda _, query: left_to_right(query.matrix.rows[0][::-1]) == 1,
    "what is left is a double": lambda _, query: query.matrix.rows[0][9] == Fraction(float(query.matrix.rows[0][9])),
    "from left to right the nine are not 9/10 of anything": lambda _, query: (
        len(set(query.matrix.rows[0][:9])) == 1
        and Fraction(left_to_right(query.matrix.rows[0][:9])) != 9 * query.matrix.rows[0][0]
    ),
    "the rows and columns are those of one matrix in another order": _is_reordered,
    "L is the same function": _has_the_same_loss,
    "L is that of the matrix before": _has_the_same_loss,
    "row 1 over row 2 never gives more than log(4/3)": lambda _, query: (
        _greatest_ratio_below(*_rows(query)) == Fraction(4, 3)
    ),
    "every entry is positive": lambda _, query: all(all(row) for row in query.matrix.rows),
    "(1 + s)/(1 + 50s) = 201/250": lambda _, query: (
        query.matrix.rows[0][0] == Fraction(201, 250) == (1 + Fraction(1, 200)) / (1 + 50 * Fraction(1, 200))
    ),
    # turns and transition points
    "the turns of Algorithm 1 for rows 1 and 2 remove nothing": _removing([]),
    **{f"the turns of Algorithm 1 for rows 1 and 2 remove {turns}": _removing(turns) for turns in ([1], [2], [1, 1])},
    "four columns have q_j > d_j, and at least three transition points are finite": _four_leave,
    "the level is on that side of the point": _is_on_the_side_named,
    "the ratios are tied among columns with d_j > 0": lambda _, query: has_tie(*_rows(query)),
    "with one column of each tie alone the value falls short": _ties_matter,
    "with one of the tied columns alone the value falls short": _ties_matter,
    "the tied columns have left, and nothing is lost where only one of each tie is kept": lambda _, query: (
        not ties_matter(query.matrix, _alpha(query))
    ),
    # pieces
    "that piece rules": _is_the_piece_named,
    "two pieces have the same value there": _pieces_meet,
    "L is one function, or, of two distinct rows, a few": lambda _, query: (
        len(query.loss.pieces) == 1 or len(set(query.matrix.rows)) == 2 < query.matrix.n
    ),
    **{f"L has {count} pieces": _having(count) for count in (2, 3, 4)},
    "L has two pieces": _having(2),
    "L has three pieces": _having(3),
    "the column with the smaller d comes first, so that L has three pieces": _having(3),
    "L has at least five pieces": lambda _, query: len(query.loss.pieces) >= 5,
    "each row over each other gives (1/2, 1/4) at once": lambda _, query: all(
        max((a, b) for a, b in zip(q, d, strict=True) if a > b) == (Fraction(1, 2), Fraction(1, 4))
        for q, d in pairs(query.matrix)
    ),
    "the second begins at e^α − 1 = 8": lambda _, query: query.loss.pieces[-1].start == 8,
    **{f"their coefficients differ by 2^−{power} and by half of it": _differing_by(power) for power in (36, 44, 52)},
}
"""What a case can be there for, by the sentence that its vector has as `why`."""
