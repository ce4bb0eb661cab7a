"""`tploracle serve`: the oracle on the wire."""

from __future__ import annotations

import sys

import click

from ..contract.limits import MOST_SECONDS
from ..system.signals import status_of
from ..wire.guard import serve_within
from .declared import Command, option
from .shell import Seconds


class ServeCommand(Command):
    """Answer requests in JSON lines on standard input and output, one at a time.

    A request that is not answered within the time limit is refused as InvalidRequest, and the next one answered.
    """

    time_limit: float = option(
        metavar="SECONDS",
        type=Seconds(0, 86_400, min_open=True),
        default=MOST_SECONDS,
        show_default=True,
        help="Processor time that one request may take.",
    )

    def _run(self) -> None:
        try:
            serve_within(sys.stdin.buffer, sys.stdout.buffer, self.time_limit)
        except KeyboardInterrupt as interruption:
            raise click.exceptions.Exit(status_of(interruption)) from None
