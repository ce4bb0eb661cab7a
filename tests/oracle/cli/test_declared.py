"""Sentences that refuse options: which options they are about, and when they refuse."""

import click
import pytest

from tploracle.cli.declared import Command, Group, is_refused, names_in
from tploracle.cli.main import COMMANDS, main
from tploracle.cli.options import ReadingCommand


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


def test_every_sentence_is_about_options_of_its_command():
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        kind = next(
            (
                own
                for own in (*Command.__subclasses__(), *ReadingCommand.__subclasses__())
                if own.__name__.lower() == f"{name.replace('-', '')}command"
            ),
            None,
        )
        groups = [own for own in vars(kind or Command).values() if isinstance(own, Group)]
        known = {option for own in command.params for option in own.opts}
        known |= {(own.metavar or "").strip("[]….") for own in command.params if isinstance(own, click.Argument)}
        for sentence in getattr(kind, "refused", ()):
            assert names_in(sentence), sentence
            assert names_in(sentence) <= known, (name, sentence)
        assert all(names_in(text) & known for own in groups for text in own.refused)
