"""Budgets and their cost: Figures 8 [fig:ex_budgets] and 9 [fig:ex_utility]."""

from fractions import Fraction

from tploracle.reference import (
    Adversary,
    TransitionMatrix,
    algorithm_7,
    algorithm_8,
    leakage,
    mean_noise,
    parse_level,
    verify_attained,
)
from tploracle.solvers.loss.fast import quick_loss_function

from .drawing import curve, panels
from .matrices import smoothed
from .tables import decimal, level_cells, middle, values, where

SENSITIVITY = Fraction(1)
"""The paper does not say which counts the noise is for; the ratio of two noises does not depend on it."""

NAMES = {"7": "Algorithm 7", "8": "Algorithm 8"}
LINES = {"budget": "k", "BPL": "C0", "FPL": "C2", "TPL": "C3"}


def schedules(alpha, adversary, horizon):
    """Return the budgets of both algorithms. Exact."""
    return {"7": (algorithm_7(alpha, adversary),) * horizon, "8": algorithm_8(alpha, adversary, horizon)}


def noise_cells(budgets):
    """Return the mean expected absolute Laplace noise of a schedule in cells."""
    noise = mean_noise(budgets, SENSITIVITY)
    return {"lower": decimal(noise.lower), "upper": decimal(noise.upper)}


def measure_budgets(*, backward, forward, levels, horizon, advance):
    """Return budgets and leakage at each time for both algorithms and each level, and the noise."""
    adversary = Adversary.knowing(TransitionMatrix.of(backward), TransitionMatrix.of(forward))
    times, noise = [], []
    for done, asked in enumerate(levels):
        advance(done, len(levels))
        alpha = parse_level(asked)
        for name, budgets in schedules(alpha, adversary, horizon).items():
            own = leakage(budgets, adversary)
            if name == "8":
                verify_attained(budgets, adversary, alpha)
            for kind, line in {"budget": budgets, "BPL": own.bpl, "FPL": own.fpl, "TPL": own.tpl}.items():
                for time, level in enumerate(line, 1):
                    cells = {"alpha": asked, "algorithm": name, "kind": kind, "time": time} | level_cells(level)
                    if kind == "TPL":
                        decided = "exactly" if level.ratio is not None and alpha.ratio is not None else "to 40 digits"
                        if name == "8":
                            cells["against alpha"] = f"equal, {decided}"
                        else:
                            cells["against alpha"] = "below" if level < alpha else "not below"
                    times.append(cells)
            noise.append({"alpha": asked, "algorithm": name} | noise_cells(budgets))
    return {"": times, "noise": noise}


def draw_budgets(tables):
    """Draw budgets and leakage over time, one panel an algorithm."""
    table = where(tables[""], alpha=values(tables[""], "alpha")[0])
    figure, axes = panels(2)
    for each, (name, title), letter in zip(axes, NAMES.items(), "ab", strict=True):
        for number, (kind, colour) in enumerate(LINES.items()):
            rows = where(table, algorithm=name, kind=kind)
            times = [int(row["time"]) for row in rows]
            curve(each, times, [middle(row) for row in rows], number, kind, color=colour)
        each.set(title=f"({letter}) {title}, α = {table[0]['alpha']}", xlabel="time t", ylabel="nats")
        each.set_ylim(0, 1.1)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    return figure


def measure_utility(*, alpha, n, degree, horizons, degrees, horizon, advance):
    """Return the mean noise against the number of releases at one s, and against s at one number of releases."""
    level = parse_level(alpha)
    against_time, against_degree = [], []
    for done, s in enumerate([degree, *degrees]):
        advance(done, 1 + len(degrees))
        loss = quick_loss_function(smoothed(n, s))
        adversary = Adversary(loss, loss)
        for length in horizons if not done else [horizon]:
            for name, budgets in schedules(level, adversary, length).items():
                row = {"s": s, "n": n, "releases": length, "algorithm": name} | noise_cells(budgets)
                (against_degree if done else against_time).append(row)
    alone = {"s": "", "n": n, "releases": "", "algorithm": "no correlation"} | noise_cells([level])
    return {"against_T": against_time, "against_s": [*against_degree, alone]}


def draw_utility(tables):
    """Draw the noise over the number of releases, and over s."""
    figure, (left, right) = panels(2)
    table = tables["against_T"]
    for number, (name, title) in enumerate(NAMES.items()):
        rows = where(table, algorithm=name)
        curve(left, [int(row["releases"]) for row in rows], [middle(row) for row in rows], number, title)
    left.set(xlabel="releases T", xscale="log", title=f"(a) s = {table[0]['s']}, n = {table[0]['n']}")
    table = tables["against_s"]
    degrees = [s for s in values(table, "s") if s]
    for number, (name, title) in enumerate(NAMES.items()):
        heights = [middle(row) for row in where(table, algorithm=name)]
        places = [place + (number - 0.5) * 0.38 for place in range(len(degrees))]
        right.bar(places, heights, width=0.36, label=title, color=f"C{number}")
    alone = middle(where(table, algorithm="no correlation")[0])
    right.axhline(alone, linestyle="--", color="k", label="no correlation")
    right.set_xticks(range(len(degrees)), degrees)
    right.set(xlabel="s", title=f"(b) T = {table[0]['releases']}, n = {table[0]['n']}")
    for axes in (left, right):
        axes.set(ylabel="mean E|Laplace noise|, Δ = 1", yscale="log")
        axes.legend(fontsize=8)
    return figure
