"""`tploracle composition`: what several releases leak together, on independent and on correlated data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import click

from ..contract.limits import check_count, check_leakage, check_tight, check_windows
from ..contract.tight_schedules import matrices_of
from ..data.adversaries import losses_of
from ..data.files import Files
from ..output.progress import patience
from ..output.sheets import Cell, Output, Sheet
from ..reference import (
    Adversary,
    InvalidRequest,
    Leakage,
    Level,
    composition,
    first_failure,
    guarantee,
    independent,
    maximum,
    population_leakage,
)
from ..solvers.tight_doubles import Matrices
from ..wire.numerals import Reader
from ..wire.strict_json import Object, as_integer
from .options import (
    Correlations,
    Releases,
    correlation_options,
    files_and_output,
    reference_option,
    release_options,
)
from .patient import or_bounds

MOST_PROGRAMMES = 500
"""Windows that a programme over pairs of values is run on, each of which may take a second."""


@click.command("composition")
@correlation_options()
@release_options()
@click.option("--w", "lengths", type=int, multiple=True, metavar="W", help="W-event level; may be repeated.")
@click.option("--window", "windows", multiple=True, metavar="START:LENGTH", help="One window; may be repeated.")
@click.option("--alpha", "alphas", multiple=True, metavar="LEVEL", help="Is this α-DP_T? May be repeated.")
@click.option("--tight", is_flag=True, help="The exact worst case over all mechanisms, beside the paper's bounds.")
@reference_option
@files_and_output(has_levels=True)
def composition_command(
    *,
    correlations: Correlations,
    releases: Releases,
    lengths: tuple[int, ...],
    windows: tuple[str, ...],
    alphas: tuple[str, ...],
    tight: bool,
    literal: bool,
    files: Files,
    output: Output,
) -> None:
    """Print the worst leakage of one release, of any W in a row and of all, and the releases where it is.

    The correlated column is for an adversary who knows the correlations, the independent one for data without any. It
    is the paper's bound; with --tight the leakage of the worst mechanisms stands beside it, which none exceeds.
    """
    digits = output.digits
    if output.as_csv and alphas:
        raise InvalidRequest("--csv holds one table: ask --alpha without it")
    budgets = releases.budgets(files)
    levels = Reader().levels(list(alphas), "--alpha")
    chosen = [_window(text, len(budgets)) for text in windows]
    for length in lengths:
        if not 1 <= length <= len(budgets):
            raise InvalidRequest(f"--w: a window of {length} does not fit {len(budgets)} releases")
    adversaries = correlations.adversaries(files, literal)
    check_leakage(budgets, losses_of(adversaries), digits, len(adversaries))
    check_windows(len(budgets), [1, *lengths, len(budgets)], len(adversaries))
    with patience("composition"):
        stream = _Stream(budgets, population_leakage(budgets, adversaries).each, output)
        guarantees = [stream.guarantee("event", 1)]
        guarantees += [stream.guarantee(f"{length}-event", length) for length in lengths]
        guarantees.append(stream.guarantee("user", len(budgets)))
        given = [stream.window(start, length) for start, length in chosen]
        verdicts = [stream.verdict(text, level) for text, level in zip(alphas, levels, strict=True)]
    value: Object = {"guarantees": guarantees}
    value |= {"windows": given} if given else {}
    value |= {"satisfies": verdicts} if verdicts else {}

    def sheets() -> list[Sheet]:
        found = [_sheet([*guarantees, *given], adversaries, len(budgets), output.numerals)]
        return [*found, _verdicts(verdicts, len(adversaries) > 1)] if verdicts else found

    if tight:
        with or_bounds(output, [value], *sheets()), patience("exact worst case"):
            exact = _ExactStream.of(budgets, adversaries, output)
            for notion in guarantees:
                notion["exact"] = exact.greatest(as_integer(notion["length"], "length"))
            for window, (start, length) in zip(given, chosen, strict=True):
                window["exact"] = exact.greatest(length, [start])
            for verdict, level in zip(verdicts, levels, strict=True):
                verdict["exact"] = exact.verdict(level)
    output.write([value], *sheets())


@dataclass(frozen=True, slots=True)
class _Stream:
    """Releases, and their leakage to each adversary."""

    budgets: Sequence[Level]
    each: Mapping[str, Leakage]
    output: Output

    def guarantee(self, level: str, length: int) -> Object:
        """Return the guarantee of one notion."""
        found = {name: guarantee(own, self.budgets, length) for name, own in self.each.items()}
        best = maximum({name: own.correlated for name, own in found.items()})
        worst = found[best.attained_by[0]]
        return {
            "level": level,
            "length": length,
            "independent": {**self.output.level(worst.independent), "start": worst.independent_start},
            "correlated": {**self._value(lambda name: found[name].correlated), "start": worst.correlated_start},
        }

    def window(self, start: int, length: int) -> Object:
        """Return the leakage of one window."""
        return {
            "level": "window",
            "length": length,
            "independent": {**self.output.level(independent(self.budgets, start, length)), "start": start},
            "correlated": {
                **self._value(lambda name: composition(self.each[name], self.budgets, start, length)),
                "start": start,
            },
        }

    def _value(self, of: Callable[[str], Level]) -> Object:
        if len(self.each) == 1:
            (name,) = self.each
            return self.output.level(of(name))
        best = maximum({name: of(name) for name in self.each})
        return {**self.output.level(best.level), "attained_by": list(best.attained_by)}

    def verdict(self, text: str, alpha: Level) -> Object:
        """Return whether TPL stays within alpha for everyone, and the first time at which it does not."""
        failures = {name: first_failure(own, alpha) for name, own in self.each.items()}
        times = [time for time in failures.values() if time is not None]
        value: Object = {"alpha": text, "satisfied": not times, "first_failure": min(times, default=None)}
        if len(self.each) > 1:
            value["failing"] = [name for name, time in failures.items() if time is not None and time == min(times)]
        return value


@dataclass(frozen=True, slots=True)
class _ExactStream:
    """Releases, and the leakage of the worst mechanisms: what each adversary knows, and suffers."""

    budgets: Sequence[Level]
    known: Mapping[str, Matrices]
    each: Mapping[str, Leakage]
    output: Output

    @classmethod
    def of(cls, budgets: Sequence[Level], adversaries: Mapping[str, Adversary], output: Output) -> _ExactStream:
        """Work out the leakage at each time, of each that knows the same once."""
        from ..solvers.tight_pairs import fast_tight_leakage

        check_tight(len(budgets), max((loss.matrix.n for loss in losses_of(adversaries)), default=1))
        known = {name: matrices_of(adversary) for name, adversary in adversaries.items()}
        found = {own: fast_tight_leakage(budgets, *own) for own in set(known.values())}
        return cls(budgets, known, {name: found[own] for name, own in known.items()}, output)

    def greatest(self, length: int, starts: Sequence[int] = ()) -> Object:
        """Return the greatest leakage of windows of a length and the first that attains it; of all without starts."""
        from ..solvers.agreeing import agreeing_maximum
        from ..solvers.windows import every_step_is_possible, fast_tight_composition

        starts = starts or range(1, len(self.budgets) - length + 2)
        if length > 1 and not all(every_step_is_possible(*own) for own in self.known.values()):
            check_count(len(starts) * len(set(self.known.values())), MOST_PROGRAMMES, "windows with impossible steps")
        levels: dict[Matrices, dict[int, Level]] = {}
        for name, (backward, forward) in self.known.items():
            if (backward, forward) not in levels:
                levels[backward, forward] = {
                    start: fast_tight_composition(
                        self.each[name], self.budgets, start, length, backward=backward, forward=forward
                    )
                    for start in starts
                }
        worst = {name: agreeing_maximum(levels[own]) for name, own in self.known.items()}
        best = agreeing_maximum({name: found.level for name, found in worst.items()})
        whose = {"attained_by": list(best.attained_by)} if len(self.known) > 1 else {}
        return {**self.output.level(best.level), **whose, "start": worst[best.attained_by[0]].attained_by[0]}

    def verdict(self, alpha: Level) -> Object:
        """Return whether the exact TPL stays within alpha for everyone, and the first time at which it does not."""
        times = [time for own in self.each.values() if (time := first_failure(own, alpha)) is not None]
        return {"satisfied": not times, "first_failure": min(times, default=None)}


def _window(text: str, releases: int) -> tuple[int, int]:
    parts = text.split(":")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise InvalidRequest(f"--window: {text!r} is not START:LENGTH, as in 3:5")
    start, length = map(int, parts)
    if start < 1 or length < 1 or start + length - 1 > releases:
        raise InvalidRequest(f"--window: {text} is not a window of the {releases} releases")
    return start, length


def _sheet(found: Sequence[Object], adversaries: Mapping[str, Adversary], releases: int, note: str) -> Sheet:
    rows: list[list[Cell]] = []
    for value in found:
        row: list[Cell] = [str(value["level"])]
        for kind in ("independent", "correlated"):
            level = value[kind]
            assert isinstance(level, dict)
            row += [level, _releases(level["start"], value["length"])]
            if kind == "correlated" and len(adversaries) > 1:
                row.append(", ".join(level["attained_by"]))
        if isinstance(exact := value.get("exact"), dict):
            row += [exact, _releases(exact["start"], value["length"])]
        rows.append(row)
    headings = ["level", "independent", "independent at", "correlated", "correlated at"]
    headings += ["attained by"] if len(adversaries) > 1 else []
    headings += ["exact worst case", "exact at"] if "exact" in found[0] else []
    title = f"Leakage of releases together: {releases} release{'s' if releases > 1 else ''}"
    return Sheet(title, tuple(headings), rows, (note,))


def _releases(start: object, length: object) -> str:
    assert isinstance(start, int)
    assert isinstance(length, int)
    return str(start) if length == 1 else f"{start} to {start + length - 1}"


def _verdicts(verdicts: Sequence[Object], several: bool) -> Sheet:
    rows: list[list[Cell]] = []
    for verdict in verdicts:
        time, names = verdict["first_failure"], verdict.get("failing", [])
        assert isinstance(names, list)
        row: list[Cell] = [str(verdict["alpha"]), _answer(time)]
        row += [", ".join(names)] if several else []
        rows.append([*row, _answer(exact["first_failure"])] if isinstance(exact := verdict.get("exact"), dict) else row)
    headings = ["alpha", "satisfied", *(["failing"] if several else [])]
    headings += ["by the exact worst case"] if "exact" in verdicts[0] else []
    return Sheet("α-DP_T", tuple(headings), rows)


def _answer(first_failure: object) -> str:
    return "yes" if first_failure is None else f"no, first at time {first_failure}"
