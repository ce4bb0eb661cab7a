"""How large an input is, dimension by dimension; whether it is in a domain; what a run was asked up to.

A dimension's values are counted by their doublings: those from 2^k up to, not with, 2^(k+1), k the doubling.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import frexp, inf

from ..contract.entry import InputKind
from ..contract.limits import MOST_RELEASES, MOST_STATES
from ..contract.operations import OPERATIONS, keys_of, matrix_keys, names_of
from ..output.sheets import counted
from ..reference import Level, OracleError
from ..wire.numerals import Reader
from ..wire.protocol import FLOAT64, RATIONAL, Domain
from ..wire.stepwise import written_matrices
from ..wire.strict_json import Object, is_integer
from .model import Case
from .report.texts import level_text

_LARGEST_COUNT = 10**9
_LEAST_DOUBLE = 2.0**-1074
_LONGEST_FRACTION = 1_000

DIMENSIONS = ("states", "releases", "horizon", "start", "length", "level", "budget", "tininess", "pieces")
"""What inputs are large or small in.

releases: budgets in a schedule. level: the greatest of alpha, previous and cap, budget: the greatest of the epsilons,
both in nats, infinity aside. tininess: the least entry above 0 of its matrices and distributions. pieces: of the loss
function, where they are known without working it out.
"""


def extents(op: str, given: Object, numbers: str = RATIONAL) -> Mapping[str, float]:
    """Return the values of those DIMENSIONS that an input of an operation has; what cannot be read is left out."""
    if op not in OPERATIONS:
        return {}
    counts = {name: given[name] for name in ("horizon", "start", "length") if is_integer(given.get(name))}
    epsilons = given.get("epsilons")
    by_key = {key: _greatest(given.get(key), numbers) for key in names_of(lambda kind: kind.is_level)}
    budgets = [level for key, level in by_key.items() if key.startswith("epsilon") and level is not None]
    levels = [level for key, level in by_key.items() if not key.startswith("epsilon") and level is not None]
    found = {
        "states": states_in(given),
        "releases": len(epsilons) if isinstance(epsilons, list) else None,
        **{name: float(count) for name, count in counts.items() if isinstance(count, int) and count > 0},
        "level": max(levels, default=None),
        "budget": max(budgets, default=None),
        "tininess": _tininess(given, numbers),
    }
    return {name: value for name in DIMENSIONS if (value := found.get(name)) is not None}


def extents_of(case: Case) -> Mapping[str, float]:
    """Return the extents of a case's input, with the pieces where the case says how many there are."""
    known = {} if case.pieces is None else {"pieces": float(case.pieces)}
    return {**extents(case.op, case.input, case.numbers), **known}


def doubling(value: float) -> int | None:
    """Return the k with 2^k at most a value and 2^(k+1) above it; None for 0 and infinity, which are in no doubling.

    >>> doubling(64), doubling(127), doubling(0.75), doubling(0)
    (6, 6, -1, None)
    """
    return frexp(value)[1] - 1 if 0 < value < inf else None


def _greatest(given: object, numbers: str) -> float | None:
    """Return the greatest finite level of a text or of an array of texts."""
    texts = {text for text in (given if isinstance(given, list) else [given]) if isinstance(text, str)}
    return max((nats for text in texts if (nats := _nats(text, numbers)) is not None), default=None)


def _tininess(given: Object, numbers: str) -> float | None:
    """Return about the least entry above 0 of matrices and distributions; at least the least double."""
    matrices = [matrix for key in matrix_keys() for matrix in written_matrices(given.get(key))]
    rows = [row for matrix in matrices for row in _rows(matrix)] + [given.get("initial")]
    texts = {text for row in rows if isinstance(row, list) for text in row if isinstance(text, str)}
    least = min((entry for text in texts if (entry := _entry(text, numbers)) > 0), default=None)
    return None if least is None else max(least, _LEAST_DOUBLE)


def _rows(matrix: object) -> list[object]:
    return matrix if isinstance(matrix, list) else []


def _entry(text: str, numbers: str) -> float:
    """Return about an entry, 0 where it cannot be read."""
    try:
        if numbers == FLOAT64:
            return float.fromhex(text)
        if "/" not in text:
            return float(text)
        return float(Fraction(text)) if len(text) <= _LONGEST_FRACTION and "e" not in text.lower() else 0.0
    except (ValueError, ZeroDivisionError, OverflowError):
        return 0.0


def states_in(given: Object) -> int | None:
    """Return the states of an input: of its largest matrix, of the one that is to be made, or of its sequences."""
    written = [matrix for key in matrix_keys() for matrix in written_matrices(given.get(key))]
    matrices = [matrix for matrix in written if isinstance(matrix, list)]
    if matrices:
        return max(map(len, matrices)) or None
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
