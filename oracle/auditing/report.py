"""An audit as a document, the same on a terminal and as a page: what to conclude, then tables, hazards and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ..models.basis import Basis
from ..models.model import Model
from ..models.paper_bound import PaperBound
from ..output.documents import Block, Listing, ListItem, Marked, Picture, ReportDocument, Section, Sentence
from ..output.plots import leakage_figure, loss_function_figure
from ..output.sheets import Cell, Conclusion, Grid, Heading, Output, Sheet, divided_note
from ..reference.paper.lfp import Subset
from ..reference.paper.loss import Piece
from ..wire.strict_json import Object
from ..wire.values import KINDS
from .audit import TABLE_LEVELS, Audit, MatrixAudit, UserAudit, Worst
from .audit_text import critical_text, facts, findings, listed, names_text, number_text, state_text, times_text
from .comparison import Measurement, double_text, nearest
from .hazards import Hazard
from .measurements import (
    ALGORITHM_1,
    ALGORITHM_3,
    CAREFUL,
    FIRST_STEP_PAIR,
    ITERATION,
    RIGHT_PAIR,
    MatrixMeasurements,
)
from .pictures import error_figure, matrix_figure

MOST_TIMES = 25
"""Times in a table."""

MOST_MAPPED_STATES = 60
"""Above this many states the matrix is not drawn."""

ULPS_NOTE = "In units in the last place of the double at the truth. UNSAFE: more privacy is promised than there is."


@dataclass(frozen=True, slots=True)
class ReportExtent:
    """The size of a document: users and pieces in a table, None for all; matrices with all details, and with pictures.

    elsewhere: where the document is, for the note on what it leaves out.
    """

    users: int | None
    pieces: int | None
    matrices: int
    pictured: int
    elsewhere: str


SCREEN = ReportExtent(users=25, pieces=20, matrices=6, pictured=0, elsewhere="on the screen")
ON_PAGE = ReportExtent(users=None, pieces=None, matrices=50, pictured=12, elsewhere="on this page")


@dataclass(frozen=True, slots=True)
class Report:
    """An audit, the form of its levels, and the size of the document."""

    audit: Audit
    output: Output
    extent: ReportExtent

    def blocks(self) -> Iterator[Block]:
        """Yield the report after the conclusion."""
        audit, extent = self.audit, self.extent
        if extent.pictured:
            yield from (Sentence(divided_note(name, rows)) for name, rows in self.output.normalised.items())
        yield self._users()
        if len(audit.users) > 1:
            yield self._worst()
        yield self._leakage()
        if extent.pictured:
            yield self._leakage_picture()
        yield self._budgets()
        if PaperBound.key in audit.everyone:
            yield self._ruling()
        if len(audit.matrices) > 1:
            yield self._overview()
        for number, matrix in enumerate(audit.matrices[: extent.matrices]):
            yield Section(f"Matrix: {matrix.name}", tuple(self._matrix(matrix, number < extent.pictured)))
        for user in audit.users[: extent.matrices]:
            if user.hazards:
                yield _hazards(user.name, user.hazards)
        left = [*audit.left_out]
        if len(audit.matrices) > extent.matrices:
            more = len(audit.matrices) - extent.matrices
            left.append(f"the details of {more} matrices {extent.elsewhere}: --json has them")
        if 0 < extent.pictured < len(audit.matrices):
            left.append(f"pictures of all but the first {extent.pictured} matrices")
        if left:
            yield Listing("Left out", tuple(map(ListItem, left)))

    def _told(self) -> tuple[list[UserAudit], tuple[str, ...]]:
        """Return the users to show, in order, the worst in each quantity among them, and a note on the others."""
        users, most = self.audit.users, self.extent.users
        if most is None or len(users) <= most:
            return list(users), ()
        leading = [
            worst for own in self.audit.everyone.values() for worst in (*own.worst.values(), *own.suprema.values())
        ]
        leading += [worst for worst in (self.audit.critical, *self._constants()) if worst is not None]
        names = set([*dict.fromkeys([*(worst.names[0] for worst in leading), *(user.name for user in users)])][:most])
        told = [user for user in users if user.name in names]
        return told, (f"{len(users) - len(told)} more users: --csv, --json or --html",)

    def _constants(self) -> list[Worst | None]:
        return [own.constant for own in self.audit.everyone.values()]

    @property
    def _constantly(self) -> str:
        return f"suprema with {self.output.words(self.audit.greatest)} at every release"

    def _by_model(self, users: Iterable[UserAudit]) -> Iterator[tuple[UserAudit, Model]]:
        return ((user, model) for user in users for model in self.audit.models)

    def _cell(self, worst: Worst | None) -> Cell:
        return "none" if worst is None else self.output.level(worst.level)

    def _users(self) -> Sheet:
        """Return the leakage of each user by each model."""
        told, left = self._told()
        rows: list[list[Cell]] = []
        for user, model in self._by_model(told):
            own = user.models[model.key]
            worst = own.worst["tpl"]
            times = times_text(worst.times).partition(" ")[2]
            rows.append([user.name, model.title, self._cell(worst), times, *map(self._cell, own.suprema.values())])
        columns = ("user", "model", "worst\nTPL", "at\ntime", *(f"supremum\nof {kind.upper()}" for kind in KINDS))
        title = f"TPL of {len(self.audit.epsilons)} releases; {self._constantly}"
        return Sheet(title, columns, rows, (self.output.numerals, *left))

    def _worst(self) -> Sheet:
        """Return the worst user for each quantity."""
        audit = self.audit
        rows: list[list[Cell]] = []
        for model in audit.models:
            own = audit.everyone[model.key]
            told = [(f"worst {kind.upper()}, {times_text(each.times)}", each) for kind, each in own.worst.items()]
            told += [(f"supremum of {kind.upper()}", each) for kind, each in own.suprema.items()]
            told += [("least constant budget", own.constant)] if own.constant is not None else []
            if model.key == PaperBound.key and audit.critical is not None:
                told.append(("least budget without bound", audit.critical))
            rows += [
                [model.title, what, self.output.words(each.level), names_text(each.names, len(audit.users))]
                for what, each in told
            ]
        return Sheet("Worst users", ("model", "quantity", "level", "user"), rows)

    def _leakage(self) -> Sheet:
        """Return the leakage over time: one user's, or at each time the worst user's."""
        audit, count = self.audit, len(self.audit.epsilons)
        times = _some_times(
            count, {time for own in audit.everyone.values() for each in own.worst.values() for time in each.times[:1]}
        )
        grid = Grid(len(times))
        grid.add("time", times)
        grid.add("budget", (self.output.level(audit.epsilons[time - 1]) for time in times))
        for model in audit.models:
            leakage = audit.everyone[model.key].leakage
            for kind in KINDS:
                grid.add(Heading.of(model, kind.upper()), (self._cell(leakage[kind][time - 1]) for time in times))
            if len(audit.users) > 1:
                names = (names_text(leakage["tpl"][time - 1].names, len(audit.users)) for time in times)
                grid.add(Heading.of(model, "TPL of"), names)
        left = (f"{count - len(times)} times are left out: --json has them",) if len(times) < count else ()
        return grid.sheet(f"Leakage over time: {count} releases", self.output.numerals, *left)

    def _leakage_picture(self) -> Picture:
        audit = self.audit
        curves = {
            f"{kind.upper()}, {model.title}": [worst.level for worst in audit.everyone[model.key].leakage[kind]]
            for model in audit.models
            for kind in KINDS
        }
        whose = "the worst user's at each time" if len(audit.users) > 1 else audit.users[0].name
        panels = {f"{len(audit.epsilons)} releases": curves}
        return Picture(f"Leakage over time: {whose}", lambda: leakage_figure(panels))

    def _budgets(self) -> Sheet:
        """Return the budgets that keep TPL within α: over an infinite horizon, and over that of the schedule."""
        audit, (told, left) = self.audit, self._told()
        found = [(user.name, user.models) for user in told]
        if len(audit.users) > 1 and None not in self._constants():
            found.append(("all of them", audit.everyone))
        of_all = [own for _, models in found for own in models.values()]
        places = list(dict.fromkeys(place for own in of_all for place in own.schedule))
        rows: list[list[Cell]] = []
        for name, models in found:
            for model in audit.models:
                own = models[model.key]
                cells = [own.constant, *(own.schedule.get(place) for place in places)]
                rows.append([name, model.title, *map(self._cell, cells)])
        columns = [Heading(text, "", is_budget=True) for text in ("infinite\nhorizon", *places)]
        horizon = len(audit.epsilons)
        alpha = self.output.words(audit.alpha)
        title = f"Budgets that keep TPL within {alpha}: over an infinite horizon, and over {horizon} releases"
        refused: dict[str, list[str]] = {}
        for user, model in self._by_model(audit.users):
            if refusal := user.models[model.key].refusal:
                refused.setdefault(f"{model.title}: {refusal}", []).append(user.name)
        notes = [f"{names_text(names, len(audit.users))}, {refusal}" for refusal, names in refused.items()]
        return Sheet(title, ("user", "model", *columns), rows, (self.output.numerals, *notes, *left))

    def _ruling(self) -> Sheet:
        """Return the piece of L that attains the paper's bound, and the budget from which its suprema are infinite."""
        told, left = self._told()
        matrices = {owner: matrix for matrix in self.audit.matrices for owner in matrix.used_as}
        rows: list[list[Cell]] = []
        for user in told:
            for role, found in user.ruling.items():
                matrix = matrices[user.name, role]
                numbers = (number_text(value, self.output) for value in (found.q, found.d))
                row: list[Cell] = [user.name, "BPL" if role == "backward" else "FPL", *numbers]
                rows.append([*row, _pair(matrix, found.witness), critical_text(matrix.critical, self.output)])
        title = f"How the paper's bound arises: {self._constantly}"
        return Sheet(title, ("user", "", "q", "d", "rows", "infinite"), rows, left)

    def _overview(self) -> Sheet:
        """Return a row for each matrix of the users that are shown."""
        told = {user.name for user in self._told()[0]}
        matrices = [each for each in self.audit.matrices if any(name in told for name, _ in each.used_as)]
        columns: dict[str, Callable[[MatrixAudit], Cell]] = {
            "matrix": lambda matrix: matrix.name,
            "states": lambda matrix: matrix.structure.n,
            "zeros": lambda matrix: matrix.structure.zeros,
            "irreducible": lambda matrix: "yes" if matrix.structure.is_irreducible else "no",
            "L'(0)": lambda matrix: number_text(matrix.loss.slope_at_zero, self.output),
            "L(∞)": lambda matrix: self.output.level(matrix.loss.at_infinity),
            "pieces": lambda matrix: len(matrix.loss.pieces),
            "hazards": lambda matrix: len(matrix.hazards),
        }
        return Sheet.of("Matrices", matrices, columns)

    def _matrix(self, matrix: MatrixAudit, drawn: bool) -> Iterator[Block]:
        """Yield the details of one matrix: facts, pieces and values of L, measurements in doubles, hazards."""
        output = self.output
        yield Sheet("Facts", ("fact", "value"), [[name, value] for name, value in facts(matrix, output)])
        if drawn and len(matrix.used_as) > 1:
            yield Sentence("Used as " + "; ".join(f"{user}, {role}" for user, role in matrix.used_as) + ".")
        if drawn and matrix.structure.n <= MOST_MAPPED_STATES:
            rows = matrix.loss.matrix
            yield Picture(f"{matrix.name}: the matrix; dots are zeros", lambda: matrix_figure(rows, matrix.states))
        if drawn:
            yield Picture(f"{matrix.name}: the loss function L", lambda: loss_function_figure(matrix.loss))
        yield self._pieces(matrix)
        levels = [*zip(TABLE_LEVELS, matrix.values, strict=True), ("inf", matrix.loss.at_infinity)]
        values: list[list[Cell]] = [[alpha, output.level(value)] for alpha, value in levels]
        yield Sheet("Values of L", ("alpha", "L(alpha)"), values, (output.numerals,))
        measured = matrix.measurements
        if measured is not None:
            if drawn and measured.curve:
                caption = f"Error of L in doubles: {matrix.name}; unsafe below the middle"
                yield Picture(caption, lambda: error_figure(measured.curve))
            yield from _doubles(measured)
            yield _hazards(matrix.name, matrix.hazards)

    def _pieces(self, matrix: MatrixAudit) -> Sheet:
        """Return the pieces of L with their rows and columns."""
        pieces = matrix.loss.pieces[: self.extent.pieces]
        columns: dict[str, Callable[[Piece], Cell]] = {
            "from": lambda piece: self.output.level(piece.domain[0]),
            "to": lambda piece: self.output.level(piece.domain[1]),
            "q": lambda piece: number_text(piece.q, self.output),
            "d": lambda piece: number_text(piece.d, self.output),
            "rows": lambda piece: _pair(matrix, piece.witness),
            "columns": lambda piece: listed([index + 1 for index in piece.witness.indices]) if piece.witness else "",
        }
        more = len(matrix.loss.pieces) - len(pieces)
        notes = (f"{more} more: --json or --html",) if more else ()
        return Sheet.of("Loss function: log((q(e^α − 1) + 1)/(d(e^α − 1) + 1)) on each piece", pieces, columns, *notes)


def document_of(audit: Audit, basis: Basis, output: Output, extent: ReportExtent) -> ReportDocument:
    """Return an audit as a document. Args: basis, its assumptions."""
    names = [user.name for user in audit.users]
    title = f"Audit of {', '.join(names[:3])}" + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    blocks = tuple(Report(audit, output, extent).blocks())
    return ReportDocument(title, conclusion_of(audit, basis, output), blocks, ("UNSAFE", "without bound"))


def conclusion_of(audit: Audit, basis: Basis, output: Output) -> Conclusion:
    """Return the conclusion, a sentence a line, and its assumptions."""
    return Conclusion("\n".join(findings(audit, output)), basis)


def users_csv(audit: Audit, output: Output) -> Sheet:
    """Return a row for each user, for --csv; a level has its exact text and its ends, empty if there is no level."""
    columns: list[str | Heading] = ["user"]
    for model in audit.models:
        keys = ["worst_tpl", "times", "tpl_supremum", "constant_budget"]
        keys += ["without_bound_from"] if model.key == PaperBound.key else []
        columns += [Heading("", f"{model.key}_{key}") for key in keys]
    rows: list[list[Cell]] = []
    for user in audit.users:
        row: list[Cell] = [user.name]
        for model in audit.models:
            own = user.models[model.key]
            worst = own.worst["tpl"]
            row += [output.level(worst.level), " ".join(map(str, worst.times)), output.level(own.suprema["tpl"].level)]
            levels = [None if own.constant is None else own.constant.level]
            levels += [user.critical] if model.key == PaperBound.key else []
            row += [_NO_LEVEL if level is None else output.level(level) for level in levels]
        rows.append(row)
    return Sheet("", tuple(columns), rows)


_NO_LEVEL: Object = {"exact": "", "lower": "", "upper": ""}


def _pair(matrix: MatrixAudit, witness: Subset | None) -> str:
    if witness is None:
        return "all equal"
    return f"{state_text(matrix, witness.row_q)} / {state_text(matrix, witness.row_d)}"


def _some_times(count: int, wanted: Iterable[int]) -> list[int]:
    if count <= MOST_TIMES:
        return list(range(1, count + 1))
    steps = MOST_TIMES - 7
    spread = {1 + round(step * (count - 1) / steps) for step in range(steps + 1)}
    return sorted(spread | set(wanted))


def _doubles(measured: MatrixMeasurements) -> Iterator[Marked]:
    """Yield the answers in doubles of each method to each question about L, and about the supremum if there is one."""
    for title, column, measurements, methods in (
        ("L in doubles", "L(α)", measured.losses, (ALGORITHM_1, ALGORITHM_3, CAREFUL)),
        ("Supremum in doubles", "supremum", measured.suprema, (FIRST_STEP_PAIR, RIGHT_PAIR, ITERATION)),
    ):
        if measurements:
            columns: dict[str, Callable[[Measurement], Cell]] = {
                measurements[0].name: lambda own: double_text(own.given),
                "where": lambda own: own.note,
                column: lambda own: f"{nearest(own.truth):.6g}",
                **{method.replace("11, ", "11,\n"): partial(_short, method) for method in methods},
            }
            sheet = Sheet.of(title, measurements, columns, ULPS_NOTE)
            yield Marked(sheet, tuple(map(_kind, sheet.rows)))


def _short(method: str, measurement: Measurement) -> str:
    return measurement.comparisons[method].short


def _kind(row: Sequence[Cell]) -> str:
    """Mark a row with an unsafe answer, or with an answer that is no number."""
    texts = [cell for cell in row if isinstance(cell, str)]
    return "bad" if any("UNSAFE" in text for text in texts) else "warn" if "nan" in texts else ""


def _hazards(owner: str, hazards: Sequence[Hazard]) -> Block:
    """Return the hazards of one matrix or user."""
    if not hazards:
        return Sentence(f"Hazards for doubles, {owner}: none was found at the levels and budgets tried.")
    items = [
        ListItem(
            f"{hazard.name}{', UNSAFE' if hazard.unsafe else ''}: {hazard.title}",
            (
                ListItem(f"why: {hazard.why}", tuple(map(ListItem, (*hazard.facts, *map(str, hazard.measured))))),
                ListItem(f"instead: {hazard.instead}", tuple(ListItem(str(each)) for each in hazard.repaired)),
            ),
            "bad" if hazard.unsafe else "",
        )
        for hazard in hazards
    ]
    return Listing(f"Hazards for doubles, {owner}", tuple(items), numbered=True)
