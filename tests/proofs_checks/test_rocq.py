"""`make proofs` notices what it is there for: changed definitions, removed hypotheses, unproved statements."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
proofs = SimpleNamespace(**run_path(str(ROOT / ".ci" / "proofs.py")))
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


@pytest.mark.slow
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
    "a proof left out": ("LFP.v", "Proof. apply greatest_set_attained. Qed.", "Admitted.", ": Admitted is not"),
    "no check of recursion, over two lines, in what looks like a comment": (
        "Sums.v",
        "Open Scope R_scope.",
        'Open Scope R_scope.\nDefinition a := "(*"%string. Unset Guard\n  Checking. Definition b := "*)"%string.',
        ": Unset Guard Checking is not",
    ),
    "no check of recursion by an attribute": (
        "Sums.v",
        "Open Scope R_scope.",
        "Open Scope R_scope.\n#[bypass_check(guard)]\nFixpoint easy (n : nat) : False := easy n.",
        ": #[bypass_check(guard)] Fixpoint easy (n : nat) : False",
    ),
    "no check of universes": (
        "Sums.v",
        "Open Scope R_scope.",
        "Open Scope R_scope.\nUnset Universe Checking.",
        ": Unset Universe Checking is not",
    ),
    "an axiom added": ("Sums.v", "Open Scope R_scope.", "Open Scope R_scope.\nAxiom easy : 0 = 1.", ": Axiom easy"),
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


def test_definitions_are_found_wherever_they_stand(tmp_path: Path) -> None:
    file = tmp_path / "File.v"
    file.write_text(
        "Open Scope R_scope. Definition a := 1.\n  Fixpoint\n b (n : nat) := n. (* Theorem c. *) - Example d' : True."
    )
    assert proofs.named(file) == [("Definition", "a"), ("Fixpoint", "b"), ("Example", "d'")]


UNSAFE = {
    "recursion": "Unset Guard Checking.\nFixpoint easy (n : nat) : False := easy n.\nSet Guard Checking.\n",
    "universes": "Unset Universe Checking.\nDefinition large : Type := Type.\nSet Universe Checking.\n",
    "positivity": "Unset Positivity Checking.\nInductive bad := made (f : bad -> False).\nSet Positivity Checking.\n",
}


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize("text", UNSAFE.values(), ids=UNSAFE)
def test_what_the_words_do_not_show_the_kernel_does(tmp_path: Path, text: str) -> None:
    """Each check turned off, in a file that is compiled though its words are forbidden: coqchk names it."""
    (tmp_path / "Unsafe.v").write_text(text)
    subprocess.run(["coqc", "-q", "-Q", ".", "TPL", "Unsafe.v"], cwd=tmp_path, check=True, capture_output=True)
    with pytest.raises(proofs.Failure, match="coqchk"):
        proofs.recheck([tmp_path / "Unsafe.v"], tmp_path)


def test_assumptions_that_are_no_axioms_are_refused() -> None:
    assert proofs.axioms_of("Closed under the global context\n", "Sums") == []
    printed = "Axioms:\nsig_not_dec : forall P : Prop,\n  {~ ~ P} + {~ P}\nR.long_name\n  : nat\n"
    assert proofs.axioms_of(printed, "Sums") == ["R.long_name", "sig_not_dec"]
    for more in ("easy is assumed to be guarded.", "large relies on an unsafe hierarchy.", "Section Variables:", "?"):
        for text in (f"{printed}{more}\n", f"Axioms:\n{more}\n", f"{more}\n"):
            with pytest.raises(proofs.Failure, match="more than axioms"):
                proofs.axioms_of(text, "Sums")


def test_comments_nest_and_hold_strings() -> None:
    text = 'a (* b (* c *) "*)" d\n *) e "(*" f "*)" g'
    assert proofs.without_comments(text).split() == ["a", "e", '"(*"', "f", '"*)"', "g"]
    assert proofs.without_comments(text).count("\n") == 1


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
    assert "LFP.box_rule has no instance in Examples or " in done.stderr


def test_says_what_to_install_where_it_may_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = check(SOURCE, tmp_path / "build")
    assert done.returncode == 1
    assert "apt-get install coq" in done.stderr
