"""What the evidence quotes of the paper, line by line of its LaTeX source, and read as it stands.

The paper's text is not ours to pass on: `quoted_lines.tsv` has the number and the digest of each line that is spoken
of, and of its words only those quoted. The file's own SHA-256 is LINES. Whoever has the source names it in PAPER_TEX:
then the lines are read from it, must have their digests, and hold what is quoted; a count of what a line does not have
is then made on the whole line.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from ..reference.correlations import TransitionMatrix
from .register import EvidenceFailed

SOURCE_VARIABLE = "PAPER_TEX"
"""The environment variable that names the paper's source."""

SOURCE_SHA256 = "dd5ce354c09baccd9e3e839768749a3eb435ac8f79dc7ad40ec6b3b4ff8549fc"
"""SHA-256 of the paper's LaTeX source, arXiv:1711.11436."""

LINES = "d8819097b400779ffd0841cd4d5f012b4a633037c37b322aac444fc0f0e42337"
"""SHA-256 of quoted_lines.tsv."""

DIGEST_DIGITS = 32
"""Number of hexadecimal digits of SHA-256 that stand for a line."""


def source() -> str:
    """Return quoted_lines.tsv. Raises: EvidenceFailed where it is not what was quoted."""
    content = resources.files(__package__).joinpath("quoted_lines.tsv").read_bytes()
    if hashlib.sha256(content).hexdigest() != LINES:
        raise EvidenceFailed("quoted_lines.tsv is not what was quoted from the paper")
    return content.decode()


@cache
def quotations() -> Mapping[int, tuple[str, tuple[str, ...]]]:
    """Return digest and quoted words of each line of the paper's source, by its number. Raises: EvidenceFailed."""
    rows = (line.split("\t") for line in source().splitlines())
    return {int(number): (digest, tuple(parts)) for number, digest, *parts in rows}


@cache
def _paper(name: str) -> list[str]:
    content = Path(name).read_bytes()
    if (found := hashlib.sha256(content).hexdigest()) != SOURCE_SHA256:
        raise EvidenceFailed(
            f"{SOURCE_VARIABLE} names a file with the SHA-256 {found}, not the paper's source, {SOURCE_SHA256}"
        )
    return content.decode().split("\n")


def line_digest(line: str) -> str:
    """Return what stands for a line in quoted_lines.tsv."""
    return hashlib.sha256(line.rstrip().encode()).hexdigest()[:DIGEST_DIGITS]


def printed_line(number: int, *words: str) -> str:
    """Return a line of the paper, or what is quoted of it, that has these words.

    Raises: EvidenceFailed where it is not there, has them not, or is not the paper's.
    """
    if number not in quotations():
        raise EvidenceFailed(f"line {number} of the paper is not quoted")
    digest, parts = quotations()[number]
    line = " … ".join(parts)
    if name := os.environ.get(SOURCE_VARIABLE):
        line = _paper(name)[number - 1].rstrip()
        if line_digest(line) != digest or not all(part in line for part in parts):
            raise EvidenceFailed(f"line {number} of the paper is not the one that is quoted")
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
    r"""Return what a formula of LaTeX stands for, its letters and commands by name: quotients, roots, products, powers.

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
            sign = take() if peek() in ("*", "/") else "*"
            value = value / factor() if sign == "/" else value * factor()
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
