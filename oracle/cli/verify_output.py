"""A run of the register as text, JSON, Markdown and one self-contained page of HTML."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..output.formulas import in_dollars
from ..output.html_pages import TEMPLATES
from ..output.records import record
from ..proofs_checks.register import (
    ClaimVerdict,
    Consequence,
    Erratum,
    Evidence,
    Item,
    Nature,
    PaperClaim,
    TrialOutcome,
)
from ..proofs_checks.transcript import SOURCE_SHA256
from ..proofs_checks.trial import SECTIONS, TrialReport, evidence_of, withdrawn
from ..wire.strict_json import Object

PAPER = (
    "Cao, Yoshikawa, Xiao, Xiong: Quantifying Differential Privacy in Continuous Data Release under Temporal "
    "Correlations, TKDE 2018, arXiv:1711.11436"
)
FAILED = "EVIDENCE FAILED"
UNFOUNDED = "DOES NOT FOLLOW"

HOW_TO_READ = (
    (
        "A verdict is about the paper's words as printed, read as the paper itself explains them, within their "
        "hypotheses. A theorem and its proof are judged separately. Each verdict needs at least two pieces of evidence "
        "of different kinds that compare what is printed with what is right; the other pieces are further checks. A "
        "scope states which cases were computed, in exact arithmetic; nothing is claimed beyond them. “Proved” means "
        "that z3 found the negation unsatisfiable over the reals, “general” that no size is fixed. What completes a "
        "general proof is a theorem in Rocq or a human step, and is named."
    ),
    (
        "“Theorem” means that Rocq checked a proof, for all n or for a counterexample: `FILE.name` in "
        "`proofs_checks/rocq`. It is looked up in the list that Rocq printed of the compiled library; `make proofs` "
        "compiles it again. It replaces the human steps of the claim. What a reader still has to check are the "
        "definitions and statements, listed in docs/proofs.md, and that e^ε is transcendental for a rational ε > 0. "
        "The list includes `Checker.check_sound`: every certificate that the verified checker accepts is true."
    ),
    (
        "“Transcription” means that the printed text was run, or read, on an example. Quotations are words of lines "
        f"of the LaTeX source with the SHA-256 {SOURCE_SHA256}; of the other words there is a digest for each line. "
        "Where PAPER_TEX names that source, the lines are read from it. Families drawn at random are marked as "
        "such; the seed is fixed."
    ),
)


def line(claim: PaperClaim, report: TrialReport) -> str:
    """Return a claim in one line: verdict, title, kinds of evidence, time."""
    verdict = claim.verdict.value if report.stands(claim) else _fault(claim, report)
    kinds = ", ".join(claim.kinds)
    label = "" if claim.id.startswith(claim.number) else f" [{claim.id}]"
    return f"{verdict:<18}{claim.number}{label}: {claim.title} ({kinds}; {report.seconds(claim):.1f} s)"


def summary(report: TrialReport) -> str:
    """Return the run in a few sentences."""
    counts = Counter(claim.verdict for claim in report.claims)
    verdicts = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in ClaimVerdict if counts[verdict])
    failed = [outcome for outcome in report.outcomes.values() if not outcome.held]
    pieces = f"{len(report.outcomes)} pieces of evidence, {len(failed) or 'none'} failed"
    unfounded = f" {len(report.unfounded)} verdicts do not follow from the evidence." if report.unfounded else ""
    grades = Counter(erratum.nature for erratum in report.errata)
    errata = "; ".join(f"{grades[nature]} {nature.value}" for nature in Nature if grades[nature])
    unsafe = sum(erratum.consequence is Consequence.UNSAFE for erratum in report.errata)
    errata += f"; {unsafe} of them unsafe" if unsafe else ""
    told = f"{len(report.errata)} errata{f' ({errata})' if errata else ''}"
    return f"{len(report.claims)} claims: {verdicts}. {told}. {pieces}.{unfounded}"


def failures(report: TrialReport) -> list[str]:
    """Return a line for each piece of evidence that failed, and for each verdict that does not follow."""
    failed = [f"{outcome.name}: {outcome.error}" for outcome in report.outcomes.values() if not outcome.held]
    failed += [f"{claim.id}: {_unfounded(claim, report)}" for claim in report.unfounded]
    failed += [f"{claim.id}: {untold}" for claim in report.claims if (untold := report.untold(claim))]
    return failed + [f"{erratum.id}: {report.fault(erratum)}" for erratum in report.errata if report.fault(erratum)]


def _fault(claim: PaperClaim, report: TrialReport) -> str:
    held = all(report.outcomes[piece.name].held for piece in claim.evidence)
    return UNFOUNDED if held else FAILED


def _unfounded(claim: PaperClaim, report: TrialReport) -> str:
    found = report.found(claim)
    return f"the verdict is “{claim.verdict.value}”, its evidence amounts to “{found.value if found else 'nothing'}”"


def full(claim: PaperClaim, report: TrialReport) -> str:
    """Return everything about one claim."""
    verdict = claim.verdict.value if report.stands(claim) else f"{claim.verdict.value} — {_fault(claim, report)}"
    parts = [f"{claim.number}: {claim.title}", f"labels: {', '.join(claim.labels)}", "", f"says: {claim.statement}"]
    parts.append(f"verdict as printed: {verdict}")
    for name, text in _more(claim):
        parts.append(f"{name}: {text}")
    for number, piece in enumerate(claim.evidence, 1):
        outcome = report.outcomes[piece.name]
        parts += ["", f"{number}. {piece.kind.value} ({piece.name}, {outcome.seconds:.2f} s): {piece.shows}"]
        parts += [f"   of the claim: {_shows(claim, piece.name, outcome)}"]
        parts += [f"   {name}: {text}" for name, text in _about(piece, outcome)]
    for erratum in report.errata:
        parts += ["", f"{erratum.id}, {erratum.grade} ({erratum.place})"]
        parts += [f"   {name}: {text}" for name, text in told_of(erratum)]
    return "\n".join(parts)


def _shows(claim: PaperClaim, name: str, outcome: TrialOutcome) -> str:
    """Return what a piece of evidence shows of a claim, or that it is a further check."""
    shown = outcome.bearings.get(claim.id)
    if name not in claim.grounds:
        return "a further check"
    fact = outcome.facts.get(claim.id)
    first = f" ({fact.first})" if fact and fact.first else ""
    return f"{shown.value}{first}" if shown else "shows nothing of it"


def told_of(erratum: Erratum) -> Iterable[tuple[str, str]]:
    """Yield the parts of an erratum with their names."""
    yield "printed", erratum.printed
    yield "defence", erratum.defence
    yield "what remains", erratum.remains
    yield "corrected", erratum.corrected
    yield "witness", erratum.witness


def _more(claim: PaperClaim) -> Iterable[tuple[str, str]]:
    for name, text in (("in truth", claim.corrected), ("witness", claim.witness), ("by hand", claim.by_hand)):
        if text:
            yield name, text


def _about(piece: Evidence, outcome: TrialOutcome) -> Iterable[tuple[str, str]]:
    yield "scope", "; ".join(filter(None, (piece.scope, outcome.covered)))
    if piece.closed_by:
        yield "for all n", f"theorem {piece.closed_by}, proved by Rocq"
    if piece.human_step:
        yield "human step", piece.human_step
    yield ("found", outcome.found or "") if outcome.held else (FAILED, outcome.error or "")


def as_json(report: TrialReport) -> Object:
    """Return the run as one JSON object."""
    return {
        "holds": report.holds,
        "claims": [_claim_json(claim, report) for claim in report.claims],
        "errata": [_erratum_json(erratum, report) for erratum in report.errata],
        "evidence": [_evidence_json(piece, report.outcomes[piece.name]) for piece in _pieces(report)],
    }


def _pieces(report: TrialReport) -> list[Evidence]:
    return list(evidence_of(report.claims, report.errata))


def _claim_json(claim: PaperClaim, report: TrialReport) -> Object:
    return record(
        claim,
        "id labels item number title statement verdict corrected witness by_hand errata kinds",
        found=report.found(claim),
        holds=report.stands(claim),
        rests_on=claim.grounds,
        evidence=[piece.name for piece in claim.evidence],
        milliseconds=round(1000 * report.seconds(claim)),
    )


def _erratum_json(erratum: Erratum, report: TrialReport) -> Object:
    return record(
        erratum,
        "id nature consequence place defence remains corrected witness listed",
        quotes=[{"line": line, "text": text} for line, text in erratum.quotes],
        holds=report.stands(erratum),
        evidence=[piece.name for piece in erratum.evidence],
    )


def _evidence_json(piece: Evidence, outcome: TrialOutcome) -> Object:
    told = record(outcome, "covered found error", holds=outcome.held, bears=outcome.bearings)
    names = "name kind shows scope closed_by human_step about"
    return record(piece, names, **told, milliseconds=round(1000 * outcome.seconds))


def markdown(report: TrialReport) -> str:
    """Return the run as a page of Markdown, without times, so that equal runs give equal pages."""
    parts = ["# The paper on trial", "", PAPER + ".", "", summary(report), "", *_paragraphs(HOW_TO_READ)]
    parts += ["Written by `tploracle verify --markdown docs/claims.md`; see one claim with `--claim LABEL`.", ""]
    parts += ["Every line of the paper, with the entry that judges it: [sentences.md](sentences.md).", ""]
    parts += ["## Contents", "", "| verdict as printed | item | | evidence |", "|---|---|---|---|"]
    for claim in report.claims:
        kinds = ", ".join(claim.kinds)
        parts.append(f"| {_verdict(claim, report)} | {_text(claim.number)} | {_text(claim.title)} | {kinds} |")
    for section, claims in _by_section(report):
        parts += ["", f"## {section}"]
        for claim in claims:
            parts += ["", *_claim_markdown(claim, report)]
    if report.errata:
        parts += ["", "## Errata", "", GRADES]
        for erratum in report.errata:
            mark = "" if report.stands(erratum) else f" **{FAILED}**"
            parts += ["", f"### {erratum.id}, {erratum.grade}: {_plain(erratum.place)}{mark}", ""]
            quotes = [f"- line {number}: `{text}`" for number, text in erratum.quotes]
            parts += [*quotes, "", *(f"*{name.capitalize()}.* {_text(text)}  " for name, text in _told(erratum))]
            parts.append(f"*Evidence.* {', '.join(f'`{piece.name}`' for piece in erratum.evidence)}.")
        parts += ["", "### Withdrawn", "", *(f"- {name}: {_text(why)}" for name, why in withdrawn().items())]
    parts += ["", "## Evidence"]
    for piece in _pieces(report):
        outcome = report.outcomes[piece.name]
        parts += ["", f"- `{piece.name}` ({piece.kind.value}): {_text(piece.shows)}"]
        parts += [f"  - {name}: {_text(text)}" for name, text in _about(piece, outcome)]
    return "\n".join(parts) + "\n"


def _paragraphs(texts: Iterable[str]) -> list[str]:
    return [part for text in texts for part in (in_dollars(text), "")]


def _verdict(claim: PaperClaim, report: TrialReport) -> str:
    return claim.verdict.value if report.stands(claim) else f"**{_fault(claim, report)}** ({claim.verdict.value})"


def _plain(text: str) -> str:
    return re.sub(r"[\\_*<\[`|]", r"\\\g<0>", text)


def _text(text: str) -> str:
    return in_dollars(text, _plain)


def _claim_markdown(claim: PaperClaim, report: TrialReport) -> list[str]:
    parts = [f"### {claim.number}: {_plain(claim.title)}", ""]
    parts += [f"`{'`, `'.join(claim.labels)}` — **{_verdict(claim, report)}**", "", _text(claim.statement)]
    for name, text in _more(claim):
        parts += ["", f"*{name.capitalize()}.* {_text(text)}"]
    if claim.grounds:
        shown = (f"`{name}` ({_text(_shows(claim, name, report.outcomes[name]))})" for name in claim.grounds)
        parts += ["", f"*Rests on.* {'; '.join(shown)}."]
    if others := [f"`{piece.name}`" for piece in claim.evidence if piece.name not in claim.grounds]:
        parts += ["", f"*{'Further checks' if claim.grounds else 'Checks'}.* {', '.join(others)}."]
    if claim.errata:
        parts += ["", f"*Errata.* {', '.join(claim.errata)}."]
    return parts


GRADES = "; ".join(f"**{grade.value}**: {grade.meaning}" for grade in (*Nature, *Consequence)) + "."


def _told(erratum: Erratum) -> list[tuple[str, str]]:
    return [(name, text) for name, text in told_of(erratum) if name != "printed"]


def _by_section(report: TrialReport) -> Iterable[tuple[str, list[PaperClaim]]]:
    for section, names in SECTIONS.items():
        claims = [claim for claim in report.claims if claim.id in names]
        if claims:
            yield section, claims


_CLASSES = {
    ClaimVerdict.HOLDS: "holds",
    ClaimVerdict.CORRECTED: "corrected",
    ClaimVerdict.UPPER_BOUND: "bound",
    ClaimVerdict.FALSE: "false",
    ClaimVerdict.NOT_REPRODUCIBLE: "neutral",
    ClaimVerdict.DEFINITION: "neutral",
}


def html(report: TrialReport, pictures: Sequence[Path] = ()) -> str:
    """Return the run as one self-contained page of HTML. Args: pictures, PNG files by label."""
    data = {path.stem: base64.b64encode(path.read_bytes()).decode("ascii") for path in pictures}

    def drawn(claim: PaperClaim) -> list[str]:
        return [
            data[stem] for stem in data if claim.item is Item.FIGURE and _anchor(stem).startswith(_anchor(claim.id))
        ]

    return TEMPLATES.get_template("trial.html").render(
        report=report,
        paper=PAPER,
        summary=summary(report),
        how_to_read=HOW_TO_READ,
        failures=failures(report),
        sections=list(_by_section(report)),
        classes=_CLASSES,
        failed=FAILED,
        grades=(*Nature, *Consequence),
        fault=lambda claim: _fault(claim, report),
        told=_told,
        shows=_shows,
        anchor=_anchor,
        more=_more,
        about=_about,
        drawn=drawn,
    )


def _anchor(name: str) -> str:
    return "".join(character if character.isascii() and character.isalnum() else "-" for character in name)
