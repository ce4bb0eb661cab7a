"""Every number in the texts of errata and claims is one that evidence computes: each change of one is seen."""

import inspect
import re
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from tploracle.cli.main import main
from tploracle.proofs_checks import errata, faults, trial
from tploracle.proofs_checks.compared import collecting, telling
from tploracle.proofs_checks.register import EvidenceFailed, EvidenceKind, look

from ..reference.test_evidence import DEAR
from .standing import written_in

ERRATA, CLAIMS = trial.all_errata(), trial.all_claims()
NUMBER = r"\d+(?:\.\d+)?"
COUNTED = (
    "two|twice|halves|half|third|thrice|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
    "|hundred|dozen"
)
"""Number words. One, first, second, both and zero are names and pronouns as well: they may be typed."""
KINDS = r"Theorem|Example|Section|Figure|Algorithm|Eq\.|Definition|Corollary|Table"
NUMBERS = r"(\(?\d[\d.]*\)?(?:(?:,| and|, and) \(?\d[\d.]*\)?)*)"
NAMES = rf"(?:{KINDS})s? {NUMBERS}|arXiv:[\d.]+|\bE\d+|_(?:\{{[^}}]*\}}|\w)|TKDE \d+"
"""Names of items, of the paper, of errata, and indices, whose digits are no numbers."""


def typed(text):
    """Return the first number of a text, in digits or in words, that no evidence computes; None without one."""
    outside = re.sub(rf"⟦[^⟧]*⟧|{trial.LABELLED}|{NAMES}", "", text)
    return re.search(rf"[0-9²³½⅓¼]|\b({COUNTED})\b", outside, re.IGNORECASE)


@pytest.mark.parametrize("name", [*(erratum.id for erratum in errata.ERRATA), *errata.BY_HAND])
def test_numbers_stand_in_formulas_alone(name):
    for text in errata.texts_of(name):
        assert not typed(text), text


@pytest.mark.parametrize("claim", trial._CLAIMS.values(), ids=lambda claim: claim.id)
def test_what_is_wrong_with_a_claim_is_told_by_its_errata(claim):
    """Their numbers are computed; those of a statement are quoted from its lines, and other texts have none."""
    for text in (claim.corrected, claim.witness, claim.title, re.sub("“[^”]*”", "", claim.statement)):
        assert not text or not typed(text), text
        assert set(named(text or "")) <= {*claim.numbers, *named(claim.id)}, text


def named(text):
    """Yield the items that a text names by number."""
    for kind, numbers in re.findall(rf"({KINDS})s? {NUMBERS}", text):
        yield from (f"{kind} {number}" for number in re.findall(r"\(?\d+\)?", numbers))


@pytest.mark.parametrize("piece", trial.all_evidence(), ids=lambda piece: piece.name)
def test_what_evidence_shows_has_no_number_that_it_did_not_compute(piece):
    """And an item that it names by number is one that it is about, or that its code runs."""
    code = "" if piece.kind is EvidenceKind.THEOREM else inspect.getsource(piece.look)
    about = [c for c in CLAIMS if c.id in piece.about or c.id in code or {*c.errata} & {*piece.errata}]
    known = {name for claim in about for name in (*claim.numbers, *named(claim.id))}
    known |= {*named(re.sub(r"_(?=\d)", " ", code).title())}
    for text in (
        trial._WRITTEN[piece.name].shows,
        piece.scope,
        piece.human_step or "",
        *(written_in(piece.look) if code else ()),
    ):
        assert not typed(text), text
        assert set(named(text)) <= known, text


def test_what_is_checked_by_hand_is_of_claims():
    assert set(errata.BY_HAND) <= {claim.id for claim in CLAIMS}


def test_the_frame_of_the_report_has_no_number_of_its_own():
    page = (Path(__file__).resolve().parents[2] / "examples" / "referee.html").read_text("utf-8")
    shown = re.sub(r"<style>.*?</style>|<[^>]*>|\{[{%].*?[}%]\}|&\w+;", " ", page, flags=re.DOTALL)
    for text in (shown, *errata.WITHDRAWN.values()):
        assert not typed(text), typed(text)


def changed(formula):
    """Yield a formula with one of its numbers changed, for each of them and several changes."""
    for match in re.finditer(NUMBER, formula):
        if formula[: match.start()].endswith(("_", "'")):
            continue
        unit = Fraction(1, 10 ** len(match[0].partition(".")[2]))
        for other in (Fraction(match[0]) + unit, abs(Fraction(match[0]) - unit), Fraction(match[0]) * 7 + 10 * unit):
            if other != Fraction(match[0]):
                digits = len(match[0].partition(".")[2])
                text = f"{float(other):.{digits}f}" if digits else str(other)
                yield formula[: match.start()] + text + formula[match.end() :]


@pytest.mark.parametrize(
    "holder",
    [
        pytest.param(one, id=one.id, marks=pytest.mark.slow if DEAR & {p.name for p in one.evidence} else ())
        for one in (*ERRATA, *CLAIMS)
        if one.formulas
    ],
)
def test_every_changed_number_is_seen(holder, monkeypatch):
    computed, holds = {}, faults._holds

    def recorded(formula, values):
        computed.setdefault(formula, []).append(values)
        return holds(formula, values)

    monkeypatch.setattr(faults, "_holds", recorded)
    for piece in holder.evidence:
        assert look(piece).held
    monkeypatch.undo()
    monkeypatch.setattr(faults.ctx, "prec", faults.FORMULA_BITS)
    assert holder.formulas <= computed.keys()
    for formula in holder.formulas:
        for other in changed(formula):
            for values in computed[formula]:
                with suppress(faults._Unknown, EvidenceFailed):
                    assert not holds(other, values), f"{formula}: {other} holds as well"


def test_a_changed_text_fails_the_command(monkeypatch, capsys):
    wrong = tuple(
        replace(one, witness=one.witness.replace("TPL = log 6", "TPL = log 7")) if one.id == "E33" else one
        for one in errata.ERRATA
    )
    for module in (errata, trial):
        monkeypatch.setattr(module, "ERRATA", wrong)
    with pytest.raises(SystemExit) as ended:
        main(["verify", "--jobs", "1", "--claim", "eq:tpl_comp1"])
    assert ended.value.code == 1
    assert "E33 says “TPL = log 7”, which is not so; computed: " in capsys.readouterr().err


def test_a_changed_calculation_of_a_claim_fails_the_command(monkeypatch, capsys):
    """And one that no evidence computes."""
    for wrong, told in (
        ("⟦later = 3⟧", "example says “later = 3”, which is not so; computed: later = 2"),
        ("⟦unheard = 2⟧", "example: no evidence computes “unheard = 2”"),
    ):
        monkeypatch.setitem(errata.BY_HAND, "example", wrong)
        with pytest.raises(SystemExit) as ended:
            main(["verify", "--jobs", "1", "--claim", "example"])
        assert ended.value.code == 1
        assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("formula", "holds"),
    [
        ("x = 1/2", True),
        ("x = 2/4 < 1", True),
        ("x = 1/3", False),
        ("v = 1, 2", True),
        ("v/2 = 1/2, 1", True),
        ("v = 1, 2, 3", False),
        ("v = 1", False),
        ("word = 'a'", True),
        ("log 4 = 2·log 2", True),
        ("√(9) = 2^2 − 1 ≥ 3 ≤ 3", True),
        ("1/3 ≈ 0.3333", True),
        ("1/3 ≈ 0.3334", False),
        ("far = ∞", True),
        ("x = ∞", False),
        ("half(1) = x", True),
    ],
)
def test_formulas(monkeypatch, formula, holds):
    values = {"x": Fraction(1, 2), "v": (1, 2), "word": "a", "far": faults.arb.pos_inf(), "half": lambda one: one / 2}
    monkeypatch.setattr(faults.ctx, "prec", faults.FORMULA_BITS)
    known = {name: faults._value(value) for name, value in values.items()}
    assert faults._holds(formula, known) is holds


@pytest.mark.parametrize("formula", ["x", "x +", "x = [1]", "0.3333 ≈ 1/3", "x = y(1", "1 = 2 = lambda: 3"])
def test_what_is_no_formula(formula):
    with pytest.raises((EvidenceFailed, faults._Unknown)):
        faults._holds(formula, {"x": faults.arb(1)})


def test_a_gap_needs_its_premise_and_a_slip_its_other_line():
    with collecting(), telling():
        with pytest.raises(EvidenceFailed, match="premise"):
            faults.gap("E15", premise=False, conclusion=False)
        with pytest.raises(EvidenceFailed, match="line 1183"):
            faults.slip("E21", 1, 2, [(1183, "[q_2,q_4,q_5]")])
