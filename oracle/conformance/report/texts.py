"""Texts that all reports share: numbers, facts of a failure, and the command that asks a case again."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from decimal import Decimal
from math import isinf

from ...contract.operations import OPERATIONS
from ...wire.protocol import RATIONAL
from ...wire.requests import DEFAULT_DIGITS
from ...wire.strict_json import Numeral, Object, printable
from ..model import AGAIN, DEFAULT_TIMEOUT, DEFAULT_ULPS, HAD_BY_ID, TIERS, Case, Judgement, Result, Run, Verdict

LONGEST_ARGUMENT = 100_000
"""Longest request put on a command line; Linux admits arguments of 131,071 bytes."""

_LARGEST_SPELT = 10**9
_SEEDED = re.compile(r"-(seeded|sizes)-(-?[0-9]+)-[0-9]+$")


def magnitude(number: int) -> str:
    """Return a count in words, in scientific notation if it is very large.

    >>> magnitude(1234), magnitude(10**400)
    ('1,234', '1.0e+400')
    """
    return f"{number:,}" if number < _LARGEST_SPELT else f"{Decimal(number):.1e}"


def deviation(judgement: Judgement) -> str:
    """Return the distance and direction of a number from the truth, "" where it has none."""
    if judgement.ulps is None:
        return "infinitely far" if judgement.verdict is Verdict.UNSAFE else ""
    if judgement.ulps == 0:
        return "0 ulps"
    side = "above" if judgement.ulps > 0 else "below"
    if judgement.apart:
        return f"{judgement.apart} {side}, less than an ulp"
    count = abs(judgement.ulps)
    return f"{magnitude(count)} {'ulp' if count == 1 else 'ulps'} {side}"


def failure_words(result: Result) -> str:
    """Return the verdict on an answer that fails, and its kind of failure; the verdict on another."""
    verdict, found = str(result.judgement), result.failure_class
    return verdict if found is None or str(found) == verdict else f"{verdict}, {found}"


def facts(result: Result) -> Iterator[tuple[str, str]]:
    """Yield the facts of a failure with their names, neither shortened nor cleaned."""
    judgement = result.judgement
    for name, text in (
        ("failure", failure_words(result)),
        ("where", judgement.place),
        ("off by", deviation(judgement)),
        ("truth", str(judgement.truth)),
        ("given", str(judgement.given)),
        ("why", judgement.detail),
    ):
        if text:
            yield name, text


def level_text(level: float) -> str:
    """Return a level in at most six digits.

    >>> level_text(36.7), level_text(float("inf")), level_text(1e-12)
    ('36.7', '∞', '1e-12')
    """
    return "∞" if isinf(level) else f"{level:.6g}"


def line_for(run: Run, case: Case) -> str:
    """Return the command that asks a case of a run again, of the same implementation and with the same limits.

    One line, quoted for a POSIX shell; it reads a request that is too long for an argument from standard input. A
    question that was repeated is repeated as often.

    >>> line_for(Run("-- ./mine --fast", "standard", 0, 8), Case("loss-two-states", "loss", RATIONAL, {}))
    'tploracle conform -k loss-two-states --ulps 8 -- ./mine --fast'
    """
    words = ["tploracle", "conform"]
    if case.source in (*HAD_BY_ID, AGAIN):
        name = case.id.removesuffix(f"-{AGAIN}") if case.source == AGAIN and case.op in OPERATIONS else case.id
        drawn = None if case.source == "vector" else _SEEDED.search(name)
        words += ["-k", name, *(["--seed", drawn[2]] if drawn else [])]
        if drawn and run.questions is not None:
            words += ["--tier", run.tier, "--questions", str(run.questions)]
        elif (run.tier if drawn and drawn[1] == "seeded" else case.tier) == TIERS[-1]:
            words += ["--tier", TIERS[-1]]
    else:
        text = request_text(case)
        words += ["--request", text if len(text) <= LONGEST_ARGUMENT else "-"]
    if run.ulps != DEFAULT_ULPS:
        words += ["--ulps", str(run.ulps)]
    if run.timeout != DEFAULT_TIMEOUT:
        words += ["--time-limit", repr(run.timeout).removesuffix(".0")]
    return f"{shlex.join(words)} {run.command}"


def shown_line_for(run: Run, case: Case, most: int) -> str:
    """Return `line_for` in printable characters, or a note if it has more than `most` characters."""
    command = line_for(run, case)
    return printable(command) if len(command) <= most else f"a line of {len(command):,} characters: see --json"


def request_text(case: Case) -> str:
    """Return the request as one line of JSON in ASCII."""
    request: Object = {"op": case.op, "input": case.input}
    if case.numbers != RATIONAL:
        request["numbers"] = case.numbers
    if case.digits != DEFAULT_DIGITS:
        request["want"] = {"digits": case.digits}
    return _written(request)


def _written(value: object) -> str:
    """Write JSON as it goes over the wire, including numbers that the contract does not admit."""
    match value:
        case Numeral():
            return value.text
        case dict():
            return "{" + ", ".join(f"{json.dumps(str(key))}: {_written(part)}" for key, part in value.items()) + "}"
        case list() if all(type(part) is str for part in value):  # a row, which json writes much faster
            return json.dumps(value)
        case list() | tuple():
            return "[" + ", ".join(map(_written, value)) + "]"
        case None | bool() | int() | float() | str():
            return json.dumps(value)
    return json.dumps(str(value))
