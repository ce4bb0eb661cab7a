"""CBC by PuLP, a float solver that prints 8 digits.

CBC is the program in the wheel of PuLP 3; PuLP 4 has none.
PuLP hands the program over in a file, with 13 digits per coefficient. The duals that CBC prints are not read.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from typing import Any

from .charnes_cooper import LinearProgram
from .outcomes import NotADouble, SolverOutcome, Status, checked, doubles, not_installed

CBC_SECONDS = 60
"""Seconds after which CBC is told to stop."""


def solve(program: LinearProgram, directory: str = ".") -> SolverOutcome:
    """Solve a program by CBC through PuLP.

    Args: program; directory, for a folder of the files that pass between the two: PuLP splits its path at spaces, which
    that of the folder for temporary files may have, and the path to it from the current directory has not.
    Returns: what CBC says, in floats, not certified. Anything but a feasible optimum is an outcome with its name.
    """
    try:
        import pulp
    except ImportError as error:
        return not_installed(error)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            problem = pulp.LpProblem("program", pulp.LpMaximize)
            variables = [problem.add_variable(name, lowBound=0) for name in program.variables]

            def linear(terms: list[tuple[int, float]]) -> Any:
                return pulp.LpAffineExpression([(variables[index], coefficient) for index, coefficient in terms])

            problem += linear(doubles(program.objective))
            problem += linear(doubles(program.normalisation)) == 1
            for row in program.rows:
                problem += linear(doubles(row)) <= 0
            solver = pulp.COIN_CMD(path=pulp.PULP_CBC_CMD.pulp_cbc_path, msg=False, mip=False, timeLimit=CBC_SECONDS)
            with tempfile.TemporaryDirectory(prefix="cbc-", dir=directory) as folder:
                solver.tmpDir = os.path.relpath(folder)
                status = problem.solve(solver)
            words = str(pulp.LpStatus.get(status, status))
            if status == pulp.LpStatusOptimal and problem.sol_status != pulp.LpSolutionOptimal:
                words = "Stopped"
            if words == "Optimal":
                values = tuple(_value(variable) for variable in variables)
                return checked(program, SolverOutcome(Status.OPTIMAL, _value(problem.objective), values))
        except NotADouble as error:
            return SolverOutcome(Status.OUT_OF_RANGE, message=str(error))
        except (pulp.PulpError, OSError, ValueError, IndexError, KeyError) as error:
            return SolverOutcome(Status.FAILED, message=f"{type(error).__name__}: {error}")
    named = {"Unbounded": Status.UNBOUNDED, "Infeasible": Status.INFEASIBLE}
    return SolverOutcome(named.get(words, Status.STOPPED), message=f"CBC ended with status {words!r}")


def _value(quantity: Any) -> float:
    """Return the value of a variable or expression, NaN where PuLP has none."""
    value = quantity.value()
    return float("nan") if value is None else float(value)
