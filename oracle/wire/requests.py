"""The contract's operations: from a decoded JSON input to a JSON-ready value. Strict; the input is never repaired."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from ..contract.errors import UnknownOperation
from ..contract.limits import (
    MOST_STATES,
    check_count,
    check_digits,
    check_leakage,
    check_reversal,
    check_smoothed_counts,
    check_smoothing,
    too_large,
)
from ..contract.losses import loss_function_of
from ..data.files import named
from ..data.sequences import count_sequences, sequences_of
from ..reference import (
    Adversary,
    InvalidRequest,
    LossFunction,
    TransitionMatrix,
    leakage,
    reverse,
    smooth,
    strongest,
)
from ..reference.loss import Progress
from .bounds_operations import answer_allocate, answer_composition, answer_control, answer_supremum
from .numerals import Reader, all_texts, entries
from .strict_json import Object, as_integer, as_object, as_string, check_keys, shown
from .values import estimate_value, leakage_value, loss_function_value, loss_value, matrix_value

DEFAULT_DIGITS = 17
NUMBERS = ("rational", "float64")

MOST_CACHED = 64
LARGEST_CACHED = 2_500
"""Loss functions kept between requests, and the entries of the largest matrix that is kept."""


MOST_SECONDS = 60.0
"""How long one loss function may take; the rest of an answer is bounded by its size."""


def _within(deadline: float) -> Progress:
    """Return a progress callback that ends what is not done by the deadline."""

    def check(_done: int, _total: int) -> None:
        if monotonic() > deadline:
            raise too_large(f"the loss function is not built within {MOST_SECONDS:.0f} seconds")

    return check


@dataclass(slots=True)
class Desk:
    """Answers questions one by one, and remembers the loss functions of the matrices it met last."""

    _losses: OrderedDict[tuple[object, ...], tuple[LossFunction, list[int]]] = field(default_factory=OrderedDict)

    def answer(self, op: str, given: Object, digits: int = DEFAULT_DIGITS, numbers: str = "rational") -> Object:
        """Answer one question.

        Args: op, the operation; given, its input, decoded by `strict_json`; digits, of enclosures; numbers, one of
        NUMBERS. Returns: the value that the contract says, and where doubles were divided by their row sums the key
        "normalised_rows". Raises: the contract's errors; whatever needs too much memory is an InvalidRequest.
        """
        check_question(op, given, digits, numbers)
        question = Question(self, given, digits, Reader(numbers == "float64"))
        try:
            value = OPERATIONS[op].run(question)
        except (MemoryError, RecursionError):
            raise InvalidRequest("too large: there is not enough memory to answer") from None
        return {**value, **question.reader.notes()}

    def loss(self, rows: object, what: str, reader: Reader) -> LossFunction:
        """Return the loss function of a matrix as it stands in the input, from memory if it was met lately."""
        written = entries(rows, what)
        key: tuple[object, ...] = ()
        if sum(map(len, written)) <= LARGEST_CACHED and all_texts(written):
            key = (reader.float64, *map(tuple, written))
            if known := self._losses.get(key):
                self._losses.move_to_end(key)
                if known[1]:
                    reader.normalised[what] = list(known[1])
                return known[0]
        with named(what):
            matrix = reader.matrix_of(written, what)
            loss = loss_function_of(matrix, progress=_within(monotonic() + MOST_SECONDS))
        if key and sum(len(text) for row in written for text in map(str, row)) <= 20 * LARGEST_CACHED:
            self._losses[key] = loss, reader.normalised.get(what, [])
            if len(self._losses) > MOST_CACHED:
                self._losses.popitem(last=False)
        return loss


@dataclass(frozen=True, slots=True)
class Question:
    """One question on its way to an answer."""

    desk: Desk
    given: Object
    digits: int
    reader: Reader

    def loss(self, key: str) -> LossFunction:
        """Return the loss function of the matrix under the key."""
        return self.desk.loss(self.given[key], key, self.reader)

    def matrix(self, key: str) -> TransitionMatrix:
        """Return the matrix under the key; its errors say which key that is."""
        written = entries(self.given[key], key)
        with named(key):
            return self.reader.matrix_of(written, key)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the contract: the keys of its input, and what works out its value.

    one_of: keys of which the input has exactly one; they are listed in `optional` too.
    """

    run: Callable[[Question], Object]
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()


def _loss(question: Question) -> Object:
    alpha = question.reader.level(question.given["alpha"], "alpha")
    return loss_value(question.loss("matrix").piece_at(alpha).witness, alpha, question.digits)


def _loss_function(question: Question) -> Object:
    return loss_function_value(question.loss("matrix"))


def _leakage(question: Question) -> Object:
    epsilons = question.reader.levels(question.given["epsilons"], "epsilons")
    losses = {role: question.loss(role) for role in ("backward", "forward") if role in question.given}
    check_leakage(epsilons, list(losses.values()), question.digits)
    return leakage_value(leakage(epsilons, Adversary(losses.get("backward"), losses.get("forward"))), question.digits)


def _smooth(question: Question) -> Object:
    given, reader = question.given, question.reader
    s = reader.number(given["s"], "s")
    if "n" in given:
        n = as_integer(given["n"], "n")
        if n < 1:
            raise InvalidRequest(f"n is at least 1, not {n}")
        check_count(n, MOST_STATES, "states")
        check_smoothing(n, s)
        return matrix_value("matrix", smooth(strongest(n), s))
    matrix = question.matrix("matrix")
    check_smoothing(matrix.n, s, (entry for row in matrix.rows for entry in row))
    return matrix_value("matrix", smooth(matrix, s))


def _reverse(question: Question) -> Object:
    forward = question.matrix("forward")
    initial = question.reader.distribution(question.given["initial"], "initial")
    check_reversal(forward, initial)
    return matrix_value("backward", reverse(forward, initial))


def _estimate(question: Question) -> Object:
    smoothing = question.reader.number(
        question.given.get("smoothing", "0x0p+0" if question.reader.float64 else "0"), "smoothing"
    )
    counts = count_sequences(sequences_of(question.given["sequences"]))
    check_smoothed_counts(len(counts.states), smoothing)
    return estimate_value(counts, smoothing)


OPERATIONS = {
    "loss": Operation(_loss, ("matrix", "alpha")),
    "loss_function": Operation(_loss_function, ("matrix",)),
    "leakage": Operation(_leakage, ("epsilons",), ("backward", "forward")),
    "supremum": Operation(answer_supremum, ("matrix", "epsilon")),
    "composition": Operation(answer_composition, ("epsilons", "start", "length"), ("backward", "forward")),
    "allocate": Operation(answer_allocate, ("alpha", "method"), ("backward", "forward", "horizon")),
    "control": Operation(answer_control, ("matrix", "previous", "cap")),
    "smooth": Operation(_smooth, ("s",), ("n", "matrix"), one_of=("n", "matrix")),
    "reverse": Operation(_reverse, ("forward", "initial")),
    "estimate": Operation(_estimate, ("sequences",), ("smoothing",)),
}
"""The operations that exist so far, by the contract's names."""


def _check_operation(op: str) -> None:
    if op not in OPERATIONS:
        raise UnknownOperation(f"there is no operation {shown(op)}; there are {', '.join(OPERATIONS)}")


def check_question(op: str, given: Object, digits: int, numbers: str) -> None:
    """Raise UnknownOperation or InvalidRequest unless this is a question of the contract, its numbers aside."""
    _check_operation(op)
    if numbers not in NUMBERS:
        raise InvalidRequest(f"numbers is one of {', '.join(NUMBERS)}, not {shown(numbers)}")
    operation = OPERATIONS[op]
    check_keys(given, operation.required, operation.optional, "the input")
    if operation.one_of and sum(key in given for key in operation.one_of) != 1:
        raise InvalidRequest(f"the input has one of the keys {' and '.join(map(repr, operation.one_of))}")
    check_digits(digits)


def question_of(request: Object) -> tuple[str, Object, int, str]:
    """Read a request of the wire, its "seq" aside.

    Returns: the operation, its input, the digits asked for and how the numbers are written, not yet checked further.
    Raises: UnknownOperation, InvalidRequest, InvalidNumber.
    """
    op = as_string(request.get("op"), "op")
    _check_operation(op)
    check_keys(request, ("seq", "op", "input"), ("want", "numbers"), "the request")
    want = as_object(request.get("want", {}), "want")
    check_keys(want, (), ("digits",), "want")
    digits = as_integer(want.get("digits", DEFAULT_DIGITS), "digits")
    numbers = as_string(request.get("numbers", "rational"), "numbers")
    return op, as_object(request["input"], "input"), digits, numbers


def answer_request(desk: Desk, request: Object) -> Object:
    """Answer a request of the wire, its "seq" aside. Raises: the contract's errors."""
    return desk.answer(*question_of(request))
