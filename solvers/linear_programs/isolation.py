"""Solvers at arm's length: each call runs in a worker process, under a limit of processor time.

A solver that crashes, hangs, or returns something unreadable costs that one call; the worker, and every process that it
has started, is ended, and the next call gets a new one. The worker's working directory is one of its own, removed with
it, so that a solver that is ended leaves no files.
"""

from __future__ import annotations

import pickle
import tempfile
from types import TracebackType
from typing import Self

from ...system.bounded import BoundedProcess, Gone, Late
from ...system.launching import Ending, how_it_ended
from .outcomes import SolverOutcome, Status
from .worker import answering


class SolverWorker:
    """A context in which solvers are called, one at a time, in a process apart from this one.

    Args: time_limit, seconds of processor time per call. Not for use by several threads.
    """

    def __init__(self, time_limit: float = 20.0) -> None:
        self.time_limit = time_limit
        self._process: BoundedProcess | None = None
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
            content = self._started().ask(pickle.dumps((target, arguments)), self.time_limit)
        except Gone as gone:
            self.close()
            if isinstance(gone, Late):
                return SolverOutcome(Status.TIMED_OUT, message=str(gone))
            is_told = gone.ending is not Ending.NOT_STARTED and gone.code is not None
            how = how_it_ended(gone.code) if is_told and gone.code is not None else str(gone)
            return SolverOutcome(Status.CRASHED, message=f"the worker {how}")
        except OSError as error:
            self.close()
            return SolverOutcome(Status.CRASHED, message=f"the worker could not start: {error}")
        try:
            match pickle.loads(content):
                case ("returned", value):
                    return value
                case ("raised", str(message)):
                    return SolverOutcome(Status.FAILED, message=message)
        except Exception as error:  # noqa: BLE001 -- an unpickled value may raise anything
            told = f"{type(error).__name__}: {error}"
        else:
            told = "it is no answer"
        self.close()
        return SolverOutcome(Status.NONSENSE, message=f"what the solver returned cannot be read: {told}")

    def close(self) -> None:
        """End the worker and all processes that it has started, and remove its directory."""
        if self._process is not None:
            self._process.end()
            self._process = None
        if self._directory is not None:
            self._directory.cleanup()
            self._directory = None

    def _started(self) -> BoundedProcess:
        if self._process is None:
            self._directory = tempfile.TemporaryDirectory(prefix="tploracle-", ignore_cleanup_errors=True)
            self._process = BoundedProcess(answering, is_confined=False, folder=self._directory.name, is_marked=True)
        return self._process
