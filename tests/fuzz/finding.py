"""What an attack has found."""

from collections import Counter

SEEN = Counter()
"""How often something was done in a try that is to be counted, by its name."""


class Finding(Exception):
    """Something that must not happen: a sentence, and what brought it about."""


def require(condition, sentence, cause=b""):
    """Raise a finding unless the condition holds."""
    if not condition:
        raise Finding(f"{sentence[:2_000]}: {cause[:400]!r}" if cause else sentence[:2_000])
