"""docs/certificates.md: its examples hold, and its kinds and fields are those of the schema and of the checker."""

import json
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from tploracle.certificates import checker, lone, reading

from .agreement import page_documents
from .documents import SCHEMA

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8")
SECTIONS = {part.partition("\n")[0]: part for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]}
FORMS = SCHEMA.schema["$defs"]
KINDS = {form["title"]: form for form in FORMS.values() if "title" in form}
COMMON = {"certificate", "version"}


def table(section):
    """Return the rows of the tables of a section, as lists of cells; the first of a row is a field or a type."""
    lines = [line for line in SECTIONS[section].splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def fields(form, before=""):
    """Yield each field of an object of the schema and its type, as the page writes them."""
    for name, value in form["properties"].items():
        forms = value.get("anyOf", [value])
        nullable = " or null" if {"type": "null"} in forms else ""
        inner = next(one for one in forms if one != {"type": "null"})
        path = before + name
        if "$ref" in inner:
            yield path, inner["$ref"].removeprefix("#/$defs/") + nullable
        elif inner["type"] == "object":
            yield path, "object" + nullable
            yield from fields(inner, f"{path}.")
        elif "$ref" in inner["items"]:
            yield path, "array of " + inner["items"]["$ref"].removeprefix("#/$defs/") + nullable
        else:
            yield path, "array of object" + nullable
            yield from fields(inner["items"], f"{path}[].")


def test_the_page_the_schema_and_the_checker_have_the_same_kinds():
    assert set(KINDS) == set(checker._KINDS) == set(SECTIONS) & set(checker._KINDS)
    assert list(KINDS) == [name for name in SECTIONS if name in KINDS]
    assert {f"#/$defs/{name}" for name, form in FORMS.items() if "title" in form} == {
        one["$ref"] for one in SCHEMA.schema["oneOf"]
    }


@pytest.mark.parametrize("kind", KINDS)
def test_the_fields_of_a_kind_are_those_of_the_schema_and_the_checker(kind):
    form = KINDS[kind]
    assert not form["additionalProperties"]
    assert set(form["required"]) == set(form["properties"])
    assert form["properties"]["certificate"] == {"const": kind}
    written = [(field.strip("`"), type_) for field, type_, _ in table(kind)[1:]]
    expected = list(
        fields({"properties": {key: form["properties"][key] for key in form["properties"] if key not in COMMON}})
    )
    steps = list(fields(FORMS["step"], "bpl[].")) if kind == "leakage" else []
    assert written == expected + steps
    names = [field for field, _ in written if field.isidentifier()]
    assert names == checker._KINDS[kind][1].split()


def test_what_all_documents_have():
    rows = table("What all documents have")
    assert {field.strip("`") for field, *_ in rows[1:3]} == COMMON
    types = {name for name, *_ in rows[4:]}
    assert types == {name for name, form in FORMS.items() if "title" not in form} - {"index", "step"}


def test_there_is_an_example_of_every_kind():
    assert [document["certificate"] for document in page_documents()] == list(KINDS)


@pytest.mark.parametrize("document", page_documents(), ids=lambda document: document["certificate"])
def test_an_example_holds_by_the_one_file_alone(tmp_path, document):
    SCHEMA.validate(document)
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    archive = tmp_path / "checker.pyz"
    lone.write_lone(archive)
    command = [sys.executable, "-I", "-S", archive, path]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, f"accepted: {document['certificate']}\n")


def test_the_one_file_is_written_where_the_command_says(tmp_path, monkeypatch):
    def started_as(name, *arguments):
        monkeypatch.setattr(sys, "argv", [str(tmp_path / "own"), *arguments])
        spec = spec_from_file_location(name, lone.__file__)
        spec.loader.exec_module(module_from_spec(spec))

    started_as("lone")
    assert not list(tmp_path.iterdir())
    started_as("__main__", str(tmp_path / "made.pyz"))
    lone.write_lone(tmp_path / "lone.pyz")
    assert (tmp_path / "made.pyz").read_bytes() == (tmp_path / "lone.pyz").read_bytes()
    assert not (tmp_path / "own").exists()


def test_the_limits_are_those_of_the_checker():
    texts = {
        f"{reading.MOST_LENGTH:,} characters",
        f"$2^{{25}}$ characters; {reading.MOST_ZEROS:,} zeros",
        f"{reading.MOST_LEVEL:,} nats",
        f"exponents {reading.MOST_EXPONENT:,} in levels and {reading.MOST_LENGTH:,} elsewhere",
        f"{reading.MOST_STATES:,} states, {reading.MOST_STEPS:,} releases or pieces",
        "$2^{19}$ bits in their common denominator",
        "$2^{32}$ bits",
        f"{reading.MOST_WORK:,} units",
        f"At most {reading.MOST_STATES} states",
        f"1 to {reading.MOST_DIGITS}:",
        f"{checker.MOST_SWEPT:,} steps of a sweep, {checker.MOST_BARRIERS} barriers",
    }
    assert {text for text in texts if text not in " ".join(PAGE.split())} == set()
    assert [reading.MOST_TEXT, reading.MOST_COMMON, reading.MOST_BITS] == [1 << 25, 1 << 19, 1 << 32]
