"""Progress on standard error: only on a terminal, and only for what lasts more than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

DELAY = 1.0
"""Seconds of silence."""

Advance = Callable[[int, int], None]


@contextmanager
def patience(description: str) -> Iterator[Advance]:
    """Show what is going on while the body runs.

    Yields: a function to call with the steps done and the steps in all (0 for unknown); it may be left alone.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    display = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
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
