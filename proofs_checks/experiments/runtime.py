"""Runtimes: Figure 6 [fig:ex_runtime], (a) against n, (b) of the precomputations, (c) against T, (d) against α.

Exact: the algorithms of `reference`. Doubles: the same in numpy, as the paper's Matlab (`doubles`). A row that is
extrapolated says from what: programs per pair are timed for a few pairs, and steps in time that take equally long for
the first few. Seconds are of processor time: the machine may have other work.
"""

import math
import statistics
from fractions import Fraction

from tploracle.reference import (
    ZERO,
    SubFunction,
    algorithm_1,
    algorithm_2,
    algorithm_3,
    algorithm_4,
    algorithm_5,
    parse_level,
)
from tploracle.solvers.linear_programs import cbc as pulp_cbc
from tploracle.solvers.linear_programs.charnes_cooper import compact, literal, ratio_bound
from tploracle.solvers.linear_programs.outcomes import Status
from tploracle.solvers.loss.dinkelbach import fast_optimum
from tploracle.solvers.loss.envelope import fast_loss_function

from . import doubles
from .clock import spent
from .drawing import curve, panels
from .matrices import random_matrix
from .tables import values, where

CLOSE = 1e-9
SHORT, REPEATS = 0.05, 4
BEYOND_ALL = 10**15
"""The excess that stands for the end of the last piece."""


def seconds(work):
    """Return the processor time of a function, that of the programs it runs included, and what it returns."""
    start = spent()
    result = work()
    return spent() - start, result


def cells(**head):
    """Return a row: seconds with four digits."""
    taken = head.pop("taken")
    return head | {"seconds": f"{taken:.4g}"}


def with_ratios(table, by, base):
    """Add to each row how many times the seconds of the base method at the same place it took."""
    known = {tuple(row[name] for name in by): float(row["seconds"]) for row in table if row["method"] == base}
    for row in table:
        at = known.get(tuple(row[name] for name in by))
        row[f"times {base}"] = f"{float(row['seconds']) / at:.4g}" if at else ""
    return table


def by_programs(matrix, alpha, form, sampled):
    """Return the seconds of CBC for all pairs, from a few; None where one of them does not end with an optimum."""
    bound = ratio_bound(alpha)
    taken, outcomes = seconds(
        lambda: [pulp_cbc.solve(form(matrix.rows[k], matrix.rows[k + 1], bound)) for k in range(sampled)]
    )
    solved = all(outcome.status is Status.OPTIMAL for outcome in outcomes)
    return taken / sampled * matrix.n * (matrix.n - 1) if solved else None


def whole_as_pieces(matrix):
    """Return L as Algorithm 4 would, on the whole of [0, ∞), by the fast method."""
    return [SubFunction(p.q, p.d, p.stop or Fraction(BEYOND_ALL)) for p in fast_loss_function(matrix).pieces]


def methods_at(matrix, alpha, exact_up_to):
    """Return, per method to L(α), a function without arguments; exact algorithms up to a number of states only."""
    height = float(alpha.rational)
    entries = doubles.entries_of(matrix)
    arrays = doubles.algorithm_2(entries)
    pieces = whole_as_pieces(matrix)
    float_pieces = [(float(piece.q), float(piece.d), float(piece.end)) for piece in pieces]
    methods = {
        ("Algorithm 1", "doubles"): lambda: doubles.algorithm_1(entries, height)[0],
        ("Algorithm 3", "doubles"): lambda: doubles.algorithm_3(arrays, height),
        ("Algorithm 5", "doubles"): lambda: doubles.algorithm_5(float_pieces, height),
        ("Dinkelbach, filtered", "exact"): lambda: fast_optimum(matrix, alpha).value(alpha),
        ("Algorithm 5", "exact"): lambda: algorithm_5(pieces, alpha, ZERO),
    }
    if matrix.n <= exact_up_to:
        functions = algorithm_2(matrix)
        methods["Algorithm 1", "exact"] = lambda: algorithm_1(matrix, alpha, ZERO)
        methods["Algorithm 3", "exact"] = lambda: algorithm_3(functions, alpha, ZERO)
    return methods


def steady_seconds(work):
    """As `seconds`; what takes less than `SHORT` is done again and the median counts."""
    taken, result = seconds(work)
    if taken >= SHORT:
        return taken, result
    return statistics.median([taken, *(seconds(work)[0] for _ in range(REPEATS))]), result


def take_all(methods):
    """Take every method. Returns: the seconds of each. Raises: ArithmeticError where their values differ."""
    taken, found = {}, {}
    for key, method in methods.items():
        taken[key], value = steady_seconds(method)
        found[key] = value if isinstance(value, float) else float(value.enclosure(17).upper)
    if max(found.values()) - min(found.values()) > CLOSE * (1 + max(found.values())):
        raise ArithmeticError(f"the methods do not agree: {found}")
    return taken


def measure_n(*, alpha, runs, exact_up_to, literal_up_to, compact_up_to, sampled, advance):
    """Return the seconds of every method to L(alpha) against n; runs: by n, how many random matrices."""
    table = []
    level = parse_level(alpha)
    for done, (size, many) in enumerate(runs.items()):
        advance(done, len(runs))
        n = int(size)
        taken = [take_all(methods_at(random_matrix(n, seed), level, exact_up_to)) for seed in range(many)]
        for method, arithmetic in taken[0]:
            middle = statistics.median(each[method, arithmetic] for each in taken)
            table.append(cells(n=n, method=method, arithmetic=arithmetic, runs=many, extrapolated="no", taken=middle))
        for form, most in ((literal, literal_up_to), (compact, compact_up_to)):
            if n <= most and (middle := by_programs(random_matrix(n, 0), level, form, sampled)) is not None:
                head = {"n": n, "method": f"CBC, {form.__name__}", "arithmetic": "CBC", "runs": 1}
                table.append(cells(**head, extrapolated=f"from {sampled} of {n * (n - 1)} programs", taken=middle))
    exact = [row for row in table if row["arithmetic"] == "exact"]
    rest = [row for row in table if row["arithmetic"] != "exact"]
    return {"": with_ratios(exact, ["n"], "Algorithm 1") + with_ratios(rest, ["n"], "Algorithm 1")}


def measure_precomputation(*, highest, runs, exact_up_to, start, advance):
    """Return the seconds of Algorithms 2 and 4, and of the fast method to the whole of L, against n.

    highest: the values of a_m; start: a_1. What Algorithm 2 takes is not in what Algorithm 4 takes.
    """
    table = []
    tasks = [(int(n), seed) for n, many in runs.items() for seed in range(many)]
    for done, (n, seed) in enumerate(tasks):
        advance(done, len(tasks))
        matrix = random_matrix(n, seed)
        entries = doubles.entries_of(matrix)
        taken, arrays = seconds(lambda entries=entries: doubles.algorithm_2(entries))
        table.append(cells(n=n, seed=seed, method="Algorithm 2", arithmetic="doubles", a_m="", pieces="", taken=taken))
        taken, whole = seconds(lambda matrix=matrix: fast_loss_function(matrix))
        many = len(whole.pieces)
        table.append(cells(n=n, seed=seed, method="envelope", arithmetic="exact", a_m="inf", pieces=many, taken=taken))
        if n <= exact_up_to:
            taken, functions = seconds(lambda matrix=matrix: algorithm_2(matrix))
            table.append(
                cells(n=n, seed=seed, method="Algorithm 2", arithmetic="exact", a_m="", pieces="", taken=taken)
            )
        for a_m in highest:
            ends = [math.expm1(float(start)), math.expm1(float(a_m))]
            taken, (found, _) = seconds(lambda arrays=arrays, ends=ends: doubles.algorithm_4(arrays, *ends))
            head = {"n": n, "seed": seed, "method": "Algorithm 4", "a_m": a_m}
            table.append(cells(**head, arithmetic="doubles", pieces=len(found), taken=taken))
            if n <= exact_up_to:
                ends = [simple_above(each) for each in (start, a_m)]
                taken, found = seconds(lambda functions=functions, ends=ends: algorithm_4(functions, *ends))
                table.append(cells(**head, arithmetic="exact", pieces=len(found), taken=taken))
    return {"": table}


def simple_above(level):
    """Return a short rational that is a little above e^level − 1."""
    return Fraction(math.ceil(parse_level(level).excess_bounds()[1] * 1000), 1000)


def measure_time(*, epsilon, exact_states, double_states, horizons, steps_1, steps_3, advance):
    """Return the seconds of BPL_1 … BPL_T with all that is precomputed, against T.

    Algorithm 1 is timed for `steps_1` steps and Algorithm 3 for `steps_3`, and goes on at the pace of the second half
    of these; Algorithm 4 with a_m = (T + 1)ε and all T steps of Algorithm 5 are timed for each T.
    """
    table = []
    budget = parse_level(epsilon)
    tasks = [(arithmetic, horizon) for arithmetic in ("exact", "doubles") for horizon in horizons]
    for arithmetic, n in (("exact", exact_states), ("doubles", double_states)):
        methods = time_methods_exact(n, budget) if arithmetic == "exact" else time_methods_doubles(n, float(epsilon))
        before, one, three, five = methods
        for method, setup, step, most in (
            ("Algorithm 1", 0.0, one, steps_1),
            ("Algorithms 2 and 3", before, three, steps_3),
        ):
            marks = paced(step, budget if arithmetic == "exact" else float(epsilon), min(most, max(horizons)))
            pace = statistics.median(
                b - a for a, b in zip(marks[len(marks) // 2 :], marks[len(marks) // 2 + 1 :], strict=False)
            )
            for horizon in horizons:
                steps = horizon - 1
                known = steps < len(marks)
                taken = setup + (marks[steps] if known else marks[-1] + pace * (steps - len(marks) + 1))
                how = "no" if known else f"from {len(marks) - 1} steps"
                head = {"T": horizon, "n": n, "method": method, "arithmetic": arithmetic}
                table.append(cells(**head, extrapolated=how, pieces="", taken=taken))
        for done, horizon in enumerate(horizons):
            advance(done + len(horizons) * (arithmetic == "doubles"), len(tasks))
            taken, pieces = seconds(lambda horizon=horizon, five=five: five(horizon))
            head = {"T": horizon, "n": n, "method": "Algorithms 2, 4 and 5", "arithmetic": arithmetic}
            table.append(cells(**head, extrapolated="no", pieces=pieces, taken=before + taken))
    return {"": with_ratios(table, ["T", "n"], "Algorithm 1")}


def paced(step, first, steps):
    """Return the seconds after 0, 1, 2, … steps; step takes the last leakage to the next."""
    marks, level, start = [0.0], first, spent()
    for _ in range(steps):
        level = step(level)
        marks.append(spent() - start)
    return marks


def time_methods_exact(n, epsilon):
    """Return the seconds of Algorithm 2, a step by Algorithm 1, a step by Algorithm 3, and all T by 4 and 5."""
    matrix = random_matrix(n, 0)
    before, functions = seconds(lambda: algorithm_2(matrix))
    start = simple_above("0.05")

    def by_function(horizon):
        end = simple_above(str((horizon + 1) * float(epsilon.rational)))
        pieces = algorithm_4(functions, start, end)
        level = epsilon
        for _ in range(horizon - 1):
            level = algorithm_5(pieces, level, epsilon)
        return len(pieces)

    return (
        before,
        lambda level: algorithm_1(matrix, level, epsilon),
        lambda level: algorithm_3(functions, level, epsilon),
        by_function,
    )


def time_methods_doubles(n, epsilon):
    """As `time_methods_exact`, in doubles."""
    entries = doubles.entries_of(random_matrix(n, 0))
    before, arrays = seconds(lambda: doubles.algorithm_2(entries))

    def by_function(horizon):
        pieces, _ = doubles.algorithm_4(arrays, math.expm1(0.05), math.expm1((horizon + 1) * epsilon))
        level = epsilon
        for _ in range(horizon - 1):
            level = doubles.algorithm_5(pieces, level) + epsilon
        return len(pieces)

    return (
        before,
        lambda level: doubles.algorithm_1(entries, level)[0] + epsilon,
        lambda level: doubles.algorithm_3(arrays, level) + epsilon,
        by_function,
    )


def measure_level(*, n, runs, levels, sampled, advance):
    """Return the seconds of every method against α, and how often Algorithm 1 goes through its loop."""
    table = []
    for done, text in enumerate(levels):
        advance(done, len(levels))
        level = parse_level(text)
        matrices = [random_matrix(n, seed) for seed in range(runs)]
        taken = [take_all(methods_at(matrix, level, n)) for matrix in matrices]
        rounds = [doubles.algorithm_1(doubles.entries_of(matrix), float(text))[1] for matrix in matrices]
        pairs = n * (n - 1)
        for method, arithmetic in taken[0]:
            middle = statistics.median(each[method, arithmetic] for each in taken)
            loops = f"{statistics.mean(rounds) / pairs:.4g}" if method == "Algorithm 1" else ""
            head = {"alpha": text, "n": n, "method": method, "arithmetic": arithmetic, "runs": runs}
            table.append(cells(**head, extrapolated="no", **{"rounds per pair": loops}, taken=middle))
        middle = by_programs(matrices[0], level, compact, sampled)
        if middle is not None:
            head = {"alpha": text, "n": n, "method": "CBC, compact", "arithmetic": "CBC", "runs": 1}
            how = f"from {sampled} of {pairs} programs"
            table.append(cells(**head, extrapolated=how, **{"rounds per pair": ""}, taken=middle))
    return {"": table}


STYLES = {"exact": {"linestyle": "-"}, "doubles": {"linestyle": ":"}, "CBC": {"linestyle": "--"}}


def draw_lines(axes, table, x, name=lambda row: row["method"]):
    """Draw seconds over a column, a line for each method and arithmetic."""
    methods = list(dict.fromkeys((name(row), row["arithmetic"]) for row in table))
    colours = {method: number for number, method in enumerate(dict.fromkeys(method for method, _ in methods))}
    for method, arithmetic in methods:
        rows = [row for row in table if name(row) == method and row["arithmetic"] == arithmetic]
        places = sorted({float(row[x]) for row in rows})
        heights = [
            statistics.median(float(row["seconds"]) for row in rows if float(row[x]) == place) for place in places
        ]
        label = method if arithmetic == "CBC" else f"{method}, {arithmetic}"
        curve(axes, places, heights, colours[method], label, markersize=3, **STYLES[arithmetic])
    axes.set(yscale="log", ylabel="seconds")
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))


def draw_n(tables):
    """Draw panel (a)."""
    figure, (axes,) = panels(1, width=7)
    draw_lines(axes, tables[""], "n")
    axes.set(title="(a) L(0.1), all pairs of rows", xlabel="n", xscale="log")
    axes.set_ylabel("seconds (CBC: from a few programs)")
    return figure


def draw_precomputation(tables):
    """Draw panel (b)."""
    figure, (axes,) = panels(1, width=7)
    draw_lines(axes, tables[""], "n", lambda row: row["method"] + (f", $a_m$ = {row['a_m']}" if row["a_m"] else ""))
    axes.set(title="(b) precomputation", xlabel="n", xscale="log")
    return figure


def draw_time(tables):
    """Draw panel (c), exact and in doubles."""
    figure, axes = panels(2, width=5)
    for each, arithmetic in zip(axes, ("exact", "doubles"), strict=True):
        table = where(tables[""], arithmetic=arithmetic)
        for number, method in enumerate(values(table, "method")):
            rows = where(table, method=method)
            curve(each, [int(row["T"]) for row in rows], [float(row["seconds"]) for row in rows], number, method)
            guessed = [row for row in rows if row["extrapolated"] != "no"]
            places = [int(row["T"]) for row in guessed], [float(row["seconds"]) for row in guessed]
            each.plot(*places, "o", markersize=9, markerfacecolor="none", color="0.5", label=None)
        title = f"(c) {arithmetic}, n = {table[0]['n']}, precomputation included"
        each.set(title=title, xlabel="releases T (ring: extrapolated)", ylabel="seconds", xscale="log", yscale="log")
        each.legend(fontsize=8)
    return figure


def draw_level(tables):
    """Draw panel (d), and the rounds of Algorithm 1."""
    figure, (left, right) = panels(2, width=5.4)
    draw_lines(left, tables[""], "alpha")
    left.set(title=f"(d) L(α), n = {tables[''][0]['n']}", xlabel="α (nats)")
    rows = where(tables[""], method="Algorithm 1", arithmetic="exact")
    curve(right, [float(row["alpha"]) for row in rows], [float(row["rounds per pair"]) for row in rows], 0, None)
    right.set(title="Algorithm 1: rounds of its loop", xlabel="α (nats)", ylabel="rounds per pair of rows")
    return figure
