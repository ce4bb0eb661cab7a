"""The evidence of the paper's claims, a test each: it holds, and shows of its claims what their verdicts rest on.

It enumerates small families against the definitions or all sets of columns; the other tests of the reference do not
repeat it.
"""

import pytest

from tploracle.proofs_checks import trial
from tploracle.proofs_checks.compared import Bearing
from tploracle.proofs_checks.register import ClaimVerdict, EvidenceKind, look

CLAIMS = trial.all_claims()
PIECES = [piece for piece in trial.evidence_of(CLAIMS, trial.all_errata()) if piece.kind is not EvidenceKind.THEOREM]
LOOPS = (EvidenceKind.ENUMERATION, EvidenceKind.BRUTE_FORCE, EvidenceKind.CERTIFICATE)

SHOWN = {
    ClaimVerdict.HOLDS: (Bearing.SUPPORTS, Bearing.SUPPORTS),
    ClaimVerdict.CORRECTED: (Bearing.REFUTES, Bearing.CORRECTS),
    ClaimVerdict.UPPER_BOUND: (Bearing.BOUNDS, Bearing.BOUNDS),
    ClaimVerdict.FALSE: (Bearing.REFUTES, Bearing.REFUTES),
    ClaimVerdict.NOT_REPRODUCIBLE: (Bearing.PARTLY, Bearing.SUPPORTS),
}
"""What the two grounds of a verdict show."""

DEAR = {
    "algorithms.simple_idea_counted", "algorithms.simple_idea_tried", "algorithms.cost_in_all",
    "algorithms.cost_of_algorithm_2", "algorithms.cost_of_algorithm_3", "algorithms.cost_of_algorithm_4",
    "algorithms.cost_of_algorithm_1", "algorithms.k_is_positive", "algorithms.cost_in_all_bounded",
    "leakage.personal_leakage", "leakage.table_2", "lfp.corollary_2_enumerated", "lfp.longest_paths", "lfp.lemma_tried",
    "lfp.theorem_5_enumerated", "lfp.loss_by_subsets", "lfp.removal_order", "lfp.dinkelbach_enumerated",
    "loss.k_cases", "loss.transitions_enumerated", "loss.example_4_tried", "quoted.formulas_as_printed",
}  # fmt: skip
"""The pieces that take more than a second: `test_the_page_in_docs_says_what_all_evidence_shows` looks at all."""


@pytest.mark.parametrize("piece", [pytest.param(p, id=p.name) for p in PIECES if p.name not in DEAR])
def test_evidence_holds(piece):
    check_evidence(piece, look(piece))


def check_evidence(piece, outcome):
    assert outcome.held, outcome.error
    assert outcome.found
    assert set(outcome.facts) <= {*piece.about, *piece.errata}
    assert outcome.covered or piece.kind not in LOOPS or "exact" in piece.scope
    for claim in CLAIMS:
        if piece.name in claim.grounds:
            assert outcome.bearings[claim.id] is SHOWN[claim.verdict][claim.grounds.index(piece.name)], claim.id
