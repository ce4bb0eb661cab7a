"""The exact worst case of two values over an infinite horizon, in closed form: a quadratic surd if e^ε is rational.

All that matters of the likelihoods is x = f(1)/f(2). A release takes it to m·φ(x), φ(x) = (p·x + 1 − p)/(r·x + 1 − r)
with the rows (p, 1 − p) and (r, 1 − r), where m is anything from e^{−ε} to e^ε. Where p ≥ r, φ rises: the greatest x
comes of the greatest before, x ← e^ε·φ(x), which is the paper's own recursion at the point (p, r). Where p < r, φ
falls: the greatest x comes of the least before, and that of the greatest, x ← e^ε·φ(e^{−ε}·φ(x)). Either way x rises
from 1 to the one positive fixed point of a Möbius map, the root of a quadratic.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..correlations import TransitionMatrix
from ..levels import ZERO, Level
from ..paper.supremum import candidate

PAIRS = ((0, 1), (1, 0))


def supremum_of_two(epsilon: Level, matrices: Sequence[TransitionMatrix]) -> Level:
    """Return the supremum of the worst-case TPL (with one matrix: of BPL or FPL), one budget at all times, two values.

    Args: epsilon, finite and above 0; matrices, P^B and P^F or one of them, 2 × 2, under each of which the leakage is
    bounded. Returns: the level, exact. Raises: Undecided.
    """
    return max(
        sum((approached(matrix, pair, epsilon) - epsilon for matrix in matrices), ZERO) + epsilon for pair in PAIRS
    )


def approached(matrix: TransitionMatrix, pair: tuple[int, int], epsilon: Level) -> Level:
    """Return ε + log of the supremum of B_T(j, k) for a pair of two values, one budget at every time. Exact.

    Args: matrix, 2 × 2, under which the leakage is bounded; epsilon, finite and above 0.
    """
    j, k = pair
    p, r = matrix.rows[j][j], matrix.rows[k][j]
    if p >= r:
        return candidate(p, r, epsilon)
    one, both = Fraction(1), p + 1 - r
    return epsilon.positive_root(
        (r * both, r * (one - r)),
        (both * (1 + r - p), 2 * r * (one - r) + (one - r) ** 2 - p**2 - 2 * (one - p) * r, -(one - p) * r),
        (Fraction(0), 1 + r - p, one - p),
    )
