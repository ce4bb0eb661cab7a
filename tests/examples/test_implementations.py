"""The usual mistakes are mistakes, each shown by one question; the JavaScript example conforms on its wire."""

import subprocess

import pytest

from directed import Directed
from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.ask.implementation import ProcessImplementation
from tploracle.conformance.ask.seeded import seeded_cases
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Verdict
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.adapter import adapter_command
from usual_mistakes import UsualMistakes

from ..processes import IMPATIENT, PATIENT
from .questions import (
    CERTAIN,
    EVEN,
    FOLDER,
    HALF,
    NEGATIVE_START,
    NODE,
    THREE,
    conforms,
    judged,
    question,
    said_by_node,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
LEAST_NODE = 18

UNSAFE, WRONG, MISMATCH = Verdict.UNSAFE, Verdict.WRONG, Verdict.ERROR_MISMATCH
MIXED = [["3/4", "1/4"], ["1/4", "3/4"]]
CHANGES = [["1/2", "5/16", "3/16"], ["0", "7/8", "1/8"], ["0", "11/16", "5/16"]]
LATE = [["1/2", "4294967295/8589934592", "1/8589934592"], ["1/4", "3/4", "0"], ["1/4", "3/4", "0"]]
"""From e^α = 2^33 on, the last column alone rules."""
FADING = [["15/16", "1/16"], ["1/16", "15/16"]]
"""A level falls by an eighth at each release, so that 400 roundings add up."""
EARLY = [["1/4", "0", "3/4"], ["1/4", "1/2", "1/4"], ["268435455/1073741824", "0", "805306369/1073741824"]]
"""The piece that rules at 0 has given way long before e^α = 1.01."""
TIED = [["7/8", "1/8", "0"], ["1/8", "1/4", "5/8"], ["3/4", "1/4", "0"]]
ALIKE = [["1/2", "1/4", "1/8", "1/8"], *[["1/8", "1/16", "1/32", "25/32"]] * 3]
OVERTAKEN = [["3/8", "5/16", "5/16"], ["13/16", "3/16", "0"], ["5/16", "5/16", "3/8"]]
"""The pair of rows that rules at first is not the one that rules at the supremum."""

MISTAKES = {
    "exp less 1 at a small level": (question("loss", matrix=HALF, alpha=2.0**-55), UNSAFE),
    "exp overflows": (question("loss", matrix=HALF, alpha=710), WRONG),
    "all that tie leave": (question("loss", matrix=ALIKE, alpha=40), UNSAFE),
    "rounded to nearest": (question("loss", matrix=HALF, alpha=1), UNSAFE),
    "a matrix that is none": (question("loss", matrix=[["1/2", "1/4"], ["0", "1"]], alpha=1), MISMATCH),
    "a level that is none": (question("loss", matrix=HALF, alpha=-1), MISMATCH),
    "pieces below a_1": (question("loss_function", matrix=EARLY), UNSAFE),
    "pieces beyond a_m": (question("loss_function", matrix=LATE), UNSAFE),
    "halving at a tie": (question("loss_function", matrix=TIED), MISMATCH),
    "Algorithm 2 without + 1": (question("leakage", backward=CHANGES, epsilons=["1/4", "1/4"]), UNSAFE),
    "infinity less infinity": (question("leakage", backward=HALF, epsilons=["inf", "inf"]), WRONG),
    "first step's pair": (question("supremum", matrix=OVERTAKEN, epsilon="3/4"), UNSAFE),
    "equality in the second case": (question("supremum", matrix=HALF, epsilon=0.6931471805599453), MISMATCH),
    "equal rows": (question("supremum", matrix=EVEN, epsilon=1), MISMATCH),
    "overflow in Theorem 11": (question("supremum", matrix=MIXED, epsilon=710), MISMATCH),
    "a window of one": (question("composition", epsilons=[1], start=1, length=1), WRONG),
    "a window beyond the end": (question("composition", epsilons=[1, 1], start=2, length=5), MISMATCH),
    "a horizon of one": (question("allocate", alpha=1, method="quantified", horizon=1), WRONG),
    "budgets of 0": (question("allocate", backward=CERTAIN, alpha=1, method="quantified", horizon=3), MISMATCH),
    "a budget below 0": (question("allocate", backward=CERTAIN, alpha=1, method="upper-bound"), MISMATCH),
    "a complex root": (question("allocate", backward=MIXED, alpha=1, method="upper-bound"), MISMATCH),
    "nothing left": (question("control", matrix=CERTAIN, previous=1, cap=1), MISMATCH),
    "0/0": (question("reverse", forward=[["1", "0"], ["1", "0"]], initial=["1/2", "1/2"]), MISMATCH),
    "10 before 2": (question("estimate", sequences=[["2", "10", "10", "2", "10"]]), WRONG),
    "a state that nothing follows": (question("estimate", sequences=[["a", "b"]]), MISMATCH),
}
ENDLESS = {
    "flag not set back": question("composition", backward=OVERTAKEN, epsilons=[3, 3, 3], start=1, length=2),
    "doubles never equal": question("allocate", backward=HALF, forward=HALF, alpha=1, method="upper-bound"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_is_one(name):
    asked, verdict = MISTAKES[name]
    found = judged(UsualMistakes(), asked)
    assert found.verdict is verdict, found
    conforms(Directed(), asked)


@pytest.mark.parametrize("name", ENDLESS)
def test_some_loops_do_not_end(name):
    judge, asked = Judge(), ENDLESS[name]
    with ProcessImplementation(
        adapter_command(f"{FOLDER / 'usual_mistakes.py'}:UsualMistakes"), IMPATIENT, PATIENT
    ) as implementation:
        implementation.start()
        assert judge.judge(asked, implementation.ask(asked.request(1))).verdict is Verdict.TIMED_OUT
    conforms(Directed(), asked)


def _node_is_missing():
    if NODE is None:
        return "node is not installed"
    version = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
    return "" if int(version.lstrip("v").split(".")[0]) >= LEAST_NODE else f"node {version.strip()} is too old"


MISSING = _node_is_missing()
needs_node = pytest.mark.skipif(bool(MISSING), reason=MISSING)
SCRIPT = str(FOLDER / "leakage.mjs")


WORST_CASE_ULPS = 2_100
"""A ratio over a horizon is within 2^-42 of what is attained, and its level within 2^10 ulps or so."""


TURNS = [["0", "1", "0", "0"], ["1/4", "0", "3/4", "0"], ["0", "0", "0", "1"], ["0", "0", "3/4", "1/4"]]
"""Values that are left for good take turns: no sweep shrinks in one step."""
NO_COLUMN = [["1/2", "0", "1/2"], ["1/4", "0", "3/4"], ["1/4", "0", "3/4"]]
SOON_EQUAL = [["1/2", "1/4", "1/4"], ["3/4", "0", "1/4"], ["1/2", "1/4", "1/4"]]
"""P² has equal rows: after a release of 0 nothing is left to tell two values apart by."""
SPLIT = [[*["1/8"] * 4, "1/4", "1/4"]] * 4 + [[*["1/16"] * 4, "1/4", "1/2"], ["0", "0", "0", "0", "1/2", "1/2"]]
"""Four of its states are one that is split."""
NEARLY_ONE = [["1/2", "1/4", "1/4"], ["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]]
"""Two of its rows are equal, and their columns are not in proportion to each other."""
HARD_FOR_SWEEPS = [
    question("worst_case_leakage", backward=SPLIT, forward=SPLIT, epsilons=[0.5, 0.25, 1, 0.5, 0.5]),
    question("worst_case_leakage", backward=NEARLY_ONE, forward=THREE, epsilons=[0.5] * 5),
    question("worst_case_supremum", backward=SPLIT, forward=SPLIT, epsilon=0.25),
    question("worst_case_supremum", forward=TURNS, epsilon=0.0625),
    question("worst_case_leakage", backward=NO_COLUMN, forward=NO_COLUMN, epsilons=["inf", 0.5, "inf"]),
    question("worst_case_leakage", backward=SOON_EQUAL, forward=TURNS, epsilons=[0.5, 0, 0.5, 2]),
    question("worst_case_allocate", backward=TURNS, forward=TURNS, alpha=2.0, horizon=9),
]


@needs_node
def test_javascript_conforms():
    judge, levels = Judge(), [2.0**-1074, 1e-300, 1e-12, 0.5, 40, 700, 709, 710, 745, 1480, 1500, 1e6, 1e9, "inf", 0]
    asked = [
        case for case in seeded_cases(3, 900, ("float64",)) if "worst_case" not in case.op and "profile" not in case.op
    ]
    refused = [case for case in load_vectors() if "error" in case.expected and case.numbers == "float64"]
    asked += [NEGATIVE_START, *(case for case in refused if case.op != "leakage_profile")]
    asked += [question("loss", matrix=matrix, alpha=alpha) for matrix in (HALF, LATE, EARLY) for alpha in levels]
    asked += [question("leakage", backward=HALF, forward=MIXED, epsilons=[alpha] * 4) for alpha in levels]
    asked += [question("leakage", backward=FADING, epsilons=[1, *[0] * 400])]
    with ProcessImplementation([NODE, SCRIPT], PATIENT, PATIENT) as implementation:
        assert implementation.start().operations == tuple(op for op in OPERATIONS if op != "leakage_profile")
        for seq, case in enumerate(asked):
            found = judge.judge(case, implementation.ask(case.request(seq)))
            assert not found.verdict.fails, (case, found)
            assert found.ulps is None or found.ulps <= 1024 or found.detail
        for alpha in levels:
            case = question("loss", matrix=CERTAIN, alpha=alpha)
            assert judge.judge(case, implementation.ask(case.request(0))).verdict is Verdict.EXACT
        assert implementation.restarts == 0


@needs_node
@pytest.mark.parametrize(
    ("levels", "count"),
    [([1e-12, 0.5, "inf", 0], 60), pytest.param([2.0**-1074, 40, 710, 1e6], 400, marks=pytest.mark.exhaustive)],
)
def test_javascript_has_the_exact_worst_case(levels, count):
    judge = Judge()
    asked = [case for case in seeded_cases(5, count, ("float64",)) if "worst_case" in case.op]
    asked += [question("worst_case_leakage", backward=HALF, forward=MIXED, epsilons=[alpha] * 3) for alpha in levels]
    asked += [question("worst_case_supremum", backward=MIXED, forward=MIXED, epsilon=alpha) for alpha in levels]
    asked += [question("worst_case_allocate", backward=HALF, forward=MIXED, alpha=alpha, horizon=3) for alpha in levels]
    asked += [question("worst_case_allocate", backward=MIXED, forward=MIXED, alpha=alpha) for alpha in (0.5, 2.0)]
    asked += [question("worst_case_allocate", backward=CERTAIN, alpha=1.0), *HARD_FOR_SWEEPS]
    with ProcessImplementation([NODE, SCRIPT], PATIENT, PATIENT) as implementation:
        implementation.start()
        for seq, case in enumerate(asked):
            found = judge.judge(case, implementation.ask(case.request(seq)))
            assert not found.verdict.fails, (case, found)
            assert found.ulps is None or found.ulps <= WORST_CASE_ULPS or found.detail
        assert implementation.restarts == 0


@needs_node
def test_javascript_skips_rationals_and_outlives_what_is_no_request():
    short = ["0x1.5555555555555p-2"] * 3
    answers = said_by_node(
        SCRIPT,
        "no JSON\n",
        "[1]\n",
        {"op": "loss"},
        {"seq": "b", "op": "loss", "input": {"matrix": [["1"]], "alpha": "1"}},
        {"seq": "c", "op": "loss", "numbers": "float64", "input": {"matrix": [short] * 3, "alpha": "0x1p+0"}},
        {"op": "start", "protocol": 1},
        {"op": "stop"},
        {"seq": "d", "op": "leek", "input": {}},
    )
    assert [answer.get("error", {}).get("name") for answer in answers[:3]] == ["InvalidRequest"] * 3
    assert answers[3]["skipped"]
    assert answers[4] == {"seq": "c", "value": "0x0p+0"}, "rows that miss 1 by rounding are divided by their sums"
    assert answers[5]["numbers"] == ["float64"]
    assert len(answers) == 6
