"""Pictures of a run: verdicts by operation, and where the errors lie. Needs matplotlib (the extra `plot`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import ceil, floor, inf, log10
from typing import TYPE_CHECKING

from ...contract.operations import OPERATIONS
from ...output.plots import fixed
from ...output.sheets import clean
from ..explain.features import BOUNDARY_DISTANCES, boundary_distance, features_of
from ..model import Result, Run, Verdict
from .summary import Summary, in_order

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PASSING, MOST_FAILING = 300, 600
"""Points of one panel; of more, this many are drawn, evenly spread over the run."""

COLOURS = {
    Verdict.UNSAFE: "#d00000",
    Verdict.WRONG: "#e07a00",
    Verdict.ERROR_MISMATCH: "#8e44ad",
    Verdict.CRASHED: "#111111",
    Verdict.TIMED_OUT: "#5d6d7e",
    Verdict.UNANSWERED: "#7b4f2a",
    Verdict.UNDECIDED: "#c9b458",
    Verdict.SKIPPED: "#cccccc",
    Verdict.WITHIN: "#5aa9e6",
    Verdict.EXACT: "#2a9d5c",
}

_MARKERS = {
    Verdict.UNSAFE: ("v", 60.0),
    Verdict.WRONG: ("D", 26.0),
    Verdict.ERROR_MISMATCH: ("s", 26.0),
    Verdict.CRASHED: ("X", 40.0),
    Verdict.TIMED_OUT: ("P", 36.0),
    Verdict.UNANSWERED: ("*", 40.0),
    Verdict.WITHIN: ("o", 14.0),
    Verdict.EXACT: ("o", 12.0),
}

_NO_DISTANCE = "no distance"
_UNSAFE_SHADE = "#fdeeee"
_LEAST_SHARE = 0.03

_GREATEST_DISTANCE = 10**17
"""Answers more ulps than this from the truth are drawn with those that have no finite distance."""

_FEW_DECADES = 3
"""Fewer decades than this have ticks within; smaller powers of ten are written out."""

_LEAST_PLACE, _GREATEST_PLACE = 1e-300, 1e300
"""The ends of the axes across; smaller and greater numbers are drawn there."""


@fixed()
def verdict_picture(summary: Summary) -> Figure | None:
    """Draw the share of each verdict by operation; one that occurs is always wide enough to be seen.

    Returns: None where no case was asked.
    """
    from matplotlib.figure import Figure

    tallies = [tally for tally in summary.tallies if sum(tally.verdicts.values())]
    if not tallies:
        return None
    figure = Figure(figsize=(11, 0.9 + 0.42 * len(tallies)), layout="constrained")
    axes = figure.add_subplot()
    seen = []
    for row, tally in enumerate(tallies):
        total = sum(tally.verdicts.values())
        widths = {verdict: max(count / total, _LEAST_SHARE) for verdict, count in tally.verdicts.items() if count}
        left, whole = 0.0, sum(widths.values())
        for verdict, width in widths.items():
            share = width / whole
            axes.barh(row, share, left=left, color=COLOURS[verdict], edgecolor="white", height=0.72)
            dark = verdict not in (Verdict.SKIPPED, Verdict.UNDECIDED, Verdict.WITHIN)
            axes.text(
                left + share / 2,
                row,
                f"{tally.verdicts[verdict]:,}",
                ha="center",
                va="center",
                fontsize=8,
                color="white" if dark else "black",
                weight="bold" if verdict.fails else "normal",
            )
            left += share
            seen.append(verdict)
    axes.set_yticks(range(len(tallies)), [tally.op for tally in tallies], parse_math=False)
    axes.invert_yaxis()
    axes.set(xlim=(0, 1), xticks=[])
    axes.spines[:].set_visible(False)
    axes.tick_params(left=False)
    _legend(figure, seen)
    return figure


def error_pictures(run: Run) -> Iterator[tuple[str, Figure, str]]:
    """Draw, for each operation with an answer that is not exact, how far off its answers are and where.

    Yields: the operation, the figure with a panel each for the level, the states and the distance to the boundary as
    far as its inputs have them, and a caption.
    """
    for op in in_order({result.case.part for result in run.everything}):
        drawn = _chosen([result for result in run.everything if result.case.part == op])
        panels = {
            name: placed
            for name, value in _AXES.items()
            if (placed := [(float(x), result) for result in drawn if (x := value(result)) is not None])
        }
        is_inexact = any(r.judgement.ulps is not None and r.judgement.verdict is not Verdict.EXACT for r in drawn)
        if panels and is_inexact:
            yield op, _error_figure(op, run.ulps, panels, drawn), _caption(op, panels)


_DISTANCE = "distance to the boundary"
_AXES: Mapping[str, Callable[[Result], float | None]] = {
    "α": lambda result: features_of(result.case).largest_level,
    "states n": lambda result: features_of(result.case).n,
    _DISTANCE: lambda result: boundary_distance(result.case),
}


def _chosen(results: Sequence[Result]) -> list[Result]:
    """Return the results to draw, at most `MOST_PASSING` and twice `MOST_FAILING`, the unsafe ones last, on top."""
    drawn = [result for result in results if result.judgement.verdict in _MARKERS]
    passing = [result for result in drawn if not result.judgement.verdict.fails]
    failing = [result for result in drawn if result.judgement.verdict.fails and not _is_unsafe(result)]
    unsafe = [result for result in drawn if _is_unsafe(result)]
    return [*_spread(passing, MOST_PASSING), *_spread(failing, MOST_FAILING), *_spread(unsafe, MOST_FAILING)]


def _is_unsafe(result: Result) -> bool:
    return result.judgement.verdict is Verdict.UNSAFE


def _spread(results: Sequence[Result], most: int) -> list[Result]:
    if len(results) <= most:
        return list(results)
    return [results[index * len(results) // most] for index in range(most)]


def _unsafe_side(op: str) -> int:
    """Return the sign of the unsafe side, 0 where neither is."""
    side = OPERATIONS[op].side if op in OPERATIONS else None
    return 0 if side is None else -side.value


@fixed()
def _error_figure(
    op: str, limit: int, panels: Mapping[str, Sequence[tuple[float, Result]]], drawn: Sequence[Result]
) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1.2 + 3.5 * len(panels), 3.5), layout="constrained")
    unsafe = _unsafe_side(op)
    known = [abs(result.judgement.ulps or 0) for result in drawn]
    edge = 10.0 * max(3 * limit, 1, *(ulps for ulps in known if ulps <= _GREATEST_DISTANCE))
    ups = {
        side * place: f"{'+' if side > 0 else '−'}{text}" for side in (-1, 1) for place, text in _ticks(1, edge / 10)
    }
    ups |= {0.0: "0", edge: _NO_DISTANCE}
    ups |= {unsafe * edge: "+∞" if unsafe > 0 else "−∞", -unsafe * edge: _NO_DISTANCE} if unsafe else {}
    places = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (name, placed) in zip(places, panels.items(), strict=True):
        if unsafe:
            axes.axhspan(min(0, 3 * unsafe * edge), max(0, 3 * unsafe * edge), color=_UNSAFE_SHADE, linewidth=0)
        for side in {-1, 1} - {unsafe}:
            axes.axhline(side * limit, color="0.5", linewidth=0.8, linestyle="--")
        axes.axhline(0, color="0.25", linewidth=0.8)
        _scatter(axes, placed, lambda result: _height(result, unsafe, edge), "on it" if name == _DISTANCE else "0")
        axes.set_yscale("symlog", linthresh=1)
        axes.set_yticks(list(ups), list(ups.values()))
        axes.set_ylim(-3 * edge, 3 * edge)
        axes.set_xlabel(_level_axis(op) if name == "α" else name)
        axes.tick_params(labelsize=8)
        axes.minorticks_off()
        axes.grid(alpha=0.25, linewidth=0.5)
    figure.axes[0].set_ylabel("ulps from the truth")
    _legend(figure, {result.judgement.verdict for result in drawn}, _MARKERS)
    return figure


def _level_axis(op: str) -> str:
    return OPERATIONS[op].level_axis if op in OPERATIONS else "α"


def _height(result: Result, unsafe: int, edge: float) -> float:
    """Return where a result is drawn: at its distance; at an edge where it has none, or one too great."""
    ulps = result.judgement.ulps
    if ulps is None:
        side = unsafe if _is_unsafe(result) else -unsafe or 1
        return side * edge if result.judgement.verdict.fails else 0.0
    return ulps if abs(ulps) <= _GREATEST_DISTANCE else edge if ulps > 0 else -edge


def _scatter(axes: Axes, placed: Sequence[tuple[float, Result]], height: Callable[[Result], float], zero: str) -> None:
    """Draw results by their number across, on a logarithmic axis with places for 0 and ∞ beyond its ends."""
    numbers = [min(max(x, _LEAST_PLACE), _GREATEST_PLACE) for x, _ in placed if 0 < x < inf] or [1.0]
    beyond = {0.0: (min(numbers) / 10, zero), inf: (10 * max(numbers), "∞")}
    for verdict in reversed(_MARKERS):
        own = [(x, result) for x, result in placed if result.judgement.verdict is verdict]
        marker, size = _MARKERS[verdict]
        axes.scatter(
            [beyond[x][0] if x in beyond else min(max(x, _LEAST_PLACE), _GREATEST_PLACE) for x, _ in own],
            [height(result) for _, result in own],
            s=size,
            marker=marker,
            color=COLOURS[verdict],
            edgecolors="black" if verdict.fails else "none",
            linewidths=0.5,
            alpha=0.95 if verdict.fails else 0.7,
            zorder=4 if verdict is Verdict.UNSAFE else 3 if verdict.fails else 2,
        )
    axes.set_xscale("log")
    ticks = dict(_ticks(min(numbers), max(numbers))) | dict(beyond[x] for x, _ in placed if x in beyond)
    axes.set_xticks(list(ticks), list(ticks.values()))


def _ticks(low: float, high: float) -> Iterator[tuple[float, str]]:
    """Yield powers of ten from low to high, at most seven or so, and what is written at each; more where few fit."""
    first, last = floor(log10(low)), ceil(log10(high))
    for decade in range(first, last + 1, max(1, ceil((last - first) / 6))):
        for digit in (1, 2, 5) if last - first < _FEW_DECADES else (1,):
            if low <= (place := digit * 10.0**decade) <= high:
                yield place, f"{place:g}" if abs(decade) < _FEW_DECADES else f"$10^{{{decade}}}$"


def _caption(op: str, panels: Iterable[str]) -> str:
    side = {-1: "Below 0 is unsafe. ", 1: "Above 0 is unsafe. "}.get(_unsafe_side(op), "")
    distance = f"Distance {BOUNDARY_DISTANCES[op]}. " if _DISTANCE in panels else ""
    return (
        f"{clean(op, 60)}: signed error in ulps. {side}Dashed: the limit. {distance}"
        f"At “{_NO_DISTANCE}”: crashes, timeouts, and what is no number, infinite or astronomic."
    )


def _legend(
    figure: Figure, verdicts: Iterable[Verdict], markers: Mapping[Verdict, tuple[str, float]] | None = None
) -> None:
    """Add a legend of the verdicts, in their order, as coloured patches or by their markers."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = [
        Line2D([], [], linestyle="", marker=markers[verdict][0], color=COLOURS[verdict], label=verdict.value)
        if markers
        else Patch(color=COLOURS[verdict], label=verdict.value)
        for verdict in sorted(set(verdicts), key=list(Verdict).index)
    ]
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles), fontsize=8, frameon=False)
