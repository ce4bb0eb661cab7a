"""`allocate --delta`: budgets beyond pure ε, by the exact worst case alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..contract.allocation import UPPER_BOUND
from ..data.adversaries import pairs_at_delta
from ..data.files import Files
from ..models.chain import KnownPair
from ..models.kept_profile import (
    EPSILON,
    MOST_SOUGHT_DIGITS,
    NOISE_MULTIPLIER,
    RHO,
    SOUGHT_KINDS,
    KeptParameter,
    SoughtBudget,
    kept_budget,
)
from ..models.neighbours import Neighbours
from ..models.schedules import CONSTANT, MOST_FITTED
from ..output.progress import patience
from ..output.sheets import Cell, Conclusion, Output, Sheet
from ..reference import InvalidRequest, WorstAlpha
from ..reference.decimals import outward
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import decimal_text
from .beyond_pure import (
    alpha_value,
    basis_at_delta,
    chance_of,
    delta_value,
    enclosing,
)
from .options import Correlations

BUDGET_COLUMNS = dict(zip(SOUGHT_KINDS, ("ε", "noise / sensitivity", "ρ"), strict=True))


@dataclass(frozen=True, slots=True)
class AllocateAtDelta:
    """`allocate --delta`: what was asked, as it was written."""

    alpha: str
    delta: str
    delta_per_release: str | None
    kind: str
    horizon: int | None
    method: str | None
    correlations: Correlations
    neighbours: Neighbours

    def write(self, files: Files, output: Output) -> None:
        """Seek the greatest ε at a δ per release, the least noise multiplier, or the greatest ρ, and write it."""
        output = enclosing(output)
        alpha = Reader().level(self.alpha, "--alpha")
        delta = chance_of(self.delta, "--delta")
        sought = SoughtBudget(
            self.kind, chance_of(self.delta_per_release or "0", "--delta-per-release"), self.neighbours
        )
        if self.method not in (None, CONSTANT, *([UPPER_BOUND] if self.horizon is None else [])):
            raise InvalidRequest(f"--delta needs --method {CONSTANT}")
        if self.horizon is not None and not 1 <= self.horizon <= MOST_FITTED:
            raise InvalidRequest(f"--steps is from 1 to {MOST_FITTED} with --delta, not {self.horizon}")
        known = pairs_at_delta(self.correlations.known(files))
        digits = min(output.digits, MOST_SOUGHT_DIGITS)
        with patience("budgets") as progress:
            found = kept_budget(
                sought, alpha, delta, [*known.values()], horizon=self.horizon, digits=digits, advance=progress
            )
        self._conclude(found, output, files, known)

    def _conclude(self, found: KeptParameter, output: Output, files: Files, known: dict[str, KnownPair]) -> None:
        asked, symbol, told = _told(found, output)
        each = _decimal(found.kept)
        beyond = None if found.exceeds is None else _decimal(found.exceeds)
        own: Object = {
            self.kind: each,
            f"{self.kind}_that_exceeds": beyond,
            **({"delta_per_release": self.delta_per_release or "0"} if self.kind == EPSILON else {}),
            **({} if found.time is None else {"time": found.time}),
            asked: told,
        }
        what = {
            NOISE_MULTIPLIER: f"has Gaussian noise of at least {each} times the sensitivity",
            RHO: f"is ρ-zCDP with ρ at most {each}",
            EPSILON: f"spends at most ε = {each} with δ = {self.delta_per_release or 0}",
        }[self.kind]
        nearest = "" if beyond is None else f" With {beyond} some stream exceeds that."
        each_one = "every release, however many," if self.horizon is None else f"each of {self.horizon} releases"
        each_one = "the one release" if self.horizon == 1 else each_one
        text = f"At α = {self.alpha} TPL stays within δ = {self.delta} if {each_one} {what}.{nearest}"
        title = f"The budget of {each_one.rstrip(',')}"
        greatest = f"greatest {symbol}"
        where: tuple[str, ...] = (greatest,) if found.time is None else (f"{greatest} at time", f"{symbol} there")
        columns = (BUDGET_COLUMNS[self.kind], "not kept with", *where)
        at: list[Cell] = [] if found.time is None else [found.time]
        rows: list[list[Cell]] = [[each, beyond or "", *at, told]]
        conclusion = Conclusion(text, basis_at_delta(self.correlations, files, known, self.neighbours))
        value: Object = {"alpha": self.alpha, "delta": self.delta, "releases": self.horizon, "worst_case": own}
        output.conclude(conclusion, [value], Sheet(title, columns, rows))


def _told(found: KeptParameter, output: Output) -> tuple[str, str, Object]:
    if isinstance(found.told, WorstAlpha):
        return "alpha", "α", alpha_value(found.told, output)
    return "delta", "δ", delta_value(found.told, output)


def _decimal(number: Fraction) -> str:
    return decimal_text(outward(number, number, 2 * MOST_SOUGHT_DIGITS).lower)
