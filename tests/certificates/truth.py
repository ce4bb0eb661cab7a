"""Whether a certificate states the truth: decided without the checker, by all subsets and by mpmath."""

import json
from fractions import Fraction
from functools import cache
from itertools import islice, pairwise, permutations, product, repeat

from flint import arb, ctx
from mpmath import mp

from tploracle.reference import (
    INFINITE,
    ZERO,
    Level,
    OracleError,
    TransitionMatrix,
    Undecided,
    algorithm_2,
    algorithm_6,
    parse_level,
    parse_number,
)
from tploracle.reference.correlations import check_distribution
from tploracle.reference.formulas import ball_of
from tploracle.reference.paper.lfp import Subset, is_greater, subset
from tploracle.reference.worst_case.boundedness import boundedness
from tploracle.reference.worst_case.leakage import NO_SIDE, added, side_of
from tploracle.reference.worst_case.sweep import OneSide
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.solvers.worst_case.leakage_profile import leakage_profile

from .. import in_mpmath, recursions

MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError, OracleError)
PRECISION = 60
EVERY_STEP, OWN_STEP = "each matrix is that of all steps", "each matrix is that of its step"
STATIONARY = "the values are one of the chains, with the probabilities of the prior, and stationary"
CAUSAL = "releases up to the time read no later values, or for a forward matrix those from it on no earlier ones"
BOTH_OCCUR = "both values can occur"
NOT_ADAPTIVE = "mechanisms after a time do not depend on earlier outputs"


def is_true(document):
    """Whether everything that the document states is so; a document that states nothing definite is not."""
    try:
        keys, states = KINDS[document["certificate"]]
        return (
            set(document) == {"certificate", "version", *keys.split()}
            and document["version"] == 1
            and states(*(document[key] for key in keys.split()))
        )
    except MALFORMED:
        return False


def greatest_set(pairs, alpha):
    """Return the best of all subsets of all pairs of rows, by the exact comparison of two values at alpha."""
    best = Subset(0, 0, (), Fraction(0), Fraction(0))
    for row_q, row_d in pairs:
        points = {(Fraction(0), Fraction(0))}
        for q, d in zip(row_q, row_d, strict=True):
            points |= {(q_sum + q, d_sum + d) for q_sum, d_sum in points}
        for q_sum, d_sum in points:
            challenger = Subset(0, 0, (), q_sum, d_sum)
            if q_sum > d_sum and is_greater(challenger, best, alpha):
                best = challenger
    return best


def greatest(pairs, alpha):
    """Return the greatest value over all subsets of all pairs of rows at alpha; mpmath has to agree."""
    pairs = list(pairs)
    value = greatest_set(pairs, alpha).value(alpha)
    given = alpha.rational is not None or alpha.ratio is not None
    if given and not alpha.is_zero and (alpha.rational or 0) < 10**4:
        with in_mpmath.precision(PRECISION):
            excess = in_mpmath.excess_of(alpha)
            recomputed = mp.mpf(0)
            for row_q, row_d in pairs:
                order = sorted(range(len(row_q)), key=lambda j: (row_d[j] > 0, row_d[j] and -row_q[j] / row_d[j]))
                q = d = Fraction(0)
                for j in order:
                    q, d = q + row_q[j], d + row_d[j]
                    recomputed = max(recomputed, mp.log1p(in_mpmath.loss_of_sums(q, d, excess)))
            enclosure = value.enclosure(30)
            slack = recomputed * mp.mpf(10) ** -PRECISION
            assert in_mpmath.mpf(Fraction(enclosure.lower)) - slack <= recomputed
            assert recomputed <= in_mpmath.mpf(Fraction(enclosure.upper)) + slack
    return value


def loss_at(matrix, alpha):
    return ZERO if matrix is None else greatest(permutations(matrix.rows, 2), alpha)


def between(bounds, level):
    assert_definite(set(bounds) == {"lower", "upper"})
    return parse_level(bounds["lower"]) <= level <= parse_level(bounds["upper"])


def witness(matrix, rows, columns):
    """Return the set named by rows and columns, which have to exist and to be in rising order."""
    if rows is None:
        assert_definite(columns == [])
        return Subset(0, 0, (), Fraction(0), Fraction(0))
    row_q, row_d = rows
    for index in (row_q, row_d, *columns):
        assert_definite(type(index) is int and 1 <= index <= matrix.n)
    assert_definite(columns == sorted(set(columns)))
    return subset(matrix, row_q - 1, row_d - 1, [column - 1 for column in columns])


def assert_definite(condition):
    if not condition:
        raise ValueError("the document is malformed")


def attains(chosen, alpha, bound):
    """Whether the set gives at least this level at alpha."""
    return chosen.q >= chosen.d and chosen.value(alpha) >= parse_level(bound)


def lfp_optimum(_, q, d, alpha, columns, value, primal, dual):  # noqa: PLR0917
    q, d = ([parse_number(entry) for entry in row] for row in (q, d))
    check_distribution(q, "q")
    check_distribution(d, "d")
    assert_definite(len(q) == len(d) and columns == sorted(set(columns)) and set(columns) <= {*range(1, len(q) + 1)})
    alpha = parse_level(alpha)
    chosen = Subset(0, 1, (), *(sum((row[j - 1] for j in columns), Fraction(0)) for row in (q, d)))
    best = greatest([(q, d)], alpha)
    if not (between(value, best) and attains(chosen, alpha, value["lower"])):
        return False
    if not isinstance(alpha.ratio, Fraction):
        return primal is None and dual is None
    assert_definite(set(primal) == {"t", "y"} and set(dual) == {"lambda", "u", "w"})
    optimum, t = parse_number(dual["lambda"]), parse_number(primal["t"])
    y, u, w = ([parse_number(entry) for entry in row] for row in (primal["y"], dual["u"], dual["w"]))
    return (
        len(y) == len(u) == len(w) == len(q)
        and min(*u, *w) >= 0
        and best.ratio == optimum == chosen.value(alpha).ratio
        and sum(a * b for a, b in zip(q, y, strict=True)) == optimum
        and sum(a * b for a, b in zip(d, y, strict=True)) == 1
        and max(y) <= alpha.ratio * t
        and min(y) >= t
        and [a - optimum * b for a, b in zip(q, d, strict=True)] == [b - a for a, b in zip(u, w, strict=True)]
        and sum(u) == alpha.ratio * sum(w)
    )


def loss(_, matrix, alpha, rows, columns, bounds, level):  # noqa: PLR0917
    matrix, alpha = TransitionMatrix.of(matrix), parse_level(alpha)
    value = loss_at(matrix, alpha)
    chosen = witness(matrix, rows, columns)
    return between(bounds, value) and between(level, value) and attains(chosen, alpha, bounds["lower"])


def loss_function(matrix, pieces):
    """Each piece is the best set within it and the best at both ends; no two neighbours are the same function."""
    matrix = TransitionMatrix.of(matrix)
    pairs = list(permutations(matrix.rows, 2))
    end, before = ZERO, None
    for piece in pieces:
        assert_definite(set(piece) == {"q", "d", "from", "to", "rows", "subset"})
        q, d = parse_number(piece["q"]), parse_number(piece["d"])
        start, stop = parse_level(piece["from"]), parse_level(piece["to"])
        chosen = witness(matrix, piece["rows"], piece["subset"])
        if (chosen.q, chosen.d) != (q, d) or start != end or stop <= start or (q, d) == before:
            return False
        if q == d and (q != 0 or len(pieces) > 1):
            return False
        low, high = (None if level.is_infinite else level.ratio for level in (start, stop))
        inside = [low + (1 if high is None else (high - low) / 2)]
        inside += [low + 10**60] if high is None else [high, low + (high - low) / 10**9]
        for ratio in inside:
            level = Level.of_ratio(ratio)
            if greatest(pairs, level) != chosen.value(level):
                return False
        end, before = stop, (q, d)
    return end.is_infinite and greatest(pairs, INFINITE) == chosen.value(INFINITE)


def leakage(_, backward, forward, epsilons, bpl, fpl, tpl):  # noqa: PLR0917
    budgets = [parse_level(epsilon) for epsilon in epsilons]
    assert_definite(len(budgets) == len(bpl) == len(fpl) == len(tpl) > 0)
    past, future = _of_steps((backward, forward), len(budgets) - 1)
    there, _ = zip(*_recursion([_first(backward), *past], budgets, bpl), strict=True)
    _, later = zip(*_recursion([_first(forward), *future[::-1]], budgets[::-1], fpl[::-1]), strict=True)
    return all(between(bounds, a + b) for bounds, a, b in zip(tpl, there, later[::-1], strict=True))


def _first(known):
    """Return what a release without one before it may name rows of: the one matrix of all steps."""
    return None if known is None or isinstance(known, dict) else TransitionMatrix.of(known)


def _of_steps(known, count):
    """Return the matrix of each step of both sides, None where it is not known: one, one of each, or a cycle."""
    each = []
    for own in known:
        if isinstance(own, dict):
            (kind,) = own
            assert_definite(kind in ("steps", "cycle") and (len(own[kind]) == count or kind == "cycle"))
            some = [TransitionMatrix.of(rows) for rows in own[kind]]
        else:
            some = [None if own is None else TransitionMatrix.of(own)]
        assert_definite(some or not count)
        each.append(some)
    assert_definite(len({matrix.n for some in each for matrix in some if matrix}) < 2)
    return [[some[step % len(some)] for step in range(count)] for some in each]


def _recursion(matrices, budgets, steps):
    """Yield the leakage and the loss that is in it; raises ValueError where a step states something false."""
    level = ZERO
    for matrix, budget, step in zip(matrices, budgets, steps, strict=True):
        assert_definite(set(step) == {"rows", "subset", "loss", "bounds", "level"})
        chosen = witness(matrix, step["rows"], step["subset"])
        lost = loss_at(matrix, level)
        assert_definite(between(step["loss"], lost) and attains(chosen, level, step["loss"]["lower"]))
        level = lost + budget
        assert_definite(between(step["bounds"], level) and between(step["level"], level))
        yield level, lost


def bounded(_, matrix, epsilon, bound, level):
    """A step from the bound stays below it exactly where it is at least the supremum."""
    bound = parse_level(bound)
    return not bound.is_infinite and limit(matrix, epsilon) <= bound <= parse_level(level)


def bounded_below(_, matrix, epsilon, rows, columns, bound, level):  # noqa: PLR0917
    chosen = witness(TransitionMatrix.of(matrix), rows, columns)
    bound = parse_level(bound)
    return (
        not bound.is_infinite
        and parse_level(level) <= bound <= limit(matrix, epsilon)
        and chosen.q >= chosen.d
        and bound <= chosen.value(bound) + parse_level(epsilon)
    )


def divergent(_, matrix, epsilon, rows, columns):
    chosen = witness(TransitionMatrix.of(matrix), rows, columns)
    epsilon = parse_level(epsilon)
    infinite = epsilon.is_infinite or epsilon.sign_of_linear(chosen.q - 1, chosen.q) >= 0
    return limit(matrix, epsilon.full_text()).is_infinite and chosen.d == 0 and infinite


def worst_case_upper(_, assumed, backward, forward, epsilons, time, past, future, level):  # noqa: PLR0917
    """No sets give a pair more than its bound, and the greatest product of two bounds is in the claim."""
    times = [time] if time is not None else range(1, len(epsilons) + 1)
    for number, at in enumerate(times):
        products = {}
        for steps, tables, budgets in _sides_of_time(backward, forward, epsilons, at, (past, future)):
            if steps is None:
                assert_definite(tables is None)
                continue
            assert_definite(len(tables) == len(times))
            side = side_of(steps, budgets)
            n = _size(backward) or _size(forward)
            if not _bounds_hold(products, n, tables[number], lambda pair, side=side: added(side, NO_SIDE, [pair])):
                return False
        best = Level.of_ratio(max(products.values(), default=Fraction(1)))
        if parse_level(epsilons[at - 1]) + best > parse_level(level):
            return False
    return assumed == [_assumption(backward, forward), NOT_ADAPTIVE]


def _exceeds(found, bound):
    """Whether a level is above a bound; what no precision tells apart is equal."""
    if not found.is_zero:
        found.enclosure(9)  # or what cannot be enclosed is not known
    try:
        return found.compare(bound) > 0
    except Undecided:
        return False


def _bounds_hold(products, n, table, greatest):
    """Whether each pair's bound is at least its greatest ratio; multiplies the bounds into the products."""
    bounds = [[parse_number(entry) for entry in row] for row in table]
    assert_definite([len(row) for row in bounds] == [n] * n and all(bounds[j][j] == 1 for j in range(n)))
    for j, k in permutations(range(n), 2):
        if bounds[j][k] < 1 or _exceeds(greatest((j, k)), Level.of_ratio(bounds[j][k])):
            return False
        products[j, k] = products.get((j, k), 1) * bounds[j][k]
    return True


def worst_case_lower(_, assumed, backward, forward, epsilons, time, rows, past, future, level):  # noqa: PLR0917
    """The likelihoods for these sets, in balls of many bits; and the worst mechanisms have no less."""
    assert_definite(assumed == [_assumption(backward, forward), BOTH_OCCUR, "the matrices are those of one chain"])
    j, k = (row - 1 for row in rows)
    assert_definite(j != k and min(j, k) >= 0 and max(j, k) < (n := _size(backward) or _size(forward)))
    with ctx.workprec(2_000):
        reached = _ball(parse_level(epsilons[time - 1]))
        for matrices, sets, budgets in _sides_of_time(backward, forward, epsilons, time, (past, future)):
            assert_definite(len(sets) == (0 if matrices is None else len(budgets)))
            f = _asked_about(matrices or (), sets, budgets, n)
            reached = reached * (f[j] / f[k]).max(arb(1)) if sets else reached  # or asks nothing
        return bool(not _ball(parse_level(level)) > reached)


def _asked_about(matrices, sets, budgets, n):
    """Return the likelihoods of all answers yes given each value, up to a factor, in balls."""
    f = [arb(1)] * n
    for matrix, chosen, budget in zip(matrices, sets, budgets, strict=False):
        assert_definite(all(type(a) is int and 1 <= a <= len(f) for a in chosen))
        assert_definite(chosen == sorted(set(chosen)))
        f = [_ball(budget) * x if a in chosen else x for a, x in enumerate(f, 1)]
        f = [sum((ball_of(p) * x for p, x in zip(row, f, strict=True)), arb(0)) for row in matrix]
    return f


def worst_case_forever(_, assumed, backward, forward, epsilon, past, future, level):  # noqa: PLR0917
    """No pair ever has more than its bound, barriers are some, and the greatest product of bounds is in the claim."""
    budget = parse_level(epsilon)
    assert_definite(not budget.is_infinite)
    assert_definite(len({len(rows) for rows in (backward, forward) if rows is not None}) < 2)
    products = {}
    for rows, stated in ((backward, past), (forward, future)):
        if rows is None:
            assert_definite(stated is None)
            continue
        matrix = TransitionMatrix.of(rows)
        assert_definite(set(stated) == {"steps", "barriers", "ratios"})
        assert_definite(
            type(stated["steps"]) is int and 0 <= stated["steps"] <= 10**6 and len(stated["barriers"]) <= 100
        )
        if not all(_lowers(matrix, budget, **barrier) for barrier in stated["barriers"]):
            return False
        if not _bounds_hold(
            products, matrix.n, stated["ratios"], lambda pair, own=rows: _for_ever(json.dumps(own), epsilon, pair)
        ):
            return False
    best = Level.of_ratio(max(products.values(), default=Fraction(1)))
    return budget + best <= parse_level(level) and assumed == [EVERY_STEP, NOT_ADAPTIVE]


@cache
def _for_ever(rows, epsilon, pair):
    """Return the supremum of a pair's ratio over all horizons."""
    matrix, budget = TransitionMatrix.of(json.loads(rows)), parse_level(epsilon)
    if budget.is_zero:
        return ZERO
    assert_definite(boundedness(matrix, budget).is_bounded)
    return added((OneSide((matrix.rows,), for_ever=True), (budget,)), NO_SIDE, [pair])


def _lowers(matrix, budget, *, above, below, theta, turns=None):
    """Whether a step with the budget takes h to at most θ·h, θ < 1: a linear condition on e^ε for each entry.

    Several steps do by balls of many bits.
    """
    if turns is not None:
        return _lowers_by_and_by(matrix, budget, (above, below), parse_number(theta), turns)
    up, down = ([parse_number(entry) for entry in part] for part in (above, below))
    assert_definite(len(up) == len(down) == matrix.n)
    h, theta = [x - y for x, y in zip(up, down, strict=True)], parse_number(theta)
    for a, bound in enumerate(h):
        rising = sum((matrix.rows[b][a] * max(x, 0) for b, x in enumerate(h)), Fraction(0))
        falling = sum((matrix.rows[b][a] * min(x, 0) for b, x in enumerate(h)), Fraction(0))
        if budget.sign_of_linear(rising + falling - theta * bound, rising) > 0:
            return False
    return theta < 1


def _lowers_by_and_by(matrix, budget, parts, theta, turns):
    assert_definite(type(turns) is int and turns > 1)
    with ctx.workprec(4_000):
        up, down = ([ball_of(parse_number(entry)) for entry in part] for part in parts)
        h = c = [x - y for x, y in zip(up, down, strict=True)]
        for _ in range(turns):
            weighted = [_ball(budget) * x if x > 0 else x for x in c]
            c = [
                sum((ball_of(row[b]) * x for row, x in zip(matrix.rows, weighted, strict=True)), arb(0))
                for b in range(len(h))
            ]
        return theta < 1 and all(bool(x <= ball_of(theta) * y) for x, y in zip(c, h, strict=True))


def worst_case_divergent(_, assumed, rows, epsilon, sets, onward, weights):  # noqa: PLR0917
    """The criterion says so, and the sets are what they are said to be: by where a step from them leads."""
    matrix, budget = TransitionMatrix.of(rows), parse_level(epsilon)
    for own in sets:
        assert_definite(own and all(type(a) is int and 1 <= a <= matrix.n for a in own) and own == sorted(set(own)))
    assert_definite(len(sets) >= 2 and sum(map(len, sets)) == len(set().union(*sets)))
    assert_definite(not budget.is_infinite and not budget.is_zero)
    true = assumed == [EVERY_STEP, "the values can occur at all times"] and not boundedness(matrix, budget).is_bounded
    if weights is None:
        assert_definite(len(onward) == len(sets) and set(onward) <= {*range(1, len(sets) + 1)})
        assert_definite(all(type(to) is int for to in onward))
        led = [set(matrix_from(matrix, own)) <= set(sets[to - 1]) for own, to in zip(sets, onward, strict=True)]
        return true and all(led) and len(set(onward)) == len(onward)
    (grows, stays), w = sets, [parse_number(weight) for weight in weights]
    assert_definite(onward is None and len(w) == len(grows))
    after = [
        sum((x * matrix.rows[a - 1][b] for x, a in zip(w, grows, strict=True)), Fraction(0)) for b in range(matrix.n)
    ]
    kept = [budget.sign_of_linear(after[b - 1] - x, after[b - 1]) >= 0 for x, b in zip(w, grows, strict=True)]
    leaves = any(after[b] for b in range(matrix.n) if b + 1 not in grows)
    return true and all(kept) and leaves and set(matrix_from(matrix, stays)) <= set(stays)


def matrix_from(matrix, values):
    """Return the values, counted from 1, that a step from some values may lead to."""
    return [b + 1 for b in range(matrix.n) if any(matrix.rows[a - 1][b] for a in values)]


def _ball(level):
    """Return a ball of e^level."""
    return 1 + ball_of(level.ratio - 1) if isinstance(level.ratio, Fraction) else 1 + level._ball_at(2_000)


def _sides_of_time(backward, forward, epsilons, time, stated):
    """Yield, of the past and the future, the matrix of each step, what is stated, and the budgets, the farthest first.

    There are no matrices, but None, where they are not known.
    """
    assert_definite(type(time) is int and 1 <= time <= len(epsilons))
    budgets = tuple(parse_level(epsilon) for epsilon in epsilons)
    assert_definite(not any(budget.is_infinite for budget in budgets))
    past, future = _of_steps((backward, forward), len(epsilons) - 1)
    yield None if backward is None else [p.rows for p in past[: time - 1]], stated[0], budgets[: time - 1]
    yield None if forward is None else [p.rows for p in future[time - 1 :][::-1]], stated[1], budgets[time:][::-1]


def _size(known):
    """Return how many values there are, by one matrix or by those of each step, 0 without any."""
    each = next(iter(known.values())) if isinstance(known, dict) else [known]
    return len(each[0]) if each and each[0] is not None else 0


def _assumption(*known):
    return OWN_STEP if any(isinstance(own, dict) for own in known) else EVERY_STEP


def limit(matrix, epsilon):
    """Return the supremum with one budget at every time."""
    return _limit(json.dumps(matrix), epsilon)


@cache
def _limit(matrix, epsilon):
    """By Algorithm 6, over all the entries of Algorithm 2; the recursion in mpmath has to agree."""
    matrix, epsilon = TransitionMatrix.of(json.loads(matrix)), parse_level(epsilon)
    found = algorithm_6(algorithm_2(matrix), epsilon).level
    if epsilon.is_zero or epsilon.is_infinite or (epsilon.rational or 0) > 10**4:
        return found
    all_points = recursions.points(matrix)
    with mp.workdps(4 * PRECISION):
        budget, points = in_mpmath.excess_of(epsilon), recursions.rounded(all_points)
        steep = [q * (budget + 1) - 1 for q, d in points if d == 0]
        if any(abs(room) < mp.mpf(10) ** -PRECISION for room in steep):
            return found  # on the boundary itself, or as good as on it: only what is exact can tell
        recomputed = recursions.fixed_point(points, budget)
        assert (recomputed is None) == found.is_infinite == any(room > 0 for room in steep)
        below, slack = list(islice(recursions.leakages(points, repeat(budget)), 20)), mp.mpf(10) ** -PRECISION
        assert all(before <= after * (1 + slack) for before, after in pairwise(below))
        if recomputed is not None:
            low, high = (mp.expm1(in_mpmath.mpf(Fraction(end))) for end in _ends(found))
            assert low * (1 - slack) <= recomputed <= high * (1 + slack)
            assert below[-1] <= recomputed * (1 + slack)
    return found


def _ends(level):
    enclosure = level.enclosure(30)
    return enclosure.lower, enclosure.upper


def mixture_upper(_, assumed, prior, chains, epsilons, time, level):  # noqa: PLR0917
    """The bounds of each chain hold, and with what each chain's posterior adds they are in the claim."""
    best = Fraction(1)
    for chain, weights in zip(chains, _posteriors(assumed, prior, chains, "past future"), strict=True):
        products, stated = {}, (chain["past"], chain["future"])
        n = _size(chain["backward"])
        for steps, tables, budgets in _sides_of_time(chain["backward"], chain["forward"], epsilons, time, stated):
            assert_definite(len(tables) == 1)
            side = side_of(steps, budgets)
            if not _bounds_hold(products, n, tables[0], lambda pair, side=side: added(side, NO_SIDE, [pair])):
                return False
        best = max(best, *(bound * weights[j] / weights[k] for (j, k), bound in products.items()))
    return parse_level(epsilons[time - 1]) + Level.of_ratio(best) <= parse_level(level)


def mixture_lower(_, assumed, prior, chains, epsilons, time, rows, past, future, level):  # noqa: PLR0917
    """The likelihoods for these sets in each chain, in balls of many bits, mixed by the posteriors."""
    j, k = (row - 1 for row in rows)
    assert_definite(j != k and min(j, k) >= 0)
    with ctx.workprec(2_000):
        mixed = [arb(0), arb(0)]
        for chain, weights in zip(chains, _posteriors(assumed, prior, chains, ""), strict=True):
            own = [ball_of(weights[j]), ball_of(weights[k])]
            matrices = chain["backward"], chain["forward"]
            for steps, sets, budgets in _sides_of_time(*matrices, epsilons, time, (past, future)):
                assert_definite(len(sets) == len(budgets))
                f = _asked_about(steps, sets, budgets, len(weights))
                own = [own[0] * f[j], own[1] * f[k]]
            mixed = [x + y for x, y in zip(mixed, own, strict=True)]
        reached = _ball(parse_level(epsilons[time - 1])) * (mixed[0] / mixed[1]).max(arb(1))  # or asks nothing
        return bool(not _ball(parse_level(level)) > reached)


def _posteriors(assumed, prior, chains, keys):
    """Return Pr(θ | value) for each chain and value, by Bayes from distributions that the matrices are about."""
    assert_definite(assumed == [EVERY_STEP, STATIONARY])
    shares = [parse_number(own) for own in prior]
    check_distribution(tuple(shares), "the prior")
    assert_definite(all(shares) and len(shares) == len(chains))
    joint = []
    for chain, share in zip(chains, shares, strict=True):
        assert_definite(set(chain) == {"stationary", "backward", "forward", *keys.split()})
        pi = [parse_number(own) for own in chain["stationary"]]
        check_distribution(tuple(pi), "the stationary distribution")
        backward, forward = (TransitionMatrix.of(chain[key]).rows for key in ("backward", "forward"))
        assert_definite(all(pi) and len(pi) == len(backward) == len(forward) == len(chains[0]["stationary"]))
        for a, b in product(range(len(pi)), repeat=2):
            assert_definite(pi[a] * forward[a][b] == pi[b] * backward[b][a])
        joint.append([share * own for own in pi])
    totals = [sum(column) for column in zip(*joint, strict=True)]
    return [[own / total for own, total in zip(row, totals, strict=True)] for row in joint]


def profile_upper(_, assumed, matrix, epsilon, delta_per_release, releases, alpha, delta):  # noqa: PLR0917
    assert_definite(assumed == [EVERY_STEP, CAUSAL])
    alpha, delta = parse_level(alpha), parse_number(delta)
    assert_definite(not alpha.is_infinite)
    return delta >= 1 or _least_alpha(matrix, epsilon, delta_per_release, releases, delta) <= alpha


def profile_lower(_, assumed, matrix, epsilon, delta_per_release, releases, rows, peaks, start, alpha, delta):  # noqa: PLR0917
    """By its definition: the chance of the set given each sequence of values, e^ε and e^α in balls."""
    assert_definite(assumed == [EVERY_STEP, BOTH_OCCUR])
    p, (j, k), own = TransitionMatrix.of(matrix).rows, rows, parse_number(delta_per_release)
    n = len(p)
    assert_definite(1 <= min(rows) <= max(rows) <= n and j != k and all(type(each) is int for each in rows))
    assert_definite(len(peaks) == releases - 1 and all(len(each) == n for each in peaks) and own <= 1)
    places, u = [[parse_number(x) for x in each] for each in peaks], parse_number(start)
    assert_definite(all(0 <= x <= 1 for each in [*places, [u]] for x in each))
    level, at = parse_level(epsilon), parse_level(alpha)
    assert_definite(not level.is_infinite and not at.is_infinite)
    phi = TradeOff.approximate(1 + level.excess_bounds(600)[0], own)
    told = {row: Fraction(0) for row in (j, k)}
    for values in product(range(n), repeat=releases - 1):
        v = u
        for each, a in zip(places[::-1], values[::-1], strict=True):
            v = min(max(each[a], v), phi(v))
        for row in told:
            chance = Fraction(1)
            for a, b in pairwise((row - 1, *values)):
                chance *= p[a][b]
            told[row] += chance * (phi(v) if row == j else v)
    return told[j] - (1 + at.excess_bounds(600)[1]) * told[k] >= parse_number(delta)


def _least_alpha(matrix, epsilon, own, releases, delta):
    """Return the least level by `leakage_profile`, the sweep or another recursion than the checker's, exact."""
    assert_definite(type(releases) is int and 1 <= releases <= 40)
    level = parse_level(epsilon)
    assert_definite(not level.is_infinite)
    known = TransitionMatrix.of(matrix)
    return leakage_profile(level, releases, delta=delta, delta_per_release=parse_number(own), backward=known).bpl[-1]


KINDS = {
    "lfp-optimum": ("digits q d alpha subset value primal dual", lfp_optimum),
    "loss": ("digits matrix alpha rows subset loss level", loss),
    "loss-function": ("matrix pieces", loss_function),
    "leakage": ("digits backward forward epsilons bpl fpl tpl", leakage),
    "bounded": ("digits matrix epsilon bound level", bounded),
    "bounded-below": ("digits matrix epsilon rows subset bound level", bounded_below),
    "divergent": ("digits matrix epsilon rows subset", divergent),
    "worst-case-upper": ("digits assumed backward forward epsilons time past future level", worst_case_upper),
    "worst-case-forever": ("digits assumed backward forward epsilon past future level", worst_case_forever),
    "worst-case-divergent": ("digits assumed matrix epsilon sets next weights", worst_case_divergent),
    "worst-case-lower": ("digits assumed backward forward epsilons time rows past future level", worst_case_lower),
    "mixture-upper": ("digits assumed prior chains epsilons time level", mixture_upper),
    "mixture-lower": ("digits assumed prior chains epsilons time rows past future level", mixture_lower),
    "profile-upper": ("digits assumed matrix epsilon delta_per_release releases alpha delta", profile_upper),
    "profile-lower": (
        "digits assumed matrix epsilon delta_per_release releases rows peaks start alpha delta",
        profile_lower,
    ),
}
