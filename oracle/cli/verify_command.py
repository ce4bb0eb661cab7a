"""`tploracle verify`: the register of the paper's claims, run."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..reference import InvalidRequest
from .extras import need

if TYPE_CHECKING:
    from ..proofs_checks.register import Erratum, PaperClaim, TrialOutcome

STATUS_FAILED = 1
"""The exit status where some evidence does not hold."""


@click.command("verify")
@click.option(
    "--claim", "name", metavar="LABEL", help="Tell one claim in full: a label, an item as printed, an erratum."
)
@click.option("-k", "words", metavar="TEXT", help="Only claims with this text in their label, number or title.")
@click.option("--jobs", type=click.IntRange(1), default=lambda: min(4, os.cpu_count() or 1), help="Processes.")
@click.option("--json", "json_", is_flag=True, help="Write one JSON object.")
@click.option("--html", "html_file", metavar="FILE", type=click.Path(path_type=Path), help="Write one page of HTML.")
@click.option("--markdown", "markdown_file", metavar="FILE", type=click.Path(path_type=Path), help="Write Markdown.")
@click.option(
    "--pictures",
    metavar="FOLDER",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="PNG files to put into the page of HTML, each named after the label of its figure.",
)
def verify_command(
    *,
    name: str | None,
    words: str | None,
    jobs: int,
    json_: bool,
    html_file: Path | None,
    markdown_file: Path | None,
    pictures: Path | None,
) -> None:
    """Look at all the evidence again: every claim of the paper with its verdict. Exit status 1 if any does not hold."""
    need("verify", "proofs", "sympy", "z3")
    from ..proofs_checks.trial import verify
    from .verify_output import as_json, failures, full, html, line, markdown, summary

    claims, errata = _chosen(name, words)
    report = verify(claims, errata, jobs, _progress)
    if html_file:
        _write(html_file, html(report, sorted(pictures.glob("*.png")) if pictures else ()))
    if markdown_file:
        _write(markdown_file, markdown(report))
    if json_:
        click.echo(json.dumps(as_json(report), ensure_ascii=False))
    elif name is not None:
        click.echo("\n\n".join(full(claim, report) for claim in report.claims))
    else:
        for claim in report.claims:
            click.echo(line(claim, report))
        click.echo(summary(report))
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
        claims = tuple(claim for claim in claims if name in (*claim.labels, claim.number, *claim.errata))
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


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(f"{path}: cannot be written: {error.strerror or error}") from None
