"""Levels: enclosures, order, equality, exact fallback; recomputed in mpmath at far higher precision."""

import operator
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import inf

import pytest
from flint import arb, ctx
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import (
    INFINITE,
    ZERO,
    InvalidLevel,
    InvalidNumber,
    InvalidRequest,
    Level,
    Undecided,
    parse_level,
)
from tploracle.reference.levels import FIRST_PRECISION, _precisions
from tploracle.reference.surds import Surd, square_root, surd

from ..in_mpmath import alpha_of, assert_encloses, excess_of, fraction, loss_of_sums, mpf, precision
from ..strategies import (
    finite_levels,
    levels,
    probabilities,
    ratio_levels,
    rational_alphas,
    rational_levels,
    surd_levels,
)

DIGITS = st.sampled_from([1, 2, 5, 17, 30, 100])
POSITIVE = st.one_of(ratio_levels(), rational_levels(), surd_levels())


# Enclosures


@given(POSITIVE, DIGITS)
def test_enclosures_hold_the_value_and_are_as_narrow_as_promised(level, digits):
    with precision(digits):
        assert_encloses(level.enclosure(digits), alpha_of(level), digits)


@given(POSITIVE, probabilities(), st.sampled_from([10, 20, 64, 200]))
def test_dyadic_bounds_hold_the_value_at_low_precision_too(level, q, bits):
    """The rounding to digits leaves 64 bits to spare and would hide a bound on the wrong side: ask before it."""
    for one in (level, level.linear_fractional(max(q, Fraction(1, 10**40)), Fraction(0))):
        bounds = one._lower_and_upper(bits)
        if bounds is None:
            # Ten bits do not even hold the level 10^6; the first precision in earnest holds all.
            assert bits < FIRST_PRECISION
            continue
        lower, upper = (Fraction(*bound) for bound in bounds)
        with precision(200):
            value = alpha_of(level)
            if one is not level:
                value = mp.log1p(mpf(max(q, Fraction(1, 10**40))) * mp.expm1(value))
            truth = fraction(value)
        slack = truth / 10**150
        assert lower <= truth + slack
        assert truth - slack <= upper


@given(st.lists(POSITIVE, min_size=2, max_size=6), DIGITS)
def test_sums(terms, digits):
    total = sum(terms, ZERO)
    with precision(digits):
        value = mp.fsum(alpha_of(term) for term in terms)
        assert_encloses(total.enclosure(digits), value, digits)


def _linear_fractional_in_mpmath(alpha, q, d):
    return mp.log1p(loss_of_sums(q, d, mp.expm1(alpha)))


@given(POSITIVE, probabilities(), probabilities(), DIGITS)
def test_pieces_of_loss_functions(alpha, one, other, digits):
    q, d = max(one, other), min(one, other)
    level = alpha.linear_fractional(q, d)
    if q == d:
        assert level == ZERO
        return
    with precision(digits):
        value = _linear_fractional_in_mpmath(alpha_of(alpha), q, d)
        assert_encloses(level.enclosure(digits), value, digits)
    assert ZERO < level <= alpha


@given(POSITIVE, st.lists(probabilities(), min_size=2, max_size=2))
def test_enclosures_are_nested_when_the_digits_rise(alpha, sums):
    level = alpha.linear_fractional(max(sums), min(sums)) + alpha
    enclosures = [level.enclosure(digits) for digits in (1, 2, 5, 17, 30, 100, 300)]
    for wide, narrow in pairwise(enclosures):
        assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper


@given(rational_alphas(), DIGITS)
def test_the_order_of_questions_does_not_change_the_answers(alpha, digits):
    def build():
        level = Level.of(alpha)
        return (level.linear_fractional(Fraction(2, 3), Fraction(1, 7)) + level).linear_fractional(
            Fraction(1, 2), Fraction(0)
        )

    coarse_first, fine_first = build(), build()
    coarse_first.enclosure(1)
    fine_first.enclosure(500)
    with precision(digits):
        inner = _linear_fractional_in_mpmath(mpf(alpha), Fraction(2, 3), Fraction(1, 7)) + mpf(alpha)
        value = _linear_fractional_in_mpmath(inner, Fraction(1, 2), Fraction(0))
        assert_encloses(coarse_first.enclosure(digits), value, digits)
        assert_encloses(fine_first.enclosure(digits), value, digits)


@pytest.mark.parametrize("digits", [1, 17, 30, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "1e-300",
        "1e6",
        "0.1",
        "1/3",
        "log(11/10)",
        "log(1e300)",
        "log((7+sqrt(33))/8)",
        "log(99-70*sqrt(2)+1)",
        "1e-10000",
    ],
)
def test_enclosures_of_every_kind_and_scale(text, digits):
    level = parse_level(text)
    with precision(digits):
        assert_encloses(level.enclosure(digits), alpha_of(level), digits)
        # A formula on top of it, small as its argument: log(1 + E/2).
        value = mp.log1p(excess_of(level) / 2)
        assert_encloses(level.linear_fractional(Fraction(1, 2), Fraction(0)).enclosure(digits), value, digits)


def test_rational_levels_on_the_grid_are_their_own_enclosure():
    for digits in (1, 17, 1000):
        enclosure = Level.of(Fraction(1, 2)).enclosure(digits)
        assert enclosure.lower == enclosure.upper == Fraction(1, 2)
    assert ZERO.enclosure().lower == ZERO.enclosure().upper == 0
    assert INFINITE.enclosure().lower.is_infinite()


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 8), Fraction(5), Fraction(1, 10**40)])
@pytest.mark.parametrize("digits", [1, 17, 200])
def test_a_formula_that_equals_a_decimal_is_enclosed_all_the_same(epsilon, digits):
    """With pieces (q, 0) and (1, q): (qE + 1)·(E + 1)/(qE + 1) = E + 1, so the two losses and ε sum to 2ε exactly.

    The balls never come off the decimal 2ε, and the enclosure must end with it inside.
    """
    q = Fraction(2, 3)
    alpha = Level.of(epsilon)
    tpl = alpha.linear_fractional(q, Fraction(0)) + alpha + alpha.linear_fractional(Fraction(1), q)
    enclosure = tpl.enclosure(digits)
    assert 2 * epsilon in enclosure
    unit = Fraction(10) ** (enclosure.upper.adjusted() + 1 - digits)
    assert Fraction(enclosure.upper) - Fraction(enclosure.lower) <= 2 * unit
    # The same with an exact ratio is decided, and settles to a ratio of its own.
    ratio = Level.of_ratio(Fraction(11, 10))
    settled = ratio.linear_fractional(q, Fraction(0)) + ratio + ratio.linear_fractional(Fraction(1), q)
    assert settled.ratio == Fraction(121, 100)


# Arithmetic


@given(levels(), levels())
def test_addition_commutes_and_has_a_zero(a, b):
    # Nothing is built, so that a stream with budgets of 0 does not grow.
    assert (a + ZERO) is a or a.is_zero
    assert (ZERO + a) is a or a.is_zero
    if a.is_infinite or b.is_infinite:
        assert (a + b).is_infinite
    elif not (isinstance(a.ratio, Surd) and isinstance(b.ratio, Surd)):
        assert a + b == b + a


@given(ratio_levels(), ratio_levels())
def test_sums_of_exact_ratios_multiply_them(a, b):
    assert (a + b).ratio == a.ratio * b.ratio


@given(rational_alphas(), rational_alphas())
def test_sums_of_rational_levels_are_rational(a, b):
    assert (Level.of(a) + Level.of(b)).rational == a + b


@given(ratio_levels(), probabilities(), probabilities())
def test_linear_fractional_on_exact_ratios(alpha, one, other):
    q, d = max(one, other), min(one, other)
    excess = alpha.ratio - 1
    assert alpha.linear_fractional(q, d).ratio == (q * excess + 1) / (d * excess + 1)


@given(probabilities(), probabilities())
def test_linear_fractional_at_the_ends(one, other):
    q, d = max(one, other), min(one, other)
    assert ZERO.linear_fractional(q, d) == ZERO
    limit = INFINITE.linear_fractional(q, d)
    if q == d:
        assert limit == ZERO
    elif d == 0:
        assert limit.is_infinite
    else:
        assert limit.ratio == q / d


@given(levels())
def test_the_strongest_piece_changes_nothing(level):
    assert level.linear_fractional(Fraction(1), Fraction(0)) is level or level.is_zero


@pytest.mark.parametrize("wrong", [Fraction(-1), Fraction(-1, 10**300), -1])
def test_negative_levels_are_refused(wrong):
    with pytest.raises(InvalidLevel):
        Level.of(wrong)


@pytest.mark.parametrize(
    "wrong", [Fraction(999, 1000), 0, -3, surd(Fraction(99), Fraction(-70), 2), surd(Fraction(1, 2), Fraction(-1), 2)]
)
def test_ratios_below_one_are_refused(wrong):
    # 99 − 70√2 ≈ 0.005
    with pytest.raises(InvalidLevel):
        Level.of_ratio(wrong)


def test_what_a_level_is():
    assert ZERO.is_zero
    assert Level.of(0).is_zero
    assert Level.of_ratio(1).is_zero
    assert ZERO.rational == 0
    assert ZERO.ratio == 1
    assert not INFINITE.is_zero
    assert INFINITE.is_infinite
    assert INFINITE.rational is None
    assert INFINITE.ratio is None
    assert Level.of(Fraction(1, 10)).ratio is None
    assert not Level.of(Fraction(1, 10**300)).is_zero
    assert Level.of_ratio(2).rational is None


def test_exact_text():
    assert INFINITE.exact_text == "inf"
    assert ZERO.exact_text == "0"
    assert Level.of_ratio(Fraction(11, 10)).exact_text == "log(11/10)"
    assert Level.of_ratio(2).exact_text == "log(2)"
    assert Level.of(Fraction(1, 10)).exact_text == "1/10"
    assert parse_level("log((7+sqrt(33))/8)").exact_text == "log((7+sqrt(33))/8)"
    assert (Level.of(1) + Level.of_ratio(2)).exact_text is None


def test_exact_text_ends_at_a_thousand_digits_and_the_value_does_not():
    small, large = Level.of_ratio(1 + 10**900), Level.of_ratio(1 + 10**1100)
    assert small.exact_text == f"log({1 + 10**900})"
    assert large.exact_text is None
    # 3,321 bits of the numerator and one of the denominator 1 are the last that are printed.
    assert Level.of_ratio(1 + 2**3320).exact_text == f"log({1 + 2**3320})"
    assert Level.of_ratio(1 + 2**3321).exact_text is None
    assert large.ratio == 1 + 10**1100
    assert large.full_text() == f"log({1 + 10**1100})"
    with pytest.raises(Undecided):
        (Level.of(1) + Level.of_ratio(2)).full_text()


# Order


@given(finite_levels(), finite_levels())
def test_order_agrees_with_mpmath(a, b):
    with precision(400):
        x, y = alpha_of(a), alpha_of(b)
        if abs(x - y) > max(abs(x), abs(y)) * mp.mpf(10) ** -380:
            assert a.compare(b) == (1 if x > y else -1)
            assert b.compare(a) == -a.compare(b)
        elif a.rational is not None and b.rational is not None:
            assert (a == b) == (a.rational == b.rational)
        else:
            assert (a == b) == (a.ratio == b.ratio)
    assert (a < b) + (a == b) + (a > b) == 1
    assert (a <= b) == (not a > b)
    assert (a >= b) == (not a < b)
    assert (a != b) is not (a == b)


@given(POSITIVE, POSITIVE, st.lists(probabilities(), min_size=2, max_size=2))
def test_order_of_formulas(a, b, sums):
    q, d = max(sums), min(sums)
    # Each g = (qE+1)/(dE+1) rises with E where q > d, and adding a level b > 0 raises a sum.
    if q > d:
        assert a.linear_fractional(q, d).compare(b.linear_fractional(q, d)) == a.compare(b)
    if not (isinstance(a.ratio, Surd) and isinstance(b.ratio, Surd)):
        assert a < a + b
        assert b < a + b
        assert (a + b).linear_fractional(q, d) < a + b + a.linear_fractional(Fraction(1, 2), Fraction(0))


@given(st.integers(5, 3000))
def test_a_transcendental_and_its_rational_neighbours(digits):
    bounds = Level.of(Fraction(1, 10)).enclosure(20)
    with mp.workdps(digits + 20):
        near = fraction(mp.exp(mp.mpf(1) / 10))
    gap = Fraction(1, 10**digits)
    assert Level.of_ratio(near - gap) < Level.of(Fraction(1, 10)) < Level.of_ratio(near + gap)
    assert Fraction(1, 10) in bounds


@given(POSITIVE, st.fractions(-5, 5, max_denominator=10), st.fractions(-5, 5, max_denominator=10))
def test_sign_of_linear(alpha, constant, slope):
    exact = alpha.ratio
    if exact is not None:
        value = constant + slope * (exact - 1)
        with mp.workdps(700):
            expected = 0 if value == 0 else int(mp.sign(mpf(value)))
    else:
        with mp.workdps(700):
            value = mpf(constant) + mpf(slope) * mp.expm1(mpf(alpha.rational))
            expected = int(mp.sign(value))
    assert alpha.sign_of_linear(constant, slope) == expected


@pytest.mark.parametrize(
    ("constant", "slope"), [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]
)
def test_sign_of_linear_at_the_ends(constant, slope):
    a, b = Fraction(constant), Fraction(slope)
    assert ZERO.sign_of_linear(a, b) == constant
    assert INFINITE.sign_of_linear(a, b) == (slope or constant)
    # At E = 1 the value is the sum.
    assert Level.of_ratio(2).sign_of_linear(a, b) == (constant + slope > 0) - (constant + slope < 0)
    assert Level.of(1).sign_of_linear(a, b) == (slope or constant) * (1 if slope or constant else 0)


# Equality


@given(POSITIVE, rational_levels(), probabilities(), probabilities())
def test_the_same_formula_built_twice_is_equal(a, b, one, other):
    q, d = max(one, other), min(one, other)

    def build(first, second):
        return (first + second).linear_fractional(q, d) + second + first

    def anew(level):
        return parse_level(level.full_text())

    one_way = build(anew(a), anew(b))
    other_way = build(anew(b), anew(a))
    assert one_way == other_way
    assert one_way <= other_way
    assert not one_way < other_way


def test_sums_of_two_fields_are_equal_in_any_order():
    a, b = (Level.of_ratio(square_root(Fraction(n))) for n in (2, 3))
    half = Level.of(Fraction(1, 2))
    assert (a + b) - half == (b + a) - half
    assert (a + b + b).compare(a + a + b) == 1


def test_equal_terms_are_counted():
    x, y = (Level.of(1).linear_fractional(Fraction(1, n), Fraction(0)) for n in (2, 3))
    assert (x + x + y).compare(x + y + y) == x.compare(y) == 1


def test_exact_ratios_decide_where_balls_cannot():
    """Ten times the sum of log((11/10)^400) and the level log((11/10)^4000): equal, and far beyond 1,000 digits."""
    step = Level.of_ratio(Fraction(11, 10) ** 400)
    total = ZERO
    for _ in range(10):
        total = total + step
    whole = Level.of_ratio(Fraction(11, 10) ** 4000)
    assert total.exact_text is None
    assert total.ratio == Fraction(11, 10) ** 4000
    assert total == whole
    assert whole == total
    assert total < whole + Level.of_ratio(1 + Fraction(1, 10**5000))
    halved = total.linear_fractional(Fraction(1, 2), Fraction(0))
    assert halved.ratio == (Fraction(11, 10) ** 4000 + 1) / 2
    assert halved.sign_of_linear(1 - halved.ratio, Fraction(1)) == 0
    assert halved.sign_of_linear(1 - halved.ratio + Fraction(1, 10**9000), Fraction(1)) == 1


def test_exact_balls_are_equal_and_not_above_each_other():
    """1 + 2^4000 squared: at 4,096 bits the ball of the sum is a point, and so is that of the whole."""
    half, whole = Level.of_ratio(1 + 2**4000), Level.of_ratio((1 + 2**4000) ** 2)
    total = half + half
    assert total.exact_text is None
    assert total == whole
    assert whole == total
    assert total.sign_of_linear(Fraction(1 - (1 + 2**4000) ** 2), Fraction(1)) == 0


def test_ratios_within_sums_are_told_apart():
    formula = Level.of(1).linear_fractional(Fraction(1, 2), Fraction(1, 3))
    one, two = (Level.of_ratio(1 + Fraction(n, 10**40)) for n in (1, 2))
    assert (formula + one).compare(formula + two) == -1
    assert (formula + one) + two == one + (two + formula)


def test_equal_sums_of_surds_of_one_field():
    root = Level.of_ratio(square_root(Fraction(2)))
    assert root + root == Level.of_ratio(2)
    other = Level.of_ratio(surd(Fraction(1), Fraction(1, 2), 8))
    assert other == Level.of_ratio(surd(Fraction(1), Fraction(1), 2))
    assert (root + other).ratio == surd(Fraction(2), Fraction(1), 2)


def test_precisions_are_doubled_up_to_eight_times_the_first_at_least():
    assert list(_precisions(64)) == [2**k for k in range(6, 22)]
    assert list(_precisions(10**7)) == [10**7, 2 * 10**7, 4 * 10**7, 8 * 10**7]


@pytest.mark.parametrize("ball", [arb(1, 0.5), arb(0, 1), arb("nan")])
def test_what_no_precision_settles_is_an_error(monkeypatch, ball):
    level = Level.of(1) + Level.of_ratio(2)
    monkeypatch.setattr(Level, "_ball_at", lambda self, precision: ball)
    with pytest.raises(Undecided, match="3 digits are not certain"):
        level.enclosure(3)
    with pytest.raises(Undecided, match="not known to 10 bits"):
        level.excess_bounds(10)


@pytest.mark.parametrize(
    ("level", "number", "order"),
    [
        (ZERO, 0, 0),
        (ZERO, -1, 1),
        (ZERO, Fraction(-1, 10**400), 1),
        (parse_level("1/10"), Fraction(1, 10), 0),
        (parse_level("0.1"), Decimal("0.1"), 0),
        (parse_level("0.1"), Decimal("0.10000000000000000000000000000001"), -1),
        (parse_level("log(2)"), Fraction(7, 10), -1),
        (parse_level("log(2)"), Fraction(69, 100), 1),
        (parse_level("log(2)").to_spend(), 1, -1),
        (INFINITE, 10**400, 1),
        (INFINITE, Decimal("Infinity"), 0),
        (parse_level("5"), Decimal("Infinity"), -1),
        (ZERO, Decimal("-Infinity"), 1),
    ],
)
def test_levels_and_exact_numbers(level, number, order):
    assert (level < number, level == number, level > number) == (order < 0, order == 0, order > 0)
    assert (level <= number, level != number, level >= number) == (order <= 0, order != 0, order >= 0)
    assert (number < level, number == level, number > level) == (order > 0, order == 0, order < 0)


@pytest.mark.parametrize("number", [0.5, inf, "1", None])
def test_unlike_types_are_unequal_and_not_ordered(number):
    assert (parse_level("1/2") == number) is False
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        with pytest.raises(TypeError):
            compare(ZERO, number)


@given(levels(), st.sampled_from("efg"), st.integers(1, 12), st.booleans())
@example(ZERO, "f", 3, False)
@example(parse_level("0.9999999"), "e", 2, False)
@example(parse_level("log(2)"), "g", 1, True)
def test_a_level_is_formatted_on_the_safe_side(level, kind, places, is_budget):
    """Against the level itself: no less than it, or for a budget no more, and by less than a unit of the last place."""
    own = level.to_spend() if is_budget else level
    text = f"{own:.{places}{kind}}"
    assert f"{own:40.{places}{kind}}" == text.rjust(40)
    if level.is_infinite:
        assert text == "inf"
        return
    shown = Fraction(Decimal(text))
    if kind == "f":
        assert len(text.partition(".")[2]) == places
        unit = Fraction(1, 10**places)
    else:
        unit = Fraction(10) ** (Decimal(text).adjusted() - (places if kind == "e" else places - 1)) if shown else 1
    low, high = (shown, shown + unit) if is_budget else (shown - unit, shown)
    assert low <= level <= high
    assert shown == level or (level > low if not is_budget else level < high)


# The context of the ball arithmetic


@pytest.mark.parametrize("found", [53, 24, 333])
def test_the_callers_precision_is_left_as_found(found):
    before = ctx.prec
    ctx.prec = found
    try:
        a, b = Level.of(Fraction(1, 10)), Level.of_ratio(Fraction(11, 10))
        formula = (a + b).linear_fractional(Fraction(2, 3), Fraction(1, 5))
        actions = [
            lambda: formula.enclosure(100),
            lambda: formula < a,
            lambda: formula == formula + ZERO,
            lambda: formula.compare(b + a),
            lambda: formula.sign_of_linear(Fraction(-1, 2), Fraction(1)),
            lambda: formula.ratio,
            lambda: repr(formula),
            lambda: parse_level("log((7+sqrt(33))/8)") + a < b,
        ]
        for action in actions:
            action()
            assert ctx.prec == found
        root = [Level.of_ratio(square_root(Fraction(n))) for n in (2, 3, 6)]
        assert root[0] + root[1] == root[2]
        assert ctx.prec == found
    finally:
        ctx.prec = before


def test_a_low_precision_of_the_caller_does_not_widen_the_answer():
    before = ctx.prec
    ctx.prec = 2
    try:
        enclosure = Level.of(Fraction(1, 3)).linear_fractional(Fraction(1, 2), Fraction(1, 3)).enclosure(30)
    finally:
        ctx.prec = before
    with precision(30):
        excess = mp.expm1(mp.mpf(1) / 3)
        assert_encloses(enclosure, mp.log((excess / 2 + 1) / (excess / 3 + 1)), 30)


def test_a_level_is_not_written_in_any_other_format():
    with pytest.raises(ValueError, match="by e, f or g and a precision"):
        f"{ZERO:x}"


def test_repr_names_the_level():
    assert repr(Level.of_ratio(Fraction(11, 10))) == "<Level log(11/10)>"
    # e + log 2 − … : 1 + log 2 = 1.693147…
    assert repr(Level.of(1) + Level.of_ratio(2)) == "<Level in [1.69314, 1.69315]>"
    # Forty characters are shown: log(), 1 and 34 zeros. 34·log 10 = 78.28789…, 35·log 10 = 80.59047….
    assert repr(Level.of_ratio(10**34)) == f"<Level log({10**34})>"
    assert repr(Level.of_ratio(10**35)) == "<Level in [80.5904, 80.5905]>"


def test_floats_are_no_levels():
    for build in (Level.of, Level.of_ratio):
        with pytest.raises(InvalidNumber):
            build(1.25)


def test_sums_beyond_the_largest_rational_level():
    assert (Level.of(10**9) + Level.of(1)).rational == 10**9 + 1


def test_a_huge_level_against_the_limit():
    huge = Level.of(10**6).linear_fractional(Fraction(1, 2), Fraction(1, 4))
    assert huge < Level.of_ratio(2)


def test_a_piece_that_would_be_negative_is_refused():
    with pytest.raises(InvalidLevel):
        Level.of_ratio(2).linear_fractional(Fraction(0), Fraction(1, 2))


@pytest.mark.parametrize("digits", [0, -1])
def test_an_enclosure_has_a_digit(digits):
    with pytest.raises(InvalidRequest):
        Level.of(1).enclosure(digits)
