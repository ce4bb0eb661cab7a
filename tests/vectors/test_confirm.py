"""No value passes that the recomputation does not come to: each number of an answer to each operation, falsified."""

import copy
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import pytest

from tploracle.wire.protocol import FLOAT64, RATIONAL
from tploracle.wire.requests import Session
from vectors.generators.confirm import EXPECTED_DIGITS, RecomputationDiffers, confirm
from vectors.generators.draft import draft
from vectors.generators.read_query import as_sent

from ..profiles import some

MODERATE = ("3/4 1/4", "0 1")
SYMMETRIC = ("3/4 1/4", "1/4 3/4")
MIXING = ("1/2 1/2", "7/16 9/16")
"""Few releases come to rest."""

BOTH = {"backward": MODERATE, "forward": SYMMETRIC}
QUESTIONS = {
    "loss": (FLOAT64, {"matrix": SYMMETRIC, "alpha": 0.5}),
    "loss exact": (RATIONAL, {"matrix": SYMMETRIC, "alpha": "log(2)"}),
    "loss_function": (FLOAT64, {"matrix": ("3/4 1/4 0", "1/4 5/8 1/8", "3/8 1/4 3/8")}),
    "leakage": (FLOAT64, {**BOTH, "epsilons": [0.5, 0.25]}),
    "leakage exact": (RATIONAL, {**BOTH, "epsilons": ["log(2)", "log(3/2)"]}),
    "supremum": (FLOAT64, {"matrix": SYMMETRIC, "epsilon": 0.5}),
    "supremum exact": (RATIONAL, {"matrix": SYMMETRIC, "epsilon": "log(2)"}),
    "composition": (FLOAT64, {**BOTH, "epsilons": [0.5, 0.25, 0.5], "start": 1, "length": 2}),
    "composition alone": (FLOAT64, {**BOTH, "epsilons": [0.5, 0.25, 0.5], "start": 2, "length": 1}),
    "allocate": (FLOAT64, {**BOTH, "alpha": 1.0, "method": "quantified", "horizon": 3}),
    "allocate over an infinite horizon": (FLOAT64, {**BOTH, "alpha": 1.0, "method": "upper-bound"}),
    "control": (FLOAT64, {"matrix": MODERATE, "previous": 0.5, "cap": 1.0}),
    "worst_case_leakage": (FLOAT64, {**BOTH, "epsilons": [0.5, 0.25]}),
    "worst_case_leakage exact": (RATIONAL, {**BOTH, "epsilons": ["log(2)", "log(3/2)"]}),
    "worst_case_supremum": (FLOAT64, {"backward": MIXING, "epsilon": 0.5}),
    "worst_case_supremum exact": (RATIONAL, {"forward": MIXING, "epsilon": "log(2)"}),
    "worst_case_allocate": (FLOAT64, {**BOTH, "alpha": 1.0, "horizon": 3}),
    "worst_case_allocate over an infinite horizon": (FLOAT64, {"forward": MIXING, "alpha": 1.0}),
    "worst_case_allocate exact": (RATIONAL, {"backward": ("1/2 1/2", "0 1"), "alpha": "log(3)", "horizon": 2}),
    "leakage_profile": (
        FLOAT64,
        {**BOTH, "epsilon": 0.5, "horizon": 2, "delta": 0.0625, "delta_per_release": 0.015625},
    ),
    "leakage_profile exact": (RATIONAL, {"backward": MODERATE, "epsilon": "log(2)", "horizon": 2, "delta": "1/9"}),
    "smooth": (FLOAT64, {"matrix": MODERATE, "s": 0.5}),
    "reverse": (FLOAT64, {"forward": MODERATE, "initial": "1/4 3/4"}),
    "estimate": (FLOAT64, {"sequences": [list("abba"), list("aab")]}),
}


@cache
def _asked(name):
    numbers, given = QUESTIONS[name]
    op = name.split()[0]
    made = draft(op, "test: A question.", given, "def:tpl", numbers=numbers, edges={"it is asked": lambda query: True})
    return made, Session().answer(op, as_sent(made.input), EXPECTED_DIGITS, numbers)


def asked(name):
    """Return the draft of a question and a copy of the oracle's answer."""
    return copy.deepcopy(_asked(name))


def leaves(value, path=()):
    """Yield the path of every text in an answer that a case expects."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if key in ("rows", "subset", "states") or (key in ("q", "d") and "from" not in value):
            continue
        if isinstance(item, str):
            yield (*path, key)
        else:
            yield from leaves(item, (*path, key))


def falsified(value, path):
    """Return the answer with one text changed: an enclosure moved by a few units, an exact text made another one."""
    changed = copy.deepcopy(value)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    text = holder[path[-1]]
    if path[-1] in ("lower", "upper"):
        with localcontext() as context:
            context.prec = 2 * EXPECTED_DIGITS
            unit = Decimal(1).scaleb(Decimal(text).adjusted() + 1 - EXPECTED_DIGITS)
            low, high = (3, 4) if path[-1] == "lower" else (-4, -3)
            holder["lower"], holder["upper"] = (str(Decimal(text) + step * unit) for step in (low, high))
    elif "sqrt" in text:
        holder[path[-1]] = text.replace("sqrt(", "sqrt(1")
    elif text.startswith("log("):
        holder[path[-1]] = "log(123457/123456)"
    else:
        holder[path[-1]] = {"inf": "0", "0": "1/97"}.get(text, "89/97")
    return changed


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_oracles_value_is_confirmed(name):
    confirm(*asked(name))


@pytest.mark.parametrize("name", some(QUESTIONS, 2))
def test_every_falsified_number_is_seen(name):
    made, value = asked(name)
    paths = list(leaves(value))
    assert paths
    for path in paths:
        with pytest.raises(RecomputationDiffers, match=f"^{made.id}: "):
            confirm(made, falsified(value, path))


@pytest.mark.parametrize("name", ["loss exact", "leakage exact"])
def test_an_exact_text_is_compared_exactly(name):
    made, value = asked(name)
    level = value if name == "loss exact" else value["bpl"][1]
    ratio = Fraction(level["exact"][4:-1]) + Fraction(1, 10**100)
    level["exact"] = f"log({ratio})"
    with pytest.raises(RecomputationDiffers, match=r"log\("):
        confirm(made, value)


INFINITE = dict.fromkeys(("exact", "lower", "upper"), "inf")


@pytest.mark.parametrize(
    ("name", "spoilt", "words"),
    [
        ("supremum", lambda _: INFINITE, "does not rise forever"),
        ("supremum exact", lambda _: INFINITE, "does not rise forever"),
        ("leakage", lambda value: {**value, "tpl": value["tpl"][:-1]}, "the number of tpl"),
        ("allocate", lambda value: {**value, "epsilons": value["epsilons"][:-1]}, "the number of budgets"),
        ("loss", lambda value: {**value, "upper": value["upper"][:30]}, None),
        ("loss", lambda value: {**value, "lower": value["lower"][:30]}, "wider than 40 digits"),
    ],
)
def test_a_supremum_that_there_is_not_a_missing_number_and_a_wide_enclosure_are_seen(name, spoilt, words):
    made, value = asked(name)
    with pytest.raises(RecomputationDiffers, match=words):
        confirm(made, spoilt(value))
