"""`make proofs` notices what it is there for: changed definitions, removed hypotheses, unproved statements.

Most is tried on copies of a library of three small files; nothing in the tree is changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
proofs = SimpleNamespace(**run_path(str(ROOT / ".ci" / "proofs.py")))
SOURCE = ROOT / "proofs_checks" / "rocq"

needs_rocq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")


def marked(cases: dict[str, Any], slow: int, quick: int = 0) -> list[Any]:
    """Return the cases: the first `quick` are always asked, then `slow` of every change, others before a release."""
    marks = [*[()] * quick, *[pytest.mark.slow] * slow, *[pytest.mark.exhaustive] * (len(cases) - slow - quick)]
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), id=name, marks=mark)
        for (name, case), mark in zip(cases.items(), marks, strict=True)
    ]


BASE = """From Coq Require Import Arith Reals Lra.
Open Scope R_scope.
Definition above {least : nat} (n : nat) : Prop := (least < n)%nat.
Record pair := { left : R; right : R }.
Definition width (p : pair) : R := right p - left p.
Definition wide (p : pair) : Prop := 1 < width p.
Lemma wide_below p : wide p -> left p < right p.
Proof. unfold wide, width. lra. Qed.
"""
FACTS = """From TPL Require Export Base.
From Coq Require Import Reals Lra Lia.
Open Scope R_scope.
Theorem ordered p : wide p -> left p < right p.
Proof. apply wide_below. Qed.
Theorem rises {n} : above (least := 1) n -> above (least := 0) n.
Proof. unfold above. lia. Qed.
"""
UNIT = "{| left := 0; right := 2 |}"
MET = "ltac:(unfold wide, width; simpl; lra)"
INSTANCE = f"Example instance_ordered : 0 < 2.\nProof. exact (ordered {UNIT} {MET}). Qed.\n"
EXAMPLES = f"""From TPL Require Import Facts.
From Coq Require Import Reals Lra Lia String.
Open Scope R_scope.
{INSTANCE}Example instance_rises : above (least := 0) 2.
Proof. apply rises. unfold above. lia. Qed.
"""


def check(source: Path, build: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / ".ci" / "proofs.py", "--source", source, "--build", build]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **variables})


def written(folder: Path, *changes: tuple[str, str], **more: str) -> Path:
    """Return a copy of the small library with a text in one of its files replaced, and with more files."""
    source = folder / "rocq"
    source.mkdir()
    files = {"Base": BASE, "Facts": FACTS, "Examples": EXAMPLES}
    for old, new in changes:
        (name,) = (name for name, text in files.items() if old in text)
        assert files[name].count(old) == 1
        files[name] = files[name].replace(old, new)
    files = {**more, **files}
    for name, text in files.items():
        (source / f"{name}.v").write_text(text)
    (source / "_CoqProject").write_text("\n".join(["-Q . TPL", *(f"{name}.v" for name in files)]) + "\n")
    return source


def examined(folder: Path, *changes: tuple[str, str], **more: str) -> str:
    folder.mkdir(exist_ok=True)
    return proofs.examine(written(folder, *changes, **more), folder / "build")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What Rocq computes of the small library."""
    return examined(tmp_path_factory.mktemp("unchanged"))


@pytest.mark.slow
@needs_rocq
def test_the_first_proofs_hold_as_they_are_listed(tmp_path: Path) -> None:
    source = tmp_path / "rocq"
    source.mkdir()
    for name in ("Sums.v", "LFP.v"):
        shutil.copyfile(SOURCE / name, source / name)
    (source / "_CoqProject").write_text("-Q . TPL\nSums.v\nLFP.v\n")
    found = proofs.examine(source, tmp_path / "build").partition("    Of the standard library")[0].split("\n\n")
    assert any(part.startswith("Theorem LFP.theorem_5\n") for part in found)
    listed = (SOURCE / "statements.txt").read_text(encoding="utf-8").split("\n\n")
    assert not {*found} - {*listed} - {""}


SHOWN = {
    "a definition behind one that a statement uses": (
        [("R := right p - left p.", "R := right p - left p - 0.")],
        "right p - Base.left p - 0",
    ),
    "a definition of a hypothesis": ([("Prop := 1 < width p.", "Prop := 0 < width p.")], "0 < Base.width p"),
    "an implicit argument": (
        [("above (least := 1) n ->", "above (least := 0) n ->")],
        "Theorem Facts.rises\n     : forall n : nat, @Base.above 0 n -> @Base.above 0 n\n",
    ),
    "a hypothesis, by a notation that looks the same": (
        [
            ("Record pair", 'Notation "x < y" := (x <= y - 1) : R_scope.\nRecord pair'),
            ("Proof. apply wide_below. Qed.", "Proof. intros H. apply wide_below in H. lra. Qed."),
        ],
        "1 <= Base.width p - 1",
    ),
    "a definition of the same name in a later file": (
        [
            ("Theorem ordered", "Definition wide (p : pair) : Prop := 2 - 1 < width p.\nTheorem ordered"),
            (
                "Proof. apply wide_below. Qed.",
                "Proof. intros H. apply wide_below. unfold wide, Base.wide in *. lra. Qed.",
            ),
        ],
        "Facts.wide p ->",
    ),
    "the order of the fields of a record": (
        [("left : R; right : R }", "right : R; left : R }")],
        "right : R;  left : R",
    ),
    "data that is proved and not to be seen": (
        [
            ("Definition wide", "Lemma one : R.\nProof. exact 1. Qed.\nDefinition wide"),
            ("Prop := 1 < width p.", "Prop := 1 < width p /\\ one = one."),
        ],
        "Lemma Base.one\n     : R\n",
    ),
    "a theorem that becomes a lemma": ([("Theorem rises", "Lemma rises")], "Of the standard library"),
    "the type that a definition is given": (
        [("Definition wide (p : pair) : Prop :=", "Definition wide (p : pair) : let kind := Prop in kind :=")],
        "let kind := Prop in kind",
    ),
    "what stands after a text that looks like the end": (
        [
            ("Definition wide", 'Definition said := ("a\n\nArguments b"%string, 1).\nDefinition wide'),
            ("From Coq Require Import Arith", "From Coq Require Import String Arith"),
            ("Prop := 1 < width p.", "Prop := 1 < width p + 0 * snd said."),
        ],
        'Arguments b", 1)',
    ),
    "what a tactic makes the statement": (
        [
            ("ordered p : wide p -> left p < right p.", "ordered p : ltac:(exact (wide p -> left p < right p + 0))."),
            ("Proof. apply wide_below. Qed.", "Proof. intros H. apply wide_below in H. lra. Qed."),
            (INSTANCE, INSTANCE.replace("0 < 2", "0 < 2 + 0")),
        ],
        "Base.right p + 0",
    ),
}


@needs_rocq
@pytest.mark.parametrize(("changes", "shown"), marked(SHOWN, slow=4))
def test_a_change_of_meaning_shows(tmp_path: Path, page: str, changes: list[tuple[str, str]], shown: str) -> None:
    found = examined(tmp_path, *changes)
    assert found != page
    assert shown in found


@needs_rocq
@pytest.mark.slow
def test_nothing_is_too_deep_to_be_shown(tmp_path: Path) -> None:
    """At Rocq's usual depth of printing the ends of two long sums are the same dots."""
    pages = []
    for last in ("1", "0"):
        deep = "(1 +\n" * 80 + last + ")" * 80
        changes = ("Prop := 1 < width p.", f"Prop := 1 < width p /\\ {deep}\n = {deep}.")
        pages.append(examined(tmp_path / last, changes))
    assert pages[0] != pages[1]


REFUSED = {
    "a definition changed": ([("R := right p - left p.", "R := left p - right p.")], {}, "Error"),
    "a hypothesis removed": ([("Theorem ordered p : wide p -> ", "Theorem ordered p : ")], {}, "Error"),
    "a lemma of the standard library from an axiom that proves all": (
        [
            ("Lra.\nOpen Scope R_scope.\nDefinition", "Lra AdmitAxiom.\nOpen Scope R_scope.\nDefinition"),
            ("Proof. unfold wide, width. lra. Qed.", "Proof. case proof_admitted. Qed."),
        ],
        {},
        "(?s)Facts: rests on .*proof_admitted",
    ),
    "an axiom that no theorem rests on": (
        [("Lra.\nOpen Scope R_scope.\nDefinition", "Lra AdmitAxiom.\nOpen Scope R_scope.\nDefinition")],
        {},
        "coqchk: .*AdmitAxiom",
    ),
    "an axiom of choice": (
        [
            ("Theorem ordered", "From Coq Require Import ClassicalEpsilon.\nTheorem ordered"),
            (
                "Proof. apply wide_below. Qed.",
                "Proof. destruct (excluded_middle_informative (wide p)); auto using wide_below. Qed.",
            ),
        ],
        {},
        "(?s)Facts: rests on .*constructive_indefinite_description",
    ),
    "a file that has the name of one of Rocq's": ([], {"Peano": "Definition lt := 1.\n"}, "Peano is a file of ours"),
    "a theorem whose name is not looked for": (
        [("Theorem rises", "Theorem more_subproof : 0 < 1.\nProof. lra. Qed.\nTheorem rises")],
        {},
        "Facts.more_subproof has no instance",
    ),
    "a theorem that another states beside itself": (
        [
            (
                "Theorem rises",
                "Theorem one n : 0 <= INR n with two n : 0 <= INR n.\nProof. all: apply pos_INR. Qed.\nTheorem rises",
            ),
            (INSTANCE, "Example instance_one : 0 <= INR 1.\nProof. apply one. Qed.\n" + INSTANCE),
        ],
        {},
        "Facts.two has no instance",
    ),
}


@needs_rocq
@pytest.mark.parametrize(
    ("changes", "more", "said"),
    marked(REFUSED, slow=3, quick=1),
)
def test_a_change_is_refused(tmp_path: Path, changes: list[tuple[str, str]], more: dict[str, str], said: str) -> None:
    with pytest.raises(proofs.Failure, match=said):
        examined(tmp_path, *changes, **more)


NO_INSTANCES = {
    "it is mentioned": "0 < 2.\nProof. pose proof ordered. lra.",
    "in a comment": "0 < 2.\nProof. (* ordered *) lra.",
    "in a text": '("ordered" = "ordered")%string.\nProof. reflexivity.',
    "without its hypothesis": f"0 < 2.\nProof. pose proof (ordered {UNIT}). lra.",
    "under a hypothesis that is false": f"False -> 0 < 2.\nProof. intros H. apply (ordered {UNIT}). destruct H.",
    "under its own hypothesis": "forall p, wide p -> left p < right p.\nProof. intros p H. exact (ordered p H).",
    "for what need not exist": "forall p : {q | wide q}, 0 < 1.\nProof. intros [q H]. pose proof (ordered q H). lra.",
    "as what was to be proved": "forall p, wide p -> left p < right p.\nProof. exact ordered.",
    "by another name": "0 < 2.\nProof. assert (H : forall p, wide p -> left p < right p) by exact ordered. lra.",
    "through one that has its hypothesis": f"0 < 2.\nProof. pose proof (under {UNIT}). lra.",
}
INSTANCES = {
    "posed": f"pose proof ordered as H. exact (H {UNIT} {MET}).",
    "in a hypothesis": f"assert (H : wide {UNIT}) by (unfold wide, width; simpl; lra). apply ordered in H. exact H.",
    "through one that has its hypothesis": f"pose proof (under {UNIT} {MET}). lra.",
    "for all": (
        "assert (H : forall x, x < x + 2). "
        "{ intros x. apply (ordered {| left := x; right := x + 2 |}). unfold wide, width. simpl. lra. } "
        "pose proof (H 0). lra."
    ),
}
UNDER = "Lemma under p : wide p -> left p < right p.\nProof. apply ordered. Qed.\n"


@needs_rocq
@pytest.mark.parametrize("example", marked(NO_INSTANCES, slow=3))
def test_what_does_not_apply_a_theorem_is_no_instance(tmp_path: Path, example: str) -> None:
    with pytest.raises(proofs.Failure, match=r"Facts\.ordered has no instance"):
        examined(tmp_path, (INSTANCE, f"{UNDER}Example instance_ordered : {example} Qed.\n"))


@needs_rocq
@pytest.mark.parametrize("proof", marked(INSTANCES, slow=1))
def test_what_applies_a_theorem_is_an_instance(tmp_path: Path, page: str, proof: str) -> None:
    example = f"{UNDER}Example instance_ordered : 0 < 2. Proof. {proof} Qed.\n".replace(". ", ".\n")
    assert examined(tmp_path, (INSTANCE, example)) == page


@needs_rocq
@pytest.mark.slow
def test_a_proof_that_was_compiled_before_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where its result is dated in the future, and whoever calls has `make` only touch what is to be made."""
    examined(tmp_path)
    source = tmp_path / "rocq" / "Base.v"
    source.write_text(source.read_text().replace("unfold wide, width. lra.", "unfold wide. lra."))
    for file in (tmp_path / "build").glob("*.vo*"):
        os.utime(file, (time.time() + 10**6,) * 2)
    for name, value in (("MAKEFLAGS", "-t"), ("COQEXTRAFLAGS", "-vos"), ("COQBIN", "/nowhere/")):
        monkeypatch.setenv(name, value)
    with pytest.raises(proofs.Failure, match="Base"):
        proofs.examine(tmp_path / "rocq", tmp_path / "build")


@pytest.mark.parametrize("line", ["-arg -type-in-type", "-Q elsewhere Coq.Reals", "Base.v", "-arg -vos"])
def test_what_a_project_may_say_is_files_alone(tmp_path: Path, line: str) -> None:
    source = written(tmp_path)
    proofs.project(source)
    with (source / "_CoqProject").open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(proofs.Failure, match="_CoqProject"):
        proofs.project(source)


EXTRACT = SOURCE / "program" / "Extract.v"


@pytest.mark.parametrize(
    "text",
    [
        "Axiom cheat : False.",
        "Definition check := 1.",
        "Lemma check : nat. Proof. exact 1. Qed.",
        "Extract Inductive bool => int [ zero one ].",
        "Set Extraction Flag 1.",
        'Redirect "checker.ml" Print nat.',
    ],
)
def test_what_is_extracted_is_not_defined_where_it_is_extracted(tmp_path: Path, text: str) -> None:
    proofs.refuse_unproved(EXTRACT, proofs.EXTRACTED)
    file = tmp_path / "Extract.v"
    file.write_text(f"{EXTRACT.read_text()}\n{text}\n")
    with pytest.raises(proofs.Failure, match="is not among the commands allowed"):
        proofs.refuse_unproved(file, proofs.EXTRACTED)


def test_what_is_extracted_is_listed() -> None:
    """Each function by its full name, so that no other file can stand before the one that is meant."""
    said = proofs.without_comments(EXTRACT.read_text()).split()
    listed = (SOURCE / "statements.txt").read_text(encoding="utf-8").partition("\nExtract.v says\n")[2]
    assert listed.split() == said
    names = said[said.index('"checker.ml"') + 1 :]
    assert all(name.startswith("TPL.") for name in names)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Axiom easy : False.",
            "Conjecture easy : False.",
            "Parameter easy : False.",
            "Section S. Variable easy : False.",
        ),
        *(
            "Context (easy : False).",
            "Hypothesis easy : False.",
            "Local Axiom easy : False.",
            "Polymorphic Axiom a : False.",
        ),
        *(
            "Lemma easy : False. Proof. admit. Admitted.",
            "Lemma easy : False. Proof. give_up. Qed.",
            "Lemma a : nat. Defined.",
        ),
        *("#[local] Axiom easy : False.", "Unset\n  Guard Checking.", "Set Universe Polymorphism.", "Module M. End M."),
        *('Load "easy".', "Declare ML Module a.", "Add LoadPath b.", "Instance i : C := {}.", "Coercion c : A >-> B."),
        *(
            "  Local Definition hidden := 1.",
            "Program Definition p := _.",
            "Let hidden := 1.",
            "Primitive int := #int63_type.",
        ),
    ],
)
def test_a_command_that_is_not_known_is_refused(tmp_path: Path, text: str) -> None:
    """Not those alone that are known to be unsafe: whatever hides an assumption is one of the others."""
    file = tmp_path / "File.v"
    for before in (
        "",
        "Lemma a : True. (* " + text + " *)\nProof. exact I. Qed. ",
        'Definition s := "' + "'.\n" + '".\n',
    ):
        file.write_text(before)
        proofs.refuse_unproved(file)
        file.write_text(before + text + "\n")
        with pytest.raises(proofs.Failure, match="is not among the commands allowed"):
            proofs.refuse_unproved(file)


UNSAFE = {
    "recursion": "Unset Guard Checking.\nFixpoint easy (n : nat) : False := easy n.\nSet Guard Checking.\n",
    "universes": "Unset Universe Checking.\nDefinition large : Type := Type.\nSet Universe Checking.\n",
    "positivity": "Unset Positivity Checking.\nInductive bad := made (f : bad -> False).\nSet Positivity Checking.\n",
}


@needs_rocq
@pytest.mark.parametrize("text", marked(UNSAFE, slow=1))
def test_what_the_words_do_not_show_the_kernel_does(tmp_path: Path, text: str) -> None:
    """Each check turned off, in a file that is compiled though its words are forbidden: coqchk names it."""
    (tmp_path / "Unsafe.v").write_text(text)
    subprocess.run(["coqc", "-q", "-Q", ".", "TPL", "Unsafe.v"], cwd=tmp_path, check=True, capture_output=True)
    with pytest.raises(proofs.Failure, match="coqchk"):
        proofs.recheck([tmp_path / "Unsafe.v"], tmp_path)


def test_assumptions_that_are_no_axioms_are_refused() -> None:
    assert proofs.axioms_of("Closed under the global context\n", "Sums") == []
    short, long = "Classical_Prop.classic", "ClassicalDedekindReals.sig_not_dec"
    printed = f"Axioms:\n{short} : forall P : Prop, P \\/ ~ P\n{long}\n  : forall P : Prop,\n  {{~ ~ P}} + {{~ P}}\n"
    assert proofs.axioms_of(printed, "Sums") == [long, short]
    with pytest.raises(proofs.Failure, match="not among the axioms"):
        proofs.axioms_of(printed.replace("Classical_Prop", "Other"), "Sums")
    for more in ("easy is assumed to be guarded.", "large relies on an unsafe hierarchy.", "Section Variables:", "?"):
        for text in (f"{printed}{more}\n", f"Axioms:\n{more}\n", f"{more}\n"):
            with pytest.raises(proofs.Failure, match="more than axioms"):
                proofs.axioms_of(text, "Sums")


def test_comments_nest_and_hold_strings() -> None:
    text = 'a (* b (* c *) "*)" d\n *) e "(*" f "*)" g'
    assert proofs.without_comments(text).split() == ["a", "e", '"(*"', "f", '"*)"', "g"]
    assert proofs.without_comments(text).count("\n") == 1


@needs_rocq
def test_a_file_that_is_not_listed_is_noticed(tmp_path: Path) -> None:
    source = written(tmp_path)
    (source / "Extra.v").write_text("")
    done = check(source, tmp_path / "build")
    assert done.returncode == 1
    assert "_CoqProject" in done.stderr


def test_says_what_to_install_where_it_may_not(tmp_path: Path) -> None:
    done = check(SOURCE, tmp_path / "build", PATH=str(tmp_path))
    assert done.returncode == 1
    assert "not here: coqc" in done.stderr
    assert "apt-get install coq" in done.stderr


@needs_rocq
@pytest.mark.parametrize(
    ("program", "said"),
    [("ocamlfind", f"install {proofs.ZARITH}"), ("coqc", "Rocq's standard library"), ("ocamlopt", "a compiler of C")],
)
def test_what_programs_need_is_tried_before_anything_is_compiled(tmp_path: Path, program: str, said: str) -> None:
    """A program that is here and fails, as ocamlfind does where zarith has no development files."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for file in Path("/usr/bin").iterdir():
        if file.name not in ("apt-get", program):
            (folder / file.name).symlink_to(file)
    (folder / program).write_text("#!/bin/sh\necho 'it lacks a file' >&2\nexit 2\n")
    (folder / program).chmod(0o755)
    done = check(SOURCE, tmp_path / "build", PATH=str(folder))
    assert done.returncode == 1
    assert said in done.stderr
    assert not (tmp_path / "build").exists()
