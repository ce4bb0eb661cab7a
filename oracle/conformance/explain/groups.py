"""Failures put into groups, the most harmful first: by operation, class of failure, and the kind of input.

A kind of input is a feature of it, or a flag of the vectors, which says what mistake a case is there to catch. Answers
that are rounded to nearest are one group over all operations.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from ...contract.operations import OPERATIONS
from ...mistakes.catalogue import CAUSES
from ...mistakes.mistake import ANY_NUMBER, Clues, Judged, Mistake
from ...mistakes.question import Question
from ...reference import InvalidRequest
from ...wire.strict_json import decode
from ..ask.cases import FLAGS_FILE, data_folder
from ..model import Failure, FailureClass, Result, Verdict
from ..report.texts import level_text, request_text
from .features import KINDS_OF_INPUT, KINDS_OF_LEVEL, Features, features_of, input_of

ANY = "any input"

EVERY_OPERATION = "all"
"""What stands for the operation in a group over all of them."""

_ROUNDING = FailureClass(Verdict.UNSAFE, Failure.ROUNDING)
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
    cause: Mistake | None = None

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on all of its answers."""
        return self.failure_class.verdict


@dataclass(frozen=True, slots=True)
class Explained:
    """Failures that one cause explains, over all operations; without a cause those of one operation and class.

    ops: the operations, the one with most failures first. worst: the farthest off. example: that of the smallest input.
    """

    cause: Mistake | None
    failure_class: FailureClass
    ops: tuple[str, ...]
    members: tuple[Result, ...]
    worst: Result
    example: Result


@dataclass(frozen=True, slots=True)
class _Described:
    """A result, and what is known of its input."""

    result: Result
    features: Features
    traits: frozenset[Trait]


class Explanation:
    """The failures of a run, each with its cause where one is proven.

    A cause is proven by a failure whose answer it gives and no other cause does. It then has all failures whose answer
    it gives, but for those of another one that more prove. A general one is proven where it gives five or more, four in
    five of an operation's wrong numbers and half of all its answers; no other is then named for these. What is left may
    be due to a limit: of one operation, five answers or more pass below a size, and of those from it on, three or more,
    four in five fail, which is so of one sort of size only. The rest has no cause.
    """

    def __init__(self, failing: Iterable[Result], passing: Iterable[Result]) -> None:
        self.failing = list(failing)
        self._passing: dict[str, list[Result]] = defaultdict(list)
        for result in passing:
            self._passing[result.case.part].append(result)
        self._described: dict[str, list[_Described]] = {}
        given = [_given_by(result) for result in self.failing]
        proofs = Counter(cause.id for causes in given if len(causes) == 1 for cause in causes)
        self.causes: list[Mistake | None] = [
            max((cause for cause in causes if proofs[cause.id]), key=lambda cause: proofs[cause.id], default=None)
            for causes in given
        ]
        for op in {result.case.part for result in self.failing}:
            self._find_general(op)
            self._find_limit(op)

    def _passes(self, op: str) -> list[_Described]:
        """Describe what passes of an operation: only where something fails, for matrices are read for it."""
        if op not in self._described:
            self._described[op] = [_described(result) for result in self._passing[op]]
        return self._described[op]

    def _find_general(self, op: str) -> None:
        """Give the wrong numbers of an operation the mistake that is made on nearly every input, if there is one."""
        wrong = [
            k
            for k, one in enumerate(self.failing)
            if one.case.part == op and one.judgement.failure in (*ANY_NUMBER, Failure.ROUNDING)
        ]
        enough = max(_FEWEST_BEFORE, len(self._passing[op]))
        for cause in CAUSES if wrong else ():
            given = [k for k in wrong if cause.is_general and cause.is_given_by(clues_of(self.failing[k]))]
            if len(given) >= enough and len(given) >= _MOST_BEYOND * len(wrong):
                for k in given:
                    self.causes[k] = cause

    def _find_limit(self, op: str) -> None:
        """Give the failures of an operation that have no cause the limit that explains all of them, if there is one."""
        left = [k for k, result in enumerate(self.failing) if result.case.part == op and self.causes[k] is None]
        if len(left) < _FEWEST_BEYOND:
            return
        sizes = [features_of(self.failing[k].case) for k in left]
        kinds = {self.failing[k].judgement.failure for k in left}
        passing = [one.features for one in self._passes(op)]
        found = [cause for cause in CAUSES if kinds.issubset(cause.failures) and _is_limit(cause, sizes, passing)]
        for k in left if len(found) == 1 else ():
            self.causes[k] = found[0]

    def entries(self) -> list[Explained]:
        """Return an entry for each cause, then for each class of failures without one; each the most harmful first."""
        members: dict[object, list[Result]] = defaultdict(list)
        causes: dict[object, Mistake | None] = {}
        for result, cause in zip(self.failing, self.causes, strict=True):
            key = cause.id if cause else (result.case.part, result.failure_class)
            members[key].append(result)
            causes[key] = cause
        entries = [_entry(causes[key], results) for key, results in members.items()]
        return sorted(entries, key=lambda entry: (entry.cause is None, *harm(entry.worst), -len(entry.members)))

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
        return sorted(groups, key=lambda group: (*harm(group.worst), -len(group.members)))


def _given_by(result: Result) -> list[Mistake]:
    clues = clues_of(result)
    return [cause for cause in CAUSES if not cause.beyond and not cause.is_general and cause.is_given_by(clues)]


def clues_of(result: Result) -> Clues:
    """Return what a failure says of its cause."""
    case, judgement = result.case, result.judgement
    truth, given = judgement.numbers or (None, None)
    said = f"{judgement.given} {judgement.detail}"
    judged = Judged(judgement.failure, judgement.ulps, judgement.which, truth, given, said)
    return Clues(Question(case.op, case.numbers, case.input, judgement.place, input_of(case)), judged)


def _is_limit(cause: Mistake, failing: Sequence[Features], passing: Sequence[Features]) -> bool:
    """Whether answers fail from a size on and pass below it."""
    if not cause.beyond:
        return False

    def size(one: Features) -> float:
        return getattr(one, cause.beyond) or 0

    first = min(map(size, failing))
    spared = sum(size(one) >= first for one in passing)
    enough = len(failing) >= _MOST_BEYOND * (len(failing) + spared) and len(passing) - spared >= _FEWEST_BEFORE
    return enough and cause.least <= first <= cause.most


def _entry(cause: Mistake | None, results: list[Result]) -> Explained:
    worst = min(results, key=harm)
    assert worst.failure_class is not None, "what fails has a class"
    ops = Counter(result.case.part for result in results)
    return Explained(
        cause, worst.failure_class, tuple(op for op, _ in ops.most_common()), tuple(results), worst, _smallest(results)
    )


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
    return _Described(result, features, frozenset(traits))


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


_Kind = tuple[str, FailureClass, Mistake | None]
"""What failures are first told apart by: the operation, the class, and the cause."""


def _group(kind: _Kind, trait: Trait, members: Sequence[_Described], passing: Sequence[_Described]) -> Group:
    op, failure_class, cause = kind
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
        example=_smallest(results),
        meaning=note.bug if note else KINDS_OF_INPUT.get(name, "") if sort == _KIND else "",
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
