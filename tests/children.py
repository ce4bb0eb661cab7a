"""Work in forked children: with limits, and several at once."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from tempfile import TemporaryFile

import psutil

Report = Callable[[object], object]

MEMORY = 4 << 30
"""Bytes of address space that a child with limits may ask for."""

WAITING = 5.0
"""Wall-clock limit of a child: this many times its limit of processor time, as other programs run beside it."""


def forked(work: Callable[[Report], None], limit: float | None = None) -> tuple[list[object], bool]:
    """Do work in a child; return what it reported, and whether it ran out of time.

    Args: work, given what sends a report; limit, the seconds of processor time, None for a child without limits.
    """
    with TemporaryFile() as told:  # a pipe would be held open by whatever the work leaves running
        child = os.fork()
        if child == 0:
            _run(lambda: work(lambda said: os.write(told.fileno(), json.dumps(said).encode() + b"\n")), limit)
        try:
            status = psutil.Process(child).wait(None if limit is None else WAITING * limit)
        except psutil.TimeoutExpired:
            status = -signal.SIGXCPU
        finally:
            if limit is not None:
                with suppress(ProcessLookupError):
                    os.killpg(child, signal.SIGKILL)  # and the programs that it has started
                with suppress(ChildProcessError):
                    os.waitpid(child, 0)
        told.seek(0)
        said = [json.loads(line) for line in told]
    return said, status in (-signal.SIGXCPU, -signal.SIGPROF)


def _run(work: Callable[[], None], limit: float | None) -> None:
    status = 1
    try:
        if limit is not None:
            os.setpgid(0, 0)
            for number in (signal.SIGXCPU, signal.SIGPROF):
                signal.signal(number, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 10))
            memory = MEMORY + psutil.Process().memory_info().vms
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        os._exit(status)


def together(jobs: int, part: Callable[[int], None]) -> None:
    """Do the parts of some work in processes. Raises: SystemExit where one fails."""
    children = []
    for number in range(jobs):
        child = os.fork()
        if child == 0:
            _run(lambda number=number: part(number), None)
        children.append(child)
    ended = [os.waitpid(child, 0)[1] for child in children]
    if any(ended):
        sys.exit(2)
