"""Requests under a megabyte that cost what they can: many states, releases or digits, long numbers, near ties."""

import io
import json

from tploracle.contract.entry import InputKind
from tploracle.contract.limits import MOST_DIGITS, MOST_RELEASES, MOST_STATES
from tploracle.contract.operations import OPERATIONS
from tploracle.wire.serve import serve

from .finding import require

LONGEST = 1_000_000
"""Bytes of a request."""

LARGEST = 440
"""States of the largest matrix that can be written in so many."""


_DIGITS = (b"0123456789" * 26)[:256]
"""The digit that a byte stands for."""


def attack(random):
    """Put one request to the oracle, in this process, whose costs are measured from outside. Raises: Finding."""
    text = request(random)
    if len(text) > LONGEST:
        return
    answer = io.BytesIO()
    serve(io.BytesIO(text), answer)
    said = answer.getvalue()[:300]
    require(b'"InternalError"' not in said, said.decode("ascii"), text)


def request(random):
    """Return a request of any operation, as one line."""
    op = random.choice(list(OPERATIONS))
    states = _size(random, 2, LARGEST)
    given = {
        key.name: _given(random, key, states)
        for key in OPERATIONS[op].keys
        if key.required or key.name in OPERATIONS[op].one_of or random.randrange(3)
    }
    for name in OPERATIONS[op].one_of[1:]:
        given.pop(name)
    digits = random.choice((17, _size(random, 1, MOST_DIGITS)))
    return json.dumps({"seq": 1, "op": op, "input": given, "want": {"digits": digits}}).encode() + b"\n"


def _given(random, key, states):
    match key.kind:
        case InputKind.LEVEL:
            return _levels(random, 1)[0]
        case InputKind.LEVELS:
            return _levels(random, _size(random, 1, MOST_RELEASES))
        case InputKind.NUMBER:
            return _number(random, _size(random, 1, LONGEST // 2))
        case InputKind.COUNT:
            return random.choice((1, states, MOST_STATES, _size(random, 1, MOST_RELEASES)))
        case InputKind.TEXT:
            return random.choice(key.choices)
        case InputKind.DISTRIBUTION:
            return _row(random, states, _longest(states))
        case InputKind.SEQUENCES:
            names = [str(random.randrange(states)) for _ in range(_size(random, 2, LONGEST // 8))]
            size = _size(random, 2, len(names))
            return [names[start : start + size] for start in range(0, len(names), size)]
        case _:
            return _matrix(random, states)


def _size(random, least, most):
    """Return a number from least to most: the greatest one, or any order of magnitude as likely as any other."""
    if not random.randrange(4):
        return most
    return min(most, round(least * (most / least) ** random.random()))


def _longest(count):
    """Return how many digits so many numbers may have."""
    return max(1, LONGEST // (2 * count) - 4)


def _integer(random, digits):
    return "7" + random.randbytes(digits - 1).translate(_DIGITS).decode("ascii")


def _number(random, digits):
    """Return a positive number of so many digits, or of so many zeros."""
    own = _integer(random, digits)
    return random.choice(("1/10", f"1/{own}", f"{_integer(random, digits)}/{own}", f"1e-{digits}", f"0.{own}"))


def _levels(random, count):
    """Return levels that are all alike, or all of one kind and different."""
    digits = _size(random, 1, min(20_000, _longest(count)))
    kind = random.randrange(8)

    def level():
        own, other = _integer(random, digits), _integer(random, digits)
        zeros = "0" * digits
        return (
            _number(random, digits),
            f"log(1{own}/1{zeros})",
            f"log(1{zeros}1/1{zeros}0)",
            f"log(1e{digits})",
            f"log((1{own}+sqrt({other}))/{other})",
            f"log(2+sqrt({random.randrange(2, 100)}))",
            str(random.choice((0, 1, 40, 700, 10**6, 10**9, "inf"))),
            f"1/{random.randrange(2, 100)}",
        )[kind]

    return [level()] * count if random.randrange(2) else [level() for _ in range(count)]


def _matrix(random, states):
    """Return a matrix whose rows are of one kind; a third of them have rows of a few values, or nearly equal ones."""
    digits = _size(random, 1, _longest(states * states))
    match random.randrange(4):
        case 0:
            order = random.choice(([*range(1, states), 0], random.sample(range(states), states), range(states)))
            return [[str(int(column == place)) for column in range(states)] for place in order]
        case 1:
            rows = [_row(random, states, digits) for _ in range(random.choice((1, 2, 3)))]
            return [random.choice(rows) for _ in range(states)]
        case 2:
            alike = 10 ** random.choice((0, min(digits, 2_000)))
            return [_over([1 + (column == place) for column in range(states)], alike) for place in range(states)]
        case _:
            return [_row(random, states, digits) for _ in range(states)]


def _over(weights, alike):
    """Return a row of these weights, each added to one that is so much greater."""
    weights = [weight + alike for weight in weights]
    total = sum(weights)
    return [f"{weight}/{total}" for weight in weights]


def _row(random, states, digits):
    """Return a distribution of numbers of so many digits; a few of them, or all, are not zero."""
    digits = min(digits, 4_000)
    some = states if random.randrange(3) else min(states, 2)
    weights = [int(_integer(random, max(1, digits // 2))) for _ in range(some)]
    total = sum(weights)
    row = [f"{weight}/{total}" for weight in weights] + ["0"] * (states - some)
    random.shuffle(row)
    return row
