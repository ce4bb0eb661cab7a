"""What a flag is: the bug that its cases catch, what that does to a user, and the fact that each of them must show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .asked import Asked

Fact = Callable[[Asked], bool]


@dataclass(frozen=True, slots=True)
class Flag:
    """A kind of case.

    name: in CamelCase; bug: what an implementation does wrong that such a case catches; effect: what that does to the
    one who uses it; holds: the fact, decided from the question alone, without which a case has not the flag.
    """

    name: str
    bug: str
    effect: str
    holds: Fact = field(compare=False)
