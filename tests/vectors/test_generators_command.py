"""`python -m vectors.generators`: what each command prints, writes and ends with."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from vectors.generators import catalogue
from vectors.generators.__main__ import main
from vectors.generators.confirm import RecomputationDiffers

from .small import case_of, small_documents, write_documents

FOLDER = Path(__file__).resolve().parents[2] / "vectors"


def run(*args, status=0):
    result = CliRunner().invoke(main, list(map(str, args)), prog_name="python -m vectors.generators")
    assert result.exit_code == status, result.output
    return result


@pytest.fixture
def generated(monkeypatch):
    """Two small files instead of all that the generators make."""
    texts = {"loss.json": '{"α": 1}\n', "flags.json": "{}\n"}
    monkeypatch.setattr(catalogue, "generated", lambda progress: texts)
    return texts


def test_generate_writes_what_differs(tmp_path, generated):
    folder = tmp_path / "new" / "vectors"
    assert run("generate", folder).stdout == f"{folder}/loss.json: written\n{folder}/flags.json: written\n"
    assert {path.name: path.read_bytes().decode() for path in folder.iterdir()} == generated
    assert run("generate", folder).stdout == ""
    (folder / "loss.json").write_bytes(b'{"\xce\xb1": 1}\r\n')
    assert run("generate", folder).stdout == f"{folder}/loss.json: written\n"
    assert (folder / "loss.json").read_bytes().decode() == generated["loss.json"]


def test_check_writes_nothing(tmp_path, generated):
    run("generate", tmp_path)
    assert run("check", tmp_path).stdout == ""
    (tmp_path / "flags.json").unlink()
    (tmp_path / "loss.json").write_text("{}\n")
    shown = run("check", tmp_path, status=1).stdout
    assert shown == "".join(f"{tmp_path}/{name}: not what is generated\n" for name in ("loss.json", "flags.json"))
    assert (tmp_path / "loss.json").read_text() == "{}\n"
    assert not (tmp_path / "flags.json").exists()


def test_check_looks_at_the_checkouts_own_files(generated):
    shown = run("check", status=1).stdout
    assert shown.splitlines() == [f"{FOLDER}/{name}: not what is generated" for name in generated]


def test_generate_says_which_case_broke(tmp_path, monkeypatch):
    def broken(progress):
        raise RecomputationDiffers("loss-some-case: the recomputation differs: the loss is 1")

    monkeypatch.setattr(catalogue, "generated", broken)
    result = run("generate", tmp_path, status=1)
    assert result.stderr == "RecomputationDiffers: loss-some-case: the recomputation differs: the loss is 1\n"
    assert not list(tmp_path.iterdir())


def test_generate_where_nothing_can_be_written(tmp_path, generated):
    (tmp_path / "file").write_text("")
    assert "cannot be" in run("generate", tmp_path / "file", status=2).stderr


def test_lint_of_a_folder(tmp_path):
    found = small_documents()
    write_documents(tmp_path, found)
    assert run("lint", tmp_path).stdout == ""
    case_of(found, "smooth-moderate")["sha256"] = "0" * 64
    case_of(found, "smooth-moderate")["flags"].append("EqualRows")
    case_of(found, "loss-moderate-at-half")["errata"] = ["E99"]
    write_documents(tmp_path, found)
    shown = run("lint", tmp_path, status=1).stdout
    assert shown.splitlines() == [
        "smooth.json: 1 of its cases have the flag EqualRows, and it says 0",
        "flags.json: the flag EqualRows is not described",
        "loss.json: loss-moderate-at-half: there is no erratum E99",
        "smooth.json: smooth-moderate: the hash is that of another question or answer",
        "smooth.json: smooth-moderate: it does not show EqualRows",
    ]
    assert "cannot be read" in run("lint", tmp_path / "none", status=2).stderr
