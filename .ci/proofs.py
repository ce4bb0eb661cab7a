"""Check the proofs in proofs_checks/rocq: compile them, and compare what they state and assume with a committed list.

The list, statements.txt, is printed by Rocq from the compiled library: every definition with its body, every theorem
with its statement and the axioms that it rests on. So a changed definition, a removed hypothesis, or an axiom more
shows, where the proofs did not break already. Every theorem has an instance. --accept writes the list anew. Then the
verified checker of certificates is built, which Rocq extracts from the library.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("coq", "ocaml-nox", "libzarith-ocaml-dev", "ocaml-findlib")
WIDTH = 110
"""Of what Rocq prints."""
MOST_COLUMNS = 99
"""Of a line in a file."""

COMMANDS = re.compile(
    r"(From|Import|Open\s+Scope|Declare\s+Scope|(Local\s+)?Notation|Arguments|Definition|Fixpoint|Inductive|Record"
    r"|Theorem|Example|Lemma|Proof|Qed|Ltac)\b"
)
"""The commands that a file may use: none of them lets something stand without a proof, or turns a check off."""
TACTIC = re.compile(r"[a-z(\[]|\d[\d, -]*:")
"""How a sentence begins that is no command: tactics, perhaps for some of the goals."""
UNPROVED = re.compile(r"\b(admit|give_up)\b")
SENTENCE = re.compile(r"\s*(?:[-+*{}]+\s*)*(\S.*?)(?:\.(?=\s|$)|$)", re.DOTALL)
"""A sentence without the bullets and braces before it."""
TOKEN = re.compile(r'"|\(\*|\*\)')
ASSUMED = re.compile(r"([\w.']+)(?: :.*)?|\s+\S.*")
"""A line of the axioms that Rocq prints: a name, perhaps with its type, or more of the type."""
SUMMARY = re.compile(
    r"CONTEXT SUMMARY|=+|\* Theory: Set is predicative|\* Axioms:(?: <none>)?|    Coq\.[\w.']+"
    r"|\* Constants/Inductives relying on type-in-type: <none>"
    r"|\* Constants/Inductives relying on unsafe \(co\)fixpoints: <none>"
    r"|\* Inductives whose positivity is assumed: <none>"
)
"""A line that coqchk may print: axioms are those of the standard library, and each check was on."""
CHECKED = "* Constants/Inductives relying on unsafe (co)fixpoints: <none>"
NAMED = re.compile(r"(Definition|Fixpoint|Inductive|Record|Theorem|Example)\s+([\w']+)")
PROVED = ("Theorem", "Example")
PROGRAMS = (
    *("Texts", "Levels", "Matrices", "CheckLoss", "CheckProgram", "CheckFunction", "CheckSteps", "CheckLeakage"),
    *("CheckTight", "CheckForever", "CheckLower", "CheckMixture", "CheckDivergent"),
    *("CheckPoints", "CheckProfile", "CheckPlaces", "Checker", "Printed"),
    *("ComputeLoss", "ComputeReverse", "ComputeLeakage", "ComputePieces", "ComputeSupremum", "ComputeTight"),
)
"""Files whose functions are the verified programs: what they do is what their theorems say, so they are not listed."""
READING = (
    *("power", "power_of", "digit", "digits_of", "after_prefix", "exponent", "number_of", "surd_of", "without_last"),
    *("level_of", "most_length", "most_exponent", "most_level"),
    *("ratios", "quotient", "spans", "first_step", "writes_steps", "steps_of", "states_stream", "in_order"),
    *("is_pair", "worst_pair", "is_known", "greatest_spans", "values_of", "nothing_told"),
)
"""But for these: how a document states a number or a level, and the words of the theorems about the programs."""
INSTANCES = ("Examples", "StreamExamples", "Errata", "Accepted", "Answered")


def main() -> int:
    """Check the proofs. Returns 0 where they hold and the list is what it was, 1 otherwise."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--source", type=Path, default=ROOT / "proofs_checks" / "rocq")
    options.add_argument("--build", type=Path, default=ROOT / "build" / "proofs")
    options.add_argument("--verified", type=Path, default=ROOT / "build" / "verified")
    options.add_argument("--accept", action="store_true", help="write statements.txt anew")
    chosen = options.parse_args()
    try:
        find_rocq()
        files = project(chosen.source)
        for file in files:
            refuse_unproved(file)
            refuse_wide(file)
        refuse_unmet(files)
        compile_all(files, chosen.source, chosen.build)
        found = statements(files, chosen.build)
        recheck(files, chosen.build)
        build_checker(chosen.source / "program", chosen.build, chosen.verified)
    except Failure as failure:
        print(f"proofs: {failure}", file=sys.stderr)
        return 1
    return judge(found, chosen.source / "statements.txt", chosen.build / "statements.txt", chosen.accept)


class Failure(Exception):
    """The proofs do not hold, or cannot be checked here."""


def find_rocq() -> None:
    """Install Rocq and OCaml where they are missing and that may be done; otherwise say what to install."""
    programs = all(map(shutil.which, ("coqc", "ocamlfind", "ocamlopt")))
    if programs and subprocess.run(["ocamlfind", "query", "zarith"], capture_output=True, check=False).returncode == 0:
        return
    wanted = " ".join(PACKAGES)
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Failure(f"coqc, ocamlfind or zarith is not here; install Debian's packages: apt-get install {wanted}")
    print(f"proofs: installing {wanted}", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run(["apt-get", "update", "-qq"], env=quiet)
    run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES], env=quiet)


def project(source: Path) -> list[Path]:
    """Return the files of _CoqProject, which must be all that there are."""
    files = [source / line for line in (source / "_CoqProject").read_text().split() if line.endswith(".v")]
    if {*files} != {*source.glob("*.v")}:
        raise Failure("_CoqProject does not list the .v files that are there")
    return files


def refuse_unproved(file: Path) -> None:
    """Fail on every sentence that is neither a known command nor a tactic, and on tactics that leave a goal."""
    for line, sentence in sentences(file):
        if not (COMMANDS if sentence[0].isupper() else TACTIC).match(sentence) or UNPROVED.search(sentence):
            raise Failure(f"{file.name}:{line}: {' '.join(sentence.split())[:60]} is not among the commands allowed")


def refuse_wide(file: Path) -> None:
    """Fail on a line that is too wide to be read beside another file."""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if len(line) > MOST_COLUMNS:
            raise Failure(f"{file.name}:{number}: {len(line)} columns, where at most {MOST_COLUMNS} are expected")


def sentences(file: Path) -> list[tuple[int, str]]:
    """Return the sentences of a file, without comments and what is in quotes, each with the line on which it begins."""
    text = re.sub(r'"[^"]*"', lambda quoted: re.sub(r"[^\n]", " ", quoted[0]), without_comments(file.read_text()))
    found = SENTENCE.finditer(text)
    return [(text.count("\n", 0, one.start(1)) + 1, one[1]) for one in found]


def named(file: Path) -> list[tuple[str, str]]:
    """Return what a file defines and states, each with its kind."""
    found = (NAMED.match(sentence) for _, sentence in sentences(file))
    return [(one[1], one[2]) for one in found if one]


def without_comments(text: str) -> str:
    """Return the text of a file with its comments, which nest and may hold strings, made blank; lines stay."""
    kept, depth, at, in_string = list[str](), 0, 0, False
    for token in TOKEN.finditer(text):
        before = text[at : token.start()]
        kept.append(re.sub(r"[^\n]", " ", before) if depth else before)
        at = token.end()
        if token[0] == '"':
            in_string = not in_string
        ends = token[0] == "*)" and not in_string
        if not in_string and token[0] != '"':
            depth += -1 if ends else 1
        kept.append(" " * len(token[0]) if depth or ends else token[0])
    return "".join([*kept, text[at:]])


def refuse_unmet(files: list[Path]) -> None:
    """Fail on a theorem that no Example applies, where there are any: its hypotheses might contradict one another."""
    examples = [file for file in files if file.stem in INSTANCES]
    applied = {word for file in examples for word in re.findall(r"\w+", without_comments(file.read_text()))}
    for file in files if examples else ():
        for kind, name in named(file):
            if kind == "Theorem" and name not in applied:
                raise Failure(f"{file.stem}.{name} has no instance in {' or '.join(INSTANCES)}")


def compile_all(files: list[Path], source: Path, build: Path) -> None:
    """Compile the files in the build folder, those alone that changed and what depends on them."""
    build.mkdir(parents=True, exist_ok=True)
    for stale in {file.name for file in build.glob("*.v")} - {file.name for file in files}:
        (build / stale).unlink()
    for file in (*files, source / "_CoqProject"):
        copy = build / file.name
        if not copy.exists() or copy.read_bytes() != file.read_bytes():
            shutil.copyfile(file, copy)
    run(["coq_makefile", "-f", "_CoqProject", "-o", "Makefile"], cwd=build)
    run(["make", "-s", f"-j{os.cpu_count() or 1}"], cwd=build)


def statements(files: list[Path], build: Path) -> str:
    """Return what Rocq prints of every definition and theorem of the compiled library, and of each file's axioms."""
    asked = build / "statements"
    shutil.rmtree(asked, ignore_errors=True)
    asked.mkdir()
    lines = ["From Coq Require Import Reals String.", f"From TPL Require {' '.join(file.stem for file in files)}."]
    lines += ["Open Scope string_scope.", "Open Scope R_scope.", f"Set Printing Width {WIDTH}."]
    listed = {file.stem: [one for one in named(file) if is_listed(file, *one)] for file in files}
    for file, names in listed.items():
        for kind, name in names:
            command = "Check" if kind in PROVED else "Print"
            lines.append(f'Redirect "statements/{file}.{name}" {command} {file}.{name}.')
        # Each Print Assumptions goes through the whole library of reals: one for a file, of all its theorems together.
        proofs = ", ".join(["I", *(f"@{file}.{name}" for kind, name in names if kind in PROVED)])
        lines += [
            f"Definition all_of_{file} := ({proofs}).",
            f'Redirect "statements/{file}" Print Assumptions all_of_{file}.',
        ]
    (asked / "Ask.v").write_text("\n".join(lines) + "\n")
    run(["coqc", "-q", "-Q", ".", "TPL", "statements/Ask.v"], cwd=build)
    parts = []
    for file, names in listed.items():
        printed = (asked / f"{file}.out").read_text()
        axioms = axioms_of(printed, file)
        parts.append(f"{file} rests on: {', '.join(axioms)}\n" if axioms else f"{file} rests on no axiom\n")
        for kind, name in names:
            body, _, _ = (asked / f"{file}.{name}.out").read_text().partition("\n\nArguments ")
            parts.append(f"{kind} {body.rstrip().removeprefix(f'{kind} ')}\n")
    return "\n".join(parts)


def axioms_of(printed: str, file: str) -> list[str]:
    """Return the names of axioms out of what Rocq prints of assumptions. Fails on every line that is anything else."""
    first, *lines = printed.strip().splitlines()
    if first == "Closed under the global context" and not lines:
        return []
    read = [ASSUMED.fullmatch(line) for line in lines]
    if first != "Axioms:" or None in read:
        raise Failure(f"{file}: rests on more than axioms, or its assumptions cannot be read: {printed}")
    return sorted(line[1] for line in read if line is not None and line[1])


def recheck(files: list[Path], build: Path) -> None:
    """Have coqchk type-check what was compiled. Fails where a check was off, or an axiom is ours."""
    modules = [word for file in files for word in ("-norec", f"TPL.{file.stem}")]
    # Without its virtual machine the worked certificates, which are computations, take a minute more.
    printed = run(["coqchk", "-bytecode-compiler", "yes", "-silent", "-o", "-Q", ".", "TPL", *modules], cwd=build)
    lines = [line.rstrip() for line in printed.splitlines() if line.strip()]
    wrong = [line.strip() for line in lines if not SUMMARY.fullmatch(line)]
    if wrong or CHECKED not in lines:
        raise Failure(f"coqchk: {'; '.join(wrong) or 'it printed no summary'}")


def is_listed(file: Path, kind: str, name: str) -> bool:
    """Return whether what is named in a file is part of what a reader has to judge."""
    return file.stem not in PROGRAMS or kind not in ("Definition", "Fixpoint") or name in READING


def build_checker(program: Path, proofs: Path, verified: Path) -> None:
    """Extract the verified checker and implementation and compile them, if there are any."""
    if not program.is_dir():
        return
    verified.mkdir(parents=True, exist_ok=True)
    for file in program.iterdir():
        shutil.copyfile(file, verified / file.name)
    run(["coqc", "-q", "-Q", str(proofs.resolve()), "TPL", "Extract.v"], cwd=verified)
    files = ["limits.c", "lengths.ml", "checker.mli", "checker.ml", "reader.ml"]
    # Warnings are those of the code that Rocq wrote.
    command = ["ocamlfind", "ocamlopt", "-package", "zarith,unix", "-linkpkg", "-w", "-a", "-inline", "100"]
    for source, name in (("main.ml", "verified_checker"), ("implementation.ml", "proven_implementation")):
        run([*command, *files, source, "-o", name], cwd=verified)


def judge(found: str, committed: Path, printed: Path, accept: bool) -> int:
    """Compare the list with the committed one, and say what was proved. Returns 0 where they are equal, 1 otherwise."""
    printed.write_text(found)
    if accept:
        committed.write_text(found)
    if not committed.exists() or committed.read_text() != found:
        subprocess.run(["diff", "-u", str(committed), str(printed)], check=False)
        print(
            "proofs: definitions, statements or axioms are not those of statements.txt; where the change is meant: "
            "python3 .ci/proofs.py --accept",
            file=sys.stderr,
        )
        return 1
    theorems = re.findall(rf"^(?:{'|'.join(PROVED)}) (\S+)", found, re.MULTILINE)
    print("\n".join([*theorems, *re.findall(r"^\w+ rests on.*", found, re.MULTILINE)]))
    print(f"proofs: {len(theorems)} theorems and examples hold, as listed in {committed.name}")
    return 0


def run(command: list[str], cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a command, its output kept back unless it fails. Returns: what it printed."""
    done = subprocess.run(command, cwd=cwd, env=env, check=False, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{' '.join(command)} failed\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main())
