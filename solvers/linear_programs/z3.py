"""z3's Optimize, an exact solver of linear programs: simplex in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ...reference.decimals import fraction_to_text, int_from_text
from .charnes_cooper import LinearProgram, Terms
from .outcomes import SolverOutcome, Status, checked, not_installed

Z3_MILLISECONDS = 60_000
"""Milliseconds after which z3 is told to stop."""


def solve(program: LinearProgram) -> SolverOutcome:
    """Solve a program by z3.

    Returns: what z3 says, in fractions; a program whose coefficients are not exact is out of range. Anything but a
    feasible optimum is an outcome with its name.
    """
    try:
        import z3
    except ImportError as error:
        return not_installed(error)
    if not program.exact:
        message = "the ratio e^α is not rational: there is no exact linear program"
        return SolverOutcome(Status.OUT_OF_RANGE, message=message)
    try:
        optimizer = z3.Optimize()
        optimizer.set("timeout", Z3_MILLISECONDS)
        variables = [z3.Real(name) for name in program.variables]

        def linear(terms: Terms) -> Any:
            return z3.Sum([z3.RealVal(fraction_to_text(factor)) * variables[index] for index, factor in terms])

        optimizer.add(*(variable >= 0 for variable in variables), linear(program.normalisation) == 1)
        optimizer.add(*(linear(row) <= 0 for row in program.rows))
        goal = optimizer.maximize(linear(program.objective))
        answer = optimizer.check()
        if answer == z3.unsat:
            return SolverOutcome(Status.INFEASIBLE, message="z3 finds no solution")
        if answer != z3.sat:
            return SolverOutcome(Status.STOPPED, message=f"z3 ended with {optimizer.reason_unknown()!r}")
        infinite, standard, infinitesimal = optimizer.upper_values(goal)
        if _fraction(z3, infinite) > 0:
            return SolverOutcome(Status.UNBOUNDED, message="z3 finds no upper bound")
        if _fraction(z3, infinite) or _fraction(z3, infinitesimal):
            return SolverOutcome(Status.NONSENSE, message=f"z3 gives the optimum as {optimizer.upper(goal)}")
        model = optimizer.model()
        values = tuple(_fraction(z3, model.eval(variable, model_completion=True)) for variable in variables)
        return checked(program, SolverOutcome(Status.OPTIMAL, _fraction(z3, standard), values))
    except (z3.Z3Exception, _NotRational) as error:
        return SolverOutcome(Status.FAILED, message=f"{type(error).__name__}: {error}")


class _NotRational(Exception):
    """z3 gave a value that is no rational number."""


def _fraction(z3: Any, value: Any) -> Fraction:
    if z3.is_int_value(value):
        return Fraction(int_from_text(value.as_string()))
    if not z3.is_rational_value(value):
        raise _NotRational(str(value))
    return Fraction(*(int_from_text(part.as_string()) for part in (value.numerator(), value.denominator())))
