"""Likely causes: each usual mistake is found in an implementation that makes it, and is named; nothing else is."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from tploracle.conformance import run as conducted
from tploracle.conformance.causes import CAUSES
from tploracle.conformance.implementation import ObjectImplementation
from tploracle.conformance.model import Reply, Run, Verdict
from tploracle.conformance.runner import Plan
from tploracle.conformance.summary import summary_of

sys.path.append(str(Path(__file__).parents[3] / "examples" / "implementations"))

from .mistakes import MISTAKES, Hangs, Mistaken

IDS = [cause.id for cause in CAUSES]
UNSHOWN = {
    "rounding-at-each-step",
    "other-piece",
    "no-budget",
    "unchecked-input",
    "infinite-level",
    "more-than-two-states",
    "beyond-level",
}
"""Causes that are tried below with failures made by hand."""


class Interruptible(ObjectImplementation):
    """An object that is interrupted where it would go on for ever."""

    def ask(self, request):
        reply = super().ask(request)
        if Hangs.__name__ in str(reply.answer.get("error")):
            return Reply(None, Verdict.TIMED_OUT, "no answer")
        return reply


def size_of(case):
    return int(case.id.split("-")[3])


def conducted_run(implementation, monkeypatch):
    """Return what a run comes to without its search, with as many seeded cases and sizes as the mistake needs."""
    monkeypatch.setitem(conducted.SEEDED, "standard", implementation.seeded)
    whole = conducted.sizes_cases
    drawn = [case for case in whole(0, "standard") if size_of(case) <= implementation.sizes]
    monkeypatch.setattr(conducted, "sizes_cases", lambda *_: drawn)
    run = Run("x", "standard", 0, 4096)
    conducted.run_cases(Interruptible(implementation), Plan(search=False), run)
    return summary_of(run)


@pytest.mark.parametrize("mistaken", MISTAKES, ids=lambda mistaken: mistaken.__name__)
def test_every_usual_mistake_is_found_and_named(mistaken, monkeypatch):
    summary = conducted_run(mistaken(), monkeypatch)
    named = Counter()
    for group in summary.groups:
        named[group.cause.id if group.cause else None] += len(group.members)
    assert named[mistaken.cause] > 0, named
    assert named.most_common(1)[0][0] == mistaken.cause, named


def test_every_cause_is_tried():
    assert {mistaken.cause for mistaken in MISTAKES} | UNSHOWN == set(IDS)
    assert len(IDS) == len(set(IDS))


def test_what_conforms_has_no_cause(monkeypatch):
    class Right(Mistaken):
        operations = ("loss", "control")

    assert conducted_run(Right(), monkeypatch).groups == ()
