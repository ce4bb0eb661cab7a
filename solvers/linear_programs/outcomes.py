"""What a solver said about a linear program: every way to end has a name, and nothing is believed unchecked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import isfinite

from .charnes_cooper import LinearProgram, Terms

SolverNumber = float | Fraction

TOLERANCE = 1e-5
"""How far a float solution may be from feasible, relative to the terms of a row or to 1, and still be one.

It only sorts out nonsense (CBC prints 8 digits and allows 1e-7); whether the solution is optimal is decided exactly.
"""


class Status(StrEnum):
    """How a call of a solver ended."""

    OPTIMAL = "optimal"
    UNBOUNDED = "unbounded"
    INFEASIBLE = "infeasible"
    STOPPED = "stopped early"
    OUT_OF_RANGE = "out of range"
    NONSENSE = "nonsense"
    FAILED = "failed"
    NOT_INSTALLED = "not installed"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"


@dataclass(frozen=True, slots=True)
class SolverOutcome:
    """The end of one call: its status, what the solver said where it said optimal, and a message where it did not.

    objective, solution: floats, or fractions of an exact solver; neither is more than a claim.
    """

    status: Status
    objective: SolverNumber | None = None
    solution: tuple[SolverNumber, ...] | None = None
    message: str = ""


class NotADouble(ValueError):
    """A coefficient is no double: it is above the greatest, or rounds to 0."""


def doubles(terms: Terms) -> list[tuple[int, float]]:
    """Return the linear form in nearest doubles. Raises: NotADouble for a coefficient that overflows or vanishes."""
    rounded = []
    for index, coefficient in terms:
        try:
            value = float(coefficient)
        except OverflowError:
            raise NotADouble("a coefficient exceeds every double") from None
        if value == 0:
            raise NotADouble("a coefficient is below every double")
        rounded.append((index, value))
    return rounded


def not_installed(error: ImportError) -> SolverOutcome:
    """Return the outcome for a package that is not there."""
    return SolverOutcome(Status.NOT_INSTALLED, message=f"the package {error.name} is not installed")


def checked(program: LinearProgram, said: object) -> SolverOutcome:
    """Return what a solver said if it makes sense: an optimum is finite and feasible, exactly so if it is exact.

    Args: the program; said, the value that came back. Returns: the outcome, or one of status nonsense that says why.
    Whether an optimum is optimal is not checked here.
    """
    if not isinstance(said, SolverOutcome) or not isinstance(said.status, Status):
        return SolverOutcome(Status.NONSENSE, message=f"the solver returned a {type(said).__name__}, not an outcome")
    if said.status is not Status.OPTIMAL:
        return said
    complaint = _complaint(program, said.objective, said.solution)
    return SolverOutcome(Status.NONSENSE, said.objective, said.solution, complaint) if complaint else said


def _complaint(program: LinearProgram, objective: object, solution: object) -> str:
    if not isinstance(solution, tuple) or len(solution) != len(program.variables):
        return "optimal without a value for each variable"
    numbers = [objective, *solution]
    if not all(isinstance(number, float | Fraction) for number in numbers):
        return "optimal, but a value is no number"
    if not all(isfinite(number) for number in numbers if isinstance(number, float)):
        return "optimal, but a value is not finite"
    exact = all(isinstance(number, Fraction) for number in numbers)
    values = [Fraction(number) for number in solution]
    tolerance = Fraction(0) if exact else Fraction(TOLERANCE)
    for name, value in zip(program.variables, values, strict=True):
        if value < -tolerance:
            return f"optimal, but {name} = {float(value):.3g} is negative"
    for number, row in enumerate(program.rows, 1):
        activity, scale = _activity(row, values)
        if activity > tolerance * scale:
            return f"optimal, but constraint {number} is violated by {float(activity):.3g}"
    normal, scale = _activity(program.normalisation, values)
    if abs(normal - 1) > tolerance * scale:
        return f"optimal, but d·y is {float(normal):.9g}, not 1"
    value, scale = _activity(program.objective, values)
    assert isinstance(objective, float | Fraction)
    if abs(value - Fraction(objective)) > tolerance * scale:
        return f"optimal at {float(objective):.9g}, but the solution gives {float(value):.9g}"
    return ""


def _activity(terms: Terms, values: list[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the value of a linear form and the scale of its terms, at least 1."""
    products = [coefficient * values[index] for index, coefficient in terms]
    return sum(products, Fraction(0)), max([Fraction(1), *(abs(term) for term in products)])
