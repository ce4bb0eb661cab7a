"""`tploracle reverse`: the backward correlation of a forward one."""

from __future__ import annotations

import click

from ..contract.limits import check_reversal
from ..data.files import Files, named
from ..data.matrices import AS_COUNTS
from ..output.sheets import Output
from ..reference import InvalidRequest, reverse, stationary
from .options import files_and_output


@click.command("reverse")
@click.argument("matrix")
@click.option("--initial", metavar="FILE", help="Distribution of the earlier value: a row of CSV, or JSON.")
@click.option("--stationary", "from_stationary", is_flag=True, help="Use the chain's stationary distribution instead.")
@files_and_output()
def reverse_command(*, matrix: str, initial: str | None, from_stationary: bool, files: Files, output: Output) -> None:
    """Derive the backward correlation from a forward one by Bayes' rule, keeping the state names."""
    if (initial is None) != from_stationary:
        raise InvalidRequest("give either --initial or --stationary")
    forward = files.matrix(matrix, "forward" if _is_for_roles(files, matrix) else None)
    distribution = stationary(forward) if initial is None else files.distribution(initial)
    check_reversal(forward, distribution)
    output.write_matrix("backward", reverse(forward, distribution), files.states.get(matrix, ()))


def _is_for_roles(files: Files, path: str) -> bool:
    with named(path):
        return files.entries == AS_COUNTS or files.text(path).lstrip().startswith("{")
