"""Texts in which names and lines stand apart by anything: they mean what they show, or are an error with its line."""

import re
import tempfile
import unicodedata
from collections import Counter
from itertools import pairwise
from pathlib import Path

from tploracle.data.doubt import NO_COMMENTS, STATE, Readings
from tploracle.data.files import Files
from tploracle.data.logs import LogColumns
from tploracle.data.sequences import count_file
from tploracle.data.visit_counts import count_log_file
from tploracle.reference import OracleError

from .finding import require

NAMES = ("a", "b", "home", "éa", "ж", "0", "1", "a-b", "日本")
STRANGE = [
    char
    for char in map(chr, [*range(0x3100), 0xFEFF])
    if char not in " \t\n" and (char.isspace() or unicodedata.category(char) in ("Zs", "Zl", "Zp", "Cc"))
] + ["\u200b", "\u2060", "\ufeff", "\u200e", "\u202e"]
"""Every white space and control character but space, tab and line feed, and some that are not seen."""

COLUMNS = LogColumns("user", "time", "state")

AS_STATES = Readings(missing=STATE, comment=NO_COMMENTS, header=STATE, ids=STATE)


def attack(random):
    """Read one text. Raises: Finding."""
    kind = random.choice((_sequences, _commas, _log, _matrix))
    with tempfile.TemporaryDirectory() as folder:
        kind(random, Path(folder, "t.txt"))


def _end(random):
    return "\r\n" if not random.randrange(4) else "\n"


def _strange(random, text):
    """Put a character that separates nothing somewhere into a text, or none. Returns: the text, and whether."""
    if random.randrange(2):
        return text, False
    at, char = random.randrange(len(text) + 1), random.choice(STRANGE)
    is_end = char == "\r" and text[at : at + 1] == "\n" and text[at - 1 : at] != "\r"
    is_mark_of_bytes = char == "\ufeff" and at == 0
    return text[:at] + char + text[at:], not (is_end or is_mark_of_bytes)


def _judge(path, text, is_strange, expected, read):
    path.write_bytes(text.encode())
    try:
        found = read(str(path))
    except OracleError as error:
        require(is_strange or expected is None, f"{text!r} is refused: {error}")
        require(re.search(r"line [0-9]+", str(error)) or not is_strange, f"{text!r}: {error} has no line")
        return
    require(not is_strange and found == expected, f"{text!r} is read as {found}")


def _pairs(sequences):
    return Counter(pair for sequence in sequences for pair in pairwise(sequence))


def _counted(counts):
    return Counter(
        {
            (counts.states[j], counts.states[k]): count
            for j, row in enumerate(counts.transitions)
            for k, count in enumerate(row)
            if count
        }
    )


def _drawn(random):
    return [random.choices(NAMES, k=random.randrange(1, 6)) for _ in range(random.randrange(1, 5))]


def _counting(separator):
    return lambda name: _counted(count_file(name, separator=separator, readings=AS_STATES))


def _sequences(random, path):
    drawn = _drawn(random)
    blank = random.choice((" ", "\t", "  "))
    text = "".join(blank.join(sequence) + random.choice(("", blank)) + _end(random) for sequence in drawn)
    text, is_strange = _strange(random, text)
    _judge(
        path,
        text,
        is_strange,
        _pairs(drawn),
        _counting("blank"),
    )


def _commas(random, path):
    drawn = _drawn(random)
    text = "".join(random.choice((",", ", ", " ,")).join(sequence) + _end(random) for sequence in drawn)
    text, is_strange = _strange(random, text)
    _judge(
        path,
        text,
        is_strange,
        _pairs(drawn),
        _counting("comma"),
    )


def _log(random, path):
    drawn = _drawn(random)
    visits = [(f"u{user}", time, state) for user, states in enumerate(drawn) for time, state in enumerate(states)]
    random.shuffle(visits)
    lines = ["user,time,state", *(f"{user},{time},{state}" for user, time, state in visits)]
    text, is_strange = _strange(random, "".join(line + _end(random) for line in lines))
    _judge(path, text, is_strange, _pairs(drawn), lambda name: _counted(count_log_file(name, COLUMNS).counts))


def _matrix(random, path):
    entries = [[random.randrange(9) for _ in "ab"] for _ in "ab"]
    mark = random.choice((",", ";", "\t", " "))
    text, is_strange = _strange(random, "".join(mark.join(map(str, row)) + _end(random) for row in entries))
    expected = tuple(map(tuple, entries))
    _judge(path, text, is_strange, expected, lambda name: Files(entries="counts").counts(name).transitions)
