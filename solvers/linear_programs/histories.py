"""The linear program over all event-level private streams, on histories as they were observed: any law of the values.

As `joint`, in doubles and with the multipliers that HiGHS finds, from which `certificates.above_histories` proves both
ends: for laws of which the sweep says nothing, where values have no chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...reference.errors import Undecided
from .highs import HIGHS_SECONDS

Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JointSolution:
    """What HiGHS says, all of it untrusted: odds; the likelihoods; of each time the multipliers of its constraints.

    likelihoods: by the values at all times, an axis for each; multipliers[s][y, v]: of g(y) ≤ e^{ε_s} g(y with v at s).
    """

    odds: float
    likelihoods: Doubles
    multipliers: list[Doubles]


def joint_solution(given_j: Doubles, given_k: Doubles, factors: Sequence[float]) -> JointSolution:
    """Seek the greatest Σ P_j g with Σ P_k g = 1. Args: both laws, an axis for each time; factors, e^{ε_s}.

    Raises: Undecided where HiGHS comes to no end; ImportError without highspy.
    """
    import highspy

    shape, size = given_j.shape, given_j.size
    place = np.arange(size).reshape(shape)
    n = shape[0]
    one, other, ratio = [], [], []
    for s, factor in enumerate(factors):
        for v in range(n):
            moved = np.broadcast_to(np.take(place, [v], axis=s), shape)
            one.append(place.ravel())
            other.append(moved.ravel())
            ratio.append(np.full(size, factor))
    y, y_moved, factor_of = map(np.concatenate, (one, other, ratio))
    is_row = y != y_moved
    rows = int(is_row.sum())
    normalised = np.flatnonzero(given_k.ravel())
    both = np.stack([y[is_row], y_moved[is_row]], axis=1).ravel()
    entries = np.stack([np.ones(rows), -factor_of[is_row]], axis=1).ravel()
    bounds = np.full(rows, -highspy.kHighsInf), np.zeros(rows)
    one_row = np.zeros(1, dtype=np.int32)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("time_limit", HIGHS_SECONDS)
    highs.setOptionValue("threads", 1)
    highs.addVars(size, np.zeros(size), np.full(size, highspy.kHighsInf))
    highs.changeColsCost(size, np.arange(size, dtype=np.int32), given_j.ravel())
    highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
    starts = np.arange(0, 2 * rows, 2, dtype=np.int32)
    highs.addRows(rows, *bounds, 2 * rows, starts, both.astype(np.int32), entries)
    weights = given_k.ravel()[normalised]
    highs.addRows(1, np.ones(1), np.ones(1), len(normalised), one_row, normalised.astype(np.int32), weights)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise Undecided(f"HiGHS found no best stream on {size} histories: {highs.getModelStatus()}")
    solution = highs.getSolution()
    duals = np.zeros(len(y))
    duals[is_row] = np.abs(np.array(solution.row_dual)[:rows])
    by_time = np.split(duals, len(factors))
    return JointSolution(
        float(abs(solution.row_dual[rows])),
        np.array(solution.col_value).reshape(shape),
        [np.stack(np.split(each, n), axis=-1).reshape(*shape, n) for each in by_time],
    )
