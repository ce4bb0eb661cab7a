import sys
from contextlib import chdir
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations
from math import nextafter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.reference import INFINITE, InvalidRequest, Level, TransitionMatrix, parse_level
from tploracle.reference.paper.algorithm_1 import optimum
from tploracle.reference.paper.lfp import subset
from tploracle.reference.surds import surd
from tploracle.solvers.linear_programs import cbc as pulp_cbc
from tploracle.solvers.linear_programs import highs
from tploracle.solvers.linear_programs import z3 as z3_exact
from tploracle.solvers.linear_programs.active_set import active_indices, is_certified, read_off
from tploracle.solvers.linear_programs.charnes_cooper import (
    PairwiseBounds,
    RatioBound,
    compact,
    literal,
    pairwise,
    ratio_bound,
)
from tploracle.solvers.linear_programs.outcomes import SolverOutcome, Status, checked

from ...profiles import examples
from ...strategies import exact_levels, excesses, rational_alphas, rows

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
Q, D = (Fraction(4, 5), Fraction(1, 5), Fraction(0)), (THIRD, THIRD, THIRD)
TWO = RatioBound(Fraction(2))


def two_rows(q, d):
    """A matrix whose first two rows are these (n ≥ 2)."""
    return TransitionMatrix((q, d, *[q] * (len(q) - 2)))


@st.composite
def pairs_of_rows(draw, max_n=4):
    n = draw(st.integers(2, max_n))
    q = draw(rows(n))
    return q, draw(st.one_of(rows(n), st.just(q)))


def exact_optimum(program):
    outcome = z3_exact.solve(program)
    assert outcome.status in (Status.OPTIMAL, Status.UNBOUNDED), outcome
    return None if outcome.status is Status.UNBOUNDED else outcome.objective


def of_level(level):
    return None if level.is_infinite else level.ratio


# The forms as data


def test_literal_is_the_papers_program_for_two_states():
    program = literal((HALF, HALF), (Fraction(1), Fraction(0)), TWO)
    one = Fraction(1)
    assert program.variables == ("y1", "y2", "s")
    assert program.objective == ((0, HALF), (1, HALF))
    assert program.normalisation == ((0, one),)
    assert program.rows == (
        ((0, one), (1, -2 * one)),
        ((1, one), (0, -2 * one)),
        ((0, one), (2, -one)),
        ((1, one), (2, -one)),
    )


def test_no_upper_bounds_at_infinity():
    bound = ratio_bound(INFINITE)
    assert bound == RatioBound(None)
    assert len(literal(Q, D, bound).rows) == 3
    assert len(compact(Q, D, bound).rows) == 3


# The ratio


@given(rational_alphas().filter(lambda alpha: alpha < 700))
@example(Fraction(40))
@example(Fraction(1, 10**300))
def test_transcendental_ratio_is_the_nearest_double(alpha):
    bound = ratio_bound(Level.of(alpha))
    assert not bound.exact
    with mp.workdps(60):
        assert float(bound.value) == float(mp.exp(mp.mpf(alpha.numerator) / alpha.denominator))


@pytest.mark.parametrize("side", [-1, 1])
def test_a_ratio_next_to_the_middle_of_two_doubles(side):
    """40 digits do not tell which double is nearest: more are taken."""
    below, above = Fraction(1.5), Fraction(nextafter(1.5, 2))
    ratio = surd((below + above) / 2, Fraction(side, 10**90), 2)
    assert ratio_bound(Level.of_ratio(ratio)) == RatioBound(above if side > 0 else below, exact=False)


@pytest.mark.parametrize("alpha", ["709.9", "710", "1e9"])
def test_ratio_above_every_double(alpha):
    with pytest.raises(InvalidRequest, match="exceeds every double"):
        ratio_bound(parse_level(alpha))


def test_the_exact_solver_does_not_take_a_nearest_double():
    outcome = z3_exact.solve(compact(Q, D, ratio_bound(Level.of(1))))
    assert outcome.status is Status.OUT_OF_RANGE


# One optimum in all forms


@given(pairs_of_rows(), exact_levels())
@example((Q, D), Level.of_ratio(Fraction(2)))
@example(((HALF, HALF), (HALF, HALF)), INFINITE)
@example(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))), INFINITE)
def test_literal_compact_and_uniform_pairwise_have_the_optimum_of_algorithm_1(pair, alpha):
    q, d = pair
    bound = ratio_bound(alpha)
    uniform = PairwiseBounds(((bound.value,) * len(q),) * len(q))
    expected = of_level(optimum(two_rows(q, d), 0, 1, alpha).value(alpha))
    assert exact_optimum(literal(q, d, bound)) == expected
    assert exact_optimum(compact(q, d, bound)) == expected
    assert exact_optimum(pairwise(q, d, uniform)) == expected


def by_extreme_rays(q, d, bounds):
    """The greatest q·x / d·x over the extreme rays of the cone, None if unbounded: brute force for n ≤ 3."""
    n = len(q)
    unit = [[Fraction(int(a == b)) for b in range(n)] for a in range(n)]
    constraints = [[-entry for entry in row] for row in unit]
    for a, b in permutations(range(n), 2):
        if bounds[a][b] is not None:
            constraints.append([x - bounds[a][b] * y for x, y in zip(unit[a], unit[b], strict=True)])
    best = Fraction(0)
    for tight in combinations(constraints, n - 1):
        if n == 2:
            (a,) = tight
            ray = [-a[1], a[0]]
        else:
            a, b = tight
            ray = [a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)]
        for x in (ray, [-entry for entry in ray]):
            if not any(x) or any(sum(c * y for c, y in zip(row, x, strict=True)) > 0 for row in constraints):
                continue
            above = sum(c * y for c, y in zip(q, x, strict=True))
            below = sum(c * y for c, y in zip(d, x, strict=True))
            if below:
                best = max(best, above / below)
            elif above:
                return None
    return best


@st.composite
def pairwise_cases(draw):
    n = draw(st.integers(2, 3))
    entry = st.one_of(st.none(), st.fractions(Fraction(1, 4), 6, max_denominator=6))
    return draw(rows(n)), draw(rows(n)), tuple(tuple(draw(entry) for _ in range(n)) for _ in range(n))


@given(pairwise_cases())
@examples(100)
def test_pairwise_is_the_greatest_over_the_extreme_rays(case):
    q, d, raw = case
    try:
        bounds = PairwiseBounds(raw)
    except InvalidRequest:
        return
    assert exact_optimum(pairwise(q, d, bounds)) == by_extreme_rays(q, d, raw)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (((None, HALF), (HALF, None)), "contradict"),
        (((HALF, None), (None, None)), "contradict"),
        (((None, Fraction(0)), (None, None)), "positive"),
        (((None, Fraction(-1)), (None, None)), "positive"),
        (((None, None),), "square"),
        (((None, HALF, None), (None, None, HALF), (Fraction(3), None, None)), "contradict"),
    ],
)
def test_pairwise_bounds_that_no_positive_x_meets(raw, why):
    with pytest.raises(InvalidRequest, match=why):
        PairwiseBounds(raw)


def test_pairwise_bounds_of_another_size():
    with pytest.raises(InvalidRequest, match="2 states"):
        pairwise(Q, D, PairwiseBounds(((None, None), (None, None))))


# Certification


@given(pairs_of_rows(), excesses(), st.data())
def test_a_set_is_certified_if_and_only_if_no_set_is_better(pair, excess, data):
    matrix, alpha = two_rows(*pair), Level.of_ratio(1 + excess)
    n = matrix.n
    indices = data.draw(st.sets(st.integers(0, n - 1)))
    solution = tuple(Fraction(1 + excess if j in indices else 1) for j in range(n))
    scale = sum(d * y for d, y in zip(pair[1], solution, strict=True))
    solution = (*(y / scale for y in solution), 1 / scale)
    program = compact(*pair, ratio_bound(alpha))
    value = sum(q * y for q, y in zip(pair[0], solution, strict=False))
    outcome = checked(program, SolverOutcome(Status.OPTIMAL, value, solution))
    assert outcome.status is Status.OPTIMAL, outcome
    active = read_off(matrix, (0, 1), alpha, program, outcome)
    best = max(
        sum(pair[0][j] * (1 + excess if j in other else 1) for j in range(n))
        / sum(pair[1][j] * (1 + excess if j in other else 1) for j in range(n))
        for size in range(n + 1)
        for other in combinations(range(n), size)
    )
    assert active.certified == (active.chosen.value(alpha) == Level.of_ratio(best))
    assert active.chosen.value(alpha) == Level.of_ratio(max(value, Fraction(1)))


def test_ties_may_be_on_either_side():
    alpha = Level.of_ratio(Fraction(2))
    ratio = Fraction(6, 5)  # (1/2 + 1)/(1/4 + 1), the ratio of the second column too
    matrix = two_rows((HALF, Fraction(3, 10), Fraction(1, 5)), (Fraction(1, 4), Fraction(1, 4), HALF))
    for indices in ((0,), (0, 1)):
        chosen = subset(matrix, 0, 1, indices)
        assert chosen.value(alpha) == Level.of_ratio(ratio)
        assert is_certified(matrix, chosen, alpha)


def test_ties_at_infinity_may_be_on_either_side():
    matrix = two_rows((HALF, Fraction(1, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(1, 8), Fraction(5, 8)))
    for indices, certified in (((0,), True), ((1,), True), ((0, 1), True), ((0, 2), False), ((), False)):
        chosen = subset(matrix, 0, 1, indices)
        assert is_certified(matrix, chosen, INFINITE) is certified


def test_active_set_of_the_literal_form_needs_no_t():
    program = literal(Q, D, TWO)
    assert active_indices(program, (1.5, 0.75, 0.75, 99.0), Fraction(2)) == (0,)
    assert active_indices(program, (1.0, 1.0, 0.5, 99.0), Fraction(2)) == (0, 1)


# The solvers


@pytest.fixture(scope="module", autouse=True)
def folder_of_cbc(tmp_path_factory):
    """PuLP splits the names of CBC's files at blanks: they are relative, as in the solvers' own process."""
    with chdir(tmp_path_factory.mktemp("cbc")):
        yield


by_cbc = partial(pulp_cbc.solve, directory=".")
SOLVERS = {"cbc": by_cbc, "highs": highs.solve, "z3": z3_exact.solve}


@pytest.mark.parametrize("form", [literal, compact])
@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_each_solver_says_unbounded(solver, form):
    assert solver(form(D, Q, RatioBound(None))).status is Status.UNBOUNDED


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_each_solver_says_infeasible(solver):
    program = compact(Q, D, TWO)
    impossible = replace(program, rows=(*program.rows, ((0, Fraction(1)),), ((1, Fraction(1)),), ((2, Fraction(1)),)))
    assert solver(impossible).status is Status.INFEASIBLE


@pytest.mark.parametrize(("solver", "package"), [("cbc", "pulp"), ("highs", "highspy"), ("z3", "z3")])
def test_a_package_that_is_missing_is_named(monkeypatch, solver, package):
    monkeypatch.setitem(sys.modules, package, None)
    outcome = SOLVERS[solver](compact(Q, D, TWO))
    assert outcome.status is Status.NOT_INSTALLED
    assert package in outcome.message


def test_cbc_that_fails_leaves_no_files(monkeypatch, tmp_path):
    import pulp

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pulp.PULP_CBC_CMD, "pulp_cbc_path", "/bin/false")
    assert pulp_cbc.solve(compact(Q, D, TWO)).status is Status.FAILED
    assert not [*tmp_path.iterdir()]


def test_cbc_that_is_no_program(monkeypatch, tmp_path):
    import pulp

    for content in ("#!/bin/sh\nexit 3\n", "#!/bin/sh\nexit 0\n", "#!/bin/sh\nkill -SEGV $$\n"):
        script = tmp_path / "cbc"
        script.write_text(content)
        script.chmod(0o755)
        monkeypatch.setattr(pulp.PULP_CBC_CMD, "pulp_cbc_path", str(script))
        assert by_cbc(compact(Q, D, TWO)).status is Status.FAILED
    monkeypatch.setattr(pulp.PULP_CBC_CMD, "pulp_cbc_path", str(tmp_path / "missing"))
    assert by_cbc(compact(Q, D, TWO)).status is Status.FAILED


@pytest.mark.parametrize("solver", [by_cbc, highs.solve], ids=["cbc", "highs"])
@pytest.mark.parametrize("ratio", [Fraction(10) ** 400, 1 + Fraction(1, 10**400)])
def test_what_is_no_double(solver, ratio):
    program = compact((1 - Fraction(1, 10**400), Fraction(1, 10**400)), (HALF, HALF), RatioBound(ratio))
    assert solver(program).status is Status.OUT_OF_RANGE


def test_highs_drops_small_coefficients_and_says_so():
    tiny = Fraction(1, 10**10)
    assert highs.solve(compact((HALF, HALF), (1 - tiny, tiny), TWO)).status is Status.OUT_OF_RANGE


def test_highs_without_its_return_codes_solves_another_program(monkeypatch):
    monkeypatch.setattr(highs, "_ok", lambda *_: None)
    with pytest.raises(highs._Refused, match="lost"):
        highs._build(__import__("highspy"), __import__("highspy").Highs(), compact(Q, D, RatioBound(Fraction(10**16))))


# What is checked of a solver's word


GOOD = z3_exact.solve(compact(Q, D, TWO))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"objective": GOOD.objective + Fraction(1, 10**9)}, "gives"),
        ({"objective": float("nan")}, "finite"),
        ({"objective": None}, "no number"),
        ({"objective": 1}, "no number"),
        ({"solution": None}, "value for each"),
        ({"solution": GOOD.solution[:-1]}, "value for each"),
        ({"solution": (*GOOD.solution[:-1], float("inf"))}, "finite"),
        ({"solution": (GOOD.solution[0], -GOOD.solution[1], *GOOD.solution[2:])}, "negative"),
        ({"solution": tuple(2 * value for value in GOOD.solution)}, "d·y"),
        ({"solution": (*GOOD.solution[:-1], GOOD.solution[-1] / 2)}, "violated"),
        ({"solution": (*GOOD.solution[:-1], GOOD.solution[-1] * (1 + Fraction(1, 10**9)))}, "violated"),
    ],
)
def test_nonsense_is_named(change, why):
    outcome = checked(compact(Q, D, TWO), replace(GOOD, **change))
    assert outcome.status is Status.NONSENSE
    assert why in outcome.message


@pytest.mark.parametrize("said", [None, 1.0, "optimal", SolverOutcome("optimal")])
def test_what_is_no_outcome(said):
    assert checked(compact(Q, D, TWO), said).status is Status.NONSENSE
