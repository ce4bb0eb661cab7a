"""Self-contained HTML pages: headings, tables and pictures in one file, with nothing to fetch."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 76rem; margin: 2rem auto;
  padding: 0 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; } h3 { font-size: 1rem; }
.scroll { overflow-x: auto; margin: .8rem 0; } table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .7rem; border-bottom: 1px solid #ddd;
  overflow-wrap: normal; } td.text { min-width: 14rem; overflow-wrap: break-word; max-width: 34rem; }
thead th { border-bottom: 2px solid #999; } tbody th { font-weight: normal; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
tr.bad > * { background: #fdecea; } tr.warn > * { background: #fff7e0; }
code, pre { font: .85rem ui-monospace, monospace; } pre { background: #f6f6f6; padding: .6rem; overflow-x: auto; }
summary code { overflow-wrap: anywhere; } summary { padding: .25rem 0; }
.verdict-bad { color: #b3261e; font-weight: 600; } .verdict-good { color: #1b6e3c; font-weight: 600; }
figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; }
@media print { body { max-width: none; margin: 0; font-size: 10pt; } .scroll, pre { overflow: visible; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; } td, th { overflow-wrap: anywhere; }
  tr, figure { break-inside: avoid; } h2, h3 { break-after: avoid; } }
"""

_LONG_TEXT = 40
"""From so many characters on a cell is text that may be broken between words."""


def page(title: str, *blocks: str) -> str:
    """Return a whole page. Args: blocks, of HTML, as the other functions of this module make them."""
    seen = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">{seen}<title>{escape(title)}</title><style>{_STYLE}</style>'
    body = "\n".join((f"<main><h1>{escape(title)}</h1>", *blocks, "</main>"))
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def heading(text: str, level: int = 2) -> str:
    """Return a heading."""
    return f"<h{level}>{escape(text)}</h{level}>"


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of text. Args: kind, a class of the style sheet."""
    return f"<p{_class(kind)}>{escape(text)}</p>"


def code(text: str) -> str:
    """Return a block of code, which scrolls by itself, with the keyboard too."""
    return f'<pre tabindex="0">{escape(text)}</pre>'


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], kinds: Sequence[str] = ()) -> str:
    """Return a table, which scrolls by itself where it is wide; numbers stand on the right.

    Args: columns, without any text in them the first cell of each row is its heading; kinds, for each row "", "bad" or
    "warn".
    """
    if not any(columns):
        columns = ()
    head = "".join(f'<th scope="col">{escape(column)}</th>' if column else "<td></td>" for column in columns)
    lines = []
    for index, row in enumerate(rows):
        first, rest = ([], list(row)) if columns else (list(row[:1]), list(row[1:]))
        cells = "".join(f'<th scope="row">{escape(str(cell))}</th>' for cell in first)
        cells += "".join(f"<td{_class(_kind_of(cell))}>{escape(str(cell))}</td>" for cell in rest)
        lines.append(f"<tr{_class(kinds[index] if kinds else '')}>{cells}</tr>")
    top = f"<thead><tr>{head}</tr></thead>" if columns else ""
    return f'<div class="scroll" tabindex="0"><table>{top}<tbody>{"".join(lines)}</tbody></table></div>'


def _kind_of(cell: object) -> str:
    if isinstance(cell, int | float):
        return "number"
    return "text" if len(str(cell)) > _LONG_TEXT and " " in str(cell) else ""


def picture(figure: Figure, caption: str) -> str:
    """Return a matplotlib figure as SVG in the page itself, with a caption, which says for all readers what it shows.

    The same figure gives the same text; ids in it begin with a mark of the caption, so that those of a page differ.
    """
    import matplotlib as mpl

    stream = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": caption, "svg.fonttype": "path"}):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    drawing = re.sub(r"^.*?<svg", f'<svg role="img" aria-label="{escape(caption)}"', stream.getvalue(), flags=re.DOTALL)
    mark = sha256(caption.encode()).hexdigest()[:8]
    drawing = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>p{mark}-", drawing)
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _class(kind: str) -> str:
    return f' class="{escape(kind)}"' if kind else ""
