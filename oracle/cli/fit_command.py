"""`tploracle fit`: whether a chain of first order, the same at all times and for everybody, fits what was seen."""

from __future__ import annotations

from ..data.fit import REMEDIES, Fit
from ..models.basis import TIME_HOMOGENEOUS
from ..output.sheets import Output, Sheet, print_words
from ..reference import InvalidRequest, TransitionCounts
from .declared import Command
from .options import output_options
from .sequence_options import Observed, observed_options

_TITLE = "Tests of the chain"

QUESTIONS = {
    "order": "the value before matters too",
    "time": "late in a sequence differs from early",
    "persons": "persons differ",
}
"""What is so where a test rejects."""


class FitCommand(Command):
    """Test whether the chain that estimate fits is that of the data: its order, its changes over time, between persons.

    Leakage and budgets are those of the chain. Where it does not fit they may be too low or too great by any amount.
    estimate --counts stores the verdict with the counts, and every conclusion from them says it.
    """

    observed: Observed = observed_options()
    output: Output = output_options()

    def _run(self) -> None:
        counted, _, fit = self.observed.counts()
        if fit is None:
            raise InvalidRequest(
                f"{self.observed.path}: counts do not say who did what in which order: give the sequences or the log"
            )
        output = self.output
        told = not (output.as_json or output.as_csv)
        if told:
            print_words(fit.warning() or "No test rejects the chain.")
        output.write([fit.value()], _tests(fit), _states(counted))
        if told:
            print_words(f"Chain: {TIME_HOMOGENEOUS}: {fit.text()}.")


def _tests(fit: Fit) -> Sheet:
    columns = ("test", "statistic", "expected", "p", "if rejected")
    rows: list[list[str | int | dict[str, object]]] = []
    for name in REMEDIES:
        if (test := fit.tests.get(name)) is None:
            rows.append([name, "", "", "not tested: too few counts", QUESTIONS[name]])
        else:
            rows.append([name, f"{test.statistic:.4g}", f"{test.mean:.4g}", f"{test.p:.2g}", QUESTIONS[name]])
    note = "order, time: Pearson's X²; persons: a normal deviate. p is corrected for three tests (Holm)."
    return Sheet(_TITLE, columns, rows, (note,))


def _states(counted: TransitionCounts) -> Sheet:
    rows: list[list[str | int | dict[str, object]]] = [
        [state, sum(row)] for state, row in zip(counted.states, counted.transitions, strict=True)
    ]
    return Sheet("Transitions out of each state", ("state", "transitions"), rows)
