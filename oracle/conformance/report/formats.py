"""A run in formats for programs: JSON with everything in it (report.schema.json), and JUnit's XML."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...output.records import plain, record
from ...output.sheets import clean, shortened
from ...wire.protocol import Domain
from ...wire.strict_json import Object, encode, mapped
from ..explain.features import Features, features_of
from ..explain.groups import EVERY_OPERATION, Explained, Group, flag_notes
from ..model import HAD_BY_ID, Case, ProcessorUse, Result, Run, Verdict
from .density import Density, Doubling
from .document import closing_line
from .summary import NOTHING_JUDGED, Summary, Tally, in_order, left_out, summary_of
from .texts import deviation, facts, line_for, request_text, shown_line_for

REPORT_FORMAT = 3
"""The version of the JSON document."""

FARTHEST = 2**53
"""Greatest distance in ulps that is written; farther ones are written as this one, which every reader can hold."""

JUNIT_SUITE = "tploracle"

_LONGEST_TEXT = 10_000
_LONGEST_REQUEST = 20_000
_LONGEST_MESSAGE, _LONGEST_STORY = 400, 4_000


class _Whole(str):
    """A text that is never shortened."""


def run_json(run: Run, summary: Summary | None = None) -> str:
    """Return a run as one line of JSON, keys always in the same order.

    Every case has its verdict and its reasons; a case that fails or was not judged also has the command that reproduces
    it, and the request, unless that is long and the case can be asked by its id. Texts of more than 10,000 characters
    are shortened in the middle. Args: summary, of the run, if known.
    """
    found = summary or summary_of(run)
    document = {
        "format": REPORT_FORMAT,
        **record(found, "headline status"),
        "run": _run(run, found),
        "implementation": run.declaration and record(run.declaration, "name version operations numbers domain"),
        "verdicts": found.tallies,
        "density": found.densities,
        "no_answer_judged": found.silent,
        "causes": found.entries,
        "unsafe": _ids(found.unsafe),
        "groups": found.groups,
        "unexpected_passes": _ids(found.unexpected),
        "expected_failures": _ids(found.expected),
        "undecided": _ids(found.undecided),
        "worst_within": _ids(found.worst.values()),
        "findings": [{"met": finding.met, "result": _result(run, finding.result)} for finding in run.findings],
        "results": [_result(run, result) for result in run.results],
        "flags": _flags(run),
    }
    return encode(mapped(plain(document), _shortened)) + "\n"


def _shortened(value: object) -> object:
    return shortened(value, _LONGEST_TEXT) if isinstance(value, str) and not isinstance(value, _Whole) else value


def _ids(results: Iterable[Result]) -> list[str]:
    return [result.case.id for result in results]


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(1000 * seconds)


def _run(run: Run, summary: Summary) -> Object:
    return record(
        run,
        "command tier seed ulps complete compared restarts processor notes",
        judged=summary.judged,
        searched=[{"op": op, "inputs": run.searched[op]} for op in in_order(run.searched)],
        written=[{"surface": name, "requests": number} for name, number in sorted(run.written.items())],
        outside_domain=run.outside,
        invalid_not_asked=run.invalid,
        milliseconds=_milliseconds(run.seconds),
    )


@plain.register
def _processor(use: ProcessorUse, _digits: int) -> Object:
    times = {"implementation": _milliseconds(use.implementation), "oracle": _milliseconds(use.oracle)}
    return {**times, "others": round(use.others, 3)}


@plain.register
def _domain(domain: Domain, _digits: int) -> Object:
    return record(domain, "states releases", level=domain.level and domain.level.full_text())


@plain.register
def _tally(tally: Tally, _digits: int) -> Object:
    numbers = {verdict.name.lower(): number for verdict, number in tally.verdicts.items()}
    return record(tally, "op", **numbers, expected_failures=tally.expected)


@plain.register
def _density(density: Density, _digits: int) -> Object:
    return record(
        density,
        "op answers truths doublings coverage",
        share_that_may_be_wrong=repr(density.share),
        structures=_counts(density.structures),
        not_asked=density.not_asked(),
        structures_never_asked=density.never_asked(),
    )


@plain.register
def _doubling(doubling: Doubling, _digits: int) -> Object:
    own = {"from": repr(2.0**doubling.exponent), "structures": _counts(doubling.structures)}
    return record(doubling, "dimension answers", **own)


def _counts(structures: Mapping[str, int]) -> list[Object]:
    return [{"structure": name, "answers": number} for name, number in structures.items()]


@plain.register
def _entry(entry: Explained, _digits: int) -> Object:
    cause = entry.cause
    return {
        "name": None if cause is None else cause.id,
        "wrong": None if cause is None else cause.wrong,
        "instead": None if cause is None else cause.instead,
        **record(entry, "shared ops", failure=entry.failure_class.failure),
        **_members(entry),
    }


def _members(found: Explained | Group) -> Object:
    return {
        "count": len(found.members),
        "worst": found.worst.case.id,
        "worst_ulps": _ulps(found.worst.judgement.ulps),
        "example": found.example.case.id,
        "cases": _ids(found.members),
    }


@plain.register
def _group(group: Group, _digits: int) -> Object:
    own = record(group.failure_class, "failure which", when=group.since, cause=group.cause and group.cause.id)
    return record(group, "op verdict kind meaning effect asked answers smallest_n", **own, **_members(group))


def _ulps(ulps: int | None) -> int | None:
    return None if ulps is None else max(-FARTHEST, min(FARTHEST, ulps))


def _result(run: Run, result: Result) -> Object:
    case, judgement = result.case, result.judgement
    is_told = judgement.verdict.fails or result.fails or not result.is_judged
    return {
        **record(judgement, "verdict failure place detail", ulps=_ulps(judgement.ulps)),
        "truth": str(judgement.truth),
        "given": str(judgement.given),
        **record(result, "fails expected_failure", milliseconds=_milliseconds(result.seconds)),
        **record(case, "id op source tier numbers title cites errata flags", input=features_of(case)),
        "request": _request(case) if is_told else None,
        "reproduce": _Whole(line_for(run, case)) if is_told else None,
    }


def _request(case: Case) -> str | None:
    text = request_text(case)
    return _Whole(text) if len(text) <= _LONGEST_REQUEST or case.source not in HAD_BY_ID else None


@plain.register
def _features(found: Features, _digits: int) -> Object:
    levels = {"largest_level": found.largest_level, "smallest_level": found.smallest_level}
    texts = {name: None if level is None else repr(level) for name, level in levels.items()}
    return record(found, "n releases kinds", **texts)


def _flags(run: Run) -> list[Object]:
    notes = flag_notes()
    used = sorted({flag for result in run.everything for flag in result.case.flags if flag in notes})
    return [record(notes[flag], "bug effect", name=flag) for flag in used]


def run_junit(run: Run, summary: Summary | None = None) -> str:
    """Return a run as JUnit's XML: a test suite for each operation, a test case for each case and finding.

    The output of a suite is its groups of failures, the most harmful first.

    Wrong answers are failures, crashes and timeouts errors; what was skipped, undecided or an expected failure is
    skipped, with the reason. A run that judged nothing or did not finish has an error of its own, so that no
    reader takes it for a success. Characters that XML does not admit are escaped. Args: summary, of the run, if known.
    """
    found = summary or summary_of(run)
    root = ET.Element("testsuites", name=JUNIT_SUITE)
    for op in in_order({result.case.part for result in run.everything}):
        suite = _suite(root, f"{JUNIT_SUITE}.{op}", run, found)
        for result in run.everything:
            if result.case.part == op:
                _test_case(suite, result.case.id, result.seconds, _outcome(run, result))
        if lines := [_group_line(group) for group in found.groups if group.op in (op, EVERY_OPERATION)]:
            ET.SubElement(suite, "system-out").text = "\n".join(lines)
    if found.status == NOTHING_JUDGED or not run.complete:
        outcome = _Outcome("error", found.headline, "unfinished", run.notes)
        _test_case(_suite(root, JUNIT_SUITE, run, found), "the run came to its end", 0.0, outcome)
    for element in (*root, root):
        tests = [*element.iter("testcase")]
        element.set("tests", str(len(tests)))
        for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            element.set(key, str(sum(test.find(tag) is not None for test in tests)))
        element.set("time", f"{sum(float(test.get('time', 0)) for test in tests):.3f}")
    root.set("time", f"{run.seconds:.3f}")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The outcome of a test case that did not pass: the tag of its element, its attributes and its lines."""

    tag: str
    message: str
    type: str = ""
    lines: Iterable[str] = ()


def _suite(root: ET.Element, name: str, run: Run, summary: Summary) -> ET.Element:
    suite = ET.SubElement(root, "testsuite", name=name)
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
    return suite


def _test_case(suite: ET.Element, name: str, seconds: float, outcome: _Outcome | None) -> None:
    own = {"name": clean(name, _LONGEST_MESSAGE), "classname": suite.get("name", ""), "time": f"{seconds:.3f}"}
    element = ET.SubElement(suite, "testcase", own)
    if outcome is not None:
        kind = {"type": outcome.type} if outcome.type else {}
        part = ET.SubElement(element, outcome.tag, kind, message=clean(outcome.message, _LONGEST_MESSAGE))
        part.text = "\n".join(clean(line, _LONGEST_STORY) for line in outcome.lines) or None


def _group_line(group: Group) -> str:
    cause = f". Cause: {group.cause.wrong} Instead: {group.cause.instead}" if group.cause else ""
    found = f"{group.failure_class}: {len(group.members):,} of {group.asked:,}, {group.kind}"
    return clean(f"{found}, as {group.example.case.id}{cause}", _LONGEST_STORY)


def _outcome(run: Run, result: Result) -> _Outcome | None:
    judgement, expected = result.judgement, result.expected_failure
    verdict = judgement.verdict
    if not result.is_judged:
        return _Outcome("skipped", f"{verdict.value}: {judgement.detail}")
    if expected is not None and verdict.fails:
        return _Outcome("skipped", f"expected failure: {expected} ({verdict.value})")
    if expected is not None:
        return _Outcome("failure", f"passed, but was expected to fail: {expected}", "unexpected pass")
    if not verdict.fails:
        return None
    place = f"in {judgement.place}" if judgement.place else ""
    message = ", ".join(filter(None, (verdict.value, deviation(judgement), place)))
    tag = "error" if verdict in (Verdict.CRASHED, Verdict.TIMED_OUT) else "failure"
    detail = f": {judgement.detail}" if judgement.detail else ""
    return _Outcome(tag, f"{message}{detail}", verdict.value, _story(run, result))


def _story(run: Run, result: Result) -> Iterator[str]:
    """Yield the facts of a failure, a line each."""
    for name, text in (
        ("what", result.case.title),
        *facts(result),
        ("flags", ", ".join(result.case.flags)),
        ("request", request_text(result.case)),
        ("reproduce", shown_line_for(run, result.case, _LONGEST_STORY - len("reproduce: "))),
    ):
        if text:
            yield f"{name}: {text}"
