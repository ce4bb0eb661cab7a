"""Windows of releases by the leakage at their ends, against the programme over pairs and the definitions."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import (
    InvalidRequest,
    TransitionMatrix,
    parse_level,
    worst_case_composition,
    worst_case_leakage,
)
from tploracle.solvers.worst_case.windows import every_step_is_possible, fast_worst_case_composition

from ...matrices import NEVER_TWICE, ONE_STATE, THREE_VALUES
from ...profiles import examples
from ...strategies import matrices

CYCLE = TransitionMatrix.of([["0", "1", "0"], ["0", "1/2", "1/2"], ["1/3", "1/3", "1/3"]])


@given(
    matrices(2, 3),
    st.booleans(),
    st.booleans(),
    st.lists(st.sampled_from(["log(3/2)", "0", "log(5/4)"]), min_size=4, max_size=4),
)
@example(NEVER_TWICE, True, True, ["log(2)"] * 4)
@example(THREE_VALUES, True, True, ["log(2)"] * 4)
@example(THREE_VALUES, False, True, ["log(2)", "0", "log(2)", "log(3)"])
@example(CYCLE, True, False, ["log(2)"] * 4)
@example(ONE_STATE, True, True, ["log(2)"] * 4)
@examples(20)
def test_every_window_against_the_programme(matrix, back, onward, texts):
    epsilons = [parse_level(text) for text in texts]
    known = {"backward": matrix if back else None, "forward": matrix if onward else None}
    own = worst_case_leakage(epsilons, **known)
    for start in range(1, 5):
        for length in range(1, 6 - start):
            found = fast_worst_case_composition(own, epsilons, start, length, **known)
            expected = worst_case_composition(epsilons, start, length, **known)
            assert (found.is_zero, found.ratio) == (expected.is_zero, expected.ratio)


def test_which_steps_are_possible():
    assert every_step_is_possible(None, None)
    assert every_step_is_possible(THREE_VALUES, None)
    assert not every_step_is_possible(None, CYCLE)
    assert every_step_is_possible(THREE_VALUES, CYCLE)
    turned = TransitionMatrix.of([["0", "1/2", "1/2"], ["1", "0", "0"], ["1/2", "1/2", "0"]])
    assert not every_step_is_possible(turned, CYCLE)


def test_a_window_that_is_none():
    own = worst_case_leakage([parse_level("1")] * 2, THREE_VALUES)
    with pytest.raises(InvalidRequest, match="not a window"):
        fast_worst_case_composition(own, [parse_level("1")] * 2, 2, 2, backward=THREE_VALUES)
