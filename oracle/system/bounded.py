"""A process that works on messages in bounded time and memory: whatever it does with them, the one that asks goes on.

Time is processor time: no answer depends on what else the machine has to do. It may grow by so much memory and no
further, where the system is one that holds it (Linux does).
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from .children import how_it_ended
from .processor_time import Allowance, ProcessTree
from .signals import ENDING, TIMER
from .spawning import spawning, starting

_READY = b"ready"

_NO_MEMORY = 86
"""The exit status of a process whose memory ran out."""

_FOR_MEMORY = tuple(-getattr(signal, name) for name in ("SIGABRT", "SIGKILL") if hasattr(signal, name))

_END_SECONDS = 5.0
"""How long the end of a process is waited for that has closed its connection, to say how it ended."""

AnswersMessages = Callable[[bytes], bytes | None]
"""Answers one message, None where there is nothing more to be said."""


class Late(Exception):
    """There was no answer in time. Its text says why, in words."""


class Gone(Exception):
    """The process has ended without an answer. Its text says how, as in "ran out of memory".

    for_memory: whether memory ran out, as far as anybody can tell: libraries then end a process by SIGABRT, the system
    by SIGKILL.
    """

    def __init__(self, how: str, for_memory: bool = False) -> None:
        super().__init__(how)
        self.for_memory = for_memory


class BoundedProcess:
    """A process of its own that answers messages, one at a time.

    Args: make, called there, which is to be a function of a module, and gives what answers; memory, the bytes by which
    it may grow; is_fork, whether it is forked from this process where that is safe (Linux), and so begins at once: for
    what needs no lock that another thread may have. Not for use by several threads.
    """

    def __init__(self, make: Callable[[], AnswersMessages], memory: int, is_fork: bool = False) -> None:
        spawn = spawning()
        ours, its = spawn.Pipe()
        if is_fork and sys.platform == "linux":
            forked = get_context("fork").Process(target=_work, args=(its, make, memory, ours), daemon=True)
            with warnings.catch_warnings(category=DeprecationWarning, action="ignore"):  # of threads
                _start(forked)
            self.process: BaseProcess = forked
        else:
            self.process = spawn.Process(target=_work, args=(its, make, memory), daemon=True)
            _start(self.process)
        its.close()
        self._connection = ours
        self.is_ended = False
        self._has_begun = False
        with suppress(EOFError, OSError):  # the sender of a message will see that it is gone
            self._has_begun = ours.recv_bytes() == _READY

    def ask(self, message: bytes, seconds: float, most: int | None = None) -> bytes:
        """Return the answer to a message, b"" where there is nothing more to be said.

        Args: seconds, of processor time; most, the bytes that the answer may have. Raises: Late, Gone; it has ended
        then.
        """
        if self.is_ended:
            raise Gone("has ended")
        try:
            self._connection.send_bytes(message)
            late = Allowance(ProcessTree(self.process.pid or 0), seconds).wait(self._connection.poll)
            if not late:
                return self._connection.recv_bytes(most)
        except (EOFError, OSError) as error:
            raise self._gone(is_long=getattr(error, "errno", 0) is None) from None
        except BaseException:
            self.end()
            raise
        self.end()
        raise Late(late)

    def _gone(self, is_long: bool) -> Gone:
        """End it, and return how it ended. Args: is_long, whether its answer was longer than it may be."""
        if is_long:
            self.end()
            return Gone("gave too long an answer")
        self.process.join(_END_SECONDS)
        code = self.process.exitcode
        self.end()
        if code == _NO_MEMORY:
            return Gone("ran out of memory", for_memory=True)
        if not self._has_begun:
            return Gone("could not start")
        if code is None:
            return Gone("stopped answering")
        if for_memory := code in _FOR_MEMORY:
            return Gone(f"{how_it_ended(code)}, as where memory runs out", for_memory)
        return Gone(f"crashed: it {how_it_ended(code)}")

    def end(self) -> None:
        """End it at once, if it has not ended."""
        if self.is_ended:
            return
        self.is_ended = True
        self.process.kill()
        self.process.join()
        self.process.close()
        self._connection.close()


def _start(process: BaseProcess) -> None:
    """Start a process, from a daemonic one too, as a worker of Dask is: it ends itself where its parent is ended."""
    parent = current_process()
    with starting:
        was, parent.daemon = parent.daemon, False
        try:
            process.start()
        finally:
            parent.daemon = was


def _work(
    messages: Connection, make: Callable[[], AnswersMessages], memory: int, inherited: Connection | None = None
) -> None:
    """Answer messages until there is nothing more to be said, or until nobody sends any.

    Args: inherited, the other end, where this process is a fork and has it as well.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks is interrupted, and ends this process
    if inherited is not None:
        inherited.close()
        for number in (*ENDING[1:], *TIMER):
            signal.signal(number, signal.SIG_DFL)
    try:
        answering = make()
        _grow_by_at_most(memory)
        messages.send_bytes(_READY)
        while (answer := answering(messages.recv_bytes())) is not None:
            messages.send_bytes(answer)
        messages.send_bytes(b"")
    except MemoryError:
        os._exit(_NO_MEMORY)
    except (EOFError, OSError):
        pass


def _grow_by_at_most(memory: int) -> None:
    """Limit this process's memory growth (RLIMIT_AS), where the platform supports it."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + memory, most))
