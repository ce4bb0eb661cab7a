"""The public Python API's own functions: exact answers by whichever exact method is the quickest for the size.

Wherever a level is asked for, a plain number that is exact will do (`level`), and what is returned can be shown: as a
table, as a data frame, as a picture (`tploracle.tabular`).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar, cast

from . import reference
from .checked import fast_worst_case_budget, fast_worst_case_leakage, fast_worst_case_supremum
from .checked_loss import quick_loss_function, quick_optimum
from .contract.limits import MOST_RELEASES
from .data.clock import ONE_NUMBER, Time, by_time, check_all_timed, told_times
from .data.doubt import NOT_A_SEQUENCE, check_flags, doubt, sequence_of
from .data.frames import transition_matrix
from .data.steps import Duration
from .models.basis import Basis
from .models.chain import ROLES, chain_of, completed
from .models.kept_profile import EPSILON, MOST_SOUGHT_DIGITS, SOUGHT_KINDS, ProfileBudget, SoughtBudget, kept_budget
from .models.neighbours import REPLACE, neighbours_of
from .models.stream_profile import PRIVATE_STREAMS, ProfileSupremum, StreamProfile, stream_profile, supremum_at_delta
from .reference import (
    INFINITE,
    Adversary,
    ApproximateBudget,
    Budget,
    InvalidNumber,
    InvalidRequest,
    Level,
    LossFunction,
    OracleError,
    PrivacyBudget,
    TransitionCounts,
    TransitionMatrix,
    parse_level,
)
from .reference.errors import check_is
from .reference.numbers import exact, whole
from .reference.paper.leakage import Matrices, matrices_of
from .reference.stepwise import Stepwise
from .tabular import (
    KINDS,
    Column,
    StreamBudget,
    StreamBudgets,
    StreamGuarantee,
    StreamLeakage,
    StreamLevel,
    StreamPopulation,
    StreamSupremum,
    Tabular,
    WholeLoss,
)
from .unchecked import forget, unchecked

MatrixLike = TransitionMatrix | Sequence[Sequence[Any]] | Any
"""What stands for a matrix: one, rows of exact numbers or doubles, a numpy array, or a data frame."""

LossLike = LossFunction | MatrixLike
"""What stands for a loss function: one, or what stands for its matrix."""

LevelLike = Level | Fraction | Decimal | int | str
"""What stands for a level: a plain number that is exact, a text in the contract's notation, or a level."""

_VALUED = re.compile(r"--(totals|missing|entries|header|ids|comment) (\S+?)(?: \(in Python [^)]*\))?(?=[ ,;:]|$)")
_FLAG = re.compile(r"--(float64|normalise|force-normalise|one-sided|independent)\b(?!-)")
_NAMED = re.compile(r"--(knowing|prior|law|steps|order|histories|smoothing|per)(?=[:,]| needs| excludes| is)")
"""Options of the command line that are parameters in Python."""

ReleaseLike = LevelLike | tuple[LevelLike, LevelLike] | PrivacyBudget
"""What stands for a release: ε in nats, a pair (ε, δ), or a budget."""

Key = TypeVar("Key", bound=Hashable)


class NotExact(InvalidNumber, TypeError):
    """A float was given where an exact number is needed. Its contract name is InvalidNumber."""

    @property
    def name(self) -> str:
        """The contract's name of the error."""
        return InvalidNumber.__name__


def level(value: LevelLike) -> Level:
    """Return a privacy level in nats from a plain number.

    Args:
        value: a level, a text in the contract's notation, or an exact number, as `exact` reads it.

    Returns: exactly that level. Raises: NotExact, a TypeError, for a float, whose meaning is in doubt: 0.1 is not 1/10;
    InvalidLevel.

    >>> level("0.1"), level(Fraction(1, 10)), level(Decimal("0.1")), level("log(11/10)")
    (<Level 1/10>, <Level 1/10>, <Level 1/10>, <Level log(11/10)>)
    """
    if isinstance(value, Level):
        return value
    if isinstance(value, str):
        return parse_level(value)
    if isinstance(value, Decimal) and value == Decimal("Infinity"):
        return INFINITE
    try:
        return Level.of(exact(value))
    except InvalidNumber as error:
        if isinstance(value, Decimal):
            raise
        told = str(error) if isinstance(value, float) else f"{value!r} is not a level: give a text such as '0.1'"
        raise NotExact(told) from None


def levels(values: Iterable[LevelLike]) -> tuple[Level, ...]:
    """Return privacy levels from plain numbers.

    Args:
        values: each as for `level`, in nats, in their order.

    Returns: exactly those levels. Raises: as `level`; InvalidRequest for a text, a set, a mapping or a data frame.
    """
    return tuple(level(value) for value in sequence_of(values, "budgets"))


def paper_bound_leakage(epsilons: Iterable[LevelLike], adversary: Adversary) -> StreamLeakage:
    """Return the paper's bound of the leakage of releases with these budgets to one adversary. Exact as formulas.

    Args:
        epsilons: PL_0(M^t) for t = 1..T, T ≥ 1, in nats.
        adversary: what they know, from `tploracle.adversary`.

    Returns: BPL, FPL and TPL at each time; *upper* bounds of what any mechanism leaks, as `basis` says.
    Raises: TypeError for a matrix in place of the adversary; InvalidRequest without a release; as `level`; Undecided.

    >>> found = paper_bound_leakage(["log(2)", "log(2)"], adversary(forward=[["1/2", "1/2"], ["1", "0"]]))
    >>> found.tpl
    (<Level log(3)>, <Level log(3)>)
    """
    budgets = levels(epsilons)
    _check_adversaries(adversary)
    found = reference.leakage(budgets, adversary)
    return StreamLeakage(found.bpl, found.fpl, found.tpl, budgets, _basis(matrices_of(adversary)))


def population_leakage(epsilons: Iterable[LevelLike], adversaries: Mapping[Key, Adversary]) -> StreamPopulation[Key]:
    """Return the paper's bound of the leakage to several adversaries, Section 3.5. Exact as formulas.

    Args:
        epsilons: PL_0(M^t) for t = 1..T, T ≥ 1, in nats.
        adversaries: by name, at least one.

    Returns: each one's leakage, and the greatest at each time. Raises: InvalidRequest; as `level`; Undecided.

    >>> known = adversary(forward=[["1/2", "1/2"], ["1", "0"]])
    >>> found = population_leakage(["log(2)"], {"ann": known, "bob": adversary()})
    >>> found.tpl
    (Maximum(level=<Level log(2)>, attained_by=('ann', 'bob')),)
    """
    budgets = levels(epsilons)
    _check_named(adversaries)
    found = reference.population_leakage(budgets, adversaries)
    basis = _basis(*map(matrices_of, adversaries.values()))
    return StreamPopulation(found.each, found.bpl, found.fpl, found.tpl, budgets, basis)


def _check_adversaries(*given: object) -> None:
    for each in given:
        if not isinstance(each, Adversary):
            raise InvalidRequest(f"this needs an adversary: give adversary(forward=…), not {type(each).__name__}")


def _check_named(adversaries: object) -> None:
    if not isinstance(adversaries, Mapping):
        raise InvalidRequest(f"adversaries: give each by its name, in a mapping, not a {type(adversaries).__name__}")
    _check_adversaries(*adversaries.values())


def _budgets_of(own: reference.Leakage, epsilons: Iterable[LevelLike]) -> tuple[Level, ...]:
    """Return the budgets under which leakage is. Raises: InvalidRequest for those that it is not of."""
    given = levels(epsilons)
    check_is(reference.Leakage, own, "own")
    if isinstance(own, StreamLeakage) and given != own.epsilons:
        raise InvalidRequest(f"epsilons are not the budgets of the {len(own.bpl)} releases that own is of")
    return given


def _horizon(horizon: int | None) -> int | None:
    return None if horizon is None else whole(horizon, "horizon", most=MOST_RELEASES)


def _basis(*known: Matrices) -> Basis:
    """Return what an answer about adversaries who know these rests on."""
    return Basis.of(known, chain_of(known), f"{len(known)} users", unchecked=unchecked())


def _basis_under(own: reference.Leakage) -> Basis:
    """Return what an answer worked out from leakage rests on."""
    return own.basis if isinstance(own, StreamLeakage) else Basis("the adversary of the given leakage")


def _basis_of(loss: LossFunction | None) -> Basis:
    """Return what an answer about one loss function rests on, of whichever correlation it is."""
    return _basis((None, None)) if loss is None else Basis("knows the one correlation that is given")


class StreamAccountant(reference.Accountant, Tabular):
    """`tploracle.reference.Accountant`, which can be shown, and takes plain exact numbers for levels.

    >>> known = adversary(forward=[["1/2", "1/2"], ["1", "0"]])
    >>> account = StreamAccountant({"ann": known}, cap="1/2")
    >>> account.spend("log(11/10)").level
    <Level log(11/10)>
    >>> account.tpl(1).level
    <Level log(11/10)>
    """

    def __init__(
        self,
        adversaries: Mapping[str, Adversary],
        cap: LevelLike = INFINITE,
        spent: Iterable[LevelLike] = (),
        step: str | None = None,
    ) -> None:
        """Start before the first release, or after those whose budgets are already spent.

        Args: step, the time from one value to the next, as in "1h", for releases with times; 1 without it.
        """
        _check_named(adversaries)
        self._clock = ONE_NUMBER if step is None else Duration.of(step, "step")
        self._timed: list[tuple[Level, Time]] = []
        super().__init__(adversaries, level(cap), levels(spent))

    def spend(self, epsilon: LevelLike, at: Time | None = None) -> reference.Maximum[str]:
        """Account for one release of budget epsilon, as the reference does. Exact.

        Args:
            epsilon: PL_0(M^t), in nats.
            at: the time of the value that is released, a number, a date and time, or a text of one. Budgets of one time
                add up, and a time without a release is a budget of 0: `epsilons` and `releases` are then of times.
                All releases of an account have one or none; without, each is one step after the one before.

        Raises: as there, and as `level`; InvalidRequest for times that are not whole steps apart.
        """
        own = level(epsilon)
        check_all_timed(self.releases, len(self._timed), at)
        if at is None:
            return super().spend(own)
        timed = [*self._timed, (own, at)]
        budgets = by_time(timed, self._clock)
        before = dict(vars(self))
        try:
            super().__init__(self.adversaries, self.cap, budgets)
            now = self.bpl(self.releases)
        except BaseException:
            vars(self).update(before)
            raise
        self._timed = timed
        return now

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), *self.basis.lines()])

    @property
    def basis(self) -> Basis:
        """What the leakage rests on."""
        found = _basis(*map(matrices_of, self.adversaries.values()))
        told = told_times("", self.releases, self._clock if self._timed else None)
        return replace(found, step=told or found.step)

    def table(self) -> dict[str, Column]:
        """Return a row for each release so far: the greatest leakage of each kind, and whose the TPL is."""
        times = range(1, self.releases + 1)
        greatest = [(self.bpl(time), self.fpl(time), self.tpl(time)) for time in times]
        kinds = {kind: [found[place].level for found in greatest] for place, kind in enumerate(KINDS)}
        whose = [", ".join(found[-1].attained_by) for found in greatest]
        return {"time": times, "epsilon": [each.to_spend() for each in self.epsilons], **kinds, "tpl_of": whose}


def loss(matrix: MatrixLike, alpha: LevelLike) -> Level:
    """Return L(alpha), the part of leakage alpha that a correlation carries over one step, Eq. [eq:lfp_sol_b].

    Args:
        matrix: P^B or P^F, n × n.
        alpha: the previous BPL or the next FPL, in nats.

    Returns: the level, exact. Raises: Undecided.

    >>> loss([["4/5", "1/5"], ["0", "1"]], "log(11/10)")
    <Level log(27/25)>
    """
    nats = level(alpha)
    return quick_optimum(transition_matrix(matrix), nats).value(nats)


def loss_function(matrix: MatrixLike) -> WholeLoss:
    """Build the whole loss function of a transition matrix, Corollary 3 [col:L_func].

    Args:
        matrix: P^B or P^F, n × n.

    Returns: L on [0, ∞), exact: the same pieces, breakpoints and witnesses as `tploracle.reference.loss_function`, and
    as the paper's algorithms, `tploracle.reference.literal_loss_function`. Doubles choose what to look at; exact
    integers decide.

    >>> (piece,) = loss_function([["4/5", "1/5"], ["0", "1"]]).pieces
    >>> piece.q, piece.d
    (Fraction(4, 5), Fraction(0, 1))
    """
    own = transition_matrix(matrix)
    return WholeLoss(own, quick_loss_function(own).pieces)


def _loss_of(given: LossLike) -> LossFunction:
    return given if isinstance(given, LossFunction) else loss_function(given)


def adversary(
    *, backward: MatrixLike | None = None, forward: MatrixLike | None = None, one_sided: bool = False
) -> Adversary:
    """Build the adversary A^T(P^B, P^F), Definition 4 [def:adversary_t], who knows the correlations that are given.

    Args:
        backward: P^B, n × n, row j the distribution of the value before j; None where not known.
        forward: P^F, n × n, row j the distribution of the value after j; None where not known.
        one_sided: leave one correlation alone; otherwise the other one is its reversal, as in every command.

    Returns: the same adversary as `tploracle.reference.Adversary.knowing`, exact; the loss functions are built as by
    `loss_function`, once if equal. Raises: InvalidRequest for matrices of different sizes, and where no reversal
    follows; as `transition_matrix`.

    >>> adversary(forward=[["1/2", "1/2"], ["1", "0"]]).backward is None
    False
    >>> adversary(backward=[["4/5", "1/5"], ["0", "1"]], one_sided=True).forward is None
    True
    """
    given = _known(backward, forward, one_sided)
    losses = {matrix: quick_loss_function(matrix) for matrix in {*given} if matrix is not None}
    return Adversary(*(None if matrix is None else losses[matrix] for matrix in given))


@contextmanager
def in_python() -> Iterator[None]:
    """Name parameters where an error names options of the command line."""
    try:
        yield
    except OracleError as error:
        told = _VALUED.sub(r"\1='\2'", str(error))
        told = _NAMED.sub(r"\1", told)
        told = _FLAG.sub(lambda found: f"{found[1].replace('-', '_')}=True", told)
        raise type(error)(told).because(error.reason) from None


def _known(backward: MatrixLike | None, forward: MatrixLike | None, one_sided: bool) -> Matrices:
    """Return what an adversary knows: of one correlation the other one too, its reversal, unless one_sided says not."""
    check_flags(one_sided=one_sided)
    if isinstance(backward, TransitionCounts):
        backward = backward.backward()
    given = {
        role: matrix
        for role, table in zip(ROLES, (backward, forward), strict=True)
        if (matrix := _matrix(table)) is not None
    }
    with in_python():
        found, _ = completed({"the adversary": given}, one_sided, independent=True)
    return found["the adversary"].get(ROLES[0]), found["the adversary"].get(ROLES[1])


def _matrix(table: MatrixLike | None) -> TransitionMatrix | None:
    """Return the matrix of a table; a correlation with a matrix for each step stays what it is."""
    return cast(TransitionMatrix, table) if table is None or isinstance(table, Stepwise) else transition_matrix(table)


def worst_case_leakage(
    epsilons: Iterable[LevelLike],
    *,
    backward: MatrixLike | None = None,
    forward: MatrixLike | None = None,
    one_sided: bool = False,
) -> StreamLeakage:
    """Return the exact worst case of BPL, FPL and TPL over all mechanisms, `tploracle.reference.worst_case_leakage`.

    Args:
        epsilons: PL_0(M^t) for t = 1..T, T ≥ 1, in nats.
        backward: P^B, n × n, None where not given.
        forward: P^F, n × n, None where not given.
        one_sided: leave one correlation alone; otherwise the other one is its reversal, as in every command.

    Returns: what some mechanism attains and none exceeds, exact or enclosed to any precision: of all streams in which
    changing one value changes likelihoods by at most e^ε; FPL of those that do not read earlier outputs, of others it
    is TPL. Raises: as there, and as `adversary`.

    >>> worst_case_leakage(["log(11/10)"] * 3, forward=[["1/2", "1/2"], ["1", "0"]]).tpl
    (<Level log(1243/1050)>, <Level log(4851/4000)>, <Level log(1243/1050)>)
    """
    budgets = levels(epsilons)
    known = _known(backward, forward, one_sided)
    forget()
    found = fast_worst_case_leakage(budgets, *known)
    return StreamLeakage(found.bpl, found.fpl, found.tpl, budgets, _basis(known))


def worst_case_supremum(
    epsilon: LevelLike,
    *,
    backward: MatrixLike | None = None,
    forward: MatrixLike | None = None,
    one_sided: bool = False,
) -> StreamLevel:
    """Return what the worst TPL rises to with one budget at all times, as `tploracle.reference.worst_case_supremum`.

    Args:
        epsilon: the budget of every release, in nats.
        backward: P^B, n × n, None where not known.
        forward: P^F, n × n, None where not known.
        one_sided: as for `worst_case_leakage`.

    Returns: the level, exact or enclosed to any precision; ∞ where it grows without bound. Raises: as there.

    >>> worst_case_supremum("1/10", forward=[["1/2", "1/2"], ["1", "0"]])
    <Level in [0.305975, 0.305976]>
    """
    known = _known(backward, forward, one_sided)
    forget()
    return StreamLevel.of_level(fast_worst_case_supremum(level(epsilon), *known), _basis(known))


def worst_case_budget(
    alpha: LevelLike,
    *,
    backward: MatrixLike | None = None,
    forward: MatrixLike | None = None,
    horizon: int | None = None,
    one_sided: bool = False,
) -> StreamBudget:
    """Return the greatest constant budget that keeps the worst TPL within alpha.

    Args:
        alpha: the level to keep, in nats.
        backward: P^B, n × n, None where not known.
        forward: P^F, n × n, None where not known.
        horizon: the number of releases, T; None for an infinite horizon.
        one_sided: as for `worst_case_leakage`.

    Returns: the budget; the lower end of each enclosure keeps alpha. Raises: InfeasibleBudget where none does over an
    infinite horizon, or alpha is 0; InvalidRequest; Undecided.

    >>> worst_case_budget(1, forward=[["1/2", "1/2"], ["1", "0"]], horizon=3)
    <Level in [0.472364, 0.472365]>
    """
    known, length = _known(backward, forward, one_sided), _horizon(horizon)
    forget()
    return StreamBudget.of_level(fast_worst_case_budget(level(alpha), *known, length), _basis(known))


def profile(
    releases: Iterable[ReleaseLike],
    *,
    backward: MatrixLike | None = None,
    forward: MatrixLike | None = None,
    time: int | None = None,
) -> StreamProfile:
    """Return with which (α, δ) releases protect a value, in the worst case: δ at an α, and α at a δ; docs/profile.md.

    Args:
        releases: of each release, in order: ε in nats, a pair (ε, δ), `GaussianBudget(sigma, sensitivity)`,
            `ConcentratedBudget(rho)`, or what `from_dp_accounting` and `from_opendp` return.
        backward: P^B, n × n: what the releases up to a time tell about its value.
        forward: P^F, n × n: what those from it on tell; with both, what all releases tell.
        time: which value, from 1; without it the last one for P^B alone, the first one for P^F alone.

    Returns: the profile; exact for rational e^ε and δ of budgets that commute, else enclosed; of both sides enclosed,
    and exact where its ends meet. It is of one time and a finite stream: `profile_supremum` is for an infinite
    horizon; for δ > 0 nothing is known of windows of several times. Raises: InvalidRequest without a matrix, for both
    without a time, for a time that is none, without a release; as `level`.

    >>> told = profile(["log(11/10)"] * 3, backward=TransitionMatrix.of([["4/5", "1/5"], ["1/10", "9/10"]]))
    >>> told.delta(level("0.1")).enclosure(6), told.alpha(Fraction(0)).lower
    (Enclosure(lower=Decimal('0.0520938'), upper=Decimal('0.0520939')), <Level log(31691/25695)>)
    """
    own = None if time is None else whole(time, "time")
    return stream_profile(releases_of(releases), _matrix(backward), _matrix(forward), own)


def profile_supremum(
    release: ReleaseLike,
    delta: LevelLike,
    *,
    backward: MatrixLike | None = None,
    forward: MatrixLike | None = None,
) -> ProfileSupremum:
    """Return the least α at a δ over all horizons and times of a stream; docs/profile.md.

    Args:
        release: every one, as for `profile`.
        delta: a probability.
        backward: P^B, n × n: what the releases up to a time tell about its value.
        forward: P^F, n × n, in its place or beside it: what those from a time on tell.

    Returns: two ends; the lower one is that of finitely many releases, the upper one is proved from above, or ∞ with a
    reason: that no α suffices, where the lower one is ∞ too, or that no bound was found. With both matrices they stay
    apart, as for a finite stream. Raises: as `level`.

    >>> hours = [["4/5", "1/5"], ["1/10", "9/10"]]
    >>> profile_supremum(("0.1", "1e-6"), "1e-5", backward=hours).alpha.enclosure(4)
    Enclosure(lower=Decimal('0.3431'), upper=Decimal('0.3432'))
    """
    known = _matrix(backward), _matrix(forward)
    forget()
    found = supremum_at_delta(_privacy_budget(release), [known], probability(delta))
    return ProfileSupremum(found, replace(_basis(known), mechanisms=PRIVATE_STREAMS))


def profile_budget(
    alpha: LevelLike,
    delta: LevelLike,
    *,
    kind: str = EPSILON,
    delta_per_release: LevelLike = 0,
    backward: MatrixLike | None = None,
    forward: MatrixLike | None = None,
    horizon: int | None = None,
    one_sided: bool = False,
    neighbours: str = REPLACE,
    digits: int = 6,
) -> ProfileBudget:
    """Return the most that each release may tell so that every value stays (alpha, delta)-protected; docs/profile.md.

    Args:
        alpha: the level to keep, finite, in nats.
        delta: the probability to keep, below 1.
        kind: what is sought: "epsilon", the greatest ε; "noise_multiplier", the least σ/Δ of Gaussian noise; or "rho".
        delta_per_release: δ of each release, beside ε.
        backward: P^B, n × n, None where not given.
        forward: P^F, n × n, None where not given.
        horizon: the number of releases; None for an infinite horizon, of one side alone for δ > 0.
        one_sided: leave one correlation alone; otherwise the other one is its reversal, as in every command.
        neighbours: what budgets are about, "replace" or "add-remove".
        digits: significant digits of the budget, at most 12.

    Returns: `found`, with the last decimal `kept` that was shown to keep it, and the nearest, `exceeds`, that was shown
    not to. Raises: InfeasibleBudget where none is shown to keep it; InvalidRequest; as `level`.

    >>> hours = [["4/5", "1/5"], ["1/10", "9/10"]]
    >>> asked = {"delta_per_release": "1e-8", "backward": hours, "one_sided": True, "digits": 3}
    >>> profile_budget(1, "1e-6", horizon=12, **asked).found.kept, profile_budget(1, "1e-6", **asked).found.kept
    (Fraction(297, 1000), Fraction(293, 1000))
    """
    if kind not in SOUGHT_KINDS:
        raise InvalidRequest(f"kind is one of {', '.join(SOUGHT_KINDS)}, not {kind!r}")
    length, places = _horizon(horizon), whole(digits, "digits", most=MOST_SOUGHT_DIGITS)
    known, whose = _known(backward, forward, one_sided), neighbours_of(neighbours)
    forget()
    sought = SoughtBudget(kind, probability(delta_per_release), whose)
    found = kept_budget(sought, level(alpha), probability(delta), [known], horizon=length, digits=places)
    return ProfileBudget(found, whose.basis(replace(_basis(known), mechanisms=PRIVATE_STREAMS)))


def releases_of(releases: Iterable[ReleaseLike]) -> list[PrivacyBudget]:
    """Return the budgets of releases.

    Args:
        releases: of each release an ε in nats, a pair (ε, δ), or a budget, in order of time.

    Returns: a budget for each, exact. Raises: as `level`; InvalidRequest for what is no sequence.
    """
    if (
        isinstance(releases, tuple)
        and len(releases) == 2
        and not any(isinstance(e, tuple | PrivacyBudget) for e in releases)
    ):
        raise doubt(
            NOT_A_SEQUENCE,
            "a pair may be one release (ε, δ) or two pure ones: give a list, [(ε, δ)] or [ε1, ε2]",
        )
    return [_privacy_budget(each) for each in sequence_of(releases, "releases")]


def _privacy_budget(given: ReleaseLike) -> PrivacyBudget:
    if isinstance(given, PrivacyBudget):
        return given
    if isinstance(given, tuple) and len(given) != 2:
        raise InvalidRequest(f"a release is an ε, a pair (ε, δ) or a budget, not {given!r:.80}")
    epsilon, delta = given if isinstance(given, tuple) else (given, 0)
    return ApproximateBudget(level(epsilon), probability(delta))


def probability(delta: LevelLike) -> Fraction:
    """Return a δ from a plain exact number, or a text.

    Args:
        delta: a rational number from 0 to 1.

    Returns: the number, exact. Raises: InvalidNumber for what is irrational; as `level`.
    """
    chance = level(delta).rational
    if chance is None or chance > 1:
        raise InvalidNumber(f"δ is a rational number from 0 to 1, not {delta!r}")
    return chance


def stationary(matrix: MatrixLike) -> tuple[Fraction, ...]:
    """Return the distribution π with π P = π, as `tploracle.reference.stationary`.

    Args:
        matrix: P, n × n, a table of any kind.

    Returns: π, exact. Raises: as there, and as `transition_matrix`.

    >>> stationary([["1/2", "1/2"], ["1", "0"]])
    (Fraction(2, 3), Fraction(1, 3))
    """
    return reference.stationary(transition_matrix(matrix))


def smooth(matrix: MatrixLike, s: LevelLike) -> TransitionMatrix:
    """Make a correlation more uniform, as `tploracle.reference.smooth`.

    Args:
        matrix: P^B or P^F, n × n, a table of any kind.
        s: what is added to each entry, at least 0.

    Returns: the matrix, exact. Raises: as there, and as `transition_matrix`.

    >>> smooth([["1", "0"], ["0", "1"]], "1/2").rows
    ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    """
    return reference.smooth(transition_matrix(matrix), exact(s))


def reverse(forward: MatrixLike, initial: Iterable[LevelLike]) -> TransitionMatrix:
    """Derive the backward correlation by Bayes' rule, as `tploracle.reference.reverse`.

    Args:
        forward: P^F, n × n, a table of any kind.
        initial: the distribution of the earlier value, n probabilities.

    Returns: P^B, exact. Raises: as there, and as `transition_matrix`.

    >>> reverse([["1/2", "1/2"], ["1", "0"]], initial=["1/2", "1/2"]).rows
    ((Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 1), Fraction(0, 1)))
    """
    return reference.reverse(transition_matrix(forward), tuple(map(exact, sequence_of(initial, "probabilities"))))


# Functions of the reference, which take plain exact numbers for levels here


def budgets(alpha: LevelLike, adversary: Adversary) -> StreamBudgets:
    """Return the budgets of Algorithms 7 and 8 [algo:release1, algo:release2] for one adversary. Exact.

    Args:
        alpha: the level that TPL must not exceed, in nats.
        adversary: what they know.

    Returns: first, middle and last budget. Raises: InfeasibleBudget, as `tploracle.reference.budgets`.

    >>> budgets(1, adversary(forward=[["1/2", "1/2"], ["1", "0"]])).upper_bound(3)
    (<Level in [0.267486, 0.267487]>, <Level in [0.267486, 0.267487]>, <Level in [0.267486, 0.267487]>)
    """
    nats = level(alpha)
    _check_adversaries(adversary)
    found = reference.budgets(nats, adversary)
    return StreamBudgets(found.alpha, found.first, found.middle, found.last, _basis(matrices_of(adversary)))


def common_budgets(
    alpha: LevelLike, adversaries: Mapping[Key, Adversary]
) -> tuple[StreamBudgets, dict[Key, reference.Budgets]]:
    """Return budgets that keep TPL within alpha to all adversaries, and each one's own.

    Args:
        alpha: the level that TPL must not exceed, in nats.
        adversaries: by name, at least one.

    Returns: budgets for all, a *lower* bound of each one's; and each one's own. Raises: InfeasibleBudget.

    >>> known = adversary(forward=[["1/2", "1/2"], ["1", "0"]])
    >>> for_all, own = common_budgets(1, {"ann": known, "bob": adversary()})
    >>> sorted(own)
    ['ann', 'bob']
    """
    nats = level(alpha)
    _check_named(adversaries)
    found, each = reference.common_budgets(nats, adversaries)
    basis = _basis(*map(matrices_of, adversaries.values()))
    return StreamBudgets(found.alpha, found.first, found.middle, found.last, basis), each


def composition(own: reference.Leakage, epsilons: Iterable[LevelLike], start: int, length: int) -> StreamLevel:
    """Return the leakage of a window of releases, Theorem 3 [thm:composition]. Exact.

    Args:
        own: the leakage of the whole stream to one adversary.
        epsilons: its budgets, T of them, in nats.
        start: the first release of the window, from 1.
        length: how many releases it has.

    Returns: the level. Raises: InvalidRequest for a window that is not within the stream.

    >>> own = paper_bound_leakage([1, 1, 1], adversary(forward=[["1/2", "1/2"], ["1", "0"]]))
    >>> composition(own, [1, 1, 1], start=2, length=2)
    <Level in [2.62011, 2.62012]>
    """
    spent = _budgets_of(own, epsilons)
    found = reference.composition(own, spent, whole(start, "start"), whole(length, "length"))
    return StreamLevel.of_level(found, _basis_under(own))


def control(loss: LossLike | None, previous: LevelLike, cap: LevelLike) -> StreamBudget:
    """Return the budget that may be spent now so that BPL stays within a cap. Exact.

    Args:
        loss: L^B, or the table of its matrix; None where it is not known.
        previous: BPL at the last release, 0 before the first, in nats.
        cap: the level that BPL must not exceed, in nats.

    Returns: the budget, above 0. Raises: InfeasibleBudget where nothing is left to spend; Undecided.

    >>> control(loss_function([["4/5", "1/5"], ["0", "1"]]), previous="1/2", cap=1)
    <Level in [0.581962, 0.581963]>
    """
    own = None if loss is None else _loss_of(loss)
    return StreamBudget.of_level(reference.control(own, level(previous), level(cap)), _basis_of(own))


def first_failure(own: reference.Leakage, alpha: LevelLike) -> int | None:
    """Return the first time at which TPL exceeds a level, Definition 8 [def:DP]. Exact.

    Args:
        own: the leakage of a stream to one adversary.
        alpha: the level, in nats.

    Returns: the time, from 1; None where the stream is α-DP_T. Raises: Undecided.

    >>> own = paper_bound_leakage([1, 1, 1], adversary(forward=[["1/2", "1/2"], ["1", "0"]]))
    >>> first_failure(own, "3/2")
    1
    """
    nats = level(alpha)
    check_is(reference.Leakage, own, "own")
    return reference.first_failure(own, nats)


def group_privacy(alpha: LevelLike, horizon: int) -> Budget:
    """Return α/T, which keeps TPL within α over T releases whatever is correlated. Exact.

    Args:
        alpha: the level, a rational number of nats.
        horizon: the number of releases, T ≥ 1.

    Returns: the budget of each. Raises: InvalidLevel where α/T has no exact form; InvalidRequest.

    >>> group_privacy(1, horizon=10)
    <Level 1/10>
    """
    return reference.group_privacy(level(alpha), horizon)


def guarantee(own: reference.Leakage, epsilons: Iterable[LevelLike], length: int) -> StreamGuarantee:
    """Return the greatest leakage of any window of one length, Table 2 [tb:composition]. Exact.

    Args:
        own: the leakage of the whole stream to one adversary.
        epsilons: its budgets, T of them, in nats.
        length: 1 for event level, w for w-event, T for user level.

    Returns: the guarantee on independent and on correlated data, and where it is. Raises: InvalidRequest; Undecided.

    >>> own = paper_bound_leakage([1, 1], adversary(forward=[["1/2", "1/2"], ["1", "0"]]))
    >>> found = guarantee(own, [1, 1], length=2)
    >>> found.independent, found.correlated
    (<Level 2>, <Level 2>)
    """
    found = reference.guarantee(own, _budgets_of(own, epsilons), whole(length, "length"))
    alone, correlated = (found.independent, found.independent_start), (found.correlated, found.correlated_start)
    return StreamGuarantee(found.length, *alone, *correlated, _basis_under(own))


def laplace_scale(epsilon: LevelLike, sensitivity: Fraction | int, digits: int = 17) -> reference.Enclosure:
    """Return the scale Δ/ε of Laplace noise for one release.

    Args:
        epsilon: its budget, in nats.
        sensitivity: Δ, in units of the answer.
        digits: significant digits of the enclosure.

    Returns: an *enclosure*. Raises: as `tploracle.reference.laplace_scale`.

    >>> laplace_scale("1/10", sensitivity=1)
    Enclosure(lower=Decimal('10'), upper=Decimal('10'))
    """
    return reference.laplace_scale(level(epsilon), exact(sensitivity), digits)


def largest_budget(loss: LossLike, cap: LevelLike) -> StreamBudget:
    """Return the greatest constant budget whose supremum stays within a cap: ε = α − L(α). Exact.

    Args:
        loss: L^B or L^F, or the table of its matrix.
        cap: the level α, in nats.

    Returns: the budget. Raises: InfeasibleBudget where only a budget of 0 keeps the cap; Undecided.

    >>> largest_budget(loss_function([["4/5", "1/5"], ["0", "1"]]), cap=1)
    <Level in [0.13516, 0.135161]>
    """
    nats, own = level(cap), _loss_of(loss)
    return StreamBudget.of_level(reference.largest_budget(own, nats), _basis_of(own))


def leakage_at(loss: LossLike, epsilon: LevelLike, time: int) -> StreamLevel:
    """Return BPL at a time with one budget at every time, in closed form piece by piece. Exact.

    Args:
        loss: L^B, or the table of its matrix; or L^F, for FPL that many releases before the last one.
        epsilon: the budget of every release, in nats.
        time: t ≥ 1.

    Returns: the level. Raises: InvalidRequest for a time below 1; Undecided.

    >>> leakage_at(loss_function([["4/5", "1/5"], ["0", "1"]]), "1/10", time=3)
    <Level in [0.247147, 0.247148]>
    """
    nats, own = level(epsilon), _loss_of(loss)
    return StreamLevel.of_level(reference.leakage_at(own, nats, time), _basis_of(own))


def mean_noise(epsilons: Iterable[LevelLike], sensitivity: Fraction | int, digits: int = 17) -> reference.Enclosure:
    """Return the mean expected absolute Laplace noise of a schedule, Δ/ε_t on average.

    Args:
        epsilons: the budgets, in nats.
        sensitivity: Δ, in units of the answer.
        digits: significant digits of the enclosure.

    Returns: an *enclosure*. Raises: as `tploracle.reference.mean_noise`.

    >>> mean_noise(["1/10", "1/5"], sensitivity=1)
    Enclosure(lower=Decimal('7.5'), upper=Decimal('7.5'))
    """
    return reference.mean_noise(levels(epsilons), exact(sensitivity), digits)


def steps_within(loss: LossLike, epsilon: LevelLike, delta: LevelLike) -> int:
    """Return the first time at which the paper's bound of BPL is within delta of its supremum, with one budget. Exact.

    Args:
        loss: L^B or L^F, or the table of its matrix.
        epsilon: the budget of every release, in nats.
        delta: the distance, above 0, in nats.

    Returns: the time, from 1. Raises: InvalidRequest where there is no finite supremum; Undecided.

    >>> steps_within(loss_function([["4/5", "1/5"], ["0", "1"]]), "1/10", "1/100")
    32
    """
    budget, distance = level(epsilon), level(delta)
    return reference.steps_within(_loss_of(loss), budget, distance)


def paper_bound_supremum(loss: LossLike, epsilon: LevelLike) -> StreamSupremum:
    """Return the supremum of the paper's bound of BPL or FPL over time, Theorem 11 [thm:sup], corrected. Exact.

    Args:
        loss: L^B or L^F, or the table of its matrix.
        epsilon: the budget of every release, in nats.

    Returns: the level, and the piece that rules; ∞ where the bound grows without limit, under which the exact worst
    case may be finite (`worst_case_supremum`). Raises: Undecided.

    >>> paper_bound_supremum(loss_function([["4/5", "1/5"], ["0", "1"]]), "1/10").level
    <Level in [0.645906, 0.645907]>
    """
    nats, own = level(epsilon), _loss_of(loss)
    found = reference.supremum(own, nats)
    return StreamSupremum(found.level, found.q, found.d, found.witness, _basis_of(own))
