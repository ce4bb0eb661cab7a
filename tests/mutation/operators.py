"""The mutants of a module: small changes of its syntax tree.

What is never changed: docstrings, annotations, decorators, texts, assertions (`strict=` among them), and what a raise
statement says.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace as replaced
from pathlib import Path
from types import CodeType

from .naming import Change, short, sides

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}

ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
}

NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "floor": "ceil", "ceil": "floor"}
ATTRIBUTES = {"lower": "upper", "upper": "lower", "numerator": "denominator", "denominator": "numerator"}
DROPPED_CALLS = {"abs", "reversed"}


@dataclass(frozen=True)
class Mutant:
    """A change of one module.

    function: the outermost function that holds the change, None where importing the module runs it; lines: the lines
    of the statement (of its head, where it has a body; of the whole function for a default value), of which a test
    that can notice the change runs one; constant: for a constant of the module its name, and then it runs a line that
    has the name.
    """

    id: str
    module: str
    function: str | None
    lines: range
    change: Change
    constant: str | None = None


@dataclass(frozen=True)
class _Place:
    """Where the walk is: the enclosing function names, the statement's lines, the expressions from the outside in."""

    names: tuple[str, ...] = ()
    function: str | None = None
    lines: range = range(0)
    around: tuple[ast.expr | ast.stmt, ...] = ()
    constant: str | None = None


class Module:
    """The syntax tree of a source file and all its mutants, in the order of the source."""

    def __init__(self, path: Path, base: Path) -> None:
        self.path = path
        self.name = path.relative_to(base).with_suffix("").as_posix()
        text = path.read_text(encoding="utf-8")
        self._length = text.count("\n") + 1
        self.tree = ast.parse(text, str(path))
        self._found: list[tuple[_Place, Change, str, str]] = []
        self._block(self.tree, "body", _Place())
        self.mutants = tuple(self._named())

    def compiled(self, *mutants: Mutant) -> CodeType:
        """Compile the module with the changes of mutants, none within another's, in it."""
        old = [mutant.change.put(mutant.change.new) for mutant in mutants]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                code = compile(ast.fix_missing_locations(self.tree), str(self.path), "exec", dont_inherit=True)
        finally:
            for mutant, change in zip(mutants, old, strict=True):
                mutant.change.put(change)
        assert isinstance(code, CodeType)
        return code

    def text(self, mutant: Mutant | None = None) -> str:
        """Write the module, with a mutant's change in it, from its tree."""
        if mutant is None:
            return ast.unparse(self.tree)
        old = mutant.change.put(mutant.change.new)
        try:
            return ast.unparse(self.tree)
        finally:
            mutant.change.put(old)

    @property
    def length(self) -> int:
        """The number of lines."""
        return self._length

    def uses(self, name: str) -> set[int | None]:
        """Return the lines in functions that read a name of the module, and None where its import reads it."""
        found: set[int | None] = set()
        inside = {id(part) for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef)
                  for statement in node.body for part in ast.walk(statement)}  # fmt: skip
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                found.add(node.lineno if id(node) in inside else None)
        return found

    def _named(self) -> Iterator[Mutant]:
        seen: Counter[str] = Counter()
        for place, change, before, after in self._found:
            name = f"{self.name}:{'.'.join(place.names) or '<module>'}: {short(before)} -> {short(after)}"
            seen[name] += 1
            number = f" #{seen[name]}" if seen[name] > 1 else ""
            yield Mutant(name + number, self.name, place.function, place.lines, change, place.constant)

    # The walk over statements

    def _block(self, owner: ast.AST, field: str, place: _Place) -> None:
        assigned: set[str] = {argument.arg for argument in ast.walk(owner) if isinstance(argument, ast.arg)}
        for index, statement in enumerate(getattr(owner, field)):
            self._statement(owner, field, index, place, assigned)
            assigned.update(
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            )

    def _statement(self, owner: ast.AST, field: str, index: int, place: _Place, assigned: set[str]) -> None:
        node = getattr(owner, field)[index]
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            self._definition(node, place)
            return
        body = getattr(node, "body", None) or getattr(node, "cases", None)
        end = body[0].pattern.lineno - 1 if isinstance(node, ast.Match) else body[0].lineno - 1 if body else None
        last = node.end_lineno if end is None else max(end, node.lineno)
        shown = (node,) if isinstance(node, ast.Assign | ast.AugAssign) else ()
        place = _Place(place.names, place.function, range(node.lineno, (last or node.lineno) + 1), shown)

        def replace(new: ast.stmt, before: str, after: str) -> None:
            self._found.append((place, Change(owner, field, index, ast.copy_location(new, node)), before, after))

        match node:
            case ast.Import() | ast.ImportFrom() | ast.Assert() | ast.Pass():
                return
            case ast.Expr(ast.Constant()):
                return
            case ast.Raise():
                called = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
                replace(ast.Pass(), f"raise {ast.unparse(called)}" if called else "raise", "pass")
                return
            case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Delete():
                replace(ast.Pass(), ast.unparse(node), "pass")
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                replace(ast.Pass(), ast.unparse(node), "pass")
            case ast.Assign(targets=[ast.Name(id=name)]) if not place.names:
                place = replaced(place, constant=name)
            case ast.Assign(targets=[ast.Name(id=name)]) if name in assigned and place.function:
                replace(ast.Pass(), ast.unparse(node), "pass")
            case ast.Return(value=ast.expr() as value) if not _is_none(value):
                replace(ast.Return(ast.Constant(None)), ast.unparse(node), "return None")
            case ast.Break():
                replace(ast.Continue(), "break", "continue")
            case ast.Continue():
                replace(ast.Break(), "continue", "break")
            case ast.If() | ast.While():
                self._condition(node, place, "if" if isinstance(node, ast.If) else "while")
            case _:
                pass
        if isinstance(node, ast.AugAssign):
            self._operator(node, place)
        self._expressions(node, place)
        for name in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, name, None), list):
                self._inner_block(node, name, place, assigned)
        for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
            self._inner_block(part, "body", place, assigned)

    def _inner_block(self, owner: ast.AST, field: str, place: _Place, assigned: set[str]) -> None:
        known = set(assigned)
        for index, statement in enumerate(getattr(owner, field)):
            self._statement(owner, field, index, place, known)
            known.update(
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            )

    def _definition(self, node: ast.FunctionDef | ast.ClassDef, place: _Place) -> None:
        names = (*place.names, node.name)
        if isinstance(node, ast.ClassDef):
            self._block(node, "body", _Place(names, place.function, place.lines))
            return
        defaults = _Place(names, place.function, range(node.lineno, (node.end_lineno or node.lineno) + 1))
        for index, default in enumerate(node.args.defaults):
            self._expression(node.args, "defaults", index, default, defaults)
        for index, default in enumerate(node.args.kw_defaults):
            if default is not None:
                self._expression(node.args, "kw_defaults", index, default, defaults)
        self._block(node, "body", _Place(names, place.function or ".".join(names), place.lines))

    # The walk over expressions

    def _expressions(self, node: ast.AST, place: _Place) -> None:
        for field, value in ast.iter_fields(node):
            if field == "annotation" or (isinstance(node, ast.Match) and field == "cases"):
                continue
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, ast.expr):
                    self._expression(node, field, index, child, place)
                elif isinstance(child, ast.keyword) and child.arg == "strict":
                    continue
                elif isinstance(child, ast.keyword | ast.comprehension | ast.arguments):
                    self._expressions(child, place)

    def _expression(self, owner: ast.AST, field: str, index: int | None, node: ast.expr, place: _Place) -> None:
        if isinstance(node, ast.JoinedStr):
            return
        around = replaced(place, around=(*place.around, node))

        def replace(new: ast.expr) -> None:
            change = Change(owner, field, index, ast.copy_location(new, node))
            self._found.append((place, change, *sides(around.around, change)))

        match node:
            case ast.Constant(value=bool() as value):
                replace(ast.Constant(not value))
            case ast.Constant(value=int()) if isinstance(owner, ast.Compare) and any(map(_is_ordering, owner.ops)):
                pass  # moving the boundary is the comparison's own mutant
            case ast.Constant(value=int() as value):
                replace(ast.Constant(value + 1))
                if not isinstance(
                    owner, ast.BinOp | ast.AugAssign
                ):  # in arithmetic the changed operator moves it the other way
                    replace(ast.Constant(value - 1))
            case ast.Compare():
                self._comparison(node, around, isinstance(owner, ast.If | ast.While | ast.IfExp) and field == "test")
            case ast.BinOp():
                self._operator(node, around)
            case ast.BoolOp():
                other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
                change = Change(node, "op", None, other)
                self._found.append((around, change, *sides(around.around, change)))
            case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
                replace(operand)
            case ast.IfExp():
                self._condition(node, around, "if")
            case ast.Name(id=name, ctx=ast.Load()) if name in NAMES:
                replace(ast.Name(NAMES[name], ast.Load()))
            case ast.Attribute(value=value, attr=name, ctx=ast.Load()) if name in ATTRIBUTES:
                replace(ast.Attribute(value, ATTRIBUTES[name], ast.Load()))
            case ast.Call(func=ast.Name(id=name), args=[argument]) if name in DROPPED_CALLS:
                replace(argument)
            case ast.Slice():
                for part in ("lower", "upper", "step"):
                    if getattr(node, part) is not None:
                        change = Change(node, part, None, None)
                        self._found.append((around, change, *sides(around.around, change)))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for generator in node.generators:
                    for number, test in enumerate(generator.ifs):
                        for value in (True, False):
                            change = Change(generator, "ifs", number, ast.copy_location(ast.Constant(value), test))
                            self._found.append((around, change, f"for if {ast.unparse(test)}", f"for if {value}"))
            case _:
                pass
        self._expressions(node, around)

    def _comparison(self, node: ast.Compare, place: _Place, is_condition: bool) -> None:
        for number, operator in enumerate(node.ops):
            for new in COMPARISONS[type(operator)][: 1 if is_condition and _is_ordering(operator) else None]:
                if is_condition and not _is_ordering(operator):
                    continue
                change = Change(node, "ops", number, new())
                self._found.append((place, change, *sides(place.around, change)))

    def _operator(self, owner: ast.BinOp | ast.AugAssign, place: _Place) -> None:
        new = ARITHMETIC.get(type(owner.op))
        if new is not None:
            change = Change(owner, "op", None, new())
            self._found.append((place, change, *sides(place.around, change)))

    def _condition(self, node: ast.If | ast.While | ast.IfExp, place: _Place, word: str) -> None:
        """Force a condition; one that binds a name is still evaluated. No loop is made endless on purpose."""
        binds = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test))
        for value in (False,) if isinstance(node, ast.While) else (True, False):
            forced: ast.expr = ast.Constant(value)
            if binds:
                forced = ast.BoolOp(ast.Or() if value else ast.And(), [node.test, forced])
            change = Change(node, "test", None, ast.copy_location(forced, node.test))
            self._found.append((place, change, f"{word} {ast.unparse(node.test)}", f"{word} {value}"))


def _is_ordering(operator: ast.cmpop) -> bool:
    return isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE)


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def modules(source: Path, base: Path | None = None) -> list[Module]:
    """Read the modules of a folder, `__init__` aside; a name is a path from the base, which is the folder itself."""
    return [Module(path, base or source) for path in sorted(source.rglob("*.py")) if path.stem != "__init__"]
