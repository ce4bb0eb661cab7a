"""Flags for what is given: rows, levels and their notation, data, and requests that are at fault."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise

from tploracle.contract.limits import MOST_DIGITS
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import InvalidLevel, InvalidNumber, Level, OracleError, TransitionMatrix
from tploracle.reference.correlations import Row
from tploracle.wire.protocol import NUMBERS
from tploracle.wire.strict_json import Numeral

from .facts import (
    LEAST_NORMAL,
    NEAR,
    disjoint,
    equal_pairs,
    has_tie,
    is_banded,
    is_permutation,
    left_to_right,
    nearly_equal,
    one_against_zero,
    pairs,
    zeros,
)
from .read_query import LEVELS, MATRICES, Fact, Flag, ReadQuery


def of_matrix(fact: Callable[[TransitionMatrix], bool]) -> Fact:
    """Make a fact about a matrix one about a question: some matrix of it shows it."""
    return lambda query: any(fact(matrix) for matrix in query.matrices.values())


def some_pair(fact: Callable[[Row, Row], bool]) -> Fact:
    """Make a fact about two rows one about a question."""
    return of_matrix(lambda matrix: any(fact(q, d) for q, d in pairs(matrix)))


def some_entry(fact: Callable[[Fraction], bool]) -> Fact:
    """Make a fact about an entry one about a question."""
    return of_matrix(lambda matrix: any(fact(entry) for row in matrix.rows for entry in row))


def _all_equal(matrix: TransitionMatrix) -> bool:
    return matrix.n > 1 and len(set(matrix.rows)) == 1


def _disjoint_without_one(matrix: TransitionMatrix) -> bool:
    return any(disjoint(q, d) for q, d in pairs(matrix)) and not any(one_against_zero(q, d) for q, d in pairs(matrix))


def _minus_zero(query: ReadQuery) -> bool:
    return any(text.startswith("-0") and float.fromhex(text) == 0 for text in query.texts if "x" in text)


_ROWS = (
    Flag(
        "SingleState",
        "With one state there is no pair of rows: a maximum over nothing fails, or the search for a supremum "
        "returns the 0 it starts from.",
        "The program ends with an error for a user who never moves, or says that a whole stream leaks nothing.",
        of_matrix(lambda matrix: matrix.n == 1),
    ),
    Flag(
        "EqualRows",
        "All rows are equal, so x⁺ is empty and q = d = 0: a quotient 0/0, or log(1/0), is formed.",
        "The leakage comes out as NaN instead of the budget; compared with a limit, NaN lets every release through.",
        of_matrix(_all_equal),
    ),
    Flag(
        "EqualRowPair",
        "Two rows, not all, are equal: the 0/0 of their empty x⁺ gets into the maximum over all pairs.",
        "The whole leakage becomes NaN because two places have the same habits.",
        of_matrix(lambda matrix: 0 < equal_pairs(matrix) < matrix.n * (matrix.n - 1) // 2),
    ),
    Flag(
        "NearlyEqualRows",
        "Two rows differ by 2^−40 or less: rounding decides whether a column is in x⁺, and log of a number "
        "near 1 keeps none of its digits.",
        "A small leakage is reported as 0, or as less than it is, and over a long stream it adds up.",
        some_pair(nearly_equal),
    ),
    Flag(
        "DisjointSupports",
        "Two rows have no column in common, so L is the identity; such pairs are skipped, or capped, because "
        "every quotient has a zero below.",
        "Each release in truth adds its whole budget; the leakage is understated without limit.",
        some_pair(disjoint),
    ),
    Flag(
        "NoOneAgainstZero",
        "Two rows have disjoint supports though no column has a 1 against a 0: a test of the printed "
        "condition of Theorem 7 does not see that L is the identity.",
        "The strongest correlation is taken for a weaker one, and budgets are handed out that cannot keep "
        "their promise.",
        of_matrix(_disjoint_without_one),
    ),
    Flag(
        "ZeroDenominator",
        "A column has q_j > 0 = d_j in rows that share others: q_j/d_j must read +∞, and is divided by zero "
        "or left out instead.",
        "The leakage falls short, or is NaN, wherever a transition is impossible, as most maps have it.",
        some_pair(lambda q, d: not disjoint(q, d) and any(a and not b for a, b in zip(q, d, strict=True))),
    ),
    Flag(
        "ZeroColumn",
        "No row leads to some state, so that q_j = d_j = 0: the quotient 0/0 is formed and compared.",
        "One unused state in the model turns the answer into NaN.",
        of_matrix(lambda matrix: any(not any(column) for column in zip(*matrix.rows, strict=True))),
    ),
    Flag(
        "TiedRatios",
        "Two columns of x⁺ have the same q_j/d_j, which Theorem 8 assumes away: rounding keeps one of them "
        "and drops the other.",
        "A set of columns that is no optimum is evaluated; the leakage falls short by far more than an ulp.",
        some_pair(has_tie),
    ),
    Flag(
        "Permutation",
        "The matrix is of 0 and 1 only, so that all quotients are 0, ∞ or 0/0: special cases are missed one "
        "after the other.",
        "The worst correlation, under which leakage grows by ε with every release, is the one that is not computed.",
        of_matrix(lambda matrix: matrix.n > 1 and is_permutation(matrix)),
    ),
    Flag(
        "Sparse",
        "At least three entries of five are 0: most columns of most pairs have quotients 0/0 or q_j/0.",
        "Maps on which one moves to neighbours only are what users have; for them the answers are NaN or too small.",
        of_matrix(lambda matrix: matrix.n > 4 and 5 * zeros(matrix) >= 3 * matrix.n**2),
    ),
    Flag(
        "Banded",
        "Only neighbouring states are reached: rows side by side overlap, rows far apart are disjoint. A "
        "search of neighbouring rows alone misses the pair that decides.",
        "Places far apart are told apart for certain, and the leakage from it is not counted.",
        of_matrix(lambda matrix: matrix.n > 4 and is_banded(matrix)),
    ),
    Flag(
        "ManyStates",
        "Fifty states, 2,450 ordered pairs: long sums of doubles lose digits, and shortcuts tried on small "
        "matrices leave pairs out.",
        "Rounding that is invisible for three states takes the leakage below the truth for fifty.",
        of_matrix(lambda matrix: matrix.n >= 50),
    ),
    Flag(
        "BeyondFiftyStates",
        "More than sixty-four states: what was tried up to fifty takes another way, a block or a thread for each part.",
        "The leakage of a large matrix is that of a part of it.",
        of_matrix(lambda matrix: matrix.n > 64),
    ),
    Flag(
        "UnevenSum",
        "The doubles of a row sum to exactly 1, but not when added from left to right: the row is refused, or "
        "divided by a sum that is wrong.",
        "A valid model is turned down, or the answer is about another one.",
        of_matrix(lambda matrix: any(left_to_right(row) != 1 for row in matrix.rows)),
    ),
    Flag(
        "SubnormalEntry",
        "An entry is below the least normal double: flushed to zero it makes d = 0, and q/d overflows.",
        "A possible transition is taken for an impossible one; a finite leakage becomes infinite, or NaN.",
        some_entry(lambda entry: 0 < entry < LEAST_NORMAL),
    ),
    Flag(
        "TinyEntry",
        "An entry is 2^−40 or less: a threshold takes it for 0, its square underflows, or it is lost beside 1.",
        "A supremum that exists is said not to, or its value is off in the first digits.",
        some_entry(lambda entry: 0 < entry <= NEAR),
    ),
    Flag(
        "EntryNextToOne",
        "An entry is within 2^−50 of 1: 1 − q is nothing but rounding error, or 0.",
        "A correlation that is almost certain is taken for certain; no supremum is found and no budget handed out.",
        some_entry(lambda entry: 1 - Fraction(1, 2**50) <= entry < 1),
    ),
    Flag(
        "MinusZero",
        "A zero is written with a minus: a test of the sign bit calls it negative, or 1/−0 = −∞ drops a column.",
        "A valid matrix is refused, or its leakage understated.",
        _minus_zero,
    ),
    Flag(
        "TwoRowsOfMany",
        "All rows but one are equal: a search that does not go through all pairs passes over the only one that counts.",
        "The one habit that gives a user away is left out of the account.",
        of_matrix(
            lambda m: (
                m.n > 2
                and equal_pairs(m) == (m.n - 1) * (m.n - 2) // 2
                and any(q != d for q, d in combinations(m.rows, 2))
            )
        ),
    ),
)


LARGE, OVERFLOWING = Level.of(40), Level.of(710)
TINY = Level.of(Fraction(11, 10**13))
"""A level is tiny up to here: 10^−12, and the double next to it."""


def some_level(fact: Callable[[Level], bool]) -> Fact:
    """Make a fact about a level one about a question: some level of its input shows it."""
    return lambda query: any(fact(level) for level in query.levels)


def _no_double(query: ReadQuery) -> bool:
    if query.numbers == "float64":
        return False
    decimals = [text for text in query.texts if "." in text and "log" not in text]
    return any(Fraction(text) != Fraction(float(Fraction(text))) for text in decimals)


_LEVELS = (
    Flag(
        "ZeroLevel",
        "A level is 0, so E = 0 and all functions are equal: quotients of differences are 0/0.",
        "NaN for a release that was never made, or a leakage where nothing was released.",
        some_level(lambda level: level.is_zero),
    ),
    Flag(
        "TinyLevel",
        "A level is 10^−12 or less: exp(α) − 1, where expm1 is needed, keeps four digits of sixteen, or none.",
        "Each of a million small releases is accounted for with the wrong size, too small half of the time.",
        some_level(lambda level: not level.is_zero and not level.is_infinite and level <= TINY),
    ),
    Flag(
        "SubnormalLevel",
        "A level is below the least normal double and is flushed to 0.",
        "What it leaks is not counted at all.",
        some_level(lambda level: not level.is_zero and not level.is_infinite and level < Level.of(LEAST_NORMAL)),
    ),
    Flag(
        "LargeLevel",
        "A level is 40 or more: beside e^40 the 1 of qE + 1 is lost in a double, and differences of levels cancel.",
        "The limit q/d is answered for L, or a budget without one right digit.",
        some_level(lambda level: LARGE <= level < OVERFLOWING),
    ),
    Flag(
        "OverflowingLevel",
        "A level is 710 or more: e^α exceeds every double, and ∞/∞ follows.",
        "NaN, or an error, after a long stream under a strong correlation: when the accountant matters most.",
        some_level(lambda level: not level.is_infinite and level >= OVERFLOWING),
    ),
    Flag(
        "InfiniteLevel",
        "A level is ∞ and L takes its limit, the log of the greatest q/d: ∞/∞ is computed instead.",
        "One unprotected release in the past makes all later leakage NaN where it is finite and small.",
        some_level(lambda level: level.is_infinite),
    ),
    Flag(
        "ExactDecimal",
        "A decimal such as 0.1 means exactly 1/10 and is read as the nearest double.",
        "Rows that sum to 1 as written are refused, and answers are off by an ulp, below the truth half of the time.",
        _no_double,
    ),
    Flag(
        "LogLevel",
        "A level is given by its ratio, as in log(11/10): the logarithm is rounded first and its exponential "
        "taken afterwards.",
        "The exactness that the notation is there for is lost; comparisons at a boundary go either way.",
        lambda query: any(text.startswith("log(") for text in query.texts),
    ),
    Flag(
        "SurdLevel",
        "A level is the logarithm of a number with a square root, and such a text is refused.",
        "A budget that was answered cannot be handed back in the next question.",
        lambda query: any("sqrt" in text for text in query.texts),
    ),
)


def _sequences(query: ReadQuery) -> list[list[str]]:
    found = query.input.get("sequences")
    if not isinstance(found, list):
        return []
    return [[str(name) for name in sequence] for sequence in found if isinstance(sequence, list)]


def _dead_end(query: ReadQuery) -> bool:
    sequences = _sequences(query)
    seen = {name for sequence in sequences for name in sequence}
    steps = [step for sequence in sequences for step in pairwise(sequence)]
    return bool(seen) and (seen != {step[0] for step in steps} or seen != {step[1] for step in steps})


def _unreachable(query: ReadQuery) -> bool:
    if query.op == "estimate":
        return _dead_end(query)
    columns = zip(*query.matrix.rows, strict=True)
    return any(not sum(p * x for p, x in zip(query.distribution, column, strict=True)) for column in columns)


def _joined_wrongly(query: ReadQuery) -> bool:
    """Whether the last name of a sequence and the first of the next make a step that no sequence has."""
    sequences = [sequence for sequence in _sequences(query) if sequence]
    steps = {step for sequence in sequences for step in pairwise(sequence)}
    return any((a[-1], b[0]) not in steps for a, b in pairwise(sequences))


def _numbered_states(query: ReadQuery) -> bool:
    seen = sorted({name for sequence in _sequences(query) for name in sequence})
    return all(name.isdigit() for name in seen) and seen != sorted(seen, key=int)


def _first_seen_late(query: ReadQuery) -> bool:
    seen = list(dict.fromkeys(name for sequence in _sequences(query) for name in sequence))
    return seen != sorted(seen) and not any(name.isdigit() for name in seen)


def _initial(fact: Fact) -> Fact:
    return lambda query: query.op == "reverse" and fact(query)


def _not_stationary(query: ReadQuery) -> bool:
    p, rows = query.distribution, query.matrix.rows
    after = [sum(x * row[k] for x, row in zip(p, rows, strict=True)) for k in range(len(p))]
    return list(p) != after and len(set(p)) > 1


_DATA = (
    Flag(
        "ZeroSmoothing",
        "s = 0 changes nothing, and the rows are divided by a rounded sum all the same.",
        "A matrix that was to stay as it is is another one afterwards.",
        lambda query: query.op == "smooth" and query.number("s") == 0,
    ),
    Flag(
        "SmoothsZeros",
        "s > 0 makes every entry positive and divides each row by 1 + n·s: zeros stay, or the division is left out.",
        "Rows that do not sum to 1, or a supremum that is infinite where smoothing was to make it finite.",
        lambda query: (
            query.op == "smooth"
            and query.number("s") > 0
            and (
                query.integer("n") > 1 or of_matrix(lambda m: any(entry == 0 for row in m.rows for entry in row))(query)
            )
        ),
    ),
    Flag(
        "SmoothsPositive",
        "The matrix has no zeros and is mixed with the uniform one all the same: s is added to zeros alone.",
        "A matrix that is as strong as before is taken for a smoothed one.",
        lambda query: (
            query.op == "smooth" and of_matrix(lambda m: all(entry > 0 for row in m.rows for entry in row))(query)
        ),
    ),
    Flag(
        "NotStationary",
        "The initial distribution is neither uniform nor stationary: the transposed matrix, its rows divided "
        "by their sums, is answered.",
        "The backward correlation is that of another chain.",
        _initial(_not_stationary),
    ),
    Flag(
        "ImpossibleStart",
        "A state has initial probability 0 though every state can be reached: it is divided by.",
        "NaN in the backward correlation, or a refusal of a valid one.",
        _initial(lambda query: 0 in query.distribution),
    ),
    Flag(
        "Unreachable",
        "A conditional distribution is asked for on a state that cannot occur, or was never left or entered: "
        "a row is made up.",
        "The row that nobody knows decides the leakage.",
        _unreachable,
    ),
    Flag(
        "SequencesApart",
        "A sequence ends where the next one does not begin: they are joined.",
        "Steps are counted that nobody made.",
        lambda query: query.op == "estimate" and _joined_wrongly(query),
    ),
    Flag(
        "StatesByNumber",
        "States named by numbers are ordered by value, 2 before 10: they are sorted as texts.",
        "Rows and columns stand for other states than the reader thinks.",
        lambda query: query.op == "estimate" and _numbered_states(query),
    ),
    Flag(
        "StatesByName",
        "States are ordered by name: they come in the order in which they are first seen.",
        "Rows and columns stand for other states than the reader thinks.",
        lambda query: query.op == "estimate" and _first_seen_late(query),
    ),
)


def _raw(query: ReadQuery) -> list[list[list[object]]]:
    """Return the matrices as they were written, those that are arrays of arrays."""
    found = []
    for key in MATRICES:
        rows = query.input.get(key)
        if isinstance(rows, list) and all(isinstance(row, list) for row in rows):
            found.append(rows)
    return found


def _value(query: ReadQuery, entry: object) -> Fraction | None:
    try:
        return ReadQuery("smooth", query.numbers, {"s": entry}).number("s") if isinstance(entry, str) else None
    except OracleError:
        return None


def _rows(query: ReadQuery) -> list[list[Fraction]]:
    """Return the rows of square matrices, and the initial distribution, that have numbers throughout."""
    written = [row for rows in _raw(query) if rows and all(len(row) == len(rows) for row in rows) for row in rows]
    initial = query.input.get("initial")
    if isinstance(initial, list):
        written.append(initial)
    read = [[_value(query, entry) for entry in row] for row in written]
    return [[entry for entry in row if entry is not None] for row in read if None not in row]


def _misses(least: Fraction, most: Fraction) -> Fact:
    return lambda query: any(
        least <= abs(sum(row, Fraction(0)) - 1) < most and min(row, default=Fraction(0)) >= 0 for row in _rows(query)
    )


def _negative(query: ReadQuery) -> bool:
    return any(entry < 0 for row in _rows(query) for entry in row)


def _ragged(query: ReadQuery) -> bool:
    return any(rows and any(len(row) != len(rows) for row in rows) for rows in _raw(query))


def _refused(error: type[OracleError]) -> Fact:
    """Return whether some number or level of the input is refused under this name."""

    def fact(query: ReadQuery) -> bool:
        for key in (*MATRICES, *LEVELS, "epsilons", "s", "initial"):
            if key not in query.input:
                continue
            try:
                _read(query, key)
            except error:
                return True
            except OracleError:
                continue
        return False

    return fact


def _read(query: ReadQuery, key: str) -> None:
    alone = ReadQuery(query.op, query.numbers, {})
    alone.input[key] = query.input[key]
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


def _keys(query: ReadQuery) -> tuple[set[str], set[str], set[str]]:
    operation = OPERATIONS[query.op]
    return set(query.input), set(operation.required), set(operation.required) | set(operation.optional)


def _malformed(query: ReadQuery) -> bool:
    """Whether some value is of another JSON type than the contract has under its key."""
    arrays = ("epsilons", "initial", "sequences")
    integers = ("start", "length", "horizon", "n")
    for key, value in query.input.items():
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


def _outside(query: ReadQuery) -> bool:
    start, length = query.integer("start"), query.integer("length")
    return query.op == "composition" and not (start >= 1 and length >= 1 and start + length - 1 <= len(query.epsilons))


_REQUESTS = (
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
        lambda query: _has_float(query.input),
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
        lambda query: any(not rows for rows in _raw(query)),
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
        lambda query: bool(_keys(query)[1] - _keys(query)[0]),
    ),
    Flag(
        "UnknownKey",
        "The input has a key that the operation does not know, perhaps a misspelt one: it is overlooked.",
        "With “foward” for forward the adversary is taken to know less, and the leakage is understated.",
        lambda query: bool(_keys(query)[0] - _keys(query)[2]),
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
        lambda query: query.input.get("epsilons") == [] or query.input.get("sequences") == [],
    ),
    Flag(
        "UnknownMethod",
        "A method is asked for that Section 5 does not have: another one's budgets are handed out.",
        "A promise over a horizon is taken for one that holds for ever.",
        lambda query: query.op == "allocate" and query.input.get("method") not in ("upper-bound", "quantified"),
    ),
    Flag(
        "UselessHorizon",
        "A horizon is below 1, or missing where the method needs one: one is assumed.",
        "A schedule for another number of releases than will be made.",
        lambda query: (
            query.op in ("allocate", "tight_allocate")
            and (
                query.integer("horizon") < 1 if "horizon" in query.input else query.input.get("method") == "quantified"
            )
        ),
    ),
    Flag(
        "OneSourceOnly",
        "`smooth` is given both n and a matrix, or neither: one of the two is preferred.",
        "Another matrix than the one that was meant is smoothed.",
        lambda query: query.op == "smooth" and ("n" in query.input) == ("matrix" in query.input),
    ),
    Flag(
        "WrongLength",
        "The initial distribution has another number of states than the matrix: the shorter of the two decides.",
        "The backward correlation of a chain that nobody gave.",
        lambda query: query.op == "reverse" and len(query.distribution) != query.matrix.n,
    ),
    Flag(
        "TwoSizes",
        "The backward and the forward correlation of one user have different numbers of states, and both are used.",
        "A leakage of values that do not exist, or of two users.",
        lambda query: len({matrix.n for matrix in query.matrices.values()}) > 1,
    ),
    Flag(
        "NoSuchOperation",
        "An operation is asked for that the contract does not have: the nearest name is answered, or the program ends.",
        "An answer to another question, or the loss of all requests behind it.",
        lambda query: query.op not in OPERATIONS,
    ),
    Flag(
        "NoSuchNumbers",
        "Numbers of an unknown kind are read as another kind.",
        "The question that is answered is about other numbers.",
        lambda query: query.numbers not in NUMBERS,
    ),
    Flag(
        "UselessDigits",
        "An enclosure of no digits is asked for.",
        "An endless loop, or an enclosure of nothing.",
        lambda query: not 1 <= query.digits <= MOST_DIGITS,
    ),
)


FLAGS_OF_INPUTS = (*_ROWS, *_LEVELS, *_DATA, *_REQUESTS)
