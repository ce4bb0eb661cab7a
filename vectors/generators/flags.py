"""All flags, by name."""

from __future__ import annotations

from . import flags_of_answers, flags_of_inputs, flags_of_tight
from .read_query import Flag


def _by_name() -> dict[str, Flag]:
    found: dict[str, Flag] = {}
    for flag in (*flags_of_inputs.FLAGS_OF_INPUTS, *flags_of_answers.FLAGS_OF_ANSWERS, *flags_of_tight.FLAGS_OF_TIGHT):
        if flag.name in found:
            raise ValueError(f"two flags are named {flag.name}")
        found[flag.name] = flag
    return found


FLAGS = _by_name()
"""Every flag of the vectors, in the order in which they are explained."""
