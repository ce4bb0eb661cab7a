"""The worst leakage over all mechanisms beside the recursions that bound it: where equal, and by how much not.

A sequence of outputs has likelihoods m_t(a) of each value a at each time, with ratios of at most e^ε_t; up to scale,
and at its worst, each is 1 or e^ε_t.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from ...reference.correlations import Row, TransitionMatrix, smooth, strongest
from ...reference.paper.leakage import Adversary, backward_leakage, leakage
from ...reference.paper.loss import loss_function
from ...reference.worst_case.leakage import tight_leakage
from ..compared import compared
from ..coverage import over
from ..families import EXAMPLE_4, MODERATE, log, matrices, matrix, nats, ratio_of, shown
from ..register import EvidenceKind, evidence, exhausted, require


def _weighed(rows: TransitionMatrix, likelihoods: Row) -> Row:
    return tuple(sum((p * f for p, f in zip(row, likelihoods, strict=True)), Fraction(0)) for row in rows.rows)


def worst_by_definition(rows: TransitionMatrix, ratio: Fraction, times: int) -> Fraction:
    """Return e^BPL at a time, by all the releases that say of each value 1 or e^ε, up to scale: the worst there are."""
    found = {(Fraction(1),) * rows.n}
    for time in range(times):
        before = found if time == 0 else {_weighed(rows, likelihoods) for likelihoods in found}
        releases = tuple(product((Fraction(1), ratio), repeat=rows.n))
        found = {
            tuple(m * f for m, f in zip(release, likelihoods, strict=True))
            for release in releases
            for likelihoods in before
        }
    return max(max(f) / min(f) for f in found)


@evidence(
    EvidenceKind.BRUTE_FORCE,
    "every sequence of releases that say of each value the one or the other, straight from the definition",
    errata="E1",
)
def swept_by_definition() -> str:
    """The worst BPL over all mechanisms by the definition is what the sweep gives, and at most the recursion's."""
    tried = strict = 0
    for rows in matrices(2, 4):
        recursion = backward_leakage([log(2)] * 4, loss_function(rows))
        tight = tight_leakage([log(2)] * 4, rows).bpl
        for time in over("t", (1, 2, 3, 4)):
            found = worst_by_definition(rows, Fraction(2), time)
            require(ratio_of(tight[time - 1]) == found, f"{shown(rows)}, t = {time}: {found} by the definition")
            compared(("eq:bpl_f", "E1"), ratio_of(recursion[time - 1]), found, leakage=True)
            tried, strict = tried + 1, strict + (found < ratio_of(recursion[time - 1]))
            require(time > 2 or found == ratio_of(recursion[time - 1]), f"{shown(rows)}, t = {time}: not attained")
    exhausted(tried, 60)
    return f"{tried} times, at {strict} of them strictly below the recursion, never for t ≤ 2"


FIGURES = {
    "3": (MODERATE, MODERATE),
    "5": (matrix("4/5 1/5", "1/10 9/10"), None),
    "7": (smooth(strongest(5), Fraction(5, 1000)), None),
    "8": (matrix("4/5 1/5", "1/5 4/5"), matrix("4/5 1/5", "1/10 9/10")),
    "4": (EXAMPLE_4, EXAMPLE_4),
}
"""The matrices P^B and P^F of the paper's figures; of Figure 7 with five values, of Figure 4 as both."""


@evidence(
    EvidenceKind.ENUMERATION,
    "the matrices of the paper's figures; the recursions less the worst case over all mechanisms",
)
def by_how_much() -> str:
    """On the matrices of Figures 3, 5, 7 and 8 the recursions are what the worst mechanism leaks; on Example 4's above.

    There BPL, FPL and TPL exceed it; TPL also where BPL and FPL are themselves the worst cases.
    """
    epsilons = [log(Fraction(11, 10))] * 6
    lines = []
    for name, (backward, forward) in zip(over("Figure", FIGURES), FIGURES.values(), strict=True):
        said, worst = (
            leakage(epsilons, Adversary.knowing(backward, forward)),
            tight_leakage(epsilons, backward, forward),
        )
        pairs = [(getattr(said, part), getattr(worst, part)) for part in ("bpl", "fpl", "tpl")]
        require(all(a >= b for both in pairs for a, b in zip(*both, strict=True)), f"Figure {name}: exceeded")
        if name != "4":
            require(all(both[0] == both[1] for both in pairs), f"Figure {name}: {pairs}")
            continue
        gaps = [max(a - b for a, b in zip(*both, strict=True)) for both in pairs]
        parts = zip(worst.bpl, worst.fpl, worst.tpl, epsilons, strict=True)
        split = max(bpl + fpl - epsilon - tpl for bpl, fpl, tpl, epsilon in parts)
        require(all(not gap.is_zero for gap in gaps), f"{gaps}")
        lines = [nats(gap, 3) for gap in (*gaps, split)]
    return (
        f"Figures 3, 5, 7, 8: by nothing; Example 4's matrix, six releases: BPL by {lines[0]}, FPL by {lines[1]}, "
        f"TPL by {lines[2]}; TPL from the worst BPL and FPL by {lines[3]}"
    )


CLAIMS = ()
