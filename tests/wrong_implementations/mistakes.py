"""How a wrong implementation is wrong: what it answers where it is, from the right answer or by a changed question."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from random import Random

from tploracle.reference import OracleError
from tploracle.wire.numerals import hex_text
from tploracle.wire.protocol import FLOAT64
from tploracle.wire.requests import Session

from .regions import KNOWN, Region

Value = object
Answer = Callable[[dict], dict]
"""Answers a request rightly."""


@dataclass(frozen=True)
class Mistake:
    """words: what is done; applied: the answer to a request, from the right one, the last answer, and `Answer`.

    is_always: whether nearly every answer is another by it; a row or a budget may well not matter.
    """

    words: str
    applied: Callable[[dict, dict, Callable[[], dict | None], Answer], dict]
    is_always: bool = False


def draw_mistake(random: Random, op: str, region: Region) -> Mistake:
    """Draw a mistake that an implementation of the operation can make; a rare one changes nearly every answer."""
    is_rare = region.kind == "one in 500"
    return random.choice([one for one in all_mistakes(random, op) if one.is_always or not is_rare])


def all_mistakes(random: Random, op: str) -> list[Mistake]:
    """Return the mistakes that an implementation of an operation can make, one by a factor that is drawn."""
    factor = 1 - Fraction(1, random.choice((2, 10, 100, 1000, 10**6)))
    if op in ("allocate", "control", "worst_case_allocate"):
        factor = 1 / factor
    found = [
        Mistake(f"{float(factor):.7g} of it", lambda _request, right, _last, _answer: _scaled(right, factor), True),
        Mistake("the answer before, once more", lambda _request, right, last, _answer: last() or right, True),
    ]
    if op not in ("smooth", "estimate", "reverse"):
        found += [_changed(f"the {name} row is lost", _without_row, place) for name, place in _ENDS.items()]
    if op in ("leakage", "composition", "worst_case_leakage"):
        found += [_changed(f"the {name} budget is lost", _without_budget, place) for name, place in _ENDS.items()]
    if op in ("leakage", "worst_case_leakage"):
        found.append(Mistake("the step before", lambda _request, right, _last, _answer: _step_before(right)))
    if op in KNOWN:
        found.append(_changed("forward is ignored", lambda request, _place: _without(request, "forward"), 0))
    if op not in ("smooth", "estimate", "reverse", "loss_function"):
        found.append(Mistake("1e6 for ∞", lambda _request, right, _last, _answer: _finite(right)))
    if op == "loss_function":
        found.append(Mistake("a piece is lost", lambda _request, right, _last, _answer: _without_piece(right)))
    return found


_ENDS = {"first": 0, "last": -1}


def _changed(words: str, change: Callable[[dict, int], dict], place: int) -> Mistake:
    return Mistake(words, lambda request, _right, _last, answer: answer(change(request, place)))


def _without(request: dict, key: str) -> dict:
    return {**request, "input": {name: value for name, value in request["input"].items() if name != key}}


def _finite(value: Value) -> Value:
    """Return an answer with a finite level in the place of each that is infinite."""
    if isinstance(value, dict):
        is_infinite = value.get("upper") == "inf"
        return {"upper": "1e6"} if is_infinite else {key: _finite(part) for key, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list) else value


def _scaled(answer: dict, factor: Fraction) -> dict:
    if "value" not in answer:
        return answer
    value = answer["value"]
    if isinstance(value, dict) and "pieces" in value:
        pieces = [{**piece, "q": _times(piece["q"], factor)} for piece in value["pieces"]]
        return {"value": {"pieces": pieces}}
    if isinstance(value, dict) and ({"matrix", "forward", "backward"} & value.keys()):
        return {"value": {key: _entries(part, factor) for key, part in value.items()}}
    return changed_levels(answer, lambda level: float(Fraction(level) * factor) if 0 < level < inf else level)


def changed_levels(answer: Value, change: Callable[[float], float]) -> Value:
    """Return an answer with other levels: what the change makes of each, as it stands where that is the same."""
    if isinstance(answer, dict) and "upper" in answer:
        level = inf if answer["upper"] == "inf" else float(Fraction(answer["upper"]))
        changed = change(level)
        return answer if changed == level else "inf" if changed == inf else hex_text(changed)
    if isinstance(answer, dict):
        return {key: changed_levels(part, change) for key, part in answer.items()}
    return [changed_levels(part, change) for part in answer] if isinstance(answer, list) else answer


def _times(text: str, factor: Fraction) -> str:
    return str(Fraction(text) * factor)


def _entries(part: Value, factor: Fraction) -> Value:
    """Scale the first entry of the last row, one of those that are above 0."""
    if not (isinstance(part, list) and part and isinstance(part[0], list)):
        return part
    rows = copy(part)
    place = next((k for k, text in enumerate(rows[-1]) if text != "0"), 0)
    rows[-1] = [_times(text, factor) if k == place else text for k, text in enumerate(rows[-1])]
    return rows


def _without_row(request: dict, place: int) -> dict:
    """Return the request with a row of each matrix replaced by its neighbour, as if it were not looked at."""
    given = dict(request["input"])
    for key in ("matrix", "backward", "forward"):
        if key in given and len(given[key]) > 1:
            rows = list(given[key])
            rows[place] = rows[1 if place == 0 else -2]
            given[key] = rows
    return {**request, "input": given}


def _without_budget(request: dict, place: int) -> dict:
    given = dict(request["input"])
    epsilons = list(given["epsilons"])
    epsilons[place] = "0x0p+0"
    return {**request, "input": {**given, "epsilons": epsilons}}


def _step_before(answer: dict) -> dict:
    if "value" not in answer:
        return answer
    return {
        "value": {
            key: [*levels[:-1], levels[-2]] if len(levels) > 1 else levels for key, levels in answer["value"].items()
        }
    }


def _without_piece(answer: dict) -> dict:
    pieces = answer["value"]["pieces"]
    return {"value": {"pieces": pieces[:-1]}} if len(pieces) > 1 else answer


def right_answer(session: Session, request: dict) -> dict:
    """Return the right answer to a request, or the error by its name."""
    try:
        return {"value": session.answer(request["op"], request["input"], 17, request.get("numbers", FLOAT64))}
    except OracleError as error:
        return {"error": {"name": error.name, "message": ""}}
