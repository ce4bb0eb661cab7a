"""What the paper's authors could answer, item by item: build/paper/referee.html, and referee.pdf where a browser is.

    make paper      or      python examples/referee.py

It is written from the register of claims, all of whose evidence is looked at again before.
"""

import os
import shutil
import sys
from collections import Counter
from functools import cache
from importlib import resources
from pathlib import Path

from markupsafe import escape

from tploracle import proofs_checks
from tploracle.output import html_pages
from tploracle.output.writing import write_text
from tploracle.proofs_checks.register import ClaimVerdict, EvidenceKind
from tploracle.proofs_checks.trial import SECTIONS, all_claims, all_errata, verify

FOLDER = Path(__file__).resolve().parents[1] / "build" / "paper"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPEN = (ClaimVerdict.FALSE, ClaimVerdict.CORRECTED, ClaimVerdict.UPPER_BOUND, ClaimVerdict.NOT_REPRODUCIBLE)
"""The verdicts that ask for an answer."""

INTRODUCTION = """\
To the authors of: Y. Cao, M. Yoshikawa, Y. Xiao, L. Xiong, Quantifying Differential Privacy in Continuous Data Release
under Temporal Correlations, TKDE 2018, arXiv:1711.11436.

Every definition, theorem, algorithm, equation, example, table and figure of the paper has been checked as printed, in
exact arithmetic, and read as you would wish it read. Below is what we found otherwise than printed: the smallest
witness that we know, how to check it with pencil and paper, and what has been proved instead. Each item has room for
your answer. What is called proved was checked by Rocq, and stands in Rocq's words at the end, after what holds as
printed.

To run the evidence of an item again: tploracle verify --claim LABEL, with the label in brackets."""


@cache
def statements():
    """Return what Rocq proved, by name, as it printed it."""
    text = resources.files(proofs_checks).joinpath("rocq", "statements.txt").read_text(encoding="utf-8")
    parts = (part.strip().split("\n", 1) for part in text.split("\n\n") if part.strip().count("\n"))
    return {head.split(" ", 1)[1]: body for head, body in parts if head.split(" ")[0] in ("Theorem", "Example")}


def proofs_of(claim):
    """Return the theorems that show something of a claim or close what its other evidence leaves to a human."""
    named = [piece.name if piece.kind is EvidenceKind.THEOREM else piece.closed_by for piece in claim.evidence]
    return [name for name in dict.fromkeys(named) if name]


def found_by(claim, report):
    """Return what the evidence found of a claim that has no witness of its own, in a sentence."""
    outcomes = ((piece, report.outcomes[piece.name]) for piece in claim.evidence)
    return "; ".join(f"{outcome.found} ({piece.kind.value})" for piece, outcome in outcomes if outcome.found)


def item(claim, report):
    """Return the section of a claim."""
    links = ", ".join(
        f'<a href="#{name}">{name}</a> (proofs_checks/rocq/{name.split(".")[0]}.v)' for name in proofs_of(claim)
    )
    rows = [
        ("the paper says", escape(claim.statement)),
        ("we find", f"<strong>{claim.verdict.value}</strong>" + ("" if report.stands(claim) else ": EVIDENCE FAILED")),
        ("in truth", escape(claim.corrected or "")),
        ("witness", escape(claim.witness or found_by(claim, report))),
        ("by hand", escape(claim.by_hand or "")),
        ("proved", links),
        ("errata", escape(", ".join(claim.errata))),
        ("your answer", "☐ agreed&emsp;☐ not agreed, because"),
    ]
    cells = "".join(f'<tr><th scope="row">{name}</th><td>{text}</td></tr>' for name, text in rows if text)
    title = html_pages.heading(f"{claim.number}: {claim.title} [{claim.id}]", 3)
    return f'{title}<div class="scroll" tabindex="0"><table><tbody>{cells}</tbody></table></div>'


def document(report):
    """Return the page. Args: report, a run of the whole register."""
    counts = Counter(claim.verdict for claim in report.claims)
    said = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in ClaimVerdict if counts[verdict])
    failed = sum(not outcome.held for outcome in report.outcomes.values())
    told = (
        f"{len(report.claims)} items: {said}. Of {len(report.outcomes)} pieces of evidence {failed or 'none'} failed."
    )
    blocks = [html_pages.paragraph(text) for text in (*INTRODUCTION.split("\n\n"), told)]
    open_ = [claim for claim in report.claims if claim.verdict in OPEN]
    for title, names in SECTIONS.items():
        if own := [claim for claim in open_ if claim.id in names]:
            blocks += [html_pages.heading(title), *(item(claim, report) for claim in own)]
    blocks += [html_pages.heading("What holds as printed"), html_pages.table(
        ("item", "", "in a sharper form, or with a remark"),
        [(claim.number, claim.title, claim.corrected or "") for claim in report.claims
         if claim.verdict is ClaimVerdict.HOLDS],
    )]  # fmt: skip
    proved = dict.fromkeys(name for claim in open_ for name in proofs_of(claim))
    blocks.append(html_pages.heading("What Rocq proved of it"))
    blocks.append(
        html_pages.paragraph("As Rocq printed it of its compiled library; docs/proofs.md says how to read it.")
    )
    blocks += [f'<h3 id="{name}">{name}</h3>{html_pages.code(statements()[name])}' for name in proved]
    return html_pages.page("The paper on trial: for its authors", *blocks)


def printed(page, target):
    """Print a page to a PDF by the browser that is here. Returns: whether there is one."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return False
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        own = started.new_page()
        own.goto(page.as_uri())
        own.pdf(path=target, format="A4", margin=dict.fromkeys(("top", "bottom", "left", "right"), "18mm"))
        started.close()
    return True


def main():
    """Look at all evidence again, write the page, and print it; return the exit status."""
    report = verify(all_claims(), all_errata(), min(2, os.cpu_count() or 1))
    page, target = FOLDER / "referee.html", FOLDER / "referee.pdf"
    write_text(str(page), document(report), "page")
    print(f"for the paper's authors: {page}", file=sys.stderr)
    if printed(page, target):
        print(f"printed: {target}", file=sys.stderr)
    else:
        print("not printed as PDF: no browser is here, `make browser` installs Debian's chromium", file=sys.stderr)
    return 0 if report.holds else 1


if __name__ == "__main__":
    sys.exit(main())
