"""The JSON Schema of the wire, from the table of operations: wire.schema.json."""

from __future__ import annotations

from ..contract.entry import MATRIX_INPUTS, WHOLE, InputKey, InputKind, Operation, ValueField, ValueKind
from ..contract.errors import ERRORS, INTERNAL_ERROR
from ..contract.limits import MOST_DIGITS
from ..contract.operations import OPERATIONS, PIECE
from .protocol import DECIMAL64, DOUBLES, FLOAT64, LONGEST_NAME, NUMBERS, RATIONAL
from .serve import PROTOCOL
from .stepwise import CYCLE, STEPS
from .strict_json import Object

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_DECIMAL = r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_NUMBER = rf"[+-]?([0-9]+/[0-9]+|{_DECIMAL})"
_DOUBLE = r"[+-]?0[xX]([0-9a-fA-F]+(\.[0-9a-fA-F]*)?|\.[0-9a-fA-F]+)([pP][+-]?[0-9]{1,6})?"
_LOG = r"log\([0-9eE.+*/()sqrt \t-]+\)"


def ref(name: str) -> Object:
    """Return the schema that stands under a name."""
    return {"$ref": f"#/$defs/{name}"}


def array_of(items: Object) -> Object:
    """Return the schema of an array."""
    return {"type": "array", "items": items}


def some(items: Object) -> Object:
    """Return the schema of an array that is not empty."""
    return {"type": "array", "minItems": 1, "items": items}


def object_of(required: dict[str, Object], optional: dict[str, Object]) -> Object:
    """Return the schema of an object that has no other keys."""
    properties = {**required, **optional}
    closed: Object = {"type": "object", "required": list(required), "additionalProperties": False}
    return {**closed, "properties": properties}


def of_steps(matrix: Object) -> Object:
    """Return the schema of a matrix, or of an object with one for each step."""
    kinds: list[Object] = [object_of({STEPS: array_of(matrix)}, {}), object_of({CYCLE: some(matrix)}, {})]
    return {"anyOf": [matrix, *kinds]}


STEPWISE_KEYS = frozenset(key.name for operation in OPERATIONS.values() for key in operation.keys if key.stepwise)
"""The names under which some operation takes a matrix for each step."""


def _text(*patterns: str) -> Object:
    return {"type": "string", "pattern": rf"^[ \t]*({'|'.join(patterns)})[ \t]*$"}


def alternatives(operation: Operation) -> Object:
    """Return the schema of alternative keys: an input has exactly one of them."""
    return {"oneOf": [{"required": [name]} for name in operation.one_of]} if operation.one_of else {}


def wire_schema() -> Object:
    """Return the JSON Schema of a line of the wire: a request or an answer; by operation in its $defs."""
    requests = [f"request_of_{op}" for op in OPERATIONS]
    answers = [f"answer_to_{op}" for op in OPERATIONS]
    names: Object = {"name": {"enum": [*ERRORS, INTERNAL_ERROR]}, "message": {"type": "string"}}
    numeral: Object = {"type": "integer"}
    return {
        "$schema": _DRAFT,
        "title": "The wire of tploracle",
        "description": "One line: a request, or the answer to one. The $defs have both for each operation.",
        "anyOf": [ref("request"), ref("answer")],
        "$defs": {
            "request": {"anyOf": [ref(name) for name in ("start", "stop", *requests)]},
            "answer": {"anyOf": [ref(name) for name in ("declaration", *answers)]},
            "start": object_of({"op": {"const": "start"}, "protocol": {"const": PROTOCOL}}, {}),
            "stop": object_of({"op": {"const": "stop"}}, {}),
            "declaration": {
                "type": "object",
                "required": ["name", "version", "operations", "numbers"],
                "properties": {
                    **{key: {"type": "string", "maxLength": LONGEST_NAME} for key in ("name", "version")},
                    "operations": {**some({"type": "string"}), "uniqueItems": True},
                    "numbers": {**some({"enum": list(NUMBERS)}), "uniqueItems": True},
                    "stepwise": {
                        "description": "Whether it takes a matrix for each step; it is not asked any otherwise.",
                        "type": "boolean",
                    },
                    "domain": {
                        "description": "What it is made for: it is not asked beyond.",
                        **object_of(
                            {}, {"states": ref("count"), "releases": ref("count"), "level": ref(f"level_in_{RATIONAL}")}
                        ),
                    },
                },
            },
            "query": _query(),
            **{f"keys_in_{numbers}": {"properties": _keys_in(numbers)} for numbers in NUMBERS},
            "reply": _reply(),
            **{f"request_of_{op}": _request(op) for op in OPERATIONS},
            **{f"input_of_{op}": _input(operation) for op, operation in OPERATIONS.items()},
            **{f"answer_to_{op}": _answer(operation) for op, operation in OPERATIONS.items()},
            "seq": {"description": "The same in a request and its answer.", "type": ["integer", "string"]},
            "count": {"description": "A time or a number of things, from 1.", "type": "integer", "minimum": 1},
            RATIONAL: {"anyOf": [_text(_NUMBER), numeral]},
            FLOAT64: _text(_DOUBLE),
            DECIMAL64: _text(rf"[+-]?({_DECIMAL})"),
            **{f"correlation_in_{numbers}": of_steps(some(some(ref(numbers)))) for numbers in NUMBERS},
            f"level_in_{RATIONAL}": {"anyOf": [_text(_NUMBER, _LOG, "inf"), numeral]},
            f"level_in_{FLOAT64}": _text(_DOUBLE, "inf"),
            f"level_in_{DECIMAL64}": _text(rf"[+-]?({_DECIMAL})", "inf"),
            "number": {"anyOf": [_text(_NUMBER, _DOUBLE), numeral]},
            "end": {"anyOf": [_text(_NUMBER, _DOUBLE, _LOG, "inf"), numeral]},
            "bounds": {
                "description": "Two numbers that enclose a level, and its exact text where it has one.",
                "type": "object",
                "required": ["lower", "upper"],
                "properties": {
                    "exact": {"anyOf": [ref("end"), {"type": "null"}]},
                    "lower": ref("end"),
                    "upper": ref("end"),
                },
            },
            "level": {"anyOf": [ref("end"), ref("bounds")]},
            "piece": _value(PIECE),
            "normalised_rows": {
                "description": "Rows of doubles that were divided by their sums, from 1, by the name of the matrix.",
                "type": "object",
                "additionalProperties": _POSITIONS,
            },
            "error": {"type": "object", "required": ["name"], "properties": names},
        },
    }


def _query() -> Object:
    """Return what all requests have in common: how its numbers are written says what stands under the input's keys."""
    digits: Object = {"type": "integer", "minimum": 1, "maximum": MOST_DIGITS}
    request = object_of(
        {"seq": ref("seq"), "op": {"type": "string"}, "input": {"type": "object"}},
        {"want": object_of({}, {"digits": digits}), "numbers": {"enum": list(NUMBERS)}},
    )
    keys: Object = {"properties": {"input": ref(f"keys_in_{RATIONAL}")}}
    for numbers in reversed(DOUBLES):
        written: Object = {"required": ["numbers"], "properties": {"numbers": {"const": numbers}}}
        keys = {"if": written, "then": {"properties": {"input": ref(f"keys_in_{numbers}")}}, "else": keys}
    return {**request, **keys}


def _request(op: str) -> Object:
    return {**ref("query"), "properties": {"op": {"const": op}, "input": ref(f"input_of_{op}")}}


def _input(operation: Operation) -> Object:
    """Return the keys of an input, what each means, and what stands under those that no numbers are written in."""
    keys: dict[str, Object] = {}
    for key in operation.keys:
        keys[key.name] = {"description": f"{key.sentence[0].upper()}{key.sentence[1:]}."}
        if not key.kind.is_numeric:
            keys[key.name] |= _key(key, RATIONAL)
        elif key.kind.is_matrix and not key.stepwise and key.name in STEPWISE_KEYS:
            keys[key.name]["type"] = "array"
    required, optional = ({name: keys[name] for name in names} for names in (operation.required, operation.optional))
    return {"description": operation.sentence, **object_of(required, optional), **alternatives(operation)}


def _keys_in(numbers: str) -> Object:
    """Return what stands under the keys of all inputs that numbers are written in: a name means the same in each."""
    keys = (key for operation in OPERATIONS.values() for key in operation.keys)
    return {key.name: _key(key, numbers) for key in keys if key.kind.is_numeric}


def _key(key: InputKey, numbers: str) -> Object:
    number, level = ref(numbers), ref(f"level_in_{numbers}")
    kinds: dict[InputKind, Object] = {
        InputKind.LEVEL: level,
        InputKind.LEVELS: some(level),
        InputKind.NUMBER: number,
        InputKind.COUNT: ref("count"),
        InputKind.TEXT: {"enum": list(key.choices)},
        **dict.fromkeys(
            MATRIX_INPUTS, ref(f"correlation_in_{numbers}") if key.name in STEPWISE_KEYS else some(some(number))
        ),
        InputKind.DISTRIBUTION: some(number),
        InputKind.SEQUENCES: some(array_of({"type": "string"})),
    }
    return kinds[key.kind]


def _reply() -> Object:
    """Return what all answers have in common."""
    bodies: dict[str, Object] = {"value": {}, "error": ref("error"), "skipped": {"type": "string"}}
    return {
        "type": "object",
        "required": ["seq"],
        "properties": {"seq": {"anyOf": [ref("seq"), {"type": "null"}]}, **bodies},
        "oneOf": [{"required": [body]} for body in bodies],
    }


def _answer(operation: Operation) -> Object:
    value = _value(operation.returns)
    if operation.is_level:
        value = {"anyOf": [ref("end"), {"allOf": [ref("bounds"), value]}]}
    else:
        value["properties"] = {**_properties(operation.returns), "normalised_rows": ref("normalised_rows")}
    return {**ref("reply"), "properties": {"value": value}}


def _value(fields: tuple[ValueField, ...]) -> Object:
    """Return the schema of an object with these fields: what is added to the contract may be missing."""
    required = [field.name for field in fields if not field.addition and field.name != WHOLE]
    of: Object = {"type": "object", "properties": _properties(fields)}
    return {**of, "required": required} if required else of


def _properties(fields: tuple[ValueField, ...]) -> Object:
    return {field.name: _FIELDS[field.kind] for field in fields if field.name != WHOLE}


_POSITIONS = array_of({"type": "integer", "minimum": 1})

_FIELDS: dict[ValueKind, Object] = {
    ValueKind.LEVEL: ref("level"),
    ValueKind.EXACT_LEVEL: ref("level"),
    ValueKind.LEVELS: array_of(ref("level")),
    ValueKind.PIECES: array_of(ref("piece")),
    ValueKind.MATRIX: array_of(array_of(ref("number"))),
    ValueKind.DISTRIBUTION: array_of(ref("number")),
    ValueKind.NUMBER: ref("number"),
    ValueKind.ROWS: {"anyOf": [{**_POSITIONS, "minItems": 2, "maxItems": 2}, {"type": "null"}]},
    ValueKind.COLUMNS: _POSITIONS,
    ValueKind.NAMES: array_of({"type": "string"}),
}
