"""The line that a report prints for a case: put to the program as it is printed, it asks the same question."""

import json
import shlex

import pytest

from tploracle.cli.conform_command import ConformCommand
from tploracle.cli.declared import command
from tploracle.conformance.ask.runner import Plan
from tploracle.conformance.model import AGAIN, Reply
from tploracle.conformance.report.texts import shown_line_for
from tploracle.wire.protocol import FLOAT64
from tploracle.wire.strict_json import decode

from .fakes import Fake


class Failing(Fake):
    """Answers every question far above the truth, or well below it every third time; and notes what it is asked."""

    operations, numbers = ("loss", "supremum"), (FLOAT64,)

    def __init__(self):
        self.asked = []

    def ask(self, request):
        self.asked.append({key: request[key] for key in ("op", "input")})
        return Reply({"value": "0x1p+900" if len(self.asked) % 3 else "0x0p+0"})

    def processor_time(self):
        return 0.0


def put_again(text, run_of):
    """Return what a printed line asks, by the options that the program reads from it."""
    words = shlex.split(text)
    assert words[:2] == ["tploracle", "conform"]
    options = command("conform", ConformCommand).make_context("conform", words[2:]).params
    if options["request"]:
        given = decode(options["request"])
        return [{key: given[key] for key in ("op", "input")}]
    plan = Plan(options["tier"], options["seed"], options["chosen"], questions=options["questions"], search=False)
    other = Failing()
    run_of(other, plan)
    return other.asked


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(Plan("smoke", 5), marks=pytest.mark.slow),
        Plan("smoke", 5, questions=40, search=False),
        pytest.param(Plan("standard", 6, search=False), marks=pytest.mark.slow),
        pytest.param(Plan("standard", 6, questions=60), marks=pytest.mark.exhaustive),
        pytest.param(Plan("full", 7, questions=30, search=False), marks=pytest.mark.exhaustive),
    ],
)
def test_every_line_of_a_report_asks_its_own_question(run_of, plan):
    run = run_of(Failing(), plan)
    failing = [one.case for one in [*run.results, *(one.result for one in run.findings)] if one.judgement.verdict.fails]
    short = [case for case in failing if len(json.dumps(case.input)) < 20_000]
    cases = {(case.source, case.tier, place): case for place in (-1, 1) for case in short[::place]}  # last and first
    assert {source for source, *_ in cases} >= {"vector", "seeded", "sizes", AGAIN}
    assert ("search" in {source for source, *_ in cases}) == plan.searches
    for case in cases.values():
        text = shown_line_for(run, case, 50_000)
        question = {"op": case.op, "input": case.input}
        asked = put_again(text, run_of)
        assert question in asked, (case.id, text)
