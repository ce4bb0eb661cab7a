"""Queries put to the oracle for the judge: the case's, the one next to it, and whether a schedule keeps its level.

An implementation that rounds its input, or works it out over as many operations as the input has numbers, answers a
query near the one asked. Its answer is accepted if it is no further off than the exact answer to the query whose levels
are perturbed by the admitted number of ulps, which is asked in exact rationals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cmp_to_key
from math import ceil

from ...contract.entry import MATRIX_INPUTS, InputKind
from ...contract.operations import OPERATIONS
from ...reference import InfeasibleBudget, Level, Undecided, parse_number
from ...reference.decimals import fraction_to_text
from ...reference.levels import LARGEST_RATIONAL_LEVEL
from ...reference.surds import sign
from ...wire.numerals import Reader
from ...wire.protocol import DOUBLES, RATIONAL
from ...wire.requests import Session
from ...wire.strict_json import Object
from ...wire.values import row_texts
from .truths import DIGITS, Interval, Number, Truth, bounds_of, compare, text_of

CORRELATIONS = ("backward", "forward")


class Query:
    """One query put to the oracle, and its value in as many digits as were asked for so far."""

    def __init__(self, session: Session, op: str, given: Object, numbers: str, known: Object | None = None) -> None:
        """Keep the query; known, its value with enclosures of the first number of digits where it is at hand."""
        self.session, self.op, self.given, self.numbers = session, op, given, numbers
        self._values: dict[int, Object] = {} if known is None else {DIGITS[0]: known}

    def value(self, digits: int = DIGITS[0]) -> Object:
        """Return the value with enclosures of so many digits. Raises: the contract's errors."""
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
    """Return by what part a number is perturbed: so many ulps of a double in [1, 2), a half at most."""
    return min(Fraction(limit, 2**52), Fraction(1, 2))


class PerturbedQuery:
    """The query perturbed by so many ulps, put when it is needed first."""

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


_EXACTLY: dict[InputKind, Callable[[Reader, object, str], object]] = {
    **dict.fromkeys(MATRIX_INPUTS, lambda reader, value, what: reader.matrix(value, what).texts()),
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
    """Whether TPL exceeds alpha with these budgets, over so many times; None: with the greatest of them for ever.

    Exact. Raises: Undecided where it is not told apart from alpha; as `Session.answer`.
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
