"""An audit as a document, the same on a terminal and as a page: what to conclude, then tables, hazards and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..models.basis import Basis
from ..models.model import Model
from ..models.paper_bound import PaperBound
from ..output.documents import Block, Listing, ListItem, Marked, Picture, ReportDocument, Section, Sentence
from ..output.plots import leakage_figure, loss_function_figure
from ..output.sheets import Cell, Conclusion, Grid, Heading, Output, Sheet, divided_note
from ..wire.strict_json import Object
from ..wire.values import KINDS
from .audit import TABLE_LEVELS, Audit, MatrixAudit, UserAudit, Worst
from .audit_text import (
    critical_text,
    facts,
    findings,
    listed,
    names_text,
    number_text,
    state_text,
    times_text,
)
from .comparison import double_text, nearest
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
    """How much a document holds: users and pieces in a table, None for all; matrices told in full, and those drawn.

    elsewhere: where the rest is.
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
    """An audit, how its levels are written, and how much of it is told."""

    audit: Audit
    output: Output
    extent: ReportExtent

    def document(self, conclusion: Conclusion) -> ReportDocument:
        """Return the document."""
        names = [user.name for user in self.audit.users]
        title = f"Audit of {', '.join(names[:3])}" + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        return ReportDocument(title, conclusion, tuple(self._blocks()), ("UNSAFE", "without bound"))

    def _blocks(self) -> Iterator[Block]:
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
        """Return the users that are told, in order, the worst in each quantity among them; and how many are not."""
        users, most = self.audit.users, self.extent.users
        if most is None or len(users) <= most:
            return list(users), ()
        leading = [
            worst for own in self.audit.everyone.values() for worst in (*own.worst.values(), *own.suprema.values())
        ]
        leading += [worst for worst in (self.audit.critical, *self._constants()) if worst is not None]
        names = set(list(dict.fromkeys(worst.names[0] for worst in leading))[:most])
        others = [user.name for user in users if user.name not in names]
        names |= set(others[: most - len(names)])
        told = [user for user in users if user.name in names]
        return told, (f"{len(users) - len(told)} more users: --csv, --json or --html",)

    def _constants(self) -> list[Worst | None]:
        return [own.constant for own in self.audit.everyone.values()]

    def _budget_at_all_times(self) -> str:
        return f"{self.output.words(self.audit.greatest)} at every release"

    def _by_model(self, users: Iterable[UserAudit]) -> Iterator[tuple[UserAudit, Model]]:
        return ((user, model) for user in users for model in self.audit.models)

    def _cell(self, worst: Worst | None) -> Cell:
        return "none" if worst is None else self.output.level(worst.level)

    def _users(self) -> Sheet:
        """Return what each user may expect by each model."""
        told, left = self._told()
        rows: list[list[Cell]] = []
        for user, model in self._by_model(told):
            own = user.models[model.key]
            worst = own.worst["tpl"]
            times = times_text(worst.times).partition(" ")[2]
            rows.append([user.name, model.title, self._cell(worst), times, *map(self._cell, own.suprema.values())])
        columns = ("user", "model", "worst\nTPL", "at\ntime", *(f"supremum\nof {kind.upper()}" for kind in KINDS))
        title = f"TPL of {len(self.audit.epsilons)} releases; suprema with {self._budget_at_all_times()}"
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
        """Return by which piece of L the paper's bound rises to its suprema, and from which budget on without bound."""
        told, left = self._told()
        matrices = {owner: matrix for matrix in self.audit.matrices for owner in matrix.used_as}
        rows: list[list[Cell]] = []
        for user in told:
            for role, found in user.ruling.items():
                matrix, witness = matrices[user.name, role], found.witness
                pair = "all equal" if witness is None else _pair(matrix, witness.row_q, witness.row_d)
                numbers = (number_text(value, self.output) for value in (found.q, found.d))
                boundary = critical_text(matrix.critical, self.output)
                rows.append([user.name, "BPL" if role == "backward" else "FPL", *numbers, pair, boundary])
        title = f"How the paper's bound arises: suprema with {self._budget_at_all_times()}"
        return Sheet(title, ("user", "", "q", "d", "rows", "infinite"), rows, left)

    def _overview(self) -> Sheet:
        """Return a row for each matrix of the users that are told."""
        told = {user.name for user in self._told()[0]}
        rows: list[list[Cell]] = [
            [
                matrix.name,
                matrix.structure.n,
                matrix.structure.zeros,
                "yes" if matrix.structure.is_irreducible else "no",
                number_text(matrix.loss.slope_at_zero, self.output),
                self.output.level(matrix.loss.at_infinity),
                len(matrix.loss.pieces),
                len(matrix.hazards),
            ]
            for matrix in self.audit.matrices
            if any(name in told for name, _ in matrix.used_as)
        ]
        columns = ("matrix", "states", "zeros", "irreducible", "L'(0)", "L(∞)", "pieces", "hazards")
        return Sheet("Matrices", columns, rows)

    def _matrix(self, matrix: MatrixAudit, drawn: bool) -> Iterator[Block]:
        """Yield what there is to know of one matrix: facts, the pieces of L, values of L, doubles and hazards."""
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
        pieces = matrix.loss.pieces
        rows: list[list[Cell]] = []
        for piece in pieces[: self.extent.pieces]:
            witness = piece.witness
            rows.append(
                [
                    *map(self.output.level, piece.domain),
                    *(number_text(value, self.output) for value in (piece.q, piece.d)),
                    "all equal" if witness is None else _pair(matrix, witness.row_q, witness.row_d),
                    "" if witness is None else listed([index + 1 for index in witness.indices]),
                ]
            )
        notes = (f"{len(pieces) - len(rows)} more: --json or --html",) if len(rows) < len(pieces) else ()
        title = "Loss function: log((q(e^α − 1) + 1)/(d(e^α − 1) + 1)) on each piece"
        return Sheet(title, ("from", "to", "q", "d", "rows", "columns"), rows, notes)


def document_of(audit: Audit, basis: Basis, output: Output, extent: ReportExtent) -> ReportDocument:
    """Return an audit as a document. Args: basis, what it rests on."""
    return Report(audit, output, extent).document(conclusion_of(audit, basis, output))


def conclusion_of(audit: Audit, basis: Basis, output: Output) -> Conclusion:
    """Return what to conclude, a line each, and what it rests on."""
    return Conclusion("\n".join(findings(audit, output)), basis)


def users_csv(audit: Audit, output: Output) -> Sheet:
    """Return a row for each user, for --csv: a level has its exact text and its ends; all empty where there is none."""
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


def _pair(matrix: MatrixAudit, row_q: int, row_d: int) -> str:
    return f"{state_text(matrix, row_q)} / {state_text(matrix, row_d)}"


def _some_times(count: int, wanted: Iterable[int]) -> list[int]:
    if count <= MOST_TIMES:
        return list(range(1, count + 1))
    steps = MOST_TIMES - 7
    spread = {1 + round(step * (count - 1) / steps) for step in range(steps + 1)}
    return sorted(spread | set(wanted))


def _doubles(measured: MatrixMeasurements) -> Iterator[Marked]:
    """Yield what each method in doubles made of each question about L, and about the supremum where one is asked."""
    for title, column, measurements, methods in (
        ("L in doubles", "L(α)", measured.losses, (ALGORITHM_1, ALGORITHM_3, CAREFUL)),
        ("Supremum in doubles", "supremum", measured.suprema, (FIRST_STEP_PAIR, RIGHT_PAIR, ITERATION)),
    ):
        rows: list[list[Cell]] = [
            [
                double_text(measurement.given),
                measurement.note,
                f"{nearest(measurement.truth):.6g}",
                *(measurement.comparisons[method].short for method in methods),
            ]
            for measurement in measurements
        ]
        if rows:
            columns = (measurements[0].name, "where", column, *(method.replace("11, ", "11,\n") for method in methods))
            yield Marked(Sheet(title, columns, rows, (ULPS_NOTE,)), tuple(map(_kind, rows)))


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
