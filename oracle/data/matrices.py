"""What the entries of a table mean: probabilities, percentages or counts, and rows that miss a sum of 1."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..contract.errors import brief
from ..reference import (
    InvalidNumber,
    NegativeProbability,
    NotSquare,
    NotStochastic,
    TransitionCounts,
    TransitionMatrix,
    divided_by_row_sums,
)
from ..reference.correlations import DOUBLE_ROUNDING, exact_sum
from ..reference.decimals import decimal_exponent, fraction_to_text, outward
from ..wire.numerals import WrittenEntry
from ..wire.strict_json import Numeral
from .doubt import (
    LIKE_PERCENT,
    ROWS_OFF,
    TRANSPOSED,
    USUAL,
    Readings,
    check_names,
    check_no_index,
    without_missing,
    without_totals,
)

PROBABILITIES, PERCENTAGES, AS_COUNTS = "probabilities", "percentages", "counts"
ENTRIES = (PROBABILITIES, PERCENTAGES, AS_COUNTS)
"""What the entries of a matrix may be."""

PERCENT = 100
"""What percentages sum to."""

Row = tuple[Fraction, ...]

FEWEST_SIGNIFICANT = 4
"""Digits from which on a table may have been rounded to significant digits; with fewer it was rounded to decimals."""

_MOST_DIGITS = 20
"""Digits beyond which those of doubles decide."""

_DECIMAL = re.compile(r"\s*[+-]?0*([0-9]*)(?:\.(0*)([0-9]*))?(?:[eE]([+-]?[0-9]{1,6}))?\s*")


@dataclass(frozen=True, slots=True)
class Divided:
    """Rows that were divided by their sums: their indices, and the row whose sum was furthest from 1."""

    rows: tuple[int, ...]
    furthest: int
    total: Fraction

    def told(self) -> str:
        """Return which deviation was the largest, rounded up to three digits."""
        miss = abs(self.total - 1)
        side = "above" if self.total > 1 else "below"
        return f"the largest deviation is that of row {self.furthest + 1}: {outward(miss, miss, 3).upper} {side} 1"


class Options:
    """What the ways to read rows are called in advice: options, or the parameters of a function."""

    def __init__(self, in_python: bool) -> None:
        def named(name: str) -> str:
            return f"{name}=True" if in_python else f"--{name.replace('_', '-')}"

        self.normalise = f"{named('normalise')} divides each row by its sum, where rounding explains what it misses"
        self.float64 = f"{named('float64')} does so where rows of doubles miss 1 by rounding alone"
        self.force = named("force_normalise")
        self.entries = "entries={!r}" if in_python else "--entries {}"


def read_as(entries: str, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return probabilities: what was written as percentages is divided by 100. Exact."""
    if entries != PERCENTAGES:
        return tuple(rows)
    return tuple(tuple(entry / PERCENT for entry in row) for row in rows)


@dataclass(frozen=True, slots=True)
class Printed:
    """How a table was printed: the most decimals and the most significant digits of its entries, 0 where it has none.

    rounding: by that of the type of its entries a row misses 1 by less, per entry.

    A program prints all entries alike, and may leave out zeros at the end; what is no decimal was not rounded.
    """

    decimals: int
    significant: int
    rounding: Fraction = DOUBLE_ROUNDING

    @classmethod
    def of(cls, cells: Iterable[Iterable[WrittenEntry]], rounding: Fraction = DOUBLE_ROUNDING) -> Printed:
        """Look at the entries as they were written. Args: rounding, as `Table` has it."""
        decimals = significant = 0
        for row in cells:
            for cell in row:
                if match := _DECIMAL.fullmatch(cell.text if isinstance(cell, Numeral) else str(cell)):
                    whole, zeros, places = match[1], match[2] or "", match[3] or ""
                    decimals = max(decimals, len(zeros + places) - int(match[4] or 0))
                    significant = max(significant, len(whole + zeros + places) if whole else len(places))
        return cls(min(decimals, _MOST_DIGITS), min(significant, _MOST_DIGITS), rounding)

    def explained(self, row: Row, entries: str) -> Fraction:
        """Return what the sum of a row of probabilities stays less away from 1 than, by the rounding of its entries."""
        percent = 1 if entries != PERCENTAGES else PERCENT
        found = [self.rounding * len(row)]
        if self.decimals or entries == PERCENTAGES:
            found.append(Fraction(len(row), 2 * percent * 10**self.decimals))
        if self.significant >= FEWEST_SIGNIFICANT:
            least = Fraction(1, 10**_MOST_DIGITS)
            units = [Fraction(10) ** (decimal_exponent(max(p, least)) - self.significant + 1) for p in row if p > 0]
            found.append(sum(units, Fraction(0)) / 2)
        return max(found)

    def words(self) -> str:
        """Return it in words."""
        return f"{self.decimals} decimal{'' if self.decimals == 1 else 's'}"


def _of_doubles(row: Row) -> Fraction:
    """Return what the sum of a row stays less away from 1 than, by the rounding of its entries to doubles."""
    return DOUBLE_ROUNDING * len(row)


def checked_rows(
    rows: Sequence[Row], names: Sequence[str], readings: Readings, entries: str, printed: Printed
) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Return probabilities and the names of states, without those that are none, as `readings` says.

    Args: rows, as written; entries, what they are, no counts. Raises: InvalidRequest, as `doubt` has it.
    """
    left, kept = without_missing(names, rows, readings)
    read = read_as(entries, [tuple(row) for row in kept])
    if all(abs(exact_sum(row) - 1) <= printed.explained(row, entries) for row in read):
        check_names(left, readings)
        return read, left
    unit = Fraction(1, 10**printed.decimals * (PERCENT if entries == PERCENTAGES else 1)) if printed.decimals else 0
    read, left = without_totals(read, left, readings.totals, Fraction(unit))
    check_names(left, readings)
    return read, left


def _check_not_transposed(rows: Sequence[Row], printed: Printed, entries: str) -> None:
    """Raise NotStochastic where the columns sum to 1, as far as rounding tells, and the rows do not.

    Where the columns sum to 1 but for the rounding of doubles, rounding to few decimals does not explain the rows.
    """

    def missing(lines: Sequence[Row], most: Callable[[Row], Fraction]) -> bool:
        return any(abs(exact_sum(line) - 1) >= most(line) for line in lines)

    def explained(line: Row) -> Fraction:
        return printed.explained(line, entries)

    if any(len(row) != len(rows) for row in rows):
        return
    columns = list(zip(*rows, strict=True))
    of_rows = explained if missing(columns, _of_doubles) else _of_doubles
    if missing(rows, of_rows) and not missing(columns, explained):
        number, total = next((i, exact_sum(row)) for i, row in enumerate(rows, 1) if exact_sum(row) != 1)
        raise NotStochastic(
            f"row {number} sums to {brief(fraction_to_text(total))}, and every column to 1: the table is transposed; "
            "write its columns as rows, or --force-normalise divides its rows by their sums"
        ).because(TRANSPOSED)


def stochastic(rows: Sequence[Row], remedy: str, printed: Printed, entries: str) -> TransitionMatrix:
    """Make a matrix of rows that sum to exactly 1. Raises: as `TransitionMatrix`; NotStochastic names the remedy."""
    try:
        return TransitionMatrix(tuple(rows))
    except NotStochastic as error:
        _check_not_transposed(rows, printed, entries)
        reason = LIKE_PERCENT if _looks_like_percent(rows) else ROWS_OFF
        raise NotStochastic(f"{error}; {remedy}").because(reason) from None


def _looks_like_percent(rows: Sequence[Row]) -> bool:
    """Whether rows sum to 100, as far as whole percentages are rounded."""
    return all(2 * abs(exact_sum(row) - PERCENT) < len(row) for row in rows)


def _other_entries(rows: Sequence[Row], option: str) -> str:
    """Return what to do about entries that look like no probabilities."""
    if _looks_like_percent(rows):
        return f"{option.format(PERCENTAGES)} reads percentages; "
    if all(entry.denominator == 1 for row in rows for entry in row):
        return f"{option.format(AS_COUNTS)} reads counts; "
    return ""


def normalised(
    rows: Sequence[Row], printed: Printed, entries: str, force: str
) -> tuple[TransitionMatrix, Divided | None]:
    """Divide each row by its exact sum, where that misses 1 by less than the rounding of its entries explains.

    Args: rows, of probabilities; printed, the digits of the table; entries, what it has; force, the option that divides
    whatever the sums are, for the error. Returns: the matrix, and what was divided, None where nothing was.
    Raises: NotStochastic naming the first row that misses 1 by more; as `forced`.
    """
    if all(min(row, default=Fraction(0)) >= 0 for row in rows):
        _check_not_transposed(rows, printed, entries)
    for number, row in enumerate(rows, 1):
        total, most = exact_sum(row), printed.explained(row, entries)
        if total != 1 and abs(total - 1) >= most and min(row) >= 0:
            other = f", or {force} divides by any sum" if total else ": nothing divides by a sum of 0"
            raise NotStochastic(
                f"row {number} sums to {brief(fraction_to_text(total))}: rounding to {printed.words()} explains less "
                f"than {outward(most, most, 3).upper} from 1; correct the row{other}"
            ).because(ROWS_OFF)
    return forced(rows)


def forced(rows: Sequence[Row]) -> tuple[TransitionMatrix, Divided | None]:
    """Divide each row by its exact sum, however far that is from 1.

    Returns: the matrix, and what was divided, None where nothing was. Raises: NegativeProbability, NotSquare, and
    NotStochastic for a row that sums to 0.
    """
    totals = []
    for number, row in enumerate(rows, 1):
        for column, entry in enumerate(row, 1):
            if entry < 0:
                raise NegativeProbability(
                    f"row {number}, column {column}: {brief(fraction_to_text(entry))} is negative"
                )
        total = exact_sum(row)
        if total == 0:
            raise NotStochastic(f"row {number} sums to 0: there is nothing to divide it by")
        totals.append(total)
    changed = tuple(index for index, total in enumerate(totals) if total != 1)
    matrix = TransitionMatrix(
        tuple(tuple(p / total for p in row) if total != 1 else row for row, total in zip(rows, totals, strict=True))
    )
    return matrix, _divided(changed, totals)


def rounded(
    rows: Sequence[Row], remedy: str, printed: Printed, entries: str
) -> tuple[TransitionMatrix, Divided | None]:
    """Divide rows of floats that miss 1 by the rounding of their type by their exact sums. Returns: as `normalised`.

    Raises: NotStochastic for a row that misses 1 by more, naming the remedy; and as `TransitionMatrix`.
    """
    try:
        matrix, changed = divided_by_row_sums(rows, printed.rounding)
    except NotStochastic as error:
        _check_not_transposed(rows, printed, entries)
        raise NotStochastic(f"{error}; {remedy}").because(ROWS_OFF) from None
    return matrix, _divided(changed, [exact_sum(row) for row in rows])


def matrix_of(
    rows: Sequence[Row],
    names: Sequence[str],
    printed: Printed,
    readings: Readings,
    entries: str,
    *,
    force: bool,
    normalise: bool,
    float64: bool,
    options: Options,
) -> tuple[TransitionMatrix, tuple[str, ...], Divided | None]:
    """Make a matrix of rows that are no counts. Returns: it, the names of its states, and what was divided.

    Args: as `checked_rows`; force, normalise, float64, as `forced`, `normalised` and `rounded` divide, None of them:
    not at all; options, what these are called. Raises: as these; InvalidRequest, as `doubt` has it.
    """
    rows, kept = checked_rows(rows, names, readings, entries, printed)
    if force:
        matrix, divided = forced(rows)
    elif normalise:
        matrix, divided = normalised(rows, printed, entries, options.force)
    elif float64:
        matrix, divided = rounded(rows, options.normalise, printed, entries)
    else:
        remedy = f"{_other_entries(rows, options.entries)}{options.normalise}; {options.float64}"
        matrix, divided = stochastic(rows, remedy, printed, entries), None
    return matrix, kept, divided


def _divided(changed: tuple[int, ...], totals: Sequence[Fraction]) -> Divided | None:
    if not changed:
        return None
    furthest = max(changed, key=lambda index: abs(totals[index] - 1))
    return Divided(changed, furthest, totals[furthest])


def counted(rows: Sequence[Row], names: Sequence[str] = (), readings: Readings = USUAL) -> TransitionCounts:
    """Make transition counts of a table: how often the state of the column followed the state of the row.

    Args: names of the states, else their numbers from 1; readings, of what is doubtful. Returns: the counts, without
    first states. Raises: InvalidNumber for what is no whole number from 0; InvalidRequest, as `doubt` has it.
    """
    n = len(rows)
    for number, row in enumerate(rows, 1):
        if len(row) != n:
            raise NotSquare(f"row {number} has {len(row)} entries, the table has {n} rows")
        for column, entry in enumerate(row, 1):
            if entry.denominator != 1 or entry < 0:
                raise InvalidNumber(f"row {number}, column {column}: {brief(fraction_to_text(entry))} is not a count")
    check_no_index(names, rows)
    named, kept = without_missing(names, rows, readings)
    counts, named = without_totals(kept, named, readings.totals)
    check_names(named, readings)
    states = named or tuple(str(number) for number in range(1, len(counts) + 1))
    return TransitionCounts(states, tuple(tuple(map(int, row)) for row in counts), (0,) * len(counts))
