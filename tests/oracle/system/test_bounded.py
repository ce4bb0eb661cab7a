"""A process that works on messages: what crashes, hangs or grows there is an exception here, and no more."""

import os
import signal
import sys
from multiprocessing import current_process, get_context

import pytest

from tploracle.system.bounded import BoundedProcess, Gone, Late

from ...processes import PATIENT, has_ended

MEMORY = 1 << 28


def deeds():
    """Return what does as it is told."""

    def do(message):
        match message:
            case b"crash":
                os.kill(os.getpid(), signal.SIGSEGV)
            case b"exit":
                os._exit(0)
            case b"hang":
                while True:
                    pass
            case b"grow":
                return bytes(bytearray(2 * MEMORY))
            case b"large":
                return bytes(1000)
            case b"stop":
                return None
        return message + b"!"

    return do


def broken():
    """Fail to begin."""
    os._exit(1)


def asking(answers):
    """Have a process of one's own, and wait."""
    own = BoundedProcess(deeds, MEMORY)
    answers.send((own.ask(b"a", PATIENT), own.process.pid, current_process().daemon))
    answers.recv()


def test_a_daemonic_process_may_have_one_which_ends_with_it():
    spawn = get_context("spawn")
    ours, its = spawn.Pipe()
    worker = spawn.Process(target=asking, args=(its,), daemon=True)
    worker.start()
    its.close()
    answer, pid, is_daemon = ours.recv()
    assert (answer, is_daemon) == (b"a!", True)
    assert not has_ended(pid, 0.05)
    worker.kill()
    worker.join()
    assert has_ended(pid)


@pytest.fixture
def process():
    process = BoundedProcess(deeds, MEMORY)
    yield process
    if not process.is_ended:
        process.end()


def test_messages_are_answered_one_after_another(process):
    assert [process.ask(message, PATIENT) for message in (b"a", b"b", b"stop")] == [b"a!", b"b!", b""]


@pytest.mark.parametrize("message", [b"crash", b"exit", b"large", *[b"grow"] * (sys.platform == "linux")])
def test_what_ends_it_is_an_exception(process, message):
    pid = process.process.pid
    with pytest.raises(Gone):
        process.ask(message, PATIENT, 100)
    assert process.is_ended
    assert has_ended(pid, PATIENT)


def test_what_does_not_end_is_ended(process):
    pid = process.process.pid
    with pytest.raises(Late, match=r"no answer within 0\.2 s of processor time"):
        process.ask(b"hang", 0.2)
    assert process.is_ended
    assert has_ended(pid, PATIENT)


def test_one_that_does_not_begin_is_gone():
    with pytest.raises(Gone):
        BoundedProcess(broken, MEMORY).ask(b"a", PATIENT)
