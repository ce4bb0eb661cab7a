"""Options mean the same in every command, and one meaning has one name: held over the whole tree of commands."""

import re
from collections import defaultdict

import click
import pytest

from tploracle.cli.main import main

from ...commands import line, run

SYNONYMS = {
    "--steps": {"releases", "horizon", "count-of-releases"},
    "--out": {"output", "write", "folder", "to", "save"},
    "--time-limit": {"timeout", "limit", "seconds", "max-time"},
    "--at": {"times", "when"},
    "--digits": {"precision", "places"},
    "--json": {"as-json", "format"},
    "--csv": {"as-csv"},
    "--neighbours": {"neighbors", "relation", "adjacency"},
    "--normalise": {"normalize"},
    "--seed": {"random-seed"},
    "--methods": {"method-names"},
}
"""What an option is called, and what it might be called by somebody who does not look at the other commands."""

ONE_OR_SEVERAL = {"--at": {"T", "TIMES"}, "--steps": {"integer", "COUNTS"}, "--out": {"FILE", "FOLDER"}}
"""Options that have one meaning and take one or several of the same, as the command answers for."""


def tree(group=main, name=()):
    """Yield the words of every command and its options."""
    context = click.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        if isinstance(command, click.Group):
            yield from tree(command, (*name, word))
        else:
            yield (
                " ".join((*name, word)),
                [own for own in command.params if isinstance(own, click.Option) and not own.hidden],
            )


COMMANDS = dict(tree())


def meaning(option):
    """Return what an option is said to mean, without its condition and what it is if it is not given."""
    text = re.sub(r"^(With|Instead|In)\b[^:]*: ", "", option.help or "")
    return re.sub(r"\s*\[default:.*\]|[;.]? may be repeated|; repeatable", "", text).strip(" .").lower()


def test_there_are_commands():
    assert {"leakage", "population", "vectors list"} <= set(COMMANDS)
    assert sum(map(len, COMMANDS.values())) > 200


def test_no_option_has_a_name_that_another_one_has_elsewhere():
    banned = {f"--{name}": own for own, names in SYNONYMS.items() for name in names}
    found = {(word, name) for word, options in COMMANDS.items() for option in options for name in option.opts}
    assert not {(word, name, banned[name]) for word, name in found if name in banned}


def test_one_meaning_has_one_name():
    names = defaultdict(set)
    for options in COMMANDS.values():
        for option in options:
            names[meaning(option)].add(option.opts[0])
    assert {text: own for text, own in names.items() if len(own) > 1} == {}


def test_every_option_is_explained():
    assert not [(word, option.opts) for word, options in COMMANDS.items() for option in options if not option.help]


def test_one_name_takes_one_kind_of_value():
    kinds = defaultdict(set)
    for options in COMMANDS.values():
        for option in options:
            kinds[option.opts[0]].add(option.metavar or ("flag" if option.is_flag else option.type.name.split()[0]))
    assert {name: own for name, own in kinds.items() if len(own) > 1} == ONE_OR_SEVERAL


NO_LEVELS = {"estimate", "fit", "reverse", "smooth", "loss-function", "utility"}
"""Commands with --digits that print matrices, exact breakpoints, or noise."""


def test_every_command_that_prints_levels_has_them_as_doubles():
    names = {word: {name for option in options for name in option.opts} for word, options in COMMANDS.items()}
    shown = {word for word, own in names.items() if {"--digits", "--csv"} <= own}
    assert {word for word in shown if "--float" not in names[word]} == NO_LEVELS
    assert all("--json" in names[word] for word in {*shown, "certify", "check", "conform", "verify"})


KNOWN = "--forward m.csv --one-sided"
TWO = "--epsilon 1/10 --steps 2"
ANSWERED = {
    "leakage": f"{KNOWN} {TWO}",
    "composition": f"{KNOWN} {TWO}",
    "profile": f"{KNOWN} {TWO} --delta 0",
    "attack": f"{KNOWN} {TWO}",
    "allocate": f"{KNOWN} --alpha 1 --steps 2 --method constant",
    "utility": f"{KNOWN} --alpha 1 --steps 2",
    "spend": f"l.db --init {KNOWN}",
    "audit": f"b.csv --one-sided {TWO}",
    "supremum": "m.csv --one-sided --epsilon 1/10",
    "control": "m.csv --spent 0.1 --cap 1",
    "certify": "leakage --forward m.csv --epsilon 1/10 --steps 2",
    "certify --role": "loss m.csv --alpha 1",
}
"""A line of each command about matrices, or about one option of it, to which each value of its choices is added."""

CHOICES = {"--matrices", "--role", "--model"}


def test_the_value_of_every_option_that_a_help_shows_reaches_its_command():
    shown = [(word, option) for word, options in COMMANDS.items() for option in options]
    assert [(word, option.opts) for word, option in shown if not (option.expose_value or option.is_eager)] == []
    takes_users = {word for word, option in shown if "--users" in option.opts}
    assert takes_users == {word for word, option in shown if "--independent" in option.opts}
    assert takes_users <= set(ANSWERED)
    assert {word for word, option in shown if "--matrices" in option.opts} <= set(ANSWERED)


SLOW = {"audit", "allocate"}


@pytest.mark.parametrize(
    "word",
    [pytest.param(word, marks=[pytest.mark.slow] * (word in SLOW)) for word in ANSWERED if word in COMMANDS],
)
def test_no_help_shows_what_can_only_be_refused(word, folder):
    for option in COMMANDS[word]:
        name = option.opts[0]
        for choice in option.type.choices if name in CHOICES else ():
            run(word, *line(ANSWERED.get(f"{word} {name}", ANSWERED[word])), name, choice)
            (folder / "l.db").unlink(missing_ok=True)
    if "--users" in {option.opts[0] for option in COMMANDS[word]}:
        (folder / "nobody.json").write_text('{"ann": {}}')
        given = re.sub(r"(--forward )?\w\.csv --one-sided", "", ANSWERED[word])
        run(word, *line(given), "--users", "nobody.json", "--independent")
