"""Programs as children of this process, each the leader of a session that ends with it."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import weakref
from collections.abc import Sequence
from contextlib import suppress

from .processor_time import MARK, ProcessTree
from .signals import held


def how_it_ended(code: int) -> str:
    """Return the words for the return code of a process, as in "was ended by SIGSEGV"."""
    if code >= 0:
        return f"ended with exit status {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


class ChildSession:
    """A program started as the leader of a session of its own, spoken to through pipes.

    Args: command; stderr, as `subprocess.Popen` takes it; directory, where it runs, this process's where there is none.
    It ends with this process if not before. Its environment has a MARK, which the processes that it starts inherit.
    tree: its processes. Raises: OSError, ValueError where it cannot be started.
    """

    def __init__(self, command: Sequence[str], stderr: int, directory: str | None = None) -> None:
        mark = secrets.token_hex(8)
        with held():
            self.process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=directory,
                env={**os.environ, MARK: f"{os.environ.get(MARK, '')} {mark}".strip()},
                start_new_session=True,
            )
            self.tree = ProcessTree(self.process.pid, mark)
            self._end = weakref.finalize(self, _end_session, self.process, self.tree)

    def end(self) -> float:
        """End the program, and the processes that it has started, those that left its session as well.

        Returns: the processor time of those of them for which nobody waited.
        """
        with held():
            return self._end() or 0.0


def _end_session(process: subprocess.Popen[bytes], tree: ProcessTree) -> float:
    unwaited = tree.unwaited()  # a child that left the session is found by its parent, while there is one
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    tree.kill()
    return unwaited
