"""The arithmetic of populations under the desk, as an implementation; docs/population.md has the command."""

import pytest

from tploracle.conformance.ask.implementation import ObjectImplementation
from tploracle.conformance.ask.run import run_cases
from tploracle.conformance.ask.runner import Plan
from tploracle.conformance.model import DEFAULT_ULPS, Run
from tploracle.conformance.report.summary import CONFORMS, FAILS, summary_of

from .enclosing import Enclosing


def run_of(mine, *chosen):
    plan = Plan("smoke", chosen=chosen, lenient=True)
    run = Run("it", plan.tier, plan.seed, DEFAULT_ULPS)
    run_cases(ObjectImplementation(mine), plan, run)
    return summary_of(run)


@pytest.mark.slow
def test_it_conforms():
    mine = Enclosing()
    summary = run_of(mine)
    assert summary.status == CONFORMS
    assert mine.by["doubles"] > mine.by["exact"] > 0  # the vectors are about edges


class WrongEnd(Enclosing):
    """Answers with the end that is not safe."""

    def supremum(self, matrix, epsilon):
        return super().supremum(matrix, epsilon) * (1 - 2.0**-50)


def test_the_desk_would_tell():
    assert run_of(WrongEnd(), "supremum").status == FAILS
