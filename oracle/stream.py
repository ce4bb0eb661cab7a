"""The front door in Python: a stream of releases about values that are correlated over time.

`Stream` answers by both models, the exact worst case and the paper's bound, with the defaults of the command line; each
answer shows itself, as text, as a table, as a data frame or as a picture, with what it rests on. `PrivacyAccountant`
has the methods of those of dp_accounting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from os import PathLike, fspath
from typing import Any, Self, TypeVar

from .api import LevelLike, MatrixLike, in_python, level, levels, releases_of
from .certificates.worst_case import check_finite
from .checked import greatest_worst_case_tpl
from .contract.allocation import UPPER_BOUND
from .contract.limits import MOST_RELEASES, check_leakage, check_schedule
from .data.adversaries import adversaries_of, losses_of, state_names
from .data.clock import ONE_NUMBER, Time, by_time, by_time_at_delta, check_all_timed, told_times
from .data.doubt import REFUSE, Readings, check_flags, note_alike, sequence_of
from .data.files import ROLES, Files
from .data.logs import LogColumns
from .data.matrices import PROBABILITIES
from .data.steps import ERROR, Duration
from .models import models
from .models.accounts import beside, left_by_paper, left_of
from .models.attacks import worst_attack
from .models.basis import Basis
from .models.chain import NOT_ASKED, KnownPair, chain_of, completed, correlations_of
from .models.given_values import Knowing
from .models.library_budgets import from_dp_accounting
from .models.model import Account, Answers, Model, answered
from .models.neighbours import REPLACE, neighbours_of
from .models.priors import EQUAL, Prior
from .models.schedules import CONSTANT
from .models.stream_profile import (
    NOT_THE_PAPERS,
    PRIVATE_STREAMS,
    ProvedProfile,
    greatest_delta,
    leakage_at_delta,
    profiles_of,
)
from .models.worst_case import WorstCase
from .output.sheets import DIGITS_IN_BRIEF, USUAL_DIGITS, counted_releases
from .reference import (
    INFINITE,
    Budget,
    InvalidRequest,
    Leakage,
    Level,
    PopulationLeakage,
    PrivacyBudget,
    WorstAlpha,
)
from .reference.errors import check_is
from .reference.numbers import exact, whole
from .reference.stepwise import KnownCorrelation, matrices_in
from .stream_answers import (
    AttackOnStream,
    BudgetOfStream,
    LeakageOfStream,
    ProfileOfStream,
    StreamAnswer,
    WorstOfStream,
)
from .stream_estimates import LAW, of_log, of_sequences
from .tabular import Column
from .unchecked import forget, unchecked

ADVERSARY = "the adversary"

Users = Mapping[str, Mapping[str, MatrixLike]] | str | PathLike[str]
"""Of each user by name what is known by role, or the path of a file of these."""

PriorLike = str | Sequence[Fraction | Decimal | int | str]
"""What stands for a prior: "equal", or the probability of each user."""

Answer = TypeVar("Answer")

NO_RELEASE = "there is no release: give at least one budget"


class AccountOfStream(StreamAnswer):
    """An account of a stream: every release is recorded, and none that would raise TPL above the cap is."""

    def __init__(self, stream: Stream, account: Account) -> None:
        """Begin, as `Stream.account` does."""
        self.stream, self.account = stream, account
        self._timed: list[tuple[Level, Time]] = []
        self._clock = stream.between_releases() or ONE_NUMBER

    @property
    def epsilons(self) -> tuple[Level, ...]:
        """The budgets spent so far, under replacement."""
        return self.account.epsilons

    def spend(self, *epsilons: LevelLike, at: Time | None = None) -> Self:
        """Record releases of these budgets, all or none.

        Args: at, the time of the value that is released, as `Accountant.spend` takes it.
        Raises: InfeasibleBudget above the cap; as `level` and `Accountant.spend`.
        """
        forget()
        given = self.stream.neighbours.read(levels(epsilons))
        check_all_timed(len(self.epsilons), len(self._timed), at)
        if at is None:
            self.account.spend_all(given)
            return self
        timed = [*self._timed, *((own, at) for own in given)]
        self.account = self.stream.restarted(self.account.cap, by_time(timed, self._clock))
        self._timed = timed
        return self

    def remaining(self) -> Level | None:
        """Return a *lower* bound of what the next release may spend, None without a cap."""
        forget()
        found = left_of(self.account, left_by_paper(self.account, [*beside(self.account).values()][-1]))
        return None if found is None else self.stream.neighbours.printed_one(found, USUAL_DIGITS)

    def leakage(self) -> LeakageOfStream:
        """Return what the releases so far leak, by both models. Raises: InvalidRequest before the first."""
        return self.stream.leakage(self.stream.neighbours.printed(self.epsilons, USUAL_DIGITS))

    @property
    def worst(self) -> WorstOfStream:
        """The greatest TPL so far by the exact worst case."""
        return self.leakage().worst

    @property
    def basis(self) -> Basis:  # type: ignore[override]
        """What the account rests on."""
        found = self.stream.basis()
        step = "" if found.step == NOT_ASKED else found.step
        told = told_times(step, len(self.epsilons), self._clock if self._timed else None)
        return replace(found, step=told or NOT_ASKED)

    def told(self) -> str:
        """Return how many releases there were, and what remains."""
        left = self.remaining()
        more = "" if left is None else f"; the next may spend {left.enclosure(DIGITS_IN_BRIEF).lower}"
        return f"{counted_releases(len(self._timed or self.epsilons))}{more}."

    def table(self) -> dict[str, Column]:
        """Return a row for each release, as `leakage`; none before the first."""
        return self.leakage().table() if self.epsilons else {"time": [], "epsilon": []}


class Stream:
    """A stream of releases about one person's values, as an adversary knows how these follow one another.

    >>> stream = Stream([["0.8", "0.2"], ["0.1", "0.9"]])
    >>> stream.leakage("0.1", steps=24).worst
    WorstOfStream(value=<Level in [0.57637, 0.576371]>, time=12, pair=('1', '2'))
    """

    def __init__(
        self,
        forward: MatrixLike | None = None,
        *,
        backward: MatrixLike | None = None,
        users: Users | None = None,
        one_sided: bool = False,
        independent: bool = False,
        neighbours: str = REPLACE,
        every: str | int | None = None,
        entries: str = PROBABILITIES,
        float64: bool = False,
        normalise: bool = False,
        force_normalise: bool = False,
        totals: str = REFUSE,
        missing: str = REFUSE,
        comment: str | None = None,
    ) -> None:
        """Read what the adversary knows; each parameter is the option of the same name of `tploracle leakage`.

        Args:
            forward: P^F, row i the distribution of the value after i, or counts of what followed what: a matrix, rows
                of exact numbers, an array, a data frame, `TransitionCounts`, or the path of a file of any of these; or
                {"cycle": tables} or {"steps": tables}, with a table for each step.
            backward: P^B, likewise; where one is given alone, the other one is its reversal.
            users: instead, of each user or candidate by name "forward", "backward" or both; or the path of such a file.
            one_sided: leave one correlation alone.
            independent: values at different times are independent: nothing else is given.
            neighbours: what ε is about, "replace" or "add-remove".
            every: the time between releases, as steps or a duration.
            entries: "probabilities", "percentages" or "counts".
            float64: read doubles; rows that miss 1 by their rounding are divided by their sums.
            normalise: divide rows by their sums, where rounding of the entries explains that these miss 1.
            force_normalise: divide rows by their sums, whatever these are.
            totals: what a row or column of totals is: "refuse", "drop" or "state".
            missing: what a state named as what is missing is: "refuse", "break", "break:NAMES" or "state".
            comment: the mark of lines of a file that are skipped.

        Raises: InvalidRequest where nothing is given, where no reversal follows, and for what is doubtful, with the
        parameter for each reading; the errors of matrices.
        """
        tables = [name for name, own in (("forward", forward), ("backward", backward)) if own is not None]
        if tables and (independent or users is not None):
            raise InvalidRequest(f"{'independent=True' if independent else 'users'} excludes forward and backward")
        self.neighbours = neighbours_of(neighbours)
        check_flags(one_sided=one_sided, independent=independent, float64=float64)
        check_flags(normalise=normalise, force_normalise=force_normalise)
        forget()
        with in_python():
            files = Files(
                float64,
                normalise,
                entries,
                force_normalise,
                every=None if every is None else str(every),
                allow_paths=True,
            )
            files.readings = Readings(totals, missing, comment)
            given = {"forward": forward, "backward": backward} if users is None else users
            found, made = completed(_known(files, given, users is not None), one_sided, independent)
            self._adversaries = adversaries_of(found)
        self._files, self._made, self._unchecked = files, tuple(made.values()), unchecked()
        self._pairs = {name: correlations_of(own) for name, own in self._adversaries.items()}
        self._names = {}
        for name, pair in self._pairs.items():
            n = next((matrix.n for own in pair for matrix in matrices_in(own)), 0)
            self._names[name] = state_names(files, ROLES if users is None else [f"{name}.{role}" for role in ROLES], n)
        self.states = next(iter(self._names.values()))
        self.n = len(self.states)

    @classmethod
    def of_log(
        cls,
        log: object,
        user: str,
        time: str,
        state: str,
        *,
        step: str | None = None,
        gaps: str = ERROR,
        duplicates: str = ERROR,
        separator: str | None = None,
        missing: str = REFUSE,
        **reading: Any,
    ) -> Self:
        """Estimate from a log of visits, as `tploracle estimate` does, P^F by its counts unless more is asked for.

        Args:
            log: a data frame, rows of who, when and where or mappings with these columns, or the path of a file.
            user, time, state: its columns.
            step: the length of a step, None where each visit is one.
            gaps: "error", "break" or "hold": what to do where visits are not one step apart.
            duplicates: what a visit that repeats another is: "error" or "drop".
            separator: the mark between the columns of a file, or its name; None for a comma.
            missing: as for a stream.
            reading: the other parameters of a stream; and the options of `estimate` that say what is estimated,
                smoothing, absorbing, steps and per. `LawStream` has order and histories.

        Raises: as `count_visits`, as a stream, and where the log does not say what is asked for.
        """
        how: dict[str, Any] = {"step": step, "gaps": gaps, "duplicates": duplicates, "separator": separator}
        given = of_log(log, LogColumns(user, time, state), reading, missing=missing, **how)
        return cls(**_of_a_chain(given), missing=missing, **reading)

    @classmethod
    def of_sequences(
        cls,
        sequences: Iterable[Sequence[object]],
        *,
        missing: str = REFUSE,
        header: str = REFUSE,
        ids: str = REFUSE,
        **reading: Any,
    ) -> Self:
        """Estimate from sequences of states, as `of_log` does.

        Args:
            sequences: of each person the states in the order of time.
            missing, header, ids: as `count_transitions`.
            reading: as `of_log` has it.

        Raises: as `count_transitions`, and as `of_log`.
        """
        given = of_sequences(sequences, reading, missing=missing, header=header, ids=ids)
        return cls(**_of_a_chain(given), missing=missing, **reading)

    def __repr__(self) -> str:
        return f"<Stream of {self.n or 'independent'} values: {self.basis().lines()[0]}>"

    def known(self) -> dict[str, KnownCorrelation | None]:
        """Return the correlations that the adversary knows, by role, exact; None for one that they do not.

        Raises: InvalidRequest where there are several users.
        """
        if len(self._pairs) > 1:
            raise InvalidRequest("there are several users: each knows correlations of their own")
        return dict(zip(ROLES, *self._pairs.values(), strict=True))

    def between_releases(self) -> Duration | None:
        """Return the time from one release to the next, where the data say it."""
        return self._files.between_releases()

    def basis(self, **more: Any) -> Basis:
        """Return what an answer rests on. Args: more, of `Basis`. Returns: it."""
        reasons = tuple(dict.fromkeys((*self._unchecked, *unchecked())))
        told, pairs = self._files.told() | {"unchecked": reasons} | more, [*self._pairs.values()]
        whose = f"{len(pairs)} users" if len(pairs) > 1 else ""
        return self.neighbours.basis(Basis.of(pairs, chain_of(pairs), whose, self._made, **told))

    def leakage(
        self,
        epsilons: Iterable[LevelLike] | LevelLike,
        steps: int | None = None,
        *,
        knowing: Mapping[int, object] | None = None,
        prior: PriorLike | None = None,
    ) -> LeakageOfStream:
        """Return BPL, FPL and TPL at each time, by the exact worst case and by the paper's bound.

        Args:
            epsilons: the budget of each release, in nats; or with `steps` the budget of all.
            steps: the number of releases.
            knowing: values that the adversary knows, by time from 1, by the names of states.
            prior: "equal", or the probability of each user, to an adversary who does not know whose data they are.

        Returns: the maxima over users.
        Raises: InvalidRequest without a release; as `level`; Undecided.
        """
        given, spent = self._budgets(epsilons, steps)
        known, mixture = self._with_values(knowing), self._mixture(prior)
        if known is not None and mixture is not None:
            raise InvalidRequest("knowing excludes prior")
        answers = self._answered(known, lambda model: model.leakage(spent, self._adversaries))
        found = {model.key: own for model, own in answers.found.items()}
        worst, bound = (_greatest(found.get(key)) for key in ("worst_case", "paper_bound"))
        assert worst is not None, "the exact worst case has an answer, or there was an error"
        return LeakageOfStream(
            worst,
            bound,
            given,
            _told(self.basis(absent=answers.absent), known, mixture),
            partial(self._worst, spent, found["worst_case"], known is not None),
            None if mixture is None else mixture.leakage(spent),
        )

    def _answered(self, known: Knowing | None, ask: Callable[[Model], Answer]) -> Answers[Answer]:
        """Ask each model, given values that are known. Raises: Undecided."""
        answers = answered(models(), lambda model: ask(model if known is None else known.model(model)))
        answers.finish()
        return answers

    def _with_values(self, knowing: Mapping[int, object] | None) -> Knowing | None:
        with in_python():
            if not knowing:
                return None
            check_is(Mapping, knowing, "knowing")
            if len(self._pairs) != 1 or not self.n:
                raise InvalidRequest("--knowing needs a chain, of one user")
            told = [(whole(time, "a time of knowing"), str(value)) for time, value in knowing.items()]
            return Knowing.of(told, self.states)

    def _mixture(self, prior: PriorLike | None) -> Prior | None:
        with in_python():
            if prior is None or prior == EQUAL:
                return None if prior is None else Prior.of(EQUAL, self._adversaries)
            return Prior.of([*map(exact, sequence_of(prior, "probabilities"))], self._adversaries)

    def _worst(self, spent: Sequence[Level], found: PopulationLeakage[str], is_known: bool) -> WorstOfStream:
        if is_known:
            most = WorstCase().greatest({time: own.level for time, own in enumerate(found.tpl, 1)})
            return WorstOfStream(most.level, most.attained_by[0], None)
        user, pair, time = self._greatest(spent)
        value, names = found.each[user].tpl[time - 1], self._names[user]
        whose = user if len(self._pairs) > 1 else None
        if len(names) < 2 or value.is_infinite or value.is_zero:
            return WorstOfStream(value, time, None, whose)
        more, less = worst_attack(spent, time, *pair, USUAL_DIGITS).pair
        return WorstOfStream(value, time, (names[more], names[less]), whose)

    def _greatest(self, spent: Sequence[Level]) -> tuple[str, KnownPair, int]:
        """Return the user of the greatest TPL, what they know, and its time."""
        tops = {name: greatest_worst_case_tpl(spent, *pair) for name, pair in self._pairs.items()}
        user = max(tops, key=lambda name: tops[name].bound.double_above())
        return user, self._pairs[user], tops[user].time

    def budget(
        self,
        alpha: LevelLike,
        steps: int | None = None,
        *,
        knowing: Mapping[int, object] | None = None,
        prior: PriorLike | None = None,
    ) -> BudgetOfStream:
        """Return the greatest budget that every release may have, by both models.

        Args:
            alpha: the level that TPL must not exceed, in nats.
            steps: the number of releases; None for however many.
            knowing, prior: as for `leakage`; what is found is safe against who does not know the values as well.

        Raises: InfeasibleBudget where neither model has one; as `level`; Undecided.
        """
        most, method = level(alpha), UPPER_BOUND if steps is None else CONSTANT
        steps = None if steps is None else whole(steps, "steps", most=MOST_RELEASES)
        check_schedule(steps or 1, USUAL_DIGITS)
        forget()
        known, mixture = self._with_values(knowing), self._mixture(prior)
        if known is not None and (mixture is not None or steps is None):
            raise InvalidRequest("knowing excludes prior" if mixture is not None else "knowing needs steps")
        kept = most if mixture is None else mixture.left(most)

        def ask(model: Model) -> Budget:
            own = model.schedule(kept, self._adversaries, method, steps, USUAL_DIGITS)[0]
            (printed,) = self.neighbours.printed([own.to_spend()], USUAL_DIGITS)
            (spent,) = self.neighbours.read([printed])
            if steps is None:
                model.kept_for_ever(spent, self._adversaries, kept)
            else:
                model.kept([spent] * steps, self._adversaries, kept)
            return printed.to_spend()

        answers = self._answered(known, ask)
        found = {model.key: own for model, own in answers.found.items()}
        basis = _told(self.basis(absent=answers.absent), known, mixture)
        return BudgetOfStream(most, steps, found.get("worst_case"), found.get("paper_bound"), basis)

    def profile(
        self, releases: Iterable[LevelLike | tuple[LevelLike, LevelLike] | PrivacyBudget], time: int | None = None
    ) -> ProfileOfStream:
        """Return with which (α, δ) all releases protect the value at a time, in the exact worst case.

        Args:
            releases: of each release ε in nats, a pair (ε, δ), `GaussianBudget`, `ConcentratedBudget`, or what
                `from_dp_accounting` and `from_opendp` return, which is under replacement: of neighbours="replace".
            time: from 1; the last one where it is not given.

        Raises: InvalidRequest without a release, or for a time that is none; as `level`.
        """
        forget()
        budgets = [*map(self.neighbours.replaced, releases_of(releases))]
        if not budgets:
            raise InvalidRequest(NO_RELEASE)
        at = len(budgets) if time is None else time
        found = self.profiles(budgets, at)
        basis = self.basis(mechanisms=PRIVATE_STREAMS, absent={"paper_bound": NOT_THE_PAPERS})
        return ProfileOfStream(found, at, len(budgets), basis)

    def profiles(self, budgets: Sequence[PrivacyBudget], time: int) -> tuple[ProvedProfile, ...]:
        """Return the profiles of TPL at a time, of which the greatest counts.

        Args: budgets, under replacement; time, from 1. Raises: InvalidRequest for a time that is none.
        """
        return tuple(profiles_of("tpl", budgets, self._time(time, len(budgets)), [*self._pairs.values()]))

    def alphas(self, budgets: Sequence[PrivacyBudget], delta: Fraction, times: Sequence[int]) -> list[WorstAlpha]:
        """Return the least α of TPL at a δ, at some times. Args: as `profiles`. Raises: as it."""
        asked = [self._time(time, len(budgets)) for time in times]
        if not asked:
            return []
        return leakage_at_delta(budgets, [*self._pairs.values()], delta, asked, kinds=["tpl"])["tpl"]

    def attack(
        self, epsilons: Iterable[LevelLike] | LevelLike, steps: int | None = None, time: int | None = None
    ) -> AttackOnStream:
        """Return a mechanism that leaks the most: a question at each time, answered by randomized response.

        Args:
            epsilons, steps: as for `leakage`.
            time: of the value, from 1; the worst one where it is not given.

        Raises: InvalidRequest where values are independent; as `leakage`.
        """
        _, spent = self._budgets(epsilons, steps)
        check_finite(spent)
        user, pair, at = self._greatest(spent)
        if pair == (None, None):
            raise InvalidRequest("without a correlation, no other release reveals anything about a value")
        at = at if time is None else self._time(time, len(spent))
        return AttackOnStream(worst_attack(spent, at, *pair, USUAL_DIGITS), self._names[user], self.basis())

    def account(self, cap: LevelLike = INFINITE, spent: Iterable[LevelLike] = ()) -> AccountOfStream:
        """Return an account of releases as they are made, none of which raises TPL, by the exact worst case, above cap.

        Args:
            cap: the level that TPL must not exceed, in nats.
            spent: the budgets of the releases so far.

        Raises: InfeasibleBudget where these exceed the cap; as `level`.
        """
        forget()
        return AccountOfStream(self, self.restarted(level(cap), self.neighbours.read(levels(spent))))

    def restarted(self, cap: Level, spent: Sequence[Level]) -> Account:
        """Return an account after releases with these budgets, under replacement. Raises: as `account`."""
        return WorstCase().account(self._adversaries, cap, spent)

    def _budgets(
        self, epsilons: Iterable[LevelLike] | LevelLike, steps: int | None
    ) -> tuple[tuple[Level, ...], list[Level]]:
        """Return the budgets as given, and under replacement. Raises: InvalidRequest for none, or too many."""
        forget()
        given = given_budgets(epsilons, steps)
        spent = self.neighbours.read(given)
        check_leakage(spent, losses_of(self._adversaries), USUAL_DIGITS, len(self._adversaries))
        return given, spent

    def _time(self, time: int, releases: int) -> int:
        if (own := whole(time, "time")) > releases:
            raise InvalidRequest(f"time: {time} is not one of the times 1 to {releases}")
        return own


def _known(files: Files, given: object, is_of_users: bool) -> dict[str, dict[str, KnownCorrelation]]:
    """Read what each adversary knows by role, of users by their names. Raises: InvalidRequest."""
    if isinstance(given, str | PathLike):
        return files.users(fspath(given))
    if not isinstance(given, Mapping) or not given:
        raise InvalidRequest("users: give by the name of each user what is known of them, forward, backward or both")
    found: dict[str, dict[str, KnownCorrelation]] = {}
    for name, own in given.items() if is_of_users else [("", given)]:
        if str(name) in found:
            raise InvalidRequest(f"users: two have the name {str(name)!r}")
        if not isinstance(own, Mapping) or not {*own} <= {*ROLES}:
            raise InvalidRequest(f"users: of {name!r} give forward, backward or both")
        whats = {role: f"{name}.{role}" if is_of_users else role for role in ROLES if own.get(role) is not None}
        found[str(name) or ADVERSARY] = {role: files.given(own[role], role, what) for role, what in whats.items()}
        files.check_states(*whats.values())
    note_alike(found, "users")
    return found


def _of_a_chain(given: dict[str, Any]) -> dict[str, Any]:
    """Return what was estimated. Raises: InvalidRequest for a law."""
    if LAW in given:
        raise InvalidRequest("order and histories make a law beyond first order: LawStream answers on it")
    return given


def _greatest(found: PopulationLeakage[str] | None) -> Leakage | None:
    """Return the leakage to who learns the most at each time."""
    if found is None:
        return None
    bpl, fpl, tpl = (tuple(own.level for own in each) for each in (found.bpl, found.fpl, found.tpl))
    return Leakage(bpl, fpl, tpl)


def _told(basis: Basis, known: Knowing | None, mixture: Prior | None) -> Basis:
    """Return a basis with what else an adversary knows."""
    basis = basis if known is None else known.basis(basis)
    return basis if mixture is None else mixture.basis(basis)


def given_budgets(epsilons: Iterable[LevelLike] | LevelLike, steps: int | None) -> tuple[Level, ...]:
    """Return the budget of each release. Raises: InvalidRequest for none, or too many; as `level`."""
    times = 1 if steps is None else whole(steps, "steps", most=MOST_RELEASES)
    given = levels(epsilons) if steps is None else (level(epsilons),) * times  # type: ignore[arg-type]
    if not given:
        raise InvalidRequest(NO_RELEASE)
    return given


class PrivacyAccountant:
    """A stream's account with the methods of those of dp_accounting: ε at a δ, and δ at an ε, of its worst value.

    An accountant of dp_accounting composes mechanisms with noise of their own on one record. Here each release is about
    the value at its own time, what it tells of the others follows from how they are correlated, and releases may share
    noise: budgets of a value that never changes add up as those of a group do.

    >>> from dp_accounting import dp_event
    >>> always = [[1, 0], [0, 1]]
    >>> accountant = PrivacyAccountant(Stream(always, backward=always))
    >>> round(accountant.compose(dp_event.LaplaceDpEvent(10.0), 5).get_epsilon(0.0), 6)
    0.5
    """

    def __init__(self, stream: Stream, time: int | None = None) -> None:
        """Begin before the first release.

        Args:
            stream: how values are correlated; its `neighbours` say what the noise of events is about.
            time: of the value in question, from 1; the worst of all where it is not given.
        """
        self._stream, self._time = stream, time
        self._budgets: list[PrivacyBudget] = []
        self._timed: list[tuple[PrivacyBudget, Time]] = []

    def __repr__(self) -> str:
        told = f"<PrivacyAccountant: {counted_releases(len(self._timed or self._budgets))}>"
        return "\n".join(filter(None, [told, self.basis.warning(), *self.basis.lines()]))

    @property
    def basis(self) -> Basis:
        """What the answers rest on."""
        found = self._stream.basis(mechanisms=PRIVATE_STREAMS)
        step = "" if found.step == NOT_ASKED else found.step
        clock = self._stream.between_releases() or ONE_NUMBER
        return replace(found, step=told_times(step, len(self._budgets), clock if self._timed else None) or NOT_ASKED)

    def supports(self, event: Any) -> bool:
        """Return whether releases of an event can be accounted for. Args: event, a `DpEvent`. Returns: whether."""
        try:
            from_dp_accounting(event, REPLACE)
        except InvalidRequest:
            return False
        return True

    def compose(self, event: Any, count: int = 1, at: Time | None = None) -> Self:
        """Account for the next releases, one at each time; a composed event is a release at each of its parts.

        With `at` all of them are of that time, as `Accountant.spend` takes it: they add up, and a time without a
        release has a budget of 0.

        Args:
            event: a `DpEvent`, as `from_dp_accounting` reads it.
            count: how often.
            at: the time of the value that they are about; all of an account have one or none.

        Returns: the accountant. Raises: as `from_dp_accounting`, `Accountant.spend` and `together`.
        """
        given = from_dp_accounting(event, self._stream.neighbours.kind) * whole(count, "count", most=MOST_RELEASES)
        check_all_timed(len(self._budgets), len(self._timed), at)
        if at is None:
            self._budgets += given
            return self
        timed = [*self._timed, *((budget, at) for budget in given)]
        self._budgets = by_time_at_delta(timed, self._stream.between_releases() or ONE_NUMBER)
        self._timed = timed
        return self

    def get_epsilon(self, target_delta: float) -> float:
        """Return the least α with which the value is (α, target_delta)-protected, rounded up.

        Args: target_delta, a probability, at the exact value of its double. Returns: α, ∞ where there is none.
        """
        forget()
        found = self._stream.alphas(self._budgets, exact(target_delta, floats=True), self._times())
        return max((own.upper.double_above() for own in found), default=0.0)

    def get_delta(self, target_epsilon: float) -> float:
        """Return the greatest δ at a level, rounded up. Args: target_epsilon, finite, at its double's exact value."""
        alpha = Level.of(exact(target_epsilon, floats=True))
        return max((Level.of(greatest_delta(own, alpha).upper).double_above() for own in self._profiles()), default=0.0)

    def _profiles(self) -> Iterable[Sequence[ProvedProfile]]:
        forget()
        return (self._stream.profiles(self._budgets, time) for time in self._times())

    def _times(self) -> Sequence[int]:
        return range(1, len(self._budgets) + 1) if self._time is None else [self._time] if self._budgets else []
