"""The far end of `isolation`: a process that calls solvers and returns what they return."""

from __future__ import annotations

import os
import pickle
import sys
from importlib import import_module
from typing import IO


def serve() -> None:
    """Answer calls from standard input on standard output until the input ends.

    What a solver prints goes to standard error instead: standard output carries the answers alone.
    """
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests = sys.stdin.buffer
    _send(answers, ("returned", "ready"))
    while len(header := requests.read(8)) == 8:
        target, arguments = pickle.loads(requests.read(int.from_bytes(header, "big")))
        module, _, name = target.partition(":")
        try:
            answer = ("returned", getattr(import_module(module), name)(*arguments))
        except Exception as error:  # noqa: BLE001 -- a solver may raise anything, and that is an answer
            answer = ("raised", f"{type(error).__name__}: {error}")
        _send(answers, answer)


def _send(stream: IO[bytes], answer: object) -> None:
    try:
        message = pickle.dumps(answer)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        message = pickle.dumps(("raised", f"what the solver returned cannot be sent: {error}"))
    stream.write(len(message).to_bytes(8, "big") + message)
    stream.flush()
