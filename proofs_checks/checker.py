"""The certificate checker: trusted, one file, the standard library alone, nothing shared with what makes certificates.

    python checker.py FILE      exit 0: it holds; 1: it does not, and the first step that fails; 2: no such file

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

Numbers are not negative: there is no sign to write. What exceeds one of the limits below is rejected.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import isqrt, lcm
from operator import floordiv, mul, sub
from pathlib import Path
from typing import NamedTuple, NoReturn

MOST_TEXT, MOST_LENGTH, MOST_STATES, MOST_STEPS, MOST_DIGITS = 1 << 25, 20_000, 1_000, 10_000, 1_000
MOST_LEVEL, MOST_EXPONENT, MOST_BITS = 2_000_000, 1_000_000, 1 << 32
_NUMBER = re.compile(r"[0-9]+/[0-9]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?([0-9]{1,7}))?")
_SURD = re.compile(r"(\()?(?:(-?[0-9]+)([+-]))?sqrt\(([0-9]+)\)(?(1)\)/([0-9]+))|sqrt\(([0-9]+)\)/([0-9]+)")
_Pair = tuple[int, int]  # a number in [0, ∞]: numerator and denominator; (1, 0) is ∞, (0, 0) never occurs


class Rejected(Exception):
    """The first step that fails: the path of a field (times, rows, columns, items count from 1) and a sentence."""


class _Ratio(NamedTuple):
    """e^α of a level α: rationals at most and at least that, and α itself where it is a rational number."""

    level: Fraction | None
    lower: _Pair
    upper: _Pair

    def __add__(self, other: _Ratio) -> _Ratio:  # type: ignore[override]
        level = None if self.level is None or other.level is None else self.level + other.level
        return _Ratio(level, *((a * c, b * d) for (a, b), (c, d) in zip(self[1:], other[1:], strict=True)))

    def surely_at_most(self, other: _Ratio) -> bool:
        if self.level is not None and other.level is not None:
            return self.level <= other.level
        return self.upper[0] * other.lower[1] <= other.lower[0] * self.upper[1]

    def equals(self, other: _Ratio) -> bool:
        return self.surely_at_most(other) and other.surely_at_most(self)


class _Matrix(NamedTuple):
    """The rows that may be q and those that may be d, as integers over one denominator."""

    tops: list[list[int]]
    bottoms: list[list[int]]
    common: int


class _Node(NamedTuple):
    """A JSON value and where it is; each method returns what it is asked for, or rejects."""

    path: str
    value: object

    def fail(self, reason: str) -> NoReturn:
        raise Rejected(f"{self.path or 'document'}: {reason}")

    def require(self, condition: bool, reason: str) -> None:
        if not condition:
            self.fail(reason)

    def fields(self, *keys: str) -> list[_Node]:
        if not isinstance(self.value, dict) or self.value.keys() != set(keys):
            self.fail(f"an object with exactly the keys {', '.join(keys)} is expected")
        return [_Node(f"{self.path}.{key}".lstrip("."), self.value[key]) for key in keys]

    def items(self, least: int, most: int) -> list[_Node]:
        if not isinstance(self.value, list) or not least <= len(self.value) <= most:
            self.fail(f"an array of {least} to {most} items is expected")
        return [_Node(f"{self.path}[{number}]", item) for number, item in enumerate(self.value, 1)]

    def integer(self, least: int, most: int) -> int:
        if type(self.value) is not int or not least <= self.value <= most:
            self.fail(f"an integer from {least} to {most} is expected")
        return self.value

    def text(self) -> str:
        if not isinstance(self.value, str) or len(self.value) > MOST_LENGTH:
            self.fail(f"a text of at most {MOST_LENGTH} characters is expected")
        return self.value

    def number(self, most_exponent: int = MOST_LENGTH) -> Fraction:
        match = _NUMBER.fullmatch(self.text())
        if match is None or int(match[1] or 0) > most_exponent:
            self.fail(f"a number as in 3/7, 2, 0.1 or 1e-3 is expected, its exponent at most {most_exponent}")
        above, _, below = match[0].partition("/")
        self.require(Decimal(below or 1) != 0, "division by zero")
        return Fraction(Decimal(above)) / Fraction(Decimal(below or 1))

    def level(self, bits: int) -> _Ratio:
        text = self.text()
        if text == "inf":
            return _Ratio(None, (1, 0), (1, 0))
        if not (text.startswith("log(") and text.endswith(")")):
            alpha = self.number(MOST_EXPONENT)
            self.require(alpha <= MOST_LEVEL, f"the level is above {MOST_LEVEL}")
            return _Ratio(alpha, _exp(alpha, bits, up=False), _exp(alpha, bits, up=True))
        if match := _SURD.fullmatch(text[4:-1]):
            lower, upper = _surd(match, bits)
        else:
            lower = upper = self._replace(value=text[4:-1]).number(MOST_EXPONENT).as_integer_ratio()
        self.require(lower[0] >= lower[1] > 0, "the level is negative, or no number")
        return _Ratio(None, lower, upper)

    def bits(self) -> int:
        return 128 + 4 * self.integer(1, MOST_DIGITS)

    def encloses(self, bits: int, lower: _Ratio, upper: _Ratio) -> list[_Ratio]:
        """Return the two claimed bounds of what is proved to lie between these levels."""
        claim = [node.level(bits) for node in self.fields("lower", "upper")]
        self.require(claim[0].surely_at_most(lower), "the lower bound is above what is proved")
        self.require(upper.surely_at_most(claim[1]), "the upper bound is below what is proved")
        return claim


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
    p, n, c = (int(Decimal(group or 0)) for group in (match[2], match[4] or match[6], match[5] or match[7] or 1))
    k = bits + abs(p - c).bit_length() + n.bit_length() + 2
    low = isqrt(n << 2 * k)
    high = low + (low * low != n << 2 * k)
    low, high = (-high, -low) if match[3] == "-" else (low, high)
    return ((p << k) + low, c << k), ((p << k) + high, c << k)


_ZERO = _Ratio(Fraction(0), (1, 1), (1, 1))


def _matrix(nodes: list[_Node], columns: int = 0) -> _Matrix:
    """Read distributions, over as many states as there are of them where the number is not given."""
    common, n, rows = 1, columns or len(nodes), []
    for node in nodes:
        rows.append([entry.number() for entry in node.items(n, n)])
        node.require(sum(rows[-1]) == 1, "the row does not sum to 1")
        common = lcm(common, *(entry.denominator for entry in rows[-1]))
        node.require(n * len(nodes) * common.bit_length() <= MOST_BITS, "the common denominator is too large")
    integers = [[entry.numerator * (common // entry.denominator) for entry in row] for row in rows]
    return _Matrix(integers, integers, common)


def _sums(matrix: _Matrix, rows: _Node, subset: _Node) -> _Pair:
    """Return q_S and d_S over the common denominator; no rows (null) and no columns give 0 and 0."""
    if rows.value is None:
        return len(subset.items(0, 0)), 0
    i, k = (node.integer(1, len(matrix.tops)) - 1 for node in rows.items(2, 2))
    n = len(matrix.tops[i])
    columns = [node.integer(1, n) - 1 for node in subset.items(0, n)]
    subset.require(columns == sorted(set(columns)), "the columns are not in rising order")
    q, d = (sum(row[j] for j in columns) for row in (matrix.tops[i], matrix.bottoms[k]))
    subset.require(q >= d, "the sum of q over the columns is below that of d")
    return q, d


def _value(matrix: _Matrix, sums: _Pair, at: _Ratio) -> _Ratio:
    """Return log g_S at the lower bound of a level."""
    q, d = sums
    if q == d or (q, d) == (matrix.common, 0):
        return _ZERO if q == d else at
    excess, rest = at.lower[0] - at.lower[1], matrix.common * at.lower[1]
    return _Ratio(None, *[(q * excess + rest, d * excess + rest)] * 2)


def _none_exceeds(node: _Node, matrix: _Matrix, ratio: _Pair, limit: int) -> None:
    """Reject unless Σ_j (q_j b − d_j a)^+ ≤ limit for all rows q, d; a/b is the ratio λ."""
    a, b = ratio
    size = max(matrix.common, a, b).bit_length()
    node.require(sum(map(len, matrix.tops)) * size <= MOST_BITS, "the numbers are too large")
    tops = [[entry * b for entry in row] for row in matrix.tops]
    for k, row in enumerate(matrix.bottoms, 1):
        bottom = [entry * a for entry in row]
        for i, top in enumerate(tops, 1):
            total = sum([c for c in map(sub, top, bottom) if c > 0])
            node.require(total <= limit, f"row {i} of q over row {k} of d gives more")


def _loss_at_most(node: _Node, matrix: _Matrix, at: _Ratio, claim: _Ratio) -> None:
    """Reject unless (U) gives that the loss at a level is at most the claim."""
    if not at.surely_at_most(claim):
        (a, b), (e, m) = claim.lower, at.upper
        _none_exceeds(node, matrix, (a, b), (a - b) * m * matrix.common // (e - m))


def _lfp_optimum(*nodes: _Node) -> None:
    digits, q, d, alpha, subset, value, primal, dual = nodes
    bits, n = digits.bits(), len(q.items(1, MOST_STATES))
    (q_row, d_row), _, common = _matrix([q, d], n)
    pair, at = _Matrix([q_row], [d_row], common), alpha.level(bits)
    reached = _value(pair, _sums(pair, _Node("", [1, 1]), subset), at)
    _loss_at_most(value, pair, at, value.encloses(bits, reached, _ZERO)[1])
    if at.lower != at.upper or at.lower[1] == 0:
        primal.require(primal.value is None, "null is expected: the ratio is not rational")
        dual.require(dual.value is None, "null is expected: the ratio is not rational")
        return
    (t_node, y_node), (optimum_node, u_node, w_node) = primal.fields("t", "y"), dual.fields("lambda", "u", "w")
    t, optimum, ratio = t_node.number(), optimum_node.number(), Fraction(*at.lower)
    y, u, w = ([entry.number() for entry in node.items(n, n)] for node in (y_node, u_node, w_node))
    y_node.require(sum(map(mul, d_row, y)) == common, "d y = 1 fails")
    y_node.require(all(t <= y_j <= ratio * t for y_j in y), "t <= y_j <= A t fails")
    y_node.require(sum(map(mul, q_row, y)) == optimum * common, "q y = lambda fails")
    equations = (q_row[j] - optimum * d_row[j] == (w[j] - u[j]) * common for j in range(n))
    u_node.require(all(equations), "q - lambda d = w - u fails")
    u_node.require(sum(u) == ratio * sum(w), "sum u = A sum w fails")
    subset.require(Fraction(*reached.lower) == optimum, "the columns do not give lambda")


def _loss(*nodes: _Node) -> None:
    digits, table, alpha, rows, subset, loss, level = nodes
    bits, matrix = digits.bits(), _matrix(table.items(1, MOST_STATES))
    at = alpha.level(bits)
    claim = loss.encloses(bits, _value(matrix, _sums(matrix, rows, subset), at), _ZERO)
    _loss_at_most(loss, matrix, at, claim[1])
    level.encloses(bits, *claim)


def _loss_function(table: _Node, pieces: _Node) -> None:
    matrix, nodes = _matrix(table.items(1, MOST_STATES)), pieces.items(1, MOST_STEPS)
    sums, end = (0, 0), _ZERO
    for number, node in enumerate(nodes):
        q, d, start_node, end_node, rows, subset = node.fields("q", "d", "from", "to", "rows", "subset")
        before, sums = sums, _sums(matrix, rows, subset)
        q.require(q.number() * matrix.common == sums[0], "it is not the sum of row q over the columns")
        d.require(d.number() * matrix.common == sums[1], "it is not the sum of row d over the columns")
        zero = sums == (0, 0) and len(nodes) == 1
        node.require(zero or sums[0] > sums[1], "q = d is for L = 0 alone: one piece with q = d = 0")
        start = start_node.level(0)
        start_node.require(start.equals(end), "the piece does not begin where the one before ends")
        end = end_node.level(0)
        end_node.require(not end.surely_at_most(start), "the piece ends before it begins")
        if number == 0:
            _none_exceeds(node, matrix, (1, 1), sums[0] - sums[1])
            continue
        value = _value(matrix, sums, start)
        node.require(sums != before, "it is the same as the piece before")
        node.require(value.equals(_value(matrix, before, start)), "the piece before has another value where it ends")
        _loss_at_most(node, matrix, start, value)
    nodes[-1].require(end.upper[1] == 0, "the last piece does not end at inf")
    _none_exceeds(nodes[-1], matrix, sums, 0)


def _leakage(*nodes: _Node) -> None:
    digits, backward, forward, epsilons, bpl, fpl, tpl = nodes
    bits = digits.bits()
    budgets = [node.level(bits) for node in epsilons.items(1, MOST_STEPS)]
    n = len(budgets)
    totals = [[_ZERO, _ZERO]] * n
    for table, steps, times in (backward, bpl, range(n)), (forward, fpl, range(n)[::-1]):
        matrix = _Matrix([], [], 1) if table.value is None else _matrix(table.items(1, MOST_STATES))
        step_nodes, at = steps.items(n, n), [_ZERO, _ZERO]
        for t in times:
            rows, subset, loss, bounds, level = step_nodes[t].fields("rows", "subset", "loss", "bounds", "level")
            claim = loss.encloses(bits, _value(matrix, _sums(matrix, rows, subset), at[0]), _ZERO)
            _loss_at_most(loss, matrix, at[1], claim[1])
            at = bounds.encloses(bits, budgets[t] + claim[0], budgets[t] + claim[1])
            level.encloses(bits, *at)
            totals[t] = at if steps is bpl else [totals[t][0] + claim[0], totals[t][1] + claim[1]]
    for total, node in zip(totals, tpl.items(n, n), strict=True):
        node.encloses(bits, *total)


def _bounded(*nodes: _Node) -> None:
    digits, table, epsilon, bound, level = nodes
    bits, matrix = digits.bits(), _matrix(table.items(1, MOST_STATES))
    budget, at = epsilon.level(bits), bound.level(bits)
    bound.require(at.upper[1] > 0, "a finite level is expected")
    bound.require(budget.surely_at_most(at), "it is below epsilon")
    (a, b), (c, d) = at.lower, budget.upper
    _loss_at_most(bound, matrix, at, _ZERO if at.equals(budget) else _Ratio(None, *[(a * d, b * c)] * 2))
    level.require(at.surely_at_most(level.level(bits)), "it is below the bound")


def _bounded_below(*nodes: _Node) -> None:
    digits, table, epsilon, rows, subset, bound, level = nodes
    bits, matrix = digits.bits(), _matrix(table.items(1, MOST_STATES))
    budget, at = epsilon.level(bits), bound.level(bits)
    bound.require(at.upper[1] > 0, "a finite level is expected")
    epsilon.require(budget.lower[0] > budget.lower[1] or at.surely_at_most(_ZERO), "it is not positive")
    reached = budget + _value(matrix, _sums(matrix, rows, subset), at)
    bound.require(at.surely_at_most(reached), "the leakage after it is not proved to be as great")
    level.require(level.level(bits).surely_at_most(at), "it is above the bound")


def _divergent(*nodes: _Node) -> None:
    digits, table, epsilon, rows, subset = nodes
    bits, matrix = digits.bits(), _matrix(table.items(1, MOST_STATES))
    (a, b), (q, d) = epsilon.level(bits).lower, _sums(matrix, rows, subset)
    epsilon.require(a > b, "it is not positive")
    subset.require(d == 0, "the sum of d over the columns is not 0")
    subset.require(q * a >= matrix.common * b, "q e^epsilon is not proved to be 1 or more")


_KINDS: dict[object, tuple[Callable[..., None], str]] = {
    "lfp-optimum": (_lfp_optimum, "digits q d alpha subset value primal dual"),
    "loss": (_loss, "digits matrix alpha rows subset loss level"),
    "loss-function": (_loss_function, "matrix pieces"),
    "leakage": (_leakage, "digits backward forward epsilons bpl fpl tpl"),
    "bounded": (_bounded, "digits matrix epsilon bound level"),
    "bounded-below": (_bounded_below, "digits matrix epsilon rows subset bound level"),
    "divergent": (_divergent, "digits matrix epsilon rows subset"),
}


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)


def check(text: str) -> str:
    """Return the kind of a certificate that holds. Raises: Rejected with the first step that fails; nothing else."""
    document = _Node("", None)
    document.require(len(text) <= MOST_TEXT, f"it has more than {MOST_TEXT} characters")
    try:  # floats become bytes, which nothing accepts
        value = json.loads(text, object_pairs_hook=_unique, parse_float=str.encode, parse_constant=str.encode)
    except (ValueError, RecursionError) as error:
        document.fail(f"it is not JSON without repeated keys: {error}")
    kind = value.get("certificate") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        document.fail(f"an object whose key certificate is one of {', '.join(map(str, _KINDS))} is expected")
    checked, keys = _KINDS[kind]
    _, version, *nodes = _Node("", value).fields("certificate", "version", *keys.split())
    version.integer(1, 1)
    checked(*nodes)
    return kind


def main(arguments: list[str]) -> int:
    """Check the one file named, print the verdict, return the exit status."""
    if len(arguments) != 1:
        print("usage: checker.py FILE", file=sys.stderr)
        return 2
    try:
        print(f"accepted: {check(Path(arguments[0]).read_bytes().decode())}")
    except OSError as error:
        print(f"cannot read: {error}", file=sys.stderr)
        return 2
    except (Rejected, UnicodeDecodeError) as error:
        print(f"rejected: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
