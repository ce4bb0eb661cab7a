"""Linear programs over all joint mechanisms against the sweep, which knows nothing of them: theorem (joint)."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tploracle.reference import (
    INFINITE,
    ZERO,
    InvalidRequest,
    Level,
    TransitionMatrix,
    worst_case_composition,
    worst_case_leakage,
)
from tploracle.solvers.linear_programs.charnes_cooper import LinearProgram
from tploracle.solvers.linear_programs.highs import VertexBasis, optimal_basis
from tploracle.solvers.linear_programs.joint import (
    exact_optimum,
    joint_composition,
    joint_leakage,
    joint_program,
)

from ...matrices import CYCLE, DIVERGES, NEVER_TWICE, SKEWED, STRONGEST, SYMMETRIC, UNCORRELATED
from ...profiles import examples
from ...strategies import log, matrices

pytest.importorskip("highspy")

KINDS = ["ties", "sparse", "permutation", "smoothed"]
LEAST = Fraction(1, 10**6)
"""Entries that HiGHS surely sees: those below 1e-9 it leaves out, and its basis is then refused."""

LEVELS = st.sampled_from([log("11/10"), log("3/2"), log(2), log(5), ZERO, INFINITE])


@st.composite
def streams(draw, most=((2, 4), (3, 3))):
    """A matrix of its own for each step, both ways, with zeros; budgets of their own, 0 and ∞; a time; its values."""
    n, releases = draw(st.sampled_from([(n, t) for n, longest in most for t in range(2, longest + 1)]))
    seen = matrices(n, n, kinds=KINDS).filter(lambda own: all(not p or p > LEAST for row in own.rows for p in row))
    steps = st.lists(seen, min_size=releases - 1, max_size=releases - 1)
    budgets = draw(st.lists(LEVELS, min_size=releases, max_size=releases))
    possible = draw(st.sets(st.integers(0, n - 1), min_size=2))
    return draw(steps), draw(steps), budgets, draw(st.integers(1, releases)), sorted(possible)


def compared(backward, forward, budgets, time, values):
    """Return what the programs give, after holding it against the sweep."""
    found = joint_leakage(budgets, time, [own.rows for own in backward], [own.rows for own in forward], values)
    possible = [range(backward[0].n)] * len(budgets)
    possible[time - 1] = values
    swept = worst_case_leakage(budgets, backward, forward, possible).tpl[time - 1]
    assert found.is_infinite == swept.is_infinite
    assert found.is_infinite or found.ratio == swept.ratio
    return found


@given(streams())
@example(([SYMMETRIC] * 3, [SKEWED] * 3, [log(2)] * 4, 2, [0, 1]))
@example(([STRONGEST] * 2, [STRONGEST] * 2, [log(2), ZERO, INFINITE], 1, [0, 1]))
@example(([DIVERGES] * 2, [CYCLE] * 2, [log("3/2")] * 3, 3, [0, 2]))
@examples(12)
def test_against_the_sweep(stream):
    compared(*stream)


def windows_compared(backward, forward, budgets, start, length):
    """Return what the programs give for windows, after holding it against the programme over pairs.

    Of what is beyond the releases, the last step and the last release are taken.
    """
    start = min(start, len(budgets) - 1)
    length = min(length, len(budgets) + 1 - start)
    back, onward = ([own.rows for own in side] for side in (backward, forward))
    steps = range(start - 1, start + length - 2)
    windows = [
        window
        for window in product(range(backward[0].n), repeat=length)
        if all(back[s][b][a] or onward[s][a][b] for s, (a, b) in zip(steps, pairwise(window), strict=True))
    ]
    found = joint_composition(budgets, start, back, onward, windows)
    swept = worst_case_composition(budgets, start, length, backward, forward)
    assert found.is_infinite == swept.is_infinite
    assert found.is_infinite or found.ratio == swept.ratio
    return found


@given(streams(((2, 4),)), st.integers(1, 3), st.integers(2, 3))
@example(([NEVER_TWICE] * 3, [NEVER_TWICE] * 3, [log(2)] * 4, 2, None), 2, 2)
@examples(10)
def test_windows_against_the_programme_over_pairs(stream, start, length):
    windows_compared(*stream[:3], start, length)


def test_a_window_by_hand():
    """The two in the middle of four releases: where a step is impossible 8, and not the product of the worst parts, 9.

    About a chain that stays where it is all four releases count, about draws without memory the window's two alone.
    """
    assert windows_compared([NEVER_TWICE] * 3, [NEVER_TWICE] * 3, [log(2)] * 4, 2, 2).ratio == 8
    fair = UNCORRELATED
    budgets = [log(2), log(3), log(5), log(7)]
    assert windows_compared([STRONGEST] * 3, [STRONGEST] * 3, budgets, 2, 2).ratio == 210
    assert windows_compared([fair] * 3, [fair] * 3, budgets, 2, 2).ratio == 15


def test_by_hand():
    """Two releases about the identity chain: 2·3. About draws without memory: the second adds nothing. With ∞: ∞."""
    fair = UNCORRELATED
    for matrix, ratio in ((STRONGEST, 6), (fair, 2)):
        assert compared([matrix], [matrix], [log(2), log(3)], 1, [0, 1]).ratio == ratio
    assert compared([STRONGEST], [STRONGEST], [INFINITE, log(3)], 2, [0, 1]).is_infinite


def test_only_a_basis_that_is_optimal_is_believed():
    program = joint_program([Fraction(2)] * 2, 1, ((0,), (1,)), [SYMMETRIC.rows], [SYMMETRIC.rows])
    basis = optimal_basis(program)
    assert exact_optimum(program, basis) == -1 / worst_case_leakage([log(2)] * 2, SYMMETRIC, SYMMETRIC).tpl[0].ratio
    moved = [
        VertexBasis((row, *basis.rows[1:]), basis.columns) for row in range(len(program.rows)) if row not in basis.rows
    ]
    assert all(exact_optimum(program, other) is None for other in moved)
    assert exact_optimum(program, VertexBasis(basis.rows[:-1], basis.columns)) is None
    assert exact_optimum(program, VertexBasis((0, 0, 0), ())) is None
    # 2x + 3y with x + y = 1, x + 2y = 0: its multipliers are 1 and 1, and y = −1.
    one, two, three = (Fraction(number) for number in (1, 2, 3))
    sums = ((0, one), (1, one))
    below = LinearProgram("by hand", 2, ("x", "y"), ((0, two), (1, three)), sums, (((0, one), (1, two)),), None)
    assert exact_optimum(below, VertexBasis((0,), ())) is None


def test_what_is_too_large_or_irrational_or_too_small_for_doubles():
    tiny = TransitionMatrix.of([[1 - Fraction(1, 10**12), Fraction(1, 10**12)]] * 2)
    with pytest.raises(InvalidRequest, match="no basis"):
        joint_leakage([log(2)] * 2, 1, [SYMMETRIC.rows], [tiny.rows], [0, 1])
    with pytest.raises(InvalidRequest, match="at most 512 variables, not 3"):
        joint_program([Fraction(2)] * 6, 1, ((0,), (1,)), [DIVERGES.rows] * 5, [DIVERGES.rows] * 5)
    with pytest.raises(InvalidRequest, match="not rational"):
        joint_leakage([log(2), Level.of(Fraction(1, 2))], 1, [SYMMETRIC.rows], [SYMMETRIC.rows], [0, 1])
