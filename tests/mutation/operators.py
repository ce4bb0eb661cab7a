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

LONGEST = 72
"""Greatest length of one side of a change in a name; longer ones lose their middle."""


@dataclass(frozen=True)
class Mutant:
    """A change of one module: in a field of `owner`, or in an entry of a list there, `new` is put.

    function: the outermost function that holds the change, None where importing the module runs it.
    """

    id: str
    module: str
    function: str | None
    line: int
    owner: ast.AST
    field: str
    index: int | None
    new: ast.AST

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
class _Place:
    """Where the walk is: the names of the enclosing definitions, the outermost function, the enclosing source."""

    names: tuple[str, ...] = ()
    function: str | None = None
    around: tuple[ast.AST, ...] = ()


class Module:
    """The syntax tree of a source file and all its mutants, in the order of the source."""

    def __init__(self, path: Path, base: Path) -> None:
        self.path = path
        self.name = path.relative_to(base).with_suffix("").as_posix()
        self.tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        self._seen = Counter[str]()
        self.mutants: list[Mutant] = []
        self._block(self.tree, "body", _Place(), set())

    def compiled(self, mutant: Mutant) -> CodeType:
        """Compile the module with a mutant's change in it."""
        old = mutant.put(mutant.new)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return compile(ast.fix_missing_locations(self.tree), str(self.path), "exec", dont_inherit=True)
        finally:
            mutant.put(old)

    def texts(self, mutant: Mutant, node: ast.AST | None = None) -> tuple[str, str]:
        """Write the module, or a part of it, from its tree, before and after a mutant's change."""
        before = ast.unparse(node or self.tree)
        old = mutant.put(mutant.new)
        try:
            return before, ast.unparse(node or self.tree)
        finally:
            mutant.put(old)

    def _note(self, owner: ast.AST, field: str, index: int | None, new: ast.AST, place: _Place) -> None:
        """Note a mutant, named by the longest enclosing source that is short."""
        *around, node = place.around
        mutant = Mutant("", self.name, place.function, getattr(node, "lineno", 0), owner, field, index, new)
        sides = ast.unparse(node), ast.unparse(new)
        for part in around:
            if len(ast.unparse(part)) <= LONGEST:
                sides = self.texts(mutant, part)
                break
        before, after = map(_short, sides)
        name = f"{self.name}:{'.'.join(place.names) or '<module>'}: {before} -> {after}"
        self._seen[name] += 1
        number = f" #{self._seen[name]}" if self._seen[name] > 1 else ""
        self.mutants.append(replace(mutant, id=name + number))

    def _block(self, owner: ast.AST, field: str, place: _Place, assigned: set[str]) -> None:
        """Walk over statements, given the names that have a value before them."""
        known = set(assigned)
        for index, node in enumerate(getattr(owner, field)):
            self._statement(owner, field, index, place, known)
            names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
            known |= {name.id for name in names if isinstance(name.ctx, ast.Store)}

    def _statement(self, owner: ast.AST, field: str, index: int, place: _Place, assigned: set[str]) -> None:
        node = getattr(owner, field)[index]
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            self._definition(node, place)
            return
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert | ast.Pass) or _is_text(node):
            return
        has_body = hasattr(node, "body") or hasattr(node, "cases")
        place = replace(place, around=() if has_body else (node,))
        for new in _instead(node, assigned if place.function else set()):
            self._note(owner, field, index, ast.copy_location(new, node), place)
        if isinstance(node, ast.Raise):
            return
        self._expressions(node, place)
        for name in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, name, None), list):
                self._block(node, name, place, assigned)
        for part in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
            self._block(part, "body", place, assigned)

    def _definition(self, node: ast.FunctionDef | ast.ClassDef, place: _Place) -> None:
        own = _Place((*place.names, node.name), place.function)
        if isinstance(node, ast.FunctionDef):
            self._expressions(node.args, own)
            own = replace(own, function=place.function or ".".join(own.names))
        self._block(node, "body", own, {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)})

    def _expressions(self, node: ast.AST, place: _Place) -> None:
        for field, value in ast.iter_fields(node):
            if field == "annotation" or (isinstance(node, ast.Match) and field == "cases"):
                continue
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, ast.expr) and not isinstance(child, ast.JoinedStr):
                    inner = replace(place, around=(*place.around, child))
                    for new in [*_otherwise(child, node, field), *_forced(child, node, field)]:
                        self._note(node, field, index, ast.copy_location(new, child), inner)
                    self._expressions(child, inner)
                elif isinstance(child, ast.comprehension) or (isinstance(child, ast.keyword) and child.arg != "strict"):
                    self._expressions(child, place)


def _instead(node: ast.stmt, assigned: Iterable[str]) -> Iterator[ast.stmt]:
    """Yield what a statement is replaced by; assigned, the names that had a value before it."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            yield from [ast.Pass()] * (name in assigned)
        case ast.Raise() | ast.Expr(ast.Call()) | ast.AugAssign() | ast.Delete():
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield ast.Return(ast.Constant(None))
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
    if isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
        yield ast.AugAssign(node.target, ARITHMETIC[type(node.op)](), node.value)


def _otherwise(node: ast.expr, owner: ast.AST, field: str) -> Iterator[ast.expr]:
    """Yield what an expression is replaced by."""
    match node:
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            if isinstance(owner, ast.Compare) and any(isinstance(operator, ORDERINGS) for operator in owner.ops):
                return  # moving the boundary is the comparison's own mutant
            yield ast.Constant(value + 1)
            if not isinstance(owner, ast.BinOp | ast.AugAssign):  # where another operator moves it the other way
                yield ast.Constant(value - 1)
        case ast.Compare(left, ops, comparators):
            decides = isinstance(owner, ast.If | ast.While | ast.IfExp) and field == "test"
            for number, operator in enumerate(ops):
                new = COMPARISONS[type(operator)]
                for one in new if not decides else new[:1] if isinstance(operator, ORDERINGS) else ():
                    yield ast.Compare(left, [*ops[:number], one(), *ops[number + 1 :]], comparators)
        case ast.BinOp(left, operator, right) if type(operator) in ARITHMETIC:
            yield ast.BinOp(left, ARITHMETIC[type(operator)](), right)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.Name(id=name, ctx=ast.Load()) if name in NAMES:
            yield ast.Name(NAMES[name], ast.Load())
        case ast.Attribute(value=value, attr=name, ctx=ast.Load()) if name in ATTRIBUTES:
            yield ast.Attribute(value, ATTRIBUTES[name], ast.Load())
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in DROPPED_CALLS:
            yield argument
        case ast.Slice(lower, upper, step):
            parts = {"lower": lower, "upper": upper, "step": step}
            yield from (ast.Slice(**{**parts, part: None}) for part, value in parts.items() if value is not None)


def _forced(node: ast.expr, owner: ast.AST, field: str) -> Iterator[ast.expr]:
    """Yield what a condition is forced to; one that binds a name is still evaluated. No loop is made endless."""
    if (isinstance(owner, ast.If | ast.While | ast.IfExp) and field == "test") or field == "ifs":
        binds = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))
        for value in (False,) if isinstance(owner, ast.While) else (True, False):
            forced = ast.Constant(value)
            yield ast.BoolOp(ast.Or() if value else ast.And(), [node, forced]) if binds else forced


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _short(text: str) -> str:
    text = " ".join((text.partition("(")[0] if text.startswith("raise ") else text).split())
    half = (LONGEST - 3) // 2
    return text if len(text) <= LONGEST else f"{text[:half]}...{text[-half:]}"


def modules(source: Path, base: Path | None = None) -> list[Module]:
    """Read a file, or the modules of a folder but `__init__`; a name is a path from the base, by default the folder."""
    paths: Iterable[Path] = [source] if source.is_file() else sorted(source.rglob("*.py"))
    folder = source.parent if source.is_file() else source
    return [Module(path, base or folder) for path in paths if path.stem != "__init__"]
