"""Temporal privacy leakage as it is usually written from the printed paper: to see what a conformance run finds.

Nothing here is a caricature. Every function follows a numbered item of the paper, agrees with it on the paper's own
examples or nearly so, and says in its docstring which usual mistakes it makes. `directed.py` is what it should be.

    tploracle conform --time-limit 2 --python examples/implementations/usual_mistakes.py:UsualMistakes

Mistakes that all of it makes: doubles are rounded to the nearest, so that about half of all answers are below the
truth; nothing is known of the contract's errors, so that a matrix that is none, or a negative level, gets a number.
"""

import math
from collections import Counter
from itertools import pairwise, permutations

import numpy as np

A_1, A_M = 0.01, 20.0
"""Between which levels Algorithm 4 looks for the pieces of the loss function; the paper leaves the choice open."""


class UsualMistakes:
    """The contract's operations, each with the mistakes that are usual in it."""

    name = "usual-mistakes"
    version = "1"

    def loss(self, matrix, alpha):
        """Return L(α) by Algorithm 1, for all pairs of rows at once.

        Mistakes: exp(α) − 1 has lost four digits at α = 1e-12 and all of them at 1e-17, and is ∞ from 709.79 on, where
        ∞/∞ is nan; the logarithm of a quotient that is nearly 1 loses as much; 0/0 is left to the floats; at a large
        level the quotient of columns that tie is rounded to q_j/d_j itself, and with ≤ all of them leave.
        """
        return float(np.log(_ratios(matrix, alpha)[0].max(initial=1.0)))

    def loss_function(self, matrix):
        """Return the pieces of L by Algorithm 4: halves at the crossing of the functions that rule at the two ends.

        Mistakes: pieces that rule below a_1 or beyond a_m are not seen; values that ought to be equal are compared
        with ==, so that two sets that tie are two pieces, or cross at k = 0/0, and the halving never ends.
        """
        pieces = _pieces(matrix, A_1, A_M)
        starts = [0.0, *(end for _, _, end in pieces[:-1])]
        ends = [*starts[1:], math.inf]
        return [(q, d, start, end) for (q, d, _), start, end in zip(pieces, starts, ends, strict=True)]

    def leakage(self, epsilons, backward=None, forward=None):
        """Return BPL, FPL and TPL, with the transition points of Algorithm 2 and the search of Algorithm 3.

        Mistakes: line 11 of Algorithm 2 as it is printed, without the "+ 1", so that the set of columns is changed at
        the wrong levels; TPL = BPL + FPL − ε by subtraction, which is nan at ∞.
        """
        bpl = _recursion(epsilons, _precomputed(backward))
        fpl = _recursion(epsilons[::-1], _precomputed(forward))[::-1]
        return {"bpl": bpl, "fpl": fpl, "tpl": [b + f - e for b, f, e in zip(bpl, fpl, epsilons, strict=True)]}

    def supremum(self, matrix, epsilon):
        """Return the supremum by Theorem 11.

        Mistakes: q and d are those of the first step, not of the supremum; the second case has ε ≤ log(1/q), where
        equality divides by 0; equal rows, q = d = 0, are no case of it; a large ε overflows.
        """
        _, q, d = _ratios(matrix, epsilon, best=True)
        a = math.exp(epsilon)
        if d != 0:
            return math.log((math.sqrt(4 * d * a * (1 - q) + (d + q * a - 1) ** 2) + d + q * a - 1) / (2 * d))
        if q != 1 and epsilon <= math.log(1 / q):
            return math.log((1 - q) * a / (1 - q * a))
        return math.inf

    def composition(self, epsilons, start, length, backward=None, forward=None):
        """Return the leakage of a window by Theorem 3, each step by Algorithm 1 line by line.

        Mistakes: the flag `update` of Algorithm 1 is not set back, so that the first column that leaves keeps the loop
        going forever; a window of one release counts its budget twice; one beyond the end is cut off in silence.
        """
        bpl = _recursion(epsilons, lambda alpha: _line_by_line(backward, alpha))
        fpl = _recursion(epsilons[::-1], lambda alpha: _line_by_line(forward, alpha))[::-1]
        window = slice(start - 1, start - 1 + length)
        return bpl[window][0] + sum(epsilons[window][1:-1]) + fpl[window][-1]

    def allocate(self, alpha, method, horizon=None, backward=None, forward=None):
        """Return budgets by Algorithms 7 and 8.

        Mistakes: both bisections wait for two doubles to be equal, which need not happen; under the strongest
        correlation the budget of Algorithm 7 falls below 0, and those of Algorithm 8 are 0; a horizon of 1 gets two
        budgets; for Algorithm 7 the quadratic of Theorem 11 was solved again by hand and a sign lost, so that now and
        then it takes the root of a negative number, which is complex in Python.
        """
        if method == "upper-bound":
            return [_constant_budget(alpha, backward, forward)] * (horizon or 1)
        loss_b, loss_f = _loss_of(backward), _loss_of(forward)
        width, first = alpha, alpha / 2
        while True:
            width /= 2
            last = alpha - loss_b(first)
            attained = loss_f(last) + first
            if attained == alpha:
                return [first, *[first + last - alpha] * (horizon - 2), last]
            first += width if attained < alpha else -width

    def control(self, matrix, previous, cap):
        """Return the budget that is left. Mistake: where nothing is, a budget of 0 or less."""
        return cap - self.loss(matrix, previous)

    def smooth(self, s, n=None, matrix=None):
        """Return the matrix made more uniform. No mistake is usual here."""
        raised = (np.eye(n) if matrix is None else matrix) + s
        return raised / raised.sum(axis=1, keepdims=True)

    def reverse(self, forward, initial):
        """Return the backward correlation by Bayes' rule. Mistake: a state that cannot be reached gets 0/0."""
        joint = initial[:, None] * forward
        return (joint / joint.sum(axis=0)).T

    def estimate(self, sequences, smoothing=0.0):
        """Return frequencies. Mistakes: states are sorted as texts, 10 before 2; one that nothing follows gets 0/0."""
        states = sorted({state for sequence in sequences for state in sequence})
        seen = Counter(pair for sequence in sequences for pair in pairwise(sequence))
        counts = np.array([[seen[j, k] for k in states] for j in states]) + smoothing
        first = np.array([sum(sequence[:1] == [state] for sequence in sequences) for state in states])
        return {
            "forward": counts / counts.sum(axis=1, keepdims=True),
            "backward": counts.T / counts.T.sum(axis=1, keepdims=True),
            "initial": first / first.sum(),
        }


def _ratios(matrix, alpha, best=False):
    """Return (q(e^α − 1) + 1)/(d(e^α − 1) + 1), q and d of every pair of rows, or of the one that has the greatest."""
    rows = np.array(list(permutations(range(len(matrix)), 2)), dtype=int).reshape(-1, 2)
    q_rows, d_rows = matrix[rows[:, 0]], matrix[rows[:, 1]]
    excess = np.exp(alpha) - 1
    quotients, chosen = q_rows / d_rows, q_rows > d_rows
    update = True
    while update:
        q, d = (q_rows * chosen).sum(axis=1), (d_rows * chosen).sum(axis=1)
        ratio = (q * excess + 1) / (d * excess + 1)
        removed = chosen & (quotients <= ratio[:, None])
        chosen &= ~removed
        update = removed.any()
    if best:
        pair = ratio.argmax()
        return float(ratio[pair]), float(q[pair]), float(d[pair])
    return ratio, q, d


def _line_by_line(matrix, alpha):
    """Return L(α) by Algorithm 1, line by line; 0 where the correlation is not known."""
    greatest = 0.0
    excess = math.exp(alpha) - 1
    for q_row, d_row in permutations([] if matrix is None else matrix.tolist(), 2):
        columns = [(q, d) for q, d in zip(q_row, d_row, strict=True) if q > d]
        update = False
        while True:
            q, d = sum(q for q, _ in columns), sum(d for _, d in columns)
            for column in list(columns):
                if column[0] <= column[1] * (q * excess + 1) / (d * excess + 1):
                    columns.remove(column)
                    update = True
            if not update:
                break
        greatest = max(greatest, math.log((q * excess + 1) / (d * excess + 1)))
    return greatest


def _loss_of(matrix):
    """Return the function L, 0 where the correlation is not known."""
    if matrix is None:
        return lambda _: 0.0
    return lambda alpha: float(np.log(_ratios(matrix, alpha)[0].max(initial=1.0)))


def _precomputed(matrix):
    """Return the function L by qM, dM and aM, Algorithm 2, and the search of Algorithm 3."""
    table = []
    for q_row, d_row in permutations([] if matrix is None else matrix, 2):
        chosen = q_row > d_row
        order = np.argsort(-q_row[chosen] / d_row[chosen], kind="stable")
        q, d = q_row[chosen][order], d_row[chosen][order]
        q_sums, d_sums = q.cumsum(), d.cumsum()
        table.append((q_sums, d_sums, np.log((q - d) / (q_sums * d - d_sums * q))))

    def loss(alpha):
        excess, greatest = np.exp(alpha) - 1, 0.0
        for q_sums, d_sums, levels in table:
            if levels.size:
                k = max(1, np.count_nonzero(levels > alpha)) - 1
                greatest = max(greatest, float(np.log((q_sums[k] * excess + 1) / (d_sums[k] * excess + 1))))
        return greatest

    return loss


def _pieces(matrix, low, high):
    """Return (q, d, end) of the pieces between two levels, Algorithm 4."""
    _, q_low, d_low = _ratios(matrix, low, best=True)
    ratio, q_high, d_high = _ratios(matrix, high, best=True)
    excess = np.exp(high) - 1
    if low == high or ratio == (q_low * excess + 1) / (d_low * excess + 1):
        return [(q_low, d_low, high)]
    k = np.float64(q_high + d_low - q_low - d_high) / (q_low * d_high - q_high * d_low)
    if k <= 0:
        return [(q_high, d_high, high)]
    middle = float(np.log(k + 1))
    return [*_pieces(matrix, low, middle), *_pieces(matrix, middle, high)]


def _constant_budget(alpha, backward, forward):
    """Return the budget that lasts over an infinite horizon, Algorithm 7."""
    width, budget = alpha, alpha / 2
    while True:
        width /= 2
        reached = _solved_again(backward, budget) + _solved_again(forward, budget) - budget
        if reached == alpha:
            return budget
        budget += width if reached < alpha else -width


def _solved_again(matrix, epsilon):
    """Return the supremum from d·A² + (1 − d − q·e^ε)·A − (1 − q)·e^ε = 0."""
    q, d = (0.0, 0.0) if matrix is None else _ratios(matrix, epsilon, best=True)[1:]
    a, b, c = d, 1 - d - q * math.exp(epsilon), (1 - q) * math.exp(epsilon)
    if a == 0:
        return math.log(c / b) if b > 0 else math.inf
    solution = (-b + (b * b - 4 * a * c) ** 0.5) / (2 * a)
    return solution if isinstance(solution, complex) else math.log(solution)


def _recursion(epsilons, loss):
    """Return ε_1, then L(the level before) + ε_t."""
    levels = [float(epsilon) for epsilon in epsilons[:1]]
    for epsilon in epsilons[1:]:
        levels.append(float(loss(levels[-1]) + epsilon))
    return levels
