"""The pictures of an audit. Needs matplotlib, which the extra `plot` installs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..reference import TransitionMatrix
from .comparison import Measurement
from .measurements import ALGORITHM_1, CAREFUL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NO_NUMBER = 1e18
"""Where the axis of the error, in ulps, marks answers that are no number; greater errors are drawn there too."""


def error_figure(curve: Sequence[Measurement]) -> Figure:
    """Draw how far Algorithm 1 and the careful formula are from L(α), over α, above the truth and below it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for method, colour, marker in ((ALGORITHM_1, "tab:red", "o"), (CAREFUL, "tab:blue", "^")):
        found = [(measurement.given, measurement.comparisons[method]) for measurement in curve]
        numbers = [(alpha, max(-_NO_NUMBER, min(_NO_NUMBER, own.ulps))) for alpha, own in found if own.ulps is not None]
        none = [alpha for alpha, own in found if own.ulps is None]
        if numbers:
            axes.plot(*zip(*numbers, strict=True), marker, color=colour, markersize=3.5, label=method)
        if none:
            axes.plot(none, [_NO_NUMBER] * len(none), "x", color=colour, markersize=5, label=f"{method}: no number")
    axes.axhline(0, color="0.4", linewidth=0.8)
    axes.axhspan(-10 * _NO_NUMBER, 0, color="tab:red", alpha=0.06)
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(-10 * _NO_NUMBER, 10 * _NO_NUMBER)
    axes.set(xlabel="α (nats)", ylabel="ulps above (+) or below (−) the truth")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower center", fontsize="small")
    return figure


def matrix_figure(matrix: TransitionMatrix, states: Sequence[str]) -> Figure:
    """Draw the entries as shades; zeros are white with a dot."""
    from matplotlib.figure import Figure

    n = matrix.n
    figure = Figure(figsize=(5.2, 4.4), layout="constrained")
    axes = figure.add_subplot()
    shades = axes.imshow(matrix.doubles, cmap="Blues", vmin=0, vmax=1)
    zeros = [(k, j) for j, row in enumerate(matrix.rows) for k, entry in enumerate(row) if entry == 0]
    if zeros:
        axes.plot(*zip(*zeros, strict=True), ".", color="0.6", markersize=max(1.0, 40 / n))
    names = list(states) or [str(state + 1) for state in range(n)]
    step = 1 + n // 26
    axes.set_xticks(range(0, n, step), names[::step], rotation=90 if states else 0, fontsize="x-small")
    axes.set_yticks(range(0, n, step), names[::step], fontsize="x-small")
    axes.set(xlabel="column", ylabel="row")
    figure.colorbar(shades, ax=axes, label="probability")
    return figure
