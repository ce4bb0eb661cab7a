"""The errors of the public contract: each is caught, printed and sent by its class name."""

from typing import Self


class OracleError(Exception):
    """Base of every error that the oracle raises on purpose; the message says what is wrong and where.

    reason: the kind of doubt that an input leaves, for programs; empty where there is none.

    >>> from tploracle import level
    >>> try:
    ...     level("a tenth")
    ... except OracleError as error:
    ...     print(error.name)
    InvalidNumber
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
    """A text is not a number of the contract, or a number is too long to be meant.

    To do: write 3/7, 2, 0.1, 1e-3 or, where a level is asked for, log(11/10); no thousands separators, units or nan.

    >>> from tploracle import level
    >>> level("a tenth")
    Traceback (most recent call last):
    ...
    tploracle.reference.errors.InvalidNumber: 'a tenth' is not a number: write 3/7, 2, 0.1 or 1e-3
    """


class InvalidLevel(OracleError):
    """A privacy level is negative, or is not written as a level.

    To do: write a level in nats from 0 to 10⁹, or inf: 0.1, 3/7, log(11/10). An odds factor x is the level log(x).

    >>> from tploracle import level
    >>> level(-1)
    Traceback (most recent call last):
    ...
    tploracle.reference.errors.InvalidLevel: a privacy level is at least 0
    """


class NotSquare(OracleError):
    """A matrix is empty, ragged or not square.

    To do: give as many columns as rows. A name or an index read as an entry does this too.

    >>> from tploracle import loss
    >>> loss([["1/2", "1/2"]], 1)
    Traceback (most recent call last):
    ...
    tploracle.reference.errors.NotSquare: row 1 has 2 entries, the matrix has 1 rows
    """


class NegativeProbability(OracleError):
    """A probability is below zero.

    To do: correct the entry that is named; a rate or a difference is no probability.

    >>> from tploracle import loss
    >>> loss([["3/2", "-1/2"], ["0", "1"]], 1)
    Traceback (most recent call last):
    ...
    tploracle.reference.errors.NegativeProbability: row 1, column 2: -1/2 is negative
    """


class NotStochastic(OracleError):
    """Probabilities do not sum to exactly one.

    To do: correct the row that is named. --entries counts reads counts, --float64 doubles; --normalise divides rows
    whose sum differs from 1 by rounding alone, --force-normalise all. In Python give texts or fractions, not floats.

    >>> from tploracle import loss
    >>> loss([["0.3", "0.6"], ["0", "1"]], 1)
    Traceback (most recent call last):
    ...
    tploracle.reference.errors.NotStochastic: row 1 sums to 9/10, not to 1; ...
    """


class UnreachableState(OracleError):
    """A state has probability zero (or no observation) where a conditional on it is asked for.

    To do: leave the state out, collect data in which it occurs and is left, or give the other correlation as well, so
    that no reversal is needed; --one-sided is for an adversary who knows one correlation alone.

    >>> from tploracle import reverse
    >>> reverse([["1", "0"], ["1", "0"]], initial=["1", "0"])
    Traceback (most recent call last):
    ...
    tploracle.reference.errors.UnreachableState: state 2 cannot be reached in ...
    """


class NotUnique(OracleError):
    """The chain has more than one stationary distribution.

    To do: give the distribution of the earlier value (--initial), or both correlations: groups of states that never
    reach each other have several stationary distributions.

    >>> from tploracle import stationary
    >>> stationary([["1", "0"], ["0", "1"]])
    Traceback (most recent call last):
    ...
    tploracle.reference.errors.NotUnique: the chain has 2 closed ...
    """


class InfeasibleBudget(OracleError):
    """No positive budget keeps the leakage where it is asked to be.

    To do: allow a greater level, or fewer releases; instead of the paper's bound ask for the exact worst case, which
    may admit a budget where the bound admits none.

    >>> from tploracle import adversary, budgets
    >>> budgets(1, adversary(forward=[["1", "0"], ["0", "1"]], one_sided=True))
    Traceback (most recent call last):
    ...
    tploracle.reference.errors.InfeasibleBudget: the forward correlation has ...
    """


class InvalidRequest(OracleError):
    """A request or a call is not well-formed, or is too large to answer.

    To do: what the message says: it names the option, key, file or line, and for a doubt about a table the options
    that settle it. Where the input is too large it names the limit; --time-limit before a command allows more time.

    >>> from tploracle import adversary, paper_bound_leakage
    >>> paper_bound_leakage([], adversary())
    Traceback (most recent call last):
    ...
    tploracle.reference.errors.InvalidRequest: there is no release: give at least one budget
    """


class Undecided(OracleError):
    """Two numbers could not be distinguished at the highest precision tried; the oracle does not guess.

    To do: ask with slightly other numbers, as two that had to be compared are equal or nearly so, or for fewer digits;
    where a limit of time or work was reached, allow more. It is neither a yes nor a no.

    >>> Undecided("two numbers agree in 64 bits").name
    'Undecided'
    """


class Refuted(OracleError):
    """An answer was refuted by the check from above: a fault of the program, never of the input.

    To do: use no number of this answer, and report the command and its input (SECURITY.md). Exit status 5.
    """


class Unchecked(Exception):
    """The check from above neither proves nor refutes an answer; the message says why."""


class TableNote(UserWarning):
    """What is worth a look in a table, where only one reading is likely."""


def check_is(kind: type, value: object, what: str) -> None:
    """Raise InvalidRequest for an object of another class."""
    if not isinstance(value, kind):
        raise InvalidRequest(f"{what} is of the class {kind.__name__}, not {value!r:.80}")
