"""All flags, by name."""

from __future__ import annotations

from . import (
    flags_of_budgets,
    flags_of_data,
    flags_of_levels,
    flags_of_loss,
    flags_of_requests,
    flags_of_rows,
    flags_of_time,
)
from .flag import Flag

GROUPS = (
    flags_of_rows.FLAGS,
    flags_of_levels.FLAGS,
    flags_of_loss.FLAGS,
    flags_of_time.FLAGS,
    flags_of_budgets.FLAGS,
    flags_of_data.FLAGS,
    flags_of_requests.FLAGS,
)


def _by_name() -> dict[str, Flag]:
    found: dict[str, Flag] = {}
    for group in GROUPS:
        for flag in group:
            if flag.name in found:
                raise ValueError(f"two flags are named {flag.name}")
            found[flag.name] = flag
    return found


FLAGS = _by_name()
"""Every flag of the vectors, in the order in which they are explained."""
