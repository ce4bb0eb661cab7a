"""A run as one JSON document, with everything in it, as report.schema.json says."""

from __future__ import annotations

from collections.abc import Iterable

from ..wire.protocol import Declaration
from ..wire.strict_json import Object, encode
from .features import features_of
from .flag_notes import flag_notes
from .groups import Group
from .model import Case, Result, Run
from .reproduce import line_for, request_text
from .summary import Summary, in_order, summary_of
from .texts import shortened

FORMAT = 1

FARTHEST = 2**53
"""Distances in ulps are written up to this many; farther ones as this many, so that every reader can hold them."""

_LONGEST_TEXT = 10_000
_LONGEST_REQUEST = 20_000


def run_json(run: Run) -> str:
    """Return a run as one line of JSON, keys always in the same order.

    Every case has its verdict and its reasons; those that fail or were not judged have the line that reproduces them as
    well, and the request, unless it is long and the case can be had by its id. Texts of more than 10,000 characters are
    shortened in the middle.
    """
    summary = summary_of(run)
    document: Object = {
        "format": FORMAT,
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
        "restarts": run.restarts,
        "milliseconds": _milliseconds(run.seconds),
        "notes": [_text(note) for note in run.notes],
    }


def _implementation(declared: Declaration) -> Object:
    return {
        "name": _text(declared.name),
        "version": _text(declared.version),
        "operations": [_text(op) for op in declared.operations],
        "numbers": [_text(kind) for kind in declared.numbers],
    }


def _group(group: Group) -> Object:
    return {
        "op": _text(group.op),
        "verdict": group.verdict.value,
        "kind": _text(group.kind),
        "meaning": _text(group.meaning),
        "effect": _text(group.effect),
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
        "fails": result.fails,
        "ulps": _ulps(judgement.ulps),
        "place": _text(judgement.place),
        "truth": _text(judgement.truth),
        "given": _text(judgement.given),
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
    return text if len(text) <= _LONGEST_REQUEST or case.source not in ("vector", "seeded") else None


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
