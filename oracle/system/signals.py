"""What ends a process before it is done: signals, and a limit of time; raised as exceptions.

Signals are held back while something has to be finished.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from time import process_time
from types import FrameType
from typing import Any

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that ask a process to end."""

TIMER = (signal.SIGPROF,) if hasattr(signal, "SIGPROF") else ()
"""The signal by which a limit of time is noticed."""

_SOON = 0.001
"""Seconds of processor time until a limit is raised again, where Python ignored it: in a finalizer, or what the
collector, a weak reference or C calls."""

_Handler = Callable[[int, FrameType | None], object]


class Terminated(KeyboardInterrupt):
    """A signal other than SIGINT has asked this process to end. Args: number, of the signal."""

    def __init__(self, number: int = signal.SIGTERM) -> None:
        super().__init__(f"asked to end by {signal.Signals(number).name}")
        self.number = number


class OutOfTime(KeyboardInterrupt):
    """This process has computed for as long as it may. Args: seconds, how long that is."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"computed for {seconds:g} seconds")
        self.seconds = seconds


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` in the body after `seconds` of processor time, until `unlimited` is called.

    What a process waits for does not count. Within another limit this one holds, and the other one after it. Python
    lets the main thread alone set this, on POSIX: elsewhere there is no limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_number: int, _frame: FrameType | None) -> None:
        raise OutOfTime(seconds)

    outer, began = signal.getitimer(signal.ITIMER_PROF)[0], process_time()
    former, hook = signal.signal(signal.SIGPROF, end), sys.unraisablehook

    def again(ignored: sys.UnraisableHookArgs) -> None:
        if issubclass(ignored.exc_type, OutOfTime):
            signal.setitimer(signal.ITIMER_PROF, _SOON)
        else:
            hook(ignored)

    sys.unraisablehook = again
    try:
        signal.setitimer(signal.ITIMER_PROF, max(seconds, 1e-6))  # 0 would be no limit
        yield
    finally:
        unlimited()
        signal.signal(signal.SIGPROF, former)
        sys.unraisablehook = hook
        if outer:
            signal.setitimer(signal.ITIMER_PROF, max(outer - (process_time() - began), _SOON))


@contextmanager
def one_of(number: int) -> Iterator[None]:
    """Leave the others of so many bodies their part of the time that is left of `limited`, if it is limited."""
    left = signal.getitimer(signal.ITIMER_PROF)[0] if hasattr(signal, "setitimer") else 0
    with limited(left / number) if left and number > 1 else nullcontext():
        yield


def unlimited() -> None:
    """End the limit of `limited`, if there is one: what is about to be done is done to its end."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, 0)


def status_of(interruption: KeyboardInterrupt) -> int:
    """Return the exit status of a process that a signal has ended: 128 and its number, as shells say it."""
    return 128 + (interruption.number if isinstance(interruption, Terminated) else signal.SIGINT)


@contextmanager
def raised() -> Iterator[None]:
    """Raise `Terminated` where another signal than SIGINT, for which Python has KeyboardInterrupt, would just end it.

    A signal that this process was started to ignore (as by nohup) is still ignored. Handlers are as before afterwards.
    """
    with _handlers(lambda _former: _raise, lambda former: former == signal.SIG_DFL):
        yield


def _raise(number: int, _frame: FrameType | None) -> None:
    raise Terminated(number)


def ended_at_once() -> None:
    """Let any further signal end this process at once: nothing is left to be done but its last words."""
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)


@contextmanager
def held(timer: bool = False) -> Iterator[Callable[[], bool]]:
    """Hold back what a signal raises until the body is done; a second signal is not held back.

    Args: timer, whether that of `limited` is held back, too. Yields: what tells whether there has been a signal.
    """
    noted: list[tuple[_Handler, int]] = []

    def holding(former: _Handler) -> _Handler:
        def note(number: int, frame: FrameType | None) -> None:
            if noted:
                former(number, frame)
            noted.append((former, number))

        return note

    try:
        with _handlers(holding, callable, (*ENDING, *TIMER) if timer else ENDING):
            yield lambda: bool(noted)
    finally:
        for former, number in noted[:1]:
            former(number, None)


@contextmanager
def _handlers(
    make: Callable[[_Handler], _Handler],
    concerns: Callable[[object], bool],
    numbers: Sequence[signal.Signals] = ENDING,
) -> Iterator[None]:
    """Replace the handlers that are concerned. Python lets the main thread alone do this: in others nothing is done."""
    former = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in numbers:
                handler: Any = signal.getsignal(number)
                if handler is not None:
                    former[number] = handler
                if concerns(handler):
                    signal.signal(number, make(handler))
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
