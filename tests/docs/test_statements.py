"""Each number and sign in docs/statements.toml, changed alone: a test must notice, or it is said here why not.

What it says is compared with an enumeration or a linear program that knows nothing of it, on draws that keep all its
hypotheses, and for each of them on draws that break it alone. A hypothesis that no draw needs would not be one.
"""

import ast
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction as F
from functools import cache
from itertools import pairwise, permutations, product
from math import exp, inf, log, prod
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tploracle.proofs_checks import theorems
from tploracle.reference import (
    Adversary,
    InfeasibleBudget,
    Level,
    TransitionMatrix,
    loss_function,
    supremum,
    worst_case_composition,
    worst_case_leakage,
)
from tploracle.reference import budgets as budgets_of
from tploracle.reference.worst_case.boundedness import boundedness
from tploracle.reference.worst_case.one_side_first import one_side_first, told_together
from tploracle.reference.worst_case.profile import ProfileSide, pair_bound
from tploracle.reference.worst_case.trade_off import IGNORED, TradeOff
from tploracle.solvers.linear_programs.charnes_cooper import LinearProgram
from tploracle.solvers.linear_programs.highs import solve
from tploracle.solvers.linear_programs.profiles import profile_program

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs"), str(Path(__file__).parent)]

import statements  # noqa: E402 - of docs
from formulas import FOUND, NEAR, Ratios, as_shown, count, holds, left_side, shows, text_of, value  # noqa: E402 - beside this file

DRAWS = 16
STAYS = ((F(1), F(0)), (F(0), F(1)))


def rows(draw, n=2, least=0):
    """Draw a stochastic matrix of small numbers, zeros among them unless least is above 0."""
    weights = [[draw.choice([0, 1, 2, 5]) + least for _ in range(n)] for _ in range(n)]
    return tuple(tuple(F(w, sum(own) or 1) if sum(own) else F(i == 0) for i, w in enumerate(own)) for own in weights)


def chain(draw, n=2):
    """Draw two steps."""
    return rows(draw, n), rows(draw, n)


def law(near, far):
    """Return Pr(the two next values | a value) by a chain: for each value, by path, the nearest first."""
    n = range(len(near))
    return [{(b, c): near[a][b] * far[b][c] for b in n for c in n} for a in n]


def any_law(draw):
    """Draw what is no chain, two values that may depend on each other given a third; and its matrices, step by step."""
    drawn = []
    for _ in range(2):
        weights = [draw.choice([0, 1, 1, 4]) + F(1, 9) for _ in range(4)]
        drawn.append({path: w / sum(weights) for path, w in zip(product(range(2), repeat=2), weights, strict=True)})
    near = tuple(tuple(sum(own[b, c] for c in range(2)) for b in range(2)) for own in drawn)
    reached = [sum(near[a][b] for a in range(2)) for b in range(2)]
    far = tuple(tuple(sum(own[b, c] for own in drawn) / reached[b] for c in range(2)) for b in range(2))
    return drawn, (near, far)


def middle(draw, without):
    """Return Pr(the values before and after | a value), by a chain, and its matrices on both sides."""
    if without == "markov":
        told = any_law(draw)[0]
        sides = [
            tuple(tuple(sum(p for path, p in own.items() if path[i] == b) for b in range(2)) for own in told)
            for i in (0, 1)
        ]
        return told, *sides
    past, future = chain(draw)
    return [{(b, c): past[j][b] * future[j][c] for b in range(2) for c in range(2)} for j in range(2)], past, future


def greatest(told, outputs):
    """Return the greatest ratio of two values' likelihoods over outputs, functions of a path. Args: told, as `law`."""

    def likelihood(own, g):
        return sum(p * g(path) for path, p in own.items())

    pairs = [(one, other) for one, other in permutations(told, 2) if one and other]
    return max(likelihood(one, g) / likelihood(other, g) for one, other in pairs for g in outputs)


def questions(ratios, n=2):
    """Return the outputs of a mechanism for each time of a path: on a set e^ε, elsewhere 1."""
    sets = list(product(*([dict(enumerate(own)) for own in product((F(1), a), repeat=n)] for a in ratios)))
    return [lambda path, own=own: prod(m[b] for m, b in zip(own, path, strict=True)) for own in sets]


def same_parity(path):
    """A coin hides each of two values, and both answers together tell whether they are the same."""
    return F(path[0] == path[1])


def levels(ratios):
    return [Level.of_ratio(a) for a in ratios]


def matrix(own):
    return TransitionMatrix(own)


def keeps(name, without, met):
    """Ask a draw to keep a hypothesis, unless it is there to break it. Args: met, whether it keeps it."""
    assert met is (without != name), name


def of_first_order(told, near, far, without, beside=False):
    """The hypothesis `markov`. Args: told, as `law`; near, far, the matrices; beside, if of both sides of a time."""
    own = [{(b, c): near[a][b] * far[a if beside else b][c] for b, c in one} for a, one in enumerate(told)]
    if own != told or without != "markov":
        keeps("markov", without, (1 if own == told else 2) <= count("markov", r"of (\w+) order"))


def allowed(name, own, ratios, without):
    """The hypothesis `private` or `event`, of mechanisms that `questions` makes of own ratios. Returns: those."""
    letters = {"private": (r"\varepsilon_t", "m_t", "a", "b"), "event": (r"\varepsilon_s", "g", "y", "y'")}[name]
    met = [
        shows(name, 0, {"e": Ratios()} | dict(zip(letters, (a, m.__getitem__, x, y), strict=True)))
        for b, a in zip(own, ratios, strict=True)
        for m in product((F(1), b), repeat=2)
        for x, y in product(range(2), repeat=2)
    ]
    keeps(name, without, all(met))
    return own


def others(without, other):
    """Return a second matrix where `steady` does not hold, or has more than one; None elsewhere."""
    return other if without == "steady" or count("steady", r"(\w+) matrix") > 1 else None


def apart(own, a):
    """Return the greatest ratio of values j, k by a release of the value after them, of which they give the law."""
    sets = list(product((F(1), a), repeat=len(own)))
    return lambda j, k: max(sum(map(F.__mul__, own[j], f)) / sum(map(F.__mul__, own[k], f)) for f in sets)


def extreme(name, pattern, values):
    """Return the greatest or the least, as a text has it at the group of a pattern."""
    return {"greatest": max, "least": min}[re.search(pattern, text_of(name))[1]](values)


PAIRS = {"over": {"j": range(2), "k": range(2)}}
BPL, FPL, TPL = (rf"\mathrm{{{side}PL}}_t" for side in "BFT")


def ratio(draw):
    return draw.choice([F(3, 2), F(2), F(3)])


def sweep(draw, without):
    """The greatest ratio before the last of three releases, against all sets of both earlier ones."""
    ratios, steps = [ratio(draw), ratio(draw)], chain(draw)
    told = law(*steps)
    if without == "markov":
        told, steps = any_law(draw)
    of_first_order(told, *steps, without)
    outputs = questions(
        allowed("private", [a * a for a in ratios] if without == "private" else ratios, ratios, without)
    )
    outputs += [same_parity] if without == "fresh" and all(one[0, 0] + one[1, 1] for one in told) else []
    found = worst_case_leakage(levels([*reversed(ratios), F(1)]), [matrix(steps[1]), matrix(steps[0])]).bpl[2]
    return greatest(told, outputs) == found.ratio and (without is not None or swept(ratios, *steps))


def swept(ratios, near, far):
    """W by its recursion, around its zero and there, against what is said of each f."""
    f = [
        np.array([sum(p * g((a, b)) for b, p in enumerate(own)) for a, own in enumerate(far)])
        for g in questions(ratios)
    ]
    names = [{"P_T": lambda j, _: np.array(near[j]), "j": 0, "k": 1, "f_{T-1}": own} for own in f]
    zero, tops = (
        extreme("sweep", r"1\$ is the\s+(\w+) value", [value("sweep", r"(P_T(j, \cdot) f", own) for own in names]),
        [],
    )
    for at in (zero - F(1, 10), zero, zero + F(1, 10)):
        c = [own - at * other for own, other in zip(*near, strict=True)]
        tops.append(sum(raised(back(far, raised(c, ratios[0])), ratios[1])))
        told = [value("sweep", r"(P_T(j, \cdot) -", own | {r"\lambda": at}) for own in names]
        if tops[-1] != extreme("sweep", r"\)\$ is the\s+(\w+) value", told):
            return False
    first = sum(near[0]) / sum(near[1])  # f_0 = 1
    ends = shows("sweep", "B_T", {"B_T": lambda *_: zero, "j": 0, "k": 1}) and shows("sweep", "B_1", {"B_1": first})
    return ends and tops[0] > tops[1] == 0 > tops[2]


def tpl(draw, without):
    """TPL in the middle of three releases, or for known values at the first; FPL there, against all sets."""
    a, ratios = ratio(draw), [ratio(draw), ratio(draw)]
    told, past, future = middle(draw, without)
    of_first_order(told, past, future, without, beside=True)
    own = allowed("private", [own * own for own in ratios] if without == "private" else ratios, ratios, without)
    outputs = questions(own)
    if without == "fresh":
        outputs = [same_parity] if all(one[0, 0] + one[1, 1] for one in told) else outputs
    budgets = levels([ratios[0], a, ratios[1]])
    if without == "unknown":
        given = [{path: p for path, p in own.items() if path[1] == draw.randrange(2)} for own in law(past, future)]
        if not all(sum(own.values()) for own in given):
            return True
        told = [{path: p / sum(own.values()) for path, p in own.items()} for own in given]
        known = worst_case_leakage(levels([a, ratios[0], F(1)]), None, [matrix(past), matrix(future)]).tpl[0]
        return a * greatest(told, questions([ratios[0], F(1)])) <= known.ratio
    found = worst_case_leakage(budgets, [matrix(past), matrix(rows(draw))], [matrix(rows(draw)), matrix(future)])
    truth = a * greatest(told, outputs)
    if without in ("forgetful", None):
        # FPL sees no output of the past, BPL none of the future
        fpl, bpl = (
            a * greatest(told, questions([ratios[i] if i == side or without else F(1) for i in (0, 1)]))
            for side in (1, 0)
        )
        if fpl != found.fpl[1].ratio:
            return False
        of_pairs = {r"\varepsilon_t": log(a), "B_t": apart(past, ratios[0]), "F_t": apart(future, ratios[1])}
        ratios_of = {BPL: bpl, FPL: fpl, TPL: truth}
        if not all(shows("levels", x, PAIRS | of_pairs | {x: log(own)}) for x, own in ratios_of.items()):
            return False
    return truth == found.tpl[1].ratio


def adaptive(draw, without):
    """FPL in the middle, where a later release repeats the first output: all outputs are then seen."""
    a, ratios = ratio(draw), [ratio(draw), ratio(draw)]
    told, past, future = middle(draw, without)
    of_first_order(told, past, future, without, beside=True)
    own = [own * own for own in ratios] if without == "private" else ratios
    outputs = questions(allowed("private", own, ratios, without))
    budgets = levels([ratios[0], a, ratios[1]])
    found = worst_case_leakage(budgets, [matrix(past), matrix(past)], [matrix(future), matrix(future)]).tpl[1]
    return a * greatest(told, outputs) == found.ratio


def raised(c, e):
    return [e * x if x > 0 else x for x in c]


def back(own, c):
    return [sum(own[a][b] * c[a] for a in range(len(c))) for b in range(len(c))]


def certificate(draw, without):
    """A transient value and a closed one, h above what the sweep comes to: no longer sweep may be above 0."""
    keep, e, y = F(draw.choice([0, 0, 1, 3, 6, 9]), 20), draw.choice([F(3, 2), F(2)]), F(draw.randint(2, 9), 2)
    p, h = ((keep, 1 - keep), (F(0), F(1))), [F(1, 50) if keep else y / e, -y]
    if without == "shrinks":  # with θ of at least 1, or with none
        p, h = draw.choice([p, STAYS]), [F(draw.randint(1, 9)), F(0)]
    after = back(p, raised(h, e))
    least = max([F(0), *(after[b] / h[b] for b in range(2) if h[b] > 0)])
    names = {"P": np.array(p), r"\Phi": lambda c: np.array(raised(c, e)), "h": np.array(h), r"\theta": least}
    keeps("shrinks", without, shows("shrinks", 0, names) and shows("shrinks", 1, names))
    c = [own + (F(draw.randint(1, 9)) if without == "below" else -F(draw.choice([0, 0, 0, 3]))) for own in h]
    keeps("below", without, shows("below", "c_s", {"c_s": np.array(c), "h": np.array(h)}))
    turns = others(without, STAYS) or p
    for step in range(30):
        grows = 5 if step and count("steady", r"and (\w+) budget") > 1 else 1
        if not shows("certificate", "W_T", {"W_T": lambda _: sum(raised(c, grows * e)), r"\lambda": None}):  # noqa: B023
            return False
        c = back(turns, raised(c, grows * e))
    return True


@cache
def grown(own, e, steps, others=None):
    """Return the logarithm of the greatest ratio of two values after so many releases, by Dinkelbach's iteration."""
    n, most = range(len(own)), 1.0
    turns = [own, others or own]
    for j, k in permutations(n, 2):
        at = 1.0
        while True:
            sets, c = [], [float(own[j][b]) - at * float(own[k][b]) for b in n]
            for s in range(steps):
                sets.append([e if x > 0 else 1.0 for x in c])
                c = back(turns[(s + 1) % 2], [x * m for x, m in zip(c, sets[-1], strict=True)])
            f = [1.0] * len(own)
            for s in range(steps - 1, -1, -1):
                f = [m * x for m, x in zip(sets[s], f, strict=True)]
                if s:
                    f = [sum(float(turns[s % 2][a][b]) * f[b] for b in n) for a in n]
                f = [x / max(f) for x in f]
            top, low = (sum(float(own[i][b]) * f[b] for b in n) for i in (j, k))
            if low <= 0 or top / low <= at * (1 + 1e-12):
                most = max(most, at)
                break
            at = top / low
    return log(e) + log(most)


def criterion(draw, without):
    """(i) and (ii) against how far BPL rises from the 40th to the 80th release, and against what the code decides."""
    keep = F(draw.choice([1, 2, 5, 6, 9]), 10)
    turns, mixes = STAYS[::-1], ((F(1, 2), F(1, 2)), (F(1), F(0)))
    slow = ((keep, 1 - keep), (F(0), F(1)))
    own = draw.choice([slow, slow, slow, STAYS, turns, mixes, rows(draw, 2, 1)])
    e = draw.choice([F(1), F(1, 2)]) if without == "budgeted" else F(2)
    keeps("budgeted", without, shows("budgeted", 0, {r"\varepsilon": log(e)}))
    closed = [{0, 1}] if own[0][1] and own[1][0] else [{a} for a in range(2) if own[a][a] == 1]
    transient = [own[a][a] for a in range(2) if not any(a in one for one in closed)]
    one = len(closed) == count("criterion", r"exactly (\w+) closed class") and own != turns  # whose class has period 2
    names = {"e": Ratios(), r"\varepsilon": e, r"\rho": lambda block: max(block, default=F(0)), "P_{UU}": transient}
    says = one and holds("criterion", "e^", names)
    vectors = [
        {"h": h, "e": Ratios(), r"\varepsilon": e, "P": max(transient, default=F(0))} for h in (-1, -F(1, 2), 0, 1, 2)
    ]
    by_hand = any(all(holds("criterion by hand", which, h) for which in ("h", "e^")) for h in vectors)
    if by_hand is not holds("criterion", "e^", names):
        return False
    if e < 1:  # of such a budget there is no mechanism
        return False
    code = boundedness(matrix(own), Level.of_ratio(F(10**9 + 1, 10**9) if e == 1 else e)).is_bounded
    other = others(without, ((F(0), F(1)), (F(1, 2), F(1, 2))))
    return (grown(own, float(e), 80, other) - grown(own, float(e), 40, other) < 0.1) is says is code


def mixing(draw, without):
    """The bound by a column of P², where that has no 0, against the 30th release; for independent values by P."""
    own = draw.choice([rows(draw, 2, 1), (rows(draw, 2, 1)[0],) * 2, ((F(1, 2), F(1, 2)), (F(1), F(0)))])
    if without == "positive":
        slow = ((F(1, 2), F(1, 2), F(0)), (F(1, 2), F(1, 2), F(0)), (F(1, 20), F(1, 20), F(9, 10)))
        own = draw.choice([((F(0), F(1)), (F(1), F(0))), ((F(9, 10), F(1, 10)), (F(0), F(1))), slow])
    n, m = range(len(own)), 1 if own[0] == own[1] else 2
    power = own if m == 1 else [[sum(own[a][x] * own[x][b] for x in n) for b in n] for a in n]
    keeps("positive", without, count("positive", r"no entry (\d+)") not in {p for row in power for p in row})
    entries, columns = count("mixing", r"ratio\s+of (\w+) entries"), count("mixing", r"in (\w+) column")
    ratios = [
        F(power[first][x[0]], prod(power[a][x[-1]] for a in rest))
        for first, *rest in product(n, repeat=entries)
        for x in product(n, repeat=columns)
        if all(power[a][x[-1]] for a in rest)
    ]
    bound = m * log(2) + log(extreme("mixing", r"the (\w+) ratio", ratios))
    found = grown(own, 2.0, 30, others(without, ((F(0), F(1)), (F(1, 2), F(1, 2)))))
    return found <= bound + NEAR and (m == 2 or abs(found - bound) < NEAR)


def exists(draw, without):
    """A λ above the limit: the h of the statement is a certificate, for the v and θ' that it allows and no others."""
    keep = draw.choice([None, F(1, 4), F(2, 5)])
    own = STAYS if without == "bounded" else rows(draw, 2, 1) if keep is None else ((keep, 1 - keep), (F(0), F(1)))
    turns = others(without, STAYS) or own
    least = F(10) if without == "bounded" else F(exp(grown(own, 2.0, 60)) / 2)
    at = least * F(9 if without == "above" else 11, 10)
    names = {r"\lambda": at, "over": {"T": [60]}, "B": {60: lambda *_: least}, "j": 0, "k": 1}
    keeps("above", without, shows("above", 0, names))
    ends = []
    for j, k in permutations(range(2)):
        c = [a - at * b for a, b in zip(own[j], own[k], strict=True)]
        for _ in range(80):
            c = back(turns, raised(c, F(2)))
        ends.append(c)

    def certifies(h):
        after = back(turns, raised(h, F(2)))
        theta = max([F(0), *(after[b] / h[b] for b in range(2) if h[b] > 0)])
        below = all(x <= y for c in ends for x, y in zip(c, h, strict=True))
        return below and theta < 1 and all(after[b] <= theta * h[b] for b in range(2))

    if keep is None or turns is STAYS:
        return certifies([value("exists", 1, {})] * 2)
    y, right = min(-c[1] for c in ends) / 2, True
    for v in (F(-1), F(0), F(1, 2), F(1), F(2)):
        h = [value("exists", 3, {"x": y / 50, "v": v}), value("exists", 5, {"y": y, r"\pi": F(1)})]
        names = {"e": Ratios(), r"\varepsilon": F(2), "P_{UU}": np.array([[keep]]), "v": np.array([v])}
        names[r"\theta'"] = 2 * keep if v == 1 else (1 + 2 * keep) / 2
        taken = holds("exists", "v", {"v": v})
        right &= taken is certifies(h) and (not taken or shows("exists", 8, names))
    for stays in (F(1, 4), F(1, 2), F(3, 5)):
        p = ((stays, 1 - stays), (F(0), F(1)))
        right &= holds("exists", r"\theta'", {r"\theta'": 2 * stays}) is (grown(p, 2.0, 80) - grown(p, 2.0, 40) < 0.1)
    return right


def gain(own, x):
    """Return e^L at e^α = x: the greatest over pairs of rows and sets of columns."""
    sets = list(product((0, 1), repeat=len(own)))
    pairs = permutations(own, 2)
    return max((dot(q, s) * (x - 1) + 1) / (dot(d, s) * (x - 1) + 1) for q, d in pairs for s in sets)


def dot(row, chosen):
    return sum(p for p, s in zip(row, chosen, strict=True) if s)


def two(draw, without):
    """The recursion for three releases, where the first value is always the likelier after itself; and the limits."""
    n = count("binary", r"are (\w+) values") + (without == "binary")
    a, near = ratio(draw), rows(draw, n)
    if n == 2:
        near = tuple(sorted(near, reverse=True))
    far = others(without, tuple(sorted(rows(draw), reverse=True))) or near
    told = law(near, far)
    if without == "markov":  # fair coins from step to step, but the second is like the first value
        near = far = ((F(1, 2), F(1, 2)),) * 2
        told = [{(b, c): F(9 if c == v else 1, 20) for b, c in product(range(2), repeat=2)} for v in range(2)]
    of_first_order(told, near, far, without)
    if not without and not limits_of_two(a, draw.choice([rows(draw, 2, 1), ((F(1, 3), F(2, 3)),) * 2])):
        return False
    return greatest(told, questions([a, a], len(near))) == gain(near, a * gain(far, a))


def limits_of_two(a, own):
    """The fixed points, for both ways to number the values, against what the sweep comes to."""
    limits = []
    for (p, p_rest), (r, r_rest) in (own, tuple(row[::-1] for row in own[::-1])):
        names = {"e": float(a), r"\varepsilon": 1, "p": p, "r": r}
        names[r"\varphi"] = lambda x, names=names: value("two", r"\varphi(x)", names | {"x": x})
        rises = holds("two", 3, names)
        if (value("two", 0, names), value("two", 1, names)) != ((p, p_rest), (r, r_rest)) or rises is holds(
            "two", 6, names
        ):
            return False
        x = 1.0
        for _ in range(150):
            x = float(value("two", 5 if rises else 7, names | {"x": x}))
        limits.append(x)
    first = {1: max, 2: min}[count("two", r"Value (\d+) is")](limits)
    return abs(grown(own, float(a), 60) - log(first)) < NEAR


def most(told, ratios, possible=lambda _: True, without=None):
    """Return the greatest ratio over all streams, by a program. Args: told, as `law`; e^ε of each place of a path."""
    paths = [path for path in sorted({path for own in told for path in own}) if possible(path)]
    place = {path: index for index, path in enumerate(paths)}
    beside = [
        (path, (*path[:s], b, *path[s + 1 :]), a)
        for path in paths
        for s, a in enumerate(ratios)
        for b in range(2)
        if b != path[s]
    ]
    limits = tuple(((place[y], F(1)), (place[z], -a)) for y, z, a in beside if z in place)
    best = 1.0
    for j, k in permutations(told, 2):
        objective = tuple((place[path], -p) for path, p in k.items() if p and path in place)
        sums = tuple((place[path], p) for path, p in j.items() if p and path in place)
        found = solve(LinearProgram("streams", 2, tuple(map(str, paths)), objective, sums, limits, None))
        best = max(best, -1 / found.objective if found.objective else inf)
        if without is None and found.solution:
            g = dict(zip(paths, found.solution, strict=True)).__getitem__
            names = [{"e": Ratios(), r"\varepsilon_s": float(a), "g": g, "y": y, "y'": z} for y, z, a in beside]
            assert all(shows("event", 0, own) for own in names)
    return best


def joint(draw, without, budgets=None):
    """TPL and BPL in the middle of three releases, over all streams; a path begins with the value of the time."""
    ratios = budgets or [ratio(draw) for _ in range(3)]
    told, past, future = middle(draw, without)
    possible = lambda _: True  # noqa: E731
    if without == "event":
        past = future = STAYS
        told = [{(a, a): F(1)} for a in range(2)]
        possible = lambda path: len(set(path)) == 1  # noqa: E731 - of a chain that stays
    of_first_order(told, past, future, without, beside=True)
    paths = [{(a, *path): p for path, p in own.items()} for a, own in enumerate(told)]
    truth = most(paths, ratios, possible, without)
    names = {r"\varepsilon_t": log(ratios[0]), "B_t": apart(past, ratios[1]), "F_t": apart(future, ratios[2])}
    bpl = value("joint", 3, PAIRS | names)
    if without == "causal":  # earlier outputs read later values: what they tell is not BPL as it is said to be
        return abs(log(truth) - bpl) < NEAR
    steps = [matrix(past)] * 2, [matrix(future)] * 2
    code = worst_case_leakage(levels([ratios[1], ratios[0], ratios[2]]), *steps).tpl[1]
    alone = most([{(a, b): p for b, p in enumerate(own)} for a, own in enumerate(past)], ratios[:2], without=without)
    ends = [
        extreme("joint", rf"the (\w+) \$\\mathrm{{{side}PL", (1, own)) for side, own in (("T", truth), ("B", alone))
    ]
    values = value("joint", 1, PAIRS | names), bpl, log(code.ratio)  # a stream that tells nothing has 1
    return all(abs(x - log(own)) < NEAR for x, own in zip(values, (*ends, truth), strict=True))


class Told(float):
    """A number whose letter, with arguments, stands for a function too."""

    def __new__(cls, number, of):
        own = super().__new__(cls, number)
        own.of = of
        return own

    def __call__(self, *args):
        return self.of(*args)


def influence(draw, without):
    """The same with one budget, which may be any that the statement allows; and of two values at two times together."""
    a, steps = ratio(draw), chain(draw)
    alone = worst_case_leakage(levels([a] * 3), None, [matrix(own) for own in steps]).tpl[0]
    at = count("single", r"at (\w+) time") + (without == "single")
    if worst_case_composition(levels([a] * 3), 1, at, None, [matrix(own) for own in steps]).ratio > alone.ratio:
        return False
    paths = [{(b, *path): p for path, p in own.items()} for b, own in enumerate(law(*steps))]
    for own in (a, F(1), F(1, 2)):
        budgets = [own] * 3
        assert all(shows("influence", r"\varepsilon_s", {r"\varepsilon_s": log(x), "a": log(own)}) for x in budgets)
        stands = joint(draw, without, budgets) if own >= 1 else most(paths, budgets, without=without) < inf
        if holds("influence", "a", {"a": log(own)}) is not stands:
            return False
    least = log(most(paths, [a] * 3, without=without))
    bounds = [log(alone.ratio) + more for more in (-0.1, 0.0, 0.1)]
    return [holds("influence", "b ", {"b": Told(b, lambda _: least), "a": a}) for b in bounds] == [False, True, True]


def windows(draw, without):
    """Two of three values together, against all sets; and pairs of two values between others, one by one."""
    ratios, (near, far) = [ratio(draw) for _ in range(3)], (rows(draw, 2, 1), rows(draw, 2, 1))
    told = {(a, b): list(far[b]) for a, b in product(range(2), repeat=2)}
    if without == "markov":
        told[draw.randrange(2), draw.randrange(2)] = list(rows(draw, 2, 1)[0])
    order = 1 if all(own == list(far[b]) for (_, b), own in told.items()) else 2
    if without != "markov" or order > 1:
        keeps("markov", without, order <= count("markov", r"of (\w+) order"))
    own = allowed("event", [a * a for a in ratios] if without == "event" else ratios, ratios, without)
    paths = [{(*window, c): p for c, p in enumerate(after)} for window, after in told.items()]
    found = worst_case_composition(levels(ratios), 1, 2, None, [matrix(near), matrix(far)])
    if without is None and draw.randrange(4) == 0 and not by_pairs(near, far, ratio(draw), ratios):
        return False
    pairs = [greatest([one, other], questions(own)) for one, other in permutations(paths, 2)]
    return extreme("windows", r"The (\w+) over all", pairs) == found.ratio


def by_pairs(past, future, a, ratios):
    """Each two windows of two values, by the formula and by all sets: one value before them, and one after them."""
    outputs = questions([a, *ratios])

    def likelihood(v, g):
        return sum(past[v[0]][b] * future[v[1]][c] * g((b, *v, c)) for b, c in product(range(2), repeat=2))

    chances = {v: [likelihood(v, g) for g in outputs] for v in product(range(2), repeat=2)}
    names = {"e": Ratios(), "i": 0, "j": 1, r"\varepsilon": ratios, "over": {"s": (0, 1)}}
    names |= {"B_i": apart(past, a), "F_j": apart(future, ratios[2])}
    return all(
        value("windows", 3, names | {"v": v, "w": w})
        == extreme("windows", r"\$ the (\w+) ratio", map(F.__truediv__, chances[v], chances[w]))
        for v, w in permutations(chances, count("windows", r"Of (\w+) possible"))
    )


def mixture(draw, without):
    """Two chains, and a release at the time and one after it: the greatest over all sets, against the rule."""
    ratios, chains = [ratio(draw), ratio(draw)], [rows(draw, 2, 1) for _ in range(2)]
    chains = [chains[0]] * 2 if draw.randrange(3) == 0 else chains
    held = [rows(draw, 2, 1)[0] for _ in range(2)]  # Pr(l^t = j | θ), of two chains that are as likely
    held = held if draw.randrange(3) else [held[0]] * 2
    if not without and draw.randrange(4) == 0:  # the rule is not far above what is told of the likelier value
        ratios[1], held = F(8), [(F(49, 50), F(1, 50)), (F(9, 10), F(1, 10))]
        chains = [((F(0), F(1)),) * 2, ((F(0), F(1)), (F(1, 2), F(1, 2)))]
    w = [[own[j] / sum(other[j] for other in held) for j in range(2)] for own in held]
    names = {"w": [own.__getitem__ for own in (w if without != "posterior" else [[F(1, 2)] * 2] * 2)]}
    right = [
        shows("posterior", 0, names | {r"\theta": i, "j": j, r"\Pr(\theta \mid l^t = j)": w[i][j]})
        for i, j in product(range(2), repeat=2)
    ]
    if held[0] != held[1] or not without:
        keeps("posterior", without, all(right))
    told = [{(b,): sum(w[i][j] * chains[i][j][b] for i in range(2)) for b in range(2)} for j in range(2)]
    sides = [apart(own, ratios[1]) for own in chains]
    truth = log(ratios[0] * greatest(told, questions(ratios[1:])))
    names[TPL] = Told(truth, lambda i, j, k: log(ratios[0] * sides[i](j, k)) if j != k else 0.0)
    return shows("mixture", TPL, names | {"over": {r"\theta": range(2), "j": range(2), "k": range(2)}})


def second(draw, without):
    """Weights of paths, summed out nearest first, against the program over all streams, and where they are exact."""
    told, _ = any_law(draw)
    assert count("second", r"the (\w+) before it") == 2  # as the law of the second value after j may depend on j
    ratios = [ratio(draw), ratio(draw)]
    own = allowed("event", [a * a for a in ratios] if without == "event" else ratios, ratios, without)
    truth, worst = most(told, own), 1.0
    for j, k in permutations(told, 2):
        low, high = 1.0, 1000.0
        for _ in range(60):
            at = (low + high) / 2
            low, high = (low, at) if nothing_above(at, j, k, ratios) else (at, high)
        worst = max(worst, high)
    steps = chain(draw)
    (one, other), outputs = law(*steps), questions(ratios)
    exact = (
        greatest([one, other], outputs),
        max(
            sum(p * g(path) for path, p in one.items()) / sum(p * g(path) for path, p in other.items()) for g in outputs
        ),
    )
    around = [nothing_above(exact[1] + more, one, other, ratios) for more in (-F(1, 9), F(0), F(1, 9))]
    return truth <= worst * (1 + NEAR) and around == [False, True, True]


def nothing_above(at, j, k, ratios):
    """What the statement says of weights of paths: whether it excludes a ratio above λ. Args: j, k, laws of paths."""
    n = range(2)
    names = {
        r"\lambda": at,
        **{x: np.array([[own[b, c] for c in n] for b in n]) for x, own in (("P_j", j), ("P_k", k))},
    }

    def phi(w):
        if not np.ndim(w):
            return w
        a = ratios[2 - np.ndim(w)]
        return sum(np.where(w > 0, a * w, w))

    return holds("second", 1, {"w": value("second", "w", names), r"\Phi": phi, r"\dots": lambda w: w})


def trade_off(draw):
    phi = TradeOff.approximate(ratio(draw), draw.choice([F(0), F(1, 20), F(1, 7)]))
    return phi.both(TradeOff.approximate(F(1), draw.choice([F(1, 4), F(1, 2)])))


def best_test(phis, odds, told, without=""):
    """Return the greatest δ over all tests of the value and two others, by a program. Args: told, as `law`."""
    program = profile_program(phis, odds, (0, 1), [((F(1, 2),) * 2,) * 2] * 2)
    places = {y: index for index, y in enumerate(product(range(2), repeat=3))}
    weights = [told[0], {path: -odds * p for path, p in told[1].items()}]
    objective = [(place, weights[a].get(tuple(path))) for (a, *path), place in places.items()]
    objective = tuple((index, p) for index, p in objective if p)
    found = solve(replace(program, objective=objective))
    if without is None:  # the best test keeps what `tests` says, and its chances are those of which δ is said
        g = {y: found.solution[place] for y, place in places.items()}
        assert all(
            shows("tests", r"\Pr(O \mid y')", {r"\Pr(O \mid y')": g[z], r"\Pr(O \mid y)": g[y], r"\varphi_s": phi})
            for s, phi in enumerate(phis)
            for y in g
            for z in [(*y[:s], 1 - y[s], *y[s + 1 :])]
        )
        chances = [sum(float(p) * g[a, *path] for path, p in own.items()) for a, own in enumerate(told)]
        names = {"e": Ratios(), r"\alpha": float(odds)}
        names |= {rf"\Pr(O \mid l^t = {x})": own for x, own in zip("jk", chances, strict=True)}
        assert abs(value("profile", r"\Pr", names) - found.objective) < NEAR
    return found.objective


TENTHS = [F(k, 10) for k in range(11)]


def of_trade_offs(name, phis, without, asked=shows):
    """The hypotheses `concave`, `rising`, `symmetric` and `commuting` of functions, the nearest first."""
    for phi in {id(phi): phi for phi in phis}.values():
        names = {r"\varphi_s": phi}
        if name == "symmetric":
            points = [(u, v) for u in TENTHS for v in (*TENTHS, phi(u))]
            both = [[holds(name, i, names | {"u": u, "v": v}) for i in (1, 2)] for u, v in points]
            keeps(name, without, all(one is other for one, other in both))
        elif name in {"concave", "rising"}:
            low, high = value(name, 1, {}) if name == "concave" else (F(0), F(1))
            grid = [low + (high - low) * u for u in TENTHS]
            met = [shows(name, "u", names | {"u": u}) for u in grid]
            keeps(name, without, all(met) and all(phi(u) <= phi(v) for u, v in pairwise(grid)))
    if name == "commuting":
        pairs = [(s, r) for r, far in enumerate(phis) for s, near in enumerate(phis[:r]) if near is not far]
        return all(asked(name, 0, {r"\varphi_s": Composed(phis[s]), r"\varphi_r": Composed(phis[r])}) for s, r in pairs)
    return True


@dataclass
class Composed:
    """A function that stands beside another: both are then one after the other, on a grid."""

    of: Callable

    def __mul__(self, other):
        return np.array([self.of(other.of(u)) for u in TENTHS])


def not_concave():
    """Return δ by the recursion and over all tests with values in fifths, by enumeration; φ is not concave."""
    phi, grid = [2, 2, 3, 5, 5, 5], range(6)
    near, far = ((F(0), F(1)), (F(2, 7), F(5, 7))), ((F(1), F(0)), (F(1, 6), F(5, 6)))
    assert all((v <= phi[u]) == (5 - u <= phi[5 - v]) for u in grid for v in grid)
    f = [[near[0][a] * phi[v] - near[1][a] * v for v in grid] for a in range(2)]
    f = [[max(own[u : phi[u] + 1]) for u in grid] for own in f]
    f = [[far[0][b] * f[0][u] + far[1][b] * f[1][u] for u in grid] for b in range(2)]
    beside, ends = [(0, 1), (0, 2), (1, 3), (2, 3)], list(product(range(2), repeat=2))
    found = [
        sum(far[a][b] * (near[0][a] * phi[u] - near[1][a] * u) for (a, b), u in zip(ends, g, strict=True))
        for g in product(grid, repeat=4)
        if all(g[x] <= phi[g[y]] and g[y] <= phi[g[x]] for x, y in beside)
        and all(phi[g[x]] <= phi[phi[g[y]]] and phi[g[y]] <= phi[phi[g[x]]] for x, y in beside)
    ]
    return max(sum(max(own[u : phi[u] + 1]) for own in f) for u in grid), max(found)


def profile(draw, without):
    """δ at the last of three releases, against the program over all tests."""
    if without == "concave":
        bound, found = not_concave()
        safe = "concave" in statements.STATEMENTS["profile"]["under"][-count("profile", r"the last (\w+) hypotheses") :]
        return bound == found if safe else bound >= found
    steps, odds = chain(draw), draw.choice([F(1), F(3, 2), F(2)])
    told, phis = law(*steps), [trade_off(draw)] * 3
    if without == "markov":
        told, steps = any_law(draw)
    of_first_order(told, *steps, without)
    if without == "commuting":
        phis = [trade_off(draw) for _ in range(3)]
    elif draw.randrange(2):
        phis = [TradeOff.approximate(F(1), F(draw.randint(1, 3), 10)) for _ in range(3)]
    tests = [TradeOff.approximate(F(4), F(1, 3))] * 3 if without == "tests" else phis
    if without == "symmetric":
        phis = [TradeOff.least([(ratio(draw), F(1, 20))])] * 3
        tests = [phi.symmetric() for phi in phis]
    for name in ("concave", "symmetric"):
        of_trade_offs(name, phis, without)
    commute = of_trade_offs("commuting", phis, without, holds)  # with `symmetric` none is strict
    assert commute or without == "commuting"
    side = ProfileSide(tuple(phis), steps)
    if without == "causal":
        side = ProfileSide((phis[0], phis[1]), (((F(1, 2),) * 2,) * 2,))  # the release alone: its own values are all
    if without is None and draw.randrange(4) == 0:
        shifts = [F(draw.randint(1, 3), 10) for _ in range(3)]
        truth = best_test([TradeOff.approximate(F(1), x) for x in shifts], odds, told)
        told_of = extreme("profile", r"is the (\w+) \$\\Pr", (0.0, truth))  # no output at all has 0
        if abs(float(by_tenths(shifts, steps, odds)) - told_of) > NEAR:
            return False
    truth, bound = best_test(tests, odds, told, without), float(pair_bound(side, odds, (0, 1)).delta)
    safe = statements.STATEMENTS["profile"]["under"][-count("profile", r"the last (\w+) hypotheses") :]
    assert without not in safe or truth <= bound + NEAR
    return abs(truth - bound) < NEAR if without in (None, *safe) else truth <= bound + NEAR


def by_tenths(shifts, steps, odds):
    """The recursion as it is said, for φ(u) = min(u + δ, 1) of whole tenths: all its functions bend at tenths alone."""
    n, phis = range(2), [lambda u, x=x: min(u + x, F(1)) for x in shifts]
    names = {"e": Ratios(), r"\alpha": odds, "P_t": lambda a, b: steps[0][a][b], "j": 0, "k": 1, r"\varphi_t": phis[0]}
    g = [{u: value("profile", "g_a", names | {"u": u, "a": a}) for u in TENTHS} for a in n]
    for s, phi in enumerate(phis[1:]):
        names = {r"\varphi_s": phi, "over": {"v": TENTHS}, "g": [own.__getitem__ for own in g]}
        f = [{u: value("profile", "f_a", names | {"a": a, "u": u}) for u in TENTHS} for a in n]
        names = {"f": [own.__getitem__ for own in f], "over": {"a": n, "u": TENTHS}}
        if s + 1 == len(steps):
            return value("profile", r"\max_u", names)
        names["P_s"] = lambda a, b, s=s: steps[s + 1][a][b]
        g = [{u: value("profile", "g_b", names | {"b": b, "u": u}) for u in TENTHS} for b in n]
    raise AssertionError


def first(draw, without):
    """TPL in the middle of three releases: the bound with the past first, against the program over all tests."""
    odds, phi = draw.choice([F(1), F(3, 2), F(2)]), trade_off(draw)
    told, past, future = middle(draw, without)
    of_first_order(told, past, future, without, beside=True)
    tests = TradeOff.approximate(F(4), F(1, 3)) if without == "tests" else phi
    one, other = (ProfileSide((phi, phi), (own,)) for own in (past, future))
    psi = told_together(one, (0, 1))
    if any(psi(u) != extreme("first", r"be the (\w+) probability", (psi(u), u)) for u in TENTHS):  # a coin has u
        return False
    bound = one_side_first(psi, other, odds=odds, pair=(0, 1)).bound.delta
    return best_test([tests] * 3, odds, told, without) <= float(bound) + NEAR


def places(draw, without):
    """A test of one release on each side, by places: each neighbour's probability, by its definition."""
    near = far = trade_off(draw)
    if without == "commuting":
        far = trade_off(draw)
    elif draw.randrange(2):
        near, far = TradeOff.least([(F(1), F(draw.randint(1, 3), 10))]), TradeOff.least([(ratio(draw), F(0))])
    if without == "rising":
        near = far = lambda u, phi=near: u if F(1, 3) <= u < F(2, 3) else phi(u)
    if without != "rising" or any(near(u) > near(v) for u, v in pairwise(TENTHS)):
        of_trade_offs("rising", [near, far], without)
    assert of_trade_offs("commuting", [near, far], without) or without == "commuting"
    start, at, beyond = F(draw.randint(0, 40), 40), *([F(draw.randint(0, 40), 40) for _ in range(2)] for _ in range(2))

    def clamped(x, u, phi):
        low, high = value("places", "[u", {"u": u, r"\varphi_s": phi})
        return min(max(x, low), high)

    inner = [clamped(x, start, far) for x in beyond]
    chance = {(a, b): clamped(at[a], inner[b], near) for a in range(2) for b in range(2)}
    one, other = (all(chance[p] <= phi(chance[q]) for p, q in pairs) for phi, pairs in ((near, ACROSS), (far, ALONG)))
    return one and other


ACROSS = [((a, b), (1 - a, b)) for a in range(2) for b in range(2)]
ALONG = [((a, b), (a, 1 - b)) for a in range(2) for b in range(2)]


def whole_functions(draw, top, n, phi):
    """Draw functions g of whole numbers, as of tests."""
    return [[F(draw.randint(0, 3) * phi[u] - draw.randint(1, 3) * u) for u in range(top + 1)] for _ in range(n)]


def ends_of(g, phi):
    """Return f, and m and M as the statement `pass` has them."""
    f = [[max(own[u : phi[u] + 1]) for u in range(len(own))] for own in g]
    names = {"f": [own.__getitem__ for own in f], "over": {"a": range(len(f)), "u": range(len(f[0]))}}
    return f, value("pass", "m_s", names), value("pass", "M_s", names)


def onward(draw, f, without):
    """Return the functions at the next release, by a drawn matrix, or one whose rows add up to anything."""
    n, step = len(f), rows(draw, len(f))
    if without == "stochastic":
        step = [[p * draw.choice([F(1, 2), F(3)]) for p in row] for row in step]
    else:
        assert {sum(row) for row in step} == {count("stochastic", r"add up to (\d+)")}
    return [[sum(step[a][b] * f[a][u] for a in range(n)) for u in range(len(f[0]))] for b in range(n)]


def one_pass(draw, without):
    """The recursion on whole numbers, from release to release; and one stream in which m rises at each."""
    top, n = 5, 3
    phi = sorted(draw.randint(0, top) for _ in range(top + 1))
    phi = [max(u, own) for u, own in enumerate(phi)]
    g, ends = whole_functions(draw, top, n, phi), []
    for _ in range(4):
        f, *both = ends_of(g, phi)
        ends.append(both)
        g = onward(draw, f, without)
    names = [
        {"m": dict(enumerate(m for m, _ in ends)), "M_s": ends[s][1], "s": s, "r": r}
        for s in range(4)
        for r in range(4)
    ]
    if not all(shows("pass", 3, own) for own in names if holds("pass", "r", own)):
        return False
    shift, g, ends = [min(u + 1, top) for u in range(top + 1)], [[-u, 2 * u] for u in range(top + 1)], []
    g = [list(own) for own in zip(*g, strict=True)]
    for _ in range(3):
        g, *both = ends_of(g, shift)
        ends.append(both)
    names = [
        {"m": dict(enumerate(m for m, _ in ends)), "M_s": ends[s][1], "s": s, "r": r}
        for s in range(3)
        for r in range(3)
    ]
    return all(holds("pass", 3, own) is holds("pass", "r", own) for own in names)


def enough(draw, without):
    """The same, until the φ have led 0 to the top: from then on m and M are one number."""
    top, n = 6, 3
    jumps = [draw.choice([1, 2]) if without != "led" else 0 for _ in range(2 * top)]
    phis = [[min(u + jump, top) for u in range(top + 1)] for jump in jumps]
    at, needed = 0, 0
    for needed in range(1, len(phis) + 1):  # φ_1 is the nearest, and the last that 0 is led by
        at = 0
        for phi in reversed(phis[:needed]):
            at = phi[at]
        if at == top:
            break
    scaled = {s + 1: {F(u, top): F(own, top) for u, own in enumerate(phi)}.__getitem__ for s, phi in enumerate(phis)}

    def between(u):
        for s in range(needed - 1, 2, -1):
            u = scaled[s](u)
        return u

    if needed > 2:
        keeps("led", without, shows("led", 0, {r"\varphi": scaled, "n": needed, r"\dots": between}))
    g, ends = whole_functions(draw, top, n, phis[0]), set()
    for s, phi in enumerate(phis):
        f, *both = ends_of(g, phi)
        if s + 1 >= needed:
            ends |= {both[0]}
            if not shows("enough", "m_n", dict(zip(("m_n", "M_n"), both, strict=True))):
                return False
        g = onward(draw, f, without)
    return len(ends) == 1


def by_lines(draw, without):
    """TPL in the middle of three releases: the bound at each slope that is allowed, against all tests."""
    odds, phi = draw.choice([F(1), F(3, 2), F(2)]), trade_off(draw)
    told, past, future = middle(draw, without)
    if without is None and draw.randrange(2):  # nothing is told of the future
        future = (future[0],) * 2
        told = (
            law(past, future)
            if past[0] == past[1]
            else [{(b, c): past[a][b] * future[a][c] for b, c in product(range(2), repeat=2)} for a in range(2)]
        )
    of_first_order(told, past, future, without, beside=True)
    tests = TradeOff.approximate(F(4), F(1, 3)) if without == "tests" else phi
    truth = best_test([tests] * 3, odds, told, without)
    sides = ProfileSide((phi, phi), (past,)), ProfileSide((IGNORED, phi), (future,))

    def delta(side):  # below 0 the best test is that of all outputs
        return lambda at: float(pair_bound(side, at, (0, 1)).delta if at > 0 else 1 - at)

    names = {
        r"\delta_{\mathrm{TPL}}": lambda _: truth,
        r"\delta_{past}": delta(sides[0]),
        r"\delta_{future}": delta(sides[1]),
    }
    for slope in (F(-1), F(0), F(1, 2), F(1), odds):
        own = names | {r"\sigma": slope, r"\lambda": odds, "e": Ratios(), r"\alpha": odds}
        assert shows("lines", r"\lambda", own)
        if holds("lines", r"\sigma", own):
            if not shows("lines", r"\delta", own):
                return False
        elif slope and truth > 0 and holds("lines", r"\delta", own):
            return False
    return True


def lfp(draw, without):
    """The optimum at the corners of the box, against sets and the divergence."""
    q, d = (np.array(own) for own in rows(draw, 3)[:2])
    a = ratio(draw)
    if without == "rows":
        q, a = draw.choice([(q * 2, a), (q * 3, a), (q, F(1)), (q, F(1, 2))])
    names = {"q": q, "d": d, "A": a, "n": 3, "E": a - 1, "over": {"j": range(3)}}
    keeps("rows", without, sum(q) == sum(d) == 1 and shows("rows", "E", names))
    if a <= 1:  # a box of one point, or of none
        return False
    corners = [np.array(x) for x in value("lfp", "x", names)]
    most = extreme("lfp", r"^\s*The (\w+) ", [q @ x / (d @ x) for x in corners])
    of_sets = max(value("lfp", "g_S", names | {"q_S": dot(q, s), "d_S": dot(d, s)}) for s in product((0, 1), repeat=3))
    for at in (most - F(1, 10), most, most + F(1, 10)):
        own = names | {r"\lambda": at}
        within = all(holds("lfp", 7, own | {"x": x}) for x in corners)
        if within is not holds("lfp", r"\sum_j", own) or within is not (most <= at):
            return False
    return most == of_sets and shows("lfp", r"\frac", names | {r"\lambda": most})


def det(own):
    q, d, p, c = own
    return q * c - p * d


def pieces(draw, without):
    """Two pieces are equal at one place at most, and there; at 0 all are equal, and below it one may have no value."""
    drawn = iter(lambda: [F(draw.randint(0, 10), 10) for _ in range(4)], None)
    meeting = draw.randrange(2)  # the pieces meet at some E > 0 where their order at 0 and far out is not the same
    q, d, p, c = next(own for own in drawn if not meeting or (own[0] - own[1] - own[2] + own[3]) * det(own) < 0)
    constant, most = count("alike", r"constant (\d+) above"), count("pieces", r"at most (\w+) ")
    k = [F(draw.randint(1, 3)) for _ in range(4)] if without else [F(constant)] * 4
    if without and {*k} == {1}:
        return True
    keeps("alike", without, {*k} == {constant})
    names = {"q": q, "d": d, "q'": p, "d'": c, "E": F(1)}
    as_said = [(q + constant) / (d + constant), (p + constant) / (c + constant)]
    if not without and as_said != [value("pieces", i, names) for i in (0, 1)]:
        return False

    def apart(e):
        if without:
            return (q * e + k[0]) * (c * e + k[3]) - (p * e + k[2]) * (d * e + k[1])
        return value("pieces", 0, names | {"E": e}) - value("pieces", 1, names | {"E": e})

    def tells(e):
        """Tell whether pieces have values there, and not all the same."""
        try:
            own = [
                value("pieces", 0, {"q": x, "d": y, "E": e})
                for x, y in ((q, F(1, 3)), (F(1, 2), F(1, 2)), (F(1, 5), F(1)))
            ]
        except ZeroDivisionError:
            return False
        return len({*own}) > 1

    if any(holds("pieces", 3, {"E": e}) is not tells(e) for e in (F(-3), F(-1), F(0), F(1, 2), F(2))):
        return False
    meet = value("pieces", 4, names) if q * c != p * d else F(0)
    places = [F(k, 12) for k in range(1, 100)]
    same = {e for e in (*places, *[meet] * (meet > 0)) if apart(e) == 0}
    above = [apart(e) > 0 for e in places if e not in same]
    turns = sum(one != other for one, other in pairwise(above))
    if len(same) >= len(places):
        return True
    return turns <= most and (meet <= 0 or len(same) == most) and all(e == meet for e in same)


def recursion_rises(draw, without):
    """The recursion after many steps, against the roots of all points."""
    e = draw.choice([F(1), F(1, 2)]) if without == "budgeted" else ratio(draw)
    own = draw.choice([rows(draw, 3, draw.randrange(2)), ((1 / e, 1 - 1 / e, F(0)), *[(F(0), F(1), F(0))] * 2)])
    keeps("budgeted", without, shows("budgeted", 0, {r"\varepsilon": log(e)}))
    if e < 1:  # of such a budget there is no mechanism
        return False
    other = others(without, rows(draw, 3))
    doubles = [[[float(p) for p in row] for row in one] for one in (own, other or own)]
    x = float(e)
    for step in range(2000):
        x, before = min(float(e) * gain(doubles[step % 2], x), 1e9), x
        if x == before and not other:
            break
    pairs = list(permutations(own, 2))
    names = [
        {"e": Ratios(), r"\varepsilon": e, "q": dot(q, s), "d": dot(d, s)}
        for q, d in pairs
        for s in product((0, 1), repeat=3)
    ]
    unbounded = any(holds("supremum", "d =", point) and holds("supremum", "q", point) for point in names)
    says = supremum(loss_function(matrix(own)), Level.of_ratio(e)).level if e > 1 else None
    if says and says.is_infinite is not unbounded:
        return False
    if unbounded:
        return x > 500
    # the greatest of the roots is where no point is below 0, and one at it
    excess = value("supremum", r"e^{\sup}", {"e": Ratios(), r"\sup": F(x)})
    points = [float(left_side("supremum", "d E", point | {"E": excess})) for point in names]
    of = {"greatest": min, "least": max}[re.search(r"is the (\w+) over", text_of("supremum"))[1]]
    least = names[of(range(len(names)), key=points.__getitem__)]
    same = says is None or abs(float(says.enclosure(12).upper) - log(x)) < 1e-6
    return same and shows(
        "supremum",
        "d E",
        {name: float(own) if isinstance(own, F) else own for name, own in least.items()} | {"E": float(excess)},
    )


def budgets(draw, without):
    """The greatest budget: with it the suprema come to α, with a hundredth more to more."""
    backward, forward = (rows(draw, 2, 1) for _ in range(2))
    if without == "free":
        backward = STAYS
    adversary = Adversary.knowing(matrix(backward), matrix(forward))
    alpha = Level.of_ratio(F(3))
    try:
        found = float(budgets_of(alpha, adversary).middle.enclosure(12).lower)
    except InfeasibleBudget:
        return False
    doubles = [[[float(p) for p in row] for row in own] for own in (backward, forward)]
    turns = others(without, STAYS)

    def ends(epsilon):
        x = [1.0, 1.0]
        for step in range(150):
            own = [turns] * 2 if turns and step % 2 else doubles
            before, x = x, [exp(epsilon) * gain(side, at) for side, at in zip(own, x, strict=True)]
            if before == x and not turns:
                break
        return log(x[0]), log(x[1])

    def solved(epsilon, level):
        both = dict(zip((r"\alpha_B", r"\alpha_F"), ends(epsilon), strict=True))
        names = both | {r"\varepsilon": epsilon, r"\alpha": level}
        names |= {
            f"L^{x}": lambda at, side=side: log(gain(side, exp(at))) for x, side in zip("BF", doubles, strict=True)
        }
        return names

    def some(level):
        """Return the budget with which the suprema come to a level, if there is one."""
        low, high = 0.0, level
        for _ in range(50 if level > 0 else 0):
            middle = (low + high) / 2
            low, high = (middle, high) if sum(ends(middle)) - middle < level else (low, middle)
        return low if level >= 0 else None

    if without is None and draw.randrange(4) == 0:
        for level in (-1.0, 0.0, 0.5, log(3)):
            own = some(level)
            solves = own is not None and holds("budgets", r"\varepsilon", {r"\varepsilon": own})
            if holds("budgets", r"\alpha", {r"\alpha": level}) is not solves:
                return False
            if solves and not all(shows("budgets", i, solved(own, level)) for i in (2, 3, 4)):
                return False
    more = found * {"greatest": 1.01, "least": 0.99}[re.search(r"it is the (\w+) budget", text_of("budgets"))[1]]
    return sum(ends(found)) - found <= log(3) + NEAR < sum(ends(more)) - more


REFUTERS = {
    "sweep": sweep, "levels": tpl, "adaptive": adaptive, "certificate": certificate, "criterion": criterion,
    "mixing": mixing, "exists": exists, "two": two, "joint": joint, "influence": influence, "windows": windows,
    "mixture": mixture, "second": second, "profile": profile, "first": first,
    "places": places, "pass": one_pass, "enough": enough, "lines": by_lines, "lfp": lfp,
    "pieces": pieces, "supremum": recursion_rises, "budgets": budgets,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "without"),
    [(name, without) for name, own in statements.STATEMENTS.items() for without in (None, *own["under"])],
)
def test_a_statement_holds_under_its_hypotheses_and_needs_each(name, without):
    as_shown()
    draws = range(DRAWS if without is None else 15 * DRAWS)
    held = (REFUTERS[name](Random(f"{name} {seed}"), without) for seed in draws)
    first = [next(held) for _ in range(DRAWS)]
    assert (all(first) and all(held)) is (without is None)
    assert as_shown() or without, FOUND


@pytest.mark.parametrize("page", statements.PAGES)
def test_the_statements_of_a_page_are_those_of_the_file(page):
    text = (statements.HERE / page).read_text("utf-8")
    assert text == statements.page(page), "run `python docs/statements.py`"
    outside = re.sub(r"<!-- statement: (\w+) -->.*?<!-- /statement: \1 -->", "", text, flags=re.DOTALL)
    assert not re.search(r"^\*\*(Theorem|Proposition|Corollary|Lemma)\b", outside, re.MULTILINE)


def test_the_statements_of_the_article_are_those_of_the_file():
    assert statements.ARTICLE.read_text("utf-8") == statements.article(), "run `python docs/statements.py`"
    text = (statements.HERE / "paper" / "article.tex").read_text("utf-8")
    own = [
        f"\\Statement{name.capitalize()}\n" for name, one in statements.STATEMENTS.items() if "article" in one["pages"]
    ]
    assert [text.count(command) for command in own] == [1] * len(own)
    assert not re.search(r"\\begin\{(theorem|corollary|proposition)\}", text)


def test_what_is_said_to_be_proved_or_tested_is():
    for one in statements.STATEMENTS.values():
        assert {theorems.stated().get(name) for name in one["rocq"]} <= {"Theorem"}, one["id"]
        assert one["rocq"] or one["hand"]
        for test in one.get("tests", ()):
            path, _, name = test.partition("::")
            tree = ast.parse((ROOT / path).read_text("utf-8"))
            assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


DEAR = {"supremum", "budgets", "windows", "profile", "influence", "levels", "commuting", "two"}
"""Statements whose draws take long: their numbers and signs are changed before a release."""

TEXTS = [*statements.HYPOTHESES, *statements.STATEMENTS]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.exhaustive if name in DEAR else pytest.mark.slow) for name in TEXTS],
)
def test_a_changed_number_or_sign_of_a_text_is_noticed(name):
    from changed_statements import EQUIVALENT, unnoticed

    assert {*unnoticed(name)[1]} == {*EQUIVALENT.get(name, ())}
