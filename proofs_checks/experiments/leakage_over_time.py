"""Leakage over time: Figures 3 [fig:tpl], 5 [fig:example_sup] and 7 [fig:ex_tpl].

Beside the paper's recursions the tight leakage, the worst case over all mechanisms, in the cells with this prefix.
"""

import math
from itertools import pairwise

from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from tploracle.reference import (
    Adversary,
    TransitionMatrix,
    backward_leakage,
    leakage,
    parse_level,
    supremum,
    tight_leakage,
    tight_supremum,
)
from tploracle.solvers.loss.fast import quick_loss_function

from .drawing import curve, panels
from .matrices import smoothed
from .tables import level_cells, middle, values, where

STRONGEST, MODERATE = [["1", "0"], ["0", "1"]], [["0.8", "0.2"], ["0", "1"]]
CORRELATIONS = {"strongest": STRONGEST, "moderate": MODERATE, "none": None}
KINDS = {"BPL": "bpl", "FPL": "fpl", "TPL": "tpl"}
TICKS = (0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7)
TIGHT = "tight "
OVERLAID = {"color": "k", "linestyle": "--", "linewidth": 0.8, "marker": None}
LINES = {"strongest": ("C3", "o"), "moderate": ("C0", "^"), "none": ("k", "s")}


def measure_tpl(*, epsilon, horizons, advance):
    """Return BPL, FPL and TPL at each time under the three correlations, for each number of releases."""
    table = []
    for done, (name, rows) in enumerate(CORRELATIONS.items()):
        advance(done, len(CORRELATIONS))
        matrix = None if rows is None else TransitionMatrix.of(rows)
        adversary = Adversary.knowing(matrix, matrix)
        for horizon in horizons:
            budgets = [parse_level(epsilon)] * horizon
            own, tight = leakage(budgets, adversary), tight_leakage(budgets, matrix, matrix)
            for kind, field in KINDS.items():
                levels = zip(getattr(own, field), getattr(tight, field), strict=True)
                for time, (level, worst) in enumerate(levels, 1):
                    head = {"correlation": name, "releases": horizon, "kind": kind, "time": time}
                    table.append(head | level_cells(level) | level_cells(worst, TIGHT))
    return {"": table}


def draw_tpl(tables):
    """Draw the three panels of the first number of releases."""
    figure, axes = panels(3)
    table = where(tables[""], releases=values(tables[""], "releases")[0])
    for each, (kind, letter) in zip(axes, zip(KINDS, "abc", strict=True), strict=True):
        for name, (colour, marker) in LINES.items():
            rows = where(table, kind=kind, correlation=name)
            times = [int(row["time"]) for row in rows]
            label = {"none": "not known"}.get(name, f"{name} correlation")
            curve(each, times, [middle(row) for row in rows], 0, label, color=colour, marker=marker)
            tight = "worst of all mechanisms" if name == "none" else None
            curve(each, times, [middle(row, TIGHT) for row in rows], 0, tight, **OVERLAID)
        each.set(title=f"({letter}) {kind} of a 0.1-DP mechanism", xlabel="time t", ylabel=f"{kind} (nats)")
        each.set_ylim(0, 1.05)
    axes[0].legend(fontsize=8)
    return figure


def measure_sup(*, cases, steps, advance):
    """Return BPL at each time, and its supremum, in each case, by the recursion and tight."""
    times, limits = [], []
    for done, (case, (rows, epsilon)) in enumerate(cases.items()):
        advance(done, len(cases))
        matrix, budget = TransitionMatrix.of(rows), parse_level(epsilon)
        loss = quick_loss_function(matrix)
        limit = supremum(loss, budget)
        head = {"case": case, "matrix": "; ".join(", ".join(row) for row in rows), "epsilon": epsilon}
        tight = level_cells(tight_supremum(budget, matrix), TIGHT)
        limits.append(head | {"q": str(limit.q), "d": str(limit.d)} | level_cells(limit.level) | tight)
        levels = zip(backward_leakage([budget] * steps, loss), tight_leakage([budget] * steps, matrix).bpl, strict=True)
        for time, (level, worst) in enumerate(levels, 1):
            below = "yes" if level < limit.level else "no"
            cells = level_cells(level) | {"below the supremum": below} | level_cells(worst, TIGHT)
            times.append({"case": case, "time": time} | cells)
    return {"": times, "suprema": limits}


def draw_sup(tables):
    """Draw BPL and its supremum, one panel a case."""
    figure, axes = panels(len(tables["suprema"]), width=3.5, height=3.3)
    for each, limit in zip(axes, tables["suprema"], strict=True):
        rows = where(tables[""], case=limit["case"])
        steps = [int(row["time"]) for row in rows]
        curve(each, steps, [middle(row) for row in rows], 0, "BPL", marker=None)
        curve(each, steps, [middle(row, TIGHT) for row in rows], 0, "worst of all mechanisms", **OVERLAID)
        height, lowest = middle(limit), middle(limit, TIGHT)
        if not math.isnan(height):
            each.axhline(height, linestyle="--", color="C3", label=f"supremum {height:.4g}")
        elif not math.isnan(lowest):
            each.axhline(lowest, linestyle=":", color="k", label=f"of all mechanisms {lowest:.4g}")
        title = f"({limit['case']}) q = {limit['q']}, d = {limit['d']}, ε = {limit['epsilon']}"
        each.set(title=title, xlabel="time t", ylabel="BPL (nats)")
        each.title.set_size(10)
        each.set_ylim(0)
        each.legend(fontsize=8, loc="best", title="no supremum" if math.isnan(height) else None)
    return figure


def measure_degrees(*, sizes, degrees, steps, smaller, advance):
    """Return BPL over time, its supremum, and when it has grown, for each n, s and ε; then the same for other s.

    smaller: values of s beyond the paper's range, for which the suprema and times alone are worked out.
    """
    curves, summary = [], []
    tasks = [(n, s, epsilon) for n in sizes for s in [*degrees, *smaller] for epsilon in steps]
    for done, (n, s, epsilon) in enumerate(tasks):
        advance(done, len(tasks))
        budget = parse_level(epsilon)
        loss = quick_loss_function(smoothed(n, s))
        levels = backward_leakage([budget] * steps[epsilon], loss)
        limit = supremum(loss, budget)
        head = {"n": n, "s": s, "epsilon": epsilon}
        if s in degrees:
            curves.extend(head | {"time": time} | level_cells(level) for time, level in enumerate(levels, 1))
        heights = [float(level.enclosure(17).upper) for level in levels]
        top = float(limit.level.enclosure(17).upper)
        rise = [after - before for before, after in pairwise(heights)]
        summary.append(
            head
            | {"q": str(limit.q), "d": str(limit.d)}
            | level_cells(limit.level)
            | {
                "first time at 90 %": first_time(heights, 0.9 * top),
                "first time at 95 %": first_time(heights, 0.95 * top),
                "first time at 99 %": first_time(heights, 0.99 * top),
                "last rise of at least half of ε": 1 + sum(step >= float(epsilon) / 2 for step in rise),
                "last rise of at least ε/100": 1 + sum(step >= float(epsilon) / 100 for step in rise),
            }
        )
    return {"": curves, "suprema": summary}


def first_time(heights, target):
    """Return the first time at which a height reaches the target, nothing where it does not."""
    return next((time for time, height in enumerate(heights, 1) if height >= target), "")


def draw_degrees(tables):
    """Draw BPL over time, one panel for each ε."""
    table = tables[""]
    figure, axes = panels(2, width=6)
    for each, epsilon, letter in zip(axes, values(table, "epsilon"), "ab", strict=False):
        for style, n in zip(("-", ":"), values(table, "n"), strict=False):
            for number, s in enumerate(values(table, "s")):
                rows = where(table, epsilon=epsilon, n=n, s=s)
                times = [int(row["time"]) for row in rows]
                label = f"s = {s}, n = {n}"
                curve(
                    each,
                    times,
                    [middle(row) for row in rows],
                    number,
                    label,
                    linestyle=style,
                    markersize=3,
                    markevery=max(1, len(rows) // 20),
                )
        each.set(title=f"({letter}) {epsilon}-DP at each time", xlabel="time t", ylabel="BPL (nats)", yscale="log")
        each.yaxis.set_major_locator(FixedLocator(TICKS))
        each.yaxis.set_major_formatter(lambda height, _: f"{height:g}")
        each.yaxis.set_minor_locator(NullLocator())
        each.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    return figure
