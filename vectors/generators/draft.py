"""Drafts of vectors: a question, why it is asked, and the edge that it is there for, checked when it is made."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from tploracle.conformance.model import WIRE
from tploracle.proofs_checks.trial import all_claims
from tploracle.reference.decimals import fraction_to_text
from tploracle.wire.numerals import hex_text
from tploracle.wire.protocol import FLOAT64, RATIONAL
from tploracle.wire.strict_json import Object

from .flags import FLAGS
from .read_query import LEVELS, MATRICES, NUMBER_KEYS, Fact, ReadQuery

CONTRACT = {f"contract:{part}": f"Contract, {part}" for part in ("numbers", "operations", "errors", "wire")}
"""The parts of the contract that a case may cite beside the paper's items, by key."""

_ERRATUM = re.compile(r"E[0-9]+")
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_TITLE = re.compile(r"[A-Z].*[^.]\.", re.DOTALL)


class EdgeBroken(Exception):
    """A case is not what it is there for: names the case and what is not so."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A vector before its answer is known.

    Fields as in the vector files; why: sentences that were checked, where there is no flag; full: whether the tier full
    alone asks it; error: the name of the error expected, None where a value is; certify: whether a certificate is kept
    where there is a kind of them.
    """

    id: str
    op: str
    numbers: str
    title: str
    input: Object
    cites: tuple[str, ...]
    flags: tuple[str, ...]
    errata: tuple[str, ...]
    why: tuple[str, ...]
    full: bool
    digits: int
    error: str | None
    certify: bool


def draft(
    op: str,
    head: str,
    given: Mapping[str, object],
    tags: str,
    *,
    numbers: str = FLOAT64,
    edges: Mapping[str, Fact] | None = None,
    full: bool = False,
    digits: int = 17,
    error: str | None = None,
    certify: bool = True,
    wire: bool = False,
) -> Draft:
    """Make a draft and check that it is what it is there for.

    Args: head, "name: title.", the name being the id without its operation; given, the input, its matrices as rows of
    texts ("3/4 1/4") or of numbers and its levels as numbers or texts, written here in the notation asked for; tags,
    flags, errata ("E2") and what is cited (labels of the paper or keys of CONTRACT, "_" for a blank in them), with
    blanks between; edges, sentences, each with the fact of the question by which it is so; wire,
    whether the case is one of wire.json; the rest as in `Draft`. Raises: EdgeBroken naming the case where an edge, or
    the fact of a flag, is not so; ValueError for a draft that is malformed.
    """
    name, _, title = head.partition(": ")
    identifier = f"{WIRE if wire else op.replace('_', '-')}-{name}"
    if not _SLUG.fullmatch(identifier):
        raise ValueError(f"{identifier!r} is no slug")
    words = tags.split()
    flags = tuple(word for word in words if word in FLAGS)
    errata = tuple(word for word in words if _ERRATUM.fullmatch(word))
    cites = tuple(cited(word) for word in words if word not in (*flags, *errata))
    if not _TITLE.fullmatch(title) or not (flags or edges):
        raise ValueError(f"{identifier}: the title is no sentence, or no edge is named")
    written = {key: _written(key, value, numbers) for key, value in given.items()}
    query = ReadQuery(op, numbers, written, digits)
    for sentence, holds in (edges or {}).items():
        if query.shows(holds) is not True:
            raise EdgeBroken(f"{identifier}: it is not so that {sentence}")
    for flag in flags:
        if not query.shows(FLAGS[flag]):
            raise EdgeBroken(f"{identifier}: it does not show {flag}")
    why = tuple(edges or ())
    return Draft(identifier, op, numbers, title, written, cites, flags, errata, why, full, digits, error, certify)


def cited(key: str) -> str:
    """Return a citation: a part of the contract, or an item of the paper by its (first) number and label.

    Raises: ValueError for what is neither.
    """
    if key not in _citations():
        raise ValueError(f"{key!r} is no flag, no erratum and no item of the paper")
    return _citations()[key]


def all_citations() -> set[str]:
    """Return every citation that there can be."""
    return set(_citations().values())


@cache
def _citations() -> dict[str, str]:
    """Return each citation by its key."""
    found = dict(CONTRACT)
    for claim in all_claims():
        number = claim.number.partition(", ")[0]
        for label in claim.labels:
            found[label.replace(" ", "_")] = number if number == label else f"{number} [{label}]"
    return found


def _written(key: str, value: object, numbers: str) -> object:
    """Write a value of the input in the notation asked for; what has no such notation stays as it is."""
    if numbers not in (FLOAT64, RATIONAL) or isinstance(value, Raw):
        return value.value if isinstance(value, Raw) else value
    if key in MATRICES and isinstance(value, Mapping):
        return {kind: [_written(key, rows, numbers) for rows in steps] for kind, steps in value.items()}
    if key in MATRICES and isinstance(value, Sequence) and not isinstance(value, str):
        return [_row(row, numbers) for row in value]
    if key == "initial" and isinstance(value, str | Sequence):
        return _row(value, numbers)
    if key == "epsilons" and isinstance(value, Sequence):
        return [_number(level, numbers) for level in value]
    return _number(value, numbers) if key in (*LEVELS, *NUMBER_KEYS) else value


@dataclass(frozen=True, slots=True)
class Raw:
    """A value that is put into the input as it is, for requests that are to be refused."""

    value: object


def _row(row: object, numbers: str) -> object:
    entries = row.split() if isinstance(row, str) else row
    return [_number(entry, numbers) for entry in entries] if isinstance(entries, Sequence) else entries


def _number(value: object, numbers: str) -> object:
    if isinstance(value, Raw):
        return value.value
    if numbers == RATIONAL:
        if isinstance(value, float):
            raise ValueError(f"a rational case has the double {value!r}")
        return fraction_to_text(Fraction(value)) if isinstance(value, Fraction | int) else value
    if isinstance(value, Fraction | int | float):
        return "inf" if value == float("inf") else hex_text(value)
    return value if value == "inf" or not isinstance(value, str) else hex_text(Fraction(value))
