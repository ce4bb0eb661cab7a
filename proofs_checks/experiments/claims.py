"""What the paper says of its figures, sentence by sentence, and what becomes of it: judged from the tables alone."""

from collections.abc import Callable
from dataclasses import dataclass

YES, KIND, NO, UNKNOWN = "reproduces", "reproduces in kind", "does not reproduce", "cannot be checked"
UNDECIDED = "not decided"

SPREAD = 2
"""Seconds of the same work differ by up to this factor from one repeat to the next."""


@dataclass(frozen=True)
class Finding:
    """The verdict on a sentence, why in a sentence of ours, and the numbers that it rests on."""

    verdict: str
    because: str
    numbers: dict


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper: an id, its section, its words (some left out), the experiments, and how it is judged."""

    id: str
    section: str
    quote: str
    experiments: tuple[str, ...]
    judge: Callable

    def finding(self, data):
        """Judge from tables by experiment and part."""
        return self.judge(*(data[name] for name in self.experiments))


def by_clock(ratio, threshold):
    """Whether a ratio of seconds exceeds a threshold; None where a repeat could fall on the other side of it."""
    if threshold / SPREAD <= ratio <= threshold * SPREAD:
        return None
    return ratio > threshold


def clocked(decided, because, numbers, verdict=KIND):
    """Return a finding from what the clock decided: a verdict if all is so, against it if something is not."""
    if any(each is False for each in decided):
        return Finding(NO, because, numbers)
    return Finding(UNDECIDED if None in decided else verdict, because, numbers)


def either(holds, because, numbers, otherwise=NO):
    """Return a finding that the sentence reproduces if something holds."""
    return Finding(YES if holds else otherwise, because, numbers)
