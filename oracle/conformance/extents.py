"""How large an input is: its states, releases and levels; whether it is in a domain; what a run was asked up to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..contract.entry import InputKind
from ..contract.limits import MOST_RELEASES, MOST_STATES
from ..contract.operations import OPERATIONS, keys_of, matrix_keys
from ..output.sheets import counted
from ..reference import Level, OracleError
from ..wire.numerals import Reader
from ..wire.protocol import Domain
from ..wire.strict_json import Object, is_integer
from .model import Case
from .report.texts import level_text

_LARGEST_COUNT = 10**9


def states_in(given: Object) -> int | None:
    """Return the states of an input: of its largest matrix, of the one that is to be made, or of its sequences."""
    matrices = [given[key] for key in matrix_keys() if isinstance(given.get(key), list)]
    if matrices:
        return max(len(matrix) for matrix in matrices if isinstance(matrix, list)) or None
    n, sequences = given.get("n"), given.get("sequences")
    if is_integer(n):
        return n if 0 < n < _LARGEST_COUNT else None
    if isinstance(sequences, list) and all(isinstance(sequence, list) for sequence in sequences):
        return len({name for sequence in sequences for name in sequence if isinstance(name, str)}) or None
    return None


def releases_in(given: Object) -> int | None:
    """Return how many releases an input is about: its budgets, or the horizon."""
    epsilons, horizon = given.get("epsilons"), given.get("horizon")
    if isinstance(epsilons, list):
        return len(epsilons)
    return horizon if is_integer(horizon) and 0 < horizon < _LARGEST_COUNT else None


def _level_texts(given: Object) -> Iterator[str]:
    """Yield the different texts that stand where an input has levels."""
    texts = [given[key] for key in keys_of(InputKind.LEVEL) if key in given]
    for key in keys_of(InputKind.LEVELS):
        several = given.get(key)
        texts += several if isinstance(several, list) else []
    yield from dict.fromkeys(text for text in texts if isinstance(text, str))


@lru_cache(maxsize=1 << 14)
def _level(text: str, numbers: str) -> Level | None:
    """Return the level that a text is, None where it cannot be read."""
    try:
        return Reader(numbers).level(text, "a level")
    except (OracleError, MemoryError, RecursionError):
        return None


@lru_cache(maxsize=1 << 14)
def _nats(text: str, numbers: str) -> float | None:
    """Return the finite level that a text is, as a float."""
    level = _level(text, numbers)
    if level is None or level.is_infinite:
        return None
    return float(level.rational) if level.rational is not None else level.double_below()


def is_outside(case: Case, domain: Domain) -> bool:
    """Whether an input goes beyond the domain. Raises: Undecided where a level is not told from the domain's."""
    if case.op not in OPERATIONS:
        return False
    largest = domain.level
    return (
        (domain.states is not None and (states_in(case.input) or 0) > domain.states)
        or (domain.releases is not None and (releases_in(case.input) or 0) > domain.releases)
        or (largest is not None and any(_is_above(text, case.numbers, largest) for text in _level_texts(case.input)))
    )


def _is_above(text: str, numbers: str, largest: Level) -> bool:
    level = _level(text, numbers)
    return level is not None and level > largest


@dataclass(frozen=True, slots=True)
class Extent:
    """The most states, the most releases and the largest finite level, in nats; None where there was none."""

    states: int | None = None
    releases: int | None = None
    level: float | None = None

    def __str__(self) -> str:
        parts = [counted(self.states, "state")] if self.states else []
        parts += [counted(self.releases, "release")] if self.releases else []
        parts += [f"level {_short(self.level)}"] if self.level is not None else []
        return ", ".join(parts)


def _short(level: float) -> str:
    return level_text(level).replace("e+0", "e").replace("e+", "e")


def extent_of(cases: Iterable[Case]) -> Extent:
    """Return how far the inputs of cases go, those aside that are beyond what the contract admits."""
    states = releases = 0
    level: float | None = None
    for case in cases:
        if case.op not in OPERATIONS:
            continue
        count, steps = states_in(case.input) or 0, releases_in(case.input) or 0
        states = max(states, count if count <= MOST_STATES else 0)
        releases = max(releases, steps if steps <= MOST_RELEASES else 0)
        for text in _level_texts(case.input):
            if (nats := _nats(text, case.numbers)) is not None:
                level = max(level or 0.0, nats)
    return Extent(states or None, releases or None, level)
