"""Budgets beyond pure ε on the command line, the answers of their profiles, and what is refused as unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, nextafter

import click

from ..contract.limits import MOST_ADVERSARIES, MOST_STATES, check_count
from ..data.files import ROLES, Files
from ..models.basis import Basis
from ..models.chain import KnownPair
from ..models.neighbours import Neighbours
from ..models.stream_profile import PRIVATE_STREAMS
from ..output.sheets import Output, double_value
from ..reference import (
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    InvalidRequest,
    Level,
    PrivacyBudget,
    WorstAlpha,
    WorstDelta,
)
from ..reference.decimals import fraction_to_text
from ..reference.paper.leakage import check_sizes
from ..reference.stepwise import matrices_in
from ..reference.worst_case.profile_answers import USUAL_BITS
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import decimal_text
from .options import Correlations, Decorator, Releases, handing

NOT_THE_PAPERS = "the paper's bound is for pure ε and δ = 0: see leakage"

NOT_OVER_ALL_TIME = (
    "over an infinite horizon it is not known whether α at a δ > 0 stays finite where releases have a δ or Gaussian "
    "noise; of pure ε it stays within the supremum, at every δ. Give --steps to `leakage --delta` or `profile`"
)
"""What `supremum --delta` is refused for."""

NOT_FOR_WINDOWS = (
    "of a window of several times no recursion is known for δ > 0; `profile` and `leakage --delta` answer for one time"
)
"""What `composition --delta` is refused for."""

BITS_PER_DIGIT = 4
"""More than a decimal digit has, so that where nothing else widens an enclosure its digits do."""

LONGEST_FRACTION = 60
"""Characters of an exact δ that is written as a fraction."""

NOTE = "α in nats. 0.12[3,4] is an enclosure: at least 0.123, at most 0.124."


@dataclass(frozen=True, slots=True)
class Noise:
    """What a release may tell beside ε, as it was written: its δ; or Gaussian noise or ρ, which stand instead."""

    delta: str | None
    sigma: str | None
    sensitivity: str | None
    rho: str | None

    def __bool__(self) -> bool:
        return not self.delta == self.sigma == self.sensitivity == self.rho is None

    def budgets(self, releases: Releases, files: Files, neighbours: Neighbours) -> list[PrivacyBudget]:
        """Return the budget of each release, under replacement. Raises: InvalidRequest where it is given twice."""
        return [*map(neighbours.replaced, self._given(releases, files))]

    def _given(self, releases: Releases, files: Files) -> list[PrivacyBudget]:
        has_epsilon = releases.epsilon is not None or releases.epsilons is not None
        budget = self._instead("--epsilon or --epsilons" if has_epsilon else None)
        if budget is None:
            return [*map(self._beside, releases.budgets(files))]
        return [budget] * len(replace(releases, epsilon="0").budgets(files))

    def of_each(self, epsilons: Sequence[Level], neighbours: Neighbours) -> list[PrivacyBudget]:
        """Return budgets under replacement: that of each ε, or one of noise or ρ. Raises: as `budgets`."""
        budget = self._instead("--epsilon" if epsilons else None)
        if budget is None and self.delta is not None and not epsilons:
            raise InvalidRequest("--delta-per-release belongs to --epsilon")
        given = [*map(self._beside, epsilons)] if budget is None else [budget]
        return [*map(neighbours.replaced, given)]

    def _beside(self, epsilon: Level) -> PrivacyBudget:
        chance = Fraction(0) if self.delta is None else chance_of(self.delta, "--delta-per-release")
        return ApproximateBudget(epsilon, chance)

    def _instead(self, other: str | None) -> PrivacyBudget | None:
        """Return what stands instead of ε, None for nothing. Args: other, the option of an ε that is given."""
        if self.sigma is None and self.sensitivity is not None:
            raise InvalidRequest("--sensitivity belongs to --sigma")
        if self.sigma == self.rho is None:
            return None
        given = {"--sigma": self.sigma, "--rho": self.rho, "--delta-per-release": self.delta}
        names = [name for name, text in given.items() if text is not None]
        names += [] if other is None else [other]
        if names[1:]:
            raise InvalidRequest(f"{names[0]} excludes {' and '.join(names[1:])}")
        if self.sigma is None:
            return ConcentratedBudget(Reader().number(self.rho, "--rho"))
        sensitivity = Reader().number(self.sensitivity or "1", "--sensitivity")
        return GaussianBudget(Reader().number(self.sigma, "--sigma"), sensitivity)


def noise_options(condition: str = "") -> Decorator:
    """Add --delta-per-release, --sigma, --sensitivity and --rho; hand over `noise`.

    Args: condition, what stands before the help of all but --sensitivity.
    """

    def make(
        delta_per_release: str | None, sigma: str | None, sensitivity: str | None, rho: str | None
    ) -> dict[str, object]:
        return {"noise": Noise(delta_per_release, sigma, sensitivity, rho)}

    delta = (
        f"{condition}δ of every release, beside --epsilon." if condition else "Beside --epsilon: δ of every release."
    )
    instead = f"{condition}instead of ε" if condition else "Instead of ε"
    return handing(
        make,
        _once("--delta-per-release", "PROBABILITY", f"{delta}  [default: 0]"),
        _once("--sigma", "NUMBER", f"{instead}: standard deviation of the Gaussian noise in each release."),
        _once("--sensitivity", "NUMBER", "With --sigma: Euclidean (L2) sensitivity of a release.  [default: 1]"),
        _once("--rho", "NUMBER", f"{instead}: each release is ρ-zCDP for ρ = NUMBER."),
    )


def _once(name: str, metavar: str, told: str) -> Decorator:
    """Return an option that may be given once: another might be taken for another release."""

    def one(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> str | None:
        if len(given) > 1:
            raise InvalidRequest(f"{name} is given {len(given)} times: it is the same for all releases of one command")
        return given[0] if given else None

    return click.option(name, metavar=metavar, multiple=True, callback=one, help=told)


def without_delta_option(why: str) -> Decorator:
    """Add --delta, not shown in the help, to a command that refuses it and says why. Args: why, what is not known."""

    def refuse(_context: click.Context, _option: click.Parameter, delta: str | None) -> None:
        if delta is not None:
            raise InvalidRequest(f"--delta: {why}")

    return click.option(
        "--delta",
        metavar="PROBABILITY",
        expose_value=False,
        callback=refuse,
        hidden=True,
    )


def chance_of(text: str, option: str) -> Fraction:
    """Return a probability. Raises: InvalidRequest."""
    chance = Reader().number(text, option)
    if not 0 <= chance <= 1:
        raise InvalidRequest(f"{option}: {text} is no probability")
    return chance


def known_pairs(correlations: Correlations, files: Files) -> dict[str, KnownPair]:
    """Return what each adversary knows. Raises: InvalidRequest for matrices of different sizes, or too many states."""
    found: dict[str, KnownPair] = {}
    for name, own in correlations.known(files).items():
        backward, forward = own.get(ROLES[0]), own.get(ROLES[1])
        first = [next(iter(matrices_in(each)), None) for each in (backward, forward)]
        check_sizes(first[0], first[1])
        check_count(max((matrix.n for matrix in first if matrix is not None), default=0), MOST_STATES, "states")
        found[name] = backward, forward
    check_count(len(found), MOST_ADVERSARIES, "adversaries")
    return found


def basis_at_delta(
    correlations: Correlations, files: Files, known: Mapping[str, KnownPair], neighbours: Neighbours
) -> Basis:
    """Return what an answer beyond pure ε rests on: causality among it, and that the paper's bound has none."""
    basis = neighbours.basis(correlations.basis_of(files, known, {"paper_bound": NOT_THE_PAPERS}))
    return replace(basis, mechanisms=PRIVATE_STREAMS)


def bits_for(digits: int) -> int:
    """Return the working precision at which an enclosure has so many digits, where nothing else widens it."""
    return max(USUAL_BITS, BITS_PER_DIGIT * digits + USUAL_BITS // 2)


def delta_value(found: WorstDelta, output: Output) -> Object:
    """Return a δ as levels are written: as a fraction where it is exact, enclosed, and a double at or above it."""
    enclosure = found.enclosure(output.digits)
    text = fraction_to_text(found.upper) if found.lower == found.upper else ""
    double = float(found.upper)
    safe = double if Fraction(double) >= found.upper else nextafter(double, inf)
    return {
        "exact": text if 0 < len(text) <= LONGEST_FRACTION else None,
        "lower": decimal_text(enclosure.lower),
        "upper": decimal_text(enclosure.upper),
        **({"double": repr(safe), "hex": safe.hex()} if output.doubles else {}),
    }


def alpha_value(found: WorstAlpha, output: Output) -> Object:
    """Return an α at a δ as levels are written: exact, or enclosed between the bounds of its ends."""
    if found.lower == found.upper:
        return output.level(found.upper)
    enclosure = found.enclosure(output.digits)
    safe = double_value(found.upper) if output.doubles else {}
    return {"exact": None, "lower": decimal_text(enclosure.lower), "upper": decimal_text(enclosure.upper), **safe}
