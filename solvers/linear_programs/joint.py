"""A linear program over all joint mechanisms: what any event-level private stream leaks, knowing nothing of a sweep.

Of one output of the whole stream let g(y) be the likelihood given the values y. Event-level privacy with the budgets
ε_s is g(y) ≤ e^{ε_s}·g(y') for all y, y' that differ at s alone; every such g ≥ 0 is that of an output of some stream.
So e^−TPL_t is the least Σ_y Pr(y | l^t = k) g(y) with Σ_y Pr(y | l^t = j) g(y) = 1, over all j, k: n^T variables,
and T·n^T·(n − 1) constraints. Turned over like that the program is bounded where the leakage is ∞ too: there it is 0.
Of several releases together two windows, sequences of values at their times, stand for the two values.

HiGHS solves it in doubles, and only its basis is taken: the basis is solved in fractions, for the likelihoods and for
their multipliers, and both are looked at exactly, so that an optimum that is returned is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from math import prod

from flint import fmpq, fmpq_mat

from ...reference.correlations import Row
from ...reference.errors import InvalidRequest
from ...reference.levels import INFINITE, Level
from .charnes_cooper import LinearProgram, Terms
from .highs import VertexBasis, optimal_basis

MOST_VARIABLES = 512
"""Sequences of values, n^T: the basis is solved in fractions, in time about their cube."""

WindowValues = tuple[int, ...]
"""The values at some times in a row, from 0."""

RowsOfSteps = Sequence[Sequence[Row]]
"""The rows of the matrix of each step."""


def joint_program(
    ratios: Sequence[Fraction | None],
    start: int,
    pair: tuple[WindowValues, WindowValues],
    backward: RowsOfSteps,
    forward: RowsOfSteps,
) -> LinearProgram:
    """Return the program whose optimum is −1 over the greatest ratio for two windows, one against the other. Exact.

    Args: ratios, e^{ε_s} of each time, None for ∞; start, the first time of the windows, from 1; pair, the windows, of
    one length; backward[s], forward[s], the matrices Pr(l^s | l^{s+1}) and Pr(l^{s+1} | l^s) of each of T − 1 steps.
    Raises: InvalidRequest beyond `MOST_VARIABLES`.
    """
    n, releases = len((*backward, *forward)[0]), len(ratios)
    if n**releases > MOST_VARIABLES:
        raise InvalidRequest(
            f"a program over joint mechanisms has at most {MOST_VARIABLES} variables, not {n}^{releases}"
        )
    sequences = list(product(range(n), repeat=releases))
    place = {values: index for index, values in enumerate(sequences)}
    j, k = (_weights(sequences, start - 1, window, backward, forward) for window in pair)
    rows: list[Terms] = []
    for s, ratio in enumerate(ratios):
        if ratio is None:
            continue
        for values in sequences:
            others = [(*values[:s], value, *values[s + 1 :]) for value in range(n) if value != values[s]]
            rows += [((place[values], Fraction(1)), (place[other], -ratio)) for other in others]
    names = tuple("g" + "".join(map(str, values)) for values in sequences)
    least = tuple((index, -weight) for index, weight in k)
    return LinearProgram("joint", n, names, least, tuple(j), tuple(rows), None)


def _weights(
    sequences: Sequence[tuple[int, ...]], first: int, window: WindowValues, backward: RowsOfSteps, forward: RowsOfSteps
) -> list[tuple[int, Fraction]]:
    """Return Pr(y | window) of each sequence that has one: past and future are independent given the window."""
    found = []
    last = first + len(window) - 1
    for index, y in enumerate(sequences):
        past = [backward[s][y[s + 1]][y[s]] for s in range(first)]
        future = [forward[s][y[s]][y[s + 1]] for s in range(last, len(y) - 1)]
        weight = prod(past + future, start=Fraction(y[first : last + 1] == window))
        if weight:
            found.append((index, weight))
    return found


def exact_optimum(program: LinearProgram, basis: VertexBasis) -> Fraction | None:
    """Return the optimum of a program that a basis proves; None where it proves none. Exact.

    The tight constraints of a basis are as many as the variables. Solved, they give a point; solved the other way, the
    multipliers of a bound: where the one is feasible and the others have the right signs, both values are the optimum.
    """
    size = len(program.variables)
    rows = [program.normalisation, *(program.rows[row] for row in basis.rows)]
    rows += [((column, Fraction(-1)),) for column in basis.columns]
    if len(rows) != size:
        return None
    matrix = fmpq_mat(size, size)
    for place, row in enumerate(rows):
        for index, coefficient in row:
            matrix[place, index] = fmpq(coefficient.numerator, coefficient.denominator)
    right, objective = fmpq_mat(size, 1), fmpq_mat(size, 1)
    right[0, 0] = fmpq(1)
    for index, coefficient in program.objective:
        objective[index, 0] = fmpq(coefficient.numerator, coefficient.denominator)
    try:
        point, multipliers = matrix.solve(right), matrix.transpose().solve(objective)
    except ZeroDivisionError:
        return None
    found = [Fraction(int(point[i, 0].p), int(point[i, 0].q)) for i in range(size)]
    feasible = min(found) >= 0 and all(sum(c * found[index] for index, c in row) <= 0 for row in program.rows)
    if not feasible or any(multipliers[i, 0] < 0 for i in range(1, size)):
        return None
    return sum((c * found[index] for index, c in program.objective), Fraction(0))


def proved_optimum(program: LinearProgram, what: str) -> Fraction:
    """Return the optimum of a program, proved by the basis that HiGHS chooses. Exact. Raises: InvalidRequest."""
    basis = optimal_basis(program)
    optimum = None if basis is None else exact_optimum(program, basis)
    if optimum is None:
        raise InvalidRequest(f"HiGHS found no basis of the program for {what} that is optimal in fractions")
    return optimum


def joint_leakage(
    epsilons: Sequence[Level], time: int, backward: RowsOfSteps, forward: RowsOfSteps, values: Sequence[int]
) -> Level:
    """Return the greatest TPL at a time over all joint mechanisms with these budgets, by linear programs. Exact.

    Args: epsilons, T ≥ 2 budgets with rational ratios, 0 and ∞ among them; time, from 1; backward, forward, as
    `joint_program`; values, those that can occur at that time, from 0. Raises: as `joint_composition`.
    """
    return joint_composition(epsilons, time, backward, forward, [(value,) for value in values])


def joint_composition(
    epsilons: Sequence[Level], start: int, backward: RowsOfSteps, forward: RowsOfSteps, windows: Sequence[WindowValues]
) -> Level:
    """Return the greatest leakage of some releases together over all joint mechanisms, by linear programs. Exact.

    Args: start, the first of these releases, from 1; windows, those that can occur, of one length; else as
    `joint_leakage`. Raises: InvalidRequest, where an optimum is not proved too; ImportError without highspy.
    """
    ratios: list[Fraction | None] = []
    for epsilon in epsilons:
        ratio = epsilon.ratio
        if epsilon.is_infinite:
            ratios.append(None)
        elif isinstance(ratio, Fraction):
            ratios.append(ratio)
        else:
            raise InvalidRequest("e^ε is not rational; it is for log(11/10)")
    greatest = Fraction(1)
    for pair in permutations(windows, 2):
        optimum = proved_optimum(joint_program(ratios, start, pair, backward, forward), str(pair))
        if optimum == 0:
            return INFINITE
        greatest = max(greatest, -1 / optimum)
    return Level.of_ratio(greatest)
