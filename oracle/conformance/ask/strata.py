"""Numbers that are spread evenly rather than drawn: over any few questions, every part of every dimension is met.

The k-th of a name is the fractional part of a start, drawn from the seed, and k times an irrational number: additive
recurrences of square roots of primes, in integers, so that they are the same on every machine. Of N of them, about N/m
are in any m-th part, and two names are spread over their square alike (Kronecker; Weyl's theorem).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd, isqrt, ldexp
from random import Random
from typing import TypeVar

_BITS = 64
_WHOLE = 1 << _BITS
_STEPS = tuple(isqrt(prime << (2 * _BITS)) % _WHOLE for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37))

Choice = TypeVar("Choice")


@dataclass(slots=True)
class Strata:
    """The sequences of one seed, by name: as many as there are primes above."""

    seed: str
    _starts: dict[str, tuple[int, int]] = field(default_factory=dict)

    def at(self, name: str, k: int) -> int:
        """Return the k-th number of a sequence, of 64 bits."""
        if name not in self._starts:
            step = _STEPS[len(self._starts) % len(_STEPS)]
            self._starts[name] = Random(f"{self.seed} {name}").getrandbits(_BITS), step
        start, step = self._starts[name]
        return (start + k * step) % _WHOLE

    def count(self, name: str, k: int, least: int, most: int) -> int:
        """Return an integer of least … most (least is 1 or more), each doubling of them as likely as the others."""
        first, last = least.bit_length() - 1, most.bit_length() - 1
        place, within = divmod(self.at(name, k) * (last - first + 1), _WHOLE)
        low, high = max(least, 1 << (first + place)), min(most, (2 << (first + place)) - 1)
        return low + (within * (high - low + 1) >> _BITS)

    def double(self, name: str, k: int, least: int, most: int) -> float:
        """Return a double of [2^least, 2^most), each doubling as likely as the others."""
        exponent, within = divmod(self.at(name, k) * (most - least), _WHOLE)
        return ldexp((1 << 52) + (within >> (_BITS - 52)), least + exponent - 52)

    def double_in_turn(self, name: str, k: int, least: int, most: int) -> float:
        """Return a double of [2^least, 2^most): of as many in turn as there are doublings, one is in each."""
        width = most - least
        stride = next(one for one in range(-(-width * 5 // 8), width + 1) if gcd(one, width) == 1)
        start = Random(f"{self.seed} {name} in turn").randrange(width)
        exponent = least + (start + k * stride) % width
        return ldexp((1 << 52) + (self.at(name, k) >> (_BITS - 52)), exponent - 52)

    def one_of(self, name: str, k: int, choices: Sequence[Choice]) -> Choice:
        """Return one of several things, each as often as the others."""
        return choices[self.at(name, k) * len(choices) >> _BITS]
