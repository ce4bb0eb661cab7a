"""Figures of tables: panels of lines, each over a column, a line for each combination of others."""

import io
import statistics
from dataclasses import dataclass, field

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .tables import middle, where

MARKERS = "os^Dvx*P<>"
DPI, SMALL_DPI, FEW_COLOURS = 150, 110, 128


@dataclass(frozen=True)
class Panel:
    """Lines of the rows that have these cells, a line for each combination of the columns `by` and each column `y`.

    part: of the tables; the median stands for several rows at one x; log: the axes that are logarithmic; marks: points
    on the axes before, without a line.
    """

    title: str
    x: str
    by: tuple[str, ...] = ()
    y: tuple[str, ...] = ("upper",)
    part: str = ""
    cells: dict = field(default_factory=dict)
    label: str = "nats"
    log: str = ""
    marks: bool = False


def drawn(panels, tables):
    """Return a figure of panels."""
    columns = sum(not panel.marks for panel in panels)
    figure = Figure(figsize=(5.2 * columns, 3.9), layout="constrained")
    FigureCanvasAgg(figure)
    waiting = iter(figure.subplots(1, columns, squeeze=False)[0])
    for panel in panels:
        if not panel.marks:
            axes = next(waiting)
            axes.set(title=panel.title, xlabel=panel.x.removesuffix(" upper"), ylabel=panel.label)
            axes.set(**{f"{axis}scale": "log" for axis in panel.log})
            axes.grid(alpha=0.3)
        draw_lines(axes, panel, where(tables[panel.part], **panel.cells))
        axes.legend(fontsize=7)
    return figure


def draw_lines(axes, panel, rows):
    """Draw the lines of a panel."""
    names = dict.fromkeys(tuple(row[column] for column in panel.by) for row in rows)
    for number, name in enumerate(names):
        for column, dashes in zip(panel.y, ("-", "--", ":"), strict=False):
            heights = {}
            for row in where(rows, **dict(zip(panel.by, name, strict=True))):
                heights.setdefault(middle(row, panel.x), []).append(middle(row, column))
            places = sorted(heights)
            axes.plot(
                places,
                [statistics.median(heights[place]) for place in places],
                label=", ".join(
                    part for part in (*name, column if column != panel.y[0] else "") if part not in ("", "no")
                )
                or "BPL",
                linestyle="none" if panel.marks else dashes,
                marker=MARKERS[::-1][number]
                if panel.marks
                else MARKERS[number % len(MARKERS)]
                if dashes == "-"
                else None,
                markersize=9 if panel.marks else 3,
                color="k" if panel.marks or dashes != "-" else f"C{number}",
                linewidth=1,
            )


def png(figure, dpi=DPI):
    """Return a figure as PNG."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=dpi)
    return stream.getvalue()


def small_png(figure):
    """Return a figure as a PNG of few colours, for a page."""
    from PIL import Image

    with Image.open(io.BytesIO(png(figure, SMALL_DPI))) as image:
        stream = io.BytesIO()
        image.convert("RGB").quantize(FEW_COLOURS).save(stream, format="PNG", optimize=True)
    return stream.getvalue()
