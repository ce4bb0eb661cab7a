"""Mistakes with a matrix for each step: others are taken, and with them the answer is right."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from ...contract.losses import loss_function_of
from ...contract.operations import may_differ
from ...reference import Leakage, LossFunction, OracleError, TransitionMatrix, composition, leakage
from ...reference.paper.leakage import Losses
from ...reference.paper.own_steps import StepwiseAdversary
from ...reference.stepwise import KnownCorrelation, Stepwise
from ...wire.numerals import Reader
from ...wire.stepwise import read_correlation
from .clues import LEVEL_ABOVE, LEVEL_BELOW, WORKED_OUT_RELEASES, Cause, Clues
from .features import input_of

Changed = Callable[[Stepwise[TransitionMatrix], int], Stepwise[TransitionMatrix]]
"""What is taken for the matrices of so many steps."""


def first_throughout(own: Stepwise[TransitionMatrix], _steps: int) -> Stepwise[TransitionMatrix]:
    """Return the first matrix for all steps."""
    return Stepwise(own.each[:1], repeats=True)


def turned(own: Stepwise[TransitionMatrix], steps: int) -> Stepwise[TransitionMatrix]:
    """Return the matrices in the opposite order."""
    return Stepwise(own.over(steps, "")[::-1])


def shifted(own: Stepwise[TransitionMatrix], steps: int) -> Stepwise[TransitionMatrix]:
    """Return for each step the matrix of the next; for the last the first."""
    each = own.each if own.repeats else own.over(steps, "")
    return Stepwise((*each[1:], each[0]), repeats=own.repeats)


def not_repeated(own: Stepwise[TransitionMatrix], steps: int) -> Stepwise[TransitionMatrix]:
    """Return matrices that repeat once, and then the last one."""
    return Stepwise((*own.each, *own.each[-1:] * steps)[:steps])


def takes(changed: Changed, clues: Clues) -> bool:
    """Whether an answer is right for other matrices at the steps, and not for those that were sent."""
    if not clues.is_stepwise or not may_differ(clues.op) or len(clues.levels) > WORKED_OUT_RELEASES:
        return False
    read = input_of(clues.case)
    if not read.matrices or max(matrix.n for matrix in read.matrices.values()) > MOST_STEP_STATES:
        return False
    reader, steps = Reader(clues.case.numbers), len(read.levels["epsilons"]) - 1
    known: dict[str, KnownCorrelation] = {}
    for role in ("backward", "forward"):
        if role in clues.case.input:
            own = read_correlation(clues.case.input[role], role, reader.matrix)
            known[role] = changed(own, steps) if isinstance(own, Stepwise) and steps else own
    try:
        return clues.is_answer(_at(_leakage(clues, known), clues))
    except OracleError:
        return False


MOST_STEP_STATES = 12
"""States of a matrix with which an answer is worked out."""


@cache
def _loss(matrix: TransitionMatrix) -> LossFunction:
    return loss_function_of(matrix)


def _leakage(clues: Clues, known: dict[str, KnownCorrelation]) -> Leakage:
    epsilons = input_of(clues.case).levels["epsilons"]
    if clues.op == "tight_leakage":
        from ...solvers.worst_case.pairs import fast_tight_leakage  # brings numpy

        return fast_tight_leakage(epsilons, known.get("backward"), known.get("forward"))
    return leakage(epsilons, StepwiseAdversary(*map(_losses, (known.get("backward"), known.get("forward")))))


def _losses(known: KnownCorrelation | None) -> Losses:
    if isinstance(known, Stepwise):
        return Stepwise(tuple(map(_loss, known.each)), known.repeats)
    return None if known is None else _loss(known)


def _at(found: Leakage, clues: Clues) -> float:
    """Return the level in question."""
    if clues.op == "composition":
        start, length = (int(str(clues.case.input[key])) for key in ("start", "length"))
        return float(composition(found, input_of(clues.case).levels["epsilons"], start, length))
    kind, _, time = clues.place.partition(" ")
    levels = {"bpl": found.bpl, "fpl": found.fpl, "tpl": found.tpl}[kind]
    return float(levels[int(time) - 1])


_NUMBERS = (*LEVEL_ABOVE, *LEVEL_BELOW)

STEP_CAUSES = (
    Cause(
        "first-matrix-throughout",
        "Each step has its own matrix, but the first one is used at all steps.",
        "Use the matrix of each step: M_s leads from release s + 1 to release s (backward), or from s to s + 1 "
        "(forward).",
        _NUMBERS,
        partial(takes, first_throughout),
    ),
    Cause(
        "steps-reversed",
        "The matrices of the steps are used in reverse order.",
        "Both lists are in the order of time: BPL_t uses the backward M_(t-1), and FPL_t the forward M_t.",
        _NUMBERS,
        partial(takes, turned),
    ),
    Cause(
        "steps-shifted",
        "Each step uses the matrix of the step after it.",
        "The first matrix is that of the step between releases 1 and 2.",
        _NUMBERS,
        partial(takes, shifted),
    ),
    Cause(
        "cycle-not-repeated",
        "A cycle of matrices is used once, and its last matrix at all further steps.",
        "In a cycle of m matrices, step s uses the matrix ((s - 1) mod m) + 1.",
        _NUMBERS,
        partial(takes, not_repeated),
    ),
)
"""The mistakes with a matrix for each step."""
