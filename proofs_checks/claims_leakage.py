"""What leakage is: Definitions 1 to 9, Theorems 1 to 4, Corollary 1, Examples 1 to 3, both tables, Figures 1 to 3."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from ..reference.composition import composition
from ..reference.correlations import Row, TransitionMatrix, reverse
from ..reference.definitions import Stream
from ..reference.leakage import Adversary, backward_leakage, forward_leakage, leakage, population_leakage
from ..reference.levels import Level
from ..reference.loss import loss_function
from ..reference.mechanisms import Mechanism, randomized_response, subset_mechanism, truncated_geometric
from .families import distributions, log, matrices, matrix, nats, ordered_matrices, ratio_of, shown
from .provers import identity, impossible, prove, sympy_algebra, z3_prover
from .register import Claim, Item, Kind, Verdict, evidence, exhausted, require

TWO = Fraction(2)
MODERATE = matrix("4/5 1/5", "0 1")
STRONGEST = matrix("1 0", "0 1")
SWAP = matrix("0 1", "1 0")
LOPSIDED = Mechanism(((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4))))
"""Two values, two outputs: of the ordered pairs of values one is told apart by log 2, the other by log(3/2)."""


def _streams(times: int, denominator: int, mechanism: Mechanism) -> Iterator[Stream]:
    """Yield all streams over two values, matrix and initial distribution in multiples, every value always possible."""
    for rows in ordered_matrices(2, denominator):
        for initial in distributions(2, denominator):
            stream = Stream(initial, rows, (mechanism,) * times)
            if all(all(marginal) for marginal in stream.marginals):
                yield stream


def _shown(stream: Stream) -> str:
    return f"rows {shown(stream.forward)}, initial ({', '.join(map(str, stream.initial))})"


def _recursion(stream: Stream, time: int) -> Level:
    """Return BPL at a time by Eq. [eq:bpl_f], the backward correlation of each step as it is."""
    level = stream.mechanisms[0].privacy_leakage()
    for now in range(2, time + 1):
        level = loss_function(stream.backward(now))(level) + stream.mechanisms[now - 1].privacy_leakage()
    return level


def _forward_recursion(stream: Stream, time: int) -> Level:
    level = stream.mechanisms[-1].privacy_leakage()
    loss = loss_function(stream.forward)
    for now in range(len(stream.mechanisms) - 1, time - 1, -1):
        level = loss(level) + stream.mechanisms[now - 1].privacy_leakage()
    return level


# Differential privacy: Definitions 1 and 2, Theorems 1 and 4


@evidence(Kind.DECISION, "proved for queries of 1 and 2 dimensions, all reals", "exp is increasing")
def _laplace() -> str:
    """The exponents |r − Q(D')|/b − |r − Q(D)|/b of two Laplace densities differ by at most Δ/b: with b = Δ/ε, by ε."""
    z3 = z3_prover()

    def distance(a: Any, b: Any) -> Any:
        return z3.If(a >= b, a - b, b - a)

    for n in (1, 2):
        r, u, v = (z3.Reals(" ".join(f"{name}{j}" for j in range(n))) for name in "ruv")
        delta, epsilon, b = z3.Reals("delta epsilon b")
        away = [z3.Sum(*(distance(x, y) for x, y in zip(r, w, strict=True))) for w in (u, v)]
        change = z3.Sum(*(distance(x, y) for x, y in zip(u, v, strict=True)))
        setting = [delta > 0, epsilon > 0, b * epsilon == delta, change <= delta]
        prove(away[1] - away[0] <= delta, *setting, what=f"{n} dimensions")
    prove(delta <= epsilon * b, delta > 0, epsilon > 0, b * epsilon == delta, what="Δ/b = ε")
    return "|r − v|_1 − |r − u|_1 ≤ |u − v|_1 ≤ Δ = εb"


@evidence(Kind.IDENTITY, "general")
def _laplace_variance() -> str:
    """The density exp(−|x|/b)/(2b) integrates to 1, has variance 2b² (the footnote) and mean absolute value b."""
    sympy = sympy_algebra()
    x, b = sympy.symbols("x b", positive=True)
    density = sympy.exp(-x / b) / b
    for power, expected in ((0, 1), (1, b), (2, 2 * b**2)):
        identity(sympy.integrate(x**power * density, (x, 0, sympy.oo)), expected, f"moment {power}")
    return "1, b, 2b²"


@evidence(Kind.ENUMERATION, "the discrete counterpart on 2 to 6 values, ratios 11/10, 2, 5; all outputs, all pairs")
def _geometric() -> str:
    """Two-sided geometric noise of ratio e^ε per unit has PL_0 = Δ·ε between values that differ by Δ."""
    for n in (2, 3, 4, 5, 6):
        for ratio in (Fraction(11, 10), TWO, Fraction(5)):
            found = truncated_geometric(n, ratio).privacy_leakage()
            require(found == log(ratio ** (n - 1)), f"n = {n}, ratio {ratio}: {found!r}")
    return "15 mechanisms"


@evidence(Kind.ENUMERATION, "randomized response, subset and geometric mechanisms, 2 to 4 values, three budgets")
def _leakage_of_mechanisms() -> str:
    """PL_0 over all outputs and pairs of values is the budget that each mechanism is built for."""
    for ratio in (Fraction(11, 10), TWO, Fraction(5)):
        for n in (2, 3, 4):
            for mechanism in (randomized_response(n, ratio), subset_mechanism(n, ratio)):
                require(mechanism.privacy_leakage() == log(ratio), f"n = {n}, {ratio}")
    return "18 mechanisms"


@evidence(
    Kind.DECISION, "proved for two mechanisms, all reals; any number by the human step", "induction on their number"
)
def _sequential() -> str:
    """Independent outputs: ratios multiply, so a ratio of at most e^ε_1·e^ε_2 together."""
    z3 = z3_prover()
    a, b, c, d, x, y = z3.Reals("a b c d x y")
    prove(a * c <= x * y * b * d, *(v > 0 for v in (a, b, c, d, x, y)), a <= x * b, c <= y * d, what="a product")
    return "p_1 ≤ e^ε_1 p'_1 and p_2 ≤ e^ε_2 p'_2 give p_1p_2 ≤ e^(ε_1 + ε_2) p'_1p'_2"


@evidence(Kind.ENUMERATION, "2 to 3 releases of randomized response with different budgets, 2 to 3 values, all outputs")
def _sequential_enumerated() -> str:
    """The joint release about one value leaks exactly the sum of the budgets."""
    for n in (2, 3):
        for ratios in ((TWO, Fraction(3)), (Fraction(11, 10), Fraction(5, 4), TWO)):
            parts = [randomized_response(n, ratio) for ratio in ratios]
            rows: list[Row] = []
            for value in range(n):
                row = []
                for outputs in product(range(n), repeat=len(parts)):
                    p = Fraction(1)
                    for part, r in zip(parts, outputs, strict=True):
                        p *= part.channel[value][r]
                    row.append(p)
                rows.append(tuple(row))
            expected = Fraction(1)
            for ratio in ratios:
                expected *= ratio
            require(Mechanism(tuple(rows)).privacy_leakage() == log(expected), f"{ratios}")
    return "4 joint releases"


# Correlations: Definitions 3 and 4, Figure 2


@evidence(Kind.ENUMERATION, "all 2 × 2 chains in quarters, all 3 × 3 in halves, initial distributions alike")
def _bayes() -> str:
    """The backward correlation by Bayes' rule is the conditional of the joint distribution, entry by entry."""
    tried = 0
    for n, denominator in ((2, 4), (3, 2)):
        for rows in ordered_matrices(n, denominator):
            for initial in distributions(n, denominator):
                after = [sum((initial[j] * rows.rows[j][k] for j in range(n)), Fraction(0)) for k in range(n)]
                if not all(after):
                    continue
                back = reverse(rows, initial)
                for j, k in product(range(n), repeat=2):
                    require(back.rows[k][j] * after[k] == initial[j] * rows.rows[j][k], f"{shown(rows)}, {initial}")
                    tried += 1
    exhausted(tried, 2_340)
    return f"{tried} entries"


@evidence(Kind.IDENTITY, "general, n = 2")
def _odds_ratio() -> str:
    """For two values Bayes' rule keeps the odds ratio F11F22/(F12F21), whatever the initial distribution is."""
    sympy = sympy_algebra()
    f, g, p = sympy.symbols("f g p")
    forward = ((f, 1 - f), (g, 1 - g))
    initial = (p, 1 - p)
    back = [[initial[j] * forward[j][k] for j in range(2)] for k in range(2)]
    identity(
        back[0][0] * back[1][1] / (back[0][1] * back[1][0]),
        forward[0][0] * forward[1][1] / (forward[0][1] * forward[1][0]),
        "the odds ratio",
    )
    return "B11B22/(B12B21) = F11F22/(F12F21)"


@evidence(Kind.DECISION, "proved for all real distributions of l^{t−1}")
def _no_such_chain() -> str:
    """The pairs P^B, P^F of Figures 3(c) (moderate) and 8 belong to no Markov chain with both values possible."""
    z3 = z3_prover()
    p = z3.Real("p")
    for name, backward, forward in (
        ("Figure 3(c)", MODERATE, MODERATE),
        ("Figure 8", matrix("4/5 1/5", "1/5 4/5"), matrix("4/5 1/5", "1/10 9/10")),
    ):
        before = (p, 1 - p)
        rows = [[z3.Q(x.numerator, x.denominator) for x in row] for row in forward.rows]
        joint = [[before[j] * rows[j][k] for j in range(2)] for k in range(2)]
        equal = [
            joint[k][j] == z3.Q(x.numerator, x.denominator) * (joint[k][0] + joint[k][1])
            for k in range(2)
            for j, x in enumerate(backward.rows[k])
        ]
        possible = [p >= 0, p <= 1, *(joint[k][0] + joint[k][1] > 0 for k in range(2))]
        prove(z3.BoolVal(True), *possible, what=name)
        impossible(*possible, *equal, what=name)
    return "no distribution makes the second matrix the reverse of the first"


@evidence(Kind.DECISION, "proved: values exist")
def _figure_2_possible() -> str:
    """The two entries of Figure 2 that the text gives, 0.7 and 0.6, can be those of one chain and its reverse."""
    z3 = z3_prover()
    before, now, joint = z3.Reals("before now joint")
    solver = z3.Solver()
    solver.add(before > 0, before < 1, now > 0, now < 1, joint == before * z3.Q(3, 5), joint == now * z3.Q(7, 10))
    require(solver.check() == z3.sat, "0.7 and 0.6 cannot be Bayes' reverses")
    return "Pr(l³ then l¹) = 0.6·Pr(l³) = 0.7·Pr(l¹): Pr(l³)/Pr(l¹) = 7/6"


# TPL, BPL, FPL


@evidence(Kind.TRANSCRIPTION, "n = 2, T = 3, the smallest there is; exact, over all outputs and values")
def _theorem_2_below() -> str:
    """TPL can exceed BPL + FPL − PL_0, all four straight from their definitions: Theorem 2 is no upper bound either.

    Values that alternate for certain, and one mechanism that tells 2 from 1 by log 2 and 1 from 2 by log(3/2).
    """
    stream = Stream((Fraction(1, 2), Fraction(1, 2)), SWAP, (LOPSIDED,) * 3)
    bpl, fpl, tpl = stream.bpl(2), stream.fpl(2), stream.tpl(2)
    pl_0 = LOPSIDED.privacy_leakage()
    by_hand = _by_hand(SWAP, stream.initial, LOPSIDED)
    require((ratio_of(bpl), ratio_of(fpl), ratio_of(tpl), ratio_of(pl_0)) == by_hand, f"by hand {by_hand}")
    require([int(ratio) for ratio in by_hand] == [3, 3, 6, 2], f"{by_hand}")
    require(tpl + pl_0 > bpl + fpl, "TPL does not exceed BPL + FPL − PL_0")
    loss = loss_function(SWAP)
    safe = loss(log(2)) + log(2) + loss(log(2))
    require(tpl <= safe, "TPL exceeds L^B(PL_0) + PL_0 + L^F(PL_0)")
    return "BPL = FPL = log 3, PL_0 = log 2: the theorem gives log(9/2); TPL = log 6. By the recursions: log 8, safe"


def _by_hand(
    rows: TransitionMatrix, initial: Row, mechanism: Mechanism
) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return e^ of BPL_2, FPL_2, TPL_2 and PL_0 for two values and three releases, by summing over whole paths."""
    c = mechanism.channel

    def greatest(first: int, last: int) -> Fraction:
        best = Fraction(0)
        for outputs in product(range(2), repeat=last - first + 1):
            given = []
            for middle in range(2):
                above = weight = Fraction(0)
                for before, after in product(range(2), repeat=2):
                    p = initial[before] * rows.rows[before][middle] * rows.rows[middle][after]
                    path = (before, middle, after)
                    likelihood = Fraction(1)
                    for time, r in zip(range(first, last + 1), outputs, strict=True):
                        likelihood *= c[path[time - 1]][r]
                    above, weight = above + p * likelihood, weight + p
                given.append(above / weight)
            best = max(best, given[0] / given[1], given[1] / given[0])
        return best

    return greatest(1, 2), greatest(2, 3), greatest(1, 3), greatest(2, 2)


@evidence(Kind.ENUMERATION, "exhausted in order: all 2 × 2 chains in halves with initial distributions, T = 3, e^ε = 2")
def _theorem_2_above() -> str:
    """With randomized response TPL is never above BPL + FPL − PL_0, and in some streams strictly below it."""
    mechanism = randomized_response(2, TWO)
    witness, tried = None, 0
    for stream in _streams(3, 2, mechanism):
        bpl, fpl, tpl = (ratio_of(level) for level in (stream.bpl(2), stream.fpl(2), stream.tpl(2)))
        found = _by_hand(stream.forward, stream.initial, mechanism)
        require(found == (bpl, fpl, tpl, TWO), f"{_shown(stream)}: {found}")
        require(tpl * 2 <= bpl * fpl, f"{_shown(stream)}: TPL is above")
        tried += 1
        if tpl * 2 < bpl * fpl and witness is None:
            witness = f"{_shown(stream)}: BPL_2 = log({bpl}), FPL_2 = log({fpl}), TPL_2 = log({tpl})"
    require(witness is not None, "equality throughout")
    exhausted(tried, 7)
    return f"{tried} streams; smallest strict: {witness}"


@evidence(Kind.DECISION, "proved for two pairs of values, all reals; any number since a supremum is taken pairwise")
def _on_a_fixed_pair() -> str:
    """TPL is the supremum over pairs of P + R + F (past, present, future): at most sup P + sup R + sup F.

    And at most BPL + FPL − PL_0 where every pair attains PL_0; not in general. On one pair there is equality.
    """
    z3 = z3_prover()
    p, r, f, p2, r2, f2 = z3.Reals("p r f p2 r2 f2")

    def greatest(a: Any, b: Any) -> Any:
        return z3.If(a >= b, a, b)

    tpl = greatest(p + r + f, p2 + r2 + f2)
    bpl, fpl, pl_0 = greatest(p + r, p2 + r2), greatest(r + f, r2 + f2), greatest(r, r2)
    prove(tpl <= greatest(p, p2) + pl_0 + greatest(f, f2), what="the sum of the suprema")
    prove(tpl <= bpl + fpl - pl_0, r == r2, what="where every pair attains PL_0")
    solver = z3.Solver()
    solver.add(tpl > bpl + fpl - pl_0, *(v >= 0 for v in (p, r, f, p2, r2, f2)))
    require(solver.check() == z3.sat, "the bound holds in general after all")
    return "TPL ≤ sup P + PL_0 + sup F always; TPL ≤ BPL + FPL − PL_0 where PL_0 is the same for all pairs"


@evidence(
    Kind.ENUMERATION,
    "all 2 × 2 chains in thirds, T = 3, randomized response and the lopsided mechanism; 3 values in halves, geometric",
    "for every stream: R ≤ PL_0, P ≤ L^B(BPL_{t−1}), F ≤ L^F(FPL_{t+1}) for every pair of values",
)
def _recursions_are_safe() -> str:
    """The recursions bound the definitions from above: BPL, FPL, and TPL by L^B(BPL_{t−1}) + ε_t + L^F(FPL_{t+1})."""
    tried = 0
    streams = [stream for mechanism in (randomized_response(2, TWO), LOPSIDED) for stream in _streams(3, 3, mechanism)]
    third = (Fraction(1, 3),) * 3
    for rows in matrices(3, 2):
        stream = Stream(third, rows, (truncated_geometric(3, TWO),) * 3)
        if all(all(marginal) for marginal in stream.marginals):
            streams.append(stream)
    for stream in streams:
        for time in (1, 2, 3):
            bpl, fpl = _recursion(stream, time), _forward_recursion(stream, time)
            require(stream.bpl(time) <= bpl, f"{_shown(stream)}: BPL_{time} exceeds the recursion")
            require(stream.fpl(time) <= fpl, f"{_shown(stream)}: FPL_{time} exceeds the recursion")
            total = bpl + fpl - stream.mechanisms[time - 1].privacy_leakage()
            require(stream.tpl(time) <= total, f"{_shown(stream)}: TPL_{time} exceeds the recursions")
            tried += 1
    exhausted(tried, 255)
    return f"{tried} times"


@evidence(Kind.ENUMERATION, "exhausted in order: all 2 × 2 chains in halves with initial distributions, e^ε = 2")
def _recursion_attained() -> str:
    """With two values and randomized response BPL_2 is what the recursion says; BPL_3 may be less: a strict bound."""
    mechanism = randomized_response(2, TWO)
    for stream in _streams(2, 4, mechanism):
        require(stream.bpl(2) == _recursion(stream, 2), f"{_shown(stream)}: BPL_2 is below the recursion")
        require(stream.fpl(1) == _forward_recursion(stream, 1), f"{_shown(stream)}: FPL_1 is below the recursion")
    for stream in _streams(3, 2, mechanism):
        true, said = stream.bpl(3), _recursion(stream, 3)
        if true < said:
            return (
                f"attained for t = 2; smallest strict at t = 3: {_shown(stream)}: {true.exact_text} < {said.exact_text}"
            )
    require(False, "the recursion is attained for t = 3 throughout")
    return ""


@evidence(
    Kind.BRUTE_FORCE, "all 3 × 3 matrices in halves as backward correlations, the subset mechanism, e^ε = 2, t = 2"
)
def _subset_attains() -> str:
    """The subset mechanism of three values attains the recursion at t = 2 for every backward correlation."""
    mechanism, tried = subset_mechanism(3, TWO), 0
    for rows in matrices(3, 2):
        best = Fraction(1)
        for q_row, d_row in product(rows.rows, repeat=2):
            for r in mechanism.outputs:
                column = [mechanism.channel[value][r] for value in range(3)]
                above = sum((a * b for a, b in zip(q_row, column, strict=True)), Fraction(0))
                below = sum((a * b for a, b in zip(d_row, column, strict=True)), Fraction(0))
                best = max(best, above / below)
        require(loss_function(rows)(log(2)) == log(best), f"{shown(rows)}: {best}")
        tried += 1
    exhausted(tried, 56)
    return f"{tried} matrices"


@evidence(Kind.DECISION, "proved for n = 2, 3: any likelihoods with ratios at most A")
def _recursion_bounds() -> str:
    """Likelihoods x of the past have ratios ≤ e^BPL_{t−1}: the first term of [eq:bpl_cal] is in the program."""
    z3 = z3_prover()
    for n in (2, 3):
        q, x = z3.Reals(" ".join(f"q{j}" for j in range(n))), z3.Reals(" ".join(f"x{j}" for j in range(n)))
        a, low = z3.Reals("A low")
        box = [*(v >= low for v in x), *(v <= a * low for v in x), low > 0, a >= 1, *(v >= 0 for v in q)]
        mean = z3.Sum(*(p * v for p, v in zip(q, x, strict=True)))
        prove(z3.And(mean >= low, mean <= a * low), *box, z3.Sum(*q) == 1, what=f"n = {n}")
    return "a mean of x stays within [m, A·m]: the ratio of two means is at most A and is q·x/d·x"


@evidence(Kind.TRANSCRIPTION, "two users, exact")
def _two_users() -> str:
    """Over several users the greatest TPL is below the greatest BPL plus the greatest FPL less ε, if they differ."""
    epsilons = [log(2)] * 3
    users = {"past": Adversary.knowing(backward=STRONGEST), "future": Adversary.knowing(forward=STRONGEST)}
    found = population_leakage(epsilons, users)
    said = found.bpl[1].level + found.fpl[1].level - log(2)
    require(said == log(8) and found.tpl[1].level == log(4), f"{found.tpl[1].level!r}, said {said!r}")
    return "one user known backward, one forward, both by the identity, e^ε = 2, T = 3, t = 2: said log 8, true log 4"


@evidence(
    Kind.BRUTE_FORCE,
    "users over all pairs of 2 × 2 matrices in halves, T = 3",
    "a maximum of sums is at most the sum of maxima",
)
def _population_bounded() -> str:
    """With one budget for all, [eq:tpl_comp2] never understates the greatest TPL of two users."""
    tried, epsilons = 0, [log(2)] * 3
    known = list(ordered_matrices(2, 2))
    for first, second in product(known, repeat=2):
        users = {"a": Adversary.knowing(first, second), "b": Adversary.knowing(second, first)}
        found = population_leakage(epsilons, users)
        for t in range(3):
            own = max(leakage(epsilons, user).tpl[t].ratio for user in users.values())  # type: ignore[type-var]
            require(found.tpl[t].level.ratio == own, "the greatest TPL is not the greatest of the users'")
            said = found.bpl[t].level + found.fpl[t].level
            require(found.tpl[t].level + epsilons[t] <= said, f"{shown(first)}; {shown(second)}")
            tried += 1
    exhausted(tried, 243)
    return f"{tried} times"


@evidence(
    Kind.TRANSCRIPTION, "exhausted in order: all 2 × 2 chains in thirds with initial distributions, T = 3, e^ε = 2"
)
def _outputs_apart() -> str:
    """Given l^t, outputs of the past are not independent: TPL may exceed the sum over single outputs."""
    mechanism = randomized_response(2, TWO)
    for stream in _streams(3, 3, mechanism):
        path_weights = {
            path: stream.initial[path[0]]
            * stream.forward.rows[path[0]][path[1]]
            * stream.forward.rows[path[1]][path[2]]
            for path in product(range(2), repeat=3)
        }
        best = Fraction(1)
        for value in range(2):
            total = Fraction(1)
            for time in range(3):
                given = []
                for own in (value, 1 - value):
                    paths = {path: w for path, w in path_weights.items() if path[2] == own}
                    weight = sum(paths.values(), Fraction(0))
                    row = [
                        sum((w * mechanism.channel[path[time]][r] for path, w in paths.items()), Fraction(0)) / weight
                        for r in range(2)
                    ]
                    given.append(row)
                total *= max(given[0][r] / given[1][r] for r in range(2))
            best = max(best, total)
        if stream.tpl(3) > log(best):
            return f"{_shown(stream)}, t = T = 3: TPL = {stream.tpl(3).exact_text}, the sum over outputs log({best})"
    require(False, "the sum over single outputs is a bound throughout")
    return ""


# Composition, Corollary 1, Table 2


@evidence(
    Kind.ENUMERATION, "all positive 2 × 2 chains in quarters with initial distributions, T = 4, windows of 2 and 3"
)
def _composition_attained() -> str:
    """Where all transitions are possible, TPL of a window is BPL of its first + budgets between + FPL of its last."""
    mechanism, tried = randomized_response(2, TWO), 0
    for stream in _streams(4, 4, mechanism):
        if not all(all(row) for row in stream.forward.rows):
            continue
        for start, length in ((1, 2), (2, 2), (2, 3), (1, 3)):
            end = start + length - 1
            said = stream.bpl(start) + stream.fpl(end)
            said = said + log(2 ** (length - 2)) if length > 2 else said
            require(stream.sequence_tpl(start, length) == said, f"{_shown(stream)}: {start}..{end}")
            tried += 1
    exhausted(tried, 108)
    return f"{tried} windows, equal throughout"


@evidence(Kind.ENUMERATION, "exhausted in order: all 2 × 2 chains in halves with initial distributions, T = 4")
def _composition_strict() -> str:
    """Where transitions are impossible the sum is only an upper bound: its ends may exclude each other."""
    mechanism, witness = randomized_response(2, TWO), None
    for stream in _streams(4, 2, mechanism):
        true, said = stream.sequence_tpl(2, 2), stream.bpl(2) + stream.fpl(3)
        require(true <= said, f"{_shown(stream)}: the sum is exceeded")
        if true < said and witness is None:
            witness = f"{_shown(stream)}, M² and M³: {true.exact_text} < {said.exact_text}"
    require(witness is not None, "equality throughout")
    return f"smallest strict: {witness}"


@evidence(
    Kind.BRUTE_FORCE, "the recursions' sum against the definitions, all 2 × 2 chains in halves, T = 4, all windows"
)
def _composition_safe() -> str:
    """The reference's composition, from the recursions, is never below the definition."""
    mechanism, tried = randomized_response(2, TWO), 0
    epsilons = [log(2)] * 4
    for stream in _streams(4, 2, mechanism):
        bpl = tuple(_recursion(stream, t) for t in range(1, 5))
        own = leakage(epsilons, Adversary.knowing(forward=stream.forward))
        own = type(own)(bpl, own.fpl, own.tpl)
        for start, length in ((1, 2), (1, 3), (1, 4), (2, 2), (2, 3), (3, 2)):
            require(
                stream.sequence_tpl(start, length) <= composition(own, epsilons, start, length),
                f"{_shown(stream)}: {start}, {length}",
            )
            tried += 1
    exhausted(tried, 42)
    return f"{tried} windows"


@evidence(
    Kind.DECISION,
    "proved for all reals",
    "given the values at its ends, what is outside a window does not depend on more",
)
def _composition_product() -> str:
    """The joint ratio of a window is the product of three ratios, each at most its own supremum."""
    z3 = z3_prover()
    a, b, c, x, y, z = z3.Reals("a b c x y z")
    prove(a * b * c <= x * y * z, *(v > 0 for v in (a, b, c)), a <= x, b <= y, c <= z, what="three ratios")
    return "a ≤ x, b ≤ y, c ≤ z give abc ≤ xyz"


@evidence(Kind.ENUMERATION, "all 2 × 2 chains in thirds with initial distributions, T = 1, 2, 3, randomized response")
def _user_level() -> str:
    """All releases together leak Σε_t where every value is always possible; correlation does not matter."""
    tried = 0
    for times in (1, 2, 3):
        for stream in _streams(times, 3, randomized_response(2, TWO)):
            found = stream.sequence_tpl(1, times)
            require(found <= log(2**times), f"{_shown(stream)}: more than the sum")
            if all(all(row) for row in stream.forward.rows):
                require(found == log(2**times), f"{_shown(stream)}: {found!r}")
            tried += 1
    exhausted(tried, 88)
    return f"{tried} streams"


@evidence(Kind.TRANSCRIPTION, "one witness, exact")
def _user_level_strict() -> str:
    """Where a value is impossible at some time the whole leaks less than Σε_t: an upper bound."""
    stream = Stream((Fraction(1, 2), Fraction(1, 2)), matrix("1 0", "1 0"), (randomized_response(2, TWO),) * 2)
    found = stream.sequence_tpl(1, 2)
    require(found == log(2), f"{found!r}")
    return "rows (1, 0), (1, 0), T = 2, e^ε = 2: after time 1 the value is known; log 2, not log 4"


@evidence(Kind.ENUMERATION, "all 2 × 2 matrices in thirds as P^B and as P^F, T = 1 to 5, e^ε = 2, by the recursions")
def _table_2() -> str:
    """Event level: ε ≤ α ≤ Tε, both ends met; user level: BPL_1 + budgets + FPL_T = Tε whatever the correlation."""
    for times in range(1, 6):
        epsilons, met = [log(2)] * times, set()
        for backward, forward in product(matrices(2, 3), repeat=2):
            own = leakage(epsilons, Adversary.knowing(backward, forward))
            for level in own.tpl:
                require(log(2) <= level <= log(2**times), f"{shown(backward)}; {shown(forward)}")
                met.add(ratio_of(level))
            require(composition(own, epsilons, 1, times) == log(2**times) or times == 1, "user level")
        require({TWO, Fraction(2**times)} <= met, f"T = {times}: the ends are not met")
    return "ε and Tε are both attained for T = 1 to 5"


@evidence(Kind.ENUMERATION, "the identity chain and independent releases, T = 1 to 5, from the definitions")
def _table_2_ends() -> str:
    """From the definition: on a value that never changes TPL = Tε at each time, on independent values TPL = ε."""
    half = (Fraction(1, 2), Fraction(1, 2))
    for times in range(1, 6):
        for rows, expected in ((STRONGEST, 2**times), (matrix("1/2 1/2", "1/2 1/2"), 2)):
            stream = Stream(half, rows, (randomized_response(2, TWO),) * times)
            for time in range(1, times + 1):
                require(stream.tpl(time) == log(expected), f"{shown(rows)}, T = {times}, t = {time}")
    return "Tε and ε"


# Examples 1 to 3, Figure 3


@evidence(
    Kind.BRUTE_FORCE, "3 users, 5 places: every database, every change of one user, with and without loc_4 → loc_5"
)
def _example_1() -> str:
    """A change of one user changes at most 2 counts, and at most 4 over two times."""
    places, once, twice = range(1, 6), 0, 0
    follows = {1: 1, 2: 3, 3: 1, 4: 5, 5: 5}
    for database in product(places, repeat=3):
        for new in places:
            if new == database[0]:
                continue
            changed = (new, *database[1:])
            once = max(once, _distance(database, changed))
            later = [tuple(follows[place] for place in one) for one in (database, changed)]
            twice = max(twice, _distance(database, changed) + _distance(*later))
    require((once, twice) == (2, 4), f"sensitivities {once} and {twice}")
    return "global sensitivity 2 at one time, 4 over two: Lap(2/ε) gives ε and 2ε"


def _distance(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return sum(abs(one.count(place) - other.count(place)) for place in range(1, 6))


@evidence(
    Kind.ENUMERATION, "from the definitions: 5 places, a chain with loc_4 → loc_5 certain, randomized response, T = 2"
)
def _example_1_defined() -> str:
    """FPL_1 is 2ε where the alternative never leads to loc_5, by the recursion and by the definition."""
    rows = matrix("1 0 0 0 0", "0 0 1 0 0", "1 0 0 0 0", "0 0 0 0 1", "0 0 0 0 1")
    loss = loss_function(rows)
    require(loss.is_identity, "L is not the identity")
    stream = Stream((Fraction(1, 5),) * 5, rows, (randomized_response(5, TWO),) * 2)
    require(stream.fpl(1) == log(4) == forward_leakage([log(2)] * 2, loss)[0], f"{stream.fpl(1)!r}")
    return "e^ε = 2: FPL_1 = log 4 = 2ε"


@evidence(Kind.ENUMERATION, "T = 10, ε = 0.1, exact by the recursions; strongest, moderate and no correlation")
def _figure_3() -> str:
    """BPL rises 0.1, 0.2, … 1.0 for the identity, stays 0.1 without correlation, lies between for (0.8 0.2; 0 1)."""
    tenth, times = Level.of(Fraction(1, 10)), 10
    epsilons = [tenth] * times
    strongest = backward_leakage(epsilons, loss_function(STRONGEST))
    require(all(level == Level.of(Fraction(t, 10)) for t, level in enumerate(strongest, 1)), "not linear")
    none = backward_leakage(epsilons, None)
    require(all(level == tenth for level in none), "not constant")
    moderate = backward_leakage(epsilons, loss_function(MODERATE))
    require(all(a < m < b for a, m, b in zip(none[1:], moderate[1:], strongest[1:], strict=True)), "not between")
    fpl = forward_leakage(epsilons, loss_function(MODERATE))
    require(all(a == b for a, b in zip(fpl, moderate[::-1], strict=True)), "FPL is not BPL reversed")
    own = leakage(epsilons, Adversary.knowing(MODERATE, MODERATE))
    most = Level.of(1)
    require(all(tenth < level < most for level in own.tpl), "TPL is not between ε and Tε")
    full = leakage(epsilons, Adversary.knowing(STRONGEST, STRONGEST)).tpl
    require(all(level == most for level in full), "TPL under the strongest correlation is not Tε at each time")
    return f"moderate: BPL_10 = FPL_1 = {nats(moderate[-1])}, TPL from {nats(own.tpl[0])} to {nats(max(own.tpl))}"


@evidence(Kind.BRUTE_FORCE, "from the definitions: the identity chain and independent values, e^ε = 11/10, T = 1 to 7")
def _figure_3_defined() -> str:
    """The red and the black line by enumeration: t·ε and ε; FPL reversed, updated by each further release."""
    ratio, half = Fraction(11, 10), (Fraction(1, 2), Fraction(1, 2))
    for times in (3, 7):
        same = Stream(half, STRONGEST, (randomized_response(2, ratio),) * times)
        free = Stream(half, matrix("1/2 1/2", "1/2 1/2"), (randomized_response(2, ratio),) * times)
        for time in range(1, times + 1):
            require(same.bpl(time) == log(ratio**time), f"BPL_{time} of T = {times}")
            require(same.fpl(time) == log(ratio ** (times - time + 1)), f"FPL_{time} of T = {times}")
            require(free.bpl(time) == free.fpl(time) == log(ratio), f"independent, time {time}")
    return "BPL_t = tε, FPL_t = (T − t + 1)ε; FPL_1 goes from 3ε to 7ε as T goes from 3 to 7"


@evidence(Kind.TRANSCRIPTION, "the slips, read off")
def _slips_of_sections_2_and_3() -> str:
    """Small slips: Definition 5 names D^t' twice; Table 1 has D^t up to l_n, n being the number of places, not users.

    And the supremum over D_K is missing in [eq:tpl1] and Definition 2, whose second lines need it; “first row of
    Figure 2(b)” names q_1 = Pr(l^{t−1} | l^t), which is (a). Shown: PL_0 for one D_K may be less than over all.
    """
    first, second = randomized_response(2, TWO), randomized_response(2, Fraction(3))
    per_knowledge = [mechanism.privacy_leakage() for mechanism in (first, second)]
    require(per_knowledge[0] < per_knowledge[1], "the witness")
    return "a mechanism whose noise depends on D_K: PL_0 given one D_K is log 2, over all D_K log 3"


_TPL = (_theorem_2_below, _theorem_2_above, _on_a_fixed_pair, _recursions_are_safe)
_RECURSION = (_recursion_attained, _recursions_are_safe, _subset_attains, _recursion_bounds)
_COMPOSITION = (_composition_attained, _composition_strict, _composition_safe, _composition_product)
_DEFINED = (_theorem_2_above, _figure_3_defined)
_BELOW = (
    "Two values that alternate for certain, Pr(output 1 | value) = 1/2, 1/4, T = 3, t = 2: BPL = FPL = log 3, "
    "PL_0 = log 2, TPL = log 6 > log(9/2). Above: see the evidence."
)
_BELOW_BY_HAND = (
    "Given l² = 2 the values are (1, 2, 1), given l² = 1 (2, 1, 2). Outputs (1, 2, 1): 1/2·3/4·1/2 against "
    "1/4·1/2·1/4, ratio 6. Two releases: 1/2·3/4 against 1/4·1/2, ratio 3. One: 1/2 against 1/4, ratio 2. 3·3/2 = 4.5."
)
_SAFE = (
    "For a fixed pair of values there is equality. Over all pairs TPL ≤ L^B(BPL_{t−1}) + PL_0 + L^F(FPL_{t+1}), which "
    "is what BPL + FPL − ε gives when both are computed by the recursions; with BPL and FPL as defined the sum may be "
    "above TPL and below it. Where every pair of values attains PL_0 it is an upper bound."
)

CLAIMS = (
    Claim("def:dp", Item.DEFINITION, "Definition 1", "ε-DP", "Ratios of output probabilities of neighbours ≤ e^ε.",
          Verdict.DEFINITION, (_leakage_of_mechanisms,), also=("eq:dp",)),
    Claim("Theorem 1", Item.THEOREM, "Theorem 1", "The Laplace mechanism", "Noise of scale Δ/ε gives ε-DP.",
          Verdict.HOLDS, (_laplace, _laplace_variance, _geometric),
          corrected="For queries with values in ℝ^n as well; the L_1 norm that is printed is then needed."),
    Claim("def:pl", Item.DEFINITION, "Definition 2", "Privacy leakage PL_0",
          "The supremum over outputs and two values of one user of the log-ratio; over users.",
          Verdict.DEFINITION, (_leakage_of_mechanisms, _slips_of_sections_2_and_3),
          corrected="The supremum over D_K is needed in the first line for the second to follow.", errata=("E23",)),
    Claim("tb:notation", Item.TABLE, "Table 1", "Notation", "The symbols of the paper.", Verdict.DEFINITION,
          (_slips_of_sections_2_and_3,), corrected="D^t = {l_1^t, …, l_|U|^t}: n is the number of values.",
          errata=("E23",)),
    Claim("def:temporal_corr", Item.DEFINITION, "Definition 3", "Temporal correlations",
          "P^B holds Pr(l^{t−1} | l^t), P^F holds Pr(l^t | l^{t−1}); one follows from the other by Bayes' rule.",
          Verdict.DEFINITION, (_bayes, _odds_ratio, _no_such_chain),
          corrected="P^B is the same at all times only in a stationary chain; not every pair is one of a chain.",
          errata=("E22",)),
    Claim("fig:mc", Item.FIGURE, "Figure 2", "Examples of correlations", "Entries 0.7 in (a) and 0.6 in (b).",
          Verdict.NOT_REPRODUCIBLE, (_figure_2_possible, _bayes),
          corrected="The matrices are a picture that is not in the source; the two entries can belong to one chain.",
          errata=("E23",)),
    Claim("def:adversary_t", Item.DEFINITION, "Definition 4", "Adversary_T",
          "Knows all other users' data and P^B, P^F, both or neither.", Verdict.DEFINITION, (_table_2_ends,)),
    Claim("def:tpl", Item.DEFINITION, "Definition 5", "TPL", "The log-ratio of all outputs given two values at t.",
          Verdict.DEFINITION, _DEFINED, also=("eq:tpl1", "eq:tpl2", "eq:tpl3"), errata=("E23",),
          corrected="The first D^t' is D^t; [eq:tpl3] follows with the supremum over D_K in [eq:tpl1]."),
    Claim(
        "thm:analysis_tpl", Item.THEOREM, "Theorem 2", "TPL in two parts", "TPL = BPL + FPL − PL_0.", Verdict.FALSE,
        _TPL, corrected=_SAFE, witness=_BELOW, by_hand=_BELOW_BY_HAND, errata=("E1", "E33"), also=("eq:tpl_expanded",),
    ),
    Claim("pf:eq:tpl1", Item.EQUATION, "Eq. (29)", "TPL, to be rewritten", "The left side of the proof: TPL.",
          Verdict.DEFINITION, _DEFINED),
    Claim("pf:eq:tpl_expanded0", Item.EQUATION, "Eq. (30)", "Outputs apart, one pair",
          "TPL is the supremum over pairs of the sum of each output's supremum.", Verdict.FALSE,
          (_outputs_apart, _on_a_fixed_pair, _recursion_attained),
          corrected="Outputs of the past are independent of those of the future given l^t, but not of each other: the "
          "likelihood splits in three factors only, past, present and future.",
          witness="In the evidence: a 2 × 2 chain where TPL exceeds the sum.",
          by_hand="Two outputs that agree say more together than apart.", errata=("E25",)),
    Claim("pf:eq:tpl_expanded1", Item.EQUATION, "Eq. (31)", "The pair apart as well",
          "The supremum over pairs may be taken in each summand.", Verdict.UPPER_BOUND, _TPL,
          corrected="One pair of values need not be the worst for all; a sum of suprema bounds the supremum.",
          errata=("E1",)),
    Claim("pf:eq:tpl_expanded2", Item.EQUATION, "Eq. (32)", "Put together again", "The sum is BPL + FPL − PL_0.",
          Verdict.FALSE, _TPL, corrected=_SAFE, witness=_BELOW, by_hand=_BELOW_BY_HAND, errata=("E1", "E33")),
    Claim("Definition 6", Item.DEFINITION, "Definition 6", "BPL", "The same with the outputs up to t.",
          Verdict.DEFINITION, _DEFINED, also=("eq:bpl1", "eq:bpl2")),
    Claim("Definition 7", Item.DEFINITION, "Definition 7", "FPL", "The same with the outputs from t on.",
          Verdict.DEFINITION, _DEFINED, also=("eq:fpl1", "eq:fpl2")),
    Claim("eq:tpl_comp1", Item.EQUATION, "Eq. (10)", "TPL of one user", "TPL = BPL + FPL − PL_0.", Verdict.FALSE,
          _TPL, corrected=_SAFE, witness=_BELOW, by_hand=_BELOW_BY_HAND, errata=("E1", "E33")),
    Claim("eq:tpl_comp2", Item.EQUATION, "Eq. (11)", "TPL over users", "The same with the greatest of each over users.",
          Verdict.FALSE, (_two_users, _population_bounded, *_TPL),
          corrected="With the recursions and one budget for all an upper bound, strict where "
          "different users attain the "
          "greatest BPL and the greatest FPL; with BPL and FPL as defined not even that (Theorem 2).",
          witness="Two users, one known backward, one forward, both by the identity, e^ε = 2, T = "
          "3: log 8 against log 4.",
          by_hand="BPL_2 = 2ε for the first user, FPL_2 = 2ε for the second; TPL_2 of each is 2ε, not 3ε.",
          errata=("E1", "E13", "E33")),
    Claim("eq:bpl_cal", Item.EQUATION, "Eq. (12)", "BPL expanded", "The past's supremum plus the present's.",
          Verdict.UPPER_BOUND, _RECURSION, errata=("E1",),
          corrected="One supremum over pairs of both summands: apart, they bound it."),
    Claim("eq:bpl_f", Item.EQUATION, "Eq. (13)", "The backward recursion", "BPL_t = L^B(BPL_{t−1}) + ε_t.",
          Verdict.UPPER_BOUND, _RECURSION, errata=("E1",),
          corrected="BPL_t ≤ L^B(BPL_{t−1}) + ε_t; attained for t ≤ 2 by a suitable mechanism, in "
          "general not for t ≥ 3.",
          witness="Rows (0, 1), (1/2, 1/2), initial (1/2, 1/2), e^ε = 2: BPL_3 = log(18/5), the recursion log(58/15).",
          by_hand="The likelihoods of two outputs cannot take all the vectors of the box [1, e^BPL_2]^2."),
    Claim("eq:fpl_cal", Item.EQUATION, "Eq. (14)", "FPL expanded", "The future's supremum plus the present's.",
          Verdict.UPPER_BOUND, _RECURSION, errata=("E1",), corrected="As [eq:bpl_cal]."),
    Claim("eq:fpl_f", Item.EQUATION, "Eq. (15)", "The forward recursion", "FPL_t = L^F(FPL_{t+1}) + ε_t.",
          Verdict.UPPER_BOUND, _RECURSION, errata=("E1",), corrected="As [eq:bpl_f]."),
    Claim("eq:bpl_cal_1st", Item.EQUATION, "Eq. (17)", "The first term of BPL", "The past's supremum.",
          Verdict.UPPER_BOUND, _RECURSION, corrected="It is at most L^B(BPL_{t−1}).", errata=("E1",)),
    Claim("example", Item.EXAMPLE, "Example 1", "Counts of locations",
          "Lap(2/ε) gives ε-DP, but only 2ε where loc_4 is always followed by loc_5.", Verdict.HOLDS,
          (_example_1, _example_1_defined), by_hand="One user who moves changes 2 counts now and 2 later.",
          corrected="In the worst case, as said: where the other place may lead to loc_5 as well it is less."),
    Claim("fig:corr_example", Item.FIGURE, "Figure 1", "Continuous release", "A picture of the setting of Example 1.",
          Verdict.DEFINITION, (_example_1,), corrected="It makes no claim beyond Example 1; it is not in the source."),
    Claim("example:bpl", Item.EXAMPLE, "Example 2", "BPL due to previous releases",
          "Linear for the identity, constant without correlation, between for (0.8 0.2; 0 1).", Verdict.HOLDS,
          (_figure_3, _figure_3_defined), by_hand="L(α) = α gives tε; L = 0 gives ε."),
    Claim("example:fpl", Item.EXAMPLE, "Example 3", "FPL due to future releases",
          "The same from the other end; a further release updates all FPL.", Verdict.HOLDS,
          (_figure_3, _figure_3_defined), by_hand="FPL_t = (T − t + 1)ε for the identity."),
    Claim("fig:tpl", Item.FIGURE, "Figure 3", "BPL, FPL and TPL of a 0.1-DP mechanism",
          "The three correlations over ten times; TPL = T·0.1 for the strongest.", Verdict.CORRECTED,
          (_figure_3, _figure_3_defined, _no_such_chain),
          corrected="The numbers are those of the recursions. The moderate curve of (c) has P^B = "
          "P^F = (0.8 0.2; 0 1), "
          "which no Markov chain has with both values possible: of state 1 it says that it is never reached from 2, "
          "and that it comes from 2 with probability 0.2.",
          witness="P^B = P^F = (4/5, 1/5), (0, 1).",
          by_hand="P^F_21 = 0: nobody goes from 2 to 1; P^B_12 = 1/5: of those in 1 a fifth came from 2.",
          errata=("E22",)),
    Claim("def:DP", Item.DEFINITION, "Definition 8", "α-DP_T", "TPL at every time is at most α.", Verdict.DEFINITION,
          (_table_2_ends,)),
    Claim("def:combined_pl", Item.DEFINITION, "Definition 9", "TPL of a sequence",
          "The same with the values of a whole window given.", Verdict.DEFINITION, (_user_level, _composition_attained),
          corrected="Over sequences of values that the chain can take; elsewhere the ratio has no meaning."),
    Claim(
        "thm:composition", Item.THEOREM, "Theorem 3, Eq. (16)", "Sequential composition",
        "A window satisfies (α_t^B + Σ ε between + α_{t+j}^F)-DP_T.", Verdict.UPPER_BOUND, _COMPOSITION,
        corrected="At most that; equal, with BPL and FPL as defined, where all transitions are possible.",
        witness="Rows (0, 1), (1/2, 1/2), initial (1/2, 1/2), T = 4, e^ε = 2: M² and M³ leak log 9, the sum is log 10.",
        by_hand="1 is never followed by 1: the worst pairs at the two ends of the window cannot both occur.",
        errata=("E24",),
    ),
    Claim("col:user-level", Item.COROLLARY, "Corollary 1", "User level", "All releases together leak Σε_t.",
          Verdict.UPPER_BOUND, (_user_level, _user_level_strict, _composition_product),
          corrected="At most Σε_t; equal where all values are possible at all times and after one another.",
          witness="Rows (1, 0), (1, 0), T = 2, e^ε = 2: log 2, not log 4.",
          by_hand="From time 2 on there is nothing to find out.", errata=("E24",)),
    Claim("thm:sequential_composition", Item.THEOREM, "Theorem 4", "Composition on independent data",
          "Releases t..t + j together are Σε-DP.", Verdict.HOLDS, (_sequential, _sequential_enumerated)),
    Claim("tb:composition", Item.TABLE, "Table 2", "Guarantees on independent and correlated data",
          "Event level ε ≤ α ≤ Tε; w-event by Theorem 3; user level Tε.", Verdict.HOLDS,
          (_table_2, _table_2_ends, _composition_safe, _composition_product), also=("tb:diff",)),
)  # fmt: skip
