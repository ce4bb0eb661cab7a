"""`tploracle crosscheck`: all methods to L(α) side by side, for one matrix or for a random corpus."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

import click

from ..contract.extras import installed, need
from ..contract.limits import check_loss_function
from ..data.files import Files
from ..output.progress import Advance, patience
from ..output.sheets import BRACKETS, Cell, Output, Sheet, level_cell
from ..reference import InvalidRequest
from ..solvers.linear_programs.isolation import SolverWorker
from ..solvers.linear_programs.methods import METHODS, side_by_side
from ..solvers.linear_programs.results import BROKEN, MethodResult, Standing, disagreement
from ..wire.numerals import Reader
from ..wire.strict_json import Object, encode
from .crosscheck_instances import Instance, instances, simpler, smallest_failure
from .declared import option
from .extras import option_needs
from .options import MatrixFile, ReadingCommand, matrix_options, output_options, reading_options

DISAGREE = 1
"""Exit status where two certified methods disagree, or a method's own code breaks down."""

SIMPLIFICATIONS = 300
"""How many simpler instances are drawn from a matrix for which methods disagree."""

SOLVERS = {"cbc-": "pulp", "highs-": "highspy", "z3": "z3"}
"""The optional package of each solver, by how the names of its methods begin."""

_COLUMNS = ("method", "loss", "standing", "float", "digits", "seconds", "note")
_NO_LEVEL: Object = {"exact": None, "lower": "", "upper": ""}
_NOTES = (
    BRACKETS,
    "Float is the solver's own e^loss, digits its distance from the exact loss; a loss not certified is a lower bound.",
)


class CrosscheckCommand(ReadingCommand):
    """Compute L(α) by every method, side by side.

    Of each: the value, whether it is certified, its distance from the exact value, and the processor time.

    Exit status 1 if two certified methods disagree; the smallest such instance found is printed.
    """

    matrix: MatrixFile | None = matrix_options(required=False)
    alphas: tuple[str, ...] = option("--alpha", metavar="LEVEL", help="The level α; repeatable.")
    count: int | None = option(
        "--random",
        metavar="N",
        help="Instead of a matrix: draw N random instances.",
        callback=option_needs("strategies", "hypothesis"),
    )
    seed: int = option(default=0, show_default=True, help="With --random: seed of the draws.")
    listed: str | None = option(
        "--methods", metavar="NAMES", help="Use only these methods, as in algorithm-1,cbc-compact."
    )
    time_limit: float = option(
        metavar="SECONDS", type=float, default=20.0, show_default=True, help="Processor time per call of a solver."
    )
    files: Files = reading_options
    output: Output = output_options(has_levels=True, in_brief=False)

    refused = (
        "give either MATRIX or --random",
        "MATRIX needs --alpha",
        "--alpha belongs to MATRIX: --random draws its own levels",
    )

    def _run(self) -> None:
        names = _names(self.listed)
        if not 0 < self.time_limit < float("inf"):
            raise InvalidRequest("--time-limit is a positive number of seconds")
        with SolverWorker(self.time_limit) as worker:
            if self.matrix is None:
                assert self.count is not None
                agree = _random(self.output, names, worker, self.count, self.seed)
            else:
                levels = Reader().levels(list(self.alphas), "--alpha")
                given = self.matrix.read(self.files)
                check_loss_function(given)
                agree = _given(self.output, names, worker, [Instance(given, level) for level in levels], self.alphas)
        if not agree:
            raise click.exceptions.Exit(DISAGREE)


def _names(listed: str | None) -> list[str]:
    """Return the methods to be asked. Those without their solver are named first, or refused where they are listed."""
    if listed is None:
        without = [name for name in METHODS if not all(map(installed, _solvers(name)))]
        if without:
            click.echo(f"note: without their solvers: {', '.join(without)}; pip install 'tploracle[solvers]'", err=True)
        return list(METHODS)
    names = [name.strip() for name in listed.split(",")]
    for name in names:
        if name not in METHODS:
            raise InvalidRequest(f"--methods: there is no method {name!r}; there are {', '.join(METHODS)}")
    if len(set(names)) < len(names):
        raise InvalidRequest("--methods: a method is named twice")
    for name in names:
        need(f"the method {name}", "solvers", *_solvers(name))
    return names


def _solvers(name: str) -> list[str]:
    """Return the packages that a method needs."""
    return [package for prefix, package in SOLVERS.items() if name.startswith(prefix)]


def _given(
    output: Output, names: list[str], worker: SolverWorker, at_levels: list[Instance], alphas: Sequence[str]
) -> bool:
    """Put one matrix to the methods at each level. Returns: whether all agree."""
    values: list[Object] = []
    sheets: list[Sheet] = []
    failing: Instance | None = None
    for instance, alpha in zip(at_levels, alphas, strict=True):
        with patience(f"alpha {alpha}") as progress:
            answers = _answers(instance, names, worker, progress)
        values.append(
            {
                "alpha": alpha,
                "agree": _culprits(answers) is None,
                "methods": [_answer_value(answer, output.precision) for answer in answers],
            }
        )
        sheets.append(_sheet(f"L(α) at α = {alpha}", answers, output.precision))
        if failing is None and _culprits(answers) is not None:
            failing = instance
    if failing is not None:
        with patience("a smaller instance"):
            smallest = _smallest(failing, names, worker)
        value, sheet = _report(smallest, names, worker, output)
        values.append(value)
        sheets.append(sheet)
    output.write(values, *_as_csv(output, sheets))
    return failing is None


def _smallest(failing: Instance, names: list[str], worker: SolverWorker) -> Instance:
    if not installed("hypothesis"):
        click.echo("note: Hypothesis is not installed: the instance is not shrunk", err=True)
        return failing
    test = _Test(names, worker)
    return smallest_failure(simpler(failing), test, SIMPLIFICATIONS, 0) or failing


def _random(output: Output, names: list[str], worker: SolverWorker, count: int, seed: int) -> bool:
    """Put a random corpus to the methods. Returns: whether all agree."""
    if count < 1:
        raise InvalidRequest(f"--random is at least 1, not {count}")
    tally = {name: _Tally() for name in names}
    with patience(f"{count} random instances") as progress:
        test = _Test(names, worker, tally, progress, count)
        failing = smallest_failure(instances(), test, count, seed)
    tested = sum(next(iter(tally.values())).standings.values())
    columns = ("method", "certified", "not certified", "skipped", "no answer", "fewest digits", "seconds")
    rows = [each.row(name) for name, each in tally.items()]
    sheets = [Sheet(f"{tested} random instances, seed {seed}", columns, rows)]
    values: list[Object] = [
        {
            "instances": tested,
            "seed": seed,
            "agree": failing is None,
            "methods": [dict(zip(columns, row, strict=True)) for row in rows],
        }
    ]
    if failing is not None:
        value, sheet = _report(_smallest(failing, names, worker), names, worker, output)
        values.append(value)
        sheets.append(sheet)
    output.write(values, *_as_csv(output, sheets))
    return failing is None


@dataclass(slots=True)
class _Tally:
    """How one method fared over a corpus."""

    standings: dict[str, int] = field(default_factory=dict)
    fewest: float | None = None
    seconds: float = 0.0

    def add(self, answer: MethodResult) -> None:
        key = "skipped" if answer.status == "skipped" else str(answer.standing)
        self.standings[key] = self.standings.get(key, 0) + 1
        if answer.digits is not None:
            self.fewest = answer.digits if self.fewest is None else min(self.fewest, answer.digits)
        self.seconds += answer.seconds

    def row(self, name: str) -> list[Cell]:
        counts = self.standings
        certified = counts.get(Standing.EXACT, 0) + counts.get(Standing.CERTIFIED, 0)
        rest = [counts.get(key, 0) for key in (Standing.NOT_CERTIFIED, "skipped", Standing.NONE)]
        return [name, certified, *rest, _digits_text(self.fewest), f"{self.seconds:.2f}"]


@dataclass(slots=True)
class _Test:
    """Whether methods disagree on an instance. After the first that fails, only the methods at fault are asked."""

    names: list[str]
    worker: SolverWorker
    tally: dict[str, _Tally] | None = None
    progress: Advance | None = None
    count: int = 0
    done: int = 0
    failed: bool = False

    def __call__(self, instance: Instance) -> bool:
        answers = _answers(instance, self.names, self.worker)
        culprits = _culprits(answers)
        if not self.failed:
            self.done += 1
            if self.progress:
                self.progress(self.done, self.count)
            for answer in answers if self.tally is not None else ():
                assert self.tally is not None
                self.tally[answer.method].add(answer)
        if culprits is not None and not self.failed:
            self.failed = True
            self.names = culprits
        return culprits is not None


def _answers(
    instance: Instance, names: Sequence[str], worker: SolverWorker, progress: Advance | None = None
) -> tuple[MethodResult, ...]:
    def advance(_: str, done: int, total: int) -> None:
        if progress:
            progress(done, total)

    return side_by_side(instance.matrix, instance.alpha, names, worker, advance)


def _culprits(answers: Sequence[MethodResult]) -> list[str] | None:
    """Return the methods that differ, or the one whose code broke down; None where all is well."""
    for answer in answers:
        if answer.status == BROKEN:
            return [answer.method]
    pair = disagreement(answers)
    return None if pair is None else [answer.method for answer in pair]


def _report(smallest: Instance, names: list[str], worker: SolverWorker, output: Output) -> tuple[Object, Sheet]:
    """Return the smallest failing instance, its answers, and the command that puts it to the methods again."""
    answers = _answers(smallest, names, worker)
    matrix = encode(smallest.matrix.texts())
    alpha = smallest.alpha.full_text()
    culprits = _culprits(answers) or []
    command = (
        f"printf %s {shlex.quote(matrix)} | tploracle crosscheck - --alpha {shlex.quote(alpha)}"
        f" --methods {','.join(culprits)}"
    )
    click.echo(f"disagreement of {' and '.join(culprits)}; again: {command}", err=True)
    value: Object = {
        "failing": {"matrix": smallest.matrix.texts(), "alpha": alpha, "differ": culprits, "command": command},
        "methods": [_answer_value(answer, output.precision) for answer in answers],
    }
    return value, _sheet(f"DISAGREEMENT on {matrix} at α = {alpha}", answers, output.precision)


def _as_csv(output: Output, sheets: list[Sheet]) -> list[Sheet]:
    """Join the sheets of several levels into one where CSV is asked for."""
    if not output.as_csv or len({sheet.columns for sheet in sheets}) > 1:
        return sheets
    rows: list[list[Cell]] = [[sheet.title, *row] for sheet in sheets for row in sheet.rows]
    return [Sheet("", ("question", *sheets[0].columns), rows)]


def _sheet(title: str, answers: Sequence[MethodResult], digits: int) -> Sheet:
    rows: list[list[Cell]] = [
        [
            answer.method,
            _NO_LEVEL if answer.level is None else level_cell(answer.level, digits),
            _standing(answer),
            "" if answer.value is None else repr(answer.value),
            "exact" if answer.standing is Standing.EXACT else _digits_text(answer.digits),
            f"{answer.seconds:.4f}",
            answer.note,
        ]
        for answer in answers
    ]
    return Sheet(title, _COLUMNS, rows, _NOTES)


def _standing(answer: MethodResult) -> str:
    if answer.status == "answered" or answer.standing is Standing.CERTIFIED:
        return str(answer.standing)
    return answer.status if answer.level is None else f"{answer.standing}, {answer.status}"


def _digits_text(digits: float | None) -> str:
    return "" if digits is None else f"{digits:.1f}"


def _answer_value(answer: MethodResult, digits: int) -> Object:
    return {
        "method": answer.method,
        "status": answer.status,
        "standing": str(answer.standing),
        "level": None if answer.level is None else level_cell(answer.level, digits),
        "float": None if answer.value is None else repr(answer.value),
        "distance_digits": None if answer.digits is None else f"{answer.digits:.1f}",
        "seconds": f"{answer.seconds:.4f}",
        "note": answer.note,
    }
