"""Which optional packages an option needs: said before a command does anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..contract.extras import need

Callback = Callable[[click.Context, click.Parameter, Any], Any]


def option_needs(extra: str, *packages: str) -> Callback:
    """Return the callback of an option that needs these packages where it is given: the first thing a command does."""

    def callback(_context: click.Context, parameter: click.Parameter, value: object) -> object:
        if value is not None:
            need(parameter.opts[-1], extra, *packages)
        return value

    return callback
