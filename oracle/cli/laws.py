"""`--law`: leakage and budgets on a law beyond a chain of first order, between two ends that are proved."""

from __future__ import annotations

from collections.abc import Sequence

from ..contract.limits import MOST_RELEASES, check_count
from ..data.law_files import LawFile, read_law
from ..models.basis import Basis
from ..models.chain import NOT_ASKED
from ..models.laws import Ends, greatest_kept, leakage_of_law
from ..models.neighbours import Neighbours
from ..output.progress import patience
from ..output.sheets import Cell, Conclusion, Heading, Output, Sheet, counted_releases, odds
from ..reference import InvalidRequest, Level
from ..reference.laws import SecondOrder
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import decimal_text
from .declared import option
from .extras import need

law_option: str | None = option(
    "--law",
    metavar="FILE",
    help="Instead: a law beyond first order, as estimate --order 2 and estimate --histories write.",
)

EXCLUDED = (
    "--law excludes --backward, --forward, --users, --one-sided, --independent, --matrices, --every, --delta, "
    "--knowing, --prior, --model and --reference"
)

MOST_LAW_RELEASES = 200
"""Releases on a chain of second order: each time is bounded by itself, in time in proportion to their square."""

_ENDS = {
    True: "Attained: by sets of single values. Bound: for every stream. The truth lies between them.",
    False: "Attained, and a bound for every stream, by the linear program over all of them.",
}


def leakage_on_law(
    path: str, epsilons: Sequence[Level], neighbours: Neighbours, output: Output, plot: str | None
) -> None:
    """Write what releases with these budgets tell on a law. Args: plot, a picture's file."""
    read = _read(path, len(epsilons))
    with patience("leakage") as progress:
        found = []
        for number, ends in enumerate(leakage_of_law(read.law).ends(epsilons), 1):
            found.append(ends)
            progress(number, len(epsilons))
    lower, upper = _worst(found)
    cells = [ends_value(each, output) for each in found]
    rows: list[list[Cell]] = [
        [time, _below(each.lower, output), output.level(each.upper)] for time, each in enumerate(found, 1)
    ]
    releases = counted_releases(len(epsilons), "leak")
    text = _warning(read) + (
        f"{releases} at most {output.words(upper)} nats about the value at any one time ({_whose(read)}), and some "
        f"stream tells {_below(lower, output)} or more: an adversary's odds between two values there change "
        f"{odds(upper)}."
    )
    value: Object = {"times": list(range(1, len(found) + 1)), "law": {"tpl": cells}}
    sheet = Sheet("Leakage over time", ("time", "TPL attained", "TPL bound"), rows, _notes(read, output))
    output.conclude(Conclusion(text, neighbours.basis(_basis(read))), [value], sheet)
    if plot is not None:
        from ..output.plots import leakage_picture

        both = {"TPL attained": [each.lower for each in found], "TPL bound": [each.upper for each in found]}
        leakage_picture(plot, {_whose(read): both})


def allocate_on_law(path: str, alpha: str, steps: int | None, neighbours: Neighbours, output: Output) -> None:
    """Write the greatest constant budget of which it is proved that it keeps a level on a law."""
    read = _read(path, steps)
    horizon = read.law.releases if steps is None and not isinstance(read.law, SecondOrder) else steps
    if horizon is None or horizon < 1:
        raise InvalidRequest("--law needs --steps, at least 1: nothing is known over an infinite horizon")
    own, level = leakage_of_law(read.law), Reader().level(alpha, "--alpha")
    with patience("budgets"):
        epsilon = greatest_kept(
            lambda tried: own.keeps([tried] * horizon, level), level, horizon, min(output.digits, 6)
        )
        found = list(own.ends([epsilon] * horizon))
    printed = neighbours.printed_one(epsilon.to_spend(), output.digits)
    lower, _ = _worst(found)
    each = f"each of {horizon} releases" if horizon > 1 else "the one release"
    text = _warning(read) + (
        f"TPL stays within {alpha} if {each} spends at most {output.words(printed)} ({_whose(read)}); some stream then "
        f"tells {_below(lower, output)} or more."
    )
    value: Object = {
        "releases": horizon,
        "law": {"epsilon": output.level(printed), "tpl": [ends_value(own, output) for own in found]},
    }
    rows: list[list[Cell]] = [
        [time, output.level(printed), _below(own.lower, output), output.level(own.upper)]
        for time, own in enumerate(found, 1)
    ]
    columns = ("time", Heading("budget", "budget", is_budget=True), "TPL attained", "TPL bound")
    sheet = Sheet(f"Budgets of {horizon} releases", columns, rows, _notes(read, output))
    output.conclude(Conclusion(text, neighbours.basis(_basis(read))), [value], sheet)


def ends_value(ends: Ends, output: Output) -> Object:
    """Return both ends as levels are written: what is attained, rounded down, and the bound, rounded up."""
    lower, upper = ends.lower.enclosure(output.digits).lower, ends.upper.enclosure(output.digits).upper
    return {"exact": None, "lower": decimal_text(lower), "upper": decimal_text(upper)}


def _read(path: str, releases: int | None) -> LawFile:
    read = read_law(path)
    check_count(releases or 1, MOST_RELEASES, "releases")
    if isinstance(read.law, SecondOrder):
        check_count(releases or 1, MOST_LAW_RELEASES, "releases on a chain of second order")
    else:
        need("--law with histories", "solvers", "highspy")
        if releases is not None and releases != read.law.releases:
            raise InvalidRequest(
                f"{path}: histories of {read.law.releases} values, but {releases} releases: estimate --histories "
                f"--steps {releases}"
            )
    return read


def _warning(read: LawFile) -> str:
    """Say where what was added outweighs what was observed."""
    law = read.law
    if isinstance(law, SecondOrder):
        return ""
    number = len(law.possible())
    added, observed = law.smoothing * number, sum(law.weights.values())
    if 10 * added <= observed:
        return ""
    return (
        f"The {law.smoothing} added to each of {number:,} possible histories is "
        f"{float(added / (added + observed)):.0%} of all weight, which lowers the leakage found: --smoothing 0, fewer "
        "--steps, or more users. "
    )


def _worst(found: Sequence[Ends]) -> tuple[Level, Level]:
    return max(each.lower for each in found), max(each.upper for each in found)


def _below(level: Level, output: Output) -> str:
    return decimal_text(level.enclosure(min(output.digits, 6)).lower)


def _whose(read: LawFile) -> str:
    return "a chain of second order" if isinstance(read.law, SecondOrder) else "the histories observed"


def _notes(read: LawFile, output: Output) -> tuple[str, ...]:
    return f"{output.numerals} What is attained is rounded down.", _ENDS[isinstance(read.law, SecondOrder)]


def _basis(read: LawFile) -> Basis:
    smoothed = f", {read.smoothing} added to each count" if read.smoothing else ""
    told = f"from {read.transitions:,} transitions{smoothed}, its uncertainty not included"
    law = "second order, the same at all times, for everybody"
    if not isinstance(read.law, SecondOrder):
        users, left_out = read.users
        smoothed = f", {read.smoothing} added to each possible one" if read.smoothing else ""
        told = f"from {users:,} histories{smoothed}, {left_out:,} shorter ones left out; its uncertainty not included"
        law = "none, the law is that of the histories, for everybody"
    step = NOT_ASKED if read.step is None else f"of {read.step.text()}"
    return Basis("knows the law of all values", estimate=told, step=step, law=law)
