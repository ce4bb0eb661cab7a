"""What is true: numbers in enclosures of as many digits as needed, queries put to the oracle, pieces of functions.

Numbers of answers are compared with the truth in rationals and exact levels; no float decides anything.

An implementation that rounds its input, or works it out over as many operations as the input has numbers, answers a
query near the one asked. Its answer is accepted if it is no further off than the exact answer to the query whose levels
are perturbed by the admitted number of ulps, which is asked in exact rationals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, cmp_to_key
from math import ceil, inf

from ...contract.entry import MATRIX_INPUTS, InputKind
from ...contract.operations import OPERATIONS
from ...output.sheets import bracketed
from ...reference import InfeasibleBudget, Level, Undecided, parse_level, parse_number
from ...reference.decimals import fraction_to_text, outward
from ...reference.levels import LARGEST_RATIONAL_LEVEL
from ...reference.surds import sign
from ...wire.numerals import Reader
from ...wire.protocol import DOUBLES, RATIONAL
from ...wire.requests import Session
from ...wire.stepwise import kind_of_steps, written_matrices
from ...wire.strict_json import Object
from ...wire.values import decimal_text, row_texts

DIGITS = (40, 400, 4000)
"""Digits of the enclosures by which an answer is judged: the first, then more where those do not settle it."""

MOST_ULPS = 10**1000
"""A distance of more ulps than that, beyond any two doubles, is taken for infinite: no report has room for it."""

SHOWN_DIGITS, LONGER_DIGITS = 17, (25, 35, 45, 60, 120, 390)
_LONGEST_EXACT = 24
_LEAST_EXPONENT, _FRACTION_BITS = -1022, 52

CORRELATIONS = ("backward", "forward")

Number = Fraction | Level
"""A number of an answer or of the truth: a rational, or a level that is none, log(…) or ∞."""

Interval = tuple[Fraction, Fraction]


def number_of(text: str) -> Number:
    """Read a number of the contract's notation. Raises: InvalidNumber, InvalidLevel."""
    stripped = text.strip(" \t")
    if stripped != "inf" and not stripped.startswith("log("):
        return parse_number(stripped)
    level = parse_level(stripped)
    return Fraction(0) if level.is_zero else level


def is_infinite(number: Number) -> bool:
    """Whether the number is the infinite level."""
    return isinstance(number, Level) and number.is_infinite


def text_of(number: Number) -> str:
    """Return a number in the contract's notation, however long."""
    return number.full_text() if isinstance(number, Level) else fraction_to_text(number)


def bounds_of(number: Number, digits: int) -> Interval:
    """Return rationals that enclose a finite number in `digits` digits; equal for a rational."""
    if isinstance(number, Fraction):
        return number, number
    enclosure = number.enclosure(digits)
    return Fraction(enclosure.lower), Fraction(enclosure.upper)


def compare(first: Number, second: Number) -> int:
    """Return −1, 0 or 1 as the first number is less than, equal to or greater than the second. Exact."""
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return (first > second) - (first < second)
    if is_infinite(first) or is_infinite(second):
        return is_infinite(first) - is_infinite(second)
    if isinstance(first, Level):
        return first.compare(second) if isinstance(second, Level) else -compare(second, first)
    lower, upper = bounds_of(second, DIGITS[0])
    if not lower <= first <= upper:
        return 1 if first > upper else -1
    assert isinstance(second, Level)
    return Level.of(first).compare(second)


def ulp(value: Fraction) -> Fraction:
    """Return the unit in the last place of the doubles at a value > 0, subnormal ones included. Exact.

    >>> ulp(Fraction(1)) == Fraction(1, 2**52), ulp(Fraction(1, 10**320)) == Fraction(1, 2**1074)
    (True, True)
    """
    numerator, denominator = value.numerator, value.denominator
    exponent = numerator.bit_length() - denominator.bit_length()
    below = numerator < denominator << exponent if exponent >= 0 else numerator << -exponent < denominator
    power = max(exponent - below, _LEAST_EXPONENT) - _FRACTION_BITS
    return Fraction(1 << power) if power >= 0 else Fraction(1, 1 << -power)


def rough_double(number: Number) -> float:
    """Return about a number as a double, ∞ for one beyond them: where nothing is decided by it."""
    if is_infinite(number):
        return inf
    try:
        return float(bounds_of(number, DIGITS[0])[0])
    except OverflowError:
        return inf


class Truth:
    """One number that the oracle knows."""

    def __init__(self, text: str | None, enclose: Callable[[int], Interval] | None = None) -> None:
        """Keep the number's exact text, None where it has no short one; enclose gives bounds in a number of digits."""
        self.text = text
        self._enclose = enclose

    @classmethod
    def of(cls, number: Number) -> Truth:
        """Return the truth about a number that is known exactly."""
        return cls(text_of(number))

    @cached_property
    def exact(self) -> Number | None:
        """The number itself, None where it has no notation so short."""
        return None if self.text is None else number_of(self.text)

    @property
    def is_infinite(self) -> bool:
        """Whether the number is ∞."""
        return self.text == "inf"

    @property
    def is_zero(self) -> bool:
        """Whether the number is 0."""
        return self.text == "0"

    @property
    def is_rational(self) -> bool:
        """Whether the number is known as a rational, which needs no enclosure."""
        return self.text is not None and not self.text.startswith("log(") and not self.is_infinite

    @cached_property
    def first_bounds(self) -> Interval:
        """The finite number's bounds in the first number of digits."""
        return self._bounds(DIGITS[0])

    def bounds(self, digits: int) -> Interval:
        """Return rationals that enclose the finite number in `digits` digits; equal for a known rational."""
        return self.first_bounds if digits == DIGITS[0] else self._bounds(digits)

    def _bounds(self, digits: int) -> Interval:
        is_log = self.text is not None and self.text.startswith("log(")
        if self._enclose is not None and (self.text is None or (is_log and digits == DIGITS[0])):
            return self._enclose(digits)
        assert self.exact is not None
        return bounds_of(self.exact, digits)

    def order(self, number: Number) -> int:
        """Return −1, 0 or 1 as a number is below, equal to or above the truth. Exact.

        Raises: Undecided where the truth has no exact form and the two agree in the last number of digits.
        """
        if is_infinite(number) or self.is_infinite:
            return is_infinite(number) - self.is_infinite
        if self.is_rational and isinstance(number, Fraction):
            assert self.exact is not None
            return compare(number, self.exact)
        for digits in DIGITS:
            (low, high), (lower, upper) = bounds_of(number, digits), self.bounds(digits)
            if high < lower or low > upper:
                return 1 if low > upper else -1
            if self.text is not None:
                assert self.exact is not None
                return compare(number, self.exact)
        raise Undecided(f"the answer and the truth agree in {DIGITS[-1]} digits and have no common exact form")

    def ulps(self, number: Number) -> int | None:
        """Return how far a number is from the truth, in units in the last place of the double at the truth.

        Returns: the distance rounded up, negative for a number below; None where it is infinite or above MOST_ULPS, or
        the truth is 0. Exact; where even the last number of digits leaves two counts, the greater.
        Raises: Undecided as `order`.
        """
        order = self.order(number)
        if order == 0:
            return 0
        if is_infinite(number) or self.is_infinite or self.is_zero:
            return None
        if self.is_rational and isinstance(number, Fraction):
            assert isinstance(self.exact, Fraction)
            count = ceil(abs(number - self.exact) / ulp(self.exact))
            return order * count if count <= MOST_ULPS else None
        counts: set[int] = set()
        for digits in DIGITS:
            (low, high), (lower, upper) = bounds_of(number, digits), self.bounds(digits)
            nearest, farthest = (low - upper, high - lower) if order > 0 else (lower - high, upper - low)
            counts = {-(-nearest // ulp(upper)), -(-farthest // ulp(lower))}
            if len(counts) == 1:
                break
        count = max(counts)
        return order * count if count <= MOST_ULPS else None

    def in_doubles(self, number: Number) -> tuple[float, float]:
        """Return the truth and a number answered as doubles."""
        truth = inf if self.is_infinite else rough_double(self.first_bounds[0])
        return truth, rough_double(number)

    def beside(self, number: Number) -> str:
        """Write the number in as many digits as tell it from another one, and exactly where that is short."""
        if self.is_infinite or is_infinite(number):
            return str(self)
        for digits in (SHOWN_DIGITS, *LONGER_DIGITS):
            enclosure = outward(*self._enough(digits), digits)
            low, high = bounds_of(number, digits)
            if high < Fraction(enclosure.lower) or low > Fraction(enclosure.upper):
                break
        return self._text(digits)

    def __str__(self) -> str:
        """Write the number in 17 digits, and exactly where that is short."""
        return "inf" if self.is_infinite else self._text(SHOWN_DIGITS)

    def _enough(self, digits: int) -> Interval:
        return self.bounds(next(known for known in DIGITS if known > digits))

    def _text(self, digits: int) -> str:
        enclosure = outward(*self._enough(digits), digits)
        numeral = bracketed(decimal_text(enclosure.lower), decimal_text(enclosure.upper))
        is_short = self.text is not None and len(self.text) <= _LONGEST_EXACT
        return f"{numeral} = {self.text}" if is_short and enclosure.lower != enclosure.upper else numeral


class Query:
    """One query put to the oracle, and its value in as many digits as were asked for so far."""

    def __init__(self, session: Session, op: str, given: Object, numbers: str, known: Object | None = None) -> None:
        """Keep the query; known, its value with enclosures of the first number of digits where it is at hand."""
        self.session, self.op, self.given, self.numbers = session, op, given, numbers
        self._values: dict[int, Object] = {} if known is None else {DIGITS[0]: known}

    def value(self, digits: int = DIGITS[0]) -> Object:
        """Return the value with enclosures of `digits` digits. Raises: the contract's errors."""
        if digits not in self._values:
            self._values[digits] = self.session.answer(self.op, self.given, digits, self.numbers)
        return self._values[digits]

    def level(self, *path: str | int) -> Truth:
        """Return the truth about the level at a path of keys and indices in the value."""
        return truth_of(self._at(path, DIGITS[0]), lambda digits: _ends(self._at(path, digits)))

    def _at(self, path: tuple[str | int, ...], digits: int) -> Object:
        found: object = self.value(digits)
        for key in path:
            found = found[key]  # type: ignore[index]  # the oracle's own values have the contract's form
        assert isinstance(found, dict)
        return found


def truth_of(level: Object, enclose: Callable[[int], Interval] | None = None) -> Truth:
    """Return what a level of the oracle's own value says; enclose: as of `Truth`, without it by the level's ends."""
    exact = level["exact"]
    return Truth(exact if isinstance(exact, str) else None, enclose or (lambda _: _ends(level)))


def _ends(level: Object) -> Interval:
    return parse_number(str(level["lower"])), parse_number(str(level["upper"]))


def shift_of(limit: int) -> Fraction:
    """Return the relative perturbation: `limit` ulps of a double in [1, 2), at most a half."""
    return min(Fraction(limit, 2**52), Fraction(1, 2))


class PerturbedQuery:
    """The query perturbed by `limit` ulps, put when it is first needed."""

    def __init__(self, query: Query, limit: int) -> None:
        """Keep the query that is perturbed."""
        self.original, self.limit = query, limit
        self._query: Query | None = None

    @property
    def query(self) -> Query:
        """The query perturbed. Raises: as `Session.answer` where it is put."""
        if self._query is None:
            self._query = self._perturbed()
        return self._query

    def level(self, *path: str | int) -> Truth | None:
        """Return the truth about a level of its value; None for a budget where nothing is left. As `query`."""
        try:
            return self.query.level(*path)
        except InfeasibleBudget:
            return None

    def _perturbed(self) -> Query:
        original = self.original
        given = exact_but_levels(original)
        reader = Reader(original.numbers)
        for key in OPERATIONS[original.op].levels:
            name, factor = key.name, 1 + key.toward_safety * shift_of(self.limit)
            if name not in given:
                continue
            if key.kind is InputKind.LEVELS:
                given[name] = [perturbed_text(level, factor) for level in reader.levels(given[name], name)]
            else:
                given[name] = perturbed_text(reader.level(given[name], name), factor)
        return Query(original.session, original.op, given, RATIONAL)


def exact_but_levels(query: Query) -> Object:
    """Return the input with its doubles written as exact rationals, levels as they are."""
    given = dict(query.given)
    if query.numbers in DOUBLES:
        reader = Reader(query.numbers)
        for key in OPERATIONS[query.op].keys:
            if key.name in given and key.kind in _EXACTLY:
                given[key.name] = _EXACTLY[key.kind](reader, given[key.name], key.name)
    return given


def _exact_correlation(reader: Reader, value: object, what: str) -> object:
    kind = kind_of_steps(value)
    texts = [reader.matrix(matrix, what).texts() for matrix in written_matrices(value)]
    return texts[0] if kind is None else {kind: texts}


_EXACTLY: dict[InputKind, Callable[[Reader, object, str], object]] = {
    **dict.fromkeys(MATRIX_INPUTS, _exact_correlation),
    InputKind.NUMBER: lambda reader, value, what: fraction_to_text(reader.number(value, what)),
    InputKind.DISTRIBUTION: lambda reader, value, what: row_texts(reader.distribution(value, what)),
}
"""How doubles are written exactly, by the kind of what they are in."""


def perturbed_text(level: Level, factor: Fraction) -> str:
    """Return a level perturbed by a factor, in the contract's notation.

    A rational level is multiplied. The product of a level log(A) has no notation, so A itself is moved, by the part by
    which the level is, times the level rounded up: log(1 + x) is x but for its square, so the level moves by at least
    as much as if it were multiplied (up to that square), and by at most an ulp of 1 more for each of the limit. A level
    stays within what the contract admits, and ∞ is ∞.
    """
    if level.is_infinite:
        return "inf"
    if level.rational is not None:
        return fraction_to_text(min(level.rational * factor, Fraction(LARGEST_RATIONAL_LEVEL)))
    assert level.ratio is not None
    ratio = level.ratio * (1 + ceil(level.enclosure().upper) * (factor - 1))
    return "0" if sign(ratio - 1) <= 0 else Level.of_ratio(ratio).full_text()


def breaks_level(spent: Sequence[Number], query: Query, over: int | None) -> bool:
    """Whether TPL exceeds alpha with these budgets over `over` times; None: with the greatest of them at all times.

    Exact. Raises: Undecided where it cannot be distinguished from alpha; as `Session.answer`.
    """
    given = exact_but_levels(query)
    alpha = _number(Reader(query.numbers).level(given["alpha"], "alpha"))
    if any(compare(epsilon, alpha) > 0 for epsilon in spent):
        return True
    known = {role: given[role] for role in CORRELATIONS if role in given}
    if over is None:
        return _rises_above(alpha, max(spent, key=cmp_to_key(compare)), known, query)
    stream = Query(query.session, "leakage", {**known, "epsilons": [text_of(e) for e in spent]}, RATIONAL)
    undecided = None
    for time in range(over):
        try:
            if stream.level("tpl", time).order(alpha) < 0:
                return True
        except Undecided as error:
            undecided = error
    if undecided is not None:
        raise undecided
    return False


def _number(level: Level) -> Number:
    return level if level.rational is None else level.rational


def _rises_above(alpha: Number, epsilon: Number, known: Object, query: Query) -> bool:
    """Whether TPL with one budget at every time rises above alpha: the suprema of BPL and FPL, less the budget."""
    suprema = [
        Query(query.session, "supremum", {"matrix": known[role], "epsilon": text_of(epsilon)}, RATIONAL).level()
        if role in known
        else Truth.of(epsilon)
        for role in CORRELATIONS
    ]
    if any(supremum.is_infinite for supremum in suprema):
        return not Truth.of(alpha).is_infinite
    for digits in DIGITS:
        lower, upper = _total([supremum.bounds(digits) for supremum in suprema], bounds_of(epsilon, digits))
        low, high = bounds_of(alpha, digits)
        if lower > high or upper <= low:
            return lower > high
    raise Undecided(f"the supremum of TPL and alpha agree in {DIGITS[-1]} digits")


def _total(suprema: Sequence[Interval], epsilon: Interval) -> Interval:
    lower, upper = (sum(ends, Fraction(0)) for ends in zip(*suprema, strict=True))
    return lower - epsilon[1], upper - epsilon[0]
