"""Progress on standard error: a bar on a terminal, after a second; elsewhere a line now and then."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

DELAY = 1.0
"""Seconds before progress is shown on a terminal."""

INTERVAL = 30.0
"""Seconds between lines elsewhere."""

Advance = Callable[[int, int], None]


@contextmanager
def patience(description: str) -> Iterator[Advance]:
    """Show progress while the body runs.

    Yields: a function to call with the steps done and the steps in all (0 for unknown), if at all.
    """
    if not sys.stderr.isatty():
        with _now_and_then(description) as advance:
            yield advance
        return
    from rich.console import Console  # slow to import, and only a terminal needs it
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    display = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = display.add_task(description, total=None)
    timer = threading.Timer(DELAY, display.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total: display.update(task, completed=done, total=total or None)
    finally:
        timer.cancel()
        timer.join()
        display.stop()


@contextmanager
def _now_and_then(description: str) -> Iterator[Advance]:
    """Print the progress of the body after each interval. Yields: as `patience`."""
    steps = [(0, 0)]
    ended = threading.Event()

    def tell() -> None:
        began = monotonic()
        while not ended.wait(INTERVAL):
            done, total = steps[0]
            far = f"{done:,} of {total:,}, " if total else ""
            passed = monotonic() - began
            left = f", about {passed / done * (total - done):.0f} s left" if 0 < done < total else ""
            with suppress(OSError, ValueError):  # the reader has gone
                print(f"{description}: {far}{passed:.0f} s so far{left}", file=sys.stderr, flush=True)

    def advance(done: int, total: int) -> None:
        steps[0] = (done, total)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield advance
    finally:
        ended.set()
        teller.join()
