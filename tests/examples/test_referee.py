"""The page for the paper's authors says of every item in dispute what the register says, and can be printed."""

import re
import shutil
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

import referee
from tploracle.proofs_checks.register import ClaimVerdict, TrialOutcome
from tploracle.proofs_checks.trial import TrialReport, all_claims, all_errata, evidence_of

ROOT = Path(__file__).resolve().parents[2]

CLAIMS = all_claims()
DISPUTED = [claim for claim in CLAIMS if claim.verdict not in (ClaimVerdict.HOLDS, ClaimVerdict.DEFINITION)]


def report(claims=CLAIMS, failed=()):
    outcomes = {
        piece.name: TrialOutcome(
            piece.name, None if piece.name in failed else "as found", "not so" if piece.name in failed else None, 0.0
        )
        for piece in evidence_of(claims)
    }
    return TrialReport(tuple(claims), all_errata(), outcomes)


@pytest.fixture(scope="module")
def page():
    return referee.document(report())


def section_of(page, claim):
    """The page from an item's heading to the next."""
    start = page.index(f"[{referee.escape(claim.id)}]</h3>")
    return unescape(re.split(r"<h[23]", page[start:], maxsplit=1)[0])


@pytest.mark.parametrize("claim", DISPUTED, ids=lambda claim: claim.id)
def test_an_item_has_what_can_be_answered(page, claim):
    own = section_of(page, claim)
    for text in (claim.statement, f"<strong>{claim.verdict.value}</strong>", claim.corrected, "your answer"):
        assert text in own
    assert (claim.witness or "as found") in own
    if claim.by_hand:
        assert claim.by_hand in own
    for number in claim.errata:
        assert re.search(rf"\b{number}\b", own)
    for name in referee.proofs_of(claim):
        assert f'href="#{name}"' in own


def test_only_items_in_dispute_ask_for_an_answer(page):
    assert page.count("☐ agreed") == len(DISPUTED)
    rest = page[page.index("What holds as printed") :]
    for claim in CLAIMS:
        if claim.verdict is ClaimVerdict.HOLDS:
            assert referee.escape(claim.title) in rest


def test_every_link_leads_to_what_rocq_printed(page):
    linked = set(re.findall(r'href="#([^"]+)"', page))
    assert linked == set(re.findall(r'<h3 id="([^"]+)"', page))
    assert len(linked) > 20
    statement = unescape(page[page.index('<h3 id="Supremum.bounded_iff"') :].split("</pre>")[0])
    assert "bounded" in statement
    for name in linked:
        assert (ROOT / "proofs_checks" / "rocq" / f"{name.split('.')[0]}.v").is_file()
    assert "http" not in page


def test_evidence_that_fails_is_seen(page):
    claim = next(claim for claim in CLAIMS if claim.id == "eq:thm_sup_proof")
    fallen = referee.document(report(failed=[claim.evidence[0].name]))
    assert "EVIDENCE FAILED" in section_of(fallen, claim)
    assert "none failed" in page
    assert "1 failed" in fallen
    flipped = [replace(one, verdict=ClaimVerdict.CORRECTED) if one.id == claim.id else one for one in CLAIMS]
    assert "EVIDENCE FAILED" in section_of(referee.document(report(flipped)), claim)


@pytest.mark.skipif(not any(map(shutil.which, referee.BROWSERS)), reason="no browser is here")
def test_it_is_printed(tmp_path):
    target = tmp_path / "referee.pdf"
    claims = [claim for claim in CLAIMS if claim.id in ("thm:sup", "remark")]
    (tmp_path / "referee.html").write_text(referee.document(report(claims)), encoding="utf-8")
    assert referee.printed(tmp_path / "referee.html", target)
    assert target.read_bytes().startswith(b"%PDF")


def test_without_a_browser_nothing_is_printed(tmp_path, monkeypatch):
    monkeypatch.setattr(referee.shutil, "which", lambda _: None)
    assert not referee.printed(tmp_path / "referee.html", tmp_path / "referee.pdf")
