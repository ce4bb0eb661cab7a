"""`examples/implementations/directed.py` keeps its promises: it conforms, its bounds hold, it refuses by name."""

from fractions import Fraction
from math import exp, expm1, fsum, inf, log, log1p, nextafter

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import directed_loss
import directed_numbers as numbers
from directed import Directed
from tploracle.conformance.ask.cases import load_vectors
from tploracle.conformance.ask.seeded import seeded_cases
from tploracle.conformance.model import Case
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import TransitionMatrix
from tploracle.strategies import matrices, requests

from .questions import GOOD, NEGATIVE_START, conforms, judged


def cascade(least, states):
    """A row of doubles that holds 2^−least and sums to exactly 1: what is left is cut into doubles of 53 bits."""
    rest, row = 1 - Fraction(1, 2**least), [Fraction(1, 2**least)]
    while rest:
        unit = Fraction(1, 2 ** (53 * len(row)))
        row.append(rest // unit * unit or rest)
        rest -= row[-1]
    return [*map(str, row), *["0"] * (states - len(row))]


SURE = ["1", *["0"] * 22]
LEAST = [cascade(1074, 23), cascade(1060, 23), cascade(100, 23), *[SURE] * 20]
"""Entries down to the least double, beside none and beside certainty."""


OWN = [op for op in OPERATIONS if hasattr(Directed, op)]


def test_it_refuses_what_no_vector_holds():
    conforms(Directed(), NEGATIVE_START)


@pytest.mark.parametrize("op", OWN)
@given(data=st.data())
def test_it_conforms(op, data):
    found = judged(Directed(), Case(op, op, "float64", data.draw(requests(op))))
    assert found.verdict in GOOD, found
    if op in ("loss", "leakage"):
        assert found.ulps is None or found.ulps <= 512


@pytest.mark.slow
def test_it_conforms_on_vectors_and_seeded_cases():
    vectors = [case for case in load_vectors() if case.numbers == "float64"]
    assert {case.op for case in vectors} > set(OWN)
    asked = (*vectors, *seeded_cases(7, 250, ("float64",)))
    conforms(Directed(), *(one for one in asked if one.op in OWN or one.op not in OPERATIONS))


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_differences_of_rows_that_miss_one_are_rounded_upwards(base, random):
    rows = [[x * random.choice([1, 1 + 2.0**-52, 1 - 2.0**-53]) / fsum(base) for x in base] for _ in base]
    ((_, gaps),) = directed_loss.Matrix(rows)._blocks()
    exact = [[Fraction(x) / sum(map(Fraction, row)) for x in row] for row in rows]
    for d, q, j in np.ndindex(gaps.shape):
        gap = max(exact[q][j] - exact[d][j], Fraction(0)) * 2**512
        assert gap <= Fraction(gaps[d, q, j]) <= gap * (1 + Fraction(1, 2**38))


@example(TransitionMatrix.of([["1/2", "1/2"], ["7/16", "9/16"]]), (0, 1, 0))
@given(matrices(2, 4, dyadic=True), st.one_of(st.floats(0, 100), st.tuples(*[st.integers(0, 3)] * 3)))
def test_what_is_checked_is_rounded_upwards(matrix, mu):
    rows = [[float(entry) for entry in row] for row in matrix.rows]
    if isinstance(mu, tuple):  # where a difference all but cancels
        q, d = (rows[mu[i] % matrix.n][mu[2] % matrix.n] for i in (0, 1))
        mu = (q - d) / d if q > d > 2.0**-1000 else 1.0
    exact = max(
        sum(max(q - d - Fraction(mu) * d, Fraction(0)) for q, d in zip(q_row, d_row, strict=True))
        for q_row in matrix.rows
        for d_row in matrix.rows
    )
    bound, (gap, d) = directed_loss.Matrix(rows)._steepest(mu, 0)
    assert Fraction(bound) >= exact * 2**512
    assert gap >= d * mu


def test_large_matrices_go_through_in_blocks(monkeypatch):
    counts = np.random.default_rng(1).integers(1, 2**20, (12, 12))
    counts[:, -1] = 2**24 - counts[:, :-1].sum(axis=1)

    def found():
        matrix = directed_loss.Matrix(counts / 2**24)
        return [*map(matrix.loss, (1e-20, 0.1, 3.0, inf)), matrix.supremum(0.1)]

    whole = found()
    monkeypatch.setattr(directed_loss, "KEPT", 5 * 12**2)
    assert found() == whole


def test_it_refuses_what_the_adapter_keeps_from_it():
    for error, rows in (
        (numbers.NotSquare, [[1.0], [0.5, 0.5]]),
        (numbers.NotSquare, []),
        (numbers.InvalidNumber, [[float("nan"), 1.0], [0.0, 1.0]]),
        (numbers.InvalidNumber, [[inf, 1.0], [0.0, 1.0]]),
    ):
        with pytest.raises(error):
            Directed().loss(rows, 1.0)
    with pytest.raises(numbers.InvalidNumber):
        Directed().loss([[1.0]], float("nan"))


FUNCTIONS = {"exp": exp, "expm1": expm1, "log": log, "log1p": log1p}


@pytest.mark.parametrize("name", FUNCTIONS)
@given(x=st.floats(2.0**-70, 700))
def test_the_functions_are_as_close_as_the_bounds_assume(name, x):
    with mpmath.workdps(60):
        true = getattr(mpmath, name)(mpmath.mpf(x))
        assert abs(mpmath.mpf(FUNCTIONS[name](x)) - true) <= 8 * numbers.U * abs(true)


@given(st.floats(2.0**-80, numbers.FAR))
@example(numbers.TINY)
@example(numbers.LARGE)
@example(nextafter(numbers.LARGE, inf))
@example(numbers.FAR)
@example(1e-300)
def test_excesses_and_levels_are_on_their_sides(alpha):
    with mpmath.workdps(1400 if alpha > 1 else 400):
        true = mpmath.expm1(mpmath.mpf(alpha))
        below, above = numbers.excess(alpha, -1), numbers.excess(alpha, 1)
        assert mpmath.ldexp(*below) <= true <= mpmath.ldexp(*above)
        assert mpmath.ldexp(*above) - mpmath.ldexp(*below) <= 320 * numbers.U * true
        lower, upper = numbers.level(*below, -1), numbers.level(*above, 1)
        assert upper >= mpmath.log1p(mpmath.ldexp(*above)) * (1 + 5 * numbers.U)
        assert lower <= mpmath.log1p(mpmath.ldexp(*below)) * (1 - 5 * numbers.U)
        assert upper <= lower * (1 + 400 * numbers.U)


def test_a_level_that_is_not_zero_is_not_rounded_up_to_zero():
    assert numbers.level(0.5, -1080, 1) == numbers.LEAST
    assert numbers.level(0.5, -1080, -1) == 0


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=5))
def test_sums_are_the_next_doubles(values):
    exact = sum(map(Fraction, values))
    above, below = numbers.sum_up(*values), numbers.sum_down(*values)
    assert Fraction(nextafter(above, -inf)) < exact <= Fraction(above)
    assert Fraction(below) <= exact < Fraction(nextafter(below, inf))
