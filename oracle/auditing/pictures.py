"""The pictures of an audit. Needs matplotlib, which the extra `plot` installs."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10
from typing import TYPE_CHECKING

from ..reference import TransitionMatrix
from .comparison import Comparison, Measurement
from .measurements import ALGORITHM_1, CAREFUL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ONE_ULP, _NO_NUMBER = 2, 19.5
"""Where the axis of the error has one ulp, with a power of ten per unit further out, and the marks for no number."""

_POWERS = (0, 4, 8, 12, 16)


def error_figure(curve: Sequence[Measurement]) -> Figure:
    """Draw how far Algorithm 1 and the careful formula are from L(α), over α, above the truth and below it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for method, colour, marker in ((ALGORITHM_1, "tab:red", "o"), (CAREFUL, "tab:blue", "^")):
        found = [(measurement.given, measurement.comparisons[method]) for measurement in curve]
        numbers = [(alpha, _height(comparison)) for alpha, comparison in found if comparison.ulps is not None]
        none = [alpha for alpha, comparison in found if comparison.ulps is None]
        if numbers:
            axes.plot(*zip(*numbers, strict=True), marker, color=colour, markersize=3.5, label=method)
        if none:
            axes.plot(none, [_NO_NUMBER] * len(none), "x", color=colour, markersize=5, label=f"{method}: no number")
    axes.axhline(0, color="0.4", linewidth=0.8)
    axes.axhspan(-_NO_NUMBER - 1, 0, color="tab:red", alpha=0.06)
    axes.set(xscale="log", ylim=(-_NO_NUMBER - 1, _NO_NUMBER + 1))
    ticks = [*(-power - _ONE_ULP for power in reversed(_POWERS)), 0, *(power + _ONE_ULP for power in _POWERS)]
    axes.set_yticks(ticks, [_tick(tick) for tick in ticks])
    axes.set(xlabel="α (nats)", ylabel="ulps above (+) or below (−) the truth")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower center", fontsize="small")
    return figure


def _height(comparison: Comparison) -> float:
    """Place a signed number of ulps on the axis, 0 in the middle."""
    ulps = comparison.ulps or 0
    return 0.0 if ulps == 0 else (_ONE_ULP + log10(abs(ulps))) * (1 if ulps > 0 else -1)


def _tick(tick: int) -> str:
    if tick == 0:
        return "exact"
    power = abs(tick) - _ONE_ULP
    return f"${'+' if tick > 0 else '-'}{1 if power == 0 else f'10^{{{power}}}'}$"


def matrix_figure(matrix: TransitionMatrix, states: Sequence[str]) -> Figure:
    """Draw the entries as shades; zeros are white with a dot."""
    from matplotlib.figure import Figure

    n = matrix.n
    figure = Figure(figsize=(5.2, 4.4), layout="constrained")
    axes = figure.add_subplot()
    shades = axes.imshow([[float(entry) for entry in row] for row in matrix.rows], cmap="Blues", vmin=0, vmax=1)
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
