"""What `import hypothesis` runs of this package, by entry point: it costs next to nothing, and imports nothing more.

Hypothesis asks for strategies of types when `from_type` is called. The types here come with python-flint and numpy, so
they are not imported to be registered; instead Hypothesis is told whom to ask once somebody else has imported
`tploracle.reference`, as it does for numpy itself. That table is no public part of Hypothesis: where it is missing,
`from_type` knows the types as soon as `tploracle.strategies` is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_MODULE = "tploracle.reference"


def setup() -> bool:
    """Tell Hypothesis who knows strategies for the types of `tploracle.reference`. Returns: whether it can be told."""
    from hypothesis.strategies._internal import types

    table = getattr(types, "_global_extra_lookup", None)
    if not isinstance(table, dict):
        return False
    table[_MODULE] = _strategy_of
    return True


def _strategy_of(thing: object) -> SearchStrategy[object] | None:
    """Return the strategy of a type of `tploracle.reference` that has one, None for anything else."""
    module = getattr(thing, "__module__", None)
    if not isinstance(module, str) or not module.startswith(f"{_MODULE}."):
        return None
    from .strategies import strategy_of

    return strategy_of(thing)
