"""Certificates about a matrix for each step: accepted, near the leakage, and rejected when they are changed."""

import copy
import json
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tploracle.certificates.all_times import worst_case_upper_at_all_times
from tploracle.certificates.checker import Rejected, check
from tploracle.certificates.for_ever import worst_case_forever_certificate
from tploracle.certificates.recursion import leakage_certificate
from tploracle.certificates.worst_case import worst_case_lower_certificate, worst_case_upper_certificate
from tploracle.reference import Level, leakage, loss_function, parse_level
from tploracle.reference.paper.own_steps import StepwiseAdversary
from tploracle.reference.stepwise import Stepwise, matrices_in
from tploracle.solvers.worst_case.pairs import fast_worst_case_leakage

from ..matrices import DIVERGES, HALF, MODERATE, PAPER_L, SKEWED, SYMMETRIC, UNCORRELATED
from ..profiles import examples
from ..strategies import matrices
from .documents import THREE, checked
from .truth import is_true


@st.composite
def correlations(draw, n, steps):
    kind = draw(st.sampled_from(["one", "steps", "cycle", "cycle"]))
    if kind == "one":
        return draw(matrices(n, n))
    count = steps if kind == "steps" else draw(st.integers(1, 3))
    return Stepwise(tuple(draw(matrices(n, n)) for _ in range(count)), repeats=kind == "cycle")


@given(st.integers(2, 3), st.integers(1, 4), st.data())
@examples(8)
def test_they_hold_and_are_near_the_leakage(n, releases, data):
    epsilons = [parse_level(data.draw(st.sampled_from(["0", "1/10", "log(2)", "3"]))) for _ in range(releases)]
    known = [data.draw(st.none() | correlations(n, releases - 1)) for _ in range(2)]
    known = known if any(map(matrices_in, known)) else [Stepwise((SKEWED,), repeats=True), None]
    time = data.draw(st.integers(1, releases))
    levels = fast_worst_case_leakage(epsilons, *known).tpl
    found, worst = levels[time - 1].enclosure(25), max(level.enclosure(25).upper for level in levels)
    makers = worst_case_upper_certificate, worst_case_lower_certificate
    documents = [checked(make(epsilons, time, *known)) for make in makers]
    documents.append(checked(worst_case_upper_at_all_times(epsilons, *known)))
    upper, lower, at_all = (Decimal(own["level"]) for own in documents)
    close = Decimal("2e-16")
    assert found.lower <= upper <= found.upper * (1 + close) + Decimal("1e-32")
    assert found.lower * (1 - close) <= lower <= found.upper
    assert worst * (1 - close) <= at_all <= worst * (1 + close) + Decimal("1e-32")
    adversary = StepwiseAdversary(*map(losses, known))
    by_paper = checked(leakage_certificate(epsilons, adversary))
    assert all(map(is_true, [*documents, by_paper]))
    for claimed, level in zip(by_paper["tpl"], leakage(epsilons, adversary).tpl, strict=True):
        assert Decimal(claimed["lower"]) <= level.enclosure(30).upper
        assert Decimal(claimed["upper"]) >= level.enclosure(30).lower


def losses(known):
    if isinstance(known, Stepwise):
        return Stepwise(tuple(map(loss_function, known.each)), known.repeats)
    return known and loss_function(known)


STEPS = Stepwise((SKEWED, MODERATE, SYMMETRIC))
EPSILONS = [parse_level(text) for text in ("log(2)", "log(3/2)", "log(5/4)", "log(2)")]
HONEST = {
    "upper": lambda: worst_case_upper_certificate(EPSILONS, 3, STEPS, STEPS),
    "all times": lambda: worst_case_upper_at_all_times(EPSILONS, STEPS, STEPS),
    "lower": lambda: worst_case_lower_certificate(EPSILONS, 4, STEPS, STEPS),
    "leakage": lambda: leakage_certificate(EPSILONS, StepwiseAdversary(losses(STEPS), losses(STEPS))),
}


def with_steps(document, role, steps, kind="steps"):
    found = copy.deepcopy(document)
    found[role] = {kind: steps}
    return json.dumps(found)


@pytest.mark.parametrize("kind", HONEST)
def test_the_steps_are_those_of_the_question(kind):
    """Others in their place, fewer, more, or repeating: what was proved of one chain is not taken for another."""
    document = checked(HONEST[kind]())
    own = document["backward"]["steps"]
    assert check(with_steps(document, "backward", own, "cycle"))  # as many as are needed: the same
    strongest = [["1", "0"], ["0", "1"]]
    weakest = [["1/2", "1/2"], ["1/2", "1/2"]]
    others = [strongest if kind != "lower" else weakest] * 3
    for wrong in (own[:2], [*own, own[0]], others, [own[0], own[1], [["1"]]], []):
        with pytest.raises(Rejected):
            check(with_steps(document, "backward", wrong))
    for wrong in ({}, {"steps": own, "cycle": own}, {"cycle": []}, {"other": own}, own):
        with pytest.raises(Rejected):
            check(json.dumps({**document, "backward": wrong}))
    if kind != "leakage":
        assumed = ["each matrix is that of all steps", *document["assumed"][1:]]
        with pytest.raises(Rejected, match="these texts"):
            check(json.dumps({**document, "assumed": assumed}))


def test_the_order_of_the_steps_matters():
    """Only the last step before the time tells: the bound of that order does not hold for the other one."""
    epsilons = [parse_level("log(2)")] * 3
    told_late = worst_case_upper_certificate(epsilons, 3, Stepwise((HALF, UNCORRELATED)))
    assert Decimal(told_late["level"]) < Decimal("0.7")
    turned = with_steps(told_late, "backward", told_late["backward"]["steps"][::-1])
    with pytest.raises(Rejected, match="not proved to have no greater ratio"):
        check(turned)


def test_a_bound_for_ever_is_about_one_matrix():
    document = checked(worst_case_forever_certificate(parse_level("log(9/8)"), MODERATE))
    rows = document["backward"]
    for wrong in ({"cycle": [rows]}, {"steps": []}, {"cycle": [rows, [["1", "0"], ["0", "1"]]]}):
        with pytest.raises(Rejected, match="one matrix for all steps"):
            check(json.dumps({**document, "backward": wrong}))


@pytest.mark.parametrize("matrix", [THREE, PAPER_L, DIVERGES])
@pytest.mark.parametrize(
    ("texts", "levels"),
    [
        (("1/10", "0", "0"), ("0.1", None, None)),
        (("0", "0", "0"), ("0", "0", "0")),
        (("0", "1/10", "0"), (None, "0.1", None)),
        (("0", "0", "log(2)"), (None, None, None)),
    ],
)
def test_a_ratio_is_one_exactly_where_budgets_are_zero(matrix, texts, levels):
    epsilons = [parse_level(text) for text in texts]
    for time, level in enumerate(levels, 1):
        document = checked(worst_case_upper_certificate(epsilons, time, matrix, matrix))
        sides = (("past", epsilons[: time - 1]), ("future", epsilons[time:]))
        for side, budgets in sides:
            if all(budget.is_zero for budget in budgets):
                assert {entry for row in document[side][0] for entry in row} == {"1"}
        assert level is None or Decimal(document["level"]) == Decimal(level)
    everywhere = checked(worst_case_upper_at_all_times(epsilons, matrix, matrix))
    worst = max(level.enclosure(20).upper for level in fast_worst_case_leakage(epsilons, matrix, matrix).tpl)
    assert Decimal(everywhere["level"]) <= worst * (1 + Decimal("1e-16"))


def test_a_ratio_of_one_is_not_taken_where_a_budget_is_above_zero():
    epsilons = [Level.of(Fraction(1, 10**30)), parse_level("0"), parse_level("0")]
    document = checked(worst_case_upper_certificate(epsilons, 3, THREE))
    document["past"] = [[["1"] * 3] * 3]
    with pytest.raises(Rejected):
        check(json.dumps({**document, "level": "0"}))
