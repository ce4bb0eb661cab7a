"""What evidence must have found for an erratum to stand, and what is written in its code, without looking at any."""

import ast
import inspect
import textwrap

from tploracle.proofs_checks.compared import Compared
from tploracle.proofs_checks.register import Consequence, Nature


def fact_of(erratum):
    """A comparison that shows the nature and the consequence of an erratum."""
    role = "printed" if erratum.nature is Nature.STATEMENT else erratum.nature.value
    unsafe, safe = (erratum.consequence is one for one in (Consequence.UNSAFE, Consequence.SAFE))
    return Compared(role, below=unsafe, above=safe, other=not (unsafe or safe))


def told_of(holder):
    """The formulas of an erratum or a claim, as if all had been computed."""
    return frozenset((holder.id, formula) for formula in holder.formulas)


def written_in(look):
    """Return what a piece of evidence finds, as far as it is written in its code: the parts between values."""
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(look))).body
    for node in ast.walk(function):
        joined = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "append"
        if (joined and isinstance(node.args[0], ast.JoinedStr)) or isinstance(node, ast.Return):
            yield from (part for one in ast.iter_child_nodes(node) for part in _texts(one))


def _texts(node):
    if isinstance(node, ast.Constant):
        yield from [node.value] if isinstance(node.value, str) else ()
    elif isinstance(node, ast.FormattedValue):
        yield from _texts(node.value)
    elif not isinstance(node, ast.Subscript):
        for one in ast.iter_child_nodes(node):
            yield from _texts(one)
