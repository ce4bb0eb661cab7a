"""The kinds of failures of an answer."""

from __future__ import annotations

from enum import Enum


class Failure(Enum):
    """The kinds of failures, the most harmful first."""

    FINITE_FOR_INFINITE = "finite where the truth is ∞"
    ZERO = "0 where the truth is positive"
    FAR_BELOW = "far below the truth"
    BELOW = "below the truth"
    BUDGET_FAR_ABOVE = "budget far above the truth"
    BUDGET_ABOVE = "budget above the truth"
    VALUE_FOR_ERROR = "a value where an error is expected"
    NAN = "NaN"
    NEGATIVE = "a negative number"
    MALFORMED = "not in the contract's format"
    TWO_ANSWERS = "different answers to the same question"
    ERROR_FOR_VALUE = "an error where a value is expected"
    OTHER_ERROR = "a different error than expected"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    UNANSWERED = "skipped where a value is expected"
    REPEATED_PIECES = "repeated pieces"
    OTHER_PIECES = "too many or too few pieces"
    OFF = "different from the truth"
    UNTRUE = "a false enclosure or exact form"
    INFINITE = "∞ where the truth is finite"
    OTHER_SCHEDULE = "a different schedule that keeps TPL within α"
    TOO_FAR = "too far on the safe side"
    ROUNDING = "rounds to nearest"

    @property
    def rank(self) -> int:
        """Its place among the kinds: the smaller, the more harmful."""
        return _HARM[self]


_HARM = {failure: place for place, failure in enumerate(Failure)}

ROUNDING_ULPS = 16
"""At most this many units on the unsafe side come of rounding to nearest; more are a mistake."""

FAR_ULPS = 2**42
"""From this many units on, about one part in a thousand, an answer is far off."""

INPUT_ERRORS = (
    *("InvalidNumber", "InvalidLevel", "NotStochastic", "NotSquare", "NegativeProbability"),
    *("UnknownOperation", "InvalidRequest"),
)
"""What is answered to input that is none: the duty of who reads it. The other errors say what mathematics refuses."""
