"""Files of laws beyond a chain of first order, as `estimate --order 2` and `estimate --histories` write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from ..contract.extras import need
from ..contract.limits import MOST_STATES, check_count, too_large
from ..models.basis import Basis
from ..models.chain import NOT_ASKED
from ..reference import InvalidRequest, TransitionCounts
from ..reference.decimals import fraction_to_text
from ..reference.laws import Histories, SecondOrder, second_order
from ..wire.numerals import Reader
from ..wire.strict_json import Object, as_integer, as_list, as_object, as_string, check_keys, decode
from .files import Files, named
from .fit import Observations
from .steps import Duration

SECOND = 2
"""The order of a chain of second order: that of its law, in its file."""

MOST_PAIR_STATES = 12
"""Values of a chain of second order: a bound carries about n^4 numbers for each pair of them."""

MOST_HISTORIES = 2048
"""Sequences of values, n^T: the variables of a linear program for each pair of values at each time."""

MOST_LAW_RELEASES = 200
"""Releases on a chain of second order: each time is bounded by itself, in time in proportion to their square."""

MOST_IN_LAW = 10**15
"""Greatest count: with greater ones some probabilities would be no doubles."""


@dataclass(frozen=True, slots=True)
class LawFile:
    """A law, and what is known of it. users: those whose histories are in it, and those who are left out."""

    law: SecondOrder | Histories
    states: tuple[str, ...]
    transitions: int
    users: tuple[int, int]
    smoothing: Fraction
    step: Duration | None

    def check(self, releases: int | None) -> int:
        """Return a number of releases on the law, where None is given that of its histories. Raises: InvalidRequest."""
        known = None if isinstance(self.law, SecondOrder) else self.law.releases
        horizon = known if releases is None else releases
        if horizon is None or horizon < 1:
            raise InvalidRequest("--law needs --steps, at least 1: nothing is known over an infinite horizon")
        if known is None:
            check_count(horizon, MOST_LAW_RELEASES, "releases on a chain of second order")
            return horizon
        need("a law of histories", "solvers", "highspy")
        if horizon != known:
            raise InvalidRequest(
                f"histories of {known} values, but {horizon} releases: estimate --histories --steps {horizon}"
            )
        return horizon

    @property
    def whose(self) -> str:
        """What the law is, in words."""
        return "a chain of second order" if isinstance(self.law, SecondOrder) else "the histories observed"

    def warning(self) -> str:
        """Say where what was added outweighs what was observed."""
        law = self.law
        if isinstance(law, SecondOrder):
            return ""
        number = len(law.possible())
        added, observed = law.smoothing * number, sum(law.weights.values())
        if 10 * added <= observed:
            return ""
        return (
            f"The {law.smoothing} added to each of {number:,} possible histories is "
            f"{float(added / (added + observed)):.0%} of all weight, which lowers the leakage found: --smoothing 0, "
            "fewer --steps, or more users. "
        )

    def basis(self) -> Basis:
        """Return what an answer rests on."""
        each = "count" if isinstance(self.law, SecondOrder) else "possible one"
        smoothed = f", {self.smoothing} added to each {each}" if self.smoothing else ""
        told = f"from {self.transitions:,} transitions{smoothed}, its uncertainty not included"
        law = "second order, the same at all times, for everybody"
        if not isinstance(self.law, SecondOrder):
            users, left_out = self.users
            told = (
                f"from {users:,} histories{smoothed}, {left_out:,} shorter ones left out; its uncertainty not included"
            )
            law = "none, the law is that of the histories, for everybody"
        step = NOT_ASKED if self.step is None else f"of {self.step.text()}"
        return Basis("knows the law of all values", estimate=told, step=step, law=law)


def second_order_value(
    counted: TransitionCounts, seen: Observations, smoothing: Fraction, begins_as_sequences: bool
) -> Object:
    """Return the file of a chain of second order. Args: begins_as_sequences, else as two values anywhere in them."""
    names = counted.states
    check_count(len(names), MOST_PAIR_STATES, "states of a chain of second order")
    begun = [list(row) for row in counted.transitions]
    if begins_as_sequences:
        begun = [[seen.begun[a, b] for b in names] for a in names]
    value: Object = {
        "states": list(names),
        "order": SECOND,
        "pairs": begun,
        "triples": [[[seen.triples[a, b, c] for c in names] for b in names] for a in names],
        "transitions": sum(map(sum, counted.transitions)),
        "smoothing": fraction_to_text(smoothing),
        "absorbing": list(counted.absorbing),
    }
    second_order_of(value)
    return value


def second_order_of(value: Object) -> SecondOrder:
    """Return the chain of a file. Raises: InvalidRequest."""
    return _second_order(value)[0]


def histories_value(counted: TransitionCounts, seen: Observations, smoothing: Fraction, releases: int) -> Object:
    """Return the file of histories as they were observed. Raises: InvalidRequest where there are none, or too many."""
    _check_histories(len(counted.states), releases)
    found = {history: count for history, count in seen.histories.items() if count}
    if not found:
        raise InvalidRequest(f"no sequence has {releases} values or more: give a smaller --steps")
    return {
        "states": list(counted.states),
        "releases": releases,
        "histories": [[list(history), count] for history, count in sorted(found.items())],
        "left_out": seen.shorter,
        "smoothing": fraction_to_text(smoothing),
        "absorbing": list(counted.absorbing),
    }


def _check_histories(states: int, releases: int) -> None:
    if releases < 1 or releases * (states - 1).bit_length() > MOST_HISTORIES or states**releases > MOST_HISTORIES:
        raise too_large(f"{states} states over {releases} releases: more than {MOST_HISTORIES} possible histories")


def read_law(path: str) -> LawFile:
    """Read a law. Raises: InvalidRequest for what is none."""
    with named(path):
        return law_of(decode(Files().text(path)))


def law_of(given: object) -> LawFile:
    """Return the law of a JSON object. Raises: InvalidRequest for what is none."""
    value = as_object(given, "a law")
    if "histories" not in value and "triples" not in value:
        raise InvalidRequest(
            "this is no law: estimate --order 2, or estimate --histories --steps T, writes one; matrices and "
            "counts are given with --backward and --forward"
        )
    step = Duration.of(as_string(value["step"], "step"), "step") if "step" in value else None
    own = ("fit", "step", "source")
    if "histories" in value:
        check_keys(value, ("states", "releases", "histories", "left_out", "smoothing", "absorbing"), own, "the law")
        law, names = _histories(value)
        users, left_out = sum(law.weights.values()), as_integer(value["left_out"], "left_out")
        transitions = users * (law.releases - 1)
        return LawFile(law, names, transitions, (users, left_out), law.smoothing, step)
    check_keys(value, (*_SECOND_ORDER_KEYS,), own, "the law")
    chain, names = _second_order(value)
    smoothing = Reader().number(value["smoothing"], "smoothing")
    return LawFile(chain, names, as_integer(value["transitions"], "transitions"), (0, 0), smoothing, step)


_SECOND_ORDER_KEYS = ("states", "order", "pairs", "triples", "transitions", "smoothing", "absorbing")


def _names(value: Object) -> tuple[str, ...]:
    names = tuple(as_string(name, "a state") for name in as_list(value["states"], "states"))
    check_count(len(names), MOST_STATES, "states")
    if len(set(names)) < len(names) or not names:
        raise InvalidRequest("states: each has a name of its own")
    return names


def _absorbing(value: Object, names: Sequence[str]) -> list[int]:
    """Return the values that are never left."""
    absorbing = [as_string(name, "absorbing") for name in as_list(value["absorbing"], "absorbing")]
    if unknown := [name for name in absorbing if name not in names]:
        raise InvalidRequest(f"absorbing: {unknown[0]!r} is not one of the {len(names)} states")
    return [names.index(name) for name in absorbing]


def _second_order(value: Object) -> tuple[SecondOrder, tuple[str, ...]]:
    names = _names(value)
    check_count(len(names), MOST_PAIR_STATES, "states of a chain of second order")
    if as_integer(value["order"], "order") != SECOND:
        raise InvalidRequest(f"order: laws of order {SECOND} are read, not {value['order']}")
    n = len(names)
    pairs = _counts(value["pairs"], (n, n), "pairs")
    triples = _counts(value["triples"], (n, n, n), "triples")
    smoothing = Reader().number(value["smoothing"], "smoothing")
    if smoothing < 0:
        raise InvalidRequest("smoothing is at least 0")
    law = second_order(
        [[triples[a * n * n + b * n : a * n * n + b * n + n] for b in range(n)] for a in range(n)],
        [pairs[a * n : a * n + n] for a in range(n)],
        smoothing,
        _absorbing(value, names),
    )
    _check_followed(law, names)
    return law, names


def _check_followed(law: SecondOrder, names: Sequence[str]) -> None:
    """Raise InvalidRequest for two values, one after the other, of which it is not known what follows them."""
    for a, row in enumerate(law.initial):
        for b, share in enumerate(row):
            reached = share or any(law.kernel[before][a][b] for before in range(law.n))
            if reached and not any(law.kernel[a][b]):
                raise InvalidRequest(
                    f"{names[a]!r} and then {names[b]!r} is never followed by another: if {names[b]!r} is never left, "
                    f"name it with --absorbing; --smoothing 1/2 adds to every count, which makes rows alike and lowers "
                    "the leakage found; else leave a state out, or merge states"
                )


def _counts(value: object, shape: Sequence[int], what: str) -> list[int]:
    rows = [value]
    for length in shape:
        listed = [as_list(row, what) for row in rows]
        if any(len(own) != length for own in listed):
            raise InvalidRequest(f"{what}: counts for each of {shape[0]} states are expected")
        rows = [entry for own in listed for entry in own]
    found = [as_integer(entry, what) for entry in rows]
    for count in found:
        _check_count(count, what)
    assert len(found) == prod(shape)
    return found


def _histories(value: Object) -> tuple[Histories, tuple[str, ...]]:
    names, releases = _names(value), as_integer(value["releases"], "releases")
    _check_histories(len(names), releases)
    place = {name: index for index, name in enumerate(names)}
    weights: dict[tuple[int, ...], int] = {}
    for number, entry in enumerate(as_list(value["histories"], "histories"), 1):
        history, weight = _pair(entry, number)
        if unknown := [name for name in history if name not in place]:
            raise InvalidRequest(f"history {number}: {unknown[0]!r} is not one of the {len(names)} states")
        key = tuple(place[name] for name in history)
        if key in weights:
            raise InvalidRequest(f"history {number} is there twice")
        weights[key] = weight
    smoothing = Reader().number(value["smoothing"], "smoothing")
    return Histories(len(names), releases, weights, smoothing, tuple(_absorbing(value, names))), names


def _pair(entry: object, number: int) -> tuple[list[str], int]:
    what = f"history {number}"
    both = as_list(entry, what)
    if len(both) != 2:
        raise InvalidRequest(f"{what}: a list of states and a weight")
    weight = as_integer(both[1], what)
    _check_count(weight, what)
    return [as_string(name, what) for name in as_list(both[0], what)], weight


def _check_count(count: int, what: str) -> None:
    if not 0 <= count <= MOST_IN_LAW:
        raise InvalidRequest(f"{what}: a count is from 0 to {MOST_IN_LAW}")
