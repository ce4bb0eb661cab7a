"""The paper's recursions for a chain whose steps differ: a loss function for each, and one period as one step.

BPL_t = L_{t−1}(BPL_{t−1}) + ε_t holds as Eq. [eq:bpl_f] does, with the loss function of the step in between.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import reduce
from math import lcm

from flint import arb

from ..errors import InvalidRequest
from ..formulas import Polynomial, ball_of, plus, times, value_of
from ..levels import INFINITE, Level
from ..stepwise import Stepwise
from ..surds import sign
from .leakage import Adversary, Losses, apply, each_loss, losses_over, maximum
from .loss import Coefficients, LossFunction, Piece


class StepwiseAdversary(Adversary):
    """An adversary who knows a correlation with a matrix for each step between releases.

    `leakage` and what goes by it take one for an adversary. Where there must be one loss function for all steps, this
    one refuses by name: `backward` and `forward` raise InvalidRequest.
    """

    __slots__ = ("_known",)
    _known: tuple[Losses, Losses]

    def __init__(self, backward: Losses = None, forward: Losses = None) -> None:
        """Take L^B and L^F of each step, or of all, None for a correlation that is not known.

        Raises: InvalidRequest for those of matrices of different sizes.
        """
        object.__setattr__(self, "_known", (backward, forward))
        found: dict[str, int] = {}
        for name, loss in zip(("backward", "forward"), self.losses, strict=True):
            for own in each_loss(loss):
                found.setdefault(name, own.matrix.n)
                if own.matrix.n != found[name]:
                    raise InvalidRequest(f"{name}: the matrices differ in size")
        if len(set(found.values())) > 1:
            raise InvalidRequest(
                f"the backward matrices have {found['backward']} states, the forward ones {found['forward']}"
            )

    @property
    def losses(self) -> tuple[Losses, Losses]:
        """L^B and L^F of each step, or of all."""
        return self._known

    @property
    def backward(self) -> LossFunction | None:
        """Raise InvalidRequest: there is not one for all steps."""
        raise InvalidRequest(NOT_ONE_STEP)

    @property
    def forward(self) -> LossFunction | None:
        """Raise InvalidRequest, as `backward`."""
        raise InvalidRequest(NOT_ONE_STEP)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StepwiseAdversary) and self.losses == other.losses

    def __hash__(self) -> int:
        return hash(self.losses)


NOT_ONE_STEP = "the correlation has a matrix for each step, and this question is about one matrix for all steps"


def periodic_suprema(cycle: Stepwise[LossFunction], epsilon: Level, is_forward: bool = False) -> tuple[Level, ...]:
    """Return what BPL or FPL rises to with one budget at every time, where the steps repeat: one period as one step.

    From a time to the one a period later E = e^α − 1 goes through one piece of each step, E ↦ (a·E + b)/(c·E + e): the
    greatest of these maps over all choices of pieces. Each lies above the diagonal at 0 and is concave, as a product of
    such steps, so that it crosses the diagonal once, and what BPL rises to is the greatest of the crossings; there is
    none where c = 0 and a ≥ e. The pieces that rule at a crossing are followed until they are those it was made of.

    Args:
        cycle: L_1, …, L_m of the steps from a time 1, 2, …, m to the next; of a backward correlation, or a forward one.
        epsilon: the budget at every time, a level in nats.
        is_forward: whether it is about FPL.

    Returns: m levels, of the times 1, m + 1, … first; exact. Raises: InvalidRequest for steps that do not repeat;
    Undecided.
    """
    if not cycle.repeats:
        raise InvalidRequest("a supremum over all horizons needs steps that repeat")
    order = cycle.each[::-1] if is_forward else cycle.each
    start = _crossing(order, epsilon)
    found = [start]
    for loss in order[:-1]:
        found.append(epsilon + loss(found[-1]))
    return tuple(found[:1] + found[:0:-1]) if is_forward else tuple(found)


def periodic_suprema_of(adversary: StepwiseAdversary, epsilon: Level) -> tuple[Level, Level, Level]:
    """Return the suprema of BPL and FPL under one budget at all times, and what TPL stays below: of steps that repeat.

    Args:
        adversary: with loss functions that repeat, or one for all steps; the first is the first of both.
        epsilon: the budget at every time, a level in nats.

    Returns: the greatest over the period's times, exact. Raises: as `periodic_suprema`.
    """
    backward, forward = (
        Stepwise((loss,), repeats=True) if isinstance(loss, LossFunction) else loss for loss in adversary.losses
    )
    period = lcm(*(len(cycle.each) for cycle in (backward, forward) if cycle is not None))

    def rises_to(cycle: Stepwise[LossFunction] | None, is_forward: bool) -> tuple[Level, ...]:
        found = (epsilon,) if cycle is None else periodic_suprema(cycle, epsilon, is_forward)
        return found * (period // len(found))

    bpl, fpl = rises_to(backward, False), rises_to(forward, True)
    past, future = losses_over(backward, period, "backward"), losses_over(forward, period, "forward")
    tpl = [bpl[time] + apply(loss, fpl[(time + 1) % period]) for time, loss in enumerate(future)]
    numbers: dict[Coefficients | None, int] = {}
    before, after = (
        [numbers.setdefault(None if loss is None else loss.coefficients, len(numbers)) for loss in side]
        for side in (past[::-1], future)
    )
    from_past = [_from(before, period - time) for time in range(period)]
    from_future = [_from(after, time) for time in range(period)]
    keeps = [all(loss is not None and loss.is_identity for loss in step) for step in zip(past, future, strict=True)]

    def both(time: int) -> frozenset[tuple[int, ...]]:
        """Return what decides TPL; where the next step loses nothing, TPL is that of the next time."""
        for _ in range(period):
            time = (time + keeps[time]) % period
        return frozenset((from_past[time], from_future[time]))

    return (
        _greatest(from_past, bpl),
        _greatest(from_future, fpl),
        _greatest([both(time) for time in range(period)], tpl),
    )


def _from(numbers: Sequence[int], first: int) -> tuple[int, ...]:
    """Return the loss functions of a period, by number, from one on: they decide what comes from this side."""
    return (*numbers[first:], *numbers[:first])


def _greatest(keys: Sequence[Hashable], levels: Sequence[Level]) -> Level:
    """Return the greatest level; those of equal keys are equal, whatever their formulas. Raises: Undecided."""
    return maximum(dict(zip(keys, levels, strict=True))).level


def _crossing(losses: Sequence[LossFunction], epsilon: Level) -> Level:
    """Return where the leakage stays from one period to the next, ∞ where it does not; losses, in order of use."""
    if epsilon.is_zero or epsilon.is_infinite:
        return epsilon
    if any(loss.is_zero for loss in losses):  # what is before it does not count
        return reduce(lambda level, loss: epsilon + loss(level), losses, epsilon)
    level, before = epsilon, None
    while True:
        pieces, now = [], level
        for loss in losses:
            pieces.append(loss.piece_at(now))
            now = epsilon + loss(now)
        if pieces == before:
            return level
        a, b, c, e = reduce(_after, (_step(piece) for piece in pieces))
        slope = plus(e, times((Fraction(-1),), a))
        if not any(c) and _sign(slope, epsilon) <= 0:
            return INFINITE
        before, level = pieces, epsilon.positive_root(c, slope, b)


Mobius = tuple[Polynomial, Polynomial, Polynomial, Polynomial]
"""a, b, c, e of E ↦ (a·E + b)/(c·E + e): polynomials in x = e^ε − 1."""


def _step(piece: Piece) -> Mobius:
    """Return the step of one piece, E ↦ (1 + x)·(q·E + 1)/(d·E + 1) − 1."""
    return (piece.q - piece.d, piece.q), (Fraction(0), Fraction(1)), (piece.d,), (Fraction(1),)


def _after(first: Mobius, then: Mobius) -> Mobius:
    """Return one map after another."""
    (a, b, c, e), (p, q, r, s) = first, then
    return (
        plus(times(p, a), times(q, c)),
        plus(times(p, b), times(q, e)),
        plus(times(r, a), times(s, c)),
        plus(times(r, b), times(s, e)),
    )


def _sign(own: Polynomial, epsilon: Level) -> int:
    """Return the sign of a polynomial at e^ε − 1. Exact."""

    def by_ball(excess: arb) -> int:
        value = reduce(lambda total, x: total * excess + ball_of(x), reversed(own), arb(0))
        return int(value > 0) - int(value < 0)

    return epsilon.sign_of(by_ball, lambda excess: sign(value_of(own, excess)))
