"""Hypothesis strategies for temporal privacy leakage: matrices, levels, schedules, boundaries and whole requests.

What is awkward comes up often: zeros, ties, rows that are equal or almost, disjoint supports, levels of every size and
kind. With `dyadic=True`, and `doubles=True` for levels, all numbers are doubles exactly and rows sum to exactly 1, so
that only the arithmetic of an implementation is put to the test and not the rounding of its input. Counterexamples
shrink to few states and simple entries. Arguments are checked when a strategy is made: InvalidArgument.

With this package installed, `hypothesis.strategies.from_type` knows `TransitionMatrix` and `Level`.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from hypothesis.strategies._internal import types

from ..reference import Level, TransitionMatrix
from .boundary import BOUNDARIES, boundary_instances
from .inputs import requests
from .invalid import INVALID_NAMES, invalid_requests
from .level_kinds import LEVEL_KINDS, budgets, levels, schedules
from .matrix_kinds import MATRIX_KINDS, distributions, matrices, row_pairs

__all__ = [
    "BOUNDARIES",
    "INVALID_NAMES",
    "LEVEL_KINDS",
    "MATRIX_KINDS",
    "boundary_instances",
    "budgets",
    "distributions",
    "invalid_requests",
    "levels",
    "matrices",
    "requests",
    "row_pairs",
    "schedules",
]

_MODULE = "tploracle.reference"
_TYPES: dict[type, SearchStrategy[object]] = {TransitionMatrix: matrices(), Level: levels()}


def strategy_of(thing: object) -> SearchStrategy[object] | None:
    """Return what `from_type` is to draw for a type of this package, None for anything else."""
    return _TYPES.get(thing) if isinstance(thing, type) else None


_lookup = getattr(types, "_global_extra_lookup", None)
if isinstance(_lookup, dict):
    _lookup[_MODULE] = strategy_of
else:
    for _type, _strategy in _TYPES.items():
        st.register_type_strategy(_type, _strategy)
