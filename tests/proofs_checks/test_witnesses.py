"""The witnesses of the errata, worked out again: fractions and loops of this file alone, beside the reference's answer.

Nothing of `proofs_checks` is used. A ratio is e^ of a level.
"""

from fractions import Fraction
from itertools import pairwise, permutations, product
from math import e as e_
from math import exp, isclose, log, sqrt

import pytest

from tploracle.reference import (
    ZERO,
    Adversary,
    InfeasibleBudget,
    Level,
    TransitionMatrix,
    algorithm_1,
    algorithm_2,
    algorithm_3,
    algorithm_6,
    algorithm_8,
    backward_leakage,
    budgets,
    loss_function,
    population_leakage,
    supremum,
)
from tploracle.reference.definitions import Stream
from tploracle.reference.mechanisms import Mechanism, randomized_response

F = Fraction
RESPONSE = ((F(2, 3), F(1, 3)), (F(1, 3), F(2, 3)))
"""Randomized response of two values with odds 2 : 1."""


def rows_of(text):
    return [[F(entry) for entry in row.split()] for row in text.split(",")]


def ratio(level):
    return level.ratio


def lost(rows, a):
    """Return e^L(log a) by all pairs of rows and all subsets."""
    n, best = len(rows), F(1)
    for q, d in permutations(rows, 2):
        for mask in range(2**n):
            x = [a if mask >> j & 1 else F(1) for j in range(n)]
            best = max(best, sum(map(F.__mul__, q, x)) / sum(map(F.__mul__, d, x)))
    return best


def joint(rows, initial, channels, known, seen):
    """Return the likelihoods of the outputs at the times seen, given each possible tuple of values at those known."""
    n, times = len(rows), len(channels)
    found = {}
    for path in product(range(n), repeat=times):
        weight = initial[path[0]]
        for a, b in pairwise(path):
            weight *= rows[a][b]
        if not weight:
            continue
        given = tuple(path[t] for t in known)
        for outputs in product(*(range(len(channels[t][0])) for t in seen)):
            likelihood = weight
            for t, r in zip(seen, outputs, strict=True):
                likelihood *= channels[t][path[t]][r]
            found.setdefault(given, {}).setdefault(outputs, F(0))
            found[given][outputs] += likelihood
    return {given: {o: p / sum(table.values()) for o, p in table.items()} for given, table in found.items()}


def greatest(tables):
    return max(a[o] / b[o] for a, b in permutations(tables.values(), 2) for o in a)


def stream(text, initial, channel, times):
    return Stream(initial, TransitionMatrix.of(rows_of(text)), (Mechanism(channel),) * times)


HALF = (F(1, 2), F(1, 2))


# E1, E13, E24, E25, E33: what is an upper bound, and what is none


def test_e33_theorem_2_is_below_tpl():
    channel, rows = ((F(1, 2), F(1, 2)), (F(1, 4), F(3, 4))), rows_of("0 1, 1 0")
    tables = [greatest(joint(rows, HALF, (channel,) * 3, (1,), seen)) for seen in ((0, 1), (1, 2), (0, 1, 2), (1,))]
    assert tables == [3, 3, 6, 2]
    found = stream("0 1, 1 0", HALF, channel, 3)
    assert [ratio(level) for level in (found.bpl(2), found.fpl(2), found.tpl(2))] == [3, 3, 6]
    assert tables[0] * tables[1] / tables[3] < tables[2] <= lost(rows, F(2)) * 2 * lost(rows, F(2))


def test_e24_composition_is_above():
    rows = rows_of("0 1, 1/2 1/2")
    window = greatest(joint(rows, HALF, (RESPONSE,) * 4, (1, 2), (0, 1, 2, 3)))
    parts = [greatest(joint(rows, HALF, (RESPONSE,) * 4, (t,), seen)) for t, seen in ((1, (0, 1)), (2, (2, 3)))]
    assert window == 9 < parts[0] * parts[1] == 10
    assert ratio(stream("0 1, 1/2 1/2", HALF, RESPONSE, 4).sequence_tpl(2, 2)) == 9
    assert greatest(joint(rows_of("1 0, 1 0"), HALF, (RESPONSE,) * 2, (0, 1), (0, 1))) == 2


def test_e13_two_users():
    users = {
        "past": Adversary.knowing(backward=TransitionMatrix.of(rows_of("1 0, 0 1"))),
        "future": Adversary.knowing(forward=TransitionMatrix.of(rows_of("1 0, 0 1"))),
    }
    found = population_leakage([Level.of_ratio(2)] * 3, users)
    assert (ratio(found.bpl[1].level), ratio(found.fpl[1].level), ratio(found.tpl[1].level)) == (4, 4, 4)


# E2 to E7, E34: Algorithms 1 to 5


def test_e2_the_flag_is_never_set_back():
    q, d, a = rows_of("0 1/3 2/3, 1/3 2/3 0")[::-1][0], rows_of("0 1/3 2/3")[0], F(10)
    plus, update, states = {j for j in range(3) if q[j] > d[j]}, False, []
    while (frozenset(plus), update) not in states:
        states.append((frozenset(plus), update))
        g = (sum(q[j] for j in plus) * (a - 1) + 1) / (sum(d[j] for j in plus) * (a - 1) + 1)
        gone = {j for j in plus if d[j] and q[j] / d[j] <= g}
        plus, update = plus - gone, update or bool(gone)
        if not update:
            break
    assert update, "the loop ends"
    assert len(plus) == 1
    rows = TransitionMatrix((tuple(q), tuple(d), tuple(d)))
    assert ratio(algorithm_1(rows, Level.of_ratio(10), ZERO)) == lost(rows.rows, a)


def test_e3_disjoint_supports_without_a_one():
    rows = rows_of("1/2 1/2 0 0, 0 0 1/2 1/2, 1/4 1/4 1/4 1/4, 1/4 1/4 1/4 1/4")
    for a in (F(11, 10), F(2), F(50)):
        assert lost(rows, a) == a == ratio(algorithm_1(TransitionMatrix.of(rows), Level.of_ratio(a), ZERO))


def test_e4_the_missing_one():
    point = F(1, 10) / (F(1, 2) * F(1, 10) - F(1, 10) * F(2, 10))
    assert isclose(log(point), 1.204, abs_tol=1e-3)
    assert isclose(log(point + 1), 1.466, abs_tol=1e-3)
    one, two = F(3, 10) * 3 + 1, (F(5, 10) * 3 + 1) / (F(1, 10) * 3 + 1)
    assert (one, two) == (F(19, 10), F(25, 13))
    assert one < two
    assert algorithm_2(TransitionMatrix.of(rows_of("0.2 0.3 0.5, 0.1 0 0.9, 0.1 0 0.9")))[0].transitions[1] == point


def test_e6_a_quotient_of_equals():
    functions = algorithm_2(TransitionMatrix.of(rows_of("1 0, 0 1")))
    assert ratio(algorithm_3(functions, Level.of_ratio(2), Level.of_ratio(F(3, 2)))) == 3


def test_e7_nothing_over_nothing():
    (q, d), rows = (F(4, 5), F(1, 10)), TransitionMatrix.of(rows_of("4/5 1/5, 1/10 9/10"))
    assert [(piece.q, piece.d) for piece in loss_function(rows).pieces] == [(q, d)]
    with pytest.raises(ZeroDivisionError):
        (q + d - q - d) / (q * d - q * d)


# E8 to E12: the supremum


def test_e8_the_boundary():
    value = F(2)
    for t in range(1, 30):
        assert value == 1 + t
        value = 2 * (F(1, 2) * (value - 1) + 1)
    assert supremum(loss_function(TransitionMatrix.of(rows_of("1/2 1/2, 0 1"))), Level.of_ratio(2)).level.is_infinite


@pytest.mark.parametrize(
    ("text", "a", "truth", "first"),
    [
        ("2/5 3/10 3/10, 4/5 1/5 0, 3/10 3/10 2/5", 2, 6, (3 + sqrt(21)) / 2),
        ("0 1/4 3/4, 0 1/4 3/4, 1/4 1/2 1/4", 3, 9, 3 + sqrt(12)),
    ],
)
def test_e10_the_first_steps_pair(text, a, truth, first):
    rows, value = rows_of(text), F(a)
    for _ in range(60):
        value = F(int(a * lost(rows, value) * 10**40), 10**40)
    assert first < value < truth
    assert truth - value < F(1, 100)
    assert a * lost(rows, F(truth)) == truth
    assert ratio(supremum(loss_function(TransitionMatrix.of(rows)), Level.of_ratio(a)).level) == truth


@pytest.mark.parametrize("text", ["1", "1/2 1/2, 1/2 1/2"])
def test_e11_e12_no_two_rows_differ(text):
    epsilon = Level.of_ratio(F(3, 2))
    assert algorithm_6(algorithm_2(TransitionMatrix.of(rows_of(text))), epsilon).level == epsilon


# E14 to E22: theorems and their proofs


def test_e20_the_pentagram():
    rows = rows_of("0.1 0.2 0.7, 0.3 0.3 0.4, 0.5 0.3 0.2")
    crossing = (F("0.5") + F("0.2") - F("0.7") - F("0.1")) / (F("0.7") * F("0.1") - F("0.5") * F("0.2"))
    second = (F("0.3") - F("0.2")) / (F("0.6") * F("0.2") - F("0.3") * F("0.3"))
    assert crossing == second == F(10, 3)
    assert [piece.start for piece in loss_function(TransitionMatrix.of(rows)).pieces] == [0, F(10, 3)]


def test_e20_an_additional_point_exists():
    rows = TransitionMatrix.of(rows_of("0 1/5 4/5, 0 3/5 2/5, 1/5 1/5 3/5"))
    cut = loss_function(rows).pieces[1].start
    assert cut == 5
    assert all(cut not in function.transitions for function in algorithm_2(rows))


# E26: costs; E27 to E32: budgets and experiments


def test_e27_the_solution_is_no_part_of_alpha():
    rows = TransitionMatrix.of(rows_of("4/5 1/5, 1/5 4/5"))
    found = budgets(Level.of(1), Adversary.knowing(rows, rows))
    x = float(found.first.enclosure(17).upper)
    g = (0.8 * (exp(x) - 1) + 1) / (0.2 * (exp(x) - 1) + 1)
    assert isclose(g * exp(x), e_)
    assert all(abs(x * 2**k - round(x * 2**k)) > 1e-9 for k in range(20))


def test_e28_the_strongest_correlation():
    identity = Adversary.knowing(*[TransitionMatrix.of(rows_of("1 0, 0 1"))] * 2)
    first = F(1, 2)
    last = 1 - first
    assert last + first == 1
    assert first + last - 1 == 0
    with pytest.raises(InfeasibleBudget):
        algorithm_8(Level.of(1), identity, 3)


def test_e29_e30_the_ends_of_time():
    rows = TransitionMatrix.of(rows_of("4/5 1/5, 1/5 4/5"))
    own = Adversary.knowing(rows, rows)
    assert algorithm_8(Level.of(1), own, 1) == (Level.of(1),)
    found = algorithm_8(Level.of(1), own, 4)
    assert found[-1] == found[0]
    assert found[-1] > found[1] == found[2]


def test_e31_the_worst_case():
    same = loss_function(TransitionMatrix.of(rows_of("1 0, 0 1")))
    for times in (1, 2, 5):
        assert ratio(backward_leakage([Level.of_ratio(2)] * times, same)[-1]) == 2**times


def test_the_mechanism_of_this_file_is_randomized_response():
    assert randomized_response(2, F(2)).channel == RESPONSE
