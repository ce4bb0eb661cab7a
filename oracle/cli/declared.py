"""Commands as classes: each option is declared once, as an attribute, and each refused combination as a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, ClassVar

import click
from click.core import ParameterSource

from ..reference import InvalidRequest

_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "bool": {"is_flag": True},
    "int": {"type": int},
    "int | None": {"type": int},
    "tuple[str, ...]": {"multiple": True},
    "tuple[int, ...]": {"multiple": True, "type": int},
}
"""What an annotation means for an option."""


@dataclass(frozen=True)
class Declared:
    """An option of a command, or its argument: an attribute gets its value.

    names: as on the command line, for an option; by default that of the attribute.
    """

    is_argument: bool
    names: tuple[str, ...]
    settings: Mapping[str, Any]

    def parameter(self, name: str, kind: str) -> click.Parameter:
        """Return the parameter for click. Args: name and kind, those of the attribute."""
        own = name.rpartition(".")[2]
        names = self.names or (f"--{own.replace('_', '-')}",)
        found: click.Parameter
        if self.is_argument:
            found = click.Argument([own], **{"metavar": own.upper(), **self.settings})
        else:
            found = click.Option(names, **{**_SETTINGS.get(kind, {}), **self.settings})
        found.name = name
        return found

    def parameters(self, name: str, kind: str) -> list[click.Parameter]:
        """Return the parameter, as `OptionGroup.parameters`."""
        return [self.parameter(name, kind)]

    def value(self, name: str, given: Mapping[str, object]) -> object:
        """Return the value of the attribute."""
        return given[name]


@dataclass(frozen=True)
class OptionGroup:
    """Options that commands share: an attribute gets what `make`, called with their values by name, makes of them.

    refused: as of `Command`.
    """

    make: Callable[..., object]
    options: Mapping[str, Declared]
    refused: tuple[str, ...] = ()

    def parameters(self, name: str, _kind: str) -> list[click.Parameter]:
        """Return the parameters for click; their values are given by their own name after that of the attribute."""
        kinds = self.make.__annotations__
        return [what.parameter(f"{name}.{own}", kinds[own]) for own, what in self.options.items()]

    def value(self, name: str, given: Mapping[str, object]) -> object:
        """Return the value of the attribute."""
        return self.make(**{own: given[f"{name}.{own}"] for own in self.options})


def option(*names: str, **settings: Any) -> Any:
    """Declare an option. Args: its names, by default that of the attribute; what click's option takes."""
    return Declared(False, names, settings)


def argument(**settings: Any) -> Any:
    """Declare an argument. Args: what click's argument takes."""
    return Declared(True, (), settings)


def group(make: Callable[..., object], refused: tuple[str, ...] = (), /, **options: Declared) -> Any:
    """Declare options that make one attribute. Args: as `OptionGroup`."""
    return OptionGroup(make, options, refused)


class Command:
    """A command: its attributes are its options, its docstring is its help, and `_run` answers.

    refused: combinations of options, each as the error says it: `--a and --b exclude each other`, `--a and --b belong
    together`, `--a excludes --b and --c`, `--a needs --b`, `--a belongs to --b or --c`, `give either --a or --b`; or
    that an option has no answer at all, `--a: why`. More may follow a colon.
    """

    refused: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **attributes: object) -> None:
        vars(self).update(attributes)

    def _run(self) -> None:
        raise NotImplementedError


def command(name: str, kind: type[Command]) -> click.Command:
    """Return the command of a class for click."""
    declared = {own: what for own, what in vars(kind).items() if isinstance(what, Declared | OptionGroup)}
    kinds = kind.__annotations__
    sentences = [*kind.refused]
    sentences += [text for what in declared.values() if isinstance(what, OptionGroup) for text in what.refused]

    def run(**given: object) -> None:
        check_refused(sentences, click.get_current_context())
        kind(**{own: what.value(own, given) for own, what in declared.items()})._run()

    parameters = [each for own, what in declared.items() for each in what.parameters(own, kinds[own])]
    return click.Command(name, callback=run, params=parameters, help=cleandoc(kind.__doc__ or ""))


_NAME = re.compile(r"--?[a-z][a-z0-9-]*|\b[A-Z]{2,}\b")
_VERB = re.compile(r" (exclude each other|belong together|excludes?|needs?|belongs? to)\b")


def check_refused(sentences: Iterable[str], context: click.Context) -> None:
    """Raise InvalidRequest with the first sentence that the options given violate."""
    given: set[str] = set()
    for own in context.command.params:
        if own.name and context.get_parameter_source(own.name) is not ParameterSource.DEFAULT:
            given |= names_of(own)
    for sentence in sentences:
        if is_refused(sentence, given):
            raise InvalidRequest(sentence)


def names_of(parameter: click.Parameter) -> set[str]:
    """Return what sentences call an option or argument."""
    return {*parameter.opts} if isinstance(parameter, click.Option) else {(parameter.metavar or "").strip("[]….")}


def names_in(sentence: str) -> set[str]:
    """Return the options and arguments that a sentence is about."""
    return {*_NAME.findall(sentence.partition(":")[0])}


def is_refused(sentence: str, given: set[str]) -> bool:
    """Return whether options of these names violate a sentence of `Command.refused`."""
    subject, *rest = _VERB.split(sentence.partition(":")[0], maxsplit=1)
    own = names_in(subject) & given
    if not rest:
        return len(own) != 1 if subject.startswith("give ") else bool(own)
    others = names_in(rest[1]) & given
    match rest[0]:
        case "exclude each other":
            return len(own) > 1
        case "belong together":
            return bool(own) and own != names_in(subject)
        case "exclude" | "excludes":
            return bool(own and others)
        case _:
            return bool(own and not others)
