"""Strategies of whole inputs with a single error, which the contract answers by its name."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy

from ..contract.operations import OPERATIONS
from ..wire.protocol import DECIMAL64, FLOAT64, RATIONAL
from ..wire.strict_json import Object
from .inputs import Writer, check_operation, draw_of
from .matrix_kinds import matrices

Spoil = Callable[["DrawFn", Writer, "Object"], "Object"]
TextRows = list[list[str]]

NO_NUMBERS = ("", "one", "nan", "1e", "0x")
NO_TEXTS = {
    FLOAT64: (*NO_NUMBERS, "1/2", "0.5", "0x1.00000000000001p+0", "0x1p+1024"),
    DECIMAL64: (*NO_NUMBERS, "1/2", "0x1p-1", "1e400"),
    RATIONAL: (*NO_NUMBERS, "1/0", "0x1p-1", "--1"),
}
"""What is no number, by how numbers are written."""

NO_LEVELS = ("-1", "-1/1000", "log(1/2)", "log(0)")
NO_DOUBLE_LEVELS = (Fraction(-1), Fraction(-5e-324))
ROLES = ("backward", "forward")
NO_MATRICES: tuple[object, ...] = (None, "1", [None], [["1"], 1], {})


def invalid_requests(op: str, numbers: str = "float64", error: str | None = None) -> SearchStrategy[Object]:
    """Return a strategy of inputs of an operation that have one error each, and no value.

    Args: op and numbers, as of `requests`; error, the contract's name of the error, one of INVALID_NAMES[op]; without
    it any of those. Returns: JSON-ready objects. Raises: InvalidArgument.

    >>> from hypothesis import find
    >>> sorted(find(invalid_requests("loss", error="NotStochastic"), lambda given: True))
    ['alpha', 'matrix']
    """
    spoils = _spoils(check_operation(op, numbers))
    if error is not None and error not in spoils:
        raise InvalidArgument(f"{error!r} is not one of the errors of {op}: {', '.join(spoils)}")
    chosen = [those for name, those in spoils.items() if error in (None, name)]
    return _spoilt(op, chosen, Writer(numbers))


@st.composite
def _spoilt(draw: DrawFn, op: str, spoils: Sequence[Sequence[Spoil]], writer: Writer) -> Object:
    spoil = draw(st.sampled_from(draw(st.sampled_from(spoils))))
    return spoil(draw, writer, draw_of(op)(draw, writer))


def _set(key: str, *values: object) -> Spoil:
    """Give a key one of these values."""
    return lambda draw, _writer, given: given | {key: draw(st.sampled_from(values))}


def _without(key: str) -> Spoil:
    return lambda _draw, _writer, given: {name: value for name, value in given.items() if name != key}


def _in_matrix(op: str, spoil: Callable[[DrawFn, Writer, TextRows], object]) -> Spoil:
    """Give the operation a matrix of two or three states, spoilt."""
    key = OPERATIONS[op].matrices[0].name

    def spoilt(draw: DrawFn, writer: Writer, given: Object) -> Object:
        rows = writer.matrix(draw(matrices(2, 3, dyadic=True, kinds=("ties",))))
        return {**_without("n")(draw, writer, given), key: spoil(draw, writer, rows)}

    return spoilt


def _not_square(draw: DrawFn, writer: Writer, rows: TextRows) -> TextRows:
    return draw(
        st.sampled_from([[], rows[:-1], [*rows, rows[0]], [[*row, writer.number(Fraction(0))] for row in rows]])
    )


def _not_stochastic(draw: DrawFn, writer: Writer, rows: TextRows) -> TextRows:
    by = Fraction(draw(st.sampled_from([1, -1])), 2 ** draw(st.integers(1, 40)))
    return _with_row(draw, writer, rows, [1 + by])


def _negative(draw: DrawFn, writer: Writer, rows: TextRows) -> TextRows:
    by = Fraction(1, 2 ** draw(st.integers(1, 40)))
    return _with_row(draw, writer, rows, [1 + by, -by])


def _with_row(draw: DrawFn, writer: Writer, rows: TextRows, entries: list[Fraction]) -> TextRows:
    number = draw(st.integers(0, len(rows) - 1))
    row = [writer.number(entry) for entry in (*entries, *[Fraction(0)] * (len(rows) - len(entries)))]
    return [*rows[:number], row, *rows[number + 1 :]]


def _no_number(draw: DrawFn, writer: Writer, rows: TextRows) -> TextRows:
    row, column = (draw(st.integers(0, len(rows) - 1)) for _ in range(2))
    spoilt = [list(texts) for texts in rows]
    spoilt[row][column] = _no_text(draw, writer)
    return spoilt


def _no_text(draw: DrawFn, writer: Writer) -> str:
    return draw(st.sampled_from(NO_TEXTS[writer.numbers]))


def _in_level(op: str, spoil: Callable[[DrawFn, Writer], object]) -> Spoil:
    """Give the operation a level that is none, one of several where it takes several."""
    key = OPERATIONS[op].levels[-1].name

    def spoilt(draw: DrawFn, writer: Writer, given: Object) -> Object:
        value, whole = spoil(draw, writer), given[key]
        if isinstance(whole, list):
            number = draw(st.integers(0, len(whole) - 1))
            value = [*whole[:number], value, *whole[number + 1 :]]
        return {**given, key: value}

    return spoilt


def _no_level(draw: DrawFn, writer: Writer) -> str:
    levels = [writer.number(level) for level in NO_DOUBLE_LEVELS] if writer.doubles else NO_LEVELS
    return draw(st.sampled_from(levels))


def _initial(entries: list[Fraction]) -> Spoil:
    """Give a forward matrix of two states with two equal rows, and an initial distribution of these entries."""
    half = [Fraction(1, 2)] * 2
    return lambda _draw, writer, _given: {
        "forward": [[writer.number(entry) for entry in half]] * 2,
        "initial": [writer.number(entry) for entry in entries],
    }


def _identity(writer: Writer) -> TextRows:
    return [[writer.number(Fraction(int(j == k))) for k in range(2)] for j in range(2)]


def _unreachable(_draw: DrawFn, writer: Writer, _given: Object) -> Object:
    return {"forward": _identity(writer), "initial": [writer.number(Fraction(1)), writer.number(Fraction(0))]}


def _nothing_left(_draw: DrawFn, writer: Writer, given: Object) -> Object:
    one = writer.number(Fraction(1))
    return {**given, "matrix": _identity(writer), "previous": one, "cap": one}


def _zero(key: str) -> Spoil:
    return lambda _draw, writer, given: {**given, key: writer.number(Fraction(0))}


def _beyond_one(draw: DrawFn, writer: Writer, given: Object) -> Object:
    chance = draw(st.sampled_from([Fraction(5, 4), Fraction(-1, 8)]))
    return {**given, draw(st.sampled_from(["delta", "delta_per_release"])): writer.number(chance)}


def _never_enough(draw: DrawFn, writer: Writer, given: Object) -> Object:
    rest = {name: value for name, value in given.items() if name not in ROLES}
    return {**rest, draw(st.sampled_from(ROLES)): _identity(writer), "horizon": 2}


def _never_forgotten(draw: DrawFn, writer: Writer, given: Object) -> Object:
    return {draw(st.sampled_from(ROLES)): _identity(writer), "alpha": given["alpha"]}


def _two_sizes(_draw: DrawFn, writer: Writer, given: Object) -> Object:
    return {**given, "backward": _identity(writer), "forward": [[writer.number(Fraction(1))]]}


def _no_horizon(draw: DrawFn, writer: Writer, given: Object) -> Object:
    return {**_without("horizon")(draw, writer, given), "method": "quantified"}


def _neither(_draw: DrawFn, _writer: Writer, given: Object) -> Object:
    return {"s": given["s"]}


def _twice(_draw: DrawFn, writer: Writer, given: Object) -> Object:
    return {**given, "n": 2, "matrix": _identity(writer)}


_OWN: dict[str, dict[str, list[Spoil]]] = {
    "leakage": {"InvalidRequest": [_set("epsilons", [])]},
    "composition": {"InvalidRequest": [_set("epsilons", []), _set("start", 0, 99), _set("length", 0, 99)]},
    "allocate": {
        "InvalidRequest": [_set("method", "best", "", None), _set("horizon", 0, -1, "2"), _no_horizon],
        "InfeasibleBudget": [_zero("alpha"), _never_enough],
    },
    "worst_case_leakage": {"InvalidRequest": [_set("epsilons", [])]},
    "worst_case_allocate": {
        "InvalidRequest": [_set("horizon", 0, -1, "2")],
        "InfeasibleBudget": [_zero("alpha"), _never_forgotten],
    },
    "leakage_profile": {"InvalidRequest": [_set("horizon", 0, -1, "2"), _beyond_one]},
    "control": {"InfeasibleBudget": [_zero("cap"), _nothing_left]},
    "smooth": {
        "InvalidRequest": [_twice, _neither],
        "InvalidNumber": [lambda draw, writer, given: {**given, "s": _no_text(draw, writer)}],
    },
    "reverse": {
        "InvalidRequest": [_initial([Fraction(1)]), _initial([Fraction(1), Fraction(0), Fraction(0)])],
        "NotStochastic": [_initial([Fraction(1, 2), Fraction(1, 4)])],
        "NegativeProbability": [_initial([Fraction(3, 2), Fraction(-1, 2)])],
        "UnreachableState": [_unreachable],
    },
    "estimate": {
        "InvalidRequest": [_set("sequences", [], [[]], "a b", [[1]], [None])],
        "UnreachableState": [_set("sequences", [["a"]], [["a", "b"]], [["a", "a"], ["b"]])],
    },
}


def _spoils(op: str) -> dict[str, list[Spoil]]:
    """Return the ways to spoil an input of an operation, by the error that each makes."""
    spoils: dict[str, list[Spoil]] = {"InvalidRequest": [_set("more", 1), *map(_without, OPERATIONS[op].required)]}
    if OPERATIONS[op].matrices:
        spoils["InvalidRequest"].append(_in_matrix(op, lambda draw, _writer, _rows: draw(st.sampled_from(NO_MATRICES))))
        spoils |= {
            "NotStochastic": [_in_matrix(op, _not_stochastic)],
            "NotSquare": [_in_matrix(op, _not_square)],
            "NegativeProbability": [_in_matrix(op, _negative)],
            "InvalidNumber": [_in_matrix(op, _no_number)],
        }
    if OPERATIONS[op].knows_correlations:
        spoils["InvalidRequest"].append(_two_sizes)
    if OPERATIONS[op].levels:
        spoils["InvalidLevel"] = [_in_level(op, _no_level)]
        spoils.setdefault("InvalidNumber", []).append(_in_level(op, _no_text))
    for name, own in _OWN.get(op, {}).items():
        spoils[name] = spoils.get(name, []) + own
    return spoils


INVALID_NAMES = {op: tuple(_spoils(op)) for op in OPERATIONS}
"""The errors that an input of each operation can have."""
