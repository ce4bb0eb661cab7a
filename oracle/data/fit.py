"""Whether a chain of first order, the same at all times and for everybody, fits the sequences it is estimated from.

All tests but that of persons compare, state by state, where groups of transitions out of that state lead: groups by
the state before; by whether they are early or late in a sequence: before or after a number of steps that is the same
for all, as where a sequence ends may depend on where it leads; by the hour of the day and the day of the week of the
state; and, of staying or leaving alone, by how long the state has lasted, 1, 2 to 3, 4 to 7 steps and so on, where its
beginning was seen: a chain of first order leaves after a geometric time. Pearson's X² of a table with fixed margins has
the mean and the variance of Haldane and Dawson however few counts there are, where the χ² distribution needs many; p is
that of the gamma distribution with both. Only rows and columns with counts enter.

Persons: how often someone is in a state depends on where it leads them, so margins are not fixed there. But where the
chain fits, n_bc − n_b p_bc of one person is a martingale, and its square less n_b p_bc (1 − p_bc) is one too: their sum
over transitions, each divided by p_bc, has mean 0 however short a sequence is, and persons are independent.

p-values are corrected by Holm.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from math import erfc, sqrt

from flint import arb

from ..reference import InvalidRequest
from ..wire.strict_json import Object, as_integer, as_object, as_string, check_keys
from .steps import Clock, Duration

LEVEL = 0.01
"""A test rejects the chain where its corrected p-value is below this."""

MOST_PERSONS = 20_000
"""Persons who are compared: the first ones with a transition. More cost memory, and the test needs no more."""

FEW_USERS, GREAT_SHARE = 20, 0.5
"""With fewer users, or a greater share of one of them, the counts are said to be a small sample."""

MOST_STEPS_OF_CYCLES = 2_000_000
"""Steps up to which a cycle is tested: each is noted by its time in it, and more would take minutes."""

REMEDIES = {
    "order": "what comes next depends on more than the value now: estimate --order 2 writes that law, for leakage and "
    "allocate --law; α divided by the number of releases is safe under any correlation",
    "time": "use a matrix for each step, --matrices",
    "hour": "estimate --per hour writes a matrix for each step of the day",
    "weekday": "estimate --per weekday writes a matrix for each step of the week",
    "duration": "how long a value has lasted tells when it ends: estimate --order 2 sees one value more, and "
    "--histories sees all; α divided by the number of releases is safe under any correlation",
    "persons": "estimate kinds of persons apart, and give them all with --prior, or each user's own to population",
}
"""The tests, and what to do where one rejects."""

ELSEWHERE = ""
"""Where a value leads that is left, if it does not matter where."""

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_Groups = defaultdict[int, Counter[tuple[str, str]]]
"""Transitions by group."""

Runs = Sequence[tuple[str, int]]
"""States in order, each with the number of steps that it lasts."""


@dataclass(frozen=True, slots=True)
class ChainTest:
    """A test's statistic (X²; of persons a normal deviate), its mean if the chain fits, and its corrected p-value."""

    statistic: float
    mean: float
    p: float

    @property
    def rejects(self) -> bool:
        """Whether the chain does not fit."""
        return self.p < LEVEL


@dataclass(frozen=True, slots=True)
class Fit:
    """The tests that the counts admit, by name, and how the transitions are spread over users."""

    tests: dict[str, ChainTest]
    users: int
    without: int
    share: float

    @property
    def rejected(self) -> list[str]:
        """The tests that reject."""
        return [name for name, test in self.tests.items() if test.rejects]

    def text(self) -> str:
        """Return the verdict in words."""
        if not self.tests:
            return f"not tested, there are too few counts; {self.sample()}"
        if self.rejected:
            told = ", ".join(f"{name} p = {self.tests[name].p:.2g}" for name in self.rejected)
            return f"rejected ({told}); {self.sample()}"
        least = min(test.p for test in self.tests.values())
        return f"tested, not rejected ({', '.join(self.tests)}: least p = {least:.2g}); {self.sample()}"

    def warning(self) -> str:
        """Return what a conclusion begins with: nothing where the chain fits and the sample is not small."""
        told = list(dict.fromkeys(part for name in self.rejected for part in REMEDIES[name].split("; ")))
        wrong = "The chain does not fit the data, so leakage may be greater than is said here: "
        is_small = self.users - self.without < FEW_USERS or self.share > GREAT_SHARE
        return " ".join([f"{wrong}{'; '.join(told)}."] * bool(told) + [f"Small sample: {self.sample()}."] * is_small)

    def sample(self) -> str:
        """Say how many users there are, and how the transitions are spread over them."""
        users = "1 user" if self.users == 1 else f"{self.users:,} users"
        return f"{users}, {self.without:,} without a transition, one has {self.share:.1%} of all"

    def value(self) -> Object:
        """Return it for JSON; numbers as texts, as all numbers are there."""
        tests: Object = {
            name: {"statistic": repr(each.statistic), "mean": repr(each.mean), "p": repr(each.p)}
            for name, each in self.tests.items()
        }
        return {"users": self.users, "without": self.without, "share": repr(self.share), "tests": tests}

    @classmethod
    def of(cls, value: object) -> Fit:
        """Read what `value` returns. Raises: InvalidRequest."""
        read = as_object(value, "fit")
        check_keys(read, ("users", "without", "share", "tests"), (), "fit")
        tests = as_object(read["tests"], "fit.tests")
        check_keys(tests, (), tuple(REMEDIES), "fit.tests")
        found = {}
        for name, each in tests.items():
            own = as_object(each, name)
            check_keys(own, ("statistic", "mean", "p"), (), name)
            found[name] = ChainTest(*(_double(own[key], f"fit, {name}.{key}") for key in ("statistic", "mean", "p")))
        users, without = (as_integer(read[key], f"fit.{key}") for key in ("users", "without"))
        return cls(found, users, without, _double(read["share"], "fit.share"))


def _double(value: object, what: str) -> float:
    try:
        return float(as_string(value, what))
    except ValueError:
        raise InvalidRequest(f"{what} is not a number") from None


def worst_fit(fits: Iterable[Fit | None]) -> Fit | None:
    """Return the verdict that a conclusion from several of them has: one that rejects, else one that was not made."""
    found = list(fits)
    rejecting = [each for each in found if each is not None and each.rejected]
    return next(iter(rejecting), None if None in found else next(iter(found), None))


@dataclass(slots=True)
class _Origin:
    """A table of counts out of one state, row by row: what X² and its moments need of it."""

    rows: int = 0
    inverse: float = 0.0
    squares: Counter[str] = field(default_factory=Counter)
    columns: Counter[str] = field(default_factory=Counter)

    def add(self, row: Counter[str]) -> None:
        total = row.total()
        self.rows += 1
        self.inverse += 1 / total
        for state, count in row.items():
            self.squares[state] += count * count / total  # type: ignore[assignment]
            self.columns[state] += count

    def moments(self) -> tuple[float, float, float] | None:
        """Return X², and its mean and variance given the margins; None where the margins leave nothing to vary."""
        total, r, c = self.columns.total(), self.rows, len(self.columns)
        if r < 2 or c < 2 or total < 4:
            return None
        statistic = total * (sum(self.squares[state] / count for state, count in self.columns.items()) - 1)
        mean = total * (r - 1) * (c - 1) / (total - 1)
        v = [(k - 1) * (total - k) / (total - 1) for k in (r, c)]
        inverses = self.inverse, sum(1 / count for count in self.columns.values())
        w = [(total * each - k * k) / (total - 2) for each, k in zip(inverses, (r, c), strict=True)]
        variance = 2 * total / (total - 3) * (v[0] - w[0]) * (v[1] - w[1]) + total**2 / (total - 1) * w[0] * w[1]
        return (statistic, mean, variance) if variance > 1e-9 * mean else None


class Observations:
    """Sequences as they are counted: of each user, what the tests need."""

    def __init__(
        self, length: int | None = None, absorbing: Collection[str] = (), cycle: Duration | None = None
    ) -> None:
        """Begin.

        Args: length, of the histories that are kept; none are without it. absorbing, states that are never left: a
        history that ends in one goes on with it. cycle, the length of one whose fit is asked, with a matrix for each
        step: every test then compares transitions out of one state at one time of the cycle.
        """
        self._cycle, self._followed = cycle, 0
        self._within = None if cycle is None else Observations()
        self.stored: Fit | None = None
        self._length, self._absorbing = length, absorbing
        self.triples: Counter[tuple[str, str, str]] = Counter()
        self.begun: Counter[tuple[str, str]] = Counter()
        self.histories: Counter[tuple[str, ...]] = Counter()
        self.shorter = 0
        self._by_age, self.by_hour, self.by_weekday = (_Groups(Counter) for _ in range(3))
        self._lasting = _Groups(Counter)
        self.persons: list[Counter[tuple[str, str]]] = []
        self.walks: list[list[tuple[str, int]]] = []
        self.users = self._without = self._most = self._total = 0

    def watch(self, sequences: Iterable[list[str]]) -> Iterator[list[str]]:
        """Yield sequences, each of a user, and note each; empty ones are nobody's."""
        for sequence in sequences:
            if sequence:
                self.add([[(state, 1) for state in sequence]])
            yield sequence

    def add(self, sequences: Sequence[Runs], clocks: Sequence[Clock] = ()) -> None:
        """Note the sequences of one user. Args: clocks, one for each sequence, where times are dates."""
        own: Counter[tuple[str, str]] = Counter()
        apart: list[Runs] = []
        for runs, clock in zip_longest(sequences, clocks):
            age, lasted = 1, 0  # 0: the beginning was not seen
            if self._length is not None:
                history = tuple(islice((state for state, count in runs for _ in range(count)), self._length))
                if history and history[-1] in self._absorbing:
                    history += history[-1:] * (self._length - len(history))
                self.histories[history] += len(history) == self._length
                self.shorter += len(history) < self._length
            if self._cycle is not None and self._within is not None and clock is not None:
                self._followed += sum(count for _, count in runs)
                if self._followed > MOST_STEPS_OF_CYCLES:
                    self._within = None
                else:
                    apart.append([(state, 1) for state in clock.placed(runs, self._cycle)])
            for before, state, following, count in _transitions(runs):
                own[state, following] += count
                self.begun[state, following] += age == 1
                for hour, steps in () if clock is None else clock.hours(age - 1, count):
                    self.by_hour[hour % 24][state, following] += steps
                    self.by_weekday[hour // 24 % 7][state, following] += steps
                for group, steps in _doubling(age, count):
                    self._by_age[group][state, following] += steps
                for group, steps in _doubling(lasted, count) if lasted else ():
                    self._lasting[group][state, state if state == following else ELSEWHERE] += steps
                lasted = (lasted and lasted + count) if state == following else 1
                age += count
                if before is not None:
                    self.triples[before, state, following] += count
        if self._within is not None:
            self._within.add(apart, clocks)
        self.users += 1
        total = own.total()
        self._without += not total
        self._total += total
        self._most = max(self._most, total)
        if own and len(self.persons) < MOST_PERSONS:
            self.persons.append(own)
            self.walks.append([(runs[0][0], sum(count for _, count in runs) - 1) for runs in sequences if runs])

    def verdict(self) -> Fit | None:
        """Return the verdict: where counts were read, the one that they hold, if any."""
        return self.fit() if self.users else self.stored

    def fit_of_cycle(self) -> Fit | None:
        """Return the verdict on the cycle, None where it was not tested."""
        return None if self._within is None else self._within.fit()

    def fit(self) -> Fit:
        """Return the verdict on what was noted."""
        tables: defaultdict[str, defaultdict[str, _Origin]] = defaultdict(lambda: defaultdict(_Origin))
        for name, groups in self.groups().items():
            for group, pairs in groups.items():
                _add(tables[name], ((group, *pair, count) for pair, count in pairs.items()))
        tests = {}
        for name, table in tables.items():
            moments = [found for origin in table.values() if (found := origin.moments()) is not None]
            if moments:
                statistic, mean, variance = map(sum, zip(*moments, strict=True))
                tests[name] = ChainTest(statistic, mean, _above(statistic, mean, variance))
        if (deviate := _between(self.persons)) is not None:
            tests["persons"] = ChainTest(deviate, 0.0, erfc(deviate / sqrt(2)) / 2)
        share = self._most / self._total if self._total else 0.0
        return Fit(_holm(tests), self.users, self._without, share)

    def groups(self) -> dict[str, dict[str, Counter[tuple[str, str]]]]:
        """Return the groups of transitions that each test compares, but that of persons."""
        before: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        for (first, state, following), count in self.triples.items():
            before[first][state, following] += count
        return {
            "order": dict(sorted(before.items())),
            "time": dict(zip(("early", "late"), self._early_and_late(), strict=True)),
            "hour": {str(hour): pairs for hour, pairs in sorted(self.by_hour.items())},
            "weekday": {_WEEKDAYS[day]: pairs for day, pairs in sorted(self.by_weekday.items())},
            "duration": {str(1 << (group - 1)): pairs for group, pairs in sorted(self._lasting.items())},
        }

    def _early_and_late(self) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
        """Return the transitions before and after the power of 2 of steps that halves them best."""
        early, late = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for age in sorted(self._by_age):
            own = self._by_age[age]
            (late if 2 * early.total() + own.total() > self._total else early).update(own)
        return early, late


def _doubling(first: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield the groups 1, 2 to 3, 4 to 7 and so on of `count` numbers from `first` on, and how many are in each."""
    end = first + count
    while first < end:
        until = min(end, 1 << first.bit_length())
        yield first.bit_length(), until - first
        first = until


def _transitions(runs: Runs) -> Iterator[tuple[str | None, str, str, int]]:
    """Yield each transition of a sequence in order: the state before, if any, that it leaves, that it leads to."""
    before: str | None = None
    for number, (state, length) in enumerate(runs):
        if length > 1:
            yield before, state, state, 1
            before = state
        if length > 2:
            yield state, state, state, length - 2
        if number + 1 < len(runs):
            yield before, state, runs[number + 1][0], 1
        before = state


def _add(table: defaultdict[str, _Origin], counts: Iterable[tuple[str, str, str, int]]) -> None:
    """Add counts by group, state and next state to the tables of their states, a row for each group."""
    rows: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for group, state, following, count in counts:
        rows[group, state][following] += count
    for (_, state), row in rows.items():
        table[state].add(row)


def _between(persons: Sequence[Counter[tuple[str, str]]]) -> float | None:
    """Return the normal deviate of the differences between persons; None for fewer than FEW_USERS."""
    if len(persons) < FEW_USERS:
        return None
    pooled: Counter[tuple[str, str]] = Counter()
    for own in persons:
        pooled.update(own)
    totals: Counter[str] = Counter()
    successors: Counter[str] = Counter()
    for (state, _), count in pooled.items():
        totals[state] += count
        successors[state] += 1
    deviations = []
    for own in persons:
        each: Counter[str] = Counter()
        for (state, _), count in own.items():
            each[state] += count
        squares = sum(count * count * totals[pair[0]] / pooled[pair] for pair, count in own.items())
        expected = sum(
            n * n + n * (1 - n / totals[state]) * (successors[state] - 1) for state, n in each.items()
        )  # n / total: the shares are estimated from the same counts
        deviations.append(squares - expected)
    scale = sqrt(sum(each * each for each in deviations))
    return sum(deviations) / scale if scale > 0 else None


def _above(statistic: float, mean: float, variance: float) -> float:
    """Return the chance of at least this statistic under the gamma distribution of this mean and variance."""
    return float(arb(statistic * mean / variance).gamma_upper(arb(mean * mean / variance), 1).mid())


def _holm(tests: dict[str, ChainTest]) -> dict[str, ChainTest]:
    """Correct p-values for their number."""
    corrected, least = dict(tests), 0.0
    for rank, name in enumerate(sorted(tests, key=lambda each: tests[each].p)):
        least = max(least, min(1.0, (len(tests) - rank) * tests[name].p))
        corrected[name] = ChainTest(tests[name].statistic, tests[name].mean, least)
    return corrected
