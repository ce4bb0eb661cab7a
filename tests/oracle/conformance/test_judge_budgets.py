"""Budgets, whose safe side is below: control, and schedules by whether they keep their promise."""

from fractions import Fraction
from math import inf, nextafter

import pytest
from mpmath import mp

from tploracle.conformance.judge.truths import Query, Truth, breaks_level
from tploracle.conformance.model import Failure, Verdict
from tploracle.reference import Undecided
from tploracle.wire.requests import Session

from .judging import (
    EQUAL,
    HALF,
    IDENTITY,
    MODERATE,
    ONE,
    around,
    assert_said,
    judged,
    judged_error,
    moderate,
    rationals_around,
    steps,
)

pytestmark = pytest.mark.usefixtures("precise")


def control(value, previous=HALF, cap=ONE, **more):
    return judged("control", value, matrix=MODERATE, previous=previous, cap=cap, **more)


def left():
    """What control leaves of 1 after 1/2."""
    return 1 - moderate(mp.mpf(1) / 2)


def test_one_double_above_the_truth_is_unsafe_and_one_below_within():
    below, above = around(left())
    assert_said(control(above.hex()), Verdict.UNSAFE, 1, detail="above the truth")
    assert_said(control(below.hex()), Verdict.WITHIN, -1, detail="")
    assert control(steps(above, 6).hex()).ulps == 7
    assert control(steps(below, -6).hex()).ulps == -7
    assert control("inf").verdict is Verdict.UNSAFE
    assert control("inf").ulps is None


def test_the_limit_is_mirrored():
    # The question moved has a budget that is lower by more than the limit of its own ulps: cap and BPL both move it.
    below, _ = around(left())
    assert control(steps(below, -4095).hex()).detail == ""
    moved, far = control(steps(below, -4096).hex()), control(steps(below, -20_000).hex())
    assert (moved.verdict, moved.ulps) == (Verdict.WITHIN, -4097)
    assert moved.detail == "the answer to a question within 4,096 ulps of the one asked"
    assert (far.verdict, far.ulps, far.detail) == (Verdict.WRONG, -20_001, "further below the truth than 4,096 ulps")


def test_the_budget_of_the_moved_question_may_be_off_by_the_limit_too():
    # Where L ≡ 0 the budget is the cap: 1, moved 1 − 2^-40, and that number moved again.
    farthest = (1 - Fraction(1, 2**40)) ** 2
    for number, verdict in ((farthest, Verdict.WITHIN), (farthest - Fraction(1, 10**50), Verdict.WRONG)):
        assert judged("control", str(number), matrix=EQUAL, previous=HALF, cap=ONE).verdict is verdict


def test_of_an_enclosure_the_lower_end_is_judged():
    below, above = (value.hex() for value in around(left()))
    unsafe = control({"exact": None, "lower": above, "upper": "1"})
    assert (unsafe.verdict, unsafe.ulps, unsafe.detail) == (Verdict.UNSAFE, 1, "the lower end is above the truth")
    assert control({"exact": None, "lower": below, "upper": above}).ulps == -1
    assert control({"exact": None, "lower": below, "upper": "1"}).verdict is Verdict.WITHIN
    further = nextafter(float.fromhex(below), 0).hex()
    wrong = control({"exact": None, "lower": further, "upper": below})
    assert (wrong.verdict, wrong.ulps, wrong.detail) == (Verdict.WRONG, -2, "the enclosure does not hold the truth")
    assert control({"exact": None, "lower": further, "upper": further}).ulps == -2


def test_exact_texts_of_budgets():
    # log 2 − L(log 11/10) = log(2·40/43).
    given = {"numbers": "rational", "previous": "log(11/10)", "cap": "log(2)", "matrix": [["3/4", "1/4"], ["0", "1"]]}
    ends = {"lower": "0.6", "upper": "0.7"}
    assert judged("control", {"exact": "log(80/43)", **ends}, **given).verdict is Verdict.EXACT
    assert judged("control", {"exact": "log(81/43)", **ends}, **given).verdict is Verdict.UNSAFE
    assert judged("control", {"exact": "log(79/43)", **ends}, **given).verdict is Verdict.WRONG
    assert judged("control", "log(80/43)", **given).verdict is Verdict.EXACT
    assert judged("control", "inf", matrix=EQUAL, previous=ONE, cap="inf").verdict is Verdict.EXACT
    assert judged("control", "0x1p+900", matrix=EQUAL, previous=ONE, cap="inf").verdict is Verdict.WRONG


def test_a_budget_next_to_the_one_asked_for():
    """The cap is all but spent: its last ulp is many of what is left."""
    cap = float(moderate(mp.mpf(1) / 2) + mp.mpf(10) ** -9)
    shift = 4096 * mp.mpf(2) ** -52

    def answered(part):
        """The budget for a cap lowered, and a BPL raised, by a part of the limit."""
        truth = mp.mpf(cap) * (1 - part * shift) - moderate((1 + part * shift) / 2)
        return control(around(truth)[0].hex(), cap=cap.hex())

    near, far = answered(mp.mpf("0.99")), answered(mp.mpf("1.01"))
    assert (near.verdict, near.detail) == (
        Verdict.WITHIN,
        "the answer to a question within 4,096 ulps of the one asked",
    )
    assert near.ulps < -10_000
    assert far.verdict is Verdict.WRONG
    # Either move alone falls short of what both together admit, by about a half.
    cap_alone = control(
        around(mp.mpf(cap) * (1 - shift * mp.mpf("1.2")) - moderate(mp.mpf(1) / 2))[0].hex(), cap=cap.hex()
    )
    assert cap_alone.verdict is Verdict.WITHIN


def test_a_budget_of_zero_is_within_only_where_next_to_nothing_is_left():
    assert_said(control("0"), Verdict.WRONG, detail="further below the truth than 4,096 ulps")
    _, cap = around(moderate(mp.mpf(1) / 2))
    nearly_spent = control("0", cap=cap.hex())
    assert (nearly_spent.verdict, nearly_spent.detail[:29]) == (Verdict.WITHIN, "the answer to a question with")
    assert nearly_spent.ulps < -4096
    assert_said(control("-0x1p-60", cap=cap.hex()), Verdict.WRONG, None)


# Schedules


def ends_of_the_schedule():
    """The first and last budget, and the middle one, for α = 1 and MODERATE both ways: a + L(a) = 1, a − L(a)."""
    first = mp.findroot(lambda a: a + moderate(a) - 1, mp.mpf("0.55"))
    return first, first - moderate(first)


QUANTIFIED = {"backward": MODERATE, "forward": MODERATE, "alpha": ONE, "method": "quantified", "horizon": 4}
FOR_EVER = {"backward": MODERATE, "forward": MODERATE, "alpha": ONE, "method": "upper-bound"}


def just_below():
    """The schedule for four releases, each budget below the truth by less than a unit of the 50th digit."""
    first, middle = (rationals_around(truth, 50)[0] for truth in ends_of_the_schedule())
    return [first, middle, middle, first]


def test_schedules_below_the_truth():
    assert_said(judged("allocate", {"epsilons": just_below()}, **QUANTIFIED), Verdict.WITHIN, -1)
    first, middle = (around(truth)[0].hex() for truth in ends_of_the_schedule())
    assert judged("allocate", {"epsilons": [first, middle, middle, first]}, **QUANTIFIED).ulps == -1
    wrong = judged("allocate", {"epsilons": [first, middle, "0.1", first]}, **QUANTIFIED)
    assert (wrong.verdict, wrong.place) == (Verdict.WRONG, "epsilons 3")


@pytest.mark.parametrize("index", range(4))
def test_a_budget_above_the_truth_that_breaks_the_promise_is_unsafe(index):
    first, middle = (around(truth)[1].hex() for truth in ends_of_the_schedule())
    schedule = just_below()
    schedule[index] = [first, middle, middle, first][index]
    unsafe = judged("allocate", {"epsilons": schedule}, **QUANTIFIED)
    assert (unsafe.verdict, unsafe.ulps, unsafe.place) == (Verdict.UNSAFE, 1, f"epsilons {index + 1}")
    assert unsafe.detail == "above the truth; TPL of the schedule exceeds alpha"


def test_a_budget_above_the_truth_in_a_schedule_that_keeps_its_promise_is_wrong():
    first, _ = ends_of_the_schedule()
    schedule = [around(first)[1].hex(), "0.05", "0.05", "0.05"]
    assert_said(judged("allocate", {"epsilons": schedule}, **QUANTIFIED), Verdict.WRONG)
    alone = judged("allocate", {"epsilons": [around(first)[1].hex(), *just_below()[1:3], "0.55"]}, **QUANTIFIED)
    assert alone.verdict is Verdict.WRONG
    assert judged("allocate", {"epsilons": ["0.9", "0.05", "0.05", "0.05"]}, **QUANTIFIED).verdict is Verdict.WRONG
    assert judged("allocate", {"epsilons": ["0.97", "0.05", "0.05", "0.05"]}, **QUANTIFIED).verdict is Verdict.UNSAFE


def test_a_budget_an_ulp_above_the_truth_beside_others_below_it():
    """TPL falls by the thousand ulps of the others and rises by the one: the promise is kept, each other is within."""
    (_, first), (middle, _) = (around(truth) for truth in ends_of_the_schedule())
    lower = [steps(float(number), -1000).hex() for number in (middle, middle, first)]
    wrong = judged("allocate", {"epsilons": [first.hex(), *lower]}, **QUANTIFIED)
    assert (wrong.verdict, wrong.ulps, wrong.place) == (Verdict.WRONG, 1, "epsilons 1")
    assert wrong.detail == "above the truth; TPL of the schedule is within alpha"


def test_a_level_that_is_attained_is_not_exceeded():
    # ε_1 = α and ε_2 = 0: TPL is α + L(0) = α at the first time, and L(α) at the second.
    given = {**QUANTIFIED, "horizon": 2}
    assert judged("allocate", {"epsilons": [ONE, "0"]}, **given).verdict is Verdict.WRONG
    assert judged("allocate", {"epsilons": [ONE, "1e-60"]}, **given).verdict is Verdict.UNSAFE


def test_promises_directly():
    """Against the budgets for ever, below and above: a − L(a) = 0.1128… and, backward alone, 1 − L(1) = 0.1717…."""

    def breaks(*spent, **given):
        query = Query(Session(), "allocate", {"alpha": ONE, "method": "upper-bound", **given}, "float64")
        return breaks_level([Fraction(number) for number in spent], query, None)

    _, middle = ends_of_the_schedule()
    both = {"backward": MODERATE, "forward": MODERATE}
    below, above = rationals_around(middle, 50)
    assert [breaks(number, **both) for number in ("0.01", below, above, "0.5")] == [False, False, True, True]
    below, above = rationals_around(1 - moderate(mp.mpf(1)), 50)
    for role in both:
        found = [breaks(number, **{role: MODERATE}) for number in ("0.01", below, above, "0.5")]
        assert found == [False, False, True, True]
    assert [breaks(*spent) for spent in (["0.9"], ["1"], ["0.5", "1.1"], ["1.1", "0.5"])] == [False, False, True, True]
    assert not breaks("0.01", "0.02", **both)
    assert breaks("0.01", "0.5", **both)


def test_promises_of_levels_written_as_logarithms():
    # L ≡ 0 both ways: the budget is alpha.
    given = {"numbers": "rational", "alpha": "log(2)", "method": "quantified", "horizon": 2}
    given |= {"backward": [["1/2", "1/2"]] * 2, "forward": [["1/2", "1/2"]] * 2}
    assert judged("allocate", {"epsilons": ["log(2)", "log(2)"]}, **given).verdict is Verdict.EXACT
    unsafe = judged("allocate", {"epsilons": ["log(2)", "log(2.0000001)"]}, **given)
    assert (unsafe.verdict, unsafe.place) == (Verdict.UNSAFE, "epsilons 2")
    matrix = [["3/4", "1/4"], ["0", "1"]]
    sloped = {**given, "backward": matrix, "forward": matrix}
    assert judged("allocate", {"epsilons": ["log(2)", "0"]}, **sloped).verdict is Verdict.WRONG
    assert judged("allocate", {"epsilons": ["log(2)", "0.01"]}, **sloped).verdict is Verdict.UNSAFE


def test_a_promise_that_is_undecided_at_one_time_is_broken_at_another(monkeypatch):
    """What cannot be decided at one time does not matter where TPL is too high at another, and only there."""
    order = Truth.order

    def shy(self, number):
        if self.shy:
            raise Undecided("no")
        return order(self, number)

    level = Query.level

    def first_is_shy(self, *path):
        truth = level(self, *path)
        truth.shy = path == ("tpl", 0)
        return truth

    monkeypatch.setattr(Truth, "order", shy)
    monkeypatch.setattr(Truth, "shy", False, raising=False)
    monkeypatch.setattr(Query, "level", first_is_shy)
    query = Query(Session(), "allocate", {**QUANTIFIED, "horizon": 2}, "float64")
    assert breaks_level([Fraction(1, 2), Fraction(9, 10)], query, 2)
    with pytest.raises(Undecided):
        breaks_level([Fraction(1, 10), Fraction(1, 10)], query, 2)


CERTAIN = {"backward": IDENTITY, "forward": IDENTITY, "alpha": ONE}


@pytest.mark.parametrize("method", ["quantified", "upper-bound"])
def test_a_schedule_that_keeps_alpha_over_its_horizon_is_as_right_as_the_refusal_for_ever(method):
    given = {**CERTAIN, "method": method, "horizon": 4}
    assert judged_error("allocate", "InfeasibleBudget", **given).verdict is Verdict.EXACT
    even = judged("allocate", {"epsilons": ["0x1p-2"] * 4}, **given)
    assert (even.verdict, even.given) == (Verdict.EXACT, "a value: epsilons [" + ", ".join(["0x1p-2 (0.25)"] * 4) + "]")
    assert judged("allocate", {"epsilons": ["1/2", "1/4", "1/8", "1/8"]}, **given).verdict is Verdict.EXACT
    for spent in (
        ["0x1p-2", "0x1p-2", "0x1p-2", "0x1.0000000000001p-2"],  # α and an ulp
        ["1/2", "1/2", "0", "0"],  # budgets are positive
        ["1/4", "1/4", "1/4"],  # and as many as there are times
        ["1/4", "1/4", "1/4", "nan"],
    ):
        other = judged("allocate", {"epsilons": spent}, **given)
        assert (other.verdict, other.failure) == (Verdict.ERROR_MISMATCH, Failure.VALUE_FOR_ERROR), spent


def test_without_a_horizon_and_for_a_level_of_0_there_is_no_budget():
    for given in (
        {**CERTAIN, "method": "upper-bound"},
        {**CERTAIN, "alpha": "0x0p+0", "method": "quantified", "horizon": 1},
    ):
        value = judged("allocate", {"epsilons": ["0x1p-2"]}, **given)
        assert (value.verdict, value.which) == (Verdict.ERROR_MISMATCH, ("InfeasibleBudget", "value"))


def test_a_vector_that_expects_the_refusal_accepts_such_a_schedule():
    given = {**CERTAIN, "method": "quantified", "horizon": 2, "expected": {"error": "InfeasibleBudget"}}
    assert judged("allocate", {"epsilons": ["0x1p-1", "0x1p-1"]}, **given).verdict is Verdict.EXACT
    assert judged("allocate", {"epsilons": ["0x1p-1", "0x1p+0"]}, **given).verdict is Verdict.ERROR_MISMATCH


def test_the_limit_of_a_schedule_that_trades_one_budget_for_another():
    """TPL of two releases is ε_1 + L(ε_2) and L(ε_1) + ε_2: the first is above its truth, the second below."""
    given = {**QUANTIFIED, "horizon": 2}
    more = mp.mpf("0.6")
    # The greatest second budget beside it: 0.6 + L(x) = 1 gives less than L(0.6) + x = 1.
    x = mp.findroot(lambda second: more + moderate(second) - 1, mp.mpf("0.5"))
    assert moderate(more) + x < 1
    below, above = rationals_around(x, 50)
    assert judged("allocate", {"epsilons": ["0.6", below]}, **given).verdict is Verdict.WRONG
    assert judged("allocate", {"epsilons": ["0.6", above]}, **given).verdict is Verdict.UNSAFE


def test_one_budget_for_ever_by_its_suprema():
    _, middle = ends_of_the_schedule()
    below, above = rationals_around(middle, 50)
    for given, count in ((FOR_EVER, 1), ({**FOR_EVER, "horizon": 3}, 3)):
        assert judged("allocate", {"epsilons": [below] * count}, **given).ulps == -1
        unsafe = judged("allocate", {"epsilons": [below] * (count - 1) + [above]}, **given)
        assert (unsafe.verdict, unsafe.ulps, unsafe.place) == (Verdict.UNSAFE, 1, f"epsilons {count}")
        one_ulp = judged("allocate", {"epsilons": [around(middle)[1].hex()] * count}, **given)
        assert (one_ulp.verdict, one_ulp.ulps) == (Verdict.UNSAFE, 1)
        assert one_ulp.detail == "above the truth; TPL of the schedule exceeds alpha"
        assert_said(judged("allocate", {"epsilons": ["0.5"] * count}, **given), Verdict.UNSAFE)
    # Without correlations TPL is the budget itself.
    alone = {"alpha": ONE, "method": "upper-bound"}
    assert judged("allocate", {"epsilons": [ONE]}, **alone).verdict is Verdict.EXACT
    assert judged("allocate", {"epsilons": [nextafter(1, inf).hex()]}, **alone).verdict is Verdict.UNSAFE


def test_enclosures_and_exact_texts_in_schedules_are_spent_at_their_safe_end():
    truth = just_below()
    outward = {"exact": None, "lower": truth[0], "upper": "1"}
    assert judged("allocate", {"epsilons": [outward, *truth[1:]]}, **QUANTIFIED).verdict is Verdict.WITHIN
    text = {"exact": "log(1.8)", "lower": truth[0], "upper": "1"}
    unsafe = judged("allocate", {"epsilons": [text, *truth[1:]]}, **QUANTIFIED)
    assert (unsafe.verdict, unsafe.detail) == (
        Verdict.UNSAFE,
        "the exact text is above the truth; TPL of the schedule exceeds alpha",
    )


def test_budgets_that_cannot_be_spent():
    schedule = ["0.9", "nan", "0.1", "0.1"]
    assert_said(judged("allocate", {"epsilons": schedule}, **QUANTIFIED), Verdict.WRONG, place="epsilons 2")
    huge = judged("allocate", {"epsilons": ["1e300", "0.1", "0.1", "0.1"]}, **QUANTIFIED)
    assert (huge.verdict, huge.place) == (Verdict.UNSAFE, "epsilons 1")
    assert judged("allocate", {"epsilons": ["inf"] * 4}, **QUANTIFIED).ulps is None
    for value, detail in (
        ({"epsilons": ["0.1"]}, "epsilons: 1 numbers where 4 are expected"),
        ({}, "the value lacks the key 'epsilons'"),
        ("0.1", "the value is a JSON string, not an object"),
    ):
        assert_said(judged("allocate", value, **QUANTIFIED), Verdict.WRONG, detail=detail)


def test_one_release_is_given_all_of_alpha():
    given = {"backward": IDENTITY, "alpha": ONE, "method": "quantified", "horizon": 1}
    assert judged("allocate", {"epsilons": [ONE]}, **given).verdict is Verdict.EXACT
    assert_said(judged("allocate", {"epsilons": [nextafter(1, inf).hex()]}, **given), Verdict.UNSAFE, 1)


def test_a_promise_that_the_oracle_cannot_check_is_undecided(monkeypatch):
    def refused(*_):
        raise ZeroDivisionError("no")

    first, _ = ends_of_the_schedule()
    monkeypatch.setattr("tploracle.conformance.judge.judge.breaks_level", refused)
    judgement = judged("allocate", {"epsilons": [around(first)[1].hex(), *just_below()[1:]]}, **QUANTIFIED)
    assert (judgement.verdict, judgement.place) == (Verdict.UNDECIDED, "epsilons 1")
    assert judgement.detail == "the oracle: ZeroDivisionError: no"
