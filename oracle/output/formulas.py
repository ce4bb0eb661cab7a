"""Symbols with an index or a power in plain text, as terminals show it, made TeX for pages."""

import re
from collections.abc import Callable

_INNER = r"(?:[^{}()]|\([^()]*\)|\{[^{}]*\})*"
_LETTER, _END = r"[^\W\d_]", r"(?![^\W_])"
SCRIPTED = re.compile(
    r"((?<![\w^:])(?:[Σλ]|[a-z](?=[^\W\d_]\^))?(?:[^\W\d_]|[A-Z]{2,}|(?:Adversary|loc|max|min|sup)(?=_)|\d[\d.,]*(?=\^))"
    r"|[)\]](?=\^))"
    rf"((?:[_^](?:\{{{_INNER}\}}|\({_INNER}\)|[−+-]?\d+(?:[.,]\d+)*(?!\w|[.,/]\d)|[−-]?{_LETTER}{_END}|[+−∗-]{_END})"
    rf"|(?:\^{_LETTER}+|_[a-z]{{2,3}}){_END})+)"
)
"""A symbol, number or bracket with an index or a power: c_a, e^1.352, BPL_(t−1); not a name: worst_case_leakage."""

_BARE = re.compile(rf"([_^])(?:\(({_INNER})\)|([−-]?[\d.,]+|[−-]?{_LETTER}{{2,}}|−{_LETTER}))")
_WORD = re.compile(r"(?<!\\)\b(?:[A-Z]{2,}|[^\W\d_]{3,})")


def tex(symbol: re.Match[str]) -> str:
    """Return a match of `SCRIPTED` as TeX."""
    scripts = _BARE.sub(lambda bare: f"{bare[1]}{{{bare[2] or bare[3]}}}", symbol[2])
    upright = _WORD.sub(r"\\mathrm{\g<0>}", symbol[1] + scripts)
    return upright.replace("−", "-").replace("Σ_", r"\sum_")


def in_dollars(text: str, escape: Callable[[str], str] = str) -> str:
    """Return a text as Markdown: its symbols with an index or a power as formulas in `$…$`, the rest by `escape`."""
    parts, end = [], 0
    for symbol in SCRIPTED.finditer(text):
        parts += [escape(text[end : symbol.start()]), f"${tex(symbol)}$"]
        end = symbol.end()
    return "".join([*parts, escape(text[end:])])
