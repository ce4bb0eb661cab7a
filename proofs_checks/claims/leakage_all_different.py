"""Where nothing is alike: mechanisms that are not symmetric, outputs that exclude values, budgets that all differ.

Symmetric mechanisms and one budget for all times hide a past that is read backwards, a budget of another time, an
output forgotten. Here each definition is summed over whole paths, and each recursion over all sets of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import prod

from ...reference.correlations import Row, TransitionMatrix, reverse, smooth
from ...reference.definitions import LiteralStream, leakage_by_definition
from ...reference.levels import INFINITE, ZERO, Level
from ...reference.paper.algorithm_1 import algorithm_1
from ...reference.paper.algorithms_2_3 import algorithm_2, algorithm_3
from ...reference.paper.algorithms_4_5 import algorithm_4, algorithm_5
from ...reference.paper.composition import composition, first_failure, guarantee, independent
from ...reference.paper.leakage import Adversary, leakage
from ...reference.worst_case.leakage import worst_case_leakage
from ...reference.worst_case.mechanisms import Mechanism, subset_mechanism
from ...reference.worst_case.sweep import OneSide, likelihood_ratio, sweep
from ...solvers.linear_programs.enumeration import enumerated_loss
from ..compared import compared
from ..coverage import members, over
from ..families import log, matrix, shown
from ..register import EvidenceKind, evidence, require

THIRD, HALF, QUARTER = Fraction(1, 3), Fraction(1, 2), Fraction(1, 4)

OF_TWO = (
    Mechanism(((HALF, HALF), (QUARTER, 3 * QUARTER))),
    Mechanism(((THIRD, THIRD, THIRD), (HALF, THIRD, Fraction(1, 6)))),
    Mechanism(((QUARTER, 3 * QUARTER), (Fraction(3, 5), Fraction(2, 5)))),
)
OF_THREE = (
    Mechanism(((HALF, HALF), (QUARTER, 3 * QUARTER), (THIRD, 2 * THIRD))),
    Mechanism(((HALF, QUARTER, QUARTER), (THIRD, THIRD, THIRD), (QUARTER, QUARTER, HALF))),
    Mechanism(((2 * THIRD, THIRD), (HALF, HALF), (Fraction(1, 5), Fraction(4, 5)))),
)
STRONG_LATER = (
    Mechanism(((HALF, HALF), (Fraction(9, 20), Fraction(11, 20)))),
    Mechanism(((Fraction(1, 10), Fraction(9, 10)), (HALF, HALF))),
    Mechanism(((Fraction(4, 5), Fraction(1, 5)), (Fraction(1, 20), Fraction(19, 20)))),
)
"""The first tells next to nothing, the later ones much."""

EXCLUDES = Mechanism(((HALF, HALF, Fraction(0)), (Fraction(1), Fraction(0), Fraction(0))))
"""Output 2 excludes the second value; output 3 is impossible."""

STREAMS = (
    LiteralStream((THIRD, 2 * THIRD), matrix("4/5 1/5", "1/3 2/3"), OF_TWO),
    LiteralStream((QUARTER, 3 * QUARTER), matrix("0 1", "1/4 3/4"), OF_TWO[::-1]),
    LiteralStream((Fraction(1), Fraction(0)), matrix("1/2 1/2", "0 1"), OF_TWO),
    LiteralStream((THIRD, 2 * THIRD), matrix("1/2 1/2", "0 1"), (OF_TWO[0], EXCLUDES, OF_TWO[2])),
    LiteralStream((HALF, THIRD, Fraction(1, 6)), matrix("1/2 1/4 1/4", "0 1/3 2/3", "3/5 2/5 0"), OF_THREE),
)


def _ratio(likelihoods: Sequence[Fraction]) -> Level:
    high, low = max(likelihoods), min(likelihoods)
    return ZERO if not high else INFINITE if not low else log(high / low)


def over_paths(stream: LiteralStream, first: int, last: int, seen: range) -> Level:
    """Return the leakage of l^first..l^last from the outputs of the times seen, by summing over whole paths."""
    horizon, n = len(stream.mechanisms), stream.forward.n
    weights = {
        path: stream.initial[path[0]] * prod((stream.forward.rows[a][b] for a, b in pairwise(path)), start=Fraction(1))
        for path in product(range(n), repeat=horizon)
    }
    best = ZERO
    for outputs in product(*(stream.mechanisms[t - 1].outputs for t in seen)):
        told: dict[tuple[int, ...], list[Fraction]] = {}
        for path, weight in weights.items():
            if weight:
                likelihood = prod(
                    (stream.mechanisms[t - 1].channel[path[t - 1]][r] for t, r in zip(seen, outputs, strict=True)),
                    start=Fraction(1),
                )
                own = told.setdefault(path[first - 1 : last], [Fraction(0), Fraction(0)])
                own[0], own[1] = own[0] + weight * likelihood, own[1] + weight
        best = max(best, _ratio([above / below for above, below in told.values()]))
    return best


@evidence(
    EvidenceKind.BRUTE_FORCE,
    "every path, every output; initial distributions and outputs that exclude values among them",
)
def definitions_over_paths() -> str:
    """PL_0, BPL, FPL, TPL and those of windows are what sums over whole paths give, each time with its mechanism."""
    tried = infinite = 0
    for stream in members("streams", STREAMS):
        horizon = len(stream.mechanisms)
        for mechanism in stream.mechanisms:
            columns = [_ratio(column) for column in zip(*mechanism.channel, strict=True)]
            require(mechanism.privacy_leakage() == max(columns), f"PL_0 of {mechanism.channel}")
        for time in over("t", range(1, horizon + 1)):
            until, since, all_times = range(1, time + 1), range(time, horizon + 1), range(1, horizon + 1)
            for name, found, seen in (
                ("BPL", stream.bpl(time), until),
                ("FPL", stream.fpl(time), since),
                ("TPL", stream.tpl(time), all_times),
            ):
                expected = over_paths(stream, time, time, seen)
                require(found == expected, f"{name}_{time}, {shown(stream.forward)}: {found!r}, not {expected!r}")
                tried, infinite = tried + 1, infinite + found.is_infinite
            if time > 1 and all(stream.marginals[time - 1]):
                before = stream.marginals[time - 2]
                joint = [[before[j] * p for p in row] for j, row in enumerate(stream.forward.rows)]
                expected_rows = tuple(tuple(p / sum(column) for p in column) for column in zip(*joint, strict=True))
                require(
                    stream.backward(time).rows == expected_rows, f"P^B at t = {time}: {shown(stream.backward(time))}"
                )
            for length in range(2, horizon - time + 2):
                found, expected = (
                    stream.sequence_tpl(time, length),
                    over_paths(stream, time, time + length - 1, all_times),
                )
                require(found == expected, f"window {time}, {length}: {found!r}, not {expected!r}")
    require(infinite > 0, "nothing is told for certain")
    return f"{tried} leakages, {infinite} of them infinite"


@evidence(EvidenceKind.BRUTE_FORCE, "every output sequence, one matrix for the past and another for the future")
def definitions_one_matrix_each() -> str:
    """TPL for P^B, P^F or both known is the greatest product of past, present and future for one pair of values."""

    def told(step: TransitionMatrix | None, own: Sequence[Mechanism]) -> list[list[Fraction]]:
        rows = [[Fraction(1)] * 2]
        for mechanism in own if step is not None else ():
            seen = [[f * mechanism.channel[a][r] for a, f in enumerate(row)] for row in rows for r in mechanism.outputs]
            assert step is not None
            rows = [
                [sum((p * f for p, f in zip(line, row, strict=True)), Fraction(0)) for line in step.rows]
                for row in seen
            ]
        return rows

    tried = 0
    for backward, forward in members(
        "pairs of matrices", product((None, matrix("4/5 1/5", "0 1")), (None, matrix("1/4 3/4", "2/3 1/3")))
    ):
        for time in over("t", (1, 2, 3)):
            past, future = told(backward, STRONG_LATER[: time - 1]), told(forward, STRONG_LATER[time:][::-1])
            now = [list(column) for column in zip(*STRONG_LATER[time - 1].channel, strict=True)]
            best = max(
                prod((max(row[j] / row[k] for row in rows) for rows in (past, now, future)), start=Fraction(1))
                for j, k in permutations(range(2), 2)
            )
            require(
                leakage_by_definition(STRONG_LATER, time, backward, forward) == log(best), f"t = {time}: not log {best}"
            )
            tried += 1
    return f"{tried} leakages"


APART = (Fraction(2), Fraction(5, 4), Fraction(3), Fraction(7, 3))

UNLIKE = (
    (matrix("4/5 1/5", "1/10 9/10"), matrix("1/2 1/2", "0 1")),
    (matrix("1/2 1/4 1/4", "0 1/3 2/3", "3/5 2/5 0"), matrix("1/5 3/10 1/2", "1/10 0 9/10", "1/3 1/3 1/3")),
)
"""Pairs P^B, P^F that have nothing to do with each other."""


def _steps(rows: TransitionMatrix, ratios: Sequence[Fraction]) -> list[Level]:
    """Return the recursion, L by all sets of columns, the first release first."""
    levels = [log(ratios[0])]
    for ratio in ratios[1:]:
        levels.append(enumerated_loss(rows, levels[-1]).level + log(ratio))
    return levels


@evidence(EvidenceKind.BRUTE_FORCE, "budgets that all differ; L by all sets of columns")
def recursions_with_their_budgets() -> str:
    """The reference's recursions, TPL and windows take the budget of each time, and from the side it lies on."""
    epsilons, horizon = [log(ratio) for ratio in APART], len(APART)
    for backward, forward in members("pairs of matrices", UNLIKE):
        found = leakage(epsilons, Adversary.knowing(backward, forward))
        bpl, fpl = _steps(backward, APART), _steps(forward, APART[::-1])[::-1]
        require((list(found.bpl), list(found.fpl)) == (bpl, fpl), f"{shown(backward)}: {found}")
        for t, level in enumerate(found.tpl):
            require(level + epsilons[t] == bpl[t] + fpl[t], f"TPL_{t + 1}: {level!r}")
        for level in found.tpl:
            first = next((t for t, own in enumerate(found.tpl, 1) if own > level), None)
            require(first_failure(found, level) == first, f"TPL first exceeds {level!r} at {first}")
        for length in over("releases", range(1, horizon + 1)):
            windows = []
            for start in range(1, horizon - length + 2):
                between = log(prod(APART[start : start + length - 2], start=Fraction(1))) if length > 2 else ZERO
                ends = found.tpl[start - 1] if length == 1 else bpl[start - 1] + between + fpl[start + length - 2]
                require(composition(found, epsilons, start, length) == ends, f"window {start}, {length}")
                alone = log(prod(APART[start - 1 : start - 1 + length], start=Fraction(1)))
                require(independent(epsilons, start, length) == alone, f"independent window {start}, {length}")
                windows.append((ends, alone))
            own = guarantee(found, epsilons, length)
            require(own.correlated == max(ends for ends, _ in windows), f"windows of {length}: {own}")
            require(own.independent == max(alone for _, alone in windows), f"independent windows of {length}: {own}")
        functions = algorithm_2(backward)
        whole = algorithm_4(functions, Fraction(1, 100), Fraction(100))
        for before, epsilon, level in zip(bpl, epsilons[1:], bpl[1:], strict=False):
            require(algorithm_1(backward, before, epsilon) == level, "Algorithm 1 leaves the budget out")
            require(algorithm_3(functions, before, epsilon) == level, "Algorithm 3 leaves the budget out")
            require(algorithm_5(whole, before, epsilon) == level, "Algorithm 5 leaves the budget out")
    return f"BPL, FPL, TPL and all windows of {horizon} releases"


def mean(rows: TransitionMatrix, f: Sequence[Fraction]) -> Row:
    """Return the mean of a function of the other time's value, given each value of this one."""
    return tuple(sum((p * v for p, v in zip(line, f, strict=True)), Fraction(0)) for line in rows.rows)


def told_by_releases(n: int, steps: Sequence[TransitionMatrix], ratios: Sequence[Fraction]) -> set[Row]:
    """Return the likelihoods of n values after all releases that say 1 or e^ε_t of each, the farthest first.

    Up to scale the worst there are. Args: steps, the matrices between the releases.
    """
    told = {(Fraction(1),) * n}
    for step, ratio in zip((None, *steps), ratios, strict=True):
        told = told if step is None else {mean(step, f) for f in told}
        said = tuple(product((Fraction(1), ratio), repeat=n))
        told = {tuple(m * v for m, v in zip(release, f, strict=True)) for release in said for f in told}
    return told


def _worst(rows: TransitionMatrix, ratios: Sequence[Fraction]) -> Callable[[int, int], Fraction]:
    """Return the greatest (P_j·f)/(P_k·f) by pair, f over all releases that say 1 or e^ε_t of each value."""
    if not ratios:
        return lambda _j, _k: Fraction(1)
    told = {mean(rows, f) for f in told_by_releases(rows.n, [rows] * (len(ratios) - 1), ratios)}
    return lambda j, k: max(row[j] / row[k] for row in told)


@evidence(
    EvidenceKind.BRUTE_FORCE, "budgets that all differ, every release that says of each value the one or the other"
)
def sweep_with_its_budgets() -> str:
    """The worst BPL, FPL and TPL over all mechanisms take the budget and the matrix of each side, pair by pair."""
    ratios, tried = APART[:3], 0
    epsilons = [log(ratio) for ratio in ratios]
    for backward, forward in members("pairs of matrices", UNLIKE):
        found = worst_case_leakage(epsilons, backward, forward)
        bound = leakage(epsilons, Adversary.knowing(backward, forward))
        for t in over("t", (0, 1, 2)):
            past, future = _worst(backward, ratios[:t]), _worst(forward, ratios[t + 1 :][::-1])
            pairs = list(permutations(range(backward.n), 2))
            for name, level, added, most in (
                ("BPL", found.bpl[t], max(past(*pair) for pair in pairs), bound.bpl[t]),
                ("FPL", found.fpl[t], max(future(*pair) for pair in pairs), bound.fpl[t]),
                ("TPL", found.tpl[t], max(past(*pair) * future(*pair) for pair in pairs), bound.tpl[t]),
            ):
                require(level == log(ratios[t] * added), f"{name}_{t + 1}: {level!r}, not log {ratios[t] * added}")
                require(level <= most, f"{name}_{t + 1} exceeds the recursion")
                tried += 1
    return f"{tried} leakages"


@evidence(EvidenceKind.ENUMERATION, "the columns of the mechanism, up to scale")
def subsets_of_all_sizes() -> str:
    """The outputs of the subset mechanism favour by e^ε each set of values but none and all."""
    for n in over("n", (2, 3, 4)):
        columns = zip(*subset_mechanism(n, Fraction(3)).channel, strict=True)
        found = {tuple(p / min(column) for p in column) for column in columns}
        expected = {vector for vector in product((Fraction(1), Fraction(3)), repeat=n) if len(set(vector)) > 1}
        require(found == expected, f"n = {n}: {found ^ expected}")
    return f"{len(found)} likelihoods for the greatest n"


@evidence(
    EvidenceKind.BRUTE_FORCE,
    "a matrix and a budget of its own for each step, every release that says of each value the one or the other",
)
def one_sweep() -> str:
    """One sweep gives the greatest (P_j − λP_k)·f over all releases, and sets that attain it."""
    ratios, tried = APART[:3], 0
    for rows in members(
        "sequences of matrices",
        ((UNLIKE[0][0], UNLIKE[0][1], matrix("1/5 4/5", "2/3 1/3")), (*UNLIKE[1], UNLIKE[1][0])),
    ):
        n = rows[0].n
        side = OneSide(tuple(step.rows for step in rows))
        last = [mean(rows[-1], f) for f in told_by_releases(n, rows[:-1], ratios)]
        for pair in permutations(range(n), 2):
            j, k = pair
            for ratio in over("λ", (Fraction(1), Fraction(3, 2), Fraction(4))):
                sets, most = sweep(side, ratios, pair, ratio)
                require(most == max(row[j] - ratio * row[k] for row in last), f"{pair}, λ = {ratio}: {most}")
                own = likelihood_ratio(side, ratios, pair, sets)
                require(
                    any(row[j] - ratio * row[k] == most and row[j] / row[k] == own for row in last), f"{pair}: {sets}"
                )
                tried += 1
    return f"{tried} sweeps"


@evidence(EvidenceKind.ENUMERATION, "entry by entry, from matrices and distributions that are not symmetric")
def chains_reversed_and_smoothed() -> str:
    """Bayes' rule and smoothing of a matrix that is not symmetric, against the formulas written out."""
    rows, initial = UNLIKE[1][0], (HALF, THIRD, Fraction(1, 6))
    back, s = reverse(rows, initial), Fraction(1, 7)
    for j, k in members("entries", product(range(3), repeat=2)):
        joint = [initial[a] * rows.rows[a][k] for a in range(3)]
        require(back.rows[k][j] == joint[j] / sum(joint), f"Bayes: {shown(back)}")
        compared(
            "eq:laplace_smoothing", (rows.rows[j][k] + s) / sum(p + s for p in rows.rows[j]), smooth(rows, s).rows[j][k]
        )
    return "every entry"


CLAIMS = ()
