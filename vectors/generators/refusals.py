"""Requests that are refused, each for one fault: matrices, levels, keys, times, and the frame of a request."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from tploracle.contract.operations import OPERATIONS
from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import input_parts as parts
from .draft import Draft, Raw, draft
from .read_query import LEVELS, MATRICES


def drafts() -> Iterator[Draft]:
    """Yield the cases."""
    yield from _matrices()
    yield from _levels()
    yield from _keys()
    yield from _times()
    yield from _sizes()
    yield from _others()


MODES = {FLOAT64: "doubles", RATIONAL: "exact"}
"""Both kinds of numbers, and what an id calls them."""


@dataclass(frozen=True, slots=True)
class _Fault:
    """A fault of a value, the value in doubles, and in exact numbers where it is another."""

    name: str
    what: str
    flag: str
    error: str
    doubles: object
    exact: object = None

    def of(self, numbers: str) -> object:
        """Return the value in a kind of numbers."""
        return self.doubles if numbers == FLOAT64 or self.exact is None else self.exact


def _refused(
    op: str,
    head: str,
    change: Mapping[str, object],
    tags: str,
    error: str = "InvalidRequest",
    *,
    numbers: str = FLOAT64,
    edges: Mapping[str, bool] | None = None,
) -> Draft:
    """Make a draft of an input that would be answered, but for what is changed in it. Args: change, None for no key."""
    given = {key: value for key, value in {**_valid_input(op, numbers), **change}.items() if value is not None}
    return draft(op, f"refuses-{head}: {error}.", given, tags, numbers=numbers, error=error, edges=edges)


def _valid_input(op: str, numbers: str) -> dict[str, object]:
    """Return an input that is answered."""
    half: object = 0.5 if numbers == FLOAT64 else "1/2"
    rows = parts.DYADIC_SYMMETRIC
    given: dict[str, dict[str, object]] = {
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
    }
    return given[op]


_FAULTS = (
    _Fault("sum-not-one", "A row sums to 9/8", "SumIsNotOne", "NotStochastic", ("3/4 3/8", "0 1")),
    _Fault(
        "sum-misses-slightly",
        "A row misses 1 by 2^−20, or by 10^−12 in exact numbers",
        "SumMissesSlightly",
        "NotStochastic",
        ("3/4 1/4", f"0 {1 - Fraction(1, 2**20)}"),
        ("3/4 1/4", "0 0.999999999999"),
    ),
    _Fault("negative-entry", "A row of −1/4 and 5/4", "NegativeEntry", "NegativeProbability", ("-1/4 5/4", "0 1")),
    _Fault(
        "other-notation",
        "An entry in the notation of the other kind of numbers",
        "NotANumber",
        "InvalidNumber",
        Raw([["0.5", "0x1p-1"], ["0x0p+0", "0x1p+0"]]),
        Raw([["0x1p-1", "1/2"], ["0", "1"]]),
    ),
    _Fault(
        "float",
        "An entry is a JSON float",
        "FloatInJson",
        "InvalidNumber",
        Raw([[0.5, "0x1p-1"], ["0x0p+0", "0x1p+0"]]),
        Raw([[0.5, "1/2"], ["0", "1"]]),
    ),
)
"""Faults of a matrix. The first goes to every operation in both kinds of numbers, the others in one of them."""

_SHAPES = (
    _Fault("ragged", "The second row has one entry", "NotSquare", "NotSquare", ("3/4 1/4", "1")),
    _Fault("wide", "Two rows of three entries", "NotSquare", "NotSquare", ("1/2 1/4 1/4", "0 1 0")),
    _Fault("empty", "A matrix without a row", "EmptyMatrix", "NotSquare", ()),
    _Fault(
        "nan",
        "An entry is NaN",
        "NotANumber",
        "InvalidNumber",
        Raw([["NaN", "0x1p-1"], ["0x0p+0", "0x1p+0"]]),
        Raw([["NaN", "1/2"], ["0", "1"]]),
    ),
    _Fault("text", "The matrix is a text", "WrongType", "InvalidRequest", Raw("identity")),
)
"""Others, of which each operation gets two."""

_LEVEL_FAULTS = (
    _Fault("negative-level", "A level of −1/2", "NegativeLevel", "InvalidLevel", -0.5, "-1/2"),
    _Fault("level-in-words", "A level in words", "NotANumber", "InvalidNumber", Raw("one half")),
    _Fault("nan-level", "A level that is NaN", "NotANumber", "InvalidNumber", Raw("nan")),
)
"""Faults of a level, again the first in both kinds of numbers."""


def _modes(place: int, number: int) -> list[str]:
    """Return the kinds of numbers in which an operation gets a fault: both for the first one, and then by turns."""
    return [*MODES] if number == 0 else [[*MODES][(place + number) % 2]]


def _places(keys: Collection[str]) -> list[tuple[str, str]]:
    """Return the operations that take one of these keys, each with the last one."""
    found = [(op, [key for key in _valid_input(op, FLOAT64) if key in keys]) for op in OPERATIONS]
    return [(op, own[-1]) for op, own in found if own]


def _matrices() -> Iterator[Draft]:
    """Yield faults of a matrix, for every operation that takes one."""
    for place, (op, key) in enumerate(_places(MATRICES)):
        chosen = [_SHAPES[place % len(_SHAPES)], _SHAPES[(place + 2) % len(_SHAPES)]]
        for number, fault in enumerate((*_FAULTS, *chosen)):
            for numbers in _modes(place, number):
                yield _refused(
                    op,
                    f"{fault.name}-{MODES[numbers]}: {fault.what}",
                    {key: fault.of(numbers)},
                    f"{fault.flag} def:temporal_corr contract:errors",
                    fault.error,
                    numbers=numbers,
                )


def _levels() -> Iterator[Draft]:
    """Yield each fault of a level, for every operation that takes one."""
    for place, (op, key) in enumerate(_places((*LEVELS, "epsilons"))):
        for number, fault in enumerate(_LEVEL_FAULTS):
            for numbers in _modes(place + 1, number):
                level, half = fault.of(numbers), 0.5 if numbers == FLOAT64 else "1/2"
                yield _refused(
                    op,
                    f"{fault.name}-{MODES[numbers]}: {fault.what}",
                    {key: [half, half, level] if key == "epsilons" else level},
                    f"{fault.flag} def:pl contract:errors",
                    fault.error,
                    numbers=numbers,
                )
    not_a_number, negative = "NotANumber contract:numbers", "NegativeLevel def:pl"
    for name, text, tags, error in (
        (
            "ratio-below-one: A level log(1/2), which is negative",
            "log(1/2)",
            f"{negative} contract:numbers",
            "InvalidLevel",
        ),
        (
            "code: A level that is a line of code is not run",
            "log(__import__('os').getpid())",
            not_a_number,
            "InvalidNumber",
        ),
        ("division-by-zero: A number 1/0", "1/0", not_a_number, "InvalidNumber"),
    ):
        yield _refused("loss", name, {"alpha": text}, tags, error, numbers=RATIONAL)
    what, tags = "float-level: A level that is a JSON float", "FloatInJson contract:numbers"
    yield _refused("supremum", what, {"epsilon": Raw(0.5)}, tags, "InvalidNumber")
    what, tags = "negative-previous: A BPL below 0", f"{negative} contract:errors"
    yield _refused("control", what, {"previous": -0.5}, tags, "InvalidLevel")


def _keys() -> Iterator[Draft]:
    """Yield inputs with a key missing, and with one that the operation does not have."""
    rows = parts.DYADIC_SYMMETRIC
    for place, (op, key, misspelt, value) in enumerate(
        (
            ("loss", "alpha", "apha", 2),
            ("loss_function", "matrix", "alpha", 2),
            ("leakage", "epsilons", "foward", rows),
            ("supremum", "epsilon", "alpha", 2),
            ("composition", "length", "end", 2),
            ("allocate", "method", "steps", 2),
            ("control", "previous", "alpha", 2),
            ("smooth", "s", "sigma", 2),
            ("reverse", "initial", "backward", rows),
            ("estimate", "sequences", "matrix", rows),
        )
    ):
        (numbers,) = _modes(place, 2)
        what = f"without-{key}: The input lacks {key}"
        yield _refused(op, what, {key: None}, "MissingKey contract:errors", numbers=numbers)
        what = f"unknown-{misspelt}: The input has the key {misspelt}, which {op} does not know"
        yield _refused(op, what, {misspelt: value}, "UnknownKey contract:errors", numbers=numbers)


def _times() -> Iterator[Draft]:
    """Yield windows outside the stream, streams of nothing, and horizons that are none."""
    windows = (("before", 0, 2), ("after", 3, 2), ("beyond", 4, 1), ("of-nothing", 2, 0), ("backwards", -1, 2))
    for name, start, length in windows:
        yield _refused(
            "composition",
            f"window-{name}: A window of {length} from release {start} of three",
            {"start": start, "length": length},
            "OutsideTheStream thm:composition contract:errors",
        )
    for op, numbers in (("leakage", FLOAT64), ("leakage", RATIONAL), ("composition", FLOAT64)):
        what, tags = f"no-release-{MODES[numbers]}: A stream without a release", "NoRelease eq:bpl_f contract:errors"
        yield _refused(op, what, {"epsilons": []}, tags, numbers=numbers)
    for name, horizon, part in (
        ("zero: A horizon of 0", 0, "errors"),
        ("negative: A horizon of -1", -1, "errors"),
        ("no-horizon: Algorithm 8 without a horizon", None, "operations"),
    ):
        what = name if horizon is None else f"horizon-{name}"
        yield _refused("allocate", what, {"horizon": horizon}, f"UselessHorizon algo:release2 contract:{part}")
    what = "method: A method “algorithm 8”"
    yield _refused("allocate", what, {"method": "algorithm 8"}, "UnknownMethod contract:operations")


def _sizes() -> Iterator[Draft]:
    """Yield two matrices of one user that differ in size."""
    both = {"backward": parts.DYADIC_SYMMETRIC, "forward": parts.TWO_PIECES}
    for op in ("tight_leakage", "tight_supremum", "tight_allocate"):
        for numbers, mode in MODES.items():
            what = f"two-sizes-{mode}: Two states before, and three after"
            yield _refused(op, what, both, "TwoSizes def:adversary_t contract:errors", numbers=numbers)


def _others() -> Iterator[Draft]:
    for name, numbers, initial, error, flag in (
        ("sum-of-the-start", FLOAT64, "1/2 1/4", "NotStochastic", "SumIsNotOne"),
        ("sum-of-the-start-exact", RATIONAL, "1/3 1/3", "NotStochastic", "SumIsNotOne"),
        ("negative-start", RATIONAL, "-1/3 4/3", "NegativeProbability", "NegativeEntry"),
        ("longer-start", FLOAT64, "1/2 1/4 1/4", "InvalidRequest", "WrongLength"),
    ):
        yield _refused(
            "reverse",
            f"{name}: An initial distribution of {initial.replace(' ', ', ')}",
            {"initial": initial},
            f"{flag} def:temporal_corr contract:errors",
            error,
            numbers=numbers,
        )
    one_source, wrong_type = "OneSourceOnly contract:operations", "WrongType contract:operations"
    yield _refused("smooth", "both-sources: Smoothing with both n and a matrix", {"n": 2}, one_source)
    yield _refused("smooth", "text-for-n: Smoothing with n as a text", {"n": "2", "matrix": None}, wrong_type)
    what = "no-source: Smoothing with neither n nor a matrix"
    yield _refused("smooth", what, {"matrix": None}, one_source, numbers=RATIONAL)
    yield draft(
        "smooth",
        "refuses-number-in-words: A smoothing parameter in words: InvalidNumber.",
        {"n": 2, "s": Raw("a little")},
        "NotANumber contract:numbers",
        numbers=RATIONAL,
        error="InvalidNumber",
    )
    for name, value, tags in (("text", "abab", wrong_type), ("numbers", [[1, 2, 1]], "contract:operations")):
        what = f"{name}-for-sequences: Sequences are arrays of arrays of names"
        a_number = not isinstance(value, str) and isinstance(value[0][0], int)
        edges = {"a name is a number, or the sequences are a text": a_number or isinstance(value, str)}
        yield _refused("estimate", what, {"sequences": value}, tags, edges=edges)
    what = "level-for-levels: One level where an array of them is meant"
    yield _refused("leakage", what, {"epsilons": Raw("0x1p-1")}, wrong_type)


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
            f"operation-{name}: There is no operation “{op}”: UnknownOperation.",
            {},
            "NoSuchOperation contract:wire",
            numbers=[*MODES][len(op) % 2],
            error="UnknownOperation",
            wire=True,
        )
    refused = partial(draft, error="InvalidRequest", wire=True)
    for name, digits in (("zero", 0), ("negative", -1)):
        head = f"digits-{name}: An enclosure of {digits} digits is asked for: InvalidRequest."
        yield refused("smooth", head, {"n": 2, "s": 0.5}, "UselessDigits contract:wire", digits=digits)
    halves = [["0x1p-1", "0x1p-1"], ["0x0p+0", "0x1p+0"]]
    for op, numbers, given in (
        ("loss", "float32", {"matrix": halves, "alpha": "0x1p-1"}),
        ("supremum", "decimal", {"matrix": [row.split() for row in parts.PAPER_SYMMETRIC], "epsilon": "0.1"}),
    ):
        head = f"numbers-{numbers}: Numbers of the kind “{numbers}”: InvalidRequest."
        yield refused(op, head, given, "NoSuchNumbers contract:wire", numbers=numbers)
