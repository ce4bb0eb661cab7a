"""Each statement of docs/statements.toml stands where it says, and fails where a hypothesis of it does not hold.

What it says is compared with an enumeration or a linear program that knows nothing of it, on draws that keep all its
hypotheses, and for each of them on draws that break it alone. A hypothesis that no draw needs would not be one.
"""

import ast
import re
import sys
from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise, permutations, product
from math import exp, log, prod
from pathlib import Path
from random import Random

import pytest

from tploracle.proofs_checks import theorems
from tploracle.proofs_checks.transcript import printed_formula
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
sys.path.insert(0, str(ROOT / "docs"))

import statements  # noqa: E402 - of docs

DRAWS = 8
NEAR = 1e-7
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


def said(name, before, after):
    """Return the formula between two texts of a statement, as a function of its letters; p and c are q' and d'."""
    text = statements.STATEMENTS[name]["says"].partition(before)[2].partition(after)[0]
    for mark, read in (("q'", "p"), ("d'", "c"), ("_S", ""), (r"e^\varepsilon", "e")):
        text = text.replace(mark, read)
    return lambda **values: printed_formula(text.replace("e", "a"), values | {r"\lambda": values.get("most")})


def ratio(draw):
    return draw.choice([F(3, 2), F(2), F(3)])


def sweep(draw, without):
    """The greatest ratio before the last of three releases, against all sets of both earlier ones."""
    ratios, steps = [ratio(draw), ratio(draw)], chain(draw)
    told = law(*steps)
    if without == "markov":
        told, steps = any_law(draw)
    outputs = questions([a * a for a in ratios] if without == "private" else ratios)
    outputs += [same_parity] if without == "fresh" and all(one[0, 0] + one[1, 1] for one in told) else []
    found = worst_case_leakage(levels([*reversed(ratios), F(1)]), [matrix(steps[1]), matrix(steps[0])]).bpl[2]
    return greatest(told, outputs) == found.ratio


def tpl(draw, without):
    """TPL in the middle of three releases, or for known values at the first; FPL there, against all sets."""
    a, ratios = ratio(draw), [ratio(draw), ratio(draw)]
    told, past, future = middle(draw, without)
    outputs = questions([own * own for own in ratios] if without == "private" else ratios)
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
    if without in ("forgetful", None):
        blind = questions([F(1) if without is None else ratios[0], ratios[1]])  # FPL does not see the first output
        if a * greatest(told, blind) != found.fpl[1].ratio:
            return False
    return a * greatest(told, outputs) == found.tpl[1].ratio


def adaptive(draw, without):
    """FPL in the middle, where a later release repeats the first output: all outputs are then seen."""
    a, ratios = ratio(draw), [ratio(draw), ratio(draw)]
    told, past, future = middle(draw, without)
    outputs = questions([own * own for own in ratios] if without == "private" else ratios)
    budgets = levels([ratios[0], a, ratios[1]])
    found = worst_case_leakage(budgets, [matrix(past), matrix(past)], [matrix(future), matrix(future)]).tpl[1]
    return a * greatest(told, outputs) == found.ratio


def raised(c, e):
    return [e * x if x > 0 else x for x in c]


def back(own, c):
    return [sum(own[a][b] * c[a] for a in range(len(c))) for b in range(len(c))]


def certificate(draw, without):
    """A transient value and a closed one, h above what the sweep comes to: no longer sweep may be above 0."""
    keep, e, x, y = F(draw.randint(1, 9), 20), F(2), F(1, 50), F(draw.randint(2, 9), 2)
    p, changed = ((keep, 1 - keep), (F(0), F(1))), STAYS
    h = [x, -y]
    if without == "shrinks":
        h = [F(draw.randint(1, 9)), F(1)]
    after = back(p, raised(h, e))
    least = max(F(0), *(after[b] / h[b] for b in range(2) if h[b] > 0))
    shrinks = least < 1 and all(after[b] <= least * h[b] for b in range(2) if h[b] < 0)
    assert shrinks is (without != "shrinks")
    c = [own + (F(draw.randint(1, 9)) if without == "below" else -F(draw.randint(0, 9))) for own in h]
    for _ in range(30):
        if sum(raised(c, e)) > 0:
            return False
        c = back(changed if without == "steady" else p, raised(c, e))
    return True


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
    """(i) and (ii), decided, against how far BPL rises from the 40th to the 80th release."""
    keep = F(draw.choice([1, 2, 6, 9]), 10)
    turns, mixes = STAYS[::-1], ((F(1, 2), F(1, 2)), (F(1), F(0)))
    own = draw.choice([((keep, 1 - keep), (F(0), F(1))), STAYS, turns, mixes, rows(draw, 2, 1)])
    e = 1.0 if without == "budgeted" else 2.0
    told = F(10**9 + 1, 10**9) if without == "budgeted" else F(2)  # (ii) as it is for ε = 0, which the code refuses
    says = boundedness(matrix(own), Level.of_ratio(told)).is_bounded
    other = ((F(0), F(1)), (F(1, 2), F(1, 2))) if without == "steady" else None
    return (grown(own, e, 80, other) - grown(own, e, 40, other) < 0.1) is says


def mixing(draw, without):
    """The bound by a column of P², where that has no 0, against the 30th release."""
    own = draw.choice([rows(draw, 2, 1), ((F(1, 2), F(1, 2)), (F(1), F(0)))])
    if without == "mixing":
        own = draw.choice([((F(0), F(1)), (F(1), F(0))), ((F(9, 10), F(1, 10)), (F(0), F(1)))])
    other = ((F(0), F(1)), (F(1, 2), F(1, 2))) if without == "steady" else None
    twice = [[sum(own[a][x] * own[x][b] for x in range(2)) for b in range(2)] for a in range(2)]
    apart = max(twice[a][b] / twice[c][b] for a, c, b in product(range(2), repeat=3) if twice[c][b])
    return grown(own, 2.0, 30, other) <= 2 * log(2) + log(apart) + NEAR


def exists(draw, without):
    """A λ above the limit has h = 0: all that the sweep is comes to lie below 0."""
    own = STAYS if without == "bounded" else rows(draw, 2, 1)
    other = STAYS if without == "steady" else own
    least = 10 if without == "bounded" else exp(grown(own, 2.0, 60)) / 2
    at = least * (0.9 if without == "above" else 1.001)
    tops = []
    for j, k in permutations(range(2), 2):
        c = [float(own[j][b]) - at * float(own[k][b]) for b in range(2)]
        for _ in range(200):
            c = back(other, raised(c, 2.0))
            c = [x / (max(map(abs, c)) or 1) for x in c]
        tops.append(max(c))
    return max(tops) < 0


def gain(own, x):
    """Return e^L at e^α = x: the greatest over pairs of rows and sets of columns."""
    sets = list(product((0, 1), repeat=len(own)))
    pairs = permutations(own, 2)
    return max((dot(q, s) * (x - 1) + 1) / (dot(d, s) * (x - 1) + 1) for q, d in pairs for s in sets)


def dot(row, chosen):
    return sum(p for p, s in zip(row, chosen, strict=True) if s)


def two(draw, without):
    """The recursion for three releases, where the first value is always the likelier after itself; and the limits."""
    a, near = ratio(draw), rows(draw, 3 if without == "two" else 2)
    if without != "two":
        near = tuple(sorted(near, reverse=True))
    far = tuple(sorted(rows(draw), reverse=True)) if without == "steady" else near
    told = law(near, far)
    if without == "markov":  # fair coins from step to step, but the second is like the first value
        near = far = ((F(1, 2), F(1, 2)),) * 2
        told = [{(b, c): F(9 if c == v else 1, 20) for b, c in product(range(2), repeat=2)} for v in range(2)]
    if not without:
        own, limits, phi = rows(draw, 2, 1), [], said("two", r"\varphi(x) = ", "$")
        for (p, _), (r, _) in (own, tuple(row[::-1] for row in own[::-1])):
            x = 1.0
            for _ in range(500):
                x = float(phi(p=p, r=r, x=F(x))) * (float(a) if p >= r else 1)
                if p < r:
                    x = float(a * phi(p=p, r=r, x=F(x) / a))
            limits.append(x)
        if abs(grown(own, float(a), 60) - log(max(limits))) > NEAR:
            return False
    return greatest(told, questions([a, a], len(near))) == gain(near, a * gain(far, a))


def most(told, ratios, possible=lambda _: True):
    """Return the greatest ratio over all streams, by a program. Args: told, as `law`; e^ε of each place of a path."""
    paths = [path for path in sorted({path for own in told for path in own}) if possible(path)]
    place = {path: index for index, path in enumerate(paths)}
    limits = []
    for path in paths:
        for s, a in enumerate(ratios):
            near = [(*path[:s], b, *path[s + 1 :]) for b in range(2) if b != path[s]]
            limits += [((place[path], F(1)), (place[other], -a)) for other in near if other in place]
    best = 1.0
    for j, k in permutations(told, 2):
        objective = tuple((place[path], -p) for path, p in k.items() if p and path in place)
        sums = tuple((place[path], p) for path, p in j.items() if p and path in place)
        names = tuple(map(str, paths))
        value = solve(LinearProgram("streams", 2, names, objective, sums, tuple(limits), None)).objective
        best = max(best, -1 / value if value else float("inf"))
    return best


def joint(draw, without):
    """TPL at the first of three releases over all streams; a path begins with the value of the time itself."""
    ratios, steps = [ratio(draw) for _ in range(3)], chain(draw)
    told, possible = law(*steps), lambda _: True
    if without == "markov":
        told, steps = any_law(draw)
    if without == "event":
        steps = (STAYS, STAYS)
        told = law(*steps)
        possible = lambda path: len(set(path)) == 1  # noqa: E731 - of a chain that stays
    told = [{(a, *path): p for path, p in own.items()} for a, own in enumerate(told)]
    found = worst_case_leakage(levels(ratios), None, [matrix(own) for own in steps])
    says = found.tpl[0].ratio
    if without == "causal":  # the first output reads later values, yet BPL is said to be what it tells of its own
        says = ratios[0]
    return abs(most(told, ratios, possible) - float(says)) < NEAR * float(says)


def influence(draw, without):
    """The same with one budget, and of two values at two times together."""
    if without != "single":
        return joint(draw, without)
    a, steps = ratio(draw), chain(draw)
    forward = [matrix(own) for own in steps]
    alone = worst_case_leakage(levels([a] * 3), None, forward).tpl[0]
    return worst_case_composition(levels([a] * 3), 1, 2, None, forward).ratio <= alone.ratio


def windows(draw, without):
    """The first two of three values together, against all sets."""
    ratios, (near, far) = [ratio(draw) for _ in range(3)], (rows(draw, 2, 1), rows(draw, 2, 1))
    told = {(a, b): list(far[b]) for a, b in product(range(2), repeat=2)}
    if without == "markov":
        told[draw.randrange(2), draw.randrange(2)] = list(rows(draw, 2, 1)[0])
    own = [a * a for a in ratios] if without == "event" else ratios
    paths = [{(*window, c): p for c, p in enumerate(after)} for window, after in told.items()]
    found = worst_case_composition(levels(ratios), 1, 2, None, [matrix(near), matrix(far)])
    return greatest(paths, questions(own)) == found.ratio


def mixture(draw, without):
    """Draws of two kinds of people, and two releases: the greatest over all sets, against the rule."""
    a, kinds = ratio(draw), [rows(draw, 2, 1)[0] for _ in range(2)]
    w = [[own[j] / sum(other[j] for other in kinds) for j in range(2)] for own in kinds]
    told = [{(b,): sum(w[i][j] * kinds[i][b] for i in range(2)) for b in range(2)} for j in range(2)]
    apart = max(max(own) / min(own) for own in w) if without != "posterior" else 1
    return a * greatest(told, questions([a])) <= a * apart


def second(draw, without):
    """Weights of paths, summed out nearest first, against the program over all streams."""
    told, _ = any_law(draw)
    ratios = [ratio(draw), ratio(draw)]
    allowed = [a * a for a in ratios] if without == "event" else ratios
    truth, worst = most(told, allowed), 1.0
    for j, k in permutations(told, 2):
        low, high = 1.0, 1000.0
        for _ in range(60):
            at = (low + high) / 2
            w = {path: float(j[path]) - at * float(k[path]) for path in j}
            w = {c: sum(raised([w[b, c] for b in range(2)], float(ratios[0]))) for c in range(2)}
            low, high = (at, high) if sum(raised(list(w.values()), float(ratios[1]))) > 0 else (low, at)
        worst = max(worst, high)
    return truth <= worst * (1 + NEAR)


def trade_off(draw):
    phi = TradeOff.approximate(ratio(draw), draw.choice([F(0), F(1, 20), F(1, 7)]))
    return phi.both(TradeOff.approximate(F(1), draw.choice([F(1, 4), F(1, 2)])))


def best_test(phis, odds, told):
    """Return the greatest δ over all tests of the value and two others, by a program. Args: told, as `law`."""
    program = profile_program(phis, odds, (0, 1), [((F(1, 2),) * 2,) * 2] * 2)
    weights = [told[0], {path: -odds * p for path, p in told[1].items()}]
    objective = [
        (index, weights[a].get(path))
        for index, (a, *path) in enumerate(product(range(2), repeat=3))
        for path in [tuple(path)]
    ]
    objective = tuple((index, p) for index, p in objective if p)
    return solve(replace(program, objective=objective)).objective


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
        return len(set(not_concave())) == 1
    steps, odds = chain(draw), draw.choice([F(1), F(3, 2), F(2)])
    told, phis = law(*steps), [trade_off(draw)] * 3
    if without == "markov":
        told, steps = any_law(draw)
    if without == "commuting":
        phis = [trade_off(draw) for _ in range(3)]
    allowed = [TradeOff.approximate(F(4), F(1, 3))] * 3 if without == "tests" else phis
    if without == "symmetric":
        phis = [TradeOff.least([(ratio(draw), F(1, 20))])] * 3
        allowed = [phi.symmetric() for phi in phis]
    side = ProfileSide(tuple(phis), steps)
    if without == "causal":
        side = ProfileSide((phis[0], phis[1]), (((F(1, 2),) * 2,) * 2,))  # the release alone: its own values are all
    return abs(float(pair_bound(side, odds, (0, 1)).delta) - best_test(allowed, odds, told)) < NEAR


def first(draw, without):
    """TPL in the middle of three releases: the bound with the past first, against the program over all tests."""
    odds, phi = draw.choice([F(1), F(3, 2), F(2)]), trade_off(draw)
    told, past, future = middle(draw, without)
    allowed = TradeOff.approximate(F(4), F(1, 3)) if without == "tests" else phi
    one, other = (ProfileSide((phi, phi), (own,)) for own in (past, future))
    bound = one_side_first(told_together(one, (0, 1)), other, odds=odds, pair=(0, 1)).bound.delta
    return best_test([allowed] * 3, odds, told) <= float(bound) + NEAR


def places(draw, without):
    """A test of one release on each side, by places: each neighbour's probability, by its definition."""
    near = far = trade_off(draw)
    if without == "commuting":
        far = trade_off(draw)
    if without == "rising":
        near = far = lambda u, phi=near: u if F(1, 3) <= u < F(2, 3) else phi(u)
    start, at, beyond = F(draw.randint(0, 40), 40), *([F(draw.randint(0, 40), 40) for _ in range(2)] for _ in range(2))

    def clamped(x, u, phi):
        return min(max(x, u), phi(u))

    inner = [clamped(x, start, far) for x in beyond]
    chance = {(a, b): clamped(at[a], inner[b], near) for a in range(2) for b in range(2)}
    one, other = (all(chance[p] <= phi(chance[q]) for p, q in pairs) for phi, pairs in ((near, ACROSS), (far, ALONG)))
    return one and other


ACROSS = [((a, b), (1 - a, b)) for a in range(2) for b in range(2)]
ALONG = [((a, b), (a, 1 - b)) for a in range(2) for b in range(2)]


def one_pass(draw, without):
    """The recursion on whole numbers, from release to release: no m is above an earlier M, or below an earlier m."""
    top, n = 5, 3
    phi = sorted(draw.randint(0, top) for _ in range(top + 1))
    phi = [max(u, own) for u, own in enumerate(phi)]
    g = [[F(draw.randint(0, 3) * phi[u] - draw.randint(1, 3) * u) for u in range(top + 1)] for _ in range(n)]
    low, high = F(-(10**9)), F(10**9)
    for _ in range(4):
        f = [[max(own[u : phi[u] + 1]) for u in range(top + 1)] for own in g]
        m = max(map(sum, zip(*f, strict=True)))
        if not low <= m <= high:
            return False
        low, high = m, min(high, sum(map(max, f)))
        step = rows(draw, n)
        if without == "stochastic":
            step = [[p * draw.choice([F(1, 2), F(3)]) for p in row] for row in step]
        g = [[sum(step[a][b] * f[a][u] for a in range(n)) for u in range(top + 1)] for b in range(n)]
    return True


def enough(draw, without):
    """The same, until φ has led 0 to the top: from then on m and M are one number."""
    top, n = 5, 3
    phi = sorted(draw.randint(0, top) for _ in range(top))
    phi = [max(u + (without != "led"), own) for u, own in enumerate(phi)] + [top]
    g = [[F(draw.randint(0, 3) * phi[u] - draw.randint(1, 3) * u) for u in range(top + 1)] for _ in range(n)]
    at, ends = 0, []
    for _ in range(2 * top):
        f = [[max(own[u : phi[u] + 1]) for u in range(top + 1)] for own in g]
        at = phi[at]
        if at == top or (without == "led" and len(ends) < 2):
            ends += [max(map(sum, zip(*f, strict=True))), sum(map(max, f))]
        step = rows(draw, n)
        if without == "stochastic":
            step = [[p * draw.choice([F(1, 2), F(3)]) for p in row] for row in step]
        g = [[sum(step[a][b] * f[a][u] for a in range(n)) for u in range(top + 1)] for b in range(n)]
    return len(set(ends)) == 1


def by_lines(draw, without):
    """TPL in the middle of three releases: the bound at one slope, against the program over all tests."""
    odds, slope, phi = draw.choice([F(1), F(3, 2), F(2)]), draw.choice([F(1, 2), F(1), F(3, 2)]), trade_off(draw)
    told, past, future = middle(draw, without)
    allowed = TradeOff.approximate(F(4), F(1, 3)) if without == "tests" else phi
    one = pair_bound(ProfileSide((phi, phi), (past,)), slope, (0, 1)).delta
    other = pair_bound(ProfileSide((IGNORED, phi), (future,)), odds / slope, (0, 1)).delta
    return best_test([allowed] * 3, odds, told) <= float(one + slope * other) + NEAR


def lfp(draw, without):
    """The optimum at the corners of the box, against sets and the divergence."""
    q, d = rows(draw, 3)[:2]
    if without == "rows":
        q = tuple(p * draw.randint(2, 3) for p in q)
    a, least = ratio(draw), said("lfp", r"x \in [", ",")()
    corners = list(product((F(least), a), repeat=3))
    most = max(sum(map(F.__mul__, q, x)) / sum(map(F.__mul__, d, x)) for x in corners)
    piece, stick = said("lfp", "g_S(E) = ", "$ over"), said("lfp", "and\n\n$$", "=")
    of_sets = max(piece(q=dot(q, s), d=dot(d, s), E=a - 1) for s in product((0, 1), repeat=3))
    divergence = sum(max(F(0), own - most * other) for own, other in zip(q, d, strict=True))
    at = most + F(draw.randint(-1, 1), 10)
    within = sum(max(F(0), own - at * other) for own, other in zip(q, d, strict=True))
    rule = (most <= at) is (within <= said("lfp", r"^+ \le ", "$")(most=at, E=a - 1))
    return rule and most == of_sets and stick(most=most, E=a - 1) == divergence


def pieces(draw, without):
    """Two pieces are equal at one place at most, and there."""
    (q, d), (p, c) = ([F(draw.randint(0, 10), 10) for _ in range(2)] for _ in range(2))
    k, one, other = (
        [F(draw.randint(1, 3)) for _ in range(4)],
        *(said("pieces", mark, "$") for mark in ("ces $", "and $")),
    )

    def apart(e):
        if without:
            return (q * e + k[0]) * (c * e + k[3]) - (p * e + k[2]) * (d * e + k[1])
        return one(q=q, d=d, E=e) - other(p=p, c=c, E=e)

    places = [F(k, 12) for k in range(1, 400)]
    same = [e for e in places if apart(e) == 0]
    above = [apart(e) > 0 for e in places if e not in same]
    turns = sum(one != other for one, other in pairwise(above))
    meet = said("pieces", "$E = ", "$")(q=q, d=d, p=p, c=c) if q * c != p * d else F(0)
    return len(same) == len(places) or (turns <= 1 and all(e == meet for e in same))


def recursion_rises(draw, without):
    """The recursion after many steps, against the roots of all points."""
    own, e = rows(draw, 3, draw.randrange(2)), F(1) if without == "budgeted" else ratio(draw)
    turns = [own, rows(draw, 3) if without == "steady" else own]
    doubles = [[[float(p) for p in row] for row in one] for one in turns]
    x = float(e)
    for step in range(2000):
        x, before = min(float(e) * gain(doubles[step % 2], x), 1e9), x
        if x == before and turns[0] == turns[1]:
            break
    pairs = list(permutations(own, 2))
    points = [(dot(q, s), dot(d, s)) for q, d in pairs for s in product((0, 1), repeat=3)]
    none, one = (said("supremum", *marks)() for marks in (("$d = ", "$"), (r"\varepsilon \ge ", "$")))
    unbounded = any(d == none and q * e >= one for q, d in points)
    says = supremum(loss_function(matrix(own)), Level.of_ratio(e)).level if e > 1 else None
    if says and says.is_infinite is not unbounded:
        return False
    if unbounded:
        return x > 500
    root = said("supremum", "root of $", "= 0")  # the greatest of the roots is where no point is below 0, and one at it
    at = F(x) + said("supremum", r"\sup}", "$")()
    least = min(float(root(d=d, q=q, a=e, E=at)) for q, d in points)
    same = says is None or abs(float(says.enclosure(12).upper) - log(x)) < 1e-6
    return same and abs(least) < 1e-6 * x


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

    def tpl(epsilon):
        x = [1.0, 1.0]
        for step in range(150):
            own = [STAYS] * 2 if without == "steady" and step % 2 else doubles
            x = [exp(epsilon) * gain(side, at) for side, at in zip(own, x, strict=True)]
        return log(x[0]) + log(x[1]) - epsilon

    return tpl(found) <= log(3) + NEAR < tpl(found * 1.01)


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
    held = (
        REFUTERS[name](Random(f"{name} {seed}"), without) for seed in range(DRAWS if without is None else 30 * DRAWS)
    )
    assert all(held) is (without is None)


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
