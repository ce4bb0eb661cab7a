"""Who works for a population: processes of this machine or of a Dask cluster, asked again where some are lost."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ..data.frames import needed
from ..output.writing import UNFINISHED
from ..reference import InvalidRequest, Undecided
from ..solvers.batch.compiled import has_compiled
from ..system.bounded import Pool

AHEAD = 2
"""Calls submitted for each worker: its present one and the next; more take more memory."""

MOST_BREAKS = 3
"""Times in a row that the pool may break before the next call is done."""

Start = Callable[[], Executor]
"""Makes an executor: again after its workers were ended from outside."""

FileVersion = tuple[int, int]
"""The size of a file and when it was changed."""

Returned = TypeVar("Returned")


@dataclass(slots=True)
class Workers:
    """Who answers: what starts an executor, and how many calls it answers at once.

    has_files: whether they read and write the files that this process does.
    """

    start: Start
    count: int
    has_files: bool = True
    _executor: Executor | None = field(default=None, init=False)

    def each(self, calls: Iterable[Callable[[], Returned]]) -> Generator[Returned]:
        """Have calls done, and yield their results in order.

        Args: calls, which travel between processes, read as they are needed, `AHEAD` for each worker. They are done
        again where workers were ended from outside. An error, of a call or of the body of a loop that is closed, ends
        the processes. Raises: what a call raises; Undecided where workers are ended from outside again and again.
        """
        waiting: deque[tuple[Callable[[], Returned], Future[Returned]]] = deque()
        left = iter(calls)
        breaks = 0
        try:
            while True:
                while len(waiting) < AHEAD * self.count and (call := next(left, None)) is not None:
                    waiting.append((call, self._submit(call)))
                if not waiting:
                    return
                try:
                    result = waiting[0][1].result()
                except BrokenExecutor:
                    breaks += 1
                    if breaks > MOST_BREAKS:
                        raise Undecided(
                            "workers were killed from outside repeatedly: is there enough memory?"
                        ) from None
                    self.close()
                    waiting = deque(
                        (call, done if done.done() and done.exception() is None else self._submit(call))
                        for call, done in waiting
                    )
                    continue
                waiting.popleft()
                breaks = 0
                yield result
        except BaseException:
            for _, future in waiting:
                future.cancel()
            self.close()  # nobody waits for the calls that they are at
            raise

    def _submit(self, call: Callable[[], Returned]) -> Future[Returned]:
        try:
            return self._running().submit(call)
        except BrokenExecutor:
            self.close()
            return self._running().submit(call)

    def _running(self) -> Executor:
        if self._executor is None:
            self._executor = self.start()
        return self._executor

    def close(self) -> None:
        """End the workers; others are started where they are asked again."""
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
    return Workers(Here, 1)


@contextmanager
def processes(count: int) -> Iterator[Workers]:
    """Give the body a number of processes on this machine; one alone is this one."""
    workers = here() if count == 1 else Workers(partial(Pool, count), count)
    try:
        yield workers
    finally:
        workers.close()


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
        if not all(client.run(has_compiled).values()):
            raise InvalidRequest(f"--scheduler {address}: its workers need numba: pip install 'tploracle[fast]' there")
        token = folder.resolve() / f"{UNFINISHED}{secrets.token_hex(8)}"
        folder.mkdir(parents=True, exist_ok=True)
        token.touch()
        try:
            files = {str(path): file_version(str(path)) for path in (token, *(Path(path).resolve() for path in paths))}
            has_files = all(client.run(_has_files, files).values())
        finally:
            token.unlink(missing_ok=True)
        yield Workers(client.get_executor, max(1, sum(client.nthreads().values())), has_files)


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
