"""`spend` for an account at a δ: how it begins, and what it shows of releases of every kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..data.adversaries import pairs_at_delta
from ..models.profile_account import ProfileAccount
from ..output.progress import Advance
from ..output.sheets import DIGITS_IN_BRIEF, Cell, Heading, Output, Sheet, counted, odds
from ..reference import ApproximateBudget, InvalidRequest, Level, PrivacyBudget, TransitionMatrix
from ..reference.decimals import fraction_to_text, outward
from ..wire.strict_json import Object, as_list, as_object
from ..wire.values import decimal_text
from .beyond_pure import chance_of

AT_MOST = Heading("δ at most", "delta_at_most")

WITHIN = "δ is an upper bound, rounded up. An account at a δ is about sets of outputs of all releases, for one value."


def begun_at_delta(
    matrices: Mapping[str, Mapping[str, TransitionMatrix]], cap: Level, delta: str, keeper: str | None
) -> ProfileAccount:
    """Return a new account at a δ. Raises: InvalidRequest without a cap, or for the paper's bound."""
    if cap.is_infinite:
        raise InvalidRequest("--delta needs a finite --cap: the level at which δ is limited")
    if keeper == "paper-bound":
        raise InvalidRequest("--delta excludes --model paper-bound, which is for pure ε and δ = 0")
    return ProfileAccount(pairs_at_delta(matrices), cap, chance_of(delta, "--delta"))


def pure(budgets: Sequence[PrivacyBudget]) -> list[Level]:
    """Return the budgets of pure releases. Raises: InvalidRequest for others."""
    found = [budget.epsilon for budget in budgets if isinstance(budget, ApproximateBudget) and not budget.delta]
    if len(found) < len(budgets):
        raise InvalidRequest("an account of pure ε has no (ε, δ), Gaussian or zCDP release: begin one with --delta")
    return found


def values_at_delta(account: ProfileAccount, show: bool, output: Output, progress: Advance) -> Object:
    """Return the limit, and the greatest bound of δ among the times that the last release changed; all with `show`."""
    found: Object = {}
    if account.releases:
        time, bound = account.worst(progress)
        found["worst"] = {"time": time, "delta_at_most": _at_most(bound)}
    if show:
        found["delta_at_most"] = [_at_most(bound) for bound in account.all_times(progress)]
    limit = {"cap": output.level(account.cap), "delta": fraction_to_text(account.delta)}
    return {"kept_by": "worst-case", **limit, "worst_case": found}


def counted_with_times(value: Object) -> str:
    """Say how many releases there are, and at how many times where that is another number."""
    releases, times = (int(str(value[key])) for key in ("releases", "times"))
    return counted(releases, "release") + ("" if releases == times else f" at {counted(times, 'time')}")


def sheet_at_delta(value: Object, show: bool, output: Output) -> Sheet:
    """Return the table of an account at a δ."""
    told, releases = as_object(value["worst_case"], "worst_case"), int(str(value["releases"]))
    notes = (WITHIN, f"Head of the account: {value['head']}")
    title = counted_with_times(value)
    if show:
        rows: list[list[Cell]] = [[time, str(own)] for time, own in enumerate(as_list(told["delta_at_most"], "δ"), 1)]
        return Sheet(title, ("time", AT_MOST), rows, notes)
    columns: list[str | Heading] = ["releases", Heading("limit of δ", "delta")]
    cells: list[Cell] = [releases, str(value["delta"])]
    if releases:
        worst = as_object(told["worst"], "worst")
        columns += ["at time", AT_MOST]
        cells += [int(str(worst["time"])), str(worst["delta_at_most"])]
    if output.as_csv:
        columns.append("head")
        cells.append(str(value["head"]))
    return Sheet(title, tuple(columns), [cells], notes)


def conclusion_at_delta(account: ProfileAccount, value: Object) -> str:
    """Say what the releases so far leave protected, and how far that is from the limit."""
    limit = f"({account.cap.exact_text}, {value['delta']})"
    if not account.releases:
        return f"No release yet. At each time TPL is to stay within {limit}."
    worst = as_object(as_object(value["worst_case"], "worst_case")["worst"], "worst")
    return (
        f"{counted_with_times(value)}: TPL stays within {limit} at every time (exact worst case).\n"
        f"At time {worst['time']} the chance of a set of outputs changes {odds(account.cap)}, "
        f"plus {worst['delta_at_most']}."
    )


def _at_most(bound: Fraction) -> str:
    return decimal_text(outward(bound, bound, DIGITS_IN_BRIEF).upper)
