"""The theorems that Rocq proved, as evidence for claims and errata, by name.

They are looked up in statements.txt, which Rocq printed of its compiled library, proofs_checks/rocq. `make proofs`
compiles that, prints the list anew and fails where it differs: so what stands there is proved, with the statement that
stands there. docs/proofs.md says how to read it.
"""

from __future__ import annotations

import re
from functools import cache, partial
from importlib import resources

from .compared import Ids, at_most, mended
from .register import Evidence, EvidenceFailed, EvidenceKind, as_ids

_STATED = re.compile(r"^(Theorem|Example) (\S+)\n(.*?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


@cache
def _statements() -> dict[str, tuple[str, str]]:
    listed = resources.files(__package__).joinpath("rocq", "statements.txt").read_text(encoding="utf-8")
    return {name: (kind, statement) for kind, name, statement in _STATED.findall(listed)}


@cache
def stated() -> dict[str, str]:
    """Return what Rocq proved: for each name, FILE.name, whether it is a Theorem or an Example."""
    return {name: kind for name, (kind, _) in _statements().items()}


def relation(name: str) -> str:
    """Return the relation that a theorem of Rocq concludes with: ≤, =, or that something is not so."""
    conclusion = _statements()[name][1].rpartition("->")[2]
    if "~" in conclusion:
        return "not"
    return "≤" if any(word in conclusion for word in ("_at_most", "<=", "Chain.private")) else "="


def theorem(
    name: str,
    shows: str,
    *,
    states: Ids = (),
    mends: Ids = (),
    printed: str | None = None,
    about: Ids = (),
    errata: Ids = (),
    kind: str = "Theorem",
) -> Evidence:
    """Return the evidence that a Theorem of Rocq is.

    Args: name, FILE.name; shows, what it says, in a sentence; states, mends, the ids of the claims whose statement, as
    printed or as corrected, it is; printed, the relation that is printed where it is another than the one that it
    proves; about and errata, as `evidence`; kind, "Example" where it is about given numbers.
    """
    scope = "for all n, proved by Rocq" if kind == "Theorem" else "one witness, proved by Rocq"

    def look() -> str:
        if stated().get(name) != kind:
            raise EvidenceFailed(f"Rocq's library has no {kind} {name}")
        at_most(states, printed or relation(name), relation(name))
        mended(mends, stated()[name], kind)
        return f"{kind} {name}, in the list of what the compiled library states and rests on"

    named = (*as_ids(states), *as_ids(mends), *as_ids(about))
    return Evidence(name, EvidenceKind.THEOREM, shows, scope, None, None, named, as_ids(errata), look)


witness = partial(theorem, kind="Example")
"""The evidence that an Example of Rocq is, about given numbers."""


THEOREMS = (
    theorem(
        "Budgets.equations_26_27",
        "With ε_m = α^B + α^F − α both equations say that ε_m keeps BPL at α^B and FPL at α^F.",
        states=("eq:release2_a", "eq:release2_b"),
    ),
    theorem(
        "Chain.theorem_1",
        "At every output both densities are within e^ε, for any number of counts.",
        states="Theorem 1",
    ),
    theorem(
        "Chain.theorem_2",
        "TPL as defined is at most BPL + FPL − ε by the recursions, with a matrix and a budget for each step.",
        states="thm:analysis_tpl",
        printed="=",
    ),
    theorem(
        "Tight.tight_TPL_bounds",
        "No mechanism distinguishes a pair of values by more than ε + log B + log F.",
        states="thm:analysis_tpl",
        printed="=",
    ),
    theorem(
        "Tight.tight_TPL_attained",
        "One sequence of randomized responses distinguishes them by exactly that.",
        states="thm:analysis_tpl",
        printed="=",
    ),
    theorem(
        "Chain.BPL_recursion",
        "BPL as defined is at most what the recursion gives, at every time.",
        states="eq:bpl_f",
        printed="=",
    ),
    theorem("Tight.attained_at_two", "At the first times a mechanism attains it.", states="eq:bpl_f"),
    theorem(
        "Chain.FPL_recursion",
        "FPL as defined is at most what the recursion gives, at every time.",
        states="eq:fpl_f",
        printed="=",
    ),
    theorem(
        "Chain.theorem_3",
        "A window leaks at most BPL at its start, the budgets within, and FPL at its end, all as defined.",
        states="thm:composition",
    ),
    theorem(
        "Chain.corollary_1",
        "All releases together leak at most the sum of their budgets.",
        states="col:user-level",
        printed="=",
    ),
    theorem(
        "Chain.theorem_4",
        "The mechanisms of a window, as one of the sequence of data, are private with the sum of the budgets.",
        states="thm:sequential_composition",
    ),
    theorem(
        "LFP.theorem_5",
        "Where [eq:cond1] and [eq:cond2] hold, the printed value is the maximum of the program.",
        states="thm:lfp",
    ),
    theorem(
        "LFP.optimum_is_optimum",
        "Every program has an optimum, the greatest value over all sets of indices.",
        states="thm:lfp",
    ),
    theorem("LFP.optimum_equation", "The hockey stick's equation has it for its only solution.", mends="thm:lfp"),
    theorem(
        "Loss.equation_24", "L is the greatest logarithm of an optimum over all pairs of rows.", states="eq:lfp_sol_b"
    ),
    theorem("Loss.remark_1", "L is not negative, and not above α.", states="remark"),
    theorem("Loss.loss_rises", "L does not fall as α rises.", states="remark"),
    theorem("Loss.loss_slow", "L rises by no more than α does.", states="remark"),
    theorem("LFP.corollary_2", "Where [eq:cond1] and [eq:cond2] hold, q_j > d_j in x⁺.", states="col:q_d"),
    theorem(
        "LFP.algorithm_1",
        "With the flag set back it ends, after n rounds at most, at the optimum.",
        states="Section 4.2, complexity of Algorithm 1",
        mends="algo:cal_bpl",
    ),
    theorem(
        "LFP.round_rises",
        "Without the indices that fail [eq:cond1] the value does not fall.",
        states="Section 4.2, removal of several indices",
    ),
    theorem("Loss.theorem_6", "Where all rows are equal, L is zero.", states="thm:algo_extreme1"),
    theorem("Loss.theorem_6_converse", "Where L is zero at one α, all rows are equal.", mends="thm:algo_extreme1"),
    theorem(
        "Loss.theorem_7", "Where a pair of rows has disjoint supports, L is the identity.", states="thm:algo_extreme2"
    ),
    theorem(
        "Loss.theorem_7_converse",
        "Where L(α) = α at one α, a pair of rows has disjoint supports.",
        mends="thm:algo_extreme2",
    ),
    theorem(
        "Pieces.theorem_8",
        "Ties included, what satisfies [eq:cond1] and [eq:cond2] is one of k prefixes.",
        states="thm:lfp_k_case",
    ),
    theorem(
        "Pieces.theorem_9",
        "Between its transition points the optimum is the piece of the prefix.",
        states="thm:lfp_seg_func",
    ),
    theorem("Pieces.theorem_9_order", "The transition points rise as the prefix shrinks.", states="thm:lfp_seg_func"),
    theorem("Pieces.theorem_9_all", "Every α lies between neighbours of them.", states="thm:lfp_seg_func"),
    theorem("Pieces.transition_point", "They are at the printed logarithm, or nowhere.", states="thm:lfp_seg_func"),
    theorem(
        "Columns.corollary_3",
        "L is the greatest log f of all pairs, each f the pieces of prefixes in an order of the columns.",
        states="col:L_func",
    ),
    theorem(
        "Columns.order_of_columns", "In any order of the columns the program has the same optimum.", states="col:L_func"
    ),
    theorem(
        "Pieces.theorem_10",
        "What is the greater of a pair of pieces at both ends is so within.",
        states="thm:gen_L_func",
    ),
    theorem(
        "Pieces.loss_piece", "Where one pair and set give L at both ends, they give it within.", states="thm:gen_L_func"
    ),
    theorem(
        "Lookup.algorithms_2_3",
        "With the missing summand arrays and binary search return L(α) + ε.",
        mends=("algo:precomp1", "algo:calc_precomp"),
    ),
    theorem(
        "Lookup.algorithm_4",
        "With the lookup at both ends the recursion ends, with the pieces of L from a_1 to a_m.",
        mends="algo:gen_L_func",
    ),
    theorem(
        "Lookup.algorithm_5", "The first piece that does not end before α gives L(α) + ε.", mends="algo:cal_bpl_func"
    ),
    theorem(
        "Supremum.theorem_11",
        "The supremum is the printed candidate of what is optimal at the supremum.",
        mends="thm:sup",
    ),
    theorem("Supremum.divergent_rule", "From the second case's end on the recursion is unbounded.", mends="thm:sup"),
    theorem(
        "Supremum.bounded_iff",
        "Without such a point it is bounded.",
        states="Section 5, all but the strongest",
        mends="thm:sup",
    ),
    theorem(
        "Tight.for_ever", "Where some sweep falls below what its step shrinks, no horizon exceeds λ.", errata="E36"
    ),
    theorem(
        "Criterion.bounded_for_ever",
        "If some power of the matrix has no zero, leakage is bounded, whatever the budget at every time.",
        about="thm:sup",
        errata="E36",
    ),
    theorem(
        "Criterion.criterion",
        "Leakage is bounded iff one class is closed, it is aperiodic, and e^ε P lowers some vector on the others.",
        errata="E36",
    ),
    theorem(
        "Worst.BPL_bounded_for_ever",
        "BPL as defined, over all times and mechanisms, is bounded iff the criterion holds.",
        about="thm:sup",
        errata="E36",
    ),
    theorem(
        "Supremum.algorithm_6",
        "Where none diverges, the supremum is the greatest of all candidates.",
        mends="algo:findSup",
    ),
    theorem(
        "Supremum.algorithm_6_candidates",
        "The candidates that the arrays list are enough: those of the first columns, in order, of each pair of rows.",
        mends="algo:findSup",
    ),
    theorem(
        "Budgets.algorithm_7",
        "A budget whose suprema add up to α keeps TPL ≤ α at every time, over an infinite horizon.",
        mends="algo:release1",
    ),
    theorem(
        "Budgets.algorithm_7_protects",
        "So do all mechanisms with that budget, by the definition of TPL.",
        mends="algo:release1",
    ),
    theorem(
        "Budgets.algorithm_7_test",
        "A budget keeps TPL within α at all times iff sup_B + sup_F − ε ≤ α: so this test decides.",
        mends="algo:release1",
    ),
    theorem("Budgets.algorithm_7_greatest", "Where the loop ends, no greater budget keeps α.", mends="algo:release1"),
    theorem(
        "Budgets.bisection",
        "After any number of rounds the budget e − range keeps α at all times, and none above e + range does.",
        mends="algo:release1",
        errata="E27",
    ),
    theorem("Budgets.smaller_budgets", "Smaller budgets leak no more: rounding down is safe.", mends="algo:release1"),
    theorem(
        "Budgets.algorithm_8",
        "A solution of the equations makes TPL exactly α at every time, if there is a second.",
        mends="algo:release2",
    ),
    theorem("Budgets.algorithm_8_one", "For a single time the budget α does.", mends="algo:release2", errata="E29"),
    theorem(
        "Budgets.strongest_correlation",
        "Where L is the identity no positive middle budget solves them.",
        mends="algo:release2",
        errata="E37",
    ),
    theorem("LFP.theorem_12", "For the program, in which D is positive, it is so.", states="thm:Dinkelbach"),
    theorem("LFP.lemma_1", "For a fixed least entry m the form is greatest as printed.", mends="lem:lfp_proof"),
    witness("Errata.recursion_not_attained", "BPL_3 of every mechanism is below the recursion's.", errata="E1"),
    witness("Errata.algorithm_1_as_printed", "The first round removes an index, so the flag stays set.", errata="E2"),
    witness(
        "Errata.theorem_7_as_printed", "L(α) = α for an α, with no column of the theorem.", mends="thm:algo_extreme2"
    ),
    witness("Errata.algorithm_2_as_printed", "The printed transition does not give the maximum.", errata="E4"),
    witness("Errata.algorithm_3_as_printed", "What is divided by itself leaves ε alone.", errata="E6"),
    witness("Errata.theorem_11_case_2_as_printed", "At the second case's end there is no supremum.", errata="E8"),
    witness(
        "Errata.equation_39_as_printed", "The root solves the corrected quadratic, not the printed one.", errata="E9"
    ),
    witness("Errata.theorem_11_first_pair", "The first step's candidate is below the supremum.", errata="E10"),
    witness("Errata.algorithm_6_as_printed", "Where all rows are equal the supremum is ε.", errata="E12"),
    witness("Errata.theorem_8_as_printed", "With a tie fewer pairs than k satisfy both.", errata="E14"),
    witness("Errata.lemma_1_as_printed", "With m free every feasible x is exceeded by another.", errata="E16"),
    witness("Errata.theorem_12_as_printed", "With a negative D the maximum is zero, not at an optimum.", errata="E17"),
    witness("Errata.existence_as_printed", "Over an open interval no x_1 is the greatest.", errata="E18"),
    witness("Errata.example_4_as_printed", "A pair of rows has the crossing for its transition point.", errata="E20"),
    witness("Errata.figure_8_as_printed", "Bayes' rule gives no chain both matrices of Figure 8.", errata="E22"),
    witness("Errata.corollary_1_as_printed", "Releases leak less than their budgets add up to.", errata="E24"),
    witness(
        "Errata.theorem_2_as_printed",
        "TPL exceeds what bounds on BPL and FPL, less PL_0, come to.",
        states=("thm:analysis_tpl", "eq:tpl_comp1", "eq:tpl_comp2", "pf:eq:tpl_expanded2"),
        printed="=",
        errata="E33",
    ),
)
"""What Rocq proved of claims and of errata."""
