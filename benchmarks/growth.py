"""Measure how every method's time grows with n, and with α: docs/growth.csv and docs/growth.png.

    make growth

Methods that solve one program per pair of rows are sampled: the time of a few pairs times n(n − 1), marked in the CSV.
Where a solver does not end with an optimum (HiGHS and CBC at large α), there is no point.
"""

import csv
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from corpus import ROOT, doubles, random_matrix
from float_baseline import loss_ratio
from matplotlib import colormaps
from matplotlib.figure import Figure

from tploracle.reference import ZERO, algorithm_1, algorithm_2, algorithm_3, loss_function, parse_level
from tploracle.solvers.linear_programs import cbc as pulp_cbc
from tploracle.solvers.linear_programs import highs
from tploracle.solvers.linear_programs import z3 as z3_exact
from tploracle.solvers.linear_programs.charnes_cooper import compact, literal, ratio_bound
from tploracle.solvers.linear_programs.enumeration import enumerated_loss
from tploracle.solvers.linear_programs.outcomes import Status
from tploracle.solvers.loss.dinkelbach import fast_optimum
from tploracle.solvers.loss.envelope import fast_loss_function

LEVEL = parse_level("log(11/10)")
LEVELS = (
    "log(1001/1000)",
    "log(11/10)",
    "log(2)",
    "log(10)",
    "log(1000)",
    "log(1e6)",
    "log(1e12)",
    "log(1e24)",
    "log(1e48)",
)
SAMPLED_PAIRS = 3
RUNS = 3


@dataclass(frozen=True)
class Method:
    """A method: how to use it for a matrix and a level, the largest n it is used for, and whether pairs are sampled."""

    name: str
    take: Callable
    largest: int
    sampled: bool = False


def by_programs(solve, form):
    """Return the method of one program per pair, for the first few pairs; it says whether all were solved."""

    def take(matrix, alpha):
        bound = ratio_bound(alpha)
        outcomes = [solve(form(matrix.rows[k], matrix.rows[k + 1], bound)) for k in range(SAMPLED_PAIRS)]
        return all(outcome.status is Status.OPTIMAL for outcome in outcomes)

    return take


METHODS = (
    Method("Dinkelbach, exact and filtered", fast_optimum, 400),
    Method("envelope, whole L", lambda matrix, _: fast_loss_function(matrix), 400),
    Method(
        "float Dinkelbach in numpy",
        lambda matrix, alpha: loss_ratio(doubles(matrix), float(alpha.excess_bounds()[0])),
        400,
    ),
    Method("Algorithm 1", lambda matrix, alpha: algorithm_1(matrix, alpha, ZERO), 25),
    Method("Algorithms 2 and 3", lambda matrix, alpha: algorithm_3(algorithm_2(matrix), alpha, ZERO), 25),
    Method("reference, whole L", lambda matrix, _: loss_function(matrix), 50),
    Method("enumeration", enumerated_loss, 8),
    Method("CBC, literal", by_programs(pulp_cbc.solve, literal), 50, True),
    Method("CBC, compact", by_programs(pulp_cbc.solve, compact), 100, True),
    Method("HiGHS, compact", by_programs(highs.solve, compact), 100, True),
    Method("z3, compact, exact", by_programs(z3_exact.solve, compact), 25, True),
)
SIZES = (5, 8, 12, 25, 50, 100, 200, 400)
SIZE_FOR_LEVELS = 25


def seconds(method, matrix, alpha):
    """Return the median time of a method over all pairs, None where it does not answer."""
    times = []
    for _ in range(RUNS if matrix.n <= 100 else 1):
        start = time.perf_counter()
        if method.take(matrix, alpha) is False:
            return None
        times.append(time.perf_counter() - start)
    return statistics.median(times) * (matrix.n * (matrix.n - 1) / SAMPLED_PAIRS if method.sampled else 1)


def measured():
    """Yield (varied, method, value, seconds, extrapolated)."""
    for method in METHODS:
        for n in SIZES:
            if n <= method.largest:
                yield "n", method, n, seconds(method, random_matrix(n), LEVEL)
    matrix = random_matrix(SIZE_FOR_LEVELS)
    for method in METHODS:
        if method.largest >= SIZE_FOR_LEVELS:
            for text in LEVELS:
                alpha = parse_level(text)
                yield "alpha", method, float(alpha.enclosure(6).upper), seconds(method, matrix, alpha)


def draw(rows):
    """Draw both families of curves."""
    figure = Figure(figsize=(13, 5.5), layout="constrained")
    for axes, varied, label in zip(figure.subplots(1, 2), ("n", "alpha"), ("states n", "level α (nats)"), strict=True):
        for number, method in enumerate(METHODS):
            points = [(value, time_) for kind, name, value, time_, _ in rows if kind == varied and name == method.name]
            if points:
                style = {"color": colormaps["tab20"](number), "marker": "o", "markersize": 3, "label": method.name}
                axes.plot(*zip(*points, strict=True), **style)
        axes.set(xscale="log", yscale="log", xlabel=label, ylabel="seconds for L(α), all pairs of rows")
        axes.grid(alpha=0.3)
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    figure.axes[0].set_title(f"α = {LEVEL.exact_text}")
    figure.axes[1].set_title(f"n = {SIZE_FOR_LEVELS}")
    figure.savefig(ROOT / "docs/growth.png", dpi=110)


def main():
    """Measure, write the table and the picture."""
    rows = []
    for varied, method, value, time_ in measured():
        if time_ is None:
            print(f"{varied} = {value:g}: {method.name}: not solved", flush=True)
            continue
        rows.append((varied, method.name, value, time_, method.sampled))
        print(f"{varied} = {value:g}: {method.name}: {time_:.3g} s", flush=True)
    with (ROOT / "docs/growth.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["varied", "method", "value", "seconds", "extrapolated from a sample"])
        writer.writerows((*row[:3], f"{row[3]:.4g}", "yes" if row[4] else "no") for row in rows)
    draw(rows)


if __name__ == "__main__":
    main()
