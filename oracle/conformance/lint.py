"""The faults of vector files that the files alone show: schemas, ids, hashes, and certificates of their answers."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from importlib.resources.abc import Traversable
from typing import Any, cast

from ..certificates.checker import NotDecided, Rejected, check
from ..contract.entry import InputKind, Side
from ..contract.operations import OPERATIONS, PIECE, keys_of, matrix_keys
from ..reference import InvalidRequest, OracleError, TransitionMatrix, parse_level
from ..reference.stepwise import KnownCorrelation
from ..wire.numerals import Reader
from ..wire.stepwise import read_correlation
from ..wire.strict_json import Object, decode
from .ask.cases import FLAGS_FILE, VECTOR_FILES, data_folder
from .model import DEFAULT_ULPS

VECTORS_SCHEMA, FLAGS_SCHEMA = "vectors.schema.json", "flags.schema.json"

HASHED = ("digits", "expected", "input", "numbers", "op")
"""The fields of a vector that its hash covers."""

CERTIFICATE_KINDS = {
    "loss": ("loss",),
    "loss_function": ("loss-function",),
    "leakage": ("leakage",),
    "supremum": ("bounded", "bounded-below", "divergent"),
}
"""The kinds of certificates about each operation."""

_DOUBLES = ("safe", "limit", "conditioned_limit")
_PIECE = tuple(field.name for field in PIECE if not field.addition)


def lint(
    folder: Traversable,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    further: Callable[[Object], Iterable[str]] = lambda _case: (),
) -> list[str]:
    """Return the faults of the vector files of a folder, a line each.

    Args: progress, called with the cases checked and the cases in all; further, which returns other faults of a case,
    given with its operation. Raises: InvalidRequest if jsonschema is not installed, or a file cannot be read.
    """
    texts = {name: _text(folder, name) for name in (*VECTOR_FILES, FLAGS_FILE)}
    documents, found = _decoded(texts)
    found += _by_schema(documents)
    if found:
        return found
    flags = cast(dict[str, object], documents.pop(FLAGS_FILE)["flags"])
    cases = [
        (name, {"op": document["op"], **case})
        for name, document in documents.items()
        for case in _objects(document["cases"])
    ]
    found += [
        f"{name}: its op is {document['op']}"
        for name, document in documents.items()
        if name != f"{document['op']}.json"
    ]
    found += [f"{name}: {wrong}" for name, document in documents.items() for wrong in _described(document, flags)]
    found += _together([case for _, case in cases], flags)
    for done, (name, case) in enumerate(cases, 1):
        found += [f"{name}: {case['id']}: {wrong}" for wrong in (*_alone(case), *further(case))]
        progress(done, len(cases))
    return found


def hash_of(vector: Object) -> str:
    """Return the SHA-256 of the canonical JSON of the `HASHED` fields: keys sorted, no blanks, ASCII."""
    covered = {key: vector[key] for key in HASHED}
    text = json.dumps(covered, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


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
    """Return the place of a violation of a schema: the id of the case, if it has one, and the path in it."""
    path = list(error.absolute_path)
    if path[:1] == ["cases"] and len(path) > 1:
        case = cast(list[Any], document["cases"])[path[1]]
        identifier = case.get("id") if isinstance(case, dict) else None
        path[:2] = [str(identifier or f"case {path[1] + 1}")]
    return ", ".join(map(str, path)) or "the file"


def _described(document: Object, flags: Mapping[str, object]) -> Iterator[str]:
    """Yield the errors in what a file says of itself."""
    cases, told = _objects(document["cases"]), cast(dict[str, Object], document["flags"])
    if document["number_of_cases"] != len(cases):
        yield f"it has {len(cases)} cases, and says {document['number_of_cases']}"
    counts = Counter(flag for case in cases for flag in cast(list[str], case["flags"]))
    for flag in sorted(counts.keys() | told.keys()):
        note = told.get(flag, {})
        if note.get("cases", 0) != counts[flag]:
            yield f"{counts[flag]} of its cases have the flag {flag}, and it says {note.get('cases', 0)}"
        elif flag in flags and {key: note[key] for key in ("bug", "effect")} != flags[flag]:
            yield f"what it says of the flag {flag} is not what {FLAGS_FILE} says"


def _together(cases: list[Object], flags: Mapping[str, object]) -> Iterator[str]:
    """Yield the faults of the cases taken together."""
    seen: set[object] = set()
    for case in cases:
        if case["id"] in seen:
            yield f"the id {case['id']} occurs twice"
        seen.add(case["id"])
    used = {flag for case in cases for flag in cast(list[str], case["flags"])}
    yield from (f"{FLAGS_FILE}: no case has the flag {flag}" for flag in flags if flag not in used)
    yield from (f"{FLAGS_FILE}: the flag {flag} is not described" for flag in sorted(used - flags.keys()))


def _alone(case: Object) -> Iterator[str]:
    """Yield the faults of one case."""
    if hash_of(case) != case["sha256"]:
        yield "the hash is that of another question or answer"
    expected = cast(Object, case["expected"])
    certificates = _objects(case.get("certificates", []))
    if "needs" in case and case["needs"] != (case["op"] if case["op"] in OPERATIONS else None):
        yield f"it needs {case['needs']}, and asks for {case['op']}"
    if "error" in expected:
        if certificates:
            yield "there is no certificate of an error"
        return
    try:
        question = _read(case)
    except OracleError as error:
        yield f"the input is refused, {error.name}: {error}"
        return
    side = OPERATIONS[str(case["op"])].side
    for place, level in levels_in(expected["value"]):
        if side is not None and not _are_next_and_last(level, side):
            ends = ", ".join(str(level[key]) for key in _DOUBLES)
            yield f"{place}: {ends} are not the first and the last doubles that conform"
    for certificate in certificates:
        yield from _faults(certificate, str(case["op"]), question, cast(Object, expected["value"]))


def levels_in(value: object, place: str = "") -> Iterator[tuple[str, Object]]:
    """Yield the levels of an expected value, with where they are."""
    if isinstance(value, dict):
        if "lower" in value:
            yield place or "the level", value
            return
        for key, item in value.items():
            yield from levels_in(item, f"{place} {key}".strip())
    elif isinstance(value, list):
        for number, item in enumerate(value, 1):
            yield from levels_in(item, f"{place} {number}")


def _are_next_and_last(level: Object, side: Side) -> bool:
    """Whether the doubles of a level are the first and the last that conform, for the level or one of its ends.

    If a double lies between the ends, its exact text or the generator must decide on which side the level is.
    """
    texts = [str(level[key]) for key in ("exact", "lower", "upper", *_DOUBLES)]
    if "inf" in texts[:-1]:
        return texts == ["inf"] * len(texts)
    safe, limit, conditioned = (float.fromhex(text) for text in texts[3:])
    if (conditioned - limit) * side.value < 0 or conditioned < 0:
        return False
    is_rational = level["exact"] is not None and "log" not in texts[0]
    ends = [Fraction(text) for text in (texts[:1] if is_rational else texts[1:3])]
    return any(_fit(safe, limit, end, side.value) for end in ends)


def _fit(safe: float, limit: float, level: Fraction, upwards: int) -> bool:
    """Whether safe is the double next to the level, and limit the last within `DEFAULT_ULPS` of it."""

    def off(double: float) -> Fraction:
        return upwards * (Fraction(double) - level)

    before, after = math.nextafter(safe, -upwards * math.inf), math.nextafter(limit, upwards * math.inf)
    if not off(before) < 0 <= off(safe):
        return False
    if level == 0:
        return limit == 0
    below = safe if Fraction(safe) <= level else math.nextafter(safe, 0)
    furthest = DEFAULT_ULPS * Fraction(math.ulp(below))
    return limit >= 0 and off(limit) <= furthest and (off(after) > furthest or after < 0)


def _read(case: Object) -> Object:
    """Return the parts of the question that a certificate may repeat. Raises: the contract's errors."""
    reader, given = Reader(str(case["numbers"])), cast(Object, case["input"])
    read = {
        **dict.fromkeys(matrix_keys(), lambda value, what: read_correlation(value, what, reader.matrix)),
        **dict.fromkeys(keys_of(InputKind.LEVEL), reader.level),
        **dict.fromkeys(keys_of(InputKind.LEVELS), reader.levels),
    }
    return {key: read[key](given[key], key) for key in read if key in given}


def _faults(certificate: Object, op: str, question: Object, value: Object) -> list[str]:
    """Return the faults of a certificate: rejected by the checker, about another question or another answer."""
    try:
        kind = check(json.dumps(certificate))
    except (Rejected, NotDecided) as error:
        return [f"the certificate is rejected: {error}"]
    if kind not in CERTIFICATE_KINDS.get(op, ()):
        return [f"a certificate of the kind {kind} says nothing about {op}"]
    if not _is_about(certificate, question):
        return [f"the {kind} certificate is about another question"]
    return [f"the {kind} certificate {wrong}" for wrong in _disagreements(kind, certificate, value)]


def _is_about(certificate: Object, question: Object) -> bool:
    read: dict[str, Callable[[Any], object]] = {
        **dict.fromkeys(matrix_keys(), _matrix),
        **dict.fromkeys(keys_of(InputKind.LEVEL), parse_level),
        **dict.fromkeys(keys_of(InputKind.LEVELS), lambda texts: [parse_level(text) for text in texts]),
    }
    return all(read[key](certificate[key]) == question.get(key) for key in read if key in certificate)


def _matrix(rows: Any) -> KnownCorrelation | None:
    return None if rows is None else read_correlation(rows, "", lambda own, _what: TransitionMatrix.of(cast(Any, own)))


def _disagreements(kind: str, certificate: Object, value: Object) -> list[str]:
    """Return the differences between what a certificate proves and the expected answer."""
    ends = partial(_differ, expected=value)
    try:
        match kind:
            case "loss":
                return ends("level", cast(Object, certificate["level"]))
            case "bounded":
                return [] if certificate["level"] == value["upper"] else ["proves another upper end"]
            case "bounded-below":
                return [] if certificate["level"] == value["lower"] else ["proves another lower end"]
            case "divergent":
                return [] if value["exact"] == "inf" else ["says that there is no supremum"]
            case "loss-function":
                pieces = _objects(certificate["pieces"])
                kept = [{key: piece[key] for key in _PIECE} for piece in pieces]
                return [] if kept == value["pieces"] else ["has other pieces"]
        found: list[str] = []
        for key in ("bpl", "fpl", "tpl"):
            claims = [cast(Object, step.get("level", step)) for step in _objects(certificate[key])]
            for time, (claim, answer) in enumerate(zip(claims, _objects(value[key]), strict=True), 1):
                found += _differ(f"{key} {time}", claim, answer)
        return found
    except (KeyError, TypeError, ValueError, OracleError) as error:
        return [f"cannot be compared with the expected value: {error!r}"]


def _objects(value: object) -> list[Object]:
    return cast(list[Object], value)


def _differ(place: str, claim: Mapping[str, object], expected: Mapping[str, object]) -> list[str]:
    same = all(claim[end] == expected[end] for end in ("lower", "upper"))
    return [] if same else [f"proves another {place}"]
