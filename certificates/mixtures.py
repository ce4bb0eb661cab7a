"""Certificates of what a stream tells an adversary who does not know which of several chains holds, but has a prior."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

from ..reference.correlations import stationary
from ..reference.errors import InvalidRequest
from ..reference.levels import Level
from ..reference.worst_case.mixtures import Chains, mixture_questions, posteriors
from .parts import CERTIFICATE_VERSION, Document, check_digits, number_text
from .worst_case import EVERY_STEP, check_finite, worst_case_upper_certificate

STATIONARY = "the values are one of the chains, with the probabilities of the prior, and stationary"
"""What these certificates assume, in the words that the checker expects."""


def mixture_upper_certificate(
    epsilons: Sequence[Level], time: int, chains: Chains, prior: Sequence[Fraction], digits: int = 17
) -> Document:
    """Certify by the mixture rule that no mechanisms with these budgets have a greater TPL at a time.

    Args: epsilons, finite; time, from 1; chains, P^B and P^F of each candidate, one stationary chain, in which all
    values occur; prior, their probabilities, above 0. Returns: a `mixture-upper` certificate, of bounds for each chain
    as a `worst-case-upper` one has them. Raises: InvalidRequest, Undecided.
    """
    weights = _asked(epsilons, time, chains, prior, digits)
    parts: list[Document] = []
    greatest = Fraction(1)
    for (backward, forward), own in zip(chains, weights, strict=True):
        proved = worst_case_upper_certificate(epsilons, time, backward, forward, digits)
        past, future = (_table(proved[side]) for side in ("past", "future"))
        for j, k in permutations(range(len(own)), 2):
            greatest = max(greatest, past[j][k] * future[j][k] * own[j] / own[k])
        parts.append({"past": proved["past"], "future": proved["future"]})
    level = epsilons[time - 1] + Level.of_ratio(greatest)
    return {
        **_head("mixture-upper", digits, epsilons, time, chains, prior, parts),
        "level": str(level.enclosure(digits).upper),
    }


def mixture_lower_certificate(
    epsilons: Sequence[Level], time: int, chains: Chains, prior: Sequence[Fraction], digits: int = 17
) -> Document:
    """Certify that some mechanisms with these budgets have such a TPL at a time.

    Args: as `mixture_upper_certificate`. Returns: a `mixture-lower` certificate of the best questions that were tried;
    its level is rounded down. Raises: InvalidRequest, also with fewer than two values.
    """
    weights = _asked(epsilons, time, chains, prior, digits)
    if len(weights[0]) < 2:
        raise InvalidRequest("a correlation of one value has no two values to distinguish")
    found = mixture_questions(epsilons, time, chains, prior)
    level = epsilons[time - 1] + Level.of_ratio(found.ratio)
    return {
        **_head("mixture-lower", digits, epsilons, time, chains, prior, [{} for _ in chains]),
        "rows": [value + 1 for value in found.pair],
        "past": [[value + 1 for value in sorted(own)] for own in found.before],
        "future": [[value + 1 for value in sorted(own)] for own in found.after],
        "level": str(level.enclosure(digits).lower),
    }


def _asked(
    epsilons: Sequence[Level], time: int, chains: Chains, prior: Sequence[Fraction], digits: int
) -> list[tuple[Fraction, ...]]:
    """Return Pr(θ | l^t = j) of each chain and value. Raises: InvalidRequest."""
    check_digits(digits)
    check_finite(epsilons)
    if not 1 <= time <= len(epsilons):
        raise InvalidRequest(f"{time} is not one of the times 1 to {len(epsilons)}")
    return posteriors(chains, prior)


def _table(tables: object) -> list[list[Fraction]]:
    assert isinstance(tables, list), "both sides are known"
    return [[Fraction(entry) for entry in row] for row in tables[0]]


def _head(  # noqa: PLR0917 - what both kinds repeat of the question
    kind: str,
    digits: int,
    epsilons: Sequence[Level],
    time: int,
    chains: Chains,
    prior: Sequence[Fraction],
    parts: Sequence[Document],
) -> Document:
    return {
        "certificate": kind,
        "version": CERTIFICATE_VERSION,
        "digits": digits,
        "assumed": [EVERY_STEP, STATIONARY],
        "prior": [number_text(own) for own in prior],
        "chains": [
            {
                "stationary": [number_text(own) for own in stationary(forward)],
                "backward": backward.texts(),
                "forward": forward.texts(),
                **part,
            }
            for (backward, forward), part in zip(chains, parts, strict=True)
        ],
        "epsilons": [epsilon.full_text() for epsilon in epsilons],
        "time": time,
    }
