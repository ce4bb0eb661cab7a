"""The far end of `isolation`: what calls solvers, and returns what they return."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from importlib import import_module


def answering() -> Callable[[bytes], bytes]:
    """Return what answers one call after another, each a message."""
    return _answered


def _answered(message: bytes) -> bytes:
    target, arguments = pickle.loads(message)
    module, _, name = target.partition(":")
    try:
        answer = ("returned", getattr(import_module(module), name)(*arguments))
    except Exception as error:  # noqa: BLE001 -- a solver may raise anything, and that is an answer
        answer = ("raised", f"{type(error).__name__}: {error}")
    try:
        return pickle.dumps(answer)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        return pickle.dumps(("raised", f"what the solver returned cannot be sent: {error}"))
