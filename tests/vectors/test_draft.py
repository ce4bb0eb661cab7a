"""A draft is refused, by the name of its case, as soon as the edge is not there that it was made for."""

import re
from fractions import Fraction
from math import nextafter

import pytest

from tploracle.wire.protocol import FLOAT64, RATIONAL
from tploracle.wire.requests import Session
from vectors.generators import (
    input_parts,
    leakages,
    loss_by_algorithm,
    loss_by_input,
    loss_functions,
    schedules,
    suprema,
)
from vectors.generators.draft import CONTRACT, EdgeBroken, Raw, all_citations, cited, draft
from vectors.generators.vector import vector_of

BLAND = ("3/4 1/4", "1/4 3/4")
BLAND_OF_FOUR = ("1/4 1/4 1/4 1/4", "1/4 1/8 1/4 3/8", "1/8 1/4 3/8 1/4", "1/4 3/8 1/8 1/4")


def made(**changes):
    parts = {
        "op": "loss",
        "head": "test: A question.",
        "given": {"matrix": BLAND, "alpha": 0.5},
        "tags": "thm:lfp",
        "edges": {"it is asked": True},
    }
    return draft(**{**parts, **changes})


def test_a_sound_draft():
    found = made(
        tags="E2 thm:lfp StaysWhole contract:errors Example_5",
        given={"matrix": ("1/2 1/4 1/4", "1/8 1/8 3/4", "1/8 1/8 3/4"), "alpha": 0.25},
    )
    assert (found.id, found.title, found.numbers) == ("loss-test", "A question.", FLOAT64)
    assert (found.flags, found.errata) == (("StaysWhole",), ("E2",))
    assert found.cites == ("Theorem 5 [thm:lfp]", "Contract, errors", "Example 5")
    assert found.why == ("it is asked",)
    assert found.input["alpha"] == "0x1p-2"
    assert made(op="loss_function", given={"matrix": BLAND}).id == "loss-function-test"


def test_an_edge_that_is_not_so_names_the_case():
    with pytest.raises(EdgeBroken, match=r"^loss-test: it is not so that the rows are equal$"):
        made(edges={"the rows are equal": False})


@pytest.mark.parametrize("flag", ["EqualRows", "DisjointSupports", "ZeroLevel", "ManyStates", "FirstStepPair"])
def test_a_flag_that_is_not_shown_names_the_case(flag):
    with pytest.raises(EdgeBroken, match=rf"^loss-test: it does not show {flag}$"):
        made(tags=flag)


@pytest.mark.parametrize(
    "changes",
    [
        {"head": "Not a slug: A question."},
        {"head": "test: No sentence"},
        {"head": "test: lower case."},
        {"head": "test"},
        {"edges": {}},
        {"tags": "thm:none"},
        {"tags": "EqualRow"},
        {"numbers": RATIONAL},
        {"given": {"matrix": BLAND, "alpha": Fraction(1, 3)}},
        {"given": {"matrix": ("1/3 2/3", "0 1"), "alpha": 0.5}},
    ],
)
def test_a_malformed_draft_is_refused(changes):
    with pytest.raises(ValueError, match=r"loss-test|slug|'(thm:none|EqualRow)' is no|is not a double|has the double"):
        made(**changes)


def test_an_edge_must_be_a_truth_value():
    with pytest.raises(EdgeBroken):
        made(edges={"it is asked": 1})


def test_another_error_than_expected_is_an_edge_that_broke():
    session = Session()
    refused = {"matrix": Raw([["1/2"]]), "alpha": Raw("0x1p-1")}
    assert vector_of(made(given=refused, error="InvalidNumber"), "smoke", session)["expected"] == {
        "error": "InvalidNumber"
    }
    with pytest.raises(EdgeBroken, match="loss-test: NotSquare is expected, the oracle answers InvalidNumber"):
        vector_of(made(given=refused, error="NotSquare"), "smoke", session)
    with pytest.raises(EdgeBroken, match="loss-test: NotSquare is expected, the oracle answers a value"):
        vector_of(made(error="NotSquare"), "smoke", session)


def test_citations():
    assert cited("thm:sup") == "Theorem 11 [thm:sup]"
    assert cited("Example_5") == "Example 5"
    assert cited("algo:iterate") == "Algorithm 1 [algo:iterate]"
    assert cited("contract:errors") == "Contract, errors"
    assert {"Theorem 11 [thm:sup]", "Theorem 1", *CONTRACT.values()} <= all_citations()
    with pytest.raises(ValueError, match="no item"):
        cited("Theorem 99")


BROKEN = [
    (loss_by_input, input_parts, "DISJOINT", BLAND_OF_FOUR, "disjoint"),
    (leakages, input_parts, "IDENTITY", BLAND, "identity"),
    (leakages, input_parts, "EQUAL", BLAND, "equal-rows"),
    (leakages, input_parts, "TWO_PIECES", BLAND, "passes-pieces-two-pieces"),
    (loss_functions, input_parts, "DENSE", BLAND_OF_FOUR, "dense"),
    (loss_functions, input_parts, "PAPER_EXAMPLE_4", ("0.5 0.5 0", "0.5 0.5 0", "0.5 0.5 0"), "example-4"),
    (loss_functions, loss_functions, "_steps", lambda moved: BLAND_OF_FOUR, "three-meet"),
    (
        loss_by_algorithm,
        loss_by_algorithm,
        "ONE_AFTER_ANOTHER",
        input_parts.of_two("3/8 3/8 1/8 1/8", "1/8 1/8 1/16 11/16"),
        "one-after-another",
    ),
    (
        loss_by_algorithm,
        input_parts,
        "doubles_beside",
        lambda level: (level.double_below(),) * 2,
        "next-above",
    ),
    (loss_by_algorithm, input_parts, "part_above", lambda level: level.double_below() * 1.001, "part-above"),
    (
        loss_by_algorithm,
        loss_by_algorithm,
        "TIED",
        input_parts.of_two("3/8 1/4 1/4 1/8", "1/8 1/16 1/32 25/32"),
        "tied",
    ),
    (
        loss_by_input,
        loss_by_input,
        "cascade",
        lambda least, n: (Fraction(1, 2), Fraction(1, 2), *[Fraction(0)] * (n - 2)),
        "least-double",
    ),
    (suprema, input_parts, "FIRST_STEP", ("2/5 3/10 3/10", "3/10 3/10 2/5", "3/10 3/10 2/5"), "first-step-witness"),
    (suprema, input_parts, "IDENTITY", BLAND, "identity"),
    (suprema, input_parts, "part_below", lambda level: level.double_below(), "part-below"),
    (suprema, input_parts, "doubles_beside", lambda level: (1.0, nextafter(1.0, 2)), "next-below"),
    (leakages, leakages, "STREAM", (0.5, 0.125, 0.125, 0.5), "composition"),
    (schedules, input_parts, "DISJOINT", BLAND_OF_FOUR, "disjoint"),
    (schedules, input_parts, "SKEWED", BLAND, "quantified-both"),
    (schedules, schedules, "part_above", lambda level: 2.0, "cap-part-above"),
    (schedules, schedules, "doubles_beside", lambda level: (level.double_below(),) * 2, "cap-next-above"),
]


@pytest.mark.parametrize(
    "broken",
    BROKEN,
    ids=[f"{b[0].__name__.rpartition('.')[2]}-{b[2]}" for b in BROKEN],
)
def test_a_generator_whose_edge_is_broken_stops(monkeypatch, broken):
    generator, module, name, value, case = broken
    monkeypatch.setattr(module, name, value)
    with pytest.raises(EdgeBroken) as stopped:
        list(generator.drafts())
    assert case in str(stopped.value)
    assert re.match(r"[a-z0-9-]+: it (is not so that|does not show) ", str(stopped.value))
