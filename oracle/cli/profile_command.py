"""`tploracle profile`: with which (α, δ) a stream of (ε, δ) or Gaussian releases protects the value at one time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import click

from ..data.files import Files
from ..models.neighbours import Neighbours
from ..models.stream_profile import SIDES, greatest_alpha, greatest_delta, profiles_of, seen_by
from ..output.progress import patience
from ..output.sheets import DIGITS_IN_BRIEF, Cell, Conclusion, Output, Sheet, counted, odds
from ..reference import InvalidRequest, Level, Profile, WorstAlpha, WorstDelta
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import decimal_text
from .beyond_pure import (
    NOTE,
    Noise,
    alpha_value,
    basis_at_delta,
    bits_for,
    chance_of,
    delta_value,
    known_pairs,
    noise_options,
)
from .options import (
    Correlations,
    Releases,
    correlation_options,
    files_and_output,
    neighbours_options,
    plot_option,
    release_options,
)


@click.command("profile")
@correlation_options()
@release_options()
@noise_options()
@click.option("--at", "time", type=int, metavar="T", help="Time of the value in question.  [default: the last one]")
@click.option("--alpha", "alphas", multiple=True, metavar="LEVEL", help="Report δ at this level; repeatable.")
@click.option("--delta", "deltas", multiple=True, metavar="PROBABILITY", help="Report the least α at δ; repeatable.")
@neighbours_options()
@plot_option
@files_and_output(digits=DIGITS_IN_BRIEF, has_levels=True, in_brief=False)
def profile_command(
    *,
    correlations: Correlations,
    releases: Releases,
    noise: Noise,
    time: int | None,
    alphas: tuple[str, ...],
    deltas: tuple[str, ...],
    neighbours: Neighbours,
    plot: str | None,
    files: Files,
    output: Output,
) -> None:
    """Find the (α, δ) with which a stream of (ε, δ), Gaussian or zCDP releases protects the value at one time.

    δ at α is the greatest Pr(out | one value) − e^α Pr(out | another) over all sets of outputs, pairs of values, and
    streams with these budgets. BPL is for the releases up to the time, FPL for those from it on, TPL for all. Answers
    are exact or enclosed; the enclosure of TPL may be wide between the two ends of the stream.
    """
    if not (alphas or deltas):
        raise InvalidRequest("nothing is asked: give --alpha, --delta or both")
    if plot and len(alphas) < 2:
        raise InvalidRequest("--plot draws δ over α: give --alpha twice or more")
    budgets = noise.budgets(releases, files, neighbours)
    at = len(budgets) if time is None else time
    if not 1 <= at <= len(budgets):
        raise InvalidRequest(f"--at: {at} is not one of the times 1 to {len(budgets)}")
    asked = _Asked(
        Reader().levels(list(alphas), "--alpha"), [chance_of(text, "--delta") for text in deltas], alphas, deltas
    )
    known = known_pairs(correlations, files)
    bits = bits_for(output.digits)
    found: dict[str, _Found] = {}
    with patience("profile") as progress:
        for number, kind in enumerate(SIDES, 1):
            same = next((own for own in found if seen_by(own, known.values()) == seen_by(kind, known.values())), None)
            found[kind] = (
                asked.of(profiles_of(kind, budgets, at, known.values(), bits)) if same is None else found[same]
            )
            progress(number, len(SIDES))
    value, rows = _shown(found, asked, output)
    basis = basis_at_delta(correlations, files, known, neighbours)
    conclusion = Conclusion(_conclusion(found["tpl"], asked, at, len(budgets)), basis)
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

    def of(self, profiles: Collection[Profile]) -> _Found:
        """Return the answers, the greatest over all profiles."""
        return _Found(
            tuple(greatest_delta(profiles, alpha) for alpha in self.alphas),
            tuple(greatest_alpha(profiles, delta) for delta in self.deltas),
        )


def _shown(found: Mapping[str, _Found], asked: _Asked, output: Output) -> tuple[Object, list[list[Cell]]]:
    value: Object = {}
    rows: list[list[Cell]] = []
    for kind, own in found.items():
        deltas = [delta_value(each, output) for each in own.deltas]
        alphas = [alpha_value(each, output) for each in own.alphas]
        name = kind.upper()
        rows += [[name, "δ", f"α = {text}", each] for text, each in zip(asked.alpha_texts, deltas, strict=True)]
        rows += [[name, "α", f"δ = {text}", each] for text, each in zip(asked.delta_texts, alphas, strict=True)]
        value[kind] = {
            "delta": [{"alpha": text, **each} for text, each in zip(asked.alpha_texts, deltas, strict=True)],
            "alpha": [{"delta": text, **each} for text, each in zip(asked.delta_texts, alphas, strict=True)],
        }
    return value, rows


def _conclusion(found: _Found, asked: _Asked, time: int, releases: int) -> str:
    """Say what the first answer means."""
    of_all = f"{counted(releases, 'release protects', 'releases protect')} the value at time {time}"
    if asked.deltas:
        level, delta = found.alphas[0].upper, asked.delta_texts[0]
        least = found.alphas[0].lower
        if level.is_infinite and not least.is_infinite:
            nats = decimal_text(least.enclosure(6).lower)
            return f"{of_all} with α = {nats} or more at δ = {delta}:\nno upper bound was found for so small a δ."
        if level.is_infinite:
            return f"{of_all} at no α with δ = {delta}:\nthe chances of all releases may add up to more."
        nats = decimal_text(level.enclosure(6).upper)
        changes = f"From value to value the chance of a set of outputs changes {odds(level)}, plus {delta}."
        return f"{of_all} with α = {nats} at δ = {delta}.\n{changes}"
    alpha = asked.alpha_texts[0]
    return f"{of_all} with δ = {decimal_text(found.deltas[0].enclosure(6).upper)} at α = {alpha}."
