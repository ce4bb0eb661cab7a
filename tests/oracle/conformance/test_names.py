"""Names that are nearly the same, their order, and counts at which small integers overflow: each confusion is found."""

from collections import Counter
from functools import cache
from unicodedata import normalize

import pytest

from tploracle.conformance.ask.names import CONFUSABLE, COUNTS, kinds_of_names
from tploracle.conformance.ask.seeded import seeded_of_each
from tploracle.reference.estimation import TransitionCounts, count_transitions
from tploracle.wire.protocol import FLOAT64

from .fakes import Fake
from .judging import failures

SEEDS = 600
"""A fifth of what the standard tier asks."""


@cache
def cases():
    return tuple(seeded_of_each(0, {"estimate": SEEDS}, [FLOAT64]))


class Estimating(Fake):
    """An implementation of estimate that takes `name` for a name, orders states by `order`, and counts by `count`."""

    operations = ("estimate",)
    numbers = (FLOAT64,)

    def __init__(self, name=None, order=None, count=None):
        self.name, self.order, self.count = name, order, count

    def value(self, request):
        sequences = request["input"].get("sequences")
        if not isinstance(sequences, list) or not all(isinstance(one, list) for one in sequences):
            return self.truth(request)
        if self.name:
            sequences = [[self.name(name) for name in one] for one in sequences]
        found = count_transitions(sequences)
        if self.order:
            found = count_transitions(sequences, sorted(found.states, key=self.order))
        if self.count:
            rows = tuple(tuple(map(self.count, row)) for row in found.transitions)
            found = TransitionCounts(found.states, rows, tuple(map(self.count, found.first)))
        rows = {"forward": found.forward(), "backward": found.backward()}
        initial = [str(entry) for entry in found.initial()]
        return {**{key: matrix.texts() for key, matrix in rows.items()}, "initial": initial}


def number(name):
    return str(int(name)) if name.isdecimal() else name


def double(name):
    try:
        return str(float(name))
    except ValueError:
        return name


def value_first(name):
    return (0, int(name), name) if name.isascii() and name.isdigit() else (1, 0, name)


WRONG = {
    "strips": Estimating(str.strip),
    "strips blanks of ASCII": Estimating(lambda name: name.strip(" \t")),
    "lower case": Estimating(str.lower),
    "case folded": Estimating(str.casefold),
    "NFC": Estimating(lambda name: normalize("NFC", name)),
    "NFKC": Estimating(lambda name: normalize("NFKC", name)),
    "NFD": Estimating(lambda name: normalize("NFD", name)),
    "01 is 1": Estimating(number),
    "numbers as doubles": Estimating(double),
    "no characters unseen": Estimating(lambda name: "".join(char for char in name if char.isprintable())),
    "ASCII alone": Estimating(lambda name: name.encode("ascii", "ignore").decode()),
    "missing values": Estimating(lambda name: "" if name in ("NA", "NaN", "null", "None") else name),
    "UTF-16": Estimating(order=lambda name: (*value_first(name)[:2], name.encode("utf-16-be"))),
    "alphabetical": Estimating(order=str),
    "without regard to case": Estimating(order=lambda name: (*value_first(name)[:2], name.lower(), name)),
    "modulo 256": Estimating(count=lambda count: count % 256),
    "int8": Estimating(count=lambda count: min(count, 127)),
    "modulo 65536": Estimating(count=lambda count: count % 65_536),
    "int16": Estimating(count=lambda count: min(count, 32_767)),
    "zeros are counted": Estimating(count=lambda count: count or 1),
}


def test_what_is_right_is_not_accused():
    assert [case.id for case in failures(Estimating(), cases())] == []


@pytest.mark.parametrize("wrong", WRONG)
def test_each_confusion_is_found_by_itself(wrong):
    assert next(failures(WRONG[wrong], cases()), None) is not None


def test_every_kind_of_names_and_of_counts_is_asked():
    kinds, counts = Counter(), set()
    for case in cases():
        kinds.update({case.schedule} - {""})
        sequences = case.input["sequences"]
        assert {*CONFUSABLE} >= {case.schedule} - {""}
        counts.update(count for row in count_transitions(sequences).transitions for count in row)
        if case.schedule and len({name for one in sequences for name in one}) > 5:
            assert case.schedule in kinds_of_names(sequences)
    assert min(kinds[kind] for kind in CONFUSABLE) >= 10
    assert counts >= {0, 256, 257}
    assert max(counts) >= COUNTS[-3]
