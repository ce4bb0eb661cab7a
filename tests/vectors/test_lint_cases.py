"""Both lints pass the shipped vectors and see each kind of corruption, by the case and in words."""

import builtins
import json
from decimal import Decimal, localcontext

import pytest

from tploracle.conformance.cases import data_folder
from tploracle.conformance.lint import hash_of
from tploracle.conformance.lint import lint as files_lint
from tploracle.reference import InvalidRequest
from vectors.generators.lint_cases import lint
from vectors.generators.read_query import ReadQuery
from vectors.generators.vector import certificates_of

from .small import WANTED, case_of, small_documents, write_documents


@pytest.fixture
def found():
    return small_documents()


def linted(tmp_path, found):
    write_documents(tmp_path, found)
    return lint(tmp_path)


def rehashed(found, identifier):
    """Make a case's hash right again, so that only the other fault is left."""
    case = case_of(found, identifier)
    op = case.get("op") or identifier.split("-")[0]
    case["sha256"] = hash_of({**case, "op": {"loss": op, "leakage": op}.get(op, op)})


@pytest.mark.parametrize("checked", [lint, files_lint])
def test_the_shipped_vectors_pass(checked):
    steps = []
    assert checked(data_folder(), lambda done, total: steps.append((done, total))) == []
    assert steps[-1][0] == steps[-1][1] == len(steps)


def test_the_small_copy_passes(tmp_path, found):
    assert sum(len(document.get("cases", ())) for document in found.values()) == len(WANTED)
    assert linted(tmp_path, found) == []


def loss(found):
    return case_of(found, "loss-moderate-at-half")


def change_input(found):
    loss(found)["input"]["alpha"] = "0x1p-2"


def change_expected(found):
    loss(found)["expected"]["value"]["exact"] = "log(5/4)"
    rehashed(found, "loss-moderate-at-half")


def shift_enclosure(found):
    with localcontext() as context:
        context.prec = 60
        value = loss(found)["expected"]["value"]
        value["lower"], value["upper"] = (str(Decimal(value[end]) + Decimal("1e-39")) for end in ("lower", "upper"))
    rehashed(found, "loss-moderate-at-half")


def cross_enclosure(found):
    value = loss(found)["expected"]["value"]
    value["lower"], value["upper"] = value["upper"], value["lower"]
    rehashed(found, "loss-moderate-at-half")


def widen_enclosure(found):
    loss(found)["expected"]["value"]["lower"] = loss(found)["expected"]["value"]["lower"][:20]
    rehashed(found, "loss-moderate-at-half")


def half_infinite(found):
    loss(found)["expected"]["value"]["upper"] = "inf"
    rehashed(found, "loss-moderate-at-half")


def exact_outside(found):
    case_of(found, "loss-exact-ratio-2")["expected"]["value"]["exact"] = "log(2)"
    rehashed(found, "loss-exact-ratio-2")


def uneven_row(found):
    loss(found)["input"]["matrix"][0] = ["0x1.8p-1", "0x1.0000000000001p-2"]
    rehashed(found, "loss-moderate-at-half")


def refused_input(found):
    loss(found)["input"]["matrix"][0] = ["0x1p-1", "0x1p-2"]
    rehashed(found, "loss-moderate-at-half")


def other_question(found):
    loss(found)["certificates"][0]["alpha"] = "1"


def certified(found, identifier, **changes):
    """Put certificates of another question into a case: sound ones, made for a changed input."""
    case = case_of(found, identifier)
    op = identifier.split("-")[0]
    case["certificates"] = certificates_of(ReadQuery(op, case["numbers"], {**case["input"], **changes}))


def sound_for_another_level(found):
    certified(found, "loss-moderate-at-half", alpha="0x1p-2")


def sound_for_another_matrix(found):
    certified(found, "loss-moderate-at-half", matrix=[["0x1p-1", "0x1p-1"], ["0x0p+0", "0x1p+0"]])


def sound_for_another_budget(found):
    certified(found, "supremum-moderate-at-tenth", epsilon="0x1p-4")


def sound_for_other_budgets(found):
    certified(found, "leakage-both-2", epsilons=["0x1p-1", "0x1p-3"])


def sound_for_another_correlation(found):
    certified(found, "leakage-both-2", forward=[["0x1p-1", "0x1p-1"], ["0x1p-2", "0x1.8p-1"]])


def sound_for_less_knowledge(found):
    case = case_of(found, "leakage-both-2")
    given = {key: value for key, value in case["input"].items() if key != "forward"}
    case["certificates"] = certificates_of(ReadQuery("leakage", "float64", given))


def other_matrix(found):
    case_of(found, "leakage-both-2")["certificates"][0]["backward"] = [["1", "0"], ["0", "1"]]


def no_matrix(found):
    case_of(found, "leakage-both-2")["certificates"][0]["forward"] = None


def tampered_certificate(found):
    case_of(found, "loss-function-symmetric")["certificates"][0]["pieces"][0]["q"] = "1"


def foreign_certificate(found):
    foreign = case_of(found, "loss-function-symmetric")["certificates"]
    loss(found)["certificates"] = foreign


def certificate_of_another_answer(found):
    value = case_of(found, "supremum-moderate-at-tenth")["expected"]["value"]
    value["lower"], value["upper"] = "0.5", "0.5"
    rehashed(found, "supremum-moderate-at-tenth")


def certificate_of_divergence(found):
    value = case_of(found, "supremum-critical-half-exact")["expected"]["value"]
    value.update(
        exact="log(2)",
        lower="0.6931471805599453094172321214581765680755",
        upper="0.6931471805599453094172321214581765680756",
    )
    rehashed(found, "supremum-critical-half-exact")


def certificate_of_an_error(found):
    case_of(found, "loss-refuses-float-doubles")["certificates"] = loss(found)["certificates"]


def twice(found):
    found["loss.json"]["cases"].append(loss(found))


def twice_in_two_files(found):
    case_of(found, "smooth-moderate")["id"] = "loss-moderate-at-half"


def unknown_flag(found):
    loss(found)["flags"].append("SomethingElse")


def unused_flag(found):
    found["flags.json"]["flags"]["NeverSeen"] = {"bug": "None.", "effect": "None."}


def flag_not_shown(found):
    loss(found)["flags"].append("Permutation")
    found["flags.json"]["flags"]["Permutation"] = {"bug": "A bug.", "effect": "An effect."}


def unknown_citation(found):
    loss(found)["cites"] = ["Theorem 99 [thm:none]"]


def wrong_number_in_citation(found):
    loss(found)["cites"] = ["Theorem 10 [thm:sup]"]


def unknown_erratum(found):
    loss(found)["errata"] = ["E99"]


def neither_flag_nor_edge(found):
    loss(found)["flags"], loss(found)["why"] = [], []


def not_ascii(found):
    case = case_of(found, "estimate-two-sequences")
    case["input"]["sequences"] = [["ä" if name == "a" else name for name in row] for row in case["input"]["sequences"]]
    rehashed(found, "estimate-two-sequences")


CORRUPTIONS_OF_FILES = {
    change_input: "loss-moderate-at-half: the hash is that of another question or answer",
    shift_enclosure: "the loss certificate proves another level",
    refused_input: "the input is refused, NotStochastic: ",
    other_question: "the certificate is rejected: ",
    sound_for_another_level: "the loss certificate is about another question",
    sound_for_another_matrix: "the loss certificate is about another question",
    sound_for_another_budget: "certificate is about another question",
    sound_for_other_budgets: "the leakage certificate is about another question",
    sound_for_another_correlation: "the leakage certificate is about another question",
    sound_for_less_knowledge: "the leakage certificate is about another question",
    other_matrix: "the certificate is rejected: ",
    no_matrix: "the certificate is rejected: ",
    tampered_certificate: "the certificate is rejected: ",
    foreign_certificate: "a certificate of the kind loss-function says nothing about loss",
    certificate_of_another_answer: "the bounded certificate proves another upper end",
    certificate_of_divergence: "the divergent certificate says that there is no supremum",
    certificate_of_an_error: "there is no certificate of an error",
    twice: "the id loss-moderate-at-half occurs twice",
    twice_in_two_files: "the id loss-moderate-at-half occurs twice",
    unknown_flag: "flags.json: the flag SomethingElse is not described",
    unused_flag: "flags.json: no case has the flag NeverSeen",
}
"""What is seen by the files alone."""

CORRUPTIONS_OF_CASES = {
    change_expected: "the level: log(5/4) is not within its enclosure",
    cross_enclosure: "the level: the lower end is above the upper one",
    widen_enclosure: "the level: the enclosure is wider than 40 digits",
    half_infinite: "the level: one end is infinite, and the level is not",
    exact_outside: "the level: log(2) is not within its enclosure",
    uneven_row: "matrix: a row of doubles sums to 18014398509481985/18014398509481984, not to exactly 1",
    flag_not_shown: "loss-moderate-at-half: it does not show Permutation",
    unknown_citation: "there is no 'Theorem 99 [thm:none]' to cite",
    wrong_number_in_citation: "there is no 'Theorem 10 [thm:sup]' to cite",
    unknown_erratum: "there is no erratum E99",
    neither_flag_nor_edge: "it has neither a flag nor an edge",
    not_ascii: "the input has a character that is not ASCII",
}
"""What is seen only where the facts about flags, the citations and the numbers are looked at."""


@pytest.mark.parametrize("checked", [lint, files_lint])
@pytest.mark.parametrize("corrupt", CORRUPTIONS_OF_FILES, ids=lambda corrupt: corrupt.__name__)
def test_each_corruption_of_the_files_is_seen(tmp_path, found, corrupt, checked):
    corrupt(found)
    write_documents(tmp_path, found)
    lines = checked(tmp_path)
    assert any(CORRUPTIONS_OF_FILES[corrupt] in line for line in lines), lines


@pytest.mark.parametrize("corrupt", CORRUPTIONS_OF_CASES, ids=lambda corrupt: corrupt.__name__)
def test_each_corruption_of_a_case_is_seen(tmp_path, found, corrupt):
    corrupt(found)
    lines = linted(tmp_path, found)
    assert any(CORRUPTIONS_OF_CASES[corrupt] in line for line in lines), lines
    assert not any(CORRUPTIONS_OF_CASES[corrupt] in line for line in files_lint(tmp_path))


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
    schema_faults()[fault](loss(found))
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
    imported = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "jsonschema":
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InvalidRequest, match=r"install tploracle\[proofs\]"):
        lint(tmp_path)


def test_the_documents_round_trip(tmp_path, found):
    write_documents(tmp_path, found)
    assert json.loads((tmp_path / "flags.json").read_text(encoding="utf-8")) == found["flags.json"]
