"""From a draft to a vector, and to the text of its file: the answer, confirmed and certified, and the hash."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import cast

from tploracle import __version__
from tploracle.certificates.checker import check
from tploracle.certificates.parts import Document
from tploracle.certificates.recursion import leakage_certificate, loss_certificate, loss_function_certificate
from tploracle.certificates.supremum import bounded_below_certificate, bounded_certificate, divergent_certificate
from tploracle.conformance.ask.cases import FLAGS_FILE
from tploracle.conformance.judge.judge import Rule, reaches
from tploracle.conformance.judge.truths import PerturbedQuery, Query, Truth
from tploracle.conformance.lint import VECTORS_SCHEMA, hash_of
from tploracle.conformance.model import DEFAULT_ULPS, WIRE
from tploracle.contract.entry import Side, ValueKind
from tploracle.contract.operations import OPERATIONS, PIECE
from tploracle.wire.numerals import hex_text
from tploracle.wire.requests import Session
from tploracle.wire.strict_json import Object

from .confirm import EXPECTED_DIGITS, confirm
from .draft import Draft, EdgeBroken
from .flags import FLAGS
from .read_query import ReadQuery

FORMAT_VERSION = 3

PAPER_PAGE, ERRATA_PAGE, CONTRACT_PAGE = "https://arxiv.org/abs/1711.11436", "docs/claims.md#errata", "docs/wire.md"
"""Where to read on about a flag: the paper, what is wrong in it, and the contract."""

_SCALARS = (str, int, float, bool, type(None))


def file_text(op: str, vectors: Iterable[Object]) -> str:
    """Return a vector file, which describes itself: its schema, how many cases, what each of their flags means.

    Args: op, of all its cases, or "wire" where each has its own. Raises: as `_flag_notes`.
    """
    cases = [{key: value for key, value in vector.items() if key != "op" or op == WIRE} for vector in vectors]
    sentence = OPERATIONS[op].sentence if op in OPERATIONS else "Requests of no operation, and their errors."
    document: Object = {
        "format": FORMAT_VERSION,
        "schema": VECTORS_SCHEMA,
        "version": __version__,
        "op": op,
        "description": f"Test vectors of tploracle. {sentence} README.md says how to read them and how to compare.",
        "number_of_cases": len(cases),
        "flags": _flags_of(cases),
        "cases": cases,
    }
    return formatted(document) + "\n"


def _flags_of(cases: Sequence[Object]) -> Object:
    """Return what is told of the flags of these cases, how many have each, and where to read on."""
    notes = _flag_notes()
    having = {flag: [case for case in cases if flag in cast(list[str], case["flags"])] for flag in notes}
    return {
        flag: {**note, "cases": len(having[flag]), "links": _links(having[flag])}
        for flag, note in notes.items()
        if having[flag]
    }


def _links(cases: Sequence[Object]) -> list[str]:
    """Return where to read on about what these cases cite."""
    cites = [cite.startswith("Contract") for case in cases for cite in cast(list[str], case["cites"])]
    found = {PAPER_PAGE: not all(cites), ERRATA_PAGE: any(case["errata"] for case in cases), CONTRACT_PAGE: any(cites)}
    return [link for link, is_cited in found.items() if is_cited]


def _flag_notes() -> dict[str, Object]:
    """Return what is told of each flag, by hand, in the order of the names.

    Raises: EdgeBroken where a flag is not told, or has no fact.
    """
    told = json.loads((Path(__file__).resolve().parents[1] / FLAGS_FILE).read_text(encoding="utf-8"))["flags"]
    if differing := told.keys() ^ FLAGS.keys():
        raise EdgeBroken(f"{FLAGS_FILE} and the facts differ in the flags {', '.join(sorted(differing))}")
    return dict(sorted(told.items()))


def flags_text() -> str:
    """Return the file of the flags: what each one's cases catch. Raises: as `_flag_notes`."""
    return formatted({"format": FORMAT_VERSION, "flags": _flag_notes()}) + "\n"


def formatted(value: object, depth: int = 0) -> str:
    """Write JSON: one more blank at each depth, an array of texts and numbers on one line."""
    inner, outer = "\n" + " " * (depth + 1), "\n" + " " * depth
    if isinstance(value, dict) and value:
        items = (f"{json.dumps(key, ensure_ascii=False)}: {formatted(item, depth + 1)}" for key, item in value.items())
        return "{" + inner + f",{inner}".join(items) + outer + "}"
    if isinstance(value, list) and not all(isinstance(item, _SCALARS) for item in value):
        return "[" + inner + f",{inner}".join(formatted(item, depth + 1) for item in value) + outer + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


MOST_CERTIFIED_STATES, CERTIFIED_RELEASES, LONGEST = 8, 5, 8_000
"""A certificate is kept with a vector up to this many states, releases and characters."""


def certificates_of(query: ReadQuery) -> list[Document]:
    """Return the certificates that are kept with a question; none where there is no kind, or they are too long.

    Raises: Rejected where the checker does not accept what was made.
    """
    if query.op not in _MAKERS or any(matrix.n > MOST_CERTIFIED_STATES for matrix in query.matrices.values()):
        return []
    if len(query.epsilons) > CERTIFIED_RELEASES:
        return []
    documents = _MAKERS[query.op](query)
    for document in documents:
        check(json.dumps(document))
    return documents if len(json.dumps(documents)) <= LONGEST else []


def _loss(query: ReadQuery) -> list[Document]:
    alpha = query.level("alpha")
    witness = query.loss.piece_at(alpha).witness
    return [loss_certificate(query.matrix, alpha, witness, query.loss(alpha), EXPECTED_DIGITS)]


def _supremum(query: ReadQuery) -> list[Document]:
    epsilon = query.level("epsilon")
    if query.supremum.level.is_infinite:
        return [divergent_certificate(query.loss, epsilon, EXPECTED_DIGITS)]
    return [make(query.loss, epsilon, EXPECTED_DIGITS) for make in (bounded_below_certificate, bounded_certificate)]


_MAKERS: dict[str, Callable[[ReadQuery], list[Document]]] = {
    "loss": _loss,
    "loss_function": lambda query: [loss_function_certificate(query.loss)],
    "leakage": lambda query: [leakage_certificate(query.epsilons, query.adversary, EXPECTED_DIGITS)],
    "supremum": _supremum,
}


_LEVEL = ("exact", "lower", "upper")


def vector_of(draft: Draft, tier: str, session: Session) -> Object:
    """Make a vector of a draft.

    Returns: the vector as the files have it, with "op". Raises: EdgeBroken where another error, or no error, is
    answered; RecomputationDiffers; Rejected.
    """
    query = ReadQuery(draft.op, draft.numbers, draft.input, draft.digits)
    certificates: list[Object] = []
    if draft.error is not None:
        expected: Object = {"error": _error(draft, query)}
    else:
        value = _trimmed(draft.op, session.answer(draft.op, query.input, EXPECTED_DIGITS, draft.numbers))
        confirm(draft, value)
        certificates = certificates_of(query) if draft.certify else []
        expected = {"value": with_doubles(Query(session, draft.op, query.input, draft.numbers, value))}
    vector: Object = {
        "id": draft.id,
        "op": draft.op,
        **({"needs": draft.op if draft.op in OPERATIONS else None} if draft.id.startswith(f"{WIRE}-") else {}),
        "title": draft.title,
        "cites": list(draft.cites),
        "errata": list(draft.errata),
        "flags": list(draft.flags),
        "why": list(draft.why),
        "tier": tier,
        "numbers": draft.numbers,
        "digits": draft.digits,
        "input": draft.input,
        "expected": expected,
    }
    kept: Object = {"certificates": certificates} if certificates else {}
    return {**vector, **kept, "sha256": hash_of(vector)}


def with_doubles(query: Query) -> Object:
    """Return a value, each level that has a safe side with the first and the last double that conform."""
    operation, value, perturbed = OPERATIONS[query.op], query.value(), PerturbedQuery(query, DEFAULT_ULPS)
    if operation.side is None:
        return value
    if operation.is_level:
        return {**value, **_doubles(query.level(), operation.side, perturbed.level)}
    found = dict(value)
    for field in operation.fields:
        if field.kind is ValueKind.LEVELS:
            levels = cast(list[Object], value[field.name])
            found[field.name] = [
                {**level, **_doubles(query.level(*path), operation.side, partial(perturbed.level, *path))}
                for number, level in enumerate(levels)
                for path in [(field.name, number)]
            ]
    return found


def _doubles(truth: Truth, side: Side, perturbed: Callable[[], Truth | None]) -> Object:
    """Return the double next to a level on its safe side, and the furthest from there that the judge admits.

    limit: by its distance; conditioned_limit: as the answer to the question with its levels perturbed, at least limit.
    """
    if truth.is_infinite:
        return {"safe": "inf", "limit": "inf", "conditioned_limit": "inf"}
    safe = float(truth.first_bounds[0])
    while truth.order(Fraction(nearer := math.nextafter(safe, -side.value * math.inf))) * side.value >= 0:
        safe = nearer
    while truth.order(Fraction(safe)) * side.value < 0:
        safe = math.nextafter(safe, side.value * math.inf)

    def is_near(double: Fraction) -> bool:
        ulps = truth.ulps(double)
        return ulps is not None and abs(ulps) <= DEFAULT_ULPS

    limit = _furthest(safe, side, is_near)
    conditioned = _conditioned(limit, Rule(side, DEFAULT_ULPS), perturbed())
    return {"safe": hex_text(safe), "limit": hex_text(limit), "conditioned_limit": conditioned}


def _conditioned(limit: float, rule: Rule, perturbed: Truth | None) -> str:
    """Return the furthest double that the judge admits as the answer to the perturbed question, at least the limit."""
    if perturbed is None:
        return hex_text(0.0)
    if perturbed.is_infinite:
        return "inf"
    return hex_text(_furthest(limit, rule.side, lambda double: reaches(double, perturbed, rule)))


def _furthest(start: float, side: Side, admits: Callable[[Fraction], bool]) -> float:
    """Return the last double from one on, away from the truth, that is admitted; 0 is the last of all."""
    admitted, beyond = 0, 1
    while admits(Fraction(double := _stepped(start, beyond * side.value))):
        if double == 0:
            return double
        admitted, beyond = beyond, 2 * beyond
    while beyond - admitted > 1:
        steps = (admitted + beyond) // 2
        is_admitted = admits(Fraction(_stepped(start, steps * side.value)))
        admitted, beyond = (steps, beyond) if is_admitted else (admitted, steps)
    return _stepped(start, admitted * side.value)


def _stepped(double: float, steps: int) -> float:
    """Return the double `steps` doubles above one that is not negative, or below it, but not below 0."""
    (place,) = struct.unpack("<q", struct.pack("<d", double))
    (found,) = struct.unpack("<d", struct.pack("<q", max(0, place + steps)))
    return cast(float, found)


def _error(draft: Draft, query: ReadQuery) -> str:
    name, _ = query.refusal
    if name != draft.error:
        raise EdgeBroken(f"{draft.id}: {draft.error} is expected, the oracle answers {name or 'a value'}")
    return name


def _trimmed(op: str, value: Object) -> Object:
    """Leave out what the oracle adds to the contract's value."""
    operation = OPERATIONS[op]
    kept = {key: value[key] for key in (_LEVEL if operation.is_level else [field.name for field in operation.fields])}
    pieces = kept.get("pieces")
    if isinstance(pieces, list):
        fields = [field.name for field in PIECE if not field.addition]
        kept["pieces"] = [{key: piece[key] for key in fields} for piece in pieces]
    return kept
