"""What evidence shows of an erratum: its nature, its consequence, and every number of its text.

A nature is not declared. A wrong statement is what `compared` refutes; a gap is a step with a true premise and a false
conclusion; a slip differs from what other lines of the paper print; a remark names what is needed and not printed.

In the texts of errata.toml a formula stands between ⟦ and ⟧: values or terms joined by =, ≈ (to the digits given),
<, ≤, > or ≥. `told` evaluates it with the values that the evidence has computed. So a number in a text that is not the
computed one fails, and a formula that no evidence computes is noticed (`TrialReport.stands`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any

from flint import arb, ctx, fmpq

from ..reference.correlations import TransitionMatrix
from ..reference.levels import Level
from .compared import Ids, noted, tell
from .errata import texts_of
from .register import EvidenceFailed, Nature, require
from .transcript import printed_line

FORMULA_BITS = 200
"""Precision of the formulas: two values whose balls meet count as equal."""


def gap(ids: Ids, *, premise: bool, conclusion: bool, comes_out: tuple[Level, Level] | None = None) -> None:
    """Note that a step of a proof has, on this witness, a premise that holds and a conclusion that does or does not.

    comes_out: the leakage that follows from the conclusion, and the true one.
    """
    require(premise, "the premise of the step does not hold on the witness")
    noted(ids, Nature.GAP.value, True, conclusion)
    if comes_out:
        noted(ids, Nature.GAP.value, *comes_out, leakage=True)


def slip(ids: Ids, printed: Any, meant: Any, elsewhere: Iterable[tuple[int, str]], *, leakage: bool = False) -> None:
    """Note what a line prints beside what is meant, and the lines of the paper, with their words, that say so."""
    for number, words in elsewhere:
        printed_line(number, words)
    noted(ids, Nature.SLIP.value, printed, meant, leakage=leakage)


def remark(ids: Ids, without: Any, needed: Any) -> None:
    """Note what comes out without a condition that is not printed, beside what comes out with it."""
    noted(ids, Nature.REMARK.value, without, needed)


_FORMULA = re.compile("⟦([^⟧]*)⟧")
_NAMES = re.compile("(?<=⟦)(?!sup )([a-z]{3,}) = | = ([a-z]{3,})(?=⟧)")


def formulas(*texts: str | None) -> frozenset[str]:
    """Return the formulas of texts."""
    return frozenset(found for text in texts if text for found in _FORMULA.findall(text))


def without_marks(text: str) -> str:
    """Return a text as it is read, without the marks of its formulas, and without words that only evidence needs.

    >>> without_marks("Rows ⟦rows = 2, 3⟧ of ⟦P = (1, 0), (0, 1)⟧ give ⟦wrong = 2⟧, more than ⟦1 + 0 = truth⟧.")
    'Rows 2, 3 of P = (1, 0), (0, 1) give 2, more than 1 + 0.'
    """
    used = [word for own in formulas(text) for word in re.findall("[a-z]{3,}", own)]

    def left(found: re.Match[str]) -> str:
        return "" if used.count(found[1] or found[2]) == 1 else found[0]

    return _NAMES.sub(left, text).replace("⟦", "").replace("⟧", "")


def told(name: str, values: Mapping[str, Any]) -> None:
    """Evaluate the formulas of an erratum or claim that need no other values than these. Raises: EvidenceFailed."""
    before, ctx.prec = ctx.prec, FORMULA_BITS
    try:
        known = {key: _value(value) for key, value in values.items()}
        for formula in formulas(*texts_of(name)):
            try:
                holds = _holds(formula, known)
            except _Unknown:
                continue
            given = ", ".join(f"{key} = {value}" for key, value in values.items() if key in formula)
            require(holds, f"{name} says “{formula}”, which is not so; computed: {given or 'nothing'}")
            tell(name, formula)
    finally:
        ctx.prec = before


@dataclass(frozen=True)
class Odds:
    """A level as a factor, e to its power, for formulas."""

    level: Level


class _Unknown(Exception):
    """A name in a formula is none of those given."""


_RELATIONS = {
    "=": lambda a, b: _equal(a, b),  # noqa: PLW0108 - defined below
    "<": lambda a, b: bool(a < b),
    "≤": lambda a, b: bool(a <= b) or _equal(a, b),
    ">": lambda a, b: bool(a > b),
    "≥": lambda a, b: bool(a >= b) or _equal(a, b),
}


def _holds(formula: str, values: Mapping[str, Any]) -> bool:
    coded, names = formula, {}
    for number, name in enumerate(sorted(values, key=len, reverse=True)):
        coded = re.sub(rf"(?<![\w′']){re.escape(name)}(?![\w′'])", f"v{number}_", coded)
        names[f"v{number}_"] = values[name]
    parts = re.split(r"\s*(=|≈|<|≤|>|≥)\s*", coded)
    if len(parts) < 3:
        raise EvidenceFailed(f"the formula “{formula}” has no relation")
    terms = [_term(part, names) for part in parts[::2]]
    for (left, right), relation, text in zip(pairwise(terms), parts[1::2], parts[2::2], strict=True):
        if relation == "≈":
            if not re.fullmatch(r"\d+(\.\d+)?", text):
                raise EvidenceFailed(f"the formula “{formula}” has no decimal after ≈")
            digits = len(text.partition(".")[2])
            if not abs(left - right) <= arb(fmpq(1, 2 * 10**digits)):
                return False
        elif not _RELATIONS[relation](left, right):
            return False
    return True


_READ = (
    (r"[−–]", "-"), ("·", "*"), (r"\^", "**"), ("²", "**2"), ("∞", "inf"), (r"√\(", "sqrt("), (r"√(\w+)", r"sqrt(\1)"),
    (r"\blog ([\w.]+(?:/\w+)?)", r"log(\1)"),
)  # fmt: skip


def _term(text: str, names: Mapping[str, Any]) -> Any:
    for pattern, read in _READ:
        text = re.sub(pattern, read, text)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        if "'" in text:
            raise _Unknown(text) from None
        raise EvidenceFailed(f"the term “{text}” cannot be read") from None
    return _evaluated(tree, names, text)


def _evaluated(tree: ast.expr, names: Mapping[str, Any], text: str) -> Any:
    match tree:
        case ast.Constant(value=int() | float()):
            return arb(fmpq(*Fraction(ast.get_source_segment(text.strip(), tree) or "").as_integer_ratio()))
        case ast.Constant(value=str()):
            return tree.value
        case ast.Tuple():
            return tuple(_evaluated(one, names, text) for one in tree.elts)
        case ast.Name(id="inf"):
            return arb.pos_inf()
        case ast.Name():
            if tree.id in names:
                return names[tree.id]
            raise _Unknown(tree.id)
        case ast.UnaryOp(op=ast.USub()):
            return -_evaluated(tree.operand, names, text)
        case ast.BinOp():
            left, right = (_evaluated(one, names, text) for one in (tree.left, tree.right))
            return _OPERATIONS[type(tree.op)](left, right)
        case ast.Call(func=ast.Name(id=called), args=own):
            values = [_evaluated(one, names, text) for one in own]
            if called in ("log", "sqrt"):
                return values[0].log() if called == "log" else values[0].sqrt()
            if callable(names.get(called)):
                return _value(names[called](*values))
            raise _Unknown(called)
    raise EvidenceFailed(f"the term “{text}” cannot be read")


_OPERATIONS: dict[type, Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: tuple(one / b for one in a) if isinstance(a, tuple) else a / b,
    ast.Pow: lambda a, b: a**b,
}


def _value(value: Any) -> Any:
    """Return a value of evidence as formulas have it: a ball, a text, or a tuple of such."""
    match value:
        case str() | arb():
            return value
        case TransitionMatrix():
            return _value(value.rows)
        case Odds():
            return _value(value.level).exp()
        case Level():
            bounds = None if value.is_infinite else value.enclosure(50)
            ends = [arb(str(end)) for end in (bounds.lower, bounds.upper)] if bounds else []
            return reduce(lambda a, b: a.union(b), ends) if ends else arb.pos_inf()
        case bool() | int() | Fraction():
            return arb(fmpq(*Fraction(value).as_integer_ratio()))
        case tuple() | list():
            return tuple(map(_value, value))
    if callable(value):
        return value
    raise TypeError(f"{value!r} is no value of a formula")


def _equal(left: Any, right: Any) -> bool:
    if isinstance(left, tuple) or isinstance(right, tuple):
        same = isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right)
        return same and all(map(_equal, left, right))
    if isinstance(left, str) or isinstance(right, str):
        return bool(left == right)
    if not (left.is_finite() and right.is_finite()):
        return not left.is_finite() and not right.is_finite() and str(left) == str(right)
    return bool(left.overlaps(right)) and bool(abs(left - right) < arb(fmpq(1, 10**30)))
