"""Other ways to write a request: of the same meaning, all of them asked, and each reader of one way alone is found."""

import json
import re
from collections import Counter
from functools import cache

import pytest

from tploracle.conformance.ask.cases import askable
from tploracle.conformance.ask.seeded import seeded_of_each
from tploracle.conformance.ask.surface import BARE, ESCAPES, ORDER, SPACES, SPELLING, SURFACES, surface_of, written
from tploracle.conformance.model import Case, Reply
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.numerals import Reader
from tploracle.wire.protocol import DECIMAL64, FLOAT64, NUMBERS, RATIONAL, Declaration
from tploracle.wire.strict_json import encode, object_of

from .fakes import Fake
from .judging import failures

OPS = ("loss", "leakage", "estimate")


@cache
def cases(numbers=FLOAT64):
    declaration = Declaration("mine", "1", OPS, (numbers,))
    return tuple(
        askable(case, declaration)
        for case in seeded_of_each(0, {"loss": 60, "leakage": 60, "estimate": 120}, [numbers])
    )


@pytest.mark.parametrize("numbers", NUMBERS)
def test_every_way_is_asked_and_a_request_says_the_same(numbers):
    counts = Counter()
    for case in cases(numbers):
        line = written(case.request(7))
        assert object_of(line, "it") == case.request(7)
        assert line.count(b"\n") == 1
        counts.update(surface_of(case))
        if not {*surface_of(case)} - {SPELLING}:
            assert line.decode() == encode(case.request(7)) + "\n"
    assert {*counts} == {*SURFACES}
    assert min(counts.values()) >= 3


@pytest.mark.parametrize("numbers", NUMBERS)
def test_numbers_spelt_otherwise_are_the_same_numbers(numbers):
    drawn = seeded_of_each(0, {"loss": 200}, [FLOAT64 if numbers == DECIMAL64 else numbers])
    spelt = [(case, askable(case, Declaration("mine", "1", OPS, (numbers,)))) for case in drawn]
    changed = [(before, after) for before, after in spelt if after is not None and SPELLING in surface_of(after)]
    assert len(changed) > 20
    for before, after in changed:
        if not before.title.endswith(FAULTS):
            assert values(before) == values(after)
    assert any(before.input != after.input for before, after in changed)


FAULTS = ("NotStochastic.", "NegativeProbability.", "NotSquare.", "InvalidLevel.", "InvalidRequest.")


def values(case):
    reader = Reader(case.numbers)
    rows = [[reader.number(entry, "") for entry in row] for row in case.input["matrix"]]
    return rows, reader.level(case.input["alpha"], "").full_text()


def test_the_same_question_is_the_same_line():
    case = cases()[0]
    assert written(case.request(1)).replace(b" ", b"") != b""
    assert len({written(case.request(1)) for _ in range(5)}) == 1


class Reading(Fake):
    """An implementation that reads lines in its own way: `read` gives the request, or raises."""

    operations = OPS

    def __init__(self, read):
        self.read = read

    def ask(self, request):
        try:
            return super().ask(self.read(written(request).decode()))
        except (ValueError, KeyError, AttributeError):
            return Reply({"error": {"name": "InvalidRequest", "message": ""}})


def by_place(line):
    """Take what stands in a place for what usually stands there."""
    seq, op, given, want, numbers = json.loads(line).values()
    return {"seq": seq, "op": op, "input": given, "want": want, "numbers": numbers}


def input_by_place(line):
    request = json.loads(line)
    names = [key.name for key in OPERATIONS[request["op"]].keys if key.name in request["input"]]
    usual = sorted(names, key=lambda name: name in ("alpha", "epsilons"))
    return {**request, "input": dict(zip(usual, request["input"].values(), strict=True))}


def plain(pattern):
    """Look for a text in the line before it is read."""

    def read(line):
        if re.search(pattern, line) is None:
            raise ValueError(pattern)
        return json.loads(line)

    return read


def texts(change):
    """Change every number of the input before it is read."""

    def changed(value):
        if isinstance(value, list):
            return [changed(part) for part in value]
        return change(value) if isinstance(value, str) and value.startswith(("0x", "0X", "-0")) else value

    def read(line):
        request = json.loads(line)
        return {**request, "input": {key: changed(part) for key, part in request["input"].items()}}

    return read


def refused_unless(pattern):
    def change(text):
        if re.fullmatch(pattern, text) is None:
            raise ValueError(text)
        return text

    return texts(change)


WRONG = {
    "keys in one order": (ORDER, by_place),
    "keys of the input in one order": (ORDER, input_by_place),
    "one blank after each colon": (SPACES, plain('"op": "')),
    "no blank before a colon": (SPACES, plain('"input":')),
    "starts with a brace": (SPACES, plain(r"^\{")),
    "no escapes": (ESCAPES, plain('"(loss|leakage|estimate)"')),
    "ASCII": (BARE, lambda line: json.loads(line.encode("ascii", "replace"))),
    "lower case alone": (SPELLING, refused_unless("-?0x[0-9a-f.]+(p[+-]?[0-9]+)?")),
    "a sign in every exponent": (SPELLING, refused_unless("-?0[xX][0-9a-fA-F.]+([pP][+-][0-9]+)?")),
    "a point in every number": (SPELLING, refused_unless(r"-?0[xX][0-9]([.][0-9a-fA-F]+)?([pP].*)?")),
    "no −0": (SPELLING, refused_unless("0.*")),
}


def test_a_reader_of_json_is_not_accused():
    assert [case.id for case in failures(Reading(json.loads), cases())] == []


@pytest.mark.parametrize("wrong", WRONG)
def test_each_reader_of_one_way_alone_is_found(wrong):
    surface, read = WRONG[wrong]
    others = {ORDER, SPACES} if surface == BARE else set()
    assert any({*surface_of(found)} - others == {surface} for found in failures(Reading(read), cases()))


def test_null_is_asked_where_a_key_may_be_absent():
    asked = [case for case in seeded_of_each(0, {"leakage": 600}, [RATIONAL]) if None in case.input.values()]
    assert len(asked) >= 5
    assert [*failures(Reading(lambda line: without_null(json.loads(line))), asked)] == [*asked]
    assert not any(failures(Fake(), asked))


def without_null(request):
    return {**request, "input": {key: part for key, part in request["input"].items() if part is not None}}


def test_long_lines_have_other_blanks_and_no_escapes():
    rows = [["0x0.0p+0"] * 60] * 60
    asked = [Case("x", "loss", FLOAT64, {"matrix": rows, "alpha": str(k)}) for k in range(40)]
    surfaces = Counter(surface for case in asked for surface in surface_of(case))
    assert {*surfaces} == {ORDER, SPACES}
