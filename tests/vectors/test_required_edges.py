"""The edges that the vectors must have, each looked for in the data of the cases: no flag and no title is believed."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations
from math import inf, nextafter

import pytest

from tploracle.conformance.ask.cases import load_vectors
from tploracle.contract.operations import OPERATIONS

MATRICES = ("matrix", "backward", "forward")
LEVELS = ("alpha", "epsilon", "previous", "cap")
WITH_MATRIX = (
    "loss",
    "loss_function",
    "leakage",
    "supremum",
    "composition",
    "allocate",
    "control",
    "smooth",
    "reverse",
    "worst_case_leakage",
    "worst_case_supremum",
    "worst_case_allocate",
    "leakage_profile",
)
WITH_LEVEL = (
    *("loss", "leakage", "supremum", "composition", "allocate", "control"),
    *("worst_case_leakage", "worst_case_supremum", "worst_case_allocate"),
)
LEAST = Fraction(1, 2**1074)


def number(text, numbers):
    """Read a number of the notation of a case; None for what is none, as in cases that are refused."""
    try:
        return Fraction(float.fromhex(text)) if numbers == "float64" else Fraction(text)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return None


class Question:
    """A case that has a value, its numbers read by Python alone."""

    def __init__(self, case):
        self.case, self.op, self.numbers, given = case, case.op, case.numbers, case.input
        self.given = given
        self.matrices = [
            [[number(entry, self.numbers) for entry in row] for row in given[key]] for key in MATRICES if key in given
        ]
        self.texts = [given[key] for key in LEVELS if key in given] + list(given.get("epsilons", []))
        self.levels = [inf if text == "inf" else number(text, self.numbers) for text in self.texts]
        self.value = case.expected["value"]

    def has_level(self, level):
        return level in self.levels

    def pairs(self):
        return [pair for matrix in self.matrices for pair in permutations(matrix, 2)]

    def entries(self):
        return [entry for matrix in self.matrices for row in matrix for entry in row]


@pytest.fixture(scope="module")
def cases():
    return load_vectors()


@pytest.fixture(scope="module")
def questions(cases):
    return [Question(case) for case in cases if "value" in case.expected]


@pytest.mark.parametrize("op", WITH_LEVEL)
@pytest.mark.parametrize("level", [LEAST, 1e-12, 40, 710, 10**6, inf])
def test_levels(questions, op, level):
    wanted = level if level == inf else Fraction(level)
    assert any(question.op == op and question.has_level(wanted) for question in questions)


@pytest.mark.parametrize("op", sorted(set(WITH_LEVEL) - {"allocate", "worst_case_allocate"}))
def test_a_level_of_zero(questions, op):
    assert any(question.op == op and question.has_level(0) for question in questions)


@pytest.mark.parametrize("op", ["allocate", "worst_case_allocate"])
def test_no_budget_is_left_within_a_level_of_zero(cases, op):
    zero = [case for case in cases if case.op == op and case.input.get("alpha") in ("0x0p+0", "0")]
    assert {case.expected.get("error") for case in zero} == {"InfeasibleBudget"}
    assert {case.numbers for case in zero} == {"float64", "rational"}


def ln(ratio):
    return (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()


def near(level, boundary):
    """Return how a double is beside a boundary: "next" or "part", "below" or "above"; None for neither."""
    value = Decimal(float(level))
    side = "below" if value < boundary else "above"
    other = Decimal(nextafter(float(level), inf if side == "below" else -inf))
    if (value < boundary) != (other < boundary):
        return "next", side
    distance = abs(value / boundary - 1)
    return ("part", side) if Decimal("0.9e-12") < distance < Decimal("1.1e-12") else None


SIDES = {(kind, side) for kind in ("next", "part") for side in ("below", "above")}


@pytest.fixture
def precise():
    with localcontext() as context:
        context.prec = 120
        yield


def transitions(q, d):
    order = sorted((j for j in range(len(q)) if q[j] > d[j]), key=lambda j: d[j] / q[j])
    q_sum, d_sum = Fraction(0), Fraction(0)
    for j in order:
        q_sum, d_sum = q_sum + q[j], d_sum + d[j]
        slope = q_sum * d[j] - d_sum * q[j]
        if slope > 0:
            yield (q[j] - d[j]) / slope


def test_levels_at_and_beside_transition_points(questions, precise):
    doubles, exact = set(), 0
    for question in questions:
        if question.op != "loss" or len(question.matrices[0]) > 6:
            continue
        points = {excess for a, b in question.pairs() for excess in transitions(a, b)}
        if question.numbers == "float64" and question.levels[0] not in (0, inf):
            doubles |= {near(question.levels[0], ln(1 + excess)) for excess in points}
        exact += question.texts[0] in {f"log({1 + excess})" for excess in points}
    assert doubles >= SIDES
    assert exact >= 5


@pytest.mark.parametrize("op", ["leakage", "composition"])
def test_what_is_known(questions, op):
    known = {tuple(key for key in ("backward", "forward") if key in q.given) for q in questions if q.op == op}
    assert known == {(), ("backward",), ("forward",), ("backward", "forward")}
    budgets = [q for q in questions if q.op == op and len(q.texts) > 2]
    assert any(0 in q.levels and any(level != 0 for level in q.levels) for q in budgets)
    assert any(q.texts != q.texts[::-1] for q in budgets)
    assert any(len(q.texts) >= 100 for q in budgets)
    if op == "leakage":
        assert {len(q.texts) for q in questions if q.op == op} >= {1, 2, 3}


ERRORS = {
    "InvalidNumber": set(WITH_MATRIX),
    "NotStochastic": set(WITH_MATRIX),
    "NegativeProbability": set(WITH_MATRIX),
    "NotSquare": set(WITH_MATRIX),
    "InvalidLevel": {*WITH_LEVEL, "leakage_profile"},
    "InvalidRequest": set(OPERATIONS),
    "InfeasibleBudget": {"allocate", "control", "worst_case_allocate"},
    "UnreachableState": {"reverse", "estimate"},
}


@pytest.mark.parametrize("error", ERRORS)
def test_errors_by_name_for_every_operation_in_both_kinds_of_numbers(cases, error):
    refused = [case for case in cases if case.expected.get("error") == error]
    assert {case.op for case in refused if case.numbers in ("float64", "rational")} >= ERRORS[error]
    assert {case.numbers for case in refused} >= {"float64", "rational"}


def test_errors_of_no_operation(cases):
    unknown = [case for case in cases if case.expected.get("error") == "UnknownOperation"]
    assert len(unknown) >= 5
    assert not {case.op for case in unknown} & set(OPERATIONS)
    assert {case.numbers for case in unknown} == {"float64", "rational"}
    assert {case.expected["error"] for case in cases if "error" in case.expected} == {*ERRORS, "UnknownOperation"}


def test_most_cases_are_for_doubles(cases):
    doubles = sum(case.numbers == "float64" for case in cases)
    assert len(cases) / 2 < doubles < len(cases) - 100
