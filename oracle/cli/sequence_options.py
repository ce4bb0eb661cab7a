"""The options that say what was seen: sequences, a log of visits, or counts of them, handed over as one object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from ..data.doubt import READINGS, REFUSE, USUAL, Readings
from ..data.files import Files
from ..data.fit import Fit, Observations
from ..data.logs import LogColumns
from ..data.matrices import AS_COUNTS
from ..data.sequences import SEPARATORS, count_file
from ..data.steps import ERROR, GAPS, Duration, Steps, steps_of
from ..data.visit_counts import count_log_file
from ..output.progress import patience
from ..reference import InvalidRequest, TransitionCounts
from .declared import argument, group, option
from .options import reading_choices

DROP = "drop"


@dataclass(frozen=True, slots=True)
class Observed:
    """Files of sequences, or of visits where columns are named, or tables of counts."""

    paths: tuple[str, ...]
    separator: str | None
    columns: LogColumns | None
    is_table: bool
    steps: Steps
    readings: Readings = USUAL

    @property
    def path(self) -> str:
        """The one file. Raises: InvalidRequest where there are several."""
        if len(self.paths) > 1:
            raise InvalidRequest(f"{len(self.paths)} files, but only logs of visits may be several files: give one")
        return self.paths[0]

    def counts(self, seen: Observations | None = None) -> tuple[TransitionCounts, Duration | None, Fit | None]:
        """Count the transitions of the one file, with progress on a terminal; of a log a note says its spacing.

        Args: seen, notes each user.
        Returns: the counts, the length of a step, and whether the chain fits, where these are known.
        Raises: as `count_file`, `count_log_file` and `Files.counts`.
        """
        seen = Observations() if seen is None else seen
        if self.is_table:
            return Files(entries=AS_COUNTS, readings=self.readings).counts(self.path), None, None
        with patience("reading sequences") as progress:
            if self.columns is not None:
                found = count_log_file(
                    self.path, self.columns, progress, self.separator, self.steps, readings=self.readings, seen=seen
                )
            else:
                counts = count_file(self.path, progress, self.separator, self.readings, seen)
                return counts, None, seen.verdict()
        if not found.spacings.has_warned(self.steps):
            click.echo(f"note: {found.spacings.told(found.in_seconds, self.steps)}", err=True)
        return found.counts, found.step(self.steps), found.fit


absorbing_option: tuple[str, ...] = option(
    "--absorbing", metavar="STATE", help="A state that is never left, as death or a closed account; repeatable."
)


def observed(
    *,
    file: str | tuple[str, ...],
    separator: str | None,
    count_table: bool,
    user: str | None,
    time: str | None,
    state: str | None,
    step: str | None,
    gaps: str,
    duplicates: str,
    totals: str,
    missing: str,
    comment: str | None,
    header: str,
    ids: str,
) -> Observed:
    """Return what the options of `observed_options` say."""
    columns = None if user is None or time is None or state is None else LogColumns(user, time, state)
    paths = (file,) if isinstance(file, str) else file
    readings = Readings(totals, missing, comment, header, ids)
    return Observed(paths, separator, columns, count_table, steps_of(step, gaps, duplicates == DROP), readings)


def observed_options(several: bool = False) -> Any:
    """Declare FILE, perhaps several, and how it is read: an attribute `observed: Observed`."""
    return group(
        observed,
        (
            "--user, --time and --state belong together: each names a column of the log",
            "--count-table excludes --separator, --user, --time and --state",
            "--step belongs to --user, --time and --state: to a log with times",
        ),
        file=argument(nargs=-1 if several else 1, required=True),
        separator=option(metavar="MARK", help=f"Field separator: {', '.join(SEPARATORS)}, or the separator itself."),
        count_table=option(
            help="Read FILE as a square table of counts: how often the column's state followed the row's."
        ),
        user=option(metavar="COLUMN", help="User column of a log with one visit per line."),
        time=option(metavar="COLUMN", help="Time column of the log, numbers or ISO 8601; visits are sorted by it."),
        state=option(metavar="COLUMN", help="State column of the log."),
        step=option(
            metavar="DURATION", help="Length of one step, as in 15min or 1h; a number where times are numbers."
        ),
        gaps=option(
            type=click.Choice(GAPS),
            default=ERROR,
            show_default=True,
            help="If visits are not one step apart: refuse the log, begin a new sequence, or hold the last value.",
        ),
        duplicates=option(
            type=click.Choice((ERROR, DROP)),
            default=ERROR,
            show_default=True,
            help="If a user has the same visit twice: refuse the log, or drop the second.",
        ),
        **reading_choices,
        header=option(
            type=click.Choice(READINGS),
            default=REFUSE,
            show_default=True,
            help="If the first line of sequences has names seen nowhere else: refuse it, drop it, or count it.",
        ),
        ids=option(
            type=click.Choice(READINGS),
            default=REFUSE,
            show_default=True,
            help="If sequences begin with names seen nowhere else: refuse them, drop that field, or count it.",
        ),
    )
