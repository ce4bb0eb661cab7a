"""Each flag's fact holds for the cases that have it and not for a question without anything special."""

import json

import pytest

from tploracle.conformance.ask.cases import load_vectors
from vectors.generators.draft import EdgeBroken
from vectors.generators.flags import FLAGS
from vectors.generators.read_query import ReadQuery
from vectors.generators.vector import flags_text

SYMMETRIC = [["0x1.8p-1", "0x1p-2"], ["0x1p-2", "0x1.8p-1"]]
TWO_PIECES = [
    ["0x1.8p-1", "0x1p-2", "0x0p+0"],
    ["0x1p-2", "0x1.4p-1", "0x1p-3"],
    ["0x1.8p-2", "0x1p-2", "0x1.8p-2"],
]
HALF = "0x1p-1"
PLAIN = {
    "loss": [
        {"matrix": SYMMETRIC, "alpha": HALF},
        {"matrix": TWO_PIECES, "alpha": HALF},
        {"matrix": SYMMETRIC, "alpha": "inf"},
    ],
    "loss_function": [{"matrix": SYMMETRIC}, {"matrix": TWO_PIECES}, {"matrix": [["0x1p+0"]]}],
    "leakage": [
        {"backward": SYMMETRIC, "forward": SYMMETRIC, "epsilons": [HALF, HALF]},
        {"backward": SYMMETRIC, "epsilons": [HALF, HALF]},
    ],
    "supremum": [
        {"matrix": [["0x1.8p-1", "0x1p-2"], ["0x0p+0", "0x1p+0"]], "epsilon": "0x1p-3"},
        {"matrix": SYMMETRIC, "epsilon": "0x0p+0"},
    ],
    "composition": [
        {"backward": SYMMETRIC, "forward": SYMMETRIC, "epsilons": [HALF] * 4, "start": 1, "length": 3},
        {"forward": SYMMETRIC, "epsilons": [HALF] * 2, "start": 1, "length": 1},
    ],
    "allocate": [
        {"backward": SYMMETRIC, "forward": SYMMETRIC, "alpha": HALF, "method": "quantified", "horizon": 5},
        {"alpha": HALF, "method": "quantified", "horizon": 2},
        {"alpha": HALF, "method": "upper-bound"},
    ],
    "control": [{"matrix": SYMMETRIC, "previous": HALF, "cap": HALF}],
    "smooth": [{"matrix": SYMMETRIC, "s": HALF}, {"matrix": [["0x1p+0", "0x0p+0"]] * 2, "s": HALF}],
    "reverse": [{"forward": SYMMETRIC, "initial": [HALF, HALF]}],
    "estimate": [{"sequences": [list("aba")]}],
    "worst_case_leakage": [
        {"backward": SYMMETRIC, "forward": SYMMETRIC, "epsilons": [HALF] * 3},
        {"backward": SYMMETRIC, "epsilons": [HALF, HALF]},
    ],
    "worst_case_supremum": [{"backward": SYMMETRIC, "forward": SYMMETRIC, "epsilon": HALF}],
    "leakage_profile": [{"backward": SYMMETRIC, "epsilon": HALF, "horizon": 1, "delta": "0x0p+0"}],
    "worst_case_allocate": [{"backward": SYMMETRIC, "alpha": HALF, "horizon": 3}, {"alpha": HALF}],
}
"""Questions of each operation with as little that is special as there can be."""


@pytest.fixture(scope="module")
def cases():
    return load_vectors()


@pytest.mark.parametrize("name", FLAGS)
def test_a_flag_holds_for_its_cases_and_not_for_plain_questions(cases, name):
    flagged = [case for case in cases if name in case.flags]
    assert flagged
    holds = FLAGS[name]
    first = flagged[0]
    assert ReadQuery(first.op, first.numbers, first.input, first.digits).shows(holds)
    plain = PLAIN.get(first.op, PLAIN["loss"])
    op = first.op if first.op in PLAIN else "loss"
    assert not all(ReadQuery(op, "float64", given).shows(holds) for given in plain)


def test_every_flag_is_told_in_sentences():
    told = json.loads(flags_text())["flags"]
    assert told.keys() == FLAGS.keys()
    for name, note in told.items():
        assert name.isalnum()
        assert name[0].isupper()
        assert note["bug"].endswith(".")
        assert note["effect"].endswith(".")
        assert note["bug"] != note["effect"]


def test_a_flag_without_a_fact_or_without_a_text_is_named(monkeypatch):
    monkeypatch.delitem(FLAGS, "EqualRows")
    monkeypatch.setitem(FLAGS, "Unheard", lambda query: True)
    with pytest.raises(EdgeBroken, match=r"differ in the flags EqualRows, Unheard$"):
        flags_text()


def test_what_cannot_be_read_shows_nothing():
    for given in ({"matrix": "identity", "alpha": HALF}, {"alpha": HALF}, {"matrix": [["1/2"]], "alpha": HALF}):
        asked = ReadQuery("loss", "float64", given)
        assert not any(asked.shows(FLAGS[name]) for name in ("EqualRows", "LatePair", "BesideTransition"))
