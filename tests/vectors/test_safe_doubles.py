"""The doubles of expected levels: what the judge says of them and of those next to them; the README's consumer runs."""

import json
import math
import re
from fractions import Fraction
from math import inf, nextafter

import pytest
from mpmath import mp

from tploracle.conformance.ask.cases import data_folder, load_vectors
from tploracle.conformance.judge.judge import Judge, Rule, judge_level
from tploracle.conformance.judge.truths import Query, Truth
from tploracle.conformance.lint import levels_in, lint
from tploracle.conformance.model import DEFAULT_ULPS, Reply, Verdict
from tploracle.contract.entry import Side
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.protocol import FLOAT64
from tploracle.wire.requests import Session

from ..oracle.conformance.fakes import Directed, OneUlpBelow
from ..profiles import some
from .small import small_documents, write_documents

WITH_LEVELS = [op for op, operation in OPERATIONS.items() if operation.side and op != "loss_function"]
NEARLY_ALL = 0.8


def levels_of(op):
    """Yield each expected level of an operation, and the truth about it."""
    session = Session()
    for case in load_vectors():
        if case.op == op and "value" in case.expected:
            query = Query(session, op, case.input, case.numbers, case.expected["value"])
            for place, level in levels_in(case.expected["value"]):
                key, _, number = place.partition(" ")
                yield level, query.level(*([] if place == "the level" else [key, int(number) - 1]))


def said_of(double, truth, side):
    """Return the judge's verdict on a double where no perturbed query excuses what is too far off."""
    nothing_reaches = Truth.of(Fraction(0) if side is Side.ABOVE else Fraction(10**12))
    text = "inf" if double == inf else double.hex()
    return judge_level(text, "", truth, Rule(side, DEFAULT_ULPS), lambda: nothing_reaches).verdict


@pytest.mark.parametrize("op", some(WITH_LEVELS, 3))
def test_the_judge_says_the_same_of_the_doubles_and_of_their_neighbours(op):
    side, seen = OPERATIONS[op].side, 0
    outwards, inwards = side.value * inf, -side.value * inf
    for level, truth in levels_of(op):
        safe, limit = (float.fromhex(level[key]) for key in ("safe", "limit"))
        good = (Verdict.EXACT, Verdict.WITHIN)
        assert said_of(safe, truth, side) in good, level
        assert said_of(limit, truth, side) in good, level
        if safe == inf:
            assert {level[key] for key in ("safe", "limit", "conditioned_limit", "exact")} == {"inf"}
            assert said_of(1e300, truth, Side.ABOVE) is Verdict.UNSAFE
            continue
        if safe > 0:
            assert said_of(nextafter(safe, inwards), truth, side) is Verdict.UNSAFE, level
        if limit > 0 or side is Side.ABOVE:
            assert said_of(nextafter(limit, outwards), truth, side) is Verdict.WRONG, level
        seen += 1
    assert seen > 15


@pytest.mark.parametrize("op", some(["loss", "control", "supremum", "composition"], 2))
def test_the_judge_accepts_just_what_lies_up_to_the_conditioned_limit(op):
    """As `conform` judges them: the limits of a vector are those of the judge, near a boundary too."""
    judge, side, beyond = Judge(), OPERATIONS[op].side, 0
    for case in load_vectors():
        level = (case.expected or {}).get("value")
        if case.op != op or level is None or level["safe"] == "inf":
            continue
        last = float.fromhex(level["conditioned_limit"])
        assert (last - float.fromhex(level["limit"])) * side.value >= 0
        beyond += level["conditioned_limit"] != level["limit"]
        assert not judge.judge(case, Reply({"seq": 1, "value": level["conditioned_limit"]})).verdict.fails, case.id
        if last != inf and (last > 0 or side is Side.ABOVE):
            further = nextafter(last, side.value * inf).hex()
            assert judge.judge(case, Reply({"seq": 1, "value": further})).verdict is Verdict.WRONG, case.id
    assert beyond > 5


@pytest.mark.parametrize("op", ["leakage", "allocate"])
def test_a_schedule_of_conditioned_limits_conforms(op):
    judge, asked = Judge(), [case for case in load_vectors("smoke") if case.op == op and "value" in case.expected]
    for case in asked:
        value = {
            key: [level["conditioned_limit"] for level in levels] for key, levels in case.expected["value"].items()
        }
        assert not judge.judge(case, Reply({"seq": 1, "value": value})).verdict.fails, case.id
    assert len(asked) > 3


def test_a_conditioned_supremum_is_that_of_the_perturbed_budget():
    """By the closed form for one row against its mirror image, q and 1 − q: an independent way to the number."""
    part, seen = Fraction(DEFAULT_ULPS, 2**52), 0
    for case in load_vectors():
        level, text = (case.expected or {}).get("value"), case.input.get("epsilon")
        if case.op != "supremum" or case.numbers != FLOAT64 or level is None or len(case.input["matrix"]) != 2:
            continue
        (q, one), (d, other) = (map(float.fromhex, row) for row in case.input["matrix"])
        if q != other or d != one or not q > d > 0 or level["safe"] == "inf":
            continue
        with mp.workdps(60):
            a = mp.exp(mp.mpf(float.fromhex(text)) * (1 + mp.mpf(part.numerator) / part.denominator))
            middle = mp.mpf(d) + mp.mpf(q) * a - 1
            most = mp.log((mp.sqrt(middle**2 + 4 * d * a * (1 - mp.mpf(q))) + middle) / (2 * mp.mpf(d)))
            most += most * part.numerator / part.denominator
        reached = max(float(most), float.fromhex(level["limit"]))
        assert abs(float.fromhex(level["conditioned_limit"]) - reached) <= 2 * math.ulp(reached), case.id
        seen += 1
    assert seen > 3


def test_comparing_with_an_end_read_as_a_double_would_be_too_lax():
    levels = [level for op in WITH_LEVELS for level, _ in levels_of(op) if OPERATIONS[op].side is Side.ABOVE]
    lax = [level for level in levels if float(level["lower"]) < float.fromhex(level["safe"])]
    assert len(lax) > 1_000


def move(key, steps):
    def corrupt(level):
        double = float.fromhex(level[key])
        level[key] = nextafter(double, steps * inf).hex()

    return corrupt


def endless(level):
    level["limit"] = "inf"


def before_the_limit(level):
    level["conditioned_limit"] = level["safe"]


@pytest.mark.parametrize("case_id", ["loss-moderate-at-half", "control-symmetric-first", "leakage-near-rows-2-40"])
@pytest.mark.parametrize(
    "corrupt",
    [move("safe", 1), move("safe", -1), move("limit", 1), move("limit", -1), endless, before_the_limit],
    ids=["safe-up", "safe-down", "limit-up", "limit-down", "limit-inf", "conditioned-first"],
)
def test_lint_works_the_doubles_out_by_itself(tmp_path, case_id, corrupt):
    found = small_documents()
    (case,) = [case for document in found.values() for case in document.get("cases", []) if case["id"] == case_id]
    _, level = list(levels_in(case["expected"]["value"]))[-1]
    corrupt(level)
    write_documents(tmp_path, found)
    lines = lint(tmp_path)
    assert any(case_id in line and "are not the first and the last doubles that conform" in line for line in lines)


def test_lint_sees_a_need_of_another_operation(tmp_path):
    found = small_documents()
    found["wire.json"]["cases"][0]["needs"] = "loss"
    write_documents(tmp_path, found)
    assert any("it needs loss, and asks for LOSS" in line for line in lint(tmp_path))


def consumer():
    """Return the functions of the program in the README."""
    text = data_folder().joinpath("README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    return names["check"]


def as_doubles(value):
    """Return an answer with doubles for its numbers, as an implementation has them that is called, not asked."""
    if isinstance(value, dict) and "upper" in value:
        return as_doubles(value["upper"])
    if isinstance(value, dict):
        return {key: as_doubles(part) for key, part in value.items() if key not in ("from", "to", "states")}
    if isinstance(value, list):
        return [as_doubles(part) for part in value]
    return float.fromhex(value) if "x" in value or value == "inf" else float(Fraction(value))


class Asked:
    """An implementation as the README's program calls it; counts what it is asked."""

    def __init__(self, implementation):
        self.implementation, self.count = implementation, 0

    def __call__(self, op, given, numbers, digits):
        self.count += 1
        request = {"seq": 1, "op": op, "input": given, "numbers": numbers, "want": {"digits": digits}}
        answer = self.implementation.ask(json.loads(json.dumps(request))).answer
        if "error" in answer:
            return {"error": answer["error"]["name"]}
        return {"value": as_doubles(answer["value"])}


@pytest.mark.slow
def test_the_consumer_of_the_readme_passes_a_directed_implementation_and_fails_a_wrong_one():
    check, folder = consumer(), data_folder()
    operations = tuple(op for op in OPERATIONS if op != "loss_function")
    mine = Asked(Directed())
    assert check(folder, mine, operations) == {}
    doubles = [case for case in load_vectors() if case.op in operations and case.numbers == FLOAT64]
    assert mine.count > len(doubles) > 500
    below = check(folder, Asked(OneUlpBelow()), ("loss", "control"))
    assert set(below.values()) == {"unsafe"}
    with_levels = [case for case in doubles if case.op in ("loss", "control") and "value" in case.expected]
    assert len(below) > NEARLY_ALL * len(with_levels)
