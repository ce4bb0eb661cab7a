"""The worst-case leakage recomputed in decimals: over all sequences of sets, or by its own sweep.

A mechanism stands by a set of values for each release, which it answers about with “yes”: the likelihood of a value is
e^ε in the set and 1 elsewhere, or 1 and 0 where the budget is infinite. Releases count from the nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from itertools import permutations, product

from .recomputation import INFINITY, NO_LEAKAGE, Rows, decimal

MOST_TRIED_SETS = 1 << 12
"""At most this many sequences of sets are all tried; more are left to sweeps."""

STILL = Decimal("1e-50")
"""A ratio that rises by less, relatively, when the past is made twice as long has come to rest."""

LONGEST_PAST = 1 << 10
GROWS = Decimal("1.3")
"""A ratio that grows by this factor whenever the past is doubled rises without end."""

DecimalRows = tuple[tuple[Decimal, ...], ...]
Ratios = dict[tuple[int, int], Decimal]


@cache
def _decimals(rows: Rows) -> DecimalRows:
    return tuple(tuple(decimal(entry) for entry in row) for row in rows)


def _pairs(rows: Rows) -> list[tuple[int, int]]:
    return list(permutations(range(len(rows)), 2))


def _quotient(above: Decimal, below: Decimal) -> Decimal:
    if below:
        return above / below
    return INFINITY if above else Decimal(1)


def _answered(f: Sequence[Decimal], inside: Sequence[bool], excess: Decimal) -> list[Decimal]:
    if excess.is_infinite():
        return [x if own else Decimal(0) for x, own in zip(f, inside, strict=True)]
    return [x * (1 + excess) if own else x for x, own in zip(f, inside, strict=True)]


def _led(rows: DecimalRows, f: Sequence[Decimal]) -> list[Decimal]:
    return [sum((p * x for p, x in zip(row, f, strict=True) if p), Decimal(0)) for row in rows]


def ratios(rows: Rows, excesses: Sequence[Decimal], known: Ratios | None = None) -> Ratios:
    """Return for each pair of values the greatest ratio over all mechanisms with these budgets, the nearest first.

    Args: known, ratios of fewer of them, to start from.
    """
    pairs = _pairs(rows)
    if not excesses or not pairs:
        return dict.fromkeys(pairs, Decimal(1))
    if 2 ** (len(rows) * len(excesses)) <= MOST_TRIED_SETS:
        return _by_all_sets([rows] * len(excesses), excesses)
    return by_sweeps(rows, excesses, known)


def _growing(rows: Rows, streams: Sequence[Sequence[Decimal]]) -> list[list[Ratios]]:
    """Return the ratios of streams, each a release longer than the one before."""
    found: list[Ratios] = []
    for excesses in streams:
        found.append(ratios(rows, excesses, found[-1] if found and len(set(excesses)) == 1 else None))
    return [[own] for own in found]


def _by_all_sets(steps: Sequence[Rows], excesses: Sequence[Decimal]) -> Ratios:
    """Return the same over all sequences of sets; steps, the matrices that lead to the releases, the nearest first."""
    n = len(steps[0])
    best = dict.fromkeys(_pairs(steps[0]), Decimal(1))
    for sets in product(product((False, True), repeat=n), repeat=len(excesses)):
        f: list[Decimal] = [Decimal(1)] * n
        for inside, rows, excess in zip(sets, reversed(steps), reversed(excesses), strict=True):
            f = _led(_decimals(rows), _answered(f, inside, excess))
        for j, k in best:
            best[j, k] = max(best[j, k], _quotient(f[j], f[k]))
    return best


def by_sweeps(rows: Rows, excesses: Sequence[Decimal], known: Ratios | None = None) -> Ratios:
    """Return the same by sweeps: finite budgets only. Args: known, ratios of fewer releases, to start from."""
    start = known or dict.fromkeys(_pairs(rows), Decimal(1))
    return {pair: _swept(_decimals(rows), excesses, pair, start[pair]) for pair in start}


def _swept(rows: DecimalRows, excesses: Sequence[Decimal], pair: tuple[int, int], best: Decimal) -> Decimal:
    while True:
        found = _attained(rows, excesses, pair, best)
        if found <= best:
            return best
        best = found


def _attained(rows: DecimalRows, excesses: Sequence[Decimal], pair: tuple[int, int], best: Decimal) -> Decimal:
    """Return the ratio of the sets of values that are likelier, by more than this ratio, under the first of a pair."""
    u, v = (list(rows[value]) for value in pair)
    for place, excess in enumerate(excesses):
        inside = [x > best * y for x, y in zip(u, v, strict=True)]
        u, v = _answered(u, inside, excess), _answered(v, inside, excess)
        if place + 1 < len(excesses):
            u, v = _led_back(rows, u), _led_back(rows, v)
    return _quotient(sum(u, Decimal(0)), sum(v, Decimal(0)))


def _led_back(rows: DecimalRows, u: Sequence[Decimal]) -> list[Decimal]:
    return _led(tuple(zip(*rows, strict=True)), u)


def worst(sides: Sequence[Ratios], excess: Decimal) -> Decimal:
    """Return the excess of the leakage at a time: of its own budget, and of the pair that both sides share."""
    greatest = max(
        (_product([side[pair] for side in sides]) for pair in (sides[0] if sides else ())), default=Decimal(1)
    )
    return INFINITY if INFINITY in (greatest, excess) else greatest * (1 + excess) - 1


def _product(factors: Sequence[Decimal]) -> Decimal:
    found = Decimal(1)
    for factor in factors:
        found *= factor
    return found


def temporal(backward: Rows | None, forward: Rows | None, budgets: Sequence[Decimal]) -> list[list[Decimal]]:
    """Return the excesses of the worst-case BPL, FPL and TPL at each time."""
    if 1 in (len(backward or ()), len(forward or ())):
        return [[NO_LEAKAGE] * len(budgets)] * 3
    times = range(len(budgets))
    past: list[list[Ratios]] = [[] for _ in times]
    future = past
    if backward:
        past = _growing(backward, [budgets[:t][::-1] for t in times])
    if forward:
        future = _growing(forward, [budgets[t + 1 :] for t in reversed(times)])[::-1]
    return _of_all_kinds(past, future, budgets)


def _of_all_kinds(
    past: Sequence[list[Ratios]], future: Sequence[list[Ratios]], budgets: Sequence[Decimal]
) -> list[list[Decimal]]:
    both = [before + after for before, after in zip(past, future, strict=True)]
    return [[worst(*own) for own in zip(sides, budgets, strict=True)] for sides in (past, future, both)]


def temporal_of_steps(
    backward: Sequence[Rows], forward: Sequence[Rows], budgets: Sequence[Decimal]
) -> list[list[Decimal]]:
    """Return the same where each step has its matrix, in order; of few values and releases: over all sets."""
    past: list[list[Ratios]] = [[] for _ in budgets]
    future: list[list[Ratios]] = [[] for _ in budgets]
    for t in range(len(budgets)):
        if t and backward:
            past[t].append(_by_all_sets(backward[:t][::-1], budgets[:t][::-1]))
        if t + 1 < len(budgets) and forward:
            future[t].append(_by_all_sets(forward[t:], budgets[t + 1 :]))
    return _of_all_kinds(past, future, budgets)


def for_ever(backward: Rows | None, forward: Rows | None, budget: Decimal) -> Decimal:
    """Return the excess to which TPL rises with one budget at every time: where it comes to rest, or ∞."""
    if 1 in (len(backward or ()), len(forward or ())):
        return NO_LEAKAGE
    known = [rows for rows in (backward, forward) if rows]
    if not budget or budget.is_infinite() or not known:
        return budget
    length, before = 16, Decimal(0)
    found: list[Ratios | None] = [None for _ in known]
    while length <= LONGEST_PAST:
        sides = [by_sweeps(rows, [budget] * length, own) for rows, own in zip(known, found, strict=True)]
        now, found = worst(sides, budget), [*sides]
        if now - before <= STILL * now:
            return now
        if length == LONGEST_PAST and now > GROWS * before:
            return INFINITY
        length, before = 2 * length, now
    raise ArithmeticError("it has not come to rest within the longest past that is tried")
