"""Flags for requests that are refused, each by its name."""

from __future__ import annotations

from fractions import Fraction

from tploracle.contract.limits import MOST_DIGITS
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import InvalidLevel, InvalidNumber, OracleError
from tploracle.wire.requests import NUMBERS
from tploracle.wire.strict_json import Numeral

from .asked import LEVELS, MATRICES, Asked
from .flag import Fact, Flag


def _raw(asked: Asked) -> list[list[list[object]]]:
    """Return the matrices as they were written, those that are arrays of arrays."""
    found = []
    for key in MATRICES:
        rows = asked.input.get(key)
        if isinstance(rows, list) and all(isinstance(row, list) for row in rows):
            found.append(rows)
    return found


def _value(asked: Asked, entry: object) -> Fraction | None:
    try:
        return Asked("smooth", asked.numbers, {"s": entry}).number("s") if isinstance(entry, str) else None
    except OracleError:
        return None


def _rows(asked: Asked) -> list[list[Fraction]]:
    """Return the rows of square matrices, and the initial distribution, that have numbers throughout."""
    written = [row for rows in _raw(asked) if rows and all(len(row) == len(rows) for row in rows) for row in rows]
    initial = asked.input.get("initial")
    if isinstance(initial, list):
        written.append(initial)
    read = [[_value(asked, entry) for entry in row] for row in written]
    return [[entry for entry in row if entry is not None] for row in read if None not in row]


def _misses(least: Fraction, most: Fraction) -> Fact:
    return lambda asked: any(
        least <= abs(sum(row, Fraction(0)) - 1) < most and min(row, default=Fraction(0)) >= 0 for row in _rows(asked)
    )


def _negative(asked: Asked) -> bool:
    return any(entry < 0 for row in _rows(asked) for entry in row)


def _ragged(asked: Asked) -> bool:
    return any(rows and any(len(row) != len(rows) for row in rows) for rows in _raw(asked))


def _refused(error: type[OracleError]) -> Fact:
    """Return whether some number or level of the input is refused under this name."""

    def fact(asked: Asked) -> bool:
        for key in (*MATRICES, *LEVELS, "epsilons", "s", "initial"):
            if key not in asked.input:
                continue
            try:
                _read(asked, key)
            except error:
                return True
            except OracleError:
                continue
        return False

    return fact


def _read(asked: Asked, key: str) -> None:
    alone = Asked(asked.op, asked.numbers, {})
    alone.input[key] = asked.input[key]
    if key in MATRICES:
        _ = alone.matrices
    elif key in LEVELS:
        alone.level(key)
    elif key == "epsilons":
        _ = alone.epsilons
    elif key == "s":
        alone.number(key)
    else:
        _ = alone.distribution


def _has_float(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_float, value.values()))
    return any(map(_has_float, value)) if isinstance(value, list) else isinstance(value, Numeral)


def _keys(asked: Asked) -> tuple[set[str], set[str], set[str]]:
    operation = OPERATIONS[asked.op]
    return set(asked.input), set(operation.required), set(operation.required) | set(operation.optional)


def _malformed(asked: Asked) -> bool:
    """Whether some value is of another JSON type than the contract has under its key."""
    arrays = ("epsilons", "initial", "sequences")
    integers = ("start", "length", "horizon", "n")
    for key, value in asked.input.items():
        wrong = (
            not (isinstance(value, list) and all(isinstance(row, list) for row in value))
            if key in MATRICES
            else not isinstance(value, list)
            if key in arrays
            else isinstance(value, bool) or not isinstance(value, int)
            if key in integers
            else value is None or isinstance(value, bool | dict | list)
        )
        if wrong or (key == "method" and not isinstance(value, str)):
            return True
    return False


def _outside(asked: Asked) -> bool:
    start, length = asked.integer("start"), asked.integer("length")
    return asked.op == "composition" and not (start >= 1 and length >= 1 and start + length - 1 <= len(asked.epsilons))


FLAGS = (
    Flag(
        "NotANumber",
        "A text is no number of the notation asked for (a word, NaN, a decimal for a double): it is read as something.",
        "NaN passes every comparison with a limit, and another number is another question.",
        _refused(InvalidNumber),
    ),
    Flag(
        "FloatInJson",
        "A JSON float has been rounded before anyone can see it: it is taken for what it looks like.",
        "0.1 is not 1/10, and a row that is not stochastic passes for one that is.",
        lambda asked: _has_float(asked.input),
    ),
    Flag(
        "NegativeLevel",
        "A privacy level is below 0: it is computed with.",
        "A leakage below the budget, or a budget that gives back what was spent.",
        _refused(InvalidLevel),
    ),
    Flag(
        "NotSquare",
        "A matrix is ragged, or has not as many columns as rows: missing entries are read as 0, others left out.",
        "The answer is about a matrix that nobody gave.",
        _ragged,
    ),
    Flag(
        "EmptyMatrix",
        "A matrix has no row: the greatest loss over no rows is taken for 0.",
        "Nothing is said to leak where nothing is known.",
        lambda asked: any(not rows for rows in _raw(asked)),
    ),
    Flag(
        "SumIsNotOne",
        "The entries of a row do not sum to 1 by far: they are divided by their sum.",
        "A typing error in the model is made invisible.",
        _misses(Fraction(1, 10**4), Fraction(10**6)),
    ),
    Flag(
        "SumMissesSlightly",
        "The entries of a row miss 1 by a little, more than rounding explains: a tolerance lets it pass.",
        "L exceeds its argument, or falls short, by as much.",
        _misses(Fraction(1, 10**30), Fraction(1, 10**4)),
    ),
    Flag(
        "NegativeEntry",
        "A probability is below 0 in a row that sums to 1: only the sum is tested.",
        "L falls below 0 or exceeds its argument.",
        _negative,
    ),
    Flag(
        "MissingKey",
        "A key of the input is missing: a default stands in for it.",
        "Something that nobody asked for decides the answer.",
        lambda asked: bool(_keys(asked)[1] - _keys(asked)[0]),
    ),
    Flag(
        "UnknownKey",
        "The input has a key that the operation does not know, perhaps a misspelt one: it is overlooked.",
        "With “foward” for forward the adversary is taken to know less, and the leakage is understated.",
        lambda asked: bool(_keys(asked)[0] - _keys(asked)[2]),
    ),
    Flag(
        "WrongType",
        "A value is of another JSON type: a text is gone through letter by letter, true counts as 1.",
        "An answer to a question that was never asked.",
        _malformed,
    ),
    Flag(
        "OutsideTheStream",
        "A window is empty or not within the stream: an index counts from the end, as in Python.",
        "The leakage of another window is answered.",
        _outside,
    ),
    Flag(
        "NoRelease",
        "A stream has no release, or there is no data: a maximum, or a quotient, over nothing is formed.",
        "A leakage of 0 where there is none to speak of, or a crash.",
        lambda asked: asked.input.get("epsilons") == [] or asked.input.get("sequences") == [],
    ),
    Flag(
        "UnknownMethod",
        "A method is asked for that Section 5 does not have: another one's budgets are handed out.",
        "A promise over a horizon is taken for one that holds for ever.",
        lambda asked: asked.op == "allocate" and asked.input.get("method") not in ("upper-bound", "quantified"),
    ),
    Flag(
        "UselessHorizon",
        "A horizon is below 1, or missing where the method needs one: one is assumed.",
        "A schedule for another number of releases than will be made.",
        lambda asked: (
            asked.op == "allocate"
            and (
                asked.integer("horizon") < 1 if "horizon" in asked.input else asked.input.get("method") == "quantified"
            )
        ),
    ),
    Flag(
        "OneSourceOnly",
        "`smooth` is given both n and a matrix, or neither: one of the two is preferred.",
        "Another matrix than the one that was meant is smoothed.",
        lambda asked: asked.op == "smooth" and ("n" in asked.input) == ("matrix" in asked.input),
    ),
    Flag(
        "WrongLength",
        "The initial distribution has another number of states than the matrix: the shorter of the two decides.",
        "The backward correlation of a chain that nobody gave.",
        lambda asked: asked.op == "reverse" and len(asked.distribution) != asked.matrix.n,
    ),
    Flag(
        "NoSuchOperation",
        "An operation is asked for that the contract does not have: the nearest name is answered, or the program ends.",
        "An answer to another question, or the loss of all requests behind it.",
        lambda asked: asked.op not in OPERATIONS,
    ),
    Flag(
        "NoSuchNumbers",
        "Numbers of an unknown kind are read as another kind.",
        "The question that is answered is about other numbers.",
        lambda asked: asked.numbers not in NUMBERS,
    ),
    Flag(
        "UselessDigits",
        "An enclosure of no digits is asked for.",
        "An endless loop, or an enclosure of nothing.",
        lambda asked: not 1 <= asked.digits <= MOST_DIGITS,
    ),
)
