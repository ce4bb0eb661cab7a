"""Sequences of states whose names are easily confused, and counts at which small integers overflow.

Names are the same only if they are the same characters. An implementation that strips or lower-cases them, that brings
Unicode to a normal form, reads numbers, joins two names to a key, or orders them otherwise answers about other states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from unicodedata import normalize

CONFUSABLE: dict[str, tuple[str, ...]] = {
    "names that differ in case": ("a", "A", "straße", "STRASSE", "s", "\u017f", "I", "\u0131", "i"),
    "names that differ in blanks": ("a", " a", "a ", "a\u00a0", "\ta", "a b", "a  b", "\u3000a", " "),
    "names that differ in Unicode form": ("é", "e\u0301", "\u212b", "Å", "A\u030a", "ﬁ", "fi", "Ａ", "A"),
    "names that differ unseen": ("a", "a\u200b", "a\u00ad", "\ufeffa", "a\u200d", "\u202ea", "\u0430", "a\u0300"),
    "names of one number": ("1", "01", "1.0", "001", "+1", "1e0", "0x1", "\u0661", "\uff11", "-1"),
    "numbers as names": ("2", "10", "9", "100", "9007199254740992", "9007199254740993", "0", "-0", "4294967296"),
    "names beyond U+FFFF": ("\uff5e", "\U0001f600", "\ue000", "\U00010000", "z", "\U0001d41a", "\ufb01", "Z"),
    "names with separators": ("a", "b", "a,b", "b,a", "a b", "a\tb", "a|b", "a->b", 'a"b', "a\\b"),
    "names that are words": ("null", "NaN", "NA", "None", "true", "__proto__", "constructor", "toString", "inf"),
}
"""Names by what their neighbours in the list are confused by."""

COUNTS = (127, 128, 255, 256, 257, 511, 512, 1_000, 32_767, 32_768, 65_535, 65_536, 65_537)
"""Counts at and beside powers of two at which small integers overflow; greater ones are too long for a line."""

_MOST_OFTEN = 8
"""The number of COUNTS of which most questions have one: the others make a long line."""

NAMED_IN, COUNTED_IN, LONG_IN = 3, 24, 6
"""One question in NAMED_IN has such names, one in COUNTED_IN such a count, and one of LONG_IN of these a long one."""


def draw_names(random: Random, number: int) -> tuple[str, list[str]]:
    """Return names of states that are easily confused, filled up with others, and by what they are confused."""
    kind = random.choice([*CONFUSABLE])
    pool = CONFUSABLE[kind]
    start = random.randrange(len(pool))
    names = [pool[(start + k) % len(pool)] for k in range(min(number, len(pool)))]
    return kind, names + [f"s{k}" for k in range(number - len(names))]


def draw_counted(random: Random, names: Sequence[str]) -> list[list[str]]:
    """Return sequences that add one of COUNTS: stays in a state, turns of two states, or first states."""
    is_long = random.randrange(LONG_IN) == 0
    count = random.choice(COUNTS[_MOST_OFTEN:] if is_long else COUNTS[:_MOST_OFTEN])
    one, two = names[0], names[-1]
    form = random.randrange(2 if is_long else 3)
    if form == 0:
        return [[one] * (count + 1)]
    return [[one, two] * count] if form == 1 else [[one, two]] * count


def kinds_of_names(sequences: Sequence[Sequence[str]]) -> list[str]:
    """Return by what the names in sequences are confused, and whether they are many."""
    names = {name for sequence in sequences for name in sequence}
    alike: dict[str, Callable[[str], str]] = {
        "names that differ in case": lambda name: name.upper(),
        "names that differ in blanks": lambda name: " ".join(name.split()),
        "names that differ in Unicode form": lambda name: normalize("NFKC", name),
        "names of one number": lambda name: str(int(name)) if name.isdecimal() else name,
    }
    found = [kind for kind, key in alike.items() if len({key(name) for name in names}) < len(names)]
    own = {kind: {*pool} for kind, pool in CONFUSABLE.items() if kind not in alike}
    told = {name for name in names if len(name) > 1 or not name.isalpha() or not name.isascii()}
    found += [kind for kind, pool in own.items() if pool & told and len(pool & names) >= max(2, min(3, len(names)))]
    return found + ["256 names or more in all"] * (sum(map(len, sequences)) >= 256)


KINDS_OF_NAMES = {
    **{
        kind: f"states whose names are easily confused: {', '.join(map(repr, CONFUSABLE[kind][:3]))}"
        for kind in CONFUSABLE
    },
    "256 names or more in all": "so many that a count may be 256 or more",
}
"""The kinds of names, and what they mean."""
