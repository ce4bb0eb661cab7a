"""How uncertain an estimated correlation is: transition matrices drawn from the posterior of the counts.

The prior is symmetric: a Dirichlet distribution over all pairs of states with the parameter s for each. The posterior
is then one with the parameters count + s, so that the rows of both matrices, the columns too, have Dirichlet
distributions whose means are the estimates smoothed by s. A draw is a table of weights; the forward and the
backward matrix are the rows and the columns over their sums: the two belong to one chain, and are exactly rational.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import frexp

import numpy as np

from ..contract.limits import MOST_ADVERSARIES
from ..reference import InvalidRequest, TransitionCounts
from ..reference.errors import check_is
from ..reference.numbers import exact, whole

LEAST_PRIOR = Fraction(1, 10)
"""The least positive s: weights drawn with a smaller one may be too small for doubles."""

MOST_PRIOR = 2**53
"""The greatest s: beside a greater one no count could be told in doubles."""

_BITS = 24
"""Bits of a weight: it is rounded by less than one part in ten million, which no count could tell."""


def drawn_counts(counts: TransitionCounts, prior: Fraction, draws: int, seed: int) -> Iterator[TransitionCounts]:
    """Draw tables of weights from the posterior of counts: correlations, each as plausible as the data make it.

    Args:
        counts: what was seen.
        prior: s of the symmetric Dirichlet prior: 0, where what was never seen is impossible, or at least 1/10.
        draws: how many, at least 1.
        seed: at least 0; the same seed gives the same draws with the same version of numpy.

    Returns: the draws one by one, each with integer weights in place of its transitions.
    Raises: InvalidRequest; what `TransitionCounts.forward` raises of the counts themselves.

    >>> counts = TransitionCounts(("x", "y"), ((7, 2), (3, 6)), (1, 0))
    >>> (drawn,) = drawn_counts(counts, Fraction(1, 2), draws=1, seed=1)
    >>> drawn.states
    ('x', 'y')
    """
    check_is(TransitionCounts, counts, "counts")
    draws, seed = whole(draws, "draws", most=MOST_ADVERSARIES), whole(seed, "seed", least=0)
    prior = exact(prior)
    if prior != 0 and not LEAST_PRIOR <= prior <= MOST_PRIOR:
        raise InvalidRequest(
            f"the smoothing of a posterior is 0 or at least {LEAST_PRIOR}, and at most {MOST_PRIOR}, not {prior}"
        )
    counts.forward(prior)
    if not counts.absorbing:
        counts.backward(prior)
    generator = np.random.default_rng(seed)
    parameters = np.array(counts.transitions, dtype=float) + float(prior)
    for _ in range(draws):
        drawn = generator.standard_gamma(parameters)
        for state in map(counts.states.index, counts.absorbing):
            drawn[state, np.arange(len(drawn)) != state] = 0
        yield TransitionCounts(counts.states, _integers(drawn.tolist()), counts.first, counts.absorbing)


def _integers(weights: list[list[float]]) -> tuple[tuple[int, ...], ...]:
    """Return weights in proportion to these, rounded up to `bits` bits."""
    parts = [[frexp(weight) for weight in row] for row in weights]
    least = min((exponent for row in parts for mantissa, exponent in row if mantissa), default=0)
    return tuple(
        tuple(-int(-mantissa * 2**_BITS // 1) << (exponent - least) if mantissa else 0 for mantissa, exponent in row)
        for row in parts
    )
