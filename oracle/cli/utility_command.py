"""`tploracle utility`: the noise that budgets cost which keep TPL at a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..contract.limits import check_count, check_schedule
from ..data.files import Files
from ..models.model import Model, answered
from ..models.neighbours import Neighbours
from ..output.progress import patience
from ..output.sheets import Cell, Conclusion, Heading, Output, Sheet
from ..reference import COUNT_SENSITIVITY, Enclosure, Level, group_privacy, mean_noise
from ..reference.decimals import fraction_to_text
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from .declared import option
from .options import (
    Correlations,
    ReadingCommand,
    correlation_options,
    model_options,
    neighbours_options,
    output_options,
    plot_option,
    reading_options,
    whole_numbers,
)
from .patient import NOT_ALL, or_else

NoiseColumns = dict[str, list[Enclosure]]


class UtilityCommand(ReadingCommand):
    """Compare the mean expected absolute Laplace noise, Δ/ε_t on average, of budgets that keep TPL within α.

    upper-bound, quantified, constant and least-noise are the methods of allocate; group is α/T each, safe under any
    correlation; independent is α each, safe only without correlation. The exact worst case never needs more noise than
    the paper's bound.
    """

    alpha: str = option(metavar="LEVEL", required=True, help="The level that TPL must not exceed; a rational number.")
    steps: str = option(metavar="COUNTS", required=True, help="Numbers of releases, as in 5,10,50.")
    correlations: Correlations = correlation_options(stepwise=False)
    neighbours: Neighbours = neighbours_options()
    sensitivity: str | None = option(
        metavar="NUMBER",
        help="Sensitivity Δ, for the same neighbours.  [default: 2, that of counts per place; 1 with add-remove]",
    )
    plot: str | None = plot_option
    models: Sequence[Model] = model_options
    files: Files = reading_options
    output: Output = output_options(in_brief=True)

    def _run(self) -> None:
        self._level = Reader().level(self.alpha, "--alpha")
        self._horizons = whole_numbers(self.steps, "--steps")
        check_count(len(self._horizons), 1000, "horizons")
        self._delta = COUNT_SENSITIVITY
        if self.sensitivity is not None:
            # The noise is in proportion to Δ/ε: a replaced record has twice the ε, and twice the Δ.
            part = 2 if self.neighbours.converts else 1
            self._delta = part * Reader().number(self.sensitivity, "--sensitivity")
        self._adversaries = self.correlations.adversaries(self.files, self.models)
        check_schedule(max(self._horizons), self.output.digits, len(self._adversaries))
        done: dict[Model, NoiseColumns] = {}

        def write(absent: Mapping[str, str], *notes: str) -> None:
            """Write the numbers of releases for which every noise is known."""
            number = min((len(column) for columns in done.values() for column in columns.values()), default=0)
            value, sheet = self._shown(done, number)
            basis = self.neighbours.basis(self.correlations.basis(self.files, self._adversaries, absent))
            text = " ".join([f"The mean noise that keeps TPL within {self.alpha}, in units of the answer.", *notes])
            self.output.conclude(Conclusion(text, basis), [value | ({"note": NOT_ALL} if notes else {})], sheet)

        with or_else(lambda: write({}, NOT_ALL)), patience("utility"):
            answers = answered(self.models, lambda model: self._add_noises(model, done.setdefault(model, {})))
        done = dict(answers.found)
        write(answers.absent)
        if self.plot:
            from ..output.plots import noise_picture

            curves = {
                f"{name}, {model.title}": column for model, columns in done.items() for name, column in columns.items()
            }
            columns = self._by_no_model(len(self._horizons)) | curves
            noise_picture(self.plot, f"Mean noise, α = {self.alpha}", self._horizons, columns)
        answers.finish()

    def _add_noises(self, model: Model, found: NoiseColumns) -> NoiseColumns:
        """Add the mean noise of each method that a model has for all the horizons. Raises: as `Model.schedule`."""
        methods = [method for method, longest in model.longest.items() if max(self._horizons) <= longest]
        found |= {method: [] for method in methods}
        for horizon in self._horizons:
            for method in methods:
                digits = self.output.digits + 2
                schedule = model.schedule(self._level, self._adversaries, method, horizon, digits)
                model.kept(schedule, self._adversaries, self._level)
                found[method].append(self._noise(schedule))
        return found

    def _noise(self, schedule: Sequence[Level]) -> Enclosure:
        return mean_noise(schedule, self._delta, self.output.digits)

    def _by_no_model(self, number: int) -> NoiseColumns:
        """Return the noise of the two schedules that need no model, for the first horizons."""
        times = self._horizons[:number]
        return {
            "group": [self._noise([group_privacy(self._level, time)]) for time in times],
            "independent": [self._noise([self._level]) for _ in times],
        }

    def _shown(self, found: Mapping[Model, NoiseColumns], number: int) -> tuple[Object, Sheet]:
        """Return the answer and its table, for the first horizons."""
        times = self._horizons[:number]
        either = self._by_no_model(number)
        headings: list[str | Heading] = ["releases", *either]
        columns = list(either.values())
        value: Object = {"horizons": list(times)} | {name: _values(column) for name, column in either.items()}
        for model, own in found.items():
            value[model.key] = {name: _values(column[:number]) for name, column in own.items()}
            headings += [Heading.of(model, name.replace("-", "-\n"), key=name) for name in own]
            columns += own.values()
        rows: list[list[Cell]] = [
            [time, *(_noise_value(column[place]) for column in columns)] for place, time in enumerate(times)
        ]
        return value, Sheet("Mean expected absolute noise", tuple(headings), rows, ("Rounded up.",))


def _values(column: Sequence[Enclosure]) -> list[Object]:
    return [_noise_value(noise) for noise in column]


def _noise_value(noise: Enclosure) -> Object:
    """Return an enclosure in the form that levels have."""
    exact = fraction_to_text(Fraction(noise.lower)) if noise.lower == noise.upper else None
    return {"exact": exact, "lower": str(noise.lower), "upper": str(noise.upper)}
