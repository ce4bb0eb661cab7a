"""Matrices that are refused, each for one fault, by every operation that takes one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tploracle.wire.protocol import FLOAT64, RATIONAL

from .draft import Draft, Raw, draft
from .refusals import mode_of, valid_input


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _matrices()


_MATRIX_OF = {
    "loss": "matrix",
    "loss_function": "matrix",
    "leakage": "backward",
    "supremum": "matrix",
    "composition": "forward",
    "allocate": "backward",
    "control": "matrix",
    "smooth": "matrix",
    "reverse": "forward",
}
"""Where each operation has a matrix."""


_FAULTS: tuple[tuple[str, str, str, str, object, object], ...] = (
    ("sum-not-one", "NotStochastic", "SumIsNotOne", "A row sums to 9/8", ("3/4 3/8", "0 1"), ("3/4 3/8", "0 1")),
    (
        "sum-misses-slightly",
        "NotStochastic",
        "SumMissesSlightly",
        "A row misses 1 by 2^−20, or by 10^−12 in exact numbers",
        ("3/4 1/4", f"0 {1 - Fraction(1, 2**20)}"),
        ("3/4 1/4", "0 0.999999999999"),
    ),
    (
        "negative-entry",
        "NegativeProbability",
        "NegativeEntry",
        "A row of −1/4 and 5/4",
        ("-1/4 5/4", "0 1"),
        ("-1/4 5/4", "0 1"),
    ),
    (
        "other-notation",
        "InvalidNumber",
        "NotANumber",
        "An entry in the notation of the other kind of numbers",
        Raw([["0.5", "0x1p-1"], ["0x0p+0", "0x1p+0"]]),
        Raw([["0x1p-1", "1/2"], ["0", "1"]]),
    ),
    (
        "float",
        "InvalidNumber",
        "FloatInJson",
        "An entry is a JSON float",
        Raw([[0.5, "0x1p-1"], ["0x0p+0", "0x1p+0"]]),
        Raw([[0.5, "1/2"], ["0", "1"]]),
    ),
)
"""Faults of a matrix: id, error, flag, title, and the matrix in doubles and in exact numbers. The first goes to every
operation in both, the others in one of them."""


_SHAPES: tuple[tuple[str, str, str, str, object, object], ...] = (
    ("ragged", "NotSquare", "NotSquare", "The second row has one entry", ("3/4 1/4", "1"), ("3/4 1/4", "1")),
    ("wide", "NotSquare", "NotSquare", "Two rows of three entries", ("1/2 1/4 1/4", "0 1 0"), ("1/2 1/4 1/4", "0 1 0")),
    ("empty", "NotSquare", "EmptyMatrix", "A matrix without a row", (), ()),
    (
        "nan",
        "InvalidNumber",
        "NotANumber",
        "An entry is NaN",
        Raw([["NaN", "0x1p-1"], ["0x0p+0", "0x1p+0"]]),
        Raw([["NaN", "1/2"], ["0", "1"]]),
    ),
    ("text", "InvalidRequest", "WrongType", "The matrix is a text", Raw("identity"), Raw("identity")),
)
"""Others, of which each operation gets two."""


def _matrices() -> Iterator[Draft]:
    """Yield faults of a matrix, for every operation that takes one."""
    for place, (op, key) in enumerate(_MATRIX_OF.items()):
        chosen = [_SHAPES[place % len(_SHAPES)], _SHAPES[(place + 2) % len(_SHAPES)]]
        for number, (name, error, flag, what, doubles, exact) in enumerate((*_FAULTS, *chosen)):
            both = (FLOAT64, RATIONAL)
            for numbers in both if number == 0 else both[(place + number) % 2 :][:1]:
                given = {**valid_input(op, numbers), key: doubles if numbers == FLOAT64 else exact}
                yield draft(
                    op,
                    f"refuses-{name}-{mode_of(numbers)}",
                    f"{what}: {error}.",
                    numbers,
                    given,
                    cites=("def:temporal_corr", "Contract, errors"),
                    flags=(flag,),
                    error=error,
                )
