"""Sphinx configuration of the documentation: one theme with its files beside it, nothing fetched from anywhere."""

import html
import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util.logging import getLogger

sys.path.insert(0, str(Path(__file__).resolve().parent))
import play
from tploracle.output.formulas import SCRIPTED, tex

project = "tploracle"
author = "tploracle contributors"
version = release = installed_version("tploracle")

html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
myst_heading_anchors = 4
smartquotes = False  # options are written --so
suppress_warnings = ["misc.highlighting_failure"]  # examples of JSON and Python have … in them
nitpicky = True
nitpick_ignore_regex = [("py:class", ".*"), ("py:obj", r".*\.Key")]  # the types in signatures

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_inherit_docstrings = False
python_maximum_signature_line_length = 100

html_theme = "furo"
html_css_files = ["site.css"]
html_static_path = ["static"]
html_title = f"tploracle {version}"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_search_scorer = str(Path(__file__).resolve().parent / "scorer.js")

_WARN = getLogger(__name__).warning

_CODE = re.compile(r"``[^`]+``|`([^`]+)`")
_MARKUP = re.compile(r"([\\*|]|_(?=\W|$))")
_ESCAPED = r"\\\1"
PLAIN = ("commands", "api/", "specification/")
"""Pages made here of texts that terminals show as well. In the Markdown of all others mathematics is in `$…$`."""

_CUT = re.compile(r"[_^](-\d|\d[.,]?\d)")
"""A script without braces, of which TeX takes one character: e^12, e^-1 and e^1.352 are e¹2, e⁻1 and e¹.352."""

_SECTION = re.compile(r"(?:^|(?<=[.;] ))(Args|Returns|Raises|Yields):", re.MULTILINE)
_PARAMETER = re.compile(r"^ {4}(\*{0,2}\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)

AS_IT_IS = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw, nodes.title,
            addnodes.desc_signature)  # fmt: skip
"""What stands in these is no text to set."""


def restructured(line: str) -> str:
    """Return a line of a docstring as reStructuredText: `code` becomes ``code``, and nothing else is markup."""
    parts, end = [], 0
    for match in _CODE.finditer(line):
        parts += [_MARKUP.sub(_ESCAPED, line[end : match.start()]), f"``{match[1] or match[0].strip('`')}``\\ "]
        end = match.end()
    return "".join([*parts, _MARKUP.sub(_ESCAPED, line[end:])])


class Symbols(SphinxTransform):
    """Makes a formula of each symbol with an index or a power in a plain text; elsewhere these are in `$…$`, uncut."""

    default_priority = 850

    def apply(self, **_options: object) -> None:
        """Replace the texts that have one, or warn of them, which ends a build; warn of numbers that a formula cuts."""
        for text in list(self.document.findall(nodes.Text)):
            parts = _typeset(text.astext())
            if len(parts) > 1 and not _stands_in(text, AS_IT_IS):
                if self.env.docname.startswith(PLAIN):
                    text.parent.replace(text, parts)
                else:
                    _WARN("mathematics outside $…$: %s", text.astext(), location=text.parent)
        for formula in self.document.findall(lambda node: isinstance(node, nodes.math | nodes.math_block)):
            if _CUT.search(formula.astext()):
                _WARN("a number is cut, without braces: %s", formula.astext(), location=formula)


def _stands_in(node: nodes.Node, kinds: tuple[type[nodes.Node], ...]) -> bool:
    return node.parent is not None and (isinstance(node.parent, kinds) or _stands_in(node.parent, kinds))


def _typeset(text: str) -> list[nodes.Node]:
    """Return a text in parts, its symbols with an index or a power as formulas."""
    parts: list[nodes.Node] = []
    end = 0
    for symbol in SCRIPTED.finditer(text):
        parts += [nodes.Text(text[end : symbol.start()]), nodes.math(formula := tex(symbol), formula)]
        end = symbol.end()
    return [*parts, nodes.Text(text[end:])]


def fields(paragraph: str) -> list[str]:
    """Return the sections of a docstring, arguments, result and errors, as a list of fields."""
    before, *found = _SECTION.split(paragraph)
    lines = [*map(restructured, before.splitlines()), ""]
    for name, text in zip(found[::2], found[1::2], strict=True):
        each = _PARAMETER.findall(text) if name == "Args" else []
        title = {"Args": "Arguments"}.get(name, name)
        pairs = [(f"param {_MARKUP.sub(_ESCAPED, own)}", about) for own, about in each] or [(title, text)]
        lines += [f":{own}: {restructured(' '.join(about.split()))}" for own, about in pairs]
    return lines


def _docstring(*event: object) -> None:
    """Rewrite a docstring in the markup that autodoc reads; examples and what is laid out in lines stay as they are."""
    lines = event[-1]
    assert isinstance(lines, list)
    paragraphs = [paragraph.splitlines() for paragraph in "\n".join(lines).split("\n\n")]
    lines.clear()
    for paragraph in paragraphs:
        if paragraph and paragraph[0].startswith(">>>"):
            lines += paragraph
        elif _SECTION.match("\n".join(paragraph)):
            lines += fields("\n".join(paragraph))
        elif any(line.startswith((" ", "(")) for line in paragraph):
            lines += ["::", "", *(f"   {line}" for line in paragraph)]
        else:
            lines += map(restructured, paragraph)
        lines.append("")


def _formula(display: str) -> object:
    """Return what writes a formula as MathML, which browsers set without a script."""

    def visit(translator: object, node: nodes.Element) -> None:
        formula = convert(html.unescape(node.astext()), display=display)
        spaced = formula.replace("<mi>log</mi>", '<mi>log</mi><mspace width="0.17em"/>')
        translator.body.append(spaced)  # type: ignore[attr-defined]
        raise nodes.SkipNode

    return visit


_PARAMETERS = re.compile(r"<dl>\n((?:<dd>.*</dd>\n)+)</dl>")
_NAMED = {
    'class="caption" role="heading">': 'class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer"': '<aside aria-label="All pages" class="sidebar-drawer"',
    '<div id="search-results"></div>': '<h1>Search</h1><div id="search-results"></div>',
    '<div class="table-wrapper': '<div tabindex="0" role="group" aria-label="table" class="table-wrapper',
    '<th class="head"><p></p></th>': '<td class="head"></td>',
    'MathML" display="block">': 'MathML" display="block" tabindex="0">',
    '<aside class="toc-drawer': '<aside aria-label="This page" class="toc-drawer',
}
"""What Sphinx and its theme leave to guess for whoever hears a page, and what says it."""


def heard(text: str) -> str:
    """Return a page with levels of headings, names of its parts, and no list of definitions that defines nothing."""
    for vague, named in _NAMED.items():
        text = text.replace(vague, named)
    lines = {"<dd>": '<span class="sig-line">', "</dd>": "</span>"}
    return _PARAMETERS.sub(lambda match: re.sub("</?dd>", lambda tag: lines[tag[0]], match[1]), text)


def _finish(app: object, _error: Exception | None) -> None:
    """Finish all pages, and write the page to play with beside them."""
    for path in Path(app.outdir).rglob("*.html"):  # type: ignore[attr-defined]
        path.write_text(heard(path.read_text(encoding="utf-8")), encoding="utf-8")
    folder = Path(app.outdir) / "play"  # type: ignore[attr-defined]
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_text(play.page(), encoding="utf-8")


def setup(app: object) -> None:
    """Have every docstring rewritten before it is read, symbols set, and formulas and the page to play with written."""
    app.add_transform(Symbols)  # type: ignore[attr-defined]
    app.connect("build-finished", _finish)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", _docstring)  # type: ignore[attr-defined]
    app.add_html_math_renderer("mathml", (_formula("inline"), None), (_formula("block"), None))  # type: ignore[attr-defined]
