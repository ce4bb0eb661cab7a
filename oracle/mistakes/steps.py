"""Mistakes with a matrix for each step: other matrices are used at the steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..contract.operations import may_differ
from ..reference import Leakage, OracleError, TransitionMatrix, composition, leakage
from ..reference.paper.leakage import Losses
from ..reference.paper.own_steps import StepwiseAdversary
from ..reference.stepwise import KnownCorrelation, Stepwise
from .mistake import LEVEL_ABOVE, LEVEL_BELOW, Mistake, WrongNumbers
from .question import WORKED_OUT_RELEASES, Question, loss_of

MOST_STEP_STATES = 12
"""Larger matrices are not worked out."""

OwnMatrices = Stepwise[TransitionMatrix]
KnownOfSteps = Mapping[str, KnownCorrelation]
Changed = Callable[[OwnMatrices, int], OwnMatrices]
"""The matrices that are used, from the right ones and the number of steps."""


def _with(changed: Changed) -> WrongNumbers:
    """Return the right answer for other matrices, the number in question."""

    def gives(question: Question) -> Iterable[float]:
        epsilons, known = question.read.levels.get("epsilons", []), question.read.correlations
        if not question.is_stepwise or not may_differ(question.op) or len(epsilons) > WORKED_OUT_RELEASES:
            return ()
        if max(matrix.n for matrix in question.read.matrices.values()) > MOST_STEP_STATES:
            return ()
        steps = len(epsilons) - 1
        other = {key: changed(own, steps) if isinstance(own, Stepwise) and steps else own for key, own in known.items()}
        try:
            return (level_at(_leakage(question, other), question),)
        except OracleError:
            return ()

    return gives


def _leakage(question: Question, known: KnownOfSteps) -> Leakage:
    if question.op == "worst_case_leakage":
        from ..solvers.worst_case.pairs import fast_worst_case_leakage  # brings numpy

        return fast_worst_case_leakage(question.read.levels["epsilons"], known.get("backward"), known.get("forward"))
    return papers_leakage(question, known)


def papers_leakage(question: Question, known: KnownOfSteps) -> Leakage:
    """Return the leakage by the paper's recursions with these correlations."""
    own = (known.get("backward"), known.get("forward"))
    return leakage(question.read.levels["epsilons"], StepwiseAdversary(*map(_losses, own)))


def _losses(known: KnownCorrelation | None) -> Losses:
    if isinstance(known, Stepwise):
        return Stepwise(tuple(map(loss_of, known.each)), known.repeats)
    return None if known is None else loss_of(known)


def level_at(found: Leakage, question: Question) -> float:
    """Return the level in question."""
    if question.op == "composition":
        first, length = question.window
        return float(composition(found, question.read.levels["epsilons"], first + 1, length))
    return float({"bpl": found.bpl, "fpl": found.fpl, "tpl": found.tpl}[question.kind][question.time])


def _shifted(own: OwnMatrices, steps: int) -> OwnMatrices:
    each = own.each if own.repeats else own.over(steps, "")
    return Stepwise((*each[1:], each[0]), repeats=own.repeats)


_NUMBERS = (*LEVEL_ABOVE, *LEVEL_BELOW)

STEP_MISTAKES = (
    Mistake(
        "first-matrix-throughout",
        "Each step has its own matrix, but the first one is used at all steps.",
        "Use the matrix of each step: M_s leads from release s + 1 to release s (backward), or from s to s + 1 "
        "(forward).",
        _NUMBERS,
        _with(lambda own, _steps: Stepwise(own.each[:1], repeats=True)),
        flags=("OwnSteps",),
    ),
    Mistake(
        "steps-reversed",
        "The matrices of the steps are used in reverse order.",
        "Both lists are in the order of time: BPL_t uses the backward M_(t-1), and FPL_t the forward M_t.",
        _NUMBERS,
        _with(lambda own, steps: Stepwise(own.over(steps, "")[::-1])),
        flags=("StepsInOrder",),
    ),
    Mistake(
        "steps-shifted",
        "Each step uses the matrix of the step after it.",
        "The first matrix is that of the step between releases 1 and 2.",
        _NUMBERS,
        _with(_shifted),
        flags=("StepsShifted",),
    ),
    Mistake(
        "cycle-not-repeated",
        "A cycle of matrices is used once, and its last matrix at all further steps.",
        "In a cycle of m matrices, step s uses the matrix ((s - 1) mod m) + 1.",
        _NUMBERS,
        _with(lambda own, steps: Stepwise((*own.each, *own.each[-1:] * steps)[:steps])),
        flags=("RepeatingSteps",),
    ),
)
"""The mistakes with a matrix for each step."""
