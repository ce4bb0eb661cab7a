"""`tploracle audit`: everything worth knowing about one or many users' matrices, in one report."""

from __future__ import annotations

import click

from ..auditing.audit import Audit, audit
from ..auditing.own_matrices import BOTH, Owned, own_matrices
from ..auditing.rendering import blocks, users_csv
from ..auditing.texts import findings
from ..data.adversaries import candidates
from ..data.files import ROLES, Files, write_text
from ..data.schedules import budgets_of
from ..output.sheets import Output, Sheet, print_table, printable
from ..reference import InvalidRequest
from ..wire.numerals import Reader
from .shell import float64_option, users_option

_EPSILON, _STEPS = "0.1", 10


@click.command("audit")
@click.argument("matrices", nargs=-1, metavar="[MATRIX]…")
@click.option(
    "--role",
    type=click.Choice([*ROLES, BOTH]),
    help="What each MATRIX is; without it both where the file has both or has counts, else backward.",
)
@click.option("--backward", multiple=True, metavar="MATRIX", help="Instead: candidates, as for leakage.")
@click.option("--forward", multiple=True, metavar="MATRIX", help="Instead: candidates, as for leakage.")
@users_option
@click.option("--epsilon", metavar="LEVEL", help=f"The budget of every release.  [default: {_EPSILON}]")
@click.option("--steps", type=int, help=f"How many releases.  [default: {_STEPS}]")
@click.option("--epsilons", metavar="LEVELS", help="Budgets that differ: levels and commas, or a file of levels.")
@click.option("--alpha", metavar="LEVEL", default="1", show_default=True, help="The level that TPL is to stay within.")
@click.option("--html", "html_file", metavar="FILE", help="Write the report as one page as well, with pictures.")
@float64_option
@click.option("--digits", type=int, default=8, show_default=True, help="Digits of each enclosure.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON, one object.")
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV, a line for each user.")
def audit_command(
    *,
    matrices: tuple[str, ...],
    role: str | None,
    backward: tuple[str, ...],
    forward: tuple[str, ...],
    users: str | None,
    epsilon: str | None,
    steps: int | None,
    epsilons: str | None,
    alpha: str,
    html_file: str | None,
    float64: bool,
    digits: int,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Report everything worth knowing about a MATRIX, or about several, each of which is one user's.

    The matrix itself, its loss function, the leakage of a stream of releases and its supremum, the budgets that keep it
    within a level, and where and how far arithmetic in doubles goes wrong on it, as measured.
    """
    files = Files(float64)
    output = Output(digits, as_json, as_csv)
    if epsilon is None and epsilons is None:
        epsilon = _EPSILON
    budgets = budgets_of(files, epsilon, steps, epsilons, _STEPS)
    level = Reader().level(alpha, "--alpha")
    given = bool(matrices) + bool(backward or forward) + bool(users)
    if given != 1:
        raise InvalidRequest("give one of MATRIX…, --backward with --forward, and --users")
    if role is not None and not matrices:
        raise InvalidRequest("--role belongs to MATRIX…")
    if matrices:
        owned = own_matrices(files, matrices, role)
    else:
        owned = Owned(dict(candidates(files, backward, forward, users)), normalised=files.normalised)
    output.normalised |= owned.normalised
    found = audit(owned.users, budgets, level, states=owned.states, curves=html_file is not None, digits=digits)
    if html_file is not None:
        from ..auditing.page import audit_page

        write_text(html_file, audit_page(found, digits, owned.normalised), "page")
    if as_json:
        from ..auditing.json_form import audit_value

        output.write([audit_value(found, digits)])
    elif as_csv:
        output.write([], users_csv(found, digits))
    else:
        _print(output, found, digits)


def _print(output: Output, found: Audit, digits: int) -> None:
    output.write([])
    for sentence in findings(found, digits):
        click.echo(printable(sentence))
    click.echo()
    for block in blocks(found, digits):
        if isinstance(block, Sheet):
            print_table(block)
        else:
            click.echo("\n".join(map(printable, block)) + "\n")
