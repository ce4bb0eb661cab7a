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

Numbers are not negative: there is no sign to write. What exceeds a limit is not decided. Work, and the bits of numbers,
are counted before they are spent, by `_Node.count`: of a number where it is read, together with the few operations in
which a proof uses it; of vectors, in the methods of `_Matrix`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import isqrt, lcm
from operator import mul, sub
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

MOST_TEXT, MOST_LENGTH, MOST_STATES, MOST_STEPS, MOST_DIGITS = 1 << 25, 20_000, 1_000, 10_000, 1_000
MOST_LEVEL, MOST_EXPONENT, MOST_COMMON, MOST_BITS = 2_000_000, 1_000_000, 1 << 19, 1 << 32
MOST_ZEROS, MOST_WORK, MOST_SWEPT, MOST_BARRIERS = 10**8, 2 * 10**10, 10**6, 100
EVERY_STEP, ONE_CHAIN = "each matrix is that of all steps", "the matrices are those of one chain"
NOT_ADAPTIVE = "mechanisms after a time do not depend on earlier outputs"
BOTH_OCCUR, ALL_OCCUR = "both values can occur", "the values can occur at all times"
_NUMBER = re.compile(r"[0-9]+(?:/([0-9]+)|(?:\.[0-9]+)?(?:[eE][+-]?0*([0-9]+))?)")
_POWER = re.compile(r"[eE][+-]?0*([0-9]{1,8})")
_SURD = re.compile(r"(\()?(?:(-?[0-9]+)([+-]))?sqrt\(([0-9]+)\)(?(1)\)/([0-9]+))|sqrt\(([0-9]+)\)/([0-9]+)")
_Pair = tuple[int, int]  # of a number in [0, ∞]: numerator and denominator, not in lowest terms; (1, 0) is ∞


class Rejected(Exception):
    """The first step that fails: the path of a field (times, rows, columns, items count from 1) and a sentence."""


class NotDecided(Exception):
    """A limit that is reached before it is known whether the certificate holds: where, and which."""


@dataclass
class _Spent:
    """What a check has cost so far: units of work, of about 2 ns each, and bits of the numbers it made."""

    most_work: int
    work: int = 0
    bits: int = 0


@dataclass(frozen=True)
class _Level:
    """A level α: rationals at most and at least e^α, and α itself where it is known to be a rational number."""

    lower: _Pair
    upper: _Pair
    alpha: _Pair | None = None

    def __add__(self, other: _Level) -> _Level:
        (a, b), (c, d), alpha = self.lower, self.upper, None
        if self.alpha and other.alpha:
            (x, y), (z, w) = self.alpha, other.alpha
            alpha = x * w + z * y, y * w
        return _Level((a * other.lower[0], b * other.lower[1]), (c * other.upper[0], d * other.upper[1]), alpha)

    def __le__(self, other: _Level) -> bool:
        """Whether it is proved to be at most another."""
        (a, b), (c, d) = (self.alpha, other.alpha) if self.alpha and other.alpha else (self.upper, other.lower)
        return a * d <= c * b


_ZERO = _Level((1, 1), (1, 1), (0, 1))


@dataclass(frozen=True)
class _Node:
    """A JSON value and where it is; each method returns what it is asked for, or rejects, or does not decide."""

    path: str
    value: Any
    spent: _Spent

    def count(self, a: int, b: int = 0, times: int = 1, *, divide: bool = False, made: int = 0) -> None:
        """Count sums (of which b is 0), products or divisions of numbers of a and b bits, and bits that are made."""
        spent, long, short = self.spent, max(a, b) >> 5, min(a, b) >> 5
        spent.work += 1000 + times * (50 + long + long * (short if divide else min(short, 16 * isqrt(short))))
        spent.bits += made
        self.within(spent.work, spent.most_work, "units of work (--work)")
        self.within(spent.bits, MOST_BITS, "bits in all numbers")

    def within(self, amount: int, most: int, what: str) -> None:
        if amount > most:
            raise NotDecided(f"{self.path}: more than {most} {what}")

    def fail(self, reason: str) -> NoReturn:
        raise Rejected(f"{self.path}: {reason}")

    def require(self, condition: object, reason: str) -> None:
        if not condition:
            self.fail(reason)

    def having(self, keys: str) -> _Node:
        fits = isinstance(self.value, dict) and self.value.keys() == set(keys.split())
        self.require(fits, f"an object with exactly the keys {keys.replace(' ', ', ')} is expected")
        return self

    def __getitem__(self, key: str) -> _Node:
        return _Node(f"{self.path}.{key}".removeprefix("document."), self.value[key], self.spent)

    def items(self, least: int, most: int) -> list[_Node]:
        fits = isinstance(self.value, list) and least <= len(self.value) <= most
        self.require(fits, f"an array of {least} to {most} items is expected")
        return [_Node(f"{self.path}[{i}]", item, self.spent) for i, item in enumerate(self.value, 1)]

    def some(self, limit: int) -> list[_Node]:
        self.within(len(self.value) if isinstance(self.value, list) else 0, limit, "items")
        return self.items(1, limit)

    def integer(self, least: int, most: int) -> int:
        fits = type(self.value) is int and least <= self.value <= most
        self.require(fits, f"an integer from {least} to {most} is expected")
        return int(self.value)

    def indices(self, n: int, least: int = 2, most: int = 2) -> list[int]:
        return [item.integer(1, n) - 1 for item in self.items(least, most)]

    def columns(self, n: int) -> list[int]:
        columns = self.indices(n, 0, n)
        self.require(columns == sorted(set(columns)), "the columns are not in rising order")
        return columns

    def bits(self) -> int:
        self.within(self.value if type(self.value) is int else 1, MOST_DIGITS, "digits")
        return 128 + 4 * self.integer(1, MOST_DIGITS)

    def null(self, why: str) -> None:
        self.require(self.value is None, f"null is expected{why}")

    def states(self, *texts: str) -> None:
        self.require(self.value == list(texts), f"these texts are expected: {'; '.join(texts)}")

    def text(self) -> str:
        self.require(isinstance(self.value, str), "a text is expected")
        self.within(len(self.value), MOST_LENGTH, "characters")
        return str(self.value)

    def number(self, most_exponent: int = MOST_LENGTH) -> Fraction:
        text = self.text()
        match = _NUMBER.fullmatch(text) or self.fail("a number as in 3/7, 2, 0.1 or 1e-3 is expected")
        exponent = int((match[2] or "0")[:8])  # eight digits are beyond every limit
        self.within(exponent, most_exponent, "as an exponent")
        written, length = 4 * len(text), 4 * (len(text) + exponent)  # more than the bits of so many digits
        self.count(length, written, 2, divide=True, made=length)
        if exponent:
            self.count(length, length)
        self.require(not match[1] or match[1].strip("0"), "division by zero")
        above, _, below = text.partition("/")  # by Decimal, as int reads no text of many digits
        return Fraction(int(Decimal(above)), int(Decimal(below))) if below else Fraction(Decimal(above))

    def level(self, bits: int) -> _Level:
        text, alpha = self.text(), None
        if text == "inf":
            return _Level((1, 0), (1, 0))
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
            lower = upper = _Node(self.path, text[4:-1], self.spent).number(MOST_EXPONENT).as_integer_ratio()
        self.require(lower[0] >= lower[1] > 0, "the level is negative, or no number")
        above, below = map(int.bit_length, upper)  # what a step does with a level is about as much
        self.count(above, above)
        self.count(above, below, 8, made=2 * above)
        return _Level(lower, upper, alpha)

    def finite(self, bits: int) -> _Level:
        level = self.level(bits)
        self.require(level.upper[1] > 0, "a finite level is expected")
        return level

    def encloses(self, bits: int, lower: _Level, upper: _Level) -> tuple[_Level, _Level]:
        """Return the two claimed bounds of what is proved to lie between these levels."""
        self.having("lower upper")
        claim = self["lower"].level(bits), self["upper"].level(bits)
        self.require(claim[0] <= lower, "the lower bound is above what is proved")
        self.require(upper <= claim[1], "the upper bound is below what is proved")
        return claim

    def over_one(self, *vectors: _Node, n: int) -> tuple[list[list[int]], int]:
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

    def grid(self, ratio: _Pair, bits: int, up: bool) -> int:
        """Return a ratio in units of 2^−bits, rounded."""
        self.count(ratio[0].bit_length() + bits, ratio[1].bit_length(), divide=True)
        return _quotient(ratio[0] << bits, ratio[1], up)

    def ratios(self, n: int) -> list[tuple[_Node, _Pair, Fraction]]:
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

    def matrix(self, *rows: _Node, n: int = 0) -> _Matrix:
        """Read distributions: these rows of n entries, or all items as a square matrix."""
        rows = rows or tuple(self.some(MOST_STATES))
        entries, common = self.over_one(*rows, n=n or len(rows))
        for row, own in zip(rows, entries, strict=True):
            row.require(sum(own) == common, "the row does not sum to 1")
        return _Matrix(entries, entries, common)


def _quotient(a: int, b: int, up: bool) -> int:
    return -(-a // b) if up else a // b


def _exp(x: Fraction, bits: int, up: bool) -> _Pair:
    """Return a rational at least (up) or at most e^x, x ≥ 0, of error about 2^−bits relative to e^x − 1.

    y = x/2^squarings < 1/2 goes into Σ_{k≥1} y^k/k!, whose terms after the k-th are together below the k-th; then
    e^y is squared. Every rounding goes the one way, and keeps the mantissa short.
    """
    squarings = int(2 * x).bit_length()
    bits += 2 * squarings + 16
    places = bits + squarings + max(0, x.denominator.bit_length() - x.numerator.bit_length())
    y = total = term = _quotient(x.numerator << places, x.denominator << squarings, up)
    k = 1
    while term > 1:
        k += 1
        term = _quotient(term * y, k << places, up)
        total += term
    mantissa, exponent = total + term * up + (1 << places), -places
    for _ in range(squarings):
        shift = max(0, 2 * mantissa.bit_length() - bits)
        mantissa, exponent = _quotient(mantissa * mantissa, 1 << shift, up), 2 * exponent + shift
    return mantissa << max(exponent, 0), 1 << max(-exponent, 0)


def _surd(match: re.Match[str], bits: int) -> tuple[_Pair, _Pair]:
    """Return rationals around (p ± √n)/c; as |p − c ± √n| is 0 or at least 1/(|p − c| + √n), k places suffice."""
    p, n, c = (int(Decimal(group or 0)) for group in (match[2], match[4] or match[6], match[5] or match[7] or "1"))
    k = bits + abs(p - c).bit_length() + n.bit_length() + 2
    low = isqrt(n << 2 * k)
    high = low + (low * low != n << 2 * k)
    low, high = (-high, -low) if match[3] == "-" else (low, high)
    return ((p << k) + low, c << k), ((p << k) + high, c << k)


@dataclass(frozen=True)
class _Matrix:
    """The rows that may be q and those that may be d, as integers over one denominator."""

    rows: list[list[int]]
    bottoms: list[list[int]]
    common: int

    @cached_property
    def columns(self) -> list[tuple[int, ...]]:
        return list(zip(*self.rows, strict=True))

    def sums(self, rows: _Node, subset: _Node) -> _Pair:
        """Return q_S and d_S over the common denominator; no rows (null) and no columns give 0 and 0."""
        if rows.value is None:
            return len(subset.items(0, 0)), 0
        i, k = rows.indices(len(self.rows))
        columns, length = subset.columns(len(self.rows[i])), self.common.bit_length()
        subset.count(length, times=2 * len(columns))
        subset.count(length, length, 8)
        q, d = (sum([row[j] for j in columns]) for row in (self.rows[i], self.bottoms[k]))
        subset.require(q >= d, "the sum of q over the columns is below that of d")
        return q, d

    def attained(self, sums: _Pair, at: _Level) -> _Level:
        """Return log g_S at the lower bound of a level, by (S)."""
        (q, d), (a, b), one = sums, at.lower, self.common
        if q == d or (q, d) == (one, 0):
            return _ZERO if q == d else at
        ratio = q * (a - b) + one * b, d * (a - b) + one * b
        return _Level(ratio, ratio)

    def none_exceeds(self, node: _Node, ratio: _Pair, factor: int, limit: int) -> None:
        """Reject unless factor · Σ_j (b q_j − a d_j)^+ ≤ limit for all rows q and d; λ = a/b."""
        (a, b), common, entries = ratio, self.common.bit_length(), sum(map(len, self.rows))
        length = common + max(a, b).bit_length()
        node.within(entries * length, MOST_BITS, "bits in the rows times a ratio")
        node.count(common, length, 2 * entries)
        node.count(length, times=entries * len(self.bottoms))
        tops, bottoms = [[b * x for x in q] for q in self.rows], [[a * x for x in d] for d in self.bottoms]
        sums = ([sum([c for c in map(sub, q, d) if c > 0]) for d in bottoms] for q in tops)
        greatest = [(max(row), i, row.index(max(row)) + 1) for i, row in enumerate(sums, 1)]
        total, i, k = max(greatest, default=(0, 0, 0))
        node.require(total * factor <= limit, f"row {i} of q over row {k} of d gives more")

    def loss_at_most(self, node: _Node, at: _Level, claim: _Level) -> None:
        """Reject unless (U) gives that the loss at a level is at most the claim."""
        if not at <= claim:
            (a, b), (e, m) = claim.lower, at.upper
            self.none_exceeds(node, (a, b), e - m, (a - b) * m * self.common)

    def first(self, node: _Node, pair: _Pair, ratio: Fraction, bits: int) -> list[int]:
        """Return P_j − λ P_k in units of 2^−bits, rounded upward."""
        q, d, (a, b) = self.rows[pair[0]], self.rows[pair[1]], ratio.as_integer_ratio()
        node.count(bits + self.common.bit_length(), max(a, b).bit_length(), 4 * len(q))
        return [-((a * y - b * x << bits) // (b * self.common)) for x, y in zip(q, d, strict=True)]

    def weighted(self, node: _Node, c: list[int], budget: int, bits: int) -> list[int]:
        """Return Φ(c), rounded upward, having counted it and P^T of it; budget, e^ε in units of 2^−bits."""
        length = max(map(int.bit_length, c)) + budget.bit_length()
        node.count(length, max(bits, self.common.bit_length()), 2 * len(c) * len(c), made=2 * length)
        return [-(-x * budget >> bits) if x > 0 else x for x in c]

    def stepped(self, c: list[int]) -> list[int]:
        """Return P^T c, rounded upward."""
        return [-(-sum(map(mul, column, c)) // self.common) for column in self.columns]

    def swept(self, node: _Node, c: list[int], budgets: list[int], bits: int) -> None:
        """Reject unless (W) gives from c on that no ratio is greater; budgets, e^ε, the nearest first."""
        for budget in budgets[:-1]:
            if max(c) <= 0:
                return
            c = self.stepped(self.weighted(node, c, budget, bits))
        last = sum(self.weighted(node, c, budgets[-1], bits))
        node.require(last <= 0, "a mechanism is not proved to have no greater ratio")

    def barrier(self, node: _Node, budget: int, bits: int) -> list[int]:
        """Read h = above − below, as integers; reject unless P^T Φ(h) ≤ θ h with θ < 1, as (Z) needs."""
        a, b = node.having("above below theta")["theta"].number().as_integer_ratio()
        node["theta"].require(a < b, "it is not below 1")
        (up, down), _ = node.over_one(node["above"], node["below"], n=len(self.rows))
        h = list(map(sub, up, down))
        exact = [x * self.common << bits for x in h]  # so that nothing is rounded
        after = self.stepped(self.weighted(node, exact, budget, bits))
        node.require(all(y * b <= a * x for x, y in zip(exact, after, strict=True)), "P^T Phi(h) <= theta h fails")
        return h

    def answered(self, sets: list[_Node], budgets: list[_Level], bits: int, up: bool) -> list[int]:
        """Return f by (Y) for these sets, that of the farthest release first, rounded."""
        f = [1 << bits] * len(self.rows)
        for subset, budget in zip(sets, budgets, strict=True):
            weight = subset.grid(budget.upper if up else budget.lower, bits, up)
            length = max(map(int.bit_length, f)) + weight.bit_length()
            subset.count(length, max(bits, self.common.bit_length()), 2 * len(f) * len(f), made=2 * length)
            for a in subset.columns(len(f)):
                f[a] = _quotient(f[a] * weight, 1 << bits, up)
            f = [_quotient(sum(map(mul, row, f)), self.common, up) for row in self.rows]
        return f

    def leads(self, values: list[int], to: list[int]) -> bool:
        return all(sum([self.rows[a][b] for b in to]) == self.common for a in values)


_NO_ROWS = _Matrix([], [], 1)


def _lfp_optimum(it: _Node) -> None:
    bits, n = it["digits"].bits(), len(it["q"].some(MOST_STATES))
    both, at = it["q"].matrix(it["q"], it["d"], n=n), it["alpha"].level(bits)
    (q, d), common = both.rows, both.common
    pair = _Matrix([q], [d], common)
    reached = pair.attained(pair.sums(_Node("rows", [1, 1], it.spent), it["subset"]), at)
    pair.loss_at_most(it["value"], at, it["value"].encloses(bits, reached, _ZERO)[1])
    if at.lower != at.upper or at.lower[1] == 0:
        it["primal"].null(": the ratio is not rational")
        it["dual"].null(": the ratio is not rational")
        return
    primal, dual = it["primal"].having("t y"), it["dual"].having("lambda u w")
    (a, b), (above, below) = dual["lambda"].number().as_integer_ratio(), at.lower
    t = primal["t"].number()
    (y, u, w), one = dual.over_one(primal["y"], dual["u"], dual["w"], n=n)
    size = max(map(int.bit_length, [common, one, a, *y, *u, *w]))
    dual.count(2 * size, max(size, above.bit_length(), below.bit_length()), 16 * n)
    primal["y"].require(sum(map(mul, d, y)) == common * one, "d y = 1 fails")
    primal["y"].require(min(y) >= t * one and max(y) * below <= above * t * one, "t <= y_j <= A t fails")
    primal["y"].require(sum(map(mul, q, y)) * b == a * common * one, "q y = lambda fails")
    slopes = [(b * q_j - a * d_j) * one for q_j, d_j in zip(q, d, strict=True)]
    dual["u"].require(slopes == [x * common * b for x in map(sub, w, u)], "q - lambda d = w - u fails")
    dual["u"].require(sum(u) * below == above * sum(w), "sum u = A sum w fails")
    it["subset"].require(reached.lower[0] * b == a * reached.lower[1], "the columns do not give lambda")


def _loss(it: _Node) -> None:
    bits, p = it["digits"].bits(), it["matrix"].matrix()
    at = it["alpha"].level(bits)
    claim = it["loss"].encloses(bits, p.attained(p.sums(it["rows"], it["subset"]), at), _ZERO)
    p.loss_at_most(it["loss"], at, claim[1])
    it["level"].encloses(bits, *claim)


def _loss_function(it: _Node) -> None:
    p, pieces, sums, end = it["matrix"].matrix(), it["pieces"].some(MOST_STEPS), (0, 0), _ZERO
    for piece in pieces:
        piece.having("q d from to rows subset")
        before, sums = sums, p.sums(piece["rows"], piece["subset"])
        for name, total in zip("qd", sums, strict=True):
            given = piece[name].number() * p.common
            piece[name].require(given == total, f"it is not the sum of row {name} over the columns")
        zero = sums == (0, 0) and len(pieces) == 1
        piece.require(zero or sums[0] > sums[1], "q = d is for L = 0 alone: one piece with q = d = 0")
        start = piece["from"].level(0)
        piece["from"].require(start <= end <= start, "the piece does not begin where the one before ends")
        end = piece["to"].level(0)
        piece["to"].require(not end <= start, "the piece ends before it begins")
        if piece is pieces[0]:
            p.none_exceeds(piece, (1, 1), 1, sums[0] - sums[1])
            continue
        value, ending = p.attained(sums, start), p.attained(before, start)
        piece.require(sums != before, "it is the same as the piece before")
        piece.require(value <= ending <= value, "the piece before has another value where it ends")
        p.loss_at_most(piece, start, value)
    pieces[-1].require(end.upper[1] == 0, "the last piece does not end at inf")
    p.none_exceeds(pieces[-1], sums, 1, 0)


def _leakage(it: _Node) -> None:
    bits = it["digits"].bits()
    budgets = [node.level(bits) for node in it["epsilons"].some(MOST_STEPS)]
    n, (past, future) = len(budgets), _known(it)
    totals = [(_ZERO, _ZERO)] * n
    for role, p, times in ("bpl", past, range(n)), ("fpl", future, range(n)[::-1]):
        steps, at = it[role].items(n, n), (_ZERO, _ZERO)
        for t in times:
            step = steps[t].having("rows subset loss bounds level")
            claim = step["loss"].encloses(bits, p.attained(p.sums(step["rows"], step["subset"]), at[0]), _ZERO)
            p.loss_at_most(step["loss"], at[1], claim[1])
            at = step["bounds"].encloses(bits, budgets[t] + claim[0], budgets[t] + claim[1])
            step["level"].encloses(bits, *at)
            totals[t] = at if role == "bpl" else (totals[t][0] + claim[0], totals[t][1] + claim[1])
    for total, node in zip(totals, it["tpl"].items(n, n), strict=True):
        node.encloses(bits, *total)


def _bounded(it: _Node) -> None:
    bits, p = it["digits"].bits(), it["matrix"].matrix()
    budget, bound = it["epsilon"].level(bits), it["bound"].finite(bits)
    it["bound"].require(budget <= bound, "it is below epsilon")
    (a, b), (c, d) = bound.lower, budget.upper
    p.loss_at_most(it["bound"], bound, _ZERO if bound <= budget else _Level((a * d, b * c), (a * d, b * c)))
    it["level"].require(bound <= it["level"].level(bits), "it is below the bound")


def _bounded_below(it: _Node) -> None:
    bits, p = it["digits"].bits(), it["matrix"].matrix()
    budget, bound = it["epsilon"].level(bits), it["bound"].finite(bits)
    it["epsilon"].require(budget.lower[0] > budget.lower[1] or bound <= _ZERO, "it is not positive")
    reached = budget + p.attained(p.sums(it["rows"], it["subset"]), bound)
    it["bound"].require(bound <= reached, "the leakage after it is not proved to be as great")
    it["level"].require(it["level"].level(bits) <= bound, "it is above the bound")


def _divergent(it: _Node) -> None:
    bits, p = it["digits"].bits(), it["matrix"].matrix()
    (a, b), (q, d) = it["epsilon"].level(bits).lower, p.sums(it["rows"], it["subset"])
    it["epsilon"].require(a > b, "it is not positive")
    it["subset"].require(d == 0, "the sum of d over the columns is not 0")
    it["subset"].require(q * a >= p.common * b, "q e^epsilon is not proved to be 1 or more")


def _known(it: _Node) -> list[_Matrix]:
    """Return the two matrices, without rows where one is not known: nothing leaks by it."""
    known = [_NO_ROWS if it[key].value is None else it[key].matrix() for key in ("backward", "forward")]
    it["forward"].require(len({len(p.rows) for p in known if p.rows}) < 2, "it is not as large as the other matrix")
    return known


def _sides(it: _Node, known: list[_Matrix]) -> Iterator[tuple[str, _Node, _Matrix]]:
    """Yield the claims about the past and the future, each where its matrix is known, and that."""
    for key, p in zip(("past", "future"), known, strict=True):
        if p.rows:
            yield key, it[key], p
        else:
            it[key].null(": there is no matrix")


def _claimed(level: _Node, claim: _Level, budget: _Level, products: dict[_Pair, Fraction]) -> None:
    """Reject unless the claim is at least a budget and the greatest of the products."""
    best = max(products.values(), default=Fraction(1)).as_integer_ratio()
    level.count(max(claim.lower).bit_length(), max(best).bit_length() + max(budget.upper).bit_length(), 4)
    level.require((budget if best == (1, 1) else budget + _Level(best, best)) <= claim, "it is not proved")


def _tight_upper(it: _Node) -> None:
    it["assumed"].states(EVERY_STEP, NOT_ADAPTIVE)
    bits, nodes = it["digits"].bits(), it["epsilons"].some(MOST_STEPS)
    budgets, n = [node.finite(bits) for node in nodes], len(nodes)
    above = [node.grid(budget.upper, bits, up=True) for node, budget in zip(nodes, budgets, strict=True)]
    known = _known(it)
    times = range(n) if it["time"].value is None else [it["time"].integer(1, n) - 1]
    products: list[dict[_Pair, Fraction]] = [{} for _ in times]
    for key, node, p in _sides(it, known):
        tables, longest = node.items(len(times), len(times)), list[int]()
        for index in range(len(times))[:: -1 if key == "past" else 1]:  # those with most releases on that side first
            own = above[: times[index]][::-1] if key == "past" else above[times[index] + 1 :]
            if longest[: len(own)] != own or not longest:
                longest, proved = own, dict[_Pair, Fraction]()
            for entry, pair, ratio in tables[index].ratios(len(p.rows)):
                if own and (pair not in proved or ratio < proved[pair]):
                    p.swept(entry, p.first(entry, pair, ratio, bits), own, bits)
                    proved[pair] = ratio
                products[index][pair] = products[index].get(pair, 1) * ratio
    claim = it["level"].level(bits)
    for t, product in zip(times, products, strict=True):
        _claimed(it["level"], claim, budgets[t], product)


def _tight_lower(it: _Node) -> None:
    it["assumed"].states(EVERY_STEP, BOTH_OCCUR, ONE_CHAIN)
    bits = it["digits"].bits()
    budgets, known = [node.finite(bits) for node in it["epsilons"].some(MOST_STEPS)], _known(it)
    t = it["time"].integer(1, len(budgets)) - 1
    j, k = it["rows"].indices(max(len(p.rows) for p in known))
    it["rows"].require(j != k, "two values are expected")
    reached = budgets[t]
    for key, p, own in zip(("past", "future"), known, (budgets[:t], budgets[:t:-1]), strict=True):
        count = len(own) if p.rows else 0
        if sets := it[key].items(count, count):
            ratio = p.answered(sets, own, bits, up=False)[j], p.answered(sets, own, bits, up=True)[k]
            if ratio[0] > ratio[1]:  # else nothing is lost by asking nothing
                reached += _Level(ratio, ratio)
    it["level"].require(it["level"].level(bits) <= reached, "it is not attained")


def _stops(node: _Node, c: list[int], h: list[int]) -> bool:
    """Whether c ≤ γ h for some γ ≥ 0: the least that the positive entries of h allow is tried."""
    node.count(max(map(int.bit_length, c)), max(map(int.bit_length, h)), 4 * len(h))
    a, b = 0, 1
    for x, y in zip(c, h, strict=True):
        if y > 0 and x * b > a * y:
            a, b = x, y
    return all(x * b <= a * y for x, y in zip(c, h, strict=True))


def _tight_forever(it: _Node) -> None:
    it["assumed"].states(EVERY_STEP, NOT_ADAPTIVE)
    bits, products = it["digits"].bits(), dict[_Pair, Fraction]()
    budget = it["epsilon"].finite(bits)
    above = it["epsilon"].grid(budget.upper, bits, up=True)
    for _, side, p in _sides(it, _known(it)):
        most = side.having("steps barriers ratios")["steps"].integer(0, MOST_SWEPT)
        barriers = [p.barrier(node, above, bits) for node in side["barriers"].items(0, MOST_BARRIERS)]
        for entry, pair, ratio in side["ratios"].ratios(len(p.rows)):
            c, left = p.first(entry, pair, ratio, bits), most
            while max(c) > 0 and not any(_stops(entry, c, h) for h in barriers):
                entry.require(left > 0, "the sweep is not over after so many steps")
                c, left = p.stepped(p.weighted(entry, c, above, bits)), left - 1
            products[pair] = products.get(pair, 1) * ratio
    _claimed(it["level"], it["level"].level(bits), budget, products)


def _tight_divergent(it: _Node) -> None:
    it["assumed"].states(EVERY_STEP, ALL_OCCUR)
    bits, p, onward, weights = it["digits"].bits(), it["matrix"].matrix(), it["next"], it["weights"]
    (a, b), n, nodes = it["epsilon"].finite(bits).lower, len(p.rows), it["sets"].items(2, len(p.rows))
    it["epsilon"].require(a > b, "it is not positive")
    sets = [node.columns(n) for node in nodes]
    meet = sum(map(len, sets)) > len(set().union(*sets))
    it["sets"].require(all(sets) and not meet, "a set is empty, or two of them meet")
    if weights.value is None:
        targets = onward.indices(len(sets), len(sets), len(sets))
        onward.require(len(set(targets)) == len(sets), "two sets lead into the same")
        for node, values, to in zip(nodes, sets, targets, strict=True):
            node.require(p.leads(values, sets[to]), "it does not lead into the next surely")
        return
    onward.null(" beside weights")
    it["sets"].require(len(sets) == 2, "two sets are expected beside weights")
    it["sets"].require(p.leads(sets[1], sets[1]), "the second set is left")
    (w,), _ = weights.over_one(weights, n=len(sets[0]))
    length = max(map(int.bit_length, w)) + p.common.bit_length()
    weights.count(length, max(a, b).bit_length(), n * n)
    after = [sum(x * p.rows[i][j] for x, i in zip(w, sets[0], strict=True)) for j in range(n)]
    weights.require(sum(after) > sum(after[j] for j in sets[0]), "nothing leaves the first set")
    kept = all(after[j] * a >= x * b * p.common for x, j in zip(w, sets[0], strict=True))
    weights.require(kept, "e^epsilon w P >= w is not proved")


_KINDS: dict[str, tuple[Callable[[_Node], None], str]] = {
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
    document = _Node("document", None, spent)
    document.within(len(text), MOST_TEXT, "characters")
    document.within(sum(map(int, _POWER.findall(text))), MOST_ZEROS, "zeros in its numbers, written out")
    try:
        return _kind(document, text)
    except (MemoryError, RecursionError) as error:
        raise NotDecided(f"document: not enough memory, or nested too deeply: {error}") from None


def _kind(document: _Node, text: str) -> str:
    try:  # floats become bytes, which nothing accepts
        value = json.loads(text, object_pairs_hook=_unique, parse_float=str.encode, parse_constant=str.encode)
    except ValueError as error:
        document.fail(f"it is not JSON without repeated keys: {error}")
    kind = value.get("certificate") if isinstance(value, dict) else None
    known = isinstance(kind, str) and kind in _KINDS
    document.require(known, f"an object whose key certificate is one of {', '.join(_KINDS)} is expected")
    proof, keys = _KINDS[str(kind)]
    it = _Node("document", value, document.spent).having(f"certificate version {keys}")
    it["version"].integer(1, 1)
    proof(it)
    return str(kind)


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
