"""Requests answered: an input, decoded, is read by the kinds of its keys and becomes a JSON-ready value. Strict."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from ..contract.entry import InputKey, InputKind, Operation
from ..contract.errors import UnknownOperation, placed
from ..contract.limits import MOST_SECONDS, Deadline, check_digits, not_enough_memory
from ..contract.losses import loss_function_of
from ..contract.operations import OPERATIONS
from ..reference import InvalidRequest, LossFunction, TransitionMatrix
from ..reference.paper.leakage import check_sizes
from ..reference.stepwise import Stepwise
from .numerals import Reader, all_texts, entries
from .protocol import NUMBERS, RATIONAL
from .stepwise import read_correlation
from .strict_json import Object, as_integer, as_object, as_string, check_keys, sequences_of, shown
from .values import value_of

DEFAULT_DIGITS = 17

MOST_CACHED = 64
LARGEST_CACHED = 2_500
"""Loss functions kept between requests, and the entries of the largest matrix that is kept."""


@dataclass(slots=True)
class Session:
    """Answers requests one by one, and remembers the loss functions of the matrices it met last.

    Args: seconds, after which a request is given up: looked at while loss functions are built, and as levels are read
    and written. What a single step takes is bounded by its size; `guard.Guard` ends whatever lasts longer.
    """

    seconds: float = MOST_SECONDS
    _deadline: Deadline = field(default_factory=lambda: Deadline(MOST_SECONDS))
    _losses: OrderedDict[tuple[object, ...], tuple[LossFunction, list[int]]] = field(default_factory=OrderedDict)

    def answer(self, op: str, given: Object, digits: int = DEFAULT_DIGITS, numbers: str = RATIONAL) -> Object:
        """Answer one request.

        Args: op, the operation; given, its input, decoded by `strict_json`; digits, of enclosures; numbers, one of
        NUMBERS. Returns: the value that the contract says, and where doubles were divided by their row sums the key
        "normalised_rows". Raises: the contract's errors; whatever needs too much memory is an InvalidRequest.
        """
        operation = check_query(op, given, digits, numbers)
        reader = Reader(numbers)
        self._deadline = Deadline(self.seconds)
        try:
            values = self._values(operation, given, reader)
            if operation.limits is not None:
                operation.limits(digits, **values)
            value = value_of(op, operation.compute(**values), digits, self._deadline)
        except (MemoryError, RecursionError):
            raise not_enough_memory() from None
        return {**value, **reader.notes()}

    def _values(self, operation: Operation, given: Object, reader: Reader) -> dict[str, object]:
        """Return what stands under the keys of an input, and the defaults of those that have one."""
        values: dict[str, object] = {}

        def read(keys: tuple[InputKey, ...]) -> None:
            for key in keys:
                if key.name in given:
                    values[key.name] = self._read(key, reader, given[key.name])
                elif key.default is not None:
                    values[key.name] = key.default

        read(operation.read_first)
        if operation.admit is not None:
            operation.admit(**values)
        read(operation.read_last)
        check_sizes(*(_matrix_of(values.get(role)) for role in ("backward", "forward")))
        return values

    def _read(self, key: InputKey, reader: Reader, value: object) -> object:
        if key.stepwise:
            return read_correlation(value, key.name, lambda own, what: _READ[key.kind](self, reader, own, what))
        return _READ[key.kind](self, reader, value, key.name)

    def loss(self, reader: Reader, rows: object, what: str) -> LossFunction:
        """Return the loss function of a matrix as it stands in the input, from memory if it was met lately."""
        written = entries(rows, what)
        key: tuple[object, ...] = ()
        if sum(map(len, written)) <= LARGEST_CACHED and all_texts(written):
            key = (reader.numbers, *map(tuple, written))
            if known := self._losses.get(key):
                self._losses.move_to_end(key)
                if known[1]:
                    reader.normalised[what] = list(known[1])
                return known[0]
        with placed(what):
            matrix = reader.matrix_of(written, what)
            loss = loss_function_of(matrix, progress=self._deadline)
        if key and sum(len(text) for row in written for text in map(str, row)) <= 20 * LARGEST_CACHED:
            self._losses[key] = loss, reader.normalised.get(what, [])
            if len(self._losses) > MOST_CACHED:
                self._losses.popitem(last=False)
        return loss


def _matrix_of(known: object) -> TransitionMatrix | None:
    """Return a matrix of what is known of a correlation; of several the first, which the others are as large as."""
    if isinstance(known, Stepwise):
        found = [own for own in map(_matrix_of, known.each) if own is not None]
        for step, own in enumerate(found, 1):
            if own.n != found[0].n:
                raise InvalidRequest(f"the matrix of step {step} has {own.n} states, that of step 1 {found[0].n}")
        return found[0] if found else None
    return known.matrix if isinstance(known, LossFunction) else known if isinstance(known, TransitionMatrix) else None


def _matrix(_session: Session, reader: Reader, value: object, what: str) -> object:
    written = entries(value, what)
    with placed(what):
        return reader.matrix_of(written, what)


_READ: dict[InputKind, Callable[[Session, Reader, object, str], object]] = {
    InputKind.LEVEL: lambda _, reader, value, what: reader.level(value, what),
    InputKind.LEVELS: lambda _, reader, value, what: reader.levels(value, what),
    InputKind.NUMBER: lambda _, reader, value, what: reader.number(value, what),
    InputKind.COUNT: lambda _session, _reader, value, what: as_integer(value, what),
    InputKind.TEXT: lambda _session, _reader, value, what: as_string(value, what),
    InputKind.MATRIX: _matrix,
    InputKind.LOSS: Session.loss,
    InputKind.DISTRIBUTION: lambda _, reader, value, what: reader.distribution(value, what),
    InputKind.SEQUENCES: lambda _session, _reader, value, _what: sequences_of(value),
}
"""How what stands under a key is read, by its kind; its name is for messages."""


def _check_operation(op: str) -> None:
    if op not in OPERATIONS:
        raise UnknownOperation(f"there is no operation {shown(op)}; there are {', '.join(OPERATIONS)}")


def check_query(op: str, given: Object, digits: int, numbers: str) -> Operation:
    """Return the operation. Raises: UnknownOperation or InvalidRequest where this is no query, its numbers aside."""
    _check_operation(op)
    if numbers not in NUMBERS:
        raise InvalidRequest(f"numbers is one of {', '.join(NUMBERS)}, not {shown(numbers)}")
    operation = OPERATIONS[op]
    check_keys(given, operation.required, operation.optional, "the input")
    if operation.one_of and sum(key in given for key in operation.one_of) != 1:
        raise InvalidRequest(f"the input needs exactly one of the keys {' and '.join(map(repr, operation.one_of))}")
    check_digits(digits)
    return operation


def query_of(request: Object) -> tuple[str, Object, int, str]:
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
    numbers = as_string(request.get("numbers", RATIONAL), "numbers")
    return op, as_object(request["input"], "input"), digits, numbers


def answer_request(session: Session, request: Object) -> Object:
    """Answer a request of the wire, its "seq" aside. Raises: the contract's errors."""
    return session.answer(*query_of(request))
