"""Lenient runs: no input that is none is asked, mathematics' own refusals are, and every report says so."""

import json

import pytest

from tploracle.conformance.ask.cases import INPUT_ERRORS, is_about_input, load_vectors
from tploracle.conformance.ask.runner import Plan
from tploracle.conformance.ask.seeded import seeded_cases
from tploracle.conformance.ask.sizes import sizes_cases
from tploracle.conformance.model import Case
from tploracle.conformance.report.document import print_run
from tploracle.conformance.report.formats import run_json, run_junit
from tploracle.conformance.report.summary import CONFORMS, FAILS, summary_of
from tploracle.contract.errors import ERRORS
from tploracle.wire.protocol import FLOAT64, Domain
from tploracle.wire.requests import Session
from tploracle.wire.serve import respond

from .fakes import Directed, only


class Trusting(Directed):
    """Answers valid questions, and ends where a question is not one; keeps what mathematics refused."""

    operations = ("loss", "control", "allocate")
    numbers = (FLOAT64,)

    def __init__(self):
        self.refused = []

    def ask(self, request):
        answer = json.loads(respond(Session(), json.dumps(request).encode()))
        name = answer.get("error", {}).get("name")
        assert name not in INPUT_ERRORS, request
        self.refused += [name] if name else []
        return super().ask(request)


def plan_of(lenient, tier="smoke", chosen=("loss", "control", "allocate")):
    return Plan(tier, chosen=chosen, lenient=lenient)


@pytest.mark.exhaustive  # a whole run of the standard tier
def test_only_valid_questions_are_asked_and_what_mathematics_refuses(run_of):
    mine = Trusting()
    run = run_of(mine, plan_of(True, "standard"))
    summary = summary_of(run)
    assert summary.status == CONFORMS
    assert set(mine.refused) == {"InfeasibleBudget"}
    assert {result.case.source for result in run.results} == {"vector", "seeded", "sizes"}
    assert run.searched["loss"] > 10
    assert run.invalid > 20
    assert summary.headline.startswith("Conforms (lenient): ")


@pytest.mark.slow
def test_every_report_says_so(capsys, run_of):
    run = run_of(Trusting(), plan_of(True))
    said = f"{run.invalid:,} cases about invalid input were not asked"
    print_run(run)
    shown = capsys.readouterr().out
    assert said in shown, shown
    assert said in run_junit(run)
    assert json.loads(run_json(run))["run"]["invalid_not_asked"] == run.invalid


@pytest.mark.slow
def test_a_run_that_is_not_lenient_asks_them(run_of):
    class Answers(Directed):
        def ask(self, request):
            reply = super().ask(request)
            if reply.answer and "error" in reply.answer:
                reply.answer["error"]["name"] = "ValueError"
            return reply

    strict, lenient = (
        run_of(only(Answers, "loss", numbers=(FLOAT64,)), plan_of(is_lenient, chosen=("loss",)))
        for is_lenient in (False, True)
    )
    assert summary_of(strict).status == FAILS
    assert summary_of(lenient).status == CONFORMS
    assert strict.invalid is None
    assert len(strict.results) == len(lenient.results) + lenient.invalid
    assert "lenient" not in summary_of(strict).headline
    assert json.loads(run_json(strict))["run"]["invalid_not_asked"] is None


STANDARD = pytest.param("standard", 60, marks=pytest.mark.exhaustive)


@pytest.mark.parametrize(("tier", "seeded"), [("smoke", 20), STANDARD])
def test_each_case_is_left_out_by_its_right_answer(tier, seeded):
    session = Session()
    for case in load_vectors(tier):
        assert is_about_input(case, session) == (case.expected.get("error") in INPUT_ERRORS)
    assert set(ERRORS) - set(INPUT_ERRORS) == {"InfeasibleBudget", "UnreachableState", "Undecided"}
    for case in seeded_cases(3, seeded, (FLOAT64,)):
        answer = json.loads(respond(session, json.dumps(case.request(1)).encode()))
        name = answer.get("error", {}).get("name")
        assert is_about_input(case, session) == (name in INPUT_ERRORS), case
    assert is_about_input(Case("x", "loss", FLOAT64, {"matrix": [[0.5]], "alpha": "0x1p-1"}), session)
    large = [
        case for case in sizes_cases(0, {"smoke": {"loss": 6, "leakage": 6}}, Domain()) if case.equivalent is not None
    ]
    assert large
    assert not any(is_about_input(case, session) for case in large)
