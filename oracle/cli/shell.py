"""How a command ends: its exit status, and one line on standard error for whatever goes wrong."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from ..contract.errors import BAD_USAGE, INTERRUPTED, OK, UNDECIDED
from ..reference import InvalidRequest, OracleError, Undecided


class Shell(click.Group):
    """The group of commands. Errors are one line on standard error by the contract's name.

    The exit status is then 2, for Undecided 3.
    """

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,  # noqa: ARG002 - click's signature
        standalone_mode: bool = True,
        windows_expand_args: bool = True,  # noqa: ARG002
        **extra: Any,
    ) -> Any:
        """Run one command. Returns: its exit status; as a program (standalone_mode) it exits with it instead."""
        status = self._run(sys.argv[1:] if args is None else list(args), prog_name or "tploracle", extra)
        if standalone_mode:
            sys.exit(status)
        return status

    def _run(self, args: list[str], prog_name: str, extra: dict[str, Any]) -> int:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            with self.make_context(prog_name, args, **extra) as context:
                self.invoke(context)
            sys.stdout.flush()
        except Undecided as error:
            return _complain(error.name, str(error), UNDECIDED)
        except OracleError as error:
            return _complain(error.name, str(error))
        except click.exceptions.Exit as exit_:
            return exit_.exit_code
        except click.ClickException as error:
            error.show()
            return BAD_USAGE
        except BrokenPipeError:
            _forget_output()
            return OK
        except (KeyboardInterrupt, click.Abort):
            click.echo("Interrupted", err=True)
            return INTERRUPTED
        except (MemoryError, RecursionError):
            return _complain(InvalidRequest.__name__, "too large: there is not enough memory to answer")
        except OSError as error:
            return _complain(InvalidRequest.__name__, f"the answer cannot be written: {error.strerror or error}")
        return OK


def _complain(name: str, message: str, status: int = BAD_USAGE) -> int:
    line = " ".join(message.split())
    click.echo(f"{name}: {line if len(line) <= 1000 else line[:997] + '...'}", err=True)
    return status


def _forget_output() -> None:
    """Send what is still to be written nowhere, so that the interpreter's own last flush does not complain."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a descriptor is needed, not a path
        try:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        except (OSError, ValueError):
            return
