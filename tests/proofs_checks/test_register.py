"""The register of claims: it covers the paper, all of its evidence holds, and `verify` tells a failure."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from time import process_time

import pytest

from tploracle.cli.main import main
from tploracle.cli.verify_output import _text, failures, markdown
from tploracle.proofs_checks import register, theorems, transcript, trial
from tploracle.proofs_checks.compared import Bearing, Compared, at_most, collecting, compared, given, mended
from tploracle.proofs_checks.errata import WITHDRAWN
from tploracle.proofs_checks.provers import identity, impossible, prove, sympy_algebra, z3_prover
from tploracle.proofs_checks.register import (
    ClaimVerdict,
    Consequence,
    EvidenceFailed,
    EvidenceKind,
    Item,
    MissingProver,
    Nature,
    TrialOutcome,
    evidence,
    look,
    verdict_of,
)
from tploracle.reference import formulas

from ..reference.test_evidence import SHOWN, check_evidence
from .standing import fact_of, told_of, written_in

ROOT = Path(__file__).parents[2]
CLAIMS, ERRATA = trial.all_claims(), trial.all_errata()
PIECES = trial.evidence_of(CLAIMS, ERRATA)

LABELS = """
 fig:corr_example example def:dp eq:dp def:pl tb:notation def:temporal_corr def:adversary_t fig:mc
fig:tpl def:tpl eq:tpl1 eq:tpl2 eq:tpl3 thm:analysis_tpl eq:tpl_expanded eq:bpl1 eq:bpl2 eq:fpl1
eq:fpl2 eq:tpl_comp1 eq:tpl_comp2 eq:bpl_cal eq:bpl_f example:bpl eq:fpl_cal eq:fpl_f example:fpl
remark def:DP def:combined_pl thm:composition col:user-level thm:sequential_composition tb:diff
tb:composition eq:bpl_cal_1st eq:lfp_M eq:lfp eq:lfp_end eq:lfp_end2 thm:lfp eq:cond1 eq:cond2
eq:lfp_sol_b col:q_d algo:iterate algo:findtpl:update algo:cal_bpl thm:algo_extreme1
thm:algo_extreme2 thm:lfp_k_case thm:lfp_seg_func eq:piecewise algo:precomp1 algo:calc_precomp
col:L_func fig:example_L_func example:L_func thm:gen_L_func algo:gen_L_func algo:cal_bpl_func
thm:sup fig:example_sup algo:findSup algo:release1 eq:release2_a eq:release2_b algo:release2
fig:ex_runtime eq:laplace_smoothing fig:ex_tpl fig:ex_budgets fig:ex_utility pf:eq:tpl1
pf:eq:tpl_expanded0 pf:eq:tpl_expanded1 pf:eq:tpl_expanded2 thm:Dinkelbach eq:dink lem:lfp_proof
eq:opt_sol eq:1 eq:2 eq:thm_max eq:last eq:thm_sup_proof
""".split()  # noqa: SIM905 - as they stand in the paper
"""Every \\label of paper.tex but those of its sections (sec:, subsec:, appex:, pf:composition, pf:analysis_tpl)."""

NUMBERED = {
    Item.DEFINITION: 9,
    Item.THEOREM: 12,
    Item.COROLLARY: 3,
    Item.LEMMA: 1,
    Item.REMARK: 1,
    Item.ALGORITHM: 8,
    Item.TABLE: 2,
    Item.FIGURE: 9,
}
"""How many of each kind the paper numbers."""


def test_every_label_has_one_entry():
    answered = [label for claim in CLAIMS for label in claim.labels]
    assert len(answered) == len(set(answered))
    assert set(LABELS) <= set(answered)
    by_number = {label for label in answered if ":" not in label and label not in LABELS}
    assert {"Theorem 1", "Definition 6", "Definition 7", "Example 5"} <= by_number


@pytest.mark.parametrize("item", NUMBERED)
def test_every_numbered_item_has_an_entry(item):
    """In the order of the lines on which they are, so that no two exchange their numbers."""
    page = (ROOT / "docs" / "sentences.md").read_text(encoding="utf-8")
    claims = sorted((claim for claim in CLAIMS if claim.item is item), key=lambda claim: page.index(f"`{claim.id}`"))
    numbers = [claim.number.split(",")[0] for claim in claims]
    assert numbers == [f"{item.value.capitalize()} {number}" for number in range(1, NUMBERED[item] + 1)]


def test_every_numbered_equation_has_an_entry():
    """39 of them; those of a definition or theorem answer beside its name, and with its verdict."""
    equations = [number for claim in CLAIMS for number in claim.number.split(", ") if number.startswith("Eq. ")]
    assert sorted(equations) == sorted(f"Eq. ({number})" for number in range(1, 40))


def test_the_worked_examples_have_entries():
    assert {c.number for c in CLAIMS if c.item is Item.EXAMPLE} == {
        *(f"Example {k}" for k in range(1, 6)),
        "Section 4.3",
    }


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_an_entry_is_whole(claim):
    assert claim.evidence
    assert claim.statement.endswith(".")
    if claim.verdict is not ClaimVerdict.DEFINITION:
        assert len(claim.kinds) >= 2
    if claim.verdict in (
        ClaimVerdict.CORRECTED,
        ClaimVerdict.FALSE,
        ClaimVerdict.UPPER_BOUND,
        ClaimVerdict.NOT_REPRODUCIBLE,
    ):
        assert claim.corrected
    if claim.verdict in (ClaimVerdict.CORRECTED, ClaimVerdict.FALSE, ClaimVerdict.UPPER_BOUND):
        assert claim.witness
        assert claim.by_hand
        assert claim.errata
    assert set(claim.errata) <= {erratum.id for erratum in ERRATA}


def test_every_erratum_is_cited_and_numbered():
    numbers = {int(name[1:]) for name in (*WITHDRAWN, *(erratum.id for erratum in ERRATA))}
    assert numbers == set(range(1, len(ERRATA) + len(WITHDRAWN) + 1))
    grades = [(list(Consequence).index(e.consequence), list(Nature).index(e.nature)) for e in ERRATA]
    assert grades == sorted(grades)
    assert {name for claim in CLAIMS for name in claim.errata} == {erratum.id for erratum in ERRATA}
    page = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8").partition("## Where the printed paper")[2]
    items = {int(number) for number in re.findall(r"^(\d+)\. ", page, re.MULTILINE)}
    assert {erratum.listed for erratum in ERRATA} - {None} == items


def test_evidence_names_are_unique_and_none_is_idle():
    assert len({piece.name for piece in PIECES}) == len(PIECES) == len({id(piece.look) for piece in PIECES})
    assert {piece.name for piece in PIECES} == {piece.name for piece in trial.all_evidence()}


LOOPS = (EvidenceKind.ENUMERATION, EvidenceKind.BRUTE_FORCE, EvidenceKind.CERTIFICATE)


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece.name)
def test_a_written_scope_has_no_number_of_its_own(piece):
    """What a loop goes through it notes itself: that cannot differ from what it does."""
    assert piece.shows.endswith(".")
    assert "sampl" not in piece.scope + piece.shows
    if piece.kind in LOOPS:
        assert not re.search(r"[0-9]", re.sub(r"Example \d|Figure \d|loc_\d|\[0, ∞\)", "", piece.scope))
    if piece.scope.startswith(("proved", "general")):
        assert piece.kind in (EvidenceKind.DECISION, EvidenceKind.IDENTITY)


def test_what_closes_a_proof_is_a_theorem_of_the_register():
    proved = {piece.name for piece in theorems.THEOREMS if piece.scope == "for all n, proved by Rocq"}
    assert {piece.closed_by for piece in PIECES} - {None} <= proved
    assert not [piece.name for piece in PIECES if piece.closed_by and piece.human_step]


def test_the_theorem_of_the_verified_checker_is_in_the_list():
    """It is named where claims are published, and is about no claim of the paper."""
    assert theorems.stated()["Checker.check_sound"] == "Theorem"


def test_every_theorem_corollary_and_lemma_is_proved_for_all_n():
    proved = {
        claim.id for claim in CLAIMS if any(piece.scope == "for all n, proved by Rocq" for piece in claim.evidence)
    }
    assert {claim.id for claim in CLAIMS if claim.item in (Item.THEOREM, Item.COROLLARY, Item.LEMMA)} <= proved


def test_what_evidence_is_declared_to_show_is_there():
    ids, numbers = {claim.id for claim in CLAIMS}, {erratum.id for erratum in ERRATA}
    for piece in trial.all_evidence():
        assert set(piece.about) <= ids, piece.name
        assert set(piece.errata) <= numbers, piece.name
        assert piece.about or piece.errata, piece.name


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.id)
def test_an_erratum_is_printed_defended_and_shown(erratum):
    """What is quoted stands, verbatim, in the lines that are named."""
    for line, text in erratum.quotes:
        assert text in transcript.printed_line(line)
    for text in (erratum.defence, erratum.remains, erratum.corrected, erratum.witness):
        assert len(text) > 3
        assert "see the evidence" not in text
    assert erratum.evidence


# The verdict follows from the evidence


FACTS = {
    Bearing.SUPPORTS: Compared("printed", equal=1),
    Bearing.REFUTES: Compared("printed", other=1),
    Bearing.CORRECTS: Compared("corrected", equal=1),
    Bearing.BOUNDS: Compared("printed", above=1),
    Bearing.PARTLY: Compared("given", other=1),
}


def report_on(claim, *, failed=(), shown=None):
    """A run in which the grounds of a claim find what they must, or what is `shown`; no evidence is looked at."""
    shown = SHOWN.get(claim.verdict, ()) if shown is None else shown
    facts = {name: {claim.id: FACTS[bearing]} for name, bearing in zip(claim.grounds, shown, strict=True)}
    outcomes = {
        piece.name: TrialOutcome(piece.name, "found", None, 0.0, facts=facts.get(piece.name, {}), told=told_of(claim))
        for piece in PIECES
    }
    outcomes |= {name: TrialOutcome(name, None, "not so", 0.0) for name in failed}
    return trial.TrialReport((claim,), (), outcomes)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_no_other_verdict_follows(claim):
    shown = SHOWN.get(claim.verdict, ())
    assert report_on(claim).holds
    for verdict in set(ClaimVerdict) - {claim.verdict}:
        report = report_on(replace(claim, verdict=verdict), shown=shown)
        assert not report.holds
        assert report.unfounded == report.claims
        assert failures(report) == [
            f"{claim.id}: the verdict is “{verdict.value}”, its evidence amounts to “{claim.verdict.value}”"
        ]


GROUNDED = [claim for claim in CLAIMS if claim.grounds]


@pytest.mark.parametrize("claim", GROUNDED, ids=lambda claim: claim.id)
def test_a_verdict_fails_without_either_of_its_grounds(claim):
    assert {piece.name for piece in claim.evidence} >= set(claim.grounds)
    assert len(set(claim.grounds)) == 2
    for name in claim.grounds:
        assert report_on(claim, failed=[name]).found(claim) is None
        fewer = replace(claim, evidence=tuple(piece for piece in claim.evidence if piece.name != name))
        assert report_on(claim).found(fewer) is None


@pytest.mark.parametrize("claim", GROUNDED, ids=lambda claim: claim.id)
def test_a_verdict_fails_where_a_ground_finds_something_else(claim):
    for first, second in product(Bearing, repeat=2):
        same = {first, second} == set(SHOWN[claim.verdict])
        assert (report_on(claim, shown=(first, second)).found(claim) is claim.verdict) is same


def test_a_definition_claims_nothing():
    for claim in CLAIMS:
        assert (claim.verdict is ClaimVerdict.DEFINITION) is (claim.grounds == ())


def test_evidence_of_another_claim_does_not_count():
    claims = {claim.id: claim for claim in CLAIMS}
    claim = replace(claims["thm:gen_L_func"], evidence=claims["thm:lfp"].evidence)
    assert report_on(claim).found(claim) is None


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.id)
def test_no_other_nature_or_consequence_stands(erratum):
    """And none without facts, or with a formula that no evidence computes."""
    erratum = replace(erratum, evidence=erratum.evidence[:1])
    (piece,) = erratum.evidence
    outcome = TrialOutcome(piece.name, "found", None, 0.0, facts={erratum.id: fact_of(erratum)}, told=told_of(erratum))

    def stands(one, own=outcome):
        return trial.TrialReport((), (one,), {piece.name: own}).stands(one)

    assert stands(erratum)
    for nature, consequence in product(Nature, Consequence):
        same = (nature, consequence) == (erratum.nature, erratum.consequence)
        assert stands(replace(erratum, nature=nature, consequence=consequence)) is same
    assert not stands(erratum, replace(outcome, facts={}))
    for formula in erratum.formulas:
        assert not stands(erratum, replace(outcome, told=outcome.told - {(erratum.id, formula)}))


TWO_KINDS = EvidenceKind.ENUMERATION, EvidenceKind.THEOREM


@pytest.mark.parametrize(
    ("shown", "verdict"),
    [
        ("", None),
        ("SUPPORTS", None),
        ("SUPPORTS SUPPORTS", ClaimVerdict.HOLDS),
        ("SUPPORTS CORRECTS", None),
        ("REFUTES REFUTES", ClaimVerdict.FALSE),
        ("REFUTES SUPPORTS", None),
        ("REFUTES BOUNDS", None),
        ("REFUTES CORRECTS", ClaimVerdict.CORRECTED),
        ("BOUNDS BOUNDS", ClaimVerdict.UPPER_BOUND),
        ("PARTLY SUPPORTS", ClaimVerdict.NOT_REPRODUCIBLE),
        ("SUPPORTS SUPPORTS SUPPORTS", None),
    ],
)
def test_what_evidence_comes_to(shown, verdict):
    bearings = [Bearing[word] for word in shown.split()]
    assert verdict_of(zip((*TWO_KINDS, *TWO_KINDS), bearings, strict=False)) is verdict
    assert verdict_of((EvidenceKind.THEOREM, bearing) for bearing in bearings) is None


# What a fact comes to


@pytest.mark.parametrize(
    ("compare", "bearing"),
    [
        (lambda: compared("C", 1, 1), Bearing.SUPPORTS),
        (lambda: compared("C", 2, 1), Bearing.REFUTES),
        (lambda: compared("C", 2, 1, leakage=True), Bearing.BOUNDS),
        (lambda: compared("C", 1, 2, leakage=True), Bearing.REFUTES),
        (lambda: (compared("C", 2, 1, leakage=True), compared("C", 1, 2, leakage=True)), Bearing.REFUTES),
        (lambda: (compared("C", 2, 1, leakage=True), compared("C", 2, 2, leakage=True)), Bearing.BOUNDS),
        (lambda: mended("C", 1, 1), Bearing.CORRECTS),
        (lambda: mended("C", 2, 1), None),
        (lambda: at_most("C", "=", "≤"), Bearing.BOUNDS),
        (lambda: at_most("C", "≤", "≤"), Bearing.SUPPORTS),
        (lambda: at_most("C", "=", "not"), Bearing.REFUTES),
        (lambda: given("C", 0, 4), Bearing.PARTLY),
        (lambda: given("C", 4, 4), None),
    ],
)
def test_what_a_comparison_shows(compare, bearing):
    with collecting() as facts:
        compare()
    assert facts["C"].bearing is bearing


def test_unlike_things_are_not_compared():
    with collecting():
        for printed, right in ((True, 1), ("1", 1)):
            with pytest.raises(TypeError, match="not of one kind"):
                compared("C", printed, right)
        compared("C", 1, 1)
        with pytest.raises(TypeError, match="both as"):
            mended("C", 1, 1)


@pytest.mark.parametrize(
    ("name", "found"),
    [("Chain.BPL_recursion", "≤"), ("Supremum.theorem_11", "="), ("Errata.theorem_2_as_printed", "not")],
)
def test_the_relation_of_a_theorem_is_read_from_its_statement(name, found):
    assert theorems.relation(name) == found


def test_a_flipped_verdict_makes_the_command_fail(monkeypatch, capsys):
    flipped = tuple(replace(claim, verdict=ClaimVerdict.FALSE) for claim in CLAIMS if claim.id == "thm:gen_L_func")
    monkeypatch.setattr(trial, "all_claims", lambda: flipped)
    assert run("--claim", "thm:gen_L_func") == 1
    captured = capsys.readouterr()
    assert "false — DOES NOT FOLLOW" in captured.out
    assert "thm:gen_L_func: the verdict is “false”, its evidence amounts to “holds”" in captured.err


def test_a_piece_that_loops_for_ever_ends(monkeypatch):
    monkeypatch.setattr(register, "PATIENCE", 0.1)

    @evidence(EvidenceKind.BRUTE_FORCE, "nothing")
    def loops() -> str:
        """Never ends."""
        while True:
            pass

    assert look(loops).error == "no end within 0.1 seconds of processor time"


class Finalized:
    def __del__(self):
        end = process_time() + 0.3
        while process_time() < end:
            pass


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_end_that_python_ignored_is_raised_again(monkeypatch):
    monkeypatch.setattr(register, "PATIENCE", 0.1)
    monkeypatch.setattr(register, "ENDED_AGAIN_AFTER", 0.1)

    @evidence(EvidenceKind.BRUTE_FORCE, "nothing")
    def finalizes() -> str:
        """Never ends, and is first interrupted in a finalizer."""
        Finalized()
        while True:
            pass

    assert look(finalizes).error == "no end within 0.1 seconds of processor time"


@pytest.mark.parametrize(
    "piece",
    [
        theorems.theorem("LFP.theorem_55", "A name that Rocq does not know."),
        theorems.theorem("theorem_5", "A name without its file."),
        theorems.theorem("LFP.optimum", "A definition."),
        theorems.theorem("LFP.optimum_upper", "A step of a proof, which the list does not have."),
        theorems.theorem("Errata.theorem_2_as_printed", "A witness is not proved for all n."),
        theorems.witness("LFP.theorem_5", "A theorem is no witness."),
    ],
    ids=lambda piece: piece.name,
)
def test_what_rocq_did_not_prove_is_no_evidence(piece):
    outcome = look(piece)
    assert not outcome.held
    assert f" {piece.name}" in outcome.error


@pytest.mark.slow
def test_the_page_in_docs_says_what_all_evidence_shows():
    outcomes = {piece.name: look(piece) for piece in PIECES}
    for piece in PIECES:
        if piece.kind is not EvidenceKind.THEOREM:
            check_evidence(piece, outcomes[piece.name])
    report = trial.TrialReport(CLAIMS, ERRATA, outcomes)
    assert report.holds
    page = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    assert page == markdown(report), "run `tploracle verify --markdown docs/claims.md`"


def test_the_page_in_docs_has_every_text_of_the_register():
    """So that a number that was changed in a text, or on the page, is seen without looking at all evidence."""
    page = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    texts = [
        text
        for claim in CLAIMS
        for text in (claim.title, claim.statement, claim.verdict.value, claim.corrected, claim.witness, claim.by_hand)
    ]
    texts += [getattr(erratum, field) for erratum in ERRATA for field in ("defence", "remains", "corrected", "witness")]
    for piece in PIECES:
        texts += [piece.shows, piece.scope, piece.human_step]
        if piece.kind is not EvidenceKind.THEOREM:
            texts += written_in(piece.look)
    assert [text for text in texts if text and _text(text) not in page] == []


# What a prover must not let pass


def test_z3_passes_only_what_follows():
    z3 = z3_prover()
    x, y = z3.Reals("x y")
    prove(x * x >= 0, what="squares")
    with pytest.raises(EvidenceFailed, match="not so for"):
        prove(x * x > 0, what="positive squares")
    with pytest.raises(EvidenceFailed, match="assumptions alone"):
        prove(x == y, x > y, x < y, what="anything from nothing")
    impossible(x > y, y > x, what="both")
    with pytest.raises(EvidenceFailed):
        impossible(x > y, what="one")


def test_sympy_passes_only_identities():
    x = sympy_algebra().Symbol("x")
    identity((x + 1) ** 2, x**2 + 2 * x + 1, "binomial")
    with pytest.raises(EvidenceFailed, match="differ"):
        identity((x + 1) ** 2, x**2 + 2 * x, "not")


@pytest.mark.parametrize(("module", "prover"), [("z3", z3_prover), ("sympy", sympy_algebra)])
def test_a_missing_prover_is_an_error_by_name(monkeypatch, module, prover):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(MissingProver, match=rf"{module} is needed: pip install 'tploracle\[proofs\]'") as caught:
        prover()
    assert caught.value.name == "InvalidRequest"


def test_a_failure_of_any_kind_is_an_outcome():
    @evidence(EvidenceKind.BRUTE_FORCE, "nothing")
    def breaks() -> str:
        """Divides by zero."""
        return str(Fraction(1, 0))

    outcome = look(breaks)
    assert not outcome.held
    assert "ZeroDivisionError" in outcome.error


# The command


def run(*arguments):
    return main(["verify", "--jobs", "1", *arguments], standalone_mode=False)


def test_one_line_a_claim(capsys):
    assert run("-k", "theorem 10") == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("holds             Theorem 10 [thm:gen_L_func]: ")
    assert "symbolic identity, theorem" in lines[0]
    assert lines[1].startswith("1 claims: 1 holds. 2 errata (1 gap in a proof; 1 slip; 1 of them unsafe). ")
    assert "5/5" in captured.err


@pytest.fixture
def found_at_once(monkeypatch):
    """No evidence is run, and all of it finds what it must: for what is said of claims that the tests above look at."""

    def found(piece):
        grounded = [claim for claim in GROUNDED if piece.name in claim.grounds]
        facts = {c.id: FACTS[SHOWN[c.verdict][c.grounds.index(piece.name)]] for c in grounded}
        errata = [erratum for erratum in ERRATA if piece in erratum.evidence]
        facts |= {erratum.id: fact_of(erratum) for erratum in errata}
        own = [*errata, *(claim for claim in CLAIMS if piece in claim.evidence)]
        return TrialOutcome(piece.name, "found", None, 0.0, facts=facts, told=frozenset().union(*map(told_of, own)))

    monkeypatch.setattr(trial, "look", found)


def test_one_claim_in_full(capsys, found_at_once):
    assert run("--claim", "thm:analysis_tpl") == 0
    text = capsys.readouterr().out
    for part in ("verdict as printed: false", "witness:", "by hand:", "scope:", "E33", "log 6"):
        assert part in text


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Theorem 7", "Theorem 7: Full loss"),
        ("E14", "Theorem 8: Only k pairs of q and d"),
        ("thm:algo_extreme2", "Theorem 7: Full loss"),
        ("Eq. (3)", "Definition 5, Eq. (2), Eq. (3): TPL"),
        ("Definition 5", "Definition 5, Eq. (2), Eq. (3): TPL"),
        ("Definition 5, Eq. (2), Eq. (3)", "Definition 5, Eq. (2), Eq. (3): TPL"),
    ],
)
def test_a_claim_by_number_label_and_erratum(capsys, found_at_once, name, title):
    assert run("--claim", name) == 0
    assert title in capsys.readouterr().out


def test_json(capsys):
    assert run("--json", "--claim", "eq:thm_sup_proof") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["holds"]
    assert [claim["verdict"] for claim in found["claims"]] == ["false"]
    assert found["errata"][0]["id"] == "E9"
    assert all(piece["holds"] and piece["found"] for piece in found["evidence"])


@pytest.mark.parametrize("option", ["--claim", "-k"])
def test_an_unknown_claim_is_an_error(capsys, option):
    assert run(option, "thm:nothing") == 2
    assert capsys.readouterr().err.startswith("InvalidRequest: ")


@pytest.mark.slow
def test_processes_find_the_same(capsys):
    assert run("--json", "-k", "Lemma") == 0
    alone = json.loads(capsys.readouterr().out)
    assert main(["verify", "--jobs", "2", "--json", "-k", "Lemma"], standalone_mode=False) == 0
    together = json.loads(capsys.readouterr().out)
    assert [piece["found"] for piece in together["evidence"]] == [piece["found"] for piece in alone["evidence"]]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_processes_read_the_source_that_is_named(monkeypatch, capsys, tmp_path, jobs):
    (tmp_path / "paper.tex").write_text("another", encoding="utf-8")
    monkeypatch.setenv(transcript.SOURCE_VARIABLE, str(tmp_path / "paper.tex"))
    with pytest.raises(SystemExit):
        main(["verify", "--jobs", jobs, "-k", "Theorem 11"])
    assert "not the paper's source" in capsys.readouterr().err


def test_the_page_needs_nothing_from_outside(tmp_path, capsys):
    picture = tmp_path / "fig-ex_budgets.png"
    picture.write_bytes(b"\x89PNG")
    page = tmp_path / "new" / "page.html"
    assert run("-k", "Figure 8", "--html", str(page), "--pictures", str(tmp_path)) == 0
    text = page.read_text(encoding="utf-8")
    assert "http" not in text
    assert 'src="data:image/png;base64,' in text
    assert '<span class="verdict holds">holds</span>' in text
    assert text.count("<details") == text.count("</details>") > 0
    capsys.readouterr()


# A formula is broken: the register must see it


def _weaker_difference(self, parts):
    return (self.q - self.d) * parts[0] / (self.d * parts[0] + 2)


@pytest.mark.slow
def test_a_broken_formula_makes_the_run_fail(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(formulas.LinearFractional, "exact", _weaker_difference)
    page = tmp_path / "page.html"
    assert run("-k", "thm:sup", "--html", str(page)) == 1
    captured = capsys.readouterr()
    assert "EVIDENCE FAILED" in captured.out
    assert "EvidenceFailed: supremum.equation" in captured.err
    assert "EVIDENCE FAILED" in page.read_text(encoding="utf-8")
