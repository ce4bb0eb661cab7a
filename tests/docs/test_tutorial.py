"""The tutorial and README.md, run: each of their commands, and what it prints compared with the page.

`PYTHONPATH=examples python -m tests.docs.test_tutorial` writes what they print now into the tutorial.
"""

import contextlib
import math
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

import demo
from tploracle.cli.main import main

from ..commands import value

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
README = ROOT / "README.md"
COMMUTERS = ROOT / "examples" / "commuters"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRESS = re.compile(r"[\w ]+: .*\d+ s so far$")
"""What a command that takes long says on the way."""

DEAR = ("$ tploracle allocate", "$ tploracle utility")
"""Commands that take seconds; nothing after them depends on them."""

FIGURE = re.compile(r"\d+\.\d+")


def played(page, folder, but=()):
    """Return the page with what its commands print when they are run in the folder, but those that begin with this."""
    return BLOCK.sub(
        lambda block: block[0] if block[1].startswith(but) else f"```console\n{_lines(block[1], folder)}```", page
    )


def _lines(block, folder):
    shown = []
    for command in re.findall(r"^\$ ((?:.*\\\n)*.*)$", block, re.MULTILINE):
        shown.append(f"$ {command}\n")
        if not command.startswith("cd "):
            shown.append(_printed(command, folder))
    return "".join(shown)


def _printed(command, folder):
    """Return what a command prints; ours runs in this process, what its output goes through or into in a shell."""
    ours = re.match(r"tploracle ((?:[^|>]|\\\n)*)", command)
    printed = said = ""
    if ours:
        with contextlib.chdir(folder):
            result = CliRunner(env={"LOGNAME": "steward"}).invoke(main, shlex.split(ours[1]), prog_name="tploracle")
        printed, said = result.stdout, result.stderr
        command = f"cat {command[ours.end() :]}"
    done = subprocess.run(["sh", "-c", command], cwd=folder, input=printed, capture_output=True, text=True, check=True)
    lines = (done.stdout + said).rstrip().splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines if not PROGRESS.match(line))


@pytest.mark.parametrize("but", [DEAR, pytest.param((), marks=pytest.mark.slow)], ids=["quick", "all"])
def test_the_commands_print_what_the_tutorial_shows(tmp_path, but):
    shutil.copytree(COMMUTERS, tmp_path / "commuters")
    page = PAGE.read_text(encoding="utf-8")
    assert sum(not block.startswith(but) for block in BLOCK.findall(page)) > 8 - len(but)
    assert played(page, tmp_path / "commuters", but) == page


def test_the_log_is_the_one_that_is_made(tmp_path):
    shutil.copy(COMMUTERS / "make_visits.py", tmp_path)
    subprocess.run([sys.executable, tmp_path / "make_visits.py"], check=True)
    for name in ("visits.csv", "habits.txt"):
        assert (tmp_path / name).read_bytes() == (COMMUTERS / name).read_bytes()


@pytest.mark.slow
def test_the_readme_shows_what_its_commands_print(tmp_path):
    """A line of … stands for any lines."""
    pages = "".join(page.read_text(encoding="utf-8") for page in (README, ROOT / "docs" / "howto" / "budget.md"))
    text = "".join(f"```console\n{block}```\n" for block in BLOCK.findall(pages))
    shown = re.split(r"^…\n", text, flags=re.MULTILINE)
    printed = played(text, tmp_path)
    assert text.count("$ tploracle") == 7
    assert re.fullmatch("(?s:.*)".join(map(re.escape, shown)), printed)


def test_the_number_of_the_readme():
    answer = value("leakage", *demo.KNOWN, "--epsilon", "0.1", "--steps", 50, "--after", 50)
    (level,) = answer["worst_case"]["worst_tpl"]
    leaked = float(level["upper"])
    figures = {f"leak {leaked:.1f}", f"{leaked:.2f}, not 0.1", f"{math.exp(leaked):.1f}, not {math.exp(0.1):.1f}"}
    assert all(figure in README.read_text(encoding="utf-8") for figure in figures)


def test_every_figure_of_the_text_is_printed_by_a_command():
    page = PAGE.read_text(encoding="utf-8")
    printed = "".join(BLOCK.findall(page)).replace("[", "").replace(",", "")
    own = {f"{math.exp(level):.1f}" for level in (0.1, 1)}
    assert {*FIGURE.findall(BLOCK.sub("", page))} - own <= {*FIGURE.findall(printed)}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        copied = shutil.copytree(COMMUTERS, Path(scratch) / "commuters")
        PAGE.write_text(played(PAGE.read_text(encoding="utf-8"), copied), encoding="utf-8")
