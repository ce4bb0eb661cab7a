"""`tploracle population`: a row of leakage, suprema and budgets for each user of a whole population."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import click

from ..data.files import Files, named
from ..data.sequences import Broken
from ..models.schedules import CONSTANT, FINITE_METHODS
from ..output.plots import distribution_picture
from ..output.progress import patience
from ..output.sheets import Cell, Output, Sheet
from ..population.common_schedules import CommonSchedule, common_schedule
from ..population.overview import PopulationSummary, quantiles, summary_of, write_csv
from ..population.question import PopulationQuestion, check_known
from ..population.rejects import Rejects, rejects
from ..population.rulers import Ruler, exact_users, rulers_of, write_rulers
from ..population.runs import processes, run, scheduler, take_folder
from ..population.user_rows import BUDGET, KINDS_OF_LEAKAGE, SUPREMA, TIGHT_TPL, USER_BUDGETS, ExactUser
from ..population.user_tables import UserTable
from ..population.visit_logs import VisitLog
from ..reference import InvalidRequest, Level, OracleError
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from .extras import need, option_needs
from .options import Releases, output_options, plot_option, release_options
from .sequence_options import Observed, observed_options

CHUNK_USERS = 3072
CHUNK_ENTRIES = 1 << 20
"""Users of a chunk, fewer where their matrices have more entries than this together."""

CHUNK_TIGHT_USERS = 128
"""Users of a chunk whose tight worst case is asked for: about ten seconds of work."""

SHOWN = (0.05, 0.5, 0.95)
"""The quantiles of the table; JSON has more."""

LABELS = {
    **{name: f"worst {name.upper()}" for name in KINDS_OF_LEAKAGE},
    **{name: f"{name.partition('_')[0].upper()} for ever" for name in SUPREMA},
    **dict(zip(USER_BUDGETS, ("first budget", "budget for ever", "last budget"), strict=True)),
    TIGHT_TPL: "worst TPL, tight",
}

_DRAWN = [part / 100 for part in range(1, 101)]

SAFE_BOUNDS = "In nats. The worst is a double on the safe side of the exact level; quantiles are rounded."

PAPERS_BOUNDS = "The paper's bounds: nobody leaks more, and perhaps far less: --tight has the exact worst TPL."

COMMON = (
    "The least budget for ever is the greatest that all may share: with less, nobody's TPL is greater. "
    "For one user alone, the first release and the last may have more: their row says how much."
)


@click.command("population")
@observed_options(several=True)
@click.option("--out", "-o", metavar="FOLDER", required=True, help="Where the rows go; a run that was ended goes on.")
@release_options()
@click.option("--alpha", metavar="LEVEL", help="Each user's greatest budgets whose TPL stays within it.")
@click.option(
    "--horizon", metavar="T", type=click.IntRange(1), help="With --alpha: one schedule of T releases for all."
)
@click.option(
    "--method", type=click.Choice(FINITE_METHODS), default=CONSTANT, show_default=True, help="What schedule that is."
)
@click.option("--smoothing", metavar="NUMBER", default="0", help="Added to every count; gives unseen states a row.")
@click.option(
    "--tight",
    is_flag=True,
    help="The exact worst TPL over all mechanisms too: about 0.1 s a user, seconds where budgets differ.",
)
@click.option(
    "--exact", metavar="K", type=click.IntRange(0), default=0, help="Exact levels of the K who rule, certified."
)
@click.option(
    "--rejects", "rejected", metavar="FILE", help="Where broken rows go; without it the first one ends the run."
)
@click.option("--workers", type=click.IntRange(1), help="How many processes.  [default: one for each processor]")
@click.option(
    "--scheduler",
    "address",
    metavar="ADDRESS",
    help="Instead: the workers of this Dask scheduler.",
    callback=option_needs("cluster", "distributed"),
)
@click.option("--table", metavar="FILE.csv", help="Write the rows as CSV as well.")
@plot_option
@output_options()
def population_command(
    *,
    observed: Observed,
    out: str,
    releases: Releases,
    alpha: str | None,
    horizon: int | None,
    method: str,
    smoothing: str,
    tight: bool,
    exact: int,
    rejected: str | None,
    workers: int | None,
    address: str | None,
    table: str | None,
    plot: str | None,
    output: Output,
) -> None:
    """Answer for each user of a population, into FOLDER/part-00000.parquet and so on; and print what it comes to.

    FILE is a log, or several are, with --user, --time and --state; or one a Parquet table of users: the column user,
    and a list of n² counts, or the matrices backward and forward as lists, or n² columns of counts. A row has the worst
    BPL, FPL and TPL over the releases, the suprema with --epsilon at every time, and with --alpha the greatest budget
    for ever, and what the first and the last release may have beside it: the paper's bounds, each between two doubles.
    """
    need("population", "data", "pyarrow")
    question = _question(releases, alpha, smoothing, tight)
    folder = Path(out)
    if horizon is not None and alpha is None:
        raise InvalidRequest("--horizon needs --alpha: the level that the schedule keeps")
    take_folder(folder, question)
    common = None
    answering = scheduler(address) if address else nullcontext(processes(workers or os.cpu_count() or 1))
    with (
        answering as answerers,
        rejects(" ".join(observed.paths), rejected) as broken,
        nullcontext() if len(observed.paths) > 1 else named(observed.path),
        _users(observed, folder, broken) as source,
    ):
        at_once = max(1, min(CHUNK_TIGHT_USERS if tight else CHUNK_USERS, CHUNK_ENTRIES // source.n**2))

        def answer_all(asked: PopulationQuestion, into: Path, error: Broken) -> None:
            with patience("users") as advance:
                done = 0

                def add(size: int) -> None:
                    nonlocal done
                    done += size
                    advance(done, source.size)

                run(asked, source.chunks(at_once, error), into, answerers, add)

        def exactly(asked: PopulationQuestion, rulers: list[Ruler]) -> dict[Ruler, ExactUser]:
            with patience("exact levels"):
                return exact_users(asked, source.chunks(at_once, _known), rulers)

        def answer_common(asked: PopulationQuestion, into: Path) -> None:
            take_folder(into, asked)
            answer_all(asked, into, _known)

        answer_all(question, folder, broken)
        if exact:
            write_rulers(question, exactly(question, rulers_of(question, folder, exact)), folder)
        if horizon is not None:
            bare = PopulationQuestion(smoothing=question.smoothing)
            common = common_schedule(
                question,
                method,
                horizon,
                folder,
                answering=answer_common,
                fitting=lambda rulers: [user.adversary for user in exactly(bare, rulers).values()],
            )
    summary = summary_of(question, folder)
    if table:
        write_csv(folder, table)
    if plot:
        curves = {name: quantiles(folder, level, _DRAWN) for name, level in summary.levels.items() if level.users}
        distribution_picture(plot, curves, _DRAWN)
    sheets = [_sheet(summary, broken)] if common is None else [_sheet(summary, broken), _common_sheet(common, alpha)]
    output.write([_value(summary, broken, common)], *sheets)


def _known(_error: OracleError) -> None:
    """What is broken was noted when it was first read."""


def _question(releases: Releases, alpha: str | None, smoothing: str, tight: bool) -> PopulationQuestion:
    budgets: list[Level] = []
    if releases.steps is not None or releases.epsilons is not None:
        budgets = releases.budgets(Files())
    epsilon = None if releases.epsilon is None else Reader().level(releases.epsilon, "--epsilon").full_text()
    question = PopulationQuestion(
        tuple(budget.full_text() for budget in budgets),
        epsilon,
        None if alpha is None else Reader().level(alpha, "--alpha").full_text(),
        Reader().number(smoothing, "--smoothing"),
        tight,
    )
    check_known(question)
    return question


@contextmanager
def _users(observed: Observed, folder: Path, broken: Rejects) -> Iterator[VisitLog | UserTable]:
    if observed.columns is None:
        yield UserTable.of(observed.path)
        return
    log = VisitLog(observed.paths, observed.columns, observed.separator, folder / "visits")
    try:
        with patience("reading visits") as progress:
            log.share_out(broken.reading, progress)
        yield log
    finally:
        log.close()


def _value(summary: PopulationSummary, broken: Rejects, common: CommonSchedule | None) -> Object:
    schedule: Object = {} if common is None else {"common_schedule": common.value()}
    return {
        "users": summary.users,
        "exact": summary.exact,
        "refused": summary.refused,
        "rejected_rows": broken.noted,
        "levels": {
            level.name: {
                "users": level.users,
                "unbounded": level.unbounded,
                "worst": repr(level.worst),
                "worst_user": level.user,
                "quantiles": {f"{part:g}": repr(value) for part, value in level.quantiles.items()},
            }
            for level in summary.levels.values()
            if level.users
        },
        **schedule,
    }


def _common_sheet(common: CommonSchedule, alpha: str | None) -> Sheet:
    first, *_, last = common.epsilons[0], *common.epsilons
    middle = common.epsilons[len(common.epsilons) // 2]
    rows: list[list[Cell]] = [
        [name, repr(epsilon.double_below())] for name, epsilon in (("first", first), ("middle", middle), ("last", last))
    ]
    note = f"Verified on all users: TPL is at most {common.tpl.worst!r} of {alpha}, that of {common.tpl.user}."
    return Sheet(f"one schedule of {len(common.epsilons)} releases for all", ("release", "budget"), rows, (note,))


def _sheet(summary: PopulationSummary, broken: Rejects) -> Sheet:
    rows: list[list[Cell]] = []
    for level in summary.levels.values():
        if level.users:
            own = [f"{level.quantiles[part]:.6g}" for part in SHOWN]
            rows.append([LABELS[level.name], repr(level.worst), str(level.user), *own, level.unbounded])
    notes = [SAFE_BOUNDS] if TIGHT_TPL in summary.levels else [SAFE_BOUNDS, PAPERS_BOUNDS]
    if summary.refused:
        notes.append(f"Of {summary.refused:,} users nothing can be said: the column error of their rows says why.")
    if summary.exact:
        notes.append(f"{summary.exact:,} users by exact methods, where doubles did not decide.")
    if broken.noted:
        notes.append(f"{broken.noted:,} rows of {broken.source} were broken, and are in the file of rejects.")
    if BUDGET in summary.levels:
        notes.append(COMMON)
    columns = ("", "worst", "user", *(f"{part:.0%}" for part in SHOWN), "unbounded")
    return Sheet(f"{summary.users:,} users", columns, rows, tuple(notes))
