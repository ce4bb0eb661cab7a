"""`tploracle verify`: the register of the paper's claims, run."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..contract.extras import need
from ..output.writing import check_writable, write_text
from ..reference import InvalidRequest
from .declared import Command, option
from .shell import do_all

if TYPE_CHECKING:
    from ..proofs_checks.register import Erratum, PaperClaim, TrialOutcome

STATUS_FAILED = 1
"""The exit status where some evidence does not hold."""


class VerifyCommand(Command):
    """Re-check every claim of the paper: its verdict, and the evidence for it. Exit status 1 if any evidence fails.

    Where PAPER_TEX names the paper's LaTeX source (arXiv:1711.11436), quoted lines are read from it.
    """

    name: str | None = option(
        "--claim", metavar="LABEL", help="Show one claim in full: a label, an item as printed, or an erratum."
    )
    words: str | None = option("-k", metavar="TEXT", help="Show only claims with TEXT in their label, number or title.")
    jobs: int = option(
        "--workers",
        "--jobs",
        type=click.IntRange(1),
        default=lambda: min(4, os.cpu_count() or 1),
        help="Number of processes.",
    )
    json_: bool = option("--json", help="Write one JSON object.")
    html_file: str | None = option("--html", metavar="FILE", help="Write one page of HTML.")
    markdown_file: str | None = option("--markdown", metavar="FILE", help="Write Markdown.")
    pictures: Path | None = option(
        metavar="FOLDER",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="Folder of PNG files for the page of HTML, each named after the label of its figure.",
    )

    def _run(self) -> None:
        need("verify", "proofs", "sympy", "z3", "highspy")
        from ..proofs_checks.trial import verify
        from .verify_output import as_json, failures, full, html, line, markdown, summary

        claims, errata = _chosen(self.name, self.words)
        for file in (self.html_file, self.markdown_file):
            if file is not None:
                check_writable(file, "page")
        report = verify(claims, errata, self.jobs, _progress)

        def show() -> None:
            if self.json_:
                click.echo(json.dumps(as_json(report), ensure_ascii=False))
            elif self.name is not None:
                click.echo("\n\n".join(full(claim, report) for claim in report.claims))
            else:
                for claim in report.claims:
                    click.echo(line(claim, report))
                click.echo(summary(report))

        def write_pages() -> None:
            if self.html_file:
                write_text(
                    self.html_file, html(report, sorted(self.pictures.glob("*.png")) if self.pictures else ()), "page"
                )
            if self.markdown_file:
                write_text(self.markdown_file, markdown(report), "page")

        do_all(show, write_pages)
        if not report.holds:
            for text in failures(report):
                click.echo(f"EvidenceFailed: {text}", err=True)
            raise click.exceptions.Exit(STATUS_FAILED)


def _chosen(name: str | None, words: str | None) -> tuple[tuple[PaperClaim, ...], tuple[Erratum, ...]]:
    from ..proofs_checks.trial import all_claims, all_errata

    claims, errata = all_claims(), all_errata()
    if name is None and words is None:
        return claims, errata
    if name is not None:
        claims = tuple(claim for claim in claims if name in (*claim.labels, *claim.numbers, *claim.errata))
        if not claims:
            raise InvalidRequest(f"--claim: there is no {name!r}; without options all claims are listed")
    if words is not None:
        wanted = words.casefold()
        claims = tuple(c for c in claims if wanted in " ".join((*c.labels, c.number, c.title)).casefold())
        if not claims:
            raise InvalidRequest(f"-k: no claim has {words!r} in its label, number or title")
    cited = {erratum for claim in claims for erratum in claim.errata}
    return claims, tuple(erratum for erratum in errata if erratum.id in cited)


def _progress(done: int, total: int, outcome: TrialOutcome) -> None:
    """Say on standard error what has just been looked at; on a terminal in one line."""
    text = f"{done}/{total} {outcome.name}"
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{text}" + ("\r\x1b[K" if done == total else ""), err=True, nl=False)
    elif done == total or not done % 25:
        click.echo(text, err=True)
