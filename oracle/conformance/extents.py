"""The sizes of inputs by dimension, and whether an input is within a declared domain.

Doubling k of a dimension holds the values v with 2^k ≤ v < 2^(k+1).
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
"""The dimensions of inputs.

releases: budgets in a schedule. level: the greatest finite one of alpha, previous and cap; budget: of the epsilons;
both in nats. tininess: the least positive entry of matrices and distributions. pieces: of the loss function, where
the case states their number.
"""


def extents(op: str, given: Object, numbers: str = RATIONAL) -> Mapping[str, float]:
    """Return the values of the `DIMENSIONS` that an input has; what cannot be read is left out."""
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
    """Return the extents of a case's input, and its number of pieces if the case states it."""
    known = {} if case.pieces is None else {"pieces": float(case.pieces)}
    return {**extents(case.op, case.input, case.numbers), **known}


def doubling(value: float) -> int | None:
    """Return the doubling of a value; None for 0 and infinity, which are in none.

    >>> doubling(64), doubling(127), doubling(0.75), doubling(0)
    (6, 6, -1, None)
    """
    return frexp(value)[1] - 1 if 0 < value < inf else None


def _greatest(given: object, numbers: str) -> float | None:
    """Return the greatest finite level of a text or of an array of texts."""
    texts = {text for text in (given if isinstance(given, list) else [given]) if isinstance(text, str)}
    return max((nats for text in texts if (nats := _nats(text, numbers)) is not None), default=None)


def _tininess(given: Object, numbers: str) -> float | None:
    """Return the approximate least positive entry of matrices and distributions, at least the least double."""
    matrices = [matrix for key in matrix_keys() for matrix in written_matrices(given.get(key))]
    rows = [row for matrix in matrices for row in _rows(matrix)] + [given.get("initial")]
    distinct = {id(row): row for row in rows if isinstance(row, list)}
    texts = {text for row in distinct.values() for text in row if isinstance(text, str)}
    least = min((entry for text in texts if (entry := _entry(text, numbers)) > 0), default=None)
    return None if least is None else max(least, _LEAST_DOUBLE)


def _rows(matrix: object) -> list[object]:
    return matrix if isinstance(matrix, list) else []


def _entry(text: str, numbers: str) -> float:
    """Return the approximate value of an entry, 0 if it cannot be read."""
    try:
        if numbers == FLOAT64:
            return float.fromhex(text)
        if "/" not in text:
            return float(text)
        return float(Fraction(text)) if len(text) <= _LONGEST_FRACTION and "e" not in text.lower() else 0.0
    except (ValueError, ZeroDivisionError, OverflowError):
        return 0.0


def states_in(given: Object) -> int | None:
    """Return the number of states of an input: of its largest matrix, of the matrix to make, or of its sequences."""
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
    """Return the number of releases of an input: of its budgets, or the horizon."""
    epsilons, horizon = given.get("epsilons"), given.get("horizon")
    if isinstance(epsilons, list):
        return len(epsilons)
    return horizon if is_integer(horizon) and 0 < horizon < _LARGEST_COUNT else None


def _level_texts(given: Object) -> Iterator[str]:
    """Yield the distinct texts of the levels of an input."""
    texts = [given[key] for key in keys_of(InputKind.LEVEL) if key in given]
    for key in keys_of(InputKind.LEVELS):
        several = given.get(key)
        texts += several if isinstance(several, list) else []
    yield from dict.fromkeys(text for text in texts if isinstance(text, str))


@lru_cache(maxsize=1 << 14)
def _level(text: str, numbers: str) -> Level | None:
    """Return the level with this text, None if it cannot be read."""
    try:
        return Reader(numbers).level(text, "a level")
    except (OracleError, MemoryError, RecursionError):
        return None


@lru_cache(maxsize=1 << 14)
def _nats(text: str, numbers: str) -> float | None:
    """Return the finite level with this text as a float, None if there is none."""
    level = _level(text, numbers)
    if level is None or level.is_infinite:
        return None
    return float(level.rational) if level.rational is not None else level.double_below()


def is_outside(case: Case, domain: Domain) -> bool:
    """Whether an input exceeds the domain. Raises: Undecided if a level cannot be distinguished from the domain's."""
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
    """The greatest numbers of states and releases, and the largest finite level in nats; None if there is none."""

    states: int | None = None
    releases: int | None = None
    level: float | None = None

    def __str__(self) -> str:
        parts = [counted(self.states, "state")] if self.states else []
        parts += [counted(self.releases, "release")] if self.releases else []
        if self.level is not None:
            parts.append(f"level {level_text(self.level)}".replace("e+0", "e").replace("e+", "e"))
        return ", ".join(parts)


def extent_of(cases: Iterable[Case]) -> Extent:
    """Return the extent of the inputs of cases, apart from what exceeds the contract's limits."""
    known = [case for case in cases if case.op in OPERATIONS]
    states = {states_in(case.input) or 0 for case in known}
    releases = {releases_in(case.input) or 0 for case in known}
    levels = {_nats(text, case.numbers) for case in known for text in _level_texts(case.input)}
    return Extent(
        max((number for number in states if number <= MOST_STATES), default=0) or None,
        max((number for number in releases if number <= MOST_RELEASES), default=0) or None,
        max((level for level in levels if level is not None), default=None),
    )
