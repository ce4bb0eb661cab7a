"""Temporal privacy leakage in numpy doubles, directed: no level is below the truth, and no budget above it.

Written to be used, and to be held against the oracle; it needs numpy and the standard library, nothing of tploracle:

    tploracle conform --python examples/implementations/directed.py:Directed

L, leakage over time and suprema are doubles throughout (`directed_loss`): searched for with any rounding, then verified
with every rounding on the safe side. What rounding has no answer to is decided in integers (`directed_exact`): the
corners of the loss function, budgets, and whether anything is left to spend. `directed_numbers` has the roundings.
"""

from collections import Counter
from itertools import pairwise
from math import inf

import numpy as np

from directed_exact import NO_LOSS, budgets_below, left_below, level_near, pieces_of
from directed_loss import Matrix
from directed_numbers import (
    InfeasibleBudget,
    InvalidRequest,
    NegativeProbability,
    UnreachableState,
    checked_level,
    missing,
    next_to,
    sum_down,
    sum_up,
)

MOST_RELEASES = 10_000
CLOSE = 2.0**-20
"""Where a difference of levels is less than this part of them, doubles do not decide it."""


class Directed:
    """The contract's operations; a level that is answered is not below the truth, a budget not above it."""

    name = "directed"
    version = "1"
    numbers = ("float64",)
    stepwise = True

    def loss(self, matrix, alpha):
        """Return L(α)."""
        alpha = checked_level(alpha, "alpha")
        return Matrix(matrix).loss(alpha)

    def loss_function(self, matrix):
        """Return the pieces of L in order; q is rounded up and d down, so that their maximum is not below L."""
        return {
            "pieces": [
                {
                    "q": next_to(q, 1),
                    "d": next_to(d, -1),
                    "from": level_near(start),
                    "to": inf if stop is None else level_near(stop),
                }
                for q, d, start, stop in pieces_of(Matrix(matrix))
            ]
        }

    def leakage(self, epsilons, backward=None, forward=None):
        """Return BPL, FPL and TPL at every time."""
        bpl, fpl, tpl = self._leakage(epsilons, backward, forward)[1:]
        return {"bpl": bpl, "fpl": fpl, "tpl": tpl}

    def _leakage(self, epsilons, backward, forward):
        epsilons = [checked_level(epsilon, f"epsilons {time}") for time, epsilon in enumerate(epsilons, 1)]
        own = [_matrices(rows, what) for rows, what in ((backward, "backward"), (forward, "forward"))]
        _check_sizes(*(matrices[0].given if matrices else None for matrices, _ in own))
        if not 0 < len(epsilons) <= MOST_RELEASES:
            raise InvalidRequest(f"there are {len(epsilons)} releases")
        past, future = (_losses(*matrices, len(epsilons) - 1) for matrices in own)
        bpl, fpl = _recursion(epsilons, past), _recursion(epsilons[::-1], future[::-1])[::-1]
        later = [*(loss(level) for loss, level in zip(future, fpl[1:], strict=True)), 0.0]
        return epsilons, bpl, fpl, [sum_up(level, loss) for level, loss in zip(bpl, later, strict=True)]

    def supremum(self, matrix, epsilon):
        """Return what BPL or FPL rises to with ε at every time."""
        epsilon = checked_level(epsilon, "epsilon")
        return Matrix(matrix).supremum(epsilon)

    def composition(self, epsilons, start, length, backward=None, forward=None):
        """Return the leakage of the releases start … start + length − 1 together."""
        epsilons, bpl, fpl, tpl = self._leakage(epsilons, backward, forward)
        end = start + length - 1
        if start < 1 or length < 1 or end > len(epsilons):
            raise InvalidRequest(f"releases {start} to {end} are not a window of {len(epsilons)} releases")
        if length == 1:
            return tpl[start - 1]
        return sum_up(bpl[start - 1], *epsilons[start : end - 1], fpl[end - 1])

    def allocate(self, alpha, method, horizon=None, backward=None, forward=None):
        """Return budgets that keep TPL at most α."""
        alpha = checked_level(alpha, "alpha")
        if method not in ("upper-bound", "quantified"):
            raise InvalidRequest(f"there is no method {method!r}")
        if horizon is None and method == "quantified":
            raise InvalidRequest("the method quantified needs a horizon")
        if horizon is not None and not 1 <= horizon <= MOST_RELEASES:
            raise InvalidRequest(f"the horizon is {horizon}")
        pieces = [
            NO_LOSS if rows is None else pieces_of(Matrix(rows, what))
            for rows, what in ((backward, "backward"), (forward, "forward"))
        ]
        _check_sizes(backward, forward)
        if alpha == 0:
            raise InfeasibleBudget("a level of 0 leaves no budget")
        if method == "quantified" and horizon == 1:
            return {"epsilons": [alpha]}
        if any(q - d == 1 for (q, d, _, _), *_ in pieces):
            raise InfeasibleBudget("two values are told apart for certain, so that every release adds its whole budget")
        first, middle, last = (inf, inf, inf) if alpha == inf else budgets_below(alpha, *pieces)
        if method == "upper-bound":
            return {"epsilons": [middle] * (horizon or 1)}
        return {"epsilons": [first, *[middle] * (horizon - 2), last]}

    def control(self, matrix, previous, cap):
        """Return the budget that is left now, cap − L(previous)."""
        previous, cap = checked_level(previous, "previous"), checked_level(cap, "cap")
        own = Matrix(matrix)
        if cap == inf:
            return inf
        budget = sum_down(cap, -own.loss(previous))
        if abs(budget) > cap * CLOSE:
            if budget < 0:
                raise InfeasibleBudget("what was released carries the cap over")
            return budget
        return left_below(pieces_of(own), previous, cap)

    def smooth(self, s, n=None, matrix=None):
        """Return (p + s)/(1 + n s), within a few ulps; of the identity where n is given."""
        if (n is None) == (matrix is None):
            raise InvalidRequest("give either n or a matrix")
        if n is not None and n < 1:
            raise InvalidRequest(f"n is {n}")
        entries = np.eye(n) if matrix is None else Matrix(matrix).entries
        if s < 0:
            raise InvalidRequest(f"s is {s!r}")
        if s > 1:
            return {"matrix": (entries / s + 1) / (1 / s + len(entries))}
        return {"matrix": (entries + s) / (1 + len(entries) * s)}

    def reverse(self, forward, initial):
        """Return Pr(before | now) by Bayes' rule, within a few ulps: the products in parts, so that none underflows."""
        entries = Matrix(forward, "forward").entries
        initial = np.asarray(initial, dtype=float).reshape(-1)
        missing(initial, "initial")
        if len(initial) != len(entries):
            raise InvalidRequest(f"initial has {len(initial)} entries, the matrix {len(entries)} states")
        if (initial < 0).any():
            raise NegativeProbability(f"initial has the entry {initial.min()}")
        (of_state, powers), (of_step, more) = np.frexp(initial), np.frexp(entries)
        products = (of_state[:, None] * of_step).T
        if not products.any(axis=1).all():
            raise UnreachableState(f"state {int(np.argmin(products.any(axis=1))) + 1} cannot be reached")
        powers = np.where(products > 0, (powers[:, None] + more).T, -(10**6))
        with np.errstate(under="ignore"):
            joint = np.ldexp(products, powers - powers.max(axis=1, keepdims=True))
            return {"backward": joint / joint.sum(axis=1, keepdims=True)}

    def estimate(self, sequences, smoothing=0.0):
        """Return relative frequencies of transitions and of first states; within a few ulps."""
        names = {name for sequence in sequences for name in sequence}
        if not names:
            raise InvalidRequest("there is no sequence to estimate from")
        states = sorted(names, key=_by_number)
        pairs = Counter(pair for sequence in sequences for pair in pairwise(sequence))
        first = Counter(sequence[0] for sequence in sequences if sequence)
        counts = np.array([[pairs[j, k] for k in states] for j in states], dtype=float)
        if smoothing < 0:
            raise InvalidRequest(f"smoothing is {smoothing!r}")
        return {
            "states": states,
            "forward": _frequencies(counts, smoothing, states),
            "backward": _frequencies(counts.T, smoothing, states),
            "initial": np.array([first[state] for state in states]) / first.total(),
        }


def _check_sizes(backward, forward):
    if backward is not None and forward is not None and len(backward) != len(forward):
        raise InvalidRequest(f"the backward matrix has {len(backward)} states, the forward one {len(forward)}")


def _matrices(rows, what):
    """Return the matrices of a correlation, and how they are for its steps: "steps", "cycle", or one of all."""
    if rows is None:
        return [], "cycle"
    if not isinstance(rows, dict):
        return [Matrix(rows, what)], "cycle"
    ((kind, given),) = rows.items()
    if kind == "cycle" and not given:
        raise InvalidRequest(f"{what}: there is nothing to repeat")
    matrices = [Matrix(one, f"{what}, step {step}") for step, one in enumerate(given, 1)]
    if len({len(matrix.given) for matrix in matrices}) > 1:
        raise InvalidRequest(f"{what}: the matrices differ in size")
    return matrices, kind


def _losses(matrices, kind, steps):
    """Return L of each step between releases; 0 of a correlation that is not known."""
    if kind == "steps" and len(matrices) != steps:
        raise InvalidRequest(f"{len(matrices)} matrices for {steps} steps")
    known = [matrix.loss for matrix in matrices] or [lambda _: 0.0]
    return [known[step % len(known)] for step in range(steps)]


def _recursion(epsilons, losses):
    """Return ε_1, then L(the level before) + ε_t, rounded up."""
    levels = epsilons[:1]
    for epsilon, loss in zip(epsilons[1:], losses, strict=True):
        levels.append(sum_up(epsilon, loss(levels[-1])))
    return levels


def _frequencies(counts, smoothing, states):
    if not counts.any():
        raise UnreachableState("no transition was counted")
    totals = counts.sum(axis=1) + len(states) * smoothing
    if not totals.all():
        raise UnreachableState(f"nothing is known of state {states[int(np.argmin(totals))]!r}")
    return (counts + smoothing) / totals[:, None]


def _by_number(name):
    return (0, int(name), name) if name.isascii() and name.isdigit() and len(name) < 19 else (1, 0, name)
