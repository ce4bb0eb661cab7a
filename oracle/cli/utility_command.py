"""`tploracle utility`: the noise that budgets cost which keep TPL at a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import click

from ..contract.limits import check_count, check_schedule, check_tight
from ..contract.tight_schedules import (
    EXACT_CONSTANT,
    EXACT_LEAST_NOISE,
    MOST_FITTED_EXACTLY,
    distinct_matrices,
    tight_constant,
    tight_least_noise,
)
from ..contract.verified_schedules import (
    ALLOCATION_METHODS,
    FINITE_METHODS,
    LEAST_NOISE,
    MOST_FITTED,
    QUANTIFIED,
    UPPER_BOUND,
    AllocationTarget,
    distinct,
    fitted,
    verified,
)
from ..data.adversaries import losses_of
from ..data.files import Files
from ..output.progress import patience
from ..output.sheets import Cell, Output, Sheet
from ..reference import COUNT_SENSITIVITY, Adversary, Enclosure, Level, group_privacy, mean_noise
from ..reference.decimals import fraction_to_text
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from .options import (
    Correlations,
    correlation_options,
    files_and_output,
    plot_option,
    reference_option,
    whole_numbers,
)
from .patient import NOT_ALL, or_else

_UNITS = "In units of the answer. 0.12[3,4] is an enclosure: at least 0.123, at most 0.124."


@click.command("utility")
@click.option("--alpha", metavar="LEVEL", required=True, help="The level that TPL must not exceed, a rational one.")
@click.option("--horizon", "horizons", metavar="T,…", required=True, help="Numbers of releases, as in 5,10,50.")
@correlation_options()
@click.option("--tight", is_flag=True, help="Also constant and least-noise by the exact worst case.")
@click.option("--sensitivity", metavar="NUMBER", default="2", show_default=True, help="Δ; 2 for counts per place.")
@plot_option
@reference_option
@files_and_output()
def utility_command(
    *,
    alpha: str,
    horizons: str,
    correlations: Correlations,
    tight: bool,
    sensitivity: str,
    plot: str | None,
    literal: bool,
    files: Files,
    output: Output,
) -> None:
    """Print the mean expected absolute Laplace noise, Δ/ε_t on average, of the ways to keep TPL at most α.

    upper-bound, quantified, constant and least-noise are the methods of allocate, the last two up to 1,000 releases;
    group: α/T each, safe whatever is correlated; independent: α each, which keeps the level only without correlation.
    They keep the paper's bound of TPL within α. With --tight the greatest constant budget and the least-noise schedule,
    up to 100 releases, that keep the TPL of the worst mechanisms within α stand beside them, and are never noisier.
    """
    level = Reader().level(alpha, "--alpha")
    times = whole_numbers(horizons, "--horizon")
    check_count(len(times), 1000, "horizons")
    delta = Reader().number(sensitivity, "--sensitivity") if sensitivity != "2" else COUNT_SENSITIVITY
    adversaries = correlations.adversaries(files, literal)
    noise: dict[str, list[Enclosure]] = {}

    def write(*notes: str) -> None:
        """Write what is worked out, of those numbers of releases for which all is."""
        done = times[: min(map(len, noise.values()), default=0)]
        if not done:
            return
        value: Object = {"horizons": done}
        value |= {name: [_noise_value(found) for found in column[: len(done)]] for name, column in noise.items()}
        value |= {"note": " ".join(notes)} if notes else {}
        rows: list[list[Cell]] = [
            [time, *(_noise_value(column[place]) for column in noise.values())] for place, time in enumerate(done)
        ]
        output.write([value], Sheet("Mean expected absolute noise", ("releases", *noise), rows, (_UNITS, *notes)))

    with or_else(lambda: write(NOT_ALL)), patience("utility"):
        _add_noises(noise, level, times, delta, adversaries, digits=output.digits)
        if tight:
            noise |= _by_worst_case(level, times, delta, adversaries, output.digits)
    write()
    if plot:
        from ..output.plots import noise_picture

        noise_picture(plot, f"Mean noise, α = {alpha}", times, noise)


def _add_noises(
    found: dict[str, list[Enclosure]],
    alpha: Level,
    horizons: Sequence[int],
    sensitivity: Fraction,
    adversaries: Mapping[str, Adversary],
    *,
    digits: int,
) -> None:
    """Add the mean noise of each way to keep TPL at most alpha, of one number of releases after the other.

    Raises: InfeasibleBudget as `budgets`; InvalidLevel where α/T has no exact form.
    """
    fits = FINITE_METHODS if max(horizons) <= MOST_FITTED else ()
    names = (UPPER_BOUND, QUANTIFIED, *fits, "group", "independent")
    found |= {name: [] for name in names}
    for horizon in horizons:
        check_schedule(horizon, digits, len(adversaries))
        for method in ALLOCATION_METHODS:
            target = AllocationTarget(alpha, method, horizon)
            schedule = target.schedule(target.budgets_for(adversaries)[0])
            verified(schedule, distinct(adversaries), alpha)
            found[method].append(mean_noise(schedule, sensitivity, digits))
        for method in fits:
            schedule = fitted(alpha, distinct(adversaries), method, horizon)
            found[method].append(mean_noise(schedule, sensitivity, digits))
        found["group"].append(mean_noise([group_privacy(alpha, horizon)], sensitivity, digits))
        found["independent"].append(mean_noise([alpha], sensitivity, digits))


def _by_worst_case(
    alpha: Level, horizons: Sequence[int], sensitivity: Fraction, adversaries: Mapping[str, Adversary], digits: int
) -> dict[str, list[Enclosure]]:
    """Return the mean noise of the schedules by the exact worst case. Raises: as `tight_constant`."""
    states = max((loss.matrix.n for loss in losses_of(adversaries)), default=1)
    check_tight(max(horizons), states)
    known = distinct_matrices(adversaries)
    found = {
        EXACT_CONSTANT: [
            mean_noise([tight_constant(alpha, known, horizon, digits + 2)], sensitivity, digits) for horizon in horizons
        ]
    }
    if max(horizons) <= MOST_FITTED_EXACTLY:
        kinds = distinct(adversaries)
        found[EXACT_LEAST_NOISE] = [
            mean_noise(
                tight_least_noise(alpha, known, horizon, digits + 2, [fitted(alpha, kinds, LEAST_NOISE, horizon)]),
                sensitivity,
                digits,
            )
            for horizon in horizons
        ]
    return found


def _noise_value(noise: Enclosure) -> Object:
    """Return an enclosure in the form that levels have."""
    exact = fraction_to_text(Fraction(noise.lower)) if noise.lower == noise.upper else None
    return {"exact": exact, "lower": str(noise.lower), "upper": str(noise.upper)}
