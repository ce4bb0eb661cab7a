"""`tploracle population`: a row of leakage, suprema and budgets for each user of a whole population."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from fractions import Fraction
from math import isinf
from pathlib import Path

import click

from ..data.files import Files, named
from ..models.paper_bound import PaperBound
from ..models.schedules import CONSTANT, FINITE_METHODS
from ..models.worst_case import WorstCase
from ..output.plots import distribution_picture
from ..output.progress import patience
from ..output.sheets import Cell, Conclusion, Output, Sheet, odds
from ..population.common_schedules import CommonSchedule, common_schedule, write_schedule
from ..population.overview import LevelSummary, PopulationSummary, quantiles, summary_of, write_csv
from ..population.population_basis import DEAR, Seen, population_basis, whom
from ..population.question import MODELS, PopulationQuestion, UserChunk, check_known
from ..population.rejects import Rejects, rejects
from ..population.runs import processes, run, scheduler, take_folder
from ..population.user_rows import BUDGET, KINDS_OF_LEAKAGE, SUPREMA, USER_BUDGETS, ExactUser
from ..population.user_tables import UserTable
from ..population.visit_logs import VisitLog
from ..population.worst_users import WorstUser, exact_users, worst_users, write_worst_users
from ..reference import INFINITE, InvalidRequest, Level, OracleError
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from .extras import need, option_needs
from .options import Releases, output_options, plot_option, release_options
from .sequence_options import Observed, observed_options

CHUNK_USERS = 3072
CHUNK_ENTRIES = 1 << 20
"""Users of a chunk, fewer where their matrices have more entries than this together."""

CHUNK_WORST_CASE_USERS = 128
"""Users of a chunk whose exact worst case is asked for: about ten seconds of work."""

SHOWN = (0.05, 0.5, 0.95)
"""The quantiles of the table; JSON has more."""

LABELS = {
    **{name: name.upper() for name in KINDS_OF_LEAKAGE},
    **{name: f"{name.partition('_')[0].upper()} supremum" for name in SUPREMA},
    **dict(zip(USER_BUDGETS, ("first budget", "constant budget", "last budget"), strict=True)),
}

TITLES = {model.key: model.title for model in (WorstCase, PaperBound)}
"""The models as they are shown, the exact worst case first."""

_DRAWN = [part / 100 for part in range(1, 101)]

SAFE_LEVELS = "In nats, rounded up; budgets down. The rows enclose each level by two doubles."

COMMON = (
    "The least constant budget is the greatest that these users may share: with less, no TPL of theirs is greater. "
    "For one user alone, the first release and the last may have more: their row says how much."
)


@click.command("population")
@observed_options(several=True)
@click.option("--out", "-o", metavar="FOLDER", required=True, help="Where the rows go; a run that was ended goes on.")
@release_options()
@click.option("--alpha", metavar="LEVEL", help="Each user's greatest budgets whose TPL stays within LEVEL.")
@click.option(
    "--horizon", metavar="T", type=click.IntRange(1), help="With --alpha: one schedule of T releases for all."
)
@click.option(
    "--method", type=click.Choice(FINITE_METHODS), default=CONSTANT, show_default=True, help="What schedule that is."
)
@click.option("--smoothing", metavar="NUMBER", default="0", help="Added to every count; gives unseen states a row.")
@click.option(
    "--model",
    type=click.Choice(MODELS),
    default=PaperBound.name,
    show_default=True,
    help=f"Answer by one model, or by both: the exact worst case takes {DEAR}.",
)
@click.option(
    "--exact",
    metavar="K",
    type=click.IntRange(0),
    default=0,
    help="Also write certified exact values for the K worst users. (worst_users.json)",
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
@output_options(in_brief=True)
def population_command(
    *,
    observed: Observed,
    out: str,
    releases: Releases,
    alpha: str | None,
    horizon: int | None,
    method: str,
    smoothing: str,
    model: str,
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
    at all times, and what the first and the last release may have beside it. These are by the paper's bound, which no
    mechanism exceeds; the exact worst case is that of TPL over the releases. Each is between two doubles.
    """
    need("population", "data", "pyarrow")
    question = _question(releases, alpha, smoothing, model)
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
        at_once = max(
            1, min(CHUNK_WORST_CASE_USERS if question.by_worst_case else CHUNK_USERS, CHUNK_ENTRIES // source.n**2)
        )

        seen = Seen()

        def answer_all(asked: PopulationQuestion, into: Path, chunks: Iterable[UserChunk]) -> None:
            with patience("users") as advance:
                done = 0

                def add(size: int) -> None:
                    nonlocal done
                    done += size
                    advance(done, source.size)

                run(asked, chunks, into, answerers, add)

        def exactly(asked: PopulationQuestion, users: list[WorstUser]) -> dict[WorstUser, ExactUser]:
            with patience("exact levels"):
                return exact_users(asked, source.chunks(at_once, _known), users)

        def answer_common(asked: PopulationQuestion, into: Path) -> None:
            take_folder(into, asked)
            answer_all(asked, into, source.chunks(at_once, _known))

        answer_all(question, folder, seen.noting(source.chunks(at_once, broken)))
        if exact:
            write_worst_users(question, exactly(question, worst_users(question, folder, exact)), folder)
        if horizon is not None:
            bare = PopulationQuestion(smoothing=question.smoothing)
            common = common_schedule(
                question,
                method,
                horizon,
                folder,
                answering=answer_common,
                fitting=lambda users: [user.adversary for user in exactly(bare, users).values()],
            )
    summary = summary_of(question, folder)
    if table:
        write_csv(folder, table)
    if plot:
        curves = {
            f"{LABELS[own.level.name]}, {TITLES[own.level.model]}": quantiles(folder, own, _DRAWN)
            for own in summary.levels
            if own.users
        }
        distribution_picture(plot, curves, _DRAWN)
    basis = population_basis(question, seen, summary, broken)
    if common is not None:
        write_schedule(folder, common, population_basis(question, seen, common.users, broken))
    words = _conclusion(question, summary, common, broken, output)
    sheets = [_csv_sheet(summary)] if output.as_csv else _sheets(summary, output)
    if common is not None:
        sheets.append(_common_sheet(common, output))
    output.conclude(Conclusion(words, basis), [_value(summary, broken, common)], *sheets)


def _known(_error: OracleError) -> None:
    """What is broken was noted when it was first read."""


def _question(releases: Releases, alpha: str | None, smoothing: str, model: str) -> PopulationQuestion:
    budgets: list[Level] = []
    if releases.steps is not None or releases.epsilons is not None:
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
    log = VisitLog(observed.paths, observed.columns, observed.separator, folder / "visits")
    try:
        with patience("reading visits") as progress:
            log.share_out(broken.reading, progress)
        yield log
    finally:
        log.close()


def _value(summary: PopulationSummary, broken: Rejects, common: CommonSchedule | None) -> Object:
    value: Object = {
        "users": summary.users,
        "by_exact_methods": summary.by_exact_methods,
        "refused": summary.refused,
        "rejected_rows": broken.noted,
    }
    for model in dict.fromkeys(own.level.model for own in summary.levels):
        levels = {
            name: {
                "users": own.users,
                "unbounded": own.unbounded,
                "worst": repr(own.worst),
                "worst_user": own.user,
                "quantiles": {f"{part:g}": repr(quantile) for part, quantile in own.quantiles.items()},
            }
            for name, own in summary.by(model).items()
        }
        schedule = {} if common is None or model != PaperBound.key else {"common_schedule": common.value()}
        value[model] = {"levels": levels, **schedule}
    return value


def _conclusion(
    question: PopulationQuestion,
    summary: PopulationSummary,
    common: CommonSchedule | None,
    broken: Rejects,
    output: Output,
) -> str:
    """Say what the worst user's leakage is by each model, which budget all may share, and of whom this is said."""
    users = f"{whom(summary, broken)} users"
    told = {model: levels for model in TITLES if (levels := summary.by(model))}
    if not told:
        return f"Of no user is anything known: {summary.refused:,} of {summary.users:,} are refused."
    sentences: list[str] = []
    for model, levels in told.items():
        worst = levels.get("tpl") or levels.get("tpl_supremum")
        if worst is None:
            continue
        who = f"{TITLES[model]}, user {worst.user}"
        if sentences:
            sentences.append(f"The {TITLES[model]} is {_shown(worst, worst.worst, output)} (user {worst.user}).")
            continue
        count = len(question.epsilons)
        what = (
            f"{count} release{'' if count == 1 else 's'}" if count else f"Releases of {question.epsilon} at all times"
        )
        sentences.append(
            f"{what} leak at most {_shown(worst, worst.worst, output)} nats about the value of any of {users} at "
            f"any one time ({who}): an adversary's odds between two values there change {odds(_level(worst.worst))}."
        )
    budget = told.get(PaperBound.key, {}).get(BUDGET)
    if budget is not None:
        sentences.append(
            f"A budget of {_shown(budget, budget.worst, output)} at all times keeps TPL of {users} within "
            f"{question.alpha} ({TITLES[PaperBound.key]}, user {budget.user})."
            if budget.worst
            else f"No budget at all times keeps TPL of {users} within {question.alpha} ({TITLES[PaperBound.key]})."
        )
    if common is not None:
        sentences.append(
            f"One schedule of {len(common.epsilons)} releases keeps TPL within {question.alpha} "
            f"({TITLES[PaperBound.key]}): verified on {whom(common.users, broken)} users, "
            f"at most {_shown(common.tpl, common.tpl.worst, output)}, that of {common.tpl.user}."
        )
    return " ".join(sentences)


def _level(double: float) -> Level:
    return INFINITE if isinf(double) else Level.of(Fraction(double))


def _shown(own: LevelSummary, double: float, output: Output) -> str:
    """Write a double of a level, rounded to its safe side where levels are shown in brief."""
    return output.shown({"exact": None, "lower": repr(double), "upper": repr(double)}, own.level.is_budget)


def _sheets(summary: PopulationSummary, output: Output) -> list[Sheet]:
    """Return a table for each model: the worst user of each level, and quantiles over all users."""
    sheets = []
    for model, title in TITLES.items():
        levels = summary.by(model).values()
        if not levels:
            continue
        unbounded = any(own.unbounded for own in levels)
        rows: list[list[Cell]] = [
            [
                LABELS[own.level.name],
                _shown(own, own.worst, output),
                str(own.user),
                *(_shown(own, own.quantiles[part], output) for part in SHOWN),
                *([own.unbounded] if unbounded else []),
            ]
            for own in levels
        ]
        notes = (SAFE_LEVELS, COMMON) if BUDGET in summary.by(model) else (SAFE_LEVELS,)
        columns = ("", "worst", "user", *(f"{part:.0%}" for part in SHOWN), *(["unbounded"] if unbounded else []))
        sheets.append(Sheet(f"{title.capitalize()}, {summary.users - summary.refused:,} users", columns, rows, notes))
    return sheets


def _csv_sheet(summary: PopulationSummary) -> Sheet:
    """Return all levels as one table, of doubles on the safe side."""
    rows: list[list[Cell]] = [
        [
            own.level.column,
            repr(own.worst),
            str(own.user),
            *(repr(own.quantiles[part]) for part in SHOWN),
            own.unbounded,
        ]
        for own in summary.levels
        if own.users
    ]
    return Sheet("", ("level", "worst", "user", *(f"{part:.0%}" for part in SHOWN), "unbounded"), rows)


def _common_sheet(common: CommonSchedule, output: Output) -> Sheet:
    ends = {"first": 0, "middle": len(common.epsilons) // 2, "last": -1}
    rows: list[list[Cell]] = [[name, output.words(common.epsilons[at].to_spend())] for name, at in ends.items()]
    return Sheet(
        f"One schedule of {len(common.epsilons)} releases for {common.tpl.users:,} users", ("release", "budget"), rows
    )
