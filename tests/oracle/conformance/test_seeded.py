"""Seeded cases: the same for the same seed, dyadic where they are doubles, and of every kind."""

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from random import Random

import pytest

from tploracle.conformance.ask.edges import (
    draw_breakpoint,
    draw_chosen_supremum,
    draw_critical,
    draw_nothing_left,
)
from tploracle.conformance.ask.families import FAMILIES, FINE, FINE_FAMILIES, row_of
from tploracle.conformance.ask.notation import BINARY_TOTALS, RATIONAL_TOTALS, DoubleNotation, RationalNotation
from tploracle.conformance.ask.seeded import (
    INVALID,
    NOTATIONS,
    UNNUMBERED,
    draw_matrix,
    seeded_cases,
    seeded_of_each,
)
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import (
    InfeasibleBudget,
    Level,
    OracleError,
    TransitionMatrix,
    loss_function,
    parse_level,
    parse_number,
)
from tploracle.wire.protocol import FLOAT64, RATIONAL
from tploracle.wire.requests import Session
from tploracle.wire.strict_json import decode, encode

from ...profiles import some

MATRICES = ("matrix", "backward", "forward")
LEVELS = ("alpha", "epsilon", "previous", "cap")


def cases(count=600, numbers=(FLOAT64, RATIONAL), seed=4):
    return list(seeded_cases(seed, count, numbers))


def is_valid(case):
    return case.title.count(":") == 1 and case.title.split(": ")[1].rstrip(".") not in {name for name, _, _ in INVALID}


def test_the_same_seed_gives_the_same_cases_and_another_seed_others():
    first = cases()
    assert cases() == first
    assert cases(100) == first[:100]
    assert [case.input for case in cases(seed=5)] != [case.input for case in first]
    assert [case.input for case in cases(seed=-4)] != [case.input for case in first]


def test_a_quota_of_each_operation_is_the_first_of_its_cases():
    quotas = {"loss": 30, "reverse": 5, "control": 0}
    found = list(seeded_of_each(4, quotas, (FLOAT64, RATIONAL)))
    assert Counter(case.op for case in found) == {"loss": 30, "reverse": 5}
    every = cases()
    assert [case for case in found if case.op == "loss"] == [case for case in every if case.op == "loss"][:30]
    assert list(seeded_of_each(4, {"loss": 3}, ())) == []


def test_ids_and_sources():
    first = [case for case in cases(50) if case.op not in UNNUMBERED]
    assert [case.id for case in first] == [f"{case.op}-seeded-4-{number}" for number, case in enumerate(first, 1)]
    assert {case.source for case in first} == {"seeded"}
    assert all(case.expected is None and case.title.startswith("Seeded, n = ") for case in first)
    assert all(decode(encode(case.input)) == case.input for case in first)


def test_only_the_numbers_that_are_asked_for():
    assert {case.numbers for case in cases(100, (FLOAT64,))} == {FLOAT64}
    assert {case.numbers for case in cases(100, (RATIONAL, "float32"))} == {RATIONAL}
    assert {case.numbers for case in cases(100)} == {FLOAT64, RATIONAL}
    assert cases(100, ()) == cases(100, ("float32",)) == cases(0) == []


def test_doubles_are_dyadic_and_their_rows_sum_to_one_in_any_order():
    found = [case for case in cases(900, (FLOAT64,)) if is_valid(case)]
    for case in found:
        for key in MATRICES:
            for row in case.input.get(key, ()):
                entries = [float.fromhex(entry) for entry in row]
                assert sum(map(Fraction, entries)) == 1
                assert sum(entries) == sum(entries[::-1]) == sum(sorted(entries)) == 1
        levels = [case.input[key] for key in LEVELS if key in case.input] + case.input.get("epsilons", [])
        for level in levels:
            assert level == "inf" or (level.startswith("0x") and 0 <= float.fromhex(level) < float("inf"))
    assert len(found) > 800


def test_rational_matrices_and_levels_are_of_the_contract_and_of_many_forms():
    forms = Counter()
    for case in cases(900, (RATIONAL,)):
        if is_valid(case):
            for key in MATRICES:
                if key in case.input:
                    TransitionMatrix.of(case.input[key])
            for level in [case.input[key] for key in LEVELS if key in case.input] + case.input.get("epsilons", []):
                parse_level(level)
                form = next((mark for mark in ("sqrt", "log", "/", "e", ".", "inf") if mark in level), "integer")
                forms[form] += 1
    assert set(forms) == {"sqrt", "log", "/", "e", ".", "inf", "integer"}


@pytest.mark.parametrize("numbers", [FLOAT64, RATIONAL])
def test_every_operation_size_and_kind_of_question_occurs(numbers):
    found = cases(1500, (numbers,))
    assert set(Counter(case.op for case in found)) == set(OPERATIONS)
    assert min(Counter(case.op for case in found).values()) > 50
    sizes = Counter(len(case.input["matrix"]) for case in found if case.op == "loss_function")
    assert set(range(1, 9)) <= set(sizes)
    assert max(sizes) > 8
    assert sum(sizes[n] for n in range(1, 9)) > 4 * sum(number for n, number in sizes.items() if n > 8)
    titles = " ".join(case.title for case in found)
    assert all(family in titles for family in FAMILIES)
    leakage = [case.input for case in found if case.op == "leakage"]
    assert {("backward" in given, "forward" in given) for given in leakage} == {*product((True, False), repeat=2)}
    assert {len(given["epsilons"]) for given in leakage} > set(range(1, 7))
    allocate = [case.input for case in found if case.op == "allocate"]
    assert {given.get("horizon") for given in allocate if given["method"] == "quantified"} >= set(range(1, 7))
    assert {given.get("horizon") for given in allocate if given["method"] == "upper-bound"} >= {None, 1, 6}
    smooth = [case.input for case in found if case.op == "smooth"]
    assert {"n" in given for given in smooth} == {True, False}


def test_levels_are_tiny_to_large():
    for numbers, read in ((FLOAT64, float.fromhex), (RATIONAL, lambda text: parse_level(text).double_below())):
        levels = [read(case.input["alpha"]) for case in cases(1500, (numbers,)) if is_valid(case) and case.op == "loss"]
        for low, high in ((0, 0), (1e-30, 1e-6), (1e-2, 1), (1, 8), (36, 700), (709, 1e7), (float("inf"),) * 2):
            assert any(low <= level <= high for level in levels), (numbers, low, high)


def test_several_questions_about_each_matrix():
    """Matrices come again soon, so that the oracle remembers their loss functions."""
    found = [case for case in cases() if case.op not in UNNUMBERED]
    texts = [encode(case.input[key]) for case in found for key in MATRICES if key in case.input]
    assert len(set(texts)) * 4 < len(texts)


@pytest.mark.parametrize("numbers", [FLOAT64, pytest.param(RATIONAL, marks=pytest.mark.slow)])
def test_errors_are_those_that_are_meant_and_the_rest_mostly_has_a_value(numbers):
    session = Session()
    met, meant, valid = Counter(), Counter(), 0
    for number, case in enumerate(cases(3000, (numbers,))):
        if is_valid(case) and number % 24:
            continue
        name = case.title.split(": ")[1].rstrip(".")
        try:
            session.answer(case.op, case.input, 17, numbers)
            error = None
        except OracleError as raised:
            error = raised.name
        if is_valid(case):
            valid += error is None
            met[error] += 1
        else:
            assert error == name, case
            meant[error] += 1
    assert set(meant) == {name for name, _, _ in INVALID}
    assert set(met) <= {None, "InfeasibleBudget", "UnreachableState"}
    assert valid > 100


def test_budgets_at_the_boundary_of_the_supremum_are_on_both_sides_of_it():
    for numbers in (FLOAT64, RATIONAL):
        session, finite, infinite = Session(), 0, 0
        for case in cases(1500, (numbers,)):
            if case.op == "supremum" and is_valid(case):
                value = session.answer(case.op, case.input, 17, numbers)
                if case.input["epsilon"] != "inf" and value["d"] == "0" and 0 < parse_number(value["q"]) < 1:
                    infinite += value["upper"] == "inf"
                    finite += value["upper"] != "inf"
        assert finite > 3
        assert infinite > 3


# The parts


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", some([5, 1, 2, 20], 4))
def test_families_are_of_rows_that_sum_to_the_total(family, n):
    for seed in range(20):
        for total in (*BINARY_TOTALS, *RATIONAL_TOTALS):
            if total < n * 4 and family == "nearly the identity":
                continue
            if total < 10**12 and family == "many pieces":
                continue
            rows = FAMILIES[family](Random(seed), n, total)
            assert len(rows) == n
            assert all(len(row) == n and sum(row) == total and min(row) >= 0 for row in rows)


def test_families_that_need_a_fine_total_have_one_and_others_have_any(monkeypatch):
    totals = {True: set(), False: set()}
    for family, rows in FAMILIES.items():
        monkeypatch.setitem(FAMILIES, family, partial(_noted, totals[family in FINE_FAMILIES], rows))
    random = Random(3)
    for _ in range(400):
        draw_matrix(random, DoubleNotation(), 3)
    assert min(totals[True]) >= FINE > min(totals[False])


def _noted(totals, rows, random, n, total):
    totals.add(total)
    return rows(random, n, total)


def test_levels_of_doubles_are_tiny_moderate_or_large():
    random = Random(5)
    levels = [float.fromhex(DoubleNotation().level(random)) for _ in range(2000)]
    assert not [level for level in levels if 2**-8 < level < 2**-5]
    assert min(level for level in levels if level) < 2**-55


def made(family, n=6, total=2**30):
    return [FAMILIES[family](Random(seed), n, total) for seed in range(20)]


def test_what_each_family_is():
    assert all(min(map(min, rows)) > 0 for rows in made("varied"))
    assert any(0 in row for rows in made("coarse") for row in rows)
    assert any(len({entry for entry in row if entry}) < sum(map(bool, row)) for rows in made("coarse") for row in rows)
    assert all(sum(map(bool, row)) <= 2 for rows in made("sparse") for row in rows)
    assert all(
        entry == 0 or abs(j - k) < 2
        for rows in made("banded")
        for j, row in enumerate(rows)
        for k, entry in enumerate(row)
    )
    for rows in made("permutation"):
        assert sorted(map(sorted, rows)) == [[0] * 5 + [2**30]] * 6
        assert sorted(map(sum, zip(*rows, strict=True))) == [2**30] * 6
    assert all(len({tuple(row) for row in rows}) <= 2 for rows in made("few distinct rows"))
    for rows in made("nearly equal rows"):
        assert all(abs(a - b) <= 6 for one, other in pairwise(rows) for a, b in zip(one, other, strict=True))
    assert any(len({tuple(row) for row in rows}) > 1 for rows in made("nearly equal rows"))
    assert all(row[j] >= 2**30 - 10 for rows in made("nearly the identity") for j, row in enumerate(rows))
    assert all(not any(a and b for a, b in zip(rows[0], rows[-1], strict=True)) for rows in made("disjoint rows"))


def test_what_the_structures_are():
    total = 2**30
    for rows in made("blocks"):
        assert all(entry == 0 for row in rows[:3] for entry in row[3:])
        assert all(entry == 0 for row in rows[3:] for entry in row[:3])
    for rows in made("periodic"):
        assert all(entry == 0 for row in rows[:3] for entry in row[:3])
        assert all(entry == 0 for row in rows[3:] for entry in row[3:])
    for rows in made("absorbing"):
        assert all(rows[j][k] == 0 for j in range(6) for k in range(j))
        assert rows[-1][-1] == total
    for rows in made("several classes"):
        assert all(min(row) > 0 for row in rows[:3])
        assert all(rows[j][j] == total for j in range(3, 6))
    for rows in made("doubly stochastic"):
        assert all(sum(column) == total for column in zip(*rows, strict=True))


@pytest.mark.parametrize("n", [3, 6, 48])
def test_the_number_of_pieces_and_the_extreme_rows_are_what_they_are_for(n):
    """Many pieces: one less than the states. Two extreme rows: without either of them the loss is less."""
    total = 2**40
    for seed in range(3):
        rows = FAMILIES["many pieces"](Random(seed), n, total)
        matrix = TransitionMatrix.of([[Fraction(e, total) for e in row] for row in rows])
        assert len(loss_function(matrix).pieces) == n - 1
    rows = [[Fraction(e, total) for e in row] for row in FAMILIES["two extreme rows"](Random(n), n, total)]
    loss, level = loss_function(TransitionMatrix.of(rows)), Level.of(1)
    for lost in ([rows[1], *rows[1:]], [*rows[:-1], rows[-2]]):
        assert loss_function(TransitionMatrix.of(lost))(level) < loss(level)


@pytest.mark.parametrize("numbers", [FLOAT64, RATIONAL])
def test_edges_have_the_answers_that_they_are_made_for(numbers):
    session, random, notation = Session(), Random(7), NOTATIONS[numbers]
    infinite = chosen = left = infeasible = between = 0
    for _ in range(60):
        matrix, alpha = draw_breakpoint(random, notation)
        pieces = session.answer("loss_function", {"matrix": matrix}, 20, numbers)["pieces"]
        ends = [parse_level(piece["to"]) for piece in pieces[:-1]]
        level = Level.of(Fraction(float.fromhex(alpha))) if numbers == FLOAT64 else parse_level(alpha)
        between += any(abs(float(end) / float(level) - 1) < 1e-8 for end in ends)
        matrix, epsilon = draw_critical(random, notation)
        infinite += session.answer("supremum", {"matrix": matrix, "epsilon": epsilon}, 20, numbers)["upper"] == "inf"
        matrix, epsilon = draw_chosen_supremum(random, notation)
        found = session.answer("supremum", {"matrix": matrix, "epsilon": epsilon}, 20, numbers)
        chosen += 36 < float(found["upper"]) < 37
        matrix, previous, cap = draw_nothing_left(random, notation)
        try:
            given = {"matrix": matrix, "previous": previous, "cap": cap}
            left += 0 < float(session.answer("control", given, 20, numbers)["upper"]) < 1e-9
        except InfeasibleBudget:
            infeasible += 1
    assert 10 < infinite < 50
    assert min(chosen, infeasible) > 5
    assert min(left, between) > 10


def test_rows_in_proportion():
    assert row_of([1, 1, 2], 8) == [2, 2, 4]
    assert row_of([1, 0, 2], 10) == [3, 0, 7]
    assert row_of([0, 5], 3) == [0, 3]


def test_notations():
    doubles, rationals = DoubleNotation(), RationalNotation()
    assert [doubles.entry(part, 4) for part in range(5)] == ["0x0p+0", "0x1p-2", "0x1p-1", "0x1.8p-1", "0x1p+0"]
    assert [rationals.entry(part, 4) for part in range(5)] == ["0", "1/4", "1/2", "3/4", "1"]
    assert [rationals.entry(part, 100) for part in (0, 5, 50, 100)] == ["0", "0.05", "0.50", "1"]
    assert [rationals.entry(part, 10) for part in (0, 3, 10)] == ["0", "0.3", "1"]
    assert doubles.doubled("0x1.8p-1") == "0x1.8p+0"
    assert doubles.doubled("inf") == rationals.doubled("inf") == "inf"
    assert rationals.doubled("3/7") == "10/7"
    assert parse_level(rationals.doubled("log(11/10)")).ratio == Fraction(11, 5)
    near = {doubles.near_log(Random(seed), Fraction(4, 3)) for seed in range(30)}
    assert len(near) == 3
    assert max(abs(float.fromhex(text) - 0.28768207245178085) for text in near) < 2e-16
    near = {parse_level(rationals.near_log(Random(seed), Fraction(4, 3))).ratio * 3 / 4 - 1 for seed in range(30)}
    assert near == {Fraction(sign, 10**12) for sign in (-1, 0, 1)}
