"""`tploracle composition`: what several releases leak together, on independent and on correlated data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..contract.limits import check_count, check_leakage, check_windows
from ..data.adversaries import losses_of
from ..data.files import Files
from ..models.model import Answers, Model, answered
from ..models.neighbours import Neighbours
from ..output.progress import patience
from ..output.sheets import Cell, Conclusion, Heading, Output, Sheet
from ..reference import Adversary, InvalidRequest, Leakage, Level, first_failure, independent
from ..wire.numerals import Reader
from ..wire.strict_json import Object
from .beyond_pure import NOT_FOR_WINDOWS
from .declared import option
from .options import (
    Correlations,
    ReadingCommand,
    Releases,
    correlation_options,
    model_options,
    neighbours_options,
    output_options,
    reading_options,
    release_options,
)

MOST_PROGRAMMES = 500
"""Limit of windows that need a program over pairs of values, up to a second each."""


class CompositionCommand(ReadingCommand):
    """Compute the leakage of several releases together: of any W consecutive ones, and of all.

    The worst window is named. The exact worst case and the paper's bound are for an adversary who knows the
    correlations; the column "independent" is for data without correlations.
    """

    correlations: Correlations = correlation_options()
    releases: Releases = release_options()
    neighbours: Neighbours = neighbours_options()
    lengths: tuple[int, ...] = option(
        "--w",
        type=int,
        metavar="W",
        help="Report the leakage of any W consecutive releases (w-event level); repeatable.",
    )
    windows: tuple[str, ...] = option(
        "--window", metavar="START:LENGTH", help="Report the leakage of one window; repeatable."
    )
    alphas: tuple[str, ...] = option(
        "--alpha", metavar="LEVEL", help="Decide whether TPL stays within LEVEL at every time (α-DP_T); repeatable."
    )
    delta: str | None = option(metavar="PROBABILITY", hidden=True)
    models: Sequence[Model] = model_options
    files: Files = reading_options
    output: Output = output_options(has_levels=True)

    refused = ("--alpha excludes --csv: it writes one table", f"--delta: {NOT_FOR_WINDOWS}")

    def _run(self) -> None:
        budgets = self.neighbours.read(self.releases.budgets(self.files))
        levels = Reader().levels(list(self.alphas), "--alpha")
        windows_asked = [_window(text, len(budgets)) for text in self.windows]
        for length in self.lengths:
            if not 1 <= length <= len(budgets):
                raise InvalidRequest(f"--w: a window of {length} does not fit {len(budgets)} releases")
        adversaries = self.correlations.adversaries(self.files, self.models)
        check_leakage(budgets, losses_of(adversaries), self.output.digits, len(adversaries))
        check_windows(len(budgets), [1, *self.lengths, len(budgets)], len(adversaries))
        notions = [
            _Notion("event", 1),
            *(_Notion(f"{length}-event", length) for length in self.lengths),
            _Notion("user", len(budgets)),
            *(_Notion("window", length, start) for start, length in windows_asked),
        ]
        with patience("composition"):
            answers = answered(
                self.models, lambda model: _Stream.of(model, budgets, adversaries).answer(notions, levels)
            )
        several = len(adversaries) > 1
        value, sheets = _shown(answers, notions, budgets, self.alphas, output=self.output, several=several)
        basis = self.neighbours.basis(self.correlations.basis(self.files, adversaries, answers.absent))
        self.output.conclude(Conclusion(_conclusion(answers, len(budgets), self.output), basis), [value], *sheets)
        answers.finish()


@dataclass(frozen=True, slots=True)
class _Notion:
    """Windows of a length: one of them, or all and the greatest of them where start is 0."""

    level: str
    length: int
    start: int = 0

    def starts(self, releases: int) -> Sequence[int]:
        """Return where such windows start."""
        return [self.start] if self.start else range(1, releases - self.length + 2)

    def releases(self, start: int) -> str:
        """Write the releases of one of them."""
        return str(start) if self.length == 1 else f"{start} to {start + self.length - 1}"


@dataclass(frozen=True, slots=True)
class _Found:
    """The greatest leakage of the windows of a notion, the first that attains it, and to whom."""

    level: Level
    start: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The first time at which TPL exceeds a level, None for never, and to whom."""

    time: int | None
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    notions: tuple[_Found, ...]
    verdicts: tuple[_Verdict, ...]


@dataclass(frozen=True, slots=True)
class _Stream:
    """Releases, and their leakage to each adversary by one model."""

    model: Model
    budgets: Sequence[Level]
    adversaries: Mapping[str, Adversary]
    each: Mapping[str, Leakage]

    @classmethod
    def of(cls, model: Model, budgets: Sequence[Level], adversaries: Mapping[str, Adversary]) -> _Stream:
        return cls(model, budgets, adversaries, model.leakage(budgets, adversaries).each)

    def answer(self, notions: Sequence[_Notion], alphas: Sequence[Level]) -> _Answer:
        """Answer for all notions and levels."""
        return _Answer(tuple(map(self._greatest, notions)), tuple(map(self._verdict, alphas)))

    def _greatest(self, notion: _Notion) -> _Found:
        starts = notion.starts(len(self.budgets))
        if self.model.runs_programmes(notion.length, self.adversaries):
            check_count(len(starts) * len(self.adversaries), MOST_PROGRAMMES, "windows with impossible steps")
        worst = {}
        known: dict[object, dict[int, Level]] = {}
        for name, adversary in self.adversaries.items():
            key = tuple(map(id, adversary.losses))
            if key not in known:
                known[key] = {
                    start: self.model.window(
                        self.each[name], self.budgets, adversary, start=start, length=notion.length
                    )
                    for start in starts
                }
            worst[name] = self.model.greatest(known[key])
        best = self.model.greatest({name: found.level for name, found in worst.items()})
        return _Found(best.level, worst[best.attained_by[0]].attained_by[0], best.attained_by)

    def _verdict(self, alpha: Level) -> _Verdict:
        failures = {name: first_failure(own, alpha) for name, own in self.each.items()}
        first = min((time for time in failures.values() if time is not None), default=None)
        return _Verdict(first, tuple(name for name, time in failures.items() if time is not None and time == first))


def _shown(
    answers: Answers[_Answer],
    notions: Sequence[_Notion],
    budgets: Sequence[Level],
    alphas: Sequence[str],
    *,
    output: Output,
    several: bool,
) -> tuple[Object, list[Sheet]]:
    headings: list[str | Heading] = ["level", "independent", "at"]
    rows: list[list[Cell]] = []
    alone: list[Object] = []
    for notion in notions:
        sums = {start: independent(budgets, start, notion.length) for start in notion.starts(len(budgets))}
        start, level = max(sums.items(), key=lambda item: (item[1].enclosure().upper, -item[0]))
        own = output.level(level)
        alone.append({"level": notion.level, "length": notion.length, **own, "start": start})
        rows.append([notion.level, own, notion.releases(start)])
    verdicts: list[list[Cell]] = [[text] for text in alphas]
    verdict_headings: list[str | Heading] = ["alpha"]
    value: Object = {"independent": alone}
    for model, answer in answers.found.items():
        headings += [Heading.of(model, "leakage"), Heading.of(model, "at"), *([Heading.of(model, "of")] * several)]
        entries: list[Object] = []
        for row, notion, found in zip(rows, notions, answer.notions, strict=True):
            level_value = output.level(found.level)
            whose = {"attained_by": list(found.names)} if several else {}
            place = {"level": notion.level, "length": notion.length, "start": found.start}
            entries.append({**place, **level_value, **whose})
            row += [level_value, notion.releases(found.start), *([", ".join(found.names)] * several)]
        own_value: dict[str, Object | list[Object]] = {"windows": entries}
        if alphas:
            verdict_headings += [Heading.of(model, "satisfied"), *([Heading.of(model, "failing")] * several)]
            own_value["satisfies"] = [
                {
                    "alpha": text,
                    "satisfied": verdict.time is None,
                    "first_failure": verdict.time,
                    "failing": list(verdict.names),
                }
                for text, verdict in zip(alphas, answer.verdicts, strict=True)
            ]
            for cells, verdict in zip(verdicts, answer.verdicts, strict=True):
                cells += [_answer(verdict.time), *([", ".join(verdict.names)] * several)]
        value[model.key] = own_value
    sheets = [Sheet(f"Leakage of windows of {len(budgets)} releases", tuple(headings), rows, (output.numerals,))]
    return value, [*sheets, *([Sheet("α-DP_T", tuple(verdict_headings), verdicts)] if alphas else [])]


def _conclusion(answers: Answers[_Answer], releases: int, output: Output) -> str:
    told = [f"{output.words(answer.notions[0].level)} by the {model.title}" for model, answer in answers.found.items()]
    return f"Of {releases} releases the leakage about the value at any one time is at most {'; '.join(told)}."


def _window(text: str, releases: int) -> tuple[int, int]:
    parts = text.split(":")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise InvalidRequest(f"--window: {text!r} is not START:LENGTH, as in 3:5")
    start, length = map(int, parts)
    if start < 1 or length < 1 or start + length - 1 > releases:
        raise InvalidRequest(f"--window: {text} is not a window of the {releases} releases")
    return start, length


def _answer(first_failure: int | None) -> str:
    return "yes" if first_failure is None else f"no, first at time {first_failure}"
