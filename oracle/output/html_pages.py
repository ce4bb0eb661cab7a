"""Self-contained HTML pages: headings, tables and pictures in one file, with nothing to fetch.

All the HTML is in `templates`, which escape all texts.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ..wire.strict_json import printable, printable_lines
from .documents import Block, Code, Folded, Listing, Marked, Picture, ReportDocument, Section, Sentence
from .plots import cleaned, fixed
from .sheets import Heading, Output, Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONG_TEXT, _LONG_WORD = 40, 24
"""Cells of more characters may be broken between words, or within them."""


def _shown(value: object) -> object:
    """Return what is put in; texts, but for HTML made here, with the escapes of `printable_lines`."""
    return printable_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


TEMPLATES = Environment(
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_shown,
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
)
_BLOCKS: Any = TEMPLATES.get_template("blocks.html").module


def page(title: str, *blocks: str) -> str:
    """Return a whole page. Args: blocks, HTML made by the functions of this module."""
    return str(_BLOCKS.page(title, [Markup(block) for block in blocks]))


def heading(text: str, level: int = 2) -> Markup:
    """Return a heading."""
    return Markup(_BLOCKS.heading(text, level))


def paragraph(text: str, kind: str = "") -> Markup:
    """Return a paragraph of text. Args: kind, a class of the style sheet."""
    return Markup(_BLOCKS.paragraph(text, kind))


def code(text: str) -> Markup:
    """Return a block of code that scrolls, also with the keyboard."""
    return Markup(_BLOCKS.code(text))


def table(columns: Sequence[str], rows: Iterable[Iterable[object]], kinds: Sequence[str] = ()) -> Markup:
    """Return a table that scrolls if it is wide.

    Args: columns, if all are empty, the first cell of each row is its heading; kinds, for each row "", "bad" or "warn".
    """
    marked = [
        (kinds[index] if kinds else "", [(_kind_of(cell), _on_one_line(cell)) for cell in row])
        for index, row in enumerate(rows)
    ]
    return Markup(_BLOCKS.table(columns if any(columns) else (), marked))


def _on_one_line(cell: object) -> object:
    return printable(cell) if isinstance(cell, str) and not isinstance(cell, Markup) else cell


def _kind_of(cell: object) -> str:
    if isinstance(cell, int | float):
        return "number"
    if len(str(cell)) > _LONG_TEXT and " " in str(cell):
        return "text"
    return "long" if len(str(cell)) > _LONG_WORD else ""


def picture(draw: Callable[[], Figure], caption: str) -> Markup:
    """Return what is drawn by matplotlib as SVG with a caption.

    The same figure gives the same text; its ids begin with a digest of the caption, so that they differ within a page.
    """
    stream, caption = io.StringIO(), printable(caption)
    with fixed({"svg.hashsalt": caption, "svg.fonttype": "path"}):
        cleaned(draw()).savefig(stream, format="svg", metadata={"Date": None})
    labelled = f'<svg role="img" aria-label="{escape(caption)}"'
    drawing = re.sub(r"^.*?<svg", lambda _: labelled, stream.getvalue(), flags=re.DOTALL)
    mark = sha256(caption.encode()).hexdigest()[:8]
    drawing = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>p{mark}-", drawing)
    return Markup(_BLOCKS.picture(Markup(drawing), caption))


def document_page(document: ReportDocument, output: Output) -> str:
    """Return a document as a page. The same document gives the same text."""
    sentences = [Sentence(text, kind) for text, kind in document.sentences()]
    rest = [Sentence(line) for line in document.conclusion.lines()]
    opening = Section("What to conclude", (*sentences, *rest, Sentence(output.numerals)))
    return page(document.title, *written((opening, *document.blocks), output))


def written(blocks: Iterable[Block], output: Output, level: int = 2) -> Iterator[Markup]:
    """Yield blocks as HTML. Args: level, of their headings."""
    for block in blocks:
        match block:
            case Section(title, within):
                yield heading(title, level)
                yield from written(within, output, level + 1)
            case Code(text):
                yield code(text)
            case Folded(mark, colour, name, text, within):
                yield Markup(_BLOCKS.folded((mark, colour, name, text), list(written(within, output, level))))
            case Sentence(text, kind):
                yield paragraph(text, kind)
            case Listing(title, items, numbered):
                yield heading(title, level)
                yield Markup(_BLOCKS.listing(items, numbered))
            case Picture(caption, draw):
                yield picture(draw, caption)
            case Marked(sheet, kinds):
                yield from _table(sheet, kinds, output, level)
            case Sheet():
                yield from _table(block, (), output, level)


def _table(sheet: Sheet, kinds: Sequence[str], output: Output, level: int) -> Iterator[Markup]:
    if sheet.title:
        yield heading(sheet.title, level)
    names = [column.text if isinstance(column, Heading) else column for column in sheet.columns]
    yield table(names, (_cells(sheet, row, output) for row in sheet.rows), kinds)
    yield from (paragraph(note) for note in sheet.notes if note != output.numerals)


def _cells(sheet: Sheet, row: Iterable[Any], output: Output) -> list[object]:
    """Return a row as it is shown; numbers stay numbers."""
    return [
        output.shown(cell, isinstance(column, Heading) and column.is_budget) if isinstance(cell, dict) else cell
        for column, cell in zip(sheet.columns, row, strict=True)
    ]
