"""The command line `tploracle`: its commands, each in the file that is named after it."""

from __future__ import annotations

from importlib import import_module

import click

from .. import __version__
from ..contract.limits import MOST_SECONDS
from ..system.signals import limited
from .shell import Seconds, Shell

COMMANDS = {
    "allocate": "Budgets that keep TPL at most α.",
    "attack": "The mechanism that leaks the most, in words and drawn.",
    "audit": "Everything worth knowing about users' matrices, in one report.",
    "certify": "A certificate of an exact answer.",
    "check": "Whether certificates hold.",
    "composition": "The leakage of several releases together.",
    "conform": "An implementation, put under the oracle.",
    "control": "The budget that may be spent now, below a cap.",
    "crosscheck": "L(α) by every method of this project, side by side.",
    "estimate": "Both correlations, from sequences.",
    "leakage": "BPL, FPL and TPL over time.",
    "loss": "L(α), the loss that a correlation adds to leakage α.",
    "loss-function": "The whole loss function, piece by piece.",
    "population": "A row of leakage and budgets for each of many users.",
    "reverse": "The backward correlation that follows from a forward one.",
    "serve": "Answers to requests in JSON lines.",
    "smooth": "A matrix, more uniform than the given one.",
    "sparse": "BPL or FPL of a large sparse correlation.",
    "spend": "A stream's account: budgets spent, and the leakage so far.",
    "supremum": "The level that leakage rises to with a constant budget.",
    "uncertainty": "How far the leakage may be from that of an estimated correlation.",
    "utility": "The noise that budgets cost.",
    "vectors": "The test vectors: linted, listed and shown.",
    "verify": "Every claim of the paper with its verdict, its evidence looked at again.",
}
"""The commands, and what each is about, so that they can be listed without being imported."""


UNLIMITED = ("audit", "check", "conform", "crosscheck", "population", "serve", "vectors", "verify")
"""Commands that do more than answer one question: they take as long as that takes, or have limits of their own."""

LIMITED_IN_PART = ("audit",)
"""Commands without a limit but for the exact worst case, which is left out where it takes longer."""


class Commands(Shell):
    """The commands, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return `x_y_command` of the module `x_y_command` for the command x-y."""
        if cmd_name not in COMMANDS:
            return None
        name = f"{cmd_name.replace('-', '_')}_command"
        command: click.Command = getattr(import_module(f".{name}", __package__), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tploracle")
@click.option(
    "--time-limit",
    metavar="SECONDS",
    type=Seconds(0, 1e9, min_open=True),
    help=f"How long a command may compute that answers one question.  [default: {MOST_SECONDS:g}]",
)
@click.pass_context
def main(context: click.Context, time_limit: float | None) -> None:
    """The correctness oracle for temporal privacy leakage: exact answers, enclosed to any number of digits.

    A MATRIX is a CSV, JSON, Parquet, .npy or .npz file, or - for standard input; its entries are exact (0.1 is 1/10).
    A LEVEL is in nats: 0.1, 3/7, log(11/10), inf.
    """
    context.obj = MOST_SECONDS if time_limit is None else time_limit
    if context.invoked_subcommand not in UNLIMITED:
        context.with_resource(limited(context.obj))
    elif time_limit is not None and context.invoked_subcommand not in LIMITED_IN_PART:
        raise click.UsageError(f"--time-limit before the command is not for {context.invoked_subcommand}")
