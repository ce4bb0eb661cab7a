"""The density of a run's questions: numbers of judged answers by operation, doubling of each dimension, structure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, groupby

from ...contract.limits import MOST_RELEASES, MOST_STATES
from ...contract.operations import OPERATIONS
from ...output.sheets import counted
from ...wire.protocol import Domain
from ...wire.strict_json import encode
from ..ask.cases import INPUT_ERRORS
from ..ask.covering import DoublingGrid
from ..ask.sizes import grid_of
from ..extents import DIMENSIONS, doubling, extents_of
from ..model import Case, Result, Verdict
from ..structures import StructurePair, dimensions_of, pairs_of, possible_pairs, structures_of
from .texts import level_text

_LIMITS = {"states": MOST_STATES, **dict.fromkeys(("releases", "horizon", "start", "length"), MOST_RELEASES)}
"""The contract's limits of the dimensions."""

_WORDS = {
    "states": "{} states",
    "releases": "{} releases",
    "horizon": "horizons {}",
    "start": "windows from {}",
    "length": "windows of {}",
    "level": "levels {}",
    "budget": "budgets {}",
    "tininess": "least entries {}",
    "pieces": "{} pieces",
}
_SAID = {"releases": ("horizon",), "level": ("budget",)}
"""Names of a dimension of the questions in inputs that have another one in its place."""

_CHANCE = 0.01
_MOST_PAIRS_NAMED = 3
_NO_STRUCTURE = "made for an edge"


@dataclass(frozen=True, slots=True)
class Doubling:
    """Numbers of answers by structure, to inputs with 2^exponent ≤ value < 2^(exponent + 1) in a dimension."""

    dimension: str
    exponent: int
    structures: Mapping[str, int]

    @property
    def answers(self) -> int:
        """The number of answers."""
        return sum(self.structures.values())


@dataclass(frozen=True, slots=True)
class CombinedCoverage:
    """Combinations of doublings of some dimensions.

    possible: those that the tier asks about. met: those of them with an answer. least: the fewest answers of one.
    """

    dimensions: tuple[str, ...]
    possible: int
    met: int
    least: int


@dataclass(frozen=True, slots=True)
class Density:
    """Answers of one operation to valid questions, and their distribution over the domain.

    spans: the least and the greatest value of each dimension. limits: those of the contract and the declared domain.
    doublings: those with an answer, in the order of DIMENSIONS. coverage: of pairs and of triples of dimensions.
    truths: the number of different questions put to the oracle. never: pairs of values of two dimensions of
    structure that no question has, None where there are no chains.
    """

    op: str
    answers: int
    truths: int
    structures: Mapping[str, int]
    spans: Mapping[str, tuple[float, float]]
    limits: Mapping[str, int]
    doublings: tuple[Doubling, ...]
    coverage: tuple[CombinedCoverage, ...] = ()
    never: tuple[StructurePair, ...] | None = None

    @property
    def pairs(self) -> tuple[int, int]:
        """Return the number of pairs of doublings with an answer, and of all pairs."""
        pairs = [one for one in self.coverage if len(one.dimensions) == 2]
        return sum(one.met for one in pairs), sum(one.possible for one in pairs)

    @property
    def share(self) -> float:
        """Return the share of truths answered wrongly with which an implementation passes with probability 1 %."""
        return share_that_passes(self.truths)

    def not_asked(self) -> Iterator[str]:
        """Yield the ranges of counts without a question, between and above those with questions."""
        for name, (_, greatest) in self.spans.items():
            if not _is_count(name):
                continue
            gaps = [exponent for exponent, answers in self._across(name) if not answers]
            for _, run in groupby(enumerate(gaps), lambda one: one[1] - one[0]):
                exponents = [exponent for _, exponent in run]
                yield _said(name, 2.0 ** exponents[0], 2.0 ** (exponents[-1] + 1) - 1)
            if name in self.limits and greatest < self.limits[name]:
                yield f"more than {_said(name, greatest, greatest)}"

    def _across(self, name: str) -> list[tuple[int, int]]:
        """Return each doubling from the least to the greatest with an answer, and its number of answers."""
        met = {one.exponent: one.answers for one in self.doublings if one.dimension == name}
        return [(exponent, met.get(exponent, 0)) for exponent in range(min(met), max(met) + 1)] if met else []

    def __str__(self) -> str:
        parts = [counted(self.answers, "answer")]
        for name, ends in self.spans.items():
            answers = [number for _, number in self._across(name)]
            met = sum(number > 0 for number in answers)
            each = f"at least {min(answers):,} in each doubling" if met == len(answers) else ""
            said = each or f"in {met:,} of {len(answers):,} doublings"
            parts.append(f"{_said(name, *ends)} ({said})" if answers else _said(name, *ends))
        if self.truths < self.answers:
            parts[0] += f" about {counted(self.truths, 'truth')}"
        gaps = list(self.not_asked())
        never = "" if self.never is None else f"; structures never asked: {', '.join(self.never_asked()) or 'none'}"
        return f"{self.op}: {', '.join(parts)}{'; not asked: ' if gaps else ''}{', '.join(gaps)}{never}"

    def never_asked(self) -> Iterator[str]:
        """Yield in words the values of structures that no question has, and the number of other pairs."""
        pairs, possible = set(self.never or ()), possible_pairs(self.op)
        values = [(name, value) for name, several in dimensions_of(self.op).items() for value in several]
        for one in values:
            if all(pair in pairs for pair in possible if one in pair):
                yield f"{one[0]}: {one[1]}"
                pairs = {pair for pair in pairs if one not in pair}
        for pair in sorted(pairs)[:_MOST_PAIRS_NAMED]:
            yield " with ".join(f"{name}: {value}" for name, value in pair)
        if len(pairs) > _MOST_PAIRS_NAMED:
            yield f"and {len(pairs) - _MOST_PAIRS_NAMED:,} more pairs"


def share_that_passes(answers: int) -> float:
    """Return p with (1 − p)^answers = 1 %: an implementation wrong on this share of truths passes once in 100 runs.

    >>> round(share_that_passes(5_000), 6), share_that_passes(0)
    (0.000921, 1.0)
    """
    return float(1 - _CHANCE ** (1 / answers)) if answers else 1.0


def densities(results: Iterable[Result], domain: Domain, tier: str) -> tuple[Density, ...]:
    """Return the density of each operation, over the judged answers to questions that have a value."""
    cases: dict[str, list[Case]] = defaultdict(list)
    for result in results:
        due = result.judgement.which[:1]
        counts = result.is_judged and result.judgement.verdict is not Verdict.UNANSWERED
        if counts and result.case.op in OPERATIONS and not (due and due[0] in INPUT_ERRORS):
            cases[result.case.op].append(result.case)
    return tuple(_density(op, cases[op], domain, tier) for op in OPERATIONS if op in cases)


def _density(op: str, cases: list[Case], domain: Domain, tier: str) -> Density:
    met: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    values: dict[str, list[float]] = defaultdict(list)
    structures, rows = Counter[str](), list[dict[str, int]]()
    truths, asked = set[str](), set[StructurePair]()
    for case in cases:
        truths.add(f"{case.numbers} {encode(case.input if case.equivalent is None else case.equivalent)}")
        asked |= pairs_of(structures_of(op, case.input))
        structure = ", ".join(name for name in (case.family, case.schedule) if name) or _NO_STRUCTURE
        structures[structure] += 1
        row: dict[str, int] = {}
        for name, value in extents_of(case).items():
            if value <= _LIMITS.get(name, value):
                values[name].append(value)
                if (exponent := doubling(value)) is not None:
                    met[name, exponent][structure] += 1
                    row[name] = exponent
        rows.append(row)
    declared = {"states": domain.states, **dict.fromkeys(("releases", "horizon", "start", "length"), domain.releases)}
    order = sorted(met, key=lambda key: (DIMENSIONS.index(key[0]), key[1]))
    return Density(
        op,
        len(cases),
        len(truths),
        dict(sorted(structures.items())),
        {name: (min(values[name]), max(values[name])) for name in DIMENSIONS if name in values},
        {name: min(most, declared[name] or most) for name, most in _LIMITS.items()},
        tuple(Doubling(name, exponent, dict(sorted(met[name, exponent].items()))) for name, exponent in order),
        tuple(_coverage(rows, grid_of(op, tier, domain))),
        tuple(sorted(possible_pairs(op) - asked)) if OPERATIONS[op].matrices else None,
    )


def _coverage(rows: list[dict[str, int]], grid: DoublingGrid) -> Iterator[CombinedCoverage]:
    """Yield the coverage of all pairs and triples of dimensions of a grid. Args: rows, doublings by dimension."""
    known = {name for row in rows for name in row}
    named = {name: next((one for one in _SAID.get(name, ()) if one in known), name) for name in grid.dimensions}
    for strength in (2, 3):
        for names in combinations(grid.dimensions, strength):
            said = tuple(named[name] for name in names)
            answers = Counter(tuple(row.get(name) for name in said) for row in rows)
            each = [answers[tuple(one for _, one in several)] for several in grid.combinations(names)]
            yield CombinedCoverage(said, len(each), sum(map(bool, each)), min(each))


def _is_count(name: str) -> bool:
    return name in _LIMITS or name == "pieces"


def _said(name: str, least: float, greatest: float) -> str:
    low, high = (f"{int(end):,}" if _is_count(name) else level_text(end) for end in (least, greatest))
    return _WORDS[name].format(low if low == high else f"{low} to {high}")
