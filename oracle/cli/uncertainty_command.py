"""`tploracle uncertainty`: how far the leakage may be from that of an estimated correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil

import click

from ..contract.limits import check_leakage, check_smoothed_counts
from ..data.adversaries import Known, adversaries_of, losses_of
from ..data.files import ROLES, Files
from ..data.posterior import drawn_counts
from ..output.progress import patience
from ..output.sheets import BRACKETS, Cell, Output, Sheet
from ..output.writing import write_text
from ..reference import Level, TransitionCounts, UnreachableState, leakage, maximum
from ..wire.numerals import Reader
from ..wire.strict_json import Object, encode
from ..wire.values import KINDS, level_value
from .options import Releases, output_options, release_options
from .sequence_options import Observed, observed_options

_QUANTILES = (Fraction(1, 20), Fraction(1, 2), Fraction(19, 20))
_SMOOTHINGS = (Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(10))

_DRAWS = (
    "A quantile is the least leakage that so many of the draws do not exceed; the worst is the leakage to an adversary "
    "of whom the draws are the candidates."
)
_SMOOTHING = (
    "Smoothing makes rows alike, and so lowers the leakage, most where little was seen: a user of few transitions "
    "looks safest. Decide by the draws, not by a smoothed estimate."
)


@click.command("uncertainty")
@observed_options()
@release_options()
@click.option("--draws", type=int, default=100, show_default=True, help="How many pairs of matrices are drawn.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of the draws.")
@click.option(
    "--smoothing",
    metavar="NUMBER",
    default="1/2",
    show_default=True,
    help="The prior: added to every count.",
)
@click.option("--write", metavar="FILE", help="Write the draws as well, as users of --users: a set of candidates.")
@output_options(digits=6)
def uncertainty_command(
    *,
    observed: Observed,
    releases: Releases,
    draws: int,
    seed: int,
    smoothing: str,
    write: str | None,
    output: Output,
) -> None:
    """Compute the worst leakage over correlations drawn from the posterior of the transitions that were seen.

    FILE is one of sequences, of visits, or of counts (with --count-table a table of them), as for estimate. The
    worst of the draws is for an adversary who is certain of that draw.
    """
    budgets = releases.budgets(Files())
    prior = Reader().number(smoothing, "--smoothing")
    counts, _ = observed.counts()
    check_smoothed_counts(len(counts.states), prior)
    drawn: dict[str, Known] = {
        f"draw {number}": _known(one, Fraction(0))
        for number, one in enumerate(drawn_counts(counts, prior, draws, seed), 1)
    }
    estimates: dict[str, Known] = {}
    for added in sorted({*_SMOOTHINGS, prior}):
        try:
            estimates[str(added)] = _known(counts, added)
        except UnreachableState:  # of no smoothing
            continue
    worst = _worst(budgets, {**drawn, **estimates}, output.digits)
    values = {name: _values(levels, output.digits) for name, levels in worst.items()}
    ordered = {kind: sorted(worst[name][kind] for name in drawn) for kind in KINDS}
    quantiles = {
        str(part): _values({kind: levels[ceil(part * draws) - 1] for kind, levels in ordered.items()}, output.digits)
        for part in (*_QUANTILES, Fraction(1))
    }
    smoothed = {name: values[name] for name in estimates}
    seen = [min(map(sum, table)) for table in (counts.transitions, tuple(zip(*counts.transitions, strict=True)))]
    value: Object = {
        "states": len(counts.states),
        "transitions": sum(map(sum, counts.transitions)),
        "fewest": dict(zip(("from a state", "to a state"), seen, strict=True)),
        "draws": draws,
        "seed": seed,
        "smoothing": str(prior),
        "quantiles": quantiles,
        "smoothed": smoothed,
    }
    if write:
        users = {name: {role: matrix.texts() for role, matrix in known.items()} for name, known in drawn.items()}
        write_text(write, encode(users) + "\n", "file of draws")
    titles = (
        f"Worst leakage over {len(budgets)} releases, of {draws} draws with seed {seed} and smoothing {prior}",
        f"The same of estimates from {value['transitions']} transitions, {seen[0]} or more from each state",
    )
    named = {_percent(part): levels for part, levels in quantiles.items()}
    output.write(
        [value],
        _sheet(titles[0], "draws", named, (BRACKETS, _DRAWS)),
        _sheet(titles[1], "smoothing", smoothed, (_SMOOTHING,)),
    )


def _known(counts: TransitionCounts, smoothing: Fraction) -> Known:
    return dict(zip(ROLES, (counts.backward(smoothing), counts.forward(smoothing)), strict=True))


def _worst(budgets: Sequence[Level], known: Mapping[str, Known], digits: int) -> dict[str, dict[str, Level]]:
    """Return the greatest BPL, FPL and TPL over all times for those who know these matrices."""
    with patience("loss functions") as progress:
        adversaries = adversaries_of(known, progress=progress)
    check_leakage(budgets, losses_of(adversaries), digits, len(adversaries))
    found: dict[str, dict[str, Level]] = {}
    with patience("leakage") as progress:
        for number, (name, adversary) in enumerate(adversaries.items(), 1):
            own = leakage(budgets, adversary)
            found[name] = {kind: maximum(dict(enumerate(getattr(own, kind)))).level for kind in KINDS}
            progress(number, len(adversaries))
    return found


def _values(levels: Mapping[str, Level], digits: int) -> Object:
    return {kind: level_value(level, digits) for kind, level in levels.items()}


def _percent(part: str) -> str:
    return "worst" if part == "1" else f"{100 * Fraction(part)} %"


def _sheet(title: str, first: str, named: Mapping[str, Object], notes: tuple[str, ...]) -> Sheet:
    rows: list[list[Cell]] = []
    for name, levels in named.items():
        row: list[Cell] = [name]
        for kind in KINDS:
            level = levels[kind]
            assert isinstance(level, dict)
            row.append(level)
        rows.append(row)
    return Sheet(title, (first, *(f"worst {kind.upper()}" for kind in KINDS)), rows, notes)
