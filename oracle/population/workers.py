"""Who works for a population: processes of this machine or of a Dask cluster, asked again where some are lost."""

from __future__ import annotations

import multiprocessing
import os
import secrets
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import sleep
from typing import Any, TypeVar

from ..data.frames import needed
from ..output.writing import UNFINISHED
from ..reference import InvalidRequest, Undecided
from ..solvers.batch.compiled import has_compiled
from ..solvers.batch.enclosures import ARRAYS, COMPILED, prepare_compiled

LEAST_FOR_COMPILED = 20_000
"""Users for whom the kernel is taken: numpy answers for fewer while it is compiled for the first time."""

AHEAD = 2
"""Calls for each worker: the one it is at, and the next."""

MOST_BREAKS = 3
"""So often in a row workers may end from outside without a call being done."""

WATCH = 1.0
"""Seconds after which a worker looks whether there is still somebody to answer."""

Start = Callable[[], Executor]
"""Makes an executor: again, where its workers were ended from outside."""

FileVersion = tuple[int, int]
"""What tells a file from what it was before it was changed."""

CallKey = TypeVar("CallKey")
Returned = TypeVar("Returned")


@dataclass(slots=True)
class Workers:
    """Who answers: what starts an executor, how many calls it answers at once, and whether all have the extra `fast`.

    has_files: whether they read and write the files that this process does; arithmetic: what they answer by.
    """

    start: Start
    count: int
    have_compiled: bool = False
    has_files: bool = True
    arithmetic: str = ARRAYS
    _executor: Executor | None = field(default=None, init=False)
    _others: set[BaseProcess] = field(default_factory=set, init=False)

    def choose_arithmetic(self, users: int) -> None:
        """Take the compiled kernel where that is worth its start, or its compiling, for so many users.

        One of the workers compiles it where it is not yet, not all of them at once.
        """
        if self.have_compiled and users >= LEAST_FOR_COMPILED:
            for _ in self.each([(None, prepare_compiled)]):
                self.arithmetic = COMPILED

    def each(self, calls: Iterable[tuple[CallKey, Callable[[], Returned]]]) -> Generator[tuple[CallKey, Returned]]:
        """Have calls done, each with a key; yield key and result of each as they are ready.

        Args: calls, which travel between processes, read as they are needed, a few at a time. They are done again
        where workers were ended from outside. An error, of a call or of the body of a loop that is closed, ends the
        processes. Raises: what a call raises; Undecided where workers are ended from outside again and again.
        """
        waiting: dict[Future[Returned], tuple[CallKey, Callable[[], Returned]]] = {}
        left = iter(calls)
        breaks = 0
        try:
            while True:
                while len(waiting) < AHEAD * self.count and (following := next(left, None)) is not None:
                    self._ask(waiting, following)
                if not waiting:
                    return
                ready, _ = wait(waiting, return_when=FIRST_COMPLETED)
                try:
                    for future in ready:
                        result = future.result()
                        key, _ = waiting.pop(future)
                        breaks = 0
                        yield key, result
                except BrokenExecutor:
                    breaks += 1
                    if breaks > MOST_BREAKS:
                        raise Undecided(
                            "workers were killed from outside repeatedly: is there enough memory?"
                        ) from None
                    self.close()
                    again = [*waiting.values()]
                    waiting.clear()
                    for call in again:
                        self._ask(waiting, call)
        except BaseException:
            for future in waiting:
                future.cancel()
            self._kill()  # what they are at is not wanted any more
            raise

    def _ask(self, waiting: dict[Future[Any], tuple[Any, Callable[[], Any]]], call: tuple[Any, Any]) -> None:
        try:
            future = self._running().submit(call[1])
        except BrokenExecutor:
            self.close()
            future = self._running().submit(call[1])
        waiting[future] = call

    def _running(self) -> Executor:
        if self._executor is None:
            self._others = set(multiprocessing.active_children())
            self._executor = self.start()
        return self._executor

    def _kill(self) -> None:
        for child in set(multiprocessing.active_children()) - self._others:
            if not child.daemon:  # those are readers of this process
                child.kill()
        self.close()

    def close(self) -> None:
        """Let the workers end; others are started where they are asked again."""
        if self._executor is not None:
            self._executor.shutdown(wait=False)
            self._executor = None


class Here(Executor):
    """This process, which does a call when it is asked."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return what is done."""
        done: Future[Any] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - raised where the result is asked for
            done.set_exception(error)
        return done


def here() -> Workers:
    """Return this process as the only worker."""
    return Workers(Here, 1, has_compiled())


@contextmanager
def processes(count: int) -> Iterator[Workers]:
    """Give so many processes on this machine to the body; one alone is this one."""
    # A forked child of a process that shows progress from a thread may hang; a fresh one imports again.
    spawn = multiprocessing.get_context("spawn")
    begun = {"initializer": _begin, "initargs": (os.getpid(),)}
    start = partial(ProcessPoolExecutor, count, mp_context=spawn, **begun)
    workers = here() if count == 1 else Workers(start, count, has_compiled())
    try:
        yield workers
    finally:
        workers.close()


def _begin(parent: int) -> None:
    """Leave interrupts to the process that asks, and end when it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            sleep(WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def scheduler(address: str, folder: Path, paths: Iterable[str] = ()) -> Iterator[Workers]:
    """Connect to a Dask scheduler, and give its workers to the body.

    Args: folder, of the output, and paths, of the input: whether workers read and write them as this process does is
    tried out. Raises: InvalidRequest where there is none.
    """
    distributed = needed("distributed", "--scheduler", "cluster")
    try:
        client = distributed.Client(address)
    except (OSError, ValueError) as error:
        raise InvalidRequest(f"--scheduler {address}: {error}") from None
    with client:
        compiled = all(client.run(has_compiled).values())
        token = folder.resolve() / f"{UNFINISHED}{secrets.token_hex(8)}"
        folder.mkdir(parents=True, exist_ok=True)
        token.touch()
        try:
            files = {str(path): file_version(str(path)) for path in (token, *(Path(path).resolve() for path in paths))}
            has_files = all(client.run(_has_files, files).values())
        finally:
            token.unlink(missing_ok=True)
        yield Workers(client.get_executor, max(1, sum(client.nthreads().values())), compiled, has_files)


def _has_files(files: dict[str, FileVersion | None]) -> bool:
    """Whether this process finds the same files."""
    return all(version is not None and file_version(path) == version for path, version in files.items())


def file_version(path: str) -> FileVersion | None:
    """Return the size of a file, and when it was changed; None where there is none."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns
