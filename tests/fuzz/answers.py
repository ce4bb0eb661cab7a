"""Answers made wrong, put to the judge, who must say something of each of them, and let nothing unsafe pass."""

import json
from fractions import Fraction
from functools import cache

from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Reply, Verdict
from tploracle.contract.entry import Side
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.strict_json import decode

from .finding import require
from .mutations import mutated, written

PASSES = (Verdict.EXACT, Verdict.WITHIN)
LARGEST = 20_000


@cache
def cases():
    """Return the small vectors that expect a value."""
    vectors = [case for case in load_vectors() if case.op in OPERATIONS and "value" in case.expected]
    return [case for case in vectors if len(json.dumps(case.expected)) + len(json.dumps(case.input)) <= LARGEST]


def attack(random):
    """Have one answer judged. Raises: Finding."""
    case = random.choice(cases())
    body = {"value": case.expected["value"]}
    for _ in range(random.choice((0, 1, 1, 1, 2, 4))):
        body = mutated(random, body)
    text = written(random, body)
    try:
        body = decode(text.decode("utf-8", "surrogatepass"))
    except Exception:  # noqa: BLE001 - what is no JSON does not come to the judge
        return
    if not isinstance(body, dict):
        return
    judgement = Judge().judge(case, Reply({"seq": 1, **body}))
    require(judgement.verdict is not Verdict.UNDECIDED, f"{case.id} is undecided: {judgement.detail}", text)
    require(judgement.verdict is not Verdict.CRASHED, f"{case.id} counts as crashed", text)
    side = OPERATIONS[case.op].side
    if judgement.verdict in PASSES and side is not None:
        require("value" in body, f"{case.id} passes without a value", text)
        for answered, true in _levels(body["value"], case.expected["value"]):
            require(_is_safe(answered, true, side), f"{case.id} passes with {answered}; the truth is {true}", text)


def _levels(answered, true):
    """Yield each level of an answer that passes, beside the true one."""
    if isinstance(true, dict) and "lower" in true:
        yield answered, true
    elif isinstance(true, dict):
        for key in true:
            if key in answered:
                yield from _levels(answered[key], true[key])
    elif isinstance(true, list):
        require(len(answered) == len(true), f"{len(answered)} numbers pass where {len(true)} are due")
        for one, other in zip(answered, true, strict=True):
            yield from _levels(one, other)


def _is_safe(answered, true, side):
    """Whether what a user relies on is not on the unsafe side of the truth; log(…) is the judge's own to read."""
    end = ("upper" if side is Side.ABOVE else "lower") if isinstance(answered, dict) else None
    text = answered[end] if end else answered
    if not isinstance(text, str) or text.startswith("log(") or "inf" in (text, true["lower"], true["upper"]):
        return text != "inf" or side is Side.ABOVE or true["lower"] == "inf"
    number = Fraction(float.fromhex(text)) if "x" in text else Fraction(text)
    return number >= Fraction(true["lower"]) if side is Side.ABOVE else number <= Fraction(true["upper"])
