"""The session on trial: it catches every fake implementation, and blames no truthful one."""

from functools import cache

import pytest

from tploracle.conformance.ask.cases import askable, load_vectors
from tploracle.conformance.ask.implementation import ObjectImplementation
from tploracle.conformance.judge.judge import Judge
from tploracle.conformance.model import Verdict
from tploracle.contract.operations import OPERATIONS
from tploracle.proofs_checks.errata import ERRATA
from tploracle.wire.protocol import FLOAT64, RATIONAL
from usual_mistakes import UsualMistakes
from vectors.generators.catalogue import NOT_SHOWN

from ...profiles import some
from .fakes import (
    BUDGETS,
    AlwaysWrong,
    Directed,
    Fake,
    Halves,
    IgnoresErrors,
    LiesAboutOperations,
    OneUlpBelow,
    SkipsEverything,
    levels_of,
)
from .mistakes import CATALOGUE, Making

PRINTED = [mistake for mistake in CATALOGUE if mistake.errata]
PROBABILITIES = ("smooth", "reverse", "estimate")


@pytest.fixture(scope="module", params=["smoke", pytest.param("full", marks=pytest.mark.exhaustive)])
def vectors(request):
    return load_vectors(request.param)


every_vector = cache(load_vectors)


def judged(implementation, cases):
    """Yield each case that may be put to the implementation, with what is said of its answer."""
    declaration, judge = implementation.start(), Judge()
    for seq, case in enumerate(cases):
        asked = askable(case, declaration)
        if asked is not None:
            yield case, judge.judge(asked, implementation.ask(asked.request(seq)))


@pytest.mark.slow
@pytest.mark.parametrize("truthful", [Fake, Directed])
def test_the_truth_conforms_however_it_is_rounded(truthful, vectors):
    found = list(judged(truthful(), vectors))
    assert {judgement.verdict for _, judgement in found} == {Verdict.EXACT, Verdict.WITHIN}
    assert [case.id for case, judgement in found if abs(judgement.ulps or 0) > 1] == []


def test_one_unit_in_the_last_place_on_the_wrong_side_is_unsafe_everywhere(vectors):
    seen = set()
    for case, judgement in judged(OneUlpBelow(), vectors):
        levels = str(case.expected.get("value", ""))
        if case.op in (*PROBABILITIES, "loss_function") or "lower" not in levels:
            assert not judgement.verdict.fails, case.id
        elif "'lower': '0'" not in levels and (case.op not in BUDGETS or "'inf'" not in levels):
            assert judgement.verdict is Verdict.UNSAFE, (case.id, judgement)
            assert judgement.ulps in (None, 1 if case.op in BUDGETS else -1), case.id
            seen.add(case.op)
    above = {
        "loss",
        "leakage",
        "supremum",
        "composition",
        "worst_case_leakage",
        "worst_case_supremum",
        "leakage_profile",
    }
    assert seen == {*above, *BUDGETS}


def test_an_answer_that_never_changes_is_caught_wherever_it_is_not_right(vectors):
    caught, levels = set(), []
    for case, judgement in judged(AlwaysWrong(), vectors):
        if judgement.verdict.fails:
            caught.add(case.op)
        else:
            levels += levels_of(case.expected["value"])
    assert caught >= {*OPERATIONS}
    assert {level["exact"] for level in levels} == {"1"}


def test_numbers_for_invalid_questions_are_caught():
    for case, judgement in judged(IgnoresErrors(), [case for case in every_vector() if "error" in case.expected]):
        assert judgement.verdict is Verdict.ERROR_MISMATCH, case.id


@pytest.mark.parametrize(
    ("fake", "operations", "verdict"),
    [
        (Halves, ("loss", "supremum", "control"), Verdict.WRONG),  # NaN, a complex number and a float of JSON
        (LiesAboutOperations, ("supremum",), Verdict.ERROR_MISMATCH),
        (SkipsEverything, Fake.operations, Verdict.UNANSWERED),
    ],
)
def test_what_is_no_answer_has_its_verdict(fake, operations, verdict):
    asked = [case for case in load_vectors("smoke") if case.op in operations and "value" in case.expected]
    assert {judgement.verdict for _, judgement in judged(fake(), asked)} == {verdict}


def test_every_erratum_has_a_fake_or_a_reason_why_it_cannot():
    faked = {mistake.errata for mistake in PRINTED}
    assert faked | set(NOT_SHOWN) == {erratum.id for erratum in ERRATA}
    assert not faked & set(NOT_SHOWN)


@pytest.mark.parametrize("printed", PRINTED, ids=lambda mistake: f"{mistake.errata}-{mistake.id}")
def test_every_erratum_as_printed_is_caught_by_a_vector_that_names_it(printed):
    naming = [case for case in every_vector() if printed.errata in case.errata]
    made = (Making(printed.id, op, numbers=(FLOAT64, RATIONAL)) for op in {case.op for case in naming})
    assert any(judgement.verdict.fails for each in made for _, judgement in judged(each, naming))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("op", some(["loss", "loss_function", "leakage", "supremum"], 4))
def test_the_algorithms_in_doubles_are_unsafe_somewhere_and_right_elsewhere(op):
    """Those of the operations in which nothing goes on forever."""
    asked = [case for case in load_vectors("standard") if case.op == op and case.numbers == FLOAT64]
    verdicts = [judgement.verdict for _, judgement in judged(ObjectImplementation(UsualMistakes), asked)]
    assert verdicts.count(Verdict.UNSAFE) >= 3
    assert any(not verdict.fails for verdict in verdicts)
