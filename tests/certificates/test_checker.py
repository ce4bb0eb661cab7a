"""The certificate checker: accepts what is true and proved, and nothing that is false."""

import ast
import json
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from io import BytesIO
from itertools import islice
from math import lcm
from pathlib import Path
from types import ModuleType
from unittest.mock import Mock, patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp

from tploracle.certificates import checker, reading, rows, trade_off
from tploracle.certificates.checker import NotDecided, Rejected, check
from tploracle.certificates.lone import write_lone
from tploracle.reference import TransitionMatrix

from .. import in_mpmath
from ..profiles import FACTOR, examples, some
from ..strategies import rational_alphas
from .corruption import corruptions
from .documents import (
    MODERATE,
    PAPER_L,
    SCHEMA,
    THREE,
    UNCORRELATED,
    about_suprema,
    certified_leakage,
    certified_loss,
    changed,
    honest,
    rejects,
    undecided,
)
from .truth import is_true

SOURCES = [Path(module.__file__) for module in (checker, rows, trade_off, reading)]
SOURCE, ROWS, TRADE_OFF, READING = SOURCES
HONEST = honest()
SHARDS = 34


def accepted(document):
    try:
        return bool(check(json.dumps(document)))
    except (Rejected, NotDecided):
        return False


def identifier(document):
    given = (str(document[key]) for key in ("alpha", "epsilon", "epsilons") if key in document)
    return f"{document['certificate']}-{next(given, 'pieces')}"


@pytest.mark.parametrize("document", HONEST, ids=identifier)
def test_honest_certificates_are_accepted_true_and_of_the_schema(document):
    assert check(json.dumps(document)) == document["certificate"]
    assert is_true(document)
    SCHEMA.validate(document)


@pytest.mark.parametrize(
    "shard", [0, *(pytest.param(shard, marks=pytest.mark.exhaustive) for shard in range(1, SHARDS))]
)
def test_no_corrupted_certificate_that_is_false_passes(shard):
    tried = passed = 0
    for document in HONEST:
        # A leakage has the most fields, and many of a kind: a third of them will do, each worker another one.
        stride = SHARDS * (3 if document["certificate"] == "leakage" and not FACTOR else 1)
        for place, corrupted in islice(corruptions(document), shard, None, stride):
            if corrupted != document:
                tried += 1
                if accepted(corrupted):
                    passed += 1
                    assert is_true(corrupted), (place, corrupted)
                    SCHEMA.validate(corrupted)
    assert tried > 1000
    assert passed < tried / 4


def test_other_ways_to_write_the_same_are_accepted():
    document = certified_loss(MODERATE, "log(2)")
    for fields in (
        {"loss__lower": "log(1)", "level__lower": "0"},
        {"loss__upper": "log(1.8e0)"},
        {"level__lower": "log(9/5)"},
        {"alpha": "log(18/9)"},
        {"alpha": "log((1+sqrt(9))/2)"},
        {"matrix__0__0": "8e-1"},
    ):
        other = changed(document, **fields)
        assert check(json.dumps(other)) == "loss"
        assert is_true(other)


def test_the_first_failing_step_is_named():
    for place, document in rejects():
        with pytest.raises(Rejected) as caught:
            check(json.dumps(document))
        assert str(caught.value).partition(": ")[0] == place, (place, str(caught.value), document)


def test_what_must_be_rejected_is_false_or_malformed():
    for place, document in rejects():
        assert not is_true(document) or place in ("version", "digits", "alpha", "loss.lower", "matrix[1][2]"), (
            place,
            document,
        )


def spent(text, module=checker, reader=reading):
    """Return how a check ends, by the name of what it raises, the place of that, and what it counted."""
    counted = reader.Spent(reader.MOST_WORK)
    try:
        reader.examined(text, counted, module._KINDS)
    except (reader.Rejected, reader.NotDecided) as error:
        return type(error).__name__, str(error).partition(": ")[0], counted
    return "accepted", "", counted


LIMITS = [
    ("document", {"MOST_TEXT": 100}, certified_loss(MODERATE, "log(2)")),
    ("document", {"MOST_ZEROS": 99}, certified_loss(MODERATE, "1e-100")),
    ("matrix[1][1]", {"MOST_LENGTH": 2}, certified_loss(MODERATE, "0")),
    ("matrix", {"MOST_COMMON": 2}, certified_loss(MODERATE, "0")),
    ("matrix", {"MOST_BITS": 50}, certified_loss(MODERATE, "0")),
    ("alpha", {"MOST_BITS": 1200}, certified_loss(MODERATE, "1/10")),
    ("alpha", {"MOST_LEVEL": 1}, certified_loss(MODERATE, "2")),
    ("alpha", {"MOST_EXPONENT": 99}, changed(certified_loss(MODERATE, "1e-100"), alpha="1e-100")),
    ("loss", {"MOST_BITS": 60_000}, certified_loss(TransitionMatrix.of([["1/20"] * 20] * 20), "1/10")),
    ("matrix", {"MOST_STATES": 1}, certified_loss(MODERATE, "log(2)")),
    ("epsilons", {"MOST_STEPS": 2}, HONEST[-1]),
    ("digits", {"MOST_DIGITS": 2}, HONEST[-1]),
]


@pytest.mark.parametrize(("place", "limits", "document"), LIMITS)
def test_what_exceeds_a_limit_is_not_decided(place, limits, document, monkeypatch):
    check(json.dumps(document))
    for name, value in limits.items():
        monkeypatch.setattr(reading, name, value)
    assert spent(json.dumps(document))[:2] == ("NotDecided", place)


UNDECIDED = list(undecided())


@pytest.mark.parametrize(("place", "document"), UNDECIDED, ids=range(len(UNDECIDED)))
def test_what_is_beyond_the_limits_ends_before_the_work_and_is_not_decided(place, document):
    text = json.dumps(document)
    tracemalloc.start()
    try:
        outcome, found, counted = spent(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (outcome, found) == ("NotDecided", place)
    assert counted.work < reading.MOST_WORK // 10
    assert peak < 1 << 30


@pytest.mark.parametrize("document", some(HONEST, 3), ids=identifier)
def test_the_work_is_counted_and_what_it_takes_is_enough(document):
    text = json.dumps(document)
    outcome, _, counted = spent(text)
    assert outcome == "accepted"
    assert 0 < counted.work < reading.MOST_WORK // 1000
    assert check(text, counted.work) == document["certificate"]
    with pytest.raises(NotDecided, match="units of work"):
        check(text, counted.work - 1)


def test_twice_the_releases_are_twice_the_work_and_twice_the_states_eight_times():
    def work(document):
        return spent(json.dumps(document))[2].work

    once, twice = (work(certified_leakage(["1/10"] * steps, THREE, None)) for steps in (8, 16))
    assert 1.8 < twice / once < 2.2
    states = [[["1/2", "1/2", *["0"] * (n - 2)]] * n for n in (60, 120)]
    small, large = (work(changed(certified_loss(UNCORRELATED, "2"), matrix=matrix)) for matrix in states)
    assert 6 < large / small < 8


# Every check is needed: without it, something of the above passes, or ends in another error. Every count is needed:
# without it, something costs less.

CHECKS = (
    "require",
    "at_most",
    "encloses",
    "integer",
    "within",
    "loss_at_most",
    "none_exceeds",
    "swept",
    "null",
    "texts",
    "_claimed",
)
COUNTS = ("count",)


def mutants():
    """Yield (line, sources, whether a count) without a check: a requirement, an `if` that fails, a step of a proof."""
    for path in SOURCES:
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, ast.If):
                gone = not node.orelse and _called(node.body[-1]) == "fail"
            else:
                gone = isinstance(node, ast.Expr) and _called(node) in CHECKS + COUNTS
            if gone:
                first, last = node.lineno - 1, node.end_lineno
                indent = " " * node.col_offset
                source = "\n".join([*lines[:first], f"{indent}pass", *lines[last:]])
                yield f"{path.name}:{node.lineno}: {lines[first].strip()}", {path: source}, _called(node) in COUNTS


def _called(statement):
    call = getattr(statement, "value", None)
    function = call.func if isinstance(call, ast.Call) else None
    return getattr(function, "attr", None) or getattr(function, "id", None)


def run(sources):
    """Return checker and reader of these sources, others as they are."""
    modules = {}
    for path in (READING, ROWS, TRADE_OFF, SOURCE):
        modules[path] = module = ModuleType(path.stem)
        with patch.dict(sys.modules, {own.stem: modules[own] for own in modules}):
            source = sources.get(path) or path.read_text(encoding="utf-8")
            exec(compile(source, "mutant", "exec", dont_inherit=True), vars(module))
    return modules[SOURCE], modules[READING]


def outcome(modules, text):
    """Return by what name the text is refused, and None where it is not refused as it has to be."""
    try:
        ended = spent(text, *modules)[0]
    except Exception:  # noqa: BLE001 - a check that is gone may let anything happen
        return None
    return None if ended == "accepted" else ended


@pytest.mark.slow  # a check that is left out lets false certificates pass, which the first shard of corruptions tries
def test_every_check_and_every_count_of_the_checker_is_needed():
    texts = {json.dumps(document): "Rejected" for _, document in rejects()}
    texts |= dict.fromkeys(["{", '{"a": 1, "a": 1}'], "Rejected")
    texts |= {json.dumps(document): "NotDecided" for _, document in UNDECIDED[:6]}
    limited = [(limits, json.dumps(document)) for _, limits, document in LIMITS]
    limited += [({"MOST_WORK": 10**5}, json.dumps(HONEST[-1]))]
    costs = {json.dumps(document): None for document in HONEST}
    costs = {text: spent(text)[2] for text in costs}

    def all_the_same(sources, is_count):
        modules = run(sources)
        if is_count:
            return all(vars(spent(text, *modules)[2]) == vars(cost) for text, cost in costs.items())
        same = all(outcome(modules, text) == refusal for text, refusal in texts.items())
        for limits, text in limited:
            with patch.multiple(modules[1], **limits):
                same = same and outcome(modules, text) == "NotDecided"
        return same

    assert all_the_same({}, True)
    assert all_the_same({}, False)
    found = list(mutants())
    assert len(found) > 80
    survivors = [line for line, sources, is_count in found if all_the_same(sources, is_count)]
    assert not survivors, "\n".join(survivors)


HOSTILE = [
    "",
    "null",
    "1e5",
    "\ud800",
    '{"certificate": "loss", "certificate": "loss"}',
    '{"certificate": ["loss"]}',
    '{"certificate": "loss", "version": ' + "9" * 10_000 + "}",
    json.dumps(changed(certified_loss(MODERATE, "log(2)"), alpha="1e-1000000")),
    json.dumps(changed(certified_loss(MODERATE, "log(2)"), alpha="log(1e1000000)")),
    json.dumps(changed(certified_loss(MODERATE, "log(2)"), alpha="inf", matrix=[["1"] * 200] * 200)),
    json.dumps(changed(certified_loss(MODERATE, "log(2)"), alpha="log(sqrt(" + "9" * 19_000 + "))")),
    json.dumps(changed(HONEST[-1], epsilons=["1"] * 10_000)),
    json.dumps({**certified_loss(MODERATE, "log(2)"), "certificate": float("nan")}),
    *(
        json.dumps(changed(document, epsilon="1e-30000", bound="2000000", level="1"))
        for document in about_suprema()
        if document["matrix"] == PAPER_L.texts()
    ),
    *(
        json.dumps(changed(document, epsilon="1999999", bound="log(1e1000000)", level="1"))
        for document in about_suprema()
        if document["matrix"] == PAPER_L.texts() and document["certificate"] == "bounded"
    ),
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nonsense_is_rejected_and_nothing_else_happens(text):
    with pytest.raises(Rejected):
        check(text)


TOO_MUCH = [
    "[" * 100_000,
    '{"a":' * 100_000,
    json.dumps(changed(certified_loss(MODERATE, "log(2)"), alpha="1e1000000")),
    json.dumps(changed(certified_loss(MODERATE, "log(2)"), alpha="9" * 20_000)),
    json.dumps(changed(certified_loss(MODERATE, "log(2)"), matrix=[["1e-20000"] * 300] * 300)),
    json.dumps(changed(HONEST[-1], epsilons=["2000000"] * 3000)),
]


@pytest.mark.parametrize("text", TOO_MUCH, ids=range(len(TOO_MUCH)))
def test_too_much_is_not_decided_and_nothing_else_happens(text):
    with pytest.raises(NotDecided):
        check(text)


@pytest.mark.parametrize("error", [MemoryError, RecursionError])
def test_a_lack_of_memory_says_nothing_about_the_certificate(error, monkeypatch):
    def lacking(*_nodes):
        raise error

    monkeypatch.setitem(checker._KINDS, "loss", (lacking, checker._KINDS["loss"][1]))
    with pytest.raises(NotDecided, match="memory"):
        check(json.dumps(certified_loss(MODERATE, "log(2)")))


@given(st.text() | st.binary().map(lambda content: content.decode("latin-1")))
def test_any_text_is_rejected(text):
    with pytest.raises(Rejected):
        check(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["0", "1", "inf", "log(2)"]) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["q", "lower", "upper"]), inner),
    max_leaves=8,
)


@given(st.sampled_from(HONEST), st.data())
def test_any_value_in_any_field_is_true_or_rejected(document, data):
    key = data.draw(st.sampled_from([key for key in document if key != "certificate"]))
    corrupted = {**document, key: data.draw(JSON)}
    if accepted(corrupted):
        assert is_true(corrupted)


# Suprema: what is false by less than the checker's own enclosures are wide is rejected as well.

TENTH = Fraction(1, 10)


def off_by_a_hair():
    """Yield documents that are false, and true if e^(1/10) were one of the bounds that the checker has of it."""
    (low, low_over), (high, high_over) = (reading._exp(TENTH, 128 + 4, up) for up in (False, True))
    with mp.workdps(400):
        truth = in_mpmath.fraction(mp.exp(in_mpmath.mpf(TENTH)))
    below, above = (Fraction(low, low_over) + truth) / 2, (Fraction(high, high_over) + truth) / 2
    assert below < truth < above < below + Fraction(1, 2**128)
    common = {"version": 1, "digits": 1, "epsilon": "1/10"}
    fields = {**common, "certificate": "bounded", "level": "9"}
    yield {**fields, "matrix": UNCORRELATED.texts(), "bound": f"log({below})"}
    # The supremum under MODERATE is (1 − q)·e^ε/(1 − q·e^ε), q = 4/5.
    yield {**fields, "matrix": MODERATE.texts(), "bound": f"log({below / (5 - 4 * below)})"}
    fields = {**common, "certificate": "bounded-below", "level": "0"}
    yield {**fields, "matrix": UNCORRELATED.texts(), "rows": None, "subset": [], "bound": f"log({above})"}
    witness = {"rows": [1, 2], "subset": [1]}
    yield {**fields, "matrix": MODERATE.texts(), **witness, "bound": f"log({above / (5 - 4 * above)})"}
    matrix = [[str(1 / above), str(1 - 1 / above)], ["0", "1"]]
    yield {**common, "certificate": "divergent", "matrix": matrix, **witness}


def test_a_supremum_is_missed_by_no_hair():
    for document in off_by_a_hair():
        assert not accepted(document), document
        assert not is_true(document)
        # Some hairs to the other side it is true, and proved.
        sign = -1 if document["certificate"] == "bounded" else 1
        assert accepted({**document, "epsilon": str(TENTH + sign * Fraction(1, 2**120))}), document


# The checker's own exponential and square root


@given(rational_alphas().filter(lambda x: x <= 2000) | st.fractions(0, 2000), st.integers(0, 400))
@examples(60)
@example(Fraction(10**5, 7), 100)
@example(Fraction(1, 2**300), 0)
def test_the_exponential_encloses(x, bits):
    (low, low_over), (high, high_over) = (reading._exp(x, bits, up) for up in (False, True))
    with mp.workprec(2000 + 2 * bits + int(2 * x)):
        truth = in_mpmath.fraction(mp.exp(in_mpmath.mpf(x)))
    low, high = Fraction(low, low_over), Fraction(high, high_over)
    assert 1 <= low <= truth <= high
    assert (high - low) * 2**bits <= truth - 1


@given(
    st.integers(-(10**40), 10**40), st.booleans(), st.integers(2, 10**80), st.integers(1, 10**20), st.integers(0, 300)
)
@examples(200)
def test_the_surd_is_enclosed(p, minus, n, c, bits):
    match = reading._SURD.fullmatch(f"({p}{'-' if minus else '+'}sqrt({n}))/{c}")
    (low, over), (high, same) = reading._surd(match, bits)
    assert over == same
    low, high = (Fraction(end, over) * c - p for end in (low, high))
    for end, below in ((low, True), (high, False)):
        square = end * abs(end)
        assert square <= (-n if minus else n) if below else square >= (-n if minus else n)
    distance = max(abs(low + p - c), abs(high + p - c))
    assert (high - low) * 2**bits <= distance


@pytest.mark.parametrize(
    "text", ["1+sqrt(2)/2", "(sqrt(2)", "sqrt(2))/2", "2*sqrt(2)", "1/2+sqrt(2)", "sqrt(-2)", "--1+sqrt(9)"]
)
def test_a_surd_is_read_in_its_canonical_form_alone(text):
    assert reading._SURD.fullmatch(text) is None


@pytest.mark.parametrize(
    "text", ["(7+sqrt(33))/8", "(-3+sqrt(33))/2", "9-sqrt(33)", "sqrt(33)/2", "sqrt(2)", "-1+sqrt(33)"]
)
def test_a_surd_is_what_the_reference_reads(text):
    document = certified_loss(MODERATE, f"log({text})")
    assert check(json.dumps(document)) == "loss"
    assert is_true(document)


# Fields


def node(value):
    return reading.Node("field", value, reading.Spent(reading.MOST_WORK))


NO_NUMBERS = (
    *("", "-1", "+1", " 1", "1 ", "1\n", "1.", ".5", "1/", "/2", "1/2/3", "1/-2", "-1/2", "1/+2", "1e", "e1", "1e5/2"),
    *("1/2e5", "1.5/2", "1/2.5", "1e1.5", "1e5e5", "1e+-5", "0x1", "1_0", "1,0", "\u0661", "\u00b2", "inf", "nan"),
    *("1/0", "0/0", "1/000", True, 1, None, [], {}, ["1"], b"1.5"),
)
NO_LEVELS = (
    *("log(1/2)", "log(0)", "log(999/1000)", "log(inf)", "log(-1)", "log(2", "log 2", "log()", "log(1/0)", "Log(2)"),
    *("log(-1+sqrt(2))", "log(sqrt(2)/2)", "log((1+sqrt(2))/0)", "log(sqrt(2)/0)", "log(3-sqrt(16))", "log(log(2))"),
    *("-inf", "Inf", "infinity", "sqrt(2)", *NO_NUMBERS[:11]),
)
MALFORMED = {
    "number": (lambda it: it.number(), NO_NUMBERS),
    "level": (lambda it: it.level(60), NO_LEVELS),
    "finite": (lambda it: it.finite(60), ("inf",)),
    "integer": (lambda it: it.integer(1, 3), (0, 4, -1, True, False, "1", b"1.0", None, [1], {})),
    "digits": (lambda it: it.bits(), (0, -1, True, "1", None)),
    "object": (
        lambda it: it.having("a b"),
        ({}, {"a": 1}, {"a": 1, "b": 1, "c": 1}, {"a": 1, "c": 1}, ["a", "b"], "a b"),
    ),
    "items": (lambda it: it.items(1, 2), ([], [1, 2, 3], "a", {"a": 1}, None, 1)),
    "states": (lambda it: it.states(), ([], "a", {"a": 1}, None)),
    "indices": (lambda it: it.indices(3), ([0, 1], [1, 4], [1], [1, 2, 3], [1, True], ["1", 2], [1, None], "12")),
    "columns": (lambda it: it.columns(9), ([9, 1], [2, 1], [1, 1], [0], [10], [1, 2, 3, 3], [True], None)),
    "null": (lambda it: it.null(""), (0, False, [], "", "null")),
    "texts": (lambda it: it.texts("a", "b"), ([], ["a"], ["b", "a"], ["a", "b", "b"], "ab", None)),
    "ratios": (
        lambda it: it.ratios(2),
        (
            [["1", "2"], ["2", "2"]],
            [["1", "1/2"], ["2", "1"]],
            [["1", "2"]],
            [["1"], ["1"]],
            [["1", "2"], ["2", "1/2"]],
        ),
    ),
    "bounds": (
        lambda it: it.encloses(60, reading.Level((3, 2), (5, 3)), reading.Level((7, 4), (9, 5))),
        (
            *({"lower": "0"}, {"lower": "0", "upper": "2", "most": "2"}, ["0", "2"]),
            *({"lower": "log(8/5)", "upper": "2"}, {"lower": "0", "upper": "log(7/4)"}, {"lower": "inf", "upper": "2"}),
        ),
    ),
}


@pytest.mark.parametrize(("read", "wrong"), MALFORMED.values(), ids=MALFORMED)
def test_what_is_malformed_is_rejected_field_by_field(read, wrong):
    for value in wrong:
        with pytest.raises(Rejected, match=r"^field"):
            pytest.fail(f"{value!r} is read as {read(node(value))}")


@given(st.integers(0, 10**30), st.integers(1, 10**20), st.integers(-40, 40), st.sampled_from(["", "0", "000"]))
@examples(100)
@example(0, 1, 0, "")
def test_numbers_are_those_that_are_written(a, b, exponent, zeros):
    sign = "+" if exponent > 0 and a % 2 else ""
    written = {
        f"{zeros}{a}": Fraction(a),
        f"{a}/{zeros}{b}": Fraction(a, b),
        f"{a}.{zeros}{b}": a + Fraction(b, 10 ** len(f"{zeros}{b}")),
        f"{a}{'eE'[b % 2]}{sign}{exponent}": a * Fraction(10) ** exponent,
        f"{b}.{a}e-{zeros}{abs(exponent)}": (b + Fraction(a, 10 ** len(str(a)))) / Fraction(10) ** abs(exponent),
    }
    assert {text: node(text).number() for text in written} == written
    assert all(node(text).level(1).alpha == x.as_integer_ratio() for text, x in written.items() if x < 100)
    level = node(f"log({a + b}/{b})").level(1)
    assert level == reading.Level(*[Fraction(a + b, b).as_integer_ratio()] * 2)
    texts, numbers = zip(*written.items(), strict=True)
    (whole,), common = node(None).over_one(node(list(texts)), n=len(texts))
    assert [Fraction(x, common) for x in whole] == list(numbers)
    assert common == lcm(*(x.denominator for x in numbers))


@pytest.mark.parametrize("exponent", [10**6 + 1, 10**7, 10**8, 10**9 + 1, "9" * 5000], ids=range(5))
def test_exponents_that_are_too_great_are_not_decided_whatever_their_length(exponent):
    for text in (f"1e{exponent}", f"1e-{exponent}", f"0e+000{exponent}"):
        for read in (lambda it: it.number(), lambda it: it.level(1)):
            with pytest.raises(NotDecided, match=r"^field: more than [0-9]+ as an exponent"):
                read(node(text))


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 9)), max_size=5))
def test_the_least_multiple_is_the_greatest_quotient(both):
    found = Fraction(*node(None).least_multiple([c for c, _ in both], [h for _, h in both]))
    assert found == max([Fraction(0), *(Fraction(c, h) for c, h in both if h)])


FRACTIONS = st.fractions(1, 9, max_denominator=9).map(Fraction.as_integer_ratio)
ENDS = st.tuples(FRACTIONS, FRACTIONS).map(lambda both: sorted(both, key=lambda pair: Fraction(*pair)))


@given(ENDS, ENDS)
def test_sums_of_levels_are_those_of_their_ends_and_nothing_unproved_is_at_most_another(one, other):
    first, second = reading.Level(*one), reading.Level(*other)
    for left, right in ((first, second), (second, first)):
        for end in ("lower", "upper"):
            own, more, total = (Fraction(*getattr(level, end)) for level in (left, right, left + right))
            assert total == own * more
        assert (left + right).alpha is None
        assert (left <= right) == (Fraction(*left.upper) <= Fraction(*right.lower))
    assert first + reading.ZERO == reading.ZERO + first == first
    known = [reading.Level(*[(1, 1)] * 2, alpha) for alpha in (one[0], other[0])]
    assert Fraction(*(known[0] + known[1] + reading.ZERO).alpha) == Fraction(*one[0]) + Fraction(*other[0])
    assert (known[0] <= known[1]) == (Fraction(*one[0]) <= Fraction(*other[0]))


def test_what_is_well_formed_is_what_is_written():
    assert node("inf").level(1) == reading.Level((1, 0), (1, 0))
    assert (node([3, 1]).indices(3), node([1, 3]).columns(3), node([]).columns(3)) == ([2, 0], [0, 2], [])
    assert [state.value for state in node([["1"]]).states()] == [["1"]]
    assert [(pair, ratio) for _, pair, ratio in node([["1", "5/2"], ["1", "1"]]).ratios(2)] == [
        ((0, 1), Fraction(5, 2)),
        ((1, 0), 1),
    ]
    bounds = node({"lower": "log(3/2)", "upper": "log(9/5)"})
    exact = [reading.Level(pair, pair) for pair in ((3, 2), (9, 5))]
    assert list(bounds.encloses(1, *exact)) == exact
    assert (node(3).integer(1, 3), node(1).integer(1, 3), node(1).bits(), node(2).bits()) == (3, 1, 132, 136)
    assert [[item.value for item in node(list(items)).items(1, 3)] for items in ("a", "abc")] == [["a"], [*"abc"]]


@pytest.mark.parametrize("text", ['{"certificate": "loss", "version": 1, "version": 1}', '{"a": {"b": 1, "b": 1}}'])
def test_a_key_that_occurs_twice_is_rejected_wherever_it_is(text):
    with pytest.raises(Rejected, match="a key occurs twice"):
        check(text)


@pytest.mark.parametrize("version", [0, 2, True, "1", 1.0, None])
def test_no_other_version_is_read(version):
    with pytest.raises(Rejected, match=r"^version: "):
        check(json.dumps(changed(HONEST[0], version=version)))


def test_a_file_is_read_whole_or_not_at_all(monkeypatch):
    monkeypatch.setattr(reading, "MOST_TEXT", 9)
    texts = ["", "a" * 9, "\u00e9" * 4]
    assert [reading.read(BytesIO(text.encode())) for text in texts] == texts
    assert reading.read(BytesIO("a\u00e9".encode("utf-8-sig"))) == "a\u00e9"
    with pytest.raises(NotDecided, match="more than 9 bytes"):
        reading.read(BytesIO(b"a" * 10))
    with pytest.raises(UnicodeDecodeError):
        reading.read(BytesIO(b"\xff"))


def test_the_command_says_how_it_ends(tmp_path, capsys, monkeypatch):
    file = tmp_path / "text"
    file.write_text("a")
    usage = "usage: checker.py [--work N] FILE\n"
    ends = [
        ((), None, 2, "", usage),
        (("",), None, 2, "", usage),
        ((file, file), None, 2, "", usage),
        (("--work", "1"), None, 2, "", usage),
        (("--work", "a", file), None, 2, "", usage),
        (("--work", "-1", file), None, 2, "", usage),
        (("--work", "9" * 100, file), None, 2, "", usage),
        ((tmp_path / "none",), None, 2, "", "cannot read: "),
        ((file,), None, 0, f"accepted: ('a', {reading.MOST_WORK})\n", ""),
        (("--work", "07", file), None, 0, "accepted: ('a', 7)\n", ""),
        ((file,), Rejected("a: b"), 1, "rejected: a: b\n", ""),
        ((file,), NotDecided("a: b"), 3, "not decided: a: b\n", ""),
        ((file,), ZeroDivisionError(), 3, "not decided: ZeroDivisionError\n", ""),
        ((file,), KeyboardInterrupt(), 130, "", "interrupted\n"),
    ]
    for arguments, error, status, out, said in ends:
        check = Mock(side_effect=error or (lambda *given: str(given)))
        assert reading.command([str(argument) for argument in arguments], check) == status
        found = capsys.readouterr()
        assert (found.out, found.err[: len(said) or None]) == (out, said)
        assert check.called == (status != 2)
    full = Mock(flush=Mock(side_effect=OSError("no space")))
    monkeypatch.setattr(sys, "stdout", full)
    assert reading.command([str(file)], lambda *_given: "") == 2
    assert sys.stdout is None
    assert capsys.readouterr().err == "cannot write: no space\n"


# One file, the standard library, and no counts among the proofs


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_it_imports_the_standard_library_alone(source):
    tree = ast.parse(source.read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    own = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}
    assert own == {SOURCE: {"reading", "rows", "trade_off"}, ROWS: {"reading"}, TRADE_OFF: {"reading", "rows"}}.get(
        source, set()
    )
    assert {name.partition(".")[0] for name in imported - own} <= sys.stdlib_module_names
    assert not any(isinstance(node, ast.Constant) and isinstance(node.value, float) for node in ast.walk(tree))


def test_the_proofs_can_be_read_in_one_sitting_and_count_nothing():
    for source in (SOURCE, ROWS):
        text = source.read_text(encoding="utf-8")
        assert len(text.splitlines()) < 450
        assert "count" not in {getattr(node, "attr", "") for node in ast.walk(ast.parse(text))}


def test_it_runs_beside_what_it_reads_with(tmp_path):
    for source in SOURCES:
        (tmp_path / source.name).write_bytes(source.read_bytes())
    document = tmp_path / "loss.json"
    document.write_text(json.dumps(HONEST[0]))
    command = [sys.executable, tmp_path / SOURCE.name, document]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"accepted: {HONEST[0]['certificate']}\n", "")


def test_it_runs_as_a_lone_file(tmp_path):
    lone = tmp_path / "lone.pyz"
    write_lone(lone)

    def run(*arguments):
        # 640 is the least limit on the digits of an integer that an interpreter takes.
        command = [sys.executable, "-I", "-X", "int_max_str_digits=640", str(lone), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    true, false = tmp_path / "true.json", tmp_path / "false.json"
    true.write_text(json.dumps(certified_loss(MODERATE, "1e-1000")))
    false.write_text(json.dumps(changed(certified_loss(MODERATE, "log(2)"), level__lower="0.59")))
    assert (run(true).returncode, run(true).stdout) == (0, "accepted: loss\n")
    answer = run(false)
    assert (answer.returncode, answer.stdout) == (
        1,
        "rejected: level: the lower bound is above what is proved\n",
    )
    false.write_bytes(b"\xff")
    assert run(false).returncode == 1
    assert [run(tmp_path / "none").returncode, run().returncode] == [2, 2]
    marked = tmp_path / "marked.json"
    marked.write_bytes(b"\xef\xbb\xbf" + true.read_bytes())
    assert run(marked).stdout == "accepted: loss\n"
    work = spent(true.read_text())[2].work
    assert run("--work", work, true).returncode == 0
    answer = run("--work", work - 1, true)
    assert (answer.returncode, answer.stdout.partition(": ")[0]) == (3, "not decided")
    assert [run("--work", word, true).returncode for word in ("many", "-1", "\u0661")] == [2, 2, 2]
    answer = run("/dev/zero")
    assert (answer.returncode, answer.stdout) == (3, f"not decided: document: more than {reading.MOST_TEXT} bytes\n")


def test_no_verdict_is_lost_and_no_fault_reads_as_one(tmp_path, monkeypatch, capsys):
    true = tmp_path / "true.json"
    true.write_text(json.dumps(certified_loss(MODERATE, "log(2)")))
    with open("/dev/full", "w") as full:  # noqa: PTH123
        command = [sys.executable, SOURCE, true]
        assert subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False).returncode == 2
    for error, status in ((KeyboardInterrupt, 130), (MemoryError, 3), (ZeroDivisionError, 3)):
        monkeypatch.setattr(checker, "check", Mock(side_effect=error))
        assert checker.main([str(true)]) == status
    assert capsys.readouterr().out == "not decided: MemoryError\nnot decided: ZeroDivisionError\n"
