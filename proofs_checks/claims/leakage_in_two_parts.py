"""TPL by BPL and FPL: Definitions 5 to 7, Theorem 2, its proof, Eqs. (10) and (11)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from itertools import product
from operator import mul
from typing import Any

from ...reference.definitions import LiteralStream
from ...reference.paper.leakage import Adversary, population_leakage
from ...reference.paper.loss import loss_function
from ...reference.worst_case.mechanisms import randomized_response
from ..compared import at_most, compared
from ..families import STRONGEST, TWO, log, matrix, ratio_of, shown_stream, streams_of_two_values
from ..faults import gap, told
from ..provers import prove, z3_prover
from ..register import ClaimVerdict, EvidenceKind, Item, PaperClaim, evidence, exhausted, require
from .leakage_all_different import over_paths
from .leakage_recursions import LOPSIDED

SWAP_MATRIX = matrix("0 1", "1 0")


@evidence(EvidenceKind.TRANSCRIPTION, "the smallest there is; exact, over all outputs and values", errata="E33")
def theorem_2_below() -> str:
    """TPL can exceed BPL + FPL − PL_0, each straight from its definition: Theorem 2 is no upper bound either.

    Values that alternate for certain, and one mechanism that tells one of them better than the other.
    """
    stream = LiteralStream((Fraction(1, 2), Fraction(1, 2)), SWAP_MATRIX, (LOPSIDED,) * 3)
    bpl, fpl, tpl = stream.bpl(2), stream.fpl(2), stream.tpl(2)
    pl_0 = LOPSIDED.privacy_leakage()
    found = [ratio_of(level) for level in (bpl, fpl, tpl, pl_0)]
    require(found == [3, 3, 6, 2], f"by hand 3, 3, 6 and 2, found {found}")
    theorem_2 = ("thm:analysis_tpl", "eq:tpl_comp1", "eq:tpl_comp2", "pf:eq:tpl_expanded2", "E33")
    compared(theorem_2, bpl + fpl - pl_0, tpl, leakage=True)
    names = {"M": [row[0] for row in LOPSIDED.channel], "T": 3, "t": 2, "l": (1, 2, 1), "r": (1, 2, 1), "l'": (2, 1, 2)}
    told("E33", names | {"BPL": bpl, "FPL": fpl, "TPL": tpl, "PL_0": pl_0})
    loss = loss_function(SWAP_MATRIX)
    safe = loss(log(2)) + log(2) + loss(log(2))
    require(tpl <= safe, "TPL exceeds L^B(PL_0) + PL_0 + L^F(PL_0)")
    return "the theorem gives less than TPL; by the recursions it is more, and safe"


@evidence(EvidenceKind.ENUMERATION, "from the definitions", errata="E1")
def theorem_2_above() -> str:
    """With randomized response TPL is never above BPL + FPL − PL_0, and in some streams strictly below it."""
    mechanism = randomized_response(2, TWO)
    witness, tried = None, 0
    for stream in streams_of_two_values(3, 2, mechanism):
        bpl, fpl, tpl = (ratio_of(level) for level in (stream.bpl(2), stream.fpl(2), stream.tpl(2)))
        compared("Section 3.2, PL_0", mechanism.privacy_leakage(), over_paths(stream, 2, 2, range(2, 3)))
        require(tpl * 2 <= bpl * fpl, f"{shown_stream(stream)}: TPL is above")
        tried += 1
        if tpl * 2 < bpl * fpl and witness is None:
            witness = f"{shown_stream(stream)}: BPL_2 = log({bpl}), FPL_2 = log({fpl}), TPL_2 = log({tpl})"
    require(witness is not None, "equality throughout")
    exhausted(tried, 7)
    return f"{tried} streams; smallest strict: {witness}"


@evidence(
    EvidenceKind.DECISION,
    "proved for one pair of values and another, all reals",
    human_step="a supremum over more pairs is taken by adding one at a time",
    errata="E33",
)
def on_a_fixed_pair() -> str:
    """TPL is the supremum over pairs of P + R + F (past, present, future): at most sup P + sup R + sup F.

    And at most BPL + FPL − PL_0 where every pair attains PL_0; not in general. On one pair there is equality.
    """
    z3 = z3_prover()
    p, r, f, p2, r2, f2 = z3.Reals("p r f p2 r2 f2")

    def greatest(a: Any, b: Any) -> Any:
        return z3.If(a >= b, a, b)

    tpl = greatest(p + r + f, p2 + r2 + f2)
    bpl, fpl, pl_0 = greatest(p + r, p2 + r2), greatest(r + f, r2 + f2), greatest(r, r2)
    prove(tpl <= greatest(p, p2) + pl_0 + greatest(f, f2), what="the sum of the suprema")
    at_most("pf:eq:tpl_expanded1", "=", "≤")
    prove(tpl <= bpl + fpl - pl_0, r == r2, what="where every pair attains PL_0")
    solver = z3.Solver()
    solver.add(tpl > bpl + fpl - pl_0, *(v >= 0 for v in (p, r, f, p2, r2, f2)))
    require(solver.check() == z3.sat, "the bound holds in general after all")
    return "TPL ≤ sup P + PL_0 + sup F always; TPL ≤ BPL + FPL − PL_0 where PL_0 is the same for all pairs"


@evidence(EvidenceKind.TRANSCRIPTION, "users of whom each has a value at each time, exact", errata="E13")
def two_users() -> str:
    """Over several users the greatest TPL is below the greatest BPL plus the greatest FPL less ε, if they differ."""
    epsilons = [log(2)] * 3
    users = {"past": Adversary.knowing(backward=STRONGEST), "future": Adversary.knowing(forward=STRONGEST)}
    found = population_leakage(epsilons, users)
    said = found.bpl[1].level + found.fpl[1].level - log(2)
    require(said == log(8) and found.tpl[1].level == log(4), f"{found.tpl[1].level!r}, said {said!r}")
    compared("E13", said, found.tpl[1].level, leakage=True)
    told("E13", {"T": 3, "t": 2, "e^ε": TWO, "TPL": found.tpl[1].level, "said": said})
    return "one user known backward, one forward, both by the identity: what is said exceeds TPL"


@evidence(EvidenceKind.TRANSCRIPTION, "exhausted in order, until one exceeds", errata="E25")
def outputs_apart() -> str:
    """Given l^t, outputs of the past are not independent: TPL may exceed the sum over single outputs."""
    mechanism = randomized_response(2, TWO)
    for stream in streams_of_two_values(3, 3, mechanism):
        path_weights = {
            path: stream.initial[path[0]]
            * stream.forward.rows[path[0]][path[1]]
            * stream.forward.rows[path[1]][path[2]]
            for path in product(range(2), repeat=3)
        }
        best = Fraction(1)
        for value in range(2):
            total = Fraction(1)
            for time in range(3):
                given = []
                for own in (value, 1 - value):
                    paths = {path: w for path, w in path_weights.items() if path[2] == own}
                    weight = sum(paths.values(), Fraction(0))
                    row = [
                        sum((w * mechanism.channel[path[time]][r] for path, w in paths.items()), Fraction(0)) / weight
                        for r in range(2)
                    ]
                    given.append(row)
                total *= max(given[0][r] / given[1][r] for r in range(2))
            best = max(best, total)
        if stream.tpl(3) > log(best):
            compared("pf:eq:tpl_expanded0", log(best), stream.tpl(3), leakage=True)
            gap("E25", premise=mechanism.channel[0][0] == Fraction(2, 3), conclusion=stream.tpl(3) <= log(best))
            ways = [{p: w for p, w in path_weights.items() if p[2] == own and w} for own in (1, 0)]
            names: dict[str, Any] = {
                "P": stream.forward,
                "initial": stream.initial,
                "right": mechanism.channel[0][0],
                "T": 3,
                "t": 3,
            }
            for way, (seen, weighed) in zip(ways, (("paths", "weights"), ("others", "rest")), strict=True):
                order = sorted(way, key=lambda path: (path[0], -path[1]))
                names[seen] = [[value + 1 for value in path] for path in order]
                names[weighed] = [27 * way[path] for path in order]
            told("E25", names | {"TPL": stream.tpl(3), "apart": log(best), "outputs": (2, 1, 2)})
            found = stream.tpl(3).exact_text
            return f"{shown_stream(stream)}, at T: TPL = {found}, the sum over outputs log({best})"
    require(False, "the sum over single outputs is a bound throughout")
    return ""


@evidence(EvidenceKind.TRANSCRIPTION, "one witness, exact", errata="E44")
def another_pair() -> str:
    """One mechanism at all times: the pair that is worst for the present output is not the one that is for the past."""
    told_now = LOPSIDED.channel
    told_before = [told_now[1 - value] for value in range(2)]  # the values alternate
    worst = []
    for rows in (told_now, told_before):
        ratios = {(j, 1 - j): max(rows[j][r] / rows[1 - j][r] for r in range(2)) for j in range(2)}
        worst.append(max(ratios, key=lambda pair: ratios[pair]))
    gap("E44", premise=SWAP_MATRIX.rows[0][1] == 1, conclusion=worst[0] == worst[1])
    now, before = ([value + 1 for value in pair] for pair in worst)
    names = {"M": [row[0] for row in told_now], "now": now, "before": before}
    told("E44", names | {"ratio": told_now[worst[0][0]][0] / told_now[worst[0][1]][0]})
    return f"present: the pair {tuple(now)}; the output before: {tuple(before)}"


@evidence(EvidenceKind.BRUTE_FORCE, "one chain, exact, over whole paths")
def past_outputs_depend() -> str:
    """Given a later value earlier outputs are not independent: the proof multiplies what may not be multiplied."""
    rows, third = ((Fraction(0), Fraction(1)), (Fraction(1, 3), Fraction(2, 3))), (Fraction(1, 3), Fraction(2, 3))
    told = ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3)))

    def given_last(*seen: int | None) -> Fraction:
        paths = {
            (a, b): third[a]
            * rows[a][b]
            * rows[b][1]
            * _product(told[v][r] for v, r in zip((a, b), seen, strict=True) if r is not None)
            for a, b in product(range(2), repeat=2)
        }
        return sum(paths.values(), Fraction(0)) / sum(third[a] * rows[a][b] * rows[b][1] for a, b in paths)

    apart, together = given_last(1, None) * given_last(None, 0), given_last(1, 0)
    compared("pf:eq:tpl_expanded0", apart, together)
    return f"{together} together, {apart} apart"


def _product(factors: Iterable[Fraction]) -> Fraction:
    return reduce(mul, factors, Fraction(1))


CLAIMS = (
    PaperClaim("def:tpl", Item.DEFINITION, "Definition 5, Eq. (2), Eq. (3)", "TPL",
        "The log-ratio of all outputs given one value at t and another; the greatest over users.",
        ClaimVerdict.DEFINITION, also=("eq:tpl1", "eq:tpl2"), errata=("E23", "E48"),
        corrected="The first D^t' should be D^t.",
        checks=("leakage.definitions_over_paths", "leakage.definitions_one_matrix_each",
            "leakage.figure_3_defined", "leakage.theorem_2_above")),
    PaperClaim(
        "thm:analysis_tpl", Item.THEOREM, "Theorem 2, Eq. (5)", "TPL in parts", "TPL = BPL + FPL − PL_0.",
        ClaimVerdict.FALSE,
        errata=("E1", "E33"), also=("eq:tpl_expanded",),
        grounds=("leakage.theorem_2_below", "Errata.theorem_2_as_printed"),
        checks=("leakage.sweep_with_its_budgets", "leakage.by_how_much"),
    ),
    PaperClaim("Section 3.2, PL_0", Item.TEXT, "Section 3.2", "PL_0 does not depend on the correlation",
        "PL_0(A^T, M^t) = PL_0(A, M^t): one output says of l^t what it says without correlations.", ClaimVerdict.HOLDS,
        grounds=("leakage.theorem_2_above", "leakage.directions_cancel")),
    PaperClaim("pf:eq:tpl1", Item.EQUATION, "Eq. (29)", "TPL, to be rewritten", "The left side of the proof: TPL.",
        ClaimVerdict.DEFINITION,
        checks=("leakage.definitions_over_paths", "leakage.figure_3_defined", "leakage.theorem_2_above")),
    PaperClaim("pf:eq:tpl_expanded0", Item.EQUATION, "Eq. (30)", "One output at a time, one pair",
        "TPL is the supremum over pairs of the sum of each output's supremum.", ClaimVerdict.FALSE,
        errata=("E25",),
        grounds=("leakage.outputs_apart", "leakage.past_outputs_depend")),
    PaperClaim("pf:eq:tpl_expanded1", Item.EQUATION, "Eq. (31)", "One pair for each output",
        "The supremum over pairs may be taken in each summand.", ClaimVerdict.UPPER_BOUND,
        corrected="One pair of values need not be the worst for all; a sum of suprema bounds the supremum.",
        errata=("E1", "E44"),
        grounds=("leakage.strict_by_equation", "leakage.on_a_fixed_pair"),
        checks=("leakage.by_how_much",)),
    PaperClaim("pf:eq:tpl_expanded2", Item.EQUATION, "Eq. (32)", "Put together again", "The sum is BPL + FPL − PL_0.",
        ClaimVerdict.FALSE, errata=("E1", "E33"),
        grounds=("leakage.theorem_2_below", "Errata.theorem_2_as_printed"),
        checks=("leakage.by_how_much",)),
    PaperClaim("Definition 6", Item.DEFINITION, "Definition 6, Eq. (6), Eq. (7)", "BPL",
        "The same with the outputs up to t.",
        ClaimVerdict.DEFINITION, also=("eq:bpl1", "eq:bpl2"), errata=("E48",),
        checks=("leakage.definitions_over_paths", "leakage.figure_3_defined", "leakage.theorem_2_above")),
    PaperClaim("Definition 7", Item.DEFINITION, "Definition 7, Eq. (8), Eq. (9)", "FPL",
        "The same with the outputs from t on.",
        ClaimVerdict.DEFINITION, also=("eq:fpl1", "eq:fpl2"), errata=("E48",),
        checks=("leakage.definitions_over_paths", "leakage.figure_3_defined", "leakage.theorem_2_above")),
    PaperClaim("eq:tpl_comp1", Item.EQUATION, "Eq. (10)", "TPL of one user", "TPL = BPL + FPL − PL_0.",
        ClaimVerdict.FALSE, errata=("E1", "E33"),
        grounds=("leakage.theorem_2_below", "Errata.theorem_2_as_printed"),
        checks=("leakage.recursions_with_their_budgets", "leakage.by_how_much")),
    PaperClaim("eq:tpl_comp2", Item.EQUATION, "Eq. (11)", "TPL over users",
        "The same with the greatest of each over users.",
        ClaimVerdict.FALSE,
        corrected="With the recursions and one budget for all an upper bound, strict where "
        "different users attain the "
        "greatest BPL and the greatest FPL; with BPL and FPL as defined not even that ([thm:analysis_tpl]).",
        errata=("E1", "E13", "E33"),
        grounds=("leakage.theorem_2_below", "Errata.theorem_2_as_printed")),
)  # fmt: skip
