"""The contract's names of errors, and the exit statuses of every command."""

from __future__ import annotations

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

OK, BAD_USAGE, UNDECIDED, INTERRUPTED = 0, 2, 3, 130
"""Exit statuses."""


class UnknownOperation(OracleError):
    """The request asks for an operation that is not offered."""
