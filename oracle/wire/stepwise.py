"""A correlation as it is written where each step may have its own matrix: {"steps": […]}, or {"cycle": […]}."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from ..contract.limits import MOST_RELEASES, check_count
from ..reference import InvalidRequest
from ..reference.stepwise import Stepwise
from .strict_json import as_list, shown

STEP_KINDS = STEPS, CYCLE = "steps", "cycle"
"""The keys of such an object: matrices for as many steps, or matrices that repeat."""

Of = TypeVar("Of")


def kind_of_steps(value: object) -> str | None:
    """Return which of STEP_KINDS a decoded value has; None for what is no such object."""
    return next((kind for kind in STEP_KINDS if kind in value), None) if isinstance(value, Mapping) else None


def written_matrices(value: object) -> list[object]:
    """Return what is written for each matrix of a correlation: of a matrix for all steps itself."""
    kind = kind_of_steps(value)
    if kind is None or not isinstance(value, Mapping):
        return [value]
    return list(value[kind]) if isinstance(value[kind], list) else []


def read_correlation(value: object, what: str, read: Callable[[object, str], Of]) -> Of | Stepwise[Of]:
    """Read a correlation: a matrix, or one for each step.

    Args: what, its name for messages; read, one matrix, with its name. Raises: InvalidRequest for another object, or
    nothing to repeat; as `read`.
    """
    if not isinstance(value, Mapping):
        return read(value, what)
    kind = kind_of_steps(value)
    if kind is None or len(value) > 1:
        keys = ", ".join(shown(key) for key in value)
        raise InvalidRequest(
            f"{what}: an object with one of the keys {' or '.join(STEP_KINDS)} is expected, not {keys}"
        )
    listed = as_list(value[kind], f"{what}, {kind}")
    check_count(len(listed), MOST_RELEASES, f"matrices of {what}")
    return Stepwise(
        tuple(read(own, f"{what}, step {number}") for number, own in enumerate(listed, 1)), repeats=kind == CYCLE
    )
