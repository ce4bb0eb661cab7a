"""Questions asked again: each kind of state that an implementation has shows, and one without is not blamed."""

import pytest

from tploracle.conformance.ask.implementation import NotAnImplementation
from tploracle.conformance.ask.runner import SAMPLES, Plan
from tploracle.conformance.model import AGAIN, Failure, Verdict
from tploracle.conformance.report.summary import CONFORMS, FAILS, summary_of
from tploracle.wire.protocol import FLOAT64

from .fakes import Fake

FAR_ABOVE = "0x1p+900"


class Stateless(Fake):
    """Has nothing of its own that an answer depends on, in a process of its own; the words of its errors change."""

    operations, numbers = ("control",), (FLOAT64,)
    starts = asked = 0

    def start(self):
        self.starts += 1
        self.asked, self.erred = 0, False
        return super().start()

    def ask(self, request):
        self.asked += 1
        reply = super().ask(request)
        error = reply.answer.get("error")
        if error:
            error["message"] = f"error {self.asked}"
        else:
            self.spoil(reply.answer)
        self.erred = self.erred or (error is not None and error["name"] == "InvalidRequest")
        return reply

    def spoil(self, answer):
        pass

    def processor_time(self):
        return 0.0


class AfterManyCalls(Stateless):
    """Is wrong from some call on."""

    calls = 95

    def spoil(self, answer):
        if self.asked > self.calls:
            answer["value"] = FAR_ABOVE


class InASecondProcess(Stateless):
    """Remembers something of its first process."""

    def spoil(self, answer):
        if self.starts > 1:
            answer["value"] = FAR_ABOVE


class Noisy(Stateless):
    """Is above the truth by an ulp or not, as it happens."""

    def spoil(self, answer):
        value = answer["value"]
        if isinstance(value, dict) and value["upper"] not in ("0", "inf") and self.asked % 2:
            digits = value["upper"]
            answer["value"] = {"lower": value["lower"], "upper": digits + "01" if "." in digits else digits}


class StartsOnce(Stateless):
    """Does not start again."""

    def start(self):
        if self.starts:
            raise NotAnImplementation("it is gone")
        return super().start()


def again_of(run):
    return [result for result in run.results if result.case.source == AGAIN]


@pytest.fixture
def whole(run_of, monkeypatch):
    """A run that keeps every question of the first dozens."""
    monkeypatch.setitem(SAMPLES, "smoke", 40)
    return run_of


def test_one_without_state_is_not_blamed(whole):
    run = whole(Stateless())
    assert summary_of(run).status == CONFORMS
    assert again_of(run) == []
    assert run.compared >= 3 * 15


@pytest.mark.parametrize(
    ("fake", "when"),
    [(AfterManyCalls, "at the end"), (InASecondProcess, "in a new process"), (Noisy, "in a new process")],
)
def test_state_is_found_and_is_a_failure_of_its_own(whole, fake, when):
    run = whole(fake())
    assert summary_of(run).status == FAILS
    found = again_of(run)
    assert found
    assert {result.judgement.failure for result in found} == {Failure.TWO_ANSWERS}
    assert any(when in result.judgement.detail for result in found)
    verdicts = {result.judgement.verdict for result in found}
    assert verdicts <= {Verdict.UNSAFE, Verdict.WRONG}
    assert (Verdict.UNSAFE in verdicts) == (fake is not Noisy)
    assert all(result.case.id.endswith("-again") for result in found)
    assert "different answers" in str(found[0].failure_class)


def test_one_that_does_not_start_again_fails(whole):
    run = whole(StartsOnce())
    (found,) = again_of(run)
    assert found.judgement.verdict is Verdict.CRASHED
    assert "it is gone" in found.judgement.detail


def test_a_lenient_run_asks_nothing_invalid_in_between(whole):
    asked = Stateless()
    run = whole(asked, Plan("smoke", lenient=True))
    assert run.compared > 0
    assert not asked.erred


def test_what_fails_the_same_way_each_time_is_listed_once(whole):
    class Wrong(Stateless):
        def spoil(self, answer):
            answer["value"] = FAR_ABOVE

    run = whole(Wrong())
    assert again_of(run) == []
    assert summary_of(run).status == FAILS
