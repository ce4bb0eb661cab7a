"""What the flags of the vectors mean: which mistake a case is there to catch, and what its effect would be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ..reference import InvalidRequest
from ..wire.strict_json import decode


@dataclass(frozen=True, slots=True)
class FlagNote:
    """The mistake that a flag stands for, and what it would do to an answer."""

    bug: str
    effect: str


@cache
def flag_notes() -> Mapping[str, FlagNote]:
    """Return the notes on all flags, from vectors/flags.json; none where that file is missing or is another format."""
    try:
        text = files("tploracle.vectors").joinpath("flags.json").read_text(encoding="utf-8")
        document = decode(text)
    except (ModuleNotFoundError, OSError, InvalidRequest, UnicodeDecodeError):
        return {}
    return notes_in(document)


def notes_in(document: object) -> Mapping[str, FlagNote]:
    """Return the notes in a decoded flags.json; what has not the shape of a note is left out."""
    flags = document.get("flags") if isinstance(document, dict) else None
    notes = {}
    for name, note in flags.items() if isinstance(flags, dict) else ():
        if isinstance(note, dict) and isinstance(note.get("bug"), str) and isinstance(note.get("effect"), str):
            notes[name] = FlagNote(note["bug"], note["effect"])
    return notes
