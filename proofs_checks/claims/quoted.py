"""What the evidence takes from the paper, held to the lines that print it: matrices, vectors, formulas."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .. import transcriptions as printed
from ..families import EXAMPLE_4, MODERATE, STRONGEST, shown
from ..provers import identity, sympy_algebra
from ..register import EvidenceKind, evidence, require
from ..transcript import printed_formula, printed_line, printed_matrices, printed_vectors
from .algorithms_as_printed import WORKED
from .budgets_solved import FIGURE_8


@evidence(EvidenceKind.TRANSCRIPTION, "the lines of the source that print them")
def matrices_as_printed() -> str:
    """The matrices and vectors of the evidence are those that the paper prints."""
    for number, expected in (
        (592, [STRONGEST]),
        (597, [MODERATE]),
        (631, [STRONGEST]),
        (639, [MODERATE]),
        (1131, [EXAMPLE_4]),
        (1519, list(FIGURE_8)),
    ):
        found = printed_matrices(number)
        require(found == expected, f"line {number} prints {'; '.join(map(shown, found))}")
    require(printed_vectors(1081) == [list(row) for row in WORKED.rows[:2]], "line 1081 prints other vectors")
    tenths = [[Fraction(k, 10) for k in row] for row in ((3, 2, 0), (0, 1, 0))]
    require(printed_vectors(1082) == tenths, f"line 1082 prints {printed_vectors(1082)}")
    printed_line(590, r"\textit{PL}_0(\mathcal{M}^t)=0.1")
    return "lines 592, 597, 631, 639, 1081, 1082, 1131, 1519"


def _between(number: int, before: str, after: str) -> str:
    return printed_line(number, before, after).partition(before)[2].partition(after)[0]


@evidence(
    EvidenceKind.IDENTITY, "general: the printed formulas read by a parser, and what runs as printed put to symbols"
)
def formulas_as_printed() -> str:
    """The formulas that the evidence runs as printed are those that the paper prints, faults and all."""
    sympy = sympy_algebra()
    q, d, a, root, e_alpha, q_arr, d_arr = sympy.symbols("q d a F x Q D", positive=True)
    names: dict[str, Any] = {"q": q, "d": d, "sqrt": sympy.sqrt, r"e^\epsilon": a, r"e^\alpha": e_alpha, "F": root}

    first = printed.theorem_11(q, d, a)
    require(isinstance(first, printed.RootOf), "case 1 is not a root")
    assert isinstance(first, printed.RootOf)
    case = printed_formula(_between(1247, r"\tiny \log", r"}&   d \neq 0"), names)
    identity(case, (sympy.sqrt(first.radicand) + first.term) / first.below, "Theorem 11, case 1")
    printed_line(1248, r"\epsilon \leq \log(1/q)")
    text = _between(1248, r"\log", "&")
    for own, ratio in ((Fraction(1, 2), Fraction(3, 2)), (Fraction(1, 5), Fraction(4))):
        second = printed_formula(text, {"q": own, r"e^\epsilon": ratio})
        require(second == printed.theorem_11(own, Fraction(0), ratio), f"Theorem 11, case 2: {second}")

    line = _between(1918, "        ", "= 0").replace(r"\mathcal{F}", "F").replace(r"e^\epsilon", r"e^{\epsilon}")
    identity(printed_formula(line, names), printed.equation_39(q, d, a, root), "Eq. (39)")

    text = _between(1070, r"\log", " $;").replace("q_i", "q").replace("d_i", "d")
    text = text.replace("qArr[i]", "Q").replace("dArr[i]", "D")
    numbers = {"q": Fraction(1, 5), "d": Fraction(1, 10), "Q": Fraction(1, 2), "D": Fraction(1, 10)}
    transition = printed.algorithm_2(WORKED, printed.Watch())[0][2][1]
    require(printed_formula(text, numbers) == transition, f"Algorithm 2, line 11: {transition}")

    text = _between(1097, r"\log", "$ ;").replace(r"\textit{qArr}[k]", "Q").replace(r"\textit{dArr}[k]", "D")
    identity(
        printed_formula(text, names | {"Q": q_arr, "D": d_arr}), printed.piece(q_arr, q_arr, e_alpha), "Algorithm 3"
    )
    return "Theorem 11, Eq. (39), line 11 of Algorithm 2, line 5 of Algorithm 3"


CLAIMS = ()
