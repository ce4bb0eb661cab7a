"""The supremum of backward or forward leakage over time, Theorem 11 [thm:sup] and Algorithm 6 [algo:findSup].

With a budget ε at every time, BPL_t rises to the least level α with α = L(α) + ε. For one point (q, d), q > d, this is
d·E² + (1 + d − q·e^ε)·E − (e^ε − 1) = 0 in the excess E = e^α − 1, which has one positive root; there is none where
d = 0 and q·e^ε ≥ 1. The map of each point lies above the diagonal at α = 0 and is concave in e^α, so it crosses once,
and the supremum is the greatest of the points' roots.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ..errors import InfeasibleBudget, InvalidRequest
from ..levels import INFINITE, ZERO, Budget, Level
from ..numbers import whole
from .algorithms_2_3 import PairFunction
from .lfp import Subset
from .loss import LossFunction, Piece

MOST_STEPS = 10**15
"""`steps_within` refuses to look further than this."""


@dataclass(frozen=True, slots=True)
class Supremum:
    """The supremum of BPL (or FPL) under one budget at every time.

    level: exact: a surd over the field of e^ε, or ∞. q, d: the coefficients that rule at the supremum itself.
    witness: the rows and columns they are the sums of; None where L ≡ 0.

    >>> from tploracle import loss_function, paper_bound_supremum
    >>> found = paper_bound_supremum(loss_function([["4/5", "1/5"], ["0", "1"]]), "1/10")
    >>> found.q, found.d
    (Fraction(4, 5), Fraction(0, 1))
    """

    level: Level
    q: Fraction
    d: Fraction
    witness: Subset | None


def candidate(q: Fraction, d: Fraction, epsilon: Level) -> Level:
    """Return the supremum if one point (q, d) ruled everywhere, Theorem 11 [thm:sup].

    Args: 1 ≥ q ≥ d ≥ 0; epsilon, the budget at every time. Returns: the level, exact, ∞ included. Raises: Undecided.

    Corrected: the second case needs ε < log(1/q) strictly (at equality the recursion grows without bound); q = d gives
    ε, q = d = 0 included; the linear coefficient of the quadratic in the proof has the other sign.
    """
    if epsilon.is_zero or epsilon.is_infinite or q == d:
        return epsilon
    if d == 0 and epsilon.sign_of_linear(1 - q, -q) <= 0:
        return INFINITE
    return epsilon.positive_root((d,), (1 + d - q, -q), (Fraction(0), Fraction(1)))


def supremum(loss: LossFunction, epsilon: Level) -> Supremum:
    """Return the supremum of BPL or FPL with budget epsilon at every time, Theorem 11 [thm:sup].

    Args:
        loss: L^B or L^F.
        epsilon: the budget at every time, a level in nats.

    Returns: the supremum, exact, with its witness. Raises: Undecided.

    Corrected: (q, d) is optimal at the supremum itself, not at the first step. The piece is found without solving: it
    is the first at whose end α the recursion no longer rises, ε ≤ α − L(α).
    """
    for piece in loss.pieces[:-1]:
        if _holds(piece, epsilon):
            return _at(piece, epsilon)
    return _at(loss.pieces[-1], epsilon)


def _holds(piece: Piece, epsilon: Level) -> bool:
    """Whether e^ε ≤ A/e^{L(A)} at the end A of a piece that ends. Exact."""
    assert piece.stop is not None
    end = 1 + piece.stop
    highest = end * (piece.d * piece.stop + 1) / (piece.q * piece.stop + 1) - 1
    return epsilon.sign_of_linear(-highest, Fraction(1)) <= 0


def _at(piece: Piece, epsilon: Level) -> Supremum:
    return Supremum(candidate(piece.q, piece.d, epsilon), piece.q, piece.d, piece.witness)


def algorithm_6(functions: tuple[PairFunction, ...], epsilon: Level) -> Supremum:
    """Find the supremum of BPL or FPL over all the entries of qM and dM, Algorithm 6 [algo:findSup].

    Args:
        functions: what `algorithm_2` returns.
        epsilon: the budget at every time, a level in nats.

    Returns: the greatest candidate, the first where several are; exact. Raises: Undecided.

    Corrected: starts from ε, which is the supremum where no two rows differ (as printed, from 0).
    """
    best = Supremum(epsilon, Fraction(0), Fraction(0), None)
    for function in functions:
        for size in range(1, len(function.order) + 1):
            q, d = function.q_sums[size - 1], function.d_sums[size - 1]
            level = candidate(q, d, epsilon)
            if best.level < level:
                indices = tuple(sorted(function.order[:size]))
                best = Supremum(level, q, d, Subset(function.row_q, function.row_d, indices, q, d))
    return best


def largest_budget(loss: LossFunction, cap: Level) -> Budget:
    """Return the greatest constant budget whose supremum is at most a cap: ε = α − L(α).

    Args:
        loss: L^B or L^F.
        cap: the level α that the supremum must not exceed, in nats.

    Returns: the budget, exact; ∞ for an infinite cap that any budget keeps.
    Raises: InfeasibleBudget where only a budget of 0 keeps the cap; Undecided.
    """
    return control(loss, cap, cap)


def control(loss: LossFunction | None, previous: Level, cap: Level) -> Budget:
    """Return the budget that may be spent now so that BPL stays within a cap: ε_t = cap − L^B(BPL_{t−1}).

    Args:
        loss: L^B; None where it is not known.
        previous: BPL_{t−1}, 0 before the first release, in nats.
        cap: the level that BPL must not exceed, in nats.

    Returns: the budget, exact and positive: spent, it makes BPL_t equal to the cap.
    Raises: InfeasibleBudget where nothing is left to spend; Undecided.
    """
    return left_below(cap, ZERO if loss is None or cap.is_infinite else loss(previous))


def left_below(cap: Level, carried: Level) -> Budget:
    """Return the budget that takes what is carried over to a cap: cap − carried. Exact. Raises: as `control`."""
    if cap.is_infinite:
        return INFINITE.to_spend()
    if carried >= cap:
        raise InfeasibleBudget("nothing is left to spend: what earlier releases carry over already reaches the cap")
    return (cap - carried).to_spend()


def leakage_at(loss: LossFunction, epsilon: Level, time: int) -> Level:
    """Return BPL_t with budget epsilon at every time, for any t, in closed form piece by piece.

    While one piece rules, t steps are the t-th power of one 2 × 2 matrix; the times at which the leakage passes from a
    piece to the next are found by bisection.

    Args:
        loss: L^B or L^F.
        epsilon: the budget at every time, a level in nats.
        time: t ≥ 1.

    Returns: the level, exact as a formula. Raises: InvalidRequest for a time below 1; Undecided.
    """
    time = whole(time, "time")
    level, now = epsilon, 1
    while now < time and not level.is_infinite:
        piece = loss.piece_at(level)
        steps = _steps_inside(piece, level, epsilon, time - now)
        level, now = level.iterated(epsilon, piece.q, piece.d, steps), now + steps
    return level


def _steps_inside(piece: Piece, level: Level, epsilon: Level, most: int) -> int:
    """Return how many of at most `most` steps, at least one, start inside the piece."""
    if piece.stop is None:
        return most
    end = Level.of_ratio(1 + piece.stop)
    return _first(lambda steps: level.iterated(epsilon, piece.q, piece.d, steps) > end, most)


def _first(holds: Callable[[int], bool], most: int) -> int:
    """Return the first number from 1 at which a condition that stays true becomes true, or `most`."""
    reach = 1
    while reach < most and not holds(reach):
        reach *= 2
    low, high = reach // 2, min(reach, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def steps_within(loss: LossFunction, epsilon: Level, delta: Level) -> int:
    """Return the first time t at which BPL_t is within delta of its supremum, with budget epsilon at every time.

    Args:
        loss: L^B or L^F.
        epsilon: the budget at every time, a level in nats.
        delta: a positive level.

    Returns: t, exact.
    Raises: InvalidRequest where there is no finite supremum or delta is 0, or t is beyond `MOST_STEPS`; Undecided.
    """
    limit = supremum(loss, epsilon).level
    if limit.is_infinite:
        raise InvalidRequest(
            "the paper's bound grows without bound: it has no supremum; the exact worst case may be finite"
        )
    if delta.is_zero:
        raise InvalidRequest("the supremum is approached but not reached: give a distance above 0")
    if delta >= limit:
        return 1
    target = limit - delta
    time = _first(lambda t: leakage_at(loss, epsilon, t) >= target, MOST_STEPS)
    if time == MOST_STEPS:
        raise InvalidRequest(f"the supremum is not approached within {MOST_STEPS} steps")
    return time
