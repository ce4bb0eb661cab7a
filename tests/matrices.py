"""The matrices that many tests use, and the files of them that commands read."""

from fractions import Fraction
from random import Random

from tploracle.reference import TransitionMatrix

MODERATE = TransitionMatrix.of([["4/5", "1/5"], ["0", "1"]])
"""The paper's moderate correlation: L has one piece, and no supremum from ε = log(5/4) on."""

SYMMETRIC = TransitionMatrix.of([["4/5", "1/5"], ["1/5", "4/5"]])
"""A supremum exists for every ε."""

SKEWED = TransitionMatrix.of([["4/5", "1/5"], ["1/10", "9/10"]])
"""A supremum exists for every ε; its rows and columns differ."""

PAPER_L = TransitionMatrix.of([["1/10", "1/5", "7/10"], ["3/10", "3/10", "2/5"], ["1/2", "3/10", "1/5"]])
"""The paper's example of a loss function of more than one piece."""

DIVERGES = TransitionMatrix.of([["7/11", "2/11", "2/11"], ["0", "0", "1"], ["3/7", "2/7", "2/7"]])
"""With e^ε = 3/2 the paper's recursion grows without bound, the leakage of no mechanism does (docs/worst-case.md)."""

STRONGEST = TransitionMatrix.of([["1", "0"], ["0", "1"]])
"""The strongest correlation: all budgets add up."""

UNCORRELATED = TransitionMatrix.of([["1/2", "1/2"], ["1/2", "1/2"]])
"""No correlation: nothing leaks from one time to another."""

EQUAL_ROWS = TransitionMatrix.of([["1/3", "2/3"], ["1/3", "2/3"]])
HALF = TransitionMatrix.of([["1/2", "1/2"], ["0", "1"]])
"""The ratio of value 1 to value 2 is (x + 1)/2 after a release with e^ε = x, and 1/(2 − x) for ever."""

SWAP = TransitionMatrix.of([["0", "1"], ["1", "0"]])
STICKY = TransitionMatrix.of([["9/10", "1/10"], ["3/10", "7/10"]])

TWO_PIECES = TransitionMatrix.of([["2/5", "3/10", "3/10"], ["4/5", "1/5", "0"], ["3/10", "3/10", "2/5"]])
"""Pieces (7/10, 1/5) up to E = 5/4 and (2/5, 0) from there on."""

THREE_PIECES = TransitionMatrix.of(
    [["30/100", "30/100", "25/100", "15/100"], ["1/10000", "5/100", "15/100", "7999/10000"], ["1/4"] * 4, ["1/4"] * 4]
)
"""Pieces with ends at E ≈ 2.003 and 16.7; the supremum for e^ε = 3 is in the last."""

SLOW = TransitionMatrix.of([["3/5", "2/5", "0"], ["0", "4/5", "1/5"], ["0", "0", "1"]])
"""Two transient values, of which the second is left slowly: without bound from e^ε = 5/4 on."""

ONE_STATE = TransitionMatrix.of([["1"]])
NEVER_TWICE = TransitionMatrix.of([["1/2", "1/2"], ["1", "0"]])
"""Value 2 does not come twice in a row."""

THREE_VALUES = TransitionMatrix.of([["3/5", "3/10", "1/10"], ["1/5", "2/5", "2/5"], ["1/10", "1/10", "4/5"]])
"""Each may follow each."""

RING = TransitionMatrix.of([["9/10", "1/10", "0"], ["0", "9/10", "1/10"], ["1/10", "0", "9/10"]])
TURNING = TransitionMatrix.of([["1/10", "9/10", 0], [0, "1/10", "9/10"], ["9/10", 0, "1/10"]])
CYCLE = TransitionMatrix.of([["0", "1", "0"], ["0", "0", "1"], ["1", "0", "0"]])

MERGING = TransitionMatrix.of([["0", "0", "1", "0", "0"], ["0", "0", "0", "1", "0"], *[["0", "0", "0", "0", "1"]] * 3])
"""Values 0 and 1 lead to no common one for one step, and then all to the last."""

FILES = {
    "m.csv": MODERATE,
    "b.csv": SYMMETRIC,
    "f.csv": SKEWED,
    "l.csv": PAPER_L,
    "d.csv": DIVERGES,
    "strong.csv": STRONGEST,
    "none.csv": UNCORRELATED,
}
"""The matrices that the fixture `folder` holds."""

USERS = {"alice": {"backward": "b.csv", "forward": "f.csv"}, "bob": {"backward": "m.csv"}, "eve": {}}
"""The users of its file u.json: one of whom both correlations are known, one, and none."""


def texts_of(matrix):
    """Return the rows as texts, as a request holds them."""
    return [[str(part) for part in row] for row in matrix.rows]


def csv_text(matrix):
    """Return the text of a matrix file."""
    return "".join(",".join(row) + "\n" for row in texts_of(matrix))


def weights(seed, n=9, hub=True):
    """Return rows of a few weights above 0 each; with a hub, a column that all of them have."""
    random = Random(seed)
    rows = [[0] * n for _ in range(n)]
    for row in rows:
        for column in random.sample(range(n), random.randint(2, 4)):
            row[column] = random.choice((1, 2, 5, random.random()))
    if hub:
        column = random.randrange(n)
        for row in rows:
            row[column] = random.randint(1, 9)
    return rows


def divided(rows):
    """Return the matrix of these weights, each row divided by its sum. Exact."""
    exact = [[Fraction(float(weight)) for weight in row] for row in rows]
    return TransitionMatrix(tuple(tuple(weight / sum(row) for weight in row) for row in exact))
