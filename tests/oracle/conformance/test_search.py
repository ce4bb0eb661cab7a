"""The search for counterexamples: what it finds, how small, and that it finds nothing where there is nothing."""

from fractions import Fraction
from math import inf, nextafter

import pytest
from hypothesis.strategies import integers

from tploracle.conformance.ask.runner import MOST_TIMEOUTS, Plan, Runner, Stopped, Xfails
from tploracle.conformance.ask.search import _Hunt, search
from tploracle.conformance.explain.features import boundary_distance
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Failure, Reply, Run, Verdict
from tploracle.reference import Undecided
from tploracle.wire.numerals import hex_text
from tploracle.wire.protocol import FLOAT64

from .fakes import AlwaysWrong, Directed, Fake, OneUlpBelow, only
from .made_runs import case, result, unsafe
from .made_runs import run as made_run


def found(implementation, plan=None, judge=None, run=None, examples=None):
    run = run or Run("x", "standard", 0, 4096)
    runner = Runner(implementation, plan or Plan(), run, judge or Judge())
    search(runner, implementation.start(), lambda _done, _total: None, examples)
    return run


@pytest.mark.parametrize("examples", [8, pytest.param(60, marks=pytest.mark.exhaustive)])
def test_nothing_is_found_in_what_conforms(examples):
    run = found(only(Directed, "loss", "control"), examples=examples)
    assert run.findings == []
    assert set(run.searched) == {"loss", "control"}
    assert min(run.searched.values()) >= examples // 2


@pytest.mark.slow  # `test_one_ulp_below_is_found` and the others look for one class each
def test_each_class_of_failure_is_found_once_with_a_small_input():
    run = found(only(AlwaysWrong, "loss"))
    by_id = {finding.result.case.id: finding for finding in run.findings}
    assert len(by_id) == len(run.findings)
    assert {"loss-search-wrong-untrue", "loss-search-unsafe-far-below"} <= set(by_id)
    assert {"loss-search-error-mismatch-notstochastic-value"} <= set(by_id)
    assert by_id["loss-search-wrong-untrue"].result.case.input["matrix"] == [["1"]]
    unsafe = by_id["loss-search-unsafe-far-below"]
    assert (unsafe.result.judgement.verdict, unsafe.result.judgement.failure) == (Verdict.UNSAFE, Failure.FAR_BELOW)
    assert len(unsafe.result.case.input["matrix"]) == 2
    assert all(finding.met >= 1 for finding in run.findings)
    assert sum(finding.met for finding in run.findings) <= run.searched["loss"]


class FartherOffNearOneLevel(Directed):
    """Is above the truth by 512 ulps at a level that no table of constants has, and by half as many 1/256 beside it."""

    def value(self, request):
        value = super().value(request)
        for _ in range(int(512 / (1 + 256 * abs(float.fromhex(request["input"]["alpha"]) - 2.3718)))):
            value = nextafter(value if isinstance(value, float) else float.fromhex(value), inf)
        return hex_text(value) if isinstance(value, float) else value


def answers_of(implementation, matrix):
    """Return the answers to 200 levels below 4 that a search draws about one matrix."""
    runner = Runner(implementation, Plan(), Run("x", "standard", 0, 4096), Judge())
    implementation.start()
    hunt = _Hunt(runner, "loss", FLOAT64)
    levels = integers(1, 2**18).map(lambda part: {"matrix": matrix, "alpha": hex_text(part / 2**16)})
    hunt.meet(levels, 200)
    assert not hunt.met
    return hunt.known.values()


@pytest.mark.slow  # four hundred answers, judged
def test_the_search_aims_at_boundaries_and_at_large_errors(monkeypatch):
    """The nearest and the farthest off of as many levels are nearer and farther off than without an aim."""
    matrix = [["0x1.8p-1", "0x1p-3", "0x1p-3"], ["0x1p-1", "0x0p+0", "0x1p-1"], ["0x1p-2", "0x1p-2", "0x1p-1"]]
    nearest, largest = [], []
    for _ in range(2):
        nearest.append(min(boundary_distance(one.case) for one in answers_of(only(Directed, "loss"), matrix)))
        answers = answers_of(only(FartherOffNearOneLevel, "loss"), [["0x1p-1", "0x1p-1"], ["0x1p-2", "0x1.8p-1"]])
        largest.append(max(one.judgement.ulps or 0 for one in answers))
        monkeypatch.setattr("tploracle.conformance.ask.search._aim", lambda _result: None)
    assert nearest[0] < nearest[1] / 4, nearest
    assert largest[0] > largest[1], largest


@pytest.mark.slow  # the suite of `tploracle.testing` finds it in a few examples
def test_one_ulp_below_is_found():
    run = found(only(OneUlpBelow, "loss", "control"))
    by_id = {finding.result.case.id: finding.result.judgement for finding in run.findings}
    of_loss = {"loss-search-unsafe-rounding", "loss-search-unsafe-finite-for-infinite"}
    assert {name for name in by_id if name.startswith("loss") or "rounding" in name} == of_loss
    assert by_id["loss-search-unsafe-rounding"].ulps == -1
    assert by_id["loss-search-unsafe-finite-for-infinite"].given.startswith("0x1.fffffffffffffp+1023")


@pytest.mark.slow
def test_rounding_to_nearest_is_no_finding_where_it_is_known():
    run = found(only(OneUlpBelow, "loss"), run=made_run(unsafe("loss-known", -1)))
    assert not [finding for finding in run.findings if "rounding" in finding.result.case.id]


@pytest.mark.exhaustive  # three searches; that inputs are small `test_each_class_of_failure…` sees with every change
def test_a_counterexample_is_shrunk_to_where_the_failure_begins():
    class FromThreeStates(Directed):
        def loss(self, request):
            value = self.truth(request)
            return {"exact": None, "lower": "0", "upper": "0"} if len(request["input"]["matrix"]) >= 3 else value

        value = Fake.value

    denominators = []
    for seed in range(3):
        zeros = []
        for finding in found(only(FromThreeStates, "loss"), Plan(seed=seed)).findings:
            matrix = finding.result.case.input["matrix"]
            assert len(matrix) == 3
            if finding.result.judgement.failure is Failure.ZERO:
                zeros.append(max(Fraction(entry).denominator for row in matrix for entry in row))
        denominators.extend(zeros)
        assert len(zeros) == 1
    assert sorted(denominators)[1] <= 2, denominators  # what is drawn has larger ones, all but permutations


@pytest.mark.slow  # two searches, and what they find made small
def test_the_same_seed_finds_the_same_and_nothing_is_asked_twice():
    class Counting(OneUlpBelow):
        def __init__(self):
            super().__init__()
            self.asked = []

        def ask(self, request):
            self.asked.append(str(request["input"]))
            return super().ask(request)

    first, second = only(Counting, "loss"), only(Counting, "loss")
    runs = [found(one, Plan(seed=7), examples=4) for one in (first, second)]
    inputs = [[finding.result.case.input for finding in run.findings] for run in runs]
    assert inputs[0] == inputs[1]
    assert inputs[0]
    assert first.asked == second.asked
    valid_and_invalid = 2
    assert all(first.asked.count(given) <= valid_and_invalid for given in first.asked)


@pytest.mark.slow
def test_an_implementation_that_answers_differently_every_time_does_no_harm():
    class Fickle(Fake):
        turn = 0

        def loss(self, request):
            self.turn += 1
            return {"exact": None, "lower": "nan", "upper": "nan"} if self.turn % 3 == 0 else self.truth(request)

    run = found(only(Fickle, "loss"), examples=9)
    assert {finding.result.judgement.verdict for finding in run.findings} <= {Verdict.WRONG, Verdict.ERROR_MISMATCH}
    assert run.findings


def test_timeouts_end_the_search_of_the_operation():
    class Hanging(Fake):
        asked = 0

        def ask(self, request):
            self.asked += 1
            return Reply(None, Verdict.TIMED_OUT, "no answer")

    hanging = only(Hanging, "loss")
    run = found(hanging)
    (finding,) = run.findings
    assert finding.result.judgement.verdict is Verdict.TIMED_OUT
    assert hanging.asked == finding.met == MOST_TIMEOUTS


@pytest.mark.slow
def test_the_first_finding_ends_the_run_where_the_plan_says_so():
    with pytest.raises(Stopped):
        found(only(AlwaysWrong, "smooth"), Plan(stop=True))


@pytest.mark.slow
def test_a_known_finding_is_no_failure():
    """One that is expected to fail tells the search nothing: rounding is found beside it."""
    expected = made_run(result(case("loss-expected"), Verdict.UNSAFE, -1, "ticket 12"))
    plan = Plan(xfails=Xfails({"loss-search-*": "rounds to nearest"}))
    findings = found(only(OneUlpBelow, "loss"), plan, run=expected, examples=30).findings
    assert len(findings) == 2
    assert {finding.result.expected_failure for finding in findings} == {"rounds to nearest"}
    assert not any(finding.result.fails for finding in findings)


def test_only_what_is_chosen_is_searched():
    run = found(only(AlwaysWrong, "loss", "smooth"), Plan(chosen=("smooth",)), examples=4)
    assert set(run.searched) == {"smooth"}


def test_an_oracle_that_cannot_decide_is_a_finding_but_no_failure():
    class Doubtful(Judge):
        def judge(self, case, reply):
            judgement = super().judge(case, reply)
            return type(judgement)(Verdict.UNDECIDED, detail=str(Undecided("no")))

    (finding,) = found(only(Fake, "loss"), judge=Doubtful()).findings
    assert finding.result.case.id == "loss-search-undecided"
    assert not finding.result.fails
