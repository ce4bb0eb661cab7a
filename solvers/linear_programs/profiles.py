"""A linear program over all tests: what any private stream tells beyond α, knowing nothing of theorem (profile).

A set of outputs has a probability G(y) given the values y of the times. With φ_s at time s, G(y') ≤ φ_s(G(y)) for all
y, y' that differ at s alone; every such G is that of a set of outputs of some stream, where the φ_s are symmetric. φ is
the least of its lines, so δ(α) of a pair is a linear program of n^T variables, with one more for the constant 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

from ...reference.correlations import Row
from ...reference.errors import InvalidRequest
from ...reference.worst_case.sweep import ValuePair
from ...reference.worst_case.trade_off import TradeOff
from .charnes_cooper import LinearProgram, Terms
from .joint import MOST_VARIABLES, proved_optimum


def profile_program(
    trade_offs: Sequence[TradeOff],
    odds: Fraction,
    pair: ValuePair,
    steps: Sequence[Sequence[Row]],
    others: Sequence[Sequence[Row]] = (),
) -> LinearProgram:
    """Return the program whose optimum is δ of a pair of values at one α, for tests of one side of a time. Exact.

    Args: trade_offs, φ of the time, then of the releases, the nearest first; odds, e^α; pair, j and k, from 0; steps,
    the matrices outward; others, those of the other side for tests of both, whose φ stand behind those of the first.
    Raises: InvalidRequest beyond `MOST_VARIABLES`.
    """
    n, releases = len(steps[0]), len(trade_offs)
    if n**releases > MOST_VARIABLES:
        raise InvalidRequest(f"a program over tests has at most {MOST_VARIABLES} variables, not {n}^{releases}")
    sequences = list(product(range(n), repeat=releases))
    place = {values: index for index, values in enumerate(sequences)}
    whole, one = len(sequences), Fraction(1)
    rows: list[Terms] = [((index, one), (whole, -one)) for index in range(whole)]
    for s, phi in enumerate(trade_offs):
        lines = [((z - y) / (v - u), y - u * (z - y) / (v - u)) for (u, y), (v, z) in pairwise(phi.points)]
        for values in sequences:
            for other in range(n):
                if other != values[s]:
                    above = place[(*values[:s], other, *values[s + 1 :])]
                    for slope, start in lines:
                        terms = ((above, one), (place[values], -slope), (whole, -start))
                        rows.append(tuple((index, weight) for index, weight in terms if weight))
    objective: list[tuple[int, Fraction]] = []
    for index, values in enumerate(sequences):
        weight = {pair[0]: one, pair[1]: -odds}.get(values[0], Fraction(0))
        one_side, other_side = values[: len(steps) + 1], (values[0], *values[len(steps) + 1 :])
        for own, along in ((steps, one_side), (others, other_side)):
            for step, (near, far) in zip(own, pairwise(along), strict=True):
                weight *= step[near][far]
        if weight:
            objective.append((index, weight))
    names = (*("G" + "".join(map(str, values)) for values in sequences), "1")
    return LinearProgram("tests", n, names, tuple(objective), ((whole, one),), tuple(rows), None)


def profile_by_program(
    trade_offs: Sequence[TradeOff],
    odds: Fraction,
    pair: ValuePair,
    steps: Sequence[Sequence[Row]],
    others: Sequence[Sequence[Row]] = (),
) -> Fraction:
    """Return δ of a pair of values over all private streams, by a linear program; HiGHS chooses the basis. Exact.

    Args: as `profile_program`. Raises: InvalidRequest, where no optimum is proved too; ImportError without highspy.
    """
    return proved_optimum(profile_program(trade_offs, odds, pair, steps, others), f"values {pair}")
