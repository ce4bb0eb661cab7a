"""Runtimes, Figure 6 [fig:ex_runtime], and the check of Section 6.1 against a solver of linear programs.

Exact: the algorithms of `reference`. Doubles: the same in numpy, as the paper's Matlab (`doubles`). A row that is
extrapolated says from what: programs per pair are timed for a few pairs, and steps in time that take equally long for
the first few. Seconds are of processor time, that of programs that were run included: the machine may have other work.
"""

import math
import random
import resource
import statistics
import time
from fractions import Fraction
from functools import partial
from itertools import pairwise, permutations

from tploracle import reference as exact
from tploracle.proofs_checks.in_doubles import entries_of
from tploracle.reference import ZERO, SubFunction, TransitionMatrix, parse_level
from tploracle.reference.paper.algorithm_1 import optimum
from tploracle.solvers.linear_programs import cbc as pulp_cbc
from tploracle.solvers.linear_programs.active_set import read_off
from tploracle.solvers.linear_programs.charnes_cooper import compact, literal, ratio_bound
from tploracle.solvers.linear_programs.outcomes import Status
from tploracle.solvers.loss.dinkelbach import fast_optimum
from tploracle.solvers.loss.envelope import fast_loss_function

from . import doubles
from .figures import Panel
from .tables import level_cells

CLOSE = 1e-9
"""Relative difference up to which an exact value and one in doubles agree."""

SHORT, REPEATS = 0.05, 4
"""Work that takes fewer seconds than `SHORT` is repeated, and the median counts."""

LARGEST_WEIGHT = 1000
BEYOND_ALL = Fraction(10**15)
"""The excess that stands for the end of the last piece."""


def random_matrix(n, seed):
    """Return n rows of random whole weights from 1 to 1000, each over its own sum; exact, the same for a seed."""
    source = random.Random(f"{seed}/{n}")
    rows = [[source.randint(1, LARGEST_WEIGHT) for _ in range(n)] for _ in range(n)]
    return TransitionMatrix(tuple(tuple(Fraction(weight, sum(row)) for weight in row) for row in rows))


def spent():
    """Return the seconds of processor time of this process, and of the programs that it ran and that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def timed(work):
    """Return the seconds that a function takes, and what it returns."""
    start = spent()
    result = work()
    return spent() - start, result


def cells(taken, **head):
    """Return a row: seconds with four digits."""
    return head | {"seconds": f"{taken:.4g}"}


def by_programs(matrix, alpha, form, sampled):
    """Return the seconds of CBC for all pairs, from a few; None where one of them does not end with an optimum."""
    bound, rows = ratio_bound(alpha), matrix.rows
    taken, found = timed(lambda: [pulp_cbc.solve(form(rows[k], rows[k + 1], bound)) for k in range(sampled)])
    solved = all(outcome.status is Status.OPTIMAL for outcome in found)
    return taken / sampled * matrix.n * (matrix.n - 1) if solved else None


def methods_at(matrix, alpha, exact_up_to):
    """Return, per method to L(α), a function without arguments; exact algorithms up to a number of states only."""
    height, entries = float(alpha.rational), entries_of(matrix)
    arrays = doubles.algorithm_2(entries)
    pieces = [SubFunction(p.q, p.d, p.stop or BEYOND_ALL) for p in fast_loss_function(matrix).pieces]
    float_pieces = [(float(piece.q), float(piece.d), float(piece.end)) for piece in pieces]
    methods = {
        ("Algorithm 1", "doubles"): lambda: doubles.algorithm_1(entries, height),
        ("Algorithm 3", "doubles"): lambda: doubles.algorithm_3(arrays, height),
        ("Algorithm 5", "doubles"): lambda: doubles.algorithm_5(float_pieces, height),
        ("Dinkelbach, filtered", "exact"): lambda: fast_optimum(matrix, alpha).value(alpha),
        ("Algorithm 5", "exact"): lambda: exact.algorithm_5(pieces, alpha, ZERO),
    }
    if matrix.n <= exact_up_to:
        functions = exact.algorithm_2(matrix)
        methods["Algorithm 1", "exact"] = lambda: exact.algorithm_1(matrix, alpha, ZERO)
        methods["Algorithm 3", "exact"] = lambda: exact.algorithm_3(functions, alpha, ZERO)
    return methods


def seconds_of_each(methods):
    """Run every method. Returns: the seconds of each. Raises: ArithmeticError where their values differ."""
    seconds, found = {}, []
    for key, method in methods.items():
        taken, value = timed(method)
        if taken < SHORT:
            taken = statistics.median([taken, *(timed(method)[0] for _ in range(REPEATS))])
        seconds[key] = taken
        found.append(value if isinstance(value, float) else float(value.enclosure(17).upper))
    if max(found) - min(found) > CLOSE * (1 + max(found)):
        raise ArithmeticError(f"the methods do not agree: {found}")
    return seconds


def rows_at(matrices, level, exact_up_to, forms, sampled, **head):
    """Return the median seconds of every method for some matrices, and of CBC for the first in each form."""
    n, table = matrices[0].n, []
    each = [seconds_of_each(methods_at(matrix, level, exact_up_to)) for matrix in matrices]
    for key in each[0]:
        method = dict(zip(("method", "arithmetic"), key, strict=True)) | {"runs": len(matrices), "extrapolated": "no"}
        table.append(cells(statistics.median(taken[key] for taken in each), **head, **method))
    for form in forms:
        if (taken := by_programs(matrices[0], level, form, sampled)) is not None:
            method = {"method": f"CBC, {form.__name__}", "arithmetic": "CBC", "runs": 1}
            table.append(cells(taken, **head, **method, extrapolated=f"from {sampled} of {n * (n - 1)} programs"))
    return table


RUNS = ((10, 30), (20, 10), (30, 5), (50, 3), (100, 3), (200, 1))


def measure_n(advance, runs=RUNS, exact_up_to=50, literal_up_to=50, sampled=5):
    """Return the seconds of every method to L(0.1) against n; runs: n, and how many random matrices."""
    table, level = [], parse_level("0.1")
    for done, (n, many) in enumerate(runs):
        advance(done, len(runs))
        forms = (literal, compact) if n <= literal_up_to else (compact,)
        matrices = [random_matrix(n, seed) for seed in range(many)]
        table += rows_at(matrices, level, exact_up_to, forms, sampled, n=n)
    return {"": table}


KINDS = ("method", "arithmetic")
N_PANELS = [Panel("(a) L(0.1), all pairs of rows", "n", KINDS, ("seconds",), label="seconds", log="xy")]


class Arithmetic:
    """The algorithms in exact arithmetic or in doubles, on a matrix; Algorithm 2 is run, `before` is its seconds."""

    def __init__(self, name, matrix):
        self.engine = exact if name == "exact" else doubles
        self.matrix = matrix if name == "exact" else entries_of(matrix)
        self.epsilon = parse_level("0.1") if name == "exact" else 0.1
        self.excess = simple_above if name == "exact" else lambda level: math.expm1(float(level))
        self.before, self.functions = timed(lambda: self.engine.algorithm_2(self.matrix))

    def pieces(self, start, end):
        """Return the pieces of L between two levels, by Algorithm 4."""
        return self.engine.algorithm_4(self.functions, self.excess(start), self.excess(end))

    def by_pieces(self, horizon):
        """Return the number of pieces with which Algorithms 4 and 5 find BPL_T."""
        pieces, level = self.pieces("0.05", str((horizon + 1) * 0.1)), self.epsilon
        for _ in range(horizon - 1):
            level = self.engine.algorithm_5(pieces, level, self.epsilon)
        return len(pieces)


def simple_above(level):
    """Return a short rational that is a little above e^level − 1."""
    return Fraction(math.ceil(parse_level(level).excess_bounds()[1] * 1000), 1000)


def measure_precomputation(advance, highest=("1", "10", "100"), runs=((10, 5), (20, 3), (40, 1), (100, 1)), most=40):
    """Return the seconds of Algorithms 2 and 4, and of the fast method to the whole of L, against n.

    highest: the values of a_m; a_1 = 0.01; most: states of the exact algorithms. What Algorithm 2 takes is not in what
    Algorithm 4 takes.
    """
    table = []
    tasks = [(n, seed) for n, many in runs for seed in range(many)]
    for done, (n, seed) in enumerate(tasks):
        advance(done, len(tasks))
        matrix = random_matrix(n, seed)
        taken, whole = timed(lambda matrix=matrix: fast_loss_function(matrix))
        rows = [(taken, "envelope", "exact", "inf", len(whole.pieces))]
        for arithmetic in ("doubles", "exact")[: 2 if n <= most else 1]:
            own = Arithmetic(arithmetic, matrix)
            rows.append((own.before, "Algorithm 2", arithmetic, "", ""))
            for a_m in highest:
                taken, found = timed(lambda own=own, a_m=a_m: own.pieces("0.01", a_m))
                rows.append((taken, "Algorithm 4", arithmetic, a_m, len(found)))
        names = ("method", "arithmetic", "a_m", "pieces")
        table += [cells(taken, n=n, seed=seed, **dict(zip(names, row, strict=True))) for taken, *row in rows]
    return {"": table}


PRECOMPUTATION_PANELS = [
    Panel("(b) precomputation", "n", ("method", "arithmetic", "a_m"), ("seconds",), label="seconds", log="xy")
]


def measure_time(
    advance, exact_states=30, double_states=100, horizons=(2, 3, 5, 10, 30, 100, 300, 1000), steps=(20, 100)
):
    """Return the seconds of BPL_1 … BPL_T at ε = 0.1 with all that is precomputed, against T.

    Algorithms 1 and 3 are timed for a number of steps each, and go on at the pace of the second half of these;
    Algorithm 4 with a_m = (T + 1)ε and all T steps of Algorithm 5 are timed for each T.
    """
    table = []
    for arithmetic, n in (("exact", exact_states), ("doubles", double_states)):
        own, head = Arithmetic(arithmetic, random_matrix(n, 0)), {"n": n, "arithmetic": arithmetic}
        methods = (
            (ONE, 0.0, partial(own.engine.algorithm_1, own.matrix), steps[0]),
            (THREE, own.before, partial(own.engine.algorithm_3, own.functions), steps[1]),
        )
        for method, setup, step, most in methods:
            marks = paced(step, own.epsilon, min(most, max(horizons)))
            pace = statistics.median(b - a for a, b in pairwise(marks[len(marks) // 2 :]))
            for horizon in horizons:
                beyond = horizon - len(marks)
                taken = setup + (marks[-1] + pace * beyond if beyond > 0 else marks[horizon - 1])
                how = f"from {len(marks) - 1} steps" if beyond > 0 else "no"
                table.append(cells(taken, **head, T=horizon, method=method, extrapolated=how, pieces=""))
        for done, horizon in enumerate(horizons):
            advance(done + len(horizons) * (arithmetic == "doubles"), 2 * len(horizons))
            taken, pieces = timed(lambda horizon=horizon, own=own: own.by_pieces(horizon))
            table.append(cells(own.before + taken, **head, T=horizon, method=FIVE, extrapolated="no", pieces=pieces))
    return {"": table}


ONE, THREE, FIVE = "Algorithm 1", "Algorithms 2 and 3", "Algorithms 2, 4 and 5"

TIME_PANELS = [
    Panel(f"(c) {arithmetic}, precomputation included", "T", ("method", "extrapolated"), ("seconds",),
          cells={"arithmetic": arithmetic}, label="seconds", log="xy")
    for arithmetic in ("exact", "doubles")
]  # fmt: skip


def paced(step, epsilon, steps):
    """Return the seconds after 0, 1, 2, … steps from the first leakage, ε; step takes a leakage and ε to the next."""
    marks, level, start = [0.0], epsilon, spent()
    for _ in range(steps):
        level = step(level, epsilon)
        marks.append(spent() - start)
    return marks


LEVELS = ("0.1", "0.5", "1", "2", "3", "5", "7", "10", "15", "20", "25", "30")


def measure_level(advance, n=30, runs=3, levels=LEVELS, sampled=3):
    """Return the seconds of every method against α, and how often Algorithm 1 goes through its loop."""
    table, matrices = [], [random_matrix(n, seed) for seed in range(runs)]
    for done, text in enumerate(levels):
        advance(done, len(levels))
        rounds = [doubles.rounds(entries_of(matrix), float(text))[1] for matrix in matrices]
        for row in rows_at(matrices, parse_level(text), n, (compact,), sampled, alpha=text, n=n):
            loops = f"{statistics.mean(rounds) / (n * (n - 1)):.4g}" if row["method"] == ONE else ""
            table.append(row | {"rounds per pair": loops})
    return {"": table}


LEVEL_PANELS = [
    Panel("(d) L(α), n = 30", "alpha", ("method", "arithmetic"), ("seconds",), label="seconds", log="y"),
    Panel("Algorithm 1: rounds of its loop", "alpha", y=("rounds per pair",), label="rounds per pair of rows",
          cells={"method": ONE, "arithmetic": "exact"}),
]  # fmt: skip

CHECKED = ("Algorithm 3", "Algorithm 5", "Dinkelbach", "envelope")


def measure_check(advance, n=30, matrices=100, levels=("0.1", "1"), sampled=5):
    """Return, for each random matrix and level, L by every method, whether they agree, and what CBC says of pairs."""
    table = []
    for seed in range(matrices):
        advance(seed, matrices)
        matrix = random_matrix(n, seed)
        functions, whole = exact.algorithm_2(matrix), fast_loss_function(matrix)
        pieces = exact.algorithm_4(functions, Fraction(1, 100), max(map(simple_above, levels)))
        for text in levels:
            alpha = parse_level(text)
            found, chosen = exact.algorithm_1(matrix, alpha, ZERO), fast_optimum(matrix, alpha)
            third, fifth = exact.algorithm_3(functions, alpha, ZERO), exact.algorithm_5(pieces, alpha, ZERO)
            agree = [level == found for level in (third, fifth, chosen.value(alpha), whole(alpha))]
            row = {"matrix": seed, "n": n, "alpha": text} | level_cells(found)
            row |= {f"{name} equals Algorithm 1": yes(equal) for name, equal in zip(CHECKED, agree, strict=True)}
            best = chosen.row_q, chosen.row_d
            table.append(row | solved_by_cbc(matrix, alpha, best, random.Random(f"{seed}/{text}"), sampled))
    return {"": table}


def yes(holds):
    """Return a truth value for a table."""
    return "yes" if holds else "no"


def solved_by_cbc(matrix, alpha, first, source, sampled):
    """Return what CBC says of the pair that attains L and of `sampled` other pairs, the first of all literally too."""
    pairs = source.sample(list(permutations(range(matrix.n), 2)), sampled)
    programs = [(first, literal), *((pair, compact) for pair in (first, *pairs))]
    bound, certified, worst, agrees = ratio_bound(alpha), 0, 0.0, True
    for pair, form in programs:
        program = form(matrix.rows[pair[0]], matrix.rows[pair[1]], bound)
        outcome = pulp_cbc.solve(program)
        active = read_off(matrix, pair, alpha, program, outcome)
        if outcome.status is not Status.OPTIMAL or active is None or not active.certified:
            continue
        certified += 1
        best = optimum(matrix, *pair, alpha).value(alpha)
        agrees &= active.chosen.value(alpha) == best
        worst = max(worst, abs(float(outcome.objective) / (1 + float(best.excess_bounds()[1])) - 1))
    return {
        "pairs": matrix.n * (matrix.n - 1),
        "programs solved by CBC": len(programs),
        "certified": certified,
        "certified sets equal Algorithm 1": yes(agrees),
        "largest relative error of CBC's objective": f"{worst:.2e}",
    }


CHECK_PANELS = [
    Panel("(a) L of the random matrices", "matrix", ("alpha",), label="L(α), all methods equal", log="y"),
    Panel("(b) CBC's printed optimum", "matrix", ("alpha",), ("largest relative error of CBC's objective",),
          label="relative error", log="y"),
]  # fmt: skip
