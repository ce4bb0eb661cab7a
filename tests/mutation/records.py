"""What is kept between runs: the verdicts, and the explanations of survivors."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from .session import Outcome

KINDS = {
    "equivalent": "no input tells it from the original",
    "performance": "only time or memory differ",
    "precaution": "a limit that is a choice, or a check before another check",
}
"""Why a survivor may stay."""


def digest(*texts: str) -> str:
    """Return a short digest of texts."""
    return sha256("\0".join(texts).encode()).hexdigest()[:16]


def source_digest(paths: Iterable[Path]) -> str:
    """Return a digest of modules that docstrings, comments and layout do not change."""
    return digest(*(text for path in paths for text in (path.name, ast.dump(_bare(path)))))


def _bare(path: Path) -> ast.AST:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [
                part for part in node.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
            ]
    return tree


class Suite:
    """The test files as they are when a run starts, by digests."""

    def __init__(self, folder: Path) -> None:
        self.files: dict[str, str] = {}
        self._functions: dict[tuple[str, str], str] = {}
        self._texts: dict[str, str] = {}
        for path in sorted(folder.rglob("test_*.py")):
            text = path.read_text(encoding="utf-8")
            self.files[str(path.resolve())] = digest(text)
            self._texts[str(path.resolve())] = text
            for node in ast.parse(text).body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    self._functions[str(path.resolve()), node.name] = digest(ast.dump(node))
        shared = [*sorted(folder.parent.glob("*.py")), *sorted(folder.rglob("*.py"))]
        self.helpers = digest(
            *(path.read_text(encoding="utf-8") for path in shared if not path.name.startswith("test_"))
        )

    def naming(self, constant: str | None) -> set[str]:
        """Return the files that name a constant: their tests may read it themselves."""
        return {path for path, text in self._texts.items() if constant is not None and constant in text}

    def of_test(self, file: str, test: str) -> str | None:
        """Return the digest of a test's function or class, or of its file where it is neither."""
        name = test.split("::")[1].partition("[")[0]
        return self._functions.get((file, name), self.files.get(file))


class Verdicts:
    """The verdicts so far, each written to a file as soon as it is known.

    A kill stands while the test that killed is the same, a survival for the test files that were the same, with the
    same helpers. All are forgotten when the modules change.
    """

    def __init__(self, folder: Path, source: str, suite: Suite, worker: int = 0) -> None:
        self._suite = suite
        self._known: dict[str, dict[str, object]] = {}
        self._folder = folder
        self._file = folder / f"verdicts-{source}-{worker}.jsonl"
        self._pattern = f"verdicts-{source}-*.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("verdicts-*.jsonl"):
            if not old.match(self._pattern):
                old.unlink()
        if self._file.exists() and not self._file.read_bytes().endswith(b"\n"):
            with self._file.open("a", encoding="utf-8") as file:
                file.write("\n")  # after the last line of an interrupted run
        self._read()

    def _read(self) -> None:
        for path in sorted(self._folder.glob(self._pattern), key=lambda path: path.stat().st_mtime_ns):
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                self._known[record["id"]] = record

    def write(self, mutant: str, outcome: Outcome, file: str | None, partly: bool) -> None:
        """Keep a verdict: the file is that of the test that decided it, None where all agree, or some (`partly`)."""
        record: dict[str, object] = {"id": mutant, "verdict": outcome.verdict, "test": outcome.test}
        if file is not None and outcome.test is not None:
            record |= {"file": file, "digest": self._suite.of_test(file, outcome.test)}
        else:
            record |= {"files": self._suite.files, "helpers": self._suite.helpers, "partly": partly}
        with self._file.open("a", encoding="utf-8") as verdicts:
            verdicts.write(json.dumps(record) + "\n")
        self._known[mutant] = record

    def of(self, mutant: str, partly: bool) -> Outcome | None:
        """Return a verdict that still stands; one by some of the tests that would tell soonest only if that will do."""
        record = self._known.get(mutant)
        if record is None or self.unseen(mutant, partly):
            return None
        test = record["test"]
        return Outcome(str(record["verdict"]), None if test is None else str(test))

    def unseen(self, mutant: str, partly: bool) -> set[str]:
        """Return the test files that a mutant has still to be tried with: none where its verdict stands."""
        record = self._known.get(mutant)
        every = set(self._suite.files)
        if record is None:
            return every
        if "file" in record:
            same = record["digest"] == self._suite.of_test(str(record["file"]), str(record["test"]))
            return set() if same else every
        files = record["files"]
        assert isinstance(files, dict)
        if record["helpers"] != self._suite.helpers or (record["partly"] and not partly):
            return every
        return {path for path, digest in self._suite.files.items() if files.get(path) != digest}

    def last_killer(self, mutant: str) -> str | None:
        """Return the test that killed the mutant once."""
        test = self._known.get(mutant, {}).get("test")
        return None if test is None else str(test)


@dataclass(frozen=True)
class Explanation:
    """Why some survivors may stay."""

    kind: str
    why: str
    mutants: tuple[str, ...]


def read_explanations(path: Path) -> dict[str, Explanation]:
    """Read the explained survivors by mutant. Raises: ValueError for a file that is not such a list."""
    if not path.exists():
        return {}
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    if set(document) - {"explained"}:
        raise ValueError(f"{path}: only [[explained]] tables")
    result: dict[str, Explanation] = {}
    for number, table in enumerate(document.get("explained", []), 1):
        if set(table) != {"kind", "why", "mutants"} or table["kind"] not in KINDS or not table["why"].strip():
            raise ValueError(f"{path}: explanation {number} needs a kind ({', '.join(KINDS)}), a why and mutants")
        explanation = Explanation(table["kind"], table["why"], tuple(table["mutants"]))
        for mutant in explanation.mutants:
            if mutant in result:
                raise ValueError(f"{path}: explained twice: {mutant}")
            result[mutant] = explanation
    return result
