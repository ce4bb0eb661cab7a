"""A run in the terminal, as JSON and as JUnit's XML."""

import json
import re
import sys
import xml.etree.ElementTree as ET
from importlib.resources import files

import jsonschema
import pytest

from tploracle.conformance.model import Case, Failure, Verdict
from tploracle.conformance.report.document import SCREEN_LINES, print_run
from tploracle.conformance.report.formats import FARTHEST, run_json, run_junit
from tploracle.conformance.report.summary import summary_of
from tploracle.output.sheets import counted

from .made_runs import HOSTILE, PLAIN, case, exact, finding, hostile, mixed, result, run, unsafe

SCHEMA = json.loads(files("tploracle.conformance").joinpath("report.schema.json").read_text())
UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff\ufffe\uffff]")


def printed(capsys, made):
    print_run(made)
    return capsys.readouterr().out


def report(made):
    document = json.loads(run_json(made))
    jsonschema.validate(document, SCHEMA, cls=jsonschema.Draft202012Validator)
    return document


PLAIN_REQUEST = json.dumps({"op": "loss", "input": {"matrix": PLAIN, "alpha": "1"}})
CLOSING_LINE = (
    "12.3 s, 2 restarts. Processor time: 8.1 s of the implementation, 3.1 s of the oracle; "
    "other programs used 41 % of the machine."
)

# The terminal


def test_the_terminal_says_who_what_and_how_it_ended(capsys):
    text = printed(capsys, mixed())
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    assert lines[0] == (
        "mine 1.2 (-- ./mine --fast); loss, supremum in rational, float64; "
        "tier standard, seed 7, at most 4,096 ulps on the safe side"
    )
    assert lines[-3:] == [
        (
            "Does not conform: 1 of 11 answers is unsafe, 1 wrong, 1 error mismatch, 1 crash, 1 timeout, 1 unanswered; "
            "the search found 1 kind of failure, which is unsafe; 1 expected failure passed: loss-fixed."
        ),
        "- The first of these again: tploracle conform -k loss-error -- ./mine --fast",
        f"- {CLOSING_LINE}",
    ]
    assert "- note: a note" in lines
    assert "- Search: 1,020 inputs (loss 1,000, supremum 20), 1 kind of failure." in lines
    assert "- Expected failure that passed: loss-fixed: exact, ticket 13" in lines
    assert "- The oracle is undecided: loss-open: undecided, 4,000 digits agree" in lines


def test_the_first_screen_is_by_cause(capsys):
    text = printed(capsys, mixed())
    lines = [line.strip() for line in text.splitlines()]
    start = lines.index("What is wrong")
    entries = [line.partition(". ")[2] for line in lines[start + 1 :] if re.match(r"[0-9]+\. ", line)]
    last = lines.index(f"{len(entries)}. {entries[-1]}")
    assert entries.pop().startswith("rounding: Answers are rounded to nearest, so that")
    assert lines[last + 1].startswith("2 answers to loss, the worst 5 ulps below; smallest input")
    assert lines[last + 1].endswith(f": {PLAIN_REQUEST}; came for right")
    assert lines[last + 2].startswith("Instead: Round outward")
    assert entries == [
        "loss: error mismatch, a different error than expected",
        "loss: crashed",
        "loss: timed out",
        "loss: unanswered, skipped where a value is expected",
        "loss: wrong, too far on the safe side: large level (1 of 1 such inputs fail); since α = 50",
    ]
    assert "1 answer to loss, the worst 9,000 ulps above; smallest input loss-wrong: " in text
    assert "; 2 for 1\n" in text


def test_a_long_input_is_shown_by_its_sizes(capsys):
    epsilons = {"given": {"epsilons": ["1/3"] * 99}}
    for given, shown in ((epsilons, "releases = 99;"), ({"given": {**epsilons["given"], "forward": PLAIN}}, "n = 2;")):
        made = run(result(case("long", "leakage", **given), Verdict.UNSAFE, -5, failure=Failure.BELOW))
        assert f"smallest input long: {shown}" in printed(capsys, made)


def many(causes):
    """Return failures of many classes, so many of them."""
    kinds = [one for one in Failure if one not in (Failure.ROUNDING, Failure.REPEATED_PIECES)]
    ops = ("loss", "leakage", "supremum", "control")
    made = [(op, kind) for op in ops for kind in kinds][:causes]
    return [result(case(f"{op}-{kind.name}", op, given={"x": op}), Verdict.WRONG, failure=kind) for op, kind in made]


@pytest.mark.parametrize("causes", [1, 5, 9, 13, 14, 15, 16, 40])
def test_the_first_screen_fits_forty_lines(capsys, causes):
    notes = [f"note {n}" for n in range(9)]
    known = [result(case(f"x-{n}"), Verdict.WRONG, 1, "known") for n in range(9)]
    for more in ({}, {"notes": notes, "findings": [finding() for _ in range(9)], "searched": {"loss": 9}}):
        made = run(*many(causes), *(known if more else []), **more)
        text = printed(capsys, made)
        lines = text.splitlines()
        assert len(lines) <= SCREEN_LINES
        entries = summary_of(made).entries
        shown = sum(bool(re.match(r" +[0-9]+\. ", line)) for line in lines)
        assert shown == len(entries) or f"{counted(len(entries) - shown, 'more entry', 'more entries')} in" in text
        assert shown >= min(len(entries), 8)
        for entry in entries:  # named, in full or in the list of the rest
            assert (entry.cause.id if entry.cause else entry.failure_class.failure.value) in text


def test_a_run_that_conforms_says_what_it_rests_on(capsys):
    text = printed(capsys, run(exact("a"), result(case("b"), Verdict.WITHIN, 9, truth="1", given="2")))
    assert "What is wrong" not in text
    assert "Search" not in text
    assert (
        "  - loss: 2 answers about 1 truth, 2 states (at least 2 in each doubling), "
        "levels 1 (at least 2 in each doubling), "
        "least entries 0.25 (at least 2 in each doubling); not asked: more than 2 states; "
        "structures never asked: closed classes: 2, closed classes: 3 or more, "
    ) in text
    assert "passes with probability 1 %: loss 99 %.\n" in text
    assert "Conforms: 2 answers judged, 1 exact, 1 within 9 ulps." in text


def test_lists_are_cut_and_say_so(capsys):
    made = run(
        *(result(case(f"x-{n}"), Verdict.WRONG, 1, "known") for n in range(20)),
        notes=[f"note {n}" for n in range(14)],
    )
    text = printed(capsys, made)
    assert "Expected failure: 17 more in --json" in text
    assert "note: 11 more in --json" in text
    assert text.count("note: note ") == 3


@pytest.mark.parametrize("is_terminal", [False, True])
def test_the_terminal_is_never_given_what_upsets_it(capsys, monkeypatch, is_terminal):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    text = re.sub(r"\x1b\[[0-9;]*m", "", printed(capsys, hostile()))
    assert not UNPRINTABLE.search(text.replace("\n", ""))
    assert "Does not conform" in text
    assert "\\x1b[31m" in text.replace("\n", "")
    assert "9" * 500 not in text
    assert len(text) < 30_000


# JSON


def test_json_has_everything():
    text = run_json(mixed())
    assert text == run_json(mixed())
    assert text.count("\n") == text.endswith("}\n") == 1
    assert len({tuple(one) for one in json.loads(text)["results"]}) == 1
    document = report(mixed())
    assert document["format"] == 3
    assert document["status"] == 1
    assert document["implementation"]["operations"] == ["loss", "supremum"]
    assert document["run"]["seed"] == 7
    assert document["run"]["milliseconds"] == 12_340
    assert document["run"]["processor"] == {"implementation": 8_140, "oracle": 3_060, "others": 0.415}
    assert document["run"]["searched"] == [{"op": "loss", "inputs": 1000}, {"op": "supremum", "inputs": 20}]
    assert [one["id"] for one in document["results"]] == [one.case.id for one in mixed().results]
    assert document["unsafe"] == ["loss-search-unsafe", "loss-unsafe"]
    assert document["unexpected_passes"] == ["loss-fixed"]
    assert document["expected_failures"] == ["loss-known"]
    assert document["undecided"] == ["loss-open"]
    assert document["worst_within"] == ["loss-within", "supremum-within"]
    assert document["findings"][0]["met"] == 3
    assert {tally["op"]: tally["exact"] for tally in document["verdicts"]} == {"loss": 2, "supremum": 0}
    grouped = sorted(name for group in document["groups"] for name in group["cases"])
    failing = ["crash", "error", "later", "search-unsafe", "slow", "unsafe", "wrong"]
    assert grouped == [f"loss-{name}" for name in failing]
    assert sorted(name for entry in document["causes"] for name in entry["cases"]) == grouped
    assert [entry["name"] for entry in document["causes"]] == [*[None] * 5, "rounding"]
    assert document["causes"][-1]["count"] == 2
    assert document["no_answer_judged"] == []


def test_json_counts_answers_by_operation_doubling_and_structure():
    drawn = [
        result(case(f"d-{n}", matrix=[["1/4"] * 4] * 4, alpha=str(alpha), family="dense"))
        for n, alpha in enumerate((1, 2, 3, 100))
    ]
    refused = result(case("r"), Verdict.EXACT, which=("NotStochastic", "NotStochastic"))
    nothing = result(case("u"), Verdict.UNANSWERED)
    (loss,) = report(run(exact("e"), refused, nothing, *drawn))["density"]
    assert (loss["op"], loss["answers"]) == ("loss", 5)
    assert float(loss["share_that_may_be_wrong"]) == pytest.approx(1 - 0.01**0.2)
    by_hand, dense = ({"structure": name, "answers": 1} for name in ("made for an edge", "dense"))
    assert loss["structures"] == [{**dense, "answers": 4}, by_hand]
    doublings = {(one["dimension"], one["from"]): one["structures"] for one in loss["doublings"]}
    assert doublings == {
        ("states", "2.0"): [by_hand],
        ("states", "4.0"): [{**dense, "answers": 4}],
        ("level", "1.0"): [dense, by_hand],
        ("level", "2.0"): [{**dense, "answers": 2}],
        ("level", "64.0"): [dense],
        ("tininess", "0.25"): [{**dense, "answers": 4}, by_hand],
    }
    assert loss["not_asked"] == ["more than 4 states"]
    (pairs,) = loss["coverage"]
    assert (pairs["dimensions"], pairs["met"], pairs["least"]) == (["states", "level"], 3, 0)  # 100 is above its grid


def test_json_says_of_a_failure_what_a_person_needs():
    one = next(one for one in report(mixed())["results"] if one["id"] == "loss-wrong")
    assert one["verdict"] == "wrong"
    assert one["fails"] is True
    assert (one["ulps"], one["truth"], one["given"], one["detail"]) == (9000, "1", "2", "too far")
    assert one["input"] == {
        "n": 2,
        "largest_level": "50.0",
        "smallest_level": "50.0",
        "releases": None,
        "kinds": ["large level"],
    }
    assert json.loads(one["request"]) == {"op": "loss", "input": {"matrix": PLAIN, "alpha": "50"}}
    assert one["reproduce"] == "tploracle conform -k loss-wrong -- ./mine --fast"
    passed = next(one for one in report(mixed())["results"] if one["id"] == "loss-exact")
    assert (passed["fails"], passed["request"], passed["reproduce"]) == (False, None, None)


def test_json_of_an_empty_run():
    document = report(run(declaration=None, complete=False))
    assert (document["status"], document["implementation"], document["results"]) == (2, None, [])


def test_json_holds_hostile_texts_shortened_and_in_ascii():
    text = run_json(hostile())
    assert text.isascii()
    assert not UNPRINTABLE.search(text.replace("\n", ""))
    document = report(hostile())
    assert document["implementation"]["name"] == HOSTILE
    given = document["results"][0]["given"]
    assert len(given) == 10_000
    assert "1,000,007 characters" in given
    assert document["results"][0]["ulps"] == -FARTHEST
    assert document["findings"][0]["result"]["ulps"] == FARTHEST
    request = json.loads(document["findings"][0]["result"]["request"])
    assert len(request["input"][HOSTILE]) == 1_000_007  # to be reproduced, an input is whole


def test_long_requests_are_left_out_where_the_case_has_a_name():
    large = [["0"] * 100] * 100
    named = unsafe("named", matrix=large, alpha="inf")
    results = report(run(named, unsafe("request", matrix=large, source="request")))["results"]
    assert [one["request"] is None for one in results] == [True, False]
    assert results[0]["input"]["largest_level"] == "inf"


def objects_of(schema):
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from objects_of(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from objects_of(part)


def test_the_schema_admits_nothing_else():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    objects = list(objects_of(SCHEMA))
    assert len(objects) == 17
    for one in objects:
        assert one["additionalProperties"] is False
        assert sorted(one["required"]) == sorted(one["properties"])
    document = json.loads(run_json(mixed()))
    document["results"][0]["more"] = 1
    with pytest.raises(jsonschema.ValidationError, match="more"):
        jsonschema.validate(document, SCHEMA)


# JUnit


def suites(made):
    text = run_junit(made)
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ')
    assert not UNPRINTABLE.search(text)
    return ET.fromstring(text)


def test_junit_has_a_suite_for_each_operation_and_counts_them():
    fine = suites(run(exact("a"), exact("b")))
    assert (fine.get("tests"), fine.get("failures"), fine.get("errors")) == ("2", "0", "0")
    root = suites(mixed())
    counts = {"tests": "14", "failures": "6", "errors": "2", "skipped": "3", "time": "12.340"}
    assert root.attrib == {"name": "tploracle", **counts}
    assert [suite.get("name") for suite in root] == ["tploracle.loss", "tploracle.supremum"]
    loss, supremum = root
    assert {key: loss.get(key) for key in counts} == {**counts, "tests": "13", "time": "3.250"}
    assert (supremum.get("tests"), supremum.get("failures")) == ("1", "0")
    for suite in root:
        assert suite[0].tag == "properties"
        properties = {one.get("name"): one.get("value") for one in suite[0]}
        assert properties == {
            "implementation": "mine 1.2",
            "command": "-- ./mine --fast",
            "tier": "standard",
            "seed": "7",
            "ulps": "4096",
            "rests on": properties["rests on"],
            "time": CLOSING_LINE,
        }


def test_junit_says_what_became_of_each_case():
    tests = {test.get("name"): test for test in suites(mixed()).iter("testcase")}
    assert len(tests) == 14
    assert {test.get("classname") for test in tests.values()} == {"tploracle.loss", "tploracle.supremum"}
    outcome = {name: [(part.tag, part.get("type")) for part in test] for name, test in tests.items()}
    assert outcome == {
        "loss-exact": [],
        "loss-within": [],
        "supremum-within": [],
        "loss-unsafe": [("failure", "unsafe")],
        "loss-search-unsafe": [("failure", "unsafe")],
        "loss-wrong": [("failure", "wrong")],
        "loss-error": [("failure", "error mismatch")],
        "loss-crash": [("error", "crashed")],
        "loss-slow": [("error", "timed out")],
        "loss-later": [("failure", "unanswered")],
        "loss-open": [("skipped", None)],
        "loss-left-out": [("skipped", None)],
        "loss-known": [("skipped", None)],
        "loss-fixed": [("failure", "unexpected pass")],
    }
    assert tests["loss-unsafe"][0].get("message") == "unsafe, 1 ulp below"
    assert tests["loss-known"][0].get("message") == "expected failure: ticket 12 (wrong)"
    story = tests["loss-wrong"][0].text
    assert "off by: 9,000 ulps above\ntruth: 1\ngiven: 2\nwhy: too far\n" in story
    assert story.endswith("reproduce: tploracle conform -k loss-wrong -- ./mine --fast")


def test_junit_ranks_the_failures_of_a_suite_in_its_output():
    loss, supremum = suites(mixed())
    (output,) = loss.findall("system-out")
    assert [line.partition(":")[0] for line in output.text.splitlines()] == [
        "a different error than expected",
        "crashed",
        "timed out",
        "skipped where a value is expected",
        "too far on the safe side",
        "rounds to nearest",
    ]
    assert "Cause: Answers are rounded to nearest" in output.text
    assert "rounds to nearest: 2 of " in supremum.find("system-out").text


@pytest.mark.parametrize("made", [run(declaration=None), run(exact("a"), complete=False)])
def test_junit_is_no_success_for_a_run_without_an_end(made):
    made.notes.append("it printed rubbish")
    root = suites(made)
    (error,) = root.iter("error")
    assert root.get("errors") == "1"
    assert error.get("type") == "unfinished"
    assert error.text == "it printed rubbish"


def test_junit_escapes_and_shortens():
    text = run_junit(hostile())
    root = suites(hostile())
    assert len(text) < 100_000
    assert "<script>" not in text
    names = [test.get("name") for test in root.iter("testcase")]
    assert sorted(names)[1:] == ["loss-1", "loss-2", "loss-3", "loss-4", "loss-5"]
    assert min(names).startswith("<script>alert(1)</script>&\"'\\x1b[31m\\x00")


def test_requests_for_operations_that_there_are_not_are_reported_together():
    made = run(exact("a", op="privacy"), result(Case("b", "", "rational", {}), Verdict.CRASHED))
    assert [suite.get("name") for suite in suites(made)] == ["tploracle.wire"]
    assert report(made)["verdicts"][0]["crashed"] == 1
