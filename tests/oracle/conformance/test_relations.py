"""Related questions: right answers never contradict each other, wrong ones do, and the truth says which is wrong."""

import pytest

from tploracle.conformance.ask.relations import RELATED, RELATED_SOURCE, RELATIONS, ask_related
from tploracle.conformance.ask.runner import Plan, Runner
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import DEFAULT_ULPS, Run, Verdict
from tploracle.wire.numerals import hex_text
from tploracle.wire.protocol import FLOAT64, Domain
from tploracle.wire.requests import Session

from .fakes import Fake, only

FEW = 12
"""States of the chains here, which the oracle answers about in no time."""


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr("tploracle.conformance.ask.relations.LEAST_STATES", FEW)


class Large(Fake):
    """Answers in 17 digits, and of some questions wrongly."""

    numbers = (FLOAT64,)
    session = Session()

    def value(self, request):
        value = self.session.answer(request["op"], request["input"], 17, FLOAT64)
        return self.spoilt(request, value)

    def spoilt(self, request, value):
        return value


class HalvesSuprema(Large):
    def spoilt(self, request, value):
        return hex_text(float(value["upper"]) * 0.9) if request["op"] == "supremum" else value


class ForgetsTheLastRow(Large):
    """Is wrong where the last state's row matters, which is another state in another order."""

    def spoilt(self, request, value):
        if request["op"] != "loss":
            return value
        given = request["input"]
        return self.session.answer(
            "loss", {**given, "matrix": [*given["matrix"][:-1], given["matrix"][0]]}, 17, FLOAT64
        )


class KnowsTheLastPieceAlone(Large):
    def spoilt(self, request, value):
        return {"pieces": value["pieces"][-1:]} if request["op"] == "loss_function" else value


class ForgetsTheFuture(Large):
    def spoilt(self, request, value):
        return {**value, "tpl": value["bpl"]} if request["op"] == "leakage" else value


class SpendsLessLater(Large):
    def spoilt(self, request, value):
        if request["op"] != "leakage":
            return value
        low = {"exact": None, "lower": "0.1", "upper": "0.1"}
        return {**value, "bpl": [*value["bpl"][:2], low]}


def related(fake, monkeypatch, name, domain=None, count=1):
    monkeypatch.setitem(RELATED, "standard", count)
    for other in [other for other in RELATIONS if other != name]:
        monkeypatch.delitem(RELATIONS, other)
    declared = fake.start()
    run = Run("", "standard", 0, DEFAULT_ULPS)
    runner = Runner(fake, Plan("standard"), run, Judge())
    ask_related(runner, type(declared)("", "", declared.operations, declared.numbers, domain or Domain(FEW)))
    return run


@pytest.mark.parametrize("name", list(RELATIONS))
def test_right_answers_do_not_contradict_each_other(monkeypatch, name):
    run = related(Large(), monkeypatch, name)
    assert run.compared == 2
    assert run.results == []


@pytest.mark.parametrize(
    ("fake", "name", "count"),
    [
        (HalvesSuprema, "a fixed point", 2),
        (ForgetsTheLastRow, "states permuted", 6),
        (ForgetsTheFuture, "time reversed", 1),
        (SpendsLessLater, "step by step", 1),
        (KnowsTheLastPieceAlone, "the whole function", 6),
    ],
)
def test_wrong_answers_contradict_each_other_and_the_wrong_one_fails(monkeypatch, fake, name, count):
    run = related(fake(), monkeypatch, name, count=count)
    verdicts = [result.judgement.verdict for result in run.results]
    assert Verdict.UNSAFE in verdicts
    assert {result.case.source for result in run.results} == {RELATED_SOURCE}


def test_budgets_in_order(monkeypatch):
    class Falls(Large):
        def spoilt(self, request, value):
            largest = max(float.fromhex(text) for text in request["input"]["epsilons"])
            return {**value, "tpl": [hex_text(1 / largest)] * 3}

    run = related(Falls(), monkeypatch, "budgets in order")
    assert len(run.results) == 2


def test_a_small_domain_is_not_asked_and_what_is_no_level_is_judged(monkeypatch):
    class Errs(Large):
        def spoilt(self, request, value):
            return {"tpl": 3}

    assert related(Large(), monkeypatch, "time reversed", Domain(FEW - 1)).compared == 0
    run = related(Errs(), monkeypatch, "time reversed")
    assert {result.judgement.verdict for result in run.results} == {Verdict.WRONG}


@pytest.mark.parametrize("op", ["leakage", "loss"])
def test_half_a_relation_is_not_asked(monkeypatch, op):
    assert related(only(Large, op, numbers=(FLOAT64,)), monkeypatch, "step by step").compared == 0
