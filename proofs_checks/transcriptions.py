"""Algorithms 1 to 8 and the four cases of Theorem 11 as they are printed, runnable, faults and all.

Levels are carried as their ratios e^α, which are fractions; `inf` and `nan` are the only floats. A division by zero is
what the authors' Matlab makes of it (their own worked example has Inf and NaN), or, with `divide=truediv`, an error.
Loops report each turn to a `Watch`, which ends one that comes back to a state or exceeds a bound. Where one fault hides
another, `mended` names the faults that are put right, by the line they are in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise, permutations
from math import inf, nan
from typing import Any, TypeVar

from ..reference.correlations import TransitionMatrix

Quotient = Fraction | float
"""A fraction, or inf or nan."""

Divide = Callable[[Fraction, Fraction], Quotient]


Part = TypeVar("Part", Fraction, float)


class Looping(ArithmeticError):
    """A loop came back to a state that it was in before, or took more turns than the bound."""


class NoIndex(LookupError):
    """A search found no index that meets its condition."""


@dataclass
class Watch:
    """Counts operations by name and watches the turns of a loop."""

    bound: int = 10_000
    counts: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    _seen: set[Hashable] = field(default_factory=set)

    def count(self, operation: str, times: int = 1) -> None:
        """Count an operation."""
        self.counts[operation] += times

    def turn(self, state: Hashable) -> None:
        """Report the state at the start of a turn. Raises: Looping."""
        self.turns += 1
        if state in self._seen:
            raise Looping(f"turn {self.turns} is in a state seen before: {_text(state)}")
        if self.turns > self.bound:
            raise Looping(f"{self.bound} turns and no end")
        self._seen.add(state)


def _text(state: Hashable) -> str:
    if isinstance(state, tuple):
        return "(" + ", ".join(map(_text, state)) + ")"
    return str(state)


def divided(above: Fraction, below: Fraction) -> Quotient:
    """Return the quotient as Matlab has it."""
    if below:
        return above / below
    return nan if above == 0 else inf if above > 0 else -inf


def piece(q: Fraction, d: Fraction, ratio: Fraction) -> Fraction:
    """Return (q(e^α − 1) + 1)/(d(e^α − 1) + 1)."""
    return (q * (ratio - 1) + 1) / (d * (ratio - 1) + 1)


def algorithm_1(
    matrix: TransitionMatrix,
    alpha: Fraction,
    epsilon: Fraction,
    watch: Watch,
    *,
    divide: Divide = divided,
    mended: Collection[int] = (),
) -> Fraction:
    """Run Algorithm 1 [algo:cal_bpl]. mended: 3, x⁺ is emptied for each pair; 6, the flag is set back at each turn."""
    best = Fraction(1)
    plus: list[tuple[int, Fraction, Fraction]] = []
    for row_q, row_d in permutations(range(matrix.n), 2):
        if 3 in mended:
            plus = []
        columns = enumerate(zip(matrix.rows[row_q], matrix.rows[row_d], strict=True), 1)
        plus += [(j, q_j, d_j) for j, (q_j, d_j) in columns if q_j > d_j]
        update = False
        while True:
            if 6 in mended:
                update = False
            watch.turn((row_q + 1, row_d + 1, tuple(j for j, _, _ in plus), update))
            q, d = sum((q_j for _, q_j, _ in plus), Fraction(0)), sum((d_j for _, _, d_j in plus), Fraction(0))
            for column in tuple(plus):
                watch.count("tests")
                if divide(*column[1:]) <= piece(q, d, alpha):
                    plus.remove(column)
                    update = True
            if not update:
                break
        best = max(best, piece(q, d, alpha))
    return best * epsilon


Arrays = tuple[list[Fraction], list[Fraction], list[Quotient]]
"""qArr, dArr and aArr; the last holds e^α of its levels: the argument of the printed logarithm."""


def algorithm_2(matrix: TransitionMatrix, watch: Watch, *, mended: Collection[int] = ()) -> list[Arrays]:
    """Run Algorithm 2 [algo:precomp1]. mended: 11, the "+ 1" within the logarithm."""
    n = matrix.n
    result: list[Arrays] = []
    for q_row, d_row in permutations(matrix.rows, 2):
        kept = [(q, d) if q > d else (Fraction(0), Fraction(0)) for q, d in zip(q_row, d_row, strict=True)]
        watch.count("comparisons", n)
        if not any(q for q, _ in kept):
            result.append(([Fraction(0)] * n, [Fraction(0)] * n, [Fraction(1)] * n))
            continue
        kept = by_falling_ratio(kept, watch)
        q_arr, d_arr = list(accumulate(q for q, _ in kept)), list(accumulate(d for _, d in kept))
        a_arr: list[Quotient] = []
        for (q, d), q_sum, d_sum in zip(kept, q_arr, d_arr, strict=True):
            watch.count("divisions")
            a_arr.append(divided(q - d, q_sum * d - d_sum * q) + (1 if 11 in mended else 0))
        result.append((q_arr, d_arr, a_arr))
    return result


class _Counted:
    """A pair (q, d) that counts the comparisons it takes part in; q/d falling, the pairs (0, 0) last."""

    def __init__(self, pair: tuple[Fraction, Fraction], watch: Watch) -> None:
        self.pair, self.watch = pair, watch

    def __lt__(self, other: _Counted) -> bool:
        self.watch.count("comparisons")
        (q, d), (q_other, d_other) = self.pair, other.pair
        return q * d_other > q_other * d if q and q_other else q > q_other


def by_falling_ratio(pairs: list[tuple[Fraction, Fraction]], watch: Watch) -> list[tuple[Fraction, Fraction]]:
    """Sort as line 7 of Algorithm 2, counting the comparisons."""
    return [counted.pair for counted in sorted(_Counted(pair, watch) for pair in pairs)]


def algorithm_3(
    alpha: Fraction, arrays: list[Arrays], epsilon: Fraction, watch: Watch, *, mended: Collection[int] = ()
) -> Fraction:
    """Run Algorithm 3 [algo:calc_precomp]. mended: 4, a last entry 0 is meant after the last number of aArr; 5, dArr.

    Raises: NoIndex where no k has aArr[k] > α ≥ aArr[k + 1].
    """
    best = Fraction(1)
    for q_arr, d_arr, a_arr in arrays:
        k = _between(alpha, _ended(a_arr) if 4 in mended else a_arr, watch)
        best = max(best, piece(q_arr[k], d_arr[k] if 5 in mended else q_arr[k], alpha))
    return best * epsilon


def _ended(a_arr: list[Quotient]) -> list[Quotient]:
    numbers = [a for a in a_arr if a == a and a != 1]  # noqa: PLR0124 - nan is not itself
    return [*(numbers or [inf]), Fraction(1)]


def halved(alpha: Any, a_arr: Sequence[Any], last: int, watch: Watch | None = None) -> int:
    """Return where line 4 of Algorithm 3 looks between 0 and `last`, by halves, in any arithmetic: aArr falls."""
    low, high = 0, last
    while high - low > 1:
        if watch is not None:
            watch.count("comparisons")
        middle = (low + high) // 2
        low, high = (middle, high) if a_arr[middle] > alpha else (low, middle)
    return low


def _between(alpha: Fraction, a_arr: list[Quotient], watch: Watch) -> int:
    low = halved(alpha, a_arr, len(a_arr) - 1, watch)
    if len(a_arr) > 1 and a_arr[low] > alpha >= a_arr[low + 1]:
        return low
    raise NoIndex(f"no k has aArr[k] > {alpha} >= aArr[k+1] in [{', '.join(map(str, a_arr))}]")


def algorithm_4(
    matrix: TransitionMatrix,
    a_1: Fraction,
    a_m: Fraction,
    arrays: list[Arrays],
    watch: Watch,
    *,
    divide: Divide = divided,
    mended: Collection[int] = (),
) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Run Algorithm 4 [algo:gen_L_func]. Returns: (q, d, end) of each sub-function.

    mended: 2, lines 2 and 3 call a calculation that also tells q and d (as printed they call Algorithm 2, which takes
    no such arguments: TypeError).
    """
    if not any(q for q_arr, _, _ in arrays for q in q_arr):
        return []
    if 2 not in mended:
        algorithm_2(a_1, *zip(*arrays, strict=True), Fraction(1))  # type: ignore[call-arg, arg-type]
    (top_1, q_1, d_1), (top_m, q_m, d_m) = _top(a_1, arrays, watch), _top(a_m, arrays, watch)
    k = divide(q_m + d_1 - q_1 - d_m, q_1 * d_m - q_m * d_1)
    if a_1 == a_m or top_m == piece(q_1, d_1, a_m):
        return [(q_1, d_1, a_m)]
    if top_1 == piece(q_m, d_m, a_1) or k <= 0:
        return [(q_m, d_m, a_m)]
    assert isinstance(k, Fraction)
    watch.turn((a_1, a_m))
    return algorithm_4(matrix, a_1, k + 1, arrays, watch, divide=divide, mended=mended) + algorithm_4(
        matrix, k + 1, a_m, arrays, watch, divide=divide, mended=mended
    )


def _top(alpha: Fraction, arrays: list[Arrays], watch: Watch) -> tuple[Fraction, Fraction, Fraction]:
    """Return the greatest value at α and its q and d: what lines 2 and 3 of Algorithm 4 mean."""
    best = (Fraction(1), Fraction(0), Fraction(0))
    for q_arr, d_arr, a_arr in arrays:
        numbers = _ended(a_arr)
        watch.count("comparisons")
        k = _between(alpha, numbers, watch) if alpha > 1 else len(numbers) - 2
        found = (piece(q_arr[k], d_arr[k], alpha), q_arr[k], d_arr[k])
        if found[0] > best[0] or best[1] == 0:
            best = found
    return best


def algorithm_5(
    alpha: Fraction, function: list[tuple[Fraction, Fraction, Fraction]], epsilon: Fraction, watch: Watch
) -> Fraction:
    """Run Algorithm 5 [algo:cal_bpl_func]. Raises: NoIndex where no k has α_k ≥ α and α_{k+1} < α."""
    if not function:
        return epsilon
    for (q, d, end), (_, _, following) in pairwise(function):
        watch.count("comparisons")
        if end >= alpha > following:
            return piece(q, d, alpha) * epsilon
    raise NoIndex(f"no k has a_k >= {alpha} > a_k+1 in [{', '.join(str(end) for _, _, end in function)}]")


def theorem_11(q: Fraction, d: Fraction, epsilon: Fraction, *, divide: Divide = divided) -> Quotient | RootOf:
    """Return e^sup by the four cases of Theorem 11 [thm:sup]; the first case as the root that is printed."""
    if d != 0:
        return RootOf(4 * d * epsilon * (1 - q) + (d + q * epsilon - 1) ** 2, d + q * epsilon - 1, 2 * d)
    if q == 1:
        return inf
    if epsilon <= divide(Fraction(1), q):
        return divide((1 - q) * epsilon, 1 - q * epsilon)
    return inf


def equation_39(q: Any, d: Any, epsilon: Any, root: Any) -> Any:
    """Return the left side of Eq. (39) [eq:thm_sup_proof] as it is printed, F being the root."""
    return d * root * root + (q * epsilon + d - 1) * root + (q * epsilon - epsilon)


@dataclass(frozen=True)
class RootOf:
    """The number (√radicand + term)/below, below > 0."""

    radicand: Fraction
    term: Fraction
    below: Fraction

    def exceeds(self, other: Fraction) -> bool:
        """Whether the number exceeds a rational: decided in fractions."""
        rest = other * self.below - self.term
        return rest < 0 or self.radicand > rest * rest


def algorithm_6(epsilon: Fraction, arrays: list[Arrays], *, divide: Divide = divided) -> Quotient | RootOf:
    """Run Algorithm 6 [algo:findSup] on matrices whose candidates are rational or infinite (d = 0 in all entries).

    Returns: e^sup. The printed start sup = 0 is the ratio 1.
    """
    best: Quotient = Fraction(1)
    for q_arr, d_arr, _ in arrays:
        for q, d in zip(q_arr, d_arr, strict=True):
            found = theorem_11(q, d, epsilon, divide=divide)
            assert not isinstance(found, RootOf)
            best = max(best, found)
    return best


Sign = Callable[[Fraction], int]
"""The sign of what a bisection compares, at a part of α."""


def algorithm_7(order: Sign, watch: Watch) -> Fraction:
    """Run the loop of Algorithm 7 [algo:release1]. order(p): the sign of sup_B + sup_F − e − α at e = p·α.

    Returns: the part of α that is the budget. Raises: Looping.
    """
    return bisection(Fraction(1, 2), Fraction(1), order, watch.turn)


def algorithm_8(order: Sign, watch: Watch) -> Fraction:
    """Run the loop of Algorithm 8 [algo:release2]. order(p): the sign of L^F(α − L^B(a)) + a − α at a = p·α.

    Returns: the part of α that is a^B. Raises: Looping.
    """
    return bisection(Fraction(1, 2), Fraction(1), order, watch.turn)


def bisection(at: Part, step: Part, order: Callable[[Part], int], turn: Callable[[tuple[Part, Part]], None]) -> Part:
    """Run the loop of Algorithms 7 and 8 in any arithmetic, from a number and a step.

    Args: order, the sign of what is compared; turn, to which each turn is reported, and which may end it.
    """
    while True:
        turn((at, step))
        step /= 2
        sign = order(at)
        if sign == 0:
            return at
        at += -step if sign > 0 else step


def assigned_budgets(first: str, middle: str, last: str, horizon: int) -> dict[int, list[str]]:
    """Return what line 12 of Algorithm 8 gives to each time: ε_1, ε_t for t ∈ [2, T − 1], ε_T."""
    given: dict[int, list[str]] = {time: [] for time in range(1, horizon + 1)}
    given[1].append(first)
    for time in range(2, horizon):
        given[time].append(middle)
    given[horizon].append(last)
    return given
