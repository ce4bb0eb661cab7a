"""What is wrong with vector files beyond schemas, hashes and certificates: flags, citations, numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from importlib.resources.abc import Traversable
from typing import cast

from tploracle.conformance import lint as files
from tploracle.proofs_checks.trial import all_errata
from tploracle.reference import OracleError, parse_level
from tploracle.wire.protocol import FLOAT64
from tploracle.wire.stepwise import written_matrices
from tploracle.wire.strict_json import Object

from . import recomputation
from .confirm import EXPECTED_DIGITS
from .draft import all_citations
from .flags import FLAGS
from .read_query import ReadQuery
from .recomputation import AGREEING


def lint(folder: Traversable, progress: Callable[[int, int], None] = lambda _done, _total: None) -> list[str]:
    """Return what is wrong with the vector files of a folder, a line each; nothing where all is well.

    Raises: InvalidRequest where jsonschema is not installed, or a file cannot be read.
    """
    citations, errata = all_citations(), {erratum.id for erratum in all_errata()}
    return files.lint(folder, progress, lambda case: _faults(case, citations, errata))


def _faults(case: Object, citations: set[str], errata: set[str]) -> Iterator[str]:
    """Yield what is wrong with one case."""
    yield from (f"there is no {cited!r} to cite" for cited in cast(list[str], case["cites"]) if cited not in citations)
    yield from (f"there is no erratum {one}" for one in cast(list[str], case["errata"]) if one not in errata)
    if not (case["flags"] or case["why"]):
        yield "it has neither a flag nor an edge"
    if not json.dumps(case["input"], ensure_ascii=False).isascii():
        yield "the input has a character that is not ASCII"
    expected = cast(Object, case["expected"])
    query = ReadQuery(str(case["op"]), str(case["numbers"]), cast(Object, case["input"]), cast(int, case["digits"]))
    shown = (flag for flag in cast(list[str], case["flags"]) if flag in FLAGS)
    yield from (f"it does not show {flag}" for flag in shown if not query.shows(FLAGS[flag]))
    if "error" in expected:
        return
    if query.numbers == FLOAT64:
        yield from _uneven(query)
    for place, level in files.levels_in(expected["value"]):
        yield from (f"{place}: {wrong}" for wrong in _level(level))


def _uneven(query: ReadQuery) -> Iterator[str]:
    """Yield where an input of doubles is not what it says: a row whose exact sum is not 1."""
    try:
        rows = [
            (key, row)
            for key in query.correlations
            for written in written_matrices(query.input[key])
            for row in recomputation.read_rows(written, FLOAT64)
        ]
    except OracleError:
        return  # that the input is refused is said of the files
    if "initial" in query.input:
        rows += [("initial", recomputation.read_rows([query.input["initial"]], FLOAT64)[0])]
    yield from (f"{key}: a row of doubles sums to {sum(row)}, not to exactly 1" for key, row in rows if sum(row) != 1)


def _level(level: Object) -> Iterator[str]:
    """Yield what is wrong with an expected level."""
    lower, upper = (Decimal(str(level[end])) for end in ("lower", "upper"))
    if lower > upper:
        yield "the lower end is above the upper one"
    if lower.is_infinite() or upper.is_infinite():
        if not (lower == upper and level["exact"] == "inf"):
            yield "one end is infinite, and the level is not"
        return
    unit = Fraction(10) ** (upper.adjusted() + 1 - EXPECTED_DIGITS)
    if Fraction(upper) - Fraction(lower) > 2 * unit:
        yield f"the enclosure is wider than {EXPECTED_DIGITS} digits"
    if level["exact"] is None:
        return
    try:
        exact = parse_level(str(level["exact"]))
    except OracleError as error:
        yield f"the exact level is refused, {error.name}: {error}"
        return
    with recomputation.arithmetic():
        value = recomputation.log1p(recomputation.read_level(str(level["exact"]), "rational"))
        slack = abs(value) * AGREEING
        inside = not exact.is_infinite and lower - slack <= value <= upper + slack
    if not inside:
        yield f"{level['exact']!s:.60} is not within its enclosure"
