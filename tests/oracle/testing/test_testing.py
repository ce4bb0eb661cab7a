"""The conformance suite in somebody else's repository: pytest is run there, as they would run it."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from types import SimpleNamespace

import pytest

from tploracle import testing, testing_plugin
from tploracle.conformance.ask.budget import budget_of
from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.ask.runner import MOST_TIMEOUTS
from tploracle.conformance.ask.search import EXAMPLES
from tploracle.conformance.ask.seeded import seeded_cases
from tploracle.conformance.ask.sizes import sizes_cases
from tploracle.conformance.model import DEFAULT_ULPS, TIERS, Case, Judgement, Result, Run, Verdict
from tploracle.contract.operations import OPERATIONS
from tploracle.testing import bench
from tploracle.testing.messages import every_message, message, worst_message
from tploracle.wire.protocol import FLOAT64, RATIONAL

DEAR = (
    "leakage_profile",
    "worst_case_leakage",
    "worst_case_supremum",
    "worst_case_allocate",
    "leakage",
    "estimate",
    "reverse",
    "composition",
)
"""Operations about whose sizes the oracle is asked in the slow form alone."""

QUICK_SIZED = [op for op in OPERATIONS if op not in DEAR]

NAMELESS = Run("", "smoke", 0, DEFAULT_ULPS)
"""What the tests of an object are part of."""

ORACLES_SEEDED = 20
"""How many seeded questions the oracle is asked; each of an implementation of one operation, more."""

CONFTEST = """
import json, os, pathlib

class Kept:
    def __init__(self):
        self.reports = []

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            xfail = getattr(report, "wasxfail", None)
            said = str(report.longrepr or "")
            self.reports.append([report.nodeid, report.outcome, said, xfail, dict(report.user_properties)])

    def pytest_sessionfinish(self, session):
        if not hasattr(session.config, "workerinput"):
            pathlib.Path("reports.json").write_text(json.dumps(self.reports))

def pytest_configure(config):
    config.pluginmanager.register(Kept())
"""

IMPLEMENTATIONS = """
import math
from fractions import Fraction
from tploracle.wire.numerals import hex_text
from tploracle.wire.requests import Session
from tploracle.reference import InvalidLevel


class Above:
    '''The oracle's losses, rounded up to doubles.'''

    def _enclosure(self, matrix, alpha):
        if not alpha >= 0:
            raise InvalidLevel("a negative level, or none")
        level = hex_text(alpha) if alpha < math.inf else "inf"
        rows = [[hex_text(float(entry)) for entry in row] for row in matrix]
        return Session().answer("loss", {"matrix": rows, "alpha": level}, 400, "float64")

    def _up(self, value):
        if value["upper"] == "inf":
            return math.inf
        exact = value["exact"]
        upper = Fraction(value["upper"] if exact is None or exact.startswith("log") else exact)
        nearest = float(upper)
        return nearest if Fraction(nearest) >= upper else math.nextafter(nearest, math.inf)

    def loss(self, matrix, alpha):
        return self._up(self._enclosure(matrix, alpha))


class Below(Above):
    '''One ulp less, or two: the double before the one that is next above the truth.'''

    def loss(self, matrix, alpha):
        value = super().loss(matrix, alpha)
        return math.nextafter(value, 0.0) if 0 < value < math.inf else value
"""


class Repository:
    """A directory with tests in it, and pytest run on them."""

    def __init__(self, path):
        self.path = path
        (path / "conftest.py").write_text(CONFTEST)
        (path / "mine.py").write_text(IMPLEMENTATIONS)
        (path / "pytest.ini").write_text(
            "[pytest]\naddopts = --strict-markers --strict-config\nfilterwarnings = error\npythonpath = .\n"
        )

    def run(self, *arguments):
        """Return what became of each test, and what pytest printed."""
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
            cwd=self.path,
            capture_output=True,
            text=True,
            check=False,
            env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        )
        assert done.stderr == ""
        kept = self.path / "reports.json"
        reports = json.loads(kept.read_text()) if kept.exists() else []
        return Outcome(done.returncode, done.stdout, {name.partition("::")[2]: rest for name, *rest in reports})


class Outcome:
    """What became of a run: the exit status, what it printed, and of each test the outcome and what was said."""

    def __init__(self, status, printed, tests):
        self.status, self.printed, self.tests = status, printed, tests

    def of(self, suite):
        """The tests of one suite by their names."""
        return {name.partition("::")[2]: test for name, test in self.tests.items() if name.startswith(f"{suite}::")}

    def counts(self, suite):
        """How many tests of one suite had which outcome."""
        return Counter(outcome for outcome, *_ in self.of(suite).values())


@pytest.fixture(scope="module")
def vectors():
    return {case.id: case for case in load_vectors("smoke")}


def is_double_loss(case):
    return case.op == "loss" and case.numbers == FLOAT64


OWN = {"test_declaration", "test_seeded[loss]", "test_sizes[loss]", "test_search[loss]"}


def asked_of_loss(vectors):
    """The names of losses of doubles, and of what is about the wire: no such operation, or no such numbers."""
    return [
        name
        for name, case in vectors.items()
        if is_double_loss(case)
        or case.op not in OPERATIONS
        or (case.op == "loss" and case.numbers not in (FLOAT64, RATIONAL))
    ]


def is_positive(case):
    return "value" in case.expected and case.expected["value"]["exact"] not in ("0", "inf")


@pytest.fixture(scope="module")
def repository(tmp_path_factory, vectors):
    """A repository with a suite of each sort, and what became of all of them in one run."""
    losses = [case for case in vectors.values() if is_double_loss(case)]
    positive = next(case.id for case in losses if is_positive(case) and float(case.expected["value"]["lower"]) > 1e-9)
    zero = next(case.id for case in losses if not is_positive(case))
    place = Repository(tmp_path_factory.mktemp("repository"))
    (place.path / "test_mine.py").write_text(f"""
import sys
from mine import Above, Below
from tploracle.testing import ConformanceSuite


class Quick(ConformanceSuite):
    tier = "smoke"
    seeded = 200
    examples = 10


class Few(Quick):
    seeded = 20
    examples = 2


class TestOracle(Quick):
    seeded = {ORACLES_SEEDED}
    examples = 1
    timeout = 60.0
    command = [sys.executable, "-m", "tploracle", "serve"]
    operations = {tuple(OPERATIONS)!r}
    numbers = ("rational", "float64", "decimal64")


class TestAbove(Few):
    implementation = Above()
    operations = ("loss",)
    numbers = ("float64",)


class TestBelow(Quick):
    implementation = Below
    operations = ("loss",)


class TestKnown(Quick):
    implementation = Below()
    operations = ("loss",)
    xfails = {{
        {positive!r}: "rounds down, issue 12",
        {zero!r}: "never was",
        "loss-se*": "rounds down",
        "loss-no-such-*": "gone",
    }}


class TestOthers(Few):
    implementation = Above()
    operations = ("loss", "supremum")
    numbers = ("rational", "float64")


class TestUndeclared(Few):
    implementation = Above()


class TestAbsent(Quick):
    command = ["./no-such-program"]
    operations = ("smooth",)


class TestSilent(Quick):
    command = [sys.executable, "-c", "import sys; sys.stdin.readline(); "
        "print('{{\\"name\\": \\"silent\\", \\"version\\": \\"1\\", \\"operations\\": [\\"loss\\"], '"
        "'\\"numbers\\": [\\"float64\\"]}}', flush=True); sys.stdin.read()"]
    operations = ("loss",)
    timeout = 0.05
""")
    known = ("TestBelow", "TestKnown", "TestOthers")
    sized = [*(f"TestOracle::test_sizes[{op}]" for op in DEAR), *(f"{name}::test_sizes[loss]" for name in known)]
    without = [f"--deselect=test_mine.py::{name}" for name in sized]
    return SimpleNamespace(
        place=place,
        without=without,
        outcome=place.run("--import-mode=importlib", *without, "test_mine.py"),
        positive=positive,
        zero=zero,
    )


@pytest.fixture(scope="module")
def outcome(repository):
    return repository.outcome


def test_the_oracle_conforms_to_itself(outcome, vectors):
    assert outcome.counts("TestOracle") == {"passed": len(vectors) + 1 + 2 * len(OPERATIONS) + len(QUICK_SIZED)}


@pytest.mark.exhaustive
def test_the_oracle_conforms_to_itself_at_every_size(repository):
    tests = repository.place.run("-k", "TestOracle and test_sizes", "test_mine.py").of("TestOracle")
    assert {name: test[0] for name, test in tests.items()} == {f"test_sizes[{op}]": "passed" for op in OPERATIONS}


def test_every_answer_is_reported_with_its_test(outcome, vectors):
    tests = {name: properties for name, (*_, properties) in outcome.of("TestOracle").items()}
    for name in vectors:
        ((verdict, number),) = tests[f"test_conforms[{name}]"].items()
        assert verdict in ("tploracle: exact", "tploracle: within")
        assert number == 1
    asked = Counter(case.op for case in seeded_cases(0, ORACLES_SEEDED, ["float64", "rational"]))
    assert Counter({op: sum(tests[f"test_seeded[{op}]"].values()) for op in OPERATIONS}) == asked
    counts = {
        tier: {op: sizes[op] for op in QUICK_SIZED} for tier, sizes in budget_of("smoke", OPERATIONS).sizes.items()
    }
    sizes = Counter(case.op for case in sizes_cases(0, counts))
    assert Counter({op: sum(tests[f"test_sizes[{op}]"].values()) for op in QUICK_SIZED}) == sizes


def test_the_ids_are_those_of_the_vectors(outcome, vectors):
    kinds = {"seeded": OPERATIONS, "sizes": QUICK_SIZED, "search": OPERATIONS}
    own = [f"test_{kind}[{op}]" for kind, operations in kinds.items() for op in operations]
    assert list(outcome.of("TestOracle")) == ["test_declaration", *(f"test_conforms[{name}]" for name in vectors), *own]


def test_what_is_declared_decides_what_is_tested(outcome, vectors):
    assert set(outcome.of("TestAbove")) == OWN | {f"test_conforms[{name}]" for name in asked_of_loss(vectors)}
    assert set(outcome.counts("TestAbove")) == {"passed"}


def test_what_is_not_declared_is_one_skip_for_each_operation(outcome, vectors):
    tests = outcome.of("TestUndeclared")
    asked = {f"test_conforms[{name}]" for name in asked_of_loss(vectors)}
    skipped = {f"test_conforms[{case.op}]" for case in vectors.values() if case.op in OPERATIONS}
    assert set(tests) == asked | skipped | OWN
    assert {name for name, (status, *_) in tests.items() if status == "skipped"} == skipped
    suprema = sum(case.op == "supremum" for case in vectors.values())
    assert f"not declared: supremum, {suprema} vectors" in tests["test_conforms[supremum]"][1]
    assert "vectors of loss with numbers that are not declared" in tests["test_conforms[loss]"][1]


def test_each_tier_asks_as_much_as_conform_does():
    for tier in TIERS:
        setup = bench.Setup(testing.ConformanceSuite, ("x",), tier, 0, tuple(OPERATIONS), (FLOAT64,))
        assert (setup.budget, setup.examples) == (budget_of(tier, OPERATIONS), EXAMPLES.get(tier, 0))


def test_one_ulp_below_fails_and_the_message_says_all(repository, outcome, vectors):
    positive = repository.positive
    tests = outcome.of("TestBelow")
    for name, case in vectors.items():
        if is_double_loss(case):
            assert tests[f"test_conforms[{name}]"][0] == ("failed" if is_positive(case) else "passed")
    case = vectors[positive]
    lines = tests[f"test_conforms[{positive}]"][1].splitlines()
    assert re.fullmatch("unsafe, [12] ulps? below", lines[0])
    assert lines[1] == f"  case: {positive}: {case.title}"
    assert json.loads(lines[2].removeprefix("  request: ")) == {"op": "loss", "input": case.input, "numbers": FLOAT64}
    assert lines[3].startswith("  truth: ")
    assert lines[4].startswith("  answer: 0x1")
    assert [line.partition(":")[0].strip() for line in lines[6:]] == list(case.flags)


def test_the_search_comes_down_to_the_smallest_input(outcome):
    status, said, *_ = outcome.of("TestBelow")["test_search[loss]"]
    assert status == "failed"
    assert said.startswith("unsafe, 1 ulp below\n  case: loss-search-unsafe-rounding: Found by search.\n")
    (request,) = re.findall("request: (.*)", said)
    given = json.loads(request)["input"]
    assert len(given["matrix"]) == 2
    assert len(given["alpha"]) <= len("0x1p+0")


def test_seeded_answers_are_counted_and_the_worst_is_shown(outcome):
    status, said, *_ = outcome.of("TestBelow")["test_seeded[loss]"]
    cases = [case for case in seeded_cases(0, 200, [FLOAT64]) if case.op == "loss"]
    assert status == "failed"
    assert said.startswith("unsafe, ")
    (failing,) = re.findall(rf"  (\d+) of {len(cases)} answers fail; besides the above: loss-seeded-0-", said)
    assert 1 < int(failing) < len(cases)


def test_known_failures_are_strict(repository, outcome):
    positive, zero = repository.positive, repository.zero
    tests = outcome.of("TestKnown")
    assert tests[f"test_conforms[{positive}]"][0] == "skipped"
    assert tests[f"test_conforms[{positive}]"][2] == "rounds down, issue 12"
    assert tests[f"test_conforms[{zero}]"][:2] == ["failed", "[XPASS(strict)] never was"]
    for name in ("test_search[loss]", "test_seeded[loss]"):
        assert tests[name][0] == "skipped"
        assert tests[name][2] == "rounds down"
    assert tests["test_declaration"][:2] == ["failed", "the xfail 'loss-no-such-*' has no test"]


def test_another_declaration_fails(outcome):
    status, said, *_ = outcome.of("TestOthers")["test_declaration"]
    assert status == "failed"
    assert said.splitlines() == [
        "it declares the operations loss; the suite says loss, supremum",
        "it declares the numbers float64; the suite says float64, rational",
    ]


def test_what_does_not_start_fails_every_test(outcome):
    assert set(outcome.counts("TestAbsent")) == {"failed"}
    assert len(outcome.of("TestAbsent")) > 3
    for _, said, *_ in outcome.of("TestAbsent").values():
        assert said == (
            "the implementation does not start: './no-such-program' cannot be started: No such file or directory"
        )


def test_what_never_answers_is_given_up_after_a_while(outcome, vectors):
    tests = outcome.of("TestSilent")
    tests = [tests[f"test_conforms[{name}]"] for name, case in vectors.items() if is_double_loss(case)]
    assert [status for status, *_ in tests] == ["failed"] * MOST_TIMEOUTS + ["skipped"] * (len(tests) - MOST_TIMEOUTS)
    assert tests[0][1].startswith("timed out\n")
    assert "no answer, asleep for 0.05 s (it used " in tests[0][1]
    assert f"not asked: {MOST_TIMEOUTS} requests of loss had timed out" in tests[-1][1]
    for name in ("test_seeded[loss]", "test_sizes[loss]", "test_search[loss]"):
        assert outcome.of("TestSilent")[name][0] == "skipped"


def test_the_verdicts_are_counted_the_worst_first(outcome):
    line = outcome.printed.splitlines()[-2]
    assert line.startswith("tploracle: ")
    counts = dict(reversed(part.split(" ", 1)) for part in line.removeprefix("tploracle: ").split(", "))
    assert list(counts) == [verdict.value for verdict in Verdict if verdict.value in counts]
    assert next(iter(counts)) == "unsafe"
    unsafe = sum(said.startswith("unsafe") for status, said, *_ in outcome.tests.values() if status == "failed")
    assert int(counts["unsafe"]) >= unsafe > 3
    assert "timed out" in counts


@pytest.mark.slow
def test_spread_over_processes_it_is_the_same(repository, outcome):
    spread = repository.place.run("-n2", "-k", "TestKnown", *repository.without)
    assert {name: test[0] for name, test in spread.of("TestKnown").items()} == {
        name: test[0] for name, test in outcome.of("TestKnown").items()
    }
    assert re.search(r"^tploracle: \d+ unsafe, ", spread.printed, re.MULTILINE)


@pytest.mark.slow
def test_without_the_plugin_it_is_the_same_but_for_the_line(repository, outcome):
    without = repository.place.run("-p", "no:tploracle", "-k", "TestKnown", *repository.without)
    assert without.of("TestKnown") == outcome.of("TestKnown")
    assert "tploracle: " not in without.printed


@pytest.mark.slow
def test_the_options_stand_before_what_the_suite_says(tmp_path):
    place = Repository(tmp_path)
    (tmp_path / "test_mine.py").write_text("""
import sys
from mine import Above
from tploracle.testing import ConformanceSuite

class TestMine(ConformanceSuite):
    implementation = Above()
    operations = ("loss",)
    tier = "full"
    examples = 10
    seeded = 30
""")
    command = shlex.join([sys.executable, "-m", "tploracle.adapter", "mine.py:Below"])
    options = ["--tploracle-tier=smoke", "--tploracle-seed=7", f"--tploracle-command={command}"]
    outcome = place.run(*options, "-m", "tploracle", "test_mine.py")
    tests = outcome.of("TestMine")
    smoke = [*asked_of_loss({case.id: case for case in load_vectors("smoke")}), "loss"]
    assert [name for name in tests if name.startswith("test_conforms")] == [f"test_conforms[{name}]" for name in smoke]
    said = tests["test_seeded[loss]"][1]
    assert "case: loss-seeded-7-" in said
    assert "  again: tploracle conform -k loss-seeded-7-" in said
    assert f"--seed 7 -- {command}" in said


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("pass", "TestMine: set either `implementation` or `command`"),
        ("implementation, command = 1, ['a']", "TestMine: set either `implementation` or `command`"),
        ("command = 'node mine.mjs'", "TestMine: command is a list: a program and its arguments"),
        ("command = ['a']; tier = 'huge'", "TestMine: tier is one of smoke, standard, full, not 'huge'"),
        ("command = ['a']; operations = ('lose',)", "TestMine: operations are several of loss, "),
        ("command = ['a']; operations = 'loss'", "TestMine: operations are several of loss, "),
        ("command = ['a']; numbers = ()", "TestMine: numbers are several of float64, decimal64, rational, not ()"),
    ],
)
def test_a_suite_that_cannot_be_meant_is_refused(body, said):
    namespace = {}
    exec(f"class TestMine(Suite):\n    {body}", {"Suite": testing.ConformanceSuite}, namespace)

    class Config:
        def getoption(self, name, default):
            return default

    with pytest.raises(pytest.fail.Exception) as caught:
        testing.Setup.of(namespace["TestMine"], Config())
    assert str(caught.value).startswith(said)


@pytest.mark.slow
def test_the_suite_itself_and_what_is_not_named_as_a_test_are_not_collected(tmp_path):
    place = Repository(tmp_path)
    (tmp_path / "test_names.py").write_text("""
from tploracle.testing import ConformanceSuite

class MySuite(ConformanceSuite):
    command = ["mine"]
    operations = ("smooth",)
    tier = "smoke"

class TestMine(MySuite):
    pass

class TestNot(MySuite):
    __test__ = False
""")
    printed = place.run("--collect-only", "-q", "-p", "no:tploracle").printed
    assert "TestMine::test_search[smooth]" in printed
    assert {line.split("::")[1] for line in printed.splitlines() if "::" in line} == {"TestMine"}
    printed = place.run("--collect-only", "-q", "-o", "python_classes=*Suite", "-m", "tploracle").printed
    assert {line.split("::")[1] for line in printed.splitlines() if "::" in line} == {"MySuite"}


def test_other_peoples_runs_are_left_alone(tmp_path):
    place = Repository(tmp_path)
    (tmp_path / "test_other.py").write_text("""
import sys
import pytest

@pytest.mark.parametrize("case", [1])
def test_other(case, record_property):
    record_property("colour", "blue")
    record_property("tploracle: colour", "blue")
    ours = {name for name in sys.modules if name.split(".")[0] in ("tploracle", "flint", "numpy", "hypothesis")}
    assert ours == {"tploracle", "tploracle.testing_plugin"}

def test_marked(request):
    assert not list(request.node.iter_markers())
""")
    outcome = place.run("-p", "no:hypothesispytest", "test_other.py")
    assert outcome.status == 0, outcome.printed
    assert "tploracle" not in re.sub("plugins: .*", "", outcome.printed)


def test_the_tiers_of_the_plugin_are_the_models():
    assert testing_plugin.TIERS == TIERS


# Messages


def result(verdict, case_id="loss-one", **judgement):
    matrix = [["1"]] * (1 + judgement.pop("size", 0))
    case = Case(case_id, "loss", "rational", {"matrix": matrix, "alpha": "1"}, flags=("EqualRows", "Unheard"))
    return Result(case, Judgement(verdict, **judgement))


def test_a_message_of_a_crash_has_what_there_is():
    text = message(result(Verdict.CRASHED, detail="it ended with \x1b[31mstatus 3"), NAMELESS)
    assert text.splitlines()[0] == "crashed"
    assert text.splitlines()[2] == '  request: {"op": "loss", "input": {"matrix": [["1"]], "alpha": "1"}}'
    assert "  why: it ended with \\x1b[31mstatus 3" in text
    assert "truth" not in text
    assert "again" not in text


def test_a_message_has_the_place_the_flags_and_the_way_to_ask_again():
    failing = result(Verdict.UNSAFE, ulps=None, place="tpl 3", truth="inf", given="7")
    lines = message(failing, Run("-- ./mine", "smoke", 0, DEFAULT_ULPS)).splitlines()
    assert lines[0] == "unsafe, infinitely far (tpl 3)"
    assert [line for line in lines if line.startswith("  EqualRows: ")]
    assert not [line for line in lines if "Unheard" in line]
    assert lines[-1] == "  again: tploracle conform -k loss-one -- ./mine"


def test_the_worst_comes_first_and_then_the_smallest():
    wrong = result(Verdict.WRONG, "loss-wrong", ulps=9)
    large, small = (result(Verdict.UNSAFE, f"loss-{size}", ulps=-1, size=size) for size in (5, 2))
    text = worst_message([wrong, large, small], 7, NAMELESS)
    assert text.startswith("unsafe, 1 ulp below\n  case: loss-2\n")
    assert text.endswith("\n  3 of 7 answers fail; besides the above: loss-5 (unsafe), loss-wrong (wrong)")
    assert worst_message([wrong], 1, NAMELESS).endswith("\n  1 of 1 answer fail")
    many = worst_message([result(Verdict.WRONG, f"loss-{n}") for n in range(13)], 13, NAMELESS)
    assert many.endswith(" and 2 more")
    texts = every_message([wrong, small], NAMELESS)
    assert texts.index("loss-2") < texts.index("loss-wrong")
    assert texts.count("request: ") == 2
