"""The contract's names of errors, the places that errors name, and the exit statuses of every command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..reference import OracleError

ERRORS = (
    "InvalidNumber",
    "NotStochastic",
    "NotSquare",
    "NegativeProbability",
    "InvalidLevel",
    "InfeasibleBudget",
    "UnreachableState",
    "Undecided",
    "UnknownOperation",
    "InvalidRequest",
)
"""The contract's names of errors."""

INTERNAL_ERROR = "InternalError"
"""The name, outside the contract, of a fault that is not the input's."""

OK, BAD_USAGE, UNDECIDED, RECORDED_UNSHOWN, REFUTED, LEFT_OUT = 0, 2, 3, 4, 5, 6
"""Exit statuses."""

_LONGEST_SHOWN = 60


class UnknownOperation(OracleError):
    """The request asks for an operation that is not offered.

    To do: correct the name; the line `start` is answered with the operations that are.
    """


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Put a place before the message of an error."""
    try:
        yield
    except OracleError as error:
        raise type(error)(f"{place}: {error}").because(error.reason) from None


def brief(text: str) -> str:
    """Return a text for a message: its beginning, where it is long."""
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."
