"""Lines of text: they end in LF or CR LF, and fields are separated by spaces, tabs or a mark.

Every other white space, and every control character, is an error with its place: what one program takes for the end
of a line, or for a blank, another takes for part of a name, and two sequences would be one, or one name two.
"""

from __future__ import annotations

import csv
import re
from unicodedata import name

from ..reference import InvalidRequest

_UNSEEN = "\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u2060\u2066-\u2069\u202a-\u202e\ufeff"
_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_STRANGE = re.compile(rf"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f{_SPACES}{_UNSEEN}]|\r(?!\n)")


def check_plain(text: str, line: int = 1, mark: str = "") -> None:
    """Raise InvalidRequest for white space that is neither space nor tab nor the end of a line, and for what is unseen.

    Args: line, the number of the first line; mark, which is asked for, and may be any of these characters.
    """
    for found in _STRANGE.finditer(text):
        if found[0] in mark:
            continue
        start = text.rfind("\n", 0, found.start()) + 1
        place = f"line {line + text.count(chr(10), 0, found.start())}, column {found.start() - start + 1}"
        what = f"U+{ord(found[0]):04X}"
        what += (
            f" ({name(found[0])})"
            if name(found[0], "")
            else " (a carriage return without a line feed)" * (found[0] == "\r")
        )
        raise InvalidRequest(
            f"{place}: {what} is not a blank, an end of line or part of a name: lines end in LF or CR LF, "
            "names are separated by spaces, tabs or the mark that --separator names"
        )


def cells(line: str, mark: str, number: int) -> list[str]:
    """Split a line at a mark; by the rules of CSV, quotes included, where the mark is one character.

    Raises: InvalidRequest.
    """
    if len(mark) > 1:
        return line.split(mark)
    try:
        return next(csv.reader([line.rstrip("\r\n")], delimiter=mark, strict=True), [])
    except csv.Error as error:
        raise InvalidRequest(f"line {number} is not CSV: {error}; a quoted cell ends with its line") from None
