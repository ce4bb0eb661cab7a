"""The functions of all pairs of rows and L above them: Figure 4 [fig:example_L_func]."""

import math
from fractions import Fraction
from itertools import pairwise

from tploracle.reference import Level, TransitionMatrix, algorithm_2, loss_function
from tploracle.reference.paper.loss import Piece

from .drawing import curve, panels
from .tables import level_cells, values, where


def measure_pieces(*, rows, highest, points, advance):
    """Return the pieces of each f_{q,d} and of L, exact, and all of them at the levels that are drawn.

    A piece of L starts at the origin, at a transition point of its own f_{q,d}, or where two functions cross.
    """
    advance(0, 1)
    matrix = TransitionMatrix.of(rows)
    functions = algorithm_2(matrix)
    loss = loss_function(matrix)
    pieces, values_ = [], []
    own_ends = set()
    for function in functions:
        name = f"{function.row_q + 1}, {function.row_d + 1}"
        start = Fraction(0)
        for size in range(len(function.order), 0, -1):
            end = function.transitions[size - 1]
            q, d = function.q_sums[size - 1], function.d_sums[size - 1]
            pieces.append(piece_cells(name, Piece(q, d, start, end, None), "transition point" if start else "origin"))
            if end is None:
                break
            if size > 1:
                own_ends.add((name, end))
            start = end
    for before, piece in pairwise([None, *loss.pieces]):
        name = f"{piece.witness.row_q + 1}, {piece.witness.row_d + 1}"
        crossing = before is not None and (name, piece.start) not in own_ends
        begins = "origin" if before is None else "crossing of two functions" if crossing else "transition point"
        pieces.append(piece_cells("L", piece, begins) | {"rows of L": name})
    starts = {piece.start for piece in loss.pieces} | {end for _, end in own_ends}
    levels = [Level.of(Fraction(highest) * step / points) for step in range(1, points + 1)]
    levels += [Level.of_ratio(1 + start) for start in sorted(starts) if start]
    for alpha in levels:
        at = level_cells(alpha, "alpha ")
        top = loss(alpha)
        values_.append(at | {"function": "L"} | level_cells(top))
        for function in functions:
            value = function.at(alpha).value(alpha)
            name = f"{function.row_q + 1}, {function.row_d + 1}"
            values_.append(
                at | {"function": name} | level_cells(value) | {"at most L": "yes" if value <= top else "no"}
            )
    return {"pieces": pieces, "values": values_}


def piece_cells(name, piece, begins):
    """Return one piece as cells: q, d, the excess e^α − 1 and the level at which it starts, and what starts it."""
    return (
        {"function": name, "q": str(piece.q), "d": str(piece.d), "excess at start": str(piece.start)}
        | level_cells(Level.of_ratio(1 + piece.start), "start ")
        | {"starts at": begins}
    )


def draw_pieces(tables):
    """Draw e^{f} of every pair, L in bold, transition points as circles, crossings as pentagrams."""
    figure, (axes,) = panels(1, width=6.4, height=4.6)
    table = sorted(tables["values"], key=lambda row: float(row["alpha upper"]))
    for number, name in enumerate(values(tables["pieces"], "function")):
        rows = where(table, function=name)
        x, y = [float(row["alpha upper"]) for row in rows], [float(row["upper"]) for row in rows]
        bold = {"linewidth": 3, "color": "k", "zorder": 1} if name == "L" else {"color": f"C{number}"}
        curve(axes, [0, *x], [0, *y], number, "L(α)" if name == "L" else f"rows {name}", marker=None, **bold)
        for marker, what in (("o", "transition point"), ("*", "crossing of two functions")):
            at = {
                float(row["start upper"]) for row in where(tables["pieces"], function=name) if row["starts at"] == what
            }
            places = [(a, b) for a, b in zip(x, y, strict=True) if a in at]
            if places:
                style = {"facecolor": "none", "edgecolor": "k", "s": 45} if marker == "o" else {"color": "C3", "s": 150}
                axes.scatter(*zip(*places, strict=True), marker=marker, zorder=3, **style)
    axes.set(
        xlabel="α (nats)",
        ylabel="log f(α) and L(α) (nats)",
        title="Rows (0.1, 0.2, 0.7), (0.3, 0.3, 0.4), (0.5, 0.3, 0.2)",
    )
    axes.title.set_size(10)
    axes.set_xlim(0, max(math.ceil(float(row["alpha upper"])) for row in table))
    axes.set_ylim(0)
    axes.legend(fontsize=8, title="○ transition point, ★ crossing")
    return figure
