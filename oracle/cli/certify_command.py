"""Certificates on the command line: `certify` writes one, `check` says of each file whether it holds."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ..contract.errors import BAD_USAGE, OK
from ..contract.limits import MOST_RELEASES, check_count, check_leakage
from ..data.adversaries import adversaries_of, losses_of
from ..data.files import Files, read_text
from ..proofs_checks.checker import Rejected, check
from ..reference import InvalidRequest, Level, OracleError, TransitionMatrix
from ..solvers.certificate_parts import Document
from ..solvers.certificates import (
    leakage_certificate,
    lfp_optimum_certificate,
    loss_certificate,
    loss_function_certificate,
)
from ..solvers.supremum_certificates import bounded_below_certificate, bounded_certificate, divergent_certificate
from ..wire.numerals import Reader
from .patient import patient_loss_function
from .shell import float64_option, role_option

REJECTED = 1
NEEDED = {
    "lfp-optimum": ("alpha", "rows"),
    "loss": ("alpha",),
    "loss-function": (),
    "bounded": ("epsilon",),
    "bounded-below": ("epsilon",),
    "divergent": ("epsilon",),
}
"""The kinds of certificates about one matrix, and the options that each needs and has."""

SUPREMUM = {
    "bounded": bounded_certificate,
    "bounded-below": bounded_below_certificate,
    "divergent": divergent_certificate,
}


@click.command("certify")
@click.argument("kind", type=click.Choice([*NEEDED, "leakage"]))
@click.argument("matrix", required=False)
@click.option("--alpha", metavar="LEVEL", help="lfp-optimum, loss: the level.")
@click.option("--rows", metavar="Q,D", help="lfp-optimum: the two rows, counted from 1.")
@click.option("--backward", metavar="FILE", help="leakage: the backward correlation.")
@click.option("--forward", metavar="FILE", help="leakage: the forward correlation.")
@click.option(
    "--epsilon",
    metavar="LEVEL",
    help="bounded, bounded-below, divergent: the budget for ever; leakage: at each release.",
)
@click.option("--steps", type=int, help="leakage: how many releases of that budget.")
@click.option("--epsilons", metavar="FILE|LIST", help="leakage: the budgets, a file of levels or levels and commas.")
@click.option("--digits", type=int, default=17, show_default=True, help="Digits of each enclosure.")
@click.option("--output", "-o", metavar="FILE", help="Write there instead of to standard output.")
@role_option
@float64_option
def certify_command(
    *,
    kind: str,
    matrix: str | None,
    digits: int,
    output: str | None,
    role: str | None,
    float64: bool,
    **options: str | int | None,
) -> None:
    """Write a certificate of an exact answer: a JSON document that `check` accepts.

    MATRIX is a file in CSV or JSON, or -; leakage takes --backward and --forward instead. bounded, bounded-below and
    divergent are about the supremum of BPL (of a backward MATRIX) or FPL (of a forward one) over time.
    """
    given = {name: value for name, value in options.items() if value is not None}
    files = Files(float64)
    if kind == "leakage":
        _check_options(kind, given, (), ("backward", "forward", "epsilon", "steps", "epsilons"))
        if matrix is not None:
            raise InvalidRequest("certify leakage takes its matrices by --backward and --forward")
        document = _leakage(files, given, digits)
    else:
        _check_options(kind, given, NEEDED[kind], ())
        if matrix is None:
            raise InvalidRequest(f"certify {kind} needs the file of a matrix")
        document = _of_matrix(kind, files.matrix(matrix, role), given, digits)
    text = json.dumps(document, ensure_ascii=True, indent=1) + "\n"
    try:
        check(text)
    except Rejected as error:
        raise InvalidRequest(f"there is no certificate that the checker accepts: {error}") from None
    if output is None:
        click.echo(text, nl=False)
    else:
        Path(output).write_text(text, encoding="ascii")


def _check_options(kind: str, given: dict[str, str | int], needed: tuple[str, ...], optional: tuple[str, ...]) -> None:
    for name in needed:
        if name not in given:
            raise InvalidRequest(f"certify {kind} needs --{name}")
    for name in given:
        if name not in needed and name not in optional:
            raise InvalidRequest(f"certify {kind} has no option --{name}")


def _of_matrix(kind: str, matrix: TransitionMatrix, given: dict[str, str | int], digits: int) -> Document:
    if kind == "lfp-optimum":
        row_q, row_d = _rows(str(given["rows"]), matrix.n)
        return lfp_optimum_certificate(matrix, row_q, row_d, Reader().level(given["alpha"], "--alpha"), digits)
    if kind == "loss-function":
        return loss_function_certificate(patient_loss_function(matrix))
    if kind in SUPREMUM:
        epsilon = Reader().level(given["epsilon"], "--epsilon")
        loss = patient_loss_function(matrix)
        check_leakage([epsilon], [loss], digits)
        return SUPREMUM[kind](loss, epsilon, digits)
    alpha = Reader().level(given["alpha"], "--alpha")
    loss = patient_loss_function(matrix)
    return loss_certificate(matrix, alpha, loss.piece_at(alpha).witness, loss(alpha), digits)


def _rows(text: str, n: int) -> tuple[int, int]:
    numbers = [int(part) for part in text.split(",") if part.isascii() and part.isdigit() and len(part) < 10]
    if len(numbers) != 2 or text.count(",") != 1 or not all(1 <= number <= n for number in numbers):
        raise InvalidRequest(f"--rows: {text!r} is not two of the rows 1 to {n}, as in 1,2")
    return numbers[0] - 1, numbers[1] - 1


def _leakage(files: Files, given: dict[str, str | int], digits: int) -> Document:
    known: dict[str, TransitionMatrix] = {
        role: files.matrix(str(given[role]), role) for role in ("backward", "forward") if role in given
    }
    budgets = _budgets(files, given)
    adversaries = adversaries_of({"adversary": known})
    check_leakage(budgets, losses_of(adversaries), digits)
    return leakage_certificate(budgets, adversaries["adversary"], digits)


def _budgets(files: Files, given: dict[str, str | int]) -> list[Level]:
    if given.keys() & {"epsilon", "steps", "epsilons"} == {"epsilons"}:
        budgets = files.levels(str(given["epsilons"]))
        check_count(len(budgets), MOST_RELEASES, "releases")
        return budgets
    if given.keys() & {"epsilon", "steps", "epsilons"} != {"epsilon", "steps"}:
        raise InvalidRequest("give either --epsilon and --steps, or --epsilons")
    steps = int(given["steps"])
    if steps < 1:
        raise InvalidRequest(f"--steps is at least 1, not {steps}")
    check_count(steps, MOST_RELEASES, "releases")
    return [Reader().level(given["epsilon"], "--epsilon")] * steps


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def check_command(*, files: tuple[str, ...]) -> None:
    """Check certificates: exit status 0 if all hold, 1 if some do not, 2 if a file cannot be read.

    Each file has one line: accepted and its kind, or rejected with the first step that fails.
    """
    status = OK
    for file in files:
        try:
            verdict = f"accepted, {check(read_text(file))}"
        except Rejected as error:
            verdict, status = f"rejected, {error}", max(status, REJECTED)
        except OracleError as error:
            verdict, status = f"{error.name}, {error}", BAD_USAGE
        click.echo(f"{file}: {verdict}")
    raise click.exceptions.Exit(status)
