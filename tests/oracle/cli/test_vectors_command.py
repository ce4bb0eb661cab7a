"""`tploracle vectors`: what each command prints, writes and ends with."""

import hashlib
import json
import tarfile
import zipfile
from functools import partial

import pytest

from tploracle import __version__
from tploracle.cli.vectors_command import PAGES
from tploracle.conformance.ask.cases import VECTOR_FILES, data_folder, load_vectors
from tploracle.wire.requests import Session
from tploracle.wire.serve import respond

from ... import commands
from ...vectors.small import case_of, small_documents, write_documents

run = partial(commands.run, "vectors")


def test_lint_of_a_folder(tmp_path):
    found = small_documents()
    write_documents(tmp_path, found)
    assert run("lint", tmp_path).stdout == ""
    case_of(found, "smooth-moderate")["sha256"] = "0" * 64
    write_documents(tmp_path, found)
    shown = run("lint", tmp_path, status=1).stdout
    assert shown == "smooth.json: smooth-moderate: the hash is that of another question or answer\n"
    assert "cannot be read" in run("lint", tmp_path / "none", status=2).stderr


def test_list_is_all_cases_a_line_each():
    result = run("list")
    cases = load_vectors()
    assert [line.split()[0] for line in result.stdout.splitlines()] == [case.id for case in cases]
    assert result.stderr == f"{len(cases)} cases\n"
    assert all(case.title in line for case, line in zip(cases, result.stdout.splitlines(), strict=True))


@pytest.mark.parametrize(
    ("filters", "admits"),
    [
        (("--op", "wire"), lambda case: case.id.startswith("wire-")),
        (("--flag", "FirstStepPair"), lambda case: "FirstStepPair" in case.flags),
        (("-k", "WINDOW"), lambda case: "window" in (case.id + case.title).lower()),
        (("--op", "loss", "--flag", "TiedRatios", "-k", "witness"), lambda case: case.id == "loss-tied-witness"),
    ],
)
def test_list_filters(filters, admits):
    found = [json.loads(line) for line in run("list", *filters, "--json").stdout.splitlines()]
    assert [case["id"] for case in found] == [case.id for case in load_vectors() if admits(case)]
    assert found
    assert all({"op", "input", "expected", "sha256"} <= case.keys() for case in found)


def test_list_of_errors_names_them():
    assert "[UnknownOperation]" in run("list", "--op", "wire", "-k", "capitals").stdout


def test_list_of_what_there_is_not():
    assert "--op is one of" in run("list", "--op", "lose", status=2).stderr
    assert "there is no flag 'X'; there are " in run("list", "--flag", "X", status=2).stderr
    assert run("list", "-k", "no such words").stdout == ""


def test_show_tells_a_case_and_its_request():
    text = run("show", "supremum-first-step-dyadic").stdout
    assert "supremum-first-step-dyadic: The first step's pair understates" in text
    assert "cites     Theorem 11 [thm:sup]; Algorithm 6 [algo:findSup]" in text
    assert "errata    E10" in text
    assert "FirstStepPair: " in text
    assert "    Effect: " in text
    assert "    1/4  5/8  1/8" in text
    assert "= log(5)" in text
    assert "bounded: accepted by the checker" in text
    answer = json.loads(respond(Session(), text.splitlines()[-1].encode("ascii")))
    assert answer["value"]["exact"] == "log(5)"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("loss-function-dense", ["pieces 4  q 1/8, d 0, from log(17), to inf", "loss-function: accepted"]),
        ("leakage-both-2", ["bpl 1  [0.5, 0.5]  = 1/2", "tpl 2  [0.64645", "leakage: accepted"]),
        ("reverse-uneven-start", ["initial  0x1.8p-1  0x1p-2", "backward 1  15/16  1/16", "  none"]),
        ("estimate-two-sequences", ["    a  b  c  a", "initial  1/3  1/3  1/3"]),
        ("wire-operation-in-capitals", ["  nothing", "the error UnknownOperation"]),
        ("loss-refuses-float-doubles", ["    0.5  0x1p-1", "the error InvalidNumber"]),
        ("allocate-upper-bound-same-for-ever", ["method  upper-bound", "epsilons 1  [0."]),
    ],
)
def test_show_of_every_kind_of_case(name, parts):
    text = run("show", name).stdout
    for part in parts:
        assert part in text


def test_show_json_is_the_case():
    shown = json.loads(run("show", "loss-moderate-at-half", "--json").stdout)
    (case,) = [case for case in load_vectors() if case.id == "loss-moderate-at-half"]
    assert (shown["input"], shown["expected"], shown["op"]) == (case.input, case.expected, "loss")


def test_show_says_when_a_certificate_does_not_hold(monkeypatch):
    from tploracle.cli import vectors_command

    found = small_documents()
    case_of(found, "loss-function-symmetric")["certificates"][0]["pieces"][0]["q"] = "1"
    monkeypatch.setattr(vectors_command, "documents", lambda folder: found.items())
    assert "loss-function: REJECTED, pieces[1]" in run("show", "loss-function-symmetric").stdout


def test_show_of_what_there_is_not():
    assert "there is no case 'x'" in run("show", "x", status=2).stderr


def members_of(file):
    """Return the files of an archive by name."""
    if file.suffix == ".zip":
        with zipfile.ZipFile(file) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(file) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}


@pytest.mark.parametrize("name", ["v.tar.gz", "v.tgz", "v.zip"])
def test_export_is_an_archive_of_all_that_is_needed(tmp_path, name):
    file, again = tmp_path / name, tmp_path / "again" / name
    run("export", file)
    members = members_of(file)
    folder = f"tploracle-vectors-{__version__}/"
    assert all(member.startswith(folder) for member in members)
    found = {member.removeprefix(folder): content for member, content in members.items()}
    assert set(found) == {*VECTOR_FILES, "flags.json", *PAGES, "SHA256SUMS"}
    for member, content in found.items():
        if member != "SHA256SUMS":
            assert content == data_folder().joinpath(member).read_bytes()
    sums = dict(reversed(line.split("  ")) for line in found.pop("SHA256SUMS").decode("ascii").splitlines())
    assert sums == {member: hashlib.sha256(content).hexdigest() for member, content in found.items()}
    run("export", again)
    assert again.read_bytes() == file.read_bytes()


def test_an_archive_of_another_kind_is_none(tmp_path):
    file = tmp_path / "v.rar"
    file.write_text("mine")
    assert "an archive is a .tar.gz or a .zip" in run("export", file, status=2).stderr
    assert file.read_text() == "mine"
