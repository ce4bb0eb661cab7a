"""What an implementation may say on the wire, in form: its declaration, and its answers.

What the values are worth is for the judge; here it is only decided whether a line is an answer at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..contract.limits import check_count
from ..reference import InvalidLevel, InvalidNumber, InvalidRequest, Level, OracleError, parse_level
from .strict_json import Object, as_integer, as_list, as_object, as_string, check_keys, is_integer, object_of, shown

FLOAT64, DECIMAL64, RATIONAL = "float64", "decimal64", "rational"
DOUBLES = (FLOAT64, DECIMAL64)
NUMBERS = (RATIONAL, *DOUBLES)
"""How the numbers of a request may be written: doubles in hexadecimal or in decimal, or exactly."""

LONGEST_NAME = 200
"""Characters of a name or a version."""

MOST_NAMES = 1_000
"""Operations that may be declared: the contract's, and whatever else an implementation has."""

BODIES = ("value", "error", "skipped")
"""An answer has exactly one of these keys."""


@dataclass(frozen=True, slots=True)
class Domain:
    """The inputs an implementation is made for: the greatest states, releases and level; None for no limit.

    >>> str(Domain(states=50, level=Level.of(700)))
    '50 states, level 700'
    """

    states: int | None = None
    releases: int | None = None
    level: Level | None = None

    def written(self) -> Object:
        """Return it as it is declared, without the keys that have no limit."""
        level = None if self.level is None else self.level.full_text()
        return {
            key: value
            for key, value in (("states", self.states), ("releases", self.releases), ("level", level))
            if value is not None
        }

    def __str__(self) -> str:
        counts = ((self.states, "state"), (self.releases, "release"))
        parts = [f"{count:,} {one}{'' if count == 1 else 's'}" for count, one in counts if count is not None]
        return ", ".join([*parts, *([] if self.level is None else [f"level {self.level.full_text()}"])])


@dataclass(frozen=True, slots=True)
class Declaration:
    """What an implementation says of itself on "start".

    stepwise: whether it takes correlations with a matrix for each step; one that does not say so is not asked any.
    arrays: whether it is a Python object that takes arrays, which the adapter says.
    """

    name: str
    version: str
    operations: tuple[str, ...]
    numbers: tuple[str, ...]
    domain: Domain = Domain()
    stepwise: bool = False
    arrays: bool = False


class NotAnImplementation(OracleError):
    """The implementation under test does not start, or does not say what it can do.

    Not a name of the contract, and never sent: it ends the command, as bad usage does.
    """


def declaration_of(answer: Object) -> Declaration:
    """Read the answer to "start"; keys that the contract does not name are ignored.

    Returns: the declaration; operations that the contract does not know are kept. Raises: NotAnImplementation.
    """
    try:
        if "error" in answer and "operations" not in answer:
            name, message = _error(answer["error"])
            raise InvalidRequest(f"{name}: {message}")
        return Declaration(
            _name(answer, "name"),
            _name(answer, "version"),
            _names(answer, "operations"),
            _numbers(answer),
            _domain(answer.get("domain", {})),
            _flag(answer, "stepwise"),
            _flag(answer, "arrays"),
        )
    except OracleError as error:
        raise NotAnImplementation(f'its answer to "start" is not a valid declaration: {error}') from None


def _name(answer: Object, key: str) -> str:
    text = as_string(_present(answer, key), key)
    if len(text) > LONGEST_NAME:
        raise InvalidRequest(f"{key} has more than {LONGEST_NAME} characters")
    return text


def _names(answer: Object, key: str) -> tuple[str, ...]:
    listed = as_list(_present(answer, key), key)
    if not listed:
        raise InvalidRequest(f"{key} is empty")
    check_count(len(listed), MOST_NAMES, key)
    names: dict[str, None] = {}
    for entry in listed:
        name = as_string(entry, f"one of {key}")
        if name in names:
            raise InvalidRequest(f"{key} has {shown(name)} twice")
        names[name] = None
    return tuple(names)


def _numbers(answer: Object) -> tuple[str, ...]:
    numbers = _names(answer, "numbers")
    for name in numbers:
        if name not in NUMBERS:
            raise InvalidRequest(f"numbers has {shown(name)}; there are {', '.join(NUMBERS)}")
    return numbers


def _domain(declared: object) -> Domain:
    body = as_object(declared, "domain")
    check_keys(body, (), ("states", "releases", "level"), "domain")
    states, releases = (_limit(body, key) for key in ("states", "releases"))
    return Domain(states, releases, _level_limit(body["level"]) if "level" in body else None)


def _flag(answer: Object, key: str) -> bool:
    said = answer.get(key, False)
    if not isinstance(said, bool):
        raise InvalidRequest(f"{key} is true or false, not {shown(said)}")
    return said


def _limit(body: Object, key: str) -> int | None:
    if key not in body:
        return None
    count = as_integer(body[key], f"domain, {key}")
    if count < 1:
        raise InvalidRequest(f"domain, {key} is at least 1, not {count}")
    return count


def _level_limit(value: object) -> Level:
    if is_integer(value):
        return parse_level(str(value))
    try:
        return parse_level(as_string(value, "domain, level"))
    except (InvalidLevel, InvalidNumber) as error:
        raise InvalidRequest(f"domain, level: {error}") from None


def _present(answer: Object, key: str) -> object:
    if key not in answer:
        raise InvalidRequest(f"it lacks the key {key!r}")
    return answer[key]


def answer_of(line: bytes, seq: object) -> Object:
    """Read the answer to a request with this "seq" (None for one that has none that can be read).

    Returns: the object, with exactly one of BODIES; an error has a name. Raises: InvalidRequest where it is no answer.
    """
    if not line.strip():
        raise InvalidRequest("an empty line")
    answer = object_of(line, "it")
    given = _present(answer, "seq")
    if type(given) is not type(seq) or given != seq:
        raise InvalidRequest(f"its seq is {shown(given)}, not {shown(seq)}")
    bodies = [key for key in BODIES if key in answer]
    if len(bodies) != 1:
        has = " and ".join(bodies) or "none"
        raise InvalidRequest(f"it has {has} of {', '.join(BODIES)}, not exactly one")
    if "error" in answer:
        _error(answer["error"])
    if "skipped" in answer:
        as_string(answer["skipped"], "skipped")
    return answer


def seq_of(request: Object) -> object:
    """Return the "seq" that the answer to a request has."""
    seq = request.get("seq")
    return seq if is_integer(seq) or isinstance(seq, str) else None


def _error(error: object) -> tuple[str, str]:
    body = as_object(error, "error")
    return as_string(_present(body, "name"), "the error's name"), as_string(
        body.get("message", ""), "the error's message"
    )
