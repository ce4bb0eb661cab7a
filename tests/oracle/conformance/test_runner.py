"""A run on its way: what is chosen, what is kept, and what is not asked any more."""

import pytest

from tploracle.conformance.judge import Judge
from tploracle.conformance.model import Case, Reply, Run, Verdict
from tploracle.conformance.runner import MOST_TIMEOUTS, Plan, Runner, Stopped, Xfails

from .fakes import AlwaysWrong, Directed, Fake


def loss_case(name="loss-one"):
    return Case(name, "loss", "rational", {"matrix": [["4/5", "1/5"], ["0", "1"]], "alpha": "log(2)"}, flags=("Ties",))


def runner_of(implementation, plan=None):
    return Runner(implementation, plan or Plan(), Run("x", "standard", 0, 4096), Judge())


@pytest.mark.parametrize(
    ("chosen", "admitted"),
    [
        ((), True),
        (("loss",), True),
        (("one",), True),
        (("Tie",), True),
        (("loss-t*", "*-one"), True),
        (("leakage",), False),
        (("oss-*",), False),
        (("ties",), False),
    ],
)
def test_cases_are_chosen_by_id_operation_or_flag(chosen, admitted):
    assert Plan(chosen=chosen).admits(loss_case()) is admitted


def test_a_failure_ends_the_run_only_where_the_plan_says_so():
    going_on = runner_of(AlwaysWrong())
    going_on.keep(going_on.put(loss_case()))
    assert going_on.run.results[0].judgement.verdict is Verdict.WRONG
    stopping = runner_of(AlwaysWrong(), Plan(stop=True))
    with pytest.raises(Stopped):
        stopping.keep(stopping.put(loss_case()))
    assert len(stopping.run.results) == 1
    right = runner_of(Directed(), Plan(stop=True))
    right.keep(right.put(loss_case()))
    assert right.run.results[0].judgement.verdict is Verdict.WITHIN


def test_a_known_failure_does_not_end_the_run_and_one_that_passes_does():
    plan = Plan(stop=True, xfails=Xfails({"loss-one": "known"}))
    known = runner_of(AlwaysWrong(), plan)
    known.keep(known.put(loss_case()))
    assert known.run.results[0].expected_failure == "known"
    passing = runner_of(Directed(), plan)
    with pytest.raises(Stopped):
        passing.keep(passing.put(loss_case()))


class Slow(Fake):
    """Never answers loss in time, and counts how often it was asked."""

    asked = 0

    def ask(self, request):
        self.asked += 1
        return Reply(None, Verdict.TIMED_OUT, "slow") if request["op"] == "loss" else super().ask(request)


def test_an_operation_that_times_out_again_and_again_is_left_alone_and_no_other():
    slow = Slow()
    runner = runner_of(slow)
    verdicts = [runner.put(loss_case()).judgement.verdict for _ in range(MOST_TIMEOUTS + 2)]
    assert verdicts == [Verdict.TIMED_OUT] * MOST_TIMEOUTS + [Verdict.SKIPPED] * 2
    assert slow.asked == MOST_TIMEOUTS
    assert runner.not_asked == {"loss": 2}
    smooth = runner.put(Case("smooth", "smooth", "rational", {"n": 2, "s": "1"}))
    assert smooth.judgement.verdict is Verdict.EXACT


def test_every_request_has_a_number_of_its_own_and_no_expectation():
    requests = []

    class Listening(Fake):
        def ask(self, request):
            requests.append(request)
            return super().ask(request)

    runner = runner_of(Listening())
    case = Case("x", "loss", "float64", {"matrix": [["0x1p+0"]], "alpha": "0x1p-1"}, {"value": "secret"}, digits=20)
    runner.put(case)
    runner.put(loss_case())
    assert requests == [
        {"seq": 1, "op": "loss", "input": case.input, "want": {"digits": 20}, "numbers": "float64"},
        {"seq": 2, "op": "loss", "input": loss_case().input, "want": {"digits": 17}},
    ]
