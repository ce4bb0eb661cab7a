"""Certificates corrupted one field at a time."""

import re
from fractions import Fraction

_NUMERAL = re.compile(r"[0-9]+/[0-9]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
FOREIGN = [None, True, 0, -1, 1.5, "", "x", "NaN", "-1", [], {}, ["1"], "1e99999999", "1/0", "\u0661", " 1", "1\n"]


def corruptions(document, seen=()):
    """Yield (place, corrupted copy) for every corruption of every field."""
    for path in places(document):
        for name, value in changes(at(document, path), document):
            yield f"{'.'.join(map(str, path)) or 'document'}: {name}", replaced(document, path, value)


def places(value, path=()):
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def replaced(document, path, value):
    """Return the document with another value at the path; the rest of it is shared, not copied."""
    if not path:
        return value
    other = document.copy()
    other[path[0]] = replaced(document[path[0]], path[1:], value)
    return other


def changes(value, document):
    """Yield (name, other value) for one field."""
    match value:
        case bool() | None:
            yield from (("another type", other) for other in ("1", [], {}, [["1"]], {"t": "1", "y": ["1"]}, [1, 2]))
        case int():
            yield from ((f"{value} → {other!r}", other) for other in (value - 1, value + 1, 1, 2, 3, 10**6))
            yield from ((f"{value} → {other!r}", other) for other in (True, str(value), float(value), None))
        case str():
            yield from ((f"{value} → {other}", other) for other in texts(value))
        case list():
            yield from lists(value)
        case dict():
            for key in value:
                yield f"without {key}", {other: value[other] for other in value if other != key}
            yield "one key more", {**value, "note": "1"}
            if "lower" in value:
                yield "swapped", {"lower": value["upper"], "upper": value["lower"]}
                for key, other in (("upper", "lower"), ("lower", "upper")):
                    yield f"{key} twice", {other: value[key], key: value[key]}
    yield from (("another type", other) for other in FOREIGN if type(other) is not type(value))


def texts(text):
    yield from (other for other in FOREIGN if isinstance(other, str))
    yield from ("0", "1", "inf", "1/10", "log(2)", "log(1)", "log(sqrt(2))", "loss", "loss-function", "leakage")
    yield from (
        "bounded",
        "bounded-below",
        "divergent",
        "worst-case-upper",
        "worst-case-forever",
        "worst-case-divergent",
    )
    yield f"log({text})"
    for match in _NUMERAL.finditer(text):
        value, exponent = Fraction(match[0]), match[0].lower().partition("e")[2]
        tiny, last = Fraction(1, 10**60), Fraction(1, 10 ** len(match[0].partition(".")[2].partition("e")[0]))
        last *= Fraction(10) ** int(exponent or 0)
        ratio = value.numerator / Fraction(value.denominator)
        others = [value * (1 + tiny), value * (1 - tiny), value + last, value - last, value + 2 * last, 2 * value]
        others += [
            value / 2,
            1 / value if value else value,
            value + 1,
            value - 1,
            1 - ratio,
            value + Fraction(1, 10**12),
        ]
        others += [value + 4 * last, value - 4 * last]
        for other in others:
            if 0 <= other != value and len(str(other)) < 3000:
                yield text[: match.start()] + str(other) + text[match.end() :]


def lists(value):
    for index, item in enumerate(value):
        yield f"without item {index}", value[:index] + value[index + 1 :]
        yield f"item {index} twice", [*value[:index], item, *value[index:]]
        if index and value[index - 1] != item:
            yield f"item {index} swapped", [*value[: index - 1], item, value[index - 1], *value[index + 1 :]]
            if isinstance(item, dict) and "from" in item:
                merged = {**value[index - 1], "to": item["to"]}
                yield f"item {index} merged", [*value[: index - 1], merged, *value[index + 1 :]]
                merged = {**item, "from": value[index - 1]["from"]}
                yield f"item {index} merged backwards", [*value[: index - 1], merged, *value[index + 1 :]]
    yield "empty", []
    yield "reversed", value[::-1]
    if all(isinstance(item, int) for item in value):
        yield from ((f"with {number}", sorted({*value, number})) for number in (1, 2, 3, 4))
