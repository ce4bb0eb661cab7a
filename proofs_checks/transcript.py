"""What the paper prints, line by line of its LaTeX source where something of it is quoted, and read as it stands.

`transcript.tex` holds the lines, each with its number in the source, whose SHA-256 is SOURCE_SHA256; the file's own is
LINES. What is quoted is read from it, so that neither a matrix nor a formula nor a sentence alters unnoticed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any

from ..reference.correlations import TransitionMatrix
from .register import EvidenceFailed

SOURCE_SHA256 = "dd5ce354c09baccd9e3e839768749a3eb435ac8f79dc7ad40ec6b3b4ff8549fc"
"""SHA-256 of the paper's LaTeX source, arXiv:1711.11436."""

LINES = "f753e89c3e5983652537a13bda2ec6d5ed92a5eee4361a96ec800f7eb24584c7"
"""SHA-256 of transcript.tex."""


def source() -> str:
    """Return transcript.tex. Raises: EvidenceFailed where it is not what was transcribed."""
    content = resources.files(__package__).joinpath("transcript.tex").read_bytes()
    if hashlib.sha256(content).hexdigest() != LINES:
        raise EvidenceFailed("transcript.tex is not what was transcribed from the paper")
    return content.decode()


@cache
def transcript() -> Mapping[int, str]:
    """Return the lines of the paper's source that are quoted, by their number. Raises: EvidenceFailed."""
    numbered = (line.split("\t", 1) for line in source().splitlines())
    return {int(number): text for number, text in numbered}


def printed_line(number: int, *words: str) -> str:
    """Return a line of the paper that has these words. Raises: EvidenceFailed where it is not there or has them not."""
    line = transcript().get(number)
    if line is None:
        raise EvidenceFailed(f"line {number} of the paper is not in the transcript")
    for word in words:
        if word not in line:
            raise EvidenceFailed(f"line {number} of the paper does not have {word!r}")
    return line


def printed_matrices(number: int) -> list[TransitionMatrix]:
    """Return the matrices that a line of the paper prints. Raises: EvidenceFailed."""
    found = re.findall(r"\\begin\{smallmatrix\}(.*?)\\end\{smallmatrix\}", printed_line(number))
    return [TransitionMatrix.of([row.split("&") for row in text.replace(" ", "").split(r"\\")]) for text in found]


def printed_vectors(number: int) -> list[list[Fraction]]:
    """Return the lists of numbers in brackets that a line of the paper prints. Raises: EvidenceFailed."""
    found = re.findall(r"\[([\d.,]+)\]", printed_line(number))
    return [[Fraction(entry) for entry in text.split(",")] for text in found]


_TOKENS = re.compile(r"\\[a-zA-Z]+|\d+(?:\.\d+)?|[a-zA-Z]|[{}()^*/+-]")


def printed_formula(text: str, names: Mapping[str, Any]) -> Any:
    r"""Return what a formula of LaTeX stands for, its letters and commands by name: fractions, roots, products, powers.

    Products need no sign. `e` to a power is one symbol with its exponent: names has "e^" + the exponent.
    Raises: EvidenceFailed where it cannot be read.
    """
    tokens = _TOKENS.findall(text)
    place = 0

    def peek() -> str:
        return tokens[place] if place < len(tokens) else ""

    def take(expected: str | None = None) -> str:
        nonlocal place
        token = peek()
        if not token or (expected is not None and token != expected):
            raise EvidenceFailed(f"the formula {text!r} cannot be read at its {place + 1}th token")
        place += 1
        return token

    def group() -> Any:
        take("{")
        value = total()
        take("}")
        return value

    def factor() -> Any:
        token = take()
        if token == r"\frac":
            return group() / group()
        if token == r"\sqrt":
            return names["sqrt"](group())
        if token in "{(":
            value = total()
            take({"{": "}", "(": ")"}[token])
        elif token == "e" and peek() == "^":
            take("^")
            exponent = take()
            if exponent == "{":
                exponent = take()
                take("}")
            return names[f"e^{exponent}"]
        elif token[0].isdigit():
            value = Fraction(token)
            value = int(value) if value.denominator == 1 else value
        elif token in names:
            value = names[token]
        else:
            raise EvidenceFailed(f"the formula {text!r} has {token!r}, which is not named")
        if peek() == "^":
            take("^")
            value = value ** (group() if peek() == "{" else int(take()))
        return value

    def term() -> Any:
        value = factor()
        while peek() and peek() not in "+-})":
            if peek() == "*":
                take()
            value = value * factor()
        return value

    def total() -> Any:
        value = -term() if peek() == "-" and take() else term()
        while peek() in ("+", "-"):
            value = value + term() if take() == "+" else value - term()
        return value

    value = total()
    if place < len(tokens):
        take("")
    return value
