"""What an operation's entry says: its keys and fields by their kinds, the safe side, its errors, what it computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from .errors import ERRORS


class InputKind(Enum):
    """What stands under a key of an input, in words."""

    LEVEL = "a level"
    LEVELS = "an array of levels"
    NUMBER = "a number"
    COUNT = "a positive integer"
    TEXT = "a text"
    MATRIX = "a matrix"
    LOSS = "a matrix, for its loss function"
    DISTRIBUTION = "an array of probabilities"
    SEQUENCES = "an array of arrays of names"

    @property
    def written(self) -> str:
        """What is written, whatever it is read for."""
        return "a matrix" if self.is_matrix else self.value

    @property
    def is_matrix(self) -> bool:
        """Whether a matrix is written."""
        return self in MATRIX_INPUTS

    @property
    def is_level(self) -> bool:
        """Whether levels are written, one or several."""
        return self in (InputKind.LEVEL, InputKind.LEVELS)

    @property
    def is_numeric(self) -> bool:
        """Whether the numbers in it are written as the request says, as doubles or exactly."""
        return self not in (InputKind.COUNT, InputKind.TEXT, InputKind.SEQUENCES)


MATRIX_INPUTS = (InputKind.MATRIX, InputKind.LOSS)

_READ_FIRST = (
    (InputKind.LEVEL, InputKind.LEVELS, InputKind.NUMBER),
    (InputKind.COUNT,),
    (InputKind.TEXT,),
)
"""What is quick to read, kinds in their order: its faults are found before a large matrix is gone through."""

_ERRORS_OF_KIND = {
    **dict.fromkeys((InputKind.LEVEL, InputKind.LEVELS), ("InvalidNumber", "InvalidLevel")),
    **dict.fromkeys((InputKind.NUMBER, InputKind.COUNT), ("InvalidNumber",)),
    **dict.fromkeys(MATRIX_INPUTS, ("InvalidNumber", "NotSquare", "NegativeProbability", "NotStochastic")),
    InputKind.DISTRIBUTION: ("InvalidNumber", "NegativeProbability", "NotStochastic"),
}


class ValueKind(Enum):
    """What a field of a value holds, in words."""

    LEVEL = "a level"
    LEVELS = "a level per time"
    PIECES = "the pieces of a loss function"
    MATRIX = "a matrix"
    DISTRIBUTION = "a distribution"
    NUMBER = "a number"
    EXACT_LEVEL = "a level in exact notation"
    ROWS = "two rows, or null"
    COLUMNS = "columns"
    NAMES = "names"


class Side(Enum):
    """On which side of the truth a level keeps what it says."""

    ABOVE = 1
    BELOW = -1


UP, DOWN = 1, -1
"""Which way a level of the input is moved for the answer to move to the safe side."""


@dataclass(frozen=True, slots=True)
class InputKey:
    """A key of an input.

    sentence: what it is. symbol: of a level, as the paper writes it. toward_safety: of a level, UP or DOWN. choices: of
    a text, all that it may be. default: what an absent key stands for. addition: whether the oracle alone takes it.
    stepwise: of a matrix, whether there may be one for each step.
    """

    name: str
    kind: InputKind
    sentence: str
    required: bool = True
    symbol: str = ""
    toward_safety: int = 0
    choices: tuple[str, ...] = ()
    default: object = None
    addition: bool = False
    stepwise: bool = False

    @property
    def written(self) -> str:
        """What is written, whatever it is read for."""
        return self.kind.written + ', or `{"steps": […]}` or `{"cycle": […]}` of matrices' * self.stepwise


@dataclass(frozen=True, slots=True)
class ValueField:
    """A field of a value. name: WHOLE where the value itself is a level. addition: an answer without it conforms."""

    name: str
    kind: ValueKind
    addition: bool = False


WHOLE = ""
"""The name of the field that is the value itself."""

Computed = Mapping[str, object]
"""A value by the names of its fields, before it is written: levels, sequences of levels, matrices, and so on."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the contract.

    sentence: what it answers. keys: of its input, in the contract's order. returns: the fields of its value. compute:
    from the keys' values, as keyword arguments (absent ones are left out), to the fields'. side: on which its levels
    are safe, None where no side is. one_of: keys of which the input has exactly one. own_errors: names that it answers
    with besides those that the kinds of its keys bring. admit: what must hold of all that is read before the matrices.
    limits: what must hold of all values before the work begins; it takes the digits asked for, too.
    """

    sentence: str
    keys: tuple[InputKey, ...]
    returns: tuple[ValueField, ...]
    compute: Callable[..., Computed]
    side: Side | None = None
    one_of: tuple[str, ...] = ()
    own_errors: tuple[str, ...] = ()
    admit: Callable[..., None] | None = None
    limits: Callable[..., None] | None = None

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the keys that every input has."""
        return tuple(key.name for key in self.keys if key.required)

    @property
    def optional(self) -> tuple[str, ...]:
        """The names of the other keys."""
        return tuple(key.name for key in self.keys if not key.required)

    @property
    def read_first(self) -> tuple[InputKey, ...]:
        """The keys that are quick to read, in the order in which they are read and their faults found."""
        return tuple(key for kinds in _READ_FIRST for key in self.keys if key.kind in kinds)

    @property
    def read_last(self) -> tuple[InputKey, ...]:
        """The other keys, in order."""
        return tuple(key for key in self.keys if not any(key.kind in kinds for kinds in _READ_FIRST))

    @property
    def fields(self) -> tuple[ValueField, ...]:
        """The fields that every value has."""
        return tuple(field for field in self.returns if not field.addition)

    @property
    def is_level(self) -> bool:
        """Whether the value is one level."""
        return self.returns[0].name == WHOLE

    @property
    def matrices(self) -> tuple[InputKey, ...]:
        """The keys of matrices."""
        return tuple(key for key in self.keys if key.kind.is_matrix)

    @property
    def levels(self) -> tuple[InputKey, ...]:
        """The keys of levels."""
        return tuple(key for key in self.keys if key.kind.is_level)

    @property
    def knows_correlations(self) -> bool:
        """Whether it is about an adversary who may know the backward and the forward correlation, or not."""
        return {"backward", "forward"} <= set(self.optional)

    @property
    def level_symbol(self) -> str:
        """The symbol of the levels of its input; α where it has none."""
        return self.levels[0].symbol if self.levels else "α"

    @property
    def level_axis(self) -> str:
        """What the largest level of its input is called on the axis of a picture."""
        if len(self.levels) > 1:
            return "largest level"
        is_stream = any(key.kind is InputKind.LEVELS for key in self.levels)
        return f"largest {self.level_symbol}" if is_stream else self.level_symbol

    @property
    def errors(self) -> tuple[str, ...]:
        """The names of the errors that it may answer with."""
        names = {*self.own_errors, "InvalidRequest"}
        names.update(name for key in self.keys for name in _ERRORS_OF_KIND.get(key.kind, ()))
        if any(field.kind in (ValueKind.LEVEL, ValueKind.LEVELS, ValueKind.PIECES) for field in self.returns):
            names.add("Undecided")
        return tuple(name for name in ERRORS if name in names)
