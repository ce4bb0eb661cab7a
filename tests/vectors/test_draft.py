"""A draft is refused, by the name of its case, as soon as the edge is not there that it was made for."""

import re
import tomllib
from fractions import Fraction

import pytest

from tploracle.reference import OracleError
from tploracle.wire.protocol import FLOAT64, RATIONAL
from tploracle.wire.requests import Session
from vectors.generators import catalogue, tables
from vectors.generators.draft import CONTRACT, EdgeBroken, Raw, all_citations, cited, draft
from vectors.generators.edges import EDGES
from vectors.generators.read_query import ReadQuery
from vectors.generators.vector import vector_of

BLAND = ("3/4 1/4", "1/4 3/4")


def made(**changes):
    parts = {
        "op": "loss",
        "head": "test: A question.",
        "given": {"matrix": BLAND, "alpha": 0.5},
        "tags": "thm:lfp",
        "edges": {"it is asked": lambda query: True},
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
        made(edges={"the rows are equal": lambda query: False})


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
        made(edges={"it is asked": lambda query: 1})


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


@pytest.fixture(scope="module")
def cases():
    return [case for of_file in catalogue.drafts_by_file().values() for case in of_file]


def holds(query, fact):
    try:
        return query.shows(fact)
    except (OracleError, ValueError, StopIteration, ArithmeticError):  # about what is refused, or is not there
        return False


@pytest.mark.slow
def test_every_edge_is_there_for_some_cases_and_not_for_others(cases):
    """What holds of whatever is asked would say nothing of a case."""
    queries = [ReadQuery(case.op, case.numbers, case.input) for case in cases if not case.full]
    for sentence, fact in EDGES.items():
        having = [case for case in cases if sentence in case.why]
        assert having, sentence
        of_kind = [query for query in queries if query.op in {case.op for case in having}]
        assert not all(holds(query, fact) for query in of_kind), sentence


def table(folder, monkeypatch, text):
    (folder / "loss.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(tables, "CASES", folder)
    return list(tables.listed("loss"))


LINE = 'bland = { title = "Two states.", matrix = "3/4 1/4, 1/4 3/4", alpha = 1.0, '


def test_a_case_of_a_table_is_a_draft(tmp_path, monkeypatch):
    block = '[some]\ncites = "thm:lfp"\n'
    (own,) = table(
        tmp_path, monkeypatch, block + LINE + 'shows = "E2", edges = ["every entry is positive"], digits = 30 }'
    )
    assert own == draft(
        "loss",
        "bland: Two states.",
        {"matrix": BLAND, "alpha": 1.0},
        "E2 thm:lfp",
        edges={"every entry is positive": lambda query: True},
        digits=30,
    )


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        (LINE + 'shows = "EqualRows thm:lfp" }', EdgeBroken, "loss-bland: it does not show EqualRows"),
        (LINE + 'edges = ["0 < L(α) < α", "six states are seen"] }', EdgeBroken, "loss-bland: it is not so that six"),
        (LINE + 'edges = ["it is bland"] }', KeyError, "it is bland"),
        (LINE + 'shows = "EqualRow" }', ValueError, "'EqualRow' is no flag"),
        (LINE + 'forward = "eval(1)", shows = "thm:lfp" }', KeyError, "eval"),
        (f"{LINE[:-2]} }}\n" * 2, tomllib.TOMLDecodeError, "overwrite"),
    ],
)
def test_a_case_of_a_table_that_is_not_what_it_is_there_for_is_named(tmp_path, monkeypatch, text, error, said):
    with pytest.raises(error, match=re.escape(said)):
        table(tmp_path, monkeypatch, "[some]\n" + text)
