"""Where a wrong implementation is wrong: in a range, at a residue, for a structure, after some calls, now and then.

What is known of a request here is read from it alone. Nothing is taken from what draws the questions, neither code nor
numbers: `DIMENSIONS` repeats what docs/conformance.md promises.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from json import dumps
from math import ceil, inf, log2
from random import Random

Request = dict
Matrix = list[list[str]]
Holds = Callable[[Request], bool]

_ZERO = "0x0p+0"

STATES = {
    **dict.fromkeys(("loss", "leakage", "supremum", "composition", "control"), 300),
    **dict.fromkeys(("loss_function", "allocate", "worst_case_leakage"), 129),
    "smooth": 101,
    "reverse": 65,
    "estimate": 65,
    "worst_case_supremum": 65,
    "worst_case_allocate": 65,
    "leakage_profile": 16,
}
RELEASES = {
    "leakage": 1001,
    "composition": 1001,
    "allocate": 1001,
    "worst_case_leakage": 101,
    "worst_case_allocate": 16,
    "leakage_profile": 8,
}
LEVELS = {"worst_case_supremum": (-10, 2), "worst_case_allocate": (-10, 4), "leakage_profile": (-10, 4)}
"""What the standard tier asks of each operation: the most states and releases, and levels from 2^a up to 2^b."""

KNOWN = tuple(op for op in STATES if op in ("leakage", "composition", "allocate") or op in LEVELS or op in RELEASES)
"""The operations with two correlations."""

SHARE = 50
"""A range has at least 1/SHARE of its dimension's doublings."""


KEYS = ("matrix", "backward", "forward")


def matrices(request: Request) -> list[Matrix]:
    """Return each matrix, of a correlation with one for each step all of them."""
    given = [request["input"][key] for key in KEYS if key in request["input"]]
    return [rows for own in given for rows in ([own] if isinstance(own, list) else next(iter(own.values())))]


def states(request: Request) -> float:
    given = request["input"]
    sizes = [len(rows) for rows in matrices(request)]
    if "sequences" in given:
        return len({name for walk in given["sequences"] for name in walk})
    return max(sizes, default=given.get("n", 0))


def releases(request: Request) -> float:
    given = request["input"]
    return len(given["epsilons"]) if "epsilons" in given else given.get("horizon", 0)


def level(request: Request) -> float:
    given = request["input"]
    texts = [given[key] for key in ("alpha", "epsilon", "previous", "s") if key in given] or given.get("epsilons", [])
    return max((float.fromhex(text) for text in texts if text != "inf"), default=0.0)


def start(request: Request) -> float:
    return request["input"].get("start", 0)


def length(request: Request) -> float:
    return request["input"].get("length", 0)


@dataclass(frozen=True)
class Region:
    """kind: of region, for the table; words: what it is; holds: whether a request, the calls-th, is in it.

    dimension: of a range or a residue, and inside: draws a number of that dimension which is in it.
    """

    kind: str
    words: str
    holds: Callable[[Request, int], bool]
    dimension: str = ""
    inside: Callable[[Random], float] | None = None


def draw_region(random: Random, op: str, kind: str) -> Region:
    if kind == "range":
        return _range(random, op)
    if kind == "residue":
        return _residue(random, op)
    if kind == "structure":
        words, holds = random.choice(_structures(op))
        return Region(kind, words, lambda request, _calls: holds(request))
    if kind == "calls":
        calls = random.randrange(50, 1500)
        return Region(kind, f"after {calls} calls", lambda _request, done: done > calls)
    if kind == "one in 500":
        salt = random.randrange(2**32)
        return Region(kind, f"one input in 500 ({salt})", lambda request, _calls: _hash(request, salt) % 500 == 0)
    raise ValueError(kind)


def _hash(request: Request, salt: int) -> int:
    return zlib.crc32(dumps([salt, request["input"]]).encode())


def _measures(op: str) -> list[tuple[str, Callable[[Request], float], float, float]]:
    """Return the dimensions of an operation: name, measure, and the logarithms to base 2 between which they are."""
    found = [("n", states, 1.0, log2(STATES[op]))]
    if op in RELEASES:
        found.append(("T", releases, 1.0, log2(RELEASES[op])))
    if op == "composition":
        found += [("start", start, 0.0, 8.0), ("length", length, 0.0, 8.0)]
    if op not in ("loss_function", "reverse", "estimate"):
        found.append(("level", level, *LEVELS.get(op, (-40.0, 10.0))))
    return found


def _range(random: Random, op: str) -> Region:
    """Draw a range of at least a SHARE-th of a dimension's doublings, and of one count at least."""
    name, measure, low, high = random.choice(_measures(op))
    width = (high - low) / SHARE * random.uniform(1, 5)
    first = random.uniform(low, high - width)
    least, most = 2**first, 2 ** (first + width)
    if name != "level":
        least = int(least)
        most = max(most, least + 1)
    whole = range(int(least), ceil(most))
    return Region(
        "range",
        f"{name} in {least:.4g}..{most:.4g}",
        lambda request, _: least <= measure(request) < most,
        name,
        lambda own: own.uniform(least, most) if name == "level" else own.choice(whole),
    )


def _residue(random: Random, op: str) -> Region:
    name, measure, most = random.choice([(*own[:2], own[3]) for own in _measures(op) if own[0] != "level"])
    modulus = random.randrange(2, 8)
    above = random.randrange(2, max(min(12, round(2**most) - modulus), 3))  # within what is asked
    rest = random.randrange(modulus)
    return Region(
        "residue",
        f"{name} ≡ {rest} mod {modulus}, {name} > {above}",
        lambda request, _: measure(request) > above and measure(request) % modulus == rest,
        name,
        lambda own: own.choice(
            [number for number in range(above + 1, above + 3 * modulus) if number % modulus == rest]
        ),
    )


def _structures(op: str) -> list[tuple[str, Holds]]:
    found: list[tuple[str, Holds]] = []
    if op != "estimate":
        found += [(words, partial(_some_matrix, holds)) for words, holds in MATRIX_STRUCTURES]
    if op in ("leakage", "composition", "worst_case_leakage"):
        found += [(words, partial(_schedule, holds)) for words, holds in SCHEDULE_STRUCTURES]
        found.append(("one correlation alone", lambda request: sum(key in request["input"] for key in KEYS) == 1))
    if op in KNOWN:
        found.append(("a forward correlation of more than four states", partial(_more_than_four, "forward", True)))
    if op in ("allocate", "worst_case_allocate"):
        found.append(("no horizon, more than four states", partial(_more_than_four, "horizon", False)))
    return found or [("more than five states", lambda request: states(request) > 5)]


def _more_than_four(key: str, is_given: bool, request: Request) -> bool:
    return (key in request["input"]) == is_given and states(request) > 4


def _some_matrix(holds: Callable[[Matrix], bool], request: Request) -> bool:
    return any(len(rows) > 2 and holds(rows) for rows in matrices(request))


def _schedule(holds: Callable[[list[float]], bool], request: Request) -> bool:
    budgets = [inf if text == "inf" else float.fromhex(text) for text in request["input"]["epsilons"]]
    return len(budgets) > 2 and holds(budgets)


def columns_sum_to_one(rows: Matrix) -> bool:
    return all(abs(sum(float.fromhex(row[j]) for row in rows) - 1) < 1e-12 for j in range(len(rows)))


def _after(rows: Matrix) -> list[set[int]]:
    """Return the states that can come at some time after each."""
    found = [{k for k, entry in enumerate(row) if entry != _ZERO} for row in rows]
    for middle in range(len(rows)):
        found = [own | found[middle] if middle in own else own for own in found]
    return found


def closed_classes(rows: Matrix) -> set[frozenset[int]]:
    """Return the sets of states that are never left, and that each of their states comes to from each."""
    after = _after(rows)
    return {frozenset(own) for own in after if all(after[k] == own for k in own)}


def leaves_something(rows: Matrix) -> bool:
    after = _after(rows)
    return any(j not in after[k] for j, own in enumerate(after) for k in own)


def turns_beside_transient(rows: Matrix) -> bool:
    """Whether there are transient states, and no state that is not transient stays or comes back in three steps."""
    after = _after(rows)
    closed = [j for j, own in enumerate(after) if all(j in after[k] for k in own)]
    is_odd = any(rows[j][k] != _ZERO and rows[k][j] == _ZERO for j in closed for k in closed)
    return len(closed) < len(rows) and all(rows[j][j] == _ZERO for j in closed) and not is_odd


MATRIX_STRUCTURES: list[tuple[str, Callable[[Matrix], bool]]] = [
    ("a zero entry", lambda rows: any(_ZERO in row for row in rows)),
    ("no zero entry", lambda rows: not any(_ZERO in row for row in rows)),
    ("two rows equal", lambda rows: len({*map(tuple, rows)}) < len(rows)),
    ("at most two rows differ", lambda rows: len({*map(tuple, rows)}) <= 2),
    ("all rows differ", lambda rows: len({*map(tuple, rows)}) == len(rows)),
    ("the diagonal is 0", lambda rows: all(row[j] == _ZERO for j, row in enumerate(rows))),
    ("columns sum to 1", columns_sum_to_one),
    ("several closed classes", lambda rows: len(closed_classes(rows)) > 1),
    ("transient states", leaves_something),
    ("a closed class of states that turn, beside transient ones", turns_beside_transient),
    ("a state that is never left", lambda rows: any(row[j] == "0x1p+0" for j, row in enumerate(rows))),
]

SCHEDULE_STRUCTURES: list[tuple[str, Callable[[list[float]], bool]]] = [
    ("two zeros in a row inside", lambda budgets: any(one == two == 0 for one, two in pairwise(budgets[1:-1]))),
    ("budgets rise", lambda budgets: all(one < two for one, two in pairwise(budgets))),
    ("budgets fall", lambda budgets: all(one > two for one, two in pairwise(budgets))),
    ("two budgets, not one", lambda budgets: len({*budgets}) == 2),
    ("one budget, again and again", lambda budgets: len({*budgets}) == 1),
]
