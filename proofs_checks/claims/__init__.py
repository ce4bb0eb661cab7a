"""The claims of the paper with their evidence, a file an idea, named after its chapter: `leakage_…`, `lfp_…`.

Throughout A = e^α, E = A − 1 > 0 and a = e^ε > 1; q and d are the sums of two rows over x⁺, g = (qE + 1)/(dE + 1) and
c_j = q_j(dE + 1) − d_j(qE + 1).
"""
