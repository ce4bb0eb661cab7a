"""`--law`: leakage and budgets on a law beyond a chain of first order, between two ends that are proved."""

from __future__ import annotations

from collections.abc import Sequence

from ..data.files import named
from ..data.law_files import LawFile, read_law
from ..models.laws import Ends, greatest_kept, leakage_of_law
from ..models.neighbours import Neighbours
from ..output.progress import patience
from ..output.sheets import Cell, Conclusion, Heading, Output, Sheet, counted_releases, odds
from ..reference import Level
from ..reference.laws import SecondOrder
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from ..wire.values import decimal_text
from .declared import option

law_option: str | None = option(
    "--law",
    metavar="FILE",
    help="Instead: a law beyond first order, as estimate --order 2 and estimate --histories write.",
)

EXCLUDED = (
    "--law excludes --backward, --forward, --users, --one-sided, --independent, --matrices, --every, --delta, "
    "--knowing, --prior, --model and --reference"
)

_ENDS = {
    True: "Attained: by sets of single values. Bound: for every stream. The truth lies between them.",
    False: "Attained, and a bound for every stream, by the linear program over all of them.",
}


def leakage_on_law(
    path: str, epsilons: Sequence[Level], neighbours: Neighbours, output: Output, plot: str | None
) -> None:
    """Write what releases with these budgets tell on a law. Args: plot, a picture's file."""
    read = read_law(path)
    with named(path):
        read.check(len(epsilons))
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
    text = read.warning() + (
        f"{releases} at most {output.words(upper)} nats about the value at any one time ({read.whose}), and some "
        f"stream tells {_below(lower, output)} or more: an adversary's odds between two values there change "
        f"{odds(upper)}."
    )
    value: Object = {"times": list(range(1, len(found) + 1)), "law": {"tpl": cells}}
    sheet = Sheet("Leakage over time", ("time", "TPL attained", "TPL bound"), rows, _notes(read, output))
    output.conclude(Conclusion(text, neighbours.basis(read.basis())), [value], sheet)
    if plot is not None:
        from ..output.plots import leakage_picture

        both = {"TPL attained": [each.lower for each in found], "TPL bound": [each.upper for each in found]}
        leakage_picture(plot, {read.whose: both})


def allocate_on_law(path: str, alpha: str, steps: int | None, neighbours: Neighbours, output: Output) -> None:
    """Write the greatest constant budget of which it is proved that it keeps a level on a law."""
    read = read_law(path)
    with named(path):
        horizon = read.check(steps)
    own, level = leakage_of_law(read.law), Reader().level(alpha, "--alpha")
    with patience("budgets"):
        epsilon = greatest_kept(
            lambda tried: own.keeps([tried] * horizon, level), level, horizon, min(output.digits, 6)
        )
        found = list(own.ends([epsilon] * horizon))
    printed = neighbours.printed_one(epsilon.to_spend(), output.digits)
    lower, _ = _worst(found)
    each = f"each of {horizon} releases" if horizon > 1 else "the one release"
    text = read.warning() + (
        f"TPL stays within {alpha} if {each} spends at most {output.words(printed)} ({read.whose}); some stream then "
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
    output.conclude(Conclusion(text, neighbours.basis(read.basis())), [value], sheet)


def ends_value(ends: Ends, output: Output) -> Object:
    """Return both ends as levels are written: what is attained, rounded down, and the bound, rounded up."""
    lower, upper = ends.lower.enclosure(output.digits).lower, ends.upper.enclosure(output.digits).upper
    return {"exact": None, "lower": decimal_text(lower), "upper": decimal_text(upper)}


def _worst(found: Sequence[Ends]) -> tuple[Level, Level]:
    return max(each.lower for each in found), max(each.upper for each in found)


def _below(level: Level, output: Output) -> str:
    return decimal_text(level.enclosure(min(output.digits, 6)).lower)


def _notes(read: LawFile, output: Output) -> tuple[str, ...]:
    return f"{output.numerals} What is attained is rounded down.", _ENDS[isinstance(read.law, SecondOrder)]
