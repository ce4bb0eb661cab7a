"""Cases that are written in tables, a line each: cases/OP.toml, and cases/wire.toml.

    [BLOCK]                                  # fields that all its cases have, and cites, for which they are there
    NAME = { title = "...", ..., shows = "..." }

The fields of a case: title; shows, its flags, errata and what it cites; edges, sentences of `edges.EDGES`, where it has
no flag; numbers, digits, error, full, certify where they are not the usual ones; in wire.toml op; and the input: as
`input`, the JSON text of a request that is refused, or a field for each key. There a matrix or a distribution is rows
of numbers with commas between (at the end ... repeats one), a name of cases/matrices.toml, or a call of one of
`input_parts.MADE`; of a matrix for each step { steps = [...] } or { cycle = [...] } of these; the epsilons are numbers,
or "N times X"; a sequence is a text of letters.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from tploracle.conformance.model import WIRE
from tploracle.wire.protocol import FLOAT64

from .draft import Draft, Raw, draft
from .edges import EDGES
from .input_parts import CASES, MADE, NAMED, rows_of_text
from .read_query import MATRICES

_CALL = re.compile(r"(\w+)\(([0-9, ]*)\)")
_REPEATED = re.compile(r"([0-9]+) times (\S+)")
_FRAME = ("title", "shows", "edges", "numbers", "digits", "error", "full", "certify", "op", "input")


def listed(file: str) -> Iterator[Draft]:
    """Yield the cases of a table, by the operation that it is named after or "wire", in its order.

    Raises: EdgeBroken where a case is not what it is there for; ValueError, KeyError for one that is malformed.
    """
    for block in tomllib.loads((CASES / f"{file}.toml").read_text(encoding="utf-8")).values():
        common = {key: value for key, value in block.items() if not isinstance(value, dict)}
        for name, own in block.items():
            if isinstance(own, dict):
                shows = f"{own.get('shows', '')} {common.get('cites', '')}"
                yield _case(file, name, {**common, **own, "shows": shows})


def _case(file: str, name: str, case: dict[str, Any]) -> Draft:
    numbers = case.get("numbers", FLOAT64)
    given = {key: _value(key, value, numbers) for key, value in case.items() if key not in (*_FRAME, "cites")}
    if "input" in case:
        given = {key: Raw(value) for key, value in json.loads(case["input"]).items()}
    return draft(
        case.get("op", file),
        f"{name}: {case['title']}",
        given,
        case["shows"],
        edges={sentence: EDGES[sentence] for sentence in case.get("edges", ())},
        wire=file == WIRE,
        **{key: case[key] for key in ("numbers", "digits", "error", "full", "certify") if key in case},
    )


def _value(key: str, value: Any, numbers: str) -> object:
    """Return a value of the input as `draft` takes it."""
    if key in MATRICES and isinstance(value, dict):
        return {kind: [_value(key, rows, numbers) for rows in steps] for kind, steps in value.items()}
    if key in (*MATRICES, "initial") and isinstance(value, str):
        if call := _CALL.fullmatch(value):
            found = MADE[call[1]](*map(int, re.findall("[0-9]+", call[2])))
        else:
            found = NAMED[value] if value in NAMED else rows_of_text(value)
        return found[0] if key == "initial" else found
    if key == "epsilons" and isinstance(value, str):
        repeated = _REPEATED.fullmatch(value)
        if repeated is None:
            raise ValueError(f"{value!r} are no epsilons")
        return [float(repeated[2]) if numbers == FLOAT64 else repeated[2]] * int(repeated[1])
    if key == "sequences":
        return [list(sequence) for sequence in value]
    return value
