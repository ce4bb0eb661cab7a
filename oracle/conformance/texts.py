"""Texts of reports: what came from outside made short and harmless, and numbers written for people."""

from __future__ import annotations

from decimal import Decimal
from math import isinf

from ..output.rendering import printable
from .model import Judgement, Verdict

_LARGEST_SPELT = 10**9


def shortened(text: str, most: int) -> str:
    """Return the text, or its beginning and end and how long it was where it has more than `most` characters.

    >>> shortened("0123456789" * 10, 40)
    '012345678901 … (100 characters) … 456789'
    """
    if len(text) <= most:
        return text
    note = f" … ({len(text):,} characters) … "
    left = max(most - len(note), 2)
    tail = left // 3
    return text[: left - tail] + note + (text[-tail:] if tail else "")


def clean(text: str, most: int) -> str:
    """Return the text shortened, with what is not printable written as escapes: control, bidirectional, surrogates."""
    return printable(shortened(text, most))


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "answer"), counted(5213, "answer"), counted(2, "was", "were")
    ('1 answer', '5,213 answers', '2 were')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def magnitude(number: int) -> str:
    """Return a count that may be astronomic.

    >>> magnitude(1234), magnitude(10**400)
    ('1,234', '1.0e+400')
    """
    return f"{number:,}" if number < _LARGEST_SPELT else f"{Decimal(number):.1e}"


def deviation(judgement: Judgement) -> str:
    """Return how far off a number is and in which direction, "" where that has no meaning."""
    if judgement.ulps is None:
        return "infinitely far" if judgement.verdict is Verdict.UNSAFE else ""
    if judgement.ulps == 0:
        return "0 ulps"
    side = "above" if judgement.ulps > 0 else "below"
    count = abs(judgement.ulps)
    return f"{magnitude(count)} {'ulp' if count == 1 else 'ulps'} {side}"


def level_text(level: float) -> str:
    """Return a level for reading: six digits at most.

    >>> level_text(36.7), level_text(float("inf")), level_text(1e-12)
    ('36.7', '∞', '1e-12')
    """
    return "∞" if isinf(level) else f"{level:.6g}"
