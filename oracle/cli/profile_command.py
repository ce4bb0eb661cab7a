"""`tploracle profile`: with which (α, δ) a stream of (ε, δ) or Gaussian releases protects the value at one time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..data.adversaries import pairs_at_delta
from ..data.files import Files
from ..models.neighbours import Neighbours
from ..models.stream_profile import SIDES, greatest_alpha, greatest_delta, leakage_at_delta, profiles_of, seen_by
from ..output.progress import patience
from ..output.sheets import DIGITS_IN_BRIEF, Cell, Conclusion, Output, Sheet, counted
from ..reference import ApproximateBudget, InvalidRequest, WorstAlpha, WorstDelta
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
    in_words,
    noise_options,
)
from .declared import option
from .options import (
    Correlations,
    ReadingCommand,
    Releases,
    correlation_options,
    neighbours_options,
    output_options,
    plot_option,
    reading_options,
    release_options,
)


class ProfileCommand(ReadingCommand):
    """Find the (α, δ) with which a stream of (ε, δ), Gaussian or zCDP releases protects the value at one time.

    δ at α is the greatest Pr(out | one value) − e^α Pr(out | another) over all sets of outputs, pairs of values, and
    streams with these budgets. BPL is for the releases up to the time, FPL for those from it on, TPL for all. Answers
    are exact or enclosed; the enclosure of TPL may be wide between the two ends of the stream.
    """

    correlations: Correlations = correlation_options()
    releases: Releases = release_options()
    noise: Noise = noise_options()
    time: int | None = option("--at", metavar="T", help="Time of the value in question.  [default: the last one]")
    alphas: tuple[str, ...] = option("--alpha", metavar="LEVEL", help="Report δ at this level; repeatable.")
    deltas: tuple[str, ...] = option("--delta", metavar="PROBABILITY", help="Report the least α at δ; repeatable.")
    neighbours: Neighbours = neighbours_options()
    plot: str | None = plot_option
    files: Files = reading_options
    output: Output = output_options(digits=DIGITS_IN_BRIEF, has_levels=True, in_brief=False)

    def _run(self) -> None:
        if not (self.alphas or self.deltas):
            raise InvalidRequest("nothing is asked: give --alpha, --delta or both")
        if self.plot and len(self.alphas) < 2:
            raise InvalidRequest("--plot draws δ over α: give --alpha twice or more")
        budgets = self.noise.budgets(self.releases, self.files, self.neighbours)
        at = len(budgets) if self.time is None else self.time
        if not 1 <= at <= len(budgets):
            raise InvalidRequest(f"--at: {at} is not one of the times 1 to {len(budgets)}")
        levels = Reader().levels(list(self.alphas), "--alpha")
        chances = [chance_of(text, "--delta") for text in self.deltas]
        known = pairs_at_delta(self.correlations.known(self.files))
        bits = bits_for(self.output.digits)
        is_noise = not all(isinstance(own, ApproximateBudget) for own in budgets)
        found: dict[str, _Found] = {}
        with patience("profile") as progress:
            for number, kind in enumerate(SIDES, 1):
                seen = seen_by(kind, known.values())
                same = next((own for own in found if seen_by(own, known.values()) == seen), None)
                if same is None:
                    profiles = profiles_of(kind, budgets, at, known.values(), bits)
                    found[kind] = _Found(
                        [greatest_delta(profiles, alpha) for alpha in levels],
                        [
                            leakage_at_delta(budgets, known.values(), delta, [at], bits=bits, kinds=[kind])[kind][0]
                            if is_noise and any(None not in pair for pair in seen)
                            else greatest_alpha(profiles, delta)
                            for delta in chances
                        ],
                    )
                else:
                    found[kind] = found[same]
                progress(number, len(SIDES))
        value, rows = self._shown(found)
        text = self._conclusion(found["tpl"], at, len(budgets))
        conclusion = Conclusion(text, basis_at_delta(self.correlations, self.files, known, self.neighbours))
        whole: Object = {"time": at, "releases": len(budgets), "worst_case": value}
        title = f"The value at time {at}, given {counted(len(budgets), 'release')}"
        self.output.conclude(conclusion, [whole], Sheet(title, ("of", "asked", "at", "answer"), rows, (NOTE,)))
        if self.plot:
            from ..output.plots import profile_picture

            curves = {kind.upper(): [(each.lower, each.upper) for each in own.deltas] for kind, own in found.items()}
            profile_picture(self.plot, [float(level.enclosure().lower) for level in levels], curves)

    def _shown(self, found: Mapping[str, _Found]) -> tuple[Object, list[list[Cell]]]:
        value: Object = {}
        rows: list[list[Cell]] = []
        for kind, own in found.items():
            deltas = list(zip(self.alphas, (delta_value(each, self.output) for each in own.deltas), strict=True))
            alphas = list(zip(self.deltas, (alpha_value(each, self.output) for each in own.alphas), strict=True))
            rows += [[kind.upper(), "δ", f"α = {text}", each] for text, each in deltas]
            rows += [[kind.upper(), "α", f"δ = {text}", each] for text, each in alphas]
            value[kind] = {
                "delta": [{"alpha": text, **each} for text, each in deltas],
                "alpha": [{"delta": text, **each} for text, each in alphas],
            }
        return value, rows

    def _conclusion(self, found: _Found, time: int, releases: int) -> str:
        """Say what the first answer means."""
        of_all = f"{counted(releases, 'release protects', 'releases protect')} the value at time {time}"
        if self.deltas:
            what, more = in_words(found.alphas[0], self.deltas[0])
            return f"{of_all} {what} at δ = {self.deltas[0]}{more}"
        delta = decimal_text(found.deltas[0].enclosure(DIGITS_IN_BRIEF).upper)
        return f"{of_all} with δ = {delta} at α = {self.alphas[0]}."


@dataclass(frozen=True, slots=True)
class _Found:
    """The greatest δ at each α, and α at each δ, of all adversaries."""

    deltas: Sequence[WorstDelta]
    alphas: Sequence[WorstAlpha]
