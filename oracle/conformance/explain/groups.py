"""Failures put into groups, the most harmful first: by operation, class of failure, and the kind of input.

A kind of input is a feature of it, or a flag of the vectors, which says what mistake a case is there to catch. Answers
that are rounded to nearest are one group over all operations.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf, isfinite

from ...contract.operations import OPERATIONS
from ...mistakes.mistake import Mistake
from ...reference import InvalidRequest
from ...wire.strict_json import decode
from ..ask.cases import FLAGS_FILE, data_folder
from ..ask.surface import SURFACES, surface_of
from ..model import Failure, FailureClass, Result, Verdict
from ..report.texts import level_text, request_text
from .causes import FEWEST_BEFORE, causes_of, clues_of, is_of_input, steady
from .features import KINDS_OF_INPUT, KINDS_OF_LEVEL, KINDS_OF_SIZE, Features, features_of

ANY = "any input"

EVERY_OPERATION = "all"
"""What stands for the operation in a group over all of them."""

_ROUNDING = FailureClass(Verdict.UNSAFE, Failure.ROUNDING)
_ANY, _FLAG, _KIND, _WRITTEN = range(4)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")

Trait = tuple[int, str]
"""What several inputs have in common: nothing, a flag of the vectors, one of KINDS_OF_INPUT or SURFACES; its name."""


@dataclass(frozen=True, slots=True)
class FlagNote:
    """The mistake that a flag stands for, and what it would do to an answer."""

    bug: str
    effect: str


@dataclass(frozen=True, slots=True)
class Group:
    """Failures of one operation and one class on one kind of input.

    op: EVERY_OPERATION for what is rounded to nearest. kind: a flag, a key of KINDS_OF_INPUT, or ANY. members: the
    failures; asked: how many answers of this operation to inputs of this kind either fail so or pass. worst: the
    farthest off. since: "since α = 36.7" where answers to inputs of this kind (of any kind, where the kind is a matter
    of the level) pass below and none above, "up to α = …" the other way round, "α from … to …" where they pass on both
    sides, "" where on neither; α is the largest level of the input. Then "from n = 51 on", or T, where five or more of
    the same inputs pass below and all from there on fail. answers: what the answers have in common, "" for nothing.
    example: the failure with the smallest input. meaning: of the kind, or the bug that the flag is there to catch;
    effect: what that bug does. cause: None where none is proven.
    """

    op: str
    failure_class: FailureClass
    kind: str
    members: tuple[Result, ...]
    asked: int
    worst: Result
    since: str
    answers: str
    smallest_n: int | None
    example: Result
    meaning: str
    effect: str
    cause: Mistake | None = None

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on all of its answers."""
        return self.failure_class.verdict

    @property
    def shared(self) -> str:
        """What its inputs have in common and others lack, and what its answers have."""
        kind = "" if self.kind == ANY else f"{self.kind} ({len(self.members):,} of {self.asked:,} such inputs fail)"
        return "; ".join(filter(None, (kind, self.since, self.answers)))


@dataclass(frozen=True, slots=True)
class Explained:
    """Failures that one cause explains, over all operations; without a cause those of one group.

    ops: the operations, the one with most failures first. worst: the farthest off. example: that of the smallest input.
    shared: without a cause, what the inputs and the answers of the group have in common.
    """

    cause: Mistake | None
    failure_class: FailureClass
    ops: tuple[str, ...]
    members: tuple[Result, ...]
    worst: Result
    example: Result
    shared: str = ""


@dataclass(frozen=True, slots=True)
class _Described:
    """A result, and what is known of its input."""

    result: Result
    features: Features
    traits: frozenset[Trait]


class Explanation:
    """The failures of a run, each with its cause where one is proven (`causes`); the others by what they share."""

    def __init__(self, failing: Iterable[Result], passing: Iterable[Result]) -> None:
        self.failing = list(failing)
        self._passing: dict[str, list[Result]] = defaultdict(list)
        for result in passing:
            self._passing[result.case.part].append(result)
        self._described: dict[str, list[_Described]] = {}
        self.causes = causes_of(self.failing, self._passing, self._separates)

    def _passes(self, op: str) -> list[_Described]:
        """Describe what passes of an operation: only where something fails, for matrices are read for it."""
        if op not in self._described:
            self._described[op] = [_described(result) for result in self._passing[op]]
        return self._described[op]

    def _separates(self, op: str, failing: Sequence[int]) -> Fraction:
        """Return how well a structure tells failures of an operation from what passes, by `_scores`."""
        scores = _scores([_described(self.failing[k]) for k in failing], self._passes(op))
        return max(
            (score for (_, name), score in scores.items() if name not in (ANY, *KINDS_OF_SIZE)), default=Fraction(0)
        )

    def entries(self) -> list[Explained]:
        """Return an entry for each cause and for each group without one: the most harmful first, then the largest."""
        members: dict[str, list[Result]] = defaultdict(list)
        for result, cause in zip(self.failing, self.causes, strict=True):
            if cause is not None:
                members[cause.id].append(result)
        known = {cause.id: cause for cause in self.causes if cause is not None}
        entries = [_entry(known[name], results) for name, results in members.items()]
        entries += [_entry(None, list(group.members), group.shared) for group in self.groups() if group.cause is None]
        return sorted(entries, key=lambda entry: _weight(entry.worst, len(entry.members)))

    def groups(self) -> list[Group]:
        """Put the failures into groups, the most harmful first; each is in exactly one.

        Answers rounded to nearest are one group. Of each operation and class of failures, those of one cause are a
        group. Then, repeatedly, the kind of input that best tells what is left from what passed is taken: the greatest
        2·both/(failures + inputs of the kind), which is 1 where all failures and nothing else are of the kind. Only
        kinds count on which at least half of the answers fail, or which all the failures have. Where none does better
        than all inputs together, that is the group.
        """
        classes: dict[_Kind, list[_Described]] = defaultdict(list)
        for result, cause in zip(self.failing, self.causes, strict=True):
            found = result.failure_class
            assert found is not None, "what fails has a class"
            op = EVERY_OPERATION if found.failure is Failure.ROUNDING else result.case.part
            classes[op, _ROUNDING if op == EVERY_OPERATION else found, cause].append(_described(result))
        groups = []
        for kind, members in classes.items():
            if kind[0] == EVERY_OPERATION:
                alike = [one for name in {one.result.case.part for one in members} for one in self._passes(name)]
                groups.append(_group(kind, (_ANY, ANY), members, alike))
                continue
            left, passing = members, self._passes(kind[0])
            while left:
                trait = _telling_trait(left, passing, common=kind[2] is not None)
                groups.append(_group(kind, trait, [one for one in left if trait in one.traits], passing))
                left = [one for one in left if trait not in one.traits]
        return sorted(groups, key=lambda group: _weight(group.worst, len(group.members)))


def _weight(worst: Result, number: int) -> tuple[int, int, int]:
    """Return by what groups are ranked: the kind of the worst, then their number, then how far off it is."""
    kind, distance = harm(worst)
    return kind, -number, distance


def _entry(cause: Mistake | None, results: list[Result], shared: str = "") -> Explained:
    worst = min(results, key=harm)
    assert worst.failure_class is not None, "what fails has a class"
    ops = Counter(result.case.part for result in results)
    names = tuple(op for op, _ in ops.most_common())
    return Explained(cause, worst.failure_class, names, tuple(results), worst, _smallest(results), shared)


def _smallest(results: Iterable[Result]) -> Result:
    return min(results, key=lambda result: (len(request_text(result.case)), result.case.id))


def harm(result: Result) -> tuple[int, int]:
    """Return by what failures are ranked, the most harmful first: their kind, then units in the last place."""
    failure, ulps = result.judgement.failure, result.judgement.ulps
    return failure.rank if failure else 0, -abs(ulps or 0)


@cache
def flag_notes() -> Mapping[str, FlagNote]:
    """Return the notes on all flags, from vectors/flags.json; none where that file is missing or is another format."""
    try:
        text = data_folder().joinpath(FLAGS_FILE).read_text(encoding="utf-8")
        document = decode(text)
    except (ModuleNotFoundError, OSError, InvalidRequest, UnicodeDecodeError):
        return {}
    return notes_in(document)


def notes_in(document: object) -> Mapping[str, FlagNote]:
    """Return the notes in a decoded flags.json; what has not the shape of a note is left out."""
    flags = document.get("flags") if isinstance(document, dict) else None
    notes = {}
    for name, note in flags.items() if isinstance(flags, dict) else ():
        if isinstance(note, dict) and isinstance(note.get("bug"), str) and isinstance(note.get("effect"), str):
            notes[name] = FlagNote(note["bug"], note["effect"])
    return notes


def _described(result: Result) -> _Described:
    features = features_of(result.case)
    traits = {(_ANY, ANY)}
    traits.update((_FLAG, flag) for flag in result.case.flags)
    traits.update((_KIND, kind) for kind in features.kinds)
    traits.update((_WRITTEN, surface) for surface in surface_of(result.case))
    return _Described(result, features, frozenset(traits))


def _scores(
    failing: Sequence[_Described], passing: Iterable[_Described], common: bool = False
) -> dict[Trait, Fraction]:
    """Return how well each trait tells failures from what passed: 2·both/(failures + inputs with the trait).

    Only of traits on which half of the answers fail, or which all failures have; common: these alone. How requests are
    written counts where it tells FEWEST_BEFORE failures or more from all that passed.
    """
    both = Counter(trait for one in failing for trait in one.traits)
    passed = Counter(trait for one in passing for trait in one.traits)
    return {
        trait: Fraction(2 * number, len(failing) + number + passed[trait])
        for trait, number in both.items()
        if number == len(failing) or (number >= passed[trait] and not common)
        if trait[0] != _WRITTEN or (number == len(failing) >= FEWEST_BEFORE and not passed[trait])
    }


def _telling_trait(failing: Sequence[_Described], passing: Iterable[_Described], common: bool = False) -> Trait:
    """Return the trait that best tells failures from what passed; common: of those that all of them have."""
    scores = _scores(failing, passing, common)
    return min(scores, key=lambda trait: (-scores[trait], trait[0], _ORDER.get(trait[1], 0), trait))


_ORDER = {kind: place for place, kind in enumerate(KINDS_OF_INPUT)}

_Kind = tuple[str, FailureClass, Mistake | None]
"""What failures are first told apart by: the operation, the class, and the cause."""


def _group(kind: _Kind, trait: Trait, members: Sequence[_Described], passing: Sequence[_Described]) -> Group:
    op, failure_class, cause = kind
    sort, name = trait
    alike = [one for one in passing if trait in one.traits]
    note = flag_notes().get(name) if sort == _FLAG else None
    results = tuple(one.result for one in members)
    sizes = [one.features.n for one in members if one.features.n is not None]
    levels = _since(_symbol(op), _levels(members), _levels(passing if name in KINDS_OF_LEVEL else alike))
    return Group(
        op=op,
        failure_class=failure_class,
        kind=_CAPITAL.sub(" ", name).lower() if sort == _FLAG else name,
        members=results,
        asked=len(members) + len(alike),
        worst=min(results, key=harm),
        since=", ".join(filter(None, (levels, *(_from(symbol, members, alike) for symbol in _SIZES)))),
        answers=_in_common(results) if cause is None else "",
        smallest_n=min(sizes, default=None),
        example=_smallest(results),
        meaning=note.bug if note else {_KIND: KINDS_OF_INPUT, _WRITTEN: SURFACES}.get(sort, {}).get(name, ""),
        effect=note.effect if note else "",
        cause=cause,
    )


def _symbol(op: str) -> str:
    return OPERATIONS[op].level_symbol if op in OPERATIONS else "α"


def _levels(described: Iterable[_Described]) -> list[float]:
    return [one.features.largest_level for one in described if one.features.largest_level is not None]


def _since(symbol: str, failing: list[float], passing: list[float]) -> str:
    """Return at which levels answers fail, as `Group.since` says."""
    if not failing or not passing:
        return ""
    low, high = min(failing), max(failing)
    below, above = min(passing) < low, max(passing) > high
    if below and above:
        at = low == high
        return f"at {symbol} = {level_text(low)}" if at else f"{symbol} from {level_text(low)} to {level_text(high)}"
    if below:
        return f"since {symbol} = {level_text(low)}"
    return f"up to {symbol} = {level_text(high)}" if above else ""


_SIZES = {"n": "n", "T": "releases"}
"""The sizes of an input by their symbols, as attributes of `Features`."""


def _from(symbol: str, failing: Iterable[_Described], passing: Iterable[_Described]) -> str:
    """Return from which size on all answers fail, where FEWEST_BEFORE or more pass below it; else ""."""
    failed, passed = (
        [size for one in some if (size := getattr(one.features, _SIZES[symbol])) is not None]
        for some in (failing, passing)
    )
    is_clean = failed and len(passed) >= FEWEST_BEFORE and max(passed) < min(failed)
    return f"from {symbol} = {min(failed):,} on" if is_clean else ""


def _in_common(results: Sequence[Result]) -> str:
    """Return what some answers have in common: one number, a level of the input, the truth by a factor or a shift."""
    clues = [clues_of(result) for result in results]
    numbers = {
        k: (one.truth, one.given) for k, one in enumerate(clues) if one.truth is not None and one.given is not None
    }
    truths, given = ({pair[which] for pair in numbers.values()} for which in (0, 1))
    if len(results) < 2 or len(numbers) < len(results) or (len(truths) < 2 and truths != {inf}):
        return ""
    if len(given) == 1:
        return f"each answer is {level_text(given.pop())}"
    if all(map(is_of_input, clues)):
        return "each answer is a level of the input"
    if not all(map(isfinite, (*truths, *given))):
        return ""
    if len(found := steady(numbers, is_factor=True)) == len(numbers) and all(found.values()):
        truth, answer = numbers[0]
        return f"each answer is {level_text(answer / truth)} of the truth"
    if len(found := steady(numbers, is_factor=False)) == len(numbers) and all(found.values()):
        truth, answer = numbers[0]
        return f"each answer is the truth {'+' if answer > truth else '−'} {level_text(abs(answer - truth))}"
    return ""
