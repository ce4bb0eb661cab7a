"""Bounding leakage: Algorithms 7 and 8 [algo:release1, algo:release2], their equations, Figures 8 and 9."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from ..reference.allocation import algorithm_8, budgets
from ..reference.correlations import TransitionMatrix, smooth, strongest
from ..reference.errors import InfeasibleBudget
from ..reference.leakage import Adversary, leakage
from ..reference.levels import ZERO, Level
from ..reference.loss import LossFunction, loss_function
from ..reference.precomputation import algorithm_2
from ..reference.supremum import algorithm_6, supremum
from ..reference.utility import mean_noise
from ..solvers.bisection import bisected_algorithm_7, bisected_algorithm_8
from . import transcriptions as printed
from .claims_leakage import _no_such_chain, _odds_ratio
from .families import log, matrices, matrix, nats, shown
from .provers import identity, prove, sympy_algebra, z3_prover
from .register import Claim, EvidenceFailed, Item, Kind, Verdict, evidence, exhausted, require
from .transcriptions import Looping, Watch

IDENTITY = matrix("1 0", "0 1")
SYMMETRIC = matrix("4/5 1/5", "1/5 4/5")
FIGURE_8 = SYMMETRIC, matrix("4/5 1/5", "1/10 9/10")
ONE = Level.of(1)


@evidence(Kind.IDENTITY, "general")
def _three_equations() -> str:
    """L^B(x) + ε = x, L^F(y) + ε = y, x + y − ε = α give L^B(x) + y = α and L^F(y) + x = α, and back."""
    x, y, epsilon, alpha, lost_b, lost_f = sympy_algebra().symbols("x y epsilon alpha LB LF")
    third = x + y - epsilon
    identity(lost_b + y - third, lost_b + epsilon - x, "[eq:release2_a]")
    identity(lost_f + x - third, lost_f + epsilon - y, "[eq:release2_b]")
    del alpha
    return "L^B + y = α ⟺ L^B + ε = x, where x + y − ε = α; and the same for L^F"


@evidence(Kind.DECISION, "proved for one point, all reals; L is the maximum over points by the human step",
          "a maximum of functions that rise by at most their argument does so too")  # fmt: skip
def _rises_with_the_trial() -> str:
    """L rises by less than its argument unless q = 1, d = 0: x + L^F(α − L^B(x)) rises, so one solution at most."""
    z3 = z3_prover()
    q, d, a, b = z3.Reals("q d A B")
    point = [d >= 0, q >= d, q <= 1, a >= 1, b > a]
    ratio_b, ratio_a = (q * (b - 1) + 1) * (d * (a - 1) + 1), (q * (a - 1) + 1) * (d * (b - 1) + 1)
    prove(ratio_b * a <= ratio_a * b, *point, what="1-Lipschitz")
    prove(ratio_b * a < ratio_a * b, *point, z3.Or(q < 1, d > 0), what="strictly")
    prove(ratio_b >= ratio_a, *point, what="rising")
    return "0 ≤ L(β) − L(α) ≤ β − α, strictly less unless q = 1 and d = 0"


@evidence(Kind.ENUMERATION, "all pairs of 2 × 2 matrices in thirds, e^α of 2 and 10; equations to 40 digits or exactly")
def _solved() -> str:
    """The reference's budgets solve the three equations; where it refuses, a loss function is the identity."""
    solved = refused = 0
    for backward, forward in product(matrices(2, 3), repeat=2):
        loss_b, loss_f = loss_function(backward), loss_function(forward)
        for ratio in (2, 10):
            alpha = log(ratio)
            try:
                found = budgets(alpha, Adversary(loss_b, loss_f))
            except InfeasibleBudget:
                require(loss_b.is_identity or loss_f.is_identity, f"{shown(backward)}; {shown(forward)}: refused")
                refused += 1
                continue
            for left, right in (
                (loss_b(found.first) + found.middle, found.first),
                (loss_f(found.last) + found.middle, found.last),
                (found.first + found.last, alpha + found.middle),
            ):
                require(_agree(left, right), f"{shown(backward)}; {shown(forward)}: {left!r}, {right!r}")
            solved += 1
    return f"{solved} systems solved, {refused} refused with reason"


def _agree(left: Level, right: Level) -> bool:
    if left.is_zero or right.is_zero:
        return left.is_zero and right.is_zero
    one, other = left.enclosure(40), right.enclosure(40)
    return one.lower <= other.upper and other.lower <= one.upper


@evidence(Kind.BRUTE_FORCE, "Figure 8 and four more pairs of matrices, α = 1 and log 3; 40 halvings")
def _bisected() -> str:
    """Bisection with exact comparisons, by Algorithms 6 and 3, brackets the closed-form budgets."""
    tried, width = 0, Fraction(1, 2**40)
    for backward, forward in (
        FIGURE_8,
        (SYMMETRIC, SYMMETRIC),
        (matrix("4/5 1/5", "0 1"), matrix("1/2 1/2", "1/3 2/3")),
        (matrix("1/3 2/3", "1/3 2/3"), matrix("4/5 1/5", "0 1")),
        (matrix("1/10 1/5 7/10", "3/10 3/10 2/5", "1/2 3/10 1/5"), SYMMETRIC),
    ):
        for alpha in (ONE, log(3)):
            found = budgets(alpha, Adversary.knowing(backward, forward))
            seven = bisected_algorithm_7(alpha, backward, forward, width)
            eight = bisected_algorithm_8(alpha, backward, forward, width)
            inside = found.middle in seven and found.first in eight.first
            require(inside and found.last in eight.last, f"{shown(backward)}; {shown(forward)}: outside its bracket")
            tried += 1
    exhausted(tried, 10)
    return f"{tried} pairs of brackets of 2^−40"


@evidence(
    Kind.CERTIFICATE, "Figure 8's matrices and the symmetric pair, α = log 3; rational enclosures, L by its points"
)
def _invariant_budget() -> str:
    """With the middle budget at every time, rounded down, rational U_B and U_F are kept and U_B·U_F/e^ε ≤ e^α."""
    for backward, forward in (FIGURE_8, (SYMMETRIC, SYMMETRIC)):
        alpha, slack = Fraction(3), 1 + Fraction(1, 2**40)
        found = budgets(log(alpha), Adversary.knowing(backward, forward))
        a = (1 + found.middle.excess_bounds(120)[0]) / slack
        upper = [1 + level.excess_bounds(120)[1] for level in (found.first, found.last)]
        for rows, bound in zip((backward, forward), upper, strict=True):
            kept = all(
                a * (q * (bound - 1) + 1) <= bound * (d * (bound - 1) + 1) for q, d in _points(rows)
            )  # fmt: skip
            require(kept, f"{shown(rows)}: {float(bound)} is not kept")
        require(upper[0] * upper[1] / a <= alpha * slack**2, "TPL exceeds the level")
    return "e^ε·g(U) ≤ U for both directions, and U_B·U_F/e^ε ≤ 3(1 + 2^−39)"


def _points(rows: TransitionMatrix) -> list[tuple[Fraction, Fraction]]:
    n = rows.n
    return [
        (
            sum((q[j] for j in range(n) if s >> j & 1), Fraction(0)),
            sum((d[j] for j in range(n) if s >> j & 1), Fraction(0)),
        )
        for q in rows.rows
        for d in rows.rows
        for s in range(2**n)
    ]


# The printed loops


def _order_7(alpha: Level, backward: TransitionMatrix, forward: TransitionMatrix) -> Callable[[Fraction], int]:
    """Return what Algorithm 7 compares, the supremum put right; at e ≤ 0 as printed: ∞ for q = 1, d = 0."""
    assert alpha.rational is not None
    whole, functions = alpha.rational, [algorithm_2(rows) for rows in (backward, forward)]

    def order(part: Fraction) -> int:
        if part <= 0:
            full = any(f.q_sums and f.q_sums[0] == 1 and f.d_sums[0] == 0 for each in functions for f in each)
            return 1 if full else -1
        e = Level.of(whole * part)
        sup_b, sup_f = (algorithm_6(each, e).level for each in functions)
        return (sup_b + sup_f).compare(alpha + e)

    return order


def _order_8(alpha: Level, loss_b: LossFunction, loss_f: LossFunction) -> Callable[[Fraction], int]:
    assert alpha.rational is not None
    whole = alpha.rational

    def order(part: Fraction) -> int:
        a_b = Level.of(whole * part)
        return (loss_f(alpha - loss_b(a_b)) + a_b).compare(alpha)

    return order


@evidence(
    Kind.TRANSCRIPTION,
    "α = 1, the symmetric matrix, 60 turns",
    "an equality would make e^(p/2^k) algebraic (Lindemann)",
)
def _algorithm_7_never_ends() -> str:
    """Algorithm 7 waits for two reals to be equal: after 60 exact comparisons they are not, and the step is 2^−60.

    The reference has the budget in closed form. Where no two rows differ the solution is dyadic and the loop ends.
    """
    try:
        printed.algorithm_7(_order_7(ONE, SYMMETRIC, SYMMETRIC), Watch(bound=60))
    except Looping:
        pass
    else:
        raise EvidenceFailed("the printed loop ends")
    equal = matrix("1/2 1/2", "1/2 1/2")
    part = printed.algorithm_7(_order_7(ONE, equal, equal), Watch(bound=60))
    require(part == 1, f"equal rows: e = {part}·α")
    middle = budgets(ONE, Adversary.knowing(SYMMETRIC, SYMMETRIC)).middle
    limit = supremum(loss_function(SYMMETRIC), middle).level
    require(_agree(limit + limit, ONE + middle), "the closed form does not solve the equation")
    return f"(4/5, 1/5), (1/5, 4/5), α = 1: 60 turns without end; closed form ε = {nats(middle)}"


@evidence(
    Kind.TRANSCRIPTION,
    "α = 1, the identity, 60 turns",
    "the supremum is ∞ for every e > 0, and as printed for e ≤ 0 too",
)
def _algorithm_7_strongest() -> str:
    """Under the strongest correlation Algorithm 7 never ends; by the printed Theorem 11 it tries negative budgets."""
    order, tried = _order_7(ONE, IDENTITY, IDENTITY), []

    def watched(part: Fraction) -> int:
        tried.append(part)
        return order(part)

    try:
        printed.algorithm_7(watched, Watch(bound=60))
    except Looping:
        pass
    else:
        raise EvidenceFailed("the printed loop ends")
    require(tried[:3] == [Fraction(1, 2), Fraction(0), Fraction(-1, 4)], f"{tried[:3]}")
    try:
        budgets(ONE, Adversary.knowing(IDENTITY, IDENTITY))
    except InfeasibleBudget:
        return "e = 1/2, 0, −1/4, −3/8, …: 60 turns without end; the reference answers InfeasibleBudget"
    raise EvidenceFailed("the reference finds a budget")


@evidence(
    Kind.TRANSCRIPTION,
    "α = 1, the symmetric matrix, 60 turns",
    "an equality would make e^(p/2^k) algebraic (Lindemann)",
)
def _algorithm_8_never_ends() -> str:
    """Algorithm 8 waits for two reals to be equal as well: 60 exact comparisons without end."""
    loss = loss_function(SYMMETRIC)
    try:
        printed.algorithm_8(_order_8(ONE, loss, loss), Watch(bound=60))
    except Looping:
        pass
    else:
        raise EvidenceFailed("the printed loop ends")
    found = algorithm_8(ONE, Adversary(loss, loss), 5)
    require(len(found) == 5, "the reference's schedule")
    return f"60 turns without end; closed form ε_1 = {nats(found[0])}, ε_m = {nats(found[1])}"


@evidence(Kind.TRANSCRIPTION, "α = 1, exact")
def _algorithm_8_strongest() -> str:
    """Under the strongest correlation Algorithm 8 does end, at once, and gives ε_t = 0 to all times between.

    A budget of 0 needs infinite noise. With one of the two correlations the identity it ends at its second trial.
    """
    identity_, loss = loss_function(IDENTITY), loss_function(SYMMETRIC)
    watch = Watch(bound=60)
    part = printed.algorithm_8(_order_8(ONE, identity_, identity_), watch)
    first = Level.of(part)
    last = ONE - identity_(first)
    require(part == Fraction(1, 2) and watch.turns == 1, f"{part} after {watch.turns} turns")
    require(first + last == ONE, "the budget between is not 0")
    watch = Watch(bound=60)
    require(
        printed.algorithm_8(_order_8(ONE, identity_, loss), watch) == 1 and watch.turns == 2, f"{watch.turns} turns"
    )
    try:
        algorithm_8(ONE, Adversary(identity_, identity_), 4)
    except InfeasibleBudget:
        return "a^B = 1/2, a^F = 1/2, ε_t = a^B + a^F − α = 0; the reference answers InfeasibleBudget"
    raise EvidenceFailed("the reference finds a schedule")


@evidence(Kind.TRANSCRIPTION, "T = 1, 2, 3")
def _algorithm_8_ends_of_time() -> str:
    """T = 1 is assigned twice, ε_1 = a^B and ε_T = a^F; the text gives ε_m to [2, T], the algorithm to [2, T − 1].

    With ε_m at T as well, TPL at T falls short of α. One release of budget α attains it.
    """
    require(printed.assigned_budgets("a^B", "ε_m", "a^F", 1) == {1: ["a^B", "a^F"]}, "T = 1")
    require(all(len(given) == 1 for given in printed.assigned_budgets("b", "m", "f", 3).values()), "T = 3")
    own = Adversary.knowing(SYMMETRIC, SYMMETRIC)
    require(algorithm_8(ONE, own, 1) == (ONE,), "the reference, T = 1")
    found = budgets(ONE, own)
    text = leakage((found.first, found.middle, found.middle), own).tpl[-1]
    require(text < ONE and not _agree(text, ONE), f"with ε_m at T: {nats(text)}")
    return f"the text's schedule has TPL_3 = {nats(text)} instead of 1; for T = 1 the budget is α"


@evidence(Kind.TRANSCRIPTION, "read off")
def _wrong_calls() -> str:
    """Lines 1 and 2 of both call Algorithm 4 for qM, dM; it takes these as inputs: Algorithm 2 makes them.

    And the text's “supremum of BPL and the supremum of BPL” must have FPL second.
    """
    try:
        printed.algorithm_4(SYMMETRIC)  # type: ignore[call-arg]
    except TypeError:
        require(len(printed.algorithm_2(SYMMETRIC, Watch())) == 2, "Algorithm 2")
        return "algorithm_4(P) is a TypeError: it needs a_1, a_m, qM, dM, aM"
    raise EvidenceFailed("Algorithm 4 runs on a matrix alone")


@evidence(
    Kind.ENUMERATION,
    "T = 1 to 6, all pairs of 2 × 2 matrices in thirds that allow it, e^α = 2, by the recursions forward",
)
def _exactly_attained() -> str:
    """Algorithm 8's schedule has TPL_t = α at every time; Algorithm 7's never exceeds α; BPL and FPL are constant."""
    tried = 0
    alpha = log(2)
    for backward, forward in product(matrices(2, 3), repeat=2):
        own = Adversary.knowing(backward, forward)
        try:
            found = budgets(alpha, own)
        except InfeasibleBudget:
            continue
        for horizon in (1, 2, 6):
            schedule = found.quantified(horizon)
            flow = leakage(schedule, own)
            require(
                all(_agree(level, alpha) for level in flow.tpl), f"{shown(backward)}; {shown(forward)}, T = {horizon}"
            )
            if horizon > 1:
                require(all(_agree(level, found.first) for level in flow.bpl[:-1]), "BPL is not constant")
                require(all(_agree(level, found.last) for level in flow.fpl[1:]), "FPL is not constant")
        for level in leakage(found.upper_bound(6), own).tpl:
            require(level.enclosure(30).lower <= alpha.enclosure(30).upper, f"{shown(backward)}: Algorithm 7 exceeds α")
        tried += 1
    exhausted(tried, 81)
    return f"{tried} pairs of matrices"


@evidence(Kind.ENUMERATION, "Figure 8's matrices, α = 1, T = 30, exact; enclosures for reading")
def _figure_8() -> str:
    """1-DP_T: the budgets of both algorithms; Algorithm 8 spends at least as much at every time, more at both ends."""
    own = Adversary.knowing(*FIGURE_8)
    found = budgets(ONE, own)
    require(found.first > found.middle and found.last > found.middle, "the ends are not larger")
    upper = leakage(found.upper_bound(30), own).tpl
    require(all(level < ONE for level in upper), "Algorithm 7 attains α")
    noise = [mean_noise(schedule, Fraction(1), 6).upper for schedule in (found.upper_bound(30), found.quantified(30))]
    require(noise[1] < noise[0], f"noise {noise}")
    return f"ε = {nats(found.middle)} at every time; ε_1 = {nats(found.first)}, ε_m the same, ε_T = {nats(found.last)}"


@evidence(
    Kind.ENUMERATION, "n = 2, 10 and 50 (the text does not say which), s = 0.001, 0.01, 0.1, 1; T = 2, 5, 10, 50; α = 2"
)
def _figure_9() -> str:
    """2-DP_T: for short T Algorithm 8 needs less noise than Algorithm 7, ever less so as T grows.

    Noise grows as s falls. Without correlation it is 1/2 per unit of sensitivity, the dashed line.
    """
    lines = []
    for n in (2, 10, 50):
        noise = []
        for s in (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 10), Fraction(1)):
            loss = loss_function(smooth(strongest(n), s))
            found = budgets(Level.of(2), Adversary(loss, loss))
            gains = []
            for horizon in (2, 5, 10, 50):
                one, other = (
                    mean_noise(schedule, Fraction(1), 12).upper
                    for schedule in (found.upper_bound(horizon), found.quantified(horizon))
                )
                require(other < one, f"n = {n}, s = {s}, T = {horizon}: Algorithm 8 needs more noise")
                gains.append(one / other)
            require(gains == sorted(gains, reverse=True), f"n = {n}, s = {s}: {gains}")
            noise.append(mean_noise([found.middle], Fraction(1), 6).upper)
        require(noise == sorted(noise, reverse=True) and float(noise[-1]) > 0.5, f"n = {n}: {noise}")
        lines.append(f"n = {n}: {noise[0]:.4g}, {noise[1]:.4g}, {noise[2]:.4g}, {noise[3]:.4g}")
    return "noise of ε_m for s = 0.001, 0.01, 0.1, 1: " + "; ".join(lines)


@evidence(Kind.BRUTE_FORCE, "the same by stepping: noise 1/ε of bisected budgets, n = 2")
def _figure_9_bisected() -> str:
    """The middle budgets of Figure 9 by bisection: they fall with s as the closed forms do."""
    previous = ZERO
    for s in (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 10), Fraction(1)):
        rows = smooth(strongest(2), s)
        bracket = bisected_algorithm_7(Level.of(2), rows, rows, Fraction(1, 2**30))
        require(previous < bracket.lower, f"s = {s}: the budget does not rise")
        previous = bracket.upper
    return "four brackets, rising with s"


_SOLVED = (_three_equations, _rises_with_the_trial, _solved, _bisected, _invariant_budget, _exactly_attained)

CLAIMS = (
    Claim("eq:release2_a", Item.EQUATION, "Eq. (26)", "The equation for α^B", "L^B(α^B) + α^F = α.", Verdict.HOLDS,
          (_three_equations, _solved, _bisected)),
    Claim("eq:release2_b", Item.EQUATION, "Eq. (27)", "The equation for α^F", "L^F(α^F) + α^B = α.", Verdict.HOLDS,
          (_three_equations, _solved, _bisected)),
    Claim("algo:release1", Item.ALGORITHM, "Algorithm 7", "A constant budget", "Bisect for sup_B + sup_F − ε = α.",
          Verdict.CORRECTED, (*_SOLVED, _algorithm_7_never_ends, _algorithm_7_strongest, _wrong_calls),
          corrected="The budget is a closed form: the middle budget of Algorithm 8. None is "
          "positive where L^B or L^F is "
          "the identity. A bisection ends at a stated width, with the lower end. TPL ≤ α for ever.",
          witness="Rows (4/5, 1/5), (1/5, 4/5), α = 1: never ends. The identity: never ends, and tries e < 0.",
          by_hand="Every trial is p/2^k; e^(p/2^k) is transcendental, and equality would make it algebraic.",
          errata=("E27", "E28", "E35")),
    Claim("algo:release2", Item.ALGORITHM, "Algorithm 8", "Budgets that attain α at every time",
          "Bisect for a^B; ε_1 = a^B, ε_t = a^B + a^F − α, ε_T = a^F.", Verdict.CORRECTED,
          (*_SOLVED, _algorithm_8_never_ends, _algorithm_8_strongest, _algorithm_8_ends_of_time, _wrong_calls),
          corrected="Closed forms, by the recursions exactly α at every time (so at most α by the "
          "definitions); α itself "
          "for T = 1; ε_m for [2, T − 1]; infeasible where L^B or L^F is the identity (printed: ε_t = 0).",
          witness="The identity, α = 1: a^B = a^F = 1/2, ε_t = 0. T = 1: assigned twice.",
          by_hand="L^B(1/2) = 1/2, a^F = 1/2, L^F(1/2) + 1/2 = 1: it ends at the first trial.",
          errata=("E27", "E28", "E29", "E30", "E35")),
    Claim("Section 5, constant budgets", Item.TEXT, "Section 5", "Constant BPL needs constant budgets from t = 2 on",
          "BPL_t = BPL_{t+1} gives ε_t = ε_{t+1} for t ≥ 2, and for t = 1 only if L^B = 0; ε_m is for [2, T].",
          Verdict.CORRECTED, (_exactly_attained, _algorithm_8_ends_of_time, _three_equations),
          corrected="ε_m is for [2, T − 1]; at T the budget is α^F.", witness="T = 3, the symmetric matrix, α = 1.",
          by_hand="TPL_T = BPL_T when the future is empty, and BPL_T with ε_m is α^B < α.", errata=("E30",)),
    Claim("fig:ex_budgets", Item.FIGURE, "Figure 8", "Budgets for 1-DP_T",
          "Budgets of both algorithms for two 2 × 2 matrices.", Verdict.CORRECTED,
          (_figure_8, _bisected, _invariant_budget, _no_such_chain, _odds_ratio),
          corrected="The budgets reproduce by the recursions; but the two matrices belong to no "
          "Markov chain, so that no "
          "data can have both.", witness="P^B = (0.8, 0.2), (0.2, 0.8); P^F = (0.8, 0.2), (0.1, 0.9).",
          by_hand="Bayes' rule keeps the odds ratio: 0.8·0.9/(0.2·0.1) = 36, but 0.8·0.8/(0.2·0.2) = 16.",
          errata=("E22",)),
    Claim("fig:ex_utility", Item.FIGURE, "Figure 9", "Utility of 2-DP_T mechanisms",
          "For short T Algorithm 8 needs less noise; noise grows under strong correlation.", Verdict.HOLDS,
          (_figure_9, _figure_9_bisected),
          corrected="The sentences hold for every n tried; n is not given, so the heights cannot be compared."),
)  # fmt: skip
