"""A run on its way: what is chosen, what is kept, and what is not asked any more."""

import pytest

from tploracle.conformance.ask.runner import MOST_TIMEOUTS, Plan, Runner, Stopped, Timeouts, Xfails
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Case, Reply, Run, Verdict

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
    assert Plan(chosen=chosen).among([loss_case()]) == [loss_case()] * admitted


def test_what_is_the_id_of_a_case_means_that_case():
    cases = [loss_case(name) for name in ("loss-1", "loss-10", "loss-11", "loss-2")]
    for chosen, wanted in (("loss-1",), [0]), (("loss-1", "-2"), [0, 3]), (("loss-1", "loss"), [0, 1, 2, 3]):
        assert Plan(chosen=chosen).among(cases) == [cases[place] for place in wanted]
    assert Plan(chosen=("loss-1",)).among(cases[1:]) == cases[1:3]


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
    [note] = runner.timeouts.notes()
    assert note == "loss: 5 requests timed out and none was answered in time, 2 more were not asked"
    smooth = runner.put(Case("smooth", "smooth", "rational", {"n": 2, "s": "1"}))
    assert smooth.judgement.verdict is Verdict.EXACT


def sized_case(op="loss", states=2, nats="1", **more):
    identity = [["1" if row == column else "0" for column in range(states)] for row in range(states)]
    return Case("a", op, "rational", {"matrix": identity, "alpha": nats, **more})


ANSWERED, LATE = Reply({"seq": 1, "value": "0"}), Reply(None, Verdict.TIMED_OUT, "slow")


def noted(*replies):
    """Timeouts after these cases, each with its reply and how often."""
    timeouts = Timeouts()
    for case, reply, times in replies:
        assert not any(timeouts.enough(case) or timeouts.note(case, reply) for _ in range(times))
    return timeouts


def test_a_kind_that_times_out_leaves_the_others_of_an_operation_that_answers():
    high = sized_case(nats="710")
    timeouts = noted((sized_case(), ANSWERED, 1), (high, LATE, 5))
    assert timeouts.enough(high) == "5 requests of loss (up to 8 states, above 709 nats) had timed out"
    for other in (sized_case(), sized_case(nats="709"), sized_case(states=9, nats="710"), sized_case(op="control")):
        assert timeouts.enough(other) == ""
    assert timeouts.enough(high)
    assert timeouts.notes() == ["loss (up to 8 states, above 709 nats): 5 requests timed out, 2 more were not asked"]


def test_what_has_answered_nothing_in_time_is_left_alone_whatever_the_kind():
    crashed = Reply(None, Verdict.CRASHED, "it ended")
    timeouts = noted((sized_case(states=9), LATE, 3), (sized_case(), crashed, 4), (sized_case(), LATE, 2))
    assert timeouts.enough(sized_case(states=100)) == "5 requests of loss had timed out"


def test_an_operation_times_out_twenty_five_times_in_all():
    timeouts = noted(
        (sized_case(), ANSWERED, 1),
        *((sized_case(states=n, nats=a), LATE, 4) for n in (2, 9) for a in ("1", "2", "37")),
    )
    assert timeouts.enough(sized_case(states=65)) == ""
    timeouts.note(sized_case(states=65), LATE)
    assert timeouts.enough(sized_case(states=600)) == "25 requests of loss had timed out"
    assert timeouts.notes() == ["loss: 25 requests timed out, 1 more were not asked"]


def test_the_methods_of_allocate_count_apart():
    budgets = [
        Case("a", "allocate", "rational", {"alpha": "1", "method": way}) for way in ("upper-bound", "quantified")
    ]
    timeouts = noted((budgets[0], LATE, 5))
    assert timeouts.enough(budgets[0]) == "5 requests of allocate by upper-bound had timed out"
    assert timeouts.enough(budgets[1]) == ""


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
