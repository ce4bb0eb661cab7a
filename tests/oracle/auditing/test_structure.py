"""What a matrix is like: each fact against the definition by brute force on small matrices."""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import inf

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.auditing import structure as module
from tploracle.auditing.structure import birkhoff, distance_of, structure
from tploracle.reference import Level, NotUnique, TransitionMatrix, loss_function, stationary

from ...in_mpmath import mpf
from ...matrices import EQUAL_ROWS, NEVER_TWICE, PAPER_L, SWAP, SYMMETRIC
from ...strategies import matrices

HALF, TINY = Fraction(1, 2), Fraction(1, 10**300)


def by_definition(matrix):
    """Return the distances of all pairs of rows, and e^Δ as max (p_ik p_jl)/(p_jk p_il), inf for a zero below."""
    rows, n = matrix.rows, matrix.n
    distances = {
        (j, k): max(
            sum((rows[j][c] - rows[k][c] for c in chosen), Fraction(0))
            for size in range(n + 1)
            for chosen in combinations(range(n), size)
        )
        for j, k in combinations(range(n), 2)
    }
    contrast = Fraction(1)
    for i, j in permutations(range(n), 2):
        for k, column in product(range(n), repeat=2):
            above, below = rows[i][k] * rows[j][column], rows[j][k] * rows[i][column]
            if above and not below:
                contrast = inf
            elif below and contrast != inf:
                contrast = max(contrast, above / below)
    return distances, contrast


@given(matrices(1, 4))
@example(PAPER_L)
@example(EQUAL_ROWS)
@example(NEVER_TWICE)
def test_rows_by_definition(matrix):
    found, n = structure(matrix), matrix.n
    distances, contrast = by_definition(matrix)
    apart = {pair: value for pair, value in distances.items() if value}
    assert (found.nearest is None) == (not apart) == found.all_rows_equal
    if found.nearest:
        assert found.nearest.exact
        assert found.nearest.value == min(apart.values()) == distances[tuple(sorted(found.nearest.rows))]
    disjoint = [pair for pair, value in distances.items() if value == 1]
    assert found.disjoint_pairs == len(disjoint)
    assert found.disjoint == (disjoint[0] if disjoint else None)
    groups = {tuple(k for k in range(n) if matrix.rows[k] == matrix.rows[j]) for j in range(n)}
    assert set(found.equal_rows) == {group for group in groups if len(group) > 1}
    assert found.contrast_known
    assert (inf if found.contrast is None else found.contrast.value) == contrast
    assert found.zeros == sum(row.count(0) for row in matrix.rows)


@given(matrices(1, 4))
@example(SWAP)
@example(SYMMETRIC)
@example(TransitionMatrix.of([["1", "0"], ["1", "0"]]))
def test_kinds_and_chain(matrix):
    found, n = structure(matrix), matrix.n
    images = {tuple(int(order[j] == k) for j in range(n) for k in range(n)) for order in permutations(range(n))}
    flat = tuple(entry for row in matrix.rows for entry in row)
    assert found.is_permutation == (flat in images)
    assert found.is_identity == (flat == tuple(int(j == k) for j in range(n) for k in range(n)))
    assert found.is_doubly_stochastic == all(sum(row[k] for row in matrix.rows) == 1 for k in range(n))
    try:
        expected = stationary(matrix)
    except NotUnique:
        expected = None
    assert found.stationary == expected
    assert (expected is None) == (len(found.closed_classes) > 1)
    if expected is not None:
        assert sum(expected) == 1
        after = tuple(sum(expected[j] * matrix.rows[j][k] for j in range(n)) for k in range(n))
        assert after == expected
        assert all(expected[state] > 0 for state in found.closed_classes[0].states)


@given(matrices(2, 4), st.sampled_from([Fraction(1, 100), Fraction(1), Fraction(5)]))
@example(TransitionMatrix.of([["0.5", "0.5"], [HALF + TINY, HALF - TINY]]), Fraction(1, 100))
def test_birkhoff_bounds_the_loss(matrix, alpha):
    contrast = structure(matrix).contrast
    if contrast is None:
        return
    enclosure = birkhoff(contrast.value, 20)
    with mp.workdps(700):  # rows 1e-300 apart
        exact = mp.tanh(mp.log(mpf(contrast.value)) / 4)
        assert mpf(Fraction(enclosure.lower)) <= exact <= mpf(Fraction(enclosure.upper))
        assert exact - mpf(Fraction(enclosure.lower)) <= mp.mpf(10) ** -18 * exact
    if Fraction(enclosure.upper):
        assert loss_function(matrix)(Level.of(alpha)) <= Level.of(Fraction(enclosure.upper) * alpha)
    else:
        assert loss_function(matrix).is_zero


def test_entries_as_doubles():
    # 0.1, 0.2 and 0.7 as doubles are (3602879701896397 + 7205759403792794 + 25220157913274776)/2^55 = 1 − 2^−55.
    doubles = structure(PAPER_L).as_doubles
    assert (doubles.inexact, doubles.spoilt, doubles.greatest_miss) == (8, (0,), Fraction(-1, 2**55))
    exact = structure(TransitionMatrix.of([["1/4", "3/4"], ["1", "0"]])).as_doubles
    assert (exact.inexact, exact.spoilt, exact.greatest_miss, exact.vanished, exact.subnormal) == (0, (), 0, 0, 0)
    tiny = (Fraction(1, 10**320), Fraction(1, 10**400), 1 - Fraction(1, 10**320) - Fraction(1, 10**400))
    small = structure(TransitionMatrix((tiny, *[(Fraction(0), Fraction(1, 2), Fraction(1, 2))] * 2))).as_doubles
    assert (small.inexact, small.vanished, small.subnormal) == (3, 1, 1)


@given(matrices(1, 4))
def test_a_double_is_a_dyadic_of_53_bits(matrix):
    def is_double(entry):
        below = entry.denominator
        return below & (below - 1) == 0 and below < 2**1022 and entry.numerator.bit_length() <= 53

    doubles = structure(matrix).as_doubles
    assert doubles.inexact == sum(not is_double(entry) for row in matrix.rows for entry in row)
    misses = [sum(Fraction(*float(entry).as_integer_ratio()) for entry in row) - 1 for row in matrix.rows]
    assert doubles.spoilt == tuple(index for index, miss in enumerate(misses) if miss)
    assert abs(doubles.greatest_miss) == max(map(abs, misses))


def test_denominators():
    found = structure(TransitionMatrix.of([["1/3", "1/6", "1/2"], ["1/7", "1/8", "41/56"], ["0", "0", "1"]]))
    assert (found.entry_bits, found.row_bits) == (6, 6)
    found = structure(TransitionMatrix.of([["1/4", "1/9", "1/4", "7/18"], *[["1/4"] * 4] * 3]))
    assert (found.entry_bits, found.row_bits) == (5, 6)


def test_rows_that_doubles_cannot_tell_apart():
    base = [Fraction(1, 3), Fraction(2, 3)]
    shifts = [Fraction(k * k, 10**30) for k in (0, 3, 5, 6, 10)]
    rows = tuple((base[0] + shift, base[1] - shift, Fraction(0), Fraction(0), Fraction(0)) for shift in shifts)
    found = structure(TransitionMatrix(rows)).nearest
    assert (found.rows, found.value, found.exact) == ((0, 1), Fraction(9, 10**30), True)


@given(st.lists(st.integers(0, 60), min_size=2, max_size=5), st.sampled_from([15, 16, 17]))
@example([0, 20, 37, 55, 60], 17)
def test_rows_whose_order_doubles_do_not_see(shifts, places):
    n = len(shifts)
    rest = [Fraction(1, 3 * n)] * (n - 1)
    rows = []
    for number, shift in enumerate(shifts):
        moved = Fraction(shift, 10**places)
        first = 1 - sum(rest)
        row = [first - moved, *rest]
        row[1 + number % (n - 1)] += moved
        rows.append(tuple(row))
    matrix = TransitionMatrix(tuple(rows))
    found = structure(matrix)
    distances, contrast = by_definition(matrix)
    apart = [value for value in distances.values() if value]
    assert (found.nearest.value if found.nearest else None) == min(apart, default=None)
    assert found.contrast.value == contrast


@pytest.mark.parametrize(
    ("shifts", "nearest", "furthest"),
    [([(28, 30), (24, 13), (6, 31)], (1, 2), None), ([(30, 5), (22, 4), (26, 9)], None, (1, 2))],
)
def test_doubles_that_order_the_pairs_wrongly(shifts, nearest, furthest):
    unit = Fraction(1, 10**17)
    rows = [(Fraction(1, 3) + one * unit, Fraction(1, 5) + other * unit) for one, other in shifts]
    found = structure(TransitionMatrix(tuple((*row, 1 - sum(row)) for row in rows)))
    if nearest:
        assert found.nearest.rows == nearest
    if furthest:
        assert found.contrast.rows == furthest


def test_a_root_next_to_a_whole_number_and_one_next_to_one():
    above = birkhoff(9 + Fraction(1, 10**60), 10)
    assert (str(above.lower), str(above.upper)) == ("0.5", "0.5000000001")
    near = birkhoff(1 + Fraction(1, 10**30), 10)
    # Δ = 10^−30 less half of its square, and tanh(Δ/4) is Δ/4 to 60 digits.
    assert (str(near.lower), str(near.upper)) == ("2.499999999E-31", "2.5E-31")


def test_what_would_take_too_long_says_so(monkeypatch):
    monkeypatch.setattr(module, "MOST_EXACT_WORK", 10)
    rows = tuple(
        (Fraction(1, 2) + Fraction(k, 10**30), Fraction(1, 2) - Fraction(k, 10**30), *[Fraction(0)] * 4)
        for k in range(6)
    )
    found = structure(TransitionMatrix(rows))
    assert not found.nearest.exact
    assert distance_of(rows[found.nearest.rows[0]], rows[found.nearest.rows[1]]) == found.nearest.value
    assert (found.contrast, found.contrast_known) == (None, False)
    monkeypatch.setattr(module, "MOST_STATIONARY_STATES", 2)
    assert structure(PAPER_L).stationary is None


def test_progress_ends_with_all_rows():
    seen = []
    structure(PAPER_L, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (2, 2)
