"""The edges that the vectors must have, each looked for in the data of the cases: no flag and no title is believed."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from math import inf, nextafter

import pytest

from tploracle.conformance.ask.cases import load_vectors
from tploracle.contract.operations import OPERATIONS
from tploracle.proofs_checks.errata import ERRATA
from vectors.generators.catalogue import NOT_SHOWN

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


def disjoint(q, d):
    return not any(a and b for a, b in zip(q, d, strict=True))


def one_against_zero(q, d):
    return any(a == 1 and b == 0 for a, b in zip(q, d, strict=True))


def tied(q, d):
    ratios = [a / b for a, b in zip(q, d, strict=True) if a > b > 0]
    return len(ratios) > len(set(ratios))


def apart(q, d):
    return max(abs(a - b) for a, b in zip(q, d, strict=True))


def left_to_right(row):
    total = 0.0
    for entry in row:
        total += float(entry)
    return total


def is_permutation(matrix):
    return len(matrix) > 1 and all(
        sorted(line) == [0] * (len(matrix) - 1) + [1] for line in (*matrix, *zip(*matrix, strict=True))
    )


OF_ROWS = {
    "one state": lambda q: any(len(matrix) == 1 for matrix in q.matrices),
    "two states": lambda q: any(len(matrix) == 2 for matrix in q.matrices),
    "fifty states": lambda q: any(len(matrix) == 50 for matrix in q.matrices),
    "fifty sparse states": lambda q: any(len(m) == 50 and sum(e == 0 for r in m for e in r) > 1500 for m in q.matrices),
    "a band": lambda q: any(
        len(m) > 4 and not any(e for j, r in enumerate(m) for k, e in enumerate(r) if abs(j - k) > 1)
        for m in q.matrices
    ),
    "equal rows throughout": lambda q: any(len(m) > 1 and all(row == m[0] for row in m) for m in q.matrices),
    "two rows of more are equal": lambda q: any(
        any(a == b for a, b in combinations(m, 2)) and any(row != m[0] for row in m) for m in q.matrices
    ),
    "rows 2^-40 apart": lambda q: any(apart(a, b) == Fraction(1, 2**40) for a, b in q.pairs()),
    "rows 2^-52 apart": lambda q: any(apart(a, b) == Fraction(1, 2**52) for a, b in q.pairs()),
    "rows one ulp apart": lambda q: (
        q.numbers == "float64"
        and any(
            all(
                abs(float(x) - float(y)) in (0, abs(nextafter(float(x), inf) - float(x)))
                for x, y in zip(a, b, strict=True)
            )
            for a, b in q.pairs()
            if a != b
        )
    ),
    "a tie": lambda q: any(tied(a, b) for a, b in q.pairs()),
    "a zero below": lambda q: any(any(x > 0 == y for x, y in zip(a, b, strict=True)) for a, b in q.pairs()),
    "a column of zeros": lambda q: any(not any(column) for m in q.matrices for column in zip(*m, strict=True)),
    "disjoint supports with a 1 against a 0": lambda q: any(
        disjoint(a, b) and one_against_zero(a, b) for a, b in q.pairs()
    ),
    "disjoint supports without": lambda q: (
        any(disjoint(a, b) for a, b in q.pairs()) and not any(one_against_zero(a, b) for a, b in q.pairs())
    ),
    "the identity": lambda q: any(
        len(m) > 1 and all(e == (j == k) for j, r in enumerate(m) for k, e in enumerate(r)) for m in q.matrices
    ),
    "another permutation": lambda q: any(
        is_permutation(m) and any(m[j][j] != 1 for j in range(len(m))) for m in q.matrices
    ),
    "a sum that is 1 in exact arithmetic only": lambda q: any(
        sum(row) == 1 != left_to_right(row) for m in q.matrices for row in m if q.numbers == "float64"
    ),
    "the least double": lambda q: LEAST in q.entries(),
    "an entry next to 1": lambda q: 1 - Fraction(1, 2**53) in q.entries(),
    "an entry 2^-40": lambda q: Fraction(1, 2**40) in q.entries(),
    "an entry 2^-300": lambda q: Fraction(1, 2**300) in q.entries(),
    "an entry 2^-1000": lambda q: Fraction(1, 2**1000) in q.entries(),
    "minus zero": lambda q: "-0x0p+0" in str(q.given),
}


@pytest.mark.parametrize("edge", OF_ROWS)
def test_edges_of_rows(questions, edge):
    assert any(OF_ROWS[edge](question) for question in questions if question.matrices)


@pytest.mark.parametrize("op", ["loss", "loss_function", "supremum", "leakage"])
@pytest.mark.parametrize(
    "edge",
    [
        "one state",
        "two states",
        "fifty states",
        "equal rows throughout",
        "rows one ulp apart",
        "disjoint supports without",
        "the identity",
        "an entry next to 1",
        "a zero below",
    ],
)
def test_edges_of_rows_for_the_operations_on_leakage(questions, op, edge):
    assert any(OF_ROWS[edge](question) for question in questions if question.op == op)


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


def critical(matrix):
    """Return the greatest q with d = 0 over all pairs."""
    return max(
        (sum(x for x, y in zip(a, b, strict=True) if y == 0) for a, b in permutations(matrix, 2)), default=Fraction(0)
    )


def test_budgets_at_and_beside_the_critical_one(questions, precise):
    met = {}
    exact = {}
    for question in questions:
        if question.op != "supremum":
            continue
        q = critical(question.matrices[0])
        if not 0 < q < 1:
            continue
        infinite = question.value["exact"] == "inf"
        if question.numbers == "float64" and question.levels[0] not in (0, inf):
            place = near(question.levels[0], ln(1 / q))
            if place:
                met.setdefault(place, set()).add(q)
                assert infinite == (place[1] == "above"), question.case.id
        elif question.texts[0].startswith("log("):
            ratio = Fraction(question.texts[0][4:-1])
            exact.setdefault((ratio > 1 / q) - (ratio < 1 / q), []).append(infinite)
    assert set(met) == SIDES
    assert all(len(qs) >= 4 for qs in met.values())
    assert all(exact[0])
    assert len(exact[0]) >= 4
    assert all(exact[1])
    assert not any(exact[-1])


def test_suprema_of_all_sizes(questions):
    suprema = [question for question in questions if question.op == "supremum"]
    finite = [Decimal(question.value["upper"]) for question in suprema if question.value["exact"] != "inf"]
    unlimited = [question for question in suprema if question.value["exact"] == "inf" and inf not in question.levels]
    assert len(unlimited) >= 10
    assert any(level > 600 for level in finite)
    assert any(0 < level < Decimal("1e-11") for level in finite)
    assert 0 in finite
    for tiny in (40, 300, 1000):
        least = Fraction(1, 2**tiny)
        above = [
            q
            for q in suprema
            if least in q.entries() and q.value["exact"] != "inf" and Decimal(q.value["upper"]) > tiny / 3
        ]
        assert above, tiny


@pytest.mark.slow
def test_the_first_steps_pair_misleads(questions):
    """By walking: the point that is best at ε, kept for ever, comes to less than a few steps of the recursion do."""
    misled = 0
    for question in questions:
        if question.op != "supremum" or not question.texts[0].startswith("log(") or "sqrt" in question.texts[0]:
            continue
        matrix, budget = question.matrices[0], Fraction(question.texts[0][4:-1])
        if len(matrix) > 4 or budget.denominator > 100 or max(e.denominator for row in matrix for e in row) > 100:
            continue
        points = [
            (sum(a[j] for j in chosen), sum(b[j] for j in chosen))
            for a, b in permutations(matrix, 2)
            for size in range(len(matrix) + 1)
            for chosen in combinations(range(len(matrix)), size)
        ] or [(Fraction(0), Fraction(0))]

        def after(ratio, some, budget=budget):
            return budget * max((q * (ratio - 1) + 1) / (d * (ratio - 1) + 1) for q, d in some)

        best = max(points, key=lambda p: (p[0] * (budget - 1) + 1) / (p[1] * (budget - 1) + 1), default=(0, 0))
        own = every = float(budget)
        for _ in range(200):
            own = float(after(Fraction(own), [best]))
            every = min(float(after(Fraction(every), points)), 1e100)
        misled += every > own * 1.01
    assert misled >= 4


@pytest.mark.parametrize("method", ["quantified", "upper-bound"])
def test_horizons(questions, method):
    asked = [question for question in questions if question.op == "allocate" and question.given["method"] == method]
    horizons = {question.given.get("horizon") for question in asked}
    assert horizons >= ({1, 2, 3, 100} if method == "quantified" else {None, 4, 100})
    for question in asked:
        assert len(question.value["epsilons"]) == question.given.get("horizon", 1)


def test_infeasible_budgets(cases, questions):
    refused = [case for case in cases if case.expected.get("error") == "InfeasibleBudget"]
    assert {case.op for case in refused} == {"allocate", "control", "worst_case_allocate"}
    assert {case.input["method"] for case in refused if case.op == "allocate"} == {"quantified", "upper-bound"}
    identity = [["0x1p+0", "0x0p+0"], ["0x0p+0", "0x1p+0"]]
    exactly = [
        c
        for c in refused
        if c.op == "control" and c.input["matrix"] == identity and c.input["previous"] == c.input["cap"]
    ]
    assert exactly
    spent = [Decimal(question.value["upper"]) for question in questions if question.op == "control"]
    assert any(0 < level < Decimal("1e-12") for level in spent)


def test_windows(questions):
    windows = [(q.given["start"], q.given["length"], len(q.texts)) for q in questions if q.op == "composition"]
    assert any(length == 1 for _, length, _ in windows)
    assert any(length == 2 for _, length, _ in windows)
    assert any(length == steps > 1 for _, length, steps in windows)
    assert any(start > 1 and start + length - 1 < steps and length > 2 for start, length, steps in windows)


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


def test_loss_functions_of_all_lengths(questions):
    pieces = [question.value["pieces"] for question in questions if question.op == "loss_function"]
    assert {1, 2, 3, 4} <= {len(found) for found in pieces}
    assert any(found[-1]["d"] == "0" for found in pieces)
    assert any(Fraction(found[-1]["d"]) > 0 for found in pieces)
    assert any(found == [{"q": "0", "d": "0", "from": "0", "to": "inf"}] for found in pieces)
    assert any(found == [{"q": "1", "d": "0", "from": "0", "to": "inf"}] for found in pieces)
    ends = [[Fraction(piece["to"][4:-1]) - 1 for piece in found[:-1]] for found in pieces]
    assert any(end > 2**40 for found in ends for end in found)
    assert any(end < Fraction(1, 2**40) for found in ends for end in found)
    assert any(b < a * (1 + Fraction(1, 10**6)) for found in ends for a, b in pairwise(found))


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


def test_the_errata_that_can_be_shown(cases):
    numbers = {erratum.id for erratum in ERRATA}
    assert {erratum for case in cases for erratum in case.errata} == numbers - NOT_SHOWN.keys()
