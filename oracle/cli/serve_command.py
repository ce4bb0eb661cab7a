"""`tploracle serve`: the oracle on the wire."""

from __future__ import annotations

import sys

import click

from ..solvers.signals import status_of
from ..wire.serve import serve


@click.command("serve")
def serve_command() -> None:
    """Answer requests in JSON lines on standard input and output."""
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except KeyboardInterrupt as interruption:
        raise click.exceptions.Exit(status_of(interruption)) from None
