"""`tploracle spend`: an accountant for streams, on a ledger."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from getpass import getuser
from pathlib import Path

import click

from ..contract.errors import RECORDED_UNSHOWN
from ..contract.limits import check_leakage
from ..contract.remaining import remaining
from ..data.adversaries import losses_of
from ..data.files import Files
from ..data.ledger import BY_WORST_CASE, MAIN, WAIT, Ledger, opened_ledger
from ..output.progress import Advance, patience
from ..output.sheets import Cell, Output, Sheet, odds_note
from ..reference import INFINITE, ZERO, Accountant, InfeasibleBudget, InvalidRequest, Level
from ..solvers.signals import held, unlimited
from ..solvers.tight_accounts import TightAccountant
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import KINDS, decimal_text
from .options import Correlations, correlation_options, files_and_output
from .shell import Seconds, forget_output
from .state import AnyAccountant, accountant_of, opened_with, state_of

EXACT = (
    "The account is kept by the exact worst case: some mechanism with these budgets attains it, and none exceeds it."
)

LONGEST_NAME = 200
"""Characters of the name of an account, of a request or of whoever spends."""


@click.command("spend")
@click.argument("path", metavar="LEDGER", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--epsilon", "epsilons", metavar="LEVEL", multiple=True, help="The budget of a release; may be repeated.")
@click.option("--id", "request", metavar="TEXT", help="The request's name: what is sent twice is charged once.")
@click.option("--account", metavar="NAME", default=MAIN, show_default=True, help="Which account of the ledger.")
@click.option("--by", metavar="NAME", help="Who spends.  [default: the user's name]")
@click.option("--init", is_flag=True, help="Begin a new account.")
@correlation_options("With --init: ")
@click.option("--cap", metavar="LEVEL", help="With --init: the level that TPL must never exceed.")
@click.option("--tight", is_flag=True, help="With --init: the exact worst case keeps the cap, not the paper's bound.")
@click.option("--show", is_flag=True, help="Print the leakage at all times.")
@click.option("--history", is_flag=True, help="Print the releases as they were recorded.")
@click.option(
    "--wait",
    metavar="SECONDS",
    type=Seconds(0, 86_400),
    default=WAIT,
    show_default=True,
    help="How long to wait for another command that is writing.",
)
@files_and_output(has_levels=True)
def spend_command(
    *,
    path: Path,
    epsilons: tuple[str, ...],
    request: str | None,
    account: str,
    by: str | None,
    init: bool,
    correlations: Correlations,
    cap: str | None,
    tight: bool,
    show: bool,
    history: bool,
    wait: float,
    files: Files,
    output: Output,
) -> None:
    """Spend budgets on a stream, whose account is in the file LEDGER, and print the leakage so far.

    All the budgets are recorded, or none: an interrupt leaves the ledger as it was, and so does a budget that would
    take TPL at some time above the account's cap. Nothing is ever taken back. Exit status 4: recorded, but not shown.
    What is left may be spent as it is printed; with --float it is a double that may be.

    The leakage is the paper's bound, or for an account that was begun with --tight that of the worst mechanisms, which
    some mechanism attains and none exceeds: more may then be spent below the same cap.
    """
    budgets = Reader().levels(list(epsilons), "--epsilon")
    if not init and (correlations or files.float64 or cap or tight):
        raise InvalidRequest("--backward, --forward, --users, --cap, --tight and --float64 belong to --init")
    if history and (budgets or init or show):
        raise InvalidRequest("--history shows what is recorded: it excludes --epsilon, --init and --show")
    if request is not None and not budgets:
        raise InvalidRequest("--id belongs to --epsilon")
    spender = _user() if by is None else by
    for option, name in (("--account", account), ("--by", spender), ("--id", request)):
        if name is not None and not 0 < len(name) <= LONGEST_NAME:
            raise InvalidRequest(f"{option}: a name has 1 to {LONGEST_NAME} characters")
    begun = _begun(correlations, files, cap, tight) if init else None
    if begun is not None:
        _spend(begun, budgets)
    writes = init or bool(budgets)
    with opened_ledger(path, writes, init, wait, lambda sentence: click.echo(f"note: {sentence}", err=True)) as ledger:
        if history:
            _write_history(ledger, account, output)
            return
        spent = [budget.full_text() for budget in budgets]
        known = _already(ledger, account, request, spent, begun)
        if known is not None:
            accountant = known
        elif begun is not None:
            accountant = begun
            ledger.open_account(account, state_of(accountant), spender)
        else:
            with patience("loading") as progress:
                accountant = accountant_of(ledger.state(account), progress)
        adversaries = accountant.adversaries
        following = budgets if known is None and begun is None else []
        check_leakage([*accountant.epsilons, *following], losses_of(adversaries), output.digits, len(adversaries))
        _spend(accountant, following)
        if known is None:
            ledger.record(account, spent, request, spender)
        value = _value(accountant, output)
        if show:
            with patience("leakage") as progress:
                value |= _all_times(accountant, output, progress)
        sheet = _sheet(accountant, value, show, output)
        if not writes:
            output.write([value], sheet)
            return
        with held():  # what is recorded is also shown
            unlimited()
            ledger.commit()
            _show(lambda: output.write([value], sheet))


def _user() -> str:
    try:
        return getuser()
    except (KeyError, OSError, ImportError):
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"


def _spend(accountant: AnyAccountant, budgets: Sequence[Level]) -> None:
    if isinstance(accountant, TightAccountant):
        with patience("exact worst case"):
            accountant.spend_all(budgets)
        return
    for budget in budgets:
        accountant.spend(budget)


def _begun(correlations: Correlations, files: Files, cap: str | None, tight: bool) -> AnyAccountant:
    most = INFINITE if cap is None else Reader().level(cap, "--cap")
    matrices = correlations.matrices(files)
    with patience("loss functions") as progress:
        return opened_with(matrices, [], most, tight, progress)


def _already(
    ledger: Ledger, account: str, request: str | None, spent: list[str], begun: AnyAccountant | None
) -> AnyAccountant | None:
    """Return the account as it was after a request, where that was recorded before; None where it is a new one.

    Raises: InvalidRequest where another spend has its name.
    """
    if request is None or account not in ledger.accounts():
        return None
    same = [release for release in ledger.history(account) if release.request == request]
    if not same:
        return None
    state = ledger.state(account)
    begins = state_of(begun) if begun is not None else state
    other = any(begins.get(key) != state.get(key) for key in ("adversaries", "cap", "bound"))
    if [release.epsilon for release in same] != spent or other:
        raise InvalidRequest(f"--id: another spend has been recorded as {request!r}")
    with patience("loading") as progress:
        history = [release.epsilon for release in ledger.history(account)]
        return accountant_of({**state, "epsilons": history[: same[-1].time]}, progress)


def _show(write: Callable[[], None]) -> None:
    """Write the answer to what is recorded. Exit status: RECORDED_UNSHOWN where that fails."""
    try:
        write()
        sys.stdout.flush()
    except OSError as error:
        forget_output()
        reason = "nobody reads it" if isinstance(error, BrokenPipeError) else error.strerror or error
        click.echo(f"recorded, but the answer cannot be shown: {reason}", err=True)
        raise click.exceptions.Exit(RECORDED_UNSHOWN) from None


def _write_history(ledger: Ledger, account: str, output: Output) -> None:
    columns = ("time", "epsilon", "id", "recorded", "by")
    ledger.state(account)
    rows: list[list[Cell]] = [
        [each.time, each.epsilon, each.request or "", each.recorded, each.recorded_by]
        for each in ledger.history(account)
    ]
    values: list[Object] = [dict(zip(columns, row, strict=True)) for row in rows]
    output.write(values, Sheet(f"account {account}: {_releases(len(rows))}", columns, rows))


def _releases(number: int) -> str:
    return f"{number} releases" if number != 1 else "1 release"


def _value(accountant: AnyAccountant, output: Output) -> Object:
    now = accountant.releases
    value: Object = {"releases": now}
    tight = isinstance(accountant, TightAccountant)
    value |= {"bound": BY_WORST_CASE} if tight else {}
    by_recursion = None
    if not accountant.cap.is_infinite:
        by_recursion = left = _left_by_recursion(accountant)
        if isinstance(accountant, TightAccountant):
            exact = accountant.remaining()
            assert exact is not None, "there is a cap"
            # Both are lower bounds; what the paper's recursion admits the worst case does.
            left = max(exact, by_recursion, key=Level.double_below)
        value |= {"cap": output.level(accountant.cap), "left": _left(left, output)}
    value["now"] = output.maximum(accountant.bpl(now)) if now else None
    value |= {"worst": _worst(accountant, output)} if now else {}
    return value | ({"by_recursion": _by_recursion(accountant, by_recursion, output)} if tight else {})


def _left(budget: Level, output: Output) -> str:
    """Write what may still be spent, rounded down."""
    return repr(budget.double_below()) if output.doubles else decimal_text(budget.enclosure(output.digits).lower)


def _left_by_recursion(accountant: AnyAccountant) -> Level:
    """Return what the paper's bound leaves below the cap."""
    try:
        if isinstance(accountant, TightAccountant):
            accountant = Accountant(accountant.adversaries, accountant.cap, accountant.epsilons)
        left = remaining(accountant)
    except InfeasibleBudget:  # the recursion is above the cap already
        left = ZERO.to_spend()
    assert left is not None, "there is a cap"
    return left


def _by_recursion(accountant: AnyAccountant, left: Level | None, output: Output) -> Object:
    """Return the greatest TPL by the paper's bound, and what it would leave below a cap."""
    value: Object = {} if left is None else {"left": _left(left, output)}
    if accountant.releases:
        value["worst"] = _worst(Accountant(accountant.adversaries, spent=accountant.epsilons), output)
    return value


def _worst(accountant: AnyAccountant, output: Output) -> Object:
    """Return the greatest TPL of all times so far; of several the first."""
    time = _worst_time(accountant, output.digits)
    return {"time": time, **output.maximum(accountant.tpl(time))}


def _worst_time(accountant: AnyAccountant, digits: int) -> int:
    """Return the first time of the greatest TPL, by its enclosure."""
    ends = {}
    for time in range(1, accountant.releases + 1):
        enclosure = accountant.tpl(time).level.enclosure(digits)
        ends[time] = enclosure.upper, enclosure.lower
    return max(ends, key=ends.__getitem__)


def _all_times(accountant: AnyAccountant, output: Output, progress: Advance) -> Object:
    columns: dict[str, list[Object]] = {kind: [] for kind in KINDS}
    for time in range(1, accountant.releases + 1):
        for kind, at in zip(KINDS, (accountant.bpl, accountant.fpl, accountant.tpl), strict=True):
            columns[kind].append(output.maximum(at(time)))
        progress(time, accountant.releases)
    return dict(columns)


def _sheet(accountant: AnyAccountant, value: Object, show: bool, output: Output) -> Sheet:
    several = len(accountant.adversaries) > 1
    releases = accountant.releases
    title = _releases(releases)
    title += "" if accountant.cap.is_infinite else f", TPL capped at {accountant.cap.exact_text or 'a long level'}"
    by_recursion = value.get("by_recursion")
    notes = [output.numerals]
    if releases:
        notes.append(odds_note(accountant.tpl(_worst_time(accountant, output.digits)).level))
    notes += [] if by_recursion is None else [EXACT]
    rows: list[list[Cell]] = []
    if not show:
        title += f", {value['left']} left" if "left" in value else ""
        now, worst = value["now"], value.get("worst")
        bound = []
        if isinstance(by_recursion, dict):
            title += f" (by the paper's bound {by_recursion['left']})" if "left" in by_recursion else ""
            bound = [by_recursion["worst"]] if "worst" in by_recursion else []
        if isinstance(now, dict) and isinstance(worst, dict):
            rows.append([releases, now, *([_names(now)] if several else []), worst, *bound])
        columns = ["time", "BPL", *(("attained by",) if several else ()), "greatest TPL"]
        columns += [] if by_recursion is None else ["paper's bound"]
        return Sheet(title, tuple(columns), rows, tuple(notes))
    levels_of = [_levels(value[kind]) for kind in KINDS]
    for time, levels in enumerate(zip(*levels_of, strict=True), 1):
        rows.append([time, *levels, *([_names(levels[-1])] if several else [])])
    headings = ("time", "BPL", "FPL", "TPL", *(("TPL attained by",) if several else ()))
    return Sheet(title, headings, rows, tuple(notes))


def _levels(column: object) -> list[Object]:
    return column if isinstance(column, list) else []


def _names(level: Object) -> str:
    names = level["attained_by"]
    return ", ".join(names) if isinstance(names, list) else ""
