"""A report as one document for the terminal or a page: the conclusion, its assumptions, then sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ..wire.strict_json import printable
from .sheets import Conclusion, Output, Sheet, print_table, print_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Sentence:
    """A paragraph. kind: its class in the style sheet of a page."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of a list, with items of its own. kind: as of a sentence."""

    text: str
    items: tuple[ListItem, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list under a heading."""

    title: str
    items: tuple[ListItem, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Marked:
    """A table whose rows a page marks. kinds: of each row "", "bad" or "warn"."""

    sheet: Sheet
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing by matplotlib, made only for a page."""

    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True, slots=True)
class Code:
    """A text to copy: a request, a command."""

    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """Blocks that a page folds behind a line: the mark in this colour, the name as code, and the text."""

    mark: str
    colour: str
    name: str
    text: str
    blocks: tuple[Block, ...]


Block = Sentence | Sheet | Marked | Listing | Picture | Code | Section | Folded


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A whole report. marks: words for which a page marks a line of the conclusion as bad."""

    title: str
    conclusion: Conclusion
    blocks: tuple[Block, ...]
    marks: tuple[str, ...] = ()

    def sentences(self) -> Iterator[tuple[str, str]]:
        """Yield each line of the conclusion and its kind."""
        for line in self.conclusion.sentences():
            yield line, "verdict-bad" if any(mark in line for mark in self.marks) else ""


def print_document(document: ReportDocument, output: Output) -> None:
    """Print a document on standard output."""
    output.write([])
    for line in (*document.conclusion.sentences(), *document.conclusion.lines()):
        print_words(line)
    click.echo()
    print_blocks(document.blocks, output)


def print_blocks(blocks: Iterable[Block], output: Output) -> None:
    """Print blocks on standard output, pictures aside."""
    for block in blocks:
        match block:
            case Section(title, within) | Folded(name=title, blocks=within):
                print_words(title)
                print_blocks(within, output)
            case Code(text):
                click.echo(printable(text))
            case Sentence(text):
                print_words(text)
                click.echo()
            case Listing(title, items, numbered):
                click.echo("\n".join(map(printable, (title, *_lines(items, numbered)))) + "\n")
            case Sheet():
                print_table(block, output.in_brief)
            case Marked(sheet):
                print_table(sheet, output.in_brief)


def _lines(items: Iterable[ListItem], numbered: bool) -> Iterator[str]:
    for number, item in enumerate(items, 1):
        yield f"  {number}. {item.text}" if numbered else f"  - {item.text}"
        for within in item.items:
            yield f"     {within.text}"
            yield from (f"     - {each.text}" for each in within.items)
