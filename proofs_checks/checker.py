"""The certificate checker: trusted, one file, the standard library alone, nothing shared with what makes certificates.

    python checker.py [--work N] FILE
    exit 0: it holds; 1: it does not, and the first step that fails; 2: no such file; 3: not decided within the limits

α ∈ [0, ∞] is a level, A = e^α, E = A − 1; q and d are distributions, q_S = Σ_{j∈S} q_j. Everything rests on:

(U) For λ ≥ 1, E > 0: q·x ≤ λ d·x on the whole box x ∈ [1, A]^n iff Σ_j (q_j − λ d_j)^+ ≤ (λ − 1)/E. Proof: with
    c = q − λ d the greatest c·x on the box is Σ c_j + E Σ c_j^+ = 1 − λ + E Σ c_j^+. At E = ∞: q_j ≤ λ d_j for all j.
    λ = A always passes, since Σ_j (q_j − A d_j)^+ ≤ Σ_j q_j = 1: L(α) ≤ α.
(S) x = A on S, 1 elsewhere is in the box: e^L ≥ g_S = (q_S E + 1)/(d_S E + 1) for every S. g_S rises with E when
    q_S ≥ d_S, and e^L as the box grows: bounds below α give lower bounds of L(α), bounds above it upper ones.
(P) For two pieces (q, d), (q', d') and E > 0 the sign of g − g' is that of (q − q') + (d' − d) + E (q d' − q' d):
    linear in E, so that a piece which is greatest at both ends of an interval is greatest within. At E = 0 the
    constant decides: q − d is the greatest Σ_j (q_j − d_j)^+. At E = ∞ the slope: q'_j d ≤ d'_j q for all j.
(D) Charnes–Cooper: maximise q·y, d·y = 1, t ≤ y_j ≤ A t. If u, w ≥ 0, q − λ d = w − u and Σ u = A Σ w, then
    q·y = λ + Σ w_j y_j − Σ u_j y_j ≤ λ + A t Σ w − t Σ u = λ for every feasible y.

With a budget ε at every time the leakages have A_1 = e^ε and A_{t+1} = e^ε e^L(A_t); e^L ≥ 1 rises, so they do.

(B) If U ≥ e^ε and e^ε e^L(U) ≤ U, then A_t ≤ U gives A_{t+1} ≤ e^ε e^L(U) ≤ U: the leakage never exceeds log U.
(V) If V < ∞, e^ε g_S(V) ≥ V and ε > 0, then e^ε g_S > A on [1, V), for g_S is concave in A where q_S ≥ d_S, and
    e^ε g_S > 1 at A = 1. So no limit of A_t, at which e^ε e^L = A, is below V. (V = 1 needs nothing.)
(G) If d_S = 0, q_S e^ε ≥ 1 and ε > 0, then A_{t+1} ≥ e^ε (q_S (A_t − 1) + 1) ≥ A_t + e^ε (1 − q_S): it grows without
    bound if q_S < 1; if q_S = 1, then A_{t+1} ≥ e^ε A_t. At ε = ∞ it is infinite at once, and every S will do.

All these are about the recursion. The tight kinds are about all mechanisms that are ε_s-differentially private at each
time s. One sequence of outputs has likelihoods m_s(a) with m_s(a) ≤ e^{ε_s} m_s(b), by scale in [1, e^{ε_s}]; given the
value at t the past has f ↦ m ∘ f and f ↦ P f from f = 1 on, and the ratio for two values j, k is P_j f / P_k f.

(W) Let c = P_j − λ P_k at the release nearest to t, and from each release to the next farther one c ↦ P^T Φ(c), with
    Φ(c)_a = e^ε c_a where c_a > 0 and c_a elsewhere. For f, m ≥ 0: c·(m ∘ f) ≤ Φ(c)·f, and c·(P f) = (P^T c)·f. So
    if Σ_a Φ(c)_a ≤ 0 at the farthest, where f = 1, then P_j f ≤ λ P_k f for every mechanism. Φ and P^T are monotone:
    it may be rounded upward; where c ≤ 0 it remains so. The future is the same with P^F and the order reversed.
    As Σ Φ(c) ≥ Σ c = Σ P^T c, the sum falls at no step: λ holds for the nearest of these releases as well.
(Z) The same matrix and budget at all steps: let P^T Φ(h) ≤ θ h, 0 ≤ θ < 1. Then Σ h ≤ Σ Φ(h) = Σ P^T Φ(h) ≤ θ Σ h, so
    Σ Φ(h) ≤ 0. If c ≤ γ h for a γ ≥ 0 at some release, then c ≤ γ θ^s h s releases farther, and Σ Φ(c) ≤ 0 at them all;
    by (W) at the nearer ones too. So λ holds however many releases there are. (h = 0: where c ≤ 0.)
(Y) Randomized response to “is the value in S_s?” has m = e^ε on S_s, 1 elsewhere for the answer yes: f for all answers
    yes, rounded either way, bounds the greatest ratio from below.

(X) Disjoint sets, which each lead into one of them surely, no two into the same: the sets in which a chain from one of
    them is, and a chain from another is not, asked about at all times, have odds e^ε at each: without bound. Or a set
    C, w ≥ 0 on it with e^ε w P_CC ≥ w, of which some leaves C, and a set outside of C that nothing leaves: S_s = C
    gives f = 1 there, and on C w·(m ∘ P f) ≥ w·f + e^ε w P_{C, out}·1, without bound.

Given the value at t, past, present and future are independent: their ratios are multiplied.

Numbers are not negative: there is no sign to write. What exceeds one of the limits below is not decided. How much work
there is, and how long numbers will be, is counted before anything is worked out (`_Spent`).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isqrt, lcm
from operator import floordiv, mul, sub
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

MOST_TEXT, MOST_LENGTH, MOST_STATES, MOST_STEPS, MOST_DIGITS = 1 << 25, 20_000, 1_000, 10_000, 1_000
MOST_LEVEL, MOST_EXPONENT, MOST_COMMON, MOST_BITS = 2_000_000, 1_000_000, 1 << 19, 1 << 32
MOST_ZEROS, MOST_WORK, MOST_SWEPT, MOST_BARRIERS = 10**8, 2 * 10**10, 10**6, 100
EVERY_STEP = "each matrix is that of all steps"
NOT_ADAPTIVE = "mechanisms after a time do not depend on earlier outputs"
BOTH_OCCUR, ALL_OCCUR = "both values can occur", "the values can occur at all times"
ONE_CHAIN = "the matrices are those of one chain"
_NUMBER = re.compile(r"([0-9]+)/([0-9]+)|([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?")
_POWER = re.compile(r"[eE][+-]?0*([0-9]{1,8})")
_SURD = re.compile(r"(\()?(?:(-?[0-9]+)([+-]))?sqrt\(([0-9]+)\)(?(1)\)/([0-9]+))|sqrt\(([0-9]+)\)/([0-9]+)")
_Pair = tuple[int, int]  # a number in [0, ∞]: numerator and denominator; (1, 0) is ∞, (0, 0) never occurs


class Rejected(Exception):
    """The first step that fails: the path of a field (times, rows, columns, items count from 1) and a sentence."""


class NotDecided(Exception):
    """A limit that is reached before it is known whether the certificate holds: where, and which."""


class _Ratio(NamedTuple):
    """e^α of a level α: rationals at most and at least that, and α itself where it is a rational number."""

    level: Fraction | None
    lower: _Pair
    upper: _Pair


class _Matrix(NamedTuple):
    """The rows that may be q and those that may be d, as integers over one denominator."""

    tops: list[list[int]]
    bottoms: list[list[int]]
    common: int


_NO_ROWS = _Matrix([], [], 1)
"""What a correlation that is not known is like: nothing leaks by it."""


@dataclass
class _Spent:
    """What a check has cost so far: units of work, of about 2 ns each, and bits of the numbers it made."""

    most_work: int
    work: int = 0
    bits: int = 0


class _Node(NamedTuple):
    """A JSON value and where it is; each method returns what it is asked for, or rejects, or does not decide."""

    path: str
    value: object
    spent: _Spent

    def within(self, amount: int, most: int, what: str) -> None:
        if amount > most:
            raise NotDecided(f"{self.path or 'document'}: more than {most} {what}")

    def work(self, a: int, b: int = 0, times: int = 1, quick: bool = False) -> None:
        """Count sums (of which b is 0) and divisions of numbers of a and b bits before they are done."""
        long, short = max(a, b) >> 5, min(a, b) >> 5
        steps = min(short, 16 * isqrt(short)) if quick else short
        self.spent.work += 1000 + times * (50 + long + long * steps)
        self.within(self.spent.work, self.spent.most_work, "units of work (--work)")

    def multiply(self, a: int, b: int, times: int = 1) -> None:
        """Count products before they are worked out."""
        self.work(a, b, times, quick=True)

    def keep(self, bits: int) -> None:
        """Count the bits of numbers before they are made."""
        self.spent.bits += bits
        self.within(self.spent.bits, MOST_BITS, "bits in all numbers")

    def fail(self, reason: str) -> NoReturn:
        raise Rejected(f"{self.path or 'document'}: {reason}")

    def require(self, condition: bool, reason: str) -> None:
        if not condition:
            self.fail(reason)

    def fields(self, *keys: str) -> list[_Node]:
        if not isinstance(self.value, dict) or self.value.keys() != set(keys):
            self.fail(f"an object with exactly the keys {', '.join(keys)} is expected")
        return [_Node(f"{self.path}.{key}".lstrip("."), self.value[key], self.spent) for key in keys]

    def items(self, least: int, most: int) -> list[_Node]:
        if not isinstance(self.value, list) or not least <= len(self.value) <= most:
            self.fail(f"an array of {least} to {most} items is expected")
        return [_Node(f"{self.path}[{number}]", item, self.spent) for number, item in enumerate(self.value, 1)]

    def some(self, limit: int) -> list[_Node]:
        self.within(len(self.value) if isinstance(self.value, list) else 0, limit, "items")
        return self.items(1, limit)

    def integer(self, least: int, most: int) -> int:
        if type(self.value) is not int or not least <= self.value <= most:
            self.fail(f"an integer from {least} to {most} is expected")
        return self.value

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.fail("a text is expected")
        self.within(len(self.value), MOST_LENGTH, "characters")
        return self.value

    def number(self, most_exponent: int = MOST_LENGTH) -> Fraction:
        match = _NUMBER.fullmatch(self.text())
        if match is None:
            self.fail("a number as in 3/7, 2, 0.1 or 1e-3 is expected")
        above, below, whole, places, minus, power = (group or "" for group in match.groups())
        exponent = int(power.lstrip("0")[:8] or 0)  # eight digits are beyond every limit
        self.within(exponent, most_exponent, "as an exponent")
        written, zeros = 4 * len(match[0]), 4 * exponent + 4 * len(places)  # more than the bits of so many digits
        self.keep(written + zeros)
        self.work(written + zeros, written, 2)
        if exponent:
            self.multiply(zeros, zeros)
        if below:
            self.require(below.strip("0") != "", "division by zero")
            return Fraction(_integer(above), _integer(below))
        shift = (-exponent if minus == "-" else exponent) - len(places)
        return Fraction(_integer(whole + places) * 10 ** max(shift, 0), 10 ** max(-shift, 0))

    def level(self, bits: int) -> _Ratio:
        text = self.text()
        if text == "inf":
            return _Ratio(None, (1, 0), (1, 0))
        if not (text.startswith("log(") and text.endswith(")")):
            alpha = self.number(MOST_EXPONENT)
            self.within(int(alpha), MOST_LEVEL, "nats")
            above, below = (part.bit_length() for part in alpha.as_integer_ratio())
            length = bits + 128  # of a mantissa; the series has less than length/8 + 32 terms, 22 squarings follow
            self.keep(4 * (3 * int(alpha) // 2 + length + max(0, below - above)))
            self.work(length, max(above, below), 4)
            self.work(length, length, length // 2 + 250)
            return _Ratio(alpha, _exp(alpha, bits, up=False), _exp(alpha, bits, up=True))
        if match := _SURD.fullmatch(text[4:-1]):
            length = 3 * bits + 16 * len(text)
            self.keep(4 * length)
            self.work(length, length)
            lower, upper = _surd(match, bits)
        else:
            lower = upper = self._replace(value=text[4:-1]).number(MOST_EXPONENT).as_integer_ratio()
        self.require(lower[0] >= lower[1] > 0, "the level is negative, or no number")
        return _Ratio(None, lower, upper)

    def bits(self) -> int:
        digits = self.value if type(self.value) is int else 1
        self.within(digits, MOST_DIGITS, "digits")
        return 128 + 4 * self.integer(1, MOST_DIGITS)

    def sum(self, one: _Ratio, other: _Ratio) -> _Ratio:
        level = None
        if one.level is not None and other.level is not None:
            self.work(_length(one.level), _length(other.level), 4)
            level = one.level + other.level
        for (a, b), (c, d) in zip(one[1:], other[1:], strict=True):
            for x, y in ((a, c), (b, d)):
                self.keep(x.bit_length() + y.bit_length())
                self.multiply(x.bit_length(), y.bit_length())
        return _Ratio(level, *((a * c, b * d) for (a, b), (c, d) in zip(one[1:], other[1:], strict=True)))

    def at_most(self, one: _Ratio, other: _Ratio) -> bool:
        """Whether one level is proved to be at most another."""
        if one.level is not None and other.level is not None:
            self.multiply(_length(one.level), _length(other.level))
            return one.level <= other.level
        (a, b), (c, d) = one.upper, other.lower
        self.multiply(a.bit_length(), d.bit_length())
        self.multiply(c.bit_length(), b.bit_length())
        return a * d <= c * b

    def equal(self, one: _Ratio, other: _Ratio) -> bool:
        return self.at_most(one, other) and self.at_most(other, one)

    def encloses(self, bits: int, lower: _Ratio, upper: _Ratio) -> list[_Ratio]:
        """Return the two claimed bounds of what is proved to lie between these levels."""
        claim = [node.level(bits) for node in self.fields("lower", "upper")]
        self.require(self.at_most(claim[0], lower), "the lower bound is above what is proved")
        self.require(self.at_most(upper, claim[1]), "the upper bound is below what is proved")
        return claim


def _integer(digits: str) -> int:
    """Read digits; of many the interpreter reads none, or is slow."""
    return int(digits) if len(digits) < 600 else int(Decimal(digits))


def _length(number: Fraction) -> int:
    return number.numerator.bit_length() + number.denominator.bit_length()


def _exp(x: Fraction, bits: int, up: bool) -> _Pair:
    """Return a rational at least (up) or at most e^x, x ≥ 0, of error about 2^−bits relative to e^x − 1.

    y = x/2^squarings < 1/2 goes into Σ_{k≥1} y^k/k!, whose terms after the k-th are together below the k-th; then
    e^y is squared. Every rounding goes the one way, and keeps the mantissa short.
    """
    divide: Callable[[int, int], int] = (lambda a, b: -(-a // b)) if up else floordiv
    squarings = int(2 * x).bit_length()
    bits += 2 * squarings + 16
    places = bits + squarings + max(0, x.denominator.bit_length() - x.numerator.bit_length())
    y = total = term = divide(x.numerator << places, x.denominator << squarings)
    k = 1
    while term > 1:
        k += 1
        term = divide(term * y, k << places)
        total += term
    mantissa, exponent = total + term * up + (1 << places), -places
    for _ in range(squarings):
        shift = max(0, 2 * mantissa.bit_length() - bits)
        mantissa, exponent = divide(mantissa * mantissa, 1 << shift), 2 * exponent + shift
    return mantissa << max(exponent, 0), 1 << max(-exponent, 0)


def _surd(match: re.Match[str], bits: int) -> tuple[_Pair, _Pair]:
    """Return rationals around (p ± √n)/c; as |p − c ± √n| is 0 or at least 1/(|p − c| + √n), k places suffice."""
    p, n, c = (_integer(group or "0") for group in (match[2], match[4] or match[6], match[5] or match[7] or "1"))
    k = bits + abs(p - c).bit_length() + n.bit_length() + 2
    low = isqrt(n << 2 * k)
    high = low + (low * low != n << 2 * k)
    low, high = (-high, -low) if match[3] == "-" else (low, high)
    return ((p << k) + low, c << k), ((p << k) + high, c << k)


_ZERO = _Ratio(Fraction(0), (1, 1), (1, 1))


def _over_one(node: _Node, lists: list[list[Fraction]]) -> tuple[list[list[int]], int]:
    """Return numbers as integers over their least common denominator, and that."""
    numbers = [number for numbers in lists for number in numbers]
    common = 1
    for denominator in dict.fromkeys(number.denominator for number in numbers):
        node.work(common.bit_length(), denominator.bit_length(), 3)
        common = lcm(common, denominator)
        node.within(common.bit_length(), MOST_COMMON, "bits in the common denominator")
    length, written = common.bit_length(), sum(map(_length, numbers))
    node.keep(length * len(numbers) + written)
    node.work(length, times=len(numbers))
    node.work(length, written, 2)
    return [[number.numerator * (common // number.denominator) for number in numbers] for numbers in lists], common


def _matrix(node: _Node, nodes: list[_Node], columns: int = 0) -> _Matrix:
    """Read distributions, over as many states as there are of them where the number is not given."""
    n = columns or len(nodes)
    integers, common = _over_one(node, [[entry.number() for entry in row.items(n, n)] for row in nodes])
    for row, entries in zip(nodes, integers, strict=True):
        row.require(sum(entries) == common, "the row does not sum to 1")
    return _Matrix(integers, integers, common)


def _sums(matrix: _Matrix, rows: _Node, subset: _Node) -> _Pair:
    """Return q_S and d_S over the common denominator; no rows (null) and no columns give 0 and 0."""
    if rows.value is None:
        return len(subset.items(0, 0)), 0
    i, k = (node.integer(1, len(matrix.tops)) - 1 for node in rows.items(2, 2))
    n = len(matrix.tops[i])
    columns = [node.integer(1, n) - 1 for node in subset.items(0, n)]
    subset.require(columns == sorted(set(columns)), "the columns are not in rising order")
    subset.work(matrix.common.bit_length(), times=2 * len(columns))
    q, d = (sum(row[j] for j in columns) for row in (matrix.tops[i], matrix.bottoms[k]))
    subset.require(q >= d, "the sum of q over the columns is below that of d")
    return q, d


def _value(node: _Node, matrix: _Matrix, sums: _Pair, at: _Ratio) -> _Ratio:
    """Return log g_S at the lower bound of a level."""
    q, d = sums
    if q == d or (q, d) == (matrix.common, 0):
        return _ZERO if q == d else at
    length, common = max(at.lower).bit_length(), matrix.common.bit_length()
    node.keep(2 * (length + common))
    node.multiply(length, common, 3)
    excess, rest = at.lower[0] - at.lower[1], matrix.common * at.lower[1]
    return _Ratio(None, *[(q * excess + rest, d * excess + rest)] * 2)


def _none_exceeds(node: _Node, matrix: _Matrix, ratio: _Pair, limit: int) -> None:
    """Reject unless Σ_j (q_j b − d_j a)^+ ≤ limit for all rows q, d; a/b is the ratio λ."""
    a, b = ratio
    common, length, entries = matrix.common.bit_length(), max(a, b).bit_length(), sum(map(len, matrix.tops))
    node.within(entries * (common + length), MOST_BITS, "bits in the rows times a ratio")
    node.multiply(common, length, 2 * entries)
    node.work(common + length, times=entries * len(matrix.bottoms))
    tops = [[entry * b for entry in row] for row in matrix.tops]
    for k, row in enumerate(matrix.bottoms, 1):
        bottom = [entry * a for entry in row]
        for i, top in enumerate(tops, 1):
            total = sum([c for c in map(sub, top, bottom) if c > 0])
            node.require(total <= limit, f"row {i} of q over row {k} of d gives more")


def _loss_at_most(node: _Node, matrix: _Matrix, at: _Ratio, claim: _Ratio) -> None:
    """Reject unless (U) gives that the loss at a level is at most the claim."""
    if not node.at_most(at, claim):
        (a, b), (e, m) = claim.lower, at.upper
        node.work(a.bit_length() + matrix.common.bit_length(), max(e, m).bit_length(), 2)
        _none_exceeds(node, matrix, (a, b), (a - b) * m * matrix.common // (e - m))


def _lfp_optimum(*nodes: _Node) -> None:
    digits, q, d, alpha, subset, value, primal, dual = nodes
    bits, n = digits.bits(), len(q.some(MOST_STATES))
    (q_row, d_row), _, common = _matrix(q, [q, d], n)
    pair, at = _Matrix([q_row], [d_row], common), alpha.level(bits)
    reached = _value(subset, pair, _sums(pair, subset._replace(value=[1, 1]), subset), at)
    _loss_at_most(value, pair, at, value.encloses(bits, reached, _ZERO)[1])
    if at.lower != at.upper or at.lower[1] == 0:
        primal.require(primal.value is None, "null is expected: the ratio is not rational")
        dual.require(dual.value is None, "null is expected: the ratio is not rational")
        return
    (t_node, y_node), (optimum_node, u_node, w_node) = primal.fields("t", "y"), dual.fields("lambda", "u", "w")
    optimum, above, below = optimum_node.number().as_integer_ratio(), *at.lower
    vectors = ([entry.number() for entry in node.items(n, n)] for node in (y_node, u_node, w_node))
    ([t], y, u, w), one = _over_one(dual, [[t_node.number()], *vectors])
    size = max(map(int.bit_length, [common, one, t, *y, *u, *w, *optimum]))
    dual.multiply(2 * size, max(size, above.bit_length(), below.bit_length()), 16 * n)
    y_node.require(sum(map(mul, d_row, y)) == common * one, "d y = 1 fails")
    y_node.require(all(t <= y_j and y_j * below <= above * t for y_j in y), "t <= y_j <= A t fails")
    y_node.require(sum(map(mul, q_row, y)) * optimum[1] == optimum[0] * common * one, "q y = lambda fails")
    slopes = (optimum[1] * q_j - optimum[0] * d_j for q_j, d_j in zip(q_row, d_row, strict=True))
    equations = (c * one == (w_j - u_j) * common * optimum[1] for c, u_j, w_j in zip(slopes, u, w, strict=True))
    u_node.require(all(equations), "q - lambda d = w - u fails")
    u_node.require(sum(u) * below == above * sum(w), "sum u = A sum w fails")
    subset.require(reached.lower[0] * optimum[1] == optimum[0] * reached.lower[1], "the columns do not give lambda")


def _loss(*nodes: _Node) -> None:
    digits, table, alpha, rows, subset, loss, level = nodes
    bits, matrix = digits.bits(), _matrix(table, table.some(MOST_STATES))
    at = alpha.level(bits)
    claim = loss.encloses(bits, _value(subset, matrix, _sums(matrix, rows, subset), at), _ZERO)
    _loss_at_most(loss, matrix, at, claim[1])
    level.encloses(bits, *claim)


def _loss_function(table: _Node, pieces: _Node) -> None:
    matrix, nodes = _matrix(table, table.some(MOST_STATES)), pieces.some(MOST_STEPS)
    sums, end = (0, 0), _ZERO
    for number, node in enumerate(nodes):
        q, d, start_node, end_node, rows, subset = node.fields("q", "d", "from", "to", "rows", "subset")
        before, sums = sums, _sums(matrix, rows, subset)
        for name, node_of_sum, total in (("q", q, sums[0]), ("d", d, sums[1])):
            given = node_of_sum.number()
            node_of_sum.multiply(_length(given), matrix.common.bit_length(), 2)
            given_equals = given.numerator * matrix.common == total * given.denominator
            node_of_sum.require(given_equals, f"it is not the sum of row {name} over the columns")
        zero = sums == (0, 0) and len(nodes) == 1
        node.require(zero or sums[0] > sums[1], "q = d is for L = 0 alone: one piece with q = d = 0")
        start = start_node.level(0)
        start_node.require(start_node.equal(start, end), "the piece does not begin where the one before ends")
        end = end_node.level(0)
        end_node.require(not end_node.at_most(end, start), "the piece ends before it begins")
        if number == 0:
            _none_exceeds(node, matrix, (1, 1), sums[0] - sums[1])
            continue
        value = _value(node, matrix, sums, start)
        node.require(sums != before, "it is the same as the piece before")
        ending = _value(node, matrix, before, start)
        node.require(node.equal(value, ending), "the piece before has another value where it ends")
        _loss_at_most(node, matrix, start, value)
    nodes[-1].require(end.upper[1] == 0, "the last piece does not end at inf")
    _none_exceeds(nodes[-1], matrix, sums, 0)


def _leakage(*nodes: _Node) -> None:
    digits, backward, forward, epsilons, bpl, fpl, tpl = nodes
    bits = digits.bits()
    budgets = [node.level(bits) for node in epsilons.some(MOST_STEPS)]
    n, (past, future) = len(budgets), _known(backward, forward)
    totals = [[_ZERO, _ZERO]] * n
    for matrix, steps, times in (past or _NO_ROWS, bpl, range(n)), (future or _NO_ROWS, fpl, range(n)[::-1]):
        step_nodes, at = steps.items(n, n), [_ZERO, _ZERO]
        for t in times:
            rows, subset, loss, bounds, level = step_nodes[t].fields("rows", "subset", "loss", "bounds", "level")
            claim = loss.encloses(bits, _value(subset, matrix, _sums(matrix, rows, subset), at[0]), _ZERO)
            _loss_at_most(loss, matrix, at[1], claim[1])
            at = bounds.encloses(bits, bounds.sum(budgets[t], claim[0]), bounds.sum(budgets[t], claim[1]))
            level.encloses(bits, *at)
            totals[t] = at if steps is bpl else list(map(loss.sum, totals[t], claim))
    for total, node in zip(totals, tpl.items(n, n), strict=True):
        node.encloses(bits, *total)


def _bounded(*nodes: _Node) -> None:
    digits, table, epsilon, bound, level = nodes
    bits, matrix = digits.bits(), _matrix(table, table.some(MOST_STATES))
    budget, at = epsilon.level(bits), bound.level(bits)
    bound.require(at.upper[1] > 0, "a finite level is expected")
    bound.require(bound.at_most(budget, at), "it is below epsilon")
    (a, b), (c, d) = at.lower, budget.upper
    bound.multiply(max(a, b).bit_length(), max(c, d).bit_length(), 2)
    _loss_at_most(bound, matrix, at, _ZERO if bound.equal(at, budget) else _Ratio(None, *[(a * d, b * c)] * 2))
    level.require(level.at_most(at, level.level(bits)), "it is below the bound")


def _bounded_below(*nodes: _Node) -> None:
    digits, table, epsilon, rows, subset, bound, level = nodes
    bits, matrix = digits.bits(), _matrix(table, table.some(MOST_STATES))
    budget, at = epsilon.level(bits), bound.level(bits)
    bound.require(at.upper[1] > 0, "a finite level is expected")
    epsilon.require(budget.lower[0] > budget.lower[1] or bound.at_most(at, _ZERO), "it is not positive")
    reached = bound.sum(budget, _value(subset, matrix, _sums(matrix, rows, subset), at))
    bound.require(bound.at_most(at, reached), "the leakage after it is not proved to be as great")
    level.require(level.at_most(level.level(bits), at), "it is above the bound")


def _divergent(*nodes: _Node) -> None:
    digits, table, epsilon, rows, subset = nodes
    bits, matrix = digits.bits(), _matrix(table, table.some(MOST_STATES))
    (a, b), (q, d) = epsilon.level(bits).lower, _sums(matrix, rows, subset)
    epsilon.require(a > b, "it is not positive")
    subset.require(d == 0, "the sum of d over the columns is not 0")
    subset.multiply(matrix.common.bit_length(), max(a, b).bit_length(), 2)
    subset.require(q * a >= matrix.common * b, "q e^epsilon is not proved to be 1 or more")


def _stream(*nodes: _Node) -> tuple[int, list[_Ratio], list[_Matrix | None]]:
    """Read digits, matrices and budgets: the bits, the budgets, and the two matrices, None where one is not known."""
    digits, backward, forward, epsilons = nodes
    bits = digits.bits()
    budgets = [_finite(node, bits) for node in epsilons.some(MOST_STEPS)]
    return bits, budgets, _known(backward, forward)


def _known(backward: _Node, forward: _Node) -> list[_Matrix | None]:
    known = [None if node.value is None else _matrix(node, node.some(MOST_STATES)) for node in (backward, forward)]
    forward.require(len({len(one.tops) for one in known if one}) < 2, "it is not as large as the other matrix")
    return known


def _finite(node: _Node, bits: int) -> _Ratio:
    budget = node.level(bits)
    node.require(budget.upper[1] > 0, "a finite level is expected")
    return budget


def _assumed(node: _Node, *texts: str) -> None:
    """Reject unless what the kind assumes stands in the document, word by word."""
    node.require(node.value == list(texts), f"these texts are expected: {'; '.join(texts)}")


def _grid(node: _Node, ratio: _Pair, bits: int, up: bool) -> int:
    """Return e^ε in units of 2^−bits, rounded."""
    node.work(ratio[0].bit_length() + bits, ratio[1].bit_length())
    return -((-ratio[0] << bits) // ratio[1]) if up else (ratio[0] << bits) // ratio[1]


def _first(node: _Node, matrix: _Matrix, pair: _Pair, ratio: Fraction, bits: int) -> list[int]:
    """Return P_j − λ P_k in units of 2^−bits, rounded upward."""
    (j, k), (a, b), common = pair, ratio.as_integer_ratio(), matrix.common
    node.multiply(bits + common.bit_length(), max(a, b).bit_length(), 4 * len(matrix.tops))
    return [-((a * q - b * p << bits) // (b * common)) for p, q in zip(matrix.tops[j], matrix.tops[k], strict=True)]


def _weighted(node: _Node, matrix: _Matrix, c: list[int], budget: int, bits: int) -> list[int]:
    """Return Φ(c), rounded upward, having counted it and P^T of it; budget, e^ε in units of 2^−bits."""
    length = max(map(int.bit_length, c)) + budget.bit_length()
    node.keep(2 * length)
    node.multiply(length, max(bits, matrix.common.bit_length()), 2 * len(c) * len(c))
    return [-(-x * budget >> bits) if x > 0 else x for x in c]


def _stepped(columns: list[tuple[int, ...]], common: int, c: list[int]) -> list[int]:
    """Return P^T c, rounded upward."""
    return [-(-sum(map(mul, column, c)) // common) for column in columns]


def _swept(node: _Node, matrix: _Matrix, pair: _Pair, ratio: Fraction, *, budgets: list[int], bits: int) -> None:
    """Reject unless (W) gives that no ratio is greater for these rows; budgets, e^ε, the nearest first."""
    c, columns = _first(node, matrix, pair, ratio, bits), list(zip(*matrix.tops, strict=True))
    for number, budget in enumerate(budgets, 1):
        if max(c) <= 0:
            return
        c = _weighted(node, matrix, c, budget, bits)
        if number == len(budgets):
            node.require(sum(c) <= 0, "a mechanism is not proved to have no greater ratio")
            return
        c = _stepped(columns, matrix.common, c)


def _ratios(node: _Node, n: int) -> list[tuple[_Pair, _Node, Fraction]]:
    """Return for every two values the node of their λ, and λ itself."""
    found = []
    for j, row in enumerate(node.items(n, n)):
        for k, entry in enumerate(row.items(n, n)):
            ratio = entry.number()
            entry.require(ratio >= 1 if j != k else ratio == 1, "it is below 1, or not 1 for one value")
            if j != k:
                found.append(((j, k), entry, ratio))
    return found


def _multiplied(node: _Node, products: dict[_Pair, Fraction], pair: _Pair, ratio: Fraction) -> None:
    before = products.get(pair, Fraction(1))
    node.multiply(_length(ratio), _length(before), 2)
    products[pair] = before * ratio


def _claimed(level: _Node, budget: _Ratio, products: dict[_Pair, Fraction], claim: _Ratio) -> None:
    """Reject unless the claim is at least a budget and the greatest of the products."""
    best = max(products.values(), default=Fraction(1)).as_integer_ratio()
    reached = budget if best == (1, 1) else level.sum(budget, _Ratio(None, best, best))
    level.require(level.at_most(reached, claim), "it is not proved")


def _tight_upper(*nodes: _Node) -> None:
    digits, assumed, backward, forward, epsilons, time, past, future, level = nodes
    _assumed(assumed, EVERY_STEP, NOT_ADAPTIVE)
    bits, budgets, known = _stream(digits, backward, forward, epsilons)
    count = len(budgets)
    times = range(count) if time.value is None else range(time.integer(1, count) - 1, time.integer(1, count))
    above = [_grid(epsilons, budget.upper, bits, up=True) for budget in budgets]
    products: list[dict[_Pair, Fraction]] = [{} for _ in times]
    for node, matrix in zip((past, future), known, strict=True):
        if matrix is None:
            node.require(node.value is None, "null is expected: there is no matrix")
            continue
        n, tables = len(matrix.tops), node.items(len(times), len(times))
        longest: list[int] = []
        proved: dict[_Pair, Fraction] = {}
        for index in reversed(range(len(times))) if node is past else range(len(times)):
            own = above[: times[index]][::-1] if node is past else above[times[index] + 1 :]
            if longest[: len(own)] != own:
                longest, proved = own, {}
            for pair, entry, ratio in _ratios(tables[index], n):
                if own and (pair not in proved or ratio < proved[pair]):
                    _swept(entry, matrix, pair, ratio, budgets=own, bits=bits)
                    proved[pair] = ratio
                _multiplied(entry, products[index], pair, ratio)
    claim = level.level(bits)
    for index, at in enumerate(times):
        _claimed(level, budgets[at], products[index], claim)


def _answered(matrix: _Matrix, pair: _Pair, sets: list[_Node], budgets: list[_Ratio], bits: int) -> _Pair:
    """Return what (Y) gives for these rows and sets, those of the farthest release first, rounded down."""
    n, common, one = len(matrix.tops), matrix.common, 1 << bits
    low, high = [one] * n, [one] * n
    for subset, budget in zip(sets, budgets, strict=True):
        columns = _values(subset, n)
        least, most = _grid(subset, budget.lower, bits, up=False), _grid(subset, budget.upper, bits, up=True)
        length = max(map(int.bit_length, high)) + most.bit_length()
        subset.keep(4 * length)
        subset.multiply(length, max(bits, common.bit_length()), 4 * n * n)
        for a in columns:
            low[a], high[a] = low[a] * least >> bits, -(-high[a] * most >> bits)
        low = [sum(map(mul, row, low)) // common for row in matrix.tops]
        high = [-(-sum(map(mul, row, high)) // common) for row in matrix.tops]
    return low[pair[0]], high[pair[1]]


def _values(subset: _Node, n: int) -> list[int]:
    columns = [column.integer(1, n) - 1 for column in subset.items(0, n)]
    subset.require(columns == sorted(set(columns)), "the columns are not in rising order")
    return columns


def _tight_lower(*nodes: _Node) -> None:
    digits, assumed, backward, forward, epsilons, time, rows, past, future, level = nodes
    _assumed(assumed, EVERY_STEP, BOTH_OCCUR, ONE_CHAIN)
    bits, budgets, known = _stream(digits, backward, forward, epsilons)
    t = time.integer(1, len(budgets)) - 1
    reached, sides = budgets[t], (budgets[:t], budgets[:t:-1])
    n = max(0 if matrix is None else len(matrix.tops) for matrix in known)
    j, k = (node.integer(1, n) - 1 for node in rows.items(2, 2))
    rows.require(j != k, "two values are expected")
    for node, matrix, own in zip((past, future), known, sides, strict=True):
        count = 0 if matrix is None else len(own)
        sets = node.items(count, count)
        if matrix is not None and sets:
            ratio = _answered(matrix, (j, k), sets, own, bits)
            if ratio[0] > ratio[1]:  # else nothing is lost by asking nothing
                reached = node.sum(reached, _Ratio(None, ratio, ratio))
    level.require(level.at_most(level.level(bits), reached), "it is not attained")


def _barrier(node: _Node, matrix: _Matrix, budget: int, bits: int) -> list[int]:
    """Read h = above − below, as integers; reject unless P^T Φ(h) ≤ θ h with θ < 1, as (Z) needs."""
    above, below, theta_node = node.fields("above", "below", "theta")
    n, theta = len(matrix.tops), theta_node.number()
    theta_node.require(theta < 1, "it is not below 1")
    (up, down), _ = _over_one(node, [[entry.number() for entry in part.items(n, n)] for part in (above, below)])
    h, (a, b) = list(map(sub, up, down)), theta.as_integer_ratio()
    length = max(map(int.bit_length, h)) + matrix.common.bit_length() + budget.bit_length() + bits
    node.keep(n * length)
    node.multiply(length, length, 2 * n * n)
    node.multiply(length, max(a, b).bit_length(), 2 * n)
    after = [x * budget if x > 0 else x << bits for x in h]
    for column, x in zip(zip(*matrix.tops, strict=True), h, strict=True):
        stays = sum(map(mul, column, after)) * b <= a * x * matrix.common << bits
        node.require(stays, "P^T Phi(h) <= theta h fails")
    return h


def _stops(node: _Node, c: list[int], h: list[int]) -> bool:
    """Whether c ≤ γ h for some γ ≥ 0: the least that the positive entries of h allow is tried."""
    node.multiply(max(map(int.bit_length, c)), max(map(int.bit_length, h)), 4 * len(h))
    a, b = 0, 1
    for x, y in zip(c, h, strict=True):
        if y > 0 and x * b > a * y:
            a, b = x, y
    return all(x * b <= a * y for x, y in zip(c, h, strict=True))


def _tight_forever(*nodes: _Node) -> None:
    digits, assumed, backward, forward, epsilon, past, future, level = nodes
    _assumed(assumed, EVERY_STEP, NOT_ADAPTIVE)
    bits = digits.bits()
    budget, known = _finite(epsilon, bits), _known(backward, forward)
    above = _grid(epsilon, budget.upper, bits, up=True)
    products: dict[_Pair, Fraction] = {}
    for node, matrix in zip((past, future), known, strict=True):
        if matrix is None:
            node.require(node.value is None, "null is expected: there is no matrix")
            continue
        steps_node, barriers, ratios = node.fields("steps", "barriers", "ratios")
        n, steps, columns = len(matrix.tops), steps_node.integer(0, MOST_SWEPT), list(zip(*matrix.tops, strict=True))
        each = [[0] * n, *(_barrier(one, matrix, above, bits) for one in barriers.items(0, MOST_BARRIERS))]
        for pair, entry, ratio in _ratios(ratios, n):
            c, left = _first(entry, matrix, pair, ratio, bits), steps
            while not any(_stops(entry, c, h) for h in each):
                entry.require(left > 0, "the sweep is not over after so many steps")
                c, left = _stepped(columns, matrix.common, _weighted(entry, matrix, c, above, bits)), left - 1
            _multiplied(entry, products, pair, ratio)
    _claimed(level, budget, products, level.level(bits))


def _leads(matrix: _Matrix, values: list[int], to: list[int]) -> bool:
    return all(sum(matrix.tops[a][b] for b in to) == matrix.common for a in values)


def _tight_divergent(*nodes: _Node) -> None:
    digits, assumed, table, epsilon, sets, onward, weights = nodes
    _assumed(assumed, EVERY_STEP, ALL_OCCUR)
    bits, matrix = digits.bits(), _matrix(table, table.some(MOST_STATES))
    (a, b), n, common = _finite(epsilon, bits).lower, len(matrix.tops), matrix.common
    epsilon.require(a > b, "it is not positive")
    own = [_values(node, n) for node in sets.items(2, n)]
    sets.require(all(own) and sum(map(len, own)) == len(set().union(*own)), "a set is empty, or two of them meet")
    sets.work(common.bit_length(), times=n * n)
    if weights.value is None:
        targets = [node.integer(1, len(own)) - 1 for node in onward.items(len(own), len(own))]
        onward.require(len(set(targets)) == len(own), "two sets lead into the same")
        for node, values, to in zip(sets.items(2, n), own, targets, strict=True):
            node.require(_leads(matrix, values, own[to]), "it does not lead into the next surely")
        return
    onward.require(onward.value is None, "null is expected beside weights")
    sets.require(len(own) == 2, "two sets are expected beside weights")
    grows = own[0]
    sets.require(_leads(matrix, own[1], own[1]), "the second set is left")
    ([w], _) = _over_one(weights, [[entry.number() for entry in weights.items(len(grows), len(grows))]])
    length = max(map(int.bit_length, w)) + common.bit_length()
    weights.multiply(length, max(a, b).bit_length(), n * n)
    before = [sum(x * matrix.tops[i][j] for x, i in zip(w, grows, strict=True)) for j in range(n)]
    weights.require(sum(before[j] for j in range(n) if j not in grows) > 0, "nothing leaves the first set")
    kept = (before[j] * a >= x * b * common for x, j in zip(w, grows, strict=True))
    weights.require(all(kept), "e^epsilon w P >= w is not proved")


_KINDS: dict[object, tuple[Callable[..., None], str]] = {
    "lfp-optimum": (_lfp_optimum, "digits q d alpha subset value primal dual"),
    "loss": (_loss, "digits matrix alpha rows subset loss level"),
    "loss-function": (_loss_function, "matrix pieces"),
    "leakage": (_leakage, "digits backward forward epsilons bpl fpl tpl"),
    "bounded": (_bounded, "digits matrix epsilon bound level"),
    "bounded-below": (_bounded_below, "digits matrix epsilon rows subset bound level"),
    "divergent": (_divergent, "digits matrix epsilon rows subset"),
    "tight-upper": (_tight_upper, "digits assumed backward forward epsilons time past future level"),
    "tight-lower": (_tight_lower, "digits assumed backward forward epsilons time rows past future level"),
    "tight-forever": (_tight_forever, "digits assumed backward forward epsilon past future level"),
    "tight-divergent": (_tight_divergent, "digits assumed matrix epsilon sets next weights"),
}


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def check(text: str, most_work: int = MOST_WORK) -> str:
    """Return the kind of a certificate that holds.

    Raises: Rejected with the first step that fails; NotDecided with the limit that is reached first; nothing else.
    """
    return _checked(text, _Spent(most_work))


def _checked(text: str, spent: _Spent) -> str:
    document = _Node("", None, spent)
    document.within(len(text), MOST_TEXT, "characters")
    try:
        return _kind(document, text)
    except (MemoryError, RecursionError) as error:
        raise NotDecided(f"document: not enough memory, or nested too deeply: {error}") from None


def _kind(document: _Node, text: str) -> str:
    zeros = sum(map(int, _POWER.findall(text)))
    document.within(zeros, MOST_ZEROS, "zeros in its numbers, written out")
    try:  # floats become bytes, which nothing accepts
        value = json.loads(text, object_pairs_hook=_unique, parse_float=str.encode, parse_constant=str.encode)
    except ValueError as error:
        document.fail(f"it is not JSON without repeated keys: {error}")
    kind = value.get("certificate") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        document.fail(f"an object whose key certificate is one of {', '.join(map(str, _KINDS))} is expected")
    checked, keys = _KINDS[kind]
    _, version, *nodes = document._replace(value=value).fields("certificate", "version", *keys.split())
    version.integer(1, 1)
    checked(*nodes)
    return kind


def read(stream: BinaryIO) -> str:
    """Return the text of a file in UTF-8, with or without a byte order mark.

    Raises: NotDecided where it is too long, OSError, UnicodeDecodeError.
    """
    content = stream.read(MOST_TEXT + 1)
    if len(content) > MOST_TEXT:
        raise NotDecided(f"document: more than {MOST_TEXT} bytes")
    return content.decode("utf-8-sig")


def main(arguments: list[str]) -> int:
    """Check the one file named, print the verdict, return the exit status."""
    option = arguments[:1] == ["--work"] and len(arguments) > 1
    work = arguments[1] if option else str(MOST_WORK)
    if len(arguments) != 1 + 2 * option or not (work.isascii() and work.isdigit() and len(work) < 100):
        print("usage: checker.py [--work N] FILE", file=sys.stderr)
        return 2
    try:
        with Path(arguments[-1]).open("rb") as stream:
            status, verdict = 0, f"accepted: {check(read(stream), int(work))}"
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
