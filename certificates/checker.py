"""The certificate checker: trusted, the standard library alone, nothing shared with what makes certificates.

    python checker.py [--work N] FILE
    exit 0: it holds; 1: it does not, and the first step that fails; 2: no such file; 3: not decided within the limits

Here are the proofs, and only they. Beside it are `rows.py`, what they do with a matrix, `trade_off.py`, what they do
with (ε, δ), and `reading.py`: numbers, levels, limits and what counts towards them.

α ∈ [0, ∞] is a level, A = e^α, E = A − 1; q and d are distributions, q_S = Σ_{j∈S} q_j. Everything rests on:

(U) For λ ≥ 1, E > 0: q·x ≤ λ d·x on the whole box x ∈ [1, A]^n iff Σ_j (q_j − λ d_j)^+ ≤ (λ − 1)/E. Proof: with
    c = q − λ d the greatest c·x on the box is Σ c_j + E Σ c_j^+ = 1 − λ + E Σ c_j^+. At E = ∞: q_j ≤ λ d_j for all j.
    λ = A always passes, since Σ_j (q_j − A d_j)^+ ≤ Σ_j q_j = 1: L(α) ≤ α.
(S) x = A on S, 1 elsewhere is in the box: e^L ≥ g_S = (q_S E + 1)/(d_S E + 1) for every S. g_S rises with E when
    q_S ≥ d_S, and e^L as the box grows: bounds below α give lower bounds of L(α), bounds above it upper ones.
(P) For two pieces (q, d), (q', d') and E > 0 the sign of g − g' is that of (q − q') + (d' − d) + E (q d' − q' d):
    linear in E, so that a piece which is greatest at both ends of an interval is greatest within. At E = 0 the
    constant decides: q − d is the greatest Σ_j (q_j − d_j)^+. At E = ∞ the slope: q'_j d ≤ d'_j q for all j.
(D) Charnes–Cooper: maximise q·y, d·y = 1, t ≤ y_j ≤ A t. If u, w ≥ 0, q − λ d = w − u and Σ u = A Σ w, then
    q·y = λ + Σ w_j y_j − Σ u_j y_j ≤ λ + A t Σ w − t Σ u = λ for every feasible y.

With a budget ε at every time the leakages have A_1 = e^ε and A_{t+1} = e^ε e^L(A_t); e^L ≥ 1 rises, so they do.

(B) If U ≥ e^ε and e^ε e^L(U) ≤ U, then A_t ≤ U gives A_{t+1} ≤ e^ε e^L(U) ≤ U: the leakage never exceeds log U.
(V) If V < ∞, e^ε g_S(V) ≥ V and ε > 0, then e^ε g_S > A on [1, V), for g_S is concave in A where q_S ≥ d_S, and
    e^ε g_S > 1 at A = 1. So no limit of A_t, at which e^ε e^L = A, is below V. (V = 1 needs nothing.)
(G) If d_S = 0, q_S e^ε ≥ 1 and ε > 0, then A_{t+1} ≥ e^ε (q_S (A_t − 1) + 1) ≥ A_t + e^ε (1 − q_S): it grows without
    bound if q_S < 1; if q_S = 1, then A_{t+1} ≥ e^ε A_t. At ε = ∞ it is infinite at once, and every S will do.

All these are about the recursion. The worst-case kinds are about all mechanisms that are ε_s-differentially private at
each time s. One sequence of outputs has likelihoods m_s(a) with m_s(a) ≤ e^{ε_s} m_s(b), by scale in [1, e^{ε_s}];
given the value at t the past has f ↦ m ∘ f and f ↦ P f from f = 1 on, and the ratio for two values j, k is P_j f / P_k
f.

(W) Let c = P_j − λ P_k at the release nearest to t, and from each release to the next farther one c ↦ P^T Φ(c), P the
    matrix of that step, with
    Φ(c)_a = e^ε c_a where c_a > 0 and c_a elsewhere. For f, m ≥ 0: c·(m ∘ f) ≤ Φ(c)·f, and c·(P f) = (P^T c)·f. So
    if Σ_a Φ(c)_a ≤ 0 at the farthest, where f = 1, then P_j f ≤ λ P_k f for every mechanism. Φ and P^T are monotone:
    it may be rounded upward; where c ≤ 0 it remains so. The future is the same with P^F and the order reversed.
    As Σ Φ(c) ≥ Σ c = Σ P^T c, the sum falls at no step: λ holds for the nearest of these releases as well. Where every
    e^ε is 1, m and f are constant: no ratio is above 1.
(Z) The same matrix and budget at all steps: let Ψ^d(h) ≤ θ h, Ψ(c) = P^T Φ(c), d ≥ 1, 0 ≤ θ < 1. Then Σ h ≤ Σ Φ(h) =
    Σ Ψ(h) ≤ Σ Ψ^d(h) ≤ θ Σ h, so Σ h ≤ 0 and Σ Φ(h) ≤ 0. If c ≤ γ h for a γ ≥ 0 at some release, then c ≤ γ θ^s h after
    s·d releases more, and Σ Φ(c) ≤ 0 there; by (W) at the nearer ones too. So λ holds however many releases there are.
    (h = 0: where c ≤ 0.)
(Y) Randomized response to “is the value in S_s?” has m = e^ε on S_s, 1 elsewhere for the answer yes: f for all answers
    yes, rounded either way, bounds the greatest ratio from below.

(X) Disjoint sets, which each lead into one of them surely, no two into the same: the sets in which a chain from one of
    them is, and a chain from another is not, asked about at all times, have odds e^ε at each: without bound. Or a set
    C, w ≥ 0 on it with e^ε w P_CC ≥ w, of which some leaves C, and a set outside of C that nothing leaves: S_s = C
    gives f = 1 there, and on C w·(m ∘ P f) ≥ w·f + e^ε w P_{C, out}·1, without bound.

Given the value at t, past, present and future are independent: their ratios are multiplied.

(M) Chains θ with a prior, each stationary: π_j P^F_jk = π_k P^B_kj. With w_θ(j) = Pr(θ | l^t = j), in proportion to
    prior_θ π_θ(j), and the likelihoods x_θ(j) ≤ r_θ(j, k) x_θ(k) given θ, Σ_θ w_θ(j) x_θ(j) is at most the greatest
    r_θ(j, k) w_θ(j)/w_θ(k) times Σ_θ w_θ(k) x_θ(k). From below, the x_θ are those of (Y), the same sets for every θ.

The profile kinds are about releases that are (ε, δ)-private each: (F), in `trade_off.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from operator import le, sub
from typing import TYPE_CHECKING

if TYPE_CHECKING or __package__:
    from .reading import MOST_WORK, ZERO, Kinds, Level, Node, NotDecided, Pair, Rejected, Spent, command, examined, read
    from .rows import NO_ROWS, Matrix, Steps
    from .trade_off import asked, attained, greatest_delta
else:  # all in one folder, or in one archive
    from reading import MOST_WORK, ZERO, Kinds, Level, Node, NotDecided, Pair, Rejected, Spent, command, examined, read
    from rows import NO_ROWS, Matrix, Steps
    from trade_off import asked, attained, greatest_delta

__all__ = ["MOST_WORK", "NotDecided", "Rejected", "check", "main", "read"]

MOST_SWEPT, MOST_BARRIERS = 10**6, 100
EVERY_STEP, ONE_CHAIN = "each matrix is that of all steps", "the matrices are those of one chain"
OWN_STEP = "each matrix is that of its step"
NOT_ADAPTIVE = "mechanisms after a time do not depend on earlier outputs"
STATIONARY = "the values are one of the chains, with the probabilities of the prior, and stationary"
CAUSAL = "releases up to the time read no later values, or for a forward matrix those from it on no earlier ones"
BOTH_OCCUR, ALL_OCCUR = "both values can occur", "the values can occur at all times"


def _lfp_optimum(it: Node) -> None:
    bits, n = it["digits"].bits(), len(it["q"].states())
    both, at = Matrix.of(it["q"], it["q"], it["d"], n=n), it["alpha"].level(bits)
    (q, d), common = both.rows, both.common
    pair = Matrix([q], [d], common)
    reached = pair.attained(pair.sums(Node("rows", [1, 1], it.spent), it["subset"]), at)
    pair.loss_at_most(it["value"], at, it["value"].encloses(bits, reached, ZERO)[1])
    if at.lower != at.upper or at.lower[1] == 0:
        it["primal"].null(": the ratio is not rational")
        it["dual"].null(": the ratio is not rational")
        return
    primal, dual = it["primal"].having("t y"), it["dual"].having("lambda u w")
    (a, b), (above, below) = dual["lambda"].number().as_integer_ratio(), at.lower
    t = primal["t"].number()
    (y, u, w), one = dual.over_one(primal["y"], dual["u"], dual["w"], n=n)
    q_y, d_y = dual.products([q, d], y, common)
    primal["y"].require(d_y == common * one, "d y = 1 fails")
    primal["y"].require(min(y) >= t * one and max(y) * below <= above * t * one, "t <= y_j <= A t fails")
    primal["y"].require(q_y * b == a * common * one, "q y = lambda fails")
    slopes = list(map(sub, dual.scaled(b * one, q), dual.scaled(a * one, d)))
    dual["u"].require(slopes == dual.scaled(common * b, list(map(sub, w, u))), "q - lambda d = w - u fails")
    dual["u"].require(sum(u) * below == above * sum(w), "sum u = A sum w fails")
    it["subset"].require(reached.lower[0] * b == a * reached.lower[1], "the columns do not give lambda")


def _loss(it: Node) -> None:
    bits, p = it["digits"].bits(), Matrix.of(it["matrix"])
    at = it["alpha"].level(bits)
    claim = it["loss"].encloses(bits, p.attained(p.sums(it["rows"], it["subset"]), at), ZERO)
    p.loss_at_most(it["loss"], at, claim[1])
    it["level"].encloses(bits, *claim)


def _loss_function(it: Node) -> None:
    p, pieces, sums, end = Matrix.of(it["matrix"]), it["pieces"].steps(), (0, 0), ZERO
    for piece in pieces:
        piece.having("q d from to rows subset")
        before, sums = sums, p.sums(piece["rows"], piece["subset"])
        for name, total in zip("qd", sums, strict=True):
            given = piece[name].number() * p.common
            piece[name].require(given == total, f"it is not the sum of row {name} over the columns")
        zero = sums == (0, 0) and len(pieces) == 1
        piece.require(zero or sums[0] > sums[1], "q = d is for L = 0 alone: one piece with q = d = 0")
        start = piece["from"].level(0)
        piece["from"].require(start <= end <= start, "the piece does not begin where the one before ends")
        end = piece["to"].level(0)
        piece["to"].require(not end <= start, "the piece ends before it begins")
        if piece is pieces[0]:
            p.none_exceeds(piece, (1, 1), 1, sums[0] - sums[1])
            continue
        value, ending = p.attained(sums, start), p.attained(before, start)
        piece.require(sums != before, "it is the same as the piece before")
        piece.require(value <= ending <= value, "the piece before has another value where it ends")
        p.loss_at_most(piece, start, value)
    pieces[-1].require(end.upper[1] == 0, "the last piece does not end at inf")
    p.none_exceeds(pieces[-1], sums, 1, 0)


def _leakage(it: Node) -> None:
    bits = it["digits"].bits()
    budgets = [node.level(bits) for node in it["epsilons"].steps()]
    n = len(budgets)
    past, future = _of_steps(it, n)
    totals = [(ZERO, ZERO)] * n
    for role, known, times in ("bpl", past, range(n)), ("fpl", future, range(n)[::-1]):
        steps, at = it[role].items(n, n), (ZERO, ZERO)
        for t in times:
            step = steps[t].having("rows subset loss bounds level")
            p = NO_ROWS if not known.matrices or (t == times[0] and not known.is_one) else known.at(t - (role == "bpl"))
            claim = step["loss"].encloses(bits, p.attained(p.sums(step["rows"], step["subset"]), at[0]), ZERO)
            p.loss_at_most(step["loss"], at[1], claim[1])
            at = step["bounds"].encloses(bits, budgets[t] + claim[0], budgets[t] + claim[1])
            step["level"].encloses(bits, *at)
            totals[t] = at if role == "bpl" else (totals[t][0] + claim[0], totals[t][1] + claim[1])
    for total, node in zip(totals, it["tpl"].items(n, n), strict=True):
        node.encloses(bits, *total)


def _bounded(it: Node) -> None:
    bits, p = it["digits"].bits(), Matrix.of(it["matrix"])
    budget, bound = it["epsilon"].level(bits), it["bound"].finite(bits)
    it["bound"].require(budget <= bound, "it is below epsilon")
    (a, b), (c, d) = bound.lower, budget.upper
    p.loss_at_most(it["bound"], bound, ZERO if bound <= budget else Level((a * d, b * c), (a * d, b * c)))
    it["level"].require(bound <= it["level"].level(bits), "it is below the bound")


def _bounded_below(it: Node) -> None:
    bits, p = it["digits"].bits(), Matrix.of(it["matrix"])
    budget, bound = it["epsilon"].level(bits), it["bound"].finite(bits)
    (a, b) = budget.lower
    it["epsilon"].require(a > b or bound <= ZERO, "it is not positive")
    reached = budget + p.attained(p.sums(it["rows"], it["subset"]), bound)
    it["bound"].require(bound <= reached, "the leakage after it is not proved to be as great")
    it["level"].require(it["level"].level(bits) <= bound, "it is above the bound")


def _divergent(it: Node) -> None:
    bits, p = it["digits"].bits(), Matrix.of(it["matrix"])
    (a, b), (q, d) = it["epsilon"].level(bits).lower, p.sums(it["rows"], it["subset"])
    it["epsilon"].require(a > b, "it is not positive")
    it["subset"].require(d == 0, "the sum of d over the columns is not 0")
    it["subset"].require(q * a >= p.common * b, "q e^epsilon is not proved to be 1 or more")


def _of_steps(it: Node, releases: int) -> list[Steps]:
    """Return the matrices of the steps between releases, without any where they are not known."""
    known = [Steps.of(it[key], releases - 1) for key in ("backward", "forward")]
    it["forward"].require(len({own.n for own in known if own.n}) < 2, "it is not as large as the other matrix")
    return known


def _assumed(it: Node, known: list[Steps], *others: str) -> None:
    """Reject unless what is assumed are these texts, and which matrix is that of which step."""
    it["assumed"].texts(EVERY_STEP if all(own.is_one for own in known) else OWN_STEP, *others)


def _sides(it: Node, known: list[Steps]) -> Iterator[tuple[str, Node, Steps]]:
    """Yield the claims about the past and the future, each where its matrices are known, and these."""
    for key, own in zip(("past", "future"), known, strict=True):
        if own.n:
            yield key, it[key], own
        else:
            it[key].null(": there is no matrix")


def _claimed(level: Node, claim: Level, budget: Level, products: dict[Pair, Fraction]) -> None:
    """Reject unless the claim is at least a budget and the greatest of the products."""
    best = max(products.values(), default=Fraction(1)).as_integer_ratio()
    level.at_most(budget if best == (1, 1) else budget + Level(best, best), claim, "it is not proved")


def _swept(
    it: Node, known: list[Steps], budgets: list[Level], bits: int, times: list[int]
) -> list[dict[Pair, Fraction]]:
    """Return for each time the products of the two λ of each pair; reject unless (W) proves them."""
    above = [it.grid(budget.upper, bits, up=True) for budget in budgets]
    products: list[dict[Pair, Fraction]] = [{} for _ in times]
    for key, node, steps in _sides(it, known):
        tables, longest = node.items(len(times), len(times)), list[Pair]()
        for index in range(len(times))[:: -1 if key == "past" else 1]:  # those with most releases on that side first
            own = steps.sweeps(above, times[index], key == "past")
            if longest[: len(own)] != own or not longest:
                longest, proved = own, dict[Pair, Fraction]()
            for entry, pair, ratio in tables[index].ratios(steps.n):
                if any(e > 1 << bits for e, _ in own) and (pair not in proved or ratio < proved[pair]):
                    steps.swept(entry, steps.matrices[own[0][1]].first(entry, pair, ratio, bits), own, bits)
                    proved[pair] = ratio
                products[index][pair] = products[index].get(pair, 1) * ratio
    return products


def _worst_case_upper(it: Node) -> None:
    bits, nodes = it["digits"].bits(), it["epsilons"].steps()
    budgets, n = [node.finite(bits) for node in nodes], len(nodes)
    known = _of_steps(it, n)
    _assumed(it, known, NOT_ADAPTIVE)
    times = list(range(n)) if it["time"].value is None else [it["time"].integer(1, n) - 1]
    products, claim = _swept(it, known, budgets, bits, times), it["level"].level(bits)
    for t, product in zip(times, products, strict=True):
        _claimed(it["level"], claim, budgets[t], product)


def _worst_case_lower(it: Node) -> None:
    bits = it["digits"].bits()
    budgets = [node.finite(bits) for node in it["epsilons"].steps()]
    known = _of_steps(it, len(budgets))
    _assumed(it, known, BOTH_OCCUR, ONE_CHAIN)
    t = it["time"].integer(1, len(budgets)) - 1
    j, k = it["rows"].indices(max(own.n for own in known))
    it["rows"].require(j != k, "two values are expected")
    reached = budgets[t]
    for key, steps, (own, places) in zip(("past", "future"), known, _farthest_first(budgets, t), strict=True):
        count = len(own) if steps.n else 0
        if sets := it[key].items(count, count):
            f = [steps.answered(sets, own, places, bits, up) for up in (False, True)]
            ratio = f[0][j], f[1][k]
            if ratio[0] > ratio[1]:  # else nothing is lost by asking nothing
                reached += Level(ratio, ratio)
    it["level"].require(it["level"].level(bits) <= reached, "it is not attained")


def _farthest_first(budgets: list[Level], t: int) -> list[tuple[list[Level], list[int]]]:
    """Return the budgets before t, and after it, the farthest first, and which step leads there from the nearer one."""
    return [(budgets[:t], list(range(t))), (budgets[:t:-1], list(range(t, len(budgets) - 1))[::-1])]


def _candidates(it: Node, keys: str) -> list[tuple[Node, list[Matrix], list[int]]]:
    """Return each chain, its two matrices and w_θ, times one number for each value; reject unless (M) is about them."""
    nodes = [node.having(f"stationary backward forward{keys}") for node in it["chains"].states()]
    known = [[Matrix.of(node["backward"]), Matrix.of(node["forward"])] for node in nodes]
    (prior,), whole = it["prior"].over_one(it["prior"], n=len(nodes))
    rows, common = it["chains"].over_one(*[node["stationary"] for node in nodes], n=len(known[0][0].rows))
    it["prior"].require(sum(prior) == whole and min(prior) > 0, "it is not a distribution without zeros")
    for node, (p, q), row in zip(nodes, known, rows, strict=True):
        node["forward"].require(len(p.rows) == len(q.rows) == len(row), "it is not as large as the others")
        node["stationary"].require(sum(row) == common and min(row) > 0, "it is not a distribution without zeros")
        onward = [node.scaled(x * p.common, own) for x, own in zip(row, q.rows, strict=True)]
        back = [node.scaled(x * q.common, own) for x, own in zip(row, p.rows, strict=True)]
        node["backward"].require(list(zip(*onward, strict=True)) == list(map(tuple, back)), "it is not the reversal")
    return [(node, own, node.scaled(x, row)) for node, own, x, row in zip(nodes, known, prior, rows, strict=True)]


def _mixture_upper(it: Node) -> None:
    it["assumed"].texts(EVERY_STEP, STATIONARY)
    bits, nodes, candidates = it["digits"].bits(), it["epsilons"].steps(), _candidates(it, " past future")
    budgets, t, claim = (
        [node.finite(bits) for node in nodes],
        it["time"].integer(1, len(nodes)) - 1,
        it["level"].level(bits),
    )
    sums = [it.total(list(own), sum(own)) for own in zip(*[w for _, _, w in candidates], strict=True)]
    for node, known, w in candidates:
        (ratios,) = _swept(node, [Steps([p]) for p in known], budgets, bits, [t])
        mixed = {
            (j, k): node.weighed(ratio, node.multiplied(w[j], sums[k]), node.multiplied(w[k], sums[j]))
            for (j, k), ratio in ratios.items()
        }
        _claimed(it["level"], claim, budgets[t], mixed)


def _mixture_lower(it: Node) -> None:
    it["assumed"].texts(EVERY_STEP, STATIONARY)
    bits, candidates = it["digits"].bits(), _candidates(it, "")
    budgets = [node.finite(bits) for node in it["epsilons"].steps()]
    t = it["time"].integer(1, len(budgets)) - 1
    both = zip(("past", "future"), _farthest_first(budgets, t), strict=True)
    sides = [(it[key].items(len(own), len(own)), own, places) for key, (own, places) in both]
    j, k = it["rows"].indices(len(candidates[0][2]))
    it["rows"].require(j != k, "two values are expected")
    sums = [it.total(list(own), sum(own)) for own in zip(*[w for _, _, w in candidates], strict=True)]

    def told(value: int, up: bool) -> int:
        each = [
            [Steps([p]).answered(*own, bits, up)[value] for p, own in zip(known, sides, strict=True)]
            for _, known, _ in candidates
        ]
        return sum(it.multiplied(w[value], *f) for (_, _, w), f in zip(candidates, each, strict=True))

    low, high = told(j, up=False), told(k, up=True)
    ratio = it.multiplied(low, sums[k]), it.multiplied(high, sums[j])
    reached = budgets[t] + Level(ratio, ratio) if ratio[0] > ratio[1] else budgets[t]
    it["level"].require(it["level"].level(bits) <= reached, "it is not attained")


def _stops(node: Node, c: list[int], h: list[int]) -> bool:
    """Whether c ≤ γ h for some γ ≥ 0: the least that the positive entries of h allow is tried."""
    a, b = node.least_multiple(c, h)
    return all(map(le, node.scaled(b, c), node.scaled(a, h)))


def _worst_case_forever(it: Node) -> None:
    it["assumed"].texts(EVERY_STEP, NOT_ADAPTIVE)
    bits, products = it["digits"].bits(), dict[Pair, Fraction]()
    budget = it["epsilon"].finite(bits)
    above = it["epsilon"].grid(budget.upper, bits, up=True)
    known = _of_steps(it, 1)
    it["backward"].require(all(own.is_one for own in known), "one matrix for all steps is expected, of either role")
    for _, side, steps in _sides(it, known):
        p = steps.at(0)
        most = side.having("steps barriers ratios")["steps"].integer_within(0, MOST_SWEPT, "steps")
        barriers = [p.barrier(node, above, bits) for node in side["barriers"].some(MOST_BARRIERS, 0)]
        for entry, pair, ratio in side["ratios"].ratios(len(p.rows)):
            c, left = p.first(entry, pair, ratio, bits), most
            while max(c) > 0 and not any(_stops(entry, c, h) for h in barriers):
                entry.require(left > 0, "the sweep is not over after the steps that are stated")
                c, left = p.stepped(entry, p.weighted(entry, c, above, bits)), left - 1
            products[pair] = products.get(pair, 1) * ratio
    _claimed(it["level"], it["level"].level(bits), budget, products)


def _worst_case_divergent(it: Node) -> None:
    it["assumed"].texts(EVERY_STEP, ALL_OCCUR)
    bits, p, onward, weights = it["digits"].bits(), Matrix.of(it["matrix"]), it["next"], it["weights"]
    (a, b), n, nodes = it["epsilon"].finite(bits).lower, len(p.rows), it["sets"].items(2, len(p.rows))
    it["epsilon"].require(a > b, "it is not positive")
    sets = [node.columns(n) for node in nodes]
    meet = sum(map(len, sets)) > len(set().union(*sets))
    it["sets"].require(all(sets) and not meet, "a set is empty, or two of them meet")
    if weights.value is None:
        targets = onward.indices(len(sets), len(sets), len(sets))
        onward.require(len(set(targets)) == len(sets), "two sets lead into the same")
        for node, values, to in zip(nodes, sets, targets, strict=True):
            node.require(p.leads(values, sets[to]), "it does not lead into the next surely")
        return
    onward.null(" beside weights")
    it["sets"].require(len(sets) == 2, "two sets are expected beside weights")
    it["sets"].require(p.leads(sets[1], sets[1]), "the second set is left")
    (w,), _ = weights.over_one(weights, n=len(sets[0]))
    after = weights.products([[column[i] for i in sets[0]] for column in p.columns], w, p.common)
    within = [after[j] for j in sets[0]]
    weights.require(sum(after) > sum(within), "nothing leaves the first set")
    kept = map(le, weights.scaled(b * p.common, w), weights.scaled(a, within))
    weights.require(all(kept), "e^epsilon w P >= w is not proved")


def _profile_upper(it: Node) -> None:
    it["assumed"].texts(EVERY_STEP, CAUSAL)
    p, phi, releases = asked(it, up=True)
    bits = it["digits"].bits()
    odds = Fraction(it["alpha"].grid(it["alpha"].finite(bits).lower, bits, up=False), 1 << bits)
    found = greatest_delta(it["alpha"], p, phi, odds, releases=releases, bits=bits)
    it["delta"].require(found <= it["delta"].number(), "some stream is not proved to have no more at alpha")


def _profile_lower(it: Node) -> None:
    it["assumed"].texts(EVERY_STEP, BOTH_OCCUR)
    p, phi, releases = asked(it, up=False)
    bits, n = it["digits"].bits(), len(p.rows)
    odds = Fraction(it["alpha"].grid(it["alpha"].finite(bits).upper, bits, up=True), 1 << bits)
    j, k = it["rows"].indices(n)
    it["rows"].require(j != k, "two values are expected")
    peaks = [[entry.number() for entry in node.items(n, n)] for node in it["peaks"].items(releases - 1, releases - 1)]
    start = it["start"].number()
    it["peaks"].require(all(x <= 1 for own in peaks for x in own), "a probability is above 1")
    it["start"].require(start <= 1, "it is above 1")
    first, second = attained(it["peaks"], p, phi, (j, k), peaks, start)
    it["delta"].require(it["delta"].number() <= first - odds * second, "it is not attained at alpha")


_KINDS: Kinds = {
    "lfp-optimum": (_lfp_optimum, "digits q d alpha subset value primal dual"),
    "loss": (_loss, "digits matrix alpha rows subset loss level"),
    "loss-function": (_loss_function, "matrix pieces"),
    "leakage": (_leakage, "digits backward forward epsilons bpl fpl tpl"),
    "bounded": (_bounded, "digits matrix epsilon bound level"),
    "bounded-below": (_bounded_below, "digits matrix epsilon rows subset bound level"),
    "divergent": (_divergent, "digits matrix epsilon rows subset"),
    "worst-case-upper": (_worst_case_upper, "digits assumed backward forward epsilons time past future level"),
    "worst-case-lower": (_worst_case_lower, "digits assumed backward forward epsilons time rows past future level"),
    "worst-case-forever": (_worst_case_forever, "digits assumed backward forward epsilon past future level"),
    "worst-case-divergent": (_worst_case_divergent, "digits assumed matrix epsilon sets next weights"),
    "mixture-upper": (_mixture_upper, "digits assumed prior chains epsilons time level"),
    "mixture-lower": (_mixture_lower, "digits assumed prior chains epsilons time rows past future level"),
    "profile-upper": (_profile_upper, "digits assumed matrix epsilon delta_per_release releases alpha delta"),
    "profile-lower": (
        _profile_lower,
        "digits assumed matrix epsilon delta_per_release releases rows peaks start alpha delta",
    ),
}


def check(text: str, most_work: int = MOST_WORK) -> str:
    """Return the kind of a certificate that holds.

    Raises: Rejected with the first step that fails; NotDecided with the limit that is reached first; nothing else.
    """
    return examined(text, Spent(most_work), _KINDS)


def main(arguments: list[str]) -> int:
    """Check the one file named, print the verdict, return the exit status."""
    return command(arguments, check)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
