"""What is asked of each user, and the users of one chunk: all that a process needs to answer for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.files import ROLES
from ..data.matrices import counted
from ..data.steps import check_power
from ..models.neighbours import REPLACE, Neighbours
from ..models.paper_bound import PaperBound
from ..models.worst_case import WorstCase
from ..reference import InvalidRequest, Level, TransitionCounts, TransitionMatrix, divided_by_row_sums, parse_level
from ..reference.correlations import power
from ..solvers.batch.enclosures import LARGEST_COUNT_SUM, admitted
from ..solvers.floats import Doubles
from ..wire.strict_json import Object, encode

Mask = NDArray[np.bool_]

FORMAT = 7
"""Of the parts that are written. Parts of another one are of another question."""

BOTH = "both"
MODELS = (PaperBound.name, WorstCase.name, BOTH)
"""Which models a question may ask for: the exact worst case of a million users takes a day, so not both unless told."""


@dataclass(frozen=True, slots=True)
class PopulationQuestion:
    """What is asked: levels in the contract's notation, so that a question is a text and travels between processes.

    epsilons: the budgets of releases, whose worst BPL, FPL and TPL are asked for, perhaps none; epsilon: a budget at
    every time, for the suprema; alpha: a level, for the greatest budget that keeps it; smoothing: added to each count;
    model: one of MODELS. The exact worst case is asked for the worst TPL over the releases, and nothing else.
    neighbours: what each budget is for, of those that are asked for and those that are found; every: steps of the chain
    from one release to the next.
    """

    epsilons: tuple[str, ...] = ()
    epsilon: str | None = None
    alpha: str | None = None
    smoothing: Fraction = Fraction(0)
    model: str = PaperBound.name
    neighbours: str = REPLACE
    every: int = 1

    @property
    def converted(self) -> Neighbours:
        """How budgets are converted."""
        return Neighbours(self.neighbours)

    @property
    def by_worst_case(self) -> bool:
        """Whether the exact worst case is asked for."""
        return self.model != PaperBound.name

    @property
    def by_paper_bound(self) -> bool:
        """Whether the paper's bound is asked for."""
        return self.model != WorstCase.name

    def levels(self) -> list[Level]:
        """Return the budgets of the releases, under replacement; equal ones are one object."""
        known = {text: self.converted.read([parse_level(text)])[0] for text in set(self.epsilons)}
        return [known[text] for text in self.epsilons]

    def level(self) -> Level:
        """Return the budget at every time, under replacement."""
        assert self.epsilon is not None
        return self.converted.read([parse_level(self.epsilon)])[0]

    def asked(self) -> Object:
        """Return the levels that are asked about, by the options that give them: what the answers are of."""
        alike = len(set(self.epsilons)) == 1
        budgets: Object = {"epsilon": self.epsilons[0] if alike else self.epsilon, "steps": len(self.epsilons)}
        if self.epsilons and not alike:
            budgets = {"epsilons": [*self.epsilons]}
        return {key: level for key, level in {**budgets, "alpha": self.alpha}.items() if level}

    def text(self) -> str:
        """Return all of it as one line of JSON: two questions are one where these are equal."""
        return encode({**asdict(self), "smoothing": str(self.smoothing), "format": FORMAT})


@dataclass(frozen=True)
class UserChunk:
    """Some users, with their counts or with their matrices, of one size: exactly what was read of them.

    counts: shape (users, n, n), [u, j, k] times that state k followed state j; or backward and forward, doubles of the
    same shape, each perhaps None, whose rows are divided by their exact sums. size: by how much progress goes on.
    """

    users: Sequence[str]
    counts: NDArray[np.int64] | None = None
    backward: Doubles | None = None
    forward: Doubles | None = None
    size: int = 0

    @property
    def balanced(self) -> int:
        """Number of users with counts in which each state is left as often as it is entered.

        The rows of such counts, both ways, are P^F and P^B of one stationary chain; of others they are not.
        """
        if self.counts is None:
            return 0
        return int((self.counts.sum(axis=2) == self.counts.sum(axis=1)).all(axis=1).sum())

    @property
    def transitions(self) -> int:
        """Number of transitions counted; the sum of one row is below 2^63, that of all users may not be."""
        if self.counts is None:
            return 0
        rows = self.counts.sum(axis=2)
        return (int((rows >> 32).sum()) << 32) + int((rows & 0xFFFFFFFF).sum())

    def chunks(self, _users: int, _broken: object) -> Iterator[UserChunk]:
        """Yield it: as a slice of a table yields its chunks."""
        yield self

    def count(self, _users: int) -> int:
        """Return how many chunks it is."""
        return 1

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is known of the users, contiguous: counts, or matrices by role."""
        parts = zip(("counts", *ROLES), (self.counts, self.backward, self.forward), strict=True)
        return {name: np.ascontiguousarray(part) for name, part in parts if part is not None}

    def alone(self, index: int) -> UserChunk:
        """Return the chunk of one of them."""
        own = slice(index, index + 1)
        arrays: dict[str, Any] = {name: part[own] for name, part in self.arrays.items()}
        return UserChunk(self.users[own], **arrays)

    def digest(self, question: PopulationQuestion) -> str:
        """Return the key of the answer for these users to this question."""
        told = sha256(encode({"question": question.text(), "users": list(self.users)}).encode())
        for name, part in self.arrays.items():
            told.update(f"{name} {part.shape}".encode())
            told.update(part.data)
        return told.hexdigest()

    def kinds(self, question: PopulationQuestion) -> tuple[list[bytes], NDArray[np.int64], NDArray[np.int64]]:
        """Return the kinds of users, the first user of each, and for each user the index of the kind.

        Users with equal arrays are of one kind, in other chunks too: the key is a digest of arrays and question.
        """
        arrays = self.arrays
        n = next(part.shape[1] for part in arrays.values())
        asked = sha256(encode({"question": question.text(), "arrays": [*arrays], "n": n}).encode())
        kinds: dict[bytes, int] = {}
        first: list[int] = []
        of_user: list[int] = []
        short, is_long = arrays, [False] * len(self.users)
        if self.counts is not None:  # two bytes a count take a quarter of the time
            short = {"counts": self.counts.astype(np.uint16)}
            is_long = (self.counts.reshape(len(self.users), -1).max(axis=1) >= 1 << 16).tolist()
        for user in range(len(self.users)):
            told = asked.copy()
            for part in (arrays if is_long[user] else short).values():
                told.update(part[user].data)
            kind = kinds.setdefault(told.digest(), len(kinds))
            if kind == len(first):
                first.append(user)
            of_user.append(kind)
        return [*kinds], np.array(first, dtype=np.int64), np.array(of_user, dtype=np.int64)

    def weights(
        self, smoothing: Fraction, chosen: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Mask]:
        """Return whole numbers in the ratios of some users' backward and forward rows, and for whom the kernel is.

        It is not for matrices, for counts that are too large, and for users who visit a state that nothing follows, or
        that follows nothing: these are for exact methods.
        """
        if self.counts is None:
            return (none := np.ones((len(chosen), 1, 1), dtype=np.int64)), none, np.zeros(len(chosen), dtype=bool)
        counts = self.counts[chosen]
        most = counts.reshape(len(counts), -1).max(axis=1, initial=0)
        large: Mask = most > (int(LARGEST_COUNT_SUM) - smoothing.numerator) // smoothing.denominator
        if large.any():
            counts[large] = 0
        counts *= smoothing.denominator
        counts += smoothing.numerator
        usable = ~large & (most > 0) & admitted(counts) & admitted(counts.transpose(0, 2, 1))
        if smoothing:  # everybody has all values
            return counts.transpose(0, 2, 1), counts, usable
        forward, backward = (_of_visited(rows) for rows in (counts, counts.transpose(0, 2, 1)))
        for rows in (forward, backward):
            usable &= (rows.max(axis=2) > 0).all(axis=1)
        return backward, forward, usable

    def matrices(self, smoothing: Fraction, index: int, every: int = 1) -> dict[str, TransitionMatrix]:
        """Return one user's exact matrices by role, one for each step. Raises: UnreachableState; NotStochastic."""
        known = self._of_a_step(smoothing, index)
        if every == 1:
            return known
        for matrix in known.values():
            check_power(matrix, every)
        return {role: power(matrix, every) for role, matrix in known.items()}

    def _of_a_step(self, smoothing: Fraction, index: int) -> dict[str, TransitionMatrix]:
        if self.counts is not None:
            own = self.counts[index]
            sides = (own, own.T) if smoothing else (_of_visited(rows[None])[0] for rows in (own, own.T))
            forward, following = (counted([tuple(map(Fraction, row)) for row in rows.tolist()]) for rows in sides)
            followed = tuple(zip(*following.transitions, strict=True))
            return {
                "backward": TransitionCounts(following.states, followed, following.first).backward(smoothing),
                "forward": forward.forward(smoothing),
            }
        return {
            role: divided_by_row_sums([tuple(map(Fraction, row)) for row in part[index].tolist()])[0]
            for role, part in self.arrays.items()
        }


def _of_visited(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return counts of users in which the row of a state that a user never visits is the first that is not empty.

    What cannot occur is not among the values of a user. Such a state has no column either, and a row that is there
    twice changes no loss: so the matrices leak what those of the visited states alone do.
    Args: counts, shape (users, n, n), row by row what followed a state, or what it followed.
    """
    rows: Mask = np.any(counts > 0, axis=2)
    columns: Mask = np.any(counts > 0, axis=1)
    unvisited = ~rows & ~columns & np.any(rows, axis=1)[:, None]
    if not unvisited.any():
        return np.ascontiguousarray(counts)
    first = counts[np.arange(len(counts)), rows.argmax(axis=1)]
    return np.where(unvisited[:, :, None], first[:, None, :], counts)


def check_known(question: PopulationQuestion) -> None:
    """Raise InvalidRequest for a question that asks nothing, or InvalidLevel and InvalidNumber for its levels."""
    levels = [*question.levels(), *(parse_level(text) for text in (question.epsilon, question.alpha) if text)]
    if not levels:
        raise InvalidRequest("nothing is asked: give --epsilon and --steps, --epsilons, or --alpha")
    if any(level.is_infinite for level in levels):
        raise InvalidRequest("budgets and --alpha must be finite")
    if question.alpha and parse_level(question.alpha).is_zero:
        raise InvalidRequest("a level of 0 leaves no budget")
    if question.epsilon and parse_level(question.epsilon).is_zero:
        raise InvalidRequest("--epsilon: a budget of 0 releases nothing")
    if question.smoothing < 0:
        raise InvalidRequest("smoothing is at least 0")
    if question.by_worst_case and not question.epsilons:
        raise InvalidRequest(f"--model {question.model} needs releases: give --epsilon and --steps, or --epsilons")
    if question.alpha and not question.by_paper_bound:
        raise InvalidRequest(f"--alpha needs the paper's bound: use --model {BOTH}, or {PaperBound.name}")
