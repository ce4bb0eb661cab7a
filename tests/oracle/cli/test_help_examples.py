"""The help of every command ends with an example that runs in an empty folder."""

import re
import shlex

import click
import pytest
from click.testing import CliRunner

from tploracle.cli.main import COMMANDS, main
from tploracle.examples import EXAMPLES, read

FAILS = ("conform",)
"""Commands whose example has an exit status of 1: mistakes are found."""

DEAR = ("population", "verify", "vectors lint")


def every_command():
    context = click.Context(main)
    for name in COMMANDS:
        found = main.get_command(context, name)
        yield name, found
        yield from ((f"{name} {own}", below) for own, below in getattr(found, "commands", {}).items())


HELPS = {name: found.get_help(click.Context(found)) for name, found in every_command()}


def shell(text, folder, allowed=0):
    """Run lines as a shell would, ours in this process; return what the last one printed."""
    printed = b""
    for line in re.sub(r"\\\n|(?<=\|)\n", " ", text).strip().splitlines():
        printed = b""
        words = [[]]
        for word in shlex.split(line):
            words.append([]) if word == "|" else words[-1].append(word)
        for program, *given in words:
            target = given.pop() if given[-2:-1] == [">"] else None
            if program == "echo":
                printed = f"{given[0]}\n".encode()
            else:
                assert program == "tploracle"
                args = given[:-1] if target else given
                done = CliRunner().invoke(main, args, input=printed, prog_name="tploracle", catch_exceptions=False)
                assert done.exit_code in (0, allowed), done.output
                printed = done.stdout_bytes
            if target:
                (folder / target).write_bytes(printed)
    return printed


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow if name in DEAR else ()) for name in HELPS])
def test_the_help_of_each_command_ends_with_an_example_that_runs(name, tmp_path, monkeypatch):
    _, found, example = HELPS[name].partition("\n\n  Example:\n")
    assert found
    assert re.search(rf"\btploracle {name}\b", example)
    assert max(map(len, HELPS[name].splitlines())) <= 80
    monkeypatch.chdir(tmp_path)
    printed = shell(example, tmp_path, allowed=1 if name in FAILS else 0)
    assert printed or list(tmp_path.iterdir()) or name == "vectors lint"


def test_what_fails_in_an_example_is_noticed(tmp_path):
    with pytest.raises(AssertionError):
        shell("tploracle example moderate |\n  tploracle loss -", tmp_path)


def test_all_examples_are_listed_and_come_as_they_are():
    listed = CliRunner().invoke(main, ["example"]).stdout.splitlines()
    assert [line.split()[0] for line in listed] == list(EXAMPLES)
    for name in EXAMPLES:
        assert CliRunner().invoke(main, ["example", name]).stdout_bytes == read(name)
