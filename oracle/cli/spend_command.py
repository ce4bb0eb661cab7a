"""`tploracle spend`: an accountant for streams, on a ledger."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from getpass import getuser
from pathlib import Path
from typing import Any

import click

from ..checked import CheckedAccountant
from ..contract.errors import RECORDED_UNSHOWN, placed
from ..contract.limits import MOST_RELEASES, check_count, check_leakage
from ..data.adversaries import losses_of
from ..data.clock import ALONE, HOW_TO_ADD_UP, checked_step, is_timed, timed, told_times
from ..data.files import Files
from ..data.fit import Fit
from ..data.ledger import MAIN, WAIT, opened_ledger
from ..data.ledger_chain import Ledger, RecordedAccount
from ..models import NAMES
from ..models.accounts import beside, left_by_paper, left_of
from ..models.basis import NOT_ESTIMATED, Basis
from ..models.chain import NOT_ASKED
from ..models.model import Account, Model
from ..models.neighbours import Neighbours
from ..models.profile_account import ProfileAccount
from ..models.stream_profile import NOT_THE_PAPERS, PRIVATE_STREAMS
from ..output.progress import Advance, patience
from ..output.sheets import Cell, Conclusion, Grid, Heading, Output, Sheet, counted_releases, odds
from ..reference import INFINITE, InvalidRequest, PrivacyBudget, Undecided, parse_level
from ..solvers.worst_case.accounts import WorstSoFar
from ..system.signals import held, unlimited
from ..wire.budget_texts import budget_text
from ..wire.numerals import Reader
from ..wire.strict_json import Object, as_list, as_object, as_string
from ..wire.values import KINDS
from .beyond_pure import Noise, noise_options
from .declared import argument, option
from .options import (
    Correlations,
    ReadingCommand,
    correlation_options,
    neighbours_options,
    output_options,
    reading_options,
)
from .shell import Seconds, forget_output
from .spend_at_delta import (
    begun_at_delta,
    conclusion_at_delta,
    counted_with_times,
    pure,
    sheet_at_delta,
    values_at_delta,
)
from .state import accountant_of, clock_of, neighbours_of, opened_with, recorded_account, told_of

NOT_THE_GREATEST = "The greatest TPL of the exact worst case may be at too many of the times to be found."
KEPT_BY_PAPER = "the account uses the paper's bound; one created with --init --model worst-case has both models"

MANY = 1000
"""With more releases than this, search for the time of the greatest TPL instead of computing TPL at every time."""

FINE_DIGITS = 28
"""Digits to which TPL of different times is compared: about as many as the search distinguishes."""

LONGEST_NAME = 200
"""Limit of characters in the name of an account, a request or a spender."""


class SpendCommand(ReadingCommand):
    """Keep an account of a stream in the file LEDGER: record budgets spent, and print the leakage so far.

    Either all budgets are recorded or none: an interrupt leaves the ledger unchanged, and so does a budget that would
    raise TPL at some time above the account's cap. There is no undo. Exit status 4: recorded, but not shown. The
    remaining budget may be spent exactly as printed; with --float it is a double that is safe to spend.

    The cap limits the exact worst case, with the paper's bound shown beside it; or, with --model paper-bound, the
    paper's bound alone, which allows less.

    An account with --delta keeps the value at every time (--cap, --delta)-protected, and takes (ε, δ), Gaussian and
    zCDP releases beside pure ones: --delta-per-release, --sigma, --rho.

    The neighbours of ε, --neighbours, are fixed with --init and recorded: later commands need not repeat them.

    The head is a digest of everything recorded in the account. If you note the last one, you can detect a ledger that
    was replaced by another one or by an older copy.
    """

    path: Path = argument(metavar="LEDGER", type=click.Path(path_type=Path, dir_okay=False))
    epsilons: tuple[str, ...] = option("--epsilon", metavar="LEVEL", help="The budget of a release; repeatable.")
    at: str | None = option(
        metavar="T",
        help="Time of the value that is released, a number or ISO 8601: budgets of one time add up. All releases of an "
        "account have one or none; without, each is one step after the one before.",
    )
    request: str | None = option("--id", metavar="TEXT", help="Request id: a repeated request is charged once.")
    account: str = option(metavar="NAME", default=MAIN, show_default=True, help="Account of the ledger.")
    expected: str | None = option(
        "--expect-head", metavar="DIGEST", help="Continue only if the account's head is DIGEST, as printed last."
    )
    by: str | None = option(metavar="NAME", help="Name of the spender.  [default: the user's name]")
    init: bool = option(help="Create a new account.")
    correlations: Correlations = correlation_options("With --init: ", stepwise=False)
    step: str | None = option(
        metavar="DURATION",
        help="With --init: time between values, for --at.  [default: that of the matrices]",
    )
    cap: str | None = option(metavar="LEVEL", help="With --init: the level that TPL must never exceed.")
    keeper: str | None = option(
        "--model",
        type=click.Choice(NAMES),
        help=f"With --init: the model whose TPL must stay within the cap.  [default: {NAMES[0]}]",
    )
    neighbours: Neighbours = neighbours_options("With --init: ")
    delta: str | None = option(
        metavar="PROBABILITY",
        help="With --init: keep the value at each time (--cap, PROBABILITY)-protected; "
        "releases may then be of every kind.",
    )
    noise: Noise = noise_options()
    show: bool = option(help="Print the leakage at all times.")
    history: bool = option(help="Print the releases as they were recorded.")
    wait: float = option(
        metavar="SECONDS",
        type=Seconds(0, 86_400),
        default=WAIT,
        show_default=True,
        help="How long to wait for another command that is writing.",
    )
    files: Files = reading_options
    output: Output = output_options(has_levels=True)

    refused = (
        "--backward, --forward, --users, --one-sided and --independent belong to --init",
        "--cap, --delta, --model, --neighbours and --float64 belong to --init",
        "--history excludes --epsilon, --sigma, --rho, --init and --show: it shows what is recorded",
        "--expect-head excludes --init: it is for an existing account",
        "--step belongs to --init",
        "--at belongs to --epsilon, --sigma or --rho",
        "--id belongs to --epsilon, --sigma or --rho",
    )

    def _run(self) -> None:
        given = self.noise.of_each(Reader().levels(list(self.epsilons), "--epsilon"), Neighbours())
        spender = _user() if self.by is None else self.by
        for what, name in (("--account", self.account), ("--by", spender), ("--id", self.request)):
            if name is not None and not 0 < len(name) <= LONGEST_NAME:
                raise InvalidRequest(f"{what}: a name has 1 to {LONGEST_NAME} characters")
        begun = _begun(self.correlations, self.files, self.cap, self.delta, self.keeper) if self.init else None
        told = {} if begun is None else _told(self.files, self.step)
        is_asked = sys.stdin.isatty() and sys.stderr.isatty() and not (self.output.as_json or self.output.as_csv)
        if is_asked and given and self.at is None:
            self._ask_once()
        if begun is not None and self.at is None:
            _spend(begun, [*map(self.neighbours.replaced, given)])
        writes, neighbours = self.init or bool(given), self.neighbours
        with opened_ledger(self.path, writes, self.init, self.wait) as ledger:
            if self.history:
                _check_head(ledger, self.account, self.expected, None)
                _write_history(ledger, self.account, self.output)
                return
            if not self.init:
                with placed(f"{self.path}: the account {self.account!r}"):
                    neighbours = neighbours_of(ledger.account(self.account))
            budgets = [*map(neighbours.replaced, given)]
            spent = [timed(budget_text(budget), self.at) for budget in budgets]
            begins = None if begun is None else recorded_account(begun, neighbours, told)
            already = _already(ledger, self.account, self.request, spent, begins)
            known = None if already is None else _loaded(self.path, self.account, already)
            past = None if already is None else len(already.epsilons) - len(spent)
            _check_head(ledger, self.account, self.expected, past)
            if known is not None:
                accountant = known
            elif begun is not None and begins is not None:
                recorded = replace(begins, epsilons=spent)
                accountant = begun if self.at is None else _loaded(self.path, self.account, recorded, len(spent))
                ledger.open_account(self.account, begins, spender)
            else:
                recorded = ledger.account(self.account)
                check_count(len(recorded.epsilons) + len(budgets), MOST_RELEASES, "releases")
                is_timed([*recorded.epsilons, *spent])
                if self.at is not None:
                    recorded = replace(recorded, epsilons=[*recorded.epsilons, *spent])
                accountant = _loaded(self.path, self.account, recorded, len(spent))
            following = budgets if known is None and begun is None and self.at is None else []
            if not isinstance(accountant, ProfileAccount):
                adversaries, levels = accountant.adversaries, [*accountant.epsilons, *pure(following)]
                check_leakage(levels, losses_of(adversaries), self.output.digits, len(adversaries))
            _spend(accountant, following)
            if known is None:
                ledger.record(self.account, spent, self.request, spender)
            own = ledger.account(self.account) if already is None else already
            head = ledger.head(self.account, len(own.epsilons))
            basis = neighbours.basis(_basis(accountant, self.files, self.correlations, own))
            counted: Object = {"releases": len(own.epsilons), "times": accountant.releases}
            with patience("leakage") as progress:
                if isinstance(accountant, ProfileAccount):
                    value = values_at_delta(accountant, self.show, self.output, progress) | counted | {"head": head}
                    conclusion = Conclusion(conclusion_at_delta(accountant, value), basis)
                    sheet = sheet_at_delta(value, self.show, self.output)
                else:
                    accounts = beside(accountant)
                    value = _values(accounts, self.show, self.output, progress, neighbours) | {"head": head}
                    value |= counted
                    conclusion = Conclusion(_conclusion(accounts, value, self.output, is_timed(own.epsilons)), basis)
                    sheet = _sheet(accounts, value, self.show, self.output)
            if not writes:
                self.output.conclude(conclusion, [value], sheet)
                return
            with held():  # what is recorded is also shown
                unlimited()
                ledger.commit()
                _show(lambda: self.output.conclude(conclusion, [value], sheet))
        if given and self.at is None and len(own.epsilons) == len(given) and not is_asked:
            click.echo(f"note: {ALONE}; {HOW_TO_ADD_UP}", err=True)

    def _ask_once(self) -> None:
        """Ask, before the first release of an account, whether it is of a time of its own. Raises: InvalidRequest."""
        if not self.init:
            with opened_ledger(self.path, write=False, wait=self.wait) as ledger:
                if ledger.account(self.account).epsilons:
                    return
        if not click.confirm(f"{ALONE[0].upper()}{ALONE[1:]}. Is that so?", default=None, err=True):
            raise InvalidRequest(f"nothing is recorded: {HOW_TO_ADD_UP}")


def _check_head(ledger: Ledger, account: str, expected: str | None, releases: int | None) -> None:
    """Raise InvalidRequest unless the head is the one expected: now, or after that many releases."""
    if expected is None:
        return
    head = ledger.head(account, len(ledger.history(account)) if releases is None else releases)
    if head != expected.strip().lower():
        raise InvalidRequest(
            f"--expect-head: the head of the account {account!r} is {head}, not {expected[:64]!r}: "
            "the ledger is another or an older copy, or somebody else has spent since"
        )


def _told(files: Files, step: str | None) -> Object:
    """Return what an account records of its matrices, and its clock. Raises: InvalidRequest for another --step."""
    basis = files.told()
    clock = checked_step(step, files.between_releases())
    fit = basis.pop("fit")
    told: Object = {key: text for key, text in basis.items() if text not in (NOT_ASKED, NOT_ESTIMATED)}
    told |= {} if fit is None else {"fit": fit.value()}
    return told | ({} if clock is None else {"clock": clock.text()})


def _basis(
    account: Account | ProfileAccount, files: Files, correlations: Correlations, recorded: RecordedAccount
) -> Basis:
    """Return what an answer rests on; what the matrices were estimated from is what was recorded with the account."""
    told = told_of(recorded)
    step = as_string(told.get("step", ""), "step")
    clock = clock_of(recorded) if is_timed(recorded.epsilons) else None
    kept: dict[str, Any] = {
        "estimate": as_string(told.get("estimate", NOT_ESTIMATED), "estimate"),
        "step": told_times(step, len(recorded.epsilons), clock) or NOT_ASKED,
        "fit": Fit.of(told["fit"]) if "fit" in told else None,
    }
    if isinstance(account, ProfileAccount):
        basis = replace(
            correlations.basis_of(files, account.known, {"paper_bound": NOT_THE_PAPERS}), mechanisms=PRIVATE_STREAMS
        )
        return replace(basis, **kept)
    absent = {} if isinstance(account, CheckedAccountant) else {"worst_case": KEPT_BY_PAPER}
    return replace(correlations.basis(files, account.adversaries, absent), **kept)


def _user() -> str:
    try:
        return getuser()
    except (KeyError, OSError, ImportError):
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"


def _spend(accountant: Account | ProfileAccount, budgets: Sequence[PrivacyBudget]) -> None:
    with patience("leakage") as progress:
        if isinstance(accountant, ProfileAccount):
            accountant.spend_all(budgets, progress)
        else:
            accountant.spend_all(pure(budgets))


def _begun(
    correlations: Correlations, files: Files, cap: str | None, delta: str | None, keeper: str | None
) -> Account | ProfileAccount:
    most = INFINITE if cap is None else Reader().level(cap, "--cap")
    matrices = correlations.matrices(files)
    if delta is not None:
        return begun_at_delta(matrices, most, delta, keeper)
    with patience("loss functions") as progress:
        return opened_with(matrices, [], most, keeper or NAMES[0], progress)


def _loaded(path: Path, account: str, recorded: RecordedAccount, new: int = 1) -> Account | ProfileAccount:
    """Return an account of a ledger. Args: new, how many releases at its end are to be looked at.

    Raises: the contract's errors, with the names of both.
    """
    with patience("loading") as progress, placed(f"{path}: the account {account!r}"):
        return accountant_of(recorded, progress, max(1, new))


def _already(
    ledger: Ledger, account: str, request: str | None, spent: list[str], begun: RecordedAccount | None
) -> RecordedAccount | None:
    """Return the state of an account right after a request that was recorded before; None for a new request.

    Raises: InvalidRequest if another spend was recorded under the same id.
    """
    if request is None or account not in ledger.accounts():
        return None
    history = ledger.history(account)
    same = [release for release in history if release.request == request]
    if not same:
        return None
    recorded = ledger.account(account)
    is_other = begun is not None and replace(begun, epsilons=recorded.epsilons) != recorded
    if [release.epsilon for release in same] != spent or is_other:
        raise InvalidRequest(f"--id: another spend has been recorded as {request!r}")
    return replace(recorded, epsilons=recorded.epsilons[: same[-1].time])


def _show(write: Callable[[], None]) -> None:
    """Write the answer to what is recorded. Exit status: RECORDED_UNSHOWN where that fails.

    Nobody who reads but a part of it is told that it was not shown: to a pipe all of it is written at once.
    """
    try:
        if sys.stdout.isatty():
            write()
        else:
            whole = io.TextIOWrapper(io.BytesIO(), sys.stdout.encoding, sys.stdout.errors, newline="")
            with redirect_stdout(whole):
                write()
            whole.flush()
            sys.stdout.flush()
            sys.stdout.buffer.write(whole.buffer.getvalue())
        sys.stdout.flush()
    except OSError as error:
        forget_output()
        reason = "nobody reads it" if isinstance(error, BrokenPipeError) else error.strerror or error
        click.echo(f"recorded, but the answer cannot be shown: {reason}", err=True)
        raise click.exceptions.Exit(RECORDED_UNSHOWN) from None


def _write_history(ledger: Ledger, account: str, output: Output) -> None:
    columns = ("time", "epsilon", "id", "recorded", "by", "head")
    doubled = neighbours_of(ledger.account(account)).converts
    rows: list[list[Cell]] = [
        [each.time, each.epsilon, each.request or "", each.recorded, each.recorded_by, each.head]
        for each in ledger.history(account)
    ]
    values: list[Object] = [dict(zip(columns, row, strict=True)) for row in rows]
    note = "Each budget as it is recorded: for one value replaced; ε is twice that of a record added or removed."
    notes = (note,) * doubled
    output.write(values, Sheet(f"account {account}: {counted_releases(len(rows))}", columns, rows, notes))


def _values(
    accounts: Mapping[Model, Account], show: bool, output: Output, progress: Advance, neighbours: Neighbours
) -> Object:
    """Return what is left, and the leakage so far, by each model."""
    account = next(iter(accounts.values()))
    by_paper = left_by_paper(account, list(accounts.values())[-1])
    value: Object = {"releases": account.releases, "kept_by": next(iter(accounts)).name}
    value |= {} if account.cap.is_infinite else {"cap": output.level(account.cap)}
    for model, own in accounts.items():
        left = left_of(own, by_paper) if isinstance(own, CheckedAccountant) else by_paper
        found: dict[str, object] = (
            {} if left is None else {"left": output.level(neighbours.printed_one(left.to_spend(), output.digits))}
        )
        if own.releases:
            found["now"] = output.maximum(own.bpl(own.releases))
            if (worst := _worst(own)) is not None:
                found["worst"] = {"time": worst.time, **_enclosed(worst, output)}
        if show:
            found |= _all_times(own, output, progress)
        value[model.key] = found
    return value


def _worst(account: Account) -> WorstSoFar | None:
    """Return the greatest TPL, None where it may be at too many times to be looked at."""
    is_long = account.releases > MANY and not any(epsilon.is_infinite for epsilon in account.epsilons)
    if is_long or not isinstance(account, CheckedAccountant):
        with suppress(Undecided):
            return account.worst()
        return None
    each = dict(enumerate(account.tpl_at_all_times(), 1))
    enclosures = {time: found.level.enclosure(FINE_DIGITS) for time, found in each.items()}
    time = max(enclosures, key=lambda own: (enclosures[own].upper, enclosures[own].lower))
    return WorstSoFar(time, each[time], each[time].level)


def _enclosed(worst: WorstSoFar, output: Output) -> Object:
    """Return the greatest TPL from what is attained to its bound."""
    found = output.maximum(worst.attained)
    above = output.level(worst.bound)
    return found if above["upper"] == found["upper"] else found | above | {"exact": None, "lower": found["lower"]}


def _all_times(account: Account, output: Output, progress: Advance) -> dict[str, object]:
    columns: dict[str, list[Object]] = {kind: [] for kind in KINDS}
    for time in range(1, account.releases + 1):
        for kind, at in zip(KINDS, (account.bpl, account.fpl, account.tpl), strict=True):
            columns[kind].append(output.maximum(at(time)))
        progress(time, account.releases)
    return dict(columns)


def _sheet(accounts: Mapping[Model, Account], value: Object, show: bool, output: Output) -> Sheet:
    account = next(iter(accounts.values()))
    shown = {model: as_object(value[model.key], model.key) for model in accounts}
    unknown = (NOT_THE_GREATEST,) * (account.releases > 0 and not all("worst" in own for own in shown.values()))
    notes = (output.numerals, *unknown, f"Head of the account: {value['head']}")
    several, releases = len(account.adversaries) > 1, account.releases
    if show:
        grid = Grid(releases)
        grid.add("time", range(1, releases + 1))
        for model, own in shown.items():
            for kind in KINDS:
                levels = [as_object(level, kind) for level in as_list(own[kind], kind)]
                grid.add(Heading.of(model, kind.upper()), levels)
            if several:
                grid.add(Heading.of(model, "TPL of"), map(_names, levels))
        return grid.sheet(counted_releases(releases), *notes)
    headings: list[str | Heading] = ["time"]
    cells: list[Cell] = [releases]
    for model, own in shown.items():
        if releases:
            cells += [as_object(own["now"], "now"), *_greatest(own, several)]
            headings += [
                Heading.of(model, "BPL"),
                Heading.of(model, "greatest TPL"),
                *([Heading.of(model, "of")] * several),
            ]
        if "left" in own:
            cells.append(as_object(own["left"], "left"))
            headings.append(Heading.of(model, "left", is_budget=True))
    if output.as_csv:
        headings.append("head")
        cells.append(str(value["head"]))
    return Sheet(counted_releases(releases), tuple(headings), [cells] if len(cells) > 1 else [], notes)


def _greatest(found: Object, several: bool) -> list[Cell]:
    """Return the cells of the greatest TPL and, with several adversaries, of its name; empty if it is not known."""
    if "worst" not in found:
        return [""] * (1 + several)
    level = as_object(found["worst"], "worst")
    return [level, *([_names(level)] * several)]


def _conclusion(accounts: Mapping[Model, Account], value: Object, output: Output, has_times: bool) -> str:
    """Say what the releases so far leak, and what the next one may spend below the cap."""
    model, account = next(iter(accounts.items()))
    told = []
    own = as_object(value[model.key], model.key)
    if account.releases:
        # if the greatest TPL is not known, the paper's bound of it is
        model = next(each for each in accounts if "worst" in as_object(value[each.key], each.key))
        worst = as_object(as_object(value[model.key], model.key)["worst"], "worst")
        upper = parse_level(as_string(worst["upper"], "upper"))
        told.append(
            f"{counted_with_times(value)}: TPL is at most {output.shown(worst)} "
            f"({model.title}): an adversary's odds between two values at one time change {odds(upper)}."
        )
    if "left" in own:
        left = as_object(own["left"], "left")
        cap = account.cap.exact_text or "the cap"
        who = "A release at the next time" if has_times else "The next release"
        told.append(f"{who} may spend {output.shown(left, is_budget=True)}: TPL then stays within {cap}.")
    return " ".join(told) or "No release yet, and no cap."


def _names(level: Object) -> str:
    return ", ".join(map(str, as_list(level["attained_by"], "attained_by")))
