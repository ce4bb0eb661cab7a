"""Progress where there is no terminal: a line now and then."""

import re
import sys
import threading
from itertools import count

import pytest

from tploracle.output import progress
from tploracle.output.progress import patience

from ...processes import PATIENT


class Listener:
    """A standard error that notes its lines, and when there are two."""

    def __init__(self):
        self.lines, self.enough = [], threading.Event()

    def isatty(self):
        return False

    def write(self, text):
        self.lines += filter(None, text.splitlines())
        if len(self.lines) >= 2:
            self.enough.set()

    def flush(self):
        pass


@pytest.fixture
def listen(monkeypatch):
    """Puts a listener in the place of standard error, at once: pytest puts its own there before each test."""

    def listen(listener, interval=0.01):
        monkeypatch.setattr(progress, "INTERVAL", interval)
        monkeypatch.setattr(sys, "stderr", listener)
        return listener

    return listen


def test_what_is_left_is_as_long_for_its_steps_as_what_is_done(listen, monkeypatch):
    listener = listen(Listener())
    seconds = count(0, 50)
    monkeypatch.setattr(progress, "monotonic", lambda: next(seconds))
    with patience("users") as advance:
        advance(2_000, 10_000)
        listener.lines.clear()
        listener.enough.clear()
        assert listener.enough.wait(PATIENT)
    told = [
        re.fullmatch(r"users: 2,000 of 10,000, (\d+) s so far, about (\d+) s left", line) for line in listener.lines[1:]
    ]
    assert all(int(line[2]) == 4 * int(line[1]) > 0 for line in told)


def test_what_does_not_know_how_far_it_is_says_how_long_it_has_taken(listen):
    listener = listen(Listener())
    with patience("loss"):
        assert listener.enough.wait(PATIENT)
    assert all(line.startswith("loss: ") and " of " not in line for line in listener.lines)


def test_what_is_quick_says_nothing(listen):
    listener = listen(Listener(), progress.INTERVAL)
    with patience("loss") as advance:
        advance(1, 2)
    assert listener.lines == []


def test_nobody_needs_to_listen(listen):
    class Gone(Listener):
        def write(self, text):
            super().write(text)
            raise BrokenPipeError

    gone = listen(Gone())
    with patience("loss"):
        assert gone.enough.wait(PATIENT)
