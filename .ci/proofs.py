"""Check the proofs in proofs_checks/rocq: compile them, and compare what they state and assume with a committed list.

The list, statements.txt, is computed and printed by Rocq from the compiled library: every theorem with its statement,
every definition that a statement refers to, directly or through others, and the axioms. So a changed definition, a
removed hypothesis, or an axiom more shows, where the proofs did not break already. Every theorem has an instance, a
proof in which it is applied to what is given. --accept writes the list anew. Then the verified checker of certificates
is built, which Rocq extracts from the library.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = Path(__file__).with_name("Page.v")
"""What is asked of Rocq, in its own language of tactics."""
ROCQ = "8.16"
"""The version whose words statements.txt has."""
PACKAGES = {
    **dict.fromkeys(("coqc", "coqchk", "coq_makefile"), "coq"),
    "make": "make",
    "ocamlopt": "ocaml-nox",
    "ocamlfind": "ocaml-findlib",
}
"""Programs, and Debian's packages that have them."""
ZARITH = "libzarith-ocaml-dev"
TRIAL = {
    "trial.v": "From Coq Require Import Reals ExtrOcamlZBigInt.\nFrom Ltac2 Require Import Ltac2.\n",
    "limit.c": "#include <caml/mlvalues.h>\nvalue limit(value x) { return x; }\n",
    "trial.ml": 'external limit : Z.t -> Z.t = "limit"\n'
    "let () = ignore (Unix.gettimeofday ()); print_string (Z.to_string (limit Z.one))\n",
}
"""What is compiled first: all that the proofs and the programs need of the machine, in seconds."""
LINKED = ("ocamlfind", "ocamlopt", "-package", "zarith,unix", "-linkpkg")
WIDTH = 110
"""Of what Rocq prints."""
DEPTH = 1_000_000
"""Of terms, below which Rocq would print dots."""
SHOWN = ("Implicit", "Coercions", "Universes")
"""What Rocq prints as well."""
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
AXIOMS = (
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
)
"""All that a theorem may rest on."""
SUMMARY = re.compile(
    r"CONTEXT SUMMARY|=+|\* Theory: Set is predicative|\* Axioms:(?: <none>)?"
    rf"|    Coq\.(?:Reals|Logic)\.(?:{'|'.join(map(re.escape, AXIOMS))})"
    r"|    Coq\.(?:Reals\.Rdefinitions\.(?:RbaseSymbolsImpl|RinvImpl)|ssr\.ssrunder\.Under_rel)\.\w+"
    r"|\* Constants/Inductives relying on type-in-type: <none>"
    r"|\* Constants/Inductives relying on unsafe \(co\)fixpoints: <none>"
    r"|\* Inductives whose positivity is assumed: <none>"
)
"""A line that coqchk may print: the axioms, what three modules of the standard library hide, and each check was on."""
CHECKED = "* Constants/Inductives relying on unsafe (co)fixpoints: <none>"
ENTRY = re.compile(r"\b(Definition|Parameter|Axiom|Inductive|CoInductive|Variant|Record)\s+([\w']+)")
"""What a module has, as Rocq prints it in short: its kind and its name."""
PROVED = ("Theorem", "Example")
STATED = (*PROVED, "Lemma")
INSTANCES = ("Examples", "StreamExamples", "Errata", "Accepted", "Answered")
"""Files of instances. Their proofs are kept where they are compiled, as what they apply is looked at."""
EXTRACTED = re.compile(r"(From|Extract\s+Constant|Extraction)\b")
"""The commands of Extract.v."""
STRANGE = re.compile(r"COQ|ROCQ|MAKE|MFLAGS|GNUMAKEFLAGS")
"""How the name of a variable of the environment begins that could change what is compiled."""
LIBRARY = "TPL"


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
        found = examine(chosen.source, chosen.build)
        build_checker(chosen.source / "program", chosen.build, chosen.verified)
    except Failure as failure:
        print(f"proofs: {failure}", file=sys.stderr)
        return 1
    return judge(found, chosen.source / "statements.txt", chosen.build / "statements.txt", chosen.accept)


class Failure(Exception):
    """The proofs do not hold, or cannot be checked here."""


def examine(source: Path, build: Path) -> str:
    """Return the page of a library, compiled and checked. Raises Failure where something does not hold."""
    files = project(source)
    for file in files:
        refuse_unproved(file)
        refuse_wide(file)
    if (extract := source / "program" / "Extract.v").exists():
        refuse_unproved(extract, EXTRACTED)
    compile_all(files, source, build)
    found = statements(files, build)
    recheck(files, build)
    return found


def find_rocq() -> None:
    """Install Rocq and OCaml where they are missing and that may be done; otherwise say what is missing."""
    lacking = missing()
    if lacking and os.geteuid() == 0 and shutil.which("apt-get"):
        wanted = [*dict.fromkeys(PACKAGES.values()), ZARITH, "gcc"]
        print(f"proofs: installing {' '.join(wanted)}", flush=True)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        run(["apt-get", "update", "-qq"], env=quiet)
        run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *wanted], env=quiet)
        lacking = missing()
    if lacking:
        packages = " ".join(dict.fromkeys(lacking.values()))
        raise Failure(f"not here: {', '.join(lacking)}; install Debian's packages: apt-get install {packages}")
    if not (version := run(["coqc", "--version"])).startswith(f"The Coq Proof Assistant, version {ROCQ}."):
        raise Failure(f"statements.txt has the words of Rocq {ROCQ}, and this is another: {version.splitlines()[0]}")


def missing() -> dict[str, str]:
    """Return what of the machine's is missing, and the package that has it: programs, or else what they need."""
    if absent := {program: package for program, package in PACKAGES.items() if not shutil.which(program)}:
        return absent
    with tempfile.TemporaryDirectory() as folder:
        for name, text in TRIAL.items():
            (Path(folder) / name).write_text(text)
        for command, what, package in (
            (["coqc", "-q", "trial.v"], "Rocq's standard library", "coq"),
            (["ocamlopt", "-c", "limit.c"], "a compiler of C", "gcc"),
            ([*LINKED, "limit.o", "trial.ml", "-o", "trial"], "what zarith needs to be linked", ZARITH),
        ):
            try:
                run(command, cwd=Path(folder))
            except Failure:
                return {what: package}
    return {}


def project(source: Path) -> list[Path]:
    """Return the files of _CoqProject, which must be all that there are, and all that it says."""
    first, *names = (source / "_CoqProject").read_text().splitlines()
    files = [source / name for name in names]
    if first != f"-Q . {LIBRARY}" or sorted(files) != sorted(source.glob("*.v")):
        raise Failure(f"_CoqProject is not '-Q . {LIBRARY}' and the names of the .v files that are there")
    return files


def refuse_unproved(file: Path, commands: re.Pattern[str] = COMMANDS) -> None:
    """Fail on every sentence that is neither a known command nor a tactic, and on tactics that leave a goal."""
    for at, sentence in sentences(file):
        if not (commands if sentence[0].isupper() else TACTIC).match(sentence) or UNPROVED.search(sentence):
            line = file.read_text().count("\n", 0, at) + 1
            raise Failure(f"{file.name}:{line}: {' '.join(sentence.split())[:60]} is not among the commands allowed")


def refuse_wide(file: Path) -> None:
    """Fail on a line that is too wide to be read beside another file."""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if len(line) > MOST_COLUMNS:
            raise Failure(f"{file.name}:{number}: {len(line)} columns, where at most {MOST_COLUMNS} are expected")


def sentences(file: Path) -> list[tuple[int, str]]:
    """Return the sentences of a file, without comments and what is in quotes, each with the place where it begins."""
    text = re.sub(r'"[^"]*"', lambda quoted: re.sub(r"[^\n]", " ", quoted[0]), without_comments(file.read_text()))
    return [(one.start(1), one[1]) for one in SENTENCE.finditer(text)]


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


def compile_all(files: list[Path], source: Path, build: Path) -> None:
    """Compile the files in the build folder, all of them: nothing is taken over from before."""
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir(parents=True)
    for file in files:
        (build / file.name).write_text(kept(file) if file.stem in INSTANCES else file.read_text())
    shutil.copyfile(source / "_CoqProject", build / "_CoqProject")
    run(["coq_makefile", "-f", "_CoqProject", "-o", "Makefile"], cwd=build)
    run(["make", "-s", f"-j{os.cpu_count() or 1}"], cwd=build)


def kept(file: Path) -> str:
    """Return a file with each Qed as Defined, by which Rocq checks as much and keeps the proof to be looked at."""
    text = file.read_text()
    for at, _ in reversed([one for one in sentences(file) if one[1] == "Qed"]):
        text = f"{text[:at]}Defined{text[at + len('Qed') :]}"
    return text


def statements(files: list[Path], build: Path) -> str:
    """Return the page that Rocq computes of the compiled library. Fails on a theorem that has no instance."""
    kinds = contents(files, build)
    needs, applied = asked(files, kinds, candidates(files, kinds), build)
    if any(file.stem in INSTANCES for file in files):
        for name in (name for name, kind in kinds.items() if kind == "Theorem" and name not in applied):
            raise Failure(f"{name} has no instance: no proof in {' or '.join(INSTANCES)} applies it to what is given")
    closures = {name: closure(name, needs) for name, kind in kinds.items() if kind in PROVED}
    used = {*closures}.union(*closures.values())
    outside = sorted(used - {*kinds})
    for name in outside:
        if same := {*name.split(".")} & {file.stem for file in files}:
            raise Failure(f"{name} is of the standard library, and {' '.join(same)} is a file of ours as well")
        if not name.startswith("Coq."):
            raise Failure(f"{name} is referred to, and neither of our files nor of the standard library")
    printed = prints({name: kind for name, kind in kinds.items() if name in used}, files, build)
    parts = []
    for file in files:
        own = [name for name in kinds if name in used and file_of(name) == file.stem]
        if any(name in closures for name in own):
            axioms = axioms_of((build / "page" / f"{file.stem}.out").read_text(), file.stem)
            parts.append(f"{file.stem} rests on{': ' + ', '.join(axioms) if axioms else ' no axiom'}\n")
        for name in own:
            head = f"Inductive {name} =\n" if kinds[name] == "Inductive" else f"{kinds[name]} "
            parts.append(f"{head}{printed[name]}\n")
            if name in closures:
                ours = [one for one in kinds if one in closures[name]]
                parts.append(folded("in terms of", ours or ["the standard library alone"]))
    parts.append(folded("Of the standard library", outside))
    if (extract := files[0].parent / "program" / "Extract.v").exists():
        said = "\n".join(line for line in without_comments(extract.read_text()).splitlines() if line.strip())
        parts.append(f"Extract.v says\n\n{said}\n")
    return "\n".join(parts)


def file_of(name: str) -> str:
    """Return the file in which a name is defined."""
    return name.partition(".")[0]


def folded(what: str, names: Iterable[str]) -> str:
    """Return a paragraph of names."""
    return (
        textwrap.fill(
            f"{what}: {' '.join(names)}",
            WIDTH,
            initial_indent="    ",
            subsequent_indent="      ",
            break_on_hyphens=False,
        )
        + "\n"
    )


def contents(files: list[Path], build: Path) -> dict[str, str]:
    """Return the names that the compiled files have, in order, FILE.name, each with its kind."""
    page = build / "page"
    page.mkdir()
    stems = [file.stem for file in files]
    lines = ["Set Short Module Printing.", 'Remove Search Blacklist "Private_" "_subproof" "_admitted".']
    lines += [f'Redirect "page/{stem}" Print Module {LIBRARY}.{stem}.' for stem in stems]
    lines += [f'Redirect "page/{kind}" Search is:{kind} inside {" ".join(stems)}.' for kind in STATED]
    ask("Contents", lines, files, build)
    kinds = {}
    for stem in stems:
        for kind, name in ENTRY.findall((page / f"{stem}.out").read_text()):
            kinds[f"{stem}.{name}"] = "Definition" if kind in ("Definition", "Parameter", "Axiom") else "Inductive"
    for kind in STATED:
        found = re.findall(r"^([\w.']+):", (page / f"{kind}.out").read_text(), re.MULTILINE)
        kinds |= dict.fromkeys((name.removeprefix(f"{LIBRARY}.") for name in found), kind)
    return kinds


def candidates(files: list[Path], kinds: dict[str, str]) -> dict[str, list[str]]:
    """Return for each theorem the proofs that may apply it, those first that do so by their words.

    Only time depends on this: Rocq says which of them applies it.
    """
    words = dict[str, set[str]]()
    for file in (file for file in files if file.stem in INSTANCES):
        name = None
        for _, sentence in sentences(file):
            if one := re.match(r"(?:Example|Lemma)\s+([\w']+)", sentence):
                name = f"{file.stem}.{one[1]}"
            if name in kinds:
                words.setdefault(name, set()).update(re.findall(r"[\w']+", sentence))
    found = {}
    for theorem in (name for name, kind in kinds.items() if kind == "Theorem"):
        short = theorem.partition(".")[2]
        direct = [name for name in words if short in words[name]]
        shorts = {name.partition(".")[2] for name in direct}
        found[theorem] = [*direct, *(name for name in words if words[name] & shorts and name not in direct)]
    return found


def asked(
    files: list[Path], kinds: dict[str, str], instances: dict[str, list[str]], build: Path
) -> tuple[dict[str, list[str]], set[str]]:
    """Return what each name refers to, and the theorems that an instance applies."""
    shutil.copyfile(PAGE, build / "page" / PAGE.name)
    run(["coqc", "-q", "-Q", ".", LIBRARY, f"page/{PAGE.name}"], cwd=build)
    lines = ["From Ltac2 Require Import Ltac2.", f"From {LIBRARY}.page Require Import Page."]
    lines += ['Set Default Proof Mode "Classic".', "Goal True."]
    lines += [f"ltac2:(needs {str(kind not in STATED).lower()} {path_of(name)})." for name, kind in kinds.items()]
    lines += [f"ltac2:(instance {path_of(one)} [{'; '.join(map(path_of, own))}])." for one, own in instances.items()]
    needs, applied = dict[str, list[str]](), set[str]()
    for line in ask("Asked", [*lines, "Abort."], files, build).splitlines():
        verb, name, *others = (word.removeprefix(f"{LIBRARY}.") for word in line.split())
        if verb == "applied":
            applied.add(name)
        elif verb == "needs":
            needs[name] = others
        else:
            raise Failure(f"Rocq was asked what names refer to, and says: {line}")
    return needs, applied


def path_of(name: str) -> str:
    """Return a name as Page.v takes it."""
    return f"[{'; '.join(f'@{part}' for part in (LIBRARY, *name.split('.')))}]"


def closure(name: str, needs: dict[str, list[str]]) -> set[str]:
    """Return all that a statement refers to, directly or through what it refers to; of others' what is named alone."""
    found, left = set[str](), [name]
    while left:
        new = {*needs.get(left.pop(), ())} - found
        found |= new
        left += new
    return found


def prints(kinds: dict[str, str], files: list[Path], build: Path) -> dict[str, str]:
    """Return what Rocq prints of each name, with nothing left out, and have it print the axioms of each file."""
    lines = [f"Set Printing {what}." for what in (f"Width {WIDTH}", f"Depth {DEPTH}", *SHOWN)]
    for name, kind in kinds.items():
        lines.append(f'Redirect "page/{name}" {"Check @" if kind in STATED else "Print "}{LIBRARY}.{name}.')
    proofs = dict[str, list[str]]()
    for name in (name for name, kind in kinds.items() if kind in PROVED):
        proofs.setdefault(file_of(name), []).append(f"@{name}")
    for file, own in proofs.items():
        # Each Print Assumptions goes through the whole library of reals: one for a file, of all its theorems together.
        lines.append(f"Definition all_of_{file} := ({', '.join(['I', *own])}).")
        lines.append(f'Redirect "page/{file}" Print Assumptions all_of_{file}.')
    ask("Prints", lines, files, build)
    printed = {name: (build / "page" / f"{name}.out").read_text() for name in kinds}
    # The arguments that are implicit are shown wherever they are. What has a quote in it is not about them.
    return {name: re.sub(r'\A@|\n\nArguments [^"]*\Z', "", text).rstrip() for name, text in printed.items()}


def ask(name: str, lines: list[str], files: list[Path], build: Path) -> str:
    """Have Rocq do commands on the compiled library, none of whose files is imported. Returns: what it prints."""
    head = ["From Coq Require Import Reals String.", f"From {LIBRARY} Require {' '.join(file.stem for file in files)}."]
    head += ["Open Scope string_scope.", "Open Scope R_scope."]
    (build / "page" / f"{name}.v").write_text("\n".join([*head, *lines]) + "\n")
    return run(["coqc", "-q", "-w", "none", "-Q", ".", LIBRARY, f"page/{name}.v"], cwd=build)


def axioms_of(printed: str, file: str) -> list[str]:
    """Return the names of axioms out of what Rocq prints of assumptions. Fails on every line that is anything else."""
    first, *lines = printed.strip().splitlines()
    if first == "Closed under the global context" and not lines:
        return []
    read = [ASSUMED.fullmatch(line) for line in lines]
    if first != "Axioms:" or None in read:
        raise Failure(f"{file}: rests on more than axioms, or its assumptions cannot be read: {printed}")
    axioms = sorted(line[1] for line in read if line is not None and line[1])
    if strange := {*axioms} - {*AXIOMS}:
        raise Failure(f"{file}: rests on {', '.join(sorted(strange))}, which is not among the axioms allowed")
    return axioms


def recheck(files: list[Path], build: Path) -> None:
    """Have coqchk type-check what was compiled. Fails where a check was off, or an axiom is ours."""
    modules = [word for file in files for word in ("-norec", f"TPL.{file.stem}")]
    # Without its virtual machine the worked certificates, which are computations, take a minute more.
    printed = run(["coqchk", "-bytecode-compiler", "yes", "-silent", "-o", "-Q", ".", "TPL", *modules], cwd=build)
    lines = [line.rstrip() for line in printed.splitlines() if line.strip()]
    wrong = [line.strip() for line in lines if not SUMMARY.fullmatch(line)]
    if wrong or CHECKED not in lines:
        raise Failure(f"coqchk: {'; '.join(wrong) or 'it printed no summary'}")


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
    command = [*LINKED, "-w", "-a", "-inline", "100"]
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
    """Run a command, in the usual environment, its output kept back unless it fails. Returns: what it printed."""
    usual = {name: value for name, value in os.environ.items() if not STRANGE.match(name)}
    done = subprocess.run(command, cwd=cwd, env=env or usual, check=False, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{' '.join(command)} failed\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main())
