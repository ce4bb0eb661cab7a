"""Sentences about leakage, budgets and noise: Figures 3, 4, 5, 7, 8 and 9."""

import math
from itertools import pairwise

from .claims import KIND, NO, UNKNOWN, YES, Claim, Finding, either
from .tables import bounds, middle, values, where

NEAR = 0.7
"""From this share on a supremum is not substantially lower than another."""

SHORT_HORIZON = 10
"""Up to this many releases T counts as short."""


def line(table, **cells):
    """Return the points of a curve as doubles."""
    return [middle(row) for row in where(table, **cells)]


def rounded(heights, digits=4):
    """Return numbers for a sentence."""
    return [round(height, digits) for height in heights]


def increasing(heights):
    """Whether numbers rise strictly."""
    return all(before < after for before, after in pairwise(heights))


# Figure 3


def linear(tables):
    """BPL of the strongest correlation is t/10, exactly."""
    rows = where(tables[""], releases=10, correlation="strongest", kind="BPL")
    exact = [row["exact"] for row in rows]
    tenths = ["1/10", "1/5", "3/10", "2/5", "1/2", "3/5", "7/10", "4/5", "9/10", "1"]
    return either(exact == tenths, "BPL_t = t/10 exactly.", {"BPL": exact})


def constant(kind):
    """The leakage without a known correlation is ε, exactly."""

    def judge(tables):
        exact = {row["exact"] for row in where(tables[""], correlation="none", kind=kind)}
        return either(exact == {"1/10"}, f"{kind}_t = 1/10 exactly at every time.", {kind: sorted(exact)})

    return judge


def moderate(kind):
    """The curve of the moderate correlation: the picture alone has the paper's."""

    def judge(tables):
        heights = line(tables[""], releases=10, correlation="moderate", kind=kind)
        shown = ", ".join(f"{height:.8f}" for height in heights)
        text = f"{kind}_1, …, {kind}_10 = {shown}. The text prints no numbers, and the picture is not in the source."
        return Finding(UNKNOWN, text, {kind: heights})

    return judge


def fpl_order(tables):
    """FPL falls with time where the correlation is known."""
    lines = {name: line(tables[""], releases=10, correlation=name, kind="FPL") for name in ("strongest", "moderate")}
    holds = all(increasing(heights[::-1]) for heights in lines.values())
    numbers = {name: rounded([heights[0], heights[-1]]) for name, heights in lines.items()}
    text = f"Strongest: {numbers['strongest'][0]} at t = 1, {numbers['strongest'][1]} at t = 10; "
    return either(holds, text + f"moderate: {numbers['moderate'][0]} and {numbers['moderate'][1]}.", numbers)


def updated(tables):
    """One more release raises FPL at all earlier times."""
    numbers = {}
    holds = True
    for name in ("strongest", "moderate"):
        before, after = (line(tables[""], releases=many, correlation=name, kind="FPL") for many in (10, 11))
        holds &= all(a < b for a, b in zip(before, after, strict=False))
        numbers[name] = [rounded(before[:1])[0], rounded(after[:1])[0]]
    text = "With T = 11 every FPL_t, t ≤ 10, is strictly greater: "
    text += ", ".join(f"{name} FPL_1 {was} → {now}" for name, (was, now) in numbers.items()) + "."
    return either(holds, text, numbers)


def user_level(tables):
    """TPL of the strongest correlation is T·ε."""
    exact = {row["exact"] for row in where(tables[""], releases=10, correlation="strongest", kind="TPL")}
    return either(exact == {"1"}, "TPL_t = 1 = 10 · 0.1 exactly at every time.", {"TPL": sorted(exact)})


def between(tables):
    """TPL of the moderate correlation is between ε and T·ε."""
    heights = line(tables[""], releases=10, correlation="moderate", kind="TPL")
    text = f"TPL lies between {min(heights):.4f} (t = 1, 10) and {max(heights):.4f} (t = 5, 6)."
    return either(min(heights) > 0.1 and max(heights) < 1, text, {"least": min(heights), "greatest": max(heights)})


def extremes(tables):
    """The moderate curves lie between the other two."""
    holds = True
    for kind in ("BPL", "FPL"):
        low, mid, high = (
            line(tables[""], releases=10, correlation=name, kind=kind) for name in ("none", "moderate", "strongest")
        )
        holds &= all(a <= b <= c for a, b, c in zip(low, mid, high, strict=True))
    return either(holds, "At every time 0.1 ≤ moderate ≤ strongest, for BPL and FPL.", {})


def composed(tables):
    """TPL = BPL + FPL − ε within the enclosures."""
    holds = True
    for name in values(tables[""], "correlation"):
        rows = [where(tables[""], releases=10, correlation=name, kind=kind) for kind in ("BPL", "FPL", "TPL")]
        for backward, forward, total in zip(*rows, strict=True):
            holds &= abs(middle(backward) + middle(forward) - 0.1 - middle(total)) < 1e-14
    text = "For the recursions, TPL_t = BPL_t + FPL_t − 0.1 at every time. For the leakage as it is defined, the "
    text += "equation does not hold (E33), and its right side is an upper bound."
    return either(holds, text, {})


# Figure 4


def never_below(tables):
    """L is at least every other function wherever it was looked at."""
    rows = [row for row in tables["values"] if row["function"] != "L"]
    holds = all(row["at most L"] == "yes" for row in rows)
    many = len(values(tables["values"], "alpha upper"))
    text = f"Decided exactly at {many} levels for all 6 pairs, including every breakpoint."
    return either(holds, text, {"levels": many})


def circles(tables):
    """The transition points, exactly."""
    rows = where(tables["pieces"], **{"starts at": "transition point"})
    found = {f"rows {row['function']}": row["start exact"] for row in rows if row["function"] != "L"}
    text = "The six functions have " + " and ".join(f"{at} ({name})" for name, at in found.items())
    return either(len(found) > 0, text + "; the other four have none.", found)


def is_crossing(tables):
    """The one breakpoint of L is where two functions cross."""
    rows = where(tables["pieces"], function="L")
    second = rows[1]
    holds = len(rows) == 2 and second["starts at"] == "crossing of two functions"
    text = f"L has two pieces; they meet at α = {second['start exact']} = {middle(second, 'start '):.4f}, where the "
    text += f"functions of rows {rows[0]['rows of L']} and {second['rows of L']} cross, both at log 2."
    return either(holds, text, {"crossing": second["start exact"]})


def is_no_transition(tables):
    """Whether the crossing is at a transition point of some pair."""
    crossing = where(tables["pieces"], function="L")[1]["start exact"]
    same = [row["function"] for row in tables["pieces"] if row["function"] != "L" and row["start exact"] == crossing]
    text = f"Its level {crossing} is exactly the transition point of rows {', '.join(same)}, so aM contains "
    text += "it: for this matrix the search over all distinct transition points would find it. The same applies to "
    text += "“between two consecutive transition points, such as the pentagram”, which is true for other matrices."
    return (
        Finding(NO, text, {"crossing": crossing, "pairs": same}) if same else Finding(YES, "It is no such point.", {})
    )


# Figure 5


def unbounded(tables):
    """Cases (a), (b) have no supremum, (c), (d) have one."""
    exact = {row["case"]: row["upper"] for row in tables["suprema"]}
    holds = exact["a"] == exact["b"] == "inf" and "inf" not in (exact["c"], exact["d"])
    shown = {case: text if text == "inf" else f"{float(text):.6f}" for case, text in exact.items()}
    text = f"In our four cases the suprema are ∞, ∞, {shown['c']} and {shown['d']}. The paper's own matrices and ε are "
    return Finding(KIND if holds else NO, text + "only in its picture.", shown)


def in_line(tables):
    """BPL step by step stays below the supremum and comes near it."""
    rows = [row for row in tables[""] if row["case"] in "cd"]
    gaps = {}
    for limit in tables["suprema"]:
        if limit["case"] in "cd":
            gaps[limit["case"]] = middle(limit) - middle(where(tables[""], case=limit["case"])[-1])
    steps = max(int(row["time"]) for row in rows)
    holds = all(row["below the supremum"] == "yes" for row in rows)
    text = f"BPL_t is below the supremum at every t ≤ {steps}, and at t = {steps} "
    text += " and ".join(f"{gap:.1e} below in ({case})" for case, gap in gaps.items()) + "."
    return Finding(KIND if holds and max(gaps.values()) < 0.01 else NO, text, gaps)


def first_is_less(tables):
    """BPL at the first time is much less than the supremum."""
    ratios = {
        row["case"]: round(middle(where(tables[""], case=row["case"])[0]) / middle(row), 3)
        for row in tables["suprema"]
        if row["case"] in "cd"
    }
    shares = [f"{100 * ratio:.0f} % of the supremum in ({case})" for case, ratio in ratios.items()]
    text = f"BPL_1 is {' and '.join(shares)}."
    return Finding(KIND if max(ratios.values()) < 0.5 else NO, text, ratios)


# Figure 7


def summary(tables, n, s, epsilon):
    """Return the summary of one curve."""
    return where(tables["suprema"], n=n, s=s, epsilon=epsilon)[0]


def pairs_of(tables):
    """Yield n and ε of every family of curves, and the curves by rising s."""
    degrees = sorted(values(tables[""], "s"), key=float)
    for n in values(tables[""], "n"):
        for epsilon in values(tables[""], "epsilon"):
            yield n, epsilon, [(s, line(tables[""], n=n, s=s, epsilon=epsilon)) for s in degrees]


def grows_then_stays(tables):
    """All curves rise, ever more slowly, below their suprema."""
    holds, many = True, 0
    for n, epsilon, curves in pairs_of(tables):
        for s, heights in curves:
            many += 1
            rises = [after - before for before, after in pairwise(heights)]
            holds &= all(rise >= -1e-12 for rise in rises) and rises[0] == max(rises)
            holds &= heights[-1] <= middle(summary(tables, n, s, epsilon)) + 1e-12
    text = f"All {many} curves rise, the first step is the steepest, and they stay below their finite suprema."
    return either(holds, text, {"curves": many})


def steeper(tables):
    """A smaller s gives a steeper rise."""
    first = {
        f"n = {n}, ε = {epsilon}": {s: round(heights[1] - heights[0], 5) for s, heights in curves}
        for n, epsilon, curves in pairs_of(tables)
    }
    holds = all(increasing(list(rises.values())[::-1]) for rises in first.values())
    name, rises = next(iter(first.items()))
    shown = ", ".join(f"{rise:.3f} (s = {s})" for s, rise in rises.items())
    return either(holds, f"BPL_2 − BPL_1 for {name}: {shown}; the order is the same for the other n and ε.", first)


def longer(tables):
    """A smaller s takes longer to its supremum."""
    times, against = {}, []
    for n, epsilon, curves in pairs_of(tables):
        name = f"n = {n}, ε = {epsilon}"
        found = {s: summary(tables, n, s, epsilon)["first time at 99 %"] for s, _ in curves}
        times[name] = found
        known = [int(time) if time else math.inf for time in found.values()]
        if known != sorted(known, reverse=True):
            against.append(name)
    text = "The time to 99 % of the supremum, by rising s: "
    text += "; ".join(f"{', '.join(t or 'more' for t in found.values())} ({name})" for name, found in times.items())
    text += f". The strongest correlation is an exception for {' and '.join(against)}" if against else ""
    return Finding(YES if not against else KIND if len(against) < len(times) else NO, text + ".", times)


def higher(tables):
    """A smaller s gives a higher leakage at every time."""
    holds = True
    for _, _, curves in pairs_of(tables):
        for (_, strong), (_, weak) in pairwise(curves):
            holds &= all(a > b for a, b in zip(strong[1:], weak[1:], strict=True))
    return either(holds, "At every t ≥ 2, BPL falls strictly as s grows, for both n and both ε.", {})


def strong(tables):
    """Return n and s of the strongest correlation, as the text does."""
    return values(tables[""], "n")[0], min(values(tables[""], "s"), key=float)


def delayed(tables):
    """A smaller ε delays the growth."""
    n, s = strong(tables)
    times = {epsilon: summary(tables, n, s, epsilon)["first time at 95 %"] for epsilon in ("1", "0.1")}
    text = f"n = {n}, s = {s}: 95 % of the supremum at t = {times['1']} for ε = 1, at t = {times['0.1']} for ε = 0.1. "
    reached = summary(tables, n, s, "0.1")
    text += f"But the supremum is different, too: {middle(reached):.4f} for ε = 0.1."
    later = bool(times["1"]) and (not times["0.1"] or int(times["0.1"]) > int(times["1"]))
    return either(later, text, times)


MEASURES = ("first time at 90 %", "first time at 95 %", "first time at 99 %", "last rise of at least ε/100")


TIMESTAMPS = {"1": 8, "0.1": 80}
"""What the text has for each ε: one measure must give both."""


def timestamps(tables):
    """How long the noticeable increase lasts, by several measures: in kind where one of them gives both numbers."""
    n, s = strong(tables)
    rows = {epsilon: summary(tables, n, s, epsilon) for epsilon in TIMESTAMPS}
    times = {e: {name: int(row[name]) if row[name] else None for name in MEASURES} for e, row in rows.items()}
    text = f"n = {n}, s = {s}: 90, 95 and 99 % of the supremum at t = "
    text += "; ".join(
        f"{found[MEASURES[0]]}, {found[MEASURES[1]]}, {found[MEASURES[2]]} (ε = {epsilon}; the last step of at least "
        f"ε/100 at t = {found[MEASURES[3]]})"
        for epsilon, found in times.items()
    )
    both = [name for name in MEASURES if all(close(times[e][name], t) for e, t in TIMESTAMPS.items())]
    if both:
        return Finding(KIND, f"{text}. Which measure is meant is our choice.", times)
    text += (
        f". No single measure gives values near both {' and '.join(map(str, TIMESTAMPS.values()))}; to choose another "
    )
    return Finding(NO, text + "measure for each ε would be to choose the verdict.", times)


def close(time, claimed):
    """Whether a time is there, and what is claimed up to 15 %."""
    return bool(time) and abs(int(time) - claimed) <= 0.15 * claimed


def not_lower(tables):
    """The supremum at ε = 0.1 against that at ε = 1."""
    n, s = strong(tables)
    limits = {epsilon: middle(summary(tables, n, s, epsilon)) for epsilon in ("1", "0.1")}
    share = limits["0.1"] / limits["1"]
    text = f"n = {n}, s = {s}: the suprema are {limits['1']:.4f} and {limits['0.1']:.4f}, a factor of {1 / share:.1f}. "
    others = {}
    for row in where(tables["suprema"], n=n, epsilon="0.1"):
        others[row["s"]] = middle(row) / middle(summary(tables, n, row["s"], "1"))
    known = [f"{100 * ratio:.0f} % at s = {at}" for at, ratio in others.items() if float(at) < float(s)]
    text += "The supremum at ε = 0.1 is " + ", ".join(known) + " of that at ε = 1: they are close only for s far below "
    text += "the paper's range."
    return either(share > NEAR, text, {"suprema": limits, "ratios": others})


def smaller_with_n(tables):
    """More states under the same s leak less."""
    low, high = values(tables[""], "n")[:2]
    holds = True
    for s in values(tables[""], "s"):
        for epsilon in values(tables[""], "epsilon"):
            few, many = (line(tables[""], n=n, s=s, epsilon=epsilon) for n in (low, high))
            holds &= all(a > b for a, b in zip(few[1:], many[1:], strict=True))
    _, s = strong(tables)
    limits = {n: {e: round(middle(summary(tables, n, s, e)), 4) for e in ("1", "0.1")} for n in (low, high)}
    text = f"At every t ≥ 2, s and ε. Suprema for s = {s}: {limits[low]['1']} (n = {low}) and {limits[high]['1']} "
    text += f"(n = {high}) at ε = 1; {limits[low]['0.1']} and {limits[high]['0.1']} at ε = 0.1."
    return either(holds, text, limits)


def uniform_with_n(tables):
    """The entries of the matrix against n."""
    _, s = strong(tables)
    tops = {n: summary(tables, n, s, "1")["q"] for n in values(tables[""], "n")}
    shown = ", ".join(f"{top} for n = {n}" for n, top in tops.items())
    text = f"The greatest entry, (1 + s)/(1 + ns), is {shown} at s = {s}."
    return either(True, text, tops)


# Figures 8 and 9


def exactly(tables):
    """Algorithm 8 attains the level; the noise of both."""
    rows = where(tables[""], algorithm="8", kind="TPL")
    exact = {row["alpha"]: row["against alpha"] for row in rows}
    noise = {row["algorithm"]: middle(row) for row in where(tables["noise"], alpha="1")}
    holds = all(row["against alpha"].startswith("equal") for row in rows) and noise["8"] < noise["7"]
    text = f"TPL_t = α at all times (α = log 3: {exact['log(3)']}; α = 1: {exact['1']}). Mean noise at T = 10, Δ = 1: "
    return either(holds, text + f"{noise['8']:.4f} against {noise['7']:.4f} of Algorithm 7.", noise | exact)


def same_middle(tables):
    """The middle budget of Algorithm 8 is the budget of Algorithm 7."""
    seven, eight = (where(tables[""], alpha="1", algorithm=name, kind="budget") for name in "78")
    holds = all(a["lower"] == b["lower"] for a, b in zip(seven[1:-1], eight[1:-1], strict=True))
    first, mid, last = (middle(eight[index]) for index in (0, 1, -1))
    text = (
        f"ε_1 = {first:.4f}, ε_m = {mid:.4f}, ε_T = {last:.4f}, and ε_m is also Algorithm 7's. The text gives ε_m to "
    )
    text += "times [2, T]; it has to be [2, T − 1], as the algorithm itself has it."
    return Finding(KIND if holds else NO, text, {"first": first, "middle": mid, "last": last})


def conservative(tables):
    """Algorithm 7 stays below the level."""
    rows = where(tables[""], algorithm="7", kind="TPL", alpha="1")
    greatest = max(middle(row) for row in rows)
    holds = all(row["against alpha"] == "below" for row in rows)
    text = f"Algorithm 7's TPL is at most {greatest:.4f} < 1 at T = {len(rows)}."
    return either(holds, text, {"greatest TPL": greatest})


def outperforms(tables):
    """The noise of the two algorithms against T."""
    table = tables["against_T"]
    ratio = {
        int(t): middle(where(table, releases=t, algorithm="7")[0]) / middle(where(table, releases=t, algorithm="8")[0])
        for t in values(table, "releases")
    }
    short = [value for t, value in ratio.items() if t <= SHORT_HORIZON]
    shown = ", ".join(f"{value:.4g} (T = {t})" for t, value in ratio.items())
    text = f"Algorithm 7's mean noise divided by Algorithm 8's, n = {table[0]['n']}: {shown}. The ratio is above 1 at "
    text += "every T and falls towards 1. The text does not give n."
    holds = min(short) > 1.1 and min(ratio.values()) > 1
    return Finding(KIND if holds else NO, text, {str(t): round(v, 4) for t, v in ratio.items()})


def decays(tables):
    """The noise under s = 0.01 against none."""
    table = tables["against_s"]
    alone = middle(where(table, algorithm="no correlation")[0])
    ratio = {
        s: {name: round(middle(where(table, s=s, algorithm=name)[0]) / alone, 3) for name in "78"}
        for s in values(table, "s")
        if s
    }
    text = "Noise divided by the noise without correlation, Algorithms 7 and 8, T = " + table[0]["releases"] + ": "
    text += "; ".join(f"{both['7']:.3g} and {both['8']:.3g} (s = {s})" for s, both in ratio.items())
    text += ". The text does not give n and T."
    return Finding(KIND if min(ratio["0.01"].values()) > 2 else NO, text, ratio)


def dashed(tables):
    """The noise without correlation."""
    row = where(tables["against_s"], algorithm="no correlation")[0]
    text = f"E|Lap(Δ/2)| = Δ/2: {row['lower']} for Δ = 1. The text does not give the sensitivity, "
    text += "on which ratios do not depend."
    return either(bounds(row) == (bounds(row)[0],) * 2, text, {"noise": row["lower"]})


TPL, PIECES, SUP = ("fig_tpl",), ("fig_example_L_func",), ("fig_example_sup",)
DEGREES, BUDGETS, UTILITY = ("fig_ex_tpl",), ("fig_ex_budgets",), ("fig_ex_utility",)

SENTENCES = (
    Claim("tpl-1", "3.2, Example 2", "accumulate from previous time points and increase linearly", TPL, linear),
    Claim("tpl-2", "3.2, Example 2", "BPL at each time point is PL_0(M^t) … the black line", TPL, constant("BPL")),
    Claim("tpl-3", "3.2, Example 2", "The blue line … depicts the backward privacy leakage", TPL, moderate("BPL")),
    Claim("tpl-4", "3.2, Example 3", "FPL at time 1 is the highest … FPL at time 10 is the lowest", TPL, fpl_order),
    Claim("tpl-5", "3.2, Example 3", "If r^11 is released, all FPL at time t ∈ [1,10] will be updated", TPL, updated),
    Claim(
        "tpl-6", "3.2, Example 3", "the forward privacy leakage at each time point is PL_0(M^t)", TPL, constant("FPL")
    ),
    Claim("tpl-7", "3.2, Example 3", "The blue line … depicts the forward privacy leakage", TPL, moderate("FPL")),
    Claim("tpl-8", "3.2, Remark 1", "the upper and lower bound of BPL and FPL", TPL, extremes),
    Claim("tpl-9", "3.2", "Figure 3(c) shows TPL, which can be calculated using Equation", TPL, composed),
    Claim("tpl-10", "3.3", "TPL of a 0.1-DP mechanism under strong temporal correlation … is T ∗ 0.1", TPL, user_level),
    Claim("tpl-11", "3.3", "moderate, TPL … is less than T ∗ 0.1 but still larger than 0.1", TPL, between),
    Claim("L-1", "4.4, Example 4", "not less than any other functions for any α … the bold line", PIECES, never_below),
    Claim("L-2", "4.4, Figure 4", "The circle marks are transition points", PIECES, circles),
    Claim("L-3", "4.4, Example 4", "The pentagram … indicates an intersection of two", PIECES, is_crossing),
    Claim("L-4", "4.4, Example 4", "The pentagram, which is not any transition point", PIECES, is_no_transition),
    Claim(
        "sup-1", "5, Example 5", "In (a) and (b), the supremum does not exist. In (c) and (d), we can", SUP, unbounded
    ),
    Claim("sup-2", "5, Example 5", "in line with the ones from computing BPL step by step", SUP, in_line),
    Claim("sup-3", "5", "BPL at the first time point is much less than the supremum", SUP, first_is_less),
    Claim("s-1", "6.2", "first increases sharply and then remains stable", DEGREES, grows_then_stays),
    Claim("s-2", "6.2", "stronger temporal correlations (i.e., smaller s) is steeper", DEGREES, steeper),
    Claim("s-3", "6.2", "and the time for the increase is longer", DEGREES, longer),
    Claim("s-4", "6.2", "stronger correlations result in higher privacy leakage", DEGREES, higher),
    Claim("s-5", "6.2", "0.1-DP significantly delayed the growth of privacy leakage", DEGREES, delayed),
    Claim(
        "s-6", "6.2", "almost 8 timestamps when ε = 1 … approximately 80 timestamps when ε = 0.1", DEGREES, timestamps
    ),
    Claim("s-7", "6.2", "the case of ε = 0.1 is not substantially lower than that of ε = 1", DEGREES, not_lower),
    Claim("s-8", "6.2", "Under the same s, TPL is smaller when n … is larger", DEGREES, smaller_with_n),
    Claim(
        "s-9", "6.2", "transition matrices tend to be uniform … when the dimension is larger", DEGREES, uniform_with_n
    ),
    Claim("budget-1", "6.3", "better data utility because it exactly achieves the desired", BUDGETS, exactly),
    Claim("budget-2", "5", "constant values at time [2,T]", BUDGETS, same_middle),
    Claim("budget-3", "5", "when T is short, the privacy leakage may not be increased to", BUDGETS, conservative),
    Claim("utility-1", "6.3", "when T is short, Algorithm 8 outperforms Algorithm 7", UTILITY, outperforms),
    Claim("utility-2", "6.3", "The dash line … if no temporal correlation exists", UTILITY, dashed),
    Claim("utility-3", "6.3", "significantly decays under strong correlation s = 0.01", UTILITY, decays),
)
