"""Why answers are not checked from above, where they are not: kept until the next question."""

from __future__ import annotations

from collections.abc import Callable

from .reference.errors import Unchecked

FROM_ABOVE = "from above"

_REASONS: dict[str, None] = {}


def unchecked() -> tuple[str, ...]:
    """Return why answers since the last `forget` are not checked; nothing where all of them are."""
    return tuple(_REASONS)


def forget() -> None:
    """Begin anew: what is asked next is reported by itself."""
    _REASONS.clear()


def not_checked(reason: str) -> None:
    """Keep why an answer leaves without a check."""
    _REASONS[reason] = None


def prove(check: Callable[[], None]) -> None:
    """Run a check. What it neither proves nor refutes is kept by its reason. Raises: Refuted."""
    try:
        check()
    except Unchecked as error:
        not_checked(str(error))
