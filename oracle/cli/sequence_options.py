"""The options that say what was seen: sequences, a log of visits, or counts of them, handed over as one object."""

from __future__ import annotations

from dataclasses import dataclass

import click

from ..data.logs import LogColumns, count_log_file
from ..data.sequences import SEPARATORS, count_file
from ..output.progress import patience
from ..reference import InvalidRequest, TransitionCounts
from .options import Decorator, handing


@dataclass(frozen=True, slots=True)
class Observed:
    """A file of sequences, or of visits where columns are named."""

    path: str
    separator: str | None
    columns: LogColumns | None

    def counts(self) -> TransitionCounts:
        """Count its transitions, with progress on a terminal. Raises: as `count_file` and `count_log_file`."""
        with patience("reading sequences") as progress:
            if self.columns is not None:
                return count_log_file(self.path, self.columns, progress, self.separator)
            return count_file(self.path, progress, self.separator)


def observed_options() -> Decorator:
    """Add FILE, --separator, --user, --time and --state; hand over `observed`."""

    def make(
        file: str, separator: str | None, user: str | None, time: str | None, state: str | None
    ) -> dict[str, object]:
        columns = None
        if (user, time, state) != (None, None, None):
            if user is None or time is None or state is None:
                raise InvalidRequest("--user, --time and --state belong together: each names a column of the log")
            columns = LogColumns(user, time, state)
        return {"observed": Observed(file, separator, columns)}

    marks = f"What names, or the columns of a log, are apart by: {', '.join(SEPARATORS)}, or the mark itself."
    return handing(
        make,
        click.argument("file"),
        click.option("--separator", metavar="MARK", help=marks),
        click.option("--user", metavar="COLUMN", help="FILE is a log with a visit a line: the column of users,"),
        click.option("--time", metavar="COLUMN", help="of times, numbers or ISO 8601, by which visits are sorted,"),
        click.option("--state", metavar="COLUMN", help="and of states."),
    )
