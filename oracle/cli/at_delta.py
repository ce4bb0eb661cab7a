"""`allocate --delta`: budgets beyond pure ε, by the exact worst case alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context
from fractions import Fraction
from functools import cache

from ..checked import fast_worst_case_budget, fast_worst_case_leakage
from ..data.files import Files
from ..models.chain import KnownPair
from ..models.kept_profile import FINEST, KeptParameter, kept_parameter
from ..models.neighbours import Neighbours
from ..models.schedules import CONSTANT, MOST_FITTED
from ..models.stream_profile import greatest_delta, profiles_of
from ..output.progress import Advance, patience
from ..output.sheets import DIGITS_IN_BRIEF, Cell, Conclusion, Output, Sheet
from ..reference import (
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    InfeasibleBudget,
    InvalidRequest,
    Level,
    PrivacyBudget,
    WorstDelta,
)
from ..reference.decimals import outward
from ..reference.stepwise import matrices_in
from ..reference.worst_case.concentrated import LEAST_RHO
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import decimal_text
from .beyond_pure import (
    basis_at_delta,
    chance_of,
    delta_value,
    enclosing,
    known_pairs,
)
from .options import Correlations

MOST_SOUGHT_DIGITS = 12
"""Greatest number of digits of a budget that is found by bisection."""

EPSILON, NOISE_MULTIPLIER, RHO = SOUGHT_KINDS = ("epsilon", "noise_multiplier", "rho")
"""Kinds of budgets to find: ε at a δ per release, the least noise multiplier, or ρ."""

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
        release_delta = chance_of(self.delta_per_release or "0", "--delta-per-release")
        horizon = self._checked(alpha, delta)
        known = known_pairs(self.correlations, files)
        if {matrix.n for pair in known.values() for each in pair for matrix in matrices_in(each)} == {1}:
            raise InvalidRequest("with one state there is nothing to distinguish: every budget keeps TPL within α")
        if not delta and self.kind != EPSILON:
            raise InfeasibleBudget(
                "at δ = 0 no Gaussian noise and no ρ above 0 keeps TPL within a finite α: give a --delta above 0"
            )
        begin = Fraction(1)
        if self.kind != NOISE_MULTIPLIER and not alpha.is_zero:
            begin = Fraction(alpha.enclosure(DIGITS_IN_BRIEF).upper)
        digits = min(output.digits, MOST_SOUGHT_DIGITS)
        with patience("budgets") as progress:
            if not delta and not release_delta and self.kind == EPSILON:
                found = greatest_pure(alpha, list(known.values()), horizon, self.neighbours, digits)
            else:
                found = kept_parameter(
                    self._deltas(alpha, horizon, list(known.values()), release_delta, progress),
                    [(horizon + 1) // 2, *(time for time in range(horizon, 0, -1) if time != (horizon + 1) // 2)],
                    delta=delta,
                    safest=None if self.kind == NOISE_MULTIPLIER else Fraction(0),
                    begin=begin if self.kind != RHO else begin * begin / 2,
                    digits=digits,
                    least=LEAST_RHO if self.kind == RHO else FINEST,
                )
        self._conclude(found, horizon, output, files, known)

    def _checked(self, alpha: Level, delta: Fraction) -> int:
        """Return the horizon. Raises: InvalidRequest for what has no answer."""
        if self.method not in (None, CONSTANT):
            raise InvalidRequest(f"--delta needs --method {CONSTANT}")
        if self.horizon is None or not 1 <= self.horizon <= MOST_FITTED:
            raise InvalidRequest(f"--steps is from 1 to {MOST_FITTED} with --delta, not {self.horizon}")
        if alpha.is_infinite or delta == 1:
            raise InvalidRequest("with α = inf or δ = 1 every budget is allowed: give a smaller value")
        return self.horizon

    def _budget(self, parameter: Fraction, release_delta: Fraction) -> PrivacyBudget:
        own: PrivacyBudget
        if self.kind == NOISE_MULTIPLIER:
            own = GaussianBudget(parameter)
        elif self.kind == RHO:
            own = ConcentratedBudget(parameter)
        else:
            own = ApproximateBudget(Level.of(parameter), release_delta)
        return self.neighbours.replaced(own)

    def _deltas(
        self, alpha: Level, horizon: int, known: Sequence[KnownPair], release_delta: Fraction, progress: Advance
    ) -> Callable[[Fraction, int], WorstDelta]:
        """Return δ of TPL by parameter and time."""
        done = 0

        @cache
        def delta_at(parameter: Fraction, time: int) -> WorstDelta:
            nonlocal done
            budgets = [self._budget(parameter, release_delta)] * horizon
            found = greatest_delta(profiles_of("tpl", budgets, time, known), alpha)
            done += 1
            progress(done, 0)
            return found

        return delta_at

    def _conclude(
        self, found: KeptParameter, horizon: int, output: Output, files: Files, known: dict[str, KnownPair]
    ) -> None:
        each = _decimal(found.kept)
        beyond = None if found.exceeds is None else _decimal(found.exceeds)
        own: Object = {
            self.kind: each,
            f"{self.kind}_that_exceeds": beyond,
            **({"delta_per_release": self.delta_per_release or "0"} if self.kind == EPSILON else {}),
            "time": found.time,
            "delta": delta_value(found.delta, output),
        }
        what = {
            NOISE_MULTIPLIER: f"has Gaussian noise of at least {each} times the sensitivity",
            RHO: f"is ρ-zCDP with ρ at most {each}",
            EPSILON: f"spends at most ε = {each} with δ = {self.delta_per_release or 0}",
        }[self.kind]
        nearest = "" if beyond is None else f" With {beyond} some stream exceeds that."
        each_one = f"each of {horizon} releases" if horizon > 1 else "the one release"
        text = f"At α = {self.alpha} TPL stays within δ = {self.delta} if {each_one} {what}.{nearest}"
        title = f"The budget of {each_one}"
        columns = (BUDGET_COLUMNS[self.kind], "not kept with", "greatest δ at time", "δ there")
        rows: list[list[Cell]] = [[each, beyond or "", found.time, own["delta"]]]  # type: ignore[list-item]
        conclusion = Conclusion(text, basis_at_delta(self.correlations, files, known, self.neighbours))
        value: Object = {"alpha": self.alpha, "delta": self.delta, "releases": horizon, "worst_case": own}
        output.conclude(conclusion, [value], Sheet(title, columns, rows))


def greatest_pure(
    alpha: Level, known: Sequence[KnownPair], horizon: int, neighbours: Neighbours, digits: int
) -> KeptParameter:
    """Return the greatest ε of pure releases whose δ at α is 0: their exact worst case is at most α.

    Raises: InvalidRequest where every ε keeps that; InfeasibleBudget for α = 0; Undecided.
    """
    budget = min(fast_worst_case_budget(alpha, backward, forward, horizon) for backward, forward in known)
    if budget.is_infinite:
        raise InvalidRequest("with one state there is nothing to distinguish: every ε keeps TPL within α")
    part = 2 if neighbours.converts else 1
    found = budget.enclosure(digits + 2)
    ends = outward(Fraction(found.lower) / part, Fraction(found.upper) / part, digits)
    is_kept = budget.rational == part * Fraction(ends.upper)
    beyond = ends.upper.next_plus(Context(prec=digits)) if is_kept else ends.upper
    (spent,) = neighbours.read([Level.of(Fraction(ends.lower))])
    told = [fast_worst_case_leakage([spent] * horizon, backward, forward).tpl for backward, forward in known]
    worst = [max(levels) for levels in zip(*told, strict=True)]
    nothing = WorstDelta(Fraction(0), Fraction(0))
    return KeptParameter(Fraction(ends.lower), Fraction(beyond), worst.index(max(worst)) + 1, nothing)


def _decimal(number: Fraction) -> str:
    return decimal_text(outward(number, number, 2 * MOST_SOUGHT_DIGITS).lower)
