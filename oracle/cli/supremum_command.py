"""`tploracle supremum`: how far leakage rises with one budget at every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..contract.allocation import UPPER_BOUND
from ..contract.limits import MOST_RELEASES, check_count, check_leakage
from ..contract.operations import attained_supremum
from ..data.adversaries import adversaries_of, losses_of, user_matrices
from ..data.files import ROLES, Files
from ..models.basis import Basis
from ..models.chain import chain_of, completed, correlations_of
from ..models.model import Answers, Model, answered
from ..models.neighbours import Neighbours
from ..models.priors import Prior
from ..models.stream_profile import NOT_THE_PAPERS, PRIVATE_STREAMS, supremum_at_delta
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
from .beyond_pure import (
    NOTE,
    Noise,
    alpha_value,
    chance_of,
    check_models,
    enclosing,
    in_words,
    noise_options,
)
from .declared import option
from .options import (
    CANDIDATES,
    MatrixFile,
    ReadingCommand,
    is_literal,
    kind_option,
    matrix_options,
    model_options,
    neighbours_options,
    one_sided_option,
    output_options,
    plot_option,
    reading_options,
)
from .patient import answered_or_exactly, patient_loss_function
from .priors import MIXED, prior_of, prior_option, told

_STEPS_DRAWN = 50


class SupremumCommand(ReadingCommand):
    """Find the supremum of TPL over time under a constant budget, for an adversary who knows MATRIX and its reversal.

    If a file has both matrices, both are used unless --role chooses one. If a file has counts, P^F is used unless
    --role chooses P^B: the two matrices estimated from counts seldom belong to one chain. With --one-sided the answer
    is the supremum of BPL (for a backward MATRIX) or FPL (for a forward one), with the terms of the paper's bound.

    Several matrices are candidates: the answer is the maximum over adversaries who are each certain of one. An
    uncertain adversary may learn more, because the stream may reveal which candidate holds: --prior bounds the leakage
    to such an adversary as well. With --matrices cycle the matrices are those of successive steps, repeated.

    The paper's bound is infinite if some row puts probability q on columns where another row has none and q·e^ε ≥ 1;
    the exact worst case may then still be finite.

    With --delta, the answer is the least α for which the value at each time is (α, δ)-protected, for releases of ε,
    (ε, δ), Gaussian noise or ρ-zCDP. It is enclosed by two numbers, which are near each other with --one-sided.
    """

    matrices: Sequence[MatrixFile] = matrix_options(several=True)
    kind_of_files: str = kind_option([CYCLE])
    one_sided: bool = one_sided_option()
    neighbours: Neighbours = neighbours_options()
    epsilons: tuple[str, ...] = option("--epsilon", metavar="LEVEL", help="The budget at every time; repeatable.")
    deltas: tuple[str, ...] = option(
        "--within",
        metavar="LEVEL",
        help="With --one-sided: number of releases until the paper's bound is within LEVEL of its supremum; "
        "repeatable.",
    )
    steps: int | None = option(help="With --one-sided: also print the paper's bound after this many releases.")
    cap: str | None = option(metavar="LEVEL", help="Find the largest budget whose supremum stays within LEVEL.")
    delta: str | None = option(
        metavar="PROBABILITY",
        help="Report the least α with which every value is (α, PROBABILITY)-protected.",
    )
    noise: Noise = noise_options("With --delta: ", several=False)
    prior: str | None = prior_option
    plot: str | None = plot_option
    models: Sequence[Model] = model_options
    files: Files = reading_options
    output: Output = output_options(has_levels=True)

    refused = (
        "give either --epsilon, --cap, --sigma or --rho",
        "--prior excludes --csv",
        "--within, --steps and --plot belong to --epsilon",
        "--within, --steps and --plot belong to --one-sided: they are about one correlation",
        "--delta excludes --cap, --prior, --within, --steps and --plot",
        "--sigma, --sensitivity, --rho and --delta-per-release need --delta: no pure ε bounds such releases",
    )

    def _run(self) -> None:
        distances = Reader().levels(list(self.deltas), "--within")
        if any(distance.is_zero for distance in distances):
            raise InvalidRequest("--within: the supremum is approached but not reached: give a distance above 0")
        _check_steps(self.steps, self.plot)
        if self.delta is not None:
            check_models(self.models)
        known = _Known.of(self.matrices, self.kind_of_files, self.one_sided, self.files, is_literal(self.models))
        if self.delta is not None:
            self._write_at_delta(self.delta, known)
            return
        mixture = None if self.prior is None else prior_of(self.prior, known.adversaries)
        if self.cap is not None:
            self._write_cap(self.cap, known, mixture)
        elif known.loss is None and (distances or self.steps is not None or self.plot):
            raise InvalidRequest(f"--within, --steps and --plot: {NOT_ONE_STEP}")
        else:
            self._write_suprema(known, mixture, distances)

    def _write_at_delta(self, delta: str, known: _Known) -> None:
        """Write the least α at a δ under each budget, between two ends."""
        output, chance = enclosing(self.output), chance_of(delta, "--delta")
        pairs = [correlations_of(adversary) for adversary in known.adversaries.values()]
        budgets = self.noise.of_each(Reader().levels(list(self.epsilons), "--epsilon"), self.neighbours)
        names = self.epsilons or [f"σ = {self.noise.sigma}" if self.noise.sigma else f"ρ = {self.noise.rho}"]
        values: list[Object] = []
        rows: list[list[Cell]] = []
        notes = [NOTE]
        for name, budget in zip(names, budgets, strict=True):
            found = supremum_at_delta(budget, pairs, chance)
            level, reason = alpha_value(found, output), {"reason": found.reason} if found.reason else {}
            values.append({"budget": name, "delta": delta, "worst_case": level, **reason})
            rows.append([name, level])
            notes += [f"{name}: {found.reason}."] if found.reason else []
        what, more = in_words(found, delta)
        with_it = (
            f"With {'ε = ' if self.epsilons else ''}{names[-1]} at every release, however many, a value is protected"
        )
        more = f":\n{found.reason}." if found.upper.is_infinite else more
        text = f"{with_it} {what} at δ = {delta} (exact worst case){more}"
        basis = replace(known.basis({"paper_bound": NOT_THE_PAPERS}), mechanisms=PRIVATE_STREAMS)
        columns: Columns = ("budget", Heading(known.kind, "worst_case"))
        sheet = Sheet(f"Supremum of {known.kind} at δ = {delta}", columns, rows, tuple(notes))
        output.conclude(Conclusion(text, self.neighbours.basis(basis)), values, sheet)

    def _write_cap(self, cap: str, known: _Known, mixture: Prior | None) -> None:
        """Write the greatest budgets whose suprema stay within the cap."""
        output, digits = self.output, self.output.digits
        most = Reader().level(cap, "--cap")
        check_leakage([most], known.losses, digits)
        kept = most if mixture is None else mixture.left(most)

        def budget(model: Model) -> Level:
            schedule = model.schedule(kept, known.adversaries, UPPER_BOUND, None, digits)
            return self.neighbours.printed(schedule, digits)[0]

        answers = answered_or_exactly(self.models, budget, lambda found: output.words(found.to_spend()))
        levels = {model: output.level(found) for model, found in answers.found.items()}
        columns: Columns = ("cap", *(Heading.of(model, "budget", is_budget=True) for model in levels))
        sheet = Sheet("The largest constant budget", columns, [[cap, *levels.values()]], (output.numerals,))
        basis = self.neighbours.basis(known.basis(answers.absent))
        largest = "; ".join(f"{output.words(found)} by the {model.title}" for model, found in answers.found.items())
        text = f"{known.kind} stays within {cap} over an infinite horizon with a budget of {largest}."
        if mixture is not None:
            basis, text = mixture.basis(basis), f"{text} {told(mixture, kept, output)}"
        output.conclude(Conclusion(text, basis), [{"cap": cap, **_by_key(levels)}], sheet)
        answers.finish()

    def _write_suprema(self, known: _Known, mixture: Prior | None, distances: Sequence[Level]) -> None:
        """Write the suprema under each budget, and how the paper's bound arises."""
        output, kind = self.output, known.kind
        budgets = self.neighbours.read(Reader().levels(list(self.epsilons), "--epsilon"))
        check_leakage(budgets, known.losses, output.digits)
        answers = answered(self.models, lambda model: [known.supremum(model, budget) for budget in budgets])
        details = _Details(known.losses[0], output, self.deltas, distances, self.steps)
        paper = next((model for model in answers.found if known.loss is not None and model.key == "paper_bound"), None)
        values: list[Object] = []
        rows: list[list[Cell]] = []
        arising: list[list[Cell]] = []
        mixed: list[list[Cell]] = []
        words, notes = "", [output.numerals]
        for number, (text, budget) in enumerate(zip(self.epsilons, budgets, strict=True)):
            levels = {model: output.level(found[number]) for model, found in answers.found.items()}
            rows.append([text, *levels.values()])
            value: Object = {"epsilon": text, **_by_key(levels)}
            if paper is not None:
                found = supremum(details.loss, budget)
                value[paper.key], cells = details.of(found, budget)
                arising.append([text, *cells])
                if found.level.is_infinite and not budget.is_infinite:
                    notes.append(f"ε = {text}: {_why(found)}")
            if mixture is not None:
                bounds = mixture.supremum(budget, next(iter(answers.found.values()))[number])
                attained, at_most = (output.level(bound) for bound in bounds)
                value["mixture"] = {"attained": attained, "at_most": at_most}
                mixed.append([text, attained, at_most])
                words = (
                    f"To an adversary with this prior {kind} stays within {output.words(bounds[1])} (the mixture "
                    f"rule), and some mechanism attains {output.words(bounds[0])}. "
                    "To an adversary who is certain of one candidate: "
                )
            values.append(value)
        columns: Columns = (
            "epsilon",
            *(Heading.of(model, f"{kind} supremum", key="supremum") for model in answers.found),
        )
        sheets = [Sheet(f"Supremum of {kind}", columns, rows, tuple(notes))]
        if paper is not None:
            headings: Columns = ("epsilon", *details.headings(paper))
            sheets.append(Sheet("How the paper's bound arises", headings, arising))
            if output.as_csv:
                both = [[*row, *cells[1:]] for row, cells in zip(rows, arising, strict=True)]
                sheets = [Sheet("", (*columns, *headings[1:]), both)]
        basis = self.neighbours.basis(known.basis(answers.absent))
        if mixture is not None:
            basis = mixture.basis(basis)
            sheets.insert(0, Sheet(MIXED, ("epsilon", "attained", "at most"), mixed, (output.numerals,)))
        text = words + _conclusion(kind, self.epsilons, answers, output)
        output.conclude(Conclusion(text, basis), values, *sheets)
        if self.plot:
            named = list(zip(self.epsilons, budgets, strict=True))
            _draw(self.plot, known, named, answers.found, self.steps or _STEPS_DRAWN)
        answers.finish()


@dataclass(frozen=True, slots=True)
class _Known:
    """The adversaries: they know the matrix with its reversal, or one-sided.

    kind: BPL, FPL or TPL; place: where a model's suprema have it, with the one matrix of a one-sided adversary as the
    backward one. losses: the distinct loss functions. basis: a function of the reasons for absent answers. loss: that
    of the one matrix of a one-sided adversary.
    """

    kind: str
    place: int
    adversaries: Mapping[str, Adversary]
    losses: tuple[LossFunction, ...]
    basis: Callable[[Mapping[str, str]], Basis]
    loss: LossFunction | None = None

    def supremum(self, model: Model, budget: Level) -> Level:
        """Return the supremum by one model, the greatest over the candidates."""
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
        basis = partial(Basis.of, pairs, chain_of(pairs), whose, made.values(), **files.told())
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
    """Details of the paper's bound: the case that decides, its pair, and how fast it is approached."""

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
