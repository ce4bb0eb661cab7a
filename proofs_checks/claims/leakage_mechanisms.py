"""Leakage of one release, nothing correlated: Definitions 1 and 2, Eq. (4), Theorems 1 and 4, Table 1."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

from ...reference.correlations import Row
from ...reference.levels import Level
from ...reference.paper.utility import laplace_scale, mean_noise
from ...reference.worst_case.mechanisms import Mechanism, greatest_ratio, randomized_response, truncated_geometric
from ..compared import compared, mended
from ..coverage import members, over
from ..families import TWO, log
from ..faults import remark, slip, told
from ..provers import identity, sympy_algebra
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from ..transcript import printed_line


@evidence(EvidenceKind.IDENTITY, "general")
def laplace_variance() -> str:
    """The Laplace density integrates to one, has the variance of the footnote, and mean absolute value b."""
    sympy = sympy_algebra()
    x, b = sympy.symbols("x b", positive=True)
    density = sympy.exp(-x / b) / b
    for power, expected in ((0, 1), (1, b), (2, 2 * b**2)):
        identity(sympy.integrate(x**power * density, (x, 0, sympy.oo)), expected, f"moment {power}")
    return "as the footnote has it"


@evidence(EvidenceKind.ENUMERATION, "rational budgets, exact")
def noise_of_budgets() -> str:
    """The reference's Laplace scale is Δ/ε, its noise of a schedule the mean of Δ/ε_t over time."""
    for sensitivity in over("Δ", (1, 2)):
        for budgets in members(
            "schedules", ((Fraction(1, 2),), (1, Fraction(1, 4)), (2, Fraction(1, 2), Fraction(1, 2)))
        ):
            levels = [Level.of(budget) for budget in budgets]
            scales = [laplace_scale(level, Fraction(sensitivity)) for level in levels]
            for scale, budget in zip(scales, budgets, strict=True):
                require(Fraction(scale.lower) == Fraction(scale.upper) == sensitivity / Fraction(budget), f"{scale}")
            noise = mean_noise(levels, Fraction(sensitivity))
            expected = sum((sensitivity / Fraction(budget) for budget in budgets), Fraction(0)) / len(budgets)
            require(Fraction(noise.lower) <= expected <= Fraction(noise.upper), f"{budgets}: {noise}, not {expected}")
            require(Fraction(noise.upper) - Fraction(noise.lower) < Fraction(1, 10**12), f"{budgets}: {noise}")
    return "Δ/ε and its mean throughout"


@evidence(EvidenceKind.ENUMERATION, "the discrete counterpart: all outputs, all pairs of values")
def geometric() -> str:
    """Geometric noise on both sides of ratio e^ε per unit has PL_0 = Δ·ε between values that differ by Δ."""
    for n in over("n", (2, 3, 4, 5, 6)):
        for ratio in over("e^ε", (Fraction(11, 10), TWO, Fraction(5))):
            found = truncated_geometric(n, ratio).privacy_leakage()
            compared("Theorem 1", log(ratio ** (n - 1)), found)
    return "each mechanism"


@evidence(EvidenceKind.ENUMERATION, "randomized response with different budgets, all outputs")
def sequential_enumerated() -> str:
    """The joint release about one value leaks exactly the sum of the budgets."""
    budgets = (TWO, Fraction(3)), (Fraction(11, 10), Fraction(5, 4), TWO)
    for n in over("n", (2, 3)):
        for ratios in over("releases", budgets, as_=map(len, budgets)):
            parts = [randomized_response(n, ratio) for ratio in ratios]
            rows: list[Row] = []
            for value in range(n):
                row = []
                for outputs in product(range(n), repeat=len(parts)):
                    p = Fraction(1)
                    for part, r in zip(parts, outputs, strict=True):
                        p *= part.channel[value][r]
                    row.append(p)
                rows.append(tuple(row))
            expected = Fraction(1)
            for ratio in ratios:
                expected *= ratio
            compared("thm:sequential_composition", log(expected), Mechanism(tuple(rows)).privacy_leakage())
    return "each joint release"


@evidence(EvidenceKind.TRANSCRIPTION, "the printed words, and a witness, exact", errata="E23")
def slips_of_sections_2_and_3() -> str:
    """Small slips: Definition 5 names D^t' again; Table 1 has D^t up to l_n, n being the number of places, not users.

    And the supremum over D_K is missing in Definition 2, whose second line needs it; the “first row” of Figure 2 (b) is
    one of (a). That the knowledge matters: PL_0 given one D_K may be less than over all.
    """
    twice = printed_line(460).count("{D^t}'=")
    require(twice == 2, f"D^t' is defined {twice} times")
    printed_line(370, r"{D}^t=\{l_1^t,\ldots,l_n^t\}")
    printed_line(311, r"\sup_{\bm{r},l_i,l_i'} \log")
    printed_line(
        827,
        r"first row in the transition matrix of Figure \ref{fig:mc}(b)",
        r"$q_1= \Pr(l_i^{t-1}=loc_1|l_i^t=loc_1) $",
    )
    given = [randomized_response(2, ratio) for ratio in (TWO, Fraction(3))]
    overall = max(mechanism.privacy_leakage() for mechanism in given)
    require(given[0].privacy_leakage() == log(2) < overall == log(3), "the witness")
    return "a mechanism whose noise depends on D_K: PL_0 given one D_K is less than over all D_K"


def _database_mechanism(noise: tuple[Fraction, Fraction]) -> dict[tuple[int, int], Row]:
    """Return Pr(r | two users' values): the first one's, told with an odds ratio that depends on the second's."""
    return {(u, v): randomized_response(2, noise[v]).channel[u] for u, v in product(range(2), repeat=2)}


def _between(rows: dict[tuple[int, int], Row], changed: int, database: tuple[int, int]) -> Level:
    """Return the greatest log-ratio between the values of one user, the other's being as in the database."""
    other = {value: (value, database[1]) if changed == 0 else (database[0], value) for value in range(2)}
    return greatest_ratio([rows[other[value]][r] for value in range(2)] for r in range(2))


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E41")
def in_the_range() -> str:
    """That the output is in the range is certain: as printed, Definition 1 bounds nothing."""
    mechanism = randomized_response(2, TWO)
    event = [sum(row, Fraction(0)) for row in mechanism.channel]
    as_printed, right = log(event[0] / event[1]), mechanism.privacy_leakage()
    slip("E41", as_printed, right, ((282, "all possible outputs"), (311, r"\sup_{\bm{r},l_i,l_i'} \log")), leakage=True)
    told("E41", {"e^ε": TWO, "event": event[0], "printed": as_printed, "PL_0": right})
    return "randomized response: nothing as printed, its budget by single outputs"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact, one release", errata="E23")
def equation_4() -> str:
    """Eq. (4) has the supremum over all databases, the equations before it that for a given D_K: it can be greater."""
    printed_line(469, r"\sup_{\substack{ D^t, {D^t}', \bm{r}^1, \ldots, \bm{r}^T} } \log")
    rows, given = _database_mechanism((TWO, Fraction(3))), (0, 0)
    third = max(_between(rows, user, given) for user in range(2))
    fourth = max(_between(rows, user, other) for user in range(2) for other in rows)
    require((third, fourth) == (log(2), log(3)), f"{third!r}, {fourth!r}")
    compared("eq:tpl3", fourth, third)
    slip("E23", fourth, third, ((331, r"l_{|\bm{U}|}^t"), (400, r"(a) and (b) as backward temporal correlation")))
    told("E23", {"odds": (2, 3), "third": third, "fourth": fourth})
    return "the first user's odds depend on the value of the second: Eq. (4) is greater than Eq. (3)"


@evidence(EvidenceKind.ENUMERATION, "all pairs of databases that differ in one user")
def equation_4_corrected() -> str:
    """With the supremum over D_K for each user the greatest over users is that over all neighbouring databases."""
    tried = 0
    odds = (Fraction(3, 2), TWO, Fraction(3))
    for noise in members("pairs of odds", ((one, other) for one in odds for other in odds)):
        rows = _database_mechanism(noise)
        within = max(max(_between(rows, user, other) for other in rows) for user in range(2))
        pairs = [
            (one, other) for one, other in permutations(rows, 2) if (one[0] != other[0]) + (one[1] != other[1]) == 1
        ]
        apart = max(rows[one][r] / rows[other][r] for one, other in pairs for r in range(2))
        mended("eq:tpl3", log(apart), within)
        tried += 1
    exhausted(tried, 9)
    return f"{tried} mechanisms"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E48")
def known_at_one_time() -> str:
    """Given D_K of one time the others hide the value at other times: less than who knows D_K at all times learns."""
    first, times = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)), 2
    outputs = [first, tuple(1 - p for p in first)]
    known = max(m[k + j] / m[k + 1 - j] for m in outputs for k in range(2) for j in range(2))
    unknown = [sum((m[k + j] for k in range(2)), Fraction(0)) / 2 for m in outputs for j in range(2)]
    hidden = max(unknown[0] / unknown[1], unknown[1] / unknown[0], unknown[2] / unknown[3], unknown[3] / unknown[2])
    everywhere, here = log(known**times), log(known * hidden)
    slip("E48", here, everywhere, [(418, r"at  each time $ t $ except"), (564, r"D_\mathcal{K}^{t-1}")], leakage=True)
    names = {"M": first, "count": (0, 1, 2), "t": times, "e^ε": known, "BPL": everywhere, "printed": here}
    told("E48", names | {"zero": unknown[0], "one": unknown[1]})
    return f"in odds {known**times} where D_K is known at both times, {known * hidden} given D_K at t alone"


@evidence(EvidenceKind.TRANSCRIPTION, "one density, exact", errata="E57")
def density_above_one() -> str:
    """[eq:lfp_end2] bounds x; the Laplace mechanism has densities above that. A common factor changes nothing."""
    epsilon, scale = Fraction(4), Fraction(1, 4)
    peak = 1 / (2 * (1 / epsilon))
    remark("E57", peak < 1, scale * peak < 1)
    told("E57", {"ε": epsilon, "Δ": 1, "scale": scale, "peak": peak})
    return f"the density of Lap(Δ/ε) at its peak is {peak} for ε = {epsilon}·Δ"


CLAIMS = (
    PaperClaim("def:dp", Item.DEFINITION, "Definition 1, Eq. (1)", "ε-DP",
        "Ratios of output probabilities of neighbours ≤ e^ε.",
        ClaimVerdict.DEFINITION, also=("eq:dp",),
        errata=("E41",),
        checks=("leakage.definitions_over_paths", "leakage.subsets_of_all_sizes")),
    PaperClaim("Theorem 1", Item.THEOREM, "Theorem 1", "The Laplace mechanism", "Noise of scale Δ/ε gives ε-DP.",
        ClaimVerdict.HOLDS,
        corrected="For queries with values in ℝ^n as well; the L_1 norm that is printed is then needed.",
        grounds=("leakage.geometric", "Chain.theorem_1"),
        checks=("leakage.laplace_variance", "leakage.noise_of_budgets")),
    PaperClaim("def:pl", Item.DEFINITION, "Definition 2", "Privacy leakage PL_0",
        "The supremum over outputs and pairs of values of one user of the log-ratio; over users.",
        ClaimVerdict.DEFINITION,
        corrected="The supremum over D_K is needed in the first line for the second to follow.", errata=("E23",),
        checks=("leakage.definitions_over_paths", "leakage.slips_of_sections_2_and_3")),
    PaperClaim(
        "eq:tpl3", Item.EQUATION, "Eq. (4)", "TPL over databases",
        "The greatest TPL over users is the supremum over neighbouring D^t, D^t'.", ClaimVerdict.CORRECTED,
        errata=("E23",),
        grounds=("leakage.equation_4", "leakage.equation_4_corrected"),
    ),
    PaperClaim("tb:notation", Item.TABLE, "Table 1", "Notation", "The symbols of the paper.", ClaimVerdict.DEFINITION,
        corrected="D^t = {l_1^t, …, l_{|U|}^t}: n is the number of values.",
        errata=("E23",),
        checks=("leakage.slips_of_sections_2_and_3",)),
    PaperClaim("thm:sequential_composition", Item.THEOREM, "Theorem 4", "Composition on independent data",
        "Releases t..t + j together are Σε-DP.", ClaimVerdict.HOLDS,
        grounds=("leakage.sequential_enumerated", "Chain.theorem_4"),
        checks=("leakage.recursions_with_their_budgets",)),
)  # fmt: skip
