"""Certificates of expected values, for the operations that have a kind of them."""

from __future__ import annotations

import json
from collections.abc import Callable

from tploracle.proofs_checks.checker import check
from tploracle.solvers.certificate_parts import Document
from tploracle.solvers.certificates import leakage_certificate, loss_certificate, loss_function_certificate
from tploracle.solvers.supremum_certificates import (
    bounded_below_certificate,
    bounded_certificate,
    divergent_certificate,
)

from .asked import Asked

DIGITS = 40

MOST_STATES, MOST_RELEASES, LONGEST = 8, 5, 8_000
"""A certificate is kept with a vector up to this many states, releases and characters."""


def certificates_of(asked: Asked) -> list[Document]:
    """Return the certificates that are kept with a question; none where there is no kind, or they are too long.

    Raises: Rejected where the checker does not accept what was made.
    """
    if asked.op not in _MAKERS or any(matrix.n > MOST_STATES for matrix in asked.matrices.values()):
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
