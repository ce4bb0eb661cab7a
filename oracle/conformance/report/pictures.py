"""Pictures of a run: verdicts by operation, and where the errors lie. Needs matplotlib (the extra `plot`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...contract.operations import OPERATIONS
from ...output.scales import LogScale, SignedScale
from ...output.sheets import clean
from ..explain.features import BOUNDARY_DISTANCES, Features, boundary_distance, features_of
from ..model import Result, Run, Verdict
from .summary import Summary, in_order

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PASSING, MOST_FAILING = 300, 600
"""Points of one panel; of more, so many evenly spread over the run are drawn."""

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


@dataclass(frozen=True, slots=True)
class _Point:
    result: Result
    features: Features
    distance: float | None


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
    _legend(figure, [verdict for verdict in Verdict if verdict in seen], lines=False)
    return figure


def error_pictures(run: Run) -> Iterator[tuple[str, Figure, str]]:
    """Draw, for each operation of which not every answer is exact, how far off its answers are and where.

    Yields: the operation, the figure with a panel each for the level, the states and the distance to the boundary as
    far as its inputs have them, and a caption.
    """
    results = [*run.results, *(finding.result for finding in run.findings)]
    for op in in_order({result.case.part for result in results}):
        chosen = _chosen([result for result in results if result.case.part == op and _is_drawn(result)])
        points = [_Point(result, features_of(result.case), boundary_distance(result.case)) for result in chosen]
        panels = _panels(op, points)
        if panels and any(_is_telling(point.result) for point in points):
            yield op, _row_of_panels(panels, _frame(op, run.ulps, points), points), _caption(op, points)


def _is_drawn(result: Result) -> bool:
    return result.judgement.verdict in _MARKERS


def _is_telling(result: Result) -> bool:
    return result.judgement.ulps is not None and result.judgement.verdict is not Verdict.EXACT


def _chosen(results: Sequence[Result]) -> list[Result]:
    """Return at most so many failures and so many others, evenly spread, the failures last: they are drawn on top."""
    passing = [result for result in results if not result.judgement.verdict.fails]
    failing = [result for result in results if result.judgement.verdict.fails and not _is_unsafe(result)]
    unsafe = [result for result in results if _is_unsafe(result)]
    return [*_spread(passing, MOST_PASSING), *_spread(failing, MOST_FAILING), *_spread(unsafe, MOST_FAILING)]


def _is_unsafe(result: Result) -> bool:
    return result.judgement.verdict is Verdict.UNSAFE


def _spread(results: Sequence[Result], most: int) -> list[Result]:
    if len(results) <= most:
        return list(results)
    return [results[index * len(results) // most] for index in range(most)]


@dataclass(frozen=True, slots=True)
class _Panel:
    """One picture: what runs across it, what 0 is called there, and the points with their places."""

    name: str
    zero: str
    placed: tuple[tuple[float, _Point], ...]


@dataclass(frozen=True, slots=True)
class _Frame:
    """What the panels of one operation share. unsafe: the sign of the unsafe side, 0 where neither is."""

    unsafe: int
    limit: float
    scale: SignedScale

    def height(self, result: Result) -> float:
        """Return where a result stands: by its distance, and without a finite one beyond the end on its side."""
        ulps = result.judgement.ulps
        if ulps is None:
            if not result.judgement.verdict.fails:
                return 0.0
            return self.edge(self.unsafe if _is_unsafe(result) else -self.unsafe or 1)
        place = SignedScale.place(ulps)
        return self.edge(ulps) if place is None else place

    def edge(self, side: int) -> float:
        """Return where what has no finite distance stands, above (side > 0) or below the rest."""
        return self.scale.above if side > 0 else self.scale.below

    def edges(self) -> dict[float, str]:
        """Return the places beyond the ends, and what they are called."""
        if not self.unsafe:
            return {self.scale.above: _NO_DISTANCE}
        return {self.edge(self.unsafe): "−∞" if self.unsafe < 0 else "+∞", self.edge(-self.unsafe): _NO_DISTANCE}


_AXES: tuple[tuple[str, str, Callable[[_Point], float | None]], ...] = (
    ("α", "0", lambda point: point.features.largest_level),
    ("states n", "0", lambda point: point.features.n),
    ("distance to the boundary", "on it", lambda point: point.distance),
)


def _panels(op: str, points: Sequence[_Point]) -> list[_Panel]:
    found = []
    for name, zero, value in _AXES:
        if placed := tuple((float(x), point) for point in points if (x := value(point)) is not None):
            found.append(_Panel(_level_axis(op) if name == "α" else name, zero, placed))
    return found


def _unsafe_side(op: str) -> int:
    """Return the sign of the unsafe side, 0 where neither is."""
    side = OPERATIONS[op].side if op in OPERATIONS else None
    return 0 if side is None else -side.value


def _level_axis(op: str) -> str:
    return OPERATIONS[op].level_axis if op in OPERATIONS else "α"


def _frame(op: str, limit: int, points: Sequence[_Point]) -> _Frame:
    unsafe = _unsafe_side(op)
    shown = [3 * limit * side for side in (-1, 1) if side != unsafe]
    scale = SignedScale.of([*shown, *(point.result.judgement.ulps or 0 for point in points)])
    return _Frame(unsafe, SignedScale.place(limit) or 0.0, scale)


def _row_of_panels(panels: Sequence[_Panel], frame: _Frame, points: Sequence[_Point]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1.2 + 3.5 * len(panels), 3.5), layout="constrained")
    first: Axes | None = None
    for number, panel in enumerate(panels, 1):
        axes = figure.add_subplot(1, len(panels), number, sharey=first)
        _draw(axes, panel, frame)
        if first is None:
            axes.set_ylabel("ulps from the truth")
            first = axes
        else:
            axes.tick_params(labelleft=False)
    _legend(figure, [v for v in Verdict if any(point.result.judgement.verdict is v for point in points)], lines=True)
    return figure


def _draw(axes: Axes, panel: _Panel, frame: _Frame) -> None:
    across, scale = LogScale.of([x for x, _ in panel.placed]), frame.scale
    low, high = scale.below - scale.margin / 2, scale.above + scale.margin / 2
    if frame.unsafe:
        axes.axhspan(low if frame.unsafe < 0 else 0, 0 if frame.unsafe < 0 else high, color=_UNSAFE_SHADE, linewidth=0)
    for side in (-1, 1):
        if side != frame.unsafe:
            axes.axhline(side * frame.limit, color="0.5", linewidth=0.8, linestyle="--")
    axes.axhline(0, color="0.25", linewidth=0.8)
    for verdict in reversed(_MARKERS):
        own = [(x, point.result) for x, point in panel.placed if point.result.judgement.verdict is verdict]
        marker, size = _MARKERS[verdict]
        axes.scatter(
            [across.place(x) for x, _ in own],
            [frame.height(result) for _, result in own],
            s=size,
            marker=marker,
            color=COLOURS[verdict],
            edgecolors="black" if verdict.fails else "none",
            linewidths=0.5,
            alpha=0.95 if verdict.fails else 0.7,
            zorder=4 if verdict is Verdict.UNSAFE else 3 if verdict.fails else 2,
        )
    axes.set(xlabel=panel.name, xlim=across.ends, ylim=(low, high))
    across_ticks, up_ticks = across.ticks(zero=panel.zero), scale.ticks()
    axes.set_xticks(list(across_ticks), list(across_ticks.values()))
    edges = frame.edges()
    axes.set_yticks([*up_ticks, *edges], [*up_ticks.values(), *edges.values()])
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.25, linewidth=0.5)


def _caption(op: str, points: Sequence[_Point]) -> str:
    side = {-1: "Below 0 is unsafe. ", 1: "Above 0 is unsafe. "}.get(_unsafe_side(op), "")
    caption = f"{clean(op, 60)}: signed error in ulps. {side}Dashed: the limit. "
    if any(point.distance is not None for point in points):
        caption += f"Distance {BOUNDARY_DISTANCES[op]}. "
    return caption + f"At “{_NO_DISTANCE}”: crashes, timeouts, and what is no number, infinite or astronomic."


def _legend(figure: Figure, verdicts: Sequence[Verdict], lines: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Line2D | Patch] = [
        Line2D(
            [], [], linestyle="", marker=_MARKERS[verdict][0], color=COLOURS[verdict], markersize=6, label=verdict.value
        )
        if lines
        else Patch(color=COLOURS[verdict], label=verdict.value)
        for verdict in verdicts
    ]
    figure.legend(handles=handles, loc="outside upper right", ncols=len(handles), fontsize=8, frameon=False)
