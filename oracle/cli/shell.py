"""What all commands share: the options, and how a command ends."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from ..contract.errors import BAD_USAGE, INTERRUPTED, OK, UNDECIDED
from ..reference import InvalidRequest, OracleError, Undecided

Command = TypeVar("Command", bound=Callable[..., object])


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


def common_options(command: Command) -> Command:
    """Add --digits, --json and --csv."""
    for option in (
        click.option("--csv", "as_csv", is_flag=True, help="Write CSV."),
        click.option("--json", "as_json", is_flag=True, help="Write JSON, a line per answer."),
        click.option("--digits", type=int, default=17, show_default=True, help="Digits of each enclosure."),
    ):
        command = option(command)
    return command


def float64_option(command: Command) -> Command:
    """Add --float64."""
    return click.option(
        "--float64",
        is_flag=True,
        help="Read matrix entries as doubles at their exact values; rows are divided by their exact sums.",
    )(command)


def reference_option(command: Command) -> Command:
    """Add --reference."""
    return click.option(
        "--reference", "literal", is_flag=True, help="Take the literal road of the paper, not the fast exact one."
    )(command)


def role_option(command: Command) -> Command:
    """Add --role."""
    return click.option(
        "--role",
        type=click.Choice(["backward", "forward"]),
        help="Which matrix, where the file has both or has counts.",
    )(command)


def plot_option(command: Command) -> Command:
    """Add --plot."""
    return click.option("--plot", metavar="FILE.png", help="Draw a picture as well.")(command)


def correlation_options(command: Command) -> Command:
    """Add --backward and --forward, each with any number of candidates."""
    for option in (
        click.option(
            "--forward", multiple=True, metavar="MATRIX", help="A forward correlation; several are candidates."
        ),
        click.option(
            "--backward", multiple=True, metavar="MATRIX", help="A backward correlation; several are candidates."
        ),
    ):
        command = option(command)
    return command


def users_option(command: Command) -> Command:
    """Add --users."""
    return click.option("--users", metavar="FILE", help="Instead: users, as for leakage.")(command)


def release_options(command: Command) -> Command:
    """Add --epsilon with --steps, and --epsilons."""
    for option in (
        click.option(
            "--epsilons", metavar="LEVELS", help="Budgets that differ: levels and commas, or a file of levels."
        ),
        click.option("--steps", type=int, help="How many releases."),
        click.option("--epsilon", metavar="LEVEL", help="The budget of every release."),
    ):
        command = option(command)
    return command
