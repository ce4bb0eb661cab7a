"""The tutorial, run: each of its commands in a copy of its folder, and what it prints compared with the page.

`python tests/docs/test_tutorial.py` writes what the commands print now into the page.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
COMMUTERS = ROOT / "examples" / "commuters"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRESS = re.compile(r"[\w ]+: .*\d+ s so far$")
"""What a command that takes long says on the way."""

FIGURE = re.compile(r"\d+\.\d+")


def played(page, folder):
    """Return the page with what its commands print when they are run in the folder."""
    return BLOCK.sub(lambda block: f"```console\n{_lines(block[1], folder)}```", page)


def _lines(block, folder):
    shown = []
    for command in re.findall(r"^\$ ((?:.*\\\n)*.*)$", block, re.MULTILINE):
        shown.append(f"$ {command}\n")
        if not command.startswith("cd "):
            shown.append(_printed(command, folder))
    return "".join(shown)


def _printed(command, folder):
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = subprocess.run(
        command, shell=True, cwd=folder, env={**os.environ, "PATH": path, "USER": "steward"}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False,
    )  # fmt: skip
    lines = done.stdout.rstrip().splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines if not PROGRESS.match(line))


def test_the_commands_print_what_the_tutorial_shows(tmp_path):
    shutil.copytree(COMMUTERS, tmp_path / "commuters")
    page = PAGE.read_text(encoding="utf-8")
    assert len(BLOCK.findall(page)) > 8
    assert played(page, tmp_path / "commuters") == page


def test_the_log_is_the_one_that_is_made(tmp_path):
    shutil.copy(COMMUTERS / "make_visits.py", tmp_path)
    subprocess.run([sys.executable, tmp_path / "make_visits.py"], check=True)
    assert (tmp_path / "visits.csv").read_bytes() == (COMMUTERS / "visits.csv").read_bytes()


def test_every_figure_of_the_text_is_printed_by_a_command():
    page = PAGE.read_text(encoding="utf-8")
    printed = "".join(BLOCK.findall(page)).replace("[", "").replace(",", "")
    own = {"4.9", "1.1", "2.7", "1.58"}  # e^1.58, e^0.1, e, and what the table has as 1.58[2,3]
    assert {*FIGURE.findall(BLOCK.sub("", page))} - own <= {*FIGURE.findall(printed)}
    assert (round(2.718281828**1.5828, 1), round(2.718281828**0.1, 1), round(2.718281828, 1)) == (4.9, 1.1, 2.7)
    assert "1.58[2,3]" in page


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        copied = shutil.copytree(COMMUTERS, Path(scratch) / "commuters")
        PAGE.write_text(played(PAGE.read_text(encoding="utf-8"), copied), encoding="utf-8")
