"""Plots of leakage over time, of noise and of loss functions. Needs matplotlib, which the extra `plot` installs."""

from __future__ import annotations

import io
import math
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, nullcontext
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..reference import Enclosure, Level, LossFunction
from ..wire.strict_json import printable, printable_lines
from .writing import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Curves = Mapping[str, Sequence[Level]]
"""Levels at the times 1..T, by the name of the curve."""

_SAMPLES = 400
_HIGHEST_LEVEL = 700.0
_MARKERS = "os^Dvx"
PAPER_BOUND = "paper's bound"
"""The end of the name of a curve or panel that is drawn with dashes; a quantity has one colour and mark."""
_MARKED_UP_TO = 60


@contextmanager
def fixed(parameters: Mapping[str, object] | None = None) -> Iterator[None]:
    """Draw in the body with matplotlib's own parameters: no file of parameters, wherever it lies, changes a picture.

    Texts are taken as they are, `$` too; a character that the font lacks is no warning. Also a decorator.
    """
    mpl = _matplotlib()
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        mpl.rcParams.update({"text.parse_math": False, **(parameters or {})})
        warnings.filterwarnings("ignore", message="Glyph|.*missing from font", category=UserWarning)
        yield


def _matplotlib() -> Any:
    """Import matplotlib, from another folder where this one has parameters, which it would read."""
    away = "matplotlib" not in sys.modules and os.path.lexists("matplotlibrc")
    with chdir(Path(__file__).parent) if away else nullcontext():
        return import_module("matplotlib")


def cleaned(figure: Figure) -> Figure:
    """Escape what a text of a drawing must not contain."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        text.set_text(printable_lines(text.get_text()))
    return figure


@fixed()
def leakage_picture(path: str, panels: Mapping[str, Curves], one_scale: bool = True) -> None:
    """Draw levels over time, a panel for each title, with one scale for all panels or each with its own.

    Raises: InvalidRequest where the file cannot be written.
    """
    _write(leakage_figure(panels, one_scale), path)


@fixed()
def leakage_figure(panels: Mapping[str, Curves], one_scale: bool = True) -> Figure:
    """Return the drawing of `leakage_picture`."""
    figure = _figure(5.2 * len(panels) if len(panels) > 1 else 6.4)
    first: Axes | None = None
    for number, (title, curves) in enumerate(panels.items(), 1):
        axes = figure.add_subplot(1, len(panels), number, sharey=first)
        first = first or (axes if one_scale else None)
        _draw_leakage(axes, title, curves)
    return figure


def _draw_leakage(axes: Axes, title: str, curves: Curves) -> None:
    from matplotlib.ticker import MaxNLocator

    styles = _quantities(curves)
    for (name, levels), style in zip(curves.items(), styles, strict=True):
        axes.plot(
            range(1, len(levels) + 1),
            [_height(level) for level in levels],
            label=f"{name} (infinite where missing)" if any(level.is_infinite for level in levels) else name,
            linestyle=_line(name, title),
            **_drawn(style, len(levels), is_marked=len(levels) <= _MARKED_UP_TO),
        )
    axes.set(title=title, xlabel="time (release)", ylabel="leakage (nats)")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3)
    models = max(1, len(curves) // (1 + max(styles)))
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=models, frameon=False)


def _drawn(style: int, points: int, is_marked: bool = True) -> dict[str, Any]:
    """Return how the curve of a quantity is drawn, apart from its line."""
    marker = _MARKERS[style % len(_MARKERS)] if is_marked else None
    return {
        "color": f"C{style}",
        "marker": marker,
        "markersize": 3.5,
        "markevery": max(1, points // 12),
        "linewidth": 1.2,
    }


@fixed()
def noise_picture(path: str, title: str, places: Sequence[float], curves: Mapping[str, Sequence[Enclosure]]) -> None:
    """Draw the mean noise of several schedules over the number of releases. Raises: as `leakage_picture`."""
    figure = _figure(6.4)
    axes = figure.add_subplot()
    for (name, values), marker in zip(curves.items(), _MARKERS, strict=False):
        points = sorted(zip(places, (float(value.upper) for value in values), strict=True))
        axes.plot(*zip(*points, strict=True), label=name, marker=marker, markersize=4, linewidth=1.2)
    axes.set(title=title, xlabel="releases T", ylabel="mean expected absolute noise", yscale="log")
    axes.grid(alpha=0.3)
    axes.legend()
    _write(figure, path)


@fixed()
def distribution_picture(path: str, curves: Mapping[str, Sequence[float]], parts: Sequence[float]) -> None:
    """Draw, for each level, the share of the users at or below it.

    Args: curves, by name the levels at these shares, possibly ∞. Raises: as `leakage_picture`.
    """
    figure = _figure(6.4)
    axes = figure.add_subplot()
    for (name, levels), style in zip(curves.items(), _quantities(curves), strict=True):
        finite = [(level, part) for level, part in zip(levels, parts, strict=True) if math.isfinite(level)]
        if finite:
            label = name if len(finite) == len(parts) else f"{name} (infinite for the others)"
            axes.step(
                *zip(*finite, strict=True),
                where="post",
                label=label,
                linestyle=_line(name),
                **_drawn(style, len(finite)),
            )
    axes.set(xlabel="level (nats)", ylabel="part of the users at or below it", ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    if curves:
        axes.legend()
    _write(figure, path)


@fixed()
def fit_picture(
    path: str, tests: Mapping[str, Mapping[str, Mapping[str, tuple[float, float]]]], persons: Sequence[float]
) -> None:
    """Draw, for each test, how often each state is kept in each group, and the persons by how often they keep one.

    Args: tests, by title, group and state the share kept and its standard error. Raises: as `leakage_picture`.
    """
    figure = _figure(15.6)
    lines = len(tests) // 3 + 1
    figure.set_figheight(figure.get_figheight() * lines)
    for number, (title, groups) in enumerate(tests.items(), 1):
        axes = figure.add_subplot(lines, 3, number)
        for style, state in enumerate(dict.fromkeys(state for group in groups.values() for state in group)):
            points = [(place, *group[state]) for place, group in enumerate(groups.values()) if state in group]
            places, shares, errors = zip(*points, strict=True)
            marker = _MARKERS[style % len(_MARKERS)]
            axes.errorbar(places, shares, errors, label=state, marker=marker, markersize=3.5, linewidth=1.2, capsize=2)
        axes.set(title=title, ylabel="share of transitions that keep the state", ylim=(-0.02, 1.02))
        axes.set_xticks(range(len(groups)), list(groups))
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    axes = figure.add_subplot(lines, 3, len(tests) + 1)
    axes.hist(persons, bins=20, range=(0, 1))
    axes.set(title="persons", xlabel="share of their transitions that keep the state", ylabel="persons")
    _write(figure, path)


@fixed()
def profile_picture(
    path: str, alphas: Sequence[float], curves: Mapping[str, Sequence[tuple[Fraction, Fraction]]]
) -> None:
    """Draw δ over α, for each name from what is attained to what bounds it. Raises: as `leakage_picture`."""
    figure = _figure(6.4)
    axes = figure.add_subplot()
    order = sorted(range(len(alphas)), key=alphas.__getitem__)
    places = [alphas[place] for place in order]
    for style, (name, ends) in enumerate(curves.items()):
        lower, upper = ([float(ends[place][end]) for place in order] for end in (0, 1))
        axes.fill_between(places, lower, upper, color=f"C{style}", alpha=0.3, linewidth=0)
        axes.plot(places, upper, color=f"C{style}", marker=_MARKERS[style], markersize=3.5, linewidth=1.2, label=name)
    axes.set(xlabel="α (nats)", ylabel="δ")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    _write(figure, path)


@fixed()
def attack_picture(
    path: str,
    title: str,
    inside: Mapping[str, Sequence[bool]],
    odds: Sequence[float],
    levels: Mapping[str, Level],
) -> None:
    """Draw the odds of two values over time, and below them the set of values asked about at each time.

    Args: inside, for each value by name whether it is in the set, over time; odds, logarithms; levels, drawn as lines.
    Raises: as `leakage_picture`.
    """
    figure = _figure(6.4, 4.2 + 0.16 * len(inside))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3.0, 0.6 + 0.16 * len(inside)])
    times = range(1, len(odds) + 1)
    marker = _MARKERS[0] if len(odds) <= _MARKED_UP_TO else None
    above.plot(times, odds, linewidth=1.4, marker=marker, markersize=3.5, label="“yes” up to this time")
    for name, level in levels.items():
        above.axhline(_height(level), linestyle=_line(name), color="0.3", linewidth=1, label=name)
    above.set(title=title, ylabel="change of the log odds (nats)")
    above.grid(alpha=0.3)
    above.legend()
    extent = (0.5, len(odds) + 0.5, len(inside), 0.0)
    below.imshow(list(inside.values()), aspect="auto", cmap="Blues", vmin=0, vmax=1.6, extent=extent)
    below.set_yticks([place + 0.5 for place in range(len(inside))], [*map(printable, inside)], fontsize=7)
    below.set(xlabel="time (release)", ylabel="in the set")
    _write(figure, path)


@fixed()
def loss_function_picture(path: str, loss: LossFunction) -> None:
    """Draw a loss function with its breakpoints and its bounds α and L(∞). Raises: as `leakage_picture`."""
    _write(loss_function_figure(loss), path)


@fixed()
def loss_function_figure(loss: LossFunction) -> Figure:
    """Return the drawing of `loss_function_picture`."""
    figure = _figure(6.4)
    axes = figure.add_subplot()
    ends = [math.log1p(float(piece.start)) if piece.start < 10**300 else _HIGHEST_LEVEL for piece in loss.pieces]
    limit = _height(loss.at_infinity)
    highest = min(_HIGHEST_LEVEL, max(2.0, 1.5 * ends[-1] + 1, 0.0 if math.isnan(limit) else 4 * limit))
    alphas = sorted(
        {highest * step / _SAMPLES for step in range(_SAMPLES + 1)} | {end for end in ends if end <= highest}
    )
    axes.plot(alphas, [_loss(loss, alpha) for alpha in alphas], label="L(α)", linewidth=1.5)
    inner = [end for end in ends[1:] if end <= highest]
    if inner:
        axes.plot(inner, [_loss(loss, end) for end in inner], "o", markersize=4, label="where two pieces meet")
    if not loss.is_identity:
        axes.plot([0, highest], [0, highest], "-.", color="0.6", linewidth=1, label="α")
    if not math.isnan(limit):
        axes.axhline(limit, linestyle=":", color="0.4", linewidth=1, label="L(∞)")
    axes.set(title=f"Privacy loss function of {loss.matrix.n} states", xlabel="α (nats)", ylabel="L(α) (nats)")
    axes.set(xlim=(0, highest), ylim=(0, None if math.isnan(limit) else max(1.25 * limit, 0.1)))
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def _loss(loss: LossFunction, alpha: float) -> float:
    excess = math.expm1(alpha)
    return max(math.log1p((float(p.q) - float(p.d)) * excess / (1 + float(p.d) * excess)) for p in loss.pieces)


def _quantities(curves: Mapping[str, object]) -> list[int]:
    """Return the number of the quantity of each curve, which precedes the model as in "TPL, paper's bound"."""
    quantities = list(dict.fromkeys(name.partition(",")[0] for name in curves))
    return [quantities.index(name.partition(",")[0]) for name in curves]


def _line(*names: str) -> str:
    return "--" if any(name.endswith(PAPER_BOUND) for name in names) else "-"


def _height(level: Level) -> float:
    return math.nan if level.is_infinite else float(level.enclosure(17).upper)


def _figure(width: float, height: float = 4.2) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _write(figure: Figure, path: str) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    drawn = io.BytesIO()
    cleaned(figure).savefig(drawn, format="png", dpi=150)
    write_bytes(path, drawn.getvalue(), "picture")
