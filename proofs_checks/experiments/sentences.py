"""What becomes of the paper's sentences about its figures: a judge for each, of the tables of its experiment alone.

The sentences stand on docs/experiments.md, each with our result in words. A judge returns whether the sentence is so
(None if seconds leave that open), and the numbers that this rests on.
"""

import math
import statistics
from fractions import Fraction
from itertools import pairwise

from .runtime import FIVE, ONE, THREE
from .tables import line, middle, values, where

YES, KIND, NO, UNKNOWN = "reproduces", "reproduces in kind", "does not reproduce", "cannot be checked"
UNDECIDED = "not decided"

SPREAD = 2
"""Factor by which the seconds of the same work differ from one repeat to the next, at most."""

NEAR = 0.7
"""Share of a supremum from which on another is not substantially lower."""

SHORT_HORIZON = 10
"""Number of releases T up to which T counts as short."""

WITHIN = 2
"""Factor within which a crossover of the paper's counts as reproduced in kind."""


def rising(heights):
    """Whether numbers rise strictly."""
    return all(before < after for before, after in pairwise(heights))


def above(one, other):
    """Whether a curve lies above another from the second point on."""
    return all(a > b for a, b in zip(one[1:], other[1:], strict=True))


# Figure 3: leakage over time

TENTHS = ["1/10", "1/5", "3/10", "2/5", "1/2", "3/5", "7/10", "4/5", "9/10", "1"]


def curve(tables, correlation, kind, releases=10):
    """Return a curve of Figure 3."""
    return line(tables[""], correlation=correlation, kind=kind, releases=releases)


def exact(tables, correlation, kind):
    """Return the exact values of a curve of Figure 3."""
    return [row["exact"] for row in where(tables[""], correlation=correlation, kind=kind, releases=10)]


def falls(tables):
    """FPL falls with time where the correlation is known."""
    curves = [curve(tables, name, "FPL") for name in ("strongest", "moderate")]
    return all(rising(own[::-1]) for own in curves), curves


def updated(tables):
    """One more release raises FPL at all earlier times."""
    pairs = [[curve(tables, name, "FPL", T) for T in (10, 11)] for name in ("strongest", "moderate")]
    return all(a < b for own in pairs for a, b in zip(*own, strict=False)), [own[:1] for pair in pairs for own in pair]


def between(tables):
    """The moderate curves lie between the other two."""
    names = ("none", "moderate", "strongest")
    curves = [zip(*(curve(tables, name, kind) for name in names), strict=True) for kind in ("BPL", "FPL")]
    return all(low <= mid <= high for points in curves for low, mid, high in points), []


def composed(tables):
    """TPL = BPL + FPL − ε within the enclosures."""
    names = values(tables[""], "correlation")
    curves = [zip(*(curve(tables, name, kind) for kind in ("BPL", "FPL", "TPL")), strict=True) for name in names]
    return all(abs(bpl + fpl - 0.1 - tpl) < 1e-14 for points in curves for bpl, fpl, tpl in points), []


def moderate_tpl(tables):
    """TPL of the moderate correlation is between ε and T·ε."""
    heights = curve(tables, "moderate", "TPL")
    return min(heights) > 0.1 and max(heights) < 1, heights


# Figure 4: the privacy loss function


def breakpoint_of(tables):
    """Return the second of the two pieces of L."""
    _, second = where(tables["pieces"], function="L")
    return second


def transitions(tables):
    """Return the pairs' functions by the exact level of their transition point."""
    rows = where(tables["pieces"], **{"starts at": "transition point"})
    return {row["start exact"]: row["function"] for row in rows if row["function"] != "L"}


# Figure 5: the supremum


def bounded_cases(tables):
    """Return BPL at each time and its supremum, for each bounded case."""
    return [(line(tables[""], case=case), *line(tables["suprema"], case=case)) for case in "cd"]


def unbounded(tables):
    """Cases (a), (b) have no supremum, (c), (d) have one."""
    a, b, c, d = line(tables["suprema"])[:4]
    return math.isnan(a) and math.isnan(b) and not math.isnan(c + d), [c, d]


def in_line(tables):
    """BPL step by step stays below the supremum and comes near it."""
    gaps = [limit - heights[-1] for heights, limit in bounded_cases(tables)]
    below = all(row["below the supremum"] == "yes" for row in tables[""] if row["case"] in "cd")
    return below and max(gaps) < 0.01, gaps


def first_is_less(tables):
    """BPL at the first time is much less than the supremum."""
    shares = [heights[0] / limit for heights, limit in bounded_cases(tables)]
    return max(shares) < 0.5, shares


# Figure 7: degrees of correlation

MEASURES = ("first time at 90 %", "first time at 95 %", "first time at 99 %", "last rise of at least ε/100")

TIMESTAMPS = {"1": 8, "0.1": 80}
"""The text's number for each ε: one measure must give both."""


def summary(tables, n, s, epsilon, column="upper"):
    """Return a cell of the summary of one curve, NaN where it is empty."""
    return line(tables["suprema"], column, n=n, s=s, epsilon=epsilon)[0]


def families(tables):
    """Return, for each n and ε, the curves by rising s."""
    degrees = sorted(values(tables[""], "s"), key=float)
    keys = [(n, epsilon) for n in values(tables[""], "n") for epsilon in values(tables[""], "epsilon")]
    return {key: {s: line(tables[""], n=key[0], s=s, epsilon=key[1]) for s in degrees} for key in keys}


def grows_then_stays(tables):
    """All curves rise, ever more slowly, below their suprema."""
    holds, many = True, 0
    for (n, epsilon), curves in families(tables).items():
        for s, heights in curves.items():
            rises = [after - before for before, after in pairwise(heights)]
            holds &= min(rises) >= -1e-12 and rises[0] == max(rises)
            holds &= heights[-1] <= summary(tables, n, s, epsilon) + 1e-12
            many += 1
    return holds, [many]


def steeper(tables):
    """A smaller s gives a steeper rise."""
    first = [[own[1] - own[0] for own in curves.values()] for curves in families(tables).values()]
    return all(rising(rises[::-1]) for rises in first), first[0]


def longer(tables):
    """A smaller s takes longer to 99 % of its supremum, for each n and ε: in kind where not for all."""
    times = [
        [summary(tables, n, s, epsilon, MEASURES[2]) for s in curves]
        for (n, epsilon), curves in families(tables).items()
    ]
    known = [[math.inf if math.isnan(time) else time for time in own] for own in times]
    against = sum(own != sorted(own, reverse=True) for own in known)
    return YES if not against else KIND if against < len(times) else NO, times


def higher(tables):
    """A smaller s gives a higher leakage at every time."""
    return all(above(*pair) for curves in families(tables).values() for pair in pairwise(curves.values())), []


def strongest(tables, column="upper"):
    """Return a cell of the summaries at the least n and s, for ε = 1 and ε = 0.1."""
    n, s = values(tables[""], "n")[0], min(values(tables[""], "s"), key=float)
    return [summary(tables, n, s, epsilon, column) for epsilon in TIMESTAMPS]


def delayed(tables):
    """A smaller ε delays the growth."""
    quick, slow = strongest(tables, MEASURES[1])
    return quick < slow or (math.isnan(slow) and not math.isnan(quick)), strongest(tables)


def timestamps(tables):
    """How long the noticeable increase lasts: so if one of the measures gives both numbers, up to 15 %."""
    found = [strongest(tables, measure) for measure in MEASURES]
    claimed = TIMESTAMPS.values()
    near = [all(abs(a - b) <= 0.15 * b for a, b in zip(own, claimed, strict=True)) for own in found]
    return any(near), found


def not_lower(tables):
    """The supremum at ε = 0.1 against that at ε = 1."""
    one, other = strongest(tables)
    return other / one > NEAR, [one, other, one / other]


def smaller_with_n(tables):
    """More states under the same s leak less."""
    found, (low, high) = families(tables), values(tables[""], "n")[:2]
    pairs = [zip(found[low, e].values(), found[high, e].values(), strict=True) for e in TIMESTAMPS]
    return all(above(few, many) for own in pairs for few, many in own), line(tables["suprema"])


def uniform_with_n(tables):
    """The greatest entry (1 + s)/(1 + ns) falls with n."""
    return rising([Fraction(row["q"]) for row in where(tables["suprema"], s="0.005", epsilon="1")][::-1]), []


# Figures 8 and 9: budgets and utility


def exactly(tables):
    """Algorithm 8 attains the level, with less noise."""
    rows = where(tables[""], algorithm="8", kind="TPL")
    seven, eight = line(tables["noise"], alpha="1")
    return all(row["against alpha"].startswith("equal") for row in rows) and eight < seven, [seven, eight]


def same_middle(tables):
    """The middle budget of Algorithm 8 is the budget of Algorithm 7."""
    seven, eight = (line(tables[""], "lower", alpha="1", algorithm=name, kind="budget") for name in "78")
    return seven[1:-1] == eight[1:-1], line(tables[""], alpha="1", algorithm="8", kind="budget")


def conservative(tables):
    """Algorithm 7 stays below the level."""
    rows = where(tables[""], algorithm="7", kind="TPL", alpha="1")
    return all(row["against alpha"] == "below" for row in rows), [max(map(middle, rows))]


def outperforms(tables):
    """The noise of the two algorithms against T."""
    times = map(int, values(tables["against_T"], "releases"))
    noise = zip(*(line(tables["against_T"], algorithm=name) for name in "78"), strict=True)
    ratio = {time: seven / eight for time, (seven, eight) in zip(times, noise, strict=True)}
    short = min(value for time, value in ratio.items() if time <= SHORT_HORIZON)
    return short > 1.1 and min(ratio.values()) > 1, list(ratio.values())


def decays(tables):
    """The noise under each s, by Algorithms 7 and 8, against none."""
    (*noise, alone) = zip(*(line(tables["against_s"], s=s) for s in values(tables["against_s"], "s")), strict=True)
    ratio = [[height / alone[0] for height in own] for own in noise]
    at = values(tables["against_s"], "s").index("0.01")
    return min(own[at] for own in ratio) > 2, ratio


def dashed(tables):
    """The noise without correlation."""
    row = where(tables["against_s"], algorithm="no correlation")[0]
    return row["lower"] == row["upper"], [middle(row)]


# Section 6.1: the check, and runtimes. Seconds are compared only as far as no repeat would turn the verdict.

ALGORITHMS = ("Algorithm 1", "Algorithm 3", "Algorithm 5")


def against(table, column, **cells):
    """Return the median seconds by the numbers in a column."""
    rows = where(table, **cells)
    return {float(at): statistics.median(line(rows, "seconds", **{column: at})) for at in values(rows, column)}


def ends(points):
    """Return the first and the last point."""
    return next(iter(points.items())), list(points.items())[-1]


def power(points):
    """Return by which power of x the seconds grow from the first point to the last."""
    (x, y), (x_end, y_end) = ends(points)
    return math.log(y_end / y) / math.log(x_end / x)


def by_clock(ratio, threshold):
    """Whether a ratio of seconds exceeds a threshold; None where a repeat could fall on the other side of it."""
    return None if threshold / SPREAD <= ratio <= threshold * SPREAD else ratio > threshold


def all_of(decided):
    """Whether all hold: False where one does not, None where one is open."""
    return False if False in decided else None if None in decided else True


def rise(curves):
    """Whether the last seconds of all curves are more than the first, and by which powers they grow."""
    return all_of([by_clock(b / a, 1) for (_, a), (_, b) in map(ends, curves)])


def identical(tables):
    """Whether all methods gave the same numbers."""
    table = tables[""]
    agree = [name for name in table[0] if "equal" in name]
    programs, certified = (sum(line(table, name)) for name in ("programs solved by CBC", "certified"))
    equal = all(row[name] == "yes" for row in table for name in agree)
    return equal and certified == programs, [max(line(table, "largest relative error of CBC's objective"))]


def by_method(tables):
    """Return the seconds by n of Algorithms 1, 3 and 5, in both arithmetics."""
    kinds = [(name, arithmetic) for arithmetic in ("exact", "doubles") for name in ALGORITHMS]
    return {kind: against(tables[""], "n", method=kind[0], arithmetic=kind[1]) for kind in kinds}


def rises_with_n(tables):
    """Whether every method takes longer with more states; Algorithm 5 searches among the pieces, whatever n is."""
    cbc, found = against(tables[""], "n", method="CBC, compact"), by_method(tables)
    growing = [points for (name, _), points in found.items() if name != "Algorithm 5"]
    return rise([*growing, cbc]), [power(points) for points in (*found.values(), cbc)]


def faster(tables, arithmetics=("exact", "doubles"), factor=10):
    """Whether CBC takes more than `factor` times as long, at the least and greatest n."""
    cbc, numbers = against(tables[""], "n", method="CBC, compact"), []
    for (_, arithmetic), own in by_method(tables).items():
        if arithmetic in arithmetics:
            common = [n for n in own if n in cbc]
            numbers += [cbc[n] / own[n] for n in (common[0], common[-1])]
    return by_clock(min(numbers), factor), numbers


def precomputation_rises(tables):
    """Whether the precomputations take longer with more states."""
    table = where(tables[""], arithmetic="doubles")
    fourth = where(table, method="Algorithm 4")
    curves = [against(table, "n", method="Algorithm 2")]
    curves += [against(fourth, "n", a_m=a_m) for a_m in values(fourth, "a_m")]
    return rise(curves), [power(points) for points in curves]


def susceptible(tables):
    """How Algorithm 4 depends on a_m: not by a binary search in [0, a_m], of which it has none."""
    table = where(tables[""], method="Algorithm 4", arithmetic="exact")
    table = where(table, n=values(table, "n")[-1])
    return False, [*against(table, "a_m").values(), *line(table, "pieces")]


def complexity(tables):
    """Whether Algorithm 4 is of order n² log n: it makes 4m − 2 searches of that order, m being its pieces."""
    table = where(tables[""], method="Algorithm 4", arithmetic="doubles", a_m="10")
    pieces = dict(zip(line(table, "n"), line(table, "pieces"), strict=True))
    low, high = min(pieces), max(pieces)
    claimed = {n: n**2 * math.log(n) for n in (low, high)}
    counted = power({n: (4 * pieces[n] - 2) * claimed[n] for n in claimed})
    second = power(against(tables[""], "n", method="Algorithm 2", arithmetic="doubles"))
    return counted <= power(claimed) + 0.3, [second, counted, power(claimed)]


def crossovers(tables, arithmetic):
    """Return from which T on Algorithm 3 is quicker than 1, and 5 quicker than 3: straight lines between the points."""
    one, three, five = (against(tables[""], "T", arithmetic=arithmetic, method=name) for name in (ONE, THREE, FIVE))
    return first_below(three, one), first_below(five, three)


def first_below(points, other):
    """Return the least whole T at which a curve lies below another, None if nowhere."""
    (start, _), (end, _) = ends(points)
    return next((t for t in range(int(start), int(end) + 1) if at(points, t) < at(other, t)), None)


def at(points, t):
    """Interpolate."""
    return next(x + (y - x) * (t - a) / (b - a) for (a, x), (b, y) in pairwise(points.items()) if a <= t <= b)


def near(time, claimed):
    """Whether a time is there and within a factor of what is claimed; None where a repeat could bring it there."""
    if time is None:
        return False
    apart = max(time / claimed, claimed / time)
    return True if apart <= WITHIN else None if apart <= WITHIN * SPREAD else False


def both(tables):
    """Return the crossovers in exact arithmetic and in doubles."""
    return [crossovers(tables, arithmetic) for arithmetic in ("exact", "doubles")]


def one_for_short(tables):
    """Whether Algorithm 1 is the quickest at first."""
    found = [first for first, _ in both(tables)]
    return True if any(first and first > SPREAD for first in found) else None, found


def three_between(tables):
    """Where Algorithm 3 is the quickest, in doubles as in the paper."""
    _, (low, high) = found = both(tables)
    return all_of([near(low, 5), near(high, 300)]), found


def five_for_long(tables):
    """Whether Algorithm 5 is the quickest in the end, and constant, in doubles as in the paper."""
    late = [seconds for t, seconds in against(tables[""], "T", arithmetic="doubles", method=FIVE).items() if t >= 100]
    apart, (_, start) = max(late) / min(late), crossovers(tables, "doubles")
    steady = True if apart <= SPREAD else None if apart <= SPREAD**2 else False
    return all_of([near(start, 300), steady]), [start, *late, apart]


def none_best(tables):
    """Whether each of the three is the quickest somewhere."""
    return True if all(a and b and 2 < a < b for a, b in both(tables)) else None, both(tables)


def rounds(tables):
    """Return how often Algorithm 1 goes through its loop for a pair, by α."""
    rows = where(tables[""], method="Algorithm 1", arithmetic="exact")
    return dict(zip(line(rows, "alpha"), line(rows, "rounds per pair"), strict=True))


def grows_with_level(tables):
    """How Algorithm 1 depends on α: by its rounds, not by the clock."""
    (_, first), (_, last) = ends(rounds(tables))
    return last > first, [first, last]


def stable(tables):
    """Whether the rounds do not change from α = 10 on."""
    beyond = [count for level, count in rounds(tables).items() if level >= 10]
    return bool(beyond) and max(beyond) < 1.01 * min(beyond), list(rounds(tables).values())


def bounded_updates(tables):
    """The worst case of the loop is n rounds."""
    most = max(rounds(tables).values())
    return most <= int(tables[""][0]["n"]), [most]


TPL, PIECES, SUP, DEGREES = "fig_tpl", "fig_example_L_func", "fig_example_sup", "fig_ex_tpl"
BUDGETS, UTILITY, RUNTIME = "fig_ex_budgets", "fig_ex_utility", "fig_ex_runtime_"

JUDGES = {
    "tpl-1": (TPL, YES, lambda t: (exact(t, "strongest", "BPL") == TENTHS, [])),
    "tpl-2": (TPL, YES, lambda t: (set(exact(t, "none", "BPL")) == {"1/10"}, [])),
    "tpl-3": (TPL, UNKNOWN, lambda t: (True, curve(t, "moderate", "BPL"))),
    "tpl-4": (TPL, YES, falls),
    "tpl-5": (TPL, YES, updated),
    "tpl-6": (TPL, YES, lambda t: (set(exact(t, "none", "FPL")) == {"1/10"}, [])),
    "tpl-7": (TPL, UNKNOWN, lambda t: (True, curve(t, "moderate", "FPL"))),
    "tpl-8": (TPL, YES, between),
    "tpl-9": (TPL, YES, composed),
    "tpl-10": (TPL, YES, lambda t: (set(exact(t, "strongest", "TPL")) == {"1"}, [])),
    "tpl-11": (TPL, YES, moderate_tpl),
    "L-1": (PIECES, YES, lambda t: (all(row["at most L"] != "no" for row in t["values"]), [])),
    "L-2": (PIECES, YES, lambda t: (len(transitions(t)) > 0, [])),
    "L-3": (PIECES, YES, lambda t: (breakpoint_of(t)["starts at"] == "crossing of two functions",
                                    [middle(breakpoint_of(t), "start upper")])),
    "L-4": (PIECES, YES, lambda t: (breakpoint_of(t)["start exact"] not in transitions(t), [])),
    "sup-1": (SUP, KIND, unbounded),
    "sup-2": (SUP, KIND, in_line),
    "sup-3": (SUP, KIND, first_is_less),
    "s-1": (DEGREES, YES, grows_then_stays),
    "s-2": (DEGREES, YES, steeper),
    "s-3": (DEGREES, YES, longer),
    "s-4": (DEGREES, YES, higher),
    "s-5": (DEGREES, YES, delayed),
    "s-6": (DEGREES, KIND, timestamps),
    "s-7": (DEGREES, YES, not_lower),
    "s-8": (DEGREES, YES, smaller_with_n),
    "s-9": (DEGREES, YES, uniform_with_n),
    "budget-1": (BUDGETS, YES, exactly),
    "budget-2": (BUDGETS, KIND, same_middle),
    "budget-3": (BUDGETS, YES, conservative),
    "utility-1": (UTILITY, KIND, outperforms),
    "utility-2": (UTILITY, YES, dashed),
    "utility-3": (UTILITY, KIND, decays),
    "check-1": ("check_30", KIND, identical),
    "run-1": (RUNTIME + "a", KIND, rises_with_n),
    "run-2": (RUNTIME + "a", KIND, faster),
    "run-3": (RUNTIME + "a", KIND, lambda t: faster(t, ("doubles",), 1000)),
    "run-4": (RUNTIME + "b", YES, precomputation_rises),
    "run-5": (RUNTIME + "b", YES, susceptible),
    "run-6": (RUNTIME + "b", KIND, complexity),
    "run-7": (RUNTIME + "c", KIND, one_for_short),
    "run-8": (RUNTIME + "c", KIND, three_between),
    "run-9": (RUNTIME + "c", KIND, five_for_long),
    "run-10": (TPL, YES, lambda t: (exact(t, "strongest", "BPL")[-1] != "1", [])),
    "run-11": (RUNTIME + "c", KIND, none_best),
    "run-12": (RUNTIME + "d", KIND, grows_with_level),
    "run-13": (RUNTIME + "d", YES, stable),
    "run-14": (RUNTIME + "d", YES, bounded_updates),
}  # fmt: skip
"""By a sentence's id: its experiment, the best that can become of it, and its judge."""


def judged(name, tables):
    """Return the verdict on a sentence, and the numbers that it rests on."""
    _, best, judge = JUDGES[name]
    holds, numbers = judge(tables)
    return (holds if isinstance(holds, str) else {True: best, False: NO, None: UNDECIDED}[holds]), numbers
