"""The operations on the worst case over all mechanisms: values by hand, what is refused, and what is not begun."""

import pytest

from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Case, Reply, Verdict
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import InfeasibleBudget, InvalidRequest, TransitionMatrix
from tploracle.wire.protocol import RATIONAL
from tploracle.wire.requests import Session

from ...matrices import DIVERGES, texts_of

HALF = [["1/2", "1/2"], ["0", "1"]]
REST = {
    "epsilons": ["1"],
    "epsilon": "1",
    "alpha": "1",
    "method": "quantified",
    "horizon": 2,
    "start": 1,
    "length": 1,
    "delta": "0",
}


def answer(op, digits=17, **given):
    return Session().answer(op, given, digits)


def texts(levels):
    return [level["exact"] for level in levels]


def judged(op, given, value):
    return Judge().judge(Case("one", op, RATIONAL, given), Reply({"seq": 1, "value": value})).verdict


def test_the_recursions_values_are_wrong_and_less_is_unsafe():
    """Of three values, about which the recursion has more than there is from the third release on."""
    given = {"backward": texts_of(DIVERGES), "epsilons": ["log(3/2)"] * 4}
    paper = Session().answer("leakage", given, 30)
    assert judged("worst_case_leakage", given, paper) is Verdict.WRONG
    worst = Session().answer("worst_case_leakage", given, 30)
    assert judged("worst_case_leakage", given, worst) is Verdict.EXACT
    assert judged("worst_case_leakage", given, {**worst, "bpl": [*worst["bpl"][:3], "0.82"]}) is Verdict.UNSAFE
    for budget, verdict in (("0.69", Verdict.WRONG), ("log(2)", Verdict.EXACT), ("0.6931471806", Verdict.UNSAFE)):
        schedule = {"epsilons": [budget] * 3}
        assert judged("worst_case_allocate", {"backward": HALF, "alpha": "log(4)", "horizon": 3}, schedule) is verdict


@pytest.mark.parametrize("op", [op for op, operation in OPERATIONS.items() if operation.knows_correlations])
def test_matrices_of_one_user_have_one_size(op):
    rest = {key.name: REST[key.name] for key in OPERATIONS[op].keys if key.name in REST}
    with pytest.raises(InvalidRequest, match="2 states, the forward one 1"):
        answer(op, backward=HALF, forward=[["1"]], **rest)


def test_what_leaves_no_budget():
    with pytest.raises(InfeasibleBudget, match="0 leaves no budget"):
        answer("worst_case_allocate", alpha="0", horizon=3)
    with pytest.raises(InfeasibleBudget, match="over an infinite horizon"):
        answer("worst_case_allocate", backward=[["0", "1"], ["1", "0"]], alpha="1")


def test_what_is_too_large_is_not_begun(monkeypatch):
    def begun(*_args, **_keywords):
        raise AssertionError("the work began")

    for name in (
        "budgets.fast_worst_case_budget",
        "pairs.fast_worst_case_supremum",
        "pairs.fast_worst_case_leakage",
        "leakage_profile.leakage_profile",
    ):
        monkeypatch.setattr(f"tploracle.solvers.worst_case.{name}", begun)
    monkeypatch.setattr("tploracle.contract.limits.MOST_STATES", 10)
    large = TransitionMatrix.of([[int(a == b) for b in range(11)] for a in range(11)])
    for op, given, digits in (
        ("worst_case_allocate", {"alpha": "1", "horizon": 10_001}, 17),
        ("worst_case_allocate", {"alpha": "1", "horizon": 10_000}, 10_000),
        ("worst_case_allocate", {"alpha": "1", "backward": large.texts()}, 17),
        ("worst_case_leakage", {"epsilons": ["1"] * 10_001}, 17),
        ("worst_case_leakage", {"epsilons": ["1"] * 10_000}, 10_000),
        ("worst_case_leakage", {"epsilons": ["1"], "forward": large.texts()}, 17),
        ("worst_case_supremum", {"epsilon": "1", "forward": large.texts()}, 17),
        ("leakage_profile", {"epsilon": "1", "horizon": 41, "delta": "1/9"}, 17),
        ("leakage_profile", {"epsilon": "1001", "horizon": 1, "delta": "1/9"}, 17),
        ("leakage_profile", {"epsilon": "1", "horizon": 37, "delta": "1/9", "forward": large.texts()}, 17),
    ):
        with pytest.raises(InvalidRequest, match="too large"):
            answer(op, digits, **given)
