"""What a stream tells an adversary who does not know which of several chains a person's values follow, but has a prior.

The greatest over candidates, Section 3.5 [subsec:discussion], is for adversaries who are each certain of one. The
stream itself may tell which chain it is, and the chain which value: not knowing is no protection. Of chains θ with
Pr(θ | l^t = j) = w_θ(j), each stationary, the likelihood of a stream given l^t = j is Σ_θ w_θ(j)·Pr(stream | j, θ).

Mixture rule. TPL_t ≤ max over θ and pairs (j, k) of TPL_t(θ; j, k) + log w_θ(j)/w_θ(k), for Σ_θ w_θ(j) x_θ(j) ≤
max_θ (w_θ(j)/w_θ(k))·e^{TPL_t(θ; j, k)}·Σ_θ w_θ(k) x_θ(k). It holds for all horizons, and does not grow with them
beyond the chains' own TPL.

Sharper. Integrate the future out first: F_θ(j, k) bounds its ratio given θ, and what is left, H(θ, past), changes by at
most e^{ε_s} with the value at s < t, and by at most e^D with θ, D the sum of the later budgets. Sweep the past of each
chain from c = w_θ(j) F_θ(j, k) P_θ,j − λ w_θ(k) P_θ,k down to W_θ(λ), as in `sweep`: a ratio above λ is impossible
where Σ_θ e^D·W_θ^+ − W_θ^- ≤ 0. With D = ∞ this is the mixture rule; exact for t = T and streams that know θ as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import prod

from ..correlations import Row, TransitionMatrix, check_distribution, stationary
from ..errors import InvalidRequest
from ..levels import Level
from ..paper.leakage import check_sizes
from .sweep import OneSide, worst

MOST_QUESTIONS = 256
"""Sequences of sets that are all tried for the lower bound; of more the chains' own worst and the constant ones."""

_BITS = 80
"""Bits of the ratios e^ε and of bounds, which are rounded to the safe side."""

Chains = Sequence[tuple[TransitionMatrix, TransitionMatrix]]
"""P^B and P^F of each candidate: a stationary chain's, so that P^B is the reversal of P^F."""

CandidateRows = Sequence[tuple[Row, ...]]
"""The rows of one matrix of each candidate."""


@dataclass(frozen=True, slots=True)
class MixtureLeakage:
    """Bounds of TPL at each time to an adversary with a prior. lower: attained by randomized response about sets."""

    lower: tuple[Level, ...]
    upper: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class MixtureQuestions:
    """Sets to ask about, by which odds of two values at a time move by a ratio, without that time's own release.

    pair: the values j and k, from 0. before, after: the sets at the releases before and after, the farthest first.
    """

    ratio: Fraction
    pair: tuple[int, int]
    before: tuple[frozenset[int], ...]
    after: tuple[frozenset[int], ...]


def posteriors(chains: Chains, prior: Sequence[Fraction]) -> list[Row]:
    """Return Pr(θ | l^t = j) for each chain θ and value j, exact. Raises: InvalidRequest as `mixture_leakage`."""
    if len(chains) != len(prior):
        raise InvalidRequest(f"the prior has {len(prior)} probabilities for {len(chains)} candidates")
    check_distribution(prior, "the prior")
    if not all(prior):
        raise InvalidRequest("the prior gives a candidate probability 0: leave it out")
    weights = []
    for (backward, forward), own in zip(chains, prior, strict=True):
        check_sizes(backward, forward)
        check_sizes(backward, chains[0][0])
        share = stationary(forward)
        n = range(forward.n)
        if any(share[j] * forward.rows[j][k] != share[k] * backward.rows[k][j] for j in n for k in n) or not all(share):
            raise InvalidRequest("with a prior each candidate is one stationary chain: its P^B is the reversal of P^F")
        weights.append([own * probability for probability in share])
    totals = [sum(column, Fraction(0)) for column in zip(*weights, strict=True)]
    return [tuple(weight / total for weight, total in zip(row, totals, strict=True)) for row in weights]


def prior_ratio(chains: Chains, prior: Sequence[Fraction]) -> Fraction:
    """Return max over θ, j and k of Pr(θ | l^t = j)/Pr(θ | l^t = k): its log is what not knowing θ costs at most."""
    return max(max(row) / min(row) for row in posteriors(chains, prior))


def mixture_leakage(epsilons: Sequence[Level], chains: Chains, prior: Sequence[Fraction]) -> MixtureLeakage:
    """Return bounds of TPL at each time over all mechanisms with these budgets, to an adversary with a prior.

    Args: epsilons, the budgets, finite; chains, the candidates, in which all values occur; prior, their probabilities,
    above 0. Returns: an *upper* bound, and a *lower* one that some mechanism attains; by exact enumeration of all
    sets where there are few. Raises: InvalidRequest where a candidate is no stationary chain, or sizes differ.
    """
    if any(epsilon.is_infinite for epsilon in epsilons):
        raise InvalidRequest("with a prior, budgets must be finite")
    weights = posteriors(chains, prior)
    bounds = [epsilon.excess_bounds(_BITS) for epsilon in epsilons]
    above, below = [1 + upper for _, upper in bounds], [1 + lower for lower, _ in bounds]
    lower, upper = [], []
    for t in range(len(epsilons)):
        attained, most = Fraction(1), Fraction(1)
        for pair in permutations(range(chains[0][0].n), 2):
            mixture = _Mixture(chains, weights, pair, t, len(epsilons))
            most = max(most, mixture.above(above))
            attained = max(attained, mixture.attained(below).ratio)
        lower.append(Level.of_ratio(_rounded(attained * below[t], up=False)))
        upper.append(Level.of_ratio(_rounded(most * above[t], up=True)))
    return MixtureLeakage(tuple(lower), tuple(upper))


def mixture_questions(
    epsilons: Sequence[Level], time: int, chains: Chains, prior: Sequence[Fraction]
) -> MixtureQuestions:
    """Return the questions that attain the lower bound of `mixture_leakage` at a time, from 1.

    Args and errors: as `mixture_leakage`; chains have two values or more. Returns: the questions; their ratio is exact
    for the budgets' ratios rounded down.
    """
    weights = posteriors(chains, prior)
    below = [1 + epsilon.excess_bounds(_BITS)[0] for epsilon in epsilons]
    pairs = permutations(range(chains[0][0].n), 2)
    found = [_Mixture(chains, weights, pair, time - 1, len(epsilons)).attained(below) for pair in pairs]
    return max(found, key=lambda own: own.ratio)


@dataclass(frozen=True, slots=True)
class _Mixture:
    """Two values at time t of a stream of that many releases; times count from 0."""

    chains: Chains
    weights: Sequence[Row]
    pair: tuple[int, int]
    t: int
    releases: int

    def _split(self, ratios: Sequence[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
        """Return the ratios of the releases before and after, the farthest first."""
        return list(ratios[: self.t]), list(ratios[: self.t : -1])

    def above(self, ratios: Sequence[Fraction]) -> Fraction:
        """Return a bound of the ratio of the two values' likelihoods: the less of two, by either side first."""
        past, future = self._split(ratios)
        backward, forward = ([own[side].rows for own in self.chains] for side in (0, 1))
        return min(self._above(backward, past, forward, future), self._above(forward, future, backward, past))

    def _above(
        self, near: CandidateRows, swept: Sequence[Fraction], far: CandidateRows, whole: Sequence[Fraction]
    ) -> Fraction:
        """Integrate one side out, of matrices `far`, and sweep the other one. Args: the ratios of each."""
        j, k = self.pair
        linked, factors = prod(whole, start=Fraction(1)), [self._worst(rows, whole) for rows in far]
        tops = [row[j] * factor for row, factor in zip(self.weights, factors, strict=True)]
        bottoms = [row[k] for row in self.weights]
        at_least = Fraction(1)
        at_most = max(
            top / bottom * self._worst(rows, swept) for top, bottom, rows in zip(tops, bottoms, near, strict=True)
        )
        while at_most - at_least > Fraction(1, 1 << (_BITS // 2)) * at_least:
            middle = _rounded((at_least + at_most) / 2, up=True)
            each = [
                self._swept(rows, swept, top, middle * bottom)
                for rows, top, bottom in zip(near, tops, bottoms, strict=True)
            ]
            if sum((linked * own if own > 0 else own for own in each), Fraction(0)) <= 0:
                at_most = middle
            else:
                at_least = middle
        return max(at_most, Fraction(1))

    def _worst(self, rows: tuple[Row, ...], ratios: Sequence[Fraction]) -> Fraction:
        """Return the greatest ratio of one chain's side. Exact."""
        found = worst(OneSide((rows,) * len(ratios)), ratios, self.pair) if ratios else None
        return Fraction(1) if found is None else _rational(found.ratio)

    def _swept(self, rows: tuple[Row, ...], ratios: Sequence[Fraction], first: Fraction, second: Fraction) -> Fraction:
        """Return W of a chain, rounded up: Φ and the matrix are monotone, so that rounding up is sound."""
        if not ratios:
            return first - second
        j, k = self.pair
        c = [first * p - second * q for p, q in zip(rows[j], rows[k], strict=True)]
        for s in range(len(ratios) - 1, -1, -1):
            c = [_rounded(ratios[s] * value if value > 0 else value, up=True) for value in c]
            if s:
                columns = zip(*rows, strict=True)
                c = [sum((p * value for p, value in zip(column, c, strict=True)), Fraction(0)) for column in columns]
        return sum(c, Fraction(0))

    def attained(self, ratios: Sequence[Fraction]) -> MixtureQuestions:
        """Return the questions about sets that attain the greatest ratio, of those that are tried. Exact."""
        past, future = self._split(ratios)
        none: frozenset[int] = frozenset()
        best = MixtureQuestions(Fraction(1), self.pair, (none,) * len(past), (none,) * len(future))
        for before, after in self._questions(past, future):
            likelihoods = [
                [
                    _yes(backward.rows, past, before, value) * _yes(forward.rows, future, after, value)
                    for value in self.pair
                ]
                for backward, forward in self.chains
            ]
            top, bottom = (
                sum((row[value] * own[place] for row, own in zip(self.weights, likelihoods, strict=True)), Fraction(0))
                for place, value in enumerate(self.pair)
            )
            if top / bottom > best.ratio:
                best = MixtureQuestions(top / bottom, self.pair, tuple(before), tuple(after))
        return best

    def _questions(
        self, past: Sequence[Fraction], future: Sequence[Fraction]
    ) -> Iterator[tuple[Sequence[frozenset[int]], Sequence[frozenset[int]]]]:
        """Yield sets to ask about at each release before and after: all there are, or those that may be worst."""
        n = self.chains[0][0].n
        sets = [frozenset(a for a in range(n) if number >> a & 1) for number in range(1 << min(n, 6))]
        if len(sets) ** (self.releases - 1) <= MOST_QUESTIONS and n <= 6:
            for asked in product(sets, repeat=self.releases - 1):
                yield asked[: self.t], asked[self.t :]
            return
        for one in sets:
            yield (one,) * len(past), (one,) * len(future)
        for backward, forward in self.chains:
            found = [
                worst(OneSide((rows,) * len(side)), side, self.pair) if side else None
                for rows, side in ((backward.rows, past), (forward.rows, future))
            ]
            before, after = (() if own is None else own.sets for own in found)
            yield before, after


def _yes(rows: tuple[Row, ...], ratios: Sequence[Fraction], sets: Sequence[frozenset[int]], value: int) -> Fraction:
    """Return how likely "yes" to these questions is given the value at the time in question, up to a common factor."""
    f = [Fraction(1)] * len(rows)
    for ratio, inside in zip(ratios, sets, strict=True):
        asked = [ratio * own if a in inside else own for a, own in enumerate(f)]
        f = [sum((p * own for p, own in zip(row, asked, strict=True)), Fraction(0)) for row in rows]
    return f[value]


def _rational(ratio: object) -> Fraction:
    assert isinstance(ratio, Fraction), "budgets are rational here"
    return ratio


def _rounded(value: Fraction, up: bool) -> Fraction:
    scaled = value * (1 << _BITS)
    return Fraction(
        -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator, 1 << _BITS
    )
