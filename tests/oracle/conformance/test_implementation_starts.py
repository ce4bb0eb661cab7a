"""What does not start, what does not start again, and what is left when it ends."""

import json
import os
import signal
import sys
import threading

import pytest

from tploracle.conformance.ask import implementation, program
from tploracle.conformance.ask.implementation import NotAnImplementation, ProcessImplementation
from tploracle.conformance.model import Verdict
from tploracle.reference import OracleError
from tploracle.wire.protocol import Declaration

from ...processes import IMPATIENT, PATIENT, has_ended
from .implementations import FAKE, PROGRAM, ask, is_fine, misbehaving, patient


@pytest.fixture
def interruptible():
    """Let an interrupt interrupt: what a shell has put into its background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("op", ["start", "loss"])
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_leaves_no_process(op, pids, monkeypatch):
    waiting = threading.Event()

    class Watched(implementation.Program):
        def ask(self, *arguments):
            waiting.set()
            return super().ask(*arguments)

    def interrupt():
        waiting.wait()
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(implementation, "Program", Watched)
    fake = misbehaving("start_hangs" if op == "start" else "hangs")
    if op != "start":
        fake.start()
        waiting.clear()
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            fake.start() if op == "start" else ask(fake, 1)
    finally:
        thread.join()
    assert has_ended(pids[0])
    with pytest.raises(ChildProcessError):
        os.waitpid(pids[0], 0)  # it has been reaped
    assert fake._program is None


def test_close_is_done_once(pids):
    fake = misbehaving("hangs")
    fake.start()
    fake.close()
    fake.close()
    assert has_ended(pids[0])


def declared(**changes):
    whole = {"name": "n", "version": "1", "operations": ["loss"], "numbers": ["rational"], **changes}
    return json.dumps({key: value for key, value in whole.items() if value is not None})


DECLARATION = 'its answer to "start" is not a valid declaration: '


@pytest.mark.parametrize(
    ("mode", "more", "message"),
    [
        ("start_hangs", (), 'on "start": no answer, asleep for 0.6 s (it used '),
        ("start_exits", (), 'on "start": it ended with exit status 3; its standard error ends: no licence'),
        ("start_prints_rubbish", (), DECLARATION + "not JSON: Expecting value at line 1, column 1: 'Welcome!'"),
        ("start_answers_twice", (), 'on "start": it printed more than one line: '),
        ("start_answers_the_first_request", (), 'on "start": it printed more than one line: '),
        ("start_is_refused", (), DECLARATION + "InvalidRequest: protocol 1?"),
        ("start_is_an_array", (), DECLARATION + "it is a JSON array, not an object"),
        ("start_is_other", (declared(name=None),), DECLARATION + "it lacks the key 'name'"),
        ("start_is_other", (declared(version=None),), DECLARATION + "it lacks the key 'version'"),
        ("start_is_other", (declared(operations=None),), DECLARATION + "it lacks the key 'operations'"),
        ("start_is_other", (declared(numbers=None),), DECLARATION + "it lacks the key 'numbers'"),
        ("start_is_other", (declared(name=1),), DECLARATION + "name is a JSON number, not a string"),
        ("start_is_other", (declared(name="n" * 201),), DECLARATION + "name has more than 200 characters"),
        ("start_is_other", (declared(version=1),), DECLARATION + "version is a JSON number, not a string"),
        ("start_is_other", (declared(operations="loss"),), DECLARATION + "operations is a JSON string, not an array"),
        ("start_is_other", (declared(operations=["loss", "loss"]),), DECLARATION + "operations has 'loss' twice"),
        ("start_is_other", (declared(operations=list(map(str, range(1001)))),), DECLARATION + "too large: 1001 operat"),
        ("start_is_other", (declared(numbers=["rational"] * 2),), DECLARATION + "numbers has 'rational' twice"),
    ],
)
def test_what_does_not_start_is_no_implementation(mode, more, message, pids):
    patience = IMPATIENT if mode == "start_hangs" else PATIENT
    with misbehaving(mode, *more, start_timeout=patience) as fake, pytest.raises(NotAnImplementation) as caught:
        fake.start()
    assert str(caught.value).startswith(message)
    assert isinstance(caught.value, OracleError)
    assert caught.value.name == "NotAnImplementation"
    assert has_ended(pids[0])


@pytest.mark.parametrize(("timeout", "patience"), [(0.1, 5.0), (5.0, 5.0), (60.0, 60.0)])
def test_a_start_may_take_as_long_as_an_answer_and_some_seconds_at_least(timeout, patience):
    assert ProcessImplementation(["x"], timeout).start_timeout == patience
    assert ProcessImplementation(["x"], timeout, 0.3).start_timeout == 0.3


@pytest.fixture
def sleepless(monkeypatch):
    """A hint as soon as any sleep is seen."""
    monkeypatch.setattr(program, "SILENCE", 1e-9)


@pytest.mark.usefixtures("sleepless")
def test_a_start_that_sleeps_is_explained_once(pids):
    said = []
    with misbehaving("start_hangs", start_timeout=IMPATIENT, notice=said.append) as fake:
        with pytest.raises(NotAnImplementation):
            fake.start()
        [line] = said
        assert "flush" in line
        assert "python -u" in line
        with pytest.raises(NotAnImplementation):
            fake.start()
        assert said == [line] * 2


@pytest.mark.usefixtures("sleepless")
def test_a_start_that_computes_is_not_explained(pids):
    said = []
    late = pytest.raises(NotAnImplementation, match=r"no answer within 0\.6 s of processor time")
    with misbehaving("start_burns", start_timeout=IMPATIENT, notice=said.append) as fake, late:
        fake.start()
    assert said == []


def test_a_start_that_answers_is_not_explained(pids):
    said = []
    with misbehaving("hangs", notice=said.append) as fake:
        fake.start()
    assert said == []


def test_a_declaration_is_kept_as_it_is():
    both = declared(operations=["supremum", "conjure"], numbers=["rational", "float64"], more=[0.5])
    with misbehaving("start_is_other", both) as fake:
        assert fake.start() == Declaration("n", "1", ("supremum", "conjure"), ("rational", "float64"))


HOW = "start it by -- python no/mine.py, or test a Python object in it with --python no/mine.py:CLASS"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ([], "there is no command"),
        (["no-such-program"], "'no-such-program' cannot be started: No such file or directory"),
        (
            ["no/mine.py"],
            f"'no/mine.py' cannot be started: No such file or directory; {HOW}",
        ),
        ([str(PROGRAM.parent)], f"'{PROGRAM.parent}' cannot be started: Permission denied"),
        (["nul\0"], "'nul\\x00' cannot be started: embedded null byte"),
    ],
)
def test_what_cannot_be_run_is_no_implementation(monkeypatch, command, message):
    monkeypatch.setenv("PATH", os.defpath)  # a folder on it that this user may not read would be told of
    with ProcessImplementation(command) as nothing, pytest.raises(NotAnImplementation) as caught:
        nothing.start()
    assert str(caught.value) == message


def test_only_posix_has_the_means(monkeypatch):
    monkeypatch.delattr(os, "killpg")
    with pytest.raises(NotAnImplementation, match="POSIX"):
        misbehaving("hangs").start()


def test_a_program_that_does_not_start_again(pids, tmp_path):
    with misbehaving("restart_fails", tmp_path / "note") as fake:
        assert fake.start() == FAKE
        assert ask(fake, 1).message == "it ended with exit status 7"
        why = 'on "start": it ended with exit status 4; its standard error ends: once is enough'
        for seq in (2, 3, 4):
            assert ask(fake, seq).message == f"it does not start again: {why}"
        for seq in (5, 6):
            reply = ask(fake, seq)
            assert (reply.answer, reply.fault) == (None, Verdict.CRASHED)
            assert reply.message == f"not restarted: 3 starts in a row failed: {why}"
        assert len(pids) == 4
        assert fake.restarts == 0
    assert all(map(has_ended, pids))


def test_a_program_that_starts_again_at_the_third_time(pids, tmp_path):
    with misbehaving("restart_fails_at_times", tmp_path / "note") as fake:
        fake.start()
        for seq in (1, 4):
            assert ask(fake, seq).message == "it ended with exit status 7"
            for more in (1, 2):
                assert ask(fake, seq + more).message.startswith("it does not start again: ")
            assert is_fine(ask(fake, seq + 3, "fine"), seq + 3)
        assert (len(pids), fake.restarts) == (7, 2)


def test_a_program_leads_a_session_of_its_own(pids):
    with misbehaving("hangs") as fake:
        fake.start()
        assert os.getsid(pids[0]) == pids[0]


def test_relative_commands_are_of_this_directory(monkeypatch):
    monkeypatch.chdir(PROGRAM.parent)
    with patient([sys.executable, "misbehaving.py", "hangs"]) as fake:
        assert fake.start() == FAKE
