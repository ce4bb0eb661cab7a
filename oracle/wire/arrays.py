"""Arrays as a Python object may be given them, what it must leave as it was, and two of its methods at once.

An array of doubles may be in any order of memory, with gaps, read-only, in another byte order, or of shorter floats
that hold the same numbers: `numpy.ascontiguousarray(a, dtype=numpy.float64)` takes all of them.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from ..reference import InvalidRequest
from .strict_json import mapped, shown

TWO_THREADS = "two threads at once"

AnyArray = np.ndarray[Any, Any]


def _with_gaps(array: AnyArray) -> AnyArray:
    """Return a view with NaN between its entries, backwards in memory."""
    room = np.full([2 * size for size in array.shape], np.nan)
    view = room[tuple(slice(None, None, -2) for _ in array.shape)]
    view[...] = array
    return view


def _read_only(array: AnyArray) -> AnyArray:
    array.setflags(write=False)
    return array


def _shorter(array: AnyArray) -> AnyArray:
    with np.errstate(over="ignore"):
        short = array.astype(np.float32)
    return short if np.array_equal(short.astype(np.float64), array) else array


LAYOUTS: dict[str, Callable[[AnyArray], AnyArray]] = {
    "Fortran order": np.asfortranarray,
    "gaps between entries": _with_gaps,
    "read-only": _read_only,
    "another byte order": lambda array: array.astype(array.dtype.newbyteorder()),
    "float32": _shorter,
    TWO_THREADS: lambda array: array,
}
"""How arrays are laid out when a question is asked again, by name."""


def laid_out(keywords: Mapping[str, object], layout: str) -> dict[str, object]:
    """Return keyword arguments with every array laid out so. Raises: InvalidRequest for an unknown layout."""
    if layout not in LAYOUTS:
        raise InvalidRequest(f"arrays is one of {', '.join(LAYOUTS)}, not {shown(layout)}")

    def of(value: object) -> object:
        return LAYOUTS[layout](value) if isinstance(value, np.ndarray) else value

    return {name: mapped(value, of) for name, value in keywords.items()}


def copied(value: object) -> object:
    """Return keyword arguments, or a part of them, with a copy of every array."""
    return mapped(value, lambda part: part.copy() if isinstance(part, np.ndarray) else part)


def changed(value: object, before: object) -> bool:
    """Whether keyword arguments, or a part of them, are others than before."""
    if isinstance(value, dict) and isinstance(before, dict):
        return value.keys() != before.keys() or any(changed(value[key], before[key]) for key in value)
    if isinstance(value, list) and isinstance(before, list):
        return len(value) != len(before) or any(map(changed, value, before))
    if isinstance(value, np.ndarray) and isinstance(before, np.ndarray):
        return not np.array_equal(value, before, equal_nan=True)
    return value is not before and value != before


LINES_IN_TURN = 3_000
"""Lines that two threads run in turn; from then on they run freely. A greater number only takes longer."""

LONGEST_TURN = 2.0
"""Seconds after which a thread no longer waits for the other one, which then waits for a lock of the object's."""


@dataclass(slots=True)
class Turns:
    """Two threads that run a line of Python each in turn, so that whatever they share shows, the same each time.

    is_free: whether they no longer take turns, because one waits for the other by itself.
    """

    is_free: bool = False
    _next: int = 0
    _left: int = 0
    _ended: list[bool] = field(default_factory=lambda: [False, False])
    _change: threading.Condition = field(default_factory=threading.Condition)

    def run(self, *calls: Callable[[], object]) -> list[object]:
        """Run two calls; return what each returns. Raises: what the first raises, else what the second does."""
        found: list[object] = [None, None]
        raised: list[Exception | None] = [None, None]
        self._next, self._left, self._ended = 0, LINES_IN_TURN, [False, False]

        def run(own: int) -> None:
            sys.settrace(lambda frame, event, _argument: self._trace(own, frame, event))
            try:
                found[own] = calls[own]()
            except Exception as error:  # noqa: BLE001 - whatever the object does is its answer
                raised[own] = error
            finally:
                sys.settrace(None)
                with self._change:
                    self._ended[own] = True
                    self._change.notify_all()

        threads = [threading.Thread(target=run, args=(own,)) for own in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for error in raised:
            if error is not None:
                raise error
        return found

    def _trace(self, own: int, _frame: FrameType, event: str) -> Any:
        if event == "line" and not self.is_free and self._left:
            with self._change:
                self._left -= 1
                self._next = 1 - own
                self._change.notify_all()
                if not self._change.wait_for(lambda: self._next == own or any(self._ended), LONGEST_TURN):
                    self.is_free = True
                    self._change.notify_all()
        return lambda frame, event, _argument: self._trace(own, frame, event)
