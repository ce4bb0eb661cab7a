"""How a command ends: its exit status, and one line on standard error for whatever goes wrong."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import isnan
from typing import Any

import click

from ..contract.errors import BAD_USAGE, OK, REFUTED, UNDECIDED
from ..contract.limits import took_too_long
from ..reference import InvalidRequest, OracleError, Undecided
from ..reference.errors import Refuted, TableNote
from ..system.processor_time import no_answer_within
from ..system.signals import OutOfTime, Terminated, ended_at_once, raised, status_of
from ..unchecked import forget
from ..wire.strict_json import printable


class Seconds(click.FloatRange):
    """How many seconds; NaN is no number of them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number of seconds."""
        seconds: float = super().convert(value, param, ctx)
        if isnan(seconds):
            self.fail(f"{value} is no number of seconds.", param, ctx)
        return seconds


class Shell(click.Group):
    """The group of commands. Errors are one line on standard error by the contract's name.

    The exit status is then 2, for Undecided 3, for Refuted 5; for a signal 128 and its number.
    """

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,  # noqa: ARG002 - click's signature
        **extra: Any,
    ) -> Any:
        """Run one command. Returns: its exit status; as a program (standalone_mode) it exits with it instead."""
        name = prog_name or "tploracle"
        if sys.flags.optimize > 1:  # -OO, PYTHONOPTIMIZE=2
            _say("InvalidRequest: Python was started to leave texts out (-OO, PYTHONOPTIMIZE=2), those of the help too")
            sys.exit(BAD_USAGE)
        # What editable installations add to the path is no folder, but one of that name could lie where one stands.
        sys.path[:] = [entry for entry in sys.path if not entry.endswith(".__path_hook__")]
        self._main_shell_completion(extra, name, complete_var)
        forget()
        with raised():
            status = self._run(sys.argv[1:] if args is None else list(args), name, extra)
        if standalone_mode:
            sys.exit(status)
        return status

    def _run(self, args: list[str], prog_name: str, extra: dict[str, Any]) -> int:
        try:
            _open_what_is_closed()
            for stream in (sys.stdout, sys.stderr):
                if isinstance(stream, io.TextIOWrapper):
                    stream.reconfigure(errors="backslashreplace")
            with self.make_context(prog_name, args, **extra) as context, _notes_to(_say):
                self.invoke(context)
            sys.stdout.flush()
        except Undecided as error:
            return _complain(error.name, str(error), UNDECIDED)
        except Refuted as error:
            return _complain(error.name, str(error), REFUTED)
        except OracleError as error:
            return _complain(error.name, str(error))
        except click.exceptions.Exit as exit_:
            return exit_.exit_code
        except click.ClickException as error:
            with suppress(OSError):
                _with_roles(error).show()
            return BAD_USAGE
        except BrokenPipeError:
            forget_output()
            return OK
        except OutOfTime as error:
            forget_output()
            more = "tploracle --time-limit SECONDS allows more"
            return _complain(InvalidRequest.__name__, f"{took_too_long(no_answer_within(error.seconds))}; {more}")
        except KeyboardInterrupt as interruption:
            ended_at_once()
            _say("Terminated" if isinstance(interruption, Terminated) else "Interrupted")
            forget_output()
            return status_of(interruption)
        except (MemoryError, RecursionError):
            return _complain(InvalidRequest.__name__, "too large: there is not enough memory to answer")
        except OSError as error:
            forget_output()
            return _complain(InvalidRequest.__name__, str(_unwritten(error)))
        return OK


@contextmanager
def _notes_to(write: Callable[[str], object]) -> Iterator[None]:
    """Send notes to a writer of lines instead of Python's warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", TableNote)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: object) -> None:
            if issubclass(category, TableNote):
                write(f"note: {message}")
            else:
                others(message, category, *rest)  # type: ignore[arg-type]

        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _with_roles(error: click.ClickException) -> click.ClickException:
    """Return the error, which says how a matrix is given where it came without its role, or with one that has none."""
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return error
    options = {name for option in error.ctx.command.params for name in option.opts}
    if "unexpected extra argument" in error.message and {"--backward", "--forward"} <= options:
        roles = "; a matrix has a role here: --backward FILE or --forward FILE"
        return click.UsageError(error.message + roles, error.ctx)
    name = error.option_name if isinstance(error, click.NoSuchOption) else ""
    if name in ("--backward", "--forward") and "matrix" in options:
        role = f", and --role {name[2:]} says which one it is" if "--role" in options else ""
        return click.UsageError(f"No such option '{name}'; write the matrix without an option here{role}", error.ctx)
    return error


def _complain(name: str, message: str, status: int = BAD_USAGE) -> int:
    line = " ".join(message.split())
    _say(f"{name}: {line if len(line) <= 1000 else line[:997] + '...'}")
    return status


def _say(line: str) -> None:
    """Write a last line on standard error, if there is one; a file may have any name."""
    with suppress(OSError):
        click.echo(printable(line), err=True)


def _open_what_is_closed() -> None:
    """Open the standard streams with which this process was not provided.

    Nothing is read from that input, and what is written on that output is an error. Without this a file that is opened
    later would take the place of one of them.
    """
    for descriptor, name, flags in ((0, "stdin", os.O_RDONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, flags)  # the lowest descriptor that is free
            mode = "r" if descriptor == 0 else "w"
            setattr(sys, name, open(descriptor, mode, closefd=False))  # noqa: SIM115 - for the whole process


def do_all(*steps: Callable[[], None]) -> None:
    """Do each step, whatever becomes of those before it; a reader who is gone is no error.

    Raises: the first error, when everything is done and the other errors have been said. What is no error of the
    contract is said as InvalidRequest: drawing may fail in any way.
    """
    errors: list[OracleError] = []
    for step in steps:
        try:
            step()
        except BrokenPipeError:
            forget_output()
        except OracleError as error:
            errors.append(error)
        except OSError as error:
            forget_output()
            errors.append(_unwritten(error))
        except Exception as error:  # noqa: BLE001 - see above
            errors.append(InvalidRequest(f"a report cannot be made: {type(error).__name__}: {error}"))
    for other in errors[1:]:
        _complain(other.name, str(other))
    if errors:
        raise errors[0]


def _unwritten(error: OSError) -> InvalidRequest:
    return InvalidRequest(f"the answer cannot be written: {error.strerror or error}")


def forget_output() -> None:
    """Send what is still to be written nowhere, so that the interpreter's own last flush does not complain."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a descriptor is needed, not a path
        try:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        except (OSError, ValueError):
            return
