"""HiGHS, a float solver, through `highspy` itself so that every return code is seen.

HiGHS refuses a row with a coefficient of 1e15 or more and goes on without it, and it reads a coefficient below 1e-9 as
0; both times only the code that `addRow` returns tells, and the optimum that follows is that of another program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .charnes_cooper import LinearProgram, Terms
from .outcomes import NotADouble, SolverOutcome, Status, checked, doubles, not_installed

HIGHS_SECONDS = 60.0
"""Seconds after which HiGHS is told to stop."""


@dataclass(frozen=True, slots=True)
class VertexBasis:
    """The tight constraints of a vertex: indices of program rows, and of variables that are 0."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]


class _Refused(Exception):
    """HiGHS did not take a part of the program as it is."""


def solve(program: LinearProgram) -> SolverOutcome:
    """Solve a program by HiGHS.

    Returns: what HiGHS says, in floats, not certified. Anything but a feasible optimum of the very program is an
    outcome with its name: a coefficient that HiGHS refuses or drops is out of range.
    """
    try:
        import highspy
    except ImportError as error:
        return not_installed(error)
    highs = highspy.Highs()
    try:
        _build(highspy, highs, program)
        run = highs.run()
    except (NotADouble, _Refused) as error:
        return SolverOutcome(Status.OUT_OF_RANGE, message=str(error))
    status = highs.getModelStatus()
    words = highs.modelStatusToString(status)
    if run == highspy.HighsStatus.kError:
        return SolverOutcome(Status.FAILED, message=f"HiGHS could not solve it: {words}")
    solution = highs.getSolution()
    if status == highspy.HighsModelStatus.kOptimal and run == highspy.HighsStatus.kOk and solution.value_valid:
        values = tuple(float(value) for value in solution.col_value)
        return checked(program, SolverOutcome(Status.OPTIMAL, float(highs.getInfo().objective_function_value), values))
    named = {
        highspy.HighsModelStatus.kUnbounded: Status.UNBOUNDED,
        highspy.HighsModelStatus.kInfeasible: Status.INFEASIBLE,
    }
    return SolverOutcome(named.get(status, Status.STOPPED), message=f"HiGHS ended with status {words!r}")


def optimal_basis(program: LinearProgram) -> VertexBasis | None:
    """Return the basis that HiGHS calls optimal, whatever that is worth; None where it comes to no such end.

    Raises: ImportError where highspy is not installed.
    """
    import highspy

    highs = highspy.Highs()
    try:
        _build(highspy, highs, program)
        run = highs.run()
    except (NotADouble, _Refused):
        return None
    if run != highspy.HighsStatus.kOk or highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    basis, basic = highs.getBasis(), highspy.HighsBasisStatus.kBasic
    rows = [index for index, status in enumerate(basis.row_status[1:]) if status != basic]
    columns = [index for index, status in enumerate(basis.col_status) if status != basic]
    return VertexBasis(tuple(rows), tuple(columns))


def _build(highspy: Any, highs: Any, program: LinearProgram) -> None:
    _ok(highspy, highs.setOptionValue("output_flag", False), "output_flag")
    _ok(highspy, highs.setOptionValue("time_limit", HIGHS_SECONDS), "time_limit")
    _ok(highspy, highs.setOptionValue("threads", 1), "threads")
    infinity = highspy.kHighsInf
    for name in program.variables:
        _ok(highspy, highs.addVar(0.0, infinity), name)
    for index, coefficient in doubles(program.objective):
        _ok(highspy, highs.changeColCost(index, coefficient), f"the objective at {program.variables[index]}")
    _ok(highspy, highs.changeObjectiveSense(highspy.ObjSense.kMaximize), "the sense")
    _add(highspy, highs, program.normalisation, (1.0, 1.0), "the normalisation")
    for number, row in enumerate(program.rows, 1):
        _add(highspy, highs, row, (-infinity, 0.0), f"constraint {number}")
    if highs.getNumRow() != 1 + len(program.rows):
        raise _Refused("HiGHS lost a constraint")


def _add(highspy: Any, highs: Any, terms: Terms, bounds: tuple[float, float], what: str) -> None:
    import numpy as np

    rounded = doubles(terms)
    indices = np.array([index for index, _ in rounded], dtype=np.int32)
    coefficients = np.array([coefficient for _, coefficient in rounded])
    _ok(highspy, highs.addRow(*bounds, len(rounded), indices, coefficients), what)


def _ok(highspy: Any, code: object, what: str) -> None:
    if code != highspy.HighsStatus.kOk:
        raise _Refused(f"HiGHS does not take {what} as it is: a coefficient is at least 1e15 or below 1e-9")
