"""Errors, faults, what a vector expects, and what becomes of the oracle's own failures."""

import pytest
from mpmath import mp

from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Case, Failure, Reply, Verdict
from tploracle.contract.errors import ERRORS
from tploracle.reference import Undecided
from tploracle.wire.strict_json import Numeral

from .judging import HALF, IDENTITY, MODERATE, around, assert_said, judged, judged_error

LOSS_OF_HALF = {"matrix": MODERATE, "alpha": HALF}


pytestmark = pytest.mark.usefixtures("precise")


BAD_ROW = {"matrix": [["0x1p-1", "0x0p+0"], ["0x0p+0", "0x1p+0"]], "alpha": HALF}


def test_errors_by_name():
    right = judged_error("loss", "NotStochastic", "row 1", **BAD_ROW)
    assert (right.verdict, right.given) == (Verdict.EXACT, "NotStochastic: row 1")
    assert right.truth.startswith("NotStochastic: matrix: row 1 sums to 1/2")
    other = judged_error("loss", "NotSquare", **BAD_ROW)
    assert (other.verdict, other.given, other.detail) == (
        Verdict.ERROR_MISMATCH,
        "NotSquare",
        "another error is expected",
    )
    value = judged("loss", "0x1p-2", **BAD_ROW)
    assert (value.verdict, value.given) == (Verdict.ERROR_MISMATCH, "a value: 0x1p-2 (0.25)")
    assert value.detail == "a value where an error is expected"
    error = judged_error("loss", "InvalidRequest", matrix=IDENTITY, alpha=HALF)
    assert (error.verdict, error.truth, error.given) == (Verdict.ERROR_MISMATCH, "a value: 0.5", "InvalidRequest")
    assert error.detail == "an error where a value is expected"
    many = judged_error("leakage", "Undecided", backward=MODERATE, epsilons=[HALF])
    assert (many.verdict, many.truth) == (Verdict.ERROR_MISMATCH, "a value: bpl [0.5], fpl [0.5], tpl [0.5]")


def test_a_value_for_an_invalid_request_is_a_mismatch():
    judgement = judged("loss", "1", matrix=IDENTITY)
    assert (judgement.verdict, judgement.truth) == (
        Verdict.ERROR_MISMATCH,
        "InvalidRequest: the input lacks the key 'alpha'",
    )


def test_names_outside_the_contract_are_mismatches_with_their_message():
    for given in (BAD_ROW, {"matrix": IDENTITY, "alpha": HALF}):
        internal = judged_error("loss", "InternalError", "KeyError: 3", **given)
        assert (internal.verdict, internal.given) == (Verdict.ERROR_MISMATCH, "InternalError: KeyError: 3")
        assert internal.detail.endswith("; InternalError is not a name of the contract")
    assert len(ERRORS) == 10


def test_an_unknown_operation_is_an_error_by_name():
    assert judged_error("divine", "UnknownOperation").verdict is Verdict.EXACT
    assert judged_error("divine", "InvalidRequest").verdict is Verdict.ERROR_MISMATCH
    assert judged("divine", {}).verdict is Verdict.ERROR_MISMATCH


def test_an_error_without_a_name_is_wrong():
    for error in ("NotStochastic", {"message": "no"}, {"name": 3}, None):
        reply = Reply({"seq": 1, "error": error})
        judgement = Judge().judge(Case("case", "loss", "float64", BAD_ROW), reply)
        assert (judgement.verdict, judgement.detail) == (Verdict.WRONG, "the error has no name")


def test_json_floats_in_a_request_are_invalid_numbers():
    for alpha in (0.5, Numeral("0.5"), float("nan")):
        assert judged_error("loss", "InvalidNumber", matrix=IDENTITY, alpha=alpha).verdict is Verdict.EXACT
    assert judged_error("loss", "InvalidNumber", matrix=[[0.5, 0.5], [0, 1]], alpha=HALF).verdict is Verdict.EXACT


def test_what_is_too_large_for_the_oracle_blames_nobody():
    given = {"alpha": "1", "method": "upper-bound", "horizon": 10_001, "numbers": "rational"}
    assert judged_error("allocate", "InvalidRequest", **given).verdict is Verdict.EXACT
    for judgement in (judged("allocate", {"epsilons": []}, **given), judged_error("allocate", "Undecided", **given)):
        assert judgement.verdict is Verdict.UNDECIDED
        assert "10001 releases" in judgement.detail


@pytest.mark.parametrize(
    ("reply", "verdict", "detail"),
    [
        (Reply(None, Verdict.CRASHED, "it died"), Verdict.CRASHED, "it died"),
        (Reply(None, Verdict.TIMED_OUT, "10 s"), Verdict.TIMED_OUT, "10 s"),
        (Reply(None), Verdict.CRASHED, ""),
        (Reply({"seq": 1, "skipped": "too large"}), Verdict.UNANSWERED, "too large"),
        (Reply({"seq": 1}), Verdict.WRONG, "the answer has neither a value nor an error"),
    ],
)
def test_faults_and_skipped_requests(reply, verdict, detail):
    judgement = Judge().judge(Case("case", "loss", "float64", {"matrix": IDENTITY, "alpha": HALF}), reply)
    assert (judgement.verdict, judgement.detail) == (verdict, detail)


@pytest.mark.parametrize(
    ("op", "given"),
    [
        ("loss", {"matrix": [["0x1p-1"] * 2], "alpha": HALF}),
        ("control", {"matrix": IDENTITY, "previous": HALF, "cap": HALF}),
        ("allocate", {"alpha": "0x1p+0", "method": "upper-bound", "horizon": 10_001}),
    ],
)
def test_an_error_that_is_due_may_be_skipped(op, given):
    judgement = Judge().judge(Case("case", op, "float64", given), Reply({"seq": 1, "skipped": "later"}))
    assert (judgement.verdict, judgement.failure) == (Verdict.SKIPPED, None)


MOST_KEYS = {"exact": None, "lower": "1", "upper": "1.0000000000000002", "sort": "level"}


@pytest.mark.parametrize(
    ("value", "verdict", "failure"),
    [
        (MOST_KEYS, Verdict.WITHIN, None),
        ({"lower": "1"}, Verdict.WRONG, Failure.MALFORMED),
        ("nan", Verdict.WRONG, Failure.NAN),
        ("-NaN", Verdict.WRONG, Failure.NAN),
        ("infinity", Verdict.WRONG, Failure.MALFORMED),
        ("inf", Verdict.WRONG, Failure.INFINITE),
        ("0x1.0000000000000p+0", Verdict.EXACT, None),
        ("0.9999999999999999", Verdict.UNSAFE, Failure.ROUNDING),
        ("1", Verdict.EXACT, None),
    ],
)
def test_the_guide_says_what_keys_nan_and_decimals_get(value, verdict, failure):
    assert_said(judged("loss", value, matrix=IDENTITY, alpha="0x1p+0"), verdict, failure=failure)


# What a vector expects


def test_what_a_vector_expects_is_the_truth():
    """The expected value is that of another query, so that the judge cannot have worked it out."""
    expected = {"value": {"exact": None, "lower": "0.3", "upper": "0.3000000000000000000000000000000000000001"}}
    below, above = around(mp.mpf("0.3") + mp.mpf(10) ** -41)
    assert judged("loss", below.hex(), expected=expected, **LOSS_OF_HALF).ulps == -1
    assert judged("loss", above.hex(), expected=expected, **LOSS_OF_HALF).ulps == 1
    exact = {"value": {"exact": "log(2)", "lower": "0.6931471805599453", "upper": "0.6931471805599454"}}
    assert judged("loss", "log(2)", expected=exact, **LOSS_OF_HALF).verdict is Verdict.EXACT
    assert judged_error("loss", "NotSquare", expected={"error": "NotSquare"}, **BAD_ROW).verdict is Verdict.EXACT
    assert judged("loss", "1", expected={"error": "NotSquare"}, **BAD_ROW).verdict is Verdict.ERROR_MISMATCH


# The oracle's own failures


class Stub:
    """A session that answers as it is told: a value, or an error that is raised."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def answer(self, op, given, digits=17, numbers="rational"):
        self.asked.append((op, digits))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def judged_by(stub, value, op="loss", **given):
    judge = Judge()
    judge.session = stub
    return judge.judge(Case("case", op, "float64", given or LOSS_OF_HALF), Reply({"seq": 1, "value": value}))


@pytest.mark.parametrize(
    "failure", [Undecided("two numbers agree"), ZeroDivisionError("oh"), MemoryError("none"), RecursionError("deep")]
)
def test_an_oracle_that_fails_is_undecided_and_blames_nobody(failure):
    for judge_value in ("0.1", "nan", "inf"):
        judgement = judged_by(Stub(failure), judge_value)
        assert (judgement.verdict, judgement.ulps) == (Verdict.UNDECIDED, None)
        assert judgement.detail == f"the oracle: {type(failure).__name__}: {failure}"
    judge = Judge()
    judge.session = Stub(failure)
    reply = Reply({"seq": 1, "error": {"name": "Undecided"}})
    assert judge.judge(Case("case", "loss", "float64", LOSS_OF_HALF), reply).verdict is Verdict.UNDECIDED


WIDE = {"exact": None, "lower": "0.1", "upper": "0.2"}
"""An enclosure that never gets narrower."""


def test_an_answer_inside_the_last_enclosure_is_undecided():
    stub = Stub(WIDE)
    judgement = judged_by(stub, "0.15")
    assert judgement.verdict is Verdict.UNDECIDED
    assert "agree in 4000 digits" in judgement.detail
    assert stub.asked == [("loss", 40), ("loss", 400), ("loss", 4000)]
    assert judged_by(Stub(WIDE), "0.05").verdict is Verdict.UNSAFE
    assert judged_by(Stub(WIDE), {"exact": "log(116/100)", "lower": "0.1", "upper": "0.2"}).verdict is Verdict.UNDECIDED


def test_more_digits_settle_what_the_first_do_not():
    narrow = {"exact": None, "lower": "0.14", "upper": "0.145"}
    for last in range(1, 3):
        stub = Stub(*[WIDE] * last, narrow)
        assert judged_by(stub, "0.139").verdict is Verdict.UNSAFE
        assert len(stub.asked) >= last + 1
    lazy = Stub(WIDE)
    assert judged_by(lazy, "0.05").verdict is Verdict.UNSAFE
    assert lazy.asked[0] == ("loss", 40)


def test_one_undecided_number_does_not_hide_an_unsafe_one_and_is_not_hidden_by_good_ones():
    value = {"bpl": [WIDE, WIDE], "fpl": [WIDE, WIDE], "tpl": [WIDE, WIDE]}
    given = {"backward": MODERATE, "epsilons": [HALF, HALF]}
    unclear = {"bpl": ["0.15", "0.15"], "fpl": ["0.15", "0.15"], "tpl": ["0.15", "0.15"]}
    assert judged_by(Stub(value), unclear, op="leakage", **given).verdict is Verdict.UNDECIDED
    unsafe = judged_by(Stub(value), {**unclear, "fpl": ["0.15", "0.01"]}, op="leakage", **given)
    assert (unsafe.verdict, unsafe.place) == (Verdict.UNSAFE, "fpl 2")
    zero = {"exact": "0", "lower": "0", "upper": "0"}
    mostly = {"bpl": [zero, WIDE], "fpl": [zero, zero], "tpl": [zero, zero]}
    good = {"bpl": ["0", "0.15"], "fpl": ["0", "0"], "tpl": ["0", "0"]}
    assert_said(judged_by(Stub(mostly), good, op="leakage", **given), Verdict.UNDECIDED, place="bpl 2")


def test_an_oracle_that_cannot_answer_the_question_next_to_the_one_asked_is_undecided():
    stub = Stub({"exact": "1/4", "lower": "0.25", "upper": "0.25"}, Undecided("no"))
    assert judged_by(stub, "0.3").verdict is Verdict.UNDECIDED
    assert stub.asked == [("loss", 40), ("loss", 40)]
