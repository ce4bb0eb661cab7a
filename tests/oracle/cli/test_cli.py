"""The command line: each command found by its name and imported when asked for, how it ends, files and pictures."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import tploracle.cli
from tploracle import __version__
from tploracle.cli import shell
from tploracle.cli.main import COMMANDS, GROUPS, main
from tploracle.output import plots
from tploracle.reference import Undecided

from ...commands import refused, run, value
from ...matrices import SKEWED, UNCORRELATED, texts_of

pytestmark = pytest.mark.usefixtures("folder")


def test_version():
    assert run("--version").stdout == f"tploracle, version {__version__}\n"


@pytest.mark.parametrize(
    ("fault", "status", "line"),
    [
        (KeyboardInterrupt, 130, "Interrupted\n"),
        (Undecided("two numbers agree"), 3, "Undecided: two numbers agree\n"),
        (MemoryError, 2, "InvalidRequest: too large: there is not enough memory to answer\n"),
        (RecursionError, 2, "InvalidRequest: too large: there is not enough memory to answer\n"),
        (OSError(28, "No space left on device"), 2, "InvalidRequest: the answer cannot be written: No space left"),
    ],
)
def test_how_a_command_ends(monkeypatch, fault, status, line):
    def failing(*args):
        raise fault

    monkeypatch.setattr("tploracle.contract.losses.quick_loss_function", failing)
    assert refused("loss", "m.csv", "--alpha", "1", status=status).startswith(line)


def test_main_returns_its_status_when_called(capsys):
    assert main.main(["loss", "no.csv", "--alpha", "1"], standalone_mode=False) == shell.BAD_USAGE
    assert main.main(["loss", "m.csv", "--alpha", "1"], standalone_mode=False) == shell.OK


def test_names_cannot_upset_the_terminal(folder):
    (folder / "evil.json").write_text('[["\\u001b[2Ja", "\\ud800"], ["\\ud800", "\\u001b[2Ja"]]')
    output = run("estimate", "evil.json").stdout
    assert "\x1b" not in output
    assert "\\x1b[2Ja" in output


def test_counts_are_a_matrix_file(folder):
    (folder / "s.txt").write_text("a a b a\nb a\nb\n")
    counts = run("estimate", "s.txt", "--counts", "--source", "made up").stdout
    assert json.loads(counts) == {
        "source": "made up",
        "states": ["a", "b"],
        "counts": [[1, 1], [2, 0]],
        "first": [1, 2],
        "fit": {"users": 3, "without": 1, "share": "0.75", "tests": {}},
    }
    (folder / "c.json").write_text(counts)
    assert value("smooth", "c.json", "--role", "forward", "--s", 0)["matrix"] == [["1/2", "1/2"], ["1", "0"]]
    # From first states 1/3, 2/3: a follows a by 1/6 and b by 2/3; b follows only a.
    assert value("reverse", "c.json", "--initial", "c.json")["backward"] == [["1/5", "4/5"], ["1", "0"]]


def test_a_file_of_two_matrices_has_roles(folder):
    both = {"backward": texts_of(UNCORRELATED), "forward": texts_of(SKEWED)}
    (folder / "both.json").write_text(json.dumps(both))
    supremum = value("supremum", "both.json", "--one-sided", "--role", "forward", "--epsilon", "1")
    assert supremum["paper_bound"]["d"] == "1/10"
    left = value("control", "both.json", "--role", "backward", "--spent", "1", "--cap", "1")
    assert left["worst_case"]["exact"] == "1"


@pytest.mark.parametrize(
    "line",
    [
        "loss d.csv --alpha 1",
        "supremum d.csv --one-sided --epsilon 0.1",
        "control d.csv --previous 0 --cap 1",
        "composition --backward d.csv --one-sided --epsilon 1 --steps 1",
        "allocate --backward d.csv --one-sided --alpha 1 --method upper-bound",
    ],
)
def test_float64_says_what_it_divided(folder, line):
    (folder / "d.csv").write_text("0.1,0.9\n0,1\n")
    assert run(*line.split(), "--float64").stderr == "note: d.csv: rows divided by their exact sums: 1\n"
    assert value(*line.split(), "--float64")["normalised_rows"] == {"d.csv": [1]}
    assert "normalised_rows" not in value(*line.split())


@pytest.mark.parametrize(
    "line",
    [
        "leakage --backward strong.csv --one-sided --epsilons 1,inf,2",
        "loss-function l.csv",
        "supremum m.csv --one-sided --epsilon 0.15 --epsilon 0.23",
        "allocate --alpha 1 --backward b.csv --forward f.csv --method quantified --steps 5",
        "attack --backward l.csv --one-sided --epsilon log(9/4) --steps 4",
    ],
)
def test_pictures(folder, line):
    run(*line.split(), "--plot", "new/a.png")
    assert (folder / "new" / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "matplotlib.pyplot" not in sys.modules


def test_a_picture_that_cannot_be_written_is_said(folder):
    assert "cannot be written" in run("loss-function", "l.csv", "--plot", folder, status=2).stderr


def test_what_the_picture_of_suprema_shows(monkeypatch):
    drawn = {}
    monkeypatch.setattr(plots, "leakage_picture", lambda path, panels, **_: drawn.update(panels))
    run("supremum", "m.csv", "--one-sided", "--epsilon", "log(6/5)", "--epsilon", "1", "--plot", "s.png", "--steps", 7)
    finite, infinite = drawn.values()
    exact, bound = "BPL, exact worst case", "BPL, paper's bound"
    assert (len(finite[bound]), finite["supremum, paper's bound"][0].exact_text) == (7, "log(6)")
    assert all(one <= other for one, other in zip(finite[exact], finite[bound], strict=True))
    assert finite[exact][-1] < finite["supremum, exact worst case"][0] <= finite["supremum, paper's bound"][0]
    assert {exact, bound} <= set(infinite)
    assert "supremum, paper's bound" not in infinite
    assert any("no supremum by the paper's bound" in title for title in drawn)


LISTING = """
import sys
SLOW = "flint", "multiprocessing", "numpy", "rich"
from tploracle.cli.main import main
status = main.main(sys.argv[1:], standalone_mode=False)
print(*(name for name in sys.modules if name.endswith("_command") or name in SLOW))
sys.exit(status)
"""


def imported(*args):
    done = subprocess.run([sys.executable, "-c", LISTING, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()


@pytest.mark.parametrize("args", [["--version"], ["--help"], ["-h"]])
def test_what_is_said_of_all_commands_imports_none(args):
    assert imported(*args) == []


def test_a_command_imports_itself_alone():
    own = [name for name in imported("check", "--help") if name.endswith("_command")]
    assert own == ["tploracle.cli.check_command"]


@pytest.mark.parametrize(
    ("more", "brought"), [((), {"flint", "rich"}), (("--json",), {"flint"}), (("--csv", "--reference"), {"flint"})]
)
def test_a_value_for_few_states_needs_no_arrays(more, brought):
    assert {*imported("loss", "m.csv", "--alpha", "0.1", *more)} == {"tploracle.cli.loss_command", *brought}


@pytest.mark.parametrize(("given", "used"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")])
def test_products_of_matrices_are_worked_out_by_one_thread_unless_others_are_asked_for(given, used):
    """Which is said before numpy is imported: it would not look again."""
    program = "import os, sys, tploracle.cli.main; print('numpy' in sys.modules, os.environ['OPENBLAS_NUM_THREADS'])"
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"} | given
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["False", used]


def test_every_file_is_a_command_and_every_command_is_listed():
    files = {path.stem for path in Path(tploracle.cli.__file__).parent.glob("*_command.py")}
    assert files == {f"{name.replace('-', '_')}_command" for name in COMMANDS}
    shown = run("--help").stdout
    assert sum(map(len, GROUPS.values())) == len(COMMANDS)
    for title in GROUPS:
        assert f"\n{title}:\n" in shown
    for name, summary in COMMANDS.items():
        assert f"\n  {name:13}  {summary}\n" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_the_name_that_it_is_found_by(name):
    command = main.get_command(click.Context(main), name)
    assert command.name == name
    assert command.help
    verb = COMMANDS[name].split()[0]
    assert command.help.startswith(verb), "the list of commands and its own help begin alike"
    assert f"Usage: tploracle {name}" in run(name, "--help").stdout


def completing(instruction, **more):
    env = {"_TPLORACLE_COMPLETE": instruction, **more}
    return CliRunner().invoke(main, [], env=env, prog_name="tploracle").stdout.splitlines()


@pytest.mark.parametrize(
    ("words", "offered"),
    [("tploracle allo", ["allocate"]), ("tploracle leakage --epsil", ["--epsilon", "--epsilons"])],
)
def test_a_shell_completes_commands_and_options(words, offered):
    shown = completing("bash_complete", COMP_WORDS=words, COMP_CWORD=str(len(words.split()) - 1))
    assert shown == [f"plain,{word}" for word in offered]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell):
    assert any(f"_TPLORACLE_COMPLETE={shell}_complete" in line for line in completing(f"{shell}_source"))


def test_there_is_no_other_command():
    assert main.get_command(click.Context(main), "crosscheck_instances") is None
    result = run("los", "m.csv", status=2)
    assert result.stdout == ""
    assert "No such command 'los'. Did you mean loss or loss-function?" in result.stderr
    assert "Did you mean leakage?" in run("laekage", status=2).stderr
    assert "tploracle --help lists the commands" in run("xyz", status=2).stderr
