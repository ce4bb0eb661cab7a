"""Solvers that go wrong in every way there is; a worker imports them by name."""

import os
import signal
import time
from fractions import Fraction
from pathlib import Path

from tploracle.solvers.linear_programs.highs import solve as honest
from tploracle.solvers.linear_programs.outcomes import SolverOutcome, Status


def exits(program):
    os._exit(7)


def segfaults(program):
    os.kill(os.getpid(), signal.SIGSEGV)


def sleeps(program):
    time.sleep(600)


def starts_a_sleeper(program, note):
    import subprocess

    child = subprocess.Popen(["sleep", "600"])
    with Path(note).open("a") as pids:
        pids.write(f"{child.pid}\n")
    child.wait()


def crashes_on_the_second_pair(program):
    if dict(program.objective) == {0: Fraction(1, 5), 1: Fraction(4, 5)}:
        os._exit(3)
    return honest(program)


def raises(program):
    raise RuntimeError("out of luck")


def returns_nan(program):
    return SolverOutcome(Status.OPTIMAL, float("nan"), (float("nan"),) * len(program.variables))


def returns_text(program):
    return "optimal"


def returns_too_few(program):
    return SolverOutcome(Status.OPTIMAL, 1.0, (1.0,))


def returns_what_cannot_be_sent(program):
    return lambda: None


class _Unreadable:
    def __reduce__(self):
        return (int, ("not a number",))


def returns_what_cannot_be_read(program):
    return _Unreadable()


def prints_and_solves(program):
    print("Welcome to the solver" * 1000, flush=True)
    os.write(1, b"\xff" * 10_000)
    return honest(program)


def _at(program, indices):
    """The feasible solution with x = A on the indices and 1 elsewhere."""
    high = program.bound.value
    x = [high if j in indices else Fraction(1) for j in range(program.n)]
    scale = sum(d * x[j] for j, d in program.normalisation)
    last = 1 if program.form == "compact" else max(x)
    solution = tuple(float(value / scale) for value in (*x, last))
    objective = sum(q * x[j] for j, q in program.objective) / scale
    return SolverOutcome(Status.OPTIMAL, float(objective), solution)


def returns_a_suboptimal_vertex(program):
    q, d = dict(program.objective), dict(program.normalisation)
    worst = min(range(program.n), key=lambda j: q.get(j, 0) - d.get(j, 0))
    return _at(program, {worst})


def returns_all_equal(program):
    return _at(program, set())


def returns_an_infeasible_vector(program):
    ratios = {j: q / dict(program.normalisation).get(j, Fraction(1, 10**6)) for j, q in program.objective}
    best = max(ratios, key=ratios.get)
    solution = [0.0] * len(program.variables)
    solution[best] = float(1 / dict(program.normalisation).get(best, Fraction(1, 10**6)))
    return SolverOutcome(Status.OPTIMAL, float(ratios[best]), tuple(solution))


def boasts(program):
    outcome = honest(program)
    return SolverOutcome(Status.OPTIMAL, 2 * outcome.objective, outcome.solution)


def calls_it_infeasible(program):
    return SolverOutcome(Status.INFEASIBLE, message="no")
