"""`tploracle allocate`: budgets that keep TPL at a level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import click

from ..contract.allocation import QUANTIFIED, UPPER_BOUND
from ..contract.limits import check_schedule
from ..data.files import Files
from ..models.kept_profile import EPSILON, NOISE_MULTIPLIER, RHO
from ..models.model import Answers, Model, why_absent
from ..models.neighbours import Neighbours
from ..models.schedules import (
    COMPARED_DIGITS,
    CONSTANT,
    MOST_FITTED,
    SCHEDULE_METHODS,
    check_horizon,
    compared_schedules,
    shared,
)
from ..output.progress import patience
from ..output.sheets import Cell, Conclusion, Heading, Output, Sheet
from ..reference import Adversary, InvalidRequest, Level, Undecided
from ..wire.numerals import Reader
from ..wire.strict_json import Object, as_object
from ..wire.values import KINDS
from .at_delta import AllocateAtDelta
from .beyond_pure import check_models
from .declared import option
from .knowing import knowing_of, knowing_option
from .laws import EXCLUDED, allocate_on_law, law_option
from .options import (
    Correlations,
    ReadingCommand,
    correlation_options,
    model_options,
    neighbours_options,
    output_options,
    plot_option,
    reading_options,
)
from .patient import NOT_ALL, answered_or_exactly, or_else
from .priors import prior_of, prior_option, told
from .schedule_tables import budget_entry, comparison, comparison_sheet, doubles_below, greatest_value, own_budgets


class AllocateCommand(ReadingCommand):
    """Find budgets that keep TPL within α, and verify them by computing their leakage.

    Methods: upper-bound (Algorithm 7), one budget for every release over an infinite horizon; quantified (Algorithm 8),
    a schedule for T releases whose TPL by the paper's bound is α at every time; constant, the greatest budget that each
    of T releases may have; least-noise, the known schedule for T releases with the least mean noise. The exact worst
    case admits budgets at least as great as the paper's bound does. With several users or candidates the schedule
    is safe for all of them (each adversary is certain of one candidate), and the budgets for each one alone are printed
    beside it. With --prior it is safe for an adversary who does not know which candidate holds; with --knowing, both
    for an adversary who knows some values of this person and for one who does not.

    With --delta, find the greatest ε with which T releases keep the value at each time (α, δ)-protected; or, with
    --gaussian, the least noise multiplier, or, with --zcdp, the greatest ρ. Each is found by bisection and verified by
    the exact worst case. With --one-sided and without --steps, it is for an infinite horizon.
    """

    alpha: str = option(metavar="LEVEL", required=True, help="The level that TPL must not exceed.")
    correlations: Correlations = correlation_options()
    law: str | None = law_option
    method: str | None = option(
        type=click.Choice(SCHEDULE_METHODS),
        help="One budget at all times, or a schedule for T releases.  [default: upper-bound; constant with --steps]",
    )
    steps: int | None = option(help="Number of releases; all methods but upper-bound need it.")
    delta: str | None = option(metavar="PROBABILITY", help="Keep the value at each time (α, PROBABILITY)-protected.")
    delta_per_release: str | None = option(
        metavar="PROBABILITY", help="With --delta: δ of every release.  [default: 0]"
    )
    gaussian: bool = option(help="With --delta: find the least noise multiplier σ/Δ of Gaussian noise.")
    zcdp: bool = option(help="With --delta: find the greatest ρ such that each release may be ρ-zCDP.")
    neighbours: Neighbours = neighbours_options()
    knowing: tuple[str, ...] = knowing_option
    prior: str | None = prior_option
    plot: str | None = plot_option
    models: Sequence[Model] = model_options
    files: Files = reading_options
    output: Output = output_options(has_levels=True)

    refused = (
        "--gaussian, --zcdp and --delta-per-release need --delta",
        "--delta excludes --knowing, --prior and --plot",
        "--delta excludes --float: with --delta a budget is a decimal that was itself verified",
        "--gaussian excludes --zcdp",
        "--delta-per-release excludes --gaussian and --zcdp: they have a curve of (ε, δ)",
        "--plot needs --steps",
        "--knowing needs --steps",
        "--knowing excludes --prior",
        EXCLUDED,
        "--law excludes --plot, --float and --method",
    )

    def _run(self) -> None:
        if self.law is not None:
            allocate_on_law(self.law, self.alpha, self.steps, self.neighbours, self.output)
            return
        if self.delta is not None:
            check_models(self.models)
            kind = NOISE_MULTIPLIER if self.gaussian else RHO if self.zcdp else EPSILON
            asked_so = (self.alpha, self.delta, self.delta_per_release, kind, self.steps, self.method)
            AllocateAtDelta(*asked_so, self.correlations, self.neighbours).write(self.files, self.output)
            return
        level = Reader().level(self.alpha, "--alpha")
        self._method = method = self.method or (UPPER_BOUND if self.steps is None else CONSTANT)
        if method != UPPER_BOUND or self.steps is not None:
            check_horizon(method, self.steps)
        if self.knowing and method != CONSTANT:
            raise InvalidRequest(f"--knowing needs --method {CONSTANT}")
        self._adversaries = adversaries = self.correlations.adversaries(self.files, self.models)
        check_schedule(self.steps or 1, self.output.digits, len(adversaries))
        known = knowing_of(self.knowing, adversaries, self.correlations, self.files)
        mixture = None if self.prior is None else prior_of(self.prior, adversaries)
        self._kept = level if mixture is None else mixture.left(level)

        with or_else(self._write_shared), patience("budgets"):
            answers = answered_or_exactly(
                self.models,
                lambda model: self._budgets(model if known is None else known.model(model)),
                lambda found: self.output.words(min(self._printed(found.spent), key=Level.double_below).to_spend()),
            )
        for model, found in answers.found.items():
            if found.unfinished is not None:
                answers.unfinished = found.unfinished
                answers.absent[model.key] = (
                    f"own budgets of {len(adversaries) - len(found.own)} of {len(adversaries)} users: "
                    f"{why_absent(model, found.unfinished)}"
                )
        value, sheets = self._shown(answers)
        comparable = answers.unfinished is None and not (level.is_infinite or self.neighbours.converts or known)
        if comparable and self.steps is not None and 1 < self.steps <= MOST_FITTED:
            with patience("comparison"):
                schedules = compared_schedules(level, adversaries, self.steps, tuple(answers.found), self._kept)
            rows = comparison(schedules, min(self.output.digits, COMPARED_DIGITS))
            value["comparison"] = rows
            sheets.append(comparison_sheet(rows, self.steps))
        basis = self.neighbours.basis(self.correlations.basis(self.files, adversaries, answers.absent))
        text = self._conclusion(answers)
        if known is not None:
            text += (
                f" That holds against an adversary who knows {'; '.join(known.texts)}, and against one who does not."
            )
            basis = known.basis(basis)
        if mixture is not None:
            basis = mixture.basis(basis)
            text += f" {told(mixture, self._kept, self.output)}{self._greater_share(level, answers)}"
        self.output.conclude(Conclusion(text, basis), [value], *sheets)
        if self.plot:
            from ..output.plots import leakage_picture

            panels: dict[str, dict[str, Sequence[Level]]] = {
                f"{method}, α = {self.alpha}, {model.title}": {
                    "budget": self._printed(found.spent),
                    "TPL": found.tallest(model),
                }
                for model, found in answers.found.items()
            }
            leakage_picture(self.plot, panels)
        answers.finish()

    def _printed(self, spent: Sequence[Level]) -> tuple[Level, ...]:
        """Return budgets under replacement as budgets of the kind that is asked for."""
        return self.neighbours.printed(spent, self.output.digits)

    def _budgets(self, model: Model) -> _Budgets:
        """Return a model's schedule for all, verified, and each one's own."""
        schedule = self._schedule(model, self._adversaries)
        if self.steps is None:
            schedule = schedule[:1]
        schedule = self._printed(schedule)
        spent = tuple(self.neighbours.read(doubles_below(schedule) if self.output.doubles else schedule))
        several = len(self._adversaries) > 1
        tpl: list[tuple[Level, ...]] = []
        suprema: list[tuple[Level, ...]] = []
        if self.steps is None:
            suprema = model.kept_for_ever(spent[0], self._adversaries, self._kept)
        else:
            attained = self._method == QUANTIFIED and not (self.output.doubles or several or self.neighbours.converts)
            tpl = model.kept(spent, self._adversaries, self._kept, attained)
        for each in zip(*(suprema or tpl), strict=True):
            self._within(each)  # its digits are known from now on: a model whose digits take too long is absent
        own: dict[str, tuple[Level, ...]] = {}
        unfinished: BaseException | None = None
        if several:
            try:
                own.update(self._own(model))
            except (Undecided, KeyboardInterrupt) as error:  # what is safe for all is known by now
                unfinished = error
        return _Budgets(schedule, spent, tpl, suprema, own, unfinished)

    def _own(self, model: Model) -> Iterator[tuple[str, tuple[Level, ...]]]:
        """Yield each one's own schedule, verified."""
        known: dict[object, tuple[Level, ...]] = {}
        for name, adversary in self._adversaries.items():
            key = tuple(map(id, adversary.losses))
            if key not in known:
                known[key] = self._schedule(model, {name: adversary})
                if self.steps is None:
                    model.kept_for_ever(known[key][0], {name: adversary}, self._kept)
                else:
                    model.kept(known[key], {name: adversary}, self._kept, self._method == QUANTIFIED)
            yield name, self._printed(known[key])

    def _schedule(self, model: Model, adversaries: Mapping[str, Adversary]) -> tuple[Level, ...]:
        found = model.schedule(self._kept, adversaries, self._method, self.steps, self.output.digits)
        budgets = {id(budget): budget.to_spend() for budget in found}
        return tuple(budgets[id(budget)] for budget in found)

    def _shown(self, answers: Answers[_Budgets]) -> tuple[Object, list[Sheet]]:
        output, horizon = self.output, self.steps
        headings: list[str | Heading] = [] if horizon is None else ["time"]
        rows: list[list[Cell]] = [[]] if horizon is None else [[time] for time in range(1, horizon + 1)]
        value: Object = {}
        own_headings: list[str | Heading] = ["name"]
        own_rows: list[list[Cell]] = [[name] for name in self._adversaries]
        for model, found in answers.found.items():
            entries = [budget_entry(budget, output) for budget in found.schedule]
            own_value: dict[str, object] = {"epsilons": entries}
            headings.append(Heading.of(model, "budget", is_budget=True))
            if horizon is None:
                levels: list[Object] = [self._within(each) for each in zip(*found.suprema, strict=True)]
                own_value["suprema"] = dict(zip(KINDS, levels, strict=True))
                headings += [Heading.of(model, f"{kind.upper()} below", key=f"{kind}_supremum") for kind in KINDS]
                rows[0] += [entries[0], *levels]
            else:
                tpl = [self._within(each) for each in zip(*found.tpl, strict=True)]
                own_value["tpl"] = tpl
                headings.append(Heading.of(model, "TPL"))
                for row, entry, level in zip(rows, entries, tpl, strict=True):
                    row += [entry, level]
            if found.own:
                own = {name: own_budgets(self._method, schedule, output) for name, schedule in found.own.items()}
                own_value["personalised"] = own
                places = list(own[next(iter(own))])
                own_headings += [Heading.of(model, place, is_budget=True) for place in places]
                for row, name in zip(own_rows, self._adversaries, strict=True):
                    entry_of = own.get(name)
                    row += [as_object(entry_of[place], place) if entry_of else "" for place in places]
            value[model.key] = own_value
        title = "The budget of every release, however many" if horizon is None else f"Budgets of {horizon} releases"
        notes = [output.numerals]
        if output.doubles:
            notes.append("Each double is at most the exact budget, and TPL is that of the doubles.")
        sheets = [Sheet(title, tuple(headings), rows, tuple(notes))]
        return value, [
            *sheets,
            *([Sheet("Each one's own budgets", tuple(own_headings), own_rows)] if own_rows[1:] else []),
        ]

    def _within(self, levels: Sequence[Level]) -> Object:
        """Enclose the greatest of levels that have been seen to be within α: no further than α."""
        value, most = (greatest_value(each, self.output.digits) for each in (levels, [self._kept]))
        return value | {"upper": min(value["upper"], most["upper"], key=lambda text: Decimal(str(text)))}

    def _conclusion(self, answers: Answers[_Budgets]) -> str:
        """Say what each release may spend, by each model."""
        told, verb = [], "spends at most"
        for model, found in answers.found.items():
            spent = self._printed(found.spent)
            least = min(spent, key=Level.double_below)
            equal = len({budget.exact_text or id(budget) for budget in spent}) == 1
            verb = verb if equal else "spends no more than its budget:"
            told.append(f"{self.output.words(least.to_spend())}{'' if equal else ' or more'} by the {model.title}")
        releases = "every release, however many," if self.steps is None else f"each of {self.steps} releases"
        return f"TPL stays within {self.alpha} if {releases} {verb} {'; '.join(told)}."

    def _greater_share(self, alpha: Level, answers: Answers[_Budgets]) -> str:
        """Say where α/T at each of T releases is more than the least budget that was found. Args: alpha, as given."""
        if self.steps is None or alpha.is_infinite:
            return ""
        ((share, *_),) = [self._printed(shared(alpha, self.steps, self.output.digits))]
        if all(share <= budget for found in answers.found.values() for budget in self._printed(found.spent)):
            return ""
        return f" α/T, {self.output.words(share.to_spend())} at each release, is safe as well, under any correlation."

    def _write_shared(self) -> None:
        """Write α/T at every release, which keeps a finite α under any correlation: nothing else is known yet."""
        if self.steps is None or self._kept.is_zero or self._kept.is_infinite:
            return
        entries = [
            budget_entry(each, self.output)
            for each in self._printed(shared(self._kept, self.steps, self.output.digits))
        ]
        rows: list[list[Cell]] = [[time, entry] for time, entry in enumerate(entries, 1)]
        columns = ("time", Heading("budget", "budget", is_budget=True))
        sheet = Sheet(f"Budgets of {self.steps} releases: α/T", columns, rows, (self.output.numerals,))
        text = f"α/T at every release keeps TPL at most α whatever is correlated. {NOT_ALL}"
        basis = self.neighbours.basis(self.correlations.basis(self.files, self._adversaries, {}))
        self.output.conclude(Conclusion(text, basis), [{"shared": {"epsilons": entries}, "note": NOT_ALL}], sheet)


@dataclass(frozen=True, slots=True)
class _Budgets:
    """A model's schedule as it is printed, what is spent of it under replacement, and what that makes.

    spent: where doubles are asked for, theirs. tpl: over time, to each kind of adversary, empty without a horizon;
    suprema: of BPL, FPL and TPL, to each, without one; own: each one's own schedule, where there are several;
    unfinished: why not everyone's was worked out.
    """

    schedule: tuple[Level, ...]
    spent: tuple[Level, ...]
    tpl: list[tuple[Level, ...]]
    suprema: list[tuple[Level, ...]]
    own: Mapping[str, tuple[Level, ...]]
    unfinished: BaseException | None

    def tallest(self, model: Model) -> list[Level]:
        """Return the greatest TPL at each time."""
        return [model.greatest(dict(enumerate(levels))).level for levels in zip(*self.tpl, strict=True)]
