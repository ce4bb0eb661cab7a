"""The simplex algorithm on the program, Section 4.1: how many corners there are, and how many it can pass.

Charnes and Cooper's variables (y, t) make the program a linear one: maximise q·y where d·y = 1, t ≤ y_j ≤ At.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations

from flint import fmpq, fmpq_mat

from ...reference.correlations import Row
from ..compared import compared
from ..coverage import over
from ..families import EXCESSES, TWO, row_pairs
from ..provers import prove, z3_prover
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, require


def _corners(d: Row, ratio: Fraction) -> set[tuple[fmpq, ...]]:
    """Return all (y, t) that meet the constraints, n of them and d·y = 1 with equality and by these alone."""
    n, a = len(d), fmpq(ratio.numerator, ratio.denominator)
    slacks = [[fmpq(int(i == j)) for i in range(n)] + [-bound] for j in range(n) for bound in (fmpq(1), a)]
    scale = [*(fmpq(x.numerator, x.denominator) for x in d), fmpq(0)]
    right = fmpq_mat(n + 1, 1, [fmpq(0)] * n + [fmpq(1)])
    found = set()
    for tight in combinations(slacks, n):
        system = fmpq_mat(n + 1, n + 1, [entry for row in (*tight, scale) for entry in row])
        if system.det() != 0:
            y = system.solve(right).entries()
            if all(y[-1] <= y_j <= a * y[-1] for y_j in y[:-1]):
                found.add(tuple(y))
    return found


@evidence(EvidenceKind.ENUMERATION, "all choices of constraints, solved exactly")
def corners_counted() -> str:
    """The program has a corner for each set of columns: going from corner to better corner takes fewer steps."""
    rows = 0
    for n, denominator in ((2, 4), (3, 3), (4, 2)):
        for d in dict.fromkeys(d for _, d in row_pairs(n, denominator)):
            for ratio in over("e^α", (TWO, Fraction(10))):
                found = len(_corners(d, ratio))
                compared("Section 4.1, simplex", 2**n, found)
            rows += 1
    return f"a corner for each set of columns, for each of {rows} rows d"


def _longest(q: Row, d: Row, excess: Fraction) -> int:
    """Return the most steps from a corner to a neighbouring better corner, and so on, that there are."""
    n = len(q)

    @cache
    def value(corner: int) -> Fraction:
        x = [1 + excess * (corner >> j & 1) for j in range(n)]
        return sum((a * b for a, b in zip(q, x, strict=True)), Fraction(0)) / sum(
            a * b for a, b in zip(d, x, strict=True)
        )

    @cache
    def steps(corner: int) -> int:
        neighbours = (corner ^ 1 << j for j in range(n))
        return max((1 + steps(other) for other in neighbours if value(other) > value(corner)), default=0)

    return max(map(steps, range(2**n)))


@evidence(EvidenceKind.BRUTE_FORCE, "every path of better and better corners, from every corner")
def longest_paths() -> str:
    """Whatever its rule is, the simplex algorithm takes at most a step up and a step down for each column."""
    lines = []
    for n, denominator in ((3, 4), (4, 3), (5, 2)):
        most = 0
        for q, d in row_pairs(n, denominator):
            for e in over("E", EXCESSES):
                most = max(most, _longest(q, d, e))
        require(most <= 2 * n, f"n = {n}: {most} steps")
        compared("Section 4.1, simplex", True, most <= 2**n)
        lines.append(f"{most} (n = {n})")
    return f"the longest: {', '.join(lines)}"


@evidence(EvidenceKind.DECISION, "proved for all reals")
def entries_turn_twice() -> str:
    """Raising x_j gains iff q_j > λd_j, λ being the value; λ only rises, so what does not gain now never will.

    So each entry is raised at most once and lowered at most once.
    """
    z3 = z3_prover()
    above, below, q, d, e, new_above, new_below = z3.Reals("Q D q d E Q' D'")
    positive = [above > 0, below > 0, q >= 0, d >= 0, e > 0]
    gains = (above + q * e) * below > above * (below + d * e)
    prove(gains == (q * below > d * above), *positive, what="an entry made great")
    loses = (above - q * e) * below > above * (below - d * e)
    prove(loses == (q * below < d * above), *positive, above > q * e, below > d * e, what="an entry made small")
    risen = [new_above > 0, new_below > 0, new_above * below > above * new_below]
    prove(q * new_below <= d * new_above, *positive, *risen, q * below <= d * above, what="no gain again")
    return "q_j ≤ λd_j holds for every λ' > λ, too"


CLAIMS = (
    PaperClaim(
        "Section 4.1, simplex", Item.TEXT, "Section 4.1", "The cost of the simplex algorithm",
        "A program is solved by the simplex algorithm “in time O(2^n)”, for all pairs it “is O(n^2 2^n)”.",
        ClaimVerdict.HOLDS,
        corrected="True as a bound on the number of steps, but far from sharp: under any pivot rule the steps grow "
        "as n does, and the time as its square. The exponential worst case that the paper cites occurs for other "
        "programs (Klee and Minty's cubes), not for these.",
        grounds=("lfp.corners_counted", "lfp.longest_paths"),
        checks=("lfp.entries_turn_twice",),
    ),
)  # fmt: skip
