"""The vectors as cases: read from the package's data, and rewritten for an implementation that takes other numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import cast

from ...contract.operations import OPERATIONS, names_of
from ...mistakes.failures import INPUT_ERRORS as INPUT_ERRORS  # noqa: PLC0414 - exported
from ...reference import InvalidNumber, InvalidRequest, OracleError
from ...reference.decimals import fraction_to_text
from ...wire.numerals import hex_double, shortest_decimal
from ...wire.protocol import DECIMAL64, FLOAT64, NUMBERS, RATIONAL, Declaration
from ...wire.requests import Session
from ...wire.stepwise import kind_of_steps
from ...wire.strict_json import Object, as_list, as_object, as_string, decode
from ..model import TIERS, WIRE, Case
from .surface import spelt

VECTOR_FILES = (*(f"{op}.json" for op in OPERATIONS), f"{WIRE}.json")
"""The vector files."""

FLAGS_FILE = "flags.json"
"""The name of the file that explains the flags."""


def data_folder() -> Traversable:
    """Return the folder of the vector files, in a wheel as in a checkout."""
    return files(f"{__package__.partition('.')[0]}.vectors")


def documents(folder: Traversable) -> Iterator[tuple[str, Object]]:
    """Yield the name of each vector file and its content, JSON floats as floats. Raises: InvalidRequest.

    The files are ours: they are checked by `tploracle vectors lint`, not here, but for what reading them needs.
    """
    for name in VECTOR_FILES:
        try:
            text = folder.joinpath(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidRequest(f"{name}: the vectors cannot be read: {error}") from None
        decode(text)
        yield name, as_object(json.loads(text), name)


def vectors(folder: Traversable) -> Iterator[Object]:
    """Yield every vector, in order, with its "op". Raises: as `documents`."""
    for name, document in documents(folder):
        for vector in as_list(document.get("cases"), f"{name}, cases"):
            yield {"op": document.get("op"), **as_object(vector, f"{name}, a case")}


def load_vectors(tier: str = "full") -> list[Case]:
    """Return the cases of a tier and of those before it, in order. Raises: InvalidRequest for an unknown tier."""
    if tier not in TIERS:
        raise InvalidRequest(f"the tier is one of {', '.join(TIERS)}, not {tier!r}")
    tiers = TIERS[: TIERS.index(tier) + 1]
    return [case for case in _shipped() if case.tier in tiers]


@cache
def _shipped() -> tuple[Case, ...]:
    return tuple(case_of(vector) for vector in vectors(data_folder()))


def case_of(vector: Object) -> Case:
    """Return a vector as a case. Raises: KeyError for one that `tploracle vectors lint` would not pass."""
    cites, errata, flags = (tuple(cast(list[str], vector[key])) for key in ("cites", "errata", "flags"))
    return Case(
        id=as_string(vector["id"], "id"),
        op=as_string(vector["op"], "op"),
        numbers=as_string(vector["numbers"], "numbers"),
        input=as_object(vector["input"], "input"),
        expected=as_object(vector["expected"], "expected"),
        digits=cast(int, vector["digits"]),
        tier=as_string(vector["tier"], "tier"),
        title=as_string(vector["title"], "title"),
        cites=cites,
        errata=errata,
        flags=flags,
    )


_REWRITE: dict[str, Callable[[Fraction], str]] = {DECIMAL64: shortest_decimal, RATIONAL: fraction_to_text}
"""How doubles are rewritten for who does not take them in hexadecimal; of several ways that are declared, the first."""


def rewritten(case: Case, numbers: str) -> Case:
    """Return a float64 case with its doubles written another way, in decimal or as exact rationals; others as they are.

    What is expected stays the same: it is about the exact values. Raises: InvalidNumber where a number is no double,
    as in a case that is about that very fault.
    """
    if case.numbers != FLOAT64:
        return case
    write = _REWRITE[numbers]
    equivalent = None if case.equivalent is None else _rewritten_input(case.equivalent, write)
    return replace(case, numbers=numbers, input=_rewritten_input(case.input, write), equivalent=equivalent)


def _rewritten_input(given: Object, write: Callable[[Fraction], str]) -> Object:
    numeric, known = names_of(lambda kind: kind.is_numeric), {"inf": "inf"}

    def rewritten(value: object) -> object:
        if isinstance(value, list):
            rows = {id(item): item for item in value}
            again = {place: rewritten(item) for place, item in rows.items()}
            return [again[id(item)] for item in value]
        if isinstance(value, dict):
            return {key: rewritten(item) for key, item in value.items()}
        if not isinstance(value, str):
            return value
        if value not in known:
            known[value] = write(hex_double(value))
        return known[value]

    return {key: rewritten(value) if key in numeric else value for key, value in given.items()}


def is_about_input(case: Case, session: Session) -> bool:
    """Whether the right answer to a case is that its input is none: it is not asked of who is judged leniently."""
    if case.expected is not None:
        return case.expected.get("error") in INPUT_ERRORS
    try:
        session.answer(case.op, case.input if case.equivalent is None else case.equivalent, numbers=case.numbers)
    except OracleError as error:
        return error.name in INPUT_ERRORS
    return False


def is_stepwise(given: Object) -> bool:
    """Whether an input has a correlation with a matrix for each step."""
    return any(kind_of_steps(value) is not None for value in given.values())


def askable(case: Case, declaration: Declaration) -> Case | None:
    """Return the case as it is put to an implementation, None where it has declared that it cannot answer.

    A case of an operation that the contract does not have may always be asked, unless it is declared all the same; so
    may one of numbers that there are not, of a declared operation. A float64 case is rewritten for an implementation
    that takes doubles in decimal, or rationals, only, where that can be done. Numbers of some are spelt otherwise.
    """
    if is_stepwise(case.input) and not declaration.stepwise:
        return None
    if (case.op in OPERATIONS) != (case.op in declaration.operations):
        return None
    if case.op not in OPERATIONS or case.numbers not in NUMBERS or case.numbers in declaration.numbers:
        return spelt(case)
    taken = [numbers for numbers in _REWRITE if numbers in declaration.numbers]
    if case.numbers != FLOAT64 or not taken:
        return None
    try:
        return spelt(rewritten(case, taken[0]))
    except InvalidNumber:
        return None
