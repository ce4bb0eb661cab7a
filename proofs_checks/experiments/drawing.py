"""Figures in the manner of the paper's, written as PNG."""

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

MARKERS = "os^Dvx*P<>"
DPI, SMALL_DPI = 150, 110
FEW_COLOURS = 128


def panels(columns, rows=1, width=4.6, height=3.7):
    """Return a figure and its axes in reading order."""
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for each in axes:
        each.grid(alpha=0.3)
    return figure, axes


def curve(axes, x, y, number, label, **style):
    """Draw one marked line."""
    style = {"marker": MARKERS[number % len(MARKERS)], "markersize": 4, "linewidth": 1.2, "color": f"C{number}"} | style
    axes.plot(x, y, label=label, **style)


def png(figure, dpi):
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
