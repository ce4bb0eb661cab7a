"""The mutants of a module: small changes of its syntax tree.

Docstrings, annotations, decorators, texts, assertions (`strict=` among them), and what a raise statement says are never
changed. A mutant is named by the source before and after the change, so that its line does not matter.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType

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
ORDERINGS = ast.Lt | ast.LtE | ast.Gt | ast.GtE
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

CONTEXT = 48
"""Greatest length of the surrounding source that a name shows."""

FRAGMENT = 12
"""A change with less source than this is shown with a part of its surroundings."""

MARGIN = 20
"""Characters shown before and after a change in a text that is too long to be shown."""

LONGEST = 72
"""Greatest length of one side of a change in a name; longer ones lose their middle."""


@dataclass(frozen=True)
class Change:
    """One replacement in the tree: of a field of a node, or of an entry of a list in that field."""

    owner: ast.AST
    field: str
    index: int | None
    new: object

    def put(self, value: object) -> object:
        """Put a value in the place and return what stood there."""
        place = getattr(self.owner, self.field)
        if self.index is None:
            setattr(self.owner, self.field, value)
            return place
        old = place[self.index]
        place[self.index] = value
        return old


@dataclass(frozen=True)
class Mutant:
    """A change of one module.

    function: the outermost function that holds the change, None where importing the module runs it; lines: the lines
    of the statement (of its head, where it has a body; of the whole function for a default value); constant: the name
    of the module's constant that is changed.
    """

    id: str
    module: str
    function: str | None
    lines: range
    change: Change
    constant: str | None = None


@dataclass(frozen=True)
class _Place:
    """Where the walk is: the names of the enclosing definitions, and the expressions from the outermost one."""

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
        self.tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        self._found: list[tuple[_Place, Change, str, str]] = []
        self._block(self.tree, "body", _Place(), set())
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
        return ast.unparse(self.tree) if mutant is None else _texts(self.tree, mutant.change)[1]

    def _named(self) -> Iterator[Mutant]:
        seen: Counter[str] = Counter()
        for place, change, before, after in self._found:
            name = f"{self.name}:{'.'.join(place.names) or '<module>'}: {_short(before)} -> {_short(after)}"
            seen[name] += 1
            number = f" #{seen[name]}" if seen[name] > 1 else ""
            yield Mutant(name + number, self.name, place.function, place.lines, change, place.constant)

    def _note(self, place: _Place, change: Change, sides: tuple[str, str] | None = None) -> None:
        self._found.append((place, change, *(sides or _sides(place.around, change))))

    # The walk over statements

    def _block(self, owner: ast.AST, field: str, place: _Place, assigned: set[str]) -> None:
        """Walk over statements, given the names that have a value before them."""
        known = set(assigned)
        for index, node in enumerate(getattr(owner, field)):
            self._statement(owner, field, index, place, known)
            known.update(_stored(node))

    def _statement(self, owner: ast.AST, field: str, index: int, place: _Place, assigned: set[str]) -> None:
        node = getattr(owner, field)[index]
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            self._definition(node, place)
            return
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert | ast.Pass) or _is_text(node):
            return
        body = getattr(node, "body", None) or getattr(node, "cases", None)
        last = (body[0].pattern if isinstance(node, ast.Match) else body[0]).lineno - 1 if body else node.end_lineno
        shown = (node,) if isinstance(node, ast.Assign | ast.AugAssign) else ()
        lines = range(node.lineno, max(last or 0, node.lineno) + 1)
        place = replace(place, lines=lines, around=shown, constant=None)

        def put(new: ast.stmt, before: str = "", after: str = "pass") -> None:
            change = Change(owner, field, index, ast.copy_location(new, node))
            self._note(place, change, (before or ast.unparse(node), after))

        match node:
            case ast.Raise():
                called = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
                put(ast.Pass(), f"raise {ast.unparse(called)}" if called else "raise")
                return
            case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Delete():
                put(ast.Pass())
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                put(ast.Pass())
            case ast.Assign(targets=[ast.Name(id=name)]) if not place.names:
                place = replace(place, constant=name)
            case ast.Assign(targets=[ast.Name(id=name)]) if name in assigned and place.function:
                put(ast.Pass())
            case ast.Return(value=ast.expr() as value) if not _is_constant(value, None):
                put(ast.Return(ast.Constant(None)), after="return None")
            case ast.Break():
                put(ast.Continue(), after="continue")
            case ast.Continue():
                put(ast.Break(), after="break")
            case ast.If() | ast.While():
                self._condition(node, place, "if" if isinstance(node, ast.If) else "while")
            case _:
                pass
        if isinstance(node, ast.AugAssign):
            self._operator(node, place)
        self._expressions(node, place)
        for name in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, name, None), list):
                self._block(node, name, place, assigned)
        for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
            self._block(part, "body", place, assigned)

    def _definition(self, node: ast.FunctionDef | ast.ClassDef, place: _Place) -> None:
        own = _Place((*place.names, node.name), place.function, place.lines)
        if isinstance(node, ast.FunctionDef):
            defaults = replace(own, lines=range(node.lineno, (node.end_lineno or node.lineno) + 1))
            for field in ("defaults", "kw_defaults"):
                for index, default in enumerate(getattr(node.args, field)):
                    if default is not None:
                        self._expression(node.args, field, index, default, defaults)
            own = replace(own, function=place.function or ".".join(own.names))
        self._block(node, "body", own, {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)})

    # The walk over expressions

    def _expressions(self, node: ast.AST, place: _Place) -> None:
        for field, value in ast.iter_fields(node):
            if field == "annotation" or (isinstance(node, ast.Match) and field == "cases"):
                continue
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, ast.expr):
                    self._expression(node, field, index, child, place)
                elif isinstance(child, ast.comprehension | ast.arguments) or (
                    isinstance(child, ast.keyword) and child.arg != "strict"
                ):
                    self._expressions(child, place)

    def _expression(self, owner: ast.AST, field: str, index: int | None, node: ast.expr, place: _Place) -> None:
        if isinstance(node, ast.JoinedStr):
            return
        place = replace(place, around=(*place.around, node))

        def put(new: ast.expr) -> None:
            self._note(place, Change(owner, field, index, ast.copy_location(new, node)))

        match node:
            case ast.Constant(value=bool() as value):
                put(ast.Constant(not value))
            case ast.Constant(value=int()) if isinstance(owner, ast.Compare) and any(
                isinstance(operator, ORDERINGS) for operator in owner.ops
            ):
                pass  # moving the boundary is the comparison's own mutant
            case ast.Constant(value=int() as value):
                put(ast.Constant(value + 1))
                if not isinstance(owner, ast.BinOp | ast.AugAssign):  # where another operator moves it the other way
                    put(ast.Constant(value - 1))
            case ast.Compare():
                decides = isinstance(owner, ast.If | ast.While | ast.IfExp) and field == "test"
                for number, operator in enumerate(node.ops):
                    new = COMPARISONS[type(operator)]
                    for one in new if not decides else new[:1] if isinstance(operator, ORDERINGS) else ():
                        self._note(place, Change(node, "ops", number, one()))
            case ast.BinOp():
                self._operator(node, place)
            case ast.BoolOp():
                self._note(place, Change(node, "op", None, ast.Or() if isinstance(node.op, ast.And) else ast.And()))
            case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
                put(operand)
            case ast.IfExp():
                self._condition(node, place, "if")
            case ast.Name(id=name, ctx=ast.Load()) if name in NAMES:
                put(ast.Name(NAMES[name], ast.Load()))
            case ast.Attribute(value=value, attr=name, ctx=ast.Load()) if name in ATTRIBUTES:
                put(ast.Attribute(value, ATTRIBUTES[name], ast.Load()))
            case ast.Call(func=ast.Name(id=name), args=[argument]) if name in DROPPED_CALLS:
                put(argument)
            case ast.Slice():
                for part in ("lower", "upper", "step"):
                    if getattr(node, part) is not None:
                        self._note(place, Change(node, part, None, None))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for generator in node.generators:
                    for number, test in enumerate(generator.ifs):
                        for value in (True, False):
                            change = Change(generator, "ifs", number, ast.copy_location(ast.Constant(value), test))
                            self._note(place, change, (f"for if {ast.unparse(test)}", f"for if {value}"))
            case _:
                pass
        self._expressions(node, place)

    def _operator(self, owner: ast.BinOp | ast.AugAssign, place: _Place) -> None:
        if (new := ARITHMETIC.get(type(owner.op))) is not None:
            self._note(place, Change(owner, "op", None, new()))

    def _condition(self, node: ast.If | ast.While | ast.IfExp, place: _Place, word: str) -> None:
        """Force a condition; one that binds a name is still evaluated. No loop is made endless on purpose."""
        binds = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test))
        for value in (False,) if isinstance(node, ast.While) else (True, False):
            forced: ast.expr = ast.Constant(value)
            if binds:
                forced = ast.BoolOp(ast.Or() if value else ast.And(), [node.test, forced])
            change = Change(node, "test", None, ast.copy_location(forced, node.test))
            self._note(place, change, (f"{word} {ast.unparse(node.test)}", f"{word} {value}"))


def _stored(node: ast.AST) -> Iterator[str]:
    """Yield the names that get a value in a statement."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


# Names


def _texts(node: ast.AST, change: Change) -> tuple[str, str]:
    """Return a node's source before and after a change."""
    before = ast.unparse(node)
    old = change.put(change.new)
    try:
        return before, ast.unparse(node)
    finally:
        change.put(old)


def _sides(around: tuple[ast.expr | ast.stmt, ...], change: Change) -> tuple[str, str]:
    """Return the source before and after a change, with as much of its surroundings as is short."""
    shown = len(around) - 1
    while shown and len(ast.unparse(around[shown - 1])) <= CONTEXT:
        shown -= 1
    if shown and len(ast.unparse(around[shown])) < FRAGMENT:
        shown -= 1
    if around[shown] is not getattr(change.owner, change.field, None):
        before, after = _texts(around[shown], change)
        if before != after:
            return _window(before, after)
        shown = -1
    assert isinstance(change.new, ast.expr)
    return ast.unparse(around[shown]), ast.unparse(change.new)


def _window(before: str, after: str) -> tuple[str, str]:
    """Cut from two texts their common beginning and their common end, but for some characters."""
    if max(len(before), len(after)) <= LONGEST:
        return before, after
    start = _shared(before, after)
    end = min(_shared(before[::-1], after[::-1]), len(before) - start, len(after) - start)
    start, end = max(start - MARGIN, 0), max(end - MARGIN, 0)

    def cut(text: str) -> str:
        return ("..." if start else "") + text[start : len(text) - end] + ("..." if end else "")

    return cut(before), cut(after)


def _shared(one: str, other: str) -> int:
    """Return the number of characters that two texts have in common at the beginning."""
    pairs = zip(one, other, strict=False)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _short(text: str) -> str:
    text = " ".join(text.split())
    half = (LONGEST - 3) // 2
    return text if len(text) <= LONGEST else f"{text[:half]}...{text[-half:]}"


def modules(source: Path, base: Path | None = None) -> list[Module]:
    """Read a file, or the modules of a folder but `__init__`; a name is a path from the base, by default the folder."""
    paths: Iterable[Path] = [source] if source.is_file() else sorted(source.rglob("*.py"))
    folder = source.parent if source.is_file() else source
    return [Module(path, base or folder) for path in paths if path.stem != "__init__"]
