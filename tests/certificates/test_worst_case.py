"""Certificates of the worst-case leakage at one time: accepted, true, and as near to it as the digits say."""

import json
from decimal import Decimal
from fractions import Fraction
from itertools import permutations, product
from math import prod

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.certificates.all_times import worst_case_upper_at_all_times
from tploracle.certificates.checker import check
from tploracle.certificates.worst_case import loosened, worst_case_lower_certificate, worst_case_upper_certificate
from tploracle.reference import InvalidRequest, TransitionMatrix, parse_level, strongest
from tploracle.reference.decimals import decimal_exponent
from tploracle.reference.stepwise import Stepwise
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage

from ..matrices import DIVERGES, ONE_STATE, UNCORRELATED
from ..profiles import examples
from ..solvers.worst_case.test_pairs import click_stream
from ..strategies import levels, matrices
from .documents import MODERATE, PAPER_L, THREE, checked

LONGEST_LEVEL = 300


@given(matrices(2, 4), st.lists(levels(), min_size=1, max_size=5), st.data())
@example(THREE, [parse_level("400")] * 3, None)
@example(strongest(3), [parse_level("1/10")] * 4, None)
@example(MODERATE, [parse_level("1e-30")] * 4, None)
@examples(20)
def test_both_hold_and_are_near_the_leakage(matrix, epsilons, data):
    epsilons = [level for level in epsilons if not level.is_infinite and level.enclosure(5).upper < LONGEST_LEVEL]
    epsilons = epsilons or [parse_level("1/3")] * 3
    time = data.draw(st.integers(1, len(epsilons))) if data else 2
    found = fast_worst_case_leakage(epsilons, matrix, matrix).tpl[time - 1].enclosure(25)
    upper = checked(worst_case_upper_certificate(epsilons, time, matrix, matrix))
    lower = checked(worst_case_lower_certificate(epsilons, time, matrix, matrix))
    assert Decimal(upper["level"]) >= found.lower
    assert Decimal(lower["level"]) <= found.upper
    assert Decimal(upper["level"]) - Decimal(lower["level"]) <= found.upper * Decimal("3e-16")


@given(
    matrices(2, 3),
    st.lists(st.sampled_from(["0", "1/10", "log(2)", "1e-9"]), min_size=1, max_size=4),
    st.sampled_from(["backward", "forward", "both"]),
)
@example(DIVERGES, ["1/10", "0", "0"], "forward")
@example(DIVERGES, ["0", "0", "0"], "both")
@examples(5)
def test_releases_that_tell_nothing(matrix, budgets, sides):
    """Budgets of 0, at every time and at all times: no rounding makes more of a ratio of 1 than is proved."""
    epsilons = [parse_level(text) for text in budgets]
    known = {"backward": (matrix, None), "forward": (None, matrix), "both": (matrix, matrix)}[sides]
    tpl = [level.enclosure(25) for level in fast_worst_case_leakage(epsilons, *known).tpl]
    for time, found in enumerate(tpl, 1):
        upper = checked(worst_case_upper_certificate(epsilons, time, *known))
        lower = checked(worst_case_lower_certificate(epsilons, time, *known))
        assert found.lower <= Decimal(upper["level"]) <= found.upper * (1 + Decimal("1e-16")) + Decimal("1e-32")
        assert Decimal(lower["level"]) <= found.upper
        assert found.lower * (1 - Decimal("1e-16")) <= Decimal(lower["level"])
    greatest = max(found.lower for found in tpl)
    assert Decimal(checked(worst_case_upper_at_all_times(epsilons, *known))["level"]) >= greatest


RARE = [
    TransitionMatrix.of([[1 - p, p, 0], [q, 1 - q - p, p], [0, q, 1 - q]])
    for p, q in product([Fraction(0), Fraction(1, 10**40), Fraction(1, 10**20), Fraction(1, 3)], repeat=2)
]
"""Three values, whose steps up and down may be as rare as that."""


def compared(backward, budgets, time, forward=None):
    """Hold certificates at one time and at all times against the levels; steps repeat, those of one way both ways."""
    epsilons = [parse_level(text) for text in budgets]
    known = [Stepwise(tuple(matrices), repeats=True) for matrices in (backward, forward or backward)]
    tpl = [level.enclosure(25) for level in fast_worst_case_leakage(epsilons, *known).tpl]
    upper = Decimal(checked(worst_case_upper_certificate(epsilons, time, *known))["level"])
    lower = Decimal(checked(worst_case_lower_certificate(epsilons, time, *known))["level"])
    always = Decimal(checked(worst_case_upper_at_all_times(epsilons, *known))["level"])
    greatest, relative = max(found.lower for found in tpl), Decimal("1e-16")
    assert tpl[time - 1].lower <= upper <= tpl[time - 1].upper * (1 + relative) + Decimal("1e-45")
    assert tpl[time - 1].lower * (1 - relative) <= lower <= tpl[time - 1].upper
    assert greatest <= always <= greatest * (1 + 2 * relative)


EQUAL = TransitionMatrix.of([["1/2", "1/3", "1/6"]] * 3)
TWO_APART = TransitionMatrix.of([["1/2", "1/3", "1/6"], ["1/2", "1/3", "1/6"], ["1/4", "1/4", "1/2"]])
STATES = [TransitionMatrix.of([row, other]) for row, other in permutations((["4/5", "1/5"], ["1/10", "9/10"]))]


@pytest.mark.parametrize(
    ("matrices", "budgets", "time"),
    [
        ([RARE[11], RARE[6]], ["400", "400", "60", "log(2)"], 3),
        (STATES, ["1/3", "log(2)", "1/10", "1/2", "1/5"], 3),
        ([THREE, TWO_APART, PAPER_L], ["1/10", "2", "1/3", "1", "1/2", "0", "2"], 4),
        ([EQUAL, THREE, PAPER_L], ["log(2)", "0", "1/10", "log(2)"], 3),
        (STATES[:1], ["50", "50"], 2),
    ],
    ids=["beyond the doubles", "rows change places", "in order", "a 1 behind rows that differ", "all but no sets"],
)
def test_each_step_has_its_own_matrix(matrices, budgets, time):
    compared(matrices, budgets, time)


def of_two(*parts):
    """Return a matrix with so many hundredths in the first column, and the rest in the second."""
    return [
        TransitionMatrix.of([[Fraction(own, 100), 1 - Fraction(own, 100), *[0] * (len(parts) - 2)] for own in parts])
    ]


@pytest.mark.parametrize(
    ("backward", "forward"),
    [(of_two(75, 25, 50, 50), of_two(50, 50, 75, 25)), (of_two(30, 50, 12), of_two(30, 5, 50))],
)
def test_pairs_that_one_side_tells_apart(backward, forward):
    """Two pairs that tie as products of different ratios; and a pair that rules though another's ratio is greater."""
    compared(backward, ["5", "log(2)", "5"], 2, forward)


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(RARE), min_size=1, max_size=5),
    st.lists(st.sampled_from(["60", "400", "1e-30", "log(2)", "0"]), min_size=6, max_size=6),
    st.integers(1, 6),
)
@example([RARE[6]], ["60"] * 6, 6)
@examples(10)
def test_rare_steps(matrices, budgets, time):
    """The grid is fine enough for the least probability, and doubles may have no bound."""
    compared(matrices, budgets, time)


@pytest.mark.parametrize(("backward", "forward"), [(PAPER_L, None), (None, PAPER_L), (None, None)])
def test_one_side_or_none(backward, forward):
    epsilons = [parse_level("1/10"), parse_level("log(2)"), parse_level("1/5")]
    found = fast_worst_case_leakage(epsilons, backward, forward).tpl[1].enclosure(12)
    upper = checked(worst_case_upper_certificate(epsilons, 2, backward, forward))
    assert Decimal(0) <= Decimal(upper["level"]) - found.lower <= Decimal("2e-12")
    if backward is None and forward is None:
        with pytest.raises(InvalidRequest, match="two values"):
            worst_case_lower_certificate(epsilons, 2)
    else:
        checked(worst_case_lower_certificate(epsilons, 2, backward, forward))
    always = checked(worst_case_upper_at_all_times(epsilons, backward, forward))
    greatest = max(level.enclosure(25).lower for level in fast_worst_case_leakage(epsilons, backward, forward).tpl)
    assert Decimal(0) <= Decimal(always["level"]) - greatest <= Decimal("2e-16")


def test_of_one_value_the_budget_is_claimed():
    epsilons = [parse_level(text) for text in ("1/10", "1/2", "1/5")]
    assert checked(worst_case_upper_certificate(epsilons, 2, ONE_STATE, ONE_STATE))["level"] == "0.5"
    assert checked(worst_case_upper_at_all_times(epsilons, ONE_STATE, ONE_STATE))["level"] == "0.5"
    with pytest.raises(InvalidRequest, match="two values"):
        worst_case_lower_certificate(epsilons, 2, ONE_STATE, ONE_STATE)


@given(
    st.lists(st.fractions(0, 5), min_size=1, max_size=2),
    st.sampled_from([1, 9, 30]),
    st.fractions(Fraction(1, 10**9), 3),
)
@example([Fraction(2), Fraction(0)], 1, Fraction(1))
@example([Fraction(0), Fraction(2)], 1, Fraction(1))
def test_bounds_are_loosened_as_far_as_there_is_room(excesses, power, more):
    """Something is added to all but a 1, with twelve digits of each excess; nothing is left but what they round."""
    ups = [1 + excess / 10**power for excess in excesses]
    most = 1 + (prod(ups) - 1) * (1 + more)
    found = loosened(ups, most)
    for up, own in zip(ups, found, strict=True):
        if up == 1:
            assert own == 1
        else:
            assert own > up
            assert ((own - 1) * Fraction(10) ** (11 - decimal_exponent(own - 1))).denominator == 1
    assert prod(found) <= most <= 1 + (prod(found) - 1) * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize(("role", "greatest"), [("past", 5), ("future", 0)])
def test_pairs_that_cannot_rule_have_one_bound_at_all_times(role, greatest):
    """More releases tell more: the bound where they are most is one everywhere, but for the pair that rules there."""
    known = (PAPER_L, None) if role == "past" else (None, PAPER_L)
    tables = checked(worst_case_upper_at_all_times([parse_level("1/10")] * 6, *known))[role]
    most, ruling = tables.pop(greatest), set()
    for j, k in permutations(range(3), 2):
        (bound,) = {table[j][k] for table in tables}
        if bound != most[j][k]:
            ruling.add((j, k))
    assert len(ruling) == 1


def test_each_time_has_its_own_steps_where_all_budgets_are_equal():
    """What the second release tells of the first is all that is more than log(2) at any time: log(18/5) in sum."""
    steps = Stepwise((MODERATE, UNCORRELATED))
    document = checked(worst_case_upper_at_all_times([parse_level("log(2)")] * 3, steps))
    assert Decimal("1.2809338454620643") <= Decimal(document["level"]) <= Decimal("1.2809338454620645")


NEARLY_AS_BAD = [[20002, 1, 20000, 0], [0, 20002, 1, 20001], [20002, 0, 20002, 1], [1, 20000, 0, 20002]]
HARDLY_APART = [[10**300, 2 * 10**300, 0], [10**300 + 1, 2 * 10**300 - 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("weights", [NEARLY_AS_BAD, HARDLY_APART])
def test_no_pair_is_left_without_a_bound(weights):
    """Neither one that is nearly the worst, nor one that is, beside one of which doubles know no bound."""
    matrix = TransitionMatrix(tuple(tuple(Fraction(weight, sum(row)) for weight in row) for row in weights))
    epsilons = [parse_level("log(2)")] * 2
    document = checked(worst_case_upper_at_all_times(epsilons, matrix, matrix))
    greatest = max(level.enclosure(25).lower for level in fast_worst_case_leakage(epsilons, matrix, matrix).tpl)
    assert greatest <= Decimal(document["level"]) <= greatest * (1 + Decimal("2e-16"))


@pytest.mark.slow
def test_fifty_releases_of_the_click_stream():
    """The TPL at the middle of 50 releases, to 30 digits; the greatest is 2.53."""
    epsilons = [parse_level("1/10")] * 50
    documents = [
        make(epsilons, 50, *click_stream("counts"), 30)
        for make in (worst_case_upper_certificate, worst_case_lower_certificate)
    ]
    for document in documents:
        assert check(json.dumps(document)) == document["certificate"]
        assert document["level"].startswith("1.5483805974675377514039685969")


def test_what_is_refused():
    one, two = parse_level("1"), TransitionMatrix.of([["1/2", "1/2"]] * 2)
    for make in (worst_case_upper_certificate, worst_case_lower_certificate):
        with pytest.raises(InvalidRequest, match="not one of the times 1 to 1"):
            make([one], 2, two)
        with pytest.raises(InvalidRequest, match="give finite ones"):
            make([one, parse_level("inf")], 1, two)
        with pytest.raises(InvalidRequest, match="2 states, the forward one 3"):
            make([one, one], 1, two, THREE)
        with pytest.raises(InvalidRequest, match="1 to 1000 digits"):
            make([one], 1, two, None, 0)
    for text, digits, words in (("inf", 17, "give finite ones"), ("1", 0, "digits"), ("1", 1001, "digits")):
        with pytest.raises(InvalidRequest, match=words):
            worst_case_upper_at_all_times([one, parse_level(text)], two, None, digits)
