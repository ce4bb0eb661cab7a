"""Solvers at arm's length: each call runs in a worker process, under a limit of processor time.

A solver that crashes, hangs, or returns something unreadable costs that one call; the worker, and every process that it
has started, is ended, and the next call gets a new one. The worker's working directory is one of its own, removed with
it, so that a solver that is ended leaves no files.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from types import TracebackType
from typing import IO, Self

from ...system.children import ChildSession, how_it_ended
from ...system.processor_time import Allowance
from .outcomes import SolverOutcome, Status

START_LIMIT = 120.0
"""Seconds of processor time that a worker may take to start."""

_PROGRAM = "import sys; sys.path[:] = {path!r}; from {module} import serve; serve()"


class SolverWorker:
    """A context in which solvers are called, one at a time, in a process apart from this one.

    Args: time_limit, seconds of processor time per call. Not for use by several threads.
    """

    def __init__(self, time_limit: float = 20.0) -> None:
        self.time_limit = time_limit
        self._session: ChildSession | None = None
        self._answers: queue.Queue[object] = queue.Queue()
        self._directory: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def call(self, target: str, *arguments: object) -> object:
        """Call a function in the worker.

        Args: target, "module:function"; arguments, which can be pickled.
        Returns: what the function returned, or a `SolverOutcome`: crashed, timed out, nonsense (what came back could
        not be read) or failed (it raised).
        """
        try:
            process = self._started()
            assert process.stdin is not None
            _write(process.stdin, (target, arguments))
            answer = self._answer(self.time_limit)
        except _NoAnswer as late:
            self.close()
            return SolverOutcome(Status.TIMED_OUT, message=str(late))
        except OSError as error:
            answer = error
        match answer:
            case ("returned", value):
                return value
            case ("raised", str(message)):
                return SolverOutcome(Status.FAILED, message=message)
            case pickle.UnpicklingError() | AttributeError() | ImportError():
                self.close()
                return SolverOutcome(Status.NONSENSE, message=f"what the solver returned cannot be read: {answer}")
        return SolverOutcome(Status.CRASHED, message=self._how_it_ended())

    def close(self) -> None:
        """End the worker and all processes that it has started, and remove its directory."""
        if self._session is not None:
            self._session.end()
            for pipe in (self._session.process.stdin, self._session.process.stdout):
                with suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]
            self._session = None
        if self._directory is not None:
            self._directory.cleanup()
            self._directory = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._session is not None:
            return self._session.process
        self._directory = tempfile.TemporaryDirectory(prefix="tploracle-", ignore_cleanup_errors=True)
        # The worker takes this process's import path, made absolute because it starts elsewhere.
        path = [os.path.abspath(entry) for entry in sys.path if entry]  # noqa: PTH100
        module = f"{__package__}.worker"
        program = [sys.executable, "-I", "-c", _PROGRAM.format(path=path, module=module)]
        self._session = ChildSession(program, stderr=subprocess.DEVNULL, directory=self._directory.name)
        process = self._session.process
        self._answers = queue.Queue()
        threading.Thread(target=_read, args=(process.stdout, self._answers), daemon=True).start()
        if self._answer(START_LIMIT) != ("returned", "ready"):
            raise OSError("the worker did not start")
        return process

    def _answer(self, seconds: float) -> object:
        """Return the next answer. Raises: _NoAnswer where there is none in time."""
        assert self._session is not None
        heard: list[object] = []

        def hear(pause: float) -> bool:
            with suppress(queue.Empty):
                heard.append(self._answers.get(timeout=pause))
            return bool(heard)

        if late := Allowance(self._session.tree, seconds).wait(hear):
            raise _NoAnswer(late)
        return heard[0]

    def _how_it_ended(self) -> str:
        if self._session is None:
            self.close()
            return "the worker did not start"
        process = self._session.process
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        code = process.returncode
        self.close()
        if code is None:
            return "the worker closed its output"
        return f"the worker {how_it_ended(code)}"


class _NoAnswer(Exception):
    """There is no answer in time."""


def _write(stream: IO[bytes], value: object) -> None:
    message = pickle.dumps(value)
    stream.write(len(message).to_bytes(8, "big") + message)
    stream.flush()


def _read(stream: IO[bytes], answers: queue.Queue[object]) -> None:
    """Put each answer of a worker in the queue, and at the end of its output an EOFError."""
    try:
        while len(header := stream.read(8)) == 8:
            message = stream.read(int.from_bytes(header, "big"))
            try:
                answers.put(pickle.loads(message))
            except Exception as error:  # noqa: BLE001 -- an unpickled value may raise anything
                answers.put(pickle.UnpicklingError(f"{type(error).__name__}: {error}"))
    except (OSError, ValueError):
        pass
    answers.put(EOFError())
