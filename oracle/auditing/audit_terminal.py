"""An audit on the screen: what was found in sentences, then tables, then the hazards for doubles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..output.sheets import Cell, Sheet, level_cell, numerals
from ..reference import Level
from ..wire.values import KINDS
from .audit import TABLE_LEVELS, Audit, MatrixAudit, UserAudit
from .audit_text import (
    EXACT_NOTE,
    RECURSIONS_NOTE,
    USER_COLUMNS,
    critical_text,
    facts,
    level_text,
    listed,
    names_text,
    number_text,
    state_text,
    times_text,
    user_row,
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

MOST_DETAILED = 6
"""Matrices told in full on the screen; of more than these only the overview is shown."""

MOST_TOLD_PIECES, MOST_TIMES, MOST_USERS = 20, 25, 25
"""Pieces, times and users in a table on the screen."""

ULPS_NOTE = "In units in the last place of the double at the truth. UNSAFE: more privacy is promised than there is."


def told_users(audit: Audit, most: int | None) -> list[UserAudit]:
    """Return at most so many users, in order, the worst in each quantity among them. None: all of them."""
    if most is None or len(audit.users) <= most:
        return list(audit.users)
    leading = [worst for kind in KINDS for worst in (audit.worst(kind), audit.worst_supremum(kind))]
    leading += [worst for worst in (audit.critical, audit.constant) if worst is not None]
    names = {worst.names[0] for worst in leading}
    others = [user.name for user in audit.users if user.name not in names]
    names |= set(others[: most - len(names)])
    return [user for user in audit.users if user.name in names]


def _left(audit: Audit, told: Sequence[UserAudit]) -> tuple[str, ...]:
    left = len(audit.users) - len(told)
    return (f"{left} more users: --csv, --json or --html",) if left else ()


def users_sheet(audit: Audit, digits: int, most: int | None = None) -> Sheet:
    """Return a row for each user."""
    told = told_users(audit, most)
    rows: list[list[Cell]] = [[*user_row(user, digits)] for user in told]
    title = f"Users: {len(audit.epsilons)} releases, and {level_text(audit.greatest, digits)} for ever"
    return Sheet(title, USER_COLUMNS, rows, (RECURSIONS_NOTE, *_left(audit, told)))


def users_csv(audit: Audit, digits: int) -> Sheet:
    """Return the same for --csv: a level has its exact text and its ends; all three are empty where there is none."""
    rows: list[list[Cell]] = []
    for user in audit.users:
        worst = user.worst["tpl"]
        levels = (worst.level, user.suprema["tpl"], user.critical, user.constant)
        tpl, for_ever, critical, constant = (_or_empty(level, digits) for level in levels)
        rows.append([user.name, tpl, " ".join(map(str, worst.times)), for_ever, critical, constant])
    return Sheet("", ("user", "worst TPL", "times", "TPL for ever", "without bound from", "budget for ever"), rows)


def _or_empty(level: Level | None, digits: int) -> Cell:
    return {"exact": "", "lower": "", "upper": ""} if level is None else level_cell(level, digits)


def worst_sheet(audit: Audit, digits: int) -> Sheet:
    """Return the worst user for each quantity."""
    total = len(audit.users)
    rows: list[list[Cell]] = []
    for kind in KINDS:
        worst = audit.worst(kind)
        place = f"worst {kind.upper()}, {times_text(worst.times)}"
        rows.append([place, level_text(worst.level, digits), names_text(worst.names, total)])
    for kind in KINDS:
        limit = audit.worst_supremum(kind)
        rows.append([f"{kind.upper()} for ever", level_text(limit.level, digits), names_text(limit.names, total)])
    if (critical := audit.critical) is not None:
        text = names_text(critical.names, total)
        rows.append(["least budget without bound", level_text(critical.level, digits), text])
    if (constant := audit.constant) is not None:
        text = names_text(constant.names, total)
        rows.append(["least budget for ever", level_text(constant.level, digits), text])
    return Sheet("Worst users", ("quantity", "level", "user"), rows)


def overview_sheet(audit: Audit, digits: int, most: int | None = None) -> Sheet:
    """Return a row for each matrix, or for the matrices of the users that are told."""
    told = {user.name for user in told_users(audit, most)}
    rows: list[list[Cell]] = [
        [
            matrix.name,
            matrix.structure.n,
            matrix.structure.zeros,
            "yes" if matrix.structure.is_irreducible else "no",
            number_text(matrix.loss.slope_at_zero, digits),
            level_text(matrix.loss.at_infinity, digits),
            len(matrix.loss.pieces),
            len(matrix.hazards),
        ]
        for matrix in audit.matrices
        if any(name in told for name, _ in matrix.used_as)
    ]
    columns = ("matrix", "states", "zeros", "irreducible", "L'(0)", "L(∞)", "pieces", "hazards")
    return Sheet("Matrices", columns, rows)


def matrix_sheets(matrix: MatrixAudit, digits: int) -> Iterator[Sheet]:
    """Yield the tables of one matrix: its facts, the pieces of L, values of L, and doubles."""
    yield facts_sheet(matrix, digits)
    yield pieces_sheet(matrix, digits, MOST_TOLD_PIECES)
    yield values_sheet(matrix, digits)
    if matrix.measurements is not None:
        yield from doubles_sheets(matrix.measurements)


def facts_sheet(matrix: MatrixAudit, digits: int) -> Sheet:
    """Return what the matrix is like."""
    rows: list[list[Cell]] = [[name, value] for name, value in facts(matrix, digits)]
    return Sheet(f"Matrix: {matrix.name}", ("fact", "value"), rows)


def pieces_sheet(matrix: MatrixAudit, digits: int, most: int | None = None) -> Sheet:
    """Return the pieces of L with their rows and columns."""
    rows: list[list[Cell]] = []
    for piece in matrix.loss.pieces[:most]:
        start, stop = piece.domain
        witness = piece.witness
        rows.append(
            [
                *(level_text(end, digits) for end in (start, stop)),
                *(number_text(value, digits) for value in (piece.q, piece.d)),
                "all equal" if witness is None else _pair(matrix, witness.row_q, witness.row_d),
                "" if witness is None else listed([index + 1 for index in witness.indices]),
            ]
        )
    count = len(matrix.loss.pieces)
    left = count - len(rows)
    notes = (f"{left} more: --json or --html",) if left else ()
    title = "Loss function: log((q(e^α − 1) + 1)/(d(e^α − 1) + 1)) on each piece"
    return Sheet(title, ("from", "to", "q", "d", "rows", "columns"), rows, notes)


def _pair(matrix: MatrixAudit, row_q: int, row_d: int) -> str:
    return f"{state_text(matrix, row_q)} / {state_text(matrix, row_d)}"


def values_sheet(matrix: MatrixAudit, digits: int) -> Sheet:
    """Return L at a few levels."""
    levels = [*zip(TABLE_LEVELS, matrix.values, strict=True), ("inf", matrix.loss.at_infinity)]
    rows: list[list[Cell]] = [[alpha, level_text(value, digits)] for alpha, value in levels]
    return Sheet("Values of L", ("alpha", "L(alpha)"), rows, (numerals(digits),))


def doubles_sheets(measured: MatrixMeasurements) -> Iterator[Sheet]:
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
            yield Sheet(title, (measurements[0].name, "where", column, *methods), rows, (ULPS_NOTE,))


def leakage_sheet(audit: Audit, digits: int) -> Sheet:
    """Return the leakage over time: one user's, or at each time the worst user's."""
    several, count = len(audit.users) > 1, len(audit.epsilons)
    times = _some_times(count, {time for kind in KINDS for time in audit.worst(kind).times[:1]})
    rows: list[list[Cell]] = []
    for time in times:
        row: list[Cell] = [time, level_text(audit.epsilons[time - 1], digits)]
        names: list[Cell] = []
        for kind in KINDS:
            best = getattr(audit.population, kind)[time - 1]
            row.append(level_text(best.level, digits))
            names.append(names_text(best.attained_by, len(audit.users)))
        rows.append([*row, *names] if several else row)
    headings = ["time", "budget", *(kind.upper() for kind in KINDS)]
    headings += [f"{kind.upper()} of" for kind in KINDS] if several else []
    left = count - len(times)
    notes = (RECURSIONS_NOTE, *((f"{left} times are left out: --json has them",) if left else ()))
    return Sheet(f"Leakage over time: {count} releases", tuple(headings), rows, notes)


def _some_times(count: int, wanted: Iterable[int]) -> list[int]:
    if count <= MOST_TIMES:
        return list(range(1, count + 1))
    steps = MOST_TIMES - 5
    spread = {1 + round(step * (count - 1) / steps) for step in range(steps + 1)}
    return sorted(spread | set(wanted))


def suprema_sheet(audit: Audit, digits: int, most: int | None = None) -> Sheet:
    """Return what leakage rises to under the greatest budget kept up for ever."""
    told = told_users(audit, most)
    rows: list[list[Cell]] = []
    states = {owner: matrix for matrix in audit.matrices for owner in matrix.used_as}
    for user in told:
        for role, found in user.ruling.items():
            kind = "BPL" if role == "backward" else "FPL"
            matrix, witness = states[user.name, role], found.witness
            rows.append(
                [
                    user.name,
                    kind if len(user.ruling) > 1 else f"{kind} and TPL",
                    level_text(found.level, digits),
                    *(number_text(value, digits) for value in (found.q, found.d)),
                    "all equal" if witness is None else _pair(matrix, witness.row_q, witness.row_d),
                    critical_text(matrix.critical, digits),
                ]
            )
        if len(user.ruling) != 1:
            boundary = critical_text(user.critical, digits)
            rows.append([user.name, "TPL", level_text(user.suprema["tpl"], digits), "", "", "", boundary])
    title = f"For ever: {level_text(audit.greatest, digits)} at every release"
    return Sheet(
        title,
        ("user", "", "supremum", "q", "d", "rows", "without bound"),
        rows,
        (numerals(digits), *_left(audit, told)),
    )


def budgets_sheet(audit: Audit, digits: int, most: int | None = None) -> Sheet:
    """Return the budgets that keep TPL within α: for ever, and over the horizon."""
    told = told_users(audit, most)
    places = list(dict.fromkeys(place for user in audit.users for place in user.schedule))
    rows: list[list[Cell]] = []
    for user in told:
        constant = "none" if user.constant is None else level_text(user.constant, digits)
        rows.append([user.name, constant, *(_budget(user.schedule, place, digits) for place in places)])
    if len(audit.users) > 1 and audit.constant is not None:
        shared = audit.shared_schedule()
        row = [level_text(audit.constant.level, digits), *(_budget(shared, place, digits) for place in places)]
        rows.append(["all of them", *row])
    horizon = len(audit.epsilons)
    title = f"Budgets that keep TPL within {level_text(audit.alpha, digits)}: for ever, and over {horizon} releases"
    refused: dict[str, list[str]] = {}
    for user in audit.users:
        if user.refusal:
            refused.setdefault(user.refusal, []).append(user.name)
    notes = (f"{names_text(names, len(audit.users))}: {refusal}" for refusal, names in refused.items())
    return Sheet(title, ("user", "for ever", *places), rows, (numerals(digits), *notes, *_left(audit, told)))


def exact_sheet(audit: Audit, digits: int, most: int | None = None) -> Sheet:
    """Return the recursions' bounds and the exact worst case side by side."""
    told = told_users(audit, most)
    rows: list[list[Cell]] = []
    for user in told:
        if user.exact is not None:
            constants = (user.constant, user.exact.constant)
            rows.append(
                [
                    user.name,
                    *(level_text(level, digits) for level in (user.worst["tpl"].level, user.exact.tpl)),
                    *(level_text(level, digits) for level in (user.suprema["tpl"], user.exact.for_ever)),
                    *("none" if level is None else level_text(level, digits) for level in constants),
                ]
            )
    names = ("worst TPL", "TPL for ever", "budget for ever")
    columns = ("user", *(f"{name}{how}" for name in names for how in (", bound", ", exact")))
    return Sheet(
        "The paper's bounds and the exact worst case",
        columns,
        rows,
        (numerals(digits), EXACT_NOTE, *_left(audit, told)),
    )


def _budget(schedule: Mapping[str, Level], place: str, digits: int) -> str:
    return level_text(schedule[place], digits) if place in schedule else "none"


def hazard_lines(owner: str, hazards: Sequence[Hazard]) -> Iterator[str]:
    """Yield the hazards of one matrix or user as lines of text."""
    if not hazards:
        yield f"Hazards for doubles, {owner}: none shows in what was tried."
        return
    yield f"Hazards for doubles, {owner}"
    for number, hazard in enumerate(hazards, 1):
        yield f"  {number}. {hazard.name}{', UNSAFE' if hazard.unsafe else ''}: {hazard.title}"
        yield f"     why: {hazard.why}"
        for text in (*hazard.facts, *map(str, hazard.measured)):
            yield f"     - {text}"
        yield f"     instead: {hazard.instead}"
        for each in hazard.repaired:
            yield f"     - {each}"


def blocks(audit: Audit, digits: int) -> Iterator[Sheet | list[str]]:
    """Yield the report in order: tables, and hazards as lines."""
    several = len(audit.users) > 1
    if several:
        yield users_sheet(audit, digits, MOST_USERS)
        yield worst_sheet(audit, digits)
    yield leakage_sheet(audit, digits)
    yield suprema_sheet(audit, digits, MOST_USERS)
    yield budgets_sheet(audit, digits, MOST_USERS)
    if audit.users[0].exact is not None:
        yield exact_sheet(audit, digits, MOST_USERS)
    if len(audit.matrices) > 1:
        yield overview_sheet(audit, digits, MOST_USERS)
    for matrix in audit.matrices[:MOST_DETAILED]:
        yield from matrix_sheets(matrix, digits)
        if matrix.measurements is not None:
            yield list(hazard_lines(matrix.name, matrix.hazards))
    for user in audit.users[:MOST_DETAILED]:
        if user.hazards:
            yield list(hazard_lines(user.name, user.hazards))
    left = [*audit.left_out]
    if len(audit.matrices) > MOST_DETAILED:
        left.append(f"the details of {len(audit.matrices) - MOST_DETAILED} matrices on the screen: --json has them")
    if left:
        yield ["Left out", *(f"  - {what}" for what in left)]
