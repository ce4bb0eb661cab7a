"""The report for the paper's authors says of every erratum what the register says, and prints on fifteen pages."""

import re
import shutil
from html import unescape

import pytest

import referee
from tploracle.proofs_checks.register import ClaimVerdict, Consequence, Nature, TrialOutcome
from tploracle.proofs_checks.trial import TrialReport, all_claims, all_errata, evidence_of, withdrawn

from ..proofs_checks.standing import fact_of, told_of

CLAIMS, ERRATA = all_claims(), all_errata()
PAGES = 15


def report(failed=()):
    """A run in which every erratum is shown, but for pieces that failed; of claims nothing is said."""

    def outcome(piece):
        own = [erratum for erratum in ERRATA if piece in erratum.evidence]
        told = frozenset().union(*map(told_of, own))
        error = "not so" if piece.name in failed else None
        facts = {erratum.id: fact_of(erratum) for erratum in own}
        return TrialOutcome(piece.name, None if error else "found", error, 0.0, facts=facts, told=told)

    return TrialReport(CLAIMS, ERRATA, {piece.name: outcome(piece) for piece in evidence_of(CLAIMS, ERRATA)})


@pytest.fixture(scope="module")
def page():
    return referee.document(report())


def entry_of(page, erratum):
    """The page from an erratum's heading to the next."""
    return unescape(re.split(r"<h[23]", page[page.index(f'<h3 id="{erratum.id}">') + 4 :], maxsplit=1)[0])


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.id)
def test_an_entry_is_quoted_defended_and_can_be_checked(page, erratum):
    own = entry_of(page, erratum)
    assert erratum.place in own
    for text in (erratum.defence, erratum.remains, erratum.corrected, erratum.witness):
        assert unescape(referee.typeset(text)) in own
    for line, text in erratum.quotes:
        assert f"{line}: <code>{text}</code>" in own
    assert referee.consequence(erratum) in own
    for claim in CLAIMS:
        assert (f"{claim.number} " in own) or erratum.id not in claim.errata


def test_indices_and_exponents_are_set():
    assert (
        referee.typeset("q_j < e^BPL_t + A^{k−1}") == "q<sub>j</sub> &lt; e<sup>BPL<sub>t</sub></sup> + A<sup>k−1</sup>"
    )


def test_the_gravest_come_first_and_are_counted(page):
    by_id = {erratum.id: (erratum.consequence, erratum.nature) for erratum in ERRATA}
    found = [by_id[name] for name in re.findall(r'<h3 id="(E\d+)"', page)]
    assert len(found) == len(ERRATA)
    assert found == sorted(found, key=lambda grade: (list(Consequence).index(grade[0]), list(Nature).index(grade[1])))
    for grade in set(found):
        cells = "".join(f"<td>{one.value}</td>" for one in grade)
        assert f'{cells}<td class="number">{found.count(grade)}</td>' in page


def test_counts_of_the_recommendation_follow_from_the_errata():
    text = referee.recommendation(ERRATA)
    for place, erratum in enumerate(ERRATA):
        fewer = (*ERRATA[:place], *ERRATA[place + 1 :])
        counted = erratum.consequence is not Consequence.NONE and erratum.nature is not Nature.REMARK
        assert (referee.recommendation(fewer) != text) is (counted or erratum.nature is Nature.GAP)


def test_what_is_withdrawn_or_cannot_be_judged_is_told(page):
    text = unescape(page)
    for name, why in withdrawn().items():
        assert f"<dt>{name}</dt><dd>{unescape(referee.typeset(why))}</dd>" in text
    for claim in CLAIMS:
        if claim.verdict in (ClaimVerdict.NOT_REPRODUCIBLE, ClaimVerdict.HOLDS):
            assert claim.number in text


def test_it_needs_nothing_from_outside_and_every_link_leads_somewhere(page):
    assert "http" not in page
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(re.findall(r'id="([^"]+)"', page))


def test_evidence_that_fails_is_seen(page):
    erratum = ERRATA[0]
    fallen = referee.document(report(failed=[erratum.evidence[0].name]))
    assert "EVIDENCE FAILED" in entry_of(fallen, erratum)
    assert "EVIDENCE FAILED" not in entry_of(page, erratum).partition("concerns")[0]
    assert f"1 failed: {erratum.evidence[0].name}." in fallen


def test_every_erratum_has_its_consequence_for_implementers():
    for erratum in ERRATA:
        caught = any(erratum.id in case["errata"] for case in referee.vectors()[0])
        assert caught or erratum.implementers, erratum.id


@pytest.mark.slow
@pytest.mark.skipif(not any(map(shutil.which, referee.BROWSERS)), reason="no browser is here")
def test_it_prints_on_fifteen_pages(tmp_path, page):
    target = tmp_path / "referee.pdf"
    (tmp_path / "referee.html").write_text(page, encoding="utf-8")
    assert referee.printed(tmp_path / "referee.html", target)
    assert 1 < len(re.findall(rb"/Type\s*/Page\b", target.read_bytes())) <= PAGES


def test_without_a_browser_nothing_is_printed(tmp_path, monkeypatch):
    monkeypatch.setattr(referee.shutil, "which", lambda _: None)
    assert not referee.printed(tmp_path / "referee.html", tmp_path / "referee.pdf")
