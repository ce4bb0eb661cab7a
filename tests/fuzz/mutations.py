"""JSON documents made wrong: values replaced by hostile ones, moved, repeated and left out, and the bytes damaged."""

import copy
import json
import re
from fractions import Fraction

from ..certificates.corruption import places

NUMBERS = (
    "0", "1", "-1", "-0", "+1", "1/0", "0/1", "0/0", "-1/2", "2/4", "1//2", "1/2/3", "1/-2", "1.5.2", "1e",
    "e1", ".5", "5.", "1e-400", "1e400", "1e-20000", "1e20000", "1e999999", "1e-999999999", "1E+2", "1e1_0",
    "1_000", "0x1p-1074", "0x1p1023", "0x1.fffffffffffffp1023", "0x1p-2000", "0x1p0", "0x0p+0", "-0x0p+0",
    "0x.8p1", "nan", "NaN", "inf", "-inf", "Infinity", "log(1)", "log(0)", "log(-1)", "log(2)", "log(1e1000)",
    "log(1/2)", "log(inf)", "log(log(2))", "log(2", "log()", "log((1+sqrt(5))/2)", "log(sqrt(2))",
    "log((1+sqrt(4))/2)", "log((1-sqrt(5))/2)", "log((7+sqrt(33))/8)", "log(sqrt(-1))", "log((1+sqrt(5))/0)",
    "log(1+1)", "exp(1)", "__import__('os')", "1;2", " 1", "1 ", "1\n", "", "\0", "\u0661", "\uff11", "½",
    "1\u2044" + "2", "∞", "\ud800", "true", "null", "[]", "1,5", "10%",
)  # fmt: skip
OTHERS = (None, True, False, 0, 1, -1, 2, 1.5, 10**30, "", "loss", "rational", "float64", [], {}, [[]], ["1"], [["1"]])
WORDS = (
    "seq", "op", "input", "want", "numbers", "digits", "matrix", "alpha", "epsilons", "horizon", "method", "__proto__",
)  # fmt: skip
BYTES = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\x1b[2J", b"\xe2\x80\xa8", b"\\u0000", b"\\ud800", b'"', b"}",
    b"]", b",", b"//", b"1e5", b"NaN", b"-", b"[" * 2_000, b"[" * 100_000,
)  # fmt: skip
_PLAIN = re.compile(
    r"0x[01](?:\.[0-9a-f]{1,13})?p[+-]?[0-9]{1,3}|[0-9]{1,60}(?:/[1-9][0-9]{0,60}|\.[0-9]{1,60})?(?:e-?[0-9]{1,3})?"
)
LONGEST = 1 << 20
"""Bytes of what is made: what no input under a megabyte may cost is what is tried."""


def mutated(random, document):
    """Return a copy of a document in which one value has been changed; of one that is too deep to copy, itself."""
    try:
        document = copy.deepcopy(document)
    except RecursionError:
        return document
    path = random.choice(list(places(document)))
    if not path:
        return _other(random, document)
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    key = path[-1]
    match random.randrange(8):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder[key:key] = [copy.deepcopy(holder[key])] * random.choice((1, 1, 1, 2, 40))
        case 1:
            holder[random.choice(WORDS)] = copy.deepcopy(holder[key])
        case 2 if isinstance(holder, list):
            other = random.randrange(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        case 2 | 3:
            place = random.choice(list(places(document)))
            source = document
            for step in place:
                source = source[step]
            holder[key] = copy.deepcopy(source)
        case _:
            holder[key] = _other(random, holder[key])
    return document


def _other(random, value):
    """Return something else in the place of a value: near to it, hostile, or of another type."""
    if isinstance(value, str) and random.random() < 0.5:
        return _near(random, value)
    kind = random.randrange(6)
    if kind < 3 or isinstance(value, str):
        return random.choice(NUMBERS) if random.randrange(8) else _long(random)
    return _deep(random) if not random.randrange(20) else random.choice(OTHERS)


def _near(random, text):
    """Return a number near one that is written, or the text with one character changed."""
    number = None
    if _PLAIN.fullmatch(text):
        number = Fraction(float.fromhex(text) if "x" in text else text)
    if number is None or not random.randrange(4):
        at = random.randrange(len(text) + 1)
        return text[:at] + random.choice("0123456789/.e+-()xpN ") + text[at + random.randrange(2) :]
    tiny = Fraction(1, random.choice((3, 7, 2**30, 10**17, 2**60, 10**40, 2**1074)))
    other = random.choice(
        (number + tiny, number - tiny, number * (1 + tiny), 1 - number, 2 * number, number / 2, -number, number + 1)
    )
    if "x" in text:
        try:
            return float(other).hex()
        except OverflowError:
            return "inf"
    return str(other)


def _long(random):
    size = random.choice((20, 700, 5_000, 20_001, 100_000))
    numbers = ("9" * size, f"1/{'7' * size}", f"0.{'0' * size}1", f"1e{'9' * min(size, 30)}", " " * size)
    logs = ("log(" * size, f"log({'1+' * size}1)", f"log({'9' * size}/{'8' * (size - 1)})", f"log(1{' ' * size})")
    return random.choice(numbers + logs)


def _deep(random):
    value = "1"
    for _ in range(random.choice((10, 100, 300))):
        value = [value] if random.randrange(2) else {"a": value}
    return value


def damaged(random, text):
    """Return the bytes of a text with some of them left out, repeated or replaced."""
    data = bytearray(text)
    for _ in range(random.randrange(1, 4)):
        at, size = random.randrange(len(data) + 1), random.choice((0, 1, 1, 2, 9, 300))
        match random.randrange(4):
            case 0:
                del data[at : at + size]
            case 1:
                data[at:at] = data[at : at + size]
            case 2:
                data[at : at + size] = random.choice(BYTES)
            case _ if data:
                data[at % len(data)] ^= 1 << random.randrange(8)
    return bytes(data[:LONGEST])


def written(random, document):
    """Write a document as JSON, the keys in any order."""
    if isinstance(document, dict):
        document = dict(random.sample(list(document.items()), len(document)))
    return json.dumps(document, ensure_ascii=bool(random.randrange(4))).encode("utf-8", "surrogatepass")
