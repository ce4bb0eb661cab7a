"""The theorems that Rocq proved, as evidence for claims and errata, by name.

They are looked up in statements.txt, which Rocq printed of its compiled library, proofs_checks/rocq. `make proofs`
compiles that, prints the list anew and fails where it differs: so what stands there is proved, with the statement that
stands there. docs/proofs.md says how to read it.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from .register import Evidence, EvidenceFailed, EvidenceKind, Ids, declared_bearings

_STATED = re.compile(r"^(Theorem|Example) (\S+)\n", re.MULTILINE)


@cache
def stated() -> dict[str, str]:
    """Return what Rocq proved: for each name, FILE.name, whether it is a Theorem or an Example."""
    listed = resources.files(__package__).joinpath("rocq", "statements.txt").read_text(encoding="utf-8")
    return {name: kind for kind, name in _STATED.findall(listed)}


def theorem(name: str, shows: str, **declared: Ids) -> Evidence:
    """Return the evidence that a Theorem of Rocq is.

    Args: name, FILE.name; shows, what it says, in a sentence; declared, as `evidence`.
    """
    return _proved("Theorem", name, shows, "for all n, proved by Rocq", declared)


def witness(name: str, shows: str, **declared: Ids) -> Evidence:
    """Return the evidence that an Example of Rocq is, about given numbers. Args as `theorem`."""
    return _proved("Example", name, shows, "one witness, proved by Rocq", declared)


def _proved(kind: str, name: str, shows: str, scope: str, declared: dict[str, Ids]) -> Evidence:
    def look() -> str:
        if stated().get(name) != kind:
            raise EvidenceFailed(f"Rocq's library has no {kind} {name}")
        return f"{kind} {name}, in the list of what the compiled library states and rests on"

    return Evidence(name, EvidenceKind.THEOREM, shows, scope, None, None, *declared_bearings(name, declared), look)


THEOREMS = (
    theorem(
        "Budgets.equations_26_27",
        "With ε_m = α^B + α^F − α both equations say that α^B and α^F are kept by ε_m.",
        supports=("eq:release2_a", "eq:release2_b"),
    ),
    theorem(
        "Chain.theorem_1",
        "At every output the two densities are within e^ε, for any number of counts.",
        supports="Theorem 1",
    ),
    theorem(
        "Chain.theorem_2",
        "TPL as defined is at most BPL + FPL − ε by the recursions, with a matrix and a budget for each step.",
        bounds="thm:analysis_tpl",
    ),
    theorem(
        "Tight.tight_TPL_bounds",
        "No mechanism tells two values apart by more than ε + log B + log F.",
        bounds="thm:analysis_tpl",
    ),
    theorem(
        "Tight.tight_TPL_attained",
        "One sequence of randomized responses does tell them apart by as much.",
        bounds="thm:analysis_tpl",
    ),
    theorem(
        "Chain.BPL_recursion", "BPL as defined is at most what the recursion gives, at every time.", bounds="eq:bpl_f"
    ),
    theorem("Tight.attained_at_two", "For t ≤ 2 a mechanism attains it.", supports="eq:bpl_f"),
    theorem(
        "Chain.FPL_recursion", "FPL as defined is at most what the recursion gives, at every time.", bounds="eq:fpl_f"
    ),
    theorem(
        "Chain.theorem_3",
        "A window leaks at most BPL at its start, the budgets within, and FPL at its end.",
        supports="thm:composition",
    ),
    theorem(
        "Chain.corollary_1", "All releases together leak at most the sum of their budgets.", bounds="col:user-level"
    ),
    theorem(
        "Chain.theorem_4",
        "Likelihoods of outputs at several values are within e to the sum of the budgets.",
        supports="thm:sequential_composition",
    ),
    theorem(
        "LFP.theorem_5",
        "Where (22) and (23) hold, the printed value is the maximum of the program.",
        supports="thm:lfp",
    ),
    theorem(
        "LFP.optimum_is_optimum",
        "Every program has an optimum, the greatest value over all sets of indices.",
        supports="thm:lfp",
    ),
    theorem("LFP.optimum_equation", "The optimum is the only v with E·Σ(q_j − v·d_j)^+ = v − 1.", corrects="thm:lfp"),
    theorem(
        "Loss.equation_24", "L is the greatest logarithm of an optimum over all pairs of rows.", supports="eq:lfp_sol_b"
    ),
    theorem("Loss.remark_1", "0 ≤ L(α) ≤ α.", supports="remark"),
    theorem("Loss.loss_rises", "L does not fall as α rises.", supports="remark"),
    theorem("Loss.loss_slow", "L rises by no more than α does.", supports="remark"),
    theorem("LFP.corollary_2", "Where (22) and (23) hold, q_j > d_j in x⁺.", supports="col:q_d"),
    theorem(
        "LFP.algorithm_1",
        "With the flag set back it ends, after n rounds at most, at the optimum.",
        supports="Section 4.2, complexity of Algorithm 1",
        corrects="algo:cal_bpl",
    ),
    theorem(
        "LFP.round_rises",
        "Without the indices that fail (22) the value does not fall.",
        supports="Section 4.2, removal of several indices",
    ),
    theorem("Loss.theorem_6", "Where all rows are equal, L is 0.", supports="thm:algo_extreme1"),
    theorem("Loss.theorem_6_converse", "Where L is 0 at any α > 0, all rows are equal.", corrects="thm:algo_extreme1"),
    theorem(
        "Loss.theorem_7", "Where two rows have disjoint supports, L is the identity.", supports="thm:algo_extreme2"
    ),
    theorem(
        "Loss.theorem_7_converse",
        "Where L(α) = α at any α > 0, two rows have disjoint supports.",
        corrects="thm:algo_extreme2",
    ),
    theorem(
        "Pieces.theorem_8",
        "Ties included, what satisfies (22) and (23) is one of k prefixes.",
        corrects="thm:lfp_k_case",
    ),
    theorem(
        "Pieces.theorem_9",
        "Between its transition points the optimum is the piece of the prefix.",
        supports="thm:lfp_seg_func",
    ),
    theorem("Pieces.theorem_9_order", "The transition points rise as the prefix shrinks.", supports="thm:lfp_seg_func"),
    theorem("Pieces.theorem_9_all", "Every α lies between two of them.", supports="thm:lfp_seg_func"),
    theorem("Pieces.transition_point", "They are at the printed logarithm, or nowhere.", supports="thm:lfp_seg_func"),
    theorem(
        "Pieces.corollary_3", "L is the greatest log f of all pairs, each f a piece of a prefix.", supports="col:L_func"
    ),
    theorem(
        "Pieces.theorem_10", "What is the greater of two pieces at both ends is so within.", supports="thm:gen_L_func"
    ),
    theorem(
        "Pieces.loss_piece",
        "Where one pair and set give L at both ends, they give it within.",
        supports="thm:gen_L_func",
    ),
    theorem(
        "Supremum.theorem_11",
        "The supremum is the printed candidate of what is optimal at the supremum.",
        corrects="thm:sup",
    ),
    theorem(
        "Supremum.divergent_rule", "With d = 0 and q·e^ε ≥ 1 the recursion grows without bound.", corrects="thm:sup"
    ),
    theorem("Supremum.bounded_iff", "Without such a point it is bounded.", corrects="thm:sup"),
    theorem(
        "Tight.for_ever", "Where some sweep falls below what its step shrinks, no horizon exceeds λ.", errata="E36"
    ),
    theorem(
        "Criterion.bounded_for_ever",
        "A chain of which some power has no zero leaks boundedly with any budget at every time.",
        refutes="thm:sup",
        errata="E36",
    ),
    theorem(
        "Criterion.criterion",
        "It leaks boundedly just where one class, aperiodic, is closed, and e^ε P lowers some vector on the others.",
        errata="E36",
    ),
    theorem(
        "Supremum.algorithm_6",
        "Where none diverges, the supremum is the greatest of all candidates.",
        corrects="algo:findSup",
    ),
    theorem(
        "Budgets.algorithm_7",
        "A budget whose suprema add up to α keeps TPL ≤ α at every time, for ever.",
        corrects="algo:release1",
    ),
    theorem(
        "Budgets.algorithm_7_protects",
        "So do all mechanisms with that budget, by the definition of TPL.",
        corrects="algo:release1",
    ),
    theorem(
        "Budgets.bisection",
        "Halvings of an interval end beside the greatest budget that keeps α for ever, at one that does.",
        corrects="algo:release1",
        errata="E27",
    ),
    theorem(
        "Budgets.smaller_budgets", "Smaller budgets leak no more: rounding down is safe.", corrects="algo:release1"
    ),
    theorem(
        "Budgets.algorithm_8",
        "A solution of the equations makes TPL exactly α at every time, T ≥ 2.",
        corrects="algo:release2",
    ),
    theorem("Budgets.algorithm_8_one", "For T = 1 the budget α does.", corrects="algo:release2", errata="E29"),
    theorem(
        "Budgets.strongest_correlation",
        "Where L is the identity no positive middle budget solves them.",
        corrects="algo:release2",
        errata="E28",
    ),
    theorem("LFP.theorem_12", "For the program, in which D > 0, it is so.", supports="thm:Dinkelbach"),
    theorem("LFP.lemma_1", "For a fixed least entry m the form is greatest as printed.", corrects="lem:lfp_proof"),
    witness("Errata.recursion_not_attained", "BPL_3 of every mechanism is below the recursion's.", errata="E1"),
    witness("Errata.algorithm_1_as_printed", "The first round removes an index, so the flag stays set.", errata="E2"),
    witness("Errata.theorem_7_as_printed", "L(1) = 1, and no column has a 1 against a 0.", errata="E3"),
    witness("Errata.algorithm_2_as_printed", "At e^α = 4 the printed transition gives 19/10 for 25/13.", errata="E4"),
    witness(
        "Errata.algorithm_3_as_printed", "What line 5 divides by itself leaves ε, log(3/2) for log 3.", errata="E6"
    ),
    witness("Errata.theorem_11_case_2_as_printed", "At ε = log(1/q) there is no supremum.", errata="E8"),
    witness(
        "Errata.equation_39_as_printed", "The root solves the corrected quadratic, not the printed one.", errata="E9"
    ),
    witness("Errata.theorem_11_first_pair", "The first step's candidate is below 4, the supremum log 6.", errata="E10"),
    witness("Errata.algorithm_6_as_printed", "Where all rows are equal the supremum is ε, not 0.", errata="E12"),
    witness(
        "Errata.theorem_8_as_printed", "With a tie one pair alone satisfies (22) and (23), for k = 2.", errata="E14"
    ),
    witness("Errata.lemma_1_as_printed", "With m free every feasible x is exceeded by another.", errata="E16"),
    witness(
        "Errata.theorem_12_as_printed", "With D < 0 the maximum is 0 at a point that is not optimal.", errata="E17"
    ),
    witness("Errata.existence_as_printed", "Over (0, 1) no x_1 is the greatest.", errata="E18"),
    witness("Errata.example_4_as_printed", "The rows 2 and 1 have the transition point log(13/3).", errata="E20"),
    witness("Errata.figure_8_as_printed", "Bayes' rule gives no chain both matrices of Figure 8.", errata="E22"),
    witness(
        "Errata.corollary_1_as_printed", "Two releases leak log 2, where the budgets add up to log 4.", errata="E24"
    ),
    witness(
        "Errata.theorem_2_as_printed", "BPL and FPL are at most log 3, PL_0 is log 2, TPL > log(9/2).", errata="E33"
    ),
)
"""What Rocq proved of claims and of errata."""
