"""The surface of a request: the same request in other characters, for an implementation that reads one form alone.

A line may have its keys in another order, other blanks, characters as escapes, or characters beyond ASCII as they are.
A number may be longer or shorter, have another exponent, or be −0. Which of them a request has depends on its input
alone, and the spelling of its numbers on the id of its case, so that a question asked again is the same line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from zlib import crc32

from ...contract.operations import names_of
from ...wire.numerals import hex_double
from ...wire.protocol import DECIMAL64, FLOAT64
from ...wire.strict_json import Object, encode, mapped
from ..model import Case

ORDER, SPACES, ESCAPES, BARE = "keys in another order", "other blanks", "escaped characters", "characters beyond ASCII"
SPELLING = "numbers spelt otherwise"

SURFACES = {
    ORDER: "the keys of the request and of its input stand in another order",
    SPACES: "there are more or fewer blanks, or tabs, between the parts of the request",
    ESCAPES: "some characters of texts are written as \\u escapes",
    BARE: "characters beyond ASCII are written as they are, not as \\u escapes",
    SPELLING: "numbers are longer or shorter, unreduced, with another exponent, or 0 is -0",
}
"""How a request may be written, and what that means."""

SPELT_IN = 4
"""One seeded question in SPELT_IN has its numbers spelt otherwise."""

_LONGEST_VARIED = 20_000
"""Characters of a line whose single texts are varied; a longer one has another order and other blanks only."""

_TEXT, _CHARACTER = re.compile(r'"(?:[^"\\]|\\.)*"'), re.compile(r"\\u[0-9a-f]{4}|\\.|.")
_SEPARATORS = ((",", ":"), (" , ", " : "), (",\t", ":\t"), (",   ", ":   "))


def surface_of(case: Case, plainly: bool = False) -> tuple[str, ...]:
    """Return how the request of a case is written, of SURFACES."""
    chosen = () if plainly else _chosen(encode(case.input))
    return (*chosen, *([SPELLING] if is_spelt_otherwise(case) else []))


def _chosen(text: str) -> tuple[str, ...]:
    """Return the surfaces of a request by its input as plain JSON; those of texts only where they can be told."""
    number = crc32(text.encode("ascii"))
    if number % 3 == 0:
        return ()
    may_be = (ORDER, SPACES, *((ESCAPES, BARE) if len(text) <= _LONGEST_VARIED else ()))
    found = [name for place, name in enumerate(may_be) if number >> (8 + place) & 1]
    is_bare = BARE in found and "\\u" in text
    return tuple(name for name in found if name != (ESCAPES if is_bare else BARE))


def written(request: Object, plainly: bool = False) -> bytes:
    """Return a request as a line, on the surface that its input has, or as plain JSON."""
    text = encode(request.get("input"))
    chosen = () if plainly else _chosen(text)
    if not chosen:
        return encode(request).encode("ascii") + b"\n"
    random = Random(crc32(text.encode("ascii")))
    if ORDER in chosen:
        request = {key: _shuffled(part, random) for key, part in _shuffled(request, random).items()}
    separators = random.choice(_SEPARATORS) if SPACES in chosen else (", ", ": ")
    line = json.dumps(request, ensure_ascii=BARE not in chosen, allow_nan=False, separators=separators)
    if ESCAPES in chosen:
        line = _escaped(line, random)
    return (f" {line}\t" if SPACES in chosen else line).encode() + b"\n"


def _shuffled(part: object, random: Random) -> dict[str, object]:
    if not isinstance(part, dict):
        return part  # type: ignore[return-value]
    return dict(random.sample([*part.items()], len(part)))


def _escaped(line: str, random: Random) -> str:
    """Write some characters inside the texts of a line of JSON as escapes, those of keys too."""

    def char(found: re.Match[str]) -> str:
        one = found[0]
        if len(one) > 1 or random.randrange(8):
            return one
        return f"\\u{ord(one):04x}" if random.randrange(2) else f"\\u{ord(one):04X}"

    return _TEXT.sub(lambda text: f'"{_CHARACTER.sub(char, text[0][1:-1])}"', line)


# Numbers


def is_spelt_otherwise(case: Case) -> bool:
    """Whether the numbers of a case are spelt otherwise than they were drawn: of some seeded ones."""
    return case.source == "seeded" and crc32(case.id.encode("utf-8", "replace")) % SPELT_IN == 0


def spelt(case: Case) -> Case:
    """Return the case with its numbers spelt otherwise, each of the same value, if it is one of these."""
    if not is_spelt_otherwise(case):
        return case
    random = Random(case.id)
    spell = _SPELLERS.get(case.numbers, _exact)
    numeric = names_of(lambda kind: kind.is_numeric)

    def of(value: object) -> object:
        return spell(value, random) if isinstance(value, str) else value

    given = {key: mapped(value, of) if key in numeric else value for key, value in case.input.items()}
    return replace(case, input=given)


def _double(text: str, random: Random) -> str:
    """Write a double in hexadecimal otherwise: all digits, few, upper case, a whole number of another power, −0."""
    try:
        exact = hex_double(text)
    except Exception:  # noqa: BLE001 - what is no double, as in a case about that, stays
        return text
    if exact == 0:
        return random.choice(("-0x0p+0", "0x0.0p0", "0x0.0000000000000p+0", "0X0P+0", "0x0p-1074"))
    number = float(exact)
    whole, power = abs(exact.numerator), 1 - exact.denominator.bit_length()
    sign = "-" if number < 0 else ""
    form = random.randrange(4)
    if form == 0:
        return number.hex()
    if form == 1:
        return number.hex().upper().replace("P+", "P")
    if form == 2 and whole.bit_length() <= 53:
        return f"{sign}0x{whole:x}p{power}"
    return f"{sign}0x{whole << 4:X}p{power - 4:+d}" if whole.bit_length() <= 49 else text


def _decimal(text: str, random: Random) -> str:
    """Write a decimal otherwise: with an exponent, zeros at the end, −0."""
    digits, _, power = text.lower().partition("e")
    if digits.lstrip("-").strip("0.") == "" and digits not in ("", "inf"):
        return random.choice(("-0", "0.0", "0e0", "-0.0"))
    if not digits.lstrip("-").replace(".", "", 1).isdecimal():
        return text
    whole, _, places = digits.partition(".")
    exponent, digits = int(power or 0) - len(places), str(int(whole + places))
    form = random.randrange(3)
    if form == 0:
        return f"{digits}e{exponent}"
    if form == 1:
        return f"{digits}0E{exponent - 1:+d}"
    return f"{whole}.{places}00" + (f"e{power}" if power else "")


def _exact(text: str, random: Random) -> object:
    """Write a rational otherwise: unreduced, as a decimal, an integer of JSON; a logarithm of an unreduced ratio."""
    if text.startswith("log(") and text[4:-1].replace("/", "", 1).isdecimal():
        return f"log({_unreduced(text[4:-1], random)})"
    plain = text.lstrip("-").replace("/", "", 1)
    if not plain.isdecimal():
        return _decimal(text, random) if "(" not in text and "/" not in text else text
    if "/" not in text and random.randrange(2):
        return int(text)
    exact = Fraction(text)
    if exact == 0:
        return random.choice(("0.0", "0e0", "0/7"))
    twos_and_fives = 10**12 % exact.denominator == 0
    if twos_and_fives and random.randrange(2):
        return _decimal(f"{exact.numerator * 10**12 // exact.denominator}e-12", random)
    return _unreduced(text, random)


def _unreduced(text: str, random: Random) -> str:
    above, _, below = text.partition("/")
    factor = random.choice((2, 3, 10))
    return f"{int(above) * factor}/{int(below or 1) * factor}"


_SPELLERS: dict[str, Callable[[str, Random], object]] = {FLOAT64: _double, DECIMAL64: _decimal}
