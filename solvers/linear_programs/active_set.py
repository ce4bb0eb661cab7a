"""From a solver's word to an exact value: read off the active set, compute its value, and test it for optimality.

At an optimum of the program of two rows each x_j is at its least or at e^α times that. The set S of the latter is all
that is taken from a solution. Its value g_S is a lower bound of the optimum whatever S is, and is the optimum if, with
λ = g_S, q_j − λ d_j ≥ 0 on S and ≤ 0 off S: complementary slackness for the linear program, decided exactly. A solver
that errs costs an answer and never makes a wrong one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...reference.correlations import TransitionMatrix
from ...reference.levels import Level
from ...reference.paper.lfp import Subset, subset
from .charnes_cooper import LinearProgram
from .outcomes import SolverNumber, SolverOutcome, Status

NEGLIGIBLE = Fraction(1, 10**6)
"""At α = ∞, where the least x_j is 0 beside the greatest: the ratio from which on an entry is not negligible."""


@dataclass(frozen=True, slots=True)
class ActiveSet:
    """A set read off a solution. certified: whether its value is the optimum of its two rows; else a lower bound."""

    chosen: Subset
    certified: bool


def active_indices(
    program: LinearProgram, solution: tuple[SolverNumber, ...], value: Fraction | None
) -> tuple[int, ...]:
    """Return the indices whose y_j is nearer to the greatest y than to that divided by A, in ratio.

    Args: program, of the literal or compact form; its solution; A, None for ∞. Columns where both rows are 0 are out of
    account, for their y_j is arbitrary. The greatest y stands for A·t: in the literal form there is no t, and in the
    compact one t is below a float solver's tolerance where A is large.
    Returns: the indices, from 0; a guess.
    """
    relevant = sorted({index for index, _ in (*program.objective, *program.normalisation)})
    y = {j: max(Fraction(solution[j]), Fraction(0)) for j in relevant}
    greatest = max(y.values())
    if value is None:
        return tuple(j for j in relevant if y[j] > NEGLIGIBLE * greatest)
    return tuple(j for j in relevant if y[j] ** 2 * value > greatest**2)


def is_certified(matrix: TransitionMatrix, chosen: Subset, alpha: Level) -> bool:
    """Whether q_j − λ d_j ≥ 0 on the set and ≤ 0 off it, λ = g_S(e^α − 1), so that λ is the optimum of its two rows.

    Exact. A tie q_j = λ d_j may be on either side, which Inequalities [eq:cond1, eq:cond2] do not allow; at α = 0 all
    x_j are equal and every set is optimal. Raises: Undecided.
    """
    q_row, d_row = matrix.rows[chosen.row_q], matrix.rows[chosen.row_d]
    inside = set(chosen.indices)
    if alpha.is_zero or (alpha.is_infinite and chosen.d == 0 < chosen.q):
        return True
    for j in range(matrix.n):
        constant = q_row[j] - d_row[j]
        slope = q_row[j] * chosen.d - d_row[j] * chosen.q
        if alpha.is_infinite and chosen.d:
            constant = Fraction(0)
        sign = alpha.sign_of_linear(constant, slope)
        if sign < 0 if j in inside else sign > 0:
            return False
    return True


def read_off(
    matrix: TransitionMatrix, rows: tuple[int, int], alpha: Level, program: LinearProgram, outcome: SolverOutcome
) -> ActiveSet | None:
    """Return the set that a solver's outcome points to, and whether it is certified to be optimal.

    Args: matrix and two of its rows (q, d), from 0; alpha, a level in nats; their program, literal or compact; outcome.
    Returns: the set, exact: certified, or a lower bound only; None where the outcome points to none. An unbounded
    program is believed at α = ∞ only, and where a column has q_j > 0 = d_j. For a set that is worse than the empty one
    stands the empty one.
    Raises: Undecided.
    """
    if outcome.status is Status.OPTIMAL and outcome.solution is not None and program.bound is not None:
        indices = active_indices(program, outcome.solution, program.bound.value)
    elif outcome.status is Status.UNBOUNDED and alpha.is_infinite:
        q_row, d_row = (matrix.rows[row] for row in rows)
        indices = tuple(j for j in range(matrix.n) if q_row[j] > 0 == d_row[j])
    else:
        return None
    chosen = subset(matrix, *rows, indices)
    if chosen.q < chosen.d:
        chosen = subset(matrix, *rows, ())
    return ActiveSet(chosen, is_certified(matrix, chosen, alpha))
