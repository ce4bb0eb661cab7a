"""Algorithms 4 and 5 [algo:gen_L_func, algo:cal_bpl_func]: the loss function on a domain, and leakage from it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..errors import InvalidRequest
from ..levels import Level
from .algorithms_2_3 import PairFunction, top
from .lfp import Subset


@dataclass(frozen=True, slots=True)
class SubFunction:
    """One sub-function of L on a domain: its coefficients and the excess e^α − 1 at which it ends, None for never.

    One entry each of the paper's qArr, dArr and aArr, the last without its logarithm.
    """

    q: Fraction
    d: Fraction
    end: Fraction | None


def algorithm_4(functions: tuple[PairFunction, ...], start: Fraction, end: Fraction) -> list[SubFunction]:
    """Generate the privacy loss function on [a_1, a_m], Algorithm 4 [algo:gen_L_func].

    Args:
        functions: what `algorithm_2` returns.
        start: the excess e^a − 1 of a_1.
        end: the excess e^a − 1 of a_m.

    Returns: the sub-functions in order, exact; empty where L ≡ 0 (no function, or only empty ones). Neighbours may be
    the same function, cut where a third one meets it. For the whole of [0, ∞) see `literal_loss_function`.
    Raises: InvalidRequest unless 0 < start ≤ end.

    Corrected: the top functions at both ends come from Algorithm 3 (as printed from 2); the crossing k, which is 0/0
    where both ends have the same function, is computed only where they differ; the tests of equality are exact.
    """
    if not 0 < start <= end:
        raise InvalidRequest("the domain of Algorithm 4 is [a_1, a_m] with 0 < a_1 <= a_m")
    if not any(function.order for function in functions):
        return []
    return _between(functions, start, end, _top(functions, start), _top(functions, end))


def _between(
    functions: tuple[PairFunction, ...], start: Fraction, end: Fraction, first: Subset, last: Subset
) -> list[SubFunction]:
    if start == end or _value(first, end) == _value(last, end):
        return [SubFunction(first.q, first.d, end)]
    if _value(last, start) == _value(first, start):
        return [SubFunction(last.q, last.d, end)]
    crossing = (last.q + first.d - first.q - last.d) / (first.q * last.d - last.q * first.d)
    middle = _top(functions, crossing)
    return _between(functions, start, crossing, first, middle) + _between(functions, crossing, end, middle, last)


def _top(functions: tuple[PairFunction, ...], excess: Fraction) -> Subset:
    best = top(functions, Level.of_ratio(1 + excess))
    assert best is not None
    return best


def _value(chosen: Subset, excess: Fraction) -> Fraction:
    return (chosen.q * excess + 1) / (chosen.d * excess + 1)


def algorithm_5(function: Sequence[SubFunction], alpha: Level, epsilon: Level) -> Level:
    """Calculate BPL or FPL by L(α), Algorithm 5 [algo:cal_bpl_func].

    Args:
        function: what `algorithm_4` returns.
        alpha: the BPL at t − 1 or the FPL at t + 1, within its domain from above, in nats.
        epsilon: the budget PL_0(M^t), a level in nats.

    Returns: L(alpha) + epsilon, exact. Raises: InvalidRequest for an alpha beyond the domain.

    Corrected: aArr ascends, so the sub-function asked for is the first whose end is at least alpha.
    """
    if not function:
        return epsilon
    k = bisect_left(function, True, key=lambda each: _ends_at_or_after(each, alpha))
    if k == len(function):
        raise InvalidRequest("the level is beyond the domain that the loss function was generated for")
    return alpha.linear_fractional(function[k].q, function[k].d) + epsilon


def _ends_at_or_after(each: SubFunction, alpha: Level) -> bool:
    return each.end is None or alpha.sign_of_linear(-each.end, Fraction(1)) <= 0
