"""`make proofs` notices what it is there for: changed definitions, removed hypotheses, unproved statements."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "proofs_checks" / "rocq"

needs_rocq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")


def check(source: Path, build: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / ".ci" / "proofs.py", "--source", source, "--build", build]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library of the first two files of the proofs, with the part of the list that speaks of them."""
    source = tmp_path / "rocq"
    source.mkdir()
    for name in ("Sums.v", "LFP.v"):
        shutil.copyfile(SOURCE / name, source / name)
    (source / "_CoqProject").write_text("-Q . TPL\nSums.v\nLFP.v\n")
    listed, _, _ = (SOURCE / "statements.txt").read_text(encoding="utf-8").partition("\nLoss rests on")
    (source / "statements.txt").write_text(listed, encoding="utf-8")
    return source


@needs_rocq
def test_the_proofs_hold(library: Path, tmp_path: Path) -> None:
    done = check(library, tmp_path / "build")
    assert done.returncode == 0, done.stderr
    assert "LFP.theorem_5\n" in done.stdout


CHANGES = {
    "a hypothesis removed": (
        "LFP.v",
        "Theorem corollary_2 n q d S A : distribution n q -> distribution n d -> 1 <= A ->",
        "Theorem corollary_2 n q d S A : distribution n q -> distribution n d ->",
        "Error",
    ),
    "a hypothesis that is stronger, and the proof still goes through": (
        "LFP.v",
        "(forall j, (j < n)%nat -> m <= x j <= A * m) ->\n  dot n k x",
        "(forall j, (j < n)%nat -> m < x j <= A * m) ->\n  dot n k x",
        "statements.txt",
    ),
    "a definition changed": (
        "LFP.v",
        "Definition piece (q d A : R) : R := (q * (A - 1) + 1) / (d * (A - 1) + 1).",
        "Definition piece (q d A : R) : R := (q * (A - 1) + 1) / (d * (A - 1) + 2).",
        "Error",
    ),
    "a definition of an earlier file changed": (
        "Sums.v",
        "Definition distribution (n : nat) (q : nat -> R) : Prop := (forall j, (j < n)%nat -> 0 <= q j)",
        "Definition distribution (n : nat) (q : nat -> R) : Prop := (forall j, (j < n)%nat -> -1 <= q j)",
        "Error",
    ),
    "a proof left out": ("LFP.v", "Proof. apply greatest_set_attained. Qed.", "Admitted.", ": Admitted"),
    "an axiom added": ("Sums.v", "Open Scope R_scope.", "Open Scope R_scope.\nAxiom easy : 0 = 1.", ": Axiom"),
}


QUICK = ("a definition of an earlier file changed", "an axiom added")
"""One change that Rocq itself refuses, and one that only the list of statements shows."""


@needs_rocq
@pytest.mark.parametrize(
    "change",
    [pytest.param(CHANGES[name], id=name, marks=[] if name in QUICK else pytest.mark.slow) for name in CHANGES],
)
def test_a_change_is_noticed(library: Path, tmp_path: Path, change: tuple[str, str, str, str]) -> None:
    file, old, new, said = change
    text = (library / file).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (library / file).write_text(text.replace(old, new), encoding="utf-8")
    done = check(library, tmp_path / "build")
    assert done.returncode == 1
    assert said in done.stderr


@needs_rocq
@pytest.mark.slow  # an axiom added is among the quick ones
def test_an_axiom_taken_from_elsewhere_is_noticed(library: Path, tmp_path: Path) -> None:
    with (library / "Sums.v").open("a") as file:
        file.write(
            "\nFrom Coq Require Import ClassicalEpsilon.\n"
            "Theorem chosen (P : nat -> Prop) : (exists x, P x) -> {x | P x}.\n"
            "Proof. apply constructive_indefinite_description. Qed.\n"
        )
    done = check(library, tmp_path / "build")
    assert done.returncode == 1
    assert "+Sums rests on: ClassicalEpsilon.constructive_indefinite_description" in done.stdout


@needs_rocq
def test_a_file_that_is_not_listed_is_noticed(library: Path, tmp_path: Path) -> None:
    (library / "Extra.v").write_text("")
    done = check(library, tmp_path / "build")
    assert done.returncode == 1
    assert "_CoqProject" in done.stderr


@needs_rocq
def test_a_theorem_without_an_instance_is_noticed(library: Path, tmp_path: Path) -> None:
    (library / "Examples.v").write_text("(* theorem_5 *)\n")
    (library / "_CoqProject").write_text("-Q . TPL\nSums.v\nLFP.v\nExamples.v\n")
    done = check(library, tmp_path / "build")
    assert done.returncode == 1
    assert "LFP.box_rule has no instance in Examples or Errata" in done.stderr


def test_says_what_to_install_where_it_may_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = check(SOURCE, tmp_path / "build")
    assert done.returncode == 1
    assert "apt-get install coq" in done.stderr
