"""The audit of one or many users' matrices: everything worth knowing about them, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from ..contract.allocation import QUANTIFIED, UPPER_BOUND, AllocationTarget, verified, verified_for_ever
from ..contract.limits import check_leakage, check_schedule
from ..data.adversaries import Known, adversaries_of, losses_of
from ..data.files import ROLES
from ..models.chain import matrices_of
from ..output.progress import patience
from ..reference import (
    Adversary,
    InfeasibleBudget,
    Leakage,
    Level,
    LossFunction,
    PopulationLeakage,
    Supremum,
    TransitionMatrix,
    Undecided,
    maximum,
    parse_level,
    population_leakage,
    supremum,
)
from ..reference.paper.allocation import AGREEING_DIGITS
from ..reference.paper.leakage import apply
from ..solvers.worst_case.doubles import Matrices
from ..wire.values import KINDS
from .comparison import Measurement
from .hazards import Hazard, KnownMatrix, hazards, user_hazards
from .measurements import MatrixMeasurements, critical_budget, measure_matrix, measure_user
from .structure import MOST_STATIONARY_STATES, Structure, structure
from .worst_case import MOST_REVERSED_STATES, ExactWorst, OneChain, exact_worst, one_chain

TABLE_LEVELS = ("0.01", "0.1", "0.5", "1", "2", "5", "10")
"""The levels at which the report has L."""

WORST_CASE_LEFT_OUT = "the exact worst case, which was not worked out: here are the paper's bounds, which hold"

MOST_MEASURED = 20
"""Doubles are tried on so many matrices and users, the first."""

MOST_CURVES = 12
"""For a page: the error is measured at many levels for so many matrices, the first."""

CURVE_LEVELS = tuple(10 ** (step / 5) for step in range(-15 * 5, 3 * 5 + 1))
"""The levels of the picture of the error, from 1e-15 to 1000."""


@dataclass(frozen=True, slots=True)
class MatrixAudit:
    """What one matrix is like. used_as: the users and roles; states: their names, empty where they have none.

    values: L at the levels of `TABLE_LEVELS`. critical: the least budget under which leakage grows without bound, 0 for
    every positive one, None for none. measurements and hazards: None and () where doubles were not tried.
    """

    used_as: tuple[tuple[str, str], ...]
    states: tuple[str, ...]
    structure: Structure
    loss: LossFunction
    values: tuple[Level, ...]
    critical: Level | None
    measurements: MatrixMeasurements | None
    hazards: tuple[Hazard, ...]

    @property
    def name(self) -> str:
        """The first user and role that it is used as, and how many more there are."""
        user, role = self.used_as[0]
        more = len(self.used_as) - 1
        return f"{user}, {role}" + (f" and {more} more" if more else "")


@dataclass(frozen=True, slots=True)
class Worst:
    """The greatest (or least) of several levels, who attains it, and at which times where it has any."""

    level: Level
    names: tuple[str, ...]
    times: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class UserAudit:
    """What one user may expect. worst: of each kind of leakage the greatest over the schedule, with its times.

    suprema: of BPL, FPL and TPL if the greatest budget of the schedule were kept up for ever; ruling: those of BPL and
    FPL with their witnesses, by role. critical: as of a matrix, the lesser one of the two. constant: the largest budget
    that keeps TPL within α for ever; schedule: first, middle and last budget for the horizon, as far as there are such;
    refusal: why there is none. All these are the recursions'; exact: the exact worst case, None where it was not asked
    for. chain: whether both matrices are one chain's, None where not both are known or it was not worked out.
    """

    name: str
    roles: tuple[str, ...]
    leakage: Leakage
    worst: Mapping[str, Worst]
    suprema: Mapping[str, Level]
    ruling: Mapping[str, Supremum]
    critical: Level | None
    constant: Level | None
    schedule: Mapping[str, Level]
    refusal: str
    measurements: tuple[Measurement, ...]
    hazards: tuple[Hazard, ...]
    exact: ExactWorst | None
    chain: OneChain | None


@dataclass(frozen=True, slots=True)
class Audit:
    """The whole report. left_out: what was not worked out, and why.

    greatest: the greatest budget of the schedule, which suprema are about. population: the leakage over time, with the
    worst user's at each time.
    """

    epsilons: tuple[Level, ...]
    greatest: Level
    alpha: Level
    users: tuple[UserAudit, ...]
    matrices: tuple[MatrixAudit, ...]
    population: PopulationLeakage[str]
    left_out: tuple[str, ...]

    def worst(self, kind: str) -> Worst:
        """Return the greatest leakage of a kind over all users and times."""
        best = worst_of({user.name: user.worst[kind].level for user in self.users})
        times = {time for user in self.users if user.name in best.names for time in user.worst[kind].times}
        return Worst(best.level, best.names, tuple(sorted(times)))

    def worst_supremum(self, kind: str) -> Worst:
        """Return the greatest supremum of a kind over all users."""
        return worst_of({user.name: user.suprema[kind] for user in self.users})

    def exact_worst(self, kind: str) -> Worst | None:
        """Return the greatest `tpl` or `for_ever` of the exact worst case over all users; None where not asked for."""
        known = {user.name: user.exact for user in self.users if user.exact is not None}
        if not known:
            return None
        best = worst_of({name: getattr(exact, kind) for name, exact in known.items()})
        times = {time for name in best.names for time in known[name].times}
        return Worst(best.level, best.names, tuple(sorted(times)) if kind == "tpl" else ())

    @property
    def exact_constant(self) -> Worst | None:
        """The largest budget that keeps every user's exact worst TPL within α for ever; None where some has none."""
        known = {user.name: user.exact.constant for user in self.users if user.exact is not None}
        budgets = {name: constant for name, constant in known.items() if constant is not None}
        return worst_of(budgets, least=True) if budgets and len(budgets) == len(self.users) else None

    @property
    def critical(self) -> Worst | None:
        """The least budget under which the leakage of some user grows without bound; None where there is none."""
        known = {user.name: user.critical for user in self.users if user.critical is not None}
        return worst_of(known, least=True) if known else None

    @property
    def constant(self) -> Worst | None:
        """The largest budget that keeps every user's TPL within α for ever; None where some user has none."""
        known = {user.name: user.constant for user in self.users if user.constant is not None}
        return worst_of(known, least=True) if len(known) == len(self.users) else None

    def shared_schedule(self) -> dict[str, Level]:
        """Return first, middle and last budget of a schedule that is safe for every user; empty where one has none."""
        if not all(user.schedule for user in self.users):
            return {}
        places = self.users[0].schedule
        return {
            place: worst_of({user.name: user.schedule[place] for user in self.users}, least=True).level
            for place in places
        }


def worst_of(levels: Mapping[str, Level], least: bool = False) -> Worst:
    """Return the greatest or the least of several levels, and whose it is.

    Levels that agree in `AGREEING_DIGITS` digits and have no short exact forms to decide by are taken for equal.
    """
    sign = -1 if least else 1
    names = list(levels)
    best = reduce(lambda one, other: other if sign * _order(levels[other], levels[one]) > 0 else one, names)
    return Worst(levels[best], tuple(name for name in names if _order(levels[name], levels[best]) == 0))


def _order(one: Level, other: Level) -> int:
    if one.is_infinite or other.is_infinite:
        return one.is_infinite - other.is_infinite
    mine, theirs = one.enclosure(AGREEING_DIGITS), other.enclosure(AGREEING_DIGITS)
    if mine.upper < theirs.lower or mine.lower > theirs.upper:
        return 1 if mine.lower > theirs.upper else -1
    return one.compare(other) if one.exact_text is not None and other.exact_text is not None else 0


def audit(
    users: Mapping[str, Known],
    epsilons: Sequence[Level],
    alpha: Level,
    *,
    states: Mapping[TransitionMatrix, tuple[str, ...]] | None = None,
    curves: bool = False,
    tight: bool = False,
    digits: int = 17,
    bounds_alone: Callable[[Audit], None] = lambda _found: None,
) -> Audit:
    """Audit users by name, each with the matrices that are known of them, by role.

    Args: epsilons, the budgets of the releases; alpha, the level that TPL is to stay within; states, names of states;
    curves, whether the error in doubles is measured at many levels, for a picture; tight, whether the exact worst case
    is worked out too; digits, in which the answers will be written; bounds_alone, called with the report without the
    exact worst case where that is undecided or interrupted. Raises: the contract's errors.
    """
    with patience("loss functions") as progress:
        adversaries = adversaries_of(users, progress=progress)
    check_leakage(epsilons, losses_of(adversaries), digits, len(adversaries))
    check_schedule(len(epsilons), digits)
    greatest = maximum(dict(enumerate(epsilons))).level
    matrices = _matrices(users, adversaries, greatest, states or {}, curves)
    with patience("leakage"):
        population = population_leakage(epsilons, adversaries)
    given = _Asked(epsilons, greatest, alpha, digits)
    audited: dict[tuple[int, int], UserAudit] = {}
    kinds = {}
    with patience("suprema and budgets") as progress:
        for number, (name, adversary) in enumerate(adversaries.items(), 1):
            kinds[name] = key = id(adversary.backward), id(adversary.forward)
            if key not in audited:
                measured = len(audited) < MOST_MEASURED
                audited[key] = _user(name, adversary, population.each[name], given, measured)
            progress(number, len(adversaries))

    def report(audited: Mapping[tuple[int, int], UserAudit], tight: bool) -> Audit:
        each = tuple(replace(audited[key], name=name) for name, key in kinds.items())
        left_out = [f"{matrix.name}: {what}" for matrix in matrices for what in _left_out(matrix)]
        left_out += [f"{user.name}: {what}" for user in audited.values() for what in _not_compared(user, tight)]
        if len(matrices) > MOST_MEASURED or len(audited) > MOST_MEASURED:
            left_out.append(f"doubles are tried on the first {MOST_MEASURED} matrices and users only")
        return Audit(tuple(epsilons), greatest, alpha, each, matrices, population, tuple(left_out))

    bounds = report(audited, False)
    if not tight:
        return bounds
    try:
        with patience("exact worst case") as progress:
            for number, (key, user) in enumerate(audited.items(), 1):
                audited[key] = _with_worst_case(user, matrices_of(adversaries[user.name]), given)
                progress(number, len(audited))
    except (Undecided, KeyboardInterrupt):
        bounds_alone(replace(bounds, left_out=(*bounds.left_out, WORST_CASE_LEFT_OUT)))
        raise
    return report(audited, True)


def _with_worst_case(user: UserAudit, known: Matrices, given: _Asked) -> UserAudit:
    """Return the audit of a user with the exact worst case in it. Raises: as `exact_worst`."""
    exact = exact_worst(known, given.epsilons, given.greatest, given.alpha, given.digits)
    return replace(user, exact=exact, chain=one_chain(known, given.greatest, True))


def _matrices(
    users: Mapping[str, Known],
    adversaries: Mapping[str, Adversary],
    epsilon: Level,
    states: Mapping[TransitionMatrix, tuple[str, ...]],
    curves: bool,
) -> tuple[MatrixAudit, ...]:
    used: dict[int, list[tuple[str, str]]] = {}
    losses: dict[int, LossFunction] = {}
    for name, adversary in adversaries.items():
        for role in users[name]:
            loss = adversary.backward if role == "backward" else adversary.forward
            assert loss is not None
            losses[id(loss)] = loss
            used.setdefault(id(loss), []).append((name, role))
    found = []
    for number, (key, loss) in enumerate(losses.items()):
        with patience("structure") as progress:
            facts = structure(loss.matrix, progress)
        with patience("trying doubles"):
            curve = CURVE_LEVELS if curves and number < MOST_CURVES and not loss.is_zero else ()
            measured = measure_matrix(loss, epsilon, curve) if number < MOST_MEASURED else None
            shown = hazards(KnownMatrix(facts, loss, measured, epsilon)) if measured is not None else ()
        values = tuple(loss(parse_level(alpha)) for alpha in TABLE_LEVELS)
        names = states.get(loss.matrix, ())
        found.append(MatrixAudit(tuple(used[key]), names, facts, loss, values, critical_budget(loss), measured, shown))
    return tuple(found)


def _left_out(matrix: MatrixAudit) -> list[str]:
    facts = matrix.structure
    found = [] if matrix.measurements is None else list(matrix.measurements.left_out)
    if facts.stationary is None and len(facts.closed_classes) == 1:
        found.append(f"the stationary distribution, for more than {MOST_STATIONARY_STATES} states")
    if not facts.contrast_known:
        found.append("Birkhoff's bound: too many pairs of rows are equally far apart")
    if facts.nearest is not None and not facts.nearest.exact:
        found.append(
            "which rows are nearest: too many pairs are equally near; the one named is as near as doubles tell"
        )
    return found


def _not_compared(user: UserAudit, tight: bool) -> list[str]:
    if len(user.roles) == len(ROLES) and user.chain is None:
        return [f"whether P^B is the reversal of P^F, for more than {MOST_STATIONARY_STATES} states"]
    if tight and user.chain is not None and user.chain.difference and user.chain.for_ever is None:
        return [f"what the reversal of P^F would leak, for more than {MOST_REVERSED_STATES} states"]
    return []


@dataclass(frozen=True, slots=True)
class _Asked:
    epsilons: Sequence[Level]
    greatest: Level
    alpha: Level
    digits: int


def _user(name: str, adversary: Adversary, own: Leakage, given: _Asked, measured: bool) -> UserAudit:
    losses = {role: loss for role, loss in zip(ROLES, (adversary.backward, adversary.forward), strict=True) if loss}
    ruling = {role: supremum(loss, given.greatest) for role, loss in losses.items()}
    bpl, fpl = (ruling[role].level if role in ruling else given.greatest for role in ROLES)
    worst = {}
    for kind in KINDS:
        best = maximum(dict(enumerate(getattr(own, kind), 1)))
        worst[kind] = Worst(best.level, (name,), best.attained_by)
    critical = {role: level for role, loss in losses.items() if (level := critical_budget(loss)) is not None}
    constant, schedule, refusal = _budgets(adversary, given.alpha, len(given.epsilons))
    measurements = measure_user(adversary, given.epsilons, given.alpha) if measured else ()
    return UserAudit(
        name=name,
        roles=tuple(losses),
        leakage=own,
        worst=worst,
        suprema={"bpl": bpl, "fpl": fpl, "tpl": bpl + apply(adversary.forward, fpl)},
        ruling=ruling,
        critical=worst_of(critical, least=True).level if critical else None,
        constant=constant,
        schedule=schedule,
        refusal=refusal,
        measurements=measurements,
        hazards=user_hazards(measurements),
        exact=None,
        chain=one_chain(matrices_of(adversary), given.greatest, False),
    )


def _budgets(adversary: Adversary, alpha: Level, horizon: int) -> tuple[Level | None, dict[str, Level], str]:
    """Return the constant budget and those of the schedule, verified, and why there are none. Raises: Undecided."""
    constant, refusal = None, ""
    try:
        constant = AllocationTarget(alpha, UPPER_BOUND, None).budgets_for({"": adversary})[0].middle
        verified_for_ever(constant, [adversary], alpha)
    except InfeasibleBudget as error:
        refusal = str(error)
    promise = AllocationTarget(alpha, QUANTIFIED, horizon)
    try:
        budgets = promise.budgets_for({"": adversary})[0]
    except InfeasibleBudget:
        return constant, {}, refusal
    verified(promise.schedule(budgets), [adversary], alpha, attained=True)
    places: dict[str, Level] = {"first": budgets.first, "middle": budgets.middle, "last": budgets.last}
    if horizon < len(places):
        del places["middle"]
    return constant, {"first": alpha} if horizon == 1 else places, refusal
