"""The tutorial, run: each of its commands in a copy of its folder, and what it prints compared with the page.

`PYTHONPATH=examples python tests/docs/test_tutorial.py` writes what they print now into the page, and what the demo
prints into README.md.
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

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
README = ROOT / "README.md"
COMMUTERS = ROOT / "examples" / "commuters"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DEMO = re.compile(r"^```text\n\d+ releases leak .*?^```$", re.MULTILINE | re.DOTALL)
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
    assert (tmp_path / "visits.csv").read_bytes() == (COMMUTERS / "visits.csv").read_bytes()


def demonstrated(page):
    """Return README.md with what the demo prints first."""
    question = [word for word in demo.LEAKAGE if word not in ("--plot", demo.PICTURE)]
    printed = CliRunner().invoke(main, question, prog_name="tploracle").stdout
    return DEMO.sub("\n".join(["```text", *(line.rstrip() for line in printed.splitlines()), "```"]), page)


def test_the_demo_prints_what_the_readme_shows():
    page = README.read_text(encoding="utf-8")
    assert DEMO.search(page)
    assert demonstrated(page) == page


def test_every_figure_of_the_text_is_printed_by_a_command():
    page = PAGE.read_text(encoding="utf-8")
    printed = "".join(BLOCK.findall(page)).replace("[", "").replace(",", "")
    own = {f"{math.exp(level):.1f}" for level in (0.1, 1)}
    assert {*FIGURE.findall(BLOCK.sub("", page))} - own <= {*FIGURE.findall(printed)}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        copied = shutil.copytree(COMMUTERS, Path(scratch) / "commuters")
        PAGE.write_text(played(PAGE.read_text(encoding="utf-8"), copied), encoding="utf-8")
    README.write_text(demonstrated(README.read_text(encoding="utf-8")), encoding="utf-8")
