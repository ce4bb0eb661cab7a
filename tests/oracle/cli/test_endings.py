"""How commands end that a signal ends, or that nobody listens to: by programs, as shells start them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from ...commands import UNHEARD, forked, line
from ...processes import PATIENT, has_ended

ROOT = Path(__file__).resolve().parents[3]
ASKED = ("conform", "--tier", "smoke", "-k", "loss-seeded")
SERVE = ("--", sys.executable, "-m", "tploracle", "serve")
SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
QUICK_SIGNALS = [SIGNALS[1], *(pytest.param(*each, marks=pytest.mark.slow) for each in (SIGNALS[0], SIGNALS[2]))]
"""One is enough to see that a command ends its processes; the status of each is seen where a solver is waited for."""

USUAL = """
import signal, sys
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)

from tploracle.output import progress
progress.INTERVAL = 10_000.0
"""
"""What a program finds that a shell starts in the foreground, however slow the machine."""

MAIN = f"""{USUAL}
from tploracle.cli.main import main
main(prog_name="tploracle")
"""

HANGS = """
import json, os, subprocess, sys, time

names = {"name": "hangs", "version": "1", "operations": ["loss"], "numbers": ["rational"]}
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    if request["op"] == "start":
        print(json.dumps(names), flush=True)
    elif number < 5:
        print(json.dumps({"seq": request["seq"], "value": "0"}), flush=True)
    else:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(10_000)"])
        with open("pids", "w") as pids:
            pids.write(f"{os.getpid()} {child.pid} .")
        time.sleep(10_000)
"""
"""An implementation that answers four questions, all of them with 0, and then starts a process and hangs."""


@pytest.fixture(autouse=True)
def _files(folder):
    (folder / "scratch").mkdir()
    (folder / "hangs.py").write_text(HANGS)


def started(program, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TPLORACLE_PIDS": str(Path.cwd()),
            "TMPDIR": str(Path("scratch").resolve()),
        },
        start_new_session=True,
    )


def wait_for(condition, process):
    until = time.monotonic() + PATIENT
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)


def written(file, words):
    """Whether a file has as many words."""
    return lambda: file.exists() and len(file.read_text().split()) >= words


@pytest.mark.parametrize(("number", "status"), QUICK_SIGNALS)
def test_a_run_that_is_ended_reports_what_it_has_and_leaves_no_process(folder, number, status):
    files = ("--junit", "r.xml", "--html", "r.html", "--json")
    command = ("conform", "--tier", "smoke", "-k", "loss", "--time-limit", "10000", *files)
    with started(MAIN, *command, "--", sys.executable, "hangs.py") as process:
        wait_for(written(folder / "pids", 3), process)
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENT)
    assert (process.returncode, err) == (status, "")
    assert all(has_ended(int(pid)) for pid in (folder / "pids").read_text().split()[:2])
    report = json.loads(out)
    assert len(report["results"]) == 4
    assert report["run"]["notes"] == ["interrupted: what had been judged by then"]
    assert report["run"]["complete"] is False
    assert len(list(ET.parse("r.xml").getroot().iter("testcase"))) >= 4
    assert "interrupted: what had been judged by then" in (folder / "r.html").read_text(encoding="utf-8")


SLOW_PAGE = f"""{USUAL}
import pathlib, time
from tploracle.conformance.report import document
from tploracle.cli import conform_command
from tploracle.cli.main import main

def slowly(name, then):
    def slow(*asked):
        pathlib.Path(name).write_text(".")
        while not pathlib.Path(name + " done").exists():
            time.sleep(0.01)
        return then(*asked)
    return slow

document.print_run = slowly("printing", document.print_run)
document.run_page = slowly("drawing", document.run_page)
main(prog_name="tploracle")
"""


def test_a_second_signal_waits_for_what_is_quick_and_not_for_the_page(folder):
    command = line("conform --tier smoke -k loss --time-limit 10000 --junit r.xml --html r.html")
    with started(SLOW_PAGE, *command, "--", sys.executable, "hangs.py") as process:
        wait_for(written(folder / "pids", 3), process)
        process.send_signal(signal.SIGTERM)
        wait_for(written(folder / "printing", 1), process)
        process.send_signal(signal.SIGTERM)
        (folder / "printing done").touch()
        out, err = process.communicate(timeout=PATIENT)
    assert (process.returncode, err) == (143, "Terminated\n")
    assert "note: interrupted: what had been judged by then" in out
    assert (folder / "r.xml").exists()
    assert not (folder / "r.html").exists()


def test_a_page_can_be_interrupted_and_everything_else_is_there(folder):
    with started(SLOW_PAGE, *ASKED, "--junit", "r.xml", "--html", "r.html", *SERVE) as process:
        (folder / "printing done").touch()
        wait_for(written(folder / "drawing", 1), process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENT)
    assert (process.returncode, err) == (130, "Interrupted\n")
    assert "Conforms" in out
    assert sorted(file.name for file in folder.iterdir() if file.name.startswith("r.")) == ["r.xml"]


VERIFY = f"""{USUAL}
from tests.processes import hang_for_ever
from tploracle.cli.main import main
from tploracle.proofs_checks import trial

trial._look_up = hang_for_ever
main(prog_name="tploracle")
"""


@pytest.mark.parametrize("all_of_them", [False, True])
@pytest.mark.parametrize(("number", "status"), QUICK_SIGNALS[:2])
def test_evidence_that_takes_for_ever_is_not_waited_for(folder, number, status, all_of_them):
    with started(VERIFY, "verify", "--jobs", "2", "-k", "Dinkelbach", "--html", "v.html") as process:
        wait_for(written(folder / "pids", 2), process)
        workers = [int(pid) for pid in (folder / "pids").read_text().split()]
        if all_of_them and number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(number)
        out, err = process.communicate(timeout=PATIENT)
    assert (process.returncode, out) == (status, "")
    assert err == ("Interrupted\n" if number == signal.SIGINT else "Terminated\n")
    assert all(map(has_ended, workers))
    assert not (folder / "v.html").exists()


def test_a_process_of_verify_that_is_ended_from_outside_is_told(folder):
    with started(VERIFY, "verify", "--jobs", "2", "-k", "Dinkelbach", "--html", "v.html") as process:
        wait_for(written(folder / "pids", 2), process)
        worker, *_ = [int(pid) for pid in (folder / "pids").read_text().split()]
        os.kill(worker, signal.SIGKILL)
        out, err = process.communicate(timeout=PATIENT)
    assert (process.returncode, out) == (3, "")
    assert err.startswith("Undecided: a process that looks at evidence was ended from outside")
    assert len(err.splitlines()) == 1
    assert not (folder / "v.html").exists()


SOLVER = f"""{USUAL}
import tploracle.cli.crosscheck_command
from tploracle.cli.main import main

def hang(_output, _names, worker, *_):
    worker.time_limit = 10_000.0
    worker.call("tests.processes:hang_for_ever")

sys.modules["tploracle.cli.crosscheck_command"]._given = hang
main(prog_name="tploracle")
"""


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_a_solver_that_takes_for_ever_is_not_waited_for(folder, number, status):
    with started(SOLVER, "crosscheck", "m.csv", "--alpha", "1") as process:
        wait_for(written(folder / "pids", 1), process)
        process.send_signal(number)
        out, _ = process.communicate(timeout=PATIENT)
    assert (process.returncode, out) == (status, "")
    assert has_ended(int((folder / "pids").read_text()))
    assert not list((folder / "scratch").iterdir())


def test_what_computes_too_long_is_an_error_and_writes_nothing(folder):
    asked = ("leakage", "--backward", "m.csv", "--one-sided", "--epsilon", "0.1", "--steps", "9000")
    with started(MAIN, "--time-limit", "0.01", *asked) as process:
        out, err = process.communicate(timeout=PATIENT)
    reason = "took too long: no answer within 0.01 s of processor time"
    assert (process.returncode, out) == (2, "")
    assert err == f"InvalidRequest: {reason}; tploracle --time-limit SECONDS allows more\n"


QUESTIONS = [
    ("loss", "m.csv", "--alpha", "1"),
    ("leakage", "--backward", "m.csv", "--one-sided", "--epsilon", "0.1", "--steps", "5"),
    ("loss-function", "m.csv"),
    ("allocate", "--backward", "m.csv", "--one-sided", "--alpha", "1", "--method", "upper-bound"),
    ("audit", "m.csv", "--one-sided"),
    ("certify", "loss", "m.csv", "--alpha", "1"),
    ("crosscheck", "m.csv", "--alpha", "1", "--methods", "algorithm-1,enumeration"),
    ("vectors", "list"),
    ("--help",),
]
"""Commands that answer with status 0."""


@pytest.mark.slow
def test_an_output_that_nobody_reads_is_no_error():
    for status, _, said in forked(*QUESTIONS, stdout=UNHEARD):
        assert status == 0
        assert "Traceback" not in said
        assert "Error" not in said


@pytest.mark.slow
def test_an_output_that_there_is_not_is_said_in_one_line():
    for status, _, said in forked(*QUESTIONS, (*ASKED, *SERVE), stdout=None):
        assert status == 2
        assert said.splitlines()[-1] == "InvalidRequest: the answer cannot be written: Bad file descriptor"
        assert "Traceback" not in said


def test_a_reader_that_leaves_early_is_no_error():
    with started(MAIN, "leakage", "--independent", "--epsilon", "0.1", "--steps", "3000", "--csv") as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENT) == 0
        assert process.stderr.read() == ""


@pytest.mark.slow
def test_a_run_whose_report_nobody_reads_keeps_its_status_and_its_files(folder):
    mine = folder / "zero.py"
    mine.write_text("class Zero:\n    def loss(self, matrix, alpha):\n        return 0.0\n")
    files = ("--junit", "r.xml", "--html", "r.html")
    assert forked([*ASKED, *files, "--python", f"{mine}:Zero"], stdout=UNHEARD) == [(1, "", "")]
    assert (folder / "r.html").exists()
    assert (folder / "r.xml").exists()


@pytest.mark.parametrize("streams", [{"stderr": None}, {"stderr": "/dev/full"}, {"stdin": None, "stderr": None}])
def test_without_an_error_stream_nothing_goes_wrong(streams):
    right, wrong = forked(("loss", "m.csv", "--alpha", "1"), ("loss", "no.csv", "--alpha", "1"), **streams)
    assert (right[0], wrong[0], wrong[1]) == (0, 2, "")
    assert right[1]
