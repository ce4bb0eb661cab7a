"""The guard of the wire: what takes too long is ended, and the next request is answered."""

import io
import json
import os
import signal
import sys

import pytest

from tploracle.wire.guard import Guard, serve_within

from ...commands import program, run
from ...processes import PATIENT, has_ended
from .asking import MODERATE, PAPER_L

SLOW = {"backward": PAPER_L, "forward": PAPER_L, "alpha": "log(2)", "method": "quantified", "horizon": 10_000}
"""Nothing that a processor of any kind answers in a few hundredths of a second."""


def line(seq, op, given):
    return json.dumps({"seq": seq, "op": op, "input": given}).encode() + b"\n"


def quick(seq):
    return line(seq, "loss", {"matrix": MODERATE, "alpha": "log(2)"})


def answered(reply, seq):
    answer = json.loads(reply)
    return answer["seq"] == seq and answer["value"]["exact"] == "log(9/5)"


@pytest.fixture(scope="module")
def guard():
    with Guard(PATIENT) as guard:
        yield guard


def within(guard, seconds, line):
    """Return the answer to a line under another limit of seconds."""
    guard.seconds = seconds
    try:
        return json.loads(guard.reply(line))
    finally:
        guard.seconds = PATIENT


@pytest.mark.parametrize("seq", [1, "two"])
def test_what_takes_too_long_is_refused_and_the_next_is_answered(guard, seq):
    assert answered(guard.reply(quick(0)), 0)
    worker = guard._worker.pid
    answer = within(guard, 0.01, line(seq, "allocate", SLOW))
    message = "took too long: no answer within 0.01 s of processor time"
    assert answer == {"seq": seq, "error": {"name": "InvalidRequest", "message": message}}
    assert has_ended(worker)
    assert answered(guard.reply(quick(2)), 2)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="the system stops no processes")
def test_a_worker_that_does_nothing_is_ended_and_the_next_is_answered(guard):
    assert answered(guard.reply(quick(1)), 1)
    os.kill(guard._worker.pid, signal.SIGSTOP)
    answer = within(guard, 0.2, quick(2))
    assert answer["seq"] == 2
    assert answer["error"]["message"].startswith("took too long: no answer, asleep for 0.2 s (it used ")
    assert answered(guard.reply(quick(3)), 3)


def test_a_worker_that_dies_is_an_answer_and_the_next_is_answered(guard):
    guard.reply(quick(1))
    os.kill(guard._worker.pid, signal.SIGKILL)
    answer = json.loads(guard.reply(quick(3)))
    assert (answer["seq"], answer["error"]["name"]) == (3, "InvalidRequest")
    assert "memory" in answer["error"]["message"]
    assert answered(guard.reply(quick(4)), 4)


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not limit memory")
@pytest.mark.parametrize("asked", [line(1, "smooth", {"n": 900, "s": "1/3"}), b"[" * (8 << 20) + b"\n"])
def test_what_needs_too_much_memory_is_refused_and_the_next_is_answered(asked, capfd):
    with Guard(PATIENT, memory=6 << 20) as guard:
        answer = json.loads(guard.reply(asked))
        assert answer["error"]["message"] == "too large: there is not enough memory to answer"
        assert answered(guard.reply(quick(2)), 2)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("nonsense", [b"[" * 100_000 + b"\n", b"\xff\n", b"{}\n", b'{"seq": 1.5}\n', b"\n"])
def test_what_is_no_request_is_answered_by_the_worker_and_by_the_guard(guard, nonsense):
    assert json.loads(guard.reply(nonsense))["error"]["name"] == "InvalidRequest"
    os.kill(guard._worker.pid, signal.SIGKILL)
    assert json.loads(guard.reply(nonsense))["seq"] is None


def test_a_line_that_is_too_long_is_refused_without_a_worker():
    idle = Guard()
    assert json.loads(idle.reply(None))["error"]["message"].startswith("too large: the line")
    assert idle._worker is None


def test_no_worker_is_left_behind():
    answers = io.BytesIO()
    serve_within(io.BytesIO(quick(1) + b'{"op": "stop"}\n' + quick(2)), answers, PATIENT)
    assert answered(answers.getvalue(), 1)
    with Guard(PATIENT) as guard:
        pid = guard._worker.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_command_takes_the_limit():
    done = program("serve", "--time-limit", "0.01", stdin=line(1, "allocate", SLOW).decode() + '{"op": "stop"}\n')
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout.splitlines()[0])["error"]["message"].startswith("took too long")
    for seconds in ("0", "-1", "nan", "soon", "inf"):
        run("serve", "--time-limit", seconds, status=2)
