"""What the evidence takes from the paper, held to the lines that print it: matrices, vectors, formulas."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from .. import transcriptions as printed
from ..families import EXAMPLE_4, MODERATE, STRONGEST, matrix, shown
from ..faults import slip, told
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
    return "each of the lines"


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

    line = (
        printed_line(1918, "= 0")
        .partition("= 0")[0]
        .replace(r"\mathcal{F}", "F")
        .replace(r"e^\epsilon", r"e^{\epsilon}")
    )
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
    return "Theorem 11, Eq. (39), and lines of Algorithms 2 and 3"


_SLIPS = (
    ("E38", 601, r"\eqref{eq:bpl1}", 519, r"\label{eq:fpl1}"),
    ("E38", 635, "at time 1 to 10", 634, r"$ \bm{r}^{t+1} $"),
    ("E38", 987, "$ q $ and $ p $", 873, r"$ d=\sum{\bm{d}^+} $"),
    ("E38", 1812, r"e^{\varepsilon} m", 1809, r"\bm{x}^+=[e^{{\alpha}^B_{t-1}}*m]"),
    ("E38", 1697, r"D_\mathcal{M}^t", 1715, "D^t,...,D^{t+j}"),
    ("E38", 1249, r"\inf  &", 1007, r"$ \infty $"),
    ("E38", 952, r"\textsf{updated}", 922, "update"),
    ("E38", 1013, "LPF", 987, "LFP"),
    ("E38", 1164, r"\mathcal{L}^1 (\alpha_1)", 1153, "[a_k,a_m]"),
    ("E38", 1168, r"\left[\alpha_k, \alpha_m\right]", 1153, "[a_k,a_m]"),
    ("E38", 1220, "qk(e", 1155, "q^j(e"),
    ("E38", 1524, r"\ref{fig:ex_budgets}", 1523, r"with $ 2 $-DP$ _\mathcal{T} $"),
    ("E38", 1637, "l^t,", 1640, "l_i^t,"),
    ("E38", 1673, r"\argmax_{\bar{l_i^t}", 1673, r"|{l_i^t,D_\mathcal{K}^t}"),
    ("E38", 1730, r"\cdots \textit{PL}_0", 1725, r"+ \cdots +"),
    ("E38", 1833, r"\frac{q_i}{d_i}", 1832, r"\frac{q_j}{d_j}"),
    ("E38", 1914, r"\mathcal{F} $ does not exist", 1916, r"letting $ \mathcal{F} $ be $ e^\alpha $"),
    ("E45", 1721, r"\over {\Pr ({\bm{r}^{t+1}}, \ldots ,{\bm{r}^{T}}|{D^{t+j}}", 1721, r"\Pr ({\bm{r}^{t+j}}, \ldots"),
    ("E45", 833, r"\sup_{ \bm{q}, \bm{d} \in   P_i^B } \log", 817, r"\bm{r}^{t-1}"),
    ("E45", 1702, r"D^t, {D^t}'", 1703, "D^{t+1}"),
    ("E45", 1693, r"\ref{def:tpl}", 1711, r"\ref{def:combined_pl}"),
)
"""Printed words that differ from what is meant, and the line and words that say what is meant."""


@evidence(
    EvidenceKind.TRANSCRIPTION, "the printed words, each beside those that say what is meant", errata=("E38", "E45")
)
def slips_in_context() -> str:
    """Letters, references and indices that other lines of the same passage have otherwise."""
    for name, number, words, other, meant in _SLIPS:
        printed_line(number, words)
        slip(name, words, meant, [(other, meant)])
    told("E38", {"after": (2, 10)})
    return f"{len(_SLIPS)} places"


@evidence(EvidenceKind.TRANSCRIPTION, "one witness each, exact", errata="E45")
def a_factor_and_equal_rows() -> str:
    """Q(x*) has the factor m that its printed value lacks; equal rows, zeros by Algorithm 2, need not be uniform."""
    q, alpha, m = Fraction(3, 5), Fraction(2), Fraction(1, 4)
    with_m, as_printed = q * alpha * m + (1 - q) * m, q * (alpha - 1) + 1
    slip("E45", as_printed, with_m, [(1778, r"e^{{{\alpha}^B_{t-1}}}*m")])
    d, top = Fraction(1, 5), as_printed
    bottom = d * (alpha - 1) + 1
    rising, rest = (bottom * q - top * d) * alpha, bottom * (1 - q) - top * (1 - d)
    twice, once = (rising * m + rest) * m, (rising + rest) * m
    slip("E45", twice, once, [(1815, r"+(1-d))\big)m")])
    rows = matrix("1/3 2/3", "1/3 2/3")
    stored = {entry for q_arr, d_arr, _ in printed.algorithm_2(rows, printed.Watch()) for entry in (*q_arr, *d_arr)}
    require(stored == {0}, f"Algorithm 2 stores {stored}")
    slip("E45", len(set(rows.rows[0])), 1, [(968, "$ q_i=d_i $ for $ i\\in[1,n] $")])
    names = {"q": q, "e^α": alpha, "m": m, "Q": with_m, "printed": as_printed, "P": rows, "one": 1}
    told("E45", names | {"d": d, "twice": twice, "once": once})
    return f"Q is {with_m}, printed {as_printed}"


_NUMBERED = {
    "else": ((1177, 1178, 1179, 1180, 1181, 1184, 1185, 1186, 1187), r"\uElseIf", 1165),
    "search": ((1218, 1219), "Binary Search", 1209),
}
"""The numbered lines of Algorithms 4 and 5 up to the one meant, what that has, and where the text speaks of it."""


@evidence(EvidenceKind.TRANSCRIPTION, "the numbered lines counted", errata="E47")
def lines_counted() -> str:
    """The numbers that the text gives to lines of Algorithms 4 and 5 are not those of the lines that it describes."""
    counted = {}
    for name, (lines, words, number) in _NUMBERED.items():
        printed_line(lines[-1], words)
        (said,) = re.findall(r"In Line (\d)", printed_line(number))
        counted[name] = len(lines)
        slip("E47", int(said), len(lines), [(lines[-1], words)])
    told("E47", counted)
    return ", ".join(f"line {count}" for count in counted.values())


CLAIMS = ()
