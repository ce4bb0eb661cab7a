"""One line for the shell that puts one case to the implementation again."""

from __future__ import annotations

import json
import re
import shlex

from ..output.rendering import printable
from ..wire.protocol import RATIONAL
from ..wire.strict_json import Numeral, Object
from .model import TIERS, Case, Run

_SEEDED = re.compile(r"-seeded-(-?[0-9]+)-[0-9]+")
_USUAL_DIGITS, _USUAL_ULPS = 17, 4096


def line_for(run: Run, case: Case) -> str:
    """Return the command that asks a case of a run again, of the same implementation and judged by the same limit."""
    return line(run.command, case, run.tier, run.ulps)


def shown_line_for(run: Run, case: Case, most: int) -> str:
    """Return `line_for` fit to be shown: unprintable characters as escapes, and what to do where it is too long."""
    command = line_for(run, case)
    return printable(command) if len(command) <= most else f"a line of {len(command):,} characters: see --json"


def line(run_command: str, case: Case, tier: str = "", ulps: int = _USUAL_ULPS) -> str:
    """Return the command that asks this one case again.

    Args: run_command, how the run's command names the implementation, quoted for the shell: "--python module:object" or
    "-- COMMAND…"; case; tier, of the run, which a seeded case needs where it is the last; ulps, the limit to judge by.
    Returns: one line, quoted for a POSIX shell.

    >>> line("-- ./mine --fast", Case("loss-two-states", "loss", RATIONAL, {}))
    'tploracle conform -k loss-two-states -- ./mine --fast'
    """
    words = ["tploracle", "conform"]
    if case.source in ("vector", "seeded"):
        seed = _SEEDED.search(case.id) if case.source == "seeded" else None
        words += ["-k", case.id, *(["--seed", seed[1]] if seed else [])]
        if (tier if case.source == "seeded" else case.tier) == TIERS[-1]:
            words += ["--tier", TIERS[-1]]
    else:
        words += ["--request", request_text(case)]
    if ulps != _USUAL_ULPS:
        words += ["--ulps", str(ulps)]
    return f"{shlex.join(words)} {run_command}"


def request_text(case: Case) -> str:
    """Return what is asked as one line of JSON in ASCII: the operation, the input, and how its numbers are written."""
    request: Object = {"op": case.op, "input": case.input}
    if case.numbers != RATIONAL:
        request["numbers"] = case.numbers
    if case.digits != _USUAL_DIGITS:
        request["want"] = {"digits": case.digits}
    return _written(request)


def _written(value: object) -> str:
    """Write JSON as it goes over the wire, numbers that the contract does not admit included."""
    match value:
        case Numeral():
            return value.text
        case dict():
            return "{" + ", ".join(f"{json.dumps(str(key))}: {_written(part)}" for key, part in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_written, value)) + "]"
        case None | bool() | int() | float() | str():
            return json.dumps(value)
    return json.dumps(str(value))
