"""Progress on standard error: a bar on a terminal, after a second; elsewhere a line now and then."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Protocol

DELAY = 1.0
"""Seconds before progress is shown on a terminal."""

INTERVAL = 30.0
"""Seconds between lines elsewhere."""


class Advance(Protocol):
    """Takes the steps done and the steps in all, 0 for unknown; of work in several parts those of one part, by name."""

    def __call__(self, done: int, total: int, /, *, part: str = "") -> None:
        """Note how far the work is."""


def quietly(*_steps: int, **_part: str) -> None:
    """Show no progress."""


class Pace:
    """How far work is, and how long the rest takes if its steps take as long as those that are done."""

    def __init__(self, description: str) -> None:
        """Begin now."""
        self.description, self.part, self.done, self.total = description, "", 0, 0
        self.began = self.part_began = self.moved = monotonic()

    def advance(self, done: int, total: int, /, *, part: str = "") -> None:
        """Note how far it is; another part has a pace of its own."""
        now = monotonic()
        if part != self.part:
            self.part, self.part_began = part, now
        self.done, self.total, self.moved = done, total, now

    @property
    def name(self) -> str:
        """What is being done."""
        return f"{self.description}, {self.part}" if self.part else self.description

    def told(self) -> str:
        """Say how long it has taken and how long the rest takes; of a step that takes longer than that, so far."""
        now, text = monotonic(), f"{self.done:,} of {self.total:,}, " if self.total else ""
        text += f"{now - self.began:.0f} s so far"
        if not 0 < self.done < self.total:
            return text
        left = (self.moved - self.part_began) / self.done * (self.total - self.done)
        if now - self.moved > left:
            return f"{text}, {now - self.moved:.0f} s of them since the last step"
        return f"{text}, about {left:.0f} s left{' of this part' if self.part else ''}"


@contextmanager
def patience(description: str) -> Iterator[Advance]:
    """Show progress while the body runs.

    Yields: a function to call with the steps done and the steps in all, if at all.
    """
    pace = Pace(description)
    if not sys.stderr.isatty():
        with _now_and_then(pace):
            yield pace.advance
        return
    from rich.console import Console  # slow to import, and only a terminal needs it
    from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task
    from rich.text import Text

    class PaceColumn(ProgressColumn):
        def render(self, _task: Task) -> Text:
            return Text(f"{pace.name}: {pace.told()}")

    display = Progress(SpinnerColumn(), BarColumn(), PaceColumn(), console=Console(stderr=True), transient=True)
    shown = display.add_task(description, total=None)

    def advance(done: int, total: int, /, *, part: str = "") -> None:
        pace.advance(done, total, part=part)
        display.update(shown, completed=done, total=total or None)

    timer = threading.Timer(DELAY, display.start)
    timer.daemon = True
    timer.start()
    try:
        yield advance
    finally:
        timer.cancel()
        timer.join()
        display.stop()


@contextmanager
def _now_and_then(pace: Pace) -> Iterator[None]:
    """Print the pace of the body after each interval."""
    ended = threading.Event()

    def tell() -> None:
        while not ended.wait(INTERVAL):
            with suppress(OSError, ValueError):  # the reader has gone
                print(f"{pace.name}: {pace.told()}", file=sys.stderr, flush=True)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()
