"""`tploracle leakage`: BPL, FPL and TPL over time, or the worst of them after given numbers of releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..contract.limits import check_leakage
from ..data.adversaries import losses_of, pairs_at_delta
from ..data.files import Files
from ..models.model import Answers, Model, answered
from ..models.neighbours import Neighbours
from ..models.stream_profile import leakage_at_delta
from ..output.progress import patience
from ..output.sheets import Conclusion, Grid, Heading, Output, Sheet, counted_releases, odds
from ..reference import Adversary, InvalidRequest, Level, PopulationLeakage
from ..wire.strict_json import Object
from ..wire.values import KINDS
from .beyond_pure import (
    NOTE,
    Noise,
    alpha_value,
    basis_at_delta,
    bits_for,
    chance_of,
    check_models,
    enclosing,
    in_words,
    noise_options,
)
from .declared import option
from .knowing import knowing_of, knowing_option
from .laws import EXCLUDED, law_option, leakage_on_law
from .options import (
    Correlations,
    ReadingCommand,
    Releases,
    correlation_options,
    model_options,
    neighbours_options,
    output_options,
    plot_option,
    reading_options,
    release_options,
    whole_numbers,
)
from .priors import prior_of, prior_option, shown

_TIMES_SHOWN = 3


class LeakageCommand(ReadingCommand):
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

    correlations: Correlations = correlation_options()
    law: str | None = law_option
    releases: Releases = release_options()
    delta: str | None = option(
        metavar="PROBABILITY",
        help="Report the least α with which the value at each time is (α, PROBABILITY)-protected.",
    )
    noise: Noise = noise_options("With --delta: ")
    neighbours: Neighbours = neighbours_options()
    at: str | None = option(metavar="TIMES", help="Report only these times, as in 1,5,10.")
    after: str | None = option(
        metavar="COUNTS", help="Report the worst leakage after these numbers of releases, as in 1,5,10."
    )
    knowing: tuple[str, ...] = knowing_option
    prior: str | None = prior_option
    plot: str | None = plot_option
    models: Sequence[Model] = model_options
    files: Files = reading_options
    output: Output = output_options(has_levels=True)

    refused = (
        "--at and --after exclude each other",
        "--prior excludes --after and --csv",
        "--knowing excludes --prior and --plot",
        "--delta excludes --after, --knowing and --prior",
        "--sigma, --sensitivity, --rho and --delta-per-release need --delta: no pure ε bounds such releases",
        EXCLUDED,
        "--law excludes --at, --after and --float",
    )

    def _run(self) -> None:
        if self.law is not None:
            budgets = self.neighbours.read(self.releases.budgets(self.files))
            leakage_on_law(self.law, budgets, self.neighbours, self.output, self.plot)
            return
        if self.delta is not None:
            self._run_at_delta(self.delta)
            return
        files, output = self.files, self.output
        counts = whole_numbers(self.after, "--after")
        budgets = self.neighbours.read(self.releases.budgets(files, usual_steps=max(counts, default=None)))
        times = self._times(len(budgets))
        if counts and max(counts) > len(budgets):
            raise InvalidRequest(f"--after: {max(counts)} is beyond the {len(budgets)} releases")
        adversaries = self.correlations.adversaries(files, self.models)
        check_leakage(budgets, losses_of(adversaries), output.digits, len(adversaries))
        mixture = None if self.prior is None else prior_of(self.prior, adversaries)
        known = knowing_of(self.knowing, adversaries, self.correlations, files)
        streams = [budgets[:count] for count in counts] or [budgets]
        with patience("leakage") as progress:

            def ask(model: Model) -> list[PopulationLeakage[str]]:
                found = []
                for number, stream in enumerate(streams, 1):
                    asked = model if known is None else known.model(model)
                    found.append(asked.leakage(stream, adversaries))
                    progress(number, len(streams))
                return found

            answers = answered(self.models, ask)
        value, sheet = _after(answers, counts, output) if counts else _over_time(answers, times, output)
        text, sheets = _conclusion(answers, output), [sheet]
        basis = self.correlations.basis(files, adversaries, answers.absent)
        basis = self.neighbours.basis(basis if known is None else known.basis(basis))
        if mixture is not None:
            value["mixture"], own, whole = shown(mixture, budgets, times, output)
            basis, sheets = mixture.basis(basis), [own, sheet]
            text = f"{whole} To an adversary who is certain of one candidate: {text}"
        output.conclude(Conclusion(text, basis), [value], *sheets)
        if self.plot:
            from ..output.plots import leakage_picture

            curves = {
                f"{kind.upper()}, {model.title}": [best.level for best in getattr(full, kind)]
                for model, full in _whole(answers, budgets, adversaries).items()
                for kind in KINDS
            }
            leakage_picture(self.plot, {_title(budgets): curves})
        answers.finish()

    def _times(self, releases: int) -> list[int]:
        """Return the times asked about. Raises: InvalidRequest."""
        times = whole_numbers(self.at, "--at") or list(range(1, releases + 1))
        if max(times) > releases:
            raise InvalidRequest(f"--at: {max(times)} is beyond the {releases} releases")
        return times

    def _run_at_delta(self, delta: str) -> None:
        """Answer beyond pure ε, by the exact worst case alone."""
        check_models(self.models)
        files, output = self.files, enclosing(self.output)
        chance = chance_of(delta, "--delta")
        budgets = self.noise.budgets(self.releases, files, self.neighbours)
        times = self._times(len(budgets))
        known = pairs_at_delta(self.correlations.known(files))
        bits = bits_for(output.digits)
        with patience("leakage") as progress:
            found = leakage_at_delta(budgets, known.values(), chance, times, bits=bits, advance=progress)
        grid = Grid(len(times))
        grid.add("time", times)
        columns = {kind: [alpha_value(each, output) for each in found[kind]] for kind in KINDS}
        for kind, own in columns.items():
            grid.add(Heading(kind.upper(), f"worst_case_{kind}"), own)
        tpl = found["tpl"]
        worst = max(range(len(times)), key=lambda place: (tpl[place].upper, tpl[place].lower, -place))
        what, more = in_words(tpl[worst], delta)
        least = "protected" if tpl[worst].upper.is_infinite else "the least protected,"
        text = f"At δ = {delta} the value at time {times[worst]} is {least} {what} (exact worst case){more}"
        value: Object = {"times": list(times), "delta": delta, "worst_case": columns}
        conclusion = Conclusion(text, basis_at_delta(self.correlations, files, known, self.neighbours))
        output.conclude(conclusion, [value], grid.sheet(f"Leakage over time at δ = {delta}", NOTE))
        if self.plot:
            from ..output.plots import leakage_picture

            curves = {kind.upper(): [own.upper for own in found[kind]] for kind in KINDS}
            leakage_picture(self.plot, {f"at δ = {delta}, from above": curves})


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
            parts.append(
                f"{counted_releases(len(longest.tpl), 'leak')} at most {output.words(worst.level)} nats "
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
