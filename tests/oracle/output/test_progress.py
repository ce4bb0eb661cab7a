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

    def listen(listener):
        monkeypatch.setattr(sys, "stderr", listener)
        return listener

    return listen


def test_what_lasts_says_how_far_it_is(listen, monkeypatch):
    listener = listen(Listener())
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    with patience("conformance") as advance:
        advance(1234, 5881)
        listener.lines.clear()
        listener.enough.clear()
        assert listener.enough.wait(PATIENT)
    assert all(line.startswith("conformance: 1,234 of 5,881, ") for line in listener.lines[1:])
    assert re.search(r", \d+ s so far, about \d+ s left$", listener.lines[-1])


def test_what_is_left_is_as_long_for_its_steps_as_what_is_done(listen, monkeypatch):
    listener = listen(Listener())
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    seconds = count(0, 50)
    monkeypatch.setattr(progress, "monotonic", lambda: next(seconds))
    with patience("users") as advance:
        advance(20, 100)
        listener.lines.clear()
        listener.enough.clear()
        assert listener.enough.wait(PATIENT)
    told = [re.fullmatch(r"users: 20 of 100, (\d+) s so far, about (\d+) s left", line) for line in listener.lines[1:]]
    assert all(int(line[2]) == 4 * int(line[1]) > 0 for line in told)


def test_what_does_not_know_how_far_it_is_says_how_long_it_has_taken(listen, monkeypatch):
    listener = listen(Listener())
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    with patience("loss"):
        assert listener.enough.wait(PATIENT)
    assert all(line.startswith("loss: ") and " of " not in line for line in listener.lines)


def test_what_is_quick_says_nothing(listen):
    listener = listen(Listener())
    with patience("loss") as advance:
        advance(1, 2)
    assert listener.lines == []


def test_nobody_needs_to_listen(listen, monkeypatch):
    class Gone(Listener):
        def write(self, text):
            super().write(text)
            raise BrokenPipeError

    gone = listen(Gone())
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    with patience("loss"):
        assert gone.enough.wait(PATIENT)
