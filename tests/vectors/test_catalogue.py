"""The shipped vectors are what the generators make, byte for byte, and they show all there is to be shown."""

import json
from collections import Counter

import pytest

from tploracle.conformance.ask.cases import FLAGS_FILE, VECTOR_FILES, data_folder, documents, load_vectors
from tploracle.conformance.lint import hash_of
from tploracle.contract.operations import OPERATIONS
from tploracle.proofs_checks.errata import ERRATA
from vectors.generators import catalogue, vector
from vectors.generators.catalogue import NOT_SHOWN, shown, tiers_of
from vectors.generators.confirm import confirm
from vectors.generators.flags import FLAGS
from vectors.generators.vector import formatted

from .small import WANTED


@pytest.fixture(scope="module")
def drafts():
    return catalogue.drafts_by_file()


DRAWN = ("title", "cites", "errata", "flags", "why", "numbers", "digits", "input")
"""What a case has from its draft as it is."""


def quickly(vector_of):
    """Return what makes a case of a draft with the answer that is shipped, but for every 18th and the small copy."""
    cases = [case for _, document in documents(data_folder()) for case in document["cases"]]
    shipped = {case["id"]: case for number, case in enumerate(cases) if number % 18 and case["id"] not in WANTED}

    def made(draft, tier, session):
        if draft.id not in shipped:
            return vector_of(draft, tier, session)
        drawn = {key: getattr(draft, key) for key in DRAWN}
        listed = {key: list(value) if isinstance(value, tuple) else value for key, value in drawn.items()}
        return {**shipped[draft.id], **listed, "tier": tier}

    return made


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
def test_the_shipped_files_are_what_is_generated(monkeypatch, drafts, whole):
    """Not the whole: every 18th case is answered anew, and the values of the small copy alone are confirmed again."""
    if not whole:
        few = [name for name in WANTED if not name.startswith("worst_case")]
        monkeypatch.setattr(vector, "confirm", lambda made, value: made.id in few and confirm(made, value))
        monkeypatch.setattr(catalogue, "drafts_by_file", lambda: drafts)
        monkeypatch.setattr(catalogue, "vector_of", quickly(catalogue.vector_of))
    steps = []
    texts = catalogue.generated(lambda done, total: steps.append((done, total)))
    assert set(texts) == {*VECTOR_FILES, FLAGS_FILE}
    for name, text in texts.items():
        assert data_folder().joinpath(name).read_bytes() == text.encode("utf-8"), name
    assert steps[-1] == (len(load_vectors()),) * 2
    assert [done for done, _ in steps] == list(range(1, len(steps) + 1))


def test_every_erratum_is_shown_or_it_is_said_why_not(drafts):
    by_cases = catalogue.errata_shown(drafts)
    assert not by_cases & NOT_SHOWN.keys()
    assert by_cases | NOT_SHOWN.keys() == {erratum.id for erratum in ERRATA}
    assert all(len(reason) > 40 for reason in NOT_SHOWN.values())


def test_every_operation_and_flag_has_cases(drafts):
    counts = Counter(draft.op for of_file in drafts.values() for draft in of_file)
    assert sum(counts.values()) >= 400
    assert all(counts[op] >= 15 for op in OPERATIONS)
    assert {flag for of_file in drafts.values() for draft in of_file for flag in draft.flags} == set(FLAGS)
    assert list(drafts) == [*OPERATIONS, "wire"]


def test_the_tier_smoke_shows_everything_in_few_cases(drafts):
    everything = [draft for of_file in drafts.values() for draft in of_file]
    tiers = tiers_of(everything)
    smoke = [draft for draft in everything if tiers[draft.id] == "smoke"]
    assert 60 <= len(smoke) <= 110
    assert not any(draft.full for draft in smoke)
    quick = [draft for draft in everything if not draft.full]
    assert set().union(*map(shown, smoke)) == set().union(*map(shown, quick))
    assert {tiers[draft.id] for draft in everything if draft.full} == {"full"}


def test_no_id_occurs_twice(monkeypatch, drafts):
    first = drafts["smooth"][0]
    monkeypatch.setattr(catalogue, "listed", lambda name: [first, first] if name == "smooth" else [])
    with pytest.raises(ValueError, match=f"two cases have the id {first.id}"):
        catalogue.drafts_by_file()


def test_the_files_stay_small():
    assert sum(len(data_folder().joinpath(name).read_bytes()) for name in VECTOR_FILES) < 5_000_000


def test_the_hash_is_that_of_the_documented_text():
    """README.md: keys sorted at every depth, no blanks, ASCII; written out here without the generator's code."""
    import hashlib

    def text(value):
        if isinstance(value, dict):
            return "{" + ",".join(f'"{key}":{text(value[key])}' for key in sorted(value)) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(text, value)) + "]"
        if isinstance(value, str):
            assert value.isascii()
            assert not set(value) & set('"\\')
            return f'"{value}"'
        return "null" if value is None else str(value)

    for name, document in documents(data_folder()):
        for case in document["cases"]:
            asked = {key: case[key] for key in ("digits", "expected", "input", "numbers")}
            asked["op"] = case["op"] if name == "wire.json" else document["op"]
            assert hashlib.sha256(text(asked).encode("ascii")).hexdigest() == case["sha256"] == hash_of(asked)


def test_the_format_is_json_with_short_arrays_on_a_line():
    value = {"a": [], "b": {}, "c": [["x", "é"], ["y"]], "d": [1, None, True], "e": {"f": 0.5}}
    text = formatted(value)
    assert json.loads(text) == value
    assert text.splitlines() == [
        "{",
        ' "a": [],',
        ' "b": {},',
        ' "c": [',
        '  ["x", "é"],',
        '  ["y"]',
        " ],",
        ' "d": [1, null, true],',
        ' "e": {',
        '  "f": 0.5',
        " }",
        "}",
    ]
