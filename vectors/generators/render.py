"""Vector files as text: the same bytes on every machine."""

from __future__ import annotations

import json
from collections.abc import Iterable

from tploracle.wire.strict_json import Object

from .flags import FLAGS

FORMAT = 1

_SCALARS = (str, int, float, bool, type(None))


def file_text(op: str, vectors: Iterable[Object]) -> str:
    """Return a vector file. Args: op, of all its cases, or "wire" where each has its own."""
    cases = [{key: value for key, value in vector.items() if key != "op" or op == "wire"} for vector in vectors]
    return formatted({"format": FORMAT, "op": op, "cases": cases}) + "\n"


def flags_text() -> str:
    """Return the file of the flags: what each one's cases catch."""
    flags = {name: {"bug": flag.bug, "effect": flag.effect} for name, flag in sorted(FLAGS.items())}
    return formatted({"format": FORMAT, "flags": flags}) + "\n"


def formatted(value: object, depth: int = 0) -> str:
    """Write JSON: one more blank at each depth, an array of texts and numbers on one line."""
    inner, outer = "\n" + " " * (depth + 1), "\n" + " " * depth
    if isinstance(value, dict) and value:
        items = (f"{json.dumps(key, ensure_ascii=False)}: {formatted(item, depth + 1)}" for key, item in value.items())
        return "{" + inner + f",{inner}".join(items) + outer + "}"
    if isinstance(value, list) and not all(isinstance(item, _SCALARS) for item in value):
        return "[" + inner + f",{inner}".join(formatted(item, depth + 1) for item in value) + outer + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
