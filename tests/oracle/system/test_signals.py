"""Signals raised as exceptions, and held back."""

import ctypes
import gc
import signal
import sys
import threading
import time
import weakref

import pytest

from tploracle.system.signals import (
    ENDING,
    OutOfTime,
    Terminated,
    ended_at_once,
    held,
    limited,
    raised,
    status_of,
    unlimited,
)


@pytest.fixture(autouse=True)
def usual():
    """Handlers as a program started by hand has them, and afterwards those of this process."""
    former = {number: signal.getsignal(number) for number in ENDING}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    yield
    for number, handler in former.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_each_is_an_interruption_with_a_status_of_its_own(number, status):
    with raised(), pytest.raises(KeyboardInterrupt) as caught:
        signal.raise_signal(number)
    assert status_of(caught.value) == status
    assert isinstance(caught.value, Terminated) == (number != signal.SIGINT)


def test_handlers_are_restored():
    former = [signal.getsignal(number) for number in ENDING]
    with raised():
        ended_at_once()
        assert all(signal.getsignal(number) is signal.SIG_DFL for number in ENDING)
    assert [signal.getsignal(number) for number in ENDING] == former


def test_what_is_ignored_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with raised():
        signal.raise_signal(signal.SIGHUP)
        ended_at_once()
        signal.raise_signal(signal.SIGHUP)


def holding(done, *numbers):
    """Hold signals back while each is raised and noted."""
    with held():
        for number in numbers:
            signal.raise_signal(number)
            done.append(number)


def test_one_is_held_back_until_the_body_is_done():
    done = []
    with raised(), pytest.raises(Terminated):
        holding(done, signal.SIGTERM)
    assert done == [signal.SIGTERM]


def test_one_is_held_back_by_whoever_holds_longest():
    def longest():
        with held():
            holding(done, signal.SIGINT)
            done.append("longest")

    done = []
    with pytest.raises(KeyboardInterrupt):
        longest()
    assert done == [signal.SIGINT, "longest"]


def test_a_second_is_not_held_back():
    done = []
    with raised(), pytest.raises(KeyboardInterrupt):
        holding(done, signal.SIGTERM, signal.SIGINT)
    assert done == [signal.SIGTERM]


def test_one_is_raised_although_the_body_fails():
    def failing():
        with held():
            signal.raise_signal(signal.SIGINT)
            raise ValueError

    with pytest.raises(KeyboardInterrupt) as caught:
        failing()
    assert isinstance(caught.value.__context__, ValueError)


def test_other_threads_leave_the_handlers_alone():
    seen = []

    def hold():
        with raised(), held():
            ended_at_once()
            seen.append([signal.getsignal(number) for number in ENDING])

    former = [signal.getsignal(number) for number in ENDING]
    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()
    assert seen == [former]


def compute_for_ever(first=lambda: None):
    first()
    while True:
        pass


def test_a_process_that_has_computed_as_long_as_it_may_is_interrupted():
    former = signal.getsignal(signal.SIGPROF)
    with pytest.raises(OutOfTime) as caught, limited(0.01):
        compute_for_ever()
    assert caught.value.seconds == 0.01
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    assert signal.getsignal(signal.SIGPROF) == former


def test_a_limit_within_another_is_one_of_its_own():
    left = []

    def compute_again():
        with pytest.raises(OutOfTime), limited(0.1):  # by far more than the steps of a clock, which round what is left
            compute_for_ever()
        left.append(signal.getitimer(signal.ITIMER_PROF)[0])

    with pytest.raises(OutOfTime) as caught, limited(0.2):
        compute_for_ever(compute_again)
    assert 0 < left[0] < 0.2
    assert caught.value.seconds == 0.2
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def compute(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


class Finalized:
    def __del__(self):
        compute(0.05)


def a_finalizer():
    Finalized()  # it goes at once


def the_collector():
    gc.callbacks.append(own := lambda *_: compute(0.05))
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(own)


def a_weak_reference():
    referred = type("Referred", (), {})()
    reference = weakref.ref(referred, lambda _: compute(0.05))
    del referred
    assert reference() is None


def c():
    ctypes.CFUNCTYPE(None)(lambda: compute(0.05))()


@pytest.mark.parametrize("called_by", [a_finalizer, the_collector, a_weak_reference, c])
def test_a_limit_that_is_reached_where_python_ignores_what_is_raised_is_not_lost(called_by):
    hook = sys.unraisablehook
    with pytest.raises(OutOfTime), limited(0.01):
        compute_for_ever(called_by)
    assert sys.unraisablehook == hook


def test_what_else_is_ignored_is_told_while_there_is_a_limit(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda ignored: told.append(ignored.exc_type))
    with limited(1e6):
        ctypes.CFUNCTYPE(None)(lambda: 1 / 0)()
    assert told == [ZeroDivisionError]


@pytest.mark.parametrize("seconds", [1e-12, 1e9])
def test_every_limit_is_one(seconds):
    try:
        with limited(seconds):
            assert signal.getitimer(signal.ITIMER_PROF)[0] > 0
    except OutOfTime:
        assert seconds < 1


def test_a_limit_can_be_ended_in_the_body():
    with limited(1e6):
        unlimited()
        assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def test_beside_the_main_thread_there_is_no_limit():
    found = []

    def look():
        with limited(1.0):
            found.append(signal.getitimer(signal.ITIMER_PROF))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [(0, 0)]
