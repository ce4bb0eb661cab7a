"""Which statements a test runs, at little cost and in all its processes: each notes itself in memory that they share.

A mark is a statement of a function, named by module, function, a digest of the function's code and its number there, so
that what was noted once holds until the function changes; of a changed function it still tells that it was entered.
"""

from __future__ import annotations

import ast
import mmap
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from .operators import Module
from .records import digest


class Mark(NamedTuple):
    """A statement of a function; the line it begins in is where it is now."""

    module: str
    function: str
    digest: str
    number: int
    line: int

    @property
    def name(self) -> str:
        """The name under which it is kept."""
        return f"{self.module}:{self.function}:{self.digest}:{self.number}"


def instrumented(module: Module, first: int) -> tuple[list[Mark], CodeType]:
    """Return the marks of a module, and its code in which each sets the byte of its number, counted from `first`."""
    path = str(module.path)
    tree = ast.parse(module.path.read_text(encoding="utf-8"), path)
    marks: list[Mark] = []

    def block(body: list[ast.stmt], function: str, own: str, start: int) -> list[ast.stmt]:
        return [part for statement in body for part in noted(statement, function, own, start)]

    def noted(statement: ast.stmt, function: str, own: str, start: int) -> Iterator[ast.stmt]:
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            note = ast.parse(f"__ran__[{first + len(marks)}] = 1").body[0]
            for node in ast.walk(note):
                ast.copy_location(node, statement)
            yield note
            marks.append(Mark(module.name, function, own, len(marks) - start, statement.lineno))
        for part in [statement, *getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
            for field in ("body", "orelse", "finalbody"):
                if inner := getattr(part, field, None):
                    setattr(part, field, block(inner, function, own, start))
        yield statement

    def definitions(body: list[ast.stmt], names: tuple[str, ...]) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                definitions(node.body, (*names, node.name))
            elif isinstance(node, ast.FunctionDef):
                node.body = block(node.body, ".".join((*names, node.name)), digest(ast.dump(node)), len(marks))
            else:
                for field in ("body", "orelse", "finalbody"):
                    definitions(getattr(node, field, []), names)

    definitions(tree.body, ())
    code = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
    assert isinstance(code, CodeType)
    return marks, code


class Ran:
    """The memory in a file that says which marks were run."""

    def __init__(self, path: Path, number: int) -> None:
        path.write_bytes(bytes(number + 1))  # no memory is empty
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 0)

    def taken(self) -> list[int]:
        """Return the numbers of the marks run since the last time."""
        found = [number for number, byte in enumerate(self._memory[:]) if byte]
        self._memory[:] = bytes(len(self._memory))
        return found
