"""What the loops of a piece of evidence went through, noted as they do: its scope is written from this.

A loop over values is `over`, one over a finite family `members`; what a filter leaves out is `left_out`, and what is
counted otherwise `counted`. So a scope cannot say what no loop did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")

LISTED = 8
"""Number of values up to which they are listed one by one; more are given by their ends."""


@dataclass
class Coverage:
    """What has been gone through: families and whether wholly, values by their name, what else was counted."""

    families: dict[str, tuple[int, bool]] = field(default_factory=dict)
    values: dict[str, dict[object, None]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def text(self) -> str:
        """All of it in words."""
        parts = [f"{'all' if whole else 'in order'} {n:,} {name}" for name, (n, whole) in self.families.items()]
        parts += [f"{name} = {_listed(list(values))}" for name, values in self.values.items()]
        parts += [f"{name}: {n:,}" for name, n in self.counts.items()]
        return "; ".join(parts)


def _listed(values: list[object]) -> str:
    if len(values) > LISTED or _run(values):
        return f"{values[0]} to {values[-1]}" + ("" if _run(values) else f", {len(values)} values")
    return ", ".join(map(str, values))


def _run(values: list[object]) -> bool:
    numbers = [value for value in values if isinstance(value, int)]
    return len(numbers) == len(values) > 3 and all(b == a + 1 for a, b in pairwise(numbers))


_NOTED: ContextVar[Coverage | None] = ContextVar("_NOTED", default=None)


@contextmanager
def within(variable: ContextVar[T | None], value: T) -> Iterator[T]:
    """Have a variable be the value in the body."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


def noting() -> AbstractContextManager[Coverage]:
    """Note what the loops in the body go through."""
    return within(_NOTED, Coverage())


def over(name: str, values: Iterable[T], *, as_: Iterable[object] | None = None) -> Iterator[T]:
    """Yield values and note each under a name, as itself or as what stands in its place in `as_`."""
    names = iter(as_) if as_ is not None else None
    for value in values:
        if (coverage := _NOTED.get()) is not None:
            coverage.values.setdefault(name, {})[value if names is None else next(names)] = None
        yield value


def members(name: str, values: Iterable[T]) -> Iterator[T]:
    """Yield the members of a finite family; note under its name how many, and that it was all of them at the end."""
    number = 0
    for number, value in enumerate(values, 1):
        _gone_through(name, number, whole=False)
        yield value
    _gone_through(name, number, whole=True)


def _gone_through(name: str, number: int, *, whole: bool) -> None:
    if (coverage := _NOTED.get()) is not None:
        most, before = coverage.families.get(name, (0, False))
        coverage.families[name] = max(most, number), before or whole


def left_out(why: str) -> None:
    """Note that a member of a family is left out, and why."""
    counted(f"left out: {why}")


def counted(what: str) -> None:
    """Note one more of what else is counted."""
    if (coverage := _NOTED.get()) is not None:
        coverage.counts[what] += 1
