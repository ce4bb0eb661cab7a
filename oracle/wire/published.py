"""What is published of the code: the two JSON Schemas, the tables of docs/wire.md, and docs/errors.md.

`python -m tploracle.wire.published FOLDER` writes them anew into a checkout, and lays out the schemas that are written
by hand; the tests hold the files to them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from inspect import cleandoc
from pathlib import Path

from ..contract.entry import WHOLE, InputKey, InputKind, Operation, ValueKind
from ..contract.errors import ERRORS, UnknownOperation
from ..contract.operations import OPERATIONS, PIECE
from ..reference.errors import NotUnique, OracleError, Refuted
from .protocol import FLOAT64, RATIONAL
from .schema import alternatives, array_of, object_of, of_steps, ref, some, wire_schema
from .strict_json import Object

WIRE_SCHEMA, VECTORS_SCHEMA_PATH, PAGE = "oracle/wire/wire.schema.json", "vectors/vectors.schema.json", "docs/wire.md"
ERRORS_PAGE = "docs/errors.md"
OTHER_SCHEMAS = (
    "oracle/cli/output.schema.json",
    "oracle/conformance/report.schema.json",
    "certificates/certificate.schema.json",
)
"""The schemas that are written by hand."""

_WIDTH = 120
"""Of a line of a schema."""


def vectors_schema(schema: Object) -> Object:
    """Return the JSON Schema of the vector files with its parts about operations anew."""
    properties, definitions = dict(_at(schema, "properties")), dict(_at(schema, "$defs"))
    properties["op"] = {**_at(properties, "op"), "enum": [*OPERATIONS, "wire"]}
    cases: list[Object] = []
    for op in (*OPERATIONS, "wire"):
        items: Object = {"cases": {"items": ref(f"case_of_{op}")}}
        cases.append({"if": {"properties": {"op": {"const": op}}}, "then": {"properties": items}})
    parts = {
        "correlation": of_steps(ref("matrix")),
        **{f"case_of_{op}": _vector(operation) for op, operation in OPERATIONS.items()},
    }
    written = [name for name in definitions if name.startswith("case_of_") and name != "case_of_wire"]
    kept = {name: of for name, of in definitions.items() if name not in (*written, "correlation")}
    first = list(kept).index("case_of_wire")
    names = [*list(kept)[:first], *parts, *list(kept)[first:]]
    return {
        **schema,
        "properties": properties,
        "allOf": cases,
        "$defs": {name: {**kept, **parts}[name] for name in names},
    }


def _at(schema: Object, key: str) -> Object:
    found = schema[key]
    assert isinstance(found, dict)
    return found


def _vector(operation: Operation) -> Object:
    """Return what a vector of this operation has: an input and a value of its form, or an error."""
    keys = {key.name: _vector_key(key) for key in operation.keys if not key.addition}
    required = {name: keys[name] for name in operation.required}
    optional = {name: of for name, of in keys.items() if name not in required}
    fields = {field.name: _VECTOR_FIELDS[field.kind] for field in operation.fields}
    value = fields[WHOLE] if operation.is_level else object_of(fields, {})
    return {
        "not": {"anyOf": [{"required": ["op"]}, {"required": ["needs"]}]},
        "properties": {"numbers": {"enum": [FLOAT64, RATIONAL]}, "digits": ref("count")},
        "if": {"properties": {"expected": {"required": ["value"]}}},
        "then": {
            "properties": {
                "input": {**object_of(required, optional), **alternatives(operation)},
                "expected": {"properties": {"value": value}},
            }
        },
    }


def _vector_key(key: InputKey) -> Object:
    if key.kind is InputKind.TEXT:
        return {"enum": list(key.choices)}
    return ref("correlation") if key.stepwise else _VECTOR_KEYS[key.kind]


_VECTOR_KEYS: dict[InputKind, Object] = {
    InputKind.LEVEL: ref("level_in"),
    InputKind.LEVELS: some(ref("level_in")),
    InputKind.NUMBER: ref("number"),
    InputKind.COUNT: ref("count"),
    InputKind.MATRIX: ref("matrix"),
    InputKind.LOSS: ref("matrix"),
    InputKind.DISTRIBUTION: ref("row"),
    InputKind.SEQUENCES: some(array_of({"type": "string"})),
}

_VECTOR_FIELDS: dict[ValueKind, Object] = {
    ValueKind.LEVEL: ref("level"),
    ValueKind.LEVELS: some(ref("level")),
    ValueKind.MATRIX: ref("rational_matrix"),
    ValueKind.DISTRIBUTION: some(ref("rational")),
    ValueKind.NUMBER: ref("rational"),
    ValueKind.EXACT_LEVEL: ref("exact"),
}
_VECTOR_FIELDS[ValueKind.PIECES] = some(
    object_of({field.name: _VECTOR_FIELDS[field.kind] for field in PIECE if not field.addition}, {})
)


def operations_table() -> str:
    """Return the table of the operations: what each takes and returns."""
    lines = ["| op | answers with | input | value | additions |", "|---|---|---|---|---|"]
    for op, operation in OPERATIONS.items():
        added = [f"`{field.name}`" for field in operation.returns if field.addition]
        added += [f"in the input `{key.name}`" for key in operation.keys if key.addition]
        if any(field.kind is ValueKind.PIECES for field in operation.fields):
            added += [f"{_names(field.name for field in PIECE if field.addition)} of each piece"]
        words = (f"`{op}`", operation.sentence, _input_words(operation), _value_words(operation), ", ".join(added))
        lines.append(f"| {' | '.join(words)} |")
    return "\n".join(lines) + "\n"


def keys_table() -> str:
    """Return the table of the keys of inputs: what is written under each, and what it means."""
    lines = ["| key | written as | meaning | of |", "|---|---|---|---|"]
    meanings: dict[tuple[str, str, str], list[str]] = {}
    for op, operation in OPERATIONS.items():
        for key in operation.keys:
            choices = " or ".join(f'`"{choice}"`' for choice in key.choices)
            written = choices or key.written
            meanings.setdefault((key.name, written, key.sentence), []).append(op)
    lines += [f"| `{name}` | {written} | {what} | {_names(ops)} |" for (name, written, what), ops in meanings.items()]
    return "\n".join(lines) + "\n"


def errors_table() -> str:
    """Return the table of the operations that may answer with each error, but for those that all may."""
    lines = ["| error | answered by |", "|---|---|"]
    for name in ERRORS:
        ops = [op for op, operation in OPERATIONS.items() if name in operation.errors]
        if 0 < len(ops) < len(OPERATIONS):
            lines.append(f"| `{name}` | {_names(ops)} |")
    return "\n".join(lines) + "\n"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _input_words(operation: Operation) -> str:
    words = [
        f"`{key.name}`" if key.required else f"`{key.name}`?"
        for key in operation.keys
        if not key.addition and key.name not in operation.one_of
    ]
    either = [" or ".join(f"`{name}`" for name in operation.one_of)] if operation.one_of else []
    return ", ".join(either + words)


def _value_words(operation: Operation) -> str:
    kinds: dict[ValueKind, list[str]] = {}
    for field in operation.fields:
        kinds.setdefault(field.kind, []).append(field.name)
    words = []
    for kind, names in kinds.items():
        pieces = f": {_names(field.name for field in PIECE if not field.addition)} of each" * (kind is ValueKind.PIECES)
        words.append(kind.value if names == [WHOLE] else f"{_names(names)}: {kind.value}{pieces}")
    return "; ".join(words)


TABLES = {"operations": operations_table, "keys": keys_table, "errors": errors_table}
"""The tables of docs/wire.md, each between two comments that name it."""


def with_tables(page: str) -> str:
    """Return the text of docs/wire.md with its tables anew."""
    for name, table in TABLES.items():
        begin, end = f"<!-- {name}: from oracle/contract/operations.py -->\n\n", f"\n<!-- end of {name} -->"
        before, _, rest = page.partition(begin)
        page = before + begin + table() + end + rest.partition(end)[2]
    return page


def errors_page() -> str:
    """Return docs/errors.md: what each name means and what to do, by the docstrings of the classes."""
    classes = {kind.__name__: kind for kind in (*OracleError.__subclasses__(), UnknownOperation)}
    parts = [_ERRORS_HEAD]
    for name in (*ERRORS, NotUnique.__name__, Refuted.__name__):
        meaning, to_do = cleandoc(classes[name].__doc__ or "").partition("\n\n>>>")[0].split("\n\nTo do: ")
        options = re.sub(r"--[a-z-]+", r"`\g<0>`", " ".join(to_do.split()))
        parts.append(f"## {name}\n\n{' '.join(meaning.split())}\n\n**To do:** {options}\n")
    return "\n".join(parts)


_ERRORS_HEAD = """\
# Errors

An error is one line: its name, then what is wrong and where, as file, row, column, line, option or key. A command
exits with status 2, with 3 for `Undecided` and 5 for `Refuted` ([all](stability.md#exit-statuses)); a function raises
`NAME` of `tploracle.reference.errors`, a subclass of `OracleError`; on [the wire](wire.md#errors) the name is in the
answer. Names are added, never renamed. `InternalError` is a fault of the oracle: report it with its traceback. A line
that begins with `note:` is no error.

<!-- From the docstrings of the classes, by python -m tploracle.wire.published . -->
"""


def published(root: Path) -> dict[str, str]:
    """Return what the files in a checkout are to hold, by their paths."""

    def read(path: str) -> str:
        return (root / path).read_text(encoding="utf-8")

    vectors = vectors_schema(json.loads(read(VECTORS_SCHEMA_PATH)))
    return {
        WIRE_SCHEMA: f"{laid_out(wire_schema())}\n",
        VECTORS_SCHEMA_PATH: json.dumps(vectors, ensure_ascii=False, indent=1) + "\n",
        PAGE: with_tables(read(PAGE)),
        ERRORS_PAGE: errors_page(),
        **{path: f"{laid_out(json.loads(read(path)))}\n" for path in OTHER_SCHEMAS},
    }


def laid_out(value: object, indent: str = "", before: int = 0) -> str:
    """Return JSON with each object and array on one line where that is short enough.

    Args: before, how many characters its key takes.
    """
    line = json.dumps(value, ensure_ascii=False)
    if not value or len(indent) + before + len(line) < _WIDTH:
        return line
    within = f"{indent}  "
    if isinstance(value, dict):
        keys = {f"{json.dumps(key)}: ": under for key, under in value.items()}
        start, end, parts = "{", "}", [key + laid_out(under, within, len(key)) for key, under in keys.items()]
    elif isinstance(value, list):
        start, end, parts = "[", "]", [laid_out(item, within) for item in value]
    else:
        return line
    lines = ",\n".join(f"{within}{part}" for part in parts)
    return f"{start}\n{lines}\n{indent}{end}"


if __name__ == "__main__":
    for path, text in published(Path(sys.argv[1])).items():
        Path(sys.argv[1], path).write_text(text, encoding="utf-8")
