"""The verdict on one probability: no side is safe, so it is exact, within the limit on either side, or wrong."""

from __future__ import annotations

from .answers import Given, Malformed, read_probability
from .marks import Mark
from .model import Verdict
from .truths import Truth


def judge_probability(value: object, place: str, truth: Truth, limit: int) -> Mark:
    """Judge one probability as it was answered; one that is 0 is answered as 0. Args as `judge_level`."""
    given = Given(value)
    try:
        answered = read_probability(value, place)
    except Malformed as error:
        return Mark(Verdict.WRONG, None, place, truth, given, str(error))
    ulps = truth.ulps(answered)
    if ulps == 0:
        return Mark(Verdict.EXACT, 0, place, truth, given)
    if ulps is not None and abs(ulps) <= limit:
        return Mark(Verdict.WITHIN, ulps, place, truth, given)
    return Mark(Verdict.WRONG, ulps, place, truth, given, f"further from the truth than {limit:,} ulps")
