"""Large matrices whose truth is cheap: one of few states made large, so that its loss function stays what it was.

Three things leave L as it is (docs/mathematics.md): a state is split (its row is copied, and its column shared between
the copies in one proportion), a row is added that mixes others, and rows and columns are put in another order. The
quotient of two mixtures of rows is nowhere above the greatest quotient of two of the rows. And two rows that have no
column in common make L the identity, whatever the others are. All of it in integers over a power of two, so that every
entry is a double and every row sums to exactly 1. Rows that are equal are one list.
"""

from __future__ import annotations

from itertools import combinations
from random import Random

from .families import Weights, row_of

SMALL_BITS, MIXED_BITS, SPLIT_BITS = 26, 6, 16
"""What the entries of the small matrix, the weights of a mixture and the parts of a split state are multiples of."""

SMALL_TOTAL = 2**SMALL_BITS
TOTAL = 2 ** (SMALL_BITS + MIXED_BITS + SPLIT_BITS)
"""What the entries of a small and of a large matrix are multiples of."""

_MIXTURES = 3


def enlarged(random: Random, small: list[Weights], n: int, dense: bool) -> list[Weights]:
    """Return a small matrix made one of n states; three times in four the two rows farthest apart are at the ends.

    There they are alone, so that losing the first row or the last changes the loss function. Args: small, with rows
    that sum to SMALL_TOTAL; dense, whether a state's column is shared by all of its copies and rows that are not of the
    small matrix mix two of its rows; else copies are never reached, and rows are repeated. Returns: rows that sum to
    TOTAL.
    """
    k = len(small)
    state_of = [*range(k), *(random.randrange(k) for _ in range(n - k))]
    random.shuffle(state_of)
    shares = _shares(random, state_of, dense)
    pure = [_large(_mixture(random, small, j, j), state_of, shares) for j in range(k)]
    apart = farthest(small) if k > 1 and random.randrange(4) else ()
    ends, inner = [pure[j] for j in apart], [row for j, row in enumerate(pure) if j not in apart]
    random.shuffle(ends)
    if n > k:
        repeated = [j for j in range(k) if j not in apart] or [*range(k)]
        pairs = [
            random.sample(range(k), 2) if dense and k > 1 else [random.choice(repeated)] * 2 for _ in range(_MIXTURES)
        ]
        pool = [_mixture(random, small, *pair) for pair in pairs]
        mixed = [_large(row, state_of, shares) for row in pool]
        inner += [random.choice(mixed) for _ in range(n - k)]
    random.shuffle(inner)
    return [*ends[:1], *inner, *ends[1:]]


def farthest(small: list[Weights]) -> tuple[int, int]:
    """Return the two rows that differ by most in all."""
    return max(combinations(range(len(small)), 2), key=lambda pair: _distance(*(small[j] for j in pair)))


def _distance(one: Weights, two: Weights) -> int:
    return sum(abs(first - second) for first, second in zip(one, two, strict=True))


def split(random: Random, smalls: list[list[Weights]], n: int, dense: bool) -> list[list[Weights]]:
    """Return small matrices of one chain made ones of n states, so that the worst case over all mechanisms stays.

    States are split and put in another order, the same in all the matrices: copies of a state cannot be distinguished,
    and a set that holds one of them holds all. Args: dense, whether all copies are reached, else one of each.
    """
    k = len(smalls[0])
    state_of = [*range(k), *(random.randrange(k) for _ in range(n - k))]
    random.shuffle(state_of)
    made = []
    for small in smalls:
        shares = _shares(random, state_of, dense)
        rows = [_large([weight << MIXED_BITS for weight in row], state_of, shares) for row in small]
        made.append([rows[state] for state in state_of])
    return made


def has_disjoint_rows(rows: list[Weights]) -> bool:
    """Whether the first row has no column in common with another."""
    places = [place for place, entry in enumerate(rows[0]) if entry]
    return any(not any(row[place] for place in places) for row in rows)


def _large(row: Weights, state_of: list[int], shares: list[int]) -> Weights:
    return [row[state] * share for state, share in zip(state_of, shares, strict=True)]


def _shares(random: Random, state_of: list[int], dense: bool) -> list[int]:
    """Return what part of its state each copy is reached with."""
    shares = [0] * len(state_of)
    for state in set(state_of):
        copies = [place for place, other in enumerate(state_of) if other == state]
        weights = [random.randrange(1, 100) if dense or place == copies[0] else 0 for place in copies]
        for place, share in zip(copies, row_of(weights, 2**SPLIT_BITS), strict=True):
            shares[place] = share
    return shares


def _mixture(random: Random, small: list[Weights], first: int, second: int) -> Weights:
    """Return a row over 2^(SMALL_BITS + MIXED_BITS): one of the small matrix, or a mixture of two."""
    part = random.randrange(1, 2**MIXED_BITS)
    rest = 2**MIXED_BITS - part
    return [part * one + rest * two for one, two in zip(small[first], small[second], strict=True)]
