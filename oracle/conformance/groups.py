"""Failures put into groups: for each operation and verdict, the kinds of input that tell them from what passed.

A kind is a feature of the input, or a flag of the vectors, which says what mistake a case is there to catch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from ..contract.operations import OPERATIONS
from ..reference import InvalidRequest
from ..wire.strict_json import decode
from .cases import FLAGS_FILE, data_folder
from .features import KINDS_OF_INPUT, KINDS_OF_LEVEL, Features, features_of
from .model import FAILURES, Result, Verdict
from .texts import level_text, request_text

ANY = "any input"

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
    """Failures of one operation, with one verdict, on one kind of input.

    kind: a flag, a key of KINDS_OF_INPUT, or ANY. members: the failures; asked: how many answers of this operation to
    inputs of this kind either fail so or pass. worst: the farthest off. since: "since α = 36.7" where answers to inputs
    of this kind (of any kind, where the kind is a matter of the level) pass below and none above, "up to α = …" the
    other way round, "α from … to …" where they pass on both sides, "" where on neither; α is the largest level of the
    input. example: the failure with the smallest input. meaning: of the kind, or the bug that the flag is there to
    catch; effect: what that bug does.
    """

    op: str
    verdict: Verdict
    kind: str
    members: tuple[Result, ...]
    asked: int
    worst: Result
    since: str
    smallest_n: int | None
    example: Result
    meaning: str
    effect: str


@dataclass(frozen=True, slots=True)
class _Described:
    """A result, and what is known of its input."""

    result: Result
    features: Features
    traits: frozenset[Trait]


def groups_of(op: str, failing: Sequence[Result], passing: Sequence[Result]) -> list[Group]:
    """Put the failures of one operation into groups.

    Each failure is in exactly one group. Repeatedly, the kind that best tells what is left of a verdict from what
    passed is taken: the greatest 2·both/(failures + inputs of the kind), which is 1 where all failures and nothing
    else are of the kind. Only kinds count on which at least half of the answers fail, or which all the failures have.
    Where none does better than all inputs together, that is the group.
    """
    if not failing:
        return []
    passed = [_described(result) for result in passing]
    found = []
    for verdict in FAILURES:
        left = [_described(result) for result in failing if result.judgement.verdict is verdict]
        while left:
            trait = _telling_trait(left, passed)
            members = [one for one in left if trait in one.traits]
            found.append(_group(op, verdict, trait, members, passed))
            left = [one for one in left if trait not in one.traits]
    return found


def badness(result: Result) -> tuple[bool, int]:
    """Return by what failures are ranked: an infinite distance below the truth first, then units in the last place."""
    ulps = result.judgement.ulps
    return result.judgement.verdict is Verdict.UNSAFE and ulps is None, abs(ulps or 0)


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


def _telling_trait(failing: Sequence[_Described], passing: Iterable[_Described]) -> Trait:
    both = Counter(trait for one in failing for trait in one.traits)
    passed = Counter(trait for one in passing for trait in one.traits)

    def score(trait: Trait) -> Fraction:
        return Fraction(2 * both[trait], len(failing) + both[trait] + passed[trait])

    def tells(trait: Trait) -> bool:
        return both[trait] >= passed[trait] or both[trait] == len(failing)

    return min(filter(tells, both), key=lambda trait: (-score(trait), trait))


def _group(
    op: str, verdict: Verdict, trait: Trait, members: Sequence[_Described], passing: Sequence[_Described]
) -> Group:
    sort, name = trait
    alike = [one for one in passing if trait in one.traits]
    note = flag_notes().get(name) if sort == _FLAG else None
    results = tuple(one.result for one in members)
    sizes = [one.features.n for one in members if one.features.n is not None]
    return Group(
        op=op,
        verdict=verdict,
        kind=name,
        members=results,
        asked=len(members) + len(alike),
        worst=max(results, key=badness),
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
