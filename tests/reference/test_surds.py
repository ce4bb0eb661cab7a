"""Quadratic surds: field axioms, exact signs, notation; recomputed in mpmath."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import Level, Surd, parse_level
from tploracle.reference.surds import MixedRadicands, bits, sign, square_root, surd

from ..in_mpmath import mpf

COEFFICIENTS = st.one_of(st.integers(-3, 3).map(Fraction), st.fractions(-100, 100, max_denominator=10**6))
RADICAND = st.sampled_from([2, 3, 5, 12, 33, 10**20 + 39])


@st.composite
def in_one_field(draw, count):
    """Elements of one quadratic field, its root written √D or as √(k²D) = k√D."""
    radicand = draw(RADICAND)
    scales = draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    return [surd(draw(COEFFICIENTS), draw(COEFFICIENTS), radicand * k * k) for k in scales]


@given(in_one_field(3))
def test_field_axioms(elements):
    x, y, z = elements
    assert x + y == y + x
    assert x * y == y * x
    assert (x + y) + z == x + (y + z)
    assert (x * y) * z == x * (y * z)
    assert x * (y + z) == x * y + x * z
    assert x + 0 == x
    assert 0 + x == x
    assert x * 1 == x
    assert 1 * x == x
    assert x + (-x) == 0
    assert x - y == -(y - x)
    assert 1 - x == -(x - 1)
    if x != 0:
        assert x / x == 1
        assert x * (1 / x) == 1
        assert (y / x) * x == y


@given(in_one_field(2))
def test_operations_agree_with_mpmath(elements):
    x, y = elements
    # |x| ≤ 100·(1 + √(9·10^20)) < 10^13, and a quotient stays below 10^60: of 150 digits more than 80 remain.
    with mp.workdps(150):
        bound = mp.mpf(10) ** -80
        assert abs(mpf(x + y) - (mpf(x) + mpf(y))) < bound
        assert abs(mpf(x - y) - (mpf(x) - mpf(y))) < bound
        assert abs(mpf(x * y) - mpf(x) * mpf(y)) < bound
        if y != 0:
            assert abs(mpf(x / y) * mpf(y) - mpf(x)) < bound


@given(in_one_field(1))
def test_rational_values_are_fractions_and_only_they(elements):
    (x,) = elements
    assert isinstance(x, Fraction) == (not isinstance(x, Surd))
    assert isinstance(x - x, Fraction)
    if isinstance(x, Surd):
        conjugate = Surd(x.a, -x.b, x.radicand)
        assert x * conjugate == x.a**2 - x.b**2 * x.radicand
        assert isinstance(x * conjugate, Fraction)
        assert x != x.a
        assert x != conjugate


@pytest.mark.parametrize(
    ("built", "value"),
    [
        (surd(Fraction(1, 2), Fraction(3), 4), Fraction(13, 2)),
        (surd(Fraction(1, 2), Fraction(0), 7), Fraction(1, 2)),
        (surd(Fraction(1, 2), Fraction(5), 0), Fraction(1, 2)),
        (surd(Fraction(0), Fraction(1), 10**40), Fraction(10**20)),
        (square_root(Fraction(9, 4)), Fraction(3, 2)),
        (square_root(Fraction(0)), Fraction(0)),
    ],
)
def test_perfect_squares_are_rational(built, value):
    assert isinstance(built, Fraction)
    assert built == value


@given(st.fractions(0, 10**6, max_denominator=10**6))
def test_square_root_squared(value):
    root = square_root(value)
    assert root * root == value
    assert sign(root) == (value > 0)


def test_sign_near_zero():
    """Pell approximations p − q√2, with p² − 2q² = ±1 in turn: never zero, and ever nearer to it."""
    p, q = 1, 1
    for step in range(400):
        value = surd(Fraction(p), Fraction(-q), 2)
        assert p * p - 2 * q * q == (-1 if step % 2 == 0 else 1)
        assert sign(value) == p * p - 2 * q * q
        assert sign(-value) == -sign(value)
        p, q = p + 2 * q, p + q


@given(in_one_field(1))
def test_sign_agrees_with_mpmath(elements):
    (x,) = elements
    assume(x != 0)
    with mp.workdps(100):
        value = mpf(x)
    assert sign(x) == (value > 0) - (value < 0)


@given(in_one_field(2))
def test_equal_values_have_equal_hashes(elements):
    x, y = elements
    if isinstance(x, Surd):
        written_otherwise = Surd(x.a, x.b / 5, x.radicand * 25)
        assert x == written_otherwise
        assert hash(x) == hash(written_otherwise)
    assert (x == y) == (x - y == 0)


def test_unlike_radicands_do_not_mix():
    for operate in (lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x - y, lambda x, y: x / y):
        with pytest.raises(MixedRadicands):
            operate(square_root(Fraction(2)), square_root(Fraction(3)))
    assert square_root(Fraction(2)) != square_root(Fraction(3))
    assert square_root(Fraction(2)) + square_root(Fraction(8)) == square_root(Fraction(18))


@pytest.mark.parametrize(
    ("a", "b", "radicand", "text"),
    [
        ("7/8", "1/8", 33, "(7+sqrt(33))/8"),
        ("0", "1", 2, "sqrt(2)"),
        ("0", "1/3", 2, "sqrt(2)/3"),
        ("0", "-1/3", 2, "(-sqrt(2))/3"),
        ("0", "-2", 2, "-sqrt(8)"),
        ("-1/2", "-3/2", 5, "(-1-sqrt(45))/2"),
        ("3", "-1", 5, "3-sqrt(5)"),
        ("1/2", "1/3", 5, "(3+sqrt(20))/6"),
    ],
)
def test_text(a, b, radicand, text):
    # By hand: over the least common denominator c, b·c is taken under the root.
    assert str(surd(Fraction(a), Fraction(b), radicand)) == text


@given(in_one_field(1))
def test_text_parses_back(elements):
    (x,) = elements
    ratio = x if sign(x) > 0 else -x
    ratio = ratio + 10**13
    assume(isinstance(ratio, Surd))
    assert parse_level(f"log({ratio})").ratio == ratio
    assert parse_level(f"log(({-ratio})/(-1))").ratio == ratio
    assert parse_level(Level.of_ratio(ratio).full_text()).ratio == ratio


def test_bits_count_every_part():
    assert bits(Fraction(5, 8)) == 3 + 4
    # 1/1 twice and a radicand of two bits
    assert bits(surd(Fraction(1), Fraction(1), 3)) == 2 + 2 + 2
    assert bits(surd(Fraction(1), Fraction(1), 3 * 2**200)) >= 200
