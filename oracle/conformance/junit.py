"""A run as JUnit's XML, for the readers of continuous integration."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence

from .model import Result, Run, Verdict
from .reproduce import request_text, shown_line_for
from .summary import NOTHING_JUDGED, in_order, summary_of
from .texts import clean, deviation

SUITE = "tploracle"

_LONGEST_MESSAGE = 400
_LONGEST_TEXT = 4_000
_UNEXPECTED = "unexpected pass"


def run_junit(run: Run) -> str:
    """Return a run as JUnit's XML: a test suite for each operation, a test case for each case and finding.

    Wrong answers are failures, crashes and timeouts errors; what was skipped, undecided or an expected failure is
    skipped, with the reason. A run that judged nothing or did not come to its end has an error of its own, so that no
    reader takes it for a success. Characters that XML does not admit are written as escapes.
    """
    summary = summary_of(run)
    results = [*run.results, *(finding.result for finding in run.findings)]
    root = ET.Element("testsuites", name=SUITE)
    suites = [
        _suite(run, op, [result for result in results if result.case.part == op])
        for op in in_order({result.case.part for result in results})
    ]
    if summary.status == NOTHING_JUDGED or not run.complete:
        suites.append(_unfinished(run, summary.headline))
    root.extend(suites)
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    root.set("time", _seconds(run.seconds))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"


def _suite(run: Run, op: str, results: Sequence[Result]) -> ET.Element:
    name = f"{SUITE}.{op}"
    suite = ET.Element("testsuite", name=name)
    _add_properties(suite, run)
    for result in results:
        suite.append(_test_case(run, name, result))
    return _counted(suite, sum(result.seconds for result in results))


def _add_properties(suite: ET.Element, run: Run) -> None:
    properties = ET.SubElement(suite, "properties")
    declared = run.declaration
    for key, text in (
        ("implementation", f"{declared.name} {declared.version}" if declared else "did not start"),
        ("command", run.command),
        ("tier", run.tier),
        ("seed", str(run.seed)),
        ("ulps", str(run.ulps)),
    ):
        ET.SubElement(properties, "property", name=key, value=clean(text, _LONGEST_MESSAGE))


def _counted(suite: ET.Element, seconds: float) -> ET.Element:
    suite.set("tests", str(len(suite.findall("testcase"))))
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("time", _seconds(seconds))
    return suite


def _test_case(run: Run, suite: str, result: Result) -> ET.Element:
    case, judgement = result.case, result.judgement
    element = ET.Element(
        "testcase", name=clean(case.id, _LONGEST_MESSAGE), classname=suite, time=_seconds(result.seconds)
    )
    verdict = judgement.verdict
    if not result.is_judged:
        reason = f"{verdict.value}: {judgement.detail}"
        ET.SubElement(element, "skipped", message=clean(reason, _LONGEST_MESSAGE))
    elif result.expected_failure is not None and verdict.fails:
        reason = f"expected failure: {result.expected_failure} ({verdict.value})"
        ET.SubElement(element, "skipped", message=clean(reason, _LONGEST_MESSAGE))
    elif result.expected_failure is not None:
        message = clean(f"passed, but was expected to fail: {result.expected_failure}", _LONGEST_MESSAGE)
        ET.SubElement(element, "failure", type=_UNEXPECTED, message=message)
    elif verdict.fails:
        tag = "error" if verdict in (Verdict.CRASHED, Verdict.TIMED_OUT) else "failure"
        message = clean(_message(result), _LONGEST_MESSAGE)
        ET.SubElement(element, tag, type=verdict.value, message=message).text = "\n".join(_story(run, result))
    return element


def _message(result: Result) -> str:
    judgement = result.judgement
    parts = [judgement.verdict.value]
    parts += [part for part in (deviation(judgement), judgement.place and f"in {judgement.place}") if part]
    return f"{', '.join(parts)}: {judgement.detail}" if judgement.detail else ", ".join(parts)


def _story(run: Run, result: Result) -> Iterator[str]:
    """Yield what is known of a failure, a line each."""
    judgement = result.judgement
    for name, text in (
        ("what", result.case.title),
        ("where", judgement.place),
        ("off by", deviation(judgement)),
        ("truth", judgement.truth),
        ("given", judgement.given),
        ("why", judgement.detail),
        ("flags", ", ".join(result.case.flags)),
        ("request", request_text(result.case)),
    ):
        if text:
            yield f"{name}: {clean(text, _LONGEST_TEXT)}"
    yield f"reproduce: {shown_line_for(run, result.case, _LONGEST_TEXT)}"


def _unfinished(run: Run, headline: str) -> ET.Element:
    suite = ET.Element("testsuite", name=SUITE)
    _add_properties(suite, run)
    element = ET.SubElement(suite, "testcase", name="the run came to its end", classname=SUITE, time="0.000")
    error = ET.SubElement(element, "error", type="unfinished", message=clean(headline, _LONGEST_MESSAGE))
    error.text = "\n".join(clean(note, _LONGEST_TEXT) for note in run.notes)
    return _counted(suite, 0.0)
