"""What each release of a stream may tell: (ε, δ), Gaussian noise or a ρ, as trade-off functions from both sides.

Where e^ε is rational, φ is itself piecewise linear with rational kinks. A transcendental e^ε is enclosed by rationals,
and φ with it: δ(α) rises with φ. Of Gaussian noise with μ = sensitivity / standard deviation φ(u) = Φ(Φ^−1(u) + μ)
(Dong, Roth, Su, arXiv:1905.02383); its points at a distance h of z = Φ^−1(u) lie on a grid that φ maps to itself, where
μ is a multiple of h. Chords between them are below φ. Chords of a slightly greater μ are above it: that of
slope s where no line of that slope touches φ above it, the touching one at z = −log(s)/μ − μ/2 (`_is_above`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import pairwise
from math import ceil, floor, gcd, isqrt, lcm
from operator import add, mul

from flint import arb, ctx

from ..correlations import exact_number
from ..decimals import fraction_to_text
from ..errors import InvalidLevel, InvalidRequest
from ..formulas import ball_of, dyadic
from ..levels import INFINITE, ZERO, Level
from .concentrated import concentrated
from .trade_off import IGNORED, ONE, ZERO_CHANCE, ChancePoint, TradeOff, through

FARTHEST_Z = 8
"""The points of the grid of Gaussian noise are Φ(z) for z from −8 to 8: beyond that, chances are below 1e-15."""

COARSEST_Z = Fraction(1, 32)
"""At most so far apart are their z."""

LEAST_COMMON_Z = Fraction(1, 125)
"""At least so far apart; one μ alone that is less is raised; of several that nothing else divides there is no grid."""

LEAST_MU = Fraction(1, 10**24)
"""A lesser μ is enclosed between φ(u) = u and this one: to `GAUSSIAN_BITS` its own points could not be told from u."""

GRAIN = Fraction(1, 1 << 40)
"""Relative reduction of a spacing, or of μ, where points must lie below φ: greater than their rounding."""

GAUSSIAN_BITS = 192
"""Bits to which points of that grid are computed."""

SUMMED_DIGITS = 30
"""Digits to which a sum of ε without an exact notation, and an ε in place of which a ρ stands, are rounded up."""


@dataclass(frozen=True, slots=True)
class ApproximateBudget:
    """(ε, δ)-differential privacy at event level.

    epsilon: a level; delta: a probability, 0 for pure ε, exact: an integer, `Fraction` or text.
    Raises: InvalidLevel for an epsilon that is no `Level`; InvalidNumber for a δ that is a float; InvalidRequest for
    one that is no probability.
    """

    epsilon: Level
    delta: Fraction = ZERO_CHANCE

    def __post_init__(self) -> None:
        if not isinstance(self.epsilon, Level):
            raise InvalidLevel(f"epsilon: {self.epsilon!r} is not a Level; `parse_level` and `Level.of` make one")
        object.__setattr__(self, "delta", exact_number(self.delta, "delta"))
        if not 0 <= self.delta <= 1:
            raise InvalidRequest(f"δ of a release is a probability, not {fraction_to_text(self.delta)}")

    @property
    def is_exact(self) -> bool:
        """Whether φ is piecewise linear with rational kinks."""
        return self.epsilon.is_infinite or isinstance(self.epsilon.ratio, Fraction)

    def enclosed(self, bits: int) -> tuple[TradeOff, TradeOff]:
        """Return φ from below and from above.

        Args:
            bits: the precision to which e^ε − 1 is enclosed where it is transcendental.

        Returns: two functions, the same where `is_exact`.
        """
        if self.epsilon.is_infinite:
            return (TradeOff.approximate(ONE, ONE),) * 2
        low, high = self.epsilon.excess_bounds(bits) if self.epsilon.rational != 0 else (ZERO_CHANCE, ZERO_CHANCE)
        found = [TradeOff.approximate(1 + excess, self.delta).symmetric() for excess in dict.fromkeys((low, high))]
        return found[0], found[-1]


@dataclass(frozen=True, slots=True)
class GaussianBudget:
    """Gaussian noise at event level: its standard deviation σ, and the sensitivity Δ; it is μ-Gaussian, μ = Δ/σ.

    sensitivity: how far all noiseless answers together move in Euclidean distance where one value is replaced. Both are
    exact: integers, `Fraction`s or texts. Raises: InvalidNumber for a float; InvalidRequest unless both are above 0,
    and μ at most `FARTHEST_Z`.

    >>> GaussianBudget(Fraction(5), Fraction(1)).sigma
    Fraction(5, 1)
    """

    sigma: Fraction
    sensitivity: Fraction = ONE

    def __post_init__(self) -> None:
        for name in ("sigma", "sensitivity"):
            object.__setattr__(self, name, exact_number(getattr(self, name), name))
            if getattr(self, name) <= 0:
                raise InvalidRequest(
                    f"{name} of Gaussian noise is above 0, not {fraction_to_text(getattr(self, name))}"
                )
        if self.mu > FARTHEST_Z:
            raise InvalidRequest(
                f"sigma of Gaussian noise is at least 1/{FARTHEST_Z} of the sensitivity here: less hides almost nothing"
            )

    @property
    def mu(self) -> Fraction:
        """Return μ = Δ/σ."""
        return self.sensitivity / self.sigma


@dataclass(frozen=True, slots=True)
class ConcentratedBudget:
    """ρ-zero-concentrated differential privacy at event level (Bun, Steinke, arXiv:1605.02065).

    rho: exact: an integer, `Fraction` or text; 0 tells nothing. Raises: InvalidNumber for a float; InvalidRequest
    for a negative one.

    >>> ConcentratedBudget(Fraction(1, 50)).rho
    Fraction(1, 50)
    """

    rho: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", exact_number(self.rho, "rho"))
        if self.rho < 0:
            raise InvalidRequest(f"rho of zero-concentrated privacy is at least 0, not {fraction_to_text(self.rho)}")


PrivacyBudget = ApproximateBudget | GaussianBudget | ConcentratedBudget
"""What a release may tell."""


def together(budgets: Sequence[PrivacyBudget]) -> PrivacyBudget:
    """Return a budget that releases about one value keep together, each with noise of its own.

    One may read the outputs of the others.
    ε add up, and 1 − δ are multiplied; of Gaussian noise μ² add up, and of ρ these; μ is rounded up. Where noise or a ρ
    stands beside pure ε, each is a ρ: μ²/2, and ε²/2 (Bun, Steinke, Propositions 1.4 and 1.6).

    Raises: InvalidRequest for noise or a ρ beside a δ.
    """
    told = [budget for budget in budgets if key_of(budget) != TELLS_NOTHING]
    if len(told) < 2:
        return told[0] if told else ApproximateBudget(ZERO)
    plain = [budget for budget in told if isinstance(budget, ApproximateBudget)]
    epsilon = reduce(add, (budget.epsilon for budget in plain), ZERO)
    square = sum((budget.mu**2 for budget in told if isinstance(budget, GaussianBudget)), ZERO_CHANCE)
    rho = sum((budget.rho for budget in told if isinstance(budget, ConcentratedBudget)), ZERO_CHANCE)
    if len(plain) == len(told):
        kept = reduce(mul, (1 - budget.delta for budget in plain))
        return ApproximateBudget(epsilon if epsilon.exact_text else Level.of(_above_level(epsilon)), 1 - kept)
    if any(budget.delta for budget in plain):
        raise InvalidRequest(
            "(ε, δ) with a δ above 0 does not add up with Gaussian noise or a ρ of the same time: give the budget that "
            "they keep together as one release"
        )
    if epsilon.is_infinite:
        return ApproximateBudget(INFINITE)
    if square and not (plain or rho):
        return GaussianBudget(ONE, _root_above(square))
    return ConcentratedBudget(rho + square / 2 + _above_level(epsilon) ** 2 / 2)


def _above_level(epsilon: Level) -> Fraction:
    return ZERO_CHANCE if epsilon.is_zero else Fraction(epsilon.enclosure(SUMMED_DIGITS).upper)


def _root_above(square: Fraction) -> Fraction:
    """Return the root of a square, or a number above it by at most 2^−64 of it."""
    product = square.numerator * square.denominator
    shift = max(0, 65 - product.bit_length() // 2)
    root = isqrt(product << 2 * shift)
    return Fraction(root + (root * root < product << 2 * shift), square.denominator << shift)


@dataclass(frozen=True, slots=True)
class Enclosed:
    """The φ of some releases, each from below and from above; is_exact: whether both are φ itself."""

    lower: tuple[TradeOff, ...]
    upper: tuple[TradeOff, ...]
    is_exact: bool


def enclosed(budgets: Sequence[PrivacyBudget], bits: int, on_one_grid: bool = False) -> Enclosed:
    """Return the φ of budgets from below and from above; equal budgets get the same function.

    Args: bits, of what is enclosed; on_one_grid, whether Gaussian noise is on a grid that φ maps to itself even if μ is
    rounded for that, down and up.
    """
    distinct: dict[object, PrivacyBudget] = {key_of(budget): budget for budget in budgets}
    mus = {budget.mu for budget in distinct.values() if isinstance(budget, GaussianBudget)}
    least = set() if on_one_grid else {mu for mu in mus if mu < LEAST_MU}
    rhos = {budget.rho for budget in distinct.values() if isinstance(budget, ConcentratedBudget)} - {0}
    others = {key: budget for key, budget in distinct.items() if isinstance(budget, ApproximateBudget)}
    found: dict[object, tuple[TradeOff, TradeOff]] = {TELLS_NOTHING: (IGNORED, IGNORED)}
    found |= {key: _approximate(budget, bits) for key, budget in others.items()}
    found |= {("ρ", rho): concentrated(rho) for rho in rhos}
    found |= {mu: (IGNORED, _above(LEAST_MU)) for mu in least}
    if mus > least:
        found |= _gaussians(tuple(sorted(mus - least)), on_one_grid)
    sides = [found[key_of(budget)] for budget in budgets]
    is_exact = not (mus or rhos) and all(budget.is_exact for budget in others.values())
    return Enclosed(tuple(low for low, _ in sides), tuple(high for _, high in sides), is_exact)


@lru_cache(maxsize=1 << 8)
def _approximate(budget: ApproximateBudget, bits: int) -> tuple[TradeOff, TradeOff]:
    return budget.enclosed(bits)


TELLS_NOTHING = ("0", ZERO_CHANCE)
"""Of budgets that tell nothing."""


def key_of(budget: PrivacyBudget) -> object:
    """Return what equal budgets have in common, and no others. Raises: InvalidLevel for a computed ε."""
    if isinstance(budget, GaussianBudget):
        return budget.mu
    if isinstance(budget, ConcentratedBudget):
        return ("ρ", budget.rho) if budget.rho else TELLS_NOTHING
    text = budget.epsilon.exact_text
    if text is None:
        raise InvalidLevel("ε of a release is a number of nats, log(RATIO) or inf")
    return text, budget.delta


def are_equal(budgets: Iterable[PrivacyBudget]) -> bool:
    """Return whether all are one budget. Raises: as `key_of`."""
    return len({*map(key_of, budgets)}) <= 1


@lru_cache(maxsize=64)
def _gaussians(mus: tuple[Fraction, ...], on_one_grid: bool) -> dict[object, tuple[TradeOff, TradeOff]]:
    """Return φ of each μ from below and from above, all on one grid of z of one spacing for each of the two.

    Where no spacing divides all of them, those from above have grids of their own; from below,
    several are rounded down to multiples of one spacing, so that they commute, unless that leaves nothing of one.
    """
    common = Fraction(gcd(*(mu.numerator for mu in mus)), lcm(*(mu.denominator for mu in mus)))
    common /= ceil(common / COARSEST_Z)
    if common < LEAST_COMMON_Z and on_one_grid:
        common = LEAST_COMMON_Z if len(mus) == 1 else COARSEST_Z / 2
    elif common < LEAST_COMMON_Z:
        own = {mu: (_beside(mu, -GRAIN), _above(mu)) for mu in mus}
        common = COARSEST_Z / 2
        below = _points(common * (1 - GRAIN))
        is_shared = len(mus) > 1 and mus[0] >= common
        return {mu: (_lower(below, common, mu) if is_shared else own[mu][0], own[mu][1]) for mu in mus}
    below = _points(common * (1 - GRAIN))
    # a chord of spacing h is below φ by at most what a μ greater by h²/8 of itself adds
    slack = GRAIN + common * common / 8
    while True:
        spacing = common * (1 + slack)
        above = _points(spacing)
        uppers = {mu: through(_moved(above, ceil(mu / common)), drawn_out=True) for mu in mus}
        if all(_is_above(phi, mu) for mu, phi in uppers.items()):
            break
        slack *= Fraction(5, 4)
    return {mu: (_lower(below, common, mu), uppers[mu]) for mu in mus}


def _lower(points: Sequence[Fraction], common: Fraction, mu: Fraction) -> TradeOff:
    """Return φ from below of μ, or of the multiple of `common` below it, on a grid that it maps to itself."""
    if not _is_below(points, floor(mu / common), common, mu):
        raise AssertionError("a point of the grid is not below φ")
    return through(_moved(points, floor(mu / common)))


def _above(mu: Fraction) -> TradeOff:
    """Return φ from above of a μ, on a grid of its own."""
    slack = GRAIN + COARSEST_Z * COARSEST_Z / 8
    while not _is_above(found := _beside(mu, slack), mu):
        slack *= Fraction(5, 4)
    return found


def _beside(mu: Fraction, slack: Fraction) -> TradeOff:
    """Return the function through points of φ of μ·(1 + slack), below φ of μ where slack is negative."""
    most = floor(FARTHEST_Z / COARSEST_Z)
    with ctx.workprec(2 * GAUSSIAN_BITS):
        z = [ball_of(i * COARSEST_Z) for i in range(-most, most + 1)]
        onward = ball_of(mu * (1 + slack))
        known = [(_rounded_chance(_normal(own)), _rounded_chance(_normal(own + onward))) for own in z]
        if slack < 0 and not all(
            _normal(own + onward - ball_of(mu)) <= ball_of(u) for own, (u, _) in zip(z, known, strict=True)
        ):
            raise AssertionError("a point is not below φ")
    return through(known, drawn_out=slack > 0)


def _rounded_chance(chance: arb) -> Fraction:
    """Return a probability, rounded down to a multiple of 2^−`GAUSSIAN_BITS`."""
    return Fraction(floor(dyadic((chance * arb(2) ** GAUSSIAN_BITS).lower())), 1 << GAUSSIAN_BITS)


def _points(spacing: Fraction) -> list[Fraction]:
    """Return Φ(i·spacing) for |i·spacing| ≤ `FARTHEST_Z`, each rounded down to a multiple of 2^−`GAUSSIAN_BITS`."""
    most = floor(FARTHEST_Z / spacing)
    with ctx.workprec(2 * GAUSSIAN_BITS):
        return [_rounded_chance(_normal(ball_of(i * spacing))) for i in range(-most, most + 1)]


def _normal(z: arb) -> arb:
    """Return Φ(z)."""
    return (-z / arb(2).sqrt()).erfc() / 2


def _moved(points: Sequence[Fraction], shift: int) -> list[ChancePoint]:
    return list(zip(points, points[shift:], strict=False))


def _is_below(points: Sequence[Fraction], shift: int, common: Fraction, mu: Fraction) -> bool:
    """Whether point i + shift is at most φ of point i, for all: Φ(z) ≤ point i with z + μ ≥ the z of point i + shift.

    The points are Φ rounded down, at a spacing that is less than `common`, by 2^−40 of it.
    """
    spacing = common * (1 - GRAIN)
    most = len(points) // 2
    with ctx.workprec(2 * GAUSSIAN_BITS):
        return all(
            bool(_normal(ball_of((place - most + shift) * spacing - mu)) <= ball_of(point))
            for place, point in enumerate(points[: len(points) - shift])
        )


def _is_above(phi: TradeOff, mu: Fraction) -> bool:
    """Whether a piecewise linear function is nowhere below φ of μ: none of its lines is below the one that touches φ.

    φ(u) − s·u is greatest where its slope exp(−μz − μ²/2) is s. Never wrongly so.
    """
    with ctx.workprec(2 * GAUSSIAN_BITS):
        m = ball_of(mu)
        for (u, y), (v, z) in pairwise(phi.points):
            slope = (z - y) / (v - u)
            if slope == 0:
                continue  # at 1, which no φ exceeds
            touching = -ball_of(slope).log() / m - m / 2
            excess = _normal(touching + m) - ball_of(slope) * _normal(touching) - ball_of(y - slope * u)
            if not excess <= 0:
                return False
    return True
