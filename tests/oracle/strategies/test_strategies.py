"""The public strategies: each yields what it promises, reaches what it is for, checks its arguments, shrinks well."""

import json
import math
import os
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument

from tploracle import _hypothesis
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import (
    INFINITE,
    ZERO,
    InfeasibleBudget,
    Level,
    OracleError,
    TransitionMatrix,
    control,
    loss_function,
    supremum,
)
from tploracle.reference.surds import Surd
from tploracle.strategies import (
    BOUNDARIES,
    INVALID_NAMES,
    LEVEL_KINDS,
    MATRIX_KINDS,
    boundary_instances,
    budgets,
    distributions,
    invalid_requests,
    levels,
    matrices,
    requests,
    row_pairs,
    schedules,
)
from tploracle.wire.requests import Session
from tploracle.wire.strict_json import decode

from ...profiles import examples, some

NUMBERS = ("float64", "rational")
PART = Fraction(1, 10**12)
FEW = examples(6)


def smallest(strategy, condition, seed=0, phases=(Phase.generate, Phase.shrink)):
    """Return the smallest example with the property, of a bounded number that is drawn from a seed."""
    chosen = settings(
        max_examples=1000, phases=phases, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    return find(strategy, condition, settings=chosen, random=Random(seed))


def reached(strategy, condition=lambda _: True):
    """Return the first example with the property, of a bounded number."""
    return smallest(strategy, condition, phases=[Phase.generate])


def is_double(value):
    return Fraction(float(value)) == value


def distance(first, second):
    """The total variation distance of two rows."""
    return sum(abs(p - q) for p, q in zip(first, second, strict=True)) / 2


def supports(rows):
    return [{column for column, entry in enumerate(row) if entry} for row in rows]


def values(matrix):
    return {entry for row in matrix.rows for entry in row}


PROMISES = {
    "varied": lambda matrix: True,
    "ties": lambda matrix: all(len(set(filter(None, row))) == 1 for row in matrix.rows),
    "few rows": lambda matrix: len(set(matrix.rows)) <= 2,
    "nearly equal": lambda matrix: all(distance(*pair) <= Fraction(1, 400) for pair in combinations(matrix.rows, 2)),
    "sparse": lambda matrix: all(len(support) <= 2 for support in supports(matrix.rows)),
    "banded": lambda matrix: all(
        abs(row - column) <= 2 for row, support in enumerate(supports(matrix.rows)) for column in support
    ),
    "disjoint supports": lambda matrix: any(not a & b for a, b in combinations(supports(matrix.rows), 2)),
    "permutation": lambda matrix: (
        values(matrix) == {0, 1} and all(sum(column) == 1 for column in zip(*matrix.rows, strict=True))
    ),
    "smoothed": lambda matrix: 0 not in values(matrix),
    "tiny": lambda matrix: any(0 < entry < Fraction(1, 10**14) for entry in values(matrix)),
}
"""What every matrix of a kind is, from two states on and with any denominators."""

DYADIC_PROMISES = {
    **PROMISES,
    "ties": lambda matrix: all(len(set(sorted(filter(None, row))[:-1])) <= 1 for row in matrix.rows),
}
"""On the grid of doubles one of several equal entries takes what is left to 1."""


def test_the_kinds_are_those_promised():
    assert tuple(PROMISES) == MATRIX_KINDS


@pytest.mark.parametrize("kind", MATRIX_KINDS)
@FEW
@given(st.data())
def test_every_matrix_of_a_kind_is_one(kind, data):
    dyadic = data.draw(st.booleans())
    matrix = data.draw(matrices(2, 5, dyadic=dyadic, kinds=[kind]))
    assert 2 <= matrix.n <= 5
    assert (DYADIC_PROMISES if dyadic else PROMISES)[kind](matrix)
    assert not dyadic or all(map(is_double, values(matrix)))


@pytest.mark.parametrize("dyadic", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "condition",
    [
        *(lambda matrix, promise=promise: matrix.n > 2 and promise(matrix) for promise in PROMISES.values()),
        lambda matrix: matrix.n == 1,
        lambda matrix: matrix.n == 6,
        lambda matrix: matrix.n > 2 and loss_function(matrix).is_zero,
        lambda matrix: matrix.n > 2 and loss_function(matrix).is_identity and values(matrix) != {0, 1},
        lambda matrix: len(loss_function(matrix).pieces) > 2,
        lambda matrix: 0 < loss_function(matrix).slope_at_zero < Fraction(1, 10**15),
        lambda matrix: max(entry.denominator for entry in values(matrix)) > 10**15,
    ],
)
def test_matrices_of_all_sorts_come_up(condition, dyadic):
    assert condition(reached(matrices(dyadic=dyadic), condition))


@FEW
@given(st.data(), st.booleans())
def test_pairs_and_distributions(data, dyadic):
    first, second = data.draw(row_pairs(2, 4, dyadic=dyadic))
    alone = data.draw(distributions(3, 3, dyadic=dyadic))
    assert len(first) == len(second) in (2, 3, 4)
    assert len(alone) == 3
    for row in (first, second, alone):
        assert sum(row) == 1
        assert min(row) >= 0
        assert not dyadic or all(map(is_double, row))


@pytest.mark.parametrize("dyadic", [False, True])
def test_pairs_of_all_sorts_come_up(dyadic):
    @FEW
    @given(row_pairs(2, 4, dyadic=dyadic, kinds=["disjoint supports"]))
    def apart(pair):
        assert distance(*pair) == 1

    apart()
    pairs = row_pairs(2, 5, dyadic=dyadic)
    for condition in (lambda d: d == 0, lambda d: d == 1, lambda d: 0 < d < Fraction(1, 10**9), lambda d: d > 0.3):
        reached(pairs, lambda pair, condition=condition: condition(distance(*pair)))


KIND_OF_LEVEL = {
    "ratio": lambda level: isinstance(level.ratio, Fraction) and not level.is_zero,
    "rational": lambda level: level.rational is not None and not level.is_zero,
    "surd": lambda level: isinstance(level.ratio, Surd),
    "zero": lambda level: level.is_zero,
    "infinite": lambda level: level.is_infinite,
}


@pytest.mark.parametrize("kind", LEVEL_KINDS)
def test_levels_of_each_kind(kind):
    @FEW
    @given(levels(kinds=[kind]))
    def each(level):
        assert KIND_OF_LEVEL[kind](level)

    each()
    reached(levels(), KIND_OF_LEVEL[kind])


@FEW
@given(levels(doubles=True))
def test_levels_that_are_doubles(level):
    assert level.is_infinite or is_double(level.rational)


@pytest.mark.parametrize(
    "condition",
    [
        lambda level: level.is_infinite,
        lambda level: level.is_zero,
        lambda level: level == Level.of(Fraction(5e-324)),
        lambda level: level == Level.of(10**9),
        lambda level: ZERO < level < Level.of(PART),
        lambda level: Level.of(709) < level < Level.of(711),
        lambda level: Level.of(1) < level < Level.of(2) and level.rational.denominator > 2**40,
    ],
)
def test_doubles_of_all_sorts_come_up(condition):
    reached(levels(doubles=True), condition)


@FEW
@given(st.data(), st.booleans(), st.booleans())
def test_budgets_and_schedules(data, doubles, zero):
    budget = data.draw(budgets(doubles=doubles, zero=zero))
    schedule = data.draw(schedules(1, 4, doubles=doubles, zero=zero))
    assert 1 <= len(schedule) <= 4
    for level in (budget, *schedule):
        assert not level.is_infinite
        assert zero or not level.is_zero
        assert not doubles or is_double(level.rational)


@pytest.mark.parametrize("doubles", [False, True])
def test_schedules_of_all_sorts_come_up(doubles):
    drawn = schedules(0, 6, doubles=doubles)
    reached(drawn, lambda schedule: not schedule)
    reached(drawn, lambda schedule: len(schedule) == 6)
    reached(drawn, lambda schedule: len(schedule) > 3 and len({level.exact_text for level in schedule}) == 1)
    reached(drawn, lambda schedule: len({level.exact_text for level in schedule}) > 3)
    reached(drawn, lambda schedule: any(level.is_zero for level in schedule[1:-1]))


# Boundaries: what is so at the boundary, below it and above it, said by other means than the one that draws them


def _piece(matrix, level):
    return loss_function(matrix).piece_at(level)


def _is_spent(matrix, cap):
    try:
        control(loss_function(matrix), INFINITE, cap)
    except InfeasibleBudget:
        return True
    return False


def _rounded(level):
    return float(level.ratio)


SIDES = {
    "transition point": lambda low, at, high: _piece(*low) == _piece(*at) != _piece(*high),
    "supremum piece": lambda low, at, high: (
        (supremum(loss_function(low[0]), low[1]).q, supremum(loss_function(low[0]), low[1]).d)
        != (supremum(loss_function(high[0]), high[1]).q, supremum(loss_function(high[0]), high[1]).d)
    ),
    "divergence": lambda low, at, high: (
        [supremum(loss_function(matrix), epsilon).level.is_infinite for matrix, epsilon in (low, at, high)]
        == [False, True, True]
    ),
    "infeasible": lambda low, at, high: [_is_spent(*one) for one in (low, at, high)] == [True, True, False],
    "overflow": lambda low, at, high: low[1].ratio < 2**1024 == at[1].ratio < high[1].ratio,
    "cancellation": lambda low, at, high: _rounded(low[1]) == _rounded(at[1]) == 1 < _rounded(high[1]),
}
SIZES = {
    "zero level": lambda matrix, level: level,
    "identity": lambda matrix, level: Level.of(1 - loss_function(matrix).slope_at_zero),
    "equal rows": lambda matrix, level: Level.of(loss_function(matrix).slope_at_zero),
}


def test_the_boundaries_are_those_promised():
    assert {*SIDES, *SIZES} == set(BOUNDARIES)


@pytest.mark.parametrize("name", SIDES)
@FEW
@given(st.data())
def test_levels_at_a_boundary_and_to_each_side(name, data):
    at = data.draw(boundary_instances(name, distance=0))
    excess = at[1].ratio - 1
    low, high = ((at[0], Level.of_ratio(1 + excess * (1 + by))) for by in (-PART, PART))
    assert SIDES[name](low, at, high)


@pytest.mark.parametrize("name", SIDES)
@pytest.mark.parametrize("by", [-PART, PART])
def test_levels_at_a_distance_are_that_far(name, by):
    matrix, level = reached(boundary_instances(name, distance=by))
    boundary = Level.of_ratio(1 + (level.ratio - 1) / (1 + by))
    low, high = sorted([(matrix, boundary), (matrix, level)], key=lambda one: one[1])
    other = (matrix, Level.of_ratio(1 + (boundary.ratio - 1) * (1 - by)))
    assert SIDES[name](*((low, high, other) if by < 0 else (other, low, high)))


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("by", [0, Fraction(1, 2**30), Fraction(1, 2**53)])
@pytest.mark.parametrize("dyadic", [False, True])
def test_matrices_at_a_distance_are_that_far(name, by, dyadic):
    instance = reached(boundary_instances(name, distance=by, dyadic=dyadic))
    assert SIZES[name](*instance) == Level.of(by)


@pytest.mark.parametrize("name", BOUNDARIES)
@FEW
@given(st.data())
def test_dyadic_instances_are_doubles(name, data):
    matrix, level = data.draw(boundary_instances(name, dyadic=True))
    assert all(map(is_double, values(matrix)))
    assert level.is_infinite or is_double(level.rational)


def test_the_double_nearest_to_a_boundary_and_its_neighbours():
    drawn = boundary_instances("overflow", dyadic=True)
    last = Level.of(Fraction(math.log(2**1024)))
    assert reached(boundary_instances("overflow", distance=0, dyadic=True))[1] == last
    for neighbour in (math.nextafter(math.log(2**1024), side) for side in (0, math.inf)):
        reached(drawn, lambda instance, neighbour=neighbour: instance[1] == Level.of(Fraction(neighbour)))


# Whole requests


@pytest.mark.parametrize("numbers", some(NUMBERS, 2))
@pytest.mark.parametrize("op", OPERATIONS)
@FEW
@given(st.data())
def test_requests_have_a_value(op, numbers, data):
    given_ = data.draw(requests(op, numbers))
    value = Session().answer(op, decode(json.dumps(given_)), 17, numbers)
    assert "normalised_rows" not in value
    assert len({len(given_[role]) for role in ("backward", "forward") if role in given_}) < 2


@pytest.mark.parametrize(("op", "name"), [(op, name) for op, names in INVALID_NAMES.items() for name in names])
@examples(3)
@given(st.data(), st.sampled_from(NUMBERS))
def test_invalid_requests_have_the_error_by_name(op, name, data, numbers):
    given_ = data.draw(invalid_requests(op, numbers, name))
    with pytest.raises(OracleError) as caught:
        Session().answer(op, decode(json.dumps(given_)), 17, numbers)
    assert caught.value.name == name


@pytest.mark.parametrize(
    "op", [pytest.param(op, marks=() if op in ("loss", "estimate") else pytest.mark.slow) for op in OPERATIONS]
)
def test_without_a_name_every_error_comes_up(op):
    """Each of them by its name comes up in `test_invalid_requests_have_the_error_by_name`."""
    session, missing = Session(), set(INVALID_NAMES[op])

    def is_the_last(given_):
        with pytest.raises(OracleError) as caught:
            session.answer(op, decode(json.dumps(given_)), 17, "float64")
        missing.discard(caught.value.name)
        return not missing

    reached(invalid_requests(op), is_the_last)


@pytest.mark.parametrize(
    ("op", "condition"),
    [
        ("loss", lambda given, value: value["exact"] == "inf" and given["alpha"] == "inf"),
        ("supremum", lambda given, value: value["exact"] == "inf" and given["epsilon"] != "inf"),
        ("supremum", lambda given, value: value["exact"] != "inf" and value["q"] != value["d"]),
        ("leakage", lambda given, value: not {"backward", "forward"} & given.keys()),
        ("leakage", lambda given, value: {"backward", "forward"} <= given.keys() and len(given["backward"]) == 3),
        ("leakage", lambda given, value: given.keys() == {"forward", "epsilons"} and len(given["epsilons"]) == 4),
        ("composition", lambda given, value: given["length"] == 1),
        ("allocate", lambda given, value: given["method"] == "upper-bound" and "horizon" not in given),
        ("allocate", lambda given, value: given["method"] == "quantified" and given["horizon"] == 1),
        ("allocate", lambda given, value: {"backward", "forward"} <= given.keys() and len(value["epsilons"]) == 5),
        ("control", lambda given, value: given["previous"] == "inf" and given["cap"] != "inf"),
        ("smooth", lambda given, value: "n" in given),
        ("reverse", lambda given, value: len(given["initial"]) == 4 and "0" in given["initial"]),
        ("estimate", lambda given, value: value["states"] == ["1", "2", "10"]),
    ],
)
def test_requests_of_all_sorts_come_up(op, condition):
    session, exact = Session(), {"0x0p+0": "0", "0x1p+0": "1"}

    def named(value):
        """The value with the numbers 0 and 1 as they are written exactly."""
        if isinstance(value, list):
            return list(map(named, value))
        return exact.get(value, value) if isinstance(value, str) else value

    def holds(given_):
        given_ = decode(json.dumps(given_))
        plain = {key: named(value) for key, value in given_.items()}
        return condition(plain, session.answer(op, given_, 17, "float64"))

    reached(requests(op, "float64"), holds)


# Shrinking


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_a_failing_request_shrinks_to_a_simple_one(seed):
    def fails(given_):
        epsilons = given_["epsilons"]
        return "backward" in given_ and len(epsilons) > 1 and len(set(map(tuple, given_["backward"]))) > 1

    given_ = smallest(requests("leakage"), fails, seed)
    assert given_.keys() == {"backward", "epsilons"}
    assert len(given_["backward"]) == len(given_["epsilons"]) == 2
    assert all(len(text) <= len("0x1p+0") for text in given_["epsilons"])


# Arguments


@pytest.mark.parametrize(
    "call",
    [
        lambda: matrices(0),
        lambda: matrices(3, 2),
        lambda: matrices(1, 65),
        lambda: matrices(1.0, 2),
        lambda: matrices(True, 2),
        lambda: matrices(kinds=[]),
        lambda: matrices(kinds=["square"]),
        lambda: matrices(kinds="varied"),
        lambda: row_pairs(2, 1),
        lambda: row_pairs(kinds=["zero"]),
        lambda: distributions(0, 3),
        lambda: levels(kinds=["tiny"]),
        lambda: levels(kinds=[]),
        lambda: levels(doubles=True, kinds=["surd"]),
        lambda: levels(doubles=True, kinds=["ratio"]),
        lambda: schedules(-1, 2),
        lambda: schedules(3, 2),
        lambda: schedules(1, 10**6),
        lambda: boundary_instances("edge"),
        lambda: boundary_instances("overflow", distance=0.5),
        lambda: boundary_instances("overflow", distance=True),
        lambda: boundary_instances("overflow", distance=-1),
        lambda: boundary_instances("zero level", distance=-PART),
        lambda: boundary_instances("zero level", distance=2),
        lambda: boundary_instances("identity", distance=-PART),
        lambda: boundary_instances("equal rows", distance=Fraction(1, 4)),
        lambda: boundary_instances("identity", distance=PART, dyadic=True),
        lambda: requests("lose"),
        lambda: requests("loss", "float32"),
        lambda: invalid_requests("lose"),
        lambda: invalid_requests("loss", "decimal"),
        lambda: invalid_requests("loss", "float64", "InfeasibleBudget"),
    ],
)
def test_arguments_are_checked_when_the_strategy_is_made(call):
    with pytest.raises(InvalidArgument):
        call()


# from_type


def run(code, **environment):
    """Run a program in a fresh interpreter, away from the repository, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
        cwd=Path(sys.executable).parent,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


LISTING = "import sys; print(*sorted(m for m in sys.modules if m.split('.')[0] in ('tploracle', 'flint', 'numpy')))"


def test_importing_hypothesis_imports_next_to_nothing_of_ours():
    assert run(f"import hypothesis; {LISTING}") == ["tploracle", "tploracle._hypothesis"]
    assert run(f"import tploracle._hypothesis; {LISTING}") == ["tploracle", "tploracle._hypothesis"]


FROM_TYPE = """
import hypothesis
from hypothesis import strategies as st
from tploracle.reference import Level, TransitionMatrix
drawn = hypothesis.find(st.from_type(TransitionMatrix), lambda matrix: matrix.n > 1)
level = hypothesis.find(st.from_type(Level), lambda level: level.is_infinite)
both = hypothesis.find(st.from_type(dict[str, Level] | list[TransitionMatrix]), lambda value: len(value) == 1)
print(type(drawn).__name__, drawn.n, level.exact_text, len(both))
"""


@pytest.mark.parametrize(
    ("first", "environment"),
    [
        ("", {}),
    ],
)
def test_from_type_knows_our_types_in_any_order_of_imports(first, environment):
    assert run(first + FROM_TYPE, **environment) == ["TransitionMatrix", "2", "inf", "1"]


def test_a_strategy_that_a_user_registered_stays():
    code = """
from hypothesis import find, strategies as st
from tploracle.reference import Level
st.register_type_strategy(Level, st.just(Level.of(7)))
import tploracle.strategies
print(find(st.from_type(Level), lambda _: True).exact_text)
"""
    assert run(code) == ["7"]


def test_a_hypothesis_without_that_table_is_no_worse_off(monkeypatch):
    from hypothesis.strategies._internal import types

    assert _hypothesis.setup()
    monkeypatch.delattr(types, "_global_extra_lookup")
    assert not _hypothesis.setup()


@pytest.mark.slow  # a whole process
def test_without_that_table_the_types_are_registered_with_the_strategies():
    code = """
from hypothesis.strategies._internal import types
table = types._global_extra_lookup
del types._global_extra_lookup
import tploracle.strategies
from tploracle.reference import Level, TransitionMatrix
types._global_extra_lookup = {}
from hypothesis import find, strategies as st
print(find(st.from_type(Level), lambda _: True).exact_text, find(st.from_type(TransitionMatrix), lambda _: True).n)
"""
    assert run(code) == ["0", "1"]


def test_other_types_are_left_alone():
    from tploracle.reference import Enclosure

    assert _hypothesis._strategy_of(Enclosure) is None
    assert _hypothesis._strategy_of(int) is None
    assert _hypothesis._strategy_of("text") is None
    assert _hypothesis._strategy_of(TransitionMatrix) is not None
