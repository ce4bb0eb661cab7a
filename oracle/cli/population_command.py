"""`tploracle population`: a row of leakage, suprema and budgets for each user of a whole population."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import click

from ..contract.errors import LEFT_OUT
from ..contract.extras import need
from ..contract.limits import check_posix
from ..data.estimates import note_returns
from ..data.files import ROLES, Files, named
from ..data.sequences import Broken, stop
from ..data.steps import steps_between
from ..models.neighbours import Neighbours
from ..models.paper_bound import PaperBound
from ..models.priors import EQUAL
from ..models.schedules import FINITE_METHODS
from ..models.worst_case import WorstCase
from ..output.plots import distribution_picture
from ..output.progress import patience
from ..output.sheets import Conclusion, Output
from ..population.common_schedules import common_schedule, write_schedule
from ..population.overview import QUANTILES, summary_of, write_csv
from ..population.population_basis import DEAR, Seen, population_basis
from ..population.question import MODELS, PopulationQuestion, UserChunk, check_known
from ..population.rejects import Rejects, rejects
from ..population.runs import alone_in, run, take_folder
from ..population.unknown_user import UnknownUser
from ..population.user_rows import ExactUser
from ..population.user_tables import UserTable
from ..population.visit_logs import VisitLog
from ..population.workers import here, processes, scheduler
from ..population.worst_users import WorstUser, check_worst, exact_users, worst_users, write_worst_users
from ..reference import InvalidRequest, Level, OracleError, TransitionCounts
from ..solvers.batch.enclosures import prepare_compiled
from ..wire.numerals import Reader
from .declared import Command, option
from .extras import option_needs
from .options import (
    Releases,
    every_option,
    neighbours_options,
    one_sided_option,
    output_options,
    plot_option,
    release_options,
)
from .population_tables import common_sheet, conclusion, csv_sheet, of_unknown_user, sheets_of, title_of, value_of
from .priors import PRIOR
from .sequence_options import Observed, observed_options

LEAVE_OUT, COUNT_WORST = "leave-out", "count-worst"

CHUNK_USERS = 3072
CHUNK_ENTRIES = 1 << 20
"""Users of a chunk, fewer where their matrices have more entries than this together."""

CHUNK_WORST_CASE_USERS = 128
"""Users of a chunk whose exact worst case is asked for: about ten seconds of work."""

_DRAWN = [part / 100 for part in range(1, 101)]


class PopulationCommand(Command):
    """Compute leakage and budgets for each of many users; write FOLDER/part-00000.parquet … and print a summary.

    FILE is a log, or several logs, with --user, --time and --state; or a Parquet table of users with the column user
    and a list of n² counts, n² columns of counts, or the matrices backward and forward as lists. Each row has the
    worst BPL, FPL and TPL over the releases; with --epsilon, their suprema under this budget at every time; with
    --alpha, the greatest constant budget, and what the first and the last release may spend instead. These numbers are
    by the paper's bound, which no mechanism exceeds; the exact worst case covers TPL over the releases. Each number is
    enclosed by two doubles. Rows assume an adversary who knows whose data they are; an adversary who does not may learn
    more, and --prior bounds this.
    """

    observed: Observed = observed_options(several=True)
    out: str = option(
        "--out", "-o", metavar="FOLDER", required=True, help="Folder for the rows; an interrupted run is resumed."
    )
    releases: Releases = release_options()
    alpha: str | None = option(metavar="LEVEL", help="Find each user's greatest budgets whose TPL stays within LEVEL.")
    prior: str | None = option(
        metavar=PRIOR,
        help=f"Only {EQUAL}: assume an adversary who does not know whose data they are; all users equally likely.",
    )
    method: str | None = option(
        type=click.Choice(FINITE_METHODS),
        help="With --alpha and --steps: also find one schedule for all users, by this method.",
    )
    unestimated: str | None = option(
        type=click.Choice((LEAVE_OUT, COUNT_WORST)),
        help="With --method: leave users whose correlation cannot be estimated out of the schedule, or assume the "
        "strongest correlation for them, under which budgets add up; "
        f"by default exit status {LEFT_OUT} if there are any.",
    )
    smoothing: str = option(
        metavar="NUMBER",
        default="0",
        help="Number added to every count; makes rows alike, which lowers the leakage found.",
    )
    model: str = option(
        type=click.Choice(MODELS),
        default=PaperBound.name,
        show_default=True,
        help=f"Answer by one model, or by both: the exact worst case takes {DEAR}.",
    )
    exact: int = option(
        metavar="K",
        type=click.IntRange(0),
        default=0,
        help="Also write certified exact values for the K worst users (worst_users.json).",
    )
    rejected: str | None = option(
        "--rejects", metavar="FILE", help="Write broken rows to FILE; without it the first one ends the run."
    )
    workers: int | None = option(type=click.IntRange(1), help="Number of processes.  [default: one for each processor]")
    address: str | None = option(
        "--scheduler",
        metavar="ADDRESS",
        help="Use the workers of this Dask scheduler instead.",
        callback=option_needs("cluster", "distributed"),
    )
    neighbours: Neighbours = neighbours_options()
    one_sided: bool = one_sided_option()
    every: str | None = every_option
    table: str | None = option(metavar="FILE.csv", help="Write the rows as CSV as well.")
    plot: str | None = plot_option
    output: Output = output_options(has_levels=True)

    refused = (
        "--method needs --alpha: the level that the schedule for all keeps",
        "--unestimated belongs to --method: one schedule for all",
    )

    def _run(self) -> None:
        check_posix("population")
        need("population", "fast", "pyarrow")
        if self.model != WorstCase.name:
            need("population", "fast", "numba", otherwise=f"--model {WorstCase.name}")
        if self.prior not in (None, EQUAL):
            raise InvalidRequest(
                f"--prior: in a population all users are equally likely: write {EQUAL}, not {self.prior}"
            )
        steps = 1 if self.every is None else steps_between(self.every, self.observed.steps.step)
        question = _question(self.releases, self.alpha, self.smoothing, self.model, self.method is not None)
        question = replace(question, neighbours=self.neighbours.kind, every=steps)
        folder = Path(self.out)
        horizon = _horizon(self.releases, self.alpha, self.method)
        click.get_current_context().with_resource(alone_in(folder))
        if self.prior is None or self.alpha is None:
            take_folder(folder, question)
        common = unknown_user = None
        answering = (
            scheduler(self.address, folder, self.observed.paths)
            if self.address
            else processes(self.workers or os.cpu_count() or 1)
        )
        answerers = click.get_current_context().with_resource(answering)
        readers = answerers if answerers.has_files else here()
        with (
            rejects(" ".join(self.observed.paths), self.rejected) as broken,
            nullcontext() if len(self.observed.paths) > 1 else named(self.observed.path),
            _users(self.observed, folder, broken) as source,
        ):
            most = CHUNK_WORST_CASE_USERS if question.by_worst_case else CHUNK_USERS
            at_once = max(1, min(most, CHUNK_ENTRIES // source.n**2))
            if isinstance(source, UserTable):
                _check_sides(source, self.one_sided)
                with patience("names of the users"):
                    source.find_repeated(readers)
            if question.by_paper_bound:
                for _ in answerers.each([prepare_compiled]):  # by one of the workers, not by all at once
                    pass
            if readers is not answerers:
                click.echo(
                    "note: workers are sent what this process reads: they do not read and write its files", err=True
                )
            seen = Seen()
            if self.prior is not None:
                with patience("values of the users"):
                    unknown_user = UnknownUser.among(lambda: source.chunks(at_once, _known), question.smoothing)
                if self.alpha is not None:
                    question = replace(question, alpha=unknown_user.left(self.alpha))
                    take_folder(folder, question)

            def answer_all(asked: PopulationQuestion, into: Path, told: Broken, seen: Seen) -> None:
                with patience("users") as advance:
                    done = 0

                    def add(size: int) -> None:
                        nonlocal done
                        done += size
                        advance(done, source.size)

                    seen.add(run(asked, source, into, answerers, add, users=at_once, broken=told)[1])

            def chunks_of(numbers: set[int]) -> Iterator[tuple[int, UserChunk]]:
                if isinstance(source, UserTable):
                    for number in sorted(numbers):
                        for chunk in source.part(number * at_once, at_once).chunks(at_once, _known):
                            yield number, chunk
                else:
                    for number, chunk in zip(range(max(numbers) + 1), source.chunks(at_once, _known), strict=False):
                        if number in numbers:
                            yield number, chunk

            def exactly(
                asked: PopulationQuestion, users: list[WorstUser]
            ) -> dict[WorstUser, tuple[UserChunk, ExactUser]]:
                with patience("exact levels"):
                    return exact_users(asked, chunks_of, users)

            def answer_common(asked: PopulationQuestion, into: Path) -> None:
                take_folder(into, asked)
                answer_all(asked, into, _known, Seen())

            answer_all(question, folder, stop if self.rejected is None else broken, seen)
            if isinstance(source, VisitLog):
                seen.step = source.spacings.told(source.in_seconds, source.steps)
                click.echo(f"note: {seen.step}", err=True)
            if question.smoothing and seen.counts is not None:
                states = source.states if isinstance(source, VisitLog) else [*map(str, range(1, source.n + 1))]
                pooled = TransitionCounts(tuple(states), tuple(map(tuple, seen.counts.tolist())), (0,) * source.n)
                note_returns(pooled, "leave --smoothing out, or estimate a cohort with --absorbing")
            if self.every is not None:
                seen.step = f"{seen.step}; a release every {self.every}" + (" steps" if self.every.isdigit() else "")
            if self.exact:
                worst = worst_users(question, folder, self.exact, readers)
                write_worst_users(question, exactly(question, worst), folder, seen.step)
            if self.method is not None:
                bare = PopulationQuestion(smoothing=question.smoothing, every=question.every)
                common = common_schedule(
                    question,
                    self.method,
                    horizon,
                    folder,
                    answering=answer_common,
                    fitting=lambda users: [user.adversary for _, user in exactly(bare, users).values()],
                    count_worst=self.unestimated == COUNT_WORST,
                    workers=readers,
                )
            summary = summary_of(question, folder, readers, (*QUANTILES, *(_DRAWN if self.plot else ())))
            with patience("checks from above"):
                check_worst(question, chunks_of, summary, folder)
        if self.table:
            write_csv(folder, self.table)
        if self.plot:
            curves = {title_of(own): [own.quantiles[part] for part in _DRAWN] for own in summary.levels if own.users}
            distribution_picture(self.plot, curves, _DRAWN)
        basis = population_basis(question, seen, summary, broken)
        if common is not None:
            by_bound = replace(question, model=PaperBound.name)  # which the schedule is fitted to
            write_schedule(folder, common, population_basis(by_bound, seen, common.users, broken))
        words = conclusion(question, summary, common, broken, self.output)
        value = value_of(summary, broken, common)
        if unknown_user is not None:
            value["prior"], told = of_unknown_user(unknown_user, question, summary, self.alpha, self.output)
            words = f"{told} To one who knows: {words}"
            basis = replace(basis, users=f"{basis.users}; by the prior all of them are equally likely")
        sheets = [csv_sheet(summary)] if self.output.as_csv else sheets_of(summary, self.output)
        if common is not None:
            sheets.append(common_sheet(common, self.output))
        self.output.conclude(Conclusion(words, basis), [value], *sheets)
        if common is not None and common.left_out and self.unestimated is None:
            raise click.exceptions.Exit(LEFT_OUT)


def _check_sides(table: UserTable, one_sided: bool) -> None:
    """Raise InvalidRequest for a table of one correlation alone, where this was not asked for."""
    lacking = {*ROLES} - {*table.columns}
    if table.size and len(lacking) == 1 and not one_sided:
        raise InvalidRequest(
            f"the table has no column {lacking.pop()}, but an adversary who knows one knows the other: "
            "give it as well, or say with --one-sided that the adversary does not know it"
        )


def _known(_error: OracleError) -> None:
    """What is broken is noted when users are answered."""


def _horizon(releases: Releases, alpha: str | None, method: str | None) -> int:
    """Return the releases of one schedule for all, 0 where none is asked for. Raises: InvalidRequest."""
    if method is None:
        return 0
    if alpha is None:
        raise InvalidRequest("--method needs --alpha: the level that the schedule for all keeps")
    if releases.epsilons is not None:
        return len(releases.budgets(Files()))
    if releases.steps is None:
        raise InvalidRequest("--method needs --steps: how many releases the schedule for all has")
    return len(replace(releases, epsilon=alpha).budgets(Files()))  # which checks their number


def _question(releases: Releases, alpha: str | None, smoothing: str, model: str, scheduled: bool) -> PopulationQuestion:
    budgets: list[Level] = []
    alone = scheduled and releases.epsilon is None and releases.epsilons is None
    if (releases.steps is not None or releases.epsilons is not None) and not alone:
        budgets = releases.budgets(Files())
    epsilon = None if releases.epsilon is None else Reader().level(releases.epsilon, "--epsilon").full_text()
    question = PopulationQuestion(
        tuple(budget.full_text() for budget in budgets),
        None if model == WorstCase.name else epsilon,
        None if alpha is None else Reader().level(alpha, "--alpha").full_text(),
        Reader().number(smoothing, "--smoothing"),
        model,
    )
    check_known(question)
    return question


@contextmanager
def _users(observed: Observed, folder: Path, broken: Rejects) -> Iterator[VisitLog | UserTable]:
    if observed.columns is None:
        yield UserTable.of(observed.path)
        return
    log = VisitLog(
        observed.paths, observed.columns, observed.separator, folder / "visits", observed.steps, observed.readings
    )
    try:
        with patience("reading visits") as progress:
            log.share_out(broken.reading, progress)
        yield log
    finally:
        log.close()
