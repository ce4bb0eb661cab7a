"""Whether a drawn implementation is wrong anywhere: inputs of its region, drawn whatever the standard tier asks.

They have few states. A region of more has the same mistakes: states that are never reached and repeat an inner row
change no answer.
"""

from collections.abc import Sequence
from math import inf
from random import Random

from tploracle.contract.allocation import UPPER_BOUND
from tploracle.contract.entry import InputKey, InputKind
from tploracle.contract.operations import OPERATIONS, PIECE
from tploracle.wire.numerals import hex_text

from .mistakes import Answer, Mistake
from .regions import Region

TRIES = 200
"""Inputs of a region that are tried. A mistake that changes the right answer to none of them is none."""

_STATES = (1, 2, 2, 2, 3, 3, 3, 4, 5, 6)
_PARTS, _INFINITE_IN = 64, 4
_BALANCED = ((32, 32), (32, 16, 8, 4, 2, 2))


def is_wrong_somewhere(random: Random, op: str, region: Region, mistake: Mistake, answer: Answer) -> bool:
    """Whether a mistake changes the right answer to one of TRIES inputs of a region, where that is a value."""
    for _ in range(TRIES):
        before, request = request_of(random, op), request_of(random, op, region)
        right = answer(request)
        if "value" in right:
            told = mistake.applied(request, right, lambda before=before: answer(before), answer)
            if judged_of(op, told) != judged_of(op, right):
                return True
    return False


def judged_of(op: str, answer: dict) -> object:
    """Return an answer without what the oracle alone adds to it, and to the pieces of a loss function."""
    fields = (*OPERATIONS[op].returns, *PIECE)
    return _without(answer.get("value", answer), {field.name for field in fields if field.addition})


def _without(value: object, names: set[str]) -> object:
    if isinstance(value, list):
        return [_without(part, names) for part in value]
    if isinstance(value, dict):
        return {key: _without(part, names) for key, part in value.items() if key not in names}
    return value


def request_of(random: Random, op: str, region: Region | None = None) -> dict:
    """Return a request about an operation; if there is a region of sizes or of a structure, one of it."""
    operation = OPERATIONS[op]
    choices = ("", "backward", "forward") if operation.knows_correlations else operation.one_of or ("",)
    while True:
        drawn, left_out = _Drawn(random, region), random.choice(choices)
        keys = [key for key in operation.keys if not key.addition and key.name != left_out]
        given = {
            key.name: drawn.value(key) for key in keys if drawn.has_horizon or key.name != "horizon" or key.required
        }
        request = {"op": op, "input": given}
        if region is None or region.kind != "structure" or region.holds(request, 0):
            return request


class _Drawn:
    """What a request is about: so many states and releases, a window, and a level, one of them as its region has it."""

    def __init__(self, random: Random, region: Region | None) -> None:
        own = {region.dimension: region.inside(random)} if region is not None and region.inside else {}
        self.random, self.is_of_level = random, "level" in own
        self.n = min(own.get("n", random.choice(_STATES)), max(_STATES))
        shortest = own.get("start", 1) + own.get("length", 1) - 1
        self.releases = own.get("T", shortest + random.randrange(7))
        self.start = own.get("start", random.randint(1, self.releases - own.get("length", 1) + 1))
        self.length = own.get("length", random.randint(1, self.releases - self.start + 1))
        self.level = own.get("level", 2 ** random.uniform(-4, 3))
        self.has_horizon = "T" in own or random.randrange(2) == 0

    def value(self, key: InputKey) -> object:
        """Return what stands under a key, by its kind or its name."""
        random, level = self.random, self.level
        match key.kind:
            case InputKind.MATRIX | InputKind.LOSS:
                return [[hex_text(part / _PARTS) for part in row] for row in self._rows()]
            case InputKind.LEVELS:
                return [hex_text(budget) if budget < inf else "inf" for budget in self._budgets()]
            case InputKind.LEVEL:
                if key.name == "cap":  # the level of a region is that of what comes before
                    level *= random.choice((1, 2, 4))
                is_free = key.name == "cap" or not self.is_of_level
                return "inf" if is_free and random.randrange(_INFINITE_IN) == 0 else hex_text(level)
            case InputKind.NUMBER:
                return hex_text(level if key.name == "s" else min(level, 1.0) / random.choice((4, 64, 1024)))
            case InputKind.COUNT:
                return {"n": self.n, "start": self.start, "length": self.length, "horizon": self.releases}[key.name]
            case InputKind.TEXT:
                return random.choice(key.choices) if self.has_horizon else UPPER_BOUND
            case InputKind.DISTRIBUTION:
                return [hex_text(part / _PARTS) for part in self._row(range(self.n))]
        names = [f"x{number}" for number in range(self.n)]
        return [[*names, *random.choices(names, k=2 * self.n), names[0]]]

    def _row(self, places: Sequence[int]) -> list[int]:
        """Return a row that is positive at these places and sums to _PARTS."""
        row = [0] * self.n
        for place in places:
            row[place] = self.random.randint(1, _PARTS // self.n)
        row[self.random.choice(places)] += _PARTS - sum(row)
        return row

    def _rows(self) -> list[list[int]]:
        """Return rows that are positive everywhere, off the diagonal or at some places, or whose columns sum to 1."""
        random, states, kind = self.random, range(self.n), self.random.randrange(4)
        supports = [states] * self.n
        if kind == 1 and self.n > 1:
            supports = [[place for place in states if place != own] for own in states]
        elif kind == 2:
            most = random.randint(1, self.n)
            supports = [random.sample(states, random.randint(1, most)) for _ in states]
        rows = [self._row(places) for places in supports]
        if kind == 3:
            rows = [[0] * self.n for _ in states]
            for part in random.choice(_BALANCED):
                for row, place in zip(rows, random.sample(states, self.n), strict=True):
                    row[place] += part
        return [random.choice(rows[:2]) for _ in states] if random.randrange(4) == 0 else rows

    def _budgets(self) -> list[float]:
        """Return budgets, the greatest finite one of which is the level; one of several is at times infinite."""
        random, kind = self.random, self.random.randrange(5)
        parts = [random.uniform(0.1, 1) for _ in range(self.releases)]
        if kind == 0:
            parts = [1.0] * self.releases
        elif kind < 3:
            parts.sort(reverse=kind == 2)
        elif kind == 3:
            parts = [random.choice((0.0, 1.0)) for _ in parts]
            parts[random.randrange(self.releases)] = 1.0
        infinite = -1
        if sum(part > 0 for part in parts) > 1 and random.randrange(_INFINITE_IN) == 0:
            own = self.start - 1 + random.randrange(self.length)
            infinite = random.choice((own, *(parts.index(most) for most in (min(parts), max(parts)))))
            parts[infinite] = 0.0
        most = max(parts)
        return [inf if place == infinite else self.level * (part / most) for place, part in enumerate(parts)]
