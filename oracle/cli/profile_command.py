"""`tploracle profile`: with which (α, δ) a stream of (ε, δ) or Gaussian releases protects the value at one time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, nextafter

import click

from ..contract.limits import MOST_ADVERSARIES, MOST_STATES, check_count
from ..data.files import ROLES, Files
from ..models.chain import KnownPair
from ..models.neighbours import Neighbours
from ..models.stream_profile import PRIVATE_STREAMS, profile_at
from ..output.progress import patience
from ..output.sheets import Cell, Conclusion, Output, Sheet, counted, double_value, odds
from ..reference import (
    ApproximateBudget,
    GaussianBudget,
    InvalidRequest,
    Level,
    PrivacyBudget,
    Profile,
    WorstAlpha,
    WorstDelta,
)
from ..reference.decimals import fraction_to_text
from ..reference.paper.leakage import check_sizes
from ..reference.stepwise import matrices_in
from ..reference.worst_case.profile_answers import USUAL_BITS
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import KINDS, decimal_text
from .options import (
    Correlations,
    Releases,
    correlation_options,
    files_and_output,
    neighbours_options,
    plot_option,
    release_options,
)

NOT_THE_PAPERS = "the paper's bound is for pure ε and δ = 0: see leakage"

BITS_PER_DIGIT = 4
"""More than a decimal digit has, so that where nothing else widens an enclosure its digits do."""

LONGEST_FRACTION = 60
"""Characters of an exact δ that is written as a fraction."""

NOTE = "α in nats. 0.12[3,4] is an enclosure: at least 0.123, at most 0.124."

_ROLES_OF = dict(zip(KINDS, (ROLES[:1], ROLES[1:], ROLES), strict=True))


@click.command("profile")
@correlation_options()
@release_options()
@click.option("--delta-per-release", metavar="PROBABILITY", help="With --epsilon: δ of every release.  [default: 0]")
@click.option("--sigma", metavar="NUMBER", help="Instead of ε: standard deviation of Gaussian noise in each release.")
@click.option(
    "--sensitivity",
    metavar="NUMBER",
    help="With --sigma: Euclidean distance by which one value moves the answers of a release.  [default: 1]",
)
@click.option("--at", "time", type=int, metavar="T", help="Time of the value in question.  [default: the last one]")
@click.option("--alpha", "alphas", multiple=True, metavar="LEVEL", help="Report δ at this level; repeatable.")
@click.option("--delta", "deltas", multiple=True, metavar="PROBABILITY", help="Report the least α at δ; repeatable.")
@neighbours_options()
@plot_option
@files_and_output(digits=6, has_levels=True, in_brief=False)
def profile_command(
    *,
    correlations: Correlations,
    releases: Releases,
    delta_per_release: str | None,
    sigma: str | None,
    sensitivity: str | None,
    time: int | None,
    alphas: tuple[str, ...],
    deltas: tuple[str, ...],
    neighbours: Neighbours,
    plot: str | None,
    files: Files,
    output: Output,
) -> None:
    """Find with which (α, δ) a stream of (ε, δ) or Gaussian releases protects the value at one time.

    δ at α is the greatest Pr(out | one value) − e^α Pr(out | another) over all sets of outputs, pairs of values, and
    streams with these budgets. BPL is for the releases up to the time, FPL for those from it on, TPL for all. Answers
    are exact or enclosed; the enclosure of TPL may be wide between the two ends of the stream.
    """
    if not (alphas or deltas):
        raise InvalidRequest("nothing is asked: give --alpha, --delta or both")
    if plot and len(alphas) < 2:
        raise InvalidRequest("--plot draws δ over α: give --alpha twice or more")
    budgets = [*map(neighbours.replaced, _budgets(releases, delta_per_release, sigma, sensitivity, files))]
    at = len(budgets) if time is None else time
    if not 1 <= at <= len(budgets):
        raise InvalidRequest(f"--at: {at} is none of the times 1 to {len(budgets)}")
    asked = _Asked(
        Reader().levels(list(alphas), "--alpha"), [_chance(text, "--delta") for text in deltas], alphas, deltas
    )
    known = _known(correlations, files)
    check_count(len(known), MOST_ADVERSARIES, "adversaries")
    bits = max(USUAL_BITS, BITS_PER_DIGIT * output.digits + USUAL_BITS // 2)
    found = {}
    with patience("profile") as progress:
        for number, (kind, roles) in enumerate(_ROLES_OF.items(), 1):
            seen = dict.fromkeys(
                (pair[0] if ROLES[0] in roles else None, pair[1] if ROLES[1] in roles else None)
                for pair in known.values()
            )
            found[kind] = asked.of(profile_at(budgets, at, backward, forward, bits) for backward, forward in seen)
            progress(number, len(_ROLES_OF))
    value, rows = _shown(found, asked, output)
    basis = neighbours.basis(correlations.basis_of(files, known, {"paper_bound": NOT_THE_PAPERS}))
    conclusion = Conclusion(
        _conclusion(found["tpl"], asked, at, len(budgets)), replace(basis, mechanisms=PRIVATE_STREAMS)
    )
    whole: Object = {"time": at, "releases": len(budgets), "worst_case": value}
    title = f"The value at time {at}, given {counted(len(budgets), 'release')}"
    sheet = Sheet(title, ("of", "asked", "at", "answer"), rows, (NOTE,))
    output.conclude(conclusion, [whole], sheet)
    if plot:
        from ..output.plots import profile_picture

        curves = {kind.upper(): [(each.lower, each.upper) for each in own.deltas] for kind, own in found.items()}
        profile_picture(plot, [float(level.enclosure().lower) for level in asked.alphas], curves)


@dataclass(frozen=True, slots=True)
class _Found:
    """The greatest δ at each α, and α at each δ, of all adversaries."""

    deltas: tuple[WorstDelta, ...]
    alphas: tuple[WorstAlpha, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """At which α a δ is asked for, and at which δ an α; and how they were written."""

    alphas: Sequence[Level]
    deltas: Sequence[Fraction]
    alpha_texts: Sequence[str]
    delta_texts: Sequence[str]

    def of(self, profiles: Iterable[Profile]) -> _Found:
        """Return the answers, the greatest over all profiles."""
        each = [(list(map(own.delta, self.alphas)), list(map(own.alpha, self.deltas))) for own in profiles]
        return _Found(
            tuple(
                WorstDelta(max(own.lower for own in some), max(own.upper for own in some))
                for some in zip(*(deltas for deltas, _ in each), strict=True)
            ),
            tuple(
                WorstAlpha(max(own.lower for own in some), max(own.upper for own in some))
                for some in zip(*(alphas for _, alphas in each), strict=True)
            ),
        )


def _known(correlations: Correlations, files: Files) -> dict[str, KnownPair]:
    """Return what each adversary knows. Raises: InvalidRequest for matrices of different sizes, or too many states."""
    found: dict[str, KnownPair] = {}
    for name, own in correlations.known(files).items():
        backward, forward = own.get(ROLES[0]), own.get(ROLES[1])
        first = [next(iter(matrices_in(each)), None) for each in (backward, forward)]
        check_sizes(first[0], first[1])
        check_count(max((matrix.n for matrix in first if matrix is not None), default=0), MOST_STATES, "states")
        found[name] = backward, forward
    return found


def _budgets(
    releases: Releases, delta: str | None, sigma: str | None, sensitivity: str | None, files: Files
) -> list[PrivacyBudget]:
    """Return the budget of each release. Raises: InvalidRequest where they are given in two ways."""
    if sigma is None:
        if sensitivity is not None:
            raise InvalidRequest("--sensitivity belongs to --sigma")
        chance = Fraction(0) if delta is None else _chance(delta, "--delta-per-release")
        return [ApproximateBudget(epsilon, chance) for epsilon in releases.budgets(files)]
    if delta is not None or releases.epsilon is not None or releases.epsilons is not None:
        raise InvalidRequest("--sigma excludes --epsilon, --epsilons and --delta-per-release")
    noise = GaussianBudget(Reader().number(sigma, "--sigma"), Reader().number(sensitivity or "1", "--sensitivity"))
    count = len(replace(releases, epsilon="0").budgets(files))
    return [noise] * count


def _chance(text: str, option: str) -> Fraction:
    chance = Reader().number(text, option)
    if not 0 <= chance <= 1:
        raise InvalidRequest(f"{option}: {text} is no probability")
    return chance


def _shown(found: Mapping[str, _Found], asked: _Asked, output: Output) -> tuple[Object, list[list[Cell]]]:
    value: Object = {}
    rows: list[list[Cell]] = []
    for kind, own in found.items():
        deltas = [_delta_value(each, output) for each in own.deltas]
        alphas = [_alpha_value(each, output) for each in own.alphas]
        name = kind.upper()
        rows += [[name, "δ", f"α = {text}", each] for text, each in zip(asked.alpha_texts, deltas, strict=True)]
        rows += [[name, "α", f"δ = {text}", each] for text, each in zip(asked.delta_texts, alphas, strict=True)]
        value[kind] = {
            "delta": [{"alpha": text, **each} for text, each in zip(asked.alpha_texts, deltas, strict=True)],
            "alpha": [{"delta": text, **each} for text, each in zip(asked.delta_texts, alphas, strict=True)],
        }
    return value, rows


def _delta_value(found: WorstDelta, output: Output) -> Object:
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


def _alpha_value(found: WorstAlpha, output: Output) -> Object:
    if found.lower == found.upper:
        return output.level(found.upper)
    enclosure = found.enclosure(output.digits)
    safe = double_value(found.upper) if output.doubles else {}
    return {"exact": None, "lower": decimal_text(enclosure.lower), "upper": decimal_text(enclosure.upper), **safe}


def _conclusion(found: _Found, asked: _Asked, time: int, releases: int) -> str:
    """Say what the first answer means."""
    of_all = f"{counted(releases, 'release protects', 'releases protect')} the value at time {time}"
    if asked.deltas:
        level, delta = found.alphas[0].upper, asked.delta_texts[0]
        if level.is_infinite:
            return f"{of_all} at no α with δ = {delta}:\nthe chances of all releases may add up to more."
        nats = decimal_text(level.enclosure(6).upper)
        changes = f"From value to value the chance of a set of outputs changes {odds(level)}, plus {delta}."
        return f"{of_all} with α = {nats} at δ = {delta}.\n{changes}"
    alpha = asked.alpha_texts[0]
    return f"{of_all} with δ = {decimal_text(found.deltas[0].enclosure(6).upper)} at α = {alpha}."
