"""The errata of the printed paper, read from errata.toml: verbatim, with their best defence and what remains.

One standard for all. A statement is judged on what its hypotheses admit, and read as the paper itself explains it; a
theorem and its proof are judged separately. Printed words are a slip where the paper says elsewhere what is meant.

The evidence that names an erratum in its `errata` runs the printed version on the witness and sees it fail, and the
corrected one and sees it do. It computes the formulas of the texts (`faults`).
"""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

from .register import Consequence, Erratum, Nature

TEXTS = ("defence", "remains", "corrected", "witness", "implementers")
"""The fields of an erratum that are read as prose."""


def _read() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("errata.toml").read_text(encoding="utf-8"))


def _erratum(entry: dict[str, Any]) -> Erratum:
    quotes = tuple((int(number), str(text)) for number, text in entry.pop("quotes"))
    nature, consequence = Nature(entry.pop("nature")), Consequence(entry.pop("consequence"))
    return Erratum(nature=nature, consequence=consequence, quotes=quotes, **entry)


ERRATA = tuple(map(_erratum, _read()["erratum"]))
"""Every erratum as it is written, with the marks of formulas and labels; the worst first. `trial.all_errata` has them
as they are read."""

WITHDRAWN: dict[str, str] = _read()["withdrawn"]
"""What was once held against the paper and has not survived its defence, by number, and why."""


BY_HAND: dict[str, str] = _read()["by_hand"]
"""How to check a claim with pencil and paper, by its id, as it is written."""


def texts_of(name: str) -> tuple[str, ...]:
    """Return the texts of an erratum, or of a claim, as they are written."""
    if name in BY_HAND:
        return (BY_HAND[name],)
    erratum = next(one for one in ERRATA if one.id == name)
    return tuple(text for field in TEXTS if (text := getattr(erratum, field)))
