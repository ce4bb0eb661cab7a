"""An audit as one page of HTML with its pictures; what is too long for a screen stands here in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec

from ..output import html_pages
from ..output.sheets import BRACKETS, Cell, Sheet
from .audit import Audit, MatrixAudit
from .hazard import Hazard
from .rendering import (
    ULPS,
    budgets_sheet,
    doubles_sheet,
    facts_sheet,
    leakage_sheet,
    overview_sheet,
    pieces_sheet,
    suprema_sheet,
    users_sheet,
    values_sheet,
    worst_sheet,
)
from .texts import RECURSIONS, findings
from .trials import ALGORITHM_1, ALGORITHM_3, CAREFUL, FIRST_STEP, ITERATION, RIGHT_PAIR

MOST_PICTURED, MOST_TOLD = 12, 50
"""Pictures are drawn for so many matrices, and so many are told in full, the first."""


def audit_page(audit: Audit, digits: int, normalised: Mapping[str, Sequence[int]]) -> str:
    """Return the page. The same audit gives the same text. Args: normalised, rows divided by their sums, by file."""
    return html_pages.page(_title(audit), *_blocks(audit, digits, normalised))


def _title(audit: Audit) -> str:
    names = [user.name for user in audit.users]
    return f"Audit of {', '.join(names[:3])}" + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _blocks(audit: Audit, digits: int, normalised: Mapping[str, Sequence[int]]) -> Iterator[str]:
    for sentence in findings(audit, digits):
        yield html_pages.paragraph(
            sentence, "verdict-bad" if "UNSAFE" in sentence or "without bound" in sentence else ""
        )
    for name, rows in normalised.items():
        yield html_pages.paragraph(f"{name}: rows divided by their exact sums: {', '.join(map(str, rows))}")
    yield html_pages.paragraph(f"{BRACKETS} {RECURSIONS}")
    drawn = find_spec("matplotlib") is not None
    if not drawn:
        yield html_pages.paragraph(
            "There are no pictures: matplotlib is not installed (pip install 'tploracle[plot]')."
        )
    if len(audit.users) > 1:
        yield from _table(users_sheet(audit, digits))
        yield from _table(worst_sheet(audit, digits))
    yield from _table(leakage_sheet(audit, digits))
    if drawn:
        yield _leakage_picture(audit)
    yield from _table(suprema_sheet(audit, digits))
    yield from _table(budgets_sheet(audit, digits))
    if len(audit.matrices) > 1:
        yield from _table(overview_sheet(audit, digits))
    for number, matrix in enumerate(audit.matrices[:MOST_TOLD]):
        yield from _matrix(matrix, digits, drawn and number < MOST_PICTURED)
    for user in audit.users:
        if user.hazards:
            yield from _hazards(f"Hazards for doubles: {user.name}", user.hazards)
    left = list(audit.left_out)
    if len(audit.matrices) > MOST_TOLD:
        left.append(f"the details of {len(audit.matrices) - MOST_TOLD} matrices on this page: --json has them")
    if len(audit.matrices) > MOST_PICTURED and drawn:
        left.append(f"pictures of all but the first {MOST_PICTURED} matrices")
    if left:
        yield html_pages.heading("Left out")
        yield html_pages.table(("what",), [[what] for what in left])


def _table(sheet: Sheet, level: int = 2) -> Iterator[str]:
    yield html_pages.heading(sheet.title, level)
    yield html_pages.table(sheet.columns, sheet.rows, [_kind(row) for row in sheet.rows])
    for note in sheet.notes:
        if note not in (BRACKETS, RECURSIONS):
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
    trials = matrix.trials
    if trials is None:
        return
    if drawn and trials.curve:
        from .pictures import error_figure

        yield html_pages.picture(
            error_figure(trials.curve), f"Error of L in doubles: {matrix.name}; unsafe below the middle"
        )
    yield from _table(doubles_sheet("L in doubles", "L(α)", trials.losses, (ALGORITHM_1, ALGORITHM_3, CAREFUL)), 3)
    if trials.suprema:
        methods = (FIRST_STEP, RIGHT_PAIR, ITERATION)
        yield from _table(doubles_sheet("Supremum in doubles", "supremum", trials.suprema, methods), 3)
    yield from _hazards("Hazards for doubles", matrix.hazards)


def _pictures(matrix: MatrixAudit) -> Iterator[str]:
    from ..output.plots import loss_function_figure
    from .pictures import MOST_MAPPED_STATES, matrix_figure

    if matrix.structure.n <= MOST_MAPPED_STATES:
        figure = matrix_figure(matrix.loss.matrix, matrix.states)
        yield html_pages.picture(figure, f"{matrix.name}: the matrix; dots are zeros")
    yield html_pages.picture(loss_function_figure(matrix.loss), f"{matrix.name}: the loss function L")


def _leakage_picture(audit: Audit) -> str:
    from ..output.plots import leakage_figure

    curves = {kind.upper(): [best.level for best in getattr(audit.population, kind)] for kind in ("bpl", "fpl", "tpl")}
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
    yield html_pages.paragraph(ULPS)
