"""The matrices of the experiments."""

import random
from fractions import Fraction

from tploracle.reference import TransitionMatrix, smooth, strongest

LARGEST_WEIGHT = 1000


def random_matrix(n, seed):
    """Return n rows of random whole weights from 1 to 1000, each over its own sum; exact, the same for a seed."""
    source = random.Random(f"{seed}/{n}")
    rows = []
    for _ in range(n):
        weights = [source.randint(1, LARGEST_WEIGHT) for _ in range(n)]
        rows.append(tuple(Fraction(weight, sum(weights)) for weight in weights))
    return TransitionMatrix(tuple(rows))


def smoothed(n, s):
    """Return the strongest correlation of n states made more uniform, Eq. [eq:laplace_smoothing]; s as text. Exact."""
    return smooth(strongest(n), Fraction(s))
