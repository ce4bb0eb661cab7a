"""Programs as children of this process, each the leader of a session that ends with it."""

from __future__ import annotations

import ctypes
import os
import secrets
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from .launching import launched
from .processor_time import MARK, ProcessTree
from .signals import held

_SET_CHILD_SUBREAPER, _GET_CHILD_SUBREAPER = 36, 37
"""Options of Linux's `prctl`: whether a process becomes the parent of descendants that lose theirs."""

_ROUNDS, _PAUSE = 100, 0.01

_leaders: weakref.WeakSet[ChildSession] = weakref.WeakSet()
"""The sessions whose leaders this process has not waited for, or only just."""


class ChildSession:
    """A program started as the leader of a session of its own, which ends with this process if not before.

    Args: command; stderr; is_marked, whether its environment has a MARK, which the processes that it starts inherit, by
    which all of them are ended with it, and not only itself; more, as `launched` takes them. tree: its processes.
    Raises: OSError, ValueError where it cannot be started.
    """

    def __init__(self, command: Sequence[str], stderr: int | None, is_marked: bool = True, **more: Any) -> None:
        mark = secrets.token_hex(8) if is_marked else ""
        environment = dict(more.pop("environment", None) or os.environ)
        if mark:
            environment[MARK] = f"{environment.get(MARK, '')} {mark}".strip()
        with held():
            self.process = launched(command, stderr, environment=environment, **more)
            _leaders.add(self)
            self.tree = ProcessTree(self.process.pid, mark)
            self._end = weakref.finalize(self, _end_session, self.process, self.tree, is_marked, os.getpid())

    def end(self) -> float:
        """End the program, and the processes that it has started, those that left its session as well.

        Returns: the processor time of those of them for which nobody waited.
        """
        with held():
            return self._end() or 0.0


def _end_session(process: subprocess.Popen[bytes], tree: ProcessTree, is_marked: bool, starter: int) -> float:
    if os.getpid() != starter:  # a fork of it, which ends
        return 0.0
    # A child that left the session is found by its parent, while there is one.
    unwaited = tree.unwaited() if is_marked else 0.0
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    if is_marked:
        tree.kill()
    return unwaited


@contextmanager
def adopting() -> Iterator[None]:
    """End, after the body, whatever programs have started in it and left behind, in any session and environment.

    On Linux a descendant that loses its parent comes to this process for so long; elsewhere nothing is done. For a
    process that itself begins no session of its own in the body but as `ChildSession`.
    """
    former = _adopts()
    if former is None:
        yield
        return
    before = set(_adopted())
    _adopt(True)
    try:
        yield
    finally:
        with held():
            for _ in range(_ROUNDS):
                left = set(_adopted()) - before
                if not left:
                    break
                for pid in left:
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                        os.waitpid(pid, os.WNOHANG)
                time.sleep(_PAUSE)
            _adopt(former)


def wait_for_adopted() -> None:
    """Wait for descendants that came to this process and have ended, as the system's first process does elsewhere."""
    with suppress(OSError):
        while _adopts() and (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)):
            if not _is_adopted(ended.si_pid):
                return
            os.waitpid(ended.si_pid, 0)


def _adopted() -> list[int]:
    """Return the children of this process that are neither of its session nor programs that it started."""
    import psutil

    return [child.pid for child in psutil.Process().children() if _is_adopted(child.pid)]


def _is_adopted(pid: int) -> bool:
    with suppress(OSError):
        return os.getsid(pid) != os.getsid(0) and all(pid != leader.process.pid for leader in _leaders)
    return False


def _adopts() -> bool | None:
    """Return whether descendants that lose their parents come to this process; None where no system says so."""
    if sys.platform != "linux":
        return None
    found = ctypes.c_int(0)
    status = ctypes.CDLL(None, use_errno=True).prctl(_GET_CHILD_SUBREAPER, ctypes.byref(found), 0, 0, 0)
    return None if status else bool(found.value)


def _adopt(whether: bool) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, int(whether), 0, 0, 0)
