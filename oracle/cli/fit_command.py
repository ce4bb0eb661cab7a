"""`tploracle fit`: whether a chain of first order, the same at all times and for everybody, fits what was seen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import sqrt

from ..checked import agreeing_maximum, fast_worst_case_leakage
from ..contract.limits import check_count, check_worst_case
from ..data.alternatives import HOUR, ROUNDING, WEEKDAY, cycle_of, two_kinds
from ..data.estimates import with_absorbing
from ..data.files import Files, named
from ..data.fit import REMEDIES, Fit, Observations
from ..data.law_files import second_order_of, second_order_value
from ..models.basis import TIME_HOMOGENEOUS
from ..models.laws import SecondOrderLeakage
from ..models.neighbours import Neighbours
from ..output.progress import patience
from ..output.sheets import Cell, Output, Sheet, print_words
from ..reference import InvalidRequest, Level, OracleError, TransitionCounts, TransitionMatrix
from ..reference.correlations import reverse, stationary
from ..reference.stepwise import KnownCorrelation, Stepwise, cohort_reversal, periodic_reversal
from ..reference.worst_case.mixtures import mixture_leakage
from ..wire.strict_json import Object
from ..wire.values import decimal_text
from .declared import Command
from .options import Releases, neighbours_options, output_options, plot_option, release_options
from .sequence_options import Observed, absorbing_option, observed_options

MOST_FITTED_STATES, MOST_FITTED_RELEASES = 8, 20
"""States and releases up to which second order is compared: more take longer than a test may."""

MOST_MIXED = 2_000
"""Releases squared times states to the fourth up to which an adversary who does not know the kinds is compared."""

MOST_DRAWN = 6
"""States that a picture shows: the lines of more cannot be told from each other."""

_TITLE = "Tests of the chain"

QUESTIONS = {
    "order": "the value before matters too",
    "time": "late in a sequence differs from early",
    "hour": "hours of the day differ",
    "weekday": "days of the week differ",
    "duration": "a value's end depends on how long it lasted",
    "persons": "persons differ",
}
"""What is so where a test rejects."""


_GROUPS = {
    "order": "by the state before",
    "time": "early and late in a sequence",
    "hour": "by the hour of the day",
    "weekday": "by the day of the week",
    "duration": "by the steps it has lasted, at least",
}


class FitCommand(Command):
    """Test whether the chain that estimate fits is that of the data: its order, its changes over time, between persons.

    Leakage and budgets are those of the chain. Where it does not fit they may be too low or too great by any amount:
    what releases leak on a chain of second order, on matrices by hour or weekday, or on two kinds of persons stands
    beside what they leak on it.
    estimate --counts stores the verdict with the counts, and every conclusion from them says it.
    """

    observed: Observed = observed_options()
    absorbing: tuple[str, ...] = absorbing_option
    releases: Releases = release_options("1/10", 10)
    neighbours: Neighbours = neighbours_options()
    plot: str | None = plot_option
    output: Output = output_options(digits=6)

    def _run(self) -> None:
        seen = Observations()
        counted, step, fit = self.observed.counts(seen)
        if fit is None or not seen.users:
            raise InvalidRequest(
                f"{self.observed.path}: counts do not say who did what in which order: give the sequences or the log"
            )
        with named(self.observed.path):
            counted = with_absorbing(counted, self.absorbing)
        output = self.output
        told = not (output.as_json or output.as_csv)
        if told:
            print_words(fit.warning() or "No test rejects the chain.")
        epsilons = self.neighbours.read(self.releases.budgets(Files(), "1/10", 10))
        with patience("leakage"):
            leaked: dict[str, Object] = {
                "first_order": _first_order(counted, epsilons, output),
                "second_order": _second_order(counted, seen, epsilons, output),
            }
            for by, groups in ((HOUR, seen.by_hour), (WEEKDAY, seen.by_weekday)):
                if by in fit.tests:
                    leaked[by] = _by_clock(partial(cycle_of, groups, by, counted.states, step), epsilons, output)
            if "persons" in fit.tests:
                leaked |= _two_kinds(counted, seen, epsilons, output)
        value = fit.value() | {"leakage": leaked}
        output.write([value], _tests(fit), _leakage(leaked, len(epsilons)), _states(counted))
        if self.plot:
            _draw(self.plot, seen, counted.states)
        if told:
            print_words(f"Chain: {TIME_HOMOGENEOUS}: {fit.text()}.")


def _first_order(counted: TransitionCounts, epsilons: Sequence[Level], output: Output) -> Object:
    """Return the greatest TPL of a chain of first order; or why it is not known."""
    try:
        forward = counted.forward()
        check_worst_case(len(epsilons), forward.n)
        if counted.absorbing:
            backward = cohort_reversal(forward, counted.initial(), len(epsilons) - 1)
            return _enclosed([_worst(epsilons, backward, forward, _possible(counted, forward, len(epsilons)))], output)
        return _enclosed([_worst(epsilons, counted.backward(), forward)], output)
    except OracleError as error:
        return {"unknown": str(error)}


def _worst(
    epsilons: Sequence[Level],
    backward: KnownCorrelation,
    forward: KnownCorrelation,
    possible: Sequence[Collection[int]] | None = None,
) -> Level:
    tpl = fast_worst_case_leakage(epsilons, backward, forward, possible).tpl
    return agreeing_maximum(dict(enumerate(tpl))).level


def _enclosed(levels: Sequence[Level], output: Output) -> Object:
    """Return both ends of the greatest level."""
    bounds = [level.enclosure(output.digits) for level in levels]
    lower = max(each.lower for each in bounds)
    return {"lower": decimal_text(lower), "upper": decimal_text(max(each.upper for each in bounds))}


def _by_clock(cycle: Callable[[], Stepwise[TransitionMatrix]], epsilons: Sequence[Level], output: Output) -> Object:
    """Return the greatest TPL where each hour or weekday has its own matrix, whenever the first release is."""
    try:
        forward = cycle()
        check_count(forward.each[0].n, MOST_FITTED_STATES, "states of a cycle")
        check_count(len(epsilons), MOST_FITTED_RELEASES, "releases on a cycle")
        backward = periodic_reversal(forward, is_forward=True)
        found = []
        for first in range(len(forward.each)):
            turned = [
                Stepwise(own.each[first:] + own.each[:first], repeats=True).over(len(epsilons) - 1, "the cycle")
                for own in (backward, forward)
            ]
            found.append(_worst(epsilons, Stepwise(turned[0]), Stepwise(turned[1])))
        return _enclosed(found, output)
    except OracleError as error:
        return {"unknown": str(error)}


def _two_kinds(
    counted: TransitionCounts, seen: Observations, epsilons: Sequence[Level], output: Output
) -> dict[str, Object]:
    """Return the greatest TPL of two kinds of persons to those who know who is of which, and both ends to others."""
    try:
        check_count(len(counted.states), MOST_FITTED_STATES, "states of two kinds")
        check_count(len(epsilons), MOST_FITTED_RELEASES, "releases to two kinds")
        kinds = two_kinds(seen, counted.states)
        chains = [(reverse(forward, stationary(forward)), forward) for forward in kinds.forward]
        known = _enclosed([_worst(epsilons, *chain) for chain in chains], output)
    except OracleError as error:
        return {"each_kind": {"unknown": str(error)}}
    gained = {"gain": repr(kinds.gain), "parameters": kinds.parameters, "share": repr(float(kinds.shares[0]))}
    gained |= {"p": None if kinds.chance is None else repr(kinds.chance), "draws": kinds.draws}
    if len(epsilons) ** 2 * len(counted.states) ** 4 > MOST_MIXED:
        return {"each_kind": known | gained, "two_kinds": {"unknown": "too large here: leakage --prior answers"}}
    found = mixture_leakage(epsilons, chains, kinds.shares)
    ends = {"lower": _enclosed(found.lower, output)["lower"], "upper": _enclosed(found.upper, output)["upper"]}
    return {"each_kind": known | gained, "two_kinds": ends}


def _possible(counted: TransitionCounts, forward: TransitionMatrix, releases: int) -> list[set[int]]:
    """Return the values that can occur at each time in a cohort that begins as the sequences do."""
    found = [{value for value, first in enumerate(counted.first) if first}]
    while len(found) < releases:
        found.append({k for j in found[-1] for k, p in enumerate(forward.rows[j]) if p})
    return found


def _second_order(counted: TransitionCounts, seen: Observations, epsilons: Sequence[Level], output: Output) -> Object:
    """Return both ends of the greatest TPL of a chain of second order, as it would be for the first one."""
    try:
        check_count(len(counted.states), MOST_FITTED_STATES, "states, for which second order takes long")
        check_count(len(epsilons), MOST_FITTED_RELEASES, "releases, for which second order takes long")
        law = second_order_of(second_order_value(counted, seen, Fraction(0), bool(counted.absorbing)))
        found = list(SecondOrderLeakage(law).ends(epsilons))
    except OracleError as error:
        return {"unknown": str(error)}
    ends = [_enclosed([getattr(each, end) for each in found], output) for end in ("lower", "upper")]
    return {"lower": ends[0]["lower"], "upper": ends[1]["upper"]}


_CHAINS = {
    "first_order": "first order (the chain)",
    "second_order": "second order",
    HOUR: "a matrix for each hour",
    WEEKDAY: "a matrix for each weekday",
    "each_kind": "two kinds, known who is of which",
    "two_kinds": "two kinds, not known who",
}


def _leakage(leaked: Mapping[str, Object], releases: int) -> Sheet:
    rows: list[list[Cell]] = [
        [_CHAINS[key], str(found.get("lower", "not known")), str(found.get("upper", "not known"))]
        for key, found in leaked.items()
    ]
    notes = [f"Not known of {_CHAINS[key]}: {own['unknown']}." for key, own in leaked.items() if "unknown" in own]
    notes += [f"Two kinds, found by EM, {_gained(own)}; {_drawn(own)}." for own in leaked.values() if "gain" in own]
    note = "The greatest TPL, in nats: some stream attains the one, and none exceeds the other."
    title = f"Leakage of {releases} releases if values are of"
    return Sheet(title, ("chain of", "attained", "at most"), rows, (note, *notes))


def _gained(own: Object) -> str:
    share, gain = (float(str(own[key])) for key in ("share", "gain"))
    if gain <= ROUNDING:
        return "are no likelier than one"
    more = f"twice the log-likelihood grows by {gain:.4g} for {own['parameters']} parameters more"
    return f"are {share:.0%} and the others of the persons: {more}"


def _drawn(own: Object) -> str:
    if own["p"] is None:
        return "p is not known, as draws of so many persons would take long: the test of persons has one"
    return f"p = {float(str(own['p'])):.2g} by {own['draws']} draws from one kind (parametric bootstrap)"


def _tests(fit: Fit) -> Sheet:
    columns = ("test", "statistic", "expected", "p", "if rejected")
    rows: list[list[str | int | dict[str, object]]] = []
    for name in REMEDIES:
        if (test := fit.tests.get(name)) is None:
            rows.append([name, "", "", "not tested", QUESTIONS[name]])
        else:
            rows.append([name, f"{test.statistic:.4g}", f"{test.mean:.4g}", f"{test.p:.2g}", QUESTIONS[name]])
    note = "Pearson's X²; of persons a normal deviate. p is corrected for the number of tests (Holm)."
    return Sheet(_TITLE, columns, rows, (note,))


def _draw(path: str, seen: Observations, states: Sequence[str]) -> None:
    """Draw what each test compares: how often each of the first states is kept, with two standard errors."""
    from ..output.plots import fit_picture

    tests: dict[str, dict[str, dict[str, tuple[float, float]]]] = {}
    for name, groups in seen.groups().items():
        for group, pairs in groups.items():
            for state in states[:MOST_DRAWN]:
                if total := sum(count for (own, _), count in pairs.items() if own == state):
                    share = pairs[state, state] / total
                    tests.setdefault(f"{name}: {_GROUPS[name]}", {}).setdefault(group, {})[state] = (
                        share,
                        2 * sqrt(share * (1 - share) / total),
                    )
    kept = [sum(own[state, state] for state in states) / own.total() for own in seen.persons]
    fit_picture(path, tests, kept)


def _states(counted: TransitionCounts) -> Sheet:
    rows: list[list[str | int | dict[str, object]]] = [
        [state, sum(row)] for state, row in zip(counted.states, counted.transitions, strict=True)
    ]
    return Sheet("Transitions out of each state", ("state", "transitions"), rows)
