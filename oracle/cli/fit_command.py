"""`tploracle fit`: whether a chain of first order, the same at all times and for everybody, fits what was seen."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..checked import fast_worst_case_leakage
from ..contract.limits import check_count, check_worst_case
from ..data.files import Files, named
from ..data.fit import REMEDIES, Fit, Observations
from ..data.law_files import second_order_of, second_order_value
from ..models.basis import TIME_HOMOGENEOUS
from ..models.laws import SecondOrderLeakage
from ..models.neighbours import Neighbours
from ..output.progress import patience
from ..output.sheets import Cell, Output, Sheet, print_words
from ..reference import InvalidRequest, Level, OracleError, TransitionCounts, TransitionMatrix
from ..reference.stepwise import cohort_reversal
from ..solvers.worst_case.agreeing import agreeing_maximum
from ..wire.strict_json import Object
from ..wire.values import decimal_text
from .declared import Command
from .options import Releases, neighbours_options, output_options, release_options
from .sequence_options import Observed, absorbing_option, observed_options, with_absorbing

MOST_FITTED_STATES, MOST_FITTED_RELEASES = 8, 20
"""States and releases up to which second order is compared: more take longer than a test may."""

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


class FitCommand(Command):
    """Test whether the chain that estimate fits is that of the data: its order, its changes over time, between persons.

    Leakage and budgets are those of the chain. Where it does not fit they may be too low or too great by any amount:
    what releases leak on a chain of second order stands beside what they leak on it.
    estimate --counts stores the verdict with the counts, and every conclusion from them says it.
    """

    observed: Observed = observed_options()
    absorbing: tuple[str, ...] = absorbing_option
    releases: Releases = release_options("1/10", 10)
    neighbours: Neighbours = neighbours_options()
    output: Output = output_options(digits=6)

    def _run(self) -> None:
        seen = Observations()
        counted, _, fit = self.observed.counts(seen)
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
            leaked = [_first_order(counted, epsilons, output), _second_order(counted, seen, epsilons, output)]
        value = fit.value() | {"leakage": dict(zip(("first_order", "second_order"), leaked, strict=True))}
        output.write([value], _tests(fit), _leakage(leaked, len(epsilons)), _states(counted))
        if told:
            print_words(f"Chain: {TIME_HOMOGENEOUS}: {fit.text()}.")


def _first_order(counted: TransitionCounts, epsilons: Sequence[Level], output: Output) -> Object:
    """Return the greatest TPL of a chain of first order; or why it is not known."""
    try:
        forward = counted.forward()
        check_worst_case(len(epsilons), forward.n)
        if counted.absorbing:
            backward = cohort_reversal(forward, counted.initial(), len(epsilons) - 1)
            tpl = fast_worst_case_leakage(epsilons, backward, forward, _possible(counted, forward, len(epsilons))).tpl
        else:
            tpl = fast_worst_case_leakage(epsilons, counted.backward(), forward).tpl
        worst = agreeing_maximum(dict(enumerate(tpl))).level
    except OracleError as error:
        return {"unknown": str(error)}
    bounds = worst.enclosure(output.digits)
    return {"lower": decimal_text(bounds.lower), "upper": decimal_text(bounds.upper)}


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
    lower, upper = max(each.lower for each in found), max(each.upper for each in found)
    return {
        "lower": decimal_text(lower.enclosure(output.digits).lower),
        "upper": decimal_text(upper.enclosure(output.digits).upper),
    }


def _leakage(leaked: Sequence[Object], releases: int) -> Sheet:
    both = dict(zip(("first order (the chain)", "second order"), leaked, strict=True))
    rows: list[list[Cell]] = [
        [name, str(found.get("lower", "not known")), str(found.get("upper", "not known"))]
        for name, found in both.items()
    ]
    notes = [f"Of {name} it is not known: {found['unknown']}." for name, found in both.items() if "unknown" in found]
    note = "The greatest TPL, in nats: some stream attains the one, and none exceeds the other."
    title = f"Leakage of {releases} releases if values are of"
    return Sheet(title, ("chain of", "attained", "at most"), rows, (note, *notes))


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


def _states(counted: TransitionCounts) -> Sheet:
    rows: list[list[str | int | dict[str, object]]] = [
        [state, sum(row)] for state, row in zip(counted.states, counted.transitions, strict=True)
    ]
    return Sheet("Transitions out of each state", ("state", "transitions"), rows)
