"""The worst-case leakage of several releases together: a dynamic programme over pairs of values.

An adversary distinguishes two sequences of values at the times i..j, v and w, both possible. Given the values at both
ends the past, the releases i..j and the future are independent, so the greatest ratio of the likelihoods is the product
B_i(v_i, w_i) · Π_{s: v_s ≠ w_s} e^{ε_s} · F_j(v_j, w_j), and one mechanism attains all its factors (module `sweep`).
The greatest over all pairs of sequences is found from pair to pair of values, along transitions that are possible:

    V_i(a, b) = B_i(a, b)·e^{ε_i [a ≠ b]},   V_s(a, b) = e^{ε_s [a ≠ b]}·max V_{s−1}(a', b'),   max V_j(a, b)·F_j(a, b).

Where every transition is possible this is max B · Π e^{ε_s} · max F for two or more releases. With zeros that is only
an upper bound, and so is Theorem 3 [thm:composition].
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import permutations, product
from typing import Any

from flint import arb

from ..formulas import ANY_SIZE
from ..levels import INFINITE, ZERO, Level
from ..paper.composition import check_window, total
from ..stepwise import Correlation
from ..surds import Exact, bits, sign
from .balls import SideBalls
from .leakage import Stretch, tells, tells_apart
from .sweep import ONE, OneSide, ValuePair, worst

Values = tuple[frozenset[int], ...]
"""For each time of a window the values that some possible sequence takes there."""

Leading = tuple[dict[int, tuple[int, ...]], ...]
"""For each time of a window but the first, and each value there, the values before that lead to it."""


@dataclass(frozen=True)
class WorstSequences:
    """The excess of the greatest ratio of the likelihoods of two sequences of values.

    A `formulas.Formula`; its operands are the finite budgets of the past's releases, of the window's from the first,
    and of the future's; the past's and the future's the farthest first. past, future: None where a side adds nothing.
    """

    past: OneSide | None
    future: OneSide | None
    values: Values
    steps: Leading

    def exact(self, parts: Sequence[Exact], most_bits: int = ANY_SIZE) -> Exact | None:
        """Return the exact result; None where already the numbers that go into it exceed `most_bits`."""
        ratios = [1 + part for part in parts]
        if sum(map(bits, ratios)) > most_bits:
            return None

        def greatest_ratio(side: OneSide, own: Sequence[Exact], pair: ValuePair) -> Exact:
            found = worst(side, [ONE, *own] if side.reveals else own, pair)
            assert found is not None, "no formula stands for ∞"
            return found.ratio

        def larger(one: Exact, other: Exact) -> Exact:
            return one if sign(one - other) >= 0 else other

        result: Exact = self._greatest(ratios, ONE, greatest_ratio, larger)
        return result - 1

    def ball(self, parts: Sequence[arb]) -> arb:
        """Return a ball that contains the result: the programme over balls."""
        balls: dict[int, SideBalls] = {}

        def enclosed(side: OneSide, own: Sequence[arb], pair: ValuePair) -> arb:
            if id(side) not in balls:
                balls[id(side)] = SideBalls(side, [ratio - 1 for ratio in own])
            lower, upper = balls[id(side)].excess(pair)
            return 1 + lower.union(upper)

        result: arb = self._greatest([1 + part for part in parts], arb(1), enclosed, arb.max)
        return result - 1

    def differ_at(self, wanted: Sequence[bool]) -> bool:
        """Whether two possible sequences differ at all these times of a window to which neither side adds anything."""
        most: int = self._greatest([1 + own for own in wanted], 1, max, max)
        return most == 1 << sum(wanted)

    def _greatest(
        self,
        ratios: Sequence[Any],
        one: Any,
        of_pair: Callable[[OneSide, Sequence[Any], ValuePair], Any],
        larger: Callable[[Any, Any], Any],
    ) -> Any:
        """Return the greatest product of factors; of numbers that are multiplied, and compared by `larger`."""
        first = 0 if self.past is None else self.past.finite
        last = first + len(self.values)

        def end(side: OneSide | None, own: Sequence[Any], values: frozenset[int]) -> dict[ValuePair, Any]:
            pairs = product(values, repeat=2)
            return {(a, b): one if side is None or a == b else of_pair(side, own, (a, b)) for a, b in pairs}

        def asked(now: dict[ValuePair, Any], ratio: Any) -> dict[ValuePair, Any]:
            return {(a, b): value if a == b else ratio * value for (a, b), value in now.items()}

        now = asked(end(self.past, ratios[:first], self.values[0]), ratios[first])
        for step, before, ratio in zip(self.steps, self.values, ratios[first + 1 : last], strict=False):
            half = {(a, b): reduce(larger, [now[c, b] for c in step[a]]) for a in step for b in before}
            now = asked({(a, b): reduce(larger, [half[a, c] for c in step[b]]) for a in step for b in step}, ratio)
        beyond = end(self.future, ratios[last:], self.values[-1])
        return reduce(larger, [value * beyond[pair] for pair, value in now.items()])


def worst_case_composition(
    epsilons: Sequence[Level],
    start: int,
    length: int,
    backward: Correlation | None = None,
    forward: Correlation | None = None,
    *,
    possible: Sequence[Collection[int]] | None = None,
) -> Level:
    """Return the worst leakage of the releases start..start + length − 1 together over all mechanisms.

    What Theorem 3 [thm:composition] bounds: the greatest ratio of the likelihoods of two sequences of values at those
    times.

    A step from one value to the next is possible where a matrix that is known says so, backward or forward; every step
    is where none is known.

    Args:
        epsilons: the budgets PL_0(M^t) for t = 1..T, T ≥ 1, levels in nats; they may differ.
        start: the first of the releases, counted from 1.
        length: how many they are.
        backward: as for `worst_case_leakage`.
        forward: as for `worst_case_leakage`.
        possible: as for `worst_case_leakage`.

    Returns: the level, attained by some mechanism; TPL_t where the length is 1. Exact where all ratios e^ε are in one
    field, else enclosed to any precision.
    Raises: InvalidRequest for a window that is not within the stream, and as `worst_case_leakage`; Undecided.
    """
    check_window(epsilons, start, length)
    releases = Stretch(epsilons, backward, forward, possible)
    first, last = start - 1, start + length - 2
    own = list(epsilons[first : last + 1])
    if not releases.n and possible is None:
        return total(own)
    values, steps = _taken(releases, first, last)
    past, future = releases.past(first), releases.future(last)
    own = [budget if len(taken) > 1 else ZERO for budget, taken in zip(own, values, strict=True)]
    ends = [
        (side, pair)
        for (side, _), taken in ((past, values[0]), (future, values[-1]))
        if side is not None
        for pair in permutations(taken, 2)
    ]
    if any(budget.is_infinite for budget in own) or any(tells_apart(side, pair) for side, pair in ends):
        return INFINITE
    if not any(tells(side, pair) for side, pair in ends):
        alone = WorstSequences(None, None, values, steps)
        if alone.differ_at([not budget.is_zero for budget in own]):
            return total(own)
    return Level.of_formula(WorstSequences(past[0], future[0], values, steps), (*past[1], *own, *future[1]))


def _taken(releases: Stretch, first: int, last: int) -> tuple[Values, Leading]:
    """Return the values of the possible sequences at the times first..last, and the steps between them."""
    steps = []
    reached = set(releases.values(first))
    for t in range(first, last):
        back = None if releases.backward is None else releases.backward[t]
        onward = None if releases.forward is None else releases.forward[t]
        before = {
            b: tuple(a for a in reached if (back is not None and back[b][a]) or (onward is not None and onward[a][b]))
            for b in releases.values(t + 1)
        }
        steps.append({b: own for b, own in before.items() if own})
        reached = set(steps[-1])
    taken = [frozenset(reached)]
    for step in reversed(steps):
        for b in step.keys() - taken[-1]:
            del step[b]
        taken.append(frozenset(a for own in step.values() for a in own))
    return tuple(reversed(taken)), tuple(steps)
