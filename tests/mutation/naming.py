"""How a change of a syntax tree is named: by the source before and after it, so that line numbers do not matter."""

from __future__ import annotations

import ast
from dataclasses import dataclass

CONTEXT = 48
"""The most characters of source around a change that its identity shows."""

FRAGMENT = 12
"""A change whose source is shorter than this shows a part of what stands around it."""

MARGIN = 20
"""How many characters before and after a change are shown of a text that is too long to be shown."""

LONGEST = 72
"""The most characters of one side of a change that its identity shows; longer ones lose their middle."""


@dataclass(frozen=True)
class Change:
    """One replacement in the tree: a field of a node, or one entry of a list in that field."""

    owner: ast.AST
    field: str
    index: int | None
    new: object

    def put(self, value: object) -> object:
        """Put a value in the place and return what stood there."""
        place = getattr(self.owner, self.field)
        if self.index is None:
            setattr(self.owner, self.field, value)
            return place
        old = place[self.index]
        place[self.index] = value
        return old


def texts(node: ast.AST, change: Change) -> tuple[str, str]:
    """Return a node's source before and after a change."""
    before = ast.unparse(node)
    old = change.put(change.new)
    try:
        return before, ast.unparse(node)
    finally:
        change.put(old)


def sides(around: tuple[ast.expr | ast.stmt, ...], change: Change) -> tuple[str, str]:
    """Return the source before and after a change, with as much of what stands around it as is short."""
    shown = len(around) - 1
    while shown and len(ast.unparse(around[shown - 1])) <= CONTEXT:
        shown -= 1
    if shown and len(ast.unparse(around[shown])) < FRAGMENT:
        shown -= 1
    if around[shown] is getattr(change.owner, change.field, None):
        assert isinstance(change.new, ast.expr)
        return ast.unparse(around[shown]), ast.unparse(change.new)
    before, after = texts(around[shown], change)
    if before == after:
        assert isinstance(change.new, ast.expr)
        return ast.unparse(around[-1]), ast.unparse(change.new)
    return _window(before, after)


def _window(before: str, after: str) -> tuple[str, str]:
    """Cut from two texts what both begin with and what both end with, but for some characters."""
    if max(len(before), len(after)) <= LONGEST:
        return before, after
    start = _shared(before, after)
    end = min(_shared(before[::-1], after[::-1]), len(before) - start, len(after) - start)
    start, end = max(start - MARGIN, 0), max(end - MARGIN, 0)
    return tuple(
        ("..." if start else "") + text[start : len(text) - end] + ("..." if end else "") for text in (before, after)
    )  # type: ignore[return-value]


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def short(text: str) -> str:
    text = " ".join(text.split())
    half = (LONGEST - 3) // 2
    return text if len(text) <= LONGEST else f"{text[:half]}...{text[-half:]}"
