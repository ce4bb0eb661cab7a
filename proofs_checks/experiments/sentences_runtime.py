"""Sentences about runtime and about the check against a solver: Figure 6 and Section 6.1."""

import math
import statistics
from itertools import pairwise

from .claims import KIND, NO, SPREAD, UNDECIDED, YES, Claim, Finding, by_clock, clocked, either
from .tables import values, where

ALGORITHMS = ("Algorithm 1", "Algorithm 3", "Algorithm 5")
WITHIN = 2
"""A crossover within this factor of the paper's counts as reproduced in kind."""


def taken(table, **cells):
    """Return the median seconds of the rows with these cells."""
    return statistics.median(float(row["seconds"]) for row in where(table, **cells))


def shown(seconds):
    """Return seconds for a sentence."""
    return f"{seconds:.2g} s" if seconds < 100 else f"{seconds:.0f} s"


def against(table, column, **cells):
    """Return the median seconds by the numbers in a column."""
    rows = where(table, **cells)
    return {float(at): taken(rows, **{column: at}) for at in values(rows, column)}


def slope(points):
    """Return by which power of x the seconds grow from the first point to the last."""
    (x, y), (x_end, y_end) = next(iter(points.items())), list(points.items())[-1]
    return math.log(y_end / y) / math.log(x_end / x)


def rising(points):
    """Whether the last of some seconds are more than the first; None where the clock does not decide it."""
    return by_clock(list(points.values())[-1] / next(iter(points.values())), 1)


# The check


def identical(tables):
    """Whether all methods gave the same numbers."""
    table = tables[""]
    agree = [name for name in table[0] if name.endswith("equals Algorithm 1") or name.startswith("certified sets")]
    exact = all(row[name] == "yes" for row in table for name in agree)
    programs = sum(int(row["programs solved by CBC"]) for row in table)
    certified = sum(int(row["certified"]) for row in table)
    worst = max(float(row["largest relative error of CBC's objective"]) for row in table)
    matrices = len(values(table, "matrix"))
    numbers = {"matrices": matrices, "programs": programs, "certified": certified, "largest error": worst}
    text = f"{matrices} matrices of n = {table[0]['n']} at α = {' and '.join(values(table, 'alpha'))}: Algorithms 1, 3 "
    text += f"and 5 and both fast methods are equal, decided exactly. CBC solved {programs} programs, "
    text += (
        f"{int(table[0]['programs solved by CBC'])} for each matrix and α out of {table[0]['pairs']} (the pair that "
    )
    text += f"attains L twice, others at random); {certified} of the sets read from its solutions are certified, and "
    text += "their values "
    text += f"equal Algorithm 1's. CBC's own optimum, printed with 8 digits, is off by up to {worst:.0e}."
    return Finding(KIND if exact and certified == programs else NO, text, numbers)


# Panel (a)


def rises_with_n(tables):
    """Whether every method takes longer with more states."""
    table = tables[""]
    lines = {}
    for arithmetic in ("exact", "doubles"):
        for name in ALGORITHMS:
            lines[f"{name}, {arithmetic}"] = against(table, "n", method=name, arithmetic=arithmetic)
    lines["CBC"] = against(table, "n", method="CBC, compact")
    numbers = {name: round(slope(line), 2) for name, line in lines.items()}
    text = "From the least n to the greatest, seconds grow like n to the power "
    text += ", ".join(f"{power} ({name})" for name, power in numbers.items())
    text += ". Algorithm 5 is a binary search among the pieces of L, whatever the number of variables: its growth is "
    text += "within the noise."
    others = [line for name, line in lines.items() if not name.startswith("Algorithm 5")]
    return clocked([rising(line) for line in others], text, numbers)


def faster_than(tables):
    """How many times longer CBC takes."""
    table = tables[""]
    numbers = {}
    for arithmetic in ("exact", "doubles"):
        for name in ALGORITHMS:
            mine = against(table, "n", method=name, arithmetic=arithmetic)
            theirs = against(table, "n", method="CBC, compact")
            common = [n for n in mine if n in theirs]
            numbers[f"{name}, {arithmetic}"] = [round(theirs[n] / mine[n], 1) for n in (common[0], common[-1])]
            states = common[0], common[-1]
            numbers[f"{name}, {arithmetic}"].append([int(n) for n in states])
    text = (
        "CBC (one process and file for each program, from a sample of the pairs) takes, at the least and greatest n, "
    )
    text += "; ".join(f"{a:.3g} and {b:.3g} times as long as {name}" for name, (a, b, _) in numbers.items())
    least = min(min(a, b) for a, b, _ in numbers.values())
    text += ". CPLEX was not tried; the paper prints no seconds"
    return clocked([by_clock(least, 10)], text + ".", numbers)


def orders_of_magnitude(tables):
    """The claim of the introduction."""
    found = faster_than(tables)
    least = min(min(a, b) for a, b, _ in found.numbers.values())
    doubles = min(min(a, b) for name, (a, b, _) in found.numbers.items() if name.endswith("doubles"))
    text = f"At least {least:.3g} times against the exact algorithms, {doubles:.3g} times in doubles as in the paper."
    text += " CBC is used instead of CPLEX, with a process for each program."
    return clocked([by_clock(doubles, 1000)], text, {"exact": least, "doubles": doubles})


# Panel (b)


def precomputation_rises(tables):
    """Whether the precomputations take longer with more states."""
    table = tables[""]
    lines = {"Algorithm 2": against(table, "n", method="Algorithm 2", arithmetic="doubles")}
    for a_m in values(where(table, method="Algorithm 4"), "a_m"):
        lines[f"Algorithm 4, a_m = {a_m}"] = against(table, "n", method="Algorithm 4", a_m=a_m, arithmetic="doubles")
    numbers = {name: round(slope(line), 2) for name, line in lines.items()}
    text = "In doubles, seconds grow like n to the power " + ", ".join(f"{p} ({name})" for name, p in numbers.items())
    return clocked([rising(line) for line in lines.values()], text + ".", numbers, YES)


def susceptible(tables):
    """How Algorithm 4 depends on a_m."""
    table = where(tables[""], method="Algorithm 4")
    n = values(where(table, arithmetic="exact"), "n")[-1]
    ends = values(table, "a_m")
    by_end = {a: taken(table, n=n, a_m=a, arithmetic="exact") for a in ends}
    pieces = {a: int(where(table, n=n, a_m=a, arithmetic="exact")[0]["pieces"]) for a in ends}
    text = f"n = {n}, exact: " + ", ".join(f"{shown(by_end[a])}, {pieces[a]} pieces (a_m = {a})" for a in ends)
    text += (
        ". A larger a_m does cost more, but for another reason: there are more pieces in [a_1, a_m], each with up to "
    )
    text += (
        "four searches through all pairs; beyond the last breakpoint of L it costs no more. There is no binary search "
    )
    text += "in [0, a_m] in Algorithm 4."
    return Finding(NO, text, {"seconds": by_end, "pieces": pieces})


def complexity(tables):
    """Whether Algorithm 4 is of the order that the paper says."""
    table = where(tables[""], method="Algorithm 4", arithmetic="doubles", a_m="10")
    each = {int(row["n"]): (float(row["seconds"]), int(row["pieces"])) for row in table}
    low, high = min(each), max(each)
    searched = {n: (4 * m - 2) * n**2 * math.log(n) for n, (_, m) in each.items()}
    measured = math.log(searched[high] / searched[low]) / math.log(high / low)
    claimed = math.log((high**2 * math.log(high)) / (low**2 * math.log(low))) / math.log(high / low)
    second = against(where(tables[""], method="Algorithm 2", arithmetic="doubles"), "n")
    text = f"Algorithm 2: power {slope(second):.2f} of n in doubles, within O(n^3) up to its sorting. Algorithm 4, "
    text += (
        f"a_m = 10, counted: there are m = {each[low][1]} pieces at n = {low} and {each[high][1]} at n = {high}, and "
    )
    text += f"4m − 2 searches of n^2 log n comparisons each: power {measured:.2f}; n^2 log n alone has {claimed:.2f}. "
    text += "O(m n^2 log n), not O(n^2 log n + m log m)."
    numbers = {"Algorithm 2": slope(second), "Algorithm 4": measured, "n^2 log n": claimed}
    return Finding(NO if measured > claimed + 0.3 else KIND, text, {k: round(v, 2) for k, v in numbers.items()})


# Panel (c)

ONE, THREE, FIVE = "Algorithm 1", "Algorithms 2 and 3", "Algorithms 2, 4 and 5"


def crossovers(tables, arithmetic):
    """Return from which T on Algorithm 3 is quicker than 1, and 5 quicker than 3: straight lines between the points."""
    table = where(tables[""], arithmetic=arithmetic)
    lines = {method: against(table, "T", method=method) for method in (ONE, THREE, FIVE)}
    return first_below(lines[THREE], lines[ONE]), first_below(lines[FIVE], lines[THREE])


def first_below(line, other):
    """Return the least whole T at which a line lies below another, None if nowhere."""
    times = list(line)
    for t in range(int(times[0]), int(times[-1]) + 1):
        if at(line, t) < at(other, t):
            return t
    return None


def at(line, t):
    """Interpolate."""
    for (a, x), (b, y) in pairwise(line.items()):
        if a <= t <= b:
            return x + (y - x) * (t - a) / (b - a)
    raise ValueError(t)


def sizes(tables):
    """Return the numbers of states by arithmetic."""
    return {name: where(tables[""], arithmetic=name)[0]["n"] for name in ("exact", "doubles")}


def one_for_short(tables):
    """Whether Algorithm 1 is the quickest at first."""
    n = sizes(tables)
    found = {name: crossovers(tables, name)[0] for name in n}
    holds = any(t is not None and t > SPREAD for t in found.values())
    text = "; ".join(f"{name}, n = {n[name]}: the quickest for T < {t}" for name, t in found.items())
    return Finding(KIND if holds else UNDECIDED, text[0].upper() + text[1:] + ".", found)


def three_between(tables):
    """Where Algorithm 3 is the quickest."""
    n = sizes(tables)
    found = {name: crossovers(tables, name) for name in n}
    low, high = found["doubles"]
    text = "; ".join(
        f"{name}, n = {n[name]}: T from {a} to {'beyond all measured' if b is None else b - 1}"
        for name, (a, b) in found.items()
    )
    text += f". The verdict is about doubles and n = 100; ends within a factor of {WITHIN} count "
    text += "as near. The ends depend on machine, language and n."
    numbers = {name: list(both) for name, both in found.items()}
    return clocked([near(low, 5), near(high, 300)], text[0].upper() + text[1:], numbers)


def near(time, claimed):
    """Whether a time is there and within a factor of what is claimed; None where a repeat could bring it there."""
    if time is None:
        return False
    apart = max(time / claimed, claimed / time)
    return True if apart <= WITHIN else None if apart <= WITHIN * SPREAD else False


def five_for_long(tables):
    """Whether Algorithm 5 is the quickest in the end, and constant, in doubles as in the paper."""
    numbers, texts, holds = {}, [], {}
    for name, n in sizes(tables).items():
        line = against(where(tables[""], arithmetic=name), "T", method=FIVE)
        late = {t: s for t, s in line.items() if t >= 100}
        start = crossovers(tables, name)[1]
        rise = max(late.values()) / min(late.values())
        holds[name] = [near(start, 300), rise <= SPREAD or None if rise <= SPREAD**2 else False]
        numbers[name] = {str(int(t)): s for t, s in late.items()} | {"quickest from": start}
        seconds = ", ".join(f"{shown(s)} (T = {t:.0f})" for t, s in late.items())
        texts.append(f"{name}, n = {n}: the quickest from T = {start}; {seconds}, within a factor of {rise:.2f}")
    text = "; ".join(texts) + ". The verdict is about doubles and n = 100; a start within a factor of "
    text += f"{WITHIN} of 300 counts as near, and a factor of {SPREAD} as constant. The start depends on machine, "
    text += "language and n."
    return clocked(holds["doubles"], text[0].upper() + text[1:], numbers)


def worst_case(tables):
    """Whether (T + 1)ε is the worst case."""
    text = "BPL_T ≤ T·ε, attained under the strongest correlation (1 = 10 · 0.1 at T = 10 above), so Tε is the worst "
    text += "case, and the greatest argument of L is (T − 1)ε; (T + 1)ε is only a safe choice."
    bpl = where(tables[""], releases=10, correlation="strongest", kind="BPL")[-1]["exact"]
    return Finding(NO, text, {"BPL_10": bpl})


def none_best(tables):
    """Whether each of the three is the quickest somewhere."""
    found = {name: crossovers(tables, name) for name in sizes(tables)}
    holds = all(a and b and 2 < a < b for a, b in found.values())
    text = "Each of the three is the quickest somewhere. But the fast method for the whole of L (panel (b): envelope) "
    text += "gives what Algorithms 2 and 4 give in less time than one step of Algorithm 1 takes, "
    text += "and is then the best for every T beyond a few steps."
    return Finding(KIND if holds else UNDECIDED, text, {name: list(both) for name, both in found.items()})


# Panel (d)


def grows_with_level(tables):
    """How the methods depend on α: by the operations that each makes, not by the clock."""
    rows = where(tables[""], method="Algorithm 1", arithmetic="exact")
    rounds = {row["alpha"]: float(row["rounds per pair"]) for row in rows}
    first, last = next(iter(rounds)), list(rounds)[-1]
    n = int(rows[0]["n"])
    text = f"Counted: Algorithm 1 goes through its loop {rounds[first]:.2f} times for a pair at α = {first}, "
    text += f"{rounds[last]:.2f} at {last}. Algorithm 3 makes one search for a pair, of at most "
    text += f"{math.ceil(math.log2(n))} comparisons for n = {n}, and Algorithm 5 one search in all, whatever α is."
    return Finding(KIND if rounds[last] > rounds[first] else NO, text, {"rounds": rounds})


def stable(tables):
    """From when on the rounds do not change."""
    rows = where(tables[""], method="Algorithm 1", arithmetic="exact")
    rounds = {float(row["alpha"]): float(row["rounds per pair"]) for row in rows}
    beyond = {level: number for level, number in rounds.items() if level >= 10}
    holds = bool(beyond) and max(beyond.values()) < 1.01 * min(beyond.values())
    text = "Rounds per pair: " + ", ".join(f"{number:.2f} (α = {level:g})" for level, number in rounds.items())
    return either(holds, text + ". The text says Figure (b); it is (d).", {str(k): v for k, v in rounds.items()})


def bounded_updates(tables):
    """The worst case of the loop."""
    rows = where(tables[""], method="Algorithm 1", arithmetic="exact")
    most = max(float(row["rounds per pair"]) for row in rows)
    n = int(rows[0]["n"])
    text = f"At most n rounds, as each but the last removes an index; {most:.2f} on average here, n = {n}. Section 4.2 "
    text += "says n(n − 1) iterations for the same loop."
    return either(most <= n, text, {"rounds per pair": most, "n": n})


CHECK, A, B, C, D = (
    ("check_30",),
    ("fig_ex_runtime_a",),
    ("fig_ex_runtime_b",),
    ("fig_ex_runtime_c",),
    ("fig_ex_runtime_d",),
)

SENTENCES = (
    Claim(
        "check-1",
        "6.1",
        "all results obtained from our algorithms are identical to the one using CPLEX",
        CHECK,
        identical,
    ),
    Claim("run-1", "6.1", "The runtime of all algorithms increase along with n", A, rises_with_n),
    Claim("run-2", "6.1", "Algorithms 1, 3 and 5 significantly outperform CPLEX", A, faster_than),
    Claim("run-3", "1.1", "outperform … (CPLEX) by several orders of magnitude", A, orders_of_magnitude),
    Claim("run-4", "6.1", "all algorithms are increasing with n", B, precomputation_rises),
    Claim("run-5", "6.1", "larger a_m results in higher runtime because it performs binary search", B, susceptible),
    Claim("run-6", "6.1", "These results are in line with our complexity analysis", B, complexity),
    Claim("run-7", "6.1", "Algorithm 1 runs fast if T is small", C, one_for_short),
    Claim("run-8", "6.1", "Algorithm 3 becomes the most preferable if T is in [5,300]", C, three_between),
    Claim("run-9", "6.1", "larger than 300, Algorithm 5 … is the fast one and … almost constant", C, five_for_long),
    Claim("run-10", "6.1", "a_m = (T+1) ∗ ε_t which is the worst case of supremum", ("fig_tpl",), worst_case),
    Claim("run-11", "6.1", "there is no best algorithm in efficiency without a known T", C, none_best),
    Claim(
        "run-12",
        "6.1",
        "larger … α, may lead to higher runtime of Algorithm 1, whereas other algorithms are relatively stable",
        D,
        grows_with_level,
    ),
    Claim("run-13", "6.1", "when α > 10, the runtime of Algorithm 1 becomes stable", D, stable),
    Claim("run-14", "6.1", "the update happens n times in the worse case", D, bounded_updates),
)
