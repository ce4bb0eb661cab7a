"""Methods by linear programming: a program per ordered pair of rows, solved at arm's length, read off and certified."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from ...reference.correlations import Row, TransitionMatrix
from ...reference.errors import InvalidRequest
from ...reference.levels import INFINITE, Level
from ...reference.paper.lfp import greatest, row_pairs
from ...reference.paper.loss import Progress
from .active_set import ActiveSet, read_off
from .charnes_cooper import LinearProgram, RatioBound, compact, literal, ratio_bound
from .isolation import SolverWorker
from .outcomes import SolverOutcome, Status, checked
from .results import Method, MethodResult, PairOfRows, Standing

MOST_FAILURES = 3
"""Calls of a solver in a row that may crash or time out before its method is given up."""

Build = Callable[[Row, Row, RatioBound], LinearProgram]
"""The form of a program: of rows q and d, and A."""

MOST_STATES_OF_FORM: dict[Build, int] = {literal: 50, compact: 200}
"""The most states for which programs of a form are built: a literal one has n(n − 1) constraints for each pair."""


@dataclass(frozen=True, slots=True)
class _Solved:
    """One program: its rows, what the solver said of it, and the set read off."""

    rows: PairOfRows
    outcome: SolverOutcome
    active: ActiveSet | None

    @property
    def certified(self) -> bool:
        return self.active is not None and self.active.certified


def lp_method(name: str, build: Build, target: str, *arguments: object, exact: bool = False) -> Method:
    """Make a method of a linear-programming solver.

    Args: build, the form of the program, literal or compact; target, "module:function" of the solver, which takes the
    program and the arguments and returns a `SolverOutcome`; exact, whether it computes in fractions and its objective
    counts as exact.
    """

    def solve(
        matrix: TransitionMatrix, rows: PairOfRows, alpha: Level, bound: RatioBound, worker: SolverWorker
    ) -> _Solved:
        program = build(matrix.rows[rows[0]], matrix.rows[rows[1]], bound)
        outcome = checked(program, worker.call(target, program, *arguments))
        active = read_off(matrix, rows, alpha, program, outcome)
        if outcome.status in (Status.UNBOUNDED, Status.INFEASIBLE) and (active is None or not active.certified):
            message = f"the solver calls the program {outcome.status}, which it is not"
            return _Solved(rows, SolverOutcome(Status.NONSENSE, message=message), None)
        return _Solved(rows, outcome, active)

    def applicable_bound(matrix: TransitionMatrix, alpha: Level) -> RatioBound:
        most = MOST_STATES_OF_FORM.get(build, matrix.n)
        if matrix.n > most:
            raise InvalidRequest(f"programs of this form are built for at most {most} states, not {matrix.n}")
        if exact and not alpha.is_infinite and not isinstance(alpha.ratio, Fraction):
            raise InvalidRequest("the ratio e^α is not rational: there is no exact linear program")
        return ratio_bound(alpha)

    def of_matrix(
        matrix: TransitionMatrix, alpha: Level, worker: SolverWorker, progress: Progress | None
    ) -> MethodResult:
        bound = applicable_bound(matrix, alpha)
        pairs = list(row_pairs(matrix))
        if not pairs:
            raise InvalidRequest("a matrix of one state has no pair of rows")
        solved: list[_Solved] = []
        failures = 0
        for number, rows in enumerate(pairs):
            if progress:
                progress(number, len(pairs))
            solved.append(solve(matrix, rows, alpha, bound, worker))
            status = solved[-1].outcome.status
            failures = failures + 1 if status in (Status.CRASHED, Status.TIMED_OUT) else 0
            if failures == MOST_FAILURES or status is Status.NOT_INSTALLED:
                break
        return _summary(name, alpha, solved, len(pairs), exact)

    def of_pair(matrix: TransitionMatrix, rows: PairOfRows, alpha: Level, worker: SolverWorker) -> MethodResult:
        return _summary(name, alpha, [solve(matrix, rows, alpha, applicable_bound(matrix, alpha), worker)], 1, exact)

    return Method(name, of_matrix, of_pair)


def _summary(name: str, alpha: Level, solved: list[_Solved], pairs: int, exact: bool) -> MethodResult:
    """Put the programs of all pairs together: the greatest value, certified only if every pair's is."""
    failed = [each for each in solved if each.outcome.status not in (Status.OPTIMAL, Status.UNBOUNDED)]
    if failed and failed[0].outcome.status is Status.NOT_INSTALLED:
        return MethodResult(name, "skipped", note=failed[0].outcome.message)
    sets = [each.active.chosen for each in solved if each.active is not None]
    level = greatest(sets, alpha).value(alpha) if sets else None
    said = [each.outcome.objective for each in solved if each.outcome.status is Status.OPTIMAL]
    values = [float(objective) for objective in said if objective is not None]
    values += [inf for each in solved if each.outcome.status is Status.UNBOUNDED]
    value = max(values, default=None)
    certified = sum(each.certified for each in solved)
    notes = [f"{certified} of {pairs} pairs certified"] if certified < pairs else []
    if failed:
        first = failed[0]
        place = f"rows {first.rows[0] + 1} and {first.rows[1] + 1}: "
        notes.append(f"{place if pairs > 1 else ''}{first.outcome.status}: {first.outcome.message}")
    standing = Standing.NONE if level is None else Standing.NOT_CERTIFIED
    if exact and not failed:
        level, standing, value = _exact_level(solved, said), Standing.EXACT, None
    elif certified == pairs:
        standing = Standing.CERTIFIED
    status = str(failed[0].outcome.status) if failed else "answered"
    return MethodResult(name, status, level, standing, value, note="; ".join(notes))


def _exact_level(solved: list[_Solved], objectives: Sequence[object]) -> Level:
    if any(each.outcome.status is Status.UNBOUNDED for each in solved):
        return INFINITE
    ratios = [objective for objective in objectives if isinstance(objective, Fraction)]
    return Level.of_ratio(max(ratios))
