"""Each command is found by its name, in the file that is named after it, and imported only when it is asked for."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

import tploracle.cli
from tploracle.cli.main import COMMANDS, main

from ...commands import run

LISTING = """
import sys
from tploracle.cli.main import main
status = main.main(sys.argv[1:], standalone_mode=False)
print(*(name for name in sys.modules if name.endswith("_command") or name.split(".")[0] in ("numpy", "rich")))
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


def test_every_file_is_a_command_and_every_command_is_listed():
    files = {path.stem for path in Path(tploracle.cli.__file__).parent.glob("*_command.py")}
    assert files == {f"{name.replace('-', '_')}_command" for name in COMMANDS}
    shown = run("--help").stdout
    assert list(COMMANDS) == sorted(COMMANDS)
    for name, summary in COMMANDS.items():
        assert f"  {name} " in shown
        assert summary.split()[0] in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_the_name_that_it_is_found_by(name):
    command = main.get_command(click.Context(main), name)
    assert command.name == name
    assert command.help
    assert f"Usage: tploracle {name}" in run(name, "--help").stdout


def test_there_is_no_other_command():
    assert main.get_command(click.Context(main), "crosscheck_instances") is None
    result = run("los", "m.csv", status=2)
    assert result.stdout == ""
    assert "No such command 'los'" in result.stderr
