"""What the formulas in a text of docs/statements.toml say of numbers: they are read from the text, whatever it has.

A relation sign says which signs the difference of its sides may have. `shows` keeps those that were met, so that a test
can ask for all of them and no other: a ≤ that is always an equality, or never one, is not what the draws show.
"""

import re
from functools import cache
from itertools import pairwise, product
from math import e, log, prod

import numpy as np
import statements

NEAR = 1e-7
SIGNS = {"<": {-1}, r"\le": {-1, 0}, "=": {0}, r"\ge": {0, 1}, ">": {1}, r"\ne": {-1, 1}}
NAME = (
    r"(?:\\mathrm\{\w+\}|\\Pr\([^()]*\)|\\[a-zA-Z]+|[a-zA-Z])(?:_(?:\{(?:[^{}]|\{\w*\})*\}|\\[a-zA-Z]+|\w)|\^[BF]|')*"
)
TOKEN = re.compile(rf"{NAME}|\d+|\^\+|[-+/^(){{}}\[\],;]")
COUNTS = {
    word: count
    for count, words in enumerate(("no", "one first", "two second", "three third", "four"))
    for word in words.split()
}
BINDERS = {r"\max": max, r"\min": min, r"\sup": max, r"\sum": sum, r"\prod": prod}
FOUND: dict[tuple[str, str, int], tuple[str, set[int]]] = {}


class Ratios:
    """The letter e where levels are given by their ratios: e^ε is the number that stands for ε."""

    def __pow__(self, ratio):
        return ratio


def text_of(name):
    """Return the text of a statement or of a hypothesis; of what is proved by hand alone for a name with “ by hand”."""
    own, by_hand, _ = name.partition(" by hand")
    return statements.HYPOTHESES.get(name) or statements.STATEMENTS[own]["hand" if by_hand else "says"]


def count(name, pattern):
    """Return the number that a text has as a word or in digits at the group of a pattern."""
    word = re.search(pattern, text_of(name))[1]
    return int(word) if word.isdigit() else COUNTS[word.lower()]


def formula(name, which):
    """Return the first formula of a text that begins with `which`, or that of this place."""
    spans = [one or two for one, two in re.findall(r"\$\$(.+?)\$\$|\$(.+?)\$", text_of(name), re.DOTALL)]
    parts = [part.strip(" ,.\n") for span in spans for part in re.split(r"\\qquad|\\text\{.*?\}", span)]
    return parts[which] if isinstance(which, int) else next(part for part in parts if part.startswith(which))


@cache
def _tokens(text):
    text = re.sub(r"\\left|\\right|\\,", " ", text)
    assert not TOKEN.sub("", text).strip(" :"), f"{text!r} cannot be read"
    return TOKEN.findall(text)


class _Reader:
    def __init__(self, text, names):
        self.tokens, self.place, self.names = _tokens(text), 0, names

    def peek(self):
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self):
        self.place += 1
        return self.tokens[self.place - 1]

    def listed(self, close):
        """Read values up to a bracket."""
        found = [self.total()]
        while self.peek() in {",", ";"}:
            self.take()
            found.append(self.total())
        assert self.take() == close
        return found

    def total(self):
        value = 0 if self.peek() == "-" else self.term()
        while self.peek() in {"+", "-"}:
            value = value + self.term() if self.take() == "+" else value - self.term()
        return value

    def term(self):
        value = self.run()
        while self.peek() in {"/", r"\cdot"}:
            value = value / self.run() if self.take() == "/" else value * self.run()
        return value

    def run(self):
        """Read factors that stand side by side."""
        value = self.factor()
        while self.peek() not in {"", "/", r"\cdot", "+", "-", ",", ";", ")", "]", "}"}:
            other = self.factor()
            value = value @ other if np.ndim(value) and np.ndim(other) else value * other
        return value

    def factor(self):
        value = self.base()
        while self.peek() in {"^", "^+"}:
            if self.take() == "^+":
                value = max(value, 0)
            elif self.peek() == r"\top":
                self.take()
                value = value.T
            else:
                power = self.base()
                value = tuple(product(value, repeat=power)) if isinstance(value, tuple) else value**power
        return value

    def base(self):
        token = self.take()
        if token in {"(", "[", "{"}:
            found = self.listed({"(": ")", "[": "]", "{": "}"}[token])
            return found[0] if len(found) == 1 else tuple(found)
        if token.isdigit():
            return int(token)
        if token == r"\frac":
            return self.base() / self.base()
        if token == r"\log":
            return log(self.factor())
        if token == r"\cdot":
            return slice(None)
        if token == r"\dots":
            return self.names[token](self.factor())
        head, _, below = token.partition("_")
        if head in BINDERS and token not in self.names:
            return self.bound(BINDERS[head], below.strip("{}"))
        value = self.named(token)
        if callable(value) and self.peek() == "(":
            self.take()
            value = value(*self.listed(")"))
        return value

    def named(self, token):
        if token in self.names:
            return self.names[token]
        head, _, below = token.partition("_")
        at = [int(i) if i.isdigit() else self.names[i] for i in re.findall(r"\\[a-zA-Z]+|[a-zA-Z]'?|\d+", below)]
        assert at, f"{token!r} is no name"
        return self.names[head][at[0] if len(at) == 1 else tuple(at)]

    def bound(self, of, below):
        """Read max, min, sum or product: of a vector, or over what `below` names, where its condition is met."""
        outer, start, values = self.names, self.place, []
        letters, _, condition = below.rpartition(":") if ":" in below else (below, "", below)
        over = [x for x in re.findall(NAME, letters) if x in outer["over"]]
        for chosen in product(*(outer["over"][x] for x in over)):
            self.place, self.names = start, outer | dict(zip(over, chosen, strict=True))
            found = self.factor() if of is prod else self.term()
            if len(_sides(condition)) == 1 or _meets(condition, self.names):
                values.append(found)
        self.names = outer
        return of(values if over else np.ravel(values[0]))


def _value(text, names):
    reader = _Reader(text, {"e": e, "over": {}} | names)
    value = reader.total()
    assert not reader.peek(), f"{text!r} cannot be read from {reader.peek()!r}"
    return value


@cache
def _sides(text):
    """Split a formula at its relation signs, at ∈ and at ↦, those outside of brackets."""
    parts, depth = [""], 0
    for piece in re.split(r"(\\le(?!ft)|\\ge|\\ne|\\in(?![a-z])|\\mapsto|[<>=(){}])", text):
        depth += (piece in {"(", "{"}) - (piece in {")", "}"})
        if not depth and (piece in SIGNS or piece in {r"\in", r"\mapsto"}):
            parts += [piece, ""]
        else:
            parts[-1] += piece
    return parts


def _signs(text, names):
    """Return each relation sign of a formula with the signs of the difference of its sides, entry by entry."""
    parts = _sides(text)
    assert parts[1:], f"{text!r} has no relation"
    values = [_value(part, names) for part in parts[::2]]
    found = []
    for relation, (one, other) in zip(parts[1::2], pairwise(values), strict=True):
        entries = np.broadcast(*(np.asarray(x, object) for x in (one, other))) if np.ndim(one) else [(one, other)]
        found.append((relation, {_sign(x, y) for x, y in entries}))
    return found


def _sign(one, other):
    near = NEAR * max(1, abs(other)) if isinstance(one - other, float) else 0
    return 0 if abs(one - other) <= near else 1 if one > other else -1


def _meets(text, names):
    return all(met <= SIGNS[relation] for relation, met in _signs(text, names))


def value(name, which, names):
    """Return what a formula of a text is, what it says that a name stands for, or where that lies."""
    sides = _sides(formula(name, which))
    assert sides[1:2] in ([], ["="], [r"\in"], [r"\mapsto"])
    return _value(sides[-1], names)


def left_side(name, which, names):
    """Return the left side of a relation."""
    return _value(_sides(formula(name, which))[0], names)


def holds(name, which, names):
    """Tell whether the relations of a formula hold of these numbers."""
    return _meets(formula(name, which), names)


def shows(name, which, names):
    """The same, and keep the signs that were met."""
    for place, (relation, met) in enumerate(_signs(formula(name, which), names)):
        FOUND.setdefault((name, str(which), place), (relation, set()))[1].update(met)
    return holds(name, which, names)


def as_shown():
    """Tell whether each sign that `shows` was asked for is the one of all that it met; forget them."""
    right = all(met == SIGNS[relation] for relation, met in FOUND.values())
    FOUND.clear()
    return right
