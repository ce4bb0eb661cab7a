"""What the certificate checker reads, and what it may spend on it: JSON, numbers, levels, vectors, the command line.

Nothing here knows what a certificate proves, and of the checker only this file counts. Numbers are not negative: there
is no sign to write. What exceeds a limit is not decided. Work, and the bits of numbers, are counted before they are
spent: of a number where it is read, together with the few operations in which a proof uses it; of vectors, in the
methods of `Node` that compute with them. The standard library alone, as in `checker.py`, beside which this file goes.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isqrt, lcm, prod
from operator import mul, sub
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

MOST_TEXT, MOST_LENGTH, MOST_STATES, MOST_STEPS, MOST_DIGITS = 1 << 25, 20_000, 1_000, 10_000, 1_000
MOST_LEVEL, MOST_EXPONENT, MOST_COMMON, MOST_BITS = 2_000_000, 1_000_000, 1 << 19, 1 << 32
MOST_ZEROS, MOST_WORK = 10**8, 2 * 10**10
_NUMBER = re.compile(r"[0-9]+(?:/([0-9]+)|(?:\.[0-9]+)?(?:[eE][+-]?0*([0-9]+))?)")
_POWER = re.compile(r"[eE][+-]?0*([0-9]{1,8})")
_SURD = re.compile(r"(\()?(?:(-?[0-9]+)([+-]))?sqrt\(([0-9]+)\)(?(1)\)/([0-9]+))|sqrt\(([0-9]+)\)/([0-9]+)")
Pair = tuple[int, int]  # of a number in [0, ∞]: numerator and denominator, not in lowest terms; (1, 0) is ∞


class Rejected(Exception):
    """The first step that fails: the path of a field (times, rows, columns, items count from 1) and a sentence."""


class NotDecided(Exception):
    """A limit that is reached before it is known whether the certificate holds: where, and which."""


@dataclass
class Spent:
    """What a check has cost so far: units of work, of about 2 ns each, and bits of the numbers it made."""

    most_work: int
    work: int = 0
    bits: int = 0


@dataclass(frozen=True)
class Level:
    """A level α: rationals at most and at least e^α, and α itself where it is known to be a rational number."""

    lower: Pair
    upper: Pair
    alpha: Pair | None = None

    def __add__(self, other: Level) -> Level:
        (a, b), (c, d), alpha = self.lower, self.upper, None
        if self.alpha and other.alpha:
            (x, y), (z, w) = self.alpha, other.alpha
            alpha = x * w + z * y, y * w
        return Level((a * other.lower[0], b * other.lower[1]), (c * other.upper[0], d * other.upper[1]), alpha)

    def __le__(self, other: Level) -> bool:
        """Whether it is proved to be at most another."""
        (a, b), (c, d) = (self.alpha, other.alpha) if self.alpha and other.alpha else (self.upper, other.lower)
        return a * d <= c * b


ZERO = Level((1, 1), (1, 1), (0, 1))


@dataclass(frozen=True)
class Node:
    """A JSON value and where it is; each method returns what it is asked for, or rejects, or does not decide."""

    path: str
    value: Any
    spent: Spent

    def count(self, a: int, b: int = 0, times: int = 1, *, divide: bool = False, made: int = 0) -> None:
        """Count sums (of which b is 0), products or divisions of numbers of a and b bits, and bits that are made."""
        spent, long, short = self.spent, max(a, b) >> 5, min(a, b) >> 5
        spent.work += 1000 + times * (50 + long + long * (short if divide else min(short, 16 * isqrt(short))))
        spent.bits += made
        self.within(spent.work, spent.most_work, "units of work (--work)")
        self.within(spent.bits, MOST_BITS, "bits in all numbers")

    def within(self, amount: int, most: int, what: str) -> None:
        """Do not decide where an amount exceeds a limit."""
        if amount > most:
            raise NotDecided(f"{self.path}: more than {most} {what}")

    def fail(self, reason: str) -> NoReturn:
        """Reject, for a reason."""
        raise Rejected(f"{self.path}: {reason}")

    def require(self, condition: object, reason: str) -> None:
        """Reject unless a condition holds."""
        if not condition:
            self.fail(reason)

    def having(self, keys: str) -> Node:
        """Return the node itself, an object with these keys and no others."""
        fits = isinstance(self.value, dict) and self.value.keys() == set(keys.split())
        self.require(fits, f"an object with exactly the keys {keys.replace(' ', ', ')} is expected")
        return self

    def __getitem__(self, key: str) -> Node:
        return Node(f"{self.path}.{key}".removeprefix("document."), self.value[key], self.spent)

    def items(self, least: int, most: int) -> list[Node]:
        """Return the items of an array."""
        fits = isinstance(self.value, list) and least <= len(self.value) <= most
        self.require(fits, f"an array of {least} to {most} items is expected")
        return [Node(f"{self.path}[{i}]", item, self.spent) for i, item in enumerate(self.value, 1)]

    def some(self, limit: int, least: int = 1) -> list[Node]:
        """Return the items of an array that has one, or as many as it needs; more than the limit are not decided."""
        self.within(len(self.value) if isinstance(self.value, list) else 0, limit, "items")
        return self.items(least, limit)

    def steps(self) -> list[Node]:
        """Return the items of an array of releases or pieces."""
        return self.some(MOST_STEPS)

    def states(self) -> list[Node]:
        """Return the items of an array with one for each state."""
        return self.some(MOST_STATES)

    def integer(self, least: int, most: int) -> int:
        """Return an integer."""
        fits = type(self.value) is int and least <= self.value <= most
        self.require(fits, f"an integer from {least} to {most} is expected")
        return int(self.value)

    def integer_within(self, least: int, most: int, what: str) -> int:
        """Return an integer; more than the limit are not decided."""
        self.within(self.value if type(self.value) is int else least, most, what)
        return self.integer(least, most)

    def indices(self, n: int, least: int = 2, most: int = 2) -> list[int]:
        """Return indices from 0 of n items, written from 1."""
        return [item.integer(1, n) - 1 for item in self.items(least, most)]

    def columns(self, n: int) -> list[int]:
        """Return rising indices from 0 of n columns."""
        columns = self.indices(n, 0, n)
        self.require(columns == sorted(set(columns)), "the columns are not in rising order")
        return columns

    def bits(self) -> int:
        """Return the number of bits to compute with for a number of digits."""
        return 128 + 4 * self.integer_within(1, MOST_DIGITS, "digits")

    def null(self, why: str) -> None:
        """Reject unless it is null."""
        self.require(self.value is None, f"null is expected{why}")

    def texts(self, *texts: str) -> None:
        """Reject unless it is an array of these texts."""
        self.require(self.value == list(texts), f"these texts are expected: {'; '.join(texts)}")

    def text(self) -> str:
        """Return a text."""
        self.require(isinstance(self.value, str), "a text is expected")
        self.within(len(self.value), MOST_LENGTH, "characters")
        return str(self.value)

    def number(self, most_exponent: int = MOST_LENGTH) -> Fraction:
        """Return a number that is not negative, exact."""
        text = self.text()
        match = _NUMBER.fullmatch(text) or self.fail("a number as in 3/7, 2, 0.1 or 1e-3 is expected")
        exponent = int((match[2] or "0")[:8])  # eight digits are beyond every limit
        self.within(exponent, most_exponent, "as an exponent")
        written, length = 4 * len(text), 4 * (len(text) + exponent)  # more than the bits of that many digits
        self.count(length, written, 2, divide=True, made=length)
        if exponent:
            self.count(length, length)
        self.require(not match[1] or match[1].strip("0"), "division by zero")
        above, _, below = text.partition("/")  # by Decimal, as int reads no text of many digits
        return Fraction(int(Decimal(above)), int(Decimal(below))) if below else Fraction(Decimal(above))

    def level(self, bits: int) -> Level:
        """Return a level, enclosed to about `bits` bits of its excess where e^α is not rational."""
        text, alpha = self.text(), None
        if text == "inf":
            return Level((1, 0), (1, 0))
        if not (text.startswith("log(") and text.endswith(")")):
            x = self.number(MOST_EXPONENT)
            self.within(int(x), MOST_LEVEL, "nats")
            alpha = x.as_integer_ratio()
            a, b, length = alpha[0].bit_length(), alpha[1].bit_length(), bits + 128  # the latter of a mantissa
            self.count(length, max(a, b), 4, divide=True, made=4 * (2 * int(x) + length + max(0, b - a)))
            self.count(length, length, length // 2 + 250, divide=True)  # below length/8 + 32 terms, and 22 squarings
            lower, upper = _exp(x, bits, up=False), _exp(x, bits, up=True)
        elif match := _SURD.fullmatch(text[4:-1]):
            length = 3 * bits + 16 * len(text)
            self.count(length, length, divide=True, made=4 * length)
            lower, upper = _surd(match, bits)
        else:
            lower = upper = Node(self.path, text[4:-1], self.spent).number(MOST_EXPONENT).as_integer_ratio()
        self.require(lower[0] >= lower[1] > 0, "the level is negative, or no number")
        above, below = map(int.bit_length, upper)  # what a step does with a level is about as much
        self.count(above, above)
        self.count(above, below, 8, made=2 * above)
        return Level(lower, upper, alpha)

    def finite(self, bits: int) -> Level:
        """Return a level that is finite."""
        level = self.level(bits)
        self.require(level.upper[1] > 0, "a finite level is expected")
        return level

    def at_most(self, level: Level, other: Level, reason: str) -> None:
        """Reject unless a level is proved to be at most another."""
        self.count(max(level.upper).bit_length(), max(other.lower).bit_length(), 2)
        self.require(level <= other, reason)

    def encloses(self, bits: int, lower: Level, upper: Level) -> tuple[Level, Level]:
        """Return the two claimed bounds of what is proved to lie between these levels."""
        self.having("lower upper")
        claim = self["lower"].level(bits), self["upper"].level(bits)
        self.at_most(claim[0], lower, "the lower bound is above what is proved")
        self.at_most(upper, claim[1], "the upper bound is below what is proved")
        return claim

    def over_one(self, *vectors: Node, n: int) -> tuple[list[list[int]], int]:
        """Return vectors of numbers as integers over their least common denominator, and that."""
        lists = [[entry.number() for entry in vector.items(n, n)] for vector in vectors]
        numbers, common = [number for numbers in lists for number in numbers], 1
        for denominator in {number.denominator: None for number in numbers}:
            self.count(common.bit_length(), denominator.bit_length(), 3, divide=True)
            common = lcm(common, denominator)
            self.within(common.bit_length(), MOST_COMMON, "bits in the common denominator")
        length, written = common.bit_length(), sum(number.denominator.bit_length() for number in numbers)
        self.count(length, written, 2, divide=True)
        self.count(length, times=2 * len(numbers), made=length * len(numbers) + 2 * written)
        return [[x.numerator * (common // x.denominator) for x in numbers] for numbers in lists], common

    def grid(self, ratio: Pair, bits: int, up: bool) -> int:
        """Return a ratio in units of 2^−bits, rounded."""
        self.count(ratio[0].bit_length() + bits, ratio[1].bit_length(), divide=True)
        return quotient(ratio[0] << bits, ratio[1], up)

    def ratios(self, n: int) -> list[tuple[Node, Pair, Fraction]]:
        """Return for every two values the node of their λ, they, and λ."""
        found = []
        for j, row in enumerate(self.items(n, n)):
            for k, entry in enumerate(row.items(n, n)):
                ratio = entry.number()
                entry.require(ratio >= 1 if j != k else ratio == 1, "it is below 1, or not 1 for one value")
                if j != k:
                    entry.count(ratio.numerator.bit_length(), ratio.denominator.bit_length(), 4, divide=True)
                    found.append((entry, (j, k), ratio))
        return found

    def weighed(self, ratio: Fraction, over: int, under: int) -> Fraction:
        """Return a ratio multiplied by that of two numbers."""
        length = max(over, under).bit_length() + max(ratio.as_integer_ratio()).bit_length()
        self.count(length, length, 4, divide=True, made=2 * length)
        return ratio * Fraction(over, under)

    def multiplied(self, *factors: int) -> int:
        """Return the product of a few numbers."""
        length = sum(map(int.bit_length, factors))
        self.count(length, length, len(factors), made=length)
        return prod(factors)

    def total(self, numbers: list[int], most: int) -> int:
        """Return the sum of numbers, each at most `most`."""
        length = most.bit_length()
        self.count(length, times=2 * len(numbers))
        self.count(length, length, 8)
        return sum(numbers)

    def scaled(self, factor: int, vector: list[int]) -> list[int]:
        """Return each entry multiplied by a number."""
        self.count(_longest(vector), factor.bit_length(), len(vector))
        return [factor * x for x in vector]

    def divided(self, vector: list[int], by: int, up: bool) -> list[int]:
        """Return each entry over a number, rounded."""
        self.count(_longest(vector), by.bit_length(), len(vector), divide=True)
        return [quotient(x, by, up) for x in vector]

    def products(self, rows: list[list[int]], vector: list[int], most: int) -> list[int]:
        """Return the product of each row, of numbers at most `most`, and a vector."""
        length, factor = _longest(vector), most.bit_length()
        self.count(length, factor, len(rows) * len(vector), made=length + factor)
        return [sum(map(mul, row, vector)) for row in rows]

    def excesses(self, ratio: Pair, tops: list[list[int]], bottoms: list[list[int]], most: int) -> list[list[int]]:
        """Return Σ_j (b q_j − a d_j)^+ for all rows q and d, of numbers at most `most`, where the ratio is a/b."""
        (a, b), common, entries = ratio, most.bit_length(), sum(map(len, tops))
        length = common + max(a, b).bit_length()
        self.within(entries * length, MOST_BITS, "bits in the rows times a ratio")
        self.count(common, length, 2 * entries)
        self.count(length, times=entries * len(bottoms))
        tops, bottoms = [[b * x for x in q] for q in tops], [[a * x for x in d] for d in bottoms]
        return [[sum([c for c in map(sub, q, d) if c > 0]) for d in bottoms] for q in tops]

    def least_multiple(self, c: list[int], h: list[int]) -> Pair:
        """Return the least γ ≥ 0 with c_j ≤ γ h_j wherever h_j > 0."""
        self.count(_longest(c), _longest(h), 2 * len(h))
        a, b = 0, 1
        for x, y in zip(c, h, strict=True):
            if y > 0 and x * b > a * y:
                a, b = x, y
        return a, b


def quotient(a: int, b: int, up: bool) -> int:
    """Return a/b, rounded."""
    return -(-a // b) if up else a // b


def _longest(vector: list[int]) -> int:
    return max(map(int.bit_length, vector), default=0)


def _exp(x: Fraction, bits: int, up: bool) -> Pair:
    """Return a rational at least (up) or at most e^x, x ≥ 0, of error about 2^−bits relative to e^x − 1.

    y = x/2^squarings < 1/2 goes into Σ_{k≥1} y^k/k!, whose terms after the k-th are together below the k-th; then
    e^y is squared. Every rounding goes the one way, and keeps the mantissa short.
    """
    squarings = int(2 * x).bit_length()
    bits += 2 * squarings + 16
    places = bits + squarings + max(0, x.denominator.bit_length() - x.numerator.bit_length())
    y = total = term = quotient(x.numerator << places, x.denominator << squarings, up)
    k = 1
    while term > 1:
        k += 1
        term = quotient(term * y, k << places, up)
        total += term
    mantissa, exponent = total + term * up + (1 << places), -places
    for _ in range(squarings):
        shift = max(0, 2 * mantissa.bit_length() - bits)
        mantissa, exponent = quotient(mantissa * mantissa, 1 << shift, up), 2 * exponent + shift
    return mantissa << max(exponent, 0), 1 << max(-exponent, 0)


def _surd(match: re.Match[str], bits: int) -> tuple[Pair, Pair]:
    """Return rationals around (p ± √n)/c; as |p − c ± √n| is 0 or at least 1/(|p − c| + √n), k places suffice."""
    p, n, c = (int(Decimal(group or 0)) for group in (match[2], match[4] or match[6], match[5] or match[7] or "1"))
    k = bits + abs(p - c).bit_length() + n.bit_length() + 2
    low = isqrt(n << 2 * k)
    high = low + (low * low != n << 2 * k)
    low, high = (-high, -low) if match[3] == "-" else (low, high)
    return ((p << k) + low, c << k), ((p << k) + high, c << k)


Kinds = Mapping[str, tuple[Callable[[Node], None], str]]
"""Of each kind of certificate the proof, which rejects or returns, and the keys."""


def examined(text: str, spent: Spent, kinds: Kinds) -> str:
    """Read a text, put it to the proof of its kind, and return the kind. Raises: Rejected, NotDecided, nothing else."""
    document = Node("document", None, spent)
    document.within(len(text), MOST_TEXT, "characters")
    document.within(sum(map(int, _POWER.findall(text))), MOST_ZEROS, "zeros in its numbers, written out")
    try:
        try:  # floats become bytes, which nothing accepts
            value = json.loads(text, object_pairs_hook=_unique, parse_float=str.encode, parse_constant=str.encode)
        except ValueError as error:
            document.fail(f"it is not JSON without repeated keys: {error}")
        kind = value.get("certificate") if isinstance(value, dict) else None
        known = isinstance(kind, str) and kind in kinds
        document.require(known, f"an object whose key certificate is one of {', '.join(kinds)} is expected")
        proof, keys = kinds[str(kind)]
        it = Node("document", value, spent).having(f"certificate version {keys}")
        it["version"].integer(1, 1)
        proof(it)
    except (MemoryError, RecursionError) as error:
        raise NotDecided(f"document: not enough memory, or nested too deeply: {error}") from None
    return str(kind)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def read(stream: BinaryIO) -> str:
    """Return the text of a file in UTF-8, with or without a byte order mark.

    Raises: NotDecided where it is too long, OSError, UnicodeDecodeError.
    """
    content = stream.read(MOST_TEXT + 1)
    if len(content) > MOST_TEXT:
        raise NotDecided(f"document: more than {MOST_TEXT} bytes")
    return content.decode("utf-8-sig")


def command(arguments: list[str], check: Callable[[str, int], str]) -> int:
    """Check the one file named, print the verdict, return the exit status."""
    *option, file = arguments or [""]
    if not file or (option and not re.fullmatch("--work [0-9]{1,99}", " ".join(option))):
        print("usage: checker.py [--work N] FILE", file=sys.stderr)
        return 2
    try:
        with Path(file).open("rb") as stream:
            status, verdict = 0, f"accepted: {check(read(stream), int(option[1]) if option else MOST_WORK)}"
    except OSError as error:
        print(f"cannot read: {error}", file=sys.stderr)
        return 2
    except (Rejected, UnicodeDecodeError) as error:
        status, verdict = 1, f"rejected: {error}"
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except Exception as error:  # noqa: BLE001 - whatever else happens says nothing about the certificate
        status, verdict = 3, f"not decided: {str(error) or type(error).__name__}"
    try:
        print(verdict, flush=True)
    except OSError as error:
        print(f"cannot write: {error}", file=sys.stderr)
        sys.stdout = None  # or the interpreter tries again, and ends with another status
        return 2
    return status
