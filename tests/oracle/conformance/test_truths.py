"""Numbers of answers against the truth: comparison, units in the last place, and the question next to the one asked."""

from fractions import Fraction
from math import nextafter, ulp

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.conformance.judge.truths import (
    PerturbedQuery,
    Query,
    Truth,
    compare,
    exact_but_levels,
    number_of,
    perturbed_text,
    shift_of,
)
from tploracle.conformance.judge.truths import ulp as exact_ulp
from tploracle.conformance.model import Judgement, Verdict, worst
from tploracle.reference import INFINITE, Level, Undecided, parse_level
from tploracle.wire.requests import Session

from .judging import IDENTITY, MODERATE

positive = st.floats(min_value=0, exclude_min=True, allow_infinity=False)


@given(positive)
@example(5e-324)
@example(2.0**-1022)
@example(nextafter(2.0**-1022, 0))
@example(1.0)
@example(nextafter(1.0, 0))
@example(1.7976931348623157e308)
def test_ulps_are_those_of_the_doubles(value):
    assert exact_ulp(Fraction(value)) == Fraction(ulp(value))


def test_ulps_between_and_beyond_the_doubles():
    # Just below 1 the doubles are 2^-53 apart, from 1 on 2^-52; below the least positive double they are 2^-1074.
    assert exact_ulp(1 - Fraction(1, 10**50)) == Fraction(1, 2**53)
    assert exact_ulp(1 + Fraction(1, 10**50)) == Fraction(1, 2**52)
    assert exact_ulp(Fraction(1, 10**400)) == Fraction(1, 2**1074)
    assert exact_ulp(Fraction(2**2000)) == Fraction(2**1948)


NUMBERS = ["0", "1e-30", "0.4054", "log(3/2)", "0.4055", "log((7+sqrt(33))/8)", "log(2)", "0.7", "1e300", "inf"]


@pytest.mark.parametrize("first", range(len(NUMBERS)))
def test_numbers_are_compared_exactly(first):
    """The list is in rising order: log 1.5 = 0.40546…, log 1.5930… = 0.4656…, log 2 = 0.693…."""
    for second, text in enumerate(NUMBERS):
        order = (first > second) - (first < second)
        assert compare(number_of(NUMBERS[first]), number_of(text)) == order
        assert Truth(text).order(number_of(NUMBERS[first])) == order


def test_a_truth_next_to_a_number_of_many_digits():
    with mp.workdps(120):
        scale = Fraction(10**100)
        floor = int(mp.floor(mp.log(2) * 10**100))
    for number, order in ((floor / scale, -1), ((floor + 1) / scale, 1)):
        assert compare(number, Level.of_ratio(2)) == order
        assert Truth("log(2)").order(number) == order
        assert Truth("log(2)").ulps(number) == order


def test_ulps_of_an_exact_truth_are_counted_exactly():
    # A double has up to 52 digits behind its first; 40 digits alone would make two ulps of one.
    tenth = Truth(str(Fraction(0.1)))
    assert [tenth.ulps(Fraction(number)) for number in (0.1, nextafter(0.1, 1), nextafter(0.1, 0))] == [0, 1, -1]
    assert Truth("1/3").ulps(Fraction(1, 3) + Fraction(1, 2**54)) == 1
    assert Truth("1/3").ulps(Fraction(1, 3) + Fraction(1, 2**54) + Fraction(1, 10**60)) == 2
    assert Truth("1/3").ulps(Fraction(1, 3) - 5 * Fraction(1, 2**54)) == -5
    assert Truth("0").ulps(Fraction(0)) == 0
    assert Truth("0").ulps(Fraction(1)) is None
    assert Truth("inf").ulps(INFINITE) == 0
    assert Truth("inf").ulps(Fraction(1)) is None
    assert Truth("1").ulps(INFINITE) is None


def test_a_distance_that_no_report_has_room_for_is_infinite():
    one = Truth("1")
    assert one.ulps(1 + Fraction(10**1000, 2**52)) == 10**1000
    assert one.ulps(1 + Fraction(10**1000 + 1, 2**52)) is None
    assert one.ulps(Fraction(10) ** 5000) is None


def enclosed(*bounds):
    """A truth without an exact form, in 40, 400 and 4000 digits; the last of the bounds stand for the rest."""
    asked = []

    def enclose(digits):
        asked.append(digits)
        return bounds[min(len(bounds) - 1, [40, 400, 4000].index(digits))]

    return Truth(None, enclose), asked


def test_enclosures_are_narrowed_until_they_settle_it():
    wide, narrow = (Fraction(1, 4), Fraction(1, 2)), (Fraction(1, 3), Fraction(34, 100))
    truth, asked = enclosed(wide, narrow)
    assert truth.order(Fraction(3, 10)) == -1
    assert asked == [40, 400]
    truth, asked = enclosed(wide)
    assert truth.order(Fraction(1, 5)) == -1
    assert asked == [40]
    with pytest.raises(Undecided, match="agree in 4000 digits"):
        truth.order(Fraction(1, 3))
    assert asked == [40, 400, 4000]
    # At the ends of an enclosure the two may be equal.
    for end in wide:
        with pytest.raises(Undecided):
            enclosed(wide)[0].order(end)


def test_counts_that_stay_in_doubt_are_the_greater():
    unit = Fraction(1, 2**52)
    truth, asked = enclosed((1 + unit / 4, 1 + unit / 2), (1 + unit / 4, 1 + unit / 3))
    assert truth.ulps(1 + 2 * unit) == 2
    assert asked == [40]
    assert truth.ulps(1 + unit + unit * 3 / 10) == 2
    assert asked == [40, 400, 4000]
    assert truth.ulps(1 - unit * 7 / 10) == -2


def test_truths_of_the_desk_are_asked_in_more_digits_only_when_needed():
    asked = []

    class Counting(Session):
        def answer(self, op, given, digits=17, numbers="rational"):
            asked.append(digits)
            return super().answer(op, given, digits, numbers)

    query = Query(Counting(), "leakage", {"epsilons": ["0x1p-1", "0x1p-2"], "backward": MODERATE}, "float64")
    assert query.level("bpl", 0).exact == Fraction(1, 2)
    assert query.level("tpl", 1).order(Fraction(1)) == 1
    assert asked == [40]
    lower, upper = query.level("tpl", 1).bounds(400)
    assert 0 < upper - lower < Fraction(1, 10**398)
    assert query.level("bpl", 1).bounds(400) == (lower, upper)
    assert asked == [40, 400]


def test_texts_of_truths():
    assert str(Truth("1/2")) == "0.5"
    assert str(Truth("1/3")) == "0.3333333333333333[3,4] = 1/3"
    assert str(Truth("inf")) == "inf"
    assert str(Truth("0")) == "0"
    short, long = (Truth(f"1/{3 * 10**digits}") for digits in (21, 22))
    assert str(short).endswith("] = 1/3000000000000000000000")
    assert "=" not in str(long)
    assert str(Truth(None, lambda _: (Fraction(1, 3), Fraction(1, 3)))) == "0.3333333333333333[3,4]"


# The worst mark


def test_the_worst_mark():
    marks = [
        Judgement(Verdict.EXACT, 0, "a"),
        Judgement(Verdict.WITHIN, 3, "b"),
        Judgement(Verdict.WITHIN, -5, "c"),
        Judgement(Verdict.WITHIN, 5, "d"),
        Judgement(Verdict.UNDECIDED, None, "e"),
        Judgement(Verdict.WRONG, 900, "f"),
        Judgement(Verdict.WRONG, None, "g"),
        Judgement(Verdict.UNSAFE, -1, "h"),
    ]
    assert [worst(marks[:count]).place for count in range(1, 9)] == ["a", "b", "c", "c", "e", "f", "g", "h"]


# The question next to the one asked

SHIFT = shift_of(4096)


def test_the_shift_is_so_many_ulps_of_one():
    assert shift_of(1) == Fraction(ulp(1.0))
    assert Fraction(1, 2**40) == SHIFT
    assert shift_of(2**51) == shift_of(2**60) == Fraction(1, 2)


@pytest.mark.parametrize("factor", [1 + SHIFT, 1 - SHIFT])
def test_rational_levels_are_multiplied(factor):
    for alpha in (Fraction(1, 3), Fraction(40), Fraction(1, 2**1074)):
        assert Fraction(perturbed_text(Level.of(alpha), factor)) == alpha * factor
    assert perturbed_text(Level.of(0), factor) == "0"
    assert perturbed_text(INFINITE, factor) == "inf"


def test_moved_levels_stay_within_the_contract():
    assert perturbed_text(Level.of(10**9), 1 + SHIFT) == str(10**9)
    assert perturbed_text(Level.of_ratio(1 + Fraction(1, 10**20)), 1 - SHIFT) == "0"
    assert perturbed_text(Level.of_ratio(10), 1 - shift_of(2**60)) == "0"


@pytest.mark.parametrize(
    "text", ["log(1+1e-30)", "log(11/10)", "log(2)", "log((7+sqrt(33))/8)", "log(50)", "log(1e300)"]
)
def test_logarithms_move_by_at_least_as_much_as_if_they_were_multiplied(text):
    level = parse_level(text)
    with mp.workdps(700):
        alpha, moved = mp_level(level), mp_level(parse_level(perturbed_text(level, 1 + SHIFT)))
        shift = mp.mpf(SHIFT.numerator) / SHIFT.denominator
        parts = mp.ceil(alpha)
        assert alpha * shift - (parts * shift) ** 2 <= moved - alpha <= parts * shift
        lowered = perturbed_text(level, 1 - SHIFT)
        if lowered != "0":
            assert alpha - mp_level(parse_level(lowered)) >= alpha * shift


def mp_level(level):
    ratio = level.ratio
    if isinstance(ratio, Fraction):
        return mp.log(mp.mpf(ratio.numerator) / ratio.denominator)
    a, b = (mp.mpf(part.numerator) / part.denominator for part in (ratio.a, ratio.b))
    return mp.log(a + b * mp.sqrt(ratio.radicand))


def moved_input(op, numbers="float64", **given):
    return PerturbedQuery(Query(Session(), op, given, numbers), 4096).query.given


def test_every_level_is_moved_to_the_safe_side_and_nothing_else():
    up, down = str(Fraction(1, 2) * (1 + SHIFT)), str(Fraction(1, 2) * (1 - SHIFT))
    exact = [["3/4", "1/4"], ["0", "1"]]
    half = "0x1p-1"
    for op, more, moved in (
        ("loss", {"alpha": half}, {"alpha": up}),
        ("supremum", {"epsilon": half}, {"epsilon": up}),
        ("leakage", {"epsilons": [half, "inf"]}, {"epsilons": [up, "inf"]}),
        ("composition", {"epsilons": [half], "start": 1, "length": 1}, {"epsilons": [up]}),
        ("allocate", {"alpha": half, "method": "quantified", "horizon": 2}, {"alpha": down}),
        ("control", {"previous": half, "cap": half}, {"previous": up, "cap": down}),
    ):
        role = {"leakage": "backward", "composition": "forward", "allocate": "forward"}.get(op, "matrix")
        assert moved_input(op, **{role: MODERATE}, **more) == {role: exact, **more, **moved}
    assert moved_input("loss", numbers="rational", matrix=exact, alpha="1/2") == {"matrix": exact, "alpha": up}


def test_rows_that_are_divided_by_their_sums_are_so_in_exact_rationals():
    rounded = [["0x1.999999999999ap-4", "0x1.ccccccccccccdp-1"], ["0x0p+0", "0x1p+0"]]
    total = Fraction(0.1) + Fraction(0.9)
    exact = exact_but_levels(Query(Session(), "loss", {"matrix": rounded, "alpha": "0x1p-1"}, "float64"))
    assert exact["matrix"][0] == [str(Fraction(0.1) / total), str(Fraction(0.9) / total)]
    assert exact["alpha"] == "0x1p-1"


def test_nothing_left_is_no_truth():
    given = {"matrix": IDENTITY, "previous": "0x1p-1", "cap": "0x1.0000000000001p-1"}
    query = Query(Session(), "control", given, "float64")
    assert query.level().exact == Fraction(1, 2**53)
    assert PerturbedQuery(query, 4096).level() is None
    assert PerturbedQuery(query, 0).level().exact == Fraction(1, 2**53)
