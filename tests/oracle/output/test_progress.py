"""Progress where there is no terminal: a line now and then."""

import sys
import threading
from functools import partial
from time import sleep

import pytest

from tploracle.output import progress
from tploracle.output.progress import Pace, patience

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


@pytest.fixture
def at(monkeypatch):
    """Sets the time."""
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return partial(now.__setitem__, 0)


def test_what_is_left_is_as_long_for_its_steps_as_what_is_done(listen, at):
    listener = listen(Listener())
    with patience("users") as advance:
        at(50)
        advance(2_000, 10_000)
        listener.lines.clear()
        listener.enough.clear()
        assert listener.enough.wait(PATIENT)
    assert listener.lines[1] == "users: 2,000 of 10,000, 50 s so far, about 200 s left"


def test_a_step_that_takes_longer_than_all_was_to_take_promises_nothing(at):
    pace = Pace("conformance")
    at(60)
    pace.advance(2_149, 2_150)
    at(150)
    assert pace.told() == "2,149 of 2,150, 150 s so far, 90 s of them since the last step"


def test_a_part_has_a_pace_of_its_own(at):
    """A question of the second part takes ten times as long."""
    pace = Pace("conformance")
    pace.advance(0, 100, part="seeded")
    at(100)
    pace.advance(0, 50, part="sizes")
    at(110)
    assert (pace.name, pace.told()) == ("conformance, sizes", "0 of 50, 110 s so far")
    at(200)
    pace.advance(10, 50, part="sizes")
    assert pace.told() == "10 of 50, 200 s so far, about 400 s left of this part"


def test_a_terminal_shows_the_same(monkeypatch, capsys, at):
    """As soon as there is something to show: at once here."""
    monkeypatch.setattr(progress, "DELAY", 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    with patience("users") as advance:
        advance(0, 10_000, part="first")
        at(50)
        advance(2_000, 10_000, part="first")
        sleep(0.5)
    assert "users, first: 2,000 of 10,000, 50 s so far, about 200 s left of this part" in capsys.readouterr().err


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
