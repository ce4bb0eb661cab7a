"""The check from above of L against the literal reference: it accepts what is right, and refutes what is too small."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, pairwise, permutations
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tploracle.certificates import above_loss
from tploracle.certificates.above_loss import U_SINGLE, RecursionsAbove, U, check_loss, check_loss_function
from tploracle.reference import INFINITE, ZERO, Adversary, Level, TransitionMatrix, leakage, loss_function, parse_level
from tploracle.reference.errors import Refuted, Unchecked
from tploracle.reference.paper.loss import LossFunction, Piece
from tploracle.solvers.loss.dinkelbach import fast_optimum
from tploracle.solvers.loss.fast import quick_loss_function

from .test_above import KINDS, LITTLE, drawn_matrix, lowered

CODE = ["arrays", "whole numbers", pytest.param("compiled", marks=pytest.mark.slow)]
"""What sums come first: arrays of singles, or whole numbers, whose sums are taken by Python or compiled."""


@pytest.fixture(params=CODE)
def code(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the first sums taken by each code."""
    monkeypatch.setattr(above_loss, "is_compiled_worth", lambda _: request.param != "arrays")
    if request.param == "whole numbers":
        monkeypatch.setattr(above_loss, "_compiled", lambda: above_loss._sift)
    if request.param == "compiled":
        pytest.importorskip("numba", reason="the extra fast is not installed")


by_each_code = pytest.mark.usefixtures("code")


@by_each_code
@pytest.mark.parametrize("n", [2, 3, 5, 9, 12])
@pytest.mark.parametrize("kind", KINDS)
def test_loss_functions(n: int, kind: str) -> None:
    matrix = drawn_matrix(Random(n), n, kind)
    found = loss_function(matrix)
    check_loss_function(found)
    for alpha in (Level.of(Fraction(1, 10)), Level.of_ratio(Fraction(7, 2)), INFINITE):
        value = found(alpha)
        check_loss(matrix, alpha, value)
        if not value.is_zero and not value.is_infinite:
            with pytest.raises(Refuted):
                check_loss(matrix, alpha, lowered(value, LITTLE))
    for place in range(len(found.pieces)):
        pieces = found.pieces[:place] + found.pieces[place + 1 :]
        if pieces:
            with pytest.raises(Refuted):
                check_loss_function(LossFunction(matrix, pieces))


@by_each_code
def test_a_loss_function_of_other_rows_is_refuted() -> None:
    random = Random(3)
    for n in (3, 9, 10):
        first, second = drawn_matrix(random, n, "full"), drawn_matrix(random, n, "sticky")
        with pytest.raises(Refuted):
            check_loss_function(LossFunction(second, loss_function(first).pieces))


def test_the_loss_of_many_states_is_summed_in_doubles_first() -> None:
    matrix = drawn_matrix(Random(1), above_loss.FEW_STATES + 4, "full")
    rows = above_loss._Rows.of(matrix)
    assert rows is not None
    assert list(above_loss._left_by_doubles(rows, Fraction(1, 10), Fraction(2))) == []
    assert len(list(above_loss._left_by_doubles(rows, Fraction(1, 10), Fraction(0)))) == matrix.n * (matrix.n - 1)


@by_each_code
@pytest.mark.parametrize("kind", ["stay or uniform", "ring"])
def test_pairs_of_rows_with_the_same_pairs_of_entries_are_summed_once(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 40
    entries = {0: 9} if kind == "stay or uniform" else {0: 9, 1: 4, 2: 7}
    weights = [[1 + entries.get((column - row) % n, 0) for column in range(n)] for row in range(n)]
    matrix = TransitionMatrix.of([[Fraction(own, sum(row)) for own in row] for row in weights])
    alpha = Level.of(Fraction(1, 10))
    truth = loss_function(matrix)(alpha)
    monkeypatch.setattr(above_loss, "MOST_IN_FRACTIONS", 40 * n)  # of n (n - 1) pairs, which all are close
    check_loss(matrix, alpha, truth)
    with pytest.raises(Refuted):
        check_loss(matrix, alpha, lowered(truth, LITTLE))
    other = [list(row) for row in matrix.rows]
    other[17][3] += other[17][5]
    other[17][5] = Fraction(0)
    with pytest.raises(Refuted):
        check_loss(TransitionMatrix.of(other), alpha, truth)


@by_each_code
@pytest.mark.parametrize("n", [above_loss.FEW_STATES + 1, 40])
@pytest.mark.parametrize("where", ["first", "last"])
def test_entries_below_the_doubles_count(n: int, where: str) -> None:
    """A row has mass that doubles take for 0, where others have none: L grows without limit."""
    own = [Fraction(1 if where == "first" else 2, n * 3)] * n
    matrix = [list(own) for _ in range(n)]
    for row in matrix:
        row[-2], row[-1] = 1 - sum(row[:-2]), Fraction(0)
    at = 0 if where == "first" else n - 1
    tiny = Fraction(1, 10**330)
    matrix[at][-2:] = [matrix[at][-2] - tiny, tiny]
    chain = TransitionMatrix.of(matrix)
    assert loss_function(chain)(INFINITE).is_infinite
    with pytest.raises(Refuted):
        check_loss(chain, INFINITE, Level.of_ratio(Fraction(2)))


def test_a_loss_function_of_many_states_is_checked() -> None:
    random = Random(5)
    weights = [[random.randint(1, 1000) for _ in range(90)] for _ in range(90)]
    matrix = TransitionMatrix.of([[Fraction(own, sum(row)) for own in row] for row in weights])
    found = quick_loss_function(matrix)
    check_loss_function(found)
    for place in range(len(found.pieces) - 1):
        with pytest.raises(Refuted):
            check_loss_function(LossFunction(matrix, found.pieces[:place] + found.pieces[place + 1 :]))


@pytest.mark.parametrize("at_once", [1, 40, 300, 1 << 16])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_tried_for_both_orders_of_two_rows_leaves_out_none(
    kind: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many rows are taken at once, what is left is a little more than those that exceed it, in fractions."""
    matrix = drawn_matrix(Random(at_once), 13, kind)
    apart = [
        [sum(max(p - q, Fraction(0)) for p, q in zip(j, k, strict=True)) for k in matrix.rows] for j in matrix.rows
    ]
    most = sorted(chain.from_iterable(apart))[140]
    monkeypatch.setattr(above_loss, "AT_ONCE", at_once)
    near = above_loss._near_at_one(matrix.doubles, float(most))
    for own, row in zip(near.tolist(), apart, strict=True):
        for is_near, distance in zip(own, row, strict=True):
            assert distance <= most or is_near
            assert distance > most - Fraction(1, 10**5) or not is_near


def test_what_compiled_code_leaves_out_wrongly_is_seen_in_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is broken so that it proves all pairs, some of those that are drawn refute it."""
    matrix = drawn_matrix(Random(4), 40, "full")
    alpha = Level.of(Fraction(1, 10))
    monkeypatch.setattr(above_loss, "is_compiled_worth", lambda _: True)
    monkeypatch.setattr(above_loss, "_compiled", lambda: lambda _rows, _others, _most, near: near.fill(False))
    check_loss(matrix, alpha, loss_function(matrix)(alpha))
    with pytest.raises(Refuted):
        check_loss(matrix, alpha, Level.of(Fraction(1, 1000)))


@pytest.mark.parametrize("kind", ["disjoint", "uniform", "nothing cut off", *KINDS])
@pytest.mark.parametrize("is_compiled", [False, True])
def test_whole_numbers_leave_what_exceeds_a_sum_and_little_else(
    kind: str, is_compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of pairs whose sum is a little above, all are left, and of those below by more than all fractions few or none."""
    n, random = 11, Random(5)
    matrix = drawn_matrix(random, n, kind if kind in KINDS else "full")
    if kind not in KINDS:
        weights = [[(kind == "uniform") + 1000 * (row == place) for place in range(n)] for row in range(n)]
        if kind == "nothing cut off":
            weights = [[random.randint(1, 6000) for _ in range(n - 1)] for _ in range(n)]
            weights = [[*row, 2**16 - 2 - sum(row)] for row in weights]
        matrix = TransitionMatrix.of([[Fraction(own, sum(row)) for own in row] for row in weights])
    if is_compiled:
        pytest.importorskip("numba", reason="the extra fast is not installed")
    sift = above_loss._compiled() if is_compiled else above_loss._sift
    monkeypatch.setattr(above_loss, "BESIDE", 4)
    fractions, pairs = Fraction(n, 2**16 - 2), list(permutations(range(n), 2))
    both = {pair: tuple(zip(*(matrix.rows[row] for row in pair), strict=True)) for pair in pairs}
    for y in map(Fraction, ("0", "1/100", "1/8", "1/3", "10", "1e300")):
        sums = {pair: sum((max(q - d - y * d, Fraction(0)) for q, d in both[pair]), Fraction(0)) for pair in pairs}
        for most in {sums[pair] * part for pair in random.sample(pairs, 2) for part in (1 - LITTLE, 1)} - {0}:
            near = above_loss._near_by_whole_numbers(matrix.doubles, float(y), float(most), sift)
            lost = fractions if near.sum() <= n else fractions / 2**16
            assert all(near[pair] or sums[pair] <= most for pair in pairs)
            assert all(sums[pair] > most - lost - Fraction(1, 10**14) for pair in pairs if near[pair])


@pytest.mark.parametrize("kind", ["uint16", "uint32"])
def test_no_sum_of_whole_numbers_overflows(kind: str) -> None:
    """The greatest that a row adds up to is less than what the numbers hold, where it is all of one row that counts."""
    largest = np.iinfo(kind).max
    for n in (1, 2, 3, 200):
        row = np.array([[Fraction(1, n)] * n + [Fraction(0)] * n]).astype(float)
        whole = ((float(largest) - 1) * row).astype(kind)
        near = np.ones((1, 1), dtype=bool)
        above_loss._sift(whole, whole[:, ::-1], float(whole.sum()) - 1, near)
        assert near.all()
        above_loss._sift(whole, whole[:, ::-1], float(whole.sum()), near)
        assert not near.any()
        assert whole.sum() < largest


def test_few_pairs_of_rows_are_summed_in_both_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, left, near_at_one = drawn_matrix(Random(3), 120, "full"), list[int](), above_loss._near_at_one
    alpha = Level.of(Fraction(1, 10))
    claimed = fast_optimum(matrix, alpha).value(alpha)

    def counted(*own: Any) -> Any:
        near = near_at_one(*own)
        left.append(int(near.sum()))
        return near

    monkeypatch.setattr(above_loss, "_near_at_one", counted)
    check_loss(matrix, alpha, claimed)
    assert 1 <= left[0] <= 120 * 119 // 100
    with pytest.raises(Refuted):
        check_loss(matrix, alpha, lowered(claimed, LITTLE))


def test_a_loss_that_would_take_too_long_is_not_checked_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = drawn_matrix(Random(1), above_loss.FEW_STATES + 4, "full")
    found = loss_function(matrix)
    with monkeypatch.context() as patch:
        patch.setattr(above_loss, "MOST_ENTRIES", matrix.n**3 * len(found.pieces) - 1)
        with pytest.raises(Unchecked, match=f"{matrix.n} states and {len(found.pieces)} pieces"):
            check_loss_function(found)
        patch.setattr(above_loss, "MOST_ENTRIES", matrix.n**3 * len(found.pieces))
        check_loss_function(found)
    pairs = [(0, 1), (1, 2), (2, 3)]
    monkeypatch.setattr(above_loss, "MOST_IN_FRACTIONS", 3 * matrix.n)
    assert list(above_loss._bounded(iter(pairs), matrix.n)) == pairs
    monkeypatch.setattr(above_loss, "MOST_IN_FRACTIONS", 3 * matrix.n - 1)
    with pytest.raises(Unchecked, match="more than 2 pairs of rows"):
        list(above_loss._bounded(iter(pairs), matrix.n))


def crossing(one: Piece, other: Piece) -> Fraction:
    """Return the E above 0 at which two pieces are equal."""
    slope, after = one.q - one.d, other.q - other.d
    return (after - slope) / (slope * other.d - after * one.d)


def joined(*pieces: Piece) -> tuple[Piece, ...]:
    """Return pieces of which each ends where the next one starts."""
    ends = [*(piece.start for piece in pieces[1:]), None]
    return tuple(replace(piece, stop=end) for piece, end in zip(pieces, ends, strict=True))


def too_low(function: LossFunction) -> list[tuple[str, tuple[Piece, ...]]]:
    """Return pieces that are too low somewhere, or not told, each with words of the error."""
    pieces, found = function.pieces, list[tuple[str, tuple[Piece, ...]]]()
    if len(pieces) > 1:
        found.append(("greater loss", joined(replace(pieces[1], start=Fraction(0)), *pieces[2:])))
        found.append(("greater loss", joined(*pieces[:-1])))
    for place, (before, after) in enumerate(pairwise(pieces), 1):
        early = replace(after, start=(before.start + after.start) / 2)
        found.append(("do not meet", joined(*pieces[:place], early, *pieces[place + 1 :])))
        for stop in (early.start, after.start * 2, None):  # it rules where it ought not, or the next one does
            found.append(("do not meet", (*pieces[: place - 1], replace(before, stop=stop), *pieces[place:])))
        twice = replace(before, start=after.start)
        found.append(("do not meet", joined(*pieces[:place], twice, *pieces[place:])))
    for place, (before, after) in enumerate(zip(pieces, pieces[2:], strict=False), 1):
        over = replace(after, start=crossing(before, after))
        found.append(("greater loss", joined(*pieces[:place], over, *pieces[place + 2 :])))
    *head, last = pieces
    value = (last.q * last.start + 1) / (last.d * last.start + 1)
    d = last.d * (1 + LITTLE) or LITTLE
    q = (value * (d * last.start + 1) - 1) / last.start if last.start else last.q + d - last.d
    found.append(("greater loss", (*head, replace(last, q=q, d=d))))  # right where it begins
    found.append(("from 0 to ∞", (replace(pieces[0], start=LITTLE), *pieces[1:])))
    found.append(("from 0 to ∞", (*head, replace(last, stop=last.start + 1))))
    return found


@pytest.mark.parametrize("n", [2, 3, 5, 9, 12])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("in_doubles", [True, False])
def test_a_loss_function_that_is_too_low_anywhere_is_refuted(
    n: int, kind: str, in_doubles: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it is right at its breakpoints, and too low near 0, between two or as α grows only."""
    function = loss_function(drawn_matrix(Random(n), n, kind))
    if not in_doubles:
        monkeypatch.setattr(above_loss._Rows, "of", lambda _: None)
    check_loss_function(function)
    for word, pieces in too_low(function):
        with pytest.raises(Refuted, match=word):
            check_loss_function(LossFunction(function.matrix, pieces))


@by_each_code
@pytest.mark.parametrize("n", [2, 12])
def test_rows_that_are_equal_lose_nothing_and_any_others_lose(n: int) -> None:
    equal = TransitionMatrix.of([[Fraction(1, n)] * n] * n)
    nothing = loss_function(equal)
    check_loss_function(nothing)
    check_loss(equal, INFINITE, ZERO)
    rows = [list(row) for row in equal.rows]
    rows[-1][0], rows[-1][1] = rows[-1][0] + LITTLE, rows[-1][1] - LITTLE
    other = TransitionMatrix.of(rows)
    check_loss(other, ZERO, ZERO)
    check_loss(other, INFINITE, INFINITE)
    with pytest.raises(Refuted):
        check_loss_function(LossFunction(other, nothing.pieces))
    for alpha in (Level.of(Fraction(1)), INFINITE):
        with pytest.raises(Refuted):
            check_loss(other, alpha, ZERO)


@by_each_code
@pytest.mark.parametrize("kind", ["many entries", *KINDS])
@pytest.mark.parametrize("at_once", [40, 1, 1 << 16])
def test_doubles_leave_what_exceeds_a_sum_and_little_else(
    kind: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of pairs whose sum is a little above, all are left, and of those below by more than roundings none."""
    random, n = Random(at_once), 11
    matrix = drawn_matrix(random, n, kind)
    if kind == "many entries":
        rows = [[random.randint(1, 10**6) for _ in range(n)] for _ in range(n)]
        matrix = TransitionMatrix.of([[Fraction(own, sum(row)) for own in row] for row in rows])
    own = above_loss._Rows.of(matrix)
    assert own is not None
    pairs = list(permutations(range(n), 2))
    both = {pair: tuple(sorted(zip(*(matrix.rows[row] for row in pair), strict=True))) for pair in pairs}
    monkeypatch.setattr(above_loss, "AT_ONCE", at_once)

    def compare(y: Fraction, chosen: Sequence[tuple[int, int]] = ()) -> None:
        sums = {pair: sum((max(q - d - y * d, Fraction(0)) for q, d in both[pair]), Fraction(0)) for pair in pairs}
        for most in (sums[pair] * part for pair in chosen for part in (1 - LITTLE, 1)) if chosen else [Fraction(0)]:
            left = list(above_loss._left_by_doubles(own, y, most))
            assert len(set(left)) == len(left)
            assert {both[pair] for pair in pairs if sums[pair] > most} <= {both[pair] for pair in left}
            assert all(sums[pair] > most - Fraction(1, 10**12) * (1 + y) for pair in left)

    for y in map(Fraction, ("0", "1/100", "1/8", "1/3", "10", "1e20", "1e35", "1e200")):
        compare(y, random.sample(pairs, 2))
    for pair in random.sample(pairs, 3):
        limit = max(q / d - 1 for q, d in both[pair] if d)
        compare(limit)
        compare(limit * (1 - LITTLE))
        compare(limit * (1 + Fraction(1, 10**14)))


def test_what_is_added_for_roundings_is_what_is_proved_of_them() -> None:
    """As in tested_sum of Doubles.v, a few roundings aside."""
    random = Random(4)
    for u, n in ((U_SINGLE, 9), (U, 9), (U_SINGLE, 160), (U, 3000)):
        for y in (0.0, random.random(), random.random() * 1e6):
            most = random.random()
            lost = (n + 8) * Fraction(u) * (2 + Fraction(y)) + 4 * Fraction(U) * (2 + Fraction(y) + Fraction(most))
            assert abs(Fraction(above_loss._slack(n, u, y, most)) - lost) <= 8 * Fraction(U) * lost
    assert (np.finfo(np.float64).eps / 2, np.finfo(np.float32).eps / 2) == (U, U_SINGLE)


def test_few_rows_are_left_to_fractions_where_numpy_is_not_there_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    few, more = (drawn_matrix(Random(1), above_loss.FEW_STATES + extra, "sparse") for extra in (0, 1))
    for modules, matrix, in_doubles in (({}, few, False), ({}, more, True), ({"numpy": np}, few, True)):
        monkeypatch.setattr(above_loss, "sys", SimpleNamespace(modules=modules))
        assert (above_loss._Rows.of(matrix) is not None) == in_doubles


def test_only_rows_with_entries_that_doubles_lose_are_left_to_fractions() -> None:
    n = 10
    rows = [[Fraction(int(row == place)) for place in range(n)] for row in range(n)]
    rows[3][:2], rows[7][:2] = [1 - Fraction(1, 10**330), Fraction(1, 10**330)], [Fraction(1, 2)] * 2
    rows[3][3] = rows[7][7] = Fraction(0)
    own = above_loss._Rows.of(TransitionMatrix.of(rows))
    assert own is not None
    assert own.has_tiny.nonzero()[0].tolist() == [3]


@pytest.mark.parametrize("entries", [2, 17, 200])
@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_of_pairs_with_the_same_pairs_of_entries_one_is_given(entries: int, share: float) -> None:
    """However many numbers the rows have: of each kind among the pairs that are near."""
    random, n = Random(entries), 14
    values = [Fraction(random.randint(1, 10**6)) for _ in range(entries)]
    matrix = [tuple(random.choice(values) for _ in range(n - 4)) + (values[0],) * 4 for _ in range(n)]
    matrix = [matrix[row % 4][row:] + matrix[row % 4][:row] if row % 2 else matrix[row] for row in range(n)]
    near = np.array([[row != place and random.random() < share for place in range(n)] for row in range(n)])
    given = [tuple(pair) for pair in np.argwhere(near).tolist()]
    found = list(above_loss._Rows(matrix, None, None).unlike(near))

    def kinds(pairs: Iterable[tuple[int, int]]) -> list[tuple[tuple[Fraction, Fraction], ...]]:
        return [tuple(sorted(zip(matrix[first], matrix[second], strict=True))) for first, second in pairs]

    assert set(found) <= set(given)
    assert sorted(kinds(found)) == sorted(set(kinds(given)))


def test_unlike_pairs_of_rows_are_told_apart_by_numbers_that_are_large_enough() -> None:
    """With 32 entries, the numbers of the pairs 32 a + b and 32 (a + 8) + b are equal in 8 bits."""
    matrix = [tuple(Fraction(8 * row + place) for place in range(8)) for row in range(4)]
    near = ~np.eye(4, dtype=bool)
    assert set(above_loss._Rows(matrix, None, None).unlike(near)) == set(permutations(range(4), 2))


@pytest.mark.parametrize("alpha", [Level.of_ratio(Fraction(3)), Level.of(Fraction(1)), INFINITE])
def test_a_loss_is_proved_up_to_the_part_that_is_told(alpha: Level) -> None:
    """A part 2^-104 of its excess, as docs/security.md says."""
    matrix, part = TransitionMatrix.of([["4/5", "1/5"], ["1/10", "9/10"]]), Fraction(1, 1 << 104)
    truth = alpha.linear_fractional(Fraction(4, 5), Fraction(1, 10))
    check_loss(matrix, alpha, lowered(truth, part * Fraction(9, 10)))
    with pytest.raises(Refuted):
        check_loss(matrix, alpha, lowered(truth, part * Fraction(11, 10)))


def test_no_pair_of_rows_is_summed_where_none_can_exceed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = TransitionMatrix.of([[Fraction(int(row == place)) for place in range(12)] for row in range(12)])
    monkeypatch.setattr(above_loss, "MOST_IN_FRACTIONS", 0)
    check_loss_function(loss_function(matrix))  # L(α) = α
    with pytest.raises(Unchecked, match="more than 0 pairs"):
        check_loss(matrix, INFINITE, Level.of(Fraction(1)))


@by_each_code
def test_a_loss_too_great_for_doubles_is_not_checked_and_says_so() -> None:
    n, limit = 10, Fraction(above_loss.LARGEST) * (1 - LITTLE)
    rows = [[Fraction(1, n)] * n for _ in range(n)]
    rows[0][:2] = 1 / (n * limit), Fraction(2, n) - 1 / (n * limit)
    matrix = TransitionMatrix.of(rows)  # of which L(∞) is the logarithm of the limit
    check_loss(matrix, INFINITE, Level.of_ratio(limit))
    with pytest.raises(Refuted):
        check_loss(matrix, INFINITE, Level.of_ratio(limit * (1 - LITTLE)))
    with pytest.raises(Unchecked, match="too great for doubles"):
        check_loss(matrix, INFINITE, Level.of_ratio(limit * (1 + 2 * LITTLE)))


STREAMS = {
    "one budget": ["0.1"] * 9,
    "budgets on both sides of breakpoints": ["log(3)", "0.01", "log(11/10)", "1/7", "2", "log(9/8)", "0.3"],
    "nothing first": ["0", "0", "0.4", "0"],
    "great and small": ["50", "1e-30", "800", "1e-30", "0"],
    "all of it once": ["0.2", "inf", "0.2", "0"],
}


def recursions(matrices: Sequence[TransitionMatrix | None], budgets: Sequence[Level]) -> tuple[RecursionsAbove, Any]:
    """Return the bounds by the recursions, and the levels of the literal reference."""
    losses = [None if matrix is None else loss_function(matrix) for matrix in matrices]
    literal = leakage(budgets, Adversary(*losses))
    return RecursionsAbove(*losses, budgets), (literal.bpl, literal.fpl, literal.tpl)


@pytest.mark.parametrize("texts", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize("kind", [*KINDS, None])
def test_the_recursions_over_time(texts: Sequence[str], kind: str | None) -> None:
    """What the reference says is proved, and what is a little less is not, of each kind and at each time."""
    random = Random(len(texts))
    budgets = [parse_level(text) for text in texts]
    for known in ((True, True), (True, False), (False, True)):
        matrices = [drawn_matrix(random, 4, kind) if own and kind is not None else None for own in known]
        above, found = recursions(matrices, budgets)
        for place, levels in enumerate(found):
            above.prove(place, dict(enumerate(levels)))
            for time, level in enumerate(levels):
                less = parse_level("1000") if level.is_infinite else lowered(level, LITTLE)
                for wrong in () if level.is_zero else (ZERO, less):
                    with pytest.raises(Refuted, match=f"at time {time + 1}; "):
                        above.prove(place, {time: wrong})


def test_the_recursions_where_a_piece_ends() -> None:
    """An argument at a breakpoint, and one that misses it by less than any of the numbers tells apart."""
    matrix = drawn_matrix(Random(2), 5, "full")
    for piece in loss_function(matrix).pieces[1:]:
        for part in (0, Fraction(1, 2**300), -Fraction(1, 2**300)):
            budgets = [Level.of_ratio(1 + piece.start * (1 + part)), parse_level("0.1")]
            above, (bpl, *_) = recursions([matrix, None], budgets)
            above.prove(0, dict(enumerate(bpl)))
            with pytest.raises(Refuted):
                above.prove(0, {1: lowered(bpl[1], LITTLE)})


def test_ten_thousand_releases_of_which_each_counts() -> None:
    """Roundings do not add up: of values that never change TPL is the sum of all budgets."""
    budget, loss = parse_level("0.001"), loss_function(TransitionMatrix.of([[1, 0], [0, 1]]))
    above = RecursionsAbove(loss, loss, [budget] * 10_000)
    above.prove(2, dict.fromkeys(range(10_000), parse_level("10")))
    with pytest.raises(Refuted):
        above.prove(2, {5_000: lowered(parse_level("10"), LITTLE)})
