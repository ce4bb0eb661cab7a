"""Implementations that take doubles in decimal: what they are asked, and what their decimals are worth."""

import math

import pytest

from tploracle.conformance.ask.cases import askable, load_vectors
from tploracle.conformance.ask.runner import Plan
from tploracle.conformance.model import Verdict
from tploracle.conformance.report.summary import CONFORMS, FAILS, summary_of
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.protocol import DECIMAL64, FLOAT64, Declaration
from tploracle.wire.strict_json import mapped

from .fakes import Directed, only
from .judging import IDENTITY, judged

TENTH = {"matrix": [["1.0", "0.0"], ["0.0", "1.0"]], "alpha": "0.1"}
"""L(α) = α here, which is the double 0.1, and that is above 1/10."""


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ("0.1", Verdict.EXACT),
        ("0.10000000000000001", Verdict.EXACT),
        ("1e-1", Verdict.EXACT),
        ("00.1", Verdict.EXACT),
        ("0x1.999999999999ap-4", Verdict.EXACT),
        ("0.09999999999999999", Verdict.UNSAFE),
        ("0.10000000000000002", Verdict.WITHIN),
        ("0.100000000000000000", Verdict.UNSAFE),  # 18 digits: exactly 1/10
        ("1/10", Verdict.UNSAFE),
        ({"lower": "0.1", "upper": "0.1"}, Verdict.UNSAFE),
        ({"lower": "0.1", "upper": "0.10000000000000001"}, Verdict.WITHIN),
        ("-0.1", Verdict.WRONG),
        ("1e999999", Verdict.WRONG),
        ("nan", Verdict.WRONG),
    ],
)
def test_short_decimals_are_doubles_in_answers(value, verdict):
    assert judged("loss", value, numbers=DECIMAL64, **TENTH).verdict is verdict


def test_decimals_are_exact_in_answers_to_other_requests():
    found = judged("loss", "0.1", matrix=IDENTITY, alpha="0x1.999999999999ap-4")
    assert found.verdict is Verdict.UNSAFE
    assert judged("loss", "0.1", numbers="rational", matrix=[["1", "0"], ["0", "1"]], alpha="0.1").ulps == 0


def test_pieces_and_lists_are_doubles_as_well():
    matrix = [["0.9", "0.1"], ["0.0", "1.0"]]
    piece = {"q": "0.9", "d": "0.0", "from": "0", "to": "inf"}
    found = judged("loss_function", {"pieces": [piece]}, numbers=DECIMAL64, matrix=matrix)
    assert found.verdict in (Verdict.EXACT, Verdict.WITHIN)
    value = {"bpl": ["0.1"], "fpl": ["0.1"], "tpl": ["0.1"]}
    assert judged("leakage", value, numbers=DECIMAL64, epsilons=["0.1"]).verdict is Verdict.EXACT


def test_what_is_no_shortest_decimal_is_refused():
    given = {**TENTH, "alpha": "0.10000000000000001"}
    found = judged("loss", "0.1", numbers=DECIMAL64, **given)
    assert found.verdict is Verdict.ERROR_MISMATCH
    assert found.truth.startswith("InvalidNumber")


def decimals(value):
    """Return a value with its doubles in decimal."""
    return mapped(value, lambda text: repr(float.fromhex(text)) if "0x" in text else text)


class InDecimal(Directed):
    """Takes doubles in decimal, and answers the safe doubles in decimal; keeps how its requests were written."""

    numbers = (DECIMAL64,)

    def __init__(self):
        self.asked = []

    def value(self, request):
        self.asked.append((request["op"], request.get("numbers")))
        return decimals(super().value(request))


@pytest.mark.slow
def test_vectors_seeded_cases_sizes_and_the_search_are_asked_in_decimal(run_of):
    mine = only(InDecimal, "loss", "control", numbers=(DECIMAL64,))
    run = run_of(mine, Plan("standard", chosen=("loss", "control")))
    assert summary_of(run).status == CONFORMS, [r.judgement for r in run.results if r.fails][:3]
    assert not run.findings
    assert {numbers for op, numbers in mine.asked if op in mine.operations} == {DECIMAL64, "float32"}
    assert {result.case.source for result in run.results} == {"vector", "seeded", "sizes"}
    assert run.searched["loss"] > 20


def test_an_answer_next_to_the_safe_one_is_unsafe(run_of):
    class Below(InDecimal):
        def value(self, request):
            value = super().value(request)
            return value if value in ("inf", "0.0") else repr(math.nextafter(float(value), 0))

    run = run_of(only(Below, "loss", numbers=(DECIMAL64,)))
    assert summary_of(run).status == FAILS
    assert {result.judgement.verdict for result in run.results if result.fails} == {Verdict.UNSAFE}


def test_every_case_of_doubles_is_asked_in_decimal():
    everything = load_vectors()
    taken = {}
    for numbers in (FLOAT64, DECIMAL64):
        declaration = Declaration("mine", "1", tuple(OPERATIONS), (numbers,))
        taken[numbers] = {case.id for case in everything if askable(case, declaration) is not None}
    assert taken[DECIMAL64] <= taken[FLOAT64]
    left = [case for case in everything if case.id in taken[FLOAT64] - taken[DECIMAL64]]
    assert {case.expected.get("error") for case in left} == {"InvalidNumber", "InvalidRequest"}
