"""Failures put into groups, the most harmful first: by operation, class of failure, and the kind of input.

A kind of input is a feature of it, or a flag of the vectors, which says what mistake a case is there to catch. Answers
that are rounded to nearest are one group over all operations.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from ...contract.operations import OPERATIONS
from ...reference import InvalidRequest
from ...wire.strict_json import decode
from ..ask.cases import FLAGS_FILE, data_folder
from ..model import Failure, FailureClass, Result, Verdict
from ..report.texts import level_text, request_text
from .causes import CAUSES
from .clues import Cause, Clues
from .features import KINDS_OF_INPUT, KINDS_OF_LEVEL, Features, features_of

ANY = "any input"

EVERY_OPERATION = "all"
"""What stands for the operation in a group over all of them."""

_ROUNDING = FailureClass(Verdict.UNSAFE, Failure.ROUNDING)
_LEAST_RATIO = 3
_FEWEST_BEYOND, _FEWEST_BEFORE, _MOST_BEYOND = 3, 5, Fraction(4, 5)
_ANY, _FLAG, _KIND = range(3)
Trait = tuple[int, str]
"""What several inputs have in common: nothing, a flag of the vectors, or one of KINDS_OF_INPUT; and its name."""


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
    sides, "" where on neither; α is the largest level of the input. example: the failure with the smallest input.
    meaning: of the kind, or the bug that the flag is there to catch; effect: what that bug does. cause: None where no
    known one fits.
    """

    op: str
    failure_class: FailureClass
    kind: str
    members: tuple[Result, ...]
    asked: int
    worst: Result
    since: str
    smallest_n: int | None
    example: Result
    meaning: str
    effect: str
    cause: Cause | None = None

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on all of its answers."""
        return self.failure_class.verdict


@dataclass(frozen=True, slots=True)
class _Described:
    """A result, and what is known of its input."""

    result: Result
    features: Features
    traits: frozenset[Trait]
    causes: frozenset[str] = frozenset()


def groups_of(failing: Iterable[Result], passing: Iterable[Result]) -> list[Group]:
    """Put the failures into groups, the most harmful first; each is in exactly one.

    Answers rounded to nearest are one group. Of each operation and class of failures, the causes that fit take theirs
    first (`_likely_cause`). Then, repeatedly, the kind of input that best tells what is left from what passed is taken:
    the greatest 2·both/(failures + inputs of the kind), which is 1 where all failures and nothing else are of the kind.
    Only kinds count on which at least half of the answers fail, or which all the failures have. Where none does better
    than all inputs together, that is the group.
    """
    passing_of: dict[str, list[Result]] = defaultdict(list)
    classes: dict[tuple[str, FailureClass], list[_Described]] = defaultdict(list)
    for result in passing:
        passing_of[result.case.part].append(result)

    @cache
    def passed(part: str) -> list[_Described]:
        """Describe what passes of an operation: only where something fails, for matrices are read for it."""
        return [_described(result) for result in passing_of[part]]

    for result in failing:
        found = result.failure_class
        assert found is not None, "what fails has a class"
        rounds = found.failure is Failure.ROUNDING
        key = (EVERY_OPERATION, _ROUNDING) if rounds else (result.case.part, found)
        classes[key].append(_with_causes(_described(result)))
    groups = []
    for (op, failure_class), described in classes.items():
        if op == EVERY_OPERATION:
            ops = {one.result.case.part for one in described}
            alike = [one for name in ops for one in passed(name)]
            groups.append(replace(_group(op, failure_class, (_ANY, ANY), described, alike), cause=CAUSES[0]))
            continue
        left = described
        while left and (likely := _likely_cause(left, passed(op))):
            cause, members = likely
            trait = _telling_trait(members, passed(op), common=True)
            groups.append(replace(_group(op, failure_class, trait, members, passed(op)), cause=cause))
            left = [one for one in left if one not in members]
        while left:
            trait = _telling_trait(left, passed(op))
            members = [one for one in left if trait in one.traits]
            groups.append(_group(op, failure_class, trait, members, passed(op)))
            left = [one for one in left if trait not in one.traits]
    return sorted(groups, key=lambda group: (*harm(group.worst), -len(group.members)))


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
    return _Described(result, features, frozenset(traits))


def _with_causes(described: _Described) -> _Described:
    clues = Clues(described.result)
    return replace(described, causes=frozenset(cause.id for cause in CAUSES if cause.is_shown_by(clues)))


def _likely_cause(
    failing: Sequence[_Described], passing: Sequence[_Described]
) -> tuple[Cause, list[_Described]] | None:
    """Return the cause that fits best, and its failures; None where none fits.

    One that the answers prove is taken as it stands, of several the one that most answers prove. Another must be told
    from chance by what passes: of the answers where it would show at least a quarter fail, or what the cause says, and
    three times as great a part of them as of the rest; with a size beyond which it shows, four in five of at least
    three beyond it, and none before it where five or more pass.
    """
    proven, found = [], []
    for cause in CAUSES:
        members = [one for one in failing if cause.id in one.causes]
        if members and not cause.where and cause.beyond is None:
            proven.append((cause, members))
        elif members and (cause.beyond is None or _is_beyond(cause, members, failing)):
            spared = [one for one in passing if _would_show(cause, one, members)]
            rest = len(failing) - len(members), len(passing) - len(spared)
            if _tells(cause, len(members), len(spared), *rest):
                score = Fraction(2 * len(members), len(failing) + len(members) + len(spared))
                found.append((score, cause, members))
    if proven:
        return max(proven, key=lambda one: len(one[1]))
    best = max(found, key=lambda one: one[0], default=None)
    return best and best[1:]


def _is_beyond(cause: Cause, members: Sequence[_Described], failing: Sequence[_Described]) -> bool:
    """Whether all failures are of a size at which there are smaller ones to compare with."""
    assert cause.beyond is not None
    return len(members) == len(failing) and min(cause.beyond(one.features) or 0 for one in members) >= cause.least


def _would_show(cause: Cause, passed: _Described, members: Sequence[_Described]) -> bool:
    """Whether a mistake would show in an answer that passes."""
    if cause.beyond is None:
        return not set(cause.where).isdisjoint(passed.features.kinds)
    return (cause.beyond(passed.features) or 0) >= min(cause.beyond(one.features) or 0 for one in members)


def _tells(cause: Cause, members: int, spared: int, others: int, passed: int) -> bool:
    part = Fraction(members, members + spared)
    if cause.beyond is not None:
        return members >= _FEWEST_BEYOND and part >= _MOST_BEYOND and not others and passed >= _FEWEST_BEFORE
    return part >= cause.part and part * (others + passed) >= _LEAST_RATIO * others


def _telling_trait(failing: Sequence[_Described], passing: Iterable[_Described], common: bool = False) -> Trait:
    """Return the trait that best tells failures from what passed; common: of those that all of them have."""
    both = Counter(trait for one in failing for trait in one.traits)
    if common:
        both = Counter({trait: count for trait, count in both.items() if count == len(failing)})
    passed = Counter(trait for one in passing for trait in one.traits)

    def score(trait: Trait) -> Fraction:
        return Fraction(2 * both[trait], len(failing) + both[trait] + passed[trait])

    def tells(trait: Trait) -> bool:
        return both[trait] >= passed[trait] or both[trait] == len(failing)

    return min(filter(tells, both), key=lambda trait: (-score(trait), trait))


def _group(
    op: str, failure_class: FailureClass, trait: Trait, members: Sequence[_Described], passing: Sequence[_Described]
) -> Group:
    sort, name = trait
    alike = [one for one in passing if trait in one.traits]
    note = flag_notes().get(name) if sort == _FLAG else None
    results = tuple(one.result for one in members)
    sizes = [one.features.n for one in members if one.features.n is not None]
    return Group(
        op=op,
        failure_class=failure_class,
        kind=name,
        members=results,
        asked=len(members) + len(alike),
        worst=min(results, key=harm),
        since=_since(_symbol(op), _levels(members), _levels(passing if name in KINDS_OF_LEVEL else alike)),
        smallest_n=min(sizes, default=None),
        example=min(results, key=lambda result: (len(request_text(result.case)), result.case.id)),
        meaning=note.bug if note else KINDS_OF_INPUT.get(name, "") if sort == _KIND else "",
        effect=note.effect if note else "",
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
