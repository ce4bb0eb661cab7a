"""What is said of an input: its sizes, its kinds, and how near it is to a boundary."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.conformance.explain import features as features_module
from tploracle.conformance.explain.features import (
    INVALID_INPUT,
    KINDS_OF_INPUT,
    MOST_COMPARED_STATES,
    boundary_distance,
    features_of,
)
from tploracle.conformance.model import Case
from tploracle.mistakes.question import MOST_READ_STATES
from tploracle.wire.protocol import FLOAT64, RATIONAL
from tploracle.wire.strict_json import Numeral

MODERATE = [["0.8", "0.2"], ["0", "1"]]
# (0.8, 0.2) is steepest up to E = 2.5, where (0.8 E + 1)/(0.2 E + 1) = 0.4 E + 1, and (0.4, 0) from there on.
TWO_PIECES = [["0.4", "0.4", "0.2"], ["0", "0.2", "0.8"], ["0.4", "0.4", "0.2"]]


def identity(n):
    return [[str(int(i == j)) for j in range(n)] for i in range(n)]


STILL = ("several closed classes", "symmetric", "doubly stochastic")


def asked(op="loss", numbers=RATIONAL, **given):
    return Case("a-case", op, numbers, given)


def kinds(**given):
    return features_of(asked(**given)).kinds


def test_sizes_and_levels():
    features = features_of(asked("leakage", backward=MODERATE, forward=TWO_PIECES, epsilons=["0.5", "log(2)", "1/8"]))
    assert (features.n, features.releases) == (3, 3)
    assert features.largest_level == pytest.approx(math.log(2), rel=1e-15)
    assert features.smallest_level == 0.125
    assert features_of(asked("control", matrix=MODERATE, previous="2", cap="inf")).largest_level == math.inf
    assert features_of(asked("allocate", backward=MODERATE, alpha="1", method="quantified", horizon=9)).releases == 9
    assert features_of(asked("smooth", n=4, s="1/2")).n == 4
    assert features_of(asked("estimate", sequences=[["a", "b", "a"], ["c"]])).n == 3


def test_doubles_are_read_as_such():
    features = features_of(asked(numbers=FLOAT64, matrix=[["0x1p-1", "0x1p-1"], ["0x0p+0", "0x1p+0"]], alpha="0x1p-2"))
    assert (features.n, features.largest_level, features.kinds) == (2, 0.25, ("zeros", "transient values"))


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ([["1/2", "1/2"], ["1/4", "3/4"]], ()),
        ([["1"]], ("1 × 1",)),
        (MODERATE, ("zeros", "transient values")),
        (
            [["0", "1"], ["1", "0"]],
            (
                "zeros",
                "permutation",
                "disjoint supports",
                "periodic",
                "zero diagonal",
                "symmetric",
                "doubly stochastic",
            ),
        ),
        (
            [["1/2", "1/2", "0"], ["0", "0", "1"], ["0", "1/3", "2/3"]],
            ("zeros", "disjoint supports", "transient values"),
        ),
        (
            [["0", "1/2", "1/2"], ["1/2", "0", "1/2"], ["1/2", "1/2", "0"]],
            ("zeros", "equal entries", "zero diagonal", "symmetric", "doubly stochastic"),
        ),
        ([["1/3", "2/3"], ["1/3", "2/3"]], ("all rows equal", "equal rows", "equal entries")),
        (TWO_PIECES, ("zeros", "equal rows", "equal entries")),
        ([["1/2", "1/2", "0"], ["1/2", "1/4", "1/4"], ["1/8", "3/8", "1/2"]], ("zeros", "equal entries")),
        ([["0.1", "0.9"], ["0.1000001", "0.8999999"]], ("near-equal rows",)),
        ([["0.1", "0.9"], ["0.100001", "0.899999"]], ()),
        ([["1e-16", "0.9999999999999999"], ["1/2", "1/2"]], ("tiny entries",)),
        ([["1e-15", "0.999999999999999"], ["1/2", "1/2"]], ()),
        ([["1/4", "1/2", "1/4"], ["1/8", "1/4", "5/8"], ["1/3", "1/7", "11/21"]], ("equal ratios",)),
        (
            [["1/4", "1/4", "1/2", "0"], ["1/4", "1/4", "1/3", "1/6"], ["1", "0", "0", "0"], ["0", "1", "0", "0"]],
            ("zeros", "disjoint supports", "equal entries"),
        ),
        (identity(20), ("20 states or more", "zeros", "permutation", "disjoint supports", *STILL)),
        (identity(19), ("zeros", "permutation", "disjoint supports", *STILL)),
        (identity(MOST_COMPARED_STATES + 1), ("20 states or more", "zeros", "permutation", *STILL)),
        (identity(MOST_READ_STATES + 1), ("20 states or more",)),
    ],
)
def test_kinds_of_matrices(matrix, expected):
    assert kinds(matrix=matrix, alpha="1") == expected


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        ("0", ("level 0",)),
        ("log(1)", ("level 0",)),
        ("9e-9", ("tiny level",)),
        ("1e-8", ("small level",)),
        ("0.01", ("small level",)),
        ("0.0101", ()),
        ("36", ()),
        ("36.01", ("large level",)),
        ("709", ("large level",)),
        ("710", ("level past exp",)),
        ("inf", ("infinite level",)),
    ],
)
def test_kinds_of_levels(alpha, expected):
    assert kinds(alpha=alpha) == expected
    assert kinds(epsilons=["1", alpha, "1"]) == expected


def test_kinds_of_schedules_and_adversaries():
    assert kinds(op="leakage", epsilons=["1"]) == ("one release", "no correlation")
    assert kinds(op="leakage", backward=MODERATE, epsilons=["1", "1"]) == (
        *("zeros", "two releases", "backward alone", "transient values"),
    )
    assert kinds(op="allocate", forward=MODERATE, alpha="1", method="quantified", horizon=3) == (
        "zeros",
        "forward alone",
        "transient values",
    )
    assert kinds(op="composition", backward=MODERATE, forward=MODERATE, epsilons=["1"] * 3) == (
        *("zeros", "both correlations", "transient values"),
    )
    assert "steps of their own" in kinds(op="leakage", backward={"cycle": [MODERATE]}, epsilons=["1"] * 3)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a", "b"], ()),
        (["a", "A"], ("names that differ in case",)),
        (["a", "a "], ("names that differ in blanks",)),
        (["é", "e\u0301"], ("names that differ in Unicode form",)),
        (["1", "01"], ("names of one number",)),
        (["z", "\uff5e", "\U0001f600"], ("names beyond U+FFFF",)),
    ],
)
def test_kinds_of_names(names, expected):
    assert kinds(sequences=[names * 2]) == expected
    assert "256 names or more in all" in kinds(sequences=[names * 128])


def test_every_kind_has_a_meaning():
    assert all(KINDS_OF_INPUT.values())


@pytest.mark.parametrize(
    "given_input",
    [
        {"matrix": [["1/2", "1/3"], ["0", "1"]], "alpha": "1"},
        {"matrix": [["1/2", "1/2"]], "alpha": "1"},
        {"matrix": [], "alpha": "1"},
        {"matrix": None, "alpha": "1"},
        {"matrix": [[Numeral("0.5"), "1/2"], ["0", "1"]], "alpha": "1"},
        {"matrix": MODERATE, "alpha": "-1"},
        {"matrix": MODERATE, "alpha": "1e10"},
        {"matrix": MODERATE, "alpha": {"level": 1}},
        {"epsilons": "1, 2"},
        {"epsilons": ["1", "x"]},
        {"n": 2, "s": "a"},
        {"forward": MODERATE, "initial": "1/2"},
    ],
)
def test_invalid_inputs_are_a_kind_and_no_error(given_input):
    features = features_of(Case("a-case", "loss", RATIONAL, given_input))
    assert INVALID_INPUT in features.kinds
    assert boundary_distance(Case("a-case", "loss", RATIONAL, {**given_input, "alpha": "x"})) is None


def test_cases_are_told_apart_when_few_are_remembered(monkeypatch):
    monkeypatch.setattr(features_module, "_MOST_KNOWN", 2)
    assert [features_of(asked(n=n)).n for n in range(1, 9)] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_what_cannot_be_read_is_none():
    features = features_of(asked(matrix=[["2"]], alpha="-1", horizon=True, n=10**12))
    assert (features.n, features.largest_level, features.smallest_level, features.releases) == (None,) * 4


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["1", "0x1p-1", "inf", "1/2"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=12,
)
_KEYS = st.sampled_from(
    ["matrix", "backward", "forward", "alpha", "epsilon", "epsilons", "horizon", "n", "s", "initial", "sequences", "x"]
)


@given(
    st.sampled_from(["loss", "supremum", "allocate", "estimate", ""]), st.dictionaries(_KEYS, _VALUES), st.booleans()
)
def test_no_input_is_an_error(op, given_input, float64):
    case = Case("a-case", op, FLOAT64 if float64 else RATIONAL, given_input)
    features = features_of(case)
    assert set(features.kinds) <= set(KINDS_OF_INPUT)
    assert features_of(case) is features
    where = boundary_distance(case)
    assert where is None or 0 <= where <= 1


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [("log(7/2)", 0.0), ("log(6)", 0.5), ("log(9/4)", 0.5), ("0", 1.0), ("inf", None), ("1000000", 1.0)],
)
def test_distance_of_a_loss_to_the_breakpoint(alpha, expected):
    assert boundary_distance(asked(matrix=TWO_PIECES, alpha=alpha)) == expected


def test_distance_is_worked_out_beyond_doubles():
    # log(7/2) = 1.252762968495367995688120621985003161…, cut off after 30 places: E is off by 3.5 · 3.1616e-33.
    near = boundary_distance(asked(matrix=TWO_PIECES, alpha="1.252762968495367995688120621985"))
    assert near == pytest.approx(3.5 * 3.1616e-33 / 2.5, rel=1e-3, abs=0)


def test_a_loss_of_one_piece_has_no_boundary():
    assert boundary_distance(asked(matrix=MODERATE, alpha="1")) is None


@pytest.mark.parametrize(
    ("matrix", "epsilon", "expected"),
    [
        (MODERATE, "log(5/4)", 0.0),  # 0.8 e^ε = 1
        (MODERATE, "log(3/2)", 0.5),
        (TWO_PIECES, "log(5/2)", 0.0),  # 0.4 e^ε = 1
        (TWO_PIECES, "log(7/4)", 0.0),  # 3.5 / e^{L} = 3.5 · 1.5 / 3 at the breakpoint
        (TWO_PIECES, "log(2)", 0.25),
        ([["1/2", "1/2"], ["1/2", "1/2"]], "1", None),
    ],
)
def test_distance_of_a_supremum(matrix, epsilon, expected):
    assert boundary_distance(asked("supremum", matrix=matrix, epsilon=epsilon)) == expected


def test_distance_of_an_allocation_to_the_identity():
    assert boundary_distance(asked("allocate", backward=MODERATE, alpha="1")) == pytest.approx(0.2, rel=1e-15)
    assert boundary_distance(asked("allocate", backward=MODERATE, forward=identity(2), alpha="1")) == 0
    assert boundary_distance(asked("allocate", forward=TWO_PIECES, alpha="1")) == pytest.approx(0.4, rel=1e-15)
    assert boundary_distance(asked("allocate", backward=[["1"]], alpha="1")) == 1
    assert boundary_distance(asked("allocate", alpha="1")) is None


def test_other_operations_and_large_matrices_have_no_distance():
    assert boundary_distance(asked("control", matrix=TWO_PIECES, previous="1", cap="2")) is None
    assert boundary_distance(asked(matrix=identity(MOST_COMPARED_STATES + 1), alpha="1")) is None
