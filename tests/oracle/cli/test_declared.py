"""Sentences that refuse options: which options they are about, and when they refuse."""

from itertools import chain, combinations

import click
import pytest

from tploracle.cli.declared import Command, OptionGroup, is_refused, names_in, names_of
from tploracle.cli.main import COMMANDS, main
from tploracle.cli.options import ReadingCommand

from ...commands import refused


@pytest.mark.parametrize(
    ("sentence", "refused", "admitted"),
    [
        ("--a and --b exclude each other", ["--a --b"], ["", "--a", "--b --c"]),
        ("--a, --b and --c belong together", ["--a", "--a --c"], ["", "--a --b --c"]),
        ("--a excludes --b and --c: why", ["--a --b", "--a --c"], ["", "--a", "--b --c"]),
        ("--a and --b exclude MATRIX", ["--a MATRIX", "--b MATRIX"], ["--a --b", "MATRIX"]),
        ("--a needs --b: it has --c", ["--a", "--a --c"], ["", "--b", "--a --b"]),
        ("--a and --b belong to --c or -n", ["--a", "--b"], ["", "--a --c", "--b -n"]),
        ("give either --a or --b", ["", "--a --b", "--c"], ["--a", "--b"]),
        ("--a: why not", ["--a", "--a --b"], ["", "--b"]),
    ],
)
def test_when_a_sentence_refuses(sentence, refused, admitted):
    for expected, lines in ((True, refused), (False, admitted)):
        assert [is_refused(sentence, {*line.split()}) for line in lines] == [expected] * len(lines)


def sentences_of(name):
    """Return the sentences of a command: its own, and those of its groups of options."""
    classes = [*Command.__subclasses__(), *ReadingCommand.__subclasses__()]
    kind = next((own for own in classes if own.__name__.lower() == f"{name.replace('-', '')}command"), Command)
    groups = [own for own in vars(kind).values() if isinstance(own, OptionGroup)]
    return kind.refused, [text for own in groups for text in own.refused]


def words_of(parameter):
    """Return words that give an option or argument."""
    value = parameter.type.choices[0] if isinstance(parameter.type, click.Choice) else "1"
    if isinstance(parameter, click.Argument):
        return [value]
    return [parameter.opts[0], *([] if parameter.is_flag else [value])]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_sentence_refuses_options_of_its_command_before_anything_else(name):
    params = main.get_command(click.Context(main), name).params
    own, shared = sentences_of(name)
    for sentence in (*own, *shared):
        about = [each for each in params if names_of(each) & names_in(sentence)]
        assert about, sentence
        assert sentence in shared or names_in(sentence) <= set().union(*map(names_of, about)), sentence
        needed = [each for each in params if each.required and each not in about]
        choices = chain.from_iterable(combinations(about, count) for count in range(len(about) + 1))
        wrong = next(some for some in choices if is_refused(sentence, set().union(*map(names_of, some))))
        words = [word for each in (*needed, *wrong) for word in words_of(each)]
        assert refused(name, *words).removeprefix("InvalidRequest: ").rstrip() in (*own, *shared), words
