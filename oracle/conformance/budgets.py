"""The verdict on a schedule of budgets: one above the truth is unsafe if the schedule, spent, breaks its promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cmp_to_key, partial

from ..contract.operations import Side
from ..contract.verified_schedules import UPPER_BOUND
from ..reference import Level, Undecided
from ..wire.numerals import Reader
from ..wire.protocol import FLOAT64, RATIONAL
from ..wire.strict_json import Object
from .answers import Malformed, as_value, numbers_in, read_claim
from .levels import Rule, judge_level
from .marks import Mark, fault_of
from .model import Verdict
from .moved import Moved, exact_matrices
from .truths import DIGITS, Bounds, Number, Question, Truth, bounds_of, compare, text_of

CORRELATIONS = ("backward", "forward")


def judge_allocation(value: object, question: Question, moved: Moved) -> list[Mark]:
    """Judge the answer to `allocate`. Returns: a mark for each budget. Raises: Malformed; as `Session.answer`."""
    expected = question.value()["epsilons"]
    assert isinstance(expected, list)
    answered = list(numbers_in(as_value(value), "epsilons", len(expected)))
    rule = Rule(Side.BELOW, moved.limit)
    marks = [
        judge_level(number, place, question.level("epsilons", index), rule, partial(moved.level, "epsilons", index))
        for index, (place, number) in enumerate(answered)
    ]
    if all(mark.verdict is not Verdict.UNSAFE for mark in marks):
        return marks
    return _with_the_promise_checked(marks, [number for _, number in answered], question)


def _with_the_promise_checked(marks: list[Mark], answered: list[object], question: Question) -> list[Mark]:
    """Return the marks, those of budgets above the truth by whether the whole schedule keeps its promise."""
    try:
        spent = [_spent(number) for number in answered]
        broken = breaks_promise(spent, question)
    except Malformed:
        return [_changed(mark, Verdict.WRONG, f"{mark.detail}; the schedule cannot be spent") for mark in marks]
    except Exception as error:  # noqa: BLE001 - the oracle's own failure is no fault of the answer
        return [_changed(mark, Verdict.UNDECIDED, fault_of(error)) for mark in marks]
    if broken:
        return [_changed(mark, Verdict.UNSAFE, f"{mark.detail}; TPL of the schedule exceeds alpha") for mark in marks]
    return [_changed(mark, Verdict.WRONG, f"{mark.detail}; TPL of the schedule is within alpha") for mark in marks]


def _changed(mark: Mark, verdict: Verdict, detail: str) -> Mark:
    return replace(mark, verdict=verdict, detail=detail) if mark.verdict is Verdict.UNSAFE else mark


def _spent(number: object) -> Number:
    """Return the budget that an answer says may be spent: the greater of the lower end and the exact text."""
    claim = read_claim(number, "")
    return max([claim.lower] if claim.exact is None else [claim.lower, claim.exact], key=cmp_to_key(compare))


def breaks_promise(spent: Sequence[Number], question: Question) -> bool:
    """Whether TPL exceeds alpha with these budgets: over their times, or for "upper-bound" however long it goes on.

    Exact. Raises: Undecided where it is not told apart from alpha; as `Session.answer`.
    """
    given = exact_matrices(question)
    alpha = _number(Reader(question.numbers == FLOAT64).level(given["alpha"], "alpha"))
    if any(compare(epsilon, alpha) > 0 for epsilon in spent):
        return True
    known = {role: given[role] for role in CORRELATIONS if role in given}
    if given["method"] == UPPER_BOUND:
        return _rises_above(alpha, max(spent, key=cmp_to_key(compare)), known, question)
    stream = Question(question.session, "leakage", {**known, "epsilons": [text_of(e) for e in spent]}, RATIONAL)
    undecided = None
    for time in range(len(spent)):
        try:
            if stream.level("tpl", time).order(alpha) < 0:
                return True
        except Undecided as error:
            undecided = error
    if undecided is not None:
        raise undecided
    return False


def _number(level: Level) -> Number:
    return level if level.rational is None else level.rational


def _rises_above(alpha: Number, epsilon: Number, known: Object, question: Question) -> bool:
    """Whether TPL with one budget at every time rises above alpha: the suprema of BPL and FPL, less the budget."""
    suprema = [
        Question(question.session, "supremum", {"matrix": known[role], "epsilon": text_of(epsilon)}, RATIONAL).level()
        if role in known
        else Truth.of(epsilon)
        for role in CORRELATIONS
    ]
    if any(supremum.is_infinite for supremum in suprema):
        return not Truth.of(alpha).is_infinite
    for digits in DIGITS:
        lower, upper = _total([supremum.bounds(digits) for supremum in suprema], bounds_of(epsilon, digits))
        low, high = bounds_of(alpha, digits)
        if lower > high or upper <= low:
            return lower > high
    raise Undecided(f"the supremum of TPL and alpha agree in {DIGITS[-1]} digits")


def _total(suprema: Sequence[Bounds], epsilon: Bounds) -> Bounds:
    lower, upper = (sum(ends, Fraction(0)) for ends in zip(*suprema, strict=True))
    return lower - epsilon[1], upper - epsilon[0]
