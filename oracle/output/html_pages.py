"""Self-contained HTML pages: headings, tables and pictures in one file, with nothing to fetch."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; } h3 { font-size: 1rem; }
table { border-collapse: collapse; margin: .8rem 0; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .7rem; border-bottom: 1px solid #ddd;
  overflow-wrap: anywhere; }
th { border-bottom: 2px solid #999; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
tr.bad td { background: #fdecea; } tr.warn td { background: #fff7e0; }
code, pre { font: .85rem ui-monospace, monospace; } pre { background: #f6f6f6; padding: .6rem; overflow-x: auto; }
.verdict-bad { color: #b3261e; font-weight: 600; } .verdict-good { color: #1b6e3c; font-weight: 600; }
svg { max-width: 100%; height: auto; }
"""


def page(title: str, *blocks: str) -> str:
    """Return a whole page. Args: blocks, of HTML, as the other functions of this module make them."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    body = "\n".join((f"<h1>{escape(title)}</h1>", *blocks))
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def heading(text: str, level: int = 2) -> str:
    """Return a heading."""
    return f"<h{level}>{escape(text)}</h{level}>"


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of text. Args: kind, a class of the style sheet."""
    return f"<p{_class(kind)}>{escape(text)}</p>"


def code(text: str) -> str:
    """Return a block of code."""
    return f"<pre>{escape(text)}</pre>"


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], kinds: Sequence[str] = ()) -> str:
    """Return a table; numbers stand on the right. Args: kinds, for each row "", "bad" or "warn"."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    lines = []
    for index, row in enumerate(rows):
        cells = "".join(
            f"<td{_class('number' if isinstance(cell, int | float) else '')}>{escape(str(cell))}</td>" for cell in row
        )
        lines.append(f"<tr{_class(kinds[index] if kinds else '')}>{cells}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def picture(figure: Figure, caption: str) -> str:
    """Return a matplotlib figure as SVG in the page itself, with a caption. The same figure gives the same text."""
    import matplotlib as mpl

    stream = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": caption, "svg.fonttype": "path"}):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    drawing = re.sub(r"^.*?(?=<svg)", "", stream.getvalue(), flags=re.DOTALL)
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _class(kind: str) -> str:
    return f' class="{escape(kind)}"' if kind else ""
