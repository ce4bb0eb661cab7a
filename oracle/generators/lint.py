"""What is wrong with vector files: every check is made from the files alone, so that it holds for edited ones too."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from importlib.resources.abc import Traversable
from typing import Any, cast

from ..conformance.cases import FILES, data_folder
from ..proofs_checks.trial import all_errata
from ..reference import InvalidRequest, OracleError, parse_level
from ..wire.protocol import FLOAT64
from ..wire.strict_json import Object, decode
from . import second_road as road
from .asked import Asked
from .catalogue import FLAGS as FLAGS_FILE
from .certified import faults
from .draft import all_citations
from .flags import FLAGS
from .second_road import AGREEING
from .vector import hash_of

VECTORS_SCHEMA, FLAGS_SCHEMA = "vectors.schema.json", "flags.schema.json"
DIGITS = 40

Progress = Callable[[int, int], None]
"""Called with the cases checked, and the cases in all."""


def lint(folder: Traversable, progress: Progress = lambda _done, _total: None) -> list[str]:
    """Return what is wrong with the vector files of a folder, a line each; nothing where all is well.

    Raises: InvalidRequest where jsonschema is not installed, or a file cannot be read.
    """
    texts = {name: _text(folder, name) for name in (*FILES, FLAGS_FILE)}
    documents, found = _decoded(texts)
    found += _by_schema(documents)
    if found:
        return found
    flags = cast(dict[str, object], documents.pop(FLAGS_FILE)["flags"])
    cases = [
        (name, {"op": document["op"], **case})
        for name, document in documents.items()
        for case in cast(list[Object], document["cases"])
    ]
    found += [
        f"{name}: its op is {document['op']}"
        for name, document in documents.items()
        if name != f"{document['op']}.json"
    ]
    found += _together([case for _, case in cases], flags)
    citations, errata = all_citations(), {erratum.id for erratum in all_errata()}
    for done, (name, case) in enumerate(cases, 1):
        place = f"{name}: {case['id']}"
        found += [f"{place}: {wrong}" for wrong in _alone(case, citations, errata)]
        progress(done, len(cases))
    return found


def _text(folder: Traversable, name: str) -> str:
    try:
        return folder.joinpath(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{name}: it cannot be read: {error}") from None


def _decoded(texts: Mapping[str, str]) -> tuple[dict[str, Object], list[str]]:
    documents: dict[str, Object] = {}
    found: list[str] = []
    for name, text in texts.items():
        try:
            decode(text)  # refuses a key that occurs twice
            documents[name] = json.loads(text)
        except InvalidRequest as error:
            found.append(f"{name}: {error}")
    return documents, found


def _by_schema(documents: Mapping[str, Object]) -> list[str]:
    try:
        import jsonschema
    except ImportError:
        raise InvalidRequest("linting needs jsonschema: install tploracle[proofs]") from None
    found: list[str] = []
    for name, document in documents.items():
        schema = FLAGS_SCHEMA if name == FLAGS_FILE else VECTORS_SCHEMA
        validator = jsonschema.Draft202012Validator(json.loads(_text(data_folder(), schema)))
        found += [
            f"{name}: {_place(document, error)}: {error.message:.200}" for error in validator.iter_errors(document)
        ]
    return found


def _place(document: Object, error: Any) -> str:
    """Return where in a file a schema is not met: the case by its id, where it has one, and the path within."""
    path = list(error.absolute_path)
    if path[:1] == ["cases"] and len(path) > 1:
        case = cast(list[Any], document["cases"])[path[1]]
        identifier = case.get("id") if isinstance(case, dict) else None
        path[:2] = [str(identifier or f"case {path[1] + 1}")]
    return ", ".join(map(str, path)) or "the file"


def _together(cases: list[Object], flags: Mapping[str, object]) -> Iterator[str]:
    """Yield what is wrong with the cases taken together."""
    seen: set[object] = set()
    for case in cases:
        if case["id"] in seen:
            yield f"the id {case['id']} occurs twice"
        seen.add(case["id"])
    used = {flag for case in cases for flag in cast(list[str], case["flags"])}
    yield from (f"{FLAGS_FILE}: no case has the flag {flag}" for flag in flags if flag not in used)
    yield from (f"{FLAGS_FILE}: the flag {flag} is not described" for flag in sorted(used - flags.keys()))


def _alone(case: Object, citations: set[str], errata: set[str]) -> Iterator[str]:
    """Yield what is wrong with one case."""
    if hash_of(case) != case["sha256"]:
        yield "the hash is that of another question or answer"
    yield from (f"there is no {cited!r} to cite" for cited in cast(list[str], case["cites"]) if cited not in citations)
    yield from (f"there is no erratum {one}" for one in cast(list[str], case["errata"]) if one not in errata)
    if not (case["flags"] or case["why"]):
        yield "it has neither a flag nor an edge"
    if not json.dumps(case["input"], ensure_ascii=False).isascii():
        yield "the input has a character that is not ASCII"
    expected = cast(Object, case["expected"])
    asked = Asked(str(case["op"]), str(case["numbers"]), cast(Object, case["input"]), cast(int, case["digits"]))
    shown = (flag for flag in cast(list[str], case["flags"]) if flag in FLAGS)
    yield from (f"it does not show {flag}" for flag in shown if not asked.shows(FLAGS[flag].holds))
    if "error" in expected:
        if "certificates" in case:
            yield "there is no certificate of an error"
        return
    try:
        yield from _numbers(asked)
        value = cast(Object, expected["value"])
        yield from (wrong for place, level in _levels(value, "") for wrong in _level(place, level))
        yield from faults(cast(list[Object], case.get("certificates", [])), asked, value)
    except OracleError as error:
        yield f"the input is refused, {error.name}: {error}"


def _numbers(asked: Asked) -> Iterator[str]:
    """Yield where an input of doubles is not what it says: a row whose exact sum is not 1."""
    if asked.numbers != FLOAT64:
        return
    rows = [(key, row) for key in asked.matrices for row in road.read_rows(asked.input[key], FLOAT64)]
    if "initial" in asked.input:
        rows += [("initial", road.read_rows([asked.input["initial"]], FLOAT64)[0])]
    yield from (f"{key}: a row of doubles sums to {sum(row)}, not to exactly 1" for key, row in rows if sum(row) != 1)


def _levels(value: object, place: str) -> Iterator[tuple[str, Object]]:
    """Yield the levels of an expected value, with where they are."""
    if isinstance(value, dict):
        if value.keys() == {"exact", "lower", "upper"}:
            yield place or "the level", value
            return
        for key, item in value.items():
            yield from _levels(item, f"{place} {key}".strip())
    elif isinstance(value, list):
        for number, item in enumerate(value, 1):
            yield from _levels(item, f"{place} {number}")


def _level(place: str, level: Object) -> Iterator[str]:
    """Yield what is wrong with an expected level."""
    lower, upper = (Decimal(str(level[end])) for end in ("lower", "upper"))
    if lower > upper:
        yield f"{place}: the lower end is above the upper one"
    if lower.is_infinite() or upper.is_infinite():
        if not (lower == upper and level["exact"] == "inf"):
            yield f"{place}: one end is infinite, and the level is not"
        return
    unit = Fraction(10) ** (upper.adjusted() + 1 - DIGITS)
    if Fraction(upper) - Fraction(lower) > 2 * unit:
        yield f"{place}: the enclosure is wider than {DIGITS} digits"
    if level["exact"] is None:
        return
    exact = parse_level(str(level["exact"]))
    with road.arithmetic():
        value = road.log1p(road.read_level(str(level["exact"]), "rational"))
        slack = abs(value) * AGREEING
        inside = not exact.is_infinite and lower - slack <= value <= upper + slack
    if not inside:
        yield f"{place}: {level['exact']!s:.60} is not within its enclosure"
