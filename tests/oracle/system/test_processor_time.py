"""Processor time of a program with all that it starts, and what is allowed by it, whatever the clock says."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from tploracle.system import processor_time
from tploracle.system.children import ChildSession, adopting, wait_for_adopted
from tploracle.system.processor_time import Allowance, Meter, Usage

from ...processes import PATIENT, has_ended

TICK = 1 / os.sysconf("SC_CLK_TCK")


class Machine:
    """A clock that each look moves on by `step`, and a program on it that behaves as told: (seconds used, asleep)."""

    def __init__(self, monkeypatch, readings, step=None, used=1000.0):
        self.now, self.step, self.used, self.looks = 5000.0, step, used, 0
        self.readings = iter(readings)
        monkeypatch.setattr(processor_time, "monotonic", lambda: self.now)

    def look(self):
        self.looks += 1
        used, asleep = next(self.readings)
        self.used += used
        return Usage(self.used, asleep)

    def verdict(self, seconds, looks=10**6, moved=False):
        """Return why it is over, or "" after `looks` looks."""
        allowance = Allowance(self, seconds)
        self.began = self.now
        for _ in range(looks):
            self.now += allowance.pause if self.step is None else self.step
            if why := allowance.over(moved):
                return why
        return ""


def repeat(used, asleep, first=(0.0, False)):
    yield first
    while True:
        yield used, asleep


SPELLS = [*[(0.0, True)] * 3, (0.1, False)] * 10
"""Of four looks, half a second apart, three find it asleep: a second of sleep."""


@pytest.mark.parametrize(
    ("readings", "given", "why", "most"),
    [
        (repeat(0.5, False), {}, "no answer within 10 s of processor time", 20),
        # What was used before the question is not counted.
        (repeat(0.0, False, first=(90.0, False)), {"looks": 5}, None, 3),
        # What gets hardly any processor is ended by the wall limit alone, which is half a minute at least.
        (repeat(0.0, False), {}, "no answer within 100 s (it used 0 s of processor time)", 100.6),
        (repeat(0.025, False), {}, "no answer within 100 s (it used 5 s of processor time)", 100.6),
        (repeat(0.0, False), {"seconds": 0.5}, "no answer within 30 s", 30.6),
        # What sleeps is ended when it has slept as long; sleep adds up between spells of work.
        (repeat(0.0, True), {}, "no answer, asleep for 10 s (it used 0", 12),
        (repeat(0.01, True), {}, "no answer, asleep for 10 s (it used 0", 12),
        (SPELLS, {"looks": 38}, None, 20),
        (SPELLS, {"looks": 39}, "no answer, asleep for 10 s (it used 0.9 s", 20),
        # What worked between two looks was not asleep, and neither is what is heard of.
        (repeat(0.1, True), {}, "no answer within 10 s of processor time", 51),
        (repeat(0.45, True), {}, "no answer within 10 s of processor time", 13),
        (repeat(0.0, True), {"moved": True}, "no answer within 100 s", 101),
        # Where the machine stood still for 9 seconds before each look, two steps of half a second count.
        (repeat(0.0, True), {"step": 9.0, "looks": 11}, None, 99),
        (repeat(0.0, True), {"step": 9.0, "looks": 12}, "no answer, asleep for 10 s", 108),
    ],
)
def test_why_and_when_it_is_over(monkeypatch, readings, given, why, most):
    given = dict(given)
    machine = Machine(monkeypatch, readings, given.pop("step", None))
    found = machine.verdict(given.pop("seconds", 10.0), **given)
    assert found.startswith(why) if why else not found
    assert machine.now - machine.began <= most


def test_nothing_is_looked_at_while_answers_come_quickly(monkeypatch):
    machine = Machine(monkeypatch, [], step=0.0)
    for _ in range(100):
        machine.now += 0.09
        assert Allowance(machine, 10.0).over() == ""
    assert machine.looks == 0


def test_waiting_ends_with_the_answer_or_says_why_there_is_none(monkeypatch):
    machine = Machine(monkeypatch, repeat(0.5, False))
    pauses = []

    def heard(pause):
        pauses.append(pause)
        machine.now += pause
        return len(pauses) == 3

    assert Allowance(machine, 10.0).wait(heard) == ""
    assert pauses == pytest.approx([0.1, 0.5, 0.5])

    def unheard(pause):
        machine.now += pause
        return False

    assert Allowance(machine, 10.0).wait(unheard) == "no answer within 10 s of processor time"


HELPERS = """
import os, sys, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
def fork(work):
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    return child
def say(*words):
    os.write(1, b"%s\\n" % " ".join(map(str, words)).encode())  # at once, whoever else writes there
def wait():
    sys.stdin.readline()
def total():
    return sum(os.times()[:4])
"""


@pytest.fixture
def program():
    """Start a program of Python with these helpers, as a session."""
    sessions = []

    def start(code):
        session = ChildSession([sys.executable, "-c", HELPERS + code], stderr=subprocess.DEVNULL)
        sessions.append(session)
        return session

    yield start
    for session in sessions:
        session.end()
        for pipe in (session.process.stdin, session.process.stdout):
            pipe.close()


def heard(session):
    return session.process.stdout.readline().split()


def go(session):
    session.process.stdin.write(b"\n")
    session.process.stdin.flush()


def test_the_time_of_children_counts_once(program):
    """Of those that have ended, in the process that waited for them; what the program itself says later is more."""
    session = program("os.waitpid(fork(lambda: burn(0.3)), 0); burn(0.2); say(); wait(); say(total()); wait()")
    heard(session)
    used = session.tree.look().used
    go(session)
    assert 0.5 - 2 * TICK <= used <= float(heard(session)[0]) + TICK
    assert used <= session.tree.look().used


def test_the_time_of_a_child_that_nobody_waited_for_counts_from_when_it_was_seen(program):
    session = program(
        "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "child = fork(lambda: (burn(0.3), say(os.getpid()), wait()))\ntime.sleep(600)"
    )
    child = int(heard(session)[0])
    seen = session.tree.look().used
    go(session)
    assert has_ended(child)
    assert session.tree.look().used >= seen >= 0.3 - TICK


@pytest.mark.parametrize("child", ["say(os.getpid()), burn(1e9)", "os.setsid(), say(os.getpid()), burn(1e9)"])
def test_a_child_at_work_keeps_it_awake(program, child):
    session = program(f"os.waitpid(fork(lambda: ({child})), 0)")
    heard(session)
    first = session.tree.look()
    while session.tree.look().used < first.used + 0.1:
        assert not session.tree.look().asleep
    assert not first.asleep


@pytest.mark.skipif(sys.platform != "linux", reason="of threads the system says nothing")
def test_a_thread_at_work_keeps_it_awake(program):
    session = program("import threading; threading.Thread(target=lambda: (say(), burn(1e9))).start(); time.sleep(600)")
    heard(session)
    asleep = [session.tree.look().asleep for _ in range(20)]
    assert not all(asleep)  # the interpreter lock changes hands at times


def test_what_waits_is_asleep(program):
    session = program("os.waitpid(fork(lambda: (say(), time.sleep(600))), 0)")
    heard(session)
    until = time.monotonic() + PATIENT
    while not session.tree.look().asleep:
        assert time.monotonic() < until


DAEMON = "os.waitpid(fork(lambda: (os.setsid(), fork(lambda: (say(os.getpid()), time.sleep(600))))), 0)"


@pytest.mark.parametrize(
    "code",
    [
        "fork(lambda: (say(os.getpid()), time.sleep(600))); time.sleep(600)",
        "fork(lambda: (os.setsid(), say(os.getpid()), time.sleep(600))); time.sleep(600)",
        f"{DAEMON}; time.sleep(600)",
        DAEMON,
    ],
)
def test_whatever_it_started_is_ended_with_it_wherever_it_went(program, code):
    session = program(code)
    child = int(heard(session)[0])
    os.kill(child, 0)
    session.end()
    assert has_ended(child)
    assert has_ended(session.process.pid)


FORGOTTEN = """
def forget():
    os.setsid()
    fork(lambda: (say(os.getpid()), os.read(0, 1), os.execve("/bin/sleep", ["sleep", "{seconds}"], {{}})))
for number in range({count}):
    os.waitpid(fork(forget), 0)
"""
"""Leaves `count` processes behind, outside the program's session, parents and environment."""


@pytest.mark.skipif(sys.platform != "linux", reason="no other system has orphans come to whoever wants them")
@pytest.mark.parametrize("more", ["", "time.sleep(600)"])
def test_what_leaves_session_parent_and_environment_is_ended_as_well(program, more):
    other = subprocess.Popen(["/bin/sleep", "600"], start_new_session=True)
    with adopting():
        session = program(f"{FORGOTTEN.format(count=2, seconds=600)}\n{more}")
        children = [int(heard(session)[0]) for _ in range(2)]
        for _ in children:
            go(session)
        until = time.monotonic() + PATIENT
        while any(psutil.Process(child).name() != "sleep" for child in children):
            assert time.monotonic() < until
            time.sleep(0.01)
        session.end()
        assert all(psutil.Process(child).ppid() == os.getpid() for child in children)
    assert all(map(has_ended, children))
    assert not any(map(psutil.pid_exists, children))
    assert other.poll() is None
    other.kill()
    other.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="no other system has orphans come to whoever wants them")
def test_what_was_left_behind_and_has_ended_is_waited_for(program):
    with adopting():
        session = program(FORGOTTEN.format(count=3, seconds=0) + "time.sleep(600)")
        children = [int(heard(session)[0]) for _ in range(3)]
        for _ in children:
            go(session)
        until = time.monotonic() + PATIENT
        while any(map(psutil.pid_exists, children)):
            wait_for_adopted()
            assert time.monotonic() < until
        assert session.process.poll() is None
    assert session.process.poll() is None
    wait_for_adopted()
    session.end()
    assert session.process.returncode == -9


def test_the_time_of_those_ended_with_it_is_told(program):
    session = program("fork(lambda: (burn(0.3), say(), time.sleep(600))); time.sleep(600)")
    heard(session)
    assert session.end() >= 0.3 - TICK


def test_sessions_within_a_session_are_ended_with_it(program, monkeypatch):
    """The mark of a session inside another names both."""
    outer = program("say(os.environ['TPLORACLE_SESSION']); time.sleep(600)")
    mark = b" ".join(heard(outer)).decode()
    monkeypatch.setenv("TPLORACLE_SESSION", mark)
    inner = program("say(os.environ['TPLORACLE_SESSION']); time.sleep(600)")
    words = b" ".join(heard(inner)).decode().split()
    assert words[0] == mark
    assert len(set(words)) == 2
    outer.end()
    assert has_ended(inner.process.pid)


def test_no_other_process_is_of_a_program(program):
    session = program("say(); time.sleep(600)")
    other = program("say(os.getpid()); time.sleep(600)")
    heard(session)
    pid = int(heard(other)[0])
    session.end()
    assert psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    os.kill(pid, 0)


def test_a_meter_tells_ones_own_from_others(monkeypatch):
    """Of 2 processors for 10 seconds 4 seconds were idle, 5 this process's and 1 the program's."""
    clock, own, idle = iter([0.0, 10.0, 10.0]), iter([3.0, 8.0]), iter([100.0, 104.0])
    monkeypatch.setattr(processor_time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(processor_time.time, "process_time", lambda: next(own))
    monkeypatch.setattr(processor_time, "_idle", lambda: next(idle))
    monkeypatch.setattr(psutil, "cpu_count", lambda: 2)
    assert Meter().others(1.0) == pytest.approx(0.5)


def test_the_idle_time_of_this_machine_grows_with_the_clock():
    before = processor_time._idle()
    assert processor_time._idle() >= before > 0
