"""The recursions of BPL and FPL, Eqs. (12) to (15) and (17): upper bounds of what Definitions 6 and 7 say.

And the worst leakage over all mechanisms, which they bound: where equal, and by how much not.
"""

from __future__ import annotations

from fractions import Fraction

from ...reference.correlations import TransitionMatrix, smooth, strongest
from ...reference.definitions import LiteralStream
from ...reference.levels import Level
from ...reference.paper.leakage import Adversary, backward_leakage, leakage
from ...reference.paper.loss import loss_function
from ...reference.worst_case.leakage import worst_case_leakage
from ...reference.worst_case.mechanisms import Mechanism, randomized_response
from ..compared import at_most, compared
from ..coverage import over
from ..families import EXAMPLE_4, MODERATE, TWO, log, matrices, matrix, nats, ratio_of, shown
from ..faults import told
from ..provers import prove, z3_prover
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from .leakage_all_different import told_by_releases

LOPSIDED = Mechanism(((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4))))
"""Two values, two outputs: of the ordered pairs of values one is told apart by log 2, the other by log(3/2)."""


def recursion(stream: LiteralStream, time: int) -> Level:
    """Return BPL at a time by Eq. [eq:bpl_f], the backward correlation of each step as it is."""
    level = stream.mechanisms[0].privacy_leakage()
    for now in range(2, time + 1):
        level = loss_function(stream.backward(now))(level) + stream.mechanisms[now - 1].privacy_leakage()
    return level


def _forward_recursion(stream: LiteralStream, time: int) -> Level:
    level = stream.mechanisms[-1].privacy_leakage()
    loss = loss_function(stream.forward)
    for now in range(len(stream.mechanisms) - 1, time - 1, -1):
        level = loss(level) + stream.mechanisms[now - 1].privacy_leakage()
    return level


@evidence(EvidenceKind.TRANSCRIPTION, "one witness each, exact", errata="E1")
def strict_by_equation() -> str:
    """Steps of the recursions on one witness each: the left side, and the greater right side."""
    half, swap, silent = (Fraction(1, 2),) * 2, matrix("0 1", "1 0"), randomized_response(2, Fraction(1))
    two = LiteralStream(half, swap, (LOPSIDED, LOPSIDED))
    past, future = (LiteralStream(half, swap, pair) for pair in ((LOPSIDED, silent), (silent, LOPSIDED)))
    three = LiteralStream(half, matrix("0 1", "1/2 1/2"), (randomized_response(2, TWO),) * 3)
    before = LiteralStream(half, three.forward, (*three.mechanisms[:2], silent))
    found = {
        "(12)": (two.bpl(2), past.bpl(2) + LOPSIDED.privacy_leakage()),
        "(14)": (two.fpl(1), future.fpl(1) + LOPSIDED.privacy_leakage()),
        "(15)": (three.fpl(1), _forward_recursion(three, 1)),
        "(17)": (before.bpl(3), loss_function(three.backward(3))(three.bpl(2))),
        "(31)": (LiteralStream(half, swap, (LOPSIDED,) * 3).tpl(2), log(8)),
    }
    require(LOPSIDED.privacy_leakage() == log(2), "the lopsided mechanism")
    ids: dict[str, tuple[str, ...]] = {
        "(12)": ("eq:bpl_cal",),
        "(14)": ("eq:fpl_cal",),
        "(15)": ("eq:fpl_f",),
        "(17)": ("eq:bpl_cal_1st", "eq:lfp_M"),
        "(31)": ("pf:eq:tpl_expanded1",),
    }
    for equation, (true, said) in found.items():
        compared((*ids[equation], "E1"), said, true, leakage=True)
    return "; ".join(f"{equation}: {true.exact_text} < {said.exact_text}" for equation, (true, said) in found.items())


@evidence(
    EvidenceKind.DECISION, "proved for each n: any likelihoods with ratios at most A", closed_by="Chain.BPL_recursion"
)
def recursion_bounds() -> str:
    """Likelihoods x of the past have ratios ≤ e^{BPL_{t−1}}: the first term of [eq:bpl_cal] is in the program."""
    z3 = z3_prover()
    for n in over("n", (2, 3)):
        q, x = z3.Reals(" ".join(f"q{j}" for j in range(n))), z3.Reals(" ".join(f"x{j}" for j in range(n)))
        a, low = z3.Reals("A low")
        box = [*(v >= low for v in x), *(v <= a * low for v in x), low > 0, a >= 1, *(v >= 0 for v in q)]
        mean = z3.Sum(*(p * v for p, v in zip(q, x, strict=True)))
        prove(z3.And(mean >= low, mean <= a * low), *box, z3.Sum(*q) == 1, what=f"n = {n}")
        at_most(("eq:bpl_cal", "eq:fpl_cal", "eq:bpl_cal_1st", "eq:lfp_M"), "=", "≤")
    return "a mean of x stays within [m, A·m]: the ratio of means is at most A and is q·x/d·x"


def worst_by_definition(rows: TransitionMatrix, ratio: Fraction, times: int) -> Fraction:
    """Return e^BPL at a time, by all the releases that say of each value 1 or e^ε."""
    return max(max(f) / min(f) for f in told_by_releases(rows.n, [rows] * (times - 1), [ratio] * times))


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
        worst = worst_case_leakage([log(2)] * 4, rows).bpl
        for time in over("t", (1, 2, 3, 4)):
            found = worst_by_definition(rows, Fraction(2), time)
            require(ratio_of(worst[time - 1]) == found, f"{shown(rows)}, t = {time}: {found} by the definition")
            compared(("eq:bpl_f", "E1"), ratio_of(recursion[time - 1]), found, leakage=True)
            tried, strict = tried + 1, strict + (found < ratio_of(recursion[time - 1]))
            if time == 3 and rows == matrix("0 1", "1/2 1/2"):
                names = {"P^B": rows, "e^ε": TWO, "R": recursion[:3], "t": time, "BPL": log(found)}
                told("E1", names | {"last": recursion[2]})
            require(time > 2 or found == ratio_of(recursion[time - 1]), f"{shown(rows)}, t = {time}: not attained")
    exhausted(tried, 60)
    return f"{tried} times, at {strict} of them strictly below the recursion, never at the first or second"


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
    """On the matrices of most figures the recursions are what the worst mechanism leaks; on those of one above.

    There BPL, FPL and TPL exceed it; TPL also where BPL and FPL are themselves the worst cases.
    """
    epsilons = [log(Fraction(11, 10))] * 6
    lines = []
    for name, (backward, forward) in zip(over("Figure", FIGURES), FIGURES.values(), strict=True):
        said, worst = (
            leakage(epsilons, Adversary.knowing(backward, forward)),
            worst_case_leakage(epsilons, backward, forward),
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
        f"in {len(epsilons)} releases BPL by {lines[0]}, FPL by {lines[1]}, "
        f"TPL by {lines[2]}; TPL from the worst BPL and FPL by {lines[3]}"
    )


CLAIMS = (
    PaperClaim("eq:bpl_cal", Item.EQUATION, "Eq. (12)", "BPL expanded", "The past's supremum plus the present's.",
        ClaimVerdict.UPPER_BOUND, errata=("E1",),
        corrected="One supremum over pairs of the sum. Their separate suprema bound it; see [eq:bpl_f].",
        grounds=("leakage.strict_by_equation", "leakage.recursion_bounds"),
        checks=("leakage.by_how_much",)),
    PaperClaim("eq:bpl_f", Item.EQUATION, "Eq. (13)", "The backward recursion", "BPL_t = L^B(BPL_{t−1}) + ε_t.",
        ClaimVerdict.UPPER_BOUND, errata=("E1",),
        grounds=("leakage.swept_by_definition", "Chain.BPL_recursion"),
        checks=("leakage.recursions_with_their_budgets", "leakage.sweep_with_its_budgets",
            "leakage.subsets_of_all_sizes", "leakage.one_sweep", "leakage.by_how_much")),
    PaperClaim("eq:fpl_cal", Item.EQUATION, "Eq. (14)", "FPL expanded", "The future's supremum plus the present's.",
        ClaimVerdict.UPPER_BOUND, errata=("E1", "E38"), corrected="As [eq:bpl_cal].",
        grounds=("leakage.strict_by_equation", "leakage.recursion_bounds"),
        checks=("leakage.by_how_much",)),
    PaperClaim("eq:fpl_f", Item.EQUATION, "Eq. (15)", "The forward recursion", "FPL_t = L^F(FPL_{t+1}) + ε_t.",
        ClaimVerdict.UPPER_BOUND, errata=("E1",), corrected="As [eq:bpl_f].",
        grounds=("leakage.strict_by_equation", "Chain.FPL_recursion"),
        checks=("leakage.recursions_with_their_budgets", "leakage.sweep_with_its_budgets",
            "leakage.one_sweep", "leakage.by_how_much")),
    PaperClaim("eq:bpl_cal_1st", Item.EQUATION, "Eq. (17)", "The first term of BPL", "The past's supremum.",
        ClaimVerdict.UPPER_BOUND, corrected="It is at most L^B(BPL_{t−1}).", errata=("E1",),
        grounds=("leakage.strict_by_equation", "leakage.recursion_bounds"),
        checks=("leakage.by_how_much",)),
)  # fmt: skip
