"""A whole run, in this process: what is asked, in which order, and that it always comes to an end."""

import pytest

from tploracle.conformance.ask.budget import budget_of
from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.ask.implementation import NotAnImplementation
from tploracle.conformance.ask.run import run_cases
from tploracle.conformance.ask.runner import Plan, Xfails
from tploracle.conformance.model import Reply, Run, Verdict
from tploracle.conformance.report.summary import CONFORMS, FAILS, summary_of
from tploracle.contract.errors import UNDECIDED
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.protocol import FLOAT64

from .fakes import AlwaysWrong, Directed, LiesAboutOperations, SkipsEverything, only


def of_control(fake):
    return only(fake, "control", numbers=(FLOAT64,))


def test_the_vectors_come_first_then_the_seeded_cases_then_the_search_and_the_sizes(run_of):
    steps = []
    run = run_of(
        of_control(Directed), Plan("standard"), progress=lambda done, total, part: steps.append((part, done, total))
    )
    sources = [result.case.source for result in run.results]
    vectors = [case.id for case in load_vectors("standard") if _is_asked(case)]
    counts = [sources.count(source) for source in ("seeded", "sizes")]
    assert sources == ["vector"] * len(vectors) + ["seeded"] * counts[0] + ["sizes"] * counts[1]
    assert [result.case.id for result in run.results[: len(vectors)]] == vectors
    assert min(counts) > 0
    assert run.searched["control"] > 0
    assert run.compared > 0
    parts = {part: total for part, _, total in steps}
    assert [*parts] == [
        "vectors",
        "seeded questions",
        "operations searched",
        "questions across sizes",
        "questions asked again in another order",
        "questions asked again at the end",
    ]
    assert (parts["vectors"], parts["questions across sizes"]) == (len(vectors), counts[1])
    assert all((part, step, total) in steps for part, total in parts.items() for step in range(total))
    assert run.complete
    assert summary_of(run).status == CONFORMS


def _is_asked(case):
    return case.op not in OPERATIONS or (case.op == "control" and case.numbers == FLOAT64)


def test_the_smoke_tier_has_fewer_vectors_and_no_search_nor_has_a_plan_without(run_of):
    run = run_of(of_control(Directed))
    assert run.searched == {}
    full = run_of(of_control(Directed), Plan("full", search=False, questions=7))
    assert full.searched == {}
    vectors = [[result for result in each.results if result.case.source == "vector"] for each in (run, full)]
    assert 0 < len(vectors[0]) < len(vectors[1])


@pytest.mark.parametrize("tier", ["smoke", "standard", "full"])
@pytest.mark.parametrize("operations", [["loss"], ["loss", "worst_case_allocate"], [*OPERATIONS]])
def test_a_budget_is_kept_for_every_operation(tier, operations):
    budget = budget_of(tier, operations)
    for op in operations:
        asked = budget.seeded[op] + sum(counts[op] for counts in budget.sizes.values())
        least = {"smoke": (20, 100), "standard": (2_000, 5_000), "full": (8_000, 20_000)}[tier]
        assert asked >= max(least[0], least[1] // len(operations))
        assert all(counts[op] >= 0 for counts in budget.sizes.values())
    fewer = budget_of(tier, operations, 7)
    assert {fewer.seeded[op] + sum(counts[op] for counts in fewer.sizes.values()) for op in operations} == {7}
    assert budget.sized == sum(sum(counts.values()) for counts in budget.sizes.values())


def test_each_tier_asks_what_the_one_before_it_does():
    standard, full = (budget_of(tier, OPERATIONS) for tier in ("standard", "full"))
    assert all(full.sizes[tier] == counts for tier, counts in standard.sizes.items())
    assert all(full.seeded[op] >= count for op, count in standard.seeded.items())


def test_the_first_failure_ends_the_run_where_the_plan_says_so(run_of):
    run = run_of(of_control(AlwaysWrong), Plan("smoke", stop=True))
    assert [result.fails for result in run.results].count(True) == 1
    assert run.results[-1].fails
    assert not run.complete
    assert "stopped at the first failure" in run.notes
    assert summary_of(run).status == FAILS


def test_only_what_is_chosen_is_asked(run_of):
    run = run_of(Directed(), Plan("smoke", chosen=("supremum-*", "Identity")))
    assert run.results
    assert all(r.case.id.startswith("supremum-") or any("Identity" in f for f in r.case.flags) for r in run.results)


def test_known_failures_are_no_failures_unless_they_pass(run_of):
    known = run_of(
        of_control(AlwaysWrong), Plan("smoke", xfails=Xfails({"control-*": "known", "*": "known", "no-such": "x"}))
    )
    assert {result.expected_failure for result in known.results if result.judgement.verdict.fails} == {"known"}
    assert summary_of(known).status == CONFORMS
    assert known.notes == ["the known failure 'no-such' matches no case that was asked"]
    passing = run_of(of_control(Directed), Plan("smoke", xfails=Xfails({"control-*": "known"})))
    assert summary_of(passing).status == FAILS
    assert {result.case.op for result in summary_of(passing).unexpected} == {"control"}


def test_a_pattern_of_known_failures_covers_cases_that_pass_while_one_fails(run_of):
    class HalfWrong(Directed):
        def value(self, request):
            value = super().value(request)
            return "0x1p+9" if float(self.truth(request)["lower"]) > 0.5 else value

    run = run_of(of_control(HalfWrong), Plan("smoke", xfails=Xfails({"control-*": "known"})))
    assert summary_of(run).status == CONFORMS
    assert 0 < len(summary_of(run).expected) < sum(result.case.op == "control" for result in run.results)


def test_an_operation_that_the_contract_does_not_have_is_a_fault_of_the_declaration(run_of):
    run = run_of(LiesAboutOperations())
    first = run.results[0]
    assert first.judgement.verdict is Verdict.WRONG
    assert "privacy" in first.judgement.detail
    assert first.case.part == "wire"


def test_skipping_everything_is_not_conforming(run_of):
    run = run_of(SkipsEverything(), Plan("smoke", questions=2))
    assert {result.judgement.verdict for result in run.results} == {Verdict.SKIPPED, Verdict.UNANSWERED}
    summary = summary_of(run)
    assert summary.status == FAILS
    assert [said.partition(" ")[0] for said in summary.silent] == [*OPERATIONS]


def test_an_operation_that_is_declared_and_never_asked_fails_by_its_name(run_of, monkeypatch):
    monkeypatch.setattr("tploracle.conformance.ask.run.load_vectors", lambda _tier: [])
    monkeypatch.setattr("tploracle.conformance.ask.run.seeded_of_each", lambda *_: [])
    monkeypatch.setattr("tploracle.conformance.ask.run.sizes_cases", lambda *_: [])
    run = run_of(of_control(Directed))
    assert summary_of(run).silent == ("control (nothing was asked)",)
    assert not summary_of(run_of(of_control(Directed), Plan("smoke", chosen=("loss",)))).silent


def test_an_implementation_that_hangs_for_ever_does_not_hold_up_the_run(run_of):
    class Hanging(Directed):
        def ask(self, request):
            return Reply(None, Verdict.TIMED_OUT, "no answer") if request["op"] == "control" else super().ask(request)

    run = run_of(of_control(Hanging), Plan("standard"))
    verdicts = [result.judgement.verdict for result in run.results if result.case.op == "control"]
    assert verdicts[:5] == [Verdict.TIMED_OUT] * 5
    assert set(verdicts[5:]) == {Verdict.SKIPPED}
    assert run.complete
    assert any(note.startswith("control: 5 requests timed out") for note in run.notes)
    assert summary_of(run).status == FAILS


def test_an_interruption_leaves_what_was_done():
    class Interrupted(Directed):
        asked = 0

        def ask(self, request):
            self.asked += 1
            if self.asked > 7:
                raise KeyboardInterrupt
            return super().ask(request)

    run = Run("-- it", "smoke", 0, 4096)
    with pytest.raises(KeyboardInterrupt):
        run_cases(of_control(Interrupted), Plan("smoke"), run)
    assert len(run.results) == 7
    assert not run.complete
    assert summary_of(run).status == UNDECIDED


def test_what_does_not_start_is_no_implementation(run_of):
    class Silent(Directed):
        def start(self):
            raise NotAnImplementation("it did not start")

    with pytest.raises(NotAnImplementation):
        run_of(Silent())


def test_the_same_seed_asks_the_same(run_of):
    first, second, other = (run_of(of_control(Directed), Plan("smoke", seed)) for seed in (5, 5, 6))
    asked = [[result.case.input for result in run.results] for run in (first, second, other)]
    assert asked[0] == asked[1] != asked[2]
