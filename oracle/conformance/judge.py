"""The judge: what the oracle says of an answer, after working out the truth or taking that of a vector.

The rules are those of the contract's verdicts: `levels` for one level, `budgets` for a schedule, `functions` for a loss
function, `probabilities` for the rest. An answer is as bad as its worst number. Whatever the oracle itself cannot do is
`undecided`, never a fault of the implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

from ..contract.errors import ERRORS
from ..contract.operations import OPERATIONS, WHOLE, Operation, Side, ValueKind
from ..reference import InvalidRequest, OracleError, Undecided
from ..wire.requests import Session
from ..wire.strict_json import Numeral, as_list, as_object, shown
from .answers import LONGEST_GIVEN, Given, Malformed, Place, as_value, entries_in, numbers_in
from .budgets import judge_allocation
from .functions import judge_function
from .levels import Rule, judge_level
from .marks import Mark, fault_of, worst
from .model import DEFAULT_ULPS, Case, Judgement, Reply, Verdict
from .moved import Moved
from .probabilities import judge_probability
from .texts import clean
from .truths import Question, Truth

_TOO_LARGE = "too large: "


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An error that is the right answer."""

    name: str
    message: str = ""

    @property
    def is_own_limit(self) -> bool:
        """Whether the question is too large for the oracle: another implementation may well answer it."""
        return self.name == InvalidRequest.__name__ and _TOO_LARGE in self.message

    def __str__(self) -> str:
        return _error_text(self.name, self.message)


class Judge:
    """Judges answers one by one; the oracle's loss functions are remembered between them."""

    def __init__(self, ulps: int = DEFAULT_ULPS) -> None:
        """Start a judge who admits so many ulps on the safe side, and for probabilities on either."""
        self.ulps = ulps
        self.session = Session()

    def judge(self, case: Case, reply: Reply) -> Judgement:
        """Return what is said of the reply to a case. Raises nothing."""
        answer = reply.answer
        if answer is None:
            return Judgement(reply.fault or Verdict.CRASHED, detail=reply.message)
        if "skipped" in answer:
            return Judgement(Verdict.SKIPPED, detail=clean(str(answer["skipped"]), LONGEST_GIVEN))
        try:
            expected = self._expected(case)
            if "error" in answer:
                return _judge_error(answer["error"], expected)
            if "value" not in answer:
                return Judgement(Verdict.WRONG, detail="the answer has neither a value nor an error")
            return self._judge_value(answer["value"], expected)
        except Exception as error:  # noqa: BLE001 - the oracle's own failure is no fault of the answer
            return Judgement(Verdict.UNDECIDED, detail=fault_of(error))

    def _expected(self, case: Case) -> Question | _Refusal:
        """Return the question with its value, or the error that is the right answer. Raises: the oracle's failures."""
        if case.expected is not None and "error" in case.expected:
            return _Refusal(str(case.expected["error"]))
        known = None if case.expected is None else as_object(case.expected["value"], "the expected value")
        given = {key: _received(value) for key, value in case.input.items()}
        question = Question(self.session, case.op, given, case.numbers, known)
        try:
            question.value()
        except Undecided:
            raise
        except OracleError as error:
            if error.name not in ERRORS:
                raise
            return _Refusal(error.name, str(error))
        return question

    def _judge_value(self, value: object, expected: Question | _Refusal) -> Judgement:
        if isinstance(expected, _Refusal):
            if expected.is_own_limit:
                raise InvalidRequest(expected.message)
            detail = "a value where an error is expected"
            return Judgement(Verdict.ERROR_MISMATCH, None, "", str(expected), _value_text(value), detail)
        mark = worst(_marks(value, expected, self.ulps))
        return Judgement(Verdict.EXACT, 0) if mark.verdict is Verdict.EXACT and mark.place else mark.judgement()


def _received(value: object) -> object:
    """Return a part of an input as it arrives on the wire, where a float is a JSON number, which nobody may read."""
    match value:
        case float():
            return Numeral(repr(value))
        case list():
            return [_received(entry) for entry in value]
        case dict():
            return {key: _received(entry) for key, entry in value.items()}
    return value


def _judge_error(error: object, expected: Question | _Refusal) -> Judgement:
    if not isinstance(error, dict) or not isinstance(error.get("name"), str):
        return Judgement(Verdict.WRONG, given=clean(shown(error), LONGEST_GIVEN), detail="the error has no name")
    name, given = error["name"], _error_text(error["name"], error.get("message", ""))
    if isinstance(expected, _Refusal):
        if name == expected.name:
            return Judgement(Verdict.EXACT, None, "", str(expected), given)
        if expected.is_own_limit:
            raise InvalidRequest(expected.message)
    truth = str(expected) if isinstance(expected, _Refusal) else _value_text(_summary(expected))
    detail = "another error is expected" if isinstance(expected, _Refusal) else "an error where a value is expected"
    if name not in ERRORS:
        detail = f"{detail}; {clean(name, LONGEST_GIVEN)} is not a name of the contract"
    return Judgement(Verdict.ERROR_MISMATCH, None, "", truth, given, detail)


def _error_text(name: str, message: object) -> str:
    return clean(f"{name}: {message}" if message else name, LONGEST_GIVEN)


def _value_text(value: object) -> str:
    """Write a value in short, where an error is or might be expected; the level itself where it is one."""
    is_level = isinstance(value, str) or (isinstance(value, dict) and "lower" in value)
    return f"a value: {Given(value)}" if is_level else "a value"


def _summary(expected: Question) -> object:
    return str(expected.level()) if OPERATIONS[expected.op].is_level else expected.value()


def _marks(value: object, question: Question, limit: int) -> Iterator[Mark]:
    """Yield the marks of all the numbers of an answer, by the kinds of its fields. Raises: the oracle's failures."""
    operation, moved = OPERATIONS[question.op], Moved(question, limit)
    for field in operation.fields:
        match field.kind:
            case ValueKind.LEVEL if field.name == WHOLE:
                yield judge_level(value, "", question.level(), Rule(_side(operation), limit), moved.level)
            case ValueKind.PIECES:
                yield judge_function(value, question.value(), limit)
            case ValueKind.LEVELS if question.op == "allocate":
                yield from _part(partial(judge_allocation, value, question, moved))
            case ValueKind.LEVELS:
                yield from _part(partial(_levels, value, field.name, question, moved))
            case ValueKind.MATRIX:
                yield from _part(partial(_matrix, value, field.name, question, limit))
            case ValueKind.DISTRIBUTION:
                yield from _part(partial(_distribution, value, field.name, question, limit))
            case _:
                raise NotImplementedError(f"{field.name} is {field.kind.value}: there is no rule to judge it by")


def _side(operation: Operation) -> Side:
    assert operation.side is not None, "a level has a safe side"
    return operation.side


def _part(marks: Callable[[], Iterable[Mark]]) -> list[Mark]:
    """Return the marks of a part of an answer; one mark for a part that is not of the contract's form."""
    try:
        return list(marks())
    except Malformed as error:
        return [Mark(Verdict.WRONG, detail=str(error))]


def _levels(value: object, key: str, question: Question, moved: Moved) -> Iterator[Mark]:
    count, rule = len(as_list(question.value()[key], key)), Rule(_side(OPERATIONS[question.op]), moved.limit)
    for index, (place, number) in enumerate(numbers_in(as_value(value), key, count)):
        yield judge_level(number, place, question.level(key, index), rule, partial(moved.level, key, index))


def _matrix(value: object, key: str, question: Question, limit: int) -> Iterator[Mark]:
    rows = [as_list(row, key) for row in as_list(question.value()[key], key)]
    return _probabilities(entries_in(as_value(value), key, len(rows)), chain.from_iterable(rows), limit)


def _distribution(value: object, key: str, question: Question, limit: int) -> Iterator[Mark]:
    entries = as_list(question.value()[key], key)
    return _probabilities(numbers_in(as_value(value), key, len(entries)), entries, limit)


def _probabilities(answered: Iterable[Place], true: Iterable[object], limit: int) -> Iterator[Mark]:
    for (place, number), entry in zip(answered, true, strict=True):
        yield judge_probability(number, place, Truth(str(entry)), limit)
