"""Pairs of values that a renaming of all values takes to one another: as likely to be told apart, to the last digit.

A renaming that leaves every matrix as it is changes no ratio. Chains that turn in a circle have as many such as values,
and no number of digits would tell their pairs apart. It is sought by colours: of the pair's two values, then again and
again by how each value stands to the values of each colour. Where at last no two values have one colour, they are put
in the order of their colours; two pairs that come to the same matrices in this order are the same up to names.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from ...reference.correlations import Row
from ...reference.worst_case.sweep import ValuePair
from .doubles import rows_in_doubles

MOST_MATRICES = 4
"""Of more matrices no renaming is sought: it would have to leave them all as they are."""


class Symmetries:
    """The pairs of values of some matrices, up to names."""

    def __init__(self, matrices: Iterable[Sequence[Row]]) -> None:
        """Take the rows of each matrix, n × n."""
        distinct = list({id(rows): rows for rows in matrices}.values())
        self._is_sought = len(distinct) <= MOST_MATRICES
        # In doubles first, which are soon compared: what they tell apart differs.
        for of in (_in_doubles, list) if self._is_sought else ():
            self._ties = _ties([of(rows) for rows in distinct])
            if len(set(self._refined([0] * len(self._ties)))) == len(self._ties):
                self._is_sought = False  # no two values stand alike: only one renaming leaves them as they are
                break
        self._forms: dict[ValuePair, Hashable] = {}
        self._first: dict[Hashable, ValuePair] = {}

    def different(self, pairs: Sequence[ValuePair]) -> Sequence[ValuePair]:
        """Return pairs of which all of these are renamings, always the same one for another. Exact."""
        if not self._is_sought:
            return pairs
        return list(dict.fromkeys(self._first.setdefault(self._form(pair), pair) for pair in pairs))

    def _form(self, pair: ValuePair) -> Hashable:
        """Return what pairs that are the same up to names have in common; the pair itself where none is found."""
        if pair not in self._forms:
            colours = self._refined([pair.index(value) if value in pair else 2 for value in range(len(self._ties))])
            order = sorted(range(len(colours)), key=colours.__getitem__)
            is_one = len(set(colours)) == len(colours)
            self._forms[pair] = tuple(tuple(self._ties[a][b] for b in order) for a in order) if is_one else pair
        return self._forms[pair]

    def _refined(self, colours: list[int]) -> list[int]:
        """Return colours such that no two values of one colour stand differently to those of some colour."""
        while True:
            seen = [
                (colour, tuple(sorted(zip(colours, ties, strict=True))))
                for colour, ties in zip(colours, self._ties, strict=True)
            ]
            ranks = {own: rank for rank, own in enumerate(sorted(set(seen)))}
            if len(ranks) == len(set(colours)):
                return colours
            colours = [ranks[own] for own in seen]


def _in_doubles(rows: Sequence[Row]) -> list[list[float]]:
    found: list[list[float]] = rows_in_doubles(rows).tolist()
    return found


def _ties(matrices: Sequence[Sequence[Sequence[object]]]) -> list[list[int]]:
    """Return a number for each ordered pair of values, equal where the entries of all matrices both ways are."""
    kinds: dict[tuple[object, ...], int] = {}
    n = range(len(matrices[0]) if matrices else 0)
    return [
        [kinds.setdefault(tuple(x for rows in matrices for x in (rows[a][b], rows[b][a])), len(kinds)) for b in n]
        for a in n
    ]
