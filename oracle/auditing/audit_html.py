"""An audit as one page of HTML, with pictures if matplotlib is there; what is too long for a screen stands in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING

from ..output import html_pages
from ..output.plots import leakage_figure, loss_function_figure
from ..output.sheets import BRACKETS, SAFE_DOUBLES, Cell, Sheet, divided_note, numerals
from ..reference import TransitionMatrix
from ..wire.values import KINDS
from .audit import Audit, MatrixAudit
from .audit_terminal import (
    ULPS_NOTE,
    budgets_sheet,
    doubles_sheets,
    exact_sheet,
    facts_sheet,
    leakage_sheet,
    overview_sheet,
    pieces_sheet,
    suprema_sheet,
    users_sheet,
    values_sheet,
    worst_sheet,
)
from .audit_text import RECURSIONS_NOTE, findings
from .comparison import Comparison, Measurement
from .hazards import Hazard
from .measurements import ALGORITHM_1, CAREFUL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PICTURED, MOST_TOLD = 12, 50
"""Pictures are drawn for so many matrices, and so many are told in full, the first."""

MOST_MAPPED_STATES = 60
"""Above this many states the matrix is not drawn."""

_ONE_ULP, _NO_NUMBER = 2, 19.5
"""Where the axis of the error has one ulp, with a power of ten per unit further out, and the marks for no number."""

_POWERS = (0, 4, 8, 12, 16)


def audit_page(audit: Audit, digits: int, normalised: Mapping[str, Sequence[int]]) -> str:
    """Return the page. The same audit gives the same text. Args: normalised, rows divided by their sums, by file."""
    return html_pages.page(_title(audit), *_blocks(audit, digits, normalised))


def _title(audit: Audit) -> str:
    names = [user.name for user in audit.users]
    return f"Audit of {', '.join(names[:3])}" + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _blocks(audit: Audit, digits: int, normalised: Mapping[str, Sequence[int]]) -> Iterator[str]:
    yield html_pages.heading("What to conclude")
    for sentence in findings(audit, digits):
        yield html_pages.paragraph(
            sentence, "verdict-bad" if "UNSAFE" in sentence or "without bound" in sentence else ""
        )
    for name, rows in normalised.items():
        yield html_pages.paragraph(divided_note(name, rows))
    yield html_pages.paragraph(f"{numerals(digits)} {RECURSIONS_NOTE}")
    if len(audit.users) > 1:
        yield from _table(users_sheet(audit, digits))
        yield from _table(worst_sheet(audit, digits))
    yield from _table(leakage_sheet(audit, digits))
    yield _leakage_picture(audit)
    yield from _table(suprema_sheet(audit, digits))
    yield from _table(budgets_sheet(audit, digits))
    if audit.users[0].exact is not None:
        yield from _table(exact_sheet(audit, digits))
    if len(audit.matrices) > 1:
        yield from _table(overview_sheet(audit, digits))
    for number, matrix in enumerate(audit.matrices[:MOST_TOLD]):
        yield from _matrix(matrix, digits, number < MOST_PICTURED)
    for user in audit.users:
        if user.hazards:
            yield from _hazards(f"Hazards for doubles: {user.name}", user.hazards)
    left = list(audit.left_out)
    if len(audit.matrices) > MOST_TOLD:
        left.append(f"the details of {len(audit.matrices) - MOST_TOLD} matrices on this page: --json has them")
    if len(audit.matrices) > MOST_PICTURED:
        left.append(f"pictures of all but the first {MOST_PICTURED} matrices")
    if left:
        yield html_pages.heading("Left out")
        yield html_pages.table(("what",), [[what] for what in left])


def _table(sheet: Sheet, level: int = 2) -> Iterator[str]:
    yield html_pages.heading(sheet.title, level)
    yield html_pages.table(sheet.headings, sheet.rows, [_kind(row) for row in sheet.rows])
    for note in sheet.notes:
        if note not in (BRACKETS, SAFE_DOUBLES, RECURSIONS_NOTE):
            yield html_pages.paragraph(note)


def _kind(row: Sequence[Cell]) -> str:
    """Mark a row with an unsafe answer, or with an answer that is no number."""
    texts = [cell for cell in row if isinstance(cell, str)]
    return "bad" if any("UNSAFE" in text for text in texts) else "warn" if "nan" in texts else ""


def _matrix(matrix: MatrixAudit, digits: int, drawn: bool) -> Iterator[str]:
    yield from _table(facts_sheet(matrix, digits))
    if len(matrix.used_as) > 1:
        yield html_pages.paragraph("Used as " + "; ".join(f"{user}, {role}" for user, role in matrix.used_as) + ".")
    if drawn:
        yield from _pictures(matrix)
    yield from _table(pieces_sheet(matrix, digits), 3)
    yield from _table(values_sheet(matrix, digits), 3)
    measurements = matrix.measurements
    if measurements is None:
        return
    if drawn and measurements.curve:
        yield html_pages.picture(
            error_figure(measurements.curve), f"Error of L in doubles: {matrix.name}; unsafe below the middle"
        )
    for sheet in doubles_sheets(measurements):
        yield from _table(sheet, 3)
    yield from _hazards("Hazards for doubles", matrix.hazards)


def _pictures(matrix: MatrixAudit) -> Iterator[str]:
    if matrix.structure.n <= MOST_MAPPED_STATES:
        figure = matrix_figure(matrix.loss.matrix, matrix.states)
        yield html_pages.picture(figure, f"{matrix.name}: the matrix; dots are zeros")
    yield html_pages.picture(loss_function_figure(matrix.loss), f"{matrix.name}: the loss function L")


def _leakage_picture(audit: Audit) -> str:
    curves = {kind.upper(): [best.level for best in getattr(audit.population, kind)] for kind in KINDS}
    whose = "the worst user's at each time" if len(audit.users) > 1 else audit.users[0].name
    return html_pages.picture(
        leakage_figure({f"{len(audit.epsilons)} releases": curves}), f"Leakage over time: {whose}"
    )


def _hazards(title: str, hazards: Sequence[Hazard]) -> Iterator[str]:
    yield html_pages.heading(title, 3)
    if not hazards:
        yield html_pages.paragraph("None shows in what was tried.")
        return
    rows = [
        [
            hazard.name,
            f"{hazard.title}: {hazard.why}",
            "; ".join([*hazard.facts, *map(str, hazard.measured)]),
            "; ".join([hazard.instead, *map(str, hazard.repaired)]),
        ]
        for hazard in hazards
    ]
    kinds = ["bad" if hazard.unsafe else "" for hazard in hazards]
    yield html_pages.table(("hazard", "how it comes about", "measured", "instead"), rows, kinds)
    yield html_pages.paragraph(ULPS_NOTE)


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
    axes.set_xscale("log")
    axes.set_ylim(-_NO_NUMBER - 1, _NO_NUMBER + 1)
    ticks = [*(-power - _ONE_ULP for power in reversed(_POWERS)), 0, *(power + _ONE_ULP for power in _POWERS)]
    axes.set_yticks(ticks, [_tick(tick) for tick in ticks])
    axes.set_xlabel("α (nats)")
    axes.set_ylabel("ulps above (+) or below (−) the truth")
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
    axes.set_xlabel("column")
    axes.set_ylabel("row")
    figure.colorbar(shades, ax=axes, label="probability")
    return figure
