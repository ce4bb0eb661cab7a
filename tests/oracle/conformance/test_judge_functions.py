"""Whole loss functions: nowhere below the truth, then piece by piece."""

from fractions import Fraction
from functools import partial
from math import nextafter

import pytest
from mpmath import mp

from tploracle.conformance.judge.functions import MOST_PIECES
from tploracle.conformance.model import Failure, Verdict

from .judging import EQUAL, MIXED, MODERATE, around, assert_said, judged, steps

# The paper's worked example: 0.7 against 0.2 up to log(13/3), then 0.5 against 0.1.
PAPER_L = {"numbers": "rational", "matrix": [["0.1", "0.2", "0.7"], ["0.3", "0.3", "0.4"], ["0.5", "0.3", "0.2"]]}
FIRST = {"q": "0.7", "d": "0.2", "from": "0", "to": "log(13/3)"}
SECOND = {"q": "0.5", "d": "0.1", "from": "log(13/3)", "to": "inf"}


pytestmark = pytest.mark.usefixtures("precise")


def paper(first=None, second=None, **more):
    pieces = [{**FIRST, **(first or {})}, {**SECOND, **(second or {})}]
    return judged("loss_function", {"pieces": pieces}, **PAPER_L, **more)


def one(q, d, matrix=MIXED, start="0", stop="inf", **more):
    piece = {"q": q, "d": d, "from": start, "to": stop}
    return judged("loss_function", {"pieces": [piece]}, matrix=matrix, **more)


def everywhere(*points, **given):
    """Return the judgement on pieces that are all said to rule everywhere."""
    value = {"pieces": [{"q": q, "d": d, "from": "0", "to": "inf"} for q, d in points]}
    return judged("loss_function", value, **given)


def test_exact_functions():
    assert paper().verdict is Verdict.EXACT
    level = {"exact": "log(13/3)", "lower": "1.4", "upper": "1.5"}
    assert paper({"to": level, "rows": [1, 3], "subset": [3]}, {"from": "log(4.333+1/3000)"}).verdict is Verdict.EXACT
    assert one("3/4", "0x1p-2").verdict is Verdict.EXACT
    assert (
        one("0x1.8p-1", "0", MODERATE, stop={"exact": "inf", "lower": "inf", "upper": "inf"}).verdict is Verdict.EXACT
    )
    assert one("0", "0x0p+0", EQUAL).verdict is Verdict.EXACT


def test_one_ulp_of_q_and_of_d_on_both_sides():
    up, down = nextafter(0.75, 1), nextafter(0.75, 0)
    within, unsafe = one(up.hex(), "1/4"), one(down.hex(), "1/4")
    assert (within.verdict, within.ulps, within.place) == (Verdict.WITHIN, 1, "pieces 1, q")
    # At E = 1 the value log 1.4 falls by 2^-53/1.75, 1.14 ulps of it; the slope 1/2 and log 3 fall by an ulp or less.
    assert (unsafe.verdict, unsafe.ulps, unsafe.place) == (Verdict.UNSAFE, -2, "at log(2)")
    assert unsafe.detail == "the greatest of the answered pieces is below the loss function"
    # Below 1/4 the doubles are twice as dense: two of them are an ulp.
    within, unsafe = one("3/4", steps(0.25, -2).hex()), one("3/4", nextafter(0.25, 1).hex())
    assert (within.verdict, within.ulps, within.place) == (Verdict.WITHIN, -1, "pieces 1, d")
    assert unsafe.verdict is Verdict.UNSAFE
    both = one(up.hex(), nextafter(0.25, 1).hex())
    assert both.verdict is not Verdict.WITHIN


def test_each_sample_by_itself():
    # The slope at 0 alone: 0.4 is below 1/2, everything else above. E = 1 is the sample inside.
    pieces = partial(everywhere, matrix=MIXED)
    # (0.4 E + 1) is 1.4 at E = 1, equal to the truth there, and unbounded.
    slope = pieces(("0.4", "0"))
    assert (slope.verdict, slope.place) == (Verdict.UNSAFE, "slope at 0")
    # 0.1 below 1/2, whose ulp is 2^-53.
    assert slope.ulps == -(2**53 // 10 + 1)
    # At ∞ alone: q/d = 2.99 is below 3; the slope 0.598 and the value at 1, 1.9/1.301, are above.
    assert_said(pieces(("0.9", "0.301")), Verdict.UNSAFE, place="limit at ∞")
    # At E = 1 alone: a second piece with a limit of 4, and a first with the slope, but both too low inside.
    assert_said(pieces(("0.51", "0.01"), ("0.99", "0.49")), Verdict.WRONG)
    assert_said(pieces(("1", "1/2"), ("1/8", "1/32")), Verdict.UNSAFE, place="at log(2)")


def test_points_inside_the_true_pieces():
    """Of the paper's function: at E = 5/3, half way to 10/3 where its pieces meet, and at 23/3 beyond."""

    pieces = partial(everywhere, **PAPER_L)
    # Slope 1/2 at 0 from the first, 2 at E = 10/3 and more beyond from the second; at 5/3 1.5 against 1.625.
    assert_said(pieces(("1", "1/2"), ("0.3", "0")), Verdict.UNSAFE, place="at log(8/3)")
    # The true first piece, and one of the true limit that comes to it too late: 2.51 against 2.74.
    assert_said(pieces(("0.7", "0.2"), ("0.05", "0.01")), Verdict.UNSAFE, place="at log(26/3)")


def test_infinite_limits():
    assert_said(one("0.8", "0.01", MODERATE), Verdict.UNSAFE, None, place="limit at ∞", truth="inf")
    assert_said(one("0.7", "0", MODERATE), Verdict.UNSAFE)
    # The slope 0.75 at 0, from a piece with d > 0, does not hide that 0.7·e^α is below 0.75·e^α at ∞.
    value = {"pieces": [{"q": q, "d": d, "from": "0", "to": "inf"} for q, d in (("1", "0.2"), ("0.7", "0"))]}
    assert_said(judged("loss_function", value, matrix=MODERATE), Verdict.UNSAFE)
    assert_said(one("0.8", "0", MODERATE), Verdict.WRONG, place="pieces 1, q")


def test_the_limit_at_infinity_by_itself():
    """Against 0.75 E + 1, whose only other samples are the slope at 0 and E = 1."""

    pieces = partial(everywhere, matrix=MODERATE)
    # (0.99 E + 1)/(0.1 E + 1) is 1.809 at E = 1 against 1.75.
    assert_said(pieces(("0.99", "0.1")), Verdict.UNSAFE, None, place="limit at ∞", truth="inf")
    flat = pieces(("0.99", "0.1"), ("0", "0"))
    assert (flat.ulps, flat.place) == (None, "limit at ∞")
    assert flat.given.startswith(mp.nstr(mp.log("9.9"), 12))
    assert_said(pieces(("0.99", "0.1"), ("0.74", "0")), Verdict.UNSAFE, place="coefficient of e^α at ∞", truth="0.75")
    assert pieces(("0.99", "0.1"), ("0.75", "0")).verdict is Verdict.WRONG
    assert pieces(("0.75", "0"), ("0.2", "0.1")).verdict is Verdict.WRONG
    assert pieces(("0.75", "0"), ("0.2", "0")).verdict is Verdict.WRONG


def test_the_number_of_pieces():
    pieces = [FIRST, SECOND]
    assert_said(judged("loss_function", {"pieces": pieces[:1]}, **PAPER_L), Verdict.UNSAFE, place="limit at ∞")
    assert_said(judged("loss_function", {"pieces": pieces[1:]}, **PAPER_L), Verdict.UNSAFE, place="slope at 0")
    more = judged("loss_function", {"pieces": [*pieces, SECOND]}, **PAPER_L)
    repeated = "3 pieces where 2 pieces are expected: piece 3 repeats piece 2"
    assert (more.verdict, more.detail, more.failure) == (Verdict.WRONG, repeated, Failure.REPEATED_PIECES)
    none = judged("loss_function", {"pieces": []}, **PAPER_L)
    assert (none.verdict, none.detail) == (Verdict.WRONG, "0 pieces where 2 pieces are expected")
    assert_said(judged("loss_function", {"pieces": pieces[::-1]}, **PAPER_L), Verdict.WRONG)
    flood = judged("loss_function", {"pieces": [{**FIRST, "q": "0.2"}] * (MOST_PIECES + 3)}, **PAPER_L)
    assert flood.verdict is Verdict.WRONG
    unsafe = judged("loss_function", {"pieces": [{**FIRST, "q": "0.2"}] * (MOST_PIECES + 2)}, **PAPER_L)
    assert unsafe.verdict is Verdict.UNSAFE


def test_a_piece_that_is_not_a_true_one_is_wrong_even_where_it_is_safe():
    assert_said(
        paper({"q": "0.8"}), Verdict.WRONG, place="pieces 1, q", detail="further from the truth than 4,096 ulps"
    )
    # A first piece with a smaller q is below the truth on its own domain, not where the second rules.
    assert_said(paper({"q": nextafter(0.7, 0).hex()}), Verdict.UNSAFE)
    assert one("0x1p-1", "0x1p-1", EQUAL).verdict is Verdict.WRONG
    assert_said(one((5e-324).hex(), "0", EQUAL), Verdict.WRONG, None, detail="further from the truth than 4,096 ulps")


def test_the_limit_of_coefficients():
    for count, verdict in ((4096, Verdict.WITHIN), (4097, Verdict.WRONG)):
        assert_said(one(steps(0.75, count).hex(), "1/4"), verdict, count)
        assert_said(one("3/4", steps(0.25, -2 * count).hex()), verdict, -count)


def test_ends_of_pieces_within_the_limit_on_either_side():
    below, above = around(mp.log(mp.mpf(13) / 3))
    for end, ulps in ((below, -1), (above, 1), (steps(below, -4095), -4096), (steps(above, 4095), 4096)):
        for ends in (({"to": end.hex()}, None), (None, {"from": end.hex()})):
            assert_said(paper(*ends), Verdict.WITHIN, ulps)
    assert_said(paper({"to": steps(above, 100_000).hex()}), Verdict.WRONG, 100_001, place="pieces 1, to")
    assert_said(paper({"to": {"exact": None, "lower": below.hex(), "upper": steps(above, 7).hex()}}), Verdict.WITHIN, 8)
    text = paper({"to": {"exact": "log(4.33)", "lower": "1.4", "upper": "1.5"}})
    assert (text.verdict, text.detail) == (Verdict.WRONG, "the exact text is not the truth")


def test_the_ends_of_the_whole_domain_are_0_and_infinity():
    for first, second in (
        ({"from": (5e-324).hex()}, None),
        (None, {"to": "1e6"}),
        ({"to": "inf"}, None),
        (None, {"from": "0"}),
    ):
        assert paper(first, second).verdict is Verdict.WRONG


def all_but_touching(apart, end):
    """The judgement on this end of two pieces with coefficients 2/5, 1/10 and 2·apart, apart less: they meet at E = 5.

    Of the chord slopes (q − d)/(d·E + 1), the second is greater by apart·(E − 5)/2.25 of itself near 5. With 4096 ulps
    of both q and both d moved, they may be 2.3e-12 of themselves apart. A third piece meets the second at E = 50.
    """
    q, d = Fraction(2, 5) - 2 * apart, Fraction(1, 10) - apart
    pieces = [
        {"q": "2/5", "d": "1/10", "from": "0", "to": "log(6)"},
        {"q": str(q), "d": str(d), "from": "log(6)", "to": "log(51)"},
        {"q": "0.225", "d": "0.05", "from": "log(51)", "to": "inf"},
    ]
    answered = [{**pieces[0], "to": end}, {**pieces[1], "from": end}, pieces[2]]
    return judged("loss_function", {"pieces": answered}, expected={"value": {"pieces": pieces}}, matrix=MIXED)


def test_an_end_where_two_pieces_all_but_touch_may_be_where_they_may_meet():
    assert all_but_touching(Fraction(1, 10**9), "log(6)").verdict is Verdict.EXACT
    for end in ("log(5.996)", "log(6.004)", {"exact": None, "lower": "log(5.996)", "upper": "log(6.004)"}):
        within = all_but_touching(Fraction(1, 10**9), end)
        assert within.verdict is Verdict.WITHIN
        assert abs(within.ulps) > 10**12
        assert within.detail == "two pieces whose coefficients are within 4,096 ulps of the true ones meet there"
    for end in ("log(5.99)", "log(6.01)", {"exact": None, "lower": "log(5.99)", "upper": "log(6.004)"}):
        assert all_but_touching(Fraction(1, 10**9), end).verdict is Verdict.WRONG
    for end in ("log(2)", "log(100)", "0.001", "30", "10000"):
        assert all_but_touching(Fraction(1, 10**15), end).verdict is Verdict.WITHIN
        assert all_but_touching(Fraction(1, 10**6), end).verdict is Verdict.WRONG
    for end in ("0", "inf", "10001"):
        assert all_but_touching(Fraction(1, 10**15), end).verdict is Verdict.WRONG


def test_malformed_functions():
    for value, detail in (
        ({"pieces": [FIRST, {**SECOND, "q": "nan"}]}, "pieces 2, q: 'nan' is not a number: write 3/7, 2, 0.1 or 1e-3"),
        ({}, "the value lacks the key 'pieces'"),
        ([], "the value is a JSON array, not an object"),
    ):
        assert_said(judged("loss_function", value, **PAPER_L), Verdict.WRONG, detail=detail, truth="2 pieces")
