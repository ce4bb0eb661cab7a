"""Chunks answered by an executor of `concurrent.futures`, a file for each, so that a run goes on where it was ended."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import sleep

from ..data.files import read_text
from ..data.frames import needed
from ..output.writing import write_bytes, write_text
from ..reference import InvalidRequest, Undecided
from ..solvers.batch.compiled import has_compiled
from ..solvers.batch.enclosures import ARRAYS, COMPILED, prepare_compiled
from ..system.locks import holders, locked
from .parts import check_same, of_other_users, part_path, parts_of
from .question import FORMAT, PopulationQuestion, UserChunk
from .user_rows import answer

QUESTION_FILE = "question.json"

LEAST_FOR_COMPILED = 20_000
"""Users for whom the kernel is taken: numpy answers for fewer while it is compiled for the first time."""

AHEAD = 2
"""Chunks in memory for each worker: the one it is at, and the next."""

MOST_BREAKS = 3
"""So often in a row workers may end from outside without a chunk being done."""

WATCH = 1.0
"""Seconds after which a worker looks whether there is still somebody to answer."""

Start = Callable[[], Executor]
"""Makes an executor: again, where its workers were ended from outside."""

Done = Callable[[int], None]
"""Told of the size of each chunk that is done."""


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make a folder, and keep other runs out of it until the body is done or this process has ended, however it ends.

    Raises: InvalidRequest where another run writes into it, naming its process where the system does.
    """
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            is_locked = stack.enter_context(locked(folder, wait=False))
        except OSError as error:
            raise InvalidRequest(f"{folder}: cannot be written into: {error.strerror or error}") from None
        if not is_locked:
            raise InvalidRequest(
                f"{folder}: another run writes into it{holders(folder)}: wait for its end, or take another folder"
            )
        yield


def take_folder(folder: Path, question: PopulationQuestion) -> None:
    """Make the folder of a run, or find it as one of the same question; what was half written goes.

    Raises: InvalidRequest for a folder of another question, or with parts of another format.
    """
    path = folder / QUESTION_FILE
    text = question.text() + "\n"
    if not parts_of(folder):
        write_text(str(path), text, "question")
    elif not path.exists():
        raise InvalidRequest(f"{folder}: holds parts and no {QUESTION_FILE}: take another folder")
    elif (told := read_text(str(path))) != text:
        written = re.search(r'"format": ?(\d+)', told)
        what = "another question"
        if written is not None and int(written[1]) != FORMAT:
            what = f"of format {written[1]}, and parts are of format {FORMAT} now"
        raise InvalidRequest(f"{folder}: its {QUESTION_FILE} is {what}: take another folder")
    for left in folder.glob(".part-*"):
        shutil.rmtree(left, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Workers:
    """Who answers: what starts an executor, how many chunks it answers at once, and whether all have the extra `fast`.

    arithmetic: what they are asked to answer by.
    """

    start: Start
    count: int
    have_compiled: bool = False
    arithmetic: str = ARRAYS

    def for_users(self, count: int) -> Workers:
        """Return the same, to answer for so many users: compiled where that is worth its start, or its compiling.

        The kernel is compiled here where it is not yet, not by all of them at once.
        """
        if not self.have_compiled or count < LEAST_FOR_COMPILED:
            return self
        prepare_compiled()
        return replace(self, arithmetic=COMPILED)


@dataclass(slots=True)
class _Waiting:
    """Chunks that are being answered; they are asked for again where the workers were ended from outside."""

    question: PopulationQuestion
    start: Start
    arithmetic: str
    executor: Executor
    chunks: dict[Future[bytes], tuple[int, UserChunk, str]]
    breaks: int = 0

    def ask(self, number: int, chunk: UserChunk, digest: str) -> None:
        """Have a chunk answered."""
        try:
            self.chunks[self.executor.submit(answer, self.question, chunk, digest, self.arithmetic)] = (
                number,
                chunk,
                digest,
            )
        except BrokenExecutor:
            self.begin_again()
            self.ask(number, chunk, digest)

    def answered(self) -> Iterator[tuple[int, UserChunk, bytes]]:
        """Wait, and yield the chunks of which the answers are there."""
        ready, _ = wait(self.chunks, return_when=FIRST_COMPLETED)
        try:
            for future in ready:
                content = future.result()
                number, chunk, _ = self.chunks.pop(future)
                self.breaks = 0
                yield number, chunk, content
        except BrokenExecutor:
            self.begin_again()

    def begin_again(self) -> None:
        """Start other workers for what is left."""
        self.breaks += 1
        if self.breaks > MOST_BREAKS:
            raise Undecided("workers are ended from outside again and again: is there enough memory?") from None
        self.executor.shutdown(wait=False)
        self.executor = self.start()
        left, self.chunks = [*self.chunks.values()], {}
        for chunk in left:
            self.ask(*chunk)


def run(question: PopulationQuestion, chunks: Iterable[UserChunk], folder: Path, workers: Workers, done: Done) -> int:
    """Answer for the users of all chunks: a file `part_path` for each, whole or not at all.

    A part that is there already is kept where it answers the same question for the same users, of the same content: so
    a run that was ended goes on. Which executor answers, and in which order, changes no byte.
    Args: chunks, read as they are needed, a few at a time. Returns: how many chunks were answered now and not before.
    Raises: InvalidRequest for parts of other users; Undecided where workers
    are ended from outside again and again.
    """
    others = set(multiprocessing.active_children())
    waiting = _Waiting(question, workers.start, workers.arithmetic, workers.start(), {})
    count = numbers = 0

    def write() -> int:
        written = 0
        for number, chunk, content in waiting.answered():
            write_bytes(str(part_path(folder, number)), content, "part")
            done(chunk.size)
            written += 1
        return written

    try:
        for number, chunk in enumerate(chunks):
            numbers += 1
            digest = chunk.digest(question)
            if part_path(folder, number).exists():
                check_same(part_path(folder, number), digest)
                done(chunk.size)
                continue
            while len(waiting.chunks) >= AHEAD * workers.count:
                count += write()
            waiting.ask(number, chunk, digest)
        while waiting.chunks:
            count += write()
    except BaseException:
        for worker in set(multiprocessing.active_children()) - others:
            worker.kill()  # what it is at is not wanted any more
        raise
    finally:
        for future in waiting.chunks:
            future.cancel()
        waiting.executor.shutdown(wait=False)
    if len(parts_of(folder)) > numbers:
        raise of_other_users(part_path(folder, numbers))
    return count


# Executors


def processes(count: int) -> Workers:
    """Return so many processes on this machine; one alone is a thread of this process."""
    if count == 1:
        return Workers(partial(ThreadPoolExecutor, 1), 1, has_compiled())
    # A forked child of a process that shows progress from a thread may hang; a fresh one imports again.
    spawn = multiprocessing.get_context("spawn")
    begun = {"initializer": _begin, "initargs": (os.getpid(),)}
    return Workers(partial(ProcessPoolExecutor, count, mp_context=spawn, **begun), count, has_compiled())


def _begin(parent: int) -> None:
    """Leave interrupts to the process that asks, and end when it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            sleep(WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def scheduler(address: str) -> Iterator[Workers]:
    """Connect to a Dask scheduler, and give its workers to the body.

    Raises: InvalidRequest where there is none.
    """
    distributed = needed("distributed", "--scheduler", "cluster")
    try:
        client = distributed.Client(address)
    except (OSError, ValueError) as error:
        raise InvalidRequest(f"--scheduler {address}: {error}") from None
    with client:
        compiled = all(client.run(has_compiled).values())
        yield Workers(client.get_executor, max(1, sum(client.nthreads().values())), compiled)
