"""The matrices that many tests use, and the files of them that commands read."""

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
"""With e^ε = 3/2 the paper's recursion grows without bound, the leakage of no mechanism does (MATH.md, section 8)."""

STRONGEST = TransitionMatrix.of([["1", "0"], ["0", "1"]])
"""The strongest correlation: all budgets add up."""

UNCORRELATED = TransitionMatrix.of([["1/2", "1/2"], ["1/2", "1/2"]])
"""No correlation: nothing leaks from one time to another."""

FILES = {
    "m.csv": MODERATE,
    "b.csv": SYMMETRIC,
    "f.csv": SKEWED,
    "l.csv": PAPER_L,
    "d.csv": DIVERGES,
    "strong.csv": STRONGEST,
    "none.csv": UNCORRELATED,
}
"""What the fixture `folder` holds."""


def texts_of(matrix):
    """Return the rows as texts, as a request holds them."""
    return [[str(part) for part in row] for row in matrix.rows]


def csv_text(matrix):
    """Return the text of a matrix file."""
    return "".join(",".join(row) + "\n" for row in texts_of(matrix))
