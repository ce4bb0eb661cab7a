"""Certificates of expected values, for the operations that have a kind of them, and what each must be about."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import cast

from ..proofs_checks.checker import Rejected, check
from ..reference import OracleError, TransitionMatrix, parse_level
from ..solvers.certificate_parts import Document
from ..solvers.certificates import leakage_certificate, loss_certificate, loss_function_certificate
from ..solvers.supremum_certificates import bounded_below_certificate, bounded_certificate, divergent_certificate
from ..wire.strict_json import Object
from .asked import Asked

DIGITS = 40

MOST_STATES, MOST_RELEASES, LONGEST = 8, 5, 8_000
"""A certificate is kept with a vector up to this many states, releases and characters."""

KINDS = {
    "loss": ("loss",),
    "loss_function": ("loss-function",),
    "leakage": ("leakage",),
    "supremum": ("bounded", "bounded-below", "divergent"),
}
"""The kinds of certificates that there are about each operation."""


def certificates_of(asked: Asked) -> list[Document]:
    """Return the certificates that are kept with a question; none where there is no kind, or they are too long.

    Raises: Rejected where the checker does not accept what was made.
    """
    if asked.op not in KINDS or any(matrix.n > MOST_STATES for matrix in asked.matrices.values()):
        return []
    if len(asked.epsilons) > MOST_RELEASES:
        return []
    documents = _MAKERS[asked.op](asked)
    for document in documents:
        check(json.dumps(document))
    return documents if len(json.dumps(documents)) <= LONGEST else []


def _loss(asked: Asked) -> list[Document]:
    alpha = asked.level("alpha")
    witness = asked.loss.piece_at(alpha).witness
    return [loss_certificate(asked.matrix, alpha, witness, asked.loss(alpha), DIGITS)]


def _supremum(asked: Asked) -> list[Document]:
    epsilon = asked.level("epsilon")
    if asked.supremum.level.is_infinite:
        return [divergent_certificate(asked.loss, epsilon, DIGITS)]
    return [make(asked.loss, epsilon, DIGITS) for make in (bounded_below_certificate, bounded_certificate)]


_MAKERS: dict[str, Callable[[Asked], list[Document]]] = {
    "loss": _loss,
    "loss_function": lambda asked: [loss_function_certificate(asked.loss)],
    "leakage": lambda asked: [leakage_certificate(asked.epsilons, asked.adversary, DIGITS)],
    "supremum": _supremum,
}


def faults(certificates: list[Object], asked: Asked, expected: Object) -> list[str]:
    """Return what is wrong with certificates: rejected by the checker, about another question, or another answer."""
    found: list[str] = []
    for document in certificates:
        try:
            kind = check(json.dumps(document))
        except Rejected as error:
            found.append(f"the certificate is rejected: {error}")
            continue
        if kind not in KINDS.get(asked.op, ()):
            found.append(f"a certificate of the kind {kind} says nothing about {asked.op}")
        elif not _is_about(document, asked):
            found.append(f"the {kind} certificate is about another question")
        else:
            found += [f"the {kind} certificate {wrong}" for wrong in _disagreements(kind, document, expected)]
    return found


def _is_about(document: Object, asked: Asked) -> bool:
    for key in ("matrix", "backward", "forward"):
        if key in document and _matrix(document[key]) != asked.matrices.get(key):
            return False
    for key in ("alpha", "epsilon"):
        if key in document and parse_level(str(document[key])) != asked.level(key):
            return False
    if "epsilons" in document:
        budgets = [parse_level(text) for text in cast(list[str], document["epsilons"])]
        return budgets == asked.epsilons
    return True


def _matrix(rows: object) -> TransitionMatrix | None:
    return None if rows is None else TransitionMatrix.of(cast(list[list[str]], rows))


def _disagreements(kind: str, document: Object, value: Object) -> list[str]:
    """Return where a certificate proves another answer than the expected one."""
    ends = partial(_differ, expected=value)
    try:
        match kind:
            case "loss":
                return ends("level", cast(Object, document["level"]))
            case "bounded":
                return [] if document["level"] == value["upper"] else ["proves another upper end"]
            case "bounded-below":
                return [] if document["level"] == value["lower"] else ["proves another lower end"]
            case "divergent":
                return [] if value["exact"] == "inf" else ["says that there is no supremum"]
            case "loss-function":
                kept = [{key: piece[key] for key in ("q", "d", "from", "to")} for piece in _objects(document["pieces"])]
                return [] if kept == value["pieces"] else ["has other pieces"]
        found: list[str] = []
        for key in ("bpl", "fpl", "tpl"):
            claims = [cast(Object, step.get("level", step)) for step in _objects(document[key])]
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
