"""The check of Section 6.1: random matrices, the three algorithms exact, against a solver of linear programs."""

import multiprocessing
import random
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from itertools import permutations

from tploracle.reference import ZERO, algorithm_1, algorithm_2, algorithm_3, algorithm_4, algorithm_5, parse_level
from tploracle.reference.paper.algorithm_1 import optimum
from tploracle.solvers.linear_programs import cbc as pulp_cbc
from tploracle.solvers.linear_programs.active_set import read_off
from tploracle.solvers.linear_programs.charnes_cooper import compact, literal, ratio_bound
from tploracle.solvers.linear_programs.outcomes import Status
from tploracle.solvers.loss.dinkelbach import fast_optimum
from tploracle.solvers.loss.envelope import fast_loss_function

from .drawing import panels
from .matrices import random_matrix
from .tables import level_cells

START = Fraction(1, 100)
"""The excess at which the domain of Algorithm 4 starts."""


def measure_check(*, n, matrices, levels, sampled, workers, advance):
    """Return one row for each matrix and level; the matrices are shared out to processes."""
    table = []
    tasks = [(n, seed, levels, sampled) for seed in range(matrices)]
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            for done, rows in enumerate(pool.map(check, tasks), 1):
                table += rows
                advance(done, matrices)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return {"": table}


def check(task):
    """Return the rows of one matrix: L by every method, whether they are equal, and what CBC says of sampled pairs."""
    n, seed, levels, sampled = task
    matrix = random_matrix(n, seed)
    functions = algorithm_2(matrix)
    highest = max((parse_level(text) for text in levels), key=lambda level: level.excess_bounds()[1])
    end = Fraction(int(highest.excess_bounds()[1] * 1000) + 1, 1000)
    pieces = algorithm_4(functions, START, end)
    whole = fast_loss_function(matrix)
    rows = []
    for text in levels:
        alpha = parse_level(text)
        found = algorithm_1(matrix, alpha, ZERO)
        chosen = fast_optimum(matrix, alpha)
        others = {
            "Algorithm 3": algorithm_3(functions, alpha, ZERO),
            "Algorithm 5": algorithm_5(pieces, alpha, ZERO),
            "Dinkelbach": chosen.value(alpha),
            "envelope": whole(alpha),
        }
        row = {"matrix": seed, "n": n, "alpha": text} | level_cells(found)
        row |= {f"{name} equals Algorithm 1": "yes" if level == found else "no" for name, level in others.items()}
        rows.append(row | by_programs(matrix, alpha, (chosen.row_q, chosen.row_d), f"{seed}/{text}", sampled))
    return rows


def by_programs(matrix, alpha, best, seed, sampled):
    """Return what CBC says of the pair that attains L and of `sampled` other pairs, the first of all literally too."""
    pairs = random.Random(seed).sample(list(permutations(range(matrix.n), 2)), sampled)
    programs = [(best, literal), *((pair, compact) for pair in (best, *pairs))]
    bound = ratio_bound(alpha)
    certified, worst, agrees = 0, 0.0, True
    for pair, form in programs:
        program = form(matrix.rows[pair[0]], matrix.rows[pair[1]], bound)
        outcome = pulp_cbc.solve(program)
        active = read_off(matrix, pair, alpha, program, outcome)
        if outcome.status is not Status.OPTIMAL or active is None or not active.certified:
            continue
        certified += 1
        exact = optimum(matrix, *pair, alpha).value(alpha)
        agrees &= active.chosen.value(alpha) == exact
        ratio = 1 + float(exact.excess_bounds()[1])
        worst = max(worst, abs(float(outcome.objective) / ratio - 1))
    return {
        "pairs": matrix.n * (matrix.n - 1),
        "programs solved by CBC": len(programs),
        "certified": certified,
        "certified sets equal Algorithm 1": "yes" if agrees else "no",
        "largest relative error of CBC's objective": f"{worst:.2e}",
    }


def draw_check(tables):
    """Draw L of each matrix, in order, at each level."""
    figure, axes = panels(2, width=5)
    table = tables[""]
    for number, text in enumerate(dict.fromkeys(row["alpha"] for row in table)):
        rows = [row for row in table if row["alpha"] == text]
        heights = sorted(float(row["upper"]) / float(text) for row in rows)
        errors = sorted(float(row["largest relative error of CBC's objective"]) for row in rows)
        style = f"C{number}{'os^'[number % 3]}"
        axes[0].plot(range(1, len(heights) + 1), heights, style, markersize=3, label=f"α = {text}")
        axes[1].plot(range(1, len(errors) + 1), errors, style, markersize=3, label=f"α = {text}")
    axes[0].set(xlabel="matrices by L(α)", ylabel="L(α)/α, all methods equal", title="(a) L of the random matrices")
    axes[1].set(xlabel="matrices by error", ylabel="relative error", yscale="log", title="(b) CBC's printed optimum")
    for each in axes:
        each.legend(fontsize=8)
    return figure
