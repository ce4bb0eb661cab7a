"""Certificates on either side of the truth: what is false by less than any rounding is rejected, what is true is not.

The truth is a fraction, by the definitions or `reference`. At one digit the checker computes in 132 bits: a claim that
is wrong by 2^−m is accepted for some m near that if one rounding goes the wrong way.
"""

import json
from contextlib import nullcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import prod
from random import Random

import pytest

from tploracle.certificates.checker import NotDecided, Rejected, check
from tploracle.certificates.recursion import lfp_optimum_certificate, loss_function_certificate
from tploracle.reference import Level, TransitionMatrix, loss_function, parse_level
from tploracle.reference.worst_case.sweep import OneSide, worst
from tploracle.reference.worst_case.trade_off import TradeOff
from tploracle.solvers.worst_case.leakage_profile import leakage_profile

EVERY_STEP, OWN_STEP = "each matrix is that of all steps", "each matrix is that of its step"
CAUSAL = "releases up to the time read no later values, or for a forward matrix those from it on no earlier ones"
NOT_ADAPTIVE = "mechanisms after a time do not depend on earlier outputs"
STATIONARY = "the values are one of the chains, with the probabilities of the prior, and stationary"
ANYTHING = "400"
HEAD = {"version": 1, "digits": 1}
NEARER = [Fraction(1, 2**bits) for bits in range(110, 158, 2)]
"""By how much claims are false: from far more than all roundings of 132 bits together to far less than one."""


def text(number):
    return str(Fraction(number))


def rows_of(random, n, most=11):
    weights = [[random.randint(0, most) for _ in range(n)] for _ in range(n)]
    return tuple(tuple(Fraction(w, sum(row)) for w in row) if sum(row) else (Fraction(1, n),) * n for row in weights)


def texts(rows):
    return [list(map(text, row)) for row in rows]


def assert_boundary(document_at, truth, side):
    """Assert that a claim is accepted well on the true side of the truth, and rejected on the other, however near.

    Args: side, 1 if claims from the truth upward are true, −1 if those downward.
    """
    assert check(json.dumps(document_at(truth * (1 + side * Fraction(1, 2**60)))))
    on_grid = [Fraction(side * (side * truth * 2**bits // 1), 2**bits) for bits in range(124, 136)]
    for claim in [*(truth * (1 - side * part) for part in NEARER), *on_grid]:
        if claim != truth:
            with pytest.raises(Rejected):
                check(json.dumps(document_at(claim)))


def streams(count, releases=4):
    """Yield matrices for each step, ratios e^ε of the releases before a time and at it, and two values."""
    random = Random(1)
    while count:
        n = random.randint(2, 4)
        steps = [rows_of(random, n) for _ in range(random.choice([1, releases - 1]))]
        budgets = [f"log({random.randint(12, 40)}/{random.choice([7, 8, 9, 11])})" for _ in range(releases)]
        if count % 2:  # so that few roundings are between a claim and its verdict
            order = random.sample(range(n), n)
            turn = [[Fraction(a == b) for b in order] for a in range(n)]
            near = [[Fraction(w, 8) for w in random.choice(EIGHTHS[n])] for _ in range(n)]
            steps, budgets = [turn] * (releases - 2) + [near], [random.choice(BUDGETS)] * releases
        ratios = [1 + parse_level(own).excess_bounds(400)[0] for own in budgets]
        each = steps * (releases - 1) if len(steps) == 1 else steps
        before = OneSide(tuple(tuple(map(tuple, own)) for own in each))
        pair = tuple(random.sample(range(n), 2))
        found = worst(before, ratios[:-1], pair)
        if found and found.ratio > 1:
            count -= 1
            yield steps, budgets, pair, found, ratios[-1]


EIGHTHS = {n: [row for row in product(range(9), repeat=n) if sum(row) == 8] for n in (2, 3, 4)}
BUDGETS = ["log(5/4)", "log(13/11)", "1/10", "log(1000/7)", "5"]
STREAMS = list(streams(100))


def correlation(steps):
    return texts(steps[0]) if len(steps) == 1 else {"steps": list(map(texts, steps))}


@pytest.mark.parametrize("stream", STREAMS)
def test_no_ratio_below_the_greatest_is_proved(stream):
    """`first`, `weighted`, `stepped` and the grid of budgets round upward."""
    steps, budgets, pair, found, _ = stream
    n = len(steps[0])

    def document(ratio):
        table = [["1" if j == k else "1" + "0" * 30 for k in range(n)] for j in range(n)]
        table[pair[0]][pair[1]] = text(ratio)
        return HEAD | {
            "certificate": "worst-case-upper",
            "assumed": [EVERY_STEP if len(steps) == 1 else OWN_STEP, NOT_ADAPTIVE],
            "backward": correlation(steps),
            "forward": None,
            "epsilons": budgets,
            "time": len(budgets),
            "past": [table],
            "future": None,
            "level": ANYTHING,
        }

    assert_boundary(document, found.ratio, 1)


@pytest.mark.parametrize("stream", STREAMS)
def test_no_level_above_what_sets_attain_is_accepted(stream):
    """`answered` rounds the first chance downward, and the second one upward."""
    steps, budgets, pair, found, own = stream

    def document(ratio):
        return HEAD | {
            "certificate": "worst-case-lower",
            "assumed": [
                EVERY_STEP if len(steps) == 1 else OWN_STEP,
                "both values can occur",
                "the matrices are those of one chain",
            ],
            "backward": correlation(steps),
            "forward": None,
            "epsilons": budgets,
            "time": len(budgets),
            "rows": [value + 1 for value in pair],
            "past": [sorted(value + 1 for value in own) for own in found.sets],
            "future": [],
            "level": f"log({ratio})",
        }

    assert_boundary(document, found.ratio * own, -1)


def test_no_barrier_shrinks_faster_than_it_does():
    random = Random(2)
    for turns in (1, 2, 3) * 8:
        n = random.randint(2, 4)
        rows, ratio = rows_of(random, n), Fraction(random.randint(12, 14), 11)
        rows = [[p / 8 for p in row] + [Fraction(7, 8)] for row in rows] + [[Fraction(0)] * n + [Fraction(1)]]
        h = [Fraction(random.randint(10, 30), random.choice([3, 7])) for _ in range(n)] + [Fraction(-1000)]
        after = h
        for _ in range(turns):
            weighted = [x * ratio if x > 0 else x for x in after]
            after = [sum(x * row[b] for x, row in zip(weighted, rows, strict=True)) for b in range(n + 1)]
        theta = max(x / y for x, y in zip(after[:n], h[:n], strict=True))
        assert 0 < theta < 1
        assert after[n] <= theta * h[n]

        def document(shrunk, h=h, rows=rows, ratio=ratio, turns=turns):
            barrier = {
                "above": [text(max(x, 0)) for x in h],
                "below": [text(max(-x, 0)) for x in h],
                "theta": text(shrunk),
            }
            size = len(rows)
            return HEAD | {
                "certificate": "worst-case-forever",
                "assumed": [EVERY_STEP, NOT_ADAPTIVE],
                "backward": texts(rows),
                "forward": None,
                "epsilon": f"log({ratio})",
                "past": {
                    "steps": 1000,
                    "barriers": [barrier | ({"turns": turns} if turns > 1 else {})],
                    "ratios": [["1" if j == k else "1" + "0" * 30 for k in range(size)] for j in range(size)],
                },
                "future": None,
                "level": ANYTHING,
            }

        assert_boundary(document, theta, 1)


# One matrix at a level, the recursion, and (ε, δ): truths by the definitions, of e^α and e^ε to 400 bits.

ALPHAS = ["1/10", "1/3", "5/4", "3"]


@cache
def excess(level):
    return parse_level(level).excess_bounds(400)[0]


@cache
def best(rows, at):
    """Return the greatest e^L, and rows and columns that attain it at an excess."""
    n = len(rows)
    chosen = [None, []], Fraction(1)
    for i, k in product(range(n), repeat=2):
        for columns in ([j for j in range(n) if mask >> j & 1] for mask in range(1 << n)):
            q, d = (sum((rows[own][j] for j in columns), Fraction(0)) for own in (i, k))
            if q > d and (ratio := (q * at + 1) / (d * at + 1)) > chosen[1]:
                chosen = [[i + 1, k + 1], [j + 1 for j in columns]], ratio
    return chosen


def correlated(random):
    """Yield rows of which the loss is above 0."""
    while best(rows := rows_of(random, random.randint(2, 3)), Fraction(1))[1] == 1:
        pass
    return rows


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("kind", ["loss", "lfp-optimum"])
def test_no_loss_on_the_wrong_side_is_accepted(seed, side, kind):
    """The level is enclosed: from above for `loss_at_most`, from below for `attained`."""
    random = Random(seed)
    rows, alpha = correlated(random), random.choice(ALPHAS)
    (row, columns), truth = best(rows, excess(alpha))
    own = {"matrix": texts(rows), "rows": row, "level": {"lower": "0", "upper": ANYTHING}}
    if kind == "lfp-optimum":
        q, d = (texts(rows)[value - 1] for value in row)
        own = {"q": q, "d": d, "primal": None, "dual": None}

    def document(ratio):
        claim = {"lower": "0", "upper": ANYTHING} | {"upper" if side > 0 else "lower": f"log({ratio})"}
        both = {"certificate": kind, "alpha": alpha, "subset": columns}
        return HEAD | both | own | {"loss" if kind == "loss" else "value": claim}

    assert_boundary(document, truth, side)


END = {1: "lower", -1: "upper"}
"""Of an enclosure, the end that is at most as true as what is enclosed."""


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("side", [1, -1])
def test_no_supremum_on_the_wrong_side_is_accepted(seed, side):
    """Both the bound and the level: `bounded` proves upper ones, `bounded-below` lower ones."""
    random = Random(seed)
    rows = correlated(random)
    rows = tuple(tuple((p + Fraction(1, 4)) / (1 + Fraction(len(row), 4)) for p in row) for row in rows)
    epsilon, at = random.choice(ALPHAS), Fraction(1)
    while (after := Fraction(int((1 + excess(epsilon)) * best(rows, at - 1)[1] * 2**400), 2**400)) > at:
        at = after
    row, columns = best(rows, at - 1)[0]
    kind = {"certificate": "bounded"} if side > 0 else {"certificate": "bounded-below", "rows": row, "subset": columns}
    head = HEAD | kind | {"matrix": texts(rows), "epsilon": epsilon}

    def written(ratio):  # in nats it is enclosed, which counts as well
        return f"log({ratio})" if seed % 2 else str(getattr(Level.of_ratio(ratio).enclosure(90), END[side]))

    assert_boundary(lambda ratio: head | {"bound": written(ratio), "level": ANYTHING if side > 0 else "0"}, at, side)
    bound = str(Level.of_ratio(at * (1 + side * Fraction(1, 2**60))).enclosure(70).lower)
    own = 1 + excess(bound)
    assert_boundary(lambda ratio: head | {"bound": bound, "level": f"log({ratio})"}, own, side)


@pytest.mark.parametrize("epsilon", ALPHAS)
def test_no_leakage_that_is_bounded_is_divergent(epsilon):
    """`q e^ε` is rounded downward: it has to be 1 or more."""

    def document(q):
        own = {"matrix": texts([[q, 1 - q], [0, 1]]), "epsilon": epsilon, "rows": [1, 2], "subset": [1]}
        return HEAD | {"certificate": "divergent"} | own

    assert_boundary(document, 1 / (1 + excess(epsilon)), 1)


@pytest.mark.parametrize("away", [sign * part for sign in (1, -1) for part in NEARER])
def test_no_piece_is_other_than_it_is(away):
    """All is exact: where pieces cross, and what they are, is claimed as it is or rejected."""
    rows = [["11/20", "1/20", "1/20", "7/20"], *[["1/4", "1/5", "3/20", "2/5"]] * 3]
    whole = loss_function_certificate(loss_function(TransitionMatrix.of(rows)))
    for place in range(1, len(whole["pieces"])):
        moved = json.loads(json.dumps(whole))
        before, after = moved["pieces"][place - 1 : place + 1]
        (low, high) = parse_level(after["from"]).excess_bounds(400)
        assert low == high
        before["to"] = after["from"] = f"log({(1 + low) * (1 + away)})"
        other = [own | {"q": text(Fraction(own["q"]) + away)} for own in whole["pieces"]]
        for wrong in (moved, whole | {"pieces": other}):
            with pytest.raises(Rejected):
                check(json.dumps(wrong))
    assert len(whole["pieces"]) > 1
    assert check(json.dumps(whole))


PLACES = [
    *((role, time, kind) for role in ("bpl", "fpl") for time in range(3) for kind in ("loss", "bounds", "level")),
    *(("tpl", time, "") for time in range(3)),
]


def recursion_claims(known, epsilons, place, given, side):
    """Return claims about three releases, each from the truth a little outward, and the truth at a place.

    Args: place, where the claim is another one, given, and side: which end of it, 1 for the upper.
    """
    found, totals, of_place = {}, [{1: [], -1: []} for _ in epsilons], None

    def claim(here, truths):
        nonlocal of_place
        ends = {end: max(truth * (1 + end * Fraction(1, 2**70)), Fraction(1)) for end, truth in truths.items()}
        if here == place:
            of_place, ends[side] = truths[side], ends[side] if given is None else given
        return ends, {"lower": f"log({ends[-1]})", "upper": f"log({ends[1]})"}

    for role, rows in zip(("bpl", "fpl"), known, strict=True):
        order = range(3) if role == "bpl" else range(3)[::-1]
        at, steps = {1: Fraction(1), -1: Fraction(1)}, {}
        for time in order:
            ((row, columns), _), own = best(rows, at[-1] - 1), 1 + excess(epsilons[time])
            lost, loss = claim((role, time, "loss"), {end: best(rows, at[end] - 1)[1] for end in at})
            at, bounds = claim((role, time, "bounds"), {end: own * lost[end] for end in at})
            _, level = claim((role, time, "level"), at)
            steps[time] = {"rows": row, "subset": columns, "loss": loss, "bounds": bounds, "level": level}
            for end in at:
                totals[time][end].append(at[end] if role == "bpl" else lost[end])
        found[role] = [steps[time] for time in range(3)]
    found["tpl"] = [
        claim(("tpl", time, ""), {end: own[end][0] * own[end][1] for end in own})[1] for time, own in enumerate(totals)
    ]
    return found, of_place


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("side", [1, -1])
def test_no_leakage_on_the_wrong_side_is_accepted(place, side):
    random = Random(str(place))
    known = [correlated(random) for _ in range(2)]
    if len(known[0]) != len(known[1]):
        known[1] = known[0]
    epsilons = [random.choice(ALPHAS) for _ in range(3)]
    _, truth = recursion_claims(known, epsilons, place, None, side)
    if truth == 1:
        return  # before the first release nothing has leaked, and nothing is lost

    def document(ratio):
        claims, _ = recursion_claims(known, epsilons, place, ratio, side)
        both = {"backward": texts(known[0]), "forward": texts(known[1]), "epsilons": epsilons}
        return HEAD | {"certificate": "leakage", **both, **claims}

    assert_boundary(document, truth, side)


@pytest.mark.parametrize("seed", range(20))
def test_no_chance_above_what_a_set_attains_is_accepted(seed):
    """`asked` and the odds of α round so that the set is told less, and `attained` computes exactly."""
    random = Random(seed)
    while True:
        rows, releases = correlated(random), random.randint(1, 4)
        n, epsilon, alpha = len(rows), random.choice(ALPHAS), random.choice(ALPHAS)
        own = Fraction(random.randint(0, 3), 100)
        peaks = [[Fraction(random.randint(0, 12), 12) for _ in range(n)] for _ in range(releases - 1)]
        start, pair = Fraction(random.randint(0, 12), 13), random.sample(range(n), 2)
        phi = TradeOff.approximate(1 + excess(epsilon), own)
        told = [Fraction(0), Fraction(0)]
        for values in product(range(n), repeat=releases - 1):
            v = start
            for each, a in zip(peaks[::-1], values[::-1], strict=True):
                v = min(max(each[a], v), phi(v))
            for place, first in enumerate(pair):
                chance = prod((rows[a][b] for a, b in pairwise((first, *values))), start=Fraction(1))
                told[place] += chance * (phi(v) if place == 0 else v)
        truth = told[0] - (1 + excess(alpha)) * told[1]
        if truth > 0:
            break

    def document(delta):
        both = {"matrix": texts(rows), "epsilon": epsilon, "delta_per_release": text(own), "releases": releases}
        test = {"rows": [value + 1 for value in pair], "peaks": texts(peaks), "start": text(start)}
        head = HEAD | {"certificate": "profile-lower", "assumed": [EVERY_STEP, "both values can occur"]}
        return head | both | test | {"alpha": alpha, "delta": text(delta)}

    assert_boundary(document, truth, -1)


@pytest.mark.parametrize("seed", range(20))
def test_no_profile_below_the_greatest_is_proved(seed):
    """`asked`, the odds of α, `_up`, `told` and `_greatest` round so that streams are told more."""
    random = Random(seed)
    while True:
        rows, releases, epsilon = correlated(random), random.randint(1, 4), random.choice(ALPHAS)
        own, delta = Fraction(random.choice([0, 0, 1]), 1000), Fraction(random.randint(1, 9), 20)
        known = TransitionMatrix.of(rows)
        level = leakage_profile(parse_level(epsilon), releases, delta=delta, delta_per_release=own, backward=known).bpl[
            -1
        ]
        if not (level.is_zero or level.is_infinite):
            break

    def document(ratio):
        both = {"matrix": texts(rows), "epsilon": epsilon, "delta_per_release": text(own), "releases": releases}
        head = HEAD | {"certificate": "profile-upper", "assumed": [EVERY_STEP, CAUSAL]}
        return head | both | {"alpha": f"log({ratio})", "delta": text(delta)}

    assert_boundary(document, 1 + level.excess_bounds(400)[0], 1)


ON_GRID = Fraction(3 * 2**131 + 12345 * 2, 2**132)


def beside_the_grid(side):
    """A rational level: e^α is above (side = 1) or below a multiple of 2^−132, by less than it is enclosed to."""
    return str(Level.of_ratio(ON_GRID + Fraction(side, 2**149)).enclosure(70).lower)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("beside", [1, -1])
@pytest.mark.parametrize("is_budget", [True, False])
def test_levels_beside_the_grid_are_rounded_from_the_end_that_is_safe(side, beside, is_budget):
    """One release: nothing is rounded but e^ε or e^α, the other is on the grid."""
    epsilon, alpha = (beside_the_grid(beside), "log(5/4)") if is_budget else ("log(7/4)", beside_the_grid(beside))
    phi, odds = TradeOff.approximate(1 + excess(epsilon), Fraction(1, 100)), 1 + excess(alpha)
    u = (1 - Fraction(1, 100)) / (2 + excess(epsilon))  # where φ bends, and the greatest is attained
    start = Fraction(1, 3)
    truth = phi(u) - odds * u if side > 0 else phi(start) - odds * start
    assert truth > 0

    assert_boundary(lambda delta: one_release(side, epsilon, alpha, delta), truth, side)


def one_release(side, epsilon, alpha, delta, start="1/3"):
    both = {"matrix": [["1/2", "1/2"], ["1/4", "3/4"]], "epsilon": epsilon, "delta_per_release": "1/100"}
    both |= {"releases": 1, "alpha": alpha, "delta": text(delta)}
    if side > 0:
        return HEAD | {"certificate": "profile-upper", "assumed": [EVERY_STEP, CAUSAL]} | both
    test = {"rows": [1, 2], "peaks": [], "start": start}
    return HEAD | {"certificate": "profile-lower", "assumed": [EVERY_STEP, "both values can occur"]} | both | test


@pytest.mark.parametrize("side", [1, -1])
def test_a_profile_of_rational_ratios_is_proved_exactly(side):
    ratio, odds, start = Fraction(7, 4), Fraction(5, 4), Fraction(1, 3)
    phi = TradeOff.approximate(ratio, Fraction(1, 100))
    u = (1 - Fraction(1, 100)) / (1 + ratio) if side > 0 else start
    assert is_accepted(one_release(side, f"log({ratio})", f"log({odds})", phi(u) - odds * u))


@pytest.mark.parametrize("side", [1, -1])
def test_what_a_profile_is_about_is_within_its_limits(side):
    document = one_release(side, "log(7/4)", "log(5/4)", 1, start="0")
    assert is_accepted(document | {"delta_per_release": "1"})
    for wrong in ({"delta_per_release": "1.1"}, {"releases": 0, "peaks": []} if side < 0 else {"releases": 0}):
        assert not is_accepted(document | wrong)
    with pytest.raises(NotDecided, match="more than 1000 releases"):
        check(json.dumps(document | {"releases": 1001}))


@pytest.mark.parametrize("wrong", [None, 1, "1", {}])
def test_what_is_no_list_is_rejected(wrong):
    for key in ("epsilons", "past", "backward"):
        if not (key == "backward" and wrong is None):
            assert not is_accepted(HEAD | upper("log(2)", 2) | {key: wrong})


@pytest.mark.parametrize("releases", [1, 2])
def test_without_another_value_nothing_is_told(releases):
    document = one_release(1, "log(7/4)", "log(5/4)", 0) | {"matrix": [["1"]], "releases": releases}
    assert is_accepted(document)


def past(matrix, **kept):
    """What certificates share of which one release is beside the grid, and the next tells nothing."""
    return {"assumed": [EVERY_STEP, *kept.pop("assumed")], "backward": matrix, "forward": None, **kept}


HALVES = [["1/2", "1/2"], ["0", "1"]]
APART = [["0", "0", "1/2", "1/2"], ["0", "0", "0", "1"], *[["0", "0", "1/2", "1/2"]] * 2]
"""What tells 1 from 2 is told at the next step, and no more at those beyond it."""


def first_over_second(n, ratio):
    table = [["1" if j == k else "1" + "0" * 30 for k in range(n)] for j in range(n)]
    table[0][1] = text(ratio)
    return table


def upper(epsilon, ratio):
    head = {"certificate": "worst-case-upper", "epsilons": [epsilon, "0"], "time": 2, "future": None, "level": ANYTHING}
    return past(HALVES, assumed=[NOT_ADAPTIVE], **head, past=[first_over_second(2, ratio)])


def for_ever(epsilon, ratio, steps=1):
    own = {"steps": steps, "barriers": [], "ratios": first_over_second(4, ratio)}
    head = {"certificate": "worst-case-forever", "epsilon": epsilon, "future": None, "level": ANYTHING}
    return past(APART, assumed=[NOT_ADAPTIVE], **head, past=own)


def lower(epsilon, ratio, rows=(1, 2), columns=(1,)):
    assumed = ["both values can occur", "the matrices are those of one chain"]
    head = {"certificate": "worst-case-lower", "epsilons": [epsilon, "0", "log(2)"], "time": 2, "rows": list(rows)}
    return past(HALVES, assumed=assumed, **head, past=[list(columns)], future=[], level=f"log({ratio})")


def lower_of_the_second(epsilon, ratio):
    return lower(epsilon, ratio, rows=(2, 1), columns=(2,))


def mixed(kind, epsilon, ratio, rows=(1, 2), columns=(1,)):
    """Two chains alike: what is told is what one tells."""
    chain = {"stationary": ["1/3", "2/3"], "backward": [["1/2", "1/2"], ["1/4", "3/4"]]}
    chain["forward"] = chain["backward"]
    head = {"certificate": f"mixture-{kind}", "assumed": [EVERY_STEP, STATIONARY], "prior": ["1/4", "3/4"]}
    head |= {"epsilons": [epsilon, "0"], "time": 2}
    if kind == "upper":
        own = {"past": [first_over_second(2, ratio)], "future": [first_over_second(2, 1)]}
        return head | {"chains": [chain | own] * 2, "level": ANYTHING}
    both = {"rows": list(rows), "past": [list(columns)], "future": []}
    return head | both | {"chains": [chain] * 2, "level": f"log({ratio})"}


UNCHANGED = [["1", "0"], ["0", "1"]]
"""Values that never change: 4 is told of the first, and e^ε of the second, by which it is divided."""


def divided(epsilon, ratio):
    sides = {"backward": UNCHANGED, "epsilons": ["log(4)", epsilon, "0"], "time": 3, "past": [[1], [2]]}
    return lower(epsilon, ratio) | sides


def mixture_divided(epsilon, ratio):
    document = mixed("lower", epsilon, ratio)
    chain = document["chains"][0] | {"backward": UNCHANGED, "forward": UNCHANGED}
    return document | {"chains": [chain] * 2, "epsilons": ["log(4)", epsilon, "0"], "time": 3, "past": [[1], [2]]}


def divergent(epsilon, ratio):
    rows = [[text(1 / ratio), text(1 - 1 / ratio)], ["0", "1"]]
    head = {"certificate": "worst-case-divergent", "assumed": [EVERY_STEP, "the values can occur at all times"]}
    return head | {"matrix": rows, "epsilon": epsilon, "sets": [[1], [2]], "next": None, "weights": ["1"]}


BESIDE = {
    "upper": (upper, 1, lambda e: (e + 1) / 2),
    "for ever": (for_ever, 1, lambda e: (e + 1) / 2),
    "lower": (lower, -1, lambda e: (e + 1) / 2),
    "lower, of the second": (lower_of_the_second, -1, lambda e: 2 * e / (e + 1)),
    "lower, divided": (divided, 1, lambda e: 4 / e),
    "mixture below, divided": (mixture_divided, 1, lambda e: 4 / e),
    "mixture above": (lambda *own: mixed("upper", *own), 1, lambda e: (2 * e + 2) / (e + 3)),
    "mixture below": (lambda *own: mixed("lower", *own), -1, lambda e: (2 * e + 2) / (e + 3)),
    "mixture below, of the second": (
        lambda *own: mixed("lower", *own, (2, 1), (2,)),
        -1,
        lambda e: (3 * e + 1) / (2 * e + 2),
    ),
    "divergent": (divergent, -1, lambda e: e),
}


@pytest.mark.parametrize("kind", BESIDE)
@pytest.mark.parametrize("beside", [1, -1])
def test_what_budgets_beside_the_grid_prove_is_rounded_to_the_safe_side(kind, beside):
    """e^ε is within 2^−149 of a multiple of 2^−132: the claim of that is false on one side of it."""
    document, side, ratio = BESIDE[kind]
    epsilon = beside_the_grid(beside)
    for far in (-1, 1):
        claim = ratio(ON_GRID + Fraction(far * side, 2**100))
        assert is_accepted(HEAD | document(epsilon, claim)) == (far > 0)
    if beside * side > 0:
        assert not is_accepted(HEAD | document(epsilon, ratio(ON_GRID)))


def is_accepted(document):
    try:
        return bool(check(json.dumps(document)))
    except Rejected:
        return False


def test_a_sweep_ends_after_the_steps_that_are_stated():
    assert is_accepted(HEAD | for_ever("log(3/2)", Fraction(5, 4)))
    assert not is_accepted(HEAD | for_ever("log(3/2)", Fraction(5, 4), steps=0))


def test_sets_that_tell_nothing_take_nothing_away():
    """Rounded, their odds are a little below 1."""
    assert is_accepted(HEAD | lower("log(4/3)", 1, columns=(1, 2)))
    assert is_accepted(HEAD | mixed("lower", "log(4/3)", 1, columns=(1, 2)))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_number_of_chains_has_its_claim(count):
    chain = mixed("lower", "log(2)", 1)["chains"][0]
    own = {"chains": [chain] * count, "prior": [text(Fraction(1, count))] * count}
    for ratio, holds in ((Fraction(119, 100), True), (Fraction(121, 100), False)):
        assert is_accepted(HEAD | mixed("lower", "log(2)", ratio) | own) == holds
    other = chain | {key: texts([[Fraction(1, 3)] * 3] * 3) for key in ("backward", "forward")}
    for wrong in (other, other | {"stationary": ["1/3"] * 3}, chain | {"stationary": ["1/3"] * 3}):
        for chains in ([wrong, chain], [chain, wrong]):
            assert not is_accepted(HEAD | mixed("lower", "log(2)", 1) | {"chains": chains})


@pytest.mark.parametrize("known", [None, [["1"]]])
def test_without_another_value_the_leakage_is_the_budget(known):
    tables = None if known is None else [[["1"]]]
    for level, holds in (("1/3", True), ("0.3333", False), ("0", False)):
        one = upper("1/3", 1) | {"backward": known, "past": tables, "epsilons": ["1/3"], "time": 1, "level": level}
        assert is_accepted(HEAD | one) == holds


FAR, NEAR = [["1/2", "1/2"], ["1/2", "1/2"]], [["1", "0"], ["0", "1"]]


@pytest.mark.parametrize("sides", [("past",), ("future",), ("past", "future")])
@pytest.mark.parametrize("releases", [2, 3, 4, 5])
def test_the_greatest_of_all_times_is_that_of_each(sides, releases):
    """One step of the chain repeats the value, the others draw it anew: at all times but two, nothing more is told."""
    for place in range(releases - 1):
        steps = [FAR] * place + [NEAR] + [FAR] * (releases - 2 - place)

        def document(level, ratio=2, place=place, steps=steps):
            told = {"past": place + 1, "future": place}
            own = {}
            for key, role in (("past", "backward"), ("future", "forward")):
                tables = [[["1", text(ratio if told[key] == t else 1)], [text(2 if told[key] == t else 1), "1"]]
                          for t in range(releases)]  # fmt: skip
                own |= {key: tables, role: {"steps": steps}} if key in sides else {key: None, role: None}
            head = {"certificate": "worst-case-upper", "assumed": [OWN_STEP, NOT_ADAPTIVE], "time": None}
            return HEAD | head | own | {"epsilons": ["log(2)"] * releases, "level": level}

        assert is_accepted(document("log(4)"))
        assert not is_accepted(document("log(3.999)"))
        assert not is_accepted(document(ANYTHING, ratio=Fraction(1999, 1000)))


def test_the_rows_that_give_more_are_named():
    random = Random(3)
    for _ in range(20):
        rows = correlated(random)
        alpha, n = Fraction(3, 2), len(rows)
        above = [
            (i, k)
            for i, k in product(range(n), repeat=2)
            if sum(max(q - Fraction(101, 100) * d, 0) for q, d in zip(rows[i], rows[k], strict=True)) > Fraction(2, 100)
        ]
        own = {"certificate": "loss", "matrix": texts(rows), "alpha": f"log({alpha})", "rows": None, "subset": []}
        claim = {"lower": "0", "upper": "log(101/100)"}
        document = json.dumps(HEAD | own | {"loss": claim, "level": claim})
        with pytest.raises(Rejected) if above else nullcontext() as caught:
            check(document)
        if above:
            i, k = above[0]
            assert str(caught.value) == f"loss: row {i + 1} of q over row {k + 1} of d gives more"


def test_a_last_piece_that_others_exceed_at_infinity_is_named():
    rows = [["11/20", "1/20", "1/20", "7/20"], *[["1/4", "1/5", "3/20", "2/5"]] * 3]
    whole = loss_function_certificate(loss_function(TransitionMatrix.of(rows)))
    *_, last, _ = kept = whole["pieces"]
    assert len(kept) > 2
    with pytest.raises(Rejected, match=rf"^pieces\[{len(kept) - 1}\]: row"):
        check(json.dumps(whole | {"pieces": [*kept[:-2], last | {"to": "inf"}]}))


@pytest.mark.parametrize("seed", range(5))
def test_no_solution_of_the_program_is_outside_of_its_box(seed):
    """Moved where neither sum changes, until an entry is above A t by less than any rounding."""
    random = Random(seed)
    while True:
        (q, d, *_), alpha = rows_of(random, 3), Fraction(random.randint(12, 30), random.choice([7, 11]))
        if any(x > y for x, y in zip(q, d, strict=True)) and min(*q, *d) > 0:
            break
    document = lfp_optimum_certificate(TransitionMatrix.of([q, d, q]), 0, 1, Level.of_ratio(alpha))
    along = [q[1] * d[2] - q[2] * d[1], q[2] * d[0] - q[0] * d[2], q[0] * d[1] - q[1] * d[0]]
    y = [Fraction(x) for x in document["primal"]["y"]]
    for part in NEARER:
        for sign in (1, -1):
            moved = [text(x + sign * part * z) for x, z in zip(y, along, strict=True)]
            with pytest.raises(Rejected, match="t <= y_j <= A t"):
                check(json.dumps(document | {"primal": document["primal"] | {"y": moved}}))


@pytest.mark.parametrize("seed", range(5))
def test_no_loss_below_the_greatest_is_accepted_in_nats(seed):
    """The claim is enclosed as well: its lower end counts."""
    random = Random(seed)
    rows, alpha = correlated(random), random.choice(ALPHAS)
    (row, columns), ratio = best(rows, excess(alpha))
    nats = Level.of_ratio(ratio).enclosure(100).lower

    def document(claimed):
        both = {"matrix": texts(rows), "alpha": alpha, "rows": row, "subset": columns}
        return HEAD | {
            "certificate": "loss",
            **both,
            "loss": {"lower": "0", "upper": text(claimed)},
            "level": {"lower": "0", "upper": ANYTHING},
        }

    assert_boundary(document, Fraction(nats), 1)
