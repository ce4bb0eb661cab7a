"""`tploracle supremum`: how far leakage rises with one budget at every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import click

from ..contract.allocation import UPPER_BOUND
from ..contract.limits import MOST_RELEASES, check_count, check_leakage
from ..contract.operations import attained_supremum
from ..data.adversaries import adversaries_of, losses_of, user_matrices
from ..data.files import ROLES, Files
from ..models.basis import Basis
from ..models.chain import chain_of, completed, correlations_of
from ..models.model import Answers, Model, answered
from ..models.neighbours import Neighbours
from ..output.sheets import Cell, Columns, Conclusion, Heading, Output, Sheet, witness_cells
from ..reference import (
    Adversary,
    InvalidRequest,
    Level,
    LossFunction,
    Supremum,
    TransitionMatrix,
    leakage_at,
    steps_within,
    supremum,
)
from ..reference.paper.own_steps import NOT_ONE_STEP
from ..reference.paper.supremum import MOST_STEPS
from ..reference.stepwise import KnownCorrelation
from ..wire.numerals import Reader
from ..wire.stepwise import CYCLE
from ..wire.strict_json import Object
from .beyond_pure import NOT_OVER_ALL_TIME, without_delta_option
from .options import (
    CANDIDATES,
    MatrixFile,
    files_and_output,
    kind_option,
    matrix_options,
    model_options,
    neighbours_options,
    one_sided_option,
    plot_option,
    told_by,
)
from .patient import answered_or_exactly, patient_loss_function
from .priors import MIXED, Prior, prior_option

_STEPS_DRAWN = 50


@click.command("supremum")
@matrix_options(several=True)
@kind_option([CYCLE])
@one_sided_option()
@neighbours_options()
@click.option("--epsilon", "epsilons", metavar="LEVEL", multiple=True, help="The budget at every time; repeatable.")
@click.option(
    "--within",
    "deltas",
    metavar="LEVEL",
    multiple=True,
    help="With --one-sided: number of releases until the paper's bound is within LEVEL of its supremum; repeatable.",
)
@click.option("--steps", type=int, help="With --one-sided: also print the paper's bound after this many releases.")
@click.option("--cap", metavar="LEVEL", help="Find the largest budget whose supremum stays within LEVEL.")
@without_delta_option(NOT_OVER_ALL_TIME)
@prior_option
@plot_option
@model_options
@files_and_output(has_levels=True)
def supremum_command(
    *,
    matrices: Sequence[MatrixFile],
    kind_of_files: str,
    one_sided: bool,
    neighbours: Neighbours,
    epsilons: tuple[str, ...],
    deltas: tuple[str, ...],
    steps: int | None,
    cap: str | None,
    prior: str | None,
    models: Sequence[Model],
    literal: bool,
    plot: str | None,
    files: Files,
    output: Output,
) -> None:
    """Find the supremum of TPL over time under a constant budget, for an adversary who knows MATRIX and its reversal.

    If a file has both matrices, both are used unless --role chooses one. If a file has counts, P^F is used unless
    --role chooses P^B: the two matrices estimated from counts seldom belong to one chain. With --one-sided the answer
    is the supremum of BPL (for a backward MATRIX) or FPL (for a forward one), with the terms of the paper's bound.

    Several matrices are candidates: the answer is the maximum over adversaries who are each certain of one. An
    uncertain adversary may learn more, because the stream may reveal which candidate holds: --prior bounds the leakage
    to such an adversary as well. With --matrices cycle the matrices are those of successive steps, repeated.

    The paper's bound is infinite if some row puts probability q on columns where another row has none and q·e^ε ≥ 1;
    the exact worst case may then still be finite.
    """
    if bool(epsilons) == bool(cap):
        raise InvalidRequest("give either --epsilon or --cap")
    if prior and output.as_csv:
        raise InvalidRequest("--prior excludes --csv")
    budgets = neighbours.read(Reader().levels(list(epsilons), "--epsilon"))
    distances = Reader().levels(list(deltas), "--within")
    most = None if cap is None else Reader().level(cap, "--cap")
    if most is not None and (deltas or steps is not None or plot):
        raise InvalidRequest("--within, --steps and --plot belong to --epsilon")
    if not one_sided and (deltas or steps is not None or plot):
        raise InvalidRequest("--within, --steps and --plot belong to --one-sided: they are about one correlation")
    if any(distance.is_zero for distance in distances):
        raise InvalidRequest("--within: the supremum is approached but not reached: give a distance above 0")
    _check_steps(steps, plot)
    known = _Known.of(matrices, kind_of_files, one_sided, files, literal)
    if known.loss is None and (deltas or steps is not None or plot):
        raise InvalidRequest(f"--within, --steps and --plot: {NOT_ONE_STEP}")
    mixture = None if prior is None else Prior.of(prior, known.adversaries)
    kind = known.kind
    check_leakage(budgets or [most or Level.of(0)], known.losses, output.digits)
    if most is not None:
        kept = most if mixture is None else mixture.left(most)
        of_cap = answered_or_exactly(
            models,
            lambda model: neighbours.printed(
                model.schedule(kept, known.adversaries, UPPER_BOUND, None, output.digits), output.digits
            )[0],
            lambda found: output.words(found.to_spend()),
        )
        levels = {model: output.level(found) for model, found in of_cap.found.items()}
        text = "; ".join(f"{output.words(found)} by the {model.title}" for model, found in of_cap.found.items())
        of_columns: Columns = (
            "cap",
            *(Heading.of(model, "budget", is_budget=True) for model in levels),
        )
        sheet = Sheet("The largest constant budget", of_columns, [[str(cap), *levels.values()]], (output.numerals,))
        basis = neighbours.basis(known.basis(of_cap.absent))
        text = f"{kind} stays within {cap} over an infinite horizon with a budget of {text}."
        if mixture is not None:
            basis, text = mixture.basis(basis), f"{text} {mixture.told(kept, output)}"
        conclusion = Conclusion(text, basis)
        output.conclude(conclusion, [{"cap": str(cap), **_by_key(levels)}], sheet)
        of_cap.finish()
        return
    answers = answered(models, lambda model: [known.supremum(model, budget) for budget in budgets])
    details = _Details(known.losses[0], output, deltas, distances, steps)
    paper = next((model for model in answers.found if known.loss is not None and model.key == "paper_bound"), None)
    values: list[Object] = []
    rows: list[list[Cell]] = [[text] for text in epsilons]
    told: list[list[Cell]] = [[text] for text in epsilons]
    mixed: list[list[Cell]] = []
    words = ""
    notes: list[str] = []
    for number, (text, budget) in enumerate(zip(epsilons, budgets, strict=True)):
        levels = {model: output.level(found[number]) for model, found in answers.found.items()}
        rows[number] += levels.values()
        value: Object = {"epsilon": text, **_by_key(levels)}
        if paper is not None:
            found = supremum(details.loss, budget)
            value[paper.key], cells = details.of(found, budget)
            told[number] += cells
            if found.level.is_infinite and not budget.is_infinite:
                notes.append(f"ε = {text}: {_why(found)}")
        if mixture is not None:
            bounds = mixture.supremum(budget, next(iter(answers.found.values()))[number])
            attained, at_most = (output.level(bound) for bound in bounds)
            value["mixture"] = {"attained": attained, "at_most": at_most}
            mixed.append([text, attained, at_most])
            words = (
                f"To an adversary with this prior {kind} stays within {output.words(bounds[1])} (the mixture rule), "
                f"and some mechanism attains {output.words(bounds[0])}."
            )
        values.append(value)
    columns: Columns = (
        "epsilon",
        *(Heading.of(model, f"{kind} supremum", key="supremum") for model in answers.found),
    )
    sheets = [Sheet(f"Supremum of {kind}", columns, rows, (output.numerals, *notes))]
    if paper is not None:
        headings: Columns = ("epsilon", *details.headings(paper))
        sheets.append(Sheet("How the paper's bound arises", headings, told))
        if output.as_csv:
            both = [[*row, *cells[1:]] for row, cells in zip(rows, told, strict=True)]
            sheets = [Sheet("", (*columns, *headings[1:]), both)]
    basis, text = neighbours.basis(known.basis(answers.absent)), _conclusion(kind, epsilons, answers, output)
    if mixture is not None:
        basis, text = mixture.basis(basis), f"{words} To an adversary who is certain of one candidate: {text}"
        sheets.insert(0, Sheet(MIXED, ("epsilon", "attained", "at most"), mixed, (output.numerals,)))
    output.conclude(Conclusion(text, basis), values, *sheets)
    if plot:
        _draw(plot, known, list(zip(epsilons, budgets, strict=True)), answers.found, steps or _STEPS_DRAWN)
    answers.finish()


@dataclass(frozen=True, slots=True)
class _Known:
    """The adversaries: they know the matrix with its reversal, or one-sided.

    kind: what is asked about, at this place among BPL, FPL and TPL; an adversary of one matrix is asked about as if it
    were the past. adversaries: one, or several candidates. losses: the distinct loss functions. basis: what the answer
    rests on, by what has no answer. loss: that of the one matrix, where the adversary knows one and no other.
    """

    kind: str
    place: int
    adversaries: Mapping[str, Adversary]
    losses: tuple[LossFunction, ...]
    basis: Callable[[Mapping[str, str]], Basis]
    loss: LossFunction | None = None

    def supremum(self, model: Model, budget: Level) -> Level:
        """Return what is asked about by one model, of several candidates the greatest."""
        found = {name: model.suprema(budget, adversary)[self.place] for name, adversary in self.adversaries.items()}
        return model.greatest(found).level

    @classmethod
    def of(
        cls, matrices: Sequence[MatrixFile], kind_of_files: str, one_sided: bool, files: Files, literal: bool
    ) -> _Known:
        if one_sided:
            return cls._of_one_side(matrices, kind_of_files, files, literal)
        users, made = completed(_users(matrices, kind_of_files, files), one_sided=False, independent=False)
        adversaries = adversaries_of(users, literal)
        pairs = [correlations_of(adversary) for adversary in adversaries.values()]
        whose = f"{len(pairs)} candidates, each certain of one"
        basis = partial(Basis.of, pairs, chain_of(pairs), whose, made.values(), **told_by(files))
        return cls("TPL", 2, adversaries, tuple(losses_of(adversaries)), lambda absent: basis(absent=absent))

    @classmethod
    def _of_one_side(cls, matrices: Sequence[MatrixFile], kind_of_files: str, files: Files, literal: bool) -> _Known:
        paths, role = [own.path for own in matrices], matrices[0].role
        if kind_of_files != CANDIDATES:
            known = files.several(paths, role or ROLES[0], kind_of_files)
        elif len(paths) > 1:
            raise InvalidRequest("--one-sided is about one MATRIX")
        else:
            known = files.correlation(paths[0], role)
        kind = "FPL" if role == "forward" else "BPL"
        basis = partial(MatrixFile(", ".join(paths), role).basis, files)
        if isinstance(known, TransitionMatrix):
            loss = patient_loss_function(known, literal)
            return cls(kind, 0, {kind: Adversary(loss)}, (loss,), basis, loss)
        adversaries = adversaries_of({kind: {role or ROLES[0]: known}}, literal)
        return cls(kind, ("BPL", "FPL").index(kind), adversaries, tuple(losses_of(adversaries)), basis)


def _users(
    matrices: Sequence[MatrixFile], kind_of_files: str, files: Files
) -> Mapping[str, Mapping[str, KnownCorrelation]]:
    """Return what the files say, by candidate and role; of counts P^F, whose reversal is that of one chain."""
    paths, role = [own.path for own in matrices], matrices[0].role
    if kind_of_files == CANDIDATES:
        return user_matrices(files, paths, role, files.correlation, of_counts=ROLES[1:]).users
    own = role or ROLES[0]
    return {", ".join(paths): {own: files.several(paths, own, kind_of_files)}}


def _by_key(levels: dict[Model, Object]) -> Object:
    return {model.key: level for model, level in levels.items()}


def _conclusion(kind: str, epsilons: Sequence[str], answers: Answers[list[Level]], output: Output) -> str:
    """Say what leakage stays below under the last budget asked about."""
    words = [
        ("has no limit", "") if found[-1].is_infinite else ("stays within", f" {output.words(found[-1])}")
        for found in answers.found.values()
    ]
    parts = [
        f"{'' if level and place and words[place - 1][1] else verb}{level} by the {model.title}".lstrip()
        for place, ((verb, level), model) in enumerate(zip(words, answers.found, strict=True))
    ]
    return f"With ε = {epsilons[-1]} at every release, however many, {kind} {'; '.join(parts)}."


@dataclass(frozen=True, slots=True)
class _Details:
    """What else is said of the paper's bound: the case that decides, its pair, and how fast it is approached."""

    loss: LossFunction
    output: Output
    deltas: Sequence[str]
    distances: Sequence[Level]
    steps: int | None

    def headings(self, paper: Model) -> list[str | Heading]:
        """Return the columns of what `of` returns."""
        return [
            *("case", "q", "d", "rows", "columns"),
            *(f"steps to\nwithin\n{delta}" for delta in self.deltas),
            *([] if self.steps is None else [Heading.of(paper, f"after\n{self.steps}\nsteps").alone()]),
        ]

    def of(self, found: Supremum, budget: Level) -> tuple[Object, list[Cell]]:
        """Return the value under one budget, and the cells of its row."""
        value = self.output.value("supremum", attained_supremum(found))
        cells: list[Cell] = [_case(found, budget), str(value["q"]), str(value["d"]), *witness_cells(value)]
        if self.distances:
            infinite = found.level.is_infinite
            reached = [None if infinite else steps_within(self.loss, budget, delta) for delta in self.distances]
            value["within"] = list(reached)
            cells += ["never" if time is None else time for time in reached]
        if self.steps is not None:
            level = self.output.level(budget if budget.is_zero else leakage_at(self.loss, budget, self.steps))
            value["after"] = {"steps": self.steps, **level}
            cells.append(level)
        return value, cells


def _check_steps(steps: int | None, plot: str | None) -> None:
    if steps is None:
        return
    if steps < 1:
        raise InvalidRequest(f"--steps is at least 1, not {steps}")
    if plot:
        check_count(steps, MOST_RELEASES, "steps drawn")
    check_count(steps, MOST_STEPS, "steps")


def _case(found: Supremum, epsilon: Level) -> str:
    """Name the case of Theorem 11 that decides."""
    if epsilon.is_zero or epsilon.is_infinite:
        return "ε is 0" if epsilon.is_zero else "ε is infinite"
    if found.q == found.d:
        return "q = d"
    if found.d == 0:
        return "d = 0, ε ≥ log(1/q)" if found.level.is_infinite else "d = 0, ε < log(1/q)"
    return "d > 0"


def _why(found: Supremum) -> str:
    assert found.witness is not None, "two rows rule"
    own = found.witness
    columns = " ".join(str(index + 1) for index in own.indices)
    where = f"row {own.row_q + 1} gives the columns {columns} probability q = {found.q}, row {own.row_d + 1} none"
    return f"the paper's bound grows without bound: {where}; q·e^ε ≥ 1"


def _draw(
    path: str, known: _Known, budgets: Sequence[tuple[str, Level]], suprema: Mapping[Model, Sequence[Level]], steps: int
) -> None:
    from ..output.plots import leakage_picture

    panels = {}
    for number, (text, epsilon) in enumerate(budgets):
        curves: dict[str, Sequence[Level]] = {}
        title = f"budget {text}"
        for model, found in suprema.items():
            leakage = model.leakage([epsilon] * steps, known.adversaries)
            curves[f"{known.kind}, {model.title}"] = [best.level for best in leakage.bpl]
            if found[number].is_infinite:
                title += f", no supremum by the {model.title}"
            else:
                curves[f"supremum, {model.title}"] = (found[number],) * steps
        panels[title] = curves
    leakage_picture(path, panels, one_scale=False)
