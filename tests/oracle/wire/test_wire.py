"""The wire: one answer a line, whatever the line says; docs/wire.md shows what it prints."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tploracle import __version__
from tploracle.conformance.ask.cases import load_vectors
from tploracle.contract.errors import ERRORS
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import InvalidRequest
from tploracle.wire import serve as wire
from tploracle.wire.requests import Session
from tploracle.wire.serve import respond

from ...processes import PATIENT, PIPES
from .asking import MODERATE, replied


def ask(op, given, **more):
    return replied({"seq": 7, "op": op, "input": given, **more})


def error(request):
    answer = replied(request)
    assert set(answer) == {"seq", "error"}
    assert set(answer["error"]) == {"name", "message"}
    return answer["seq"], answer["error"]["name"]


def test_start_tells_who_answers():
    assert replied({"op": "start", "protocol": 1}) == {
        "name": "tploracle",
        "version": __version__,
        "operations": [
            *("loss", "loss_function", "leakage", "supremum", "composition", "allocate", "control"),
            *(
                "smooth",
                "reverse",
                "estimate",
                "worst_case_leakage",
                "worst_case_supremum",
                "worst_case_allocate",
                "leakage_profile",
            ),
        ],
        "numbers": ["rational", "float64", "decimal64"],
        "stepwise": True,
    }


def test_stop_has_no_answer():
    assert respond(Session(), b'{"op": "stop"}\n') is None


def test_answers_carry_the_seq():
    assert ask("loss", {"matrix": MODERATE, "alpha": "log(11/10)"})["seq"] == 7
    assert replied({"seq": "x", "op": "loss"})["seq"] == "x"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"not json\n",
        b"[]\n",
        b"1\n",
        b"NaN\n",
        b'"text"\n',
        b"\xff\xfe\n",
        b'{"seq": 1',
        b'{"seq": 1, "seq": 1, "op": "loss", "input": {}}\n',
        b'{"op": "loss", "input": {}}\n',
        b'{"seq": 1.5, "op": "loss", "input": {}}\n',
        b'{"seq": true, "op": "loss", "input": {}}\n',
        b'{"seq": null, "op": "loss", "input": {}}\n',
        b'{"op": "start"}\n',
        b'{"op": "start", "protocol": 2}\n',
        b'{"op": "start", "protocol": true}\n',
        b'{"op": "start", "protocol": 1.0}\n',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"seq": ' + b"9" * 10_000 + b', "op": "loss"}\n',
        None,
    ],
)
def test_bad_lines_are_invalid_requests_without_seq(line):
    assert error(line) == (None, "InvalidRequest")


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ({"op": "conjure", "input": {}}, "UnknownOperation"),
        ({"op": "conjure"}, "UnknownOperation"),
        ({"op": "\ud800", "input": {}}, "UnknownOperation"),
        ({"op": "stop"}, "UnknownOperation"),
        ({"op": 5, "input": {}}, "InvalidRequest"),
        ({"input": {}}, "InvalidRequest"),
        ({"op": "loss"}, "InvalidRequest"),
        ({"op": "loss", "input": []}, "InvalidRequest"),
        ({"op": "smooth", "input": {"n": True, "s": "1"}}, "InvalidRequest"),
        ({"op": "smooth", "input": {"n": 2, "s": "1"}, "extra": 1}, "InvalidRequest"),
        ({"op": "smooth", "input": {"n": 2, "s": "1"}, "want": {"digit": 1}}, "InvalidRequest"),
        ({"op": "smooth", "input": {"n": 2, "s": "1"}, "want": {"digits": 0}}, "InvalidRequest"),
        ({"op": "smooth", "input": {"n": 2, "s": "1"}, "want": {"digits": True}}, "InvalidRequest"),
        ({"op": "smooth", "input": {"n": 2, "s": "1"}, "want": {"digits": 2.0}}, "InvalidNumber"),
        ({"op": "smooth", "input": {"n": 2, "s": "1"}, "want": {"digits": 100_001}}, "InvalidRequest"),
        ({"op": "smooth", "input": {"n": 2, "s": "1"}, "numbers": "float32"}, "InvalidRequest"),
    ],
)
def test_bad_requests_keep_their_seq(request_, name):
    assert error({"seq": 3, **request_}) == (3, name)


def test_an_unexpected_fault_is_answered_outside_the_contract(monkeypatch, capsys):
    def fault(session, request):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(wire, "answer_request", fault)
    assert error(b'{"seq": 1, "op": "loss", "input": {}}') == (1, "InternalError")
    assert "InternalError" not in ERRORS
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize("fault", [MemoryError, RecursionError])
def test_lack_of_memory_is_an_error_by_name(monkeypatch, fault):
    def failing(session, request):
        raise fault

    monkeypatch.setattr(wire, "answer_request", failing)
    assert error(b'{"seq": 1, "op": "loss", "input": {}}') == (1, "InvalidRequest")


def test_messages_are_short(monkeypatch):
    def fault(session, request):
        raise InvalidRequest("x" * 100_000)

    assert len(ask("loss", {"matrix": [["x" * 100_000]], "alpha": "1"})["error"]["message"]) <= 500
    monkeypatch.setattr(wire, "answer_request", fault)
    assert len(ask("loss", {})["error"]["message"]) == 500


def test_too_many_releases():
    answer = ask("leakage", {"epsilons": ["0.1"] * 10_001})
    assert answer["error"]["message"] == "too large: 10001 releases, at most 10000 are admitted"
    assert len(ask("leakage", {"epsilons": ["0.1"] * 10_000})["value"]["tpl"]) == 10_000


def test_what_is_too_large_is_refused_at_once():
    huge = ["1e-99999"] * 300
    for op, given_ in (
        ("loss", {"matrix": MODERATE, "alpha": "log(" + "*".join(["1e99999"] * 1000) + ")"}),
        ("loss_function", {"matrix": [huge] * 300}),
        ("loss_function", {"matrix": [["1" if j == k else "0" for k in range(1001)] for j in range(1001)]}),
        ("leakage", {"epsilons": ["0.1"] * 10_001}),
        ("leakage", {"epsilons": ["1"] * 10_000, "backward": MODERATE}),
        ("smooth", {"n": 10**9, "s": "1"}),
        ("smooth", {"n": 1000, "s": "1/" + "7" * 99_999}),
        ("estimate", {"sequences": [[str(number) for number in range(1001)]]}),
    ):
        answer = ask(op, given_, want={"digits": 100_000})
        assert answer["error"]["name"] == "InvalidRequest", op
        assert "too large" in answer["error"]["message"], op


@pytest.fixture
def server():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it, and so on
    process = subprocess.Popen(
        [sys.executable, "-m", "tploracle", "serve"],
        **PIPES,
        env={name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"},
    )
    with process:
        yield process
        process.kill()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
    signal.signal(signal.SIGINT, before)


LOSS = json.dumps({"seq": 1, "op": "loss", "input": {"matrix": MODERATE, "alpha": "log(11/10)"}}).encode() + b"\n"


def test_a_long_line_ends_neither_the_process_nor_the_next_request(server):
    out, err = server.communicate(b"[" * 100_000_000 + b"\n" + LOSS)
    first, second = out.splitlines()
    assert json.loads(first)["error"]["name"] == "InvalidRequest"
    assert json.loads(second)["value"]["exact"] == "log(27/25)"  # (0.8·0.1 + 1)/(0·0.1 + 1)
    assert server.returncode == 0
    assert err == b""


WATCHED = """
import json, sys
from tploracle.wire.serve import Session, respond

def look(event, arguments):
    if event == "open" and ("hostile" in str(arguments[0]) or arguments[2] & 3):
        raise SystemExit(f"{arguments} is opened")
    if event.split(".")[0] in ("subprocess", "socket", "shutil", "sqlite3") or event == "os.system":
        raise SystemExit(f"{event}: {arguments}")

sys.addaudithook(look)
for line in json.loads(sys.stdin.read()):
    sys.stdout.buffer.write(respond(Session(), line.encode()))
"""


def named(value, path):
    """Yield a value with a path in place of a text in it, of each in turn."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict | list):
        places = list(value if isinstance(value, dict) else range(len(value)))
        ways = {place: list(named(value[place], path)) for place in places}
        for place in places:
            for way in ways[place]:
                yield {**value, place: way} if isinstance(value, dict) else [*value[:place], way, *value[place + 1 :]]


def test_no_request_opens_a_file(tmp_path):
    """Whatever text of a request is the name of a file; what a request needs is imported while it is watched."""
    (tmp_path / "hostile.csv").write_text("0.5,0.5\n0,1\n")
    lines = []
    for op in OPERATIONS:
        plain = min((case.request(1) for case in load_vectors() if case.op == op), key=lambda each: len(str(each)))
        lines += [plain, *named(plain, str(tmp_path / "hostile.csv"))]
    told = json.dumps([json.dumps(line) for line in lines])
    done = subprocess.run(
        [sys.executable, "-B", "-c", WATCHED], input=told, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == len(lines) > 60


def test_each_answer_comes_before_the_next_question(server):
    for _ in range(3):
        server.stdin.write(LOSS)
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["seq"] == 1
    server.stdin.write(b'{"op": "stop"}\n')
    server.stdin.flush()
    assert server.wait(PATIENT) == 0


def test_an_interrupt_ends_it_quietly(server):
    server.stdin.write(LOSS)
    server.stdin.flush()
    server.stdout.readline()
    server.send_signal(signal.SIGINT)
    assert server.wait(PATIENT) == 130
    assert server.stderr.read() == b""


def test_a_closed_output_ends_it_quietly(server):
    server.stdout.close()
    with contextlib.suppress(BrokenPipeError):  # it may be gone before it has read all
        server.stdin.write(LOSS * 1000)
        server.stdin.close()
    assert server.wait(PATIENT) == 0
    assert server.stderr.read() == b""


PAGE = (Path(__file__).resolve().parents[3] / "docs" / "wire.md").read_text(encoding="utf-8")


def test_examples():
    session, expected, asked = Session(), None, 0
    for line in re.findall(r"^[<>] .*$", PAGE, re.MULTILINE):
        if line.startswith(">"):
            assert expected is None
            asked += 1
            expected = respond(session, line[2:].encode())
        else:
            assert json.loads(line[2:]) == json.loads(expected)
            expected = None
    assert expected is None
    assert asked == 13


def test_all_errors_are_listed():
    assert all(f"`{name}`" in PAGE for name in ERRORS)
