"""The judge's rules, one by one, on truths computed by hand or by mpmath."""

from fractions import Fraction
from math import inf, nextafter

import pytest
from mpmath import mp

from tploracle.conformance.model import Verdict
from tploracle.wire.strict_json import Numeral

from .judging import (
    EQUAL,
    HALF,
    IDENTITY,
    MIXED,
    MODERATE,
    around,
    assert_said,
    judged,
    moderate,
    rationals_around,
    steps,
    supremum_of_moderate,
)

pytestmark = pytest.mark.usefixtures("precise")


def loss_of_half(value, **more):
    return judged("loss", value, matrix=MODERATE, alpha=HALF, **more)


# Points


def test_one_double_below_the_truth_is_unsafe_and_one_above_within():
    below, above = around(moderate(mp.mpf(1) / 2))
    unsafe, within = loss_of_half(below.hex()), loss_of_half(above.hex())
    assert (unsafe.verdict, unsafe.ulps, unsafe.detail) == (Verdict.UNSAFE, -1, "below the truth")
    assert (within.verdict, within.ulps, within.detail) == (Verdict.WITHIN, 1, "")
    assert unsafe.place == ""
    assert unsafe.truth.startswith("0.396451913042950")
    assert unsafe.given == f"{below.hex()} ({below:.17g})"


@pytest.mark.parametrize("count", [1, 2, 3, 100, 4095])
def test_ulps_are_counted_on_both_sides(count):
    below, above = around(moderate(mp.mpf(1) / 2))
    assert loss_of_half(steps(below, -count).hex()).ulps == -count - 1
    assert loss_of_half(steps(above, count).hex()).ulps == count + 1


def test_the_same_far_beyond_the_digits_of_a_double():
    """What 40 digits do not distinguish is distinguished by more of them."""
    with mp.workdps(150):
        below, above = rationals_around(moderate(mp.mpf(1) / 2), 100)
    assert (loss_of_half(below).verdict, loss_of_half(below).ulps) == (Verdict.UNSAFE, -1)
    assert (loss_of_half(above).verdict, loss_of_half(above).ulps) == (Verdict.WITHIN, 1)


def test_exact_points():
    # L(log 11/10) = log(0.75/10 + 1) = log(43/40).
    given = {"numbers": "rational", "matrix": [["3/4", "1/4"], ["0", "1"]], "alpha": "log(11/10)"}
    assert_said(judged("loss", "log(1.075)", **given), Verdict.EXACT, 0)
    below, above = rationals_around(mp.log(mp.mpf(43) / 40), 50)
    assert judged("loss", below, **given).verdict is Verdict.UNSAFE
    assert judged("loss", above, **given).verdict is Verdict.WITHIN
    assert judged("loss", "log(1.0749999999999999999999999)", **given).verdict is Verdict.UNSAFE
    assert judged("loss", "log(1.0750000000000000000000001)", **given).ulps == 1
    # A level that is a double: the loss under certainty is the level itself.
    for value in (HALF, "0.5", "1/2", {"exact": None, "lower": "0.4", "upper": "0.5"}):
        assert judged("loss", value, matrix=IDENTITY, alpha=HALF).verdict is Verdict.EXACT


def test_ulps_at_a_power_of_two_are_those_of_the_doubles_above_it():
    one = {"matrix": IDENTITY, "alpha": "0x1p+0"}
    assert judged("loss", nextafter(1.0, 2).hex(), **one).ulps == 1
    assert judged("loss", steps(1.0, 3).hex(), **one).ulps == 3
    assert [judged("loss", steps(1.0, -count).hex(), **one).ulps for count in (1, 2, 3, 4)] == [-1, -1, -2, -2]


def test_ulps_among_the_subnormal_doubles():
    # 0.75·a for a = 2^−1070 is 12·2^−1074; the truth, 0.75·a + 0.09375·a² + …, is just above it.
    given = {"matrix": MODERATE, "alpha": "0x1p-1070"}
    unit = 5e-324
    assert (judged("loss", (12 * unit).hex(), **given).verdict, judged("loss", "0x0p+0", **given).ulps) == (
        Verdict.UNSAFE,
        -13,
    )
    assert_said(judged("loss", (13 * unit).hex(), **given), Verdict.WITHIN, 1)
    assert judged("loss", (20 * unit).hex(), **given).ulps == 8


def test_a_truth_of_zero_has_no_ulps():
    given = {"matrix": EQUAL, "alpha": "0x1p+3"}
    for value in ("0", "0x0p+0", 0, {"exact": "0", "lower": "0", "upper": "0"}, {"lower": "0", "upper": "0"}):
        assert judged("loss", value, **given).verdict is Verdict.EXACT
    assert_said(judged("loss", (5e-324).hex(), **given), Verdict.WRONG, None, truth="0")


def test_infinite_levels():
    given = {"matrix": MODERATE, "alpha": "inf"}
    assert judged("loss", "inf", **given).verdict is Verdict.EXACT
    assert judged("loss", {"exact": "inf", "lower": "inf", "upper": "inf"}, **given).verdict is Verdict.EXACT
    for value in ("0x1.8p+1000", {"lower": "1", "upper": "1e300"}):
        assert_said(judged("loss", value, **given), Verdict.UNSAFE, None, truth="inf")
    assert_said(loss_of_half("inf"), Verdict.WRONG, None)


# Enclosures and exact texts


def test_of_an_enclosure_the_upper_end_is_judged():
    below, above = (value.hex() for value in around(moderate(mp.mpf(1) / 2)))
    unsafe = loss_of_half({"exact": None, "lower": "0", "upper": below})
    assert (unsafe.verdict, unsafe.ulps, unsafe.detail) == (Verdict.UNSAFE, -1, "the upper end is below the truth")
    assert loss_of_half({"exact": None, "lower": below, "upper": above}).ulps == 1
    assert loss_of_half({"exact": None, "lower": "0", "upper": above}).verdict is Verdict.WITHIN
    at_the_truth = {"exact": None, "lower": HALF, "upper": nextafter(0.5, 1).hex()}
    assert judged("loss", at_the_truth, matrix=IDENTITY, alpha=HALF).verdict is Verdict.WITHIN


def test_an_enclosure_above_the_truth_is_wrong_and_a_point_there_is_not():
    _, above = around(moderate(mp.mpf(1) / 2))
    further = nextafter(above, inf).hex()
    wrong = loss_of_half({"exact": None, "lower": above.hex(), "upper": further})
    assert (wrong.verdict, wrong.ulps, wrong.detail) == (Verdict.WRONG, 2, "the enclosure does not hold the truth")
    assert_said(loss_of_half({"exact": None, "lower": further, "upper": further}), Verdict.WITHIN, 2)


def test_an_exact_text_must_be_the_truth():
    given = {"numbers": "rational", "matrix": [["3/4", "1/4"], ["0", "1"]], "alpha": "log(11/10)"}
    ends = {"lower": "0.07", "upper": "0.08"}
    assert judged("loss", {"exact": "log(43/40)", **ends}, **given).verdict is Verdict.EXACT
    below = judged("loss", {"exact": "log(42/40)", **ends}, **given)
    assert (below.verdict, below.detail) == (Verdict.UNSAFE, "the exact text is below the truth")
    assert below.ulps < -(10**12)
    above = judged("loss", {"exact": "log(44/40)", **ends}, **given)
    assert (above.verdict, above.detail) == (Verdict.WRONG, "the exact text is above the truth")
    assert above.ulps > 10**12
    # With the right exact text the ends are still held to what they say.
    assert judged("loss", {"exact": "log(43/40)", "lower": "0.05", "upper": "0.06"}, **given).verdict is Verdict.UNSAFE
    assert judged("loss", {"exact": "log(43/40)", "lower": "0.08", "upper": "0.09"}, **given).verdict is Verdict.WRONG
    # The truth about a double has no exact text; one that is given is compared with the digits.
    assert loss_of_half({"exact": "log(148/100)", "lower": "0.3", "upper": "0.4"}).verdict is Verdict.UNSAFE
    assert loss_of_half({"exact": "log(149/100)", "lower": "0.3", "upper": "0.4"}).verdict is Verdict.WRONG


# The limit, and the question next to the one asked


def test_the_limit_is_the_last_that_is_within():
    # At α = ∞ there is no level to move: log 3, whose ulp is 2^−52, and 3·2^−52 of it are 3.3 ulps.
    _, above = around(mp.log(3))
    given = {"matrix": MIXED, "alpha": "inf", "ulps": 3}
    within, beyond = (judged("loss", steps(above, count).hex(), **given) for count in (2, 3))
    assert (within.verdict, within.ulps, within.detail) == (Verdict.WITHIN, 3, "")
    assert (beyond.verdict, beyond.ulps, beyond.detail) == (Verdict.WRONG, 4, "further above the truth than 3 ulps")
    assert_said(judged("loss", above.hex(), matrix=MIXED, alpha="inf", ulps=0), Verdict.WRONG, 1)


def test_the_answer_to_a_question_next_to_the_one_asked():
    epsilon = float(mp.log(mp.mpf(4) / 3) * (1 - mp.mpf(10) ** -9))
    given = {"matrix": MODERATE, "epsilon": epsilon.hex()}

    def moved_by(count):
        return judged(
            "supremum", float(supremum_of_moderate(mp.mpf(epsilon) * (1 + count * mp.mpf(2) ** -52))).hex(), **given
        )

    near, far = moved_by(4000), moved_by(4200)
    assert (near.verdict, near.detail) == (
        Verdict.WITHIN,
        "the answer to a question within 4,096 ulps of the one asked",
    )
    assert near.ulps > 10**9
    assert (far.verdict, far.detail) == (Verdict.WRONG, "further above the truth than 4,096 ulps")


def test_the_answer_to_the_moved_question_may_be_off_by_the_limit_too():
    # Under certainty L(1) = 1, moved 1 + 2^-40, and that number moved again.
    def answered(number, **more):
        return judged("loss", str(number), matrix=IDENTITY, alpha="0x1p+0", **more)

    farthest = (1 + Fraction(1, 2**40)) ** 2
    assert_said(answered(farthest), Verdict.WITHIN, 8193)
    assert_said(answered(farthest + Fraction(1, 10**50)), Verdict.WRONG, 8193)
    assert answered(Fraction(9, 4), ulps=2**60).verdict is Verdict.WITHIN


def test_an_infinite_answer_where_the_question_next_to_it_has_no_bound():
    boundary = mp.log(mp.mpf(4) / 3)
    below, _ = around(boundary)
    assert_said(judged("supremum", "inf", matrix=MODERATE, epsilon=below.hex()), Verdict.WITHIN, None)
    far = judged("supremum", "inf", matrix=MODERATE, epsilon="0x1p-3")
    assert (far.verdict, far.ulps) == (Verdict.WRONG, None)
    assert far.truth.startswith(mp.nstr(supremum_of_moderate(mp.mpf(1) / 8), 12))


def test_levels_written_as_logarithms_are_moved_too():
    given = {"numbers": "rational", "matrix": [["3/4", "1/4"], ["0", "1"]]}
    below, beside = (
        Fraction(4, 3) * (1 - Fraction(1, 10**9)),
        Fraction(4, 3) * (1 - Fraction(1, 10**9) + Fraction(1, 10**12)),
    )
    answer = float(supremum_of_moderate(mp.log(mp.mpf(beside.numerator) / beside.denominator))).hex()
    assert judged("supremum", answer, epsilon=f"log({below})", **given).verdict is Verdict.WRONG
    assert judged("supremum", answer, epsilon=f"log({below})", ulps=5000, **given).verdict is Verdict.WITHIN


# Answers of another form, and how the truth is written


@pytest.mark.parametrize("value", [None, [], True, Numeral("0.5"), "nan", "0.5+0j", "-1", {"upper": "1"}])
def test_a_level_of_another_form_is_wrong_with_a_message(value):
    wrong = loss_of_half(value)
    assert (wrong.verdict, wrong.ulps) == (Verdict.WRONG, None)
    assert wrong.detail
    assert wrong.truth.startswith("0.396451913042950")


def test_the_truth_is_written_for_people():
    given = {"numbers": "rational", "matrix": [["3/4", "1/4"], ["0", "1"]]}
    truth = judged("loss", "1", alpha="log(11/10)", **given).truth
    assert truth.startswith(mp.nstr(mp.log(mp.mpf(43) / 40), 30)[:16])
    assert truth.endswith("] = log(43/40)")
    assert judged("loss", "2", alpha="inf", **{**given, "matrix": [["1", "0"], ["0", "1"]]}).truth == "inf"
    assert judged("loss", "2", alpha="1/4", **{**given, "matrix": [["1", "0"], ["0", "1"]]}).truth == "0.25"
