"""`tploracle audit`: everything worth knowing about one or many users' matrices, in one report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click

from ..auditing.audit import Audit, audit
from ..auditing.report import ON_PAGE, SCREEN, conclusion_of, document_of, users_csv
from ..data.adversaries import BOTH, UserMatrices, user_matrices
from ..data.files import ROLES, Files
from ..models.basis import Basis
from ..models.chain import completed
from ..models.model import Model
from ..models.neighbours import Neighbours
from ..output.documents import print_document
from ..output.sheets import Output
from ..output.writing import check_writable, write_text
from ..reference import InvalidRequest
from ..wire.numerals import Reader
from .options import (
    Correlations,
    Releases,
    correlation_options,
    files_and_output,
    html_option,
    model_options,
    neighbours_options,
    release_options,
    told_by,
)
from .shell import do_all

_EPSILON, _STEPS = "0.1", 10


@click.command("audit")
@click.argument("matrices", nargs=-1, metavar="[MATRIX]…")
@click.option(
    "--role",
    type=click.Choice([*ROLES, BOTH]),
    help="Which correlation each MATRIX is; the other one is its reversal.  [default: both if the file has both, or "
    "has counts; else backward]",
)
@correlation_options("Instead: ", stepwise=False)
@release_options(_EPSILON, _STEPS)
@click.option("--alpha", metavar="LEVEL", default="1", show_default=True, help="The level that TPL must not exceed.")
@neighbours_options()
@html_option
@model_options
@files_and_output(digits=8, has_levels=True)
@click.pass_obj
def audit_command(
    seconds: float | None,
    *,
    matrices: tuple[str, ...],
    role: str | None,
    correlations: Correlations,
    releases: Releases,
    alpha: str,
    neighbours: Neighbours,
    html: str | None,
    models: Sequence[Model],
    literal: bool,
    files: Files,
    output: Output,
) -> None:
    """Report on a MATRIX, or on several, one for each user.

    The report covers its structure, its loss function, the leakage of a stream and its supremum, budgets that keep TPL
    within a level, and the measured errors of arithmetic in doubles. An adversary who knows one matrix is taken to
    know its reversal as well; where both are given, the report says whether they belong to one chain.
    """
    budgets = neighbours.read(releases.budgets(files, _EPSILON, _STEPS))
    level = Reader().level(alpha, "--alpha")
    candidates = bool(correlations.backward or correlations.forward)
    if bool(matrices) + candidates + (correlations.users is not None) != 1:
        raise InvalidRequest("give one of MATRIX…, --backward with --forward, and --users")
    if role is not None and not matrices:
        raise InvalidRequest("--role belongs to MATRIX…")
    if matrices and correlations.independent:
        raise InvalidRequest("--independent excludes MATRIX…")
    if html is not None:
        check_writable(html, "page")
    if matrices:
        owned = user_matrices(files, matrices, role, files.matrix)
        users, files.made = completed(owned.users, correlations.one_sided, independent=False)
        owned = replace(owned, users=dict(users))
    else:
        owned = UserMatrices(dict(correlations.matrices(files)), normalised=files.normalised)
    output.normalised = owned.normalised
    found = audit(
        owned.users,
        budgets,
        level,
        models,
        states=owned.states,
        curves=html is not None,
        literal=literal,
        digits=output.digits,
        seconds=seconds,
    )
    if neighbours.converts:
        found = found.printed(lambda budget: neighbours.printed_one(budget, output.digits))
    several = len(found.users)
    whose = f"{several} candidates, each certain of one" if candidates else f"{several} users"
    made = [files.made[user.name] for user in found.users if user.name in files.made]
    basis = Basis.of(
        found.known,
        found.chain,
        whose,
        made,
        absent=found.answers.absent,
        **told_by(files),
    )
    basis = neighbours.basis(basis)
    do_all(lambda: _print(output, found, basis), lambda: _write_page(html, output, found, basis))
    found.answers.finish()


def _write_page(html: str | None, output: Output, found: Audit, basis: Basis) -> None:
    if html is not None:
        from ..output.html_pages import document_page

        write_text(html, document_page(document_of(found, basis, output, ON_PAGE), output), "page")


def _print(output: Output, found: Audit, basis: Basis) -> None:
    if not (output.as_json or output.as_csv):
        print_document(document_of(found, basis, output, SCREEN), output)
        return
    from ..auditing.audit_json import audit_value

    conclusion = conclusion_of(found, basis, output)
    values = [audit_value(found, conclusion.text, output.precision)] if output.as_json else []
    output.conclude(conclusion, values, *([users_csv(found, output)] if output.as_csv else []))
