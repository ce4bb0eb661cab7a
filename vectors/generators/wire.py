"""Requests of no operation, and requests whose frame is at fault."""

from __future__ import annotations

from collections.abc import Iterator

from tploracle.wire.protocol import FLOAT64, RATIONAL

from . import shapes
from .draft import Draft, draft

WIRE = ("Contract, wire",)


def drafts() -> Iterator[Draft]:
    """Yield the cases; their ids begin with “wire”."""
    for name, op in (
        ("of-no-name", ""),
        ("of-another-name", "privacy_loss"),
        ("in-capitals", "LOSS"),
        ("with-a-blank", "loss "),
        ("with-a-hyphen", "loss-function"),
        ("in-the-plural", "suprema"),
    ):
        yield draft(
            op,
            f"operation-{name}",
            f"There is no operation “{op}”: UnknownOperation.",
            (FLOAT64, RATIONAL)[len(op) % 2],
            {},
            cites=WIRE,
            flags=("NoSuchOperation",),
            error="UnknownOperation",
            wire=True,
        )
    valid = {"n": 2, "s": 0.5}
    for digits in (0, -1):
        yield draft(
            "smooth",
            f"digits-{'negative' if digits else 'zero'}",
            f"An enclosure of {digits} digits is asked for: InvalidRequest.",
            FLOAT64,
            valid,
            cites=WIRE,
            flags=("UselessDigits",),
            error="InvalidRequest",
            digits=digits,
            wire=True,
        )
    yield draft(
        "loss",
        "numbers-float32",
        "Numbers of the kind “float32”: InvalidRequest.",
        "float32",
        {"matrix": [["0x1p-1", "0x1p-1"], ["0x0p+0", "0x1p+0"]], "alpha": "0x1p-1"},
        cites=WIRE,
        flags=("NoSuchNumbers",),
        error="InvalidRequest",
        wire=True,
    )
    yield draft(
        "supremum",
        "numbers-decimal",
        "Numbers of the kind “decimal”: InvalidRequest.",
        "decimal",
        {"matrix": [row.split() for row in shapes.PAPER_SYMMETRIC], "epsilon": "0.1"},
        cites=WIRE,
        flags=("NoSuchNumbers",),
        error="InvalidRequest",
        wire=True,
    )
