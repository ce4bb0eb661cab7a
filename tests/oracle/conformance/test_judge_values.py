"""Answers of many numbers, each as bad as its worst: leakage, probabilities, and the oracle's own answers."""

import json
from math import nextafter

import pytest
from mpmath import mp

from tploracle.conformance.ask.seeded import seeded_of_each
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Reply, Verdict
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.requests import Session
from tploracle.wire.serve import respond

from .judging import HALF, MIXED, MODERATE, around, assert_said, judged, mixed, moderate, steps, supremum_of_moderate

pytestmark = pytest.mark.usefixtures("precise")


# Leakage: as bad as the worst number


def leakages():
    """BPL, FPL and TPL of three releases of 1/2 to one who knows MODERATE backward and MIXED forward."""
    half = mp.mpf(1) / 2
    bpl = [half]
    fpl = [half]
    for _ in range(2):
        bpl.append(moderate(bpl[-1]) + half)
        fpl.insert(0, mixed(fpl[0]) + half)
    tpl = [bpl[0] + mixed(fpl[1]), bpl[1] + mixed(fpl[2]), bpl[2]]
    return {"bpl": bpl, "fpl": fpl, "tpl": tpl}


STREAM = {"backward": MODERATE, "forward": MIXED, "epsilons": [HALF] * 3}


def leakage_above():
    return {
        key: [HALF if level == mp.mpf(1) / 2 else around(level)[1].hex() for level in levels]
        for key, levels in leakages().items()
    }


def test_leakage_one_ulp_above_is_within_and_each_number_one_ulp_below_is_unsafe():
    above = leakage_above()
    assert_said(judged("leakage", above, **STREAM), Verdict.WITHIN, 1)
    for key, levels in leakages().items():
        for index, level in enumerate(levels):
            bad = {**above, key: list(above[key])}
            bad[key][index] = nextafter(0.5, 0).hex() if level == mp.mpf(1) / 2 else around(level)[0].hex()
            assert_said(judged("leakage", bad, **STREAM), Verdict.UNSAFE, -1, place=f"{key} {index + 1}")


def test_the_worst_number_is_the_one_that_is_named():
    above = leakage_above()
    far = steps(float.fromhex(above["fpl"][0]), 6).hex()
    within = judged("leakage", {**above, "fpl": [far, *above["fpl"][1:]]}, **STREAM)
    assert (within.verdict, within.ulps, within.place) == (Verdict.WITHIN, 7, "fpl 1")
    wrong = judged("leakage", {**above, "fpl": [far, "nan", HALF]}, **STREAM)
    assert (wrong.verdict, wrong.ulps, wrong.place) == (Verdict.WRONG, None, "fpl 2")
    assert wrong.detail == "fpl 2: 'nan' is not a number: write 3/7, 2, 0.1 or 1e-3"
    unsafe = judged("leakage", {**above, "fpl": ["nan", "nan", HALF], "tpl": ["0", "0.1", HALF]}, **STREAM)
    assert (unsafe.verdict, unsafe.place) == (Verdict.UNSAFE, "tpl 1")


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        ({"bpl": [], "fpl": [], "tpl": []}, "bpl: 0 numbers where 3 are expected"),
        ({}, "the value lacks the key 'bpl'"),
        ([], "the value is a JSON array, not an object"),
        (None, "the value is a JSON null, not an object"),
    ],
)
def test_leakage_of_another_form_is_wrong(value, detail):
    assert_said(judged("leakage", value, **STREAM), Verdict.WRONG, detail=detail)
    wrong = judged("leakage", {**leakage_above(), "tpl": [HALF]}, **STREAM)
    assert (wrong.verdict, wrong.detail) == (Verdict.WRONG, "tpl: 1 numbers where 3 are expected")


def test_supremum_and_composition_by_one_ulp():
    levels = leakages()
    questions = [
        ("supremum", supremum_of_moderate(mp.mpf(1) / 8), {"matrix": MODERATE, "epsilon": "0x1p-3"}),
        ("composition", levels["bpl"][1] + levels["fpl"][2], {**STREAM, "start": 2, "length": 2}),
        ("composition", levels["tpl"][0], {**STREAM, "start": 1, "length": 1}),
    ]
    for op, truth, given in questions:
        below, above = around(truth)
        assert (judged(op, below.hex(), **given).verdict, judged(op, below.hex(), **given).ulps) == (Verdict.UNSAFE, -1)
        assert (judged(op, above.hex(), **given).verdict, judged(op, above.hex(), **given).ulps) == (Verdict.WITHIN, 1)
    # All releases together cost the sum of their budgets, whatever the correlation.
    assert judged("composition", "0x1.8p+0", **STREAM, start=1, length=3).verdict is Verdict.EXACT


# Probabilities


def test_probabilities_may_be_off_on_either_side():
    # (p + 1)/(1 + 2·1): (0.75 + 1)/3 = 7/12, 5/12; 1/3, 2/3.
    given = {"matrix": MODERATE, "s": "0x1p+0"}
    right = [["7/12", "5/12"], ["1/3", "2/3"]]
    assert judged("smooth", {"matrix": right}, **given).verdict is Verdict.EXACT
    for value, ulps in ((1 / 3, -1), (nextafter(1 / 3, 1), 1), (steps(1 / 3, -4), -5), (steps(1 / 3, 4096), 4096)):
        within = judged("smooth", {"matrix": [right[0], [value.hex(), "2/3"]]}, **given)
        assert (within.verdict, within.ulps, within.place) == (Verdict.WITHIN, ulps, "matrix, row 2, column 1")
    for value, ulps in ((steps(1 / 3, 4097), 4097), (steps(1 / 3, -4096), -4097)):
        assert_said(judged("smooth", {"matrix": [right[0], [value.hex(), "2/3"]]}, **given), Verdict.WRONG, ulps)
    assert judged("smooth", {"matrix": [right[0], ["-1/3", "2/3"]]}, **given).verdict is Verdict.WRONG
    assert judged("smooth", {"matrix": right[:1]}, **given).detail == "matrix: 1 rows where 2 are expected"


def test_a_probability_of_zero_is_answered_as_zero():
    # From (1/2, 1/2) by MODERATE: Pr(2, then 1) = 0.
    given = {"forward": MODERATE, "initial": ["0x1p-1", "0x1p-1"]}
    assert judged("reverse", {"backward": [["1", "0"], ["1/5", "4/5"]]}, **given).verdict is Verdict.EXACT
    wrong = judged("reverse", {"backward": [["1", (5e-324).hex()], ["1/5", "4/5"]]}, **given)
    assert (wrong.verdict, wrong.ulps, wrong.place) == (Verdict.WRONG, None, "backward, row 1, column 2")


def test_estimates():
    given = {"sequences": [["a", "b", "a", "a"], ["b", "a"]]}
    right = {
        "forward": [["1/2", "1/2"], ["1", "0"]],
        "backward": [["1/3", "2/3"], ["1", "0"]],
        "initial": ["1/2", "1/2"],
    }
    assert judged("estimate", {**right, "states": ["a", "b"]}, **given).verdict is Verdict.EXACT
    assert_said(judged("estimate", {**right, "initial": ["1/4", "3/4"]}, **given), Verdict.WRONG, place="initial 1")
    wrong = judged("estimate", {**right, "backward": [["1/2", "2/3"], ["1", "0"]]}, **given)
    assert (wrong.verdict, wrong.place) == (Verdict.WRONG, "backward, row 1, column 1")
    assert judged("estimate", {**right, "initial": ["1"]}, **given).detail == "initial: 1 numbers where 2 are expected"


# The oracle's own answers


@pytest.mark.parametrize("numbers", ["float64", "rational"])
@pytest.mark.parametrize("dear", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
def test_the_oracles_own_answers_are_exact_or_within_an_ulp(numbers, dear):
    """The exact worst case, of which the judge computes many more digits, is asked about less often."""
    session, judge = Session(), Judge()
    operations = [op for op in OPERATIONS if op.startswith("worst_case") is dear]
    seen = set()
    for case in seeded_of_each(1, dict.fromkeys(operations, 12 if dear else 29), [numbers]):
        answer = json.loads(respond(session, json.dumps(case.request(1)).encode()))
        judgement = judge.judge(case, Reply(answer))
        seen.add((case.op, judgement.verdict))
        # An enclosure of 17 digits may be two units of the last wide, which can be a little more than an ulp.
        assert judgement.verdict in (Verdict.EXACT, Verdict.WITHIN), (case, answer, judgement)
        assert abs(judgement.ulps or 0) <= 2, (case, answer, judgement)
    assert {op for op, _ in seen} == set(operations)
    rounded = ("worst_case_leakage",) if dear else ("loss", "leakage", "supremum", "allocate", "control")
    assert {(op, Verdict.WITHIN) for op in rounded} <= seen
