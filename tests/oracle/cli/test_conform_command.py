"""`tploracle conform` as it is used: programs, Python objects, reports in files, exit statuses."""

import json
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.report.summary import summary_of

from ...commands import run
from ...processes import PATIENT

SERVE = ["--", sys.executable, "-m", "tploracle", "serve"]

PROGRAM = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    declaration = {"name": "quick", "version": "1", "operations": ["control"], "numbers": ["rational"]}
    answer = {"seq": request.get("seq"), "value": "0"}
    print(json.dumps(declaration if request["op"] == "start" else answer), flush=True)
"""
QUICK = ["--", sys.executable, "-I", "-c", PROGRAM]
"""A program that starts in no time and answers wrongly."""

CONTROL = ("--tier", "smoke", "-k", "control")

OBJECT = '''
import math
import time

class {name}:
    """An implementation of smooth, and of control as it is told."""

    def smooth(self, s, n=None, matrix=None):
        rows = matrix.tolist() if matrix is not None else [[float(i == j) for j in range(n)] for i in range(n)]
        return [[(entry + s) / (1 + len(rows) * s) for entry in row] for row in rows]

    def control(self, matrix, previous, cap):
        {control}
'''


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr("tploracle.conformance.ask.implementation.LEAST_START_TIMEOUT", PATIENT)
    monkeypatch.setattr("tploracle.conformance.ask.budget.EACH", {"smoke": 8, "standard": 9, "full": 10})
    monkeypatch.setattr("tploracle.conformance.ask.budget.IN_ALL", {"smoke": 16, "standard": 18, "full": 20})


def conform(*arguments, status=0, stdin=None):
    """Return what a run prints that ends with this status."""
    return run("conform", *arguments, status=status, stdin=stdin).output


@pytest.fixture
def implementation(tmp_path):
    def write(control, name="Mine"):
        file = tmp_path / "mine.py"
        file.write_text(OBJECT.format(name=name, control=control), encoding="utf-8")
        return f"{file}:{name}"

    return write


@pytest.mark.parametrize(
    "chosen",
    [
        ("-k", "control-", "-k", "loss-function", "-k", "estimate", "-k", "refuses"),
        pytest.param((), marks=pytest.mark.exhaustive),
    ],
)
def test_the_oracle_itself_conforms(chosen):
    output = conform("--tier", "smoke", *chosen, *SERVE)
    assert "Conforms: " in output
    assert "passes with probability 1 %: " in output


def test_reports_go_into_files_and_say_the_same(tmp_path, implementation):
    junit, html = tmp_path / "new" / "report.xml", tmp_path / "new" / "report.html"
    files = ("--junit", junit, "--html", html)
    output = conform(*CONTROL, "--json", *files, "--python", implementation("return 1.0"), status=1)
    report = json.loads(output)
    failing = {result["id"] for result in report["results"] if result["verdict"] == "unsafe"}
    assert failing
    suites = ET.parse(junit).getroot()
    failed = {case.get("name") for case in suites.iter("testcase") if case.find("failure") is not None}
    assert failing <= failed
    page = html.read_text(encoding="utf-8")
    assert all(name in page for name in failing)
    assert "<svg" in page


def test_one_request_is_put_again_as_a_report_says(implementation):
    request = json.dumps({"op": "smooth", "input": {"n": 2, "s": "0x1p+0"}, "numbers": "float64"})
    mine = implementation("return 1.0")
    assert "1 answer judged" in conform("--request", request, "--python", mine)
    failing = json.dumps({"op": "control", "input": {"matrix": [["0x1p+0"]], "previous": "0x0p+0", "cap": "0x1p-1"}})
    failing = failing.replace("}}", '}, "numbers": "float64"}')
    assert "1 of 1 answer is unsafe" in conform("-x", "--request", failing, "--python", mine, status=1)
    wrong = json.dumps({"op": "control", "input": {"matrix": [["1"]], "previous": "0", "cap": "2"}})
    assert json.loads(conform("--json", "--request", wrong, *SERVE))["results"][0]["verdict"] == "exact"


def test_a_long_request_comes_from_a_file_or_from_standard_input(tmp_path, implementation):
    rows = [["0x0p+0"] * k + ["0x1p+0"] + ["0x0p+0"] * (149 - k) for k in range(150)]
    given = {"matrix": rows, "previous": "0x0p+0", "cap": "0x1p+0"}
    text = json.dumps({"op": "control", "input": given, "numbers": "float64"})
    assert len(text) > 131_072
    (tmp_path / "request.json").write_text(text, encoding="utf-8")
    mine = ("--python", implementation("return 1.0"))
    assert "1 answer judged, all exact" in conform("--request", tmp_path / "request.json", *mine)
    assert "1 of 1 answer is unsafe" in conform(
        "--request", "-", "--python", implementation("return 1.0 + 1.0"), status=1, stdin=text
    )


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("{", "not JSON"),
        ("no-such-file.json", "no-such-file.json"),
        ('{"op": "loss"}', "lacks the key 'input'"),
        ('{"op": "loss", "input": {}, "numbers": "float32"}', "numbers is one of rational, float64, decimal64"),
        ('{"op": "loss", "input": {}, "want": {"digits": 0}}', "digits is at least 1"),
        ('{"op": "loss", "input": {}, "expected": {}}', "unknown key 'expected'"),
    ],
)
def test_a_bad_request_is_bad_usage(request_text, said):
    assert said in conform("--request", request_text, *QUICK, status=2)


def test_known_failures_are_read_from_a_file(tmp_path, implementation):
    xfails = tmp_path / "xfails"
    passing = next(case.id for case in load_vectors("smoke") if case.op == "smooth" and "value" in case.expected)
    xfails.write_text("control-* always 1\n*-refuses-* takes everything\n", encoding="utf-8")
    arguments = ("--tier", "smoke", "--no-search", "-k", "control", "-k", passing, "--xfails", xfails)
    mine = ("--python", implementation("return 1.0"))
    assert "Expected failure: " in conform(*arguments, *mine)
    xfails.write_text(f"control-* always 1\n{passing} known\n*-refuses-* takes everything\n", encoding="utf-8")
    output = conform(*arguments, *mine, status=1)
    assert "Expected failure that passed" in output
    assert passing in output
    xfails.write_text("control-* no reason\n\nx\n", encoding="utf-8")
    assert "line 3: 'x' has no reason" in conform(*arguments, *mine, status=2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give either a COMMAND after --, or --python"),
        (("--python", "a:b", "--", "x"), "give either a COMMAND after --, or --python"),
        (("--", "/no/such/program"), "/no/such/program"),
        (("--tier", "smoke", "--python", "no_such_module:Mine"), "no_such_module"),
        (("--tier", "smoke", "-k", "no-such-case", *QUICK), "Nothing was judged"),
        (("--time-limit", "0", *QUICK), "--time-limit"),
    ],
)
def test_bad_usage_has_status_two(arguments, said):
    assert said in conform(*arguments, status=2)


def test_a_report_that_cannot_be_written_is_said(tmp_path):
    Path(tmp_path / "file").write_text("", encoding="utf-8")
    assert "cannot be written" in conform(*CONTROL, "--junit", tmp_path / "file" / "x", *QUICK, status=2)


def test_a_page_that_cannot_be_drawn_costs_nothing_else(tmp_path, monkeypatch):
    def failing(*_asked):
        raise RuntimeError("no fonts")

    monkeypatch.setattr("tploracle.conformance.report.document.run_page", failing)
    junit, html = tmp_path / "report.xml", tmp_path / "report.html"
    output = conform(*CONTROL, "--junit", junit, "--html", html, *QUICK, status=2)
    assert "Does not conform: " in output
    assert output.endswith("InvalidRequest: a report cannot be made: RuntimeError: no fonts\n")
    assert junit.exists()
    assert not html.exists()


def test_all_reports_of_a_run_are_of_one_summary(tmp_path, monkeypatch):
    made = []

    def noted(run):
        made.append(run)
        return summary_of(run)

    for module in ("summary", "formats", "document"):
        monkeypatch.setattr(f"tploracle.conformance.report.{module}.summary_of", noted)
    files = ("--junit", tmp_path / "report.xml", "--html", tmp_path / "report.html")
    conform("--tier", "smoke", "-k", "control-seeded", *files, *SERVE)
    assert len(made) == 1


@pytest.mark.parametrize(
    ("chosen", "sources"),
    [
        (("--tier", "smoke", "-k", "control-symmetric", "-k", "control-seeded"), ("vector", "seeded")),
        pytest.param(CONTROL, ("sizes",), marks=pytest.mark.slow),
        pytest.param(("--tier", "standard", "-k", "control-search"), ("search",), marks=pytest.mark.slow),
    ],
)
def test_the_line_of_a_failure_asks_it_again_and_nothing_else(implementation, chosen, sources):
    mine = implementation("return 1.0")
    report = json.loads(conform(*chosen, "--time-limit", "333", "--seed", "2", "--json", "--python", mine, status=1))
    failing = [*report["results"], *(finding["result"] for finding in report["findings"])]
    for source in sources:
        result = next(result for result in failing if result["fails"] and result["source"] == source)
        program, command, *words = shlex.split(result["reproduce"])
        assert (program, command) == ("tploracle", "conform")
        assert words[words.index("--time-limit") + 1] == "333"
        [again] = json.loads(conform("--json", *words, status=1))["results"]
        same = ("verdict", "ulps", "truth", "given", "input")
        assert [again[key] for key in same] == [result[key] for key in same]
