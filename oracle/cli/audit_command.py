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
from .declared import argument, option
from .options import (
    Correlations,
    ReadingCommand,
    Releases,
    correlation_options,
    html_option,
    is_literal,
    model_options,
    neighbours_options,
    output_options,
    reading_options,
    release_options,
)
from .shell import do_all

_EPSILON, _STEPS = "0.1", 10


class AuditCommand(ReadingCommand):
    """Report on a MATRIX, or on several, one for each user.

    The report covers its structure, its loss function, the leakage of a stream and its supremum, budgets that keep TPL
    within a level, and the measured errors of arithmetic in doubles. An adversary who knows one matrix is taken to
    know its reversal as well; where both are given, the report says whether they belong to one chain.
    """

    matrices: tuple[str, ...] = argument(nargs=-1, metavar="[MATRIX]…")
    role: str | None = option(
        type=click.Choice([*ROLES, BOTH]),
        help="Which correlation each MATRIX is; the other one is its reversal.  "
        "[default: both if the file has both, or has counts; else backward]",
    )
    correlations: Correlations = correlation_options("Instead: ", stepwise=False)
    releases: Releases = release_options(_EPSILON, _STEPS)
    alpha: str = option(metavar="LEVEL", default="1", show_default=True, help="The level that TPL must not exceed.")
    neighbours: Neighbours = neighbours_options()
    html: str | None = html_option
    models: Sequence[Model] = model_options
    files: Files = reading_options
    output: Output = output_options(digits=8, has_levels=True)

    refused = (
        "MATRIX excludes --backward, --forward, --users and --independent",
        "--role belongs to MATRIX",
    )

    def _run(self) -> None:
        files, output = self.files, self.output
        budgets = self.neighbours.read(self.releases.budgets(files, _EPSILON, _STEPS))
        level = Reader().level(self.alpha, "--alpha")
        candidates = bool(self.correlations.backward or self.correlations.forward)
        if not (self.matrices or self.correlations):
            raise InvalidRequest("give one of MATRIX…, --backward with --forward, and --users")
        if self.html is not None:
            check_writable(self.html, "page")
        if self.matrices:
            owned = user_matrices(files, self.matrices, self.role, files.matrix)
            users, files.made = completed(owned.users, self.correlations.one_sided, independent=False)
            owned = replace(owned, users=dict(users))
        else:
            owned = UserMatrices(dict(self.correlations.matrices(files)), normalised=files.normalised)
        output.normalised = owned.normalised
        found = audit(
            owned.users,
            budgets,
            level,
            self.models,
            states=owned.states,
            curves=self.html is not None,
            literal=is_literal(self.models),
            digits=output.digits,
            seconds=click.get_current_context().obj,
        )
        if self.neighbours.converts:
            found = found.printed(lambda budget: self.neighbours.printed_one(budget, output.digits))
        several = len(found.users)
        whose = f"{several} candidates, each certain of one" if candidates else f"{several} users"
        made = [files.made[user.name] for user in found.users if user.name in files.made]
        absent = found.answers.absent
        basis = Basis.of(found.known, found.chain, whose, made, absent=absent, **files.told())
        basis = self.neighbours.basis(basis)
        do_all(lambda: _print(output, found, basis), lambda: _write_page(self.html, output, found, basis))
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
