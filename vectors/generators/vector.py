"""From a draft to a vector: the oracle's answer, confirmed by a second road, with its certificates and its hash."""

from __future__ import annotations

from tploracle.conformance.lint import hash_of
from tploracle.contract.operations import OPERATIONS, PIECE
from tploracle.wire.requests import Session
from tploracle.wire.serve import respond
from tploracle.wire.strict_json import Object, decode, encode

from .asked import Asked
from .certified import certificates_of
from .confirm import DIGITS, confirm
from .draft import Draft, EdgeBroken

_LEVEL = ("exact", "lower", "upper")


def vector_of(draft: Draft, tier: str, session: Session) -> Object:
    """Make a vector of a draft.

    Returns: the vector as the files have it, with "op". Raises: EdgeBroken where another error, or no error, is
    answered; RoadsDiffer; Rejected.
    """
    asked = Asked(draft.op, draft.numbers, draft.input, draft.digits)
    certificates: list[Object] = []
    if draft.error is not None:
        expected: Object = {"error": _error(draft, session)}
    else:
        value = _trimmed(draft.op, session.answer(draft.op, asked.input, DIGITS, draft.numbers))
        confirm(draft, value)
        certificates = certificates_of(asked) if draft.certify else []
        expected = {"value": value}
    vector: Object = {
        "id": draft.id,
        "op": draft.op,
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


def _error(draft: Draft, session: Session) -> str:
    asked: Object = {"seq": 1, "op": draft.op, "input": draft.input, "want": {"digits": draft.digits}}
    answer = respond(session, encode({**asked, "numbers": draft.numbers}).encode("ascii"))
    decoded = decode((answer or b"{}").decode("ascii"))
    error = decoded.get("error") if isinstance(decoded, dict) else None
    name = error.get("name") if isinstance(error, dict) else None
    if name != draft.error or not isinstance(name, str):
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
