"""Budgets beyond pure ε on the command line, their answers, and the questions that have no known answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, nextafter
from typing import Any

import click

from ..data.files import Files
from ..models.basis import Basis
from ..models.chain import KnownPair
from ..models.model import Model
from ..models.neighbours import Neighbours
from ..models.stream_profile import NOT_THE_PAPERS, PRIVATE_STREAMS
from ..output.sheets import DIGITS_IN_BRIEF, Output, double_value, odds
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
from ..reference.worst_case.profile_answers import USUAL_BITS
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import decimal_text
from .declared import group, option
from .options import Correlations, Releases

NOT_FOR_WINDOWS = (
    "of a window of several times no recursion is known for δ > 0; `profile` and `leakage --delta` answer for one time"
)
"""Why `composition` refuses --delta."""

BITS_PER_DIGIT = 4
"""More bits than a decimal digit has, so that rounding costs no digit of an enclosure."""

LONGEST_FRACTION = 60
"""Characters of an exact δ that is written as a fraction."""

NOTE = "α in nats. 0.12[3,4] is an enclosure: at least 0.123, at most 0.124."


@dataclass(frozen=True, slots=True)
class Noise:
    """What a release may reveal beside ε, as it was written: its δ; or instead of ε Gaussian noise, or ρ."""

    delta_per_release: str | None
    sigma: str | None
    sensitivity: str | None
    rho: str | None

    def budgets(self, releases: Releases, files: Files, neighbours: Neighbours) -> list[PrivacyBudget]:
        """Return the budget of each release, under replacement."""
        budget = self._instead()
        if budget is None:
            return self.of_each(releases.budgets(files), neighbours)
        return [neighbours.replaced(budget)] * len(replace(releases, epsilon="0").budgets(files))

    def of_each(self, epsilons: Sequence[Level], neighbours: Neighbours) -> list[PrivacyBudget]:
        """Return budgets under replacement: that of each ε, or the one of noise or ρ."""
        budget = self._instead()
        if budget is None:
            chance = chance_of(self.delta_per_release or "0", "--delta-per-release")
            return [neighbours.replaced(ApproximateBudget(epsilon, chance)) for epsilon in epsilons]
        return [neighbours.replaced(budget)]

    def _instead(self) -> PrivacyBudget | None:
        if self.rho is not None:
            return ConcentratedBudget(Reader().number(self.rho, "--rho"))
        if self.sigma is None:
            return None
        sensitivity = Reader().number(self.sensitivity or "1", "--sensitivity")
        return GaussianBudget(Reader().number(self.sigma, "--sigma"), sensitivity)


def noise_options(condition: str = "", several: bool = True) -> Any:
    """Declare --delta-per-release, --sigma, --sensitivity and --rho: an attribute `noise: Noise`.

    Args: condition, the beginning of the help of all but --sensitivity; several, whether there is --epsilons.
    """
    each, either = (" and --epsilons", " or --epsilons") if several else ("", "")
    delta = (
        f"{condition}δ of every release, beside --epsilon." if condition else "Beside --epsilon: δ of every release."
    )
    instead = f"{condition}instead of ε" if condition else "Instead of ε"
    return group(
        Noise,
        (
            "--sensitivity belongs to --sigma",
            f"--sigma excludes --rho, --delta-per-release, --epsilon{each}",
            f"--rho excludes --delta-per-release, --epsilon{each}",
            f"--delta-per-release belongs to --epsilon{either}",
        ),
        delta_per_release=_once("PROBABILITY", f"{delta}  [default: 0]"),
        sigma=_once("NUMBER", f"{instead}: standard deviation of the Gaussian noise in each release."),
        sensitivity=_once("NUMBER", "With --sigma: Euclidean (L2) sensitivity of a release.  [default: 1]"),
        rho=_once("NUMBER", f"{instead}: each release is ρ-zCDP for ρ = NUMBER."),
    )


def _once(metavar: str, text: str) -> Any:
    """Declare an option that may be given once: another might be taken for another release."""

    def one(_context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> str | None:
        if len(given) > 1:
            name = parameter.opts[0]
            raise InvalidRequest(f"{name} is given {len(given)} times: it is the same for all releases of one command")
        return given[0] if given else None

    return option(metavar=metavar, multiple=True, callback=one, help=text)


def chance_of(text: str, option: str) -> Fraction:
    """Return a probability. Raises: InvalidRequest."""
    chance = Reader().number(text, option)
    if not 0 <= chance <= 1:
        raise InvalidRequest(f"{option}: {text} is no probability")
    return chance


def basis_at_delta(
    correlations: Correlations, files: Files, known: Mapping[str, KnownPair], neighbours: Neighbours
) -> Basis:
    """Return the basis of an answer beyond pure ε: it assumes causality, and the paper's bound has no answer."""
    basis = neighbours.basis(correlations.basis_of(files, known, {"paper_bound": NOT_THE_PAPERS}))
    return replace(basis, mechanisms=PRIVATE_STREAMS)


def check_models(models: Sequence[Model]) -> None:
    """Raise InvalidRequest unless the exact worst case is asked for, by its quick algorithms."""
    if any(model.literal for model in models) or all(model.key != "worst_case" for model in models):
        raise InvalidRequest(f"--delta: {NOT_THE_PAPERS}")


def enclosing(output: Output) -> Output:
    """Return an output that shows enclosures, in few digits unless others are asked for."""
    return replace(output, digits=DIGITS_IN_BRIEF, in_brief=False) if output.in_brief else output


def in_words(found: WorstAlpha, delta: str) -> tuple[str, str]:
    """Return with which α a value is protected at a δ, and the rest of the sentence: what that means.

    Where the ends differ by more than one in a hundred, both are told.
    """
    if not found.upper.is_infinite:
        most, least = found.upper.enclosure(DIGITS_IN_BRIEF).upper, found.lower.enclosure(DIGITS_IN_BRIEF).lower
        told = f"= {decimal_text(most)}"
        if 100 * (most - least) > most:
            told = f"of at least {decimal_text(least)} and at most {decimal_text(most)}"
        changes = f"From value to value the chance of a set of outputs changes {odds(found.upper)}, plus {delta}."
        return f"with α {told}", f".\n{changes}"
    if found.lower.is_infinite:
        return "with no α", ":\nthe chances of all releases may add up to more."
    nats = decimal_text(found.lower.enclosure(DIGITS_IN_BRIEF).lower)
    return f"with α = {nats} or more", ":\nno upper bound was found for so small a δ."


def bits_for(digits: int) -> int:
    """Return the working precision at which an enclosure has `digits` digits, if nothing else widens it."""
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
