"""A process that works on messages: what crashes, hangs or grows there is an exception here, and no more."""

import os
import signal
import sys
from concurrent.futures import BrokenExecutor
from multiprocessing import current_process, get_context
from pathlib import Path

import pytest

from tploracle.system import confinement
from tploracle.system.bounded import BoundedProcess, Gone, Late, Pool
from tploracle.system.launching import Ending

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
    answers.send((own.ask(b"a", PATIENT), own.pid, current_process().daemon))
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
    pid = process.pid
    with pytest.raises(Gone):
        process.ask(message, PATIENT, 100)
    assert process.is_ended
    assert has_ended(pid, PATIENT)


def test_what_does_not_end_is_ended(process):
    pid = process.pid
    with pytest.raises(Late, match=r"no answer within 0\.2 s of processor time"):
        process.ask(b"hang", 0.2)
    assert process.is_ended
    assert has_ended(pid, PATIENT)


def test_one_that_does_not_begin_is_gone():
    with pytest.raises(Gone):
        BoundedProcess(broken, MEMORY).ask(b"a", PATIENT)


# What a process may do, and how it is told that it did not


def hands():
    """Return what does a deed by its name, and says what became of it."""
    import ctypes
    import socket
    import subprocess

    def write():
        path = Path(f"/tmp/tploracle-test-{os.getpid()}")
        path.open("x").close()
        path.unlink()

    def listen():
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))

    doing = {
        b"read": lambda: Path("/etc/passwd").read_bytes(),
        b"write": write,
        b"remove": Path("/tmp").rmdir,
        b"execute": lambda: subprocess.run(["/bin/true"], check=True),
        b"network": listen,
        b"signal": lambda: os.kill(os.getppid(), 0),
    }

    def do(message):
        if message == b"refused":
            raise PermissionError
        if message == b"memory":
            raise MemoryError
        if message == b"descriptors":
            return b"\n".join(bytes(each.resolve()) for each in Path("/proc/self/fd").iterdir())
        if message == b"variables":
            return " ".join(sorted(os.environ)).encode()
        if message == b"folder":
            return str(Path.cwd()).encode()
        if message == b"path":
            return "\n".join(sys.path).encode()
        try:
            doing[message]()
        except PermissionError:
            return b"refused"
        except OSError as error:
            return ctypes.c_int(error.errno or 0).value.to_bytes(2, "big")
        return b"done"

    return do


def unable():
    """Fail to begin for want of memory."""
    raise MemoryError


def asked(message, **more):
    process = BoundedProcess(hands, MEMORY, **more)
    try:
        return process.ask(message, PATIENT)
    finally:
        process.end()


@pytest.mark.skipif(not confinement.version(), reason="the kernel has no Landlock")
@pytest.mark.parametrize("is_fork", [False, True])
def test_a_process_that_parses_only_reads(is_fork):
    assert asked(b"read", is_fork=is_fork) == b"done"
    for deed, since in {b"write": 1, b"remove": 1, b"execute": 1, b"network": 4, b"signal": 6}.items():
        if confinement.version() >= since:
            assert asked(deed, is_fork=is_fork) == b"refused", deed


def test_a_process_that_parses_starts_without_landlock(monkeypatch):
    monkeypatch.setattr(confinement, "version", lambda: 0)
    assert asked(b"read", is_fork=True) == b"done"


@pytest.mark.parametrize("is_fork", [False, True])
def test_a_process_has_no_descriptor_of_another(tmp_path, is_fork):
    with (tmp_path / "held").open("wb") as file:
        os.set_inheritable(file.fileno(), True)
        found = asked(b"descriptors", is_fork=is_fork).splitlines()
    assert bytes(tmp_path / "held") not in found
    assert len([each for each in found if b"/libffi.so" not in each]) <= 5  # three, the connection, the listing itself


def test_a_process_has_an_environment_a_folder_and_a_path_that_are_chosen(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in ("PYTHONPATH", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONBREAKPOINT", "MATPLOTLIBRC", "SECRET"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    found = asked(b"variables").decode().split()
    assert "LC_ALL" in found
    assert not {"PYTHONPATH", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONBREAKPOINT", "MATPLOTLIBRC", "SECRET"} & {*found}
    assert asked(b"folder") == b"/"
    monkeypatch.setattr("sys.path", [*sys.path, "__editable__.any.finder.__path_hook__"])
    assert not any(entry.startswith(str(tmp_path)) for entry in asked(b"path").decode().split("\n"))
    tmp_path.rmdir()
    assert asked(b"folder") == b"/"


@pytest.mark.parametrize("is_fork", [False, True])
@pytest.mark.parametrize(
    ("make", "message", "why"),
    [
        (deeds, b"crash", Ending.CRASHED),
        (deeds, b"exit", Ending.CRASHED),
        (deeds, b"hang", Ending.OUT_OF_TIME),
        (hands, b"memory", Ending.OUT_OF_MEMORY),
        (hands, b"refused", Ending.REFUSED),
        (broken, b"", Ending.NOT_STARTED),
        (unable, b"", Ending.OUT_OF_MEMORY),
    ],
)
def test_endings_are_told_apart(make, message, why, is_fork):
    process = BoundedProcess(make, MEMORY, is_fork=is_fork)
    with pytest.raises(Gone) as caught:
        process.ask(message, 0.2 if why is Ending.OUT_OF_TIME else PATIENT)
    process.end()
    assert caught.value.ending is why
    assert caught.value.code is None or why is not Ending.OUT_OF_TIME


@pytest.mark.parametrize("executable", ["/nowhere/python", "/etc/passwd", "/bin/false"])
def test_a_program_that_is_no_python_could_not_start(monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(Gone, match="could not start") as caught:
        BoundedProcess(deeds, MEMORY).ask(b"a", PATIENT)
    assert caught.value.ending is Ending.NOT_STARTED


def test_a_pool_answers_raises_and_breaks():
    with Pool(2) as pool:
        assert [each.result(PATIENT) for each in [pool.submit(divmod, n, 3) for n in range(7)]] == [
            divmod(n, 3) for n in range(7)
        ]
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result(PATIENT)
        with pytest.raises(BrokenExecutor):
            pool.submit(os._exit, 3).result(PATIENT)
        with pytest.raises(BrokenExecutor):
            pool.submit(divmod, 1, 1).result(PATIENT)
