"""Certificates over an infinite horizon just below the critical budget: no longer the nearer, whatever turns."""

import copy
import json
from decimal import Decimal
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.certificates import for_ever
from tploracle.certificates.checker import Rejected, check
from tploracle.certificates.for_ever import FIRST_STEPS_SWEPT, _Endless, worst_case_forever_certificate
from tploracle.reference import Level, TransitionMatrix, boundedness
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage, fast_worst_case_supremum

from ..profiles import examples
from .documents import checked
from .truth import is_true

ALTERNATING = TransitionMatrix.of([["0", "9/10", "1/10"], ["4/5", "0", "1/5"], ["0", "0", "1"]])
"""Two values that take turns until they are left: e^ε = 1/sqrt(0.72) = 1.17851… is the critical budget."""


def turning(*kept):
    """Values that lead to each other in a circle, each with so much, and otherwise to the one that nothing leaves."""
    n = len(kept) + 1
    rows = []
    for a, p in enumerate(kept):
        row = [Fraction(0)] * n
        row[(a + 1) % len(kept)] += p
        row[-1] += 1 - p
        rows.append(row)
    return TransitionMatrix.of([*rows, [Fraction(b == n - 1) for b in range(n)]])


def just_below(kept, digits):
    """The greatest decimal of so many digits whose power times the product of what is kept is below 1."""
    product, turns, unit = Fraction(1), len(kept), 10**digits
    for p in kept:
        product *= p
    low, high = unit, 100 * unit
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(middle, unit) ** turns * product < 1 else (low, middle)
    return Fraction(low, unit)


@pytest.mark.slow
def test_it_is_decided_where_a_class_alternates():
    """Rows (0,.9,.1), (.8,0,.2), (0,0,1) at log(1178/1000): not decided in 40 s once."""
    epsilon = Level.of_ratio(Fraction(1178, 1000))
    found = fast_worst_case_supremum(epsilon, ALTERNATING).enclosure(15)
    # By hand: “is the value in the one of the two?” in turn. From value 1, x = 0.9·e^ε·y + 0.1 and y = 0.8·e^ε·x + 0.2
    # for ever, e^ε·x against the value 3, of which nothing is told.
    a = Fraction(1178, 1000)
    x = (Fraction(9, 10) * a * Fraction(1, 5) + Fraction(1, 10)) / (1 - Fraction(72, 100) * a * a)
    assert found.lower <= Level.of_ratio(a * x).enclosure(15).upper
    assert Level.of_ratio(a * x).enclosure(15).lower <= found.upper
    assert is_true(alternating())


@pytest.mark.slow
@given(
    st.lists(st.fractions(Fraction(3, 10), Fraction(95, 100), max_denominator=20), min_size=1, max_size=3),
    st.integers(3, 12),
)
@examples(2)
def test_their_length_has_nothing_to_do_with_how_near_it_is(kept, digits):
    matrix, ratio = turning(*kept), just_below(kept, digits)
    epsilon = Level.of_ratio(ratio)
    assert boundedness(matrix, epsilon).is_bounded
    document = checked(worst_case_forever_certificate(epsilon, matrix))
    assert document["past"]["steps"] < 3_000
    assert len(json.dumps(document)) < 8_000
    found = fast_worst_case_supremum(epsilon, matrix).enclosure(20)
    assert found.lower <= Decimal(document["level"]) <= found.upper * (1 + Decimal("1e-16"))
    assert max(map(float, fast_worst_case_leakage([epsilon] * 40, matrix).bpl)) <= float(found.upper)


@pytest.fixture
def lengths(monkeypatch):
    """The number of steps allowed in each sweep of a certificate, as they are tried."""
    found, steps = [], _Endless.steps

    def noted(side, table, declines, bits, most_steps):
        found.append(most_steps)
        return steps(side, table, declines, bits, most_steps)

    monkeypatch.setattr(_Endless, "steps", noted)
    return found


def test_where_digits_are_lacking_no_sweep_is_as_long_as_it_may_be(lengths):
    """By 10^-30 below the critical budget of rows (.8,.2), (0,1): the digits of the claim are too few for a barrier."""
    ratio = just_below([Fraction(4, 5)], 30)
    document = checked(worst_case_forever_certificate(Level.of_ratio(ratio), turning(Fraction(4, 5))))
    assert len(lengths) > 1
    assert max(lengths) == FIRST_STEPS_SWEPT
    # By hand: the supremum is e^ε·(1 − q)/(1 − q·e^ε).
    limit = Level.of_ratio(ratio * Fraction(1, 5) / (1 - ratio * Fraction(4, 5))).enclosure(30)
    assert limit.lower <= Decimal(document["level"]) <= limit.upper * (1 + Decimal("1e-15"))


def test_a_sweep_that_is_longer_than_at_first_is_swept_all_the_same(monkeypatch, lengths):
    asked = Level.of_ratio(Fraction(11, 10)), turning(Fraction(4, 5))
    expected = checked(worst_case_forever_certificate(*asked))
    monkeypatch.setattr(for_ever, "FIRST_STEPS_SWEPT", 0)
    monkeypatch.setattr(for_ever, "DIGITS_TRIED_FIRST", 2)
    assert checked(worst_case_forever_certificate(*asked)) == expected
    assert lengths == [FIRST_STEPS_SWEPT, 0, 0, for_ever.MOST_STEPS_SWEPT]


@cache
def alternating():
    return checked(worst_case_forever_certificate(Level.of_ratio(Fraction(11, 10)), ALTERNATING))


def test_a_barrier_of_several_steps_is_one():
    document = alternating()
    own = next(one for one in document["past"]["barriers"] if "turns" in one)
    assert own["turns"] == 2
    place = document["past"]["barriers"].index(own)
    less = Fraction(own["theta"]) * Fraction(999, 1000)
    for wrong in (
        {"turns": 3},
        {"turns": 1},
        {"turns": 0},
        {"turns": "2"},
        {"turns": 101},
        {"theta": str(less)},
        {"theta": "1"},
    ):
        changed = copy.deepcopy(document)
        changed["past"]["barriers"][place] |= wrong
        with pytest.raises(Exception) as caught:  # noqa: PT011 - rejected, or beyond the limit
            check(json.dumps(changed))
        assert type(caught.value).__name__ in ("Rejected", "NotDecided")
    changed = copy.deepcopy(document)
    del changed["past"]["barriers"][place]["turns"]
    with pytest.raises(Rejected, match="not declined by theta"):
        check(json.dumps(changed))


def test_a_bound_that_is_too_small_is_never_over():
    document = alternating()
    most = max(Fraction(entry) for row in document["past"]["ratios"] for entry in row)
    for j, row in enumerate(document["past"]["ratios"]):
        for k, entry in enumerate(row):
            if j != k and Fraction(entry) == most:
                changed = copy.deepcopy(document)
                changed["past"]["ratios"][j][k] = str(Fraction(entry) * Fraction(999_999, 1_000_000))
                changed["past"]["steps"] = 10**4
                with pytest.raises(Rejected):
                    check(json.dumps(changed))
