"""The errors of the public contract: each is caught, printed and sent by its class name."""

from typing import Self


class OracleError(Exception):
    """Base of every error that the oracle raises on purpose; the message says what is wrong and where.

    reason: the kind of doubt that an input leaves, for programs; empty where there is none.
    """

    reason = ""

    def because(self, reason: str) -> Self:
        """Return the error, with its kind of doubt.

        Args:
            reason: the kind, as a program reads it.

        Returns: the same error.
        """
        self.reason = reason
        return self

    @property
    def name(self) -> str:
        """The contract's name of the error."""
        return type(self).__name__


class InvalidNumber(OracleError):
    """A text is not a number of the contract, or a number is too long to be meant."""


class InvalidLevel(OracleError):
    """A privacy level is negative, or is not written as a level."""


class NotSquare(OracleError):
    """A matrix is empty, ragged or not square."""


class NegativeProbability(OracleError):
    """A probability is below zero."""


class NotStochastic(OracleError):
    """Probabilities do not sum to exactly one."""


class UnreachableState(OracleError):
    """A state has probability zero (or no observation) where a conditional on it is asked for."""


class NotUnique(OracleError):
    """The chain has more than one stationary distribution."""


class InfeasibleBudget(OracleError):
    """No positive budget keeps the leakage where it is asked to be."""


class InvalidRequest(OracleError):
    """A request or a call is not well-formed, or is too large to answer."""


class Undecided(OracleError):
    """Two numbers could not be distinguished at the highest precision tried; the oracle does not guess."""


class Refuted(OracleError):
    """An answer was refuted by the check from above: a fault of the program, never of the input."""


class Unchecked(Exception):
    """The check from above neither proves nor refutes an answer; the message says why."""


class TableNote(UserWarning):
    """What is worth a look in a table, where only one reading is likely."""
