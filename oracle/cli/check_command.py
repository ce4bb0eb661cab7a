"""`tploracle check`: whether each certificate holds."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from ..certificates.checker import MOST_WORK, NotDecided, Rejected, check, read
from ..certificates.verified import Unavailable, check_verified
from ..contract.errors import BAD_USAGE, OK, UNDECIDED
from ..data.files import opened
from ..reference import InvalidRequest, OracleError
from ..wire.strict_json import printable
from .declared import Command, argument, option

REJECTED = 1
"""The exit status where a certificate does not hold."""


class CheckCommand(Command):
    """Check that certificates hold.

    Prints one line per file: accepted with its kind, rejected with the first step that fails, or not decided with the
    limit that was reached. With --verified a second line says what was proved, as the checker understood it; that
    checker is built by `make proofs`. Exit status: 2 if a file cannot be read, else 1 if a certificate does not hold,
    else 3 if one is not decided, else 0.
    """

    files: tuple[str, ...] = argument(metavar="FILE...", nargs=-1, required=True)
    work: int = option(
        type=click.IntRange(1), default=MOST_WORK, show_default=True, help="Limit of work on each file, in units."
    )
    verified: bool = option(help="Use the checker that is proved sound in Rocq; print what is proved.")
    as_json: bool = option("--json", help="Write JSON, one line per file.")

    def _run(self) -> None:
        found = {OK}
        for file in self.files:
            try:
                verdict, parts, status = "accepted", _accepted(_text(file), self.work, self.verified), OK
            except Rejected as error:
                verdict, parts, status = "rejected", [str(error)], REJECTED
            except NotDecided as error:
                verdict, parts, status = "not decided", [str(error)], UNDECIDED
            except OracleError as error:
                verdict, parts, status = error.name, [str(error)], BAD_USAGE
            found.add(status)
            if self.as_json:
                click.echo(json.dumps({"file": file, "verdict": verdict, "why": "\n  ".join(parts)}))
            else:
                click.echo(printable(f"{file}: {verdict}, ") + "\n  ".join(map(printable, parts)))
        raise click.exceptions.Exit(next(status for status in (BAD_USAGE, REJECTED, UNDECIDED, OK) if status in found))


def _accepted(text: str, work: int, verified: bool) -> Sequence[str]:
    if not verified:
        return [check(text, work)]
    try:
        return check_verified(text, work)
    except Unavailable as error:
        raise InvalidRequest(str(error)) from None


def _text(file: str) -> str:
    with opened(file) as stream:
        try:
            return read(stream)
        except UnicodeDecodeError as error:
            raise InvalidRequest(f"not UTF-8: byte {error.start + 1} is {error.object[error.start]:#04x}") from None
