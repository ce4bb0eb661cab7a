"""`tploracle spend`: an accountant for streams, on a file."""

from __future__ import annotations

from pathlib import Path

import click

from ..contract.limits import check_leakage
from ..data.adversaries import losses_of
from ..data.files import Files
from ..output.progress import Advance, patience
from ..output.sheets import BRACKETS, Cell, Output, Sheet
from ..reference import INFINITE, Accountant, InvalidRequest
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import KINDS, level_value, maximum_value
from .options import Correlations, correlation_options, files_and_output
from .state import alone, load, opened_with, save


@click.command("spend")
@click.argument("state", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--epsilon", "epsilons", metavar="LEVEL", multiple=True, help="The budget of a release; may be repeated.")
@click.option("--init", is_flag=True, help="Begin a new account; the file must not exist.")
@correlation_options("With --init: ")
@click.option("--cap", metavar="LEVEL", help="With --init: the level that TPL must never exceed.")
@click.option("--show", is_flag=True, help="Print the leakage at all times.")
@files_and_output()
def spend_command(
    *,
    state: Path,
    epsilons: tuple[str, ...],
    init: bool,
    correlations: Correlations,
    cap: str | None,
    show: bool,
    files: Files,
    output: Output,
) -> None:
    """Spend budgets on a stream whose account is the file STATE, and print the leakage so far.

    The file is replaced as a whole once all the budgets are spent: an interrupt leaves it as it was, and so does a
    budget that would take TPL at some time above the account's cap.
    """
    digits = output.digits
    budgets = Reader().levels(list(epsilons), "--epsilon")
    if not init and (correlations or files.float64 or cap):
        raise InvalidRequest("--backward, --forward, --users, --cap and --float64 belong to --init")
    most = INFINITE if cap is None else Reader().level(cap, "--cap")
    with alone(state):
        if init:
            if state.exists():
                raise InvalidRequest(f"{state}: exists already; without --init its account goes on")
            matrices = correlations.matrices(files)
            with patience("loss functions") as progress:
                accountant = opened_with(matrices, [], most, progress)
        else:
            with patience("loading") as progress:
                accountant = load(state, progress)
        known = accountant.adversaries
        check_leakage([*accountant.epsilons, *budgets], losses_of(known), digits, len(known))
        for budget in budgets:
            accountant.spend(budget)
        value = _value(accountant, digits)
        if show:
            with patience("leakage") as progress:
                value |= _all_times(accountant, digits, progress)
        if init or budgets:
            save(accountant, state)
    output.write([value], _sheet(accountant, value, show))


def _value(accountant: Accountant, digits: int) -> Object:
    now = accountant.releases
    cap = {} if accountant.cap.is_infinite else {"cap": level_value(accountant.cap, digits)}
    return {"releases": now, **cap, "now": maximum_value(accountant.bpl(now), digits) if now else None}


def _all_times(accountant: Accountant, digits: int, progress: Advance) -> Object:
    columns: dict[str, list[Object]] = {kind: [] for kind in KINDS}
    for time in range(1, accountant.releases + 1):
        for kind, at in zip(KINDS, (accountant.bpl, accountant.fpl, accountant.tpl), strict=True):
            columns[kind].append(maximum_value(at(time), digits))
        progress(time, accountant.releases)
    return dict(columns)


def _sheet(accountant: Accountant, value: Object, show: bool) -> Sheet:
    several = len(accountant.adversaries) > 1
    releases = accountant.releases
    title = f"{releases} releases" if releases != 1 else "1 release"
    title += "" if accountant.cap.is_infinite else f", TPL capped at {accountant.cap.exact_text or 'a long level'}"
    rows: list[list[Cell]] = []
    if not show:
        now = value["now"]
        if isinstance(now, dict):
            rows.append([releases, now, *([_names(now)] if several else [])])
        return Sheet(title, ("time", "BPL", *(("attained by",) if several else ())), rows, (BRACKETS,))
    columns = [_levels(value[kind]) for kind in KINDS]
    for time, levels in enumerate(zip(*columns, strict=True), 1):
        rows.append([time, *levels, *([_names(levels[-1])] if several else [])])
    headings = ("time", "BPL", "FPL", "TPL", *(("TPL attained by",) if several else ()))
    return Sheet(title, headings, rows, (BRACKETS,))


def _levels(column: object) -> list[Object]:
    return column if isinstance(column, list) else []


def _names(level: Object) -> str:
    names = level["attained_by"]
    return ", ".join(names) if isinstance(names, list) else ""
