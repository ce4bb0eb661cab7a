"""Cases across the sizes that the contract admits: few, drawn from the seed, with truths that are cheap.

The sizes about double from one to the next, with those beside the powers of two and beside round numbers where limits
of other people's code are. A large matrix has the loss function of a small one (`sizes_inputs`), which the judge puts
to the oracle in its place; long streams are of few states, and their leakage grows all along.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from random import Random

from ...contract.allocation import ALLOCATION_METHODS
from ...contract.limits import MOST_RELEASES
from ...contract.operations import OPERATIONS
from ...wire.numerals import hex_text
from ...wire.protocol import FLOAT64, Domain
from ...wire.strict_json import Object
from ..model import TIERS, Case
from .seeded_inputs import DoubleNotation, Weights, banded, row_of, varied
from .sizes_inputs import SMALL_BITS, TOTAL, Enlarged, enlarged, split

SIZES = "sizes"
"""The source of these cases."""

STATES = {
    "smoke": (60,),
    "standard": (25, 50, 51, 64, 65, 100, 101, 128, 129, 200, 256, 257, 300),
    "full": (400, 512, 513, 700, 1_000),
}
RELEASES = {
    "smoke": (130,),
    "standard": (25, 50, 51, 64, 65, 100, 101, 127, 128, 129, 200, 255, 256, 257, 500, 1_000, 1_001),
    "full": (2_000, 5_000, 9_999, 10_000),
}
"""The sizes that each tier adds."""

MOST_DENSE = 700
"""States of the largest matrix without zeros: a larger one, written out, is no line of the wire."""

MOST_PAIRED = 129
"""States of the largest two matrices that are asked about together."""

_DOUBLES = DoubleNotation()
_SMALL_STATES = 6
_FEW_RELEASES = 3
_MANY_RELEASES = 2_000
_INITIAL_TOTAL = _PROBABILITIES_TOTAL = 2**16


@dataclass(frozen=True, slots=True)
class _Asked:
    """How an operation is asked about large matrices.

    roles: of its matrices; rest: what the input has besides, from the number of states. most: states in the standard
    tier and in full. probabilities: whether its value is of the size of the matrix, so that no small one has the same.
    over_time: whether its value is of the chain, and not of its loss function alone.
    """

    roles: tuple[str, ...]
    rest: Callable[[Random, int], Object]
    most: tuple[int, int] = (300, 1_000)
    probabilities: bool = False
    over_time: bool = False


def _moderate(random: Random) -> str:
    return hex_text(random.randrange(64, 1025) / 512)


def _stream(random: Random, _n: int) -> Object:
    return {"epsilons": [_moderate(random) for _ in range(_FEW_RELEASES)]}


def _budgets(random: Random, _n: int) -> Object:
    return {"alpha": _moderate(random), "method": random.choice(ALLOCATION_METHODS), "horizon": _FEW_RELEASES}


def _control(random: Random, _n: int) -> Object:
    previous = _moderate(random)
    return {"previous": previous, "cap": _DOUBLES.doubled(previous)}


def _uneven(random: Random, n: int) -> Object:
    weights = [random.randrange(1, 100) for _ in range(n)]
    return {"initial": [_DOUBLES.entry(part, _INITIAL_TOTAL) for part in row_of(weights, _INITIAL_TOTAL)]}


ABOUT_STATES: dict[str, _Asked] = {
    "loss": _Asked(("matrix",), lambda random, _: {"alpha": _moderate(random)}),
    "loss_function": _Asked(("matrix",), lambda _random, _n: {}, (129, 300)),
    "leakage": _Asked(("backward", "forward"), _stream),
    "supremum": _Asked(("matrix",), lambda random, _: {"epsilon": _moderate(random)}),
    "composition": _Asked(
        ("backward", "forward"), lambda random, n: {**_stream(random, n), "start": 2, "length": random.randrange(1, 3)}
    ),
    "allocate": _Asked(("backward", "forward"), _budgets, (129, 300)),
    "control": _Asked(("matrix",), _control),
    "tight_leakage": _Asked(("backward", "forward"), _stream, (129, 300), over_time=True),
    "tight_supremum": _Asked(
        ("backward",), lambda random, _: {"epsilon": _moderate(random)}, (65, 129), over_time=True
    ),
    "tight_allocate": _Asked(
        ("backward", "forward"),
        lambda random, _: {"alpha": _moderate(random), "horizon": _FEW_RELEASES},
        (65, 129),
        over_time=True,
    ),
    "smooth": _Asked(("matrix",), lambda random, _: {"s": _moderate(random)}, (101, 300), probabilities=True),
    "reverse": _Asked(("forward",), _uneven, (65, 129), probabilities=True),
}
"""The operations that are asked about large matrices."""


def sizes_cases(
    seed: int, tier: str, domain: Domain | None = None, operations: Collection[str] = OPERATIONS
) -> Iterator[Case]:
    """Yield the cases of a tier and of those before it, the smaller inputs first; the same for the same seed.

    Args: domain, of the implementation, whose own limits are among the sizes as well. The cases are not kept within it;
    operations, those that are asked about.
    """
    domain = domain or Domain()
    for n, first in _sizes(STATES, tier, domain.states):
        for op, asked in ABOUT_STATES.items():
            if op in operations and _is_asked(asked, n, tier):
                yield from _about_states(seed, op, asked, n, first)
    for steps, first in _sizes(RELEASES, tier, domain.releases):
        yield from (case for case in _about_releases(seed, steps, first) if case.op in operations)


def _sizes(sizes: dict[str, tuple[int, ...]], tier: str, own: int | None) -> list[tuple[int, str]]:
    """Return the sizes of a tier, each with the first tier that has it."""
    tiers = TIERS[: TIERS.index(tier) + 1]
    found = {size: name for name in reversed(tiers) for size in sizes[name]}
    if own is not None and own <= max(found):
        found.setdefault(own, tier)
    return sorted(found.items())


def _is_asked(asked: _Asked, n: int, tier: str) -> bool:
    standard, full = asked.most
    return n <= (full if tier == TIERS[-1] else standard)


def _about_states(seed: int, op: str, asked: _Asked, n: int, first: str) -> Iterator[Case]:
    """Yield what is asked of an operation about n states: dense, sparse or, about a loss, both."""
    tier = TIERS[-1] if n > asked.most[0] else first
    place = list(ABOUT_STATES).index(op)
    for kind in ("dense", "sparse"):
        chosen = "sparse" if n > MOST_DENSE or (n + place) % 2 else "dense"
        if (op == "loss" and n <= MOST_DENSE) or kind == chosen:
            random = Random(f"tploracle sizes {seed} {op} {n} {kind}")
            given, equivalent = _large_input(random, asked, n, kind == "dense")
            yield Case(
                f"{op}-sizes-{seed}-{n}-states-{kind}",
                op,
                FLOAT64,
                given,
                tier=tier,
                source=SIZES,
                title=f"n = {n}, {kind}.",
                equivalent=equivalent,
            )


def _large_input(random: Random, asked: _Asked, n: int, dense: bool) -> tuple[Object, Object | None]:
    """Return an input, and a smaller one of the same value."""
    rest = asked.rest(random, n)
    roles = asked.roles if n <= MOST_PAIRED else (random.choice(asked.roles),)
    if asked.probabilities:
        rows = (varied if dense else banded)(random, n, _PROBABILITIES_TOTAL)
        return {**{role: _written(rows, _PROBABILITIES_TOTAL) for role in roles}, **rest}, None
    k = min(_SMALL_STATES, n)
    if asked.over_time:
        smalls = [varied(random, k, 2**SMALL_BITS) for _ in roles]
        return _inputs(dict(zip(roles, split(random, smalls, n, dense), strict=True)), rest)
    made = {role: enlarged(random, varied(random, k, 2**SMALL_BITS), n, dense) for role in roles}
    return _inputs(made, rest)


def _inputs(made: dict[str, Enlarged], rest: Object) -> tuple[Object, Object]:
    return (
        {**{role: _written(one.large, TOTAL) for role, one in made.items()}, **rest},
        {**{role: _written(one.small, 2**SMALL_BITS) for role, one in made.items()}, **rest},
    )


def _written(rows: list[Weights], total: int) -> list[list[str]]:
    return [[_hex_text(part / total) if part else "0x0p+0" for part in row] for row in rows]


def _hex_text(value: float) -> str:
    """Write a double as `hex_text` does, quickly, for there are many: one that is not 0 nor subnormal."""
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}"


def _about_releases(seed: int, steps: int, first: str) -> Iterator[Case]:
    """Yield what is asked about a stream of so many releases."""
    for name, op, rest, most in _STREAMS:
        if steps > most:
            continue
        random = Random(f"tploracle sizes {seed} {name} {steps}")
        n = random.randrange(2, 7)
        roles = ("backward", "forward")
        if op in ABOUT_STATES and ABOUT_STATES[op].over_time:
            made = dict(zip(roles, split(random, [_nearly_certain(random) for _ in roles], n, True), strict=True))
        else:
            made = {role: enlarged(random, _nearly_certain(random), n, True) for role in roles}
        given, equivalent = _inputs(made, rest(random, steps))
        yield Case(
            f"{op}-sizes-{seed}-{steps}-releases{name}",
            op,
            FLOAT64,
            given,
            tier=first,
            source=SIZES,
            title=f"T = {steps}, n = {n}.",
            equivalent=equivalent,
        )


def _nearly_certain(random: Random) -> list[Weights]:
    """Return rows under which leakage grows at every release: q·e^ε > 1 and d = 0 for each budget of `_small`."""
    total, lost = 2**SMALL_BITS, 2 ** random.randrange(1, 5)
    return [[total - lost, lost], [0, total]]


def _small(random: Random, steps: int) -> str:
    """Return a budget whose sum over all releases stays below 700, where e^α is a double still."""
    least, most = (32, 65) if steps >= _MANY_RELEASES else (64, 257)
    return hex_text(random.randrange(least, most) / 1024)


def _long(random: Random, steps: int) -> Object:
    same = random.randrange(2)
    first = _small(random, steps)
    return {"epsilons": [first if same else _small(random, steps) for _ in range(steps)]}


def _window(start: int, length: int) -> Object:
    return {"start": start, "length": length}


def _schedule(random: Random, steps: int) -> Object:
    return {"alpha": _moderate(random), "method": random.choice(ALLOCATION_METHODS), "horizon": steps}


_STREAMS: tuple[tuple[str, str, Callable[[Random, int], Object], int], ...] = (
    ("", "leakage", _long, MOST_RELEASES),
    ("-late", "composition", lambda random, steps: {**_long(random, steps), **_window(steps - 1, 2)}, MOST_RELEASES),
    (
        "-whole",
        "composition",
        lambda random, steps: _long(random, steps) | {"start": 1, "length": steps},
        MOST_RELEASES,
    ),
    ("", "allocate", _schedule, MOST_RELEASES),
    ("", "tight_leakage", _long, 101),
)
"""What is asked about long streams: the end of the id, the operation, the input from the number of releases, and up to
how many it is asked: what the oracle takes for the exact worst case grows with their square."""

SIZED_OPERATIONS = (*ABOUT_STATES, *(op for _, op, *_ in _STREAMS if op not in ABOUT_STATES))
"""The operations that any of these cases are about."""
