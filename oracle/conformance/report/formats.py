"""A run in the formats that programs read: JSON with everything in it, as report.schema.json says, and JUnit's XML."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...output.sheets import clean, shortened
from ...wire.protocol import Declaration, Domain
from ...wire.strict_json import Object, encode
from ..explain.features import features_of
from ..explain.groups import EVERY_OPERATION, Explained, Group, flag_notes
from ..model import HAD_BY_ID, Case, ProcessorUse, Result, Run, Verdict
from .density import Density, Doubling
from .document import closing_line
from .summary import NOTHING_JUDGED, Summary, in_order, left_out, summary_of
from .texts import deviation, facts, line_for, request_text, shown_line_for

REPORT_FORMAT = 3
"""The version of the JSON document."""

FARTHEST = 2**53
"""Distances in ulps are written up to this many; farther ones as this many, so that every reader can hold them."""

JUNIT_SUITE = "tploracle"

_LONGEST_TEXT = 10_000
_LONGEST_REQUEST = 20_000
_LONGEST_MESSAGE, _LONGEST_STORY = 400, 4_000
_UNEXPECTED = "unexpected pass"


def run_json(run: Run, summary: Summary | None = None) -> str:
    """Return a run as one line of JSON, keys always in the same order.

    Every case has its verdict and its reasons; those that fail or were not judged have the line that reproduces them as
    well, and the request, unless it is long and the case can be had by its id. Texts of more than 10,000 characters are
    shortened in the middle. Args: summary, of the run, where it is at hand.
    """
    summary = summary or summary_of(run)
    document: Object = {
        "format": REPORT_FORMAT,
        "headline": summary.headline,
        "status": summary.status,
        "run": _run(run, summary),
        "implementation": None if run.declaration is None else _implementation(run.declaration),
        "verdicts": [
            {
                "op": _text(tally.op),
                **{verdict.name.lower(): number for verdict, number in tally.verdicts.items()},
                "expected_failures": tally.expected,
            }
            for tally in summary.tallies
        ],
        "density": [_density(density) for density in summary.densities],
        "no_answer_judged": list(summary.silent),
        "causes": [_entry(entry) for entry in summary.entries],
        "unsafe": _ids(summary.unsafe),
        "groups": [_group(group) for group in summary.groups],
        "unexpected_passes": _ids(summary.unexpected),
        "expected_failures": _ids(summary.expected),
        "undecided": _ids(summary.undecided),
        "worst_within": _ids(summary.worst.values()),
        "findings": [{"met": finding.met, "result": _result(run, finding.result)} for finding in run.findings],
        "results": [_result(run, result) for result in run.results],
        "flags": _flags(run),
    }
    return encode(document) + "\n"


def _text(text: str) -> str:
    return shortened(text, _LONGEST_TEXT)


def _ids(results: Iterable[Result]) -> list[str]:
    return [_text(result.case.id) for result in results]


def _milliseconds(seconds: float) -> int:
    return round(1000 * seconds)


def _run(run: Run, summary: Summary) -> Object:
    return {
        "command": _text(run.command),
        "tier": run.tier,
        "seed": run.seed,
        "ulps": run.ulps,
        "judged": summary.judged,
        "searched": [{"op": _text(op), "inputs": run.searched[op]} for op in in_order(run.searched)],
        "complete": run.complete,
        "outside_domain": run.outside,
        "compared": run.compared,
        "invalid_not_asked": run.invalid,
        "restarts": run.restarts,
        "milliseconds": _milliseconds(run.seconds),
        "processor": _processor(run.processor),
        "notes": [_text(note) for note in run.notes],
    }


def _processor(use: ProcessorUse | None) -> Object | None:
    if use is None:
        return None
    return {
        "implementation": None if use.implementation is None else _milliseconds(use.implementation),
        "oracle": _milliseconds(use.oracle),
        "others": round(use.others, 3),
    }


def _implementation(declared: Declaration) -> Object:
    return {
        "name": _text(declared.name),
        "version": _text(declared.version),
        "operations": [_text(op) for op in declared.operations],
        "numbers": [_text(kind) for kind in declared.numbers],
        "domain": _domain(declared.domain),
    }


def _domain(domain: Domain) -> Object:
    level = None if domain.level is None else domain.level.full_text()
    return {"states": domain.states, "releases": domain.releases, "level": level}


def _density(density: Density) -> Object:
    return {
        "op": density.op,
        "answers": density.answers,
        "share_that_may_be_wrong": _level(density.share),
        "structures": _counts(density.structures),
        "doublings": [_doubling(doubling) for doubling in density.doublings],
        "coverage": [
            {"dimensions": list(one.dimensions), "possible": one.possible, "met": one.met, "least": one.least}
            for one in density.coverage
        ],
        "not_asked": list(density.not_asked()),
    }


def _doubling(doubling: Doubling) -> Object:
    return {
        "dimension": doubling.dimension,
        "from": _level(2.0**doubling.exponent),
        "answers": doubling.answers,
        "structures": _counts(doubling.structures),
    }


def _counts(structures: Mapping[str, int]) -> list[Object]:
    return [{"structure": _text(name), "answers": number} for name, number in structures.items()]


def _entry(entry: Explained) -> Object:
    cause = entry.cause
    return {
        "name": None if cause is None else cause.id,
        "wrong": None if cause is None else cause.wrong,
        "instead": None if cause is None else cause.instead,
        "ops": [_text(op) for op in entry.ops],
        "failure": entry.failure_class.failure.value,
        "count": len(entry.members),
        "worst": _text(entry.worst.case.id),
        "worst_ulps": _ulps(entry.worst.judgement.ulps),
        "example": _text(entry.example.case.id),
        "cases": _ids(entry.members),
    }


def _group(group: Group) -> Object:
    return {
        "op": _text(group.op),
        "verdict": group.verdict.value,
        "failure": group.failure_class.failure.value,
        "which": list(group.failure_class.which),
        "kind": _text(group.kind),
        "meaning": _text(group.meaning),
        "effect": _text(group.effect),
        "cause": None if group.cause is None else group.cause.id,
        "count": len(group.members),
        "asked": group.asked,
        "worst": _text(group.worst.case.id),
        "worst_ulps": _ulps(group.worst.judgement.ulps),
        "when": group.since,
        "smallest_n": group.smallest_n,
        "example": _text(group.example.case.id),
        "cases": _ids(group.members),
    }


def _ulps(ulps: int | None) -> int | None:
    return None if ulps is None else max(-FARTHEST, min(FARTHEST, ulps))


def _result(run: Run, result: Result) -> Object:
    case, judgement = result.case, result.judgement
    telling = judgement.verdict.fails or result.fails or not result.is_judged
    return {
        "id": _text(case.id),
        "op": _text(case.op),
        "verdict": judgement.verdict.value,
        "failure": None if judgement.failure is None else judgement.failure.value,
        "fails": result.fails,
        "ulps": _ulps(judgement.ulps),
        "place": _text(judgement.place),
        "truth": _text(str(judgement.truth)),
        "given": _text(str(judgement.given)),
        "detail": _text(judgement.detail),
        "expected_failure": None if result.expected_failure is None else _text(result.expected_failure),
        "milliseconds": _milliseconds(result.seconds),
        "source": case.source,
        "tier": case.tier,
        "numbers": case.numbers,
        "title": _text(case.title),
        "cites": [_text(cite) for cite in case.cites],
        "errata": [_text(erratum) for erratum in case.errata],
        "flags": [_text(flag) for flag in case.flags],
        "input": _features(case),
        "request": _request(case) if telling else None,
        "reproduce": line_for(run, case) if telling else None,
    }


def _request(case: Case) -> str | None:
    text = request_text(case)
    return text if len(text) <= _LONGEST_REQUEST or case.source not in HAD_BY_ID else None


def _features(case: Case) -> Object:
    features = features_of(case)
    return {
        "n": features.n,
        "largest_level": _level(features.largest_level),
        "smallest_level": _level(features.smallest_level),
        "releases": features.releases,
        "kinds": list(features.kinds),
    }


def _level(level: float | None) -> str | None:
    return None if level is None else repr(level)


def _flags(run: Run) -> list[Object]:
    results = [*run.results, *(finding.result for finding in run.findings)]
    notes = flag_notes()
    used = sorted({flag for result in results for flag in result.case.flags if flag in notes})
    return [{"name": flag, "bug": notes[flag].bug, "effect": notes[flag].effect} for flag in used]


def run_junit(run: Run, summary: Summary | None = None) -> str:
    """Return a run as JUnit's XML: a test suite for each operation, a test case for each case and finding.

    The output of a suite is its groups of failures, the most harmful first.

    Wrong answers are failures, crashes and timeouts errors; what was skipped, undecided or an expected failure is
    skipped, with the reason. A run that judged nothing or did not finish has an error of its own, so that no
    reader takes it for a success. Characters that XML does not admit are written as escapes.
    Args: summary, of the run, where it is at hand.
    """
    summary = summary or summary_of(run)
    results = [*run.results, *(finding.result for finding in run.findings)]
    root = ET.Element("testsuites", name=JUNIT_SUITE)
    suites = [
        _suite(run, summary, op, [result for result in results if result.case.part == op])
        for op in in_order({result.case.part for result in results})
    ]
    if summary.status == NOTHING_JUDGED or not run.complete:
        suites.append(_unfinished(run, summary))
    root.extend(suites)
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    root.set("time", _seconds(run.seconds))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"


def _suite(run: Run, summary: Summary, op: str, results: Sequence[Result]) -> ET.Element:
    name = f"{JUNIT_SUITE}.{op}"
    suite = ET.Element("testsuite", name=name)
    _add_properties(suite, run, summary)
    for result in results:
        suite.append(_test_case(run, name, result))
    if lines := [_group_line(group) for group in summary.groups if group.op in (op, EVERY_OPERATION)]:
        ET.SubElement(suite, "system-out").text = "\n".join(lines)
    return _counted(suite, sum(result.seconds for result in results))


def _group_line(group: Group) -> str:
    cause = f". Cause: {group.cause.wrong} Instead: {group.cause.instead}" if group.cause else ""
    found = f"{group.failure_class}: {len(group.members):,} of {group.asked:,}, {group.kind}"
    return clean(f"{found}, as {group.example.case.id}{cause}", _LONGEST_STORY)


def _add_properties(suite: ET.Element, run: Run, summary: Summary) -> None:
    properties = ET.SubElement(suite, "properties")
    declared = run.declaration
    for key, text in (
        ("implementation", f"{declared.name} {declared.version}" if declared else "did not start"),
        ("command", run.command),
        ("tier", run.tier),
        ("seed", str(run.seed)),
        ("ulps", str(run.ulps)),
        *(("rests on", str(density)) for density in summary.densities),
        *left_out(run),
        ("time", closing_line(run)),
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
    for name, text in (
        ("what", result.case.title),
        *facts(result),
        ("flags", ", ".join(result.case.flags)),
        ("request", request_text(result.case)),
    ):
        if text:
            yield f"{name}: {clean(text, _LONGEST_STORY)}"
    yield f"reproduce: {shown_line_for(run, result.case, _LONGEST_STORY)}"


def _unfinished(run: Run, summary: Summary) -> ET.Element:
    suite = ET.Element("testsuite", name=JUNIT_SUITE)
    _add_properties(suite, run, summary)
    element = ET.SubElement(suite, "testcase", name="the run came to its end", classname=JUNIT_SUITE, time="0.000")
    error = ET.SubElement(element, "error", type="unfinished", message=clean(summary.headline, _LONGEST_MESSAGE))
    error.text = "\n".join(clean(note, _LONGEST_STORY) for note in run.notes)
    return _counted(suite, 0.0)
