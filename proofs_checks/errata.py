"""The errata of the printed paper, each with its smallest witness and the evidence that it is one.

The evidence that names one of them in its `errata` runs the printed version on the witness and sees it fail, and the
corrected one and sees it do.
"""

from __future__ import annotations

from .register import Erratum

ERRATA = (
    Erratum("E1", "Theorem 2; Eqs. (5), (10) to (15), (17), (31)", "BPL, FPL and TPL are equal to their recursions.",
            "The recursions are upper bounds; BPL_t is attained for t ≤ 2, in general not for t ≥ 3.",
            "Rows (0, 1), (1/2, 1/2), initial (1/2, 1/2), randomized response, e^ε = 2: BPL_3 = "
            "log(18/5) < log(58/15). "
            "Rows (1/2, 1/2), (0, 1), the same: TPL_2 = log(9/2) < log 5 = BPL_2 + FPL_2 − ε.", 10),
    Erratum("E2", "Algorithm 1", "The flag `update` is set to true and never back; q_j/d_j is computed for d_j = 0.",
            "`update` = false at the start of each turn; q_j/0 reads +∞.",
            "q = (0, 1/3, 2/3), d = (1/3, 2/3, 0), e^α = 10 loops; rows (1, 0), (0, 1) divide by zero.", 1),
    Erratum("E3", "Theorem 7", "A 1 against a 0 makes L the identity: sufficient, as it says, and no more.",
            "L is the identity iff two rows have disjoint supports.",
            "Rows (1/2, 1/2, 0, 0), (0, 0, 1/2, 1/2); for n ≤ 3 the two conditions are the same.", 2),
    Erratum("E4", "Algorithm 2, line 11", "aArr[i] = log((q_i − d_i)/(…)).", "log((q_i − d_i)/(…) + 1).",
            "The worked example: log(10/3) = 1.20 for 1.47; at e^α = 4 Algorithm 3 then gives 19/10 for 25/13: "
            "unsafe.", 3),
    Erratum("E5", "Section 4.3", "aArr is [α_{k−1}, …, 0] in the text, [Inf, 1.47, NaN] in the "
    "example; “q = [0, 0.1, 0]”.",
            "One order, ended by 0; the second vector is d. As printed no index is found below the last transition.",
            "The worked example at α = log 2; two equal rows.", 4),
    Erratum("E6", "Algorithm 3, line 5", "qArr[k](e^α − 1) + 1 over the same.", "Over dArr[k](e^α − 1) + 1.",
            "Rows (1, 0), (0, 1), α = log 2, ε = log(3/2): ε for log 3.", 5),
    Erratum("E7", "Algorithm 4", "Calls Algorithm 2 for a value; k = 0/0 where both ends agree; used from a_1 = 0.",
            "Calls Algorithm 3, made to tell q and d; k only where the ends differ; a_1 > 0.",
            "Rows (4/5, 1/5), (1/10, 9/10); Example 4 from 0.", 6),
    Erratum("E8", "Theorem 11, case 2", "ε ≤ log(1/q).", "ε < log(1/q): at equality e^BPL_t = 1 + t(e^ε − 1).",
            "(q, d) = (1/2, 0), e^ε = 2.", 8),
    Erratum("E9", "Eq. (39)", "dF² + (q·e^ε + d − 1)F + …", "dF² − (q·e^ε + d − 1)F + …",
            "(q, d) = (1/2, 1/3), e^ε = 2: F = (1 + √13)/2.", 8),
    Erratum("E10", "Theorem 11", "(q, d) gives the maximum of [eq:lfp_sol_b] (at which α?).",
            "At the supremum itself; at the first step's α it understates: unsafe.",
            "Rows (2/5, 3/10, 3/10), (4/5, 1/5, 0), (3/10, 3/10, 2/5), e^ε = 2: 1.3327 for log 6. Smallest: rows "
            "(0, 1/4, 3/4) twice, (1/4, 1/2, 1/4), e^ε = 3: log(3 + √12) for log 9.", 8),
    Erratum("E11", "Theorem 11", "Asks for q ≠ d; log(1/q) at q = 0.", "q = d, 0 included, gives ε.",
            "Rows (1/2, 1/2) twice.", 8),
    Erratum("E12", "Algorithm 6, line 1", "sup = 0.", "sup = ε, the answer where no two rows differ.", "P = (1).", 13),
    Erratum("E13", "Eq. (11)", "The greatest TPL over users is the greatest BPL plus the greatest FPL less PL_0.",
            "At most that, by the recursions and with one budget for all.",
            "Two users, one known backward and one forward, by the identity, e^ε = 2, T = 3: log 4, not log 8."),
    Erratum("E14", "Theorem 8", "A strict order of the ratios, without loss of generality; “≥” "
    "beside q_i ≠ d_i; no −1.",
            "Ties leave together; < 1; e^α − 1.", "q = (2, 2, 1)/5, d = (1, 1, 3)/5.", 11),
    Erratum("E15", "Theorem 10, proof", "Both functions increase, so a second intersection is a contradiction.",
            "The difference is E times a linear function of E.", "E² and 4E − 4 for the argument.", 12),
    Erratum("E16", "Lemma 1", "Optimal for any positive m; objective (1/m)·(k·y).",
            "For a fixed least entry m; objective m·(k·y). Without that there is no optimum.",
            "n = 1, k = 1, e^α = 2: m = 1/4 gives 1/2, m = 2/5 gives 4/5."),
    Erratum("E17", "Theorem 12", "D > 0 is presupposed, not said.",
            "D > 0 on the feasible set.", "(Q, D) = (1, 1), (−3, −1)."),
    Erratum("E18", "Section 4.2", "The feasible region is not empty and bounded; hence the optimal solution exists.",
            "It is open; the optimum exists because q·x/d·x does not depend on the scale of x.", "x_1 over (0, 1)."),
    Erratum("E19", "Theorem 6, proof", "Line 9 is always true until all bits are removed from q⁺ and d⁺.",
            "q⁺ and d⁺ are empty from line 4 on.", "Any two equal rows."),
    Erratum("E20", "Example 4", "The pentagram is not any transition point.",
            "log(13/3) is a transition point of the rows 2 and 1; an additional point needs another matrix.",
            "The printed matrix.", 14),
    Erratum("E21", "Section 4.2", "d⁻ = [d_2, d_4, q_5].", "[d_2, d_4, d_5].", "q = (1, …, 5)/15, d reversed.", 16),
    Erratum("E22", "Figures 3(c) and 8", "P^B = P^F = (0.8 0.2; 0 1); P^B = (0.8 0.2; 0.2 0.8), P^F "
    "= (0.8 0.2; 0.1 0.9).",
            "No Markov chain has both: Bayes' rule makes P^B from P^F.", "Odds ratios 36 and 16."),
    Erratum("E23", "Definitions 2 and 5, Eq. (4), Table 1, Section 4.1",
            "D^t' twice; no supremum over D_K, so that (4) is not (3); D^t up to l_n; Figure 2(b) for (a).",
            "As said beside.", "Two mechanisms given two D_K.", 16),
    Erratum("E24", "Theorem 3, proof; Corollary 1", "Equalities, by the proofs and the convention of Section 2.2.",
            "Upper bounds; equal where all transitions are possible.",
            "Rows (0, 1), (1/2, 1/2), T = 4: log 9 < log 10. Rows (1, 0), (1, 0), T = 2: log 2 < log 4."),
    Erratum("E25", "Eq. (30)", "Outputs at different times are independent given D^t.",
            "Only past, present and future are; outputs of the past are not independent of each other.",
            "Rows (0, 1), (1/3, 2/3), initial (1/3, 2/3), e^ε = 2: TPL_3 = log(161/55) > log(1547/550)."),
    Erratum("E26", "Sections 4.3, 4.4", "O(n³) for Algorithm 2; O(n² log n + m log m) for Algorithm 4, O(n³ + m log m) "
            "with both; O(n³) for the simple idea.",
            "O(n³ log n), for the sorting; O(m·n² log n), as each call goes through all pairs; their sum; O(n⁵), for "
            "n² functions on n³ ranges.", "Counts.", 15),
    Erratum("E27", "Algorithms 7, 8", "End where two reals are equal.", "Closed forms, or a stated width.",
            "Rows (4/5, 1/5), (1/5, 4/5), α = 1.", 9),
    Erratum("E28", "Algorithms 7, 8", "Nothing is said of the strongest correlation.",
            "By them none can be kept for ever; over T releases α/T can. Algorithm 7 never ends; Algorithm 8 "
            "ends, and gives ε_t = 0.",
            "The identity, α = 1.", 9),
    Erratum("E29", "Algorithm 8, line 12", "ε_1 = a^B and ε_T = a^F for T = 1 too.", "α for T = 1.", "T = 1.", 9),
    Erratum("E30", "Section 5", "ε_m for [2, T]; “the supremum of BPL and the supremum of BPL”.",
            "[2, T − 1]; the second is FPL.", "T = 3: TPL_3 = 0.630 for 1.", 9),
    Erratum("E31", "Section 6.1", "a_m = (T + 1)ε as the worst case; Figure 6(b) for the runtime against α.",
            "Tε; Figure 6(d).", "T = 1: BPL is at most ε.", 16),
    Erratum("E32", "Section 6.2", "8 times at ε = 1 and 80 at ε = 0.1; ε = 0.1 not substantially "
    "lower in the long run.",
            "8 and 16; 0.634 against 5.70.", "n = 50, s = 0.005."),
    Erratum("E33", "Theorem 2", "TPL = BPL + FPL − PL_0; the footnote: otherwise an upper bound.",
            "With BPL and FPL as defined it can be below TPL: unsafe. By the recursions it is safe.",
            "Values that alternate, Pr(1 | value) = 1/2, 1/4, T = 3: log(9/2) for TPL_2 = log 6."),
    Erratum("E34", "Algorithm 5; Section 4.4", "α_k ≥ α and α_{k+1} < α; L¹ named as the top one where L^m is stored.",
            "The first k with α_k ≥ α: aArr rises. L^m is.", "Example 4, any α.", 7),
    Erratum("E35", "Algorithms 7, 8, lines 1 and 2", "Algorithm 4 with P finds qM and dM.", "Algorithm 2 does.",
            "Any matrix.", 9),
    Erratum("E36", "Theorem 11, Algorithm 6", "The supremum of BPL (or FPL) over time; ∞ where d = 0 and q·e^ε ≥ 1.",
            "The supremum of the recursion, an upper bound. The leakage may be bounded where that is ∞: for every ε, "
            "where some power of the matrix has no zero.",
            "Rows (0, 1), (1/2, 1/2), e^ε = 2: log(2 + √5) = 1.4436 for ∞. Rows (7/11, 2/11, 2/11), (0, 0, 1), "
            "(3/7, 2/7, 2/7), e^ε = 3/2: BPL_4 = 0.8216140754615536, 0.8353869593718174 for ever, for ∞."),
)  # fmt: skip
