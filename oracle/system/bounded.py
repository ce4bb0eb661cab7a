"""A process that works on messages in bounded time and memory: whatever it does with them, the one that asks goes on.

Time is processor time: no answer depends on what else the machine has to do. Its memory may grow by a fixed amount
at most, where the system holds it to that (Linux does).
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from importlib import import_module
from math import inf
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

from .children import ChildSession
from .confinement import close_descriptors, confine
from .launching import NO_MEMORY, REFUSED, Ending, ending, own_command, own_environment
from .processor_time import Allowance, ProcessTree
from .signals import ENDING, TIMER

START_LIMIT = 120.0
"""Seconds of processor time that a process may take to start."""

_READY = b"ready"

_END_SECONDS = 5.0
"""How long the end of a process is waited for that has closed its connection, to say how it ended."""

_WATCH, _PAUSE = 1.0, 0.01
"""Seconds between looks whether the process that asks is alive, and whether one that is waited for has ended."""

AnswersMessages = Callable[[bytes], bytes | None]
"""Answers one message, None where there is nothing more to be said."""


class Gone(Exception):
    """The process has ended without an answer. Its text says how, as in "ran out of memory".

    ending: as far as anybody can tell; code: the process's return code, None where it was ended from here.
    """

    def __init__(self, why: Ending, how: str, code: int | None = None) -> None:
        super().__init__(how)
        self.ending, self.code = why, code


class Late(Gone):
    """There was no answer in time. Its text says why, in words."""

    def __init__(self, how: str) -> None:
        super().__init__(Ending.OUT_OF_TIME, how)


class BoundedProcess:
    """A process of its own that answers messages, one at a time.

    Args: make, called there, which is to be a function of a module, and gives what answers; memory, the bytes by which
    it may grow, None for any; is_fork, whether it is forked from this process where that is safe (Linux), and so begins
    at once: for what needs no lock that another thread may have; is_confined, whether it only reads, as far as the
    kernel can see to it; folder, below which it may write then, and where it runs otherwise; is_marked, whether what it
    starts is ended with it. Not for use by several threads.
    """

    def __init__(
        self,
        make: Callable[[], AnswersMessages],
        memory: int | None = None,
        *,
        is_fork: bool = False,
        is_confined: bool = True,
        folder: str | None = None,
        is_marked: bool = False,
    ) -> None:
        ours, its = Pipe()
        self._connection = ours
        self.is_ended = False
        self._has_begun = False
        self._process: ChildSession | _Fork | None = None
        told: dict[str, Any] = {"memory": memory, "is_confined": is_confined, "folder": folder}
        try:
            if is_fork and sys.platform == "linux":
                self._process = _Fork(partial(_work, its, make, **told), its.fileno())
            else:
                place = {"place": (make.__module__, make.__qualname__), "handle": its.fileno()}
                self._process = ChildSession(
                    own_command(__name__, "serve", json.dumps({**told, **place, "parent": os.getpid()})),
                    subprocess.DEVNULL if is_confined or is_marked else None,
                    is_marked=is_marked,
                    environment=own_environment(),
                    folder="/" if is_confined else folder,
                    descriptors=(its.fileno(),),
                    is_spoken_to=False,
                )
        except (OSError, ValueError):
            self.end()
        except BaseException:
            self.end()
            raise
        finally:
            its.close()
        self._failure = Gone(Ending.CRASHED, "has ended")
        try:
            if self.is_ended or self._answer(START_LIMIT, len(_READY)) != _READY:
                self._failure = Gone(Ending.NOT_STARTED, "could not start")
            self._has_begun = True
        except Late:
            self._failure = Gone(Ending.NOT_STARTED, "could not start")
        except Gone as gone:
            self._failure = gone

    @property
    def pid(self) -> int:
        """The number of the process, 0 where there is none."""
        return 0 if self._process is None else self._process.process.pid

    def ask(self, message: bytes, seconds: float, most: int | None = None) -> bytes:
        """Return the answer to a message, b"" where there is nothing more to be said.

        Args: seconds, of processor time; most, the bytes that the answer may have. Raises: Late, Gone; it has ended
        then.
        """
        if self.is_ended:
            raise self._failure
        try:
            self._connection.send_bytes(message)
        except OSError:
            raise self._gone() from None
        except BaseException:
            self.end()
            raise
        return self._answer(seconds, most)

    def _answer(self, seconds: float, most: int | None) -> bytes:
        try:
            late = ""
            if seconds < inf:
                late = Allowance(self._process.tree, seconds).wait(self._connection.poll)  # type: ignore[union-attr]
            if not late:
                return self._connection.recv_bytes(most)
        except (EOFError, OSError) as error:
            if getattr(error, "errno", 0) is None:
                self.end()
                raise Gone(Ending.CRASHED, "gave too long an answer") from None
            raise self._gone() from None
        except BaseException:
            self.end()
            raise
        self.end()
        raise Late(late)

    def _gone(self) -> Gone:
        """End it, and return how it ended."""
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.process.wait(_END_SECONDS)
        code = self._process.process.returncode
        self.end()
        why, how = ending(code)
        if not self._has_begun and why is not Ending.OUT_OF_MEMORY:
            return Gone(Ending.NOT_STARTED, "could not start", code)
        return Gone(why, how, code)

    def end(self) -> None:
        """End it at once, if it has not ended."""
        if self.is_ended:
            return
        self.is_ended = True
        self.kill()
        self._connection.close()

    def kill(self) -> None:
        """End it from another thread: the one that waits for an answer sees that it is gone."""
        if self._process is not None:
            self._process.end()


class _Fork:
    """A fork of this process. Args: work, that it does; kept, the one descriptor that it keeps."""

    def __init__(self, work: Callable[[], None], kept: int) -> None:
        with warnings.catch_warnings(category=DeprecationWarning, action="ignore"):  # of threads
            self.pid = os.fork()
        if not self.pid:
            try:
                gc.disable()  # what is this process's is not to be closed there
                close_descriptors(kept)
                for number in (*ENDING[1:], *TIMER):
                    signal.signal(number, signal.SIG_DFL)
                work()
            finally:
                os._exit(0)
        self.returncode: int | None = None
        self.tree = ProcessTree(self.pid)

    @property
    def process(self) -> _Fork:
        """Itself."""
        return self

    def wait(self, seconds: float) -> None:
        """Wait until it has ended, for at most this many seconds."""
        until = time.monotonic() + seconds
        while self.returncode is None and time.monotonic() < until:
            if self._look(os.WNOHANG):
                time.sleep(_PAUSE)

    def _look(self, how: int) -> bool:
        """Look how it ended. Returns: whether it has not."""
        try:
            pid, status = os.waitpid(self.pid, how)
        except ChildProcessError:  # somebody else has waited for it
            pid, status = self.pid, 0
        if pid:
            self.returncode = os.waitstatus_to_exitcode(status)
        return not pid

    def end(self) -> None:
        """End it."""
        if self.returncode is None:
            with suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)
            self._look(0)


def serve() -> None:
    """Be such a process, as the one that started it says on the command line."""
    said = json.loads(sys.argv[1])
    module, name = said.pop("place")
    messages = Connection(said.pop("handle"))
    threading.Thread(target=_watch, args=(said.pop("parent"),), daemon=True).start()
    _work(messages, partial(_imported, module, name), **said)


def _imported(module: str, name: str) -> AnswersMessages:
    answering: AnswersMessages = getattr(import_module(module), name)()
    return answering


def _watch(parent: int) -> None:
    """End this process when the one that asks is gone, whatever it is at."""
    while os.getppid() == parent:
        time.sleep(_WATCH)
    os._exit(1)


def _work(
    messages: Connection, make: Callable[[], AnswersMessages], memory: int | None, is_confined: bool, folder: str | None
) -> None:
    """Answer messages until there is nothing more to be said, or until nobody sends any."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks is interrupted, and ends this process
    try:
        if is_confined:
            confine(folder)
        answering = make()
        if memory is not None:
            _grow_by_at_most(memory)
        messages.send_bytes(_READY)
        while (answer := answering(messages.recv_bytes())) is not None:
            messages.send_bytes(answer)
        messages.send_bytes(b"")
    except MemoryError:
        os._exit(NO_MEMORY)
    except PermissionError:
        os._exit(REFUSED)
    except (EOFError, OSError):
        pass


def _grow_by_at_most(memory: int) -> None:
    """Limit this process's memory growth (RLIMIT_AS), where the platform supports it."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + memory, most))


class Pool(Executor):
    """Makes calls, which travel between processes, in processes of its own. Args: count, of the processes.

    They end with the pool, whatever they are at. Where one was ended from outside, it and what is left is broken.
    """

    def __init__(self, count: int) -> None:
        self._threads = ThreadPoolExecutor(count)
        self._own = threading.local()
        self._all: list[BoundedProcess] = []
        self._is_broken = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a call made. Raises: BrokenExecutor where a process was ended from outside."""
        if self._is_broken:
            raise BrokenExecutor
        return self._threads.submit(self._made, partial(fn, *args, **kwargs))

    def _made(self, call: Callable[[], Any]) -> Any:
        message = pickle.dumps(call)
        if not hasattr(self._own, "process"):
            self._own.process = BoundedProcess(_calling, is_confined=False)
            self._all.append(self._own.process)
        if self._is_broken:
            self._own.process.end()
            raise BrokenExecutor
        try:
            answer = self._own.process.ask(message, inf)
        except Gone as gone:
            self._is_broken = True
            raise BrokenExecutor(str(gone)) from None
        is_value, found = pickle.loads(answer)
        if is_value:
            return found
        raise found

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, after what they are at where that is waited for."""
        if wait:
            self._threads.shutdown(wait=True, cancel_futures=cancel_futures)
        self._is_broken = True
        for process in self._all:
            process.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)  # one that has just been started ends itself


def _calling() -> AnswersMessages:
    return _called


def _called(message: bytes) -> bytes:
    try:
        answer = True, pickle.loads(message)()
    except Exception as error:  # noqa: BLE001 - raised where the result is asked for
        answer = False, error
    try:
        return pickle.dumps(answer)
    except Exception as error:  # noqa: BLE001 - what is to be sent may raise anything
        return pickle.dumps((False, TypeError(f"what a call gives cannot be sent: {error}")))
