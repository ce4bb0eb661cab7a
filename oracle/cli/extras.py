"""Which optional packages a command needs: said before it does anything, with the extra that brings them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import click

from ..reference import InvalidRequest

Callback = Callable[[click.Context, click.Parameter, Any], Any]


def installed(package: str) -> bool:
    """Return whether an optional package is there. It is looked for, not imported."""
    return find_spec(package) is not None


def need(what: str, extra: str, *packages: str, otherwise: str = "") -> None:
    """Raise InvalidRequest unless all the packages that `what` needs are there.

    Args: extra, which installs them; otherwise, an option that does without.
    """
    for package in packages:
        if not installed(package):
            instead = f", or {otherwise}" if otherwise else ""
            raise InvalidRequest(f"{what} needs {package}: pip install 'tploracle[{extra}]'{instead}")


def option_needs(extra: str, *packages: str) -> Callback:
    """Return the callback of an option that needs these packages where it is given: the first thing a command does."""

    def callback(_context: click.Context, parameter: click.Parameter, value: object) -> object:
        if value is not None:
            need(parameter.opts[-1], extra, *packages)
        return value

    return callback
