"""Which pairs of values may have the greatest ratio over an infinite horizon, as far as doubles tell."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...reference.correlations import Row
from ...reference.levels import Level
from ...reference.worst_case.sweep import ValuePair
from ..floats import Doubles
from .contest import product, targets
from .guess import GUESSED, Indices, Mask, PairBounds, ReleasesInDoubles

LONGEST_ENDLESS = 1 << 12
"""Releases after which a sweep that has not come to an end is given up: more tell more pairs apart near ∞."""

LIMIT_ROUNDS = 40
"""Rounds of sweeps before the pairs that are left are decided in balls."""


class PairLimits:
    """Bounds of the supremum over all horizons of B − 1, as far as doubles tell: arrays over (side, phase, pair)."""

    def __init__(self, sides: Sequence[Sequence[Sequence[Sequence[Row]]]], budget: Level, pairs: Indices) -> None:
        """Take for each side and phase the matrices that recur, the nearest first; the one budget; pairs as rows."""
        self.pairs, self._n = pairs, len(sides[0][0][0])
        self._tables: list[PairBounds] = []
        for phases in sides:
            turns = LONGEST_ENDLESS // len(phases)
            length = turns * len(phases)
            sequences = [ReleasesInDoubles.of([*cycle] * turns, [budget] * length) for cycle in phases]
            ends = [[length]] * len(phases)
            self._tables.append(PairBounds(sequences, ends, pairs, period=len(phases), is_endless=True))
        for turn in range(LIMIT_ROUNDS):
            is_open = self._may_rule()
            if np.count_nonzero(is_open) == 1:
                break
            phase, pair = np.nonzero(is_open & (product(*self.up) > product(*self.low) * (1 + GUESSED)))
            if not len(phase):
                break
            tried = targets(self.low[:, phase, pair], self.up[:, phase, pair], product(*self.low).max(), turn)
            for table, own in zip(self._tables, tried, strict=False):
                table.try_all(phase, pair, own)

    @property
    def low(self) -> Doubles:
        """The lower bounds, of the first side and of the second one, which are 0 where there is none."""
        found = [table.low[:, :, 0] for table in self._tables]
        return np.array([*found, *[np.zeros_like(found[0])] * (2 - len(found))])

    @property
    def up(self) -> Doubles:
        """The upper bounds, ∞ where none was found."""
        found = [table.up[:, :, 0] for table in self._tables]
        return np.array([*found, *[np.zeros_like(found[0])] * (2 - len(found))])

    def _may_rule(self) -> Mask:
        found: Mask = product(*self.up) * (1 + GUESSED) >= product(*self.low).max()
        return found

    def left(self) -> dict[ValuePair, tuple[Fraction, ...]]:
        """Return the pairs that may rule, of values phase·n + j, each with about what its ratios are on the sides."""
        low, n = self.low[: len(self._tables)] * (1 - GUESSED), self._n
        return {
            (int(phase * n + self.pairs[pair, 0]), int(phase * n + self.pairs[pair, 1])): tuple(
                1 + Fraction(float(own)) for own in low[:, phase, pair]
            )
            for phase, pair in zip(*np.nonzero(self._may_rule()), strict=True)
        }
