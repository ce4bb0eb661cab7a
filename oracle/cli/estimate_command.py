"""`tploracle estimate`: both correlations from sequences that were seen, or from counts of their transitions."""

from __future__ import annotations

from fractions import Fraction

import click

from ..contract.limits import check_smoothed_counts
from ..contract.operations import estimated_from
from ..data.alternatives import BY, HOUR
from ..data.estimates import Estimate, observed_value, with_absorbing
from ..data.files import ROLES, named
from ..models.basis import TIME_HOMOGENEOUS
from ..output.sheets import Cell, Output, Sheet, matrix_csv, matrix_sheet, print_words
from ..reference import TransitionCounts
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import counts_value, row_texts, value_of
from .declared import Command, option
from .options import output_options
from .sequence_options import Observed, absorbing_option, observed_options

_TABLE_STATES = 24


class EstimateCommand(Command):
    """Estimate both correlations from sequences: text with one per line, zipped text, JSON, or - for standard input.

    With --user, --time and --state, FILE is a log: CSV with a header, or Parquet. It may also be the JSON that --counts
    writes or, with --count-table, a table of counts in any MATRIX format, which does not say where sequences begin.
    """

    observed: Observed = observed_options()
    smoothing: str | None = option(
        metavar="NUMBER",
        help="Number added to every count; makes rows alike, which lowers the leakage found.  [default: 0; 1/2 with "
        "--histories]",
    )
    absorbing: tuple[str, ...] = absorbing_option
    steps: int | None = option(
        help="Write JSON of both correlations over this many releases to a cohort that begins as the sequences do.",
    )
    order: int | None = option(
        help="2: write the law of a chain of second order as JSON, for leakage and allocate --law; it begins as any "
        "two values of the sequences, with --steps as the sequences themselves do."
    )
    histories: bool = option(
        help="Write the first --steps values of each sequence as JSON, for --law: no chain is assumed."
    )
    per: str | None = option(
        type=click.Choice(BY), help="Write JSON of both correlations with a matrix for each step of the day or week."
    )
    counts: bool = option(help="Write the counts as JSON: a matrix file for the other commands.")
    source: str | None = option(metavar="TEXT", help="With --counts: note where the sequences come from.")
    role: str = option(type=click.Choice(ROLES), default="forward", help="The matrix that --csv writes.")
    output: Output = output_options()

    refused = (
        "--counts excludes --smoothing: it writes the observed counts",
        "--steps excludes --counts and --csv",
        "--per excludes --counts, --csv, --steps, --order, --histories, --absorbing, --role and --source",
        "--order and --histories exclude each other",
        "--order excludes --counts, --csv, --role and --source",
        "--histories excludes --counts, --csv, --role and --source",
        "--order and --histories exclude --count-table: counts of transitions do not say what came before",
    )

    def _run(self) -> None:
        asked = Estimate(
            None if self.smoothing is None else Reader().number(self.smoothing, "--smoothing"),
            self.absorbing,
            self.steps,
            self.order,
            self.histories,
            self.per,
        )
        added = asked.added
        seen = asked.observations()
        counted, step, fit = self.observed.counts(seen)
        with named(self.observed.path):
            counted = with_absorbing(counted, self.absorbing)
            value = asked.value(counted, seen, step, fit)
        if value is not None:
            Output(as_json=True).write([value])
            if self.per is not None:
                first = "midnight" if self.per == HOUR else "Monday, midnight"
                click.echo(f"note: the first release is at {first}: turn the cycle for one at another time", err=True)
            elif self.histories and seen.shorter:
                click.echo(f"note: {seen.shorter:,} sequences of fewer than {self.steps} values are left out", err=True)
            return
        if self.counts:
            Output(as_json=True).write([counts_value(counted, self.source) | observed_value(step, fit)])
            if fit is not None and (warning := fit.warning()):
                click.echo(f"note: {warning}", err=True)
            return
        check_smoothed_counts(len(counted.states), added)
        with named(self.observed.path):
            matrix = counted.forward(added) if self.role == "forward" else counted.backward(added)
            values = [_value(counted, added, self.output.digits)] if self.output.as_json else []
            table = [matrix_csv(matrix.texts(), counted.states)] if self.output.as_csv else None
            sheets = table or ([] if self.output.as_json else _sheets(counted, added))
        if fit is not None and (told := fit.warning()) and not (self.output.as_json or self.output.as_csv):
            print_words(told)
        self.output.write(values, *sheets)
        if fit is not None and not (self.output.as_json or self.output.as_csv):
            print_words(f"Chain: {TIME_HOMOGENEOUS}: {fit.text()}.")


def _value(counted: TransitionCounts, smoothing: Fraction, digits: int) -> Object:
    """Return the value of the operation; without first states there is no initial distribution."""
    if any(counted.first):
        return value_of("estimate", estimated_from(counted, smoothing), digits)
    estimated = {role: getattr(counted, role)(smoothing).texts() for role in ("forward", "backward")}
    return {"states": list(counted.states), **estimated, "initial": None}


def _sheets(counted: TransitionCounts, added: Fraction) -> list[Sheet]:
    sheets = [_overview(counted)]
    if len(counted.states) <= _TABLE_STATES:
        for name, estimated in (("forward", counted.forward(added)), ("backward", counted.backward(added))):
            rounded = [[f"{float(entry):.4f}" for entry in row] for row in estimated.rows]
            sheets.append(matrix_sheet(f"{name}, rounded (exact with --json or --csv)", rounded, counted.states))
    return sheets


def _overview(counted: TransitionCounts) -> Sheet:
    states, transitions = counted.states, counted.transitions
    initial = row_texts(counted.initial()) if any(counted.first) else ["not known"] * len(states)
    rows: list[list[Cell]] = []
    for index, state in enumerate(states):
        followed, follows = sum(transitions[index]), sum(row[index] for row in transitions)
        rows.append([state, initial[index], followed, follows])
    total = sum(map(sum, transitions))
    title = f"{len(states)} states, {total} transitions"
    return Sheet(title, ("state", "initial", "followed by another", "follows another"), rows)
