"""Schedules of budgets as `allocate` writes them: tables, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..contract.allocation import QUANTIFIED, UPPER_BOUND
from ..models.schedules import CONSTANT, GROUP, ComparedSchedule
from ..output.sheets import Cell, Heading, Output, Sheet
from ..reference import COUNT_SENSITIVITY, InfeasibleBudget, Level, mean_noise
from ..wire.strict_json import Object, as_list, as_object
from ..wire.values import decimal_text, level_value


def doubles_below(schedule: Sequence[Level]) -> tuple[Level, ...]:
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


def comparison(compared: Sequence[ComparedSchedule], digits: int) -> list[Object]:
    """Return what each schedule costs, its budgets and its mean noise, also beside α/T, and what it is best for."""
    noise = [mean_noise(each.schedule, COUNT_SENSITIVITY, digits) for each in compared]
    group = next(own for each, own in zip(compared, noise, strict=True) if each.method == GROUP)
    places = range(len(compared))
    equal = [place for place in places if compared[place].is_constant]
    best = {
        "the least noise": min(places, key=lambda place: noise[place].upper),
        "equal budgets": min(equal, key=lambda place: noise[place].upper),
    }
    for purpose, method in (
        ("TPL of α at every time", QUANTIFIED),
        ("more releases than planned", UPPER_BOUND),
        ("any correlation", GROUP),
    ):
        first = next((place for place in places if compared[place].method == method), None)
        best |= {} if first is None else {purpose: first}
    return [
        {
            "schedule": each.method,
            "model": each.model,
            **{name: level_value(budget, digits) for name, budget in _places(each.schedule).items()},
            "noise": {"exact": None, "lower": str(noise[place].lower), "upper": str(noise[place].upper)},
            "noise_beside_group": f"{noise[place].upper / group.upper:.4f}",
            "best_for": [purpose for purpose, own in best.items() if own == place],
        }
        for place, each in enumerate(compared)
    ]


def comparison_sheet(rows: Sequence[Object], horizon: int) -> Sheet:
    """Return the table of what each schedule costs."""
    cells: list[list[Cell]] = []
    best: list[str] = []
    for row in rows:
        name = str(row["schedule"])
        name += "" if row["model"] is None else f", {str(row['model']).replace('_', ' ')}"
        cells.append([name, *(as_object(row[key], key) for key in ("first", "middle", "last", "noise"))])
        best += [f"{purpose}: {name}" for purpose in as_list(row["best_for"], "best_for")]
    budgets = (Heading(place, place, is_budget=True) for place in ("first", "middle", "last"))
    notes = (
        f"Each keeps TPL at most α over {horizon} releases, by its model. Noise: Laplace's mean on counts, Δ = 2.",
        f"Best for {'; '.join(best)}.",
    )
    return Sheet(f"What {horizon} releases may spend, and what it costs", ("schedule", *budgets, "noise"), cells, notes)
