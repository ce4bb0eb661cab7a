"""`make conform` prints the reports that stand in examples/implementations."""

import importlib.util
import signal
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "examples" / "implementations"


@pytest.fixture(scope="module")
def conform():
    spec = importlib.util.spec_from_file_location("examples_conform", ROOT / "examples" / "conform.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def interruptible():
    """The script leaves interruptions to its programs; this process does not stay so."""
    handler = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, handler)


def lines_of(text):
    """Return the lines of reports, without blanks at their ends and without the lines of how long they took."""
    lines = [line.rstrip() for line in text.splitlines()]
    return [line for line in lines if line and "Processor time: " not in line]


def committed(name):
    return lines_of((REPORTS / name).read_text(encoding="utf-8"))


def program(output, status, complaint=""):
    text = f"import sys; print({output!r}); print({complaint!r}, file=sys.stderr); sys.exit({status})"
    return [sys.executable, "-c", text]


@pytest.mark.parametrize(("right", "wrong", "status"), [(0, 1, 0), (1, 1, 1), (130, 130, 130), (0, 0, 1), (0, 3, 1)])
def test_the_right_one_has_to_conform_and_the_wrong_one_not(conform, capfd, right, wrong, status):
    assert conform.side_by_side(program("the right", right), program("the wrong", wrong, "why")) == status
    out, err = capfd.readouterr()
    assert out.split("\n") == ["the right", "", "the wrong", ""]
    assert ("why" in err) is (wrong != 1)


def test_the_committed_reports_are_of_the_questions_that_are_asked(conform):
    for command, name, asked in (
        (conform.RIGHT, "directed.report.txt", "tier standard"),
        (conform.WRONG, "usual_mistakes.report.txt", "tier smoke"),
    ):
        text = "\n".join(committed(name))
        assert f"(--python {command[command.index('--python') + 1]})" in text
        assert asked in text
    assert conform.WRONG[conform.WRONG.index("--tier") + 1] == "smoke"
    assert "--tier" not in conform.RIGHT


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
def test_the_reports_are_what_is_printed(conform, capfd):
    assert conform.side_by_side(conform.RIGHT, conform.WRONG) == 0
    printed = lines_of(capfd.readouterr().out)
    assert printed == [*committed("directed.report.txt"), *committed("usual_mistakes.report.txt")]
