"""Numbers, levels and matrices out of decoded JSON or text: exact texts, or doubles taken at their exact values."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from ..contract.limits import MOST_RELEASES, MOST_STATES, check_count, check_written
from ..reference import (
    INFINITE,
    InvalidLevel,
    InvalidNumber,
    InvalidRequest,
    Level,
    NotStochastic,
    TransitionMatrix,
    divided_by_row_sums,
    exact_row,
    parse_level,
)
from ..reference.correlations import DOUBLE_ROUNDING
from .protocol import DECIMAL64, DOUBLES, RATIONAL
from .strict_json import Numeral, as_list, is_integer, kind, shown

WrittenEntry = str | int | Numeral
Row = tuple[Fraction, ...]

_HEX_DOUBLE = re.compile(r"([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?[0-9]{1,6}))?")
_DECIMAL_DOUBLE = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,6})?")
_NORMAL_DOUBLE = re.compile(r"0x1(?:\.[0-9a-f]{1,13})?p([+-]?[0-9]{1,4})")
_LONGEST_DOUBLE = 400
_HEXADECIMAL = "hexadecimal, as in 0x1.999999999999ap-4"
_MANTISSA_BITS, _LEAST_EXPONENT, _LEAST_NORMAL, _GREATEST_EXPONENT = 53, -1074, -1022, 1023


@dataclass(slots=True)
class Reader:
    """Reads the numbers of one question, and remembers which rows of doubles it had to divide by their sums.

    numbers: how they are written, one of NUMBERS (anything else is read as exact); decimals: doubles in hexadecimal may
    be written in decimal too, JSON's own numbers included, and mean the nearest double.
    """

    numbers: str = RATIONAL
    decimals: bool = False
    normalised: dict[str, list[int]] = field(default_factory=dict)

    @property
    def doubles(self) -> bool:
        """Whether numbers are doubles."""
        return self.numbers in DOUBLES

    def number(self, value: object, what: str) -> Fraction:
        """Read a number. Raises: InvalidNumber; InvalidRequest for what is no number at all."""
        entry = _entry(value, what)
        if not self.doubles:
            check_written([entry] if isinstance(entry, str) else [])
        try:
            return self._row([entry], what)[0]
        except InvalidNumber as error:
            raise InvalidNumber(f"{what}: {str(error).removeprefix(f'{what} 1: ')}") from None

    def level(self, value: object, what: str) -> Level:
        """Read a privacy level. Raises: InvalidLevel, InvalidNumber; InvalidRequest for what is no level at all."""
        entry = _entry(value, what)
        try:
            if self.doubles:
                return INFINITE if entry == "inf" else Level.of(self._double(entry))
            if isinstance(entry, str):
                check_written([entry])
                return parse_level(entry)
            return Level.of(self._row([entry], what)[0])
        except (InvalidLevel, InvalidNumber) as error:
            raise type(error)(f"{what}: {str(error).removeprefix(f'{what} 1: ')}") from None

    def levels(self, value: object, what: str) -> list[Level]:
        """Read an array of levels, each text once; raises as `level`, with the number in the array counted from 1."""
        values = as_list(value, what)
        check_count(len(values), MOST_RELEASES, "releases")
        if not self.doubles:
            check_written(text for text in values if isinstance(text, str))
        read: dict[str, Level] = {}
        found = []
        for number, level in enumerate(values, 1):
            own = read.get(level) if isinstance(level, str) else None
            found.append(self.level(level, f"{what} {number}") if own is None else own)
            if isinstance(level, str):
                read[level] = found[-1]
        return found

    def distribution(self, value: object, what: str) -> Row:
        """Read an array of probabilities; doubles that miss 1 by rounding are divided by their sum."""
        listed = as_list(value, what)
        check_count(len(listed), MOST_STATES, f"entries of {what}")
        row_entries = [_entry(entry, what) for entry in listed]
        if not self.doubles:
            check_written(text for text in row_entries if isinstance(text, str))
        row = self._row(row_entries, f"{what}, entry")
        total = sum(row, Fraction(0))
        if not self.doubles or total == 1:
            return row
        if abs(total - 1) > len(row) * DOUBLE_ROUNDING:
            raise NotStochastic(f"{what} is further from a sum of 1 than rounding explains")
        self.normalised[what] = [1]
        return tuple(entry / total for entry in row)

    def matrix(self, value: object, what: str) -> TransitionMatrix:
        """Read an array of arrays of numbers. Raises: InvalidRequest, InvalidNumber, and as `TransitionMatrix`."""
        return self.matrix_of(entries(value, what), what)

    def matrix_of(self, rows: Sequence[Sequence[WrittenEntry]], what: str) -> TransitionMatrix:
        """Make a matrix of entries as they were written; doubles as the contract says. Raises: as `matrix`."""
        if not self.doubles:
            check_written(text for row in rows for text in row if isinstance(text, str))
        exact = tuple(self._row(row, f"row {number}, column") for number, row in enumerate(rows, 1))
        if not self.doubles:
            return TransitionMatrix(exact)
        matrix, changed = divided_by_row_sums(exact)
        if changed:
            self.normalised[what] = [index + 1 for index in changed]
        return matrix

    def _row(self, row: Sequence[WrittenEntry], place: str) -> Row:
        if not self.doubles:
            return exact_row(row, place)  # type: ignore[arg-type]  # it refuses a Numeral by name
        numbers = []
        for number, entry in enumerate(row, 1):
            try:
                numbers.append(self._double(entry))
            except InvalidNumber as error:
                raise InvalidNumber(f"{place} {number}: {error}") from None
        return tuple(numbers)

    def _double(self, entry: WrittenEntry) -> Fraction:
        if isinstance(entry, str):
            if self.numbers == DECIMAL64:
                return decimal_double(entry)
            if "x" in entry.lower():
                return hex_double(entry)
            if self.decimals:
                return _nearest_double(entry)
        elif self.decimals:
            return _nearest_double(entry.text if isinstance(entry, Numeral) else str(entry))
        how = 'decimal, as a text, as in "0.1"' if self.numbers == DECIMAL64 else _HEXADECIMAL
        raise InvalidNumber(f"{shown(entry)} is not a double in {how}")

    def notes(self) -> dict[str, object]:
        """Return what an answer has to add: which rows were divided by their sums, counted from 1, if any."""
        return {"normalised_rows": dict(self.normalised)} if self.normalised else {}


def entries(value: object, what: str) -> list[list[WrittenEntry]]:
    """Return the rows of a matrix as they were written. Raises: InvalidRequest for what is no array of arrays."""
    rows, listed = [], as_list(value, what)
    check_count(len(listed), MOST_STATES, "rows")
    for number, row in enumerate(listed, 1):
        place = f"{what}, row {number}"
        columns = as_list(row, place)
        check_count(len(columns), MOST_STATES, "columns")
        rows.append([_entry(entry, place) for entry in columns])
    return rows


def _entry(value: object, what: str) -> WrittenEntry:
    if isinstance(value, str | Numeral) or is_integer(value):
        return value
    raise InvalidRequest(f"{what}: a JSON {kind(value)} where a number is expected, written as text")


def hex_double(text: str) -> Fraction:
    """Read a double written in hexadecimal.

    Returns: its exact value. Raises: InvalidNumber for anything else, a number between two doubles included.

    >>> hex_double("0x1.8p-1")
    Fraction(3, 4)
    """
    normal = _NORMAL_DOUBLE.fullmatch(text)
    if normal is not None and _LEAST_NORMAL <= int(normal[1]) <= _GREATEST_EXPONENT:  # 53 bits at most: it is one
        return Fraction(float.fromhex(text))
    match = _HEX_DOUBLE.fullmatch(text.strip(" \t")) if len(text) <= _LONGEST_DOUBLE else None
    if match is None or not (match[2] or match[3]):
        raise InvalidNumber(f"{shown(text)} is not a double in {_HEXADECIMAL}")
    sign, whole, places, power = match.groups()
    digits = whole + (places or "")
    exponent = int(power or 0) - 4 * len(places or "")
    try:
        value = float.fromhex(text.strip(" \t"))
    except OverflowError:
        value = math.inf
    mantissa = int(digits, 16) if sign != "-" else -int(digits, 16)
    if math.isinf(value) or not _is(value, mantissa, exponent):
        raise InvalidNumber(f"{shown(text)} is not a double: it has too many bits or too large an exponent")
    return Fraction(value)


def decimal_double(text: str) -> Fraction:
    """Read a double written in decimal: the shortest decimal that reads back to it, in any spelling.

    Returns: its exact value. Raises: InvalidNumber for anything else, other decimals near a double included.

    >>> decimal_double("0.1") == decimal_double("1e-1") == Fraction(0.1)
    True
    """
    spelt = text.strip(" \t")
    if len(text) > _LONGEST_DOUBLE or _DECIMAL_DOUBLE.fullmatch(spelt) is None:
        raise InvalidNumber(f"{shown(text)} is not a double in decimal, as in 0.1")
    value = float(spelt)
    if math.isinf(value):
        raise InvalidNumber(f"{shown(text)} is larger than every double")
    if Decimal(spelt) != Decimal(shortest_decimal(value)):
        raise InvalidNumber(f"{shown(text)} is not the shortest decimal of a double; that of the nearest is {value!r}")
    return Fraction(value)


def shortest_decimal(value: Fraction | float) -> str:
    """Write a double as the shortest decimal that reads back to it: "0.1", "1.0", "5e-324", "-0.0".

    >>> shortest_decimal(Fraction(3, 4)), shortest_decimal(1e16)
    ('0.75', '1e+16')
    """
    return repr(float(value))


def hex_text(value: Fraction | int | float) -> str:
    """Write a double in hexadecimal, normalised: "0x1.8p-1", "0x1p-1074", "0x0p+0".

    Returns: its exact value. Raises: ValueError for a number that is not a double.

    >>> hex_text(Fraction(3, 4)), hex_text(-10), hex_text(5e-324)
    ('0x1.8p-1', '-0x1.4p+3', '0x1p-1074')
    """
    if isinstance(value, float) and sys.float_info.min <= abs(value) < math.inf:
        digits, _, power = value.hex().partition("p")
        return f"{digits.rstrip('0').rstrip('.')}p{power}"
    exact = Fraction(value)
    if exact == 0:
        return "0x0p+0"
    mantissa, below = abs(exact.numerator), exact.denominator
    exponent = 1 - below.bit_length()
    zeros = (mantissa & -mantissa).bit_length() - 1
    mantissa, exponent = mantissa >> zeros, exponent + zeros
    top = mantissa.bit_length() - 1 + exponent
    fits = mantissa.bit_length() <= _MANTISSA_BITS and exponent >= _LEAST_EXPONENT and top <= _GREATEST_EXPONENT
    if below & (below - 1) or not fits:
        raise ValueError(f"{exact} is not a double")
    places = mantissa.bit_length() - 1
    nibbles = -(-places // 4)
    fraction = (mantissa - (1 << places)) << (4 * nibbles - places)
    point = f".{fraction:0{nibbles}x}" if nibbles else ""
    return f"{'-' if exact < 0 else ''}0x1{point}p{top:+d}"


def _is(value: float, mantissa: int, exponent: int) -> bool:
    """Whether value = mantissa·2^exponent."""
    if mantissa == 0 or value == 0:
        return mantissa == value == 0
    return Fraction(value) == mantissa * Fraction(2) ** exponent


def _nearest_double(text: str) -> Fraction:
    if len(text) <= _LONGEST_DOUBLE and _DECIMAL_DOUBLE.fullmatch(text) and math.isfinite(value := float(text)):
        return Fraction(value)
    exact = exact_row([text], "entry")[0] if len(text) <= _LONGEST_DOUBLE else None
    if exact is None:
        raise InvalidNumber(f"{shown(text)} is too long for a double")
    try:
        return Fraction(float(exact))
    except OverflowError:
        raise InvalidNumber(f"{shown(text)} is larger than every double") from None


def all_texts(rows: Iterable[Sequence[WrittenEntry]]) -> bool:
    """Whether every entry is a text."""
    return all(isinstance(entry, str) for row in rows for entry in row)
