"""The audit of one or many users' matrices: everything worth knowing about them, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import reduce

from ..contract.allocation import QUANTIFIED, UPPER_BOUND, agreeing_order
from ..contract.limits import check_leakage, check_schedule
from ..contract.losses import loss_function_of
from ..data.adversaries import Known, adversaries_of, losses_of
from ..data.files import ROLES
from ..models.chain import MOST_REVERSED_STATES, NOT_ASKED, OneChain, one_chain, worst_chain
from ..models.model import Answers, Model, answered
from ..models.schedules import CONSTANT
from ..models.worst_case import WorstCase
from ..output.progress import patience
from ..reference import (
    Adversary,
    InfeasibleBudget,
    InvalidRequest,
    Leakage,
    Level,
    LossFunction,
    PopulationLeakage,
    Supremum,
    TransitionMatrix,
    maximum,
    parse_level,
    supremum,
)
from ..reference.paper.leakage import Matrices, matrices_of
from ..system.signals import limited
from ..wire.values import KINDS
from .comparison import Measurement
from .hazards import Hazard, KnownMatrix, hazards, user_hazards
from .measurements import MatrixMeasurements, critical_budget, measure_matrix, measure_user
from .revealing_values import RevealingValue, revealing_value, worst_revealing_value
from .structure import MOST_STATIONARY_STATES, Structure, structure

TABLE_LEVELS = ("0.01", "0.1", "0.5", "1", "2", "5", "10")
"""The levels at which the report has L."""

MOST_MEASURED = 20
"""Doubles are tried on at most this many matrices and users, the first; each costs about a second."""

MOST_CURVES = 12
"""For a page, the error is measured at many levels for at most this many matrices, the first."""

CURVE_LEVELS = tuple(10 ** (step / 5) for step in range(-15 * 5, 3 * 5 + 1))
"""The levels of the picture of the error, from 1e-15 to 1000."""


@dataclass(frozen=True, slots=True)
class MatrixAudit:
    """The audit of one matrix.

    used_as: users and roles. states: their names, if any. values: L at the levels of `TABLE_LEVELS`. critical: the
    least budget under which the paper's bound is infinite, 0 for every positive one, None for none. measurements and
    hazards: None and () where doubles were not tried.
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
        """The first user and role of the matrix, and the number of others."""
        user, role = self.used_as[0]
        more = len(self.used_as) - 1
        return f"{user}, {role}" + (f" and {more} more" if more else "")


@dataclass(frozen=True, slots=True)
class Worst:
    """The greatest or least of several levels; the names of those who attain it, or the times."""

    level: Level
    names: tuple[str, ...] = ()
    times: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelAudit:
    """The leakage and budgets of one user by one model, or those of the worst of several users, with names.

    leakage: of each kind over time. worst: the greatest of each kind over the schedule. suprema: of each kind with the
    greatest budget of the schedule at every time, over an infinite horizon. constant: the greatest budget that keeps
    TPL within α over an infinite horizon; refusal: why there is none. schedule: first, middle and last budget for the
    horizon, by Algorithm 8 where the model has it, else constant. with_reversal: the supremum of TPL with the reversal
    of P^F instead of P^B; None where they are equal or it was not computed. revealing_value: for a stationary chain and
    the exact worst case, the single value that reveals most to an adversary who knows it.
    """

    leakage: Mapping[str, tuple[Worst, ...]]
    worst: Mapping[str, Worst]
    suprema: Mapping[str, Worst]
    constant: Worst | None
    schedule: Mapping[str, Worst]
    refusal: str
    with_reversal: Level | None = None
    revealing_value: RevealingValue | None = None


@dataclass(frozen=True, slots=True)
class UserAudit:
    """The audit of one user. models: by the key of each model.

    Of the paper's bound alone: ruling, the suprema of BPL and FPL with their witnesses, by role; critical, the lesser
    one of the two matrices; measurements and hazards of its formulas in doubles. chain: whether both matrices belong to
    one chain; None where one is unknown or the chain was not computed.
    """

    name: str
    roles: tuple[str, ...]
    models: Mapping[str, ModelAudit]
    ruling: Mapping[str, Supremum]
    critical: Level | None
    measurements: tuple[Measurement, ...]
    hazards: tuple[Hazard, ...]
    chain: OneChain | None


@dataclass(frozen=True, slots=True)
class Audit:
    """The whole report.

    greatest: the greatest budget of the schedule, which suprema assume at every time. everyone: the worst over all
    users, by the key of each model. answers: of each model, by kind of user. left_out: what was not computed, and why.
    """

    epsilons: tuple[Level, ...]
    greatest: Level
    alpha: Level
    users: tuple[UserAudit, ...]
    known: tuple[Matrices, ...]
    everyone: Mapping[str, ModelAudit]
    matrices: tuple[MatrixAudit, ...]
    answers: Answers[Mapping[object, ModelAudit]]
    left_out: tuple[str, ...]

    @property
    def models(self) -> tuple[Model, ...]:
        """The models that have an answer, in order."""
        return tuple(self.answers.found)

    def printed(self, convert: Callable[[Level], Level]) -> Audit:
        """Return the audit with its budgets converted to another neighbouring relation, by `convert`."""

        def of_model(own: ModelAudit) -> ModelAudit:
            constant = None if own.constant is None else replace(own.constant, level=convert(own.constant.level))
            schedule = {place: replace(worst, level=convert(worst.level)) for place, worst in own.schedule.items()}
            return replace(own, constant=constant, schedule=schedule)

        def optional(level: Level | None) -> Level | None:
            return None if level is None else convert(level)

        return replace(
            self,
            epsilons=tuple(map(convert, self.epsilons)),
            greatest=convert(self.greatest),
            users=tuple(
                replace(
                    user,
                    models={key: of_model(own) for key, own in user.models.items()},
                    critical=optional(user.critical),
                )
                for user in self.users
            ),
            everyone={key: of_model(own) for key, own in self.everyone.items()},
            matrices=tuple(replace(matrix, critical=optional(matrix.critical)) for matrix in self.matrices),
        )

    @property
    def critical(self) -> Worst | None:
        """The least budget under which the paper's bound is infinite for some user; None if there is none."""
        known = {user.name: user.critical for user in self.users if user.critical is not None}
        return worst_of(known, least=True) if known else None

    @property
    def chain(self) -> str:
        """Whether the matrices of each user belong to one chain, in words; of several users the worst."""
        found = [user.chain for user in self.users if len(user.roles) == len(ROLES)]
        known = [chain for chain in found if chain is not None]
        if len(known) < len(found):
            return f"not compared, for more than {MOST_STATIONARY_STATES} states"
        return worst_chain(known) if known else NOT_ASKED


def worst_of(levels: Mapping[str, Level], least: bool = False) -> Worst:
    """Return the greatest or the least of several levels by `agreeing_order`, and the names of those who attain it."""
    sign = -1 if least else 1
    names = list(levels)
    best = reduce(lambda one, other: other if sign * agreeing_order(levels[other], levels[one]) > 0 else one, names)
    return Worst(levels[best], tuple(name for name in names if agreeing_order(levels[name], levels[best]) == 0))


def _everyone(each: Mapping[str, ModelAudit], population: PopulationLeakage[str]) -> ModelAudit:
    """Return the worst over all users by one model."""
    worst = {}
    for kind in KINDS:
        best = worst_of({name: own.worst[kind].level for name, own in each.items()})
        times = {time for name in best.names for time in each[name].worst[kind].times}
        worst[kind] = Worst(best.level, best.names, tuple(sorted(times)))
    constants = {name: own.constant.level for name, own in each.items() if own.constant is not None}
    places = next(iter(each.values())).schedule if all(own.schedule for own in each.values()) else ()
    refused = [(name, own.refusal) for name, own in each.items() if own.refusal]
    return ModelAudit(
        leakage={
            kind: tuple(Worst(best.level, best.attained_by) for best in getattr(population, kind)) for kind in KINDS
        },
        worst=worst,
        suprema={kind: worst_of({name: own.suprema[kind].level for name, own in each.items()}) for kind in KINDS},
        constant=worst_of(constants, least=True) if len(constants) == len(each) else None,
        schedule={
            place: worst_of({name: own.schedule[place].level for name, own in each.items()}, least=True)
            for place in places
        },
        revealing_value=worst_revealing_value({name: own.revealing_value for name, own in each.items()}),
        refusal="" if not refused else refused[0][1] if len(each) == 1 else ": ".join(refused[0]),
    )


def audit(
    users: Mapping[str, Known],
    epsilons: Sequence[Level],
    alpha: Level,
    models: Sequence[Model],
    *,
    states: Mapping[TransitionMatrix, tuple[str, ...]] | None = None,
    curves: bool = False,
    literal: bool = False,
    digits: int = 17,
    seconds: float | None = None,
) -> Audit:
    """Audit users by name, each with the matrices that are known of them, by role.

    Args: epsilons, the budgets of the releases; alpha, the level that TPL is to stay within; models, in the order in
    which they are shown; states, names of states; curves, whether the error in doubles is measured at many levels, for
    a picture; literal, as for loss functions; digits, in which the answers will be written; seconds of processor time,
    after which the exact worst case is left out, as where it is undecided or interrupted. Raises: the contract's
    errors.
    """
    with patience("loss functions") as progress:
        adversaries = adversaries_of(users, literal, progress)
    check_leakage(epsilons, losses_of(adversaries), digits, len(adversaries))
    check_schedule(len(epsilons), digits)
    greatest = maximum(dict(enumerate(epsilons))).level
    matrices = _matrices(users, adversaries, greatest, states or {}, curves)
    asked = _Asked(epsilons, greatest, alpha, digits)
    kinds: dict[str, object] = {name: (id(own.backward), id(own.forward)) for name, own in adversaries.items()}
    cases: dict[object, _Case] = {}
    with patience("users") as progress:
        for number, (name, adversary) in enumerate(adversaries.items(), 1):
            if kinds[name] not in cases:
                cases[kinds[name]] = _case(name, adversary, asked, len(cases) < MOST_MEASURED)
            progress(number, len(adversaries))
    populations: dict[str, PopulationLeakage[str]] = {}

    def ask(model: Model) -> Mapping[object, ModelAudit]:
        by_time = seconds is not None and model.key == WorstCase.key
        with limited(seconds or 0) if by_time else nullcontext(), patience(model.title) as progress:
            populations[model.key] = found = model.leakage(epsilons, adversaries)
            audited = {}
            for number, (kind, case) in enumerate(cases.items(), 1):
                audited[kind] = _by(model, case, found.each[case.user.name], asked)
                progress(number, len(cases))
        return audited

    able, too_large = _able(models, len(epsilons), adversaries)
    answers = answered(able, ask)
    answers.absent |= too_large
    by_model = {
        model.key: {name: found[kind] for name, kind in kinds.items()} for model, found in answers.found.items()
    }
    everyone = {key: _everyone(found, populations[key]) for key, found in by_model.items()}
    left_out = [f"{matrix.name}: {what}" for matrix in matrices for what in _left_out(matrix)]
    left_out += [f"{case.user.name}: {what}" for case in cases.values() for what in _not_compared(case)]
    if len(matrices) > MOST_MEASURED or len(cases) > MOST_MEASURED:
        left_out.append(f"doubles are tried on the first {MOST_MEASURED} matrices and users only")
    each = tuple(
        replace(cases[kind].user, name=name, models={key: found[name] for key, found in by_model.items()})
        for name, kind in kinds.items()
    )
    known = tuple(map(matrices_of, adversaries.values()))
    return Audit(tuple(epsilons), greatest, alpha, each, known, everyone, matrices, answers, tuple(left_out))


def _able(
    models: Iterable[Model], releases: int, adversaries: Mapping[str, Adversary]
) -> tuple[list[Model], dict[str, str]]:
    """Return the models that can handle this size, and the reasons for the others. Raises: InvalidRequest."""
    able, absent, refusal = [], {}, None
    for model in models:
        try:
            model.check(releases, adversaries)
            able.append(model)
        except InvalidRequest as error:
            refusal, absent[model.key] = error, f"the {model.title} was not worked out: {error}"
    if refusal is not None and not able:
        raise refusal
    return able, absent


@dataclass(frozen=True, slots=True)
class _Asked:
    epsilons: Sequence[Level]
    greatest: Level
    alpha: Level
    digits: int


@dataclass(frozen=True, slots=True)
class _Case:
    """Users with equal matrices: the audit of the first of them, without models.

    with_reversal: the adversary who has the reversal of P^F instead of P^B.
    """

    user: UserAudit
    adversary: Adversary
    with_reversal: Adversary | None


def _case(name: str, adversary: Adversary, asked: _Asked, measured: bool) -> _Case:
    losses = {role: loss for role, loss in zip(ROLES, (adversary.backward, adversary.forward), strict=True) if loss}
    ruling = {role: supremum(loss, asked.greatest) for role, loss in losses.items()}
    critical = {role: level for role, loss in losses.items() if (level := critical_budget(loss)) is not None}
    measurements = measure_user(adversary, asked.epsilons, asked.alpha) if measured else ()
    backward, forward = matrices_of(adversary)
    chain = with_reversal = None
    if backward is not None and forward is not None and forward.n <= MOST_STATIONARY_STATES:
        chain = one_chain(backward, forward)
        if chain.reversal is not None and not chain.fits and forward.n <= MOST_REVERSED_STATES:
            with_reversal = Adversary(loss_function_of(chain.reversal), adversary.forward)
    user = UserAudit(
        name=name,
        roles=tuple(losses),
        models={},
        ruling=ruling,
        critical=worst_of(critical, least=True).level if critical else None,
        measurements=measurements,
        hazards=user_hazards(measurements),
        chain=chain,
    )
    return _Case(user, adversary, with_reversal)


def _by(model: Model, case: _Case, own: Leakage, asked: _Asked) -> ModelAudit:
    """Return the audit by one model of users with equal matrices. Raises: Undecided."""
    worst = {}
    for kind in KINDS:
        best = model.greatest(dict(enumerate(getattr(own, kind), 1)))
        worst[kind] = Worst(best.level, times=best.attained_by)
    constant, schedule, refusal = _budgets(model, {"": case.adversary}, asked)
    has_one = model.key == WorstCase.key and case.user.chain is not None and case.user.chain.fits
    return ModelAudit(
        leakage={kind: tuple(map(Worst, getattr(own, kind))) for kind in KINDS},
        worst=worst,
        suprema=dict(zip(KINDS, map(Worst, model.suprema(asked.greatest, case.adversary)), strict=True)),
        constant=constant,
        schedule=schedule,
        refusal=refusal,
        revealing_value=revealing_value(asked.epsilons, case.adversary, worst["tpl"].level) if has_one else None,
        with_reversal=None if case.with_reversal is None else model.suprema(asked.greatest, case.with_reversal)[2],
    )


def _budgets(
    model: Model, adversary: Mapping[str, Adversary], asked: _Asked
) -> tuple[Worst | None, dict[str, Worst], str]:
    """Return the constant budget and those of the schedule, verified, and why there are none. Raises: Undecided."""
    constant, schedule, refusal = None, {}, ""
    try:
        (budget,) = model.schedule(asked.alpha, adversary, UPPER_BOUND, None, asked.digits)
        model.kept_for_ever(budget, adversary, asked.alpha)
        constant = Worst(budget)
    except InfeasibleBudget as error:
        refusal = str(error)
    method, horizon = QUANTIFIED if QUANTIFIED in model.longest else CONSTANT, len(asked.epsilons)
    if horizon <= model.longest[method]:
        with suppress(InfeasibleBudget):
            found = model.schedule(asked.alpha, adversary, method, horizon, asked.digits)
            model.kept(found, adversary, asked.alpha, attained=method == QUANTIFIED)
            places = {"first": 0, "middle": 1, "last": -1} if horizon > 2 else {"first": 0, "last": -1}
            schedule = {place: Worst(found[index]) for place, index in places.items() if horizon > 1 or not index}
    return constant, schedule, refusal


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


def _not_compared(case: _Case) -> list[str]:
    backward, forward = matrices_of(case.adversary)
    if backward is not None and forward is not None and case.user.chain is None:
        return [f"whether P^B is the reversal of P^F, for more than {MOST_STATIONARY_STATES} states"]
    if case.user.chain is not None and case.user.chain.difference and case.with_reversal is None:
        return [f"what the reversal of P^F would leak, for more than {MOST_REVERSED_STATES} states"]
    return []
