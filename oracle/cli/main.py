"""The command line `tploracle`: its commands, each in the file that is named after it."""

from __future__ import annotations

import os
from difflib import get_close_matches
from importlib import import_module

import click

from .. import __version__
from ..contract.limits import MOST_SECONDS
from ..system.signals import limited
from .declared import command
from .help_examples import epilog
from .shell import Seconds, Shell

# Before numpy: several threads wait for each other in products as small as ours, which takes as long, or longer.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

GROUPS = {
    "Compute": {
        "leakage": "Compute BPL, FPL and TPL of a stream of releases.",
        "supremum": "Find the supremum of leakage under a constant budget.",
        "composition": "Compute the leakage of several releases together.",
        "profile": "Find the (α, δ) of (ε, δ), Gaussian or zCDP releases.",
        "attack": "Show a mechanism that leaks the most.",
        "audit": "Report on matrices: leakage, budgets, hazards for doubles.",
        "loss": "Compute L(α), the part of leakage α that carries over.",
        "loss-function": "Print the whole loss function, piece by piece.",
        "sparse": "Compute BPL or FPL of a large sparse correlation.",
    },
    "Budget": {
        "allocate": "Find budgets that keep TPL within α.",
        "control": "Find the budget that the next release may spend.",
        "spend": "Keep an account of a stream: budgets spent, leakage so far.",
        "utility": "Compare the noise of budgets that keep TPL within α.",
        "population": "Compute leakage and budgets for each of many users.",
    },
    "Data": {
        "example": "Write data, or an implementation, to try the commands with.",
        "estimate": "Estimate both correlations from sequences or a log.",
        "fit": "Test whether a chain of first order fits sequences or a log.",
        "reverse": "Derive the backward correlation from a forward one.",
        "smooth": "Make a matrix more uniform.",
        "uncertainty": "Compute leakage over correlations drawn from the posterior.",
    },
    "Test an implementation": {
        "conform": "Test an implementation against the oracle.",
        "crosscheck": "Compute L(α) by every method of this project, side by side.",
        "serve": "Answer requests in JSON lines, as an implementation does.",
        "vectors": "List, show and check the test vectors.",
    },
    "The paper": {
        "verify": "Re-check every claim of the paper.",
    },
    "Prove": {
        "certify": "Write a certificate of an exact answer.",
        "check": "Check that certificates hold.",
    },
}
"""The commands by what they are for, and what each does, so that they can be listed without being imported."""

COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}


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
        """Return `XYCommand` of the module `x_y_command` for the command x-y, or the `x_y_command` that click made."""
        if cmd_name not in COMMANDS:
            return None
        name = f"{cmd_name.replace('-', '_')}_command"
        module = import_module(f".{name}", __package__)
        found: click.Command = getattr(module, name, None) or command(
            cmd_name, getattr(module, name.title().replace("_", ""))
        )
        found.epilog = epilog(cmd_name)
        for own, below in getattr(found, "commands", {}).items():
            below.epilog = epilog(f"{cmd_name} {own}")
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is named first. Raises: UsageError, which says the names that are near."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = [name for name in COMMANDS if len(args[0]) > 2 and name.startswith(args[0])]
            near += [name for name in get_close_matches(args[0], COMMANDS) if name not in near]
            found = f" Did you mean {' or '.join(near)}?" if near else " tploracle --help lists the commands."
            ctx.fail(f"No such command '{args[0]}'.{found}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands of each group."""
        width = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in group.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=epilog("leakage"))
@click.version_option(__version__, prog_name="tploracle")
@click.option(
    "--time-limit",
    metavar="SECONDS",
    type=Seconds(0, 1e9, min_open=True),
    help=f"How long a command that answers one question may compute.  [default: {MOST_SECONDS:g}]",
)
@click.pass_context
def main(context: click.Context, time_limit: float | None) -> None:
    """Compute what a stream of private releases leaks about correlated data, and test programs that compute it.

    TPL is the leakage about a person's value at one time through all releases, BPL through those up to that time, FPL
    through those from it on. Answers are exact, or enclosed in an interval of as many digits as you ask for.

    A MATRIX is a CSV, JSON, Parquet, .npy or .npz file, or - for standard input; its entries are exact (0.1 is 1/10).
    A LEVEL, of leakage or a budget, is in nats: 0.1, 3/7, log(11/10), inf.
    """
    context.obj = MOST_SECONDS if time_limit is None else time_limit
    if context.invoked_subcommand not in UNLIMITED:
        context.with_resource(limited(context.obj))
    elif time_limit is not None and context.invoked_subcommand not in LIMITED_IN_PART:
        raise click.UsageError(f"--time-limit before the command is not for {context.invoked_subcommand}")
