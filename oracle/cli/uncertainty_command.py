"""`tploracle uncertainty`: how far the leakage may be from that of an estimated correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil

from ..contract.limits import check_leakage, check_smoothed_counts
from ..data.adversaries import adversaries_of, losses_of
from ..data.estimates import note_returns, with_absorbing
from ..data.files import ROLES, Files, named
from ..data.posterior import drawn_counts
from ..models.basis import Basis
from ..models.chain import NOT_ASKED, chain_of, correlations_of, stationary_reversal
from ..models.neighbours import Neighbours
from ..models.paper_bound import PaperBound
from ..models.worst_case import WorstCase
from ..output.progress import patience
from ..output.sheets import Cell, Conclusion, Output, Sheet, counted, level_cell, odds
from ..output.writing import write_text
from ..reference import Adversary, InvalidRequest, Level, TransitionCounts, UnreachableState
from ..reference.stepwise import KnownCorrelation, Stepwise, cohort_reversal
from ..wire.numerals import Reader
from ..wire.strict_json import Object, encode
from ..wire.values import KINDS
from .declared import Command, option
from .options import Releases, neighbours_options, output_options, release_options
from .sequence_options import Observed, absorbing_option, observed_options

_QUANTILES = (Fraction(1, 20), Fraction(1, 2), Fraction(19, 20))
_SMOOTHINGS = (Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(10))

ORDERED_DIGITS = 20
"""Digits in which the leakage of draws is ordered."""

_DRAWS = (
    "A quantile is the least leakage that its share of the draws does not exceed; the worst is the leakage to an "
    "adversary of whom the draws are the candidates."
)
_SMOOTHING = (
    "Smoothing makes rows alike, and so lowers the leakage, most where little was seen: a user of few transitions "
    "looks safest. Decide by the draws, not by a smoothed estimate."
)


class UncertaintyCommand(Command):
    """Compute the worst leakage over correlations drawn from the posterior of the observed transitions.

    FILE has sequences, visits, or counts (with --count-table a table of them), as for estimate. The worst of the draws
    is for an adversary who is certain of that draw. Each draw is a stationary chain: the backward
    correlation is the reversal of the forward one; or, with states that are never left, a cohort that begins as the
    sequences do.
    """

    observed: Observed = observed_options()
    releases: Releases = release_options()
    neighbours: Neighbours = neighbours_options()
    draws: int = option(default=100, show_default=True, help="Number of pairs of matrices to draw.")
    seed: int = option(default=0, show_default=True, help="The seed of the draws.")
    absorbing: tuple[str, ...] = absorbing_option
    smoothing: str = option(
        metavar="NUMBER", default="1/2", show_default=True, help="The prior: number added to every count."
    )
    out: str | None = option(
        "--out", "-o", metavar="FILE", help="Also write the draws, as a file for --users: a set of candidates."
    )
    output: Output = output_options(digits=6, has_levels=True, in_brief=False)

    def _run(self) -> None:
        budgets = self.neighbours.read(self.releases.budgets(Files()))
        prior = Reader().number(self.smoothing, "--smoothing")
        counts, step, fit = self.observed.counts()
        check_smoothed_counts(len(counts.states), prior)
        with named(self.observed.path):
            counts = with_absorbing(counts, self.absorbing)
            counts.forward()  # where nothing was seen, draws would be of the prior alone, which makes rows alike
            if not counts.absorbing:
                counts.backward()
            note_returns(counts)
        steps = len(budgets) - 1
        drawn = {
            f"draw {number}": _known(one, Fraction(0), steps, f"draw {number}: ")
            for number, one in enumerate(drawn_counts(counts, prior, self.draws, self.seed), 1)
        }
        estimates: dict[str, dict[str, KnownCorrelation]] = {}
        for added in sorted({*_SMOOTHINGS, prior}):
            try:
                estimates[str(added)] = _known(counts, added, steps)
            except (UnreachableState, InvalidRequest):  # of no smoothing
                continue
        adversaries = _adversaries({**drawn, **estimates})
        check_leakage(budgets, losses_of(adversaries), self.output.digits, len(adversaries))
        worst = _worst(budgets, adversaries)
        values = {name: _values(levels, self.output.precision) for name, levels in worst.items()}
        ordered = {kind: sorted((worst[name][kind] for name in drawn), key=_fine) for kind in KINDS}
        quantiles = {
            str(part): _values(
                {kind: levels[ceil(part * self.draws) - 1] for kind, levels in ordered.items()}, self.output.precision
            )
            for part in (*_QUANTILES, Fraction(1))
        }
        smoothed = {name: values[name] for name in estimates}
        seen = [min(map(sum, table)) for table in (counts.transitions, tuple(zip(*counts.transitions, strict=True)))]
        value: Object = {
            "states": len(counts.states),
            "transitions": sum(map(sum, counts.transitions)),
            "fewest": dict(zip(("from a state", "to a state"), seen, strict=True)),
            "draws": self.draws,
            "seed": self.seed,
            "smoothing": str(prior),
            "quantiles": quantiles,
            "smoothed": smoothed,
        }
        if self.out:
            users = {name: {role: _texts(matrix) for role, matrix in known.items()} for name, known in drawn.items()}
            write_text(self.out, encode(users) + "\n", "file of draws")
        releases = counted(len(budgets), "release leaks", "releases leak")
        drawn_as = f"of {self.draws} draws with seed {self.seed} and smoothing {prior}"
        titles = (
            f"Worst leakage over {len(budgets)} releases, {drawn_as}",
            f"The same of estimates from {value['transitions']} transitions, {seen[0]} or more from each state",
        )
        by_share = {_percent(part): levels for part, levels in quantiles.items()}
        most = ordered["tpl"][-1]
        text = (
            f"{releases} at most {self.output.words(most)} nats about the value at any one time, whichever of the "
            f"{self.draws} draws holds ({WorstCase.title}): the odds of an adversary who is certain of one change "
            f"{odds(most)}."
        )
        basis = Basis(
            f"knows P^F, and P^B by {'Bayes for each step' if counts.absorbing else 'its reversal'}",
            chain_of(correlations_of(adversaries[name]) for name in list(drawn)[:1]),
            step=f"of {step.text()}" if step is not None else NOT_ASKED,
            users=f"{self.draws} draws, each certain of one",
            estimate=f"from {value['transitions']:,} transitions; the draws are of their posterior, smoothing {prior}",
            fit=fit,
            absent={PaperBound.key: "the paper's bound; leakage --users on the file of --out has it"},
        )
        self.output.conclude(
            Conclusion(text, self.neighbours.basis(basis)),
            [value],
            _sheet(titles[0], "draws", by_share, (self.output.numerals, _DRAWS)),
            _sheet(titles[1], "smoothing", smoothed, (_SMOOTHING,)),
        )


def _known(counts: TransitionCounts, smoothing: Fraction, steps: int, whose: str = "") -> dict[str, KnownCorrelation]:
    """Return the matrices of the stationary chain with this P^F, or of the cohort where states are never left.

    Raises: InvalidRequest where there is no such chain.
    """
    forward = counts.forward(smoothing)
    if counts.absorbing:
        return dict(zip(ROLES, (cohort_reversal(forward, counts.initial(), steps), forward), strict=True))
    counts.backward(smoothing)  # a state that nothing leads to is refused as such
    try:
        return dict(zip(ROLES, (stationary_reversal(forward), forward), strict=True))
    except InvalidRequest as error:
        raise InvalidRequest(f"{whose}{error}") from None


def _texts(known: KnownCorrelation) -> object:
    return {"steps": [matrix.texts() for matrix in known.each]} if isinstance(known, Stepwise) else known.texts()


def _fine(level: Level) -> Decimal:
    """Return by what levels are ordered: those that are equal, in other formulas, would not be told apart."""
    return level.enclosure(ORDERED_DIGITS).upper


def _adversaries(known: Mapping[str, Mapping[str, KnownCorrelation]]) -> dict[str, Adversary]:
    with patience("loss functions") as progress:
        return adversaries_of(known, progress=progress)


def _worst(budgets: Sequence[Level], adversaries: Mapping[str, Adversary]) -> dict[str, dict[str, Level]]:
    """Return the greatest BPL, FPL and TPL over all times to each adversary."""
    found: dict[str, dict[str, Level]] = {}
    model = WorstCase()
    with patience("leakage") as progress:
        for number, (name, adversary) in enumerate(adversaries.items(), 1):
            own = model.leakage(budgets, {name: adversary}).each[name]
            found[name] = {kind: model.greatest(dict(enumerate(getattr(own, kind)))).level for kind in KINDS}
            progress(number, len(adversaries))
    return found


def _values(levels: Mapping[str, Level], digits: int) -> Object:
    return {kind: level_cell(level, digits) for kind, level in levels.items()}


def _percent(part: str) -> str:
    return "worst" if part == "1" else f"{100 * Fraction(part)} %"


def _sheet(title: str, first: str, by_share: Mapping[str, Object], notes: tuple[str, ...]) -> Sheet:
    rows: list[list[Cell]] = []
    for name, levels in by_share.items():
        row: list[Cell] = [name]
        for kind in KINDS:
            level = levels[kind]
            assert isinstance(level, dict)
            row.append(level)
        rows.append(row)
    return Sheet(title, (first, *(f"worst {kind.upper()}" for kind in KINDS)), rows, notes)
