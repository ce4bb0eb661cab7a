"""Seeded cases: the same for the same seed, dyadic where they are doubles, and of every kind."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from math import inf
from random import Random

import pytest

from tploracle.conformance.ask.draws import HOW_ASKED, INVALID
from tploracle.conformance.ask.edges import draw_breakpoint, draw_nothing_left, draw_supremum
from tploracle.conformance.ask.families import FAMILIES, FINE, FINE_FAMILIES, FINITE_SCHEDULES, SCHEDULES, row_of
from tploracle.conformance.ask.notation import BINARY_TOTALS, NOTATIONS, RATIONAL_TOTALS
from tploracle.conformance.ask.seeded import ALIKE, seeded_cases, seeded_of_each
from tploracle.conformance.structures import chain_structure
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
FAULTS = {name for spoilt in INVALID.values() for name, _ in spoilt}


def cases(count=600, numbers=(FLOAT64, RATIONAL), seed=4):
    return list(seeded_cases(seed, count, numbers))


def of(op, count, numbers=FLOAT64):
    return list(seeded_of_each(4, {op: count}, (numbers,)))


def fault(case):
    """Return the name of the error that a case is made for, "" of one that is valid."""
    said = case.title.rpartition(": ")[2].rstrip(".")
    return said if said in FAULTS else ""


def test_the_same_seed_gives_the_same_cases_and_another_seed_others():
    first = cases()
    assert cases() == first
    assert cases(100) == first[:100]
    for seed in (5, -4):
        assert [case.input for case in cases(seed=seed)] != [case.input for case in first]


def test_a_quota_of_each_operation_is_the_first_of_its_cases_and_what_is_not_wanted_is_not_drawn():
    quotas = {"loss": 30, "reverse": 5, "control": 0}
    found = list(seeded_of_each(4, quotas, (FLOAT64, RATIONAL)))
    assert Counter(case.op for case in found) == {"loss": 30, "reverse": 5}
    assert [case for case in found if case.op == "loss"] == [case for case in cases() if case.op == "loss"][:30]
    one = found[17]
    assert list(seeded_of_each(4, quotas, (FLOAT64, RATIONAL), lambda op, name: name == one.id)) == [one]
    assert list(seeded_of_each(4, {"loss": 3}, ())) == []


def test_ids_and_sources():
    first = cases(50)
    ops = len(OPERATIONS)
    assert [case.id for case in first] == [f"{case.op}-seeded-4-{k // ops + 1}" for k, case in enumerate(first)]
    assert {case.source for case in first} == {"seeded"}
    assert all(case.expected is None and case.title.startswith("Seeded, ") for case in first)
    assert all(decode(encode(case.input)) == case.input for case in first)


def test_only_the_numbers_that_are_asked_for():
    assert {case.numbers for case in cases(100, (FLOAT64,))} == {FLOAT64}
    assert {case.numbers for case in cases(100, (RATIONAL, "float32"))} == {RATIONAL}
    assert {case.numbers for case in cases(100)} == {FLOAT64, RATIONAL}
    assert cases(100, ()) == cases(100, ("float32",)) == cases(0) == []


@pytest.mark.parametrize("numbers", [FLOAT64, RATIONAL])
def test_numbers_are_of_the_contract_rows_sum_to_one_in_any_order_and_levels_have_many_forms(numbers):
    forms, valid = Counter(), [case for case in cases(900, (numbers,)) if not fault(case)]
    for case in valid:
        for rows in [case.input[key] for key in MATRICES if key in case.input]:
            if numbers == RATIONAL:
                TransitionMatrix.of(rows)
            for row in rows if numbers == FLOAT64 else ():
                entries = [float.fromhex(entry) for entry in row]
                assert sum(map(Fraction, entries)) == 1
                assert sum(entries) == sum(entries[::-1]) == sum(sorted(entries)) == 1
        for level in [case.input[key] for key in LEVELS if key in case.input] + case.input.get("epsilons", []):
            if numbers == RATIONAL:
                parse_level(level)
            else:
                assert level == "inf" or (level.startswith("0x") and 0 <= float.fromhex(level) < inf)
            forms[next((mark for mark in ("sqrt", "log", "/", "e", ".", "inf") if mark in level), "integer")] += 1
    assert len(valid) > 800
    assert numbers == FLOAT64 or set(forms) == {"sqrt", "log", "/", "e", ".", "inf", "integer"}


@pytest.mark.parametrize("numbers", [FLOAT64, RATIONAL])
def test_every_size_and_kind_of_question_occurs(numbers):
    sizes = Counter(len(case.input["matrix"]) for case in of("loss_function", 240, numbers))
    assert set(range(1, 9)) <= set(sizes)
    assert max(sizes) > 16
    titles = " ".join(case.title for case in of("loss", 900, numbers))
    assert all(family in titles for family in FAMILIES)
    leakage = [case for case in of("leakage", 240, numbers) if not fault(case)]
    known = {("backward" in case.input, "forward" in case.input) for case in leakage}
    assert known == {*product((True, False), repeat=2)}
    assert {len(case.input["epsilons"]) for case in leakage} >= set(range(1, 7))
    assert {case.schedule for case in leakage} == set(SCHEDULES)
    allocate = [case.input for case in of("allocate", 200, numbers) if not fault(case)]
    assert {given.get("horizon") for given in allocate if given["method"] == "quantified"} >= set(range(1, 7))
    assert {given.get("horizon") for given in allocate if given["method"] == "upper-bound"} >= {None, 1, 6}
    assert {"n" in case.input for case in of("smooth", 40, numbers)} == {True, False}


@pytest.mark.parametrize("numbers", [FLOAT64, RATIONAL])
def test_levels_are_tiny_to_large(numbers):
    texts = [case.input["alpha"] for case in of("loss", 600, numbers) if "alpha" in case.input and not fault(case)]
    levels = [float.fromhex(text) if numbers == FLOAT64 else parse_level(text).double_below() for text in texts]
    for low, high in ((0, 0), (1e-30, 1e-6), (1e-2, 1), (1, 8), (36, 700), (709, 1e7), (inf, inf)):
        assert any(low <= level <= high for level in levels), (low, high)


@pytest.mark.parametrize("op", ["loss", "allocate", "control"])
def test_infinite_levels_are_asked_of_every_number_of_states(op):
    found = Counter(
        len(one.input.get("matrix") or one.input.get("backward") or one.input.get("forward") or [()]).bit_length()
        for one in of(op, 1000)
        if "inf" in (one.input.get("alpha"), one.input.get("cap"))
    )
    assert min(found[bits] for bits in range(1, 6)) >= 3


def test_doubly_stochastic_chains_are_not_only_circulants():
    """Without its first row a circulant has the loss function that it had."""
    kinds = Counter()
    for one in of("loss_function", 1200)[::ALIKE]:
        structure, rows = chain_structure(one.input["matrix"]), one.input["matrix"]
        if structure["likeness"] == "doubly stochastic" and structure["zeros"] != "disjoint rows":
            kinds[any(sorted(row) != sorted(rows[0]) for row in rows)] += 1
    assert kinds[True] >= 3


def test_several_questions_about_each_matrix():
    """Matrices come again soon, so that the oracle remembers their loss functions."""
    dear = [op for op in OPERATIONS if op in HOW_ASKED and HOW_ASKED[op].few < HOW_ASKED["loss"].few]
    found = [case for case in cases(len(OPERATIONS) * ALIKE * 6) if case.op not in dear and "edge" not in case.title]
    texts = [encode(case.input[key]) for case in found for key in MATRICES if key in case.input and not fault(case)]
    assert len(set(texts)) * 4 < len(texts)


@pytest.mark.parametrize("numbers", [FLOAT64, pytest.param(RATIONAL, marks=pytest.mark.slow)])
def test_errors_are_those_that_are_meant_and_the_rest_mostly_has_a_value(numbers):
    session, met, meant = Session(), Counter(), set()
    for number, case in enumerate(cases(6000, (numbers,))):
        name = fault(case)
        if not name and number % 48:
            continue
        error = None
        try:
            session.answer(case.op, case.input, 17, numbers)
        except OracleError as raised:
            error = raised.name
        if name:
            assert error == name, case
            meant.add(name)
        else:
            met[error] += 1
    assert meant == FAULTS
    assert set(met) <= {None, "InfeasibleBudget", "UnreachableState"}
    assert met[None] > 100


# The parts


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", some([5, 1, 2, 20], 4))
def test_families_are_of_rows_that_sum_to_the_total(family, n):
    for seed in range(20):
        for total in (*BINARY_TOTALS, *RATIONAL_TOTALS):
            if family not in FINE_FAMILIES or total >= FINE:
                rows = FAMILIES[family](Random(seed), n, total)
                assert len(rows) == n
                assert all(len(row) == n and sum(row) == total and min(row) >= 0 for row in rows)


TOTAL = 2**30


def apart(one, other):
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


IS = {
    "varied": lambda rows: min(map(min, rows)) > 0,
    "sparse": lambda rows: all(sum(map(bool, row)) <= 2 for row in rows),
    "banded": lambda rows: all(
        not entry or abs(j - k) < 2 for j, row in enumerate(rows) for k, entry in enumerate(row)
    ),
    "permutation": lambda rows: all(sorted(line) == [0] * 5 + [TOTAL] for line in (*rows, *zip(*rows, strict=True))),
    "few distinct rows": lambda rows: len({tuple(row) for row in rows}) <= 2,
    "nearly equal rows": lambda rows: max(apart(*pair) for pair in pairwise(rows)) <= 6,
    "nearly the identity": lambda rows: all(row[j] >= TOTAL - 10 for j, row in enumerate(rows)),
    "disjoint rows": lambda rows: not any(a and b for a, b in zip(rows[0], rows[-1], strict=True)),
    "blocks": lambda rows: not any(any(row[3:]) for row in rows[:3]) and not any(any(row[:3]) for row in rows[3:]),
    "periodic": lambda rows: not any(any(row[:3]) for row in rows[:3]) and not any(any(row[3:]) for row in rows[3:]),
    "absorbing": lambda rows: not any(any(row[:j]) for j, row in enumerate(rows)) and rows[-1][-1] == TOTAL,
    "several classes": lambda rows: min(map(min, rows[:3])) > 0 and all(rows[j][j] == TOTAL for j in range(3, 6)),
    "doubly stochastic": lambda rows: all(sum(column) == TOTAL for column in zip(*rows, strict=True)),
}
"""What holds of every matrix of a family, of six states."""


@pytest.mark.parametrize("family", IS)
def test_what_each_family_is(family):
    assert all(IS[family](FAMILIES[family](Random(seed), 6, TOTAL)) for seed in range(20))


def test_ties_zeros_and_small_differences_occur():
    coarse = [row for seed in range(20) for row in FAMILIES["coarse"](Random(seed), 6, TOTAL)]
    assert any(0 in row for row in coarse)
    assert any(len({entry for entry in row if entry}) < sum(map(bool, row)) for row in coarse)
    nearly = [FAMILIES["nearly equal rows"](Random(seed), 6, TOTAL) for seed in range(20)]
    assert any(len({tuple(row) for row in rows}) > 1 for rows in nearly)


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


@pytest.mark.parametrize("name", SCHEDULES)
def test_what_the_schedules_are(name):
    for seed in range(10):
        random = Random(seed)
        budgets = SCHEDULES[name](random, 12, lambda random=random: 0.5 + random.random())
        assert len(budgets) == 12
        assert (inf in budgets) == (name == "infinite inside") == (name not in FINITE_SCHEDULES)
        assert (name == "rising") == (budgets == sorted(budgets) and len({*budgets}) > 1)
        assert (name == "falling") == (budgets == sorted(budgets)[::-1] and len({*budgets}) > 1)
        assert (len({*budgets}) == 1) == (name == "constant")
        assert (len({*budgets}) == 2) == (name == "alternating")
        if name == "zeros in runs":
            assert 0.0 in budgets
    assert any(0.0 in SCHEDULES["zeros alone"](Random(seed), 12, lambda: 1.0) for seed in range(9))


@pytest.mark.parametrize("numbers", [FLOAT64, RATIONAL])
def test_edges_have_the_answers_that_they_are_made_for(numbers):
    session, random, notation = Session(), Random(7), NOTATIONS[numbers]
    met = Counter()
    for _ in range(60):
        given = draw_breakpoint(random, notation)
        pieces = session.answer("loss_function", {"matrix": given["matrix"]}, 20, numbers)["pieces"]
        ends = [parse_level(piece["to"]) for piece in pieces[:-1]]
        level = given["alpha"]
        level = Level.of(Fraction(float.fromhex(level))) if numbers == FLOAT64 else parse_level(level)
        met["breakpoint"] += any(abs(float(end) / float(level) - 1) < 1e-8 for end in ends)
        for _ in range(2):
            found = session.answer("supremum", draw_supremum(random, notation), 20, numbers)
            is_critical = found["d"] == "0" and 0 < parse_number(found["q"]) < 1
            met["infinite" if found["upper"] == "inf" else "finite, d = 0" if is_critical else "finite"] += 1
            met["chosen"] += 36 < float(found["upper"]) < 37
        try:
            left = session.answer("control", draw_nothing_left(random, notation), 20, numbers)
            met["little left"] += 0 < float(left["upper"]) < 1e-9
        except InfeasibleBudget:
            met["nothing left"] += 1
    assert min(met.values()) > 3, met
    assert len(met) == 7


def test_rows_in_proportion():
    assert row_of([1, 1, 2], 8) == [2, 2, 4]
    assert row_of([1, 0, 2], 10) == [3, 0, 7]
    assert row_of([0, 5], 3) == [0, 3]


def test_notations():
    doubles, rationals = NOTATIONS[FLOAT64], NOTATIONS[RATIONAL]
    assert [doubles.entry(part, 4) for part in range(5)] == ["0x0p+0", "0x1p-2", "0x1p-1", "0x1.8p-1", "0x1p+0"]
    assert [rationals.entry(part, 4) for part in range(5)] == ["0", "1/4", "1/2", "3/4", "1"]
    assert [rationals.entry(part, 100) for part in (0, 5, 50, 100)] == ["0", "0.05", "0.50", "1"]
    assert [rationals.entry(part, 10) for part in (0, 3, 10)] == ["0", "0.3", "1"]
    near = {doubles.near_log(Random(seed), Fraction(4, 3)) for seed in range(30)}
    assert len(near) == 3
    assert max(abs(float.fromhex(text) - 0.28768207245178085) for text in near) < 2e-16
    near = {parse_level(rationals.near_log(Random(seed), Fraction(4, 3))).ratio * 3 / 4 - 1 for seed in range(30)}
    assert near == {Fraction(sign, 10**12) for sign in (-1, 0, 1)}
    for value in (5e-324, 1e-12, 0.01, 0.7, 2.0, 40.0, 700.0, 1e9):
        levels = [parse_level(rationals.level(Random(seed), value)).double_below() for seed in range(30)]
        assert all(value > 1e-20 or level <= 1.1e-30 for level in levels)
        assert all(value < 1e-20 or min(value, 700) / 8 < level < 8 * value for level in levels), (value, levels)
