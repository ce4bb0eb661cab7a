"""`tploracle audit`: everything worth knowing about one or many users' matrices, in one report."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import click

from ..auditing.audit import Audit, audit
from ..auditing.audit_terminal import blocks, users_csv
from ..auditing.audit_text import findings
from ..data.adversaries import BOTH, UserMatrices, user_matrices
from ..data.files import ROLES, Files
from ..output.sheets import Output, Sheet, print_table, printable
from ..output.writing import check_writable, write_text
from ..reference import InvalidRequest
from ..wire.numerals import Reader
from .options import Correlations, Releases, correlation_options, files_and_output, html_option, release_options
from .shell import do_all

_EPSILON, _STEPS = "0.1", 10


@click.command("audit")
@click.argument("matrices", nargs=-1, metavar="[MATRIX]…")
@click.option(
    "--role",
    type=click.Choice([*ROLES, BOTH]),
    help="What each MATRIX is; without it both where the file has both or has counts, else backward.",
)
@correlation_options("Instead: ")
@release_options(_EPSILON, _STEPS)
@click.option("--alpha", metavar="LEVEL", default="1", show_default=True, help="The level that TPL is to stay within.")
@click.option("--tight", is_flag=True, help="Also the exact worst case over all mechanisms, beside the paper's bounds.")
@html_option
@files_and_output(digits=8, has_levels=True)
def audit_command(
    *,
    matrices: tuple[str, ...],
    role: str | None,
    correlations: Correlations,
    releases: Releases,
    alpha: str,
    tight: bool,
    html: str | None,
    files: Files,
    output: Output,
) -> None:
    """Report everything worth knowing about a MATRIX, or about several, each of which is one user's.

    The matrix itself, its loss function, the leakage of a stream of releases and its supremum, the budgets that keep it
    within a level, and where and how far arithmetic in doubles goes wrong on it, as measured. Of users with both
    matrices also whether the backward one is the reversal of the forward one, and what follows.
    """
    digits = output.precision
    budgets = releases.budgets(files, _EPSILON, _STEPS)
    level = Reader().level(alpha, "--alpha")
    candidates = bool(correlations.backward or correlations.forward)
    if bool(matrices) + candidates + (correlations.users is not None) != 1:
        raise InvalidRequest("give one of MATRIX…, --backward with --forward, and --users")
    if role is not None and not matrices:
        raise InvalidRequest("--role belongs to MATRIX…")
    if html is not None:
        check_writable(html, "page")
    if matrices:
        owned = user_matrices(files, matrices, role)
    else:
        owned = UserMatrices(dict(correlations.matrices(files)), normalised=files.normalised)
    output.normalised = owned.normalised
    drawn = html is not None
    found = audit(
        owned.users,
        budgets,
        level,
        states=owned.states,
        curves=drawn,
        tight=tight,
        digits=digits,
        bounds_alone=lambda bounds: _print_at_once(output, bounds, digits),
    )
    do_all(lambda: _print(output, found, digits), lambda: _write_page(html, found, digits, owned.normalised))


def _write_page(html: str | None, found: Audit, digits: int, normalised: Mapping[str, list[int]]) -> None:
    if html is not None:
        from ..auditing.audit_html import audit_page

        write_text(html, audit_page(found, digits, normalised), "page")


def _print_at_once(output: Output, found: Audit, digits: int) -> None:
    """Print what there is before the command ends."""
    _print(output, found, digits)
    sys.stdout.flush()


def _print(output: Output, found: Audit, digits: int) -> None:
    if output.as_json:
        from ..auditing.audit_json import audit_value

        output.write([audit_value(found, digits)])
    elif output.as_csv:
        output.write([], users_csv(found, digits))
    else:
        _print_tables(output, found, digits)


def _print_tables(output: Output, found: Audit, digits: int) -> None:
    output.write([])
    for sentence in findings(found, digits):
        click.echo(printable(sentence))
    click.echo()
    for block in blocks(found, digits):
        if isinstance(block, Sheet):
            print_table(block)
        else:
            click.echo("\n".join(map(printable, block)) + "\n")
