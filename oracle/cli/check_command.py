"""`tploracle check`: whether each certificate holds."""

from __future__ import annotations

import click

from ..contract.errors import BAD_USAGE, OK
from ..data.files import read_text
from ..proofs_checks.checker import Rejected, check
from ..reference import OracleError

REJECTED = 1
"""The exit status where a certificate does not hold."""


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def check_command(*, files: tuple[str, ...]) -> None:
    """Check certificates: exit status 0 if all hold, 1 if some do not, 2 if a file cannot be read.

    Each file has one line: accepted and its kind, or rejected with the first step that fails.
    """
    status = OK
    for file in files:
        try:
            verdict = f"accepted, {check(read_text(file))}"
        except Rejected as error:
            verdict, status = f"rejected, {error}", max(status, REJECTED)
        except OracleError as error:
            verdict, status = f"{error.name}, {error}", BAD_USAGE
        click.echo(f"{file}: {verdict}")
    raise click.exceptions.Exit(status)
