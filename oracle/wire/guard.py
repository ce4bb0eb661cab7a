"""The oracle on the wire in bounded time and memory: requests are answered in a process that can be ended.

Limits are counted before work begins (`contract.limits`), but no count knows how long a request will take. Nor can the
process that works bound its own time: arithmetic on long integers returns to the interpreter when it is done, and
signals reach the main thread alone, and not on every system. So the process that reads the wire does no arithmetic. It
hands each line to a worker, and where the worker has used its time without an answer it ends the worker, answers in its
place, and goes on with another. Time is processor time: no answer depends on what else the machine has to do. The
memory of a worker may grow by a fixed amount at most, where the system holds it to that (Linux does): whatever the
counts have overlooked ends in "not enough memory".
"""

from __future__ import annotations

from functools import partial
from typing import BinaryIO, Self

from ..contract.limits import MOST_GROWTH, MOST_SECONDS, check_posix, not_enough_memory, took_too_long
from ..reference import InvalidRequest
from ..system.bounded import AnswersMessages, BoundedProcess, Gone, Late
from ..system.launching import Ending
from .requests import Session
from .serve import exchange, refused, respond


class Guard:
    """Answers lines of the wire one after another in a worker, each within `seconds` of processor time.

    A context manager.

    Args: memory, the bytes by which the worker may grow.
    """

    def __init__(self, seconds: float = MOST_SECONDS, memory: int = MOST_GROWTH) -> None:
        check_posix("the wire")
        self.seconds = seconds
        self.memory = memory
        self._worker: BoundedProcess | None = None

    def __enter__(self) -> Self:
        self._at_work()
        return self

    def __exit__(self, *_error: object) -> None:
        self._end()

    def reply(self, line: bytes | None) -> bytes | None:
        """Answer one line, as `serve.reply`; or in its place, where no answer comes in time or the worker dies."""
        if line is None:
            return respond(Session(), line)
        try:
            return self._at_work().ask(line, self.seconds) or None
        except Late as late:
            reason = took_too_long(str(late))
        except Gone as gone:
            reason = (
                not_enough_memory()
                if gone.ending is Ending.OUT_OF_MEMORY
                else InvalidRequest(f"the process that answers {gone}")
            )
        self._worker = None
        return refused(line, reason)

    def _at_work(self) -> BoundedProcess:
        """Return a worker that is ready."""
        if self._worker is None:
            self._worker = BoundedProcess(_answering, self.memory)
        return self._worker

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


def _answering() -> AnswersMessages:
    return partial(respond, Session())


def serve_within(requests: BinaryIO, answers: BinaryIO, seconds: float) -> None:
    """Be the oracle on the wire until "stop" or the end of the input, with `seconds` of processor time per request.

    Raises: BrokenPipeError where nobody reads the answers.
    """
    with Guard(seconds) as guard:
        exchange(guard.reply, requests, answers)
