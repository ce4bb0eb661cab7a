"""The verdict on one level: how far it is on the safe side of the truth, and that it is on no other.

A level that bounds leakage is safe above the truth, a budget that may be spent below it. The number judged is that end
of the answer: the upper end of a bound, the lower end of a budget, the point where one number was answered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..contract.operations import Side
from .answers import Claim, Given, Malformed, read_claim
from .marks import Mark, fault_of
from .model import Verdict
from .moved import shift_of
from .truths import DIGITS, Number, Truth, bounds_of, is_infinite

MovedTruth = Callable[[], Truth | None]
"""The truth about a question moved to the safe side; None where it has no positive answer."""


@dataclass(frozen=True, slots=True)
class Rule:
    """By what a level is judged: the safe side, and how many ulps it may be off on it."""

    side: Side
    limit: int


def judge_level(value: object, place: str, truth: Truth, rule: Rule, moved: MovedTruth) -> Mark:
    """Judge one level as it was answered.

    Args: place, where it stands; moved, the truth about the question moved by the rule's limit to the safe side.
    Returns: the mark, UNDECIDED for any failure of the oracle's own.
    """
    given = Given(value)
    try:
        claim = read_claim(value, place)
    except Malformed as error:
        return Mark(Verdict.WRONG, None, place, truth, given, str(error))
    try:
        verdict, ulps, detail = _verdict(claim, truth, rule, moved)
    except Exception as error:  # noqa: BLE001 - the oracle's own failure is no fault of the answer
        return Mark(Verdict.UNDECIDED, None, place, truth, given, fault_of(error))
    return Mark(verdict, ulps, place, truth, given, detail)


def _verdict(claim: Claim, truth: Truth, rule: Rule, moved: MovedTruth) -> tuple[Verdict, int | None, str]:
    if rule.side is Side.ABOVE:
        judged, other, judged_end, safe_side, unsafe_side = claim.upper, claim.lower, "upper", "above", "below"
    else:
        judged, other, judged_end, safe_side, unsafe_side = claim.lower, claim.upper, "lower", "below", "above"

    def beyond(order: int) -> int:
        """Return the order with the safe side as positive."""
        return order * rule.side.value

    distance = beyond(truth.order(judged))
    if distance < 0:
        end = "" if claim.is_point else f"the {judged_end} end is "
        return Verdict.UNSAFE, truth.ulps(judged), f"{end}{unsafe_side} the truth"
    if claim.exact is not None and (order := beyond(truth.order(claim.exact))):
        verdict, where = (Verdict.UNSAFE, unsafe_side) if order < 0 else (Verdict.WRONG, safe_side)
        return verdict, truth.ulps(claim.exact), f"the exact text is {where} the truth"
    if not claim.is_point and beyond(truth.order(other)) > 0:
        return Verdict.WRONG, truth.ulps(judged), "the enclosure does not hold the truth"
    if distance == 0 or claim.exact is not None:
        return Verdict.EXACT, 0, ""
    ulps = truth.ulps(judged)
    if ulps is not None and abs(ulps) <= rule.limit:
        return Verdict.WITHIN, ulps, ""
    if _reaches(judged, moved(), rule):
        return Verdict.WITHIN, ulps, f"the answer to a question within {rule.limit:,} ulps of the one asked"
    return Verdict.WRONG, ulps, f"further {safe_side} the truth than {rule.limit:,} ulps"


def _reaches(judged: Number, moved: Truth | None, rule: Rule) -> bool:
    """Whether a number is at most so far on the safe side as the moved truth, itself moved by the limit."""
    if moved is None:
        return True
    if is_infinite(judged):
        return moved.is_infinite
    _, end = bounds_of(judged, DIGITS[0])
    return moved.order(end / (1 + rule.side.value * shift_of(rule.limit))) * rule.side.value <= 0
