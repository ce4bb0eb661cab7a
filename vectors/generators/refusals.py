"""Requests that are refused, each for one fault: matrices, levels, keys, times, and the frame of a request."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tploracle.wire.protocol import FLOAT64, RATIONAL
from tploracle.wire.strict_json import Object

from . import input_parts
from .draft import Draft, Raw, draft


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _matrices()
    yield from _levels()
    yield from _keys()
    yield from _times()
    yield from _sizes()
    yield from _others()


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
    "tight_leakage": "forward",
    "tight_supremum": "backward",
    "tight_allocate": "forward",
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
                given = {**_valid_input(op, numbers), key: doubles if numbers == FLOAT64 else exact}
                yield draft(
                    op,
                    f"refuses-{name}-{_mode_of(numbers)}",
                    f"{what}: {error}.",
                    numbers,
                    given,
                    cites=("def:temporal_corr", "Contract, errors"),
                    flags=(flag,),
                    error=error,
                )


_LEVEL_OF = {
    "loss": "alpha",
    "leakage": "epsilons",
    "supremum": "epsilon",
    "composition": "epsilons",
    "allocate": "alpha",
    "control": "cap",
    "tight_leakage": "epsilons",
    "tight_supremum": "epsilon",
    "tight_allocate": "alpha",
}
"""Where each operation has a level, or a list of them."""


def _valid_input(op: str, numbers: str) -> Object:
    """Return an input that is answered."""
    half: object = 0.5 if numbers == FLOAT64 else "1/2"
    rows = input_parts.DYADIC_SYMMETRIC
    return {
        "loss": {"matrix": rows, "alpha": half},
        "loss_function": {"matrix": rows},
        "leakage": {"backward": rows, "epsilons": [half, half]},
        "supremum": {"matrix": rows, "epsilon": half},
        "composition": {"forward": rows, "epsilons": [half, half, half], "start": 2, "length": 2},
        "allocate": {"backward": rows, "alpha": half, "method": "quantified", "horizon": 2},
        "control": {"matrix": rows, "previous": half, "cap": half},
        "smooth": {"matrix": rows, "s": half},
        "reverse": {"forward": rows, "initial": "1/2 1/2"},
        "estimate": {"sequences": ["abab"]},
        "tight_leakage": {"forward": rows, "epsilons": [half, half]},
        "tight_supremum": {"backward": rows, "epsilon": half},
        "tight_allocate": {"forward": rows, "alpha": half, "horizon": 2},
    }[op]  # type: ignore[return-value]


def _mode_of(numbers: str) -> str:
    """Say which kind of numbers, for an id."""
    return "doubles" if numbers == FLOAT64 else "exact"


def _levels() -> Iterator[Draft]:
    """Yield each fault of a level, for every operation that takes one."""
    faults: tuple[tuple[str, str, str, str, object, object], ...] = (
        ("negative-level", "InvalidLevel", "NegativeLevel", "A level of −1/2", -0.5, "-1/2"),
        ("level-in-words", "InvalidNumber", "NotANumber", "A level in words", Raw("one half"), Raw("one half")),
        ("nan-level", "InvalidNumber", "NotANumber", "A level that is NaN", Raw("nan"), Raw("nan")),
    )
    for place, (op, key) in enumerate(_LEVEL_OF.items()):
        for name, error, flag, what, double, exact in faults:
            modes = (
                (FLOAT64, RATIONAL)
                if name == "negative-level"
                else ((FLOAT64, RATIONAL)[(place + (name == "nan-level")) % 2],)
            )
            for numbers in modes:
                level = double if numbers == FLOAT64 else exact
                half: object = 0.5 if numbers == FLOAT64 else "1/2"
                value = [half, half, level] if key == "epsilons" else level
                yield draft(
                    op,
                    f"refuses-{name}-{_mode_of(numbers)}",
                    f"{what}: {error}.",
                    numbers,
                    {**_valid_input(op, numbers), key: value},
                    cites=("def:pl", "Contract, errors"),
                    flags=(flag,),
                    error=error,
                )
    yield draft(
        "loss",
        "refuses-ratio-below-one",
        "A level log(1/2), which is negative: InvalidLevel.",
        RATIONAL,
        {"matrix": input_parts.DYADIC_SYMMETRIC, "alpha": "log(1/2)"},
        cites=("def:pl", "Contract, numbers"),
        flags=("NegativeLevel",),
        error="InvalidLevel",
    )
    yield draft(
        "loss",
        "refuses-code",
        "A level that is a line of code is not run: InvalidNumber.",
        RATIONAL,
        {"matrix": input_parts.DYADIC_SYMMETRIC, "alpha": "log(__import__('os').getpid())"},
        cites=("Contract, numbers",),
        flags=("NotANumber",),
        error="InvalidNumber",
    )
    yield draft(
        "loss",
        "refuses-division-by-zero",
        "A number 1/0: InvalidNumber.",
        RATIONAL,
        {"matrix": input_parts.DYADIC_SYMMETRIC, "alpha": "1/0"},
        cites=("Contract, numbers",),
        flags=("NotANumber",),
        error="InvalidNumber",
    )
    yield draft(
        "supremum",
        "refuses-float-level",
        "A level that is a JSON float: InvalidNumber.",
        FLOAT64,
        {"matrix": input_parts.DYADIC_SYMMETRIC, "epsilon": Raw(0.5)},
        cites=("Contract, numbers",),
        flags=("FloatInJson",),
        error="InvalidNumber",
    )
    yield draft(
        "control",
        "refuses-negative-previous",
        "A BPL below 0: InvalidLevel.",
        FLOAT64,
        {"matrix": input_parts.DYADIC_SYMMETRIC, "previous": -0.5, "cap": 0.5},
        cites=("def:pl", "Contract, errors"),
        flags=("NegativeLevel",),
        error="InvalidLevel",
    )


def _keys() -> Iterator[Draft]:
    """Yield inputs with a key missing, and with one that the operation does not have."""
    required = {
        "loss": "alpha",
        "loss_function": "matrix",
        "leakage": "epsilons",
        "supremum": "epsilon",
        "composition": "length",
        "allocate": "method",
        "control": "previous",
        "smooth": "s",
        "reverse": "initial",
        "estimate": "sequences",
    }
    misspelt = {
        "loss": "apha",
        "loss_function": "alpha",
        "leakage": "foward",
        "supremum": "alpha",
        "composition": "end",
        "allocate": "steps",
        "control": "alpha",
        "smooth": "sigma",
        "reverse": "backward",
        "estimate": "matrix",
    }
    for place, (op, key) in enumerate(required.items()):
        numbers = (FLOAT64, RATIONAL)[place % 2]
        valid = _valid_input(op, numbers)
        yield draft(
            op,
            f"refuses-without-{key}",
            f"The input lacks {key}: InvalidRequest.",
            numbers,
            {name: value for name, value in valid.items() if name != key},
            cites=("Contract, errors",),
            flags=("MissingKey",),
            error="InvalidRequest",
        )
        extra = input_parts.DYADIC_SYMMETRIC if misspelt[op] in ("foward", "backward", "matrix") else 2
        yield draft(
            op,
            f"refuses-unknown-{misspelt[op]}",
            f"The input has the key {misspelt[op]}, which {op} does not know: InvalidRequest.",
            numbers,
            {**valid, misspelt[op]: extra},
            cites=("Contract, errors",),
            flags=("UnknownKey",),
            error="InvalidRequest",
        )


def _times() -> Iterator[Draft]:
    """Yield windows outside the stream, streams of nothing, and horizons that are none."""
    for name, start, length in (
        ("before", 0, 2),
        ("after", 3, 2),
        ("beyond", 4, 1),
        ("of-nothing", 2, 0),
        ("backwards", -1, 2),
    ):
        yield draft(
            "composition",
            f"refuses-window-{name}",
            f"A window of {length} from release {start} of three: InvalidRequest.",
            FLOAT64,
            {**_valid_input("composition", FLOAT64), "start": start, "length": length},
            cites=("thm:composition", "Contract, errors"),
            flags=("OutsideTheStream",),
            error="InvalidRequest",
        )
    for op, numbers in (("leakage", FLOAT64), ("leakage", RATIONAL), ("composition", FLOAT64)):
        yield draft(
            op,
            f"refuses-no-release-{_mode_of(numbers)}",
            "A stream without a release: InvalidRequest.",
            numbers,
            {**_valid_input(op, numbers), "epsilons": []},
            cites=("eq:bpl_f", "Contract, errors"),
            flags=("NoRelease",),
            error="InvalidRequest",
        )
    for name, change in (("zero", {"horizon": 0}), ("negative", {"horizon": -1})):
        yield draft(
            "allocate",
            f"refuses-horizon-{name}",
            f"A horizon of {change['horizon']}: InvalidRequest.",
            FLOAT64,
            {**_valid_input("allocate", FLOAT64), **change},
            cites=("algo:release2", "Contract, errors"),
            flags=("UselessHorizon",),
            error="InvalidRequest",
        )
    without = {key: value for key, value in _valid_input("allocate", FLOAT64).items() if key != "horizon"}
    yield draft(
        "allocate",
        "refuses-no-horizon",
        "Algorithm 8 without a horizon: InvalidRequest.",
        FLOAT64,
        without,
        cites=("algo:release2", "Contract, operations"),
        flags=("UselessHorizon",),
        error="InvalidRequest",
    )
    yield draft(
        "allocate",
        "refuses-method",
        "A method “algorithm 8”: InvalidRequest.",
        FLOAT64,
        {**_valid_input("allocate", FLOAT64), "method": "algorithm 8"},
        cites=("Contract, operations",),
        flags=("UnknownMethod",),
        error="InvalidRequest",
    )


def _sizes() -> Iterator[Draft]:
    """Yield two matrices of one user that differ in size."""
    for op in ("tight_leakage", "tight_supremum", "tight_allocate"):
        for numbers in (FLOAT64, RATIONAL):
            both = {"backward": input_parts.DYADIC_SYMMETRIC, "forward": input_parts.TWO_PIECES}
            yield draft(
                op,
                f"refuses-two-sizes-{_mode_of(numbers)}",
                "Two states before, and three after: InvalidRequest.",
                numbers,
                {**_valid_input(op, numbers), **both},
                cites=("def:adversary_t", "Contract, errors"),
                flags=("TwoSizes",),
                error="InvalidRequest",
            )


def _others() -> Iterator[Draft]:
    for name, numbers, initial, error, flag in (
        ("sum-of-the-start", FLOAT64, "1/2 1/4", "NotStochastic", "SumIsNotOne"),
        ("sum-of-the-start-exact", RATIONAL, "1/3 1/3", "NotStochastic", "SumIsNotOne"),
        ("negative-start", RATIONAL, "-1/3 4/3", "NegativeProbability", "NegativeEntry"),
        ("longer-start", FLOAT64, "1/2 1/4 1/4", "InvalidRequest", "WrongLength"),
    ):
        yield draft(
            "reverse",
            f"refuses-{name}",
            f"An initial distribution of {initial.replace(' ', ', ')}: {error}.",
            numbers,
            {**_valid_input("reverse", numbers), "initial": initial},
            cites=("def:temporal_corr", "Contract, errors"),
            flags=(flag,),
            error=error,
        )
    for name, change, flag in (("both-sources", {"n": 2}, "OneSourceOnly"), ("text-for-n", {"n": "2"}, "WrongType")):
        given = {**_valid_input("smooth", FLOAT64), **change}
        if name == "text-for-n":
            del given["matrix"]
        yield draft(
            "smooth",
            f"refuses-{name}",
            f"Smoothing with {'both n and a matrix' if 'both' in name else 'n as a text'}: InvalidRequest.",
            FLOAT64,
            given,
            cites=("Contract, operations",),
            flags=(flag,),
            error="InvalidRequest",
        )
    yield draft(
        "smooth",
        "refuses-no-source",
        "Smoothing with neither n nor a matrix: InvalidRequest.",
        RATIONAL,
        {"s": "1/2"},
        cites=("Contract, operations",),
        flags=("OneSourceOnly",),
        error="InvalidRequest",
    )
    yield draft(
        "smooth",
        "refuses-number-in-words",
        "A smoothing parameter in words: InvalidNumber.",
        RATIONAL,
        {"n": 2, "s": Raw("a little")},
        cites=("Contract, numbers",),
        flags=("NotANumber",),
        error="InvalidNumber",
    )
    for name, value in (("text", "abab"), ("numbers", [[1, 2, 1]])):
        yield draft(
            "estimate",
            f"refuses-{name}-for-sequences",
            "Sequences are arrays of arrays of names: InvalidRequest.",
            FLOAT64,
            {"sequences": value},
            cites=("Contract, operations",),
            flags=("WrongType",) if name == "text" else (),
            edges={
                "a name is a number, or the sequences are a text": not isinstance(value, list) or value == [[1, 2, 1]]
            },
            error="InvalidRequest",
        )
    yield draft(
        "leakage",
        "refuses-level-for-levels",
        "One level where an array of them is meant: InvalidRequest.",
        FLOAT64,
        {"backward": input_parts.DYADIC_SYMMETRIC, "epsilons": Raw("0x1p-1")},
        cites=("Contract, operations",),
        flags=("WrongType",),
        error="InvalidRequest",
    )


WIRE_CITED = ("Contract, wire",)


def wire_drafts() -> Iterator[Draft]:
    """Yield the cases; their ids begin with “wire”."""
    for name, op in (
        ("of-no-name", ""),
        ("of-another-name", "privacy_loss"),
        ("in-capitals", "LOSS"),
        ("with-a-blank", "loss "),
        ("with-a-hyphen", "loss-function"),
        ("in-the-plural", "suprema"),
    ):
        yield draft(
            op,
            f"operation-{name}",
            f"There is no operation “{op}”: UnknownOperation.",
            (FLOAT64, RATIONAL)[len(op) % 2],
            {},
            cites=WIRE_CITED,
            flags=("NoSuchOperation",),
            error="UnknownOperation",
            wire=True,
        )
    valid = {"n": 2, "s": 0.5}
    for digits in (0, -1):
        yield draft(
            "smooth",
            f"digits-{'negative' if digits else 'zero'}",
            f"An enclosure of {digits} digits is asked for: InvalidRequest.",
            FLOAT64,
            valid,
            cites=WIRE_CITED,
            flags=("UselessDigits",),
            error="InvalidRequest",
            digits=digits,
            wire=True,
        )
    yield draft(
        "loss",
        "numbers-float32",
        "Numbers of the kind “float32”: InvalidRequest.",
        "float32",
        {"matrix": [["0x1p-1", "0x1p-1"], ["0x0p+0", "0x1p+0"]], "alpha": "0x1p-1"},
        cites=WIRE_CITED,
        flags=("NoSuchNumbers",),
        error="InvalidRequest",
        wire=True,
    )
    yield draft(
        "supremum",
        "numbers-decimal",
        "Numbers of the kind “decimal”: InvalidRequest.",
        "decimal",
        {"matrix": [row.split() for row in input_parts.PAPER_SYMMETRIC], "epsilon": "0.1"},
        cites=WIRE_CITED,
        flags=("NoSuchNumbers",),
        error="InvalidRequest",
        wire=True,
    )
