"""The judge: what the oracle says of an answer, after working out the truth or taking that of a vector.

A level that bounds leakage is safe above the truth, a budget that may be spent below it. The number judged is that end
of the answer: the upper end of a bound, the lower end of a budget, the point where one number was answered. Of a
probability no side is safe. An answer is as bad as its worst number. Whatever the oracle itself cannot do is
`undecided`, never a fault of the implementation.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cmp_to_key, partial
from itertools import chain

from ...contract.allocation import UPPER_BOUND
from ...contract.entry import WHOLE, Side, ValueField, ValueKind
from ...contract.errors import ERRORS
from ...contract.operations import OPERATIONS
from ...output.sheets import clean
from ...reference import InfeasibleBudget, InvalidRequest, OracleError, Undecided
from ...wire.protocol import DECIMAL64
from ...wire.requests import Session
from ...wire.strict_json import Numeral, as_list, as_object, encode, is_integer, mapped, shown
from ..model import (
    DEFAULT_ULPS,
    ROUNDING_ULPS,
    Case,
    Failure,
    Judgement,
    Reply,
    Verdict,
    fault_of,
    worst,
)
from .answers import (
    LONGEST_GIVEN,
    AnsweredLevel,
    Given,
    Malformed,
    Place,
    as_value,
    doubles_in_hex,
    entries_in,
    number_in,
    numbers_in,
    read_answered_level,
    read_probability,
)
from .functions import judge_function
from .truths import (
    DIGITS,
    Number,
    PerturbedQuery,
    Query,
    Truth,
    bounds_of,
    breaks_level,
    compare,
    is_infinite,
    shift_of,
    truth_of,
    ulp,
)

_TOO_LARGE = "too large: "
_LONGEST_NAME = 40
_MOST_SHOWN = 6

LEAST_SHOWN = 1_000
"Distances of less than this part of an ulp are reported as they are, not in ulps."

MOST_TRUTHS = 512
"""Truths that are kept for the questions that share them."""

PerturbedTruth = Callable[[], Truth | None]
"""The truth about a query perturbed to the safe side; None where it has no positive answer."""


@dataclass(frozen=True, slots=True)
class Rule:
    """By what a level is judged: the safe side, and how many ulps it may be off on it."""

    side: Side
    limit: int


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An error that is the right answer."""

    name: str
    query: Query
    message: str = ""

    @property
    def is_own_limit(self) -> bool:
        """Whether the query is too large for the oracle: another implementation may well answer it."""
        return self.name == InvalidRequest.__name__ and _TOO_LARGE in self.message

    def __str__(self) -> str:
        return _error_text(self.name, self.message)


class Judge:
    """Judges answers one by one; the oracle's loss functions are remembered between them."""

    def __init__(self, ulps: int = DEFAULT_ULPS) -> None:
        """Start a judge that admits `ulps` on the safe side, and for probabilities on either."""
        self.ulps = ulps
        self.session = Session()
        self._known: OrderedDict[str, Query | _Refusal] = OrderedDict()

    def judge(self, case: Case, reply: Reply) -> Judgement:
        """Return what is said of the reply to a case. Raises nothing."""
        answer = reply.answer
        if answer is None:
            return Judgement(reply.fault or Verdict.CRASHED, detail=reply.message)
        try:
            expected = self._expected(case)
            if "skipped" in answer:
                skipped = Verdict.SKIPPED if isinstance(expected, _Refusal) else Verdict.UNANSWERED
                return Judgement(skipped, detail=clean(str(answer["skipped"]), LONGEST_GIVEN))
            if "error" in answer:
                return _judge_error(answer["error"], expected)
            if "value" not in answer:
                return Judgement(Verdict.WRONG, detail="the answer has neither a value nor an error")
            value = answer["value"]
            return self._judge_value(doubles_in_hex(value) if case.numbers == DECIMAL64 else value, expected)
        except Exception as error:  # noqa: BLE001 - the oracle's own failure is no fault of the answer
            return Judgement(Verdict.UNDECIDED, detail=fault_of(error))

    def _expected(self, case: Case) -> Query | _Refusal:
        """Return what is expected; of a case that shares its truth with others, from memory if it was met lately."""
        if case.equivalent is None:
            return self._worked_out(case)
        key = f"{case.op} {case.numbers} {encode(case.equivalent)}"
        if key not in self._known:
            self._known[key] = self._worked_out(case)
            if len(self._known) > MOST_TRUTHS:
                self._known.popitem(last=False)
        return self._known[key]

    def _worked_out(self, case: Case) -> Query | _Refusal:
        """Return the query with its value, or the error that is the right answer. Raises: the oracle's failures."""
        expected = case.expected or {}
        known = as_object(expected["value"], "the expected value") if "value" in expected else None
        source = case.input if case.equivalent is None else case.equivalent
        given = {key: _received(value) for key, value in source.items()}
        query = Query(self.session, case.op, given, case.numbers, known)
        if "error" in expected:
            return _Refusal(str(expected["error"]), query)
        try:
            query.value()
        except Undecided:
            raise
        except OracleError as error:
            if error.name not in ERRORS:
                raise
            return _Refusal(error.name, query, str(error))
        return query

    def _judge_value(self, value: object, expected: Query | _Refusal) -> Judgement:
        if isinstance(expected, _Refusal):
            if expected.is_own_limit:
                raise InvalidRequest(expected.message)
            if expected.name == InfeasibleBudget.__name__ and _keeps_level(value, expected.query):
                detail = (
                    "by the paper's bound no budget can be kept over an infinite horizon; this schedule keeps alpha "
                    "over its own"
                )
                return Judgement(Verdict.EXACT, None, "", str(expected), _value_text(value), detail)
            return Judgement(
                Verdict.ERROR_MISMATCH,
                truth=str(expected),
                given=_value_text(value),
                detail="a value where an error is expected",
                failure=Failure.VALUE_FOR_ERROR,
                which=(expected.name, "value"),
            )
        part = worst(_parts(value, expected, self.ulps))
        return Judgement(Verdict.EXACT, 0) if part.verdict is Verdict.EXACT and part.place else part.written()


def _keeps_level(value: object, query: Query) -> bool:
    """Whether a value is a schedule of positive budgets whose TPL keeps alpha at every time of the finite horizon.

    Raises: the oracle's failures.
    """
    horizon = query.given.get("horizon")
    if query.op != "allocate" or not is_integer(horizon):
        return False
    try:
        answered = [number for _, number in numbers_in(as_value(value), "epsilons", horizon)]
        spent = [_spent(number) for number in answered]
    except Malformed:
        return False
    return all(compare(budget, Fraction(0)) > 0 for budget in spent) and not breaks_level(spent, query, over=horizon)


def _received(value: object) -> object:
    """Return a part of an input as it arrives on the wire, where a float is a JSON number, which nobody may read."""
    return mapped(value, lambda part: Numeral(repr(part)) if isinstance(part, float) else part)


def _judge_error(error: object, expected: Query | _Refusal) -> Judgement:
    if not isinstance(error, dict) or not isinstance(error.get("name"), str):
        return Judgement(Verdict.WRONG, given=clean(shown(error), LONGEST_GIVEN), detail="the error has no name")
    name, given = error["name"], _error_text(error["name"], error.get("message", ""))
    if isinstance(expected, _Refusal):
        if name == expected.name:
            return Judgement(Verdict.EXACT, None, "", str(expected), given, which=(name, name))
        if expected.is_own_limit:
            raise InvalidRequest(expected.message)
    if isinstance(expected, _Refusal):
        truth, due, failure, detail = str(expected), expected.name, Failure.OTHER_ERROR, "another error is expected"
    else:
        truth, due, failure = _value_text(_summary(expected)), "value", Failure.ERROR_FOR_VALUE
        detail = "an error where a value is expected"
    if name not in ERRORS:
        detail = f"{detail}; {clean(name, LONGEST_GIVEN)} is not a name of the contract"
    came = name if name in ERRORS or (name.isidentifier() and len(name) <= _LONGEST_NAME) else "another name"
    return Judgement(Verdict.ERROR_MISMATCH, None, "", truth, given, detail, failure, (due, came))


def _error_text(name: str, message: object) -> str:
    return clean(f"{name}: {message}" if message else name, LONGEST_GIVEN)


def _value_text(value: object) -> str:
    """Write a value in short, where an error is or might be expected."""
    return clean(f"a value: {_in_short(value)}", LONGEST_GIVEN)


def _in_short(value: object) -> str:
    """Write a value without quotes and braces, a level as it is written elsewhere."""
    if isinstance(value, list):
        return f"[{', '.join(_in_short(entry) for entry in value[:_MOST_SHOWN])}{', …' * (len(value) > _MOST_SHOWN)}]"
    if isinstance(value, dict) and "lower" not in value:
        return ", ".join(f"{key} {_in_short(part)}" for key, part in list(value.items())[:_MOST_SHOWN])
    return str(Given(value))


def _summary(expected: Query) -> object:
    """Return the true value with each level as it is written elsewhere."""
    if OPERATIONS[expected.op].is_level:
        return str(expected.level())
    return mapped(expected.value(), lambda part: str(truth_of(part)) if isinstance(part, dict) else part, "lower")


def _parts(value: object, query: Query, limit: int) -> Iterator[Judgement]:
    """Yield what is said of each number of an answer, by the kinds of its fields. Raises: the oracle's failures."""
    operation = OPERATIONS[query.op]
    for field in operation.fields:
        match field.kind:
            case ValueKind.PIECES:
                yield judge_function(value, query.value(), limit)
            case ValueKind.LEVEL | ValueKind.LEVELS:
                assert operation.side is not None, "a level has a safe side"
                yield from _formed(partial(_levels, value, field, query, Rule(operation.side, limit)))
            case ValueKind.MATRIX:
                yield from _formed(partial(_matrix, value, field.name, query, limit))
            case ValueKind.DISTRIBUTION:
                yield from _formed(partial(_distribution, value, field.name, query, limit))
            case _:
                raise NotImplementedError(f"{field.name} is {field.kind.value}: there is no rule to judge it by")


def _formed(parts: Callable[[], Iterable[Judgement]]) -> list[Judgement]:
    """Return what is said of the numbers of a field; one verdict on a field that is not of the contract's form."""
    try:
        return list(parts())
    except Malformed as error:
        return [Judgement(Verdict.WRONG, detail=str(error), failure=error.failure)]


def _levels(value: object, field: ValueField, query: Query, rule: Rule) -> Iterable[Judgement]:
    perturbed = PerturbedQuery(query, rule.limit)
    if field.name == WHOLE:
        return [judge_level(value, "", query.level(), rule, perturbed.level)]
    if field.kind is ValueKind.LEVEL:
        answered = [number_in(as_value(value), field.name)]
        paths: list[tuple[str | int, ...]] = [(field.name,)]
    else:
        count = len(as_list(query.value()[field.name], field.name))
        answered = list(numbers_in(as_value(value), field.name, count))
        paths = [(field.name, index) for index in range(count)]
    parts = [
        judge_level(number, place, query.level(*path), rule, partial(perturbed.level, *path))
        for (place, number), path in zip(answered, paths, strict=True)
    ]
    if query.op == "allocate" and any(part.verdict is Verdict.UNSAFE for part in parts):
        return _reconsidered(parts, [number for _, number in answered], query)
    return parts


def _matrix(value: object, key: str, query: Query, limit: int) -> Iterator[Judgement]:
    rows = [as_list(row, key) for row in as_list(query.value()[key], key)]
    return _probabilities(entries_in(as_value(value), key, len(rows)), chain.from_iterable(rows), limit)


def _distribution(value: object, key: str, query: Query, limit: int) -> Iterator[Judgement]:
    entries = as_list(query.value()[key], key)
    return _probabilities(numbers_in(as_value(value), key, len(entries)), entries, limit)


def _probabilities(answered: Iterable[Place], true: Iterable[object], limit: int) -> Iterator[Judgement]:
    for (place, number), entry in zip(answered, true, strict=True):
        yield judge_probability(number, place, Truth(str(entry)), limit)


def judge_level(value: object, place: str, truth: Truth, rule: Rule, perturbed: PerturbedTruth) -> Judgement:
    """Judge one level as it was answered.

    Args: place, where it stands; perturbed, the truth about the query perturbed by the rule's limit to the safe side.
    Returns: the verdict, UNDECIDED for any failure of the oracle's own.
    """
    given = Given(value)
    try:
        answered = read_answered_level(value, place)
    except Malformed as error:
        return Judgement(Verdict.WRONG, None, place, truth, given, str(error), error.failure)
    try:
        verdict, ulps, detail, failure = _verdict(answered, truth, rule, perturbed)
    except Exception as error:  # noqa: BLE001 - the oracle's own failure is no fault of the answer
        return Judgement(Verdict.UNDECIDED, None, place, truth, given, fault_of(error))
    judged = answered.upper if rule.side is Side.ABOVE else answered.lower
    if verdict is not Verdict.UNSAFE:
        numbers = truth.in_doubles(judged) if verdict.fails else None
        return Judgement(verdict, ulps, place, truth, given, detail, failure, numbers=numbers)
    beside, by = truth.beside(judged), "" if ulps is None or abs(ulps) > 1 else _far(truth, judged)
    return Judgement(verdict, ulps, place, beside, given, detail, failure, numbers=truth.in_doubles(judged), apart=by)


def _far(truth: Truth, number: Number) -> str:
    """Return the distance of a number from the truth where it is a small part of an ulp, else ""."""
    if is_infinite(number) or truth.is_infinite or truth.is_zero:
        return ""
    (lower, upper), (low, high) = bounds_of(number, DIGITS[1]), truth.bounds(DIGITS[1])
    distance = max(high - lower, upper - low)
    return f"{float(distance):.1e}" if distance < ulp(low) / LEAST_SHOWN else ""


def _verdict(
    answered: AnsweredLevel, truth: Truth, rule: Rule, perturbed: PerturbedTruth
) -> tuple[Verdict, int | None, str, Failure | None]:
    if rule.side is Side.ABOVE:
        judged, other, judged_end, safe_side, unsafe_side = answered.upper, answered.lower, "upper", "above", "below"
    else:
        judged, other, judged_end, safe_side, unsafe_side = answered.lower, answered.upper, "lower", "below", "above"

    def beyond(order: int) -> int:
        """Return the order with the safe side as positive."""
        return order * rule.side.value

    def unsafe(number: Number, detail: str) -> tuple[Verdict, int | None, str, Failure | None]:
        ulps = truth.ulps(number)
        return Verdict.UNSAFE, ulps, f"{detail}{unsafe_side} the truth", _unsafe(number, ulps, rule)

    distance = beyond(truth.order(judged))
    if distance < 0:
        return unsafe(judged, "" if answered.is_point else f"the {judged_end} end is ")
    if answered.exact is not None and (order := beyond(truth.order(answered.exact))):
        if order < 0:
            return unsafe(answered.exact, "the exact text is ")
        return Verdict.WRONG, truth.ulps(answered.exact), f"the exact text is {safe_side} the truth", Failure.UNTRUE
    if not answered.is_point and beyond(truth.order(other)) > 0:
        return Verdict.WRONG, truth.ulps(judged), "the enclosure does not hold the truth", Failure.UNTRUE
    if distance == 0 or answered.exact is not None:
        return Verdict.EXACT, 0, "", None
    ulps = truth.ulps(judged)
    if ulps is not None and abs(ulps) <= rule.limit:
        return Verdict.WITHIN, ulps, "", None
    if reaches(judged, perturbed(), rule):
        return Verdict.WITHIN, ulps, f"the answer to a question within {rule.limit:,} ulps of the one asked", None
    failure = Failure.INFINITE if is_infinite(judged) else Failure.TOO_FAR
    return Verdict.WRONG, ulps, f"further {safe_side} the truth than {rule.limit:,} ulps", failure


def _unsafe(judged: Number, ulps: int | None, rule: Rule) -> Failure | None:
    """Return the kind of a failure on the unsafe side where it is more than the distance says."""
    if ulps is None:
        return Failure.FINITE_FOR_INFINITE if rule.side is Side.ABOVE else Failure.BUDGET_FAR_ABOVE
    is_near = abs(ulps) <= ROUNDING_ULPS
    return Failure.ZERO if rule.side is Side.ABOVE and judged == 0 and not is_near else None


def reaches(judged: Number, perturbed: Truth | None, rule: Rule) -> bool:
    """Whether a number is at most so far on the safe side as the perturbed truth, itself perturbed by the limit."""
    if perturbed is None:
        return True
    if is_infinite(judged):
        return perturbed.is_infinite
    _, end = bounds_of(judged, DIGITS[0])
    return perturbed.order(end / (1 + rule.side.value * shift_of(rule.limit))) * rule.side.value <= 0


def judge_probability(value: object, place: str, truth: Truth, limit: int) -> Judgement:
    """Judge one probability as it was answered; one that is 0 is answered as 0. Args as `judge_level`."""
    given = Given(value)
    try:
        answered = read_probability(value, place)
    except Malformed as error:
        return Judgement(Verdict.WRONG, None, place, truth, given, str(error), error.failure)
    ulps = truth.ulps(answered)
    if ulps == 0:
        return Judgement(Verdict.EXACT, 0, place, truth, given)
    if ulps is not None and abs(ulps) <= limit:
        return Judgement(Verdict.WITHIN, ulps, place, truth, given)
    detail = f"further from the truth than {limit:,} ulps"
    numbers = truth.in_doubles(answered)
    return Judgement(Verdict.WRONG, ulps, place, truth, given, detail, Failure.OFF, numbers=numbers)


def _reconsidered(parts: list[Judgement], answered: list[object], query: Query) -> list[Judgement]:
    """Return the verdicts, those on budgets above the truth by whether the whole schedule, spent, keeps its level."""
    try:
        spent = [_spent(number) for number in answered]
        broken = breaks_level(spent, query, None if query.given["method"] == UPPER_BOUND else len(spent))
    except Malformed:
        return [_changed(part, Verdict.WRONG, f"{part.detail}; the schedule cannot be spent") for part in parts]
    except Exception as error:  # noqa: BLE001 - the oracle's own failure is no fault of the answer
        return [_changed(part, Verdict.UNDECIDED, fault_of(error)) for part in parts]
    if broken:
        return [_changed(part, Verdict.UNSAFE, f"{part.detail}; TPL of the schedule exceeds alpha") for part in parts]
    return [_changed(part, Verdict.WRONG, f"{part.detail}; TPL of the schedule is within alpha") for part in parts]


def _changed(part: Judgement, verdict: Verdict, detail: str) -> Judgement:
    if part.verdict is not Verdict.UNSAFE:
        return part
    is_other = verdict is Verdict.WRONG and part.failure is not Failure.ROUNDING
    return replace(part, verdict=verdict, detail=detail, failure=Failure.OTHER_SCHEDULE if is_other else part.failure)


def _spent(number: object) -> Number:
    """Return the budget that an answer says may be spent: the greater of the lower end and the exact text."""
    answered = read_answered_level(number, "")
    return max(
        [answered.lower] if answered.exact is None else [answered.lower, answered.exact], key=cmp_to_key(compare)
    )
