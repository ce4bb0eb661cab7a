"""What `population` shows of all users: a conclusion in words, tables by model, and the same for JSON."""

from __future__ import annotations

from fractions import Fraction
from math import isinf

from ..models.paper_bound import PaperBound
from ..models.worst_case import WorstCase
from ..output.sheets import Cell, Output, Sheet, counted_releases, odds
from ..population.common_schedules import CommonSchedule
from ..population.overview import QUANTILES, LevelSummary, PopulationSummary
from ..population.population_basis import whom
from ..population.question import PopulationQuestion
from ..population.rejects import Rejects
from ..population.unknown_user import UnknownUser
from ..population.user_rows import BUDGET, KINDS_OF_LEAKAGE, SUPREMA, USER_BUDGETS
from ..reference import INFINITE, Level
from ..wire.strict_json import Object

SHOWN = (0.05, 0.5, 0.95)
"""The quantiles of the table; JSON has more."""

LABELS = {
    **{name: name.upper() for name in KINDS_OF_LEAKAGE},
    **{name: f"{name.partition('_')[0].upper()} supremum" for name in SUPREMA},
    **dict(zip(USER_BUDGETS, ("first budget", "constant budget", "last budget"), strict=True)),
}

TITLES = {model.key: model.title for model in (WorstCase, PaperBound)}
"""The models as they are shown, the exact worst case first."""

SAFE_LEVELS = "In nats, rounded up; budgets down. The rows enclose each level by two doubles."

FROM_ABOVE = "from above"
"""By exact methods: one user in a thousand of each part, and the worst user of each level."""

NOT_CHECKED = "no: of no user is anything known"

MOST_NAMED = 5
"""Users who are named in the conclusion; the file of the schedule names all."""

COMMON = (
    "The least constant budget is the greatest that these users may share: with less, no TPL of theirs is greater. "
    "For one user alone, the first release and the last may have more: their row says how much."
)


def value_of(summary: PopulationSummary, broken: Rejects, common: CommonSchedule | None) -> Object:
    """Return the summary for JSON, by each model that is asked for."""
    value: Object = {
        "users": summary.users,
        "checked": FROM_ABOVE if summary.users > summary.refused else NOT_CHECKED,
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
                "quantiles": {f"{part:g}": repr(own.quantiles[part]) for part in QUANTILES},
            }
            for name, own in summary.by(model).items()
        }
        schedule = {} if common is None or model != PaperBound.key else {"common_schedule": common.value()}
        if levels:
            value[model] = {"levels": levels, **schedule}
    return value


def conclusion(
    question: PopulationQuestion,
    summary: PopulationSummary,
    common: CommonSchedule | None,
    broken: Rejects,
    output: Output,
) -> str:
    """Say what the worst user's leakage is by each model, which budget all may share, and of whom this is said."""
    told = {model: levels for model in TITLES if (levels := summary.by(model))}
    if not told:
        return f"Of no user is anything known: {summary.refused:,} of {summary.users:,} are refused."
    sentences: list[str] = []
    for model, levels in told.items():
        worst = levels.get("tpl") or levels.get("tpl_supremum")
        if worst is None:
            continue
        who = f"{TITLES[model]}, user {worst.user}"
        users = f"{whom(worst.users, summary.users, broken)} users"
        if sentences:
            level = _shown(worst, worst.worst, output)
            sentences.append(f"The {TITLES[model]} for {users} is {level} (user {worst.user}).")
            continue
        count = len(question.epsilons)
        what = counted_releases(count, "leak") if count else f"Releases of {question.epsilon} at all times leak"
        if isinf(worst.worst):
            sentences.append(
                f"The {TITLES[model]} has no limit for some of {users}, the first of them {worst.user}"
                + ("; the exact worst case may have one." if model == PaperBound.key else ".")
            )
            continue
        most = f"at most {_shown(worst, worst.worst, output)} nats"
        sentences.append(
            f"{what} {most} about the value of any of {users} at any one time ({who}): an adversary's odds between "
            f"two values there change {odds(_level(worst.worst))}."
        )
    budget = told.get(PaperBound.key, {}).get(BUDGET)
    if budget is not None:
        users = f"{whom(budget.users, summary.users, broken)} users"
        sentences.append(
            f"A budget of {_shown(budget, budget.worst, output)} at all times keeps TPL of {users} within "
            f"{question.alpha} ({TITLES[PaperBound.key]}, user {budget.user})."
            if budget.worst
            else f"By the {TITLES[PaperBound.key]} no budget at all times keeps TPL of {users} within {question.alpha} "
            f"(user {budget.user}); the exact worst case may allow one: see allocate."
        )
    if common is not None:
        verified = common.users.users - len(common.left_out)
        sentences.append(
            f"One schedule of {len(common.epsilons)} releases keeps TPL within {question.alpha} "
            f"({TITLES[PaperBound.key]}): verified on {whom(verified, common.users.users, broken)} users, "
            f"at most {_shown(common.tpl, common.tpl.worst, output)}, that of {common.tpl.user}{_of_refused(common)}."
        )
    return " ".join(sentences)


def of_unknown_user(
    unknown: UnknownUser,
    question: PopulationQuestion,
    summary: PopulationSummary,
    alpha: str | None,
    output: Output,
) -> tuple[Object, str]:
    """Return what one learns at most who does not know whose data they are, for JSON and in words.

    Args: alpha, the level that is kept to this adversary; that of the question is what each user keeps for it.
    """
    adds: Object = {"adds": repr(unknown.adds), **({"each_keeps": question.alpha} if alpha and question.alpha else {})}
    told = []
    for model, title in TITLES.items():
        if found := unknown.bounds(question, summary, model):
            adds[model] = {name: repr(bound) for name, bound in found.items()}
            bounds = (
                f"{LABELS[name]} is at most {_upper(bound, output)}"
                for name, bound in found.items()
                if not isinf(bound)
            )
            told.append(f"{', '.join(bounds) or 'there is no bound'} ({title})")
    rule = f"not knowing adds at most {_upper(unknown.adds, output)} (the mixture rule)"
    if isinf(unknown.adds):
        rule = f"the mixture rule bounds nothing, as {unknown.why}, but TPL is never above the sum of the budgets"
    kept = (
        f" Each user stays within {question.alpha}, so that TPL to this adversary stays within {alpha}."
        if alpha
        else ""
    )
    known = "; ".join([*told, rule])
    return adds, f"To an adversary who does not know whose data they are, all users equally likely: {known}.{kept}"


def _upper(double: float, output: Output) -> str:
    return output.shown({"exact": None, "lower": repr(double), "upper": repr(double)}, is_budget=False)


def _of_refused(common: CommonSchedule) -> str:
    """Say what becomes of the users whose correlation is not known, the first of them by name."""
    if not common.refused:
        return ""
    names = ", ".join(common.refused[:MOST_NAMED]) + (", …" if len(common.refused) > MOST_NAMED else "")
    if common.by_sum:
        return f"; of {len(common.refused):,} whose correlation is not known ({names}) by the sum of the budgets"
    return f"; it says nothing of {len(common.refused):,} whose correlation is not known: {names}"


def title_of(own: LevelSummary) -> str:
    """Return the name of a level, and the model that it is by."""
    return f"{LABELS[own.level.name]}, {TITLES[own.level.model]}"


def _level(double: float) -> Level:
    return INFINITE if isinf(double) else Level.of(Fraction(double))


def _shown(own: LevelSummary, double: float, output: Output) -> str:
    """Write a double of a level, rounded to its safe side where levels are shown in brief."""
    return output.shown({"exact": None, "lower": repr(double), "upper": repr(double)}, own.level.is_budget)


def sheets_of(summary: PopulationSummary, output: Output) -> list[Sheet]:
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
        sheets.append(Sheet(f"{title.capitalize()}, {max(own.users for own in levels):,} users", columns, rows, notes))
    return sheets


def csv_sheet(summary: PopulationSummary) -> Sheet:
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


def common_sheet(common: CommonSchedule, output: Output) -> Sheet:
    """Return the budgets of the schedule for all users."""
    ends = {"first": 0, "middle": len(common.epsilons) // 2, "last": -1}
    rows: list[list[Cell]] = [[name, output.words(common.epsilons[at].to_spend())] for name, at in ends.items()]
    return Sheet(
        f"One schedule of {len(common.epsilons)} releases for {common.tpl.users:,} users", ("release", "budget"), rows
    )
