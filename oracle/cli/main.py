"""The command line `tploracle`: the commands on one matrix or one file, and the wire."""

from __future__ import annotations

import sys

import click

from .. import __version__
from ..contract.errors import INTERRUPTED
from ..contract.limits import MOST_STATES, check_count, check_reversal, check_smoothed_counts, check_smoothing
from ..data.files import Files, named
from ..data.sequences import count_file
from ..output.progress import patience
from ..output.sheets import BRACKETS, Cell, Output, Sheet, matrix_csv, matrix_sheet
from ..reference import InvalidRequest, TransitionMatrix, reverse, smooth, stationary, strongest
from ..reference.decimals import fraction_to_text
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import (
    counts_value,
    estimate_value,
    loss_function_value,
    loss_value,
    matrix_value,
    row_texts,
    witness_value,
)
from .allocate_command import allocate_command, utility_command
from .audit_command import audit_command
from .bounds_command import control_command, supremum_command
from .certify_command import certify_command, check_command
from .composition_command import composition_command
from .conform_command import conform_command
from .crosscheck_command import crosscheck_command
from .leakage_command import leakage_command
from .patient import optima, patient_loss_function
from .shell import Shell, common_options, float64_option, plot_option, reference_option, role_option
from .spend_command import spend_command
from .vectors_command import vectors_command
from .verify_command import verify_command

_TABLE_STATES = 24


@click.group(cls=Shell, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tploracle")
def main() -> None:
    """The correctness oracle for temporal privacy leakage: exact answers, enclosed to any number of digits.

    A MATRIX is a CSV or JSON file, or - for standard input; its entries are exact (0.1 is 1/10). A LEVEL is in nats:
    0.1, 3/7, log(11/10), inf.
    """


main.add_command(conform_command)
main.add_command(leakage_command)
main.add_command(audit_command)
main.add_command(verify_command)
main.add_command(supremum_command)
main.add_command(composition_command)
main.add_command(allocate_command)
main.add_command(control_command)
main.add_command(utility_command)
main.add_command(certify_command)
main.add_command(check_command)
main.add_command(crosscheck_command)
main.add_command(spend_command)
main.add_command(vectors_command)


@main.command()
@click.argument("matrix")
@click.option("--alpha", "alphas", metavar="LEVEL", multiple=True, required=True, help="The level α; may be repeated.")
@role_option
@reference_option
@float64_option
@common_options
def loss(
    *,
    matrix: str,
    alphas: tuple[str, ...],
    role: str | None,
    float64: bool,
    literal: bool,
    digits: int,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print L(α), the loss that a correlation adds to leakage α, with the rows and columns that attain it."""
    files = Files(float64)
    output = Output(digits, as_json, as_csv, files.normalised)
    levels = Reader().levels(list(alphas), "--alpha")
    found = optima(files.matrix(matrix, role), levels, literal)
    values = [loss_value(optimum, level, digits) for optimum, level in zip(found, levels, strict=True)]
    rows: list[list[Cell]] = [
        [alpha, value, *_witness_cells(value)] for alpha, value in zip(alphas, values, strict=True)
    ]
    output.write(values, Sheet("Privacy loss", ("alpha", "loss", "rows", "columns"), rows, (BRACKETS,)))


def _witness_cells(value: Object) -> list[str]:
    rows, subset = value["rows"], value["subset"]
    assert isinstance(subset, list)
    return [
        " / ".join(map(str, rows)) if isinstance(rows, list) else "all equal",
        " ".join(map(str, subset)),
    ]


@main.command("loss-function")
@click.argument("matrix")
@role_option
@plot_option
@reference_option
@float64_option
@common_options
def loss_function_command(
    *,
    matrix: str,
    role: str | None,
    plot: str | None,
    float64: bool,
    literal: bool,
    digits: int,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print the whole loss function: log((q(e^α - 1) + 1)/(d(e^α - 1) + 1)) on each piece."""
    files = Files(float64)
    output = Output(digits, as_json, as_csv, files.normalised)
    function = patient_loss_function(files.matrix(matrix, role), literal)
    if plot:
        from ..output.plots import loss_function_picture

        loss_function_picture(plot, function)
    value = loss_function_value(function)
    rows: list[list[Cell]] = []
    for piece in function.pieces:
        start, stop = piece.domain
        ends = [level.enclosure(digits).lower for level in (start, stop)]
        rows.append(
            [
                *(start.full_text(), stop.full_text()),
                *("inf" if end.is_infinite() else str(end) for end in ends),
                *(fraction_to_text(piece.q), fraction_to_text(piece.d)),
                *_witness_cells(witness_value(piece.witness)),
            ]
        )
    columns = ("from", "to", "from about", "to about", "q", "d", "rows", "columns")
    output.write([value], Sheet(f"Privacy loss function: {len(rows)} pieces", columns, rows))


@main.command("smooth")
@click.argument("matrix", required=False)
@click.option("-n", "states", type=int, help="Instead of a matrix: the strongest correlation of so many states.")
@click.option("--s", "s", metavar="NUMBER", required=True, help="The smoothing parameter s.")
@role_option
@float64_option
@common_options
def smooth_command(
    *,
    matrix: str | None,
    states: int | None,
    s: str,
    role: str | None,
    float64: bool,
    digits: int,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print the matrix (p + s)/(1 + ns), more uniform than the given one."""
    files = Files(float64)
    output = Output(digits, as_json, as_csv, files.normalised)
    smoothing = Reader().number(s, "--s")
    if (matrix is None) == (states is None):
        raise InvalidRequest("give either a matrix or -n")
    if matrix is not None:
        given = files.matrix(matrix, role)
    else:
        assert states is not None
        if states < 1:
            raise InvalidRequest(f"n is at least 1, not {states}")
        check_count(states, MOST_STATES, "states")
        given = strongest(states)
    check_smoothing(given.n, smoothing, (entry for row in given.rows for entry in row))
    _write_matrix(output, "matrix", smooth(given, smoothing))


def _write_matrix(output: Output, key: str, matrix: TransitionMatrix) -> None:
    texts = matrix.texts()
    sheet = matrix_csv(texts) if output.as_csv else matrix_sheet(key, texts)
    output.write([matrix_value(key, matrix)], sheet)


@main.command("reverse")
@click.argument("matrix")
@click.option("--initial", metavar="FILE", help="The distribution of the earlier value: a row of CSV, or JSON.")
@click.option("--stationary", "from_stationary", is_flag=True, help="Instead: the chain's stationary distribution.")
@float64_option
@common_options
def reverse_command(
    *, matrix: str, initial: str | None, from_stationary: bool, float64: bool, digits: int, as_json: bool, as_csv: bool
) -> None:
    """Print the backward correlation that follows from a forward one by Bayes' rule."""
    files = Files(float64)
    output = Output(digits, as_json, as_csv, files.normalised)
    if (initial is None) != from_stationary:
        raise InvalidRequest("give either --initial or --stationary")
    forward = files.matrix(matrix, "forward" if _is_for_roles(files, matrix) else None)
    distribution = stationary(forward) if initial is None else files.distribution(initial)
    check_reversal(forward, distribution)
    _write_matrix(output, "backward", reverse(forward, distribution))


def _is_for_roles(files: Files, path: str) -> bool:
    with named(path):
        return files.text(path).lstrip().startswith("{")


@main.command()
@click.argument("file")
@click.option("--smoothing", metavar="NUMBER", default="0", help="Added to every count; gives unseen states a row.")
@click.option("--counts", is_flag=True, help="Write the counts as JSON: a matrix file for the other commands.")
@click.option("--source", metavar="TEXT", help="With --counts: where the sequences come from.")
@click.option("--role", type=click.Choice(["backward", "forward"]), default="forward", help="The matrix for --csv.")
@common_options
def estimate(
    *, file: str, smoothing: str, counts: bool, source: str | None, role: str, digits: int, as_json: bool, as_csv: bool
) -> None:
    """Estimate both correlations from sequences: a text with one a line, a .zip of it, JSON, or -."""
    output = Output(digits, as_json, as_csv)
    added = Reader().number(smoothing, "--smoothing")
    with patience("reading sequences") as progress:
        counted = count_file(file, progress)
    if counts:
        Output(digits, as_json=True).write([counts_value(counted, source)])
        return
    check_smoothed_counts(len(counted.states), added)
    matrix = counted.forward(added) if role == "forward" else counted.backward(added)
    if as_csv:
        output.write([], matrix_csv(matrix.texts()))
        return
    value = estimate_value(counted, added)
    if as_json:
        output.write([value])
        return
    sheets = [_overview(counted.states, row_texts(counted.initial()), counted.transitions)]
    if len(counted.states) <= _TABLE_STATES:
        for name, estimated in (("forward", counted.forward(added)), ("backward", counted.backward(added))):
            rounded = [[f"{float(entry):.4f}" for entry in row] for row in estimated.rows]
            sheets.append(matrix_sheet(f"{name}, rounded (exact with --json or --csv)", rounded, counted.states))
    output.write([], *sheets)


def _overview(states: tuple[str, ...], initial: list[str], transitions: tuple[tuple[int, ...], ...]) -> Sheet:
    rows: list[list[Cell]] = []
    for index, state in enumerate(states):
        followed, follows = sum(transitions[index]), sum(row[index] for row in transitions)
        rows.append([state, initial[index], followed, follows])
    total = sum(map(sum, transitions))
    title = f"{len(states)} states, {total} transitions"
    return Sheet(title, ("state", "initial", "followed by another", "follows another"), rows)


@main.command()
def serve() -> None:
    """Answer requests in JSON lines on standard input and output."""
    from ..wire.serve import serve as answer

    try:
        answer(sys.stdin.buffer, sys.stdout.buffer)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
