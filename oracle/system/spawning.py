"""Python processes that this one starts: none imports from where this one stands, or obeys its PYTHONPATH.

`multiprocessing` starts them by `python -c`, which would put the current folder first on their path, before the
standard library. Once it has begun, a process has the path of the one that started it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import RLock

_OTHERS = ("PYTHONPATH", "PYTHONSTARTUP", "PYTHONINSPECT")
"""Variables by which others say what a process imports or executes."""

starting = RLock()
"""Held while processes are started."""


@contextmanager
def _isolated() -> Iterator[None]:
    """Change the environment of what is started in the body; the one of this process is as before afterwards."""
    with starting:
        former = {name: os.environ.pop(name) for name in (*_OTHERS, "PYTHONSAFEPATH") if name in os.environ}
        os.environ["PYTHONSAFEPATH"] = "1"
        try:
            yield
        finally:
            del os.environ["PYTHONSAFEPATH"]
            os.environ.update(former)


class _Process(SpawnProcess):
    def start(self) -> None:
        """Start it."""
        with _isolated():
            super().start()


class _Spawn(SpawnContext):
    Process = _Process


def spawning() -> SpawnContext:
    """Return what starts processes, as `multiprocessing.get_context("spawn")` does."""
    if hasattr(os, "fork"):
        with _isolated():
            resource_tracker.ensure_running()  # a process of its own, where locks are shared
    return _Spawn()
