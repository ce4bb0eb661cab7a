"""`tploracle example`: data and an implementation to try the commands with."""

from __future__ import annotations

import click

from ..examples import EXAMPLES, read
from .declared import Command, argument


class ExampleCommand(Command):
    """Write an example to standard output: data, or an implementation, to try the commands with.

    Without NAME, list the examples: name, usual name of the file, contents.
    """

    name: str | None = argument(metavar="[NAME]", required=False, type=click.Choice(list(EXAMPLES)))

    def _run(self) -> None:
        if self.name is not None:
            click.echo(read(self.name), nl=False)
            return
        for name, (path, words) in EXAMPLES.items():
            click.echo(f"{name:<14}  {path.rpartition('/')[2]:<17}  {words}")
