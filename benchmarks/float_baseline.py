"""What people use today: Dinkelbach's iteration over all pairs of rows in numpy doubles."""

import numpy as np


def loss_ratio(entries, excess):
    """Return e^{L(α)} as a double, for a matrix of doubles and the excess e^α − 1."""
    ratio = 1.0
    while True:
        best = ratio
        for d_row in entries:
            chosen = entries > ratio * d_row
            q = (entries * chosen).sum(axis=1)
            d = chosen @ d_row
            best = max(best, ((q * excess + 1) / (d * excess + 1)).max())
        if best <= ratio * (1 + 1e-15):
            return best
        ratio = best


def backward_leakage(entries, epsilon, steps):
    """Return BPL at each step as doubles, one budget throughout."""
    levels = [epsilon]
    for _ in range(steps - 1):
        levels.append(epsilon + np.log(loss_ratio(entries, np.expm1(levels[-1]))))
    return levels
