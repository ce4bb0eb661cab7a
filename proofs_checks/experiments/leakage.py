"""Leakage, budgets and noise: Figures 3 to 5 and 7 to 9.

Beside the paper's recursions the exact worst case over all mechanisms, in the columns named "worst case …".
"""

from fractions import Fraction
from itertools import pairwise

from tploracle.reference import (
    Adversary,
    Level,
    TransitionMatrix,
    algorithm_2,
    algorithm_7,
    algorithm_8,
    backward_leakage,
    leakage,
    loss_function,
    mean_noise,
    parse_level,
    smooth,
    strongest,
    supremum,
    verify_attained,
    worst_case_leakage,
    worst_case_supremum,
)
from tploracle.solvers.loss.fast import quick_loss_function

from .figures import Panel
from .tables import decimal, level_cells

STRONGEST, MODERATE = [["1", "0"], ["0", "1"]], [["0.8", "0.2"], ["0", "1"]]
MIXING = [["0.8", "0.2"], ["0.1", "0.9"]]
THREE_STATES = [["0.1", "0.2", "0.7"], ["0.3", "0.3", "0.4"], ["0.5", "0.3", "0.2"]]
CORRELATIONS = {"strongest": STRONGEST, "moderate": MODERATE, "none": None}
WORST_CASE = "worst case "
BOTH = ("upper", WORST_CASE + "upper")

CASES = {
    "a": (STRONGEST, "0.23"),
    "b": (MODERATE, "0.23"),
    "c": (MODERATE, "0.15"),
    "d": (MIXING, "0.23"),
    "e": ([["0", "1"], ["0.5", "0.5"]], "0.7"),
}
"""The four cases of Figure 5, and one that the paper does not have: its supremum is infinite, the leakage bounded."""


def written(rows):
    """Return rows for reading."""
    return "; ".join(", ".join(row) for row in rows)


def smoothed(n, s):
    """Return the strongest correlation of n states made more uniform, Eq. [eq:laplace_smoothing]; s as text."""
    return smooth(strongest(n), Fraction(s))


def measure_tpl(advance, epsilon="0.1", horizons=(10, 11)):
    """Return BPL, FPL and TPL at each time under the three correlations, for each number of releases."""
    table = []
    for done, (name, rows) in enumerate(CORRELATIONS.items()):
        advance(done, len(CORRELATIONS))
        matrix = None if rows is None else TransitionMatrix.of(rows)
        for horizon in horizons:
            budgets = [parse_level(epsilon)] * horizon
            own, worst = (
                leakage(budgets, Adversary.knowing(matrix, matrix)),
                worst_case_leakage(budgets, matrix, matrix),
            )
            for kind in ("bpl", "fpl", "tpl"):
                for time, levels in enumerate(zip(getattr(own, kind), getattr(worst, kind), strict=True), 1):
                    head = {"correlation": name, "releases": horizon, "kind": kind.upper(), "time": time}
                    table.append(head | level_cells(levels[0]) | level_cells(levels[1], WORST_CASE))
    return {"": table}


TPL_PANELS = [
    Panel(
        f"({letter}) {kind} of a 0.1-DP mechanism",
        "time",
        ("correlation",),
        BOTH,
        cells={"releases": 10} | {"kind": kind},
    )
    for letter, kind in zip("abc", ("BPL", "FPL", "TPL"), strict=True)
]


def measure_pieces(advance, highest=5, points=200):
    """Return the pieces of each f_{q,d} and of L, exact, and all of them at the levels that are drawn.

    A piece of L starts at the origin, at a transition point of its own f_{q,d}, or where two functions cross.
    """
    advance(0, 1)
    matrix = TransitionMatrix.of(THREE_STATES)
    functions, loss = algorithm_2(matrix), loss_function(matrix)

    def cells(name, q, d, start, begins):
        alpha = Level.of_ratio(1 + start)
        at = level_cells(alpha, "start ") | level_cells(alpha.linear_fractional(q, d))
        return {"function": name, "q": q, "d": d, "excess at start": start, "starts at": begins} | at

    pieces, table, own_ends = [], [], set()
    named = {f"{function.row_q + 1}, {function.row_d + 1}": function for function in functions}
    for name, function in named.items():
        start = Fraction(0)
        for q, d, end in list(zip(function.q_sums, function.d_sums, function.transitions, strict=True))[::-1]:
            pieces.append(cells(name, q, d, start, "transition point" if start else "origin"))
            if end is None:
                break
            own_ends.add((name, start := end))
    for before, piece in pairwise([None, *loss.pieces]):
        name = f"{piece.witness.row_q + 1}, {piece.witness.row_d + 1}"
        crossing = before is not None and (name, piece.start) not in own_ends
        begins = "origin" if before is None else "crossing of two functions" if crossing else "transition point"
        pieces.append(cells("L", piece.q, piece.d, piece.start, begins) | {"rows of L": name})
    levels = [Level.of(Fraction(highest) * step / points) for step in range(1, points + 1)]
    starts = {piece.start for piece in loss.pieces[1:]} | {end for _, end in own_ends}
    for alpha in (*levels, *(Level.of_ratio(1 + start) for start in sorted(starts))):
        at, top = level_cells(alpha, "alpha "), loss(alpha)
        table.append(at | {"function": "L"} | level_cells(top))
        for name, function in named.items():
            value = function.at(alpha).value(alpha)
            table.append(at | {"function": name, "at most L": "yes" if value <= top else "no"} | level_cells(value))
    return {"pieces": pieces, "values": table}


PIECES_PANELS = [
    Panel("Rows (0.1, 0.2, 0.7), (0.3, 0.3, 0.4), (0.5, 0.3, 0.2)", "alpha upper", ("function",), part="values"),
    Panel("", "start upper", ("starts at",), part="pieces", marks=True),
]


def measure_sup(advance, steps=100):
    """Return BPL at each time, and its supremum, in each case, by the recursion and worst."""
    times, limits = [], []
    for done, (case, (rows, epsilon)) in enumerate(CASES.items()):
        advance(done, len(CASES))
        matrix, budget = TransitionMatrix.of(rows), parse_level(epsilon)
        loss = quick_loss_function(matrix)
        limit = supremum(loss, budget)
        cells = level_cells(limit.level) | level_cells(worst_case_supremum(budget, matrix), WORST_CASE)
        head = {"case": case, "matrix": written(rows), "epsilon": epsilon}
        limits.append(head | {"q": str(limit.q), "d": str(limit.d)} | cells)
        levels = zip(
            backward_leakage([budget] * steps, loss), worst_case_leakage([budget] * steps, matrix).bpl, strict=True
        )
        for time, (level, worst) in enumerate(levels, 1):
            head = {"case": case, "time": time, "below the supremum": "yes" if level < limit.level else "no"}
            head["supremum"] = cells["upper"]
            times.append(head | level_cells(level) | level_cells(worst, WORST_CASE))
    return {"": times, "suprema": limits}


SUP_PANELS = [
    Panel(f"({case}) {written(rows)}, ε = {epsilon}", "time", y=(*BOTH, "supremum"), cells={"case": case})
    for case, (rows, epsilon) in CASES.items()
]

DEGREES = ("0.005", "0.01", "0.05", "0.1", "0.5", "1")
SMALLER = ("0.001", "0.0005", "0.0001", "0.000025")
"""Values of s beyond the paper's range, for which the suprema and times alone are computed."""


def measure_degrees(advance, sizes=(50, 200), degrees=DEGREES, smaller=SMALLER, steps=(("1", 40), ("0.1", 300))):
    """Return BPL over time, its supremum, and when it has grown, for each n, s and ε; then the same for other s."""
    curves, summary = [], []
    tasks = [(n, s, *own) for n in sizes for s in (*degrees, *smaller) for own in steps]
    for done, (n, s, epsilon, count) in enumerate(tasks):
        advance(done, len(tasks))
        budget, loss = parse_level(epsilon), quick_loss_function(smoothed(n, s))
        levels, limit = backward_leakage([budget] * count, loss), supremum(loss, budget)
        head = {"n": n, "s": s, "epsilon": epsilon}
        if s in degrees:
            curves.extend(head | {"time": time} | level_cells(level) for time, level in enumerate(levels, 1))
        heights = [float(level.enclosure(17).upper) for level in levels]
        top = float(limit.level.enclosure(17).upper)
        rise = [after - before for before, after in pairwise(heights)]
        times = {
            f"first time at {part} %": next(
                (t for t, height in enumerate(heights, 1) if height >= part / 100 * top), ""
            )
            for part in (90, 95, 99)
        }
        times["last rise of at least ε/100"] = 1 + sum(step >= float(epsilon) / 100 for step in rise)
        summary.append(head | {"q": str(limit.q), "d": str(limit.d)} | level_cells(limit.level) | times)
    return {"": curves, "suprema": summary}


DEGREES_PANELS = [
    Panel(f"({letter}) {epsilon}-DP at each time", "time", ("s", "n"), cells={"epsilon": epsilon}, log="y")
    for letter, epsilon in (("a", "1"), ("b", "0.1"))
]


def schedules(alpha, adversary, horizon):
    """Return the budgets of both algorithms. Exact."""
    return {"7": (algorithm_7(alpha, adversary),) * horizon, "8": algorithm_8(alpha, adversary, horizon)}


def noise_cells(budgets):
    """Return the mean expected absolute Laplace noise of a schedule, for a sensitivity of 1."""
    noise = mean_noise(budgets, Fraction(1))
    return {"lower": decimal(noise.lower), "upper": decimal(noise.upper)}


def measure_budgets(advance, levels=("1", "log(3)"), horizon=10):
    """Return budgets and leakage at each time for both algorithms and each level, and the noise."""
    adversary = Adversary.knowing(TransitionMatrix.of([["0.8", "0.2"], ["0.2", "0.8"]]), TransitionMatrix.of(MIXING))
    times, noise = [], []
    for done, asked in enumerate(levels):
        advance(done, len(levels))
        alpha = parse_level(asked)
        for name, budgets in schedules(alpha, adversary, horizon).items():
            own = leakage(budgets, adversary)
            if name == "8":
                verify_attained(budgets, alpha, adversary)
            for kind, levels_ in {"budget": budgets, "BPL": own.bpl, "FPL": own.fpl, "TPL": own.tpl}.items():
                for time, level in enumerate(levels_, 1):
                    cells = {"alpha": asked, "algorithm": name, "kind": kind, "time": time} | level_cells(level)
                    if kind == "TPL":
                        exact = level.ratio is not None and alpha.ratio is not None
                        attained = f"equal, {'exactly' if exact else 'to 40 digits'}"
                        below = "below" if name == "7" and level < alpha else "not below"
                        cells["against alpha"] = attained if name == "8" else below
                    times.append(cells)
            noise.append({"alpha": asked, "algorithm": name} | noise_cells(budgets))
    return {"": times, "noise": noise}


BUDGETS_PANELS = [
    Panel(f"({letter}) Algorithm {name}, α = 1", "time", ("kind",), cells={"alpha": "1", "algorithm": name})
    for letter, name in (("a", "7"), ("b", "8"))
]

HORIZONS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500)


def measure_utility(advance, n=50, horizons=HORIZONS, degrees=("0.001", "0.01", "0.1", "1", "10"), horizon=10):
    """Return the mean noise against the number of releases at s = 0.001, and against s at one number of releases."""
    level, table = parse_level("2"), {"against_T": [], "against_s": []}
    alone = {"algorithm": "no correlation"} | noise_cells([level])
    for done, s in enumerate(["0.001", *degrees]):
        advance(done, 1 + len(degrees))
        loss = quick_loss_function(smoothed(n, s))
        for length in horizons if not done else [horizon]:
            part, head = table["against_s" if done else "against_T"], {"s": s, "n": n, "releases": length}
            own = schedules(level, Adversary(loss, loss), length)
            part += [head | {"algorithm": name} | noise_cells(budgets) for name, budgets in own.items()]
            part.append(head | alone)
    return table


UTILITY_PANELS = [
    Panel("(a) s = 0.001, n = 50", "releases", ("algorithm",), part="against_T", label="mean noise, Δ = 1", log="xy"),
    Panel("(b) T = 10, n = 50", "s", ("algorithm",), part="against_s", label="mean noise, Δ = 1", log="xy"),
]
