"""A program at arm's length: one run of it, spoken to in lines, whatever it does.

Nothing is ever waited for without a limit, and nothing is kept without a bound. Limits are of processor time, and of
sleep (`Allowance`), so that none is reached because the machine is busy. The pipes do not block: while an answer is
awaited, the question is written as far as the program reads it, and both of its outputs are read. After a fault nothing
of that run is left: it is ended, with the processes that it started, and what it still had to say is dropped. POSIX
systems only.
"""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress

from ...contract.limits import LONGEST_INPUT
from ...system.children import ChildSession, wait_for_adopted
from ...system.launching import how_it_ended
from ...system.processor_time import Allowance
from ...wire.strict_json import printable
from ..model import Verdict

GRACE = 2.0
"""The allowance of a program for its end after it was told to stop."""

SILENCE = 3.0
"""Seconds asleep without an answer after which whoever waits may be told why."""

CLOSING = 1.0
"""The allowance of a program for its end after it closed one of its pipes; later, its end is not waited for."""

CLOSING_AGAIN = 0.1
"""The same for a program whose earlier run went on after that."""

_LINES_QUOTED, _CHARACTERS_QUOTED, _BYTES_QUOTED = 5, 500, 100
_KEPT_ERRORS = 1 << 13
_CHUNK = 1 << 16
_WATCH = 0.1
_PAUSE = 0.01
_MOST_LATE_READS = 64


class Fault(Exception):
    """What a program did instead of answering.

    Args: verdict, CRASHED, TIMED_OUT, or WRONG for an answer too long to be read; message, what happened.
    """

    def __init__(self, verdict: Verdict, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict


class Program:
    """One run of a program that is spoken to in lines.

    Args: command, the program and its arguments; it runs in this process's directory, as the leader of a session;
    went_on, whether an earlier run of it went on after it closed a pipe.
    Raises: OSError, ValueError where it cannot be started. Not for use by several threads.
    """

    def __init__(self, command: Sequence[str], went_on: bool = False) -> None:
        self._went_on = went_on
        self.goes_on = False
        """Whether it went on after it closed a pipe, as far as its end was waited for."""
        self.unwaited = 0.0
        """Once it has ended: the processor time of those of its processes for which nobody waited."""
        self._ended = False
        self._answered = bytearray()
        self._complaints = bytearray()
        self._ready = select.poll()
        self._session = ChildSession(command, stderr=subprocess.PIPE)
        self._process = self._session.process
        self._pipes = [pipe for pipe in (self._process.stdin, self._process.stdout, self._process.stderr) if pipe]
        self._input, self._output, self._errors = (pipe.fileno() for pipe in self._pipes)
        for descriptor in (self._input, self._output, self._errors):
            os.set_blocking(descriptor, False)
        for descriptor in (self._output, self._errors):
            self._ready.register(descriptor, select.POLLIN)

    def ask(self, line: bytes, timeout: float, on_silence: Callable[[], None] = lambda: None) -> bytes:
        """Write one line and wait for the one line that answers it.

        Args: timeout, the `Allowance` from now to the end of the answer; on_silence, called once after SILENCE seconds
        asleep.
        Returns: the answer's line, without its end. Raises: Fault, and then this run has ended.
        """
        wait_for_adopted()
        try:
            return self._ask(memoryview(line), timeout, on_silence)
        except Fault as fault:
            raise self.fault(fault.verdict, str(fault)) from None

    def fault(self, verdict: Verdict, message: str) -> Fault:
        """End this run, and return its fault with the last words of its standard error."""
        self.kill()
        words = last_words(bytes(self._complaints))
        return Fault(verdict, f"{message}; its standard error ends: {words}" if words else message)

    def stop(self, line: bytes) -> None:
        """Write a last line, give the program time to end by itself, and end what is left of it."""
        try:
            with suppress(OSError):
                os.write(self._input, line)
            self._pipes[0].close()
            self._code_within(GRACE)
        finally:
            self.kill()

    def processor_time(self) -> float:
        """Return the seconds that its processes have used so far."""
        return self._session.tree.look().used

    def kill(self) -> None:
        """End this run at once, with the processes that it started."""
        if self._ended:
            return
        self.unwaited = self._session.end()
        self._ended = True
        for _ in range(_MOST_LATE_READS):
            if not self._hear_errors():
                break
        for pipe in self._pipes:
            with suppress(OSError):
                pipe.close()

    def _ask(self, unsent: memoryview, timeout: float, on_silence: Callable[[], None]) -> bytes:
        allowance, told = Allowance(self._session.tree, timeout), False
        if self._hear_answer():
            raise Fault(Verdict.CRASHED, f"it printed before it was asked: {quoted(self._answered)}")
        unsent = self._write(unsent)
        if unsent:
            self._ready.register(self._input, select.POLLOUT)
        while (end := self._answered.find(b"\n")) < 0 and len(self._answered) <= LONGEST_INPUT:
            ready = [descriptor for descriptor, _ in self._ready.poll(1000 * min(allowance.pause, _WATCH))]
            if self._output in ready:
                self._hear_answer()
            if self._errors in ready:
                self._hear_errors()
            if self._input in ready:
                unsent = self._write(unsent)
                if not unsent:
                    self._ready.unregister(self._input)
            if not ready and self._process.poll() is not None and not self._hear_answer():
                raise Fault(Verdict.CRASHED, self._ending("it ended"))
            if late := allowance.over(bool(ready)):
                raise Fault(Verdict.TIMED_OUT, late)
            if allowance.asleep >= SILENCE and not told:
                told = True
                on_silence()
        if not 0 <= end <= LONGEST_INPUT:
            start = quoted(self._answered)
            raise Fault(Verdict.WRONG, f"too long: it printed a line of more than {LONGEST_INPUT} bytes: {start}")
        answer, rest = bytes(self._answered[:end]), bytes(self._answered[end + 1 :])
        if unsent:
            raise Fault(Verdict.CRASHED, f"it answered before the whole question was written: {quoted(answer)}")
        if rest:
            raise Fault(Verdict.CRASHED, f"it printed more than one line: {quoted(answer)} and {quoted(rest)}")
        self._answered.clear()
        return answer

    def _write(self, unsent: memoryview) -> memoryview:
        """Write as much as the program takes at once. Returns: the rest. Raises: Fault where it takes no more."""
        try:
            return unsent[os.write(self._input, unsent) :]
        except BlockingIOError:
            return unsent
        except OSError:
            self._forget(self._input)
            raise Fault(Verdict.CRASHED, self._ending("it closed its standard input")) from None

    def _hear_answer(self) -> bool:
        """Read what there is on its output. Returns: whether there was anything. Raises: Fault at the end of it."""
        heard = self._read(self._output)
        if heard == b"":
            raise Fault(Verdict.CRASHED, self._ending("it closed its standard output"))
        self._answered += heard or b""
        return bool(heard)

    def _hear_errors(self) -> bool:
        """Read what there is on its standard error, and keep the end. Returns: whether there was anything."""
        heard = self._read(self._errors)
        self._complaints += heard or b""
        del self._complaints[:-_KEPT_ERRORS]
        return bool(heard)

    def _read(self, descriptor: int) -> bytes | None:
        """Read what there is. Returns: None where there is nothing now, and nothing at the end."""
        try:
            heard = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return None
        if not heard:
            self._forget(descriptor)
        return heard

    def _forget(self, descriptor: int) -> None:
        """Wait for this pipe no more."""
        with suppress(KeyError):
            self._ready.unregister(descriptor)

    def _ending(self, otherwise: str) -> str:
        """Return how it ended, or the other words where it goes on without that pipe."""
        code = self._code_within(CLOSING_AGAIN if self._went_on else CLOSING)
        self.goes_on = code is None
        return otherwise if code is None else f"it {how_it_ended(code)}"

    def _code_within(self, seconds: float) -> int | None:
        """Wait for its end as long as the allowance is, and read what it still writes.

        Returns: its return code, or None where it goes on.
        """
        allowance = Allowance(self._session.tree, seconds)
        while (code := self._process.poll()) is None and not allowance.over():
            for descriptor, _ in self._ready.poll(1000 * _PAUSE):
                if descriptor == self._errors:
                    self._hear_errors()
                else:
                    self._read(descriptor)
        return code


def quoted(text: bytes | bytearray) -> str:
    """Return the beginning of what was printed, in quotes, on one line."""
    start = bytes(text[:_BYTES_QUOTED]).decode("utf-8", "backslashreplace")
    return repr(start) + ("..." if len(text) > _BYTES_QUOTED else "")


def last_words(errors: bytes) -> str:
    """Return the last lines of a standard error, a few and short, on one line."""
    lines = [line.strip() for line in errors.decode("utf-8", "backslashreplace").splitlines()]
    words = " / ".join([line for line in lines if line][-_LINES_QUOTED:])
    shown = printable(words)
    return shown if len(shown) <= _CHARACTERS_QUOTED else "..." + shown[3 - _CHARACTERS_QUOTED :]
