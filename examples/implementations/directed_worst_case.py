"""The exact worst case over all mechanisms in whole numbers, directed: no level below the truth, no budget above it.

Beside `directed.py`, for few values and releases; it needs numpy and the standard library, nothing of tploracle:

    tploracle conform --python examples/implementations/directed_worst_case.py:DirectedWorstCase

Numbers are integers over 2^BITS. A ratio of two values is what sets attain, found by the sweep c ← P^T(e^ε·c⁺ − c⁻):
it improves λ until that rises no more; for the supremum, a λ a little above, with which the
sweep ends below 0, or shrinks.
With BITS bits, what is cut off is far below a unit in the last place of the double that is answered.
"""

from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from math import inf, nextafter
from struct import pack, unpack

from directed_loss import Matrix
from directed_numbers import InfeasibleBudget, InvalidRequest, checked_level, next_to

BITS, FEW_BITS = 3000, 400
ONE = 1 << BITS
DIGITS = 60
A_LITTLE = 58
"""A λ is above what is attained by 2^−A_LITTLE of its excess."""

LONGEST_SWEEP, MOST_DOUBLINGS, CLOSE = 20_000, 11, 46
NEARLY, MOST_LEVELS = 42, 100


class DirectedWorstCase:
    """The operations on the exact worst case; a level is rounded up, a budget down."""

    name = "directed-worst-case"
    version = "1"
    numbers = ("float64",)
    domain = {"states": 3, "releases": 8, "level": "40"}  # noqa: RUF012 - it is declared, and never changed

    def worst_case_leakage(self, epsilons, backward=None, forward=None):
        """Return the worst BPL, FPL and TPL at every time."""
        epsilons = [checked_level(epsilon, f"epsilons {time}") for time, epsilon in enumerate(epsilons, 1)]
        past, future, n = _sides(backward, forward)
        if not epsilons:
            raise InvalidRequest("there is no release")
        growth, found = [_exp(epsilon) for epsilon in epsilons], {"bpl": [], "fpl": [], "tpl": []}
        for t, own in enumerate(epsilons):
            before, after = _ratios(past, growth[:t][::-1], n), _ratios(future, growth[t + 1 :], n)
            for kind, ratio in (("bpl", max(before)), ("fpl", max(after)), ("tpl", _together(before, after))):
                found[kind].append(0.0 if n == 1 else _level(own, ratio))
        return found

    def worst_case_supremum(self, epsilon, backward=None, forward=None):
        """Return what the worst TPL rises to with ε at every time; ∞ where it grows without bound."""
        epsilon = checked_level(epsilon, "epsilon")
        past, future, n = _sides(backward, forward)
        if n == 1 or epsilon == 0:
            return 0.0
        ratio = _for_ever(past, future, n, epsilon)
        return inf if ratio is None else _level(epsilon, ratio)

    def worst_case_allocate(self, alpha, horizon=None, backward=None, forward=None):
        """Return the greatest budget of every release that keeps the worst TPL at most α."""
        alpha = checked_level(alpha, "alpha")
        past, future, n = _sides(backward, forward)
        if horizon is not None and horizon < 1:
            raise InvalidRequest(f"the horizon is {horizon}")
        if alpha == 0 or (horizon is None and not all(map(_forgets, (past, future)))):
            raise InfeasibleBudget("no budget keeps the level over an infinite horizon")
        if horizon is None and past is not None and future is not None and n > 1:
            return {"epsilons": [_closest(lambda epsilon: self.worst_case_supremum(epsilon, backward, forward), alpha)]}
        most = _exp(alpha)

        def keeps(epsilon):
            growth, ratio = _exp(epsilon), ONE
            if horizon is None:
                room = (most << BITS) // growth
                known = [rows for rows in (past, future) if rows is not None]
                return all(
                    _is_bounded(rows, epsilon) and all(_stays(rows, growth, pair, room) for pair in _pairs(n))
                    for rows in known
                )
            for t in range(horizon):
                after = _ratios(future, [growth] * (horizon - 1 - t), n)
                ratio = max(ratio, _together(_ratios(past, [growth] * t, n), after))
            return growth * ratio >> BITS <= most

        budget = inf if n == 1 else alpha if keeps(alpha) else _greatest(keeps, alpha, 1 if horizon is None else 0)
        return {"epsilons": [budget] * (horizon or 1)}


def _sides(backward, forward):
    """Return both matrices in whole numbers, None for one that is not known, and the number of values."""
    sides = [
        None if rows is None else _whole(Matrix(rows, what))
        for rows, what in ((backward, "backward"), (forward, "forward"))
    ]
    sizes = {len(side) for side in sides if side is not None}
    if len(sizes) > 1:
        raise InvalidRequest("the backward and the forward matrix differ in size")
    return *sides, max(sizes, default=0)


def _whole(matrix):
    exact = [[Fraction(x) for x in row.tolist()] for row in matrix.given]
    return [[int(x * ONE / sum(row)) for x in row] for row in exact]


def _exp(level):
    with localcontext(Context(prec=BITS // 3, Emax=10**6, Emin=-(10**6))):
        return int((Decimal(level).exp() * ONE).to_integral_value(ROUND_FLOOR))


def _level(epsilon, ratio):
    """Return ε + log of a ratio, rounded up by a hair more than what was cut off."""
    with localcontext(Context(prec=2 * DIGITS, Emax=10**6, Emin=-(10**6))):
        excess = Decimal(ratio - ONE) / ONE
        small = excess < Decimal(10) ** -DIGITS
        level = Decimal(epsilon) + (excess - excess * excess / 2 if small else (1 + excess).ln())
        return next_to(Fraction(level * (1 + Decimal(10) ** (9 - DIGITS))), 1) if ratio > ONE else epsilon


def _back(rows, c, bits=BITS):
    """Return P^T c."""
    return [sum(x * row[b] for x, row in zip(c, rows, strict=True)) >> bits for b in range(len(c))]


def _grown(growth, c, bits=BITS):
    """Return e^ε·c⁺ − c⁻."""
    return [growth * x >> bits if x > 0 else x for x in c]


def _dot(row, f, bits=BITS):
    return sum(p * x for p, x in zip(row, f, strict=True)) >> bits


def _difference(rows, pair, ratio, bits=BITS):
    j, k = pair
    return [p - (ratio * q >> bits) for p, q in zip(rows[j], rows[k], strict=True)]


def _ratios(rows, growths, n):
    """Return for each pair of values what sets attain; 1 where nothing is told. Args: growths, the nearest first."""
    if rows is None or not growths or n < 2:
        return [ONE] * max(1, n * (n - 1) if n > 1 else 1)
    return [_ratio(rows, growths, pair, ONE) for pair in _pairs(n)]


def _pairs(n):
    return [(j, k) for j in range(n) for k in range(n) if j != k]


def _together(before, after):
    return max(one * other >> BITS for one, other in zip(before, after, strict=True))


def _ratio(rows, growths, pair, ratio, bits=BITS):
    """Return what the best sets attain, from a ratio that is attained."""
    while True:
        c, chosen = _difference(rows, pair, ratio, bits), []
        for place, growth in enumerate(growths):
            c = _back(rows, c, bits) if place else c
            chosen.append([x > 0 for x in c])
            c = _grown(growth, c, bits)
        f = [1 << bits] * len(rows)
        for place in range(len(growths) - 1, -1, -1):
            f = f if place == len(growths) - 1 else [_dot(row, f, bits) for row in rows]
            f = [growths[place] * x >> bits if yes else x for x, yes in zip(f, chosen[place], strict=True)]
        j, k = pair
        below = _dot(rows[k], f, bits)
        better = (_dot(rows[j], f, bits) << bits) // below if below else ratio
        if better <= ratio:
            return ratio
        ratio = better


# For ever


def _for_ever(past, future, n, epsilon):
    """Return the greatest product of both ratios, a little above what is attained; None where it has no bound."""
    if not all(_is_bounded(rows, epsilon) for rows in (past, future)):
        return None
    sides = [
        [ONE] * max(1, n * (n - 1)) if rows is None else [_limit(rows, epsilon, pair) for pair in _pairs(n)]
        for rows in (past, future)
    ]
    return _together(*sides)


def _closed(rows):
    """Return the values that all others reach in some number of steps, the same for all: none where there are none."""
    reach = [[x > 0 for x in row] for row in rows]
    for _ in range(2 * len(rows).bit_length() + 1):
        reach = [[any(a and b[k] for a, b in zip(row, reach, strict=True)) for k in range(len(rows))] for row in reach]
    return [k for k in range(len(rows)) if all(row[k] for row in reach)]


def _forgets(rows):
    return rows is None or len(rows) == 1 or bool(_closed(rows))


def _is_bounded(rows, epsilon):
    """Whether one class is closed and aperiodic, and e^ε·ρ < 1 on the others: 1 − e^ε·P has positive pivots there."""
    if rows is None or len(rows) == 1 or epsilon == 0:
        return True
    closed = _closed(rows)
    if not closed:
        return False
    others, growth = [a for a in range(len(rows)) if a not in closed], _exp(epsilon)
    m = [[(a == b) - Fraction(growth * rows[a][b], ONE * ONE) for b in others] for a in others]
    for place in range(len(m)):
        if m[place][place] <= 0:
            return False
        for row in m[place + 1 :]:
            factor = row[place] / m[place][place]
            row[place:] = [x - factor * y for x, y in zip(row[place:], m[place][place:], strict=True)]
    return True


def _limit(rows, epsilon, pair):
    """Return a ratio a little above what any number of releases attains: found in few bits, proved in many."""
    growth, spare = _exp(epsilon), BITS - FEW_BITS
    rough = _found([[x >> spare for x in row] for row in rows], growth >> spare, pair, FEW_BITS)
    if rough is not None:
        above = rough << spare
        little = above - ONE >> A_LITTLE - 3
        if not _stays(rows, growth, pair, above - little) and _stays(rows, growth, pair, above):
            return above
    found = _found(rows, growth, pair, BITS)
    if found is None:
        raise NotImplementedError("the chain forgets too slowly")
    return found


def _found(rows, growth, pair, bits):
    """Return a ratio a little above what ever more releases attain; None where they have to be too many."""
    ratio, releases = 1 << bits, 4
    for _ in range(MOST_DOUBLINGS):
        ratio = _ratio(rows, [growth] * releases, pair, ratio, bits)
        above = ratio + (ratio - (1 << bits) >> A_LITTLE) + 1
        if _stays(rows, growth, pair, above, bits):
            return above
        releases *= 2
    return None


def _stays(rows, growth, pair, ratio, bits=BITS):
    """Whether the sweep from a ratio ends at or below 0, or shrinks, before it is above 0."""
    c = _difference(rows, pair, ratio, bits)
    for _ in range(LONGEST_SWEEP):
        if max(c) <= 0:
            return True
        grown = _grown(growth, c, bits)
        if sum(grown) > 0:
            return False
        earlier, c = c, _back(rows, grown, bits)
        if all(now <= before - (before >> 40) for now, before in zip(c, earlier, strict=True)):
            return True
    return False


def _greatest(keeps, alpha, coarse):
    """Return the greatest double that keeps the level, or without a horizon one that is close to it: by halving."""
    low, high = 0, unpack("<q", pack("<d", alpha))[0]
    step = 1 << (52 - CLOSE) if coarse else 1
    while high - low > step:
        middle = (low + high) // 2
        low, high = (middle, high) if keeps(_double(middle)) else (low, middle)
    return nextafter(_double(low), 0) if coarse and low else _double(low)


def _closest(level, alpha):
    """Return a budget whose level is at most α, and below it by no more than 2^−NEARLY of the budget: regula falsi.

    A level rises at least as fast as its budget, so that the greatest budget is no further above. An end that stays
    twice counts half (Illinois), for a level takes half a second.
    """
    low, below, high, above, was_low = 0.0, alpha, alpha, level(alpha) - alpha, None
    if above <= 0:
        return alpha
    for _ in range(MOST_LEVELS):
        share = below / (below + above) if above < inf else 0.5
        middle = low + (high - low) * share
        left, room = alpha - level(middle), middle * 2.0**-NEARLY
        if 0 <= left <= room:
            return middle
        is_low = left > 0
        if is_low:
            low, below, above = middle, left - room / 2, above / 2 if was_low is True else above
        else:
            high, above, below = middle, room / 2 - left, below / 2 if was_low is False else below
        was_low = is_low
    raise NotImplementedError("no budget is close")


def _double(bits):
    return unpack("<d", pack("<q", bits))[0]
