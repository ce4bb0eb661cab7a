"""Both lints pass the shipped vectors and see each kind of corruption, by the case and in words."""

import sys
from decimal import Decimal, localcontext
from pathlib import Path

import pytest

from tploracle.conformance.ask.cases import data_folder, documents
from tploracle.conformance.lint import hash_of
from tploracle.conformance.lint import lint as files_lint
from tploracle.contract.operations import OPERATIONS
from tploracle.reference import InvalidRequest
from vectors.generators.lint_cases import lint
from vectors.generators.read_query import ReadQuery
from vectors.generators.vector import certificates_of

from ..profiles import some
from .small import WANTED, case_of, small_documents, write_documents


@pytest.fixture
def found():
    return small_documents()


def linted(tmp_path, found):
    write_documents(tmp_path, found)
    return lint(tmp_path)


@pytest.mark.slow
def test_the_shipped_vectors_pass():
    steps = []
    assert lint(data_folder(), lambda done, total: steps.append((done, total))) == []
    assert steps[-1][0] == steps[-1][1] == len(steps)


def test_the_small_copy_passes(tmp_path, found):
    assert sum(len(document.get("cases", ())) for document in found.values()) == len(WANTED)
    assert linted(tmp_path, found) == []


LOSS, SUPREMUM, LEAKAGE = "loss-moderate-at-half", "supremum-moderate-at-tenth", "leakage-both-2"
LOG_2 = {
    "exact": "log(2)",
    "lower": "0.6931471805599453094172321214581765680755",
    "upper": "0.6931471805599453094172321214581765680756",
}
A_ROW_OF_HALVES = ["0x1p-1", "0x1p-1"]


def put(place, value, identifier=LOSS):
    """Return a corruption: a value, or what a function makes of the old one, at a place of a case."""
    *way, last = (int(key) if key.isdigit() else key for key in place.split("."))

    def corrupt(found):
        holder = case_of(found, identifier)
        for key in way:
            holder = holder[key]
        holder[last] = value(holder[last]) if callable(value) else value

    return corrupt


def hashed(*arguments):
    """Return the corruption with the case's hash made right again, so that only the other fault is left."""
    corrupt, identifier = put(*arguments), (*arguments, LOSS)[2]

    def corrupt_and_hash(found):
        corrupt(found)
        case = case_of(found, identifier)
        case["sha256"] = hash_of({"op": identifier.split("-")[0], **case})

    return corrupt_and_hash


def sound_for(identifier, without=(), **changes):
    """Return a corruption: sound certificates of another question than the case asks."""

    def corrupt(found):
        case = case_of(found, identifier)
        given = {key: value for key, value in case["input"].items() if key not in without}
        case["certificates"] = certificates_of(
            ReadQuery(identifier.split("-")[0], case["numbers"], {**given, **changes})
        )

    return corrupt


def certificates_from(other, identifier):
    """Return a corruption: the certificates of another case."""
    return lambda found: put("certificates", case_of(found, other)["certificates"], identifier)(found)


def shifted(level):
    with localcontext() as context:
        context.prec = 60
        return {**level, **{end: str(Decimal(level[end]) + Decimal("1e-39")) for end in ("lower", "upper")}}


def flag_not_shown(found):
    put("flags", ["Permutation"])(found)
    found["flags.json"]["flags"]["Permutation"] = {"bug": "A bug.", "effect": "An effect."}


LEVEL = "expected.value"
ANOTHER, REJECTED = "certificate is about another question", "the certificate is rejected: "
OF_FILES = {
    "input": (put("input.alpha", "0x1p-2"), f"{LOSS}: the hash is that of another question or answer"),
    "enclosure shifted": (hashed(LEVEL, shifted), "the loss certificate proves another level"),
    "input refused": (hashed("input.matrix.0", ["0x1p-1", "0x1p-2"]), "the input is refused, NotStochastic: "),
    "other question": (put("certificates.0.alpha", "1"), REJECTED),
    "other level": (sound_for(LOSS, alpha="0x1p-2"), f"the loss {ANOTHER}"),
    "other matrix": (sound_for(LOSS, matrix=[A_ROW_OF_HALVES, ["0x0p+0", "0x1p+0"]]), f"the loss {ANOTHER}"),
    "other budget": (sound_for(SUPREMUM, epsilon="0x1p-4"), ANOTHER),
    "other budgets": (sound_for(LEAKAGE, epsilons=["0x1p-1", "0x1p-3"]), f"the leakage {ANOTHER}"),
    "other correlation": (
        sound_for(LEAKAGE, forward=[A_ROW_OF_HALVES, ["0x1p-2", "0x1.8p-1"]]),
        f"the leakage {ANOTHER}",
    ),
    "less knowledge": (sound_for(LEAKAGE, ["forward"]), f"the leakage {ANOTHER}"),
    "matrix put in": (put("certificates.0.backward", [["1", "0"], ["0", "1"]], LEAKAGE), REJECTED),
    "matrix left out": (put("certificates.0.forward", None, LEAKAGE), REJECTED),
    "piece": (put("certificates.0.pieces.0.q", "1", "loss-function-symmetric"), REJECTED),
    "foreign kind": (
        certificates_from("loss-function-symmetric", LOSS),
        "a certificate of the kind loss-function says nothing about loss",
    ),
    "another answer": (
        hashed(LEVEL, lambda level: {**level, "lower": "0.5", "upper": "0.5"}, SUPREMUM),
        "the bounded certificate proves another upper end",
    ),
    "divergence": (
        hashed(LEVEL, lambda level: {**level, **LOG_2}, "supremum-critical-half-exact"),
        "the divergent certificate says that there is no supremum",
    ),
    "error": (certificates_from(LOSS, "loss-refuses-float-doubles"), "there is no certificate of an error"),
    "twice": (
        lambda found: found["loss.json"]["cases"].append(case_of(found, LOSS)),
        f"the id {LOSS} occurs twice",
    ),
    "twice in two files": (put("id", LOSS, "smooth-moderate"), f"the id {LOSS} occurs twice"),
    "unknown flag": (put("flags", ["SomethingElse"]), "flags.json: the flag SomethingElse is not described"),
    "unused flag": (
        lambda found: found["flags.json"]["flags"].update(NeverSeen={"bug": "None.", "effect": "None."}),
        "flags.json: no case has the flag NeverSeen",
    ),
}
"""What is seen by the files alone: each corruption, and a part of the line about it."""

OF_CASES = {
    "expected": (hashed(f"{LEVEL}.exact", "log(5/4)"), "the level: log(5/4) is not within its enclosure"),
    "enclosure crossed": (
        hashed(LEVEL, lambda level: {**level, "lower": level["upper"], "upper": level["lower"]}),
        "the level: the lower end is above the upper one",
    ),
    "enclosure wide": (
        hashed(f"{LEVEL}.lower", lambda end: end[:20]),
        "the level: the enclosure is wider than 40 digits",
    ),
    "half infinite": (hashed(f"{LEVEL}.upper", "inf"), "the level: one end is infinite, and the level is not"),
    "exact outside": (
        hashed(f"{LEVEL}.exact", "log(2)", "loss-exact-ratio-2"),
        "the level: log(2) is not within its enclosure",
    ),
    "uneven row": (
        hashed("input.matrix.0", ["0x1.8p-1", "0x1.0000000000001p-2"]),
        "matrix: a row of doubles sums to 18014398509481985/18014398509481984, not to exactly 1",
    ),
    "flag not shown": (flag_not_shown, f"{LOSS}: it does not show Permutation"),
    "unknown citation": (put("cites", ["Theorem 99 [thm:none]"]), "there is no 'Theorem 99 [thm:none]' to cite"),
    "citation's number": (put("cites", ["Theorem 10 [thm:sup]"]), "there is no 'Theorem 10 [thm:sup]' to cite"),
    "unknown erratum": (put("errata", ["E99"]), "there is no erratum E99"),
    "neither flag nor edge": (
        lambda found: case_of(found, LOSS).update(flags=[], why=[]),
        "it has neither a flag nor an edge",
    ),
    "not ASCII": (
        hashed("input.sequences.0.0", "ä", "estimate-two-sequences"),
        "the input has a character that is not ASCII",
    ),
}
"""What is seen only where the facts about flags, the citations and the numbers are looked at."""


@pytest.mark.parametrize("checked", some([lint, files_lint], 2))
@pytest.mark.parametrize("corruption", OF_FILES)
def test_each_corruption_of_the_files_is_seen(tmp_path, found, corruption, checked):
    corrupt, words = OF_FILES[corruption]
    corrupt(found)
    write_documents(tmp_path, found)
    lines = checked(tmp_path)
    assert any(words in line for line in lines), lines


@pytest.mark.parametrize("corruption", some(OF_CASES, 2))
def test_each_corruption_of_a_case_is_seen(tmp_path, found, corruption):
    corrupt, words = OF_CASES[corruption]
    corrupt(found)
    lines = linted(tmp_path, found)
    assert any(words in line for line in lines), lines
    assert not any(words in line for line in files_lint(tmp_path))


def missing_flag(document):
    del document["flags"][next(iter(document["flags"]))]


def other_words(document):
    next(iter(document["flags"].values()))["effect"] = "None."


@pytest.mark.parametrize(
    ("corrupt", "words"),
    [
        (lambda document: document.update(number_of_cases=99), "it has 3 cases, and says 99"),
        (missing_flag, "of its cases have the flag"),
        (lambda document: next(iter(document["flags"].values())).update(cases=7), "and it says 7"),
        (other_words, "is not what flags.json says"),
        (lambda document: document.pop("version"), "version"),
    ],
)
def test_what_a_file_says_of_itself_is_checked(tmp_path, found, corrupt, words):
    corrupt(found["loss.json"])
    write_documents(tmp_path, found)
    lines = files_lint(tmp_path)
    assert lines
    assert any(words in line and line.startswith("loss.json: ") for line in lines), lines


def test_counts_in_the_pages_are_those_of_the_files():
    counts = [document["number_of_cases"] for _, document in documents(data_folder())]
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    assert f"[vectors](vectors/README.md), {sum(counts):,} cases for {len(OPERATIONS)} operations." in readme


def schema_faults():
    return {
        "an unknown key of a case": lambda case: case.update(note="x"),
        "an unknown key of the input": lambda case: case["input"].update(beta="0x1p-1"),
        "an unknown key of the value": lambda case: case["expected"]["value"].update(rows=[1, 2]),
        "a missing key": lambda case: case.pop("title"),
        "an operation of its own": lambda case: case.update(op="loss"),
        "a bad id": lambda case: case.update(id="Loss One"),
        "a title that is no sentence": lambda case: case.update(title="nothing special"),
        "an unknown tier": lambda case: case.update(tier="some"),
        "unknown numbers": lambda case: case.update(numbers="float32"),
        "digits that are none": lambda case: case.update(digits=0),
        "a number as a float": lambda case: case["input"].update(alpha=0.5),
        "a double written otherwise": lambda case: case["input"].update(alpha="0X1.8P-1"),
        "an empty matrix": lambda case: case["input"].update(matrix=[]),
        "both a value and an error": lambda case: case["expected"].update(error="InvalidNumber"),
        "an unknown error": lambda case: case.update(expected={"error": "InternalError"}),
        "a hash that is none": lambda case: case.update(sha256="0"),
        "no citation": lambda case: case.update(cites=[]),
        "a flag twice": lambda case: case.update(flags=["ZeroDenominator"] * 2),
        "certificates that are none": lambda case: case.update(certificates=["yes"]),
        "a level with a float": lambda case: case["expected"]["value"].update(lower=0.5),
    }


@pytest.mark.parametrize("fault", schema_faults())
def test_the_schema_is_strict(tmp_path, found, fault):
    schema_faults()[fault](case_of(found, LOSS))
    lines = linted(tmp_path, found)
    assert lines
    assert all(line.startswith("loss.json: ") for line in lines)


@pytest.mark.parametrize("fault", ["bug", "effect"])
def test_the_schema_of_the_flags_is_strict(tmp_path, found, fault):
    next(iter(found["flags.json"]["flags"].values())).pop(fault)
    assert any(line.startswith("flags.json: flags, ") for line in linted(tmp_path, found))


def test_a_file_named_after_another_operation(tmp_path, found):
    found["supremum.json"] = found["loss.json"]
    assert "supremum.json: its op is loss" in linted(tmp_path, found)


def test_a_key_that_occurs_twice(tmp_path, found):
    write_documents(tmp_path, found)
    text = (tmp_path / "loss.json").read_text(encoding="utf-8")
    (tmp_path / "loss.json").write_text(text.replace('"tier"', '"tier": "full", "tier"', 1), encoding="utf-8")
    assert lint(tmp_path) == ["loss.json: the key 'tier' occurs twice"]


def test_a_file_that_is_missing(tmp_path, found):
    del found["reverse.json"]
    write_documents(tmp_path, found)
    with pytest.raises(InvalidRequest, match=r"reverse\.json: it cannot be read"):
        lint(tmp_path)


def test_without_jsonschema_it_is_said_what_to_install(tmp_path, found, monkeypatch):
    write_documents(tmp_path, found)
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(InvalidRequest, match=r"install tploracle\[proofs\]"):
        lint(tmp_path)
