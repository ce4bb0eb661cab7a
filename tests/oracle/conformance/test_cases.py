"""The vectors as cases: tiers, rewriting for rationals, and what an implementation can be asked."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from tploracle.conformance.ask.cases import (
    askable,
    data_folder,
    documents,
    is_stepwise,
    load_vectors,
    rewritten,
    vectors,
)
from tploracle.conformance.model import TIERS, Case
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import InvalidNumber, InvalidRequest
from tploracle.wire.protocol import DECIMAL64, FLOAT64, RATIONAL, Declaration
from tploracle.wire.requests import Session

from ...profiles import some
from .judging import MODERATE

ALL = tuple(OPERATIONS)


def declared(*operations, numbers=(FLOAT64, RATIONAL)):
    return Declaration("test", "1", operations, tuple(numbers))


def case(op="loss", numbers=FLOAT64, **given):
    return Case("test", op, numbers, given or {"matrix": MODERATE, "alpha": "0x1p-1"})


def test_tiers_are_nested():
    tiers = [[one.id for one in load_vectors(tier)] for tier in TIERS]
    assert 60 <= len(tiers[0]) <= 110
    assert set(tiers[0]) < set(tiers[1]) < set(tiers[2])
    assert len(tiers[2]) - len(tiers[1]) <= 48
    assert tiers[2] == [one.id for one in load_vectors()]
    assert max(Counter(tiers[2]).values()) == 1
    with pytest.raises(InvalidRequest, match="the tier is one of smoke, standard, full, not 'all'"):
        load_vectors("all")


def test_a_case_is_what_its_vector_says():
    for vector, loaded in zip(vectors(data_folder()), load_vectors(), strict=True):
        assert loaded.source == "vector"
        for key in ("id", "op", "numbers", "input", "expected", "digits", "tier", "title", "cites", "errata", "flags"):
            said = getattr(loaded, key)
            assert vector[key] == (list(said) if isinstance(said, tuple) else said)


def test_doubles_are_rewritten_exactly():
    asked = case(matrix=MODERATE, alpha="0x1.999999999999ap-4", unknown="0x1p-1")
    exact = rewritten(asked, RATIONAL)
    assert exact.numbers == RATIONAL
    assert exact.input == {
        "matrix": [["3/4", "1/4"], ["0", "1"]],
        "alpha": "3602879701896397/36028797018963968",
        "unknown": "0x1p-1",
    }
    assert Fraction(exact.input["alpha"]) == Fraction(0.1)
    assert asked.input["alpha"] == "0x1.999999999999ap-4"


def test_what_is_no_number_stays_as_it_is():
    given = {"alpha": "inf", "method": "quantified", "horizon": 3, "forward": [["0x1p+0"]]}
    exact = rewritten(case("allocate", **given), RATIONAL).input
    assert exact == {"alpha": "inf", "method": "quantified", "horizon": 3, "forward": [["1"]]}
    assert rewritten(case("estimate", sequences=[["0x1p-1", "b"]]), RATIONAL).input == {"sequences": [["0x1p-1", "b"]]}
    unreadable = {"matrix": [[0.5, 1], None], "alpha": "inf"}
    assert rewritten(case(**unreadable), RATIONAL).input == unreadable
    rational = case(numbers=RATIONAL, matrix=[["1/2"]], alpha="log(2)")
    assert rewritten(rational, RATIONAL) is rational
    with pytest.raises(InvalidNumber):
        rewritten(case(matrix=[["0.5"]], alpha="0x1p-1"), RATIONAL)


@pytest.mark.parametrize("op", some(OPERATIONS, 2))
def test_rewritten_vectors_have_the_same_answers(op):
    session = Session()
    for one in load_vectors("smoke"):
        if one.op == op and "value" in one.expected and one.numbers == FLOAT64:
            exact = rewritten(one, RATIONAL)
            value = session.answer(one.op, one.input, 40, FLOAT64)
            assert session.answer(one.op, exact.input, 40, RATIONAL) == value
            assert session.answer(one.op, rewritten(one, DECIMAL64).input, 40, DECIMAL64) == value


def test_a_case_is_asked_as_it_is_where_its_numbers_are_taken():
    for numbers in (FLOAT64, RATIONAL):
        one = case(numbers=numbers)
        assert askable(one, declared(*ALL)) is one
        assert askable(one, declared("loss", numbers=[numbers])) is one
        assert askable(one, declared("supremum")) is None


def test_doubles_are_rewritten_for_an_implementation_of_rationals():
    assert askable(case(), declared("loss", numbers=[RATIONAL])) == rewritten(case(), RATIONAL)
    assert askable(case(numbers=RATIONAL), declared("loss", numbers=[FLOAT64])) is None
    assert askable(case(), declared("loss", numbers=[])) is None
    assert askable(case(matrix=[["0.5"]], alpha="inf"), declared("loss", numbers=[RATIONAL])) is None
    assert askable(case(matrix=[["0.5"]], alpha="inf"), declared("loss", numbers=[DECIMAL64])) is None


def test_doubles_are_rewritten_for_an_implementation_of_doubles_in_decimal():
    asked = case(matrix=MODERATE, alpha="0x1.999999999999ap-4", epsilon="inf", unknown="0x1p-1")
    for numbers in ([DECIMAL64], [DECIMAL64, RATIONAL]):
        found = askable(asked, declared("loss", numbers=numbers))
        assert found.numbers == DECIMAL64
        assert found.input == {
            "matrix": [["0.75", "0.25"], ["0.0", "1.0"]],
            "alpha": "0.1",
            "epsilon": "inf",
            "unknown": "0x1p-1",
        }
    tiny = askable(case(alpha="0x1p-1074", epsilon="0x1p+60"), declared("loss", numbers=[DECIMAL64]))
    assert tiny.input == {"alpha": "5e-324", "epsilon": "1.152921504606847e+18"}
    both = declared("loss", numbers=[DECIMAL64, FLOAT64])
    assert askable(asked, both) is asked
    assert askable(case(numbers=RATIONAL), declared("loss", numbers=[DECIMAL64])) is None
    large = replace(asked, equivalent={"matrix": [["0x1p+0"]], "alpha": "0x1p-1"})
    assert rewritten(large, DECIMAL64).equivalent == {"matrix": [["1.0"]], "alpha": "0.5"}


def test_requests_of_no_operation_can_always_be_asked():
    unknown = case("LOSS", numbers=RATIONAL, n=1)
    assert askable(unknown, declared("loss", numbers=[FLOAT64])) is unknown
    assert askable(unknown, declared()) is unknown
    assert askable(unknown, declared("LOSS")) is None
    unreadable = case("smooth", numbers="float32", n=1)
    assert askable(unreadable, declared("smooth", numbers=[FLOAT64])) is unreadable
    assert askable(unreadable, declared("loss")) is None


def test_what_each_kind_of_implementation_is_asked():
    everything = load_vectors()
    for numbers, least in (((FLOAT64,), 500), ((RATIONAL,), 800), ((FLOAT64, RATIONAL), len(everything))):
        said = declared(*ALL, numbers=numbers)
        asked = [askable(one, replace(said, stepwise=True)) for one in everything]
        not_taken = [one.id for one, own in zip(everything, asked, strict=True) if own and not askable(one, said)]
        of_steps = {one.id for one in everything if is_stepwise(one.input)}
        assert set(not_taken) == of_steps & {one.id for one in asked if one is not None}
        found = [one for one in asked if one is not None]
        assert len(found) >= least
        wire = {one.id for one in everything if one.id.startswith("wire-")}
        assert wire <= {one.id for one in found}
        assert all(one.numbers in numbers or one.id in wire for one in found)
        assert len({one.id for one in found}) == len(found)


def test_the_files_are_those_of_the_operations_and_of_the_wire(tmp_path):
    assert [name for name, _ in documents(data_folder())] == [*(f"{op}.json" for op in ALL), "wire.json"]
    with pytest.raises(InvalidRequest, match=r"loss\.json: the vectors cannot be read"):
        list(documents(tmp_path))
    (tmp_path / "loss.json").write_text('{"op": "loss", "op": "loss", "cases": []}')
    with pytest.raises(InvalidRequest, match="'op' occurs twice"):
        list(documents(tmp_path))
    (tmp_path / "loss.json").write_text('{"op": "loss", "cases": {}}')
    with pytest.raises(InvalidRequest, match="cases is a JSON object, not an array"):
        list(vectors(tmp_path))
