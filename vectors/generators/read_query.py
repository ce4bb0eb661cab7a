"""A question with its numbers read, from which the flags and the edges of a case are decided."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, cached_property
from math import nan

from tploracle.conformance.lint import levels_in
from tploracle.contract.entry import InputKind
from tploracle.contract.losses import loss_function_of
from tploracle.contract.operations import keys_of, matrix_keys
from tploracle.mistakes.question import matrices_by_key
from tploracle.reference import (
    Adversary,
    Leakage,
    Level,
    LossFunction,
    OracleError,
    Supremum,
    TransitionMatrix,
    leakage,
    supremum,
)
from tploracle.reference.paper.leakage import Losses
from tploracle.reference.paper.own_steps import StepwiseAdversary
from tploracle.reference.stepwise import KnownCorrelation, Stepwise
from tploracle.wire.numerals import Reader
from tploracle.wire.requests import DEFAULT_DIGITS, Session, answer_request
from tploracle.wire.stepwise import read_correlation
from tploracle.wire.strict_json import Object, decode

MATRICES, LEVELS, NUMBER_KEYS = matrix_keys(), keys_of(InputKind.LEVEL), keys_of(InputKind.NUMBER)


def as_sent(given: Object) -> Object:
    """Return an input as it arrives over the wire: floats are `Numeral`s."""
    sent = decode(json.dumps(given))
    if not isinstance(sent, dict):
        raise TypeError("an input is an object")
    return sent


@cache
def loss_of(matrix: TransitionMatrix) -> LossFunction:
    """Return the loss function of a matrix, worked out once."""
    return loss_function_of(matrix)


def adversary_of(backward: KnownCorrelation | None, forward: KnownCorrelation | None) -> Adversary:
    """Return the adversary who knows these, with loss functions that are worked out once."""

    def losses(known: KnownCorrelation | None) -> Losses:
        if isinstance(known, Stepwise):
            return Stepwise(tuple(map(loss_of, known.each)), known.repeats)
        return None if known is None else loss_of(known)

    found = losses(backward), losses(forward)
    if any(isinstance(own, Stepwise) for own in found):
        return StepwiseAdversary(*found)
    past, future = (own if isinstance(own, LossFunction) else None for own in found)
    return Adversary(past, future)


class ReadQuery:
    """A question; what is asked of it is read when it is asked for, by the contract's own reader."""

    def __init__(self, op: str, numbers: str, given: Object, digits: int = DEFAULT_DIGITS) -> None:
        self.op, self.numbers, self.input, self.digits = op, numbers, as_sent(given), digits
        self._reader = Reader(numbers)

    @cached_property
    def correlations(self) -> dict[str, KnownCorrelation]:
        """The matrices by key, or those of each step. Raises: the contract's errors."""
        given = {key: self.input[key] for key in MATRICES if key in self.input}
        return {key: read_correlation(value, key, self._reader.matrix) for key, value in given.items()}

    @cached_property
    def matrices(self) -> dict[str, TransitionMatrix]:
        """The matrices by key, as `matrices_by_key`. Raises: the contract's errors."""
        return matrices_by_key(self.correlations)

    @cached_property
    def matrix(self) -> TransitionMatrix:
        """The first of them. Raises: LookupError where there is none."""
        return self._one(list(self.matrices.values()), "matrix")

    @cached_property
    def levels(self) -> list[Level]:
        """All levels, those of a stream in order."""
        single = [self.level(key) for key in LEVELS if key in self.input]
        return single + (self.epsilons if "epsilons" in self.input else [])

    def level(self, key: str) -> Level:
        """Return the level under a key. Raises: the contract's errors; KeyError."""
        return self._reader.level(self.input[key], key)

    @cached_property
    def epsilons(self) -> list[Level]:
        """The budgets of a stream; none where there is no stream."""
        return self._reader.levels(self.input["epsilons"], "epsilons") if "epsilons" in self.input else []

    @cached_property
    def loss(self) -> LossFunction:
        """The loss function of the first matrix."""
        return loss_of(self.matrix)

    @cached_property
    def adversary(self) -> Adversary:
        """The adversary: with the loss functions of what is known."""
        return adversary_of(self.correlations.get("backward"), self.correlations.get("forward"))

    @cached_property
    def losses(self) -> list[LossFunction]:
        """The loss functions of what the adversary knows."""
        return [loss for loss in (self.adversary.backward, self.adversary.forward) if loss is not None]

    @cached_property
    def leakage(self) -> Leakage:
        """The leakage of the stream."""
        return leakage(self.epsilons, self.adversary)

    @cached_property
    def supremum(self) -> Supremum:
        """The supremum for the matrix and epsilon."""
        return supremum(self.loss, self.level("epsilon"))

    def number(self, key: str) -> Fraction:
        """Return the number under a key."""
        return self._reader.number(self.input[key], key)

    def integer(self, key: str) -> int:
        """Return the integer under a key, 0 where there is none."""
        value = self.input.get(key, 0)
        return value if isinstance(value, int) else 0

    @cached_property
    def distribution(self) -> tuple[Fraction, ...]:
        """The initial distribution."""
        return self._reader.distribution(self.input["initial"], "initial")

    @cached_property
    def texts(self) -> list[str]:
        """All texts in the input, at any depth, in order."""
        return list(_texts(self.input))

    @cached_property
    def refusal(self) -> tuple[str, str]:
        """The name and the message of the error that the oracle answers; both empty where it answers a value."""
        asked: Object = {"seq": 1, "op": self.op, "input": self.input, "numbers": self.numbers}
        try:
            answer_request(Session(), {**asked, "want": {"digits": self.digits}})
        except OracleError as error:
            return error.name, str(error)
        return "", ""

    @cached_property
    def truths(self) -> list[tuple[str, float]]:
        """The numbers of the oracle's answer with their places; for a refusal NaN, from which every number differs."""
        try:
            value = Session().answer(self.op, self.input, DEFAULT_DIGITS, self.numbers)
        except OracleError:
            return [("", nan)]
        if self.op == "loss_function":
            return [("pieces", float(len(self.loss.pieces)))]
        return [(place.removeprefix("the level"), float(str(level["upper"]))) for place, level in levels_in(value)]

    def shows(self, fact: Callable[[ReadQuery], bool]) -> bool:
        """Whether a fact holds; one that cannot be read off the input does not."""
        try:
            return fact(self)
        except (OracleError, LookupError, TypeError, AttributeError):
            return False

    @staticmethod
    def _one(found: list[TransitionMatrix], what: str) -> TransitionMatrix:
        if not found:
            raise LookupError(f"there is no {what}")
        return found[0]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


Fact = Callable[[ReadQuery], bool]
"""What a kind of case has, decided from the question alone, without which a case has not the flag."""


def of_op(op: str, fact: Fact) -> Fact:
    """Make a fact one that questions of a single operation can have."""
    return lambda query: query.op == op and fact(query)
