"""The oracle on the wire in bounded time and memory: requests are answered in a process that can be ended.

Limits are counted before work begins (`contract.limits`), but no count knows how long a request will take. Nor can the
process that works bound its own time: arithmetic on long integers returns to the interpreter when it is done, and
signals reach the main thread alone, and not on every system. So the process that reads the wire does no arithmetic. It
hands each line to a worker, and where the worker has used its time without an answer it ends the worker, answers in its
place, and goes on with another. Time is processor time: no answer depends on what else the machine has to do. The
worker may grow by so much memory and no further, where the system is one that holds it (Linux does): whatever the
counts have overlooked ends in "not enough memory".
"""

from __future__ import annotations

import signal
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import BinaryIO, Self

from ..contract.limits import MOST_GROWTH, MOST_SECONDS, not_enough_memory, took_too_long
from ..system.processor_time import Allowance, ProcessTree
from .requests import Session
from .serve import exchange, refused, respond

_SPAWN = get_context("spawn")
_READY, _STOPPED = b"ready", b""


class Guard:
    """Answers lines of the wire one after another in a worker, each within so many seconds of processor time.

    A context manager.

    Args: memory, the bytes by which the worker may grow.
    """

    def __init__(self, seconds: float = MOST_SECONDS, memory: int = MOST_GROWTH) -> None:
        self.seconds = seconds
        self.memory = memory
        self._worker: tuple[BaseProcess, Connection] | None = None

    def __enter__(self) -> Self:
        self._at_work()
        return self

    def __exit__(self, *_error: object) -> None:
        self._end()

    def reply(self, line: bytes | None) -> bytes | None:
        """Answer one line, as `serve.reply`; or in its place, where no answer comes in time or the worker dies."""
        if line is None:
            return respond(Session(), line)
        process, connection = self._at_work()
        try:
            connection.send_bytes(line)
            late = Allowance(ProcessTree(process.pid or 0), self.seconds).wait(connection.poll)
            if not late:
                return connection.recv_bytes() or None
            reason = took_too_long(late)
        except (EOFError, OSError):
            reason = not_enough_memory()
        self._end()
        return refused(line, reason)

    def _at_work(self) -> tuple[BaseProcess, Connection]:
        """Return a worker that is ready, and the connection to it."""
        if self._worker is None:
            ours, its = _SPAWN.Pipe()
            process = _SPAWN.Process(target=_work, args=(its, self.memory), daemon=True)
            process.start()
            its.close()
            self._worker = process, ours
            with suppress(EOFError, OSError):  # whoever sends it a line will see that it is gone
                ours.recv_bytes()
        return self._worker

    def _end(self) -> None:
        if self._worker is not None:
            process, connection = self._worker
            self._worker = None
            process.kill()
            process.join()
            process.close()
            connection.close()


def _work(lines: Connection, memory: int) -> None:
    """Answer lines until "stop", or until nobody sends any."""
    _grow_by_at_most(memory)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who reads the wire is interrupted, and ends this process
    session = Session()
    with suppress(EOFError, OSError, MemoryError):
        lines.send_bytes(_READY)
        while (answer := respond(session, lines.recv_bytes())) is not None:
            lines.send_bytes(answer)
        lines.send_bytes(_STOPPED)


def _grow_by_at_most(memory: int) -> None:
    """Let this process grow by so many bytes and no further, where the system can say and hold that."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + memory, most))


def serve_within(requests: BinaryIO, answers: BinaryIO, seconds: float) -> None:
    """Be the oracle on the wire until "stop" or the end of the input, with so many seconds of processor time a request.

    Raises: BrokenPipeError where nobody reads the answers.
    """
    with Guard(seconds) as guard:
        exchange(guard.reply, requests, answers)
