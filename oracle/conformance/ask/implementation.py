"""The implementation under test, which is asked what it can do, then one request at a time.

Whatever it does costs the request that it was asked, and no more: `ask` raises nothing, and a program that hung, died,
or printed what is no answer is ended and started again for the next request, so that nothing it printed late is ever
taken for another answer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from time import monotonic
from types import TracebackType
from typing import Protocol, Self

from ...reference import InvalidRequest
from ...wire.adapter import Adapter
from ...wire.protocol import Declaration, NotAnImplementation, answer_of, declaration_of, seq_of
from ...wire.serve import PROTOCOL, reply
from ...wire.strict_json import Object, encode, object_of
from ..model import DEFAULT_TIMEOUT, LEAST_START_TIMEOUT, Reply, Verdict
from .program import Fault, Program, quoted
from .surface import written

__all__ = ["Implementation", "NotAnImplementation", "ObjectImplementation", "ProcessImplementation"]

MOST_FAILED_STARTS = 3
"""Restarts in a row that may fail; after that a program is not started again."""

BUFFERING = (
    'no answer to "start" yet, and it sleeps: does it flush its output after each line? '
    "Python: python -u, or print(…, flush=True). C: setvbuf(stdout, NULL, _IOLBF, 0). Octave: fflush(stdout). "
    'R: flush(stdout()). Octave, MATLAB: read lines by input("", "s"), not by fgetl'
)
"""What is usually wrong with a program that sleeps and says nothing."""

_START: Object = {"op": "start", "protocol": PROTOCOL}
_STOP: Object = {"op": "stop"}


class Implementation(Protocol):
    """An implementation under test."""

    restarts: int
    """How often it was started again after a fault."""

    plainly: bool
    """Whether requests are written in one way only, as `strict_json.encode` does."""

    def start(self) -> Declaration:
        """Start it and ask what it can do. Raises: NotAnImplementation."""

    def ask(self, request: Object) -> Reply:
        """Put one request to it, each with another "seq". Returns: its answer, or what it did instead."""

    def processor_time(self) -> float | None:
        """Return the seconds that it has used so far; None where it works in this process."""

    def close(self) -> None:
        """End it."""


class ProcessImplementation:
    """A program on the wire, in a process of its own.

    Args: command, the program and its arguments, run in this process's directory; timeout, seconds of processor time
    for an answer, or asleep (`Allowance`); start_timeout, those for the answer to "start", as for any answer unless
    told, LEAST_START_TIMEOUT at least; notice, called with what may be wrong where the first start sleeps. To be used
    as a context: its end ends the program, with the processes that it started (at once where an exception ends the
    context).
    """

    def __init__(
        self,
        command: Sequence[str],
        timeout: float = DEFAULT_TIMEOUT,
        start_timeout: float | None = None,
        notice: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self.command = tuple(command)
        self.timeout = timeout
        self.start_timeout = max(timeout, LEAST_START_TIMEOUT) if start_timeout is None else start_timeout
        self.notice = notice
        self.restarts, self.plainly = 0, False
        self._program: Program | None = None
        self._failed_starts = 0
        self._goes_on = False
        self._why = ""
        self._waited_before, self._unwaited = _waited(), 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._kill()

    def start(self) -> Declaration:
        """Start the program and ask what it can do.

        Returns: its declaration. Raises: NotAnImplementation where it cannot be started, does not answer in time, or
        answers with something else than a declaration.
        """
        self.close()
        return self._begin(lambda: self.notice(BUFFERING))[1]

    def ask(self, request: Object) -> Reply:
        """Put one request to the program; it is started first where it is not running.

        Returns: its answer, with the seconds it took. CRASHED where it died, closed a pipe, printed what is no answer
        or more than one line, or does not start again; TIMED_OUT where there was no whole answer in its time.
        """
        began = monotonic()
        try:
            program = self._running()
            began = monotonic()
            line = program.ask(written(request, self.plainly), self.timeout)
            seconds = monotonic() - began
            try:
                return Reply(answer_of(line, seq_of(request)), seconds=seconds)
            except InvalidRequest as error:
                message = f"what it printed is not an answer: {error}: {quoted(line)}"
                raise program.fault(Verdict.CRASHED, message) from None
        except Fault as fault:
            self._kill()
            return Reply(None, fault.verdict, str(fault), monotonic() - began)
        except BaseException:
            self._kill()
            raise

    def close(self) -> None:
        """Tell the program to stop, and end what has not ended by itself within a moment."""
        if self._program is not None:
            self._program.stop(_line(_STOP))
            self._kill()

    def processor_time(self) -> float:
        """Return the seconds that the program has used so far, every run of it, with all that it started."""
        running = 0.0 if self._program is None else self._program.processor_time()
        return _waited() - self._waited_before + self._unwaited + running

    def _kill(self) -> None:
        if self._program is not None:
            self._program.kill()
            self._unwaited += self._program.unwaited
            self._goes_on = self._goes_on or self._program.goes_on
            self._program = None

    def _begin(self, on_silence: Callable[[], None] = lambda: None) -> tuple[Program, Declaration]:
        """Start the program, which must not be running. Returns: it, and its declaration. Raises: as `start`."""
        if not hasattr(os, "killpg"):
            raise NotAnImplementation("programs are tested on POSIX systems only")
        if not self.command:
            raise NotAnImplementation("there is no command")
        try:
            self._program = program = Program(self.command, self._goes_on)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else error
            first, how = self.command[0], ""
            if first.endswith(".py"):
                how = f"; start it by -- python {first}, or test a Python object in it with --python {first}:CLASS"
            raise NotAnImplementation(f"{first!r} cannot be started: {reason}{how}") from None
        try:
            line = program.ask(_line(_START), self.start_timeout, on_silence)
            try:
                return program, declaration_of(object_of(line, "it"))
            except InvalidRequest as error:
                raise NotAnImplementation(
                    f'its answer to "start" is not a valid declaration: {error}: {quoted(line)}'
                ) from None
        except Fault as fault:
            self._kill()
            raise NotAnImplementation(f'on "start": {fault}') from None
        except BaseException:
            self._kill()
            raise

    def _running(self) -> Program:
        """Return the program, started again if need be. Raises: Fault where it does not start."""
        if self._program is not None:
            return self._program
        if self._failed_starts >= MOST_FAILED_STARTS:
            raise Fault(Verdict.CRASHED, f"not restarted: {self._failed_starts} starts in a row failed: {self._why}")
        try:
            program, _ = self._begin()
        except NotAnImplementation as error:
            self._failed_starts, self._why = self._failed_starts + 1, str(error)
            raise Fault(Verdict.CRASHED, f"it does not start again: {error}") from None
        self._failed_starts = 0
        self.restarts += 1
        return program


class ObjectImplementation:
    """A Python object in this process, through the same JSON as on the wire. As `tploracle.adapter` reads it.

    Args: implementation, an object with methods named after operations, a class, or a module.
    Raises: NotAnImplementation where it does not say what it can do.

    What it prints goes to standard error. Nothing ends a method that hangs or takes the process with it: a
    `ProcessImplementation` of `adapter_command` does.
    """

    def __init__(self, implementation: object) -> None:
        self.restarts, self.plainly = 0, False
        self._adapter = Adapter(implementation)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> Declaration:
        """Return what the object can do. Raises: NotAnImplementation."""
        return declaration_of(object_of(self._answered(_line(_START)), "it"))

    def ask(self, request: Object) -> Reply:
        """Put one request to the object. Returns: its answer, or CRASHED where it ends the interpreter."""
        began = monotonic()
        try:
            answer = answer_of(self._answered(written(request, self.plainly)), seq_of(request))
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - an exit of the object's is no end of the run
            message = f"it raised {type(error).__name__}, which ends the interpreter"
            return Reply(None, Verdict.CRASHED, message, monotonic() - began)
        return Reply(answer, seconds=monotonic() - began)

    def processor_time(self) -> None:
        """Return None: it works in this process."""

    def close(self) -> None:
        """Do nothing: there is nothing to end."""

    def _answered(self, line: bytes) -> bytes:
        with redirect_stdout(sys.stderr):
            return reply(self._adapter, line) or b""


def _waited() -> float:
    """Return the processor time of the children that this process has waited for."""
    times = os.times()
    return times.children_user + times.children_system


def _line(message: Object) -> bytes:
    return encode(message).encode("ascii") + b"\n"
