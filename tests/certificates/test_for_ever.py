"""Certificates for ever, of a bound or of none, and at all times: accepted, true, near, and one or the other."""

import json
from decimal import Decimal
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tploracle.certificates.all_times import worst_case_upper_at_all_times
from tploracle.certificates.checker import check
from tploracle.certificates.divergence import worst_case_divergent_certificate
from tploracle.certificates.for_ever import _Endless, _is_below, _shortened, worst_case_forever_certificate
from tploracle.certificates.parts import Unproved
from tploracle.reference import InvalidRequest, TransitionMatrix, Undecided, parse_level, strongest
from tploracle.reference.worst_case.barriers import Barrier
from tploracle.reference.worst_case.boundedness import boundedness
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage, fast_worst_case_supremum

from ..profiles import examples
from ..solvers.worst_case.test_pairs import click_stream, turning
from ..strategies import levels
from .documents import DIVERGES, FOR_EVER, MODERATE, NEVER, SLOW, THREE, TRANSIENT, UNCORRELATED, checked
from .truth import is_true

BLOCK = TransitionMatrix.of(
    [["1/4", "1/4", "1/4", "1/4"], ["3/8", "3/16", "3/16", "1/4"], ["3/20", "3/10", "3/10", "1/4"], [0, 0, 0, 1]]
)
"""Of three transient values, each is left for the last one by 1/4: the greatest eigenvalue is 3/4."""


def assert_near(document, found, digits):
    """Assert that the claim is at least what is found and above it by no more than the last digits."""
    assert found.lower <= Decimal(document["level"]) <= found.upper * (1 + 3 * Decimal(10) ** (1 - digits))


@st.composite
def chains(draw, most=4):
    """Chains of entries that are neither very small nor very unlike, with zeros."""
    n = draw(st.integers(2, most))
    rows = draw(st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any), min_size=n, max_size=n))
    return TransitionMatrix.of([[Fraction(weight, sum(row)) for weight in row] for row in rows])


@pytest.mark.parametrize(
    ("matrix", "epsilon"),
    [
        *NEVER,
        (turning(3, 0), "1e-3"),
        (BLOCK, "log(4/3)"),
        (BLOCK, "log(3/2)"),
        (TransitionMatrix.of([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], [0, 0, 1]]), "log(4)"),
        (BLOCK, "0.28768207245178092743921900600"),
        (TransitionMatrix.of([[0, "1/2", "1/2"], ["1/4", 0, "3/4"], [0, 0, 1]]), "1.03972077083991796412585"),
    ],
)
def test_what_has_no_bound_is_certified(matrix, epsilon):
    """Of BLOCK e^ε = 4/3 is the equation, whose weights are no dyadic numbers; decimals are just above an equation."""
    assert is_true(checked(worst_case_divergent_certificate(matrix, parse_level(epsilon))))


@pytest.mark.parametrize("digits", [2, 17])
@pytest.mark.parametrize(
    ("epsilon", "backward", "forward"),
    [
        *FOR_EVER,
        ("1/10", SLOW, DIVERGES),
        ("log(7/6)", DIVERGES, SLOW),
        ("log(3/2)", turning(3, "1/10"), None),
        ("1e-30", MODERATE, None),
    ],
)
def test_a_bound_is_of_what_is_asked(epsilon, backward, forward, digits):
    """Of one value nothing leaks, and the budget is claimed."""
    budget = parse_level(epsilon)
    document = checked(worst_case_forever_certificate(budget, backward, forward, digits))
    assert parse_level(document["epsilon"]) == budget
    for matrix, name, side in ((backward, "backward", "past"), (forward, "forward", "future")):
        assert document[name] == (None if matrix is None else matrix.texts())
        assert (document[side] is None) == (matrix is None)
    most = max(budget, fast_worst_case_supremum(budget, backward, forward))
    assert_near(document, most.enclosure(20), digits - 1)


@pytest.mark.slow
@given(chains(), st.sampled_from(["1/10", "log(3/2)", "1", "log((1+sqrt(5))/2)", "1e-9", "8"]), st.booleans())
@example(SLOW, "log(1.24)", True)
@example(turning(3, "1/10"), "1", True)
@example(turning(4, "1/5"), "1/10", False)
@example(DIVERGES, "log(3/2)", True)
@example(TRANSIENT, "log(3/2)", True)
@examples(6)
def test_there_is_a_bound_or_there_is_none(matrix, text, both):
    epsilon = parse_level(text)
    forward = matrix if both else None
    if boundedness(matrix, epsilon).is_bounded:
        document = checked(worst_case_forever_certificate(epsilon, matrix, forward))
        assert_near(document, fast_worst_case_supremum(epsilon, matrix, forward).enclosure(20), 16)
        with pytest.raises(InvalidRequest, match="certified by worst-case-forever"):
            worst_case_divergent_certificate(matrix, epsilon)
    else:
        assert is_true(checked(worst_case_divergent_certificate(matrix, epsilon)))
        with pytest.raises(InvalidRequest, match="as worst-case-divergent certifies"):
            worst_case_forever_certificate(epsilon, matrix, forward)


@pytest.mark.parametrize(
    ("chain", "level"),
    [
        ("counts", "5.09044551050813988225458943326"),
        pytest.param("stationary", "6.36425267082517780396869403928", marks=pytest.mark.slow),
    ],
)
def test_the_click_stream_for_ever(chain, level):
    """5.090446 and 6.364253, which were worked out in doubles by other code."""
    document = worst_case_forever_certificate(parse_level("1/10"), *click_stream(chain), 30)
    assert document["level"] == level
    assert check(json.dumps(document)) == "worst-case-forever"
    assert len(json.dumps(document)) < 100_000


@given(chains(3), st.lists(levels(), min_size=1, max_size=5))
@example(THREE, [parse_level("1/10")] * 6)
@example(MODERATE, [parse_level("log(2)"), parse_level("0"), parse_level("1/3")])
@example(strongest(3), [parse_level("1/10")] * 4)
@example(UNCORRELATED, [parse_level("1/10"), parse_level("1")])
@examples(20)
def test_the_worst_of_all_times(matrix, epsilons):
    epsilons = [level for level in epsilons if not level.is_infinite and level.enclosure(5).upper < 300]
    assume(epsilons)
    document = checked(worst_case_upper_at_all_times(epsilons, matrix, matrix))
    levels_found = [level.enclosure(20) for level in fast_worst_case_leakage(epsilons, matrix, matrix).tpl]
    assert_near(document, max(levels_found, key=lambda found: found.upper), 16)


@pytest.mark.slow
@pytest.mark.parametrize(("chain", "nats"), [("counts", "2.533167"), ("stationary", "2.695564")])
def test_fifty_releases_of_the_click_stream(chain, nats):
    document = worst_case_upper_at_all_times([parse_level("1/10")] * 50, *click_stream(chain), 30)
    assert document["level"].startswith(nats)
    assert check(json.dumps(document)) == "worst-case-upper"


def test_what_is_refused():
    one, tenth = TransitionMatrix.of([["1/2", "1/2"]] * 2), parse_level("1/10")
    with pytest.raises(InvalidRequest, match="2 states, the forward one 3"):
        worst_case_forever_certificate(tenth, one, THREE)
    with pytest.raises(InvalidRequest, match="2 states, the forward one 3"):
        worst_case_upper_at_all_times([tenth] * 2, one, THREE)
    with pytest.raises(InvalidRequest, match="give finite ones"):
        worst_case_upper_at_all_times([parse_level("inf")], one)
    for epsilon in ("0", "inf"):
        with pytest.raises(InvalidRequest, match="a finite budget above 0"):
            worst_case_forever_certificate(parse_level(epsilon), one)
        with pytest.raises(InvalidRequest, match="a finite budget above 0"):
            worst_case_divergent_certificate(one, parse_level(epsilon))
    for matrices in ((SLOW, None), (SLOW, DIVERGES), (DIVERGES, SLOW)):
        with pytest.raises(InvalidRequest, match="as worst-case-divergent certifies"):
            worst_case_forever_certificate(parse_level("log(5/4)"), *matrices)
    for digits in (0, 1001):
        with pytest.raises(InvalidRequest, match="1 to 1000 digits"):
            worst_case_forever_certificate(tenth, one, None, digits)
    with pytest.raises(InvalidRequest, match="digits"):
        worst_case_divergent_certificate(SLOW, parse_level("1"), 0)
    with pytest.raises(InvalidRequest, match="certified by worst-case-forever"):
        worst_case_divergent_certificate(THREE, tenth)


def test_no_rational_weights_show_an_equation_between_irrational_numbers():
    """e^ε·ρ = 1 where both are irrational: unbounded, and no rational test vector says so."""
    matrix = TransitionMatrix.of([[0, "1/2", "1/2"], ["1/4", 0, "3/4"], [0, 0, 1]])
    epsilon = parse_level("log(sqrt(8))")
    assert not boundedness(matrix, epsilon).is_bounded
    with pytest.raises(Undecided, match="1000 digits"):
        worst_case_divergent_certificate(matrix, epsilon)


@given(st.fractions(), st.integers(1, 80))
@example(Fraction(0), 1)
@example(Fraction(-(10**30), 3), 20)
def test_what_is_shortened_is_nearer_to_0_by_less_than_a_unit(value, bits):
    found = _shortened(value, bits)
    assert 0 <= (value - found) * (1 if value > 0 else -1) <= abs(value) / 2 ** (bits - 1)
    units = abs(found.numerator)
    assert found.denominator & (found.denominator - 1) == 0
    assert units // (units & -units or 1) < 2 ** (bits + 1)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=4))
def test_a_sweep_is_below_a_barrier_where_some_multiple_of_it_is_above(entries):
    """The least multiple that may do is 0 or the one that some entry asks for."""
    least = [Fraction(0), *(Fraction(x, y) for x, y in entries if y and x * y > 0)]
    expected = any(all(x <= gamma * y for x, y in entries) for gamma in least)
    assert _is_below(*zip(*entries, strict=True)) == expected


@given(chains(3), st.lists(st.integers(-6, 6), min_size=3, max_size=3), st.integers(1, 3))
@example(TransitionMatrix.of([[0, "9/10", "1/10"], ["1/3", 0, "2/3"], [0, 0, 1]]), [6, 5, -60], 2)
@example(TransitionMatrix.of([[0, "9/10", "1/10"], ["1/3", 0, "2/3"], [0, 0, 1]]), [6, 5, -60], 1)
@example(TransitionMatrix.of([["1/4", "1/4", "1/2"], ["1/4", "1/4", "1/2"], [0, 0, 1]]), [1, 1, -7], 3)
@example(TransitionMatrix.of([["1/4", "1/4", "1/2"], ["1/4", "1/4", "1/2"], [0, 0, 1]]), [1, 0, -6], 1)
def test_a_barrier_is_found_after_the_fewest_steps_after_which_it_is_one(matrix, h, turns):
    """By the definition in exact fractions, where nothing hangs on a part 2^-200."""
    h, after, expected = [Fraction(x) for x in h[: matrix.n]], h[: matrix.n], []
    for turn in range(1, turns + 1):
        weighted = [x * Fraction(3, 2) if x > 0 else x for x in after]
        after = [sum(p * x for p, x in zip(column, weighted, strict=True)) for column in zip(*matrix.rows, strict=True)]
        least = max([Fraction(0), *(y / x for x, y in zip(h, after, strict=True) if x > 0)])
        told = [
            theta < 1 and all(y <= theta * x + room for x, y in zip(h, after, strict=True))
            for theta, room in ((least, Fraction(1, 2**200)), (least + Fraction(1, 2**200), -Fraction(1, 2**200)))
        ]
        assume(told[0] == told[1])
        if told[0]:
            expected = [(turn, least)]
            break
    side = _Endless(matrix, parse_level("log(3/2)"))
    found = side._declines(Barrier([arb(x.numerator) for x in h], turns), 100, 250)
    assert [one.turns for one in found] == [turn for turn, _ in expected]
    for one, (_, least) in zip(found, expected, strict=True):
        assert one.h == h
        assert least <= one.theta <= least + Fraction(1, 2**200)


def test_a_sweep_below_the_supremum_has_no_end():
    side = _Endless(THREE, parse_level("1/10"))
    attained, declines = side.greatest((0, 1), Fraction(0), 200)
    above, below = (1 + (attained - 1) * (1 + Fraction(sign, 1000)) for sign in (1, -1))
    assert 0 < side.steps({(0, 1): above}, declines, 200, 10**4) < 10**3
    with pytest.raises(Unproved):
        side.steps({(0, 1): below}, declines, 200, 10**4)
    with pytest.raises(Unproved):
        side.steps({(0, 1): above}, declines, 200, 0)
