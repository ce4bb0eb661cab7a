"""A whole run: every case is put to the implementation, and every answer to the judge.

The sizes come late: what is too slow for them has answered everything else by then. At last some questions are asked
again.

Requests go out without what is expected of them, one at a time. What is not answered in time again and again is left
alone, so that a run always comes to its end.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from ...contract.operations import OPERATIONS
from ...output.progress import Advance, quietly
from ...system.processor_time import Meter
from ...wire.protocol import Declaration
from ..extents import is_outside
from ..judge.judge import Judge
from ..model import Case, Judgement, ProcessorUse, Result, Run, Verdict
from .budget import budget_of
from .cases import askable, is_about_input, load_vectors
from .implementation import Implementation
from .relations import ask_again, ask_related
from .runner import Plan, Runner, Stopped
from .seeded import seeded_of_each, stepwise_cases
from .sizes import sizes_cases


def run_cases(implementation: Implementation, plan: Plan, run: Run, progress: Advance = quietly) -> None:
    """Go through a run to its end, or to its first failure where the plan says so; `run` is filled on the way.

    An interruption (KeyboardInterrupt) leaves in `run` what was done. Raises: NotAnImplementation where the
    implementation does not start.
    """
    meter = Meter()
    runner = Runner(implementation, plan, run, Judge(run.ulps))
    run.questions, implementation.plainly = plan.questions, plan.lenient
    run.complete, run.whole, run.invalid = False, not plan.chosen, 0 if plan.lenient else None
    try:
        run.declaration = implementation.start()
        _check_declaration(runner, run.declaration)
        declared = run.declaration
        budget = budget_of(plan.tier, declared.operations, plan.questions)
        _ask_all(runner, load_vectors(plan.tier), declared, partial(progress, part="vectors"))
        seeded = seeded_of_each(plan.seed, budget.seeded, declared.numbers, plan.may_ask)
        _ask_all(runner, seeded, declared, partial(progress, part="seeded questions"), sum(budget.seeded.values()))
        if declared.stepwise:
            stepwise = stepwise_cases(plan.seed, budget.seeded, declared.numbers, plan.may_ask)
            _ask_all(runner, stepwise, declared, partial(progress, part="questions with a matrix for each step"))
        if plan.searches:
            from .search import search

            search(runner, declared, partial(progress, part="operations searched"))
        sizes = sizes_cases(plan.seed, budget.sizes, declared.domain, plan.may_ask)
        _ask_all(runner, sizes, declared, partial(progress, part="questions across sizes"), budget.sized)
        ask_related(runner, declared, partial(progress, part="related questions"))
        ask_again(runner, progress)
        run.complete = True
        runner.recall()
    except Stopped:
        run.notes.append("stopped at the first failure")
    finally:
        run.restarts = implementation.restarts
        run.notes += runner.timeouts.notes()
        run.notes += plan.xfails.notes() if run.complete else []
        used = implementation.processor_time()
        run.processor = ProcessorUse(used, meter.own(), meter.others(used or 0.0))
        run.seconds = meter.seconds()


def _check_declaration(runner: Runner, declaration: Declaration) -> None:
    """Keep a wrong result for operations that the contract does not have."""
    unknown = [op for op in declaration.operations if op not in OPERATIONS]
    case = Case("start-declares-operations-of-the-contract", "start", "rational", {}, title="The answer to start.")
    if unknown:
        given = ", ".join(unknown)
        detail = f"it declares operations that the contract does not have: {given}"
        runner.keep(
            Result(
                case,
                Judgement(Verdict.WRONG, place="operations", truth=", ".join(OPERATIONS), given=given, detail=detail),
                expected_failure=runner.plan.xfails.reason(case.id, True),
            )
        )


def _ask_all(
    runner: Runner, drawn: Iterable[Case], declaration: Declaration, progress: Advance, total: int | None = None
) -> None:
    """Ask the chosen cases as the implementation takes them; count those outside its domain, or left out leniently.

    Args: total, about how many there are; without it they are counted first.
    """
    taken = runner.plan.among(asked for case in drawn if (asked := askable(case, declaration)) is not None)
    if total is None:
        taken = list(taken)
        total = len(taken)
    for done, asked in enumerate(taken):
        progress(min(done, total), total)
        if is_outside(asked, declaration.domain):
            runner.run.outside += 1
        elif runner.plan.lenient and is_about_input(asked, runner.judge.session):
            runner.run.invalid = (runner.run.invalid or 0) + 1
        else:
            runner.keep(runner.put(asked))
