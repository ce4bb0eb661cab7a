"""A Python object on the wire: `python -m tploracle.adapter module:object`, or `path/to/file.py:object`.

The object is an instance, a class that is called without arguments, or a module with functions (`module` alone). Its
methods have the names of the contract's operations and take the keys of the input as keyword arguments, of which those
that may be absent need a default. It may have

- `numbers`: "float64" (where it says nothing), "decimal64" or "rational", or several in a tuple;
- `operations`: names; where it says nothing, those of the contract's operations that it has;
- `name` and `version`: texts;
- `domain`: what it is made for, as {"states": 50, "releases": 400, "level": "700"}, each key optional;
- `stepwise`: True where it takes a correlation with a matrix for each step, without which it is asked none.

With "float64" and "decimal64" a matrix is a numpy array, epsilons and an initial distribution are arrays of one
dimension, and a level is a float (inf for "inf"). With "rational" numbers are `Fraction`s in lists, and levels are
`tploracle.reference.Level`s. They are as they were sent: that a matrix is square, stochastic and not negative, and that
a level is not negative, is for the object to see. It then raises an exception with the contract's name of the error, of
`tploracle.reference` or a class of its own of that name. The adapter answers by itself what is not in the contract's
notation, and NotSquare for a matrix that is empty or ragged (see `adapter_values`).

What is returned may be floats, integers, `Fraction`s, `Decimal`s, texts in the contract's notation, `Level`s, a pair of
a lower and an upper end, lists and arrays of these, or the contract's own form with such values in it (see
`adapter_values`). The arguments must stay as they are, and what is returned must not change when the next question is
answered; else the answer is InternalError. A request may have a key "arrays", one of `arrays.LAYOUTS`, for another
layout of its arrays, or for an answer while another thread answers the question before. NotImplementedError means that
the request is skipped. Any other exception is answered as InternalError. What the object prints goes to standard error.

>>> class Mine:
...     version = "1"
...     def loss(self, matrix, alpha):
...         return float(alpha)
>>> Adapter(Mine).declaration()
{'name': 'Mine', 'version': '1', 'operations': ['loss'], 'numbers': ['float64'], 'arrays': True}
>>> identity = [["0x1p+0", "0x0p+0"], ["0x0p+0", "0x1p+0"]]
>>> given = {"matrix": identity, "alpha": "0x1.8p-1"}
>>> Adapter(Mine).answer({"seq": 1, "op": "loss", "numbers": "float64", "input": given})
{'value': '0x1.8000000000000p-1'}
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ..contract.errors import BAD_USAGE, ERRORS, INTERNAL_ERROR, UnknownOperation
from ..contract.operations import OPERATIONS
from ..reference import InvalidRequest
from ..system.signals import status_of
from .adapter_values import arguments, value_of
from .arrays import TWO_THREADS, Turns, changed, copied, laid_out
from .protocol import DOUBLES, FLOAT64, Declaration, NotAnImplementation, declaration_of
from .requests import check_query, query_of
from .serve import converse, shortened
from .strict_json import Object, as_string

UNKNOWN_VERSION = "unknown"

_FILE = ".py"
_USAGE = "Usage: python -m tploracle.adapter MODULE[:OBJECT] | FILE.py[:OBJECT]"


class Adapter:
    """A Python object as what has the answers on the wire.

    Args: implementation, an object, a class or a module, as this module's text says.
    Raises: NotAnImplementation where a class cannot be called, or the object's declaration is none.
    """

    def __init__(self, implementation: object) -> None:
        if isinstance(implementation, type):
            try:
                implementation = implementation()
            except Exception as error:
                raise NotAnImplementation(f"{_name(implementation)}() fails: {_described(error)}") from error
        self._implementation = implementation
        self._declared = _declared(implementation)
        self._turns = Turns()
        self._before: _Answered | None = None

    def declaration(self) -> Object:
        """Return the answer to "start"."""
        said = self._declared
        operations, numbers = list(said.operations), list(said.numbers)
        declared: Object = {"name": said.name, "version": said.version, "operations": operations, "numbers": numbers}
        domain = said.domain.written()
        steps: Object = {"stepwise": True} if said.stepwise else {}
        arrays: Object = {"arrays": True} if {*DOUBLES} & {*numbers} else {}
        return {**declared, **({"domain": domain} if domain else {}), **steps, **arrays}

    def answer(self, request: Object) -> Object:
        """Return the answer to a request, its "seq" aside: "value", "error" or "skipped".

        Raises: UnknownOperation, InvalidRequest, InvalidNumber, InvalidLevel, NotSquare for what the object is not
        asked. Exceptions of the object's are answers.
        """
        layout = request.get("arrays")
        op, given, digits, numbers = query_of({key: part for key, part in request.items() if key != "arrays"})
        check_query(op, given, digits, numbers)
        method = getattr(self._implementation, op, None)
        if op not in self._declared.operations or not callable(method):
            raise UnknownOperation(f"there is no method {op}")
        if numbers not in self._declared.numbers:
            raise InvalidRequest(f"numbers written as {numbers} are not accepted")
        keywords = arguments(op, given, numbers)
        if layout is not None:
            keywords = laid_out(keywords, as_string(layout, "arrays"))
        try:
            return {"value": self._value(_Call(op, method, keywords, digits), layout == TWO_THREADS)}
        except Exception as error:  # noqa: BLE001 - whatever the object does is its answer
            return _refused(error)

    def _value(self, call: _Call, is_beside: bool) -> object:
        """Return the value of an answer. Raises: what the object raises; SideEffect.

        Args: is_beside, whether the call before is made at the same time by another thread.
        """
        kept, before = copied(call.keywords), self._before
        returned = self._turns.run(call.made, before.call.made)[0] if is_beside and before else call.made()
        if changed(call.keywords, kept):
            raise SideEffect("the method changed its arguments")
        if before is not None and value_of(before.call.op, before.returned, before.call.digits) != before.value:
            self._before = None
            raise SideEffect("what it returned for the question before changed while it answered this one")
        value = value_of(call.op, returned, call.digits)
        self._before = _Answered(call, returned, value)
        return value


class SideEffect(Exception):
    """A method changed what is not its own."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of a method of the object."""

    op: str
    method: Callable[..., object]
    keywords: dict[str, object]
    digits: int

    def made(self) -> object:
        """Make the call."""
        return self.method(**self.keywords)


@dataclass(frozen=True, slots=True)
class _Answered:
    """A call, what it returned, and the value of its answer."""

    call: _Call
    returned: object
    value: object


def _refused(error: Exception) -> Object:
    """Return the answer that an exception of the object's stands for."""
    name = next((kind.__name__ for kind in type(error).__mro__ if kind.__name__ in ERRORS), None)
    if name is not None:
        return {"error": {"name": name, "message": shortened(_message(error))}}
    if isinstance(error, NotImplementedError):
        return {"skipped": shortened(_message(error) or "not implemented")}
    traceback.print_exception(error, file=sys.stderr)
    return {"error": {"name": INTERNAL_ERROR, "message": shortened(_described(error))}}


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - the object's own exceptions may do anything
        return ""


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {_message(error)}"


def _declared(implementation: object) -> Declaration:
    """Return what an object says that it can do. Raises: NotAnImplementation."""
    numbers = getattr(implementation, "numbers", FLOAT64)
    operations = getattr(implementation, "operations", None)
    if operations is None:
        operations = [op for op in OPERATIONS if callable(getattr(implementation, op, None))]
        if not operations:
            what = f"{_name(implementation)} has no method of the name of an operation ({', '.join(OPERATIONS)})"
            classes = "; name the class in it, as in FILE.py:CLASS" if isinstance(implementation, ModuleType) else ""
            raise NotAnImplementation(what + classes)
    said: Object = {
        "name": getattr(implementation, "name", _name(implementation)),
        "version": getattr(implementation, "version", UNKNOWN_VERSION),
        "operations": operations,
        "numbers": [numbers] if isinstance(numbers, str) else numbers,
    }
    for key, value in said.items():
        kinds = (list, tuple) if key in ("operations", "numbers") else (str,)
        if not isinstance(value, kinds):
            wanted = " or a ".join(kind.__name__ for kind in kinds)
            raise NotAnImplementation(f"{_name(implementation)}: {key} is a {type(value).__name__}, not a {wanted}")
    if (domain := getattr(implementation, "domain", None)) is not None:
        said["domain"] = domain
    if (steps := getattr(implementation, "stepwise", False)) is not False:
        said["stepwise"] = steps
    return declaration_of(
        {key: list(value) if isinstance(value, list | tuple) else value for key, value in said.items()}
    )


def _name(implementation: object) -> str:
    named = implementation if isinstance(implementation, type | ModuleType) else type(implementation)
    return named.__name__


def load(place: str) -> object:
    """Import the object at "module:object" or "path/to/file.py:object"; without ":object" it is the module itself.

    Modules are also looked for in the current directory, and what a file imports also next to it.
    Raises: NotAnImplementation where it cannot be imported, or is not there.
    """
    source, colon, names = place.rpartition(":")
    if not colon or place.endswith(_FILE):
        source, names = place, ""
    try:
        found: object = _module_of_file(Path(source)) if source.endswith(_FILE) else _module(source)
    except (Exception, SystemExit) as error:
        raise NotAnImplementation(f"{source!r} cannot be imported: {_described(error)}") from error
    for name in names.split(".") if names else ():
        if not hasattr(found, name):
            raise NotAnImplementation(f"{source!r} has no {names}")
        found = getattr(found, name)
    return found


def _module(name: str) -> ModuleType:
    _search(Path.cwd())
    return importlib.import_module(name)


def _module_of_file(path: Path) -> ModuleType:
    _search(path.resolve().parent)
    name = f"tploracle_adapter_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _search(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # last: no file there takes the place of a module of Python's or ours


def adapter_command(place: str) -> list[str]:
    """Return the command that puts the object at this place (see `load`) on the wire, in a process of its own."""
    return [sys.executable, "-P", "-m", "tploracle.adapter", place]


def serve_object(implementation: object) -> None:
    """Be this object on the wire, on standard input and output, until "stop" or the end of the input.

    Whatever else reads standard input finds it empty, and whatever else is printed goes to standard error.
    Raises: NotAnImplementation, as `Adapter`.
    """
    _serve(lambda: implementation)


def _serve(implementation: Callable[[], object]) -> None:
    """Take standard input and output away from everything else, and then bring the object into being and serve it."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a descriptor is needed, not a path
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        converse(Adapter(implementation()), requests, answers)
    except BrokenPipeError:
        with suppress(BrokenPipeError):
            answers.close()


def main() -> None:
    """Put the object that the command line names on the wire. Exit status: 0, or 2 where there is none such."""
    if len(sys.argv) != 2:
        print(_USAGE, file=sys.stderr)
        sys.exit(BAD_USAGE)
    try:
        _serve(lambda: load(sys.argv[1]))
    except NotAnImplementation as error:
        if error.__cause__ is not None:
            traceback.print_exception(error.__cause__, file=sys.stderr)
        print(f"{error.name}: {error}", file=sys.stderr)
        sys.exit(BAD_USAGE)
    except KeyboardInterrupt as interruption:
        sys.exit(status_of(interruption))


if __name__ == "__main__":
    main()
