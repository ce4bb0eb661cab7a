"""The commands that the pages show are commands that there are, with options that they have."""

import re
import shlex
from pathlib import Path

import click
import pytest

from tploracle.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md"), ROOT / "vectors" / "README.md"]
SHOWN = re.compile(r"`((?:tploracle|make) [^`…\\]+)`|^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def commands(page):
    for match in SHOWN.finditer(page.read_text(encoding="utf-8")):
        words = shlex.split((match[1] or match[2]).replace("\\\n", " "), comments=True)
        words = words[: words.index("|") if "|" in words else None]
        yield [word for word in words if not re.fullmatch(r"[A-Z]+=.*", word)]


SHOWN_COMMANDS = sorted({(page.name, *words) for page in PAGES for words in commands(page)})


def options_of(command):
    return {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}


def check(words):
    command, context = main, click.Context(main)
    while words and isinstance(command, click.Group) and not words[0].startswith("-"):
        command = command.get_command(context, words[0])
        assert command is not None, words[0]
        words = words[1:]
    given = [word.partition("=")[0] for word in words[: words.index("--") if "--" in words else None]]
    known = options_of(command) | {"-h", "--help"}
    assert {word for word in given if re.fullmatch(r"--?[a-z][\w-]*", word)} <= known


def test_the_pages_show_commands():
    assert len(SHOWN_COMMANDS) > 50


@pytest.mark.parametrize("shown", SHOWN_COMMANDS, ids=" ".join)
def test_each_command_is_one_that_there_is(shown):
    _page, program, *words = shown
    if Path(program).name == "tploracle":
        check(words)
    elif program == "make":
        assert set(words) <= TARGETS
    else:
        assert program in {"cd", "git", "head", "node", "pip", "python", ".venv/bin/python"}


@pytest.mark.parametrize("words", [["nothing"], ["loss", "--nothing"], ["loss", "-q"], ["vectors", "nothing"]])
def test_what_there_is_not_is_seen(words):
    with pytest.raises(AssertionError):
        check(words)
