"""Processor time of a program with all its processes, and a limit by it on what is waited for.

How long an answer takes by the clock on the wall says as much about the machine as about the program. Processor time is
the program's own; where nothing of a program runs or is ready to run, the machine is not what keeps it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import psutil

MARK = "TPLORACLE_SESSION"
"""The environment variable by which the processes of a session are found, wherever they went."""

FIRST_LOOK = 0.1
"""Seconds without an answer before the processes are looked at: most answers come sooner."""

LEAST_WALL, WALL_FACTOR = 30.0, 10
"""Wall-clock limit behind a processor-time limit: max(`LEAST_WALL`, `WALL_FACTOR` × limit)."""

_SHORTEST_STEP, _LONGEST_STEP = 0.01, 1.0
_LOOKS = 20
_IDLE_SHARE = 0.1
_ROUNDS, _PAUSE = 100, 0.01
_CLOCKS_DIFFER = 60.0
_AWAKE = ("R", "D", "running", "disk-sleep", "waking")


@dataclass(frozen=True, slots=True)
class Usage:
    """used: seconds of processor time, so far; asleep: whether nothing runs, is ready to run or waits for a disk."""

    used: float
    asleep: bool


class Measured(Protocol):
    """What can be looked at."""

    def look(self) -> Usage:
        """Return what it has used, and whether it is asleep."""


class ProcessTree:
    """The processes of a program: its session, and whatever descends from it or has been seen to, in any session.

    Args: leader, the process that was started; mark, which the MARK of their environments contains, "" where the leader
    has no session of its own.
    """

    def __init__(self, leader: int, mark: str = "") -> None:
        self._leader, self._mark = leader, mark
        self._since = time.time() - _CLOCKS_DIFFER
        self._own: dict[psutil.Process, float] = {}
        self._used = 0.0

    def look(self) -> Usage:
        """Return what all of it has used, ended processes as well, and whether all of it is asleep.

        What is used is never said too high. An ended process counts in the one that waited for it, or by when it was
        last seen.
        """
        import psutil

        alive, asleep = 0.0, True
        for process in self._members():
            with suppress(psutil.Error):
                user, system, *more = process.cpu_times()
                self._own[process] = user + system
                alive += user + system + sum(more[:2])  # then, of the children that it waited for
                asleep = asleep and _is_asleep(process)
        self._used = max(self._used, alive, sum(self._own.values()))
        return Usage(self._used, asleep)

    def unwaited(self) -> float:
        """Return what processes other than the leader have used, which nobody will wait for when all are ended."""
        import psutil

        used = 0.0
        for process in self._members():
            if process.pid != self._leader:
                with suppress(psutil.Error):
                    used += sum(process.cpu_times()[:4])
        return used

    def kill(self) -> None:
        """End what is left of it, wherever it went."""
        import psutil

        for _ in range(_ROUNDS):
            left = 0
            for process in self._members(by_mark=True):
                with suppress(psutil.Error):
                    if process.status() != psutil.STATUS_ZOMBIE:
                        process.kill()
                        left += 1
            if not left:
                return
            time.sleep(_PAUSE)

    def _members(self, by_mark: bool = False) -> list[psutil.Process]:
        """Return the processes that are there, parents before their children."""
        import psutil

        children: dict[int, list[psutil.Process]] = {}
        found: list[psutil.Process] = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process in self._own or self._is_of_session(process.pid):
                    found.append(process)
                elif process.create_time() >= self._since:
                    children.setdefault(process.ppid(), []).append(process)
                    if by_mark and self._is_marked(process):
                        found.append(process)
        members = dict.fromkeys(found)
        while found:
            found = [child for parent in found for child in children.get(parent.pid, ()) if child not in members]
            members.update(dict.fromkeys(found))
        for process in members:
            self._own.setdefault(process, 0.0)
        return list(members)

    def _is_of_session(self, pid: int) -> bool:
        if not self._mark or not hasattr(os, "getsid"):
            return pid == self._leader
        with suppress(OSError):
            return os.getsid(pid) == self._leader
        return False

    def _is_marked(self, process: psutil.Process) -> bool:
        import psutil

        with suppress(psutil.Error, OSError):
            return bool(self._mark) and self._mark in process.environ().get(MARK, "")
        return False


def _is_asleep(process: psutil.Process) -> bool:
    """Whether no thread of it runs, is ready to run or waits for a disk; of some systems only the process is known."""
    try:
        tasks = list(Path(f"/proc/{process.pid}/task").iterdir())
        states = [task.joinpath("stat").read_text(errors="replace").rpartition(")")[2].split()[0] for task in tasks]
    except OSError:
        states = [process.status()]
    return not any(state in _AWAKE for state in states)


def no_answer_within(seconds: float) -> str:
    """Return the words for a process that used `seconds` of processor time without answering."""
    return f"no answer within {seconds:g} s of processor time"


class Allowance:
    """Limits of one answer from now on: seconds of processor time, as many asleep, and a wall-clock limit behind them.

    What it had used before is looked up when the answer is late. Between two looks it was asleep where it is at both
    and has hardly used any time; what the machine withheld from it is neither time used nor sleep.
    """

    asleep: float
    """Seconds asleep so far."""

    def __init__(self, tree: Measured, seconds: float) -> None:
        self._tree, self._seconds = tree, seconds
        self._wall = max(LEAST_WALL, WALL_FACTOR * seconds)
        first = max(_SHORTEST_STEP, min(FIRST_LOOK, seconds))
        self._step = max(first, min(seconds / _LOOKS, _LONGEST_STEP))
        self._began = self._looked = monotonic()
        self._next = self._began + first
        self._before: float | None = None
        self._last = Usage(0.0, False)
        self._moved = False
        self.asleep = 0.0

    @property
    def pause(self) -> float:
        """How long to wait before `over` looks again."""
        return max(0.0, self._next - monotonic())

    def over(self, moved: bool = False) -> str:
        """Look at it, where it is time to. Args: moved, whether it has just been heard of.

        Returns: why it is over, in words; "" where it is not.
        """
        now = monotonic()
        self._moved |= moved
        if now < self._next:
            return ""
        reading = self._tree.look()
        if self._before is None:
            self._before = reading.used
        elif not self._moved and self._last.asleep and reading.asleep:
            passed = min(now - self._looked, 2 * self._step)  # who looks may have been kept waiting as well
            if reading.used - self._last.used <= _IDLE_SHARE * passed:
                self.asleep += passed
        self._looked, self._next, self._last, self._moved = now, now + self._step, reading, False
        used = reading.used - self._before
        if used >= self._seconds:
            return no_answer_within(self._seconds)
        if self.asleep >= self._seconds:
            return f"no answer, asleep for {self._seconds:g} s (it used {used:.2g} s of processor time)"
        if now - self._began >= self._wall:
            return f"no answer within {self._wall:g} s (it used {used:.2g} s of processor time)"
        return ""

    def wait(self, heard: Callable[[float], bool]) -> str:
        """Wait for an answer. Args: heard, a function that waits for some seconds and returns whether it came.

        Returns: why there is none, "" where it came.
        """
        why = ""
        while not why and not heard(self.pause):
            why = self.over()
        return why


class Meter:
    """Measures, from now on, what this process uses of the machine and what others use of it."""

    def __init__(self) -> None:
        self._began, self._own, self._idle = monotonic(), time.process_time(), _idle()

    def seconds(self) -> float:
        """Return how long that is by the clock."""
        return monotonic() - self._began

    def own(self) -> float:
        """Return the processor time of this process."""
        return time.process_time() - self._own

    def others(self, more: float) -> float:
        """Return the share of all processors that others used. Args: more, seconds that were not others', nor own."""
        import psutil

        there = max(self.seconds(), 1e-9) * (psutil.cpu_count() or 1)
        return min(max(1 - (_idle() - self._idle + self.own() + more) / there, 0.0), 1.0)


def _idle() -> float:
    import psutil

    times = psutil.cpu_times()
    return float(times.idle + getattr(times, "iowait", 0.0))
