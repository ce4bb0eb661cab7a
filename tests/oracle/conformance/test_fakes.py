"""The session on trial: it catches every fake implementation, and blames no truthful one."""

import pytest

from tploracle.conformance.cases import askable, load_vectors
from tploracle.conformance.judge import Judge
from tploracle.conformance.model import Verdict
from tploracle.conformance.seeded import seeded_cases
from tploracle.proofs_checks.errata import ERRATA
from tploracle.wire.protocol import RATIONAL
from vectors.generators.catalogue import NOT_SHOWN

from .fakes import (
    BUDGETS,
    PRINTED,
    AlwaysWrong,
    Directed,
    ExpMinusOne,
    Fake,
    Halves,
    IgnoresErrors,
    LiesAboutOperations,
    OneUlpBelow,
    SkipsEverything,
)
from .fakes_in_doubles import IN_DOUBLES

PROBABILITIES = ("smooth", "reverse", "estimate")


@pytest.fixture(scope="module")
def vectors():
    return load_vectors()


def judged(implementation, cases):
    """Yield each case that may be put to the implementation, with what is said of its answer."""
    declaration, judge = implementation.start(), Judge()
    for seq, case in enumerate(cases):
        asked = askable(case, declaration)
        if asked is not None:
            yield case, judge.judge(asked, implementation.ask(asked.request(seq)))


@pytest.mark.parametrize("truthful", [Fake, Directed])
def test_the_truth_conforms_however_it_is_rounded(truthful, vectors):
    verdicts = {judgement.verdict for _, judgement in judged(truthful(), vectors)}
    assert verdicts == {Verdict.EXACT, Verdict.WITHIN}
    far = [case.id for case, judgement in judged(truthful(), vectors) if abs(judgement.ulps or 0) > 1]
    assert far == []


def test_one_unit_in_the_last_place_on_the_wrong_side_is_unsafe_everywhere(vectors):
    seen = set()
    for case, judgement in judged(OneUlpBelow(), vectors):
        assert case.expected is not None
        levels = str(case.expected.get("value", ""))
        if case.op in (*PROBABILITIES, "loss_function") or "lower" not in levels:
            assert not judgement.verdict.fails, case.id
        elif "'lower': '0'" not in levels and (case.op not in BUDGETS or "'inf'" not in levels):
            assert judgement.verdict is Verdict.UNSAFE, (case.id, judgement)
            assert judgement.ulps in (None, 1 if case.op in BUDGETS else -1), case.id
            seen.add(case.op)
    above = {"loss", "leakage", "supremum", "composition", "tight_leakage", "tight_supremum"}
    assert seen == {*above, *BUDGETS}


def test_an_answer_that_never_changes_is_caught_in_every_operation(vectors):
    caught = {case.op for case, judgement in judged(AlwaysWrong(), vectors) if judgement.verdict.fails}
    assert caught >= {"loss", "loss_function", "leakage", "supremum", "composition", *BUDGETS, *PROBABILITIES}


def test_numbers_for_invalid_questions_are_caught(vectors):
    for case, judgement in judged(IgnoresErrors(), vectors):
        assert case.expected is not None
        expected = Verdict.ERROR_MISMATCH if "error" in case.expected else (Verdict.EXACT, Verdict.WITHIN)
        assert judgement.verdict is expected or judgement.verdict in expected, case.id


def test_nan_complex_numbers_and_json_floats_are_wrong(vectors):
    for case, judgement in judged(Halves(), vectors):
        if case.op in ("loss", "supremum", "control") and "value" in (case.expected or {}):
            assert judgement.verdict is Verdict.WRONG, case.id


def test_exp_minus_one_loses_small_levels(vectors):
    unsafe = {case.id for case, judgement in judged(ExpMinusOne(), vectors) if judgement.verdict is Verdict.UNSAFE}
    assert any("ZeroLevel" not in case.flags and case.id in unsafe for case in vectors)
    tiny = [case for case in vectors if case.id in unsafe and "TinyLevel" in case.flags]
    assert tiny


def test_operations_that_are_declared_and_not_there_are_caught(vectors):
    for case, judgement in judged(LiesAboutOperations(), vectors):
        if case.op == "supremum" and "value" in (case.expected or {}):
            assert judgement.verdict is Verdict.ERROR_MISMATCH, case.id


def test_skipping_is_neither_right_nor_wrong(vectors):
    assert {judgement.verdict for _, judgement in judged(SkipsEverything(), vectors)} == {Verdict.SKIPPED}


def test_every_erratum_has_a_fake_or_a_reason_why_it_cannot():
    assert {fake.erratum for fake in PRINTED} | set(NOT_SHOWN) == {erratum.id for erratum in ERRATA}
    assert len(PRINTED) + len(NOT_SHOWN) == len(ERRATA)


@pytest.mark.parametrize("printed", PRINTED, ids=lambda fake: fake.erratum)
def test_every_erratum_as_printed_is_caught_by_a_vector_that_names_it(printed, vectors):
    naming = [case for case in vectors if printed.erratum in case.errata]
    caught = [case.id for case, judgement in judged(printed(), naming) if judgement.verdict.fails]
    assert caught


@pytest.mark.parametrize("printed", PRINTED, ids=lambda fake: fake.erratum)
def test_where_an_erratum_does_not_matter_nothing_is_blamed(printed):
    """The fakes spoil one operation each; the rest of their answers is the truth, and is taken for it."""
    spoiled = {name for name in vars(printed) | vars(printed.__base__) if name in Fake.operations}
    for case, judgement in judged(printed(), seeded_cases(3, 120, (RATIONAL,))):
        if case.op not in spoiled:
            assert not judgement.verdict.fails, (case.id, judgement)


@pytest.mark.parametrize("naive", IN_DOUBLES, ids=lambda fake: fake.__name__)
def test_the_algorithms_in_doubles_are_unsafe_somewhere_and_right_elsewhere(naive, vectors):
    verdicts = [judgement.verdict for _, judgement in judged(naive(), vectors)]
    assert verdicts.count(Verdict.UNSAFE) >= 3
    assert any(not verdict.fails for verdict in verdicts)
