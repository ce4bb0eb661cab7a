"""`tploracle leakage`: BPL, FPL and TPL over time, or the worst of them after given numbers of releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import click

from ..contract.limits import check_leakage
from ..data.adversaries import losses_of
from ..data.files import Files
from ..models.model import Answers, Model, answered
from ..models.neighbours import Neighbours
from ..output.progress import patience
from ..output.sheets import Conclusion, Grid, Heading, Output, Sheet, odds
from ..reference import Adversary, InvalidRequest, Level, PopulationLeakage
from ..wire.strict_json import Object
from ..wire.values import KINDS
from .at_delta import LeakageAtDelta, check_alone
from .beyond_pure import Noise, noise_options
from .knowing import knowing_of, knowing_option
from .options import (
    Correlations,
    Releases,
    correlation_options,
    files_and_output,
    model_options,
    neighbours_options,
    plot_option,
    release_options,
    whole_numbers,
)
from .priors import Prior, prior_option

_TIMES_SHOWN = 3


@click.command("leakage")
@correlation_options()
@release_options()
@click.option(
    "--delta",
    metavar="PROBABILITY",
    help="Report the least α with which the value at each time is (α, PROBABILITY)-protected.",
)
@noise_options("With --delta: ")
@neighbours_options()
@click.option("--at", metavar="TIMES", help="Report only these times, as in 1,5,10.")
@click.option(
    "--after", metavar="COUNTS", help="Report the worst leakage after these numbers of releases, as in 1,5,10."
)
@knowing_option
@prior_option
@plot_option
@model_options
@files_and_output(has_levels=True)
def leakage_command(
    *,
    correlations: Correlations,
    releases: Releases,
    delta: str | None,
    noise: Noise,
    neighbours: Neighbours,
    at: str | None,
    after: str | None,
    knowing: tuple[str, ...],
    prior: str | None,
    models: Sequence[Model],
    literal: bool,
    plot: str | None,
    files: Files,
    output: Output,
) -> None:
    """Compute the leakage of a stream of releases to an adversary who knows the correlations.

    The exact worst case is the greatest leakage over all mechanisms with these budgets, attained by one of them. The
    paper's bound is shown beside it and is never smaller. Several files for a role are candidates: equal numbers of
    files are paired in order; otherwise all combinations are used. The answer is then the maximum over adversaries who
    are each certain of one candidate. An uncertain adversary may learn more, because the stream may reveal which
    candidate holds: --prior bounds the leakage to such an adversary as well.

    With --delta, the answer is the least α for which the value at each time is (α, δ)-protected in the exact worst
    case, for releases of ε, (ε, δ), Gaussian noise or ρ-zCDP. It is enclosed by two numbers, which may be far apart for
    TPL between the ends of the stream.
    """
    if at and after:
        raise InvalidRequest("--at and --after exclude each other")
    if prior and (after or output.as_csv):
        raise InvalidRequest("--prior excludes --after and --csv")
    if knowing and (prior or plot):
        raise InvalidRequest("--knowing excludes --prior and --plot")
    if delta is not None:
        check_alone(models, literal, after=after, knowing=knowing, prior=prior)
        times = whole_numbers(at, "--at")
        LeakageAtDelta(delta, correlations, releases, noise, neighbours, times, plot).write(files, output)
        return
    if noise:
        raise InvalidRequest(
            "--sigma, --sensitivity and --delta-per-release need --delta: no pure ε bounds such releases"
        )
    counts = whole_numbers(after, "--after")
    budgets = neighbours.read(releases.budgets(files, usual_steps=max(counts, default=None)))
    times = whole_numbers(at, "--at") or list(range(1, len(budgets) + 1))
    for option, numbers in (("--at", times), ("--after", counts)):
        if numbers and max(numbers) > len(budgets):
            raise InvalidRequest(f"{option}: {max(numbers)} is beyond the {len(budgets)} releases")
    adversaries = correlations.adversaries(files, literal)
    check_leakage(budgets, losses_of(adversaries), output.digits, len(adversaries))
    mixture = None if prior is None else Prior.of(prior, adversaries)
    known = knowing_of(knowing, adversaries, correlations, files)
    streams = [budgets[:count] for count in counts] or [budgets]
    with patience("leakage") as progress:

        def ask(model: Model) -> list[PopulationLeakage[str]]:
            found = []
            for number, stream in enumerate(streams, 1):
                asked = model if known is None else known.model(model)
                found.append(asked.leakage(stream, adversaries))
                progress(number, len(streams))
            return found

        answers = answered(models, ask)
    if counts:
        value, sheet = _after(answers, counts, output)
    else:
        value, sheet = _over_time(answers, times, output)
    basis, text, sheets = correlations.basis(files, adversaries, answers.absent), _conclusion(answers, output), [sheet]
    basis = neighbours.basis(basis if known is None else known.basis(basis))
    if mixture is not None:
        value["mixture"], own, whole = mixture.shown(budgets, times, output)
        basis, text, sheets = (
            mixture.basis(basis),
            f"{whole} To an adversary who is certain of one candidate: {text}",
            [own, sheet],
        )
    output.conclude(Conclusion(text, basis), [value], *sheets)
    if plot:
        from ..output.plots import leakage_picture

        curves = {
            f"{kind.upper()}, {model.title}": [best.level for best in getattr(full, kind)]
            for model, full in _whole(answers, budgets, adversaries).items()
            for kind in KINDS
        }
        leakage_picture(plot, {_title(budgets): curves})
    answers.finish()


def _whole(
    answers: Answers[list[PopulationLeakage[str]]], budgets: Sequence[Level], adversaries: Mapping[str, Adversary]
) -> dict[Model, PopulationLeakage[str]]:
    """Return the leakage of all the releases by each model."""
    known = {model: [own for own in found if len(own.tpl) == len(budgets)] for model, found in answers.found.items()}
    return {model: own[0] if own else model.leakage(budgets, adversaries) for model, own in known.items()}


def _title(budgets: Sequence[Level]) -> str:
    first = budgets[0]
    equal = all(budget is first for budget in budgets)
    text = f", budget {first.exact_text}" if equal and first.exact_text else ""
    return f"{len(budgets)} release{'s' if len(budgets) > 1 else ''}{text}"


def _conclusion(answers: Answers[list[PopulationLeakage[str]]], output: Output) -> str:
    """Say what the longest stream leaks about one time, by each model, and what the first of them means."""
    parts: list[str] = []
    for model, found in answers.found.items():
        longest = max(found, key=lambda own: len(own.tpl))
        worst = _Worst.of(model, longest, "tpl")
        if not parts:
            releases = len(longest.tpl)
            parts.append(
                f"{releases} release{'s leak' if releases > 1 else ' leaks'} at most {output.words(worst.level)} nats "
                f"about the value at any one time ({model.title}): an adversary's odds between two values there change "
                f"{odds(worst.level)}."
            )
        else:
            parts.append(f"The {model.title} is {output.words(worst.level)}.")
    return " ".join(parts)


def _over_time(
    answers: Answers[list[PopulationLeakage[str]]], times: Sequence[int], output: Output
) -> tuple[Object, Sheet]:
    """Return the leakage at the given times by each model; whose it is where there are several adversaries."""
    grid = Grid(len(times))
    grid.add("time", times)
    value: Object = {"times": list(times)}
    for model, (found,) in answers.found.items():
        several = len(found.each) > 1
        columns: dict[str, list[Object]] = {}
        for kind in KINDS:
            best = [getattr(found, kind)[time - 1] for time in times]
            levels = [output.level(own.level) for own in best]
            columns[kind] = [
                {**level, "attained_by": list(own.attained_by)} if several else level
                for level, own in zip(levels, best, strict=True)
            ]
            grid.add(Heading.of(model, kind.upper()), levels)
        if several:
            grid.add(Heading.of(model, "TPL of"), (", ".join(found.tpl[time - 1].attained_by) for time in times))
        value[model.key] = columns
    return value, grid.sheet("Leakage over time", output.numerals)


@dataclass(frozen=True, slots=True)
class _Worst:
    """The greatest leakage of a kind over all times, the times, and whose it is there."""

    level: Level
    times: tuple[int, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, model: Model, found: PopulationLeakage[str], kind: str) -> _Worst:
        best = getattr(found, kind)
        worst = model.greatest({time: own.level for time, own in enumerate(best, 1)})
        return cls(worst.level, worst.attained_by, best[worst.attained_by[0] - 1].attained_by)


def _after(
    answers: Answers[list[PopulationLeakage[str]]], counts: Sequence[int], output: Output
) -> tuple[Object, Sheet]:
    """Return the greatest leakage over all times after each number of releases, by each model, and where it is."""
    grid = Grid(len(counts))
    grid.add("releases", counts)
    value: Object = {"releases": list(counts)}
    for model, found in answers.found.items():
        several = len(found[0].each) > 1
        columns: Object = {}
        for kind in KINDS:
            worst = [_Worst.of(model, own, kind) for own in found]
            levels = [output.level(own.level) for own in worst]
            columns[f"worst_{kind}"] = [
                {**level, "times": list(own.times), **({"attained_by": list(own.names)} if several else {})}
                for level, own in zip(levels, worst, strict=True)
            ]
            grid.add(Heading.of(model, kind.upper(), key=f"worst_{kind}"), levels)
        grid.add(Heading.of(model, "at time"), (_times(own.times) for own in worst))
        if several:
            grid.add(Heading.of(model, "of"), (", ".join(own.names) for own in worst))
        value[model.key] = columns
    return value, grid.sheet("Worst leakage over all times", output.numerals)


def _times(times: Sequence[int]) -> str:
    """Write the first times; all of them where they are the first to the last."""
    if len(times) > _TIMES_SHOWN and times[-1] - times[0] == len(times) - 1:
        return f"{times[0]} to {times[-1]}"
    shown = " ".join(map(str, times[:_TIMES_SHOWN]))
    return shown if len(times) <= _TIMES_SHOWN else f"{shown} …"
