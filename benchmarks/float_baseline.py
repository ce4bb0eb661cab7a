"""What people use today, and the exact worst case likewise: Dinkelbach's iteration over all pairs in numpy doubles."""

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


def tight_ratio(entries, ratio, releases):
    """Return e^{BPL − ε} of the worst mechanisms after so many releases as a double, e^ε = ratio throughout."""
    n = len(entries)
    pairs = np.array([(j, k) for j in range(n) for k in range(n) if j != k])
    best = 1.0
    while True:
        u, v = entries[pairs[:, 0]], entries[pairs[:, 1]]
        for release in range(releases):
            weight = np.where(u > best * v, ratio, 1.0)
            u, v = u * weight, v * weight
            if release + 1 < releases:
                u, v = u @ entries, v @ entries
        reached = (u.sum(axis=1) / v.sum(axis=1)).max()
        if reached <= best * (1 + 1e-15):
            return best
        best = reached
