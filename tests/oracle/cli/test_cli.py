"""The command line: tables, JSON and CSV, pictures, and how each command ends."""

import csv
import io
import json
import os
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tploracle import __version__
from tploracle.cli import shell
from tploracle.cli.main import main
from tploracle.reference import Undecided
from tploracle.wire.requests import Session

MODERATE = [["0.8", "0.2"], ["0", "1"]]
PAPER_L = [["0.1", "0.2", "0.7"], ["0.3", "0.3", "0.4"], ["0.5", "0.3", "0.2"]]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, rows in (("m.csv", MODERATE), ("l.csv", PAPER_L), ("none.csv", [["1/2", "1/2"]] * 2)):
        (tmp_path / name).write_text("".join(",".join(row) + "\n" for row in rows))
    (tmp_path / "strong.csv").write_text("1,0\n0,1\n")
    (tmp_path / "s.txt").write_text("a a b a\nb a\nb\n")
    return tmp_path


def run(*args, status=0, stdin=None):
    result = CliRunner().invoke(main, [str(arg) for arg in args], input=stdin, prog_name="tploracle")
    assert result.exit_code == status, result.output
    return result


def value(*args, stdin=None):
    return json.loads(run(*args, "--json", stdin=stdin).stdout)


def answer(op, digits=17, **given):
    return json.loads(json.dumps(Session().answer(op, given, digits)))


def test_json_is_what_the_wire_answers(folder):
    assert value("loss", "m.csv", "--alpha", "0.1") == answer("loss", matrix=MODERATE, alpha="0.1")
    assert value("loss", "-", "--alpha", "1", "--digits", 40, stdin="0.8,0.2\n0,1\n") == answer(
        "loss", digits=40, matrix=MODERATE, alpha="1"
    )
    assert value("loss-function", "l.csv") == answer("loss_function", matrix=PAPER_L)
    assert value("leakage", "--backward", "m.csv", "--forward", "m.csv", "--epsilons", "0.1,log(2),1/3") == answer(
        "leakage", backward=MODERATE, forward=MODERATE, epsilons=["0.1", "log(2)", "1/3"]
    )
    assert value("leakage", "--forward", "m.csv", "--epsilon", "0.1", "--steps", 3) == answer(
        "leakage", forward=MODERATE, epsilons=["0.1"] * 3
    )
    assert value("leakage", "--epsilon", "0.1", "--steps", 2) == answer("leakage", epsilons=["0.1"] * 2)
    assert value("smooth", "m.csv", "--s", "1/2") == answer("smooth", matrix=MODERATE, s="1/2")
    assert value("smooth", "-n", 3, "--s", "1/2") == answer("smooth", n=3, s="1/2")
    (folder / "i.csv").write_text("1/2,1/2\n")
    assert value("reverse", "m.csv", "--initial", "i.csv") == answer(
        "reverse", forward=MODERATE, initial=["1/2", "1/2"]
    )
    assert value("estimate", "s.txt") == answer("estimate", sequences=[["a", "a", "b", "a"], ["b", "a"], ["b"]])


def test_the_papers_figure(folder):
    result = run("leakage", "--backward", "m.csv", "--epsilon", "0.1", "--steps", 10)
    lines = result.stdout.splitlines()
    times = {line.split()[0]: line.split()[1] for line in lines if line.split() and line.split()[0].isdigit()}
    assert times["1"] == "0.1"
    assert times["2"].startswith("0.18078403")
    assert times["3"].startswith("0.24714774")
    # The strongest correlation: all budgets add up, forward and backward alike.
    strong = value("leakage", "--backward", "strong.csv", "--forward", "strong.csv", "--epsilon", "0.1", "--steps", 10)
    assert [level["lower"] for level in strong["bpl"]] == [*(f"0.{t}" for t in range(1, 10)), "1"]
    assert [level["upper"] for level in strong["fpl"]] == [level["upper"] for level in strong["bpl"]][::-1]
    assert {level["exact"] for level in strong["tpl"]} == {"1"}


def test_several_levels_are_several_lines(folder):
    lines = run("loss", "m.csv", "--alpha", "0", "--alpha", "log(11/10)", "--json").stdout.splitlines()
    assert [json.loads(line)["exact"] for line in lines] == ["0", "log(27/25)"]


def test_csv_of_levels(folder):
    rows = list(csv.DictReader(io.StringIO(run("loss", "m.csv", "--alpha", "log(11/10)", "--csv").stdout)))
    assert rows[0]["loss_exact"] == "log(27/25)"
    assert rows[0]["loss_lower"].startswith("0.0769610411361283")  # log 1.08
    assert (rows[0]["rows"], rows[0]["columns"]) == ("1 / 2", "1")


def test_csv_of_matrices_can_be_read_again(folder):
    smoothed = run("smooth", "-n", 2, "--s", "1/2", "--csv").stdout
    assert smoothed == "3/4,1/4\n1/4,3/4\n"
    assert value("smooth", "-", "--s", "0", stdin=smoothed)["matrix"] == [["3/4", "1/4"], ["1/4", "3/4"]]
    estimated = run("estimate", "s.txt", "--csv", "--role", "backward").stdout
    assert estimated == "1/3,2/3\n1,0\n"


def test_counts_are_a_matrix_file(folder):
    counts = run("estimate", "s.txt", "--counts", "--source", "made up").stdout
    assert json.loads(counts) == {
        "source": "made up",
        "states": ["a", "b"],
        "counts": [[1, 1], [2, 0]],
        "first": [1, 2],
    }
    (folder / "c.json").write_text(counts)
    assert value("smooth", "c.json", "--role", "forward", "--s", 0)["matrix"] == [["1/2", "1/2"], ["1", "0"]]
    # From first states 1/3, 2/3: a follows a by 1/6 and b by 2/3; b follows only a.
    assert value("reverse", "c.json", "--initial", "c.json")["backward"] == [["1/5", "4/5"], ["1", "0"]]
    run("loss", "c.json", "--alpha", "1", status=2)


def test_stationary(folder):
    # Rows (1/2, 1/2), (1, 0): stationary (2/3, 1/3); reversible, so it is its own reverse.
    (folder / "r.csv").write_text("1/2,1/2\n1,0\n")
    assert value("reverse", "r.csv", "--stationary")["backward"] == [["1/2", "1/2"], ["1", "0"]]
    assert run("reverse", "strong.csv", "--stationary", status=2).stderr.startswith("NotUnique: ")


def test_at(folder):
    chosen = value("leakage", "--backward", "m.csv", "--epsilon", "0.1", "--steps", 3, "--at", "3,1")
    assert chosen["times"] == [3, 1]
    assert chosen["bpl"][0]["lower"].startswith("0.24714774")
    assert chosen["bpl"][1]["exact"] == "1/10"


def test_after(folder):
    args = ("leakage", "--backward", "m.csv", "--forward", "m.csv", "--epsilon", "log(11/10)", "--after", "1,2")
    after = value(*args)["after"]
    assert [row["releases"] for row in after] == [1, 2]
    # By hand: BPL_2 = log(11/10·27/25) = log(297/250) = FPL_1; TPL is that at both times.
    assert [after[0][kind]["exact"] for kind in ("bpl", "fpl", "tpl")] == ["log(11/10)"] * 3
    assert [after[1][kind]["exact"] for kind in ("bpl", "fpl", "tpl")] == ["log(297/250)"] * 3
    assert [after[1][kind]["times"] for kind in ("bpl", "fpl", "tpl")] == [[2], [1], [1, 2]]
    assert "worst TPL" in run(*args).stdout


def test_budgets_that_differ_in_after(folder):
    after = value("leakage", "--epsilons", "log(2),log(3)", "--after", "1,2")["after"]
    assert [(row["tpl"]["exact"], row["tpl"]["times"]) for row in after] == [("log(2)", [1]), ("log(3)", [2])]


def test_candidates(folder):
    pairs = value("leakage", "--backward", "m.csv", "--backward", "none.csv", "--epsilon", "log(11/10)", "--steps", 2)
    assert pairs["bpl"][0]["attained_by"] == ["m.csv", "none.csv"]
    assert (pairs["bpl"][1]["exact"], pairs["bpl"][1]["attained_by"]) == ("log(297/250)", ["m.csv"])
    paired = value(
        *("leakage", "--backward", "m.csv", "--backward", "none.csv"),
        *("--forward", "none.csv", "--forward", "strong.csv", "--epsilon", "1", "--steps", 1),
    )
    assert paired["tpl"][0]["attained_by"] == ["m.csv + none.csv", "none.csv + strong.csv"]
    combined = value(
        *("leakage", "--backward", "m.csv", "--backward", "none.csv"),
        *("--forward", "strong.csv", "--epsilon", "1", "--steps", 1),
    )
    assert combined["tpl"][0]["attained_by"] == ["m.csv + strong.csv", "none.csv + strong.csv"]


def test_users(folder):
    (folder / "u.json").write_text('{"alice": {"backward": "m.csv"}, "bob": {"forward": [[1, 0], [0, 1]]}}')
    found = value("leakage", "--users", "u.json", "--epsilon", "log(11/10)", "--steps", 2)
    assert [(level["exact"], level["attained_by"]) for level in found["bpl"]] == [
        ("log(11/10)", ["alice", "bob"]),
        ("log(297/250)", ["alice"]),
    ]
    assert (found["fpl"][0]["exact"], found["fpl"][0]["attained_by"]) == ("log(121/100)", ["bob"])
    assert (found["tpl"][1]["exact"], found["tpl"][1]["attained_by"]) == ("log(297/250)", ["alice"])
    assert "alice" in run("leakage", "--users", "u.json", "--epsilon", "1", "--steps", 2).stdout


def test_float64_says_what_it_divided(folder):
    (folder / "f.csv").write_text("0.1,0.9\n0,1\n0.5,0.5\n".replace("0.5,0.5\n", ""))
    noted = run("loss", "f.csv", "--alpha", "1", "--float64")
    assert noted.stderr == "note: f.csv: rows divided by their exact sums: 1\n"
    assert value("loss", "f.csv", "--alpha", "1", "--float64")["normalised_rows"] == {"f.csv": [1]}
    assert "normalised_rows" not in value("loss", "f.csv", "--alpha", "1")


def test_pictures(folder):
    run("leakage", "--backward", "strong.csv", "--epsilons", "1,inf,2", "--plot", "new/a.png")
    run("loss-function", "l.csv", "--plot", "b.png")
    run("loss-function", "strong.csv", "--plot", "c.png")
    run("loss-function", "none.csv", "--plot", "d.png")
    for name in ("new/a.png", "b.png", "c.png", "d.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    assert "matplotlib.pyplot" not in sys.modules
    assert "cannot be written" in run("loss-function", "l.csv", "--plot", folder, status=2).stderr


def test_spend(folder):
    first = value("spend", "a.json", "--init", "--backward", "m.csv", "--epsilon", "log(11/10)")
    assert (first["releases"], first["now"]["exact"]) == (1, "log(11/10)")
    second = value("spend", "a.json", "--epsilon", "log(11/10)")
    assert (second["releases"], second["now"]["exact"]) == (2, "log(297/250)")
    before, written = (folder / "a.json").read_bytes(), (folder / "a.json").stat().st_mtime_ns
    shown = value("spend", "a.json", "--show")
    assert [level["exact"] for level in shown["tpl"]] == ["log(11/10)", "log(297/250)"]
    assert "297/250" in run("spend", "a.json", "--show").stdout
    assert (folder / "a.json").stat().st_mtime_ns == written  # what is only shown is not written anew
    run("spend", "a.json", "--epsilon", "1", "--epsilon", "-1", status=2)
    run("spend", "a.json", "--init", status=2)
    run("spend", "a.json", "--backward", "m.csv", status=2)
    assert (folder / "a.json").read_bytes() == before
    assert value("spend", "b.json", "--init") == {"releases": 0, "now": None}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["loss", "no.csv", "--alpha", "1"], "InvalidRequest: no.csv: cannot be read: No such file or directory"),
        (["loss", "no\nfile", "--alpha", "1"], "InvalidRequest: no file: cannot be read"),
        (["loss", "m.csv", "--alpha", "-1"], "InvalidLevel: --alpha 1: '-1': a privacy level is at least 0"),
        (["loss", "m.csv", "--alpha", "x\ny"], "InvalidNumber: --alpha 1: "),
        (["loss", "m.csv", "--alpha", "1", "--digits", "0"], "InvalidRequest: digits is at least 1"),
        (["loss", "m.csv", "--alpha", "1", "--digits", "100001"], "InvalidRequest: too large"),
        (["loss", "m.csv", "--alpha", "1", "--json", "--csv"], "InvalidRequest: --json and --csv"),
        (["leakage", "--epsilon", "1"], "InvalidRequest: --epsilon needs --steps"),
        (["leakage", "--steps", "1"], "InvalidRequest: give either --epsilon"),
        (["leakage", "--epsilon", "1", "--epsilons", "1"], "InvalidRequest: give either --epsilon"),
        (["leakage", "--epsilons", "1", "--steps", "1"], "InvalidRequest: --steps belongs to --epsilon"),
        (["leakage", "--epsilon", "1", "--steps", "0"], "InvalidRequest: --steps is at least 1"),
        (["leakage", "--epsilon", "1", "--steps", "10001"], "InvalidRequest: too large: 10001 releases"),
        (["leakage", "--epsilon", "1", "--steps", "2", "--at", "3"], "InvalidRequest: --at: 3 is beyond"),
        (["leakage", "--epsilon", "1", "--steps", "2", "--at", "0"], "InvalidRequest: --at: '0'"),
        (["leakage", "--epsilon", "1", "--steps", "2", "--after", "3"], "InvalidRequest: --after: 3 is beyond"),
        (["leakage", "--epsilon", "1", "--at", "1", "--after", "1"], "InvalidRequest: --at and --after"),
        (["leakage", "--epsilon", "1", "--after", "1", "--users", "m.csv"], "InvalidRequest: m.csv: not JSON"),
        (["smooth", "--s", "1"], "InvalidRequest: give either a matrix or -n"),
        (["smooth", "-n", "0", "--s", "1"], "InvalidRequest: n is at least 1"),
        (["smooth", "-n", "2", "--s", "-1"], "InvalidRequest: the smoothing parameter"),
        (["reverse", "m.csv"], "InvalidRequest: give either --initial or --stationary"),
        (["reverse", "m.csv", "--initial", "m.csv"], "InvalidRequest: m.csv: a distribution is one row"),
        (["estimate", "no.zip"], "InvalidRequest: no.zip: cannot be read"),
        (["estimate", "s.txt", "--smoothing", "x"], "InvalidNumber: --smoothing: "),
        (["spend", "no.json"], "InvalidRequest: "),
        (["spend", "no/a.json", "--init"], "InvalidRequest: no/a.json: its folder cannot be read"),
    ],
)
def test_errors_are_one_line_and_status_2(folder, args, message):
    result = run(*args, status=2)
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize("args", [["conjure"], ["loss"], ["loss", "m.csv", "--beta", "1"], ["leakage", "--steps", "x"]])
def test_usage_errors_have_status_2(args):
    result = run(*args, status=2)
    assert "Usage: tploracle" in result.stderr


def test_version_and_help():
    assert run("--version").stdout == f"tploracle, version {__version__}\n"
    for name in ("loss", "loss-function", "leakage", "smooth", "reverse", "estimate", "spend", "serve"):
        assert name in run("--help").stdout
        assert "Usage: " in run(name, "--help").stdout


@pytest.mark.parametrize(
    ("fault", "status", "line"),
    [
        (KeyboardInterrupt, 130, "Interrupted\n"),
        (MemoryError, 2, "InvalidRequest: too large: there is not enough memory to answer\n"),
        (RecursionError, 2, "InvalidRequest: too large: there is not enough memory to answer\n"),
        (OSError(28, "No space left on device"), 2, "InvalidRequest: the answer cannot be written: No space left"),
    ],
)
def test_how_a_command_ends(folder, monkeypatch, fault, status, line):
    def failing(*args):
        raise fault

    monkeypatch.setattr("tploracle.contract.losses.quick_loss_function", failing)
    result = run("loss", "m.csv", "--alpha", "1", status=status)
    assert result.stderr.startswith(line)


def test_main_returns_its_status_when_called(folder, capsys):
    assert main.main(["loss", "no.csv", "--alpha", "1"], standalone_mode=False) == shell.BAD_USAGE
    assert main.main(["loss", "m.csv", "--alpha", "1"], standalone_mode=False) == shell.OK


def test_a_reader_that_leaves_early_is_no_error(folder):
    with subprocess.Popen(
        [sys.executable, "-m", "tploracle", "leakage", "--epsilon", "0.1", "--steps", "10000", "--csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


def test_an_interrupt_is_one_line(folder):
    os.mkfifo(folder / "fifo")
    with subprocess.Popen(
        [sys.executable, "-m", "tploracle", "estimate", "fifo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        with (folder / "fifo").open("wb"):  # opens once the command reads
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130
        assert process.stderr.read() == b"Interrupted\n"


def test_names_cannot_upset_the_terminal(folder):
    (folder / "evil.json").write_text('[["\\u001b[2Ja", "\\ud800"], ["\\ud800", "\\u001b[2Ja"]]')
    output = run("estimate", "evil.json").stdout
    assert "\x1b" not in output
    assert "\\x1b[2Ja" in output


def test_undecided_has_a_status_of_its_own(folder, monkeypatch):
    def failing(*args):
        raise Undecided("two numbers agree")

    monkeypatch.setattr("tploracle.contract.losses.quick_loss_function", failing)
    assert run("loss", "m.csv", "--alpha", "1", status=3).stderr == "Undecided: two numbers agree\n"


def test_a_table_that_nobody_reads_on_is_no_error(folder):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "tploracle", "loss-function", "m.csv"]
    found = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (found.returncode, found.stderr) == (0, b"")
