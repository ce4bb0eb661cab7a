"""Measure how every method's time grows with n, with α, and with the number of releases: docs/growth.csv and .png.

    make growth

Times are of a processor, those of programs that are started included, each on matrices that were not seen before. What
leaves by the door to the solvers includes the check from above. Methods that solve one program per pair of rows are
sampled: the time of a few pairs times n(n − 1), marked in the CSV. Where a solver does not end with an optimum (HiGHS
and CBC at large α), there is no point.
"""

import csv
import json
import os
import statistics
import time
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from fractions import Fraction

from corpus import ROOT, click_stream, doubles, random_matrix
from float_baseline import loss_ratio
from matplotlib import colormaps
from matplotlib.figure import Figure

from tploracle.certificates.all_times import worst_case_upper_at_all_times
from tploracle.certificates.checker import check
from tploracle.checked import fast_worst_case_leakage
from tploracle.checked_loss import quick_loss_function, quick_optimum
from tploracle.models.stream_profile import leakage_at_delta
from tploracle.reference import (
    ZERO,
    Adversary,
    ApproximateBudget,
    algorithm_1,
    algorithm_2,
    algorithm_3,
    leakage,
    loss_function,
    parse_level,
)
from tploracle.solvers.linear_programs import cbc as pulp_cbc
from tploracle.solvers.linear_programs import highs
from tploracle.solvers.linear_programs import z3 as z3_exact
from tploracle.solvers.linear_programs.charnes_cooper import compact, literal, ratio_bound
from tploracle.solvers.linear_programs.enumeration import enumerated_loss
from tploracle.solvers.linear_programs.outcomes import Status

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

DIGITS = 30
"""Digits of levels over time."""

RELEASE, DELTA = ApproximateBudget(parse_level("0.1"), Fraction(1, 10**6)), Fraction(1, 10**5)


@dataclass(frozen=True)
class Method:
    """A method.

    take: it, for a matrix and a level or a number of releases; False where no optimum is found; largest: size to which
    it is used; sampled: whether only a few pairs are solved.
    """

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


OF_ONE_LOSS = (
    Method("quick L(α), checked", quick_optimum, 400),
    Method("quick L, whole, checked", lambda matrix, _: quick_loss_function(matrix), 200),
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


def by_the_paper(matrix, releases):
    """Compute BPL, FPL and TPL by the recursions, at all times."""
    own = leakage([LEVEL] * releases, Adversary(*[quick_loss_function(matrix)] * 2))
    return [level.enclosure(DIGITS) for level in (*own.bpl, *own.fpl, *own.tpl)]


def by_worst_case(matrix, releases):
    """Compute the exact worst case of BPL, FPL and TPL, at all times."""
    own = fast_worst_case_leakage([LEVEL] * releases, matrix, matrix)
    return [level.enclosure(DIGITS) for level in (*own.bpl, *own.fpl, *own.tpl)]


def at_delta(kind):
    """Return what computes BPL or TPL at a δ, at all times."""
    return lambda matrix, releases: leakage_at_delta(
        [RELEASE] * releases, [(matrix, matrix if kind == "tpl" else None)], DELTA, range(1, releases + 1), kinds=[kind]
    )


def certified(matrix, releases):
    """Make the certificate of the worst TPL."""
    return worst_case_upper_at_all_times([LEVEL] * releases, matrix, matrix, DIGITS)


OVER_TIME = (
    Method("paper's bound", by_the_paper, 1000),
    Method("exact worst case, checked", by_worst_case, 1000),
    Method("BPL at a δ, checked", at_delta("bpl"), 1000),
    Method("TPL at a δ, checked", at_delta("tpl"), 100),
    Method("certificate made", certified, 300),
    Method("certificate checked", check, 300),
)
SIZES = (5, 8, 12, 25, 50, 100, 200, 400)
SIZE_FOR_LEVELS = 25
RELEASES = (5, 10, 30, 100, 300, 1000)
STATES_OVER_TIME, RELEASES_OVER_STATES = (5, 10, 20, 40), 20
FAMILIES = {
    "n": (OF_ONE_LOSS, "states n", "L(α), all pairs of rows, α = log(11/10)"),
    "alpha": (OF_ONE_LOSS, "level α (nats)", f"L(α), all pairs of rows, n = {SIZE_FOR_LEVELS}"),
    "T": (OVER_TIME, "releases T", "levels at all times, 17-state click stream both ways"),
    "n over time": (OVER_TIME, "states n", f"levels at all times, T = {RELEASES_OVER_STATES}, both ways"),
}
"""What is varied: the methods, and what the axis and the title say."""


def processor_time():
    """Return the seconds of this process and of those that it has waited for."""
    return time.process_time() + sum(os.times()[2:4])


def seconds(method, matrix, asked):
    """Return the median time of a method over all pairs, None where it does not answer; each time a new matrix."""
    times = []
    while len(times) < (1 if times and times[0] > 1 else RUNS):
        given = json.dumps(certified(copy(matrix), asked)) if method.take is check else copy(matrix)
        start = processor_time()
        if (method.take(given) if method.take is check else method.take(given, asked)) is False:
            return None
        times.append(processor_time() - start)
    return statistics.median(times) * (matrix.n * (matrix.n - 1) / SAMPLED_PAIRS if method.sampled else 1)


def measured():
    """Yield (varied, method, value, seconds)."""
    for method in OF_ONE_LOSS:
        for n in SIZES:
            if n <= method.largest:
                yield "n", method, n, seconds(method, random_matrix(n), LEVEL)
        for text in LEVELS if method.largest >= SIZE_FOR_LEVELS else ():
            alpha = parse_level(text)
            found = seconds(method, random_matrix(SIZE_FOR_LEVELS), alpha)
            yield "alpha", method, float(alpha.enclosure(6).upper), found
    clicks = click_stream().backward(Fraction(0))
    for method in OVER_TIME:
        for releases in RELEASES:
            if releases <= method.largest:
                yield "T", method, releases, seconds(method, clicks, releases)
        for n in STATES_OVER_TIME:
            yield "n over time", method, n, seconds(method, random_matrix(n), RELEASES_OVER_STATES)


def draw(rows):
    """Draw a family of curves for each that is varied."""
    figure = Figure(figsize=(14, 10), layout="constrained")
    for axes, (varied, (methods, label, title)) in zip(figure.subplots(2, 2).flat, FAMILIES.items(), strict=True):
        for number, method in enumerate(methods):
            points = [(value, time_) for kind, name, value, time_, _ in rows if kind == varied and name == method.name]
            if points:
                style = {"color": colormaps["tab20"](number), "marker": "o", "markersize": 3, "label": method.name}
                axes.plot(*zip(*points, strict=True), **style)
        axes.set(xscale="log", yscale="log", xlabel=label, ylabel="seconds of processor time", title=title)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7)
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
