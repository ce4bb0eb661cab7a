"""Algorithms 1 to 5 and L on matrices that no family lists: drawn exactly, by other methods, and into the limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

from ...certificates.checker import Rejected, check
from ...certificates.recursion import lfp_optimum_certificate, loss_function_certificate
from ...reference.correlations import Row, TransitionMatrix
from ...reference.levels import INFINITE, ZERO
from ...reference.paper.algorithm_1 import algorithm_1
from ...reference.paper.algorithms_2_3 import algorithm_2, algorithm_3
from ...reference.paper.algorithms_4_5 import algorithm_4, algorithm_5
from ...reference.paper.loss import loss_function
from ...solvers.linear_programs.enumeration import enumerated_loss
from ...solvers.loss.dinkelbach import fast_optimum
from .. import transcriptions as printed
from ..coverage import counted, members, over
from ..families import EXAMPLE_4, EXCESSES, log, shown
from ..register import EvidenceKind, evidence, require
from ..transcriptions import Watch
from .algorithms_at_a_level import ONE
from .lfp_optimum import accepted

MULTIPLIER, INCREMENT, MODULUS = 6_364_136_223_846_793_005, 1_442_695_040_888_963_407, 2**64


def drawn_matrices(n: int, many: int) -> Iterator[TransitionMatrix]:
    """Yield matrices of n states drawn by a congruential generator: the same ones always, a tenth of the entries 0."""

    def numbers() -> Iterator[int]:
        state = n
        while True:
            state = (MULTIPLIER * state + INCREMENT) % MODULUS
            yield state >> 33

    draws = numbers()

    def row() -> Row:
        while not any(weights := [draw % 97 if draw % 10 else 0 for _, draw in zip(range(n), draws, strict=False)]):
            pass
        return tuple(Fraction(weight, sum(weights)) for weight in weights)

    matrices = (TransitionMatrix(tuple(row() for _ in range(n))) for _ in range(many))
    return members(f"{n} × {n} matrices drawn from a fixed seed", matrices)


@evidence(
    EvidenceKind.BRUTE_FORCE,
    "all sets of columns and Dinkelbach's iteration, against the algorithms and the transcriptions put right",
    about=(
        "eq:lfp_sol_b",
        "col:L_func",
        "algo:cal_bpl",
        "algo:precomp1",
        "algo:calc_precomp",
        "algo:gen_L_func",
        "algo:cal_bpl_func",
    ),
)
def drawn() -> str:
    """Algorithms 1, 3 and 5, as the reference has them and as printed but put right, give L on matrices drawn."""
    values = 0
    for n, many in ((3, 8), (4, 4), (5, 2)):
        for rows in drawn_matrices(n, many):
            functions, loss, mended = algorithm_2(rows), loss_function(rows), None
            whole = algorithm_4(functions, Fraction(1, 1000), Fraction(1000))
            for e in over("E", (Fraction(1, 100), *EXCESSES, Fraction(100))):
                alpha, expected = log(1 + e), enumerated_loss(rows, log(1 + e)).level
                mended = mended or printed.algorithm_2(rows, Watch(), mended={11})
                found = {
                    "Algorithm 1": algorithm_1(rows, alpha, ZERO),
                    "Algorithm 3": algorithm_3(functions, alpha, ZERO),
                    "Algorithm 5": algorithm_5(whole, alpha, ZERO),
                    "L": loss(alpha),
                    "Dinkelbach's iteration": fast_optimum(rows, alpha).value(alpha),
                    "Algorithm 1, put right": log(printed.algorithm_1(rows, 1 + e, ONE, Watch(), mended={6})),
                    "Algorithm 3, put right": log(printed.algorithm_3(1 + e, mended, ONE, Watch(), mended={4, 5})),
                }
                for name, level in found.items():
                    require(level == expected, f"{shown(rows)}, E = {e}: {name} gives {level!r}, not {expected!r}")
                values += 1
            for piece in loss.pieces[1:]:
                counted("breakpoints of L")
                at = enumerated_loss(rows, log(1 + piece.start)).level
                require(loss(log(1 + piece.start)) == at, f"{shown(rows)}, breakpoint {piece.start}")
    return f"{values} values of L by eight methods"


@evidence(
    EvidenceKind.ENUMERATION, "straight from the rows", about=("col:L_func", "thm:algo_extreme2", "algo:gen_L_func")
)
def at_infinity() -> str:
    """L(∞) is the greatest log q_j/d_j, infinite exactly where a row has mass and another has none."""
    infinite = 0
    for n in (3, 4):
        for rows in drawn_matrices(n, 12):
            columns = [(q, d) for pair in permutations(rows.rows, 2) for q, d in zip(*pair, strict=True) if q]
            limit = loss_function(rows)(INFINITE)
            if any(d == 0 for _, d in columns):
                require(limit.is_infinite, f"{shown(rows)}: L(∞) = {limit!r}")
                infinite += 1
            else:
                require(limit == log(max(q / d for q, d in columns)), f"{shown(rows)}: L(∞) = {limit!r}")
    require(loss_function(EXAMPLE_4)(INFINITE) == log(5), "Example 4: L(∞) is not log(0.5/0.1)")
    return f"{infinite} infinite"


@evidence(
    EvidenceKind.CERTIFICATE,
    "negative controls: every certificate altered in one place",
    about=("thm:lfp", "eq:lfp_sol_b"),
)
def altered_are_rejected() -> str:
    """The checker accepts the certificates as they are and none of them altered: a value, a point, a piece."""
    for rows in (EXAMPLE_4, next(drawn_matrices(4, 1))):
        optimum: dict[str, Any] = lfp_optimum_certificate(rows, 0, 1, log(2))
        whole: dict[str, Any] = loss_function_certificate(loss_function(rows))
        accepted(optimum)
        accepted(whole)
        value = optimum["value"]
        altered = [
            optimum | {"value": {side: f"log({Fraction(str(text)[4:-1]) * factor})" for side, text in value.items()}}
            for factor in (Fraction(999, 1000), Fraction(1001, 1000))
        ]
        altered += [optimum | {"q": optimum["d"], "d": optimum["q"]}, optimum | {"alpha": "log(3)"}]
        altered += [whole | {"pieces": whole["pieces"][1:]}, whole | {"pieces": whole["pieces"][:-1]}]
        altered += [whole | {"matrix": whole["matrix"][::-1][1:] + whole["matrix"][:1]}]
        for document in altered:
            counted("altered certificates")
            try:
                check(json.dumps(document))
            except Rejected:
                continue
            require(False, f"accepted: {json.dumps(document)}")
    return "all rejected"


CLAIMS = ()
