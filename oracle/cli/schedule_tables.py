"""Schedules of budgets as `allocate` writes them: tables, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..contract.verified_schedules import CONSTANT, GROUP, QUANTIFIED, UPPER_BOUND
from ..output.sheets import BRACKETS, Cell, Output, Sheet
from ..reference import COUNT_SENSITIVITY, InfeasibleBudget, Level, mean_noise
from ..wire.strict_json import Object, as_list, as_object
from ..wire.values import KINDS, decimal_text, level_value

SAFE_BUDGETS = "Each double is at most the exact budget, and TPL is that of the doubles."


def as_doubles(schedule: Sequence[Level]) -> tuple[Level, ...]:
    """Return the doubles at or below each budget. Raises: InfeasibleBudget for a budget below every double."""
    return tuple(_double(level) for level in schedule)


def _double(level: Level) -> Level:
    below = level.double_below()
    if below == 0:
        raise InfeasibleBudget("a budget is smaller than every positive double: --float cannot express it")
    return level if level.is_infinite else Level.of(Fraction(below))


def budget_entry(level: Level, output: Output) -> Object:
    """Return the value of a budget."""
    return output.level(level.to_spend())


def shared_budgets(alpha: Level, horizon: int, output: Output) -> tuple[Object, list[Sheet]]:
    """Return α/T at every release, which keeps a finite α whatever is correlated, and its table."""
    share = Level.of(Fraction(alpha.enclosure(output.digits).lower) / horizon)
    entry = budget_entry(share, output)
    rows: list[list[Cell]] = [[time, entry] for time in range(1, horizon + 1)]
    title = f"Budgets of {horizon} releases: {GROUP}, which keeps TPL at most α whatever is correlated"
    return {"epsilons": [entry] * horizon}, [Sheet(title, ("time", "budget"), rows, (output.numerals,))]


def greatest_value(levels: Sequence[Level], digits: int) -> Object:
    """Enclose the greatest of several levels, without deciding which one it is: they may all equal α."""
    if len(levels) == 1:
        return level_value(levels[0], digits)
    enclosures = [level.enclosure(digits) for level in levels]
    lower, upper = (max(getattr(found, end) for found in enclosures) for end in ("lower", "upper"))
    exact = {level.exact_text for level in levels}
    return {
        "exact": exact.pop() if len(exact) == 1 else None,
        "lower": decimal_text(lower),
        "upper": decimal_text(upper),
    }


def for_ever_sheet(value: Object, rounded: bool) -> Sheet:
    """Return the table of one budget for ever, and what leakage it stays below."""
    entries, suprema = value["epsilons"], value["suprema"]
    assert isinstance(entries, list)
    assert isinstance(suprema, dict)
    headings = ["budget", *(f"{kind.upper()} stays below" for kind in KINDS)]
    row: list[Cell] = [entries[0], *(suprema[kind] for kind in KINDS)]
    notes = (BRACKETS, SAFE_BUDGETS) if rounded else (BRACKETS,)
    return Sheet("The budget of every release, however many", tuple(headings), [row], notes)


def over_time_sheet(entries: Sequence[Object], tpl: object, rounded: bool) -> Sheet:
    """Return the table of budgets over time, and the TPL that they make."""
    assert isinstance(tpl, list)
    rows: list[list[Cell]] = [
        [time, entry, level] for time, (entry, level) in enumerate(zip(entries, tpl, strict=True), 1)
    ]
    notes = (BRACKETS, SAFE_BUDGETS) if rounded else (BRACKETS,)
    title = f"Budgets of {len(rows)} release{'s' if len(rows) > 1 else ''}"
    return Sheet(title, ("time", "budget", "TPL"), rows, notes)


def _places(schedule: Sequence[Level]) -> dict[str, Level]:
    return {"first": schedule[0], "middle": schedule[len(schedule) // 2], "last": schedule[-1]}


def own_budgets(method: str, schedule: Sequence[Level], output: Output) -> Object:
    """Return one user's own budgets: the one of all times, or those of the first, the middle and the last ones."""
    places = _places(schedule)
    if method in (UPPER_BOUND, CONSTANT) or len(schedule) == 1:
        places = {"all": schedule[0]}
    elif len(schedule) == 2:
        del places["middle"]
    return {place: budget_entry(level, output) for place, level in places.items()}


def personalised_sheet(own: object) -> Sheet:
    """Return the table of each one's own budgets."""
    assert isinstance(own, dict)
    places = list(next(iter(own.values())))
    rows: list[list[Cell]] = []
    for name, entries in own.items():
        rows.append([name, *(entries[place] for place in places)])
    return Sheet("Each one's own budgets", ("name", *places), rows)


def comparison(compared: Mapping[str, Sequence[Level]], digits: int) -> list[Object]:
    """Return what each schedule costs, its budgets and its mean noise, also beside α/T, and what it is best for."""
    noise = {name: mean_noise(schedule, COUNT_SENSITIVITY, digits) for name, schedule in compared.items()}
    least = min(reversed(noise), key=lambda name: noise[name].upper)
    equal = [
        name
        for name, schedule in compared.items()
        if len({budget.exact_text or id(budget) for budget in schedule}) == 1
    ]
    best = {
        "the least noise": least,
        "equal budgets": min(reversed(equal), key=lambda name: noise[name].upper),
        "TPL of α at every time": QUANTIFIED,
        "more releases than planned": UPPER_BOUND,
        "any correlation": GROUP,
    }
    return [
        {
            "schedule": name,
            **{place: level_value(budget, digits) for place, budget in _places(schedule).items()},
            "noise": {"exact": None, "lower": str(noise[name].lower), "upper": str(noise[name].upper)},
            "noise_beside_group": f"{noise[name].upper / noise[GROUP].upper:.4f}",
            "is_least": name == least,
            "best_for": [purpose for purpose, schedule in best.items() if schedule == name],
        }
        for name, schedule in compared.items()
    ]


def comparison_sheet(rows: Sequence[Object], horizon: int) -> Sheet:
    """Return the table of what each schedule costs."""
    cells: list[list[Cell]] = [
        [
            str(row["schedule"]),
            *(as_object(row[key], key) for key in ("first", "middle", "last", "noise")),
            str(row["noise_beside_group"]),
            ", ".join(map(str, as_list(row["best_for"], "best_for"))),
        ]
        for row in rows
    ]
    columns = ("schedule", "first", "middle", "last", "mean noise", f"beside {GROUP}", "best for")
    notes = (
        f"Each keeps TPL at most α over {horizon} releases.",
        "Mean noise: of Laplace's mechanism on counts per place, Δ = 2.",
    )
    return Sheet(f"What {horizon} releases may spend, and what it costs", columns, cells, notes)
