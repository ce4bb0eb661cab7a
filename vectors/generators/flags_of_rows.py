"""Flags for what is special about the rows of a matrix."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

from tploracle.reference import TransitionMatrix
from tploracle.reference.correlations import Row

from .asked import Asked
from .flag import Fact, Flag
from .row_facts import (
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


def of_matrix(fact: Callable[[TransitionMatrix], bool]) -> Fact:
    """Make a fact about a matrix one about a question: some matrix of it shows it."""
    return lambda asked: any(fact(matrix) for matrix in asked.matrices.values())


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


def _minus_zero(asked: Asked) -> bool:
    return any(text.startswith("-0") and float.fromhex(text) == 0 for text in asked.texts if "x" in text)


FLAGS = (
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
